//! What is known about a name: its declaration, the values that it holds, what reads and what writes it, and the other places of its
//! declaration.

use cubicle_lang::index;
use cubicle_lang::index::{NameKind, NamedSymbol, Role, Use};
use cubicle_lang::list::add_new;
use cubicle_lang::model::{System, Type};
use cubicle_lang::syntax::ast::Item;
use serde_json::{Value, json};

use super::document::OpenModel;
use crate::rpc::RequestError;

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
            Item::Property(it) => format!("{} {}", it.word(), symbol.name),
            Item::Process(it) => format!("{} (of process {})", symbol.name, it.name),
            Item::Fairness(_) | Item::NumberProcs(_) => symbol.name.clone(),
        },
    }
}

/// A declaration by its name, or its line.
fn owner(document: &OpenModel, item: &Item) -> String {
    match item {
        Item::Property(it) => format!("{} at line {}", it.word(), document.line(it.loc.0.start)),
        Item::Fairness(it) => format!("fairness at line {}", document.line(it.loc.0.start)),
        Item::Predicate(it) => it.name.text.clone(),
        Item::Transition(it) => it.name.text.clone(),
        Item::Process(it) => it.name.text.clone(),
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
    let items = &document.analysis().file.items;
    let name = |it: &Use| (it.symbol == symbol).then(|| owner(document, &items[it.item]));
    listed(document, ["Read by", "Written by"], name)
}

/// What a transition or predicate reads and writes.
fn touched(document: &OpenModel, symbol: &NamedSymbol) -> Vec<String> {
    listed(document, ["Reads", "Writes"], |usage| {
        let used = &document.analysis().index.symbols[usage.symbol];
        let is_state = matches!(used.kind, NameKind::Global | NameKind::Array | NameKind::Const);
        (usage.item == symbol.item && is_state).then(|| used.name.clone())
    })
}

/// The names of reading and of writing uses, a line each that begins with one of `words`.
fn listed(document: &OpenModel, words: [&str; 2], name: impl Fn(&Use) -> Option<String>) -> Vec<String> {
    let line = |(role, word)| {
        let uses = document.analysis().index.uses.iter().filter(|it| it.role == role);
        let mut names: Vec<String> = Vec::new();
        for name in uses.filter_map(&name).map(|name| format!("`{name}`")) {
            add_new(&mut names, name);
        }
        (!names.is_empty()).then(|| format!("{word} {}.", names.join(", ")))
    };
    [Role::Read, Role::Write].into_iter().zip(words).filter_map(line).collect()
}

/// The name that a request is about.
fn name(document: &OpenModel, params: &Value) -> Result<Option<Use>, RequestError> {
    Ok(document.name_at(document.offset(&params["position"])?))
}

/// `textDocument/definition`.
pub fn definition(uri: &str, document: &OpenModel, params: &Value) -> Result<Value, RequestError> {
    let Some(this) = name(document, params)? else { return Ok(Value::Null) };
    let symbol = &document.analysis().index.symbols[this.symbol];
    Ok(json!({ "uri": uri, "range": document.range(symbol.definition) }))
}

/// `textDocument/references`.
pub fn references(uri: &str, document: &OpenModel, params: &Value) -> Result<Value, RequestError> {
    let Some(this) = name(document, params)? else { return Ok(json!([])) };
    let wanted = |it: &&Use| it.role != Role::Definition || params["context"]["includeDeclaration"] != false;
    let uses = document.analysis().index.uses_of(this.symbol).filter(wanted);
    Ok(uses.map(|it| json!({ "uri": uri, "range": document.range(it.span) })).collect())
}

/// `textDocument/documentHighlight`.
pub fn highlight(_: &str, document: &OpenModel, params: &Value) -> Result<Value, RequestError> {
    let Some(this) = name(document, params)? else { return Ok(json!([])) };
    let kind = |role| if role == Role::Read { 2 } else { 3 };
    let uses = document.analysis().index.uses_of(this.symbol);
    Ok(uses.map(|it| json!({ "range": document.range(it.span), "kind": kind(it.role) })).collect())
}

/// `textDocument/prepareRename`.
pub fn prepare_rename(_: &str, document: &OpenModel, params: &Value) -> Result<Value, RequestError> {
    let Some(this) = name(document, params)? else { return Ok(Value::Null) };
    Ok(json!({ "range": document.range(this.span), "placeholder": document.source(this.span) }))
}

/// `textDocument/rename`.
pub fn rename(uri: &str, document: &OpenModel, params: &Value) -> Result<Value, RequestError> {
    let offset = document.offset(&params["position"])?;
    let new = params["newName"].as_str().ok_or_else(|| RequestError::params("newName"))?;
    let places = index::rename(&document.text, offset, new)
        .map_err(|denied| RequestError::new(RequestError::FAILED, denied.to_string()))?;
    let edits: Value = places
        .iter()
        .map(|(place, new)| json!({ "range": document.range(*place), "newText": new }))
        .collect();
    Ok(json!({ "changes": { uri: edits } }))
}
