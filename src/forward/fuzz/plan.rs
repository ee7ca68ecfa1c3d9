//! The walks of the next epoch.
//!
//! They are chosen from the seed, the number of the epoch and the state of the campaign only.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::fuzz::bandit;
use crate::fuzz::campaign::Campaign;
use crate::fuzz::goals::OpenGoal;
use crate::fuzz::technique::{Aim, Task, Technique};
use crate::tuning::{
    BREADTH_START, DEADLOCK_STATES, EPOCH_WALKS, FIRST_EPOCH_WALKS, GUIDED_STEPS, JUMP_LEVELS, RESTART_STEPS,
    STALLED_EPOCHS, STATES_PER_WALK, UNGUIDED_EPOCHS,
};
use cubicle_run::{Restart, Strategy};

/// A walk to run, without its random stream: its start, technique, bound, and aim.
type Drawn = (u32, Technique, u32, Option<Aim>);

impl Campaign {
    /// The walks of the next epoch.
    pub fn plan(&mut self) -> Vec<Task> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.options.seed);
        rng.set_stream(u64::MAX - self.epochs as u64);
        let stored = self.visited.store.len();
        let epoch = (stored / STATES_PER_WALK).clamp(FIRST_EPOCH_WALKS, EPOCH_WALKS);
        // Epochs are short at first: the turns of the techniques continue from one to the next.
        let turn = self.streams as usize;
        let mut tasks = Vec::with_capacity(EPOCH_WALKS);
        if self.is_adaptive() && self.expanded < BREADTH_START.min(stored) {
            for state in (self.expanded..stored).take(epoch) {
                tasks.push(self.task((state as u32, Technique::Bfs, 1, None)));
            }
            self.expanded += tasks.len();
            return tasks;
        }
        self.plan_around(epoch, &mut tasks);
        for n in tasks.len()..epoch {
            let members = self.corpus.members();
            let uniform = members[rng.random_range(0..members.len())];
            let drawn = if self.options.strategy != Strategy::Cfl {
                self.restarted(uniform, &mut rng)
            } else if self.is_adaptive() {
                self.adaptive(uniform, turn + n, &mut rng)
            } else {
                let (technique, bound) = bandit::PUBLISHED[rng.random_range(0..bandit::PUBLISHED.len())];
                (uniform, technique, rng.random_range(0..=bound), None)
            };
            tasks.push(self.task(drawn));
        }
        tasks
    }

    fn task(&mut self, (start, technique, bound, aim): Drawn) -> Task {
        self.streams += 1;
        Task { start, technique, bound, aim, stream: self.streams - 1 }
    }

    /// Plans searches around errors and deadlocks, which come first.
    fn plan_around(&mut self, epoch: usize, tasks: &mut Vec<Task>) {
        let jumps = self.jumpstart.len().min((epoch / 4).max(1));
        for start in self.jumpstart.drain(..jumps).collect::<Vec<_>>() {
            tasks.push(self.task((start, Technique::Bfs, JUMP_LEVELS, None)));
        }
        while self.is_adaptive()
            && tasks.len() < epoch * 3 / 4
            && let Some((&start, _)) = self.around.get_index(self.around_next)
        {
            let count = (self.around.len() - self.around_next).min(DEADLOCK_STATES);
            tasks.push(self.task((start, Technique::Around, count as u32, None)));
            self.around_next += count;
        }
    }

    /// A walk from an initial state, or from any state when these yield nothing more.
    fn restarted(&self, uniform: u32, rng: &mut ChaCha8Rng) -> Drawn {
        let initial = rng.random_range(0..self.initial as u32);
        match self.options.restart {
            _ if self.stalled >= STALLED_EPOCHS => (uniform, Technique::Unused, 1, None),
            Some(Restart { depth, .. }) if self.options.strategy == Strategy::Dfs => {
                (initial, Technique::Dive, depth, None)
            }
            _ => (initial, Technique::Random, RESTART_STEPS, None),
        }
    }

    /// A walk by the technique with the best recent gain, or towards a goal.
    fn adaptive(&self, uniform: u32, turn: usize, rng: &mut ChaCha8Rng) -> Drawn {
        let guided = if self.unguided < UNGUIDED_EPOCHS { 2 } else { 8 };
        if turn.is_multiple_of(guided)
            && let Some(open) = self.goals.choose(rng)
        {
            let OpenGoal { goal, nearest, .. } = open;
            let start = if nearest.is_empty() || rng.random_ratio(1, 4) {
                uniform
            } else {
                nearest[rng.random_range(0..nearest.len())].1
            };
            let aim = Aim { goal: *goal, planned: open.promises() };
            return (start, Technique::Guided, GUIDED_STEPS, Some(aim));
        }
        if self.dry && turn % 2 == 1 {
            // Little is left here: taking untaken exits is surer than any walk.
            return (uniform, Technique::Bfs, 2, None);
        }
        let (technique, bound) = bandit::ARMS[self.bandit.choose(rng)];
        let novel = match rng.random_range(0..4u32) {
            _ if self.novel.is_empty() => uniform,
            0 => uniform,
            1 => self.novel[self.novel.len() - 1 - rng.random_range(0..self.novel.len().min(64))],
            _ => self.novel[rng.random_range(0..self.novel.len())],
        };
        let start = if technique == Technique::Unused { uniform } else { novel };
        (start, technique, bound, None)
    }
}
