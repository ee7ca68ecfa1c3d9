//! The advice for a run without an answer holds in larger instances, too.

use super::harness::run_stdin;

/// N counts the processes at `In`, the pairs, and the guests that came with them, so that it grows with each further process. No
/// inequality says so that weighs a pair like a single process.
const COUNTED: &str = "
type place = Out | In | Pair | Gone
var N : int
array At[proc] : place
init (p) { N = 0 && At[p] = Out }
unsafe () { N < 0 }
transition enter (p) requires { At[p] = Out } { At[p] := In; N := N + 1 }
transition enter_with_guest (p) requires { At[p] = Out } { At[p] := Pair; N := N + 3 }
transition leave (p) requires { At[p] = In } { At[p] := Gone; N := N - 1 }
transition leave_as_pair (p) requires { At[p] = Pair } { At[p] := Gone; N := N - 2 }
";

/// Like the model above, but N stays at most four.
const BOUNDED: &str = "
type place = Out | In | Pair | Gone
var N : int
var Full : bool
array At[proc] : place
init (p) { N = 0 && At[p] = Out && Full = False }
unsafe () { N < 0 }
transition enter (p) requires { At[p] = Out && N < 3 } { At[p] := In; N := N + 1 }
transition enter_with_guest (p) requires { At[p] = Out && N < 3 } { At[p] := Pair; N := N + 3 }
transition leave (p) requires { At[p] = In } { At[p] := Gone; N := N - 1 }
transition leave_as_pair (p) requires { At[p] = Pair } { At[p] := Gone; N := N - 2 }
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
    // A certificate needs a proof, which explorations are not.
    let folder = tempfile::tempdir().expect("a folder");
    let certificate = folder.path().join("certificate").display().to_string();
    let line = format!("--engine classic --nodes 1 --certificate {certificate} -");
    let outcome = run_stdin(&line, model.as_bytes());
    assert_eq!(outcome.code, Some(3), "{outcome:?}");
    assert!(!outcome.stderr.contains("as the first line"), "{outcome:?}");
}

#[test]
fn every_proposed_bound_holds_in_instances_with_up_to_four_processes() {
    for model in [COUNTED, BOUNDED, include_str!("advice/sums.cub"), include_str!("advice/count.cub")] {
        for nodes in [4, 12] {
            let line = format!("--engine classic --nodes {nodes} -");
            let outcome = run_stdin(&line, model.as_bytes());
            let proposed = outcome.stderr.split('`').filter(|it| it.starts_with("invariant "));
            let bad: Vec<String> = proposed.map(|it| it.replace("invariant", "unsafe")).collect();
            let (before, after) = model.split_once("unsafe").expect("a bad state");
            let asked = format!("{before}{}\nunsafe{after}", bad.join("\n"));
            for procs in 1..=4 {
                let line = format!("--only-forward --procs {procs} --max-forward 3000 -q -");
                let seen = run_stdin(&line, asked.as_bytes());
                assert_eq!(seen.code, Some(0), "{bad:?} with {procs}: {seen:?}");
            }
        }
    }
}

#[test]
fn what_a_trial_has_shown_closes_the_proof() {
    let limited = "brab 2 --nodes 5";
    for (name, line) in [
        ("leader_election", limited),
        ("rwlock", limited),
        ("two_locks", limited),
        // From nodes that wait.
        ("german", "--nodes 2"),
        ("code_mcs", "--engine classic --nodes 200"),
    ] {
        let path = format!("examples/{name}.cub");
        let model = std::fs::read_to_string(&path).expect("an example");
        let model: Vec<&str> = model.lines().filter(|line| !line.starts_with("lemma")).collect();
        let model = model.join("\n").replace("\nnever", "\nunsafe");
        let open = run_stdin(&format!("{line} -"), model.as_bytes());
        assert_eq!(open.code, Some(3), "{name}: {open:?}");
        let shown = ["a short trial of it has closed the proof", "the proof closes with"];
        let is_shown = |line: &&str| shown.iter().any(|words| line.contains(words));
        let told = open.stderr.lines().find(is_shown).unwrap_or_else(|| panic!("{name}: {}", open.stderr));
        let helped = if told.contains("--engine classic") {
            run_stdin("--engine classic -q -", model.as_bytes())
        } else {
            let lemmas = told.split('`').nth(1).expect("its text").replace("} invariant", "}\ninvariant");
            let (before, after) = model.split_once("\nunsafe").expect("a bad state");
            run_stdin("-q -", format!("{before}\n{lemmas}\nunsafe{after}").as_bytes())
        };
        assert_eq!(helped.stdout, "The system is SAFE\n", "{name}: {told}: {helped:?}");
        // One line is said in any case.
        let quiet = run_stdin(&format!("{line} -q -"), model.as_bytes());
        assert_eq!(quiet.stderr.lines().filter(|line| line.starts_with("help: ")).count(), 1, "{quiet:?}");
    }
}
