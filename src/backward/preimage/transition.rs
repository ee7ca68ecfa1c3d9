//! Transitions prepared for pre-image computation: what an update does to a cell, for given arguments.

use crate::backward::cube::{
    CellValue, CubeCell, CubeContext, CubeLiteral, Halt, InstantiatedFormula, Instantiation, Reduced, conjoin,
};
use crate::model::{Assignment, System, Transition, TransitionId};

/// A transition with its updates indexed by variable.
#[derive(Debug)]
pub struct Prepared<'a> {
    /// Which transition.
    pub id: TransitionId,
    /// The transition itself.
    pub transition: &'a Transition,
    /// Bit `v mod 64` is set when variable v is written.
    pub written: u64,
    updates: Vec<Option<&'a Assignment>>,
}

/// One way in which a cell gets its new value: the old state satisfies `when`, the new value is `value`.
pub type Alternative = (Vec<CubeLiteral>, CellValue);

/// What an update does to a cell.
#[derive(Debug)]
pub enum Effect {
    /// The cell keeps its value.
    None,
    /// Any value.
    Nondet,
    /// One of these.
    Cases(Vec<Alternative>),
}

/// The transitions of a system in the order in which pre-images are taken: fewest parameters, array
/// updates, universal guards and guard literals first, file order on ties.
pub fn prepare(system: &System) -> Vec<Prepared<'_>> {
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
            Prepared { id: TransitionId(i as u16), transition, written, updates }
        })
        .collect();
    all.sort_by_key(|p| {
        let t = p.transition;
        let arrays = t.updates.iter().filter(|u| system.var(u.var).arity() > 0).count();
        (t.arity(), arrays, t.universals.len(), t.guard.len(), p.id)
    });
    all
}

impl Prepared<'_> {
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
            match env.dnf(&branch.when)? {
                InstantiatedFormula::Any(any) if any.is_empty() => {}
                InstantiatedFormula::True => return Ok(!is_slot(&env.value(&branch.value), cell)),
                InstantiatedFormula::Any(_) => {
                    if !is_slot(&env.value(&branch.value), cell) {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// What firing with `args` does to `cell` (a cell).
    pub fn effect(
        &self,
        context: &CubeContext,
        cell: CubeCell,
        args: &[u8],
        procs: u8,
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
        let mut out: Vec<Alternative> = Vec::new();
        // Ways in which every branch so far fails to match.
        let mut unmatched: Vec<Vec<CubeLiteral>> = vec![Vec::new()];
        for branch in branches {
            match env.dnf(&branch.when)? {
                InstantiatedFormula::True => {
                    let value = env.value(&branch.value);
                    out.extend(unmatched.into_iter().map(|u| (u, value.clone())));
                    break;
                }
                InstantiatedFormula::Any(any) if any.is_empty() => {}
                InstantiatedFormula::Any(any) => {
                    let value = env.value(&branch.value);
                    for u in &unmatched {
                        context.interrupt.poll()?;
                        for conj in &any {
                            if let Some(both) = merged(u, conj) {
                                out.push((both, value.clone()));
                            }
                        }
                    }
                    for conj in &any {
                        unmatched = without(&env, &unmatched, conj)?;
                    }
                }
            }
        }
        if out.iter().all(|(_, v)| is_slot(v, cell)) {
            return Ok(Effect::None);
        }
        Ok(Effect::Cases(out))
    }
}

fn is_slot(value: &CellValue, cell: CubeCell) -> bool {
    match value {
        CellValue::Cell(s) => *s == cell,
        CellValue::Linear(terms, constant) => {
            constant.is_zero()
                && terms.len() == 1
                && terms[0].0 == cell
                && terms[0].1 == crate::model::Rational::ONE
        }
        CellValue::Constructor(_) => false,
    }
}

fn merged(a: &[CubeLiteral], b: &[CubeLiteral]) -> Option<Vec<CubeLiteral>> {
    let mut out = a.to_vec();
    b.iter().all(|g| conjoin(&mut out, g)).then_some(out)
}

/// Each way of `ways` together with each way of falsifying `conj`; ways implied by others are dropped.
fn without(
    env: &Instantiation<'_>,
    ways: &[Vec<CubeLiteral>],
    conj: &[CubeLiteral],
) -> Result<Vec<Vec<CubeLiteral>>, Halt> {
    let mut out: Vec<Vec<CubeLiteral>> = Vec::new();
    for way in ways {
        env.context.interrupt.poll()?;
        for g in conj {
            match env.negate(g)? {
                Reduced::True => {
                    if !out.contains(way) {
                        out.push(way.clone());
                    }
                }
                Reduced::False => {}
                Reduced::Literal(n) => {
                    if let Some(both) = merged(way, &[n])
                        && !out.contains(&both)
                    {
                        out.push(both);
                    }
                }
            }
        }
    }
    Ok(out)
}
