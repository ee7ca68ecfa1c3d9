//! Transitions prepared for pre-image computation: the effect of an update on a cell, for given arguments.

use smallvec::SmallVec;

use super::axioms::{Witness, witnesses};
use crate::cube::{CellValue, Cube, CubeCell, CubeContext, CubeLiteral, Halt, Instantiation, conjoin};
use cubicle_lang::list::add_new;
use cubicle_lang::model::{Assignment, Literal, ProcRef, System, Transition, TransitionId};

/// A transition with its updates indexed by variable.
#[derive(Debug)]
pub struct Prepared<'a> {
    pub id: TransitionId,
    pub transition: &'a Transition,
    /// Bit `v mod 64` is set when variable v is written.
    pub written: u64,
    updates: Vec<Option<&'a Assignment>>,
    /// For each parameter, the sorts that its guard allows; all in a system without sorts.
    pub sorts: Vec<u64>,
    /// Where it has universal guards, the witnesses of the system.
    pub witnesses: Vec<Witness>,
    /// The parameters that universal guards are about.
    pub asked: Vec<usize>,
    /// Whether cubes say of all other processes what its universal guards say of them: a search begins without.
    pub remembers: bool,
}

/// One way in which a cell gets its new value: the old state satisfies `when`, the new value is `value`.
pub type Alternative = (Vec<CubeLiteral>, CellValue);

/// The effect of an update on a cell.
#[derive(Debug)]
pub enum Effect {
    /// The cell keeps its value.
    None,
    /// Any value.
    Nondet,
    /// One of these cases; only those with a wanted value are listed.
    Cases {
        cases: Vec<Alternative>,
        /// Whether all cases are listed.
        all: bool,
    },
}

/// The transitions of a system in the order in which pre-images are taken: fewest parameters, array
/// updates, universal guards and guard literals first, file order on ties.
pub fn prepare(system: &System) -> Vec<Prepared<'_>> {
    let witnesses = witnesses(system);
    let mut all: Vec<Prepared<'_>> = system
        .transitions
        .iter()
        .enumerate()
        .map(|(i, transition)| {
            let mut updates = vec![None; system.vars.len()];
            let mut written = 0;
            for u in &transition.updates {
                updates[u.var.0 as usize] = Some(&u.assignment);
                written |= 1 << (u.var.0 & 63);
            }
            let sorts = (0..transition.arity()).map(|param| sorts_of(system, transition, param)).collect();
            let of_universals = transition.universals.iter().flat_map(|it| it.body.0.iter().flatten());
            let named: Vec<ProcRef> = of_universals.flat_map(Literal::procs).collect();
            let asked =
                (0..transition.arity()).filter(|at| named.contains(&ProcRef::Var(*at as u8))).collect();
            let witnesses = if transition.universals.is_empty() { Vec::new() } else { witnesses.clone() };
            let id = TransitionId(i as u16);
            Prepared { id, transition, written, updates, sorts, witnesses, asked, remembers: false }
        })
        .collect();
    all.sort_by_key(|p| {
        let t = p.transition;
        let arrays = t.updates.iter().filter(|u| system.var(u.var).arity() > 0).count();
        (t.arity(), arrays, t.universals.len(), t.guard.len(), p.id)
    });
    all
}

/// The sorts that a guard allows a parameter.
fn sorts_of(system: &System, transition: &Transition, param: usize) -> u64 {
    let Some(array) = system.sort_array() else { return u64::MAX };
    let of_param = |literal: &Literal| match literal {
        Literal::In { cell, values }
            if cell.var == array && cell.index[..] == [ProcRef::Var(param as u8)] =>
        {
            Some(*values)
        }
        _ => None,
    };
    transition.guard.iter().filter_map(of_param).fold(u64::MAX, |all, values| all & values)
}

impl Prepared<'_> {
    /// Whether a process of a cube may be a parameter, by its sort.
    pub fn may_be(&self, context: &CubeContext, child: &Cube, param: usize, process: u8) -> bool {
        let sort = context.sort_of(process).and_then(|cell| child.mask(cell));
        sort.is_none_or(|sort| sort & self.sorts[param] != 0)
    }

    /// Whether firing with `args` may change the value of `cell`; decided without looking at the state.
    pub fn touches(
        &self,
        context: &CubeContext,
        cell: CubeCell,
        args: &[u8],
        procs: u8,
    ) -> Result<bool, Halt> {
        if cell.is_process() {
            return Ok(false);
        }
        let Some(assignment) = self.updates[cell.var().0 as usize] else {
            return Ok(false);
        };
        let Assignment::Cases(branches) = assignment else {
            return Ok(true);
        };
        let mut vars: Vec<u8> = args.to_vec();
        vars.extend(context.indices(cell));
        let env = Instantiation { context, procs, vars: &vars };
        for branch in branches {
            let any = env.dnf(&branch.when)?;
            if !any.is_empty() && !is_slot(&env.value(&branch.value), cell) {
                return Ok(true);
            }
            if any.first().is_some_and(Vec::is_empty) {
                break;
            }
        }
        Ok(false)
    }

    /// The effect of firing with `args` on `cell` (a cell), with only the cases that have a `wanted` value.
    pub fn effect(
        &self,
        context: &CubeContext,
        cell: CubeCell,
        args: &[u8],
        procs: u8,
        wanted: &dyn Fn(&CellValue) -> bool,
    ) -> Result<Effect, Halt> {
        let Some(assignment) = self.updates[cell.var().0 as usize] else {
            return Ok(Effect::None);
        };
        let Assignment::Cases(branches) = assignment else {
            return Ok(Effect::Nondet);
        };
        let mut vars: Vec<u8> = args.to_vec();
        vars.extend(context.indices(cell));
        let env = Instantiation { context, procs, vars: &vars };
        let mut cases: Vec<Alternative> = Vec::new();
        let (mut all, mut keeps) = (true, true);
        // No branch so far matches where a literal of each clause holds.
        let mut clauses: Vec<Vec<CubeLiteral>> = Vec::new();
        for branch in branches {
            let any = env.dnf(&branch.when)?;
            let is_last = any.first().is_some_and(Vec::is_empty);
            let value = env.value(&branch.value);
            let (is_kept, is_wanted) = (is_slot(&value, cell), wanted(&value));
            for conj in &any {
                // A case whose value is not wanted is only examined until one such case is known to exist.
                if !(is_wanted || all || keeps && !is_kept) {
                    continue;
                }
                context.interrupt.poll()?;
                let ways = ways(&env, conj, &clauses)?;
                if ways.is_empty() {
                    continue;
                }
                keeps &= is_kept;
                all &= is_wanted;
                if is_wanted {
                    cases.extend(ways.into_iter().map(|way| (way, value.clone())));
                }
            }
            if is_last {
                break;
            }
            for conj in &any {
                clauses.extend(env.denial(conj)?);
            }
        }
        Ok(if keeps { Effect::None } else { Effect::Cases { cases, all } })
    }
}

fn is_slot(value: &CellValue, cell: CubeCell) -> bool {
    match value {
        CellValue::Cell(s) => *s == cell,
        CellValue::Linear(terms, constant) => {
            constant.is_zero()
                && terms.len() == 1
                && terms[0].0 == cell
                && terms[0].1 == cubicle_lang::model::Rational::ONE
        }
        CellValue::Constructor(_) => false,
    }
}

/// The ways to satisfy `conj` and a literal of each clause.
///
/// Drops clauses with a literal that follows from the known ones, and literals that contradict these; a clause of one
/// literal makes it known. Only clauses with several literals are multiplied out: none for a `case` that compares one cell
/// with constant after constant.
fn ways(
    env: &Instantiation<'_>,
    conj: &[CubeLiteral],
    clauses: &[Vec<CubeLiteral>],
) -> Result<Vec<Vec<CubeLiteral>>, Halt> {
    let mut known = conj.to_vec();
    let Some((mut open, mut grown)) = narrowed(clauses.iter().map(|it| it.iter()), &mut known) else {
        return Ok(Vec::new());
    };
    while grown {
        env.context.interrupt.poll()?;
        let clauses = std::mem::take(&mut open);
        let Some(next) = narrowed(clauses.into_iter().map(IntoIterator::into_iter), &mut known) else {
            return Ok(Vec::new());
        };
        (open, grown) = next;
    }
    let mut ways = vec![known];
    for clause in &open {
        let mut next: Vec<Vec<CubeLiteral>> = Vec::new();
        for way in ways {
            env.context.interrupt.poll()?;
            let Some(left) = rest_of(clause.iter().copied(), &way) else {
                add_new(&mut next, way);
                continue;
            };
            for literal in left {
                let mut both = way.clone();
                if learn(&mut both, literal) && !next.contains(&both) {
                    next.push(both);
                }
            }
        }
        ways = next;
    }
    Ok(ways)
}

/// A clause with literals of others.
type Narrowed<'l> = SmallVec<[&'l CubeLiteral; 2]>;

/// The rest of the clauses where all of `known` holds, and whether clauses of one literal were added to `known`; `None`
/// when they contradict it.
fn narrowed<'l, C: Iterator<Item = &'l CubeLiteral>>(
    clauses: impl Iterator<Item = C>,
    known: &mut Vec<CubeLiteral>,
) -> Option<(Vec<Narrowed<'l>>, bool)> {
    let (mut open, mut grown) = (Vec::new(), false);
    for clause in clauses {
        let Some(left) = rest_of(clause, known) else { continue };
        match left.as_slice() {
            [] => return None,
            [one] if !learn(known, one) => return None,
            [_] => grown = true,
            _ => open.push(left),
        }
    }
    Some((open, grown))
}

/// The rest of a clause where all of `known` holds: `None` when one of its literals holds, else those that may.
fn rest_of<'l>(clause: impl Iterator<Item = &'l CubeLiteral>, known: &[CubeLiteral]) -> Option<Narrowed<'l>> {
    let mut left = SmallVec::new();
    for literal in clause {
        if known.iter().any(|known| known.implies(literal)) {
            return None;
        }
        if !known.iter().any(|known| known.excludes(literal)) {
            left.push(literal);
        }
    }
    Some(left)
}

/// Adds a literal that does not follow; literals that follow from it are dropped. False when it contradicts `known`.
fn learn(known: &mut Vec<CubeLiteral>, literal: &CubeLiteral) -> bool {
    known.retain(|weaker| !literal.implies(weaker));
    conjoin(known, literal)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::{Effect, prepare};
    use crate::cube::{CellValue, CubeCell, CubeContext};
    use cubicle_run::Interrupt;

    /// The effect of `X := case ..` with these branches, for wanted values: the number of literals of each case.
    fn sizes(branches: &str, wanted: &dyn Fn(&CellValue) -> bool) -> (Vec<usize>, bool) {
        let text = format!(
            "var X : int var Y : int var Z : int init () {{ X = 0 && Y = 0 && Z = 0 }} unsafe () {{ X < 0 }}
             transition y () {{ Y := ? ; Z := ? }} transition t () {{ X := case {branches} | _ : 0 }}"
        );
        let system = cubicle_lang::load(&text).expect("the model is well-formed").system;
        let context = CubeContext::new(&system, true, &Interrupt::default());
        let prepared = prepare(&system);
        let step = prepared.iter().find(|it| it.transition.name == "t").expect("there is one");
        let cell = CubeCell::of(cubicle_lang::model::VarId(0), []);
        match step.effect(&context, cell, &[], 0, wanted).expect("it is not interrupted") {
            Effect::Cases { cases, all } => (cases.iter().map(|(when, _)| when.len()).collect(), all),
            other => panic!("{other:?}"),
        }
    }

    /// `| Y = 0 : 1 | Y = 1 : 2 ..`.
    fn branches(count: usize, condition: &dyn Fn(usize) -> String) -> String {
        (0..count).fold(String::new(), |mut text, i| {
            let _ = write!(text, " | {} : {}", condition(i), i + 1);
            text
        })
    }

    fn is(value: &CellValue, number: i64) -> bool {
        let number = cubicle_lang::model::Rational::integer(number);
        matches!(value, CellValue::Linear(terms, constant) if terms.is_empty() && *constant == number)
    }

    #[test]
    fn a_branch_has_no_literal_that_follows_from_its_condition() {
        let count = 1000;
        let (sizes, all) = sizes(&branches(count, &|i| format!("Y = {i}")), &|_| true);
        assert!(all);
        assert_eq!(sizes.len(), count + 1);
        assert!(sizes[..count].iter().all(|&size| size == 1), "only the branch's own condition");
        assert_eq!(sizes[count], count, "the rest differs from all of them");
    }

    #[test]
    fn only_cases_with_a_wanted_value_are_made() {
        let (found, all) = sizes(&branches(3000, &|i| format!("Y = {i}")), &|value| is(value, 7));
        assert_eq!((found, all), (vec![1], false));
        // Two literals each: the rest after all of them has as many ways as there are subsets.
        let (found, all) =
            sizes(&branches(3000, &|i| format!("Y = {i} && Z = {i}")), &|value| is(value, 2000));
        assert_eq!((found, all), (vec![2], false));
    }

    #[test]
    fn overlapping_branches_are_taken_in_their_order() {
        // Y <= 0, then 1 <= Y <= 5, then the rest, and one that never matches.
        let (found, all) = sizes(" | Y <= 0 : 1 | Y <= 5 : 2 | Y <= 3 : 3 | Y > 5 && Z = 1 : 4", &|_| true);
        assert_eq!((found, all), (vec![1, 2, 2, 2], true));
    }
}
