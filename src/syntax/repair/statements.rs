//! Updates: assignments of other languages, statements that there are none of, branches of a `case`.

use super::site::{DeclarationPart, Repair, Site, capital, foreign, letter_case, slip};
use crate::syntax::token::Token;

/// Statements that do nothing.
const IDLE: [&str; 6] = ["skip", "pass", "nop", "noop", "continue", "stutter"];

pub(super) fn repair<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    match site.place() {
        DeclarationPart::Body => assignment(site).or_else(|| value(site)).or_else(|| statement(site)),
        DeclarationPart::Branch => branch(site),
        DeclarationPart::Head | DeclarationPart::Formula => None,
    }
}

/// What stands where `:=` is due.
fn assignment<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    if !site.expects(":=") {
        return None;
    }
    let at = site.at;
    let start = site.term_before(at)?;
    let target = site.source(start..at);
    let copy = || (start..at).filter_map(|i| site.token(i));
    let here = at..at + 1;
    match (site.found()?, site.ahead(1)) {
        (Token::Equal, _) => {
            let error = slip(site.span(here.clone()), "`=` in an update")
                .label("updates assign, formulas compare")
                .help("write `:=`");
            let error = if site.ahead(1) == Some(Token::Equal) { error } else { error.mend(":=") };
            let end = if site.ahead(1) == Some(Token::Equal) { at + 2 } else { at + 1 };
            Some(Repair::new(at..end, [Token::Assign], error).habit("assign"))
        }
        (Token::Colon, Some(Token::Equal)) | (Token::Less, Some(Token::Minus)) => {
            let typed = site.source(at..at + 2);
            let error = slip(site.span(at..at + 2), format!("`{typed}` in an update")).write(":=");
            Some(Repair::new(at..at + 2, [Token::Assign], error).habit("assign"))
        }
        (op @ (Token::Plus | Token::Minus | Token::Star), Some(Token::Equal)) => {
            let end = site.end_of_statement(at);
            let sign = site.source(here);
            let error = foreign(site.span(at..at + 2), format!("`{}` in an update", site.source(at..at + 2)))
                .help(format!("write `{target} := {target} {sign} {}`", site.source(at + 2..end)));
            let with: Vec<Token<'t>> = std::iter::once(Token::Assign).chain(copy()).chain([op]).collect();
            Some(Repair::new(at..at + 2, with, error).habit("compound"))
        }
        (op @ (Token::Plus | Token::Minus), Some(next)) if op == next => {
            let sign = site.source(here);
            let error = foreign(site.span(at..at + 2), format!("`{}` in an update", site.source(at..at + 2)))
                .help(format!("write `{target} := {target} {sign} 1`"));
            let with: Vec<Token<'t>> =
                std::iter::once(Token::Assign).chain(copy()).chain([op, Token::Int("1")]).collect();
            Some(Repair::new(at..at + 2, with, error).habit("increment"))
        }
        _ => None,
    }
}

/// Right-hand sides that are none.
fn value<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let assign = (0..at).rev().find(|&i| site.token(i) == Some(Token::Assign))?;
    if (assign..at).any(|i| site.token(i) == Some(Token::Semicolon)) {
        return None;
    }
    let start = site.term_before(assign)?;
    let end = site.end_of_statement(at);
    // The cell itself is always of the right type.
    let unchanged: Vec<Token<'t>> = (start..assign).filter_map(|i| site.token(i)).collect();
    let rest = assign + 1..end;
    let target = site.source(start..assign);
    let array = site.token(assign.checked_sub(1)?) == Some(Token::BracketClose);
    let by_case = |condition: &str, yes: &str, no: &str| {
        if array {
            let name = site.source(start..start + 1);
            let index = site.source(start + 2..assign - 1);
            format!(
                "write `{name}[c] := case | c = {index} && {condition} : {yes} | c = {index} : {no} | _ : {name}[c]`"
            )
        } else {
            format!("write `{target} := case | {condition} : {yes} | _ : {no}`")
        }
    };
    let question = rest.clone().find(|&i| site.token(i) == Some(Token::Question));
    match site.found()? {
        Token::If if at == assign + 1 => {
            let then = (at..end).find(|&i| site.token(i) == Some(Token::Then))?;
            let other = (then..end).find(|&i| site.token(i) == Some(Token::Else))?;
            let help =
                by_case(site.source(at + 1..then), site.source(then + 1..other), site.source(other + 1..end));
            let error = slip(site.span(at..at + 1), "`if` as a value")
                .label("a value that depends on a condition is written with `case`")
                .help(help);
            Some(Repair::new(rest, unchanged, error))
        }
        Token::Equal
        | Token::Different
        | Token::Less
        | Token::LessEqual
        | Token::Greater
        | Token::GreaterEqual
        | Token::Question
            if let Some(question) = question =>
        {
            let colon = (question..end).find(|&i| site.token(i) == Some(Token::Colon))?;
            let help = by_case(
                site.source(assign + 1..question),
                site.source(question + 1..colon),
                site.source(colon + 1..end),
            );
            let error = foreign(site.span(question..question + 1), "`? :` is written with `case`").help(help);
            Some(Repair::new(rest, unchanged, error))
        }
        Token::Equal
        | Token::Different
        | Token::Less
        | Token::LessEqual
        | Token::Greater
        | Token::GreaterEqual
        | Token::And
        | Token::Or
        | Token::Not
        | Token::Forall
        | Token::Exists => {
            let error = slip(site.span(rest.clone()), "a formula as a value")
                .label("the right side of an update is a term")
                .help(by_case(site.source(rest.clone()), "True", "False"));
            Some(Repair::new(rest, unchanged, error))
        }
        _ => None,
    }
}

/// What begins no update.
fn statement<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let here = at..at + 1;
    let found = site.found()?;
    let separator = matches!(site.back(1), Some(Token::Semicolon | Token::BraceOpen | Token::In));
    match found {
        Token::Semicolon if separator => {
            let error = slip(site.span(here.clone()), "`;` without an update before it").help("leave it out");
            Some(Repair::new(here, [], error))
        }
        Token::Comma if site.expects(";") => {
            let error = slip(site.span(here.clone()), "`,` between updates").write(";");
            Some(Repair::new(here, [Token::Semicolon], error).habit("comma between updates"))
        }
        Token::And if site.expects(";") => {
            let error = slip(site.span(here.clone()), "`&&` between updates")
                .help("write `;`: all updates of a transition happen at once");
            Some(Repair::new(here, [Token::Semicolon], error).habit("and between updates"))
        }
        Token::Mident(_) if site.expects(";") => {
            let error = slip(site.after(at), "`;` is missing between two updates");
            Some(Repair::new(at..at, [Token::Semicolon], error))
        }
        Token::Lident(word) if separator && IDLE.contains(&word) => {
            let end = if site.ahead(1) == Some(Token::Semicolon) { at + 2 } else { at + 1 };
            let error = foreign(site.span(here), format!("`{word}` is no update"))
                .help("leave it out: what is not assigned keeps its value");
            Some(Repair::new(at..end, [], error))
        }
        Token::If | Token::Case if separator => {
            let error = slip(site.span(here.clone()), format!("`{}` is no update", site.source(here)))
                .label("a transition is one step with one guard")
                .help("write the condition into `requires`, or `X := case | condition : value | _ : X`");
            let mut end = site.end_of_statement(at);
            end += usize::from(site.token(end) == Some(Token::Semicolon));
            Some(Repair::new(at..end, [], error))
        }
        Token::Lident(name)
            if separator && site.expects("mident") && site.ahead(1) != Some(Token::ParOpen) =>
        {
            if site.known.lowered.contains(&name) {
                return Some(Repair::silent(here, [Token::Mident(name)]));
            }
            let meant = capital(name);
            let declared = site.known.capitals.iter().copied().find(|known| known.eq_ignore_ascii_case(name));
            let error = letter_case(site.span(here.clone()), format!("`{name}` cannot be assigned"))
                .label("names of variables and arrays begin with a capital letter")
                .did_you_mean(declared.unwrap_or(&meant));
            let with = declared.unwrap_or(name);
            declared.map(|_| Repair::new(here, [Token::Mident(with)], error))
        }
        _ => None,
    }
}

/// Branches of a `case`.
fn branch<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let here = at..at + 1;
    match (site.found()?, site.back(1)?) {
        (found, Token::Case) if found != Token::Bar => {
            let error = slip(site.after(at), "`|` is missing before a branch")
                .help(format!("write `case | {} ..`", site.source(here)));
            Some(Repair::new(at..at, [Token::Bar], error))
        }
        (Token::Else, Token::Bar) => {
            let error = slip(site.span(here.clone()), "`else` in a `case`")
                .help("the last branch is written `| _ : ..`");
            Some(Repair::new(here, [Token::Underscore], error))
        }
        (Token::Colon, Token::Lident(word @ ("default" | "otherwise" | "others"))) => {
            let error = foreign(site.span(at - 1..at), format!("`{word}` in a `case`"))
                .help("the last branch is written `| _ : ..`");
            Some(Repair::new(at - 1..at, [Token::Underscore], error))
        }
        (Token::Mident(_), _) if site.expects(";") => {
            let error = slip(site.after(at), "`;` is missing between two updates");
            Some(Repair::new(at..at, [Token::Semicolon], error))
        }
        (Token::Semicolon, Token::Semicolon) => {
            let error = slip(site.span(here.clone()), "`;` without an update before it").help("leave it out");
            Some(Repair::new(here, [], error))
        }
        _ => None,
    }
}
