//! Validates a log: reads it, follows it, and says how it ends.

use std::io::{self, BufRead};

use cubicle_forward::{FollowedRun, Follower, Front, Kept, Unexplained};
use cubicle_lang::diagnostic::Source;
use cubicle_lang::model::semantics::admits;
use cubicle_lang::model::{System, TransitionId};
use cubicle_run::{Interrupt, Reason, Stop, WitnessCoverage, words};

use super::event::{Event, Names};
use super::merge::{Merged, Point, Streams, merge};
use super::nearest::{Lost, Place};
use super::reader::{NoEvent, Reader, itf};
use super::vocabulary::{Vocabulary, is_in_text};
use super::watch::{Binding, Group, Outcome, ValidateOptions, Watch};
use crate::coverage::{add_values, coverage};

/// At least this many records of the past are kept, so that a violation in a stream can be shown.
const LAST_RECORDS: usize = 10_000;

/// At least this many lines are kept as text, with at most this many characters of each.
const LAST_TEXTS: usize = 400;
const LONGEST_TEXT: usize = 400;

/// How often the number of events is told.
const TELL_EVERY: u64 = 4096;

/// A log.
pub trait Log {
    /// Begins to read it.
    ///
    /// # Errors
    /// It cannot be read.
    fn open(&self) -> io::Result<Box<dyn BufRead + '_>>;
    /// Whether it can be read a second time.
    fn is_repeatable(&self) -> bool;
    /// Whether it is a trace in ITF.
    fn is_itf(&self) -> bool;
}

/// How a log ends.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum LogAnswer {
    /// It is that of a run.
    #[default]
    Explained,
    /// All runs that it may be of have a bad state.
    Violated,
    /// It is of no run.
    NotExplained,
    /// That is not known.
    Inconclusive(String),
    /// A signal or a limit of the program ended it.
    Interrupted(Reason),
    /// The log, or the number of processes, makes no sense.
    Refused(String),
    /// A fault of this program: the reference semantics rejects a run.
    Fault(String),
}

/// What is known of a log.
#[derive(Clone, Debug, Default)]
pub struct Validated {
    /// The answer.
    pub answer: LogAnswer,
    /// The number of events that are explained.
    pub events: u64,
    /// Processes of the instance.
    pub procs: usize,
    /// Whether that is the number of processes that the log names.
    pub counted: bool,
    /// The names of processes, in order of appearance.
    pub names: Vec<String>,
    /// Where a run is wanted: lines of the log, with their numbers; of a long log the last ones.
    pub texts: Vec<(u64, String)>,
    /// The line of the event at which the answer was found, and its text.
    pub at: Option<(u64, String)>,
    /// Why the event there is not explained.
    pub lost: Option<Lost>,
    /// A run that explains the events, and the names of its processes; with a bad state, when the answer is that.
    pub run: Option<(FollowedRun, Vec<String>)>,
    /// Lines that could not be understood, and what is wrong with the first.
    pub skipped: (u64, Option<String>),
    /// The transitions and the values that the log shows.
    pub coverage: Option<WitnessCoverage>,
}

/// A model, and what logs say about it.
#[derive(Clone, Copy)]
pub struct Judge<'a> {
    /// The model.
    pub system: &'a System,
    /// Its text.
    pub source: &'a Source<'a>,
    /// The words of logs.
    pub words: &'a Vocabulary<'a>,
    /// How to validate.
    pub options: ValidateOptions,
    /// What ends it.
    pub interrupt: &'a Interrupt,
    /// Is told the number of events so far.
    pub tell: &'a dyn Fn(u64),
}

impl From<NoEvent> for LogAnswer {
    fn from(why: NoEvent) -> Self {
        match why {
            NoEvent::Wrong(Some(line), why) => Self::Refused(format!("line {line}: {why}")),
            NoEvent::Wrong(None, why) => Self::Refused(why),
            NoEvent::End | NoEvent::Interrupted => Self::Interrupted(Reason::Time),
        }
    }
}

impl Judge<'_> {
    /// Whether a run of the model explains the log.
    pub fn validate(&self, log: &dyn Log) -> Validated {
        let mut found = Validated {
            procs: self.options.procs.unwrap_or(0),
            counted: self.options.procs.is_none(),
            ..Validated::default()
        };
        let numbered = log.is_itf().then(|| self.words.numbered());
        let words = numbered.as_ref().unwrap_or(self.words);
        let judged = Judge { words, ..*self };
        let ended = if log.is_itf() || words.unordered {
            judged.whole(log, &mut found)
        } else {
            judged.ordered(log, &mut found)
        };
        if let Err(answer) = ended {
            found.answer = answer;
        }
        if let LogAnswer::Interrupted(_) = found.answer
            && let Some(reason) = self.interrupt.reason()
        {
            found.answer = LogAnswer::Interrupted(reason);
        }
        found
    }

    /// Follows a log while it is read.
    fn ordered(&self, log: &dyn Log, found: &mut Validated) -> Result<(), LogAnswer> {
        let mut most_lines = u64::MAX;
        if self.options.procs.is_none() {
            if !log.is_repeatable() {
                let why = "it can be read only once: --procs says how many processes there are";
                return Err(LogAnswer::Refused(why.to_owned()));
            }
            let mut names = Names::default();
            let mut reader = self.reader(log)?;
            while let Ok(_event) = reader.next(&mut names) {}
            most_lines = reader.line;
            found.procs = self.procs(&names)?;
        }
        let kept = if self.options.keep_run { Kept::All } else { Kept::Last(LAST_RECORDS) };
        if self.follow(log, most_lines, kept, found)? {
            return Ok(());
        }
        // The beginning of the run was not kept.
        let mut again = Validated { events: 0, at: None, lost: None, run: None, ..found.clone() };
        self.follow(log, most_lines, Kept::All, &mut again)?;
        *found = again;
        Ok(())
    }

    /// Follows a log; false when it must be read again to show a whole run.
    fn follow(
        &self,
        log: &dyn Log,
        most_lines: u64,
        kept: Kept,
        found: &mut Validated,
    ) -> Result<bool, LogAnswer> {
        let follower = self.follower(found.procs, kept)?;
        let mut watch = Watch::new(self.words, follower, found.procs).map_err(|why| self.stopped(why))?;
        let mut names = Names::default();
        let mut reader = self.reader(log)?;
        reader.most_lines = most_lines;
        let mut values = vec![0; self.system.vars.len()];
        let mut now = watch.now();
        let mut last: Option<Event> = None;
        let ended = loop {
            if let Some(stop) = watch.follower.stop() {
                break Err(self.stopped(stop));
            }
            if self.options.coverage {
                watch.groups.iter().for_each(|group| watch.follower.values_in(&group.front, &mut values));
            }
            if now != Outcome::Explained {
                break Ok(());
            }
            let event = match reader.next(&mut names) {
                Ok(event) => event,
                Err(NoEvent::End) => break Ok(()),
                Err(why) => break Err(why.into()),
            };
            let bound = watch.groups[0].binding.len();
            match watch.take(&event, &names) {
                Ok(outcome) => now = outcome,
                Err(why) => {
                    names.truncate(bound);
                    if let Err(why) = reader.wrong(why) {
                        break Err(why.into());
                    }
                    continue;
                }
            }
            if now != Outcome::Lost {
                found.events += 1;
                if found.events.is_multiple_of(TELL_EVERY) {
                    (self.tell)(found.events);
                }
            }
            self.keep(event.line, &reader, found);
            last = Some(event);
        };
        found.names = names.iter().cloned().collect();
        found.skipped = (reader.skipped, reader.first_skipped.take());
        if self.options.coverage {
            let fired = |t: TransitionId| watch.follower.fired(t);
            found.coverage = Some(self.coverage(&fired, &values));
        }
        ended?;
        found.at =
            last.as_ref().filter(|_| now != Outcome::Explained).map(|event| (event.line, reader.text()));
        let Watch { follower, groups, .. } = &watch;
        match now {
            Outcome::Explained => {
                found.answer = LogAnswer::Explained;
                let wanted = self.options.keep_run.then(|| good(groups)).flatten();
                if let Some((group, at)) = wanted {
                    self.run(follower, &group.front, at, &group.binding, false, found);
                }
            }
            Outcome::Bad | Outcome::Lost if follower.is_partial() => found.answer = guessed(),
            Outcome::Bad => {
                found.answer = LogAnswer::Violated;
                let group = &groups[0];
                self.run(follower, &group.front, 0, &group.binding, true, found);
                let whole = found.run.as_ref().is_some_and(|(run, _)| run.whole);
                return Ok(whole || kept == Kept::All || !log.is_repeatable());
            }
            Outcome::Lost => {
                found.answer = LogAnswer::NotExplained;
                if self.options.keep_run
                    && let Some(group) = groups.iter().find(|group| !group.front.is_empty())
                {
                    self.run(follower, &group.front, 0, &group.binding, false, found);
                }
                let groups = groups.iter().map(|group| (&group.binding, &group.front));
                found.lost = Some(self.place(follower, found).lost(groups, last.as_ref().as_slice()));
            }
        }
        Ok(true)
    }

    /// Follows a log that is read as a whole.
    fn whole(&self, log: &dyn Log, found: &mut Validated) -> Result<(), LogAnswer> {
        let mut names = Names::default();
        let mut events = Vec::new();
        if log.is_itf() {
            let source = log.open().map_err(unreadable)?;
            let (procs, all) = itf(source, self.words, &mut names).map_err(LogAnswer::Refused)?;
            events = all;
            found.procs = match self.options.procs.or(procs) {
                Some(procs) => procs,
                None => self.procs(&names)?,
            };
        } else {
            let mut reader = self.reader(log)?;
            loop {
                match reader.next(&mut names) {
                    Ok(event) => {
                        self.keep(event.line, &reader, found);
                        events.push(event);
                    }
                    Err(NoEvent::End) => break,
                    Err(why) => return Err(why.into()),
                }
            }
            found.skipped = (reader.skipped, reader.first_skipped.take());
            if self.options.procs.is_none() {
                found.procs = self.procs(&names)?;
            }
        }
        found.names = names.iter().cloned().collect();
        let streams = Streams::new(events);
        let mut follower = self.follower(found.procs, Kept::All)?;
        let merged = merge(self.words, &mut follower, &streams, &names, found.procs, &self.options);
        match merged.map_err(LogAnswer::Refused)?.map_err(|why| self.stopped(why))? {
            Merged::Explained(point) => {
                found.events = point.events() as u64;
                if self.options.keep_run || self.options.coverage {
                    self.run(&follower, &point.front, 0, &point.binding, false, found);
                }
                if self.options.coverage {
                    found.coverage = found.run.as_ref().map(|(run, _)| self.coverage_of(run));
                }
                found.run.take_if(|_| !self.options.keep_run);
            }
            _ if follower.is_partial() => found.answer = guessed(),
            Merged::Bad(point) => {
                found.answer = LogAnswer::Violated;
                found.events = point.events() as u64;
                self.run(&follower, &point.front, 0, &point.binding, true, found);
            }
            Merged::Lost(Point { done, mut front, binding }) => {
                found.answer = LogAnswer::NotExplained;
                found.events = done.iter().map(|n| u64::from(*n)).sum();
                let next = streams.after(&done);
                found.at = next.first().map(|event| (event.line, self.text_of(log, event.line)));
                follower.unseen(&mut front);
                let lost = self.place(&follower, found).lost(std::iter::once((&binding, &front)), &next);
                found.lost = Some(lost);
                if self.options.keep_run && !front.is_empty() {
                    self.run(&follower, &front, 0, &binding, false, found);
                }
            }
        }
        Ok(())
    }

    /// The text of a line, where the log can be read again.
    fn text_of(&self, log: &dyn Log, line: u64) -> String {
        let mut reader = match self.reader(log) {
            Ok(reader) if log.is_repeatable() && !log.is_itf() => reader,
            _ => return String::new(),
        };
        let mut names = Names::default();
        while reader.line < line && reader.next(&mut names).is_ok() {}
        reader.text()
    }

    /// Keeps the text of the last line, where a run is wanted.
    fn keep(&self, line: u64, reader: &Reader<'_>, found: &mut Validated) {
        if self.options.keep_run {
            if found.texts.len() == 2 * LAST_TEXTS {
                found.texts.drain(..LAST_TEXTS);
            }
            found.texts.push((line, reader.text().chars().take(LONGEST_TEXT).collect()));
        }
    }

    fn reader<'r>(&'r self, log: &'r dyn Log) -> Result<Reader<'r>, LogAnswer> {
        let source = log.open().map_err(unreadable)?;
        Ok(Reader::new(source, self.words, self.interrupt, self.options.lenient))
    }

    fn follower(&self, procs: usize, kept: Kept) -> Result<Follower, LogAnswer> {
        let options = &self.options;
        let mut follower = Follower::new(self.system, procs, options.max_states, kept, self.interrupt)
            .map_err(|why| self.stopped(why))?;
        follower.hide(&self.words.hidden, options.hidden);
        Ok(follower)
    }

    /// As many processes as the log and the map name, and the model needs.
    fn procs(&self, names: &Names) -> Result<usize, LogAnswer> {
        let named = names.len();
        let fixed = self.words.processes.iter().filter(|(name, _)| names.contains(name));
        let fixed = fixed.map(|(_, process)| process + 1).max().unwrap_or(0);
        let procs = named.max(fixed).max(usize::from(self.system.proc_constants)).max(1);
        if admits(self.system, procs) {
            return Ok(procs);
        }
        let why = format!("it names {named} processes, and the model has no instance with {procs}");
        Err(LogAnswer::Refused(why))
    }

    fn stopped(&self, stop: Stop) -> LogAnswer {
        match (stop, self.interrupt.reason()) {
            (_, Some(reason)) => LogAnswer::Interrupted(reason),
            (Stop::NoInstance, None) => {
                LogAnswer::Refused("the model has no instance with this number of processes".to_owned())
            }
            (Stop::States, None) => {
                let most = self.options.max_states;
                let what = "the run may be in more states than are kept";
                LogAnswer::Inconclusive(format!("{what} (--max-states {most})"))
            }
            (Stop::Numbers, None) => guessed(),
            (other, None) => LogAnswer::Inconclusive(words::cause(other).to_owned()),
        }
    }

    /// The run to a state of a front.
    fn run(
        &self,
        follower: &Follower,
        front: &Front,
        at: usize,
        binding: &Binding,
        bad: bool,
        found: &mut Validated,
    ) {
        match follower.run(self.system, front.record(at), bad) {
            Ok(run) => found.run = Some((run, binding.names(&found.names, found.procs))),
            // The bad state may have been before what is kept of the run.
            Err(Unexplained::NotKept) => {}
            Err(why) => found.answer = LogAnswer::Fault(why.to_string()),
        }
    }

    fn place<'p>(&'p self, follower: &'p Follower, found: &'p Validated) -> Place<'p> {
        Place { system: self.system, source: self.source, follower, names: &found.names, procs: found.procs }
    }

    fn coverage(&self, taken: &dyn Fn(TransitionId) -> bool, values: &[u64]) -> WitnessCoverage {
        coverage(self.system, taken, values, &is_in_text)
    }

    /// What a run covers by the steps of events.
    fn coverage_of(&self, FollowedRun { trace, labels, .. }: &FollowedRun) -> WitnessCoverage {
        let mut values = vec![0; self.system.vars.len()];
        trace.states().for_each(|state| add_values(self.system, state, &mut values));
        let steps = || trace.steps.iter().zip(labels).filter(|(_, label)| **label != 0);
        self.coverage(&|t| steps().any(|(step, _)| step.transition == t), &values)
    }
}

/// A state without a bad past.
fn good(groups: &[Group]) -> Option<(&Group, usize)> {
    groups.iter().find_map(|group| {
        let at = (0..group.front.len()).find(|at| !group.front.has_bad_past(*at))?;
        Some((group, at))
    })
}

fn unreadable(error: io::Error) -> LogAnswer {
    LogAnswer::Refused(format!("cannot be read: {error}"))
}

fn guessed() -> LogAnswer {
    LogAnswer::Inconclusive(
        "a number that no event shows, or that is out of range, had to be guessed".to_owned(),
    )
}
