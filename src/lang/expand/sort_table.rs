//! The sorts of a model, and of which sort its indices and pointers are.

use indexmap::IndexMap;

use crate::diagnostic::Span;
use crate::model::ProcessSorts;
use crate::syntax::ast::{Item, Loc, Name, SymbolDecl, SymbolKind, TypeDecl};

/// The sort of processes that has no declaration.
pub const PROC: &str = "proc";

/// The sorts of a model.
#[derive(Clone, Debug, Default)]
pub struct Sorts {
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

impl Sorts {
    /// The number of a sort.
    pub fn number(&self, sort: &str) -> Option<u8> {
        self.values.get_index_of(sort).and_then(|it| u8::try_from(it).ok())
    }

    /// What engines know of them.
    pub fn of_processes(&self) -> ProcessSorts<String> {
        let numbers = |sorts: &Vec<String>| sorts.iter().map(|it| self.number(it)).collect();
        ProcessSorts {
            names: self.values.keys().cloned().collect(),
            array: self.array.clone(),
            pointed: self
                .pointed
                .iter()
                .filter_map(|(name, sort)| Some((name.clone(), self.number(sort)?)))
                .collect(),
            sizes: None,
            indices: self.indices.iter().map(|(array, sorts)| (array.clone(), numbers(sorts))).collect(),
        }
    }

    /// The declarations of the type and the array of sorts.
    pub fn declarations(&self) -> (Item, Item) {
        let nowhere = Loc(Span::default());
        let name = |text: &String| Name::at(text, nowhere);
        let constructors = Some(self.values.values().map(name).collect());
        let ty = TypeDecl { constructors, ..TypeDecl::new(name(&self.ty), nowhere) };
        let kind = SymbolKind::Array(vec![Name::at(PROC, nowhere)]);
        let array = SymbolDecl::new(kind, name(&self.array), (name(&self.ty), None), nowhere);
        (Item::Type(ty), Item::Symbol(array))
    }
}
