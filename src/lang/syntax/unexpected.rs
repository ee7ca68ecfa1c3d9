//! The error for a place where the text does not fit the grammar and no rule recognises what was meant.

use super::repair::Site;
use super::token::Token;
use crate::diagnostic::{Diagnostic, Span};

/// The error for a place that no rule recognises.
pub fn unexpected(site: &Site<'_, '_>, next: Span, more: bool) -> Diagnostic {
    let error = if let Some(&(l, _, r)) = site.chunk.get(site.at) {
        let typed = site.text.get(l as usize..r as usize).unwrap_or("");
        Diagnostic::error("C0003", Span::new(l, r), format!("syntax error: unexpected `{typed}`")).label(
            match (site.complete, site.chunk[0].1) {
                (true, first) if first != Token::Formula => "the declaration before it is complete",
                _ => "not expected here",
            },
        )
    } else if let (_, Token::Formula, _) = site.chunk[0] {
        Diagnostic::error("C0003", next, "syntax error: a formula is not complete").label("it ends here")
    } else {
        let (start, _, end) = site.chunk[0];
        let found = if more { "the next declaration begins here" } else { "the file ends here" };
        Diagnostic::error("C0003", next, "syntax error: a declaration is not complete")
            .label(found)
            .also(Span::new(start, end), "the declaration that is not complete")
    };
    let empty_init = site.chunk.len() == 1 && site.chunk[0].1 == Token::Init;
    if site.complete && site.at < site.chunk.len() {
        return error.help("a declaration starts with a keyword, such as `var`, `transition` or `unsafe`");
    }
    if site.expected.iter().any(|it| it == "stop") && site.at < site.chunk.len() {
        return error.help("a semicolon separates it from the statement before it");
    }
    match expectation(site.expected) {
        _ if empty_init => error.help("write `init { true }` if every state is initial"),
        Some(help) => error.help(help),
        None => error,
    }
}

/// The most alternatives that are worth listing.
const MAX_EXPECTED: usize = 8;

fn expectation(expected: &[String]) -> Option<String> {
    // A constant before `..` is a name like another.
    let mut names: Vec<String> = expected
        .iter()
        .filter(|token| *token != "lower_name")
        .map(|token| match token.as_str() {
            "lident" => "a name like `x`".to_owned(),
            "mident" => "a name like `X`".to_owned(),
            "int" => "an integer".to_owned(),
            "real" => "a real number".to_owned(),
            "procconst" => "a process constant like `#1`".to_owned(),
            "record_open" | "code_open" => "`{`".to_owned(),
            "stop" => "`;`".to_owned(),
            "label" => "a label like `x:`".to_owned(),
            keyword => format!("`{}`", keyword.trim_matches('"')),
        })
        .collect();
    names.sort_by_key(|name| name.starts_with('`'));
    if names.is_empty() || names.len() > MAX_EXPECTED {
        return None;
    }
    let last = names.pop()?;
    Some(if names.is_empty() {
        format!("expected {last}")
    } else {
        format!("expected {} or {last}", names.join(", "))
    })
}
