//! A place where a declaration fails to parse, as rules see it, and the repairs that they return.

use std::ops::Range;

use cubicle_grammar::Failure;

use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::token::{Placed, Token};

/// A function that finds what was meant.
pub type Special = for<'t> fn(&Site<'_, 't>) -> Option<Repair<'t>>;

/// The repair that a rule proposes for a failing place.
pub struct Repair<'t> {
    /// The error; `None` when it follows from an earlier one.
    pub diagnostic: Option<Diagnostic>,
    /// The mistake is the same wherever it occurs in a file, and reported once.
    pub habit: Option<&'static str>,
    /// The tokens that are replaced.
    pub range: Range<usize>,
    /// The tokens that replace them.
    pub with: Vec<Token<'t>>,
    /// Tokens to be read as declarations of their own.
    pub more: Vec<Vec<Placed<'t>>>,
    /// Whether the declaration is not read.
    pub lost: bool,
}

impl<'t> Repair<'t> {
    pub(super) fn new(range: Range<usize>, with: impl Into<Vec<Token<'t>>>, diagnostic: Diagnostic) -> Self {
        Self { diagnostic: Some(diagnostic), ..Self::silent(range, with) }
    }

    pub(super) fn silent(range: Range<usize>, with: impl Into<Vec<Token<'t>>>) -> Self {
        let (with, more) = (with.into(), Vec::new());
        Self { diagnostic: None, habit: None, range, with, more, lost: false }
    }

    /// Of a declaration that is not read.
    pub(super) fn lost(diagnostic: Diagnostic) -> Self {
        Self { lost: true, ..Self::new(0..0, [], diagnostic) }
    }

    pub(super) fn habit(mut self, name: &'static str) -> Self {
        self.habit = Some(name);
        self
    }

    /// The declaration with the repair made, and the index after the new tokens.
    pub fn apply(&self, chunk: &[Placed<'t>]) -> (Vec<Placed<'t>>, usize) {
        let covered = &chunk[self.range.clone()];
        let end = |placed: Option<&Placed<'t>>| placed.map(|&(_, _, r)| r);
        let (l, r) = if let (Some(&(l, ..)), Some(&(.., r))) = (covered.first(), covered.last()) {
            (l, r)
        } else {
            let at = end(chunk[..self.range.start].last()).unwrap_or(0);
            (at, at)
        };
        let mut repaired = chunk[..self.range.start].to_vec();
        if covered.len() == self.with.len() {
            // Token for token: each stays where it is.
            repaired.extend(covered.iter().zip(&self.with).map(|(&(l, _, r), &token)| (l, token, r)));
        } else {
            repaired.extend(self.with.iter().map(|&token| (l, token, r)));
        }
        let after = repaired.len();
        repaired.extend_from_slice(&chunk[self.range.end..]);
        (repaired, after)
    }
}

/// The declared names, and those that were declared in letters of the wrong case.
#[derive(Default)]
pub struct DeclaredNames<'t> {
    /// Names of variables and constructors, in the order of the file.
    pub capitals: Vec<&'t str>,
    /// Arrays among them.
    pub arrays: Vec<&'t str>,
    /// Names of types and predicates.
    pub smalls: Vec<&'t str>,
    /// Small names that were declared where capital ones are required.
    pub lowered: Vec<&'t str>,
    /// The reverse.
    pub raised: Vec<&'t str>,
}

/// Where in a declaration something stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeclarationPart {
    /// Before the first brace.
    Head,
    Formula,
    /// Among updates.
    Body,
    /// In the branches of a `case`, before the colon or after it.
    Branch,
}

/// A place where a declaration fails to parse.
pub struct Site<'a, 't> {
    /// The tokens of the declaration.
    pub chunk: &'a [Placed<'t>],
    /// The first one that does not fit; beyond the last when the declaration is not complete.
    pub at: usize,
    /// The terminals that would fit, as the grammar spells them.
    pub expected: &'a [String],
    pub text: &'t str,
    /// The names from the declarations before.
    pub known: &'a DeclaredNames<'t>,
    /// Whether the tokens before `at` are a declaration.
    pub complete: bool,
    /// Brackets that are open before `at`, outermost first.
    pub(super) open: Vec<usize>,
    pub(super) part: DeclarationPart,
}

impl DeclarationPart {
    /// As the table has it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Head => "head",
            Self::Formula => "formula",
            Self::Body => "body",
            Self::Branch => "branch",
        }
    }
}

impl<'a, 't> Site<'a, 't> {
    /// The place where the parser fails.
    pub fn new(
        chunk: &'a [Placed<'t>],
        failure: &'a Failure,
        text: &'t str,
        known: &'a DeclaredNames<'t>,
        complete: bool,
    ) -> Self {
        let (at, expected) = (failure.at, failure.expected.as_slice());
        let (open, part) = (Vec::new(), DeclarationPart::Head);
        let mut site = Self { chunk, at, expected, text, known, complete, open, part };
        for (i, &(_, token, _)) in chunk[..at].iter().enumerate() {
            if token.opens() {
                site.open.push(i);
            } else if token.closes() {
                site.open.pop();
            }
        }
        site.part = site.part();
        site
    }

    /// The place where text begins that is not a declaration.
    pub fn start(chunk: &'a [Placed<'t>], text: &'t str, known: &'a DeclaredNames<'t>) -> Self {
        let (open, part) = (Vec::new(), DeclarationPart::Head);
        Self { chunk, at: 0, expected: &[], text, known, complete: false, open, part }
    }

    pub(super) fn token(&self, i: usize) -> Option<Token<'t>> {
        self.chunk.get(i).map(|&(_, token, _)| token)
    }

    /// The token that does not fit.
    pub(super) fn found(&self) -> Option<Token<'t>> {
        self.token(self.at)
    }

    /// The token `n` places after it.
    pub(super) fn ahead(&self, n: usize) -> Option<Token<'t>> {
        self.token(self.at + n)
    }

    /// The range of the token that does not fit.
    pub(super) const fn here(&self) -> Range<usize> {
        self.at..self.at + 1
    }

    pub(super) fn tokens(&self, range: Range<usize>) -> Vec<Token<'t>> {
        range.filter_map(|i| self.token(i)).collect()
    }

    /// Whether the grammar would take this terminal here.
    pub(super) fn expects(&self, terminal: &str) -> bool {
        self.expected.iter().any(|e| e.trim_matches('"') == terminal)
    }

    /// The span of these tokens; after the token before them when there are none.
    pub(super) fn span(&self, range: Range<usize>) -> Span {
        match (self.chunk.get(range.start), self.chunk.get(range.end.wrapping_sub(1))) {
            (Some(&(l, ..)), Some(&(.., r))) if !range.is_empty() => Span::new(l, r),
            _ => self.after(range.start),
        }
    }

    /// The empty place after the tokens before `i`, for an insertion.
    pub(super) fn end(&self, i: usize) -> Span {
        let end = self.after(i).end;
        Span::new(end, end)
    }

    /// The last byte before token `i`.
    pub(super) fn after(&self, i: usize) -> Span {
        let end = self.chunk[..i].last().map_or(0, |&(.., r)| r);
        Span::new(end.saturating_sub(1), end)
    }

    pub(super) fn source(&self, range: Range<usize>) -> &'t str {
        if range.is_empty() {
            return "";
        }
        let span = self.span(range);
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// The formula at these tokens as this language spells it: operators, and variables that stand alone.
    pub(super) fn formula(&self, range: Range<usize>) -> String {
        let mut out = String::new();
        let mut i = range.start;
        let mut last: Option<u32> = None;
        while i < range.end {
            let negated = self.token(i) == Some(Token::Not);
            let name = i + usize::from(negated);
            let alone = self.alone_until(name, &range);
            let end = alone.unwrap_or(i + 1);
            let (Some(&(l, token, _)), Some(&(.., r))) = (self.chunk.get(i), self.chunk.get(end - 1)) else {
                break;
            };
            let blank = last.is_some_and(|last| last < l) || (last.is_some() && token.spelling().is_some());
            let tight = out.ends_with(['(', '[']);
            if blank && !tight && !out.ends_with(' ') {
                out.push(' ');
            }
            if alone.is_some() {
                let truth = if negated { "False" } else { "True" };
                out.push_str(self.source(name..end));
                out.push_str(" = ");
                out.push_str(truth);
            } else if let Some(spelling) = token.spelling() {
                out.push_str(spelling);
                out.push(' ');
            } else {
                out.push_str(self.source(i..end));
            }
            (last, i) = (Some(r), end);
        }
        out.trim_end().to_owned()
    }

    /// Where the variable or cell at `name` ends, if nothing compares it or adds to it.
    fn alone_until(&self, name: usize, range: &Range<usize>) -> Option<usize> {
        let Token::Mident(_) = self.token(name).filter(|_| name < range.end)? else { return None };
        let end = match self.token(name + 1) {
            Some(Token::BracketOpen) => self.closing(name + 1)? + 1,
            _ => name + 1,
        };
        let joins = |i: usize| {
            let token = self.token(i).filter(|_| range.contains(&i));
            token.is_some_and(|token| {
                token.is_comparison()
                    || matches!(
                        token,
                        Token::Plus | Token::Minus | Token::Star | Token::BracketOpen | Token::Comma
                    )
            })
        };
        let before = name.checked_sub(1).is_some_and(&joins);
        (end <= range.end && !before && !joins(end)).then_some(end)
    }

    /// Whether two tokens touch.
    pub(super) fn adjacent(&self, i: usize) -> bool {
        matches!((self.chunk.get(i), self.chunk.get(i + 1)), (Some(&(.., r)), Some(&(l, ..))) if l == r)
    }

    /// The first token from `i` on that ends the text there: `;` or an unmatched closing bracket.
    pub(super) fn end_of_statement(&self, i: usize) -> usize {
        let mut depth = 0;
        let ends = |&(_, token, _): &Placed<'_>| {
            depth += i32::from(token.opens()) - i32::from(token.closes());
            depth < 0 || (depth == 0 && token == Token::Semicolon)
        };
        self.chunk.iter().skip(i).position(ends).map_or(self.chunk.len().max(i), |n| i + n)
    }

    /// The bracket that closes the first one from `i` on.
    pub(super) fn closing(&self, i: usize) -> Option<usize> {
        let mut depth = 0;
        let closes = |&(_, token, _): &Placed<'_>| {
            depth += i32::from(token.opens()) - i32::from(token.closes());
            token.closes() && depth == 0
        };
        self.chunk.iter().skip(i).position(closes).map(|n| i + n)
    }

    /// The bracket that the one at `i` closes.
    pub(super) fn opening(&self, i: usize) -> Option<usize> {
        let mut depth = 0;
        self.token(i).filter(|token| token.closes())?;
        self.chunk[..=i].iter().rposition(|&(_, token, _)| {
            depth += i32::from(token.closes()) - i32::from(token.opens());
            depth == 0
        })
    }

    /// The end of the token, or of the brackets, that begin at `i`.
    pub(super) fn balanced(&self, i: usize) -> Option<usize> {
        let token = self.token(i).filter(|token| !token.closes())?;
        if token.opens() { self.closing(i).map(|close| close + 1) } else { Some(i + 1) }
    }

    /// The beginning of the token, or of the brackets, that end before `i`.
    pub(super) fn balanced_before(&self, i: usize) -> Option<usize> {
        let last = i.checked_sub(1)?;
        let token = self.token(last).filter(|token| !token.opens())?;
        if token.closes() { self.opening(last) } else { Some(last) }
    }

    fn part(&self) -> DeclarationPart {
        let Some(&brace) = self.open.iter().find(|&&i| self.token(i) == Some(Token::BraceOpen)) else {
            return DeclarationPart::Head;
        };
        let body = self.token(0) == Some(Token::Transition)
            && (brace == 0 || self.token(brace - 1) != Some(Token::Requires));
        let from = self.chunk[..self.at].iter().rposition(|&(_, token, _)| token == Token::Semicolon);
        let update = &self.chunk[from.unwrap_or(brace)..self.at];
        match (body, update.iter().any(|&(_, token, _)| token == Token::Case)) {
            (false, _) => DeclarationPart::Formula,
            (true, true) => DeclarationPart::Branch,
            (true, false) => DeclarationPart::Body,
        }
    }

    pub(super) fn is_name(&self, i: usize) -> bool {
        matches!(self.token(i), Some(Token::Mident(_) | Token::Lident(_)))
    }

    /// Where the term that begins at token `i` ends, if one does.
    pub(super) fn term_after(&self, i: usize) -> Option<usize> {
        match (self.token(i)?, self.token(i + 1)) {
            (Token::Mident(_) | Token::Lident(_), Some(Token::BracketOpen)) => {
                self.closing(i + 1).map(|close| close + 1)
            }
            (
                Token::Mident(_) | Token::Lident(_) | Token::Int(_) | Token::Real(_) | Token::ProcConst(_),
                _,
            ) => Some(i + 1),
            _ => None,
        }
    }

    /// Where the brackets that begin at token `i` end, if they hold names and numbers.
    pub(super) fn set_after(&self, i: usize) -> Option<usize> {
        let close = self.closing(i).filter(|_| self.token(i).is_some_and(Token::opens))?;
        let separates = |i| matches!(self.token(i), Some(Token::Comma | Token::Bar | Token::Semicolon));
        let is_value = |i| self.is_name(i) || matches!(self.token(i), Some(Token::Int(_)));
        let mut inside = i + 1..close;
        let some = inside.clone().any(is_value);
        (some && inside.all(|i| separates(i) || is_value(i))).then_some(close + 1)
    }

    /// Where the term that ends just before token `end` begins, if one does.
    pub(super) fn term_before(&self, end: usize) -> Option<usize> {
        let last = end.checked_sub(1)?;
        match self.token(last)? {
            Token::BracketClose => {
                let name = self.opening(last)?.checked_sub(1)?;
                matches!(self.token(name)?, Token::Mident(_) | Token::Lident(_)).then_some(name)
            }
            Token::Mident(_) | Token::Lident(_) | Token::Int(_) | Token::Real(_) | Token::ProcConst(_) => {
                Some(last)
            }
            _ => None,
        }
    }
}

pub(super) fn slip(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("C0003", span, message)
}

/// An error for spellings of other languages.
pub(super) fn foreign(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("C0006", span, message)
}

/// An error for a name that begins with a letter of the wrong case.
pub(super) fn letter_case(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("C0007", span, message)
}

/// `name` with a small first letter.
pub(super) fn small(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_lowercase().to_string() + letters.as_str())
}
