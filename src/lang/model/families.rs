//! How variables of the core were made: a record, a queue or an array over a finite type is one variable in the text, and
//! several in a system. What shows a state, or reads one, uses the names of the text.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use crate::diagnostic::Span;

/// A declaration and the variables of the core that it stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Family {
    /// Where it is declared.
    pub span: Span,
    /// Its name.
    pub name: String,
    /// Its indices.
    pub index: Vec<FamilyIndex>,
    /// What one of its cells holds.
    pub form: Form,
    /// The names of the variables: for each choice of values of the finite indices, the last of which changes first, one for
    /// each part of a cell.
    pub leaves: Vec<String>,
}

/// An index of a declared array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FamilyIndex {
    /// A process: the variables of the core have this index, too.
    Process,
    /// A value of a finite type, as a model writes it: there is a variable for each.
    Values(Vec<String>),
}

/// What a cell holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Form {
    /// One value.
    Value,
    /// Fields.
    Record(Vec<(String, Form)>),
    /// Messages, at most so many; the variables are its places from the first one, and its length.
    Queue(Box<Form>, usize),
}

impl Form {
    /// The number of variables of the core for a cell.
    pub fn size(&self) -> usize {
        match self {
            Self::Value => 1,
            Self::Record(fields) => fields.iter().map(|(_, form)| form.size()).sum(),
            Self::Queue(message, capacity) => message.size() * capacity + 1,
        }
    }

    /// For each variable of a cell, what the text writes behind the cell for it: `.kind`. A place of a queue has no name.
    fn fields(&self) -> Vec<Option<String>> {
        match self {
            Self::Value => vec![Some(String::new())],
            Self::Record(fields) => {
                let named = |name: &str, inner: Option<String>| Some(format!(".{name}{}", inner?));
                let all = fields
                    .iter()
                    .flat_map(|(name, form)| form.fields().into_iter().map(move |it| named(name, it)));
                all.collect()
            }
            Self::Queue(message, capacity) => {
                let mut all = vec![None; message.size() * capacity];
                all.push(Some(".length".to_owned()));
                all
            }
        }
    }

    /// The text of a cell: `{ kind = Req; from = #1 }`, `<A, B>`. `value` gives the text of each variable, by its number.
    pub fn text(&self, value: &dyn Fn(usize) -> String) -> String {
        self.text_from(0, value)
    }

    fn text_from(&self, at: usize, value: &dyn Fn(usize) -> String) -> String {
        match self {
            Self::Value => value(at),
            Self::Record(fields) => {
                let (mut text, mut at) = ("{ ".to_owned(), at);
                for (number, (name, form)) in fields.iter().enumerate() {
                    let separator = if number == 0 { "" } else { "; " };
                    let _ = write!(text, "{separator}{name} = {}", form.text_from(at, value));
                    at += form.size();
                }
                text + " }"
            }
            Self::Queue(message, capacity) => {
                // Who shows a part of a state writes another word for what is not known.
                let length = value(at + message.size() * capacity);
                let Ok(length) = length.parse::<usize>() else { return length };
                let messages =
                    (0..length.min(*capacity)).map(|it| message.text_from(at + it * message.size(), value));
                format!("<{}>", messages.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

impl Family {
    /// `Seen[#1, 2]`: the cell with these processes, of block `number`.
    pub fn cell(&self, number: usize, processes: &[String]) -> String {
        let (mut rest, mut left) = (number, processes.iter().rev());
        let word = |index| match index {
            &FamilyIndex::Process => left.next().map_or("_", String::as_str),
            FamilyIndex::Values(values) => {
                let value = &values[rest % values.len()];
                rest /= values.len();
                value
            }
        };
        let mut index: Vec<&str> = self.index.iter().rev().map(word).collect();
        index.reverse();
        if index.is_empty() { self.name.clone() } else { format!("{}[{}]", self.name, index.join(", ")) }
    }

    /// The cells of block `number`, of any processes: `Chan`, `Seen[_, 2]`.
    pub fn title(&self, number: usize) -> String {
        let finite = self.index.iter().any(|it| *it != FamilyIndex::Process);
        if finite { self.cell(number, &[]) } else { self.name.clone() }
    }

    /// Whether the text and the core have the same name for its only variable.
    fn is_plain(&self) -> bool {
        self.leaves.len() == 1 && self.leaves[0] == self.name
    }
}

/// All families of a model, by the names of their variables.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Families {
    list: Arc<Vec<Family>>,
    /// The family of a variable, and its number there.
    by_leaf: Arc<HashMap<String, (usize, usize)>>,
    /// For each family, [`Form::fields`] of its form.
    fields: Arc<Vec<Vec<Option<String>>>>,
}

impl Families {
    /// Those that the core does not have as they are.
    pub fn new(families: Vec<Family>) -> Self {
        let list: Vec<Family> = families.into_iter().filter(|it| !it.is_plain()).collect();
        let numbered =
            |at: usize| (0..).zip(&list[at].leaves).map(move |(leaf, name)| (name.clone(), (at, leaf)));
        let by_leaf = (0..list.len()).flat_map(numbered).collect();
        let fields = list.iter().map(|it| it.form.fields()).collect();
        Self { list: Arc::new(list), by_leaf: Arc::new(by_leaf), fields: Arc::new(fields) }
    }

    /// The family with this name.
    pub fn named(&self, name: &str) -> Option<&Family> {
        self.list.iter().find(|it| it.name == name)
    }

    /// The families, in the order of their declarations.
    pub fn iter(&self) -> impl Iterator<Item = &Family> {
        self.list.iter()
    }

    /// The family of a variable of the core, and the variable's number there.
    pub fn of(&self, leaf: &str) -> Option<(&Family, usize)> {
        let (family, leaf) = self.by_leaf.get(leaf)?;
        Some((&self.list[*family], *leaf))
    }

    /// The family of a variable that the text has a name for, its block there, and its fields.
    fn part(&self, leaf: &str) -> Option<(&Family, usize, &str)> {
        let (family, leaf) = *self.by_leaf.get(leaf)?;
        let fields = &self.fields[family];
        Some((&self.list[family], leaf / fields.len(), fields[leaf % fields.len()].as_deref()?))
    }

    /// A cell of a variable of the core as the text writes it: `Chan[#1].kind`. A place of a queue has no such name: `Req_0[#1]`.
    pub fn cell(&self, leaf: &str, processes: &[String]) -> String {
        match self.part(leaf) {
            Some((family, block, fields)) => family.cell(block, processes) + fields,
            None if processes.is_empty() => leaf.to_owned(),
            None => format!("{leaf}[{}]", processes.join(", ")),
        }
    }

    /// A variable of the core as the text writes it: `Chan.kind`, `Seen[_, 2]`.
    pub fn variable(&self, leaf: &str) -> String {
        match self.part(leaf) {
            Some((family, block, fields)) => family.title(block) + fields,
            None => leaf.to_owned(),
        }
    }

    /// The variable of the core that a path names, and the processes among its indices: `Chan[p].kind`, `Seen[p, 2]`.
    pub fn leaf(&self, path: &str) -> Option<(&str, Vec<String>)> {
        let (name, rest) = path.split_at(path.find(['[', '.']).unwrap_or(path.len()));
        let (index, fields) = match rest.strip_prefix('[') {
            Some(rest) => rest.split_once(']')?,
            None => ("", rest),
        };
        let index: Vec<&str> = index.split(',').map(str::trim).filter(|it| !it.is_empty()).collect();
        let at = self.list.iter().position(|it| it.name == name)?;
        let family = Some(&self.list[at]).filter(|it| it.index.len() == index.len())?;
        let (mut block, mut processes) = (0, Vec::new());
        for (kind, word) in family.index.iter().zip(index) {
            match kind {
                FamilyIndex::Process => processes.push(word.to_owned()),
                FamilyIndex::Values(values) => {
                    block = block * values.len() + values.iter().position(|it| it == word)?;
                }
            }
        }
        let own = self.fields[at].iter().position(|it| it.as_deref() == Some(fields))?;
        Some((family.leaves[block * self.fields[at].len() + own].as_str(), processes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn families() -> Families {
        let message = Form::Record(vec![("kind".to_owned(), Form::Value), ("from".to_owned(), Form::Value)]);
        let leaves = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect();
        let truths = FamilyIndex::Values(leaves(&["False", "True"]));
        let span = Span::default();
        Families::new(vec![
            Family {
                span,
                name: "Chan".to_owned(),
                index: vec![FamilyIndex::Process],
                form: message.clone(),
                leaves: leaves(&["Chan_kind", "Chan_from"]),
            },
            Family {
                span,
                name: "Seen".to_owned(),
                index: vec![truths.clone(), FamilyIndex::Process, truths],
                form: Form::Value,
                leaves: leaves(&["S1", "S2", "S3", "S4"]),
            },
            Family {
                span,
                name: "Req".to_owned(),
                index: Vec::new(),
                form: Form::Queue(Box::new(message), 2),
                leaves: leaves(&["R0k", "R0f", "R1k", "R1f", "Rl"]),
            },
        ])
    }

    #[test]
    fn cells_have_the_names_of_the_text() {
        let known = families();
        let process = ["#1".to_owned()];
        assert_eq!(known.cell("Chan_from", &process), "Chan[#1].from");
        assert_eq!(known.variable("Chan_from"), "Chan.from");
        assert_eq!(known.cell("S3", &process), "Seen[True, #1, False]");
        assert_eq!(known.variable("S2"), "Seen[False, _, True]");
        assert_eq!(known.cell("Rl", &[]), "Req.length");
        assert_eq!(known.cell("R1f", &[]), "R1f");
        assert_eq!(known.cell("Other", &process), "Other[#1]");
        assert_eq!(known.leaf("Chan[p].from"), Some(("Chan_from", vec!["p".to_owned()])));
        assert_eq!(known.leaf("Seen[True, p, False]").unwrap().0, "S3");
        assert_eq!(known.leaf("Req.length").unwrap().0, "Rl");
        for none in ["Chan", "Chan[p].to", "Seen[p]", "Seen[Yes, p, True]", "Chan[p", "Other"] {
            assert_eq!(known.leaf(none), None);
        }
    }

    #[test]
    fn a_cell_is_shown_as_a_whole() {
        let known = families();
        let text =
            |name: &str, values: [&str; 5]| known.named(name).unwrap().form.text(&|at| values[at].to_owned());
        assert_eq!(text("Chan", ["Req", "#2", "", "", ""]), "{ kind = Req; from = #2 }");
        assert_eq!(text("Req", ["A", "#1", "B", "#2", "1"]), "<{ kind = A; from = #1 }>");
        assert_eq!(text("Req", ["A", "#1", "B", "#2", "0"]), "<>");
        assert_eq!(text("Req", ["A", "#1", "B", "#2", "?"]), "?");
    }
}
