//! Parser entry: cuts the text at declaration keywords, so that one run reports an error in each wrong
//! declaration, and turns the errors of the generated parser into diagnostics.

use cubicle_grammar::{MAX_DEPTH, Remark};
use indexmap::IndexMap;

use super::ast::{Entry, Expr, File, Item};
use super::repair::{self, DeclaredNames, Repair, Site};
use super::token::{LexError, Placed, Token, tokens};
use super::{contextual, foreign, unexpected, unsupported};
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, Label, Span};

/// Files above this size in bytes are refused (16 MiB).
pub const MAX_BYTES: usize = 16 << 20;

/// The most declarations of a kind.
const MAX_DECLARATIONS: usize = 1 << 15;

/// The most tokens of a declaration; its formulas could not be elaborated if there were more.
const MAX_TOKENS: usize = 1 << 20;

/// The most repairs in one declaration.
const MAX_REPAIRS: usize = 20;

/// An error this few tokens after a repair follows from it.
const NEAR: usize = 3;

/// Longer declarations are repaired at most once.
const MAX_REPAIRED: usize = 1 << 14;

/// Further places of a mistake that are shown with the first.
const MAX_PLACES: usize = 3;

/// Parses a file. The tree holds the declarations without errors, or whose errors leave no doubt of what
/// was meant; it is complete when no diagnostic is an error. Diagnostics are in file order. `text` is at
/// most [`MAX_BYTES`] long.
pub fn parse(text: &str) -> (File, Vec<Diagnostic>) {
    read(text, None).finish()
}

/// Parses a file that has to be free of errors.
///
/// # Errors
/// What is wrong with it.
pub fn parse_valid(text: &str) -> Checked<File> {
    let (file, mut diagnostics) = parse(text);
    diagnostics.retain(Diagnostic::is_error);
    if diagnostics.is_empty() { Ok(file) } else { Err(diagnostics) }
}

/// Parses a formula by itself, which stands from byte `from` on to the end of `text` and is nothing but a formula.
///
/// # Errors
/// What is wrong with it, with places in `text`.
pub fn parse_formula(text: &str, from: usize) -> Checked<Expr> {
    let mut parser = read(text, Some(from));
    let formula = parser.formula.take();
    let (_, mut diagnostics) = parser.finish();
    diagnostics.retain(Diagnostic::is_error);
    formula.filter(|_| diagnostics.is_empty()).ok_or(diagnostics)
}

/// Reads declarations, or a formula that begins at this byte.
fn read(text: &str, formula: Option<usize>) -> Parser<'_> {
    let mut parser = Parser { text, ..Parser::default() };
    if formula.is_none()
        && let Some(error) = foreign::module(text)
    {
        parser.diagnostics.push(error);
        (parser.file.damage.init, parser.file.damage.bad) = (true, true);
        return parser;
    }
    let mut chunk: Vec<Placed<'_>> = Vec::new();
    let begin = formula.map(|from| (from as u32, Token::Formula, from as u32));
    chunk.extend(begin);
    let mut broken = false;
    let mut lexer = tokens(text, formula.unwrap_or(0));
    let mut next = lexer.next();
    while let Some((start, result, end)) = next {
        let suspect = match result {
            Err(LexError::Illegal) => true,
            // No term has two signs, unless the second one belongs to a number.
            Ok(Token::Minus) => {
                text[end as usize..].starts_with('-')
                    && !text[end as usize + 1..].starts_with(|c: char| c.is_ascii_digit())
            }
            _ => false,
        };
        if suspect && let Some(foreign) = foreign::read(text, start as usize, &chunk) {
            parser.push(foreign.diagnostic, Some(foreign.habit).filter(|habit| !habit.is_empty()));
            broken |= !foreign.mended;
            chunk.extend(foreign.tokens);
            lexer = tokens(text, foreign.end);
        } else {
            match result {
                Ok(token) => {
                    let token = contextual::meant(token, &chunk, text, end);
                    let within = match chunk.last() {
                        // `var S : array [proc] of t` is one mistake.
                        Some((_, Token::Colon, _)) => token == Token::Array,
                        Some((_, Token::Goto, _)) => true,
                        _ => is_label(&chunk, &text[end as usize..]),
                    };
                    let begins = token.starts_declaration() && !within && begin.is_none();
                    if begins && (broken || !chunk.is_empty()) {
                        parser.declaration(&chunk, broken, Span::new(start, end), true);
                        chunk.clear();
                        broken = false;
                    }
                    chunk.push((start, token, end));
                }
                Err(error) => {
                    parser.lexical(error, Span::new(start, end), chunk.last().copied());
                    broken = true;
                }
            }
        }
        if chunk.len() > MAX_TOKENS {
            parser.too_much("C0504", &chunk, "declaration too large", MAX_TOKENS, "tokens");
        }
        if parser.given_up || parser.diagnostics.is_full() {
            return parser;
        }
        next = lexer.next();
    }
    let end = Span::new(text.len() as u32, text.len() as u32);
    if begin.is_some() {
        parser.repaired(chunk, broken, end, false);
    } else if broken || !chunk.is_empty() {
        parser.declaration(&chunk, broken, end, false);
    }
    parser
}

#[derive(Default)]
struct Parser<'t> {
    text: &'t str,
    file: File,
    /// The formula, when one is parsed instead of declarations.
    formula: Option<Expr>,
    diagnostics: Diagnostics,
    /// Whether a formula was too high, which is reported once.
    too_deep: bool,
    /// The illegal characters reported last, so that a run of them is one error.
    illegal: Option<(u32, usize)>,
    known: DeclaredNames<'t>,
    /// Mistakes that are reported once: their diagnostic, and how often they occurred.
    habits: IndexMap<&'static str, (usize, usize)>,
    /// Number of declarations of each [`kind`].
    kinds: [usize; 4],
    /// Whether a bound on the text was hit, and reported.
    given_up: bool,
}

impl<'t> Parser<'t> {
    fn finish(mut self) -> (File, Vec<Diagnostic>) {
        for &(at, count) in self.habits.values() {
            if count > MAX_PLACES + 1
                && let Some(error) = self.diagnostics.get_mut(at)
            {
                let more = format!("there are {} more places like this", count - MAX_PLACES - 1);
                error.help = Some(error.help.take().map_or(more.clone(), |help| format!("{help}; {more}")));
            }
        }
        let mut diagnostics = self.diagnostics.into_vec();
        diagnostics.sort_by_key(|d| d.primary.span);
        (self.file, diagnostics)
    }

    /// Gives up: the text goes beyond a bound.
    fn too_much(&mut self, code: &'static str, chunk: &[Placed<'_>], what: &str, most: usize, of: &str) {
        let at = chunk.first().map_or(Span::default(), |&(start, _, end)| Span::new(start, end));
        let message = format!("{what}: more than {most} {of}");
        self.diagnostics
            .push(Diagnostic::error(code, at, message).label("the rest is not read").help("split it"));
        self.given_up = true;
        (self.file.damage.init, self.file.damage.bad) = (true, true);
    }

    /// Keeps a declaration, unless there are too many.
    fn keep(&mut self, item: Item, chunk: &[Placed<'t>]) {
        let (kind, of) = kind(&item);
        self.kinds[kind] += 1;
        if self.kinds[kind] > MAX_DECLARATIONS {
            self.too_much("C0501", chunk, "file too long", MAX_DECLARATIONS, of);
        } else {
            self.remember(chunk);
            self.file.items.push(item);
        }
    }

    /// Adds an error, or a place to the error about the same habit.
    fn push(&mut self, diagnostic: Option<Diagnostic>, habit: Option<&'static str>) {
        let Some(diagnostic) = diagnostic else { return };
        let next = self.diagnostics.len();
        if let Some(habit) = habit {
            // Computed once for each habit: a line may be long.
            if !self.habits.contains_key(habit) {
                let first = self.beside(&diagnostic).unwrap_or((next, 0));
                self.habits.insert(habit, first);
            }
            let (at, count) = self.habits.entry(habit).or_insert((next, 0));
            *count += 1;
            if *at < next {
                if *count <= MAX_PLACES + 1
                    && let Some(earlier) = self.diagnostics.get_mut(*at)
                {
                    let same = earlier.message == diagnostic.message;
                    let text = if same { "here too".to_owned() } else { diagnostic.message };
                    earlier.secondary.push(Label { span: diagnostic.primary.span, text });
                }
                return;
            }
        }
        self.diagnostics.push(diagnostic);
    }

    /// Spellings of another language in one line are one error: its line, and the number of its places.
    fn beside(&mut self, diagnostic: &Diagnostic) -> Option<(usize, usize)> {
        let respelled = |it: &Diagnostic| it.code == "C0006" && it.mend.is_some();
        let text = self.text;
        let line = |a: Span, b: Span| {
            let (from, to) = (a.end.min(b.end) as usize, a.start.max(b.start) as usize);
            from >= to || text.get(from..to).is_some_and(|between| !between.contains('\n'))
        };
        let reported = self.habits.values().copied().collect::<Vec<_>>();
        reported.into_iter().find(|&(at, _)| {
            let first = self.diagnostics.get_mut(at);
            respelled(diagnostic)
                && first.is_some_and(|it| respelled(it) && line(it.primary.span, diagnostic.primary.span))
        })
    }

    fn lexical(&mut self, error: LexError, at: Span, before: Option<Placed<'_>>) {
        let diagnostics = &mut self.diagnostics;
        match error {
            LexError::OpenComment => {
                Diagnostic::error("C0002", Span::new(at.start, at.start + 2), "comment without an end")
                    .label("opened here")
                    .help("comments nest: every `(*` needs its own `*)`")
                    .report(diagnostics);
                // Whatever it hides.
                (self.file.damage.init, self.file.damage.bad) = (true, true);
            }
            LexError::Illegal => {
                if let Some((last, number)) = self.illegal
                    && last == at.start
                {
                    if let Some(first) = diagnostics.get_mut(number) {
                        first.primary.span.end = at.end;
                    }
                    self.illegal = Some((at.end, number));
                    return;
                }
                let what =
                    self.text.get(at.start as usize..).and_then(|rest| rest.chars().next()).unwrap_or('?');
                let mut diagnostic = Diagnostic::error("C0001", at, format!("illegal character {what:?}"));
                if let Some((construct, branch)) = unsupported::character(what, before) {
                    diagnostic =
                        unsupported::otherwise(unsupported::diagnostic(at, construct, branch), construct)
                            .help("write `send(C, message)`");
                } else if let Some(help) = unsupported::spelling(what) {
                    diagnostic = diagnostic.help(help);
                }
                self.illegal = Some((at.end, diagnostics.len()));
                diagnostics.push(diagnostic);
            }
        }
    }

    /// Parses one declaration; `next` is what follows it: another one when `more`, else the end of the file.
    /// A declaration with lexical errors was reported already.
    fn declaration(&mut self, chunk: &[Placed<'t>], broken: bool, next: Span, more: bool) {
        let Some(&(_, first, _)) = chunk.first() else { return };
        if first.starts_declaration() {
            self.repaired(chunk.to_vec(), broken, next, more);
        } else if broken {
            unexpected::lost(&mut self.file.damage, chunk);
        } else {
            self.no_declaration(chunk, next, more);
        }
    }

    /// Parses a declaration, with repairs where possible; with `quiet`, errors have been reported.
    fn repaired(&mut self, mut chunk: Vec<Placed<'t>>, quiet: bool, next: Span, more: bool) {
        let (mut past, mut beyond) = (0, 0);
        for round in 0..MAX_REPAIRS {
            let failure = match cubicle_grammar::parse(&chunk) {
                Ok((entry, remarks)) => {
                    self.remark(&remarks);
                    match entry {
                        Entry::Declaration(item) => self.keep(item, &chunk),
                        Entry::Formula(formula) => self.formula = Some(formula),
                    }
                    return;
                }
                Err(failure) => failure,
            };
            let long = chunk.len() > MAX_REPAIRED;
            // An error near a repair follows from it, unless it is the same mistake again.
            let near = round > 0 && failure.at <= beyond;
            if quiet || (round > 0 && (failure.at < past || long)) {
                break;
            }
            let complete = cubicle_grammar::parse(&chunk[..failure.at]).is_ok();
            let alone = matches!(chunk[0], (_, Token::Formula, _));
            let another = complete && !near && !alone;
            if another && self.begins_declaration(&chunk[failure.at..]) {
                let rest = chunk.split_off(failure.at);
                let (l, _, r) = rest[0];
                self.repaired(chunk, quiet, Span::new(l, r), true);
                self.no_declaration(&rest, next, more);
                return;
            }
            let site = Site::new(&chunk, &failure, self.text, &self.known, complete);
            if let Some(error) = repair::of_a_branch(&site).filter(|_| !near) {
                self.diagnostics.push(error);
                break;
            }
            let repair = repair::repair(&site);
            let again = |it: &Repair<'_>| it.habit.is_some_and(|habit| self.habits.contains_key(habit));
            if near && !repair.as_ref().is_some_and(again) {
                break;
            }
            let Some(repair) = repair else {
                let error = unexpected::unexpected(&site, next, more);
                self.diagnostics.push(error);
                break;
            };
            let (mended, after) = repair.apply(&chunk);
            let Repair { diagnostic, habit, more: others, .. } = repair;
            let found = diagnostic.is_some();
            self.push(diagnostic, habit);
            (past, beyond) = (after, if found { after + NEAR } else { after });
            chunk = mended;
            for other in others {
                self.repaired(other, true, next, more);
            }
        }
        unexpected::lost(&mut self.file.damage, &chunk);
    }

    /// Reports what was noticed in a declaration.
    fn remark(&mut self, remarks: &[Remark]) {
        for &remark in remarks {
            self.diagnostics.push(match remark {
                Remark::TooDeep(_) if self.too_deep => continue,
                Remark::TooDeep(span) => {
                    self.too_deep = true;
                    Diagnostic::error("C0013", span, format!("formula nested more than {MAX_DEPTH} deep"))
                        .label("nested too deeply")
                        .help("name parts of it with `predicate`, or split the declaration")
                }
                Remark::Mixed(span, right) => {
                    Diagnostic::warning("C0901", span, "`=>` and `<=>` mixed without parentheses")
                        .also(right, "this is the right operand")
                        .help("both bind alike and group to the right; write parentheses")
                }
            });
        }
    }

    /// Notes the names that a declaration introduces.
    fn remember(&mut self, chunk: &[Placed<'t>]) {
        let Some(&(_, first, _)) = chunk.first() else { return };
        let lower = |name: &str| name.starts_with(|c: char| c.is_ascii_lowercase());
        for &(_, token, _) in &chunk[1..] {
            match (first, token) {
                (Token::Type | Token::Var | Token::Const | Token::Array, Token::Mident(name)) => {
                    if lower(name) {
                        self.known.lowered.push(name);
                    }
                    self.known.capitals.push(name);
                    if first == Token::Array {
                        self.known.arrays.push(name);
                    }
                }
                (Token::Type | Token::Predicate, Token::Lident(name)) => {
                    if !lower(name) {
                        self.known.raised.push(name);
                    }
                    self.known.smalls.push(name);
                }
                (_, Token::Colon | Token::BracketOpen | Token::ParOpen) => return,
                _ => {}
            }
        }
    }

    /// Whether the tokens after a complete declaration are another one, with a wrong word at its start.
    fn begins_declaration(&self, rest: &[Placed<'t>]) -> bool {
        let next = |it: &Placed<'_>| matches!(it.1, Token::Lident(_) | Token::ParOpen | Token::BraceOpen);
        match rest {
            [(_, Token::Lident(_), _), second, ..] if next(second) => true,
            // A value of a type with a small letter, rather than a record.
            [(_, Token::Lident("record" | "struct"), _), ..] => false,
            [(_, Token::Lident(_) | Token::Mident(_), _), ..] => {
                repair::start(&Site::start(rest, self.text, &self.known)).is_some()
            }
            _ => false,
        }
    }

    /// Text that begins with no declaration keyword.
    fn no_declaration(&mut self, chunk: &[Placed<'t>], next: Span, more: bool) {
        let Some(&(l, _, r)) = chunk.first() else { return };
        let Some(repair) = repair::start(&Site::start(chunk, self.text, &self.known)) else {
            Diagnostic::error("C0003", Span::new(l, r), "declaration expected")
                .label("this does not start a declaration")
                .help("declarations start with `type`, `var`, `const`, `array`, `channel`, `init`, `invariant`, `unsafe`, `predicate`, `transition`, `process`, `never`, `always`, `fair`, `response`, `recurrence`, `possible` or `cover`")
                .report(&mut self.diagnostics);
            unexpected::lost(&mut self.file.damage, chunk);
            return;
        };
        let (mended, _) = repair.apply(chunk);
        self.push(repair.diagnostic, repair.habit);
        if repair.lost {
            unexpected::lost(&mut self.file.damage, &mended);
        } else {
            self.repaired(mended, false, next, more);
        }
    }
}

/// Whether a keyword is the label of a step, by what stands before and after it.
fn is_label(chunk: &[Placed<'_>], after: &str) -> bool {
    let after = after.trim_start();
    matches!(chunk.first(), Some((_, Token::Process, _)))
        && after.starts_with(':')
        && !after.starts_with(":=")
}

/// The kind of a declaration, for counting.
fn kind(item: &Item) -> (usize, &'static str) {
    match item {
        Item::Type(_) => (0, "types"),
        Item::Symbol(_) => (1, "variables"),
        Item::Transition(_) | Item::Process(_) => (2, "transitions"),
        Item::NumberProcs(_) | Item::Property(_) | Item::Fairness(_) | Item::Predicate(_) => {
            (3, "other declarations")
        }
    }
}
