//! A model as the generator makes it: enough structure to print it.

use std::fmt::{self, Display, Write};

/// A `.cub` model.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// `number_procs`.
    pub max_procs: Option<u32>,
    /// Enum types with their constructors.
    pub enums: Vec<(String, Vec<String>)>,
    /// Abstract types.
    pub abstracts: Vec<String>,
    /// Declarations of globals, constants and arrays.
    pub vars: Vec<Var>,
    /// Parameters and body of init.
    pub init: Quantified,
    /// Invariants.
    pub invariants: Vec<Quantified>,
    /// Unsafe formulas.
    pub unsafes: Vec<Quantified>,
    /// Predicates: name, parameters, body.
    pub predicates: Vec<(String, Vec<String>, Formula)>,
    /// Transitions.
    pub transitions: Vec<Transition>,
}

/// A declaration.
#[derive(Clone, Debug)]
pub struct Var {
    /// Name.
    pub name: String,
    /// Whether it is a `const`.
    pub constant: bool,
    /// Number of indices.
    pub arity: usize,
    /// Name of the type.
    pub ty: String,
}

/// Parameters and a formula.
#[derive(Clone, Debug, Default)]
pub struct Quantified {
    /// Names.
    pub params: Vec<String>,
    /// Body.
    pub body: Formula,
}

/// A formula.
#[derive(Clone, Debug)]
pub enum Formula {
    /// Printed as it is.
    Atom(String),
    /// Conjunction; empty is `true`.
    And(Vec<Formula>),
    /// Disjunction; empty is `false`.
    Or(Vec<Formula>),
    /// Negation.
    Not(Box<Formula>),
    /// `=>` or `<=>`, by its symbol.
    Arrow(&'static str, Box<Formula>, Box<Formula>),
    /// `if .. then .. else ..`.
    If(Box<[Formula; 3]>),
    /// A quantifier with its bound variables, as in `forall_other j`.
    Quantifier(String, Box<Formula>),
}

impl Default for Formula {
    fn default() -> Self {
        Self::And(Vec::new())
    }
}

/// A transition.
#[derive(Clone, Debug)]
pub struct Transition {
    /// Name.
    pub name: String,
    /// Parameters.
    pub params: Vec<String>,
    /// `requires`.
    pub guard: Formula,
    /// `let` bindings.
    pub lets: Vec<(String, String)>,
    /// Updates.
    pub updates: Vec<Update>,
}

/// An update: the text on the left of `:=`, and the right side.
#[derive(Clone, Debug)]
pub struct Update {
    /// Such as `G` or `S[j]`.
    pub target: String,
    /// The value.
    pub value: Assigned,
}

/// The right of `:=`.
#[derive(Clone, Debug)]
pub enum Assigned {
    /// A term or `?`.
    Term(String),
    /// Branches; and the default, when there is one.
    Case(Vec<(Formula, String)>, Option<String>),
}

impl Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let join = |f: &mut fmt::Formatter<'_>, parts: &[Formula], op: &str, empty: &str| match parts {
            [] => f.write_str(empty),
            [one] => one.fmt(f),
            [first, rest @ ..] => {
                write!(f, "({first}")?;
                rest.iter().try_for_each(|part| write!(f, " {op} {part}"))?;
                f.write_char(')')
            }
        };
        match self {
            Self::Atom(text) => f.write_str(text),
            Self::And(parts) => join(f, parts, "&&", "true"),
            Self::Or(parts) => join(f, parts, "||", "false"),
            Self::Not(body) => write!(f, "not ({body})"),
            Self::Arrow(symbol, left, right) => write!(f, "({left} {symbol} {right})"),
            Self::If(parts) => write!(f, "(if {} then {} else {})", parts[0], parts[1], parts[2]),
            Self::Quantifier(binder, body) => write!(f, "({binder}. {body})"),
        }
    }
}

impl Display for Quantified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "({}) {{ {} }}", self.params.join(" "), self.body)
    }
}

impl Display for Update {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Assigned::Term(term) => write!(f, "{} := {term}", self.target),
            Assigned::Case(branches, default) => {
                write!(f, "{} := case", self.target)?;
                branches.iter().try_for_each(|(when, value)| write!(f, " | {when} : {value}"))?;
                default.iter().try_for_each(|value| write!(f, " | _ : {value}"))
            }
        }
    }
}

impl Display for Transition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "transition {} ({}) requires {{ {} }} {{ ", self.name, self.params.join(" "), self.guard)?;
        self.lets.iter().try_for_each(|(name, value)| write!(f, "let {name} = {value} in "))?;
        let updates: Vec<String> = self.updates.iter().map(ToString::to_string).collect();
        writeln!(f, "{} }}", updates.join("; "))
    }
}

impl Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.max_procs.iter().try_for_each(|n| writeln!(f, "number_procs {n}"))?;
        for (name, constructors) in &self.enums {
            writeln!(f, "type {name} = {}", constructors.join(" | "))?;
        }
        self.abstracts.iter().try_for_each(|name| writeln!(f, "type {name}"))?;
        for Var { name, constant, arity, ty } in &self.vars {
            match arity {
                0 => writeln!(f, "{} {name} : {ty}", if *constant { "const" } else { "var" })?,
                n => writeln!(f, "array {name}[{}] : {ty}", vec!["proc"; *n].join(", "))?,
            }
        }
        for (name, params, body) in &self.predicates {
            writeln!(f, "predicate {name} ({}) {{ {body} }}", params.join(", "))?;
        }
        write!(f, "init {}", self.init)?;
        self.invariants.iter().try_for_each(|q| write!(f, "invariant {q}"))?;
        self.unsafes.iter().try_for_each(|q| write!(f, "unsafe {q}"))?;
        self.transitions.iter().try_for_each(|t| t.fmt(f))
    }
}
