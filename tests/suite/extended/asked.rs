//! What `witness` and `inductive` say of random models with ranges, records, queues and pointers: the shortest run that takes a transition or
//! shows a state, and steps into what a model claims never to be.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use cubicle::inductive::{Induction, InductionOptions, claims};
use cubicle::load::ModelSource;
use cubicle::witness::{WitnessAnswer, WitnessGoal, WitnessOptions, find};
use cubicle::{CHECKER, Interrupt};

use super::formulas::conditions;
use super::generate::with_runs;
use super::meaning::{Instance, Sizes, found_in, holding, of_sort, tuples};
use super::model::{Model, Over, Property, State, Ty, Var, is_of_sort, ways};
use super::{MOST_TRANSITIONS, instances, read};
use crate::doors::Failures;
use crate::support::dice::{Dice, compared, environment};

/// Most states of an instance.
const MOST_STATES: usize = 800;

/// How many steps the shortest run has without a bad state that takes a transition, or at whose end something holds; `None` where there are
/// too many states, `Some(None)` where there is no such run.
fn nearest(
    instance: &Instance<'_>,
    transition: Option<usize>,
    holds: &dyn Fn(&State) -> bool,
) -> Option<Option<usize>> {
    let first = instance.initial();
    if instance.is_bad(&first) {
        return Some(None);
    }
    let (mut found, mut known) = (vec![first.clone()], BTreeMap::from([(first, 0)]));
    let mut at = 0;
    while let Some(state) = found.get(at).cloned() {
        let depth = known[&state];
        if transition.is_none() && holds(&state) {
            return Some(Some(depth));
        }
        for (number, of) in instance.model.transitions.iter().enumerate() {
            for (_, next) in instance.steps(&state, of).0 {
                if instance.is_bad(&next) {
                    continue;
                }
                if transition == Some(number) {
                    return Some(Some(depth + 1));
                }
                known.entry(next.clone()).or_insert_with(|| {
                    found.push(next);
                    depth + 1
                });
            }
        }
        at += 1;
        if found.len() > MOST_STATES {
            return None;
        }
    }
    Some(None)
}

/// All states of the types of the variables, as far as steps change these: the others hold what they begin with. Where some states are known, only
/// of values and lengths that occur in them: no step gives a variable what none of its assignments has.
fn all_states(instance: &Instance<'_>, known: Option<&BTreeSet<State>>) -> Option<Vec<State>> {
    let model = instance.model;
    let initial = instance.initial();
    let mut states = vec![initial.clone()];
    for (at, var) in model.vars.iter().enumerate() {
        // To the product each value of an index is a variable of its own.
        let updates = || model.transitions.iter().flat_map(|it| &it.updates);
        let is_changed = (0..var.fields.len()).any(|field| updates().any(|it| it.assigns(at, field)));
        if !is_changed || var.index.iter().any(|it| matches!(it, Over::Value(_))) {
            continue;
        }
        let values = |ty: Ty| -> Vec<i64> {
            match ty {
                Ty::Pointer(sort) => {
                    ty.values().chain(of_sort(instance.sizes, sort).map(|it| it as i64)).collect()
                }
                _ => ty.values().collect(),
            }
        };
        let of_field = |(field, (_, ty)): (usize, &(&str, Ty))| {
            let is_assigned = updates().any(|it| it.assigns(at, field));
            let kept = || vec![initial[at].first().map_or(0, |cell| cell[0][field])];
            let occurs = |value: &i64| {
                let holds = |it: &State| it[at].iter().flatten().any(|it| it[field] == *value);
                known.is_none_or(|it| it.iter().any(holds))
            };
            if is_assigned { values(*ty).into_iter().filter(occurs).collect() } else { kept() }
        };
        let messages = ways(&var.fields.iter().enumerate().map(of_field).collect::<Vec<_>>());
        let cells: Vec<Vec<Vec<i64>>> = match var.queue {
            None => messages.into_iter().map(|it| vec![it]).collect(),
            Some(queue) => (0..=queue.capacity)
                .filter(|length| {
                    let holds = |it: &State| it[at].iter().any(|it| it.len() == *length);
                    known.is_none_or(|it| it.iter().any(holds))
                })
                .flat_map(|it| ways(&vec![messages.clone(); it]))
                .collect(),
        };
        for place in 0..initial[at].len() {
            if states.len() * cells.len() > 20_000 {
                return None;
            }
            let with = |state: &State| {
                let of = |cell: &Vec<Vec<i64>>| {
                    let mut state = state.clone();
                    state[at][place].clone_from(cell);
                    state
                };
                cells.iter().map(of).collect::<Vec<_>>()
            };
            states = states.iter().flat_map(with).collect();
        }
    }
    Some(states)
}

/// Whether a step leads from a state that is not bad into a bad one, or is an error.
fn is_entered(instance: &Instance<'_>, known: Option<&BTreeSet<State>>) -> Option<bool> {
    let enters = |state: &State| {
        let of = |it: &_| {
            let (next, error) = instance.steps(state, it);
            error || next.iter().any(|(_, next)| instance.is_bad(next))
        };
        !instance.is_bad(state) && instance.model.transitions.iter().any(of)
    };
    Some(all_states(instance, known)?.iter().any(enters))
}

/// How many answers were compared; what is wrong.
fn examine(seed: u64) -> Result<usize, String> {
    let model = with_runs(seed, false);
    let text = model.to_string();
    let Some(loaded) = read(seed, &text)? else { return Ok(0) };
    let system = loaded.system;
    if system.transitions.len() > MOST_TRANSITIONS {
        return Ok(0);
    }
    let source = ModelSource::new(&system, &text);
    let mut compared = inductive(&model, source).map_err(|why| format!("seed {seed}: {why}\n{text}"))?;
    let dice = &mut Dice::new(seed ^ 0xa5);
    for _ in 0..3 {
        compared += witness(&model, source, dice).map_err(|why| format!("seed {seed}: {why}\n{text}"))?;
    }
    Ok(compared)
}

fn witness(model: &Model, source: ModelSource<'_>, dice: &mut Dice) -> Result<usize, String> {
    let number = dice.below(model.properties.len());
    let Property { params, first, .. } = &model.properties[number];
    let transition = dice.chance(50).then(|| dice.below(model.transitions.len()));
    let procs = 1 + dice.below(3);
    let goal = if let Some(it) = transition {
        WitnessGoal::Transition(format!("t{it}"))
    } else {
        let sorts = params.iter().enumerate().filter(|_| model.sorted);
        let sorts = sorts.map(|(at, sort)| format!("{} && ", is_of_sort(model, at, *sort)));
        let said = sorts.collect::<String>() + &conditions(source.text, number)[0];
        // It is about the processes that it names.
        if !(1..=params.len()).all(|it| said.contains(&format!("#{it}"))) {
            return Ok(0);
        }
        WitnessGoal::Cube(said)
    };
    let right = |sizes: Sizes| {
        let instance = Instance { model, sizes };
        let holds = |state: &State| {
            let states = std::slice::from_ref(state);
            tuples(sizes, params).iter().any(|args| holding(&instance, states, first, args)[0])
        };
        nearest(&instance, transition, &holds)
    };
    let all: Option<Vec<(Sizes, Option<usize>)>> =
        instances(model, 3).into_iter().map(|it| Some((it, right(it)?))).collect();
    let Some(all) = all else { return Ok(0) };
    let of_size = all.iter().filter(|it| it.0.iter().sum::<usize>() == procs);
    let shortest = of_size.filter_map(|it| it.1).min();
    let options = WitnessOptions {
        checker: CHECKER,
        procs: Some(procs),
        max_states: 20_000,
        rounds: 1,
        shortest: true,
        jobs: 1,
    };
    let answer =
        find(source, &goal, &options, &Interrupt::default()).map_err(|why| format!("{goal:?}: {why}"))?;
    let is_right = match &answer {
        WitnessAnswer::Run(it) if it.run.initial.procs == procs => Some(it.run.steps.len()) == shortest,
        // With sorts, an instance may have too many states for the search that is told to take it.
        WitnessAnswer::Run(it) => {
            let there = |of: &(Sizes, Option<usize>)| of.0.iter().sum::<usize>() == it.run.initial.procs;
            let is_known = it.run.initial.procs <= 3;
            (shortest.is_none() || model.sorted)
                && (!is_known || all.iter().any(|of| there(of) && of.1.is_some()))
        }
        WitnessAnswer::Never => all.iter().all(|it| it.1.is_none()),
        WitnessAnswer::NotFound { complete, .. } => shortest.is_none() || !complete && model.sorted,
    };
    if is_right {
        return Ok(1);
    }
    Err(format!("{goal:?} with {procs} processes: {answer:?}, right: {shortest:?} in {all:?}"))
}

fn inductive(model: &Model, source: ModelSource<'_>) -> Result<usize, String> {
    let options = InductionOptions {
        checker: CHECKER,
        procs: 2,
        max_states: 5_000,
        rounds: 0,
        timeout: Duration::from_secs(10),
    };
    let found = claims(source, &options, &Interrupt::default(), &|_| {});
    // What never holds is no claim.
    let Some(all) = found.last() else { return Ok(0) };
    // Of pointers and of queues the product allows more: values that are not processes, messages behind the last one.
    let is_value = |it: &Over| matches!(it, Over::Value(_));
    let is_plain = |it: &Var| it.queue.is_none() && !it.index.iter().any(is_value);
    let is_plain = model.pointers.is_none() && model.vars.iter().all(is_plain);
    let mut compared = 0;
    for sizes in instances(model, 2) {
        let instance = Instance { model, sizes };
        let procs: usize = sizes.iter().sum();
        let Some((reached, states)) = found_in(&instance, Failures::None, 2_000) else { continue };
        let known = Some(&states).filter(|_| matches!(all.induction, Induction::Inductive));
        let Some(entered) = is_entered(&instance, known) else { continue };
        let initially = instance.is_bad(&instance.initial());
        let reached = reached.bad || reached.error;
        let wrong = match &all.induction {
            Induction::Inductive => entered || initially,
            Induction::Step(step) => {
                let own = is_plain && !model.sorted && step.step.initial.procs == procs;
                own && !entered
            }
            Induction::Initially | Induction::Open(_) => false,
        };
        let wrong = wrong || reached && (all.holds || all.without.contains(&procs));
        if wrong {
            return Err(format!(
                "{sizes:?}: {all:?}, right: entered {entered}, initially {initially}, reached {reached}"
            ));
        }
        compared += 1;
    }
    Ok(compared)
}

fn campaign(start: u64, count: u64) {
    let compared = compared(start, count, examine);
    assert!(compared > count, "only {compared} answers about {count} models were compared");
}

#[test]
fn witnesses_are_shortest_and_steps_into_claims_are_those_of_the_book() {
    campaign(environment("CUBICLE_DOORS_SEED", 0), environment("CUBICLE_DOORS_COUNT", 8));
}

#[test]
#[ignore = "takes long"]
fn campaign_of_witnesses_and_induction() {
    campaign(environment("CUBICLE_DOORS_SEED", 1_000), environment("CUBICLE_DOORS_COUNT", 1_000));
}
