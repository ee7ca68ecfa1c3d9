//! Which steps fairness asks for, and which step of the instance is which of them.

use crate::forward::live::arrows::{Arrow, STUTTER};
use crate::forward::program::compiled::Program;
use crate::model::System;

/// What fairness asks of a run, each by itself: some of these steps are taken again and again, or not possible at some
/// moment again and again (weak), or not possible at all from some moment on (strong).
pub struct Constraints {
    /// For each constraint, whether it is strong.
    pub strong: Vec<bool>,
    /// The constraints that a step by each instance of a transition serves.
    served: Vec<Vec<u32>>,
}

impl Constraints {
    /// Those of an instance.
    pub fn new(system: &System, program: &Program) -> Self {
        let mut this = Self { strong: Vec::new(), served: vec![Vec::new(); program.instances.len()] };
        for fairness in &system.fairness {
            let mut known: Vec<(Vec<u8>, u32)> = Vec::new();
            for (number, instance) in program.instances.iter().enumerate() {
                let transition = system.transition(instance.transition);
                if transition.origin != fairness.origin {
                    continue;
                }
                let shown = if fairness.any { 0 } else { transition.params.len() };
                let args = &instance.args[..shown];
                let constraint =
                    known.iter().find(|(tuple, _)| tuple == args).map(|(_, constraint)| *constraint);
                let constraint = constraint.unwrap_or_else(|| {
                    let new = this.strong.len() as u32;
                    this.strong.push(fairness.strong);
                    known.push((args.to_vec(), new));
                    new
                });
                this.served[number].push(constraint);
            }
        }
        this
    }

    /// None at all.
    #[cfg(test)]
    pub fn none() -> Self {
        Self { strong: Vec::new(), served: Vec::new() }
    }

    /// The constraints that a step serves.
    pub fn of(&self, arrow: Arrow) -> &[u32] {
        if arrow.label == STUTTER { &[] } else { &self.served[arrow.label as usize] }
    }
}
