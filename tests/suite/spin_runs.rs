//! Properties of runs under weak fairness, compared with SPIN (`pan -a -f`): the same verdicts on whole models. Where spin or
//! gcc is missing, the test counts as ignored.
//!
//! SPIN is fair to its processes. So each instance of a fair transition is a process, and another one has all steps that no
//! run has to take; while a fair step is possible it may also do nothing, which properties without `X` do not see.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cubicle::export::{InstanceName, Target, export};
use cubicle::forward::{RunAnswer, check_runs};
use cubicle::model::System;
use cubicle::{ForwardOptions, Interrupt, load};

/// A model of `examples`, or, with a slash, of the tests; a number of processes; a property; its formula for SPIN, with process `$`.
const CASES: [(&str, usize, &str, &str); 16] = [
    ("live_ticket", 2, "served", "[] ((v_At[$] == Waiting) -> <> (v_At[$] == Inside))"),
    ("live_ticket", 3, "outside", "[] <> (v_At[$] == Outside)"),
    ("live_ticket_wrong", 2, "served", "[] ((v_At[$] == Waiting) -> <> (v_At[$] == Inside))"),
    ("live_peterson", 3, "served", "[] ((v_At[$] == A1) -> <> (v_At[$] == Critical))"),
    ("live_peterson_wrong", 3, "served", "[] ((v_At[$] == A1) -> <> (v_At[$] == Critical))"),
    ("live_dekker", 2, "served", "[] ((v_At[$] == Trying) -> <> (v_At[$] == Critical))"),
    ("live_dekker_wrong", 2, "served", "[] ((v_At[$] == Trying) -> <> (v_At[$] == Critical))"),
    ("live_germanish", 3, "read", "[] ((v_Desk == ReadWanted && v_Caller == $) -> <> (v_Copy[$] == Read))"),
    (
        "live_germanish_wrong",
        3,
        "write",
        "[] ((v_Desk == WriteWanted && v_Caller == $) -> <> (v_Copy[$] == Write))",
    ),
    ("live_germanish_wrong", 2, "copied", "[] ((v_Copy[$] == None) -> <> (v_Copy[$] != None))"),
    ("live_token_ring", 3, "visited", "[] <> (v_At[$] == Holding)"),
    ("live_token_ring_wrong", 3, "visited", "[] <> (v_At[$] == Holding)"),
    ("live_two_phase_commit", 6, "decided", DECIDED),
    ("live_two_phase_commit_wrong", 6, "decided", DECIDED),
    ("tests/runs/v01_weak_lock", 3, "live", "[] ((v_At[$] == Want) -> <> (v_At[$] == Crit))"),
    ("tests/runs/v08_deadlock", 2, "live", "[] ((v_At[$] == Want) -> <> (v_At[$] == Crit))"),
];

const DECIDED: &str =
    "[] ((v_Status[$] == Prepared) -> <> (v_Status[$] == Committed || v_Status[$] == Aborted))";

/// A step as the export writes it: the transition, its arguments, the guard, the option.
struct Step {
    name: String,
    args: String,
    guard: String,
    option: String,
}

/// The model for SPIN, with a process for each instance of a fair transition.
fn promela(system: &System, procs: usize, formula: &str) -> String {
    let name = InstanceName {
        procs,
        of_sorts: Vec::new(),
        range: None,
        source: "model".into(),
        module: "model".into(),
    };
    let text = export(system, &name, Target::Promela).unwrap_or_else(|refused| panic!("{}", refused.what));
    let (declarations, body) = text.split_once("active proctype instance() {\n").expect("one process");
    let (choices, options) = body.split_once("end:\n").expect("a loop");
    let mut steps = Vec::new();
    let mut lines = options.lines().map(str::trim);
    while let Some(line) = lines.next() {
        let Some(title) = line.strip_prefix("/* ").and_then(|it| it.strip_suffix(" */")) else { continue };
        let option = lines.next().expect("an option").to_owned();
        if option.ends_with("-> assert(false) }") {
            continue;
        }
        let (name, args) = title.split_once('(').expect("arguments");
        let guard = option.strip_prefix(":: d_step { ").and_then(|it| it.split_once(" -> skip"));
        let guard = guard.unwrap_or_else(|| panic!("{option}")).0.to_owned();
        steps.push(Step { name: name.to_owned(), args: args.to_owned(), guard, option });
    }
    let fair = |step: &Step| system.fairness.iter().any(|it| system.name_of(it) == step.name);
    let mut processes: Vec<(String, Vec<&Step>)> = Vec::new();
    for step in steps.iter().filter(|step| fair(step)) {
        let key = format!("{}({}", step.name, step.args);
        match processes.iter_mut().find(|(known, _)| *known == key) {
            Some((_, options)) => options.push(step),
            None => processes.push((key, vec![step])),
        }
    }
    let mut made = declarations.to_owned();
    let mut begun = String::new();
    for (number, (_, options)) in processes.iter().enumerate() {
        let options: Vec<&str> = options.iter().map(|it| it.option.as_str()).collect();
        let _ = writeln!(made, "proctype fair{number}() {{ end: do\n{}\nod }}", options.join("\n"));
        let _ = write!(begun, "run fair{number}(); ");
    }
    let other: Vec<&str> = steps.iter().filter(|step| !fair(step)).map(|it| it.option.as_str()).collect();
    let guards: Vec<String> =
        steps.iter().filter(|it| fair(it)).map(|it| format!("({})", it.guard)).collect();
    if !other.is_empty() {
        let idle = if guards.is_empty() {
            String::new()
        } else {
            format!(":: d_step {{ ({}) -> skip }}", guards.join(" || "))
        };
        let _ = writeln!(made, "proctype other() {{ end: do\n{}\n{idle}\nod }}", other.join("\n"));
        begun.push_str("run other(); ");
    }
    let _ = writeln!(made, "init {{ atomic {{ {choices} {begun} skip }} }}");
    let each: Vec<String> =
        (1..=procs).map(|p| format!("({})", formula.replace('$', &p.to_string()))).collect();
    let _ = writeln!(made, "ltl all {{ {} }}", each.join(" && "));
    made
}

/// Whether all runs satisfy the formula according to SPIN, its number of states, and its time.
fn spin(model: &str) -> (bool, u64, Duration) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("model.pml"), model).expect("a file");
    let run = |program: &str, words: &[&str]| {
        let output =
            Command::new(program).args(words).current_dir(folder.path()).stdin(Stdio::null()).output();
        let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    };
    let said = run("spin", &["-a", "model.pml"]);
    assert!(folder.path().join("pan.c").exists(), "{said}\n{model}");
    let said = run("gcc", &["-O1", "-w", "-DNOREDUCE", "-DNFAIR=12", "-o", "pan", "pan.c"]);
    let pan = folder.path().join("pan");
    assert!(pan.exists(), "{said}");
    let start = Instant::now();
    let said = run(&pan.to_string_lossy(), &["-a", "-f", "-n", "-m4000000"]);
    let time = start.elapsed();
    let states = said.lines().find_map(|line| line.trim().split_once(" states, stored"));
    let states = states.and_then(|(number, _)| number.trim().parse().ok());
    assert!(!said.contains("too small") && !said.contains("NFAIR"), "{said}");
    let holds = said.contains("errors: 0\n");
    assert!(holds || said.contains("acceptance cycle"), "{said}\n{model}");
    (holds, states.unwrap_or_else(|| panic!("{said}")), time)
}

/// Whether the property holds according to Cubicle, its number of states, and its time.
fn ours(system: &System, procs: usize) -> (bool, usize, Duration) {
    let start = Instant::now();
    let seen = check_runs(system, procs, &ForwardOptions::default(), &Interrupt::default());
    let holds = match &seen.answers[0] {
        RunAnswer::Holds => true,
        RunAnswer::Lasso(..) => false,
        other => panic!("{other:?}"),
    };
    (holds, seen.states, start.elapsed())
}

/// A row of the table.
fn compare((model, procs, property, formula): (&str, usize, &str, &str)) -> String {
    let folder = if model.contains('/') { "" } else { "examples/" };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("{folder}{model}.cub"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{model}: {error}"));
    let system = load(&text).expect("a model").system;
    assert!(system.fairness.iter().all(|it| !it.strong && !it.any), "{model}");
    let system = system.edited(|parts| parts.temporal.retain(|it| it.name == property));
    assert_eq!(system.temporal.len(), 1, "{model}");
    let (holds, states, time) = ours(&system, procs);
    let (other, their_states, their_time) = spin(&promela(&system, procs, formula));
    assert_eq!(holds, other, "{model}, {property}, {procs} processes: we say {holds}, SPIN says {other}");
    let verdict = if holds { "holds" } else { "violated" };
    let spent = |time: Duration| format!("{:.1}", time.as_secs_f64() * 1000.0);
    format!(
        "| {model}, `{property}` | {procs} | {verdict} | {states} | {} | {their_states} | {} |\n",
        spent(time),
        spent(their_time),
    )
}

#[test]
#[cfg_attr(any(without_spin, without_gcc), ignore = "needs spin and gcc (apt-get install spin gcc)")]
fn spin_gives_the_same_verdicts_under_weak_fairness() {
    for number in [2, 6, 9, 11, 14, 15] {
        compare(CASES[number]);
    }
}

const BEGIN: &str = "<!-- spin: begin -->\n";
const END: &str = "<!-- spin: end -->";

/// The table of `docs/liveness.md`, which `CUBICLE_BLESS=1` writes.
#[test]
#[ignore = "a minute; needs spin and gcc"]
fn table() {
    let head = "| property | K | verdict | states | ms | states of SPIN | ms |";
    let rule = "| --- | --- | --- | --- | --- | --- | --- |";
    let rows: String = CASES.into_iter().map(compare).collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/liveness.md");
    let page = fs::read_to_string(&path).expect("the page");
    let (before, rest) = page.split_once(BEGIN).expect("the place of the table");
    let (_, after) = rest.split_once(END).expect("the end of the table");
    if std::env::var_os("CUBICLE_BLESS").is_some() {
        fs::write(&path, format!("{before}{BEGIN}{head}\n{rule}\n{rows}{END}{after}"))
            .expect("a writable page");
    }
}
