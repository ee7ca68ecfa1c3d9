//! Certificates that one model refines another: every initial state, read through a map, is initial in the abstract model, and every
//! step from a reachable state is one of the abstract steps that the map gives for it.
//!
//! The system of such a certificate is the concrete model, without its bad states; `chosen NAME of X` adds a constant, of which the
//! cubes may say what they like: it stands for the value that `X := ?` chooses. There are two kinds of obligations more, made
//! here from both models and the meaning of the map ([`RefinementMap`]: no engine and no transform has a part in it):
//!
//! - *Begins*: no initial state of the concrete model is, read through the map, none of the abstract model.
//! - *Refines*: in no state outside of all cubes a step of the transition is possible that none of its abstract steps explains.
//!
//! # Why this shows the claim
//!
//! A step that is not explained fails for each of its images: its arguments are not different processes; or each part of the
//! abstract transition has a false guard (a literal, or a universal guard at some processes); or some abstract cell is not, after the step, what
//! the abstract step makes of it. Each of these ways has a bounded number of witnesses: what the arguments are, where universal guards fail, the
//! indices of the cell. So name the arguments of the step and all witnesses, for all images: a *case* has these processes, up to [`further`]
//! beside the arguments, and its formula says that each image fails *with witnesses among the named processes*. In the state of
//! a failing step, the case that names exactly its witnesses has a true formula; when no case has one, no step fails. An abstract
//! guard with `exists` fails where it fails for all processes; the formula says so of the named ones, which is less. (It is refused where
//! `exists` and universal guards meet, since then each process needs witnesses of its own.)
//!
//! Abstract formulas are read in the concrete state, each abstract cell being what the map says ([`Reading::Abstract`]), before or after the step.
//! What `X := ?` chooses is that of the constant for X, if there is one: cubes hold of no reachable state, whatever the constant is, since
//! nothing assigns it and no initial state restricts it; so also where it is the chosen value.
//!
//! The abstract instance has the processes of the concrete one: a map between models that allow different numbers is refused with its meaning.

use std::ops::Range;

use super::added::{NotDerived, declare};
use super::cubes::Cubes;
use super::failure::ProofFailure;
use super::ground::{Atom, GroundFormula, GroundPoint, GroundReader, GroundValue, Overflow, Reading};
use cubicle_lang::model::semantics::{distinct_tuples, tuples};
use cubicle_lang::model::{
    Assignment, Branch, Cell, Dnf, ProcRef, System, Transition, Type, Update, VarId, VarKind, rename,
};
use cubicle_lang::refinement::{
    ArgTerm, Image, NoRefinement, RefinedModel, RefinementMap, held, parts, reads,
};
use cubicle_run::interrupt::Interrupt;

/// An abstract model, and what it is in terms of the concrete one.
#[derive(Clone, Debug)]
pub struct Abstraction {
    system: System,
    map: RefinementMap,
}

impl Abstraction {
    /// What a map says of two models.
    ///
    /// # Errors
    /// What is wrong with the map, or cannot be said of these models.
    pub fn new(
        concrete: RefinedModel<'_>,
        abstraction: RefinedModel<'_>,
        map: &str,
    ) -> Result<Self, NoRefinement> {
        let map = RefinementMap::new(concrete, abstraction, map)?;
        Ok(Self { system: abstraction.system.clone(), map })
    }

    /// Whether its formulas order processes.
    pub fn orders(&self) -> bool {
        self.system.orders_processes
    }
}

/// The system of a certificate: the concrete model and a constant for each of these variables.
pub fn concrete(model: &System, chosen: &[(String, String)]) -> Result<System, NotDerived> {
    let mut system = model.to_parts();
    for (name, of) in chosen {
        let Some(var) = model.vars.iter().find(|it| it.name == *of && it.kind == VarKind::Global) else {
            return Err(NotDerived::Unfit(format!("the model has no variable `{of}` that `?` may choose")));
        };
        declare(&mut system, name, VarKind::Const, var.ty)?;
    }
    system.bad.clear();
    Ok(System::new(system))
}

/// Whether the obligations can be made; otherwise why not.
pub fn sayable(abstraction: &Abstraction) -> Result<(), NotDerived> {
    for part in &abstraction.system.transitions {
        let quantified = part.hidden > 0 && !part.universals.is_empty();
        if quantified || effect(part).is_none() {
            let why = format!("abstract step `{}` has a quantifier within a quantifier", part.name);
            return Err(NotDerived::TooHard(why));
        }
    }
    Ok(())
}

/// The updates of a part in terms of its declared parameters; `None` when they depend on others.
fn effect(part: &Transition) -> Option<Vec<Update>> {
    let (declared, all) = (part.params.len() as u8, part.arity() as u8);
    let hidden = std::cell::Cell::new(false);
    let renamed = |update: &Update| {
        let Assignment::Cases(branches) = &update.assignment else { return Some(update.clone()) };
        let map = |p: ProcRef| match p {
            ProcRef::Var(v) if v >= all => ProcRef::Var(v - (all - declared)),
            ProcRef::Var(v) => {
                hidden.set(hidden.get() || v >= declared);
                p
            }
            constant @ ProcRef::Const(_) => constant,
        };
        let mut found = Vec::new();
        for Branch { when, value } in branches {
            let when = Dnf(rename::disjunction(&when.0, &map)?);
            found.push(Branch { when, value: rename::term(value, &map)? });
        }
        Some(Update { var: update.var, assignment: Assignment::Cases(found) })
    };
    let renamed: Option<Vec<Update>> = part.updates.iter().map(renamed).collect();
    renamed.filter(|_| !hidden.get())
}

/// Parts of an abstract transition with the same effect.
struct Effect<'a> {
    updates: Vec<Update>,
    parts: Vec<&'a Transition>,
}

/// Makes the formulas of the obligations.
pub struct RefinementReader<'a> {
    abstraction: &'a Abstraction,
    reader: GroundReader<'a>,
    /// Variables, and the constants for what is chosen for them.
    chosen: Vec<(VarId, VarId)>,
    system: &'a System,
    interrupt: &'a Interrupt,
}

impl<'a> RefinementReader<'a> {
    /// For the system of a certificate with these cubes; `None` when it is not about a refinement.
    pub fn new(system: &'a System, cubes: &'a Cubes, interrupt: &'a Interrupt) -> Option<Self> {
        let abstraction = cubes.abstraction.as_deref()?;
        let id = |name: &String| {
            let found = system.vars.iter().position(|it| it.name == *name);
            VarId(found.expect("the system was derived with it") as u16)
        };
        let chosen = cubes.subject.refines.iter().flatten().map(|(name, of)| (id(of), id(name))).collect();
        Some(Self { abstraction, reader: GroundReader::new(system), chosen, system, interrupt })
    }

    /// The most processes that a case about a transition names beside its arguments.
    pub fn further(&self, t: &Transition) -> u8 {
        let all = self.images(t).iter().map(|image| {
            let unchanged = self.width(t, &[]);
            let Image::Step { origin, args } = image else { return unchanged };
            let cells = args.iter().filter(|arg| matches!(arg, ArgTerm::Cell(_))).count();
            let effects = self.effects(*origin).into_iter().map(|Effect { updates, parts }| {
                let bound = |part: &&Transition| part.universals.iter().map(|it| usize::from(it.bound)).max();
                let guards: usize = parts.iter().filter_map(bound).sum();
                guards.max(self.width(t, &updates))
            });
            cells + effects.sum::<usize>()
        });
        all.sum::<usize>().try_into().unwrap_or(u8::MAX)
    }

    /// The most processes that index an abstract cell that may differ from what these updates make of it.
    fn width(&self, t: &Transition, updates: &[Update]) -> usize {
        let differing = self.differing(t, updates);
        differing.map(|(var, _)| self.abstraction.system.var(var).arity()).max().unwrap_or(0)
    }

    /// The numbers of processes of the cases about initial states.
    pub fn begins(&self) -> Range<u8> {
        let params = self.abstraction.system.axioms.iter().map(|it| it.params);
        let most = params.chain([self.abstraction.system.init.params, 1]).max().unwrap_or(1);
        let rigid = self.system.proc_constants;
        rigid.max(1)..rigid.saturating_add(most).saturating_add(1)
    }

    fn images(&self, t: &Transition) -> &'a [Image] {
        self.abstraction.map.steps.get(usize::from(t.origin)).map_or(&[], Vec::as_slice)
    }

    fn effects(&self, origin: u16) -> Vec<Effect<'a>> {
        let mut found: Vec<Effect<'a>> = Vec::new();
        for part in parts(&self.abstraction.system, origin) {
            let updates = effect(part).expect("other models are refused");
            match found.iter_mut().find(|it| it.updates == updates) {
                Some(known) => known.parts.push(part),
                None => found.push(Effect { updates, parts: vec![part] }),
            }
        }
        found
    }

    /// The abstract variables that may not be, after a step of `t`, what these updates make of them, each with its update.
    fn differing<'u>(
        &self,
        t: &'u Transition,
        updates: &'u [Update],
    ) -> impl Iterator<Item = (VarId, Option<&'u [Branch]>)> + use<'a, 'u> {
        let meanings = &self.abstraction.map.variables;
        (0..meanings.len()).filter_map(move |at| {
            let var = VarId(at as u16);
            match updates.iter().find(|it| it.var == var).map(|it| &it.assignment) {
                Some(Assignment::Nondet) => None,
                Some(Assignment::Cases(branches)) => Some((var, Some(&branches[..]))),
                None => {
                    let changed = t.updates.iter().any(|it| reads(&meanings[at], it.var));
                    changed.then_some((var, None))
                }
            }
        })
    }

    fn now(&self) -> Reading<'a> {
        Reading::Abstract(&self.abstraction.map.variables, &Reading::Now)
    }

    /// That a state is not initial in the abstract model, for reasons among these processes; without processes when there are none.
    pub fn not_initial(&self, procs: u8) -> Result<GroundFormula, ProofFailure> {
        let model = &self.abstraction.system;
        let mut ways = Vec::new();
        if procs == 0 {
            ways.push(self.reader.dnf(&model.init.without_processes, &[], self.now())?.not());
        } else {
            for names in tuples(procs.into(), model.init.params.into()) {
                self.interrupt.poll()?;
                ways.push(self.reader.dnf(&model.init.body, &numbers(names), self.now())?.not());
            }
        }
        for axiom in &model.axioms {
            for names in distinct_tuples(procs.into(), axiom.params.into()) {
                self.interrupt.poll()?;
                ways.push(self.reader.conj(&axiom.cube, &numbers(names), self.now())?);
            }
        }
        Ok(GroundFormula::any(ways))
    }

    /// That no image explains a step of `t`, for reasons among these processes.
    pub fn not_explained(
        &self,
        t: &Transition,
        args: &[u8],
        procs: u8,
    ) -> Result<GroundFormula, ProofFailure> {
        let mut chosen = t.clone();
        for update in chosen.updates.iter_mut().filter(|it| it.assignment == Assignment::Nondet) {
            let Some((_, constant)) = self.chosen.iter().find(|(var, _)| *var == update.var) else {
                continue;
            };
            let value = held(self.system, global(*constant));
            update.assignment = Assignment::Cases(vec![Branch { when: Dnf::truth(), value }]);
        }
        let mut all = Vec::new();
        for image in self.images(t) {
            all.push(match image {
                Image::Stutter => self.differ(&chosen, args, &[], &[], procs)?,
                Image::Step { origin, args: terms } => {
                    let mut ways = Vec::new();
                    for (when, named) in self.arguments(terms, args, procs)? {
                        self.interrupt.poll()?;
                        let fails = match named {
                            Some(named) => self.step_fails(&chosen, args, *origin, &named, procs)?,
                            None => GroundFormula::TRUE,
                        };
                        ways.push(GroundFormula::all([when, fails]));
                    }
                    GroundFormula::any(ways)
                }
            });
        }
        Ok(GroundFormula::all(all))
    }

    /// What the arguments of an abstract step may be, each under its condition; `None` where they are not different processes.
    fn arguments(
        &self,
        terms: &[ArgTerm],
        args: &[u8],
        procs: u8,
    ) -> Result<Vec<(GroundFormula, Option<Vec<u8>>)>, Overflow> {
        let mut found = vec![(GroundFormula::TRUE, Some(Vec::new()))];
        for term in terms {
            let one = match term {
                ArgTerm::Param(p) => vec![(GroundFormula::TRUE, Some(args[usize::from(*p)]))],
                ArgTerm::Cell(cell) => {
                    let mut ways = Vec::new();
                    let mut nowhere = Vec::new();
                    for p in 0..procs {
                        let is = self.is_process(cell, args, p)?;
                        nowhere.push(is.clone().not());
                        ways.push((is, Some(p)));
                    }
                    ways.push((GroundFormula::all(nowhere), None));
                    ways
                }
            };
            let mut next = Vec::new();
            for ((when, known), (and, p)) in found.iter().flat_map(|a| one.iter().map(move |b| (a, b))) {
                let named = known.as_ref().zip(*p).filter(|(known, p)| !known.contains(p));
                let named = named.map(|(known, p)| [&known[..], &[p]].concat());
                next.push((GroundFormula::all([when.clone(), and.clone()]), named));
            }
            found = next;
        }
        Ok(found)
    }

    fn is_process(&self, cell: &Cell, args: &[u8], p: u8) -> Result<GroundFormula, Overflow> {
        let mut ways = Vec::new();
        for (when, value) in self.reader.cell(cell, args, Reading::Now)? {
            let GroundValue::Point(GroundPoint::Place(place)) = value else {
                unreachable!("a cell of type proc")
            };
            let equal = Atom::Equal(GroundPoint::Process(p), GroundPoint::Place(place));
            ways.push(GroundFormula::all([when, GroundFormula::Literal(equal, true)]));
        }
        Ok(GroundFormula::any(ways))
    }

    /// That a step is not one of this abstract transition with these arguments.
    fn step_fails(
        &self,
        t: &Transition,
        args: &[u8],
        origin: u16,
        named: &[u8],
        procs: u8,
    ) -> Result<GroundFormula, ProofFailure> {
        let mut all = Vec::new();
        for Effect { updates, parts } in self.effects(origin) {
            let mut guards = Vec::new();
            for part in parts {
                guards.push(self.guard_fails(part, named, procs)?);
            }
            let differ = self.differ(t, args, &updates, named, procs)?;
            all.push(GroundFormula::any([differ, GroundFormula::all(guards)]));
        }
        Ok(GroundFormula::all(all))
    }

    /// That the guard of a part of an abstract transition is false, as far as these processes show.
    fn guard_fails(&self, part: &Transition, named: &[u8], procs: u8) -> Result<GroundFormula, ProofFailure> {
        let others = |but: &[u8]| (0..procs).filter(|p| !but.contains(p)).collect::<Vec<u8>>();
        let mut all = Vec::new();
        let free = others(named);
        for hidden in distinct_tuples(free.len(), part.hidden.into()) {
            self.interrupt.poll()?;
            let mut names = named.to_vec();
            names.extend(hidden.into_iter().map(|at| free[at]));
            let mut ways = vec![self.reader.conj(&part.guard, &names, self.now())?.not()];
            let free = others(&names);
            for universal in &part.universals {
                for tuple in distinct_tuples(free.len(), universal.bound.into()) {
                    let tuple = tuple.into_iter().map(|at| free[at]);
                    let names: Vec<u8> = names.iter().copied().chain(tuple).collect();
                    ways.push(self.reader.dnf(&universal.body, &names, self.now())?.not());
                }
            }
            all.push(GroundFormula::any(ways));
        }
        Ok(GroundFormula::all(all))
    }

    /// That a cell of an abstract variable is not, after a step, what these updates with these arguments make of it.
    fn differ(
        &self,
        t: &Transition,
        args: &[u8],
        updates: &[Update],
        named: &[u8],
        procs: u8,
    ) -> Result<GroundFormula, ProofFailure> {
        let after = Reading::After(t, args);
        let after = Reading::Abstract(&self.abstraction.map.variables, &after);
        let mut ways = Vec::new();
        for (id, update) in self.differing(t, updates) {
            let var = self.abstraction.system.var(id);
            let cell = Cell { var: id, index: (0..var.arity() as u8).map(ProcRef::Var).collect() };
            for index in tuples(procs.into(), var.arity()) {
                self.interrupt.poll()?;
                let index = numbers(index);
                let wanted = match update {
                    Some(branches) => {
                        self.reader.branches(branches, &[named, &index[..]].concat(), self.now())?
                    }
                    None => self.reader.cell(&cell, &index, self.now())?,
                };
                let found = self.reader.cell(&cell, &index, after)?;
                ways.push(self.reader.differ(&wanted, &found, var.ty == Type::Int)?);
            }
        }
        Ok(GroundFormula::any(ways))
    }
}

fn numbers(names: Vec<usize>) -> Vec<u8> {
    names.into_iter().map(|p| p as u8).collect()
}

fn global(var: VarId) -> Cell {
    Cell { var, index: std::iter::empty().collect() }
}
