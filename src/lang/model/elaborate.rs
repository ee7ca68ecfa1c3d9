//! From a syntax tree to a [`System`]: all declarations in file order, collecting messages.

use indexmap::IndexMap;

use super::axioms::Texts;
use super::context::Context;
use super::limits::MAX_TRANSITIONS;
use super::lints;
use super::liveness;
use super::made_of::MadeOf;
use super::symbols::{Symbols, duplicate};
use super::{
    Bad, BadKind, Fairness, Init, Literal, System, SystemParts, Temporal, Transition, VarId, axioms, names,
};
use crate::diagnostic::{Diagnostic, Diagnostics, Span};
use crate::syntax::ast::{self, File, Item, Part, PropertyKind};

/// The meaning of a file in the core language, which was made of a model whose text is `text`, with messages in file order. There is a
/// system iff no message is an error.
pub fn elaborate(file: &File, text: &str, made_of: MadeOf) -> (Option<System>, Vec<Diagnostic>) {
    let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let mut diagnostics = Diagnostics::default();
    let max_procs = number_procs(file, &mut diagnostics);
    let symbols = Symbols::collect(file, made_of.sorts.as_ref(), &mut diagnostics);
    let mut context = Context::new(&symbols, max_procs);
    context.text = text;
    context.diagnostics = diagnostics;
    let mut declared = Declared::default();
    for item in &file.items {
        if context.diagnostics.is_full() || !declared.add(item, &mut context) {
            break;
        }
    }
    declared.missing(file, Span::new(end, end), &mut context);
    let fairness = declared.fairness(&mut context);
    let impossible = declared.impossible();
    let Declared { init, mut bad, transitions, mut temporal, .. } = declared;
    let proc_constants = context.proc_constants;
    let mut diagnostics = std::mem::take(&mut context.diagnostics);
    lints::unused(file, &context, &made_of, init.as_ref(), &transitions, &mut diagnostics);
    let texts = texts(file, &made_of.mentioned, &symbols);
    for bad in bad.iter().filter(|it| it.kind == BadKind::Invariant) {
        // Assumptions are cubes, which say nothing of all processes.
        let notes = transitions.iter().filter(|t| t.span == bad.span);
        let guards = notes.flat_map(|t| t.universals.iter().flat_map(|it| &it.body.0).chain([&t.guard]));
        let note: Vec<VarId> = bad.cube.iter().flat_map(Literal::vars).collect();
        let said = guards.flatten().flat_map(Literal::vars).filter(|var| !note.contains(var));
        let said: Vec<VarId> = said.collect();
        if texts.is_about_parameters(bad.span, &said) {
            let title = "universal quantifier not allowed in an assumption";
            Diagnostic::error("C0301", bad.span, title)
                .label("nothing changes what it is about, so that it would be assumed")
                .help("what never holds is described by some processes: use parameters or `exists`")
                .report(&mut diagnostics);
        }
    }
    let (vars, counts) = (std::mem::take(&mut context.vars), std::mem::take(&mut context.counts));
    let mut diagnostics = diagnostics.into_vec();
    // Nothing is said of declarations that are not in the text.
    diagnostics.retain(|it| it.is_error() || it.primary.span != Span::default());
    tidy(&mut diagnostics);
    let failed = diagnostics.iter().any(Diagnostic::is_error);
    let Some(init) = init.filter(|_| !failed) else { return (None, diagnostics) };
    number(&mut bad, text);
    names::temporal(&mut temporal, text);
    let mut system = SystemParts {
        max_procs,
        proc_constants,
        vars,
        counts,
        init,
        bad,
        transitions,
        impossible,
        temporal,
        fairness,
        families: made_of.families,
        ..symbols.parts.clone()
    };
    axioms::separate(&mut system, &texts);
    let system = System::new(system);
    lints::spare_parameters(&system, &mut diagnostics);
    (Some(system), diagnostics)
}

/// What the text says of invariants and updates.
fn texts(file: &File, mentioned: &[(Span, Vec<String>)], symbols: &Symbols) -> Texts {
    let var = |name: &String| symbols.variable(name);
    Texts {
        mentioned: mentioned
            .iter()
            .map(|(at, names)| (*at, names.iter().filter_map(var).collect()))
            .collect(),
        assigned: file
            .transitions()
            .flat_map(|it| &it.updates)
            .filter_map(|it| var(&it.target.name.text))
            .collect(),
    }
}

/// The meaning of the declarations so far.
#[derive(Default)]
struct Declared<'a> {
    init: Option<Init>,
    bad: Vec<Bad>,
    transitions: Vec<Transition>,
    temporal: Vec<Temporal>,
    /// Transitions may be declared after their fairness.
    fairness: Vec<&'a ast::Fairness>,
    /// Where each name of a property was declared first.
    titles: IndexMap<&'a str, Span>,
    /// How many transitions the file has so far; each may become several in the system.
    origin: u16,
    /// Where each name of a transition was declared first.
    names: IndexMap<&'a str, Span>,
}

impl<'a> Declared<'a> {
    /// Adds a declaration. Returns whether more are accepted.
    fn add(&mut self, item: &'a Item, context: &mut Context<'a>) -> bool {
        match item {
            // In the core language there are no processes that are code.
            Item::NumberProcs(_) | Item::Type(_) | Item::Symbol(_) | Item::Process(_) => {}
            Item::Predicate(predicate) => context.define(predicate),
            Item::Property(property) if property.kind == PropertyKind::Init => {
                let this = context.init(property);
                if let Some(previous) = &self.init {
                    Diagnostic::error("C0110", property.loc.0, "more than one `init`")
                        .also(previous.span, "the first one")
                        .help("join them with `&&`")
                        .report(context);
                } else {
                    self.init = Some(this);
                }
            }
            Item::Property(property) => {
                self.title(property.name.as_ref(), context);
                match property.kind {
                    PropertyKind::Run(kind) => self.temporal.push(context.temporal(property, kind)),
                    _ => self.bad.extend(context.claims(property).into_iter().map(|it| it.0)),
                }
            }
            Item::Fairness(fairness) => self.fairness.push(fairness),
            Item::Transition(transition) => return self.transition(transition, context),
        }
        true
    }

    /// Adds the name of a property: names must be distinct.
    fn title(&mut self, name: Option<&'a ast::Name>, context: &mut Context<'a>) {
        let Some(name) = name else { return };
        if let Some(&previous) = self.titles.get(name.text.as_str()) {
            let free = (2..).map(|number| format!("{name}_{number}"));
            let other =
                free.into_iter().find(|it| !self.titles.contains_key(it.as_str())).unwrap_or_default();
            let error = duplicate("C0103", name, "property", Some(previous));
            error.help(format!("choose another name, such as `{other}`")).mend(other).report(context);
        } else {
            self.titles.insert(&name.text, name.span());
        }
    }

    /// Elaborates fairness, once all transitions are known.
    fn fairness(&self, context: &mut Context<'_>) -> Vec<Fairness> {
        let mut found = Vec::new();
        for decl in &self.fairness {
            if self.names.contains_key(decl.transition.text.as_str()) {
                found.extend(liveness::fairness(decl, &self.transitions));
            } else if !context.diagnostics.is_full() {
                context.unknown_transition(decl, self.names.keys().copied());
            }
        }
        found
    }

    /// The names of transitions that have no part, in file order.
    fn impossible(&self) -> Vec<String> {
        let is_possible = |name: &str| self.transitions.iter().any(|it| it.name == name);
        self.names.keys().filter(|name| !is_possible(name)).map(|name| (*name).to_owned()).collect()
    }

    fn transition(&mut self, transition: &'a ast::Transition, context: &mut Context<'a>) -> bool {
        let name = &transition.name;
        if transition.part == Part::Further {
            self.names.entry(&name.text).or_insert(name.span());
            self.transitions.extend(context.transition(transition, self.origin.saturating_sub(1)));
            return self.room(name, context);
        }
        let previous = self.names.get(name.text.as_str()).filter(|it| **it != name.span());
        if let Some(&previous) = previous {
            let message = format!("transition `{}` is already declared", name.text);
            Diagnostic::warning("C0912", name.span(), message)
                .label("traces will not tell them apart")
                .also(previous, "declared here too")
                .report(context);
        } else {
            self.names.insert(&name.text, name.span());
        }
        self.transitions.extend(context.transition(transition, self.origin));
        let room = self.room(name, context);
        self.origin += u16::from(room);
        room
    }

    /// Whether there may be more transitions.
    fn room(&self, name: &ast::Name, context: &mut Context<'_>) -> bool {
        if usize::from(self.origin) >= MAX_TRANSITIONS || self.transitions.len() > MAX_TRANSITIONS {
            let message = format!("more than {MAX_TRANSITIONS} transitions");
            return Diagnostic::error("C0501", name.span(), message).refuse(context);
        }
        true
    }

    /// Reports the declarations that every model needs and this one lacks.
    fn missing(&self, file: &File, end: Span, context: &mut Context<'_>) {
        let says = |kind| file.properties().any(|it| it.kind == kind);
        let is_full = context.diagnostics.is_full();
        if self.init.is_none() && !is_full && !file.damage.init && !says(PropertyKind::Init) {
            Diagnostic::error("C0110", end, "no `init` declaration")
                .label("the file ends here")
                .help("every model says what its initial states are: `init (z) { .. }`")
                .report(context);
        }
        let silent = self.bad.is_empty() && self.temporal.is_empty();
        if silent && !file.damage.bad && !says(PropertyKind::Unsafe) {
            Diagnostic::warning("C0913", end, "no `unsafe` declaration")
                .label("nothing is checked: any model is safe")
                .help("say what must not happen: `unsafe (p q) { .. }`; `--only-forward --deadlock` looks for states that are stuck")
                .report(context);
        }
    }
}

fn number_procs(file: &File, out: &mut Diagnostics) -> Option<u32> {
    let mut bound = None;
    let mut first: Option<Span> = None;
    for item in &file.items {
        let Item::NumberProcs(decl) = item else { continue };
        if let Some(first) = first {
            Diagnostic::error("C0110", decl.loc.0, "more than one `number_procs`")
                .also(first, "the first one")
                .report(out);
        }
        first = first.or(Some(decl.loc.0));
        match decl.count.text.parse::<u32>() {
            Ok(count) if count >= 1 => bound = bound.or(Some(count)),
            _ => Diagnostic::error("C0111", decl.count.loc.0, format!("`number_procs` {}", decl.count.text))
                .label(format!("must be between 1 and {}", u32::MAX))
                .help("leave it out for any number of processes")
                .report(out),
        }
    }
    bound
}

/// Messages in file order, each once.
pub(super) fn tidy(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by_cached_key(|it| (it.primary.span, it.code, it.message.clone(), it.secondary.clone()));
    diagnostics
        .dedup_by(|b, a| a.primary.span == b.primary.span && a.code == b.code && a.message == b.message);
}

/// Numbers bad cubes from 1, invariants first, and names them.
fn number(bad: &mut [Bad], text: &str) {
    bad.sort_by_key(|b| b.kind != BadKind::Invariant);
    for (bad, number) in bad.iter_mut().zip(1..) {
        bad.number = number;
    }
    names::properties(bad, text);
}
