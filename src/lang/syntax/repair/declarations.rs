//! Heads of declarations: types, parameter lists; those of variables are in `symbols`.

use super::site::{Repair, Site, capital, foreign, letter_case, slip, small};
use super::symbols::symbol;
use crate::syntax::token::Token;

pub(super) fn repair<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    match site.first()? {
        Token::NumberProcs => number_procs(site),
        Token::Type => type_(site),
        Token::Var | Token::Const | Token::Array => symbol(site),
        _ => parameters(site).or_else(|| head(site)),
    }
}

fn number_procs<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let (Token::Equal | Token::Assign | Token::Colon) = site.found()? else { return None };
    let here = site.at..site.at + 1;
    let error = slip(site.span(here.clone()), format!("unexpected `{}`", site.source(here.clone())))
        .help(format!("write `number_procs {}`", site.source(site.at + 1..site.at + 2)))
        .mend("");
    Some(Repair::new(here, [], error))
}

fn type_<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let here = at..at + 1;
    let end = site.chunk.len();
    match site.found()? {
        Token::Mident(name) if at == 1 => {
            let error = letter_case(site.span(here.clone()), format!("type `{name}` with a capital letter"))
                .label("names of types begin with a small letter")
                .help(format!("write `{}`, here and where the type is used", small(name)));
            Some(Repair::new(here, [Token::Lident(name)], error))
        }
        Token::Assign | Token::Colon if at == 2 => {
            let error = slip(
                site.span(here.clone()),
                format!("`{}` in the declaration of a type", site.source(here.clone())),
            )
            .write("=");
            Some(Repair::new(here, [Token::Equal], error))
        }
        Token::Comma
        | Token::Semicolon
        | Token::BraceOpen
        | Token::Lident(_)
        | Token::Or
        | Token::BracketOpen
        | Token::ParOpen
            if at >= 2 =>
        {
            enumeration(site, end)
        }
        Token::Int(_) | Token::Real(_) => {
            let error = slip(site.span(at..end), "a range of numbers as a type")
                .label("a type is abstract, or lists its values by name")
                .help("use `int`, and guards for the bounds; or `type t = One | Two | Three`");
            Some(Repair::new(2..end, [], error))
        }
        _ => None,
    }
}

/// Constructors in the style of another language: braces, commas, small letters.
fn enumeration<'t>(site: &Site<'_, 't>, end: usize) -> Option<Repair<'t>> {
    let (Token::Lident(name) | Token::Mident(name)) = site.token(1)? else { return None };
    let mut constructors = Vec::new();
    for i in 2..end {
        match site.token(i)? {
            Token::Mident(name) | Token::Lident(name) => constructors.push((i, name)),
            Token::Equal
            | Token::Bar
            | Token::Or
            | Token::Comma
            | Token::Semicolon
            | Token::BraceOpen
            | Token::BraceClose
            | Token::BracketOpen
            | Token::BracketClose
            | Token::ParOpen
            | Token::ParClose => {}
            _ => return None,
        }
    }
    let lower = |name: &str| name.starts_with(|c: char| c.is_ascii_lowercase());
    if constructors.is_empty() {
        return None;
    }
    let text: Vec<String> = constructors.iter().map(|(_, name)| capital(name)).collect();
    let help = format!("write `type {name} = {}`", text.join(" | "));
    let small: Vec<_> = constructors.iter().filter(|(_, name)| lower(name)).collect();
    let error = match small.as_slice() {
        [] => slip(site.span(site.at..site.at + 1), "values of a type are separated by `|`"),
        [(first, name), rest @ ..] => {
            let first = site.span(*first..*first + 1);
            let mut error = letter_case(first, format!("constructor `{name}` with a small letter"))
                .label("values of a type begin with a capital letter");
            for (i, _) in rest.iter().take(3) {
                error = error.also(site.span(*i..*i + 1), "and this one");
            }
            error
        }
    };
    let mut with = vec![Token::Equal];
    for (n, (_, name)) in constructors.iter().enumerate() {
        with.extend((n > 0).then_some(Token::Bar));
        with.push(Token::Mident(name));
    }
    Some(Repair::new(2..end, with, error.help(help)))
}

/// Parameter lists.
fn parameters<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let open = *site.open().first()?;
    let predicate = site.first() == Some(Token::Predicate);
    if site.token(open) != Some(Token::ParOpen) || site.open().len() > 1 {
        return None;
    }
    let close = site.closing(open);
    let here = at..at + 1;
    match site.found()? {
        Token::Comma if !predicate => {
            let close = close?;
            let names: Vec<Token<'t>> = (open + 1..close)
                .filter_map(|i| site.token(i))
                .filter(|token| *token != Token::Comma)
                .collect();
            let written: Vec<&str> = (open + 1..close)
                .filter(|&i| site.token(i) != Some(Token::Comma))
                .map(|i| site.source(i..i + 1))
                .collect();
            let meant = format!("({})", written.join(" "));
            let error = slip(site.span(here), "`,` between parameters")
                .label("parameters are separated by blanks")
                .help(format!("write `{meant}`"))
                .mend_at(site.span(open..close + 1), meant);
            Some(Repair::new(open + 1..close, names, error))
        }
        Token::Lident(_) if predicate && site.expects(",") => {
            let error = slip(site.after(at), "`,` is missing between the parameters of a predicate")
                .mend_at(site.end(at), ",");
            Some(Repair::new(at..at, [Token::Comma], error))
        }
        Token::Colon => {
            let Some(Token::Lident(_)) = site.ahead(1) else { return None };
            let error = foreign(site.span(at..at + 2), "a parameter with a type")
                .label("parameters of a predicate stand for terms of any type and sort")
                .help(format!("leave out `{}`", site.source(at..at + 2)))
                .mend("");
            Some(Repair::new(at..at + 2, [], error).habit("typed parameter"))
        }
        Token::Mident(name) => {
            let lower = small(name);
            let error =
                letter_case(site.span(here.clone()), format!("parameter `{name}` with a capital letter"))
                    .label("names of processes begin with a small letter")
                    .help(format!("write `{lower}`, here and where it is used"));
            // Everywhere in this declaration, so that it causes no further error.
            let parameters: Vec<&str> = (open + 1..close?)
                .filter_map(|i| if let Some(Token::Mident(name)) = site.token(i) { Some(name) } else { None })
                .collect();
            let renamed: Vec<Token<'t>> = (at..site.chunk.len())
                .filter_map(|i| site.token(i))
                .map(|token| match token {
                    Token::Mident(name) if parameters.contains(&name) => Token::Lident(name),
                    other => other,
                })
                .collect();
            Some(Repair::new(at..site.chunk.len(), renamed, error))
        }
        _ => None,
    }
}

/// Between the keyword and the first brace.
fn head<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let here = at..at + 1;
    let transition = site.first() == Some(Token::Transition);
    match site.found()? {
        Token::Mident(name) if at == 1 && site.first() == Some(Token::Predicate) => {
            let error =
                letter_case(site.span(here.clone()), format!("predicate `{name}` with a capital letter"))
                    .label("names of predicates begin with a small letter")
                    .help(format!("write `{}`, here and where it is used", small(name)));
            Some(Repair::new(here, [Token::Lident(name)], error))
        }
        Token::BraceOpen | Token::Equal if at == 2 && site.first() == Some(Token::Predicate) => {
            let names = indices(site);
            let list = names.iter().filter_map(|name| lident(*name)).collect::<Vec<_>>().join(", ");
            let name = site.source(1..2);
            let error = slip(site.span(1..2), "a predicate without a parameter list")
                .label("`(..)` is missing after the name")
                .help(format!("write `predicate {name} ({list})`"))
                .mend_at(site.end(2), format!(" ({list})"));
            let mut with = vec![Token::ParOpen];
            for (i, name) in names.into_iter().enumerate() {
                with.extend((i > 0).then_some(Token::Comma));
                with.push(name);
            }
            with.push(Token::ParClose);
            Some(Repair::new(2..2, with, error))
        }
        Token::Requires | Token::BraceOpen | Token::Colon | Token::Equal if transition && at == 2 => {
            let name = site.source(1..2);
            let names = indices(site);
            let list = names.iter().filter_map(|name| lident(*name)).collect::<Vec<_>>().join(" ");
            let error = slip(site.span(1..2), "a transition without a parameter list")
                .label("`(..)` is missing after the name");
            let error = if names.is_empty() {
                error.help(format!("write `transition {name} ()` when no process is meant"))
            } else {
                error.help(format!("write `transition {name} ({list})`"))
            };
            let with = [&[Token::ParOpen], &names[..], &[Token::ParClose]].concat();
            Some(Repair::new(2..2, with, error.mend_at(site.end(2), format!(" ({list})"))))
        }
        Token::ParOpen if transition && at == 1 => {
            let list = site.closing(1).map_or(1..2, |close| 1..close + 1);
            let error = slip(site.span(0..1), "a transition without a name")
                .help(format!("write `transition step {}`", site.source(list)))
                .mend_at(site.end(1), " step");
            Some(Repair::new(1..1, [Token::Lident("step")], error))
        }
        Token::Lident(_) | Token::Comma | Token::BraceOpen
            if site.expects("(") && at <= 2 && without_parentheses(site).is_some() =>
        {
            without_parentheses(site)
        }
        Token::Minus | Token::Implies | Token::Equal | Token::Colon | Token::Lident(_)
            if site.expects("~>") =>
        {
            let end = match (site.found()?, site.ahead(1)) {
                (Token::Minus, Some(Token::Greater)) | (Token::Equal, Some(Token::Implies)) => at + 2,
                (Token::Minus, Some(Token::Minus)) if site.ahead(2) == Some(Token::Greater) => at + 3,
                _ => at + 1,
            };
            let typed = site.source(at..end);
            let error = foreign(site.span(at..end), format!("`{typed}` is written `~>`"))
                .label("leads to")
                .mend("~>");
            Some(Repair::new(at..end, [Token::LeadsTo], error))
        }
        Token::Lident(name) | Token::Mident(name) if at == 1 && site.expects("{") => {
            let keyword = site.source(0..1);
            let error = slip(site.span(here.clone()), format!("`{keyword}` with a name"))
                .label("only transitions, predicates and properties have names")
                .help(format!("write `{keyword} (..) {{ .. }}`, and `(* {name} *)` before it"))
                .mend("");
            Some(Repair::new(here, [], error))
        }
        _ => None,
    }
}

/// `unsafe p q { .. }`, `transition t p, q { .. }`
fn without_parentheses<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let from = if matches!(site.first()?, Token::Transition | Token::Predicate) { 2 } else { 1 };
    let end = (from..site.chunk.len())
        .find(|&i| matches!(site.token(i), Some(Token::BraceOpen | Token::Requires)))
        .filter(|&end| end > from && end > site.at)?;
    let mut names = Vec::new();
    for i in from..end {
        match site.token(i)? {
            name @ Token::Lident(_) => names.push(name),
            Token::Comma => {}
            _ => return None,
        }
    }
    let separator = if site.first() == Some(Token::Predicate) { ", " } else { " " };
    let list = names.iter().filter_map(|name| lident(*name)).collect::<Vec<_>>().join(separator);
    let error = slip(site.span(from..end), "parameters without parentheses")
        .help(format!("write `{} ({list})`", site.source(0..from)))
        .mend(format!("({list})"));
    let mut with = vec![Token::ParOpen];
    for name in names {
        if separator == ", " && with.len() > 1 {
            with.push(Token::Comma);
        }
        with.push(name);
    }
    with.push(Token::ParClose);
    Some(Repair::new(from..end, with, error))
}

const fn lident(token: Token<'_>) -> Option<&str> {
    if let Token::Lident(name) = token { Some(name) } else { None }
}

/// The unbound processes that index arrays in this declaration, in order.
fn indices<'t>(site: &Site<'_, 't>) -> Vec<Token<'t>> {
    let mut bound: Vec<Token<'t>> = Vec::new();
    let mut names: Vec<Token<'t>> = Vec::new();
    let mut depth = 0_usize;
    for (i, &(_, token, _)) in site.chunk.iter().enumerate() {
        match token {
            Token::Forall | Token::Exists | Token::ForallOther | Token::ExistsOther | Token::Let => {
                let names = site.chunk[i + 1..].iter().map(|&(_, token, _)| token);
                bound.extend(names.take_while(|it| matches!(it, Token::Lident(_) | Token::Different)));
            }
            Token::BracketOpen => depth += 1,
            Token::BracketClose => {
                depth = depth.saturating_sub(1);
                // `A[c] := case ..` binds its index.
                if site.token(i + 1) == Some(Token::Assign) && site.token(i + 2) == Some(Token::Case) {
                    bound.extend(site.token(i - 1));
                }
            }
            Token::Lident(_) if depth > 0 && !names.contains(&token) => names.push(token),
            _ => {}
        }
    }
    names.retain(|name| !bound.contains(name));
    names
}
