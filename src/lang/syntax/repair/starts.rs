//! Where a declaration begins without the keyword that it needs.

use super::site::DeclaredNames;
use super::walker::of_a_branch;
use super::words::keyword;
use crate::syntax::token::{Placed, Token};

/// Whether the tokens after a complete declaration are another one, with a wrong word at its start.
pub fn begins_declaration(rest: &[Placed<'_>], known: &DeclaredNames<'_>) -> bool {
    let Some(&(_, Token::Lident(word) | Token::Mident(word), _)) = rest.first() else { return false };
    let block = matches!(rest.get(1), Some((_, Token::Lident(_) | Token::ParOpen | Token::BraceOpen, _)));
    keyword(word).is_some()
        || word == "active"
        || type_first(rest, known).is_some()
        || of_a_branch(rest, 0, "").is_some()
        || (block && matches!(rest[0].1, Token::Lident(_)))
}

/// `type t { A, B }`: the declaration that is meant, and its text.
pub fn listed<'t>(chunk: &[Placed<'t>], text: &'t str) -> Option<(Vec<Placed<'t>>, String)> {
    let [(l, Token::Type, r), (from, name, to), rest @ ..] = chunk else { return None };
    let (Token::Lident(_) | Token::Mident(_)) = name else { return None };
    let rest = if let [(_, Token::Equal, _), rest @ ..] = rest { rest } else { rest };
    let [(_, Token::BraceOpen, _), inside @ .., (_, Token::BraceClose, _)] = rest else { return None };
    let mut tokens = vec![(*l, Token::Type, *r), (*from, *name, *to), (*to, Token::Equal, *to)];
    let mut names = Vec::new();
    for &(l, token, r) in inside {
        match token {
            Token::Mident(name) => {
                if !names.is_empty() {
                    tokens.push((l, Token::Bar, l));
                }
                tokens.push((l, token, r));
                names.push(name);
            }
            Token::Comma | Token::Semicolon | Token::Bar => {}
            _ => return None,
        }
    }
    let name = text.get(*from as usize..*to as usize)?;
    (!names.is_empty()).then(|| (tokens, format!("type {name} = {}", names.join(" | "))))
}

/// `state S[proc]` and `bool Lock` as declarations of this language, and whether it is an array.
pub fn type_first<'t>(chunk: &[Placed<'t>], known: &DeclaredNames<'t>) -> Option<(Vec<Placed<'t>>, bool)> {
    let (&(l, Token::Lident(ty), r), &(from, Token::Mident(name) | Token::Lident(name), to)) =
        (chunk.first()?, chunk.get(1)?)
    else {
        return None;
    };
    let ty = match ty {
        "byte" | "short" | "unsigned" | "long" | "integer" => "int",
        "bit" | "boolean" => "bool",
        ty => ty,
    };
    let ends = matches!(
        chunk.get(2),
        None | Some((_, Token::Equal | Token::Semicolon | Token::Assign | Token::Comma, _))
    );
    if matches!(chunk[1].1, Token::Lident(_)) && !ends {
        return None;
    }
    if !known.smalls.contains(&ty) && !["bool", "int", "real", "proc"].contains(&ty) {
        return None;
    }
    let array = matches!(chunk.get(2), Some((_, Token::BracketOpen, _)));
    let keyword = if array { Token::Array } else { Token::Var };
    let mut tokens = vec![(l, keyword, r), (from, Token::Mident(name), to)];
    if array {
        let close = chunk.iter().position(|&(_, token, _)| token == Token::BracketClose)?;
        let (l, _, r) = chunk[close];
        tokens.extend([
            (l, Token::BracketOpen, r),
            (l, Token::Lident("proc"), r),
            (l, Token::BracketClose, r),
        ]);
    }
    let (_, _, end) = *tokens.last()?;
    tokens.extend([(end, Token::Colon, end), (end, Token::Lident(ty), end)]);
    Some((tokens, array))
}
