//! Sessions without a terminal.

use super::command::words;
use super::initial::Initials;
use super::values::CellNames;
use super::{Simulation, Then};
use cubicle_lang::diagnostic::Source;
use cubicle_lang::model::System;
use cubicle_lang::model::semantics::{Semantics, State, Value, replay_steps};
use cubicle_run::Interrupt;
use cubicle_run::style::Style;

const LOCK: &str = "
    type location = Idle | Want | Inside
    var Turn : proc
    var Locked : bool
    array At[proc] : location
    array Knows[proc, proc] : bool
    init (p q) { Locked = False && At[p] = Idle && Knows[p, q] = False }
    unsafe (p q) { At[p] = Inside && At[q] = Inside }
    transition ask (p) requires { At[p] = Idle } { At[p] := Want; }
    transition enter (p) requires { At[p] = Want && Locked = False } { At[p] := Inside; Locked := True; }
    transition leave (p) requires { At[p] = Inside } { At[p] := Idle; Locked := False; Turn := ?; }
    transition meet (p q) requires { At[p] = Want && At[q] = Want } { Knows[p, q] := True; }
";

fn system(text: &str) -> System {
    cubicle_lang::load(text).expect("the model is right").system
}

fn session(text: &'static str, procs: usize) -> Simulation<'static> {
    let source = Source { name: "model.cub", text };
    let system = Box::leak(Box::new(system(text)));
    Simulation::new(system, source, procs, 1, Style::PLAIN, &Interrupt::default()).expect("it begins")
}

/// Two processes, after these commands.
fn lock(lines: &[&str]) -> Simulation<'static> {
    let mut session = session(LOCK, 2);
    for line in lines {
        reply(&mut session, line);
    }
    session
}

fn reply(session: &mut Simulation<'_>, line: &str) -> String {
    session.execute(line).unwrap_or_else(|refusal| panic!("{line}: {refusal:?}")).text
}

fn refused(session: &mut Simulation<'_>, line: &str) -> (String, String) {
    let before = session.execute("trace").unwrap();
    let refusal = session.execute(line).expect_err(line);
    assert_eq!(session.execute("trace").unwrap(), before, "{line} leaves the session as it was");
    (refusal.what, refusal.help)
}

#[test]
fn every_command_of_the_table_is_executed() {
    for word in words() {
        for line in [word.to_owned(), format!("{word} 1"), format!("{word} help")] {
            // Refused or not, it is known.
            let _ = lock(&[]).execute(&line);
        }
    }
}

#[test]
fn steps_by_number_and_by_name_mark_what_changed() {
    let mut session = lock(&[]);
    assert_eq!(
        session.greeting(),
        "model.cub, 2 processes; one of several initial states, which `init` lists and `fix` restricts
0: initial state
  Turn = #1   Locked = False
      At
  #1  Idle
  #2  Idle
  Knows
      #1     #2
  #1  False  False
  #2  False  False
  1  ask(#1)  At[#1]: Idle -> Want
  2  ask(#2)  At[#2]: Idle -> Want
"
    );
    reply(&mut session, "2");
    reply(&mut session, "ask(#1)");
    let text = reply(&mut session, "meet(#2, #1)");
    assert!(text.starts_with("3: meet(#2, #1)\n"), "{text}");
    assert!(text.contains("\n  #2  True*  False\n"), "{text}");
    let text = reply(&mut session, "enter(#2)");
    assert!(text.contains("Locked = True*\n") && text.contains("\n  #2  Inside*\n"), "{text}");
    assert!(
        text.contains("leave(#2)  Turn := ? (#1 | #2 | outside), Locked: True -> False, At[#2]: "),
        "{text}"
    );
}

#[test]
fn processes_may_follow_the_name() {
    let mut session = lock(&[]);
    assert!(reply(&mut session, "ask 2").starts_with("1: ask(#2)\n"));
    assert!(reply(&mut session, "step ask #1").starts_with("2: ask(#1)\n"));
    assert!(reply(&mut session, "meet 2 1").starts_with("3: meet(#2, #1)\n"));
    assert!(reply(&mut session, "enter 1").starts_with("4: enter(#1)\n"));
    assert_eq!(reply(&mut session, "why leave 1"), "it is enabled\n");
    assert_eq!(refused(&mut session, "leave 1").0, "leave(#1) gives Turn a value of your choice (`:= ?`)");
    assert_eq!(refused(&mut session, "meet 1").0, "meet is not enabled");
    assert!(reply(&mut session, "leave 1 #2").contains("Turn = #2*"));
}

#[test]
fn what_a_step_leaves_open_is_chosen() {
    let mut session = lock(&["ask(#1)", "enter(#1)"]);
    let (what, help) = refused(&mut session, "leave(#1)");
    assert_eq!(what, "leave(#1) gives Turn a value of your choice (`:= ?`)");
    assert_eq!(help, "write it after the transition: #1, #2, outside");
    assert_eq!(refused(&mut session, "leave(#1) #3").1, "Turn takes #1, #2, outside");
    assert!(refused(&mut session, "leave(#1) #2 #2").0.contains("does not take \"#2\""));
    assert!(reply(&mut session, "leave(#1) #2").contains("Turn = #2*"));
    reply(&mut session, "undo");
    assert!(reply(&mut session, "leave(#1) outside").contains("Turn = outside!1*"));
}

#[test]
fn undo_redo_and_goto_move_along_the_run() {
    let mut session = lock(&["ask(#1)", "ask(#2)", "enter(#2)"]);
    assert!(reply(&mut session, "undo 2").starts_with("1: ask(#1)\n"));
    assert_eq!(
        reply(&mut session, "trace"),
        "  0: initial state\n> 1: ask(#1)  At[#1]: Idle -> Want\n  2: ask(#2)  At[#2]: Idle -> Want\n  \
         3: enter(#2)  Locked: False -> True, At[#2]: Want -> Inside\n"
    );
    assert!(reply(&mut session, "redo 2").starts_with("3: enter(#2)\n"));
    assert!(reply(&mut session, "goto 0").starts_with("0: initial state\n"));
    assert_eq!(refused(&mut session, "goto 4").1, "this is state 0 of 0 to 3");
    refused(&mut session, "undo");
    refused(&mut session, "redo 99999999999999999999");
    // After a new step, undone steps cannot be redone.
    reply(&mut session, "ask(#2)");
    refused(&mut session, "redo");
}

#[test]
fn an_impossible_step_is_refused_with_what_is_possible() {
    let mut session = lock(&[]);
    for (line, what, help) in [
        ("7", "no transition has the number 7", "numbers 1 to 2 are enabled"),
        ("0", "no transition has the number 0", "numbers 1 to 2 are enabled"),
        ("enter(#1)", "enter(#1) is not enabled", "`why enter(#1)` tells why"),
        ("entr(#1)", "the model has no transition entr", "did you mean `enter`?"),
        ("step ask", "there are 2 ways to do ask", "choose among the numbers 1, 2"),
        ("enter(a)", "\"enter(a)\" is not a transition with its processes", "write `enter(#1, #2)`"),
        ("why enter(#1, #2)", "the arguments do not fit", "enter takes 1 different processes of #1 to #2"),
        ("why meet(#1, #9)", "the arguments do not fit", "meet takes 2 different processes of #1 to #2"),
        (
            "watch Nothing",
            "the instance has no cell Nothing",
            "write a cell such as Turn, of Turn, Locked, At, Knows",
        ),
    ] {
        assert_eq!(refused(&mut session, line), (what.to_owned(), help.to_owned()), "{line}");
    }
    assert_eq!(
        reply(&mut session, "why enter(#1)"),
        "At[#1] = Want (model.cub:10:37) is false, At[#1] is Idle\n"
    );
    assert_eq!(reply(&mut session, "why ask(#1)"), "it is enabled\n");
}

#[test]
fn random_steps_are_repeatable_and_until_ends_where_the_cube_holds() {
    let (mut one, mut other) = (session(LOCK, 3), session(LOCK, 3));
    assert_eq!(reply(&mut one, "random 30"), reply(&mut other, "random 30"));
    assert_ne!(reply(&mut one, "random 30"), reply(&mut one, "random 30"));
    let many = reply(&mut one, "random 30");
    assert!(many.starts_with(".. 9 earlier steps: `trace` shows them\n"), "{many}");
    for session in [&mut one, &mut other] {
        reply(session, "goto 0");
        reply(session, "seed 5");
    }
    let cube = "until At[#2] = Inside && (At[#1] = Want || At[#3] = Want)";
    let text = reply(&mut one, cube);
    assert_eq!(text, reply(&mut other, cube));
    assert_eq!(reply(&mut one, "holds At[#2] = Inside"), "yes\n");
    assert_eq!(reply(&mut one, cube), "it holds here\n");
    assert!(replay_steps(&system(LOCK), &one.run).is_ok());
}

#[test]
fn the_nearest_state_is_found_or_there_is_none() {
    let mut session = lock(&[]);
    let text = reply(&mut session, "find At[#1] = Inside && At[#2] = Want");
    assert!(text.contains("3: "), "{text}");
    assert_eq!(session.at, 3);
    assert!(reply(&mut session, "find exists p. (At[p] = Idle && Turn = p)").contains("Turn = "));
    let none = reply(&mut session, "find At[#1] = Inside && At[#2] = Inside");
    assert!(none.starts_with("it holds in no other state reachable from here ("), "{none}");
    for (cube, why) in [
        ("At[#1] = Outside", "`Outside`"),
        ("At[#4] = Idle", "there is no #4: the instance has 2 processes"),
        ("At[p] = Idle", "`p`"),
        ("Locked = True } unsafe { Locked = False", "`}` closes nothing"),
        ("Locked = True (*", "comment without an end"),
    ] {
        let (what, _) = refused(&mut session, &format!("find {cube}"));
        assert!(what.contains(why), "{cube}: {what}");
    }
}

#[test]
fn watched_cells_replace_the_state() {
    let mut session = lock(&[]);
    assert_eq!(
        reply(&mut session, "watch At Knows[#1,#2]"),
        "  At[#1] = Idle\n  At[#2] = Idle\n  Knows[#1, #2] = False\n"
    );
    assert!(
        reply(&mut session, "1")
            .starts_with("1: ask(#1)\n  At[#1] = Want*\n  At[#2] = Idle\n  Knows[#1, #2] = False\n  1  ")
    );
    reply(&mut session, "unwatch At[#2] Knows");
    assert_eq!(reply(&mut session, "watch"), "  At[#1] = Want*\n");
    reply(&mut session, "unwatch");
    assert_eq!(reply(&mut session, "watch"), "no cell is watched\n");
}

#[test]
fn initial_states_are_listed_and_restricted() {
    let mut session = lock(&[]);
    assert_eq!(reply(&mut session, "init"), "   1  Turn = #1\n   2  Turn = #2\n   3  Turn = outside!1\n");
    assert!(reply(&mut session, "init 2").contains("Turn = #2 "));
    assert_eq!(refused(&mut session, "init 4").0, "there is no initial state number 4");
    assert!(reply(&mut session, "fix Turn = outside").contains("Turn = outside!1 "));
    assert_eq!(reply(&mut session, "init"), "there is one initial state\n");
    assert_eq!(
        refused(&mut session, "fix At[#1] = Want").0,
        "no initial state was found with these fixed cells"
    );
    assert!(refused(&mut session, "fix At[#1] = Green").1.contains("At takes Idle, Want, Inside"));
    assert!(reply(&mut session, "free").contains("Turn = #1 "));
}

#[test]
fn a_saved_run_can_be_loaded() {
    let mut session = lock(&[]);
    let Then::Save { file, text } = session.execute("save a b.json").unwrap().then else { panic!() };
    assert_eq!(file, "a b.json");
    assert!(!text.contains("ends in"), "an initial state is not an ending");
    for line in ["ask(#1)", "enter(#1)", "leave(#1) outside"] {
        reply(&mut session, line);
    }
    let Then::Save { text, .. } = session.execute("save t").unwrap().then else { panic!() };
    let trace = reply(&mut session, "trace");
    reply(&mut session, "goto 0");
    reply(&mut session, "ask(#2)");
    let what = session.load("t", &text).unwrap();
    assert!(
        what.starts_with("3 steps with 2 processes, ending anywhere; `redo` follows it\n0: initial state\n"),
        "{what}"
    );
    reply(&mut session, "goto 3");
    assert_eq!(reply(&mut session, "trace"), trace);
    let (wrong, before) = (text.replacen("\"Want\"", "\"Inside\"", 1), reply(&mut session, "trace"));
    assert!(
        session.load("t", &wrong).unwrap_err().what.starts_with("t: step 1: ask gives At[#1] the value Want")
    );
    assert_eq!(reply(&mut session, "trace"), before);
}

#[test]
fn a_bad_state_and_a_deadlock_are_pointed_out() {
    let text = "
        var Done : bool
        array At[proc] : bool
        init (p) { Done = False && At[p] = False }
        unsafe (p q) { At[p] = True && At[q] = True }
        transition go (p) requires { At[p] = False } { At[p] := True; }
    ";
    let mut session = session(text, 2);
    reply(&mut session, "1");
    let last = reply(&mut session, "1");
    assert!(
        last.contains("unsafe at line 5 (model.cub:5:9) holds for #1, #2\nno transition is enabled\n"),
        "{last}"
    );
    let Then::Save { text: saved, .. } = session.execute("save t").unwrap().then else { panic!() };
    assert!(saved.contains("\"ends in\":\"unsafe at line 5\""), "{saved}");
    assert_eq!(refused(&mut session, "1").1, "no transition is enabled: `undo` goes back");
    assert!(reply(&mut session, "random 5").ends_with("stopped after 0 steps\n"));
}

#[test]
fn numbers_and_abstract_values_are_typed() {
    let text = "
        type data
        const Most : int
        var Count : int
        var Last : data
        array Held[proc] : data
        array Clock[proc] : real
        init (p) { Most > 3 && Count = Most + 1 && Clock[p] < 0.5 }
        unsafe (p) { Clock[p] > 100.0 }
        transition take (p) requires { Count > 0 } { Count := Count - 1; Last := ?; Held[p] := Last; }
        transition any () requires { Count < Most } { Count := ?; }
    ";
    let mut session = session(text, 1);
    assert!(session.greeting().contains("Most = 4   Count = 5 "), "{}", session.greeting());
    assert!(reply(&mut session, "fix Most = 10").contains("Count = 11 "));
    assert!(reply(&mut session, "fix Clock[#1] = 1/4").contains("0.25"));
    assert!(reply(&mut session, "take(#1) data").contains("Last = data!2*"));
    assert_eq!(refused(&mut session, "fix Most = many").1, "Most takes an integer such as 3 or -1");
    reply(&mut session, "take(#1) data!1");
    assert!(reply(&mut session, "any() -7").contains("Count = -7*"));
    assert_eq!(refused(&mut session, "any() 1.5").1, "Count takes an integer such as 3 or -1");
}

/// Every listed state is initial, none is listed twice, and those of a finite instance are all there.
#[test]
fn initial_states_are_those_of_the_semantics() {
    let text = "
        type t = A | B | C
        var X : t
        array F[proc] : bool
        array Near[proc, proc] : bool
        init (p q) { (X = A || F[p] = True) && (X <> C || Near[p, q] = False) }
        invariant (p q) { Near[p, q] <> Near[q, p] }
        unsafe (p) { F[p] = True && X = B }
        transition t (p) requires { X = A } { X := B; }
        transition u (p) requires { F[p] = True } { F[p] := False; }
    ";
    let system = system(text);
    for procs in 0..3 {
        let instance = CellNames::new(&system, procs);
        let listed: Vec<_> = Initials::new(&instance, &[]).collect();
        let semantics = Semantics::new(&system, procs);
        assert!(listed.iter().all(|state| semantics.initial(state)));
        let mut distinct = listed.clone();
        distinct.sort_unstable_by_key(|state| state.values.clone());
        distinct.dedup();
        assert_eq!(distinct.len(), listed.len());
        // Counted by brute force over all cells.
        let cells = instance.cells.len();
        let sizes: Vec<u8> = (0..cells).map(|cell| if cell == 0 { 3 } else { 2 }).collect();
        let mut count = 0;
        let mut values = vec![0_u8; cells];
        loop {
            let state = State { procs, values: values.iter().map(|&c| Value::Constructor(c)).collect() };
            count += usize::from(semantics.initial(&state));
            let Some(at) = (0..cells).find(|&cell| values[cell] + 1 < sizes[cell]) else { break };
            values[at] += 1;
            values[..at].fill(0);
        }
        assert_eq!(listed.len(), count, "{procs} processes");
    }
}

#[test]
fn words_are_completed() {
    let session = lock(&[]);
    let complete = |line: &str| session.complete(line, line.len());
    assert_eq!(complete("und"), (0, vec!["undo".to_owned()]));
    assert_eq!(complete("en").1, ["enabled", "enter("]);
    assert_eq!(complete("why me").1, ["meet("]);
    assert_eq!(complete("enter(#"), (6, vec!["#1".to_owned(), "#2".to_owned()]));
    assert_eq!(complete("until At[#1] = In"), (15, vec!["Inside".to_owned()]));
    assert_eq!(complete("watch At").1, ["At", "At[#1]", "At[#2]"]);
    assert_eq!(complete("save é").1, Vec::<String>::new());
}
