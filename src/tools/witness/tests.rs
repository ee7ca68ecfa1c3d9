//! Runs to goals: what they show, that they are as short as those of an exploration, and when there is none.

use super::*;
use cubicle_check::Checker;
use cubicle_forward::explore;
use cubicle_lang::load::ModelSource;
use cubicle_lang::model::System;
use cubicle_lang::model::semantics::{replay_steps, satisfies};
use cubicle_run::{ForwardOptions, Interrupt, Silent, Trace, Witness};
use cubicle_transform::with_taken;

const OPTIONS: WitnessOptions = WitnessOptions {
    checker: Checker::new(cubicle_backward::engine),
    procs: None,
    max_states: 20_000,
    rounds: 4,
    shortest: false,
    jobs: 1,
};
const SHORTEST: WitnessOptions = WitnessOptions { shortest: true, ..OPTIONS };

fn look(text: &str, goal: &WitnessGoal, options: &WitnessOptions) -> WitnessAnswer {
    let system = cubicle_lang::load(text).expect("a model").system;
    find(ModelSource::new(&system, text), goal, options, &Interrupt::default()).expect("a goal that fits")
}

fn taking(text: &str, name: &str, options: &WitnessOptions) -> WitnessAnswer {
    look(text, &WitnessGoal::Transition(name.to_owned()), options)
}

fn run_of(answer: WitnessAnswer) -> Witness {
    match answer {
        WitnessAnswer::Run(witness) => *witness,
        other => panic!("no run: {other:?}"),
    }
}

fn names<'a>(system: &'a System, run: &Trace) -> Vec<&'a str> {
    run.steps.iter().map(|step| system.transition(step.transition).name.as_str()).collect()
}

/// `stop` ends the steps of a process, `other` needs both processes, `late` is only enabled after a bad state.
const MODEL: &str = "type t = A | B | C
    array At[proc] : t  var Odd : bool
    init (p) { At[p] = A && Odd = False }
    unsafe (p) { At[p] = C && Odd = False }
    transition go (p) requires { At[p] = A } { At[p] := B; }
    transition flip () requires { Odd = False } { Odd := True; }
    transition stop (p) requires { At[p] = B && Odd = True } { At[p] := C; }
    transition back () requires { Odd = True } { Odd := False; }
    transition alone (p) requires { At[p] = B && forall_other q. At[q] = A } { At[p] := A; }
    transition dead (p) requires { At[p] = B && forall_other q. At[q] = C && Odd = False } { At[p] := A; }
    transition late (p) requires { At[p] = C && Odd = False } { At[p] := A; }";

#[test]
fn a_run_covers_what_it_can_and_ends_with_the_transition() {
    let system = cubicle_lang::load(MODEL).expect("a model").system;
    let witness = run_of(taking(MODEL, "stop", &OPTIONS));
    assert_eq!(replay_steps(&system, &witness.run), Ok(()));
    assert_eq!(names(&system, &witness.run).last(), Some(&"stop"));
    let taken: Vec<_> = witness.coverage.transitions.iter().filter(|it| it.covered).collect();
    assert_eq!(taken.len(), 5, "all but dead and late: {:?}", witness.coverage);
    let states = witness.run.states();
    assert!(states.clone().all(|state| satisfies(&system, state, 0).is_none()));
    let short = run_of(taking(MODEL, "stop", &SHORTEST));
    assert_eq!(short.run.steps.len(), 3, "{short:?}");
}

#[test]
fn a_run_through_a_bad_state_does_not_count() {
    match taking(MODEL, "late", &OPTIONS) {
        WitnessAnswer::NotFound { sizes, complete: true, why: NoWitness::Bad } => assert_eq!(sizes, [2, 3]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn goals_that_no_instance_reaches_are_proved_so() {
    let never = "array In[proc] : bool  array Was[proc] : bool  var Lock : bool
        init (p) { In[p] = False && Was[p] = False && Lock = False }
        unsafe (p q) { In[p] = True && In[q] = True }
        transition enter (p) requires { Lock = False } { Lock := True; In[p] := True; }
        transition leave (p) requires { In[p] = True } { Lock := False; In[p] := False; Was[p] := True; }
        transition never (p) requires { In[p] = True && Lock = True && forall_other q. In[q] = True && Was[p] = True }
        { Was[p] := False; }";
    // With one process it can be taken: there are no others.
    let alone = WitnessOptions { procs: Some(1), ..OPTIONS };
    assert_eq!(run_of(taking(never, "never", &alone)).run.initial.procs, 1);
    let cube = |text: &str| WitnessGoal::Cube(text.to_owned());
    assert!(matches!(look(never, &cube("In[#1] = True && In[#2] = True"), &OPTIONS), WitnessAnswer::Never));
    assert!(matches!(look(never, &cube("In[#1] = True && Lock = False"), &OPTIONS), WitnessAnswer::Never));
    let dead = never
        .replace("transition never (p)", "transition never (p r)")
        .replace("In[p] = True && Lock", "In[p] = True && In[r] = True && Lock");
    assert!(matches!(taking(&dead, "never", &OPTIONS), WitnessAnswer::Never));
    let contradicts = never.replace("In[p] = True && Lock = True", "Lock = False && Lock = True");
    assert!(matches!(taking(&contradicts, "never", &OPTIONS), WitnessAnswer::Never));
}

#[test]
fn a_goal_may_need_more_processes_than_are_explored() {
    let cube = "At[#1] = B && At[#2] = B && At[#3] = B && At[#4] = B";
    let goal = WitnessGoal::Cube(cube.to_owned());
    let witness = run_of(look(MODEL, &goal, &SHORTEST));
    assert_eq!((witness.run.initial.procs, witness.run.steps.len()), (4, 4));
    // When only two processes are explored, the backward search finds the run.
    let two = WitnessOptions { procs: Some(2), ..SHORTEST };
    assert_eq!(run_of(look(MODEL, &goal, &two)).run.initial.procs, 4);
}

#[test]
fn an_exploration_goes_on_beyond_the_state_limit() {
    let few = WitnessOptions { max_states: 4, procs: Some(2), ..OPTIONS };
    let witness = run_of(taking(MODEL, "stop", &few));
    assert_eq!(witness.run.steps.len(), 3);
}

#[test]
fn a_mutant_does_what_the_model_does_not() {
    let system = cubicle_lang::load(MODEL).expect("a model").system;
    let mutant = MODEL.replace("Odd = True } { At[p] := C; }", "Odd = True } { At[p] := A; }");
    let goal = WitnessGoal::Unlike(Box::new(system.clone()), Some("stop".to_owned()));
    let witness = run_of(look(&mutant, &goal, &SHORTEST));
    assert_eq!(witness.run.steps.len(), 3);
    assert!(replay_steps(&system, &witness.run).is_err(), "the model does not have this run");
    let same = look(MODEL, &goal, &OPTIONS);
    assert!(
        matches!(same, WitnessAnswer::NotFound { complete: true, why: NoWitness::NotAsked, .. }),
        "{same:?}"
    );
    let wider = MODEL.replace("At[p] = A && Odd = False }\n    unsafe", "At[p] = A }\n    unsafe");
    let goal = WitnessGoal::Unlike(Box::new(system.clone()), None);
    let witness = run_of(look(&wider, &goal, &OPTIONS));
    assert!(replay_steps(&system, &witness.run).is_err());
    assert!(run_of(look(&wider, &goal, &SHORTEST)).run.steps.is_empty());
}

#[test]
fn shortest_runs_are_as_short_as_those_of_an_exploration() {
    for file in ["mutex", "mesi", "illinois", "germanish", "dekker", "rwlock", "token_ring", "synapse"] {
        let path = format!("{}/../../examples/{file}.cub", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("an example");
        let system = cubicle_lang::load(&text).expect("a model").system;
        for name in system.transitions.iter().map(|it| &it.name) {
            let taken = with_taken(&system, |it| it.name == *name).expect("such a transition");
            let options = ForwardOptions::default();
            let explored = explore(&taken, 2, &options, &Interrupt::default(), &mut Silent).exploration;
            let two = WitnessOptions { procs: Some(2), ..SHORTEST };
            match (explored.unsafe_trace, taking(&text, name, &two)) {
                (Some(trace), answer) => {
                    let run = run_of(answer).run;
                    assert_eq!(run.steps.len(), trace.steps.len(), "{file}: {name}");
                    let covering = run_of(taking(&text, name, &WitnessOptions { procs: Some(2), ..OPTIONS }));
                    assert!(covering.run.steps.len() >= run.steps.len(), "{file}: {name}");
                    assert_eq!(names(&system, &covering.run).last(), Some(&name.as_str()), "{file}");
                }
                (None, WitnessAnswer::Run(witness)) => {
                    assert_ne!(witness.run.initial.procs, 2, "{file}: {name}");
                }
                (None, _) => {}
            }
        }
    }
}

#[test]
fn an_interrupt_ends_the_coverage_search_but_not_the_run() {
    let system = cubicle_lang::load(MODEL).expect("a model").system;
    let wanted = WitnessGoal::Transition("stop".to_owned());
    let goal = goal::Goal::new(&wanted, ModelSource::new(&system, MODEL)).expect("it fits");
    let instance = crate::simulate::CellNames::new(&system, 2);
    let graph =
        graph::PassingGraph::new(&instance, &goal, 1_000, &Interrupt::default()).expect("no interrupt");
    let now = Interrupt::default().until(std::time::Instant::now());
    let hurried = cover::covering(&graph, &system, &now).expect("a run");
    let shortest = cover::shortest(&graph).expect("a run");
    assert_eq!(hurried.steps.len(), shortest.steps.len());
    let at_leisure = cover::covering(&graph, &system, &Interrupt::default()).expect("a run");
    assert!(at_leisure.steps.len() > hurried.steps.len());
    assert_eq!(replay_steps(&system, &hurried), Ok(()));
}

#[test]
fn an_unknown_transition_is_an_error_and_one_that_is_never_enabled_is_not() {
    let text = MODEL.replace("late (p) requires { At[p] = C && Odd = False }", "late (p) requires { false }");
    let system = cubicle_lang::load(&text).expect("a model").system;
    let look = |name: &str| {
        let goal = WitnessGoal::Transition(name.to_owned());
        find(ModelSource::new(&system, &text), &goal, &OPTIONS, &Interrupt::default())
    };
    assert!(matches!(look("late"), Ok(WitnessAnswer::Never)));
    let why = look("latte").expect_err("it is not declared");
    assert_eq!(why, "the model has no transition `latte`; did you mean `late`?");
}
