//! Characters that start no token: what other languages mean by them.

use super::token::{Placed, Token};
use super::unsupported;
use crate::diagnostic::{Diagnostic, Span};

/// What a stretch of text is in another language.
pub struct Foreign<'t> {
    /// The first byte after it.
    pub end: usize,
    /// The token that it stands for; `None` for comments and what is left out.
    pub token: Option<Token<'t>>,
    /// What to tell.
    pub diagnostic: Diagnostic,
    /// Told once a file under this name.
    pub habit: &'static str,
    /// Whether the declaration is as good as without slip.
    pub mended: bool,
}

/// What is written elsewhere, what is written here, and what that is in words. Longer ones first.
const OPERATORS: [(&str, &str, Token<'static>, &str); 22] = [
    ("!==", "<>", Token::Different, "different"),
    ("!=", "<>", Token::Different, "different"),
    ("/=", "<>", Token::Different, "different"),
    ("~=", "<>", Token::Different, "different"),
    ("≠", "<>", Token::Different, "different"),
    ("/\\", "&&", Token::And, "conjunction"),
    ("\\/", "||", Token::Or, "disjunction"),
    ("\\land", "&&", Token::And, "conjunction"),
    ("\\lor", "||", Token::Or, "disjunction"),
    ("\\lnot", "not", Token::Not, "negation"),
    ("&", "&&", Token::And, "conjunction"),
    ("∧", "&&", Token::And, "conjunction"),
    ("∨", "||", Token::Or, "disjunction"),
    ("¬", "not", Token::Not, "negation"),
    ("~", "not", Token::Not, "negation"),
    ("!", "not", Token::Not, "negation"),
    ("≤", "<=", Token::LessEqual, "at most"),
    ("≥", ">=", Token::GreaterEqual, "at least"),
    ("→", "=>", Token::Implies, "implication"),
    ("⇒", "=>", Token::Implies, "implication"),
    ("∀", "forall", Token::Forall, "the universal quantifier"),
    ("∃", "exists", Token::Exists, "the existential quantifier"),
];

/// What the text at `start`, an illegal character or `--`, is elsewhere; `chunk` is the declaration so far.
pub fn read<'t>(text: &'t str, start: usize, chunk: &[Placed<'t>]) -> Option<Foreign<'t>> {
    let rest = text.get(start..)?;
    comment(rest, start, chunk)
        .or_else(|| different(rest, start, chunk))
        .or_else(|| quantifier(rest, start))
        .or_else(|| operator(rest, start, chunk))
        .or_else(|| quoted(rest, start))
        .or_else(|| mark(rest, start))
}

fn error(start: usize, end: usize, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("C0006", Span::new(start as u32, end as u32), message)
}

fn comment<'t>(rest: &'t str, start: usize, chunk: &[Placed<'t>]) -> Option<Foreign<'t>> {
    let line = rest.find('\n').unwrap_or(rest.len());
    let (opening, length) = if rest.starts_with("/*") {
        ("/*", rest.find("*/").map_or(rest.len(), |at| at + 2))
    } else if rest.starts_with("//") {
        ("//", line)
    } else if rest.starts_with("\\*") {
        ("\\*", line)
    } else if rest.starts_with("--") && !decrement(rest, start, chunk) {
        ("--", line)
    } else if rest.starts_with('#') && different(rest, start, chunk).is_none() {
        ("#", line)
    } else if rest.starts_with("%%") {
        ("%%", line)
    } else {
        return None;
    };
    let diagnostic = error(start, start + opening.len(), format!("`{opening}` begins no comment"))
        .help("comments are written `(* .. *)`; they nest, and may have many lines");
    Some(Foreign { end: start + length, token: None, diagnostic, habit: "comment", mended: true })
}

/// `X--`
fn decrement(rest: &str, start: usize, chunk: &[Placed<'_>]) -> bool {
    let after = rest[2..].trim_start().bytes().next();
    matches!(chunk.last(), Some(&(_, Token::Mident(_) | Token::BracketClose, end)) if end as usize == start)
        && matches!(after, Some(b';' | b'}'))
}

/// `A # B`, as TLA+ has it.
fn different<'t>(rest: &'t str, start: usize, chunk: &[Placed<'t>]) -> Option<Foreign<'t>> {
    let after = rest.strip_prefix('#')?;
    let operand = after.trim_start_matches([' ', '\t']).starts_with(|c: char| c.is_ascii_alphabetic());
    let (&(_, last, _), before) = chunk.split_last()?;
    // The left operand goes back to its name.
    let name = if last == Token::BracketClose {
        let open = before.iter().rposition(|&(_, token, _)| token == Token::BracketOpen)?;
        before.get(open.checked_sub(2)?).map(|&(_, token, _)| token)
    } else {
        before.last().map(|&(_, token, _)| token)
    };
    let opens = matches!(
        name,
        Some(
            Token::BraceOpen | Token::And | Token::Or | Token::Dot | Token::ParOpen | Token::Not | Token::Bar
        )
    );
    if !operand || !last.ends_term() || !opens {
        return None;
    }
    let diagnostic = error(start, start + 1, "`#` is written `<>`").label("different").mend("<>");
    let token = Some(Token::Different);
    Some(Foreign { end: start + 1, token, diagnostic, habit: "different", mended: true })
}

/// `\A x : ..`, `\E x : ..`
fn quantifier(rest: &str, start: usize) -> Option<Foreign<'_>> {
    let (typed, spelling, token) = match rest.get(..3)? {
        "\\A " => ("\\A", "forall", Token::Forall),
        "\\E " => ("\\E", "exists", Token::Exists),
        _ => return None,
    };
    let diagnostic = error(start, start + 2, format!("`{typed}` is written `{spelling}`"))
        .help(format!(
            "write `{spelling} x. ..`; in a guard, `{spelling}_other x. ..` leaves out the parameters"
        ))
        .mend(spelling);
    Some(Foreign { end: start + 2, token: Some(token), diagnostic, habit: spelling, mended: true })
}

fn operator<'t>(rest: &'t str, start: usize, chunk: &[Placed<'t>]) -> Option<Foreign<'t>> {
    let &(typed, spelling, token, what) = OPERATORS.iter().find(|(typed, ..)| rest.starts_with(typed))?;
    if typed == "!" && unsupported::character('!', chunk.last().copied()).is_some() {
        return None;
    }
    let end = start + typed.len();
    let diagnostic =
        error(start, end, format!("`{typed}` is written `{spelling}`")).label(what).mend(spelling);
    Some(Foreign { end, token: Some(token), diagnostic, habit: what, mended: true })
}

/// `"Idle"`
fn quoted(rest: &str, start: usize) -> Option<Foreign<'_>> {
    let quote = rest.chars().next().filter(|&c| c == '"' || c == '\'')?;
    let inside = rest.get(1..)?;
    let length = inside.find(quote)?;
    let word = &inside[..length];
    let identifier = word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
    if !identifier {
        return None;
    }
    let end = start + length + 2;
    let diagnostic =
        error(start, end, "there are no strings").help(format!("write `{word}`, a value of an enum"));
    let capital = word.starts_with(|c: char| c.is_ascii_uppercase());
    let token = if capital { Token::Mident(word) } else { Token::Lident(word) };
    Some(Foreign { end, token: Some(token), diagnostic, habit: "string", mended: true })
}

/// Marks that other languages put after names and between numbers.
fn mark(rest: &str, start: usize) -> Option<Foreign<'_>> {
    let first = rest.chars().next()?;
    if first == '\'' {
        let after = rest[1..].trim_start_matches([' ', '\t']);
        let equal = after.starts_with('=') && !after.starts_with("==");
        let end = if equal { start + rest.len() - after.len() + 1 } else { start + 1 };
        let diagnostic = error(start, start + 1, "a name with a prime")
            .label("the next state is not named")
            .help("an update is written `X := value`, and reads the state before the step");
        let token = equal.then_some(Token::Assign);
        return Some(Foreign { end, token, diagnostic, habit: "prime", mended: true });
    }
    let (message, help) = match first {
        '%' | '/' => {
            ("there is no division", "numbers are added, subtracted, compared and multiplied by numbers")
        }
        '^' => ("there is no power", "numbers are added, subtracted, compared and multiplied by numbers"),
        _ => return None,
    };
    let diagnostic = error(start, start + first.len_utf8(), message).help(help);
    Some(Foreign { end: start + first.len_utf8(), token: None, diagnostic, habit: message, mended: false })
}
