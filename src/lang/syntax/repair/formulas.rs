//! Mends of formulas that need more than a pattern.

use super::site::{Repair, Site, foreign, letter_case, slip, small};
use crate::syntax::ast::capital;
use crate::syntax::token::Token;

/// `a < b < c`
pub fn chained<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let start = site.term_before(at)?;
    let first = start.checked_sub(1).and_then(|end| site.term_before(end)).unwrap_or(start);
    // Up to the end of the last operand, where it is one name, number or cell.
    let last = match site.token(at + 2) {
        Some(Token::BracketOpen) => site.closing(at + 2)? + 1,
        _ => at + 2,
    };
    let compared = start.checked_sub(1).and_then(|i| site.token(i)).is_some_and(Token::is_comparison);
    let ends = compared
        && site.term_before(last).is_some_and(|start| start == at + 1)
        && !matches!(site.token(last), Some(Token::Plus | Token::Minus | Token::Star));
    let error = slip(site.span(site.here()), "comparisons do not chain");
    let left = format!("{} && {}", site.source(first..at), site.source(start..at));
    let error = if ends {
        let meant = format!("{left} {}", site.source(at..last));
        error.help(format!("write `{meant}`")).mend_at(site.span(first..last), meant)
    } else {
        error.help(format!("write `{left} {} ..`", site.source(site.here())))
    };
    Some(Repair::new(at..at, [vec![Token::And], site.tokens(start..at)].concat(), error))
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

/// `S[p] in {Idle, Want}`
pub fn membership<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let negated = site.found()? == Token::Not;
    let open = at + if negated { 2 } else { 1 };
    let (close, start) = (site.closing(open)?, site.term_before(at)?);
    let (relation, text, connective, joined) = if negated {
        (Token::Different, "<>", Token::And, " && ")
    } else {
        (Token::Equal, "=", Token::Or, " || ")
    };
    let mut with = vec![Token::ParOpen];
    let mut parts: Vec<String> = Vec::new();
    for i in open + 1..close {
        match site.token(i)? {
            Token::Comma | Token::Bar | Token::Semicolon => {}
            value @ (Token::Mident(_) | Token::Lident(_) | Token::Int(_)) => {
                with.extend((!parts.is_empty()).then_some(connective));
                with.extend([site.tokens(start..at), vec![relation, value]].concat());
                parts.push(format!("{} {text} {}", site.source(start..at), site.source(i..i + 1)));
            }
            _ => return None,
        }
    }
    if parts.is_empty() {
        return None;
    }
    with.push(Token::ParClose);
    let error = foreign(site.span(start..close + 1), "a set of values")
        .label("there are no sets: a formula compares")
        .write(&format!("({})", parts.join(joined)));
    Some(Repair::new(start..close + 1, with, error))
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

/// `max(A, B)`
pub fn function<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let Token::Lident(name) = site.back(1)? else { return None };
    let before = at.checked_sub(2)?;
    let call = at - 1..site.closing(at)? + 1;
    let error = slip(site.span(call.clone()), format!("`{}` as a value", site.source(call.clone())))
        .label("there are no functions");
    if matches!(site.token(before), Some(Token::Assign | Token::Plus | Token::Minus | Token::Star)) {
        let random = ["random", "rand", "nondet", "choose", "any", "havoc", "oneof"].contains(&name);
        let error = error.help(if random {
            "any value of a variable without an index is written `X := ?`"
        } else {
            "write a value that depends on a condition with `case | condition : value | _ : other`"
        });
        let assign = (0..at).rev().find(|&i| site.token(i) == Some(Token::Assign))?;
        let target = site.tokens(site.term_before(assign)?..assign);
        return Some(Repair::new(assign + 1..site.end_of_statement(at), target, error));
    }
    let start = site.token(before).filter(|it| it.is_comparison()).and_then(|_| site.term_before(before))?;
    let error = error.help("compare with a name, a cell or a sum; a `predicate` is a formula");
    Some(Repair::new(start..call.end, [Token::True], error))
}

/// `forall (x) ..`
pub fn bound_in_parentheses<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let close = site.closing(at)?;
    let mut with: Vec<Token<'t>> = Vec::new();
    for name in site.tokens(at + 1..close).into_iter().filter(|token| matches!(token, Token::Lident(_))) {
        with.extend((!with.is_empty()).then_some(Token::Different));
        with.push(name);
    }
    with.push(Token::Dot);
    let dot = matches!(site.token(close + 1), Some(Token::Dot | Token::Colon));
    let (quantifier, names) = (site.source(at - 1..at), site.source(at + 1..close));
    let error = slip(site.span(at..close + 1), "bound names in parentheses")
        .help(format!("write `{quantifier} {names}. ..`"));
    Some(Repair::new(at..close + 1 + usize::from(dot), with, error))
}

/// `Safe(i)` for a predicate
pub fn capital_predicate<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let Token::Mident(name) = site.back(1)? else { return None };
    let call = site.at - 1..site.closing(site.at)? + 1;
    let predicate = small(name);
    if site.known.arrays.contains(&name) || !site.known.smalls.contains(&predicate.as_str()) {
        return None;
    }
    let error = letter_case(site.span(site.at - 1..site.at), format!("unknown predicate `{name}`"))
        .did_you_mean(&predicate);
    Some(Repair::new(call, [Token::True], error))
}

/// `s[i]`
pub fn small_array<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let name_at = site.at - 1..site.at;
    let Token::Lident(name) = site.back(1)? else { return None };
    let meant = capital(name);
    let declared = site.known.capitals.iter().copied().find(|known| *known == meant);
    let error = letter_case(site.span(name_at.clone()), format!("array `{name}` with a small letter"));
    let error = match declared {
        Some(declared) => error.did_you_mean(declared),
        None => error.label("names of variables and arrays begin with a capital letter"),
    };
    Some(Repair::new(name_at, [Token::Mident(declared.unwrap_or(name))], error))
}

/// `| c -> v` or `| c => v` in a `case`.
pub fn arrow_of_a_branch<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let bar = (0..at).rev().find(|&i| site.token(i) == Some(Token::Bar))?;
    let arrow = (bar..(at + 1).min(site.chunk.len())).find_map(|i| match site.token(i)? {
        Token::Implies => Some(i..i + 1),
        Token::Minus if site.token(i + 1) == Some(Token::Greater) => Some(i..i + 2),
        _ => None,
    })?;
    if (bar..at).any(|i| site.token(i) == Some(Token::Colon)) {
        return None;
    }
    let (typed, condition) = (site.source(arrow.clone()), site.source(bar..arrow.start));
    let error = slip(site.span(arrow.clone()), format!("`{typed}` in a branch of a `case`"))
        .help(format!("write `{condition} : ..`"));
    Some(Repair::new(arrow, [Token::Colon], error).habit("branch"))
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
