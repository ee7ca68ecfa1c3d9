//! Concrete runs: from stored states (canonical, perhaps partly undefined) to real ones.
//!
//! Each stored edge is repeated, which gives the renaming between the two states; undone step by
//! step, these yield the run under its own process names. Undefined cells then get the value that a
//! later step chose for them, or any value when none did. Nameless values are named so that a name
//! means one value along the whole run. The result is replayed by the reference semantics.

use std::collections::BTreeSet;

use crate::program::{Gaps, Initially, Program, Scratch, WrittenValue};
use crate::state::{Cells, CodeKind, UNDEF};
use crate::store::{StateTree, way};
use crate::symmetry::refinement::{Renaming, rename};
use cubicle_lang::bits::bits;
use cubicle_lang::list::sorted;
use cubicle_lang::model::classes::Distinctness;
use cubicle_lang::model::semantics::{ReplayError, State, Step, Value, replay, with_counts};
use cubicle_lang::model::union_find::UnionFind;
use cubicle_run::Trace;
use serde::{Deserialize, Serialize};

/// A state that is bad or deadlocked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// Number of the stored state.
    pub state: usize,
    /// The state with the deciding cells defined.
    pub refined: Vec<u64>,
    /// Index in [`System::bad`](cubicle_lang::model::SystemParts::bad); `None` for a deadlock.
    pub bad: Option<usize>,
}

/// A run could not be rebuilt from its stored states, or the reference semantics rejects it.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// No firing of the stored instance leads from one stored state to the next.
    #[error("step {0} cannot be repeated")]
    Step(usize),
    /// A count of one of its states leaves the 64-bit range.
    #[error("a count leaves the 64-bit range")]
    Counts,
    /// The reference semantics rejects it.
    #[error(transparent)]
    Replay(#[from] ReplayError),
}

impl TraceError {
    /// Whether the only obstacle is a number out of range.
    pub fn is_overflow(&self) -> bool {
        matches!(self, Self::Counts | Self::Replay(ReplayError::Overflow { .. }))
    }
}

/// A step under real process names.
pub struct RealStep {
    pub instance: usize,
    /// The state before, with the cells defined that the step reads.
    pub before: Vec<i64>,
}

pub fn build(program: &Program, visited: &StateTree, finding: &Finding) -> Result<Trace, TraceError> {
    let chain = way(finding.state, usize::MAX, |at| visited.parents[at]);
    let cells = &program.cells;
    // Stored name -> real name.
    let mut names: Vec<u8> = (0..cells.procs as u8).collect();
    let mut steps: Vec<RealStep> = Vec::with_capacity(chain.len());
    let mut scratch = Scratch::new(program);
    for (number, edge) in chain.windows(2).enumerate() {
        let (from, to) = (visited.store.state(edge[0]), visited.store.state(edge[1]));
        let (instance, refined, renaming) =
            repeat(program, from, to, &mut scratch).ok_or(TraceError::Step(number + 1))?;
        let real = real_instance(program, instance, &names).ok_or(TraceError::Step(number + 1))?;
        steps.push(RealStep { instance: real, before: real_codes(program, &refined, &names) });
        let mut next = vec![0; names.len()];
        for (old, new) in renaming.iter().enumerate() {
            next[usize::from(*new)] = names[old];
        }
        names = next;
    }
    let last = real_codes(program, &finding.refined, &names);
    let (initial, steps) = states(program, &steps, last, None).ok_or(TraceError::Counts)?;
    let trace = Trace { initial, steps, bad: finding.bad };
    replay(&program.system, &trace)?;
    Ok(trace)
}

/// The first state and the steps of a run of which all steps are known; `last` is its final state, which
/// must be the state before step number `back` when there is one. `None` when a count leaves the 64-bit range.
pub fn states(
    program: &Program,
    steps: &[RealStep],
    last: Vec<i64>,
    back: Option<usize>,
) -> Option<(State, Vec<Step>)> {
    let mut values = concretize(program, steps, last, back);
    for values in &mut values {
        program.choose(values);
    }
    let places = &program.cells.places;
    let state = |values| {
        with_counts(&program.system, State { procs: places.procs, values: places.whole_values(values) })
    };
    let mut states = values.into_iter().map(state).collect::<Option<Vec<_>>>()?.into_iter();
    let initial = states.next().expect("a run has an initial state");
    let step = |(step, after): (&RealStep, State)| {
        let instance = &program.instances[step.instance];
        let args = instance.args.iter().map(|a| usize::from(*a)).collect();
        Step { transition: instance.transition, args, after }
    };
    Some((initial, steps.iter().zip(states).map(step).collect()))
}

/// The first firing that leads from one stored state to another: the instance, the source with what
/// the step reads defined, and the renaming that makes the successor canonical.
pub fn repeat(
    program: &Program,
    from: &[u64],
    to: &[u64],
    scratch: &mut Scratch,
) -> Option<(usize, Vec<u64>, Renaming)> {
    program.exits(from, scratch);
    let mut found = None;
    for instance in bits(&scratch.enabled) {
        program.firings(instance, from, Gaps::new(&mut false, None), |refined, next| {
            if found.is_none() {
                let mut next = next.to_vec();
                let (renaming, _) = program.symmetry.renaming(&program.cells, &program.packing, &mut next);
                if next == to {
                    found = Some((instance, refined.to_vec(), renaming));
                }
            }
        });
        if found.is_some() {
            break;
        }
    }
    found
}

/// This transition with renamed arguments.
pub fn real_instance(program: &Program, instance: usize, names: &[u8]) -> Option<usize> {
    let stored = &program.instances[instance];
    let args: Vec<u8> = stored.args.iter().map(|a| names[usize::from(*a)]).collect();
    program.instances.iter().position(|i| i.transition == stored.transition && i.args.as_slice() == args)
}

/// The codes of a state under real process names.
pub fn real_codes(program: &Program, state: &[u64], names: &[u8]) -> Vec<i64> {
    let mut out = Vec::new();
    rename(&program.cells, names, &program.packing.codes(state), &mut out);
    out
}

/// Concrete values of all states of the run; `last` is its final state, with the names of the state before step
/// number `back`, if any.
fn concretize(program: &Program, steps: &[RealStep], last: Vec<i64>, back: Option<usize>) -> Vec<Vec<Value>> {
    let cells = &program.cells;
    let n = cells.len();
    let mut codes: Vec<Vec<i64>> = steps.iter().map(|s| s.before.clone()).chain([last]).collect();
    // Pairs of a state and a cell that hold the same nameless value.
    let mut union = UnionFind::new(n * codes.len());
    // A cell that a step does not change keeps its value, also when it is only chosen later.
    for j in (0..codes.len()).rev() {
        let flows = steps.get(j).map(|s| flows(program, s));
        for c in 0..n {
            let unchanged = flows.as_ref().is_some_and(|f| f[c] == Some(c));
            if codes[j][c] == UNDEF {
                codes[j][c] = if unchanged { codes[j + 1][c] } else { default_code(cells, c) };
            }
            if let Some(Some(source)) = flows.as_ref().map(|f| f[c]) {
                union.join(j * n + source, (j + 1) * n + c);
            }
        }
        // Equal codes that were chosen together are one value; codes that come from a later state, or
        // chosen freely, are numbered differently and come with their own joins.
        let own: Vec<i64> =
            if let Some(step) = steps.get(j) { step.before.clone() } else { codes[j].clone() };
        for class in &cells.classes {
            let mut first: Vec<Option<usize>> = vec![None; class.base as usize + class.nameless + 1];
            for &c in &class.cells {
                if class.nameless > 0 && own[c] != UNDEF && own[c] >= class.base {
                    match first[own[c] as usize] {
                        Some(node) => union.join(node, j * n + c),
                        None => first[own[c] as usize] = Some(j * n + c),
                    }
                }
            }
        }
    }
    for c in back.into_iter().flat_map(|_| 0..n) {
        union.join(back.unwrap_or(0) * n + c, steps.len() * n + c);
    }
    define_dead(program, steps, &mut codes, &mut union);
    let names = names(cells, steps, &codes, &mut union);
    codes
        .iter()
        .enumerate()
        .map(|(j, codes)| {
            let value = |(c, code): (usize, &i64)| {
                let class = &cells.classes[cells.cells[c].class];
                let has_name = matches!(class.names, Distinctness::Partition | Distinctness::Ordered)
                    && class.nameless > 0
                    && *code >= class.base;
                cells.value(c, *code, has_name.then(|| names[j * n + c]))
            };
            codes.iter().enumerate().map(value).collect()
        })
        .collect()
}

/// Gives cells that states leave undefined because they are dead the values that they have in the run.
fn define_dead(program: &Program, steps: &[RealStep], codes: &mut [Vec<i64>], union: &mut UnionFind) {
    let mut dead = vec![false; program.cells.len()];
    let is_open = |c: usize| steps.first().is_none_or(|step| step.before[c] == UNDEF);
    for c in program.dead.all() {
        match program.dead.value_initially(c) {
            // Nothing depends on a value that no initial state has; one that may be initial may have been chosen for what a state asks.
            Some(Initially::Any(initial)) if initial >> codes[0][c] & 1 == 0 => {
                (dead[c], codes[0][c]) = (true, i64::from(initial.trailing_zeros()));
            }
            Some(Initially::As(k)) if is_open(c) => {
                (dead[c], codes[0][c]) = (true, codes[0][k]);
                union.join(c, k);
            }
            _ => {}
        }
    }
    for (j, step) in steps.iter().enumerate() {
        let flows = flows(program, step);
        program.instances[step.instance].dead.iter().for_each(|c| dead[*c] = true);
        for (c, flow) in flows.iter().enumerate() {
            dead[c] &= *flow == Some(c);
            if dead[c] {
                codes[j + 1][c] = codes[j][c];
            }
        }
    }
}

/// For each cell: the cell of the state before whose value it gets, if any.
fn flows(program: &Program, step: &RealStep) -> Vec<Option<usize>> {
    let n = program.cells.len();
    let taken = program.step(step.instance);
    let instance = taken.instance;
    let is_kept = |c: usize| taken.constant(c).is_none() || instance.dead.contains(&c);
    let mut flows: Vec<Option<usize>> = (0..n).map(|c| is_kept(c).then_some(c)).collect();
    let mut packed = vec![0; program.packing.words];
    program.packing.pack(&step.before, &mut packed).expect("a stored state fits");
    for write in &instance.writes {
        flows[write.cell] = match program.source(write, &packed) {
            Some(WrittenValue::Copy(from)) => Some(*from),
            _ => None,
        };
    }
    flows
}

/// A value for a cell that is never read.
fn default_code(cells: &Cells, c: usize) -> i64 {
    let cell = &cells.cells[c];
    match cell.kind {
        CodeKind::Int | CodeKind::Real => {
            cells.samples.first().and_then(|n| cells.scaled(cell.kind, *n)).unwrap_or(0)
        }
        CodeKind::Enum | CodeKind::Proc | CodeKind::Abstract => cells.first_open_code(c),
    }
}

/// Names of nameless values, for each (state, cell): in order of first occurrence, or, where order
/// counts, in an order that agrees with every state.
fn names(cells: &Cells, steps: &[RealStep], codes: &[Vec<i64>], union: &mut UnionFind) -> Vec<i64> {
    let n = cells.len();
    let mut names = vec![0; n * codes.len()];
    for class in cells.classes.iter().filter(|c| c.nameless > 0) {
        let mut roots: BTreeSet<usize> = BTreeSet::new();
        let mut before: BTreeSet<(usize, usize)> = BTreeSet::new();
        for (j, state) in codes.iter().enumerate() {
            let own = steps.get(j).map_or(state, |s| &s.before);
            let mut ranked: Vec<(i64, usize)> = Vec::new();
            for &c in &class.cells {
                if state[c] >= class.base {
                    let root = union.root(j * n + c);
                    roots.insert(root);
                    if own[c] != UNDEF {
                        ranked.push((own[c], root));
                    }
                }
            }
            if class.names == Distinctness::Ordered {
                before.extend(sorted(ranked).windows(2).map(|w| (w[0].1, w[1].1)));
            }
        }
        let mut waits = vec![0usize; n * codes.len()];
        for (_, later) in &before {
            waits[*later] += 1;
        }
        // Those that no other one must come before.
        let mut ready = roots;
        ready.retain(|root| waits[*root] == 0);
        let mut of_root = vec![0; n * codes.len()];
        let mut next = 0;
        while let Some(root) = ready.pop_first() {
            of_root[root] = next;
            next += 1;
            for (_, later) in before.range((root, 0)..(root + 1, 0)) {
                waits[*later] -= 1;
                if waits[*later] == 0 {
                    ready.insert(*later);
                }
            }
        }
        for (j, state) in codes.iter().enumerate() {
            for &c in &class.cells {
                if state[c] >= class.base {
                    names[j * n + c] = of_root[union.root(j * n + c)];
                }
            }
        }
    }
    names
}
