//! Properties of runs of random models over two sorts, with fairness and `--ltl`, against a graph of all states and steps that is written
//! from the book alone; deadlocks and `--require-complete` as well.
//!
//! `CUBICLE_DOORS_SEED` and `CUBICLE_DOORS_COUNT` choose models; the ignored test takes many.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::fs;

use cubicle::forward::{RunAnswer, check_runs};
use cubicle::model::System;
use cubicle::transform::{Crash, with_crashes};
use cubicle::{BackwardMode, ForwardOptions, Interrupt, Silent, TemporalReport, check};

use super::random::{self, Maker};
use super::{
    Instance, Model, Quantified, SORTS, Sizes, State, Transition, Update, Var, name, names, of_sizes,
    sizes_of, tuples,
};
use crate::doors::program::{cubicle, text};
use crate::doors::small_search;
use crate::support::dice::{Dice, environment};

/// Most states of an instance whose runs are compared: the graph is searched naively.
const MOST_STATES: usize = 250;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Response,
    Recurrence,
    Possible,
    Cover,
}

/// What one of the formulas says: a guard without updates.
struct Property {
    kind: Kind,
    first: Transition,
    then: Transition,
}

/// Fairness of a transition, by its place.
struct Fair {
    strong: bool,
    any: bool,
    of: usize,
}

/// A formula of linear temporal logic over two formulas about states.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Always,
    Eventually,
    AgainAndAgain,
    FromSomeTimeOn,
    LeadsTo,
    Next,
}

const SHAPES: [Shape; 6] = [
    Shape::Always,
    Shape::Eventually,
    Shape::AgainAndAgain,
    Shape::FromSomeTimeOn,
    Shape::LeadsTo,
    Shape::Next,
];

struct Case {
    model: Model,
    properties: Vec<Property>,
    fair: Vec<Fair>,
}

impl Case {
    fn new(seed: u64) -> Self {
        let rich = random::is_rich(seed);
        let mut model = random::model(seed, 2, rich);
        let vars = std::mem::take(&mut model.vars);
        let mut maker = Maker { sorts: 2, dice: Dice::new(seed ^ 0x5eed), vars, orders: false, rich };
        let properties = (0..=maker.dice.below(3)).map(|_| property(&mut maker)).collect();
        let mut fair = Vec::new();
        for of in 0..model.transitions.len() {
            if maker.dice.chance(60) {
                fair.push(Fair { strong: maker.dice.chance(40), any: maker.dice.chance(30), of });
            }
        }
        model.vars = maker.vars;
        Self { model, properties, fair }
    }

    fn text(&self, seed: u64) -> String {
        let mut out = self.model.to_string();
        for Fair { strong, any, of } in &self.fair {
            let (strong, any) = (if *strong { "strong_" } else { "" }, if *any { "any " } else { "" });
            let _ = writeln!(out, "{strong}fair {any}t{of}");
        }
        for (at, Property { kind, first, then }) in self.properties.iter().enumerate() {
            let word = format!("{kind:?}").to_lowercase();
            let _ =
                write!(out, "{word} q{at} ({}) {{ {} }}", names(&first.params, 0), self.model.guard(first));
            let promised = format!(" ~> {{ {} }}", self.model.guard(then));
            let _ = writeln!(out, "{}", if *kind == Kind::Response { &promised } else { "" });
        }
        self.model.extended(out, seed)
    }
}

fn property(maker: &mut Maker) -> Property {
    let kinds = [Kind::Response, Kind::Response, Kind::Recurrence, Kind::Possible, Kind::Cover];
    let kind = *maker.dice.pick(&kinds);
    let params = maker.params(2);
    let (first, then) = (formula(maker, &params, 20), formula(maker, &params, 20));
    Property { kind, first, then }
}

/// A formula about processes of these sorts, with a quantifier in `percent` of all cases.
fn formula(maker: &mut Maker, params: &[usize], percent: usize) -> Transition {
    let guard = maker.literals(params, 2);
    let mut quantified = Vec::new();
    if maker.dice.chance(percent) {
        let sort = maker.sort();
        let literals = maker.literals(&[params, &[sort]].concat(), 2);
        let (universal, other) = (maker.dice.chance(50), maker.dice.chance(50));
        quantified.push(Quantified { universal, other, sorts: vec![sort], literals });
    }
    Transition { params: params.to_vec(), guard, quantified, updates: Vec::new() }
}

// The meaning

/// A step: which transition, with which arguments.
type Label = (usize, Vec<usize>);

/// The number of the transition that a crash is.
const CRASH: usize = usize::MAX;

/// All states of an instance and all steps between them.
struct Graph<'m> {
    instance: Instance<'m>,
    states: Vec<State>,
    initial: usize,
    steps: Vec<Vec<(Label, usize)>>,
}

/// One of these steps is not put off for ever.
struct Demand {
    strong: bool,
    steps: BTreeSet<Label>,
}

/// `None` when there are too many states; whether processes crash.
fn graph(model: &Model, sizes: Sizes, crashes: bool) -> Option<Graph<'_>> {
    let instance = Instance::new(model, sizes);
    let mut known: BTreeMap<State, usize> = BTreeMap::new();
    let (mut states, mut steps, mut open) = (Vec::new(), Vec::new(), VecDeque::new());
    let mut number = |state: State, states: &mut Vec<State>, open: &mut VecDeque<usize>| {
        *known.entry(state).or_insert_with_key(|state| {
            states.push(state.clone());
            open.push_back(states.len() - 1);
            states.len() - 1
        })
    };
    let (first, complete) = instance.initial();
    if !complete {
        return None;
    }
    for mut state in first {
        state.extend(vec![1; if crashes { sizes.iter().sum() } else { 0 }]);
        number(state, &mut states, &mut open);
    }
    let initial = states.len();
    while let Some(at) = open.pop_front() {
        if states.len() > MOST_STATES {
            return None;
        }
        let state: State = states[at].clone();
        let mut all = Vec::new();
        for (of, t) in model.transitions.iter().enumerate() {
            for args in tuples(sizes, &t.params, true) {
                if instance.live(&state, &t.params, &args) && instance.may_fire(&state, t, &args) {
                    let nexts = instance.fire(&state, t, &args);
                    all.extend(
                        nexts.into_iter().map(|it| ((of, args.clone()), number(it, &mut states, &mut open))),
                    );
                }
            }
        }
        let crashed = instance.crashed(&state, None).into_iter();
        all.extend(crashed.map(|it| ((CRASH, Vec::new()), number(it, &mut states, &mut open))));
        steps.push(all);
    }
    Some(Graph { instance, states, initial, steps })
}

impl Graph<'_> {
    fn demands(&self, fair: &[Fair]) -> Vec<Demand> {
        let of = |it: &Fair| {
            let label = |args: Vec<usize>| (it.of, args);
            let params = &self.instance.model.transitions[it.of].params;
            let labels: Vec<Label> =
                tuples(self.instance.sizes, params, true).into_iter().map(label).collect();
            let parts: Vec<BTreeSet<Label>> = if it.any {
                vec![labels.into_iter().collect()]
            } else {
                labels.into_iter().map(|it| BTreeSet::from([it])).collect()
            };
            parts.into_iter().map(|steps| Demand { strong: it.strong, steps }).collect::<Vec<_>>()
        };
        fair.iter().flat_map(of).collect()
    }

    /// In which states a formula holds, which includes processes that have crashed.
    fn holds(&self, formula: &Transition, args: &[usize]) -> Vec<bool> {
        let cells = |state: &State| state[..self.instance.life(0, 0)].to_vec();
        self.states.iter().map(|state| self.instance.may_fire(&cells(state), formula, args)).collect()
    }

    /// In which states it holds, or one of the processes to which it is promised has crashed.
    fn kept(&self, formula: &Transition, args: &[usize]) -> Vec<bool> {
        let live = |state| self.instance.live(state, &formula.params, args);
        self.holds(formula, args)
            .into_iter()
            .zip(&self.states)
            .map(|(it, state)| it || !live(state))
            .collect()
    }

    /// The next states; a state without steps, but for crashes, is a next one of itself.
    fn next(&self, at: usize) -> Vec<usize> {
        let stays = self.steps[at].iter().all(|it| it.0.0 == CRASH);
        self.steps[at].iter().map(|it| it.1).chain(stays.then_some(at)).collect()
    }

    /// The states that are reached from some state of `from` by steps between states of `within`.
    fn reached(&self, from: &[bool], within: &[bool]) -> Vec<bool> {
        let mut reached: Vec<bool> = from.iter().zip(within).map(|(a, b)| *a && *b).collect();
        let mut open: Vec<usize> = (0..reached.len()).filter(|at| reached[*at]).collect();
        while let Some(at) = open.pop() {
            for to in self.next(at) {
                if within[to] && !reached[to] {
                    reached[to] = true;
                    open.push(to);
                }
            }
        }
        reached
    }

    /// The states that a fair run which stays in `within` from some moment on may visit again and again.
    fn fair_loops(&self, within: &[bool], demands: &[Demand]) -> Vec<bool> {
        let mut fair = vec![false; within.len()];
        let mut open = vec![within.to_vec()];
        while let Some(within) = open.pop() {
            let from = |at: usize| {
                let alone: Vec<bool> = (0..within.len()).map(|it| it == at).collect();
                self.reached(&alone, &within)
            };
            let ways: Vec<Vec<bool>> = (0..within.len()).map(from).collect();
            let mut left = within.clone();
            for at in 0..within.len() {
                if !left[at] {
                    continue;
                }
                let mut inside: Vec<bool> =
                    (0..within.len()).map(|it| ways[at][it] && ways[it][at]).collect();
                for (left, inside) in left.iter_mut().zip(&inside) {
                    *left &= !inside;
                }
                let members: Vec<usize> = (0..inside.len()).filter(|it| inside[*it]).collect();
                if !members.iter().any(|it| self.next(*it).iter().any(|to| inside[*to])) {
                    continue;
                }
                let is_possible =
                    |it: usize, demand: &Demand| self.steps[it].iter().any(|(l, _)| demand.steps.contains(l));
                let is_taken = |demand: &Demand| {
                    let taken = |it: &usize| {
                        self.steps[*it].iter().any(|(l, to)| inside[*to] && demand.steps.contains(l))
                    };
                    members.iter().any(taken)
                };
                let is_put_off = |demand: &&Demand| {
                    let possible = |it: &usize| is_possible(*it, demand);
                    let due = if demand.strong {
                        members.iter().any(possible)
                    } else {
                        members.iter().all(possible)
                    };
                    due && !is_taken(demand)
                };
                match demands.iter().find(is_put_off) {
                    None => {
                        for it in members {
                            fair[it] = true;
                        }
                    }
                    // A run that does not take it avoids the states where it is possible.
                    Some(demand) => {
                        for it in members {
                            inside[it] &= !is_possible(it, demand);
                        }
                        open.push(inside);
                    }
                }
            }
        }
        fair
    }

    /// Whether some fair run gets from `from` on by states of `within` only, and never ends.
    fn stays(&self, from: &[bool], within: &[bool], demands: &[Demand]) -> bool {
        let reached = self.reached(from, within);
        self.fair_loops(within, demands).iter().zip(&reached).any(|(a, b)| *a && *b)
    }

    /// Whether a property is violated; of a cover, whether it is not reached.
    fn violates(&self, property: &Property, fair: &[Fair]) -> bool {
        let demands = self.demands(fair);
        let all = vec![true; self.states.len()];
        let mut args = tuples(self.instance.sizes, &property.first.params, true).into_iter();
        let not = |it: Vec<bool>| it.into_iter().map(|it| !it).collect::<Vec<bool>>();
        match property.kind {
            Kind::Cover => !args.any(|args| self.holds(&property.first, &args).contains(&true)),
            Kind::Possible => args.any(|args| {
                let there = self.kept(&property.first, &args);
                let leads = |at: usize| {
                    let alone: Vec<bool> = (0..all.len()).map(|it| it == at).collect();
                    self.reached(&alone, &all).iter().zip(&there).any(|(a, b)| *a && *b)
                };
                !(0..all.len()).all(leads)
            }),
            Kind::Recurrence => {
                args.any(|args| self.stays(&all, &not(self.kept(&property.first, &args)), &demands))
            }
            Kind::Response => args.any(|args| {
                self.stays(
                    &self.holds(&property.first, &args),
                    &not(self.kept(&property.then, &args)),
                    &demands,
                )
            }),
        }
    }

    /// Whether a formula of linear temporal logic is violated for some processes.
    fn breaks(&self, shape: Shape, (left, right): (&Transition, &Transition), fair: &[Fair]) -> bool {
        let demands = self.demands(fair);
        let all = vec![true; self.states.len()];
        let initially: Vec<bool> = (0..all.len()).map(|at| at < self.initial).collect();
        let not = |it: &[bool]| it.iter().map(|it| !it).collect::<Vec<bool>>();
        tuples(self.instance.sizes, &left.params, true).into_iter().any(|args| {
            let (a, b) = (self.holds(left, &args), self.holds(right, &args));
            match shape {
                Shape::Always => a.contains(&false),
                Shape::Eventually => self.stays(&initially, &not(&a), &demands),
                Shape::AgainAndAgain => self.stays(&all, &not(&a), &demands),
                Shape::FromSomeTimeOn => {
                    self.fair_loops(&all, &demands).iter().zip(&a).any(|(fair, holds)| *fair && !holds)
                }
                Shape::LeadsTo => self.stays(&a, &not(&b), &demands),
                Shape::Next => (0..a.len()).any(|at| a[at] && self.next(at).iter().any(|to| !b[*to])),
            }
        })
    }

    fn is_bad(&self) -> bool {
        let of = |(params, literals): &(Vec<usize>, Vec<super::Literal>)| {
            let all = |(state, args): (&State, &Vec<usize>)| {
                literals.iter().all(|it| self.instance.holds(state, it, args))
            };
            let args = tuples(self.instance.sizes, params, true);
            self.states.iter().any(|state| args.iter().any(|args| all((state, args))))
        };
        let seen = |watch: &Transition| {
            let args = tuples(self.instance.sizes, &watch.params, true);
            self.states.iter().any(|state| args.iter().any(|args| self.instance.may_fire(state, watch, args)))
        };
        self.instance.model.bad.iter().any(of) || self.instance.model.watch.as_ref().is_some_and(seen)
    }

    fn is_stuck_somewhere(&self) -> bool {
        self.steps.iter().any(Vec::is_empty)
    }
}

// The comparison

/// How many answers were compared; what is wrong.
fn examine(seed: u64) -> Result<usize, String> {
    let case = Case::new(seed);
    let text = case.text(seed);
    let system = match cubicle::load(&text) {
        Ok(loaded) => loaded.system,
        // No instance has the witness; `sorted` compares that.
        Err(why) if why.to_string().contains("C0222") => return Ok(0),
        Err(why) if why.diagnostics.iter().all(|it| it.code == "C0504") => return Ok(0),
        Err(why) => return Err(format!("seed {seed}: refused\n{text}\n{why}")),
    };
    let all_graphs = |crashes| {
        let sizes = (0..=3_usize).flat_map(|total| (0..=total).map(move |nodes| [nodes, total - nodes, 0]));
        sizes.filter_map(|it| graph(&case.model, it, crashes)).collect::<Vec<_>>()
    };
    let graphs = all_graphs(false);
    let mut compared = 0;
    for graph in &graphs {
        compared +=
            instance(seed, &case, &system, graph).map_err(|why| format!("seed {seed}: {why}\n{text}"))?;
    }
    compared += match seed % 4 {
        0 => all_sizes(seed, &case, &system, &graphs),
        1 => formulas(seed, &case, &text, &graphs),
        2 => endings(&case, &text, &graphs),
        // A step needs the processes that pointers name as indices, too.
        _ if !random::is_rich(seed) => match with_crashes(&system, Crash::Stop(None)) {
            Ok(failing) => all_graphs(true).iter().map(|it| instance(seed, &case, &failing, it)).sum(),
            Err(why) => Err(format!("no crashes: {}", why.message)),
        },
        _ => Ok(0),
    }
    .map_err(|why| format!("seed {seed}: {why}\n{text}"))?;
    Ok(compared)
}

/// Each property in an instance with these numbers of processes of each sort.
fn instance(seed: u64, case: &Case, system: &System, graph: &Graph<'_>) -> Result<usize, String> {
    let sizes = graph.instance.sizes;
    let options = of_sizes(2, sizes).symmetry((seed / 4).is_multiple_of(2));
    let seen = check_runs(system, sizes.iter().sum(), &options, &Interrupt::default());
    for (at, (property, answer)) in case.properties.iter().zip(&seen.answers).enumerate() {
        let violated = match answer {
            RunAnswer::Open(stop) => return Err(format!("q{at} is open with {sizes:?}: {stop:?}")),
            RunAnswer::Holds => property.kind == Kind::Cover,
            RunAnswer::Reached(..) => false,
            RunAnswer::Lasso(..) | RunAnswer::DeadEnd(..) => true,
        };
        let right = graph.violates(property, &case.fair);
        if violated != right {
            return Err(format!("q{at}, {sizes:?}: violated: {violated}, right is {right}\n{answer:?}"));
        }
    }
    Ok(seen.answers.len())
}

/// The answers of a whole run, about all divisions of some numbers of processes, or about any number.
fn all_sizes(seed: u64, case: &Case, system: &System, graphs: &[Graph<'_>]) -> Result<usize, String> {
    let options = small_search(BackwardMode::Auto).only_states(false).only_forward(seed.is_multiple_of(8));
    let options = options.forward(ForwardOptions::default().max_states(3_000));
    let report = check(system, &options, &Interrupt::default(), &mut Silent);
    let report = report.map_err(|why| format!("internal error: {why}"))?;
    let mut compared = 0;
    for TemporalReport { property, held, proved, never, found, .. } in &report.temporal {
        let declared = &case.properties[*property];
        let is_cover = declared.kind == Kind::Cover;
        let shown = found.as_ref().map(|it| sizes_of(system, &it.run().initial));
        for graph in graphs {
            let sizes = graph.instance.sizes;
            let right = graph.violates(declared, &case.fair);
            let holds = *proved || *never || held.contains(&sizes.iter().sum());
            // A cover is not reached where it "holds", and a run to it is found where it is not violated.
            if holds && right != is_cover || shown == Some(sizes) && right == is_cover {
                return Err(format!(
                    "q{property}: said to hold: {holds}, found: {shown:?}; with {sizes:?} violated: {right}"
                ));
            }
            compared += usize::from(holds || shown == Some(sizes));
        }
    }
    Ok(compared)
}

/// A formula on the command line; its processes are of any sort, and it says of which.
fn formulas(seed: u64, case: &Case, text_of: &str, graphs: &[Graph<'_>]) -> Result<usize, String> {
    let shape = SHAPES[(seed / 4) as usize % SHAPES.len()];
    let Property { first, then, .. } = &case.properties[0];
    let words = |formula: &Transition| {
        let said = case.model.guard(formula);
        (0..formula.params.len()).fold(said, |said, at| said.replace(&name(at), &format!("#{}", at + 1)))
    };
    let is_plain = |it: &Transition| it.quantified.is_empty();
    if first.params.is_empty() || !is_plain(first) || !is_plain(then) {
        return Ok(0);
    }
    let (a, b) = (words(first), words(then));
    let shaped = match shape {
        Shape::Always => format!("G {{ {a} }}"),
        Shape::Eventually => format!("F {{ {a} }}"),
        Shape::AgainAndAgain => format!("G F {{ {a} }}"),
        Shape::FromSomeTimeOn => format!("F G {{ {a} }}"),
        Shape::LeadsTo => format!("G ({{ {a} }} => F {{ {b} }})"),
        Shape::Next => format!("G ({{ {a} }} => X {{ {b} }})"),
    };
    let shaped = case.model.extended(shaped, seed);
    let shaped = shaped.trim_end();
    let of = |(at, sort): (usize, &usize)| format!("Sort[#{}] = {}", at + 1, ["Node", "Value"][*sort]);
    let sorts: Vec<String> = first.params.iter().enumerate().map(of).collect();
    let said = format!("{{ {} }} => ({shaped})", sorts.join(" && "));
    let mut compared = 0;
    for graph in graphs {
        let sizes = graph.instance.sizes;
        // A formula names processes that there are.
        if sizes.iter().sum::<usize>() < first.params.len() {
            continue;
        }
        let answer = run(text_of, sizes, &["--ltl", &said])?.1;
        let line = answer.lines().find(|line| line.starts_with("ltl: ")).unwrap_or_default();
        let violated = line.contains("VIOLATED");
        if !violated && !line.contains("holds") {
            return Err(format!("{said} has no answer\n{answer}"));
        }
        let right = graph.breaks(shape, (first, then), &case.fair);
        if violated != right {
            return Err(format!("{said}, {sizes:?}: violated: {violated}, right is {right}\n{answer}"));
        }
        compared += 1;
    }
    Ok(compared)
}

/// Deadlocks, and whether all states were seen.
fn endings(case: &Case, text_of: &str, graphs: &[Graph<'_>]) -> Result<usize, String> {
    // A deadlock does not count where its run relies on a pointer that init or `?` leaves open.
    let is_pointer = |var: &Var| matches!(var.kind, super::Kind::Pointer(_));
    let updates = || case.model.transitions.iter().flat_map(|t| &t.updates);
    let is_chosen = |at: usize| updates().any(|it| matches!(it, Update::Any(var) if *var == at));
    let mut vars = case.model.vars.iter().enumerate();
    if vars.any(|(at, var)| is_pointer(var) && (var.start.is_none() || is_chosen(at))) {
        return Ok(0);
    }
    let mut compared = 0;
    for graph in graphs {
        let sizes = graph.instance.sizes;
        let violated = |it: &&Property| graph.violates(it, &case.fair);
        let broken: Vec<Kind> = case.properties.iter().filter(violated).map(|it| it.kind).collect();
        let right: &[i32] = match (graph.is_bad(), broken.iter().any(|it| *it != Kind::Cover)) {
            (false, true) if graph.is_stuck_somewhere() => &[1, 5],
            (true, _) | (false, true) => &[1],
            (false, false) if graph.is_stuck_somewhere() => &[5],
            (false, false) if broken.is_empty() => &[0],
            (false, false) => &[3],
        };
        let (code, answer) = run(text_of, sizes, &["--deadlock", "--require-complete"])?;
        if !code.is_some_and(|code| right.contains(&code)) {
            return Err(format!("{sizes:?}: exit code {code:?}, right is {right:?}\n{answer}"));
        }
        compared += 1;
    }
    Ok(compared)
}

/// The exit code and the output of an exploration.
fn run(model: &str, sizes: Sizes, further: &[&str]) -> Result<(Option<i32>, String), String> {
    let folder = tempfile::tempdir().map_err(|why| why.to_string())?;
    fs::write(folder.path().join("m.cub"), model).map_err(|why| why.to_string())?;
    let each: Vec<String> =
        SORTS[..2].iter().zip(sizes).map(|(sort, size)| format!("{sort}={size}")).collect();
    let each = each.join(",");
    let words = ["-q", "--only-forward", "--vacuity", "ignore", "--procs", &each, "m.cub"];
    let output = cubicle(folder.path(), &[&words[..], further].concat());
    Ok((output.status.code(), text(&output.stdout) + &text(&output.stderr)))
}

#[expect(clippy::print_stdout, reason = "progress of a campaign")]
fn campaign(first: u64, count: u64) {
    let (mut compared, mut wrong) = (0, Vec::new());
    for seed in first..first + count {
        match examine(seed) {
            Ok(it) => compared += it,
            Err(why) => wrong.push(why),
        }
        assert!(wrong.len() < 6, "{}", wrong.join("\n"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{count} models, {compared} answers compared");
    assert!(compared as u64 > count, "only {compared} answers for {count} models were compared");
}

#[test]
fn runs_over_sorts_mean_what_the_book_says() {
    campaign(environment("CUBICLE_DOORS_SEED", 0), environment("CUBICLE_DOORS_COUNT", 24));
}

#[test]
#[ignore = "takes long"]
fn campaign_of_runs_over_sorts() {
    campaign(environment("CUBICLE_DOORS_SEED", 1_000), environment("CUBICLE_DOORS_COUNT", 2_000));
}
