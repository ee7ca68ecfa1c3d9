//! What `lint` says makes no difference in random models with ranges, records, queues and pointers makes none in small instances.

use std::collections::{BTreeMap, BTreeSet};

use cubicle::forward::explore;
use cubicle::lint::{LintOptions, LintedModel, deep};
use cubicle::model::System;
use cubicle::{CHECKER, Interrupt, Silent, Stop};

use super::generate::model;
use super::meaning::{Instance, found_in};
use super::model::{Model, State};
use super::{instances, of_sizes, read};
use crate::doors::Failures;
use crate::support::dice::{compared, environment};

/// Most transitions of a system whose parts are examined.
const MOST_TRANSITIONS: usize = 30;

/// The instances that are small enough, with their states.
fn small(model: &Model) -> Vec<(Instance<'_>, BTreeSet<State>)> {
    let of = |sizes| {
        let instance = Instance { model, sizes };
        let (_, states) = found_in(&instance, Failures::None, 800)?;
        Some((instance, states))
    };
    instances(model, 3).into_iter().filter_map(of).collect()
}

/// Whether some process takes a step of this transition first, and another step afterwards.
fn acts_again(instance: &Instance<'_>, transition: usize) -> bool {
    (0..instance.sizes.iter().sum()).any(|process| {
        let mut seen = BTreeSet::from([(instance.initial(), false)]);
        let mut open = vec![(instance.initial(), false)];
        while let Some((state, begun)) = open.pop() {
            for (number, of) in instance.model.transitions.iter().enumerate() {
                for (args, next) in instance.steps(&state, of).0 {
                    let acts = args.contains(&process);
                    if acts && begun {
                        return true;
                    }
                    if !acts || number == transition {
                        let next = (next, begun || acts);
                        if seen.insert(next.clone()) {
                            open.push(next);
                        }
                    }
                }
            }
        }
        false
    })
}

/// The number of states in each instance that is small enough.
fn states(model: &Model, system: &System) -> BTreeMap<[usize; 2], usize> {
    let of = |sizes: [usize; 2]| {
        let options = of_sizes(model, sizes).symmetry(false).undefined_cells(false).stop_at_unsafe(false);
        let options = options.max_states(3_000);
        let found =
            explore(system, sizes.iter().sum(), &options, &Interrupt::default(), &mut Silent).exploration;
        (found.stop == Stop::Complete).then_some((sizes, found.states))
    };
    instances(model, 3).into_iter().filter_map(of).collect()
}

/// How many findings were compared; what is wrong.
fn examine(seed: u64) -> Result<usize, String> {
    let model = model(seed);
    let text = model.to_string();
    let Some(loaded) = read(seed, &text)? else { return Ok(0) };
    if loaded.system.transitions.len() > MOST_TRANSITIONS {
        return Ok(0);
    }
    let linted =
        LintedModel { file: &loaded.file, text: &text, system: &loaded.system, known: &loaded.warnings };
    let options = LintOptions { rounds: 1, max_states: 3_000, ..LintOptions::new(CHECKER) };
    let small = small(&model);
    let before = states(&model, &loaded.system);
    let mut compared = 0;
    for finding in deep(&linted, &options, &Interrupt::default(), &|_| {}) {
        let (start, end) = (finding.primary.span.start as usize, finding.primary.span.end as usize);
        let quoted: Vec<&str> = finding.message.split('`').skip(1).step_by(2).collect();
        let transition = || {
            let number = quoted[0].strip_prefix('t').and_then(|it| it.parse::<usize>().ok());
            number.ok_or_else(|| format!("seed {seed}: {finding:?}"))
        };
        let is_right = match finding.code {
            "C0923" => {
                let of = &model.transitions[transition()?];
                !small.iter().any(|(instance, states)| {
                    states.iter().any(|state| {
                        let (next, error) = instance.steps(state, of);
                        error || !next.is_empty()
                    })
                })
            }
            "C0927" => {
                let without = format!("{}true{}", &text[..start], &text[end..]);
                let after = cubicle::load(&without).map(|it| states(&model, &it.system));
                after.is_ok_and(|after| before.iter().all(|(sizes, it)| after.get(sizes) == Some(it)))
            }
            "C0928" => {
                let (name, field) = quoted[0].split_once('.').unwrap_or((quoted[0], ""));
                let Some(at) = model.vars.iter().position(|it| it.name == name && it.queue.is_none()) else {
                    continue;
                };
                let fields = &model.vars[at].fields;
                let field = fields.iter().position(|it| it.0 == field).expect("a field");
                let has = |value: i64| quoted[1..].contains(&fields[field].1.text(value).as_str());
                let held = |state: &State| state[at].iter().any(|cell| has(cell[0][field]));
                !small.iter().any(|(_, states)| states.iter().any(held))
            }
            "C0930" => {
                let transition = transition()?;
                !small.iter().any(|(instance, _)| acts_again(instance, transition))
            }
            _ => continue,
        };
        if !is_right {
            return Err(format!("seed {seed}: {finding:?}, `{}`, is wrong\n{text}", &text[start..end]));
        }
        compared += 1;
    }
    Ok(compared)
}

fn campaign(first: u64, count: u64) {
    let compared = compared(first, count, examine);
    assert!(compared > count / 4, "only {compared} findings about {count} models were compared");
}

#[test]
fn parts_that_make_no_difference_make_none_in_small_instances() {
    campaign(environment("CUBICLE_DOORS_SEED", 0), environment("CUBICLE_DOORS_COUNT", 6));
}

#[test]
#[ignore = "takes long"]
fn campaign_of_lints() {
    campaign(environment("CUBICLE_DOORS_SEED", 1_000), environment("CUBICLE_DOORS_COUNT", 500));
}
