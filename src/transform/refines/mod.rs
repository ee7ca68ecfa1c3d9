//! From two models and a map between them to systems that are safe exactly when the first refines the second: each initial state
//! of the concrete model is one of the abstract model, read through the map, and each step from a reachable state is one of the
//! abstract steps that the map gives for it, or changes nothing there.
//!
//! # Failing copies
//!
//! A step may fail in many ways, each of which is a condition on the state before it: the copies of the step (`failing`). Their
//! guard is the guard of the step, and that *each* of the abstract steps that it may be fails, in one of these ways:
//!
//! - the guard of the abstract step is false: it is elaborated again, negated, over the abstract variables, in whose place their
//!   meanings are put. Where it was universal, some process falsifies it, parameters of the concrete step included;
//! - a cell of an abstract variable is not, after the step, what the abstract step makes of it: both are expressed over the state
//!   before, for each choice of the cell's processes, which may be parameters or not. A variable that the abstract step gives any
//!   value (`X := ?`) is left out;
//! - one of its arguments is not a process, or equals another one.
//!
//! A copy sets the ghost variable `Failed`, which is the only bad state. Its quantified guards are those of the step, for all
//! processes that are not parameters of the *step*: processes that a copy names besides are none, so that the guard still holds of
//! them. A value that a step chooses by `?` is, in its copies, that of a constant: a run that fails needs only one, and no other
//! transition mentions it.
//!
//! So a run of the derived system to `Failed` is a run of the concrete model and a step that none of the abstract steps explains;
//! and each such run and step is one of the derived system, in the instance with the same processes. Nothing is said of properties
//! of runs: a step may change nothing for ever.
//!
//! The initial states are an obligation of their own: a system without transitions, whose bad states are those that are not initial
//! in the abstract model, or that its axioms exclude.

mod failing;
mod initial;
mod map;
mod resolve;
mod ways;

use cubicle_lang::diagnostic::{Diagnostic, Span};
use cubicle_lang::model::{
    AbstractId, Assignment, Cell, EnumId, Linear, Literal, ProcRef, System, Term, Type, Var, VarId, VarKind,
};
use cubicle_lang::syntax::ast::File;

use self::map::MapText;
pub use self::resolve::{ArgTerm, Image, RefinementMap};
use self::ways::{Values, Ways, chosen};
use super::taken::{fresh_name, truth_values};

/// One of the two models.
#[derive(Clone, Copy, Debug)]
pub struct RefinedModel<'a> {
    /// What it means.
    pub system: &'a System,
    /// Its syntax tree.
    pub file: &'a File,
}

/// The text that an error is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InText {
    /// The concrete model.
    Concrete,
    /// The abstract model.
    Abstract,
    /// The map.
    Map,
}

/// Why there is no derived system.
#[derive(Clone, Debug)]
pub struct NoRefinement {
    /// The text with the places of the errors.
    pub of: InText,
    /// What is wrong, or cannot be stated.
    pub errors: Vec<Diagnostic>,
}

/// What has to be shown for one model to refine another.
#[derive(Clone, Debug)]
pub struct Refinement {
    /// The meaning of the map.
    pub map: RefinementMap,
    /// Bad where the last step is not an abstract one. The variables of the concrete model come first, and its transitions.
    pub steps: System,
    /// Its initial states are bad where they are not initial in the abstract model.
    pub initially: System,
    /// For each `?` of the concrete model that matters: the variable, and the constant with its value in the last step.
    pub chosen: Vec<(VarId, VarId)>,
}

impl Refinement {
    /// For these models and this text of a map.
    ///
    /// # Errors
    /// What is wrong with the map, or cannot be stated: nothing is claimed then.
    pub fn new(
        concrete: RefinedModel<'_>,
        abstraction: RefinedModel<'_>,
        map: &str,
    ) -> Result<Self, NoRefinement> {
        sayable(concrete.system, abstraction.system)?;
        let text = MapText::read(map).map_err(|errors| NoRefinement { of: InText::Map, errors })?;
        let scene = |matters: &dyn Fn(VarId) -> bool| {
            let why = "both models together have too many variables or types";
            Scene::new(concrete, abstraction, matters)
                .ok_or_else(|| refused(InText::Concrete, Span::default(), why))
        };
        let map = RefinementMap::resolve(&scene(&|_| false)?, &text, (concrete, abstraction))?;
        let scene = scene(&|var| map.reads(var))?;
        let initially = initial::obligation(&scene, &map, concrete.system, abstraction.system)?;
        let steps = failing::system(&scene, &map, concrete, abstraction)?;
        let chosen = scene.chosen.clone();
        Ok(Self { map, steps, initially, chosen })
    }
}

/// That something cannot be stated.
fn refused(of: InText, at: Span, why: impl Into<String>) -> NoRefinement {
    NoRefinement { of, errors: vec![Diagnostic::error("C0702", at, why)] }
}

/// Refuses models about whose refinement nothing is said here.
fn sayable(concrete: &System, abstraction: &System) -> Result<(), NoRefinement> {
    let at = abstraction.init.span;
    if !abstraction.counts.is_empty() {
        let why = "the abstract model counts processes, which a refinement cannot be stated with";
        return Err(refused(InText::Abstract, at, why));
    }
    if abstraction.proc_constants > 0 {
        let why = "the abstract model names processes (`#1`), which a refinement cannot be stated with";
        return Err(refused(InText::Abstract, at, why));
    }
    let fewer = |most: u32| concrete.max_procs.is_none_or(|own| own > most);
    if abstraction.max_procs.is_some_and(fewer) {
        let why = "the abstract model has instances of fewer sizes than the concrete one: see `number_procs`";
        return Err(refused(InText::Abstract, at, why));
    }
    Ok(())
}

/// The variables of both models in one system, and what a derived system adds.
struct Scene {
    /// The concrete variables, the constants of `chosen`, `Failed`, the abstract variables.
    system: System,
    /// See [`Refinement::chosen`].
    chosen: Vec<(VarId, VarId)>,
    /// The ghost variable that says that a step failed.
    failed: VarId,
    /// The types of the abstract model.
    enums: Vec<EnumId>,
}

impl Scene {
    /// With the choices of those variables by `?` that matter; `None` when there are too many variables or types.
    fn new(
        concrete: RefinedModel<'_>,
        abstraction: RefinedModel<'_>,
        matters: &dyn Fn(VarId) -> bool,
    ) -> Option<Self> {
        let mut parts = concrete.system.to_parts();
        let span = parts.init.span;
        let truth = truth_values(&mut parts)?;
        let mut chosen = Vec::new();
        for (id, var) in (0..).zip(&concrete.system.vars).filter(|(id, _)| matters(VarId(*id))) {
            let any = |update: &cubicle_lang::model::Update| {
                update.var == VarId(id) && update.assignment == Assignment::Nondet
            };
            if concrete.system.transitions.iter().any(|it| it.updates.iter().any(any)) {
                chosen.push((VarId(id), VarId::new(parts.vars.len())?));
                let name = fresh_name(&parts, &format!("{}_chosen", var.name));
                parts.vars.push(Var { name, kind: VarKind::Const, ..var.clone() });
            }
        }
        let failed = VarId::new(parts.vars.len())?;
        let name = fresh_name(&parts, "Failed");
        parts.vars.push(Var { name, kind: VarKind::Global, ty: Type::Enum(truth), range: 0b11, span });
        let mut enums = Vec::new();
        for it in &abstraction.system.enums {
            let same = parts.enums.iter().position(|known| known == it);
            enums.push(EnumId(u16::try_from(same.unwrap_or(parts.enums.len())).ok()?));
            if same.is_none() {
                parts.enums.push(it.clone());
            }
        }
        let mut abstracts = Vec::new();
        for it in &abstraction.system.abstracts {
            let same = parts.abstracts.iter().position(|known| known == it);
            abstracts.push(AbstractId(u16::try_from(same.unwrap_or(parts.abstracts.len())).ok()?));
            if same.is_none() {
                parts.abstracts.push(it.clone());
            }
        }
        for var in &abstraction.system.vars {
            VarId::new(parts.vars.len())?;
            let ty = match var.ty {
                Type::Enum(id) => Type::Enum(enums[usize::from(id.0)]),
                Type::Abstract(id) => Type::Abstract(abstracts[usize::from(id.0)]),
                other => other,
            };
            // Constants of the abstract model get a meaning too.
            let kind = if var.kind == VarKind::Const { VarKind::Global } else { var.kind };
            let name = format!("{} of the abstract model", var.name);
            parts.vars.push(Var { name, kind, ty, range: u64::MAX, span });
        }
        let system = System::new(parts);
        Some(Self { system, chosen, failed, enums })
    }

    /// The number of variables of the derived system.
    fn kept(&self) -> usize {
        usize::from(self.failed.0) + 1
    }

    /// The id of an abstract variable.
    fn abstract_var(&self, id: VarId) -> VarId {
        VarId(self.failed.0 + 1 + id.0)
    }

    /// The id of a type of the abstract model.
    fn abstract_enum(&self, id: EnumId) -> EnumId {
        self.enums[usize::from(id.0)]
    }

    /// The abstract variable with this id, if it is one.
    fn abstract_of(&self, id: VarId) -> Option<VarId> {
        id.0.checked_sub(self.failed.0 + 1).map(VarId)
    }
}

impl Scene {
    /// A cube of the abstract model over the variables here.
    fn lifted(&self, cube: &[Literal]) -> Vec<Literal> {
        let cell = |it: &Cell| Cell { var: self.abstract_var(it.var), index: it.index.clone() };
        let linear = |it: &Linear| Linear {
            terms: it.terms.iter().map(|(at, factor)| (cell(at), *factor)).collect(),
            constant: it.constant,
        };
        let term = |it: &Term| match it {
            Term::Cell(at) => Term::Cell(cell(at)),
            Term::Linear(it) => Term::Linear(linear(it)),
            other => other.clone(),
        };
        let lift = |it: &Literal| match it {
            Literal::In { cell: at, values } => Literal::In { cell: cell(at), values: *values },
            Literal::Eq { left, right, negated } => {
                Literal::Eq { left: term(left), right: term(right), negated: *negated }
            }
            Literal::Less { left, right, strict } => {
                Literal::Less { left: term(left), right: term(right), strict: *strict }
            }
            Literal::Linear { expr, relation, integer } => {
                Literal::Linear { expr: linear(expr), relation: *relation, integer: *integer }
            }
        };
        cube.iter().map(lift).collect()
    }

    /// What an abstract cell holds, in terms of concrete ones; `None` for a concrete cell.
    fn before(&self, map: &RefinementMap, cell: &Cell) -> Ways<Option<Values>> {
        let Some(var) = self.abstract_of(cell.var) else { return Ok(None) };
        let index = |p: ProcRef| match p {
            ProcRef::Var(v) => cell.index[usize::from(v)],
            constant @ ProcRef::Const(_) => constant,
        };
        chosen(&self.system, &map.variables[usize::from(var.0)], &index).map(Some)
    }
}
