//! Mends of updates that need more than a pattern.

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
