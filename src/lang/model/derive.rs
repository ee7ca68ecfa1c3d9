//! What follows from the declarations of a system: derived once they are all there, and again whenever some were changed.

use super::{Assignment, Bad, BadKind, Conj, Dnf, Literal, System, Temporal, axioms, ranges};

impl System {
    /// The system with all that follows from its declarations derived from them as they are now: value ranges, whether
    /// processes are ordered, and which invariants may be assumed.
    ///
    /// Whatever makes a system from another one ends with this. Engines trust what is derived: they drop a cube that is
    /// outside of the ranges, and rename processes that are not ordered.
    #[must_use]
    pub fn derived(mut self) -> Self {
        self.reopen_axioms();
        self.orders_processes =
            orders_processes(&self) || self.temporal.iter().any(Temporal::orders_processes);
        ranges::infer(&mut self);
        self
    }

    /// Whether engines may trust what is derived: ranges contain those that [`System::derived`] finds, and so on. (Wider
    /// ones only cost time. Engines look at what properties of runs order by themselves.)
    pub fn is_derived(&self) -> bool {
        let mut again = self.clone();
        ranges::infer(&mut again);
        let within = |(now, right): (&super::Var, &super::Var)| right.range & !now.range == 0;
        self.vars.iter().zip(&again.vars).all(within)
            && (self.orders_processes || !orders_processes(self))
            && self.axioms.iter().all(|axiom| axioms::is_about_parameters(self, &axiom.cube))
    }

    /// An axiom about what a transition assigns now is a claim like any other.
    fn reopen_axioms(&mut self) {
        let axioms = std::mem::take(&mut self.axioms);
        let (kept, open): (Vec<_>, Vec<_>) =
            axioms.into_iter().partition(|axiom| axioms::is_about_parameters(self, &axiom.cube));
        self.axioms = kept;
        for axiom in open {
            self.bad.push(Bad {
                name: axiom.name,
                number: axiom.number,
                kind: BadKind::Invariant,
                params: axiom.params,
                spans: vec![axiom.span; axiom.cube.len()],
                cube: axiom.cube,
                span: axiom.span,
            });
        }
        self.bad.sort_by_key(|bad| bad.number);
    }
}

/// Whether anything but the properties of runs orders processes.
fn orders_processes(system: &System) -> bool {
    let orders = |conj: &Conj| conj.iter().any(|l| matches!(l, Literal::Less { .. }));
    let dnf = |dnf: &Dnf| dnf.0.iter().any(orders);
    dnf(&system.init.body)
        || dnf(&system.init.without_processes)
        || system.bad.iter().any(|b| orders(&b.cube))
        || system.axioms.iter().any(|axiom| orders(&axiom.cube))
        || system.transitions.iter().any(|t| {
            orders(&t.guard)
                || t.universals.iter().any(|u| dnf(&u.body))
                || t.updates.iter().any(|u| match &u.assignment {
                    Assignment::Nondet => false,
                    Assignment::Cases(branches) => branches.iter().any(|b| dnf(&b.when)),
                })
        })
}
