//! The meaning of a system as a number: systems that differ only in their wording have the same one.

use cubicle_lang::digest::digest;
use cubicle_lang::list::sorted;
use cubicle_lang::model::{Assignment, Conj, Dnf, Literal, System, Term, Transition, Type, VarId};

/// Identifies the meaning of a system, up to hash collisions: names of transitions, places and the order of declarations do
/// not count.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MeaningKey(pub u128);

/// The key of a system. Before it is taken the system is simplified: by the values that each variable can ever have,
/// literals that always hold are left out, and so are conjunctions and guards with a literal that never holds, and
/// updates that change nothing.
pub fn key(system: &System) -> MeaningKey {
    let simple = Simplifier { system };
    let transitions: Vec<u128> = sorted(system.transitions.iter().filter_map(|it| simple.transition(it)));
    let init = &system.init;
    let bad: Vec<(u8, Option<Conj>)> =
        system.bad.iter().map(|bad| (bad.params, simple.conj(&bad.cube))).collect();
    let axioms: Vec<(u8, &Conj)> = system.axioms.iter().map(|it| (it.params, &it.cube)).collect();
    let vars: Vec<_> = system.vars.iter().map(|var| (&var.name, var.kind, var.ty)).collect();
    let counts: Vec<_> = system.counts.iter().map(|it| (it.var, disjuncts(&it.body), &it.summand)).collect();
    let enums: Vec<_> = system.enums.iter().map(|it| (&it.name, &it.constructors)).collect();
    MeaningKey(digest(&(
        (system.max_procs, system.proc_constants, enums, &system.abstracts, vars, counts),
        (init.params, disjuncts(&init.body), disjuncts(&init.without_processes)),
        (axioms, bad, transitions),
    )))
}

/// The disjuncts in a fixed order, each once.
fn disjuncts(dnf: &Dnf) -> Vec<u128> {
    sorted(dnf.0.iter().map(|conj| unordered(conj)))
}

/// The literals of a conjunction, whatever their order.
fn unordered(conj: &[Literal]) -> u128 {
    digest(&sorted(conj.iter().map(digest)))
}

struct Simplifier<'s> {
    system: &'s System,
}

impl Simplifier<'_> {
    /// The values that a variable can have, when it is of finite type.
    fn range(&self, var: VarId) -> Option<u64> {
        let var = self.system.var(var);
        match var.ty {
            Type::Enum(id) => Some(var.range & self.system.enumeration(id).all()),
            _ => None,
        }
    }

    /// The literals that do not always hold; `None` when one never holds.
    fn conj(&self, conj: &[Literal]) -> Option<Conj> {
        let mut kept: Conj = Vec::with_capacity(conj.len());
        for literal in conj {
            let Literal::In { cell, values } = literal else {
                kept.push(literal.clone());
                continue;
            };
            let range = self.range(cell.var).unwrap_or(u64::MAX);
            let same = |it: &Literal| matches!(it, Literal::In { cell: other, .. } if other == cell);
            let known = kept.iter().position(same);
            let before = match known.map(|at| &kept[at]) {
                Some(Literal::In { values, .. }) => *values,
                _ => range,
            };
            let values = before & values;
            if values == 0 {
                return None;
            }
            if values == range {
                continue;
            }
            let literal = Literal::In { cell: cell.clone(), values };
            match known {
                Some(at) => kept[at] = literal,
                None => kept.push(literal),
            }
        }
        Some(kept)
    }

    fn dnf(&self, dnf: &Dnf) -> Vec<u128> {
        sorted(dnf.0.iter().filter_map(|conj| self.conj(conj)).map(|conj| unordered(&conj)))
    }

    /// `None` when it is never enabled, or changes nothing.
    fn transition(&self, t: &Transition) -> Option<u128> {
        let guard = unordered(&self.conj(&t.guard)?);
        let universals: Vec<_> = sorted(t.universals.iter().map(|it| (it.bound, self.dnf(&it.body))));
        let mut updates = Vec::new();
        for update in &t.updates {
            let Assignment::Cases(branches) = &update.assignment else {
                updates.push((update.var, None));
                continue;
            };
            let cell = t.written(update.var, self.system.var(update.var).arity());
            let mut parts: Vec<(Vec<u128>, &Term)> = Vec::new();
            for branch in branches {
                let when = self.dnf(&branch.when);
                if !when.is_empty() {
                    parts.push((when, &branch.value));
                }
            }
            if parts.iter().all(|(_, value)| value.is(&cell)) {
                continue;
            }
            updates.push((update.var, Some(digest(&parts))));
        }
        updates.sort_unstable();
        Some(digest(&(t.params.len(), t.hidden, guard, universals, updates)))
    }
}
