//! From a name to the other places of its declaration.

use cubicle_lang::index::{self, Role, Use};
use serde_json::{Value, json};

use super::document::OpenModel;
use crate::rpc::RequestError;

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
