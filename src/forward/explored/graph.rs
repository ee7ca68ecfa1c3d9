//! The behaviour of an instance, as sets of states and steps that can be compared with those of another model.

use crate::explored::views::{ViewOrder, Viewer};
use crate::program::{Gaps, Program, Scratch};
use crate::state::{CodeKind, UNDEF};
use crate::store::StateTree;
use cubicle_lang::bits::bits;
use cubicle_lang::list::sorted;
use cubicle_lang::model::semantics::arrangements;

/// The reachable states of an instance, or its steps, up to renaming of processes: a number for each, which is the same
/// in every model with the same declarations. Which transition makes a step does not count. Outside values and values of
/// abstract types have no names: for a step, only equality among those before it and among those after it counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fingerprint {
    /// In increasing order, without duplicates.
    parts: Vec<u128>,
    /// Whether the order of processes counts.
    ordered: bool,
}

impl Fingerprint {
    /// The fingerprint of an instance's states. `None` when one is not concrete. Where the order of processes counts, the
    /// exploration must not have used symmetry; the same holds for steps.
    pub(super) fn of_states(look: &mut OrbitLook<'_>, visited: &StateTree) -> Option<Self> {
        let states = 0..visited.store.len();
        let parts = states.map(|number| look.state(visited.store.state(number))).collect::<Option<_>>()?;
        Some(Self::new(parts, look.ordered))
    }

    /// The fingerprint of the steps of an instance.
    pub(super) fn of_steps(look: &mut OrbitLook<'_>, visited: &StateTree) -> Option<Self> {
        let program = look.program;
        let mut scratch = Scratch::new(program);
        let mut steps = Vec::new();
        let mut concrete = true;
        for number in 0..visited.store.len() {
            let state = visited.store.state(number);
            program.exits(state, &mut scratch);
            for instance in bits(&scratch.enabled) {
                let take = |before: &[u64], after: &[u64]| match look.step(before, after) {
                    Some(step) => steps.push(step),
                    None => concrete = false,
                };
                program.firings(instance, state, Gaps::new(&mut false, None), take);
            }
            if !concrete {
                return None;
            }
        }
        Some(Self::new(steps, look.ordered))
    }

    fn new(parts: Vec<u128>, ordered: bool) -> Self {
        Self { parts: sorted(parts), ordered }
    }

    /// The number of states or steps.
    pub const fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether it is empty.
    pub const fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The number of elements that only the other one has, and that only this one has. `None` when the order of processes
    /// counts in one only.
    pub fn difference(&self, other: &Self) -> Option<(usize, usize)> {
        let missing =
            |from: &[u128], of: &[u128]| of.iter().filter(|it| from.binary_search(it).is_err()).count();
        let same = self.ordered == other.ordered;
        same.then(|| (missing(&self.parts, &other.parts), missing(&other.parts, &self.parts)))
    }
}

/// Views states such that only what counts is seen.
pub(super) struct OrbitLook<'a> {
    program: &'a Program,
    viewer: Viewer<'a>,
    /// Whether the order of processes counts.
    ordered: bool,
    orders: Vec<ViewOrder>,
    /// The views of the two states of a step in each order.
    sides: [Vec<u128>; 2],
    /// The state before the last step.
    before: Vec<u64>,
}

impl<'a> OrbitLook<'a> {
    pub(super) fn new(program: &'a Program, ordered: bool) -> Self {
        let fixed = usize::from(program.system.proc_constants);
        let free: Vec<usize> = (fixed..program.cells.procs).collect();
        let orders = if ordered { vec![free] } else { arrangements(&free, free.len()) };
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
        self.side(0, state)?;
        self.sides[0].iter().min().copied()
    }

    /// Both states of a step under the same renaming. Steps from one state are consecutive.
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

    /// Unpacks a state, with reals unscaled; `None` when a cell is open.
    fn unpack(&mut self, state: &[u64]) -> Option<()> {
        let (cells, codes) = (&self.program.cells, &mut self.viewer.codes);
        self.program.packing.unpack(state, codes);
        let is_scaled = |kind: CodeKind| kind == CodeKind::Real && cells.scale != 1;
        // A number that is never read is open, but another system may read it.
        let mut all = cells.cells.iter().zip(codes.iter());
        all.all(|(cell, code)| *code != UNDEF && !is_scaled(cell.kind)).then_some(())
    }
}

/// The same in every run of the program; different states have different hashes with high probability.
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
