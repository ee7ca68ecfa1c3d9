//! Searches that remember what universals say of processes that a cube does not name: random systems against brute force.
//!
//! The verdicts are those of the engines, unchecked: a check of their proofs would hide what is wrong with them. Then the proofs are checked, too.
//! `CUBICLE_RANDOM_SEED` and `CUBICLE_RANDOM_COUNT` choose the systems.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use cubicle::model::System;
use cubicle::transform::shrink::shrink;
use cubicle::{BackwardMode, Event, Interrupt, Observer, Options, Reason, Report, Verdict, check};

use crate::doors::small_search;
use crate::support::dice::environment;
use crate::support::examine::Failure;
use crate::support::explore::explore;
use crate::support::generate::{Weights, generate};
use crate::{doors, sorted};

/// States of an instance that brute force explores, for each number of processes.
const STATES: [usize; 5] = [300, 600, 900, 900, 400];

/// Nearly all searches end by their effort, long before.
const TIME: Duration = Duration::from_secs(30);

const ENGINES: [BackwardMode; 5] = [
    BackwardMode::Classic,
    BackwardMode::Brab(2),
    BackwardMode::Brab(3),
    BackwardMode::Pdr(2),
    BackwardMode::Auto,
];

/// How many searches there were, and what came of them.
#[derive(Clone, Copy, Default, Debug)]
struct Tally {
    searches: usize,
    safe: usize,
    wrong: usize,
    /// Searches that began again, with what guards say of all other processes.
    remembered: usize,
    /// Of these, searches that ended with a proof, and proofs that say something of other processes.
    proofs: usize,
    said: usize,
    /// Proofs that were checked.
    checked: usize,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, it: Self) {
        self.searches += it.searches;
        self.safe += it.safe;
        self.wrong += it.wrong;
        self.remembered += it.remembered;
        self.proofs += it.proofs;
        self.said += it.said;
        self.checked += it.checked;
    }
}

/// Counts how often a search begins again with what guards say of all other processes.
#[derive(Default)]
struct Remembering(usize);

impl Observer for Remembering {
    fn event(&mut self, _: &System, event: Event) {
        if let Event::Note { text: note } = event {
            self.0 += usize::from(note.contains("of all other processes"));
        }
    }
}

/// Searches that decide most of these systems, and end soon; some so soon that their candidates are chosen anew.
fn options(proof: BackwardMode, short: bool) -> Options {
    let mut options = small_search(proof);
    let (effort, network_at) = if short { (30, 0) } else { (4_000, 800) };
    options.backward = options.backward.max_nodes(100).max_effort(effort).network_at(network_at);
    options
}

fn run(system: &System, options: &Options) -> Result<(Report, usize), Failure> {
    let (interrupt, mut observer) = (Interrupt::default(), Remembering::default());
    interrupt.set_deadline(Instant::now() + TIME);
    let why = || format!("{:?}", options.proof);
    let report = check(system, options, &interrupt, &mut observer);
    let report =
        report.map_err(|it| Failure { kind: "internal error", detail: format!("{}: {it}", why()) })?;
    match &report.verdict {
        // A check has no limit but time.
        Some(Verdict::Unknown(reason @ (Reason::Interrupted(_) | Reason::Memory))) if options.unchecked => {
            return Err(Failure { kind: "a strange end", detail: format!("{}: {reason:?}", why()) });
        }
        Some(Verdict::Unknown(reason @ Reason::Uncertified(_))) => {
            return Err(Failure { kind: "refused", detail: format!("{}: {reason:?}", why()) });
        }
        _ => {}
    }
    Ok((report, observer.0))
}

fn says_others(report: &Report) -> bool {
    report.backward.iter().flat_map(|it| &it.invariant).any(|it| !it.others.is_empty())
}

/// The first small instance with a bad state, by brute force.
fn bad_instance(system: &System) -> Option<String> {
    (0..STATES.len()).find_map(|procs| {
        let reached = explore(system, procs, STATES[procs])?;
        let (state, bad) = reached.bad?;
        Some(format!("{} with {procs} processes: {}", system.bad[bad].name, reached.run_to(system, state)))
    })
}

/// Compares all engines with brute force, and has their proofs checked.
fn examine(text: &str) -> Result<Tally, Failure> {
    let Ok(loaded) = cubicle::load(text) else { return Ok(Tally::default()) };
    let system = &loaded.system;
    let short = text.len().is_multiple_of(2);
    let mut tally = Tally::default();
    let mut safe: Vec<(BackwardMode, bool)> = Vec::new();
    for proof in ENGINES {
        let (report, remembered) = run(system, &options(proof, short))?;
        tally.searches += 1;
        tally.remembered += usize::from(remembered > 0);
        match &report.verdict {
            Some(Verdict::Safe) => {
                tally.safe += 1;
                tally.proofs += usize::from(remembered > 0);
                tally.said += usize::from(says_others(&report));
                safe.push((proof, says_others(&report)));
            }
            Some(Verdict::Unsafe(_)) => tally.wrong += 1,
            _ => {}
        }
    }
    let engines: Vec<BackwardMode> = safe.iter().map(|it| it.0).collect();
    if !safe.is_empty() && tally.wrong > 0 {
        return Err(Failure { kind: "safe and unsafe", detail: format!("safe with {engines:?}") });
    }
    if !safe.is_empty()
        && let Some(bad) = bad_instance(system)
    {
        return Err(Failure { kind: "wrongly safe", detail: format!("safe with {engines:?}; {bad}") });
    }
    for (proof, says_others) in safe {
        // Proofs of all kinds are checked elsewhere.
        if says_others || text.len().is_multiple_of(16) {
            let mut checked = options(proof, short);
            checked.unchecked = false;
            let (report, _) = run(system, &checked)?;
            tally.checked += usize::from(report.verdict == Some(Verdict::Safe));
        }
    }
    Ok(tally)
}

/// How many models are drawn for a seed, until one has a search that remembers guards.
const DRAWN: u64 = 16;

/// Whether an exact search begins again with what guards say of all other processes.
fn remembers(text: &str) -> bool {
    let Ok(loaded) = cubicle::load(text) else { return false };
    let mut options = options(BackwardMode::Classic, false);
    options.backward = options.backward.max_nodes(30).max_effort(500);
    run(&loaded.system, &options).is_ok_and(|it| it.1 > 0)
}

/// The model of a seed: of the generator for all of the language, of that for sorts and witnesses, or of that for counts.
fn model(seed: u64) -> String {
    let draw = |more: u64| {
        let drawn = seed + 1_000_000_007 * more;
        match seed % 8 {
            6 => sorted::text_of_others(drawn),
            7 => doors::counting_text(drawn),
            _ => generate(drawn, &Weights::of_others(seed / 8)).to_string(),
        }
    };
    (0..DRAWN).map(draw).find(|it| remembers(it)).unwrap_or_else(|| draw(0))
}

fn verdict(text: &str) -> Result<Tally, Failure> {
    catch_unwind(AssertUnwindSafe(|| examine(text))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
        Err(Failure { kind: "panic", detail: text.unwrap_or_default() })
    })
}

/// Reduces a failing model.
fn report(text: &str, seed: u64, failure: &Failure) -> String {
    let same = |it: &str| verdict(it).is_err_and(|it| it.kind == failure.kind);
    let small = shrink(text, 400, &mut |it| Some(same(it))).text;
    let detail = verdict(&small).err().unwrap_or_else(|| failure.clone()).detail;
    format!("seed {seed}: {}\n{small}{detail}\n", failure.kind)
}

#[test]
fn searches_that_remember_guards_agree_with_brute_force() {
    let (first, count) = (environment("CUBICLE_RANDOM_SEED", 0), environment("CUBICLE_RANDOM_COUNT", 24));
    let mut tally = Tally::default();
    for seed in first..first + count {
        let text = model(seed);
        match verdict(&text) {
            Ok(more) => tally += more,
            Err(failure) => panic!("{}", report(&text, seed, &failure)),
        }
    }
    // Without such proofs, the test would show nothing.
    let counts = [tally.safe, tally.wrong, tally.remembered, tally.proofs, tally.said, tally.checked];
    assert!(counts.iter().all(|it| *it > 0), "{tally:?}");
}

/// A count that no formula follows over a step (`S1[q] <> A0` for all q at once) follows from what the step assigns when a trace is executed.
#[test]
fn traces_are_executed_where_no_formula_follows_a_count() {
    let text = "type t0 = A0 | A1 var G0 : t0 array S1[proc] : t0 array S2[proc] : t0
        init (p) { S1[p] = A1 }
        unsafe (p) { 2 * #{q | q <= p} <= #{q | G0 <> A1} - 1 }
        transition s1 (p) { G0 := S1[p]; S1[q] := case | 3 <> #{r | true} : A0 }
        transition s2 () requires { (forall p. G0 = S2[p]) } { S1[p] := case | #{q | S1[q] = A0} <= 2 : S2[p] }";
    if let Err(failure) = verdict(text) {
        panic!("{}", report(text, 0, &failure));
    }
}

#[test]
#[ignore = "long: a campaign over many systems"]
#[allow(clippy::print_stdout, reason = "shows disagreements as they come")]
fn campaign() {
    let first = environment("CUBICLE_RANDOM_SEED", 1_000_000);
    let count = environment("CUBICLE_RANDOM_COUNT", 10_000);
    let (mut tally, mut failures) = (Tally::default(), 0);
    std::panic::set_hook(Box::new(|_| {}));
    for seed in first..first + count {
        let text = model(seed);
        if count == 1 {
            println!("{text}");
        }
        match verdict(&text) {
            Ok(more) => tally += more,
            Err(failure) => {
                failures += 1;
                println!("{}", report(&text, seed, &failure));
            }
        }
        if (seed + 1 - first).is_multiple_of(100) {
            println!("{} systems: {tally:?}", seed + 1 - first);
        }
        if failures >= 30 {
            break;
        }
    }
    drop(std::panic::take_hook());
    println!("{tally:?}");
    assert_eq!(failures, 0, "disagreements");
}
