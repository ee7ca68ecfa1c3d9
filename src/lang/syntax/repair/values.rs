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
    target: Range<usize>,
    value: Range<usize>,
}

pub fn value<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let assign = (0..at).rev().find(|&i| site.token(i) == Some(Token::Assign))?;
    if site.tokens(assign..at).contains(&Token::Semicolon) {
        return None;
    }
    let target = site.term_before(assign)?..assign;
    let update = Assigned { site, target, value: assign + 1..site.end_of_statement(at) };
    update.conditional().or_else(|| update.other())
}

impl<'t> Assigned<'_, '_, 't> {
    /// The update with the cell itself as its value, which is always of the right type.
    fn unchanged(&self, error: Diagnostic) -> Repair<'t> {
        Repair::new(self.value.clone(), self.site.tokens(self.target.clone()), error)
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
        let (site, Range { start, end }) = (self.site, self.target.clone());
        let text = if site.token(end - 1) == Some(Token::BracketClose) {
            let (name, index) = (site.source(start..start + 1), site.source(start + 2..end - 1));
            format!(
                "{name}[c] := case | c = {index} && {condition} : {yes} | c = {index} : {no} | _ : {name}[c]"
            )
        } else {
            format!("{} := case | {condition} : {yes} | _ : {no}", site.source(start..end))
        };
        let statement = site.span(start..self.value.end);
        self.unchanged(error.help(format!("write `{text}`")).mend_at(statement, text))
    }

    /// Values that depend on a condition.
    fn conditional(&self) -> Option<Repair<'t>> {
        let &Self { site, value: Range { start, end }, .. } = self;
        let (at, found) = (site.at, site.found()?);
        if let Some(Token::Lident(word @ ("match" | "switch" | "select"))) = site.token(start)
            && at > start
        {
            let target = site.source(self.target.clone());
            let error = foreign(site.span(start..start + 1), format!("`{word}` as a value"))
                .label(WITH_CASE)
                .help(format!("write `{target} := case | condition : value | _ : other`"));
            return Some(self.unchanged(error));
        }
        let find = |token: Token<'_>, from: usize| (from..end).find(|&i| site.token(i) == Some(token));
        if found == Token::If {
            let first = at == start;
            let (then, name) =
                if first { (find(Token::Then, at)?, "`if` as a value") } else { (at, "`if` after a value") };
            let other = find(Token::Else, then)?;
            let (condition, yes) =
                if first { (at + 1..then, then + 1..other) } else { (at + 1..other, start..at) };
            let error = slip(site.span(site.here()), name).label(WITH_CASE);
            let no = site.source(other + 1..end);
            return Some(self.by_case(error, &self.condition(condition), site.source(yes), no));
        }
        if !(found.is_comparison() || matches!(found, Token::ParOpen | Token::Question)) {
            return None;
        }
        let question = find(Token::Question, start)?;
        let colon = find(Token::Colon, question)?;
        let error = foreign(site.span(question..question + 1), "`? :` is written with `case`");
        let (yes, no) = (site.source(question + 1..colon), site.source(colon + 1..end));
        Some(self.by_case(error, &self.condition(start..question), yes, no))
    }

    fn other(&self) -> Option<Repair<'t>> {
        let &Self { site, value: Range { start, end }, .. } = self;
        let at = site.at;
        let value = self.value.clone();
        let formula = || {
            slip(site.span(start..end), "a formula as a value").label("the right side of an update is a term")
        };
        match site.found()? {
            // The prime before it was reported.
            Token::BracketOpen if at == start && site.ahead(2) == Some(Token::Mident("EXCEPT")) => {
                Some(Repair::silent(value, site.tokens(self.target.clone())))
            }
            Token::Forall | Token::Exists | Token::ForallOther | Token::ExistsOther => {
                let help = "write two transitions, with the formula and with its negation in their guards";
                Some(self.unchanged(formula().help(help)))
            }
            Token::Star if at == start && end == at + 1 => {
                let error = foreign(site.span(value.clone()), "`*` as a value").label("any value").write("?");
                Some(Repair::new(value, [Token::Question], error).habit("any value"))
            }
            found
                if connects(found)
                    || (found == Token::ParOpen && site.tokens(value.clone()).into_iter().any(connects)) =>
            {
                let negated = site.token(start) == Some(Token::Not)
                    && site.formula(value.clone()).matches(['=', '&', '|', '(']).count() == 1;
                // `not X`: the `case` is shorter with the branches exchanged.
                Some(if negated {
                    self.by_case(formula(), &site.formula(start + 1..end), "False", "True")
                } else {
                    self.by_case(formula(), &self.condition(value), "True", "False")
                })
            }
            Token::ParOpen if !matches!(site.back(1), Some(Token::Mident(_) | Token::Lident(_))) => {
                let close = site.closing(at)?;
                let error = slip(site.span(at..close + 1), "a term in parentheses")
                    .label("only formulas have parentheses");
                let whole = at == start && close + 1 == end;
                let added = site.back(1) == Some(Token::Plus) && site.token(close + 1) != Some(Token::Star);
                Some(if whole || added && site.token(at + 1) != Some(Token::Minus) {
                    let inside = at + 1..close;
                    Repair::new(at..close + 1, site.tokens(inside.clone()), error.write(site.source(inside)))
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
