//! What search and checker derive from a model by the same code, on random models: the derived system compared with the model, all states of a few
//! processes each, by the reference semantics. A tail may be any clause, as a certificate may name any. Of refinements, each way to fail has a pair of models.
//!
//! `CUBICLE_DOORS_SEED` and `CUBICLE_DOORS_COUNT` choose models; the ignored test takes many.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use cubicle::model::semantics::{Env, Layout, State, distinct_tuples, tuples};
use cubicle::model::{Cell, Conj, Literal, ProcRef, System, Tail, Transition, Type, VarId, negated};
use cubicle::transform::{relaxed, tails_of, with_tails, without_announcements};

use cubicle::Interrupt;
use cubicle::certificate::{CheckOptions, Extent, NoCertificate, check};
use cubicle::refinement::RefinedModel;
use cubicle::transform::refines::Refinement;

use super::support::dice::{Dice, environment};
use super::support::explore::explore;

const STATES: usize = 6_000;

/// A literal about `x` and `y`; one that stays true where cells that are set keep what they get, if `kept`.
fn literal(dice: &mut Dice, (x, y): (&str, &str), kept: bool) -> String {
    let cell = match dice.below(6) {
        0 | 1 => format!("S[{x}]"),
        2 => format!("T[{x}]"),
        3 => format!("M[{x}, {y}]"),
        4 => format!("M[{y}, {x}]"),
        _ => "G".to_owned(),
    };
    let of_phases = cell.starts_with(['S', 'T']);
    if kept {
        return format!("{cell} = {}", if of_phases { "B" } else { "True" });
    }
    let values: &[&str] = if of_phases { &["A", "B", "C"] } else { &["True", "False"] };
    format!("{cell} {} {}", if dice.chance(70) { "=" } else { "<>" }, dice.pick(values))
}

/// A model with guards about all other processes. It may announce in `R` that a step was taken, of which only bad states read, and order
/// processes by `Before`, which no step changes.
fn model(dice: &mut Dice, announces: bool) -> String {
    let ordered = announces && dice.chance(50);
    let mut text = String::from(
        "type t = A | B | C\nvar G : bool\narray S[proc] : t\narray T[proc] : t\narray M[proc, proc] : bool\narray R[proc] : bool\n",
    );
    text += if ordered { "array Before[proc, proc] : bool\n" } else { "" };
    let silent = if dice.chance(90) { " && R[p] = False" } else { "" };
    let _ = writeln!(text, "init (p q) {{ S[p] = A && T[p] = A && M[p, q] = False{silent} && G = False }}");
    if ordered {
        text += "invariant (p q) { Before[p, q] = False && Before[q, p] = False }\n";
        text += "invariant (p q) { Before[p, q] = True && Before[q, p] = True }\n";
    }
    let mut bad = if announces { vec!["R[p] = True".to_owned()] } else { Vec::new() };
    if announces && dice.chance(50) {
        bad.push("R[q] = True".to_owned());
    }
    bad.extend((0..dice.below(2) + usize::from(!announces)).map(|_| literal(dice, ("p", "q"), false)));
    let _ = writeln!(text, "unsafe (p q) {{ {} }}", bad.join(" && "));
    // Where cells that are set mostly stay as they are, much of a guard is still true later.
    let keeps = announces && dice.chance(70);
    for number in 0..3 + dice.below(2) {
        let sets = announces && (number == 0 || dice.chance(40));
        let params: &[&str] = if sets || dice.chance(50) { &["p", "q"] } else { &["p"] };
        let (p, q) = (params[0], params[params.len() - 1]);
        let mut guard: Vec<String> =
            (0..dice.below(3)).map(|_| literal(dice, (p, q), keeps && number > 0)).collect();
        if ordered && params.len() > 1 && dice.chance(60) {
            guard.push((*dice.pick(&["Before[p, q] = True", "Before[q, p] = True"])).to_owned());
        }
        if sets || dice.chance(50) {
            let any: Vec<String> = (0..=dice.below(2)).map(|_| literal(dice, ("m", p), keeps)).collect();
            guard.push(format!("(forall_other m. {})", any.join(" || ")));
        } else if dice.chance(30) {
            guard.push(format!(
                "(forall_other m n. {} || {})",
                literal(dice, ("m", "n"), keeps),
                literal(dice, ("n", "m"), false)
            ));
        }
        let _ = write!(text, "transition t{number} ({}) ", params.join(" "));
        if !guard.is_empty() {
            let _ = write!(text, "requires {{ {} }} ", guard.join(" && "));
        }
        let phase = if keeps { "B" } else { *dice.pick(&["A", "B", "C"]) };
        let truth = if keeps { "True" } else { *dice.pick(&["True", "False"]) };
        let mut updates = vec![match dice.below(5) {
            0 => format!("S[{p}] := {phase}"),
            1 => format!("T[{p}] := S[{q}]"),
            2 => format!("M[{p}, {q}] := {truth}"),
            3 if !keeps => format!("S[k] := case | S[k] = T[{p}] && k <> {q} : {phase} | _ : S[k]"),
            _ => format!("S[{q}] := {phase}"),
        }];
        updates.extend(dice.chance(30).then(|| format!("G := {truth}")));
        updates.extend(sets.then(|| "R[p] := True".to_owned()));
        let _ = writeln!(text, "{{ {} }}", updates.join("; "));
    }
    text
}

/// A clause that a universal guard of the transition says, with its parameters as constants; perhaps with one literal less or more, or with another number of
/// processes: then it may be no clause.
fn clause(dice: &mut Dice, system: &System, t: &Transition) -> Option<Tail> {
    let universal = t.universals.first()?;
    let said: Vec<&Literal> = universal.body.0.iter().map(|conj| dice.pick(conj)).collect();
    let arity = t.arity() as u8;
    let mut of: Vec<ProcRef> = Vec::new();
    let all = said.iter().flat_map(|it| it.procs());
    all.filter(|p| *p < ProcRef::Var(arity)).for_each(|p| {
        if !of.contains(&p) {
            of.push(p);
        }
    });
    let constants = of.len() as u8;
    of.extend((arity..arity + universal.bound).map(ProcRef::Var));
    let name = |p: &ProcRef| ProcRef::Var(of.iter().position(|it| it == p).unwrap_or(0) as u8);
    let mut denial = Conj::new();
    for literal in said {
        let Some(Literal::In { cell, values }) = negated(system, literal) else { return None };
        let cell = Cell { var: cell.var, index: cell.index.iter().map(name).collect() };
        denial.push(Literal::In { cell, values });
    }
    if denial.len() > 1 && dice.chance(25) {
        denial.pop();
    }
    if dice.chance(40) {
        let var = VarId(dice.below(4) as u16);
        let Type::Enum(ty) = system.var(var).ty else { return None };
        let process = |dice: &mut Dice| ProcRef::Var(dice.below(of.len()) as u8);
        let index = (0..system.var(var).arity()).map(|_| process(dice)).collect();
        let values = 1 << dice.below(system.enumeration(ty).constructors.len());
        denial.push(Literal::In { cell: Cell { var, index }, values });
    }
    let moved = u8::from(dice.chance(15));
    Some(Tail {
        constants: constants.saturating_sub(moved),
        bound: universal.bound + moved.min(constants),
        denial,
    })
}

/// Whether a tail's clause holds in a state for processes, by its definition.
fn holds(tail: &Tail, layout: &Layout, state: &State, procs: usize, constants: &[usize]) -> bool {
    distinct_tuples(procs, tail.bound.into()).all(|bound| {
        let env = Env { layout, state, procs: &[constants, &bound].concat() };
        env.conj(&tail.denial) != Some(true)
    })
}

/// Compares a system with tails with the model; whether a guard says that an array is true.
fn tails_change_nothing(text: &str, tails: &[Tail]) -> bool {
    let system = cubicle::load(text).unwrap_or_else(|why| panic!("{why}\n{text}")).system;
    let Ok(derived) = with_tails(&system, tails) else { return false };
    for procs in 1..=3 {
        let (Some(own), Some(found)) =
            (explore(&system, procs, STATES), explore(&derived, procs, 4 * STATES))
        else {
            continue;
        };
        if !own.complete || !found.complete {
            continue;
        }
        let cells = own.states.first().map_or(0, |(state, _)| state.values.len());
        let (states, projected): (BTreeSet<_>, BTreeSet<_>) = (
            own.states.keys().map(|it| &it.values[..]).collect(),
            found.states.keys().map(|it| &it.values[..cells]).collect(),
        );
        assert!(states == projected, "{} and {} states\n{tails:?}\n{text}", states.len(), projected.len());
        let layout = Layout::new(&derived, procs);
        for ((tail, at), state) in tails
            .iter()
            .zip(system.vars.len()..)
            .flat_map(|it| found.states.keys().map(move |state| (it, state)))
        {
            for constants in tuples(procs, tail.constants.into()) {
                let index = (0..tail.constants).map(ProcRef::Var);
                let says = Tail::literal(VarId(at as u16), index, true);
                let env = Env { layout: &layout, state, procs: &constants };
                let says = env.literal(&says) == Some(true);
                assert!(
                    says || !holds(tail, &layout, state, procs, &constants),
                    "{constants:?} {state:?}\n{tails:?}\n{text}"
                );
            }
        }
    }
    derived.transitions.iter().zip(&system.transitions).any(|(a, b)| a.guard.len() > b.guard.len())
}

/// Whether a bad state is reached with these processes; `None` where there are too many states to know.
fn bad(system: &System, procs: usize) -> Option<bool> {
    let found = explore(system, procs, STATES)?;
    if found.bad.is_some() { Some(true) } else { found.complete.then_some(false) }
}

/// Compares a system without announcements with the model: whether it has any, and whether a bad state is reached.
fn what_was_announced_was_seen(text: &str) -> Option<bool> {
    let system = cubicle::load(text).unwrap_or_else(|why| panic!("{why}\n{text}")).system;
    let reduced = without_announcements(&system).ok()?;
    let mut is_bad = false;
    for procs in 1..=3 {
        if bad(&system, procs) == Some(true) {
            assert_ne!(
                bad(&reduced.system, procs),
                Some(false),
                "bad with {procs} processes, but not without announcements\n{text}"
            );
            is_bad = true;
        }
    }
    Some(is_bad)
}

/// Compares a system whose guards ask for less with the model: whether there is one; it has all states of the model, but for what was left out.
fn less_is_asked(text: &str) -> bool {
    let system = cubicle::load(text).unwrap_or_else(|why| panic!("{why}\n{text}")).system;
    let Some(relaxed) = relaxed(&system) else { return false };
    for procs in 1..=3 {
        let found = [&system, &relaxed.system].map(|it| explore(it, procs, STATES).filter(|it| it.complete));
        let [Some(own), Some(found)] = found else { continue };
        let kept = |state: &State| -> Vec<_> {
            let layout = Layout::new(&system, procs);
            let vars = (0..).map(VarId).zip(&system.vars).filter(|it| !relaxed.left_out.contains(&it.0));
            let cells = vars.flat_map(|(id, var)| tuples(procs, var.arity()).map(move |index| (id, index)));
            cells.map(|(id, index)| state.values[layout.position(id, index)]).collect()
        };
        let all: BTreeSet<_> = found.states.keys().map(kept).collect();
        assert!(
            own.states.keys().all(|it| all.contains(&kept(it))),
            "a state with {procs} processes\n{text}"
        );
    }
    true
}

/// The numbers of systems with tails that guards mention, of models with announcements, of those whose bad states are reached, and of those whose guards ask for
/// what no step uses.
fn campaign(first: u64, count: u64) -> [usize; 4] {
    let mut found = [0; 4];
    for seed in first..first + count {
        let dice = &mut Dice::new(seed);
        let text = model(dice, false);
        let system = cubicle::load(&text).unwrap_or_else(|why| panic!("{why}\n{text}")).system;
        let mut tails: Vec<Tail> =
            system.transitions.iter().filter_map(|t| clause(dice, &system, t)).collect();
        tails.extend(tails_of(&system));
        tails.retain(|it| with_tails(&system, std::slice::from_ref(it)).is_ok());
        tails.truncate(2);
        found[0] += usize::from(tails_change_nothing(&text, &tails));
        let announcing = model(dice, true);
        if let Some(is_bad) = what_was_announced_was_seen(&announcing) {
            found[1] += 1;
            found[2] += usize::from(is_bad);
        }
        found[3] += usize::from(less_is_asked(&text)) + usize::from(less_is_asked(&announcing));
    }
    found
}

#[test]
fn derived_systems_have_the_runs_of_the_model() {
    let count = environment("CUBICLE_DOORS_COUNT", 50);
    let found = campaign(environment("CUBICLE_DOORS_SEED", 0), count);
    assert!(found.iter().all(|it| *it as u64 * 10 >= count), "{found:?} of {count}");
}

#[test]
#[ignore = "takes long"]
#[allow(clippy::print_stdout, reason = "shows the figures")]
fn campaign_of_derived_systems() {
    let found = campaign(environment("CUBICLE_DOORS_SEED", 1_000), environment("CUBICLE_DOORS_COUNT", 3_000));
    println!("{found:?}");
}

const LOW: &str = "var Last : proc
var G : bool
array X[proc] : bool
array M[proc, proc] : bool
array K[proc] : bool
init (p q) { X[p] = False && G = False && (p = q || M[p, q] = False) }
transition go (p) requires { X[p] = False } { X[p] := True }
";

const HIGH: &str = "var G : bool
array X[proc] : bool
init (p) { X[p] = False && G = False }
transition go (p) requires { X[p] = False } { X[p] := True }
transition both (p q) { X[p] := True }
";

/// What one model refining another one means.
fn refinement(concrete: &str, abstraction: &str, map: &str) -> Refinement {
    let [low, high] =
        [concrete, abstraction].map(|text| cubicle::load(text).unwrap_or_else(|why| panic!("{why}\n{text}")));
    let [of_low, of_high] = [&low, &high].map(|it| RefinedModel { system: &it.system, file: &it.file });
    Refinement::new(of_low, of_high, map).unwrap_or_else(|why| panic!("{why:?}\n{concrete}\n{abstraction}"))
}

/// Changes of both models (a text and another one in its place), a map, and the number of processes with which the first model does not refine the second one.
type Pair =
    (&'static str, (&'static str, &'static str), (&'static str, &'static str), &'static str, Option<usize>);

const PAIRS: &[Pair] = &[
    ("the same steps", ("", ""), ("", ""), "", None),
    ("a guard", ("", ""), ("{ X[p] = False }", "{ X[p] = True }"), "", Some(1)),
    ("a guard about others", ("", ""), ("{ X[p] = False }", "{ forall_other q. X[q] = False }"), "", Some(2)),
    ("a cell of the process", ("{ X[p] := True }", "{ X[p] := False }"), ("", ""), "", Some(1)),
    ("a cell of another process", ("{ X[p] := True }", "{ X[k] := case | _ : True }"), ("", ""), "", Some(2)),
    ("a variable", ("{ X[p] := True }", "{ X[p] := True; G := True }"), ("", ""), "", Some(1)),
    ("any value", ("{ X[p] := True }", "{ X[p] := True; G := ? }"), ("", ""), "", Some(1)),
    (
        "a value for any",
        ("{ X[p] := True }", "{ X[p] := True; G := True }"),
        ("{ X[p] := True }", "{ X[p] := True; G := ? }"),
        "",
        None,
    ),
    ("a step that changes nothing", ("", ""), ("", ""), "go(p) => stutter;", Some(1)),
    ("one of two steps", ("", ""), ("", ""), "go(p) => stutter | go(p);", None),
    (
        "arguments that are one process",
        ("(p q) { X", "(p q) { Last = p && X"),
        ("", ""),
        "go(p) => both(p, Last);",
        Some(1),
    ),
    (
        "an argument that is not a process",
        ("(p q) { X", "(p q) { Last <> p && X"),
        ("", ""),
        "go(p) => both(p, Last);",
        Some(1),
    ),
    (
        "another process as an argument",
        ("{ X[p] = False }", "{ X[p] = False && Last <> p && exists_other q. Last = q }"),
        ("", ""),
        "go(p) => both(p, Last);",
        None,
    ),
    (
        "initial values",
        ("", ""),
        ("(p) { X[p] = False && G = False }", "(p) { X[p] = True && G = False }"),
        "",
        Some(1),
    ),
    (
        "initial values of two processes that are one",
        ("", ""),
        (
            "array X[proc] : bool\ninit (p) {",
            "array X[proc] : bool\narray M[proc, proc] : bool\ninit (p q) { M[p, q] = False &&",
        ),
        "",
        Some(1),
    ),
    (
        "an axiom",
        ("", ""),
        (
            "array X[proc] : bool\n",
            "array X[proc] : bool\narray K[proc] : bool\ninvariant (p q) { K[p] = True && K[q] = True }\n",
        ),
        "",
        Some(2),
    ),
];

#[test]
fn each_way_not_to_refine_is_a_bad_state() {
    let found = PAIRS.iter().map(|(what, low, high, map, _)| {
        let change = |text: &str, (from, to): &(&str, &str)| {
            assert!(text.contains(from), "{what}: {from}");
            if from.is_empty() { text.to_owned() } else { text.replacen(from, to, 1) }
        };
        let refinement = refinement(&change(LOW, low), &change(HIGH, high), map);
        let fails = |procs: &usize| {
            [&refinement.initially, &refinement.steps].into_iter().any(|it| bad(it, *procs) == Some(true))
        };
        (*what, (1..=3).find(fails))
    });
    let expected = PAIRS.iter().map(|it| (it.0, it.4));
    assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
}

/// The steps of a refinement are those of one model: a certificate for another one is not about them.
#[test]
fn a_refinement_is_about_one_model() {
    let interrupt = Interrupt::default();
    let refinement = std::sync::Arc::new(refinement(LOW, HIGH, ""));
    let how = CheckOptions::new(std::time::Duration::from_secs(10), &interrupt);
    let how = CheckOptions { refinement: Some(&refinement), ..how };
    let text = "refines another model\ninvariant () { Failed = True }\n";
    let check = |model: &str| {
        let system = cubicle::load(model).expect("a model").system;
        check(&system, model, text, Extent::All, how)
    };
    assert!(check(LOW).is_ok());
    let other = LOW.replace("{ X[p] := True }", "{ X[p] := True; G := True }");
    assert!(matches!(check(&other), Err(NoCertificate::Unreadable(_))));
}
