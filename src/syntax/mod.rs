//! From text to a syntax tree with places: tokens, grammar, parser with error recovery, printer.

pub mod ast;
mod build;
mod damage;
mod foreign;
mod negate;
mod parser;
mod print;
mod repair;
mod token;
mod unexpected;
pub(crate) mod unsupported;

pub use build::MAX_DEPTH;
pub use negate::negation;
pub use parser::{MAX_BYTES, parse};
pub use print::print;

use crate::diagnostic::Span;

/// What the lexer makes of a text: the places of its tokens in order, and whether each is one.
pub fn spans(text: &str) -> impl Iterator<Item = (Span, bool)> {
    token::tokens(text, 0).map(|(start, token, end)| (Span::new(start, end), token.is_ok()))
}

// Generated from grammar/cubicle.lalrpop.
#[allow(
    clippy::all,
    clippy::pedantic,
    missing_docs,
    unused_imports,
    unused_extern_crates,
    elided_lifetimes_in_paths
)]
mod grammar {
    include!(concat!(env!("OUT_DIR"), "/cubicle.rs"));
}
