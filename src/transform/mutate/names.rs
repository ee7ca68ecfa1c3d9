//! The declared names that mistakes are made with: constructors by type, variables by type and shape.

use cubicle_lang::syntax::ast::{File, Item, SymbolDecl, SymbolKind, Term, TermKind};

/// The declarations of a file that matter here.
#[derive(Clone, Debug)]
pub struct Names<'f> {
    /// The constructors of each type.
    types: Vec<Vec<&'f str>>,
    symbols: Vec<&'f SymbolDecl>,
}

impl<'f> Names<'f> {
    /// Those of `file`.
    pub fn new(file: &'f File) -> Self {
        let mut types = vec![vec!["False", "True"]];
        let mut symbols = Vec::new();
        for item in &file.items {
            match item {
                Item::Type(decl) => {
                    let constructors = decl.constructors.iter().flatten();
                    types.push(constructors.map(|name| name.text.as_str()).collect());
                }
                Item::Symbol(decl) => symbols.push(decl),
                Item::Process(process) => types.push(process.labels().map(|it| it.text.as_str()).collect()),
                _ => {}
            }
        }
        Self { types, symbols }
    }

    /// The other constructors of the type that `name` is one of; none when it is not a constructor.
    pub fn siblings(&self, name: &str) -> Vec<&'f str> {
        let of = self.types.iter().find(|constructors| constructors.contains(&name));
        of.into_iter().flatten().copied().filter(|other| *other != name).collect()
    }

    fn symbol(&self, name: &str) -> Option<&'f SymbolDecl> {
        self.symbols.iter().copied().find(|decl| decl.name.text == name)
    }

    /// The other variables with the same type and the same indices that a transition may assign.
    pub fn alike(&self, name: &str) -> Vec<&'f str> {
        let Some(this) = self.symbol(name) else { return Vec::new() };
        let alike = |other: &&&SymbolDecl| {
            let same = match (&this.kind, &other.kind) {
                (SymbolKind::Var, SymbolKind::Var) => true,
                (SymbolKind::Array(a), SymbolKind::Array(b)) => a.len() == b.len(),
                _ => false,
            };
            same && other.ty.text == this.ty.text && other.name.text != this.name.text
        };
        self.symbols.iter().filter(alike).map(|decl| decl.name.text.as_str()).collect()
    }

    /// The globals that hold a process.
    pub fn pointers(&self) -> Vec<&'f str> {
        let holds = |decl: &&&SymbolDecl| decl.kind == SymbolKind::Var && decl.ty.text == "proc";
        self.symbols.iter().filter(holds).map(|decl| decl.name.text.as_str()).collect()
    }

    /// Whether a term surely is a number.
    pub fn is_number(&self, term: &Term) -> bool {
        let declared = |name: &str| {
            self.symbol(name)
                .is_some_and(|decl| matches!(decl.ty.text.as_str(), "int" | "real") || decl.range.is_some())
        };
        match &term.kind {
            // Summands have one type.
            TermKind::Sum(summands) => {
                summands.iter().any(|it| it.factor.is_some() || self.is_number(&it.operand))
            }
            TermKind::Number(_) | TermKind::Count(_) | TermKind::Remainder(..) => true,
            TermKind::Path(path) => declared(&path.name.text),
            TermKind::Record(_) => false,
        }
    }
}
