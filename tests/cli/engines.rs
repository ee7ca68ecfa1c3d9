//! Engines selected by name: their reports, and options that contradict them.

use serde_json::Value;

use crate::harness::run;

fn document(line: &str) -> Value {
    let outcome = run(&format!("{line} --format json"));
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{line}: {error}: {outcome:?}"))
}

#[test]
fn each_decides_and_is_named() {
    for (line, engine, processes) in [
        ("--engine classic examples/mutex.cub", "classic", Value::Null),
        ("--engine brab examples/mutex.cub", "brab", 2.into()),
        ("--engine brab brab 3 examples/mutex.cub", "brab", 3.into()),
        ("--engine pdr examples/mutex.cub", "pdr", 2.into()),
        ("brab 3 --engine pdr examples/mutex.cub", "pdr", 3.into()),
    ] {
        let document = document(line);
        assert_eq!(document["verdict"], "safe", "{line}");
        assert_eq!(document["decider"]["engine"], engine, "{line}");
        assert_eq!(document["decider"]["processes"], processes, "{line}");
    }
}

/// With two processes of these no state is initial: such an instance would let every candidate pass.
#[test]
fn a_search_waits_for_an_instance_that_has_states() {
    let outcome = run("--format json examples/threshold/one_step_consensus_wrong.cub");
    let document: Value = serde_json::from_str(&outcome.stdout).expect("a document");
    let explored = document["explorations"].as_array().expect("instances");
    let sizes = explored.iter().map(|it| (it["processes"].as_u64(), it["states"].as_u64() == Some(0)));
    assert_eq!(sizes.collect::<Vec<_>>(), [(Some(2), true), (Some(3), false)]);
    let searches = document["stages"].as_array().expect("turns");
    assert!(searches.iter().all(|it| it["search"] == "classic"), "{searches:?}");
}

#[test]
fn proofs_are_certified_and_errors_are_replayed_step_by_step() {
    for model in ["german", "szymanski", "bakery", "ticket_lock", "german_data"] {
        let path = format!("examples/{model}.cub");
        let outcome = run(&format!("--engine pdr --quiet {path}"));
        assert_eq!(outcome.code, Some(0), "{model}: {outcome:?}");
    }
    for model in ["german_wrong", "mutex_wrong", "mesi_wrong"] {
        let outcome = run(&format!("--engine pdr --quiet examples/{model}.cub"));
        assert_eq!(outcome.code, Some(1), "{model}: {outcome:?}");
    }
}

#[test]
fn an_end_without_answer_says_how_far_it_is_proved() {
    let outcome = run("--engine pdr --nodes 15 examples/german.cub");
    assert_eq!(outcome.code, Some(3), "{outcome:?}");
    let said = "no bad state within 3 steps, for any number of processes";
    assert!(outcome.stderr.contains(said), "{}", outcome.stderr);
}

#[test]
fn contradictions_are_refused() {
    for (line, said) in [
        ("brab 2 --engine classic", "brab 2 and --engine classic: only one of them can be meant"),
        ("brab 3 --engine auto", "brab 3 and --engine auto: only one of them can be meant"),
        ("--engine pdr --procs 3", "add brab K instead"),
        ("--engine pdr --search dfs", "--engine pdr has no queue of nodes"),
    ] {
        let outcome = run(&format!("{line} examples/mutex.cub"));
        assert_eq!(outcome.code, Some(2), "{line}: {outcome:?}");
        assert!(outcome.stderr.contains(said), "{line}: {}", outcome.stderr);
    }
}
