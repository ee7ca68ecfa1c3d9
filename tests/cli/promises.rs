//! Properties of runs: fairness of a name that is declared twice, instances with few processes, proofs, and
//! reasons for open answers. The models are in `tests/found3`.

use serde_json::Value;

use super::harness::{Outcome, run, run_stdin};

/// The last lines of `cubicle --quiet` for a model, without those of rankings, and its exit code.
fn says(model: &str) -> (Vec<String>, Option<i32>) {
    let Outcome { code, stdout, .. } = run(&format!("--quiet tests/found3/{model}.cub"));
    (stdout.lines().filter(|it| !it.starts_with("     ")).map(str::to_owned).collect(), code)
}

fn expect(model: &str, lines: &[&str], code: i32) {
    assert_eq!(says(model), (lines.iter().map(ToString::to_string).collect(), Some(code)), "{model}");
}

#[test]
fn fairness_of_a_name_covers_all_its_declarations() {
    for model in ["fairdup2", "fairdup3"] {
        expect(model, &["s: holds for any number of processes", "The system is SAFE"], 0);
    }
    // A run may always take the first declaration, so that the second need never be taken.
    expect("fairdup4", &["s: VIOLATED with 2 processes", "VIOLATED: s"], 1);
}

/// Each number of parameters is treated separately: taking the step without a process does not replace the step of a process.
#[test]
fn tuples_of_different_lengths_are_treated_separately() {
    let model = |params: &str| {
        format!(
            "type st = A | B\nvar G : bool\narray At[proc] : st\ninit (p) {{ At[p] = A && G = True }}\n\
             transition t ({params}) requires {{ G = True }} {{ G := True }}\n\
             transition t (p) requires {{ At[p] = A }} {{ At[p] := B }}\n\
             fair t\nresponse s (p) {{ At[p] = A }} ~> {{ At[p] = B }}\n"
        )
    };
    let both = "--quiet --only-forward --procs 2 -";
    let Outcome { code, stdout, .. } = run_stdin(both, model("").as_bytes());
    assert_eq!((code, stdout.lines().next()), (Some(0), Some("s: holds with 2 processes")), "{stdout}");
    let Outcome { code, stdout, .. } = run_stdin("--only-forward --procs 2 -", model("p").as_bytes());
    assert_eq!(code, Some(1), "{stdout}");
    assert!(stdout.contains("     fair t(#1): step 1 takes it\n"), "{stdout}");
    // With `any`, one of all of them is enough.
    let any = model("").replace("fair t", "fair any t");
    let Outcome { code, stdout, .. } = run_stdin(both, any.as_bytes());
    assert_eq!(code, Some(1), "{stdout}");
}

#[test]
fn the_fairness_of_a_name_is_printed_once() {
    let Outcome { code, stdout, .. } =
        run("--quiet --crash stop --show-transformed tests/found3/fairdup2.cub");
    assert_eq!((code, stdout.matches("\nfair t\n").count()), (Some(0), 1), "{stdout}");
}

#[test]
fn a_property_that_fails_only_with_few_processes_is_violated() {
    let lines = ["s: VIOLATED with 0 processes", "r: VIOLATED with 0 processes"];
    let last = ["o: VIOLATED with 0 processes", "VIOLATED: s, r, o"];
    expect("open_z", &[lines, last].concat(), 1);
    let (lines, code) = says("open_base_3");
    assert_eq!((lines[1].as_str(), code), ("free: VIOLATED with 1 process", Some(1)), "{lines:?}");
    assert_eq!(lines[2], "out: VIOLATED with 1 process");
    // `exists_other` extends to the end of the formula, so that one process alone cannot keep such a promise.
    let (lines, code) = says("open_tas_strong");
    assert_eq!((lines[1].as_str(), code), ("progress: VIOLATED with 1 process", Some(1)), "{lines:?}");
    // Instances that the model does not have are not checked, nor others than the requested one.
    let text = include_str!("../found3/open_z.cub");
    let named = text.replace("requires { G = A }", "requires { G = A && p <> #1 }");
    let Outcome { stdout, .. } = run_stdin("--quiet -", named.as_bytes());
    assert!(!stdout.contains("0 process"), "{stdout}");
    let Outcome { code, stdout, .. } = run_stdin("--quiet --only-forward --procs 2 -", text.as_bytes());
    assert_eq!((code, stdout.lines().next()), (Some(0), Some("s: holds with 2 processes")), "{stdout}");
}

#[test]
fn a_model_without_processes_has_one_instance() {
    let (lines, code) = says("open_abp");
    let held = ["zero", "one", "got"].map(|name| format!("{name}: holds for any number of processes"));
    assert_eq!((&lines[..3], code), (&held[..], Some(0)), "{lines:?}");
}

#[test]
fn what_holds_for_any_number_of_processes_is_proved() {
    for (model, property) in [
        ("open_local_strong", "up"),
        ("open_bakery_ord", "served"),
        ("open_bakery_num", "served"),
        ("open_base_0", "served"),
        ("open_base_3", "served"),
        ("open_intb", "served"),
        ("open_strong", "served"),
        ("open_tas_strong", "served"),
        ("rw_live3", "writer_served"),
    ] {
        let (lines, _) = says(model);
        let held = format!("{property}: holds for any number of processes");
        assert!(lines.contains(&held), "{model}: {lines:?}");
    }
}

/// A lock in which one who waits is possibly overtaken for ever, and one that closes no loop: the states of a run and their copy.
#[test]
fn copies_of_states_are_compared() {
    assert_eq!(says("monitor_too_weak").1, Some(1));
    assert_eq!(says("monitor_fixed").1, Some(0));
}

/// The reason of an open answer, in the text and in the document.
#[test]
fn an_open_property_of_runs_has_its_reason() {
    for (model, property, why) in [
        ("open_strong", "idle", "no ranking is looked for, since it is a `possible`"),
        ("open_hours", "met", "no ranking was found: with 0 processes, no fair step is known to help where "),
        ("open_full", "enters", "rankings of small instances were found, but not proved"),
    ] {
        let (lines, code) = says(model);
        let text = lines.join("\n");
        assert_eq!(code, Some(3), "{model}: {text}");
        let known = format!("; {why}");
        assert!(
            text.contains(&known) && text.contains(&format!("{property}: holds with ")),
            "{model}: {known}: {text}"
        );
        let last = format!("UNKNOWN: {property} is verified for ");
        assert!(lines.last().is_some_and(|it| it.starts_with(&last)), "{model}: {last}: {text}");
        let document = run(&format!("--format json tests/found3/{model}.cub")).stdout;
        let document: Value = serde_json::from_str(&document).expect("a document");
        let of = |it: &&Value| it["name"] == property;
        let record = document["properties"].as_array().expect("a list").iter().find(of).expect("it is there");
        assert!(record["unproved"].as_str().is_some_and(|it| it.starts_with(why)), "{model}: {record}");
        assert_eq!(document["reason"]["kind"], "runs");
    }
}

/// Processes of two sorts cannot be exchanged: what holds for one of the first sort says nothing of one of the second.
#[test]
fn properties_are_about_processes_of_each_sort() {
    let model = |property: &str| {
        format!(
            "type node < proc type value < proc type st = Idle | Want | Done
             array A[value] : st array N[node] : bool
             init (n : node v : value) {{ A[v] = Idle && N[n] = False }}
             transition want (v : value) requires {{ A[v] = Idle }} {{ A[v] := Want }}
             transition spin (n : node) requires {{ N[n] = False }} {{ N[n] := True }}
             transition back (n : node) requires {{ N[n] = True }} {{ N[n] := False }}
             transition never (v : value) requires {{ A[v] = Done }} {{ A[v] := Idle }}
             {property}"
        )
    };
    for sizes in ["node=1,value=1", "node=2,value=1", "node=1,value=2", "2", "3"] {
        for (property, code) in [
            ("response r (v : value) { A[v] = Want } ~> { A[v] = Done }", 1),
            ("recurrence r (v : value) { A[v] = Idle }", 1),
            ("possible r (v : value) { A[v] = Done }", 1),
            ("cover r (v : value) { A[v] = Want }", 0),
            ("cover r (v : value n : node) { A[v] = Want && N[n] = True }", 0),
            ("cover r (n : node v : value) { A[v] = Want && N[n] = True }", 0),
            ("recurrence r (n : node) { N[n] = False || N[n] = True }", 0),
            ("--ltl G({A[#1]=Idle})", 1),
            ("--ltl G({N[#1]=False})", 1),
        ] {
            // The words of an option have no blanks.
            let (option, property) = if property.starts_with("--") { (property, "") } else { ("", property) };
            let line = format!("--quiet --only-forward --procs {sizes} --allow C0919 {option} -");
            let outcome = run_stdin(&line, model(property).as_bytes());
            assert_eq!(outcome.code, Some(code), "{sizes}: {property}: {outcome:?}");
        }
    }
}

/// An oracle may have one division of its processes among sorts. What is said of deadlocks is about all of them.
#[test]
fn deadlocks_are_searched_in_every_division_among_sorts() {
    let model = "type node < proc type value < proc array N[node] : bool array V[value] : bool
        init (n : node v : value) { N[n] = False && V[v] = False }
        unsafe (n : node v : value) { N[n] = True && V[v] = True }
        transition flip (n : node v : value) requires { N[n] = False } { N[n] := False }";
    for line in ["brab 2 --deadlock", "--only-forward brab 2 --deadlock", "--procs 4 --deadlock"] {
        let outcome = run_stdin(&format!("--quiet --allow C0915 {line} -"), model.as_bytes());
        assert_eq!(outcome.code, Some(5), "{line}: {outcome:?}");
    }
    let explored = run_stdin("--allow C0915 brab 2 -", model.as_bytes()).stdout;
    assert!(explored.contains("Explored 4 processes (node=2,value=2): all 1 orbit"), "{explored}");
}
