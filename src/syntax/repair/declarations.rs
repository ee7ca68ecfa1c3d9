//! Heads of declarations: types, variables, arrays, constants, parameter lists.

use super::site::{Repair, Site, capital, foreign, letter_case, slip, small};
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
        .help("write `number_procs 3`");
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
            .help("write `=`");
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

/// The constructors in another language's dress: braces, commas, small letters.
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

fn symbol<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let here = at..at + 1;
    let end = site.chunk.len();
    let keyword = site.source(0..1);
    let array = site.first() == Some(Token::Array);
    let colon = site.chunk[..at.min(end)].iter().any(|&(_, token, _)| token == Token::Colon);
    let Some(found) = site.found() else { return without_type(site) };
    if at == 3 && found == Token::Array {
        return array_of(site);
    }
    match found {
        Token::Lident(name) if at == 1 => {
            if let Some(Token::Mident(variable)) = site.ahead(1) {
                let error = foreign(site.span(1..3), "the type comes after the name")
                    .help(format!("write `{keyword} {variable} : {name}`"));
                Some(Repair::new(1..3, [Token::Mident(variable), Token::Colon, Token::Lident(name)], error))
            } else {
                let error = letter_case(site.span(here.clone()), format!("`{name}` with a small letter"))
                    .label("names of variables, constants and arrays begin with a capital letter")
                    .help(format!("write `{}`, here and where it is used", capital(name)));
                Some(Repair::new(here, [Token::Mident(name)], error))
            }
        }
        // `array [proc] S : state`
        Token::BracketOpen if at == 1 => {
            let close = site.closing(1)?;
            let Some(Token::Mident(name)) = site.token(close + 1) else { return None };
            let mut with = vec![Token::Mident(name)];
            with.extend((1..=close).filter_map(|i| site.token(i)));
            let error = slip(site.span(1..close + 2), "the index types come after the name")
                .help(format!("write `array {name}{}`", site.source(1..close + 1)));
            Some(Repair::new(1..close + 2, with, error))
        }
        // `var S[proc] : state`
        Token::BracketOpen if at == 2 && !array => {
            let error = slip(site.span(0..1), "an array is declared with `array`")
                .help(format!("write `array {}`", site.source(1..end)));
            Some(Repair::new(0..1, [Token::Array], error))
        }
        // `array S : state`
        Token::Colon if at == 2 && array => {
            let error = slip(site.span(1..2), "an array without an index").help(format!(
                "write `array {}[proc] {}`",
                site.source(1..2),
                site.source(2..end)
            ));
            Some(Repair::new(2..2, [Token::BracketOpen, Token::Lident("proc"), Token::BracketClose], error))
        }
        // `array S[3]`, `array S[1..N]`
        _ if array && !colon && at >= 3 && site.expects("lident") => {
            let close = site.closing(2)?;
            let error = slip(site.span(3..close), "this is no index type")
                .label("an array is indexed by processes")
                .help(format!("write `array {}[proc] {}`", site.source(1..2), site.source(close + 1..end)));
            Some(Repair::new(3..close, [Token::Lident("proc")], error))
        }
        // `var A, B : t`
        Token::Comma if at == 2 && !array && site.expects(":") => several(site),
        Token::In | Token::Equal | Token::Assign
            if at == 2 && site.expects(":") && matches!(site.ahead(1), Some(Token::Lident(_))) =>
        {
            let error =
                slip(site.span(here.clone()), format!("`{}` before a type", site.source(here.clone())))
                    .help(format!("write `{} : {}`", site.source(0..2), site.source(at + 1..end)));
            Some(Repair::new(here, [Token::Colon], error))
        }
        Token::Lident(ty) if site.expects(":") => {
            let error = slip(site.after(at), "`:` is missing before the type")
                .help(format!("write `{} : {ty}`", site.source(0..at)));
            Some(Repair::new(at..at, [Token::Colon], error))
        }
        // `var Count : 0..3`
        Token::Int(_) | Token::Real(_) | Token::BraceOpen | Token::BracketOpen
            if colon && site.expects("lident") =>
        {
            let name = site.source(1..2);
            let error = foreign(site.span(at..end), format!("`{}` as a type", site.source(at..end)))
                .label("there are no ranges: a type is a name")
                .help(format!(
                    "write `{keyword} {name} : int`, and guards for the bounds; or list the values with `type`"
                ));
            Some(Repair::new(at..end, [Token::Lident("int")], error))
        }
        Token::Mident(name) if colon && site.expects("lident") => Some(capital_type(site, name)),
        // `var Count : int = 0`
        Token::Equal | Token::Assign if !array && (colon || at == 2) => {
            let (name, value) = (site.source(1..2), site.source(at + 1..end));
            let error = slip(site.span(at..end), "a declaration with a value")
                .label("what holds in the beginning is said by `init`")
                .help(format!("write `init {{ .. && {name} = {value} }}`"));
            let with: &[Token<'t>] = if colon { &[] } else { &[Token::Colon, Token::Lident("int")] };
            Some(Repair::new(at..end, with, error))
        }
        _ => None,
    }
}

/// `var Lock`
fn without_type<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let end = site.chunk.len();
    let keyword = site.source(0..1);
    let Some(Token::Mident(name)) = site.token(1) else { return None };
    let what = if site.first() == Some(Token::Array) {
        format!("array {name}[proc] : bool")
    } else {
        format!("{keyword} {name} : bool")
    };
    let error = slip(site.span(0..end), format!("`{name}` has no type")).help(format!(
        "write `{what}`, or another type: `int`, `real`, `proc`, or one that is declared with `type`"
    ));
    site.expects(":").then(|| Repair::new(end..end, [], error))
}

/// `var S : array [proc] of state`
fn array_of<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let (at, end) = (site.at, site.chunk.len());
    let (Some(Token::Mident(name)), Some(Token::BracketOpen)) = (site.token(1), site.ahead(1)) else {
        return None;
    };
    let close = site.closing(at + 1)?;
    let ty = (close + 1..end).rev().find_map(|i| match site.token(i) {
        Some(Token::Lident(ty)) if ty != "of" => Some(ty),
        _ => None,
    })?;
    let mut with = vec![Token::Array, Token::Mident(name)];
    with.extend((at + 1..=close).filter_map(|i| site.token(i)));
    with.extend([Token::Colon, Token::Lident(ty)]);
    let index = site.source(at + 1..close + 1);
    let error = foreign(site.span(0..end), "an array is declared with `array`")
        .write(&format!("array {name}{index} : {ty}"));
    Some(Repair::new(0..end, with, error))
}

/// `var Lock : Bool`
fn capital_type<'t>(site: &Site<'_, 't>, name: &'t str) -> Repair<'t> {
    let here = site.at..site.at + 1;
    if site.known.raised.contains(&name) {
        return Repair::silent(here, [Token::Lident(name)]);
    }
    let lower = small(name);
    let mut error = letter_case(site.span(here.clone()), format!("type `{name}` with a capital letter"))
        .label("names of types begin with a small letter");
    let predeclared = ["bool", "int", "real", "proc"];
    let meant = predeclared.iter().chain(&site.known.smalls).find(|known| **known == lower).copied();
    let with = meant.unwrap_or("int");
    if let Some(meant) = meant {
        error = error.did_you_mean(meant);
    }
    Repair::new(here, [Token::Lident(with)], error)
}

/// `var A, B : t`
fn several<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let end = site.chunk.len();
    let keyword = site.chunk[0];
    let colon = site.chunk.iter().position(|&(_, token, _)| token == Token::Colon)?;
    let tail = &site.chunk[colon..];
    let names: Vec<usize> =
        (1..colon).filter(|&i| matches!(site.token(i), Some(Token::Mident(_) | Token::Lident(_)))).collect();
    let each = |&i: &usize| [&[keyword, site.chunk[i]][..], tail].concat();
    let ty = site.source(colon..end);
    let help: Vec<String> =
        names.iter().map(|&i| format!("`{} {} {ty}`", site.source(0..1), site.source(i..i + 1))).collect();
    let error = slip(site.span(1..colon), "several names in one declaration")
        .label("each is declared by itself")
        .help(format!("write {}", help.join(" and ")));
    let (_, rest) = names.split_first()?;
    let mut repair = Repair::new(2..colon, [], error);
    repair.more = rest.iter().map(each).collect();
    Some(repair)
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
            let error = slip(site.span(here), "`,` between parameters")
                .label("parameters are separated by blanks")
                .help(format!("write `({})`", written.join(" ")));
            Some(Repair::new(open + 1..close, names, error))
        }
        Token::Lident(_) if predicate && site.expects(",") => {
            let error = slip(site.after(at), "`,` is missing between the parameters of a predicate");
            Some(Repair::new(at..at, [Token::Comma], error))
        }
        Token::Colon => {
            let Some(Token::Lident(_)) = site.ahead(1) else { return None };
            let error = foreign(site.span(at..at + 2), "a parameter with a type")
                .label("every parameter is a process")
                .help(format!("leave out `{}`", site.source(at..at + 2)));
            Some(Repair::new(at..at + 2, [], error))
        }
        Token::Mident(name) => {
            let lower = small(name);
            let error =
                letter_case(site.span(here.clone()), format!("parameter `{name}` with a capital letter"))
                    .label("names of processes begin with a small letter")
                    .help(format!("write `{lower}`, here and where it is used"));
            // Everywhere in this declaration, so that nothing follows from it.
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
            let mut repair = Repair::new(at..site.chunk.len(), renamed, error);
            repair.range = at..site.chunk.len();
            Some(repair)
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
        Token::Requires | Token::BraceOpen | Token::Colon | Token::Equal if transition && at == 2 => {
            let name = site.source(1..2);
            let error = slip(site.span(1..2), "a transition without a parameter list")
                .label("`(..)` is missing after the name")
                .help(format!(
                    "write `transition {name} (i)`, or `transition {name} ()` when no process is meant"
                ));
            Some(Repair::new(2..2, [Token::ParOpen, Token::ParClose], error))
        }
        Token::ParOpen if transition && at == 1 => {
            let error = slip(site.span(0..1), "a transition without a name")
                .help(format!("write `transition step {}`", site.source(1..2)));
            Some(Repair::new(1..1, [Token::Lident("step")], error))
        }
        Token::Lident(name) | Token::Mident(name) if at == 1 && site.expects("{") => {
            let keyword = site.source(0..1);
            let error = slip(site.span(here.clone()), format!("`{keyword}` with a name"))
                .label("only transitions and predicates have names")
                .help(format!("write `{keyword} (..) {{ .. }}`, and `(* {name} *)` before it"));
            Some(Repair::new(here, [], error))
        }
        _ => None,
    }
}
