//! Counts: variables whose value in each state follows from the other variables, for they say how many processes satisfy
//! a formula (`#{p | S[p] = Reading}`, `#proc`), or what a term of each of them adds up to (`sum{p | Balance[p]}`).
//!
//! No transition assigns a count; its cells are evaluated again in each state. So whatever derives a system from another
//! one need not keep counts up to date, and a system with more counts has the same runs.

use super::{Count, Dnf, Linear, Literal, System, SystemParts, Transition, Type, Var, VarId, VarKind};
use crate::diagnostic::Span;

impl SystemParts {
    /// What a variable counts, if it does.
    pub fn count_of(&self, var: VarId) -> Option<&Count> {
        self.counts.iter().find(|count| count.var == var)
    }

    /// The variables that make up a state: all but the counts, with their ids.
    pub fn declared(&self) -> impl Iterator<Item = (VarId, &Var)> {
        let all = (0..).map(VarId).zip(&self.vars);
        all.filter(|(id, _)| self.count_of(*id).is_none())
    }

    /// Whether a step of the transition may change the variable: it assigns it, or something that it counts.
    pub fn may_change(&self, t: &Transition, var: VarId) -> bool {
        let assigns = |var: VarId| t.updates.iter().any(|update| update.var == var);
        match self.count_of(var) {
            Some(count) => count.reads().into_iter().any(assigns),
            None => assigns(var),
        }
    }

    /// The variable with `indices` indices that counts this, added where there is none; `None` when there are too many
    /// variables.
    pub fn counted(&mut self, indices: u8, body: Dnf, summand: Option<Linear>, span: Span) -> Option<VarId> {
        counted(&mut self.vars, &mut self.counts, indices, body, summand, span)
    }

    /// The variables that a literal reads, and for a count those that it counts, too.
    pub(super) fn reads(&self, literal: &Literal) -> Vec<VarId> {
        let all: Vec<VarId> = literal.cells().into_iter().map(|cell| cell.var).collect();
        let counted = all.iter().filter_map(|var| self.count_of(*var)).flat_map(Count::reads);
        all.iter().copied().chain(counted).collect()
    }
}

impl System {
    /// The system with further variables that count; they have the numbers after its own.
    #[must_use]
    pub fn with_counts(&self, counts: &[(Var, Count)]) -> Self {
        if counts.is_empty() {
            return self.clone();
        }
        self.edited(|parts| {
            parts.vars.extend(counts.iter().map(|it| it.0.clone()));
            parts.counts.extend(counts.iter().map(|it| it.1.clone()));
        })
    }
}

/// What [`SystemParts::counted`] does, for these variables and counts.
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
