//! Actions at a place: fix what a diagnostic is about, ask why a claim is not inductive, run the `TEST:` lines of the model.

use cubicle_lang::diagnostic::Span;
use cubicle_lang::syntax::ast::PropertyKind;
use cubicle_tools::expect::test_lines;
use serde_json::{Value, json};

use super::claims;
use super::document::{OpenModel, diagnostic};
use super::prove::COMMAND;
use crate::rpc::RequestError;

/// `textDocument/codeAction`: what the diagnostics in a range suggest, and what may be asked about claims there.
pub fn at_range(uri: &str, document: &OpenModel, params: &Value) -> Result<Value, RequestError> {
    let wanted = document.span(&params["range"])?;
    let kinds = params["context"]["only"].as_array();
    if kinds.is_some_and(|kinds| !kinds.iter().any(|kind| kind == "quickfix" || kind == "")) {
        return Ok(json!([]));
    }
    let mut fixes = Vec::new();
    for this in &document.analysis().diagnostics {
        let at = this.primary.span;
        let Some(mend) = this.mend.as_ref().filter(|_| at.start <= wanted.end && wanted.start <= at.end)
        else {
            continue;
        };
        let title = match document.source(mend.span) {
            "" => format!("Insert `{}`", mend.text.trim()),
            _ if mend.text.is_empty() => format!("Remove `{}`", document.source(mend.span)),
            old => format!("Replace `{}` by `{}`", shortened(old), shortened(&mend.text)),
        };
        let edit = json!({ "range": document.range(mend.span), "newText": mend.text });
        fixes.push(json!({
            "title": title,
            "kind": "quickfix",
            "diagnostics": [diagnostic(uri, document, this)],
            "isPreferred": true,
            "edit": { "changes": { uri: [edit] } },
        }));
    }
    if kinds.is_none() {
        fixes.extend(claims::question(uri, document, wanted));
    }
    Ok(Value::Array(fixes))
}

/// The part of a text that fits into a title.
fn shortened(text: &str) -> String {
    const MOST_CHARS: usize = 40;
    let line = text.lines().next().unwrap_or_default();
    if line.len() == text.len() && line.chars().count() <= MOST_CHARS {
        return line.to_owned();
    }
    line.chars().take(MOST_CHARS).chain("..".chars()).collect()
}

/// `textDocument/codeLens`: one for each `TEST:` line; without any, one that proves the model as it stands.
pub fn lenses(uri: &str, document: &OpenModel, _: &Value) -> Result<Value, RequestError> {
    let lens = |start: u32, number: Option<usize>, title: String| {
        let range = document.range(Span::new(start, start));
        json!({ "range": range, "command": { "title": title, "command": COMMAND, "arguments": [uri, number] } })
    };
    let mut lenses: Vec<Value> = test_lines(&document.text)
        .flatten()
        .enumerate()
        .map(|(number, promise)| {
            let call = format!("cubicle {}", promise.arguments);
            lens(
                promise.span.start,
                Some(number),
                format!("prove: {} ({})", call.trim_end(), promise.verdict),
            )
        })
        .collect();
    if lenses.is_empty() {
        let first = document.analysis().file.properties().find(|it| it.kind == PropertyKind::Unsafe);
        lenses.extend(first.map(|it| lens(it.loc.0.start, None, "prove: cubicle".to_owned())));
    }
    Ok(Value::Array(lenses))
}
