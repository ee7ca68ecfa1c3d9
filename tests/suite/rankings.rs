//! Rankings of properties of runs: what is proved by them, and that no wrong one passes.

use std::fs;
use std::path::Path;

use cubicle::certificate::ranked;
use cubicle::forward::{RunAnswer, check_runs};
use cubicle::model::{
    BOOL, Cell, Conj, Helper, Least, Linear, Literal, Measure, Measured, ProcRef, Progress, Ranking,
    Rational, Relation, System, Term, Type, VarKind,
};
use cubicle::transform::mutate::candidates;
use cubicle::{ForwardOptions, Interrupt, Options, Report, RunsPlan, Silent, Vacuity, check, load};

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
            fair += &format!("{} t{number}\n", if dice.chance(35) { "strong_fair" } else { "fair" });
        }
    }
    let (asked, kept) =
        *dice.pick(&[("At[p] = B", "At[p] = C"), ("At[p] = B", "At[p] <> B"), ("At[p] = C", "At[p] = A")]);
    let of_others = [
        "exists q. At[q] = C",
        "forall q. At[q] <> B",
        "forall_other q. At[q] <> C",
        "forall_other q. At[q] = A",
    ];
    let kept = if dice.chance(30) { *dice.pick(&of_others) } else { kept };
    let property = match dice.below(8) {
        0 => format!("recurrence (p) {{ {kept} }}"),
        _ => format!("response (p) {{ {asked} }} ~> {{ {kept} }}"),
    };
    text + &fair + &property + "\n"
}

/// A random system over two sorts, clients and locks, with fairness and a `response`.
fn random_of_sorts(dice: &mut Dice) -> String {
    let [holder, asked, turn, ticket] = [30, 35, 25, 20].map(|percent| dice.chance(percent));
    let mut vars = "type client < proc\ntype lock < proc\ntype loc = A | B | C | D\n\
                    array At[client] : loc\narray Free[lock] : bool\n"
        .to_owned();
    let mut init = "At[p] = A && Free[l] = True".to_owned();
    for (is, var, first) in [
        (holder, "array Holder[lock] : client\n", ""),
        (asked, "array Asked[client, lock] : bool\n", " && Asked[p, l] = False"),
        (turn, "var Turn : client\n", ""),
        (
            ticket,
            "var Next : int\nvar Serving : int\narray T[client] : int\n",
            " && Next = 0 && Serving = 0 && T[p] = 0",
        ),
    ] {
        if is {
            vars += var;
            init += first;
        }
    }
    let mut text = format!("{vars}init (p : client l : lock) {{ {init} }}\n");
    let steps = [("A", "B"), ("B", "C"), ("C", "A"), ("C", "D"), ("D", "A"), ("B", "A")];
    let mut fair = String::new();
    for number in 0..3 + dice.below(3) {
        let (from, to) = if number < 3 { steps[number] } else { *dice.pick(&steps) };
        let mut guard = format!("At[p] = {from}");
        let mut update = format!("At[p] := {to};");
        let params = *dice.pick(&["p : client", "p : client", "p : client l : lock", "l : lock"]);
        if params == "l : lock" && number >= 3 {
            let free = dice.chance(50);
            guard = format!("Free[l] = {}", if free { "False" } else { "True" });
            update = format!("Free[l] := {};", if free { "True" } else { "False" });
        } else if params.ends_with("l : lock") && number > 0 {
            let takes = from == "B";
            guard += if takes { " && Free[l] = True" } else { " && Free[l] = False" };
            update += if takes { " Free[l] := False;" } else { " Free[l] := True;" };
            if holder && takes {
                update += " Holder[l] := p;";
            } else if holder && dice.chance(70) {
                guard += " && Holder[l] = p";
            }
            if asked && dice.chance(60) {
                guard += if takes { " && Asked[p, l] = False" } else { " && Asked[p, l] = True" };
                update += if takes { " Asked[p, l] := True;" } else { " Asked[p, l] := False;" };
            }
        } else if turn && dice.chance(50) {
            guard += if dice.chance(60) { " && Turn = p" } else { "" };
            update += *dice.pick(&[" Turn := p;", "", " Turn := ?;"]);
        } else if ticket && dice.chance(70) {
            match from {
                "A" => update += " T[p] := Next; Next := Next + 1;",
                "B" => guard += *dice.pick(&[" && T[p] = Serving", " && T[p] <= Serving"]),
                _ => update += " Serving := Serving + 1;",
            }
        }
        if dice.chance(20) && guard.starts_with("At") {
            guard += *dice.pick(&[
                " && forall_other q : client. At[q] <> C",
                " && forall_other q : client. At[q] = A",
                " && forall k : lock. Free[k] = True",
                " && forall k : lock. Free[k] = False",
            ]);
        }
        let params = match guard.contains("[l]") || guard.contains(", l]") {
            true if guard.starts_with("Free") => "l : lock",
            true => "p : client l : lock",
            false => "p : client",
        };
        text += &format!("transition t{number} ({params}) requires {{ {guard} }} {{ {update} }}\n");
        if dice.chance(80) {
            fair += &format!("{} t{number}\n", if dice.chance(35) { "strong_fair" } else { "fair" });
        }
    }
    text + &fair
        + *dice.pick(&[
            "response (p : client) { At[p] = B } ~> { At[p] = C }\n",
            "response (p : client) { At[p] = B } ~> { At[p] <> B }\n",
            "response (p : client) { At[p] = C } ~> { At[p] = A }\n",
            "response (p : client) { At[p] = C } ~> { At[p] <> C }\n",
            "response (l : lock) { Free[l] = False } ~> { Free[l] = True }\n",
            "response (p : client l : lock) { At[p] = B && Free[l] = False } ~> { At[p] <> B || Free[l] = True }\n",
            "response (p : client) { At[p] = B } ~> { forall_other q : client. At[q] <> C }\n",
            "response (p : client) { At[p] = B } ~> { forall l : lock. Free[l] = True }\n",
            "response (p : client) { At[p] = B } ~> { exists l : lock. Free[l] = False }\n",
            "recurrence (p : client) { At[p] <> C }\n",
            "recurrence (l : lock) { Free[l] = True }\n",
        ])
}

/// A random system, one of them in three over two sorts, or a mutant of one whose promise is kept for a reason.
fn case(dice: &mut Dice, seed: u64) -> String {
    if seed.is_multiple_of(3) {
        return random_of_sorts(dice);
    }
    if dice.chance(50) {
        return random(dice);
    }
    let name: &&str = dice.pick(&["ticket", "fifo", "rw", "barrier", "ring"]);
    let text = model(name);
    let file = load(&text).expect("a model").file;
    let mutants: Vec<String> = candidates(&file, &text).into_iter().map(|it| it.text(&text)).collect();
    dice.pick(&mutants).clone()
}

/// What was found of random systems.
#[derive(Debug, Default)]
struct Found {
    systems: u64,
    of_sorts: u64,
    proved: u64,
    by_a_ranking: u64,
    of_sorts_by_a_ranking: u64,
    broken: u64,
    undecided: u64,
}

/// Compares what is proved with instances of up to four processes. Every fourth time, rankings are looked for without a look at runs of instances
/// before, which finds most of what is broken.
fn agrees(seed: u64, count: u64) -> Found {
    let mut found = Found::default();
    for seed in seed..seed.wrapping_add(count) {
        let mut dice = Dice::new(seed);
        let text = case(&mut dice, seed);
        let loaded = load(&text);
        assert!(loaded.is_ok() || !seed.is_multiple_of(3), "{text}");
        let Ok(loaded) = loaded else { continue };
        let blind = seed.is_multiple_of(4).then_some(1);
        let forward = ForwardOptions::default().max_states(blind);
        let options = Options::default().rounds(Some(1)).vacuity(Vacuity::Ignore).forward(forward);
        // Where the checker is not asked, more is claimed.
        let options = options.unchecked(!seed.is_multiple_of(5));
        let report = check(&loaded.system, &options, &Interrupt::default(), &mut Silent).expect("an answer");
        let Some(first) = report.temporal.first() else { continue };
        if first.proved {
            let broken = broken(&loaded.system, 4);
            assert!(broken.is_none(), "proved, and broken with {broken:?}, seed {seed}:\n{text}");
        }
        let by_ranking = first.proof.as_ref().is_some_and(|it| matches!(it.plan, RunsPlan::Ranking(_)));
        let of_sorts = loaded.system.sorts.is_some();
        for (number, is) in [
            (&mut found.systems, true),
            (&mut found.of_sorts, of_sorts),
            (&mut found.proved, first.proved),
            (&mut found.by_a_ranking, by_ranking),
            (&mut found.of_sorts_by_a_ranking, by_ranking && of_sorts),
            (&mut found.broken, first.is_violated()),
            (&mut found.undecided, !first.proved && !first.is_violated()),
        ] {
            *number += u64::from(is);
        }
    }
    found
}

#[test]
fn instances_confirm_rankings() {
    let found = agrees(1, 60);
    let enough = found.proved > 5 && found.by_a_ranking > 2 && found.broken > 10;
    assert!(enough && found.of_sorts_by_a_ranking > 0, "{found:?}");
}

#[test]
#[ignore = "takes long"]
#[allow(clippy::print_stdout, reason = "shows the number")]
fn instances_confirm_rankings_campaign() {
    let (seed, count) = (environment("CUBICLE_RANDOM_SEED", 1), environment("CUBICLE_RANDOM_COUNT", 1000));
    println!("{:?}", agrees(seed, count));
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
    let asked: Vec<Conj> = property.first.0.iter().map(|it| it.cube.clone()).collect();
    let waits = match dice.below(3) {
        0 => vec![Conj::new()],
        _ if asked.is_empty() => vec![Conj::new()],
        _ => asked,
    };
    let progress = Progress { waits, ..progress(dice, system, (1, 2)) };
    Ranking { property: property.name.clone(), failed: "Fails".to_owned(), progress }
}

/// A random reason for something that is awaited for this number of processes, which may have reasons within reasons as deep as this.
fn progress(dice: &mut Dice, system: &System, (params, depth): (u8, u8)) -> Progress {
    let measure = |dice: &mut Dice| {
        let level = 1 + dice.below(3) as u8;
        let further = dice.below(3) as u8;
        let number = literal(dice, system, params).and_then(|it| match it {
            Literal::Linear { expr, .. } => Some(Measured::Number(expr)),
            _ => None,
        });
        let tuples =
            |dice: &mut Dice| Measured::Tuples { further, body: formula(dice, system, params + further) };
        let of = number.unwrap_or_else(|| tuples(dice));
        Measure { level, of }
    };
    let measures = (0..=dice.below(4)).map(|_| measure(dice)).collect();
    let mut helpers = Vec::new();
    for (fairness, declared) in system.fairness.iter().enumerate() {
        for own in [true, false] {
            if dice.chance(75) {
                let args = vec![if own { 0 } else { params }];
                let further = u8::from(!own);
                let when =
                    if dice.chance(70) { vec![Conj::new()] } else { formula(dice, system, params + further) };
                let is_again = declared.strong && depth > 0 && dice.chance(50);
                let again = is_again.then(|| progress(dice, system, (params + further, depth - 1)));
                helpers.push(Helper { fairness, further, args, when, again });
            }
        }
    }
    let waits = if dice.chance(50) { vec![Conj::new()] } else { formula(dice, system, params) };
    let least = dice
        .chance(30)
        .then(|| Least { among: formula(dice, system, params + 1), before: formula(dice, system, 2) });
    Progress { waits, measures, helpers, least }
}

/// Derives systems for random rankings of properties that are broken: each has a reachable bad state, with as many processes. Returns how many.
fn refused(seed: u64, count: u64) -> usize {
    let mut found = 0;
    for number in 0..count {
        let mut dice = Dice::new(seed.wrapping_add(number));
        let text = case(&mut dice, seed.wrapping_add(number));
        let Ok(loaded) = load(&text) else { continue };
        let system = &loaded.system;
        if system.temporal.is_empty() || system.temporal[0].params.len() != 1 || system.fairness.is_empty() {
            continue;
        }
        let Some(procs) = broken(system, 3) else { continue };
        for _ in 0..6 {
            let ranking = forged(&mut dice, system);
            let Ok(derived) = ranked(system, &ranking) else { continue };
            let Some(reached) = explore(&derived, procs, 2_000) else { continue };
            if !reached.complete && reached.bad.is_none() {
                continue;
            }
            found += 1;
            assert!(reached.bad.is_some(), "with {procs}, seed {}:\n{text}\n{ranking:?}", seed + number);
        }
    }
    found
}

/// What is awaited of all other processes is not there because one of them has it, for which a step with strong fairness is said to be possible again and again.
#[test]
fn what_all_others_are_to_do_one_does_not_do() {
    let text = "var Go : bool var Open : bool var Last : proc array Done[proc] : bool
        init (p) { Go = False && Open = False && Done[p] = False }
        transition first (p) requires { Go = False } { Go := True; Done[p] := True; Last := p }
        transition finish (p) requires { Done[p] = False && Open = True } { Done[p] := True }
        strong_fair finish
        response all () { Go = True } ~> { forall q. Done[q] = True }";
    let system = load(text).expect("a model").system;
    assert_eq!(broken(&system, 2), Some(2));
    let var = |name: &str| {
        let found = system.declared().find(|(_, var)| var.name == name);
        found.expect("a variable").0
    };
    let cell = |name: &str, index: &[u8]| {
        let index = index.iter().map(|p| ProcRef::Var(*p)).collect();
        Cell { var: var(name), index }
    };
    let is_true = |name: &str, index: &[u8]| Literal::In { cell: cell(name, index), values: 0b10 };
    let last = Literal::Eq {
        left: Term::Cell(cell("Last", &[])),
        right: Term::Proc(ProcRef::Var(0)),
        negated: false,
    };
    let helper = Helper {
        fairness: 0,
        further: 1,
        args: vec![0],
        when: vec![vec![last, is_true("Done", &[0])]],
        again: Some(Progress::default()),
    };
    let progress =
        Progress { waits: vec![vec![is_true("Go", &[])]], helpers: vec![helper], ..Progress::default() };
    let ranking = Ranking { property: "all".to_owned(), failed: "Fails".to_owned(), progress };
    let derived = ranked(&system, &ranking).expect("it fits the model");
    assert!(explore(&derived, 2, 2_000).expect("a small instance").bad.is_some());
}

#[test]
fn no_ranking_of_a_broken_promise_passes() {
    let count = refused(1, 160);
    assert!(count >= 300, "{count}");
}

#[test]
#[ignore = "takes long"]
#[allow(clippy::print_stdout, reason = "shows the number")]
fn no_ranking_of_a_broken_promise_passes_campaign() {
    let (seed, count) = (environment("CUBICLE_RANDOM_SEED", 1), environment("CUBICLE_RANDOM_COUNT", 10_000));
    println!("refused: {}", refused(seed, count));
}
