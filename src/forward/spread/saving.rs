//! A worker writes its part of a checkpoint, and reads it when a run is resumed.

use std::sync::Arc;

use crate::checkpoint::bytes::Damage;
use crate::checkpoint::manifest::SpreadParts;
use crate::checkpoint::share::Levels;
use crate::checkpoint::states::Valid;
use crate::error::{StorageError, Unbuildable};
use crate::limits::MAX_STATES;
use crate::program::sleep::SleepId;
use crate::spread::message::Halt;
use crate::spread::outbox::owner;
use crate::spread::worker::Worker;
use crate::store::hash::hash;
use crate::store::table::Inserted;
use crate::tuning::TOUCH_GROUP;
use cubicle_run::Stop;

/// The sleep ids do not match the states of the last level.
const WAITING: Damage = Damage("it does not say how every waiting state was found");

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
    pub fn resume(&mut self, level: usize, spread: &SpreadParts) {
        match self.read(level, spread) {
            Ok(()) => {}
            Err(Unbuildable::Storage(StorageError(why))) => self.summary.fault = Some(why),
            Err(why) => self.summary.halt = Some(Halt::from(Stop::from(why))),
        }
    }

    /// Each state stays in the process that owned it; another worker of that process may own it now.
    fn read(&mut self, level: usize, spread: &SpreadParts) -> Result<(), Unbuildable> {
        let program = Arc::clone(&self.program);
        let valid = Valid::new(&program);
        let Some(keeping) = &mut self.keeping else { return Ok(()) };
        let (process, same) = (self.config.me / self.config.workers, spread.workers == self.config.workers);
        let theirs = &spread.members[process * spread.workers..][..spread.workers];
        keeping.resumes(level, theirs, same)?;
        let folder = keeping.folder.clone();
        let mine = if same { &theirs[keeping.worker..=keeping.worker] } else { theirs };
        let mut files = Vec::new();
        for it in mine {
            let waiting = it.waiting.open(&folder, u64::MAX)?.rest()?;
            files.push((Levels::new(&folder, it.states.clone(), &valid), waiting));
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
                return Err(levels.damaged(&Damage("it has more levels than the manifest says")).into());
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
            return Err(levels.damaged(&Damage("it has fewer levels than the manifest says")).into());
        }
        let size = self.program.packing.words;
        let (mut words, mut place, mut hashes) = (Vec::new(), 0, Vec::new());
        loop {
            levels.states(TOUCH_GROUP, &mut words)?;
            if words.is_empty() {
                break;
            }
            hashes.clear();
            hashes.extend(words.chunks_exact(size).map(hash));
            self.store.touch(&hashes);
            for (state, h) in words.chunks_exact(size).zip(hashes.iter().copied()) {
                let is = owner(h, self.config.total);
                if is / self.config.workers != self.config.me / self.config.workers {
                    return Err(levels.damaged(&Damage("it has a state of another process")).into());
                }
                let sleep = match sleeps {
                    None => 0,
                    Some(sleeps) => *sleeps.get(place).ok_or_else(|| levels.damaged(&WAITING))?,
                };
                place += 1;
                if is == self.config.me {
                    self.add(levels, (state, h), sleeps.map(|_| sleep))?;
                } else if all {
                    return Err(levels.damaged(&Damage("it has a state of another worker")).into());
                }
            }
            if let Some(stop) = self.ticker.count(TOUCH_GROUP as u32, &self.clock) {
                return Err(Unbuildable::Interrupted(stop));
            }
        }
        match sleeps {
            Some(sleeps) if sleeps.len() != place => Err(levels.damaged(&WAITING).into()),
            _ => Ok(()),
        }
    }

    /// Stores a state of its own, which no other worker has.
    fn add(
        &mut self,
        levels: &Levels<'_>,
        (state, h): (&[u64], u64),
        sleep: Option<SleepId>,
    ) -> Result<(), StorageError> {
        if self.store.len() >= MAX_STATES || self.store.bytes() > self.config.memory {
            let why = "it has more states than the memory limit allows for";
            return Err(StorageError(format!("cannot resume from the checkpoint: {why}")));
        }
        match self.store.insert(state, h) {
            Inserted::New(_) => {
                self.next_sleeps.extend(sleep);
                Ok(())
            }
            Inserted::Old(_) => Err(levels.damaged(&Damage("it has a state twice"))),
        }
    }
}
