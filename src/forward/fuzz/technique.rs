//! How walks choose their steps, a walk to run, and which technique to use: mostly those with the best recent gain per step, and now and
//! then any other.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::tuning::{GAIN_DECAY, MIN_ARM_SHARE, NEW_STATE_VALUE, WALK_START_STEPS};

/// A transition that never fired, or a bad cube that never held.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Goal {
    Transition(usize),
    Bad(usize),
}

/// How a walk chooses its next step (Conchon and Korneva, section 4; the last three are additions).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Technique {
    /// Any exit.
    Random,
    /// Exits of one process, while there are any.
    Process,
    /// Exits to unvisited states first, then transitions that never fired, then exits not taken here.
    Weighted,
    /// Towards states with many exits.
    Maximise,
    /// Breadth first, few levels.
    Bfs,
    /// One untaken exit.
    Unused,
    /// Towards a guard or bad cube that never held.
    Guided,
    /// Depth first, in random order.
    Dive,
    /// All exits of states near deadlocks.
    Around,
}

#[derive(Clone, Copy, Debug)]
pub struct Aim {
    pub goal: Goal,
    /// With relaxed plans; else by the number of conditions that fail.
    pub planned: bool,
}

/// A walk to run.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    pub start: u32,
    pub technique: Technique,
    /// Steps; levels for [`Technique::Bfs`]; depth for [`Technique::Dive`]; states for
    /// [`Technique::Around`].
    pub bound: u32,
    pub aim: Option<Aim>,
    /// Number of its random stream.
    pub stream: u64,
}

/// Techniques and bounds to choose from.
pub const ARMS: [(Technique, u32); 10] = [
    (Technique::Random, 30),
    (Technique::Random, 200),
    (Technique::Random, 1000),
    (Technique::Process, 100),
    (Technique::Weighted, 50),
    (Technique::Maximise, 100),
    (Technique::Maximise, 500),
    (Technique::Bfs, 3),
    (Technique::Dive, 60),
    (Technique::Unused, 1),
];

/// The six techniques as published, with their largest bounds.
pub const PUBLISHED: [(Technique, u32); 6] = [
    (Technique::Random, 999),
    (Technique::Process, 99),
    (Technique::Weighted, 99),
    (Technique::Maximise, 500),
    (Technique::Bfs, 4),
    (Technique::Unused, 1),
];

/// Gains and costs of each arm, with exponential decay.
#[derive(Clone, Debug, Default)]
pub struct Bandit {
    gain: [f64; ARMS.len()],
    cost: [f64; ARMS.len()],
}

impl Bandit {
    /// Chooses an arm, in proportion to its gain per step.
    pub fn choose(&self, rng: &mut ChaCha8Rng) -> usize {
        let rate = |arm: usize| (self.gain[arm] + NEW_STATE_VALUE) / (self.cost[arm] + WALK_START_STEPS);
        let total: f64 = (0..ARMS.len()).map(rate).sum();
        // A long walk costs more than a short one: the shares are of steps, not of walks.
        let weight =
            |arm: usize| (rate(arm) / total).max(MIN_ARM_SHARE) / (f64::from(ARMS[arm].1) + WALK_START_STEPS);
        let sum: f64 = (0..ARMS.len()).map(weight).sum();
        let mut at = rng.random::<f64>() * sum;
        for arm in 0..ARMS.len() {
            at -= weight(arm);
            if at < 0.0 {
                return arm;
            }
        }
        ARMS.len() - 1
    }

    /// Records what a walk gained. Walks of no arm are ignored.
    pub fn reward(&mut self, technique: Technique, bound: u32, combinations: u64, states: u64, steps: u64) {
        if let Some(arm) = ARMS.iter().position(|a| *a == (technique, bound)) {
            self.gain[arm] += combinations as f64 + NEW_STATE_VALUE * states as f64;
            self.cost[arm] += steps as f64 + WALK_START_STEPS;
        }
    }

    /// Decays earlier gains and costs.
    pub fn end_epoch(&mut self) {
        for n in self.gain.iter_mut().chain(&mut self.cost) {
            *n *= GAIN_DECAY;
        }
    }
}
