//! Finds what a declaration that fails to parse would have declared.

use super::ast::{Damage, capital};
use super::token::{Placed, Token};

/// Notes the loss of the declaration `chunk`.
pub fn note(damage: &mut Damage, chunk: &[Placed<'_>]) {
    let names = |tokens: &[Placed<'_>]| -> Vec<String> {
        let name = |&(_, token, _): &Placed<'_>| match token {
            Token::Lident(name) | Token::Mident(name) => Some(name.to_owned()),
            _ => None,
        };
        tokens.iter().filter_map(name).collect()
    };
    let Some(&(_, first, _)) = chunk.first() else { return };
    match first {
        Token::Init => damage.init = true,
        Token::Unsafe | Token::Never | Token::Always => damage.bad = true,
        // What other declarations say of its labels and own cells.
        Token::Process => damage.names.extend(names(chunk).into_iter().map(|it| capital(&it))),
        Token::Predicate | Token::Relation | Token::Witness => {
            damage.names.extend(names(chunk).into_iter().take(1));
        }
        Token::Var | Token::Const | Token::Array => {
            let end =
                chunk.iter().position(|&(_, token, _)| matches!(token, Token::Colon | Token::BracketOpen));
            damage.names.extend(names(&chunk[..end.unwrap_or(chunk.len())]));
        }
        Token::Invariant
        | Token::Lemma
        | Token::Transition
        | Token::NumberProcs
        | Token::Fair
        | Token::StrongFair
        | Token::Response
        | Token::Recurrence
        | Token::Possible
        | Token::Cover
        | Token::Formula => {}
        // Types, and text that may not be a declaration.
        _ => {
            damage.names.extend(names(chunk));
            if first != Token::Type {
                damage.init = true;
                damage.bad = true;
            }
        }
    }
}
