//! One error type for everything a user can get wrong: code, span, labels, help.

pub use cubicle_grammar::{BYTE_ORDER_MARK, Span};

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet, renderer::DecorStyle};

use crate::spelling::nearest;

/// Whether a diagnostic stops the run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The model is refused.
    Error,
    /// The model is accepted, but probably does not say what was meant.
    Warning,
}

/// A place in the text and a remark about it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The text shown there; may be empty.
    pub text: String,
}

/// A change of the text that does what the advice says.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Mend {
    /// The place that is replaced.
    pub span: Span,
    /// The new text.
    pub text: String,
}

/// A message about the model's text.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Stable code, such as `C0101`.
    pub code: &'static str,
    /// One line that says what is wrong.
    pub message: String,
    /// The offending place.
    pub primary: Label,
    /// Other places that matter.
    pub secondary: Vec<Label>,
    /// One line on how to fix it.
    pub help: Option<String>,
    /// The change that fixes it, where one is probably meant.
    pub mend: Option<Mend>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        let primary = Label { span, text: String::new() };
        let (message, secondary) = (message.into(), Vec::new());
        Self { severity: Severity::Error, code, message, primary, secondary, help: None, mend: None }
    }

    /// A warning at `span`.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, span, message) }
    }

    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Sets the text shown at the offending place.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Sets the advice.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Passes it on.
    pub(crate) fn report(self, to: &mut impl Reporter) {
        to.add(self);
    }

    /// Passes it on, and is what there is instead of a result.
    pub(crate) fn refuse<T: Default>(self, to: &mut impl Reporter) -> T {
        self.report(to);
        T::default()
    }

    /// Sets the change that fixes it: `text` instead of the offending place.
    #[must_use]
    pub fn mend(self, text: impl Into<String>) -> Self {
        let span = self.primary.span;
        self.mend_at(span, text)
    }

    /// Sets the change that fixes it: `text` instead of the text at `span`.
    #[must_use]
    pub fn mend_at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.mend = Some(Mend { span, text: text.into() });
        self
    }

    /// Advises another word instead of the offending one.
    #[must_use]
    pub fn did_you_mean(self, word: &str) -> Self {
        self.help(format!("did you mean `{word}`?")).mend(word)
    }

    /// Advises that one of these words which is most like the offending one, or else what `otherwise` does.
    #[must_use]
    pub fn did_you_mean_one_of<'a>(
        self,
        typed: &str,
        words: impl Iterator<Item = &'a str>,
        otherwise: impl FnOnce(Self) -> Self,
    ) -> Self {
        match nearest(typed, words) {
            Some(word) => self.did_you_mean(word),
            None => otherwise(self),
        }
    }

    /// Advises another text instead of the offending one.
    #[must_use]
    pub fn write(self, text: &str) -> Self {
        self.help(format!("write `{text}`")).mend(text)
    }

    /// The report for a terminal or a file: message, `file:line:column`, source line, labels, help.
    /// Columns count characters from 1. `text` is the text that the spans index; spans that do not fit
    /// it are moved to the nearest place that does. Ends with a line feed.
    pub fn render(&self, file: &str, text: &str, colour: bool) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut group = Group::with_title(level.primary_title(self.message.as_str()).id(self.code));
        let main = Excerpt::new(text, self.primary.span);
        let together = self.lines(text);
        let elsewhere: Vec<(Excerpt<'_>, &Label)>;
        if let Some(lines) = &together {
            let mut snippet = lines.snippet().path(file.to_owned());
            snippet = snippet.annotation(lines.annotation(AnnotationKind::Primary, &self.primary));
            for label in &self.secondary {
                snippet = snippet.annotation(lines.annotation(AnnotationKind::Context, label));
            }
            group = group.element(snippet);
        } else {
            // Lines may be long: show what is around each place.
            let mut snippet =
                main.snippet().annotation(main.annotation(AnnotationKind::Primary, &self.primary));
            let (here, others): (Vec<&Label>, Vec<&Label>) =
                self.secondary.iter().partition(|label| main.contains(text, label.span));
            for label in here {
                snippet = snippet.annotation(main.annotation(AnnotationKind::Context, label));
            }
            let origin =
                |at: &Excerpt<'_>| Origin::path(file.to_owned()).line(at.line).char_column(at.column);
            group = group.element(origin(&main)).element(snippet);
            elsewhere = others.into_iter().map(|label| (Excerpt::new(text, label.span), label)).collect();
            for (excerpt, label) in &elsewhere {
                let snippet =
                    excerpt.snippet().annotation(excerpt.annotation(AnnotationKind::Context, label));
                group = group.element(origin(excerpt)).element(snippet);
            }
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let mut out = renderer.decor_style(DecorStyle::Ascii).render(&[group]);
        out.push('\n');
        out
    }

    /// The lines from the first labelled one to the last; `None` when one is too long to be shown whole.
    fn lines<'t>(&self, text: &'t str) -> Option<Excerpt<'t>> {
        let labels = || std::iter::once(&self.primary).chain(&self.secondary);
        let whole = |label: &Label| Excerpt::new(text, label.span).whole_line(text);
        let (mut start, mut end, mut line) = (usize::MAX, 0, usize::MAX);
        for label in labels() {
            let (from, to, number) = whole(label)?;
            (start, end, line) = (start.min(from), end.max(to), line.min(number));
        }
        let shown = text.get(start..end)?;
        let long = shown.len() > MOST_BETWEEN || shown.lines().any(|line| line.len() > WINDOW);
        (!long).then_some(Excerpt { shown, offset: start, line, column: 1 })
    }
}

/// What a text says, or what is wrong with it: at least one error.
pub type Checked<T> = Result<T, Vec<Diagnostic>>;

/// After this many errors the rest of a model is not read; more warnings than this are not kept either.
pub const MAX_ERRORS: usize = 100;

/// The messages about a model, in bounded space: wrong text may be long.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: usize,
}

/// What messages are reported to.
pub(crate) trait Reporter {
    fn add(&mut self, diagnostic: Diagnostic);
}

impl Reporter for Vec<Diagnostic> {
    fn add(&mut self, diagnostic: Diagnostic) {
        self.push(diagnostic);
    }
}

impl Reporter for Diagnostics {
    fn add(&mut self, diagnostic: Diagnostic) {
        self.push(diagnostic);
    }
}

impl Diagnostics {
    /// Adds a message, or drops it when it is a repetition or there are [`MAX_ERRORS`] of its kind.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.list.contains(&diagnostic) {
            return;
        }
        let warnings = self.list.len() - self.errors;
        let is_error = diagnostic.is_error();
        if if is_error { self.errors } else { warnings } < MAX_ERRORS {
            self.errors += usize::from(is_error);
            self.list.push(diagnostic);
        }
    }

    /// Whether there are [`MAX_ERRORS`] errors, so that the search can stop.
    pub fn is_full(&self) -> bool {
        self.errors >= MAX_ERRORS
    }

    /// Number of messages.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Message number `at`, to be changed; `None` when it was dropped.
    pub fn get_mut(&mut self, at: usize) -> Option<&mut Diagnostic> {
        self.list.get_mut(at)
    }

    /// Forgets the messages after the first `len`.
    pub fn truncate(&mut self, len: usize) {
        self.list.truncate(len);
        self.errors = self.list.iter().filter(|d| d.is_error()).count();
    }

    /// The messages, in the order in which they were added.
    pub fn into_vec(self) -> Vec<Diagnostic> {
        self.list
    }
}

/// A model file by name and text, for reporting places in it.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Name of the file.
    pub name: &'a str,
    /// The text that spans index.
    pub text: &'a str,
}

impl Source<'_> {
    /// Line and column of the start of a span, both from 1; columns count characters.
    pub fn position(&self, span: Span) -> (usize, usize) {
        let excerpt = Excerpt::new(self.text, span);
        (excerpt.line, excerpt.column)
    }

    /// `model.cub:17:1`.
    pub fn place(&self, span: Span) -> String {
        let (line, column) = self.position(span);
        format!("{}:{line}:{column}", self.name)
    }
}

/// A text with the offsets of its lines, to look up many places in a long text.
#[derive(Debug)]
pub struct Lines<'t> {
    text: &'t str,
    /// Offset of the first character of each line.
    starts: Vec<usize>,
    /// Whether each character is a byte.
    ascii: bool,
}

impl<'t> Lines<'t> {
    /// For the text that spans index.
    pub fn new(text: &'t str) -> Self {
        // A byte order mark is not visible.
        let first = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 };
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { text, starts: std::iter::once(first).chain(ends).collect(), ascii: text.is_ascii() }
    }

    /// Line and column of the character at `offset`, from 1.
    pub fn position(&self, offset: u32) -> (usize, usize) {
        let at = floor_boundary(self.text, offset as usize).max(self.starts[0]);
        let line = self.starts.partition_point(|start| *start <= at);
        let start = self.starts[line - 1];
        let before = if self.ascii { at - start } else { self.text[start..at].chars().count() };
        (line, before + 1)
    }

    /// Line of the character at `offset`, from 1.
    pub fn line(&self, offset: u32) -> usize {
        self.starts.partition_point(|start| *start <= (offset as usize).max(self.starts[0]))
    }
}

/// The line that a span starts in, cut to a window when it is long. A span that goes on in later lines
/// is shown up to the end of its first line: enough to find it, whatever its size.
struct Excerpt<'t> {
    /// The text that is shown.
    shown: &'t str,
    /// Offset of `shown` in the text.
    offset: usize,
    line: usize,
    /// Column of the span in characters from 1.
    column: usize,
}

/// How many bytes of a line are shown before and after the start of the span.
const WINDOW: usize = 160;

/// At most this many bytes are examined between two labels of one message.
const MOST_BETWEEN: usize = 1 << 20;

impl<'t> Excerpt<'t> {
    fn new(text: &'t str, span: Span) -> Self {
        // A byte order mark is invisible.
        let first = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 };
        let start = floor_boundary(text, span.start as usize).max(first);
        let bytes = text.as_bytes();
        let line_start = bytes[..start].iter().rposition(|&b| b == b'\n').map_or(first, |i| i + 1);
        let line_end = bytes[start..].iter().position(|&b| b == b'\n').map_or(text.len(), |i| start + i);
        let shown_start = floor_boundary(text, start.saturating_sub(WINDOW).max(line_start)).max(line_start);
        let shown_end = floor_boundary(text, (start + WINDOW).min(line_end)).max(start);
        Self {
            shown: text[shown_start..shown_end].trim_end_matches('\r'),
            offset: shown_start,
            line: bytes[..start].iter().filter(|&&b| b == b'\n').count() + 1,
            column: text[line_start..start].chars().count() + 1,
        }
    }

    /// Start and end of the line in `text`, and its number; `None` when only a part is shown.
    fn whole_line(&self, text: &str) -> Option<(usize, usize, usize)> {
        let end = self.offset + self.shown.len();
        let before = text.get(..self.offset)?;
        let starts = before.is_empty() || before.ends_with('\n') || before.chars().eq([BYTE_ORDER_MARK]);
        let ends = matches!(text.as_bytes().get(end), None | Some(b'\n' | b'\r'));
        (starts && ends).then_some((self.offset, end, self.line))
    }

    /// Whether the other span starts in what is shown.
    fn contains(&self, text: &str, span: Span) -> bool {
        let start = floor_boundary(text, span.start as usize);
        (self.offset..=self.offset + self.shown.len()).contains(&start)
    }

    fn snippet<A: Clone>(&self) -> Snippet<'t, A> {
        Snippet::source(self.shown).line_start(self.line)
    }

    fn annotation<'l>(&self, kind: AnnotationKind, label: &'l Label) -> annotate_snippets::Annotation<'l> {
        let clamp = |at: usize| floor_boundary(self.shown, at.saturating_sub(self.offset));
        let start = clamp(label.span.start as usize);
        let end = clamp(label.span.end as usize).max(start);
        // A span of several lines is shown by its first line.
        let line = self.shown[start..].find('\n').map_or(self.shown.len(), |at| start + at);
        let end = end.min(line);
        let annotation = kind.span(start..end);
        if label.text.is_empty() { annotation } else { annotation.label(label.text.as_str()) }
    }
}

/// The largest character boundary of `text` that is not above `at`.
fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_in_lines_are_those_of_sources() {
        for text in ["", "a", "a\nbc\n", "\u{feff}a\nb", "é→x\n\n𝄞y", "\u{feff}", "\r\na\r\n"] {
            let (lines, source) = (Lines::new(text), Source { name: "m", text });
            for start in 0..text.len() as u32 + 2 {
                let place = lines.position(start);
                assert_eq!(place, source.position(Span::new(start, start)), "{text:?} {start}");
                assert_eq!(place.0, lines.line(start), "{text:?} {start}");
            }
        }
    }
}
