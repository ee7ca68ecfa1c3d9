//! Formulas of linear temporal logic, as the command line gives them: operators around conditions in braces, with
//! processes by their numbers, and around atoms about steps.

use std::ops::Range;

use super::formula::{FormulaReader, FormulaScope, numbered};
use super::model::ModelSource;
use crate::diagnostic::{Checked, Diagnostic, Span};
use crate::model::{
    Atom, Case, Cell, Condition, Literal, Ltl, LtlProperty, ProcRef, StepOf, System, Temporal, TemporalKind,
    VarId,
};
use crate::syntax;

const MOST_DEPTH: usize = 100;

/// The most processes that a formula names.
const MOST_PROCESSES: usize = 8;

/// A token; the bytes of the formula where it stands are beside it.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    /// The formula in braces at these bytes.
    Cube(Range<usize>),
    Operator(&'static str),
    /// `enabled(enter, #1)`: the word, and the bytes of its arguments.
    Call(&'static str, Range<usize>),
}

/// Tokens with the bytes where they stand.
type Placed = (Range<usize>, Token);

/// Operators with their spellings, longer ones first.
const OPERATORS: [(&str, &str); 9] = [
    ("<=>", "<=> <->"),
    ("=>", "=> ->"),
    ("&&", "&& &"),
    ("||", "|| |"),
    ("!", "! ~"),
    ("G", "[]"),
    ("F", "<>"),
    ("(", "("),
    (")", ")"),
];

/// Words for operators, and the operators that are words themselves.
const SYNONYMS: [(&str, &str); 3] = [("not", "!"), ("and", "&&"), ("or", "||")];
const WORDS: [&str; 8] = ["G", "F", "X", "U", "R", "W", "true", "false"];

/// Atoms about the step that leaves a state, about the steps that are possible there, and about a process.
const CALLS: [&str; 3] = ["enabled", "taken", "Alive"];

/// The property that a formula states of a model, and the system with the counts that it mentions. An atom `{ At[#1] = Want }` is what
/// [`parse_formula`](super::parse_formula) reads, with `#1`, `#2`, .. as the processes of the instance; `alive` says of
/// each process whether it has not stopped, where processes may stop.
///
/// # Errors
/// What is wrong with the formula, with places in it.
pub fn ltl(model: ModelSource<'_>, formula: &str, alive: Option<VarId>) -> Checked<(System, Temporal)> {
    let params = numbered(formula);
    let tokens = tokens(formula)?;
    let mut parser = Parser { tokens: &tokens, at: 0, depth: 0, atoms: Vec::new(), text: formula };
    let parsed = parser.implication()?;
    if let Some((at, _)) = tokens.get(parser.at) {
        return Err(wrong(at.clone(), "an operator is expected"));
    }
    if params > MOST_PROCESSES {
        let names = |(_, number): &(Span, Option<usize>)| number.is_some_and(|it| it > MOST_PROCESSES);
        let place = syntax::process_constants(formula, 0).find(names).map_or(Span::default(), |it| it.0);
        let message = format!("it names #{params}; more than {MOST_PROCESSES} processes are too many");
        return Err(vec![Diagnostic::error("C0106", place, message)]);
    }
    let mut reader = FormulaReader::new(model);
    let mut atoms = Vec::new();
    for token in &parser.atoms {
        atoms.push(match token {
            Token::Cube(range) => {
                Atom::Holds(reader.read(formula, range.clone(), FormulaScope::Numbered(params))?)
            }
            Token::Call("Alive", range) => Atom::Holds(lives(formula, range.clone(), alive)?),
            Token::Call(word, range) => {
                let of = step_of(model.system, &reader, formula, range.clone())?;
                if *word == "taken" { Atom::Taken(of) } else { Atom::Enabled(of) }
            }
            Token::Operator(_) => unreachable!("operators are not atoms"),
        });
    }
    let property = Temporal {
        kind: TemporalKind::Ltl,
        name: "ltl".to_owned(),
        params: (1..=params).map(|number| format!("#{number}")).collect(),
        first: Condition(Vec::new()),
        then: Condition(Vec::new()),
        ltl: Some(LtlProperty { formula: parsed, atoms }),
        span: Span::default(),
    };
    Ok((reader.into_system(), property))
}

fn wrong(at: Range<usize>, what: impl Into<String>) -> Vec<Diagnostic> {
    vec![Diagnostic::error("C0003", Span::new(at.start as u32, at.end as u32), what)]
}

fn tokens(formula: &str) -> Checked<Vec<Placed>> {
    let operator = |rest: &str| {
        let begins = |spellings: &'static str| spellings.split(' ').find(|it| rest.starts_with(it));
        OPERATORS.iter().find_map(|(meant, spellings)| Some((begins(spellings)?, *meant)))
    };
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = formula.get(at..).filter(|rest| !rest.is_empty()) {
        let first = rest.chars().next().unwrap_or(' ');
        if first.is_whitespace() {
            at += first.len_utf8();
        } else if first == '{' {
            let end = syntax::closing_brace(formula, at + 1);
            let end = end.ok_or_else(|| wrong(at..at + 1, "this brace is not closed"))?;
            found.push((at..end + 1, Token::Cube(at + 1..end)));
            at = end + 1;
        } else if let Some((typed, meant)) = operator(rest) {
            found.push((at..at + typed.len(), Token::Operator(meant)));
            at += typed.len();
        } else {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            let word = &rest[..end];
            if let Some(call) = CALLS.into_iter().find(|it| *it == word) {
                let (all, args) = arguments(formula, at, at + end)?;
                at = all.end;
                found.push((all, Token::Call(call, args)));
                continue;
            }
            let synonym = SYNONYMS.iter().find(|(known, _)| *known == word).map(|it| it.1);
            let Some(meant) = synonym.or_else(|| WORDS.into_iter().find(|it| *it == word)) else {
                let shown = if word.is_empty() { first.to_string() } else { word.to_owned() };
                let help = "operators are G F X U R W ! && || => <=>, conditions stand in braces, and \
                            `enabled(t)`, `taken(t)`, `Alive(#1)` stand by themselves";
                let mut errors = wrong(at..at + shown.len(), format!("unknown word `{shown}`"));
                errors[0].help = Some(help.to_owned());
                return Err(errors);
            };
            found.push((at..at + end, Token::Operator(meant)));
            at += end;
        }
    }
    Ok(found)
}

/// The bytes of a call whose word stands at `start` to `end`, and of what is in its parentheses.
fn arguments(formula: &str, start: usize, end: usize) -> Checked<(Range<usize>, Range<usize>)> {
    let form = || wrong(start..end, "its arguments in parentheses are missing: `taken(enter, #1)`");
    let open = end + formula[end..].find(|c: char| !c.is_whitespace()).ok_or_else(form)?;
    if !formula[open..].starts_with('(') {
        return Err(form());
    }
    let close = formula[open..].find(')').ok_or_else(form)? + open;
    Ok((start..close + 1, open + 1..close))
}

/// Words between commas, with their places.
fn words(formula: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut at = range.start;
    let mut found = Vec::new();
    for part in formula[range].split(',') {
        let start = at + (part.len() - part.trim_start().len());
        found.push(start..start + part.trim().len());
        at += part.len() + 1;
    }
    found
}

/// The process that a word names, from 0.
fn process(formula: &str, at: Range<usize>) -> Checked<u8> {
    let number = formula[at.clone()].strip_prefix('#').and_then(|it| it.parse::<u8>().ok());
    number
        .filter(|it| *it > 0)
        .map(|it| it - 1)
        .ok_or_else(|| wrong(at, "a process is expected, such as `#1`"))
}

/// `Alive(#1)`.
fn lives(formula: &str, args: Range<usize>, alive: Option<VarId>) -> Checked<Condition> {
    let p = process(formula, words(formula, args.clone()).swap_remove(0))?;
    if words(formula, args.clone()).len() > 1 {
        return Err(wrong(args, "`Alive` takes one process"));
    }
    let Some(var) = alive else {
        let message = "`Alive` is known only where processes may stop";
        let error = Diagnostic::error("C0104", Span::new(args.start as u32, args.end as u32), message);
        return Err(vec![error.help("add `--crash stop`")]);
    };
    let cell = Cell { var, index: std::iter::once(ProcRef::Var(p)).collect() };
    Ok(Condition(vec![Case::of(vec![Literal::In { cell, values: 0b10 }])]))
}

/// `enter, #1` in `enabled(enter, #1)`, or `enter` with any processes.
fn step_of(system: &System, reader: &FormulaReader, formula: &str, args: Range<usize>) -> Checked<StepOf> {
    let mut words = words(formula, args).into_iter();
    let at = words.next().unwrap_or(0..0);
    let name = &formula[at.clone()];
    let processes = words.map(|at| process(formula, at)).collect::<Result<Vec<u8>, _>>()?;
    let declared = reader.file.transitions().map(|it| (it.name.text.as_str(), it.params.len()));
    // Beside the declared transitions, there may be steps by which processes fail.
    let made = system.transitions.iter().map(|it| (it.name.as_str(), it.params.len()));
    let known: Vec<(&str, usize)> = declared.chain(made).collect();
    let of_name: Vec<usize> = known.iter().filter(|it| it.0 == name).map(|it| it.1).collect();
    let Some(&params) = of_name.first() else {
        let span = Span::new(at.start as u32, at.end as u32);
        let error = Diagnostic::error("C0112", span, format!("unknown transition `{name}`"));
        let names = known.iter().map(|it| it.0);
        return Err(vec![
            error.did_you_mean_one_of(name, names, |it| it.label("no `transition` declares it")),
        ]);
    };
    let twice = (1..processes.len()).any(|i| processes[..i].contains(&processes[i]));
    if twice || !processes.is_empty() && !of_name.contains(&processes.len()) {
        let form = format!("`{name}` takes {params} different processes; without any it means all");
        return Err(wrong(at, form));
    }
    let fits = |it: &&crate::model::Transition| {
        it.name == name && (processes.is_empty() || it.params.len() == processes.len())
    };
    let mut origins: Vec<u16> = system.transitions.iter().filter(fits).map(|it| it.origin).collect();
    origins.dedup();
    Ok(StepOf { origins, args: (!processes.is_empty()).then_some(processes) })
}

struct Parser<'t> {
    tokens: &'t [Placed],
    at: usize,
    depth: usize,
    atoms: Vec<Token>,
    text: &'t str,
}

impl Parser<'_> {
    fn takes(&mut self, operator: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some((_, Token::Operator(it))) if *it == operator);
        self.at += usize::from(found);
        found
    }

    fn deeper(&mut self) -> Checked<()> {
        self.depth += 1;
        if self.depth > MOST_DEPTH { Err(self.too_deep()) } else { Ok(()) }
    }

    fn too_deep(&self) -> Vec<Diagnostic> {
        let end = self.text.len();
        let at = self.tokens.get(self.at).map_or(end..end, |it| it.0.clone());
        wrong(at, format!("it is nested more than {MOST_DEPTH} deep"))
    }

    /// `a => b`, `a <=> b`: on one level, to the right, as in the language.
    fn implication(&mut self) -> Checked<Ltl> {
        self.deeper()?;
        let a = self.disjunction()?;
        let whole = if self.takes("=>") {
            or(not(a), self.implication()?)
        } else if self.takes("<=>") {
            let b = self.implication()?;
            or(and(a.clone(), b.clone()), and(not(a), not(b)))
        } else {
            a
        };
        self.depth -= 1;
        if whole.depth() > MOST_DEPTH { Err(self.too_deep()) } else { Ok(whole) }
    }

    fn disjunction(&mut self) -> Checked<Ltl> {
        let mut whole = self.conjunction()?;
        while self.takes("||") {
            whole = or(whole, self.conjunction()?);
        }
        Ok(whole)
    }

    fn conjunction(&mut self) -> Checked<Ltl> {
        let mut whole = self.until()?;
        while self.takes("&&") {
            whole = and(whole, self.until()?);
        }
        Ok(whole)
    }

    /// `a U b`, `a R b`, `a W b`.
    fn until(&mut self) -> Checked<Ltl> {
        let a = self.unary()?;
        let kind = ["U", "R", "W"].into_iter().find(|it| self.takes(it));
        let Some(kind) = kind else { return Ok(a) };
        self.deeper()?;
        let b = self.until()?;
        self.depth -= 1;
        Ok(match kind {
            "U" => Ltl::Until(Box::new(a), Box::new(b)),
            "R" => Ltl::Release(Box::new(a), Box::new(b)),
            _ => Ltl::Release(Box::new(b.clone()), Box::new(or(a, b))),
        })
    }

    fn unary(&mut self) -> Checked<Ltl> {
        let end = self.text.len();
        let Some((at, token)) = self.tokens.get(self.at) else {
            return Err(wrong(end..end, "a formula is expected"));
        };
        self.at += 1;
        self.deeper()?;
        let found = match token {
            Token::Cube(_) | Token::Call(..) => Ltl::Atom(self.atom(token)),
            Token::Operator("true") => Ltl::Truth(true),
            Token::Operator("false") => Ltl::Truth(false),
            Token::Operator("!") => not(self.unary()?),
            Token::Operator("X") => Ltl::Next(Box::new(self.unary()?)),
            Token::Operator("F") => Ltl::Until(Box::new(Ltl::Truth(true)), Box::new(self.unary()?)),
            Token::Operator("G") => Ltl::Release(Box::new(Ltl::Truth(false)), Box::new(self.unary()?)),
            Token::Operator("(") => {
                let inner = self.implication()?;
                if !self.takes(")") {
                    return Err(wrong(at.clone(), "this parenthesis is not closed"));
                }
                inner
            }
            Token::Operator(_) => return Err(wrong(at.clone(), "a formula is expected")),
        };
        self.depth -= 1;
        Ok(found)
    }

    /// The number of an atom; atoms written alike are the same.
    fn atom(&mut self, token: &Token) -> usize {
        let written = |it: &Token| match it {
            Token::Cube(range) => ("", &self.text[range.clone()]),
            Token::Call(word, range) => (*word, &self.text[range.clone()]),
            Token::Operator(word) => (*word, ""),
        };
        let known = self.atoms.iter().position(|it| written(it) == written(token));
        known.unwrap_or_else(|| {
            self.atoms.push(token.clone());
            self.atoms.len() - 1
        })
    }
}

fn not(a: Ltl) -> Ltl {
    Ltl::Not(Box::new(a))
}

fn and(a: Ltl, b: Ltl) -> Ltl {
    Ltl::And(Box::new(a), Box::new(b))
}

fn or(a: Ltl, b: Ltl) -> Ltl {
    Ltl::Or(Box::new(a), Box::new(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "type t = A | B array S[proc] : t var N : int init (p) { S[p] = A && N = 0 }
        unsafe (p) { S[p] = B && N = 1 } transition go (p) { S[p] := B }";

    fn parsed(formula: &str) -> Result<Temporal, String> {
        let found = ltl(ModelSource::new(&crate::load(MODEL).unwrap().system, MODEL), formula, None);
        found.map(|(_, property)| property).map_err(|errors| crate::load::in_a_line(formula, &errors))
    }

    fn formula(text: &str) -> Ltl {
        parsed(text).unwrap().ltl.unwrap().formula
    }

    #[test]
    fn operators_bind_as_usual() {
        for (one, other) in [
            ("{ S[#1] = A } && {N=0} || {N=1} => {N=2}", "((({ S[#1] = A }) && {N=0}) || {N=1}) -> {N=2}"),
            ("G {N=0} => F {N=1}", "([] {N=0}) => (<> {N=1})"),
            ("{N=0} U {N=1} U {N=2}", "{N=0} U ({N=1} U {N=2})"),
            ("{N=0} && {N=1} U {N=2}", "{N=0} && ({N=1} U {N=2})"),
            ("!{N=0} W {N=0}", "{N=0} R (!{N=0} || {N=0})"),
            ("not X {N=0} and true", "(!(X {N=0})) && true"),
            ("{N=0} <=> {N=1}", "({N=0} && {N=1}) || (!{N=0} && !{N=1})"),
            ("{N=0} => {N=1} => {N=2}", "{N=0} => ({N=1} => {N=2})"),
            ("{N=0} => {N=1} <=> {N=2}", "{N=0} => ({N=1} <=> {N=2})"),
            ("{N=0} <=> {N=1} => {N=2}", "{N=0} <=> ({N=1} => {N=2})"),
        ] {
            assert_eq!(formula(one), formula(other), "{one}");
        }
        let both = parsed("G ({ S[#2] = A } => F { exists q. S[q] = S[#1] })").unwrap();
        assert_eq!((both.params.len(), both.ltl.unwrap().atoms.len()), (2, 2));
    }

    #[test]
    fn a_formula_may_count() {
        let system = crate::load(MODEL).unwrap().system;
        let text = "G ({ #{p | S[p] = B} > 1 } => F { sum{p | 2} = 3 && #{q | S[q] = B && q <> #1} = 0 })";
        let (extended, property) = ltl(ModelSource::new(&system, MODEL), text, None).unwrap();
        assert_eq!((extended.vars.len(), extended.counts.len()), (2 + 3, 3));
        assert_eq!(property.ltl.unwrap().atoms.len(), 2);
    }

    #[test]
    fn errors_have_places() {
        for (text, says) in [
            ("", "column 1"),
            ("G", "column 2"),
            ("G ({N=0}", "column 3: this parenthesis"),
            ("{N=0} {N=1}", "column 7: an operator"),
            ("G {N=0", "column 3: this brace"),
            ("H {N=0}", "unknown word `H`"),
            ("G {M=0}", "column 4: unknown name `M`"),
            ("G {S[#1] = 0}", "column 4: types"),
            ("G {S[p] = A}", "unknown process `p`"),
            ("G {S[#1] = A} unsafe", "unknown word `unsafe`"),
            ("{true } (p) { true}", "unknown word `p`"),
            ("{true } cover (p) { true}", "column 9: unknown word `cover`"),
            ("G {true unsafe}", "column 9: syntax error"),
            ("G {}", "column 4: syntax error: a formula is not complete"),
            ("G taken", "arguments"),
            ("G taken(gone, #1)", "column 9: unknown transition `gone`"),
            ("G enabled(go, #1, #2)", "`go` takes 1 different processes"),
            ("G enabled(go, p)", "column 15: a process is expected"),
            ("F Alive(#1)", "only where processes may stop: add `--crash stop`"),
            ("{true } ({ true})", "an operator is expected"),
            ("G {S[#99] = A}", "#99"),
        ] {
            let error = parsed(text).unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
        assert!(parsed(&format!("{}{{N=0}}", "!".repeat(200))).unwrap_err().contains("deep"));
        assert!(parsed(&format!("{}{{N=0}}{}", "(".repeat(200), ")".repeat(200))).is_err());
        assert!(parsed(&vec!["{N=0}"; 200].join(" && ")).unwrap_err().contains("deep"));
        assert!(parsed(&vec!["{N=0}"; 2000].join(" U ")).unwrap_err().contains("deep"));
    }
}
