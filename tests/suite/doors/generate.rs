//! Random models, small enough for brute force, with the constructs that the doors test: relations in init, names that are
//! declared twice, several properties, fairness, quantifiers.

use super::ast::{
    Assigned, Claim, Fair, Formula, Index, Init, Kind, Model, NIL, Op, Quantifier, Run, RunKind, TRUE,
    Target, Term, Transition, Update, Value, Var,
};
use super::instance::{Failures, Instance};
use crate::support::dice::Dice;

/// The place of a formula.
#[derive(Clone, Copy)]
struct Place {
    params: usize,
    /// Whether `A[G]` may stand here.
    pointers: bool,
    /// Whether `forall` and `exists` mean parameters too.
    plain: bool,
    universals: bool,
}

pub fn generate(seed: u64) -> Model {
    let mut dice = Dice::new(seed ^ 0xd005);
    let dice = &mut dice;
    let enums: Vec<usize> = (0..=usize::from(dice.chance(30))).map(|_| 2 + dice.below(2)).collect();
    let mut vars = Vec::new();
    for _ in 0..dice.below(3) {
        let kind = match dice.below(12) {
            0..6 => Kind::Enum(dice.below(enums.len())),
            6..9 => Kind::Bool,
            9 => Kind::Int,
            _ if seed.is_multiple_of(2) => Kind::Pointer,
            _ => Kind::Proc,
        };
        vars.push(Var { kind, arity: 0, constant: kind != Kind::Int && dice.chance(10) });
    }
    for _ in 0..[1, 1, 1, 2, 2, 0][dice.below(6)] {
        let kind = if dice.chance(85) { Kind::Enum(dice.below(enums.len())) } else { Kind::Bool };
        vars.push(Var { kind, arity: 1, constant: false });
    }
    if vars.is_empty() || dice.chance(12) {
        vars.push(Var { kind: Kind::Bool, arity: 2, constant: false });
    }
    let init = Init { params: 0, ways: vec![] };
    let mut model = Model {
        number_procs: dice.chance(10).then(|| 1 + dice.below(3)),
        enums,
        vars,
        init,
        invariants: Vec::new(),
        unsafes: Vec::new(),
        transitions: Vec::new(),
        fairness: Vec::new(),
        runs: Vec::new(),
    };
    initial(&mut model, dice);
    for number in 0..2 + dice.below(3) {
        let name = format!("s{number}");
        let drawn = (0..20).map(|_| transition(&model, name.clone(), dice));
        let drawn = drawn.into_iter().find(|it| is_possible(&model, it, seed));
        model.transitions.extend(drawn);
    }
    if dice.chance(35) && !model.transitions.is_empty() {
        let name = model.transitions[0].name.clone();
        let params = model.transitions[0].params;
        let mut twin = transition(&model, name, dice);
        if dice.chance(50) || twin.params != params {
            twin = model.transitions[0].clone();
            let place = Place { params, pointers: false, plain: true, universals: true };
            twin.guard = conjunction(&model, place, dice);
        }
        if is_possible(&model, &twin, seed) {
            model.transitions.push(twin);
        }
    }
    for _ in 0..=dice.below(2) {
        let claim = claim(&model, dice);
        model.unsafes.push(claim);
    }
    if dice.chance(12) {
        // `A && (A || B)` is `A`, and the documents do not say whether it mentions the variables of B.
        let mut claim = claim(&model, dice);
        if let Formula::And(parts) = &mut claim.body {
            parts.retain(|part| !matches!(part, Formula::Or(_)));
        }
        model.invariants.push(claim);
    }
    runs(&mut model, dice);
    model
}

fn constant(model: &Model, kind: Kind, dice: &mut Dice) -> Term {
    let values = match kind {
        Kind::Enum(number) => model.enums[number],
        Kind::Bool | Kind::Int => 2,
        Kind::Pointer => return Term::Const(kind, NIL),
        Kind::Proc => unreachable!("processes are parameters"),
    };
    Term::Const(kind, dice.below(values) as Value)
}

fn initial(model: &mut Model, dice: &mut Dice) {
    let matrix = model.vars.iter().any(|var| var.arity == 2);
    let array = model.vars.iter().any(|var| var.arity == 1);
    let params = if matrix { 2 } else { usize::from(array) };
    let mut way = Vec::new();
    for (number, var) in model.vars.iter().enumerate() {
        let index = (0..var.arity).map(Index::Bound).collect();
        let cell = Term::Cell(number, index);
        let before: Vec<usize> = (0..number)
            .filter(|&it| model.vars[it].kind == var.kind && model.vars[it].arity <= var.arity.min(1))
            .collect();
        let luck = dice.below(100);
        let literal = match var.kind {
            Kind::Int => Formula::Compare(Op::Eq, cell, constant(model, Kind::Int, dice)),
            Kind::Proc if luck < 40 && params > 0 => Formula::Compare(Op::Eq, cell, Term::Bound(0)),
            Kind::Proc => continue,
            Kind::Pointer if luck < 80 => Formula::Compare(Op::Eq, cell, constant(model, var.kind, dice)),
            _ if luck < 30 && !before.is_empty() => {
                let other = *dice.pick(&before);
                let index = (0..model.vars[other].arity).map(Index::Bound).collect();
                let op = if dice.chance(60) { Op::Eq } else { Op::Ne };
                Formula::Compare(op, cell, Term::Cell(other, index))
            }
            kind if luck < 84 => Formula::Compare(Op::Eq, cell, constant(model, kind, dice)),
            kind if luck < 92 => Formula::Compare(Op::Ne, cell, constant(model, kind, dice)),
            _ => continue,
        };
        way.push(literal);
    }
    let mut ways = vec![way];
    if dice.chance(25) && !ways[0].is_empty() {
        let mut other = ways[0].clone();
        for literal in &mut other {
            if let Formula::Compare(_, _, Term::Const(kind, value)) = literal
                && dice.chance(60)
            {
                let Term::Const(_, new) = constant(model, *kind, dice) else { continue };
                *value = new;
            }
        }
        ways.push(other);
    }
    model.init = Init { params, ways };
}

fn cell(model: &Model, var: usize, depth: usize, pointers: bool, dice: &mut Dice) -> Option<Term> {
    let globals: Vec<usize> = (0..model.vars.len())
        .filter(|&it| model.vars[it].kind.is_process() && model.vars[it].arity == 0)
        .collect();
    let index: Option<Vec<Index>> = (0..model.vars[var].arity)
        .map(|_| {
            if pointers && !globals.is_empty() && (depth == 0 || dice.chance(20)) {
                return Some(Index::Global(*dice.pick(&globals)));
            }
            (depth > 0).then(|| Index::Bound(dice.below(depth)))
        })
        .collect();
    Some(Term::Cell(var, index?))
}

/// A comparison below `depth` processes; the deepest one is preferred.
pub fn comparison(model: &Model, depth: usize, pointers: bool, dice: &mut Dice) -> Formula {
    for _ in 0..6 {
        let var = dice.below(model.vars.len());
        let kind = model.vars[var].kind;
        let Some(left) = cell(model, var, depth, pointers, dice) else { continue };
        let op = if dice.chance(70) { Op::Eq } else { Op::Ne };
        let other = dice.below(model.vars.len());
        if model.vars[other].kind == kind
            && other != var
            && dice.chance(40)
            && let Some(right) = cell(model, other, depth, pointers, dice)
        {
            return Formula::Compare(op, left, right);
        }
        match kind {
            Kind::Pointer if depth == 0 || dice.chance(50) => {
                return Formula::Compare(op, left, constant(model, kind, dice));
            }
            Kind::Proc if depth == 0 => {}
            Kind::Proc | Kind::Pointer => return Formula::Compare(op, left, Term::Bound(dice.below(depth))),
            Kind::Int => return Formula::Compare(Op::Le, left, constant(model, kind, dice)),
            Kind::Bool => return Formula::Compare(Op::Eq, left, constant(model, kind, dice)),
            Kind::Enum(_) => return Formula::Compare(op, left, constant(model, kind, dice)),
        }
    }
    TRUE
}

fn conjunction(model: &Model, place: Place, dice: &mut Dice) -> Formula {
    let mut parts = Vec::new();
    for _ in 0..=dice.below(2) {
        parts.push(comparison(model, place.params, place.pointers, dice));
    }
    if dice.chance(12) {
        let other = comparison(model, place.params, false, dice);
        let last = parts.pop().expect("there is one");
        parts.push(Formula::Or(vec![last, other]));
    } else if dice.chance(8) {
        parts.push(Formula::Not(Box::new(comparison(model, place.params, false, dice))));
    }
    if dice.chance(if place.universals { 35 } else { 15 }) {
        let universal = place.universals && dice.chance(80);
        let other = !place.plain || dice.chance(70);
        let mut body = comparison(model, place.params + 1, false, dice);
        if dice.chance(20) {
            body = Formula::Or(vec![body, comparison(model, place.params + 1, false, dice)]);
        }
        parts.push(Formula::Quantified(Quantifier { universal, other }, Box::new(body)));
    }
    Formula::And(parts)
}

fn claim(model: &Model, dice: &mut Dice) -> Claim {
    let params = [1, 1, 2, 2, 0][dice.below(5)];
    Claim {
        params,
        body: conjunction(model, Place { params, pointers: true, plain: false, universals: false }, dice),
    }
}

fn transition(model: &Model, name: String, dice: &mut Dice) -> Transition {
    let params = [1, 1, 1, 0, 2][dice.below(5)];
    let mut parts =
        vec![conjunction(model, Place { params, pointers: true, plain: true, universals: true }, dice)];
    let mut updates: Vec<Update> = Vec::new();
    for _ in 0..=dice.below(2) {
        let var = dice.below(model.vars.len());
        let Var { kind, arity, constant: fixed } = model.vars[var];
        if fixed || updates.iter().any(|update| update.var == var) || kind == Kind::Proc && params == 0 {
            continue;
        }
        let one = arity <= params && dice.chance(75);
        let target = match arity {
            0 => Target::Global,
            _ if one => Target::One((0..arity).map(|_| dice.below(params)).collect()),
            _ => Target::All,
        };
        let depth = if target == Target::All { params + arity } else { params };
        let value = if kind == Kind::Int {
            parts.push(Formula::Compare(Op::Le, Term::Cell(var, vec![]), Term::Const(Kind::Int, 1)));
            if dice.chance(60) { Term::Sum(var, Vec::new(), 1) } else { constant(model, kind, dice) }
        } else {
            value(model, kind, depth, dice)
        };
        let value =
            if !matches!(kind, Kind::Int | Kind::Pointer) && dice.chance(8) && target == Target::Global {
                Assigned::Any
            } else if target == Target::All || kind != Kind::Int && arity == 0 && dice.chance(12) {
                let mut branches = vec![(comparison(model, depth, false, dice), value)];
                if dice.chance(25) {
                    branches
                        .push((comparison(model, depth, false, dice), self::value(model, kind, depth, dice)));
                }
                let same = match target {
                    Target::All => Term::Cell(var, (params..depth).map(Index::Bound).collect()),
                    _ => self::value(model, kind, depth, dice),
                };
                Assigned::Case(branches, Some(same))
            } else {
                Assigned::Term(value)
            };
        updates.push(Update { var, target, value });
    }
    Transition { name, params, guard: Formula::And(parts), updates }
}

/// Whether the guard holds in some state, reachable or not: according to the documents a transition that can never be
/// taken still assigns its variables, while the product ignores it.
pub fn is_possible(model: &Model, transition: &Transition, seed: u64) -> bool {
    let instance = Instance::new(model, 3, Failures::None);
    let dice = &mut Dice::new(seed);
    (0..200).any(|_| {
        let state = instance.any_state(dice);
        instance.allows(transition, &state, &[0, 1, 2][..transition.params])
    })
}

/// Something to assign.
fn value(model: &Model, kind: Kind, depth: usize, dice: &mut Dice) -> Term {
    let same: Vec<usize> = (0..model.vars.len()).filter(|&it| model.vars[it].kind == kind).collect();
    if (kind == Kind::Proc || kind == Kind::Pointer && dice.chance(50)) && depth > 0 {
        return Term::Bound(dice.below(depth));
    }
    if (kind == Kind::Proc || dice.chance(25))
        && let Some(term) = cell(model, *dice.pick(&same), depth, false, dice)
    {
        return term;
    }
    constant(model, kind, dice)
}

fn runs(model: &mut Model, dice: &mut Dice) {
    let named: Vec<String> = model.transitions.iter().map(|t| t.name.clone()).collect();
    // The last transition often shares its name with another one.
    for _ in 0..if named.is_empty() { 0 } else { dice.below(4) } {
        let name = if dice.chance(40) { named[named.len() - 1].clone() } else { dice.pick(&named).clone() };
        let fair = Fair { strong: dice.chance(35), any: dice.chance(20), name };
        if !model.fairness.contains(&fair) {
            model.fairness.push(fair);
        }
    }
    for number in 0..dice.below(4) {
        let params = [1, 1, 1, 0, 2][dice.below(5)];
        let place = Place { params, pointers: false, plain: true, universals: true };
        let kind = match dice.below(8) {
            0..5 => RunKind::Response,
            5 => RunKind::Recurrence,
            6 => RunKind::Possible,
            _ => RunKind::Cover,
        };
        let (when, then) = (conjunction(model, place, dice), conjunction(model, place, dice));
        model.runs.push(Run { name: format!("r{number}"), kind, params, when, then });
    }
}
