//! Finds what the original Cubicle (version 1.2) does not understand in a model: it refuses it, or takes it for something
//! else. `quantifiers`: where they may stand; here, the rest.

mod quantifiers;

use indexmap::{IndexMap, IndexSet};

use self::quantifiers::Shapes;
use crate::diagnostic::{BYTE_ORDER_MARK, Diagnostic, MAX_ERRORS, Span};
use crate::syntax::ast::{
    Arg, Expr, ExprKind, File, Item, Name, Number, Path, Predicate, Property, PropertyKind, Rhs, Summand,
    SymbolKind, Term, TermKind, Transition, TypeDecl, Update, Wording,
};

/// Finds what is beyond the original language in `file`, which has the text `text` and no errors: an error for each place, in
/// the order of the file, at most [`MAX_ERRORS`].
pub fn beyond_original(file: &File, text: &str) -> Vec<Diagnostic> {
    let mut seen = Beyond { text, ..Beyond::default() };
    if text.starts_with(BYTE_ORDER_MARK) {
        seen.refuse(Span::new(0, 0), "a byte order mark", "save the file without it");
    }
    let mut latest = 0;
    for item in &file.items {
        let place = match item {
            Item::NumberProcs(_) => 0,
            Item::Type(_) => 1,
            Item::Symbol(_) => 2,
            _ => 3,
        };
        if place < latest {
            let help =
                "`number_procs` first, then types, then `var`, `const` and `array`, then everything else";
            seen.refuse(item.span(), "free order of declarations", help);
        }
        latest = latest.max(place);
        seen.item(item);
    }
    seen.found.sort_by_key(|it| it.primary.span);
    seen.found.truncate(MAX_ERRORS);
    seen.found
}

const INSTEAD_OF_RANGES: &str = "declare a type with a constructor for each value, or `int`";

const INSTEAD_OF_RECORDS: &str = "declare a variable or an array for each field";

/// Facts about the declarations so far, and the errors found.
#[derive(Default)]
struct Beyond<'a> {
    text: &'a str,
    found: Vec<Diagnostic>,
    constants: IndexSet<&'a str>,
    shapes: Shapes<'a>,
    /// For each predicate, which of its parameters have to be processes: they are indices, or summands.
    strict_params: IndexMap<&'a str, Vec<bool>>,
}

impl<'a> Beyond<'a> {
    fn refuse(&mut self, span: Span, what: &str, help: &str) {
        let error = Diagnostic::error("C0015", span, format!("the original Cubicle has no {what}"));
        self.found.push(error.label("refused by --strict-upstream").help(help));
    }

    fn item(&mut self, item: &'a Item) {
        match item {
            Item::Type(decl) if decl.range.is_some() => {
                self.refuse(decl.loc.0, "ranges", INSTEAD_OF_RANGES);
            }
            Item::Type(decl) if decl.fields.is_some() => {
                self.refuse(decl.loc.0, "records", INSTEAD_OF_RECORDS);
            }
            Item::Type(TypeDecl { below: Some(_), .. }) => {
                let help = "use one kind of processes, and an array that says of which sort each is";
                self.refuse(item.span(), "sorts of processes", help);
            }
            Item::NumberProcs(_) | Item::Type(_) => {}
            Item::Symbol(symbol) => {
                if symbol.range.is_some() {
                    self.refuse(symbol.ty.span(), "ranges", INSTEAD_OF_RANGES);
                }
                if let SymbolKind::Array(index) = &symbol.kind {
                    for ty in index.iter().filter(|ty| ty.text != "proc") {
                        let help = "declare an array for each value of the index";
                        self.refuse(ty.span(), "indices other than processes", help);
                    }
                }
                let (what, help) = match &symbol.kind {
                    SymbolKind::Number(_) => ("names of numbers", "write the number where it is used"),
                    SymbolKind::Channel(_) => {
                        ("channels", "declare an array for each place of the queue, and one for its length")
                    }
                    SymbolKind::Relation(_) => {
                        ("relations", "declare an array of type `bool` that nothing assigns")
                    }
                    SymbolKind::Witness(..) | SymbolKind::Total(_) => {
                        ("witnesses", "assume no more than a formula without them says")
                    }
                    SymbolKind::Const => {
                        self.constants.insert(&symbol.name.text);
                        return;
                    }
                    SymbolKind::Var | SymbolKind::Array(_) => return,
                };
                self.refuse(symbol.loc.0, what, help);
            }
            Item::Property(Property { kind: PropertyKind::Run(kind), loc, .. }) => {
                let help = "say what must never happen, by `unsafe`";
                self.refuse(loc.0, &format!("`{}`", kind.word()), help);
            }
            Item::Property(property) => {
                if let Some(name) = &property.name {
                    let help = "leave the name out, or say it in a comment";
                    self.refuse(name.span(), "names of properties", help);
                }
                if property.wording != Wording::Kind {
                    let help = "write `unsafe`, or `invariant` for a lemma";
                    self.refuse(property.loc.0, &format!("`{}`", property.word()), help);
                }
                self.expr(&property.body);
                let misplaced = self.shapes.of_property(property.kind == PropertyKind::Init, &property.body);
                self.misplaced(misplaced);
            }
            Item::Fairness(fairness) => {
                let word = if fairness.strong { "`strong_fair`" } else { "`fair`" };
                self.refuse(fairness.loc.0, word, "leave it out: it says nothing about bad states");
            }
            Item::Predicate(predicate) => {
                self.expr(&predicate.body);
                self.predicate(predicate);
                self.shapes.declare(predicate);
            }
            Item::Transition(transition) => self.transition(transition),
            Item::Process(process) => {
                let help = "write a transition for each step: `--show-core` prints them";
                self.refuse(process.name.span(), "processes as code", help);
            }
        }
    }

    fn misplaced(&mut self, found: Option<(Span, &'static str, &'static str)>) {
        if let Some((span, what, help)) = found {
            self.refuse(span, what, help);
        }
    }

    fn transition(&mut self, transition: &'a Transition) {
        if let Some(guard) = &transition.requires {
            self.expr(guard);
            let misplaced = self.shapes.of_guard(guard);
            self.misplaced(misplaced);
        }
        for binding in &transition.lets {
            self.refuse(binding.name.span(), "`let` that binds a name", "write the term where it is used");
            self.term(&binding.value);
        }
        let mut arrays = IndexSet::new();
        for update in &transition.updates {
            let several = update.target.index.is_some()
                && update.target.names().is_some()
                && !arrays.insert(update.target.name.text.as_str());
            self.beyond_update(update, several, &transition.params.iter().collect::<Vec<_>>());
            self.update(update);
        }
    }

    /// Refuses updates of kinds that the original does not have.
    fn beyond_update(&mut self, update: &Update, several: bool, params: &[&Name]) {
        let at = update.loc.0;
        for when in update.value.formulas() {
            if let Some(quantified) = crate::expand::quantifiers(when, &IndexMap::new()).first() {
                let help = "split the transition, with the formula in its guard";
                self.refuse(quantified.span, "quantifiers in conditions of a `case`", help);
            }
        }
        let (what, help) = match &update.value {
            Rhs::Send(_) | Rhs::Drop | Rhs::Receive(_) => ("channels", "assign the places of the queue"),
            Rhs::Nondet if update.target.index.is_some() => {
                ("`?` for a cell", "give a global any value in one step, and copy it in another")
            }
            Rhs::Cases(_) if update.target.names().into_iter().flatten().any(|it| params.contains(&it)) => {
                ("a `case` for one cell", "write `A[q] := case | q = p && .. : .. | _ : A[q]`")
            }
            _ if update.each.is_some() => ("quantifiers in updates", "write `A[q] := case | _ : ..`"),
            _ if several => {
                ("several cells of an array in a step", "write one `case` with a branch for each cell")
            }
            _ if !update.target.fields.is_empty() => ("records", INSTEAD_OF_RECORDS),
            _ if update.target.names().is_none() => {
                ("indices other than processes", "declare an array for each value")
            }
            _ => return,
        };
        self.refuse(at, what, help);
    }

    fn update(&mut self, update: &'a Update) {
        for name in update.target.names().into_iter().flatten() {
            self.index(name);
        }
        if let Rhs::Term(_) | Rhs::Cases(_) = &update.value {
            update.value.formulas().for_each(|it| self.expr(it));
            update.value.terms().into_iter().for_each(|it| self.term(it));
        }
    }

    /// Checks a formula, except for its quantifiers.
    fn expr(&mut self, expr: &'a Expr) {
        if let ExprKind::Call { name, args } = &expr.kind {
            return self.call(name, args);
        }
        expr.kind.terms().into_iter().for_each(|it| self.term(it));
        expr.kind.formulas().into_iter().for_each(|it| self.expr(it));
    }

    fn call(&mut self, name: &'a Name, args: &'a [Arg]) {
        for (number, arg) in args.iter().enumerate() {
            let Arg::Term(term) = arg else { continue };
            self.term(term);
            let known = self.strict_params.get(name.text.as_str());
            let strict = known.and_then(|it| it.get(number)).is_some_and(|strict| *strict);
            let is_process = term.alone().is_some_and(|it| !it.is_capital());
            if strict && !is_process {
                let help = "give it a process, or write the formula of the predicate";
                self.refuse(term.span(), "predicate that takes this: it uses it as an index", help);
            }
        }
    }

    fn term(&mut self, term: &'a Term) {
        if let Some(count) = term.counts().next() {
            let help = "count in a variable that the transitions keep up to date";
            return self.refuse(count.span(), "counts and sums over processes", help);
        }
        match &term.kind {
            TermKind::Path(path) => self.path(path),
            TermKind::Number(_) | TermKind::Count(_) => {}
            TermKind::Remainder(..) => {
                let help = "write out the values: `case | X < 3 : X + 1 | _ : 0`";
                self.refuse(term.span(), "remainders", help);
            }
            TermKind::Record(_) => {
                self.refuse(term.span(), "records", INSTEAD_OF_RECORDS);
            }
            TermKind::Sum(summands) => {
                if let Some((what, help)) = beyond_sum(summands, &self.constants, self.text) {
                    self.refuse(term.span(), what, help);
                }
                term.paths().for_each(|it| self.path(it));
            }
        }
    }

    fn path(&mut self, path: &'a Path) {
        match path.names() {
            Some(index) => index.into_iter().for_each(|name| self.index(name)),
            None if path.fields.is_empty() => {
                self.refuse(path.loc.0, "indices other than processes", "declare an array for each value");
            }
            None => self.refuse(path.loc.0, "records", INSTEAD_OF_RECORDS),
        }
    }

    fn index(&mut self, name: &'a Name) {
        if name.is_capital() {
            let help = "bind a process that is equal to it: one more parameter `g`, and `.. && G = g`";
            self.refuse(name.span(), "variables as indices", help);
        }
    }

    /// Notes which parameters of a predicate have to be processes.
    fn predicate(&mut self, predicate: &'a Predicate) {
        let mut strict = IndexSet::new();
        strict_names(&predicate.body, &self.strict_params, &mut strict);
        let params = predicate.params.iter().map(|name| strict.contains(name.text.as_str())).collect();
        self.strict_params.insert(&predicate.name.text, params);
    }
}

/// The names that stand where only processes may be put for them.
fn strict_names<'a>(expr: &'a Expr, known: &IndexMap<&str, Vec<bool>>, found: &mut IndexSet<&'a str>) {
    let mut terms = expr.kind.terms();
    if let ExprKind::Call { name, args } = &expr.kind {
        let strict = known.get(name.text.as_str()).map_or(&[][..], Vec::as_slice);
        terms.truncate(strict.len());
        for (arg, _) in args.iter().zip(strict).filter(|(_, strict)| **strict) {
            if let Arg::Term(term) = arg {
                found.extend(term.alone().map(|name| name.text.as_str()));
            }
        }
    }
    for term in terms {
        let summed = matches!(term.kind, TermKind::Sum(_));
        // Counts, records and other indices are refused themselves.
        for path in term.paths() {
            let summed = path.alone().filter(|_| summed);
            let names = path.names().into_iter().flatten().chain(summed);
            found.extend(names.map(|name| name.text.as_str()));
        }
    }
    expr.kind.formulas().into_iter().for_each(|it| strict_names(it, known, found));
}

/// The part of a sum that is beyond it, and what to write instead.
type Found = (&'static str, &'static str);

const FORM: &str =
    "write `X + 1`, `X - C` or `X + 2 * C`, where `C` is a `const` and `X` a variable or a cell";

/// The part of a sum that is beyond the original, if any.
fn beyond_sum(summands: &[Summand], constants: &IndexSet<&str>, text: &str) -> Option<Found> {
    if summands.iter().any(|it| glued(it, text)) {
        return Some(("difference that is written without a blank", "write a blank after `-`"));
    }
    let multiple = |summand: &Summand| Some((summand.factor.clone()?, summand.operand.alone()?.clone()));
    let constant = |name: &Name| constants.contains(name.text.as_str());
    match summands {
        [only] => {
            let Some((factor, name)) = multiple(only) else {
                return Some(("sum without a name or a cell in front", FORM));
            };
            if !before(&factor, &name) {
                return Some(("multiple with the number behind, except as a summand", "write `2 * C`"));
            }
            frozen(constant(&name))
        }
        [first, second] => {
            if first.negative || first.factor.is_some() || !matches!(first.operand.kind, TermKind::Path(_)) {
                return Some(("sum without a name or a cell in front", FORM));
            }
            match (multiple(second), second.operand.alone()) {
                _ if matches!(second.operand.kind, TermKind::Number(_)) => None,
                (Some((_, name)), _) => frozen(constant(&name)),
                (None, Some(name)) if constant(name) => None,
                _ => Some(("sum of variables and cells", FORM)),
            }
        }
        _ => Some(("sum of more than two", FORM)),
    }
}

/// A multiple of something that is a constant, or is taken for one.
fn frozen(constant: bool) -> Option<Found> {
    let what = "multiple of a variable or a cell: it takes the variable for a constant";
    (!constant).then_some((what, "use a `const`, or write the sum in another way"))
}

/// Whether a factor stands before what it multiplies.
fn before(factor: &Number, name: &Name) -> bool {
    factor.loc.0.start < name.span().start
}

/// Whether the original reads the sign before a number as part of it.
fn glued(summand: &Summand, text: &str) -> bool {
    let number = match (&summand.factor, &summand.operand.kind) {
        (Some(factor), TermKind::Path(path)) if before(factor, &path.name) => factor,
        (_, TermKind::Number(number)) => number,
        _ => return false,
    };
    let start = number.loc.0.start as usize;
    !number.text.starts_with('-') && summand.negative && text[..start.min(text.len())].ends_with('-')
}
