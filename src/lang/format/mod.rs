//! How a model is laid out: text in, text out.
//!
//! Only blanks and line breaks change. Every token and every comment stays, in its order, and that is checked
//! before a text is handed out. Where an author broke a formula or a block over lines it stays broken, a blank
//! line between two things stays one; all else has one form, so that a text laid out twice is the same.

mod layout;
mod lexemes;
mod writer;

pub use writer::WIDTH;

use crate::diagnostic::{BYTE_ORDER_MARK, Diagnostic};
use crate::syntax;

/// Why a text is not laid out.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refused {
    /// It has errors, at least one.
    #[error("it has errors of syntax")]
    Wrong(Vec<Diagnostic>),
    /// The result would have other tokens or comments.
    #[error("the result would differ from the model: this is a bug in cubicle")]
    Changed,
}

/// Lays a model out. It need not mean anything, but it has to be free of errors of syntax.
///
/// # Errors
/// It has errors, or the result would have other tokens or comments.
pub fn format(text: &str) -> Result<String, Refused> {
    let file = syntax::parse_valid(text).map_err(Refused::Wrong)?;
    let body = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let before = lexemes::read(text);
    let mut out = String::with_capacity(text.len());
    if body.len() < text.len() {
        out.push(BYTE_ORDER_MARK);
    }
    layout::lay_out(&file, &before, eol(body), &mut out);
    let after = lexemes::read(&out);
    if !before.says_the_same(&after) || syntax::parse(&out).0 != file {
        return Err(Refused::Changed);
    }
    Ok(out)
}

/// The line ending of a text: that of its first line.
fn eol(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}
