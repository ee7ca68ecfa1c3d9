//! The hard fixpoint test: is a cube contained in the union of the visited ones?
//!
//! A small DPLL over the value masks of the tested cube, with one clause for each relevant renaming of a
//! visited cube: "outside one of its masks, or one of its side literals false". Masks are propagated
//! exactly; chosen side literals are handed to the theory test. `No` and `Yes` are certain; the rest is
//! left to Z3.

use smallvec::SmallVec;

use super::matching::Residue;
use super::table::View;
use crate::backward::cube::{Builder, Cube, Halt, Kind, OTHER, Overflow, Shape, Side, Slot};
use crate::backward::theory::{Sat, satisfiable};
use crate::backward::tuning::{DECISIONS, THEORY_TESTS};

/// What may be spent on a test before it is left to Z3.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    decisions: usize,
    /// Choices of side literals checked.
    theory_tests: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { decisions: DECISIONS, theory_tests: THEORY_TESTS }
    }
}

/// `some slot outside its mask, or some side literal holds`.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Clause {
    /// Place, forbidden mask.
    outside: SmallVec<[(u32, u64); 4]>,
    /// Negated side literals of the visited cube.
    sides: Vec<Side>,
}

/// Whether some state of `n` lies outside every visited cube.
///
/// Clauses are made as they are needed: a choice that satisfies those so far is completed to a witness,
/// and `violated` gives what is left in `n` of the visited cubes that hold in the witness. A witness in none
/// is certain once the theory test accepts it. Unknown also when it does not: the caller then makes all
/// clauses. Also returns the number of clauses made.
pub fn escapes(
    shape: &Shape,
    n: &View<'_>,
    slots: &[Slot],
    budget: &mut Budget,
    violated: &mut dyn FnMut(&View<'_>, &mut Vec<Residue>) -> Result<(), Halt>,
) -> Result<(Sat, usize), Halt> {
    let mut residues = Vec::new();
    let mut clauses = Vec::new();
    loop {
        let before = clauses.len();
        for r in residues.drain(..) {
            shape.interrupt.poll()?;
            let clause = clause(&r)?;
            if !clauses.contains(&clause) {
                clauses.push(clause);
            }
        }
        if before > 0 && clauses.len() == before {
            return Ok((Sat::Unknown, before)); // a contradiction of side literals was not seen
        }
        let (sat, model) = solve(shape, n, slots, &clauses, budget)?;
        let Some(model) = model.filter(|_| sat == Sat::Yes) else {
            return Ok((sat, clauses.len()));
        };
        let table = complete(shape, slots, model.masks, n.cube.sides.iter().chain(&model.chosen));
        let sides = n.cube.sides.iter().chain(&model.chosen).cloned().collect();
        // Its masks stand in the table alone.
        let cube = Cube { sides, masks: Box::default(), ..*n.cube };
        violated(&View { cube: &cube, dense: n.dense, masks: &table }, &mut residues)?;
        if residues.is_empty() {
            let mut b = Builder::from_cube(shape, &cube);
            let decided = slots.iter().zip(&table).all(|(&s, &m)| m == 0 || b.restrict(s, m));
            let sat = if decided { satisfiable(shape, &b)? } else { Sat::No };
            return Ok((if sat == Sat::Yes { Sat::Yes } else { Sat::Unknown }, clauses.len()));
        }
    }
}

/// As [`escapes`], for the clauses of all renamings of all visited cubes.
pub fn escapes_all(
    shape: &Shape,
    n: &View<'_>,
    residues: &[Residue],
    slots: &[Slot],
    budget: &mut Budget,
) -> Result<Sat, Halt> {
    let clauses = residues.iter().map(clause).collect::<Result<Vec<_>, Halt>>()?;
    Ok(solve(shape, n, slots, &clauses, budget)?.0)
}

fn clause(r: &Residue) -> Result<Clause, Halt> {
    let sides = r.sides.iter().map(Side::negate).collect::<Result<Vec<_>, Overflow>>()?;
    Ok(Clause { outside: r.masks.clone(), sides })
}

fn solve(
    shape: &Shape,
    n: &View<'_>,
    slots: &[Slot],
    clauses: &[Clause],
    budget: &mut Budget,
) -> Result<(Sat, Option<State>), Halt> {
    let mut order: Vec<usize> = (0..clauses.len()).collect();
    order.sort_by_key(|&i| {
        let c = &clauses[i];
        (c.outside.len() + 2 * c.sides.len(), c.outside.first().copied())
    });
    let mut search = Search { shape, n, slots, clauses, order, budget, base: n.masks, model: None };
    let sat = search.solve(State { masks: n.masks.to_vec(), chosen: Vec::new() })?;
    Ok((sat, search.model))
}

/// Decides every mask, equal or different where a side literal asks for it as far as that is seen from the
/// two masks alone.
fn complete<'s>(
    shape: &Shape,
    slots: &[Slot],
    mut masks: Vec<u64>,
    sides: impl Iterator<Item = &'s Side>,
) -> Vec<u64> {
    let place = |s: Slot| slots.iter().position(|&t| t == s);
    let last = |m: u64| m.checked_ilog2().map_or(0, |bit| 1u64 << bit);
    for side in sides {
        let (Side::Eq(a, b) | Side::Ne(a, b)) = *side else { continue };
        if !matches!(shape.kind(a), Kind::Enum(_) | Kind::Proc) {
            continue;
        }
        let mask = |s: Slot, masks: &[u64]| match s.as_process() {
            Some(p) => 1 << p,
            None => place(s).map_or(0, |at| masks[at]),
        };
        let (x, y) = (mask(a, &masks), mask(b, &masks));
        let (x, y) = if matches!(side, Side::Eq(..)) {
            (last(x & y), last(x & y))
        } else {
            let x = last(x);
            let rest = y & !(x & !OTHER);
            (x, last(rest))
        };
        if x != 0 && y != 0 {
            for (s, m) in [(a, x), (b, y)] {
                if let Some(at) = place(s) {
                    masks[at] = m;
                }
            }
        }
    }
    for m in &mut masks {
        *m = last(*m);
    }
    masks
}

#[derive(Clone)]
struct State {
    masks: Vec<u64>,
    chosen: Vec<Side>,
}

struct Search<'a, 'b> {
    shape: &'a Shape,
    n: &'a View<'b>,
    slots: &'a [Slot],
    clauses: &'a [Clause],
    /// The clauses, short ones first.
    order: Vec<usize>,
    budget: &'a mut Budget,
    /// Masks of the tested cube.
    base: &'a [u64],
    /// The choice that satisfied every clause.
    model: Option<State>,
}

impl Search<'_, '_> {
    fn solve(&mut self, mut state: State) -> Result<Sat, Halt> {
        // Unit propagation to a fixpoint; remember the best clause to branch on.
        let branch = loop {
            let mut changed = false;
            let mut best: Option<(usize, usize)> = None;
            self.shape.interrupt.poll()?;
            for &i in &self.order {
                let clause = &self.clauses[i];
                match status(&state, clause) {
                    Status::Satisfied => {}
                    Status::Empty => return Ok(Sat::No),
                    Status::Unit(place, allowed) => {
                        state.masks[place as usize] &= allowed;
                        changed = true;
                    }
                    Status::UnitSide(k) => {
                        if !choose(&mut state, &clause.sides[k]) {
                            return Ok(Sat::No);
                        }
                        changed = true;
                    }
                    Status::Open(width) => {
                        if best.is_none_or(|(w, _)| width < w) {
                            best = Some((width, i));
                        }
                    }
                }
            }
            if !changed {
                break best.map(|b| b.1);
            }
        };
        let Some(i) = branch else {
            let sat = self.theory(&state)?;
            self.model = Some(state);
            return Ok(sat);
        };
        if self.budget.decisions == 0 || self.budget.theory_tests == 0 {
            return Ok(Sat::Unknown);
        }
        self.budget.decisions -= 1;
        // Either the first open literal of the clause holds, or it does not and another must.
        let clause = &self.clauses[i];
        let mut answer = Sat::No;
        let open =
            clause.outside.iter().find(|&&(place, mask)| state.masks[place as usize] & !mask != 0).copied();
        if let Some((place, mask)) = open {
            let mut inside = state.clone();
            state.masks[place as usize] &= !mask;
            match self.solve(state)? {
                Sat::Yes => return Ok(Sat::Yes),
                Sat::Unknown => answer = Sat::Unknown,
                Sat::No => {}
            }
            inside.masks[place as usize] &= mask;
            match self.solve(inside)? {
                Sat::Yes => return Ok(Sat::Yes),
                Sat::Unknown => answer = Sat::Unknown,
                Sat::No => {}
            }
            return Ok(answer);
        }
        let sides: Vec<Side> = clause.sides.clone();
        let side = sides
            .iter()
            .find(|s| !state.chosen.iter().any(|c| c.excludes(s)))
            .cloned()
            .unwrap_or_else(|| sides[0].clone());
        let opposite = side.negate()?;
        let mut otherwise = state.clone();
        if choose(&mut state, &side) {
            match self.solve(state)? {
                Sat::Yes => return Ok(Sat::Yes),
                Sat::Unknown => answer = Sat::Unknown,
                Sat::No => {}
            }
        }
        if choose(&mut otherwise, &opposite) {
            match self.solve(otherwise)? {
                Sat::Yes => return Ok(Sat::Yes),
                Sat::Unknown => answer = Sat::Unknown,
                Sat::No => {}
            }
        }
        Ok(answer)
    }

    /// Every clause is satisfied: is the choice consistent?
    fn theory(&mut self, state: &State) -> Result<Sat, Halt> {
        if state.chosen.is_empty() && self.n.cube.sides.is_empty() {
            return Ok(Sat::Yes);
        }
        if self.budget.theory_tests == 0 {
            return Ok(Sat::Unknown);
        }
        self.budget.theory_tests -= 1;
        let mut b = Builder::from_cube(self.shape, self.n.cube);
        for (place, (&mask, &base)) in state.masks.iter().zip(self.base).enumerate() {
            if mask != base && !b.restrict(self.slots[place], mask) {
                return Ok(Sat::No);
            }
        }
        for side in &state.chosen {
            if !b.require_side(side) {
                return Ok(Sat::No);
            }
        }
        satisfiable(self.shape, &b)
    }
}

fn choose(state: &mut State, side: &Side) -> bool {
    for old in &state.chosen {
        if old.implies(side) {
            return true;
        }
        if old.excludes(side) {
            return false;
        }
    }
    state.chosen.push(side.clone());
    true
}

enum Status {
    Satisfied,
    Empty,
    /// One mask literal is left: restrict the place to this.
    Unit(u32, u64),
    /// One side literal is left.
    UnitSide(usize),
    /// This many literals are left.
    Open(usize),
}

fn status(state: &State, clause: &Clause) -> Status {
    let mut open = 0;
    let mut unit = None;
    for &(place, mask) in &clause.outside {
        let have = state.masks[place as usize];
        if have & mask == 0 {
            return Status::Satisfied;
        }
        if have & !mask != 0 {
            open += 1;
            unit = Some((place, !mask));
        }
    }
    let mut unit_side = None;
    for (k, side) in clause.sides.iter().enumerate() {
        let mut refuted = false;
        for c in &state.chosen {
            if c.implies(side) {
                return Status::Satisfied;
            }
            refuted |= c.excludes(side);
        }
        if !refuted {
            open += 1;
            unit_side = Some(k);
        }
    }
    match (open, unit, unit_side) {
        (0, ..) => Status::Empty,
        (1, Some((place, allowed)), None) => Status::Unit(place, allowed),
        (1, None, Some(k)) => Status::UnitSide(k),
        _ => Status::Open(open),
    }
}
