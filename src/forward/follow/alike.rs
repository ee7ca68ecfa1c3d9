//! Processes that nothing distinguishes: of steps that differ in the choice among them, one is enough.
//!
//! Let two processes without a name be *alike* in a state when the state stays the same with both exchanged. Where the model does not
//! order processes, such an exchange turns each run from the state into another one, with the same events: these
//! mention processes that have names. So for each step that an event allows it is enough to take one whose processes without names are, among those
//! alike, the first ones; and a new name is given to the first of those alike. Being alike is an equivalence in each state, since
//! exchanges of `p` and `q` and of `q` and `r` make one of `p` and `r`.

use crate::ground::FixedSorts;
use crate::program::Program;
use crate::symmetry::general::General;

pub(super) struct Alike {
    /// The processes without a name, as a set, that the model does not distinguish.
    free: u64,
    /// Which exchanges change nothing.
    exchanges: General,
    /// For each process, the first one that is alike in the current state.
    first: Vec<u8>,
}

impl Alike {
    /// For an instance; no processes are alike so far.
    pub fn new(program: &Program) -> Self {
        let sorts = FixedSorts::of(program.sorts.as_ref());
        let exchanges = General::new(0, sorts, &program.cells, &program.packing);
        Self { free: 0, exchanges, first: Vec::new() }
    }

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
                if self.first[usize::from(p)] == p
                    && self.exchanges.leave_unchanged(&program.packing, state, p.into(), q.into())
                {
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
}
