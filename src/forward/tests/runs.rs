//! Run properties of random small systems, against a search of another kind on states of the reference semantics.

use std::collections::BTreeMap;

use super::brute::Brute;
use super::random::Shape;
use crate::live::{RunAnswer, check_runs};
use cubicle_lang::diagnostic::Span;
use cubicle_lang::model::TemporalKind::{Cover, Possible, Recurrence, Response};
use cubicle_lang::model::semantics::{FairStep, State, Value, distinct_tuples, replay_lasso};
use cubicle_lang::model::*;
use cubicle_run::{ForwardOptions, Interrupt, Strategy};

/// A step of the brute graph: the transition, its arguments, and the successor. A state without a step has
/// one to itself without a transition.
type BruteStep = (Option<(TransitionId, Vec<usize>)>, usize);

/// All states and all steps.
struct BruteGraph {
    states: Vec<State>,
    steps: Vec<Vec<BruteStep>>,
}

/// `None` when there are too many states.
fn graph(brute: &Brute<'_>) -> Option<BruteGraph> {
    let state = |values: Vec<Value>| State { procs: brute.procs, values };
    let mut states: Vec<State> = brute.initial().into_iter().map(state).collect();
    let mut numbers: BTreeMap<Vec<Value>, usize> =
        states.iter().enumerate().map(|(number, state)| (state.values.clone(), number)).collect();
    let mut steps = Vec::new();
    while steps.len() < states.len() {
        if states.len() > 400 {
            return None;
        }
        let from = states[steps.len()].clone();
        let mut out = Vec::new();
        for (fired, next) in brute.steps(&from) {
            let new = states.len();
            let to = *numbers.entry(next.values.clone()).or_insert(new);
            if to == new {
                states.push(next);
            }
            out.push((Some(fired), to));
        }
        if out.is_empty() {
            out.push((None, steps.len()));
        }
        steps.push(out);
    }
    Some(BruteGraph { states, steps })
}

/// Steps, each with the state that it comes from and its place among the steps from there.
type StepSet = Vec<Vec<bool>>;

impl BruteGraph {
    /// The states of `area` from which a run within it takes steps of each of these sets infinitely often: the greatest
    /// fixpoint, by naive iteration.
    fn again_and_again(&self, area: &[bool], sets: &[StepSet]) -> Vec<bool> {
        let mut kept = area.to_vec();
        // Some step at all must be taken infinitely often.
        let any: StepSet = self.steps.iter().map(|steps| vec![true; steps.len()]).collect();
        loop {
            let before = kept.clone();
            for set in sets.iter().chain([&any]) {
                // Where a step of the set that stays in `kept` can still be taken within `kept`.
                let mut can = vec![false; kept.len()];
                loop {
                    let reached = can.clone();
                    for from in (0..kept.len()).filter(|from| kept[*from]) {
                        let helps =
                            |(at, (_, to)): (usize, &BruteStep)| kept[*to] && (set[from][at] || reached[*to]);
                        can[from] |= self.steps[from].iter().enumerate().any(helps);
                    }
                    if can == reached {
                        break;
                    }
                }
                kept = can;
            }
            if kept == before {
                return kept;
            }
        }
    }

    /// The states of `area` from which a fair run stays in it. A strong constraint is either served or never enabled from
    /// some moment on: all choices are tried.
    fn fair(&self, brute: &Brute<'_>, area: &[bool]) -> Vec<bool> {
        let asked: Vec<FairStep> = brute.semantics.fair_steps();
        let possible = |state: usize, fair: &FairStep| {
            brute.semantics.possible(&self.states[state], fair).expect("there are no numbers")
        };
        let serves = |step: &BruteStep, fair: &FairStep| {
            let asked = &brute.system.fairness[fair.fairness];
            step.0.as_ref().is_some_and(|(id, args)| {
                asked.is_about(brute.system.transition(*id))
                    && fair.args.as_ref().is_none_or(|shown| args.starts_with(shown))
            })
        };
        let strong: Vec<&FairStep> =
            asked.iter().filter(|it| brute.system.fairness[it.fairness].strong).collect();
        let mut found = vec![false; area.len()];
        for choice in 0..1_usize << strong.len() {
            let chosen = strong.iter().enumerate().filter(|(at, _)| choice >> at & 1 == 1);
            let never: Vec<&FairStep> = chosen.map(|(_, it)| *it).collect();
            let rest: Vec<bool> = (0..area.len())
                .map(|state| area[state] && !never.iter().any(|fair| possible(state, fair)))
                .collect();
            let sets: Vec<StepSet> = asked
                .iter()
                .filter(|fair| !never.contains(fair))
                .map(|fair| {
                    let weak = !brute.system.fairness[fair.fairness].strong;
                    let of = |(state, steps): (usize, &Vec<BruteStep>)| {
                        let disabled = weak && !possible(state, fair);
                        steps.iter().map(|step| disabled || serves(step, fair)).collect()
                    };
                    self.steps.iter().enumerate().map(of).collect()
                })
                .collect();
            let mut reaching = self.again_and_again(&rest, &sets);
            self.backwards(&mut reaching, area);
            found.iter_mut().zip(reaching).for_each(|(all, one)| *all |= one);
        }
        found
    }

    /// Adds the states of `area` from which a run within it leads to `set`.
    fn backwards(&self, set: &mut [bool], area: &[bool]) {
        loop {
            let before = set.to_vec();
            for from in (0..set.len()).filter(|from| area[*from]) {
                set[from] |= self.steps[from].iter().any(|(_, to)| before[*to]);
            }
            if *set == before {
                return;
            }
        }
    }

    /// Whether the property holds for all tuples, a formula for the first one.
    fn holds(&self, brute: &Brute<'_>, property: &Temporal) -> bool {
        let atoms = property.ltl.as_ref().map(|it| it.atoms.as_slice());
        let (kind, first, then) = match atoms {
            Some([Atom::Holds(first), Atom::Holds(then)]) => (Response, first, then),
            Some([Atom::Holds(first)]) => (Recurrence, first, first),
            _ => (property.kind, &property.first, &property.then),
        };
        let tuples = distinct_tuples(brute.procs, property.params.len());
        tuples.take(if atoms.is_some() { 1 } else { usize::MAX }).all(|tuple| {
            let at = |condition: &Condition| -> Vec<bool> {
                let truth =
                    |state| brute.semantics.holds(state, condition, &tuple).expect("there are no numbers");
                self.states.iter().map(truth).collect()
            };
            let first = at(first);
            match kind {
                Response => {
                    let silent: Vec<bool> = at(then).iter().map(|holds| !holds).collect();
                    let fair = self.fair(brute, &silent);
                    !(0..first.len()).any(|state| first[state] && fair[state])
                }
                Recurrence => {
                    let silent: Vec<bool> = first.iter().map(|holds| !holds).collect();
                    !self.fair(brute, &silent).contains(&true)
                }
                Possible => {
                    let mut can = first;
                    self.backwards(&mut can, &vec![true; self.states.len()]);
                    !can.contains(&false)
                }
                Cover => !first.contains(&true),
                TemporalKind::Ltl => unreachable!("formulas have one or two atoms"),
            }
        })
    }
}

/// `G (A => F B)`, or `G F A`, as a formula.
fn formula(property: &Temporal) -> Temporal {
    let always = |it: Ltl| Ltl::Release(Box::new(Ltl::Truth(false)), Box::new(it));
    let sometime = |it: Ltl| Ltl::Until(Box::new(Ltl::Truth(true)), Box::new(it));
    let asked = Ltl::Not(Box::new(Ltl::Atom(0)));
    let (formula, atoms) = match property.kind {
        Response => {
            let answered = Ltl::Or(Box::new(asked), Box::new(sometime(Ltl::Atom(1))));
            (always(answered), vec![Atom::Holds(property.first.clone()), Atom::Holds(property.then.clone())])
        }
        _ => (always(sometime(Ltl::Atom(0))), vec![Atom::Holds(property.first.clone())]),
    };
    let none = Condition(Vec::new());
    let ltl = Some(LtlProperty { formula, atoms });
    Temporal { kind: TemporalKind::Ltl, first: none.clone(), then: none, ltl, ..property.clone() }
}

/// A random condition.
fn condition(shape: &mut Shape, params: u8, order: bool) -> Condition {
    let cases = (0..=shape.below(2)).map(|_| {
        let hidden = shape.below(5) as u8 / 4;
        let cube = shape.conj(params + hidden, 2, order);
        let mut universals = Vec::new();
        if shape.below(4) == 0 {
            let conj = shape.conj(params + hidden + 1, 2, order);
            let spans = vec![vec![Span::default(); conj.len()]];
            universals.push(Universal { bound: 1, body: Dnf(vec![conj]), spans });
        }
        Case { hidden, cube, universals }
    });
    Condition(cases.filter(|case| !case.cube.is_empty()).collect())
}

/// A random property with at most this many parameters.
fn property(shape: &mut Shape, kind: TemporalKind, params: usize, order: bool) -> Temporal {
    let params = shape.below(params + 1) as u8;
    let first = condition(shape, params, order);
    let then = if kind == Response { condition(shape, params, order) } else { Condition(Vec::new()) };
    let params = (0..params).map(|number| format!("p{number}")).collect();
    Temporal { kind, name: format!("{kind:?}"), params, first, then, ltl: None, span: Span::default() }
}

/// A random system with random properties of runs and fairness.
fn system(seed: u64, order: bool) -> System {
    let mut shape = Shape::new(seed);
    if seed % 3 == 1 {
        shape = shape.with_counts(1, order);
    }
    let mut system = shape.system(order).to_parts();
    for (origin, transition) in (0_u16..).zip(&mut system.transitions) {
        transition.origin = origin;
    }
    let span = Span::default();
    for origin in 0..system.transitions.len() as u16 {
        if shape.below(3) > 0 {
            let (strong, any) = (shape.below(2) == 0, shape.below(3) == 0);
            let mut origins = vec![origin];
            // Sometimes two declarations have one name.
            if shape.below(3) == 0 {
                let params = |at: u16| system.transitions[usize::from(at)].params.len();
                let later = origin + 1..system.transitions.len() as u16;
                origins.extend(later.into_iter().find(|it| any || params(*it) == params(origin)));
            }
            system.fairness.push(Fairness { origins, strong, any, span });
        }
    }
    for kind in [Response, Response, Recurrence, Recurrence, Possible, Cover] {
        system.temporal.push(property(&mut shape, kind, 2, order));
    }
    let formulas: Vec<Temporal> = system.temporal[1..3].iter().map(formula).collect();
    system.temporal.extend(formulas);
    System::new(system)
}

/// A random system in which processes that no property observes are exchanged: few variables, one of them a pointer, and each
/// process has its own fairness.
fn turning(seed: u64) -> System {
    let mut shape = Shape::new(seed);
    shape.vars = vec![
        ("S", VarKind::Array(1), Type::Enum(super::random::T)),
        ("P", VarKind::Global, Type::Proc),
        ("G", VarKind::Global, Type::Enum(super::random::T)),
    ];
    let mut system = shape.system(false).to_parts();
    system.transitions.truncate(2);
    let span = Span::default();
    for (origin, transition) in (0_u16..).zip(&mut system.transitions) {
        transition.origin = origin;
        let origins = vec![origin];
        system.fairness.push(Fairness { origins, strong: shape.below(4) == 0, any: false, span });
    }
    for kind in [Response, Recurrence, Recurrence] {
        system.temporal.push(property(&mut shape, kind, 1, false));
    }
    System::new(system)
}

#[derive(Default, Debug)]
struct Tally {
    held: usize,
    broken: usize,
    stuck: usize,
    open: usize,
    /// Graphs with fewer states than without symmetry, and lassos found in them.
    reduced: usize,
    turned: usize,
}

impl Tally {
    /// Checks an answer against brute force.
    fn judge(&mut self, answer: &RunAnswer, holds: bool, context: &dyn Fn() -> String) {
        match answer {
            RunAnswer::Open(_) => self.open += 1,
            found => assert_eq!(matches!(found, RunAnswer::Holds), holds, "{}", context()),
        }
    }
}

/// Checks the answer for a property alone, which observes as few processes as possible, against brute force, with symmetry and
/// on two threads; `states` is the number of states without symmetry.
fn compare_alone(
    system: &System,
    procs: usize,
    property: &Temporal,
    expected: (bool, usize),
    tally: &mut Tally,
) {
    let alone = system.edited(|parts| parts.temporal = vec![property.clone()]);
    let run = |options: &ForwardOptions| check_runs(&alone, procs, options, &Interrupt::default());
    let one = run(&ForwardOptions::default());
    let two = run(&ForwardOptions::default().jobs(2));
    assert_eq!(format!("{one:?}"), format!("{two:?}"), "two threads find something else: {system:#?}");
    let (holds, states) = expected;
    for strategy in [Strategy::Cfl, Strategy::Random] {
        let walked = run(&ForwardOptions { strategy, ..ForwardOptions::default() });
        let answers = [&one.answers[0], &walked.answers[0]].map(std::mem::discriminant);
        assert!(answers[0] == answers[1] && one.states == walked.states, "{walked:?} {system:#?}");
        let few =
            run(&ForwardOptions { strategy, max_states: Some(states / 2), ..ForwardOptions::default() });
        assert!(!matches!(few.answers[0], RunAnswer::Holds) || holds, "{few:?} {system:#?}");
        assert!(!matches!(few.answers[0], RunAnswer::Lasso(..)) || !holds, "{few:?} {system:#?}");
    }
    assert!(one.states <= states);
    let reduced = one.states < states;
    tally.reduced += usize::from(reduced);
    let context = || format!("{} alone, {procs} processes, {system:#?}", property.name);
    tally.judge(&one.answers[0], holds, &context);
    if let RunAnswer::Lasso(tuple, lasso) = &one.answers[0] {
        replay_lasso(&alone, 0, tuple, lasso).unwrap_or_else(|why| panic!("{why}: {}", context()));
        tally.turned += usize::from(reduced && lasso.back.is_some());
    }
}

fn compare(seed: u64, system: &System, tally: &mut Tally) {
    for procs in [2, 3, 4] {
        let brute = Brute::new(system, procs);
        let cells = brute.types.iter().filter(|ty| !ty.is_numeric());
        let wide = cells.clone().filter(|ty| !matches!(ty, Type::Enum(_))).count();
        if cells.count() > 9 || wide > 3 || brute.semantics.fair_steps().len() > 8 {
            continue;
        }
        let Some(graph) = graph(&brute) else { continue };
        let options = ForwardOptions::default();
        let one = check_runs(system, procs, &options, &Interrupt::default());
        let plain = ForwardOptions { symmetry: false, ..options };
        let all = check_runs(system, procs, &plain, &Interrupt::default());
        for (property, (answer, other)) in system.temporal.iter().zip(one.answers.iter().zip(&all.answers)) {
            let holds = graph.holds(&brute, property);
            compare_alone(system, procs, property, (holds, all.states), tally);
            let context = || format!("{}, seed {seed}, {procs} processes, {system:#?}", property.name);
            for answer in [answer, other] {
                tally.judge(answer, holds, &context);
            }
            tally.held += usize::from(holds);
            tally.broken += usize::from(!holds);
            tally.stuck += usize::from(matches!(answer, RunAnswer::Lasso(_, lasso) if lasso.back.is_none()));
        }
    }
}

#[test]
fn fair_runs_of_random_systems_are_those_of_brute_force() {
    let count = std::env::var("CUBICLE_RUNS_COUNT").map_or(60, |text| text.parse().expect("a number"));
    let mut tally = Tally::default();
    for seed in 0..count {
        compare(seed, &system(seed, seed % 4 == 3), &mut tally);
    }
    let least = count as usize / 3;
    assert!(
        tally.held > least
            && tally.broken > least
            && tally.stuck > 0
            && tally.open * 50 < tally.held
            && tally.reduced > least
            && tally.turned > least / 10,
        "{tally:?}"
    );
}

#[test]
fn processes_that_change_places_are_followed() {
    let count = std::env::var("CUBICLE_RUNS_COUNT").map_or(100, |text| text.parse().expect("a number"));
    let mut tally = Tally::default();
    for seed in 0..count {
        compare(seed, &turning(seed), &mut tally);
    }
    let least = count as usize / 3;
    assert!(tally.reduced > least && tally.turned > least / 3 && tally.open * 50 < tally.held, "{tally:?}");
}
