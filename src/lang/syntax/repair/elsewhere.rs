//! Whole declarations of other languages: rules of Murphi.

use super::site::{Repair, Site, foreign};
use crate::diagnostic::Span;
use crate::syntax::token::{Placed, Token};

/// `ruleset p : node do rule "name" guard ==> begin updates endrule; endruleset;`
pub fn rule_of_murphi<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let (chunk, text) = (site.chunk, site.text);
    let position = |from: usize, words: &[&str]| {
        let is_meant = |it: &Placed<'_>| matches!(it.1, Token::Lident(word) if words.contains(&word));
        chunk[from..].iter().position(is_meant).map(|at| from + at)
    };
    let &(l, Token::Lident(word @ ("ruleset" | "rule")), r) = chunk.first()? else { return None };
    let rule = position(0, &["rule"]).unwrap_or(0);
    let arrow = chunk.windows(2).position(|it| matches!(it, [(_, Token::Equal, _), (_, Token::Implies, _)]));
    let (Some(arrow), Some(begin)) = (arrow, position(rule, &["begin"])) else {
        let error = foreign(Span::new(l, r), format!("`{word}` is written `transition`"));
        let help = "write `transition name (p) requires { .. } { .. }`: parameters, guard and updates";
        return (word == "ruleset").then(|| Repair::lost(error.label("rules of Murphi").help(help)));
    };
    let end = position(begin, &["endrule", "end", "endruleset"]).unwrap_or(chunk.len());
    let source = |from: usize, to: usize| {
        let stretch = chunk.get(from..to).filter(|it| !it.is_empty())?;
        let text = text.get(stretch[0].0 as usize..stretch[stretch.len() - 1].2 as usize)?;
        Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let is_string = text.get(chunk.get(rule + 1)?.0 as usize..)?.starts_with('"');
    let (name, from) = match chunk[rule + 1].1 {
        Token::Lident(name) | Token::Mident(name) if is_string => (name.to_ascii_lowercase(), rule + 2),
        _ => ("step".to_owned(), rule + 1),
    };
    let parameters = chunk[..rule].windows(2).filter_map(|it| match it {
        [(_, Token::Lident(name), _), (_, Token::Colon, _)] => Some(*name),
        _ => None,
    });
    let parameters: Vec<&str> = parameters.collect();
    let (guard, updates) = (source(from, arrow)?, source(begin + 1, end).unwrap_or_default());
    let updates = updates.trim_end_matches([';', ' ']);
    let meant =
        format!("transition {name} ({}) requires {{ {guard} }} {{ {updates} }}", parameters.join(" "));
    let all = Span::new(l, chunk[chunk.len() - 1].2);
    let error = foreign(Span::new(l, r), format!("`{word}` is written `transition`"));
    let error = error.label("a rule of Murphi").help(format!("write `{meant}`"));
    Some(Repair::lost(error.mend_at(all, meant)))
}
