//! Words that are keywords only where a declaration begins, or `sum` before a brace: anywhere else, models may use them as names.

use super::token::{Placed, Token, tokens};

/// The words, and their tokens at the beginning of a declaration.
const WORDS: [(&str, Token<'static>); 13] = [
    ("fair", Token::Fair),
    ("strong_fair", Token::StrongFair),
    ("response", Token::Response),
    ("recurrence", Token::Recurrence),
    ("possible", Token::Possible),
    ("cover", Token::Cover),
    ("channel", Token::Channel),
    ("relation", Token::Relation),
    ("witness", Token::Witness),
    ("never", Token::Never),
    ("always", Token::Always),
    ("lemma", Token::Lemma),
    ("process", Token::Process),
];

/// The words of a process, and their tokens where a statement begins.
const STATEMENTS: [(&str, Token<'static>); 7] = [
    ("local", Token::Local),
    ("skip", Token::Skip),
    ("goto", Token::Goto),
    ("await", Token::Await),
    ("while", Token::While),
    ("either", Token::Either),
    ("with", Token::With),
];

/// Whether what begins behind the parenthesis that ends at byte `end` is divided: `(X + 1) % 4`. No sum has another one in it, so that each token is
/// looked at once, however deep parentheses are nested.
fn is_divided(text: &str, end: u32) -> bool {
    let mut next = tokens(text, end as usize).map(|(_, token, _)| token.ok());
    let closes = next.find(|token| {
        use Token::{BraceClose, BraceOpen, ParClose, ParOpen, Semicolon};
        matches!(token, None | Some(ParOpen | ParClose | BraceOpen | BraceClose | Semicolon))
    });
    closes == Some(Some(Token::ParClose)) && next.next().flatten() == Some(Token::Percent)
}

/// Reads `token`, which ends at byte `end` of `text`, after the tokens of `chunk`, which begin a declaration.
pub fn meant<'t>(token: Token<'t>, chunk: &[Placed<'t>], text: &'t str, end: u32) -> Token<'t> {
    let follows = || tokens(text, end as usize).next().and_then(|(_, token, _)| token.ok());
    let before = |n: usize| chunk.len().checked_sub(n).map(|i| chunk[i].1);
    match token {
        Token::Mident(name) if follows() == Some(Token::DotDot) => return Token::LowerName(name),
        Token::ParOpen if is_divided(text, end) => return Token::SumOpen,
        Token::BraceOpen if matches!(chunk, [(_, Token::Type, _), _, (_, Token::Equal, _)]) => {
            let mut next = tokens(text, end as usize).map(|(_, token, _)| token.ok());
            let field = matches!(next.next().flatten(), Some(Token::Lident(_)));
            return if field && next.next().flatten() == Some(Token::Colon) {
                Token::RecordOpen
            } else {
                token
            };
        }
        Token::BraceOpen | Token::Semicolon if matches!(chunk, [(_, Token::Process, _), ..]) => {
            let is_value = |it: Token<'_>| {
                it.is_comparison()
                    || matches!(it, Token::Assign | Token::Comma | Token::Colon | Token::ParOpen)
            };
            return match token {
                Token::Semicolon => Token::Stop,
                _ if before(1).is_some_and(is_value) => token,
                _ => Token::CodeOpen,
            };
        }
        _ => {}
    }
    let Token::Lident(word) = token else { return token };
    let first = chunk.first().map(|it| it.1);
    match (word, first) {
        ("never", Some(Token::Lemma)) if chunk.len() == 1 => return Token::LemmaNever,
        ("always", Some(Token::Lemma)) if chunk.len() == 1 => return Token::LemmaAlways,
        // `var Tail : proc or nil`
        ("or", _) if matches!(before(1), Some(Token::Lident(_))) && before(2) == Some(Token::Colon) => {
            let is_type =
                first.is_some_and(|it| it.declares_variables() || matches!(it, Token::Type | Token::Process));
            if is_type && follows() == Some(Token::Lident("nil")) {
                return Token::OrElse;
            }
        }
        ("nil", _) if before(1) == Some(Token::OrElse) => return Token::Nil,
        (_, Some(Token::Process)) => {
            let next = follows();
            if next == Some(Token::Colon) && begins_statement(chunk) && !is_bound(chunk) {
                return Token::Label(word);
            }
            if let Some(token) = in_code(word, chunk, next) {
                return token;
            }
        }
        _ => {}
    }
    if let "send" | "receive" = word {
        let update = match before(1) {
            Some(Token::BraceOpen) => before(2) != Some(Token::Requires),
            Some(Token::Semicolon | Token::In) => true,
            Some(Token::Assign) => word == "receive",
            _ => false,
        };
        let of_code = first == Some(Token::Process) && (update || begins_statement(chunk));
        let update =
            (of_code || update && first == Some(Token::Transition)) && follows() == Some(Token::ParOpen);
        return match (update, word) {
            (false, _) => token,
            (true, "send") => Token::Send,
            (true, _) => Token::Receive,
        };
    }
    if word == "sum" {
        // The name of a property is its second token.
        let title = matches!(chunk, [(_, first, _)] if *first != Token::Formula);
        return if !title && follows() == Some(Token::BraceOpen) { Token::Sum } else { token };
    }
    if word == "any" {
        let fairness = matches!(chunk, [(_, Token::Fair | Token::StrongFair, _)]);
        let named = |next| match next {
            // The name of a transition, unless it begins the next declaration.
            Some(Token::Lident(name)) => keyword(name).is_none() || !declares(text, end, name),
            Some(Token::Mident(_)) => true,
            _ => false,
        };
        return if fairness && named(follows()) { Token::Any } else { token };
    }
    // Also behind a broken declaration: no other text has a name and a bracket or colon after this word.
    if word == "channel" && !chunk.is_empty() {
        let mut next = tokens(text, end as usize).map(|(_, token, _)| token.ok());
        if matches!(next.next().flatten(), Some(Token::Mident(_)))
            && matches!(next.next().flatten(), Some(Token::BracketOpen | Token::Colon))
        {
            return Token::Channel;
        }
    }
    match keyword(word) {
        Some(keyword) if may_begin(chunk) => keyword,
        _ => token,
    }
}

/// The token of a word in a process, before the token `next`, where it is not a name.
fn in_code(word: &str, chunk: &[Placed<'_>], next: Option<Token<'_>>) -> Option<Token<'static>> {
    let closed = matches!(chunk.last(), Some((_, Token::BraceClose, _)));
    if word == "or" {
        return (closed && next == Some(Token::BraceOpen)).then_some(Token::OrElse);
    }
    let token = STATEMENTS.iter().find(|(known, _)| *known == word).map(|(_, token)| *token)?;
    // An own cell may have this name.
    let is_name = next == Some(Token::Assign);
    (!is_name && begins_statement(chunk)).then_some(token)
}

/// Whether the name after these tokens is the last of several that a quantifier binds.
fn is_bound(chunk: &[Placed<'_>]) -> bool {
    let names = |it: &&Placed<'_>| matches!(it.1, Token::Lident(_) | Token::Different | Token::Colon);
    let before = chunk.iter().rev().find(|it| !names(it)).map(|it| it.1);
    matches!(before, Some(Token::Forall | Token::Exists | Token::ForallOther | Token::ExistsOther))
}

/// Whether a statement of a process may begin after these tokens.
fn begins_statement(chunk: &[Placed<'_>]) -> bool {
    let inside = chunk.iter().any(|&(_, it, _)| it == Token::CodeOpen);
    let last = chunk.last().map(|it| it.1);
    let ends =
        |it: Token<'_>| it.ends_term() || matches!(it, Token::Skip | Token::True | Token::False | Token::Nil);
    let after = |it: Token<'_>| {
        ends(it)
            || matches!(it, Token::CodeOpen | Token::Stop | Token::Colon | Token::ParClose)
            || matches!(it, Token::Question)
    };
    inside && last.is_some_and(after)
}

/// The token of a word that begins a declaration.
pub fn keyword(word: &str) -> Option<Token<'static>> {
    WORDS.iter().find(|(known, _)| *known == word).map(|(_, token)| *token)
}

/// Whether the text after `name`, the word after byte `end`, occurs only in a declaration.
fn declares(text: &str, end: u32, name: &str) -> bool {
    let next = tokens(text, end as usize).nth(1).and_then(|(_, token, _)| token.ok());
    match next {
        Some(Token::Lident(next)) => keyword(next).is_none(),
        Some(Token::Mident(_)) => true,
        Some(Token::ParOpen | Token::BraceOpen) => !name.ends_with("fair"),
        _ => false,
    }
}

/// Whether a declaration may begin after these tokens: there are none, or they are a complete declaration.
fn may_begin(chunk: &[Placed<'_>]) -> bool {
    let Some(&(_, last, _)) = chunk.last() else { return true };
    let before = |n: usize| chunk.len().checked_sub(n + 1).map(|i| chunk[i].1);
    match (chunk[0].1, last) {
        (Token::Process, Token::BraceClose) => {
            let opens =
                |it: &&Placed<'_>| matches!(it.1, Token::BraceOpen | Token::CountOpen | Token::CodeOpen);
            let closes = |it: &&Placed<'_>| it.1 == Token::BraceClose;
            chunk.iter().filter(opens).count() == chunk.iter().filter(closes).count()
        }
        (_, Token::BraceClose)
        | (Token::Var | Token::Const | Token::Array, Token::Nil)
        | (Token::Relation, Token::ParClose)
        | (Token::NumberProcs, Token::Int(_))
        | (Token::Fair | Token::StrongFair, Token::Lident(_) | Token::Mident(_)) => true,
        (Token::Var | Token::Const | Token::Array | Token::Witness, Token::Lident(_)) => {
            before(1) == Some(Token::Colon)
        }
        (Token::Type, Token::Lident(_)) => chunk.len() == 2 || before(1) == Some(Token::Less),
        (Token::Type, Token::Mident(_)) => {
            matches!(before(1), Some(Token::Equal | Token::Bar | Token::DotDot))
        }
        (Token::Type | Token::Var | Token::Const | Token::Array, Token::Int(_))
        | (Token::Var | Token::Const | Token::Array, Token::Mident(_)) => {
            matches!(before(1), Some(Token::Equal | Token::DotDot))
        }
        (Token::Channel, Token::Lident(_)) => chunk.iter().rev().any(|&(_, it, _)| it == Token::BracketClose),
        (Token::Channel, Token::BracketClose) => chunk.iter().any(|&(_, it, _)| it == Token::Colon),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::syntax::{parse, print};

    const WORDS: &str = "fair strong_fair any response recurrence possible cover relation witness never always lemma \
                         process or nil";

    /// A model that uses `word` wherever a small name may stand.
    fn everywhere(word: &str) -> String {
        format!(
            "type {word}\ntype {word} = A | B\nvar X : {word}\nconst C : {word}\narray S[proc] : {word}\n\
             init ({word}) {{ S[{word}] = A }}\ninvariant ({word} q) {{ S[{word}] = B && S[q] = X }}\n\
             predicate {word} ({word}) {{ S[{word}] = A }}\n\
             unsafe ({word} q) {{ {word}({word}) && exists {word}. S[{word}] = B }}\n\
             transition {word} ({word}) requires {{ {word}({word}) && forall_other q. S[q] <> {word} }} \
             {{ let {word} = B in S[{word}] := {word} }}\n"
        )
    }

    #[test]
    fn contextual_keywords_are_names_elsewhere() {
        for word in WORDS.split(' ') {
            let text = format!(
                "{}fair {word} strong_fair {word}\nfair any {word}\ncover {word} (p) {{ S[p] = A }}\n\
                 fair any {word}\nresponse {word} {{ X = A }} ~> {{ X = B }} recurrence {{ X = A }} possible () {{ X = B }}",
                everywhere(word)
            );
            let (file, errors) = parse(&text);
            assert!(errors.is_empty(), "{word}: {errors:?}");
            assert_eq!(file.items.len(), 18, "{word}");
            assert_eq!(parse(&print(&file)).0, file, "{word}");
        }
    }

    #[test]
    fn any_is_the_name_of_a_transition_where_no_other_name_follows() {
        let (file, errors) = parse("fair any fair any t fair any strong_fair any fair fair x");
        assert!(errors.is_empty(), "{errors:?}");
        let shown: Vec<String> = file.items.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["fair any", "fair any t", "fair any", "strong_fair any fair", "fair x"]);
    }
}
