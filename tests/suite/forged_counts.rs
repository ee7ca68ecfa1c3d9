//! Forged certificates of models that count: another change, another initial value, another count in place of one, fewer processes, a
//! line less; and true certificates beside models whose steps count in another way. What is accepted holds in small instances.

use std::time::Duration;

use cubicle::certificate::{self, CheckOptions, Claim, Extent};
use cubicle::model::semantics::{Layout, Semantics, State, Value, is_forbidden};
use cubicle::model::{Rational, System};
use cubicle::{Forbidden, Interrupt, Options, Silent, Vacuity, Verdict};

use crate::support::explore::explore;

const TIMEOUT: Duration = Duration::from_secs(20);

/// States of an instance that brute force looks at.
const STATES: usize = 2_000;

fn how(interrupt: &Interrupt) -> CheckOptions<'_> {
    CheckOptions::new(TIMEOUT, interrupt)
}

/// A model of a folder, and its certificate.
fn proved(folder: &str, name: &str) -> (String, String) {
    let path = format!("{}/{folder}/{name}.cub", env!("CARGO_MANIFEST_DIR"));
    let model = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let system = cubicle::load(&model).expect("the model is well-formed").system;
    let options = Options::default().vacuity(Vacuity::Ignore).only_states(true).unchecked(true);
    let interrupt = Interrupt::default();
    let report = cubicle::check(&system, &options, &interrupt, &mut Silent).expect("no engine fails");
    assert_eq!(report.verdict, Some(Verdict::Safe), "{name}");
    let certified = certificate::certify(&system, &model, Claim::of(&report), how(&interrupt));
    let certificate = certified.unwrap_or_else(|it| panic!("{name}: {}", certificate::explain(&it)));
    let text = certificate.invariants(&system);
    (model, text)
}

/// Everywhere that a text occurs: the line with another one in its place.
fn replaced(line: &str, from: &str, to: &str) -> Vec<String> {
    line.match_indices(from)
        .map(|(at, _)| format!("{}{to}{}", &line[..at], &line[at + from.len()..]))
        .collect()
}

/// A line of a certificate with one thing changed.
fn forged(system: &System, line: &str) -> Vec<String> {
    let mut all = Vec::new();
    // Another change in each step, another initial value, another bound.
    all.extend(replaced(line, "#{", "2 * #{"));
    all.extend(replaced(line, "#{", "1 + #{"));
    all.extend(replaced(line, "sum{", "2 * sum{"));
    all.extend(replaced(line, "sum{", "1 + sum{"));
    all.extend(replaced(line, "#proc", "#proc + 1"));
    for n in 0..4 {
        all.extend(replaced(line, &format!(" {n} "), &format!(" {} ", n + 1)));
    }
    for (from, to) in [(" <> ", " < "), (" <> ", " > "), (" <> ", " = "), (" <= ", " > "), (" <= ", " <> ")] {
        all.extend(replaced(line, from, to));
    }
    // Another count.
    for names in system.enums.iter().map(|it| &it.constructors) {
        for (at, name) in names.iter().enumerate() {
            let next = &names[(at + 1) % names.len()];
            for end in [" ", "}"] {
                all.extend(replaced(line, &format!("= {name}{end}"), &format!("= {next}{end}")));
            }
        }
    }
    // An instance with fewer processes.
    if line.contains("(p1 p2)") {
        all.push(line.replace("(p1 p2)", "(p1)").replace("p2", "p1"));
    }
    all
}

/// The certificate with each line forged in each way, and without each line.
fn forgeries(system: &System, text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut all = Vec::new();
    for (at, line) in lines.iter().enumerate().filter(|it| it.1.starts_with("invariant")) {
        let with = |line: Option<&str>| {
            let kept =
                lines.iter().enumerate().filter_map(|(n, known)| if n == at { line } else { Some(*known) });
            kept.collect::<Vec<_>>().join("\n")
        };
        all.push(with(None));
        all.extend(forged(system, line).iter().map(|line| with(Some(line))));
    }
    all
}

/// The model with a step or `init` that counts in another way.
fn other_models(model: &str) -> Vec<String> {
    let body = model.rfind("*)").map_or(0, |end| end + 2);
    let (head, body) = model.split_at(body);
    let changes = [(" + 1", " + 2"), (" - 1", ""), (" - 1", " - 2"), (" = 0", " = 1"), (" > 0", " >= 0")];
    let all = changes.iter().flat_map(|(from, to)| replaced(body, from, to));
    all.map(|body| format!("{head}{body}")).collect()
}

/// Whether a cube of an accepted certificate holds in a reachable state of a small instance.
fn is_false(model: &System, system: &System, cubes: &[Forbidden]) -> bool {
    (0..=3).filter_map(|procs| explore(model, procs, STATES)).any(|reached| {
        let (semantics, layout) = (Semantics::new(system, reached.procs), Layout::new(system, reached.procs));
        let cells: usize = system.vars.iter().map(|var| reached.procs.pow(var.arity() as u32)).sum();
        let held = |state: &State| {
            let mut state = state.clone();
            state.values.resize(cells, Value::Number(Rational::ZERO));
            let state = semantics.with_counts(state).expect("numbers are small");
            cubes.iter().any(|claim| is_forbidden(&layout, &state, claim))
        };
        reached.states.keys().any(held)
    })
}

/// How many certificates are refused. One that is accepted holds.
fn refused(model: &str, texts: &[String]) -> usize {
    let Ok(loaded) = cubicle::load(model) else { return 0 };
    let (plain, interrupt) = (loaded.system, Interrupt::default());
    let mut refused = 0;
    for text in texts {
        match certificate::check(&plain, model, text, Extent::All, how(&interrupt)) {
            Err(_) => refused += 1,
            Ok(certificate) => {
                let cubes = &certificate.cubes;
                let wrong = is_false(&plain, &cubes.system(), &cubes.all[..cubes.proved]);
                assert!(!wrong, "accepted, and wrong:\n{model}\n{text}");
            }
        }
    }
    refused
}

fn refused_of(folder: &str, name: &str) -> usize {
    let (model, text) = proved(folder, name);
    let system = cubicle::load(&model).expect("a model").system;
    let of_text = refused(&model, &forgeries(&system, &text));
    let others = other_models(&model);
    of_text + others.iter().map(|other| refused(other, std::slice::from_ref(&text))).sum::<usize>()
}

#[test]
fn some_forged_certificates_of_models_that_count_are_refused() {
    let of = |name| refused_of("examples", name);
    let count: usize = ["refcounts", "majority_leader"].into_iter().map(of).sum();
    assert!(count >= 25, "{count}");
}

#[test]
fn forged_certificates_of_models_with_conditional_sums_are_refused() {
    let names = [
        "unk_500100404",
        "sum_of_alternatives",
        "sum_over_no_others",
        "sum_of_the_named",
        "sum_over_none_by_lemma",
        "sum_over_none_by_count",
    ];
    let counts = names.map(|name| refused_of("tests/found4", name));
    assert!(counts.iter().all(|it| *it > 0), "{counts:?}");
    assert!(counts.iter().sum::<usize>() >= 25, "{counts:?}");
}

#[test]
#[ignore = "long: each certificate is checked"]
#[allow(clippy::print_stdout, reason = "shows the numbers")]
fn forged_certificates_of_models_that_count_are_refused() {
    let mut all = 0;
    for name in [
        "readers_count",
        "readers_priority",
        "refcount",
        "refcounts",
        "semaphore",
        "bounded_buffer",
        "barrier_count",
        "sense_barrier",
        "two_phase_count",
        "majority_leader",
        "leader_ballots",
        "thread_pool",
        "splitter_count",
        "transfer",
        "ticket_queue",
        "rw_spin",
        "rw_word",
    ] {
        let refused = refused_of("examples", name);
        println!("{name}: {refused} refused");
        all += refused;
    }
    assert!(all >= 500, "{all}");
}
