//! The advice for a run without an answer holds in larger instances, too.

use super::harness::run_stdin;

/// N counts the processes at `In`, so that it grows with each further process.
const COUNTED: &str = "
var N : int
array In[proc] : bool
init (p) { N = 0 && In[p] = False }
unsafe () { N < 0 }
transition enter (p) requires { In[p] = False } { In[p] := True; N := N + 1 }
transition leave (p) requires { In[p] = True } { In[p] := False; N := N - 1 }
";

/// Like the model above, but N stays at most three.
const BOUNDED: &str = "
var N : int
var Full : bool
array In[proc] : bool
init (p) { N = 0 && In[p] = False && Full = False }
unsafe () { N < 0 }
transition enter (p) requires { In[p] = False && N < 3 } { In[p] := True; N := N + 1 }
transition leave (p) requires { In[p] = True } { In[p] := False; N := N - 1 }
transition fill () { Full := True }
transition empty () { Full := False }
";

#[test]
fn a_number_that_counts_processes_gets_no_fixed_bound() {
    let outcome = run_stdin("--engine classic --nodes 12 -", COUNTED.as_bytes());
    assert_eq!(outcome.code, Some(3), "{outcome:?}");
    assert!(outcome.stderr.contains("again and again"), "something grew: {outcome:?}");
    assert!(!outcome.stderr.contains("bound N by"), "{outcome:?}");
    let proposed =
        "`number_procs 2` as the first line of the model: an answer about all instances with at most 2";
    assert!(outcome.stderr.contains(proposed), "{outcome:?}");
    // Following the proposal leads to an answer, and it is not proposed again.
    let model = format!("number_procs 2\n{COUNTED}");
    let outcome = run_stdin("--engine classic --nodes 12 -", model.as_bytes());
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let outcome = run_stdin("--engine classic --nodes 1 -", model.as_bytes());
    assert_eq!(outcome.code, Some(3), "{outcome:?}");
    assert!(!outcome.stderr.contains("as the first line"), "{outcome:?}");
}

#[test]
fn every_proposed_bound_holds_in_instances_with_up_to_four_processes() {
    for model in [COUNTED, BOUNDED, include_str!("advice/sums.cub"), include_str!("advice/count.cub")] {
        for nodes in [4, 12] {
            let line = format!("--engine classic --nodes {nodes} -");
            let outcome = run_stdin(&line, model.as_bytes());
            for proposed in outcome.stderr.split('`').filter(|it| it.starts_with("invariant ")) {
                let bad = proposed.replace("invariant", "unsafe");
                let (before, after) = model.split_once("unsafe").expect("a bad state");
                let asked = format!("{before}{bad}\nunsafe{after}");
                for procs in 1..=4 {
                    let line = format!("--only-forward --procs {procs} --max-forward 3000 -q -");
                    let seen = run_stdin(&line, asked.as_bytes());
                    assert_eq!(seen.code, Some(0), "{proposed} with {procs}: {seen:?}");
                }
            }
        }
    }
}
