//! Transitions beside steps of another model, whose variables are in the same system: the guard of such a step is negated, or its
//! updates are added.

use super::context::Context;
pub use super::context::{NamedModel, Names, OtherStep};
use super::formula::Formula;
use super::scope::{Scope, TermMeaning};
use super::symbols::{Symbol, Symbols};
use super::updates::Draft;
use super::{EnumId, ProcRef, System, Transition, Update, VarId, asked};
use crate::diagnostic::{Checked, Diagnostic};
use crate::syntax::ast;

impl Names {
    /// The names of `part`, whose variables and enums have these ids in `whole`.
    pub fn new(
        part: &System,
        whole: &System,
        var: impl Fn(VarId) -> VarId,
        enumeration: impl Fn(EnumId) -> EnumId,
    ) -> Self {
        Self(Symbols::within(part, whole, var, enumeration))
    }

    /// With further names that no text contains: for the variables and the constructors with these ids.
    #[must_use]
    pub fn and(
        mut self,
        vars: impl IntoIterator<Item = (String, VarId)>,
        constructors: impl IntoIterator<Item = (String, (EnumId, u8))>,
    ) -> Self {
        for (name, id) in vars {
            self.0.add(name, Symbol::Var(id));
        }
        for (name, (id, number)) in constructors {
            self.0.add(name, Symbol::Constructor(id, number));
        }
        self
    }
}

/// The parts of a transition of `model` in `system`, beside other steps. Only the first `own` of its parameters are those of the
/// text: quantifiers in its guard range over the others as over any process.
///
/// # Errors
/// What cannot be said.
pub fn transition(
    system: &System,
    model: NamedModel<'_>,
    decl: &ast::Transition,
    own: u8,
    steps: &[OtherStep<'_>],
) -> Checked<Vec<Transition>> {
    let mut context = asked::prepared(&model.names.0, system, model.file);
    context.left_out = Some((0..own).collect());
    context.beside = steps;
    let found = context.transition(decl, 0);
    asked::concluded(context, system, found)
}

/// The updates of a transition without parameters and guard, which may be made in every state.
///
/// # Errors
/// What is wrong with them.
pub fn updates(system: &System, model: NamedModel<'_>, decl: &ast::Transition) -> Checked<Vec<Update>> {
    let mut context = asked::prepared(&model.names.0, system, model.file);
    let mut found = context.transition(decl, 0);
    if let Some((_, span)) = context.needed.first() {
        undefined(*span).report(&mut context);
    }
    let updates = found.pop().map_or_else(Vec::new, |it| it.updates);
    asked::concluded(context, system, updates)
}

fn undefined(at: crate::diagnostic::Span) -> Diagnostic {
    Diagnostic::error("C0702", at, "a cell at a variable, which has no value where that is not a process")
        .label("a refinement cannot be stated with this")
        .help("name the process with a parameter that equals the variable")
}

impl<'a> Context<'a> {
    /// The condition of a step of another model, and its updates; `None` when an update reads an undefined cell.
    pub(super) fn step_beside(&mut self, step: &'a OtherStep<'a>) -> Option<(Formula, Vec<Draft>)> {
        let predicates = step.model.file.predicates().map(|it| (it.name.text.as_str(), it)).collect();
        let predicates = std::mem::replace(&mut self.predicates, predicates);
        let symbols = std::mem::replace(&mut self.symbols, &step.model.names.0);
        let left_out = self.left_out.replace(step.args.clone());
        let known = self.needed.len();
        let mut scope = Scope::default();
        for (param, arg) in step.decl.params.iter().zip(&step.args) {
            let sort = self.sort(param, &[]);
            scope.push_of(&param.text, TermMeaning::process(ProcRef::Var(*arg)), sort);
        }
        let found = if step.fails {
            Some((self.guard(step.decl, &mut scope, false), Vec::new()))
        } else {
            self.updates(step.decl, &mut scope).map(|drafts| (Formula::True, drafts))
        };
        if let Some((_, span)) = self.needed.get_index(known) {
            let span = *span;
            undefined(span).report(self);
        }
        (self.symbols, self.predicates, self.left_out) = (symbols, predicates, left_out);
        found
    }
}
