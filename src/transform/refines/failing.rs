//! The copies of concrete steps that none of their abstract steps explains.

use super::scene::Scene;
use cubicle_lang::diagnostic::Diagnostic;
use cubicle_lang::list::{are_different, extend_new};
use cubicle_lang::model::beside::{NamedModel, Names, OtherStep, transition};
use cubicle_lang::model::semantics::namings;
use cubicle_lang::model::ways::{NoWays, Values, Ways, both, conj, differ, read, updated};
use cubicle_lang::model::{
    Assignment, Bad, Cell, Conj, Literal, ProcRef, System, Transition, TransitionId, Type, Universal, Update,
    VarId,
};
use cubicle_lang::refinement::{
    ArgTerm, Image, InText, NoRefinement, RefinedModel, RefinementMap, held, parts, reads, refused,
    transitions,
};
use cubicle_lang::syntax::ast::{self, Name, Rhs};

/// The most copies of the steps of a model.
const MAX_COPIES: usize = 1 << 13;

/// The most ways in which one step may fail, before they are looked at.
const MAX_CHOICES: usize = 1 << 13;

/// The concrete model with its failing copies.
pub fn system(
    scene: &Scene,
    map: &RefinementMap,
    concrete: RefinedModel<'_>,
    abstraction: RefinedModel<'_>,
) -> Result<System, NoRefinement> {
    let own = Names::new(concrete.system, scene.system(), |id| id, |id| id);
    let other = Names::new(
        abstraction.system,
        scene.system(),
        |id| scene.both.abstract_var(id),
        |id| scene.both.abstract_enum(id),
    );
    let mut copies = Vec::new();
    let next = concrete.system.next_origin();
    for (origin, decl) in transitions(concrete.file) {
        let step = Step {
            scene,
            map,
            concrete,
            abstraction,
            own: NamedModel { names: &own, file: concrete.file },
            other: NamedModel { names: &other, file: abstraction.file },
            origin,
            decl,
        };
        for mut copy in step.copies()? {
            copy.origin = next.saturating_add(origin);
            copies.push(copy);
        }
        if copies.len() > MAX_COPIES || concrete.system.transitions.len() + copies.len() > TransitionId::MOST
        {
            return Err(step.unsayable(NoWays::TooMany));
        }
    }
    let span = concrete.system.init.span;
    let failed = |failed: bool| Literal::is(Cell::global(scene.failed), failed);
    let vars = scene.system().vars[..scene.kept()].to_vec();
    Ok(concrete.system.edited(|parts| {
        parts.vars = vars;
        parts.init.demand(&failed(false));
        parts.transitions.extend(copies);
        let name = "a step that the abstract model does not have";
        parts.ask(vec![Bad::derived(name, 1, 0, vec![failed(true)], span)]);
    }))
}

/// A concrete step.
struct Step<'a> {
    scene: &'a Scene,
    map: &'a RefinementMap,
    concrete: RefinedModel<'a>,
    abstraction: RefinedModel<'a>,
    own: NamedModel<'a>,
    other: NamedModel<'a>,
    origin: u16,
    decl: &'a ast::Transition,
}

/// How one image of a step fails.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Failing {
    /// Its arguments are not different processes.
    Arguments,
    /// The guard of this abstract transition of the core is false for these arguments.
    Guard(usize, Vec<u8>),
    /// This cell of an abstract variable has another value than after the abstract step, or than before when there is none.
    Cell(Option<(usize, Vec<u8>)>, VarId, Vec<u8>),
}

/// A way for all images of a step to fail: each in some way, for this number of processes.
#[derive(Clone, Default, Debug)]
struct Choice {
    /// Parameters and further processes.
    procs: u8,
    /// What arguments are.
    facts: Conj,
    /// Cells that hold no process.
    nowhere: Vec<Cell>,
    images: Vec<Failing>,
}

impl Step<'_> {
    fn unsayable(&self, why: NoWays) -> NoRefinement {
        let why = format!(
            "that `{}` refines its abstract step cannot be stated: {}",
            self.decl.name.text,
            why.words()
        );
        refused(InText::Concrete, self.decl.name.span(), why)
    }

    /// All its failing copies.
    fn copies(&self) -> Result<Vec<Transition>, NoRefinement> {
        let mut choices = vec![Choice { procs: self.decl.params.len() as u8, ..Choice::default() }];
        let assigns = |var: VarId, value: u8| {
            let of = self.concrete.system.var(var);
            let Type::Enum(id) = of.ty else { return false };
            let name = &self.concrete.system.enumeration(id).constructors[usize::from(value)];
            let is = |it: &Rhs| matches!(it, Rhs::Term(it) if it.alone().is_some_and(|it| it.text == *name));
            self.decl.updates.iter().any(|it| it.target.name.text == of.name && is(&it.value))
        };
        for image in self.map.images(self.origin, &assigns) {
            let mut next = Vec::new();
            for choice in &choices {
                self.failures(choice, image, &mut next)?;
            }
            choices = next;
        }
        let mut known: Vec<(u8, Vec<Failing>, Vec<Transition>)> = Vec::new();
        let mut copies: Vec<Transition> = Vec::new();
        for choice in &choices {
            // Which cell differs makes no difference to how the step is elaborated.
            let kinds = choice.images.iter().map(|it| match it {
                Failing::Cell(step, _, _) => Failing::Cell(step.clone(), VarId(0), Vec::new()),
                other => other.clone(),
            });
            let kinds: Vec<Failing> = kinds.collect();
            let at = known.iter().position(|(procs, of, _)| *procs == choice.procs && *of == kinds);
            let at = if let Some(at) = at {
                at
            } else {
                known.push((choice.procs, kinds, self.elaborated(choice)?));
                known.len() - 1
            };
            for part in &known[at].2 {
                let found = self.failing(choice, part).map_err(|why| self.unsayable(why))?;
                extend_new(&mut copies, found);
                if copies.len() > MAX_COPIES {
                    return Err(self.unsayable(NoWays::TooMany));
                }
            }
        }
        Ok(copies)
    }

    /// Adds the ways for one more image to fail: each of its parts in the core does.
    fn failures(&self, choice: &Choice, image: &Image, all: &mut Vec<Choice>) -> Result<(), NoRefinement> {
        let (steps, choices) = match image {
            Image::Stutter => (vec![None], vec![(choice.clone(), Vec::new())]),
            Image::Step { origin, args } => {
                let parts = transitions(self.abstraction.file).enumerate();
                let parts = parts.filter(|(_, it)| it.0 == *origin).map(|(number, _)| Some(number));
                (parts.collect(), arguments(choice, args, all))
            }
        };
        for (choice, args) in choices {
            let mut ways = vec![choice];
            for step in &steps {
                let step = step.map(|number| (number, args.clone()));
                let mut next = Vec::new();
                for way in &ways {
                    self.part_fails(way, step.as_ref(), &mut next);
                }
                if all.len() + next.len() > MAX_CHOICES {
                    return Err(self.unsayable(NoWays::TooMany));
                }
                ways = next;
            }
            all.extend(ways);
        }
        Ok(())
    }

    /// Adds the ways for an abstract transition of the core, or for none, to fail.
    fn part_fails(&self, choice: &Choice, step: Option<&(usize, Vec<u8>)>, all: &mut Vec<Choice>) {
        if let Some((number, args)) = step {
            let mut failing = choice.clone();
            failing.images.push(Failing::Guard(*number, args.clone()));
            all.push(failing);
        }
        for (id, var) in (0..).zip(&self.abstraction.system.vars) {
            if !self.may_differ(VarId(id), step.map(|it| it.0)) {
                continue;
            }
            for (procs, index) in namings(choice.procs, var.arity() as u8, &|_, _| true) {
                let mut failing = Choice { procs, ..choice.clone() };
                failing.images.push(Failing::Cell(step.cloned(), VarId(id), index));
                all.push(failing);
            }
        }
    }

    /// The updates of an abstract transition of the core.
    fn updates_of(&self, number: usize) -> &[ast::Update] {
        transitions(self.abstraction.file).nth(number).map_or(&[], |(_, it)| &it.updates)
    }

    /// Whether an abstract variable may differ from what the abstract step makes of it.
    fn may_differ(&self, var: VarId, step: Option<usize>) -> bool {
        let name = &self.abstraction.system.var(var).name;
        let of = step.map_or(&[][..], |number| self.updates_of(number));
        let assigned: Vec<&ast::Update> = of.iter().filter(|it| it.target.name.text == *name).collect();
        if assigned.iter().any(|it| it.value == Rhs::Nondet) {
            return false;
        }
        let meaning = &self.map.variables[usize::from(var.0)];
        let changes = parts(self.concrete.system, self.origin).flat_map(|it| &it.updates);
        let mut changed = changes.map(|it| it.var);
        !assigned.is_empty() || changed.any(|var| reads(meaning, var))
    }

    /// The parts of the step beside the guards that are false and the updates that are made.
    fn elaborated(&self, choice: &Choice) -> Result<Vec<Transition>, NoRefinement> {
        let mut decl = self.decl.clone();
        let own = decl.params.len() as u8;
        // No text has such names, so that none is hidden.
        decl.params.extend((own..choice.procs).map(|p| Name {
            text: format!("further process {p}"),
            loc: decl.loc,
            sort: None,
        }));
        let declared: Vec<&ast::Transition> = transitions(self.abstraction.file).map(|it| it.1).collect();
        let steps = choice.images.iter().filter_map(|image| {
            let (number, args, fails) = match image {
                Failing::Guard(number, args) => (number, args, true),
                Failing::Cell(Some((number, args)), _, _) => (number, args, false),
                Failing::Cell(None, _, _) | Failing::Arguments => return None,
            };
            Some(OtherStep { model: self.other, decl: declared[*number], args: args.clone(), fails })
        });
        let steps: Vec<OtherStep<'_>> = steps.collect();
        transition(self.scene.system(), self.own, &decl, own, &steps).map_err(|errors| {
            let names: Vec<&str> = steps.iter().map(|it| it.decl.name.text.as_str()).collect();
            let why: Vec<String> = errors.iter().map(|it| it.message.clone()).collect();
            let message =
                format!("that `{}` is no step `{}` cannot be stated: {}", decl.name.text, names.join("`, `"), why.join("; "));
            let error = Diagnostic::error("C0702", self.decl.name.span(), message);
            let help = "the negation of an abstract guard must be one of a guard: write it without a quantifier in a quantifier";
            NoRefinement { of: InText::Concrete, errors: vec![error.help(help)] }
        })
    }

    /// The copies of a part of the step that fail in this way.
    fn failing(&self, choice: &Choice, part: &Transition) -> Ways<Vec<Transition>> {
        let system = self.scene.system();
        let before = |cell: &Cell| self.scene.before(&self.map.variables, cell);
        let arity = part.arity() as u8;
        let mut guard = [&part.guard[..], &choice.facts[..]].concat();
        for held in &choice.nowhere {
            guard.extend((0..arity).map(|p| Literal::points(held.clone(), ProcRef::Var(p), false)));
        }
        let mut ways = conj(system, &guard, &before)?;
        let mut updates = part.updates.iter().skip(self.decl.updates.len());
        let (after, _) = part.updates.split_at(self.decl.updates.len());
        for image in &choice.images {
            let Failing::Cell(step, var, index) = image else { continue };
            let declared = step.as_ref().map_or(0, |(number, _)| self.updates_of(*number).len());
            let image: Vec<&Update> = updates.by_ref().take(declared).collect();
            let place = Cell::at(self.scene.both.abstract_var(*var), index.iter().map(|p| ProcRef::Var(*p)));
            let wanted = match image.iter().find(|it| it.var == place.var) {
                Some(update) => read(system, &updated(system, update, &place, arity)?, &before)?,
                None => before(&place)?.unwrap_or_default(),
            };
            let reading = |cell: &Cell| self.after(cell, after, arity);
            let held = read(system, &before(&place)?.unwrap_or_default(), &reading)?;
            ways = both(&ways, &conj(system, &self.exists(*var, index), &before)?)?;
            ways = both(&ways, &differ(system, place.var, &wanted, &held)?)?;
        }
        let (span, mut universals) = (self.decl.loc.0, Vec::new());
        for universal in &part.universals {
            let mut body = Vec::new();
            for it in &universal.body.0 {
                body.extend(conj(system, it, &before)?);
            }
            if !body.iter().any(Vec::is_empty) {
                universals.push(Universal::derived(universal.bound, body, span));
            }
        }
        for held in &choice.nowhere {
            let differs = Literal::points(held.clone(), ProcRef::Var(arity), false);
            universals.push(Universal::derived(1, vec![vec![differs]], span));
        }
        let failed = Update::setting(self.scene.failed);
        let copy = |guard: Conj| Transition {
            name: format!("{}_fails", self.decl.name.text),
            params: (1..=part.params.len()).map(|number| format!("p{number}")).collect(),
            spans: vec![span; guard.len()],
            guard,
            universals: universals.clone(),
            updates: vec![failed.clone()],
            ..part.clone()
        };
        Ok(ways.into_iter().map(copy).collect())
    }

    /// That an abstract array has a cell at these processes: they are of its sorts.
    fn exists(&self, var: VarId, index: &[u8]) -> Conj {
        let system = self.abstraction.system;
        let of_sort = |(at, process): (usize, &u8)| {
            let array = self.scene.both.abstract_var(system.sort_array()?);
            let cell = Cell::at(array, [ProcRef::Var(*process)]);
            Some(Literal::In { cell, values: 1 << system.index_sort(var, at)? })
        };
        index.iter().enumerate().filter_map(of_sort).collect()
    }

    /// What a concrete cell holds after these updates.
    fn after(&self, cell: &Cell, updates: &[Update], arity: u8) -> Ways<Option<Values>> {
        let system = self.scene.system();
        let Some(update) = updates.iter().find(|it| it.var == cell.var) else { return Ok(None) };
        if update.assignment == Assignment::Nondet {
            let constant = self.scene.chosen.iter().find(|(var, _)| *var == cell.var);
            let constant = constant.map_or(cell.var, |(_, constant)| *constant);
            return Ok(Some(vec![(Vec::new(), held(system, Cell::global(constant)))]));
        }
        updated(system, update, cell, arity).map(Some)
    }
}

/// The processes that the arguments of an abstract step may be. Those that are not different processes make it fail: these ways are
/// added to `all`.
fn arguments(choice: &Choice, args: &[ArgTerm], all: &mut Vec<Choice>) -> Vec<(Choice, Vec<u8>)> {
    let mut found = vec![(choice.clone(), Vec::new())];
    for arg in args {
        let mut next = Vec::new();
        for (choice, known) in found {
            let cell = match arg {
                ArgTerm::Param(p) => {
                    next.push((choice, [&known[..], &[*p]].concat()));
                    continue;
                }
                ArgTerm::Cell(cell) => cell,
            };
            for p in 0..=choice.procs {
                let mut is = choice.clone();
                is.procs = is.procs.max(p + 1);
                is.facts.push(Literal::points(cell.clone(), ProcRef::Var(p), true));
                next.push((is, [&known[..], &[p]].concat()));
            }
            let mut nowhere = choice.clone();
            nowhere.nowhere.push(cell.clone());
            nowhere.images.push(Failing::Arguments);
            all.push(nowhere);
        }
        found = next;
    }
    let (different, equal): (Vec<_>, Vec<_>) = found.into_iter().partition(|(_, args)| are_different(args));
    for (mut choice, _) in equal {
        choice.images.push(Failing::Arguments);
        all.push(choice);
    }
    different
}
