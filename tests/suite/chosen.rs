//! `A[p] := ?` of numbers and processes: random models against an interpreter written from the book alone. Numbers are only
//! compared with constants between 0 and 3 and processes only with parameters, so that six numbers, and one value that is not
//! a process, stand for all.

use std::collections::{BTreeSet, VecDeque};

use cubicle::forward::explore;
use cubicle::{BackwardMode, ForwardOptions, Interrupt, Silent, Stop, Verdict, check, words};

use super::doors::small_search;
use super::support::dice::{Dice, compared, environment};

const NAMES: [&str; 2] = ["p", "q"];
const NUMBERS: std::ops::RangeInclusive<i64> = -1..=4;

#[derive(Clone, Copy, PartialEq)]
enum Ty {
    Kind,
    Number,
    Process,
}

/// Name, declaration, number of processes in the index, type; a field stands for itself.
const ALL: [(&str, &str, usize, Ty); 8] = [
    ("At", "array At[proc] : kind", 1, Ty::Kind),
    ("Num", "array Num[proc] : int", 1, Ty::Number),
    ("Ptr", "array Ptr[proc] : proc", 1, Ty::Process),
    ("Net.to", "var Net : note", 0, Ty::Process),
    ("Net.num", "", 0, Ty::Number),
    ("Own.to", "array Own[proc] : note", 1, Ty::Process),
    ("Own.num", "", 1, Ty::Number),
    ("Grid", "array Grid[proc, bool] : int", 1, Ty::Number),
];

#[derive(Clone)]
enum Value {
    Constant(i64),
    Parameter(usize),
    Cell(usize, usize),
}

/// A cell (its variable and parameter), whether equal (or less: -1, greater: 1), and the value.
struct Compare(usize, usize, &'static str, Value);

enum Update {
    To(usize, usize, Value),
    Any(usize, usize),
    /// A whole record of notes.
    AnyNote(usize, usize),
}

struct Step {
    params: usize,
    guard: Vec<Compare>,
    updates: Vec<Update>,
}

struct Model {
    bad: Vec<Compare>,
    steps: Vec<Step>,
}

type State = Vec<Vec<i64>>;

fn cell(var: usize, param: usize) -> String {
    let (name, _, arity, _) = ALL[var];
    let (name, field) = name.split_once('.').unwrap_or((name, ""));
    let field = if field.is_empty() { String::new() } else { format!(".{field}") };
    match (name, arity) {
        ("Grid", _) => format!("Grid[{}, True]", NAMES[param]),
        (_, 0) => format!("{name}{field}"),
        _ => format!("{name}[{}]{field}", NAMES[param]),
    }
}

fn value(var: usize, value: &Value) -> String {
    match value {
        Value::Constant(it) if ALL[var].3 == Ty::Kind => {
            ["Aa", "Bb", "Cc"][usize::try_from(*it).expect("a constructor")].to_owned()
        }
        Value::Constant(it) => it.to_string(),
        Value::Parameter(p) => NAMES[*p].to_owned(),
        Value::Cell(var, param) => cell(*var, *param),
    }
}

fn conjunction(parts: &[Compare]) -> String {
    let parts = parts
        .iter()
        .map(|Compare(var, param, op, it)| format!("{} {op} {}", cell(*var, *param), value(*var, it)));
    parts.collect::<Vec<_>>().join(" && ")
}

impl std::fmt::Display for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "type kind = Aa | Bb | Cc\ntype note = {{ to : proc; num : int }}")?;
        for (_, declared, ..) in ALL.iter().filter(|it| !it.1.is_empty()) {
            writeln!(f, "{declared}")?;
        }
        let own = (0..ALL.len()).filter(|var| ALL[*var].2 == 1).map(|var| match ALL[var].3 {
            Ty::Kind => format!("{} = Aa", cell(var, 0)),
            Ty::Number => format!("{} = 0", cell(var, 0)),
            Ty::Process => format!("{} = p", cell(var, 0)),
        });
        let own: Vec<String> = own.collect();
        writeln!(
            f,
            "init (p) {{ {} && Grid[p, False] = 0 && Net.to <> p && Net.num = 0 }}",
            own.join(" && ")
        )?;
        writeln!(f, "unsafe (p q) {{ {} }}", conjunction(&self.bad))?;
        for (number, step) in self.steps.iter().enumerate() {
            let updates: Vec<String> = step
                .updates
                .iter()
                .map(|update| match update {
                    Update::To(var, param, it) => format!("{} := {}", cell(*var, *param), value(*var, it)),
                    Update::Any(var, param) => format!("{} := ?", cell(*var, *param)),
                    Update::AnyNote(var, param) => {
                        format!("{} := ?", cell(*var, *param).trim_end_matches(".to"))
                    }
                })
                .collect();
            let params = NAMES[..step.params].join(" ");
            let guard = conjunction(&step.guard);
            writeln!(
                f,
                "transition t{number} ({params}) requires {{ {guard} }} {{ {} }}",
                updates.join("; ")
            )?;
        }
        Ok(())
    }
}

struct Maker(Dice);

impl Maker {
    fn value(&mut self, var: usize, params: usize, assigned: bool) -> Value {
        let ty = ALL[var].3;
        if assigned && self.0.chance(25) {
            let same: Vec<usize> = (0..ALL.len()).filter(|it| ALL[*it].3 == ty).collect();
            return Value::Cell(*self.0.pick(&same), self.0.below(params));
        }
        match ty {
            Ty::Kind => Value::Constant(self.0.below(3) as i64),
            Ty::Number => Value::Constant(self.0.below(4) as i64),
            Ty::Process => Value::Parameter(self.0.below(params)),
        }
    }

    fn compare(&mut self, params: usize) -> Compare {
        let var = self.0.below(ALL.len());
        let ops: &[&'static str] =
            if ALL[var].3 == Ty::Number { &["=", "=", "<>", "<", ">", ">="] } else { &["=", "=", "<>"] };
        let op: &'static str = ops[self.0.below(ops.len())];
        Compare(var, self.0.below(params), op, self.value(var, params, false))
    }

    fn step(&mut self) -> Step {
        let params = 1 + self.0.below(2);
        let mut guard: Vec<Compare> = (0..=self.0.below(2)).map(|_| self.compare(params)).collect();
        guard.truncate(2);
        let (mut updates, mut written) = (Vec::new(), BTreeSet::new());
        for _ in 0..=self.0.below(3) {
            let (var, param) = (self.0.below(ALL.len()), self.0.below(params));
            let param = if ALL[var].2 == 0 { 0 } else { param };
            if !written.insert((var, param)) {
                continue;
            }
            let is_note = ALL[var].0.split_once('.').is_some_and(|it| it.1 == "to");
            updates.push(match self.0.below(5) {
                0 | 1 => Update::Any(var, param),
                2 if is_note && written.insert((var + 1, param)) => Update::AnyNote(var, param),
                _ => Update::To(var, param, self.value(var, params, true)),
            });
        }
        Step { params, guard, updates }
    }
}

fn model(seed: u64) -> Model {
    let mut maker = Maker(Dice::new(seed));
    let bad = (0..2 + maker.0.below(3)).map(|_| maker.compare(2)).collect();
    let steps = (0..2 + maker.0.below(3)).map(|_| maker.step()).collect();
    Model { bad, steps }
}

// Meaning

fn read(state: &State, var: usize, param: usize, args: &[usize]) -> i64 {
    state[var][if ALL[var].2 == 0 { 0 } else { args[param] }]
}

fn meaning(state: &State, it: &Value, args: &[usize]) -> i64 {
    match it {
        Value::Constant(it) => *it,
        Value::Parameter(p) => args[*p] as i64,
        Value::Cell(var, param) => read(state, *var, *param, args),
    }
}

fn holds(state: &State, parts: &[Compare], args: &[usize]) -> bool {
    parts.iter().all(|Compare(var, param, op, it)| {
        let (left, right) = (read(state, *var, *param, args), meaning(state, it, args));
        match *op {
            "=" => left == right,
            "<>" => left != right,
            "<" => left < right,
            ">" => left > right,
            _ => left >= right,
        }
    })
}

/// All values of a type; the number of processes is the value that is not one.
fn values(ty: Ty, procs: usize) -> Vec<i64> {
    match ty {
        Ty::Kind => vec![0, 1, 2],
        Ty::Number => NUMBERS.collect(),
        Ty::Process => (0..=procs as i64).collect(),
    }
}

fn tuples(procs: usize, params: usize) -> Vec<Vec<usize>> {
    match params {
        1 => (0..procs).map(|p| vec![p]).collect(),
        _ => (0..procs).flat_map(|p| (0..procs).filter(move |q| *q != p).map(move |q| vec![p, q])).collect(),
    }
}

fn successors(model: &Model, state: &State, procs: usize) -> Vec<State> {
    let mut found = Vec::new();
    for step in &model.steps {
        for args in tuples(procs, step.params) {
            if !holds(state, &step.guard, &args) {
                continue;
            }
            let mut all = vec![state.clone()];
            for update in &step.updates {
                let (cells, param, choices): (Vec<usize>, usize, _) = match update {
                    Update::To(var, param, it) => (vec![*var], *param, Some(meaning(state, it, &args))),
                    Update::Any(var, param) => (vec![*var], *param, None),
                    Update::AnyNote(var, param) => (vec![*var, *var + 1], *param, None),
                };
                for var in cells {
                    let at = if ALL[var].2 == 0 { 0 } else { args[param] };
                    let choices = choices.map_or_else(|| values(ALL[var].3, procs), |it| vec![it]);
                    let with = |known: &State, it: i64| {
                        let mut known = known.clone();
                        known[var][at] = it;
                        known
                    };
                    all =
                        all.iter().flat_map(|known| choices.iter().map(move |it| with(known, *it))).collect();
                }
            }
            found.extend(all);
        }
    }
    found
}

/// Whether a bad state can be reached, and a deadlock; `None` when there are more states than this.
fn brute_force(model: &Model, procs: usize, limit: usize) -> Option<(bool, bool)> {
    let initial: State = ALL
        .iter()
        .map(|(name, _, arity, ty)| {
            let one = |p: usize| match ty {
                Ty::Process if *arity == 1 => p as i64,
                Ty::Process => {
                    debug_assert_eq!(*name, "Net.to");
                    procs as i64
                }
                Ty::Kind | Ty::Number => 0,
            };
            (0..if *arity == 1 { procs } else { 1 }).map(one).collect()
        })
        .collect();
    let mut seen = BTreeSet::from([initial.clone()]);
    let mut open = VecDeque::from([initial]);
    let (mut bad, mut deadlock) = (false, false);
    while let Some(state) = open.pop_front() {
        bad |= tuples(procs, 2).iter().any(|args| holds(&state, &model.bad, args));
        let next = successors(model, &state, procs);
        deadlock |= next.is_empty();
        for state in next {
            if seen.insert(state.clone()) {
                open.push_back(state);
            }
        }
        if bad && deadlock {
            break;
        }
        if seen.len() > limit {
            return None;
        }
    }
    Some((bad, deadlock))
}

/// Whether there was something to compare; what is wrong.
fn examine(seed: u64) -> Result<bool, String> {
    let model = model(seed);
    let text = model.to_string();
    let shown = |what: &str| format!("seed {seed}: {what}\n{text}");
    let loaded = cubicle::load(&text).map_err(|why| shown(&why.to_string()))?;
    let core = words::model(&loaded.system);
    let again = cubicle::load(&core).map_err(|why| shown(&format!("the core is refused: {why}\n{core}")))?;
    let right: Vec<Option<(bool, bool)>> = (1..=2).map(|procs| brute_force(&model, procs, 6000)).collect();
    let mut compared = false;
    for system in [&loaded.system, &again.system] {
        for (procs, right) in (1..).zip(&right) {
            let Some((bad, deadlock)) = right else { continue };
            let options = ForwardOptions::default().max_states(3000).deadlock(true);
            let found = explore(system, procs, &options, &Interrupt::default(), &mut Silent).exploration;
            if found.unsafe_trace.is_some() && !bad {
                return Err(shown(&format!("unsafe with {procs} processes, but it is not")));
            }
            if found.deadlock_states > 0 && !deadlock {
                return Err(shown(&format!("a deadlock with {procs} processes, but there is none")));
            }
            let complete = found.stop == Stop::Complete;
            if complete && found.unsafe_trace.is_none() && *bad {
                return Err(shown(&format!("no bad state with {procs} processes, but there is one")));
            }
            compared |= complete || found.unsafe_trace.is_some();
        }
        let options = small_search(BackwardMode::Auto);
        let report = check(system, &options, &Interrupt::default(), &mut Silent);
        let report = report.map_err(|why| shown(&format!("internal error: {why}")))?;
        match &report.verdict {
            Some(Verdict::Safe) => {
                compared = true;
                if right.iter().flatten().any(|it| it.0) {
                    return Err(shown("safe, but it is not"));
                }
            }
            Some(Verdict::Unsafe(trace)) => {
                compared = true;
                if trace.initial.procs.checked_sub(1).and_then(|at| *right.get(at)?).is_some_and(|it| !it.0) {
                    return Err(shown(&format!(
                        "unsafe with {} processes, but it is not",
                        trace.initial.procs
                    )));
                }
            }
            _ => {}
        }
    }
    Ok(compared)
}

fn campaign(first: u64, count: u64) {
    let compared = compared(first, count, |seed| examine(seed).map(usize::from));
    assert!(compared * 2 > count, "only {compared} of {count} models were compared");
}

#[test]
fn numbers_and_processes_that_a_step_chooses_mean_what_the_book_says() {
    campaign(environment("CUBICLE_DOORS_SEED", 0), environment("CUBICLE_DOORS_COUNT", 40));
}

#[test]
#[ignore = "takes long"]
fn campaign_of_numbers_and_processes_that_a_step_chooses() {
    campaign(environment("CUBICLE_DOORS_SEED", 1_000), environment("CUBICLE_DOORS_COUNT", 2_000));
}
