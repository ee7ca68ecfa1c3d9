//! A campaign of several processes: each runs its share of the walks of an epoch, and all merge the results of all.
//!
//! Each process has the whole state of the campaign and plans the same walks, so that only the results of walks have to
//! be sent. Process i mod n runs walk number i of an epoch, and the result is merged in its place: the campaign is, state by
//! state, that of one process alone.

use std::time::Duration;

use crate::checkpoint::{Bytes, Damage, Source, Valid, put, put_words};
use crate::fuzz::campaign::Campaign;
use crate::fuzz::technique::Task;
use crate::fuzz::walker::{Ref, WalkOutcome};
use crate::store::hash::hash;
use crate::store::{Inserted, Store};
use cubicle_run::Stop;

/// A message of a process in an epoch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EpochMessage {
    /// The results of its walks.
    Found(Vec<u8>),
    /// Its memory is full: the campaign ended with the epoch before.
    Full,
}

/// The other processes of a campaign.
pub trait Peers: Send {
    /// The number of this process, and the number of processes.
    fn place(&self) -> (usize, usize);

    /// Sends a message to all other processes.
    fn say(&mut self, word: &EpochMessage);

    /// The messages of all other processes in this epoch, in order, and `None` in the place of this process. `None` when the
    /// campaign has ended for one of them, or `stop` returns true.
    fn hear(&mut self, stop: &dyn Fn() -> bool) -> Option<Vec<Option<EpochMessage>>>;

    /// Reports that a process sent a message that makes no sense.
    fn protocol_error(&mut self, process: usize);
}

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

/// The bytes hold something that no walk of this campaign can find.
const ALIEN: Damage = Damage("it is not the result of a walk");

/// No walk makes more steps.
const MOST_STEPS: usize = 1 << 40;

/// Appends the result of a walk, and how long it took.
pub fn put_outcome(to: &mut Vec<u8>, (outcome, time): &(WalkOutcome, Duration)) {
    let count = |to: &mut Vec<u8>, n: usize| put(to, n as u64);
    count(to, outcome.states.len());
    put_words(to, outcome.states.states(0..outcome.states.len()));
    outcome.links.iter().for_each(|link| put_ref(to, *link));
    outcome.exits.iter().for_each(|exits| count(to, *exits));
    count(to, outcome.taken.len());
    for (at, bits) in &outcome.taken {
        put_ref(to, *at);
        put(to, *bits);
    }
    count(to, outcome.combinations.len());
    for (combination, state) in &outcome.combinations {
        put(to, u64::from(*combination));
        put(to, u64::from(*state));
    }
    outcome.fired.iter().for_each(|fired| put(to, *fired));
    count(to, usize::from(outcome.bad.is_some()));
    if let Some((number, refined, bad)) = &outcome.bad {
        put(to, u64::from(*number));
        put_words(to, refined);
        count(to, *bad);
    }
    count(to, outcome.deadlocks.len());
    for (number, refined) in &outcome.deadlocks {
        put(to, u64::from(*number));
        put_words(to, refined);
    }
    count(to, outcome.around.len());
    for (from, at) in &outcome.around {
        put(to, u64::from(*from));
        put_ref(to, *at);
    }
    count(to, usize::from(outcome.nearest.is_some()));
    if let Some((distance, at)) = &outcome.nearest {
        put(to, u64::from(*distance));
        put_ref(to, *at);
    }
    put(to, outcome.steps);
    to.push(u8::from(outcome.numbers) | u8::from(outcome.wide) << 1);
    put(to, u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
}

fn put_ref(to: &mut Vec<u8>, at: Ref) {
    put(
        to,
        match at {
            Ref::Old(n) => u64::from(n) << 1,
            Ref::New(n) => u64::from(n) << 1 | 1,
        },
    );
}

/// Reads the results of walks of this epoch of a campaign.
pub struct OutcomeReader<'a> {
    campaign: &'a Campaign,
    valid: Valid<'a>,
    from: Bytes<'a>,
}

impl<'a> OutcomeReader<'a> {
    /// Reads these bytes.
    pub fn new(campaign: &'a Campaign, bytes: &'a [u8]) -> Self {
        Self { campaign, valid: Valid::new(&campaign.program), from: Bytes(bytes) }
    }

    /// Whether these words come next.
    pub fn stands_at(&mut self, words: &[u64]) -> bool {
        self.from.words(words.len()).is_ok_and(|read| read == words)
    }

    pub const fn is_at_end(&self) -> bool {
        self.from.0.is_empty()
    }

    /// The result of the next walk, which ran this task.
    pub fn outcome(&mut self, task: &Task) -> Result<(WalkOutcome, Duration), Damage> {
        let (states, links) = self.states()?;
        let new = states.len();
        let exits = (0..new).map(|_| self.from.below(usize::MAX)).collect::<Result<_, _>>()?;
        let taken = self.list(|it| Ok((it.at(new)?, it.from.number()?)))?;
        let combinations = self.campaign.coverage.possible();
        let combinations =
            self.list(|it| Ok((it.from.below(combinations)? as u32, it.from.below(new)? as u32)))?;
        let transitions = self.campaign.fired.len();
        let fired = (0..transitions)
            .map(|_| self.from.below(MOST_STEPS).map(|n| n as u64))
            .collect::<Result<_, _>>()?;
        let bads = self.campaign.system.bad.len();
        let bad = self.list(|it| Ok((it.from.below(new)? as u32, it.state()?, it.from.below(bads)?)))?;
        let deadlocks = self.list(|it| Ok((it.from.below(new)? as u32, it.state()?)))?;
        let around = self.list(|reader| {
            let from = reader.from.below(reader.known())? as u32;
            let is_planned = reader.campaign.around.contains_key(&from);
            Ok((if is_planned { from } else { return Err(ALIEN) }, reader.at(new)?))
        })?;
        let nearest = self.list(|it| Ok((it.from.below(1 << 32)? as u32, it.at(new)?)))?;
        let steps = self.from.below(MOST_STEPS)? as u64;
        let flags = self.from.byte()?;
        let time = Duration::from_nanos(self.from.number()?);
        let fits = bad.len() < 2 && nearest.len() <= usize::from(task.aim.is_some()) && flags < 4;
        let outcome = WalkOutcome {
            states,
            links,
            exits,
            taken,
            combinations,
            fired,
            bad: bad.into_iter().next(),
            deadlocks,
            around,
            nearest: nearest.into_iter().next(),
            steps,
            numbers: flags & 1 != 0,
            wide: flags & 2 != 0,
            aborted: false,
        };
        if fits { Ok((outcome, time)) } else { Err(ALIEN) }
    }

    /// The new states, and the parent of each.
    fn states(&mut self) -> Result<(Store, Vec<Ref>), Damage> {
        let mut states = Store::small(self.valid.words());
        let new = self.from.count()?;
        for _ in 0..new {
            let state = self.state()?;
            let Inserted::New(_) = states.insert(&state, hash(&state)) else { return Err(ALIEN) };
        }
        let links = (0..new).map(|n| self.at(n)).collect::<Result<_, _>>()?;
        Ok((states, links))
    }

    /// A list whose items `item` reads.
    fn list<T>(&mut self, item: impl Fn(&mut Self) -> Result<T, Damage>) -> Result<Vec<T>, Damage> {
        (0..self.from.count()?).map(|_| item(self)).collect()
    }

    /// A valid state of the model.
    fn state(&mut self) -> Result<Vec<u64>, Damage> {
        let state = self.from.words(self.valid.words())?;
        if self.valid.cells(&state) { Ok(state) } else { Err(ALIEN) }
    }

    /// A state of the view, or one of the first `new` of this walk.
    fn at(&mut self, new: usize) -> Result<Ref, Damage> {
        let n = self.from.number()?;
        let bound = if n & 1 == 0 { self.known() } else { new };
        let n32 = u32::try_from(n >> 1).ok().filter(|n| (*n as usize) < bound).ok_or(ALIEN)?;
        Ok(if n & 1 == 0 { Ref::Old(n32) } else { Ref::New(n32) })
    }

    fn known(&self) -> usize {
        self.campaign.visited.store.len()
    }
}
