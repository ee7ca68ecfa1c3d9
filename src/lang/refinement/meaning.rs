//! The meaning of a map: of each abstract variable over concrete cells, of each concrete step as abstract ones.

use smallvec::SmallVec;

use super::both::{BothModels, InText, NoRefinement, RefinedModel, refused};
use super::text::{ArgText, ImageText, MapText, STUTTER, StepText};
use crate::diagnostic::{Checked, Diagnostic, Span};
use crate::list::add_new;
use crate::load::core_values;
use crate::model::beside::{NamedModel, Names, updates};
use crate::model::{
    Assignment, Branch, Cell, Dnf, EnumId, Literal, ProcRef, System, Term, Transition, Type, Var, VarId,
    VarKind,
};
use crate::syntax::ast::{self, Name, Part, Path, Rhs, TermKind};

/// An abstract step that a concrete one may be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Image {
    /// None: no abstract variable changes.
    Stutter,
    /// The transition of this declaration.
    Step {
        /// [`Transition::origin`].
        origin: u16,
        /// Its arguments.
        args: Vec<ArgTerm>,
    },
}

/// An argument of an abstract step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ArgTerm {
    /// This parameter of the concrete step.
    Param(u8),
    /// What this cell holds; its indices are parameters of the concrete step. The step is impossible where that is not a process.
    Cell(Cell),
}

/// What a map means.
#[derive(Clone, Debug, Default)]
pub struct RefinementMap {
    /// For each abstract variable, its value in terms of concrete cells; its indices are `ProcRef::Var(0)`, `Var(1)`, ..
    pub variables: Vec<Vec<Branch>>,
    /// For each declaration of a concrete transition, the steps that it may be where it is not an error.
    steps: Vec<Vec<Image>>,
    /// The values of the concrete variable that says which error happened, of errors that the abstract model does not have.
    errors: Vec<(VarId, u8)>,
    /// What the map leaves out and names decided, as statements of a map.
    pub guessed: Vec<String>,
}

/// What is added to the name of an abstract variable or constructor where both models are named.
const MARK: &str = " of the abstract model";

/// Why there are no variables of both models.
pub const TOO_MANY: &str = "both models together have too many variables or types";

impl RefinementMap {
    /// Whether the meaning of an abstract variable reads this concrete one.
    pub fn reads(&self, var: VarId) -> bool {
        self.variables.iter().any(|branches| reads(branches, var))
    }

    /// The meaning of a map between these models, of which the first one has this text.
    ///
    /// # Errors
    /// What is wrong with the map, or cannot be said of these models.
    pub fn new(
        concrete: RefinedModel<'_>,
        abstraction: RefinedModel<'_>,
        text_of_concrete: &ast::File,
        map: &str,
    ) -> Result<Self, NoRefinement> {
        sayable(concrete.system, abstraction)?;
        let in_map = |errors| NoRefinement { of: InText::Map, errors };
        let text = MapText::read(map).map_err(in_map)?;
        let both = BothModels::new(concrete.system.to_parts(), abstraction.system);
        let both = both.ok_or_else(|| refused(InText::Concrete, Span::default(), TOO_MANY))?;
        let mut reader = MapReader { concrete, abstraction, both, map: Self::default() };
        reader.map.variables = reader.variables(&text.variables, text_of_concrete).map_err(in_map)?;
        if let Some((var, names)) = errors_of(concrete.system).filter(|it| !reader.map.reads(it.0)) {
            reader.map.errors = (1..names.len() as u8).map(|value| (var, value)).collect();
        }
        reader.map.steps = reader.steps(&text.steps).map_err(in_map)?;
        Ok(reader.map)
    }

    /// The steps that a concrete transition of this declaration may be, which assigns these values: none where it is an error that the
    /// abstract model does not have.
    pub fn images(&self, origin: u16, assigns: &dyn Fn(VarId, u8) -> bool) -> &[Image] {
        let is_error = self.errors.iter().any(|(var, value)| assigns(*var, *value));
        if is_error { &[] } else { &self.steps[usize::from(origin)] }
    }
}

/// A map between two models, as far as it was read.
struct MapReader<'a> {
    concrete: RefinedModel<'a>,
    abstraction: RefinedModel<'a>,
    both: BothModels,
    map: RefinementMap,
}

impl MapReader<'_> {
    /// What the abstract variable of errors is where the concrete model has others, or in another order: the error of the same name.
    fn errors_by_name(&mut self) -> Vec<Branch> {
        let mut branches = Vec::new();
        let names = errors_of(self.abstraction.system).map_or(&[][..], |it| it.1);
        let (var, own) = errors_of(self.concrete.system).unwrap_or((VarId(0), &[]));
        for (value, name) in (0..).zip(own).skip(1) {
            match (0..).zip(names).find(|it| it.1 == name) {
                Some((same, _)) => branches.push(Branch {
                    when: Dnf(vec![vec![Literal::In { cell: Cell::global(var), values: 1 << value }]]),
                    value: Term::Constructor(same),
                }),
                None => self.map.errors.push((var, value)),
            }
        }
        branches.push(Branch { when: Dnf::truth(), value: Term::Constructor(0) });
        branches
    }

    fn variables(&mut self, decl: &ast::Transition, concrete_text: &ast::File) -> Checked<Vec<Vec<Branch>>> {
        let (concrete, abstraction) = (self.concrete.system, self.abstraction.system);
        let mut errors = Vec::new();
        let mut decl = decl.clone();
        for update in &mut decl.updates {
            let target = &update.target;
            if let Some((leaf, processes)) = abstraction.families.leaf(&target.to_string()) {
                let name = |text: &str| Name::at(text, target.loc);
                update.target = Path::at(name(leaf), processes.iter().map(|it| name(it)).collect());
            }
            if let Some(var) = abstraction.vars.iter().find(|it| it.name == update.target.name.text) {
                self.mark(update, var.ty, &mut errors);
            } else {
                let known = abstraction.vars.iter().map(|it| it.name.as_str());
                errors.push(unknown(&update.target.name, "the abstract model has no variable", known));
            }
        }
        if let (true, Err(wrong)) = (errors.is_empty(), core_values(concrete_text, &mut decl.updates)) {
            errors = wrong;
        }
        if !errors.is_empty() {
            return Err(errors.into_iter().map(MapText::placed).collect());
        }
        let vars = (0..).zip(&abstraction.vars);
        let vars = vars.map(|(id, var)| (format!("{}{MARK}", var.name), self.both.abstract_var(VarId(id))));
        let all = (0..).zip(&abstraction.enums).flat_map(|(id, it)| {
            let id = self.both.abstract_enum(EnumId(id));
            (0..).zip(&it.constructors).map(move |(number, name)| (format!("{name}{MARK}"), (id, number)))
        });
        let names = Names::new(concrete, &self.both.system, |id| id, |id| id).and(vars, all);
        let model = NamedModel { names: &names, file: self.concrete.file };
        let found = updates(&self.both.system, model, &decl);
        let found = found.map_err(|errors| errors.into_iter().map(MapText::placed).collect::<Vec<_>>())?;
        let mut meanings = Vec::new();
        for (id, var) in (0..).zip(&abstraction.vars) {
            let (id, target) = (VarId(id), self.both.abstract_var(VarId(id)));
            let said = decl.updates.iter().find(|it| it.target.name.text == format!("{}{MARK}", var.name));
            let update = found.iter().find(|it| it.var == target);
            let branches = match update.map(|it| &it.assignment) {
                Some(Assignment::Cases(branches)) => branches.clone(),
                Some(Assignment::Nondet) => Vec::new(),
                None => match self.by_name(id) {
                    Ok(branches) => branches,
                    Err(error) => {
                        errors.push(*error);
                        continue;
                    }
                },
            };
            if let Some(why) = self.unusable(target, &branches) {
                let at = said.map_or(Span::default(), |it| it.loc.0);
                let message = format!("`{}` gets no value: {why}", abstraction.title(id));
                let error = Diagnostic::error("C0701", at, message);
                errors.push(MapText::placed(error.help("give a value in every state: end with `| _ : ..`")));
            }
            meanings.push(branches);
        }
        if errors.is_empty() { Ok(meanings) } else { Err(errors) }
    }

    /// The meaning of a variable that the map does not mention: the concrete one of the same name and type.
    fn by_name(&mut self, id: VarId) -> Result<Vec<Branch>, Box<Diagnostic>> {
        let (abstraction, both) = (self.abstraction.system, &self.both);
        let var = abstraction.var(id);
        let ty = both.system.var(both.abstract_var(id)).ty;
        let found = (0..)
            .zip(&self.concrete.system.vars)
            .find(|(_, it)| it.name == var.name && it.arity() == var.arity() && it.ty == ty);
        if found.is_none() && var.is_of_errors() {
            return Ok(self.errors_by_name());
        }
        if found.is_none() && var.span == Span::default() && var.kind == VarKind::Global {
            // What says that a bad state was seen: there is none in the abstract model.
            return Ok(vec![Branch { when: Dnf::truth(), value: Term::Constructor(0) }]);
        }
        let names: Vec<String> = (1..=var.arity()).map(|number| format!("p{number}")).collect();
        let cell = abstraction.families.cell(&var.name, &names);
        let Some((same, _)) = found else {
            let message = format!("no meaning is given for abstract variable `{}`", abstraction.title(id));
            let error = Diagnostic::error("C0701", Span::default(), message);
            return Err(Box::new(error.help(format!(
                "say in the map what it is in terms of the concrete variables, as in `{cell} := case | .. : .. | _ : ..;`"
            ))));
        };
        self.map.guessed.push(format!("{cell} := {cell};"));
        let index = (0..var.arity() as u8).map(ProcRef::Var).collect();
        Ok(vec![Branch { when: Dnf::truth(), value: held(&both.system, Cell { var: VarId(same), index }) }])
    }

    fn steps(&mut self, said: &[StepText]) -> Checked<Vec<Vec<Image>>> {
        let mut errors = Vec::new();
        let mut all = Vec::new();
        let concrete = || heads(self.concrete.file);
        for decl in concrete() {
            let name = &decl.name.text;
            let its: Vec<usize> = (0..said.len()).filter(|at| said[*at].name.text == *name).collect();
            if let [first, second, ..] = its[..] {
                let message = format!("two meanings are given for `{name}`");
                let error = Diagnostic::error("C0701", said[second].name.span(), message);
                let error = error.also(said[first].name.span(), "the first one");
                let error = error.help("join them with `|`");
                // Several concrete transitions may have this name.
                add_new(&mut errors, error);
            }
            let Some(&at) = its.first() else {
                all.push(vec![self.step_by_name(decl)]);
                continue;
            };
            let images = said[at].images.iter().map(|image| self.image(&said[at], image, decl));
            let (images, wrong): (Vec<_>, Vec<_>) = images.partition(Result::is_ok);
            errors.extend(wrong.into_iter().filter_map(Result::err).map(|it| *it));
            all.push(images.into_iter().flatten().collect());
        }
        for StepText { name, .. } in said {
            let mut names = concrete().map(|it| it.name.text.as_str());
            if !names.any(|it| it == name.text) {
                let names = concrete().map(|it| it.name.text.as_str());
                errors.push(unknown(name, "the concrete model has no transition", names));
            }
        }
        if errors.is_empty() { Ok(all) } else { Err(errors) }
    }

    /// The step that a transition is which the map does not mention: that of the same name, with the same number of
    /// parameters, or none.
    fn step_by_name(&mut self, decl: &ast::Transition) -> Image {
        let (name, params) = (&decl.name.text, names(&decl.params));
        let same =
            |(_, it): &(u16, &ast::Transition)| it.name.text == *name && it.params.len() == decl.params.len();
        if let Some((origin, _)) = (0..).zip(heads(self.abstraction.file)).find(same) {
            self.map.guessed.push(format!("{name}({params}) => {name}({params});"));
            let args = (0..decl.params.len() as u8).map(ArgTerm::Param).collect();
            return Image::Step { origin, args };
        }
        self.map.guessed.push(format!("{name}({params}) => {STUTTER};"));
        Image::Stutter
    }

    /// Marks the target of an update, and constructors that are its values, as those of the abstract model.
    fn mark(&self, update: &mut ast::Update, ty: Type, errors: &mut Vec<Diagnostic>) {
        update.target.name.text.push_str(MARK);
        if let (Some(_), Rhs::Term(value)) = (&update.target.index, &update.value) {
            // The cells of an array have one meaning for all processes.
            let value = value.clone();
            update.value = Rhs::Cases(vec![ast::Case { when: None, loc: value.loc, value }]);
        }
        let values: Vec<&mut ast::Term> = match &mut update.value {
            Rhs::Term(value) => vec![value],
            Rhs::Cases(cases) => cases.iter_mut().map(|case| &mut case.value).collect(),
            Rhs::Nondet => Vec::new(),
            Rhs::Send(_) | Rhs::Drop | Rhs::Receive(_) => {
                let message = "a map gives values, and sends nothing";
                let error = Diagnostic::error("C0701", update.target.name.span(), message);
                errors.push(error.help("give the abstract variable a value over concrete cells"));
                return;
            }
        };
        let Type::Enum(id) = ty else { return };
        let known = &self.abstraction.system.enumeration(id).constructors;
        for value in values {
            let text = value.to_string();
            if matches!(value.kind, TermKind::Number(_) | TermKind::Sum(_) | TermKind::Remainder(..))
                && known.contains(&text)
            {
                // A value of a range.
                *value = ast::Term::named(text, value.loc);
            }
            let TermKind::Path(path) = &mut value.kind else { continue };
            if path.alone().is_none() || !known.contains(&path.name.text) {
                continue;
            }
            let name = &mut path.name;
            if self.concrete.system.vars.iter().any(|it| it.name == name.text) {
                let message = format!("`{}` has two meanings", name.text);
                let error = Diagnostic::error("C0701", name.span(), message);
                errors.push(error.help("rename the concrete variable or the abstract value"));
            }
            name.text.push_str(MARK);
        }
    }

    /// Why branches are not the meaning of an abstract variable.
    fn unusable(&self, target: VarId, branches: &[Branch]) -> Option<&'static str> {
        let own = self.concrete.system.vars.len();
        let read: Vec<VarId> = branches.iter().flat_map(cells).map(|cell| cell.var).collect();
        if branches.is_empty() {
            return Some("`?` is not a value");
        }
        if read.iter().any(|var| *var == target || usize::from(var.0) >= own) {
            return Some("where no branch applies, nothing is said");
        }
        let counts = |var: &VarId| self.both.system.count_of(*var).is_some();
        read.iter().any(counts).then_some("a count cannot be part of a meaning")
    }

    /// The meaning of one image of a statement about `decl`.
    fn image(
        &self,
        step: &StepText,
        image: &ImageText,
        decl: &ast::Transition,
    ) -> Result<Image, Box<Diagnostic>> {
        if step.params.len() != decl.params.len() {
            let message = format!(
                "`{}` has {} parameters, not {}",
                step.name.text,
                decl.params.len(),
                step.params.len()
            );
            let help = format!("write `{}({})`", step.name.text, names(&decl.params));
            return Err(wrong(step.name.span(), message, &help));
        }
        if let Some(again) = (1..step.params.len()).find(|at| step.params[..*at].contains(&step.params[*at]))
        {
            let name = &step.params[again];
            return Err(wrong(name.span(), format!("two parameters are called `{}`", name.text), ""));
        }
        let same_name = |it: &&ast::Transition| it.name.text == image.name.text;
        let mut named = (0..).zip(heads(self.abstraction.file)).filter(|(_, it)| same_name(it));
        let found = named.next();
        if image.name.text == STUTTER {
            return match found {
                None if image.args.is_none() => Ok(Image::Stutter),
                None => Err(wrong(image.name.span(), format!("`{STUTTER}` has no arguments"), "")),
                Some(_) => {
                    let message = format!(
                        "`{STUTTER}` has two meanings: the abstract model has a transition of this name"
                    );
                    Err(wrong(image.name.span(), message, "rename the transition"))
                }
            };
        }
        let Some((origin, target)) = found else {
            let known = heads(self.abstraction.file).map(|it| it.name.text.as_str());
            return Err(Box::new(unknown(&image.name, "the abstract model has no transition", known)));
        };
        if named.next().is_some() {
            let message =
                format!("`{}` has two meanings: two abstract transitions are called so", image.name.text);
            return Err(wrong(image.name.span(), message, "rename one of them"));
        }
        let args = image.args.as_deref().unwrap_or_default();
        if args.len() != target.params.len() {
            let message =
                format!("`{}` has {} parameters, not {}", image.name.text, target.params.len(), args.len());
            return Err(wrong(image.name.span(), message, ""));
        }
        let args = args.iter().map(|arg| self.arg(step, arg)).collect::<Result<_, _>>()?;
        Ok(Image::Step { origin, args })
    }

    fn arg(
        &self,
        step: &StepText,
        ArgText { name, index, fields }: &ArgText,
    ) -> Result<ArgTerm, Box<Diagnostic>> {
        let concrete = self.concrete.system;
        let param = |name: &Name| step.params.iter().position(|it| it.text == name.text).map(|at| at as u8);
        if index.is_empty()
            && let Some(at) = param(name)
        {
            return Ok(ArgTerm::Param(at));
        }
        let title = format!("{}{fields}", name.text);
        let is_meant = |id: u16, it: &Var| {
            it.ty == Type::Proc && (it.name == title || concrete.title(VarId(id)) == title)
        };
        let var = (0..).zip(&concrete.vars).find(|(id, it)| is_meant(*id, it));
        let Some((id, var)) = var.filter(|(_, it)| it.arity() == index.len()) else {
            let message = format!("`{title}` is neither a parameter nor a cell of type `proc`");
            return Err(wrong(name.span(), message, ""));
        };
        debug_assert!(matches!(var.kind, VarKind::Array(_)) != index.is_empty());
        let mut procs = SmallVec::new();
        for name in index {
            let at = param(name)
                .ok_or_else(|| wrong(name.span(), format!("`{}` is not a parameter", name.text), ""))?;
            procs.push(ProcRef::Var(at));
        }
        Ok(ArgTerm::Cell(Cell { var: VarId(id), index: procs }))
    }
}

/// The variable that says which error happened, if there is one, and its values, of which the first one says that there was none.
fn errors_of(system: &System) -> Option<(VarId, &[String])> {
    let (var, it) = (0..).zip(&system.vars).find(|it| it.1.is_of_errors())?;
    let Type::Enum(id) = it.ty else { return None };
    Some((VarId(var), &system.enumeration(id).constructors))
}

/// Refuses models about whose refinement nothing is said here.
fn sayable(concrete: &System, abstraction: RefinedModel<'_>) -> Result<(), NoRefinement> {
    let (file, abstraction) = (abstraction.file, abstraction.system);
    let at = abstraction.init.span;
    let constructs = [
        (!abstraction.counts.is_empty(), "counts processes"),
        (abstraction.proc_constants > 0, "names processes (`#1`)"),
        (!abstraction.witnesses.is_empty(), "has witnesses"),
    ];
    if let Some((_, what)) = constructs.into_iter().find(|it| it.0) {
        let why = format!("the abstract model {what}, which a refinement cannot be stated with");
        return Err(refused(InText::Abstract, at, why));
    }
    // What a step of several parts chooses before it is taken has no meaning in the concrete model.
    if let Some(choice) = abstraction.vars.iter().find(|it| it.is_choice()) {
        let chooses =
            |it: &&ast::Transition| it.updates.iter().any(|update| update.target.name.text == choice.name);
        let place = transitions(file).map(|it| it.1).find(chooses).map_or(at, |it| it.loc.0);
        let why = "the abstract model gives a cell any number, process or real (`A[p] := ?`), which a refinement cannot be stated with";
        return Err(refused(InText::Abstract, place, why));
    }
    let fewer = |most: u32| concrete.max_procs.is_none_or(|own| own > most);
    if abstraction.max_procs.is_some_and(fewer) {
        let why = "the abstract model has instances of fewer sizes than the concrete one: see `number_procs`";
        return Err(refused(InText::Abstract, at, why));
    }
    Ok(())
}

/// The transitions of a file in the core language, each with its [`Transition::origin`]: one of the text may be several.
pub fn transitions(file: &ast::File) -> impl Iterator<Item = (u16, &ast::Transition)> {
    file.transitions().scan(0_u16, |next, transition| {
        *next += u16::from(transition.part != Part::Further);
        Some((next.saturating_sub(1), transition))
    })
}

/// The first part of each transition of the text; the number of each is its [`Transition::origin`].
fn heads(file: &ast::File) -> impl Iterator<Item = &ast::Transition> {
    transitions(file).map(|it| it.1).filter(|it| it.part != Part::Further)
}

fn names(of: &[Name]) -> String {
    of.iter().map(|it| it.text.as_str()).collect::<Vec<_>>().join(" ")
}

fn unknown<'n>(name: &Name, what: &str, known: impl Iterator<Item = &'n str>) -> Diagnostic {
    let error = Diagnostic::error("C0701", name.span(), format!("{what} `{}`", name.text));
    error.did_you_mean_one_of(&name.text, known, |error| error)
}

/// Whether branches read a variable.
pub fn reads(branches: &[Branch], var: VarId) -> bool {
    branches.iter().flat_map(cells).any(|cell| cell.var == var)
}

fn cells(branch: &Branch) -> impl Iterator<Item = &Cell> {
    let conditions = branch.when.0.iter().flatten().flat_map(Literal::cells);
    branch.value.cells().into_iter().chain(conditions)
}

fn wrong(at: Span, message: String, help: &str) -> Box<Diagnostic> {
    let error = Diagnostic::error("C0701", at, message);
    Box::new(if help.is_empty() { error } else { error.help(help) })
}

/// The parts of a declaration.
pub fn parts(system: &System, origin: u16) -> impl Iterator<Item = &Transition> {
    system.transitions.iter().filter(move |it| it.origin == origin)
}

/// What a cell holds, as a term.
pub fn held(system: &System, cell: Cell) -> Term {
    let ty = system.var(cell.var).ty;
    Term::held(cell, ty)
}
