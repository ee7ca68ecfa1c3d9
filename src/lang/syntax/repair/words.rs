//! Words: misspelt keywords, and the words of other languages.

use super::site::{DeclarationPart, Repair, Site, foreign, slip};
use crate::spelling::nearest;
use crate::syntax::token::Token;

/// Keywords that begin a declaration.
const DECLARATIONS: [(&str, Token<'static>); 10] = [
    ("type", Token::Type),
    ("var", Token::Var),
    ("const", Token::Const),
    ("array", Token::Array),
    ("init", Token::Init),
    ("invariant", Token::Invariant),
    ("unsafe", Token::Unsafe),
    ("predicate", Token::Predicate),
    ("transition", Token::Transition),
    ("number_procs", Token::NumberProcs),
];

/// Keywords within a declaration.
const INNER: [(&str, Token<'static>); 11] = [
    ("requires", Token::Requires),
    ("case", Token::Case),
    ("forall_other", Token::ForallOther),
    ("exists_other", Token::ExistsOther),
    ("forall", Token::Forall),
    ("exists", Token::Exists),
    ("then", Token::Then),
    ("else", Token::Else),
    ("not", Token::Not),
    ("let", Token::Let),
    ("in", Token::In),
];

/// Words that begin a declaration in other languages, and their equivalents here.
const FOREIGN: [(&str, &str); 46] = [
    ("enum", "type"),
    ("typedef", "type"),
    ("datatype", "type"),
    ("sort", "type"),
    ("mtype", "type"),
    ("scalarset", "type"),
    ("variable", "var"),
    ("variables", "var"),
    ("individual", "var"),
    ("global", "var"),
    ("state_var", "var"),
    ("mutable", "var"),
    ("constant", "const"),
    ("constants", "const"),
    ("immutable", "const"),
    ("parameter", "const"),
    ("initial", "init"),
    ("initially", "init"),
    ("initialize", "init"),
    ("start", "init"),
    ("startstate", "init"),
    ("after", "init"),
    ("rule", "transition"),
    ("ruleset", "transition"),
    ("action", "transition"),
    ("event", "transition"),
    ("step", "transition"),
    ("trans", "transition"),
    ("process", "transition"),
    ("proctype", "transition"),
    ("procedure", "transition"),
    ("method", "transition"),
    ("def", "transition"),
    ("fn", "transition"),
    ("next", "transition"),
    ("bad", "unsafe"),
    ("error", "unsafe"),
    ("never", "unsafe"),
    ("safety", "unsafe"),
    ("safe", "unsafe"),
    ("assert", "unsafe"),
    ("property", "unsafe"),
    ("spec", "unsafe"),
    ("inv", "invariant"),
    ("axiom", "invariant"),
    ("define", "predicate"),
];

/// Words before a guard in other languages.
const GUARDS: [&str; 10] =
    ["require", "guard", "when", "pre", "precondition", "where", "provided", "given", "assume", "enabled"];

/// Operators that are words in other languages.
const OPERATORS: [(&str, &str, Token<'static>); 12] = [
    ("and", "&&", Token::And),
    ("AND", "&&", Token::And),
    ("And", "&&", Token::And),
    ("or", "||", Token::Or),
    ("OR", "||", Token::Or),
    ("Or", "||", Token::Or),
    ("implies", "=>", Token::Implies),
    ("Implies", "=>", Token::Implies),
    ("iff", "<=>", Token::Iff),
    ("is", "=", Token::Equal),
    ("eq", "=", Token::Equal),
    ("neq", "<>", Token::Different),
];

/// The declaration keyword that a word at the start of a declaration stands for: its token, its spelling,
/// and whether the word is another language's rather than misspelt.
pub fn keyword(word: &str) -> Option<(Token<'static>, &'static str, bool)> {
    let token = |spelling: &str| DECLARATIONS.iter().find(|(known, _)| *known == spelling);
    let lower = word.to_ascii_lowercase();
    if let Some(&(spelling, token)) = token(&lower) {
        return Some((token, spelling, false));
    }
    if let Some(&(_, means)) = FOREIGN.iter().find(|(known, _)| *known == lower) {
        return token(means).map(|&(spelling, token)| (token, spelling, true));
    }
    let spelling = nearest(&lower, DECLARATIONS.iter().map(|(known, _)| *known).filter(|k| k.len() > 2))?;
    token(spelling).map(|&(spelling, token)| (token, spelling, false))
}

/// Words about runs in other languages, and their equivalents here.
const OF_RUNS: [(&str, &str); 17] = [
    ("liveness", RECURRENCE),
    ("live", RECURRENCE),
    ("progress", RECURRENCE),
    ("eventually", RECURRENCE),
    ("always", RECURRENCE),
    ("inevitable", RECURRENCE),
    ("termination", RECURRENCE),
    ("leadsto", RECURRENCE),
    ("ltl", LTL),
    ("ctl", LTL),
    ("temporal", LTL),
    ("formula", LTL),
    ("reachable", "reachability is written `possible (p) { .. }`, or `cover (p) { .. }` for each process"),
    ("fairness", FAIR),
    ("justice", FAIR),
    ("compassion", FAIR),
    ("weak_fair", FAIR),
];

const RECURRENCE: &str = "write `recurrence (p) { .. }` for what happens again and again, `response (p) { .. } ~> { .. }` for what one thing leads to";
const LTL: &str = "write `response (p) { .. } ~> { .. }` or `recurrence (p) { .. }`; a formula of linear time is given by `--ltl`";
const FAIR: &str = "write `fair t` or `strong_fair t` for a transition `t`";

/// Advice for a declaration of another language that is about runs.
pub fn property_of_runs(word: &str) -> Option<&'static str> {
    OF_RUNS.iter().find(|(known, _)| word.eq_ignore_ascii_case(known)).map(|(_, help)| *help)
}

pub(super) fn repair<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    operator(site).or_else(|| guard(site)).or_else(|| inner(site))
}

/// `and`, `or`, .. between formulas or terms.
fn operator<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let (Token::Lident(word) | Token::Mident(word)) = site.found()? else { return None };
    let &(typed, right, token) = OPERATORS.iter().find(|(typed, ..)| *typed == word)?;
    if !site.expects(right) {
        return None;
    }
    // `is not`
    let negated = typed == "is" && site.ahead(1) == Some(Token::Not);
    let (right, token) = if negated { ("<>", Token::Different) } else { (right, token) };
    let here = site.at..site.at + 1 + usize::from(negated);
    let error =
        foreign(site.span(here.clone()), format!("`{}` is written `{right}`", site.source(here.clone())))
            .mend(right);
    Some(Repair::new(here, [token], error).habit(if negated { "is not" } else { typed }))
}

/// Another word for `requires`.
fn guard<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let Token::Lident(word) = site.found()? else { return None };
    if !site.expects("requires") || !GUARDS.contains(&word) {
        return None;
    }
    let here = site.at..site.at + 1;
    let error = foreign(site.span(here.clone()), format!("`{word}` is written `requires`"))
        .label("the guard of a transition begins here")
        .mend("requires");
    Some(Repair::new(here, [Token::Requires], error).habit("requires"))
}

/// A misspelt keyword here, or just before.
fn inner<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
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
        let likely = INNER.iter().map(|(known, _)| *known).filter(|known| fits(known) && known.len() > 3);
        let Some(spelling) = nearest(&lower, likely) else { continue };
        let &(_, token) = INNER.iter().find(|(known, _)| *known == spelling)?;
        let error = slip(site.span(i..i + 1), format!("unknown word `{word}`")).did_you_mean(spelling);
        return Some(Repair::new(i..i + 1, [token], error));
    }
    None
}

/// A keyword where a name is expected.
pub(super) fn reserved<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let here = site.at..site.at + 1;
    let word = site.source(here.clone());
    let names = site.place() == DeclarationPart::Head && (site.expects("lident") || site.expects("mident"));
    if !names
        || !word.starts_with(|c: char| c.is_ascii_lowercase())
        || matches!(site.found()?, Token::Lident(_))
    {
        return None;
    }
    let error = slip(site.span(here.clone()), format!("`{word}` is a keyword"))
        .label("a name is expected here")
        .help(format!("choose another name, such as `{word}_1`"));
    Some(Repair::new(here, [Token::Lident(word)], error))
}
