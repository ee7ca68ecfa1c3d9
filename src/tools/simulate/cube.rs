//! Formulas about states that a user types, read by the language's own parser: `At[#1] = Critical && Turn <> #2`.

use cubicle_lang::diagnostic::Span;
use cubicle_lang::load::{FormulaScope, ModelSource, formula_with_counts, in_a_line, numbered};
use cubicle_lang::model::semantics::{Layout, Semantics, State, Value, distinct_tuples};
use cubicle_lang::model::{
    Case, Condition, Dnf, Literal, ProcRef, Rational, System, Term, Universal, rename,
};
use std::borrow::Cow;

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
    /// Reads `cube` for an instance with this many processes; the error says why it is not a formula about its states.
    pub fn parse(model: ModelSource<'_>, cube: &str, procs: usize) -> Result<Self, String> {
        let read = Self::read(model, cube)?;
        if read.named > procs {
            return Err(format!("there is no #{}: the instance has {procs} processes", read.named));
        }
        Ok(read)
    }

    /// As [`NamedCube::parse`], but `#1`, `#2`, .. are any processes that differ, where the model itself has no names
    /// for processes.
    pub fn parse_for_any(model: ModelSource<'_>, cube: &str) -> Result<Self, String> {
        let read = Self::read(model, cube)?;
        match model.system.max_procs {
            Some(most) if read.named > most as usize => {
                Err(format!("there is no #{}: `number_procs` is {most}", read.named))
            }
            most => Ok(Self { any: most.is_none(), ..read }),
        }
    }

    fn read(model: ModelSource<'_>, cube: &str) -> Result<Self, String> {
        if cube.trim().is_empty() {
            let why = "a formula is missing, such as one in `unsafe` with processes #1, #2, ..";
            return Err(why.to_owned());
        }
        if cube.len() > LONGEST_BYTES {
            return Err(format!("a formula has at most {LONGEST_BYTES} bytes"));
        }
        let named = numbered(cube);
        if named > cubicle_lang::load::MAX_NUMBERED {
            return Err(format!("there is no #{named}"));
        }
        let read = formula_with_counts(model, FormulaScope::Numbered(named), cube);
        let (system, condition) = read.map_err(|errors| in_a_line(cube, &errors))?;
        Ok(Self { system, condition, named, any: false })
    }

    /// Whether it holds in a state of the model.
    pub fn holds(&self, state: &State) -> bool {
        let semantics = Semantics::new(&self.system, state.procs);
        let cells = Layout::new(&self.system, state.procs).len();
        let mut state = Cow::Borrowed(state);
        if state.values.len() < cells {
            // The counts that only the formula mentions come last.
            state.to_mut().values.resize(cells, Value::Number(Rational::ZERO));
            match semantics.with_counts(state.into_owned()) {
                Some(counted) => state = Cow::Owned(counted),
                None => return false,
            }
        }
        let holds = |tuple: &[usize]| semantics.holds(&state, &self.condition, tuple) == Some(true);
        if self.any {
            distinct_tuples(state.procs, self.named).any(|tuple| holds(&tuple))
        } else {
            self.named <= state.procs && holds(&(0..self.named).collect::<Vec<_>>())
        }
    }

    /// The model with the counts that the formula mentions, and the cases in which the formula holds, the processes of each being the first ones in scope: the number
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
