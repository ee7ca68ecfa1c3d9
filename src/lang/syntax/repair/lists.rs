//! The lists of words of the table, and words as tokens.

use crate::syntax::contextual::keyword;
use crate::syntax::token::{Token, tokens};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The rules and the lists.
pub const TABLE: &str = include_str!("slips.txt");

static LISTS: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let lists = TABLE.lines().filter_map(|line| line.strip_prefix("list ")?.split_once(' '));
    lists.map(|(name, words)| (name, words.split(' ').collect())).collect()
});

pub fn list(name: &str) -> Option<&'static [&'static str]> {
    LISTS.get(name).map(Vec::as_slice)
}

pub fn is_listed(name: &str, word: &str) -> bool {
    list(name).is_some_and(|words| words.contains(&word))
}

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
