//! The language of `.cub` files: tokens, the syntax tree and its printer, and the parser that is generated from
//! `grammar/cubicle.lalrpop`.
//!
//! A crate of its own, because the generated code is large and changes rarely.

pub mod ast;
mod builder;
mod code;
mod formula;
mod names;
mod print;
pub mod token;

pub use builder::{MAX_DEPTH, Remark};
pub use names::{BYTE_ORDER_MARK, Span};
pub use print::print;

use ast::Entry;
use builder::TreeBuilder;
use lalrpop_util::ParseError;
use token::Placed;

/// Why tokens are not a declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The index of the token that does not fit; the number of tokens when more are missing.
    pub at: usize,
    /// The terminals that would fit there, as the grammar spells them.
    pub expected: Vec<String>,
}

/// Parses the tokens of a declaration, or [`token::Token::Formula`] and those of a formula. The remarks are about the
/// tree.
///
/// # Errors
/// The first token that does not fit.
pub fn parse(tokens: &[Placed<'_>]) -> Result<(Entry, Vec<Remark>), Failure> {
    let mut build = TreeBuilder::new(tokens);
    // The parser looks at one token ahead: the last one that it took is the one that does not fit.
    let mut taken = 0_usize;
    let counted = tokens.iter().copied().inspect(|_| taken += 1);
    let result = generated::EntryParser::new().parse(&mut build, counted);
    let at = taken.saturating_sub(1);
    match result {
        Ok(entry) => Ok((entry, build.remarks)),
        Err(ParseError::UnrecognizedToken { expected, .. }) => Err(Failure { at, expected }),
        Err(ParseError::UnrecognizedEof { expected, .. }) => Err(Failure { at: tokens.len(), expected }),
        Err(ParseError::ExtraToken { .. }) => Err(Failure { at, expected: Vec::new() }),
        Err(ParseError::InvalidToken { .. }) => Err(Failure { at: tokens.len(), expected: Vec::new() }),
        Err(ParseError::User { error }) => match error {},
    }
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
mod generated {
    include!(concat!(env!("OUT_DIR"), "/cubicle.rs"));
}
