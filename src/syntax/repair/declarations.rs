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
