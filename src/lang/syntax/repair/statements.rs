//! Updates: assignments of other languages, statements that this language does not have, branches of a `case`.

use super::site::{DeclarationPart, Repair, Site, capital, foreign, letter_case, slip};
use super::values::value;
use crate::syntax::token::Token;

/// Statements that do nothing.
const IDLE: [&str; 6] = ["skip", "pass", "nop", "noop", "continue", "stutter"];

pub(super) fn repair<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    match site.place() {
        DeclarationPart::Body => {
            assignment(site).or_else(|| value(site)).or_else(|| statement(site)).or_else(|| word(site))
        }
        DeclarationPart::Branch => branch(site),
        DeclarationPart::Head | DeclarationPart::Formula => None,
    }
}

/// Another token where `:=` is expected.
fn assignment<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    if !site.expects(":=") {
        return None;
    }
    let at = site.at;
    let start = site.term_before(at)?;
    let target = site.source(start..at);
    let copy = || (start..at).filter_map(|i| site.token(i));
    let here = at..at + 1;
    // `X' = ..` was reported.
    let primed = site.text.get(site.after(at).end as usize..).is_some_and(|rest| rest.starts_with('\''))
        || site
            .text
            .get(site.span(start..start + 1).end as usize..)
            .is_some_and(|rest| rest.starts_with('\''));
    match (site.found()?, site.ahead(1)) {
        (Token::Equal, _) if primed => Some(Repair::silent(here, [Token::Assign]).habit("prime")),
        (Token::Equal, _) => {
            let end = if site.ahead(1) == Some(Token::Equal) { at + 2 } else { at + 1 };
            let error = slip(site.span(at..end), format!("`{}` in an update", site.source(at..end)))
                .label("updates assign, formulas compare")
                .write(":=");
            Some(Repair::new(at..end, [Token::Assign], error).habit("assign"))
        }
        (Token::Colon, Some(Token::Equal)) | (Token::Less, Some(Token::Minus)) => {
            let typed = site.source(at..at + 2);
            let error = slip(site.span(at..at + 2), format!("`{typed}` in an update")).write(":=");
            Some(Repair::new(at..at + 2, [Token::Assign], error).habit("assign"))
        }
        (Token::Comma, _) => several(site, start),
        (op @ (Token::Plus | Token::Minus | Token::Star), Some(Token::Equal)) => {
            let end = site.end_of_statement(at);
            let sign = site.source(here);
            let error = foreign(site.span(at..at + 2), format!("`{}` in an update", site.source(at..at + 2)))
                .help(format!("write `{target} := {target} {sign} {}`", site.source(at + 2..end)))
                .mend_at(site.span(at..at + 2), format!(" := {target} {sign}"));
            let with: Vec<Token<'t>> = std::iter::once(Token::Assign).chain(copy()).chain([op]).collect();
            Some(Repair::new(at..at + 2, with, error).habit("compound"))
        }
        (op @ (Token::Plus | Token::Minus), Some(next)) if op == next => {
            let sign = site.source(here);
            let error = foreign(site.span(at..at + 2), format!("`{}` in an update", site.source(at..at + 2)))
                .help(format!("write `{target} := {target} {sign} 1`"))
                .mend(format!(" := {target} {sign} 1"));
            let with: Vec<Token<'t>> =
                std::iter::once(Token::Assign).chain(copy()).chain([op, Token::Int("1")]).collect();
            Some(Repair::new(at..at + 2, with, error).habit("increment"))
        }
        _ => None,
    }
}

/// `A, B := 1, 2`
fn several<'t>(site: &Site<'_, 't>, start: usize) -> Option<Repair<'t>> {
    let end = site.end_of_statement(site.at);
    let assign = (site.at..end).find(|&i| matches!(site.token(i), Some(Token::Assign | Token::Equal)))?;
    let split = |range: std::ops::Range<usize>| {
        let mut parts = Vec::new();
        let (mut from, mut depth) = (range.start, 0);
        for i in range.clone() {
            match site.token(i)? {
                Token::BracketOpen | Token::ParOpen => depth += 1,
                Token::BracketClose | Token::ParClose => depth -= 1,
                Token::Comma if depth == 0 => {
                    parts.push(from..i);
                    from = i + 1;
                }
                _ => {}
            }
        }
        parts.push(from..range.end);
        Some(parts)
    };
    let (targets, values) = (split(start..assign)?, split(assign + 1..end)?);
    if targets.len() != values.len() || targets.iter().chain(&values).any(std::ops::Range::is_empty) {
        return None;
    }
    let tokens = |range: &std::ops::Range<usize>| range.clone().filter_map(|i| site.token(i));
    let mut with = Vec::new();
    let mut text = Vec::new();
    for (target, value) in targets.iter().zip(&values) {
        with.extend((!with.is_empty()).then_some(Token::Semicolon));
        with.extend(tokens(target).chain([Token::Assign]).chain(tokens(value)));
        text.push(format!("{} := {}", site.source(target.clone()), site.source(value.clone())));
    }
    let error = foreign(site.span(start..end), "several variables in one update").write(&text.join("; "));
    Some(Repair::new(start..end, with, error))
}

/// `forall q. S[q] := Idle`, `for q { .. }`
fn each<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let here = at..at + 1;
    let word = match site.found()? {
        Token::Forall | Token::ForallOther | Token::Exists | Token::ExistsOther => site.source(here.clone()),
        Token::Lident(word @ ("for" | "foreach" | "while" | "do" | "loop" | "all")) => word,
        _ => return None,
    };
    let end = site.end_of_statement(at);
    let mut meant = None;
    // The cell that is assigned, and where.
    let assign = (at..end).find(|&i| site.token(i) == Some(Token::Assign));
    if let Some(assign) = assign
        && let Some(start) = site.term_before(assign).filter(|start| start + 1 < assign)
        && site.token(start + 2) == site.token(at + 1)
    {
        let mut value = site.end_of_statement(assign);
        while matches!(site.token(value - 1), Some(Token::Lident("end" | "od" | "done" | "endfor"))) {
            value -= 1;
        }
        meant =
            Some(format!("{} := case | _ : {}", site.source(start..assign), site.source(assign + 1..value)));
    }
    let error = slip(site.span(here), format!("`{word}` in an update")).label("updates have no loops");
    // An array is assigned once.
    let once = |meant: &str| {
        let name = meant.split('[').next().unwrap_or_default();
        let assigned = |i: usize| {
            site.token(i) == Some(Token::Assign)
                && site.term_before(i).is_some_and(|start| site.source(start..start + 1) == name)
        };
        (0..site.chunk.len()).filter(|&i| assigned(i)).count() < 2
    };
    let error = match meant {
        Some(meant) if !once(&meant) => error.help(format!(
            "all cells of an array are assigned by `{meant}`, with a branch for each cell of its own"
        )),
        Some(meant) => error
            .help(format!("all cells of an array are assigned by `{meant}`"))
            .mend_at(site.span(at..end), meant),
        None => {
            error.help("all cells of an array are assigned by `A[c] := case | condition : value | _ : A[c]`")
        }
    };
    let end = end + usize::from(site.token(end) == Some(Token::Semicolon));
    Some(Repair::new(at..end, [], error))
}

/// Text that does not begin an update.
fn statement<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let here = at..at + 1;
    let found = site.found()?;
    let separator = matches!(site.back(1), Some(Token::Semicolon | Token::BraceOpen | Token::In));
    if let Some(repair) = separator.then(|| each(site)).flatten() {
        return Some(repair);
    }
    if site.back(1) == Some(Token::Mident("UNCHANGED")) && site.expects(":=") {
        let end = site.end_of_statement(at);
        let end = end + usize::from(site.token(end) == Some(Token::Semicolon));
        let error = foreign(site.span(at - 1..end), "`UNCHANGED` is not an update")
            .help("leave it out: variables that are not assigned keep their values")
            .mend("");
        return Some(Repair::new(at - 1..end, [], error));
    }
    match found {
        Token::Semicolon if site.expects("in") => {
            let error = foreign(site.span(here.clone()), "`;` after `let`")
                .help("write `in`: the name is known in the updates after it")
                .mend(" in");
            Some(Repair::new(here, [Token::In], error))
        }
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
                .help("write `;`: all updates of a transition happen at once")
                .mend(";");
            Some(Repair::new(here, [Token::Semicolon], error).habit("and between updates"))
        }
        Token::Mident(_) if site.expects(";") => Some(separated(site)),
        Token::Lident(word) if separator && IDLE.contains(&word) => {
            let end = if site.ahead(1) == Some(Token::Semicolon) { at + 2 } else { at + 1 };
            let error = foreign(site.span(here), format!("`{word}` is not an update"))
                .help("leave it out: variables that are not assigned keep their values");
            Some(Repair::new(at..end, [], error))
        }
        Token::If | Token::Case if separator => {
            let error = slip(site.span(here.clone()), format!("`{}` is not an update", site.source(here)))
                .label("a transition is one step with one guard");
            let error = match conditional(site) {
                Some(meant) => error
                    .help(format!("write `{meant}`"))
                    .mend_at(site.span(at..site.end_of_statement(at)), meant),
                None => error
                    .help("write the condition into `requires`, or `X := case | condition : value | _ : X`"),
            };
            let mut end = site.end_of_statement(at);
            end += usize::from(site.token(end) == Some(Token::Semicolon));
            Some(Repair::new(at..end, [], error))
        }
        Token::Lident(name)
            if separator
                && site.expects("mident")
                && !matches!(
                    site.ahead(1),
                    Some(
                        Token::ParOpen
                            | Token::BraceOpen
                            | Token::BraceClose
                            | Token::Semicolon
                            | Token::Mident(_)
                            | Token::Lident(_)
                    )
                ) =>
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

/// Statements of other languages.
fn word<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let here = at..at + 1;
    let separator = matches!(site.back(1), Some(Token::Semicolon | Token::BraceOpen | Token::In));
    match site.found()? {
        Token::Lident(word @ ("atomic" | "d_step"))
            if separator && site.ahead(1) == Some(Token::BraceOpen) =>
        {
            let close = site.closing(at + 1)?;
            let error = foreign(site.span(here), format!("`{word}` in an update"))
                .help("leave it out with its braces: a transition is one step")
                .mend_at(site.span(at..close + 1), site.source(at + 2..close));
            let inside = (at + 2..close).filter_map(|i| site.token(i)).collect::<Vec<_>>();
            Some(Repair::new(at..close + 1, inside, error))
        }
        Token::Lident(word) if separator && !site.expects("lident") => {
            let end = site.end_of_statement(at);
            let end = end + usize::from(site.token(end) == Some(Token::Semicolon));
            let error = foreign(site.span(here), format!("`{word}` is not an update"))
                .label("updates are `X := value` and `A[p] := value`");
            Some(Repair::new(
                at..end,
                [],
                match word {
                    "assert" => error.help("say with `unsafe` what must not occur"),
                    "undefine" | "undef" | "clear" | "free" => {
                        error.help("there is no undefined value: assign one, or `?` to a global")
                    }
                    "await" | "assume" | "wait" | "when" => error.help("write the condition into `requires`"),
                    "return" | "break" | "exit" | "goto" | "stop" => {
                        error.help("leave it out: a transition is one step")
                    }
                    _ => error,
                },
            ))
        }
        _ => None,
    }
}

/// `A := 1 B := 2`
fn separated<'t>(site: &Site<'_, 't>) -> Repair<'t> {
    let at = site.at;
    let error = slip(site.after(at), "`;` is missing between two updates").mend_at(site.end(at), ";");
    Repair::new(at..at, [Token::Semicolon], error.help("write `;` before it")).habit("semicolon")
}

/// `if c then X := A else X := B`: the `case` that says so, where both branches assign one variable.
fn conditional(site: &Site<'_, '_>) -> Option<String> {
    let at = site.at;
    let end = site.end_of_statement(at);
    let find = |token: Token<'_>, from: usize| (from..end).find(|&i| site.token(i) == Some(token));
    let then = find(Token::Then, at)?;
    let other = find(Token::Else, then);
    let assignment = |from: usize, to: usize| {
        let assign = find(Token::Assign, from).filter(|&assign| assign < to && assign == from + 1)?;
        Some((site.source(from..assign), site.source(assign + 1..to)))
    };
    let (target, yes) = assignment(then + 1, other.unwrap_or(end))?;
    let no = match other {
        Some(other) => assignment(other + 1, end).filter(|(same, _)| *same == target)?.1,
        None => target,
    };
    if target.ends_with(']') {
        return None;
    }
    Some(format!("{target} := case | {} : {yes} | _ : {no}", site.formula(at + 1..then)))
}

/// Branches of a `case`.
fn branch<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let here = at..at + 1;
    match (site.found()?, site.back(1)?) {
        (found, Token::Case) if found != Token::Bar => {
            let error = slip(site.after(at), "`|` is missing before a branch")
                .help(format!("write `case | {} ..`", site.source(here)))
                .mend_at(site.end(at), " |");
            Some(Repair::new(at..at, [Token::Bar], error))
        }
        (Token::Else, Token::Bar) => {
            let error = slip(site.span(here.clone()), "`else` in a `case`")
                .help("the last branch is written `| _ : ..`")
                .mend("_");
            Some(Repair::new(here, [Token::Underscore], error))
        }
        (Token::Colon, Token::Lident(word @ ("default" | "otherwise" | "others"))) => {
            let error = foreign(site.span(at - 1..at), format!("`{word}` in a `case`"))
                .help("the last branch is written `| _ : ..`")
                .mend("_");
            Some(Repair::new(at - 1..at, [Token::Underscore], error))
        }
        (Token::Mident(_), _) if site.expects(";") => Some(separated(site)),
        (Token::Semicolon, Token::Semicolon) => {
            let error = slip(site.span(here.clone()), "`;` without an update before it").help("leave it out");
            Some(Repair::new(here, [], error))
        }
        _ => None,
    }
}
