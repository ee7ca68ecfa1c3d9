//! Processes that are written as code, in terms of arrays and transitions.
//!
//! `process worker (p) { .. }` becomes an array `Worker` that holds the label at which each process is, an array for each `local` cell, what
//! these hold in the beginning, and for each label the transitions that lead from there to the next labels (`code`): one for each path.

use std::borrow::Cow;

use indexmap::IndexMap;

use super::code::Code;
use super::make::all;
use super::substitute::in_term;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::syntax::ast::{
    Base, Comparison, Expr, ExprKind, File, Item, Loc, Name, Part, Predicate, ProcessDecl, Property, PropertyKind,
    Quantifier, SymbolDecl, SymbolKind, Term, Transition, TypeDecl, Wording, capital,
};

/// The name of a process where its code does not give it one.
const ITSELF: &str = "self";

/// The file without processes that are code, and what is wrong with these.
pub fn without_processes(file: &File) -> (Cow<'_, File>, Vec<Diagnostic>) {
    let mut diagnostics = Diagnostics::default();
    let processes = file.items.iter().filter_map(|it| if let Item::Process(it) = it { Some(it) } else { None });
    let processes: Vec<&ProcessDecl> = processes.collect();
    if processes.is_empty() {
        return (Cow::Borrowed(file), Vec::new());
    }
    for (at, process) in processes.iter().enumerate() {
        let sort = |it: &ProcessDecl| it.params.first().and_then(|it| it.sort.clone()).map(|it| it.text);
        if let Some(other) = processes[..at].iter().find(|it| sort(it) == sort(process)) {
            let message = format!("`{}` and `{}` are code of the same processes", other.name, process.name);
            Diagnostic::error("C0723", process.name.span(), message)
                .label("each process would execute both")
                .also(other.name.span(), "the other one")
                .help("declare a sort for each, `type reader < proc`, and name it: `process read (p : reader) { .. }`")
                .report(&mut diagnostics);
        }
    }
    let mut predicates: IndexMap<&str, &Predicate> = IndexMap::new();
    let (mut declared, mut initially) = (Vec::new(), Vec::new());
    let mut rest: Vec<Item> = Vec::new();
    for item in &file.items {
        match item {
            Item::Process(process) => {
                let made = Made::of(process, file, &predicates, &mut diagnostics);
                declared.extend(made.declared);
                initially.extend(made.initially);
                rest.extend(made.transitions.into_iter().map(Item::Transition));
            }
            Item::Predicate(predicate) => {
                predicates.entry(&predicate.name.text).or_insert(predicate);
                rest.push(item.clone());
            }
            _ => rest.push(item.clone()),
        }
    }
    set_initially(file, &mut rest, initially, processes[0].loc);
    // The order of a file: its types, then its variables.
    let early = rest.iter().position(|it| !matches!(it, Item::NumberProcs(_) | Item::Type(_) | Item::Symbol(_)));
    rest.splice(early.unwrap_or(rest.len())..early.unwrap_or(rest.len()), declared);
    (Cow::Owned(File { items: rest, damage: file.damage.clone() }), diagnostics.into_vec())
}

/// Adds to `init` where processes begin.
fn set_initially(file: &File, items: &mut Vec<Item>, initially: Vec<Initially>, loc: Loc) {
    let is_init = |it: &Item| matches!(it, Item::Property(it) if it.kind == PropertyKind::Init);
    if !items.iter().any(is_init) && !file.damage.init {
        let body = Expr::leaf(ExprKind::Bool(true), loc.0);
        let (kind, wording) = (PropertyKind::Init, Wording::Kind);
        items.push(Item::Property(Property { kind, wording, name: None, params: Vec::new(), body, loc }));
    }
    for item in items.iter_mut() {
        let Item::Property(init) = item else { continue };
        if init.kind != PropertyKind::Init {
            continue;
        }
        let at = init.body.span;
        let mut parts = vec![init.body.clone()];
        for it in &initially {
            let own = init.params.first().filter(|param| param.sort.is_none() && it.sort.is_none());
            let name = own.map_or_else(|| Name::at(format!("any_{}", it.array), it.loc), Clone::clone);
            let cell = Base::Cell { array: Name::at(&it.array, it.loc), index: vec![name.clone()] };
            let given = IndexMap::from([(it.itself.clone(), Term::name(name.clone()))]);
            let value = in_term(&it.value, &given);
            let holds = Expr::compare(Term::base(cell, it.loc), Comparison::Eq, value, it.loc.0);
            parts.push(if own.is_some() {
                holds
            } else {
                let vars = vec![Name { sort: it.sort.clone(), ..name }];
                let (quantifier, body) = (Quantifier::Forall, Box::new(holds));
                Expr::new(ExprKind::Quantified { quantifier, vars, body }, it.loc.0)
            });
        }
        // Each conjunct by itself: with sorts, it is about those that it mentions.
        init.body = all(parts, at);
    }
}

/// The value of an own cell in the beginning.
struct Initially {
    array: String,
    sort: Option<Box<Name>>,
    /// How the value names the process.
    itself: String,
    value: Term,
    loc: Loc,
}

/// What a process becomes.
struct Made {
    declared: Vec<Item>,
    initially: Vec<Initially>,
    transitions: Vec<Transition>,
}

impl Made {
    fn of(
        process: &ProcessDecl,
        file: &File,
        predicates: &IndexMap<&str, &Predicate>,
        diagnostics: &mut Diagnostics,
    ) -> Self {
        let name = &process.name;
        let itself = process.params.first().cloned().unwrap_or_else(|| Name::at(ITSELF, name.loc));
        if let Some(second) = process.params.get(1) {
            Diagnostic::error("C0721", second.span(), "a process has one name for itself")
                .label("a second one")
                .help("choose another process where it is needed: `with q { .. }`")
                .report(diagnostics);
        }
        let is_type = |text: &str| file.items.iter().any(|it| matches!(it, Item::Type(it) if it.name.text == text));
        let mut labels_type = format!("{name}_label");
        while is_type(&labels_type) {
            labels_type.push('_');
        }
        let index = vec![itself.sort.as_deref().cloned().unwrap_or_else(|| Name::at("proc", name.loc))];
        let place = Name::at(capital(&name.text), name.loc);
        let mut own = vec![];
        let mut initially = Vec::new();
        let mut starts = |array: &Name, value: Term| {
            let (sort, itself) = (itself.sort.clone(), itself.text.clone());
            initially.push(Initially { array: array.text.clone(), sort, itself, value, loc: array.loc });
        };
        for cell in process.locals() {
            let array = Name::at(capital(&cell.name.text), cell.name.loc);
            if let Some(value) = &cell.start {
                starts(&array, value.clone());
            }
            own.push((cell.name.text.clone(), array.clone()));
        }
        let mut code = Code::new(process, &itself, &place, &own, predicates, diagnostics);
        code.read();
        let (labels, steps) = (code.labels(), code.steps);
        if let Some(first) = labels.first() {
            starts(&place, Term::named(capital(&first.text), place.loc));
        }
        let constructors = labels.iter().map(|it| Name::at(capital(&it.text), it.loc)).collect();
        let labels_type = Name::at(labels_type, name.loc);
        let mut declared = vec![Item::Type(TypeDecl {
            constructors: Some(constructors),
            ..TypeDecl::new(labels_type.clone(), name.loc)
        })];
        let array = |name: &Name, ty, range| {
            let (kind, loc) = (SymbolKind::Array(index.clone()), name.loc);
            Item::Symbol(SymbolDecl { range, ..SymbolDecl::new(kind, name.clone(), (ty, None), loc) })
        };
        declared.push(array(&place, labels_type, None));
        for (cell, (_, name)) in process.locals().zip(&own) {
            declared.push(array(name, cell.ty.clone(), cell.range.clone()));
        }
        let transitions = steps.into_iter().flat_map(parts).collect();
        Self { declared, initially, transitions }
    }
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
