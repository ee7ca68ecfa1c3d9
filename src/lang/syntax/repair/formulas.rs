//! Mends of formulas that need more than a pattern.

use super::site::{Repair, Site, foreign, slip};
use crate::syntax::token::Token;

/// `{ S[i] := Idle; Lock := False }` where a formula is expected.
pub fn updates_in_formula<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let open = *site.open.last().filter(|&&open| site.token(open) == Some(Token::BraceOpen))?;
    let close = site.closing(open)?;
    let body = open + 1..close - usize::from(site.token(close - 1) == Some(Token::Semicolon));
    let tokens = site.tokens(body.clone());
    let count = |one: Token<'_>| tokens.iter().filter(|token| **token == one).count();
    let assignments = count(Token::Assign);
    if assignments < 2
        || count(Token::Semicolon) + 1 != assignments
        || tokens.iter().any(|it| it.is_comparison())
    {
        return None;
    }
    let text =
        site.source(body).split(';').map(str::trim).collect::<Vec<_>>().join(" && ").replace(":=", "=");
    let error = slip(site.span(site.here()), "updates where a formula is expected")
        .label("formulas compare, updates assign")
        .help(format!("write `{{ {text} }}`"))
        .mend_at(site.span(open..close + 1), format!("{{ {text} }}"));
    let formula = tokens.into_iter().map(|token| match token {
        Token::Assign => Token::Equal,
        Token::Semicolon => Token::And,
        other => other,
    });
    Some(Repair::new(open + 1..close, formula.collect::<Vec<_>>(), error))
}

/// `S[_pid]`
pub fn underscore<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let parameter = (1..at).find(|&i| site.token(i) == Some(Token::ParOpen)).and_then(|i| site.token(i + 1));
    let process = parameter.filter(|it| matches!(it, Token::Lident(_)) && site.adjacent(at));
    let error = slip(site.span(at..at + 2), format!("`{}` is not a name", site.source(at..at + 2)))
        .label("names start with a letter")
        .help("a process is a parameter or a bound name");
    Some(Repair::new(at..at + 2, [process.or(site.ahead(1))?], error).habit("underscore"))
}

/// `Lock` for `Lock = True`.
pub fn alone<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let start = site.term_before(at)?;
    let term = site.source(start..at);
    let negated = start > 0 && site.token(start - 1) == Some(Token::Not);
    // The meaning of a name is not known here.
    let (from, right) = if negated { (start - 1, "False") } else { (start, "True") };
    let meant = format!("{term} = {right}");
    let typed = site.source(from..at);
    let error = if negated && site.source(from..start) != "not" {
        foreign(site.span(from..at), format!("`{typed}` is written `{meant}`"))
    } else {
        slip(site.span(from..at), format!("`{typed}` is not a formula"))
            .help(format!("write `{meant}` if it is of type `bool`"))
    };
    let error = error.label("a formula compares").mend(meant);
    Some(Repair::new(from..at, [Token::True], error).habit("alone"))
}
