//! The declarations of a model, as a tree; what each name is, for colours: the semantic tokens of the protocol.

use cubicle_lang::diagnostic::Span;
use cubicle_lang::index::{NameKind, NamedSymbol, Role, Use};
use cubicle_lang::syntax::ast::{Item, Name, PropertyKind, SymbolKind};
use serde_json::{Value, json};

use super::document::OpenModel;
use crate::rpc::RequestError;

/// `textDocument/documentSymbol`.
pub fn symbols(_: &str, document: &OpenModel, _: &Value) -> Result<Value, RequestError> {
    let items = &document.analysis().file.items;
    Ok(items.iter().filter_map(|item| symbol(document, item)).collect())
}

/// The protocol's numbers for kinds of symbols.
mod kind {
    pub const METHOD: u8 = 6;
    pub const ENUM: u8 = 10;
    pub const FUNCTION: u8 = 12;
    pub const VARIABLE: u8 = 13;
    pub const CONSTANT: u8 = 14;
    pub const ARRAY: u8 = 18;
    pub const ENUM_MEMBER: u8 = 22;
    pub const EVENT: u8 = 24;
}

fn symbol(document: &OpenModel, item: &Item) -> Option<Value> {
    let named = |name: &Name, kind: u8, detail: String| (name.text.clone(), name.span(), kind, detail);
    let child = |name: &Name, kind: u8| {
        let range = document.range(name.span());
        json!({ "name": name.text, "kind": kind, "range": range, "selectionRange": range })
    };
    let mut children = Vec::new();
    let (name, place, kind, detail) = match item {
        Item::NumberProcs(_) | Item::Fairness(_) => return None,
        Item::Type(decl) => {
            let constructors = decl.constructors.iter().flatten();
            children.extend(constructors.map(|name| child(name, kind::ENUM_MEMBER)));
            named(&decl.name, kind::ENUM, String::new())
        }
        Item::Symbol(decl) => {
            let kind = match decl.kind {
                SymbolKind::Var => kind::VARIABLE,
                SymbolKind::Const | SymbolKind::Number(_) => kind::CONSTANT,
                SymbolKind::Array(_)
                | SymbolKind::Channel(_)
                | SymbolKind::Relation(_)
                | SymbolKind::Witness(..)
                | SymbolKind::Total(_) => kind::ARRAY,
            };
            named(&decl.name, kind, decl.ty.text.clone())
        }
        Item::Predicate(predicate) => named(&predicate.name, kind::FUNCTION, String::new()),
        Item::Transition(transition) => {
            let params: Vec<&str> = transition.params.iter().map(|it| it.text.as_str()).collect();
            named(&transition.name, kind::METHOD, format!("({})", params.join(" ")))
        }
        Item::Process(process) => {
            children.extend(process.labels().map(|label| child(label, kind::METHOD)));
            named(&process.name, kind::FUNCTION, String::new())
        }
        Item::Property(property) => {
            let (word, start) = (property.kind.word(), property.loc.0.start);
            let name = match (&property.name, property.kind) {
                (Some(name), _) => name.text.clone(),
                (None, PropertyKind::Init) => word.to_owned(),
                (None, _) => format!("{word} at line {}", document.line(start)),
            };
            let of_runs = matches!(property.kind, PropertyKind::Run(_));
            let detail = if of_runs { word } else { "" };
            (name, Span::new(start, start + word.len() as u32), kind::EVENT, detail.to_owned())
        }
    };
    Some(json!({
        "name": name,
        "detail": detail,
        "kind": kind,
        "range": document.range(item.span()),
        "selectionRange": document.range(place),
        "children": children,
    }))
}

/// Kinds of tokens, by their numbers in an answer.
const TYPES: [&str; 9] =
    ["type", "enum", "struct", "enumMember", "variable", "property", "parameter", "function", "macro"];

/// Their modifiers, by their bits: a definition, a constant, an assignment, a channel.
const MODIFIERS: [&str; 4] = ["definition", "readonly", "modification", "async"];

/// What the server says of itself.
pub fn provider() -> Value {
    json!({ "legend": { "tokenTypes": TYPES, "tokenModifiers": MODIFIERS }, "full": true })
}

/// `textDocument/semanticTokens/full`.
pub fn tokens(_: &str, document: &OpenModel, _: &Value) -> Result<Value, RequestError> {
    let index = &document.analysis().index;
    let mut data = Vec::new();
    let (mut line, mut column) = (0, 0);
    for this in &index.uses {
        let range = document.range(this.span);
        let number = |place: &str, what: &str| range[place][what].as_u64().unwrap_or_default();
        let (here, start) = (number("start", "line"), number("start", "character"));
        let length = number("end", "character").saturating_sub(start);
        // A name is in one line; two tokens never overlap.
        if number("end", "line") != here || length == 0 || (here, start) < (line, column) {
            continue;
        }
        let from = if here == line { column } else { 0 };
        let (kind, modifiers) = token(document, &index.symbols[this.symbol], this);
        data.extend([here - line, start - from, length, kind, modifiers]);
        (line, column) = (here, start);
    }
    Ok(json!({ "data": data }))
}

/// The number of the kind of a name, and its modifiers.
fn token(document: &OpenModel, symbol: &NamedSymbol, this: &Use) -> (u64, u64) {
    let item = &document.analysis().file.items[symbol.item];
    let kind = match (symbol.kind, item) {
        (NameKind::Type, Item::Type(it)) if it.fields.is_some() => "struct",
        (NameKind::Type, Item::Type(it)) if it.constructors.is_some() => "enum",
        (NameKind::Type, _) => "type",
        (NameKind::Constructor, _) => "enumMember",
        (NameKind::Global | NameKind::Const | NameKind::Array, _) => "variable",
        (NameKind::Field, _) => "property",
        (NameKind::Process | NameKind::Argument | NameKind::Abbreviation, _) => "parameter",
        (NameKind::Transition | NameKind::Property, _) => "function",
        (NameKind::Predicate, _) => "macro",
    };
    let is_channel = matches!(item, Item::Symbol(it) if matches!(it.kind, SymbolKind::Channel(_)));
    let modifiers = [
        this.role == Role::Definition,
        symbol.kind == NameKind::Const,
        this.role == Role::Write,
        is_channel && kind == "variable",
    ];
    let bits = modifiers.iter().enumerate().map(|(bit, it)| u64::from(*it) << bit).sum();
    (TYPES.iter().position(|it| *it == kind).unwrap_or(0) as u64, bits)
}
