//! Arrows between stored states: a step, and the renaming that takes its result to the stored representative.

use hashbrown::HashMap;

/// The most processes that can be renamed.
pub const MAX_RENAMED: usize = 16;

/// A renaming of processes: `[old] = new`; indices beyond the last process stay.
pub type Turn = [u8; MAX_RENAMED];

/// The renaming that changes nothing.
pub const STAY: Turn = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// The renaming `first`, and then `second`.
pub fn then(first: &Turn, second: &Turn) -> Turn {
    first.map(|p| second[usize::from(p)])
}

/// The inverse of `turn`.
pub fn back(turn: &Turn) -> Turn {
    let mut back = STAY;
    for (old, new) in turn.iter().enumerate() {
        back[usize::from(*new)] = old as u8;
    }
    back
}

/// A step and the renaming of its result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// The instance of a transition that takes the step.
    pub instance: u32,
    /// Number of the renaming.
    pub turn: u32,
}

/// All moves of a graph, by number: the labels of its arrows. The first ones are the instances, without renaming.
#[derive(Clone, Debug)]
pub struct Moves {
    pub list: Vec<Move>,
    turns: Vec<Turn>,
    turn_numbers: HashMap<Turn, u32>,
    numbers: HashMap<Move, u32>,
}

impl Moves {
    /// The moves of `instances` instances, without renaming.
    pub fn new(instances: usize) -> Self {
        let list = (0..instances as u32).map(|instance| Move { instance, turn: 0 }).collect();
        let turn_numbers = [(STAY, 0)].into_iter().collect();
        Self { list, turns: vec![STAY], turn_numbers, numbers: HashMap::new() }
    }

    /// The number of the move by an instance and a renaming.
    #[inline]
    pub fn number(&mut self, instance: u32, turn: &Turn) -> u32 {
        if *turn == STAY {
            return instance;
        }
        let turns = &mut self.turns;
        let turn = *self.turn_numbers.entry(*turn).or_insert_with(|| {
            turns.push(*turn);
            turns.len() as u32 - 1
        });
        let list = &mut self.list;
        *self.numbers.entry(Move { instance, turn }).or_insert_with(|| {
            list.push(Move { instance, turn });
            list.len() as u32 - 1
        })
    }

    /// The renaming of the move with this number.
    pub fn turn(&self, number: u32) -> &Turn {
        &self.turns[self.list[number as usize].turn as usize]
    }

    /// Whether any move renames processes.
    pub fn rename(&self) -> bool {
        self.turns.len() > 1
    }
}
