//! Tokens of a `.pyv` file.

use cubicle_lang::diagnostic::{BYTE_ORDER_MARK, Diagnostic, Span};

/// What a token is; names and symbols are their text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A name that is not a keyword.
    Name,
    Keyword,
    /// Punctuation or an operator.
    Symbol,
    Number,
    /// `@no_print`: a remark for another program.
    Annotation,
    End,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token<'t> {
    pub kind: Kind,
    pub text: &'t str,
    pub span: Span,
}

const KEYWORDS: &str = "modifies sort mutable immutable derived relation constant function init transition invariant sketch axiom new old \
    forall exists true false zerostate onestate twostate theorem definition assert safety any trace if then \
    else let in sat unsat distinct bool int assume automaton phase global";

/// The longest first: the first that fits is the token.
const SYMBOLS: &[&str] = &[
    "<->", "->", ":=", "!=", "~=", ">=", "<=", "(", ")", "[", "]", "{", "}", ".", ":", ";", "!", "~", "|",
    "&", "=", ",", "*", "'", "<", ">", "+", "-",
];

/// All tokens, with one of kind [`Kind::End`] at the end; characters that start none are reported and left out.
pub(super) fn tokens(text: &str) -> (Vec<Token<'_>>, Vec<Diagnostic>) {
    let mut found = Vec::new();
    let mut errors = Vec::new();
    let mut at = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 };
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = |matches: fn(char) -> bool| rest.find(|c| !matches(c)).unwrap_or(rest.len());
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (kind, size) = if first.is_ascii_whitespace() {
            at += length(|c| c.is_ascii_whitespace());
            continue;
        } else if first == '#' {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if first.is_ascii_alphabetic() || first == '_' {
            let size = length(word);
            (if KEYWORDS.split(' ').any(|it| it == &rest[..size]) { Kind::Keyword } else { Kind::Name }, size)
        } else if first.is_ascii_digit() {
            (Kind::Number, length(word))
        } else if first == '@' {
            let name = rest[1..].find(|c: char| !(word(c) || c == '-')).unwrap_or(rest.len() - 1);
            (Kind::Annotation, 1 + name)
        } else if let Some(symbol) = SYMBOLS.iter().find(|it| rest.starts_with(**it)) {
            (Kind::Symbol, symbol.len())
        } else {
            let size = first.len_utf8();
            let span = Span::new(at as u32, (at + size) as u32);
            if errors.len() < 10 {
                errors.push(Diagnostic::error("C0711", span, format!("illegal character {first:?}")));
            }
            at += size;
            continue;
        };
        let span = Span::new(at as u32, (at + size) as u32);
        found.push(Token { kind, text: &rest[..size], span });
        at += size;
    }
    let span = Span::new(at as u32, at as u32);
    found.push(Token { kind: Kind::End, text: "", span });
    (found, errors)
}

#[cfg(test)]
mod tests {
    use super::{Kind, tokens};

    #[test]
    fn comments_and_blanks_are_left_out() {
        let (found, errors) = tokens("\u{feff}sort node # a <-> b\n@no-print(x) a' <-> b_1 != 12");
        let texts: Vec<&str> = found.iter().map(|it| it.text).collect();
        let expected = ["sort", "node", "@no-print", "(", "x", ")", "a", "'", "<->", "b_1", "!=", "12", ""];
        assert_eq!((texts.as_slice(), errors.len()), (expected.as_slice(), 0));
        assert_eq!((found[0].kind, found[1].kind), (Kind::Keyword, Kind::Name));
    }

    #[test]
    fn characters_that_start_no_token_are_reported() {
        let (found, errors) = tokens("sort n\u{f6}de \u{0}");
        assert_eq!((found.len(), errors.len()), (4, 2));
        assert!(errors.iter().all(|it| it.code == "C0711"));
    }
}
