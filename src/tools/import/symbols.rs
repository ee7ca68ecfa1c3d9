//! What a file declares: sorts, relations, constants, functions, definitions; and the variables of its formulas.

use std::collections::{BTreeMap, HashMap};

use cubicle_lang::diagnostic::{Diagnostic, Diagnostics, Span};
use cubicle_lang::list::add_new;

use super::formula::{Formula, SortId, SymbolId, Term, VarId};
use super::tree::{Definition, Expr, File, Made, Name, SymbolDecl, refuse};

/// The most arguments of a relation, as the language has it for indices of arrays.
pub(super) const MAX_ARGUMENTS: usize = 8;

/// A relation, constant or function.
#[derive(Debug)]
pub(super) struct Symbol {
    pub name: String,
    pub mutable: bool,
    pub args: Vec<SortId>,
    /// `None`: a relation.
    pub result: Option<SortId>,
    pub span: Span,
    /// Whether a formula defines it.
    pub derived: bool,
}

/// What a name stands for outside of formulas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Global {
    Symbol(SymbolId),
    /// A formula with a name, by its place among the definitions.
    Definition(usize),
    /// A transition, by its place among the transitions.
    Transition(usize),
    /// A formula of the file that has a name.
    Claim(usize),
}

#[derive(Debug)]
pub(super) struct Symbols<'f> {
    pub file: &'f File,
    pub sorts: Vec<(String, Span)>,
    /// Relations, constants and functions.
    pub all: Vec<Symbol>,
    /// The values of [sorts that are enumerations](super::enumerations).
    pub enumerations: BTreeMap<SortId, Vec<SymbolId>>,
    globals: HashMap<&'f str, Global>,
    sort_numbers: HashMap<&'f str, SortId>,
}

impl<'f> Symbols<'f> {
    /// Reads the declarations, and says what is wrong with their names.
    pub fn new(file: &'f File, errors: &mut Diagnostics) -> Self {
        let mut this = Self {
            file,
            sorts: Vec::new(),
            all: Vec::new(),
            enumerations: BTreeMap::new(),
            globals: HashMap::new(),
            sort_numbers: HashMap::new(),
        };
        for name in &file.sorts {
            let number = SortId(this.sorts.len());
            this.sorts.push((name.text.clone(), name.span));
            if let Some(first) = this.sort_numbers.insert(&name.text, number) {
                errors.push(twice(name, this.sorts[first.0].1));
            }
        }
        for decl in &file.symbols {
            this.symbol(decl, errors);
        }
        for (at, definition) in file.definitions.iter().enumerate() {
            this.global(&definition.name, Global::Definition(at), errors);
        }
        for (at, transition) in file.transitions.iter().enumerate() {
            this.global(&transition.name, Global::Transition(at), errors);
        }
        for (at, claim) in file.claims.iter().enumerate() {
            if let Some(name) = &claim.name {
                this.global(name, Global::Claim(at), errors);
            }
        }
        this
    }

    fn symbol(&mut self, decl: &'f SymbolDecl, errors: &mut Diagnostics) {
        let mut sort = |name: &Name| match self.sort(name) {
            Ok(sort) => sort,
            Err(error) => {
                errors.push(*error);
                SortId(0)
            }
        };
        let args = decl.args.iter().map(&mut sort).collect();
        let result = decl.result.as_ref().map(sort);
        let number = self.add(decl.name.text.clone(), decl.mutable, args, result, decl.name.span);
        self.all[number.0].derived = decl.derived.is_some();
        self.global(&decl.name, Global::Symbol(number), errors);
    }

    fn global(&mut self, name: &'f Name, meaning: Global, errors: &mut Diagnostics) {
        let first = self.globals.get(name.text.as_str()).copied();
        if let Some(first) = first {
            errors.push(twice(name, self.place(first)));
        } else {
            self.globals.insert(&name.text, meaning);
        }
    }

    fn place(&self, global: Global) -> Span {
        match global {
            Global::Symbol(id) => self.all[id.0].span,
            Global::Definition(at) => self.file.definitions[at].name.span,
            Global::Transition(at) => self.file.transitions[at].name.span,
            Global::Claim(at) => self.file.claims[at].name.as_ref().map_or(Span::default(), |it| it.span),
        }
    }

    pub fn sort(&self, name: &Name) -> Made<SortId> {
        self.sort_numbers.get(name.text.as_str()).copied().ok_or_else(|| {
            let what = format!("unknown sort `{}`", name.text);
            let error = Diagnostic::error("C0712", name.span, what);
            let known = self.sorts.iter().map(|it| it.0.as_str());
            Box::new(match cubicle_lang::spelling::nearest(&name.text, known) {
                Some(similar) => error.help(format!("did you mean `{similar}`?")),
                None => error,
            })
        })
    }

    pub fn lookup(&self, name: &str) -> Option<Global> {
        self.globals.get(name).copied()
    }

    /// The known name that is most like this one.
    pub fn similar(&self, name: &str) -> Option<&str> {
        let mut known: Vec<&str> = self.globals.keys().copied().collect();
        known.sort_unstable();
        cubicle_lang::spelling::nearest(name, known.into_iter())
    }

    /// What a transition modifies.
    ///
    /// # Errors
    /// A name that is not one of something that changes by itself.
    pub fn modified(&self, definition: &Definition) -> Made<Vec<SymbolId>> {
        let mut modified = Vec::new();
        for name in &definition.modifies {
            let what = match self.lookup(&name.text) {
                Some(Global::Symbol(id)) if self.get(id).derived => {
                    format!("derived relation `{}` changes with what defines it", name.text)
                }
                Some(Global::Symbol(id)) if self.get(id).mutable => {
                    add_new(&mut modified, id);
                    continue;
                }
                _ => format!("`{}` is not mutable", name.text),
            };
            return refuse("C0712", name.span, what);
        }
        Ok(modified)
    }

    pub fn get(&self, id: SymbolId) -> &Symbol {
        &self.all[id.0]
    }

    /// The values of a sort, if it is an enumeration.
    pub fn values(&self, sort: SortId) -> Option<&[SymbolId]> {
        self.enumerations.get(&sort).map(Vec::as_slice)
    }

    /// Whether a constant is a value of an enumeration.
    pub fn is_value(&self, id: SymbolId) -> bool {
        self.all[id.0].result.and_then(|it| self.values(it)).is_some_and(|it| it.contains(&id))
    }

    pub fn definition(&self, at: usize) -> &'f Definition {
        &self.file.definitions[at]
    }

    /// One more symbol, which no name of the file means.
    pub fn add(
        &mut self,
        name: String,
        mutable: bool,
        args: Vec<SortId>,
        result: Option<SortId>,
        span: Span,
    ) -> SymbolId {
        self.all.push(Symbol { name, mutable, args, result, span, derived: false });
        SymbolId(self.all.len() - 1)
    }

    /// The formula that defines a derived relation.
    pub fn derived(&self, id: SymbolId) -> Option<&'f Expr> {
        self.file.symbols[id.0].derived.as_ref()
    }
}

fn twice(name: &Name, first: Span) -> Diagnostic {
    Diagnostic::error("C0712", name.span, format!("`{}` is declared twice", name.text))
        .also(first, "here first")
}

/// The variables of all formulas, with their sorts as far as they are known: those that must be of one sort are linked.
#[derive(Debug, Default)]
pub(super) struct Vars {
    all: Vec<Var>,
}

#[derive(Clone, Debug)]
struct Var {
    name: String,
    span: Span,
    sort: Option<SortId>,
    /// Another variable of the same sort; itself at the end of the chain.
    link: VarId,
}

impl Vars {
    pub fn new_var(&mut self, name: &str, span: Span, sort: Option<SortId>) -> VarId {
        let link = VarId(self.all.len() as u32);
        self.all.push(Var { name: name.to_owned(), span, sort, link });
        link
    }

    /// A new variable of the sort of another one.
    pub fn copy(&mut self, var: VarId) -> VarId {
        let Var { name, span, .. } = self.all[var.0 as usize].clone();
        let sort = self.sort(var);
        self.new_var(&name, span, sort)
    }

    /// New variables for those that a quantifier binds, and its formula about them.
    pub fn renewed(&mut self, bound: &[VarId], body: &Formula) -> (Vec<VarId>, Formula) {
        let copies: Vec<VarId> = bound.iter().map(|it| self.copy(*it)).collect();
        let copy = |var: VarId| bound.iter().position(|it| *it == var).map(|at| Term::Var(copies[at]));
        let body = body.substitute(&copy);
        (copies, body)
    }

    pub fn name(&self, var: VarId) -> &str {
        &self.all[var.0 as usize].name
    }

    pub fn span(&self, var: VarId) -> Span {
        self.all[var.0 as usize].span
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    fn root(&self, mut var: VarId) -> VarId {
        while self.all[var.0 as usize].link != var {
            var = self.all[var.0 as usize].link;
        }
        var
    }

    pub fn sort(&self, var: VarId) -> Option<SortId> {
        self.all[self.root(var).0 as usize].sort
    }

    /// The sort of a variable of a formula in which all are known.
    pub fn known(&self, var: VarId) -> SortId {
        self.sort(var).unwrap_or(SortId(0))
    }

    /// Says that a variable has a sort; the other sort, if it has one already.
    pub fn solve(&mut self, var: VarId, sort: SortId) -> Result<(), SortId> {
        let root = self.root(var).0 as usize;
        match self.all[root].sort {
            Some(known) if known != sort => Err(known),
            _ => {
                self.all[root].sort = Some(sort);
                Ok(())
            }
        }
    }

    /// Says that two variables have one sort.
    pub fn link(&mut self, left: VarId, right: VarId) -> Result<(), (SortId, SortId)> {
        let (left, right) = (self.root(left), self.root(right));
        match (self.all[left.0 as usize].sort, self.all[right.0 as usize].sort) {
            (Some(one), Some(other)) if one != other => Err((one, other)),
            (one, other) => {
                // The older one stays, so that chains are short where one variable meets many.
                let (first, second) = (left.min(right), left.max(right));
                self.all[first.0 as usize].sort = one.or(other);
                self.all[second.0 as usize].link = first;
                Ok(())
            }
        }
    }
}
