//! Tokens and the lexer.

use logos::{Lexer, Logos};

use crate::BYTE_ORDER_MARK;

/// Why a stretch of text is not a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LexError {
    /// A character that starts no token.
    #[default]
    Illegal,
    /// A comment without an end.
    OpenComment,
}

/// A token with its place, as the generated parser reads it.
pub type Placed<'t> = (u32, Token<'t>, u32);

/// A token; identifiers and numbers carry their text.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\r\n]+", error = LexError)]
#[allow(missing_docs)]
pub enum Token<'t> {
    #[token("(*", comment)]
    Comment,
    #[regex("[a-z][A-Za-z0-9_]*")]
    Lident(&'t str),
    #[regex("[A-Z][A-Za-z0-9_]*")]
    Mident(&'t str),
    #[regex("-?[0-9]+")]
    Int(&'t str),
    #[regex(r"-?[0-9]+\.[0-9]*")]
    Real(&'t str),
    /// A number before `..`, which [`tokens`] separates.
    #[regex(r"-?[0-9]+\.\.")]
    LowerBound(&'t str),
    #[token("..")]
    DotDot,
    #[regex("#[1-9][0-9]*")]
    ProcConst(&'t str),
    #[token("#proc")]
    AllProcs,
    #[token("#{")]
    CountOpen,
    #[token("type")]
    Type,
    #[token("init")]
    Init,
    #[token("transition")]
    Transition,
    #[token("invariant")]
    Invariant,
    #[token("requires")]
    Requires,
    #[token("array")]
    Array,
    #[token("var")]
    Var,
    #[token("const")]
    Const,
    #[token("unsafe")]
    Unsafe,
    #[token("case")]
    Case,
    #[token("forall_other")]
    ForallOther,
    #[token("exists_other")]
    ExistsOther,
    #[token("forall")]
    Forall,
    #[token("exists")]
    Exists,
    #[token("predicate")]
    Predicate,
    #[token("if")]
    If,
    #[token("then")]
    Then,
    #[token("else")]
    Else,
    #[token("not")]
    Not,
    #[token("true")]
    True,
    #[token("false")]
    False,
    #[token("number_procs")]
    NumberProcs,
    #[token("let")]
    Let,
    #[token("in")]
    In,
    #[token("(")]
    ParOpen,
    #[token(")")]
    ParClose,
    #[token("[")]
    BracketOpen,
    #[token("]")]
    BracketClose,
    #[token("{")]
    BraceOpen,
    #[token("}")]
    BraceClose,
    #[token(".")]
    Dot,
    #[token("?")]
    Question,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("%")]
    Percent,
    #[token(":")]
    Colon,
    #[token("=")]
    Equal,
    #[token("=>")]
    Implies,
    #[token("<=>")]
    Iff,
    #[token(":=")]
    Assign,
    #[token("<>")]
    Different,
    #[token("<")]
    Less,
    #[token("<=")]
    LessEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterEqual,
    #[token("||")]
    Or,
    #[token("&&")]
    And,
    #[token("|")]
    Bar,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token("_")]
    Underscore,
    #[token("~>")]
    LeadsTo,
    // Words that are keywords only in some places, see `contextual`: the lexer never produces these tokens.
    Fair,
    StrongFair,
    Any,
    /// A keyword only before a brace.
    Sum,
    Response,
    Recurrence,
    Possible,
    Cover,
    Channel,
    Relation,
    Witness,
    Never,
    Always,
    Lemma,
    /// `never` and `always` after `lemma`.
    LemmaNever,
    LemmaAlways,
    Process,
    // Keywords only in a process.
    Local,
    Skip,
    Goto,
    Await,
    While,
    Either,
    With,
    /// `or` after a block of `either`, and before `nil` in a type.
    OrElse,
    Nil,
    /// A name before a colon, a brace before code, and a semicolon in code.
    Label(&'t str),
    CodeOpen,
    Stop,
    /// `(` before a sum that is divided.
    SumOpen,
    /// A name before `..`.
    LowerName(&'t str),
    /// The brace of a record type.
    RecordOpen,
    /// Keywords only where an update stands.
    Send,
    Receive,
    /// Stands before a formula outside of a declaration: the lexer never produces it either.
    Formula,
}

/// Reads a comment, whose opening has been read. Comments nest; nothing inside has another meaning.
///
/// A comment is a token, which [`tokens`] leaves out: one that the lexer itself skips takes stack, and there may be a
/// million of them in a row.
fn comment<'t>(lexer: &mut Lexer<'t, Token<'t>>) -> Result<(), LexError> {
    let rest = lexer.remainder().as_bytes();
    let (mut depth, mut at) = (1usize, 0);
    while depth > 0 {
        match rest.get(at..at + 2) {
            Some(b"(*") => {
                depth += 1;
                at += 2;
            }
            Some(b"*)") => {
                depth -= 1;
                at += 2;
            }
            Some(_) => at += 1,
            None => {
                lexer.bump(rest.len());
                return Err(LexError::OpenComment);
            }
        }
    }
    lexer.bump(at);
    Ok(())
}

impl Token<'_> {
    /// Whether this token starts a declaration. Such tokens occur nowhere else.
    pub const fn starts_declaration(self) -> bool {
        self.declares_variables()
            || matches!(
                self,
                Self::NumberProcs
                    | Self::Type
                    | Self::Init
                    | Self::Invariant
                    | Self::Unsafe
                    | Self::Predicate
                    | Self::Transition
                    | Self::Fair
                    | Self::StrongFair
                    | Self::Response
                    | Self::Recurrence
                    | Self::Possible
                    | Self::Cover
                    | Self::Never
                    | Self::Always
                    | Self::Lemma
                    | Self::Process
            )
    }

    /// Whether it starts a declaration of variables, constants or arrays.
    pub const fn declares_variables(self) -> bool {
        matches!(self, Self::Var | Self::Const | Self::Array | Self::Channel | Self::Relation | Self::Witness)
    }

    /// Whether it is a comparison of two terms.
    pub const fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::Equal | Self::Different | Self::Less | Self::LessEqual | Self::Greater | Self::GreaterEqual
        )
    }

    /// Whether it is an opening bracket.
    pub const fn opens(self) -> bool {
        matches!(
            self,
            Self::ParOpen
                | Self::SumOpen
                | Self::BracketOpen
                | Self::BraceOpen
                | Self::RecordOpen
                | Self::CountOpen
                | Self::CodeOpen
        )
    }

    /// Whether it is a closing bracket.
    pub const fn closes(self) -> bool {
        matches!(self, Self::ParClose | Self::BracketClose | Self::BraceClose)
    }

    /// How an operator between formulas or terms is written.
    pub const fn spelling(self) -> Option<&'static str> {
        Some(match self {
            Self::And => "&&",
            Self::Or => "||",
            Self::Implies => "=>",
            Self::Iff => "<=>",
            Self::Equal => "=",
            Self::Different => "<>",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::Not => "not",
            _ => return None,
        })
    }

    /// Whether a term may end here, so that a sign that follows is an operator.
    pub fn ends_term(self) -> bool {
        matches!(
            self,
            Self::Lident(_)
                | Self::Mident(_)
                | Self::Int(_)
                | Self::Real(_)
                | Self::ProcConst(_)
                | Self::AllProcs
                | Self::BracketClose
                | Self::BraceClose
        )
    }
}

/// A token or an error with its first byte and the byte after its last.
pub type Spanned<'t> = (u32, Result<Token<'t>, LexError>, u32);

/// The first byte of each outermost comment of `text`, which has no lexical errors, and the byte after its last.
pub fn comments(text: &str) -> impl Iterator<Item = (u32, u32)> {
    let comments = Token::lexer(text).spanned().filter(|(token, _)| *token == Ok(Token::Comment));
    comments.map(|(_, range)| (range.start as u32, range.end as u32))
}

/// The tokens of `text` from byte `from` on, except a byte order mark at its beginning. The sign of a number that
/// follows a term is a token of its own, so that `N-1`
/// is a difference.
pub fn tokens(text: &str, from: usize) -> impl Iterator<Item = Spanned<'_>> {
    let mut previous: Option<Token<'_>> = None;
    let mut pending = None;
    let mut lexer = Token::lexer(text);
    lexer.bump(from);
    if from == 0 && text.starts_with(BYTE_ORDER_MARK) {
        lexer.bump(BYTE_ORDER_MARK.len_utf8());
    }
    let mut lexer = lexer.spanned();
    std::iter::from_fn(move || {
        if let Some(token) = pending.take() {
            return Some(token);
        }
        let (result, range) = lexer.find(|(result, _)| *result != Ok(Token::Comment))?;
        let (start, mut end) = (range.start as u32, range.end as u32);
        let Ok(mut token) = result else { return Some((start, result, end)) };
        if let Token::LowerBound(number) = token {
            pending = Some((end - 2, Ok(Token::DotDot), end));
            (token, end) = (Token::Int(number.trim_end_matches('.')), end - 2);
            previous = Some(Token::DotDot);
            return Some((start, Ok(token), end));
        }
        let after_term = previous.is_some_and(Token::ends_term);
        previous = Some(token);
        let unsigned = match token {
            Token::Int(number) => number.strip_prefix('-').map(Token::Int),
            Token::Real(number) => number.strip_prefix('-').map(Token::Real),
            _ => None,
        };
        if let (true, Some(number)) = (after_term, unsigned) {
            pending = Some((start + 1, Ok(number), end));
            return Some((start, Ok(Token::Minus), start + 1));
        }
        Some((start, Ok(token), end))
    })
}
