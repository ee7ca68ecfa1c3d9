//! The hard fixpoint test: is a cube contained in the union of the visited ones?
//!
//! A small DPLL over the value masks of the tested cube, with one clause for each relevant renaming of a
//! visited cube: "outside one of its masks, or one of its side literals false". Masks are propagated
//! exactly; chosen side literals are handed to the theory test. `No` and `Yes` are certain; the rest is
//! left to Z3.

use super::cover::{Residue, View};
use super::cube::Builder;
use super::ground::{Overflow, Side};
use super::slot::{Shape, Slot};
use super::theory::{self, Sat};
use smallvec::SmallVec;

/// Decisions made before a test is left to Z3.
const DECISIONS: usize = 20_000;
/// Choices of side literals checked before a test is left to Z3.
const THEORY_TESTS: usize = 60;

/// `some slot outside its mask, or some side literal holds`.
#[derive(Clone, Debug)]
struct Clause {
    /// Place, forbidden mask.
    outside: SmallVec<[(u32, u64); 4]>,
    /// Negated side literals of the visited cube.
    sides: Vec<Side>,
}

/// Whether some state of `n` lies outside every cube that `residues` are what is left of.
pub fn escapes(
    shape: &Shape,
    n: &View<'_>,
    residues: &[Residue],
    slots: &dyn Fn(u32) -> Slot,
) -> Result<Sat, Overflow> {
    let mut clauses = Vec::with_capacity(residues.len());
    for r in residues {
        let sides = r.sides.iter().map(Side::negate).collect::<Result<Vec<_>, _>>()?;
        clauses.push(Clause { outside: r.masks.clone(), sides });
    }
    clauses.sort_by_key(|c| (c.outside.len() + 2 * c.sides.len(), c.outside.first().copied()));
    let mut search = Search {
        shape,
        n,
        slots,
        clauses: &clauses,
        decisions: DECISIONS,
        theory_tests: THEORY_TESTS,
        base: n.masks,
    };
    let state = State { masks: n.masks.to_vec(), chosen: Vec::new() };
    search.solve(state)
}

#[derive(Clone)]
struct State {
    masks: Vec<u64>,
    chosen: Vec<Side>,
}

struct Search<'a, 'b> {
    shape: &'a Shape,
    n: &'a View<'b>,
    slots: &'a dyn Fn(u32) -> Slot,
    clauses: &'a [Clause],
    decisions: usize,
    theory_tests: usize,
    /// Masks of the tested cube.
    base: &'a [u64],
}

impl Search<'_, '_> {
    fn solve(&mut self, mut state: State) -> Result<Sat, Overflow> {
        // Unit propagation to a fixpoint; remember the best clause to branch on.
        let branch = loop {
            let mut changed = false;
            let mut best: Option<(usize, usize)> = None;
            for (i, clause) in self.clauses.iter().enumerate() {
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
            return self.theory(&state);
        };
        if self.decisions == 0 || self.theory_tests == 0 {
            return Ok(Sat::Unknown);
        }
        self.decisions -= 1;
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
    fn theory(&mut self, state: &State) -> Result<Sat, Overflow> {
        if state.chosen.is_empty() && self.n.cube.sides.is_empty() {
            return Ok(Sat::Yes);
        }
        if self.theory_tests == 0 {
            return Ok(Sat::Unknown);
        }
        self.theory_tests -= 1;
        let mut b = Builder::from_cube(self.shape, self.n.cube);
        for (place, (&mask, &base)) in state.masks.iter().zip(self.base).enumerate() {
            if mask != base && !b.restrict((self.slots)(place as u32), mask) {
                return Ok(Sat::No);
            }
        }
        for side in &state.chosen {
            if !b.require_side(side) {
                return Ok(Sat::No);
            }
        }
        theory::satisfiable(self.shape, &b)
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
