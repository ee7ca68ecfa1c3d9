//! Whether a state is reachable: in small instances, then by a proof.

use cubicle_check::Checker;
use cubicle_forward::explore;
use cubicle_lang::diagnostic::{Diagnostic, Span};
use cubicle_lang::model::System;
use cubicle_lang::model::semantics::admits;
use cubicle_lang::syntax::ast::File;
use cubicle_run::words::listed_sizes;
use cubicle_run::{BackwardMode, ForwardOptions, Interrupt, Options, Report, Silent, Stop, Vacuity, Verdict};

/// Effort of the examination.
#[derive(Clone, Debug)]
pub struct LintOptions {
    /// Proves.
    pub checker: Checker,
    /// Instances of up to this number of processes are explored.
    pub procs: usize,
    /// Limit on the states of each instance.
    pub max_states: usize,
    /// Effort of each proof: rounds of [`BackwardMode::Auto`].
    pub rounds: u32,
    /// Number of threads of a proof.
    pub jobs: usize,
}

impl LintOptions {
    /// With usual limits.
    pub const fn new(checker: Checker) -> Self {
        Self { checker, procs: 3, max_states: 20_000, rounds: 3, jobs: 1 }
    }
}

/// A model to examine.
#[derive(Clone, Copy, Debug)]
pub struct LintedModel<'a> {
    /// Its syntax tree.
    pub file: &'a File,
    /// The text that it was read from.
    pub text: &'a str,
    /// The system that it describes.
    pub system: &'a System,
    /// Known warnings: a part that has one gets no other.
    pub known: &'a [Diagnostic],
}

impl LintedModel<'_> {
    /// Whether there is a warning about this place, or about a part of it.
    pub(super) fn is_known(&self, place: Span) -> bool {
        let inside = |span: Span| place.start <= span.start && span.end <= place.end;
        self.known.iter().any(|it| inside(it.primary.span))
    }
}

/// Evidence that something never happens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Grounds {
    /// Proved for any number of processes.
    Proved,
    /// All states of the instances of these sizes were explored.
    Explored(Vec<usize>),
}

impl Grounds {
    pub fn words(&self) -> String {
        match self {
            Self::Proved => "proved for any number of processes".to_owned(),
            Self::Explored(sizes) => {
                format!("explored only, with {}: not proved for more", listed_sizes(sizes))
            }
        }
    }

    /// The evidence for two claims together.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Proved, it) | (it, Self::Proved) => it,
            (Self::Explored(a), Self::Explored(b)) => {
                Self::Explored(a.into_iter().filter(|size| b.contains(size)).collect())
            }
        }
    }
}

/// Asks whether states are reachable.
#[derive(Clone, Copy, Debug)]
pub struct Asker<'a> {
    pub options: &'a LintOptions,
    pub interrupt: &'a Interrupt,
}

impl Asker<'_> {
    /// For each bad state of a system, why it is never reached; `None` when it is, or when that is unknown. Instances with
    /// fewer than `least` processes are not evidence by themselves.
    pub fn never(&self, system: &System, least: usize) -> Vec<Option<Grounds>> {
        let mut open: Vec<bool> = vec![true; system.bad.len()];
        let (mut complete, mut sizes) = (true, Vec::new());
        for size in self.sizes(system, least) {
            if !open.contains(&true) || self.interrupt.reason().is_some() {
                break;
            }
            let options = ForwardOptions::default()
                .max_states(self.options.max_states)
                .stop_at_unsafe(system.bad.len() == 1);
            let seen = explore(system, size, &options, self.interrupt, &mut Silent).exploration;
            for trace in seen.unsafe_trace.iter().chain(&seen.more_unsafe_traces) {
                if let Some(bad) = trace.bad {
                    open[bad] = false;
                }
            }
            complete &= seen.stop == Stop::Complete;
            sizes.push(size);
        }
        let explored = (complete && sizes.last().is_some_and(|last| *last >= least)).then_some(sizes);
        let why = |(number, open): (usize, bool)| {
            if !open || self.interrupt.reason().is_some() {
                return None;
            }
            let alone = system.edited(|parts| parts.bad = vec![parts.bad.swap_remove(number)]);
            match self.verdict(&alone) {
                Some(Verdict::Safe) => Some(Grounds::Proved),
                Some(Verdict::Unsafe(_)) => None,
                _ if self.interrupt.reason().is_some() => None,
                _ => explored.clone().map(Grounds::Explored),
            }
        };
        open.into_iter().enumerate().map(why).collect()
    }

    /// Whether small instances reach the bad state of a system.
    pub fn is_met(&self, system: &System, least: usize) -> bool {
        let options = ForwardOptions::default().max_states(self.options.max_states);
        let seen = |size| explore(system, size, &options, self.interrupt, &mut Silent).exploration;
        self.sizes(system, least).into_iter().any(|size| seen(size).unsafe_trace.is_some())
    }

    /// Like [`Asker::never`], for a system with one bad state.
    pub fn never_one(&self, system: &System, least: usize) -> Option<Grounds> {
        self.never(system, least).into_iter().next().flatten()
    }

    /// What the engines say of a system.
    pub fn report(&self, system: &System, options: &Options) -> Report {
        self.options.checker.check_on_this_thread(system, options, self.interrupt, &mut Silent)
    }

    /// The verdict of the engines on a system.
    fn verdict(&self, system: &System) -> Option<Verdict> {
        self.report(system, &self.proof()).verdict
    }

    pub fn proof(&self) -> Options {
        Options::default()
            .only_states(true)
            .proof(BackwardMode::Auto)
            .rounds(Some(self.options.rounds))
            .vacuity(Vacuity::Ignore)
            .jobs(self.options.jobs)
    }

    /// Whether small instances have no state at all.
    pub fn is_empty(&self, system: &System) -> bool {
        let options = ForwardOptions::default().max_states(1);
        let states = |size| explore(system, size, &options, self.interrupt, &mut Silent).exploration.states;
        self.sizes(system, 0).into_iter().all(|size| states(size) == 0)
    }

    /// The sizes of instances that are explored.
    fn sizes(&self, system: &System, least: usize) -> Vec<usize> {
        let first = usize::from(system.proc_constants).max(1);
        (first..=self.options.procs.max(least).max(first)).filter(|size| admits(system, *size)).collect()
    }
}
