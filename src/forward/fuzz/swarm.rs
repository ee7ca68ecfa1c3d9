//! A campaign of several processes: each runs its share of the walks of an epoch, and all merge the results of all.
//!
//! Each process has the whole state of the campaign and plans the same walks, so that only the results of walks have to
//! be sent. Process i mod n runs walk number i of an epoch, and the result is merged in its place: the campaign is, state by
//! state, that of one process alone.

use std::time::Duration;

use bincode::{DefaultOptions, Options};

use crate::checkpoint::Valid;
use crate::fuzz::campaign::Campaign;
use crate::fuzz::technique::Task;
use crate::fuzz::walker::{Ref, WalkOutcome};
use crate::store::{Inserted, Store, hash};
use cubicle_run::Stop;

/// The message of a process whose memory is full: the campaign ended with the epoch before.
pub const FULL: &[u8] = &[];

/// The other processes of a campaign.
pub trait Peers: Send {
    /// The number of this process, and the number of processes.
    fn place(&self) -> (usize, usize);

    /// Sends the message of this process in an epoch to all other processes.
    fn say(&mut self, message: &[u8]);

    /// The messages of all other processes in this epoch, in order, and `None` in the place of this process. `None` when the
    /// campaign has ended for one of them, or `stop` returns true.
    fn hear(&mut self, stop: &dyn Fn() -> bool) -> Option<Vec<Option<Vec<u8>>>>;

    /// Reports that a process sent a message that makes no sense.
    fn protocol_error(&mut self, process: usize);
}

/// The result of a walk, and how long it took.
pub type Walked = (WalkOutcome, Duration);

/// No walk makes more steps.
const MOST_STEPS: u64 = 1 << 40;

impl Campaign {
    /// Runs the walks of an epoch together with other processes; `None` when the campaign ends.
    pub fn walk_together(&mut self, tasks: &[Task], peers: &mut dyn Peers) -> Option<Vec<Walked>> {
        let (me, processes) = peers.place();
        let of_process = |process: usize| tasks.iter().skip(process).step_by(processes).copied();
        let walked = self.walk(&of_process(me).collect::<Vec<_>>())?;
        peers.say(&self.message(&walked));
        let clock = &self.limits.clock;
        let messages = peers.hear(&|| clock.expired())?;
        if messages.iter().flatten().any(|message| message == FULL) {
            self.limits.stop = Some(Stop::Memory);
            return None;
        }
        let mut all: Vec<Option<Walked>> = tasks.iter().map(|_| None).collect();
        let mut mine = Some(walked);
        for (process, message) in messages.iter().enumerate() {
            let walked = match message {
                Some(bytes) => self.read(bytes, of_process(process)),
                None => mine.take(),
            };
            let Some(walked) = walked else {
                peers.protocol_error(process);
                return None;
            };
            for (place, walked) in all.iter_mut().skip(process).step_by(processes).zip(walked) {
                *place = Some(walked);
            }
        }
        all.into_iter().collect()
    }

    /// A summary of the campaign's state: the same in all processes.
    fn standing(&self) -> [u64; 6] {
        let store = &self.visited.store;
        let last = store.len().checked_sub(1).map_or(0, |last| hash(store.state(last)));
        let (members, seen) = (self.corpus.members().len() as u64, self.coverage.seen as u64);
        [self.epochs as u64, self.streams, store.len() as u64, last, members, seen]
    }

    /// The results of walks as a message.
    pub fn message(&self, walked: &[Walked]) -> Vec<u8> {
        let states = |states: &Store| states.states(0..states.len()).to_vec();
        let walked: Vec<_> =
            walked.iter().map(|(found, time)| (states(&found.states), found, time)).collect();
        DefaultOptions::new().serialize(&(self.standing(), walked)).expect("it is made of numbers")
    }

    /// The results of these walks in a message; `None` when it is not one of a campaign in this state.
    pub fn read(&self, message: &[u8], tasks: impl ExactSizeIterator<Item = Task>) -> Option<Vec<Walked>> {
        type Message = ([u64; 6], Vec<(Vec<u64>, WalkOutcome, Duration)>);
        let (standing, walked): Message = DefaultOptions::new().deserialize(message).ok()?;
        if standing != self.standing() || walked.len() != tasks.len() {
            return None;
        }
        let valid = Valid::new(&self.program);
        let read = |((states, mut found, time), task): ((Vec<u64>, WalkOutcome, Duration), Task)| {
            found.states = Store::small(valid.words());
            let mut is_new = |state: &[u64]| {
                valid.cells(state) && matches!(found.states.insert(state, hash(state)), Inserted::New(_))
            };
            let are_new = states.chunks(valid.words()).all(&mut is_new);
            (are_new && self.may_be(&found, &task, &valid)).then_some((found, time))
        };
        walked.into_iter().zip(tasks).map(read).collect()
    }

    /// Whether this may be the result of a walk: all that it is about is there.
    fn may_be(&self, found: &WalkOutcome, task: &Task, valid: &Valid<'_>) -> bool {
        let (known, new) = (self.visited.store.len(), found.states.len());
        let is_there = |at: &Ref, new: usize| match *at {
            Ref::Old(n) => (n as usize) < known,
            Ref::New(n) => (n as usize) < new,
        };
        let is_state = |n: &u32, refined: &[u64]| (*n as usize) < new && valid.cells(refined);
        let (combinations, bads) = (self.coverage.possible(), self.program.system.bad.len());
        [found.links.len(), found.exits.len(), found.fired.len()] == [new, new, self.fired.len()]
            && found.links.iter().enumerate().all(|(n, at)| is_there(at, n))
            && found.taken.iter().all(|(at, _)| is_there(at, new))
            && found.combinations.iter().all(|(it, n)| (*it as usize) < combinations && (*n as usize) < new)
            && found.fired.iter().chain([&found.steps]).all(|n| *n < MOST_STEPS)
            && found.bads.iter().all(|(n, refined, bad)| is_state(n, refined) && *bad < bads)
            && found.deadlocks.iter().all(|(n, refined)| is_state(n, refined))
            && found.around.iter().all(|(from, at)| self.around.contains_key(from) && is_there(at, new))
            && found.nearest.is_none_or(|(_, at)| task.aim.is_some() && is_there(&at, new))
    }
}
