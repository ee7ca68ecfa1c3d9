//! Formulas of linear temporal logic about random models with ranges, records, queues and pointers: about states, and about steps.

use cubicle::Interrupt;
use cubicle::forward::{RunAnswer, check_runs};
use cubicle::load::{ModelSource, ltl};
use cubicle::model::System;

use super::generate::with_runs;
use super::meaning::{Instance, demands, graph, holding, tuples};
use super::model::{Model, NAMES, Property, is_of_sort, renamed};
use super::{instances, of_sizes, read};
use crate::doors::{Failures, failing};
use crate::support::dice::{Dice, compared, environment};
use crate::support::fair::{CRASH, Demand, Label, SHAPES, Shape, Steps, not};

/// Most states of an instance: the graph is searched naively.
const MOST_STATES: usize = 120;

/// What is said of a step, with `$` for it and `{ a }` for a condition.
const OF_STEPS: [&str; 6] = [
    "G F taken$",
    "F G ! taken$",
    "G (enabled$ => F taken$)",
    "G (taken$ => X { a })",
    "G (taken$ => { a })",
    "G ({ a } => enabled$)",
];

/// The number of the step that stays in a state for ever.
const STAYS: usize = CRASH - 1;

/// The same steps where each state says whether a step of these led to it: `2 * state`, and one more if so.
fn split(steps: &Steps, is_such: impl Fn(&Label) -> bool) -> Steps {
    let from = |at: usize| {
        let of = |(label, to): &(Label, usize)| (label.clone(), 2 * to + usize::from(is_such(label)));
        let ends = steps.0[at].iter().all(|it| it.0.0 == CRASH);
        let stays = ends.then(|| ((STAYS, Vec::new()), 2 * at));
        steps.0[at].iter().map(of).chain(stays).collect::<Vec<_>>()
    };
    Steps((0..2 * steps.0.len()).map(|at| from(at / 2)).collect())
}

/// Whether a fair run breaks what is said of these steps, where the condition holds in these states.
fn breaks(
    steps: &Steps,
    said: usize,
    is_such: &dyn Fn(&Label) -> bool,
    a: &[bool],
    demands: &[Demand],
) -> bool {
    let doubled = split(steps, is_such);
    let taken: Vec<bool> = (0..doubled.0.len()).map(|at| at % 2 == 1).collect();
    let is_enabled = |at: usize| steps.0[at].iter().any(|(label, _)| is_such(label));
    let every = |holds: &dyn Fn(usize, usize) -> bool| {
        let mut all = steps.0.iter().enumerate().flat_map(|(at, next)| next.iter().map(move |it| (at, it)));
        all.all(|(at, (label, to))| !is_such(label) || holds(at, *to))
    };
    match said {
        0 => doubled.stays(&vec![true; taken.len()], &not(&taken), demands),
        1 => doubled.breaks(Shape::FromSomeTimeOn, 1, [&not(&taken), &taken], demands),
        2 => {
            let mut after = vec![false; taken.len()];
            for at in (0..steps.0.len()).filter(|at| is_enabled(*at)) {
                doubled.next(2 * at).into_iter().filter(|to| !taken[*to]).for_each(|to| after[to] = true);
            }
            doubled.stays(&after, &not(&taken), demands)
        }
        3 => !every(&|_, to| a[to]),
        4 => !every(&|at, _| a[at]),
        _ => (0..a.len()).any(|at| a[at] && !is_enabled(at)),
    }
}

/// The formulas of a property as the model has them, about `#1`, `#2`, ..
pub fn conditions(text: &str, property: usize) -> [String; 2] {
    let name = format!(" r{property} (");
    let line = text.lines().find(|it| it.contains(&name)).expect("a line for each property");
    let about = |it: &str| {
        let said = it.trim().trim_start_matches('{').trim_end_matches('}').trim();
        let number = |it: &str| NAMES.iter().position(|name| *name == it);
        renamed(said, |it| Some(format!("#{}", number(it)? + 1)))
    };
    let said = line.split_once(") ").expect("parameters").1;
    let (first, then) = said.split_once("~>").unwrap_or((said, said));
    [about(first), about(then)]
}

/// Whether the product says that a run breaks a formula.
fn is_broken(
    system: &System,
    text: &str,
    said: &str,
    model: &Model,
    sizes: [usize; 2],
    symmetry: bool,
) -> Result<bool, String> {
    let (system, property) =
        ltl(ModelSource::new(system, text), said, None).map_err(|why| format!("{said}: {why:?}"))?;
    let system = system.edited(|parts| parts.temporal = vec![property]);
    let options = of_sizes(model, sizes).symmetry(symmetry);
    match check_runs(&system, sizes.iter().sum(), &options, &Interrupt::default()).answers.as_slice() {
        [RunAnswer::Holds] => Ok(false),
        [RunAnswer::Lasso(..) | RunAnswer::DeadEnd(..)] => Ok(true),
        other => Err(format!("{said}: {other:?}")),
    }
}

/// How many answers were compared; what is wrong.
fn examine(seed: u64) -> Result<usize, String> {
    let model = with_runs(seed, false);
    let text = model.to_string();
    let failures = if seed.is_multiple_of(3) { Failures::of(seed) } else { Failures::None };
    let Some(loaded) = read(seed, &text)? else { return Ok(0) };
    let Some(system) = failing(&loaded.system, failures) else { return Ok(0) };
    let dice = &mut Dice::new(seed ^ 0x171);
    let mut compared = 0;
    for sizes in instances(&model, 3) {
        let instance = Instance { model: &model, sizes };
        let Some((states, steps)) = graph(&instance, failures, MOST_STATES) else { continue };
        let demands = demands(&model, &steps);
        for (number, property) in model.properties.iter().enumerate() {
            let Property { params, first, then, .. } = property;
            let [a, b] = conditions(&text, number);
            let then = if b == a { first } else { then };
            let of = |said: &[_], args: &[usize]| holding(&instance, &states, said, &args[..params.len()]);
            // A step by itself has processes that the condition may name, or it stands for any.
            let step = dice.below(model.transitions.len());
            let own = &model.transitions[step].params;
            let longer = if own.len() > params.len() { own } else { params };
            let exact = dice.chance(70) && longer.starts_with(own) && longer.starts_with(params);
            let longer = if exact { longer } else { params };
            if sizes.iter().sum::<usize>() < longer.len() {
                continue;
            }
            let args = (1..=own.len()).filter(|_| exact).map(|it| format!(", #{it}")).collect::<String>();
            let (of_steps, at) = (dice.chance(50), dice.below(OF_STEPS.len()));
            let shape = SHAPES[at];
            let said = if of_steps {
                OF_STEPS[at].replace('$', &format!("(t{step}{args})")).replace("{ a }", &format!("{{ {a} }}"))
            } else {
                shape.said(&a, &b)
            };
            let with_sorts = |said: String| {
                if !model.sorted {
                    return said;
                }
                let of = |(at, sort): (usize, &usize)| format!("{{ {} }}", is_of_sort(&model, at, *sort));
                let sorts: Vec<String> = longer.iter().enumerate().map(of).collect();
                format!("{} => ({said})", sorts.join(" && "))
            };
            let said = with_sorts(said);
            let right = tuples(sizes, longer).iter().any(|tuple| {
                let (a, b) = (of(first, tuple), of(then, tuple));
                if !of_steps {
                    return steps.breaks(shape, 1, [&a, &b], &demands);
                }
                let is_such = |label: &Label| label.0 == step && (!exact || label.1 == tuple[..own.len()]);
                breaks(&steps, at, &is_such, &a, &demands)
            });
            let answer = is_broken(&system, &text, &said, &model, sizes, dice.chance(50));
            if answer != Ok(right) {
                return Err(format!(
                    "seed {seed}, {sizes:?}, {failures:?}: {said}: {answer:?}, right is {right}\n{text}"
                ));
            }
            compared += 1;
        }
    }
    Ok(compared)
}

fn campaign(first: u64, count: u64) {
    let compared = compared(first, count, examine);
    assert!(compared > count, "only {compared} answers for {count} models were compared");
}

#[test]
fn formulas_about_runs_with_ranges_records_and_queues_mean_what_the_book_says() {
    campaign(environment("CUBICLE_DOORS_SEED", 0), environment("CUBICLE_DOORS_COUNT", 24));
}

#[test]
#[ignore = "takes long"]
fn campaign_of_formulas_about_runs() {
    campaign(environment("CUBICLE_DOORS_SEED", 1_000), environment("CUBICLE_DOORS_COUNT", 2_000));
}
