//! What a step makes of a relation or function: from formulas about its new value to one value for each cell.
//!
//! An equation says: for all values of some variables, where a condition on the old state holds, the new value at some arguments is this.
//! All equations of one symbol are rewritten to be about the same cell, given by a variable for each argument. They define its new
//! value where their conditions cover all cells and agree where two hold: both are decided by [`decide`](super::decide), which never
//! says so wrongly. Cells that no equation is about get any value.

use cubicle_lang::diagnostic::Span;

use super::alternatives::opened;
use super::decide::minimal;
use super::formula::{App, Formula, SymbolId, Term, VarId, variables};

/// One statement about the new value of a symbol.
#[derive(Clone, Debug)]
pub(super) struct Equation {
    pub symbol: SymbolId,
    args: Vec<Term>,
    vars: Vec<VarId>,
    condition: Formula,
    value: Formula,
    pub span: Span,
}

/// Where the cell satisfies the condition, it gets the value.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub condition: Formula,
    pub value: Formula,
    pub span: Span,
}

/// Reads a conjunct as equations; `None` when it says something else, too.
pub(super) fn equations(formula: &Formula, span: Span) -> Option<Vec<Equation>> {
    let mut found = Vec::new();
    read(formula.clone(), &[], &Formula::TRUE, span, &mut found).then_some(found)
}

fn read(
    formula: Formula,
    vars: &[VarId],
    condition: &Formula,
    span: Span,
    found: &mut Vec<Equation>,
) -> bool {
    let mut equation = |app: &App, value: Formula| {
        let parts = app.args.iter().any(Term::is_new);
        if !parts {
            let (args, vars, condition) = (app.args.clone(), vars.to_vec(), condition.clone());
            found.push(Equation { symbol: app.symbol, args, vars, condition, value, span });
        }
        !parts
    };
    match opened(formula) {
        Formula::Bool(true) => true,
        Formula::And(parts) => parts.into_iter().all(|it| read(it, vars, condition, span, found)),
        Formula::Each { universal: true, vars: more, body } => {
            read(*body, &[vars, &more].concat(), condition, span, found)
        }
        Formula::Or(parts) => {
            let (mut new, old): (Vec<Formula>, Vec<Formula>) = parts.into_iter().partition(Formula::is_new);
            if new.len() != 1 {
                return false;
            }
            let condition = Formula::and([condition.clone(), Formula::or(old).not()]);
            read(new.remove(0), vars, &condition, span, found)
        }
        Formula::If(parts) => {
            let [chosen, then, otherwise] = *parts;
            let one = Formula::and([condition.clone(), chosen.clone()]);
            let other = Formula::and([condition.clone(), chosen.clone().not()]);
            !chosen.is_new()
                && read(then, vars, &one, span, found)
                && read(otherwise, vars, &other, span, found)
        }
        Formula::Iff(sides) => {
            let [left, right] = *sides;
            let (new, old) = if left.is_new() { (left, right) } else { (right, left) };
            match (&new, old.is_new()) {
                (Formula::Is(app), false) if app.new => equation(app, old),
                (Formula::Not(inner), false) => match &**inner {
                    Formula::Is(app) if app.new => equation(app, old.not()),
                    _ => false,
                },
                _ => false,
            }
        }
        Formula::Is(app) if app.new => equation(&app, Formula::TRUE),
        Formula::Not(inner) => match &*inner {
            Formula::Is(app) if app.new => equation(app, Formula::FALSE),
            _ => false,
        },
        Formula::Equal(sides) => {
            let [left, right] = *sides;
            let (new, old) = if left.is_new() { (left, right) } else { (right, left) };
            match &new {
                Term::App(app) if app.new && !old.is_new() => equation(app, old),
                _ => false,
            }
        }
        _ => false,
    }
}

impl Equation {
    /// What it says about the cell whose arguments are these variables: branches. `Err`: a variable that no argument
    /// determines.
    pub fn about(&self, cell: &[VarId]) -> Result<Vec<Branch>, VarId> {
        let mut places: Vec<(VarId, VarId)> = Vec::new();
        let mut equal = Vec::new();
        for (arg, place) in self.args.iter().zip(cell) {
            match arg {
                Term::Var(var) if self.vars.contains(var) && !places.iter().any(|it| it.0 == *var) => {
                    places.push((*var, *place));
                }
                other => equal.push(Formula::equal(Term::Var(*place), other.clone())),
            }
        }
        let rename = |var: VarId| places.iter().find(|it| it.0 == var).map(|it| Term::Var(it.1));
        let condition = Formula::and(equal.into_iter().chain([self.condition.clone()]));
        let condition = condition.substitute(&rename);
        let loose: Vec<VarId> =
            self.vars.iter().copied().filter(|var| !places.iter().any(|it| it.0 == *var)).collect();
        let mut branches = Vec::new();
        // Where its value is that of the same cell, the cell is given by the variables.
        let old = |args: Vec<Term>| App::old(self.symbol, args);
        let (same, here) = (old(self.args.clone()), old(variables(cell)));
        match &self.value {
            Formula::Is(app) if *app == same => {
                branches.push(Branch { condition, value: Formula::Is(here), span: self.span });
            }
            Formula::App(app) if *app == same => {
                branches.push(Branch { condition, value: Formula::App(here), span: self.span });
            }
            value if value.is_term() => {
                cases(&value.substitute(&rename), &condition, self.span, &mut branches);
            }
            value => {
                branches.push(Branch { condition, value: value.substitute(&rename), span: self.span });
            }
        }
        for branch in &mut branches {
            let inside = branch.value.free();
            if let Some(var) = loose.iter().find(|it| inside.contains(it)) {
                return Err(*var);
            }
            branch.condition = Formula::each(false, &loose, branch.condition.clone());
        }
        Ok(branches)
    }
}

/// A branch for each choice in a term.
pub(super) fn cases(term: &Term, condition: &Formula, span: Span, branches: &mut Vec<Branch>) {
    if let Term::If(parts) = term {
        let [chosen, then, otherwise] = &**parts;
        let one = Formula::and([condition.clone(), chosen.clone()]);
        let other = Formula::and([condition.clone(), chosen.clone().not()]);
        cases(then, &one, span, branches);
        cases(otherwise, &other, span, branches);
    } else {
        branches.push(Branch { condition: condition.clone(), value: term.clone(), span });
    }
}

/// Two branches that may give one cell two values; `excluded`: whether a condition plainly never holds.
pub(super) fn conflict<'b>(
    branches: &'b [Branch],
    excluded: &dyn Fn(Formula) -> bool,
) -> Option<(&'b Branch, &'b Branch)> {
    for (at, one) in branches.iter().enumerate() {
        for other in &branches[..at] {
            let differ = Formula::same(one.value.clone(), other.value.clone()).not();
            if !excluded(Formula::and([one.condition.clone(), other.condition.clone(), differ])) {
                return Some((other, one));
            }
        }
    }
    None
}

/// Where no branch applies, as a formula about the cell; `None` when one always does.
pub(super) fn uncovered(branches: &[Branch], excluded: &dyn Fn(Formula) -> bool) -> Option<Formula> {
    let none = Formula::and(branches.iter().map(|it| it.condition.clone().not()));
    (!excluded(none.clone())).then(|| minimal(&none))
}
