//! Every option has an effect: each is given in each kind of run, and either it is refused, or the output differs, or
//! the pair is listed here with the reason why the difference is invisible.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::thread;

use crate::harness::{Outcome, cubicle, outcome, run, run_stdin};
use crate::models;

/// Kinds of runs, and whether they are tried on larger models as well.
const KINDS: &[(&str, &str, bool)] = &[
    ("type-only", "--type-only", false),
    ("auto", "", true),
    ("auto, explored", "--procs 2", true),
    ("classic", "--engine classic", true),
    ("pdr", "--engine pdr", true),
    ("classic, explored", "--engine classic --procs 2", true),
    ("brab", "brab 2", true),
    ("brab, random", "brab 2 --forward random", true),
    ("brab, dfs", "brab 2 --forward dfs", true),
    ("bfs", "--only-forward --procs 2", false),
    ("bfs of brab", "--only-forward brab 2", false),
    ("dfs", "--only-forward --procs 2 --forward dfs", false),
    ("restarted dfs", "--only-forward --procs 2 --forward dfs --restart-every 2 --max-forward 40", false),
    ("random", "--only-forward --procs 2 --forward random --max-forward 40", false),
    ("cfl", "--only-forward --procs 2 --forward cfl --max-forward 200", false),
    ("sizes", "--only-forward --procs auto", false),
];

/// Tickets and a lock: safe, with numbers, a value that is never assigned, one that matters while the lock is held, a constant.
const SAFE: &str = "
type location = Idle | Want | Critical | Lost
const Limit : int
var Lock : bool
var N : int
var Last : proc
array At[proc] : location
init (p) { Lock = False && N = 0 && At[p] = Idle && Limit = 3 }
invariant { N < 0 }
unsafe (p q) { At[p] = Critical && At[q] = Critical }
unsafe (p) { At[p] = Critical && Lock = False && N < 1 }
unsafe (p) { At[p] = Lost }
unsafe (p) { Lock = True && Last = p && At[p] <> Critical }
transition want (p) requires { At[p] = Idle && N < 3 && 0 < Limit } { At[p] := Want; N := N + 1; }
transition enter (p)
requires { At[p] = Want && Lock = False && 0 < Limit && forall_other q. At[q] <> Critical }
{ At[p] := Critical; Lock := True; Last := p; }
transition leave (p) requires { At[p] = Critical && 0 < N } { At[p] := Idle; Lock := False; N := N - 1; }
";

/// One bad state beside another, some steps away.
const UNSAFE: &str = "
type status = A | B | C
var N : int
array S[proc] : status
init (p) { S[p] = A && N = 0 }
unsafe (p) { S[p] = C }
unsafe (p q) { S[p] = C && S[q] = B }
transition tick () requires { N < 6 } { N := N + 1; }
transition first (p) requires { S[p] = A } { S[p] := B; }
transition second (p) requires { S[p] = B && N = 6 } { S[p] := C; }
";

/// A constant that a proof may leave out, within a sum that no candidate is about.
const CONSTANT: &str = "
const C : real
var X : real
var W : real
var K : real
var Y : real
var Z : real
var B : bool
init { X = 1.0 && W = 2.0 && K = 3.0 && B = False }
unsafe { B = True && Y + Z = K && X < W }
transition t () requires { B = False && 0.0 < C } { Y := X + C; Z := W + C; B := True; }
";

/// All processes reach their end, and no state is bad.
const ENDING: &str = "
type status = A | B | C
array S[proc] : status
init (p) { S[p] = A }
unsafe (p) { S[p] = C }
transition go (p) requires { S[p] = A } { S[p] := B; }
";

/// No state is bad, and the original Cubicle does not support it.
const VACUOUS: &str = "
type status = A | B
array S[proc] : status
init (p) { S[p] = A }
transition go (p) requires { S[p] = A } { S[p] := B; }
transition back (p) requires { S[p] = B } { let a = A in S[p] := a; }
";

/// Every option with a value that makes a difference wherever it can, by its long name.
const SAMPLES: &[(&str, &str)] = &[
    ("brab", "--brab 1"),
    ("engine", "--engine classic"),
    ("upto", "--upto"),
    ("search", "--search dfs"),
    ("postpone", "--postpone 2"),
    ("candheur", "--candheur 1"),
    ("max-cands", "--max-cands 1"),
    ("solver", "--solver z3"),
    ("trust-invariants", "--trust-invariants"),
    ("unchecked", "--unchecked"),
    ("certify", "--certify"),
    ("show-core", "--show-core"),
    ("strict-upstream", "--strict-upstream"),
    ("crash", "--crash stop"),
    ("ltl", "--ltl true"),
    ("show-transformed", "--crash stop --show-transformed"),
    ("certificate", "--certificate certificate"),
    ("coq", "--coq --certificate certificate"),
    ("lemmas-in", "--lemmas-in /dev/null"),
    ("lemmas-out", "--lemmas-out lemmas.cub"),
    ("nodelete", "--nodelete"),
    ("nosubtyping", "--nosubtyping"),
    ("noqe", "--noqe"),
    ("only-forward", "--only-forward"),
    ("procs", "--procs 3"),
    ("forward", "--forward random --max-forward 30"),
    ("cfl-choice", "--cfl-choice uniform"),
    ("seed", "--seed 5"),
    ("epochs", "--epochs 1"),
    ("jobs", "--jobs 2"),
    ("restart-depth", "--restart-depth 1"),
    ("restart-every", "--restart-every 1"),
    ("jumpstart", "--jumpstart --all-errors --classic-output"),
    ("forward-depth", "--forward-depth 1"),
    ("max-forward", "--max-forward 1"),
    ("forward-time", "--forward-time 1h"),
    ("abstr-num", "--abstr-num 0 1"),
    ("forward-nosym", "--forward-nosym"),
    ("keep-dead", "--keep-dead"),
    ("store", "--store table"),
    ("checkpoint", "--checkpoint kept"),
    ("checkpoint-every", "--checkpoint-every 0s --checkpoint kept"),
    ("spill", "--spill spilled"),
    ("bitstate", "--bitstate=1MB"),
    ("require-complete", "--require-complete --max-forward 1"),
    ("deadlock", "--deadlock"),
    ("final", "--final S[p]=B --deadlock"),
    ("all-errors", "--all-errors"),
    ("time-limit", "--time-limit 1h"),
    ("memory-limit", "--memory-limit 2G"),
    ("nodes", "--nodes 1"),
    ("depth", "--depth 1"),
    ("solver-timeout", "--solver-timeout 5s"),
    ("quiet", "--quiet"),
    ("format", "--format json"),
    ("message-format", "--message-format sarif"),
    ("allow", "--allow C0913,C0918"),
    ("vacuity", "--vacuity error"),
    ("deny", "--deny warnings"),
    ("verbose", "--verbose"),
    ("classic-output", "--classic-output"),
    ("trace-states", "--trace-states"),
    ("trace-out", "--trace-out trace.json"),
    ("stats-json", "--stats-json stats.json"),
    ("run-dir", "--run-dir run"),
    ("log-file", "--log-file log.json"),
    ("force", "--force --stats-json stats.json"),
    ("report", "--report page.html"),
    ("dot", "--dot search.dot"),
    ("dot-level", "--dot search.dot --dot-level 0"),
    ("profile", "--profile"),
    ("color", "--color always"),
    ("nocolor", "--nocolor"),
    ("type-only", "--type-only"),
];

/// Pairs without a visible difference, and why.
const UNSEEN: &[(&str, &[&str], &str)] = &[
    ("lemmas-in", PROOFS, "there is nothing in the file"),
    ("certify", ALL, "proofs are checked without it"),
    ("cfl-choice", ORACLES, "shows where an oracle was cut, and has to grow"),
    ("cfl-choice", &["brab, random"], "shows where an oracle was cut, and has to grow"),
    ("seed", ORACLES, "shows where an oracle was cut, and has to grow"),
    ("forward-time", ORACLES, "none of these explorations takes an hour"),
    ("forward-time", EXPLORATIONS, "none of these explorations takes an hour"),
    ("forward-time", &["brab, random", "classic, explored"], "none of these explorations takes an hour"),
    ("time-limit", ALL, "none of these runs takes an hour"),
    ("memory-limit", ALL, "none of these runs takes so much"),
    ("solver-timeout", PROOFS, "no question to Z3 takes so long"),
    ("jobs", PROOFS, "the result does not depend on it"),
    (
        "jobs",
        &["bfs", "bfs of brab", "restarted dfs", "random", "cfl", "sizes"],
        "the result does not depend on it",
    ),
    ("quiet", &["type-only"], "warnings are all that is shown, and they stay"),
    ("nocolor", ALL, "there are no colours in a pipe"),
    ("only-forward", EXPLORATIONS, "it is given already"),
    ("engine", &["classic", "classic, explored"], "it is given already"),
    ("forward", &["brab, random", "random"], "it is given already"),
    ("store", &["bfs", "bfs of brab"], "the result does not depend on it"),
    ("checkpoint-every", &["bfs", "bfs of brab"], "it changes when files are written"),
    ("jumpstart", &["cfl"], "all is seen before the first walk begins"),
    ("abstr-num", &["auto"], "none of these needs an oracle with numbers"),
    ("type-only", &["type-only"], "it is given already"),
    ("force", ALL, "no file is in the way"),
];

const ALL: &[&str] = &[
    "type-only",
    "auto",
    "auto, explored",
    "classic",
    "classic, explored",
    "brab",
    "brab, random",
    "brab, dfs",
    "pdr",
    "bfs",
    "bfs of brab",
    "dfs",
    "restarted dfs",
    "random",
    "cfl",
    "sizes",
];
const PROOFS: &[&str] =
    &["auto", "auto, explored", "classic", "classic, explored", "brab", "brab, random", "brab, dfs", "pdr"];
const ORACLES: &[&str] = &["auto", "auto, explored", "brab", "brab, dfs", "pdr"];
const EXPLORATIONS: &[&str] = &["bfs", "bfs of brab", "dfs", "restarted dfs", "random", "cfl", "sizes"];

/// A run, and the names of the files that it made.
fn observe(line: &str, model: &Path) -> (Outcome, Vec<String>) {
    let folder = tempfile::TempDir::new().unwrap();
    let run = cubicle().current_dir(folder.path()).args(line.split_whitespace()).arg(model).output().unwrap();
    let names = |folder: &Path| -> Vec<String> {
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    let mut files = names(folder.path());
    // What belongs to a certificate is a folder in its folder.
    files.extend(names(&folder.path().join("certificate")).into_iter().filter(|name| !name.contains('.')));
    files.sort();
    (outcome(&run), files)
}

/// What is said of an option that cannot be meant.
const REFUSED: [&str; 5] = [
    "has no effect here",
    "cannot be used with",
    "only one of them can be meant",
    "is missing",
    "does not set the size",
];

/// The effect of an option in a kind of run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Effect {
    Refused,
    Seen,
    None,
}

#[test]
fn each_option_is_refused_or_has_an_effect() {
    let folder = tempfile::TempDir::new().unwrap();
    let example = |name: &str| std::fs::read_to_string(format!("examples/{name}.cub")).unwrap();
    let models = [
        ("safe.cub", SAFE),
        ("unsafe.cub", UNSAFE),
        ("ending.cub", ENDING),
        ("vacuous.cub", VACUOUS),
        ("excluded.cub", models::EXCLUDED),
        ("constant.cub", CONSTANT),
        ("szymanski.cub", &example("szymanski")),
        ("mesi.cub", &example("mesi")),
        ("mesi_wrong.cub", &example("mesi_wrong")),
        ("german.cub", &example("german")),
    ];
    let models: Vec<_> = models
        .iter()
        .map(|(name, text)| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        })
        .collect();
    // What only the bare command does is seen on the last alone, which takes a while.
    let shown = |kind: usize| match KINDS[kind] {
        (_, _, false) => &models[..6],
        (kind, ..) if kind.starts_with("auto") => &models[..],
        _ => &models[..9],
    };
    let usual: Vec<Vec<_>> = (KINDS.iter().enumerate())
        .map(|(kind, (_, base, _))| shown(kind).iter().map(|model| observe(base, model)).collect())
        .collect();
    for ((kind, base, _), runs) in KINDS.iter().zip(&usual) {
        assert!(runs.iter().all(|(run, _)| run.code != Some(2)), "{kind} ({base}): {runs:?}");
    }
    let listed =
        |option: &str, kind: &str| UNSEEN.iter().any(|(o, kinds, _)| *o == option && kinds.contains(&kind));
    let effect = |kind: usize, name: &str, option: &str| {
        let (_, base, _) = KINDS[kind];
        // Other flags that the sample needs are not an effect of the option.
        let along = option.split_once(" --").map_or(String::new(), |(_, along)| format!("--{along}"));
        // Of a pair that is listed one model has to say that it is not refused.
        let models = if listed(name, KINDS[kind].0) { &shown(kind)[..1] } else { shown(kind) };
        for (number, model) in models.iter().enumerate() {
            let run = observe(&format!("{base} {option}"), model);
            if REFUSED.iter().any(|why| run.0.stderr.contains(why)) {
                assert_eq!(run.0.code, Some(2), "{option}: {run:?}");
                return Effect::Refused;
            }
            let without =
                if along.is_empty() { None } else { Some(observe(&format!("{base} {along}"), model)) };
            // A cube that does not fit the model says nothing about the option.
            let fits = run.0.code != Some(2) || !option.contains("--final");
            if fits && run != *without.as_ref().unwrap_or(&usual[kind][number]) {
                return Effect::Seen;
            }
        }
        Effect::None
    };
    let next = Mutex::new(SAMPLES.iter());
    let effects = Mutex::new(BTreeMap::new());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some((name, option)) = { next.lock().unwrap().next() } {
                    for (number, (kind, ..)) in KINDS.iter().enumerate() {
                        let effect = effect(number, name, option);
                        effects.lock().unwrap().insert((*name, *kind), effect);
                    }
                }
            });
        }
    });
    let effects = effects.into_inner().unwrap();
    let mut wrong = Vec::new();
    for (&(option, kind), &effect) in &effects {
        let listed = listed(option, kind);
        if listed != (effect == Effect::None) {
            wrong.push(format!("{option} in {kind}: {effect:?}, listed: {listed}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Options that say what another one says, too.
const OTHER_SPELLINGS: [&str; 4] = ["brab", "certify", "nocolor", "stats-json"];

#[test]
fn each_option_has_a_sample() {
    let help = ["--help", "help search", "help explore"].map(|line| run(line).stdout);
    let listed = help.iter().map(|help| help.split("Exit codes:").next().unwrap());
    let listed = listed.map(|help| help.split_once("Commands (").map_or(help, |(_, options)| options));
    let mut options: Vec<&str> = listed
        .flat_map(str::lines)
        .filter(|line| line.trim_start().starts_with('-') && !line.starts_with("       "))
        .filter_map(|line| line.split_once("--")?.1.split([' ', '=', '[']).next())
        .filter(|option| !["help", "version"].contains(option))
        .collect();
    let mut samples: Vec<&str> =
        SAMPLES.iter().map(|(name, _)| *name).filter(|name| !OTHER_SPELLINGS.contains(name)).collect();
    options.sort_unstable();
    samples.sort_unstable();
    assert_eq!(options, samples);
}

#[test]
fn a_refusal_names_the_option_the_reason_and_what_to_add() {
    for (line, says) in [
        (
            "--seed 3 --only-forward",
            "--seed has no effect here: no random choices are made; add --forward random",
        ),
        ("--seed 3 --engine classic", "--seed has no effect here: no instance is explored; add --procs K"),
        ("--unchecked --type-only", "--unchecked has no effect here: --type-only only reads the model"),
        (
            "--search dfs --only-forward",
            "--search has no effect here: --only-forward does not look for a proof",
        ),
        ("-j 2 --only-forward --forward dfs", "--jobs (-j) has no effect here: a depth-first search"),
        ("brab 2 brab 3", "brab 2 and brab 3"),
        ("brab 2 --brab 3", "brab 2 and brab 3"),
        ("--jumpstart --only-forward --forward cfl", "add --all-errors or --deadlock"),
        ("--quiet --verbose", "--verbose has no effect here: --quiet shows only the answer"),
        ("--color always --nocolor", "cannot be used with"),
    ] {
        let outcome = run_stdin(&format!("{line} -"), models::SAFE.as_bytes());
        assert_eq!(outcome.code, Some(2), "{line}: {outcome:?}");
        assert!(outcome.stderr.contains(says), "{line}: {}", outcome.stderr);
        assert_eq!(outcome.stdout, "", "{line}");
    }
}

/// Scripts written for the original program give its flags anywhere: they get a note, and run.
#[test]
fn flags_of_the_original_in_its_spelling_get_a_note() {
    let on = |line: &str| run_stdin(&format!("{line} -"), models::SAFE.as_bytes());
    for (line, plain, notes) in [
        ("-only-forward -search dfsh -noqe", "--only-forward --classic-output", 2),
        ("-type-only -brab 2", "--type-only", 1),
        ("-only-forward -int-brab 2", "--only-forward brab 2 --forward cfl --classic-output", 1),
        ("-brab 2 -brab 2 -search dfs", "brab 2 --search dfs --classic-output", 0),
        ("-brab 3 -brab 2", "brab 2 --classic-output", 0),
    ] {
        let (old, new) = (on(line), on(plain));
        assert_eq!((old.code, &old.stdout), (new.code, &new.stdout), "{line}: {old:?}");
        assert_eq!(old.stderr.matches("has no effect here").count(), notes, "{line}: {}", old.stderr);
    }
    assert_eq!(on("-only-forward -unchecked").code, Some(2), "the original does not have it");
    assert_eq!(on("-only-forward --search dfsh").code, Some(2), "nor this spelling");
}

#[test]
fn walks_without_a_limit_get_a_note() {
    let note = |line: &str| {
        let outcome = run_stdin(&format!("{line} -"), models::SAFE.as_bytes());
        assert_eq!(outcome.code, Some(0), "{line}: {outcome:?}");
        outcome.stderr.contains("ends by itself only when every state has been seen")
    };
    for line in ["--forward random", "--forward cfl", "--forward dfs --restart-every 5"] {
        assert!(note(&format!("--only-forward {line}")), "{line}");
        assert!(note(&format!("--procs 2 {line}")), "{line}");
        assert!(!note(&format!("--only-forward {line} --quiet")), "{line}");
        assert!(!note(&format!("brab 2 {line}")), "{line}");
        for limit in ["--max-forward 9", "--epochs 3", "--forward-time 1s", "--time-limit 9s"] {
            assert!(!note(&format!("--only-forward {line} {limit}")), "{line} {limit}");
        }
    }
    assert!(!note("--only-forward"));
}
