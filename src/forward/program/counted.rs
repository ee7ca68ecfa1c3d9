//! Ground literals as tests on codes; counts, and the linear expressions over them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::{Overflow, Unbuildable};
use crate::ground::{GroundCount, Lit, Side, Sum};
use crate::program::code::{CountedCell, CountedExpr, Test};
use crate::state::{Cells, CodeKind, LinearExpr};
use cubicle_lang::model::lcm;

/// The counts of an instance, by cell.
#[derive(Clone, Debug, Default)]
pub struct Counts(BTreeMap<usize, Arc<CountedCell>>);

impl Counts {
    pub fn new(cells: &Cells, counts: &[GroundCount]) -> Result<Self, Unbuildable> {
        counts
            .iter()
            .map(|count| Ok((count.cell, Arc::new(counted(cells, count)?))))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    pub fn test(&self, cells: &Cells, lit: &Lit) -> Result<Test, Unbuildable> {
        if let Lit::Linear { sum, relation } = lit
            && self.occur(sum)
        {
            let kind = sum.terms.first().map_or(CodeKind::Int, |(c, _)| cells.cells[*c].kind);
            return Ok(Test::Counted(Box::new(self.expr(cells, sum, kind)?), *relation));
        }
        plain_test(cells, lit)
    }

    pub fn occur(&self, sum: &Sum) -> bool {
        !self.0.is_empty() && sum.terms.iter().any(|(c, _)| self.0.contains_key(c))
    }

    /// A sum in which counts may occur, stored like cells of `kind`.
    pub fn expr(&self, cells: &Cells, sum: &Sum, kind: CodeKind) -> Result<CountedExpr, Overflow> {
        let (counts, terms): (Vec<_>, Vec<_>) = sum.terms.iter().partition(|(c, _)| self.0.contains_key(c));
        let plain = LinearExpr::new(cells, &Sum { terms, constant: sum.constant }, kind)?;
        let mut divisor = i64::try_from(plain.divisor).map_err(|_| Overflow)?;
        for (cell, factor) in &counts {
            let own = self.0[cell].divisor.checked_mul(factor.den()).ok_or(Overflow)?;
            divisor = lcm(divisor, own).ok_or(Overflow)?;
        }
        let term = |(cell, factor): &(usize, cubicle_lang::model::Rational)| {
            let count = Arc::clone(&self.0[cell]);
            let times = divisor / (count.divisor * factor.den());
            (i128::from(times) * i128::from(factor.num()), count)
        };
        let times = i128::from(divisor) / plain.divisor;
        Ok(CountedExpr { counts: counts.iter().map(term).collect(), times, plain, divisor: divisor.into() })
    }
}

fn counted(cells: &Cells, count: &GroundCount) -> Result<CountedCell, Unbuildable> {
    let kind = cells.cells[count.cell].kind;
    let mut parts = Vec::with_capacity(count.parts.len());
    let mut divisor = 1;
    for (when, summand) in &count.parts {
        let when: Vec<Vec<Test>> = when
            .iter()
            .map(|conj| conj.iter().map(|lit| plain_test(cells, lit)).collect::<Result<_, _>>())
            .collect::<Result<_, _>>()?;
        let summand = LinearExpr::new(cells, summand, kind)?;
        let own = i64::try_from(summand.divisor).map_err(|_| Overflow)?;
        divisor = lcm(divisor, own).ok_or(Overflow)?;
        parts.push((when, summand));
    }
    Ok(CountedCell { parts, divisor })
}

/// Compiles a literal without counts.
pub fn plain_test(cells: &Cells, lit: &Lit) -> Result<Test, Unbuildable> {
    Ok(match lit {
        Lit::In { cell, values } => Test::In(*cell, cells.codes_of(*cell, *values)),
        Lit::Same { a, b, negated } => Test::Same(*a, *b, *negated),
        Lit::Less { a: Side::Cell(a), b: Side::Cell(b), strict } => Test::Less(*a, *b, *strict),
        Lit::Less { a: Side::Cell(c), b: Side::Proc(p), strict } => {
            let limit = (2 * *p as i64 + 1, 0);
            codes_where(cells, *c, |at| if *strict { at < limit } else { at <= limit })
        }
        Lit::Less { a: Side::Proc(p), b: Side::Cell(c), strict } => {
            let limit = (2 * *p as i64 + 1, 0);
            codes_where(cells, *c, |at| if *strict { limit < at } else { limit <= at })
        }
        Lit::Less { .. } => unreachable!("comparisons of processes are decided when ground"),
        Lit::Linear { sum, relation } => {
            let kind = sum.terms.first().map_or(CodeKind::Int, |(c, _)| cells.cells[*c].kind);
            Test::Linear(LinearExpr::new(cells, sum, kind)?, *relation)
        }
    })
}

fn codes_where(cells: &Cells, cell: usize, f: impl Fn((i64, i64)) -> bool) -> Test {
    let codes =
        (0..cells.cells[cell].codes).filter(|c| f(cells.place(cell, *c as i64))).fold(0, |s, c| s | 1 << c);
    Test::In(cell, codes)
}
