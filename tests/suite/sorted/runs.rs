//! Properties of runs of random models over two sorts, with fairness and `--ltl`, against a graph of all states and steps that is written
//! from the book alone; deadlocks and `--require-complete` as well.
//!
//! `CUBICLE_DOORS_SEED` and `CUBICLE_DOORS_COUNT` choose models; the ignored test takes many.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::fs;

use cubicle::BackwardMode;
use cubicle::model::System;
use cubicle::transform::{Crash, with_crashes};

use super::random::{self, Maker};
use super::{
    Instance, Model, Quantified, SORTS, Sizes, State, Transition, Update, Var, name, names, of_sizes, tuples,
};
use crate::doors::program::{cubicle, text};
use crate::doors::small_search;
use crate::support::dice::{Dice, compared, environment};
use crate::support::fair::{
    CRASH, Demand, Fair, Holding, KINDS, Kind, SHAPES, Shape, Steps, compare_all_sizes, compare_instance,
};

/// Most states of an instance whose runs are compared: the graph is searched naively.
const MOST_STATES: usize = 250;

/// What one of the formulas says: a guard without updates.
struct Property {
    kind: Kind,
    first: Transition,
    then: Transition,
}

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
        let mut maker =
            Maker { sorts: 2, dice: Dice::new(seed ^ 0x5eed), vars, orders: false, rich, compares: false };
        let properties = (0..=maker.dice.below(3)).map(|_| property(&mut maker)).collect();
        let fair = Fair::of_some(&mut maker.dice, model.transitions.len());
        model.vars = maker.vars;
        Self { model, properties, fair }
    }

    fn kinds(&self) -> Vec<Kind> {
        self.properties.iter().map(|it| it.kind).collect()
    }

    fn text(&self, seed: u64) -> String {
        let mut out = self.model.to_string();
        for fair in &self.fair {
            let _ = writeln!(out, "{}t{}", fair.words(), fair.of);
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
    let kind = *maker.dice.pick(&KINDS);
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

/// All states of an instance and all steps between them.
struct Graph<'m> {
    instance: Instance<'m>,
    states: Vec<State>,
    initial: usize,
    steps: Steps,
}

/// `None` when there are too many states; whether processes crash.
fn graph(model: &Model, sizes: Sizes, crashes: bool) -> Option<Graph<'_>> {
    let instance = Instance::new(model, sizes);
    let mut known: BTreeMap<State, usize> = BTreeMap::new();
    let (mut states, mut steps, mut open) = (Vec::new(), Steps::default(), VecDeque::new());
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
                if instance.lives(&state, t, &args) && instance.may_fire(&state, t, &args) {
                    let nexts = instance.fire(&state, t, &args);
                    all.extend(
                        nexts.into_iter().map(|it| ((of, args.clone()), number(it, &mut states, &mut open))),
                    );
                }
            }
        }
        let crashed = instance.crashed(&state, None).into_iter();
        all.extend(crashed.map(|it| ((CRASH, Vec::new()), number(it, &mut states, &mut open))));
        steps.0.push(all);
    }
    Some(Graph { instance, states, initial, steps })
}

impl Graph<'_> {
    fn demands(&self, fair: &[Fair]) -> Vec<Demand> {
        let of = |it: &Fair| {
            let params = &self.instance.model.transitions[it.of].params;
            it.demands(tuples(self.instance.sizes, params, true).into_iter().map(|args| (it.of, args)))
        };
        fair.iter().flat_map(of).collect()
    }

    /// In which states a formula holds, which includes processes that have crashed.
    fn holds(&self, formula: &Transition, args: &[usize]) -> Vec<bool> {
        let cells = |state: &State| state[..self.instance.life(0, 0)].to_vec();
        self.states.iter().map(|state| self.instance.may_fire(&cells(state), formula, args)).collect()
    }

    /// Whether a property is violated; of a cover, whether it is not reached.
    fn violates(&self, property: &Property, fair: &[Fair]) -> bool {
        let Property { kind, first, then } = property;
        let args = tuples(self.instance.sizes, &first.params, true).into_iter();
        let holding = args.map(|args| Holding {
            first: self.holds(first, &args),
            then: self.holds(then, &args),
            crashed: self.states.iter().map(|it| !self.instance.live(it, &first.params, &args)).collect(),
        });
        self.steps.violates(*kind, holding, &self.demands(fair))
    }

    fn violated(&self, case: &Case) -> Vec<bool> {
        case.properties.iter().map(|it| self.violates(it, &case.fair)).collect()
    }

    /// Whether a formula of linear temporal logic is violated for some processes.
    fn breaks(&self, shape: Shape, (left, right): (&Transition, &Transition), fair: &[Fair]) -> bool {
        let demands = self.demands(fair);
        tuples(self.instance.sizes, &left.params, true).into_iter().any(|args| {
            let [a, b] = [left, right].map(|it| self.holds(it, &args));
            self.steps.breaks(shape, self.initial, [&a, &b], &demands)
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
        self.steps.0.iter().any(Vec::is_empty)
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
        _ => match with_crashes(&system, Crash::Stop(None)) {
            Ok(failing) => all_graphs(true).iter().map(|it| instance(seed, &case, &failing, it)).sum(),
            Err(why) => Err(format!("no crashes: {}", why.message)),
        },
    }
    .map_err(|why| format!("seed {seed}: {why}\n{text}"))?;
    Ok(compared)
}

/// Each property in an instance with these numbers of processes of each sort.
fn instance(seed: u64, case: &Case, system: &System, graph: &Graph<'_>) -> Result<usize, String> {
    let sizes = graph.instance.sizes;
    let options = of_sizes(2, sizes).symmetry((seed / 4).is_multiple_of(2));
    compare_instance(&case.kinds(), system, sizes.iter().sum(), &options, &graph.violated(case))
        .map_err(|why| format!("{sizes:?}: {why}"))
}

/// The answers of a whole run.
fn all_sizes(seed: u64, case: &Case, system: &System, graphs: &[Graph<'_>]) -> Result<usize, String> {
    let options = small_search(BackwardMode::Auto).only_forward(seed.is_multiple_of(8));
    let right = graphs.iter().map(|it| (it.instance.sizes, it.violated(case)));
    compare_all_sizes(&case.kinds(), system, options, &right.collect::<Vec<_>>())
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
    let shaped = shape.said(&a, &b);
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
        let violated = case.kinds().into_iter().zip(graph.violated(case)).filter(|it| it.1);
        let broken: Vec<Kind> = violated.map(|it| it.0).collect();
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
    let compared = compared(first, count, examine);
    println!("{count} models, {compared} answers compared");
    assert!(compared > count, "only {compared} answers for {count} models were compared");
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
