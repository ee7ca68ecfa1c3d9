//! Counts of processes: `#{p | ..}`, `sum{p | ..}`, `#proc`, and how they are written elsewhere.

use std::ops::Range;

use super::listed_word;
use super::site::{Repair, Site};
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::token::Token;

/// The forms of a count.
const FORMS: &str = "`#{p | S[p] = A}` is the number of processes with this formula, `#proc` that of all processes, \
                     `sum{p | N[p]}` the sum of a number of each";

/// An error about a count.
pub fn miscounted(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("C0008", span, message)
}

/// A place in a count, when its bracket is the innermost open one.
pub fn count<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let open = *site.open.last()?;
    let sum = match site.token(open)? {
        Token::CountOpen => false,
        Token::BraceOpen if site.token(open.checked_sub(1)?) == Some(Token::Sum) => true,
        _ => return None,
    };
    let count = Inner { site, open, sum };
    count.opening().or_else(|| count.head()).or_else(|| count.body())
}

/// A count that does not parse.
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
        Some(self.open - usize::from(self.sum)..self.site.closing(self.open)? + 1)
    }

    /// An error about all of it, which is read as a number.
    fn refused(&self, message: &str, label: &str, help: &str) -> Option<Repair<'t>> {
        let range = self.whole()?;
        let help = help.replace("#{", self.word());
        let error = miscounted(self.site.span(range.clone()), message).label(label).help(help);
        Some(Repair::new(range, [Token::Int("0")], error))
    }

    const fn word(&self) -> &'static str {
        if self.sum { "sum{" } else { "#{" }
    }

    /// `# {`, `#(p | ..)`
    fn opening(&self) -> Option<Repair<'t>> {
        let &Self { site, open, sum } = self;
        let (Token::BraceOpen | Token::ParOpen) = site.found().filter(|_| site.at == open + 1 && !sum)?
        else {
            return None;
        };
        let close = site.closing(site.at)?;
        let inside = open + 2..close;
        let meant = format!("#{{{}}}", site.source(inside.clone()));
        let error = miscounted(site.span(open..open + 2), "a count is written with `#{`")
            .help(format!("write `{meant}`"))
            .mend_at(site.span(open..close + 1), meant);
        let with = [vec![Token::CountOpen], site.tokens(inside), vec![Token::BraceClose]].concat();
        Some(Repair::new(open..close + 1, with, error))
    }

    /// `.` in place of `|`
    fn bar(&self, range: Range<usize>) -> Option<Repair<'t>> {
        let typed = self.site.source(range.clone());
        let error = miscounted(self.site.span(range.clone()), format!("`{typed}` in a count is written `|`"))
            .write("|");
        Some(Repair::new(range, [Token::Bar], error))
    }

    /// What stands before the bar.
    fn head(&self) -> Option<Repair<'t>> {
        let &Self { site, open, .. } = self;
        let (first, close) = (open + 1, self.whole()?.end - 1);
        if site.at > first + 2 {
            return None;
        }
        let bar = (first..close).find(|&i| site.token(i) == Some(Token::Bar));
        let name = match site.token(first) {
            Some(Token::Lident(name)) => name,
            Some(Token::Mident(name)) if bar == Some(first + 1) => {
                let message = format!("`{name}` is not a process to be counted");
                let help = "a count ranges over all processes: write `#{p | ..}`";
                return self.refused(&message, "the name of a process begins with a small letter", help);
            }
            _ if bar.is_some() => {
                let label = "a name is expected before the bar";
                return self.refused("a count without a process", label, "write `#{p | ..}`");
            }
            _ => return self.without_bar(first..close),
        };
        // A sort may stand behind the colon.
        if site.at == first + 2 && site.token(first + 1) == Some(Token::Colon) {
            return self.bar(first + 1..first + 2);
        }
        if site.at != first + 1 {
            return None;
        }
        let is_listed = |i| matches!(site.token(i), Some(Token::Lident(_) | Token::Comma | Token::Different));
        match (site.found()?, site.ahead(1)) {
            (Token::Comma | Token::Different | Token::Lident(_), _)
                if bar.is_some_and(|bar| (first..bar).all(is_listed)) =>
            {
                let help = "take another one from outside: a parameter, or one that a quantifier binds";
                self.refused("a count of several processes together", "a count is about one process", help)
            }
            (Token::In, Some(Token::Lident(kind))) if bar == Some(site.at + 2) => {
                let range = site.at..site.at + 2;
                let mended = Span::new(site.after(site.at).end, site.span(range.clone()).end);
                let error = miscounted(site.span(range.clone()), format!("`{kind}` as a kind of processes"))
                    .label("a count ranges over all processes")
                    .help(format!(
                        "write `{}{name} | ..}}`, and say in the formula which processes are meant",
                        self.word()
                    ))
                    .mend_at(mended, "");
                Some(Repair::new(range, [], error))
            }
            (Token::Dot | Token::Or | Token::Comma, _) => self.bar(site.here()),
            (Token::BraceClose, _) => {
                let help = format!("write `#{{{name} | ..}}`; `#proc` is the number of all processes");
                self.refused("a count without a formula", "it says which processes are counted", &help)
            }
            _ => self.without_bar(first..close),
        }
    }

    /// `#{Crit[z] = True}`
    fn without_bar(&self, inside: Range<usize>) -> Option<Repair<'t>> {
        let &Self { site, open, .. } = self;
        if inside.is_empty() || site.tokens(inside.clone()).contains(&Token::Bar) {
            return None;
        }
        // Among its processes the one that is bound nowhere else.
        let elsewhere = site.tokens(0..open);
        let free = inside.clone().find(|&i| {
            matches!(site.token(i), Some(token @ Token::Lident(_)) if !elsewhere.contains(&token))
                && site.token(i + 1) != Some(Token::ParOpen)
        });
        let Some(Token::Lident(name)) = free.and_then(|i| site.token(i)) else {
            let error = self.refused("a count that binds no process", "which processes are counted?", "");
            return error.map(|mut repair| {
                repair.diagnostic = repair.diagnostic.map(|error| error.help(FORMS));
                repair
            });
        };
        let meant = format!("{}{name} | {}}}", self.word(), site.source(inside));
        let error = miscounted(site.span(self.whole()?), "a count that binds no process").write(&meant);
        Some(Repair::new(open + 1..open + 1, [Token::Lident(name), Token::Bar], error))
    }

    /// What stands behind it.
    fn body(&self) -> Option<Repair<'t>> {
        let &Self { site, open, .. } = self;
        let (at, found) = (site.at, site.found()?);
        let condition = match found {
            Token::Lident(word) => listed_word("conditions", word),
            found => matches!(found, Token::Bar | Token::Comma | Token::Colon),
        };
        if self.sum && condition && site.expects("if") {
            let message = format!("`{}` in a sum is written `if`", site.source(site.here()));
            let error = miscounted(site.span(site.here()), message).write("if");
            return Some(Repair::new(site.here(), [Token::If], error));
        }
        // The brace of the declaration closes the count.
        let unbalanced = site.open.first().is_some_and(|&first| site.closing(first).is_none());
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

/// `|{p | ..}|`, `|S|`
pub fn bars<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    if !["true", "?", "int"].into_iter().any(|terminal| site.expects(terminal)) {
        return None;
    }
    if site.token(at + 1) == Some(Token::BraceOpen) {
        let close = site.closing(at + 1).filter(|close| site.token(close + 1) == Some(Token::Bar))?;
        return spelled_out(site, at..close + 2, at + 2..close, false);
    }
    let close = (at + 1..site.chunk.len()).find(|&i| site.token(i) == Some(Token::Bar))?;
    site.token(close + 1).filter(|token| token.is_comparison())?;
    Some(unclear(site, at..close + 1))
}

/// `card(proc)`, `count(q : ..) > 1`
pub fn word<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let word = (0..at.min(site.chunk.len())).rev().find(|&i| {
        matches!(site.token(i + 1), Some(Token::ParOpen | Token::BraceOpen))
            && matches!(site.token(i), Some(Token::Lident(name) | Token::Mident(name)) if listed_word("counts", &name.to_ascii_lowercase()))
    })?;
    let close = site.closing(word + 1).filter(|&close| close + 1 >= at)?;
    let joins = |token: Token<'_>| {
        token.is_comparison() || matches!(token, Token::Assign | Token::Plus | Token::Minus | Token::Star)
    };
    if ![word.checked_sub(1)?, close + 1].into_iter().any(|i| site.token(i).is_some_and(joins)) {
        return None;
    }
    let (whole, inside) = (word..close + 1, word + 2..close);
    if let [Token::Lident("proc" | "procs" | "process" | "processes")] = site.tokens(inside.clone())[..] {
        let message = format!("`{}` is written `#proc`", site.source(whole.clone()));
        let error = miscounted(site.span(whole.clone()), message).mend("#proc");
        return Some(Repair::new(whole, [Token::AllProcs], error));
    }
    let sum = site.source(word..word + 1).eq_ignore_ascii_case("sum");
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
    let (word, opening): (_, &[Token<'t>]) =
        if sum { ("sum{", &[Token::Sum, Token::BraceOpen]) } else { ("#{", &[Token::CountOpen]) };
    let typed = site.source(whole.start..inside.start);
    let error = miscounted(site.span(whole.clone()), format!("`{typed}` is not how a count begins"))
        .write(&format!("{word}{name} | {}}}", site.source(body.clone())));
    let head = [Token::Lident(name), Token::Bar];
    Some(Repair::new(whole, [opening, &head, &site.tokens(body), &[Token::BraceClose]].concat(), error))
}

/// A count of something that is not said in a way that this language has.
fn unclear<'t>(site: &Site<'_, 't>, whole: Range<usize>) -> Repair<'t> {
    let message = format!("`{}` is not a count", site.source(whole.clone()));
    let error = miscounted(site.span(whole.clone()), message)
        .label("counts are about processes, each of which has a name in the formula")
        .help(FORMS);
    Repair::new(whole, [Token::Int("0")], error)
}
