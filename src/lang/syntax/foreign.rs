//! Characters that start no token, and their meaning in other languages.

use super::repair::miscounted;
use super::token::{Placed, Token, tokens};
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
        .or_else(|| different(rest, start, chunk))
        .or_else(|| process_zero(rest, start))
        .or_else(|| comment(rest, start, chunk))
        .or_else(|| membership(rest, start))
        .or_else(|| quantifier(rest, start))
        .or_else(|| operator(rest, start, chunk))
        .or_else(|| quoted(rest, start, chunk))
        .or_else(|| mark(rest, start))
}

impl<'t> Foreign<'t> {
    fn new(start: usize, end: usize, token: Option<Token<'t>>, diagnostic: Diagnostic) -> Self {
        Self { diagnostic: Some(diagnostic), ..Self::silent(start, end, token.as_slice()) }
    }

    /// Tokens at which the parser fails.
    fn silent(start: usize, end: usize, tokens: &[Token<'t>]) -> Self {
        let tokens = tokens.iter().map(|&token| (start as u32, token, end as u32)).collect();
        Self { end, tokens, diagnostic: None, habit: "", mended: true }
    }

    fn habit(self, habit: &'static str) -> Self {
        Self { habit, ..self }
    }
}

fn error(start: usize, end: usize, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("C0006", Span::new(start as u32, end as u32), message)
}

/// The error about a text that is a module of TLA+.
pub fn module(text: &str) -> Option<Diagnostic> {
    let from = text.len() - text.trim_start().len();
    let line = text[from..].lines().next()?;
    let name = line.trim_start_matches('-').trim_start().strip_prefix("MODULE ")?;
    let diagnostic = error(from, from + line.len(), "this is a module of TLA+, not a model");
    Some(diagnostic.label(format!("`{}` is not read", name.trim_end_matches('-').trim())).help(
        "a model declares `var`, `array`, `init`, `unsafe` and `transition`; `cubicle explain C0006` has a table of spellings",
    ))
}

/// `\in {..}`, `\notin {..}`: the parser fails there, and a rule repairs it.
fn membership(rest: &str, start: usize) -> Option<Foreign<'_>> {
    let spellings = [("\\in", false), ("\\notin", true), ("∈", false), ("∉", true)];
    let (typed, negated) = spellings.into_iter().find(|(typed, _)| {
        rest.strip_prefix(typed).is_some_and(|after| after.trim_start().starts_with('{'))
    })?;
    let tokens = [Token::Not, Token::In];
    Some(Foreign::silent(start, start + typed.len(), &tokens[usize::from(!negated)..]))
}

/// What begins comments, and what ends them.
const COMMENTS: [(&str, &str); 6] =
    [("/*", "*/"), ("//", "\n"), ("\\*", "\n"), ("--", "\n"), ("#", "\n"), ("%%", "\n")];

fn comment<'t>(rest: &'t str, start: usize, chunk: &[Placed<'t>]) -> Option<Foreign<'t>> {
    let (opening, closing) = COMMENTS.into_iter().find(|(opening, _)| rest.starts_with(opening))?;
    if opening == "--" && decrement(rest, start, chunk) {
        return None;
    }
    let length = rest.find(closing).map_or(rest.len(), |at| at + closing.trim_end().len());
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
        return Some(Foreign::silent(start, start + 1, &[Token::CountOpen]));
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
    let (end, names) = bound(rest, length).map_or((length, None), |(names, end)| (end, Some(names)));
    let written = names.as_ref().map(|names| {
        let names: Vec<_> = names.iter().map(|&(l, _, r)| &rest[l as usize..r as usize]).collect();
        names.join(" ")
    });
    let meant = written.map_or_else(|| spelling.to_owned(), |names| format!("{spelling} {names}."));
    let diagnostic = error(start, start + end, format!("`{}` is written `{meant}`", &rest[..end]));
    let mut foreign = Foreign::silent(start, start + length, &[token]).habit(spelling);
    let help = if let Some(names) = names {
        let moved = |(l, token, r)| (start as u32 + l, token, start as u32 + r);
        foreign.tokens.extend(names.into_iter().map(moved));
        foreign.tokens.push(moved((end as u32 - 1, Token::Dot, end as u32)));
        format!(
            "quantifiers range over all processes; in a guard, `{spelling}_other` leaves out the parameters"
        )
    } else {
        format!("write `{spelling} x. ..`; in a guard, `{spelling}_other x. ..` leaves out the parameters")
    };
    Some(Foreign { end: start + end, diagnostic: Some(diagnostic.help(help).mend(meant)), ..foreign })
}

/// `q, r \in S :` at byte `from`: the names, and the byte after it.
fn bound(rest: &str, from: usize) -> Option<(Vec<Placed<'_>>, usize)> {
    let mut found = tokens(rest, from);
    let mut names = Vec::new();
    loop {
        let (l, Ok(name @ Token::Lident(_)), r) = found.next()? else { return None };
        names.push((l, name, r));
        let mut next = found.next()?;
        if let (at, Err(_), _) = next {
            let set = ["\\in", "∈"].iter().find_map(|it| rest[at as usize..].strip_prefix(it))?;
            let mut after = tokens(rest, rest.len() - set.len()).skip(1);
            next = after.next().filter(|next| next.1 != Ok(Token::Comma))?;
        }
        match next {
            (_, Ok(Token::Comma), _) => {}
            (_, Ok(Token::Colon | Token::Dot), end) => return Some((names, end as usize)),
            _ => return None,
        }
    }
}

fn operator<'t>(rest: &'t str, start: usize, chunk: &[Placed<'t>]) -> Option<Foreign<'t>> {
    let &(typed, spelling, token, what) = OPERATORS.iter().find(|(typed, ..)| rest.starts_with(typed))?;
    if matches!(chunk.last(), Some((_, Token::Mident("EXCEPT"), _))) {
        // `[A EXCEPT ![p] = ..]`: the parser fails before it.
        return Some(Foreign::silent(start, start + typed.len(), &[token]));
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
    let mut found = tokens(text, 0).map_while(|(_, token, _)| token.ok()).peekable();
    if !matches!(found.next(), Some(Token::Mident(_))) {
        return false;
    }
    if found.peek() == Some(&Token::BracketOpen) && !found.any(|token| token == Token::BracketClose) {
        return false;
    }
    let end = found.next();
    end.is_some_and(|it| it.closes() && it != Token::BracketClose)
        || matches!(
            end,
            Some(Token::And | Token::Or | Token::Implies | Token::Iff | Token::Semicolon | Token::Colon)
        )
}

/// `"Idle"`, and `rule "name"`, which is repaired with the rule.
fn quoted<'t>(rest: &'t str, start: usize, chunk: &[Placed<'t>]) -> Option<Foreign<'t>> {
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
    if matches!(chunk.last(), Some((_, Token::Lident("rule"), _))) {
        return Some(Foreign::silent(start, end, &[Token::Lident(word)]));
    }
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
        '/' => (
            "there is no division",
            "numbers are added, subtracted, compared and multiplied by numbers; `(X + 1) % 4` is a remainder",
        ),
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
