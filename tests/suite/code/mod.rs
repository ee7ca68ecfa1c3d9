//! Processes that are code: random programs against an interpreter that is written from the book alone; the examples against the same algorithms
//! as transitions.
//!
//! `CUBICLE_CODE_SEED` and `CUBICLE_CODE_COUNT` choose programs; the ignored test takes many.
//!
//! Seeds that find each of these mistakes again, should it be made: cells that leave their range are those of processes of any sort (11, 23, 218), `_other` is about
//! a name that is hidden (7915).

mod generate;
mod meaning;
mod program;
mod runs;
mod state;

use std::fmt::Write;
use std::path::Path;

use cubicle::forward::explore;
use cubicle::model::System;
use cubicle::{
    BackwardMode, ForwardOptions, Interrupt, Loaded, Options, Silent, Stop, Verdict, check, format, words,
};

use self::generate::{is_rich, program};
use self::meaning::{Reachable, Sizes, brute_force};
use self::program::{Program, SORTS};
use super::doors::{Failures, failing, small_search};
use super::sorted::{certified, sizes_of};
use super::support::dice::{compared, environment};

/// Most programs of a seed that are tried.
const MOST_ATTEMPTS: u64 = 4;

fn concrete(program: &Program, sizes: Sizes) -> ForwardOptions {
    // Where places stay open, a state for each of their values would be too many.
    let options = ForwardOptions::default().symmetry(false).undefined_cells(program.has_open_places());
    let of_sorts = SORTS.iter().zip(sizes).filter(|_| program.pointers.is_some());
    let of_sorts = of_sorts.map(|(sort, size)| ((*sort).to_owned(), size)).collect();
    options.stop_at_unsafe(false).deadlock(true).of_sorts(of_sorts)
}

/// The instances that are compared, small ones first.
fn instances(program: &Program) -> Vec<Sizes> {
    if program.pointers.is_none() {
        return (usize::from(program.names_first)..=3).map(|procs| [procs, 0]).collect();
    }
    let all = (0..=4).flat_map(|total| (0..=total.min(2)).map(move |locks| [total - locks, locks]));
    all.filter(|it| it[0] <= 3).collect()
}

/// Most states of an instance; those of rich programs take longer.
const fn most_states([first, second]: Sizes, rich: bool) -> usize {
    match (rich, first + second > 2) {
        (true, _) => 500,
        (false, true) => 3000,
        (false, false) => 5000,
    }
}

/// A statement of which it is open which cell it reads, a cell at a cell or at `nil`, a constant that leaves its range, and `always` of a cell that may
/// not exist; a count that stands for an index, in a remainder or in a count, a quantifier about the cell that a `case` assigns, and one in a `case` of a cell that a
/// pointer names.
fn is_expected(refusal: &str) -> bool {
    ["C0722", "C0014", "C0724", "C0213", "C0725", "C0203", "C0204", "C0305", "C0408", "C0405", "C0504"]
        .iter()
        .any(|code| refusal.contains(code))
}

/// The program of a seed with its text, if one is read: most that are rich are refused.
fn read(seed: u64, make: impl Fn(u64, u64) -> Program) -> Result<Option<(Program, String, Loaded)>, String> {
    for attempt in 0..if is_rich(seed) { MOST_ATTEMPTS } else { 1 } {
        let program = make(seed, attempt);
        let text = program.to_string();
        match cubicle::load(&text) {
            Ok(loaded) => return Ok(Some((program, text, loaded))),
            Err(why) if is_expected(&format!("{why:?}")) => {}
            Err(why) => return Err(format!("seed {seed}: refused\n{text}\n{why}")),
        }
    }
    Ok(None)
}

/// Whether there was something to compare; what is wrong.
fn examine(seed: u64) -> Result<bool, String> {
    let Some((program, text, loaded)) = read(seed, program)? else {
        return Ok(false);
    };
    let laid_out = format::format(&text).map_err(|why| format!("seed {seed}: {why:?}\n{text}"))?;
    if format::format(&laid_out).as_deref() != Ok(laid_out.as_str()) {
        return Err(format!("seed {seed}: laid out twice, it is another text\n{laid_out}"));
    }
    let printed = words::model(&loaded.system);
    let again = cubicle::load(&printed).map_err(|why| format!("seed {seed}: {why}\n{text}\n{printed}"))?;
    let failures = Failures::of(seed);
    let with_failures = failing(&loaded.system, failures);
    let mut compared = false;
    let mut unsafe_in = None;
    for sizes in instances(&program) {
        let procs: usize = sizes.iter().sum();
        let concrete = concrete(&program, sizes);
        let compare = |name: &str, system: &System, right: &Reachable| {
            let found = explore(system, procs, &concrete, &Interrupt::default(), &mut Silent).exploration;
            if found.stop != Stop::Complete {
                return Ok(false);
            }
            let mut wrong = String::new();
            let bad = found.unsafe_trace.is_some();
            if bad != (right.bad || right.error) {
                let _ = write!(wrong, "bad: {bad}, right: {} or {}; ", right.bad, right.error);
            }
            // What a run does after a bad state that quantifiers note, or an error, is left open.
            let noted = bad && program.always.is_some();
            // States are counted where each is one.
            let is_counted = !program.has_open_places();
            if !right.error && !noted && is_counted && found.states != right.states {
                let _ = write!(wrong, "states: {}, right: {}; ", found.states, right.states);
            }
            let deadlocks = [found.deadlock_states, right.deadlocks];
            let differ = deadlocks[0] != deadlocks[1] && (is_counted || deadlocks.contains(&0));
            if !right.error && !noted && differ {
                let _ = write!(wrong, "deadlocks: {}, right: {}; ", found.deadlock_states, right.deadlocks);
            }
            if wrong.is_empty() {
                return Ok(procs > 0);
            }
            Err(format!("seed {seed}, {sizes:?}, {name}: {wrong}\n{text}\n{printed}"))
        };
        let limit = most_states(sizes, is_rich(seed));
        let right = brute_force(&program, sizes, failures, limit);
        if let Some((system, right)) = with_failures.as_ref().zip(right) {
            compare(&format!("{failures:?}"), system, &right)?;
        }
        let Some(right) = brute_force(&program, sizes, Failures::None, limit) else { continue };
        if right.bad || right.error {
            unsafe_in.get_or_insert(sizes);
        }
        compared |= compare("the program", &loaded.system, &right)?;
        // Sorts are values of an array there, of which each division of the processes is an initial state.
        if program.pointers.is_none() {
            compared |= compare("its core", &again.system, &right)?;
        }
        let merging = concrete.undefined_cells(true).merge_dead(true);
        let merged = explore(&loaded.system, procs, &merging, &Interrupt::default(), &mut Silent).exploration;
        let ended = (right.bad || right.error, right.deadlocks > 0, right.states);
        let found = (merged.unsafe_trace.is_some(), merged.deadlock_states > 0, merged.states);
        let noted = ended.0 && (program.always.is_some() || right.error);
        // What `?` leaves open and what is known of it later are states beside each other.
        let fewer = !text.contains(":= ?")
            && !program.has_open_places()
            && program.codes.iter().all(|it| it.own.is_some());
        if merged.stop == Stop::Complete
            && (found.0 != ended.0 || !noted && (found.1 != ended.1 || fewer && found.2 > ended.2))
        {
            return Err(format!(
                "seed {seed}, {sizes:?}, where dead cells are left open: bad, deadlocked, states {found:?}, right: {ended:?}\n{text}"
            ));
        }
    }
    if compared && seed.is_multiple_of(6) {
        proof(seed, &text, &loaded.system, &program, unsafe_in)?;
    }
    Ok(compared)
}

fn proof(
    seed: u64,
    text: &str,
    system: &System,
    program: &Program,
    unsafe_in: Option<Sizes>,
) -> Result<(), String> {
    let report = check(system, &small_search(BackwardMode::Auto), &Interrupt::default(), &mut Silent);
    let report = report.map_err(|why| format!("seed {seed}: internal error {why}\n{text}"))?;
    match (&report.verdict, unsafe_in) {
        (Some(Verdict::Safe), Some(sizes)) => {
            Err(format!("seed {seed}: safe, but unsafe with {sizes:?}\n{text}"))
        }
        (Some(Verdict::Safe), None) => certified(system, text, &report)
            .map_err(|why| format!("seed {seed}: not certified: {why}\n{text}")),
        (Some(Verdict::Unsafe(trace)), None) if trace.initial.procs <= 3 => {
            let sizes = match system.sort_array() {
                Some(_) => sizes_of(system, &trace.initial),
                None => [trace.initial.procs, 0, 0],
            };
            let right = brute_force(program, [sizes[0], sizes[1]], Failures::None, 5000);
            if right.is_some_and(|it| !it.bad && !it.error) {
                return Err(format!("seed {seed}: unsafe with {sizes:?}, but it is not\n{text}"));
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn campaign(first: u64, count: u64) {
    let compared = compared(first, count, |seed| examine(seed).map(usize::from));
    assert!(compared * 2 > count, "only {compared} of {count} programs were compared");
}

#[test]
fn programs_mean_what_the_book_says() {
    campaign(environment("CUBICLE_CODE_SEED", 0), environment("CUBICLE_CODE_COUNT", 150));
}

#[test]
#[ignore = "takes long"]
fn campaign_of_programs() {
    campaign(environment("CUBICLE_CODE_SEED", 1_000), environment("CUBICLE_CODE_COUNT", 3_000));
}

/// The lines of a model that are neither comments nor blank.
#[test]
fn a_process_that_is_chosen_later_in_a_step_is_not_hidden_before() {
    let text =
        "array Seen[proc] : bool init (p) { Seen[p] = False } never (p q) { At[p] = Crit && At[q] = Crit }
        process at (p) {
          scan: while exists_other q. Seen[q] = False { with q { await Seen[q] = False; Seen[q] := True } }
          crit: with q { await Seen[q] = True }
            await exists_other q. Seen[q] = True
        }";
    let hides = |text: &str| {
        let loaded = cubicle::load(text).expect("a model");
        loaded.warnings.iter().filter(|it| it.code == "C0903").count()
    };
    assert_eq!(hides(text), 0);
    assert_eq!(hides(&text.replace("await Seen[q] = False", "await exists q. Seen[q] = False")), 1);
}

fn lines(text: &str) -> usize {
    let mut rest = text.to_owned();
    while let Some(start) = rest.find("(*") {
        let end = rest[start..].find("*)").map_or(rest.len(), |at| start + at + 2);
        rest.replace_range(start..end, "");
    }
    rest.lines().filter(|line| !line.trim().is_empty()).count()
}

#[test]
fn examples_have_the_states_of_their_transitions_in_two_thirds_of_the_lines() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(root.join(path)).expect("a readable model");
    for (name, transitions) in [
        ("code_peterson", "examples/peterson.cub"),
        ("code_futex", "tests/code/futex.cub"),
        ("code_seqlock", "tests/code/seqlock.cub"),
        ("code_mcs", "tests/code/mcs.cub"),
        ("code_queue", "tests/code/queue.cub"),
    ] {
        let texts = [read(&format!("examples/{name}.cub")), read(transitions)];
        let [own, other] = [lines(&texts[0]), lines(&texts[1])];
        assert!(own * 3 <= other * 2, "{name}: {own} lines, as transitions {other}");
        let systems =
            texts.map(|text| cubicle::load(&text).unwrap_or_else(|why| panic!("{name}: {why}")).system);
        for procs in 0..=3 {
            let orbits = systems.each_ref().map(|system| {
                let options = ForwardOptions::default();
                let found = explore(system, procs, &options, &Interrupt::default(), &mut Silent).exploration;
                assert_eq!(found.stop, Stop::Complete, "{name}");
                (found.states, found.unsafe_trace.is_some())
            });
            assert_eq!(orbits[0], orbits[1], "{name} with {procs} processes");
        }
        let verdicts = systems.each_ref().map(|system| {
            let report = check(system, &Options::default(), &Interrupt::default(), &mut Silent);
            report.unwrap_or_else(|why| panic!("{name}: {why}")).verdict.map(|it| it == Verdict::Safe)
        });
        assert_eq!(verdicts, [Some(true), Some(true)], "{name}");
    }
}
