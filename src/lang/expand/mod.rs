//! The extended language in terms of the core.
//!
//! In: a syntax tree. Out: a tree of the core language, with the places of the original, which `model` reads. Ranges become
//! enumerations or bounded integers, records and queues a variable for each part, arrays over finite types one for each value of
//! the index. A declaration that uses nothing of this stays as it is.
//!
//! In reading order: `types` and `declare` (declarations, and the variables that they stand for), `terms` and `formulas` (which depend on values of
//! cells: one way for each), `updates` (what a step writes, and when it ends in an error), `transitions` (one or several).

mod always;
mod code;
mod declare;
mod facts;
mod formulas;
mod initially;
mod make;
mod nil;
mod processes;
mod sorts;
mod substitute;
mod terms;
mod transitions;
mod types;
mod updates;
mod watched;
mod witnesses;

pub(crate) use self::formulas::quantifiers;
pub use self::types::Expander;

use self::always::without_always;
use self::make::words_of;
use self::nil::without_nil;
use self::processes::without_processes;
use self::substitute::with_counted;
use self::types::{Index, Trouble, Type, Values};

use std::borrow::Cow;
use std::fmt::Write as _;

use indexmap::IndexSet;

use crate::diagnostic::{Checked, Diagnostic, Span};
use crate::model::{Families, Family, MadeOf, NIL, duplicate, no_processes};
use crate::syntax::Reads;
use crate::syntax::ast::{
    Comparison, Expr, ExprKind, File, Item, Loc, Name, Path, Predicate, Property, PropertyKind, Rhs,
    SymbolDecl, SymbolKind, Term, TypeDecl, Update,
};

/// A file in the core language.
#[derive(Clone, Debug)]
pub struct Expansion {
    pub file: File,
    /// What is wrong with the original.
    pub diagnostics: Vec<Diagnostic>,
    pub made_of: MadeOf,
}

/// Whether a predicate mentions names that are not its own: those of the place where it is used.
fn is_open(predicate: &Predicate) -> bool {
    let mut reads = Reads::default();
    reads.formula(&predicate.body);
    reads.cells.iter().any(|(cell, bound)| {
        let name = &cell.name;
        let own = predicate.params.iter().any(|it| it.text == name.text) || bound.contains(&name.text);
        name.is_small() && !own && name.text != NIL
    })
}

/// A file in the core language; the file itself when it uses nothing else.
pub fn expand(file: &File) -> Expansion {
    Expander::default().expansion(file)
}

impl Expander {
    /// Reads a model.
    pub fn of(file: &File) -> Self {
        let mut expander = Self::default();
        expander.expansion(file);
        Self { diagnostics: Vec::new(), spent: 0, ..expander }
    }

    /// The declarations that other declarations stand for: of processes that are code, of pointers that may be `nil`, and `always`.
    fn plain<'f>(&mut self, file: &'f File) -> Cow<'f, File> {
        let mut found = Vec::new();
        let file = without_processes(file, &mut found);
        let (file, nil) = without_nil(file, &mut found);
        let file = without_always(file, &mut found);
        for it in found {
            it.report(self);
        }
        self.nil = nil;
        file
    }

    /// A formula in the names of the model, in the core language.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn asked(&mut self, formula: &Expr) -> Checked<Expr> {
        self.has_sorts(formula);
        let formula = self.formula(formula);
        self.checked(formula)
    }

    fn checked<T>(&mut self, made: T) -> Checked<T> {
        let found = std::mem::take(&mut self.diagnostics);
        if found.is_empty() { Ok(made) } else { Err(found) }
    }

    /// Claims in the names of the model, in the core language.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn claims(&mut self, claims: &File) -> Checked<File> {
        self.are_sorts(claims, &self.sorts.clone().unwrap_or_default());
        let mut found = Vec::new();
        let mut claims = without_always(Cow::Borrowed(claims), &mut found).into_owned();
        for it in found {
            it.report(self);
        }
        for item in &mut claims.items {
            if let Item::Property(claim) = item {
                claim.body = self.formula(&claim.body);
                self.checked(())?;
            }
        }
        Ok(claims)
    }

    /// The right-hand side of an update in the names of the model, in the core language.
    ///
    /// # Errors
    /// What is wrong with it, or that it is not a single term there.
    pub fn value_of(&mut self, value: &Rhs) -> Checked<Rhs> {
        let mut value = value.clone();
        match &mut value {
            Rhs::Term(term) => *term = self.single(term),
            Rhs::Cases(cases) => {
                for case in cases {
                    case.when = case.when.as_ref().map(|it| self.formula(it));
                    case.value = self.single(&case.value);
                }
            }
            _ => {}
        }
        self.checked(value)
    }

    /// A term that is one of the core.
    fn single(&mut self, term: &Term) -> Term {
        if self.is_core_term(term) {
            return term.clone();
        }
        match self.value(term).as_deref() {
            Some([way]) if way.fixed.is_empty() && way.needs.is_empty() => Self::core_term(&way.it, term.loc),
            Some(_) => {
                let message = format!("`{term}` depends on values of other cells");
                Diagnostic::error("C0213", term.span(), message)
                    .label("one variable is expected here")
                    .help("tell the values apart by a `case`")
                    .report(self);
                term.clone()
            }
            None => term.clone(),
        }
    }

    fn expansion(&mut self, file: &File) -> Expansion {
        let file = &*self.plain(file);
        self.declare(file);
        let mut types = Vec::new();
        let mut symbols = Vec::new();
        let mut rest = Vec::new();
        for item in &file.items {
            match item {
                Item::NumberProcs(_) => types.push(item.clone()),
                Item::Type(decl) => self.type_decl(decl, &mut types),
                Item::Symbol(decl) => match &decl.kind {
                    SymbolKind::Relation(params) => self.relation(decl, params, &mut symbols),
                    SymbolKind::Witness(params, axiom) => {
                        self.witness(decl, params, axiom.as_deref(), &mut symbols, &mut rest);
                    }
                    SymbolKind::Total(index) => {
                        self.symbol(decl, &mut symbols);
                        self.values_of_sort(decl, index, &mut rest);
                    }
                    _ => self.symbol(decl, &mut symbols),
                },
                Item::Property(property) => {
                    let watched = self.watched(property, file, &mut symbols);
                    let (watch, property) = watched.map_or((None, property.clone()), |it| (Some(it.0), it.1));
                    self.initially = property.kind == PropertyKind::Init;
                    let body = self.formula(&property.body);
                    self.initially = false;
                    let then = property.then.as_ref().map(|it| self.formula(it));
                    rest.push(Item::Property(Property { body, then, ..property }));
                    let watch = watch.map(|it| self.transition(&it)).unwrap_or_default();
                    rest.extend(watch.into_iter().map(Item::Transition));
                }
                Item::Fairness(_) => rest.push(item.clone()),
                Item::Predicate(predicate) => {
                    if !self.predicate(predicate) {
                        rest.push(item.clone());
                    }
                }
                // `without_processes` leaves none.
                Item::Process(_) => {}
                Item::Transition(transition) => {
                    for update in &transition.updates {
                        self.never_assigned(&update.target.name);
                    }
                    rest.extend(self.transition(transition).into_iter().map(Item::Transition));
                }
            }
        }
        let families = self.families();
        let mentioned = self.mentioned(file, &rest);
        for values in std::mem::take(&mut self.symbols.further) {
            let span = Span::default();
            types.push(Item::Type(range_type(&values, Name::at(&values.name, Loc(span)), Loc(span))));
        }
        self.further(&mut types, &mut symbols, &mut rest);
        if let Some(sorts) = self.sorts.clone() {
            self.are_sorts(file, &sorts);
            let (ty, array) = sorts.declarations();
            types.retain(|it| !matches!(it, Item::Type(TypeDecl { below: Some(_), .. })));
            types.extend([ty, array]);
        }
        let items = types.into_iter().chain(symbols).chain(rest).collect();
        Expansion {
            file: File { items, damage: file.damage.clone() },
            diagnostics: self.diagnostics.clone(),
            made_of: MadeOf {
                families: Families::new(families),
                indices: self.symbols.indices.clone(),
                sorts: self.sorts.clone(),
                mentioned,
            },
        }
    }

    /// The variables that the text of each `invariant` mentions, itself or by a predicate. Of a variable that is several in the core, those
    /// that the core mentions and the fields that the text names; all where these are none, since simplification took what was said.
    fn mentioned(&self, file: &File, core: &[Item]) -> Vec<(Span, Vec<String>)> {
        let invariants = file.properties().filter(|it| it.kind == PropertyKind::Invariant);
        let of = |property: &Property| {
            let mut text = property.body.to_string();
            let mut words = words_of(&text);
            let mut at = 0;
            while let Some(word) = words.get_index(at) {
                if let Some(predicate) = file.predicates().find(|it| it.name.text == *word) {
                    let _ = write!(text, " {}", predicate.body);
                    words.extend(words_of(&predicate.body));
                }
                at += 1;
            }
            let mut in_core = IndexSet::new();
            for item in core {
                if let Item::Property(it) = item
                    && it.loc.0 == property.loc.0
                {
                    in_core.extend(words_of(&it.body));
                }
            }
            let nil = self.nil.iter().filter(|_| words.contains(NIL));
            let variables = words.iter().chain(nil);
            let variables = variables.filter_map(|it| self.symbols.variables.get_key_value(it));
            let leaves = variables.flat_map(|(name, variable)| {
                let leaves = || variable.leaves.iter().map(|(key, leaf)| (key, &leaf.0));
                let is_said = |&(key, leaf): &(&String, &String)| {
                    in_core.contains(leaf) || names_field(&text, name, key)
                };
                let some = leaves().any(|it| is_said(&it));
                leaves().filter(|it| !some || is_said(it)).map(|it| it.1.clone()).collect::<Vec<_>>()
            });
            (property.loc.0, leaves.collect())
        };
        invariants.map(of).collect()
    }

    fn families(&self) -> Vec<Family> {
        let own = self.symbols.variables.iter().filter(|(_, it)| !it.derived && !it.is_core());
        own.map(|(name, it)| Family {
            span: it.span,
            name: name.clone(),
            index: it.index.iter().map(Index::shown).collect(),
            form: it.ty.form(),
            leaves: it.leaves.values().map(|leaf| leaf.0.clone()).collect(),
        })
        .collect()
    }

    fn type_decl(&mut self, decl: &TypeDecl, out: &mut Vec<Item>) {
        if decl.range.is_none() && decl.fields.is_none() {
            out.push(Item::Type(decl.clone()));
            return;
        }
        let known = out.iter().find_map(|it| match it {
            Item::Type(known) if known.name.text == decl.name.text => Some(known.name.span()),
            _ => None,
        });
        let predeclared = matches!(decl.name.text.as_str(), "bool" | "mbool" | "int" | "real" | "proc");
        if known.is_some() || predeclared {
            return duplicate("C0101", &decl.name, "type", known).report(self);
        }
        if let Some(Type::Finite(values)) = self.symbols.types.get(&decl.name.text).cloned()
            && decl.range.is_some()
        {
            out.push(Item::Type(range_type(&values, decl.name.clone(), decl.loc)));
        }
    }

    /// An array that nothing assigns, and a predicate for it, which is written out.
    fn relation(&mut self, decl: &SymbolDecl, params: &[Name], symbols: &mut Vec<Item>) {
        if let Some((known, _)) = self.predicates.get(&decl.name.text) {
            let known = known.name.span();
            return duplicate("C0107", &decl.name, "relation", Some(known)).report(self);
        }
        let array = self.rigid_array(decl, params, "relation", SymbolKind::Array, symbols);
        let plain: Vec<Name> = params.iter().map(Name::plain).collect();
        let loc = decl.loc;
        let cell = Term::path(Path::cell(array, plain.clone()), loc);
        let body = Expr::compare(cell, Comparison::Eq, Term::named("True", loc), loc.0);
        let predicate = Predicate { name: decl.name.clone(), params: plain, body, loc };
        self.predicates.insert(decl.name.text.clone(), (predicate, true));
    }

    fn symbol(&mut self, decl: &SymbolDecl, out: &mut Vec<Item>) {
        let Some(variable) = self.symbols.variables.get(&decl.name.text).cloned() else {
            if !matches!(decl.kind, SymbolKind::Number(_)) {
                out.push(Item::Symbol(decl.clone()));
            }
            return;
        };
        if variable.is_core() || variable.span != decl.loc.0 {
            // A wrong range has an error.
            out.push(Item::Symbol(SymbolDecl { range: None, ..decl.clone() }));
            return;
        }
        if let SymbolKind::Total(_) = decl.kind {
            no_processes(&decl.ty).report(self);
            return;
        }
        for (leaf, ty) in variable.leaves.values() {
            let kinds = variable.index.iter().zip(decl.index());
            let index: Vec<Name> =
                kinds.filter(|(kind, _)| **kind == Index::Proc).map(|(_, name)| name.clone()).collect();
            let kind = match (index.is_empty(), variable.constant) {
                (false, _) => SymbolKind::Array(index),
                (true, true) => SymbolKind::Const,
                (true, false) => SymbolKind::Var,
            };
            let name = Name::at(leaf, decl.name.loc);
            let ty = Name::at(ty.core(), decl.ty.loc);
            out.push(Item::Symbol(SymbolDecl { kind, name, ty, range: None, loc: decl.loc }));
        }
    }

    /// Notes a predicate. Returns whether it is written out where it is used.
    fn predicate(&mut self, predicate: &Predicate) -> bool {
        let written_out = self.sorts.is_some() || !self.is_core(&predicate.body);
        if self.predicates.contains_key(&predicate.name.text) {
            return false;
        }
        let body = if written_out { self.with_open(&predicate.body) } else { predicate.body.clone() };
        let name = predicate.name.text.clone();
        self.predicates.insert(name, (Predicate { body, ..predicate.clone() }, written_out));
        written_out
    }

    /// The formula of a predicate, with those of predicates that mention further names in place: these are names here, and may be parameters.
    fn with_open(&mut self, expr: &Expr) -> Expr {
        match &expr.kind {
            ExprKind::Quantified { quantifier, vars, body } => {
                let body = Box::new(self.with_open(body));
                expr.rebuilt(ExprKind::Quantified { quantifier: *quantifier, vars: vars.clone(), body })
            }
            ExprKind::Compare { op, left, right } => {
                let [left, right] = [left, right].map(|it| with_counted(it, &mut |it| self.with_open(it)));
                expr.rebuilt(ExprKind::Compare { op: *op, left, right })
            }
            ExprKind::Call { name, args } => {
                let open = self.predicates.get(&name.text).filter(|it| is_open(&it.0)).cloned();
                match open.and_then(|(predicate, _)| formulas::in_place(&predicate, args)) {
                    Some(body) if self.spend(body.to_string().len()) => {
                        Expr { span: expr.span, parenthesised: true, ..body }
                    }
                    _ => expr.clone(),
                }
            }
            _ => expr.with_operands(&mut |it| self.with_open(it)),
        }
    }

    /// The update that says what went wrong.
    fn trouble(&mut self, trouble: &Trouble, at: Span) -> Update {
        let value = self.troubles.entry(trouble.clone());
        let value = value.or_insert_with(|| self.symbols.fresh(&trouble.value())).clone();
        let target = self.trouble.get_or_insert_with(|| self.symbols.fresh("Trouble")).clone();
        let loc = Loc(at);
        Update::new(Path::of(Name::at(target, loc)), Rhs::Term(Term::named(value, loc)), loc)
    }

    /// A variable with any value of a type.
    fn any_value(&mut self, ty: &Type, number: usize, at: Loc) -> Name {
        let known = self.any.entry((ty.core(), number));
        let text = known.or_insert_with(|| self.symbols.fresh(&format!("Any_{}_{number}", ty.core())));
        Name::at(text.as_str(), at)
    }

    /// Declarations that are not in the text: of the variables above, what says that no error happens, and what else `init` says.
    fn further(&mut self, types: &mut Vec<Item>, symbols: &mut Vec<Item>, rest: &mut Vec<Item>) {
        symbols.extend(self.any.iter().map(|((ty, _), variable)| make::variable(variable, ty)));
        let mut initially = Vec::new();
        if let Some(variable) = self.trouble.clone() {
            let nowhere = Loc::default();
            let none = self.symbols.fresh("None_so_far");
            let ty = self.symbols.fresh("trouble");
            let values = std::iter::once(&none).chain(self.troubles.values());
            let constructors = Some(values.map(|it| Name::at(it, nowhere)).collect());
            types.push(Item::Type(TypeDecl {
                constructors,
                ..TypeDecl::new(Name::at(ty.clone(), nowhere), nowhere)
            }));
            symbols.push(make::variable(&variable, &ty));
            let holds = |value: &str, at: Span| {
                let (left, right) = (Term::named(&variable, nowhere), Term::named(value, nowhere));
                Expr::compare(left, Comparison::Eq, right, at)
            };
            for (trouble, value) in &self.troubles {
                let owner = self.symbols.variables.get(&trouble.owner);
                let loc = Loc(owner.map_or(Span::default(), |it| it.span));
                let name = Some(Name::at(self.symbols.fresh(&trouble.property()), loc));
                let never = Property::new(PropertyKind::Unsafe, name, holds(value, loc.0), loc);
                rest.push(Item::Property(never));
            }
            initially.push(holds(&none, Span::default()));
        }
        initially.extend(self.nothing_seen());
        for item in rest.iter_mut() {
            if let Item::Property(init) = item
                && init.kind == PropertyKind::Init
            {
                self.bounded_initially(init, &initially);
            }
        }
    }
}

/// The declaration of the enumeration that a range is.
fn range_type(values: &Values, name: Name, loc: Loc) -> TypeDecl {
    let constructors = values.names.iter().map(|it| Name::at(it, name.loc)).collect();
    let low = values.low.unwrap_or(0);
    let shown = (0..values.names.len() as i64).map(|at| (low + at).to_string()).collect();
    TypeDecl { constructors: Some(constructors), shown, ..TypeDecl::new(name, loc) }
}

/// Whether a formula names the field of this key of a variable, or a record that it is a part of: `X.field`, `A[i].field`.
fn names_field(formula: &str, variable: &str, key: &str) -> bool {
    let fields = key.find('.').map_or("", |at| &key[at..]);
    let is_word = |it: char| it.is_alphanumeric() || it == '_' || it == '\'';
    formula.match_indices(variable).any(|(at, _)| {
        let mut depth = 0;
        let after = formula[at + variable.len()..].trim_start_matches(|it| {
            depth += i32::from(it == '[');
            let is_index = depth > 0;
            depth -= i32::from(it == ']');
            is_index
        });
        let end = after.find(|it| it != '.' && !is_word(it)).unwrap_or(after.len());
        let rest = fields.strip_prefix(&after[..end]);
        let is_part = rest.is_some_and(|it| it.is_empty() || it.starts_with('.'));
        end > 0 && is_part && !formula[..at].ends_with(is_word)
    })
}

#[cfg(test)]
mod tests {
    /// The declarations of the system of a model that begin with this word.
    fn core(model: &str, word: &str) -> Vec<String> {
        let loaded = crate::load(model).unwrap_or_else(|errors| panic!("{errors}"));
        let text = crate::words::model(&loaded.system);
        crate::load(&text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
        let words = |it: &str| it.split_whitespace().collect::<Vec<_>>().join(" ");
        text.split("\n\n").map(words).filter(|it| it.starts_with(word)).collect()
    }

    #[test]
    fn a_guard_that_keeps_the_range_needs_no_error() {
        let model = |guard: &str| {
            format!(
                "var Count : 0..2 var Wide : 0..99 init {{ Count = 0 && Wide = 0 }} unsafe {{ Count = 2 && Wide = 5 }}
                 transition up () requires {{ {guard} }} {{ Count := Count + 1; Wide := Wide + 2 }}"
            )
        };
        assert_eq!(core(&model("Count < 2 && Wide <= 97"), "transition").len(), 1);
        assert_eq!(core(&model("Count <> 2 && Wide = 4"), "unsafe").len(), 1);
        let both = core(&model("true"), "transition");
        assert_eq!(both.len(), 3, "{both:?}");
        assert!(
            both[0].contains("Count = Range_0_2_2") && both[0].contains(":= Count_left_its_range"),
            "{both:?}"
        );
        assert!(both[2].contains("Wide <= 97"), "{both:?}");
    }

    #[test]
    fn models_of_the_core_stay_as_they_are() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut changed = Vec::new();
        for folder in ["examples", "tests/pass", "tests/traps"] {
            for path in std::fs::read_dir(root.join(folder)).expect("a folder") {
                let path = path.expect("a file").path();
                let Ok(text) = std::fs::read_to_string(&path) else { continue };
                let Ok(loaded) = crate::load(&text) else { continue };
                if super::expand(&loaded.file).file != loaded.file {
                    changed.extend(path.file_stem().map(|it| it.to_string_lossy().into_owned()));
                }
            }
        }
        changed.sort();
        let extended = "
            L31 L32 L34 L35 L36 L37 L38 L39 L40 L41 L42 L43 L44 L45 L46 L47 L48 L49 L50 L51 L52 L53 L54 L55
            L60 L61 L62 L63 L65 L66 L67 L70 L71 L72 L73 T31 T32 T33 T34 alternating_bit case_of_one_cell cells
            clh_lock clh_lock_wrong client_server client_server_wrong code code_futex code_mcs code_peterson
            code_queue code_seqlock dijkstra_scholten dragon firewall firewall_wrong mesi_directory
            msi_directory msi_directory_wrong nil paxos paxos_lemmas paxos_lemmas_wrong paxos_wrong process
            queues raft_election raft_prevote ranges records remainders ring_election seqlock_writers sorts
            toy_consensus toy_consensus_wrong two_locks two_locks_wrong whole witnesses
        ";
        assert_eq!(changed, extended.split_whitespace().collect::<Vec<_>>());
    }

    #[test]
    fn values_of_ranges_are_shown_as_numbers() {
        let text = "type slot = -1..1 var X : slot array A[proc] : 0..40 init (p) { X = 0 && A[p] = 3 }
                    unsafe (p) { X = 1 && A[p] > 9 } transition t (p) requires { X < 1 && A[p] < 40 } { X := X + 1; A[p] := A[p] + 1 }";
        let system = crate::load(text).expect("a model").system;
        let cube = &system.bad[0].cube;
        let name = |_| "p".to_owned();
        let shown: Vec<String> = cube.iter().map(|it| crate::words::literal(&system, it, &name)).collect();
        assert_eq!(shown, ["X = 1", "10 <= A[p]"]);
    }
}
