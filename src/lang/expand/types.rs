//! The types of the extended language, what the names of a file mean, and what was found so far.

use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};

use super::make::number;
use crate::diagnostic::{Diagnostic, Reporter, Span};
use crate::model::{FamilyIndex, Form, SortTable};
use crate::syntax::ast::{Loc, Predicate, Term};

/// The values of a finite type.
#[derive(PartialEq, Eq, Debug)]
pub struct Values {
    /// The type's name in the core.
    pub name: String,
    /// The names of the values in the core.
    pub names: Vec<String>,
    /// Of a range: its least value.
    pub low: Option<i64>,
}

impl Values {
    /// The term of value number `at`, as a model writes it.
    pub fn written(&self, at: usize, loc: Loc) -> Term {
        match self.low {
            Some(low) => number(low + at as i64, loc),
            None => Term::named(&self.names[at], loc),
        }
    }

    /// Value number `at` as a part of a name.
    pub fn part(&self, at: usize) -> String {
        self.low.map_or_else(|| self.names[at].clone(), |_| signed(self.number(at)))
    }

    /// The number that value number `at` of a range is.
    pub fn number(&self, at: usize) -> i64 {
        self.low.unwrap_or(0) + at as i64
    }
}

/// A record, or the places and the length of a queue.
#[derive(PartialEq, Eq, Debug)]
pub struct Record {
    pub name: String,
    pub fields: Vec<(String, Type)>,
    pub queue: Option<Queue>,
}

impl Record {
    /// The name and the type of a field; of a queue, `head` is its first place.
    pub fn field(&self, name: &str) -> Option<&(String, Type)> {
        let name = if self.queue.is_some() && name == "head" { "0" } else { name };
        self.fields.iter().find(|(it, _)| it == name)
    }
}

/// What a full queue does with a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Full {
    Blocks,
    Drops,
    Fails,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Queue {
    pub capacity: usize,
    pub full: Full,
    pub lossy: bool,
    pub duplicating: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    Proc,
    Int,
    /// Another type of the core, or one with an error: its name.
    Core(String),
    Finite(Arc<Values>),
    /// A range that is a bounded integer.
    Wide(i64, i64),
    Record(Arc<Record>),
}

impl Type {
    pub fn range(&self) -> Option<(i64, i64)> {
        match self {
            Self::Finite(values) => values.low.map(|low| (low, low + values.names.len() as i64 - 1)),
            Self::Wide(low, high) => Some((*low, *high)),
            _ => None,
        }
    }

    /// Whether its values are numbers.
    pub fn is_number(&self) -> bool {
        *self == Self::Int || self.range().is_some()
    }

    /// Its name in the core; a record has none.
    pub fn core(&self) -> String {
        match self {
            Self::Proc => "proc".to_owned(),
            Self::Int | Self::Wide(..) => "int".to_owned(),
            Self::Core(name) => name.clone(),
            Self::Finite(values) => values.name.clone(),
            Self::Record(record) => record.name.clone(),
        }
    }

    /// How a cell of it is shown.
    pub fn form(&self) -> Form {
        let Self::Record(record) = self else { return Form::Value };
        if let (Some(queue), Some((_, message))) = (record.queue, record.fields.first()) {
            return Form::Queue(Box::new(message.form()), queue.capacity);
        }
        Form::Record(record.fields.iter().map(|(name, ty)| (name.clone(), ty.form())).collect())
    }

    pub fn queue(&self) -> Option<Queue> {
        if let Self::Record(record) = self { record.queue } else { None }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Index {
    Proc,
    Finite(Arc<Values>),
}

impl Index {
    pub fn shown(&self) -> FamilyIndex {
        match self {
            Self::Proc => FamilyIndex::Process,
            Self::Finite(values) => FamilyIndex::Values(
                (0..values.names.len()).map(|at| values.written(at, Loc::default()).to_string()).collect(),
            ),
        }
    }
}

/// A declared variable, constant, array or channel.
#[derive(Clone, Debug)]
pub struct Variable {
    pub index: Vec<Index>,
    pub ty: Type,
    pub constant: bool,
    /// Whether its declaration has an error: nothing further is said about it.
    pub broken: bool,
    /// Whether it is only a part of what the text declares.
    pub derived: bool,
    pub span: Span,
    /// The names and types of the variables of the core, by the values of its finite indices and the fields.
    pub leaves: IndexMap<String, (String, Type)>,
}

impl Variable {
    /// Whether the core has the same variable, of a type that is not a range.
    pub fn is_core(&self) -> bool {
        let finite = self.broken || self.index.iter().any(|it| *it != Index::Proc);
        !finite && (matches!(self.ty, Type::Proc | Type::Int | Type::Core(_)) || self.is_plain())
    }

    fn is_plain(&self) -> bool {
        matches!(&self.ty, Type::Finite(values) if values.low.is_none())
    }

    /// How many of its indices are processes.
    pub fn processes(&self) -> usize {
        self.index.iter().filter(|it| **it == Index::Proc).count()
    }
}

/// The declarations of a file.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    pub types: IndexMap<String, Type>,
    pub variables: IndexMap<String, Variable>,
    pub numbers: IndexMap<String, i64>,
    pub constructors: IndexMap<String, (Arc<Values>, usize)>,
    /// All names that are in use.
    pub taken: IndexSet<String>,
    /// Finite types that are an index.
    pub indices: IndexSet<String>,
    /// Types of the core that have no declaration.
    pub further: Vec<Arc<Values>>,
}

impl Symbols {
    /// `wanted`, or a name like it that nothing has.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        while !self.taken.insert(name.clone()) {
            name.push('_');
        }
        name
    }

    /// Whether a name means something that the core does not know by it.
    pub fn is_special(&self, name: &str) -> bool {
        self.numbers.contains_key(name) || self.variables.get(name).is_some_and(|it| !it.is_core())
    }
}

/// A number as a part of a name.
pub fn signed(number: i64) -> String {
    if number < 0 { format!("m{}", number.unsigned_abs()) } else { number.to_string() }
}

/// Why a run ends in an error: a variable leaves its range, or a channel gets a message when it is full.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Trouble {
    pub owner: String,
    pub overflows: bool,
}

impl Trouble {
    /// The name of the property that says it does not happen.
    pub fn property(&self) -> String {
        let what = if self.overflows { "overflows" } else { "leaves_its_range" };
        format!("{}_{what}", self.owner)
    }

    /// The name of the value that says that it happened.
    pub fn value(&self) -> String {
        let what = if self.overflows { "overflowed" } else { "left_its_range" };
        format!("{}_{what}", self.owner)
    }
}

/// Most nodes that the declarations of a file become.
const MOST_NODES: usize = 1 << 21;

/// What the names of a file mean.
#[derive(Clone, Debug, Default)]
pub struct Expander {
    pub(super) symbols: Symbols,
    pub(super) sorts: Option<SortTable>,
    /// The constant that `nil` is.
    pub(super) nil: Option<String>,
    /// The predicates so far, and whether they are written out.
    pub(super) predicates: IndexMap<String, (Predicate, bool)>,
    pub(super) witnesses: IndexSet<String>,
    /// Arrays that stand for relations and witnesses, and which of both.
    pub(super) rigid: IndexMap<String, &'static str>,
    /// Variables that note bad states of which something holds for all processes, and the transitions that assign them.
    pub(super) watches: IndexMap<String, String>,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Errors that transitions end in, with the values that say so.
    pub(super) troubles: IndexMap<Trouble, String>,
    /// The variable with these values.
    pub(super) trouble: Option<String>,
    /// Variables that have any value, by type and number.
    pub(super) any: IndexMap<(String, usize), String>,
    /// Whether it reads `init`.
    pub(super) initially: bool,
    pub(super) spent: usize,
}

impl Reporter for Expander {
    fn add(&mut self, diagnostic: Diagnostic) {
        let known =
            |it: &Diagnostic| it.code == diagnostic.code && it.primary.span == diagnostic.primary.span;
        if self.diagnostics.len() < crate::diagnostic::MAX_ERRORS && !self.diagnostics.iter().any(known) {
            self.diagnostics.push(diagnostic);
        }
    }
}

impl Expander {
    /// Counts nodes; whether there may be more.
    pub fn spend(&mut self, nodes: usize) -> bool {
        self.spent += nodes;
        if self.spent > MOST_NODES && self.spent - nodes <= MOST_NODES {
            let message = format!("the model becomes more than {MOST_NODES} nodes in the core language");
            Diagnostic::error("C0504", Span::default(), message)
                .help("use smaller ranges and queues")
                .report(self);
        }
        self.spent <= MOST_NODES
    }
}
