//! Formulas of linear temporal logic, as the command line gives them: operators around cubes in braces, with process
//! constants.

use crate::diagnostic::{Severity, Span};
use crate::model::{Condition, Ltl, LtlProperty, System, Temporal, TemporalKind};

/// The deepest formula.
const MOST_DEPTH: usize = 100;

/// The most processes that a formula names.
const MOST_PROCESSES: usize = 8;

/// A token, with the byte where it begins.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    Cube(String),
    Operator(&'static str),
}

/// Spellings, longer ones first, and what they are.
const OPERATORS: [(&str, &str); 14] = [
    ("<->", "<=>"),
    ("<=>", "<=>"),
    ("->", "=>"),
    ("=>", "=>"),
    ("&&", "&&"),
    ("||", "||"),
    ("[]", "G"),
    ("<>", "F"),
    ("(", "("),
    (")", ")"),
    ("!", "!"),
    ("~", "!"),
    ("&", "&&"),
    ("|", "||"),
];

/// Words, and what they are.
const WORDS: [(&str, &str); 11] = [
    ("G", "G"),
    ("F", "F"),
    ("X", "X"),
    ("U", "U"),
    ("R", "R"),
    ("W", "W"),
    ("not", "!"),
    ("and", "&&"),
    ("or", "||"),
    ("true", "true"),
    ("false", "false"),
];

/// The property that a formula states of `system`, which comes from the model `text`. An atom `{ At[#1] = Want }` is read as
/// the body of an `unsafe` would be, with `#1`, `#2`, .. as the processes of the instance.
///
/// # Errors
/// What is wrong with the formula, in a line for the user.
pub fn ltl(system: &System, text: &str, formula: &str) -> Result<Temporal, String> {
    let tokens = tokens(formula)?;
    let mut parser = Parser { tokens: &tokens, at: 0, depth: 0, atoms: Vec::new(), end: formula.len() };
    let parsed = parser.equivalence()?;
    if let Some((at, _)) = tokens.get(parser.at) {
        return Err(format!("at column {}: an operator is expected", at + 1));
    }
    let params = parser.atoms.iter().flat_map(|atom| constants(atom)).max().unwrap_or(0);
    if params > MOST_PROCESSES {
        return Err(format!("it names #{params}; more than {MOST_PROCESSES} processes are too many"));
    }
    let atoms: Vec<Condition> =
        (parser.atoms.iter().map(|atom| condition(system, text, atom, params))).collect::<Result<_, _>>()?;
    Ok(Temporal {
        kind: TemporalKind::Ltl,
        name: "ltl".to_owned(),
        params: (1..=params).map(|number| format!("#{number}")).collect(),
        first: Condition(Vec::new()),
        then: Condition(Vec::new()),
        ltl: Some(LtlProperty { formula: parsed, atoms }),
        span: Span::default(),
    })
}

fn tokens(formula: &str) -> Result<Vec<(usize, Token)>, String> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = formula.get(at..).filter(|rest| !rest.is_empty()) {
        let first = rest.chars().next().unwrap_or(' ');
        if first.is_whitespace() {
            at += first.len_utf8();
        } else if first == '{' {
            let end =
                rest.find('}').ok_or_else(|| format!("at column {}: this brace is not closed", at + 1))?;
            found.push((at, Token::Cube(rest[1..end].to_owned())));
            at += end + 1;
        } else if let Some((typed, meant)) = OPERATORS.iter().find(|(typed, _)| rest.starts_with(typed)) {
            found.push((at, Token::Operator(meant)));
            at += typed.len();
        } else {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            let word = &rest[..end];
            let Some((_, meant)) = WORDS.iter().find(|(known, _)| *known == word) else {
                let shown = if word.is_empty() { first.to_string() } else { word.to_owned() };
                let help = "operators are G F X U R W ! && || => <=>, and cubes stand in braces";
                return Err(format!("at column {}: unknown word `{shown}`; {help}", at + 1));
            };
            found.push((at, Token::Operator(meant)));
            at += end;
        }
    }
    Ok(found)
}

struct Parser<'t> {
    tokens: &'t [(usize, Token)],
    at: usize,
    depth: usize,
    atoms: Vec<String>,
    end: usize,
}

impl Parser<'_> {
    fn takes(&mut self, operator: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some((_, Token::Operator(it))) if *it == operator);
        self.at += usize::from(found);
        found
    }

    /// `a <=> b`, grouped to the right as all that follows.
    fn equivalence(&mut self) -> Result<Ltl, String> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(format!("it is nested more than {MOST_DEPTH} deep"));
        }
        let a = self.implication()?;
        let whole = if self.takes("<=>") {
            let b = self.equivalence()?;
            let both = and(a.clone(), b.clone());
            or(both, and(not(a), not(b)))
        } else {
            a
        };
        self.depth -= 1;
        if whole.depth() > MOST_DEPTH {
            Err(format!("it is nested more than {MOST_DEPTH} deep"))
        } else {
            Ok(whole)
        }
    }

    fn implication(&mut self) -> Result<Ltl, String> {
        let a = self.disjunction()?;
        if !self.takes("=>") {
            return Ok(a);
        }
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(format!("it is nested more than {MOST_DEPTH} deep"));
        }
        let b = self.implication()?;
        self.depth -= 1;
        Ok(or(not(a), b))
    }

    fn disjunction(&mut self) -> Result<Ltl, String> {
        let mut whole = self.conjunction()?;
        while self.takes("||") {
            whole = or(whole, self.conjunction()?);
        }
        Ok(whole)
    }

    fn conjunction(&mut self) -> Result<Ltl, String> {
        let mut whole = self.until()?;
        while self.takes("&&") {
            whole = and(whole, self.until()?);
        }
        Ok(whole)
    }

    /// `a U b`, `a R b`, `a W b`.
    fn until(&mut self) -> Result<Ltl, String> {
        let a = self.unary()?;
        let kind = ["U", "R", "W"].into_iter().find(|it| self.takes(it));
        let Some(kind) = kind else { return Ok(a) };
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(format!("it is nested more than {MOST_DEPTH} deep"));
        }
        let b = self.until()?;
        self.depth -= 1;
        Ok(match kind {
            "U" => Ltl::Until(Box::new(a), Box::new(b)),
            "R" => Ltl::Release(Box::new(a), Box::new(b)),
            _ => Ltl::Release(Box::new(b.clone()), Box::new(or(a, b))),
        })
    }

    fn unary(&mut self) -> Result<Ltl, String> {
        let Some((at, token)) = self.tokens.get(self.at) else {
            return Err(format!("at column {}: a formula is expected", self.end + 1));
        };
        self.at += 1;
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(format!("it is nested more than {MOST_DEPTH} deep"));
        }
        let found = match token {
            Token::Cube(cube) => {
                let known = self.atoms.iter().position(|it| it == cube);
                Ltl::Atom(known.unwrap_or_else(|| {
                    self.atoms.push(cube.clone());
                    self.atoms.len() - 1
                }))
            }
            Token::Operator("true") => Ltl::Truth(true),
            Token::Operator("false") => Ltl::Truth(false),
            Token::Operator("!") => not(self.unary()?),
            Token::Operator("X") => Ltl::Next(Box::new(self.unary()?)),
            Token::Operator("F") => Ltl::Until(Box::new(Ltl::Truth(true)), Box::new(self.unary()?)),
            Token::Operator("G") => Ltl::Release(Box::new(Ltl::Truth(false)), Box::new(self.unary()?)),
            Token::Operator("(") => {
                let inner = self.equivalence()?;
                if !self.takes(")") {
                    return Err(format!("at column {}: this parenthesis is not closed", at + 1));
                }
                inner
            }
            Token::Operator(_) => return Err(format!("at column {}: a formula is expected", at + 1)),
        };
        self.depth -= 1;
        Ok(found)
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

/// The numbers of the process constants of a cube.
fn constants(cube: &str) -> impl Iterator<Item = usize> {
    cube.split('#').skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..end].parse().ok()
    })
}

/// What a cube means, for the processes `#1` to `#params`.
fn condition(system: &System, text: &str, cube: &str, params: usize) -> Result<Condition, String> {
    const PREFIX: &str = "ltl_process_";
    let wrong = |why: &str| format!("in {{{cube}}}: {why}");
    if cube.contains("(*") || cube.contains("*)") {
        return Err(wrong("a comment is not possible here"));
    }
    let names: Vec<String> = (1..=params).map(|number| format!("{PREFIX}{number}")).collect();
    let body = cube.replace('#', PREFIX);
    let declaration = format!(" cover ({}) {{ {body} }} ", names.join(" "));
    let at = system.init.span.end as usize;
    let loaded = crate::load(&format!("{}{declaration}{}", &text[..at], &text[at..])).map_err(|found| {
        let error = found.diagnostics.iter().find(|it| it.severity == Severity::Error);
        let message = error.map_or("it does not fit the model", |error| error.message.as_str());
        wrong(&message.replace(PREFIX, "#"))
    })?;
    let inserted = at..at + declaration.len();
    let found = loaded.system.temporal.into_iter().find(|it| inserted.contains(&(it.span.start as usize)));
    found.map(|it| it.first).ok_or_else(|| wrong("it is no formula about a state"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "type t = A | B array S[proc] : t var N : int init (p) { S[p] = A && N = 0 }
        unsafe (p) { S[p] = B && N = 1 } transition go (p) { S[p] := B }";

    fn parsed(formula: &str) -> Result<Temporal, String> {
        ltl(&crate::load(MODEL).unwrap().system, MODEL, formula)
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
        ] {
            assert_eq!(formula(one), formula(other), "{one}");
        }
        let both = parsed("G ({ S[#2] = A } => F { exists q. S[q] = S[#1] })").unwrap();
        assert_eq!((both.params.len(), both.ltl.unwrap().atoms.len()), (2, 2));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (text, says) in [
            ("", "column 1"),
            ("G", "column 2"),
            ("G ({N=0}", "column 3: this parenthesis"),
            ("{N=0} {N=1}", "column 7: an operator"),
            ("G {N=0", "column 3: this brace"),
            ("H {N=0}", "unknown word `H`"),
            ("G {M=0}", "{M=0}: unknown name `M`"),
            ("G {S[#1] = 0}", "{S[#1] = 0}: types"),
            ("G {S[p] = A}", "unknown process `p`"),
            ("G {S[#1] = A} unsafe", "unknown word `unsafe`"),
            ("{true } (p) { true}", "unknown word `p`"),
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
