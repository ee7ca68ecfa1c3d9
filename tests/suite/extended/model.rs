//! What a random model is made of, and its text.

use std::cell::RefCell;
use std::collections::BTreeSet;

use crate::support::fair::{Fair, Kind};

pub const KINDS: [&str; 3] = ["Aa", "Bb", "Cc"];

pub const SORTS: [&str; 2] = ["node", "lock"];

/// The sort of a process, by its place in the list; without sorts, all are of the first one.
pub type Sort = usize;

/// A type; values are numbers, those of an enumeration their places in its declaration.
#[derive(Clone, Copy, PartialEq)]
pub enum Ty {
    Bool,
    Kind,
    Range(i64, i64),
    /// A process of a sort, by its number, or [`NIL`].
    Pointer(Sort),
}

pub const NIL: i64 = -1;

impl Ty {
    /// Its values; of a pointer, the one that is written by a name of its own.
    pub fn values(self) -> std::ops::RangeInclusive<i64> {
        match self {
            Ty::Bool => 0..=1,
            Ty::Kind => 0..=2,
            Ty::Range(low, high) => low..=high,
            Ty::Pointer(_) => NIL..=NIL,
        }
    }

    pub fn contains(self, value: i64) -> bool {
        matches!(self, Ty::Pointer(_)) || self.values().contains(&value)
    }

    pub fn text(self, value: i64) -> String {
        match self {
            Ty::Bool => ["False", "True"][usize::from(value != 0)].to_owned(),
            Ty::Kind => KINDS[usize::try_from(value).unwrap_or(0)].to_owned(),
            Ty::Range(..) => value.to_string(),
            Ty::Pointer(_) => "nil".to_owned(),
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
pub enum Full {
    Blocks,
    Drops,
    Fails,
}

/// What an index of a variable is.
#[derive(Clone, Copy, PartialEq)]
pub enum Over {
    Process(Sort),
    Value(Ty),
}

#[derive(Clone, Copy)]
pub struct Queue {
    pub capacity: usize,
    pub full: Full,
    pub lossy: bool,
    pub duplicating: bool,
}

impl Queue {
    /// What its declaration says of it.
    pub fn words(self) -> String {
        let full = match self.full {
            Full::Blocks => "blocks",
            Full::Drops => "drops",
            Full::Fails => "fails",
        };
        let lossy = if self.lossy { " lossy" } else { "" };
        format!("{full}{lossy}{}", if self.duplicating { " duplicating" } else { "" })
    }
}

/// A variable: its cells are `fields`, or queues of these.
pub struct Var {
    pub name: String,
    pub declared: String,
    pub index: Vec<Over>,
    pub fields: Vec<(&'static str, Ty)>,
    pub queue: Option<Queue>,
}

impl Var {
    /// The sort of the processes that it names, if it is a variable that names one.
    pub fn names(&self) -> Option<Sort> {
        match self.fields[..] {
            [(_, Ty::Pointer(sort))] if self.queue.is_none() => Some(sort),
            _ => None,
        }
    }

    pub fn is_over_values(&self) -> bool {
        self.index.iter().any(|it| matches!(it, Over::Value(_)))
    }

    pub fn is_constant(&self) -> bool {
        self.declared.starts_with("const ")
    }

    /// Whether each of its cells names its own process in the beginning.
    pub fn begins_at_itself(&self, choice: i64) -> bool {
        let own = self.names().map(Over::Process);
        choice == 1 && own.is_some_and(|it| self.index == [it])
    }
}

#[derive(Clone)]
pub enum Index {
    Process(usize),
    /// `#1` or `#2`, from 0; in models without sorts.
    Constant(usize),
    Value(Box<Term>),
    /// The process in a variable; whether it is read by the name of a `let`.
    Pointer(usize, bool),
}

#[derive(Clone)]
pub enum Place {
    Cell,
    Head,
    Length,
}

#[derive(Clone)]
pub enum Term {
    Value(Ty, i64),
    Process(usize),
    Constant(usize),
    Read {
        var: usize,
        index: Vec<Index>,
        place: Place,
        field: usize,
    },
    Plus(Box<Term>, i64),
    Remainder(Box<Term>, i64),
    /// A sum, or a difference; the second one has no sum.
    Sum(bool, Box<Term>, Box<Term>),
    Multiple(i64, Box<Term>),
    /// The same by the name of a `let`.
    Abbreviated(Box<Term>),
    /// How many processes of a sort satisfy a formula, in which the counted one comes after this many names.
    Count(usize, Sort, Box<Formula>),
    /// The sum of a term over those that satisfy a formula.
    Total(usize, Sort, Box<Term>, Box<Formula>),
    /// The value that a name of this type stands for, by its place in the type.
    Bound(Ty, usize),
    /// A parameter of a predicate, in its text only.
    Param,
}

#[derive(Clone)]
pub enum Formula {
    Compare(&'static str, Term, Term),
    Same(usize, Vec<Index>, Vec<Index>, bool),
    Empty(usize, Vec<Index>),
    Full(usize, Vec<Index>),
    Not(Box<Formula>),
    Both(Box<Formula>, Box<Formula>),
    Either(Box<Formula>, Box<Formula>),
    /// For all processes of a sort that are not parameters, or for one; the number of the bound one is that of the parameters.
    Others(bool, Sort, Box<Formula>),
    /// The same of two different ones.
    Two(bool, Sort, Box<Formula>),
    /// For all processes of a sort, parameters included, or for one.
    All(bool, Sort, Box<Formula>),
    /// For all other processes, something, or something of all others of a second sort; whether the first one is excluded, too.
    Nested([Sort; 2], bool, [Box<Formula>; 2]),
    Implies(Box<Formula>, Box<Formula>),
    Iff(Box<Formula>, Box<Formula>),
    If(Box<[Formula; 3]>),
    /// The same by a predicate.
    Called(Box<Formula>),
}

pub enum Update {
    /// A field, or with several values a record.
    Assign(usize, Vec<Index>, usize, Vec<Term>),
    Any(usize, Vec<Index>, usize),
    /// Of all processes of a sort; the bound one is numbered after the parameters.
    Each(bool, Sort, usize, Vec<Index>, usize, Term),
    Case(Sort, usize, Vec<Index>, usize, Formula, Term),
    /// Of the cells at all values of a type, where a condition on the value holds, if there is one; the value is numbered after the parameters.
    Values(Ty, usize, Vec<Index>, usize, Option<Formula>, Term),
    /// One of two values for one cell.
    Choose(usize, Vec<Index>, usize, Formula, [Term; 2]),
    Send(usize, Vec<Index>, Vec<Term>),
    Receive(usize, Vec<Index>),
    Take(usize, Vec<Index>, usize, Vec<Index>),
}

pub struct Transition {
    pub params: Vec<Sort>,
    pub guard: Vec<Formula>,
    pub updates: Vec<Update>,
}

/// A property of runs: what one formula says, and what a response promises.
pub struct Property {
    pub kind: Kind,
    pub params: Vec<Sort>,
    pub first: Vec<Formula>,
    pub then: Vec<Formula>,
}

/// What a model claims.
pub struct Claim {
    pub word: Word,
    pub params: Vec<Sort>,
    pub body: Vec<Formula>,
}

/// How it is claimed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Word {
    Unsafe,
    Never,
    Always,
    Invariant,
    LemmaNever,
    LemmaAlways,
}

impl Word {
    pub const ALL: [Self; 6] =
        [Self::Unsafe, Self::Never, Self::Always, Self::Invariant, Self::LemmaNever, Self::LemmaAlways];

    /// Whether it says what holds, not what does not.
    pub fn is_positive(self) -> bool {
        matches!(self, Self::Always | Self::LemmaAlways)
    }

    fn text(self) -> &'static str {
        match self {
            Self::Unsafe => "unsafe",
            Self::Never => "never",
            Self::Always => "always",
            Self::Invariant => "invariant",
            Self::LemmaNever => "lemma never",
            Self::LemmaAlways => "lemma always",
        }
    }
}

pub struct Model {
    pub vars: Vec<Var>,
    pub start: Vec<i64>,
    /// Fields of variables that have any value in the beginning for which all of `init` holds, of [`INIT`].
    pub open: BTreeSet<(usize, usize)>,
    pub init: Vec<Formula>,
    /// The number of processes that are named; and the most that there may be.
    pub constants: usize,
    pub most: Option<usize>,
    pub slot: Ty,
    /// Whether there are sorts of processes.
    pub sorted: bool,
    /// The sort of the processes that pointers name, if there are pointers.
    pub pointers: Option<Sort>,
    pub claims: Vec<Claim>,
    pub transitions: Vec<Transition>,
    pub properties: Vec<Property>,
    pub fair: Vec<Fair>,
}

/// What a text needs besides: predicates before the other declarations, and the `let`s of a transition.
#[derive(Default)]
struct Beside {
    predicates: RefCell<Vec<String>>,
    lets: RefCell<Vec<String>>,
}

/// A model and what its text needs besides.
struct Written<'m> {
    model: &'m Model,
    beside: Beside,
}

/// For each variable, for each cell: the messages, or one list of fields.
pub type State = Vec<Vec<Vec<Vec<i64>>>>;

pub const NAMES: [&str; 3] = ["p", "q", "r"];

/// The parameters of `init`, and their sorts; without sorts, the first two.
pub const INIT: [(&str, Sort); 4] = [("p", 0), ("q", 0), ("r", 1), ("s", 1)];

impl Written<'_> {
    fn read(&self, var: usize, index: &[Index], names: &[&str]) -> String {
        let index: Vec<String> = index
            .iter()
            .map(|it| match it {
                Index::Process(p) => names[*p].to_owned(),
                Index::Constant(number) => format!("#{}", number + 1),
                Index::Value(term) => self.term(term, names),
                Index::Pointer(var, named) => {
                    let name = self.model.vars[*var].name.clone();
                    if *named { self.abbreviated(name) } else { name }
                }
            })
            .collect();
        let name = &self.model.vars[var].name;
        if index.is_empty() { name.clone() } else { format!("{name}[{}]", index.join(", ")) }
    }

    fn field(&self, var: usize, field: usize) -> String {
        let fields = &self.model.vars[var].fields;
        if fields.len() == 1 { String::new() } else { format!(".{}", fields[field].0) }
    }

    /// The name of a `let` for this.
    fn abbreviated(&self, value: String) -> String {
        let mut lets = self.beside.lets.borrow_mut();
        let name = format!("v{}", lets.len());
        lets.push(format!("let {name} = {value} in "));
        name
    }

    fn term(&self, term: &Term, names: &[&str]) -> String {
        match term {
            Term::Value(ty, value) => ty.text(*value),
            Term::Plus(term, by) => {
                let sign = if *by < 0 { '-' } else { '+' };
                format!("{} {sign} {}", self.term(term, names), by.abs())
            }
            Term::Sum(minus, a, b) => {
                let sign = if *minus { '-' } else { '+' };
                format!("{} {sign} {}", self.term(a, names), self.term(b, names))
            }
            Term::Multiple(by, term) => format!("{by} * {}", self.term(term, names)),
            Term::Bound(_, at) => names[*at].to_owned(),
            Term::Total(known, sort, term, body) => {
                let names = [&names[..*known], &["c"]].concat();
                let (term, body) = (self.term(term, &names), self.formula(body, &names, *known));
                format!("sum{{c{} | {term} if {body}}}", self.model.of(*sort))
            }
            Term::Remainder(term, by) => format!("({}) % {by}", self.term(term, names)),
            Term::Abbreviated(term) => {
                let value = self.term(term, names);
                self.abbreviated(value)
            }
            Term::Process(process) => names[*process].to_owned(),
            Term::Constant(number) => format!("#{}", number + 1),
            Term::Count(known, sort, body) => {
                let names = [&names[..*known], &["c"]].concat();
                format!("#{{c{} | {}}}", self.model.of(*sort), self.formula(body, &names, *known))
            }
            Term::Param => "v".to_owned(),
            Term::Read { var, index, place, field } => {
                let base = self.read(*var, index, names);
                match place {
                    Place::Cell => format!("{base}{}", self.field(*var, *field)),
                    Place::Head => format!("{base}.head{}", self.field(*var, *field)),
                    Place::Length => format!("{base}.length"),
                }
            }
        }
    }

    fn formula(&self, formula: &Formula, names: &[&str], params: usize) -> String {
        let inner = |it: &Formula| self.formula(it, names, params);
        match formula {
            Formula::Compare(op, a, b) => format!("{} {op} {}", self.term(a, names), self.term(b, names)),
            Formula::Same(var, a, b, equal) => {
                let op = if *equal { "=" } else { "<>" };
                format!("{} {op} {}", self.read(*var, a, names), self.read(*var, b, names))
            }
            Formula::Empty(var, index) => format!("empty({})", self.read(*var, index, names)),
            Formula::Full(var, index) => format!("full({})", self.read(*var, index, names)),
            Formula::Not(a) => format!("not ({})", inner(a)),
            Formula::Both(a, b) => format!("({} && {})", inner(a), inner(b)),
            Formula::Either(a, b) => format!("({} || {})", inner(a), inner(b)),
            Formula::Others(all, sort, a) => {
                let word = if *all { "forall_other" } else { "exists_other" };
                let (names, sort) = ([&names[..params], &["y"]].concat(), self.model.of(*sort));
                format!("({word} y{sort}. {})", self.formula(a, &names, params))
            }
            Formula::Two(all, sort, a) => {
                let word = if *all { "forall_other" } else { "exists_other" };
                let (names, sort) = ([&names[..params], &["y", "w"]].concat(), self.model.of(*sort));
                format!("({word} y w{sort}. {})", self.formula(a, &names, params))
            }
            Formula::Nested([sort, other], excluded, [a, b]) => {
                let [y, w] = [sort, other].map(|it| self.model.of(*it));
                let names = [&names[..params], &["y", "w"]].concat();
                let a = self.formula(a, &names[..=params], params);
                let b = self.formula(b, &names, params);
                let word = if *excluded { "forall_other" } else { "forall" };
                format!("(forall_other y{y}. ({a} || {word} w{w}. {b}))")
            }
            Formula::Implies(a, b) => format!("({} => {})", inner(a), inner(b)),
            Formula::Iff(a, b) => format!("({} <=> {})", inner(a), inner(b)),
            Formula::If(parts) => {
                let [when, a, b] = [0, 1, 2].map(|it: usize| inner(&parts[it]));
                format!("(if {when} then {a} else {b})")
            }
            Formula::All(all, sort, a) => {
                let word = if *all { "forall" } else { "exists" };
                let (names, sort) = ([&names[..params], &["y"]].concat(), self.model.of(*sort));
                format!("({word} y{sort}. {})", self.formula(a, &names, params))
            }
            Formula::Called(a) => self.call(a, names, params),
        }
    }

    /// The call of a predicate that says the same; the names of its parameters are those of others where it is called.
    fn call(&self, formula: &Formula, names: &[&str], params: usize) -> String {
        let swapped: Vec<&str> = names.iter().rev().copied().collect();
        let own = |formula: &Formula| self.formula(formula, &swapped, params);
        let (mut given, mut args) =
            (swapped.clone(), names.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>());
        let body = match formula {
            Formula::Compare(op, left, right) if !matches!(left, Term::Value(..)) => {
                let mut inner = left.clone();
                // An index or the whole is what the parameter stands for.
                let param = Box::new(Term::Param);
                let arg = match &mut inner {
                    Term::Read { index, .. } if matches!(index.last(), Some(Index::Pointer(..))) => {
                        let Some(Index::Pointer(it, _)) = index.pop() else { unreachable!("a pointer") };
                        index.push(Index::Value(param));
                        self.model.vars[it].name.clone()
                    }
                    Term::Read { index, .. } if matches!(index.last(), Some(Index::Value(_))) => {
                        let Some(Index::Value(it)) = index.pop() else { unreachable!("a value") };
                        index.push(Index::Value(param));
                        self.term(&it, names)
                    }
                    it => self.term(&std::mem::replace(it, *param), names),
                };
                given.push("v");
                args.push(arg);
                own(&Formula::Compare(op, inner, right.clone()))
            }
            Formula::Same(var, a, b, equal) => {
                given.extend(["v", "u"]);
                args.extend([a, b].map(|it| self.read(*var, it, names)));
                format!("v {} u", if *equal { "=" } else { "<>" })
            }
            other => own(other),
        };
        let mut predicates = self.beside.predicates.borrow_mut();
        let name = format!("f{}", predicates.len());
        predicates.push(format!("predicate {name}({}) {{ {body} }}", given.join(", ")));
        format!("{name}({})", args.join(", "))
    }

    fn record(&self, var: usize, values: &[Term], names: &[&str]) -> String {
        let fields = &self.model.vars[var].fields;
        if fields.len() == 1 {
            return self.term(&values[0], names);
        }
        let parts =
            fields.iter().zip(values).map(|((name, _), it)| format!("{name} = {}", self.term(it, names)));
        format!("{{ {} }}", parts.collect::<Vec<_>>().join("; "))
    }

    fn update(&self, update: &Update, params: usize) -> String {
        let names = &NAMES[..params];
        let bound = [names, &["z"]].concat();
        match update {
            Update::Assign(var, index, field, values) => {
                let target = self.read(*var, index, names);
                match values.as_slice() {
                    [value] => format!("{target}{} := {}", self.field(*var, *field), self.term(value, names)),
                    values => format!("{target} := {}", self.record(*var, values, names)),
                }
            }
            Update::Any(var, index, field) => {
                format!("{}{} := ?", self.read(*var, index, names), self.field(*var, *field))
            }
            Update::Each(all, sort, var, index, field, value) => {
                let (word, sort) = (if *all { "forall" } else { "forall_other" }, self.model.of(*sort));
                let (target, field) = (self.read(*var, index, &bound), self.field(*var, *field));
                format!("{word} z{sort}. {target}{field} := {}", self.term(value, &bound))
            }
            Update::Case(_, var, index, field, when, value) => {
                let (target, field) = (self.read(*var, index, &bound), self.field(*var, *field));
                let when = self.formula(when, &bound, params);
                format!(
                    "{target}{field} := case | {when} : {} | _ : {target}{field}",
                    self.term(value, &bound)
                )
            }
            Update::Values(_, var, index, field, when, value) => {
                let bound = [names, &["x"]].concat();
                let target = self.read(*var, index, &bound) + &self.field(*var, *field);
                let value = self.term(value, &bound);
                match when {
                    None => format!("forall x. {target} := {value}"),
                    Some(when) => {
                        let when = self.formula(when, &bound, params);
                        format!("forall x. {target} := case | {when} : {value} | _ : {target}")
                    }
                }
            }
            Update::Choose(var, index, field, when, values) => {
                let target = self.read(*var, index, names) + &self.field(*var, *field);
                let when = self.formula(when, names, params);
                let [first, other] = [0, 1].map(|it: usize| self.term(&values[it], names));
                format!("{target} := case | {when} : {first} | _ : {other}")
            }
            Update::Send(var, index, values) => {
                format!("send({}, {})", self.read(*var, index, names), self.record(*var, values, names))
            }
            Update::Receive(var, index) => format!("receive({})", self.read(*var, index, names)),
            Update::Take(var, index, queue, from) => {
                format!("{} := receive({})", self.read(*var, index, names), self.read(*queue, from, names))
            }
        }
    }

    fn conjunction(&self, list: &[Formula], params: usize) -> String {
        let parts: Vec<String> = list.iter().map(|it| self.formula(it, &NAMES[..params], params)).collect();
        if parts.is_empty() { "true".to_owned() } else { parts.join(" && ") }
    }

    /// What a transition does. The first `let` has the name of a parameter that is not read, if there is one.
    fn updates(&self, transition: &Transition) -> String {
        let params = transition.params.len();
        let updates: Vec<String> = transition.updates.iter().map(|it| self.update(it, params)).collect();
        let text = self.beside.lets.take().concat() + &updates.join("; ");
        let is_read = |name: &str| text.split(|c: char| !c.is_alphanumeric()).any(|it| it == name);
        match NAMES[..params].iter().find(|it| !is_read(it)) {
            Some(name) => text.replace("v0", name),
            None => text,
        }
    }
}

impl Model {
    /// The sort of a bound name.
    fn of(&self, sort: Sort) -> String {
        if self.sorted { format!(" : {}", SORTS[sort]) } else { String::new() }
    }

    fn params(&self, params: &[Sort]) -> String {
        let one = |(name, sort): (&&str, &Sort)| format!("{name}{}", self.of(*sort));
        NAMES.iter().zip(params).map(one).collect::<Vec<_>>().join(" ")
    }
}

impl std::fmt::Display for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Ty::Range(low, high) = self.slot else { unreachable!("a range") };
        if let Some(most) = self.most {
            writeln!(f, "number_procs {most}")?;
        }
        writeln!(f, "const Top = {high}\ntype kind = Aa | Bb | Cc\ntype slot = {low}..Top")?;
        writeln!(f, "type msg = {{ kind : kind; num : 0..2 }}")?;
        for sort in SORTS.iter().filter(|_| self.sorted) {
            writeln!(f, "type {sort} < proc")?;
        }
        if let Some(sort) = self.pointers {
            let of = if self.sorted { SORTS[sort] } else { "proc" };
            writeln!(f, "type link = {{ num : 0..2; next : {of} or nil }}")?;
        }
        for var in &self.vars {
            writeln!(f, "{}", var.declared)?;
        }
        let mut parts = vec!["true".to_owned()];
        let mut start = self.start.iter();
        for (number, var) in self.vars.iter().enumerate().filter(|(_, it)| it.queue.is_none()) {
            let value = *start.next().expect("a value for each variable");
            let here = |(at, ty): (usize, &Over)| match ty {
                Over::Process(sort) => vec![["p", "q", "r", "s"][2 * sort + at].to_owned()],
                Over::Value(ty) => ty.values().map(|it| ty.text(it)).collect(),
            };
            let indices = ways(&var.index.iter().enumerate().map(here).collect::<Vec<_>>());
            for index in indices {
                let index = if index.is_empty() { String::new() } else { format!("[{}]", index.join(", ")) };
                for (at, (field, ty)) in var.fields.iter().enumerate() {
                    if self.open.contains(&(number, at)) {
                        continue;
                    }
                    let field = if var.fields.len() == 1 { String::new() } else { format!(".{field}") };
                    let value = if var.begins_at_itself(value) {
                        index.trim_matches(['[', ']']).to_owned()
                    } else {
                        ty.text(first(*ty, value))
                    };
                    parts.push(format!("{}{index}{field} = {value}", var.name));
                }
            }
        }
        let params = if self.sorted { "p q : node r s : lock" } else { "p q" };
        let written = Written { model: self, beside: Beside::default() };
        let names = &INIT.map(|it| it.0)[..if self.sorted { 4 } else { 2 }];
        parts.extend(self.init.iter().map(|it| written.formula(it, names, names.len())));
        let mut texts = vec![format!("init ({params}) {{ {} }}", parts.join(" && "))];
        texts.extend(self.claims.iter().map(|Claim { word, params, body }| {
            let body = written.conjunction(body, params.len());
            format!("{} ({}) {{ {body} }}", word.text(), self.params(params))
        }));
        for (number, it) in self.transitions.iter().enumerate() {
            let params = self.params(&it.params);
            let guard = written.conjunction(&it.guard, it.params.len());
            let updates = written.updates(it);
            texts.push(format!("transition t{number} ({params}) requires {{ {guard} }} {{ {updates} }}"));
        }
        texts.extend(self.fair.iter().map(|it| format!("{}t{}", it.words(), it.of)));
        for (number, Property { kind, params, first, then }) in self.properties.iter().enumerate() {
            let [first, then] = [first, then].map(|it| written.conjunction(it, params.len()));
            let then = if *kind == Kind::Response { format!(" ~> {{ {then} }}") } else { String::new() };
            let (word, params) = (format!("{kind:?}").to_lowercase(), self.params(params));
            texts.push(format!("{word} r{number} ({params}) {{ {first} }}{then}"));
        }
        for text in written.beside.predicates.take().iter().chain(&texts) {
            writeln!(f, "{text}")?;
        }
        Ok(())
    }
}

/// All ways to take one of each list.
pub fn ways<T: Clone>(lists: &[Vec<T>]) -> Vec<Vec<T>> {
    let longer = |known: Vec<Vec<T>>, list: &Vec<T>| {
        let with = |it: &Vec<T>| {
            list.iter().map(|one| [&it[..], std::slice::from_ref(one)].concat()).collect::<Vec<_>>()
        };
        known.iter().flat_map(with).collect()
    };
    lists.iter().fold(vec![Vec::new()], longer)
}

/// A text with other names for some.
pub fn renamed(text: &str, name: impl Fn(&str) -> Option<String>) -> String {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let words = text
        .split_inclusive(|c| !is_of_name(c))
        .map(|it| it.split_at(it.trim_end_matches(|c| !is_of_name(c)).len()));
    words.map(|(word, rest)| name(word).unwrap_or_else(|| word.to_owned()) + rest).collect()
}

/// The formula which says that a process is of a sort.
pub fn is_of_sort(model: &Model, process: usize, sort: Sort) -> String {
    let name = format!("{}{}", SORTS[sort][..1].to_uppercase(), &SORTS[sort][1..]);
    // A variable of this name takes it.
    let other = if model.vars.iter().any(|it| it.name == name) { "_" } else { "" };
    format!("Sort[#{}] = {name}{other}", process + 1)
}

/// The value that a cell has in the beginning.
pub fn first(ty: Ty, choice: i64) -> i64 {
    let values: Vec<i64> = ty.values().collect();
    values[usize::try_from(choice).unwrap_or(0) % values.len()]
}

/// What reads or writes cells: the variables that are indices of some.
pub trait Pointed {
    fn pointers(&self, found: &mut BTreeSet<usize>);
}

impl<T: Pointed> Pointed for [T] {
    fn pointers(&self, found: &mut BTreeSet<usize>) {
        for it in self {
            it.pointers(found);
        }
    }
}

impl Pointed for Index {
    fn pointers(&self, found: &mut BTreeSet<usize>) {
        match self {
            Self::Pointer(var, _) => drop(found.insert(*var)),
            Self::Value(term) => term.pointers(found),
            Self::Process(_) | Self::Constant(_) => {}
        }
    }
}

impl Pointed for Term {
    fn pointers(&self, found: &mut BTreeSet<usize>) {
        match self {
            Self::Read { index, .. } => index.pointers(found),
            Self::Plus(term, _)
            | Self::Remainder(term, _)
            | Self::Multiple(_, term)
            | Self::Abbreviated(term) => term.pointers(found),
            Self::Sum(_, a, b) => [a, b].into_iter().for_each(|it| it.pointers(found)),
            Self::Count(.., body) | Self::Total(.., body) => body.pointers(found),
            Self::Value(..) | Self::Process(_) | Self::Constant(_) | Self::Bound(..) | Self::Param => {}
        }
    }
}

impl Pointed for Formula {
    fn pointers(&self, found: &mut BTreeSet<usize>) {
        match self {
            Self::Compare(_, a, b) => [a, b].into_iter().for_each(|it| it.pointers(found)),
            Self::Same(_, a, b, _) => [a, b].into_iter().for_each(|it| it.pointers(found)),
            Self::Empty(_, index) | Self::Full(_, index) => index.pointers(found),
            Self::Both(a, b) | Self::Either(a, b) | Self::Implies(a, b) | Self::Iff(a, b) => {
                a.pointers(found);
                b.pointers(found);
            }
            Self::Nested(.., both) => both.iter().for_each(|it| it.pointers(found)),
            Self::If(parts) => parts.pointers(found),
            Self::Not(a) | Self::Called(a) | Self::Others(.., a) | Self::Two(.., a) | Self::All(.., a) => {
                a.pointers(found);
            }
        }
    }
}

impl Update {
    pub fn is_case(&self) -> bool {
        matches!(self, Self::Case(..) | Self::Choose(..) | Self::Values(_, _, _, _, Some(_), _))
    }

    /// Whether it assigns a field of a variable.
    pub fn assigns(&self, of: usize, field: usize) -> bool {
        match self {
            Self::Assign(var, _, first, values) => {
                *var == of && (*first..first + values.len()).contains(&field)
            }
            Self::Any(var, _, its)
            | Self::Each(_, _, var, _, its, _)
            | Self::Case(_, var, _, its, ..)
            | Self::Values(_, var, _, its, ..)
            | Self::Choose(var, _, its, ..) => (*var, *its) == (of, field),
            Self::Send(var, ..) | Self::Receive(var, ..) => *var == of,
            Self::Take(var, _, queue, _) => *var == of || *queue == of,
        }
    }

    /// The values that it mentions.
    pub fn values(&self) -> &[Term] {
        match self {
            Self::Assign(.., values) | Self::Send(.., values) => values,
            Self::Choose(.., values) => values,
            Self::Each(.., value) | Self::Case(.., value) | Self::Values(.., value) => {
                std::slice::from_ref(value)
            }
            Self::Any(..) | Self::Receive(..) | Self::Take(..) => &[],
        }
    }
}

impl Update {
    fn index(&self) -> &[Index] {
        match self {
            Self::Assign(_, index, ..)
            | Self::Any(_, index, _)
            | Self::Each(_, _, _, index, ..)
            | Self::Case(_, _, index, ..)
            | Self::Values(_, _, index, ..)
            | Self::Choose(_, index, ..)
            | Self::Send(_, index, _)
            | Self::Receive(_, index)
            | Self::Take(_, index, ..) => index,
        }
    }

    /// The variables that are indices of what it reads.
    fn read(&self, found: &mut BTreeSet<usize>) {
        match self {
            Self::Case(.., when, _) | Self::Choose(.., when, _) | Self::Values(.., Some(when), _) => {
                when.pointers(found);
            }
            Self::Take(.., from) => from.pointers(found),
            Self::Send(_, index, _) | Self::Receive(_, index) => index.pointers(found),
            _ => {}
        }
        self.values().pointers(found);
    }
}

impl Pointed for Update {
    fn pointers(&self, found: &mut BTreeSet<usize>) {
        self.index().pointers(found);
        self.read(found);
    }
}
