//! A declaration that does not fit the grammar, where no rule recognises what was meant: the error, and what it would have declared.

use super::ast::{Damage, capital};
use super::repair::Site;
use super::token::{Placed, Token};
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

/// Notes the loss of the declaration `chunk`.
pub fn lost(damage: &mut Damage, chunk: &[Placed<'_>]) {
    let names = |tokens: &[Placed<'_>]| -> Vec<String> {
        let name = |&(_, token, _): &Placed<'_>| match token {
            Token::Lident(name) | Token::Mident(name) => Some(name.to_owned()),
            _ => None,
        };
        tokens.iter().filter_map(name).collect()
    };
    let Some(&(_, first, _)) = chunk.first() else { return };
    match first {
        Token::Init => damage.init = true,
        Token::Unsafe | Token::Never | Token::Always => damage.bad = true,
        // What other declarations say of its labels and own cells.
        Token::Process => damage.names.extend(names(chunk).into_iter().map(|it| capital(&it))),
        Token::Predicate | Token::Relation | Token::Witness => {
            damage.names.extend(names(chunk).into_iter().take(1));
        }
        Token::Var | Token::Const | Token::Array => {
            let end =
                chunk.iter().position(|&(_, token, _)| matches!(token, Token::Colon | Token::BracketOpen));
            damage.names.extend(names(&chunk[..end.unwrap_or(chunk.len())]));
        }
        Token::Type => damage.names.extend(names(chunk)),
        _ if first != Token::Channel && (first.starts_declaration() || first == Token::Formula) => {}
        // Text that may not be a declaration.
        _ => {
            damage.names.extend(names(chunk));
            (damage.init, damage.bad) = (true, true);
        }
    }
}
