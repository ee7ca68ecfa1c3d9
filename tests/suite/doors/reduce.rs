//! Reduces a model that shows a disagreement: parts are left out as long as it still does.

use super::ast::{Assigned, Formula, Model, TRUE};

/// Leaves out all parts that can be left out.
pub fn reduce(model: &Model, fails: &dyn Fn(&Model) -> bool) -> Model {
    let mut best = model.clone();
    loop {
        let smaller = (smaller(&best).into_iter())
            .find(|it| it.numbers_are_given() && !it.init.ways.is_empty() && fails(it));
        match smaller {
            Some(smaller) => best = smaller,
            None => return best,
        }
    }
}

fn without<T: Clone>(list: &[T]) -> Vec<Vec<T>> {
    let rest = |left_out: usize| list.iter().enumerate().filter(move |(at, _)| *at != left_out);
    (0..list.len()).map(|left_out| rest(left_out).map(|(_, it)| it.clone()).collect()).collect()
}

fn smaller(model: &Model) -> Vec<Model> {
    let mut all = Vec::new();
    let mut with = |change: &dyn Fn(&mut Model)| {
        let mut changed = model.clone();
        change(&mut changed);
        all.push(changed);
    };
    for it in &without(&model.transitions) {
        with(&|m| m.transitions.clone_from(it));
    }
    for it in &without(&model.runs) {
        with(&|m| m.runs.clone_from(it));
    }
    for it in &without(&model.fairness) {
        with(&|m| m.fairness.clone_from(it));
    }
    for it in &without(&model.unsafes) {
        with(&|m| m.unsafes.clone_from(it));
    }
    for it in &without(&model.invariants) {
        with(&|m| m.invariants.clone_from(it));
    }
    for it in &without(&model.init.ways) {
        with(&|m| m.init.ways.clone_from(it));
    }
    if model.number_procs.is_some() {
        with(&|m| m.number_procs = None);
    }
    for (at, way) in model.init.ways.iter().enumerate() {
        for it in &without(way) {
            with(&|m| m.init.ways[at].clone_from(it));
        }
    }
    for (at, t) in model.transitions.iter().enumerate() {
        for it in &without(&t.updates) {
            with(&|m| m.transitions[at].updates.clone_from(it));
        }
        for it in &formulas(&t.guard) {
            with(&|m| m.transitions[at].guard = it.clone());
        }
        for (update, it) in t.updates.iter().enumerate() {
            if let Assigned::Case(branches, rest) = &it.value {
                let shorter = without(branches).into_iter().filter(|it| !it.is_empty());
                shorter.for_each(|it| {
                    with(&|m| {
                        m.transitions[at].updates[update].value = Assigned::Case(it.clone(), rest.clone());
                    });
                });
            }
        }
    }
    for (at, claim) in model.unsafes.iter().enumerate() {
        for it in &formulas(&claim.body) {
            with(&|m| m.unsafes[at].body = it.clone());
        }
    }
    for (at, run) in model.runs.iter().enumerate() {
        for it in &formulas(&run.when) {
            with(&|m| m.runs[at].when = it.clone());
        }
        for it in &formulas(&run.then) {
            with(&|m| m.runs[at].then = it.clone());
        }
    }
    all
}

/// A formula with one part less.
fn formulas(formula: &Formula) -> Vec<Formula> {
    let within = |parts: &[Formula], make: fn(Vec<Formula>) -> Formula| {
        let mut all: Vec<Formula> = without(parts).into_iter().map(make).collect();
        for (at, part) in parts.iter().enumerate() {
            all.extend(formulas(part).into_iter().map(|changed| {
                let mut parts = parts.to_vec();
                parts[at] = changed;
                make(parts)
            }));
        }
        all
    };
    match formula {
        Formula::And(parts) => within(parts, Formula::And),
        Formula::Or(parts) if parts.len() > 1 => within(parts, Formula::Or),
        Formula::Or(_) => vec![TRUE],
        Formula::Quantified(quantifier, body) => formulas(body)
            .into_iter()
            .map(|body| Formula::Quantified(*quantifier, Box::new(body)))
            .chain([TRUE])
            .collect(),
        Formula::Compare(..) | Formula::Not(_) => Vec::new(),
    }
}
