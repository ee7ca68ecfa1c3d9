//! Ranges, records, arrays over finite types and channels as other languages write them.

use super::site::{DeclarationPart, Repair, Site, foreign, slip};
use crate::syntax::token::Token;

/// What a function for the first message of a queue is called elsewhere.
const FIRST: [&str; 5] = ["head", "first", "front", "peek", "receive"];

/// What a function for the number of messages is called elsewhere.
const LENGTH: [&str; 4] = ["len", "length", "size", "Len"];

/// What sending is called elsewhere.
const SEND: [&str; 7] = ["send", "push", "put", "enqueue", "append", "add", "push_back"];

/// What receiving is called elsewhere.
const RECEIVE: [&str; 6] = ["receive", "recv", "pop", "get", "dequeue", "pop_front"];

pub(super) fn repair<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let declares =
        matches!(site.first()?, Token::Type | Token::Var | Token::Const | Token::Array | Token::Channel);
    let rule = if declares { declaration(site).or_else(|| range(site)) } else { channel(site) };
    rule.or_else(|| second_brackets(site)).or_else(|| fields(site))
}

/// An error without a way to go on: the declaration is lost.
fn lost<'t>(site: &Site<'_, 't>, error: crate::diagnostic::Diagnostic) -> Option<Repair<'t>> {
    Some(Repair::new(site.at..site.at + 1, [site.found()?], error))
}

/// `0.3`, `0...3`, `0-3`, `[0..3]`
fn range<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let (at, end) = (site.at, site.chunk.len());
    let here = at..at + 1;
    let begins = matches!(site.back(1)?, Token::Equal | Token::Colon);
    match site.found()? {
        Token::Real(text) if begins && at + 1 == end => {
            let (low, high) = text.split_once('.').filter(|(_, high)| !high.is_empty())?;
            let error =
                slip(site.span(here.clone()), "a real number as a type").write(&format!("{low}..{high}"));
            Some(Repair::new(here, [Token::Int(low), Token::DotDot, Token::Int(high)], error))
        }
        Token::Dot if site.back(1) == Some(Token::DotDot) => {
            let error = slip(site.span(at - 1..at + 1), "`...` in a range").write("..");
            Some(Repair::new(here, [], error))
        }
        Token::Minus | Token::Lident("to" | "upto") | Token::Colon | Token::Comma if site.expects("..") => {
            let error = slip(site.span(here.clone()), format!("`{}` in a range", site.source(here.clone())))
                .write("..");
            Some(Repair::new(here, [Token::DotDot], error))
        }
        Token::Int(high) if site.expects("..") && high.starts_with('-') => {
            let error = slip(site.span(here.clone()), "`-` in a range").write(&format!("..{}", &high[1..]));
            Some(Repair::new(here, [Token::DotDot, Token::Int(&high[1..])], error))
        }
        Token::BracketOpen | Token::BraceOpen | Token::ParOpen if begins => {
            let close = site.closing(at).filter(|close| close + 1 == end)?;
            let inside: Vec<Token<'t>> = (at + 1..close).filter_map(|i| site.token(i)).collect();
            inside.contains(&Token::DotDot).then_some(())?;
            let meant = site.source(at + 1..close);
            let error = slip(site.span(at..end), "a range in brackets").write(meant);
            Some(Repair::new(at..end, inside, error))
        }
        _ => None,
    }
}

fn declaration<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let (at, end) = (site.at, site.chunk.len());
    let here = at..at + 1;
    match (site.first()?, site.found()?) {
        (Token::Type, Token::Lident(ty))
            if at == 3 && at + 1 == end && site.back(1) == Some(Token::Equal) =>
        {
            let known = ["bool", "int", "real", "proc"].contains(&ty) || site.known.smalls.contains(&ty);
            let name = site.source(1..2);
            let error = slip(site.span(here), format!("`{name}` as another name for `{ty}`"))
                .label("a type lists its values, or is a range or a record")
                .help(format!("write `{ty}` where `{name}` is used"));
            known.then(|| lost(site, error))?
        }
        (Token::Const, Token::Assign) if at == 2 && matches!(site.ahead(1), Some(Token::Int(_))) => {
            let error = slip(site.span(here.clone()), "`:=` in the declaration of a number").write("=");
            Some(Repair::new(here, [Token::Equal], error))
        }
        (Token::Array | Token::Channel, _) if site.expects("lident") && site.open().len() == 1 => {
            let open = site.open()[0];
            let close = site.closing(open)?;
            (at..close).find(|i| site.token(*i) == Some(Token::DotDot))?;
            let bounds = site.source(at..close);
            let error = slip(site.span(at..close), "a range as an index")
                .label("an index is the name of a type")
                .help(format!("declare `type slot = {bounds}` before it, and write `slot` here"));
            lost(site, error)
        }
        (Token::Channel, found) if site.expects("[") && site.back(2) == Some(Token::Colon) => {
            let ty = site.source(at - 1..at);
            let error = slip(site.span(at - 1..at), "a channel without the number of its messages")
                .help(format!("write `{ty}[2]` for a queue of at most two"))
                .mend_at(site.end(at), "[2]");
            let with = [Token::BracketOpen, Token::Int("2"), Token::BracketClose, found];
            Some(Repair::new(here, with, error))
        }
        _ => None,
    }
}

/// `Seen[p][2]`
fn second_brackets<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    if (site.back(1)?, site.found()?) != (Token::BracketClose, Token::BracketOpen) {
        return None;
    }
    let open = (0..at - 1)
        .rev()
        .find(|&i| site.closing(i) == Some(at - 1) && site.token(i) == Some(Token::BracketOpen))?;
    let close = site.closing(at)?;
    let meant = format!("[{}, {}]", site.source(open + 1..at - 1), site.source(at + 1..close));
    let error = slip(site.span(open..close + 1), "indices in two pairs of brackets").write(&meant);
    Some(Repair::new(at - 1..at + 1, [Token::Comma], error).habit("curried index"))
}

/// `{ kind = Req, from = p }`, `{ kind : Req }`, `{ Net with .. }`, `message(Req, p)`
fn fields<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let here = at..at + 1;
    let declared = matches!(site.token(site.open().last().copied()?)?, Token::RecordOpen);
    let value = || {
        let brace =
            site.open().last().copied().filter(|brace| site.token(*brace) == Some(Token::BraceOpen))?;
        let before = site.token(brace.checked_sub(1)?)?;
        let named = matches!(site.token(brace + 1)?, Token::Lident(_))
            && matches!(site.token(brace + 2)?, Token::Equal | Token::Colon);
        let placed = matches!(
            before,
            Token::Assign | Token::Equal | Token::Different | Token::Comma | Token::Colon | Token::ParOpen
        );
        (named && placed).then_some(())
    };
    match site.found()? {
        Token::Comma if declared || value().is_some() => {
            let error = slip(site.span(here.clone()), "`,` between fields")
                .label("the fields of a record are separated by `;`")
                .write(";");
            Some(Repair::new(here, [Token::Semicolon], error).habit("comma in a record"))
        }
        Token::Equal if declared => {
            let error = slip(site.span(here.clone()), "`=` before the type of a field").write(":");
            Some(Repair::new(here, [Token::Colon], error).habit("equal in a record type"))
        }
        Token::Colon | Token::Assign if site.expects("=") && value().is_some() => {
            let typed = site.source(here.clone());
            let error =
                slip(site.span(here.clone()), format!("`{typed}` before the value of a field")).write("=");
            Some(Repair::new(here, [Token::Equal], error).habit("colon in a record"))
        }
        Token::Mident(name)
            if site.back(1)? == Token::BraceOpen && site.ahead(1)? == Token::Lident("with") =>
        {
            let error = slip(site.span(at..at + 2), "`with` in a record")
                .help(format!("assign the fields that change, as in `{name}.kind := Req`"));
            lost(site, error)
        }
        Token::ParOpen => {
            let Some(Token::Lident(name)) = site.back(1) else { return None };
            let body = matches!(site.place(), DeclarationPart::Body | DeclarationPart::Branch);
            (body && site.known.smalls.contains(&name)).then_some(())?;
            let error = slip(site.span(at - 1..at), format!("`{name}` is a type, not a function"))
                .help("a record is written by its fields: `{ kind = Req; from = p }`");
            lost(site, error)
        }
        _ => None,
    }
}

/// Sending, receiving and asking in other words.
fn channel<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    let at = site.at;
    let in_body = matches!(site.place(), DeclarationPart::Body);
    let tokens = |range: std::ops::Range<usize>| range.filter_map(|i| site.token(i)).collect::<Vec<_>>();
    match site.found()? {
        // `Chan[p].send(x)`
        Token::ParOpen if in_body && site.back(2) == Some(Token::Dot) => {
            let Some(Token::Lident(word)) = site.back(1) else { return None };
            let (start, close) = (site.term_before(at - 2)?, site.closing(at)?);
            let (target, message) = (tokens(start..at - 2), tokens(at + 1..close));
            let (name, said) = (site.source(start..at - 2), site.source(at + 1..close));
            let (meant, with) = match (SEND.contains(&word), message.is_empty()) {
                (true, false) => {
                    let inside =
                        [&[Token::Send, Token::ParOpen], &target[..], &[Token::Comma], &message[..]].concat();
                    (format!("send({name}, {said})"), inside)
                }
                (false, true) if RECEIVE.contains(&word) => {
                    (format!("receive({name})"), [&[Token::Receive, Token::ParOpen], &target[..]].concat())
                }
                _ => return None,
            };
            let error =
                foreign(site.span(start..close + 1), format!("`{word}` behind a channel")).write(&meant);
            Some(
                Repair::new(start..close + 1, [&with[..], &[Token::ParClose]].concat(), error)
                    .habit("method"),
            )
        }
        // `receive(Chan[p], X)`
        Token::Comma if in_body => {
            let open = *site.open().last()?;
            let close = site.closing(open)?;
            (site.token(open.checked_sub(1)?)? == Token::Receive).then_some(())?;
            let (from, to) = (tokens(open + 1..at), tokens(at + 1..close));
            let meant = format!("{} := receive({})", site.source(at + 1..close), site.source(open + 1..at));
            let error = foreign(site.span(open - 1..close + 1), "`receive` with a variable").write(&meant);
            let with =
                [&to[..], &[Token::Assign, Token::Receive, Token::ParOpen], &from[..], &[Token::ParClose]];
            Some(Repair::new(open - 1..close + 1, with.concat(), error))
        }
        // `send({ .. }, Chan[p])`
        Token::BraceOpen if site.back(2) == Some(Token::Send) => {
            let (close, end) = (site.closing(at)?, site.closing(at - 1)?);
            (site.token(close + 1)? == Token::Comma).then_some(())?;
            let (name, message) = (tokens(close + 2..end), tokens(at..close + 1));
            let meant = format!("send({}, {})", site.source(close + 2..end), site.source(at..close + 1));
            let error =
                slip(site.span(at - 2..end + 1), "the channel comes before the message").write(&meant);
            Some(Repair::new(at..end, [&name[..], &[Token::Comma], &message[..]].concat(), error))
        }
        // `Chan[p] = <>`
        Token::Different if matches!(site.back(1)?, Token::Equal | Token::Different) => {
            let of = site.source(site.term_before(at - 1)?..at - 1);
            let not = if site.back(1)? == Token::Equal { "" } else { "not " };
            let error = slip(site.span(at..at + 1), "an empty channel is not a value")
                .help(format!("write `{not}empty({of})`"));
            lost(site, error)
        }
        // `head(Chan[p]).kind`, `len(Chan[p]) < 2`, `full(Chan[p]) = False`
        found => call(site, found),
    }
}

/// A function of a channel, or a formula that is compared as if it were a value.
fn call<'t>(site: &Site<'_, 't>, found: Token<'t>) -> Option<Repair<'t>> {
    let at = site.at;
    (site.back(1)? == Token::ParClose).then_some(())?;
    let open = (0..at - 1)
        .rev()
        .find(|&i| site.token(i) == Some(Token::ParOpen) && site.closing(i) == Some(at - 1))?;
    let name = open.checked_sub(1)?;
    let (Token::Lident(word) | Token::Mident(word)) = site.token(name)? else { return None };
    let inside: Vec<Token<'t>> = (open + 1..at - 1).filter_map(|i| site.token(i)).collect();
    let of = site.source(open + 1..at - 1);
    let whole = site.source(name..at);
    let is_cell = matches!(inside.first()?, Token::Mident(_));
    let field = |part: &'static str| [&inside[..], &[Token::Dot, Token::Lident(part)]].concat();
    if is_cell && FIRST.contains(&word) && (found == Token::Dot || found.is_comparison()) {
        let what =
            if word == "receive" { "`receive` in a formula" } else { "the first message of a channel" };
        let error = foreign(site.span(name..at), what)
            .label(if word == "receive" {
                "it is an update: formulas change nothing"
            } else {
                "a part of the channel"
            })
            .write(&format!("{of}.head"));
        return Some(Repair::new(name..at, field("head"), error));
    }
    if is_cell && LENGTH.contains(&word) {
        let error = foreign(site.span(name..at), "the number of messages in a channel")
            .write(&format!("{of}.length"));
        return Some(Repair::new(name..at, field("length"), error));
    }
    let value = match (found, site.ahead(1)?) {
        (Token::Equal, Token::Mident("True") | Token::True)
        | (Token::Different, Token::Mident("False") | Token::False) => true,
        (Token::Equal, Token::Mident("False") | Token::False)
        | (Token::Different, Token::Mident("True") | Token::True) => false,
        _ => return None,
    };
    let meant = if value { whole.to_owned() } else { format!("not {whole}") };
    let error = slip(site.span(name..at + 2), format!("`{whole}` is a formula, not a value")).write(&meant);
    let mut with = vec![Token::Not; usize::from(!value)];
    with.extend((name..at).filter_map(|i| site.token(i)));
    Some(Repair::new(name..at + 2, with, error))
}
