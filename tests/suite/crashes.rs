//! Processes that fail: `--crash` on random systems, compared with its definition and brute force.
//!
//! `CUBICLE_RANDOM_COUNT` and `CUBICLE_RANDOM_SEED` choose the systems.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use cubicle::model::semantics::{Env, Layout, Semantics, State, Value, tuples};
use cubicle::model::{BOOL, Literal, ProcRef, System, TransitionId, Type, VarId, VarKind};
use cubicle::transform::{Crash, with_acts_again, with_crashes, with_taken};
use cubicle::{BackwardMode, Interrupt, Options, Silent, Verdict, export};

use crate::support::dice::{Dice, environment};
use crate::support::explore::{Reached, canonical, domain, explore};
use crate::support::generate::{Weights, generate};

/// States of an instance.
const STATES: usize = 500;

/// Conditions of init on a process `p`, and on another one where it has two parameters.
const OF_ONE: [&str; 16] = [
    "S[p] = A",
    "S[p] <> B",
    "S[p] = T[p]",
    "S[p] <> T[p]",
    "T[p] = G",
    "T[p] <> H",
    "S[p] = H",
    "S[p] = K[p]",
    "K[p] <> C",
    "K[p] = A",
    "G = A",
    "H <> A",
    "G = H",
    "T[p] = C",
    "T[p] <> G",
    "G = B",
];
const OF_TWO: [&str; 9] = [
    "p = q",
    "p <> q",
    "S[q] = A",
    "K[q] = A",
    "S[p] = S[q]",
    "M[p, q] = True",
    "M[q, p] = False",
    "M[p, p] = True",
    "K[p] <> K[q]",
];

/// A model with relations in init.
fn related(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let (matrix, number, constant) = (dice.chance(25), dice.chance(20), dice.chance(15));
    let two = matrix || dice.chance(30);
    let mut text = String::new();
    if constant {
        text += "number_procs 2\n";
    }
    text +=
        "type t = A | B | C\nvar G : t\nvar H : t\narray S[proc] : t\narray T[proc] : t\narray K[proc] : t\n";
    text += if matrix { "array M[proc, proc] : bool\n" } else { "" };
    text += if number { "array N[proc] : int\narray P[proc] : proc\n" } else { "" };
    let mut disjuncts = Vec::new();
    for _ in 0..=dice.below(3) {
        let mut literals: Vec<String> =
            (0..=dice.below(4)).map(|_| (*dice.pick(&OF_ONE)).to_owned()).collect();
        if two {
            let known = if matrix { 9 } else { 5 };
            literals.push(OF_TWO[dice.below(known)].to_owned());
        }
        if constant && dice.chance(60) {
            literals.push("S[#1] = B".to_owned());
        }
        disjuncts.push(format!("({})", literals.join(" && ")));
    }
    let mut init = format!("({})", disjuncts.join(" || "));
    if matrix && dice.chance(80) {
        init += " && (p = q || M[p, q] = False)";
    }
    if number {
        init += " && N[p] = 1 && P[p] = p";
    }
    let _ = writeln!(text, "init ({}) {{ {init} }}", if two { "p q" } else { "p" });
    let bad = ["S[p] = B && T[p] = A", "G = B && S[p] = C", "S[p] = T[p] && K[p] = C", "S[p] = B && G = A"];
    let _ = writeln!(text, "unsafe (p) {{ {} }}", dice.pick(&bad));
    text += "transition touch (p) requires { S[p] = A } { S[p] := T[p]; T[p] := A }\n";
    text += if matrix { "transition link (p q) requires { S[p] = S[q] } { M[p, q] := True }\n" } else { "" };
    text += if number { "transition add (p q) requires { N[p] = 1 } { N[p] := 2; P[p] := q }\n" } else { "" };
    for more in [
        "transition flip () requires { G = A } { G := B }\n",
        "transition take (p) requires { S[p] = B } { G := S[p] }\n",
        "transition turn (p) requires { S[p] <> T[p] && K[p] <> B } { T[p] := C }\n",
    ] {
        text += if dice.chance(60) { more } else { "" };
    }
    text
}

/// Whether a restart of `p` may lead from `before` to `after`, by the definition in `docs/liveness.md`; `after` differs in own
/// cells of `p` only.
fn may_restart(system: &System, layout: &Layout, procs: usize, p: usize, after: &State) -> bool {
    let assigned = |var: VarId| system.transitions.iter().flat_map(|t| &t.updates).any(|u| u.var == var);
    tuples(procs, system.init.params.into()).all(|tuple| {
        let is_p = |it: &ProcRef| match it {
            ProcRef::Var(v) => tuple[usize::from(*v)] == p,
            ProcRef::Const(c) => usize::from(*c) == p,
        };
        let counts = |literal: &Literal| {
            let cells = literal.cells();
            let own = cells.iter().any(|cell| assigned(cell.var) && cell.index.first().is_some_and(is_p));
            own || !cells.iter().any(|cell| assigned(cell.var))
        };
        let env = Env { layout, state: after, procs: &tuple };
        let holds = |literal: &Literal| !counts(literal) || env.literal(literal) == Some(true);
        system.init.body.0.iter().any(|conj| conj.iter().all(holds))
    })
}

/// The states to which `p` may restart, by the definition.
fn restarted(system: &System, procs: usize, p: usize, before: &State) -> BTreeSet<Vec<Value>> {
    let layout = Layout::new(system, procs);
    let assigned = |var: VarId| system.transitions.iter().flat_map(|t| &t.updates).any(|u| u.var == var);
    let mut all = vec![before.clone()];
    for (var, decl) in (0..).map(VarId).zip(&system.vars) {
        let VarKind::Array(arity) = decl.kind else { continue };
        for index in tuples(procs, arity.into()).filter(|it| assigned(var) && it[0] == p) {
            let place = layout.position(var, index);
            let mut next = Vec::new();
            for state in &all {
                let mut values = domain(system, decl.ty, procs, &state.values);
                values.extend(state.values.get(place));
                if decl.ty == Type::Int {
                    values.extend((0..4).map(|n| Value::Number(cubicle::model::Rational::integer(n))));
                }
                for value in values {
                    let mut state = state.clone();
                    state.values[place] = value;
                    next.push(state);
                }
            }
            all = next;
        }
    }
    all.retain(|after| may_restart(system, &layout, procs, p, after));
    all.iter().map(|state| canonical(system, state).values).collect()
}

/// Compares the steps of `restart` with the definition, in reachable states.
fn restarts_are_as_defined(original: &System, system: &System, reached: &Reached, text: &str) {
    let semantics = Semantics::new(system, reached.procs);
    for state in reached.states.keys().take(30) {
        for p in 0..reached.procs {
            let mut made = BTreeSet::new();
            for (number, transition) in system.transitions.iter().enumerate() {
                let id = TransitionId(number as u16);
                if transition.name == "restart" && semantics.enabled(state, id, &[p]) == Some(true) {
                    let after = semantics.fire(state, id, &[p], &[]).expect("no number is large");
                    made.insert(canonical(system, &after).values);
                }
            }
            let right = restarted(original, reached.procs, p, state);
            assert_eq!(made, right, "{text}\nrestart of {p} in {state:?}\n{}", export::model(system));
        }
    }
}

/// Compares the engines, on the given system, with brute force.
fn engines_agree(system: &System, reached: &[Reached], text: &str) {
    let bad = reached.iter().any(|it| it.bad.is_some());
    for proof in [BackwardMode::Auto, BackwardMode::Classic, BackwardMode::Brab(2), BackwardMode::Pdr(2)] {
        let interrupt = Interrupt::default();
        interrupt.set_deadline(Instant::now() + Duration::from_secs(20));
        let options = Options::default().proof(proof).unchecked(true);
        let report = cubicle::check(system, &options, &interrupt, &mut Silent);
        let report = report.unwrap_or_else(|error| panic!("{proof:?}: {error:?}\n{text}"));
        let safe = report.verdict == Some(Verdict::Safe);
        assert!(!(safe && bad), "{proof:?} says safe\n{text}\n{}", export::model(system));
    }
}

/// Whether the printed text of a system has the same meaning.
fn text_means_it(system: &System, reached: &[Reached]) {
    let text = export::model(system);
    let again = cubicle::load(&text).unwrap_or_else(|error| panic!("{error}\n{text}")).system;
    for instance in reached.iter().filter(|it| it.procs > 0) {
        let other = explore(&again, instance.procs, STATES).expect("the same instances");
        assert_eq!(other.bad.is_some(), instance.bad.is_some(), "{text}");
        if instance.complete && other.complete {
            let states = |it: &Reached| it.states.keys().map(|it| it.values.clone()).collect::<BTreeSet<_>>();
            assert_eq!(states(&other), states(instance), "{text}");
        }
    }
}

fn instances(system: &System) -> Vec<Reached> {
    (0..=2).filter_map(|procs| explore(system, procs, STATES)).collect()
}

#[test]
fn restarts_of_random_systems_are_as_defined() {
    let first = environment("CUBICLE_RANDOM_SEED", 0);
    let count = environment("CUBICLE_RANDOM_COUNT", 60);
    let (mut done, mut wrong) = (0, 0);
    for seed in first..first + count {
        let text = related(seed);
        let original = cubicle::load(&text).unwrap_or_else(|error| panic!("{error}\n{text}")).system;
        let Ok(system) = with_crashes(&original, Crash::Restart) else { continue };
        done += 1;
        let reached = instances(&system);
        for instance in &reached {
            restarts_are_as_defined(&original, &system, instance, &text);
        }
        text_means_it(&system, &reached);
        wrong += u64::from(reached.iter().any(|it| it.bad.is_some()));
        if seed % 4 == 0 {
            engines_agree(&system, &reached, &text);
        }
    }
    assert!(done * 2 >= count && wrong * 10 >= done && wrong < done, "{done} of {count} done, {wrong} wrong");
}

#[test]
fn engines_agree_on_crashes_of_random_systems() {
    let first = environment("CUBICLE_RANDOM_SEED", 0);
    let count = environment("CUBICLE_RANDOM_COUNT", 60);
    let mut done = 0;
    for seed in first..first + count {
        let text = generate(seed, &Weights::varied(seed)).to_string();
        let original = cubicle::load(&text).unwrap_or_else(|error| panic!("{error}\n{text}")).system;
        let crash = [Crash::Stop(None), Crash::Stop(Some(1)), Crash::Restart][seed as usize % 3];
        let Ok(system) = with_crashes(&original, crash) else { continue };
        done += 1;
        let reached = instances(&system);
        if crash == Crash::Restart {
            for it in &reached {
                restarts_are_as_defined(&original, &system, it, &text);
            }
        }
        if seed % 5 == 0 {
            engines_agree(&system, &reached, &text);
        }
    }
    assert!(done * 2 >= count, "{done} of {count} done");
}

/// Every transform derives all dependent data again.
#[test]
fn transforms_derive_all_dependent_data() {
    let closed = |system: &System, what: &str, text: &str| {
        assert_eq!(&System::new(system.to_parts()), system, "{what}\n{text}");
    };
    let mut made = [0; 3];
    for seed in 0..120 {
        let text =
            if seed % 2 == 0 { related(seed) } else { generate(seed, &Weights::varied(seed)).to_string() };
        let original = cubicle::load(&text).unwrap_or_else(|error| panic!("{error}\n{text}")).system;
        closed(&original, "as loaded", &text);
        for crash in [Crash::Stop(None), Crash::Stop(Some(2)), Crash::Restart] {
            if let Ok(system) = with_crashes(&original, crash) {
                closed(&system, "crash", &text);
                made[0] += 1;
            }
        }
        let first = original.transitions.first().map(|it| &it.name);
        if let Some(taken) = with_taken(&original, |it| Some(&it.name) == first) {
            closed(&taken, "taken", &text);
            made[1] += 1;
        }
        if let Some(again) = with_acts_again(&original, 0) {
            closed(&again, "acts again", &text);
            made[2] += 1;
        }
    }
    assert!(made.iter().all(|n| *n > 5), "{made:?}");
}

/// An assumption about variables that no transition assigns becomes a claim once one does.
#[test]
fn an_axiom_about_a_variable_that_becomes_assigned_is_a_claim() {
    let text = "var X : bool array S[proc] : bool init () { true } invariant () { X = True }
        unsafe (p) { S[p] = True && X = True } transition t (p) { S[p] := False }";
    let system = cubicle::load(text).expect("a model").system;
    assert_eq!((system.axioms.len(), system.bad.len()), (1, 1));
    let mut assigns = system.transitions[0].clone();
    assigns.updates[0].var = VarId(0);
    let values = vec![cubicle::model::Branch {
        when: cubicle::model::Dnf::truth(),
        value: cubicle::model::Term::Constructor(1),
    }];
    assigns.updates[0].assignment = cubicle::model::Assignment::Cases(values);
    assert_eq!(system.vars[0].ty, Type::Enum(BOOL));
    let system = system.edited(|parts| parts.transitions.push(assigns));
    assert_eq!((system.axioms.len(), system.bad.len()), (0, 2));
    assert_eq!(system.bad.iter().map(|bad| bad.number).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(system.bad[0].name, "invariant at line 1");
}
