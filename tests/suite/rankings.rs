//! Rankings of properties of runs: what is proved by them, and that no wrong one passes.

use std::fs;
use std::path::Path;

use cubicle::certificate::ranked;
use cubicle::forward::{RunAnswer, check_runs};
use cubicle::interrupt::Interrupt;
use cubicle::model::{
    BOOL, Cell, Conj, Helper, Least, Linear, Literal, Measure, Measured, ProcRef, Ranking, Rational,
    Relation, System, Term, Type, VarKind,
};
use cubicle::observer::Silent;
use cubicle::options::{ForwardOptions, Options, Vacuity};
use cubicle::result::{Report, RunsPlan};
use cubicle::transform::mutate::candidates;
use cubicle::{check, load};

use crate::support::dice::{Dice, environment};
use crate::support::explore::explore;

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rankings")
}

fn model(name: &str) -> String {
    fs::read_to_string(folder().join(format!("{name}.cub"))).expect("the model is there")
}

fn report(system: &System, rounds: u32) -> Report {
    let options = Options::default().rounds(Some(rounds)).vacuity(Vacuity::Ignore);
    check(system, &options, &Interrupt::default(), &mut Silent).expect("an answer")
}

/// The number of processes with which some run breaks the first property, the instances having up to `most`.
fn broken(system: &System, most: usize) -> Option<usize> {
    let options = ForwardOptions::default().max_states(Some(20_000));
    let is_broken = |procs: &usize| {
        let seen = check_runs(system, *procs, &options, &Interrupt::default());
        matches!(seen.answers[0], RunAnswer::Lasso(..))
    };
    (0..=most).find(is_broken)
}

const PROVED: [&str; 4] = ["ticket", "fifo", "rw", "barrier"];

#[test]
fn promises_are_proved_for_any_number_of_processes() {
    for name in PROVED {
        let report = report(&load(&model(name)).expect("a model").system, 3);
        let proof = report.temporal[0].proof.as_ref().unwrap_or_else(|| panic!("{name} is not proved"));
        assert!(matches!(proof.plan, RunsPlan::Ranking(_)), "{name}");
        assert!(report.acceptance.is_some() && report.temporal[0].proved, "{name}");
    }
}

#[test]
fn wrong_twins_are_violated() {
    let twins = [
        ("ticket", "fair leave", ""),
        ("ticket", "Serving := Serving + 1; ", ""),
        ("fifo", "fair enter", ""),
        ("fifo", "forall_other q. Behind[p,q] = False", "forall_other q. At[q] <> In"),
        ("fifo", "fair leave", ""),
        ("rw", "fair stop_reading", ""),
        ("rw", "fair write", ""),
        ("rw", "Writers = 0 && Waiting = 0", "Writers = 0"),
        ("barrier", "fair last", ""),
        ("barrier", "fair go", ""),
    ];
    for (name, from, to) in twins {
        let right = model(name);
        let wrong = right.replace(from, to);
        assert_ne!(right, wrong, "{name}: {from}");
        let found = report(&load(&wrong).expect("a model").system, 1);
        assert!(!found.temporal[0].proved, "{wrong}");
        assert!(found.temporal[0].is_violated(), "{wrong}");
    }
}

/// A random system with fairness and a `response`.
fn random(dice: &mut Dice) -> String {
    let [lock, turn, ticket] = [40, 30, 25].map(|percent| dice.chance(percent));
    let mut vars = "type loc = A | B | C | D\narray At[proc] : loc\n".to_owned();
    let mut init = "At[p] = A".to_owned();
    for (is, var, first) in [
        (lock, "var Lock : bool\n", " && Lock = False"),
        (turn, "var Turn : proc\n", ""),
        (
            ticket,
            "var Next : int\nvar Serving : int\narray T[proc] : int\n",
            " && Next = 0 && Serving = 0 && T[p] = 0",
        ),
    ] {
        if is {
            vars += var;
            init += first;
        }
    }
    let mut text = format!("{vars}init (p) {{ {init} }}\n");
    let steps = [("A", "B"), ("B", "C"), ("C", "D"), ("D", "A"), ("C", "A"), ("B", "A"), ("A", "C")];
    let count = 3 + dice.below(3);
    let mut fair = String::new();
    for number in 0..count {
        let (from, to) = if number < 3 || dice.chance(30) { steps[number % 4] } else { *dice.pick(&steps) };
        let mut guard = format!("At[p] = {from}");
        let mut update = format!("At[p] := {to};");
        if lock && dice.chance(60) {
            let free = from == "B" || from == "A";
            guard += if free { " && Lock = False" } else { "" };
            update += if free { " Lock := True;" } else { " Lock := False;" };
        }
        if turn && dice.chance(50) {
            if dice.chance(60) {
                guard += " && Turn = p";
            }
            update += *dice.pick(&[" Turn := p;", "", " Turn := ?;"]);
        }
        if ticket && dice.chance(70) {
            match from {
                "A" => update += " T[p] := Next; Next := Next + 1;",
                "B" => guard += *dice.pick(&[" && T[p] = Serving", " && T[p] <= Serving"]),
                _ => update += " Serving := Serving + 1;",
            }
        }
        if dice.chance(25) {
            let other = *dice.pick(&["A", "B", "C", "D"]);
            let is = dice.pick(&["<>", "="]);
            guard += &format!(" && forall_other q. At[q] {is} {other}");
        }
        text += &format!("transition t{number} (p) requires {{ {guard} }} {{ {update} }}\n");
        if dice.chance(80) {
            fair += &format!("{} t{number}\n", if dice.chance(15) { "strong_fair" } else { "fair" });
        }
    }
    let (asked, kept) =
        *dice.pick(&[("At[p] = B", "At[p] = C"), ("At[p] = B", "At[p] <> B"), ("At[p] = C", "At[p] = A")]);
    let kept = if dice.chance(20) { "exists q. At[q] = C" } else { kept };
    let property = match dice.below(8) {
        0 => format!("recurrence (p) {{ {kept} }}"),
        _ => format!("response (p) {{ {asked} }} ~> {{ {kept} }}"),
    };
    text + &fair + &property + "\n"
}

/// A random system, or a mutant of one whose promise is kept for a reason.
fn case(dice: &mut Dice) -> String {
    if dice.chance(50) {
        return random(dice);
    }
    let name: &&str = dice.pick(&["ticket", "fifo", "rw", "barrier", "ring"]);
    let text = model(name);
    let file = load(&text).expect("a model").file;
    let mutants: Vec<String> = candidates(&file, &text).into_iter().map(|it| it.text(&text)).collect();
    dice.pick(&mutants).clone()
}

/// Compares what is proved by rankings with instances of up to four processes. Returns how many are proved, by a ranking, and broken.
fn agrees(seed: u64, count: u64) -> [usize; 3] {
    let mut found = [0; 3];
    for number in 0..count {
        let mut dice = Dice::new(seed.wrapping_add(number));
        let text = case(&mut dice);
        let Ok(loaded) = load(&text) else { continue };
        let report = report(&loaded.system, 1);
        let Some(first) = report.temporal.first() else { continue };
        let broken = broken(&loaded.system, 4);
        assert!(
            !(first.proved && broken.is_some()),
            "proved, and broken with {broken:?}, seed {}:\n{text}",
            seed + number
        );
        let by_ranking = first.proof.as_ref().is_some_and(|it| matches!(it.plan, RunsPlan::Ranking(_)));
        found[0] += usize::from(first.proved);
        found[1] += usize::from(by_ranking);
        found[2] += usize::from(broken.is_some());
    }
    found
}

#[test]
fn instances_confirm_rankings() {
    let [proved, ranked, broken] = agrees(1, 60);
    assert!(proved > 5 && ranked > 2 && broken > 10, "{proved} {ranked} {broken}");
}

#[test]
#[ignore = "takes long"]
#[allow(clippy::print_stdout, reason = "shows the number")]
fn instances_confirm_rankings_campaign() {
    let (seed, count) = (environment("CUBICLE_RANDOM_SEED", 1), environment("CUBICLE_RANDOM_COUNT", 1000));
    println!("proved, by a ranking, broken: {:?}", agrees(seed, count));
}

/// A random literal over this number of processes.
fn literal(dice: &mut Dice, system: &System, procs: u8) -> Option<Literal> {
    let vars: Vec<_> = system.declared().collect();
    let cell = |dice: &mut Dice| {
        let (id, var) = *dice.pick(&vars);
        let index = match var.kind {
            VarKind::Array(n) => (0..n).map(|_| ProcRef::Var(dice.below(procs.into()) as u8)).collect(),
            _ => [].into_iter().collect(),
        };
        (Cell { var: id, index }, var.ty)
    };
    let (one, ty) = cell(dice);
    let negated = dice.chance(50);
    match ty {
        Type::Enum(id) => {
            let all = system.enumeration(id).all();
            let values =
                if id == BOOL { 1 << dice.below(2) } else { (dice.below(all as usize - 1) + 1) as u64 };
            Some(Literal::In { cell: one, values })
        }
        Type::Proc => {
            let right = Term::Proc(ProcRef::Var(dice.below(procs.into()) as u8));
            Some(Literal::Eq { left: Term::Cell(one), right, negated })
        }
        Type::Int => {
            let (other, other_ty) = cell(dice);
            if other_ty != Type::Int || other == one {
                return None;
            }
            let terms = vec![(one, Rational::ONE), (other, Rational::ONE.neg())];
            let expr = Linear::gathered(terms, Rational::integer(dice.below(2) as i64))?;
            Some(Literal::Linear { expr, relation: *dice.pick(&[Relation::Le, Relation::Eq]), integer: true })
        }
        _ => None,
    }
}

fn formula(dice: &mut Dice, system: &System, procs: u8) -> Vec<Conj> {
    let count = 1 + dice.below(2);
    let conj = |dice: &mut Dice| (0..dice.below(3)).filter_map(|_| literal(dice, system, procs)).collect();
    (0..count).map(|_| conj(dice)).collect()
}

/// A random ranking of the first property, which has one parameter.
fn forged(dice: &mut Dice, system: &System) -> Ranking {
    let property = &system.temporal[0];
    let measure = |dice: &mut Dice| {
        let level = 1 + dice.below(3) as u8;
        let further = dice.below(3) as u8;
        let number = literal(dice, system, 1).and_then(|it| match it {
            Literal::Linear { expr, .. } => Some(Measured::Number(expr)),
            _ => None,
        });
        let tuples = |dice: &mut Dice| Measured::Tuples { further, body: formula(dice, system, 1 + further) };
        let of = number.unwrap_or_else(|| tuples(dice));
        Measure { level, of }
    };
    let measures = (0..=dice.below(4)).map(|_| measure(dice)).collect();
    let mut helpers = Vec::new();
    for fairness in 0..system.fairness.len() {
        for own in [true, false] {
            if dice.chance(75) {
                let args = vec![u8::from(!own)];
                let further = u8::from(!own);
                let when =
                    if dice.chance(70) { vec![Conj::new()] } else { formula(dice, system, 1 + further) };
                helpers.push(Helper { fairness, further, args, when });
            }
        }
    }
    let asked: Vec<Conj> = property.first.0.iter().map(|it| it.cube.clone()).collect();
    let waits = match dice.below(3) {
        0 => vec![Conj::new()],
        _ if asked.is_empty() => vec![Conj::new()],
        _ => asked,
    };
    let least =
        dice.chance(30).then(|| Least { among: formula(dice, system, 2), before: formula(dice, system, 2) });
    Ranking { property: property.name.clone(), failed: "Fails".to_owned(), waits, measures, helpers, least }
}

/// Derives systems for random rankings of properties that are broken: each has a reachable bad state, with as many processes. Returns how many.
fn refused(seed: u64, count: u64) -> usize {
    let mut found = 0;
    for number in 0..count {
        let mut dice = Dice::new(seed.wrapping_add(number));
        let text = case(&mut dice);
        let Ok(loaded) = load(&text) else { continue };
        let system = &loaded.system;
        if system.temporal.is_empty() || system.temporal[0].params.len() != 1 || system.fairness.is_empty() {
            continue;
        }
        let Some(procs) = broken(system, 3) else { continue };
        for _ in 0..4 {
            let ranking = forged(&mut dice, system);
            let Ok(derived) = ranked(system, &ranking) else { continue };
            let Some(reached) = explore(&derived, procs, 5_000) else { continue };
            if !reached.complete && reached.bad.is_none() {
                continue;
            }
            found += 1;
            assert!(reached.bad.is_some(), "with {procs}, seed {}:\n{text}\n{ranking:?}", seed + number);
        }
    }
    found
}

#[test]
fn no_ranking_of_a_broken_promise_passes() {
    let count = refused(1, 200);
    assert!(count >= 300, "{count}");
}

#[test]
#[ignore = "takes long"]
#[allow(clippy::print_stdout, reason = "shows the number")]
fn no_ranking_of_a_broken_promise_passes_campaign() {
    let (seed, count) = (environment("CUBICLE_RANDOM_SEED", 1), environment("CUBICLE_RANDOM_COUNT", 10_000));
    println!("refused: {}", refused(seed, count));
}
