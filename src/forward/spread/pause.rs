//! The coordinator between two levels: writes a checkpoint when one is due, or resumes from one.

use crate::checkpoint::{Course, Keeper, Manifest, Valid};
use crate::error::StorageError;
use crate::spread::coordinator::{Coordinator, Phase, halted};
use crate::spread::findings::SpreadFindings;
use crate::spread::message::{Command, Summary};
use cubicle_run::Stop;

impl Coordinator {
    /// The first command.
    pub fn begin(&mut self) -> Command {
        let begun = match self.keeper.as_mut().map_or(Ok(None), Keeper::begin) {
            Ok(Some(manifest)) => self.resume(manifest),
            Ok(None) => {
                self.phase = Phase::Level;
                Ok(Command::Begin)
            }
            Err(why) => Err(why),
        };
        begun.unwrap_or_else(|StorageError(why)| self.fail(why))
    }

    /// Goes on with a checkpoint, once all workers have read their parts of it.
    fn resume(&mut self, manifest: Manifest) -> Result<Command, StorageError> {
        let Self { program, keeper, .. } = &*self;
        let Some(keeper) = keeper else { return Ok(Command::End) };
        let (level, states) = (manifest.level, manifest.states);
        let check = |found: &SpreadFindings| found.check(&Valid::new(program), level, states);
        let course = Course::read(keeper.folder(), &manifest, &program.system, check)?;
        (self.numbers, self.curve, self.level) = (course.numbers, course.curve, level + 1);
        let outcome = &mut self.outcome;
        (outcome.states, outcome.depth, outcome.fired) = (states, level, course.fired);
        outcome.found = course.findings;
        self.phase = Phase::Resume;
        Ok(Command::Resume { level, members: manifest.members })
    }

    /// All workers have read their parts of the checkpoint.
    pub fn resumed(&mut self, summaries: &[Summary]) -> Command {
        if let Some(stop) = halted(summaries) {
            self.outcome.stop = stop;
            return self.give_up();
        }
        self.outcome.shares = summaries.iter().map(|summary| summary.states).collect();
        let (is, wanted) = (self.outcome.shares.iter().sum::<usize>(), self.outcome.states);
        if is != wanted || is > self.max_states {
            return self.fail(format!("the files of the checkpoint have {is} states, not {wanted}"));
        }
        self.next_level()
    }

    /// A level is complete: begins the next one, or first a checkpoint.
    pub fn level_is_done(&mut self) -> Command {
        if self.keeper.as_ref().is_some_and(Keeper::is_due) {
            self.phase = Phase::Save;
            return Command::Save;
        }
        self.next_level()
    }

    fn next_level(&mut self) -> Command {
        self.phase = Phase::Level;
        Command::Expand { next: true }
    }

    /// All workers have written their parts.
    pub fn saved(&mut self, summaries: Vec<Summary>) -> Command {
        let members = summaries.into_iter().filter_map(|summary| summary.kept).collect();
        let Self { numbers, curve, keeper, outcome, .. } = self;
        let (fired, findings) = (outcome.fired.clone(), &outcome.found);
        let course = Course { numbers: *numbers, fired, curve: curve.clone(), findings };
        let commit = |keeper: &mut Keeper| keeper.commit(outcome.depth, outcome.states, &course, members);
        match keeper.as_mut().map_or(Ok(()), commit) {
            Ok(()) => self.next_level(),
            Err(StorageError(why)) => self.not_saved(&why),
        }
    }

    /// A checkpoint could not be written. The one before remains valid.
    pub fn not_saved(&mut self, why: &str) -> Command {
        let before = self.keeper.as_ref().and_then(|keeper| Manifest::advice(keeper.folder()));
        let before = before.unwrap_or_else(|| "no earlier checkpoint exists".to_owned());
        self.fail(format!("{why}; {before}"))
    }

    /// A file could not be written or read: the exploration ends.
    pub fn fail(&mut self, why: String) -> Command {
        self.outcome.stop = Stop::Storage;
        self.outcome.fault = Some(why.clone());
        self.give_up();
        Command::Fail(why)
    }
}
