//! [`BackwardMode::Auto`]: rounds of the searches of the schedule, each round with more effort than the one before.
//!
//! Effort is counted in work, never in time, so the same command takes the same path, with two searches at a time or one
//! ([`beside`](super::beside)). All later turns use the explored states and the runs to bad candidates: they only steer.
//! They also use the lemmas about numbers, which are proved by themselves and are part of the certificate. Nothing else is
//! shared, so each verdict rests on one search and these lemmas. A turn of exact search goes on where its last turn stopped; searches with
//! approximations begin again, since they choose better with the states that are known by then. Stops at the first verdict, when time or memory runs out, when
//! the user asks, when every search has reached a limit that more effort does not move, or after the rounds that the options
//! allow.

use super::accept::check_before_the_end;
use super::beside::side_by_side;
use super::schedule::{self, Entry, Plain, SCHEDULE};
use super::search::look_forward;
use super::session::Session;
use super::size::{Purpose, nearest, oracle_size};
use super::tuning::DERIVED_ROUNDS;
use super::turn::{Turn, TurnEnd, limits};
use super::{all_sizes, claims};
use cubicle_lang::model::{Forbidden, System};
use cubicle_run::{
    BackwardMode, Decider, Event, Exploration, ForwardOptions, Options, Outcome, Reason, Report, RunsPlan,
    RunsProof, SearchOrder, Silent, Stage, Stop, Strategy, Vacuity, Verdict, words,
};
use tracing::info;

/// The proof that a system which was derived for a property of runs is safe, with these cubes proposed.
///
/// # Errors
/// It has another verdict.
pub fn prove_derived(
    session: &Session<'_>,
    system: System,
    proposed: Vec<Forbidden>,
    plan: RunsPlan,
    because: Vec<String>,
) -> Result<RunsProof, Verdict> {
    let mut options = Options::default()
        .vacuity(Vacuity::Ignore)
        .rounds(Some(session.options.rounds.map_or(DERIVED_ROUNDS, |most| most.min(DERIVED_ROUNDS))))
        .jobs(session.options.forward.jobs);
    options.backward.proposed = proposed;
    let mut observer = Silent;
    let (interrupt, engine) = (session.interrupt, session.engine);
    let mut derived = Session::new(&system, &options, interrupt, &mut observer, engine, Report::default());
    derived.is_derived = true;
    decide(&mut derived);
    let Report { verdict, backward, .. } = derived.report;
    match verdict.expect("the search ended") {
        Verdict::Safe => {
            let (invariant, counts) = backward.map(|it| (it.invariant, it.counts)).unwrap_or_default();
            Ok(RunsProof { system, plan, because, invariant, counts })
        }
        other => Err(other),
    }
}

/// Decides the problem, using what is explored already.
pub fn decide(session: &mut Session<'_>) {
    let mut spurious = None;
    let mut auto = Auto { session, spurious: &mut spurious, has_looked: false };
    let mut verdict = auto.rounds();
    if matches!(verdict, Verdict::Unknown(Reason::Spurious(_))) {
        verdict = auto.look_forward().unwrap_or(verdict);
    }
    session.report.verdict = Some(verdict);
}

struct Auto<'s, 'a> {
    session: &'s mut Session<'a>,
    /// What the first search said that found only spurious traces.
    spurious: &'s mut Option<Reason>,
    /// Whether instances were explored for a real one since.
    has_looked: bool,
}

impl Auto<'_, '_> {
    fn rounds(&mut self) -> Verdict {
        let mut open = self.fitting();
        let mut settled = None;
        // Efforts grow only when there is a search that more effort may help.
        let mut level = 0;
        for round in 0..self.session.options.rounds.unwrap_or(u32::MAX) {
            if let Some(verdict) = self.plain_turns(&open, round) {
                return verdict;
            }
            let mut later = Vec::new();
            let mut waiting = std::mem::take(&mut open).into_iter().peekable();
            while let Some(mut search) = waiting.next() {
                if search.proof == BackwardMode::Classic && self.session.known.searches.has_lemmas() {
                    // What it has waiting may follow from them.
                    search.behind_from = None;
                }
                if search.from > round {
                    match self.is_tiny(search) {
                        Ok(true) => {}
                        Ok(false) => {
                            later.push(search);
                            continue;
                        }
                        Err(verdict) => return verdict,
                    }
                }
                if search.has_had(level) {
                    open.push(search);
                    continue;
                }
                if let Some(most) = self.session.options.most_effort.filter(|_| self.left() == 0) {
                    return Verdict::Unknown(self.spurious.take().unwrap_or(Reason::Effort(most)));
                }
                let due = |it: &Entry| it.beside && it.from <= round && !it.has_had(level);
                let group: Vec<Entry> = std::iter::once(search).chain(waiting.next_if(due)).collect();
                for (search, ended) in group.iter().zip(self.turns(&group, level)) {
                    match ended {
                        Verdict::Unknown(Reason::Effort(_)) => open.push(*search),
                        Verdict::Unknown(reason) if !is_final(&reason) => {
                            settled = Some(reason);
                        }
                        ended => return ended,
                    }
                }
            }
            if round == 0
                && !open.is_empty()
                && !self.session.moves_numbers()
                && let Some(verdict) = self.glance()
            {
                return verdict;
            }
            if round == 0
                && !open.is_empty()
                && let Some(outcome) = claims::hold_together(self.session)
            {
                return self.record(BackwardMode::Classic, SearchOrder::Bfs, outcome);
            }
            if !open.is_empty()
                && let Some(verdict) = all_sizes::decide(self.session, schedule::states(level))
            {
                return verdict;
            }
            // Another search of the round may have decided with less.
            if self.spurious.is_some()
                && let Some(verdict) = self.look_forward()
            {
                return verdict;
            }
            level += u32::from(!open.is_empty());
            open.extend(later);
            if open.is_empty() {
                break;
            }
        }
        if !open.is_empty() {
            let effort = open.iter().map(|search| search.effort(level.saturating_sub(1))).sum();
            return Verdict::Unknown(self.spurious.take().unwrap_or(Reason::Effort(effort)));
        }
        let reason = self.spurious.take().or(settled).expect("every search ended for a reason");
        Verdict::Unknown(reason)
    }

    /// The schedule for a model whose instances may be bounded: the first oracle is as near as can be, the others
    /// are as the schedule says or left out.
    fn fitting(&self) -> Vec<Entry> {
        let system = self.session.system;
        let fit = |entry: &Entry| {
            let Some(procs) = entry.proof.oracle_procs() else { return Some(*entry) };
            let nearest = nearest(system, procs);
            let fits = entry.from == 0 || nearest == procs;
            let proof = match entry.proof {
                BackwardMode::Pdr(_) => BackwardMode::Pdr(nearest),
                _ => BackwardMode::Brab(nearest),
            };
            fits.then_some(Entry { proof, ..*entry })
        };
        let mut fitting: Vec<Entry> = SCHEDULE.iter().filter_map(fit).collect();
        // Of searches with the same oracle, one is enough: with many sorts the instance is the same for several numbers.
        let oracle = |it: &Entry| {
            let procs = it.proof.oracle_procs().map(|procs| oracle_size(system, procs));
            (matches!(it.proof, BackwardMode::Pdr(_)), procs)
        };
        let known: Vec<_> = fitting.iter().map(oracle).collect();
        let mut new = (0..known.len()).map(|at| known[at].1.is_none() || !known[..at].contains(&known[at]));
        fitting.retain(|_| new.next() == Some(true));
        // An order that was asked for takes the place of those of the schedule.
        if let Some(asked) = self.session.options.backward.order {
            for entry in fitting.iter_mut().filter(|entry| !matches!(entry.proof, BackwardMode::Pdr(_))) {
                entry.order = asked;
            }
        }
        fitting
    }

    /// What is left of the effort of all turns.
    fn left(&self) -> u64 {
        let spent = self.session.report.stages.iter().map(|stage| stage.effort).sum();
        self.session.options.most_effort.map_or(u64::MAX, |most| most.saturating_sub(spent))
    }

    /// The turns without equations that come before a round, where steps change numbers; after the first of them, before equations are looked for,
    /// walks look for a bad state. The verdict when one decides or the run must end.
    fn plain_turns(&mut self, entries: &[Entry], round: u32) -> Option<Verdict> {
        let moves_numbers = self.session.moves_numbers();
        // Without numbers they are what the first level is made of.
        if !moves_numbers && (round == 0 || !self.session.system.counts.is_empty()) {
            return None;
        }
        for &entry in entries {
            let Some(Plain { effort, .. }) = entry.plain.filter(|it| it.round == round) else { continue };
            if !moves_numbers && self.session.has_tried(entry.proof) {
                continue;
            }
            let number = self.session.report.stages.len() + 1;
            let turn = Turn { entry, level: 0, plain: Some(effort), left: self.left(), number };
            let end = turn.take(self.session);
            match self.conclude(&turn, end) {
                Verdict::Unknown(reason) if !is_final(&reason) => {}
                verdict => return Some(verdict),
            }
        }
        self.session.known.needs_equations |= moves_numbers;
        if round == 0 { self.glance() } else { None }
    }

    /// Takes the turns of a group, the second beside the first.
    fn turns(&mut self, group: &[Entry], level: u32) -> Vec<Verdict> {
        let number = self.session.report.stages.len() + 1;
        let left = self.left();
        let turn = |at: usize| Turn { entry: group[at], level, plain: None, left, number: number + at };
        if group.len() == 1 {
            let end = turn(0).take(self.session);
            return vec![self.conclude(&turn(0), end)];
        }
        let (first, second) = (turn(0), turn(1));
        // The second searches with the states of the first.
        if let Some(end) = first.begin(self.session) {
            return vec![self.conclude(&first, end)];
        }
        let spurious = &mut *self.spurious;
        let alone = |session: &mut Session<'_>| {
            let end = first.search(session);
            let ended = Auto { session, spurious, has_looked: false }.conclude(&first, end);
            let goes_on = matches!(&ended, Verdict::Unknown(reason) if !is_final(reason));
            (ended, goes_on)
        };
        let (ended, beside) = side_by_side(self.session, alone, &second);
        let beside = beside.map(|end| self.conclude(&second, end));
        std::iter::once(ended).chain(beside).collect()
    }

    /// How to continue after a turn that ended so.
    fn conclude(&mut self, turn: &Turn, end: TurnEnd) -> Verdict {
        let outcome = match end {
            TurnEnd::Found(trace) => {
                return self.session.decided_by_run(trace);
            }
            TurnEnd::Stopped(reason) => return Verdict::Unknown(reason),
            TurnEnd::Searched(outcome) => *outcome,
        };
        let verdict = self.record(turn.entry.proof, turn.entry.order, outcome);
        if let Verdict::Unknown(reason @ Reason::Spurious(_)) = &verdict
            && turn.plain.is_none()
            && self.spurious.is_none()
        {
            *self.spurious = Some(reason.clone());
        }
        verdict
    }

    /// Explores instances for a trace that one executes, once; the verdict when there is one.
    fn look_forward(&mut self) -> Option<Verdict> {
        let is_due = !std::mem::replace(&mut self.has_looked, true);
        if is_due { look_forward(self.session) } else { None }
    }

    /// Puts the outcome of a search into the report; returns its verdict.
    fn record(&mut self, proof: BackwardMode, order: SearchOrder, mut outcome: Outcome) -> Verdict {
        if outcome.verdict == Verdict::Safe
            && let Err(open) = check_before_the_end(self.session, &outcome)
        {
            let text = format!("{}; other searches go on", words::reason(&open));
            self.session.tell(Event::Note { text });
            outcome.verdict = Verdict::Unknown(open);
        }
        let verdict = outcome.verdict.clone();
        let reason = match &verdict {
            Verdict::Unknown(reason) => Some(reason.clone()),
            Verdict::Safe | Verdict::Unsafe(_) => None,
        };
        let report = &mut self.session.report;
        if reason.is_none() {
            report.decider = Some(Decider::Stage(proof));
        }
        let nodes = outcome.statistics.nodes + outcome.statistics.abandoned.iter().sum::<usize>();
        let turn = report.stages.len() + 1;
        info!(turn, ?proof, nodes, verdict = verdict.words().0, ?reason, "turn ends");
        let stage = Stage { proof, order, nodes, effort: outcome.statistics.effort, reason };
        report.stages.push(stage.clone());
        report.backward = Some(outcome);
        self.session.tell(Event::StageEnd(stage));
        verdict
    }

    /// Looks for a bad state among a few states; the verdict when they have one. The states are not kept: those of the exploration when its turn comes
    /// are the better oracle.
    fn glance(&mut self) -> Option<Verdict> {
        let (system, forward) = (self.session.system, &self.session.options.forward);
        let procs = schedule::GLANCE_PROCS;
        let known = self.session.known.space.instance(procs).is_some();
        // Of several sorts there would have to be more processes.
        let fits = nearest(system, procs) == procs && oracle_size(system, procs) == procs;
        if known || !fits || forward.max_states.is_some() {
            return None;
        }
        let found = self.session.timed("forward exploration", |session| {
            let mut look = |strategy| {
                let limits = ForwardOptions { strategy, ..limits(forward, schedule::GLANCE_STATES) };
                session.explore(procs, &limits, Purpose::Oracle)
            };
            let first = look(Strategy::Bfs);
            let Exploration { stop, depth, .. } = first.exploration;
            // Where the initial states alone are as many, walks from each of them see little more.
            if stop == Stop::States && depth > 1 { look(Strategy::Cfl) } else { first }
        });
        found.exploration.unsafe_trace.as_ref()?;
        let trace = self.session.keep(found)?;
        Some(self.session.decided_by_run(trace))
    }

    /// Whether to try a search before its round: the instances up to that of its oracle have few states, all of which
    /// are known then. Or a verdict, when the run ends here.
    fn is_tiny(&mut self, search: Entry) -> Result<bool, Verdict> {
        let Some(procs) = search.proof.oracle_procs().filter(|_| search.tiny_first) else { return Ok(false) };
        let procs = oracle_size(self.session.system, procs);
        let forward = &self.session.options.forward;
        let complete = |it: &Exploration| it.stop == Stop::Complete;
        let smaller =
            |it: &Exploration| complete(it) && it.procs < procs && it.states <= schedule::TINY_STATES / 4;
        let space = &self.session.known.space;
        if let Some(known) = space.instance(procs) {
            return Ok(complete(known));
        }
        let mut explored = space.explored.iter().map(|it| &it.exploration);
        if forward.max_states.is_some() || !explored.any(smaller) {
            return Ok(false);
        }
        let found = self.session.timed("forward exploration", |session| {
            let new = session.explore(procs, &limits(forward, schedule::TINY_STATES), Purpose::Oracle);
            let complete = complete(&new.exploration);
            let worth = complete || new.exploration.unsafe_trace.is_some();
            let trace = if worth { session.keep(new) } else { None };
            trace.map_or(Ok(complete), Err)
        });
        found.map_err(|trace| self.session.decided_by_run(trace))
    }
}

/// Whether the run as a whole ends for this reason.
pub fn is_final(reason: &Reason) -> bool {
    matches!(reason, Reason::Time | Reason::Memory | Reason::Interrupted(_))
}
