//! The coordinator between two levels: writes a checkpoint when one is due, or resumes from one.

use crate::checkpoint::manifest::Manifest;
use crate::error::StorageError;
use crate::spread::checkpoint_writer::{CheckpointWriter, Known, Resumed};
use crate::spread::coordinator::{Coordinator, Phase};
use crate::spread::message::{Command, Summary};
use cubicle_run::Stop;

impl Coordinator {
    /// The first command.
    pub fn begin(&mut self) -> Command {
        match self.writer.as_mut().map_or(Ok(None), CheckpointWriter::begin) {
            Err(StorageError(why)) => self.fail(why),
            Ok(None) => {
                self.phase = Phase::Level;
                Command::Begin
            }
            Ok(Some(Resumed { level, states, known, curve, parts })) => {
                let Known { numbers, fired, bads, deadlocks, traffic, .. } = known;
                (self.numbers, self.curve, self.level) = (numbers, curve, level + 1);
                let outcome = &mut self.outcome;
                (outcome.states, outcome.depth, outcome.fired) = (states, level, fired);
                (outcome.bads, outcome.deadlocks, outcome.traffic) = (bads, deadlocks, traffic);
                self.phase = Phase::Resume;
                Command::Resume { level, parts }
            }
        }
    }

    /// All workers have read their parts of the checkpoint.
    pub fn resumed(&mut self, summaries: &[Summary]) -> Command {
        if let Some(halt) = summaries.iter().filter_map(|summary| summary.halt).min() {
            self.outcome.stop = halt.into();
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
        if self.writer.as_ref().is_some_and(CheckpointWriter::is_due) {
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
        let known = self.known();
        let end = (self.outcome.depth, self.outcome.states);
        match self.writer.as_mut().map_or(Ok(()), |writer| writer.commit(end, &known, members)) {
            Ok(()) => self.next_level(),
            Err(StorageError(why)) => self.not_saved(&why),
        }
    }

    /// A checkpoint could not be written. The one before remains valid.
    pub fn not_saved(&mut self, why: &str) -> Command {
        let before = self.writer.as_ref().and_then(|writer| Manifest::advice(writer.folder()));
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

    fn known(&self) -> Known {
        let (points, thinned, seen) = self.curve.parts();
        let outcome = &self.outcome;
        Known {
            numbers: self.numbers,
            fired: outcome.fired.clone(),
            points: (points.iter().map(|point| (point.work, point.states)).collect(), thinned, seen),
            bads: outcome.bads.clone(),
            deadlocks: outcome.deadlocks.clone(),
            traffic: outcome.traffic,
        }
    }
}
