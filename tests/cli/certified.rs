//! Proofs that formerly had no certificate: about fractions, failing processes, properties of runs.

use std::fs;

use tempfile::TempDir;

use crate::harness::run;

/// Models whose invariants have thirds: a real number without decimal notation.
const FRACTIONS: &[(&str, &str)] = &[
    ("thirds", ""),
    ("405000471", ""),
    ("405000580", ""),
    ("407000042", "--engine pdr"),
    ("407000059", "--engine pdr"),
    ("407000059", "--engine classic"),
    ("407000086", ""),
    ("407000235", ""),
];

#[test]
fn fractions_can_be_written() {
    let folder = TempDir::new().unwrap();
    let (lemmas, proof) = (folder.path().join("lemmas.cub"), folder.path().join("proof"));
    for (name, engine) in FRACTIONS {
        let model = format!("tests/found3/certify_{name}.cub");
        let line = format!(
            "--quiet {engine} --certificate {} --lemmas-out {} {model}",
            proof.display(),
            lemmas.display()
        );
        let outcome = run(&line);
        assert_eq!(outcome.code, Some(0), "{name} {engine}: {outcome:?}");
        assert!(!outcome.stderr.contains("left out"), "{name}: {}", outcome.stderr);
        let checked = run(&format!("check-certificate {model} {}", proof.display()));
        assert_eq!(checked.code, Some(0), "{name} {engine}: {checked:?}");
        // All cubes are there, and are read back with the same meaning.
        let again = run(&format!("--quiet {engine} --lemmas-in {} {model}", lemmas.display()));
        assert_eq!(again.code, Some(0), "{name} {engine}: {again:?}");
        assert!(!again.stderr.contains("left out"), "{name}: {}", again.stderr);
        fs::remove_dir_all(&proof).unwrap();
    }
}

/// A folder with a model, and its certificate in `proof`.
fn proved(model: &str, flags: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let path = folder.path().display();
    fs::write(folder.path().join("model.cub"), model).unwrap();
    let outcome = run(&format!("--quiet {flags} --certificate {path}/proof {path}/model.cub"));
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    folder
}

fn check(folder: &TempDir, flags: &str) -> (Option<i32>, String) {
    let path = folder.path().display();
    let outcome = run(&format!("check-certificate {flags} {path}/model.cub {path}/proof"));
    (outcome.code, outcome.stdout + &outcome.stderr)
}

#[test]
fn proofs_of_failing_processes_are_certified() {
    let model = fs::read_to_string("examples/mutex.cub").unwrap();
    for how in ["stop", "stop:2", "restart"] {
        let folder = proved(&model, &format!("--crash {how}"));
        let (code, said) = check(&folder, "");
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains(&format!("with --crash {how}: ")), "{said}");
        assert_eq!(check(&folder, &format!("--crash {how}")).0, Some(0));
        let (code, said) = check(&folder, "--crash stop:1");
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(&format!("it is about the model with --crash {how}")), "{said}");
        let script = fs::read_to_string(folder.path().join("proof/initiation.smt2")).unwrap();
        assert!(script.contains(&format!("; crash {how}")), "{script}");
    }
    // A certificate about the model as written is not one about failures.
    let folder = proved(&model, "");
    assert_eq!(check(&folder, "--crash stop").0, Some(2));
}

const SERVED: &str = "type state = Idle | Want | Crit
var Lock : bool
array At[proc] : state
init (p) { At[p] = Idle && Lock = False }
unsafe (p q) { At[p] = Crit && At[q] = Crit }
transition ask (p) requires { At[p] = Idle } { At[p] := Want }
transition enter (p) requires { At[p] = Want && Lock = False } { At[p] := Crit; Lock := True }
transition leave (p) requires { At[p] = Crit } { At[p] := Idle; Lock := False }
strong_fair enter
fair leave
response served (p) { At[p] = Want } ~> { At[p] = Crit }
";

#[test]
fn properties_of_runs_are_certified() {
    let folder = proved(SERVED, "");
    let file = folder.path().join("proof/runs/001-served/invariants.cub");
    let text = fs::read_to_string(&file).unwrap();
    let (code, said) = check(&folder, "");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("\nThe certificate holds: served holds: "), "{said}");
    // Without its assumptions, and in place of the other one.
    for (from, to, right) in [
        ("again waits (p1) { At[p1] = Want }\n", "", Some(1)),
        ("ranking of served", "ranking of nothing", Some(2)),
        ("again helps 2 (fair leave)", "again helps 1 (fair leave)", Some(2)),
        ("invariant () { Failed = True }\n", "", Some(1)),
    ] {
        assert!(text.contains(from), "{text}");
        fs::write(&file, text.replacen(from, to, 1)).unwrap();
        let (code, said) = check(&folder, "");
        assert_eq!(code, right, "{from}: {said}");
    }
    fs::write(&file, &text).unwrap();
    fs::copy(&file, folder.path().join("proof/invariants.cub")).unwrap();
    let (code, said) = check(&folder, "");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("about the property of runs served, not about bad states"), "{said}");
}

#[test]
fn a_cover_that_is_never_reached_is_certified() {
    let model = SERVED.replace(
        "response served (p) { At[p] = Want } ~> { At[p] = Crit }",
        "cover two (p q) { At[p] = Crit && At[q] = Crit }",
    );
    let folder = TempDir::new().unwrap();
    let path = folder.path().display();
    fs::write(folder.path().join("model.cub"), &model).unwrap();
    let outcome = run(&format!("--quiet --certificate {path}/proof {path}/model.cub"));
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    let (code, said) = check(&folder, "");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("The certificate holds: two is never reached: "), "{said}");
}

#[test]
fn a_property_settled_by_all_instances_has_no_certificate() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().display();
    fs::write(folder.path().join("model.cub"), format!("number_procs 2\n{SERVED}")).unwrap();
    let outcome = run(&format!("--quiet --certificate {path}/proof {path}/model.cub"));
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(outcome.stderr.contains("served: it was checked in every instance"), "{}", outcome.stderr);
    let (code, said) = check(&folder, "");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("there is no certificate about served"), "{said}");
}
