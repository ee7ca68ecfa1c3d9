//! Pictures of a run: they are written however it ends, show what happened, and escape their input.

use std::fs;
use std::path::Path;

use crate::harness::{Outcome, run_words, run_words_stdin};

fn drawn(words: &[&str], flag: &str, file: &Path) -> (Outcome, String) {
    let file = file.display().to_string();
    let words: Vec<&str> = words.iter().copied().chain([flag, &file]).collect();
    let run = run_words(&words);
    (run, fs::read_to_string(&file).unwrap_or_default())
}

#[test]
fn the_graph_of_a_search_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("search.dot");
    let (run, text) = drawn(&["brab", "2", "examples/mutex.cub"], "--dot", &file);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        text.starts_with("// Written by cubicle.\ndigraph search {\n  label=\"examples/mutex.cub\\n"),
        "{text}"
    );
    assert!(
        text.contains("SAFE") && text.contains("shape=octagon") && text.contains("candidate -1"),
        "{text}"
    );
    assert!(text.ends_with("  }\n}\n"));
    assert_eq!(text.matches('{').count(), text.matches('}').count());

    // A search without candidates finds the bug, and its path is red.
    let (run, text) =
        drawn(&["--engine", "classic", "--dot-level", "5", "examples/mutex_wrong.cub"], "--dot", &file);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let steps = text.lines().filter(|line| line.contains("fontcolor=red")).count();
    assert_eq!(steps, 6, "the error trace has six steps: {text}");
    assert!(text.contains("-> init0 [color=red, style=solid];"), "{text}");
    assert!(text.contains("At[#1] = Inside\\nAt[#2] = Inside"), "{text}");

    // The same run writes the same file.
    let (_, again) =
        drawn(&["--engine", "classic", "--dot-level", "5", "examples/mutex_wrong.cub"], "--dot", &file);
    assert_eq!(text, again);
}

#[test]
fn a_graph_is_written_at_a_limit_too() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("search.dot");
    let (run, text) = drawn(&["--engine", "classic", "--nodes", "2", "examples/german.cub"], "--dot", &file);
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(text.contains("UNKNOWN: the limit of 2 nodes was reached") && text.ends_with("}\n"), "{text}");
    let words = ["--engine", "classic", "--time-limit", "1ms", "--dot"];
    let file = file.display().to_string();
    let run = run_words_stdin(&[&words[..], &[&file, "-"]].concat(), b"");
    assert_ne!(run.code, Some(0));
}

#[test]
fn an_unwritable_graph_is_refused_before_the_run() {
    let (run, _) = drawn(&["examples/mutex.cub"], "--dot", Path::new("/nowhere/search.dot"));
    assert_eq!(run.code, Some(4));
    assert!(run.stderr.contains("cannot write /nowhere/search.dot"), "{}", run.stderr);
    assert_eq!(run.stdout, "");
}

/// `-dot 3` of the original program has a level where `--dot` has a file.
#[test]
fn the_original_spelling_does_not_write_a_file() {
    let run = run_words(&["-brab", "2", "-dot", "3", "examples/mutex.cub"]);
    assert_eq!(run.code, Some(0));
    assert!(run.stderr.contains("note: -dot has no effect"), "{}", run.stderr);
    assert!(!Path::new(env!("CARGO_MANIFEST_DIR")).join("3").exists());
}

#[test]
fn a_page_is_written_at_every_end() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.html");
    for (words, code, says) in [
        (&["brab", "2", "examples/mutex.cub"][..], 0, "<p class=\"answer good\">The system is SAFE</p>"),
        (&["--engine", "classic", "examples/mutex_wrong.cub"], 1, "<p class=\"answer bad\">UNSAFE !</p>"),
        (
            &["--engine", "classic", "--nodes", "2", "examples/german.cub"],
            3,
            "UNKNOWN: the limit of 2 nodes was reached",
        ),
        (
            &["--only-forward", "--procs", "2", "examples/mutex.cub"],
            0,
            "Nothing wrong found with 2 processes",
        ),
    ] {
        let (run, text) = drawn(words, "--report", &file);
        assert_eq!(run.code, Some(code), "{words:?}: {}", run.stderr);
        assert!(text.contains(says) && text.ends_with("</html>\n"), "{words:?}: {text}");
        assert!(text.contains("<script type=\"application/json\" id=\"run\">{"));
    }
    // From the watchdog, in the middle of a step.
    fs::remove_file(&file).unwrap();
    let name = file.display().to_string();
    let words = ["--only-forward", "--procs", "12", "--forward-nosym", "--memory-limit", "1M"];
    let run = run_words(&[&words[..], &["--report", &name, "examples/german.cub"]].concat());
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("UNKNOWN: there is not enough memory") && text.ends_with("</html>\n"), "{text}");
}

/// Names of files come from the command line, and comments of a model may contain anything.
#[test]
fn a_page_escapes_names_and_comments() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("a\"<img src=x onerror=alert(1)>&.cub");
    let text = "(* </script><script>alert(1)</script> *) var X : bool init { X = False } unsafe { X = True }
        transition t () requires { X = False } { X := True }";
    fs::write(&model, text).unwrap();
    let (page, graph) = (folder.path().join("p.html"), folder.path().join("g.dot"));
    let names = [model.display().to_string(), page.display().to_string(), graph.display().to_string()];
    let run = run_words(&["--engine", "classic", &names[0], "--report", &names[1], "--dot", &names[2]]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let html = fs::read_to_string(&page).unwrap();
    assert!(!html.contains("<img") && html.matches("<script").count() == 2, "{html}");
    assert!(html.contains("a&quot;&lt;img src=x onerror=alert(1)&gt;&amp;.cub"));
    assert!(fs::read_to_string(&graph).unwrap().contains("a\\\"<img src=x onerror=alert(1)>&.cub\\n"));
}

#[test]
fn the_lanes_of_a_long_run_come_in_chapters() {
    let model = "var N : int  init () { N = 0 }  unsafe () { N > 14 }  transition inc () { N := N + 1 }";
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("run.html");
    let outcome =
        crate::harness::run_stdin(&format!("--only-forward --report {} -", page.display()), model.as_bytes());
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    let html = std::fs::read_to_string(page).expect("a page");
    assert_eq!(html.matches("<table class=\"lanes\">").count(), 2);
    assert!(html.contains("what steps 12 to 15 of 15 change"));
}
