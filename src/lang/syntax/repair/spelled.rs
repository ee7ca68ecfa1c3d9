//! Words as tokens.

use crate::syntax::contextual::keyword;
use crate::syntax::token::{Token, tokens};

/// Tokens that the lexer does not produce.
const CONTEXTUAL: [(&str, Token<'static>); 4] =
    [("SUM", Token::Sum), ("SEND", Token::Send), ("RECEIVE", Token::Receive), ("RECORD", Token::RecordOpen)];

pub fn token(word: &'static str) -> Option<Token<'static>> {
    let contextual = CONTEXTUAL.iter().find(|(name, _)| *name == word).map(|(_, token)| *token);
    let lower = word.to_ascii_lowercase();
    let declares = if lower == word { None } else { keyword(&lower) };
    contextual.or(declares).or_else(|| match tokens(word, 0).next()? {
        (0, Ok(token), end) if end as usize == word.len() => Some(token),
        _ => None,
    })
}
