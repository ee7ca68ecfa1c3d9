//! `cubicle refines` and `cubicle inductive`: answers, errors of maps, documents, files.

use crate::harness::{Outcome, run, run_stdin, run_words};
use crate::machine::{assert_valid, schema};

const LEVELS: [(&str, &str, &str, i32); 8] = [
    ("refines/ticket_lock", "lock", "ticket_lock", 0),
    ("refines/ticket_lock_wrong", "lock", "ticket_lock", 1),
    ("two_phase_commit", "commit", "two_phase_commit", 0),
    ("two_phase_commit_wrong", "commit", "two_phase_commit", 1),
    ("refines/directory", "memory", "directory", 0),
    ("refines/directory_wrong", "memory", "directory", 1),
    ("german", "directory", "german", 0),
    ("german_wrong", "directory", "german", 1),
];

fn words((concrete, abstraction, map, _): (&str, &str, &str, i32)) -> String {
    let folder = "examples/refines";
    format!("refines examples/{concrete}.cub {folder}/{abstraction}.cub --map {folder}/{map}.map")
}

#[test]
fn examples_refine_the_level_above_and_wrong_twins_do_not() {
    let schema = schema("docs/schema/run.json");
    for level in LEVELS {
        let outcome = run(&words(level));
        let broken = usize::from(level.3 == 1);
        assert_eq!(outcome.code, Some(level.3), "{level:?}: {outcome:?}");
        let instance = run(&format!("{} --only-forward --procs 2 -- --max-forward 3000", words(level)));
        assert_eq!(instance.code, Some(level.3), "{level:?}: {instance:?}");
        let outcome = run(&format!("{} --format json", words(level)));
        let document = assert_valid(&schema, &outcome.stdout, &format!("{level:?}"));
        assert_eq!(document["verdict"], ["safe", "unsafe"][broken], "{level:?}");
        assert_eq!(document["traces"].as_array().map(Vec::len), Some(broken), "{level:?}");
        let why = document["refinement"]["why"].as_array().map_or(0, Vec::len);
        assert_eq!(why, broken, "{level:?}");
    }
}

#[test]
fn proofs_are_certified_and_carry_claims_over() {
    for level in LEVELS.into_iter().filter(|level| level.3 == 0) {
        let outcome = run(&format!("{} --transfer", words(level)));
        assert_eq!(outcome.code, Some(0), "{level:?}: {outcome:?}");
        assert!(outcome.stdout.contains(": holds: no run of"), "{level:?}: {outcome:?}");
        let unchecked = run(&format!("{} --unchecked", words(level)));
        assert_eq!(unchecked.code, Some(0), "{level:?}: {unchecked:?}");
        assert!(unchecked.stdout.ends_with("of processes (unchecked)\n"), "{level:?}: {unchecked:?}");
    }
}

#[test]
fn the_run_and_the_derived_model_are_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let [run_file, model] =
        ["run.itf.json", "derived.cub"].map(|it| folder.path().join(it).display().to_string());
    let line = format!("{} --trace-out {run_file} --model-out {model}", words(LEVELS[5]));
    assert_eq!(run(&line).code, Some(1));
    let replayed = run_words(&["replay", "examples/refines/directory_wrong.cub", &run_file]);
    assert_eq!(replayed.code, Some(0), "{replayed:?}");
    assert_eq!(run_words(&["--quiet", &model]).code, Some(1));
    // There is no run any more.
    assert_eq!(
        run(&format!("{} --trace-out {run_file} --model-out {model} --force", words(LEVELS[4]))).code,
        Some(0)
    );
    assert!(!std::path::Path::new(&run_file).exists());
    let again = run_words(&["--quiet", &model]);
    assert_eq!(again.code, Some(0), "{again:?}");
}

#[test]
fn pages_show_both_runs_and_steps_into_claims() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.html").display().to_string();
    let read = || std::fs::read_to_string(&page).expect("a page");
    let broken = run(&format!("{} --report {page}", words(LEVELS[5])));
    assert_eq!(broken.code, Some(1), "{broken:?}");
    for part in [
        "does not refine examples/refines/memory.cub",
        "The run beside that of the abstract model",
        "grant_read(#2)",
        "no such step: get_read(#2) is not possible",
        "Completed by names:",
        "Abstract model",
        "\"verdict\": \"unsafe\"",
    ] {
        assert!(read().contains(part), "{part}: {}", read());
    }
    assert_eq!(run(&format!("{} --report {page}", words(LEVELS[4]))).code, Some(0));
    assert!(
        read().contains("refines examples/refines/memory.cub, for any number")
            && !read().contains("no such step")
    );
    let found = run_words(&["inductive", "examples/mutex.cub", "--report", &page]);
    assert_eq!(found.code, Some(1), "{found:?}");
    for part in [
        "Counterexample to induction",
        "<strong>Inside</strong>",
        "test_and_set(#1)",
        "No run has to reach",
        "invariant (p1 p2)",
    ] {
        assert!(read().contains(part), "{part}: {}", read());
    }
    assert_eq!(run_words(&["inductive", "examples/mutex_wrong.cub", "--report", &page]).code, Some(1));
    assert!(read().contains("run-of-1") && !read().contains("Counterexample to induction"), "{}", read());
    // A file that this program did not write stays.
    std::fs::write(&page, "mine").expect("a file");
    let kept = run_words(&["inductive", "examples/mutex.cub", "--report", &page]);
    assert_eq!((kept.code, read().as_str()), (Some(2), "mine"), "{kept:?}");
}

#[test]
fn wrong_maps_are_refused_with_their_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let map = folder.path().join("m.map").display().to_string();
    let good =
        "Place[p] := case | At[p] = Inside : Inside | _ : Outside;\nTaken := Held;\nenter(p) => take(p);\n";
    let cases: &[(&str, &str, &str)] = &[
        ("", "C0701", "no meaning is given for abstract variable `Taken`"),
        ("Taken := Hold;", "C0104", "m.map:1:10"),
        ("Taken := True; Taken := False;", "C0404", "assigned twice"),
        ("Taken := ?;", "C0701", "`?` is not a value"),
        ("Takn := Held;", "C0701", "did you mean `Taken`?"),
        ("Taken := Held\nPlace[p] := Inside;", "C0003", "m.map:1:13"),
        ("Taken := Next;", "C0201", "m.map:1:10"),
        ("Taken := case | Held = True : True;", "C0701", "end with `| _ : ..`"),
        ("{GOOD}entr(p) => take(p);", "C0701", "did you mean `enter`?"),
        ("{GOOD}enter(p) => stutter;", "C0701", "two meanings are given for `enter`"),
        ("{GOOD}leave(p) => give_bak(p);", "C0701", "did you mean `give_back`?"),
        ("{GOOD}leave(p q) => give_back(p);", "C0701", "`leave` has 1 parameters, not 2"),
        ("{GOOD}leave(p) => give_back(p, p);", "C0701", "`give_back` has 1 parameters, not 2"),
        ("{GOOD}leave(p) => give_back(Next);", "C0701", "neither a parameter nor a cell of type `proc`"),
        ("{GOOD}leave(p) give_back(p);", "C0701", "expected `=>`"),
        ("{GOOD}leave(p) => ", "C0701", "expected an abstract transition or `stutter`"),
        ("{GOOD}(* no end", "C0002", "m.map:4:1"),
    ];
    for (text, code, says) in cases {
        std::fs::write(&map, text.replace("{GOOD}", good)).expect("a file");
        let models = ["examples/refines/ticket_lock.cub", "examples/refines/lock.cub"];
        let outcome = run_words(&["refines", models[0], models[1], "--map", &map]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{text}: {outcome:?}");
        assert!(outcome.stderr.contains(code) && outcome.stderr.contains(says), "{text}: {}", outcome.stderr);
    }
}

#[test]
fn what_cannot_be_stated_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let [low, high] = ["low.cub", "high.cub"].map(|it| folder.path().join(it).display().to_string());
    let declared = "var G : proc array A[proc] : bool init (p) { A[p] = False } unsafe (p) { A[p] = True }";
    std::fs::write(&low, format!("{declared} transition t (p) requires {{ A[p] = False }} {{ G := p }}"))
        .expect("a file");
    for (step, says) in [
        (
            "transition t (p) requires { A[G] = False } { G := p }",
            "which has no value where that is not a process",
        ),
        ("transition t (p) requires { #{q | A[q] = True} = 0 } { G := p }", "counts processes"),
    ] {
        std::fs::write(&high, format!("{declared} {step}")).expect("a file");
        let outcome = run_words(&["refines", &low, &high]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{step}: {outcome:?}");
        assert!(outcome.stderr.contains("C0702") && outcome.stderr.contains(says), "{step}: {outcome:?}");
    }
    for further in
        ["--trust-invariants", "-trust-invariants", "-crash stop", "-ltl F{false}", "-lemmas-in lemmas"]
    {
        let refused = run(&format!("{} -- {further}", words(LEVELS[0])));
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""), "{further}: {refused:?}");
        let name = further.trim_start_matches('-').split(' ').next().unwrap_or_default();
        let says = format!("--{name} has no effect on a refinement");
        assert!(refused.stderr.contains(&says), "{further}: {refused:?}");
    }
    let original = run(&format!("{} -- -brab 2 -nodes 5000", words(LEVELS[0])));
    assert_eq!(original.code, Some(0), "{original:?}");
}

#[test]
fn limits_leave_a_refinement_open() {
    let outcome = run(&format!("{} -- --engine classic --nodes 3", words(LEVELS[6])));
    assert_eq!(outcome.code, Some(3), "{outcome:?}");
    let short = run(&format!("{} --time-limit 1ms", words(LEVELS[6])));
    assert_eq!(short.code, Some(3), "{short:?}");
}

#[test]
fn claims_are_inductive_or_there_is_a_step() {
    let schema = schema("docs/schema/run.json");
    for (model, code, answers) in [
        ("examples/mutex.cub", 1, &["not_inductive"][..]),
        ("examples/mutex_wrong.cub", 1, &["violated"]),
        ("examples/two_phase_count.cub", 1, &["not_inductive"; 3]),
        ("examples/refines/commit.cub", 0, &["inductive"]),
    ] {
        let outcome = run(&format!("inductive {model} --format json"));
        let document = assert_valid(&schema, &outcome.stdout, model);
        let found = document["induction"].as_array().expect("a list");
        let words: Vec<&str> = found.iter().filter_map(|it| it["answer"].as_str()).collect();
        assert_eq!((outcome.code, &words[..]), (Some(code), answers), "{model}: {outcome:?}");
        for it in found.iter().filter(|it| it["answer"] == "not_inductive") {
            assert!(it["step"]["changes"].as_array().is_some_and(|it| !it.is_empty()), "{model}");
        }
    }
}

/// The model breaks a property of runs.
#[test]
fn inductive_claims_say_nothing_of_runs() {
    let model = "array A[proc] : bool
init (p) { A[p] = False }
never (p) { A[p] = True }
response served (p) { A[p] = False } ~> { A[p] = True }
transition idle (p) { A[p] := False }";
    let outcome = run_stdin("inductive --format json -", model.as_bytes());
    let document = assert_valid(&schema("docs/schema/run.json"), &outcome.stdout, model);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert_eq!(document["verdict"], "unknown");
    assert_eq!(document["reason"]["text"], "served was not looked at");
}

#[test]
fn a_model_with_its_strengthening_is_inductive() {
    let folder = tempfile::tempdir().expect("a folder");
    for model in ["mutex", "german", "two_phase_commit"] {
        let outcome = run(&format!("inductive examples/{model}.cub"));
        let text = std::fs::read_to_string(format!("examples/{model}.cub")).expect("a model");
        let further: Vec<&str> =
            outcome.stdout.lines().map(str::trim).filter(|line| line.starts_with("invariant")).collect();
        assert!(!further.is_empty(), "{outcome:?}");
        let path = folder.path().join("m.cub").display().to_string();
        std::fs::write(&path, format!("{text}\n{}", further.join("\n"))).expect("a file");
        let outcome = run_words(&["inductive", &path, "--rounds", "0"]);
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        assert!(
            outcome.stdout.contains("all together: inductive, for any number of processes"),
            "{outcome:?}"
        );
    }
}

/// A lock with a record, and one that is served through a queue of records: steps stand for several in the core language.
const RECORD_LOCK: &str = "type count = 0 .. 2
type state = { taken : bool; count : count }
var Lock : state
array Inside[proc] : bool
init (p) { Lock.taken = False && Inside[p] = False && Lock.count = 0 }
unsafe (p q) { Inside[p] = True && Inside[q] = True }
transition take (p) requires { Lock.taken = False && Inside[p] = False }
{ Lock.taken := True; Inside[p] := True; Lock.count := ? }
transition give (p) requires { Inside[p] = True }
{ Inside[p] := False; Lock.taken := False }
";

const QUEUE_LOCK: &str = "type kind = Want | Back
type msg = { kind : kind; from : proc }
channel Req : msg[2] blocks lossy
var Free : bool
array At[proc] : bool
var Served : 0 .. 2
init (p) { Free = True && At[p] = False && Served = 0 }
unsafe (p q) { At[p] = True && At[q] = True }
transition ask (p) requires { At[p] = False }
{ send(Req, { kind = Want; from = p }) }
transition serve (p) requires { Req.head = { kind = Want; from = p } && Free = True }
{ receive(Req); At[p] := True; Free := False; Served := case | Served < 2 : Served + 1 | _ : 0 }
transition leave (p) requires { At[p] = True }
{ At[p] := False; Free := True; send(Req, { kind = Back; from = p }) }
transition back (p) requires { Req.head = { kind = Back; from = p } }
{ receive(Req) }
";

const QUEUE_MAP: &str = "Inside[p] := At[p];
Lock.taken := case | Free = True : False | _ : True;
Lock.count := case | Served = 0 : 0 | Served = 1 : 1 | _ : 2;
serve(p) => take(p);
leave(p) => give(p);
";

#[test]
fn models_with_records_ranges_and_queues_refine_each_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.display().to_string()
    };
    let (low, high) = (file("low.cub", QUEUE_LOCK), file("high.cub", RECORD_LOCK));
    let map = file("m.map", QUEUE_MAP);
    let right = run_words(&["refines", &low, &high, "--map", &map]);
    assert_eq!(right.code, Some(0), "{right:?}");
    // The lock is free too early.
    let early = file("early.cub", &QUEUE_LOCK.replace("At[p] := True; Free := False;", "At[p] := True;"));
    let broken = run_words(&["refines", &early, &high, "--map", &map]);
    assert_eq!(broken.code, Some(1), "{broken:?}");
    for line in ["   |   Lock = { taken = False; count = 0 }", "     Req = <{ kind = Want; from = #1 }>"] {
        assert!(broken.stdout.contains(line), "{line}: {broken:?}");
    }
    assert!(
        broken.stdout.contains("no such step: take(#1): Lock should be { taken = True; count = 1 }"),
        "{broken:?}"
    );
    // The head of a queue is an argument by its name in the core language.
    let by_cell = file("cell.map", &QUEUE_MAP.replace("take(p)", "take(Req_0_from)"));
    let right = run_words(&["refines", &low, &high, "--map", &by_cell]);
    assert_eq!(right.code, Some(0), "{right:?}");
    let wrong = file("wrong.map", &QUEUE_MAP.replace("Lock.count", "Lock.cont"));
    let wrong = run_words(&["refines", &low, &high, "--map", &wrong]);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
    // What the abstract model chooses beforehand cannot be said.
    let any = file(
        "any.cub",
        &RECORD_LOCK
            .replace("bool\ninit", "bool\narray Who[proc] : proc\ninit")
            .replace("Lock.count := ?", "Who[p] := ?"),
    );
    let refused = run_words(&["refines", &low, &any, "--map", &map]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("C0702") && refused.stderr.contains("`A[p] := ?`"), "{refused:?}");
}

#[test]
fn a_wrong_initial_state_is_explained_by_what_does_not_hold_of_its_processes() {
    let model = |start: &str| {
        format!(
            "type node < proc\ntype item < proc\narray Up[node] : bool\narray Sold[item] : bool\n\
             init (n : node i : item) {{ Up[n] = True && Sold[i] = {start} }}\n\
             unsafe (n : node) {{ Up[n] = False }}\n\
             transition sell (i : item) requires {{ Sold[i] = False }} {{ Sold[i] := True; }}\n"
        )
    };
    let outcome = refined(&model("True"), &model("False"), "");
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(outcome.stdout.contains("Sold[#1] = False does not hold"), "{}", outcome.stdout);
    assert!(!outcome.stdout.contains("no such step: Sort["), "{}", outcome.stdout);
}

/// Whether the first model refines the second one, by the map.
fn refined(low: &str, high: &str, map: &str) -> Outcome {
    let folder = tempfile::tempdir().expect("a folder");
    let [low, high, map] = [("low.cub", low), ("high.cub", high), ("m.map", map)].map(|(name, text)| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.display().to_string()
    });
    run_words(&["refines", &low, &high, "--map", &map])
}

/// A step that leaves its range is none of an abstract model that changes nothing there, or has other errors.
#[test]
fn an_error_is_a_step_of_a_model_with_the_same_errors_only() {
    let model = |value: &str, more: &str| {
        format!(
            "var X : 0..3\nvar Y : 0..3\ninit {{ X = 0 && Y = 0 }}\nunsafe {{ X > 3 }}\n\
             transition t () {{ X := {value} }}\n{more}"
        )
    };
    let (wraps, leaves) = ("case | X < 3 : X + 1 | _ : X", "X + 1");
    let other = "transition u () { Y := Y + 1 }";
    let low = model(leaves, "");
    for high in [model(wraps, ""), model(wraps, other), model("?", "")] {
        let broken = refined(&low, &high, "");
        assert_eq!(broken.code, Some(1), "{high}: {broken:?}");
        assert!(
            broken.stdout.contains("no such step: it leaves a range, or a queue overflows"),
            "{broken:?}"
        );
    }
    let right = refined(&low, &low, "");
    assert_eq!(right.code, Some(0), "{right:?}");
}

/// In which order the transitions of a model may fail, and what else may, makes no difference to an error that both models have.
#[test]
fn an_error_is_that_of_the_same_name() {
    let model = |transitions: &str| {
        format!("var X : 0..3\nvar Y : 0..3\ninit {{ X = 0 && Y = 0 }}\nunsafe {{ X > 3 }}\n{transitions}")
    };
    let (t, u) = ("transition t () { X := X + 1 }\n", "transition u () { Y := Y + 1 }\n");
    let fewer = "transition u () { Y := case | Y < 3 : Y + 1 | _ : Y }\n";
    let [both, turned, one] = [[t, u], [u, t], [t, fewer]].map(|it| model(&it.concat()));
    for (low, high, code) in [(&both, &turned, 0), (&one, &both, 1), (&one, &turned, 1), (&both, &one, 1)] {
        let outcome = refined(low, high, "");
        assert_eq!(outcome.code, Some(code), "{low}{high}{outcome:?}");
    }
    let guarded = model(&[t, "transition u () requires { Y < 3 } { Y := Y + 1 }\n"].concat());
    for high in [&both, &turned] {
        let outcome = refined(&guarded, high, "");
        assert_eq!(outcome.code, Some(0), "{high}{outcome:?}");
    }
    let outcome = refined(&both, &guarded, "");
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(outcome.stdout.contains("Trouble = Y_left_its_range"), "{outcome:?}");
}

/// Of which sort a process is, and which value `nil` is, the map has to say where the concrete model has no such thing.
#[test]
fn sorts_and_nil_of_the_abstract_model_alone_need_a_meaning() {
    let plain = "array B[proc] : bool\nvar G : proc\ninit (p) { G <> p }\nunsafe (p) { B[p] = True && false }\n\
                 transition t (p) { G := p }\n";
    let sorted = "type node < proc\ntype item < proc\narray B[item] : bool\nvar G : node\n\
                  init (n : node i : item) { G <> n && B[i] = False }\nunsafe (i : item) { B[i] = True }\n\
                  transition t (n : node) { G := n }\n";
    let with_nil = "array B[proc] : bool\nvar G : proc or nil\ninit { G = nil }\n\
                    unsafe (p) { B[p] = True && G = p && false }\ntransition t (p) { G := p }\n";
    for (high, name, map) in [(sorted, "Sort", "Sort[p] := Node;"), (with_nil, "Nil", "Nil := G;")] {
        let refused = refined(plain, high, "");
        assert_eq!(refused.code, Some(2), "{refused:?}");
        let words = format!("no meaning is given for abstract variable `{name}`");
        assert!(refused.stderr.contains(&words), "{refused:?}");
        let told = refined(plain, high, map);
        assert!(matches!(told.code, Some(0 | 1)), "{told:?}");
    }
}

/// An abstract array has cells at the processes of its sorts only, whatever the map says of others.
#[test]
fn cells_of_processes_of_other_sorts_are_not_compared() {
    let low = |start: &str| {
        format!(
            "array Kept[proc] : bool\narray Flag[proc] : bool\ninit (p) {{ Flag[p] = False }}\n\
             unsafe (p) {{ Flag[p] = True && false }}\n\
             transition sell (p) requires {{ Kept[p] = {start} }} {{ Flag[p] := True }}\n\
             transition note (p) requires {{ Kept[p] = True }} {{ Flag[p] := True }}\n"
        )
    };
    let high = |update: &str| {
        format!(
            "type node < proc\ntype item < proc\narray Sold[item] : bool\n\
             init (i : item) {{ Sold[i] = False }}\nunsafe (i : item) {{ Sold[i] = True && false }}\n\
             transition sell (i : item) {{ {update} }}\n"
        )
    };
    let one = high("Sold[i] := True");
    let all = high("Sold[j] := case | j = i : True | _ : Sold[j]");
    let map =
        "Sort[p] := case | Kept[p] = True : Node | _ : Item;\nSold[p] := Flag[p];\nnote(p) => stutter;\n";
    for high in [&one, &all] {
        for (start, code) in [("False", 0), ("True", 1)] {
            let outcome = refined(&low(start), high, map);
            assert_eq!(outcome.code, Some(code), "{start} {high} {outcome:?}");
        }
        let outcome = refined(&low("False"), high, &map.replace("Node | _ : Item", "Item | _ : Node"));
        assert_eq!(outcome.code, Some(1), "{high} {outcome:?}");
    }
}
