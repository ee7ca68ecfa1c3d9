//! A change of a text: replacements at a few places.

use cubicle_lang::diagnostic::Span;
use cubicle_lang::syntax::ast::Expr;

/// A change of a text.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Edit {
    /// The replaced spans and their new texts: in the order of the text, without overlaps.
    parts: Vec<(Span, String)>,
}

/// The lines that an edit touches, before and after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TouchedLines {
    /// Number of the first, from 1.
    pub first: usize,
    /// The old lines.
    pub old: Vec<String>,
    /// The new lines; empty when they are deleted.
    pub new: Vec<String>,
}

impl Edit {
    /// Replaces the text at `span` by `with`.
    pub fn replace(span: Span, with: impl Into<String>) -> Self {
        Self { parts: vec![(span, with.into())] }
    }

    /// Deletes the text at `span`.
    pub fn remove(span: Span) -> Self {
        Self::replace(span, "")
    }

    /// Several replacements at once; `None` when two overlap.
    pub fn several(mut parts: Vec<(Span, String)>) -> Option<Self> {
        parts.sort_by_key(|(span, _)| *span);
        let apart = parts.windows(2).all(|two| two[0].0.end <= two[1].0.start);
        (apart && !parts.is_empty()).then_some(Self { parts })
    }

    /// The span from the first replacement to the last.
    pub fn place(&self) -> Span {
        self.parts.iter().map(|(span, _)| *span).reduce(Span::to).unwrap_or_default()
    }

    /// The changed text.
    ///
    /// # Panics
    /// When it was made for another text.
    pub fn apply(&self, text: &str) -> String {
        self.within(text, 0, text.len())
    }

    /// The new text of the bytes from `start` up to `end`, within which all replacements lie.
    fn within(&self, text: &str, start: usize, end: usize) -> String {
        let mut out = String::with_capacity(end - start + 16);
        let mut from = start;
        for (span, with) in &self.parts {
            out.push_str(&text[from..span.start as usize]);
            out.push_str(with);
            from = span.end as usize;
        }
        out.push_str(&text[from..end]);
        out
    }

    /// The lines that it touches.
    ///
    /// # Panics
    /// When it was made for another text.
    pub fn lines(&self, text: &str) -> TouchedLines {
        let place = self.place();
        let start = text[..place.start as usize].rfind('\n').map_or(0, |at| at + 1);
        let after = (place.end as usize).max(start);
        let end = text[after..].find('\n').map_or(text.len(), |at| after + at);
        let split = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let (mut old, mut new) = (split(&text[start..end]), split(&self.within(text, start, end)));
        new.retain(|line| !line.trim().is_empty());
        let mut first = text[..start].matches('\n').count() + 1;
        // Lines that stay the same at either end were not touched.
        while old.len() > 1 && !new.is_empty() && old[0] == new[0] {
            old.remove(0);
            new.remove(0);
            first += 1;
        }
        while old.len() > 1 && !new.is_empty() && old.last() == new.last() {
            old.pop();
            new.pop();
        }
        TouchedLines { first, old, new }
    }
}

/// Part number `at` of a chain with the connective that goes with it.
pub(crate) fn with_connective(list: &[Expr], at: usize) -> Span {
    match at.checked_sub(1) {
        Some(before) => Span::new(list[before].span.end, list[at].span.end),
        None => Span::new(list[0].span.start, list[1].span.start),
    }
}

/// The update at a place of `text`, with the semicolon after it.
pub(crate) fn with_semicolon(text: &str, update: Span) -> Span {
    let rest = &text[update.end as usize..];
    let blanks = rest.len() - rest.trim_start().len();
    let with = rest.trim_start().starts_with(';');
    Span::new(update.start, if with { update.end + blanks as u32 + 1 } else { update.end })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "one two\nthree four\nfive\n";

    #[test]
    fn words_are_replaced_in_place() {
        let edit = Edit::several(vec![(Span::new(8, 13), "3".into()), (Span::new(4, 7), "2".into())]);
        let edit = edit.expect("they do not overlap");
        assert_eq!(edit.apply(TEXT), "one 2\n3 four\nfive\n");
        assert_eq!(edit.place(), Span::new(4, 13));
        let TouchedLines { first, old, new } = edit.lines(TEXT);
        assert_eq!((first, old, new), (1, owned(&["one two", "three four"]), owned(&["one 2", "3 four"])));
    }

    #[test]
    fn deleted_lines_have_no_new_lines() {
        let TouchedLines { first, old, new } = Edit::remove(Span::new(8, 18)).lines(TEXT);
        assert_eq!((first, old, new), (2, owned(&["three four"]), Vec::new()));
    }

    #[test]
    fn overlapping_edits_are_refused() {
        assert_eq!(
            Edit::several(vec![(Span::new(0, 3), String::new()), (Span::new(2, 4), String::new())]),
            None
        );
        assert_eq!(Edit::several(Vec::new()), None);
    }

    fn owned(lines: &[&str]) -> Vec<String> {
        lines.iter().map(ToString::to_string).collect()
    }
}
