//! Mends in heads and blocks of declarations that need more than a pattern: misspelt keywords and rules of Murphi, too.

use super::lists::{is_listed, token};
use super::site::{Repair, Site, foreign, letter_case, slip, small};
use crate::diagnostic::Span;
use crate::spelling::nearest;
use crate::syntax::ast::capital;
use crate::syntax::token::{Placed, Token};

/// Constructors in the style of another language: braces, commas, small letters.
pub fn enumeration<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let (Token::Lident(name) | Token::Mident(name)) = site.token(1)? else { return None };
    let end = site.chunk.len();
    let mut constructors = Vec::new();
    for i in 2..end {
        match site.token(i)? {
            Token::Mident(name) | Token::Lident(name) => constructors.push((i, name)),
            Token::Equal | Token::Bar | Token::Or | Token::Comma | Token::Semicolon => {}
            token if token.opens() || token.closes() => {}
            _ => return None,
        }
    }
    if constructors.is_empty() {
        return None;
    }
    let text: Vec<String> = constructors.iter().map(|(_, name)| capital(name)).collect();
    let mut small =
        constructors.iter().filter(|(_, name)| name.starts_with(|c: char| c.is_ascii_lowercase()));
    let mut error = match small.next() {
        None => slip(site.span(site.here()), "values of a type are separated by `|`"),
        Some((first, name)) => {
            letter_case(site.span(*first..*first + 1), format!("constructor `{name}` with a small letter"))
                .label("values of a type begin with a capital letter")
        }
    };
    for (i, _) in small.take(3) {
        error = error.also(site.span(*i..*i + 1), "and this one");
    }
    let names: Vec<_> = constructors.iter().map(|(_, name)| Token::Mident(name)).collect();
    let with = [vec![Token::Equal], separated(&names, Token::Bar)].concat();
    Some(Repair::new(2..end, with, error.help(format!("write `type {name} = {}`", text.join(" | ")))))
}

/// The names with a separator between them.
fn separated<'t>(names: &[Token<'t>], separator: Token<'t>) -> Vec<Token<'t>> {
    names.chunks(1).map(<[_]>::to_vec).collect::<Vec<_>>().join(&separator)
}

/// `var A, B : t`
pub fn several_names<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let end = site.chunk.len();
    let colon = (0..end).find(|&i| site.token(i) == Some(Token::Colon))?;
    let is_name = |&i: &usize| matches!(site.token(i), Some(Token::Mident(_) | Token::Lident(_)));
    let names: Vec<usize> = (1..colon).filter(is_name).collect();
    let (keyword, ty) = (site.source(0..1), site.source(colon..end));
    let each: Vec<String> =
        names.iter().map(|&i| format!("`{keyword} {} {ty}`", site.source(i..i + 1))).collect();
    let error = slip(site.span(1..colon), "several names in one declaration")
        .label("declare each one separately")
        .help(format!("write {}", each.join(" and ")));
    let mut repair = Repair::new(2..colon, [], error);
    let declaration = |&i: &usize| [&[site.chunk[0], site.chunk[i]], &site.chunk[colon..]].concat();
    repair.more = names.get(1..)?.iter().map(declaration).collect();
    Some(repair)
}

/// `transition t (P)`: renamed everywhere in this declaration, so that it causes no further error.
pub fn capital_parameter<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let Token::Mident(name) = site.found()? else { return None };
    let rest = site.at..site.chunk.len();
    let error = letter_case(site.span(site.here()), format!("parameter `{name}` with a capital letter"))
        .label("names of processes begin with a small letter")
        .help(format!("write `{}`, here and where it is used", small(name)));
    let parameters = site.tokens(site.at..site.closing(*site.open.first()?)?);
    let renamed = site.tokens(rest.clone()).into_iter().map(|token| match token {
        Token::Mident(name) if parameters.contains(&token) => Token::Lident(name),
        other => other,
    });
    Some(Repair::new(rest, renamed.collect::<Vec<_>>(), error))
}

/// `predicate p { .. }`, `transition t requires { .. }`
pub fn no_parameters<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let (name, names) = (site.source(1..2), indices(site));
    let predicate = site.token(0) == Some(Token::Predicate);
    let texts: Vec<&str> = names.iter().filter_map(|name| lident(*name)).collect();
    let list = texts.join(if predicate { ", " } else { " " });
    let keyword = if predicate { "predicate" } else { "transition" };
    let help = if names.is_empty() && !predicate {
        format!("write `transition {name} ()` when no process is meant")
    } else {
        format!("write `{keyword} {name} ({list})`")
    };
    let error = slip(site.span(1..2), format!("a {keyword} without a parameter list"))
        .label("`(..)` is missing after the name")
        .help(help)
        .mend_at(site.end(2), format!(" ({list})"));
    Some(Repair::new(2..2, parenthesised(&names, predicate), error))
}

fn parenthesised<'t>(names: &[Token<'t>], commas: bool) -> Vec<Token<'t>> {
    let names = if commas { separated(names, Token::Comma) } else { names.to_vec() };
    [vec![Token::ParOpen], names, vec![Token::ParClose]].concat()
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

/// `requires S[i] = Idle { .. }`
pub fn no_braces<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let (at, found) = (site.at, site.found()?);
    let end =
        (at..site.chunk.len()).find(|&i| site.token(i) == Some(Token::BraceOpen)).unwrap_or(site.chunk.len());
    let holds = |token: Token<'_>| (at..end).any(|i| site.token(i) == Some(token));
    if site.expected.len() > 3 || found == Token::BraceOpen || found.closes() || holds(Token::Requires) {
        return None;
    }
    let block = |from: usize, to: usize| {
        [vec![Token::BraceOpen], site.tokens(from..to), vec![Token::BraceClose]].concat()
    };
    if holds(Token::Assign) && !site.expects("requires") {
        let from = at + usize::from(matches!(found, Token::Lident("begin" | "do" | "then")));
        let ends = matches!(site.token(end - 1), Some(Token::Lident(word)) if is_listed("ends", word));
        let to = end - usize::from(ends);
        let error = slip(site.span(at..end), "updates without braces")
            .write(&format!("{{ {} }}", site.source(from..to)));
        return Some(Repair::new(at..end, block(from, to), error));
    }
    // `guard ==> { updates }`
    let is_arrow =
        |token| matches!(token, Token::Implies | Token::Equal | Token::Minus | Token::Greater | Token::Colon);
    let last = (at..end).rev().find(|&i| !site.token(i).is_some_and(is_arrow))?;
    let requires = site.token(0) == Some(Token::Transition) && site.expects("requires");
    // `requires (..)`, `requires [..]`
    let closed = matches!(found, Token::ParOpen | Token::BracketOpen)
        && site.closing(at) == Some(last)
        && last > at + 1;
    let (from, to) = if closed { (at + 1, last) } else { (at, last + 1) };
    let (what, prefix) =
        if requires { ("a guard without `requires`", "requires ") } else { ("a formula without braces", "") };
    let error = slip(site.span(at..end), what).write(&format!("{prefix}{{ {} }}", site.formula(from..to)));
    let with = [vec![Token::Requires; usize::from(requires)], block(from, to)].concat();
    Some(Repair::new(at..end, with, error))
}

/// A bracket that is not closed where something else begins.
pub fn unclosed<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let open = *site.open.last()?;
    let closer = |open: usize| match site.token(open) {
        Some(Token::BraceOpen | Token::CountOpen) => ("{", "}", Token::BraceClose),
        Some(Token::BracketOpen) => ("[", "]", Token::BracketClose),
        _ => ("(", ")", Token::ParClose),
    };
    let (opening, closing, token) = closer(open);
    if let Some(found) = site.found() {
        // Another closing bracket where this one may be closed, or a token that can only follow it.
        let after = found.closes()
            || found.is_comparison()
            || matches!(
                found,
                Token::BraceOpen
                    | Token::Requires
                    | Token::Assign
                    | Token::And
                    | Token::Or
                    | Token::Semicolon
            );
        if !after || !site.expects(closing) {
            return None;
        }
    }
    let blank = if site.found().is_none() { " " } else { "" };
    let error = slip(site.after(at), format!("`{closing}` is missing"))
        .label("expected here at the latest")
        .mend_at(site.end(at), format!("{blank}{closing}"))
        .also(site.span(open..open + 1), format!("this `{opening}` is not closed"));
    // At the end of a declaration all open brackets are meant to close.
    let with = match site.found() {
        None => site.open.iter().rev().map(|&open| closer(open).2).collect(),
        Some(_) => vec![token],
    };
    Some(Repair::new(at..at, with, error))
}

/// `ruleset p : node do rule "name" guard ==> begin updates endrule; endruleset;`
pub fn rule_of_murphi<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let (chunk, text) = (site.chunk, site.text);
    let position = |from: usize, words: &[&str]| {
        let is_meant = |it: &Placed<'_>| matches!(it.1, Token::Lident(word) if words.contains(&word));
        chunk[from..].iter().position(is_meant).map(|at| from + at)
    };
    let &(l, Token::Lident(word @ ("ruleset" | "rule")), r) = chunk.first()? else { return None };
    let rule = position(0, &["rule"]).unwrap_or(0);
    let arrow = chunk.windows(2).position(|it| matches!(it, [(_, Token::Equal, _), (_, Token::Implies, _)]));
    let (Some(arrow), Some(begin)) = (arrow, position(rule, &["begin"])) else {
        let error = foreign(Span::new(l, r), format!("`{word}` is written `transition`"));
        let help = "write `transition name (p) requires { .. } { .. }`: parameters, guard and updates";
        return (word == "ruleset").then(|| Repair::lost(error.label("rules of Murphi").help(help)));
    };
    let end = position(begin, &["endrule", "end", "endruleset"]).unwrap_or(chunk.len());
    let source = |from: usize, to: usize| {
        let stretch = chunk.get(from..to).filter(|it| !it.is_empty())?;
        let text = text.get(stretch[0].0 as usize..stretch[stretch.len() - 1].2 as usize)?;
        Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let is_string = text.get(chunk.get(rule + 1)?.0 as usize..)?.starts_with('"');
    let (name, from) = match chunk[rule + 1].1 {
        Token::Lident(name) | Token::Mident(name) if is_string => (name.to_ascii_lowercase(), rule + 2),
        _ => ("step".to_owned(), rule + 1),
    };
    let parameters = chunk[..rule].windows(2).filter_map(|it| match it {
        [(_, Token::Lident(name), _), (_, Token::Colon, _)] => Some(*name),
        _ => None,
    });
    let parameters: Vec<&str> = parameters.collect();
    let (guard, updates) = (source(from, arrow)?, source(begin + 1, end).unwrap_or_default());
    let updates = updates.trim_end_matches([';', ' ']);
    let meant =
        format!("transition {name} ({}) requires {{ {guard} }} {{ {updates} }}", parameters.join(" "));
    let all = Span::new(l, chunk[chunk.len() - 1].2);
    let error = foreign(Span::new(l, r), format!("`{word}` is written `transition`"));
    let error = error.label("a rule of Murphi").help(format!("write `{meant}`"));
    Some(Repair::lost(error.mend_at(all, meant)))
}

/// Keywords that begin a declaration.
const DECLARATIONS: &str = "type var const array init invariant unsafe predicate transition number_procs";

/// Keywords within a declaration.
const INNER: &str = "requires case forall_other exists_other forall exists then else not let in";

/// A misspelt keyword that begins a declaration.
pub fn declaring_word<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let word = site.source(site.here());
    let spelling = nearest(&word.to_ascii_lowercase(), DECLARATIONS.split(' '))?;
    let error = slip(site.span(site.here()), format!("unknown declaration `{word}`")).did_you_mean(spelling);
    Some(Repair::new(site.here(), [token(spelling)?], error))
}

/// A misspelt keyword here, or just before.
pub fn misspelt<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let quantifies = |i: usize| {
        matches!(site.token(i), Some(Token::Lident(word)) if word.len() > 4)
            && matches!(site.token(i + 1), Some(Token::Lident(_)))
    };
    let candidates = [Some(site.at), site.at.checked_sub(1).filter(|&i| quantifies(i))];
    for i in candidates.into_iter().flatten() {
        let Some(Token::Lident(word) | Token::Mident(word)) = site.token(i) else { continue };
        let here = i == site.at;
        let fits = |spelling: &str| {
            if here {
                site.expects(spelling)
            } else {
                spelling.starts_with("forall") || spelling.starts_with("exists")
            }
        };
        let lower = word.to_ascii_lowercase();
        let likely = INNER.split(' ').filter(|known| fits(known) && known.len() > 3);
        let Some(spelling) = nearest(&lower, likely) else { continue };
        let error = slip(site.span(i..i + 1), format!("unknown word `{word}`")).did_you_mean(spelling);
        return Some(Repair::new(i..i + 1, [token(spelling)?], error));
    }
    None
}
