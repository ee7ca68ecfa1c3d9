//! Data derived from the declarations of a system, once they are all there.

use tracing::debug;

use super::{Axiom, Bad, BadKind, Conj, Literal, System, SystemParts, ranges};

impl System {
    /// The system that is made of these parts. Derived data is computed anew, whatever the parts contain: value ranges,
    /// whether processes are ordered, and which invariants may be assumed.
    pub fn new(mut parts: SystemParts) -> Self {
        parts.reopen_axioms();
        parts.orders_processes = parts.asks_for_order || orders_processes(&parts);
        if parts.sort_array().is_none_or(|array| parts.changes(array)) {
            parts.sorts = None;
        }
        ranges::infer(&mut parts);
        debug!(variables = parts.vars.len(), transitions = parts.transitions.len(), "system derived");
        Self(parts)
    }
}

impl SystemParts {
    /// An axiom about a cell that a transition now assigns is a claim like any other.
    fn reopen_axioms(&mut self) {
        let axioms = std::mem::take(&mut self.axioms);
        let (kept, open): (Vec<_>, Vec<_>) = axioms.into_iter().partition(|axiom| axiom.is_constant(self));
        self.axioms = kept;
        if open.is_empty() {
            return;
        }
        for axiom in open {
            let Axiom { name, number, params, cube, span, .. } = axiom;
            let kind = BadKind::Invariant;
            self.bad.push(Bad { kind, ..Bad::derived(name, number, params, cube, span) });
        }
        self.bad.sort_by_key(|bad| bad.number);
    }
}

fn orders_processes(system: &SystemParts) -> bool {
    let orders = |conj: &Conj| conj.iter().any(|l| matches!(l, Literal::Less { .. }));
    system.conjunctions().chain(system.conjunctions_of_runs()).any(orders)
        || system.axioms.iter().any(|axiom| orders(&axiom.cube))
}
