//! What the expansion of a model to the core language leaves to say about the text.

use indexmap::{IndexMap, IndexSet};

use super::families::Families;
use super::{ProcessSorts, VarId};
use crate::diagnostic::Span;
use crate::syntax::ast::{Item, Loc, Name, SymbolDecl, SymbolKind, TypeDecl};

/// What a model in the core language was made of.
#[derive(Clone, Debug, Default)]
pub struct MadeOf {
    /// The declarations that stand for several variables, or for one of another type.
    pub families: Families,
    /// Types that are indices of such declarations: all of their values are in use.
    pub indices: IndexSet<String>,
    /// The sorts of its processes, in a model that declares any.
    pub sorts: Option<SortTable>,
    /// For each `invariant` of the text, where it is, the variables that it mentions there, also those that are not in the core any more.
    pub mentioned: Vec<(Span, Vec<String>)>,
}

/// The sort of processes that has no declaration.
pub const PROC: &str = "proc";

/// The sorts of a model by their names, and of which sort its indices and pointers are.
#[derive(Clone, Debug, Default)]
pub struct SortTable {
    /// Each sort, and the value in the array of sorts that stands for it.
    pub values: IndexMap<String, String>,
    /// The type of these values.
    pub ty: String,
    /// The array that says of which sort a process is.
    pub array: String,
    /// The sorts of the indices of each array.
    pub indices: IndexMap<String, Vec<String>>,
    /// The sorts of the processes that variables point to.
    pub pointed: IndexMap<String, String>,
}

impl SortTable {
    fn number(&self, sort: &str) -> Option<u8> {
        self.values.get_index_of(sort).and_then(|it| u8::try_from(it).ok())
    }

    /// What engines know of them; `None` when the array has no id.
    pub fn resolved(&self, id: impl Fn(&str) -> Option<VarId>) -> Option<ProcessSorts> {
        let numbers = |sorts: &Vec<String>| sorts.iter().map(|it| self.number(it)).collect();
        Some(ProcessSorts {
            names: self.values.keys().cloned().collect(),
            array: id(&self.array)?,
            indices: self.indices.iter().filter_map(|(name, of)| Some((id(name)?, numbers(of)))).collect(),
            pointed: self
                .pointed
                .iter()
                .filter_map(|(name, sort)| Some((id(name)?, self.number(sort)?)))
                .collect(),
            sizes: None,
        })
    }

    /// The declarations of the type and the array of sorts.
    pub fn declarations(&self) -> (Item, Item) {
        let nowhere = Loc::default();
        let name = |text: &String| Name::at(text, nowhere);
        let constructors = Some(self.values.values().map(name).collect());
        let ty = TypeDecl { constructors, ..TypeDecl::new(name(&self.ty), nowhere) };
        let kind = SymbolKind::Array(vec![Name::at(PROC, nowhere)]);
        let array = SymbolDecl::new(kind, name(&self.array), (name(&self.ty), None), nowhere);
        (Item::Type(ty), Item::Symbol(array))
    }
}
