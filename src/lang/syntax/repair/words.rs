//! Words: misspelt keywords, and the words of other languages.

use super::lists::is_listed;
use super::site::{Repair, Site, slip};
use super::spelled::token;
use crate::spelling::nearest;
use crate::syntax::token::Token;

/// Keywords that begin a declaration.
const DECLARATIONS: &str = "type var const array init invariant unsafe predicate transition number_procs";

/// Keywords within a declaration.
const INNER: &str = "requires case forall_other exists_other forall exists then else not let in";

/// The declaration keyword that a word at the start of a declaration stands for: its token, its spelling,
/// and whether the word is another language's rather than misspelt.
pub fn keyword(word: &str) -> Option<(Token<'static>, &'static str, bool)> {
    let lower = word.to_ascii_lowercase();
    let known = |is: &dyn Fn(&str) -> bool| DECLARATIONS.split(' ').find(|spelling| is(spelling));
    let (spelling, other) = if let Some(spelling) = known(&|it| it == lower) {
        (spelling, false)
    } else if let Some(spelling) = known(&|it| is_listed(&format!("={it}"), &lower)) {
        (spelling, true)
    } else {
        (nearest(&lower, DECLARATIONS.split(' ').filter(|it| it.len() > 2))?, false)
    };
    Some((token(spelling)?, spelling, other))
}

/// Words about runs: their list, and the advice.
const OF_RUNS: [(&str, &str); 4] = [
    (
        "recurrence",
        "write `recurrence (p) { .. }` for what happens again and again, `response (p) { .. } ~> { .. }` for what one thing leads to",
    ),
    (
        "ltl",
        "write `response (p) { .. } ~> { .. }` or `recurrence (p) { .. }`; a formula of linear time is given by `--ltl`",
    ),
    ("fair", "write `fair t` or `strong_fair t` for a transition `t`"),
    ("possible", "reachability is written `possible (p) { .. }`, or `cover (p) { .. }` for each process"),
];

/// Advice for a declaration of another language that is about runs.
pub fn property_of_runs(word: &str) -> Option<&'static str> {
    let lower = word.to_ascii_lowercase();
    OF_RUNS.iter().find(|(list, _)| is_listed(list, &lower)).map(|(_, help)| *help)
}

/// A misspelt keyword here, or just before.
pub fn misspelt<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let quantifies = |i: usize| {
        matches!(site.token(i), Some(Token::Lident(word)) if word.len() > 4)
            && matches!(site.token(i + 1), Some(Token::Lident(_)))
    };
    let candidates = [Some(site.at), site.at.checked_sub(1).filter(|&i| quantifies(i))];
    for i in candidates.into_iter().flatten() {
        let Some(Token::Lident(word) | Token::Mident(word)) = site.token(i) else { continue };
        let here = i == site.at;
        let fits = |spelling: &str| {
            if here {
                site.expects(spelling)
            } else {
                spelling.starts_with("forall") || spelling.starts_with("exists")
            }
        };
        let lower = word.to_ascii_lowercase();
        let likely = INNER.split(' ').filter(|known| fits(known) && known.len() > 3);
        let Some(spelling) = nearest(&lower, likely) else { continue };
        let error = slip(site.span(i..i + 1), format!("unknown word `{word}`")).did_you_mean(spelling);
        return Some(Repair::new(i..i + 1, [token(spelling)?], error));
    }
    None
}
