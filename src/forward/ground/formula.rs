//! Formulas of the IR with processes substituted for process variables: ground literals over cells.

use std::collections::BTreeMap;

use crate::clock::Clock;
use crate::error::{Overflow, Unbuildable};
use crate::ground::arguments::FixedSorts;
use crate::ground::places::Places;
use cubicle_lang::list::{add_new, sorted};
use cubicle_lang::model::semantics::{Point, Value};
use cubicle_lang::model::{Cell, Count, Dnf, Linear, Literal, Rational, Relation, System, Term, Type};

/// One side of a process comparison.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    Cell(usize),
    /// A process, from 0.
    Proc(usize),
}

pub type Sum = Linear<usize>;

/// A ground literal that is neither constantly true nor constantly false. Cells are numbered as in [`Places`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Lit {
    /// The cell's value is in the set: constructor c is bit c; process p is bit p, and bit k (the
    /// number of processes) stands for every outside value.
    In {
        cell: usize,
        values: u128,
    },
    /// Two different cells are equal, or differ.
    Same {
        a: usize,
        b: usize,
        negated: bool,
    },
    /// Process order; at least one side is a cell.
    Less {
        a: Side,
        b: Side,
        strict: bool,
    },
    Linear {
        sum: Sum,
        relation: Relation,
    },
}

impl Lit {
    /// Calls `f` on every cell that the literal reads.
    pub fn cells(&self, mut f: impl FnMut(usize)) {
        match self {
            Self::In { cell, .. } => f(*cell),
            Self::Same { a, b, .. } => {
                f(*a);
                f(*b);
            }
            Self::Less { a, b, .. } => {
                for side in [a, b] {
                    if let Side::Cell(c) = side {
                        f(*c);
                    }
                }
            }
            Self::Linear { sum, .. } => sum.terms.iter().for_each(|(c, _)| f(*c)),
        }
    }
}

/// A conjunction of ground literals, at most one [`Lit::In`] for each cell.
pub type GroundConj = Vec<Lit>;

/// A disjunction of conjunctions; empty is false, one with an empty member is true.
pub type GroundDnf = Vec<GroundConj>;

pub struct Grounder<'a> {
    pub system: &'a System,
    pub places: &'a Places,
    /// The sorts of processes, where they are known: literals about them are then constant.
    pub sorts: Option<&'a FixedSorts>,
}

impl Grounder<'_> {
    /// Number of a cell; of one that states do not have, what it holds.
    pub fn cell(&self, cell: &Cell, env: &[usize]) -> Result<usize, Value> {
        let index = || cell.index.iter().map(|p| p.of(env));
        let position = self.places.of(cell.var).position(index());
        position.ok_or_else(|| self.places.left_out(cell.var, &index().collect::<Vec<_>>()))
    }

    /// A linear expression. Counts that read no cells are part of its constant.
    pub fn sum(&self, linear: &Linear, env: &[usize]) -> Result<Sum, Overflow> {
        let mut terms: BTreeMap<usize, Rational> = BTreeMap::new();
        let mut constant = linear.constant;
        for (cell, coefficient) in &linear.terms {
            if let Some(n) = self.constant_count(cell, env)? {
                constant = coefficient.mul(n).and_then(|n| constant.add(n)).ok_or(Overflow)?;
                continue;
            }
            // One that states do not have is zero.
            let Ok(position) = self.cell(cell, env) else { continue };
            let at = terms.entry(position).or_insert(Rational::ZERO);
            *at = at.add(*coefficient).ok_or(Overflow)?;
        }
        terms.retain(|_, c| !c.is_zero());
        Ok(Sum { terms: terms.into_iter().collect(), constant })
    }

    /// What each process adds to a cell of a count, less those that never add anything.
    pub fn contributions(&self, count: &Count, index: &[usize]) -> Result<Vec<(GroundDnf, Sum)>, Overflow> {
        let mut parts = Vec::new();
        let mut env = [index, &[0]].concat();
        for process in 0..self.places.procs {
            env[index.len()] = process;
            let when = self.dnf(&count.body, &env)?;
            if when.is_empty() {
                continue;
            }
            parts.push((when, self.sum(&count.added(), &env)?));
        }
        Ok(parts)
    }

    /// The value of a cell of a count that reads no cells, such as the number of processes.
    fn constant_count(&self, cell: &Cell, env: &[usize]) -> Result<Option<Rational>, Overflow> {
        let Some(count) = self.system.count_of(cell.var).filter(|count| count.reads().is_empty()) else {
            return Ok(None);
        };
        let index: Vec<usize> = cell.index.iter().map(|p| p.of(env)).collect();
        let parts = self.contributions(count, &index)?;
        let total = parts.iter().try_fold(Rational::ZERO, |total, (_, summand)| total.add(summand.constant));
        total.map(Some).ok_or(Overflow)
    }

    fn side(&self, term: &Term, env: &[usize]) -> Result<usize, Value> {
        match term {
            Term::Proc(p) => Err(Value::Proc(Point::process(p.of(env)))),
            Term::Cell(c) => self.cell(c, env),
            Term::Constructor(_) | Term::Linear(_) => {
                unreachable!("the IR compares only cells and processes")
            }
        }
    }

    /// That a cell holds a value, or does not.
    fn holds_value(&self, cell: usize, value: Value, negated: bool) -> Lit {
        let (value, all) = match value {
            Value::Constructor(c) => (1 << c, u128::from(u64::MAX)),
            value => (1 << self.process_of(value), (1 << (self.places.procs + 1)) - 1),
        };
        Lit::In { cell, values: if negated { all & !value } else { value } }
    }

    fn process_of(&self, value: Value) -> usize {
        let Value::Proc(point) = value else { unreachable!("the IR compares only values of one type") };
        point.as_process(self.places.procs).expect("a process of the instance")
    }

    /// A literal, or its truth value when it is constant.
    fn literal(&self, literal: &Literal, env: &[usize]) -> Result<Result<Lit, bool>, Overflow> {
        Ok(match literal {
            Literal::In { cell, values } => {
                if let Some(holds) = self.sorts.and_then(|it| it.decides(cell, *values, env)) {
                    return Ok(Err(holds));
                }
                let Type::Enum(e) = self.system.var(cell.var).ty else {
                    unreachable!("only enum cells have value sets")
                };
                let values = values & self.system.enumeration(e).all();
                match self.cell(cell, env) {
                    Ok(cell) => Ok(Lit::In { cell, values: u128::from(values) }),
                    Err(value) => Err(matches!(value, Value::Constructor(c) if values >> c & 1 == 1)),
                }
            }
            Literal::Eq { left, right, negated } => match (self.side(left, env), self.side(right, env)) {
                (Err(a), Err(b)) => Err((a == b) != *negated),
                (Ok(a), Ok(b)) if a == b => Err(!negated),
                (Ok(a), Ok(b)) => Ok(Lit::Same { a: a.min(b), b: a.max(b), negated: *negated }),
                (Ok(cell), Err(value)) | (Err(value), Ok(cell)) => {
                    Ok(self.holds_value(cell, value, *negated))
                }
            },
            Literal::Less { left, right, strict } => {
                let side = |term: &Term| match self.side(term, env) {
                    Ok(cell) => Side::Cell(cell),
                    Err(value) => Side::Proc(self.process_of(value)),
                };
                match (side(left), side(right)) {
                    (Side::Proc(p), Side::Proc(q)) => Err(if *strict { p < q } else { p <= q }),
                    (a, b) if a == b => Err(!strict),
                    (a, b) => Ok(Lit::Less { a, b, strict: *strict }),
                }
            }
            Literal::Linear { expr, relation, .. } => {
                let sum = self.sum(expr, env)?;
                if sum.terms.is_empty() {
                    Err(relation.holds(sum.constant))
                } else {
                    Ok(Lit::Linear { sum, relation: *relation })
                }
            }
        })
    }

    /// A conjunction; `None` when it is false.
    pub fn conj(&self, conj: &[Literal], env: &[usize]) -> Result<Option<GroundConj>, Overflow> {
        let mut out = Vec::with_capacity(conj.len());
        for literal in conj {
            match self.literal(literal, env)? {
                Err(false) => return Ok(None),
                Err(true) => {}
                Ok(lit) => {
                    if !push(&mut out, lit) {
                        return Ok(None);
                    }
                }
            }
        }
        Ok(Some(out))
    }

    pub fn dnf(&self, dnf: &Dnf, env: &[usize]) -> Result<GroundDnf, Overflow> {
        let mut out: GroundDnf = Vec::with_capacity(dnf.0.len());
        for conj in &dnf.0 {
            if let Some(conj) = self.conj(conj, env)? {
                if conj.is_empty() {
                    return Ok(vec![Vec::new()]);
                }
                add_new(&mut out, conj);
            }
        }
        Ok(merge_sets(out))
    }
}

/// Adds a literal to a conjunction; false when the conjunction becomes false.
pub fn push(conj: &mut GroundConj, lit: Lit) -> bool {
    if let Lit::In { cell, values } = lit {
        let of_cell = conj.iter_mut().find_map(|old| match old {
            Lit::In { cell: c, values } if *c == cell => Some(values),
            _ => None,
        });
        if let Some(known) = of_cell {
            *known &= values;
            return *known != 0;
        }
        if values == 0 {
            return false;
        }
    }
    add_new(conj, lit);
    true
}

/// `x in A || x in B` is `x in A + B`, when there are no other disjuncts.
fn merge_sets(dnf: GroundDnf) -> GroundDnf {
    let mut union: Option<(usize, u128)> = None;
    for conj in &dnf {
        let [Lit::In { cell, values }] = conj[..] else { return dnf };
        let (known, all) = union.get_or_insert((cell, 0));
        if *known != cell {
            return dnf;
        }
        *all |= values;
    }
    union.map_or(dnf, |(cell, values)| vec![vec![Lit::In { cell, values }]])
}

/// A cell of a count.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroundCount {
    pub cell: usize,
    /// A condition, which is not constantly false, and what is added where it holds.
    pub parts: Vec<(GroundDnf, Sum)>,
}

impl GroundCount {
    /// The cells that its value follows from.
    pub fn reads(&self) -> Vec<usize> {
        let mut reads = Vec::new();
        for (when, summand) in &self.parts {
            when.iter().flatten().for_each(|lit| lit.cells(|c| reads.push(c)));
            reads.extend(summand.terms.iter().map(|(c, _)| *c));
        }
        sorted(reads)
    }
}

/// All cells of counts, in order.
pub fn counts(grounder: &Grounder<'_>, clock: &Clock) -> Result<Vec<GroundCount>, Unbuildable> {
    let Grounder { system, places, .. } = grounder;
    let mut found = Vec::new();
    for count in &system.counts {
        let table = places.of(count.var);
        for (cell, index) in (table.first..).zip(table.tuples()) {
            clock.poll()?;
            let parts = grounder.contributions(count, &index)?;
            found.push(GroundCount { cell, parts });
        }
    }
    found.sort_unstable_by_key(|count| count.cell);
    Ok(found)
}
