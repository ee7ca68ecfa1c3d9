//! Canonical representatives under renaming of processes.
//!
//! Where arrays have one index and hold no processes or nameless values, a renaming permutes lanes and
//! remaps the proc globals: sort the lanes, each with the set of globals that point at it. Lanes that
//! tie are then exchangeable. Otherwise colours of processes are refined and all orders of ties are tried. Both are
//! exact: two states have one representative iff a renaming takes one to the other.

use crate::state::{CellShape, Cells, CodeKind, Field, Packing};
use crate::symmetry::general::General;
use crate::symmetry::lanes::{Lanes, MAX_LANES};
use crate::symmetry::refinement::Renaming;
use crate::tuning::MAX_EXCHANGEABLE;
use cubicle_lang::model::System;

/// How states are brought into canonical form.
#[derive(Clone, Debug)]
pub enum Symmetry {
    /// Not at all: renaming is not a symmetry, or is not wanted.
    Off,
    /// By sorting lanes.
    Lanes(Lanes),
    /// By sorting lanes where their contents besides processes and nameless values distinguish all that are
    /// not exchangeable anyway, by colour refinement elsewhere.
    Mixed(Lanes, General),
    /// By colour refinement.
    General(General),
}

impl Symmetry {
    /// The symmetry that the system allows of all processes but the first `fixed` ones, which keep their places; these include all that the system
    /// names. `sorts`: of which sort each process is, where that is the same in all states, else empty.
    pub fn beside(fixed: usize, system: &System, cells: &Cells, sorts: &[u8], packing: &Packing) -> Self {
        if system.orders_processes || cells.procs < fixed + 2 {
            return Self::Off;
        }
        let pointers: Vec<usize> = (0..cells.len())
            .filter(|c| cells.cells[*c].kind == CodeKind::Proc && cells.cells[*c].index.is_empty())
            .collect();
        let single = cells.cells.iter().all(|c| c.index.len() <= 1);
        let plain = |c: &CellShape| match c.kind {
            CodeKind::Enum | CodeKind::Int | CodeKind::Real => true,
            CodeKind::Proc => false,
            CodeKind::Abstract => c.codes == 1,
        };
        let no_lanes = packing.lanes.is_none() && cells.cells.iter().any(|c| !c.index.is_empty());
        if !single || no_lanes || !sorts.is_empty() || cells.procs > MAX_LANES || pointers.len() > 56 {
            return Self::General(General::new(fixed, sorts, cells, packing));
        }
        let in_lanes = || cells.cells.iter().enumerate().filter(|(_, c)| !c.index.is_empty());
        let (bits, at) =
            packing.lanes.as_ref().map_or((0, vec![(0, 0); cells.procs]), |l| (l.bits, l.at.clone()));
        let mask = if bits == 0 { 0 } else { u64::MAX >> (64 - bits) };
        let mut keep = vec![u64::MAX; packing.words];
        for (word, shift) in &at[fixed..] {
            keep[usize::from(*word)] &= !(mask << shift);
        }
        let pointers: Vec<Field> = pointers.into_iter().map(|c| packing.fields[c]).collect();
        for field in &pointers {
            field.put(&mut keep, 0);
        }
        let mut key = mask;
        for (c, cell) in in_lanes() {
            if cell.index[0] == 0 && !plain(cell) {
                key &= !(packing.fields[c].mask() << (packing.fields[c].shift - at[0].1));
            }
        }
        let lane_pointers: Vec<Field> =
            in_lanes().filter(|(_, c)| c.kind == CodeKind::Proc).map(|(c, _)| packing.fields[c]).collect();
        let lanes = Lanes { fixed, mask, key, at, pointers, lane_pointers, keep };
        if in_lanes().all(|(_, c)| plain(c)) {
            Self::Lanes(lanes)
        } else {
            Self::Mixed(lanes, General::new(fixed, sorts, cells, packing))
        }
    }

    /// Whether states are stored up to renaming.
    pub const fn is_on(&self) -> bool {
        !matches!(self, Self::Off)
    }

    /// The number of processes that keep their places; `None` when all do.
    pub const fn fixed(&self) -> Option<usize> {
        match self {
            Self::Off => None,
            Self::Lanes(Lanes { fixed, .. })
            | Self::Mixed(Lanes { fixed, .. }, _)
            | Self::General(General { fixed, .. }) => Some(*fixed),
        }
    }

    /// Replaces `state` by its representative. Returns how many permutations were tried, which
    /// [`Ticker`](crate::clock::Ticker) counts besides the state itself.
    #[inline]
    pub fn canonicalize(&self, cells: &Cells, packing: &Packing, state: &mut [u64]) -> u32 {
        match self {
            Self::Off => 0,
            Self::Lanes(lanes) => {
                lanes.sort(state);
                0
            }
            Self::Mixed(lanes, general) => {
                if lanes.sort_mixed(cells, packing, state).is_some() {
                    return 0;
                }
                general.canonicalize(cells, packing, state)
            }
            Self::General(general) => general.canonicalize(cells, packing, state),
        }
    }

    /// Replaces `state` by its representative and returns the renaming that does it, and how many were tried.
    pub fn renaming(&self, cells: &Cells, packing: &Packing, state: &mut [u64]) -> (Renaming, u32) {
        match self {
            Self::Off => ((0..cells.procs as u8).collect(), 0),
            Self::Lanes(lanes) => {
                let place = lanes.sort(state).unwrap_or_else(|| std::array::from_fn(|i| i as u8));
                (place[..cells.procs].into(), 0)
            }
            Self::Mixed(lanes, general) => match lanes.sort_mixed(cells, packing, state) {
                Some(place) => (place[..cells.procs].into(), 0),
                None => general.renaming(cells, packing, state),
            },
            Self::General(general) => general.renaming(cells, packing, state),
        }
    }
}

/// Which instances are worth firing in a state some of whose neighbouring processes are equal: exchanging
/// these changes nothing, so of the instances that such exchanges map to one another the first is
/// enough.
#[derive(Clone, Debug)]
pub struct Exchangeable {
    words: usize,
    /// For each set of equal neighbours (bit i: processes i and i + 1), a bit set of instances.
    rows: Vec<u64>,
}

impl Exchangeable {
    /// `arguments` of each instance, in order; `None` without symmetry, or for too many processes.
    pub fn new<'a>(
        symmetry: &Symmetry,
        procs: usize,
        arguments: impl Iterator<Item = &'a [u8]> + Clone,
    ) -> Option<Self> {
        if !symmetry.is_on() || procs > MAX_EXCHANGEABLE {
            return None;
        }
        let words = arguments.clone().count().div_ceil(64);
        let mut rows = vec![0u64; words << (procs - 1)];
        for (i, args) in arguments.enumerate() {
            // Pairs of neighbours of which the instance uses the second without the first before it.
            let position = |p: usize| args.iter().position(|a| usize::from(*a) == p);
            let late = (0..procs - 1)
                .filter(|p| {
                    position(p + 1).is_some_and(|second| position(*p).is_none_or(|first| first > second))
                })
                .fold(0usize, |set, p| set | 1 << p);
            for equal in 0..1usize << (procs - 1) {
                if equal & late == 0 {
                    rows[equal * words + i / 64] |= 1 << (i % 64);
                }
            }
        }
        Some(Self { words, rows })
    }

    /// Removes instances that are not worth firing in the canonical `state` from `enabled`.
    #[inline]
    pub fn prune(&self, symmetry: &Symmetry, packing: &Packing, state: &[u64], enabled: &mut [u64]) {
        let equal = match symmetry {
            Symmetry::Off => return,
            Symmetry::Lanes(lanes) | Symmetry::Mixed(lanes, _) => lanes.equal_neighbours(state),
            Symmetry::General(general) => general.equal_neighbours(packing, state),
        };
        if equal != 0 {
            for (e, row) in enabled.iter_mut().zip(&self.rows[equal * self.words..]) {
                *e &= row;
            }
        }
    }
}
