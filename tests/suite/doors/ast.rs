//! Models as the campaign generates them, and their text: independent of the product.
//!
//! Processes are named by their depth: parameters come first, then processes bound by quantifiers.

use std::fmt::{self, Display, Write};

/// A constructor, a truth value, a number, or a process (numbers after the last one are not processes). Wide enough for sums that fall until the states are too many.
pub type Value = i16;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The enumeration with this number.
    Enum(usize),
    Bool,
    Int,
    Proc,
    /// A process, or `nil`; without an initial value whatever `proc` may hold as well.
    Pointer,
}

/// The value of `nil`.
pub const NIL: Value = -1;

impl Kind {
    pub const fn is_process(self) -> bool {
        matches!(self, Self::Proc | Self::Pointer)
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Var {
    pub kind: Kind,
    pub arity: usize,
    pub constant: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Index {
    /// The process bound at this depth.
    Bound(usize),
    /// The process that a global holds.
    Global(usize),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Term {
    Cell(usize, Vec<Index>),
    Const(Kind, Value),
    Bound(usize),
    /// A cell and a number.
    Sum(usize, Vec<Index>, Value),
    /// Multiples of counts, and a number.
    Counts(Vec<(Value, Count)>, Value),
}

/// The processes that satisfy a formula, which binds one more process, or what a term of them adds up to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Count {
    pub body: Formula,
    pub summand: Option<Box<Term>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    Eq,
    Ne,
    Le,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    Compare(Op, Term, Term),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Not(Box<Formula>),
    Quantified(Quantifier, Box<Formula>),
}

/// `forall`, `exists`, each with and without `_other`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Quantifier {
    pub universal: bool,
    pub other: bool,
}

/// Parameters and their condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    pub params: usize,
    pub body: Formula,
}

/// `init`, as alternatives of literals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Init {
    pub params: usize,
    pub ways: Vec<Vec<Formula>>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    Global,
    /// The cell at these parameters.
    One(Vec<usize>),
    /// All cells, whose indices are bound after the parameters.
    All,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Assigned {
    Term(Term),
    Any,
    Case(Vec<(Formula, Term)>, Option<Term>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Update {
    pub var: usize,
    pub target: Target,
    pub value: Assigned,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transition {
    pub name: String,
    pub params: usize,
    pub guard: Formula,
    pub updates: Vec<Update>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fair {
    pub strong: bool,
    pub any: bool,
    pub name: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunKind {
    Response,
    Recurrence,
    Possible,
    Cover,
}

/// A property of runs; only a response has `then`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    pub name: String,
    pub kind: RunKind,
    pub params: usize,
    pub when: Formula,
    pub then: Formula,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Model {
    pub number_procs: Option<usize>,
    /// For each enumeration the number of its constructors.
    pub enums: Vec<usize>,
    pub vars: Vec<Var>,
    pub init: Init,
    pub invariants: Vec<Claim>,
    pub unsafes: Vec<Claim>,
    pub transitions: Vec<Transition>,
    pub fairness: Vec<Fair>,
    pub runs: Vec<Run>,
}

pub const TRUE: Formula = Formula::And(Vec::new());

impl Model {
    /// Whether some transition assigns a variable.
    pub fn assigns(&self, var: usize) -> bool {
        self.transitions.iter().flat_map(|t| &t.updates).any(|update| update.var == var)
    }

    pub fn has(&self, kind: Kind) -> bool {
        self.vars.iter().any(|var| var.kind == kind)
    }

    /// Whether `init` gives each number a value: brute force tries few values.
    pub fn numbers_are_given(&self) -> bool {
        let pinned = |var: usize, way: &Vec<Formula>| {
            let pins = |l: &Formula| matches!(l, Formula::Compare(Op::Eq, Term::Cell(v, _), Term::Const(..)) if *v == var);
            way.iter().any(pins)
        };
        let numbers = (0..self.vars.len()).filter(|&var| self.vars[var].kind == Kind::Int);
        numbers.into_iter().all(|var| self.init.ways.iter().all(|way| pinned(var, way)))
    }

    pub fn var_name(&self, var: usize) -> String {
        format!("{}{var}", ["G", "S", "M"][self.vars[var].arity])
    }

    fn kind_name(kind: Kind) -> String {
        match kind {
            Kind::Enum(number) => format!("t{number}"),
            Kind::Bool => "bool".to_owned(),
            Kind::Int => "int".to_owned(),
            Kind::Proc => "proc".to_owned(),
            Kind::Pointer => "proc or nil".to_owned(),
        }
    }

    /// A term below `depth` bound processes.
    pub fn term(&self, term: &Term, depth: usize) -> String {
        match term {
            Term::Cell(var, index) if index.is_empty() => self.var_name(*var),
            Term::Cell(var, index) => {
                let index = index.iter().map(|index| match index {
                    Index::Bound(depth) => bound(*depth),
                    Index::Global(var) => self.var_name(*var),
                });
                format!("{}[{}]", self.var_name(*var), index.collect::<Vec<_>>().join(", "))
            }
            Term::Const(Kind::Enum(number), value) => format!("{}{value}", constructor(*number)),
            Term::Const(Kind::Bool, value) => ["False", "True"][usize::from(*value == 1)].to_owned(),
            Term::Const(Kind::Pointer, _) => "nil".to_owned(),
            Term::Const(_, value) => value.to_string(),
            Term::Bound(depth) => bound(*depth),
            Term::Sum(var, index, number) => {
                let cell = self.term(&Term::Cell(*var, index.clone()), depth);
                if *number < 0 { format!("{cell} - {}", -number) } else { format!("{cell} + {number}") }
            }
            Term::Counts(terms, number) => {
                let one = |(factor, count): &(Value, Count)| match factor {
                    1 => self.count(count, depth),
                    factor => format!("{factor} * {}", self.count(count, depth)),
                };
                let mut text = terms.iter().map(one).collect::<Vec<_>>().join(" + ");
                if *number != 0 {
                    let _ = write!(text, " {} {}", ["+", "-"][usize::from(*number < 0)], number.abs());
                }
                text
            }
        }
    }

    fn count(&self, count: &Count, depth: usize) -> String {
        let process = bound(depth);
        let body = self.formula(&count.body, depth + 1);
        match &count.summand {
            None if count.body == TRUE => "#proc".to_owned(),
            None => format!("#{{{process} | {body}}}"),
            Some(term) if count.body == TRUE => format!("sum{{{process} | {}}}", self.term(term, depth + 1)),
            Some(term) => format!("sum{{{process} | {} if {body}}}", self.term(term, depth + 1)),
        }
    }

    /// A formula below `depth` bound processes.
    pub fn formula(&self, formula: &Formula, depth: usize) -> String {
        let join = |parts: &[Formula], op: &str, empty: &str| match parts {
            [] => empty.to_owned(),
            [one] => self.formula(one, depth),
            many => {
                let parts: Vec<String> = many.iter().map(|part| self.formula(part, depth)).collect();
                format!("({})", parts.join(op))
            }
        };
        match formula {
            Formula::Compare(op, left, right) => {
                let op = match op {
                    Op::Eq => "=",
                    Op::Ne => "<>",
                    Op::Le => "<=",
                };
                format!("{} {op} {}", self.term(left, depth), self.term(right, depth))
            }
            Formula::And(parts) => join(parts, " && ", "true"),
            Formula::Or(parts) => join(parts, " || ", "false"),
            Formula::Not(body) => format!("not ({})", self.formula(body, depth)),
            Formula::Quantified(quantifier, body) => {
                let word = if quantifier.universal { "forall" } else { "exists" };
                let other = if quantifier.other { "_other" } else { "" };
                format!("({word}{other} {}. {})", bound(depth), self.formula(body, depth + 1))
            }
        }
    }

    /// A formula about `#1`, `#2` and so on in place of its parameters.
    pub fn about_constants(&self, formula: &Formula, params: usize) -> String {
        let text = self.formula(formula, params);
        let names: Vec<String> = (0..params).map(bound).collect();
        let word = |word: &str| match names.iter().position(|name| name == word) {
            Some(at) => format!("#{}", at + 1),
            None => word.to_owned(),
        };
        let (mut all, mut last) = (String::new(), String::new());
        for c in text.chars() {
            if c.is_alphanumeric() || c == '_' {
                last.push(c);
            } else {
                all.push_str(&word(&std::mem::take(&mut last)));
                all.push(c);
            }
        }
        all + &word(&last)
    }

    fn update(&self, update: &Update, params: usize) -> String {
        let (name, arity) = (self.var_name(update.var), self.vars[update.var].arity);
        let bracket = |depths: Vec<usize>| {
            format!("{name}[{}]", depths.into_iter().map(bound).collect::<Vec<_>>().join(", "))
        };
        let (target, depth) = match &update.target {
            Target::Global => (name, params),
            Target::One(depths) => (bracket(depths.clone()), params),
            Target::All => (bracket((params..params + arity).collect()), params + arity),
        };
        let value = match &update.value {
            Assigned::Term(term) => self.term(term, depth),
            Assigned::Any => "?".to_owned(),
            Assigned::Case(branches, rest) => {
                let mut text = "case".to_owned();
                for (when, value) in branches {
                    let _ = write!(text, " | {} : {}", self.formula(when, depth), self.term(value, depth));
                }
                if let Some(value) = rest {
                    let _ = write!(text, " | _ : {}", self.term(value, depth));
                }
                text
            }
        };
        format!("{target} := {value}")
    }
}

impl Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(most) = self.number_procs {
            writeln!(f, "number_procs {most}")?;
        }
        for (number, size) in self.enums.iter().enumerate() {
            let names: Vec<String> = (0..*size).map(|it| format!("{}{it}", constructor(number))).collect();
            writeln!(f, "type t{number} = {}", names.join(" | "))?;
        }
        for (number, var) in self.vars.iter().enumerate() {
            let word = if var.constant { "const" } else { ["var", "array", "array"][var.arity] };
            let index = ["", "[proc]", "[proc, proc]"][var.arity];
            writeln!(f, "{word} {}{index} : {}", self.var_name(number), Self::kind_name(var.kind))?;
        }
        let ways = self.init.ways.iter().map(|way| Formula::And(way.clone())).collect();
        let init = self.formula(&Formula::Or(ways), self.init.params);
        writeln!(f, "init ({}) {{ {init} }}", bounds(self.init.params))?;
        let claims = self.invariants.iter().map(|it| ("invariant", it));
        for (word, claim) in claims.chain(self.unsafes.iter().map(|it| ("unsafe", it))) {
            let body = self.formula(&claim.body, claim.params);
            writeln!(f, "{word} ({}) {{ {body} }}", bounds(claim.params))?;
        }
        for t in &self.transitions {
            write!(f, "transition {} ({})", t.name, bounds(t.params))?;
            write!(f, " requires {{ {} }} ", self.formula(&t.guard, t.params))?;
            let updates: Vec<String> = t.updates.iter().map(|it| self.update(it, t.params)).collect();
            writeln!(f, "{{ {} }}", updates.join("; "))?;
        }
        for Fair { strong, any, name } in &self.fairness {
            let word = if *strong { "strong_fair" } else { "fair" };
            writeln!(f, "{word} {}{name}", if *any { "any " } else { "" })?;
        }
        for run in &self.runs {
            let word = match run.kind {
                RunKind::Response => "response",
                RunKind::Recurrence => "recurrence",
                RunKind::Possible => "possible",
                RunKind::Cover => "cover",
            };
            let when = self.formula(&run.when, run.params);
            write!(f, "{word} {} ({}) {{ {when} }}", run.name, bounds(run.params))?;
            if run.kind == RunKind::Response {
                write!(f, " ~> {{ {} }}", self.formula(&run.then, run.params))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

fn bound(depth: usize) -> String {
    ["p", "q", "r", "u", "v", "w", "x"][depth].to_owned()
}

fn bounds(params: usize) -> String {
    (0..params).map(bound).collect::<Vec<_>>().join(" ")
}

fn constructor(number: usize) -> char {
    ['A', 'B', 'C'][number]
}
