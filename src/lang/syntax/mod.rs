//! From text to a syntax tree with places: the parser with error recovery. Tokens, tree, grammar and printer are the
//! crate `cubicle-grammar`.

mod contextual;
mod foreign;
mod negate;
mod parser;
mod reads;
mod repair;
mod unexpected;
pub(crate) mod unsupported;

pub use cubicle_grammar::{MAX_DEPTH, ast, print};
pub use negate::{negation, unsure};
pub use parser::{MAX_BYTES, parse, parse_formula, parse_valid};
pub use reads::Reads;

use cubicle_grammar::token;

use crate::diagnostic::Span;

/// The result of the lexer: the places of its tokens in order, and whether each is a valid token.
pub fn spans(text: &str) -> impl Iterator<Item = (Span, bool)> {
    token::tokens(text, 0).map(|(start, token, end)| (Span::new(start, end), token.is_ok()))
}

/// The outermost comments of a text without lexical errors.
pub(crate) fn comments(text: &str) -> impl Iterator<Item = Span> {
    token::comments(text).map(|(start, end)| Span::new(start, end))
}

/// The words of a text, and its other tokens.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    spans(text).map(|(span, _)| &text[span.start as usize..span.end as usize])
}

/// The places and the numbers of the process constants in a text from byte `from` on.
pub fn process_constants(text: &str, from: usize) -> impl Iterator<Item = (Span, Option<usize>)> {
    token::tokens(text, from).filter_map(|(start, token, end)| match token {
        Ok(token::Token::ProcConst(name)) => Some((Span::new(start, end), name[1..].parse().ok())),
        _ => None,
    })
}

/// Where the closing brace stands whose opening brace is before byte `from` of a text.
pub fn closing_brace(text: &str, from: usize) -> Option<usize> {
    let mut open = 0;
    for (start, token, _) in token::tokens(text, from) {
        match token {
            Ok(token::Token::BraceOpen | token::Token::CountOpen) => open += 1,
            Ok(token::Token::BraceClose) if open == 0 => return Some(start as usize),
            Ok(token::Token::BraceClose) => open -= 1,
            _ => {}
        }
    }
    None
}

/// The kinds of words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Word {
    /// A name that begins with a small letter.
    Small,
    /// A name that begins with a capital letter.
    Capital,
    /// A word of the language.
    Keyword,
}

/// The kind of `text`, if it is a single word.
pub fn word(text: &str) -> Option<Word> {
    let mut tokens = token::tokens(text, 0);
    let (0, Ok(token), end) = tokens.next()? else { return None };
    let is_word = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') && end as usize == text.len();
    match token {
        token::Token::Lident(_) => is_word.then_some(Word::Small),
        token::Token::Mident(_) => is_word.then_some(Word::Capital),
        token::Token::Int(_) | token::Token::Underscore => None,
        _ => is_word.then_some(Word::Keyword),
    }
}
