//! `cubicle lint`: warnings in every format, allowed and denied, and partial results at a limit.

use crate::harness::{run, run_stdin};
use crate::machine::{assert_valid, schema};

/// A guard with a redundant part.
const CAREFUL: &str = "\
type place = Out | Door | In
var Locked : bool
array At[proc] : place
init (p) { Locked = False && At[p] = Out }
unsafe (p q) { At[p] = In && At[q] = In }
transition ask (p) requires { At[p] = Out } { At[p] := Door }
transition enter (p) requires { At[p] = Door && Locked = False } { At[p] := In; Locked := True }
transition leave (p) requires { At[p] = In && Locked = True } { At[p] := Out; Locked := False }
";

#[test]
fn warnings_are_reported_in_each_format() {
    let plain = run_stdin("lint --deep -", CAREFUL.as_bytes());
    assert_eq!((plain.code, plain.stdout.as_str()), (Some(0), "1 warning\n"), "{plain:?}");
    assert!(plain.stderr.contains("warning[C0927]: `Locked = True` never decides"), "{plain:?}");
    assert!(plain.stderr.contains("proved for any number of processes"), "{plain:?}");
    let json = run_stdin("lint --deep - --format json", CAREFUL.as_bytes());
    let document = assert_valid(&schema("docs/schema/run.json"), &json.stdout, "lint");
    let message = &document["messages"][0];
    assert_eq!((&document["verdict"], &message["code"]), (&"well_formed".into(), &"C0927".into()));
    assert_eq!((message["place"]["line"].as_u64(), &message["level"]), (Some(8), &"warning".into()));
    assert_eq!(message["label"], "proved for any number of processes");
    let sarif = run_stdin("lint --deep - --format sarif", CAREFUL.as_bytes());
    let sarif = assert_valid(&schema("tests/cli/schema/sarif-schema-2.1.0.json"), &sarif.stdout, "sarif");
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "C0927");
    let github = run_stdin("lint --deep - --format github", CAREFUL.as_bytes());
    assert!(github.stderr.starts_with("::warning file=-,line=8,"), "{github:?}");
}

#[test]
fn warnings_are_allowed_and_denied() {
    let allowed = CAREFUL.replace("transition leave", "(* cubicle: allow C0927 *) transition leave");
    for (line, text, code, answer) in [
        ("", CAREFUL, 0, "No warnings\n"),
        ("--deep", CAREFUL, 0, "1 warning\n"),
        ("--deep --deny warnings", CAREFUL, 2, "1 warning\n"),
        ("--deep --allow C0927 --deny warnings", CAREFUL, 0, "No warnings\n"),
        ("--deep --deny warnings", &allowed, 0, "No warnings\n"),
        // Only a deep lint tells whether the comment is of use.
        ("", &allowed, 0, "No warnings\n"),
    ] {
        let outcome = run_stdin(&format!("lint {line} -"), text.as_bytes());
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(code), answer), "{line}: {outcome:?}");
    }
}

#[test]
fn every_end_is_reported() {
    let limited = run("lint --deep examples/ricart_agrawala.cub --time-limit 20ms");
    assert_eq!(limited.code, Some(3), "{limited:?}");
    assert!(limited.stderr.contains("not everything was examined"), "{limited:?}");
    let wrong = run_stdin("lint --deep - --format json", b"unsafe { X = 1 }");
    let document = assert_valid(&schema("docs/schema/run.json"), &wrong.stdout, "lint");
    assert_eq!((wrong.code, document["exit_code"].as_u64()), (Some(2), Some(2)));
    assert!(document["error"].as_str().is_some_and(|error| error.contains("could not check")));
    for (line, says) in [
        ("lint examples/mutex.cub --procs 2", "--deep"),
        ("lint", "FILE is missing"),
        ("lint nowhere.cub", "cannot read nowhere.cub"),
        ("lint examples/mutex.cub --allow C0101", "only warnings can be allowed"),
    ] {
        let outcome = run(line);
        assert_eq!(outcome.code, Some(2), "{line}: {outcome:?}");
        assert!(outcome.stderr.contains(says), "{line}: {outcome:?}");
    }
}

#[test]
fn the_number_of_threads_does_not_change_the_output() {
    let one = run("lint --deep examples/directory.cub");
    assert_eq!(one.code, Some(0), "{one:?}");
    assert_eq!(one, run("lint --deep examples/directory.cub --jobs 3"));
}
