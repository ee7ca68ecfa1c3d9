//! Models that count processes: comparisons of counts and sums are added to a random model, and what instances do is compared
//! with brute force.

use cubicle::export;

use super::ast::{
    Assigned, Claim, Count, Formula, Index, Kind, Model, Op, TRUE, Target, Term, Transition, Update, Value,
    Var,
};
use super::generate::{comparison, generate, is_possible};
use super::instance::{Failures, mentioned};
use super::pointers::{pointing, waiting};
use super::states::explorations_agree;
use super::{Case, Checked, failures, load, runs};
use crate::support::dice::Dice;

/// A random model with counts.
pub fn counting(seed: u64) -> Model {
    let mut model = generate(seed);
    let dice = &mut Dice::new(seed ^ 0xc0c0);
    let add = |formula: &mut Formula, literal: Formula| {
        let parts = vec![std::mem::replace(formula, TRUE), literal];
        *formula = Formula::And(parts);
    };
    if dice.chance(40) {
        numbers(&mut model, dice);
    }
    if dice.chance(50) {
        counter(&mut model, dice);
    }
    match dice.below(20) {
        0..6 => pointing(&mut model, dice),
        6..10 => waiting(&mut model, dice),
        _ => {}
    }
    let snapshot = model.clone();
    for way in &mut model.init.ways {
        if dice.chance(20) {
            // A literal about parameters says nothing of no processes, and where a count is plainly 0 it is not about them.
            let params = snapshot.init.params;
            let body = comparison(&snapshot, params + 1, false, dice);
            let count = Term::Counts(vec![(1, Count { body, summand: None })], 0);
            let op = [Op::Eq, Op::Ne, Op::Le][dice.below(3)];
            way.push(Formula::Compare(op, count, Term::Const(Kind::Int, dice.below(4) as Value)));
        }
    }
    for claim in &mut model.unsafes {
        if dice.chance(60) {
            add(&mut claim.body, compared(&snapshot, claim.params, dice));
        }
    }
    for at in 0..model.transitions.len() {
        let mut t = model.transitions[at].clone();
        if dice.chance(60) {
            add(&mut t.guard, compared(&snapshot, t.params, dice));
        }
        if dice.chance(15) {
            let body = compared(&snapshot, t.params + 1, dice);
            let quantifier = super::ast::Quantifier { universal: dice.chance(70), other: true };
            add(&mut t.guard, Formula::Quantified(quantifier, Box::new(body)));
        }
        for update in &mut t.updates {
            update_with_counts(&snapshot, update, t.params, dice);
        }
        if is_possible(&snapshot, &t, seed) {
            model.transitions[at] = t;
        }
    }
    if dice.chance(15) {
        mentioning(&mut model, dice);
    }
    for run in &mut model.runs {
        if dice.chance(40) {
            add(&mut run.when, compared(&snapshot, run.params, dice));
        }
        if dice.chance(40) {
            run.then = compared(&snapshot, run.params, dice);
        }
    }
    model
}

/// Adds an `invariant` about the number of all processes, whose text mentions cells that do not matter. Seeds 3, 13 and 41 find that such a claim is taken
/// for an axiom.
fn mentioning(model: &mut Model, dice: &mut Dice) {
    let is_array = |var: &&usize| model.vars[**var].arity == 1 && !model.vars[**var].kind.is_process();
    let all: Vec<usize> = (0..model.vars.len()).collect();
    let arrays: Vec<usize> = all.iter().filter(is_array).copied().collect();
    if arrays.is_empty() {
        return;
    }
    let cell = |dice: &mut Dice| Term::Cell(*dice.pick(&arrays), vec![Index::Bound(0)]);
    let (own, again) = {
        let it = cell(dice);
        (it.clone(), it)
    };
    let body = Formula::Compare(Op::Eq, own, again);
    let count = Term::Counts(vec![(1, Count { body, summand: None })], 0);
    let op = [Op::Eq, Op::Ne, Op::Le][dice.below(3)];
    let number = Term::Const(Kind::Int, dice.below(4) as Value);
    let sides = if dice.chance(50) { (count, number) } else { (number, count) };
    model.invariants.push(Claim { params: 0, body: Formula::Compare(op, sides.0, sides.1) });
}

/// Adds a number that steps raise and lower beside what else they do, within bounds.
fn counter(model: &mut Model, dice: &mut Dice) {
    let number = model.vars.len();
    model.vars.push(Var { kind: Kind::Int, arity: 0, constant: false });
    let constant = |value: Value| Term::Const(Kind::Int, value);
    let cell = || Term::Cell(number, Vec::new());
    let first = dice.below(2) as Value;
    for way in &mut model.init.ways {
        way.push(Formula::Compare(Op::Eq, cell(), constant(first)));
    }
    for t in &mut model.transitions {
        let (limit, value) = match dice.below(6) {
            0 | 1 => (Some(Formula::Compare(Op::Le, cell(), constant(3))), Term::Sum(number, Vec::new(), 1)),
            2 | 3 => (Some(Formula::Compare(Op::Le, constant(0), cell())), Term::Sum(number, Vec::new(), -1)),
            4 => (None, constant(dice.below(3) as Value - 1)),
            _ => continue,
        };
        if let Some(limit) = limit {
            t.guard = Formula::And(vec![std::mem::replace(&mut t.guard, TRUE), limit]);
        }
        t.updates.push(Update { var: number, target: Target::Global, value: Assigned::Term(value) });
    }
}

/// Adds an array of numbers, and a step that changes a cell of it.
fn numbers(model: &mut Model, dice: &mut Dice) {
    let array = model.vars.len();
    model.vars.push(Var { kind: Kind::Int, arity: 1, constant: false });
    model.init.params = model.init.params.max(1);
    let first = Term::Const(Kind::Int, dice.below(2) as Value);
    for way in &mut model.init.ways {
        way.push(Formula::Compare(Op::Eq, Term::Cell(array, vec![Index::Bound(0)]), first.clone()));
    }
    let value = Term::Const(Kind::Int, dice.below(4) as Value - 1);
    let guard = comparison(model, 1, false, dice);
    let update = if dice.chance(80) {
        Update { var: array, target: Target::One(vec![0]), value: Assigned::Term(value) }
    } else {
        let same = Term::Cell(array, vec![Index::Bound(1)]);
        let branches = vec![(comparison(model, 2, false, dice), value)];
        Update { var: array, target: Target::All, value: Assigned::Case(branches, Some(same)) }
    };
    model.transitions.push(Transition { name: "number".to_owned(), params: 1, guard, updates: vec![update] });
}

fn update_with_counts(model: &Model, update: &mut Update, params: usize, dice: &mut Dice) {
    let Var { kind, arity, .. } = model.vars[update.var];
    let depth = params + if update.target == Target::All { arity } else { 0 };
    match &mut update.value {
        Assigned::Term(term) if kind == Kind::Int && dice.chance(if arity == 0 { 50 } else { 15 }) => {
            let mut count = count(model, depth, dice);
            // A number that gets a sum of such numbers could grow.
            let grows = |term: &Term| matches!(term, Term::Cell(_, index) if arity > 0 || index.is_empty());
            count.summand = count.summand.filter(|term| !grows(term));
            *term = Term::Counts(vec![(1, count)], 1 - dice.below(3) as Value);
        }
        Assigned::Case(branches, _) => {
            for (when, _) in branches {
                if dice.chance(40) {
                    *when = compared(model, depth, dice);
                }
            }
        }
        _ => {}
    }
}

/// A comparison of counts below `depth` processes.
fn compared(model: &Model, depth: usize, dice: &mut Dice) -> Formula {
    let op = [Op::Eq, Op::Ne, Op::Le][dice.below(3)];
    let factor = [1, 1, 2][dice.below(3)];
    let left = Term::Counts(vec![(factor, count(model, depth, dice))], 0);
    let globals: Vec<usize> = (0..model.vars.len())
        .filter(|&it| model.vars[it].kind == Kind::Int && model.vars[it].arity == 0)
        .collect();
    let right = match dice.below(6) {
        0 => Term::Counts(vec![(1, count(model, depth, dice))], 1 - dice.below(3) as Value),
        1 => Term::Counts(vec![(1, Count { body: TRUE, summand: None })], -(dice.below(2) as Value)),
        2 if !globals.is_empty() => Term::Cell(*dice.pick(&globals), Vec::new()),
        _ => Term::Const(Kind::Int, dice.below(4) as Value),
    };
    if dice.chance(30) { Formula::Compare(op, right, left) } else { Formula::Compare(op, left, right) }
}

fn count(model: &Model, depth: usize, dice: &mut Dice) -> Count {
    let mut body = comparison(model, depth + 1, false, dice);
    if dice.chance(50) {
        let other = if depth > 0 && dice.chance(60) {
            let op = [Op::Ne, Op::Eq, Op::Ne, Op::Le][dice.below(4)];
            let (own, other) = (Term::Bound(depth), Term::Bound(dice.below(depth)));
            if dice.chance(20) { Formula::Compare(op, other, own) } else { Formula::Compare(op, own, other) }
        } else {
            comparison(model, depth + 1, false, dice)
        };
        let both = vec![body, other];
        body = if dice.chance(70) { Formula::And(both) } else { Formula::Or(both) };
    }
    let numeric: Vec<usize> = (0..model.vars.len()).filter(|&it| model.vars[it].kind == Kind::Int).collect();
    let summand = (!numeric.is_empty() && dice.chance(40)).then(|| {
        let var = *dice.pick(&numeric);
        let index = (0..model.vars[var].arity).map(|_| Index::Bound(depth)).collect();
        Box::new(Term::Cell(var, index))
    });
    if summand.is_some() && dice.chance(40) {
        body = TRUE;
    }
    Count { body, summand }
}

/// Instances have the right states, whatever fails.
pub fn instances(case: &Case<'_>) -> Checked {
    let system = case.system()?;
    // Each is about the cells of all processes.
    let counts = |formula: &Formula| {
        let Formula::Compare(_, left, right) = formula else { return false };
        [left, right].into_iter().any(|term| {
            let mut vars = Vec::new();
            mentioned(&Formula::Compare(Op::Eq, term.clone(), Term::Const(Kind::Int, 0)), &mut vars);
            matches!(term, Term::Counts(..)) && vars.iter().any(|var| case.model.assigns(*var))
        })
    };
    let mut compared = explorations_agree(case, &system, Failures::None)?;
    for failures in [Failures::Stop(1), Failures::Stop(usize::MAX), Failures::Restart] {
        let Some(system) = failures::failing(&system, failures) else {
            continue;
        };
        if failures == Failures::Restart && case.model.init.ways.iter().flatten().any(counts) {
            // The literal always holds, or the way is part of another one: otherwise it is refused.
            continue;
        }
        let text = load(&export::model(&system))?;
        compared |= explorations_agree(case, &text, failures)?;
    }
    Ok(compared)
}

/// Properties of runs of instances.
pub fn properties(case: &Case<'_>) -> Checked {
    runs::instances(case)
}
