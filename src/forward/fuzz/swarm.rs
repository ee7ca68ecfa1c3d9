//! A campaign of several processes: each runs its share of the walks of an epoch, and all merge the results of all.
//!
//! Each process has the whole state of the campaign and plans the same walks, so that only the results of walks have to
//! be sent. Process i mod n runs walk number i of an epoch, and the result is merged in its place: the campaign is, state by
//! state, that of one process alone.

use std::time::Duration;

use crate::checkpoint::put_words;
use crate::fuzz::campaign::Campaign;
use crate::fuzz::outcome::WalkOutcome;
use crate::fuzz::peers::{EpochMessage, Peers};
use crate::fuzz::technique::Task;
use crate::fuzz::wire::{OutcomeReader, put_outcome};
use crate::store::hash::hash;
use cubicle_run::Stop;

impl Campaign {
    /// Runs the walks of an epoch together with other processes; `None` when the campaign ends.
    pub fn walk_together(
        &mut self,
        tasks: &[Task],
        peers: &mut dyn Peers,
    ) -> Option<Vec<(WalkOutcome, Duration)>> {
        let (me, processes) = peers.place();
        let mine: Vec<Task> = tasks.iter().skip(me).step_by(processes).copied().collect();
        let walked = self.walk(&mine)?;
        let mut found = Vec::new();
        put_words(&mut found, &self.standing());
        for walked in &walked {
            put_outcome(&mut found, walked);
        }
        peers.say(&EpochMessage::Found(found));
        let clock = &self.limits.clock;
        let messages = peers.hear(&|| clock.expired())?;
        if messages.contains(&Some(EpochMessage::Full)) {
            self.limits.stop = Some(Stop::Memory);
            return None;
        }
        let mut all: Vec<Option<(WalkOutcome, Duration)>> = tasks.iter().map(|_| None).collect();
        let places = |process: usize| (process..tasks.len()).step_by(processes);
        places(me).zip(walked).for_each(|(place, walked)| all[place] = Some(walked));
        for (process, word) in messages.iter().enumerate() {
            let Some(EpochMessage::Found(bytes)) = word else { continue };
            let mut reader = OutcomeReader::new(self, bytes);
            // Results of another process make sense only if its campaign is in the same state.
            if !reader.stands_at(&self.standing()) {
                peers.protocol_error(process);
                return None;
            }
            for place in places(process) {
                all[place] = reader.outcome(&tasks[place]).ok();
            }
            if !reader.is_at_end() || places(process).any(|place| all[place].is_none()) {
                peers.protocol_error(process);
                return None;
            }
        }
        all.into_iter().collect()
    }

    /// A summary of the campaign's state: the same in all processes.
    fn standing(&self) -> [u64; 6] {
        let store = &self.visited.store;
        let last = store.len().checked_sub(1).map_or(0, |last| hash(store.state(last)));
        let (members, seen) = (self.corpus.members().len() as u64, self.coverage.seen() as u64);
        [self.epochs as u64, self.streams, store.len() as u64, last, members, seen]
    }
}
