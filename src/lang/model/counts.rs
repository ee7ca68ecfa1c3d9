//! Counts: variables whose value in each state follows from the other variables, for they say how many processes satisfy
//! a formula (`#{p | S[p] = Reading}`, `#proc`), or what a term of each of them adds up to (`sum{p | Balance[p]}`).
//!
//! No transition assigns a count; its cells are evaluated again in each state. So whatever derives a system from another
//! one need not keep counts up to date, and a system with more counts has the same runs.

use std::borrow::Cow;

use super::Rational;
use super::ir::{Dnf, Linear, Literal, Type, Var, VarId, VarKind};
use crate::diagnostic::Span;
use crate::list::sorted;

/// A variable that counts processes, or adds up a term of them.
///
/// With n indices, `ProcRef::Var(0)` up to `Var(n - 1)` are the processes of the cell and `ProcRef::Var(n)` is the counted
/// process, which ranges over all processes, those of the cell included. No count reads another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Count {
    /// The variable: a global without indices, else an array; of type `int`, or `real` for a sum of reals.
    pub var: VarId,
    /// Which processes are counted.
    pub body: Dnf,
    /// What each of them contributes; 1 when there is none.
    pub summand: Option<Linear>,
}

impl Count {
    /// The variables that it reads, without repetitions.
    pub fn reads(&self) -> Vec<VarId> {
        let summed = self.summand.iter().flat_map(|it| &it.terms).map(|(cell, _)| cell.var);
        sorted(self.body.0.iter().flatten().flat_map(Literal::vars).chain(summed))
    }

    /// What each counted process adds.
    pub fn added(&self) -> Cow<'_, Linear> {
        let one = || Cow::Owned(Linear::number(Rational::ONE));
        self.summand.as_ref().map_or_else(one, Cow::Borrowed)
    }
}

/// What [`SystemParts::counted`](super::SystemParts::counted) does, for these variables and counts.
pub(super) fn counted(
    vars: &mut Vec<Var>,
    counts: &mut Vec<Count>,
    indices: u8,
    body: Dnf,
    summand: Option<Linear>,
    span: Span,
) -> Option<VarId> {
    let of = |var: VarId| &vars[usize::from(var.0)];
    let same =
        |it: &&Count| it.body == body && it.summand == summand && of(it.var).arity() == usize::from(indices);
    if let Some(known) = counts.iter().find(same) {
        return Some(known.var);
    }
    let mut of_summand = summand.iter().flat_map(|it| &it.terms).map(|(cell, _)| of(cell.var).ty);
    let ty = if of_summand.any(|ty| ty == Type::Real) { Type::Real } else { Type::Int };
    let var = VarId::new(vars.len())?;
    let kind = if indices == 0 { VarKind::Global } else { VarKind::Array(indices) };
    // No text can use this name; what is written is the formula.
    let name = format!("#{{{}}}", counts.len() + 1);
    vars.push(Var { name, kind, ty, range: u64::MAX, span });
    counts.push(Count { var, body, summand });
    Some(var)
}
