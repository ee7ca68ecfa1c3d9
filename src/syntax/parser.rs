//! Parser entry: cuts the text at declaration keywords, so that one run reports an error in each wrong
//! declaration, and turns what the generated parser says into diagnostics.

use lalrpop_util::ParseError;

use super::ast::{File, Item};
use super::build::Builder;
use super::grammar::DeclarationParser;
use super::token::{LexError, Placed, Token, tokens};
use super::unsupported;
use crate::diagnostic::{Diagnostic, Span};

/// Files above this size in bytes are refused (16 MiB).
pub const MAX_BYTES: usize = 16 << 20;

/// The most declarations of a kind.
const MAX_DECLARATIONS: usize = 1 << 15;

/// The most tokens of a declaration; its formulas could not be elaborated if there were more.
const MAX_TOKENS: usize = 1 << 20;

/// Parses a file. The tree holds the declarations without errors; it is complete when no diagnostic is
/// an error. Diagnostics are in file order. `text` is at most [`MAX_BYTES`] long.
pub fn parse(text: &str) -> (File, Vec<Diagnostic>) {
    let mut parser = Parser::default();
    let mut chunk = Vec::new();
    let mut broken = false;
    for (start, result, end) in tokens(text) {
        match result {
            Ok(token) => {
                if token.starts_declaration() && (broken || !chunk.is_empty()) {
                    parser.declaration(&chunk, broken, Span::new(start, end), Some(token));
                    chunk.clear();
                    broken = false;
                }
                chunk.push((start, token, end));
            }
            Err(error) => {
                parser.lexical(error, (start, end), text, chunk.last().copied());
                broken = true;
            }
        }
        if chunk.len() > MAX_TOKENS {
            parser.too_much("C0504", &chunk, "declaration too large", MAX_TOKENS, "tokens");
        }
        if parser.given_up || parser.build.diagnostics.is_full() {
            return parser.finish();
        }
    }
    if broken || !chunk.is_empty() {
        let end = text.len() as u32;
        parser.declaration(&chunk, broken, Span::new(end, end), None);
    }
    parser.finish()
}

#[derive(Default)]
struct Parser {
    file: File,
    build: Builder,
    grammar: Option<DeclarationParser>,
    /// Latest stage reached, see [`Token::stage`].
    stage: u8,
    /// The illegal characters reported last, so that a run of them is one error.
    illegal: Option<(u32, usize)>,
    /// Number of declarations of each [`kind`].
    kinds: [usize; 4],
    /// Whether a bound on the text was hit, and reported.
    given_up: bool,
}

impl Parser {
    fn finish(self) -> (File, Vec<Diagnostic>) {
        let mut diagnostics = self.build.diagnostics.into_vec();
        diagnostics.sort_by_key(|d| d.primary.span);
        (self.file, diagnostics)
    }

    /// Gives up: the text goes beyond a bound.
    fn too_much(&mut self, code: &'static str, chunk: &[Placed<'_>], what: &str, most: usize, of: &str) {
        let at = chunk.first().map_or(Span::default(), |&(start, _, end)| Span::new(start, end));
        let message = format!("{what}: more than {most} {of}");
        self.build.diagnostics.push(
            Diagnostic::error(code, at, message).label("what follows is not looked at").help("split it"),
        );
        self.given_up = true;
    }

    fn lexical(&mut self, error: LexError, (start, end): (u32, u32), text: &str, before: Option<Placed<'_>>) {
        let diagnostics = &mut self.build.diagnostics;
        match error {
            LexError::OpenComment => diagnostics.push(
                Diagnostic::error("C0002", Span::new(start, start + 2), "comment without an end")
                    .label("opened here")
                    .help("comments nest: every `(*` needs its own `*)`"),
            ),
            LexError::Illegal => {
                if let Some((last, at)) = self.illegal
                    && last == start
                {
                    if let Some(first) = diagnostics.get_mut(at) {
                        first.primary.span.end = end;
                    }
                    self.illegal = Some((end, at));
                    return;
                }
                let what = text.get(start as usize..).and_then(|rest| rest.chars().next()).unwrap_or('?');
                let mut diagnostic =
                    Diagnostic::error("C0001", Span::new(start, end), format!("illegal character {what:?}"));
                let after = text.as_bytes().get(end as usize).copied();
                if let Some((construct, branch)) = unsupported::character(what, before) {
                    diagnostic = unsupported::diagnostic(Span::new(start, end), construct, branch);
                } else if let Some(help) = unsupported::spelling(what, after) {
                    diagnostic = diagnostic.help(help);
                }
                self.illegal = Some((end, diagnostics.len()));
                diagnostics.push(diagnostic);
            }
        }
    }

    /// Parses one declaration; `next` is what follows it. A declaration with lexical errors has had its
    /// error already.
    fn declaration(&mut self, chunk: &[Placed<'_>], broken: bool, next: Span, follower: Option<Token<'_>>) {
        let Some(&(start, first, first_end)) = chunk.first() else { return };
        if broken {
            return;
        }
        let Some(stage) = first.stage() else {
            let diagnostic = unsupported::recognise(chunk, 0).unwrap_or_else(|| {
                Diagnostic::error("C0003", Span::new(start, first_end), "declaration expected")
                    .label("this starts no declaration")
                    .help("a file consists of `type`, `var`, `const`, `array`, `init`, `invariant`, `unsafe`, `predicate` and `transition` declarations")
            });
            self.build.diagnostics.push(diagnostic);
            return;
        };
        if stage < self.stage {
            let order =
                "`number_procs` first, then types, then `var`, `const` and `array`, then everything else";
            self.build.diagnostics.push(
                Diagnostic::error("C0004", Span::new(start, first_end), "declaration out of order")
                    .label("comes too late")
                    .help(format!("the order of a file is fixed: {order}")),
            );
        }
        self.stage = self.stage.max(stage);
        let grammar = self.grammar.get_or_insert_with(DeclarationParser::new);
        match grammar.parse(&mut self.build, chunk.iter().copied()) {
            Ok(item) => {
                let (kind, of) = kind(&item);
                self.kinds[kind] += 1;
                if self.kinds[kind] > MAX_DECLARATIONS {
                    self.too_much("C0501", chunk, "file too long", MAX_DECLARATIONS, of);
                } else {
                    self.file.items.push(item);
                }
            }
            Err(error) => {
                let diagnostic = syntax_error(error, chunk, next, follower);
                self.build.diagnostics.push(diagnostic);
            }
        }
    }
}

/// What a declaration counts as.
fn kind(item: &Item) -> (usize, &'static str) {
    match item {
        Item::Type(_) => (0, "types"),
        Item::Symbol(_) => (1, "variables"),
        Item::Transition(_) => (2, "transitions"),
        Item::NumberProcs(_) | Item::Property(_) | Item::Predicate(_) => (3, "other declarations"),
    }
}

fn syntax_error(
    error: ParseError<u32, Token<'_>, std::convert::Infallible>,
    chunk: &[Placed<'_>],
    next: Span,
    follower: Option<Token<'_>>,
) -> Diagnostic {
    let (at, found, expected) = match error {
        ParseError::UnrecognizedToken { token: (l, _, r), expected } => {
            let at = chunk.iter().position(|&(start, _, _)| start == l).unwrap_or(0);
            if let Some(diagnostic) = unsupported::recognise(chunk, at) {
                return diagnostic;
            }
            if let Some(diagnostic) = truth_value(chunk, at) {
                return diagnostic;
            }
            (Span::new(l, r), "this token", expected)
        }
        ParseError::ExtraToken { token: (l, _, r) } => (Span::new(l, r), "this token", Vec::new()),
        ParseError::UnrecognizedEof { expected, .. } => {
            if let Some(diagnostic) = truth_value(chunk, chunk.len()) {
                return diagnostic;
            }
            let found = if follower.is_some() { "this declaration" } else { "the end of the file" };
            (next, found, expected)
        }
        ParseError::InvalidToken { location } => (Span::new(location, location), "this", Vec::new()),
        ParseError::User { error } => match error {},
    };
    let mut diagnostic =
        Diagnostic::error("C0003", at, "syntax error").label(format!("{found} is unexpected"));
    if !(Span::new(0, 0)..=Span::new(0, 0)).contains(&at) && found == "this declaration" {
        let (start, _, end) = chunk[0];
        diagnostic = diagnostic.also(Span::new(start, end), "the declaration before it is not complete");
    }
    if let Some(help) = expectation(&expected) {
        diagnostic = diagnostic.help(help);
    }
    diagnostic
}

/// `true` where a term is wanted, or `True` where a formula is.
fn truth_value(chunk: &[Placed<'_>], at: usize) -> Option<Diagnostic> {
    if let Some(&(l, token @ (Token::True | Token::False), r)) = chunk.get(at) {
        let (formula, term) = if token == Token::True { ("true", "True") } else { ("false", "False") };
        return Some(
            Diagnostic::error(
                "C0003",
                Span::new(l, r),
                format!("the formula `{formula}` where a term is expected"),
            )
            .help(format!("the value of type `bool` is written `{term}`")),
        );
    }
    let &(l, Token::Mident(term @ ("True" | "False")), r) = chunk.get(at.checked_sub(1)?)? else {
        return None;
    };
    let standing_alone = !matches!(
        chunk.get(at.checked_sub(2)?)?.1,
        Token::Equal | Token::Different | Token::Assign | Token::Bar | Token::Comma
    );
    standing_alone.then(|| {
        Diagnostic::error("C0003", Span::new(l, r), format!("the value `{term}` where a formula is expected"))
            .help(format!("the formula is written `{}`", term.to_lowercase()))
    })
}

/// The most alternatives that are worth listing.
const MAX_EXPECTED: usize = 8;

fn expectation(expected: &[String]) -> Option<String> {
    let mut names: Vec<String> = expected
        .iter()
        .map(|token| match token.as_str() {
            "lident" => "a name like `x`".to_owned(),
            "mident" => "a name like `X`".to_owned(),
            "int" => "an integer".to_owned(),
            "real" => "a real number".to_owned(),
            "procconst" => "a process constant like `#1`".to_owned(),
            keyword => format!("`{}`", keyword.trim_matches('"')),
        })
        .collect();
    names.sort_by_key(|name| name.starts_with('`'));
    if names.is_empty() || names.len() > MAX_EXPECTED {
        return None;
    }
    let last = names.pop()?;
    Some(if names.is_empty() {
        format!("expected {last}")
    } else {
        format!("expected {} or {last}", names.join(", "))
    })
}
