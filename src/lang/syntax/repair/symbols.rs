//! Declarations of variables, arrays and constants.

use super::site::{Repair, Site, capital, foreign, letter_case, slip, small};
use crate::syntax::token::Token;

pub(super) fn symbol<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let array = site.first() == Some(Token::Array);
    let colon = site.chunk[..at.min(site.chunk.len())].iter().any(|&(_, token, _)| token == Token::Colon);
    let Some(found) = site.found() else { return without_type(site) };
    match found {
        Token::Array if at == 3 => array_of(site),
        Token::Lident(name) if at == 1 => Some(small_name(site, name)),
        Token::BracketOpen if at == 1 => index_before_name(site),
        Token::BracketOpen if at == 2 && !array => Some(indexed_variable(site)),
        Token::Colon if at == 2 && array => Some(array_without_index(site)),
        _ if array && !colon && at >= 3 && site.expects("lident") => no_index_type(site),
        Token::Comma if at == 2 && !array && site.expects(":") => several(site),
        Token::In | Token::Equal | Token::Assign
            if at == 2 && site.expects(":") && matches!(site.ahead(1), Some(Token::Lident(_))) =>
        {
            Some(other_colon(site))
        }
        Token::Lident(ty) if site.expects(":") => {
            let error = slip(site.after(at), "`:` is missing before the type")
                .help(format!("write `{} : {ty}`", site.source(0..at)))
                .mend_at(site.end(at), " :");
            Some(Repair::new(at..at, [Token::Colon], error))
        }
        Token::Int(_) | Token::Real(_) | Token::BraceOpen | Token::BracketOpen
            if colon && site.expects("lident") =>
        {
            Some(range_as_type(site))
        }
        Token::Mident(name) if colon && site.expects("lident") => Some(capital_type(site, name)),
        Token::Equal | Token::Assign if !array && (colon || at == 2) => Some(with_value(site, colon)),
        _ => None,
    }
}

/// `var lock : bool`, `var bool Lock`
fn small_name<'t>(site: &Site<'_, 't>, name: &'t str) -> Repair<'t> {
    if let Some(Token::Mident(variable)) = site.ahead(1) {
        let error = foreign(site.span(1..3), "the type comes after the name")
            .help(format!("write `{} {variable} : {name}`", site.source(0..1)))
            .mend(format!("{variable} : {name}"));
        Repair::new(1..3, [Token::Mident(variable), Token::Colon, Token::Lident(name)], error)
    } else {
        let error = letter_case(site.span(1..2), format!("`{name}` with a small letter"))
            .label("names of variables, constants and arrays begin with a capital letter")
            .help(format!("write `{}`, here and where it is used", capital(name)));
        Repair::new(1..2, [Token::Mident(name)], error)
    }
}

/// `array [proc] S : state`
fn index_before_name<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let close = site.closing(1)?;
    let Some(Token::Mident(name)) = site.token(close + 1) else { return None };
    let mut with = vec![Token::Mident(name)];
    with.extend((1..=close).filter_map(|i| site.token(i)));
    let error = slip(site.span(1..close + 2), "the index types come after the name")
        .help(format!("write `array {name}{}`", site.source(1..close + 1)))
        .mend(format!("{name}{}", site.source(1..close + 1)));
    Some(Repair::new(1..close + 2, with, error))
}

/// `var S[proc] : state`
fn indexed_variable<'t>(site: &Site<'_, 't>) -> Repair<'t> {
    let error = slip(site.span(0..1), "an array is declared with `array`")
        .help(format!("write `array {}`", site.source(1..site.chunk.len())))
        .mend("array");
    Repair::new(0..1, [Token::Array], error)
}

/// `array S : state`
fn array_without_index<'t>(site: &Site<'_, 't>) -> Repair<'t> {
    let (name, rest) = (site.source(1..2), site.source(2..site.chunk.len()));
    let error = slip(site.span(1..2), "an array without an index")
        .help(format!("write `array {name}[proc] {rest}`"))
        .mend(format!("{name}[proc]"));
    Repair::new(2..2, [Token::BracketOpen, Token::Lident("proc"), Token::BracketClose], error)
}

/// `array S[3]`, `array S[1..N]`
fn no_index_type<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let close = site.closing(2)?;
    let (name, rest) = (site.source(1..2), site.source(close + 1..site.chunk.len()));
    let typed = site.source(3..close);
    let message = if typed.is_empty() {
        "an array without an index".to_owned()
    } else {
        format!("`{typed}` is not an index type")
    };
    let error = slip(site.span(2..close + 1), message)
        .label("an array is indexed by processes")
        .help(format!("write `array {name}[proc] {rest}`"))
        .mend("[proc]");
    Some(Repair::new(3..close, [Token::Lident("proc")], error))
}

/// `var Lock = bool`
fn other_colon<'t>(site: &Site<'_, 't>) -> Repair<'t> {
    let (at, here) = (site.at, site.at..site.at + 1);
    let error = slip(site.span(here.clone()), format!("`{}` before a type", site.source(here.clone())))
        .help(format!("write `{} : {}`", site.source(0..2), site.source(at + 1..site.chunk.len())))
        .mend(":");
    Repair::new(here, [Token::Colon], error)
}

/// `var Count : 0..3`
fn range_as_type<'t>(site: &Site<'_, 't>) -> Repair<'t> {
    let (keyword, name) = (site.source(0..1), site.source(1..2));
    let range = site.at..site.chunk.len();
    let error = foreign(site.span(range.clone()), format!("`{}` as a type", site.source(range.clone())))
        .label("a range is written `0..3`, with constants as bounds")
        .help(format!("write `{keyword} {name} : 0..3` with its bounds, or `int` for numbers without bounds"))
        .mend("int");
    Repair::new(range, [Token::Lident("int")], error)
}

/// `var Count : int = 0`; the type may be missing.
fn with_value<'t>(site: &Site<'_, 't>, typed: bool) -> Repair<'t> {
    let (at, end) = (site.at, site.chunk.len());
    let (name, value) = (site.source(1..2), site.source(at + 1..end));
    let ty = match site.token(end - 1) {
        Some(Token::Real(_)) => "real",
        Some(Token::Mident("True" | "False") | Token::True | Token::False) => "bool",
        Some(Token::Mident(_) | Token::Lident(_)) => "..",
        _ => "int",
    };
    let declaration =
        if typed { site.source(0..at).to_owned() } else { format!("{} : {ty}", site.source(0..2)) };
    let error = slip(site.span(at..end), "a declaration with a value")
        .label("initial values belong in `init`")
        .help(format!("write `{declaration}`, and in the formula of `init`: `{name} = {value}`"));
    let error = if ty == ".." && !typed { error } else { error.mend_at(site.span(0..end), declaration) };
    let with: &[Token<'t>] = if typed { &[] } else { &[Token::Colon, Token::Lident("int")] };
    Repair::new(at..end, with, error)
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
    if site.ahead(1) == Some(Token::Less) {
        let end = site.chunk.len();
        let error = foreign(site.span(site.at..end), format!("`{}` is not a type", site.source(site.at..end)))
            .label("no type has parameters")
            .help(match name {
                "Option" | "Maybe" => {
                    "declare the variable with the inner type, and one of type `bool` that says whether it has a value"
                }
                _ => "an array has a value for each process: `array A[proc] : t`",
            });
        return Repair::new(site.at..end, [], error);
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
        .label("declare each one separately")
        .help(format!("write {}", help.join(" and ")));
    let (_, rest) = names.split_first()?;
    let mut repair = Repair::new(2..colon, [], error);
    repair.more = rest.iter().map(each).collect();
    Some(repair)
}
