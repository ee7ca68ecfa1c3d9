//! Looks for a run that explains logs of several processes, whose events have no common order.
//!
//! Depth first, over how far each log is explained and the state reached; the same of both is not looked at twice. Events are tried
//! in the order of their lines. First among runs without a bad state, then among all.

use std::collections::{HashMap, HashSet};

use cubicle_forward::{Follower, Front};
use cubicle_lang::model::Rational;
use cubicle_run::Stop;

use super::event::{Event, Names};
use super::vocabulary::Vocabulary;
use super::watch::{Binding, Taker, ValidateOptions};

/// The events of each process, in its order.
pub(super) struct Streams {
    events: Vec<Vec<Event>>,
    /// For each event, the earliest end of it and those that follow.
    ends: Vec<Vec<Option<Rational>>>,
}

impl Streams {
    /// Sorts the events by whose they are.
    pub fn new(all: Vec<Event>) -> Self {
        let mut owners: HashMap<String, usize> = HashMap::new();
        let mut events: Vec<Vec<Event>> = Vec::new();
        for mut event in all {
            let owner = event.owner.take().unwrap_or_default();
            let at = *owners.entry(owner).or_insert(events.len());
            if at == events.len() {
                events.push(Vec::new());
            }
            events[at].push(event);
        }
        let ends = events.iter().map(|events| {
            let mut earliest: Option<Rational> = None;
            let mut ends: Vec<Option<Rational>> = (events.iter().rev())
                .map(|event| {
                    earliest = match (earliest, event.returns) {
                        (Some(a), Some(b)) => Some(a.min(b)),
                        (a, b) => a.or(b),
                    };
                    earliest
                })
                .collect();
            ends.reverse();
            ends
        });
        Self { ends: ends.collect(), events }
    }

    pub fn len(&self) -> usize {
        self.events.iter().map(Vec::len).sum()
    }

    /// The processes whose next event may be next, after this many events of each; the one with the latest line first.
    fn next(&self, done: &[u32]) -> Vec<usize> {
        let event = |of: usize| self.events[of].get(done[of] as usize);
        let may_be_next = |of: &usize| {
            let Some(begins) = event(*of).map(|event| event.invoke) else { return false };
            let Some(begins) = begins else { return true };
            (0..self.events.len()).filter(|other| other != of).all(|other| {
                let end = self.ends[other].get(done[other] as usize).copied().flatten();
                end.is_none_or(|end| end >= begins)
            })
        };
        let mut possible: Vec<usize> = (0..self.events.len()).filter(may_be_next).collect();
        possible.sort_by_key(|of| std::cmp::Reverse(event(*of).map(|event| event.line)));
        possible
    }

    /// The next events after this many of each process.
    pub fn after(&self, done: &[u32]) -> Vec<&Event> {
        let mut events: Vec<&Event> =
            self.next(done).into_iter().filter_map(|of| self.events[of].get(done[of] as usize)).collect();
        events.reverse();
        events
    }
}

/// A part of the log that is explained.
pub(super) struct Point {
    /// The events of each process.
    pub done: Vec<u32>,
    /// The state reached.
    pub front: Front,
    pub binding: Binding,
}

impl Point {
    pub fn events(&self) -> usize {
        self.done.iter().map(|n| *n as usize).sum()
    }
}

/// What the search finds.
pub(super) enum Merged {
    /// A run of the whole log.
    Explained(Point),
    /// There are such runs, but all have a bad state.
    Bad(Point),
    /// There is none; the longest part that is explained.
    Lost(Point),
}

/// Looks for a run of `procs` processes that explains all events.
///
/// # Errors
/// A name without a process.
pub(super) fn merge(
    words: &Vocabulary<'_>,
    follower: &mut Follower,
    streams: &Streams,
    names: &Names,
    procs: usize,
    options: &ValidateOptions,
) -> Result<Result<Merged, Stop>, String> {
    let mut bindings = vec![Binding::default()];
    for name in names {
        let mut next = Vec::new();
        for binding in &bindings {
            // All initial states are looked at: those with another one of these processes are the same, renamed.
            let alike: Vec<usize> = binding.alike(words, procs).collect();
            let stands =
                |more: &Binding| more.last().is_none_or(|p| alike.first() == Some(&p) || !alike.contains(&p));
            next.extend(binding.extended(name, words, procs)?.into_iter().filter(stands));
            if next.len() > options.max_states {
                return Ok(Err(Stop::States));
            }
        }
        bindings = next;
    }
    let mut search = Search { words, follower, streams, procs, options, longest: None };
    Ok(search.all(&bindings))
}

struct Search<'s, 'a> {
    words: &'s Vocabulary<'a>,
    follower: &'s mut Follower,
    streams: &'s Streams,
    procs: usize,
    options: &'s ValidateOptions,
    longest: Option<Point>,
}

impl Search<'_, '_> {
    fn all(&mut self, bindings: &[Binding]) -> Result<Merged, Stop> {
        for bad in [false, true] {
            for binding in bindings {
                if let Some(point) = self.one(binding, bad)? {
                    return Ok(if bad { Merged::Bad(point) } else { Merged::Explained(point) });
                }
            }
        }
        // The initial states are a part of every log, unless there are none.
        let nothing = || Point {
            done: vec![0; self.streams.events.len()],
            front: self.follower.nothing(),
            binding: Binding::default(),
        };
        Ok(Merged::Lost(self.longest.take().unwrap_or_else(nothing)))
    }

    /// With one binding of the names; with `bad`, runs may have bad states.
    fn one(&mut self, binding: &Binding, bad: bool) -> Result<Option<Point>, Stop> {
        self.follower.may_be_alike(binding.alike(self.words, self.procs));
        let total = self.streams.len();
        let mut seen: HashSet<Box<[u64]>> = HashSet::new();
        let start = self.follower.begin()?;
        let none = vec![0_u32; self.streams.events.len()];
        let mut stack: Vec<(Vec<u32>, Front)> = Vec::new();
        let mut found: Vec<(Vec<u32>, Front)> =
            (0..start.len()).map(|at| (none.clone(), start.only(at))).collect();
        let mut taker = Taker::default();
        let mut next = self.follower.nothing();
        loop {
            for (done, front) in found.drain(..) {
                let key = done.iter().map(|n| u64::from(*n)).chain(front.state(0).iter().copied());
                if (bad || !front.has_bad_past(0)) && seen.insert(key.collect()) {
                    stack.push((done, front));
                }
            }
            if seen.len() > self.options.max_states {
                return Err(Stop::States);
            }
            let Some((done, mut front)) = stack.pop() else { return Ok(None) };
            let events = done.iter().map(|n| *n as usize).sum::<usize>();
            if self.longest.as_ref().is_none_or(|longest| longest.events() < events) || events == total {
                let point = Point { done: done.clone(), front: front.clone(), binding: binding.clone() };
                if events == total {
                    return Ok(Some(point));
                }
                self.longest = Some(point);
            }
            self.follower.unseen(&mut front);
            for of in self.streams.next(&done) {
                let event = &self.streams.events[of][done[of] as usize];
                taker.take(self.follower, event, binding, &front, &mut next)?;
                let mut done = done.clone();
                done[of] += 1;
                found.extend((0..next.len()).map(|at| (done.clone(), next.only(at))));
            }
            self.follower.poll();
            if let Some(stop) = self.follower.stop() {
                return Err(stop);
            }
        }
    }
}
