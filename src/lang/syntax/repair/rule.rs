//! Rules for mistakes, read from `slips.txt`: where they fit, what they say, and the tokens that were meant.
//!
//! A rule begins with lines `PATTERN ;; CONDITIONS`, the places where it fits. A pattern is a sequence of tokens as
//! the model has them; `^` marks the one that does not fit. Instead of a token there may be alternatives `a/b`,
//! `!a/b` for any other token, the words of a list `@name`, or
//!
//! - `%x` a small name, `%X` a capital one, `%name` either, `%small` a type or predicate that is declared, `%type`
//!   a type, `%raised` and `%lowered` names declared with a first letter of the wrong case; `%int`, `%real`, `%num`
//!   numbers; `%cmp` a comparison, `%conn` a connective, `%quant` a quantifier; `%any` any token;
//! - `%term` a name, a cell or a number, `%place` a name or a cell; `(..)`, `[..]`, `{..}` brackets with what they
//!   hold, `(+)` if that is something; `...` as few balanced tokens as possible, `%some` without a `;`; `%stmt` the
//!   tokens to the end of the update, `%stmt;` also its `;`, `%rest` those to the end of the declaration; `%count`
//!   the opening of a count or a sum, `%names` small names with `,` and `<>`;
//! - `START`, `END`, `~` (the tokens around it touch) and `%opt` (a token or the end) for no tokens.
//!
//! `« »` are around the tokens that are replaced (if missing: the marked one), `‹ ›` around those that are shown
//! (if missing: the replaced ones), `⟨ ⟩` around the text that the mend replaces (if missing: that which is shown,
//! or nothing before a token that is inserted).
//!
//! Clauses follow in indented lines, with two blanks between them. `slip`, `foreign`, `case`, `count` and `branch`
//! are the kinds of errors, with the message and, after `#`, the name of a habit, which is reported once; `label`,
//! `help` and `mend` are its further texts, `write` is advice and mend in one, `with` gives the new tokens if they
//! are not those of the mend (`-`: none), `op` is short for an operator that is written in another way, `choose`
//! advises a `case` with this condition and two values, `lost` gives the declaration up, `silent` says nothing,
//! `do` names a function of `special.rs`. `␣` is a blank at the edge of a text.
//!
//! `$2` is the text of the second part of the pattern, `$2-4` that of three, `$i2` that between its brackets, `$0`
//! that of the replaced tokens; `$^2` and `$_2` begin with a capital or small letter, `$w2` has blanks for commas,
//! `$f2` is spelled as a formula here, `$c2` also without parentheses; in `with`, `$u2` and `$l2` are read as names
//! with such letters.

use std::collections::HashMap;
use std::ops::Range;

use super::lists::list;
use super::site::{Repair, Site, Special, small};
use super::special;
use super::spelled::token;
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::capital;
use crate::syntax::token::{Token, tokens};
use crate::syntax::unsupported::LANGUAGE;

/// A kind of mistakes.
#[derive(Default)]
pub struct Rule {
    patterns: Vec<Pattern>,
    special: Option<Special>,
    code: &'static str,
    message: &'static str,
    label: Option<&'static str>,
    help: Option<&'static str>,
    mend: Option<&'static str>,
    with: Option<&'static str>,
    habit: Option<&'static str>,
    choose: Option<&'static str>,
    lost: bool,
    silent: bool,
}

struct Pattern {
    elements: Vec<Element>,
    /// The element that does not fit the grammar.
    caret: usize,
    /// The elements that have a number.
    numbered: Vec<usize>,
    /// The elements that are replaced, shown, mended.
    marks: [Option<Range<usize>>; 3],
    conditions: Vec<Condition>,
}

/// Alternatives, or what is excluded.
struct Element {
    parts: Vec<Part>,
    negated: bool,
}

#[derive(Clone)]
enum Part {
    Token(Token<'static>),
    Class(&'static str),
    List(&'static [&'static str]),
    /// Brackets, and whether they must not be empty.
    Group(Token<'static>, bool),
    /// As few balanced tokens as possible, and whether there may be a `;`.
    Run(bool),
    /// A term, and whether it must not be a number.
    Term(bool),
    Statement(bool),
    Rest,
    /// The opening of a count or a sum.
    Count,
    /// Small names, `,` and `<>`.
    Names,
    Start,
    End,
    Touch,
    Optional,
}

/// What else must hold of the place.
type Condition = Box<dyn Fn(&Site<'_, '_>) -> bool + Send + Sync>;

/// Classes of tokens.
const CLASSES: [&str; 14] = [
    "any", "x", "X", "name", "int", "real", "num", "conn", "quant", "cmp", "small", "type", "raised",
    "lowered",
];

/// The rules of each section of the table, in the order in which they are tried; `None` if a line is wrong.
pub fn read(table: &'static str) -> Option<HashMap<&'static str, Vec<Rule>>> {
    let mut sections = HashMap::new();
    let mut section = "";
    let mut place = false;
    for line in
        table.lines().filter(|line| !line.is_empty() && !line.starts_with('#') && !line.starts_with("list "))
    {
        if let Some(name) = line.strip_prefix("section ") {
            section = name;
            continue;
        }
        let rules: &mut Vec<Rule> = sections.entry(section).or_default();
        let mut clauses = line.trim_start().split("  ");
        if !line.starts_with(' ') {
            if !place {
                rules.push(Rule::default());
            }
            rules.last_mut()?.patterns.push(pattern(clauses.next()?)?);
            place = true;
        }
        for clause in clauses {
            rules.last_mut()?.clause(clause)?;
            place = false;
        }
    }
    Some(sections)
}

fn pattern(text: &'static str) -> Option<Pattern> {
    let (text, conditions) = text.split_once(" ;; ").unwrap_or((text, ""));
    let mut caret = None;
    let (mut elements, mut numbered) = (Vec::new(), Vec::new());
    let mut marks: [Option<Range<usize>>; 3] = [None, None, None];
    for piece in text.split(' ') {
        let mut word = piece.trim_start_matches(['«', '»', '‹', '›', '⟨', '⟩']);
        let before = &piece[..piece.len() - word.len()];
        word = word.trim_end_matches(['«', '»', '‹', '›', '⟨', '⟩']);
        let after = &piece[before.len() + word.len()..];
        mark(before, elements.len(), &mut marks);
        if let Some(rest) = word.strip_prefix('^').filter(|rest| !rest.is_empty()) {
            caret = Some(elements.len());
            word = rest;
        }
        if !word.is_empty() {
            let rest = word.strip_prefix('!');
            let parts = rest.unwrap_or(word).split('/').map(part);
            let element = Element { parts: parts.collect::<Option<_>>()?, negated: rest.is_some() };
            if !matches!(element.parts[0], Part::Start | Part::Touch | Part::Optional) {
                numbered.push(elements.len());
            }
            elements.push(element);
        }
        mark(after, elements.len(), &mut marks);
    }
    let conditions = conditions.split_whitespace().map(condition).collect::<Option<_>>()?;
    Some(Pattern { elements, caret: caret?, numbered, marks, conditions })
}

fn mark(text: &str, at: usize, marks: &mut [Option<Range<usize>>; 3]) {
    for c in text.chars() {
        let (kind, opens) = match c {
            '«' => (0, true),
            '»' => (0, false),
            '‹' => (1, true),
            '›' => (1, false),
            '⟨' => (2, true),
            _ => (2, false),
        };
        let range = marks[kind].get_or_insert(at..at);
        *(if opens { &mut range.start } else { &mut range.end }) = at;
    }
}

fn part(word: &'static str) -> Option<Part> {
    Some(match word {
        "START" => Part::Start,
        "END" => Part::End,
        "~" => Part::Touch,
        "..." => Part::Run(true),
        "%some" => Part::Run(false),
        "%opt" => Part::Optional,
        "%stmt" => Part::Statement(false),
        "%stmt;" => Part::Statement(true),
        "%rest" => Part::Rest,
        "%count" => Part::Count,
        "%names" => Part::Names,
        "%term" => Part::Term(false),
        "%place" => Part::Term(true),
        "(..)" => Part::Group(Token::ParOpen, false),
        "(+)" => Part::Group(Token::ParOpen, true),
        "[..]" => Part::Group(Token::BracketOpen, false),
        "{..}" => Part::Group(Token::BraceOpen, false),
        _ => match (word.strip_prefix('%'), word.strip_prefix('@')) {
            (Some(class), _) => Part::Class(CLASSES.into_iter().find(|known| *known == class)?),
            (_, Some(name)) => Part::List(list(name)?),
            _ => Part::Token(token(word)?),
        },
    })
}

fn condition(word: &'static str) -> Option<Condition> {
    let (name, value) = word.split_once(':').unwrap_or((word, ""));
    let begins = |tokens: &[Token<'_>], site: &Site<'_, '_>| {
        site.token(0).is_some_and(|first| tokens.contains(&first))
    };
    let several = |value: &'static str| value.split('/').map(token).collect::<Option<Vec<_>>>();
    let colon =
        |site: &Site<'_, '_>| site.chunk[..site.at].iter().any(|&(_, token, _)| token == Token::Colon);
    Some(match name {
        "in" => Box::new(|site| value.split('/').any(|part| part == site.part.name())),
        "expects" => Box::new(|site| value.split('/').any(|terminal| site.expects(terminal))),
        "lacks" => Box::new(|site| !site.expects(value)),
        "first" => {
            several(value).map(|tokens| -> Condition { Box::new(move |site| begins(&tokens, site)) })?
        }
        "not-first" => {
            several(value).map(|tokens| -> Condition { Box::new(move |site| !begins(&tokens, site)) })?
        }
        // Whether the value of the update has a comparison or a connective.
        "connects" => Box::new(|site| {
            let is_assign = |&i: &usize| site.token(i) == Some(Token::Assign);
            let assign = (0..site.at).rev().find(is_assign).unwrap_or(site.at);
            site.tokens(assign..site.end_of_statement(site.at)).into_iter().any(|token| {
                token.is_comparison()
                    || matches!(token, Token::And | Token::Or | Token::Not | Token::Implies | Token::Iff)
            })
        }),
        "complete" => Box::new(|site| site.complete),
        // Whether there is one before the place.
        "colon" => Box::new(move |site| colon(site)),
        "no-colon" => Box::new(move |site| !colon(site)),
        // Between the parentheses after the head of a declaration.
        "parameters" => {
            let other = [Token::Type, Token::Var, Token::Const, Token::Array, Token::NumberProcs];
            Box::new(move |site| {
                matches!(site.open[..], [open] if site.token(open) == Some(Token::ParOpen))
                    && !begins(&other, site)
            })
        }
        _ => return None,
    })
}

impl Rule {
    /// Takes a clause in; `None` if it is wrong.
    fn clause(&mut self, clause: &'static str) -> Option<()> {
        let (word, text) = clause.split_once(' ').unwrap_or((clause, ""));
        let (message, habit) =
            text.split_once(" # ").map_or((text, None), |(text, habit)| (text, Some(habit)));
        self.habit = self.habit.or(habit);
        match word {
            "slip" => (self.code, self.message) = ("C0003", message),
            "foreign" => (self.code, self.message) = ("C0006", message),
            "case" => (self.code, self.message) = ("C0007", message),
            "branch" => (self.code, self.message, self.help) = ("C0005", message, Some(LANGUAGE)),
            "count" => (self.code, self.message) = ("C0008", message),
            "op" => {
                let what = message.split_once(' ').map(|(_, what)| what);
                (self.code, self.message) = ("C0006", "`$0` is written `$s`");
                (self.mend, self.label) = (message.split(' ').next(), what);
                self.habit = habit.or(what);
            }
            "do" => self.special = Some(special::named(text)?),
            "label" => self.label = Some(text),
            "help" => self.help = Some(text),
            "mend" => self.mend = Some(text),
            "write" => (self.mend, self.help) = (Some(text), Some("write `$s`")),
            "with" => self.with = Some(text),
            "choose" => self.choose = Some(text),
            "lost" => self.lost = true,
            "silent" => self.silent = true,
            _ => return None,
        }
        Some(())
    }

    /// The repair, if the rule fits.
    pub fn apply<'t>(&self, site: &Site<'_, 't>) -> Option<Repair<'t>> {
        let found = self.patterns.iter().find_map(|pattern| Some((pattern, pattern.find(site)?)));
        let (pattern, places) = found?;
        if let Some(special) = self.special {
            return special(site);
        }
        let range = |mark: &Range<usize>| {
            let start = places.get(mark.start).map_or(site.chunk.len(), |place| place.start);
            let last = mark.end.checked_sub(1).filter(|_| !mark.is_empty());
            start..last.map_or(start, |last| places[last].end)
        };
        let [replaced, shown, mended] = &pattern.marks;
        let replaced = replaced.as_ref().map_or_else(|| places[pattern.caret].clone(), range);
        let shown = shown.as_ref().map_or_else(|| replaced.clone(), range);
        let text = Filled { site, places: &places, numbered: &pattern.numbered, replaced: &replaced };
        let mend = self.mend.map(|mend| text.fill(mend, "").replace('␣', " "));
        let say = |part: &'static str| text.fill(part, mend.as_deref().unwrap_or(""));
        let mut error = Diagnostic::error(self.code, site.span(shown.clone()), say(self.message));
        if let Some(label) = self.label {
            error = error.label(say(label));
        }
        if let Some(help) = self.help {
            error = error.help(say(help));
        }
        if let Some(mend) = mend.clone() {
            error = error.mend_at(
                match mended.as_ref().map(range) {
                    Some(mended) => site.span(mended),
                    None if replaced.is_empty() => site.end(replaced.start),
                    None => site.span(shown),
                },
                mend,
            );
        }
        if let Some(choice) = self.choose {
            let parts: Vec<String> = choice.split(" | ").map(say).collect();
            let (target, meant) = by_case(site, &parts)?;
            let error =
                error.help(format!("write `{meant}`")).mend_at(site.span(target.start..replaced.end), meant);
            return Some(Repair::new(replaced, site.tokens(target), error));
        }
        let mut repair = if self.lost {
            Repair::new(site.at..site.at, [], error)
        } else {
            Repair::new(replaced.clone(), text.tokens(self.with.or(self.mend).unwrap_or("-"))?, error)
        };
        repair.habit = self.habit;
        repair.diagnostic = repair.diagnostic.filter(|_| !self.silent);
        Some(repair)
    }
}

impl Pattern {
    /// The tokens of each element, if it fits.
    fn find(&self, site: &Site<'_, '_>) -> Option<Vec<Range<usize>>> {
        let mut places = vec![0..0; self.elements.len()];
        // The marked token first: it rules most places out.
        let fits = self.elements[self.caret].may_begin(site, site.at)
            && self.conditions.iter().all(|holds| holds(site))
            && self.forward(site, self.caret, site.at, &mut places)
            && self.backward(site, self.caret, site.at, &mut places);
        fits.then_some(places)
    }

    fn forward(&self, site: &Site<'_, '_>, i: usize, at: usize, places: &mut [Range<usize>]) -> bool {
        self.elements.get(i).is_none_or(|element| {
            element.ends(site, at).into_iter().any(|end| {
                places[i] = at..end;
                self.forward(site, i + 1, end, places)
            })
        })
    }

    fn backward(&self, site: &Site<'_, '_>, i: usize, end: usize, places: &mut [Range<usize>]) -> bool {
        i == 0
            || self.elements[i - 1].starts(site, end).into_iter().any(|start| {
                places[i - 1] = start..end;
                self.backward(site, i - 1, start, places)
            })
    }
}

impl Element {
    /// Whether it may begin with this token, for elements of one token.
    fn may_begin(&self, site: &Site<'_, '_>, at: usize) -> bool {
        let one = |part: &Part| matches!(part, Part::Token(_) | Part::Class(_) | Part::List(_));
        !self.parts.iter().all(one) || !self.ends(site, at).is_empty()
    }

    /// Where it may end when it begins here.
    fn ends(&self, site: &Site<'_, '_>, at: usize) -> Vec<usize> {
        if self.negated {
            let other = site.token(at).is_some() && !self.parts.iter().any(|part| part.is(site, at));
            return if other { vec![at + 1] } else { Vec::new() };
        }
        if let [Part::Run(long)] = self.parts[..] {
            let next = |&end: &usize| {
                let next = site.balanced(end)?;
                (long || !site.tokens(end..next).contains(&Token::Semicolon)).then_some(next)
            };
            return std::iter::successors(Some(at), next).collect();
        }
        let end = |part: &Part| match part {
            Part::Token(_) | Part::Class(_) | Part::List(_) => part.is(site, at).then_some(at + 1),
            Part::Group(open, full) => site
                .closing(at)
                .filter(|&close| site.token(at) == Some(*open) && !(*full && close == at + 1))
                .map(|close| close + 1),
            Part::Term(place) => site.term_after(at).filter(|_| !place || site.is_name(at)),
            Part::Statement(with_end) => {
                let end = site.end_of_statement(at);
                Some(end + usize::from(*with_end && site.token(end) == Some(Token::Semicolon)))
            }
            Part::Rest => Some(site.chunk.len()),
            Part::Names => {
                let names = |token| matches!(token, Token::Lident(_) | Token::Comma | Token::Different);
                (at..=site.chunk.len()).find(|&i| !site.token(i).is_some_and(names))
            }
            Part::Start | Part::Touch | Part::End | Part::Optional => part.is(site, at).then_some(at),
            Part::Run(_) | Part::Count => None,
        };
        self.parts.iter().filter_map(end).collect()
    }

    /// Where it may begin when it ends here.
    fn starts(&self, site: &Site<'_, '_>, end: usize) -> Vec<usize> {
        let before = end.checked_sub(1);
        if self.negated {
            let other = before.filter(|&at| !self.parts.iter().any(|part| part.is(site, at)));
            return other.into_iter().collect();
        }
        if let [Part::Run(long)] = self.parts[..] {
            let next = |&start: &usize| {
                let before = site.balanced_before(start)?;
                (long || !site.tokens(before..start).contains(&Token::Semicolon)).then_some(before)
            };
            return std::iter::successors(Some(end), next).collect();
        }
        let start = |part: &Part| match part {
            Part::Token(_) | Part::Class(_) | Part::List(_) => before.filter(|&at| part.is(site, at)),
            Part::Group(open, full) => before
                .and_then(|at| site.opening(at))
                .filter(|&start| site.token(start) == Some(*open) && !(*full && start + 2 == end)),
            Part::Term(place) => site.term_before(end).filter(|&start| !place || site.is_name(start)),
            Part::Start | Part::Touch | Part::End | Part::Optional => part.is(site, end).then_some(end),
            Part::Count => before.and_then(|at| match (site.token(at)?, site.token(at.checked_sub(1)?)?) {
                (Token::CountOpen, _) => Some(at),
                (Token::BraceOpen, Token::Sum) => Some(at - 1),
                _ => None,
            }),
            Part::Statement(_) | Part::Rest | Part::Run(_) | Part::Names => None,
        };
        self.parts.iter().filter_map(start).collect()
    }
}

impl Part {
    /// Whether the token is of this kind; for parts without a token, whether they fit before it.
    fn is(&self, site: &Site<'_, '_>, at: usize) -> bool {
        match self {
            Self::Start => return at == 0,
            Self::End => return at == site.chunk.len(),
            Self::Touch => return at > 0 && site.adjacent(at - 1),
            Self::Optional => return true,
            _ => {}
        }
        let Some(token) = site.token(at) else { return false };
        match self {
            Self::Token(one) => *one == token,
            Self::List(words) => {
                matches!(token, Token::Lident(name) | Token::Mident(name) if words.contains(&name))
            }
            Self::Class(class) => match (*class, token) {
                ("any", _)
                | ("x" | "name", Token::Lident(_))
                | ("X" | "name", Token::Mident(_))
                | ("int" | "num", Token::Int(_))
                | ("real" | "num", Token::Real(_))
                | ("conn", Token::And | Token::Or | Token::Implies | Token::Iff)
                | ("quant", Token::Forall | Token::Exists | Token::ForallOther | Token::ExistsOther) => true,
                ("cmp", token) => token.is_comparison(),
                ("raised", Token::Mident(name)) => site.known.raised.contains(&name),
                ("lowered", Token::Lident(name)) => site.known.lowered.contains(&name),
                ("small", Token::Lident(name)) => site.known.smalls.contains(&name),
                ("type", Token::Lident(name)) => {
                    ["bool", "int", "real", "proc"].contains(&name) || site.known.smalls.contains(&name)
                }
                _ => false,
            },
            _ => false,
        }
    }
}

/// The target of an update, and the update with a `case`: a condition, the value if it holds, and the other one.
fn by_case(site: &Site<'_, '_>, parts: &[String]) -> Option<(Range<usize>, String)> {
    let [condition, yes, no] = parts else { return None };
    let assign = (0..site.at).rev().find(|&i| site.token(i) == Some(Token::Assign))?;
    let start = site.term_before(assign)?;
    let text = if site.token(assign - 1) == Some(Token::BracketClose) {
        let (name, index) = (site.source(start..start + 1), site.source(start + 2..assign - 1));
        format!("{name}[c] := case | c = {index} && {condition} : {yes} | c = {index} : {no} | _ : {name}[c]")
    } else {
        format!("{} := case | {condition} : {yes} | _ : {no}", site.source(start..assign))
    };
    Some((start..assign, text))
}

/// What stands for the references in the texts of a rule.
struct Filled<'s, 'a, 't> {
    site: &'s Site<'a, 't>,
    places: &'s [Range<usize>],
    numbered: &'s [usize],
    replaced: &'s Range<usize>,
}

impl<'t> Filled<'_, '_, 't> {
    /// The tokens of `2`, `2-4`, `i2` or `0`, and the length of this text.
    fn range(&self, text: &str) -> Option<(Range<usize>, usize)> {
        let inner = text.starts_with('i');
        let number = |text: &str| {
            let length = text.bytes().take_while(u8::is_ascii_digit).count();
            Some((text[..length].parse::<usize>().ok()?, length))
        };
        let (first, mut length) = number(&text[usize::from(inner)..])?;
        let place = |n: usize| match n.checked_sub(1) {
            Some(n) => self.numbered.get(n).map(|&i| self.places[i].clone()),
            None => Some(self.replaced.clone()),
        };
        let mut range = place(first)?;
        if let Some(rest) = text[length..].strip_prefix('-')
            && let Some((last, more)) = number(rest)
        {
            range.end = place(last)?.end;
            length += 1 + more;
        }
        if inner {
            (range, length) = (range.start + 1..range.end.saturating_sub(1), length + 1);
        }
        Some((range, length))
    }

    fn fill(&self, text: &str, spelling: &str) -> String {
        let mut pieces = text.split('$');
        let mut out = pieces.next().unwrap_or("").to_owned();
        for piece in pieces {
            if let Some(rest) = piece.strip_prefix('s') {
                out += spelling;
                out += rest;
                continue;
            }
            let changed = usize::from(piece.starts_with(['^', '_', 'c', 'f', 'w']));
            let reference = &piece[changed..];
            let Some((range, length)) = self.range(reference) else { continue };
            let source = self.site.source(range.clone());
            out += &match &piece[..changed] {
                "^" => capital(source),
                "_" => small(source),
                // Without parentheses around it.
                "c" if self.site.token(range.start) == Some(Token::ParOpen)
                    && self.site.closing(range.start) == range.end.checked_sub(1) =>
                {
                    self.site.formula(range.start + 1..range.end - 1)
                }
                "c" | "f" => self.site.formula(range),
                "w" => {
                    let words = range.filter(|&i| self.site.token(i) != Some(Token::Comma));
                    words.map(|i| self.site.source(i..i + 1)).collect::<Vec<_>>().join(" ")
                }
                _ => source.to_owned(),
            };
            out += &reference[length..];
        }
        out
    }

    fn tokens(&self, text: &'static str) -> Option<Vec<Token<'t>>> {
        let text = text.trim_start_matches('␣');
        if text == "-" {
            return Some(Vec::new());
        }
        let mut all = Vec::new();
        for (n, piece) in text.split('$').enumerate() {
            let mut literal = piece;
            if n > 0 {
                let case = piece.starts_with(['u', 'l', 'w']);
                let (range, length) = self.range(&piece[usize::from(case)..])?;
                let found = self.site.tokens(range).into_iter();
                let found = found.filter(|token| !piece.starts_with('w') || *token != Token::Comma);
                all.extend(found.map(|token| match (token, &piece[..1]) {
                    (Token::Lident(name) | Token::Mident(name), "u") => Token::Mident(name),
                    (Token::Lident(name) | Token::Mident(name), "l") => Token::Lident(name),
                    (token, _) => token,
                }));
                literal = &piece[length + usize::from(case)..];
            }
            for (_, token, _) in tokens(literal, 0) {
                all.push(match token.ok()? {
                    Token::Lident("send") => Token::Send,
                    Token::Lident("receive") => Token::Receive,
                    token => token,
                });
            }
        }
        Some(all)
    }
}
