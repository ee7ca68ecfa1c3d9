//! From a fair component to a short cycle in it that does all that fairness asks for.

use crate::forward::live::arrows::{Arrow, Ways};
use crate::forward::live::components::FairCycles;

/// What a cycle still has to do.
struct Tasks {
    /// Constraints that wait for one of their steps, or, when weak, for a node that enables none of these.
    constraints: Vec<bool>,
    /// Sets that wait for a visit.
    visits: Vec<bool>,
}

impl Tasks {
    fn is_done(&self) -> bool {
        !self.constraints.contains(&true) && !self.visits.contains(&true)
    }
}

impl FairCycles<'_> {
    /// A cycle from the first node of a fair `component` through nodes of it.
    pub fn cycle(&self, component: &[u32]) -> Vec<Arrow> {
        let entry = component[0];
        let mut inside = vec![false; self.arrows.len()];
        for node in component {
            inside[*node as usize] = true;
        }
        let inside = |node: u32| inside[node as usize];
        let mut tasks = self.tasks(component);
        let (mut at, mut cycle) = (entry, Vec::new());
        self.visit(at, &mut tasks);
        while !tasks.is_done() {
            let (place, step) = self.nearest(at, &tasks, &inside);
            let (_, way) = place;
            for arrow in way.into_iter().chain(step) {
                self.take(arrow, &mut tasks);
                self.visit(arrow.to, &mut tasks);
                at = arrow.to;
                cycle.push(arrow);
            }
        }
        if at == entry && !cycle.is_empty() {
            return cycle;
        }
        // Back to the beginning, by at least one arrow.
        let firsts = self.arrows.of(at).iter().filter(|arrow| inside(arrow.to));
        let ways = Ways::new(self.arrows, firsts.map(|arrow| arrow.to), &inside, |node| node != entry);
        let (from, way) = ways.to(entry);
        let first = self.arrows.of(at).iter().find(|arrow| arrow.to == from && inside(from));
        cycle.extend(first.copied().into_iter().chain(way));
        cycle
    }

    /// All that there is to do in a component.
    fn tasks(&self, component: &[u32]) -> Tasks {
        let mut enabled = vec![false; self.constraints.strong.len()];
        let mut seen = Vec::new();
        for &node in component {
            self.enabled(node, &mut seen, |constraint| enabled[constraint as usize] = true);
        }
        Tasks { constraints: enabled, visits: vec![true; self.visits.len()] }
    }

    /// Does what being at a node does.
    fn visit(&self, node: u32, tasks: &mut Tasks) {
        let mut enabled = vec![false; tasks.constraints.len()];
        self.enabled(node, &mut Vec::new(), |constraint| enabled[constraint as usize] = true);
        for (constraint, waits) in tasks.constraints.iter_mut().enumerate() {
            *waits &= self.constraints.strong[constraint] || enabled[constraint];
        }
        for (waits, set) in tasks.visits.iter_mut().zip(self.visits) {
            *waits &= !set[node as usize];
        }
    }

    fn take(&self, arrow: Arrow, tasks: &mut Tasks) {
        for constraint in self.constraints.of(arrow) {
            tasks.constraints[*constraint as usize] = false;
        }
    }

    /// The nearest place where something is done: the way to a node, and the arrow from there that does it, if none of the
    /// nodes on the way does.
    fn nearest(
        &self,
        from: u32,
        tasks: &Tasks,
        inside: &dyn Fn(u32) -> bool,
    ) -> ((u32, Vec<Arrow>), Option<Arrow>) {
        let mut found = None;
        let helps = |arrow: &Arrow| {
            inside(arrow.to) && self.constraints.of(*arrow).iter().any(|c| tasks.constraints[*c as usize])
        };
        let ways = Ways::new(self.arrows, std::iter::once(from), inside, |node| {
            let mut after = Tasks { constraints: tasks.constraints.clone(), visits: tasks.visits.clone() };
            self.visit(node, &mut after);
            if after.constraints != tasks.constraints || after.visits != tasks.visits {
                found = Some((node, None));
            } else if let Some(arrow) = self.arrows.of(node).iter().find(|arrow| helps(arrow)) {
                found = Some((node, Some(*arrow)));
            }
            found.is_none()
        });
        let (node, step) = found.expect("a fair component has a place for each constraint");
        (ways.to(node), step)
    }
}
