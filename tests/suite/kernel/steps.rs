//! The semantics in Coq and the reference semantics agree on random states and steps of random systems.

use std::fmt::Write as _;
use std::fs;

use cubicle::certificate::kernel;
use cubicle::model::semantics::{
    Layout, PROC_STRIDE, Semantics, State, Step, Value, distinct_tuples, tuples,
};
use cubicle::model::{Rational, System, TransitionId, VarId};
use tempfile::TempDir;

use crate::sorted;
use crate::support::dice::Dice;
use crate::support::direct::random_state;
use crate::support::explore::steps;
use crate::support::generate::{Weights, generate};

/// The values of a state as a term of Coq.
fn cells(system: &System, state: &State) -> String {
    let layout = Layout::new(system, state.procs);
    let mut out = Vec::new();
    for (number, var) in system.vars.iter().enumerate() {
        for index in tuples(state.procs, var.arity()) {
            let value = state.values[layout.position(VarId(number as u16), index.iter().copied())];
            let value = match value {
                Value::Constructor(c) => Rational::integer(c.into()),
                Value::Proc(point) => {
                    Rational::new(point.0.into(), PROC_STRIDE.into()).expect("a small point")
                }
                Value::Number(number) => number,
                Value::Abstract(number) => Rational::integer(number.into()),
            };
            let index: Vec<String> = index.iter().map(ToString::to_string).collect();
            out.push(format!("y {} [{}] ({} # {})", number + 1, index.join("; "), value.num(), value.den()));
        }
    }
    format!("[{}]", out.join("; "))
}

/// Whether some transition leads from one state to another; `None` where a number leaves the 64-bit range.
fn is_step(system: &System, before: &State, after: &State) -> Option<bool> {
    let semantics = Semantics::new(system, before.procs);
    let mut found = false;
    for (id, transition) in system.transitions.iter().enumerate() {
        let transition_id = TransitionId(id as u16);
        for args in distinct_tuples(before.procs, transition.arity()) {
            semantics.enabled(before, transition_id, &args)?;
            let step = Step { transition: transition_id, args, after: after.clone() };
            found |= semantics.is_step(before, &step).is_ok();
        }
    }
    Some(found)
}

/// What `init` says without processes is not what is left of it, and the core does not mention `#2`.
const INITIALLY: &str =
    "number_procs 3 type t = 0..2 var Most : t array Tick[proc] : t init (p) { Most <> 2 && Most < Tick[p] }
    unsafe () { Most = 2 && #2 = #2 } transition up (p) requires { Most = 1 } { Tick[p] := 2 }";

/// Compares on `count` steps and half-steps of random systems, all in one file.
fn compare(first_seed: u64, count: usize) {
    let Some(library) = super::library() else { return };
    let mut dice = Dice::new(first_seed);
    let mut text = String::from(
        "From Cubicle Require Import Notation Exec.\n\
         Definition y (k : positive) (idx : list nat) (q : Q) := (k, idx, q).\n\
         Fixpoint same (a b : list nat) : bool := match a, b with\n\
         | [], [] => true | p :: a, q :: b => Nat.eqb p q && same a b | _, _ => false end.\n\
         Definition look (cs : list (positive * list nat * Q)) : state := fun k idx =>\n  \
         match find (fun c => Pos.eqb (fst (fst c)) k && same (snd (fst c)) idx) cs with Some c => snd c | None => 0%Q end.\n",
    );
    let (mut steps_compared, mut taken, mut systems, mut initial, mut with_witnesses) = (0, 0, 0, 0, 0);
    let mut expected = 0;
    for seed in first_seed.. {
        if steps_compared >= count {
            break;
        }
        let weights = if seed % 2 == 0 { Weights::default() } else { Weights::varied(seed) };
        let of_sorts = seed % 4 == 3;
        let one = match seed {
            _ if seed == first_seed => INITIALLY.to_owned(),
            _ if of_sorts => sorted::text(seed),
            _ => generate(seed, &weights).to_string(),
        };
        let Ok(loaded) = cubicle::load(&one) else { continue };
        if of_sorts && loaded.system.witnesses.is_empty() {
            continue;
        }
        let Ok((system, model)) = kernel::model(&loaded.system) else { continue };
        let system = &system;
        systems += 1;
        with_witnesses += usize::from(!system.witnesses.is_empty());
        let (mut of_states, mut of_steps) = (Vec::new(), Vec::new());
        for procs in 0..4 {
            if !cubicle::model::semantics::admits(system, procs) {
                continue;
            }
            let semantics = Semantics::new(system, procs);
            let truth = |holds| if holds { "true" } else { "false" };
            // A state with steps, if one is found soon.
            let mut start = random_state(system, procs, &mut dice);
            let mut states: Vec<State> = Vec::new();
            for _ in 0..10 {
                let reached = steps(system, &semantics, &start).into_iter().flat_map(|it| it.2.0);
                states = reached.collect();
                if !states.is_empty() {
                    break;
                }
                start = random_state(system, procs, &mut dice);
            }
            taken += states.len();
            states.extend((0..3).map(|_| random_state(system, procs, &mut dice)));
            // A successor with another value somewhere.
            for _ in 0..3 {
                let mut changed = dice.pick(&states).clone();
                if !changed.values.is_empty() {
                    let at = dice.below(changed.values.len());
                    changed.values[at] = random_state(system, procs, &mut dice).values[at];
                    states.push(changed);
                }
            }
            for after in states.iter().take(20) {
                let Some(holds) = is_step(system, &start, after) else { continue };
                steps_compared += 1;
                of_steps.push(format!(
                    "({procs}, {}, {}, {})",
                    cells(system, &start),
                    cells(system, after),
                    truth(holds)
                ));
            }
            let bad = (0..system.bad.len()).any(|bad| semantics.satisfies(&start, bad).is_some());
            initial += usize::from(semantics.initial(&start));
            let (starts, bad) = (truth(semantics.initial(&start)), truth(bad));
            of_states.push(format!("({procs}, {}, {starts}, {bad})", cells(system, &start)));
        }
        let _ = writeln!(
            text,
            "Module S{seed}.\n{model}\n\
             Definition agree := forallb (fun x => match x with (n, a, b, e) => Bool.eqb (step_b model n (look a) (look b)) e end)\n  [{}] &&\n  \
             forallb (fun x => match x with (n, a, i, e) => Bool.eqb (initial_b model n (look a)) i && Bool.eqb (bad_b model n (look a)) e end)\n  [{}].\n\
             End S{seed}.\nEval vm_compute in S{seed}.agree.",
            of_steps.join(";\n  "),
            of_states.join(";\n  ")
        );
        expected += 1;
    }
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("Steps.v"), &text).expect("a file");
    let said = super::coqc(&library, folder.path(), "Steps.v");
    let agree = said.matches("= true").count();
    if agree != expected || said.contains("= false") {
        let kept = folder.keep();
        panic!("{agree} of {expected} systems agree: {}\n{said}", kept.display());
    }
    println!(
        "{steps_compared} pairs of states of {systems} systems ({with_witnesses} with a witness), {taken} of them steps; \
         {initial} initial states"
    );
    assert!(taken * 8 >= steps_compared, "too few steps: {taken} of {steps_compared}");
}

#[test]
fn steps_are_those_of_the_reference_semantics() {
    compare(1, 100);
}

#[test]
#[ignore = "takes minutes"]
fn campaign() {
    for round in 0..20 {
        compare(1000 + round * 1000, 500);
    }
}
