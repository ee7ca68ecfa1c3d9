//! Characters that start no token, and their meaning in other languages.

use super::repair::miscounted;
use super::token::{Placed, Token};
use super::unsupported;
use crate::diagnostic::{Diagnostic, Span};

/// A stretch of text in another language.
pub struct Foreign<'t> {
    /// The first byte after it.
    pub end: usize,
    /// The tokens that it stands for; none for comments and omitted text.
    pub tokens: Vec<Placed<'t>>,
    /// The error; `None` where the parser fails at these tokens, and a rule gives a better one.
    pub diagnostic: Option<Diagnostic>,
    /// Reported once for each file under this name.
    pub habit: &'static str,
    /// Whether the declaration is read as if the mistake were not there.
    pub mended: bool,
}

/// The spelling in other languages, the one here, and its meaning in words. Longer ones first.
const OPERATORS: [(&str, &str, Token<'static>, &str); 20] = [
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
];

/// The text at `start`, an illegal character or `--`, in another language; `chunk` is the declaration so far.
pub fn read<'t>(text: &'t str, start: usize, chunk: &[Placed<'t>]) -> Option<Foreign<'t>> {
    let rest = text.get(start..)?;
    count(rest, start, chunk)
        .or_else(|| comment(rest, start, chunk))
        .or_else(|| different(rest, start, chunk))
        .or_else(|| process_zero(rest, start))
        .or_else(|| membership(rest, start))
        .or_else(|| quantifier(rest, start))
        .or_else(|| operator(rest, start, chunk))
        .or_else(|| quoted(rest, start))
        .or_else(|| mark(rest, start))
}

impl<'t> Foreign<'t> {
    fn new(start: usize, end: usize, token: Option<Token<'t>>, diagnostic: Diagnostic) -> Self {
        let tokens = token.map(|token| (start as u32, token, end as u32)).into_iter().collect();
        Self { end, tokens, diagnostic: Some(diagnostic), habit: "", mended: true }
    }

    fn habit(self, habit: &'static str) -> Self {
        Self { habit, ..self }
    }
}

fn error(start: usize, end: usize, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("C0006", Span::new(start as u32, end as u32), message)
}

/// `\in {..}`, `\notin {..}`: the parser fails there, and a rule repairs it.
fn membership(rest: &str, start: usize) -> Option<Foreign<'_>> {
    let (typed, negated) =
        [("\\in", false), ("\\notin", true), ("∈", false), ("∉", true)].into_iter().find(|(typed, _)| {
            rest.strip_prefix(typed).is_some_and(|after| after.trim_start().starts_with('{'))
        })?;
    let end = start + typed.len();
    let place = |token| (start as u32, token, end as u32);
    let tokens = if negated { vec![place(Token::Not), place(Token::In)] } else { vec![place(Token::In)] };
    Some(Foreign { end, tokens, diagnostic: None, habit: "", mended: true })
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
    } else if rest.starts_with('#')
        && different(rest, start, chunk).is_none()
        && process_zero(rest, start).is_none()
    {
        ("#", line)
    } else if rest.starts_with("%%") {
        ("%%", line)
    } else {
        return None;
    };
    if let Some(word) = ["#define", "#include", "#ifdef"].into_iter().find(|word| rest.starts_with(word)) {
        let diagnostic = error(start, start + word.len(), "there is no preprocessor")
            .help("a constant is declared by `const N : int`, with its value in `init`");
        return Some(Foreign::new(start, start + length, None, diagnostic).habit("preprocessor"));
    }
    let diagnostic = error(start, start + opening.len(), format!("`{opening}` does not start a comment"))
        .help("comments are written `(* .. *)`; they nest, and may have many lines");
    Some(Foreign::new(start, start + length, None, diagnostic).habit("comment"))
}

/// The first brace of a declaration is among the first of this many tokens.
const MAX_HEAD: usize = 64;

/// `# {`, `#(p | ..)`, which a rule repairs, and `#processes`
fn count<'t>(rest: &'t str, start: usize, chunk: &[Placed<'t>]) -> Option<Foreign<'t>> {
    let after = rest.strip_prefix('#')?;
    // Where a value may begin.
    let value = chunk.last().is_some_and(|&(_, token, _)| !token.ends_term());
    let mut head = chunk.iter().take(MAX_HEAD);
    if !value || !head.any(|&(_, token, _)| token == Token::BraceOpen) {
        return None;
    }
    if after.trim_start_matches([' ', '\t']).starts_with(['{', '(']) {
        let tokens = vec![(start as u32, Token::CountOpen, start as u32 + 1)];
        return Some(Foreign { end: start + 1, tokens, diagnostic: None, habit: "", mended: true });
    }
    let word = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
    let name = &after[..word];
    if !["p", "n", "procs", "process", "processes"].contains(&name) {
        return None;
    }
    let end = start + 1 + word;
    let diagnostic = miscounted(Span::new(start as u32, end as u32), format!("`#{name}` is written `#proc`"))
        .label("the number of processes")
        .mend("#proc");
    Some(Foreign::new(start, end, Some(Token::AllProcs), diagnostic).habit("count"))
}

/// `#0`
fn process_zero(rest: &str, start: usize) -> Option<Foreign<'_>> {
    let digits = rest.strip_prefix('#')?;
    let length = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    if length == 0 || digits[..length].bytes().any(|digit| digit != b'0') {
        return None;
    }
    let end = start + 1 + length;
    let diagnostic = error(start, end, "processes are counted from `#1`")
        .help("write `#1`, with `number_procs`; a parameter names any process");
    Some(Foreign::new(start, end, Some(Token::ProcConst("#1")), diagnostic))
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
    // The left operand starts at its name.
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
    if !operand || !last.ends_term() || last == Token::BraceClose || !opens {
        return None;
    }
    let diagnostic = error(start, start + 1, "`#` is written `<>`").label("different").mend("<>");
    Some(Foreign::new(start, start + 1, Some(Token::Different), diagnostic).habit("different"))
}

/// `\A x : ..`, `\E x \in S : ..`
fn quantifier(rest: &str, start: usize) -> Option<Foreign<'_>> {
    let (typed, spelling, token) = [
        ("\\A ", "forall", Token::Forall),
        ("\\E ", "exists", Token::Exists),
        ("∀", "forall", Token::Forall),
        ("∃", "exists", Token::Exists),
    ]
    .into_iter()
    .find(|(typed, ..)| rest.starts_with(typed))?;
    let length = typed.trim_end().len();
    if let Some((names, end)) = bound(rest, length, start) {
        let place = |from: usize, token, to: usize| ((start + from) as u32, token, (start + to) as u32);
        let mut tokens = vec![place(0, token, length)];
        tokens.extend(&names);
        tokens.push(place(end - 1, Token::Dot, end));
        let written: Vec<&str> = names
            .iter()
            .filter_map(|&(_, token, _)| if let Token::Lident(name) = token { Some(name) } else { None })
            .collect();
        let meant = format!("{spelling} {}.", written.join(" "));
        let diagnostic = error(start, start + end, format!("`{}` is written `{meant}`", &rest[..end]))
            .help(format!(
                "quantifiers range over all processes; in a guard, `{spelling}_other` leaves out the parameters"
            ))
            .mend(meant);
        return Some(Foreign {
            end: start + end,
            tokens,
            diagnostic: Some(diagnostic),
            habit: spelling,
            mended: true,
        });
    }
    let end = start + length;
    let diagnostic = error(start, end, format!("`{}` is written `{spelling}`", &rest[..length]))
        .help(format!(
            "write `{spelling} x. ..`; in a guard, `{spelling}_other x. ..` leaves out the parameters"
        ))
        .mend(spelling);
    Some(Foreign::new(start, end, Some(token), diagnostic).habit(spelling))
}

/// `q, r \in S :` at byte `from` of `rest`, which begins at byte `start` of the text: the names, and the byte after it.
fn bound(rest: &str, from: usize, start: usize) -> Option<(Vec<Placed<'_>>, usize)> {
    let mut names = Vec::new();
    let mut at = from;
    loop {
        at += rest[at..].len() - rest[at..].trim_start().len();
        let length = rest[at..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
        let name = &rest[at..at + length];
        if !matches!(super::word(name), Some(super::Word::Small)) {
            return None;
        }
        names.push(((start + at) as u32, Token::Lident(name), (start + at + length) as u32));
        at += length;
        let after = rest[at..].trim_start();
        at += rest[at..].len() - after.len();
        if after.starts_with(',') {
            at += 1;
            continue;
        }
        if let Some(set) = ["\\in", "∈"].into_iter().find_map(|it| after.strip_prefix(it)) {
            let set = set.trim_start();
            let length = set.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
            at = rest.len() - set.len() + length;
            at += rest[at..].len() - rest[at..].trim_start().len();
        }
        return rest[at..].starts_with([':', '.']).then_some((names, at + 1));
    }
}

fn operator<'t>(rest: &'t str, start: usize, chunk: &[Placed<'t>]) -> Option<Foreign<'t>> {
    let &(typed, spelling, token, what) = OPERATORS.iter().find(|(typed, ..)| rest.starts_with(typed))?;
    if matches!(chunk.last(), Some((_, Token::Mident("EXCEPT"), _))) {
        // `[A EXCEPT ![p] = ..]`: the parser fails before it.
        let tokens = vec![(start as u32, token, (start + typed.len()) as u32)];
        return Some(Foreign { end: start + typed.len(), tokens, diagnostic: None, habit: "", mended: true });
    }
    if typed == "!" && unsupported::character('!', chunk.last().copied()).is_some() {
        return None;
    }
    let end = start + typed.len();
    let diagnostic =
        error(start, end, format!("`{typed}` is written `{spelling}`")).label(what).mend(spelling);
    let mut foreign = Foreign::new(start, end, Some(token), diagnostic).habit(what);
    if token == Token::Not && is_alone(&rest[typed.len()..]) {
        // `not X` is an error, too: the rule for variables that stand alone repairs it.
        foreign.diagnostic = None;
    }
    Some(foreign)
}

/// Whether the text begins with a variable or a cell that nothing compares.
fn is_alone(text: &str) -> bool {
    let mut tokens = super::token::tokens(text, 0).map(|(_, token, _)| token).peekable();
    if !matches!(tokens.next(), Some(Ok(Token::Mident(_)))) {
        return false;
    }
    if tokens.peek() == Some(&Ok(Token::BracketOpen)) {
        let close =
            tokens.by_ref().find(|token| !matches!(token, Ok(token) if *token != Token::BracketClose));
        if close != Some(Ok(Token::BracketClose)) {
            return false;
        }
    }
    matches!(
        tokens.next(),
        Some(Ok(Token::And
            | Token::Or
            | Token::Implies
            | Token::Iff
            | Token::BraceClose
            | Token::ParClose
            | Token::Semicolon
            | Token::Colon))
    )
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
    Some(Foreign::new(start, end, Some(token), diagnostic.mend(word)).habit("string"))
}

/// Marks that other languages put after names and between numbers.
fn mark(rest: &str, start: usize) -> Option<Foreign<'_>> {
    let first = rest.chars().next()?;
    if first == '\'' {
        let after = rest[1..].trim_start_matches([' ', '\t']);
        let equal = after.starts_with('=') && !after.starts_with("==");
        let end = if equal { start + rest.len() - after.len() + 1 } else { start + 1 };
        let diagnostic = error(start, start + 1, "a name with a prime")
            .label("the next state has no name")
            .help("an update is written `X := value`, and reads the state before the step");
        let token = equal.then_some(Token::Assign);
        return Some(Foreign::new(start, end, token, diagnostic).habit("prime"));
    }
    let (message, help) = match first {
        '%' | '/' => {
            ("there is no division", "numbers are added, subtracted, compared and multiplied by numbers")
        }
        '^' => (
            "there is no power operator",
            "numbers are added, subtracted, compared and multiplied by numbers",
        ),
        _ => return None,
    };
    let diagnostic = error(start, start + first.len_utf8(), message).help(help);
    let foreign = Foreign::new(start, start + first.len_utf8(), None, diagnostic).habit(message);
    Some(Foreign { mended: false, ..foreign })
}
