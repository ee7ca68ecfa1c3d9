//! The open goals, with the nearest states known, and which of them to walk towards.

use std::ops::Range;
use std::sync::OnceLock;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::fuzz::delete_relaxation::DeleteRelaxation;
use crate::fuzz::technique::Goal;
use crate::program::{Guard, Program, ranges};
use crate::tuning::{GOAL_WEIGHT, HALVING_WALKS, MAX_STALE_WALKS, NEAREST_STATES, PLANNED_WALKS};

#[derive(Clone, Debug)]
pub struct OpenGoal {
    pub goal: Goal,
    /// (distance, state), nearest first.
    pub nearest: Vec<(u32, u32)>,
    /// Walks towards it since one came nearer.
    stale: u32,
}

impl OpenGoal {
    /// Whether plans are worth their time.
    pub fn promises(&self) -> bool {
        self.stale < PLANNED_WALKS
    }
}

/// All open goals, with the nearest states known.
#[derive(Clone, Debug, Default)]
pub struct Goals {
    /// In a fixed order.
    pub open: Vec<OpenGoal>,
    /// Instances of each transition, and those of each bad cube.
    instances: Vec<Range<usize>>,
    bads: Vec<Range<usize>>,
    /// The relaxation for plans, built on first use; `None` when the instance is too large for it.
    relaxed: OnceLock<Option<DeleteRelaxation>>,
}

impl Goals {
    /// All transitions and bad cubes that have an instance.
    pub fn new(program: &Program, transitions: usize, bads: usize) -> Self {
        let instances = program.instances_of(transitions);
        let bads = ranges(program.bads.iter().map(|it| it.bad), bads);
        let open = (0..instances.len())
            .filter(|t| !instances[*t].is_empty())
            .map(Goal::Transition)
            .chain((0..bads.len()).filter(|b| !bads[*b].is_empty()).map(Goal::Bad))
            .map(|goal| OpenGoal { goal, nearest: Vec::new(), stale: 0 })
            .collect();
        Self { open, instances, bads, relaxed: OnceLock::new() }
    }

    /// The relaxation for plans; `None` when the instance is too large for it.
    pub fn relaxed(&self, program: &Program) -> Option<&DeleteRelaxation> {
        self.relaxed.get_or_init(|| DeleteRelaxation::new(program)).as_ref()
    }

    /// The least number of conditions that fail in `state`, over the instances of the goal.
    pub fn failing(&self, program: &Program, goal: Goal, state: &[u64]) -> u32 {
        let failing = |guard| failing(program, guard, state);
        let least = match goal {
            Goal::Transition(t) => {
                program.instances[self.instances[t].clone()].iter().map(|it| failing(&it.guard)).min()
            }
            Goal::Bad(b) => program.bads[self.bads[b].clone()].iter().map(|it| failing(&it.guard)).min(),
        };
        least.unwrap_or(u32::MAX)
    }

    pub fn close(&mut self, reached: impl Fn(Goal) -> bool) {
        self.open.retain(|open| !reached(open.goal));
    }

    /// Chooses a goal: one that walks approached recently is more likely. A goal that is equally far from
    /// everywhere (a flag that no step has set yet) gives no direction.
    pub fn choose(&self, rng: &mut ChaCha8Rng) -> Option<&OpenGoal> {
        let weight = |open: &OpenGoal| GOAL_WEIGHT / (HALVING_WALKS + open.stale);
        let total: u32 = self.open.iter().map(weight).sum();
        let mut at = rng.random_range(0..total.max(1));
        self.open.iter().find(|open| {
            let here = at < weight(open);
            at = at.wrapping_sub(weight(open));
            here
        })
    }

    /// Remembers a state near a goal; true when it is the nearest so far.
    pub fn offer(&mut self, goal: Goal, distance: u32, state: u32) -> bool {
        let Some(open) = self.open.iter_mut().find(|open| open.goal == goal) else { return false };
        open.stale = (open.stale + 1).min(MAX_STALE_WALKS);
        let nearest = &mut open.nearest;
        if nearest.iter().any(|(_, s)| *s == state) {
            return false;
        }
        let at = nearest.partition_point(|(d, _)| *d < distance);
        nearest.insert(at, (distance, state));
        nearest.truncate(NEAREST_STATES);
        let nearer = at == 0 && nearest.get(1).is_none_or(|(d, _)| distance < *d);
        if nearer {
            open.stale = 0;
        }
        nearer
    }
}

fn failing(program: &Program, guard: &Guard, state: &[u64]) -> u32 {
    let fields = &program.packing.fields;
    let raw = |c: usize| fields[c].raw(state);
    let undefined = |c: &usize| raw(*c) == fields[*c].undef;
    let mut failing = 0;
    for (c, codes) in &guard.sets {
        let raw = raw(*c);
        failing += u32::from(raw != fields[*c].undef && codes >> raw & 1 == 0);
    }
    if !guard.tests.is_empty() && !guard.reads.iter().any(undefined) {
        failing += guard.tests.iter().map(|t| u32::from(program.test(t, state) != Some(true))).sum::<u32>();
    }
    failing
}
