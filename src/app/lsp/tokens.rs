//! What each name of a model is, for colours: the semantic tokens of the protocol.

use cubicle_lang::index::{NameKind, NamedSymbol, Role, Use};
use cubicle_lang::syntax::ast::{Item, SymbolKind};
use serde_json::{Value, json};

use super::document::OpenModel;
use crate::rpc::RequestError;

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
pub fn all(_: &str, document: &OpenModel, _: &Value) -> Result<Value, RequestError> {
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
