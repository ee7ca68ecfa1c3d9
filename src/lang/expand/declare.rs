//! Declarations: their types, and the variables of the core that they stand for.

use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};

use super::make::number;
use super::types::{Expander, Full, Index, Queue, Record, Type, Values, Variable, signed};
use crate::diagnostic::{Diagnostic, Span};
use crate::model::{MAX_CONSTRUCTORS, SortTable, duplicate};
use crate::syntax::ast::{
    ChannelDecl, FieldDecl, File, Item, Name, RangeBounds, Rhs, SymbolDecl, SymbolKind, Term, TermKind,
    TypeDecl, capital,
};

/// A range with more values is a bounded integer, unless it is an index or gets any value.
const MOST_ENUMERATED: i64 = 16;

const MOST_MESSAGES: i64 = 16;

/// Most variables that one declaration stands for.
const MOST_LEAVES: usize = 1024;

/// Names of a type that no model declares.
const FULL: [&str; 3] = ["blocks", "drops", "fails"];

impl Expander {
    pub fn declare(&mut self, file: &File) {
        for item in &file.items {
            let (name, constructors) = match item {
                Item::Type(decl) => (Some(&decl.name), decl.constructors.as_deref()),
                Item::Symbol(decl) => {
                    if let SymbolKind::Number(value) = &decl.kind {
                        self.number_constant(decl, value);
                    }
                    (Some(&decl.name), None)
                }
                Item::Property(it) => (it.name.as_ref(), None),
                Item::Predicate(it) => (Some(&it.name), None),
                Item::Transition(_) | Item::NumberProcs(_) | Item::Fairness(_) | Item::Process(_) => {
                    (None, None)
                }
            };
            let names = name.into_iter().chain(constructors.into_iter().flatten());
            self.symbols.taken.extend(names.map(|it| it.text.clone()));
        }
        self.predeclared();
        let declared = Declared {
            types: file.types().rev().map(|decl| (decl.name.text.as_str(), decl)).collect(),
            enumerated: Enumerated::of(file),
            damaged: &file.damage.names,
        };
        for decl in file.types() {
            self.declare_type(decl, &declared, &mut Vec::new());
        }
        for decl in file.symbols() {
            if !matches!(decl.kind, SymbolKind::Number(_) | SymbolKind::Relation(_) | SymbolKind::Witness(..))
            {
                self.declare_variable(decl, &declared);
            }
        }
        // Nothing further is said about what a broken declaration would have declared.
        for name in file.damage.names.iter().filter(|it| it.starts_with(|c: char| c.is_ascii_uppercase())) {
            if !self.symbols.constructors.contains_key(name) {
                self.symbols.variables.entry(name.clone()).or_insert_with(|| Variable {
                    index: Vec::new(),
                    ty: Type::Core(String::new()),
                    constant: false,
                    broken: true,
                    derived: false,
                    span: Span::default(),
                    leaves: IndexMap::new(),
                });
            }
        }
        // The names of the core are known too: what is printed can be read.
        let further: Vec<(String, Variable)> = self
            .symbols
            .variables
            .values()
            .flat_map(|var| {
                var.leaves.values().map(|(leaf, ty)| {
                    let index = var.index.iter().filter(|it| **it == Index::Proc).cloned().collect();
                    let leaves = std::iter::once((String::new(), (leaf.clone(), ty.clone()))).collect();
                    (leaf.clone(), Variable { index, ty: ty.clone(), leaves, derived: true, ..var.clone() })
                })
            })
            .collect();
        for (name, variable) in further {
            self.symbols.variables.entry(name).or_insert(variable);
        }
        if let Some(mut sorts) = self.sorts_of(file) {
            file.symbols().for_each(|decl| self.sorts_of_leaves(decl, &mut sorts));
            self.sorts = Some(sorts);
        }
        self.declare_rigid(file);
    }

    /// Notes the sorts of the processes that a declared variable is indexed by and points to.
    fn sorts_of_leaves(&self, decl: &SymbolDecl, sorts: &mut SortTable) {
        let Some(variable) = self.symbols.variables.get(&decl.name.text) else { return };
        let of_processes = variable.index.iter().zip(decl.index()).filter(|(kind, _)| **kind == Index::Proc);
        let of_processes: Vec<String> = of_processes.map(|(_, it)| it.text.clone()).collect();
        for (leaf, ty) in variable.leaves.values() {
            sorts.indices.insert(leaf.clone(), of_processes.clone());
            let ty = ty.core();
            if ty == "proc" || sorts.values.contains_key(&ty) {
                sorts.pointed.insert(leaf.clone(), ty);
            }
        }
    }

    fn predeclared(&mut self) {
        let truth = Arc::new(Values {
            name: "bool".to_owned(),
            names: ["False", "True"].map(str::to_owned).to_vec(),
            low: None,
        });
        let of_truth = |(at, name): (usize, &String)| (name.clone(), (Arc::clone(&truth), at));
        self.symbols.constructors.extend(truth.names.iter().enumerate().map(of_truth));
        let types = [
            ("bool", Type::Finite(Arc::clone(&truth))),
            ("mbool", Type::Finite(truth)),
            ("int", Type::Int),
            ("real", Type::Core("real".to_owned())),
            ("proc", Type::Proc),
        ];
        for (name, ty) in types {
            self.symbols.types.insert(name.to_owned(), ty);
            self.symbols.taken.insert(name.to_owned());
        }
    }

    fn number_constant(&mut self, decl: &SymbolDecl, value: &Term) {
        let Some(number) = self.constant(value) else {
            Diagnostic::error("C0212", value.span(), format!("`{}` has no constant value", decl.name.text))
                .label("a whole number, or a sum of numbers and of constants before it, is expected")
                .report(self);
            self.symbols.numbers.insert(decl.name.text.clone(), 1);
            return;
        };
        if self.symbols.numbers.insert(decl.name.text.clone(), number).is_some() {
            Diagnostic::error("C0103", decl.name.span(), format!("duplicate name `{}`", decl.name.text))
                .report(self);
        }
    }

    /// The number that a term always is.
    pub fn constant(&self, term: &Term) -> Option<i64> {
        match &term.kind {
            TermKind::Number(number) => number.text.parse().ok(),
            TermKind::Path(path) => self.symbols.numbers.get(&path.alone()?.text).copied(),
            TermKind::Sum(summands) => {
                let mut sum = 0_i64;
                for summand in summands {
                    let value = self.constant(&summand.operand)?;
                    let factor = match &summand.factor {
                        Some(factor) => factor.text.parse::<i64>().ok()?,
                        None => 1,
                    };
                    let value = value.checked_mul(factor)?;
                    sum = if summand.negative { sum.checked_sub(value)? } else { sum.checked_add(value)? };
                }
                Some(sum)
            }
            TermKind::Remainder(of, by) => {
                let by = by.text.parse::<i64>().ok().filter(|by| *by > 0)?;
                Some(self.constant(of)?.rem_euclid(by))
            }
            TermKind::Count(_) | TermKind::Record(_) => None,
        }
    }

    fn range(&mut self, bounds: &RangeBounds, name: Option<&str>, at: Span, enumerate: bool) -> Type {
        let wrong = Type::Core("int".to_owned());
        let (Some(low), Some(high)) = (self.constant(&bounds.low), self.constant(&bounds.high)) else {
            Diagnostic::error("C0212", at, "a bound of this range is not a constant")
                .label("bounds are whole numbers, or names of constants such as `const N = 3`")
                .report(self);
            return wrong;
        };
        if low > high {
            Diagnostic::error("C0212", at, format!("the range {low}..{high} has no values"))
                .label("the least value is greater than the greatest one")
                .help(format!("did you mean `{high}..{low}`?"))
                .report(self);
            return wrong;
        }
        let count = high.checked_sub(low).and_then(|it| it.checked_add(1)).unwrap_or(i64::MAX);
        if count > 1 << 31 || low.unsigned_abs() > 1 << 40 || high.unsigned_abs() > 1 << 40 {
            Diagnostic::error("C0212", at, "a range with too many values")
                .label("at most 2^31 values, none beyond 2^40")
                .help("use `int`, which has no bounds")
                .report(self);
            return wrong;
        }
        if count > MOST_ENUMERATED && !(enumerate && count <= MAX_CONSTRUCTORS as i64) {
            return Type::Wide(low, high);
        }
        // No type that a text declares has such a name.
        let key = format!("{low}..{high}");
        if let (None, Some(known)) = (name, self.symbols.types.get(&key)) {
            return known.clone();
        }
        let wanted = format!("range_{}_{}", signed(low), signed(high));
        let core = name.map_or_else(|| self.symbols.fresh(&wanted), str::to_owned);
        let prefix = capital(&core);
        let names = (low..=high).map(|it| self.symbols.fresh(&format!("{prefix}_{}", signed(it)))).collect();
        let values = Arc::new(Values { name: core.clone(), names, low: Some(low) });
        let ty = Type::Finite(Arc::clone(&values));
        if name.is_none() {
            self.symbols.further.push(values);
            self.symbols.types.insert(key, ty.clone());
        }
        ty
    }

    fn declare_type(&mut self, decl: &TypeDecl, declared: &Declared<'_>, around: &mut Vec<String>) {
        let name = &decl.name.text;
        if self.symbols.types.contains_key(name) {
            return;
        }
        let ty = match (&decl.constructors, &decl.range, &decl.fields) {
            (Some(constructors), ..) => {
                let mut names: Vec<String> = constructors.iter().map(|it| it.text.clone()).collect();
                names.truncate(MAX_CONSTRUCTORS);
                let values = Arc::new(Values { name: name.clone(), names, low: None });
                for (at, it) in values.names.iter().enumerate() {
                    self.symbols.constructors.entry(it.clone()).or_insert((Arc::clone(&values), at));
                }
                Type::Finite(values)
            }
            (None, Some(bounds), _) => {
                let enumerate = declared.enumerated.types.contains(name);
                self.range(bounds, Some(name), decl.loc.0, enumerate)
            }
            (None, None, Some(fields)) => {
                around.push(name.clone());
                let known = self.fields_of(name, fields, declared, around);
                around.pop();
                if known.is_empty() {
                    Diagnostic::error("C0214", decl.name.span(), format!("record `{name}` has no fields"))
                        .help("write `{ field : type; field : type }`")
                        .report(self);
                    Type::Core(name.clone())
                } else {
                    Type::Record(Arc::new(Record { name: name.clone(), fields: known, queue: None }))
                }
            }
            (None, None, None) => Type::Core(name.clone()),
        };
        self.symbols.types.insert(name.clone(), ty);
    }

    /// The fields of a record with their types.
    fn fields_of(
        &mut self,
        name: &str,
        fields: &[FieldDecl],
        declared: &Declared<'_>,
        around: &mut Vec<String>,
    ) -> Vec<(String, Type)> {
        let Declared { types, enumerated, damaged } = declared;
        let mut known: Vec<(String, Type)> = Vec::new();
        for FieldDecl { name: field, ty, range } in fields {
            if known.iter().any(|(it, _)| *it == field.text) {
                let message = format!("record `{name}` has two fields `{}`", field.text);
                Diagnostic::error("C0214", field.span(), message)
                    .label("declared again")
                    .help("give one of them another name")
                    .report(self);
                continue;
            }
            if around.contains(&ty.text) {
                Diagnostic::error("C0214", ty.span(), format!("record `{}` contains itself", ty.text))
                    .label("its values would have no end")
                    .help("point to another one by a field of type `proc`")
                    .report(self);
                continue;
            }
            if let Some(inner) = types.get(ty.text.as_str()) {
                self.declare_type(inner, declared, around);
            }
            let is_known = types.contains_key(ty.text.as_str()) || self.symbols.types.contains_key(&ty.text);
            if range.is_none() && !is_known && !damaged.contains(&ty.text) {
                let names = self.symbols.types.keys().map(String::as_str).chain(types.keys().copied());
                let error = Diagnostic::error("C0102", ty.span(), format!("unknown type `{}`", ty.text))
                    .label("not declared");
                error
                    .did_you_mean_one_of(&ty.text, names, |it| it.help("declare it with `type`"))
                    .report(self);
            }
            let ty = self.named_type(ty, range.as_ref(), enumerated.fields.contains(&field.text));
            known.push((field.text.clone(), ty));
        }
        known
    }

    /// The type of this name; an unknown one is reported by the core, or here where the core has no declaration with it.
    fn named_type(&mut self, name: &Name, bounds: Option<&RangeBounds>, enumerate: bool) -> Type {
        match bounds {
            Some(bounds) => self.range(bounds, None, name.span(), enumerate),
            None => {
                self.symbols.types.get(&name.text).cloned().unwrap_or_else(|| Type::Core(name.text.clone()))
            }
        }
    }

    fn declare_variable(&mut self, decl: &SymbolDecl, declared: &Declared<'_>) {
        let name = &decl.name.text;
        if let Some(known) = self.symbols.variables.get(name) {
            let known = known.span;
            if !self.plain_declaration(decl) || self.symbols.is_special(name) {
                duplicate("C0103", &decl.name, "name", Some(known)).report(self);
            }
            return;
        }
        let enumerate = declared.enumerated.variables.contains(name);
        let element = self.named_type(&decl.ty, decl.range.as_ref(), enumerate);
        let ty = match &decl.kind {
            SymbolKind::Channel(channel) => self.queue(decl, channel, element),
            _ => element,
        };
        let index = decl.index();
        let is_lost =
            |it: &Name| declared.damaged.contains(&it.text) && !self.symbols.types.contains_key(&it.text);
        let mut broken = is_lost(&decl.ty) || index.iter().any(is_lost);
        let is_witness = matches!(decl.kind, SymbolKind::Total(_));
        let index = index.iter().map(|it| match self.symbols.types.get(&it.text) {
            Some(Type::Finite(values)) if !is_witness => {
                self.symbols.indices.insert(it.text.clone());
                Index::Finite(Arc::clone(values))
            }
            Some(Type::Wide(low, high)) => {
                let error =
                    Diagnostic::error("C0212", it.span(), format!("an index with {} values", high - low + 1))
                        .label(format!("an index has at most {MAX_CONSTRUCTORS} values"));
                self.diagnostics.push(error);
                broken = true;
                Index::Proc
            }
            // The core reports what is not a process.
            _ => Index::Proc,
        });
        let index: Vec<Index> = index.collect();
        let mut leaves = IndexMap::new();
        let mut keys = vec![(String::new(), name.clone())];
        for at in &index {
            let Index::Finite(values) = at else { continue };
            keys = keys
                .iter()
                .flat_map(|(key, core)| {
                    (0..values.names.len())
                        .map(move |at| (format!("{key}[{at}]"), format!("{core}_{}", values.part(at))))
                })
                .take(MOST_LEAVES + 1)
                .collect();
        }
        let mut all = Vec::new();
        for (key, core) in keys {
            flatten(&ty, key, core, &mut all);
            if all.len() > MOST_LEAVES {
                let message = format!("`{name}` stands for more than {MOST_LEAVES} variables");
                Diagnostic::error("C0506", decl.name.span(), message)
                    .label("one for each value of its indices, each field and each place of a queue")
                    .help("use smaller types, or an index of type `proc`")
                    .report(self);
                all.truncate(1);
                broken = true;
                break;
            }
        }
        for (key, core, ty) in all {
            let core = if core == *name { core } else { self.symbols.fresh(&core) };
            leaves.insert(key, (core, ty));
        }
        let constant = decl.kind == SymbolKind::Const;
        let derived = false;
        let variable = Variable { index, ty, constant, broken, derived, span: decl.loc.0, leaves };
        self.symbols.variables.insert(name.clone(), variable);
    }

    /// Whether the core has such declarations.
    fn plain_declaration(&self, decl: &SymbolDecl) -> bool {
        let process = |it: &Name| !matches!(self.symbols.types.get(&it.text), Some(Type::Finite(_)));
        decl.range.is_none()
            && match &decl.kind {
                SymbolKind::Array(index) => index.iter().all(process),
                SymbolKind::Var | SymbolKind::Const | SymbolKind::Total(_) => true,
                SymbolKind::Number(_)
                | SymbolKind::Channel(_)
                | SymbolKind::Relation(_)
                | SymbolKind::Witness(..) => false,
            }
    }

    fn queue(&mut self, decl: &SymbolDecl, channel: &ChannelDecl, element: Type) -> Type {
        let name = &decl.name.text;
        if let Some(second) = channel.capacity.get(1) {
            Diagnostic::error("C0216", second.span(), "a queue of queues")
                .label("a message is not a queue")
                .help("give the channel a further index, or the message a field")
                .report(self);
        }
        let bound = channel.capacity.first().and_then(|it| self.constant(it));
        let capacity = match bound {
            Some(bound) if (1..=MOST_MESSAGES).contains(&bound) => usize::try_from(bound).unwrap_or(1),
            _ => {
                let at = channel.capacity.first().map_or(decl.loc.0, Term::span);
                Diagnostic::error("C0216", at, format!("how many messages `{name}` holds"))
                    .label(format!("a constant between 1 and {MOST_MESSAGES} is expected"))
                    .report(self);
                1
            }
        };
        let mut full = None;
        for word in &channel.words {
            let found = FULL.iter().position(|it| *it == word.text);
            match found {
                Some(at) if full.is_none() => full = Some([Full::Blocks, Full::Drops, Full::Fails][at]),
                None if matches!(word.text.as_str(), "lossy" | "duplicating") => {}
                _ => Diagnostic::error("C0216", word.span(), format!("`{}` says nothing about a channel", word.text))
                        .label("expected: one of `blocks`, `drops` and `fails`, then `lossy` and `duplicating` where they apply").report(self),
            }
        }
        if full.is_none() {
            Diagnostic::error("C0216", decl.name.span(), format!("what does `{name}` do when it is full?"))
                    .label("its declaration does not say")
                    .help("write `blocks` (who sends waits), `drops` (the message is lost) or `fails` (an error) at its end").report(self);
        }
        let has = |word: &str| channel.words.iter().any(|it| it.text == word);
        let queue = Queue {
            capacity,
            full: full.unwrap_or(Full::Blocks),
            lossy: has("lossy"),
            duplicating: has("duplicating"),
        };
        let high = number(capacity as i64, decl.loc);
        let bounds = RangeBounds { low: number(0, decl.loc), high };
        let length = self.range(&bounds, None, decl.loc.0, true);
        let mut fields: Vec<(String, Type)> =
            (0..capacity).map(|at| (at.to_string(), element.clone())).collect();
        fields.push(("length".to_owned(), length));
        Type::Record(Arc::new(Record { name: name.clone(), fields, queue: Some(queue) }))
    }
}

/// The variables for the fields of a type, by keys.
fn flatten(ty: &Type, key: String, core: String, out: &mut Vec<(String, String, Type)>) {
    let Type::Record(record) = ty else {
        out.push((key, core, ty.clone()));
        return;
    };
    for (field, ty) in &record.fields {
        if out.len() <= MOST_LEAVES {
            flatten(ty, format!("{key}.{field}"), format!("{core}_{field}"), out);
        }
    }
}

struct Declared<'f> {
    types: IndexMap<&'f str, &'f TypeDecl>,
    enumerated: Enumerated,
    /// Names of broken declarations.
    damaged: &'f [String],
}

/// Ranges whose values have to be enumerated: they are indices, or a cell of theirs gets any value.
#[derive(Default)]
struct Enumerated {
    types: IndexSet<String>,
    variables: IndexSet<String>,
    fields: IndexSet<String>,
}

impl Enumerated {
    fn of(file: &File) -> Self {
        let mut found = Self::default();
        for item in &file.items {
            match item {
                Item::Symbol(decl) if !matches!(decl.kind, SymbolKind::Total(_)) => {
                    found.types.extend(decl.index().iter().map(|it| it.text.clone()));
                }
                Item::Transition(transition) => {
                    for update in transition.updates.iter().filter(|it| it.value == Rhs::Nondet) {
                        let path = &update.target;
                        found.variables.insert(path.name.text.clone());
                        found.fields.extend(path.fields.iter().map(|it| it.text.clone()));
                    }
                }
                _ => {}
            }
        }
        // The types of these variables, and of the fields of those that are records.
        let variables = file.symbols().filter(|it| found.variables.contains(&it.name.text));
        let mut open: Vec<String> = variables.map(|it| it.ty.text.clone()).collect();
        while let Some(name) = open.pop() {
            if !found.types.insert(name.clone()) {
                continue;
            }
            let decl = file.types().find(|it| it.name.text == name);
            for field in decl.iter().filter_map(|it| it.fields.as_ref()).flatten() {
                found.fields.insert(field.name.text.clone());
                open.push(field.ty.text.clone());
            }
        }
        found
    }
}
