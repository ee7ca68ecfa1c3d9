//! A transition: parameters, guard, and the new value of each symbol that changes.

use cubicle_lang::diagnostic::Span;

use super::equations::Branch;
use super::formula::{App, Formula, SymbolId, Term, VarId, variables};
use super::resolve::Part;
use super::symbols::{Symbols, Vars};

/// New value of a relation or function: for the cell given by variables, the first branch that holds.
#[derive(Clone, Debug)]
pub(super) struct Update {
    pub symbol: SymbolId,
    pub cell: Vec<VarId>,
    pub branches: Vec<Branch>,
    /// Whether cells where no branch holds stay as they were; otherwise there are none.
    pub rest: bool,
}

/// A transition; its parameters are different once it is a copy of those that coincide.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub name: String,
    pub span: Span,
    /// What makes it differ from the others of the same name, if anything.
    pub remark: String,
    pub params: Vec<VarId>,
    pub guard: Vec<Part>,
    /// Conditions that are to be asked of what other steps note.
    pub deferred: Vec<Part>,
    pub updates: Vec<Update>,
    /// What gets any value.
    pub open: Vec<Region>,
}

/// Cells of a symbol whose new values a step leaves open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Region {
    pub symbol: SymbolId,
    pub cell: Vec<VarId>,
    /// Of the variables of `cell` alone, and of things that never change.
    pub condition: Formula,
}

impl Step {
    /// One that may always be taken and changes nothing.
    pub fn new(name: &str, span: Span, remark: &str, params: Vec<VarId>) -> Self {
        Self {
            name: name.to_owned(),
            span,
            remark: remark.to_owned(),
            params,
            guard: Vec::new(),
            deferred: Vec::new(),
            updates: Vec::new(),
            open: Vec::new(),
        }
    }
}

impl Region {
    /// Whether it is of this form.
    pub fn is_fixed(&self, symbols: &Symbols<'_>) -> bool {
        self.condition.free().iter().all(|it| self.cell.contains(it))
            && self.condition.symbols().iter().all(|(id, _)| !symbols.get(*id).mutable)
    }

    /// Its condition, of the variables of another one.
    pub fn condition_at(&self, cell: &[VarId]) -> Formula {
        let place = |var: VarId| self.cell.iter().position(|it| *it == var).map(|at| Term::Var(cell[at]));
        self.condition.substitute(&place)
    }
}

impl Update {
    /// Gives all cells of a symbol a value.
    pub fn of_all(symbol: SymbolId, cell: Vec<VarId>, value: Formula, span: Span) -> Self {
        let branches = vec![Branch { condition: Formula::TRUE, value, span }];
        Self { symbol, cell, branches, rest: false }
    }

    /// Gives one cell of a symbol a value.
    pub fn of_one(symbol: SymbolId, at: &[VarId], value: Formula, span: Span, vars: &mut Vars) -> Self {
        let cell: Vec<VarId> = at.iter().map(|it| vars.copy(*it)).collect();
        let pinned = cell.iter().zip(at).map(|(one, it)| Formula::equal(Term::Var(*one), Term::Var(*it)));
        let branches = vec![Branch { condition: Formula::and(pinned), value, span }];
        Self { symbol, cell, branches, rest: true }
    }

    /// Its new value at some arguments, for a function.
    pub fn term(&self, args: &[Term]) -> Option<Term> {
        let place = |var: VarId| self.cell.iter().position(|it| *it == var).map(|at| args[at].clone());
        // If none is left over, the last branch needs no condition.
        let mut value = self.rest.then(|| Term::App(App::old(self.symbol, args.to_vec())));
        for branch in self.branches.iter().rev() {
            if !branch.value.is_term() {
                return None;
            }
            let term = branch.value.substitute(&place);
            value = Some(match value {
                None => term,
                Some(rest) => Term::If(Box::new([branch.condition.substitute(&place), term, rest])),
            });
        }
        value
    }

    /// Its new value at some arguments, for a relation.
    pub fn truth(&self, args: &[Term]) -> Formula {
        let place = |var: VarId| self.cell.iter().position(|it| *it == var).map(|at| args[at].clone());
        self.whole().substitute(&place)
    }

    /// The new value of a relation as one formula about the cell.
    pub fn whole(&self) -> Formula {
        let given = self.branches.iter().map(|it| Formula::and([it.condition.clone(), it.value.clone()]));
        let same = Formula::Is(App::old(self.symbol, variables(&self.cell)));
        let none = self.branches.iter().map(|it| it.condition.clone().not());
        let rest = self.rest.then(|| Formula::and(none.chain([same])));
        Formula::or(given.chain(rest))
    }

    /// Whether each cell that it changes gets this value.
    pub fn only_makes(&self, truth: bool) -> bool {
        if self.branches.iter().any(|it| it.value.is_term()) {
            return false;
        }
        let args = variables(&self.cell);
        let same =
            |it: &Formula| matches!(it, Formula::Is(app) if app.symbol == self.symbol && app.args == args);
        let left = self.whole().map_literals(&mut |it| same(it).then_some(Formula::Bool(truth)));
        super::decide::is_false(&if truth { left.not() } else { left }, &[])
    }

    /// The value in a branch as a formula, to look for something in it.
    pub fn stated(&self, branch: &Branch) -> Formula {
        if !branch.value.is_term() {
            return branch.value.clone();
        }
        let new = App { symbol: self.symbol, args: variables(&self.cell), new: true };
        Formula::equal(Term::App(new), branch.value.clone())
    }
}

/// That for all elements there is another one, which never changes.
#[derive(Clone, Debug)]
pub(super) struct Witness {
    pub params: Vec<VarId>,
    pub value: VarId,
    /// What holds of both.
    pub formula: Formula,
    pub span: Span,
}
