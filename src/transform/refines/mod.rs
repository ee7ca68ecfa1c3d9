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
mod scene;

use cubicle_lang::diagnostic::Span;
use cubicle_lang::list::{add_new, extend_new};
use cubicle_lang::load::core;
use cubicle_lang::model::{System, VarId};
use cubicle_lang::refinement::{InText, NoRefinement, RefinedModel, RefinementMap, TOO_MANY, refused};

use self::scene::Scene;
use cubicle_lang::model::semantics::namings;
use cubicle_lang::model::ways::{NoWays, Ways, conj, denied};
use cubicle_lang::model::{Bad, Conj, Dnf, ProcRef, rename};

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
    /// The first model.
    concrete: System,
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
        let (text, of_concrete, of_abstract) = (concrete.file, core(concrete.file), core(abstraction.file));
        let concrete = RefinedModel { file: &of_concrete, ..concrete };
        let abstraction = RefinedModel { file: &of_abstract, ..abstraction };
        let map = RefinementMap::new(concrete, abstraction, text, map)?;
        let scene = Scene::new(concrete, abstraction, &|var| map.reads(var))
            .ok_or_else(|| refused(InText::Concrete, Span::default(), TOO_MANY))?;
        let initially = obligation(&scene, &map, concrete.system, abstraction.system)?;
        let steps = failing::system(&scene, &map, concrete, abstraction)?;
        Ok(Self { map, steps, initially, chosen: scene.chosen, concrete: concrete.system.clone() })
    }

    /// The name of the concrete step that the transition of this number of `steps` is a failing copy of, if it is one.
    pub fn failing(&self, transition: usize) -> Option<&str> {
        let own = &self.concrete.transitions;
        let first = self.concrete.next_origin();
        let of = self.steps.transitions.get(transition)?.origin.checked_sub(first)?;
        own.iter().find(|it| it.origin == of).map(|it| it.name.as_str())
    }

    /// Whether it says that this model refines the other one.
    pub fn is_of(&self, concrete: &System) -> bool {
        self.concrete == *concrete
    }
}

/// The most ways in which the processes of a literal may be equal.
const MAX_PARAMS: usize = 6;

/// A system whose bad states are those that are not initial in the abstract model, or that its axioms exclude.
fn obligation(
    scene: &Scene,
    map: &RefinementMap,
    concrete: &System,
    abstraction: &System,
) -> Result<System, NoRefinement> {
    let excluded = excluded(scene, map, abstraction).map_err(|why| {
        let why = format!("the initial states cannot be compared: {}", why.words());
        refused(InText::Abstract, abstraction.init.span, why)
    })?;
    let span = concrete.init.span;
    let bad = (1..).zip(excluded).map(|(number, (params, cube))| {
        Bad::derived(format!("not initial in the abstract model ({number})"), number, params, cube, span)
    });
    let bad = bad.collect();
    Ok(concrete.edited(|parts| {
        parts.transitions.clear();
        parts.ask(bad);
    }))
}

/// The cubes, each with its number of different processes, of the states that are not initial in the abstract model.
fn excluded(scene: &Scene, map: &RefinementMap, abstraction: &System) -> Ways<Vec<(u8, Conj)>> {
    let init = &abstraction.init;
    let reading = |cell: &_| scene.before(&map.variables, cell);
    let mut found: Vec<(u8, Conj)> = Vec::new();
    let mut add = |params: u8, cube: &Conj| -> Ways<()> {
        extend_new(&mut found, conj(scene.system(), cube, &reading)?.into_iter().map(|cube| (params, cube)));
        Ok(())
    };
    let lifted = |dnf: &Dnf| Dnf(dnf.0.iter().map(|it| scene.lifted(it)).collect());
    for way in denied(scene.system(), &lifted(&init.without_processes))? {
        add(0, &way)?;
    }
    for way in denied(scene.system(), &lifted(&init.body))? {
        for (params, way) in arrangements(&way)? {
            // The body is said of processes, so that there is one.
            add(params.max(1), &way)?;
        }
    }
    for axiom in &abstraction.axioms {
        add(axiom.params, &scene.lifted(&axiom.cube))?;
    }
    Ok(found)
}

/// The ways in which the processes that a cube mentions may be equal, each with the number of different ones.
fn arrangements(cube: &Conj) -> Ways<Vec<(u8, Conj)>> {
    let mut mentioned: Vec<u8> = Vec::new();
    let mut note = |p: ProcRef| {
        if let ProcRef::Var(v) = p {
            add_new(&mut mentioned, v);
        }
    };
    for literal in cube {
        let in_cells = literal.cells().into_iter().flat_map(|cell| &cell.index).copied();
        in_cells.chain(literal.procs()).for_each(&mut note);
    }
    if mentioned.len() > MAX_PARAMS {
        return Err(NoWays::TooMany);
    }
    // For each mentioned process, in order, the number of the different one that it is.
    let mut found = Vec::new();
    for (params, numbers) in namings(0, mentioned.len() as u8, &|_, _| true) {
        let at = |v: u8| mentioned.iter().position(|it| *it == v);
        let map = |p: ProcRef| p.renamed(|v| ProcRef::Var(at(v).map_or(v, |at| numbers[at])));
        let cube = rename::conj(cube, &map).ok_or(NoWays::OutOfRange)?;
        found.extend(cube.map(|cube| (params, cube)));
    }
    Ok(found)
}
