//! The hard fixpoint test: is a cube contained in the union of the visited ones?
//!
//! A small DPLL over the value masks of the tested cube, with one clause for each relevant renaming of a
//! visited cube: "outside one of its masks, or one of its relational literals false". Masks are propagated
//! exactly; chosen relational literals are handed to the theory test. `No` and `Yes` are certain; the rest is
//! left to Z3.

use hashbrown::HashSet;
use smallvec::SmallVec;

use super::matching::Residue;
use super::relations::{Chosen, Relations};
use super::table::Tested;
use crate::counting::Counting;
use crate::cube::{CellKind, Cube, CubeBuilder, CubeCell, CubeContext, Halt, OTHER, Overflow, Relational};
use crate::theory::{Sat, counted, satisfiable};
use crate::tuning::{MAX_DECISIONS, MAX_THEORY_TESTS};

/// The remaining effort of a search, in units of the hard tests.
#[derive(Clone, Copy, Debug)]
pub struct EffortLeft {
    /// Comparisons of relational literals that may still be made, in all tests.
    pub comparisons: u64,
    /// Clauses that one test may make.
    pub clauses: usize,
    /// The limit on the whole effort, as [`max_effort`](cubicle_run::BackwardOptions::max_effort) has it.
    pub max_effort: u64,
}

/// The limits of one test before it is left to Z3.
#[derive(Clone, Copy, Debug)]
pub struct UnionBudget<'a> {
    /// Decides beside the theory tests.
    counting: Option<&'a Counting<'a>>,
    decisions: usize,
    /// Choices of relational literals checked.
    theory_tests: usize,
    /// The comparisons left before the whole search ends.
    effort_left: Option<EffortLeft>,
    /// Comparisons made.
    pub compared: u64,
}

impl<'a> UnionBudget<'a> {
    /// The budget of a test in a search that has this effort left.
    pub const fn new(effort_left: Option<EffortLeft>, counting: Option<&'a Counting<'a>>) -> Self {
        Self { counting, decisions: MAX_DECISIONS, theory_tests: MAX_THEORY_TESTS, effort_left, compared: 0 }
    }
}

/// `some cell outside its mask, or some relational literal holds`.
#[derive(Clone, PartialEq, Eq, Debug)]
struct CoverClause {
    /// Cells, with the values that each must not have.
    outside: SmallVec<[(u32, u64); 4]>,
    /// Negated relational literals of the visited cube, by number.
    relational: Vec<usize>,
}

/// Whether some state of `n` lies outside every visited cube.
///
/// Clauses are made as they are needed: a choice that satisfies those so far is completed to a witness,
/// and `violated` gives the residues in `n` of the visited cubes that hold in the witness. A witness in none
/// is certain once the theory test accepts it. The result is also unknown when it does not: the caller then makes all
/// clauses. Also returns the number of clauses made.
pub fn escapes(
    context: &CubeContext,
    n: &Tested<'_>,
    cells: &[CubeCell],
    budget: &mut UnionBudget<'_>,
    violated: &mut dyn FnMut(&Tested<'_>, &mut Vec<Residue>) -> Result<(), Halt>,
) -> Result<(Sat, usize), Halt> {
    let mut residues = Vec::new();
    let (mut clauses, mut relations) = (Vec::new(), Relations::default());
    let mut known: HashSet<Residue> = HashSet::new();
    loop {
        let before = clauses.len();
        for r in residues.drain(..) {
            context.interrupt.poll()?;
            let clause = clause(&r, &mut relations)?;
            if known.insert(r) {
                clauses.push(clause);
            }
        }
        if before > 0 && clauses.len() == before {
            return Ok((Sat::Unknown, before)); // a contradiction of relational literals was missed
        }
        let (sat, model) = solve(context, n, cells, &clauses, &relations, budget)?;
        let Some(model) = model.filter(|_| sat == Sat::Yes) else {
            return Ok((sat, clauses.len()));
        };
        let table =
            complete(context, cells, model.masks, n.cube.relational.iter().chain(&model.chosen.literals));
        let relational = n.cube.relational.iter().chain(&model.chosen.literals).cloned().collect();
        // Its masks are in the table only.
        let others = n.cube.others.clone();
        let cube = Cube { relational, masks: Box::default(), others, ..*n.cube };
        violated(&Tested { cube: &cube, dense: n.dense, masks: &table }, &mut residues)?;
        if residues.is_empty() {
            let mut b = CubeBuilder::from_cube(context, &cube);
            // The value of a cell that no relational literal mentions is one of its own.
            let counting = budget.counting.is_some();
            let named: HashSet<CubeCell> = cube.relational.iter().flat_map(Relational::cells).collect();
            let concerns = |cell: CubeCell| counting || named.contains(&cell);
            let decided =
                (cells.iter().zip(&table)).all(|(&s, &m)| m == 0 || !concerns(s) || b.restrict(s, m));
            let sat = if decided { satisfiable(context, &b)? } else { Sat::No };
            let sat = if sat == Sat::Yes && excluded(context, budget.counting, b)? { Sat::No } else { sat };
            return Ok((if sat == Sat::Yes { Sat::Yes } else { Sat::Unknown }, clauses.len()));
        }
    }
}

/// As [`escapes`], for the clauses of all renamings of all visited cubes.
pub fn escapes_all(
    context: &CubeContext,
    n: &Tested<'_>,
    residues: &[Residue],
    cells: &[CubeCell],
    budget: &mut UnionBudget<'_>,
) -> Result<Sat, Halt> {
    let mut relations = Relations::default();
    let clauses = residues.iter().map(|r| clause(r, &mut relations)).collect::<Result<Vec<_>, Halt>>()?;
    Ok(solve(context, n, cells, &clauses, &relations, budget)?.0)
}

fn clause(r: &Residue, relations: &mut Relations) -> Result<CoverClause, Halt> {
    let relational = r.relational.iter().map(|it| Ok(relations.number(it.negate()?)));
    let relational = relational.collect::<Result<Vec<_>, Overflow>>()?;
    Ok(CoverClause { outside: r.masks.clone(), relational })
}

fn solve(
    context: &CubeContext,
    n: &Tested<'_>,
    cells: &[CubeCell],
    clauses: &[CoverClause],
    relations: &Relations,
    budget: &mut UnionBudget<'_>,
) -> Result<(Sat, Option<Valuation>), Halt> {
    let mut order: Vec<usize> = (0..clauses.len()).collect();
    order.sort_by_key(|&i| {
        let c = &clauses[i];
        (c.outside.len() + 2 * c.relational.len(), c.outside.first().copied())
    });
    let (masks, narrowed) = (n.masks.to_vec(), Vec::new());
    let base = n.masks;
    let mut search = Dpll {
        context,
        n,
        cells,
        clauses,
        relations,
        order: &order,
        budget,
        base,
        masks,
        narrowed,
        model: None,
    };
    let sat = search.solve(relations.none_chosen())?;
    Ok((sat, search.model))
}

/// Gives every cell one value: equal or different values where a relational literal asks for them, as far as the two
/// masks show how. Of an enum the first one, which mostly is that of a process at rest: then counts and equations seldom exclude the witness.
fn complete<'s>(
    context: &CubeContext,
    cells: &[CubeCell],
    mut masks: Vec<u64>,
    relational: impl Iterator<Item = &'s Relational>,
) -> Vec<u64> {
    let place = |s: CubeCell| cells.iter().position(|&t| t == s);
    let one = |s: CubeCell, m: u64| match context.kind(s) {
        CellKind::Enum(_) => m & m.wrapping_neg(),
        _ => m.checked_ilog2().map_or(0, |bit| 1u64 << bit),
    };
    for relational in relational {
        let (Relational::Eq(a, b) | Relational::Ne(a, b)) = *relational else { continue };
        if !matches!(context.kind(a), CellKind::Enum(_) | CellKind::Proc) {
            continue;
        }
        let mask = |s: CubeCell, masks: &[u64]| match s.as_process() {
            Some(p) => 1 << p,
            None => place(s).map_or(0, |at| masks[at]),
        };
        let (x, y) = (mask(a, &masks), mask(b, &masks));
        let (x, y) = if matches!(relational, Relational::Eq(..)) {
            (one(a, x & y), one(a, x & y))
        } else {
            let x = one(a, x);
            (x, one(a, y & !(x & !OTHER)))
        };
        if x != 0 && y != 0 {
            for (s, m) in [(a, x), (b, y)] {
                if let Some(at) = place(s) {
                    masks[at] = m;
                }
            }
        }
    }
    for (m, &cell) in masks.iter_mut().zip(cells) {
        *m = one(cell, *m);
    }
    masks
}

/// A choice that satisfies every clause.
struct Valuation {
    masks: Vec<u64>,
    chosen: Chosen,
}

struct Dpll<'a, 'b, 'c> {
    context: &'a CubeContext,
    n: &'a Tested<'b>,
    cells: &'a [CubeCell],
    clauses: &'a [CoverClause],
    relations: &'a Relations,
    /// The clauses, short ones first.
    order: &'a [usize],
    budget: &'a mut UnionBudget<'c>,
    /// Masks of the tested cube.
    base: &'a [u64],
    /// What is left of them.
    masks: Vec<u64>,
    /// The masks that were narrowed, the last one last: by place, and what each was.
    narrowed: Vec<(u32, u64)>,
    /// The choice that satisfied every clause.
    model: Option<Valuation>,
}

/// A literal that is tried.
enum Choice<'l> {
    /// The value at a place is one of these.
    Within(u32, u64),
    Holds(&'l Relational),
}

impl Dpll<'_, '_, '_> {
    fn solve(&mut self, mut chosen: Chosen) -> Result<Sat, Halt> {
        let (clauses, relations) = (self.clauses, self.relations);
        let clause = match self.propagate(&mut chosen)? {
            Propagated::Conflict => return Ok(Sat::No),
            Propagated::Satisfied => {
                let sat = self.theory(&chosen)?;
                if sat == Sat::Yes {
                    self.model = Some(Valuation { masks: self.masks.clone(), chosen });
                }
                return Ok(sat);
            }
            Propagated::Open(i) => &clauses[i],
        };
        if self.budget.decisions == 0 || self.budget.theory_tests == 0 {
            return Ok(Sat::Unknown);
        }
        self.budget.decisions -= 1;
        // Either the first open literal of the clause holds, or it does not and another must.
        let open =
            clause.outside.iter().find(|&&(place, mask)| self.masks[place as usize] & !mask != 0).copied();
        if let Some((place, mask)) = open {
            return self.either(chosen, [Choice::Within(place, !mask), Choice::Within(place, mask)]);
        }
        let undecided = |k: &&usize| !chosen.excludes(**k);
        let literal = *clause.relational.iter().find(undecided).unwrap_or(&clause.relational[0]);
        let literal = relations.get(literal);
        self.either(chosen, [Choice::Holds(literal), Choice::Holds(&literal.negate()?)])
    }

    /// Whether what is chosen so far can be completed with one of two choices, the first one tried first. Where the theory leaves one
    /// completion open, Z3 has to be asked: the others would seldom save that.
    fn either(&mut self, chosen: Chosen, choices: [Choice<'_>; 2]) -> Result<Sat, Halt> {
        let before = self.narrowed.len();
        for choice in choices {
            let mut chosen = chosen.clone();
            let may = match choice {
                Choice::Within(place, mask) => {
                    self.narrow(place, mask);
                    true
                }
                Choice::Holds(literal) => chosen.choose(self.relations, literal),
            };
            let sat = if may { self.solve(chosen)? } else { Sat::No };
            for (place, mask) in self.narrowed.drain(before..).rev() {
                self.masks[place as usize] = mask;
            }
            if sat != Sat::No {
                return Ok(sat);
            }
        }
        Ok(Sat::No)
    }

    /// Leaves only these values at a place.
    fn narrow(&mut self, place: u32, allowed: u64) {
        let mask = &mut self.masks[place as usize];
        self.narrowed.push((place, *mask));
        *mask &= allowed;
    }

    /// Unit propagation to a fixpoint; returns the shortest clause that is open then.
    fn propagate(&mut self, chosen: &mut Chosen) -> Result<Propagated, Halt> {
        loop {
            let mut changed = false;
            let mut best: Option<(usize, usize)> = None;
            self.context.interrupt.poll()?;
            if let Some(EffortLeft { comparisons, max_effort, .. }) = self.budget.effort_left
                && self.budget.compared > comparisons
            {
                return Err(Halt::Spent(max_effort));
            }
            for &i in self.order {
                let clause = &self.clauses[i];
                self.budget.compared += (clause.relational.len() * chosen.literals.len()) as u64;
                match status(&self.masks, chosen, clause) {
                    Status::Satisfied => {}
                    Status::Empty => return Ok(Propagated::Conflict),
                    Status::Unit(place, allowed) => {
                        self.narrow(place, allowed);
                        changed = true;
                    }
                    Status::UnitRelational(k) => {
                        if !chosen.choose(self.relations, self.relations.get(k)) {
                            return Ok(Propagated::Conflict);
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
                return Ok(best.map_or(Propagated::Satisfied, |b| Propagated::Open(b.1)));
            }
        }
    }

    /// Whether the choice is consistent, once every clause is satisfied.
    fn theory(&mut self, chosen: &Chosen) -> Result<Sat, Halt> {
        if chosen.literals.is_empty() && self.n.cube.relational.is_empty() {
            return Ok(Sat::Yes);
        }
        if self.budget.theory_tests == 0 {
            return Ok(Sat::Unknown);
        }
        self.budget.theory_tests -= 1;
        let mut b = CubeBuilder::from_cube(self.context, self.n.cube);
        for (place, (&mask, &base)) in self.masks.iter().zip(self.base).enumerate() {
            if mask != base && !b.restrict(self.cells[place], mask) {
                return Ok(Sat::No);
            }
        }
        for relational in &chosen.literals {
            if !b.require_relational(relational) {
                return Ok(Sat::No);
            }
        }
        let (answer, compared) = counted(self.context, &b)?;
        self.budget.compared += compared;
        if answer != Sat::No && excluded(self.context, self.budget.counting, b)? {
            return Ok(Sat::No);
        }
        Ok(answer)
    }
}

/// Whether counts and equations exclude a cube.
fn excluded(
    context: &CubeContext,
    counting: Option<&Counting<'_>>,
    b: CubeBuilder<'_>,
) -> Result<bool, Halt> {
    let Some(counting) = counting else { return Ok(false) };
    let Some(cube) = b.finish()? else { return Ok(true) };
    counting.excludes(context, &cube, &[])
}

enum Propagated {
    /// A clause has no literal left.
    Conflict,
    /// Every clause has a literal that holds.
    Satisfied,
    /// The shortest open clause has this number.
    Open(usize),
}

enum Status {
    Satisfied,
    Empty,
    /// One mask literal is left: restrict the place to this.
    Unit(u32, u64),
    /// The relational literal with this number is left.
    UnitRelational(usize),
    /// This many literals are left.
    Open(usize),
}

fn status(masks: &[u64], chosen: &Chosen, clause: &CoverClause) -> Status {
    let mut open = 0;
    let mut unit = None;
    for &(place, mask) in &clause.outside {
        let have = masks[place as usize];
        if have & mask == 0 {
            return Status::Satisfied;
        }
        if have & !mask != 0 {
            open += 1;
            unit = Some((place, !mask));
        }
    }
    let mut unit_relational = None;
    for &k in &clause.relational {
        if chosen.implies(k) {
            return Status::Satisfied;
        }
        if !chosen.excludes(k) {
            open += 1;
            unit_relational = Some(k);
        }
    }
    match (open, unit, unit_relational) {
        (0, ..) => Status::Empty,
        (1, Some((place, allowed)), None) => Status::Unit(place, allowed),
        (1, None, Some(k)) => Status::UnitRelational(k),
        _ => Status::Open(open),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubicle_lang::model::VarId;
    use cubicle_run::Interrupt;

    /// Without the literals, each cell takes one value whatever another one has: the first witness would not satisfy them.
    #[test]
    fn witnesses_satisfy_the_relational_literals() {
        let text = "type t = A | B | C var X : t var Y : t var P : proc var Q : proc
            init { X = A } unsafe (z) { P = z && Q = z } transition t () { X := ?; Y := ?; P := ?; Q := ? }";
        let system = cubicle_lang::load(text).expect("a correct model").system;
        let context = CubeContext::new(&system, true, &Interrupt::default());
        let cells: Vec<CubeCell> = (0..4).map(|v| CubeCell::of(VarId(v), [])).collect();
        let [x, y, p, q] = cells[..] else { unreachable!("four cells") };
        let complete = |masks: [u64; 4], relational: &[Relational]| {
            complete(&context, &cells, masks.to_vec(), relational.iter())
        };
        // Two processes and anything else.
        let any = OTHER | 0b11;
        assert_eq!(complete([0b111, 0b111, any, any], &[]), [0b001, 0b001, OTHER, OTHER]);
        assert_eq!(complete([0b111, 0b110, 1, any], &[Relational::eq(x, y)])[..2], [0b010, 0b010]);
        assert_eq!(complete([0b110, 0b111, 1, any], &[Relational::ne(x, y)])[..2], [0b010, 0b001]);
        // Two values that are not processes may still differ.
        assert_eq!(complete([1, 1, any, any], &[Relational::ne(p, q)])[2..], [OTHER, OTHER]);
        assert_eq!(complete([1, 1, 0b11, 0b11], &[Relational::ne(p, q)])[2..], [0b10, 0b01]);
        assert_eq!(complete([1, 1, 0b01, any], &[Relational::eq(p, q)])[2..], [0b01, 0b01]);
        let first = CubeCell::process(0);
        assert_eq!(complete([1, 1, any, 0b11], &[Relational::eq(q, first)])[3], 0b01);
        assert_eq!(complete([1, 1, any, 0b11], &[Relational::ne(q, first)])[3], 0b10);
        // Where no values are equal, or none differ, the literals change nothing.
        assert_eq!(complete([0b001, 0b110, 1, 1], &[Relational::eq(x, y)])[..2], [0b001, 0b010]);
        assert_eq!(complete([0b001, 0b001, 1, 1], &[Relational::ne(x, y)])[..2], [0b001, 0b001]);
    }
}
