//! Constructs of upstream's experimental branches, recognised where they fail to parse so that the error
//! can name them. Their words are not keywords: a transition may be called `wait` or `candidate`.

use super::token::{Placed, Token};
use crate::diagnostic::{Diagnostic, Span};

const CFL: &str = "the CFL branch";
const CHANNELS: &str = "the channels branch";
const RECORDS: &str = "the records branch";
const CANDIDATES: &str = "the candidates branch";

/// Statements of the CFL branch.
const LOCK_STATEMENTS: [&str; 15] = [
    "acquire",
    "acquire_lock",
    "acquire_rlock",
    "acquire_semaphore",
    "acquire_condition",
    "release",
    "release_lock",
    "release_rlock",
    "relase_rlock",
    "release_semaphore",
    "release_condition",
    "wait",
    "notify",
    "notify_all",
    "signal",
];

/// The error for a construct of another branch.
pub fn diagnostic(span: Span, construct: &str, branch: &str) -> Diagnostic {
    Diagnostic::error("C0005", span, format!("{construct} is not supported"))
        .label(format!("this is a construct of {branch} of Cubicle"))
        .help("the language is that of Cubicle 1.2, with ranges, records, arrays over finite types, channels and counts")
}

/// The error for a construct that this language has, too.
pub fn otherwise(error: Diagnostic, construct: &str) -> Diagnostic {
    Diagnostic { message: format!("{construct} is written in another way here"), ..error }
}

/// Whether the declaration `chunk`, which fails to parse at token number `at`, uses a construct of
/// another branch there.
pub fn recognise(chunk: &[Placed<'_>], at: usize) -> Option<Diagnostic> {
    let token = |i: usize| chunk.get(i).map(|&(_, token, _)| token);
    let &(l, found, r) = chunk.get(at)?;
    let before = at.checked_sub(1).and_then(token);
    let span = Span::new(l, r);
    let first = token(0)?;
    let in_parameters = first == Token::Transition
        && !chunk[..at].iter().any(|&(_, token, _)| matches!(token, Token::ParClose | Token::BraceOpen));
    let (construct, branch) = match found {
        Token::Lident("candidate") => ("`candidate`", CANDIDATES),
        Token::Lident("hint") => ("`hint`", CANDIDATES),
        Token::Lident("chan" | "group") => ("a channel declaration", CHANNELS),
        Token::Lident("livelock") => ("`livelock`", CFL),
        Token::Lident("universal_unsafe") => ("`universal_unsafe`", "another branch"),
        Token::Lident("function" | "fun") => ("a function", "another branch"),
        Token::Lident("with") => ("a record update", RECORDS),
        Token::Lident(word) if LOCK_STATEMENTS.contains(&word) && token(at + 1) == Some(Token::ParOpen) => {
            ("a lock statement", CFL)
        }
        Token::ParOpen
            if matches!(before, Some(Token::Lident("add_proc" | "sub_proc" | "compare_procs"))) =>
        {
            ("arithmetic on processes", CFL)
        }
        Token::BraceOpen if first == Token::Type && token(at + 2) == Some(Token::Colon) => {
            ("a record type", RECORDS)
        }
        Token::BracketOpen if in_parameters => ("an acting process `[i]`", CFL),
        Token::Case if matches!(before, Some(Token::Equal | Token::Different)) => {
            ("`case` in a formula", CFL)
        }
        Token::BraceOpen
            if first != Token::Type
                && matches!(
                    before,
                    Some(Token::Equal | Token::Different | Token::Assign | Token::Colon | Token::Comma)
                ) =>
        {
            ("a record", RECORDS)
        }
        Token::Dot if matches!(before, Some(Token::Mident(_) | Token::BracketClose)) => {
            ("a record field", RECORDS)
        }
        Token::Question if matches!(before, Some(Token::Mident(_) | Token::BracketClose)) => {
            ("receiving from a channel", CHANNELS)
        }
        _ => return None,
    };
    let error = diagnostic(span, construct, branch);
    Some(match found {
        Token::Lident("livelock") => {
            error.help("say what has to happen, by `response` or `recurrence` and `fair`")
        }
        Token::Lident("with") => {
            otherwise(error, construct).help("assign the fields that change: `Net.kind := Req`")
        }
        Token::Lident("chan" | "group") => {
            otherwise(error, construct).help("write `channel C[proc] : message[2] blocks`")
        }
        Token::Question => otherwise(error, construct).help("write `X := receive(C)`, or `receive(C)`"),
        Token::Case => {
            error.help("give the whole variable its value by an update `X := case | .. : .. | _ : ..`")
        }
        _ if branch == RECORDS => otherwise(error, construct)
            .help("a record is declared by `type t = { field : type; field : type }`"),
        _ => error,
    })
}

/// Whether an illegal character after the token `before` belongs to a construct of another branch.
pub fn character(what: char, before: Option<Placed<'_>>) -> Option<(&'static str, &'static str)> {
    let after_name = matches!(before, Some((_, Token::Mident(_) | Token::BracketClose, _)));
    (what == '!' && after_name).then_some(("sending to a channel", CHANNELS))
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
    matches!(name, "lock" | "rlock" | "condition" | "semaphore").then_some(CFL)
}

/// The branch that predeclares a symbol, if another one does.
pub fn symbol_name(name: &str) -> Option<&'static str> {
    match name {
        "SYS_PROCS" => Some(CFL),
        "NULL" => Some(RECORDS),
        _ => None,
    }
}
