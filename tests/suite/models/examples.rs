//! The examples give the verdicts that they announce: every `(* TEST: ARGUMENTS => VERDICT *)` line of
//! `examples/*.cub`, `examples/refines/*.cub` and `examples/threshold/*.cub` is a run of the program with these arguments.

use std::path::PathBuf;
use std::process::Command;

use super::files;

/// Longest run of an example; far above what any needs.
const TIME_LIMIT: &str = "600s";

/// The promise of a TEST line.
#[derive(Debug, PartialEq, Eq)]
struct Promise {
    exit_code: i32,
    /// Most steps of the error trace.
    steps: Option<usize>,
}

impl Promise {
    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let exit_code = match words.next()? {
            "safe" | "nothing-wrong" => 0,
            "unsafe" | "violated" => 1,
            "unknown" => 3,
            "deadlock" => 5,
            _ => return None,
        };
        let steps = match (words.next(), words.next(), words.next()) {
            (None, ..) => None,
            (Some("in"), Some(steps), None) if exit_code == 1 => Some(steps.parse().ok()?),
            _ => return None,
        };
        Some(Self { exit_code, steps })
    }
}

/// One TEST line.
struct Run {
    model: PathBuf,
    arguments: Vec<String>,
    promise: Promise,
}

fn models() -> impl Iterator<Item = PathBuf> {
    ["examples", "examples/refines", "examples/threshold"].into_iter().flat_map(files::models)
}

fn runs() -> Vec<Run> {
    let mut runs = Vec::new();
    for model in models() {
        let text = files::text(&model);
        let lines = text.lines().filter_map(|line| line.strip_prefix("(* TEST:")?.strip_suffix("*)"));
        let before = runs.len();
        for line in lines {
            let parsed = line.split_once("=>").and_then(|(arguments, promise)| {
                let arguments = arguments.split_whitespace().map(str::to_owned).collect();
                Some(Run { model: model.clone(), arguments, promise: Promise::parse(promise)? })
            });
            runs.push(parsed.unwrap_or_else(|| panic!("{}: cannot read {line:?}", model.display())));
        }
        assert!(runs.len() > before, "{} has no TEST line", model.display());
    }
    runs
}

/// Number of steps of the trace in the output `Error trace: Init -> a(#1) -> unsafe at line 3`.
fn steps(stdout: &str) -> Option<usize> {
    let start = stdout.find("Error trace:")?;
    let trace = &stdout[start..start + stdout[start..].find("unsafe at line ")?];
    Some(trace.matches("->").count() - 1)
}

#[test]
fn examples_keep_their_promises() {
    files::for_all(&runs(), |run| {
        let output = Command::new(env!("CARGO_BIN_EXE_cubicle"))
            .args(&run.arguments)
            .args(["--time-limit", TIME_LIMIT])
            .arg(&run.model)
            .output()
            .expect("the program runs");
        let stdout = String::from_utf8_lossy(&output.stdout);
        let call = format!("cubicle {} {}", run.arguments.join(" "), run.model.display());
        let tail = stdout.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        if output.status.code() != Some(run.promise.exit_code) {
            return Err(format!("{call}: {:?}, not {:?} | {tail}", output.status.code(), run.promise));
        }
        match run.promise.steps {
            Some(most) if steps(&stdout).is_none_or(|steps| steps > most) => {
                Err(format!("{call}: trace of {:?} steps, not {most} at most", steps(&stdout)))
            }
            _ => Ok(()),
        }
    });
}

#[test]
fn every_example_says_what_it_is() {
    for model in models() {
        let text = files::text(&model);
        let wrong = model.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("_wrong"));
        let last = if wrong { "Shown:" } else { "Proved:" };
        for word in ["(* ", "Protocol:", "Source:", last] {
            assert!(text.contains(word), "{} lacks {word:?}", model.display());
        }
        // A `_wrong` model that is shown to be safe, or another one that is not, has the wrong name.
        for line in text.lines().filter(|line| line.starts_with("(* TEST:")) {
            let says_wrong = line.contains("=> unsafe") || line.contains("=> violated");
            assert_eq!(says_wrong, wrong, "{}: {line}", model.display());
        }
    }
}

#[test]
fn promises_are_read() {
    assert_eq!(Promise::parse(" unsafe in 4 "), Some(Promise { exit_code: 1, steps: Some(4) }));
    assert_eq!(Promise::parse(" safe "), Some(Promise { exit_code: 0, steps: None }));
    assert_eq!(Promise::parse("safe in 4"), None);
    assert_eq!(Promise::parse("fine"), None);
    assert_eq!(steps("Error trace: Init -> a(#1) ->\n   b(#1, #2) -> unsafe at line 3\n"), Some(2));
    assert_eq!(steps("Error trace: Init -> unsafe at line 3"), Some(0));
}
