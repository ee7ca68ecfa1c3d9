//! Which process of the instance has which name; follows a log whose events stand in their order.

use cubicle_forward::{Follower, Front, Known, Seen};
use cubicle_run::Stop;
use smallvec::SmallVec;

use super::event::{Candidate, Event, NameId, Names, Shown, Sight};
use super::vocabulary::Vocabulary;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Binding(Vec<u8>);

impl Binding {
    pub fn process(&self, name: NameId) -> usize {
        self.0[usize::from(name)].into()
    }

    /// A value, with a process in place of its name.
    pub fn seen(&self, value: Shown) -> Seen {
        match value {
            Shown::Value(seen) => seen,
            Shown::Named(name) => Seen::Process(self.process(name)),
        }
    }

    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// The names of all processes, `#3` for one without.
    pub fn names(&self, names: &[String], procs: usize) -> Vec<String> {
        let mut all: Vec<String> = (1..=procs).map(|p| format!("#{p}")).collect();
        for (name, process) in names.iter().zip(&self.0) {
            all[usize::from(*process)].clone_from(name);
        }
        all
    }

    /// The bindings that also give the next name, which is `name`, a process.
    ///
    /// # Errors
    /// No process is left.
    pub fn extended(&self, name: &str, words: &Vocabulary<'_>, procs: usize) -> Result<Vec<Self>, String> {
        let with = |process: usize| Self(self.0.iter().copied().chain([process as u8]).collect());
        if let Some((_, process)) = words.processes.iter().find(|(other, _)| other == name) {
            if *process >= procs {
                let why = format!("the map says that `{name}` is process {}, of {procs}", process + 1);
                return Err(why);
            }
            return Ok(vec![with(*process)]);
        }
        let found: Vec<Self> = self.free(words, procs).map(with).collect();
        if found.is_empty() {
            return Err(format!(
                "`{name}` is not bound: the instance has {procs} processes, which all have other names"
            ));
        }
        Ok(found)
    }

    /// The processes that a name may still get which the map gives none.
    fn free(&self, words: &Vocabulary<'_>, procs: usize) -> impl Iterator<Item = usize> {
        let reserved = |p: &usize| words.processes.iter().any(|(_, process)| process == p);
        (0..procs).filter(move |p| !self.0.contains(&(*p as u8)) && !reserved(p))
    }

    /// The processes of these that the model does not distinguish.
    pub fn alike(&self, words: &Vocabulary<'_>, procs: usize) -> impl Iterator<Item = usize> {
        let system = words.system;
        let distinguished = if system.orders_processes { procs } else { system.proc_constants.into() };
        self.free(words, procs).filter(move |p| *p >= distinguished)
    }

    pub fn last(&self) -> Option<usize> {
        self.0.last().map(|process| usize::from(*process))
    }
}

/// How to validate.
#[derive(Clone, Copy, Debug)]
pub struct ValidateOptions {
    /// Processes of the instance; `None`: as many as the log names.
    pub procs: Option<usize>,
    /// The most steps of hidden transitions between two events.
    pub hidden: usize,
    /// The most states in which a run may be at the same time.
    pub max_states: usize,
    /// Lines that cannot be understood are skipped and counted.
    pub lenient: bool,
    /// A run that explains the log is wanted.
    pub keep_run: bool,
    /// It is wanted what the log covers.
    pub coverage: bool,
}

/// What a list of sights says of a state.
fn know(follower: &Follower, sights: &[Sight], binding: &Binding, to: &mut Known) -> Result<(), Stop> {
    to.clear();
    for Sight { var, index, value } in sights {
        let cell: SmallVec<[usize; 4]> = index.iter().map(|name| binding.process(*name)).collect();
        follower.know(to, *var, &cell, binding.seen(*value))?;
    }
    Ok(())
}

/// Takes events.
#[derive(Default)]
pub(super) struct Taker {
    before: Known,
    after: Known,
    instances: Vec<u32>,
}

impl Taker {
    /// The states `to` after an event in those of `from`.
    ///
    /// # Errors
    /// A number is out of range.
    pub fn take(
        &mut self,
        follower: &mut Follower,
        event: &Event,
        binding: &Binding,
        from: &Front,
        to: &mut Front,
    ) -> Result<(), Stop> {
        follower.label(event.line);
        know(follower, &event.before, binding, &mut self.before)?;
        know(follower, &event.after, binding, &mut self.after)?;
        let Some(steps) = &event.steps else {
            follower.observe(from, &self.after, to);
            return Ok(());
        };
        self.instances.clear();
        for Candidate { transition, args } in steps {
            let args: SmallVec<[Option<usize>; 8]> =
                args.iter().map(|name| name.map(|name| binding.process(name))).collect();
            follower.instances(*transition, &args, &mut self.instances);
        }
        follower.step(from, &self.instances, &self.before, &self.after, to);
        Ok(())
    }
}

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
    pub groups: Vec<Group>,
    taker: Taker,
}

impl<'a> Watch<'a> {
    /// Before the first event.
    pub fn new(words: &'a Vocabulary<'a>, mut follower: Follower, procs: usize) -> Result<Self, Stop> {
        let front = follower.begin()?;
        let next = follower.nothing();
        let groups = vec![Group { binding: Binding::default(), front, next }];
        Ok(Self { words, follower, procs, groups, taker: Taker::default() })
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
        if self.groups[0].binding.len() < names.len() {
            self.bind(names)?;
            if self.follower.stop().is_some() {
                return Ok(self.now());
            }
        }
        for at in 0..self.groups.len() {
            let Group { binding, front, next } = &mut self.groups[at];
            self.follower.may_be_alike(binding.alike(self.words, self.procs));
            self.follower.unseen(front);
            if self.taker.take(&mut self.follower, event, binding, front, next).is_err() {
                self.follower.overflow();
                next.forget();
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
    fn bind(&mut self, names: &Names) -> Result<(), String> {
        let known = self.groups[0].binding.len();
        let mut all: Vec<(Binding, Front)> =
            self.groups.iter().map(|group| (group.binding.clone(), group.front.clone())).collect();
        for name in names.iter().skip(known) {
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
