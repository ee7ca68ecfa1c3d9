//! What an instance can do, as sets of states and steps that can be compared with those of another model.

use crate::explored::views::{ViewOrder, Viewer, permutations};
use crate::program::compiled::Program;
use crate::program::step::Scratch;
use crate::state::cells::CodeKind;
use crate::state::codes::UNDEF;
use crate::store::visited::Visited;
use cubicle_lang::bits::bits;
use cubicle_lang::model::System;

/// The reachable states of an instance, or its steps, up to renaming of processes: a number for each, which is the same
/// in every model with the same declarations. Which transition makes a step does not count. Outside values and values of
/// abstract types have no names: of a step it only counts which are equal before it, and which after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fingerprint {
    /// In increasing order, each once.
    parts: Vec<u128>,
    /// Whether the order of processes counts.
    ordered: bool,
}

impl Fingerprint {
    /// Of the states of an instance. `None` when one is not concrete. Where the order of processes counts, they must
    /// not be taken for exchangeable; this holds for steps, too.
    pub(super) fn of_states(look: &mut OrbitLook<'_>, visited: &Visited) -> Option<Self> {
        let states = 0..visited.store.len();
        let parts = states.map(|number| look.state(visited.store.state(number))).collect::<Option<_>>()?;
        Some(Self::new(parts, look.ordered))
    }

    /// Of the steps of an instance.
    pub(super) fn of_steps(look: &mut OrbitLook<'_>, visited: &Visited) -> Option<Self> {
        let program = look.program;
        let mut scratch = Scratch::new(program);
        let mut steps = Vec::new();
        let mut concrete = true;
        for number in 0..visited.store.len() {
            let state = visited.store.state(number);
            program.exits(state, &mut scratch);
            for instance in bits(&scratch.enabled) {
                program.firings(instance, state, |before, after| match look.step(before, after) {
                    Some(step) => steps.push(step),
                    None => concrete = false,
                });
            }
            if !concrete {
                return None;
            }
        }
        Some(Self::new(steps, look.ordered))
    }

    fn new(mut parts: Vec<u128>, ordered: bool) -> Self {
        parts.sort_unstable();
        parts.dedup();
        Self { parts, ordered }
    }

    /// How many there are.
    pub const fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// How many the other has that this one has not, and the other way round. `None` when the order of processes
    /// counts in one only.
    pub fn difference(&self, other: &Self) -> Option<(usize, usize)> {
        let missing =
            |from: &[u128], of: &[u128]| of.iter().filter(|it| from.binary_search(it).is_err()).count();
        let same = self.ordered == other.ordered;
        same.then(|| (missing(&self.parts, &other.parts), missing(&other.parts, &self.parts)))
    }
}

/// Looks at states so that only what counts is seen.
pub(super) struct OrbitLook<'a> {
    program: &'a Program,
    viewer: Viewer<'a>,
    /// Whether the order of processes counts.
    ordered: bool,
    /// The orders in which processes are looked at.
    orders: Vec<ViewOrder>,
    /// What the states of a step look like in each of them.
    sides: [Vec<u128>; 2],
    /// The state before the last step.
    before: Vec<u64>,
}

impl<'a> OrbitLook<'a> {
    pub(super) fn new(system: &System, program: &'a Program, ordered: bool) -> Self {
        let fixed = usize::from(system.proc_constants);
        let free: Vec<usize> = (fixed..program.cells.procs).collect();
        let orders = if ordered { vec![free] } else { permutations(&free) };
        let order = |order: Vec<usize>| ViewOrder::new(program, (0..fixed).chain(order).collect());
        let orders = orders.into_iter().map(order).collect();
        Self {
            program,
            viewer: Viewer::new(program, ordered),
            ordered,
            orders,
            sides: Default::default(),
            before: Vec::new(),
        }
    }

    fn state(&mut self, state: &[u64]) -> Option<u128> {
        self.unpack(state)?;
        let Self { viewer, orders, .. } = self;
        let one = |order: &ViewOrder| {
            viewer.look(order);
            hash(&viewer.view)
        };
        orders.iter().map(one).min()
    }

    /// Both states of a step under the same renaming. Steps from one state come one after the other.
    fn step(&mut self, before: &[u64], after: &[u64]) -> Option<u128> {
        if self.before != before {
            self.before.clear();
            self.side(0, before)?;
            self.before.extend(before);
        }
        self.side(1, after)?;
        let [before, after] = &self.sides;
        let both = |(a, b): (&u128, &u128)| a.rotate_left(41).wrapping_mul(u128::from(ODD)) ^ b;
        before.iter().zip(after).map(both).min()
    }

    fn side(&mut self, side: usize, state: &[u64]) -> Option<()> {
        self.unpack(state)?;
        let Self { viewer, orders, sides, .. } = self;
        sides[side].clear();
        for order in orders {
            viewer.look(order);
            sides[side].push(hash(&viewer.view));
        }
        Some(())
    }

    /// Takes a state up, with reals as they are and not as they are stored; `None` when a cell is open.
    fn unpack(&mut self, state: &[u64]) -> Option<()> {
        let (cells, codes) = (&self.program.cells, &mut self.viewer.codes);
        self.program.packing.unpack(state, codes);
        for (cell, code) in cells.cells.iter().zip(codes.iter()) {
            // A number that nothing reads is any; other systems may read it.
            let open = *code == UNDEF;
            let scaled = cell.kind == CodeKind::Real && cells.scale != 1;
            if open || scaled {
                return None;
            }
        }
        Some(())
    }
}

/// The same in every run of the program; two states have different ones, up to chance.
fn hash(view: &[i64]) -> u128 {
    let mix = |sum: u64, entry: u64| (sum.rotate_left(23) ^ entry).wrapping_mul(ODD);
    let (mut one, mut other) = (1, ODD);
    for entry in view {
        one = mix(one, *entry as u64);
        other = mix(other, *entry as u64);
    }
    let end = |sum: u64| u128::from((sum ^ sum >> 32).wrapping_mul(ODD) ^ sum >> 29);
    end(one) << 64 | end(other)
}

/// Spreads small numbers over all bits.
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
