//! `simulate` from a script: transcripts are repeatable, a wrong line is named, runs go to files and back.

use std::fs;

use super::harness::{Outcome, run_stdin, run_words_stdin};

const MODEL: &str = "examples/mutex_wrong.cub";

fn simulate(script: &str) -> Outcome {
    run_stdin(&format!("simulate {MODEL} --procs 2"), script.as_bytes())
}

#[test]
fn a_script_is_followed_and_shown() {
    let run = simulate(
        "# to the bad state\nknock(#1)\nstep 2\n\nundo\nfind At[#1] = Inside && At[#2] = Inside\nquit\n1\n",
    );
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout.contains("\n> knock(#1)\n1: knock(#1)\n"), "{}", run.stdout);
    assert!(run.stdout.contains("unsafe at line 16 (examples/mutex_wrong.cub:16:1) holds for #1, #2\n"));
    assert!(run.stdout.ends_with("> quit\n"), "what follows the end is not read: {}", run.stdout);
    assert!(!run.stdout.contains('\u{1b}'), "no colours into a pipe");
    assert_eq!(simulate("random 50\n"), simulate("random 50\n"));
}

#[test]
fn a_wrong_line_is_named_and_ends_the_script() {
    for (script, line, what, help) in [
        ("1\nundu\n1\n", 2, "there is no command `undu`", "did you mean `undo`?"),
        ("# c\n\n9\n", 3, "no transition has the number 9", "numbers 1 to 2 are enabled"),
        ("until At[#1] = Here\n", 1, "is not a formula of the model", "write it as in `unsafe`"),
        ("load nowhere.json\n", 1, "cannot read nowhere.json", "can be loaded"),
        ("load -\n", 1, "commands are read from standard input", "can be loaded"),
    ] {
        let run = simulate(script);
        assert_eq!(run.code, Some(2), "{script}");
        let told = format!("error: line {line}: ");
        assert!(run.stderr.starts_with(&told) && run.stderr.contains(what), "{}", run.stderr);
        assert!(run.stderr.contains(help), "{}", run.stderr);
        assert_eq!(
            run.stdout.lines().filter(|shown| shown.starts_with("> ")).count(),
            script.lines().take(line).filter(|l| !l.is_empty()).count()
        );
    }
    let run = run_stdin(&format!("simulate {MODEL}"), b"1\n\xff\n");
    assert_eq!((run.code, run.stderr.as_str()), (Some(2), "error: line 2: it is not text in UTF-8\n"));
    let run = run_stdin(&format!("simulate {MODEL}"), "1".repeat(100_000).as_bytes());
    assert_eq!((run.code, run.stderr.as_str()), (Some(2), "error: line 1: it has more than 65536 bytes\n"));
}

#[test]
fn a_session_that_cannot_start_says_why() {
    for (line, why) in [
        ("simulate -", "the model and the run need files"),
        ("simulate nowhere.cub", "cannot read nowhere.cub"),
        ("simulate tests/pass/constants.cub --procs 9", "the model has no instance with 9 processes"),
        ("simulate examples/mutex.cub Cargo.toml", "Cargo.toml: it is not JSON"),
    ] {
        let run = run_stdin(line, b"");
        assert_eq!(run.code, Some(2), "{line}: {}", run.stderr);
        assert!(run.stderr.contains(why), "{line}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{line}");
    }
}

#[test]
fn an_instance_with_too_many_steps_is_refused() {
    let model = b"type t = A | B array S[proc] : t init (p) { S[p] = A } unsafe (p) { S[p] = B }
        transition many (a b c d e f) requires { S[a] = A && S[b] = B && S[c] <> S[d] && S[e] = S[f] } { S[a] := B }";
    let file = tempfile::NamedTempFile::with_suffix(".cub").unwrap();
    std::fs::write(&file, model).unwrap();
    let path = file.path().display().to_string();
    let run = run_words_stdin(&["simulate", &path, "--procs", "10"], b"");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let run = run_words_stdin(&["simulate", &path, "--procs", "64"], b"");
    let why = "the instance with 64 processes has more than a million ground transitions";
    assert!(run.code == Some(2) && run.stderr.contains(why), "{}", run.stderr);
}

#[test]
fn runs_are_saved_and_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a run.json").display().to_string();
    let run = simulate(&format!("random 4\nsave {file}\n"));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.ends_with(&format!("> save {file}\nwritten to {file}\n")));
    let replayed = run_words_stdin(&["replay", MODEL, &file], b"");
    assert_eq!(replayed.code, Some(0), "{}", replayed.stdout);
    assert!(replayed.stdout.contains("4 steps with 2 processes, ending anywhere"), "{}", replayed.stdout);
    let loaded = run_words_stdin(&["simulate", MODEL, &file], b"goto 4\n");
    assert_eq!(loaded.code, Some(0), "{}", loaded.stderr);
    assert!(
        loaded
            .stdout
            .starts_with("4 steps with 2 processes, ending anywhere; `redo` follows it\n0: initial state\n")
    );
    let last =
        |text: &str| text[text.rfind("\n4: ").unwrap()..].lines().take(5).collect::<Vec<_>>().join("\n");
    assert_eq!(last(&loaded.stdout), last(&run.stdout));

    // The file is whole or not written at all; a missing file is an error.
    let before = fs::read_to_string(&file).unwrap();
    let run = simulate("save /nowhere/run.json\n");
    assert_eq!(run.code, Some(4));
    assert!(run.stderr.starts_with("error: line 1: cannot write /nowhere/run.json"), "{}", run.stderr);
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
}

/// A trace written by the program can be stepped through.
#[test]
fn an_error_trace_is_stepped_through() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trace.json").display().to_string();
    let found = run_words_stdin(&["--only-forward", "--procs", "2", "--trace-out", &file, MODEL], b"");
    assert_eq!(found.code, Some(1));
    let run = run_words_stdin(&["simulate", MODEL, &file], b"redo 6\n");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("holds for #1, #2"), "{}", run.stdout);
}
