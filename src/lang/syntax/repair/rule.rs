//! Rules for mistakes, read from `slips.txt`: where they fit, what they say, and the tokens that were meant.
//!
//! A rule begins with lines `PATTERN ;; CONDITIONS`, the places where it fits. A pattern is a sequence of tokens as
//! the model has them; `^` marks the one that does not fit. Instead of a token there may be alternatives `a/b`,
//! `!a/b` for any other token, the words of a list `@name`, those of `@=name` in letters of any case, or
//!
//! - `%x` a small name, `%X` a capital one, `%name` either, `%small` a type or predicate that is declared, `%type`
//!   a type, `%raised` and `%lowered` names declared with a first letter of the wrong case; `%low` a small name of
//!   something that is declared with capital letters, `%Low` the reverse, `%Predicate` only if no array has it; `%word`
//!   a keyword; `%int`, `%real`, `%num` numbers; `%cmp` a comparison, `%conn` a connective, `%quant` a quantifier;
//!   `%any` any token;
//! - `%term` a name, a cell or a number, `%place` a name or a cell; `(..)`, `[..]`, `{..}` brackets with what they
//!   hold, `(+)` if that is something, `%set` brackets with names and numbers; `...` as few balanced tokens as possible,
//!   `...!a/b` without these, `%some` without a `;`; `%stmt` the tokens to the end of the update, `%end` its `;`, if there
//!   is one, `%rest` those to the end of the declaration; `%count` the opening of a count or a sum, `%names` small names
//!   with `,` and `<>`; `%=2` the same as the second part;
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
//! `$k2` is the name that is declared in other letters, `$+2` a number without its sign, `$<2` and `$>2` its digits before
//! and after the point, `$f2` is spelled as a formula here, `$c2` also without parentheses; in `with`, `$u2` and `$l2` are
//! read as names with such letters. `${2; || ;A = $it}` is a text for each name and number there, with ` || ` between.

use std::collections::HashMap;
use std::ops::Range;

use super::lists::{list, token};
use super::site::{Repair, Site, Special, small};
use super::special;
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
    /// The words of a list, and whether the case of their letters matters.
    List(&'static [&'static str], bool),
    /// Brackets, and whether they must not be empty.
    Group(Token<'static>, bool),
    /// As few balanced tokens as possible, without these.
    Run(Vec<Token<'static>>),
    /// Brackets with names and numbers, and what separates these.
    Set,
    /// The same as another part.
    Same(usize),
    /// A term, and whether it must not be a number.
    Term(bool),
    Statement,
    /// The `;` of a statement, or nothing.
    Semicolon,
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

const CLASSES: &str =
    "any x X name int real num conn quant cmp small type raised lowered low Low Predicate word";

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
            let (rest, run) = (word.strip_prefix('!'), word.strip_prefix("...!"));
            let parts: Option<Vec<Part>> = match run {
                Some(without) => {
                    without.split('/').map(token).collect::<Option<_>>().map(|it| vec![Part::Run(it)])
                }
                None => rest.unwrap_or(word).split('/').map(part).collect(),
            };
            let element = Element { parts: parts?, negated: rest.is_some() };
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
        "..." => Part::Run(Vec::new()),
        "%some" => Part::Run(vec![Token::Semicolon]),
        "%set" => Part::Set,
        "%opt" => Part::Optional,
        "%stmt" => Part::Statement,
        "%end" => Part::Semicolon,
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
            (Some(class), _) => match class.strip_prefix('=') {
                Some(number) => Part::Same(number.parse().ok()?),
                None => Part::Class(CLASSES.split(' ').find(|known| *known == class)?),
            },
            (_, Some(name)) => Part::List(list(name)?, !name.starts_with('=')),
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
        let text = Filled { site, places: &places, numbered: &pattern.numbered, replaced: &replaced, it: 0 };
        let mend =
            self.mend.map(|mend| text.fill(mend, "")).map(|it| it.unwrap_or_default().replace('␣', " "));
        let say = |part: &'static str| text.fill(part, mend.as_deref().unwrap_or("")).unwrap_or_default();
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
        let mut repair = match self.with {
            None if self.lost => Repair::new(site.at..site.at, [], error),
            with => Repair::new(replaced.clone(), text.tokens(with.or(self.mend).unwrap_or("-"))?, error),
        };
        repair.lost = self.lost;
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
            let ends = match element.parts[..] {
                [Part::Same(number)] => {
                    let known = site.tokens(places[self.numbered[number - 1]].clone());
                    let end = at + known.len();
                    if site.tokens(at..end) == known { vec![end] } else { Vec::new() }
                }
                _ => element.ends(site, at),
            };
            ends.into_iter().any(|end| {
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
        let one = |part: &Part| matches!(part, Part::Token(_) | Part::Class(_) | Part::List(..));
        !self.parts.iter().all(one) || !self.ends(site, at).is_empty()
    }

    /// Where it may end when it begins here.
    fn ends(&self, site: &Site<'_, '_>, at: usize) -> Vec<usize> {
        if self.negated {
            let other = site.token(at).is_some() && !self.parts.iter().any(|part| part.is(site, at));
            return if other { vec![at + 1] } else { Vec::new() };
        }
        if let [Part::Run(without)] = &self.parts[..] {
            let next = |&end: &usize| {
                let next = site.balanced(end)?;
                (!site.tokens(end..next).iter().any(|it| without.contains(it))).then_some(next)
            };
            return std::iter::successors(Some(at), next).collect();
        }
        let end = |part: &Part| match part {
            Part::Token(_) | Part::Class(_) | Part::List(..) => part.is(site, at).then_some(at + 1),
            Part::Group(open, full) => site
                .closing(at)
                .filter(|&close| site.token(at) == Some(*open) && !(*full && close == at + 1))
                .map(|close| close + 1),
            Part::Term(place) => site.term_after(at).filter(|_| !place || site.is_name(at)),
            Part::Set => site.set_after(at),
            Part::Statement => Some(site.end_of_statement(at)),
            Part::Semicolon => Some(at + usize::from(site.token(at) == Some(Token::Semicolon))),
            Part::Rest => Some(site.chunk.len()),
            Part::Names => {
                let names = |token| matches!(token, Token::Lident(_) | Token::Comma | Token::Different);
                (at..=site.chunk.len()).find(|&i| !site.token(i).is_some_and(names))
            }
            Part::Start | Part::Touch | Part::End | Part::Optional => part.is(site, at).then_some(at),
            Part::Run(_) | Part::Count | Part::Same(_) => None,
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
        if let [Part::Run(without)] = &self.parts[..] {
            let next = |&start: &usize| {
                let before = site.balanced_before(start)?;
                (!site.tokens(before..start).iter().any(|it| without.contains(it))).then_some(before)
            };
            return std::iter::successors(Some(end), next).collect();
        }
        let start = |part: &Part| match part {
            Part::Token(_) | Part::Class(_) | Part::List(..) => before.filter(|&at| part.is(site, at)),
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
            Part::Statement
            | Part::Semicolon
            | Part::Rest
            | Part::Run(_)
            | Part::Names
            | Part::Set
            | Part::Same(_) => None,
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
            Self::List(words, cased) => {
                let (Token::Lident(name) | Token::Mident(name)) = token else { return false };
                words.iter().any(|it| if *cased { *it == name } else { it.eq_ignore_ascii_case(name) })
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
                    PREDECLARED.contains(&name) || site.known.smalls.contains(&name)
                }
                ("low", Token::Lident(_)) | ("Low", Token::Mident(_)) => declared(site, token).is_some(),
                ("Predicate", Token::Mident(name)) => {
                    let is_meant = |it: &&str| it.eq_ignore_ascii_case(name);
                    site.known.smalls.iter().any(is_meant) && !site.known.arrays.contains(&name)
                }
                ("word", token) if !matches!(token, Token::Lident(_)) => {
                    site.source(at..at + 1).starts_with(|c: char| c.is_ascii_lowercase())
                }
                _ => false,
            },
            _ => false,
        }
    }
}

/// The types that no model declares.
const PREDECLARED: [&str; 4] = ["bool", "int", "real", "proc"];

/// The name that is declared with other letters than this one has.
fn declared<'t>(site: &Site<'_, 't>, name: Token<'t>) -> Option<Token<'t>> {
    let among =
        |known: &[&'t str], name: &str| known.iter().copied().find(|it| it.eq_ignore_ascii_case(name));
    match name {
        Token::Lident(name) => among(&site.known.capitals, name).map(Token::Mident),
        Token::Mident(name) => {
            among(&PREDECLARED, name).or_else(|| among(&site.known.smalls, name)).map(Token::Lident)
        }
        _ => None,
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
#[derive(Clone, Copy)]
struct Filled<'s, 'a, 't> {
    site: &'s Site<'a, 't>,
    places: &'s [Range<usize>],
    numbered: &'s [usize],
    replaced: &'s Range<usize>,
    /// The token that a text for each of several is about.
    it: usize,
}

enum Piece<'r> {
    Text(&'r str),
    /// These tokens, changed in this way.
    Tokens(Range<usize>, char),
}

impl<'t> Filled<'_, '_, 't> {
    /// The tokens of `2`, `2-4`, `i2`, `0` or `it`, and the length of this text.
    fn range(&self, text: &str) -> Option<(Range<usize>, usize)> {
        if text.starts_with("it") {
            return Some((self.it..self.it + 1, 2));
        }
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

    /// Calls `see` with the pieces of a text; `None` if it is wrong.
    fn pieces<'r>(&self, text: &'r str, see: &mut dyn FnMut(Piece<'r>)) -> Option<()> {
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            see(Piece::Text(before));
            if let Some((each, after)) = after.strip_prefix('{').and_then(|it| it.split_once('}')) {
                let (reference, each) = each.split_once(';')?;
                let (between, each) = each.split_once(';')?;
                let is_named =
                    |&i: &usize| self.site.is_name(i) || matches!(self.site.token(i), Some(Token::Int(_)));
                for (number, it) in self.range(reference)?.0.filter(is_named).enumerate() {
                    see(Piece::Text(if number == 0 { "" } else { between }));
                    Self { it, ..*self }.pieces(each, see)?;
                }
                rest = after;
                continue;
            }
            let change = after.chars().next().filter(|it| "^_cfwkul+<>".contains(*it));
            let after = &after[usize::from(change.is_some())..];
            let (range, length) = self.range(after)?;
            see(Piece::Tokens(range, change.unwrap_or(' ')));
            rest = &after[length..];
        }
        see(Piece::Text(rest));
        Some(())
    }

    /// A text; `$s` is the spelling.
    fn fill(&self, text: &str, spelling: &str) -> Option<String> {
        let mut out = String::new();
        for (number, part) in text.split("$s").enumerate() {
            out += if number == 0 { "" } else { spelling };
            self.pieces(part, &mut |piece| match piece {
                Piece::Text(text) => out += text,
                Piece::Tokens(range, change) => out += &self.text(range, change),
            })?;
        }
        Some(out)
    }

    fn text(&self, range: Range<usize>, change: char) -> String {
        let source = self.site.source(range.clone());
        let in_parentheses = self.site.token(range.start) == Some(Token::ParOpen)
            && self.site.closing(range.start) == range.end.checked_sub(1);
        match change {
            '^' => capital(source),
            '_' => small(source),
            // Without parentheses around it.
            'c' if in_parentheses => self.site.formula(range.start + 1..range.end - 1),
            'c' | 'f' => self.site.formula(range),
            'w' => {
                let words = range.filter(|&i| self.site.token(i) != Some(Token::Comma));
                words.map(|i| self.site.source(i..i + 1)).collect::<Vec<_>>().join(" ")
            }
            _ => match self.changed(range.start, change) {
                Some(Token::Int(text) | Token::Lident(text) | Token::Mident(text)) if change != ' ' => {
                    text.to_owned()
                }
                _ => source.to_owned(),
            },
        }
    }

    /// A token as a change reads it.
    fn changed(&self, at: usize, change: char) -> Option<Token<'t>> {
        let token = self.site.token(at)?;
        let digits = |text: &'t str| Some(Token::Int(text)).filter(|_| !text.is_empty());
        match (token, change) {
            (Token::Lident(name) | Token::Mident(name), 'u') => Some(Token::Mident(name)),
            (Token::Lident(name) | Token::Mident(name), 'l') => Some(Token::Lident(name)),
            (_, 'l') => Some(Token::Lident(self.site.source(at..at + 1))),
            (name, 'k') => declared(self.site, name),
            (Token::Int(text), '+') => digits(text.strip_prefix('-')?),
            (Token::Real(text), '<') => digits(text.split_once('.')?.0),
            (Token::Real(text), '>') => digits(text.split_once('.')?.1),
            (token, _) => Some(token),
        }
    }

    fn tokens(&self, text: &'static str) -> Option<Vec<Token<'t>>> {
        let text = text.trim_start_matches('␣');
        let mut all: Vec<Option<Token<'t>>> = Vec::new();
        if text == "-" {
            return Some(Vec::new());
        }
        self.pieces(text, &mut |piece| match piece {
            Piece::Text(text) => all.extend(tokens(text, 0).map(|(_, token, _)| match token.ok()? {
                Token::Lident("send") => Some(Token::Send),
                Token::Lident("receive") => Some(Token::Receive),
                token => Some(token),
            })),
            Piece::Tokens(range, 'w') => {
                let words = range.filter(|&i| self.site.token(i) != Some(Token::Comma));
                all.extend(words.map(|i| self.site.token(i)));
            }
            Piece::Tokens(range, change) => all.extend(range.map(|i| self.changed(i, change))),
        })?;
        all.into_iter().collect()
    }
}
