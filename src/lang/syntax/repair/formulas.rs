//! Formulas: operators of other languages, terms that stand alone, quantifiers.

use super::site::{DeclarationPart, Repair, Site, capital, foreign, slip, small};
use crate::syntax::token::Token;

pub(super) fn repair<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    path(site)
        .or_else(|| membership(site))
        .or_else(|| comprehension(site))
        .or_else(|| prefix(site))
        .or_else(|| underscore(site))
        .or_else(|| operator(site))
        .or_else(|| function(site))
        .or_else(|| assignment(site))
        .or_else(|| quantifier(site))
        .or_else(|| call(site))
        .or_else(|| truth_value(site))
        .or_else(|| any_value(site))
        .or_else(|| parenthesised_term(site))
        .or_else(|| arrow_of_a_branch(site))
        .or_else(|| alone(site))
        .or_else(|| arithmetic(site))
        .or_else(|| connective(site))
}

/// Operators that fall apart into several tokens, or look like another one.
fn operator<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let found = site.found()?;
    let touching = at > 0 && site.adjacent(at - 1);
    let replace =
        |range: std::ops::Range<usize>, token: Token<'t>, spelling: &'static str, what: &'static str| {
            let typed = site.source(range.clone());
            let error = foreign(site.span(range.clone()), format!("`{typed}` is written `{spelling}`"))
                .label(what)
                .mend(spelling);
            Some(Repair::new(range, [token], error).habit(what))
        };
    let before = site.back(1).filter(|_| touching);
    match (before, found) {
        (Some(Token::Equal), Token::Equal) => replace(at - 1..at + 1, Token::Equal, "=", "equality"),
        (Some(Token::Equal), Token::Implies) => replace(at - 1..at + 1, Token::Implies, "=>", "implication"),
        (_, Token::Equal) if site.adjacent(at) && site.ahead(1) == Some(Token::Implies) => {
            replace(at..at + 2, Token::Implies, "=>", "implication")
        }
        (Some(Token::Equal), Token::Less) => replace(at - 1..at + 1, Token::LessEqual, "<=", "at most"),
        (Some(Token::Minus), Token::Greater) if site.place() != DeclarationPart::Branch => {
            replace(at - 1..at + 1, Token::Implies, "=>", "implication")
        }
        (_, Token::Less)
            if site.adjacent(at)
                && site.adjacent(at + 1)
                && site.ahead(1) == Some(Token::Minus)
                && site.ahead(2) == Some(Token::Greater) =>
        {
            replace(at..at + 3, Token::Iff, "<=>", "equivalence")
        }
        (_, Token::Implies) if site.expects(">=") && is_number(site.ahead(1)) => {
            let error = slip(site.span(at..at + 1), "`=>` is implication")
                .help("`at least` is written `>=`")
                .mend(">=");
            Some(Repair::new(at..at + 1, [Token::GreaterEqual], error))
        }
        (_, op) if op.is_comparison() && site.expects("&&") && !site.expects("=") => chained(site),
        _ => None,
    }
}

fn is_number(token: Option<Token<'_>>) -> bool {
    matches!(token, Some(Token::Int(_) | Token::Real(_)))
}

/// `a < b < c`
fn chained<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let start = site.term_before(at)?;
    let middle = site.source(start..at);
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
    let mut error = slip(site.span(at..at + 1), "comparisons do not chain");
    let left = format!("{} && {middle}", site.source(first..at));
    error = if ends {
        let meant = format!("{left} {}", site.source(at..last));
        error.help(format!("write `{meant}`")).mend_at(site.span(first..last), meant)
    } else {
        error.help(format!("write `{left} {} ..`", site.source(at..at + 1)))
    };
    let mut with = vec![Token::And];
    with.extend((start..at).filter_map(|i| site.token(i)));
    Some(Repair::new(at..at, with, error))
}

/// `:=` in a formula.
fn assignment<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let here = site.at..site.at + 1;
    let colon_equal = site.found()? == Token::Colon && site.ahead(1) == Some(Token::Equal);
    if !(site.found()? == Token::Assign || colon_equal)
        || !site.expects("=")
        || site.place() != DeclarationPart::Formula
    {
        return None;
    }
    let range = if colon_equal { here.start..here.end + 1 } else { here };
    if let Some(repair) = updates(site) {
        return Some(repair);
    }
    let error = slip(site.span(range.clone()), "`:=` in a formula")
        .label("formulas compare, updates assign")
        .write("=");
    Some(Repair::new(range, [Token::Equal], error).habit(":="))
}

/// `{ S[i] := Idle; Lock := False }` where a formula is expected.
fn updates<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let open = *site.open().last().filter(|&&open| site.token(open) == Some(Token::BraceOpen))?;
    let close = site.closing(open)?;
    let body = open + 1..close - usize::from(site.token(close - 1) == Some(Token::Semicolon));
    let tokens: Vec<Token<'t>> = body.clone().filter_map(|i| site.token(i)).collect();
    let assignments = tokens.iter().filter(|token| **token == Token::Assign).count();
    let separators = tokens.iter().filter(|token| **token == Token::Semicolon).count();
    if assignments < 2 || separators + 1 != assignments || tokens.iter().any(|it| it.is_comparison()) {
        return None;
    }
    let mut text = site.source(body).split(';').map(str::trim).collect::<Vec<_>>().join(" && ");
    text = text.replace(":=", "=");
    let error = slip(site.span(site.at..site.at + 1), "updates where a formula is expected")
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

/// `state::Crit`
fn path<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let (Token::Colon, Some(Token::Colon), Some(value @ (Token::Mident(name) | Token::Lident(name)))) =
        (site.found()?, site.ahead(1), site.ahead(2))
    else {
        return None;
    };
    let (Token::Lident(_) | Token::Mident(_)) = site.back(1)? else { return None };
    let error = foreign(site.span(at - 1..at + 3), "a value with the name of its type")
        .label("values are known by their names alone")
        .write(name);
    Some(Repair::new(at - 1..at + 3, [value], error).habit("path"))
}

/// `S[p] in {Idle, Want}`
fn membership<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let negated = site.found()? == Token::Not;
    let open = at + if negated { 2 } else { 1 };
    if site.token(open - 1) != Some(Token::In) || !site.expects("=") {
        return None;
    }
    let (Token::BraceOpen | Token::BracketOpen | Token::ParOpen) = site.token(open)? else { return None };
    let close = site.closing(open)?;
    let start = site.term_before(at)?;
    let mut with = vec![Token::ParOpen];
    let mut parts: Vec<String> = Vec::new();
    for i in open + 1..close {
        match site.token(i)? {
            Token::Comma | Token::Bar | Token::Semicolon => {}
            value @ (Token::Mident(_) | Token::Lident(_) | Token::Int(_)) => {
                let (relation, text) = if negated { (Token::Different, "<>") } else { (Token::Equal, "=") };
                if !parts.is_empty() {
                    with.push(if negated { Token::And } else { Token::Or });
                }
                with.extend((start..at).filter_map(|i| site.token(i)).chain([relation, value]));
                parts.push(format!("{} {text} {}", site.source(start..at), site.source(i..i + 1)));
            }
            _ => return None,
        }
    }
    if parts.is_empty() {
        return None;
    }
    with.push(Token::ParClose);
    let meant = format!("({})", parts.join(if negated { " && " } else { " || " }));
    let error = foreign(site.span(start..close + 1), "a set of values")
        .label("there are no sets: a formula compares")
        .write(&meant);
    Some(Repair::new(start..close + 1, with, error))
}

/// `all(S[q] = Idle for q in ..)`
fn comprehension<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let open = *site.open().last()?;
    let Token::Lident(word @ ("all" | "any")) = site.token(open.checked_sub(1)?)? else { return None };
    let close = site.closing(open)?;
    let at = (open + 1..close).find(|&i| site.token(i) == Some(Token::Lident("for")))?;
    let Token::Lident(name) = site.token(at + 1)? else { return None };
    let quantifier = if word == "all" { "forall_other" } else { "exists_other" };
    let meant = format!("({quantifier} {name}. {})", site.formula(open + 1..at));
    let error = foreign(
        site.span(open - 1..close + 1),
        format!("`{word}(.. for {name} in ..)` is written `{quantifier} {name}. ..`"),
    )
    .mend(meant);
    Some(Repair::new(open - 1..close + 1, [Token::True], error).habit("comprehension"))
}

/// `S[_pid]`
fn underscore<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let (Token::Underscore, Some(name @ Token::Lident(_))) = (site.found()?, site.ahead(1)) else {
        return None;
    };
    let parameter = (1..at).find(|&i| site.token(i) == Some(Token::ParOpen)).and_then(|i| site.token(i + 1));
    let process = parameter.filter(|it| matches!(it, Token::Lident(_)) && site.adjacent(at));
    let error = slip(site.span(at..at + 2), format!("`{}` is not a name", site.source(at..at + 2)))
        .label("names start with a letter")
        .help("a process is a parameter or a bound name");
    Some(Repair::new(at..at + 2, [process.unwrap_or(name)], error).habit("underscore"))
}

/// `(= A B)`
fn prefix<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let relation = site.found().filter(|it| it.is_comparison())?;
    let Token::ParOpen = site.back(1)? else { return None };
    let close = site.closing(at - 1)?;
    let right = site.term_before(close)?;
    let left = site.term_before(right).filter(|&left| left == at + 1)?;
    let meant =
        format!("{} {} {}", site.source(left..right), site.source(at..at + 1), site.source(right..close));
    let error = slip(site.span(at - 1..close + 1), "an operator before its operands").write(&meant);
    let operands = |range: std::ops::Range<usize>| range.filter_map(|i| site.token(i));
    let with: Vec<Token<'t>> =
        operands(left..right).chain([relation]).chain(operands(right..close)).collect();
    Some(Repair::new(at - 1..close + 1, with, error))
}

/// `max(A, B)`
fn function<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let (Token::ParOpen, Token::Lident(name)) = (site.found()?, site.back(1)?) else { return None };
    let before = at.checked_sub(2)?;
    let close = site.closing(at)?;
    let span = site.span(at - 1..close + 1);
    if matches!(site.token(before), Some(Token::Assign | Token::Plus | Token::Minus | Token::Star)) {
        let random = ["random", "rand", "nondet", "choose", "any", "havoc", "oneof"].contains(&name);
        let error = slip(span, format!("`{}` as a value", site.source(at - 1..close + 1)));
        let error = error.label("there are no functions").help(if random {
            "any value of a variable without an index is written `X := ?`"
        } else {
            "write a value that depends on a condition with `case | condition : value | _ : other`"
        });
        let assign = (0..at).rev().find(|&i| site.token(i) == Some(Token::Assign))?;
        let target: Vec<Token<'t>> =
            (site.term_before(assign)?..assign).filter_map(|i| site.token(i)).collect();
        return Some(Repair::new(assign + 1..site.end_of_statement(at), target, error));
    }
    let start = site.token(before).filter(|it| it.is_comparison()).and_then(|_| site.term_before(before))?;
    let error = slip(span, format!("`{}` as a value", site.source(at - 1..close + 1)))
        .label("there are no functions")
        .help("compare with a name, a cell or a sum; a `predicate` is a formula");
    Some(Repair::new(start..close + 1, [Token::True], error))
}

/// Bound names.
fn quantifier<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let found = site.found()?;
    let is_quantifier = |token: Option<Token<'_>>| {
        matches!(token, Some(Token::Forall | Token::Exists | Token::ForallOther | Token::ExistsOther))
    };
    // `forall (x) ..`
    if found == Token::ParOpen && is_quantifier(site.back(1)) {
        let close = site.closing(at)?;
        let names = (at + 1..close).filter_map(|i| site.token(i)).collect::<Vec<_>>();
        let mut with: Vec<Token<'t>> = Vec::new();
        for name in names.into_iter().filter(|token| matches!(token, Token::Lident(_))) {
            with.extend((!with.is_empty()).then_some(Token::Different));
            with.push(name);
        }
        let next = site.token(close + 1);
        let end = if matches!(next, Some(Token::Dot | Token::Colon)) { close + 2 } else { close + 1 };
        with.push(Token::Dot);
        let error = slip(site.span(at..close + 1), "bound names in parentheses").help(format!(
            "write `{} {}. ..`",
            site.source(at - 1..at),
            site.source(at + 1..close)
        ));
        return Some(Repair::new(at..end, with, error));
    }
    // `forall x: A[x] = B`, where a sort is read behind the colon.
    let capital = matches!(found, Token::Mident(_)) && site.ahead(1) == Some(Token::Dot);
    let bound = matches!((site.back(1), site.back(2)), (Some(Token::Colon), Some(Token::Lident(_))));
    if bound && !capital && (is_quantifier(site.back(3)) || site.back(3) == Some(Token::Different)) {
        let error = slip(site.span(at - 1..at), "`:` after a bound name")
            .help("write `.` after it")
            .mend_at(site.span(at - 1..at), ".");
        return Some(Repair::new(at - 1..at, [Token::Dot], error));
    }
    let Token::Lident(_) = site.back(1)? else { return None };
    if !site.expects(".") || !(is_quantifier(site.back(2)) || site.back(2) == Some(Token::Different)) {
        return None;
    }
    let here = at..at + 1;
    match (found, site.ahead(1), site.ahead(2)) {
        (Token::Comma, ..) => {
            let error = slip(site.span(here.clone()), "`,` between bound names")
                .help("write `<>` between them")
                .mend(" <>");
            Some(Repair::new(here, [Token::Different], error))
        }
        (Token::Colon | Token::Minus | Token::Semicolon | Token::Bar, ..) => {
            let error =
                slip(site.span(here.clone()), format!("`{}` after a bound name", site.source(here.clone())))
                    .help("write `.` after it");
            let end = if site.ahead(1) == Some(Token::Greater) { at + 2 } else { at + 1 };
            let error = error.mend_at(site.span(at..end), ".");
            Some(Repair::new(at..end, [Token::Dot], error))
        }
        (Token::In, Some(Token::Lident(_)), _) => {
            let error = foreign(site.span(at..at + 2), "a bound name with a set")
                .label("quantifiers range over all processes")
                .help(format!("write `{}. ..`", site.source(at - 2..at)));
            let end = if site.ahead(2) == Some(Token::Colon) { at + 3 } else { at + 2 };
            Some(Repair::new(at..end, if end > at + 2 { vec![Token::Dot] } else { Vec::new() }, error))
        }
        _ => {
            let bound = site.source(at - 2..at);
            let error = slip(site.after(at), "`.` is missing after the bound name")
                .help(format!("write `{bound}. ..`"))
                .mend_at(site.end(at), ".");
            Some(Repair::new(at..at, [Token::Dot], error))
        }
    }
}

/// `S(i)` for `S[i]`, and predicates with a capital letter.
fn call<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    match (site.found()?, site.back(1)?) {
        (Token::ParOpen, Token::Mident(name @ ("Some" | "Just"))) if site.expects("[") => {
            let close = site.closing(at)?;
            let inside = site.source(at + 1..close);
            let error = foreign(site.span(at - 1..close + 1), format!("`{name}` as a value"))
                .label("there are no optional values")
                .help(format!(
                    "write `{inside}`; a variable of type `bool` beside it says whether there is one"
                ))
                .mend(inside);
            let with: Vec<Token<'t>> = (at + 1..close).filter_map(|i| site.token(i)).collect();
            Some(Repair::new(at - 1..close + 1, with, error))
        }
        (Token::ParOpen, Token::Mident(name)) if site.expects("[") => {
            if site.known.raised.contains(&name) {
                return Some(Repair::silent(at - 1..at, [Token::Lident(name)]));
            }
            let close = site.closing(at)?;
            let inside = site.source(at + 1..close);
            let predicate = small(name);
            if !site.known.arrays.contains(&name) && site.known.smalls.contains(&predicate.as_str()) {
                let error =
                    super::site::letter_case(site.span(at - 1..at), format!("unknown predicate `{name}`"))
                        .did_you_mean(&predicate);
                return Some(Repair::new(at - 1..close + 1, [Token::True], error));
            }
            let error = slip(
                site.span(at - 1..close + 1),
                format!("cell `{}` in parentheses", site.source(at - 1..close + 1)),
            )
            .write(&format!("{name}[{inside}]"));
            let mut with = vec![Token::BracketOpen];
            with.extend((at + 1..close).filter_map(|i| site.token(i)));
            with.push(Token::BracketClose);
            Some(Repair::new(at..close + 1, with, error).habit("cell"))
        }
        // A variable in small letters.
        (Token::BracketOpen, Token::Lident(name)) => {
            let meant = capital(name);
            if site.known.lowered.contains(&name) {
                return Some(Repair::silent(at - 1..at, [Token::Mident(name)]));
            }
            let declared = site.known.capitals.iter().find(|known| **known == meant);
            let error = super::site::letter_case(
                site.span(at - 1..at),
                format!("array `{name}` with a small letter"),
            );
            let error = match declared {
                Some(declared) => error.did_you_mean(declared),
                None => error.label("names of variables and arrays begin with a capital letter"),
            };
            let with = declared.map_or(name, |declared| *declared);
            Some(Repair::new(at - 1..at, [Token::Mident(with)], error))
        }
        _ => None,
    }
}

/// `true` where a term is wanted, or `True` where a formula is.
fn truth_value<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    if let Some(token @ (Token::True | Token::False)) = site.found() {
        let (formula, term) = if token == Token::True { ("true", "True") } else { ("false", "False") };
        let here = at..at + 1;
        let error =
            slip(site.span(here.clone()), format!("the formula `{formula}` where a term is expected"))
                .help(format!("the value of type `bool` is written `{term}`"))
                .mend(term);
        return site.expects("mident").then(|| Repair::new(here, [Token::Mident(term)], error).habit(term));
    }
    let Token::Mident(term @ ("True" | "False")) = site.back(1)? else { return None };
    let within = |token| matches!(token, Token::Equal | Token::Different | Token::Assign | Token::Colon);
    if site.back(2).is_none_or(within) || !site.expects("=") {
        return None;
    }
    let formula = if term == "True" { Token::True } else { Token::False };
    let error = slip(site.span(at - 1..at), format!("the value `{term}` where a formula is expected"))
        .help(format!("the formula is written `{}`", term.to_lowercase()))
        .mend(term.to_lowercase());
    Some(Repair::new(at - 1..at, [formula], error))
}

/// `X = ?`
fn any_value<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let (Token::Question | Token::Star | Token::Underscore, Token::Equal) = (site.found()?, site.back(1)?)
    else {
        return None;
    };
    let start = site.term_before(at - 1).filter(|_| site.place() == DeclarationPart::Formula)?;
    let error = slip(site.span(start..at + 1), format!("`{}` in a formula", site.source(at..at + 1)))
        .label("`?` is a value in updates only")
        .help("leave the comparison out, or write `true`")
        .mend("true");
    Some(Repair::new(start..at + 1, [Token::True], error).habit("any value of a formula"))
}

/// `(X + 1) >= 1`
fn parenthesised_term<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    if site.found()? != Token::ParClose || !site.expects("=") {
        return None;
    }
    let next = site.ahead(1)?;
    if !next.is_comparison() && !matches!(next, Token::Plus | Token::Minus | Token::Star) {
        return None;
    }
    let open = *site.open().last()?;
    let inside = site.source(open + 1..at);
    let error = slip(site.span(open..at + 1), "a term in parentheses")
        .label("only formulas have parentheses")
        .write(inside);
    Some(Repair::new(open..at + 1, (open + 1..at).filter_map(|i| site.token(i)).collect::<Vec<_>>(), error))
}

/// `| c -> v` or `| c => v` in a `case`.
fn arrow_of_a_branch<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    if site.place() != DeclarationPart::Branch {
        return None;
    }
    let at = site.at;
    let bar = (0..at).rev().find(|&i| site.token(i) == Some(Token::Bar))?;
    let arrow = (bar..(at + 1).min(site.chunk.len())).find_map(|i| match site.token(i)? {
        Token::Implies => Some(i..i + 1),
        Token::Minus if site.token(i + 1) == Some(Token::Greater) => Some(i..i + 2),
        _ => None,
    })?;
    let colon = (bar..at).any(|i| site.token(i) == Some(Token::Colon));
    if colon {
        return None;
    }
    let condition = site.source(bar..arrow.start);
    let error =
        slip(site.span(arrow.clone()), format!("`{}` in a branch of a `case`", site.source(arrow.clone())))
            .help(format!("write `{condition} : ..`"));
    Some(Repair::new(arrow, [Token::Colon], error).habit("branch"))
}

/// `Lock` for `Lock = True`.
fn alone<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let ends = matches!(
        site.found(),
        Some(
            Token::And
                | Token::Or
                | Token::BraceClose
                | Token::ParClose
                | Token::Implies
                | Token::Iff
                | Token::Then
                | Token::Else
                | Token::Colon
        ) | None
    );
    if !ends || !site.expects("=") || !site.expects("<>") {
        return None;
    }
    let start = site.term_before(at)?;
    let term = site.source(start..at);
    let negated = start > 0 && site.token(start - 1) == Some(Token::Not);
    // The meaning of a name is not known here.
    let (from, right) = if negated { (start - 1, "False") } else { (start, "True") };
    let meant = format!("{term} = {right}");
    let typed = site.source(from..at);
    let error = if negated && site.source(from..start) != "not" {
        foreign(site.span(from..at), format!("`{typed}` is written `{meant}`"))
            .label("a formula compares")
            .mend(meant)
    } else {
        slip(site.span(from..at), format!("`{typed}` is not a formula"))
            .label("a formula compares")
            .help(format!("write `{meant}` if it is of type `bool`"))
            .mend(meant)
    };
    Some(Repair::new(from..at, [Token::True], error).habit("alone"))
}

/// Products that are not multiples.
fn arithmetic<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    if (site.back(1)?, site.found()?) == (Token::Star, Token::Star) {
        let error = foreign(site.span(at - 1..at + 1), "there is no power operator")
            .help("numbers are added, subtracted, compared and multiplied by numbers");
        return Some(Repair::new(at - 1..at + 2, [], error));
    }
    // The second factor does not fit, or `*` after a product or a real number.
    let star = match (site.back(1), site.found()?) {
        (_, Token::Star) => at,
        (Some(Token::Star), Token::Mident(_) | Token::Lident(_) | Token::Real(_) | Token::Int(_)) => at - 1,
        _ => return None,
    };
    let start = site.term_before(star)?;
    let name = |token: Option<Token<'t>>| matches!(token, Some(Token::Mident(_) | Token::Lident(_)));
    let indexed = name(site.token(star + 1)) && site.token(star + 2) == Some(Token::BracketOpen);
    let last = if indexed { site.closing(star + 2)? } else { star + 1 };
    let two = site.token(start).is_some_and(|it| name(Some(it))) && name(site.token(star + 1));
    let left = site.source(start..star);
    let error = if two {
        slip(site.span(start..last + 1), "a product of two variables")
            .label("only a number multiplies")
            .help(format!("write `2 * {left}`, or a sum; products of variables are not in the language"))
    } else {
        slip(site.span(start..last + 1), "a product that is not a multiple of a variable")
            .label("the factor must be one whole number")
            .help("write `2 * X`, with the product of the numbers worked out")
    };
    Some(Repair::new(star..last + 1, [], error))
}

/// Missing, dangling and wrong connectives.
fn connective<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let formula = matches!(site.place(), DeclarationPart::Formula | DeclarationPart::Branch);
    let here = at..at + 1;
    // After a name the grammar may have gone on to where only the end fits.
    let goes_on = site.expects("&&") || (site.expects("}") && matches!(site.found(), Some(Token::Comma)));
    if formula && goes_on {
        match site.found()? {
            Token::Comma | Token::Semicolon if site.place() == DeclarationPart::Formula => {
                let typed = site.source(here.clone());
                let error = foreign(site.span(here.clone()), format!("`{typed}` between formulas"))
                    .help("conjunction is written `&&`")
                    .mend(" &&");
                return Some(Repair::new(here, [Token::And], error).habit("comma"));
            }
            Token::Bar if site.place() == DeclarationPart::Formula => {
                let error = slip(site.span(here.clone()), "`|` between formulas")
                    .help("disjunction is written `||`")
                    .mend("||");
                return Some(Repair::new(here, [Token::Or], error).habit("bar"));
            }
            Token::Mident(_)
            | Token::Lident(_)
            | Token::ParOpen
            | Token::Not
            | Token::Forall
            | Token::Exists
            | Token::ForallOther
            | Token::ExistsOther
            | Token::True
            | Token::False => {
                let error = slip(site.after(at), "`&&` is missing between two formulas").help(format!(
                    "write `&&` (and), `||` (or) or `=>` (implies) before `{}`",
                    site.source(here)
                ));
                return Some(Repair::new(at..at, [Token::And], error));
            }
            _ => {}
        }
    }
    let connective = |token: Option<Token<'_>>| {
        matches!(token, Some(Token::And | Token::Or | Token::Implies | Token::Iff))
    };
    match site.found() {
        None | Some(Token::BraceClose | Token::ParClose | Token::Colon | Token::And | Token::Or)
            if connective(site.back(1)) =>
        {
            let typed = site.source(at - 1..at);
            let error = slip(site.span(at - 1..at), format!("nothing on the right of `{typed}`"))
                .label("a formula is missing after it, or this is one too many");
            Some(Repair::new(at - 1..at, [], error))
        }
        found
            if connective(found)
                && matches!(site.back(1), Some(Token::BraceOpen | Token::ParOpen | Token::Dot)) =>
        {
            let typed = site.source(here.clone());
            let error = slip(site.span(here.clone()), format!("nothing on the left of `{typed}`"))
                .help("leave it out: connectives stand between formulas");
            Some(Repair::new(here, [], error).habit("bullet"))
        }
        Some(Token::Int(_) | Token::Real(_) | Token::Mident(_))
            if formula && site.expects("=") && site.expects("<") =>
        {
            let start = site.term_before(at).unwrap_or(at);
            let error = slip(site.after(at), "a comparison is missing here")
                .help(format!("write `{} = {}`", site.source(start..at), site.source(here)))
                .mend_at(site.end(at), " =");
            Some(Repair::new(at..at, [Token::Equal], error))
        }
        _ => None,
    }
}
