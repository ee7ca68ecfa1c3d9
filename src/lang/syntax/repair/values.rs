//! Text on the right of `:=` that is not a value.

use std::ops::Range;

use super::site::{Repair, Site, foreign, slip};
use crate::diagnostic::Diagnostic;
use crate::syntax::token::Token;

/// The message for all values that depend on a condition.
const WITH_CASE: &str = "a value that depends on a condition is written with `case`";

/// An update whose value does not parse.
struct Assigned<'s, 'a, 't> {
    site: &'s Site<'a, 't>,
    /// Where the target begins.
    start: usize,
    /// The `:=`.
    assign: usize,
    /// The end of the value.
    end: usize,
}

pub(super) fn value<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let assign = (0..at).rev().find(|&i| site.token(i) == Some(Token::Assign))?;
    if (assign..at).any(|i| site.token(i) == Some(Token::Semicolon)) {
        return None;
    }
    let start = site.term_before(assign)?;
    let update = Assigned { site, start, assign, end: site.end_of_statement(at) };
    update.conditional().or_else(|| update.other())
}

impl<'t> Assigned<'_, '_, 't> {
    /// The tokens of the value.
    fn rest(&self) -> Range<usize> {
        self.assign + 1..self.end
    }

    fn is_cell(&self) -> bool {
        self.site.token(self.assign - 1) == Some(Token::BracketClose)
    }

    /// The update with the cell itself as its value, which is always of the right type.
    fn unchanged(&self, error: Diagnostic) -> Repair<'t> {
        let cell: Vec<Token<'t>> = (self.start..self.assign).filter_map(|i| self.site.token(i)).collect();
        Repair::new(self.rest(), cell, error)
    }

    /// A condition, without parentheses around it.
    fn condition(&self, range: Range<usize>) -> String {
        let site = self.site;
        let closed = site.token(range.start) == Some(Token::ParOpen)
            && site.closing(range.start) == range.end.checked_sub(1);
        site.formula(if closed { range.start + 1..range.end - 1 } else { range })
    }

    /// The error with a `case` as advice.
    fn by_case(&self, error: Diagnostic, condition: &str, yes: &str, no: &str) -> Repair<'t> {
        let site = self.site;
        let text = if self.is_cell() {
            let name = site.source(self.start..self.start + 1);
            let index = site.source(self.start + 2..self.assign - 1);
            format!(
                "{name}[c] := case | c = {index} && {condition} : {yes} | c = {index} : {no} | _ : {name}[c]"
            )
        } else {
            let target = site.source(self.start..self.assign);
            format!("{target} := case | {condition} : {yes} | _ : {no}")
        };
        let statement = site.span(self.start..self.end);
        self.unchanged(error.help(format!("write `{text}`")).mend_at(statement, text))
    }

    /// Values that depend on a condition.
    fn conditional(&self) -> Option<Repair<'t>> {
        let &Self { site, assign, end, .. } = self;
        let at = site.at;
        let found = site.found()?;
        if let Some(Token::Lident(word @ ("match" | "switch" | "select"))) = site.token(assign + 1)
            && at > assign + 1
        {
            let target = site.source(self.start..assign);
            let error = foreign(site.span(assign + 1..assign + 2), format!("`{word}` as a value"))
                .label(WITH_CASE)
                .help(format!("write `{target} := case | condition : value | _ : other`"));
            return Some(self.unchanged(error));
        }
        let find = |token: Token<'_>, from: usize| (from..end).find(|&i| site.token(i) == Some(token));
        if found == Token::If {
            let first = at == assign + 1;
            let (then, name) =
                if first { (find(Token::Then, at)?, "`if` as a value") } else { (at, "`if` after a value") };
            let other = find(Token::Else, then)?;
            let (condition, yes) =
                if first { (at + 1..then, then + 1..other) } else { (at + 1..other, assign + 1..at) };
            let error = slip(site.span(at..at + 1), name).label(WITH_CASE);
            let no = site.source(other + 1..end);
            return Some(self.by_case(error, &self.condition(condition), site.source(yes), no));
        }
        if !(found.is_comparison() || matches!(found, Token::ParOpen | Token::Question)) {
            return None;
        }
        let question = find(Token::Question, assign)?;
        let colon = find(Token::Colon, question)?;
        let error = foreign(site.span(question..question + 1), "`? :` is written with `case`");
        let (yes, no) = (site.source(question + 1..colon), site.source(colon + 1..end));
        Some(self.by_case(error, &self.condition(assign + 1..question), yes, no))
    }

    fn other(&self) -> Option<Repair<'t>> {
        let &Self { site, assign, end, .. } = self;
        let at = site.at;
        let rest = self.rest();
        let formula = || {
            slip(site.span(self.rest()), "a formula as a value")
                .label("the right side of an update is a term")
        };
        match site.found()? {
            // The prime before it was reported.
            Token::BracketOpen if at == assign + 1 && site.ahead(2) == Some(Token::Mident("EXCEPT")) => {
                let cell: Vec<Token<'t>> = (self.start..assign).filter_map(|i| site.token(i)).collect();
                Some(Repair::silent(rest, cell))
            }
            Token::Forall | Token::Exists | Token::ForallOther | Token::ExistsOther => {
                let help = "write two transitions, with the formula and with its negation in their guards";
                Some(self.unchanged(formula().help(help)))
            }
            Token::Star if at == assign + 1 && end == at + 1 => {
                let error = foreign(site.span(rest.clone()), "`*` as a value");
                Some(
                    Repair::new(rest, [Token::Question], error.label("any value").write("?"))
                        .habit("any value"),
                )
            }
            found
                if connects(found)
                    || (found == Token::ParOpen
                        && rest.clone().filter_map(|i| site.token(i)).any(connects)) =>
            {
                let negated = site.token(rest.start) == Some(Token::Not)
                    && site.formula(rest.clone()).matches(['=', '&', '|', '(']).count() == 1;
                // `not X`: the `case` is shorter with the branches exchanged.
                Some(if negated {
                    self.by_case(formula(), &site.formula(rest.start + 1..rest.end), "False", "True")
                } else {
                    self.by_case(formula(), &self.condition(rest), "True", "False")
                })
            }
            Token::ParOpen if !matches!(site.back(1), Some(Token::Mident(_) | Token::Lident(_))) => {
                let close = site.closing(at)?;
                let error = slip(site.span(at..close + 1), "a term in parentheses")
                    .label("only formulas have parentheses");
                let inside = (at + 1..close).filter_map(|i| site.token(i)).collect::<Vec<_>>();
                let whole = at == assign + 1 && close + 1 == end;
                let added = site.back(1) == Some(Token::Plus) && site.token(close + 1) != Some(Token::Star);
                Some(if whole || added && site.token(at + 1) != Some(Token::Minus) {
                    Repair::new(at..close + 1, inside, error.write(site.source(at + 1..close)))
                } else {
                    self.unchanged(
                        error.help("work the sum out: numbers multiply single names, such as `2 * X`"),
                    )
                })
            }
            _ => None,
        }
    }
}

/// Whether it compares terms or connects formulas.
const fn connects(token: Token<'_>) -> bool {
    token.is_comparison()
        || matches!(token, Token::And | Token::Or | Token::Not | Token::Implies | Token::Iff)
}
