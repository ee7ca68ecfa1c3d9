//! Formulas of the model at named processes.

use smallvec::SmallVec;

use super::cell::Slot;
use super::context::Shape;
use super::halt::Overflow;
use super::linear::linear;
use super::literal::{Ground, Reduced, Side, conjoin, less};
use crate::model::{self, Cell, Dnf, ProcRef, Rational, Term};

/// A formula after instantiation: true, or a disjunction (empty: false).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    /// Holds whatever the state.
    True,
    /// One of these conjunctions holds.
    Any(Vec<Vec<Ground>>),
}

/// Which processes the variables of a formula stand for.
#[derive(Clone, Copy, Debug)]
pub struct Env<'a> {
    /// Facts about the system.
    pub shape: &'a Shape,
    /// Processes of the cube that is being built.
    pub procs: u8,
    /// Process of each `ProcRef::Var`.
    pub vars: &'a [u8],
}

/// An instantiated value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A constructor.
    Constructor(u8),
    /// A cell or a process.
    Slot(Slot),
    /// A linear expression.
    Linear(SmallVec<[(Slot, Rational); 2]>, Rational),
}

impl Env<'_> {
    /// The process that a reference names.
    pub fn process(&self, p: ProcRef) -> u8 {
        match p {
            ProcRef::Var(i) => self.vars[i as usize],
            ProcRef::Const(k) => k,
        }
    }

    /// The slot of a cell.
    pub fn slot(&self, cell: &Cell) -> Slot {
        Slot::cell(cell.var, cell.index.iter().map(|&p| self.process(p)))
    }

    /// A term as a value.
    pub fn value(&self, term: &Term) -> Value {
        match term {
            Term::Constructor(c) => Value::Constructor(*c),
            Term::Proc(p) => Value::Slot(Slot::process(self.process(*p))),
            Term::Cell(c) => Value::Slot(self.slot(c)),
            Term::Linear(l) => {
                Value::Linear(l.terms.iter().map(|(c, k)| (self.slot(c), *k)).collect(), l.constant)
            }
        }
    }

    /// A literal.
    pub fn literal(&self, literal: &model::Literal) -> Result<Reduced, Overflow> {
        Ok(match literal {
            model::Literal::In { cell, values } => {
                let slot = self.slot(cell);
                Reduced::mask(slot, *values, self.shape.full(slot, self.procs))
            }
            model::Literal::Eq { left, right, negated } => {
                self.equal(&self.value(left), &self.value(right), *negated)
            }
            model::Literal::Less { left, right, strict } => {
                self.less(&self.value(left), &self.value(right), *strict)
            }
            model::Literal::Linear { expr, relation, integer } => {
                let terms: SmallVec<[(Slot, Rational); 4]> =
                    expr.terms.iter().map(|(c, k)| (self.slot(c), *k)).collect();
                linear(&terms, expr.constant, *relation, *integer)?
            }
        })
    }

    /// `left = right` for values of enum, proc or abstract type.
    pub fn equal(&self, left: &Value, right: &Value, negated: bool) -> Reduced {
        let (a, b) = match (left, right) {
            (Value::Constructor(c), Value::Constructor(d)) => return Reduced::from_bool((c == d) != negated),
            (Value::Constructor(c), Value::Slot(s)) | (Value::Slot(s), Value::Constructor(c)) => {
                let mask = if negated { !(1 << c) } else { 1 << c };
                return Reduced::mask(*s, mask, self.shape.full(*s, self.procs));
            }
            (Value::Slot(a), Value::Slot(b)) => (*a, *b),
            (Value::Linear(..), _) | (_, Value::Linear(..)) => {
                unreachable!("numbers are compared by linear literals")
            }
        };
        match (a.as_process(), b.as_process()) {
            (Some(p), Some(q)) => Reduced::from_bool((p == q) != negated),
            (Some(p), None) | (None, Some(p)) => {
                let slot = if a.is_process() { b } else { a };
                let mask = if negated { !(1 << p) } else { 1 << p };
                Reduced::mask(slot, mask, self.shape.full(slot, self.procs))
            }
            (None, None) if a == b => Reduced::from_bool(!negated),
            (None, None) => {
                Reduced::Literal(Ground::Side(if negated { Side::ne(a, b) } else { Side::eq(a, b) }))
            }
        }
    }

    /// `left < right` or `left <= right` in the process order.
    pub fn less(&self, left: &Value, right: &Value, strict: bool) -> Reduced {
        let (Value::Slot(a), Value::Slot(b)) = (left, right) else {
            unreachable!("only processes and proc cells are ordered")
        };
        less(self.shape, *a, *b, strict)
    }

    /// A disjunction of conjunctions.
    pub fn dnf(&self, dnf: &Dnf) -> Result<Formula, Overflow> {
        let mut any = Vec::new();
        'disjunct: for conj in &dnf.0 {
            let mut out = Vec::new();
            for l in conj {
                match self.literal(l)? {
                    Reduced::True => {}
                    Reduced::False => continue 'disjunct,
                    Reduced::Literal(g) => {
                        if !conjoin(&mut out, &g) {
                            continue 'disjunct;
                        }
                    }
                }
            }
            if out.is_empty() {
                return Ok(Formula::True);
            }
            any.push(out);
        }
        Ok(Formula::Any(any))
    }

    /// The negation of a ground literal.
    pub fn negate(&self, g: &Ground) -> Result<Reduced, Overflow> {
        Ok(match g {
            Ground::Mask(s, m) => Reduced::mask(*s, !m, self.shape.full(*s, self.procs)),
            Ground::Side(s) => Reduced::Literal(Ground::Side(s.negate()?)),
        })
    }
}
