//! A seeded source of choices, and what the environment says of it.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Random choices; the same seed gives the same ones.
pub struct Dice(ChaCha8Rng);

impl Dice {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.0.next_u64() % n as u64) as usize
    }

    /// True in `percent` of all cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of `items`.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// A number that a variable of the environment gives to a campaign.
pub fn environment(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |text| text.parse().expect("a number"))
}

/// How much was compared for seeds, all of them together; panics where something is wrong, with the first few of these.
pub fn compared(first: u64, count: u64, examine: impl Fn(u64) -> Result<usize, String>) -> u64 {
    let (mut compared, mut wrong) = (0, Vec::new());
    for seed in first..first + count {
        match examine(seed) {
            Ok(it) => compared += it as u64,
            Err(why) => wrong.push(why),
        }
        assert!(wrong.len() < 6, "{}", wrong.join("\n"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    compared
}
