//! Formulas, alone and in properties of runs, have the meaning of `docs/language.md`: quantifiers are compared with a
//! separate evaluator, on random states.

use cubicle::load::{FormulaScope, ModelSource, parse_formula};
use cubicle::model::semantics::{Layout, Point, Semantics, State, Value};
use cubicle::model::{System, VarId};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const MODEL: &str = "type t = A | B | C
var G : proc
var X : t
array S[proc] : t
init (p) { S[p] = A && X = A }
unsafe (p) { S[p] = C && X = C }
transition step (p) requires { S[p] = A } { S[p] := B; G := ?; X := ? }
";

/// A formula, with processes by their names.
enum Formula {
    /// `S[i] = v`, or that it differs.
    Cell(String, usize, bool),
    /// `i = j`, or not.
    Same(String, String, bool),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    /// For all or for one, of those in scope or of others: names, body.
    Quantified(bool, bool, Vec<String>, Box<Formula>),
}

const VALUES: [&str; 3] = ["A", "B", "C"];

/// A random formula. No existential stands within a universal: `within` says that a universal is around.
fn formula(
    rng: &mut ChaCha8Rng,
    depth: usize,
    names: &mut Vec<String>,
    polarity: bool,
    within: bool,
) -> Formula {
    let kind = if depth == 0 { rng.random_range(0..2) } else { rng.random_range(0..8) };
    let name = |rng: &mut ChaCha8Rng, names: &[String]| names[rng.random_range(0..names.len())].clone();
    let index = |rng: &mut ChaCha8Rng, names: &[String]| match rng.random_range(0..5) {
        0 => "G".to_owned(),
        _ => name(rng, names),
    };
    match kind {
        1 => {
            let (a, b) = (name(rng, names), index(rng, names));
            Formula::Same(a, b, rng.random_range(0..2) == 0)
        }
        2 => Formula::Not(Box::new(formula(rng, depth - 1, names, !polarity, within))),
        3 => {
            let a = formula(rng, depth - 1, names, !polarity, within);
            let b = formula(rng, depth - 1, names, polarity, within);
            Formula::Implies(Box::new(a), Box::new(b))
        }
        4 | 5 => {
            let parts = (0..2).map(|_| formula(rng, depth - 1, names, polarity, within)).collect();
            if kind == 4 { Formula::And(parts) } else { Formula::Or(parts) }
        }
        6 | 7 => {
            let all = within || rng.random_range(0..2) == 0;
            let other = rng.random_range(0..2) == 0;
            let bound: Vec<String> =
                (0..rng.random_range(1..3)).map(|n| format!("v{}", names.len() + n)).collect();
            let known = names.len();
            names.extend(bound.iter().cloned());
            let body = formula(rng, depth - 1, names, polarity, within || all);
            names.truncate(known);
            Formula::Quantified(all == polarity, other, bound, Box::new(body))
        }
        _ => {
            let at = index(rng, names);
            Formula::Cell(at, rng.random_range(0..3), rng.random_range(0..2) == 0)
        }
    }
}

fn written(it: &Formula) -> String {
    let joined = |parts: &[Formula], by: &str| {
        parts.iter().map(|it| format!("({})", written(it))).collect::<Vec<_>>().join(by)
    };
    match it {
        Formula::Cell(at, value, equal) => {
            format!("S[{at}] {} {}", if *equal { "=" } else { "<>" }, VALUES[*value])
        }
        Formula::Same(a, b, equal) => format!("{a} {} {b}", if *equal { "=" } else { "<>" }),
        Formula::Not(a) => format!("not ({})", written(a)),
        Formula::And(parts) => joined(parts, " && "),
        Formula::Or(parts) => joined(parts, " || "),
        Formula::Implies(a, b) => format!("({}) => ({})", written(a), written(b)),
        Formula::Quantified(all, other, names, body) => {
            let word = if *all { "forall" } else { "exists" };
            let other = if *other { "_other" } else { "" };
            format!("{word}{other} {}. ({})", names.join(" "), written(body))
        }
    }
}

/// A state, for the evaluator.
struct World {
    cells: Vec<usize>,
    /// A process, or something outside.
    global: Option<usize>,
    /// Processes that `.._other` leaves out, besides bound ones.
    parameters: Vec<usize>,
}

impl World {
    fn process(&self, env: &[(String, usize)], name: &str) -> Option<usize> {
        if name == "G" {
            return self.global;
        }
        env.iter().find(|(known, _)| known == name).map(|(_, process)| *process)
    }

    fn holds(&self, it: &Formula, env: &mut Vec<(String, usize)>) -> bool {
        match it {
            // A cell at a value that is not a process is equal to nothing, and differs from nothing.
            Formula::Cell(at, value, equal) => {
                self.process(env, at).is_some_and(|at| (self.cells[at] == *value) == *equal)
            }
            Formula::Same(a, b, equal) => (self.process(env, a) == self.process(env, b)) == *equal,
            Formula::Not(a) => !self.holds(a, env),
            Formula::And(parts) => parts.iter().all(|it| self.holds(it, env)),
            Formula::Or(parts) => parts.iter().any(|it| self.holds(it, env)),
            Formula::Implies(a, b) => !self.holds(a, env) || self.holds(b, env),
            Formula::Quantified(all, other, names, body) => {
                let mut excluded = Vec::new();
                if *other {
                    excluded.clone_from(&self.parameters);
                    excluded.extend(env.iter().filter(|(name, _)| name.starts_with('v')).map(|(_, it)| *it));
                }
                self.quantified(*all, names, body, &excluded, env)
            }
        }
    }

    fn quantified(
        &self,
        all: bool,
        names: &[String],
        body: &Formula,
        excluded: &[usize],
        env: &mut Vec<(String, usize)>,
    ) -> bool {
        let Some((first, rest)) = names.split_first() else { return self.holds(body, env) };
        for process in (0..self.cells.len()).filter(|it| !excluded.contains(it)) {
            env.push((first.clone(), process));
            let excluded = [excluded, &[process]].concat();
            let holds = self.quantified(all, rest, body, &excluded, env);
            env.pop();
            if holds != all {
                return !all;
            }
        }
        all
    }
}

fn random_state(rng: &mut ChaCha8Rng, system: &System, procs: usize) -> (State, World) {
    let global = rng.random_range(0..=procs);
    let cells: Vec<usize> = (0..procs).map(|_| rng.random_range(0..3)).collect();
    let layout = Layout::new(system, procs);
    let mut values = vec![Value::Constructor(0); layout.len()];
    // A value that is not a process, after all of them.
    let outside = Point(Point::process(procs).0 + 1);
    let named = if global < procs { Point::process(global) } else { outside };
    values[layout.position(VarId(0), [])] = Value::Proc(named);
    for (process, cell) in cells.iter().enumerate() {
        values[layout.position(VarId(2), [process])] = Value::Constructor(*cell as u8);
    }
    let global = (global < procs).then_some(global);
    (State { procs, values }, World { cells, global, parameters: Vec::new() })
}

/// Checks in random states that the formula agrees with the evaluator; false when the formula is too large to be loaded.
fn agrees(seed: u64, system: &System, numbered: bool, tally: &mut [usize; 2]) -> bool {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let params = rng.random_range(1..3);
    let name = |it: usize| if numbered { format!("#{}", it + 1) } else { format!("p{it}") };
    let mut names: Vec<String> = (0..params).map(name).collect();
    let tree = formula(&mut rng, 3, &mut names, true, false);
    let text = written(&tree);
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    let scope = if numbered { FormulaScope::Numbered(params) } else { FormulaScope::Parameters(&known) };
    let condition = match parse_formula(ModelSource::new(system, MODEL), scope, &text) {
        Ok(condition) => condition,
        Err(errors) => {
            assert!(errors.iter().all(|it| it.code == "C0504"), "{text}: {errors:?}");
            return false;
        }
    };
    for _ in 0..20 {
        let procs = rng.random_range(params..5);
        let (state, mut world) = random_state(&mut rng, system, procs);
        let tuple: Vec<usize> = if numbered { (0..params).collect() } else { (0..params).rev().collect() };
        let own = |it: &usize| !numbered || text.contains(&name(*it));
        world.parameters = (0..params).filter(own).map(|it| tuple[it]).collect();
        let mut env: Vec<(String, usize)> = names.iter().cloned().zip(tuple.iter().copied()).collect();
        let expected = world.holds(&tree, &mut env);
        let found = Semantics::new(system, procs).holds(&state, &condition, &tuple);
        assert_eq!(found, Some(expected), "seed {seed}: {text} in {:?}, G = {:?}", world.cells, world.global);
        tally[usize::from(expected)] += 1;
    }
    true
}

#[test]
fn quantifiers_have_their_documented_meaning() {
    let system = cubicle::load(MODEL).expect("a model").system;
    let count = std::env::var("CUBICLE_FORMULA_COUNT").map_or(600, |text| text.parse().expect("a number"));
    let mut tally = [0; 2];
    let read = (0..count).filter(|seed| agrees(*seed, &system, seed % 2 == 0, &mut tally)).count();
    assert!(read as u64 > count / 2 && tally.iter().all(|it| *it > 20 * read / 5), "{read} read, {tally:?}");
}
