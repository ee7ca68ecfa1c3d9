//! Declared types and symbols: one name, one meaning.

use std::ops::Deref;
use std::sync::LazyLock;

use indexmap::IndexMap;

use super::limits::{MAX_ARITY, MAX_TYPES, MAX_VARS};
use super::made_of::SortTable;
use super::{
    AbstractId, BOOL, EnumDecl, EnumId, MAX_CONSTRUCTORS, ProcessSorts, System, SystemParts, Type, Var,
    VarId, VarKind,
};
use crate::diagnostic::{Diagnostic, Diagnostics, Span};
use crate::spelling::nearest;
use crate::syntax::ast::{File, Item, Name, SymbolDecl, SymbolKind, TypeDecl};
use crate::syntax::unsupported;

/// How a text names no process.
pub const NIL: &str = "nil";

/// No more names than this are listed in a message.
const MOST_LISTED: usize = 8;

/// The meaning of a capitalised name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Symbol {
    Constructor(EnumId, u8),
    Var(VarId),
    /// Declared with an error, which has been reported.
    Unclear,
}

/// The use that a name is looked up for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    /// An array with this number of indices.
    Array,
    Target,
    /// A value: of a constructor, a variable, a constant.
    Value,
}

/// The declarations of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Symbols {
    /// The types, the variables and the sorts of processes; nothing else is known yet.
    pub parts: SystemParts,
    types: IndexMap<String, (Type, Option<Span>)>,
    names: IndexMap<String, (Symbol, Option<Span>)>,
}

/// Those of a file without declarations.
impl Default for &Symbols {
    fn default() -> Self {
        static NONE: LazyLock<Symbols> = LazyLock::new(Symbols::default);
        &NONE
    }
}

impl Deref for Symbols {
    type Target = SystemParts;

    fn deref(&self) -> &SystemParts {
        &self.parts
    }
}

impl Symbols {
    /// Reads all type and symbol declarations; those with errors are left out or repaired.
    pub fn collect(file: &File, sorts: Option<&SortTable>, out: &mut Diagnostics) -> Self {
        let truth_values = vec!["False".to_owned(), "True".to_owned()];
        let bool = EnumDecl { name: "bool".to_owned(), constructors: truth_values, words: Vec::new() };
        let mut symbols = Self::default();
        symbols.name_constructors(BOOL, &bool);
        symbols.parts.enums.push(bool);
        let predeclared = [
            ("bool", Type::Enum(BOOL)),
            ("mbool", Type::Enum(BOOL)),
            ("int", Type::Int),
            ("real", Type::Real),
            ("proc", Type::Proc),
        ];
        symbols.types.extend(predeclared.map(|(name, ty)| (name.to_owned(), (ty, None))));
        // Types first: declarations stand in any order.
        for item in &file.items {
            if let (Item::Type(decl), false) = (item, out.is_full()) {
                symbols.declare_type(decl, out);
            }
        }
        let of_processes = sorts.iter().flat_map(|it| it.values.keys());
        symbols.types.extend(of_processes.map(|it| (it.clone(), (Type::Proc, None))));
        for name in &file.damage.names {
            symbols.names.entry(name.clone()).or_insert((Symbol::Unclear, None));
        }
        // Each unknown type is reported where it first occurs.
        let mut unknown = Vec::new();
        for item in &file.items {
            if let (Item::Symbol(decl), false) = (item, out.is_full()) {
                symbols.declare_symbol(decl, &mut unknown, out);
            }
        }
        symbols.parts.sorts = sorts.and_then(|it| it.resolved(|name| symbols.variable(name)));
        symbols.with_nil()
    }

    /// Constructors are named without places where no text declares them.
    fn name_constructors(&mut self, id: EnumId, decl: &EnumDecl) {
        let named = |(number, name): (u8, &String)| (name.clone(), (Symbol::Constructor(id, number), None));
        self.names.extend((0..).zip(decl.words()).map(named));
    }

    /// Those of a system, without their places.
    pub fn of(system: &System) -> Self {
        let parts = SystemParts {
            enums: system.enums.clone(),
            abstracts: system.abstracts.clone(),
            vars: system.vars.clone(),
            witnesses: system.witnesses.clone(),
            sorts: system.sorts.clone(),
            ..SystemParts::default()
        };
        let mut symbols = Self { parts, ..Self::default() };
        for (id, decl) in (0..).zip(&system.enums) {
            symbols.name_constructors(EnumId(id), decl);
        }
        for (id, var) in (0..).zip(&system.vars) {
            if system.count_of(VarId(id)).is_some() {
                continue;
            }
            symbols.names.entry(var.name.clone()).or_insert((Symbol::Var(VarId(id)), None));
        }
        symbols.with_nil()
    }

    /// With the name that the text has for the constant that `nil` is.
    fn with_nil(mut self) -> Self {
        if let Some((id, _)) = (0..).zip(&self.parts.vars).find(|it| it.1.is_nil()) {
            self.add(NIL.to_owned(), Symbol::Var(VarId(id)));
        }
        self
    }

    /// The names of `part`, whose variables and enums are those of `whole` with these ids.
    pub fn within(
        part: &System,
        whole: &System,
        var: impl Fn(VarId) -> VarId,
        enumeration: impl Fn(EnumId) -> EnumId,
    ) -> Self {
        let sorts = part.sorts.as_ref().map(|it| ProcessSorts {
            array: var(it.array),
            indices: it.indices.iter().map(|(id, of)| (var(*id), of.clone())).collect(),
            pointed: it.pointed.iter().map(|(id, of)| (var(*id), *of)).collect(),
            ..it.clone()
        });
        let mut symbols = Self { names: Self::of(part).names, ..Self::of(whole) };
        symbols.parts.sorts = sorts;
        for (symbol, _) in symbols.names.values_mut() {
            *symbol = match *symbol {
                Symbol::Constructor(id, number) => Symbol::Constructor(enumeration(id), number),
                Symbol::Var(id) => Symbol::Var(var(id)),
                Symbol::Unclear => Symbol::Unclear,
            };
        }
        symbols
    }

    /// Adds a name that no text contains.
    pub fn add(&mut self, name: String, symbol: Symbol) {
        self.names.insert(name, (symbol, None));
    }

    /// Where a name is declared, unless it is predeclared.
    pub fn declaration(&self, name: &str) -> Option<Span> {
        self.names.get(name).and_then(|&(_, span)| span)
    }

    pub fn variable(&self, name: &str) -> Option<VarId> {
        if let Some(Symbol::Var(id)) = self.lookup(name) { Some(id) } else { None }
    }

    /// The declared name that differs only in the case of its letters.
    pub fn in_other_case(&self, name: &str) -> Option<&str> {
        self.names.keys().map(String::as_str).find(|known| known.eq_ignore_ascii_case(name))
    }

    /// The names that would fit this use.
    pub fn candidates(&self, wanted: Wanted) -> impl Iterator<Item = &str> {
        let fits = move |symbol: Symbol| match symbol {
            Symbol::Constructor(..) => wanted == Wanted::Value,
            Symbol::Var(id) => match self.var(id).kind {
                VarKind::Array(_) => wanted == Wanted::Array,
                VarKind::Global => wanted != Wanted::Array,
                VarKind::Const => wanted == Wanted::Value,
            },
            Symbol::Unclear => false,
        };
        self.names.iter().filter(move |(_, (symbol, _))| fits(*symbol)).map(|(name, _)| name.as_str())
    }

    /// The values of a type as a user would list them; `None` when there are none to list, or many.
    pub fn values(&self, ty: Type) -> Option<String> {
        let Type::Enum(id) = ty else { return None };
        let names: Vec<String> =
            self.enumeration(id).constructors.iter().map(|name| format!("`{name}`")).collect();
        let (last, others) = names.split_last().filter(|_| names.len() <= MOST_LISTED)?;
        Some(if others.is_empty() { last.clone() } else { format!("{} and {last}", others.join(", ")) })
    }

    /// The meaning of a capitalised name.
    pub fn lookup(&self, name: &str) -> Option<Symbol> {
        self.names.get(name).map(|&(symbol, _)| symbol)
    }

    pub fn sort_name(&self, sort: u8) -> &str {
        self.sorts.as_ref().and_then(|it| it.names.get(usize::from(sort))).map_or("", String::as_str)
    }

    fn declare_type(&mut self, decl: &TypeDecl, out: &mut Diagnostics) {
        let name = &decl.name;
        if let Some((_, previous)) = self.types.get(&name.text) {
            return duplicate("C0101", name, "type", *previous).report(out);
        }
        if self.enums.len() + self.abstracts.len() >= MAX_TYPES {
            return Diagnostic::error("C0501", name.span(), format!("more than {MAX_TYPES} types"))
                .report(out);
        }
        let Some(constructors) = &decl.constructors else {
            let id = AbstractId(self.abstracts.len() as u16);
            self.parts.abstracts.push(name.text.clone());
            self.types.insert(name.text.clone(), (Type::Abstract(id), Some(name.span())));
            return;
        };
        if let Some(first_beyond) = constructors.get(MAX_CONSTRUCTORS) {
            let message = format!("enum `{}` has {} constructors", name.text, constructors.len());
            Diagnostic::error("C0502", name.span(), message)
                .label(format!("an enum has at most {MAX_CONSTRUCTORS} constructors"))
                .also(first_beyond.span(), "the first one too many")
                .help("use an abstract type or an `int` for values that are only compared")
                .report(out);
        }
        let id = EnumId(self.enums.len() as u16);
        let mut kept = Vec::new();
        for constructor in constructors {
            let number = kept.len();
            let known = number < MAX_CONSTRUCTORS;
            let symbol = Symbol::Constructor(id, number.min(MAX_CONSTRUCTORS - 1) as u8);
            if self.declare_name(constructor, symbol, out) && known {
                kept.push(constructor.text.clone());
            }
        }
        let (constructors, words) =
            if decl.shown.is_empty() { (kept, Vec::new()) } else { (decl.shown.clone(), kept) };
        self.parts.enums.push(EnumDecl { name: name.text.clone(), constructors, words });
        self.types.insert(name.text.clone(), (Type::Enum(id), Some(name.span())));
    }

    fn declare_symbol(&mut self, decl: &SymbolDecl, unknown: &mut Vec<String>, out: &mut Diagnostics) {
        let kind = match &decl.kind {
            SymbolKind::Var => VarKind::Global,
            SymbolKind::Const => VarKind::Const,
            SymbolKind::Array(index) | SymbolKind::Total(index) => {
                let is_lost = |ty: &Name| matches!(self.names.get(&ty.text), Some((Symbol::Unclear, _)));
                let is_process = |ty: &Name| self.types.get(&ty.text).is_some_and(|it| it.0 == Type::Proc);
                for ty in index.iter().filter(|ty| !is_process(ty) && !is_lost(ty)) {
                    Diagnostic::error("C0203", ty.span(), format!("array index of type `{}`", ty.text))
                        .label("an array is indexed by processes, or by values of an enumeration or a range")
                        .write("proc")
                        .report(out);
                }
                if index.len() > MAX_ARITY {
                    let message = format!("array `{}` has {} indices", decl.name.text, index.len());
                    Diagnostic::error("C0503", decl.name.span(), message)
                        .label(format!("an array has at most {MAX_ARITY} indices"))
                        .report(out);
                }
                VarKind::Array(index.len().min(MAX_ARITY) as u8)
            }
            // The core has none.
            SymbolKind::Number(_)
            | SymbolKind::Channel(_)
            | SymbolKind::Relation(_)
            | SymbolKind::Witness(..) => return,
        };
        let ty = self.resolve_type(&decl.ty, unknown, out);
        if self.vars.len() >= MAX_VARS {
            let message = format!("more than {MAX_VARS} variables");
            return Diagnostic::error("C0501", decl.name.span(), message).report(out);
        }
        let Some(ty) = ty else {
            // No further error about a variable of unknown type.
            self.names.entry(decl.name.text.clone()).or_insert((Symbol::Unclear, Some(decl.name.span())));
            return;
        };
        let id = VarId(self.vars.len() as u16);
        if self.declare_name(&decl.name, Symbol::Var(id), out) {
            let range = self.all_values(ty);
            match (&decl.kind, ty) {
                (SymbolKind::Total(_), Type::Proc) => self.parts.witnesses.push(id),
                (SymbolKind::Total(_), _) => no_processes(&decl.ty).report(out),
                _ => {}
            }
            self.parts.vars.push(Var { name: decl.name.text.clone(), kind, ty, range, span: decl.loc.0 });
        }
    }

    fn resolve_type(&self, name: &Name, unknown: &mut Vec<String>, out: &mut Diagnostics) -> Option<Type> {
        if let Some(&(ty, _)) = self.types.get(&name.text) {
            return Some(ty);
        }
        if let Some(branch) = unsupported::type_name(&name.text) {
            return unsupported::diagnostic(name.span(), &format!("the type `{}`", name.text), branch)
                .refuse(out);
        }
        // The declaration of that type was reported, or another use of it.
        if self.lookup(&name.text) == Some(Symbol::Unclear) || unknown.contains(&name.text) {
            return None;
        }
        unknown.push(name.text.clone());
        let error = Diagnostic::error("C0102", name.span(), format!("unknown type `{}`", name.text))
            .label("not declared");
        let predeclared = match name.text.to_ascii_lowercase().as_str() {
            "integer" | "nat" | "natural" | "long" | "short" | "byte" | "uint" | "i32" | "i64" | "u32" => {
                Some("int")
            }
            "boolean" | "bit" | "logic" => Some("bool"),
            "float" | "double" | "rational" => Some("real"),
            "process" | "pid" | "thread" | "node" | "id" | "processes" | "procs" => Some("proc"),
            _ => None,
        };
        let similar = predeclared.or_else(|| nearest(&name.text, self.types.keys().map(String::as_str)));
        let instead = match name.text.to_ascii_lowercase().as_str() {
            "set" | "bag" | "multiset" | "subset" | "powerset" => Some(
                "there are no sets: `array In[proc] : bool` says for each process whether it belongs to one",
            ),
            "seq" | "sequence" | "list" | "queue" | "stack" | "vector" | "vec" | "buffer" | "channel"
            | "string" => Some(
                "a queue of at most three is declared by `channel Req[proc] : t[3] blocks`; `array A[slot] : t` over a range has places with numbers",
            ),
            "map" | "dict" | "hashmap" | "record" | "struct" => Some(
                "a record is declared by `type t = { field : bool; .. }`; `array M[proc] : t` has a value for each process",
            ),
            _ => None,
        };
        let error = match similar {
            _ if instead.is_some() => error.help(instead.unwrap_or_default()),
            Some(similar) => error.did_you_mean(similar),
            None => error.help(format!(
                "declare it: `type {0} = A | B` with its values, or `type {0}` when only equality matters",
                name.text
            )),
        };
        error.refuse(out)
    }

    fn declare_name(&mut self, name: &Name, symbol: Symbol, out: &mut Diagnostics) -> bool {
        if let Some((known, previous)) = self.names.get(&name.text)
            && (*known != Symbol::Unclear || previous.is_some())
        {
            let error = duplicate("C0103", name, "name", *previous);
            // What the name stands for is not known: nothing is said of its uses.
            self.names.insert(name.text.clone(), (Symbol::Unclear, *previous));
            return error.refuse(out);
        }
        self.names.insert(name.text.clone(), (symbol, Some(name.span())));
        true
    }
}

/// The error for a witness with values of another type than processes.
pub fn no_processes(ty: &Name) -> Diagnostic {
    Diagnostic::error("C0220", ty.span(), "the values of a witness are processes")
        .label(format!("`{}` is not a sort of processes", ty.text))
}

/// The error for a second declaration of something.
pub fn duplicate(code: &'static str, name: &Name, what: &str, previous: Option<Span>) -> Diagnostic {
    let error = Diagnostic::error(code, name.span(), format!("duplicate {what} `{}`", name.text));
    match previous {
        Some(span) => error.label("declared again").also(span, "declared here"),
        None => error.label("this is predeclared"),
    }
    .help("choose another name")
}
