//! Constructs of upstream's experimental branches, beside those of the table in `repair`, which are recognised where they fail
//! to parse.

use super::token::{Placed, Token};
use crate::diagnostic::{Diagnostic, Span};

/// What is supported instead.
pub const LANGUAGE: &str = "the language is that of Cubicle 1.2, with ranges, records, arrays over finite types, channels and counts";

/// The error for a construct of another branch.
pub fn diagnostic(span: Span, construct: &str, branch: &str) -> Diagnostic {
    Diagnostic::error("C0005", span, format!("{construct} is not supported"))
        .label(format!("this is a construct of {branch} of Cubicle"))
        .help(LANGUAGE)
}

/// The error for a construct that this language has, too.
pub fn otherwise(error: Diagnostic, construct: &str) -> Diagnostic {
    Diagnostic { message: format!("{construct} is written in another way here"), ..error }
}

/// Whether an illegal character after the token `before` belongs to a construct of another branch.
pub fn character(what: char, before: Option<Placed<'_>>) -> Option<(&'static str, &'static str)> {
    let after_name = matches!(before, Some((_, Token::Mident(_) | Token::BracketClose, _)));
    (what == '!' && after_name).then_some(("sending to a channel", "the channels branch"))
}

/// Advice for characters that start no token.
pub fn spelling(what: char) -> Option<&'static str> {
    match what {
        '#' => Some("process constants are `#1`, `#2`, .."),
        '\'' => Some("names consist of letters, digits and `_`"),
        _ => None,
    }
}

/// The branch that predeclares a type, if another one does.
pub fn type_name(name: &str) -> Option<&'static str> {
    matches!(name, "lock" | "rlock" | "condition" | "semaphore").then_some("the CFL branch")
}

/// The branch that predeclares a symbol, if another one does.
pub fn symbol_name(name: &str) -> Option<&'static str> {
    match name {
        "SYS_PROCS" => Some("the CFL branch"),
        "NULL" => Some("the records branch"),
        _ => None,
    }
}
