//! Deadlocks of random systems with proc variables: explorations against brute force over all paths.
//!
//! `CUBICLE_RANDOM_COUNT` and `CUBICLE_RANDOM_SEED` choose how many systems and which, also for the campaign
//! (`cargo test --release --test suite -- --ignored deadlocks::campaign`).

use std::panic::{AssertUnwindSafe, catch_unwind};

use cubicle::model::semantics::{State, Trace, replay};
use cubicle::model::{Conj, System};
use cubicle::transform::shrink::shrink;
use cubicle::{Exploration, ForwardOptions, Interrupt, Silent, Stop, Strategy, forward};

use crate::support::clean::Ends;
use crate::support::dice::{Dice, environment};
use crate::support::examine::{Failure, random_literal};
use crate::support::explore::{Reached, canonical, explore};
use crate::support::generate::{Weights, generate};

/// Approximate number of states of one instance that brute force explores.
const STATES: usize = 1_000;

/// Counts of the cases that occurred, so that a test cannot pass vacuously.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    /// Instances compared.
    instances: usize,
    /// Those with deadlocks.
    deadlocked: usize,
    /// Those with both kinds: deadlocks that clean runs lead to, and others.
    mixed: usize,
    /// Those with only deadlocks that no clean run leads to.
    outside: usize,
    /// Those with a clean run to a deadlock on which there is an outside value.
    needed: usize,
}

fn failure<T>(kind: &'static str, detail: String) -> Result<T, Failure> {
    Err(Failure { kind, detail })
}

/// Compares explorations of small instances with brute force, with and without expected ends.
fn examine(text: &str, seed: u64) -> Result<Tally, Failure> {
    let loaded = cubicle::load(text).map_err(|error| {
        let detail =
            error.diagnostics.iter().map(|m| format!("{} {}", m.code, m.message)).collect::<Vec<_>>();
        Failure { kind: "rejected", detail: detail.join("\n") }
    })?;
    let system = &loaded.system;
    let mut dice = Dice::new(seed ^ 0xdead);
    let mut tally = Tally::default();
    for procs in 0..=3 {
        let Some(reached) = explore(system, procs, STATES) else { continue };
        let size = dice.below(3);
        let expected: Conj = (0..size).filter_map(|_| random_literal(system, 1, &mut dice)).collect();
        for expected in [Conj::new(), expected] {
            let ends = Ends::new(system, &reached, &expected, STATES);
            compare(system, &reached, &ends, &expected, &mut dice)?;
            if ends.complete {
                let (all, clean) = (ends.deadlocks.len(), ends.clean.len());
                tally.instances += 1;
                tally.deadlocked += usize::from(all > 0);
                tally.mixed += usize::from(0 < clean && clean < all);
                tally.outside += usize::from(all > 0 && clean == 0);
                tally.needed += usize::from(ends.clean.keys().any(holds_outside));
            }
        }
    }
    Ok(tally)
}

fn holds_outside(state: &State) -> bool {
    use cubicle::model::semantics::Value;
    state.values.iter().any(|v| matches!(v, Value::Proc(p) if p.as_process(state.procs).is_none()))
}

fn compare(
    system: &System,
    reached: &Reached,
    ends: &Ends<'_>,
    expected: &Conj,
    dice: &mut Dice,
) -> Result<(), Failure> {
    for strategy in [Strategy::Bfs, Strategy::Dfs, Strategy::Random, Strategy::Cfl] {
        let exhaustive = matches!(strategy, Strategy::Bfs | Strategy::Dfs);
        for switches in 0..4 {
            let (symmetry, undefined_cells) = (switches & 1 == 1, switches & 2 == 2);
            if !exhaustive && dice.below(6) > 0 {
                continue;
            }
            let options = ForwardOptions::default()
                .strategy(strategy)
                .symmetry(symmetry)
                .undefined_cells(undefined_cells)
                .merge_dead(true)
                .deadlock(true)
                .stop_at_unsafe(false)
                .max_states(if exhaustive { 4 * STATES } else { 300 })
                .epochs((!exhaustive).then_some(3))
                .seed(dice.below(1000) as u64)
                .expected_end(expected.clone())
                .jobs(1 + dice.below(2));
            let found = forward::explore(system, reached.procs, &options, &Interrupt::default(), &mut Silent)
                .exploration;
            let of = || {
                let shortest = ends.clean.values().min();
                let (all, clean) = (ends.deadlocks.len(), ends.clean.len());
                format!(
                    "{strategy:?} with {} processes, symmetry {symmetry}, undefined {undefined_cells}, \
                     expected {expected:?}: {:?}, {} states, {} deadlocks, {} outside, {} unclear, {} runs\n\
                     brute force: {all} deadlocks, {clean} of clean runs, shortest {shortest:?}\n{:?}",
                    reached.procs,
                    found.stop,
                    found.states,
                    found.deadlock_states,
                    found.outside_deadlock_states,
                    found.unclear_deadlock_states,
                    found.deadlocks.len(),
                    found.deadlocks.first(),
                )
            };
            runs_are_what_they_claim(system, ends, &found, of)?;
            if !ends.complete || found.stop != Stop::Complete {
                continue;
            }
            if (found.deadlock_states > 0) == ends.deadlocks.is_empty() {
                return failure("deadlocks are missed or made up", of());
            }
            if found.unclear_deadlock_states > 0 || found.deadlocks.is_empty() != ends.clean.is_empty() {
                return failure("deadlocks that count are missed or made up", of());
            }
            let shortest = found.deadlocks.iter().map(|trace| trace.steps.len()).min();
            if strategy == Strategy::Bfs && shortest != ends.clean.values().min().copied() {
                return failure("the run to a deadlock is not a shortest one", of());
            }
            // States that differ only in nameless values may be merged, and then count when one of them does.
            let outside = ends.deadlocks.len() > ends.clean.len();
            let plainly = ends.has_plainly_outside(reached);
            let told = found.outside_deadlock_states > 0;
            if !undefined_cells && (told && !outside || plainly && !told) {
                return failure("deadlocks that do not count are miscounted", of());
            }
        }
    }
    Ok(())
}

/// Whether runs end in deadlocks that are not expected ends, and runs reported as clean are clean.
fn runs_are_what_they_claim(
    system: &System,
    ends: &Ends<'_>,
    found: &Exploration,
    of: impl Fn() -> String,
) -> Result<(), Failure> {
    for trace in found.deadlocks.iter().chain(&found.outside_deadlocks) {
        if let Err(error) = replay(system, trace) {
            return failure("a trace to a deadlock is not a run", format!("{error}\n{trace:?}\n{}", of()));
        }
        if ends.is_expected_end(last(trace)) != Some(false) {
            return failure("a run to an expected end", format!("{trace:?}\n{}", of()));
        }
    }
    for trace in found.deadlocks.iter().filter(|_| ends.complete) {
        if !ends.is_clean(trace) {
            return failure("a run is not clean", format!("{trace:?}\n{}", of()));
        }
    }
    for trace in found.outside_deadlocks.iter().filter(|_| ends.complete) {
        if ends.clean.contains_key(&canonical(system, last(trace))) {
            return failure("a deadlock counts after all", format!("{trace:?}\n{}", of()));
        }
    }
    Ok(())
}

fn last(trace: &Trace) -> &State {
    trace.steps.last().map_or(&trace.initial, |step| &step.after)
}

/// As [`examine`]; a panic of the explorer is a failure, too.
fn verdict(model: &str, seed: u64) -> Result<Tally, Failure> {
    let run = AssertUnwindSafe(|| examine(model, seed));
    catch_unwind(run).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
        failure("panic", text.unwrap_or_default())
    })
}

/// Examines systems; those that fail, reduced.
fn examine_all(first: u64, count: u64, progress: impl Fn(&Tally, u64, &[String])) -> (Tally, Vec<String>) {
    let (mut sum, mut failures) = (Tally::default(), Vec::new());
    for seed in first..first + count {
        let model = generate(seed, &Weights::pointing(seed)).to_string();
        match verdict(&model, seed) {
            Ok(tally) => {
                sum.instances += tally.instances;
                sum.deadlocked += tally.deadlocked;
                sum.mixed += tally.mixed;
                sum.outside += tally.outside;
                sum.needed += tally.needed;
            }
            Err(Failure { kind, .. }) => {
                let same = |m: &str| verdict(m, seed).is_err_and(|f| f.kind == kind);
                let small = shrink(&model, 300, &mut |m| Some(same(m))).text;
                let detail = verdict(&small, seed).err().map_or_else(String::new, |f| f.detail);
                failures.push(format!("seed {seed}: {kind}\n{small}{detail}\n"));
                if failures.len() >= 10 {
                    break;
                }
            }
        }
        if (seed - first) % 1000 == 999 {
            progress(&sum, seed - first + 1, &failures);
        }
    }
    (sum, failures)
}

#[test]
fn deadlocks_agree_with_brute_force() {
    let (first, count) = (environment("CUBICLE_RANDOM_SEED", 0), environment("CUBICLE_RANDOM_COUNT", 30));
    let (tally, failures) = examine_all(first, count, |_, _, _| {});
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    // The systems are of use only when all kinds occur.
    let kinds = [tally.deadlocked, tally.mixed, tally.outside, tally.needed];
    assert!(kinds.iter().all(|n| *n > 0), "{tally:?}");
}

#[test]
#[ignore = "long: a campaign over many systems"]
#[allow(clippy::print_stdout, reason = "shows disagreements as they come")]
fn campaign() {
    let first = environment("CUBICLE_RANDOM_SEED", 2_000_000);
    let count = environment("CUBICLE_RANDOM_COUNT", 2_000);
    std::panic::set_hook(Box::new(|_| {}));
    let progress = |tally: &Tally, done, failures: &[String]| {
        println!("{done} systems, {} disagreements: {tally:?}", failures.len());
    };
    let (tally, failures) = examine_all(first, count, progress);
    drop(std::panic::take_hook());
    println!("{tally:?}");
    assert!(failures.is_empty(), "{} disagreements\n{}", failures.len(), failures.join("\n"));
}

/// A deadlock counts if some clean run leads to it, whichever run found it first.
#[test]
fn a_deadlock_counts_whichever_run_found_it_first() {
    let pointed = (
        "var P : proc  array S[proc] : bool  init (z) { S[z] = False }",
        "transition g (x) requires { S[x] = False && P <> x && forall_other o. P <> o }
         { S[j] := case | _ : True; P := x }",
        "transition h (x) requires { S[x] = False && P = x } { S[j] := case | _ : True }",
        "h",
    );
    // Here init forces `P` to be outside, and a copy keeps that value.
    let copied = (
        "var P : proc  var Q : proc  array S[proc] : bool
         init (z) { S[z] = False && P <> z && Q <> P }",
        "transition g (x) requires { Q <> P } { Q := x; S[x] := True }",
        "transition h (x) requires { Q <> P && S[x] = True } { Q := P }",
        "gh",
    );
    for (declarations, g, h, run) in [pointed, copied] {
        for transitions in [[g, h], [h, g]] {
            let text = format!("{declarations}\n{}", transitions.join("\n"));
            let system = cubicle::load(&text).expect("a correct model").system;
            for strategy in [Strategy::Bfs, Strategy::Dfs, Strategy::Random, Strategy::Cfl] {
                for (symmetry, undefined_cells) in [(true, true), (false, true), (true, false)] {
                    let options = ForwardOptions::default()
                        .strategy(strategy)
                        .symmetry(symmetry)
                        .undefined_cells(undefined_cells)
                        .merge_dead(true)
                        .deadlock(true);
                    let found = forward::explore(&system, 2, &options, &Interrupt::default(), &mut Silent)
                        .exploration;
                    let trace = found.deadlocks.first().expect("a deadlock that counts");
                    let names =
                        trace.steps.iter().map(|step| system.transition(step.transition).name.as_str());
                    assert_eq!(names.collect::<String>(), run, "{options:?}\n{text}");
                    assert_eq!(found.unclear_deadlock_states, 0);
                }
            }
        }
    }
}
