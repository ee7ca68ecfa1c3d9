//! Counts of processes: `#{p | ..}`, `sum{p | ..}`, `#proc`, and how they are written elsewhere.

use super::lists::is_listed;
use super::site::{Repair, Site};
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::token::Token;

const FORMS: &str = "`#{p | S[p] = A}` is the number of processes with this formula, `#proc` that of all processes, \
                     `sum{p | N[p]}` the sum of a number of each";

/// An error about a count.
pub fn miscounted(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("C0008", span, message)
}

/// `#{Crit[z] = True}`
pub fn count_without_bar<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let open = *site.open.last()?;
    let start = open - usize::from(site.token(open) == Some(Token::BraceOpen));
    let (inside, whole) = (open + 1..site.closing(open)?, start..site.closing(open)? + 1);
    if inside.is_empty() || site.tokens(inside.clone()).contains(&Token::Bar) {
        return None;
    }
    // Among its processes the one that is bound nowhere else.
    let elsewhere = site.tokens(0..open);
    let free = inside.clone().find(|&i| {
        matches!(site.token(i), Some(token @ Token::Lident(_)) if !elsewhere.contains(&token))
            && site.token(i + 1) != Some(Token::ParOpen)
    });
    let error = miscounted(site.span(whole.clone()), "a count that binds no process");
    let Some(process) = free else {
        let error = error.label("which processes are counted?").help(FORMS);
        return Some(Repair::new(whole, [Token::Int("0")], error));
    };
    let (word, name) = (site.source(start..open + 1), site.source(process..process + 1));
    let error = error.write(&format!("{word}{name} | {}}}", site.source(inside)));
    Some(Repair::new(open + 1..open + 1, [site.token(process)?, Token::Bar], error))
}

/// The brace of the declaration closes the count.
pub fn count_not_closed<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let (at, found, open) = (site.at, site.found()?, *site.open.last()?);
    let joins = found.is_comparison() || matches!(found, Token::Plus | Token::Minus | Token::Star);
    if !joins || site.closing(*site.open.first()?).is_some() {
        return None;
    }
    let error = miscounted(site.after(at), "`}` is missing")
        .label("expected here at the latest")
        .mend_at(site.end(at), "}")
        .also(site.span(open..open + 1), "this count is not closed");
    Some(Repair::new(at..at, [Token::BraceClose], error))
}

/// `card(proc)`, `count(q : ..) > 1`
pub fn counting_word<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let word = (0..at.min(site.chunk.len())).rev().find(|&i| {
        matches!(site.token(i + 1), Some(Token::ParOpen | Token::BraceOpen))
            && matches!(site.token(i), Some(Token::Lident(name) | Token::Mident(name)) if is_listed("counts", &name.to_ascii_lowercase()))
    })?;
    let close = site.closing(word + 1).filter(|&close| close + 1 >= at)?;
    let joins = |token: Token<'_>| {
        token.is_comparison() || matches!(token, Token::Assign | Token::Plus | Token::Minus | Token::Star)
    };
    if ![word.checked_sub(1)?, close + 1].into_iter().any(|i| site.token(i).is_some_and(joins)) {
        return None;
    }
    let (whole, inside) = (word..close + 1, word + 2..close);
    if let [Token::Lident("proc" | "procs" | "process" | "processes")] = site.tokens(inside.clone())[..] {
        let message = format!("`{}` is written `#proc`", site.source(whole.clone()));
        let error = miscounted(site.span(whole.clone()), message).mend("#proc");
        return Some(Repair::new(whole, [Token::AllProcs], error));
    }
    if let (Some(Token::Lident(name)), Some(Token::Bar | Token::Colon | Token::Dot)) =
        (site.token(inside.start), site.token(inside.start + 1))
    {
        let body = inside.start + 2..inside.end;
        let (word, opening): (_, &[Token<'t>]) = if site.source(word..word + 1).eq_ignore_ascii_case("sum") {
            ("sum{", &[Token::Sum, Token::BraceOpen])
        } else {
            ("#{", &[Token::CountOpen])
        };
        let typed = site.source(whole.start..inside.start);
        let error = miscounted(site.span(whole.clone()), format!("`{typed}` is not how a count begins"))
            .write(&format!("{word}{name} | {}}}", site.source(body.clone())));
        let head = [Token::Lident(name), Token::Bar];
        return Some(Repair::new(
            whole,
            [opening, &head, &site.tokens(body), &[Token::BraceClose]].concat(),
            error,
        ));
    }
    let message = format!("`{}` is not a count", site.source(whole.clone()));
    let error = miscounted(site.span(whole.clone()), message)
        .label("counts are about processes, each of which has a name in the formula")
        .help(FORMS);
    Some(Repair::new(whole, [Token::Int("0")], error))
}
