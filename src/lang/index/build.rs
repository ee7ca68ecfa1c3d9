//! Walks over a tree and notes every name.

use indexmap::IndexMap;

use super::scopes::{NameKind, NamedSymbol, Role, Use};
use crate::diagnostic::Span;
use crate::syntax::ast::{
    self, Arg, Count, Expr, ExprKind, File, Item, Name, Rhs, StepKind, Term, TermKind, Transition, TypeDecl,
    Update,
};

/// The names of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Index {
    /// Everything that has a name, in the order of definition.
    pub symbols: Vec<NamedSymbol>,
    /// Where things are named, in file order.
    pub uses: Vec<Use>,
}

impl Index {
    /// The names of `file`, whose text has `length` bytes.
    pub fn new(file: &File, length: u32) -> Self {
        let mut builder = IndexBuilder { whole: Span::new(0, length), ..IndexBuilder::default() };
        for (number, item) in file.items.iter().enumerate() {
            builder.item = number;
            builder.declare(item);
        }
        for (number, item) in file.items.iter().enumerate() {
            builder.item = number;
            builder.walk(item);
        }
        let mut index = builder.index;
        index.uses.sort_by_key(|it| it.span);
        index.uses.dedup_by_key(|it| (it.span, it.symbol));
        index
    }

    /// The name at byte `offset`, its end included.
    pub fn at(&self, offset: u32) -> Option<&Use> {
        let after = self.uses.partition_point(|it| it.span.start <= offset);
        self.uses[..after].iter().rev().take(2).find(|it| offset <= it.span.end)
    }

    /// All places where a symbol is named.
    pub fn uses_of(&self, symbol: usize) -> impl Iterator<Item = &Use> {
        self.uses.iter().filter(move |it| it.symbol == symbol)
    }
}

#[derive(Default)]
struct IndexBuilder<'f> {
    index: Index,
    whole: Span,
    item: usize,
    /// By name space and name.
    globals: IndexMap<(u8, &'f str), usize>,
    /// By type and name.
    fields: IndexMap<(&'f str, &'f str), usize>,
    /// Of processes that are code, their labels and own cells: by the name with a capital letter.
    raised: IndexMap<String, usize>,
    /// Innermost last.
    locals: Vec<(&'f str, usize)>,
}

impl<'f> IndexBuilder<'f> {
    fn define(&mut self, name: &'f Name, kind: NameKind, ty: Option<&str>, scope: Span) -> usize {
        let symbol = self.index.symbols.len();
        self.index.symbols.push(NamedSymbol {
            name: name.text.clone(),
            kind,
            ty: ty.map(str::to_owned),
            definition: name.span(),
            scope,
            item: self.item,
        });
        self.note(name, symbol, Role::Definition);
        symbol
    }

    fn global(&mut self, name: &'f Name, kind: NameKind, ty: Option<&str>) {
        let symbol = self.define(name, kind, ty, self.whole);
        self.globals.entry((kind.space(), &name.text)).or_insert(symbol);
    }

    fn local(&mut self, name: &'f Name, kind: NameKind, scope: Span) {
        // The sort of several names is written once.
        let written = |it: &&Name| self.index.uses.last().is_none_or(|last| last.span != it.span());
        if let Some(sort) = name.sort.as_deref().filter(written) {
            self.named(sort, NameKind::Type, Role::Read);
        }
        let symbol = self.define(name, kind, None, scope);
        self.locals.push((&name.text, symbol));
    }

    fn note(&mut self, name: &Name, symbol: usize, role: Role) {
        self.index.uses.push(Use { span: name.span(), symbol, role, item: self.item });
    }

    /// Notes a name of one of these kinds.
    fn named(&mut self, name: &Name, kind: NameKind, role: Role) {
        let symbol = self.globals.get(&(kind.space(), name.text.as_str())).copied();
        let of_code = kind.space() == NameKind::Array.space();
        let symbol = symbol.or_else(|| self.raised.get(&name.text).copied().filter(|_| of_code));
        if let Some(symbol) = symbol {
            self.note(name, symbol, role);
        }
    }

    fn local_of(&self, name: &Name) -> Option<usize> {
        self.locals.iter().rev().find(|(local, _)| *local == name.text).map(|it| it.1)
    }

    /// Notes a name that stands for a value.
    fn value(&mut self, name: &Name, role: Role) {
        match self.local_of(name) {
            Some(symbol) => self.note(name, symbol, role),
            None => self.named(name, NameKind::Global, role),
        }
    }

    fn declare(&mut self, item: &'f Item) {
        match item {
            Item::Property(ast::Property { name: Some(name), .. }) => {
                self.global(name, NameKind::Property, None);
            }
            Item::Property(_) | Item::NumberProcs(_) | Item::Fairness(_) => {}
            Item::Type(TypeDecl { name, constructors, fields, .. }) => {
                self.global(name, NameKind::Type, None);
                for field in fields.iter().flatten() {
                    let symbol = self.define(&field.name, NameKind::Field, Some(&field.ty.text), self.whole);
                    self.fields.entry((&name.text, &field.name.text)).or_insert(symbol);
                }
                for constructor in constructors.iter().flatten() {
                    self.global(constructor, NameKind::Constructor, Some(&name.text));
                }
            }
            Item::Symbol(decl) => {
                let kind = match &decl.kind {
                    ast::SymbolKind::Var => NameKind::Global,
                    ast::SymbolKind::Const | ast::SymbolKind::Number(_) => NameKind::Const,
                    ast::SymbolKind::Channel(channel) if channel.index.is_empty() => NameKind::Global,
                    ast::SymbolKind::Array(_) | ast::SymbolKind::Channel(_) | ast::SymbolKind::Total(_) => {
                        NameKind::Array
                    }
                    ast::SymbolKind::Relation(_) | ast::SymbolKind::Witness(..) => NameKind::Predicate,
                };
                self.global(&decl.name, kind, Some(&decl.ty.text));
            }
            Item::Predicate(predicate) => self.global(&predicate.name, NameKind::Predicate, None),
            Item::Transition(transition) => self.global(&transition.name, NameKind::Transition, None),
            Item::Process(process) => self.declare_process(process),
        }
    }

    /// A name that is written with a small letter where it is defined, and with a capital one elsewhere. Its transition has the small one.
    fn raised(&mut self, name: &'f Name, kind: NameKind, ty: &str) {
        let symbol = self.define(name, kind, Some(ty), self.whole);
        let raised = ast::capital(&name.text);
        if let Some(this) = self.index.symbols.get_mut(symbol) {
            this.name.clone_from(&raised);
        }
        self.raised.entry(raised).or_insert(symbol);
        if kind == NameKind::Constructor {
            self.globals.entry((NameKind::Transition.space(), &name.text)).or_insert(symbol);
        }
    }

    fn declare_process(&mut self, process: &'f ast::ProcessDecl) {
        let labels = format!("{}_label", process.name);
        self.raised(&process.name, NameKind::Array, &labels);
        for cell in process.locals() {
            self.raised(&cell.name, NameKind::Array, &cell.ty.text);
        }
        for label in process.labels() {
            self.raised(label, NameKind::Constructor, &labels);
        }
    }

    fn process(&mut self, process: &'f ast::ProcessDecl, scope: Span) {
        process.params.iter().for_each(|name| self.local(name, NameKind::Process, scope));
        for cell in process.locals() {
            if let Some(symbol) = self.raised.get(&ast::capital(&cell.name.text)).copied() {
                self.locals.push((&cell.name.text, symbol));
            }
            self.type_name(&cell.ty);
            self.range(cell.range.as_ref());
            cell.start.iter().for_each(|it| self.typed(it, Some(&cell.ty.text)));
        }
        self.code(&process.body);
    }

    fn code(&mut self, code: &'f [ast::Step]) {
        for step in code {
            let outside = self.locals.len();
            match &step.kind {
                StepKind::Goto(label) => self.named(label, NameKind::Transition, Role::Read),
                StepKind::Await(when) | StepKind::If(when, ..) | StepKind::While(when, _) => {
                    self.formula(when);
                }
                StepKind::Assign(update) => self.update(update),
                StepKind::With(name, _) => self.local(name, NameKind::Process, step.loc.0),
                StepKind::Label(_) | StepKind::Local(_) | StepKind::Skip | StepKind::Either(_) => {}
            }
            step.kind.blocks().into_iter().for_each(|block| self.code(block));
            self.locals.truncate(outside);
        }
    }

    fn type_name(&mut self, ty: &Name) {
        self.named(ty.without_nil().as_ref().unwrap_or(ty), NameKind::Type, Role::Read);
    }

    fn walk(&mut self, item: &'f Item) {
        self.locals.clear();
        let scope = item.span();
        match item {
            Item::NumberProcs(_) => {}
            Item::Type(decl) => {
                self.range(decl.range.as_ref());
                for field in decl.fields.iter().flatten() {
                    self.type_name(&field.ty);
                    self.range(field.range.as_ref());
                }
            }
            Item::Symbol(decl) => {
                match &decl.kind {
                    ast::SymbolKind::Channel(channel) => {
                        channel.capacity.iter().for_each(|bound| self.term(bound));
                    }
                    ast::SymbolKind::Number(value) => self.term(value),
                    ast::SymbolKind::Relation(params) => {
                        return params.iter().for_each(|name| self.local(name, NameKind::Process, scope));
                    }
                    ast::SymbolKind::Witness(params, axiom) => {
                        for name in params {
                            self.local(name, NameKind::Process, scope);
                        }
                        if let Some(axiom) = axiom {
                            self.formula(axiom);
                        }
                    }
                    _ => {}
                }
                for ty in decl.index() {
                    self.named(ty, NameKind::Type, Role::Read);
                }
                self.range(decl.range.as_ref());
                self.type_name(&decl.ty);
            }
            Item::Property(_) => {
                item.params().iter().for_each(|name| self.local(name, NameKind::Process, scope));
                item.formulas().for_each(|it| self.formula(it));
            }
            Item::Fairness(fairness) => {
                self.named(&fairness.transition, NameKind::Transition, Role::Read);
            }
            Item::Predicate(predicate) => {
                predicate.params.iter().for_each(|name| self.local(name, NameKind::Argument, scope));
                self.formula(&predicate.body);
            }
            Item::Transition(transition) => self.transition(transition, scope),
            Item::Process(process) => self.process(process, scope),
        }
    }

    fn transition(&mut self, this: &'f Transition, scope: Span) {
        this.params.iter().for_each(|name| self.local(name, NameKind::Process, scope));
        this.requires.iter().for_each(|guard| self.formula(guard));
        for abbreviation in &this.lets {
            self.term(&abbreviation.value);
            let rest = Span::new(abbreviation.value.span().end, scope.end);
            self.local(&abbreviation.name, NameKind::Abbreviation, rest);
        }
        this.updates.iter().for_each(|update| self.update(update));
    }

    fn range(&mut self, bounds: Option<&'f ast::RangeBounds>) {
        if let Some(bounds) = bounds {
            self.term(&bounds.low);
            self.term(&bounds.high);
        }
    }

    fn path(&mut self, this: &'f ast::Path) {
        self.value(&this.name, Role::Read);
        this.index.iter().flatten().for_each(|it| self.term(it));
        self.fields_of(this, Role::Read);
    }

    /// Notes the fields of a path. Returns the type of what is there.
    fn fields_of(&mut self, this: &ast::Path, role: Role) -> Option<String> {
        let name = this.name.text.as_str();
        let global = || self.globals.get(&(NameKind::Array.space(), name)).or_else(|| self.raised.get(name));
        let symbol = self.local_of(&this.name).or_else(|| global().copied())?;
        let mut ty = self.index.symbols[symbol].ty.clone()?;
        for field in &this.fields {
            match self.fields.get(&(ty.as_str(), field.text.as_str())).copied() {
                Some(symbol) => {
                    ty = self.index.symbols[symbol].ty.clone()?;
                    self.note(field, symbol, role);
                }
                // Of a queue, whose type is that of its messages.
                None if field.text == "head" => {}
                None => return None,
            }
        }
        Some(ty)
    }

    /// The type of a term that is a variable, a cell or a field.
    fn type_of(&mut self, this: &Term) -> Option<String> {
        if let TermKind::Path(path) = &this.kind { self.fields_of(path, Role::Read) } else { None }
    }

    /// Notes a value of this type.
    fn typed(&mut self, this: &'f Term, ty: Option<&str>) {
        let TermKind::Record(fields) = &this.kind else { return self.term(this) };
        for (name, value) in fields {
            let symbol = ty.and_then(|ty| self.fields.get(&(ty, name.text.as_str())).copied());
            let inner = symbol.and_then(|it| self.index.symbols[it].ty.clone());
            if let Some(symbol) = symbol {
                self.note(name, symbol, Role::Read);
            }
            self.typed(value, inner.as_deref());
        }
    }

    fn update(&mut self, this: &'f Update) {
        self.value(&this.target.name, Role::Write);
        let ty = self.fields_of(&this.target, Role::Write);
        let ty = ty.as_deref();
        let outside = self.locals.len();
        for name in this.each.iter().flat_map(|(_, vars)| vars) {
            self.local(name, NameKind::Process, this.loc.0);
        }
        let binds = matches!(this.value, Rhs::Cases(_)) && this.each.is_none();
        let core = this.target.names().is_some();
        for term in this.target.index.iter().flatten() {
            match term.alone() {
                // Names among the indices are bound; a parameter stands for itself.
                Some(name) if binds && (core || name.is_small()) && self.local_of(name).is_none() => {
                    self.local(name, NameKind::Process, this.loc.0);
                }
                _ => self.term(term),
            }
        }
        this.value.formulas().for_each(|when| self.formula(when));
        this.value.terms().into_iter().for_each(|value| self.typed(value, ty));
        if let Rhs::Receive(channel) = &this.value {
            self.path(channel);
        }
        self.locals.truncate(outside);
    }

    fn formula(&mut self, this: &'f Expr) {
        match &this.kind {
            ExprKind::Compare { left, right, .. } => {
                let ty = self.type_of(left);
                self.term(left);
                self.typed(right, ty.as_deref());
            }
            ExprKind::Quantified { vars, body, .. } => {
                let outside = self.locals.len();
                for name in vars {
                    self.local(name, NameKind::Process, this.span);
                }
                self.formula(body);
                self.locals.truncate(outside);
            }
            ExprKind::Call { name, args } => {
                self.named(name, NameKind::Predicate, Role::Read);
                for arg in args {
                    match arg {
                        Arg::Term(term) => self.term(term),
                        Arg::Formula(formula) => self.formula(formula),
                    }
                }
            }
            other => other.formulas().into_iter().for_each(|part| self.formula(part)),
        }
    }

    fn term(&mut self, this: &'f Term) {
        if let TermKind::Record(fields) = &this.kind {
            for (_, value) in fields {
                self.term(value);
            }
        }
        for path in this.paths() {
            match path.alone() {
                Some(name) => self.value(name, Role::Read),
                None => self.path(path),
            }
        }
        this.counts().for_each(|count| self.count(count));
    }

    fn count(&mut self, this: &'f Count) {
        let Some(counted) = &this.of else { return };
        let outside = self.locals.len();
        self.local(&counted.var, NameKind::Process, this.span());
        counted.terms().for_each(|it| self.term(it));
        counted.formulas().for_each(|it| self.formula(it));
        self.locals.truncate(outside);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "type t = A | B
var G : proc
array S[proc] : t
predicate p (x) { S[x] = A }
init (z) { S[z] = A }
unsafe (z y) { S[z] = B && exists z. p(z) && S[G] = B }
transition go (i) requires { forall_other i. S[i] = A } { let v = B in S[j] := case | j = i : v | _ : S[j]; G := i }";

    /// Where a word stands in a line of a text, for the `nth` time.
    fn place(text: &str, line: usize, word: &str, nth: usize) -> usize {
        let start: usize = text.lines().take(line - 1).map(|line| line.len() + 1).sum();
        start + text.lines().nth(line - 1).unwrap().match_indices(word).nth(nth).unwrap().0
    }

    /// The definition that such a word refers to.
    fn definition(model: &str, line: usize, word: &str, nth: usize) -> (usize, NameKind) {
        let (file, errors) = crate::syntax::parse(model);
        assert!(errors.is_empty(), "{errors:?}");
        let index = Index::new(&file, model.len() as u32);
        let found = index.at(place(model, line, word, nth) as u32);
        let symbol = &index.symbols[found.unwrap_or_else(|| panic!("nothing at {line}: {word}")).symbol];
        (symbol.definition.start as usize, symbol.kind)
    }

    #[test]
    fn names_refer_to_their_definitions() {
        let place = |line, word, nth| place(MODEL, line, word, nth);
        for (line, word, nth, to, kind) in [
            (3, "t", 0, place(1, "t", 1), NameKind::Type),
            (4, "x", 1, place(4, "x", 0), NameKind::Argument),
            (6, "B", 0, place(1, "B", 0), NameKind::Constructor),
            (6, "z", 1, place(6, "z", 0), NameKind::Process),
            (6, "z", 3, place(6, "z", 2), NameKind::Process),
            (6, "p(", 0, place(4, "p (", 0), NameKind::Predicate),
            (6, "G", 0, place(2, "G", 0), NameKind::Global),
            (7, "i]", 0, place(7, "i.", 0), NameKind::Process),
            (7, "j]", 1, place(7, "j]", 0), NameKind::Process),
            (7, "i :", 0, place(7, "i)", 0), NameKind::Process),
            (7, "v |", 0, place(7, "v =", 0), NameKind::Abbreviation),
            (7, "S", 1, place(3, "S", 0), NameKind::Array),
        ] {
            assert_eq!(definition(MODEL, line, word, nth), (to, kind), "{line}: {word} {nth}");
        }
    }

    #[test]
    fn a_count_binds_a_name() {
        let text = "type t = A array S[proc] : t array N[proc] : int init (p) { S[p] = A }
unsafe (p) { #{p | S[p] = A} + 2 * sum{q | N[q] if S[q] = S[p]} > 1 }";
        let bound = |word| place(text, 2, word, 0);
        let refers = |word: &str, nth: usize| definition(text, 2, word, nth).0;
        assert_eq!((refers("p]", 0), refers("p]", 1)), (bound("p |"), bound("p)")));
        assert_eq!((refers("q]", 0), refers("q]", 1)), (bound("q |"), bound("q |")));
    }

    #[test]
    fn reading_and_writing_are_distinguished() {
        let (file, _) = crate::syntax::parse(MODEL);
        let index = Index::new(&file, MODEL.len() as u32);
        let roles = |name: &str| {
            let symbol = index.symbols.iter().position(|it| it.name == name).unwrap();
            index.uses_of(symbol).map(|it| (it.role, it.item)).collect::<Vec<_>>()
        };
        assert_eq!(roles("G"), [(Role::Definition, 1), (Role::Read, 5), (Role::Write, 6)]);
        assert_eq!(roles("S").iter().filter(|(role, _)| *role == Role::Write).count(), 1);
    }

    #[test]
    fn fields_belong_to_their_records() {
        let text = "type a = { kind : bool; next : b } type b = { kind : bool } var X : a array Y[proc] : b channel C : b[1] blocks
            init (p) { X = { kind = True; next = { kind = False } } && Y[p].kind = X.next.kind }
            unsafe (p) { C.head.kind = X.kind && Y[p] <> { kind = True } }
            transition t (p) { X.kind := Y[p].kind; send(C, { kind = True }) }";
        let (file, errors) = crate::syntax::parse(text);
        assert!(errors.is_empty(), "{errors:?}");
        let index = Index::new(&file, text.len() as u32);
        let fields = index.symbols.iter().enumerate().filter(|(_, it)| it.kind == NameKind::Field);
        let uses: Vec<_> = fields.map(|(at, it)| (it.name.as_str(), index.uses_of(at).count())).collect();
        assert_eq!(uses, [("kind", 4), ("next", 3), ("kind", 8)]);
    }
}
