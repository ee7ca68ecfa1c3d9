//! Counts: variables whose value in each state follows from the other variables, for they say how many processes satisfy
//! a formula (`#{p | S[p] = Reading}`, `#proc`), or what a term of each of them adds up to (`sum{p | Balance[p]}`).
//!
//! No transition assigns a count; its cells are evaluated again in each state. So whatever derives a system from another
//! one need not keep counts up to date, and a system with more counts has the same runs.

use super::axioms::vars;
use super::linear::{LinearConstraint, normalise};
use super::{
    Cell, Conj, Dnf, Forbidden, Linear, Literal, Rational, Relation, SystemParts, Transition, Type, Var, VarId, VarKind,
};
use crate::diagnostic::Span;

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
        let mut read: Vec<VarId> = self.body.0.iter().flatten().flat_map(vars).collect();
        read.extend(self.summand.iter().flat_map(|it| &it.terms).map(|(cell, _)| cell.var));
        read.sort_unstable();
        read.dedup();
        read
    }
}

impl SystemParts {
    /// What a variable counts, if it does.
    pub fn count_of(&self, var: VarId) -> Option<&Count> {
        self.counts.iter().find(|count| count.var == var)
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
    pub fn counted(
        &mut self,
        indices: u8,
        body: Dnf,
        summand: Option<Linear>,
        span: Span,
    ) -> Option<VarId> {
        let arity = usize::from(indices);
        let same = |it: &&Count| {
            it.body == body && it.summand == summand && self.var(it.var).arity() == arity
        };
        if let Some(known) = self.counts.iter().find(same) {
            return Some(known.var);
        }
        let var = VarId::new(self.vars.len())?;
        let of_summand = summand.iter().flat_map(|it| &it.terms).map(|(cell, _)| self.var(cell.var).ty);
        let ty = if of_summand.into_iter().any(|ty| ty == Type::Real) { Type::Real } else { Type::Int };
        let kind = if indices == 0 { VarKind::Global } else { VarKind::Array(indices) };
        // No text can use this name; what is written is the formula.
        let name = format!("#{{{}}}", self.counts.len() + 1);
        self.vars.push(Var { name, kind, ty, range: u64::MAX, span });
        self.counts.push(Count { var, body, summand });
        Some(var)
    }
}

/// A linear equation that holds in every reachable state: the number plus what the values of globals add is zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Equation {
    /// Over numeric globals, constants, and counts without indices.
    pub number: Linear,
    /// A global of enum type, some of its values, and what is added while it holds one of these.
    pub indicators: Vec<(VarId, u64, Rational)>,
}

impl Equation {
    /// The states that violate it, one cube for each choice of values that makes a difference; `None` when there are more than
    /// `most`, or a number leaves the 64-bit range.
    pub fn violations(&self, system: &SystemParts, most: usize) -> Option<Vec<Forbidden>> {
        let mut cases = vec![(Vec::new(), self.number.constant)];
        let mut globals: Vec<VarId> = self.indicators.iter().map(|it| it.0).collect();
        globals.sort_unstable();
        globals.dedup();
        for global in globals {
            let Type::Enum(id) = system.var(global).ty else { return None };
            let all = system.enumeration(id).all();
            // Values by what they add.
            let mut added: Vec<(Rational, u64)> = Vec::new();
            for value in (0..64).filter(|value| all >> value & 1 == 1) {
                let of_value = self.indicators.iter().filter(|it| it.0 == global && it.1 >> value & 1 == 1);
                let sum = of_value.map(|it| it.2).try_fold(Rational::ZERO, Rational::add)?;
                match added.iter_mut().find(|it| it.0 == sum) {
                    Some((_, values)) => *values |= 1 << value,
                    None => added.push((sum, 1 << value)),
                }
            }
            let mut next = Vec::new();
            for (cube, constant) in cases {
                for (sum, values) in &added {
                    let mut cube: Conj = cube.clone();
                    if *values != all {
                        let cell = Cell { var: global, index: std::iter::empty().collect() };
                        cube.push(Literal::In { cell, values: *values });
                    }
                    next.push((cube, Rational::add(constant, *sum)?));
                }
            }
            cases = next;
            if cases.len() > most {
                return None;
            }
        }
        let mut found = Vec::new();
        for (mut cube, constant) in cases {
            let expr = Linear { terms: self.number.terms.clone(), constant };
            match normalise(expr, Relation::Ne, true)? {
                LinearConstraint::Literal(literal) => cube.push(literal),
                LinearConstraint::Constant(true) => {}
                LinearConstraint::Constant(false) => continue,
            }
            found.push(Forbidden { params: 0, cube });
        }
        Some(found)
    }
}
