//! Misspelt keywords.

use super::lists::token;
use super::site::{Repair, Site, slip};
use crate::spelling::nearest;
use crate::syntax::token::Token;

/// Keywords that begin a declaration.
const DECLARATIONS: &str = "type var const array init invariant unsafe predicate transition number_procs";

/// Keywords within a declaration.
const INNER: &str = "requires case forall_other exists_other forall exists then else not let in";

/// A misspelt keyword that begins a declaration.
pub fn declaring_word<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let word = site.source(site.here());
    let spelling = nearest(&word.to_ascii_lowercase(), DECLARATIONS.split(' '))?;
    let error = slip(site.span(site.here()), format!("unknown declaration `{word}`")).did_you_mean(spelling);
    Some(Repair::new(site.here(), [token(spelling)?], error))
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
