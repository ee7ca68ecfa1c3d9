//! Mends of updates that need more than a pattern.

use std::ops::Range;

use super::site::{Repair, Site, foreign, letter_case, slip};
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

/// `if c then X := A else X := B`
pub fn conditional_update<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let (at, end) = (site.at, site.end_of_statement(site.at));
    let word = site.source(site.here());
    let error = slip(site.span(site.here()), format!("`{word}` is not an update"))
        .label("a transition is one step with one guard");
    let error = match as_case(site) {
        Some(meant) => error.help(format!("write `{meant}`")).mend_at(site.span(at..end), meant),
        None => error.help("write the condition into `requires`, or `X := case | condition : value | _ : X`"),
    };
    Some(Repair::new(at..end + usize::from(site.token(end) == Some(Token::Semicolon)), [], error))
}

/// The `case` that says the same, where both branches assign one variable.
fn as_case(site: &Site<'_, '_>) -> Option<String> {
    let at = site.at;
    let end = site.end_of_statement(at);
    let find = |token: Token<'_>, from: usize| (from..end).find(|&i| site.token(i) == Some(token));
    let then = find(Token::Then, at)?;
    let other = find(Token::Else, then);
    let assignment = |from: usize, to: usize| {
        let assign = find(Token::Assign, from).filter(|&assign| assign < to && assign == from + 1)?;
        Some((site.source(from..assign), site.source(assign + 1..to)))
    };
    let (target, yes) = assignment(then + 1, other.unwrap_or(end))?;
    if target.ends_with(']') {
        return None;
    }
    let no = match other {
        Some(other) => assignment(other + 1, end).filter(|(same, _)| *same == target)?.1,
        None => target,
    };
    Some(format!("{target} := case | {} : {yes} | _ : {no}", site.formula(at + 1..then)))
}

/// `lock := True`
pub fn small_target<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let Token::Lident(name) = site.found()? else { return None };
    let declared = site.known.capitals.iter().copied().find(|known| known.eq_ignore_ascii_case(name))?;
    let error = letter_case(site.span(site.here()), format!("`{name}` cannot be assigned"))
        .label("names of variables and arrays begin with a capital letter")
        .did_you_mean(declared);
    Some(Repair::new(site.here(), [Token::Mident(declared)], error))
}
