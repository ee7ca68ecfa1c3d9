//! Mends of updates and formulas that need more than a pattern.

use std::ops::Range;

use super::site::{Repair, Site, foreign, slip};
use crate::syntax::token::Token;

/// `X' = ..`, which was reported.
pub fn prime<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let start = site.term_before(site.at)?;
    let primed = [site.at, start + 1]
        .into_iter()
        .any(|end| site.text.get(site.after(end).end as usize..).is_some_and(|rest| rest.starts_with('\'')));
    primed.then(|| Repair::silent(site.here(), [Token::Assign]).habit("prime"))
}

/// `A, B := 1, 2`
pub fn several_targets<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let start = site.term_before(site.at)?;
    let end = site.end_of_statement(site.at);
    let assign = (site.at..end).find(|&i| matches!(site.token(i), Some(Token::Assign | Token::Equal)))?;
    let split = |range: Range<usize>| {
        let (mut parts, mut from, mut at) = (Vec::new(), range.start, range.start);
        while at < range.end {
            if site.token(at)? == Token::Comma {
                parts.push(from..at);
                from = at + 1;
            }
            at = site.balanced(at)?;
        }
        parts.push(from..range.end);
        Some(parts)
    };
    let (targets, values) = (split(start..assign)?, split(assign + 1..end)?);
    if targets.len() != values.len() || targets.iter().chain(&values).any(Range::is_empty) {
        return None;
    }
    let (mut with, mut text) = (Vec::new(), Vec::new());
    for (target, value) in targets.into_iter().zip(values) {
        with.extend((!with.is_empty()).then_some(Token::Semicolon));
        with.extend([site.tokens(target.clone()), vec![Token::Assign], site.tokens(value.clone())].concat());
        text.push(format!("{} := {}", site.source(target), site.source(value)));
    }
    let error = foreign(site.span(start..end), "several variables in one update").write(&text.join("; "));
    Some(Repair::new(start..end, with, error))
}

/// `forall q. S[q] := Idle`, `for q { .. }`
pub fn each<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let end = site.end_of_statement(at);
    // The cell that is assigned, and its value.
    let meant = (at..end).find(|&i| site.token(i) == Some(Token::Assign)).and_then(|assign| {
        let start = site.term_before(assign).filter(|start| start + 1 < assign)?;
        if site.token(start + 2) != site.token(at + 1) {
            return None;
        }
        let mut value = site.end_of_statement(assign);
        while matches!(site.token(value - 1), Some(Token::Lident("end" | "od" | "done" | "endfor"))) {
            value -= 1;
        }
        let (cell, value) = (site.source(start..assign), site.source(assign + 1..value));
        Some((site.source(start..start + 1), format!("{cell} := case | _ : {value}")))
    });
    let word = site.source(site.here());
    let error = slip(site.span(site.here()), format!("`{word}` in an update")).label("updates have no loops");
    let error = match meant {
        // An array is assigned once.
        Some((array, meant)) => {
            let assigned = |&i: &usize| {
                site.token(i) == Some(Token::Assign)
                    && site.term_before(i).is_some_and(|start| site.source(start..start + 1) == array)
            };
            let help = format!("all cells of an array are assigned by `{meant}`");
            if (0..site.chunk.len()).filter(assigned).count() < 2 {
                error.help(help).mend_at(site.span(at..end), meant)
            } else {
                error.help(format!("{help}, with a branch for each cell of its own"))
            }
        }
        None => {
            error.help("all cells of an array are assigned by `A[c] := case | condition : value | _ : A[c]`")
        }
    };
    Some(Repair::new(at..end + usize::from(site.token(end) == Some(Token::Semicolon)), [], error))
}

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
