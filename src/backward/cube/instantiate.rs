//! Formulas of the model at named processes, and the cubes of its declarations: bad states and axioms.

use smallvec::SmallVec;

use super::builder::CubeBuilder;
use super::cell::CubeCell;
use super::context::CubeContext;
use super::cube::Cube;
use super::halt::{Halt, Overflow};
use super::linear::{compared, linear};
use super::literal::{CubeLiteral, Reduced, Relational, less};
use cubicle_lang::model::{self, Bad, Cell, Dnf, Forbidden, ProcRef, Rational, Term};

/// A disjunction of conjunctions after instantiation. One that holds whatever the state has one member, which is empty.
pub type Disjunction = Vec<Vec<CubeLiteral>>;

/// The disjunction, or the one that always holds where a member does.
pub fn disjunction(any: Disjunction) -> Disjunction {
    if any.iter().any(Vec::is_empty) { vec![Vec::new()] } else { any }
}

/// Which processes the variables of a formula stand for.
#[derive(Clone, Copy, Debug)]
pub struct Instantiation<'a> {
    pub context: &'a CubeContext,
    /// Processes of the cube that is being built.
    pub procs: u8,
    /// Process of each `ProcRef::Var`.
    pub vars: &'a [u8],
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CellValue {
    Constructor(u8),
    /// A cell or a process.
    Cell(CubeCell),
    Linear(SmallVec<[(CubeCell, Rational); 2]>, Rational),
}

impl Instantiation<'_> {
    pub fn process(&self, p: ProcRef) -> u8 {
        p.of(self.vars)
    }

    pub fn cell(&self, cell: &Cell) -> CubeCell {
        CubeCell::of(cell.var, cell.index.iter().map(|&p| self.process(p)))
    }

    pub fn value(&self, term: &Term) -> CellValue {
        match term {
            Term::Constructor(c) => CellValue::Constructor(*c),
            Term::Proc(p) => CellValue::Cell(CubeCell::process(self.process(*p))),
            Term::Cell(c) => CellValue::Cell(self.cell(c)),
            Term::Linear(l) => {
                CellValue::Linear(l.terms.iter().map(|(c, k)| (self.cell(c), *k)).collect(), l.constant)
            }
        }
    }

    pub fn literal(&self, literal: &model::Literal) -> Result<Reduced, Overflow> {
        Ok(match literal {
            model::Literal::In { cell, values } => {
                let cell = self.cell(cell);
                Reduced::mask(cell, *values, self.context.full(cell, self.procs))
            }
            model::Literal::Eq { left, right, negated } => {
                self.equal(&self.value(left), &self.value(right), *negated)
            }
            model::Literal::Less { left, right, strict } => {
                self.less(&self.value(left), &self.value(right), *strict)
            }
            model::Literal::Linear { expr, relation, integer } => {
                let terms: SmallVec<[(CubeCell, Rational); 4]> =
                    expr.terms.iter().map(|(c, k)| (self.cell(c), *k)).collect();
                linear(&terms, expr.constant, *relation, *integer)?
            }
        })
    }

    /// `left = right` for values of enum, proc or abstract type.
    pub fn equal(&self, left: &CellValue, right: &CellValue, negated: bool) -> Reduced {
        let (a, b) = match (left, right) {
            (CellValue::Constructor(c), CellValue::Constructor(d)) => {
                return Reduced::from_bool((c == d) != negated);
            }
            (CellValue::Constructor(c), CellValue::Cell(s))
            | (CellValue::Cell(s), CellValue::Constructor(c)) => {
                let mask = if negated { !(1 << c) } else { 1 << c };
                return Reduced::mask(*s, mask, self.context.full(*s, self.procs));
            }
            (CellValue::Cell(a), CellValue::Cell(b)) => (*a, *b),
            (CellValue::Linear(..), _) | (_, CellValue::Linear(..)) => {
                unreachable!("numbers are compared by linear literals")
            }
        };
        match (a.as_process(), b.as_process()) {
            (Some(p), Some(q)) => Reduced::from_bool((p == q) != negated),
            (Some(p), None) | (None, Some(p)) => {
                let cell = if a.is_process() { b } else { a };
                let mask = if negated { !(1 << p) } else { 1 << p };
                Reduced::mask(cell, mask, self.context.full(cell, self.procs))
            }
            (None, None) if a == b => Reduced::from_bool(!negated),
            (None, None) => Reduced::Literal(CubeLiteral::Relational(if negated {
                Relational::ne(a, b)
            } else {
                Relational::eq(a, b)
            })),
        }
    }

    /// `left < right` or `left <= right` in the process order.
    pub fn less(&self, left: &CellValue, right: &CellValue, strict: bool) -> Reduced {
        let (CellValue::Cell(a), CellValue::Cell(b)) = (left, right) else {
            unreachable!("only processes and proc cells are ordered")
        };
        less(self.context, *a, *b, strict)
    }

    pub fn dnf(&self, dnf: &Dnf) -> Result<Disjunction, Overflow> {
        let mut any = Vec::new();
        'disjunct: for conj in &dnf.0 {
            let mut out = Vec::new();
            for l in conj {
                if !self.literal(l)?.join(&mut out) {
                    continue 'disjunct;
                }
            }
            if out.is_empty() {
                return Ok(vec![out]);
            }
            any.push(out);
        }
        Ok(any)
    }

    /// A relational literal with each cell replaced by its value.
    pub fn substituted(
        &self,
        relational: &Relational,
        value: &dyn Fn(CubeCell) -> CellValue,
    ) -> Result<Reduced, Overflow> {
        Ok(match relational {
            Relational::Eq(x, y) => self.equal(&value(*x), &value(*y), false),
            Relational::Ne(x, y) => self.equal(&value(*x), &value(*y), true),
            Relational::Lt(x, y) => self.less(&value(*x), &value(*y), true),
            Relational::Le(x, y) => self.less(&value(*x), &value(*y), false),
            Relational::Linear { integer, form, bound } => {
                let (form, mut constant, relation) = compared(form, *bound);
                let mut terms: Vec<(CubeCell, Rational)> = Vec::new();
                for (cell, k) in form {
                    let CellValue::Linear(ts, c) = value(cell) else {
                        unreachable!("numeric cells have linear values")
                    };
                    for (s, m) in ts {
                        terms.push((s, m.mul(k).ok_or(Overflow)?));
                    }
                    constant = constant.add(c.mul(k).ok_or(Overflow)?).ok_or(Overflow)?;
                }
                linear(&terms, constant, relation, *integer)?
            }
        })
    }

    pub fn negate(&self, g: &CubeLiteral) -> Result<Reduced, Overflow> {
        Ok(match g {
            CubeLiteral::Mask(s, m) => Reduced::mask(*s, !m, self.context.full(*s, self.procs)),
            CubeLiteral::Relational(s) => Reduced::Literal(CubeLiteral::Relational(s.negate()?)),
        })
    }

    /// The negation of a conjunction, as a clause; `None` when the conjunction never holds.
    pub fn denial(&self, conj: &[CubeLiteral]) -> Result<Option<Vec<CubeLiteral>>, Overflow> {
        let mut clause = Vec::with_capacity(conj.len());
        for literal in conj {
            match self.negate(literal)? {
                Reduced::True => return Ok(None),
                Reduced::False => {}
                Reduced::Literal(negated) => clause.push(negated),
            }
        }
        Ok(Some(clause))
    }
}

/// The cubes of a bad declaration: its parameters are distinct, and each is a rigid process or another.
/// A parameter that no literal mentions still names a process.
pub fn bad_cubes(context: &CubeContext, bad: &Bad) -> Result<Vec<Cube>, Halt> {
    cubes_of(context, &bad.into())
}

/// The cubes of forbidden states over distinct processes, each a rigid one or another. Of rigid processes nothing is said where they are
/// others, so that a cube may be larger.
pub fn cubes_of(context: &CubeContext, states: &Forbidden) -> Result<Vec<Cube>, Halt> {
    let mut out = Vec::new();
    let mut names = Vec::new();
    bind(context, states, &mut names, context.rigid, &mut out)?;
    Ok(out)
}

fn bind(
    context: &CubeContext,
    states: &Forbidden,
    names: &mut Vec<u8>,
    procs: u8,
    out: &mut Vec<Cube>,
) -> Result<(), Halt> {
    context.interrupt.poll()?;
    if names.len() == usize::from(states.params) {
        if usize::from(procs) > context.max_procs {
            return if context.bounded { Ok(()) } else { Err(Overflow.into()) };
        }
        let mut b = CubeBuilder::new(context, procs);
        let env = Instantiation { context, procs, vars: names };
        for l in &states.cube {
            if !b.require_reduced(&env.literal(l)?) {
                return Ok(());
            }
        }
        let vars = [&names[..], &[procs]].concat();
        let env = Instantiation { context, procs: procs + 1, vars: &vars };
        for conj in &states.others {
            env.dnf(&Dnf(vec![conj.clone()]))?.into_iter().for_each(|literals| b.exclude(literals.into()));
        }
        out.extend(b.finish()?);
        return Ok(());
    }
    for p in 0..context.rigid {
        if !names.contains(&p) {
            names.push(p);
            bind(context, states, names, procs, out)?;
            names.pop();
        }
    }
    names.push(procs);
    bind(context, states, names, procs + 1, out)?;
    names.pop();
    Ok(())
}
