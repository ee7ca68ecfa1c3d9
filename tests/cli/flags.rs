//! Flags: both spellings mean the same, those without effect are accepted, answers do not change.

use std::path::Path;

use crate::harness::{AT_LAST, Outcome, run, run_on, run_stdin, run_words_stdin};
use crate::models;

fn on(line: &str, model: &str) -> Outcome {
    run_stdin(&format!("{line} -"), model.as_bytes())
}

#[test]
fn exit_codes() {
    for (line, model, code, says) in [
        ("", models::SAFE, 0, "The system is SAFE"),
        ("brab 2", models::SAFE, 0, "The system is SAFE"),
        ("", models::UNSAFE, 1, "UNSAFE !"),
        ("brab 2", models::UNSAFE, 1, "UNSAFE !"),
        ("--only-forward --procs 2", models::UNSAFE, 1, "UNSAFE !"),
        ("--only-forward --procs 1", models::UNSAFE, 0, "Nothing wrong found"),
        ("--only-forward --procs auto", models::SAFE, 0, "have the same"),
        ("--only-forward --procs auto", models::UNSAFE, 1, "UNSAFE !"),
        ("--only-forward --procs auto --max-forward 1", models::SAFE, 0, "cannot be compared"),
        ("--only-forward --procs auto --upto", models::SAFE, 2, ""),
        ("--only-forward", models::SAFE, 0, "Nothing wrong found"),
        ("--nodes 3 --depth 1000000", models::ENDLESS, 3, "UNKNOWN: "),
        ("--depth 5", models::ENDLESS, 3, "UNKNOWN: "),
        ("--time-limit 200ms --nodes 100000000 --depth 100000000", models::ENDLESS, 3, "UNKNOWN: "),
        ("--only-forward --procs 2 --deadlock", models::DEADLOCK, 5, "DEADLOCK !"),
        ("--only-forward --procs 2 --deadlock", models::SAFE, 0, "Nothing wrong found"),
        (
            "--only-forward --procs 1 --deadlock --final At[p]=Critical",
            models::DEADLOCK,
            0,
            "Nothing wrong found",
        ),
        ("--only-forward --procs 2 --deadlock --final At[p]=Critical", models::DEADLOCK, 5, "DEADLOCK !"),
        ("--only-forward --procs 2 --all-errors", models::EXCLUDED, 1, "UNSAFE !"),
        ("--only-forward --procs 2 --trust-invariants", models::EXCLUDED, 2, "ASSUMPTION REFUTED"),
        ("--type-only", models::UNSAFE, 0, ""),
    ] {
        let outcome = on(line, model);
        assert_eq!(outcome.code, Some(code), "{line}: {outcome:?}");
        assert!(outcome.stdout.contains(says), "{line}: {}", outcome.stdout);
    }
}

#[test]
fn single_dash_and_double_dash_mean_the_same() {
    for (old, new) in [
        ("-brab 2 -search dfsh -postpone 1", "--brab 2 --search dfsh --postpone 1"),
        ("-brab 2 -upto -forward-depth 5", "brab 2 --upto --forward-depth 5"),
        ("-brab 2 -max-forward 100 -forward-nosym", "--forward-nosym --max-forward 100 brab 2"),
        ("-brab 2 -candheur 3 -max-cands 4", "brab 2 --candheur 3 --max-cands 4"),
        ("-nodelete -nosubtyping -noqe", "--nodelete --nosubtyping --noqe"),
        ("-brab 2 -abstr-num 0 10", "brab 2 --abstr-num 0 10"),
        ("-nodes 1000 -depth 50 -v", "--nodes 1000 --depth 50 --verbose"),
        ("-quiet -nocolor", "--quiet --color never"),
        ("-only-forward -brab 2", "--only-forward brab 2"),
        ("-type-only", "--type-only"),
    ] {
        let new = if new.contains("--quiet") || new.contains("--type-only") {
            new.to_owned()
        } else {
            format!("{new} --classic-output")
        };
        let (old, new) = (on(old, models::SAFE), on(&new, models::SAFE));
        assert_eq!(old, new);
        assert_eq!(old.code, Some(0), "{old:?}");
    }
    assert_eq!(run("-version"), run("--version"));
    assert_eq!(run("-help"), run("--help"));
}

#[test]
fn flags_without_effect_are_accepted_with_a_note() {
    let plain = on("--classic-output", models::SAFE);
    for line in ["-geninv", "-dot 2", "-debug", "-max-procs 12", "-bitsolver"] {
        let outcome = on(line, models::SAFE);
        assert_eq!((outcome.code, &outcome.stdout), (Some(0), &plain.stdout), "{line}: {outcome:?}");
        assert!(outcome.stderr.contains("has no effect"), "{line}: {}", outcome.stderr);
    }
}

#[test]
fn a_file_and_standard_input_give_the_same() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/german.cub");
    let text = std::fs::read(&path).unwrap();
    let outcome = run_on("brab 2", &path);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert_eq!(outcome.stdout, run_stdin("brab 2 -", &text).stdout);
}

#[test]
fn quiet_prints_only_the_answer() {
    assert_eq!(on("--quiet", models::SAFE).stdout, "The system is SAFE\n");
    assert_eq!(on("-q brab 2", models::UNSAFE).stdout, "UNSAFE !\n");
    assert_eq!(on("-q", models::UNSAFE).stderr, "");
    // Quiet is for progress, not for warnings.
    let unused = models::SAFE.replace("var Lock", "var Spare : bool\nvar Lock");
    let outcome = on("-q", &unused);
    assert_eq!(outcome.stdout, "The system is SAFE\n");
    assert!(outcome.stderr.contains("`Spare` is not used"), "{}", outcome.stderr);
}

#[test]
fn colours_only_when_asked() {
    for line in ["", "brab 2", "-v", "--trace-states"] {
        let outcome = on(line, models::UNSAFE);
        assert!(!outcome.stdout.contains('\x1b') && !outcome.stderr.contains('\x1b'), "{line}");
        assert!(on(&format!("{line} --color always"), models::UNSAFE).stdout.contains('\x1b'));
    }
}

/// Cells that the expected end reads count as read, whether or not a guard reads them.
#[test]
fn an_expected_end_splits_what_it_reads() {
    let model = "
        type t = A | B
        array S[proc] : bool
        array X[proc] : t
        var G : t
        var H : t
        init (z) { S[z] = False && G = B }
        transition go (p) requires { S[p] = False } { S[p] := True }
        transition set (p) requires { S[p] = False && H = A } { S[p] := True; H := B }
    ";
    for (cube, code) in [
        ("X[p] = A", 5),
        ("X[p] = A && S[p] = True", 5),
        ("S[p] = True", 0),
        ("G = H", 5),
        ("G = B && S[p] = True", 0),
        ("G = A", 5),
    ] {
        let line = ["--only-forward", "--procs", "2", "--deadlock", "--final", cube, "-"];
        let outcome = run_words_stdin(&line, model.as_bytes());
        assert_eq!(outcome.code, Some(code), "{cube}: {outcome:?}");
    }
    // A number that init leaves open may have any value: the few that are tried show a deadlock, but no end.
    let model = "
        array S[proc] : bool
        var N : int
        init (z) { S[z] = False }
        transition go (p) requires { S[p] = False } { S[p] := True }
    ";
    for (cube, code) in [("N = 7", 5), ("N <> N + 1 && N > N - 1", 2), ("S[p] = True", 0)] {
        let line = ["--only-forward", "--procs", "2", "--deadlock", "--final", cube, "-"];
        let outcome = run_words_stdin(&line, model.as_bytes());
        assert_eq!(outcome.code, Some(code), "{cube}: {outcome:?}");
    }
}

/// Nothing is asked of processes of other sorts than those whose cells are mentioned.
#[test]
fn an_expected_end_is_about_the_processes_of_its_sort() {
    let model = "
        type node < proc
        type item < proc
        array Sold[item] : bool
        init (i : item) { Sold[i] = False }
        transition sell (i j k : item) { Sold[i] := True }
        process at (n : node) { idle: skip }
    ";
    for (cube, code) in
        [("At[p] = Done", 0), ("At[p] = Idle", 5), ("Sold[p] = False", 0), ("Sold[p] = True", 5)]
    {
        for procs in ["node=2,item=2", "3"] {
            let line = ["--only-forward", "--procs", procs, "--deadlock", "--final", cube, "-"];
            let outcome = run_words_stdin(&line, model.as_bytes());
            assert_eq!(outcome.code, Some(code), "{cube}, {procs}: {outcome:?}");
        }
    }
}

/// Twelve processes have half a billion permutations, none of which needs to be tried.
#[test]
fn many_parameters_that_are_alike_take_little_time() {
    let params: Vec<String> = (1..=12).map(|n| format!("p{n}")).collect();
    let all: Vec<String> = params.iter().map(|p| format!("S[{p}] = B")).collect();
    let model = format!(
        "type t = A | B
         array S[proc] : t
         init (z) {{ S[z] = A }}
         unsafe ({}) {{ {} }}
         transition go (x) requires {{ S[x] = A }} {{ S[x] := B }}",
        params.join(" "),
        all.join(" && ")
    );
    for (line, code) in [
        ("", 1),
        ("--brab 2", 1),
        ("--only-forward --procs 11", 0),
        ("--only-forward --procs 12", 1),
        ("--only-forward --procs 16", 1),
    ] {
        let outcome = on(&format!("{AT_LAST} {line}"), &model);
        assert_eq!(outcome.code, Some(code), "{line}: {outcome:?}");
    }
}

#[test]
fn an_expected_end_is_checked_against_the_model() {
    for cube in ["At[p]=Nowhere", "At[q]=Idle", "Lock", "", "p=p", "At[p]=Idle||At[p]=Critical", "} unsafe {"]
    {
        let line = ["--only-forward", "--deadlock", "--final", cube, "-"];
        let outcome = run_words_stdin(&line, models::DEADLOCK.as_bytes());
        assert_eq!(outcome.code, Some(2), "{cube}: {outcome:?}");
        assert!(outcome.stderr.contains("--final"), "{cube}: {}", outcome.stderr);
    }
}
