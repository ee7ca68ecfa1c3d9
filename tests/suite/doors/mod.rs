//! Every door (way to use) of the product, compared with brute force that is written from the documents alone and shares no
//! code with it.
//!
//! `ast` and `generate` make random models, `instance` has their semantics, `graph` explores instances and searches for
//! fair loops; the other files are doors, each compares the answers of the product with the right ones. `reduce` makes a
//! model that shows a disagreement smaller.
//!
//! `CUBICLE_DOORS_SEED`, `CUBICLE_DOORS_COUNT` and `CUBICLE_DOORS_ONLY` (the name of a door) choose systems and doors;
//! `cargo test --release --test suite -- --ignored doors::campaign` takes many and continues after a disagreement.

mod ast;
mod certified;
mod counting;
mod equations;
mod failures;
mod formulas;
mod generate;
mod graph;
mod instance;
mod pointers;
pub mod program;
mod reader;
mod reduce;
mod refined;
mod runs;
mod small;
mod states;
mod validate;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use self::ast::Model;
use self::counting::counting;
pub use self::failures::failing;
use self::generate::generate;
use self::graph::{Graph, explore};
pub use self::instance::Failures;
use self::reduce::reduce;
pub use self::states::{engine, small as small_search};
use crate::support::dice::environment;

/// A disagreement between the product and brute force.
struct Disagreement {
    /// Its kind, so that reducing the model does not change it to another.
    kind: &'static str,
    detail: String,
}

/// Whether there was something to compare, or the disagreement.
type Checked = Result<bool, Disagreement>;

const REFUSED: &str = "a model is refused";

fn differ(kind: &'static str, detail: String) -> Checked {
    Err(Disagreement { kind, detail })
}

/// A model on its way through a door.
struct Case<'m> {
    model: &'m Model,
    text: String,
    seed: u64,
    /// The largest instance for brute force, and its maximal number of states.
    largest: usize,
    states: usize,
    graphs: RefCell<BTreeMap<(usize, String), Option<Rc<Graph<'m>>>>>,
}

impl<'m> Case<'m> {
    fn new(model: &'m Model, seed: u64) -> Self {
        let (largest, states) = if seed.is_multiple_of(5) { (4, 800) } else { (3, 300) };
        let largest = model.number_procs.map_or(largest, |most| most.min(largest));
        let graphs = RefCell::default();
        Self { model, text: model.to_string(), seed, largest, states, graphs }
    }

    /// An instance; `None` when it is too large to begin with.
    fn graph(&self, procs: usize, failures: Failures) -> Option<Rc<Graph<'m>>> {
        if self.model.number_procs.is_some_and(|most| procs > most) {
            return None;
        }
        let mut graphs = self.graphs.borrow_mut();
        let key = (procs, format!("{failures:?}"));
        graphs
            .entry(key)
            .or_insert_with(|| explore(self.model, procs, failures, self.states).map(Rc::new))
            .clone()
    }

    fn graphs(&self, failures: Failures) -> impl Iterator<Item = Rc<Graph<'m>>> {
        (0..=self.largest).filter_map(move |procs| self.graph(procs, failures))
    }

    fn system(&self) -> Result<cubicle::model::System, Disagreement> {
        load(&self.text)
    }
}

fn load(text: &str) -> Result<cubicle::model::System, Disagreement> {
    let loaded = cubicle::load(text);
    loaded.map(|it| it.system).map_err(|why| Disagreement { kind: REFUSED, detail: format!("{why}\n{text}") })
}

/// A way through the product; it is tested on one in this many systems.
struct Door {
    name: &'static str,
    every: u64,
    enter: fn(&Case<'_>) -> Checked,
}

const DOORS: &[Door] = &[
    Door { name: "states", every: 4, enter: states::states },
    Door { name: "proofs", every: 4, enter: states::proofs },
    Door { name: "stopping", every: 3, enter: failures::stopping },
    Door { name: "restarting", every: 2, enter: failures::restarting },
    Door { name: "runs", every: 1, enter: runs::instances },
    Door { name: "numbers", every: 1, enter: states::numbers },
    Door { name: "formulas", every: 8, enter: formulas::formulas },
    Door { name: "shrunk", every: 66, enter: small::shrunk },
    Door { name: "vacuity", every: 1, enter: states::vacuity },
    Door { name: "certified", every: 20, enter: certified::certified },
    Door { name: "runs_failing", every: 6, enter: runs::failing },
    Door { name: "rankings", every: 2, enter: runs::rankings },
    Door { name: "logs", every: 1, enter: validate::logs },
    Door { name: "any_number", every: 16, enter: runs::for_any_number },
];

/// The doors of models that count processes.
const COUNTING: &[Door] = &[
    Door { name: "counting", every: 1, enter: counting::instances },
    Door { name: "counting_runs", every: 1, enter: counting::properties },
    Door { name: "equations", every: 2, enter: equations::of_all },
    Door { name: "equations_of_each", every: 1, enter: equations::of_each },
    Door { name: "counting_proofs", every: 2, enter: states::proofs },
    Door { name: "counting_certified", every: 20, enter: certified::certified },
];

/// The number of comparisons at each door.
type Tally = BTreeMap<&'static str, usize>;

fn through(door: &Door, model: &Model, seed: u64) -> Checked {
    let enter = AssertUnwindSafe(|| (door.enter)(&Case::new(model, seed)));
    catch_unwind(enter).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
        differ("panic", text.unwrap_or_default())
    })
}

/// A random model that counts processes.
pub fn counting_text(seed: u64) -> String {
    counting(seed).to_string()
}

/// Sends a system through its doors; returns the disagreements, each with a reduced model.
fn examine(seed: u64, tally: &mut Tally) -> Vec<String> {
    through_all(DOORS, &generate(seed), seed, tally)
}

fn through_all(doors: &[Door], model: &Model, seed: u64, tally: &mut Tally) -> Vec<String> {
    let only = std::env::var("CUBICLE_DOORS_ONLY").ok();
    let chosen = |door: &&Door| match &only {
        Some(name) => door.name == name,
        None => (seed / 3).wrapping_mul(7).wrapping_add(seed).is_multiple_of(door.every),
    };
    let mut wrong = Vec::new();
    for door in doors.iter().filter(chosen) {
        match through(door, model, seed) {
            Ok(compared) => *tally.entry(door.name).or_default() += usize::from(compared),
            Err(first) => {
                let fails = |m: &Model| through(door, m, seed).is_err_and(|it| it.kind == first.kind);
                let keep = first.kind == REFUSED;
                let small = if keep { model.clone() } else { reduce(model, &fails) };
                let detail = through(door, &small, seed).err().map_or(first.detail, |it| it.detail);
                wrong.push(format!("{}, seed {seed}: {}\n{small}{detail}\n", door.name, first.kind));
            }
        }
    }
    wrong
}

#[test]
fn doors_agree_with_brute_force() {
    let (first, count) = (environment("CUBICLE_DOORS_SEED", 0), environment("CUBICLE_DOORS_COUNT", 200));
    let mut tally = Tally::new();
    for seed in first..first + count {
        let wrong = examine(seed, &mut tally);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
    // A door without comparisons tests nothing.
    let seen = |door: &Door| tally.get(door.name).copied().unwrap_or_default() as u64;
    assert!(DOORS.iter().all(|door| seen(door) > 0), "{tally:?}");
}

#[test]
fn models_that_count_agree_with_brute_force() {
    let (first, count) = (environment("CUBICLE_DOORS_SEED", 0), environment("CUBICLE_DOORS_COUNT", 40));
    let mut tally = Tally::new();
    let mut wrong = Vec::new();
    for seed in first..first + count {
        wrong.extend(through_all(COUNTING, &counting(seed), seed, &mut tally));
        assert!(wrong.len() < 10, "{}", wrong.join("\n"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(COUNTING.iter().all(|door| tally.get(door.name).is_some_and(|it| *it > 0)), "{tally:?}");
}

#[test]
#[ignore = "long: a campaign over many systems"]
#[allow(clippy::print_stdout, reason = "shows disagreements as they come")]
fn campaign() {
    let (first, count) =
        (environment("CUBICLE_DOORS_SEED", 1_000_000), environment("CUBICLE_DOORS_COUNT", 20_000));
    let (mut tally, mut failures) = (Tally::new(), 0);
    if count == 1 {
        println!("{}\n{}", generate(first), counting(first));
    }
    std::panic::set_hook(Box::new(|_| {}));
    for seed in first..first + count {
        let mut all = examine(seed, &mut tally);
        all.extend(through_all(COUNTING, &counting(seed), seed, &mut tally));
        for wrong in all {
            failures += 1;
            println!("{wrong}");
        }
        if failures >= 20 {
            break;
        }
    }
    drop(std::panic::take_hook());
    println!("compared: {tally:?}");
    assert_eq!(failures, 0, "disagreements");
}
