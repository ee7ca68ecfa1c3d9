//! Typing of terms: from names to cells, processes, constructors and linear expressions.

use smallvec::SmallVec;

use super::context::{Context, Unsorted};
use super::limits::{MAX_PROC_CONSTANT, MAX_SUMMANDS};
use super::scope::{Scope, TermMeaning, TermType};
use super::symbols::{Symbol, Wanted};
use super::{Cell, Linear, ProcRef, Rational, Term, Type, VarId, VarKind};
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::ast::{self, Name, Path, Summand, TermKind};

#[derive(Default)]
pub(super) enum IndexMeaning {
    Process(ProcRef),
    /// A global of type `proc`.
    Global(VarId),
    /// An error, which was reported.
    #[default]
    Error,
}

impl<'a> Context<'a> {
    pub fn term(&mut self, term: &'a ast::Term, scope: &Scope<'a>) -> TermMeaning {
        match &term.kind {
            TermKind::Path(path) => self.path(path, scope),
            TermKind::Number(number) => self.number(number),
            TermKind::Count(count) => self.count(count, scope),
            TermKind::Sum(summands) => self.sum(summands, term.span(), scope),
            TermKind::Record(_) => self.not_core(term.span()),
            TermKind::Remainder(of, _) => {
                let help = if of.counts().next().is_some() {
                    "assign the count to a variable of a range, and divide that in a later step"
                } else {
                    "declare a range: `type slot = 0 .. 3`, `var X : slot`"
                };
                Diagnostic::error("C0204", of.span(), format!("a remainder of `{of}`"))
                    .label("must consist of numbers, and of variables and cells of ranges of at most 16 values: each has a case")
                    .help(help)
                    .refuse(self)
            }
        }
    }

    fn path(&mut self, path: &'a Path, scope: &Scope<'a>) -> TermMeaning {
        match (path.alone(), path.names()) {
            (Some(name), _) => self.name(name, scope),
            (None, Some(index)) => self.cell(&path.name, &index, scope),
            (None, None) => self.not_core(path.loc.0),
        }
    }

    /// Reports a construct of the extended language: a model is read in the core language, and texts about it have none.
    pub(super) fn not_core(&mut self, at: Span) -> TermMeaning {
        Diagnostic::error("C0005", at, "this construct is not supported here")
            .label(
                "fields, queues, indices that are not names and several cells in a step stand in models only",
            )
            .refuse(self)
    }

    fn number(&mut self, number: &ast::Number) -> TermMeaning {
        if let Some(value) = Rational::parse(&number.text) {
            let ty = if number.is_real() { TermType::Known(Type::Real) } else { TermType::IntLiteral };
            TermMeaning::number(Linear::number(value), ty)
        } else {
            Diagnostic::error("C0211", number.loc.0, "number out of range")
                .label("numerator and denominator must fit 64 bits")
                .refuse(self)
        }
    }

    pub(super) fn numeric(&mut self, value: TermMeaning, at: Span) -> TermMeaning {
        match value {
            TermMeaning::Value(Term::Linear(_), _)
            | TermMeaning::Unknown
            | TermMeaning::Undefined(Type::Int | Type::Real) => value,
            other => {
                let found = other.ty().name(self.symbols);
                Diagnostic::error("C0204", at, format!("arithmetic on a value of type `{found}`"))
                    .label("must be of type `int` or `real`")
                    .refuse(self)
            }
        }
    }

    fn sum(&mut self, summands: &'a [Summand], at: Span, scope: &Scope<'a>) -> TermMeaning {
        // Among the summands read so far: the first one that has a type, and whether all have one.
        let mut typed: Option<TermMeaning> = None;
        let (mut terms, mut constant) = (Vec::new(), Some(Rational::ZERO));
        let (mut known, mut undefined) = (true, None);
        for (number, summand) in summands.iter().enumerate() {
            let value = self.summand(summand, scope);
            if let Some(first) = &typed
                && !first.ty().compatible(value.ty())
            {
                let first = first.clone();
                self.incompatible(at, &first, &value);
                return TermMeaning::Unknown;
            }
            self.compare_with_the_original(number, summand, &value);
            match &value {
                TermMeaning::Value(Term::Linear(it), _) => {
                    let minus = if summand.negative { Rational::ONE.neg() } else { Rational::ONE };
                    let Some(scaled) = it.scaled(minus) else { return self.out_of_range(at) };
                    constant = constant.and_then(|sum| sum.add(scaled.constant));
                    terms.extend(scaled.terms);
                }
                TermMeaning::Undefined(_) => undefined = Some(value.clone()),
                _ => known = false,
            }
            let literal = |it: &TermMeaning| it.ty() == TermType::IntLiteral;
            if typed.as_ref().is_none_or(literal) {
                typed = Some(value);
            }
            if terms.len() > MAX_SUMMANDS {
                self.report_bound(at, &format!("more than {MAX_SUMMANDS} summands in a sum"));
                return TermMeaning::Unknown;
            }
        }
        match (known, undefined, typed) {
            (true, Some(undefined), _) => undefined,
            (true, None, Some(TermMeaning::Value(_, ty))) => {
                let sum = constant.and_then(|constant| Linear::gathered(terms, constant));
                sum.map_or_else(|| self.out_of_range(at), |sum| TermMeaning::number(sum, ty))
            }
            _ => TermMeaning::Unknown,
        }
    }

    /// The meaning of a summand, without its sign.
    fn summand(&mut self, summand: &'a Summand, scope: &Scope<'a>) -> TermMeaning {
        let at = summand.loc.0;
        let value = match &summand.operand.kind {
            TermKind::Path(path) => {
                let value = self.path(path, scope);
                self.numeric(value, path_span(path))
            }
            _ => self.term(&summand.operand, scope),
        };
        let Some(factor) = &summand.factor else { return value };
        let (TermMeaning::Value(Term::Linear(factor), _), TermMeaning::Value(Term::Linear(number), ty)) =
            (self.number(factor), &value)
        else {
            return value;
        };
        let scaled = number.scaled(factor.constant);
        scaled.map_or_else(|| self.out_of_range(at), |number| TermMeaning::number(number, *ty))
    }

    /// Notes where the original Cubicle reads something else, or nothing: it adds and multiplies constants only.
    fn compare_with_the_original(&mut self, number: usize, summand: &Summand, value: &TermMeaning) {
        let TermMeaning::Value(Term::Linear(it), _) = value else { return };
        let is_name = match &summand.operand.kind {
            TermKind::Path(path) => path.alone().is_some(),
            // A name stood for it.
            TermKind::Sum(_) => true,
            _ => return,
        };
        let first = number == 0 && summand.factor.is_none() && !summand.negative;
        let varies = |(cell, _): &(Cell, Rational)| self.var(cell.var).kind != VarKind::Const;
        // The sums of a predicate are noted at its declaration. Counts it does not have at all.
        if first || self.counting || !self.calls.is_empty() || !it.terms.iter().any(varies) {
            return;
        }
        self.sums
            .entry(self.declaration)
            .or_default()
            .insert(summand.loc.0, summand.factor.is_some() && is_name);
    }

    /// Reports a number that leaves the 64-bit range.
    pub fn out_of_range(&mut self, at: Span) -> TermMeaning {
        Diagnostic::error("C0211", at, "number out of range")
            .label("the result of this arithmetic does not fit 64 bits")
            .refuse(self)
    }

    /// The meaning of a name that stands alone.
    fn name(&mut self, name: &Name, scope: &Scope<'a>) -> TermMeaning {
        if name.text.starts_with('#') {
            return self.process_constant(name).map_or(TermMeaning::Unknown, TermMeaning::process);
        }
        // A parameter with a capital letter has been reported.
        if !name.is_capital() || scope.lookup(&name.text).is_some() {
            return self.process_name(name, scope);
        }
        self.capital_name(name)
    }

    /// The meaning of the name of a constructor, global or constant.
    fn capital_name(&mut self, name: &Name) -> TermMeaning {
        match self.symbols.lookup(&name.text) {
            Some(Symbol::Constructor(id, number)) => {
                self.constructors.insert((id, number));
                TermMeaning::constructor(id, number)
            }
            Some(Symbol::Var(id)) => {
                self.note_use(id);
                let var = self.symbols.var(id);
                if var.arity() > 0 {
                    let message = format!("array `{}` used without an index", name.text);
                    return Diagnostic::error("C0202", name.span(), message)
                        .label(format!("`{}` must have {}", name.text, indices(var.arity())))
                        .also(var.span, "declared here")
                        .help(format!(
                            "write `{}[p]` for the cell of a process `p`; whole arrays are neither compared nor assigned",
                            name.text
                        )).refuse(self);
                }
                TermMeaning::cell(Cell::global(id), var.ty)
            }
            Some(Symbol::Unclear) => TermMeaning::Unknown,
            None => {
                self.unknown_symbol(name, Wanted::Value);
                TermMeaning::Unknown
            }
        }
    }

    fn process_name(&mut self, name: &Name, scope: &Scope<'a>) -> TermMeaning {
        if let Some(value) = scope.lookup(&name.text) {
            if let TermMeaning::Value(Term::Proc(ProcRef::Var(i)), _) = value
                && let Some(used) = self.used_params.get_mut(usize::from(*i))
            {
                *used = true;
            }
            return value.clone();
        }
        // Declared with a small letter, which has been reported.
        if self.symbols.lookup(&name.text).is_some() {
            return self.capital_name(name);
        }
        if let Some(declared) = self.symbols.in_other_case(&name.text) {
            let meant = Name::at(declared, name.loc);
            if self.unknown.insert((None, name.text.clone())) {
                let error =
                    Diagnostic::error("C0007", name.span(), format!("`{}` with a small letter", name.text))
                        .label("names with a small letter are processes")
                        .did_you_mean(declared);
                error.report(self);
            }
            return self.capital_name(&meant);
        }
        if scope.open || !self.unknown.insert((Some(self.declaration), name.text.clone())) {
            return TermMeaning::Unknown;
        }
        self.unknown_process(name, scope);
        TermMeaning::Unknown
    }

    pub fn process_constant(&mut self, name: &Name) -> Option<ProcRef> {
        let wrong = |what| {
            Diagnostic::error("C0106", name.span(), format!("process constant `{}` {what}", name.text))
        };
        if self.symbols.sorts.is_some() && self.unsorted == Unsorted::Proc {
            return wrong("in a model with sorts")
                .label("of which sort this process is, is not known")
                .help("use a variable of a sort that nothing assigns: `const Home : node`")
                .refuse(self);
        }
        if self.numbered {
            let number = name.text[1..].parse::<u8>().ok().filter(|k| (1..=self.params).contains(k));
            return number.map(|k| ProcRef::Var(k - 1));
        }
        let number = name.text[1..].parse::<u32>().ok().filter(|&k| k <= MAX_PROC_CONSTANT);
        let error = match (number, self.max_procs) {
            (None, _) => wrong("out of range")
                .label(format!("the greatest process constant is `#{MAX_PROC_CONSTANT}`")),
            (_, None) => wrong("without `number_procs`")
                .help("start the file with `number_procs` and the number of processes"),
            (Some(k), Some(max)) if k > max => {
                wrong("out of range").label(format!("`number_procs` is {max}"))
            }
            (Some(k), Some(_)) => {
                self.proc_constants = self.proc_constants.max(k as u8);
                return Some(ProcRef::Const(k as u8 - 1));
            }
        };
        error.refuse(self)
    }

    fn cell(&mut self, array: &Name, index: &[&Name], scope: &Scope<'a>) -> TermMeaning {
        let resolved = index.iter().map(|name| (self.index(name, scope), name.span())).collect();
        let Some(id) = self.array(array, index.len()) else { return TermMeaning::Unknown };
        self.indices_agree(id, index, scope);
        self.cell_at(id, resolved)
    }

    /// The meaning of a cell at these indices, which stand at these places.
    pub(super) fn cell_at(&mut self, var: VarId, index: Vec<(IndexMeaning, Span)>) -> TermMeaning {
        let ty = self.symbols.var(var).ty;
        let mut cell = Cell { var, index: SmallVec::new() };
        let mut defined = true;
        for (index, at) in index {
            match index {
                IndexMeaning::Process(p) => cell.index.push(p),
                IndexMeaning::Error => return TermMeaning::Unknown,
                IndexMeaning::Global(global) => match self.named.iter().find(|(known, _)| *known == global) {
                    Some((_, Some(p))) => cell.index.push(*p),
                    Some((_, None)) => defined = false,
                    // All of a cell's globals are needed, not only the first.
                    None => {
                        self.needed.entry(global).or_insert(at);
                        defined = false;
                    }
                },
            }
        }
        if defined { TermMeaning::cell(cell, ty) } else { TermMeaning::Undefined(ty) }
    }

    /// The array of this name, used with `arity` indices.
    pub fn array(&mut self, array: &Name, arity: usize) -> Option<VarId> {
        let id = match self.symbols.lookup(&array.text) {
            Some(Symbol::Var(id)) => id,
            Some(Symbol::Constructor(..)) => {
                let message = format!("constructor `{}` used as an array", array.text);
                return Diagnostic::error("C0202", array.span(), message).refuse(self);
            }
            Some(Symbol::Unclear) => return None,
            None => {
                self.unknown_symbol(array, Wanted::Array);
                return None;
            }
        };
        self.note_use(id);
        let var = self.symbols.var(id);
        if var.arity() != arity {
            let message = match var.arity() {
                0 => format!("`{}` is not an array", array.text),
                n => format!("array `{}` must have {}", array.text, indices(n)),
            };
            return Diagnostic::error("C0202", array.span(), message)
                .label(format!("used with {arity} here"))
                .also(var.span, "declared here")
                .refuse(self);
        }
        Some(id)
    }

    pub fn index(&mut self, name: &Name, scope: &Scope<'a>) -> IndexMeaning {
        // The parser has reported an index that is not a name.
        if !name.text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '#') {
            return IndexMeaning::Error;
        }
        match self.name(name, scope) {
            TermMeaning::Value(Term::Proc(p), _) => IndexMeaning::Process(p),
            TermMeaning::Value(Term::Cell(cell), TermType::Known(Type::Proc)) => {
                if cell.index.is_empty() {
                    return IndexMeaning::Global(cell.var);
                }
                Diagnostic::error("C0014", name.span(), "array cell used as an array index")
                    .label("an index is a process or a global of type `proc`")
                    .help("add a parameter or quantifier `g` that equals this cell, and use `g` as the index")
                    .refuse(self)
            }
            TermMeaning::Unknown | TermMeaning::Undefined(_) => IndexMeaning::Error,
            other @ TermMeaning::Value(..) => {
                let found = other.ty().name(self.symbols);
                Diagnostic::error("C0203", name.span(), format!("array index of type `{found}`"))
                    .label("an index is a process or a global of type `proc`")
                    .refuse(self)
            }
        }
    }
}

/// `1 index`, `2 indices`.
fn indices(n: usize) -> String {
    if n == 1 { "1 index".to_owned() } else { format!("{n} indices") }
}

pub(super) fn path_span(path: &Path) -> Span {
    let names = path.names().unwrap_or_default();
    names.iter().fold(path.loc.0, |span, name| span.to(name.span()))
}
