//! A campaign of walks on a cluster: what walks found goes from each process to each other one.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use super::meeting::{Heard, Meeting};
use cubicle_forward::{Companions, EpochWord};

/// How often it is looked whether the run must end while others are waited for.
const PATIENCE: Duration = Duration::from_millis(20);

/// The last byte of a message.
const FOUND: u8 = 0;
const FULL: u8 = 1;

/// The other processes of a meeting that walk, too.
pub struct Swarm {
    meeting: Arc<Meeting>,
    /// Of each process: words that were not asked for yet, and whether it has ended. Nobody is more than an epoch ahead.
    waiting: Vec<(VecDeque<EpochWord>, bool)>,
}

impl Swarm {
    /// Those that meet.
    pub fn new(meeting: Arc<Meeting>) -> Self {
        let (_, processes) = meeting.place();
        Self { meeting, waiting: (0..processes).map(|_| (VecDeque::new(), false)).collect() }
    }

    fn take_in(&mut self, heard: Heard) {
        match heard {
            Heard::Ended(from) => self.waiting[from].1 = true,
            Heard::Message(from, mut bytes) => match bytes.pop() {
                Some(FOUND) => self.waiting[from].0.push_back(EpochWord::Found(bytes)),
                Some(FULL) => self.waiting[from].0.push_back(EpochWord::Full),
                _ => self.meeting.distrust(from),
            },
        }
    }
}

impl Companions for Swarm {
    fn place(&self) -> (usize, usize) {
        self.meeting.place()
    }

    fn say(&mut self, word: &EpochWord) {
        let message = match word {
            EpochWord::Found(bytes) => [bytes, &[FOUND][..]].concat(),
            EpochWord::Full => vec![FULL],
        };
        for other in self.meeting.others() {
            self.meeting.say(other, &message);
        }
    }

    fn hear(&mut self, stop: &dyn Fn() -> bool) -> Option<Vec<Option<EpochWord>>> {
        let (me, processes) = self.meeting.place();
        loop {
            let silent = |it: &usize| *it != me && self.waiting[*it].0.is_empty();
            match (0..processes).find(silent) {
                None => return Some(self.waiting.iter_mut().map(|(words, _)| words.pop_front()).collect()),
                Some(silent) if self.waiting[silent].1 => {
                    // All see the end at the same epoch, or process 0 does before.
                    if me == 0 {
                        self.distrust(silent);
                    }
                    return None;
                }
                Some(_) if stop() || self.meeting.is_over() => return None,
                Some(_) => {}
            }
            if let Some(heard) = self.meeting.hear(PATIENCE) {
                self.take_in(heard);
            }
        }
    }

    fn distrust(&mut self, process: usize) {
        self.meeting.distrust(process);
    }
}
