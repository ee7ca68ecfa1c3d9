//! `cubicle export`, compared with other model checkers: they must see the same number of states, and give the
//! same verdict. Their results for more models are in `docs/export.md`:
//! `CUBICLE_BLESS=1 cargo test --test cli export::table -- --ignored` writes that table.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use self::judges::{Answer, rumur, spin, z3};
use crate::harness::{cubicle, run, run_stdin, run_words, run_words_stdin};

#[path = "../suite/support/judges.rs"]
mod judges;

/// A model as the other tools get it.
struct Case {
    model: &'static str,
    /// As `--procs` has it.
    procs: &'static str,
    /// Bounds of numbers, as words.
    bounds: &'static str,
}

const fn case(model: &'static str, procs: &'static str, bounds: &'static str) -> Case {
    Case { model, procs, bounds }
}

/// The models of every test run: arrays and a variable, a wrong one, `case` and numbers.
const FEW: &[Case] =
    &[case("mutex", "3", ""), case("moesi_wrong", "2", ""), case("bakery_wrong", "2", "0 3")];

/// The models of the table.
const MANY: &[Case] = &[
    case("mutex", "3", ""),
    case("mutex_wrong", "3", ""),
    case("bakery", "2", "0 3"),
    case("bakery_wrong", "2", "0 3"),
    case("berkeley", "3", ""),
    case("burns", "3", ""),
    case("burns_wrong", "3", ""),
    case("dekker", "2", ""),
    case("dekker_wrong", "2", ""),
    case("dijkstra", "3", ""),
    case("directory", "2", ""),
    case("illinois", "3", ""),
    case("leader_election", "3", ""),
    case("leader_election_wrong", "3", ""),
    case("mesi", "2", ""),
    case("moesi", "3", ""),
    case("moesi_wrong", "3", ""),
    case("peterson", "2", ""),
    case("pipeline_barrier", "2", ""),
    case("pipeline_barrier_wrong", "3", ""),
    case("readers_count", "3", "-1 4"),
    case("ricart_agrawala", "2", "0 3"),
    case("rwlock", "2", ""),
    case("rwlock_wrong", "2", ""),
    case("sense_barrier", "3", ""),
    case("sense_barrier_wrong", "3", ""),
    case("synapse", "3", ""),
    case("szymanski", "3", ""),
    case("szymanski_wrong", "3", ""),
    case("ticket_lock", "2", "0 3"),
    case("token_ring", "3", ""),
    case("two_locks", "node=2,lock=2", ""),
    case("two_phase_commit", "3", ""),
    case("two_phase_commit_wrong", "3", ""),
];

/// The results of all tools for an instance.
struct Answers {
    ours: Answer,
    /// Some states of Cubicle stand for several.
    compressed: bool,
    rumur: Answer,
    spin: Answer,
    /// Whether Z3 finds the clauses satisfiable; `None` when it does not know in time.
    z3: Option<bool>,
}

fn ours(case: &Case) -> (Answer, bool) {
    let mut line = format!(
        "--only-forward --procs {} --classic-output --forward-nosym --all-errors --vacuity ignore examples/{}.cub",
        case.procs, case.model
    );
    if !case.bounds.is_empty() {
        let _ = write!(line, " --abstr-num {}", case.bounds);
    }
    let outcome = run(&line);
    let total = outcome.stdout.lines().find_map(|line| line.strip_prefix("Total forward nodes"));
    let total = total.unwrap_or_else(|| panic!("{line}: {outcome:?}")).trim_start_matches([' ', ':']);
    let (states, unit) = total.split_once(' ').expect("a number and its unit");
    let answer = Answer { states: states.parse().unwrap(), safe: outcome.code == Some(0) };
    (answer, unit != "states")
}

fn exported(case: &Case, target: &str) -> String {
    let mut line = format!("export examples/{}.cub --procs {} --to {target}", case.model, case.procs);
    if !case.bounds.is_empty() && target != "smtlib" {
        let _ = write!(line, " --abstr-num {}", case.bounds);
    }
    let outcome = run(&line);
    assert_eq!(outcome.code, Some(0), "{line}: {}", outcome.stderr);
    outcome.stdout
}

fn ask(case: &Case) -> Answers {
    let (ours, open) = ours(case);
    let murphi = exported(case, "murphi");
    let compressed = open || murphi.contains("counted apart");
    Answers {
        ours,
        compressed,
        rumur: rumur(&murphi, "off"),
        spin: spin(&exported(case, "promela")),
        z3: z3(&exported(case, "smtlib")),
    }
}

/// All tools agree.
fn agree(case: &Case, answers: &Answers) {
    let Answers { ours, compressed, rumur, spin, z3 } = answers;
    let name = case.model;
    assert_eq!(rumur, spin, "{name}: rumur, spin");
    assert_eq!(rumur.safe, ours.safe, "{name}: rumur, cubicle");
    assert!(if *compressed { ours.states <= rumur.states } else { ours.states == rumur.states }, "{name}");
    assert!(z3.is_none_or(|safe| safe == ours.safe), "{name}: z3, cubicle");
}

#[test]
#[cfg_attr(
    any(without_rumur, without_spin, without_gcc, without_z3),
    ignore = "needs rumur, spin, gcc and z3 (apt-get install spin rumur gcc z3)"
)]
fn other_tools_see_the_same_states_and_give_the_same_verdict() {
    for case in FEW {
        let answers = ask(case);
        agree(case, &answers);
        assert!(!answers.compressed && answers.z3.is_some(), "{}", case.model);
    }
}

/// Cells of processes among them; states are the same up to the names of processes.
#[test]
#[cfg_attr(any(without_rumur, without_gcc), ignore = "needs rumur and gcc (apt-get install rumur gcc)")]
fn processes_that_are_alike_are_a_scalarset() {
    let case = case("dekker", "3", "");
    let murphi = exported(&case, "murphi");
    assert!(murphi.contains("process: scalarset(procs);"), "{murphi}");
    let (all, orbits) = (rumur(&murphi, "off"), rumur(&murphi, "exhaustive"));
    assert_eq!(all, ours(&case).0);
    let said = run("--only-forward --procs 3 --vacuity ignore examples/dekker.cub").stdout;
    assert!(said.contains(&format!(": all {} orbits", orbits.states)), "{orbits:?}: {said}");
    assert!(orbits.safe && orbits.states < all.states);
}

const BEGIN: &str = "<!-- table: begin -->\n";
const END: &str = "<!-- table: end -->";

#[test]
#[ignore = "minutes; needs rumur, spin, gcc and z3"]
fn table() {
    let mut table = String::from(
        "| model | K | bounds | cubicle | rumur | spin | z3 |\n| --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for case in MANY {
        let answers = ask(case);
        agree(case, &answers);
        let verdict = |safe| if safe { "safe" } else { "unsafe" };
        let Answers { ours, compressed, rumur, spin, z3 } = &answers;
        let _ = writeln!(
            table,
            "| {} | {} | {} | {}{}, {} | {}, {} | {}, {} | {} |",
            case.model,
            case.procs,
            case.bounds.replace(' ', " to "),
            ours.states,
            if *compressed { "\\*" } else { "" },
            verdict(ours.safe),
            rumur.states,
            verdict(rumur.safe),
            spin.states,
            verdict(spin.safe),
            z3.map_or("–", verdict)
        );
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/export.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the place of the table");
    let (_, after) = rest.split_once(END).expect("the end of the table");
    let new = format!("{before}{BEGIN}{table}{END}{after}");
    if std::env::var_os("CUBICLE_BLESS").is_some() {
        fs::write(&path, new).unwrap();
    } else {
        assert_eq!(page, new, "docs/export.md is stale");
    }
}

/// Names that are reserved in the other languages, or nearly equal to another name.
const HOSTILE: &str = "
type rule = Begin | End | Process | Skip | Mtype | If
type process = TRUE | INT | Startstate
var Ruleset : rule
var Init : proc
var VARIABLE : process
array State[proc] : bool
array STATE[proc, proc] : rule
init (end) { Ruleset = Begin && State[end] = False && STATE[end, end] = If && VARIABLE = INT && Init <> end }
unsafe (do od) { State[do] = True && State[od] = True && Ruleset = End }
transition atomic (assert) requires { State[assert] = False } { State[assert] := True; Ruleset := End }
transition next (proctype active) requires { State[active] = True }
{ Ruleset := Mtype; STATE[proctype, active] := Skip; VARIABLE := ? }
transition Next () { Ruleset := case | Ruleset = Begin : End | _ : Begin; Init := ?; }
";

#[test]
fn names_are_valid_in_each_language_and_differ() {
    for target in ["murphi", "promela", "smtlib", "tla"] {
        let outcome = run_stdin(&format!("export - --to {target}"), HOSTILE.as_bytes());
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        let said = outcome.stdout;
        match target {
            "murphi" => {
                assert!(
                    said.contains("rule_2: enum { Begin_2, End_2, Process_2, Skip, Mtype, If_2 }"),
                    "{said}"
                );
            }
            "promela" => {
                assert!(
                    said.contains("mtype = { Begin, End_2, Process, Skip_2, Mtype_2, If_2, TRUE_2"),
                    "{said}"
                );
            }
            "smtlib" => {}
            _ => {
                assert!(said.contains("VARIABLES Ruleset, Init_2, VARIABLE_2, State_2, STATE_3\n"), "{said}");
                assert!(said.contains("next_2(proctype, active) ==\n"), "{said}");
            }
        }
    }
}

#[test]
#[cfg_attr(
    any(without_rumur, without_spin, without_gcc, without_z3),
    ignore = "needs rumur, spin, gcc and z3 (apt-get install spin rumur gcc z3)"
)]
fn each_tool_accepts_such_names() {
    let said = |target: &str| run_stdin(&format!("export - --to {target}"), HOSTILE.as_bytes()).stdout;
    assert!(!rumur(&said("murphi"), "off").safe);
    assert!(!spin(&said("promela")).safe);
    assert_eq!(z3(&said("smtlib")), Some(false));
}

#[test]
#[cfg_attr(
    any(without_rumur, without_spin, without_gcc, without_z3),
    ignore = "needs rumur, spin, gcc and z3 (apt-get install spin rumur gcc z3)"
)]
fn all_tools_agree_on_updates_and_guards() {
    // A swap of cells that are read and written at once, a matrix, a rotation, order, constants.
    let model = "
        number_procs 3
        type t = A | B | C
        const K : t
        var G : t
        var P : proc
        array S[proc] : t
        array M[proc, proc] : bool
        init (i j) { S[i] = A && M[i, j] = False && P = #1 && (K = A || K = C) && (G = A || G = B) }
        unsafe (i j) { S[i] = C && S[j] = C && M[i, j] = True && M[j, i] = False }
        transition swap (i) requires { S[i] <> G } { S[i] := G; G := S[i] }
        transition turn (i) requires { P = i && exists_other j. S[j] = G } { G := case | G = A : B | G = B : C | _ : A }
        transition mark (i j) requires { forall_other k. k < i || S[k] = A } { M[i, j] := True; P := j }
        transition clear () requires { G = C } { M[i, j] := case | S[i] = S[j] : False | _ : M[j, i]; G := K }
    ";
    all_see_the_same_states(model, "");
    // Sums of several variables and cells.
    let model = "
        var X : int
        var Y : int
        array N[proc] : int
        init (i) { X = 2 && Y = 1 && N[i] = 1 }
        unsafe (i j) { N[i] + N[j] - X > 2 * Y }
        transition pay (i) requires { X - N[i] >= Y - 1 } { X := X - N[i]; N[i] := 2 * N[i] - Y }
        transition pool (i j) requires { 1 + N[i] > N[j] - Y } { X := N[i] + N[j] - Y; Y := X + Y - N[j] - 1 }
        transition all () { N[k] := case | N[k] + X - Y > 1 : X - N[k] | _ : Y + N[k] * 2 }
    ";
    all_see_the_same_states(model, " --abstr-num -1 5");
    // Counts and sums: in init, guards, conditions, right sides, below quantifiers, of a row and of all.
    let model = "
        type t = Idle | Reading | Writing
        var Readers : int
        array S[proc] : t
        array N[proc] : int
        array M[proc, proc] : bool
        init (p q) { #{r | S[r] = Reading} <= 1 && S[p] <> Writing && N[p] = 1 && M[p, q] = False && Readers = 0 }
        unsafe (p) { sum{q | N[q] if S[q] <> Idle} >= 4 && #{q | M[p, q] = True} = 1 }
        transition read (p) requires { 2 * #{q | S[q] = Reading && q <> p} <= #proc - 2 }
        { S[p] := Reading; Readers := #{q | S[q] = Reading} + 1 }
        transition write (p) requires { forall_other q. #{r | M[q, r] = True} <= Readers } { S[p] := Writing; N[p] := 2 }
        transition mark (p q) requires { S[p] = Reading } { M[p, q] := True; Readers := sum{r | 2 * N[r] if M[p, r] = True} }
        transition reset () { S[k] := case | #{r | M[k, r] = True} >= 1 : Idle | _ : S[k] }
    ";
    all_see_the_same_states(model, " --abstr-num 0 4");
}

#[test]
#[cfg_attr(
    any(without_rumur, without_spin, without_gcc),
    ignore = "needs rumur, spin and gcc (apt-get install spin rumur gcc)"
)]
fn all_tools_agree_on_sorts() {
    // Pointers, numbers, others of one sort, an update of a whole array, a count, processes of no sort.
    let model = "
        type node < proc
        type lock < proc
        var Leader : node
        var Last : proc
        array Holder[lock] : node
        array Uses[node] : int
        array Held[node, lock] : bool
        array Up[proc] : bool
        init (n : node l : lock p) { Held[n, l] = False && Uses[n] = 1 && Leader <> n && Holder[l] <> n && Up[p] = False && Last <> p }
        unsafe (n : node l : lock) { Held[n, l] = True && Leader = n && Uses[n] = 3 }
        transition take (n : node l : lock) requires { forall_other m : node. Held[m, l] = False && Uses[n] <= 2 }
        { Held[n, l] := True; Uses[n] := Uses[n] + 1; Holder[l] := n; }
        transition lead (n m : node p) requires { #{l : lock | Holder[l] = n} >= 1 } { Leader := n; Last := p; }
        transition drop (l : lock p) requires { Last = p || Up[p] = False }
        { Held[n, k] := case | k = l : False | _ : Held[n, k]; Up[p] := True; }
    ";
    all_see_the_same_states_of("node=2,lock=1,proc=1", model, " --abstr-num 0 3");
}

/// A branch that does not apply reads a cell of a process of another sort.
#[test]
#[cfg_attr(without_z3, ignore = "needs z3 (apt-get install z3)")]
fn clauses_have_no_cells_of_other_sorts() {
    let model = "
        type node < proc
        type lock < proc
        type t = A | B
        array At[node] : t
        array Held[lock] : bool
        var Ptr : node
        var X : t
        init (n : node l : lock) { At[n] = A && Held[l] = False && X = A }
        unsafe { X = B }
        transition read (l : lock) { X := case | Held[l] = True : At[Ptr] | _ : A }
        transition take (l : lock) { Ptr := ?; Held[l] := True }
        transition wrong (n : node) requires { WRONG } { At[n] := B }
    ";
    for (guard, safe) in [("X = B", true), ("Ptr = n", false)] {
        let model = model.replace("WRONG", guard);
        let line = "export - --procs node=1,lock=1 --to smtlib";
        assert_eq!(z3(&run_stdin(line, model.as_bytes()).stdout), Some(safe), "{guard}");
    }
}

/// An unsafe model: all states of three processes are explored, by Cubicle and by the other tools.
fn all_see_the_same_states(model: &str, bounds: &str) {
    all_see_the_same_states_of("3", model, bounds);
}

/// As [`all_see_the_same_states`], for an instance of this size.
fn all_see_the_same_states_of(procs: &str, model: &str, bounds: &str) {
    let flags = "--classic-output --forward-nosym --all-errors --vacuity ignore --allow C0933";
    let explored = run_stdin(&format!("--only-forward --procs {procs} {flags}{bounds} -"), model.as_bytes());
    assert_eq!(explored.code, Some(1), "{}{}", explored.stdout, explored.stderr);
    let export = |target: &str| {
        let line = format!("export - --procs {procs} --to {target}{bounds}");
        run_words_stdin(&line.split(' ').collect::<Vec<_>>(), model.as_bytes()).stdout
    };
    let (rumur, spin) = (rumur(&export("murphi"), "off"), spin(&export("promela")));
    assert_eq!(rumur, spin);
    assert!(!rumur.safe);
    let states = format!(": {} states", rumur.states);
    assert!(explored.stdout.contains(&states), "{states}: {}", explored.stdout);
}

#[test]
fn what_cannot_be_said_is_refused_with_its_place() {
    let reals = "var X : real\ninit { X = 0.5 }\nunsafe { X = 1. }\ntransition t () { X := X + 0.5; }\n";
    let numbers = "var N : int\ninit { N = 0 }\nunsafe { N = 4 }\ntransition t () { N := N + 1; }\n";
    let any = "var N : int\ninit { N = 0 }\nunsafe { N = 4 }\ntransition t () { N := ?; }\n";
    let open =
        "var N : int\nvar B : bool\ninit { B = True }\nunsafe { N = 4 }\ntransition t () { B := False; }\n";
    let large = "var N : int\ninit { N = 0 }\nunsafe { N = 4000000000 }\ntransition t () { N := N + 1; }\n";
    let nothing = "var B : bool\narray A[proc] : bool\ninit (p) { B = True && A[p] = True && A[p] = False }\n\
                   unsafe { B = False }\ntransition t () { B := False; }\n";
    let sorts = "type node < proc\ntype lock < proc\narray Held[node, lock] : bool\ninit (n : node l : lock) { Held[n, l] = False }\n\
                 unsafe (n : node l : lock) { Held[n, l] = True }\n";
    for (model, words, says) in [
        (
            sorts,
            "--to murphi --procs 4",
            "--procs says how many processes of each, as in `--procs node=2,lock=2`",
        ),
        (sorts, "--to tla --procs node=2,lok=2", "`lok` is not a sort of the model"),
        (reals, "--to murphi --procs node=2", "--procs names sorts, and the model declares none"),
        (reals, "--to murphi", "<stdin>:1:1: Murphi has no real numbers, and `X` is one"),
        (reals, "--to promela", "<stdin>:1:1: Promela has no real numbers, and `X` is one"),
        (reals, "--to tla", "<stdin>:1:1: TLC has no real numbers, and `X` is one"),
        (numbers, "--to murphi", "<stdin>:1:1: numbers of Murphi have bounds, and `N` has none"),
        (numbers, "--to promela", "<stdin>:1:1: numbers of Promela have bounds, and `N` has none"),
        (numbers, "--to smtlib --abstr-num 0 4", "numbers of SMT-LIB need no bounds"),
        (
            numbers,
            "--to murphi --abstr-num 1 4",
            "<stdin>:2:1: `N` is 0 in the beginning, which is out of range",
        ),
        (numbers, "--to murphi --abstr-num 4 0", "--abstr-num needs a lower bound"),
        (numbers, "--to promela --abstr-num 0 3000000000", "numbers of Promela are at most 2147483647"),
        (any, "--to tla", "<stdin>:4:1: TLC cannot choose among all integers, as t does for `N`"),
        (open, "--to tla", "<stdin>:1:1: `N` may be any number in the beginning"),
        (large, "--to promela --abstr-num 0 4", "<stdin>:3:1: a sum may be larger than 2147483647"),
        (nothing, "--to murphi", "<stdin>:3:1: no state is initial with 2 processes"),
        (
            "number_procs 2\nvar B : bool\ninit { B = True }\n",
            "--to tla --procs 3",
            "no instance with 3 processes",
        ),
        (numbers, "--to tla --procs 0", "has a number of processes, at least 1"),
        (numbers, "--to lustre", "invalid value 'lustre'"),
        ("var", "--to tla", "C00"),
    ] {
        let line: Vec<&str> = ["export", "-"].into_iter().chain(words.split(' ')).collect();
        let outcome = run_words_stdin(&line, model.as_bytes());
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{words}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(says), "{words}: {}", outcome.stderr);
    }
}

#[test]
fn files_are_written_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("Mutual-Exclusion.tla");
    let to = path.to_str().unwrap();
    let outcome = run_words(&["export", "examples/mutex.cub", "--to", "tla", "-o", to]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(0), ""));
    let written = fs::read_to_string(&path).unwrap();
    assert!(written.starts_with("---- MODULE Mutual_Exclusion ----\n") && written.ends_with("====\n"));
    let refused =
        cubicle().args(["export", "examples/bakery.cub", "--to", "murphi", "-o", to]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(fs::read_to_string(&path).unwrap(), written);
    let nowhere = run("export examples/mutex.cub --to tla -o /nowhere/at.all");
    assert_eq!(nowhere.code, Some(4), "{}", nowhere.stderr);
}
