//! What is known about a name: its declaration, the values that it holds, what reads and what writes it.

use cubicle_lang::index::{NameKind, NamedSymbol, Role, Use};
use cubicle_lang::model::{System, Type};
use cubicle_lang::syntax::ast::Item;
use serde_json::{Value, json};

use super::document::OpenModel;
use super::outline::word;
use super::transport::RequestError;

/// `textDocument/hover`.
pub fn hover(_: &str, document: &OpenModel, params: &Value) -> Result<Value, RequestError> {
    let Some(this) = document.name_at(document.offset(&params["position"])?) else { return Ok(Value::Null) };
    let symbol = &document.analysis().index.symbols[this.symbol];
    let mut parts = vec![format!("```cub\n{}\n```", declaration(document, symbol))];
    parts.extend(document.analysis().system.as_ref().and_then(|system| values(system, symbol)));
    match symbol.kind {
        NameKind::Transition | NameKind::Predicate => parts.extend(touched(document, symbol)),
        NameKind::Process | NameKind::Argument | NameKind::Abbreviation => {}
        _ => parts.extend(users(document, this.symbol)),
    }
    let value = parts.join("\n\n");
    Ok(json!({ "contents": { "kind": "markdown", "value": value }, "range": document.range(this.span) }))
}

/// How something is declared, in a line.
fn declaration(document: &OpenModel, symbol: &NamedSymbol) -> String {
    let item = &document.analysis().file.items[symbol.item];
    let owner = || owner(document, item);
    match symbol.kind {
        NameKind::Process => format!("{} : proc (of {})", symbol.name, owner()),
        NameKind::Argument => format!("{} (argument of {})", symbol.name, owner()),
        NameKind::Abbreviation => format!("let {} (in {})", symbol.name, owner()),
        NameKind::Constructor => format!("{} : {}", symbol.name, symbol.ty.as_deref().unwrap_or("?")),
        _ => match item {
            Item::Type(_) | Item::Symbol(_) => item.to_string(),
            Item::Predicate(it) => {
                let params: Vec<&str> = it.params.iter().map(|name| name.text.as_str()).collect();
                format!("predicate {} ({}) {{ {} }}", it.name, params.join(", "), it.body)
            }
            Item::Transition(it) => {
                let params: Vec<&str> = it.params.iter().map(|name| name.text.as_str()).collect();
                format!("transition {} ({})", it.name, params.join(" "))
            }
            Item::Property(it) => format!("{} {}", word(it.kind), symbol.name),
            Item::Temporal(it) => format!("{} {}", it.kind.word(), symbol.name),
            Item::Fairness(_) | Item::NumberProcs(_) => symbol.name.clone(),
        },
    }
}

/// A declaration by its name, or its line.
fn owner(document: &OpenModel, item: &Item) -> String {
    match item {
        Item::Property(it) => format!("{} at line {}", word(it.kind), document.line(it.loc.0.start)),
        Item::Temporal(it) => format!("{} at line {}", it.kind.word(), document.line(it.loc.0.start)),
        Item::Fairness(it) => format!("fairness at line {}", document.line(it.loc.0.start)),
        Item::Predicate(it) => it.name.text.clone(),
        Item::Transition(it) => it.name.text.clone(),
        Item::Type(it) => it.name.text.clone(),
        Item::Symbol(it) => it.name.text.clone(),
        Item::NumberProcs(_) => "number_procs".to_owned(),
    }
}

/// The values that the cells of a variable can hold, where the analysis of ranges says more than its type.
fn values(system: &System, symbol: &NamedSymbol) -> Option<String> {
    let is_variable = matches!(symbol.kind, NameKind::Global | NameKind::Const | NameKind::Array);
    let var = system.vars.iter().find(|var| is_variable && var.name == symbol.name)?;
    let Type::Enum(id) = var.ty else { return None };
    let decl = &system.enums[usize::from(id.0)];
    let (held, never): (Vec<_>, Vec<_>) =
        decl.constructors.iter().enumerate().partition(|(number, _)| var.range >> number & 1 == 1);
    let list = |names: &[(usize, &String)]| {
        names.iter().map(|(_, name)| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    };
    Some(match never.as_slice() {
        [] => format!("Holds {}.", list(&held)),
        never => format!("Holds {}; never {}.", list(&held), list(never)),
    })
}

/// What reads and what writes something.
fn users(document: &OpenModel, symbol: usize) -> Vec<String> {
    let analysis = document.analysis();
    let list = |role: Role| {
        let mut names: Vec<String> = Vec::new();
        for this in analysis.index.uses_of(symbol).filter(|it| it.role == role) {
            let name = format!("`{}`", owner(document, &analysis.file.items[this.item]));
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.join(", ")
    };
    lines(&list(Role::Read), &list(Role::Write), ["Read by", "Written by"])
}

/// What a transition or predicate reads and writes.
fn touched(document: &OpenModel, symbol: &NamedSymbol) -> Vec<String> {
    let index = &document.analysis().index;
    let list = |role: Role| {
        let mut names: Vec<String> = Vec::new();
        let here = |it: &&Use| it.item == symbol.item && it.role == role;
        for this in index.uses.iter().filter(here) {
            let used = &index.symbols[this.symbol];
            let name = format!("`{}`", used.name);
            let is_state = matches!(used.kind, NameKind::Global | NameKind::Array | NameKind::Const);
            if is_state && !names.contains(&name) {
                names.push(name);
            }
        }
        names.join(", ")
    };
    lines(&list(Role::Read), &list(Role::Write), ["Reads", "Writes"])
}

fn lines(read: &str, written: &str, words: [&str; 2]) -> Vec<String> {
    let line = |word: &str, names: &str| (!names.is_empty()).then(|| format!("{word} {names}."));
    [line(words[0], read), line(words[1], written)].into_iter().flatten().collect()
}
