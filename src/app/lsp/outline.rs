//! The declarations of a model, as a tree.

use cubicle_lang::diagnostic::Span;
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
    let mut children = Vec::new();
    let (name, place, kind, detail) = match item {
        Item::NumberProcs(_) | Item::Fairness(_) => return None,
        Item::Type(decl) => {
            children.extend(decl.constructors.iter().flatten().map(|it| {
                let range = document.range(it.span());
                json!({ "name": it.text, "kind": kind::ENUM_MEMBER, "range": range, "selectionRange": range })
            }));
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
            children.extend(process.labels().map(|it| {
                let range = document.range(it.span());
                json!({ "name": it.text, "kind": kind::METHOD, "range": range, "selectionRange": range })
            }));
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
