//! The tokens of a text with the comments and line breaks between them.

use crate::diagnostic::BYTE_ORDER_MARK;
use crate::syntax;

/// The comments and line breaks before a token, or at the end.
#[derive(Clone, Default, Debug)]
pub struct Gap<'t> {
    /// The comments, verbatim.
    pub comments: Vec<&'t str>,
    /// Line breaks before each of them, and after the last.
    pub breaks: Vec<usize>,
}

impl Gap<'_> {
    /// Line breaks, where there is no comment.
    pub fn plain_breaks(&self) -> usize {
        if self.comments.is_empty() { self.breaks[0] } else { 0 }
    }

    /// Whether it has a line break outside of comments.
    pub fn is_broken(&self) -> bool {
        self.breaks.iter().any(|&count| count > 0)
    }

    /// Whether it cannot stand in the middle of a line.
    pub fn takes_lines(&self) -> bool {
        self.is_broken() || self.comments.iter().any(|comment| comment.contains('\n'))
    }
}

#[derive(Clone, Debug)]
pub struct Lexeme<'t> {
    /// As written.
    pub text: &'t str,
    /// Offset of the byte after it.
    pub end: usize,
    /// Comments and line breaks before it.
    pub gap: Gap<'t>,
    /// For an opening parenthesis, bracket or brace: the index of the one that closes it.
    pub closed_by: usize,
}

/// A text as tokens.
#[derive(Debug)]
pub struct Lexemes<'t> {
    pub list: Vec<Lexeme<'t>>,
    /// Comments and line breaks after the last one.
    pub end: Gap<'t>,
}

impl<'t> Lexemes<'t> {
    /// Whether tokens and comments are the same, in the same order.
    pub fn says_the_same(&self, other: &Lexemes<'_>) -> bool {
        let tokens = |a: &Self, b: &Lexemes<'_>| {
            a.list.len() == b.list.len()
                && a.list
                    .iter()
                    .zip(&b.list)
                    .all(|(a, b)| a.text == b.text && a.gap.comments == b.gap.comments)
        };
        tokens(self, other) && self.end.comments == other.end.comments
    }

    /// Index of the token that ends at byte `end`.
    pub fn ending_at(&self, end: u32) -> usize {
        self.list.partition_point(|lexeme| lexeme.end < end as usize)
    }

    /// The comments and line breaks before token number `at`, or at the end.
    pub fn gap(&self, at: usize) -> &Gap<'t> {
        self.list.get(at).map_or(&self.end, |lexeme| &lexeme.gap)
    }
}

/// Reads a text without lexical errors.
pub fn read(text: &str) -> Lexemes<'_> {
    let mut list: Vec<Lexeme<'_>> = Vec::new();
    let mut open = Vec::new();
    let mut from = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 };
    let mut comments = syntax::comments(text).peekable();
    let mut gap = |mut from: usize, to: usize| {
        let breaks = |from: usize, to: usize| text[from..to].matches('\n').count();
        let mut gap = Gap::default();
        while let Some(comment) = comments.next_if(|it| it.end as usize <= to) {
            let (start, end) = (comment.start as usize, comment.end as usize);
            gap.breaks.push(breaks(from, start));
            gap.comments.push(&text[start..end]);
            from = end;
        }
        gap.breaks.push(breaks(from, to));
        gap
    };
    for (span, _) in syntax::spans(text) {
        let (start, end) = (span.start as usize, span.end as usize);
        let token = &text[start..end];
        match token {
            "(" | "[" | "{" | "#{" => open.push(list.len()),
            ")" | "]" | "}" => {
                if let Some(at) = open.pop() {
                    list[at].closed_by = list.len();
                }
            }
            _ => {}
        }
        list.push(Lexeme { text: token, end, gap: gap(from, start), closed_by: 0 });
        from = end;
    }
    Lexemes { list, end: gap(from, text.len()) }
}
