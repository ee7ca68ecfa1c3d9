//! Steps of a compiled instance: tests, updates, undefined cells split when they are read.

use crate::forward::machine::{Guard, Machine, Source, Test, Write};
use crate::forward::state::cells::Kind;
use crate::forward::state::codes::UNDEF;
use crate::forward::state::packing::Packed;

/// The codes of a state whose undefined cells are being defined, and how many tests of a guard hold
/// already, whatever is chosen for the cells that are still open.
pub(in crate::forward) type Choice = (Vec<i64>, usize);

/// Buffers of one worker, reused for every state.
#[derive(Clone, Debug, Default)]
pub(in crate::forward) struct Scratch {
    /// The enabled instances, after [`Machine::exits`].
    pub enabled: Vec<u64>,
    undefined: Vec<u64>,
    next: Vec<u64>,
    /// A number left its range: what was explored is not everything.
    pub numbers: bool,
}

impl Scratch {
    /// Buffers for `machine`.
    pub fn new(machine: &Machine) -> Self {
        Self {
            enabled: vec![0; machine.enabled.words],
            undefined: vec![0; machine.enabled.words],
            next: vec![0; machine.packing.words],
            numbers: false,
        }
    }
}

/// Buffers for [`Machine::bad`].
#[derive(Clone, Debug, Default)]
pub(in crate::forward) struct BadScratch {
    bad: Vec<u64>,
    undefined: Vec<u64>,
    /// A number left its range.
    pub numbers: bool,
}

impl BadScratch {
    /// Buffers for `machine`.
    pub fn new(machine: &Machine) -> Self {
        let words = machine.bad_table.words;
        Self { bad: vec![0; words], undefined: vec![0; words], numbers: false }
    }
}

/// Whether a state without enabled transitions is one in which runs are expected to end.
enum End {
    Expected,
    No,
    /// It depends on a cell that is not defined.
    Depends(usize),
    /// It depends on a number out of range.
    Numbers,
}

/// Indices of the bits of a set, in order.
pub(in crate::forward) fn bits(set: &[u64]) -> impl Iterator<Item = usize> {
    set.iter().enumerate().flat_map(|(w, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let i = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                w * 64 + i
            })
        })
    })
}

impl Machine {
    /// The code of a cell.
    #[inline]
    fn get(&self, state: &[u64], cell: usize) -> i64 {
        self.packing.fields[cell].get(state)
    }

    /// Whether a test holds; all cells that it reads are defined. `None` when it depends on a number
    /// out of range.
    pub fn test(&self, test: &Test, state: &[u64]) -> Option<bool> {
        Some(match test {
            Test::In(cell, codes) => codes >> self.packing.fields[*cell].raw(state) & 1 == 1,
            Test::Same(a, b, negated) => (self.get(state, *a) == self.get(state, *b)) != *negated,
            Test::Less(a, b, strict) => {
                let (x, y) =
                    (self.cells.place(*a, self.get(state, *a)), self.cells.place(*b, self.get(state, *b)));
                if *strict { x < y } else { x <= y }
            }
            Test::Linear(e, relation) => return e.test(*relation, |c| self.get(state, c)),
            Test::Any(any) => return self.any(any, state),
        })
    }

    fn any(&self, any: &[Vec<Test>], state: &[u64]) -> Option<bool> {
        for conj in any {
            if self.all(conj, state)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Whether all tests hold.
    pub fn all(&self, tests: &[Test], state: &[u64]) -> Option<bool> {
        for test in tests {
            if !self.test(test, state)? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Fires an instance whose guard holds in `state`, where all that it reads is defined. Puts the
    /// successor, not yet in canonical form, into `out`. False when there is none, because a number
    /// leaves its range.
    #[inline]
    fn fire(&self, i: usize, state: &[u64], out: &mut [u64], numbers: &mut bool) -> bool {
        let words = self.packing.words;
        let masks = &self.masks[2 * words * i..2 * words * (i + 1)];
        let (keep, put) = masks.split_at(words);
        for (((o, s), k), p) in out.iter_mut().zip(state).zip(keep).zip(put) {
            *o = s & k | p;
        }
        let instance = &self.instances[i];
        if !instance.writes.is_empty() && !self.write(i, state, out) {
            *numbers = true;
            return false;
        }
        true
    }

    fn write(&self, i: usize, state: &[u64], out: &mut [u64]) -> bool {
        for write in &self.instances[i].writes {
            let Some(source) = self.source(write, state) else { return false };
            let field = self.packing.fields[write.cell];
            let code = match source {
                Source::Code(code) => *code,
                Source::Copy(cell) => self.get(state, *cell),
                Source::Expr(e) => match e.value(|c| self.get(state, c)) {
                    Some(n) => n,
                    None => return false,
                },
            };
            if self.cells.cells[write.cell].codes == 0
                && (!field.fits(code) || !self.in_range(write.cell, code))
            {
                return false;
            }
            field.set(out, code);
        }
        true
    }

    /// The branch of an update that applies; `None` when that depends on a number out of range.
    #[inline]
    pub fn source<'m>(&self, write: &'m Write, state: &[u64]) -> Option<&'m Source> {
        let (last, cases) = write.branches.split_last().expect("an update has a branch");
        for (when, value) in cases {
            if self.any(when, state)? {
                return Some(value);
            }
        }
        Some(&last.1)
    }

    /// Calls `f` with each firing of one instance: the state with what it reads defined, and the
    /// successor, nameless codes in canonical form but processes not renamed.
    pub fn firings(&self, i: usize, state: &[u64], mut f: impl FnMut(&[u64], &[u64])) {
        let mut numbers = false;
        let mut refined = Vec::new();
        self.refine(&self.instances[i].guard, state, &mut numbers, |s| refined.push(s.to_vec()));
        let mut next = vec![0; self.packing.words];
        for mut state in refined {
            self.normalize(&mut state);
            if self.fire(i, &state, &mut next, &mut numbers) {
                self.finish(i, &mut next, &mut |_, s| {
                    f(&state, s);
                    false
                });
            }
        }
    }

    fn in_range(&self, cell: usize, n: i64) -> bool {
        let Some((low, high)) = self.range else { return true };
        let scale = match self.cells.cells[cell].kind {
            Kind::Real => i128::from(self.cells.scale),
            _ => 1,
        };
        let n = i128::from(n);
        i128::from(low) * scale <= n && n <= i128::from(high) * scale
    }

    /// Calls `f` with each way to define the cells of `state` that `guard` reads such that the guard
    /// holds. States are not in canonical form. Sets `numbers` when numbers were sampled or a test
    /// depends on one out of range.
    pub fn refine(&self, guard: &Guard, state: &[u64], numbers: &mut bool, mut f: impl FnMut(&[u64])) {
        self.refine_until(guard, state, numbers, <[Choice]>::reverse, |s| {
            f(s);
            false
        });
    }

    /// Whether there is a way to define the cells that `guard` reads such that it holds.
    pub fn may_hold(&self, guard: &Guard, state: &[u64], numbers: &mut bool) -> bool {
        let mut holds = false;
        self.refine_until(guard, state, numbers, <[Choice]>::reverse, |_| {
            holds = true;
            true
        });
        holds
    }

    /// As [`Machine::refine`], until `f` says stop (true); of the choices for a cell, the last that `order`
    /// leaves comes first.
    fn refine_until(
        &self,
        guard: &Guard,
        state: &[u64],
        numbers: &mut bool,
        mut order: impl FnMut(&mut [Choice]),
        mut f: impl FnMut(&[u64]) -> bool,
    ) {
        let mut codes = Vec::new();
        self.packing.unpack(state, &mut codes);
        let mut packed = state.to_vec();
        let mut stack: Vec<Choice> = vec![(codes, 0)];
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

    /// Calls `f` with each step from the canonical `state`, up to exchanges of equal processes: the
    /// instance and the successor, nameless codes in canonical form but processes not renamed. Ends when
    /// `f` says stop (true). Returns whether some transition is enabled in every concrete state that `state`
    /// stands for; when false, [`Machine::deadlock`] knows more.
    pub fn successors(
        &self,
        state: &[u64],
        scratch: &mut Scratch,
        f: impl FnMut(usize, &mut [u64]) -> bool,
    ) -> bool {
        self.successors_but(state, &[], scratch, f)
    }

    /// As [`Machine::successors`], but without firing the instances of a set whose guards hold in all
    /// that `state` stands for ([`Commuting::after`](crate::forward::commuting::Commuting::after)).
    pub fn successors_but(
        &self,
        state: &[u64],
        left_out: &[u64],
        scratch: &mut Scratch,
        mut f: impl FnMut(usize, &mut [u64]) -> bool,
    ) -> bool {
        let Scratch { enabled, undefined, next, numbers } = scratch;
        let any_undefined = self.enabled.look(state, enabled, undefined);
        if let Some(exchangeable) = &self.exchangeable {
            exchangeable.prune(&self.symmetry, state, enabled);
        }
        let mut live = false;
        for (w, &word) in enabled.iter().enumerate() {
            let mut rest = word;
            let open = if any_undefined { undefined[w] } else { 0 };
            let left_out = left_out.get(w).copied().unwrap_or(0);
            live |= rest & left_out & !open & !self.enabled.tested[w] != 0;
            rest &= !left_out | open | self.enabled.tested[w];
            while rest != 0 {
                let bit = rest & rest.wrapping_neg();
                rest ^= bit;
                let i = w * 64 + bit.trailing_zeros() as usize;
                if open & bit != 0 {
                    if self.split(i, state, next, numbers, &mut f) {
                        return true;
                    }
                    continue;
                }
                if self.enabled.tested[w] & bit != 0 {
                    match self.all(&self.instances[i].guard.tests, state) {
                        Some(true) => {}
                        Some(false) => continue,
                        None => {
                            *numbers = true;
                            continue;
                        }
                    }
                }
                live = true;
                if left_out & bit == 0 && self.fire(i, state, next, numbers) && self.finish(i, next, &mut f) {
                    return true;
                }
            }
        }
        live
    }

    /// Puts exactly the instances into `scratch` that are enabled in some concrete state that `state`
    /// stands for. Returns how many there are, and whether each needs an undefined cell to be chosen.
    pub fn exits(&self, state: &[u64], scratch: &mut Scratch) -> (usize, bool) {
        let Scratch { enabled, undefined, numbers, .. } = scratch;
        let any_undefined = self.enabled.look(state, enabled, undefined);
        if !any_undefined {
            undefined.fill(0);
        }
        let (mut count, mut conditional) = (0, true);
        for w in 0..enabled.len() {
            let mut rest = enabled[w] & (self.enabled.tested[w] | undefined[w]);
            while rest != 0 {
                let bit = rest & rest.wrapping_neg();
                rest ^= bit;
                let guard = &self.instances[w * 64 + bit.trailing_zeros() as usize].guard;
                let holds = if undefined[w] & bit != 0 {
                    self.may_hold(guard, state, numbers)
                } else {
                    let truth = self.all(&guard.tests, state);
                    *numbers |= truth.is_none();
                    truth == Some(true)
                };
                if !holds {
                    enabled[w] ^= bit;
                }
            }
            undefined[w] &= enabled[w];
            count += enabled[w].count_ones() as usize;
            conditional &= enabled[w] == undefined[w];
        }
        (count, conditional)
    }

    /// Calls `f` with each successor by instance `i`, which is in `scratch` after [`Machine::exits`], until
    /// it says stop (true).
    pub fn take(
        &self,
        i: usize,
        state: &[u64],
        scratch: &mut Scratch,
        mut f: impl FnMut(&mut [u64]) -> bool,
    ) {
        let Scratch { undefined, next, numbers, .. } = scratch;
        if undefined[i / 64] >> (i % 64) & 1 == 1 {
            self.split(i, state, next, numbers, &mut |_, s| f(s));
        } else if self.fire(i, state, next, numbers) {
            self.finish(i, next, &mut |_, s| f(s));
        }
    }

    /// As [`Machine::take`], but of the ways to define what `i` reads, only the first `most` in the order
    /// that `order` makes. Returns whether that may have left some out.
    pub fn take_some(
        &self,
        i: usize,
        state: &[u64],
        scratch: &mut Scratch,
        most: usize,
        order: impl FnMut(&mut [Choice]),
        mut f: impl FnMut(&mut [u64]),
    ) -> bool {
        let Scratch { undefined, next, numbers, .. } = scratch;
        let mut f = |_: usize, s: &mut [u64]| {
            f(s);
            false
        };
        if undefined[i / 64] >> (i % 64) & 1 == 0 {
            if self.fire(i, state, next, numbers) {
                self.finish(i, next, &mut f);
            }
            return false;
        }
        let mut refined = 0;
        self.split_until(i, state, next, numbers, order, &mut f, || {
            refined += 1;
            refined >= most
        })
    }

    /// Fires an instance in all ways to define what it reads, until `f` says stop; whether it did.
    fn split(
        &self,
        i: usize,
        state: &[u64],
        next: &mut [u64],
        numbers: &mut bool,
        f: &mut impl FnMut(usize, &mut [u64]) -> bool,
    ) -> bool {
        self.split_until(i, state, next, numbers, <[Choice]>::reverse, f, || false)
    }

    /// As [`Machine::split`], in an order, and until `enough` says stop.
    #[expect(clippy::too_many_arguments, reason = "buffers of the caller")]
    fn split_until(
        &self,
        i: usize,
        state: &[u64],
        next: &mut [u64],
        numbers: &mut bool,
        order: impl FnMut(&mut [Choice]),
        f: &mut impl FnMut(usize, &mut [u64]) -> bool,
        mut enough: impl FnMut() -> bool,
    ) -> bool {
        let mut defined = vec![0; self.packing.words];
        let (mut stop, mut out_of_range) = (false, false);
        self.refine_until(&self.instances[i].guard, state, numbers, order, |s| {
            defined.copy_from_slice(s);
            // Choosing a value may also have used a new name.
            self.normalize(&mut defined);
            if self.fire(i, &defined, next, &mut out_of_range) {
                stop |= self.finish(i, next, f);
            }
            stop |= enough();
            stop
        });
        *numbers |= out_of_range;
        stop
    }

    #[inline]
    fn finish(&self, i: usize, next: &mut [u64], f: &mut impl FnMut(usize, &mut [u64]) -> bool) -> bool {
        let instance = &self.instances[i];
        if !self.undefined && !instance.nondet.is_empty() {
            let mut stop = false;
            self.define(&instance.nondet, next, &mut |s| stop |= f(i, s));
            return stop;
        }
        if instance.renames {
            self.normalize(next);
        }
        f(i, next)
    }

    /// Whether [`Machine::bad`] is worth a call, at a glance.
    #[inline]
    pub fn may_be_bad(&self, state: &[u64], scratch: &mut BadScratch) -> bool {
        let BadScratch { bad, undefined, .. } = scratch;
        if self.bads.is_empty() {
            return false;
        }
        self.bad_table.look(state, bad, undefined);
        bad.iter().any(|w| *w != 0)
    }

    /// The first ground bad cube that `state` satisfies, and the state with the cells defined that it reads.
    #[inline]
    pub fn bad(&self, state: &[u64], scratch: &mut BadScratch) -> Option<(usize, Vec<u64>)> {
        if self.bads.is_empty() {
            return None;
        }
        let BadScratch { bad, undefined, numbers } = scratch;
        let any_undefined = self.bad_table.look(state, bad, undefined);
        if bad.iter().all(|w| *w == 0) {
            return None;
        }
        for i in bits(bad) {
            let guard = &self.bads[i].guard;
            let mut found = None;
            if any_undefined && undefined[i / 64] >> (i % 64) & 1 == 1 {
                self.refine_until(guard, state, numbers, <[Choice]>::reverse, |s| {
                    found = Some(s.to_vec());
                    true
                });
            } else {
                match self.all(&guard.tests, state) {
                    Some(true) => found = Some(state.to_vec()),
                    Some(false) => {}
                    None => *numbers = true,
                }
            }
            if let Some(mut state) = found {
                self.normalize(&mut state);
                return Some((self.bads[i].bad, state));
            }
        }
        None
    }

    /// A concrete-enough state that `state` stands for in which no transition is enabled, and that is no
    /// expected end; one without a choice of outside values, if there is such a one.
    pub fn deadlock(&self, state: &[u64], scratch: &mut Scratch) -> Option<Vec<u64>> {
        let open = |c: usize| self.cells.cells[c].kind == Kind::Proc && self.get(state, c) == UNDEF;
        let narrow = self.cells.outside && (0..self.cells.len()).any(open);
        let inside = narrow.then(|| self.deadlock_among(state, scratch, |c| self.cells.inside_codes(c)));
        inside.flatten().or_else(|| self.deadlock_among(state, scratch, |c| self.cells.open_codes(c)))
    }

    /// As [`Machine::deadlock`], with the codes that undefined cells may have.
    fn deadlock_among(
        &self,
        state: &[u64],
        scratch: &mut Scratch,
        allowed: impl Fn(usize) -> u128,
    ) -> Option<Vec<u64>> {
        let mut stack = vec![state.to_vec()];
        let mut codes = Vec::new();
        let mut packed = vec![0; self.packing.words];
        'states: while let Some(state) = stack.pop() {
            let Scratch { enabled, undefined, numbers, .. } = scratch;
            let any_undefined = self.enabled.look(&state, enabled, undefined);
            let mut open = None;
            for i in bits(enabled) {
                let guard = &self.instances[i].guard;
                let unread = any_undefined && undefined[i / 64] >> (i % 64) & 1 == 1;
                let cell = unread.then(|| self.open_cell(guard, &state)).flatten();
                if let Some(cell) = cell {
                    open.get_or_insert(cell);
                    continue;
                }
                match self.all(&guard.tests, &state) {
                    Some(true) => continue 'states,
                    Some(false) => {}
                    None => {
                        *numbers = true;
                        continue 'states;
                    }
                }
            }
            let cell = match open.map_or_else(|| self.end(&state), End::Depends) {
                End::No => return Some(state),
                End::Expected => continue,
                End::Numbers => {
                    *numbers = true;
                    continue;
                }
                End::Depends(cell) => cell,
            };
            if self.cells.cells[cell].codes == 0 {
                *numbers = true;
            }
            self.packing.unpack(&state, &mut codes);
            let first = stack.len();
            self.cells.choices(&codes, cell, allowed(cell), |mut next| {
                self.cells.normalize(next.as_mut_slice());
                if self.packing.pack(&next, &mut packed).is_some() {
                    stack.push(packed.clone());
                } else {
                    *numbers = true;
                }
            });
            stack[first..].reverse();
        }
        None
    }

    /// Whether every process has ended as the user expects.
    fn end(&self, state: &[u64]) -> End {
        let Some(ends) = &self.ends else { return End::No };
        let mut end = End::Expected;
        for guard in ends {
            let defined = |c: usize| self.get(state, c) != UNDEF;
            let in_sets = guard
                .sets
                .iter()
                .all(|(c, set)| !defined(*c) || set >> self.packing.fields[*c].raw(state) & 1 == 1);
            let mut known = Some(in_sets);
            for test in &guard.tests {
                let mut readable = true;
                test.cells(&mut |c| readable &= defined(c));
                if readable && known != Some(false) {
                    match self.test(test, state) {
                        Some(true) => {}
                        Some(false) => known = Some(false),
                        None => known = None,
                    }
                }
            }
            match (known, self.open_cell(guard, state)) {
                (Some(false), _) => return End::No,
                // Which other process decides may still be open.
                (_, Some(cell)) => end = End::Depends(cell),
                (None, None) if matches!(end, End::Expected) => end = End::Numbers,
                _ => {}
            }
        }
        end
    }

    /// An undefined cell that the guard itself looks at.
    fn open_cell(&self, guard: &Guard, state: &[u64]) -> Option<usize> {
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
