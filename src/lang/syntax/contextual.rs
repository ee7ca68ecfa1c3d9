//! Words that are keywords only where a declaration begins, or `sum` before a brace: anywhere else, models may use them as names.

use super::token::{Placed, Token, tokens};

/// The words, and their tokens at the beginning of a declaration.
const WORDS: [(&str, Token<'static>); 9] = [
    ("fair", Token::Fair),
    ("strong_fair", Token::StrongFair),
    ("response", Token::Response),
    ("recurrence", Token::Recurrence),
    ("possible", Token::Possible),
    ("cover", Token::Cover),
    ("channel", Token::Channel),
    ("relation", Token::Relation),
    ("witness", Token::Witness),
];

/// Reads `token`, which ends at byte `end` of `text`, after the tokens of `chunk`, which begin a declaration.
pub fn meant<'t>(token: Token<'t>, chunk: &[Placed<'t>], text: &'t str, end: u32) -> Token<'t> {
    let follows = || tokens(text, end as usize).next().and_then(|(_, token, _)| token.ok());
    let before = |n: usize| chunk.len().checked_sub(n).map(|i| chunk[i].1);
    match token {
        Token::Mident(name) if follows() == Some(Token::DotDot) => return Token::LowerName(name),
        Token::BraceOpen if matches!(chunk, [(_, Token::Type, _), _, (_, Token::Equal, _)]) => {
            let mut next = tokens(text, end as usize).map(|(_, token, _)| token.ok());
            let field = matches!(next.next().flatten(), Some(Token::Lident(_)));
            return if field && next.next().flatten() == Some(Token::Colon) {
                Token::RecordOpen
            } else {
                token
            };
        }
        _ => {}
    }
    let Token::Lident(word) = token else { return token };
    if let "send" | "receive" = word {
        let update = match before(1) {
            Some(Token::BraceOpen) => before(2) != Some(Token::Requires),
            Some(Token::Semicolon) => true,
            Some(Token::Assign) => word == "receive",
            _ => false,
        };
        let update =
            update && matches!(chunk[0], (_, Token::Transition, _)) && follows() == Some(Token::ParOpen);
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

fn keyword(word: &str) -> Option<Token<'static>> {
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
        (_, Token::BraceClose)
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
        (Token::Type | Token::Var | Token::Const | Token::Array, Token::Int(_)) => {
            matches!(before(1), Some(Token::Equal | Token::DotDot))
        }
        (Token::Var | Token::Const | Token::Array, Token::Mident(_)) => {
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

    const WORDS: [&str; 9] =
        ["fair", "strong_fair", "any", "response", "recurrence", "possible", "cover", "relation", "witness"];

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
        for word in WORDS {
            let text = everywhere(word);
            let (file, errors) = parse(&text);
            assert!(errors.is_empty(), "{word}: {errors:?}");
            assert_eq!(file.items.len(), 10, "{word}");
            assert_eq!(parse(&print(&file)).0, file, "{word}");
        }
    }

    #[test]
    fn fairness_of_transitions_with_these_names() {
        for word in WORDS {
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
