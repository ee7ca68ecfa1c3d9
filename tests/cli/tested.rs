//! `cubicle test`: models against the verdicts that they announce, in every format, and what may go wrong with it.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{Outcome, PATIENCE, PROGRAM, Running, Signal, cubicle, outcome};
use crate::machine::{assert_valid, schema};
use crate::models;

/// A folder with models, each with its `TEST:` lines.
fn folder(models: &[(&str, &str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, lines, model) in models {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{lines}{model}")).unwrap();
    }
    folder
}

/// Runs `cubicle test` there.
fn test_in(folder: &Path, line: &str) -> Outcome {
    let mut command = cubicle();
    outcome(&command.current_dir(folder).arg("test").args(line.split_whitespace()).output().unwrap())
}

#[test]
fn models_are_compared_with_what_they_announce() {
    let folder = folder(&[
        ("b.cub", "(* TEST: => safe *)\n(* TEST: brab 2 => safe *)\n", models::SAFE),
        (
            "a/z.cub",
            "(* TEST: => unsafe *)\n(* TEST: => unsafe in 2 *)\n(* TEST: => safe *)\n",
            models::UNSAFE,
        ),
        ("a/deadlock.cub", "(* TEST: --only-forward --deadlock => deadlock in 1 *)\n", models::DEADLOCK),
        ("limit.cub", "(* TEST: --nodes 1 --engine classic => unknown *)\n", models::ENDLESS),
        ("wrong.cub", "(* TEST: => error C0102 *)\n(* TEST: => safe *)\n", "var X : t\ninit () { X = 1 }\n"),
        ("none.cub", "", models::SAFE),
        (".hidden/h.cub", "(* TEST: => deadlock *)\n", models::SAFE),
        ("typed.cub", "(* TEST: --type-only => well-formed *)\n", models::SAFE),
        (
            "seen.cub",
            "(* TEST: --only-forward => nothing-wrong *)\n(* TEST: --only-forward => safe *)\n",
            models::SAFE,
        ),
    ]);
    let run = test_in(folder.path(), ".");
    let lines: Vec<&str> = run.stdout.lines().filter(|line| !line.starts_with("    ")).collect();
    let expected = [
        "a/deadlock.cub: ok (deadlock in 1)",
        "a/z.cub: not as expected (1 of 3 runs)",
        "  line 2, `cubicle`: unsafe in 3, expected unsafe in 2",
        "  line 3, `cubicle`: unsafe in 3, expected safe",
        "b.cub: ok (safe, safe)",
        "limit.cub: ok (unknown)",
        "none.cub: skipped (it has no TEST line)",
        "seen.cub: not as expected (1 of 2 runs)",
        "  line 2, `cubicle --only-forward`: nothing-wrong, expected safe",
        "typed.cub: ok (well-formed)",
        "wrong.cub: not as expected (1 of 2 runs)",
        "  line 2, `cubicle`: error C0102, expected safe",
        "8 models (1 skipped), 12 runs: 8 as expected, 4 not as expected",
    ];
    assert_eq!((lines.as_slice(), run.code), (expected.as_slice(), Some(1)), "{run:?}");
    assert_eq!(test_in(folder.path(), ". --jobs 3"), run);
    let quiet = test_in(folder.path(), "b.cub b.cub ./b.cub none.cub --quiet --expect safe");
    assert_eq!((quiet.stdout.as_str(), quiet.code), ("2 models, 3 runs: 3 as expected\n", Some(0)));
    let document = test_in(folder.path(), ". --format json");
    let document = assert_valid(&schema("docs/schema/test.json"), &document.stdout, "test");
    assert_eq!((&document["exit_code"], &document["counts"]["unexpected"]), (&1.into(), &4.into()));
    assert_eq!(document["models"][1]["runs"][2]["verdict"], "unsafe in 3");
    assert_eq!(document["times"]["runs"].as_array().unwrap().len(), 12);
    let sarif = test_in(folder.path(), ". --format sarif");
    let sarif = assert_valid(&schema("tests/cli/schema/sarif-schema-2.1.0.json"), &sarif.stdout, "sarif");
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!((results.len(), &place["region"]["startLine"]), (4, &2.into()), "{results:#?}");
    let junit = test_in(folder.path(), ". --format junit").stdout;
    assert!(junit.contains("tests=\"13\" failures=\"4\" errors=\"0\" skipped=\"1\""), "{junit}");
}

#[test]
fn only_what_is_not_decided_is_inconclusive() {
    let endless = "(* TEST: --nodes 3 --engine classic => safe *)\n";
    let folder =
        folder(&[("a.cub", endless, models::ENDLESS), ("b.cub", "(* TEST: => unsafe *)\n", models::SAFE)]);
    assert_eq!(test_in(folder.path(), "a.cub").code, Some(3));
    assert_eq!(test_in(folder.path(), ".").code, Some(1));
    // A limit of the command holds where the line has none.
    fs::write(folder.path().join("a.cub"), format!("(* TEST: => safe *)\n{}", models::ENDLESS)).unwrap();
    assert_eq!(test_in(folder.path(), "a.cub --time-limit 200ms").code, Some(3));
}

#[test]
fn what_cannot_be_read_is_refused_before_any_run() {
    let lines = "(* TEST: --trace-out x => safe *)\n  (* TEST: => saef *)\n(* TEST: oops *)\n(* TEST: other.cub => safe *)\n";
    let folder = folder(&[
        ("a.cub", lines, models::SAFE),
        ("b.cub", "(* TEST: => safe *)\n", models::SAFE),
        ("c/n.cub", "", models::SAFE),
    ]);
    let run = test_in(folder.path(), ".");
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
    for part in ["--trace-out has to do with files", "did you mean `safe`?", "a.cub:3:1", "one word too many"]
    {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
    assert_eq!(run.stderr.matches("error[C0926]").count(), 4);
    for line in ["c", "no-such-folder", "", "b.cub --cache kept", "b.cub --expect fine"] {
        let run = test_in(folder.path(), line);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{line}: {run:?}");
    }
    let json = test_in(folder.path(), "c --format json");
    let document = assert_valid(&schema("docs/schema/test.json"), &json.stdout, "refused");
    assert!(document["error"].as_str().unwrap().contains("--expect safe"), "{document:#}");
    assert!(test_in(folder.path(), "c --format junit").stdout.contains("errors=\"1\""));
}

#[test]
fn update_changes_verdicts_and_says_so() {
    let lines = "(* TEST: --brab 2 =>safe*)\n(* TEST: => unsafe in 1 *)\n(* TEST: --nodes 1 --engine classic => safe *)\n";
    let folder = folder(&[("a.cub", lines, models::UNSAFE), ("e.cub", "(* TEST: => safe *)\n", "var")]);
    let run = test_in(folder.path(), ". --update");
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.stdout.contains("updated a.cub:1: safe -> unsafe\nupdated a.cub:2: unsafe in 1 -> unsafe in 3\n")
    );
    assert!(run.stderr.contains("a.cub:1: safe -> unsafe: this model promises less than before"), "{run:?}");
    // Neither what has no verdict nor what is no model is taken over.
    let text = fs::read_to_string(folder.path().join("a.cub")).unwrap();
    let now = "(* TEST: --brab 2 =>unsafe*)\n(* TEST: => unsafe in 3 *)\n(* TEST: --nodes 1 --engine classic => safe *)\n";
    assert_eq!(text, format!("{now}{}", models::UNSAFE));
    assert!(fs::read_to_string(folder.path().join("e.cub")).unwrap().starts_with("(* TEST: => safe *)"));
    assert_eq!(test_in(folder.path(), "a.cub --update").code, Some(3));
}

/// The processes that `parent` has started.
pub fn children(parent: u32) -> Vec<String> {
    let stat = |id: &String| fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    let is_child = |id: &String| {
        let text = stat(id);
        // The name, in parentheses, may contain anything.
        let rest = text.rsplit(')').next().unwrap_or_default().trim();
        rest.split(' ').nth(1) == Some(&parent.to_string())
    };
    let all =
        fs::read_dir("/proc").unwrap().flatten().map(|it| it.file_name().to_string_lossy().into_owned());
    all.filter(|it| it.bytes().all(|byte| byte.is_ascii_digit())).filter(is_child).collect()
}

#[test]
fn a_signal_ends_the_runs_with_the_command() {
    let endless = format!("(* TEST: {} => safe *)\n", crate::signals::ENDLESS);
    let folder =
        folder(&[("a.cub", "(* TEST: => safe *)\n", models::SAFE), ("b.cub", &endless, models::ENDLESS)]);
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let child = Running::start(cubicle().current_dir(&folder).args(["test", ".", "--time-limit", "5m"]));
        let start = Instant::now();
        // The first run has ended when there is a child whose command names the second model.
        let names_b =
            |id: &String| fs::read(format!("/proc/{id}/cmdline")).is_ok_and(|it| it.ends_with(b"b.cub\0"));
        let runs = loop {
            let runs: Vec<String> = children(child.id()).into_iter().filter(names_b).collect();
            if !runs.is_empty() {
                break runs;
            }
            assert!(start.elapsed() < PATIENCE, "no run of b.cub");
            sleep(Duration::from_millis(10));
        };
        child.signal(signal);
        let run = child.finish();
        assert_eq!(run.code, Some(code), "{run:?}");
        assert!(run.stdout.starts_with("a.cub: ok (safe)\nUNKNOWN: "), "{run:?}");
        assert!(run.stdout.ends_with("1 model, 1 run: 1 as expected\n"), "{run:?}");
        assert!(!runs.iter().any(names_b), "the run goes on");
    }
}

/// The script of the GitHub Action in the book.
fn action() -> String {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/testing.md")).unwrap();
    let (_, rest) = page.split_once("        run: |\n").expect("the page has a script");
    rest.lines().map_while(|line| line.strip_prefix("          ")).map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_script_of_the_action_works() {
    let folder = folder(&[("models/a.cub", "(* TEST: => safe *)\n", models::SAFE)]);
    let path =
        format!("{}:{}", Path::new(PROGRAM).parent().unwrap().display(), std::env::var("PATH").unwrap());
    let run = || {
        let mut command = Command::new("bash");
        command.args(["-e", "-o", "pipefail", "-c", &action()]).current_dir(&folder).env("PATH", &path);
        command.status().unwrap().code()
    };
    let file = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(run(), Some(0));
    assert!(file("models.xml").contains("failures=\"0\" errors=\"0\""));
    fs::write(folder.path().join("models/b.cub"), format!("(* TEST: => safe *)\n{}", models::UNSAFE))
        .unwrap();
    assert_eq!(run(), Some(1));
    assert!(file("models.xml").contains("tests=\"2\" failures=\"1\""));
    let sarif: Value = serde_json::from_str(&file("models.sarif")).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "unexpected");
}
