//! Counts of processes: `#{p | ..}`, `sum{p | ..}`, `#proc`, and how they are written elsewhere.

use std::ops::Range;

use super::site::{DeclarationPart, Repair, Site};
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::token::Token;

/// The forms of a count.
pub const FORMS: &str = "`#{p | S[p] = A}` is the number of processes with this formula, `#proc` that of all processes, \
                         `sum{p | N[p]}` the sum of a number of each";

/// Words for counting in other languages.
const COUNTS: [&str; 12] = [
    "card",
    "cardinality",
    "count",
    "size",
    "sizeof",
    "length",
    "len",
    "sum",
    "num",
    "number",
    "numof",
    "nproc",
];

/// Words before the condition of a sum.
const CONDITIONS: [&str; 4] = ["where", "when", "with", "such_that"];

/// An error about a count.
pub fn miscounted(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("C0008", span, message)
}

pub(super) fn repair<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let inside = site.open().last().copied().and_then(|open| {
        let sum = site.token(open) == Some(Token::BraceOpen) && is_sum(site, open);
        (sum || site.token(open) == Some(Token::CountOpen)).then_some(Inner { site, open, sum })
    });
    match inside {
        Some(count) => count.opening().or_else(|| count.head()).or_else(|| count.body()),
        None => None,
    }
    .or_else(|| plural(site))
    .or_else(|| bars(site))
    .or_else(|| word(site))
}

fn is_sum(site: &Site<'_, '_>, open: usize) -> bool {
    open.checked_sub(1).and_then(|before| site.token(before)) == Some(Token::Sum)
}

/// The innermost open bracket, when it is that of a count.
struct Inner<'s, 'a, 't> {
    site: &'s Site<'a, 't>,
    /// Its brace.
    open: usize,
    /// Whether it is a sum.
    sum: bool,
}

impl<'t> Inner<'_, '_, 't> {
    /// All of it, up to its closing brace.
    fn whole(&self) -> Option<Range<usize>> {
        let close = self.site.closing(self.open)?;
        Some(self.open - usize::from(self.sum)..close + 1)
    }

    /// An error about all of it, which is read as a number.
    fn refused(&self, message: &str, label: &str, help: String) -> Option<Repair<'t>> {
        let range = self.whole()?;
        let error = miscounted(self.site.span(range.clone()), message).label(label).help(help);
        Some(Repair::new(range, [Token::Int("0")], error))
    }

    fn word(&self) -> &'static str {
        if self.sum { "sum{" } else { "#{" }
    }

    /// `# {`, `#(p | ..)`
    fn opening(&self) -> Option<Repair<'t>> {
        let &Self { site, open, .. } = self;
        let (Token::BraceOpen | Token::ParOpen) =
            site.found().filter(|_| site.at == open + 1 && !self.sum)?
        else {
            return None;
        };
        let close = site.closing(site.at)?;
        let inside = site.source(open + 2..close);
        let mut with = vec![Token::CountOpen];
        with.extend((open + 2..close).filter_map(|i| site.token(i)).chain([Token::BraceClose]));
        let meant = format!("#{{{inside}}}");
        let error = miscounted(site.span(open..open + 2), "a count is written with `#{`")
            .help(format!("write `{meant}`"))
            .mend_at(site.span(open..close + 1), meant);
        Some(Repair::new(open..close + 1, with, error))
    }

    /// What stands before the bar.
    fn head(&self) -> Option<Repair<'t>> {
        let &Self { site, open, .. } = self;
        let (first, range) = (open + 1, self.whole()?);
        let close = range.end - 1;
        if site.at > first + 2 {
            return None;
        }
        let bar = (first..close).find(|&i| site.token(i) == Some(Token::Bar));
        let name = match site.token(first) {
            Some(Token::Lident(name)) => name,
            Some(Token::Mident(name)) if site.token(first + 1) == Some(Token::Bar) => {
                let label = "the name of a process begins with a small letter";
                let help = format!("a count ranges over all processes: write `{}p | ..}}`", self.word());
                return self.refused(&format!("`{name}` is not a process to be counted"), label, help);
            }
            _ if bar.is_some() => {
                let help = format!("write `{}p | ..}}`", self.word());
                return self.refused("a count without a process", "a name is expected before the bar", help);
            }
            _ => return self.without_bar(first..close),
        };
        // A sort may stand behind the colon.
        let sorted = site.token(first + 1) == Some(Token::Colon);
        if site.at == first + 2 && sorted {
            let error =
                miscounted(site.span(first + 1..first + 2), "`:` in a count is written `|`").write("|");
            return Some(Repair::new(first + 1..first + 2, [Token::Bar], error));
        }
        if site.at != first + 1 {
            return None;
        }
        let spelled = |range: Range<usize>, typed: &str| {
            let error = miscounted(site.span(range.clone()), format!("`{typed}` in a count is written `|`"))
                .write("|");
            Some(Repair::new(range, [Token::Bar], error))
        };
        match (site.found()?, site.ahead(1)) {
            (Token::Comma | Token::Different | Token::Lident(_), _)
                if bar.is_some_and(|bar| (first..bar).all(|i| separates(site.token(i)))) =>
            {
                let label = "a count is about one process";
                let help =
                    "take another one from outside: a parameter, or one that a quantifier binds".to_owned();
                self.refused("a count of several processes together", label, help)
            }
            (Token::In, Some(Token::Lident(kind))) if bar == Some(site.at + 2) => {
                let error =
                    miscounted(site.span(site.at..site.at + 2), format!("`{kind}` as a kind of processes"))
                        .label("a count ranges over all processes")
                        .help(format!(
                            "write `{}{name} | ..}}`, and say in the formula which processes are meant",
                            self.word()
                        ))
                        .mend_at(
                            Span::new(site.span(first..first + 1).end, site.span(site.at..site.at + 2).end),
                            "",
                        );
                Some(Repair::new(site.at..site.at + 2, [], error))
            }
            (Token::Dot, _) => spelled(site.at..site.at + 1, "."),
            (Token::Or, _) => spelled(site.at..site.at + 1, "||"),
            (Token::Comma, _) => spelled(site.at..site.at + 1, ","),
            (Token::BraceClose, _) => {
                let help =
                    format!("write `{}{name} | ..}}`; `#proc` is the number of all processes", self.word());
                self.refused("a count without a formula", "it says which processes are counted", help)
            }
            _ => self.without_bar(first..close),
        }
    }

    /// `#{Crit[z] = True}`
    fn without_bar(&self, inside: Range<usize>) -> Option<Repair<'t>> {
        let &Self { site, open, .. } = self;
        if inside.is_empty() || inside.clone().any(|i| matches!(site.token(i), Some(Token::Bar))) {
            return None;
        }
        // Among its processes the one that is bound nowhere else.
        let elsewhere: Vec<Token<'t>> = (0..open).filter_map(|i| site.token(i)).collect();
        let names = inside.clone().filter_map(|i| match (site.token(i)?, site.token(i + 1)) {
            (Token::Lident(_), Some(Token::ParOpen)) => None,
            (token @ Token::Lident(name), _) => Some((token, name)),
            _ => None,
        });
        let mut names = names.filter(|(token, _)| !elsewhere.contains(token));
        let Some((token, name)) = names.next() else {
            return self.refused(
                "a count that binds no process",
                "which processes are counted?",
                FORMS.to_owned(),
            );
        };
        let meant = format!("{}{name} | {}}}", self.word(), site.source(inside));
        let whole = site.span(self.whole()?);
        let error = miscounted(whole, "a count that binds no process").write(&meant);
        Some(Repair::new(open + 1..open + 1, [token, Token::Bar], error))
    }

    /// What stands behind it.
    fn body(&self) -> Option<Repair<'t>> {
        let &Self { site, open, .. } = self;
        let at = site.at;
        let found = site.found()?;
        let condition = matches!(found, Token::Bar | Token::Comma | Token::Colon)
            || matches!(found, Token::Lident(word) if CONDITIONS.contains(&word));
        if self.sum && condition && site.expects("if") {
            let typed = site.source(at..at + 1);
            let error =
                miscounted(site.span(at..at + 1), format!("`{typed}` in a sum is written `if`")).write("if");
            return Some(Repair::new(at..at + 1, [Token::If], error));
        }
        // The brace of the declaration closes the count.
        let unbalanced = site.open().first().is_some_and(|&first| site.closing(first).is_none());
        let joins = found.is_comparison() || matches!(found, Token::Plus | Token::Minus | Token::Star);
        if !unbalanced || !joins || !site.expects("}") {
            return None;
        }
        let error = miscounted(site.after(at), "`}` is missing")
            .label("expected here at the latest")
            .mend_at(site.end(at), "}")
            .also(site.span(open..open + 1), "this count is not closed");
        Some(Repair::new(at..at, [Token::BraceClose], error))
    }
}

/// Whether it may stand in a list of names.
fn separates(token: Option<Token<'_>>) -> bool {
    matches!(token, Some(Token::Lident(_) | Token::Comma | Token::Different))
}

/// `#procs`
fn plural<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let (Some(Token::AllProcs), Token::Lident(_)) = (site.back(1), site.found()?) else { return None };
    if !site.adjacent(at - 1) {
        return None;
    }
    let typed = site.source(at - 1..at + 1);
    let error = miscounted(site.span(at - 1..at + 1), format!("`{typed}` is written `#proc`")).mend("#proc");
    Some(Repair::new(at - 1..at + 1, [Token::AllProcs], error))
}

/// `|{p | ..}|`, `|S|`
fn bars<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    if !matches!(site.place(), DeclarationPart::Formula | DeclarationPart::Body)
        || site.found() != Some(Token::Bar)
        || !(site.expects("true") || site.expects("?") || site.expects("int"))
    {
        return None;
    }
    if site.token(at + 1) == Some(Token::BraceOpen) {
        let close = site.closing(at + 1).filter(|close| site.token(close + 1) == Some(Token::Bar))?;
        return spelled_out(site, at..close + 2, at + 2..close, false);
    }
    let close = (at + 1..site.chunk.len()).find(|&i| site.token(i) == Some(Token::Bar))?;
    if !site.token(close + 1).is_some_and(Token::is_comparison) {
        return None;
    }
    Some(unclear(site, at..close + 1))
}

/// `card(proc)`, `count(q : ..) > 1`
fn word<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    if !matches!(site.place(), DeclarationPart::Formula | DeclarationPart::Body) {
        return None;
    }
    let word = (0..at.min(site.chunk.len())).rev().find(|&i| {
        let counts = |name: &str| COUNTS.contains(&name.to_ascii_lowercase().as_str());
        let opens = matches!(site.token(i + 1), Some(Token::ParOpen | Token::BraceOpen));
        opens && matches!(site.token(i), Some(Token::Lident(name) | Token::Mident(name)) if counts(name))
    })?;
    let close = site.closing(word + 1).filter(|&close| close + 1 >= at)?;
    let compared = |i: usize| site.token(i).is_some_and(Token::is_comparison);
    let joined =
        |i: usize| matches!(site.token(i), Some(Token::Assign | Token::Plus | Token::Minus | Token::Star));
    let (before, after) = (word.checked_sub(1)?, close + 1);
    if !(compared(before) || joined(before) || compared(after) || joined(after)) {
        return None;
    }
    let sum = site.source(word..word + 1).eq_ignore_ascii_case("sum");
    let whole = word..close + 1;
    let inside = word + 2..close;
    if let [Token::Lident("proc" | "procs" | "process" | "processes")] =
        inside.clone().filter_map(|i| site.token(i)).collect::<Vec<_>>().as_slice()
    {
        let typed = site.source(whole.clone());
        let error =
            miscounted(site.span(whole.clone()), format!("`{typed}` is written `#proc`")).mend("#proc");
        return Some(Repair::new(whole, [Token::AllProcs], error));
    }
    spelled_out(site, whole.clone(), inside, sum).or_else(|| Some(unclear(site, whole)))
}

/// A name, `|`, `:` or `.`, and what is counted: as a count.
fn spelled_out<'t>(
    site: &Site<'_, 't>,
    whole: Range<usize>,
    inside: Range<usize>,
    sum: bool,
) -> Option<Repair<'t>> {
    let (Token::Lident(name), Token::Bar | Token::Colon | Token::Dot) =
        (site.token(inside.start)?, site.token(inside.start + 1)?)
    else {
        return None;
    };
    let body = inside.start + 2..inside.end;
    let word = if sum { "sum{" } else { "#{" };
    let meant = format!("{word}{name} | {}}}", site.source(body.clone()));
    let typed = site.source(whole.start..inside.start);
    let error =
        miscounted(site.span(whole.clone()), format!("`{typed}` is not how a count begins")).write(&meant);
    let mut with = if sum { vec![Token::Sum, Token::BraceOpen] } else { vec![Token::CountOpen] };
    with.extend([Token::Lident(name), Token::Bar]);
    with.extend(body.filter_map(|i| site.token(i)).chain([Token::BraceClose]));
    Some(Repair::new(whole, with, error))
}

/// A count of something that is not said in a way that this language has.
fn unclear<'t>(site: &Site<'_, 't>, whole: Range<usize>) -> Repair<'t> {
    let error =
        miscounted(site.span(whole.clone()), format!("`{}` is not a count", site.source(whole.clone())))
            .label("counts are about processes, each of which has a name in the formula")
            .help(FORMS);
    Repair::new(whole, [Token::Int("0")], error)
}
