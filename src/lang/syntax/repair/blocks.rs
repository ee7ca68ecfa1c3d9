//! Braces, brackets and parentheses that are missing or too many, and blocks in the wrong order.

use super::site::{DeclarationPart, Repair, Site, foreign, slip};
use crate::syntax::token::Token;

pub(super) fn repair<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    too_many(site)
        .or_else(|| transition(site))
        .or_else(|| empty(site))
        .or_else(|| guard_without_braces(site))
        .or_else(|| unclosed(site))
}

/// Words that end a block elsewhere.
const ENDS: [&str; 10] =
    ["end", "endrule", "endruleset", "endif", "endmodule", "done", "od", "fi", "qed", "stop"];

/// After the end of a declaration.
fn too_many<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    if !site.complete {
        return None;
    }
    let at = site.at;
    let here = at..at + 1;
    match site.found()? {
        closing @ (Token::BraceClose | Token::ParClose | Token::BracketClose) => {
            let typed = site.source(here.clone());
            let error = slip(site.span(here.clone()), format!("`{typed}` closes nothing")).help(
                if closing == Token::BraceClose {
                    "leave it out, or check the `{` before it"
                } else {
                    "leave it out"
                },
            );
            Some(Repair::new(here, [], error))
        }
        Token::Semicolon | Token::Comma | Token::Dot => {
            let typed = site.source(here.clone());
            let error = slip(site.span(here.clone()), format!("`{typed}` after a declaration"))
                .label("nothing stands between declarations")
                .help("leave it out")
                .mend("");
            Some(Repair::new(here, [], error).habit("end of a declaration"))
        }
        Token::Lident(word) if ENDS.contains(&word) => {
            let error = foreign(site.span(here.clone()), format!("`{word}` after a declaration"))
                .label("nothing stands between declarations")
                .help("leave it out")
                .mend("");
            Some(Repair::new(here, [], error).habit("end of a declaration"))
        }
        Token::ParOpen if matches!(site.first(), Some(Token::Fair | Token::StrongFair)) => {
            let close = site.closing(at)?;
            let error = slip(site.span(at..close + 1), "parameters after the name of a transition")
                .label("fairness applies to the whole transition")
                .help(format!("write `{}`", site.source(0..at)))
                .mend_at(site.span(0..close + 1), site.source(0..at));
            Some(Repair::new(at..close + 1, [], error))
        }
        Token::Requires => {
            let error = slip(site.span(here), "`requires` after the updates")
                .help("the guard comes first: `transition t (i) requires { .. } { .. }`");
            Some(Repair::new(at..site.chunk.len(), [], error))
        }
        _ => None,
    }
}

/// `{ guard } { updates }`
pub(super) fn requires<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    if site.first()? != Token::Transition {
        return None;
    }
    if site.place() == DeclarationPart::Body {
        let open = *site.open().first()?;
        let guard = (0..open).any(|i| site.token(i) == Some(Token::Requires));
        let close = site.closing(open)?;
        if !guard && site.token(close + 1) == Some(Token::BraceOpen) {
            let error = slip(site.span(open..open + 1), "`requires` is missing before the guard")
                .help("write `requires { .. } { .. }`: first the guard, then the updates");
            return Some(Repair::new(open..open, [Token::Requires], error));
        }
    }
    None
}

/// Blocks of a transition.
fn transition<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let here = at..at + 1;
    if site.first()? != Token::Transition {
        return None;
    }
    match site.found() {
        None if site.expects("{") => {
            let error = slip(site.after(at), "a transition without updates")
                .label("the block of updates is missing")
                .help("write `{ }` when it changes nothing");
            Some(Repair::new(at..at, [Token::BraceOpen, Token::BraceClose], error))
        }
        Some(Token::Requires) if site.back(1) == Some(Token::Requires) => {
            let error = slip(site.span(here.clone()), "`requires` twice").help("leave one out");
            Some(Repair::new(here, [], error))
        }
        Some(Token::Requires) if site.expects("{") => {
            let close = site.closing(at + 1)?;
            let error = slip(site.span(here), "a second `requires`").help("join the two guards with `&&`");
            Some(Repair::new(at..close + 1, [], error))
        }
        Some(Token::Minus)
            if site.expects("{")
                && site.ahead(1) == Some(Token::Greater)
                && matches!(site.ahead(2), Some(Token::Requires | Token::BraceOpen)) =>
        {
            let error = slip(site.span(at..at + 2), format!("unexpected `{}`", site.source(at..at + 2)))
                .help("leave it out: guard and updates are blocks, `requires { .. } { .. }`")
                .mend("");
            Some(Repair::new(at..at + 2, [], error))
        }
        Some(Token::Colon | Token::Equal | Token::Implies | Token::Semicolon | Token::Then)
            if site.expects("{") =>
        {
            let error = slip(site.span(here.clone()), format!("unexpected `{}`", site.source(here.clone())))
                .help("guard and updates are blocks: `requires { .. } { .. }`");
            Some(Repair::new(here, [], error))
        }
        _ => None,
    }
}

/// `{ }` where a formula is expected.
fn empty<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    if site.found()? != Token::BraceClose || site.back(1)? != Token::BraceOpen || !site.expects("true") {
        return None;
    }
    let guard = at >= 2 && site.back(2) == Some(Token::Requires);
    let error = slip(site.span(at - 1..at + 1), "an empty formula").help(if guard {
        "leave out `requires { }`, or write `true`"
    } else {
        "write `true` if every state is meant"
    });
    Some(Repair::new(at..at, [Token::True], error))
}

/// `requires S[i] = Idle { .. }`
fn guard_without_braces<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    if site.place() != DeclarationPart::Head || !site.expects("{") || site.expected.len() > 3 {
        return None;
    }
    let found = site.found()?;
    if matches!(found, Token::BraceOpen | Token::BraceClose | Token::ParClose | Token::BracketClose) {
        return None;
    }
    let next = (at..site.chunk.len()).find(|&i| site.token(i) == Some(Token::BraceOpen));
    let end = next.unwrap_or(site.chunk.len());
    if (at..end).any(|i| site.token(i) == Some(Token::Requires)) {
        return None;
    }
    let ends = |i: usize| matches!(site.token(i), Some(Token::Lident(word)) if ENDS.contains(&word));
    if (at..end).any(|i| site.token(i) == Some(Token::Assign)) && !site.expects("requires") {
        let from = at + usize::from(matches!(found, Token::Lident("begin" | "do" | "then")));
        let to = end - usize::from(ends(end - 1));
        let error = slip(site.span(at..end), "updates without braces")
            .write(&format!("{{ {} }}", site.source(from..to)));
        let mut with = vec![Token::BraceOpen];
        with.extend((from..to).filter_map(|i| site.token(i)));
        with.push(Token::BraceClose);
        return Some(Repair::new(at..end, with, error));
    }
    // `guard ==> { updates }`
    let arrow = (at..end).rev().find(|&i| {
        !matches!(
            site.token(i),
            Some(Token::Implies | Token::Equal | Token::Minus | Token::Greater | Token::Colon)
        )
    })?;
    let requires = site.first() == Some(Token::Transition) && site.expects("requires");
    // `requires (..)`, `requires [..]`
    let closed = matches!(found, Token::ParOpen | Token::BracketOpen) && site.closing(at) == Some(arrow);
    let (at, arrow) = if closed && arrow > at + 1 { (at + 1, arrow - 1) } else { (at, arrow) };
    let inside = site.formula(at..arrow + 1);
    let mut with = if requires { vec![Token::Requires] } else { Vec::new() };
    let prefix = if requires { "requires " } else { "" };
    let what = if requires { "a guard without `requires`" } else { "a formula without braces" };
    let error = slip(site.span(site.at..end), what).write(&format!("{prefix}{{ {inside} }}"));
    with.push(Token::BraceOpen);
    with.extend((at..=arrow).filter_map(|i| site.token(i)));
    with.push(Token::BraceClose);
    Some(Repair::new(site.at..end, with, error))
}

/// A bracket that is not closed where something else begins.
fn unclosed<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let open = *site.open().last()?;
    let (opening, closing, token) = match site.token(open)? {
        Token::BraceOpen | Token::CountOpen => ("{", "}", Token::BraceClose),
        Token::BracketOpen => ("[", "]", Token::BracketClose),
        _ => ("(", ")", Token::ParClose),
    };
    let fits = site.expects(closing);
    if let Some(found) = site.found() {
        // Another closing bracket where this one may be closed, or a token that can only follow it.
        let after = matches!(
            found,
            Token::BraceClose
                | Token::BraceOpen
                | Token::ParClose
                | Token::BracketClose
                | Token::Requires
                | Token::Equal
                | Token::Different
                | Token::Assign
                | Token::And
                | Token::Or
                | Token::Less
                | Token::LessEqual
                | Token::Greater
                | Token::GreaterEqual
                | Token::Semicolon
        );
        if !fits || !after {
            return None;
        }
    }
    let error = slip(site.after(at), format!("`{closing}` is missing"))
        .label("expected here at the latest")
        .mend_at(
            site.end(at),
            if site.found().is_none() { format!(" {closing}") } else { closing.to_owned() },
        )
        .also(site.span(open..open + 1), format!("this `{opening}` is not closed"));
    // At the end of a declaration all open brackets are meant to close.
    let with: Vec<Token<'t>> = if site.found().is_none() {
        let closer = |i: &usize| match site.token(*i) {
            Some(Token::BraceOpen | Token::CountOpen) => Token::BraceClose,
            Some(Token::BracketOpen) => Token::BracketClose,
            _ => Token::ParClose,
        };
        site.open().iter().rev().map(closer).collect()
    } else {
        vec![token]
    };
    Some(Repair::new(at..at, with, error))
}
