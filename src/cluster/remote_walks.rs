//! A campaign of walks on a cluster: each process sends what its walks found to all others.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use super::meeting::{Incoming, Meeting};
use cubicle_forward::Peers;

/// How often to check whether the run must end while waiting for others.
const PATIENCE: Duration = Duration::from_millis(20);

/// The other processes of a campaign of walks.
pub struct RemoteWalks {
    meeting: Arc<Meeting>,
    /// Of each process: messages not read yet, and whether it has ended. No process is more than an epoch ahead.
    waiting: Vec<(VecDeque<Vec<u8>>, bool)>,
}

impl RemoteWalks {
    /// The processes of this meeting.
    pub fn new(meeting: Arc<Meeting>) -> Self {
        let (_, processes) = meeting.place();
        Self { meeting, waiting: (0..processes).map(|_| (VecDeque::new(), false)).collect() }
    }

    fn receive(&mut self, message: Incoming) {
        match message {
            Incoming::Ended(from) => self.waiting[from].1 = true,
            Incoming::Message(from, bytes) => self.waiting[from].0.push_back(bytes),
        }
    }
}

impl Peers for RemoteWalks {
    fn place(&self) -> (usize, usize) {
        self.meeting.place()
    }

    fn say(&mut self, message: &[u8]) {
        for other in self.meeting.others() {
            self.meeting.say(other, message);
        }
    }

    fn hear(&mut self, stop: &dyn Fn() -> bool) -> Option<Vec<Option<Vec<u8>>>> {
        let (me, processes) = self.meeting.place();
        loop {
            let silent = |it: &usize| *it != me && self.waiting[*it].0.is_empty();
            match (0..processes).find(silent) {
                None => {
                    return Some(self.waiting.iter_mut().map(|(messages, _)| messages.pop_front()).collect());
                }
                Some(silent) if self.waiting[silent].1 => {
                    // All processes see the end at the same epoch, or process 0 sees it before.
                    if me == 0 {
                        self.protocol_error(silent);
                    }
                    return None;
                }
                Some(_) if stop() || self.meeting.is_over() => return None,
                Some(_) => {}
            }
            if let Some(message) = self.meeting.hear(PATIENCE) {
                self.receive(message);
            }
        }
    }

    fn protocol_error(&mut self, process: usize) {
        self.meeting.protocol_error(process);
    }
}
