//! The kinds of small mistakes that mutants make, and the declared names that they are made with; a mutant that may or may not be a model, and the list of them that a walk makes.

use std::fmt;

use crate::edit::Edit;
use cubicle_lang::diagnostic::Span;
use cubicle_lang::load::meaning;
use cubicle_lang::model::System;
use cubicle_lang::named;
use cubicle_lang::named::Named;
use cubicle_lang::syntax::ast::{File, Item, SymbolDecl, SymbolKind, Term, TermKind};

named! {
    /// A kind of small mistake.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Operator {
        /// a comparison becomes its opposite: `X = A` to `X <> A`
        NegateLiteral = "negate-literal",
        /// a part of a guard or condition is left out: `X = A && Y = B` to `Y = B`
        DropLiteral = "drop-literal",
        /// a comparison becomes weaker or stronger: `N < M` to `N <= M`
        Comparison = "comparison",
        /// a constructor becomes another one of its type: `X := A` to `X := B`
        Constructor = "constructor",
        /// a number becomes one more or one less: `N + 1` to `N + 2`
        Number = "number",
        /// an update is left out: `X := A; Y := B` to `Y := B`
        DropUpdate = "drop-update",
        /// an update is about another process: `S[p] := A` to `S[q] := A`
        WrongProcess = "wrong-process",
        /// an update is of another variable of the same type: `X := A` to `Y := A`
        WrongVariable = "wrong-variable",
        /// a branch of a `case` is left out: `case | j = p : A | _ : B` to `case | _ : B`
        DropCase = "drop-case",
        /// two branches exchange their values: `case | j = p : A | _ : B` to `case | j = p : B | _ : A`
        SwapCases = "swap-cases",
        /// a universal guard is left out: `X = A && forall_other q. ..` to `X = A`
        DropUniversal = "drop-universal",
        /// a quantifier becomes the other one: `forall_other` to `exists_other`
        FlipUniversal = "flip-universal",
        /// a universal guard is about the processes before the first parameter only: `forall_other q. F` to `forall_other q. (q > p || F)`
        NarrowUniversal = "narrow-universal",
        /// a transition is left out
        DropTransition = "drop-transition",
        /// a part of init is left out: `X = A && Y = B` to `Y = B`
        WidenInit = "widen-init",
        /// a variable may have one more value initially: `X = A` to `(X = A || X = B)`
        MergeInit = "merge-init",
        /// two parameters exchange their places in the updates, or the two indices of a cell: `M[p, q]` to `M[q, p]`
        SwapParameters = "swap-parameters",
        /// an update reads what one before it has written: `X := Y; Z := X` to `X := Y; Z := Y`
        SequentialUpdate = "sequential-update",
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A small mistake in a model: the result may not be a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MutantCandidate {
    /// Its number among all candidates of the model, from 1, in the order of the text.
    pub number: usize,
    /// The kind of mistake.
    pub operator: Operator,
    /// The transition that it is in; `None` for init.
    pub transition: Option<String>,
    /// The change of the text.
    pub edit: Edit,
}

impl MutantCandidate {
    /// The text of the mutant.
    ///
    /// # Panics
    /// When `text` is not the one that it was made from.
    pub fn text(&self, text: &str) -> String {
        self.edit.apply(text)
    }

    /// The system of the mutant; `None` when it is not a model.
    ///
    /// # Panics
    /// When `text` is not the one that it was made from.
    pub fn system(&self, text: &str) -> Option<System> {
        meaning(&self.text(text)).ok().map(|it| it.system)
    }
}

/// Notes candidates while a tree is walked.
pub(super) struct CandidateCollector<'f> {
    pub text: &'f str,
    pub names: Names<'f>,
    /// The transition that is walked.
    pub transition: Option<&'f str>,
    pub params: Vec<&'f str>,
    found: Vec<MutantCandidate>,
}

impl<'f> CandidateCollector<'f> {
    pub fn new(file: &'f File, text: &'f str) -> Self {
        Self { text, names: Names::new(file), transition: None, params: Vec::new(), found: Vec::new() }
    }

    pub fn emit(&mut self, operator: Operator, edit: Edit) {
        let transition = self.transition.map(str::to_owned);
        self.found.push(MutantCandidate { number: 0, operator, transition, edit });
    }

    /// Notes a candidate with other words at one place.
    pub fn replace(&mut self, operator: Operator, span: Span, with: impl Into<String>) {
        self.emit(operator, Edit::replace(span, with));
    }

    pub fn at(&self, span: Span) -> &'f str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// The candidates in the order of the text, each once.
    pub fn finish(self) -> Vec<MutantCandidate> {
        let mut found = self.found;
        // Stable: at one place, the order in which they were noted.
        found.sort_by_key(|it| (it.edit.place().start, it.operator));
        found.dedup_by(|b, a| a.edit == b.edit);
        for (candidate, number) in found.iter_mut().zip(1..) {
            candidate.number = number;
        }
        found
    }
}

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
