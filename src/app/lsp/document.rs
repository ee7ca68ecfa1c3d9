//! A model that is open in an editor: its text, and what is known about it.

use std::cell::OnceCell;

use cubicle_lang::diagnostic::{Diagnostic, Span};
use cubicle_lang::index::{Index, Use};
use cubicle_lang::model::System;
use cubicle_lang::syntax;
use cubicle_lang::syntax::ast::File;
use serde_json::{Value, json};

use super::positions::{Encoding, LineStarts};
use crate::rpc::RequestError;

/// A text of more bytes is not analysed.
const MAX_BYTES: usize = syntax::MAX_BYTES;

pub struct Analysis {
    /// The declarations without errors of syntax.
    pub file: File,
    pub index: Index,
    /// Its meaning, if it has one.
    pub system: Option<System>,
    pub diagnostics: Vec<Diagnostic>,
}

pub struct OpenModel {
    pub text: String,
    /// Its version in the editor.
    pub version: i64,
    /// Whether an edit could not be made, so that the editor has another text.
    pub lost: bool,
    lines: LineStarts,
    encoding: Encoding,
    analysis: OnceCell<Analysis>,
}

impl OpenModel {
    pub fn new(text: String, version: i64, encoding: Encoding) -> Self {
        let lines = LineStarts::new(&text, encoding);
        Self { text, version, lost: false, lines, encoding, analysis: OnceCell::new() }
    }

    /// Makes the edits of a notification, all or none. The error says why not.
    pub fn edit(&mut self, version: i64, changes: &[Value]) -> Result<(), String> {
        if version <= self.version {
            return Err(format!("version {version} comes after version {}", self.version));
        }
        let whole = |change: &Value| change.get("range").is_none_or(Value::is_null);
        if self.lost && !changes.first().is_some_and(whole) {
            return Err("an earlier edit could not be made".to_owned());
        }
        let mut text = self.text.clone();
        let mut lines = self.lines.clone();
        for change in changes {
            let new = change.get("text").and_then(Value::as_str).ok_or("an edit has no text")?;
            match change.get("range").filter(|range| !range.is_null()) {
                None => new.clone_into(&mut text),
                Some(range) => {
                    let span = lines.span(&text, range).ok_or("an edit is outside of the text")?;
                    text.replace_range(span.start as usize..span.end as usize, new);
                }
            }
            lines = LineStarts::new(&text, self.encoding);
        }
        *self =
            Self { text, version, lost: false, lines, encoding: self.encoding, analysis: OnceCell::new() };
        Ok(())
    }

    pub fn analysis(&self) -> &Analysis {
        self.analysis.get_or_init(|| self.analyse())
    }

    fn analyse(&self) -> Analysis {
        if self.text.len() > MAX_BYTES {
            let message = format!("a model has at most {} MiB", MAX_BYTES >> 20);
            let diagnostics = vec![Diagnostic::error("C0501", Span::new(0, 0), message)];
            return Analysis { file: File::default(), index: Index::default(), system: None, diagnostics };
        }
        let (file, system, diagnostics) = match cubicle_lang::load(&self.text) {
            Ok(loaded) => (loaded.file, Some(loaded.system), loaded.warnings),
            Err(error) => (syntax::parse(&self.text).0, None, error.diagnostics),
        };
        let index = Index::new(&file, self.text.len() as u32);
        Analysis { file, index, system, diagnostics }
    }

    pub fn name_at(&self, offset: u32) -> Option<Use> {
        self.analysis().index.at(offset).copied()
    }

    /// The offset of a place in the parameters of a request.
    pub fn offset(&self, position: &Value) -> Result<u32, RequestError> {
        let offset = self.lines.offset(&self.text, position);
        offset.map(|offset| offset as u32).ok_or_else(|| RequestError::params("position"))
    }

    /// The span of a range in the parameters of a request.
    pub fn span(&self, range: &Value) -> Result<Span, RequestError> {
        self.lines.span(&self.text, range).ok_or_else(|| RequestError::params("range"))
    }

    pub fn range(&self, span: Span) -> Value {
        self.lines.range(&self.text, span)
    }

    pub fn source(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// The number of the line of an offset, from 1.
    pub fn line(&self, offset: u32) -> u64 {
        self.range(Span::new(offset, offset))["start"]["line"].as_u64().unwrap_or_default() + 1
    }
}

/// A diagnostic in the protocol's form.
pub fn diagnostic(uri: &str, document: &OpenModel, this: &Diagnostic) -> Value {
    let mut message = this.message.clone();
    for more in
        [Some(&this.primary.text), this.help.as_ref()].into_iter().flatten().filter(|it| !it.is_empty())
    {
        message.push('\n');
        message.push_str(more);
    }
    let related = this.secondary.iter().map(|label| {
        json!({ "location": { "uri": uri, "range": document.range(label.span) }, "message": label.text })
    });
    json!({
        "range": document.range(this.primary.span),
        "severity": if this.is_error() { 1 } else { 2 },
        "code": this.code,
        "source": "cubicle",
        "message": message,
        "relatedInformation": related.collect::<Vec<_>>(),
    })
}
