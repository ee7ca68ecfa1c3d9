//! Formulas about states that a user types, read by the language's own parser: `At[#1] = Critical && Turn <> #2`.

use cubicle_lang::diagnostic::Span;
use cubicle_lang::load::{FormulaScope, in_a_line, numbered, parse_formula};
use cubicle_lang::model::semantics::{Semantics, State, distinct_tuples};
use cubicle_lang::model::{Case, Condition, Dnf, Literal, ProcRef, System, Term, Universal, rename};

/// The longest text that is read, in bytes.
const LONGEST_BYTES: usize = 10_000;

/// A formula about single states, with processes by their numbers.
pub(crate) struct NamedCube {
    system: System,
    /// The formula, with `#1`, `#2`, .. as parameters.
    condition: Condition,
    /// The number of these parameters.
    named: usize,
    /// Whether they stand for any processes that differ.
    any: bool,
}

impl NamedCube {
    /// Reads `cube` for an instance with this many processes; `text` is the model that `system` comes from. The error is a
    /// line for the user.
    pub fn parse(system: &System, text: &str, cube: &str, procs: usize) -> Result<Self, String> {
        let read = Self::read(system, text, cube)?;
        if read.named > procs {
            return Err(format!("there is no #{}: the instance has {procs} processes", read.named));
        }
        Ok(read)
    }

    /// As [`NamedCube::parse`], but `#1`, `#2`, .. are any processes that differ, where the model itself has no names
    /// for processes.
    pub fn parse_for_any(system: &System, text: &str, cube: &str) -> Result<Self, String> {
        let read = Self::read(system, text, cube)?;
        match system.max_procs {
            Some(most) if read.named > most as usize => {
                Err(format!("there is no #{}: `number_procs` is {most}", read.named))
            }
            most => Ok(Self { any: most.is_none(), ..read }),
        }
    }

    fn read(system: &System, text: &str, cube: &str) -> Result<Self, String> {
        if cube.trim().is_empty() {
            return Err("a formula is missing, such as one in `unsafe` with processes #1, #2, ..".to_owned());
        }
        if cube.len() > LONGEST_BYTES {
            return Err(format!("a formula has at most {LONGEST_BYTES} bytes"));
        }
        let named = numbered(cube);
        if named > cubicle_lang::load::MAX_NUMBERED {
            return Err(format!("there is no #{named}"));
        }
        let read = parse_formula((system, text), FormulaScope::Numbered(named), cube);
        let condition = read.map_err(|errors| in_a_line(cube, &errors))?;
        Ok(Self { system: system.clone(), condition, named, any: false })
    }

    /// Whether it holds in a state.
    pub fn holds(&self, state: &State) -> bool {
        let semantics = Semantics::new(&self.system, state.procs);
        let holds = |tuple: &[usize]| semantics.holds(state, &self.condition, tuple) == Some(true);
        if self.any {
            distinct_tuples(state.procs, self.named).any(|tuple| holds(&tuple))
        } else {
            self.named <= state.procs && holds(&(0..self.named).collect::<Vec<_>>())
        }
    }

    /// The model, and the cases in which the formula holds, the processes of each being the first ones in scope: the number
    /// of parameters, what holds for them, and what holds for all others. `None` when the formula is too large.
    pub fn ways(&self) -> Option<(System, Vec<Case>)> {
        let named = self.named as u8;
        let system = self.system.edited(|parts| {
            parts.asks_for_order |= self.condition.orders_processes();
            if !self.any {
                parts.proc_constants = parts.proc_constants.max(named);
            }
        });
        if self.any {
            let with_named = |case: &Case| Case { hidden: case.hidden + named, ..case.clone() };
            return Some((system, self.condition.0.iter().map(with_named).collect()));
        }
        let fixed = |p: ProcRef| match p {
            ProcRef::Var(v) if v < named => ProcRef::Const(v),
            ProcRef::Var(v) => ProcRef::Var(v - named),
            constant @ ProcRef::Const(_) => constant,
        };
        let is = |p: u8, k: u8, negated| Literal::Eq {
            left: Term::Proc(ProcRef::Var(p)),
            right: Term::Proc(ProcRef::Const(k)),
            negated,
        };
        let mut ways = Vec::new();
        for case in &self.condition.0 {
            let Some(mut cube) = rename::conj(&case.cube, &fixed)? else { continue };
            cube.extend((0..case.hidden).flat_map(|p| (0..named).map(move |k| is(p, k, true))));
            let mut universals = Vec::new();
            for Universal { bound, body, .. } in &case.universals {
                let mut all = rename::disjunction(&body.0, &fixed)?;
                let others = case.hidden..case.hidden + bound;
                all.extend(others.flat_map(|p| (0..named).map(move |k| vec![is(p, k, false)])));
                let spans = all.iter().map(|conj| vec![Span::default(); conj.len()]).collect();
                universals.push(Universal { bound: *bound, body: Dnf(all), spans });
            }
            ways.push(Case { hidden: case.hidden, cube, universals });
        }
        Some((system, ways))
    }
}
