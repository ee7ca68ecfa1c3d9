//! Refinements between random models with ranges, records, queues and pointers: a model, and one of which a transition or what variables begin
//! with differs, with other names, by a map of these and of the steps.

use std::collections::{BTreeSet, VecDeque};

use cubicle::forward::explore;
use cubicle::model::System;
use cubicle::refinement::RefinedModel;
use cubicle::refines::explain;
use cubicle::transform::refines::Refinement;
use cubicle::{BackwardMode, Interrupt, Silent, Stop, Verdict, check};

use super::generate::model;
use super::meaning::{Instance, Outcomes, Sizes};
use super::model::{Model, NAMES, Over, Term, Update, renamed, ways};
use super::{MOST_TRANSITIONS, instances, of_sizes};
use crate::doors::small_search;
use crate::support::dice::{Dice, environment};

/// For each concrete transition, the abstract ones that its steps may be, with their arguments the other way round or not; `None` is
/// no step at all.
type Steps = Vec<Vec<Option<(usize, bool)>>>;

/// Whether each step from a reachable state is one of the other model's; an error is one where that has an error of this name.
fn is_refined(
    (low, high): (&Model, &Model),
    map: &Steps,
    same_name: impl Fn(usize) -> bool,
    sizes: Sizes,
    limit: usize,
) -> Option<bool> {
    let [own, other] = [low, high].map(|model| Instance { model, sizes });
    let mut seen = BTreeSet::from([own.initial()]);
    let mut open = VecDeque::from([own.initial()]);
    let mut refines = own.initial() == other.initial();
    while let Some(state) = open.pop_front() {
        let possible: Vec<Outcomes> =
            high.transitions.iter().map(|it| other.steps_and_errors(&state, it)).collect();
        let named = |args: &[usize], turned: bool| {
            if turned { args.iter().rev().copied().collect() } else { args.to_vec() }
        };
        for (ours, may) in low.transitions.iter().zip(map) {
            let (next, errors) = own.steps_and_errors(&state, ours);
            for (args, error) in errors {
                let is = |(theirs, turned): &(usize, bool)| {
                    possible[*theirs].1.contains(&(named(&args, *turned), error))
                };
                refines &= same_name(error.0) && may.iter().flatten().any(is);
            }
            for (args, next) in next {
                let is = |it: &Option<(usize, bool)>| match it {
                    None => next == state,
                    Some((theirs, turned)) => {
                        possible[*theirs].0.contains(&(named(&args, *turned), next.clone()))
                    }
                };
                refines &= may.iter().any(is);
                if seen.insert(next.clone()) {
                    open.push_back(next);
                }
            }
        }
        if seen.len() > limit {
            return None;
        }
    }
    Some(refines)
}

/// What the abstract model calls a variable, if it has another name there.
fn other_name(model: &Model, name: &str) -> Option<String> {
    // A sort is named like the variable `Node`.
    let var = model.vars.iter().find(|it| it.name == name && it.name != "Node");
    var.filter(|it| it.queue.is_none()).map(|it| format!("X{}", it.name))
}

/// The statements of a map for the variables that have other names.
fn of_variables(model: &Model) -> String {
    let mut map = String::new();
    for var in &model.vars {
        let Some(other) = other_name(model, &var.name) else { continue };
        let here = |(at, over): (usize, &Over)| match over {
            Over::Process(_) => vec![NAMES[at].to_owned()],
            Over::Value(ty) => ty.values().map(|it| ty.text(it)).collect(),
        };
        let indices = ways(&var.index.iter().enumerate().map(here).collect::<Vec<_>>());
        for index in indices {
            let index = if index.is_empty() { String::new() } else { format!("[{}]", index.join(", ")) };
            for (field, _) in &var.fields {
                let dot = if field.is_empty() { "" } else { "." };
                map += &format!("{other}{index}{dot}{field} := {}{index}{dot}{field};\n", var.name);
            }
        }
    }
    map
}

/// A step by its name, with its arguments.
fn step(transition: usize, params: usize, turned: bool) -> String {
    let mut names = NAMES[..params].to_vec();
    if turned {
        names.reverse();
    }
    format!("t{transition}({})", names.join(" "))
}

/// Changes the models, and says which steps may be which.
fn varied(low: &mut Model, high: &mut Model, seed: u64, dice: &mut Dice) -> Steps {
    let at = dice.below(low.transitions.len());
    let params = low.transitions[at].params.clone();
    let alike: Vec<usize> =
        (0..low.transitions.len()).filter(|it| *it != at && low.transitions[*it].params == params).collect();
    let other = *dice.pick(&[&[at], &alike[..]].concat());
    match dice.below(8) {
        0 => {}
        1 => drop(high.transitions[at].guard.pop()),
        2 => drop(low.transitions[at].guard.pop()),
        3 => drop(high.transitions[at].updates.pop()),
        4 => high.transitions[at].guard.extend(low.transitions[other].guard.iter().cloned()),
        5 => high.transitions[at].updates = model(seed).transitions.swap_remove(other).updates,
        6 => {
            let start = dice.below(high.start.len());
            high.start[start] = dice.below(3) as i64;
        }
        _ => {
            for update in &mut low.transitions[at].updates {
                let Update::Assign(var, _, field, values) = update else { continue };
                let ty = high.vars[*var].fields[*field].1;
                values[0] = Term::Value(ty, *dice.pick(&ty.values().collect::<Vec<_>>()));
            }
        }
    }
    let mut map: Steps = (0..low.transitions.len()).map(|it| vec![Some((it, false))]).collect();
    if dice.chance(40) {
        let turned = matches!(params[..], [a, b] if a == b) && dice.chance(50);
        map[at] = vec![Some((other, turned))];
        map[at].extend(dice.chance(60).then_some(Some((at, false))));
        map[at].extend(dice.chance(40).then_some(None));
    }
    map
}

/// Whether what the map says of two models is right; whether it is a refinement.
fn refined(seed: u64) -> Result<Option<bool>, String> {
    let (mut low, mut high) = (model(seed), model(seed));
    let dice = &mut Dice::new(seed);
    let steps = varied(&mut low, &mut high, seed, dice);
    let mut map = String::new();
    for (at, may) in steps.iter().enumerate().filter(|(at, may)| **may != [Some((*at, false))]) {
        let params = low.transitions[at].params.len();
        let one = |it: &Option<(usize, bool)>| {
            it.map_or_else(|| "stutter".to_owned(), |(theirs, turned)| step(theirs, params, turned))
        };
        let may: Vec<String> = may.iter().map(one).collect();
        map += &format!("{} => {};\n", step(at, params, false), may.join(" | "));
    }
    let mut texts = [low.to_string(), high.to_string()];
    let renames = dice.chance(50);
    if renames {
        texts[1] = renamed(&texts[1], |it| other_name(&high, it));
        map += &of_variables(&low);
    }
    let shown = |what: &str| format!("seed {seed}: {what}\n{}\n{}\n{map}", texts[0], texts[1]);
    let [Ok(concrete), Ok(abstraction)] = [0, 1].map(|at: usize| cubicle::load(&texts[at])) else {
        return Ok(None);
    };
    let [a, b] = [&concrete, &abstraction].map(|it| RefinedModel { system: &it.system, file: &it.file });
    let refinement = match Refinement::new(a, b, &map) {
        Ok(it) => it,
        Err(refused) if refused.errors.iter().all(|it| it.code == "C0702") => return Ok(None),
        Err(refused) => return Err(shown(&format!("{:?}", refused.errors))),
    };
    let mut answer = None;
    let same_name = |var: usize| !renames || other_name(&high, &high.vars[var].name).is_none();
    for sizes in instances(&low, 2) {
        let Some(right) = is_refined((&low, &high), &steps, same_name, sizes, 500) else { break };
        let options = of_sizes(&low, sizes).max_states(4_000);
        let explored = |system: &System| {
            explore(system, sizes.iter().sum(), &options, &Interrupt::default(), &mut Silent).exploration
        };
        let [initially, found] = [&refinement.initially, &refinement.steps].map(explored);
        if let Some(run) = &found.unsafe_trace {
            explain(&refinement, &concrete.system, &abstraction.system, run)
                .map_err(|why| shown(&format!("no such run: {why}")))?;
        }
        let refines = found.unsafe_trace.is_none() && initially.unsafe_trace.is_none();
        if refines && found.stop != Stop::Complete {
            break;
        }
        if refines != right {
            return Err(shown(&format!("refines: {refines}, right: {right}, with {sizes:?}")));
        }
        answer = Some(answer.unwrap_or(true) && right);
    }
    if seed.is_multiple_of(4) && refinement.steps.transitions.len() <= MOST_TRANSITIONS {
        let proved = |system: &System| {
            let report = check(system, &small_search(BackwardMode::Auto), &Interrupt::default(), &mut Silent);
            let report = report.map_err(|why| shown(&format!("internal error {why}")))?;
            Ok::<bool, String>(matches!(report.verdict, Some(Verdict::Safe)))
        };
        if answer == Some(false) && proved(&refinement.initially)? && proved(&refinement.steps)? {
            return Err(shown("a proof that it refines, but it does not"));
        }
    }
    Ok(answer)
}

fn refinements(first: u64, count: u64) {
    let (mut holding, mut broken) = (0, 0);
    for seed in first..first + count {
        match refined(seed).unwrap_or_else(|why| panic!("{why}")) {
            Some(true) => holding += 1,
            Some(false) => broken += 1,
            None => {}
        }
    }
    assert!(holding * 25 > count && broken > 0, "{holding} refine and {broken} do not, of {count}");
}

#[test]
fn transitions_that_stand_for_several_are_refined() {
    refinements(environment("CUBICLE_DOORS_SEED", 12), environment("CUBICLE_DOORS_COUNT", 12));
}

#[test]
#[ignore = "takes long"]
fn campaign_of_refinements() {
    refinements(environment("CUBICLE_DOORS_SEED", 1_000), environment("CUBICLE_DOORS_COUNT", 3_000));
}
