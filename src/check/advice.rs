//! What may lead to a verdict where a run has none, most likely first.
//!
//! Never what was just tried: a search that gave up is not proposed again, and a limit is raised only where it
//! ended the run.

use std::ops::RangeInclusive;

use super::closing::closing;
use super::schedule::SCHEDULE;
use super::size::{most_named, nearest};
use super::tuning::{BOUND_PROCS, BOUND_STATES, BOUND_STEPS, RUN_PROCS};
use cubicle_forward::explore;
use cubicle_lang::model::semantics::{Layout, Value, admits, distinct_tuples};
use cubicle_lang::model::{Bad, Cell, Linear, Literal, ProcRef, Rational, Relation, System, Type, VarId};
use cubicle_run::{
    BackwardEngine, BackwardMode, Cut, Exploration, ForwardOptions, Growing, Growth, Interrupt, Limit,
    Options, Reason, Report, Silent, Stop, Strategy, Try,
};

/// The sizes of oracles to propose: with one process, they show too little.
const ORACLE_SIZES: RangeInclusive<usize> = 2..=5;

/// So much advice can be followed.
const MOST_TRIES: usize = 3;

/// At most this many numbers are to be bounded.
const MOST_BOUNDS: usize = 2;

/// What may lead to a verdict of the run that `options` asked for and that ended with `report`, most likely first. Empty
/// when it has a verdict, or when only another machine helps.
pub fn advice(engine: BackwardEngine, system: &System, options: &Options, report: &Report) -> Vec<Try> {
    let mut tries = all(Advisor { engine, system, options, report });
    tries.truncate(MOST_TRIES);
    tries
}

fn all(advisor: Advisor<'_>) -> Vec<Try> {
    let Advisor { options, report, .. } = advisor;
    let Some(reason) = report.open() else { return Vec::new() };
    if report.unproved.as_ref() == Some(reason) && !matches!(reason, Reason::Unconfirmed(_)) {
        // What helps a search for bad states does not help with properties of runs.
        let runs = matches!(reason, Reason::Runs { .. }) && !options.only_forward;
        return advisor.fewer_processes(RUN_PROCS).filter(|_| runs).into_iter().collect();
    }
    let mut tries = match reason {
        Reason::Nodes(most) => advisor.search(Some(Limit::Nodes(*most))),
        Reason::Depth(most) => advisor.search(Some(Limit::Depth(*most))),
        Reason::Time => advisor.search(Some(Limit::Time(options.time_limit))),
        Reason::Effort(_) | Reason::Overflow | Reason::Interrupted(2 | 15) => advisor.search(None),
        Reason::Memory => advisor.memory(),
        Reason::Unconfirmed(why) => advisor.unconfirmed(why),
        Reason::SolverUnknown(why) => advisor.solver(why),
        Reason::Spurious(_) => advisor.spurious(),
        Reason::Deadlocks(_) => vec![Try::Hold],
        Reason::Partial(cut) => advisor.partial(cut),
        Reason::Threads(_)
        | Reason::Storage(_)
        | Reason::Cluster(_)
        | Reason::Uncertified(_)
        | Reason::Vacuous(_)
        | Reason::Denied(_)
        | Reason::Runs { .. }
        | Reason::NotReached(_)
        | Reason::Interrupted(_) => Vec::new(),
    };
    let mut kept = Vec::new();
    tries.retain(|attempt| {
        let new = !kept.contains(attempt);
        kept.push(attempt.clone());
        new
    });
    tries
}

/// What is known of a run.
#[derive(Clone, Copy)]
struct Advisor<'a> {
    engine: BackwardEngine,
    system: &'a System,
    options: &'a Options,
    report: &'a Report,
}

impl<'a> Advisor<'a> {
    /// After a search that did not finish; `limit` is what ended it.
    fn search(self, limit: Option<Limit>) -> Vec<Try> {
        let mut tries: Vec<Try> = Vec::new();
        if self.options.only_forward {
            tries.extend(self.numbers().or_else(|| self.smaller_instance()));
        } else {
            // A lemma that closes a part comes after searches that may close all.
            let (some, closing): (Vec<Try>, Vec<Try>) =
                self.closing().into_iter().partition(|it| matches!(it, Try::Lemma { .. }));
            tries.extend(closing);
            tries.extend(self.bounds());
            if self.ended_exploring() {
                tries.extend(self.smaller_oracle());
            }
            tries.extend(self.numbers());
            tries.extend(self.other_proofs());
            tries.extend(some);
            tries.extend(self.size());
        }
        tries.extend(limit.map(Try::More));
        tries
    }

    /// What a trial has shown to close the proof; not what the run did itself.
    fn closing(self) -> Option<Try> {
        let found = closing(self.engine, self.system, self.options, self.report);
        found.filter(|it| *it != Try::Classic || self.options.proof != BackwardMode::Classic)
    }

    fn memory(self) -> Vec<Try> {
        let mut tries: Vec<Try> = Vec::new();
        if self.options.only_forward {
            tries.extend(self.smaller_instance());
        } else {
            tries.extend(self.bounds());
            tries.extend(self.smaller_oracle());
        }
        tries.push(Try::More(Limit::Memory));
        tries
    }

    /// After a test that Z3 could not decide: a longer time-out where it had run out of time.
    fn solver(self, why: &str) -> Vec<Try> {
        let in_time = ["timeout", "canceled", "cancelled", "interrupted", "resource"];
        let late = in_time.iter().any(|word| why.contains(word));
        let longer = late.then_some(Try::More(Limit::SolverTime(self.options.backward.solver_timeout)));
        longer.into_iter().chain(self.bounds()).chain(self.other_proofs()).collect()
    }

    /// After a proof that was not checked to the end.
    fn unconfirmed(self, why: &Reason) -> Vec<Try> {
        let more = match why {
            Reason::Time => Some(Limit::Time(self.options.time_limit)),
            Reason::Memory => Some(Limit::Memory),
            Reason::SolverUnknown(_) => Some(Limit::SolverTime(self.options.backward.solver_timeout)),
            _ => None,
        };
        more.map(Try::More).into_iter().chain([Try::Unchecked]).collect()
    }

    /// After spurious traces: all approximate what they step back over in the same way, so that no other search
    /// helps, nor a longer one. A state on the path that is not reachable can be forbidden; or there is a real run.
    fn spurious(self) -> Vec<Try> {
        let cut = self.report.looked_forward.iter().find(|it| it.stop != Stop::Complete);
        let explore = cut.map(|it| Try::Explore { procs: it.procs, walks: true });
        [self.closing(), Some(Try::Forbid), explore].into_iter().flatten().collect()
    }

    /// After an exploration that did not see all states.
    fn partial(self, cut: &Cut) -> Vec<Try> {
        let forward = &self.options.forward;
        let walks = matches!(forward.strategy, Strategy::Random | Strategy::Cfl);
        match cut.stop {
            Stop::Numbers if forward.number_range.is_none() => vec![Try::NumberRange],
            Stop::Wide | Stop::TooLarge | Stop::Memory => {
                self.smaller_instance().into_iter().chain([Try::More(Limit::Memory)]).collect()
            }
            // Growth has no end: a larger limit shows more states, and never all.
            Stop::States | Stop::Time | Stop::Depth if self.numbers().is_some() => vec![Try::NumberRange],
            Stop::States => forward.max_states.map(|n| Try::More(Limit::States(n))).into_iter().collect(),
            Stop::Time => {
                let limit = forward.time.map_or(Limit::Time(self.options.time_limit), Limit::ForwardTime);
                vec![Try::More(limit)]
            }
            Stop::Depth => forward.depth.map(|n| Try::More(Limit::ForwardDepth(n))).into_iter().collect(),
            Stop::Epochs => {
                let longer = forward.epochs.map(|n| Try::More(Limit::Epochs(n)));
                (walks && !self.states_grow()).then_some(Try::Exhaustive).into_iter().chain(longer).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Bounds on the numbers that grew in cubes. Those that grow in states only are another matter: a run may be as
    /// long as it likes, and a lemma cuts none short. A value that initial or explored states exceed is not a bound.
    fn bounds(self) -> Vec<Try> {
        let seen = || self.report.explorations.iter().flat_map(|it| &it.growth);
        let is_refuted = |grew: &Growth| {
            let (first, last) = grew.values;
            let exceeds = |value: Rational| if last > first { value > last } else { value < last };
            let known = match &grew.what {
                Growing::Number(vars) if vars.len() == 1 => initially(self.system, vars[0]),
                _ => None,
            };
            let mut seen = seen().filter(|it| it.what == grew.what).map(|it| it.values);
            known.is_some_and(exceeds) || seen.any(|it| exceeds(it.0) || exceeds(it.1))
        };
        let bound = |growth: &Growth| match &growth.what {
            Growing::Number(vars) => Some(Try::Bound { vars: vars.clone(), values: growth.values }),
            Growing::Processes => None,
        };
        let possible = self.grown_in_cubes().filter(|grew| !is_refuted(grew));
        let lasting =
            possible.filter(|grew| matches!(reached(self.system, grew), Reached::Within | Reached::Several));
        let mut bounds: Vec<Try> = lasting.filter_map(bound).collect();
        // A number may have grown along several steps.
        bounds.dedup_by(
            |a, b| matches!((a, b), (Try::Bound { vars: a, .. }, Try::Bound { vars: b, .. }) if a == b),
        );
        bounds.truncate(MOST_BOUNDS);
        bounds
    }

    /// What grew in the cubes of the last search.
    fn grown_in_cubes(self) -> impl Iterator<Item = &'a Growth> {
        let left = self.report.backward.iter().filter_map(|outcome| outcome.open.as_ref());
        left.flat_map(|open| &open.growth)
    }

    /// Fewer processes, where cubes have more and more of them, or numbers that are larger in larger instances.
    fn size(self) -> Option<Try> {
        let grows = |growth: &Growth| {
            growth.what == Growing::Processes || reached(self.system, growth) == Reached::WithProcesses
        };
        let most = most_named(self.system);
        self.grown_in_cubes().any(grows).then(|| self.fewer_processes(most + 1)).flatten()
    }

    /// A model of no more than about `procs` processes, unless it says so itself.
    fn fewer_processes(self, procs: usize) -> Option<Try> {
        let procs = procs.max(2).max(self.system.proc_constants.into());
        self.system.max_procs.is_none().then_some(Try::NumberProcs(procs))
    }

    /// A range of numbers, where some grow: it ends explorations, and makes candidates that bound them.
    fn numbers(self) -> Option<Try> {
        let explores = self.options.only_forward || self.options.proof != BackwardMode::Classic;
        let none = self.options.forward.number_range.is_none() && explores;
        ((self.states_grow() || !self.bounds().is_empty()) && none).then_some(Try::NumberRange)
    }

    /// Whether some explored instance seems to have no end.
    fn states_grow(self) -> bool {
        self.report.explorations.iter().any(|it| !it.growth.is_empty())
    }

    /// Searches of another kind than those that were made.
    fn other_proofs(self) -> Vec<Try> {
        let fits = |procs: &usize| self.is_size(*procs);
        match self.options.proof {
            BackwardMode::Auto => {
                let made = |proof: BackwardMode| self.report.stages.iter().any(|stage| stage.proof == proof);
                // Turns share the time: what had none comes first.
                let next = SCHEDULE.iter().map(|entry| entry.proof).filter(|proof| !made(*proof));
                let next = next.filter(|proof| proof.oracle_procs().is_none_or(|procs| fits(&procs)));
                let more = SCHEDULE.iter().filter_map(|entry| entry.proof.oracle_procs()).max();
                let more = more.map(|most| most + 1).filter(fits).map(BackwardMode::Brab);
                let tried = |proof: BackwardMode| match proof {
                    BackwardMode::Brab(procs) => Some(Try::Brab(procs)),
                    BackwardMode::Pdr(procs) => Some(Try::Pdr(procs)),
                    BackwardMode::Auto | BackwardMode::Classic => None,
                };
                next.chain(more).filter_map(tried).take(1).collect()
            }
            BackwardMode::Classic => vec![Try::Auto],
            BackwardMode::Brab(procs) | BackwardMode::Pdr(procs) => {
                let procs = nearest(self.system, procs);
                let larger = (!self.ended_exploring()).then_some(procs + 1);
                let sizes = larger.into_iter().chain(procs.checked_sub(1)).filter(fits);
                sizes.take(1).map(Try::Brab).chain([Try::Auto]).collect()
            }
        }
    }

    /// Whether an oracle may have this size.
    fn is_size(self, procs: usize) -> bool {
        ORACLE_SIZES.contains(&procs) && nearest(self.system, procs) == procs
    }

    /// Whether the run ended before a backward search.
    fn ended_exploring(self) -> bool {
        self.report.backward.is_none()
    }

    /// An oracle that is explored sooner.
    fn smaller_oracle(self) -> Vec<Try> {
        let BackwardMode::Brab(procs) = self.options.proof else { return Vec::new() };
        let smaller = nearest(self.system, procs).checked_sub(1).filter(|procs| self.is_size(*procs));
        let fewer = self.options.forward.max_states.is_none().then_some(Try::FewerStates);
        fewer.into_iter().chain(smaller.map(Try::Brab)).collect()
    }

    /// The next smaller instance than the incomplete one, when it was not explored yet.
    fn smaller_instance(self) -> Option<Try> {
        let cut = |it: &&Exploration| it.stop != Stop::Complete;
        let procs = self.report.explorations.iter().find(cut)?.procs.checked_sub(1)?;
        let least = usize::from(self.system.proc_constants).max(1);
        let seen = self.report.explorations.iter().any(|it| it.procs == procs);
        (procs >= least && !seen).then_some(Try::Explore { procs, walks: false })
    }
}

/// How far a number gets in small instances.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reached {
    /// Not farther in the larger instances, and not beyond what is to bound it.
    Within,
    /// Beyond what is to bound it.
    Beyond,
    /// Farther with each process.
    WithProcesses,
    /// It is a sum of several variables, which no single comparison bounds.
    Several,
}

/// How far a number that grew in cubes gets in the instances with up to [`BOUND_PROCS`] processes, as far as a few
/// states show: a bound that the next larger instance breaks is useless.
fn reached(system: &System, growth: &Growth) -> Reached {
    let Growing::Number(vars) = &growth.what else { return Reached::Several };
    let [var] = vars.as_slice() else { return Reached::Several };
    let (first, last) = growth.values;
    let rises = last > first;
    let mut extreme = initially(system, *var).unwrap_or(first);
    let (mut is_beyond, mut has_end) = (false, true);
    let mut farther = Vec::new();
    let least = usize::from(system.proc_constants);
    for procs in (least..=BOUND_PROCS.max(least + 1)).filter(|procs| admits(system, *procs)) {
        is_beyond |= beyond(system, *var, rises, last, procs).is_some();
        let before = extreme;
        for step in 0..BOUND_STEPS {
            let Some(value) = beyond(system, *var, rises, extreme, procs).filter(|_| has_end) else {
                break;
            };
            extreme = value;
            has_end = step + 1 < BOUND_STEPS;
        }
        farther.push(extreme != before);
    }
    match farther.as_slice() {
        [.., true, true] if has_end => Reached::WithProcesses,
        _ if is_beyond => Reached::Beyond,
        _ => Reached::Within,
    }
}

/// A value of a variable beyond another one, in an explored state of an instance.
fn beyond(system: &System, var: VarId, rises: bool, than: Rational, procs: usize) -> Option<Rational> {
    let declared = system.var(var);
    let params = declared.arity();
    let cell = Cell::at(var, (0..params).map(|at| ProcRef::Var(at as u8)));
    // `than - X < 0` or `X - than < 0`.
    let (factor, constant) = if rises { (Rational::ONE.neg(), than) } else { (Rational::ONE, than.neg()) };
    let integer = declared.ty == Type::Int;
    let (relation, constant) =
        if integer { (Relation::Le, constant.add(Rational::ONE)?) } else { (Relation::Lt, constant) };
    let expr = Linear { terms: vec![(cell, factor)], constant };
    let cube = vec![Literal::Linear { expr, relation, integer }];
    let bad = Bad::derived("", 1, params as u8, cube, declared.span);
    let asked = system.edited(|parts| parts.ask(vec![bad]));
    let options = ForwardOptions::default().max_states(BOUND_STATES);
    let seen = explore(&asked, procs, &options, &Interrupt::default(), &mut Silent).exploration;
    let trace = seen.unsafe_trace?;
    let state = trace.last();
    let layout = Layout::new(system, procs);
    let values =
        distinct_tuples(procs, params).filter_map(|index| match state.values[layout.position(var, index)] {
            Value::Number(value) => Some(value),
            _ => None,
        });
    if rises { values.max() } else { values.min() }
}

/// The number that init gives to a variable, where it is one number.
fn initially(system: &System, var: VarId) -> Option<Rational> {
    let [conj] = system.init.body.0.as_slice() else { return None };
    let number = conj.iter().filter_map(Literal::number).find(|(cell, _)| cell.var == var)?;
    Some(number.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Checker;
    use cubicle_backward::engine;
    use cubicle_run::{Interrupt, Looked, SearchOrder, Silent, Stage, Verdict};

    fn system() -> System {
        let model =
            "array A[proc] : bool init (p) { A[p] = False } unsafe (p q) { A[p] = True && A[q] = True }
                     transition t (p) requires { A[p] = False } { A[p] := True; }";
        cubicle_lang::load(model).expect("the model is well-formed").system
    }

    fn open(reason: Reason) -> Report {
        Report { verdict: Some(Verdict::Unknown(reason)), ..Report::default() }
    }

    fn reasons() -> Vec<Reason> {
        let cut = |stop| Reason::Partial(Cut { procs: 3, states: 7, stop });
        let stops = [Stop::Numbers, Stop::States, Stop::Time, Stop::Depth, Stop::Epochs, Stop::Wide];
        let mut reasons = vec![
            Reason::Nodes(100),
            Reason::Depth(100),
            Reason::Effort(100),
            Reason::Time,
            Reason::Memory,
            Reason::SolverUnknown("incomplete".into()),
            Reason::Spurious("t(#1)".into()),
            Reason::Overflow,
            Reason::Deadlocks(1),
            Reason::Interrupted(2),
        ];
        reasons.extend(stops.map(cut));
        reasons
    }

    fn advised(system: &System, options: &Options, report: &Report) -> Vec<Try> {
        advice(engine, system, options, report)
    }

    #[test]
    fn what_was_just_tried_is_never_proposed() {
        let system = system();
        let stage = |proof| Stage {
            proof,
            order: SearchOrder::Bfs,
            nodes: 1,
            effort: 1,
            reason: Some(Reason::Effort(1)),
        };
        let all =
            [BackwardMode::Classic, BackwardMode::Brab(2), BackwardMode::Brab(3), BackwardMode::Brab(4)];
        for reason in reasons() {
            for proof in
                [BackwardMode::Auto, BackwardMode::Classic, BackwardMode::Brab(2), BackwardMode::Brab(4)]
            {
                let options = Options { proof, ..Options::default() };
                let stages = if proof == BackwardMode::Auto { all.map(stage).to_vec() } else { Vec::new() };
                let report = Report { stages, ..open(reason.clone()) };
                for it in advised(&system, &options, &report) {
                    let again = match it {
                        Try::Auto => proof == BackwardMode::Auto,
                        Try::Pdr(procs) => proof == BackwardMode::Pdr(procs),
                        Try::Brab(procs) => {
                            proof == BackwardMode::Brab(procs)
                                || proof == BackwardMode::Auto && all.contains(&BackwardMode::Brab(procs))
                        }
                        _ => false,
                    };
                    assert!(!again, "{it:?} after {proof:?} ended for {reason:?}");
                }
            }
        }
    }

    /// After a signal the answer comes soon: what is proposed for a small system would take long for one with many transitions.
    #[test]
    fn nothing_is_tried_for_long_after_a_signal() {
        let closes = |transitions: usize| {
            let many = "transition t (p) requires { G = False } { A[p] := True }\n".repeat(transitions);
            let model = "var G : bool array A[proc] : bool init (p) { A[p] = False && G = False }
                unsafe (p) { A[p] = True && G = True }\n";
            let system = cubicle_lang::load(&format!("{model}{many}")).expect("a model").system;
            let (checker, interrupt) = (Checker::new(engine), Interrupt::default());
            let found = checker.check_on_this_thread(&system, &Options::classic(), &interrupt, &mut Silent);
            let verdict = Some(Verdict::Unknown(Reason::Interrupted(15)));
            let report = Report { verdict, stages: Vec::new(), ..found };
            advised(&system, &Options::brab(2), &report).contains(&Try::Classic)
        };
        assert!(closes(1) && !closes(201));
    }

    #[test]
    fn a_limit_is_raised_where_it_ended_the_run() {
        let system = system();
        let limits = |reason: Reason| -> Vec<Try> {
            let tries = advised(&system, &Options::brab(2), &open(reason));
            tries.into_iter().filter(|it| matches!(it, Try::More(_))).collect()
        };
        assert_eq!(limits(Reason::Nodes(7)), [Try::More(Limit::Nodes(7))]);
        assert_eq!(limits(Reason::Time), [Try::More(Limit::Time(None))]);
        assert_eq!(limits(Reason::SolverUnknown("incomplete".into())), [], "time would not help");
        let timeout = Options::default().backward.solver_timeout;
        assert_eq!(limits(Reason::SolverUnknown("timeout".into())), [Try::More(Limit::SolverTime(timeout))]);
        assert_eq!(limits(Reason::Spurious("t(#1)".into())), []);
    }

    #[test]
    fn after_spurious_traces_only_incomplete_instances_are_proposed() {
        let (system, mut report) = (system(), open(Reason::Spurious("t(#1)".into())));
        let looked = |procs, stop| Looked { procs, stop };
        report.looked_forward = vec![looked(2, Stop::Complete), looked(3, Stop::Complete)];
        assert_eq!(advised(&system, &Options::classic(), &report), [Try::Forbid]);
        report.looked_forward.push(looked(4, Stop::States));
        let explore = Try::Explore { procs: 4, walks: true };
        assert_eq!(advised(&system, &Options::classic(), &report), [Try::Forbid, explore]);
    }

    #[test]
    fn a_run_with_a_verdict_gets_no_advice() {
        let report = Report { verdict: Some(Verdict::Safe), ..Report::default() };
        assert_eq!(advised(&system(), &Options::default(), &report), []);
        assert_eq!(advised(&system(), &Options::default(), &open(Reason::Denied(1))), []);
    }
}
