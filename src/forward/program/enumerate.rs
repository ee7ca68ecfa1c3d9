//! The states of one disjunct of init, one by one.

use crate::clock::Clock;
use crate::error::Unbuildable;
use crate::ground::InitDisjunct;
use crate::program::code::Test;
use crate::program::compiled::Program;
use crate::program::orbits::Orbits;
use crate::state::{CodeKind, UNDEF};
use crate::tuning::MAX_INTERVAL;
use cubicle_lang::list::extend_new;
use cubicle_lang::model::Relation;

/// Why an enumeration ended early: the caller has enough, or the run must end.
pub type Ended = Option<Unbuildable>;

/// Gets states as codes, until it has enough.
pub type TakeCodes<'f> = dyn FnMut(Vec<i64>) -> Result<(), Ended> + 'f;

#[derive(Clone)]
pub struct DisjunctStates<'a> {
    program: &'a Program,
    /// Cells to define, in this order where no equation forces one.
    cells: Vec<usize>,
    allowed: Vec<u128>,
    tests: Vec<Test>,
}

enum Next {
    Done,
    Choose(usize, u128),
    Set(usize, i64),
    Number(usize, Vec<i64>, bool),
}

impl<'a> DisjunctStates<'a> {
    pub fn new(program: &'a Program, disjunct: &InitDisjunct) -> Result<Self, Unbuildable> {
        let cells = &program.cells;
        let mut free = cells.free_cells(disjunct, &program.full, program.undefined);
        let dead: Vec<usize> = program.dead.initially(cells, disjunct).collect();
        let mut allowed: Vec<u128> = (0..cells.len())
            .map(|c| match cells.cells[c].kind {
                CodeKind::Enum | CodeKind::Proc => cells.codes_of(c, disjunct.sets[c]),
                CodeKind::Abstract => cells.all_codes(c),
                CodeKind::Int | CodeKind::Real => 0,
            })
            .collect();
        let mut tests = Vec::new();
        for lit in &disjunct.rest {
            let mut is_about_dead = false;
            cells.read(lit, |c| is_about_dead |= dead.contains(&c));
            if is_about_dead {
                continue;
            }
            match program.counts.test(cells, lit)? {
                Test::In(cell, codes) => allowed[cell] &= codes,
                test => tests.push(test),
            }
        }
        free.extend(dead);
        let stored = |c: &usize| cells.cells[*c].counts.is_none() && !free.contains(c);
        let mut cells: Vec<usize> = (0..cells.len()).filter(stored).collect();
        // Once the counted cells are defined, an equation may force a number.
        let mut counted = Vec::new();
        for test in &tests {
            if let Test::Counted(e, _) = test {
                e.counted_cells(&mut |c| counted.push(c));
            }
        }
        // Where few states have witnesses, the others are dropped before further cells are defined.
        cells.sort_by_key(|c| (!counted.contains(c), !program.choosing.reads(*c)));
        Ok(Self { program, cells, allowed, tests })
    }

    /// Calls `f` with each way to define the undefined cells in `codes`, but for ways that only rename the processes of
    /// others, as `orbits` tell; `f` may end the enumeration.
    pub fn each(
        &self,
        codes: Vec<i64>,
        clock: &Clock,
        numbers: &mut bool,
        mut orbits: Option<Orbits<'_>>,
        f: &mut dyn FnMut(Vec<i64>, &mut bool) -> Result<(), Ended>,
    ) -> Result<(), Ended> {
        // Tests may read no cell that is defined later: without processes, a count is 0.
        let Program { cells, choosing, .. } = self.program;
        let possible = self.consistent(&codes) != Some(false) && choosing.all(&codes, cells.procs);
        let mut stack: Vec<Vec<i64>> = possible.then_some(codes).into_iter().collect();
        // How many states the last choice left; the one state that a cell with one value leaves is as new as the state before.
        let mut left = 0;
        while let Some(mut codes) = stack.pop() {
            clock.poll().map_err(Some)?;
            let first = stack.len();
            let next = self.next(&codes);
            let is_known = |orbits: &mut Orbits<'_>| !orbits.is_new(&codes);
            if left != 1 && !matches!(next, Next::Done) && orbits.as_mut().is_some_and(is_known) {
                left = 0;
                continue;
            }
            match next {
                Next::Done => f(codes, numbers)?,
                Next::Choose(cell, allowed) => {
                    let is_possible = |next: &Vec<i64>| {
                        choosing.after(cell, next, cells.procs) && self.consistent(next) != Some(false)
                    };
                    stack.extend(cells.choices(&codes, cell, allowed).into_iter().filter(is_possible));
                }
                Next::Set(cell, code) => {
                    if self.allowed[cell] >> code & 1 == 1 {
                        codes[cell] = code;
                        if choosing.after(cell, &codes, cells.procs) && self.consistent(&codes) == Some(true)
                        {
                            stack.push(codes);
                        }
                    }
                }
                Next::Number(cell, values, complete) => {
                    *numbers |= !complete;
                    for n in values {
                        let mut next = codes.clone();
                        next[cell] = n;
                        let truth = self.consistent(&next);
                        *numbers |= truth.is_none();
                        if truth == Some(true) {
                            stack.push(next);
                        }
                    }
                }
            }
            stack[first..].reverse();
            left = stack.len() - first;
        }
        Ok(())
    }

    /// Whether a number is chosen whatever the other cells hold: then renamed states have renamed choices. (An equation
    /// between numbers forces the one that is defined last, and the others may be sampled.)
    pub fn numbers_are_alone(&self) -> bool {
        self.tests.iter().all(|test| match test {
            Test::Linear(e, _) => e.terms.len() == 1,
            Test::Counted(..) => false,
            _ => true,
        })
    }

    /// Drops outside values that can be replaced by a process whatever the other cells hold.
    pub fn narrow(&mut self) {
        let cells = &self.program.cells;
        let mut related = vec![false; cells.len()];
        self.tests.iter().for_each(|test| test.cells(&mut |c| related[c] = true));
        for c in (0..cells.len()).filter(|c| cells.cells[*c].kind == CodeKind::Proc && !related[*c]) {
            let inside = self.allowed[c] & cells.inside_codes(c);
            if inside != 0 {
                self.allowed[c] = inside;
            }
        }
    }

    /// Whether this disjunct has a state that agrees with `codes` in all but the cells `outside` and has a
    /// process in one of these.
    pub fn replaces(&self, codes: &[i64], outside: &[usize], clock: &Clock) -> Result<Replaces, Ended> {
        let cells = &self.program.cells;
        let mut depends = None;
        for (c, &code) in codes.iter().enumerate() {
            if outside.contains(&c) {
                continue;
            }
            let finite = cells.cells[c].codes > 0;
            if code == UNDEF {
                let related = || self.tests.iter().any(|test| test.find(&mut |cell| cell == c).is_some());
                if finite && self.allowed[c] & cells.open_codes(c) != cells.open_codes(c) || related() {
                    depends.get_or_insert(c);
                }
            } else if finite && self.allowed[c] >> code & 1 == 0 {
                return Ok(Replaces::No);
            }
        }
        let mut start = codes.to_vec();
        for &c in outside {
            start[c] = UNDEF;
        }
        if self.consistent(&start) == Some(false) {
            return Ok(Replaces::No);
        }
        for &c in outside {
            let mut narrowed = self.clone();
            narrowed.allowed[c] &= cells.processes();
            if narrowed.allowed[c] == 0 {
                continue;
            }
            if let Some(cell) = depends {
                return Ok(Replaces::Depends(cell));
            }
            narrowed.cells = outside.to_vec();
            match narrowed.each(start.clone(), clock, &mut false, None, &mut |_, _| Err(None)) {
                Ok(()) => {}
                Err(None) => return Ok(Replaces::Yes),
                interrupted => interrupted?,
            }
        }
        Ok(Replaces::No)
    }

    /// Whether the tests hold whose cells are all defined; `None` when a number is out of range.
    fn consistent(&self, codes: &[i64]) -> Option<bool> {
        for test in &self.tests {
            let defined = test.find(&mut |c| codes[c] == UNDEF).is_none();
            if defined && !test.holds(&self.program.cells, &|c| codes[c])? {
                return Some(false);
            }
        }
        Some(true)
    }

    fn next(&self, codes: &[i64]) -> Next {
        for test in &self.tests {
            match test {
                Test::Same(a, b, false) => {
                    for (c, other) in [(*a, *b), (*b, *a)] {
                        if codes[c] == UNDEF && codes[other] != UNDEF {
                            return Next::Set(c, codes[other]);
                        }
                    }
                }
                Test::Linear(_, Relation::Eq) | Test::Counted(_, Relation::Eq) => {
                    let open = open_terms(test, codes);
                    if let [cell] = open[..]
                        && let Some((n, rest)) = self.coefficient(test, cell, codes)
                    {
                        let value = rest.and_then(|r| (r % n == 0).then(|| i64::try_from(-r / n).ok()));
                        return match (rest, value) {
                            (Some(_), None) if self.is_int(cell) => Next::Number(cell, Vec::new(), true),
                            (Some(_), Some(Some(n))) if n != UNDEF => Next::Number(cell, vec![n], true),
                            _ => Next::Number(cell, Vec::new(), false),
                        };
                    }
                }
                _ => {}
            }
        }
        let Some(&cell) = self.cells.iter().find(|c| codes[**c] == UNDEF) else { return Next::Done };
        if self.program.cells.cells[cell].codes > 0 {
            return Next::Choose(cell, self.allowed[cell]);
        }
        self.numbers(cell, codes)
    }

    /// Reads a linear test in which only `cell` is undefined as `n * cell + rest`, where it is of this form; the rest is
    /// `None` when it is out of range.
    fn coefficient(&self, test: &Test, cell: usize, codes: &[i64]) -> Option<(i128, Option<i128>)> {
        let others = |c: usize| if c == cell { 0 } else { codes[c] };
        let (plain, times, rest) = match test {
            Test::Linear(e, _) => (e, 1, e.numerator(others)),
            Test::Counted(e, _) => {
                let mut counted = false;
                e.counted_cells(&mut |c| counted |= c == cell);
                if counted {
                    return None;
                }
                (&e.plain, e.times, e.numerator(&self.program.cells, &others))
            }
            _ => return None,
        };
        let (_, n) = plain.terms.iter().find(|(c, _)| *c == cell)?;
        Some((i128::from(*n).checked_mul(times)?, rest))
    }

    fn is_int(&self, cell: usize) -> bool {
        self.program.cells.cells[cell].kind == CodeKind::Int
    }

    /// Values for a number that no equation determines: the interval to which the tests on it alone
    /// (others being defined) confine it, or samples.
    fn numbers(&self, cell: usize, codes: &[i64]) -> Next {
        let (mut low, mut high): (Option<i128>, Option<i128>) = (None, None);
        for test in &self.tests {
            let (Test::Linear(_, relation) | Test::Counted(_, relation)) = test else { continue };
            if open_terms(test, codes) != [cell] {
                continue;
            }
            let Some((n, Some(rest))) = self.coefficient(test, cell, codes) else { continue };
            // n * x + rest <= 0
            if matches!(relation, Relation::Le | Relation::Lt) {
                if n > 0 {
                    let bound = (-rest).div_euclid(n);
                    high = Some(high.map_or(bound, |h| h.min(bound)));
                } else {
                    // The least x with |n| * x >= rest.
                    let bound = -((-rest).div_euclid(-n));
                    low = Some(low.map_or(bound, |l| l.max(bound)));
                }
            }
        }
        let int = self.is_int(cell);
        match (low, high) {
            (Some(low), Some(high)) if int && high - low < MAX_INTERVAL => {
                let values = (low..=high).filter_map(|n| i64::try_from(n).ok()).collect();
                Next::Number(cell, values, true)
            }
            _ => {
                let cells = &self.program.cells;
                let kind = cells.cells[cell].kind;
                let samples = cells.samples.iter().filter_map(|n| cells.scaled(kind, *n));
                let scale = i128::from(if int { 1 } else { cells.scale });
                let near = [low, low.map(|l| l + scale), high, high.map(|h| h - scale)];
                let mut values: Vec<i64> = samples.collect();
                extend_new(&mut values, near.into_iter().flatten().filter_map(|n| i64::try_from(n).ok()));
                Next::Number(cell, values, false)
            }
        }
    }
}

/// The undefined cells that a test reads.
fn open_terms(test: &Test, codes: &[i64]) -> Vec<usize> {
    let mut open = Vec::new();
    test.cells(&mut |c| {
        if codes[c] == UNDEF && !open.contains(&c) {
            open.push(c);
        }
    });
    open
}

/// Whether a disjunct of init has a process where a state has an outside value.
pub enum Replaces {
    No,
    Yes,
    /// It depends on a cell that is not defined.
    Depends(usize),
}
