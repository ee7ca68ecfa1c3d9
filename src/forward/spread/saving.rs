//! A worker writes its part of a checkpoint, and reads it when a run is resumed.

use std::sync::Arc;

use crate::checkpoint::{Levels, OwnerParts, Valid};
use crate::error::{StorageError, Unbuildable};
use crate::limits::MAX_STATES;
use crate::program::SleepId;
use crate::spread::message::owner;
use crate::spread::worker::{Worker, WorkerConfig};
use crate::store::{Inserted, hash};

/// The sleep ids do not match the states of the last level.
const WAITING: &str = "it does not say how every waiting state was found";

impl Worker {
    /// Writes the levels that no file has yet.
    pub fn save(&mut self) {
        let Some(keeping) = &mut self.keeping else { return };
        match keeping.save(&self.store, &self.levels, &self.next_sleeps) {
            Ok(parts) => self.summary.kept = Some(parts),
            Err(StorageError(why)) => self.summary.fault = Some(why),
        }
    }

    /// Reads its part of a checkpoint whose last level is this one.
    pub fn resume(&mut self, level: usize, members: &[OwnerParts]) {
        match self.read(level, members) {
            Ok(()) => {}
            Err(Unbuildable::Storage(StorageError(why))) => self.summary.fault = Some(why),
            Err(why) => self.summary.halt = Some(why.into()),
        }
    }

    /// Each state stays in the process that owned it; another worker of that process may own it now.
    fn read(&mut self, level: usize, members: &[OwnerParts]) -> Result<(), Unbuildable> {
        let program = Arc::clone(&self.program);
        let valid = Valid::new(&program);
        let Some(keeping) = &mut self.keeping else { return Ok(()) };
        let WorkerConfig { me, total, workers, .. } = self.config;
        let of_each = members.len() / (total / workers);
        let (process, same) = (me / workers, of_each == workers);
        let theirs = &members[process * of_each..][..of_each];
        keeping.resumes(level, theirs, same)?;
        let folder = keeping.folder.clone();
        let mine = if same { &theirs[keeping.worker..=keeping.worker] } else { theirs };
        let mut files = Vec::new();
        for it in mine {
            let waiting = it.waiting.open(&folder, u64::MAX)?.rest()?;
            files.push((Levels::new(&folder, it.states.clone(), &valid, u64::MAX), waiting));
        }
        self.levels.clear();
        for number in 0..=level {
            self.levels.push(self.store.len());
            for (levels, waiting) in &mut files {
                let sleeps = if number == level { Some(waiting.as_slice()) } else { None };
                self.read_level(levels, sleeps, same)?;
            }
        }
        for (mut levels, _) in files {
            if levels.next_level()? {
                return Err(levels.damaged("it has more levels than the manifest says").into());
            }
        }
        Ok(())
    }

    /// Reads the next level of a file, and with `sleeps` how its states were found; with `all` it owns each of them.
    fn read_level(
        &mut self,
        levels: &mut Levels<'_>,
        sleeps: Option<&[SleepId]>,
        all: bool,
    ) -> Result<(), Unbuildable> {
        if !levels.next_level()? {
            return Err(levels.damaged("it has fewer levels than the manifest says").into());
        }
        let WorkerConfig { me, total, workers, .. } = self.config;
        let mut place = 0;
        while let Some((state, _)) = levels.next_state()? {
            let h = hash(state);
            let is = owner(h, total);
            let sleep = sleeps.and_then(|sleeps| sleeps.get(place).copied());
            place += 1;
            let wrong = if is / workers != me / workers {
                Some("it has a state of another process")
            } else if sleeps.is_some() && sleep.is_none() {
                Some(WAITING)
            } else if is != me {
                all.then_some("it has a state of another worker")
            } else {
                (!self.add(state, h, sleep)?).then_some("it has a state twice")
            };
            if let Some(why) = wrong {
                return Err(levels.damaged(why).into());
            }
            if let Some(stop) = self.ticker.tick(&self.clock) {
                return Err(Unbuildable::Interrupted(stop));
            }
        }
        match sleeps {
            Some(sleeps) if sleeps.len() != place => Err(levels.damaged(WAITING).into()),
            _ => Ok(()),
        }
    }

    /// Stores a state of its own, which no other worker has; false if it is known.
    fn add(&mut self, state: &[u64], h: u64, sleep: Option<SleepId>) -> Result<bool, StorageError> {
        if self.store.len() >= MAX_STATES || self.store.bytes() > self.config.memory {
            let why = "it has more states than the memory limit allows for";
            return Err(StorageError(format!("cannot resume from the checkpoint: {why}")));
        }
        let new = matches!(self.store.insert(state, h), Inserted::New(_));
        self.next_sleeps.extend(sleep.filter(|_| new));
        Ok(new)
    }
}
