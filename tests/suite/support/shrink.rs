//! Making a model smaller while it still shows what it is about.

use super::model::{Assigned, Model, Quantified, Transition, Update};

/// Drops parts of `model` as long as `fails` holds of what is left, at most `budget` times asked.
pub fn shrink(model: &Model, budget: usize, fails: &mut dyn FnMut(&Model) -> bool) -> Model {
    let mut best = model.clone();
    let mut asked = 0;
    'again: loop {
        for candidate in smaller(&best) {
            asked += 1;
            if asked > budget {
                return best;
            }
            if fails(&candidate) {
                best = candidate;
                continue 'again;
            }
        }
        return best;
    }
}

/// Every model that lacks one part of this one, the coarsest first.
fn smaller(model: &Model) -> Vec<Model> {
    let mut result = Vec::new();
    let mut with = |change: &dyn Fn(&mut Model)| {
        let mut changed = model.clone();
        change(&mut changed);
        result.push(changed);
    };
    for i in 0..model.transitions.len() {
        with(&|m| drop(m.transitions.remove(i)));
    }
    for i in 0..model.unsafes.len() {
        with(&|m| drop(m.unsafes.remove(i)));
    }
    for i in 0..model.invariants.len() {
        with(&|m| drop(m.invariants.remove(i)));
    }
    let text = model.to_string();
    for (i, var) in model.vars.iter().enumerate() {
        // Mentioned nowhere but in its declaration.
        if occurrences(&text, &var.name) == 1 {
            with(&|m| drop(m.vars.remove(i)));
        }
    }
    for i in 0..model.predicates.len() {
        if occurrences(&text, &model.predicates[i].0) == 1 {
            with(&|m| drop(m.predicates.remove(i)));
        }
    }
    for i in 0..model.enums.len() {
        with(&|m| drop(m.enums.remove(i)));
    }
    for i in 0..model.abstracts.len() {
        with(&|m| drop(m.abstracts.remove(i)));
    }
    if model.max_procs.is_some() {
        with(&|m| m.max_procs = None);
    }
    for (i, transition) in model.transitions.iter().enumerate() {
        for less in smaller_transition(transition) {
            with(&|m| m.transitions[i] = less.clone());
        }
    }
    for less in smaller_quantified(&model.init) {
        with(&|m| m.init = less.clone());
    }
    for (i, q) in model.unsafes.iter().enumerate() {
        for less in smaller_quantified(q) {
            with(&|m| m.unsafes[i] = less.clone());
        }
    }
    for (i, q) in model.invariants.iter().enumerate() {
        for less in smaller_quantified(q) {
            with(&|m| m.invariants[i] = less.clone());
        }
    }
    for (i, (_, constructors)) in model.enums.iter().enumerate() {
        for c in 0..constructors.len() {
            if constructors.len() > 1 && occurrences(&text, &constructors[c]) == 1 {
                with(&|m| drop(m.enums[i].1.remove(c)));
            }
        }
    }
    result
}

fn smaller_quantified(q: &Quantified) -> Vec<Quantified> {
    let mut result: Vec<_> =
        q.body.smaller().into_iter().map(|body| Quantified { params: q.params.clone(), body }).collect();
    for i in 0..q.params.len() {
        let mut less = q.clone();
        less.params.remove(i);
        result.push(less);
    }
    result
}

fn smaller_transition(t: &Transition) -> Vec<Transition> {
    let mut result = Vec::new();
    let mut with = |change: &dyn Fn(&mut Transition)| {
        let mut changed = t.clone();
        change(&mut changed);
        result.push(changed);
    };
    for i in 0..t.updates.len() {
        with(&|t| drop(t.updates.remove(i)));
    }
    for i in 0..t.lets.len() {
        with(&|t| drop(t.lets.remove(i)));
    }
    for less in t.guard.smaller() {
        with(&|t| t.guard = less.clone());
    }
    for i in 0..t.params.len() {
        with(&|t| drop(t.params.remove(i)));
    }
    for (i, update) in t.updates.iter().enumerate() {
        for less in smaller_update(update) {
            with(&|t| t.updates[i] = less.clone());
        }
    }
    result
}

fn smaller_update(update: &Update) -> Vec<Update> {
    let Assigned::Case(branches, default) = &update.value else { return Vec::new() };
    let mut values: Vec<Assigned> = Vec::new();
    if !update.target.contains('[') {
        values.extend(branches.iter().map(|(_, value)| Assigned::Term(value.clone())));
    }
    for i in 0..branches.len() {
        if branches.len() > 1 || default.is_some() {
            let mut rest = branches.clone();
            rest.remove(i);
            values.push(Assigned::Case(rest, default.clone()));
        }
        for less in branches[i].0.smaller() {
            let mut changed = branches.clone();
            changed[i].0 = less;
            values.push(Assigned::Case(changed, default.clone()));
        }
    }
    values.into_iter().map(|value| Update { target: update.target.clone(), value }).collect()
}

/// How often `name` stands in `text` as a whole word.
fn occurrences(text: &str, name: &str) -> usize {
    text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| *word == name).count()
}
