//! Which process of the instance has which name.

use cubicle_forward::{Follower, Known, Seen};
use cubicle_run::Stop;
use smallvec::SmallVec;

use super::event::{Candidate, NameId, Shown, Sight};
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

/// What a list of sights says of a state.
pub(super) fn know(
    follower: &Follower,
    sights: &[Sight],
    binding: &Binding,
    to: &mut Known,
) -> Result<(), Stop> {
    to.clear();
    for Sight { var, index, value } in sights {
        let cell: SmallVec<[usize; 4]> = index.iter().map(|name| binding.process(*name)).collect();
        follower.know(to, *var, &cell, binding.seen(*value))?;
    }
    Ok(())
}

pub(super) fn instances(follower: &Follower, steps: &[Candidate], binding: &Binding, to: &mut Vec<u32>) {
    to.clear();
    for Candidate { transition, args } in steps {
        let args: SmallVec<[Option<usize>; 8]> =
            args.iter().map(|name| name.map(|name| binding.process(name))).collect();
        follower.instances(*transition, &args, to);
    }
}
