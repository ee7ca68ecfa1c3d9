//! What the words of logs mean: the names of the model, and a map.

use std::collections::HashMap;

use cubicle_lang::diagnostic::Span;
use cubicle_lang::model::{BOOL, Family, System, TransitionId, Type, Var, VarId, VarKind};
use cubicle_lang::spelling::nearest;

/// What the words of logs mean.
#[derive(Clone)]
pub struct Vocabulary<'a> {
    pub(super) system: &'a System,
    /// The transitions that an event may be, by its name; `None`: it is not a step of the model. None of them, where the model has one that is never
    /// possible.
    pub(super) events: HashMap<String, Option<Vec<TransitionId>>>,
    pub(super) fields: HashMap<String, Field>,
    /// Whether other fields say nothing.
    pub(super) ignores_fields: bool,
    /// Variables, by the names that logs have for them; `None`: one that says nothing.
    pub(super) variables: HashMap<String, Option<VarId>>,
    /// For each variable, its values by their words.
    pub(super) values: Vec<HashMap<String, Word>>,
    /// Transitions that may happen between two events.
    pub(super) hidden: Vec<TransitionId>,
    /// Whether the events of each process stand in an order of their own.
    pub(super) unordered: bool,
    /// Processes with a place in the order of the model.
    pub(super) processes: Vec<(String, usize)>,
    /// Whether `#1` is the first process, as in a trace of this program.
    pub(super) numbered: bool,
}

/// What a word for a value means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Word {
    Constructors(u64),
    /// A value of type proc that is not a process.
    NoProcess,
}

/// Which state a value is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum When {
    Before,
    After,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Field {
    Action,
    /// The arguments of the transition.
    Procs,
    /// Values before or after the step.
    Values(When),
    /// Values, and no step.
    State,
    /// When the event began and ended.
    Invoke,
    Return,
    /// Nothing.
    Ignored,
    /// What a map says of it.
    Mapped(Mapped),
}

/// What a map says of a field.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Mapped {
    /// It names the process whose order the event stands in.
    pub owner: bool,
    /// The argument for this parameter.
    pub param: Option<String>,
    /// The value of a cell, whose indices are parameters.
    pub cell: Option<(When, VarId, Vec<String>)>,
}

impl Mapped {
    /// Checks that it is not both a process and a value.
    pub fn is_either(&self) -> Result<(), String> {
        match (self.owner || self.param.is_some(), &self.cell) {
            (true, Some(_)) => {
                Err("the field has two meanings: it names a process and is a value".to_owned())
            }
            _ => Ok(()),
        }
    }
}

impl<'a> Vocabulary<'a> {
    /// The names of the model.
    pub fn new(system: &'a System) -> Self {
        let mut events: HashMap<String, Option<Vec<TransitionId>>> =
            system.impossible.iter().map(|name| (name.clone(), Some(Vec::new()))).collect();
        for (id, transition) in (0..).map(TransitionId).zip(&system.transitions) {
            events.entry(transition.name.clone()).or_default().get_or_insert_default().push(id);
        }
        let fields = [
            ("action", Field::Action),
            ("procs", Field::Procs),
            ("before", Field::Values(When::Before)),
            ("after", Field::Values(When::After)),
            ("state", Field::State),
            ("invoke", Field::Invoke),
            ("return", Field::Return),
        ];
        let variables = (0..).map(VarId).zip(&system.vars);
        let declared = variables.filter(|(_, var)| is_name(&var.name));
        let declared =
            declared.flat_map(|(id, var)| [(var.name.clone(), Some(id)), (system.title(id), Some(id))]);
        Self {
            system,
            events,
            fields: fields.into_iter().map(|(name, field)| (name.to_owned(), field)).collect(),
            ignores_fields: false,
            variables: declared.collect(),
            values: system.vars.iter().map(|var| values_of(system, var.ty)).collect(),
            hidden: Vec::new(),
            unordered: false,
            processes: Vec::new(),
            numbered: false,
        }
    }

    /// Whether transitions may happen between two events.
    pub const fn has_hidden(&self) -> bool {
        !self.hidden.is_empty()
    }

    /// For traces of this program, which number the processes.
    pub(super) fn numbered(&self) -> Self {
        let processes = (0..=u8::MAX.into()).map(|p| (format!("#{}", p + 1), p)).collect();
        Self { processes, numbered: true, ..self.clone() }
    }

    pub(super) fn transitions(&self, name: &str) -> Result<Vec<TransitionId>, String> {
        let named = (0..).map(TransitionId).zip(&self.system.transitions);
        let ids: Vec<_> = named.filter(|(_, it)| it.name == name).map(|(id, _)| id).collect();
        if ids.is_empty() && !self.system.impossible.iter().any(|it| it == name) {
            let names = self.system.transitions.iter().map(|it| it.name.as_str());
            return Err(unknown("the model has no transition", name, names));
        }
        Ok(ids)
    }

    /// The variable that logs call so; `None` when it says nothing.
    pub(super) fn variable(&self, name: &str) -> Result<Option<VarId>, String> {
        self.variables.get(name).copied().ok_or_else(|| {
            let titles: Vec<String> =
                (0..self.system.vars.len()).map(|var| self.system.title(VarId(var as u16))).collect();
            let families = self.system.families.iter().map(|it| it.name.as_str());
            unknown("the model has no variable", name, titles.iter().map(String::as_str).chain(families))
        })
    }

    /// The record, queue or array over finite types with this name.
    pub(super) fn family(&self, name: &str) -> Option<&'a Family> {
        self.system.families.named(name).filter(|_| !self.variables.contains_key(name))
    }

    /// What a word means as a value of a variable.
    pub(super) fn value(&self, var: VarId, word: &str) -> Result<Word, String> {
        let known = &self.values[usize::from(var.0)];
        known.get(word).copied().ok_or_else(|| {
            let variable = self.system.var(var);
            let Type::Enum(ty) = variable.ty else { return format!("{word:?} is not a value") };
            let names = self.system.enumeration(ty).constructors.iter().map(String::as_str);
            unknown(&format!("{} has no value", self.system.title(var)), word, names)
        })
    }
}

/// Whether a variable was declared by the user: others have no name that can be written.
fn is_name(name: &str) -> bool {
    name.starts_with(char::is_alphabetic)
}

fn values_of(system: &System, ty: Type) -> HashMap<String, Word> {
    let Type::Enum(id) = ty else { return HashMap::new() };
    let constructors = system.enumeration(id).constructors.iter().enumerate();
    let mut words: HashMap<String, Word> =
        constructors.map(|(c, name)| (name.clone(), Word::Constructors(1 << c))).collect();
    if id == BOOL {
        words.insert("false".to_owned(), Word::Constructors(1));
        words.insert("true".to_owned(), Word::Constructors(2));
    }
    words
}

pub(super) const fn indices(kind: VarKind) -> usize {
    match kind {
        VarKind::Array(n) => n as usize,
        VarKind::Global | VarKind::Const => 0,
    }
}

/// Whether the text of the model declares a variable: others, such as `Trouble`, are not for logs.
pub(super) fn is_in_text(var: &Var) -> bool {
    var.span != Span::default()
}

/// `the model has no transition wirte; did you mean write?`
pub(super) fn unknown<'n>(what: &str, word: &str, known: impl Iterator<Item = &'n str>) -> String {
    let help = match nearest(word, known) {
        Some(similar) => format!("; did you mean `{similar}`?"),
        None => String::new(),
    };
    format!("{what} `{}`{help}", crate::json::shortened(word))
}
