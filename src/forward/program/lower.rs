//! Ground literals as tests on codes.

use crate::error::Unbuildable;
use crate::ground::{Lit, Side};
use crate::program::code::Test;
use crate::state::{Cells, CodeKind, LinearExpr};

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
