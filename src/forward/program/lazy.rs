//! Lazy cells: the ways to define what a guard reads and no step has chosen yet.

use crate::forward::program::code::Guard;
use crate::forward::program::compiled::Program;
use crate::forward::state::codes::UNDEF;
use crate::forward::state::packing::Packed;

/// The codes of a state whose undefined cells are being defined, and how many tests of a guard hold
/// already, whatever is chosen for the cells that are still open.
pub type Refinement = (Vec<i64>, usize);

impl Program {
    /// Calls `f` with each way to define the cells of `state` that `guard` reads such that the guard
    /// holds. States are not in canonical form. Sets `numbers` when numbers were sampled or a test
    /// depends on one out of range.
    pub fn refine(&self, guard: &Guard, state: &[u64], numbers: &mut bool, mut f: impl FnMut(&[u64])) {
        self.refine_until(guard, state, numbers, <[Refinement]>::reverse, |s| {
            f(s);
            false
        });
    }

    /// Whether there is a way to define the cells that `guard` reads such that it holds.
    pub fn may_hold(&self, guard: &Guard, state: &[u64], numbers: &mut bool) -> bool {
        let mut holds = false;
        self.refine_until(guard, state, numbers, <[Refinement]>::reverse, |_| {
            holds = true;
            true
        });
        holds
    }

    /// As [`Program::refine`], until `f` says stop (true); of the choices for a cell, the last that `order`
    /// leaves comes first.
    pub fn refine_until(
        &self,
        guard: &Guard,
        state: &[u64],
        numbers: &mut bool,
        mut order: impl FnMut(&mut [Refinement]),
        mut f: impl FnMut(&[u64]) -> bool,
    ) {
        let mut codes = Vec::new();
        self.packing.unpack(state, &mut codes);
        let mut packed = state.to_vec();
        let mut stack: Vec<Refinement> = vec![(codes, 0)];
        while let Some((codes, mut held)) = stack.pop() {
            if self.packing.pack(&codes, &mut packed).is_none() {
                *numbers = true;
                continue;
            }
            let open = match self.next_open(guard, &codes, &packed, &mut held) {
                Ok(Some(open)) => open,
                Ok(None) => {
                    if guard.sets.iter().all(|(c, set)| set >> self.packing.fields[*c].raw(&packed) & 1 == 1)
                        && f(&packed)
                    {
                        return;
                    }
                    continue;
                }
                Err(truth) => {
                    *numbers |= truth.is_none();
                    continue;
                }
            };
            let (cell, set) = open;
            if self.cells.cells[cell].codes == 0 {
                *numbers = true;
            }
            let first = stack.len();
            let set = set & self.cells.open_codes(cell);
            self.cells.choices(&codes, cell, set, |next| stack.push((next, held)));
            order(&mut stack[first..]);
        }
    }

    /// The cell to be defined next, and the codes that come into question: first what the guard looks at,
    /// so that most choices are discarded early. `None` when all are defined and the guard holds; an error
    /// when it does not, or when that is not known.
    fn next_open(
        &self,
        guard: &Guard,
        codes: &[i64],
        packed: &[u64],
        held: &mut usize,
    ) -> Result<Option<(usize, u128)>, Option<bool>> {
        let undefined = |c: usize| codes[c] == UNDEF;
        if let Some(open) = guard.sets.iter().find(|(c, _)| undefined(*c)) {
            return Ok(Some(*open));
        }
        while let Some(test) = guard.tests.get(*held) {
            let mut open = None;
            test.cells(&mut |c| open = open.or(undefined(c).then_some(c)));
            if let Some(cell) = open {
                return Ok(Some((cell, u128::MAX)));
            }
            match self.test(test, packed) {
                Some(true) => *held += 1,
                truth => return Err(truth),
            }
        }
        Ok(guard.reads.iter().copied().find(|c| undefined(*c)).map(|c| (c, u128::MAX)))
    }

    /// Brings nameless codes of a packed state into canonical form.
    pub fn normalize(&self, state: &mut [u64]) {
        self.cells.normalize(&mut Packed { fields: &self.packing.fields, state });
    }

    /// Calls `f` with all ways to define the finite cells among `cells` of `state`.
    pub fn define(&self, cells: &[usize], state: &[u64], f: &mut impl FnMut(&mut [u64])) {
        let mut codes = Vec::new();
        self.packing.unpack(state, &mut codes);
        for &c in cells {
            if self.cells.cells[c].codes > 0 {
                codes[c] = UNDEF;
            }
        }
        let mut stack = vec![codes];
        let mut packed = vec![0; self.packing.words];
        while let Some(mut codes) = stack.pop() {
            let open = cells.iter().copied().find(|c| codes[*c] == UNDEF && self.cells.cells[*c].codes > 0);
            if let Some(cell) = open {
                let first = stack.len();
                self.cells.choices(&codes, cell, self.cells.open_codes(cell), |next| stack.push(next));
                stack[first..].reverse();
            } else {
                self.cells.normalize(codes.as_mut_slice());
                self.packing.pack(&codes, &mut packed).expect("defined cells fit");
                f(&mut packed);
            }
        }
    }

    /// An undefined cell that the guard itself looks at.
    pub fn open_cell(&self, guard: &Guard, state: &[u64]) -> Option<usize> {
        let undefined = |c: usize| self.get(state, c) == UNDEF;
        let mut found = guard.sets.iter().map(|(c, _)| *c).find(|c| undefined(*c));
        for test in &guard.tests {
            test.cells(&mut |c| {
                if found.is_none() && undefined(c) {
                    found = Some(c);
                }
            });
        }
        found
    }
}
