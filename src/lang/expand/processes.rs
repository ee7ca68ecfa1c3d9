//! Processes that are written as code, in terms of arrays and transitions.
//!
//! `process worker (p) { .. }` becomes an array `Worker` that holds the label at which each process is, an array for each `local` cell, what
//! these hold in the beginning, and for each label the transitions that lead from there to the next labels (`code`): one for each path.

use std::borrow::Cow;

use indexmap::IndexMap;

use super::code::{Code, DONE};
use super::make::{all, free, words_of};
use super::substitute::in_term;
use crate::diagnostic::Diagnostic;
use crate::syntax::Reads;
use crate::syntax::ast::{
    Comparison, Expr, ExprKind, File, Item, Loc, Name, Part, Path, ProcessDecl, Property, PropertyKind,
    Quantifier, SymbolDecl, SymbolKind, Term, Transition, TypeDecl, capital,
};

/// The name of a process where its code does not give it one.
const ITSELF: &str = "self";

/// The file without processes that are code. What is wrong with these is added to `diagnostics`.
pub fn without_processes<'f>(file: &'f File, diagnostics: &mut Vec<Diagnostic>) -> Cow<'f, File> {
    let processes: Vec<&ProcessDecl> = file.processes().collect();
    if processes.is_empty() {
        return Cow::Borrowed(file);
    }
    for (at, process) in processes.iter().enumerate() {
        let sort = |it: &ProcessDecl| it.params.first().and_then(|it| it.sort.clone()).map(|it| it.text);
        if let Some(other) = processes[..at].iter().find(|it| sort(it) == sort(process)) {
            let message = format!("`{}` and `{}` are code of the same processes", other.name, process.name);
            Diagnostic::error("C0723", process.name.span(), message)
                .label("each process would execute both")
                .also(other.name.span(), "the other one")
                .help("declare a sort for each, `type reader < proc`, and name it: `process read (p : reader) { .. }`")
                .report(diagnostics);
        }
    }
    report_known_names(file, &processes, diagnostics);
    let predicates = Reads::of_predicates(file);
    let (mut declared, mut initially) = (Vec::new(), Vec::new());
    let mut rest: Vec<Item> = Vec::new();
    for item in &file.items {
        match item {
            Item::Process(process) => {
                let (begins, transitions) = made(process, file, &predicates, &mut declared, diagnostics);
                initially.push(begins);
                rest.extend(transitions.into_iter().map(Item::Transition));
            }
            _ => rest.push(item.clone()),
        }
    }
    set_initially(file, &mut rest, initially, processes[0].loc);
    // The order of a file: its types, then its variables.
    let early =
        rest.iter().position(|it| !matches!(it, Item::NumberProcs(_) | Item::Type(_) | Item::Symbol(_)));
    rest.splice(early.unwrap_or(rest.len())..early.unwrap_or(rest.len()), declared);
    Cow::Owned(File { items: rest, damage: file.damage.clone() })
}

/// Reports labels, own cells and processes whose names, with a capital letter, are declared elsewhere.
fn report_known_names(file: &File, processes: &[&ProcessDecl], diagnostics: &mut Vec<Diagnostic>) {
    let mut known: IndexMap<String, &Name> = IndexMap::new();
    for item in &file.items {
        let names = match item {
            Item::Type(decl) => decl.constructors.iter().flatten().collect(),
            Item::Symbol(decl) => vec![&decl.name],
            _ => Vec::new(),
        };
        known.extend(names.into_iter().map(|it| (it.text.clone(), it)));
    }
    for process in processes {
        let labels = process.labels().map(|it| (it, "label"));
        let own = process.locals().map(|it| (&it.name, "local cell"));
        for (name, what) in std::iter::once((&process.name, "process")).chain(own).chain(labels) {
            let raised = capital(&name.text);
            // A label that stands twice is another error.
            let twice =
                |it: &&Name| what == "label" && process.labels().any(|label| label.span() == it.span());
            if let Some(other) = known.get(&raised).filter(|it| !twice(it)) {
                Diagnostic::error("C0721", name.span(), format!("`{raised}` is declared already"))
                    .label(format!("outside of the code, this {what} is `{raised}`"))
                    .also(other.span(), "declared here")
                    .help("choose another name")
                    .report(diagnostics);
            } else {
                known.insert(raised, name);
            }
        }
    }
}

/// Adds to `init` where processes begin.
fn set_initially(file: &File, items: &mut Vec<Item>, initially: Vec<Initially>, loc: Loc) {
    let is_init = |it: &Item| matches!(it, Item::Property(it) if it.kind == PropertyKind::Init);
    if !items.iter().any(is_init) && !file.damage.init {
        let body = Expr::leaf(ExprKind::Bool(true), loc.0);
        items.push(Item::Property(Property::new(PropertyKind::Init, None, body, loc)));
    }
    for item in items.iter_mut() {
        let Item::Property(init) = item else { continue };
        if init.kind != PropertyKind::Init {
            continue;
        }
        let at = init.body.span;
        let mut parts = vec![init.body.clone()];
        for it in &initially {
            let own = init.params.first().filter(|param| param.sort.is_none() && it.itself.sort.is_none());
            let name = own.map_or_else(|| it.itself.clone(), |it| Name { loc: Loc(at), ..it.clone() });
            let plain = name.plain();
            let given = IndexMap::from([(it.itself.text.clone(), Term::name(plain.clone()))]);
            let holds = it.values.iter().map(|(array, value)| {
                let cell = Path::cell(array.clone(), vec![plain.clone()]);
                let value = in_term(value, &given);
                Expr::compare(Term::path(cell, array.loc), Comparison::Eq, value, array.span())
            });
            let holds = all(holds.collect(), at);
            parts.push(if own.is_some() {
                holds
            } else {
                Expr::quantified(Quantifier::Forall, vec![name], holds, at)
            });
        }
        // Each conjunct by itself: with sorts, it is about those that it mentions.
        init.body = all(parts, at);
    }
}

/// What own cells hold in the beginning.
struct Initially {
    /// How the values name the process, with its sort.
    itself: Name,
    /// The arrays, and the values.
    values: Vec<(Name, Term)>,
}

/// What a process becomes: declarations, what its cells hold in the beginning, and transitions.
fn made(
    process: &ProcessDecl,
    file: &File,
    predicates: &IndexMap<String, Reads>,
    declared: &mut Vec<Item>,
    diagnostics: &mut Vec<Diagnostic>,
) -> (Initially, Vec<Transition>) {
    let name = &process.name;
    let itself = process.params.first().cloned().unwrap_or_else(|| Name::at(ITSELF, name.loc));
    if let Some(second) = process.params.get(1) {
        Diagnostic::error("C0721", second.span(), "a process has one name for itself")
            .label("a second one")
            .help("choose another process where it is needed: `with q { .. }`")
            .report(diagnostics);
    }
    let is_type = |text: &str| file.types().any(|it| it.name.text == text);
    let labels_type = free(format!("{name}_label"), is_type);
    let index = vec![itself.sort.as_deref().cloned().unwrap_or_else(|| Name::at("proc", name.loc))];
    let place = Name::at(capital(&name.text), name.loc);
    let mut own = vec![];
    let mut values = Vec::new();
    for cell in process.locals() {
        let array = Name::at(capital(&cell.name.text), cell.name.loc);
        if let Some(value) = &cell.start {
            values.push((array.clone(), value.clone()));
        }
        own.push((cell.name.text.clone(), array.clone()));
    }
    let mut code = Code::new(process, &itself, &place, &own, predicates, diagnostics);
    code.read();
    code.ends |= names_the_end(file);
    let (labels, steps) = (code.labels(), code.steps);
    if let Some(first) = labels.first() {
        values.push((place.clone(), Term::named(capital(&first.text), place.loc)));
    }
    let constructors: Vec<Name> = labels.iter().map(|it| Name::at(capital(&it.text), it.loc)).collect();
    let mut labels_type = Name::at(labels_type, name.loc);
    // The label of the end is that of all codes, whose labels are of one type then.
    let shared = declared.iter_mut().find_map(|it| match it {
        Item::Type(TypeDecl { name, constructors: Some(known), .. }) => {
            let end = known.last().filter(|it| it.text == capital(DONE))?.text.clone();
            constructors.iter().any(|it| it.text == end).then_some((name, known))
        }
        _ => None,
    });
    if let Some((ty, known)) = shared {
        known.pop();
        known.extend(constructors);
        labels_type = ty.clone();
    } else {
        let constructors = Some(constructors);
        declared.push(Item::Type(TypeDecl { constructors, ..TypeDecl::new(labels_type.clone(), name.loc) }));
    }
    let array = |name: &Name, ty, range| {
        let (kind, loc) = (SymbolKind::Array(index.clone()), name.loc);
        Item::Symbol(SymbolDecl { range, ..SymbolDecl::new(kind, name.clone(), (ty, None), loc) })
    };
    // Nothing is said of a place that never changes.
    declared.push(array(&Name { loc: Loc::default(), ..place.clone() }, labels_type, None));
    let locals = process.locals().zip(&own);
    declared.extend(locals.map(|(cell, (_, name))| array(name, cell.ty.clone(), cell.range.clone())));
    let transitions = steps.into_iter().flat_map(parts).collect();
    (Initially { itself, values }, transitions)
}

/// Whether declarations name the label of the end of a code, and no other value or variable has this name.
fn names_the_end(file: &File) -> bool {
    let end = capital(DONE);
    let is_end = |it: &Name| capital(&it.text) == end;
    let is_declared = file.items.iter().any(|it| match it {
        Item::Type(it) => it.constructors.iter().flatten().any(is_end),
        Item::Symbol(it) => is_end(&it.name),
        Item::Process(it) => it.labels().any(is_end),
        _ => false,
    });
    !is_declared && file.items.iter().any(|it| words_of(it).contains(&end))
}

/// The transitions of a label: all that choose the same processes are one declaration in several parts.
fn parts(paths: Vec<Transition>) -> Vec<Transition> {
    let mut groups: Vec<Vec<Transition>> = Vec::new();
    for path in paths {
        match groups.iter_mut().find(|it| it[0].params == path.params) {
            Some(group) if !group.contains(&path) => group.push(path),
            Some(_) => {}
            None => groups.push(vec![path]),
        }
    }
    for group in &mut groups {
        let several = group.len() > 1;
        for (at, path) in group.iter_mut().enumerate() {
            path.part = match at {
                0 if several => Part::First,
                0 => Part::Whole,
                _ => Part::Further,
            };
        }
    }
    groups.into_iter().flatten().collect()
}
