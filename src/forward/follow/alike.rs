//! Processes that nothing distinguishes: of steps that differ in the choice among them, one is enough.
//!
//! Let two processes without a name be *alike* in a state when the state stays the same with both exchanged. Where the model does not
//! order processes, such an exchange turns each run from the state into another one, with the same events: these
//! mention processes that have names. So for each step that an event allows it is enough to take one whose processes without names are, among those
//! alike, the first ones; and a new name is given to the first of those alike. Being alike is an equivalence in each state, since
//! exchanges of `p` and `q` and of `q` and `r` make one of `p` and `r`.

use hashbrown::HashMap;

use crate::program::Program;
use crate::state::CodeKind;

/// Which processes are alike.
#[derive(Default)]
pub(super) struct Alike {
    /// The processes without a name, as a set, that the model does not distinguish.
    free: u64,
    /// For two processes, each cell and the one that it is exchanged with, once; cells that hold processes all.
    exchanged: HashMap<(u8, u8), Vec<(u32, u32)>>,
    /// For each process, the first one that is alike in the current state.
    first: Vec<u8>,
}

impl Alike {
    /// From now on, these processes may be alike.
    pub fn allow(&mut self, free: u64) {
        self.free = free;
    }

    /// Whether two processes may be alike at all.
    pub const fn may_be(&self) -> bool {
        self.free.count_ones() > 1
    }

    pub fn look(&mut self, program: &Program, state: &[u64]) {
        let (procs, free) = (program.cells.procs, self.free);
        self.first.clear();
        self.first.extend(0..procs as u8);
        for q in (0..procs as u8).filter(|q| free >> q & 1 == 1) {
            for p in (0..q).filter(|p| free >> p & 1 == 1) {
                if self.first[usize::from(p)] == p && self.stays(program, state, p, q) {
                    self.first[usize::from(q)] = p;
                    break;
                }
            }
        }
    }

    /// Whether a process is the first of those alike in the state.
    pub fn is_first(&self, process: usize) -> bool {
        usize::from(self.first[process]) == process
    }

    /// Whether processes without a name stand for others of a kind in the order of these.
    pub fn is_chosen(&self, args: &[u8]) -> bool {
        (0..args.len()).all(|at| {
            let own = args[at];
            if self.free >> own & 1 == 0 {
                return true;
            }
            let first = self.first[usize::from(own)];
            // Those before it in its kind come first.
            (first..own).all(|it| self.first[usize::from(it)] != first || args[..at].contains(&it))
        })
    }

    /// Whether the state is the same with two processes exchanged.
    fn stays(&mut self, program: &Program, state: &[u64], p: u8, q: u8) -> bool {
        let exchanged = self.exchanged.entry((p, q)).or_insert_with(|| exchanged(program, p, q));
        let other = |code: i64| match code {
            _ if code == i64::from(p) => i64::from(q),
            _ if code == i64::from(q) => i64::from(p),
            _ => code,
        };
        exchanged.iter().all(|(a, b)| {
            let (a, b) = (*a as usize, *b as usize);
            let (held, there) = (program.get(state, a), program.get(state, b));
            if program.cells.cells[a].kind == CodeKind::Proc {
                // In both directions: the exchange is its own inverse.
                there == other(held)
            } else {
                held == there
            }
        })
    }
}

/// The cells that may show that two processes are exchanged.
fn exchanged(program: &Program, p: u8, q: u8) -> Vec<(u32, u32)> {
    let cells = &program.cells;
    let mut found = Vec::new();
    for (at, cell) in cells.cells.iter().enumerate().filter(|(_, cell)| cell.counts.is_none()) {
        let other = cell.index.iter().map(|process| match *process {
            process if process == p => usize::from(q),
            process if process == q => usize::from(p),
            process => usize::from(process),
        });
        // Those of one sort have the same cells.
        let Some(other) = cells.places.of(cell.var).position(other) else { continue };
        if at < other || at == other && cell.kind == CodeKind::Proc {
            found.push((at as u32, other as u32));
        }
    }
    found
}
