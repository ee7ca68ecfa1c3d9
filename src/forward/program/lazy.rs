//! Lazy cells: the ways to define cells that a guard reads and no earlier step has defined.

use smallvec::SmallVec;

use crate::clock::Clock;
use crate::program::code::Guard;
use crate::program::compiled::Program;
use crate::state::{Packed, UNDEF};

/// A state whose undefined cells are being defined, and how many tests of a guard hold already, whatever values the open cells
/// get; [`UNFIT`] where a number does not fit its cell.
pub type Refinement = (SmallVec<[u64; 8]>, usize);

/// See [`Refinement`].
const UNFIT: usize = usize::MAX;

/// The clock is read once in this many choices.
const CHOICES: u32 = 256;

/// What an enumeration of choices leaves out, and what may end it.
#[derive(Debug)]
pub struct Gaps<'a> {
    /// Whether numbers were sampled, a test depends on one out of range, or the clock ended it.
    pub numbers: &'a mut bool,
    clock: Option<&'a Clock>,
    choices: u32,
}

impl<'a> Gaps<'a> {
    /// Nothing is left out so far; without a clock nothing ends the enumeration.
    pub const fn new(numbers: &'a mut bool, clock: Option<&'a Clock>) -> Self {
        Self { numbers, clock, choices: 0 }
    }

    /// Gaps for a part of the enumeration.
    pub const fn again(&mut self) -> Gaps<'_> {
        Gaps { numbers: self.numbers, clock: self.clock, choices: self.choices }
    }

    /// Counts a choice; whether time is up, so that some choices are left out.
    #[inline]
    pub fn is_late(&mut self) -> bool {
        self.choices = self.choices.wrapping_add(1);
        let late = self.choices.is_multiple_of(CHOICES) && self.clock.is_some_and(Clock::expired);
        *self.numbers |= late;
        late
    }
}

impl Program {
    /// Calls `f` with each way to define the cells of `state` that `guard` reads such that the guard
    /// holds. States are not in canonical form.
    pub fn refine(&self, guard: &Guard, state: &[u64], gaps: Gaps<'_>, f: &mut dyn FnMut(&[u64])) {
        self.refine_until(guard, state, gaps, &mut <[Refinement]>::reverse, &mut |s| {
            f(s);
            false
        });
    }

    /// Whether there is a way to define the cells that `guard` reads such that it holds.
    pub fn may_hold(&self, guard: &Guard, state: &[u64], gaps: Gaps<'_>) -> bool {
        let mut holds = false;
        self.refine_until(guard, state, gaps, &mut <[Refinement]>::reverse, &mut |_| {
            holds = true;
            true
        });
        holds
    }

    /// Like [`Program::refine`], until `f` says stop (true); of the choices for a cell, the last that `order`
    /// leaves comes first.
    pub fn refine_until(
        &self,
        guard: &Guard,
        state: &[u64],
        mut gaps: Gaps<'_>,
        order: &mut dyn FnMut(&mut [Refinement]),
        f: &mut dyn FnMut(&[u64]) -> bool,
    ) {
        let mut stack: Vec<Refinement> = vec![(SmallVec::from_slice(state), 0)];
        while let Some((packed, mut held)) = stack.pop() {
            if gaps.is_late() {
                return;
            }
            if held == UNFIT {
                *gaps.numbers = true;
                continue;
            }
            let (cell, set) = match self.next_open(guard, &packed, &mut held) {
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
                    *gaps.numbers |= truth.is_none();
                    continue;
                }
            };
            let number = self.cells.cells[cell].codes == 0;
            if number {
                *gaps.numbers = true;
            }
            let first = stack.len();
            let set = set & self.cells.open_codes(cell);
            let field = self.packing.fields[cell];
            let alone = self.cells.codes_for(&|c| self.get(&packed, c), cell, set, &mut |code| {
                let mut next = packed.clone();
                let fits = !number || field.fits(code);
                if fits {
                    field.set(&mut next, code);
                }
                stack.push((next, if fits { held } else { UNFIT }));
            });
            if !alone {
                let state = Packed { fields: &self.packing.fields, state: packed };
                self.cells.ranked_choices(&state, cell, set, &mut |next| stack.push((next.state, held)));
            }
            order(&mut stack[first..]);
        }
    }

    /// The cell to define next, and its possible codes: first the cells that the guard reads,
    /// so that most choices are discarded early. `None` when all are defined and the guard holds; an error
    /// when it does not, or when that is unknown.
    fn next_open(
        &self,
        guard: &Guard,
        packed: &[u64],
        held: &mut usize,
    ) -> Result<Option<(usize, u128)>, Option<bool>> {
        let undefined = |c: usize| self.get(packed, c) == UNDEF;
        if let Some(open) = guard.sets.iter().find(|(c, _)| undefined(*c)) {
            return Ok(Some(*open));
        }
        while let Some(test) = guard.tests.get(*held) {
            if let Some(cell) = test.find(&mut |c| undefined(c)) {
                return Ok(Some((cell, u128::MAX)));
            }
            match self.test(test, packed) {
                Some(true) => *held += 1,
                truth => return Err(truth),
            }
        }
        Ok(guard.reads.iter().copied().find(|c| undefined(*c)).map(|c| (c, u128::MAX)))
    }

    /// Whether a cell has a nameless code that [`normalize`](Self::normalize) may change: of constants and copies of other cells none arises.
    pub fn has_nameless(&self, state: &[u64]) -> bool {
        self.cells.renumbered().any(|class| class.cells.iter().any(|c| self.get(state, *c) >= class.base))
    }

    /// Brings nameless codes of a packed state into canonical form.
    pub fn normalize(&self, state: &mut [u64]) {
        self.cells.normalize(&mut Packed { fields: &self.packing.fields, state });
    }

    /// All ways to define a cell of a state, in order; `numbers` is set where it holds numbers, or one does not fit.
    pub fn ways(&self, state: &[u64], cell: usize, allowed: u128, numbers: &mut bool) -> Vec<Vec<u64>> {
        let mut ways = Vec::new();
        *numbers |= self.cells.cells[cell].codes == 0;
        for mut codes in self.cells.choices(&self.packing.codes(state), cell, allowed) {
            self.cells.normalize(&mut codes);
            let mut packed = vec![0; state.len()];
            match self.packing.pack(&codes, &mut packed) {
                Some(()) => ways.push(packed),
                None => *numbers = true,
            }
        }
        ways
    }

    /// Calls `f` with all ways to define the finite cells among `cells` of `state`, until it says stop (true); whether it did.
    pub fn define(&self, cells: &[usize], state: &[u64], f: &mut dyn FnMut(&mut [u64]) -> bool) -> bool {
        let mut codes = self.packing.codes(state);
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
                stack.extend(self.cells.choices(&codes, cell, self.cells.open_codes(cell)).into_iter().rev());
            } else {
                self.cells.normalize(&mut codes);
                self.packing.pack(&codes, &mut packed).expect("defined cells fit");
                if f(&mut packed) {
                    return true;
                }
            }
        }
        false
    }

    /// An undefined cell that the guard itself reads.
    pub fn open_cell(&self, guard: &Guard, state: &[u64]) -> Option<usize> {
        let undefined = |c: usize| self.get(state, c) == UNDEF;
        let in_sets = guard.sets.iter().map(|(c, _)| *c).find(|c| undefined(*c));
        in_sets.or_else(|| guard.tests.iter().find_map(|test| test.find(&mut |c| undefined(c))))
    }
}
