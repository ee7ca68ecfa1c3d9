//! Words as tokens.

use crate::syntax::token::{Token, tokens};

/// Tokens that the lexer does not produce.
const CONTEXTUAL: [(&str, Token<'static>); 9] = [
    ("SUM", Token::Sum),
    ("SEND", Token::Send),
    ("RECEIVE", Token::Receive),
    ("RECORD", Token::RecordOpen),
    ("CHANNEL", Token::Channel),
    ("FAIR", Token::Fair),
    ("STRONG_FAIR", Token::StrongFair),
    ("RESPONSE", Token::Response),
    ("RECURRENCE", Token::Recurrence),
];

pub fn token(word: &'static str) -> Option<Token<'static>> {
    let contextual = CONTEXTUAL.iter().find(|(name, _)| *name == word).map(|(_, token)| *token);
    contextual.or_else(|| match tokens(word, 0).next()? {
        (0, Ok(token), end) if end as usize == word.len() => Some(token),
        _ => None,
    })
}
