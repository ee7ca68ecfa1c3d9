//! Follows a log whose events stand in their order.

use cubicle_forward::{Follower, Front, Known};
use cubicle_run::Stop;

use super::bind::{Binding, instances, know};
use super::event::{Event, Names};
use super::vocabulary::Vocabulary;

/// The states in which the run may be, under one binding of names.
pub(super) struct Group {
    pub binding: Binding,
    pub front: Front,
    next: Front,
}

/// What an event leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// The log so far is that of a run.
    Explained,
    /// Of runs, but all of them have a bad state.
    Bad,
    /// Of no run. The fronts are those before the event.
    Lost,
}

/// Follows a log.
pub(super) struct Watch<'a> {
    words: &'a Vocabulary<'a>,
    pub follower: Follower,
    procs: usize,
    hidden: (Vec<u64>, usize),
    pub groups: Vec<Group>,
    before: Known,
    after: Known,
    fired: Vec<u32>,
}

impl<'a> Watch<'a> {
    /// Before the first event; at most `hidden` unseen steps come between two events.
    pub fn new(
        words: &'a Vocabulary<'a>,
        mut follower: Follower,
        procs: usize,
        hidden: usize,
    ) -> Result<Self, Stop> {
        let front = follower.begin()?;
        let set = follower.set_of(&words.hidden);
        let next = follower.nothing();
        let groups = vec![Group { binding: Binding::default(), front, next }];
        let (before, after) = Default::default();
        Ok(Self { words, follower, procs, hidden: (set, hidden), groups, before, after, fired: Vec::new() })
    }

    /// Whether the log so far is explained.
    pub fn now(&self) -> Outcome {
        match () {
            () if self.groups.iter().all(|group| group.front.is_empty()) => Outcome::Lost,
            () if self.groups.iter().all(|group| group.front.is_bad()) => Outcome::Bad,
            () => Outcome::Explained,
        }
    }

    /// Takes the next event.
    ///
    /// # Errors
    /// A name without a process.
    pub fn take(&mut self, event: &Event, names: &Names) -> Result<Outcome, String> {
        if self.groups[0].binding.len() < names.list().len() {
            self.bind(names.list())?;
            if self.follower.stop().is_some() {
                return Ok(self.now());
            }
        }
        for at in 0..self.groups.len() {
            let Group { binding, front, next } = &mut self.groups[at];
            self.follower.may_be_alike(binding.alike(self.words, self.procs));
            let (set, rounds) = &self.hidden;
            if *rounds > 0 {
                self.follower.label(0);
                self.follower.unseen(front, set, *rounds);
            }
            self.follower.label(event.line);
            let known = know(&self.follower, &event.before, binding, &mut self.before)
                .and_then(|()| know(&self.follower, &event.after, binding, &mut self.after));
            if known.is_err() {
                self.follower.overflow();
                next.forget();
                continue;
            }
            if let Some(steps) = &event.steps {
                instances(&self.follower, steps, binding, &mut self.fired);
                self.follower.step(front, &self.fired, (&self.before, &self.after), next);
            } else {
                self.follower.observe(front, &self.after, next);
            }
        }
        if self.groups.iter().all(|group| group.next.is_empty()) {
            return Ok(Outcome::Lost);
        }
        self.groups.retain(|group| !group.next.is_empty());
        for group in &mut self.groups {
            std::mem::swap(&mut group.front, &mut group.next);
        }
        self.follower.forget(self.groups.iter().map(|group| &group.front));
        Ok(self.now())
    }

    /// Gives new names all processes that they may have, but of those that are alike in a state the first one. Nothing changes when one
    /// of them has none.
    fn bind(&mut self, names: &[String]) -> Result<(), String> {
        let known = self.groups[0].binding.len();
        let mut all: Vec<(Binding, Front)> =
            self.groups.iter().map(|group| (group.binding.clone(), group.front.clone())).collect();
        for name in &names[known..] {
            let mut next = Vec::new();
            for (binding, front) in all {
                self.follower.may_be_alike(binding.alike(self.words, self.procs));
                for more in binding.extended(name, self.words, self.procs)? {
                    let chosen = match more.last() {
                        Some(process) => self.follower.where_first(&front, process),
                        None => front.clone(),
                    };
                    if !chosen.is_empty() || front.is_empty() {
                        next.push((more, chosen));
                    }
                }
            }
            all = next;
            self.follower.hold(all.iter().map(|(_, front)| front.len()).sum());
            if self.follower.stop().is_some() {
                return Ok(());
            }
        }
        let nothing = self.follower.nothing();
        let group = |(binding, front): (Binding, Front)| Group { binding, front, next: nothing.clone() };
        self.groups = all.into_iter().map(group).collect();
        Ok(())
    }
}
