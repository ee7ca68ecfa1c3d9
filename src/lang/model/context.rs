//! State of an elaboration: declarations, diagnostics, process variables, and the choices made for
//! globals that index arrays.

use indexmap::{IndexMap, IndexSet};

use super::limits::{MAX_ALL_STEPS, MAX_PROCESS_VARS, MAX_STEPS};
use super::symbols::Symbols;
use super::{Conj, Count, EnumId, Literal, ProcRef, Var, VarId};
use crate::diagnostic::{Diagnostic, Diagnostics, Reporter, Span};
use crate::syntax::ast::{File, Predicate, Transition};

/// The sort of a process that is bound without one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Unsorted {
    /// `proc`: the text is a model.
    #[default]
    Proc,
    /// In a formula that is asked, the first one of the cells at it; it is an error if others follow.
    Asked,
    /// In a claim, the one that all cells at it have; where they differ, or the claim says its sort, it may be any process.
    Claimed,
}

/// Where a formula stands: which quantifiers it may have, and what they mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum FormulaPlace {
    /// `init`: universal quantifiers add parameters.
    #[default]
    Init,
    /// `unsafe`, `invariant`: existential quantifiers add parameters.
    Bad,
    /// A condition on a state in a property of runs, or by itself: quantifiers have their usual meaning.
    State,
    Guard,
    /// Condition of a `case`: no quantifiers.
    Condition,
    /// Body of a predicate that is checked on its own.
    Predicate,
}

/// The names of a model, for texts about a system that contains its variables.
#[derive(Clone, Debug)]
pub struct Names(pub(super) Symbols);

/// A text and its names.
#[derive(Clone, Copy, Debug)]
pub struct NamedModel<'a> {
    /// The names.
    pub names: &'a Names,
    /// Where predicates are declared.
    pub file: &'a File,
}

/// What a transition says of a step of another model.
#[derive(Clone, Debug)]
pub struct OtherStep<'a> {
    /// The other model.
    pub model: NamedModel<'a>,
    /// The transition of the step.
    pub decl: &'a Transition,
    /// Its arguments, as parameters of the transition beside it; pairwise different.
    pub args: Vec<u8>,
    /// That its guard is false; otherwise nothing, and the transition makes its updates after its own ones.
    pub fails: bool,
}

/// State of an elaboration.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is true in a place of its own, whatever the others are"
)]
#[derive(Default)]
pub(super) struct Context<'a> {
    pub symbols: &'a Symbols,
    /// The text of the model; empty for another text that uses its names.
    pub text: &'a str,
    /// Whether the declaration is one of several that a transition of the text stands for.
    pub is_part: bool,
    /// The declared variables, and after them those that formulas so far count.
    pub vars: Vec<Var>,
    /// What the latter count.
    pub counts: Vec<Count>,
    /// The sort of processes that are bound without one.
    pub unsorted: Unsorted,
    /// Whether the formula stands in a count.
    pub counting: bool,
    /// Predicates defined so far.
    pub predicates: IndexMap<&'a str, &'a Predicate>,
    /// Messages so far; the same one may occur repeatedly.
    pub diagnostics: Diagnostics,
    /// Declared bound on the number of processes.
    pub max_procs: Option<u32>,
    /// Greatest k of a process constant `#k` that occurs.
    pub proc_constants: u8,
    /// Symbols that occur in a formula or update.
    pub used: IndexSet<VarId>,
    /// Symbols that something depends on: guards, conditions, properties, values of other symbols.
    pub read: IndexSet<VarId>,
    /// The symbol that an update assigns, while it is elaborated: reading itself changes nothing else.
    pub assigned: Option<VarId>,
    /// Values of enums that occur.
    pub constructors: IndexSet<(EnumId, u8)>,
    /// Unknown names that were reported: each is reported once. Names of processes with the
    /// declaration that they occur in.
    pub unknown: IndexSet<(Option<Span>, String)>,
    /// The unbound processes of a declaration, and the index of their message.
    pub unbound: Option<(Span, usize, Vec<String>)>,
    /// The name of the property that is being elaborated.
    pub title: Option<&'a str>,
    /// Names that quantifiers around the formula bind, and the first byte of each quantifier's body.
    pub bound: Vec<(&'a str, u32)>,
    /// Whether `forall` in a guard is read as `forall_other`, to see what difference it makes.
    pub others: bool,
    /// Names of predicates that are called.
    pub called: IndexSet<String>,
    pub place: FormulaPlace,
    /// Calls of predicates around the formula, outermost first.
    pub calls: Vec<Span>,
    /// The declared parameters.
    pub params: u8,
    /// Processes that an existential quantifier can mean, pairwise distinct.
    pub candidates: Vec<ProcRef>,
    /// Names in scope by which the user knows declared parameters, for messages.
    pub used_params: Vec<bool>,
    /// Process variables that may equal others: parameters of init, indices of an update.
    pub loose: Vec<u8>,
    /// The variables of the universal guards around the formula; different from each other and from declared parameters.
    pub universal: Vec<u8>,
    /// Whether the formula stands in an existential quantifier.
    pub existential: bool,
    /// In a condition on a state, the processes that quantifiers around the formula stand for: what existential ones chose,
    /// and the parameters that universal ones are instantiated with.
    pub chosen: Vec<ProcRef>,
    /// The parameters that `.._other` leaves out, where these are not all.
    pub left_out: Option<Vec<u8>>,
    /// Steps of another model that the transition stands beside.
    pub beside: &'a [OtherStep<'a>],
    /// Whether `#1`, `#2`, .. are the parameters.
    pub numbered: bool,
    /// Whether declarations are those of another text than the one that is being read.
    pub foreign: bool,
    /// Whether some comparison counts as true because a global names no process.
    pub nameless_counts: bool,
    /// The first `exists` of a bad state that passes over processes in scope without saying so, and the
    /// word for it.
    pub passes_over: Option<(Span, &'static str)>,
    /// Whether such an `exists` is read as ranging over processes in scope too.
    pub inclusive: bool,
    /// Literals about processes are true: the instance of init without processes.
    pub erase_processes: bool,
    /// The processes that globals used as indices name, if they name one; those not listed are noted in `needed`.
    pub named: Vec<(VarId, Option<ProcRef>)>,
    /// Globals used as indices whose meaning is still open, in order of occurrence.
    pub needed: IndexMap<VarId, Span>,
    /// Literals of the bad states or of the guard declared here, and the comparisons that they come from.
    pub origins: Vec<(Literal, Span)>,
    /// The literals of each comparison of `init` that is written out by values.
    pub written_out: Vec<(Conj, Span)>,
    /// Variables in sums where the original Cubicle has constants only, by declaration, and whether it takes them
    /// for constants there.
    pub sums: IndexMap<Span, IndexMap<Span, bool>>,
    next_var: u8,
    steps: usize,
    /// Steps of expansion over all declarations so far.
    all_steps: usize,
    /// The declaration being elaborated.
    pub declaration: Span,
    /// Whether a bound was hit in this declaration, and reported.
    pub exhausted: bool,
}

impl Reporter for Context<'_> {
    /// Adds a message; inside a predicate, with the place where the predicate is used.
    fn add(&mut self, mut diagnostic: Diagnostic) {
        if self.is_part && matches!(diagnostic.code, "C0909" | "C0910" | "C0911") {
            // What holds of one part need not hold of the transition.
            return;
        }
        if self.foreign {
            // Places of another text would mislead.
            diagnostic.secondary.clear();
            diagnostic.primary.span = self.calls.first().copied().unwrap_or(diagnostic.primary.span);
        } else if let Some(&call) = self.calls.last() {
            diagnostic = diagnostic.also(call, "in this use of the predicate");
        }
        self.diagnostics.push(diagnostic);
    }
}

impl<'a> Context<'a> {
    /// The context before the first declaration.
    pub fn new(symbols: &'a Symbols, max_procs: Option<u32>) -> Self {
        Self { symbols, vars: symbols.vars.clone(), max_procs, ..Self::default() }
    }

    /// Starts a declaration with `params` declared parameters.
    pub fn start(&mut self, declaration: Span, place: FormulaPlace, params: usize) {
        self.declaration = declaration;
        self.place = place;
        self.params = params as u8;
        self.next_var = self.params;
        let all = 0..self.params;
        self.loose = if place == FormulaPlace::Init { all.clone().collect() } else { Vec::new() };
        self.candidates =
            if place == FormulaPlace::Init { Vec::new() } else { all.map(ProcRef::Var).collect() };
        self.used_params.resize(params, false);
        self.universal.clear();
        self.existential = false;
        self.chosen.clear();
        self.nameless_counts = false;
        self.erase_processes = false;
        self.named.clear();
        self.calls.clear();
    }

    /// Starts another variant of the declaration.
    pub fn restart(&mut self) {
        self.start(self.declaration, self.place, usize::from(self.params));
    }

    /// Resets the counts of the previous declaration.
    pub fn reset_budget(&mut self) {
        self.steps = 0;
        self.exhausted = false;
        self.needed.clear();
        self.origins.clear();
        self.written_out.clear();
        self.used_params.clear();
        self.passes_over = None;
        self.title = None;
    }

    /// A process variable that is not in use in this declaration.
    pub fn fresh(&mut self, at: Span) -> u8 {
        if self.next_var >= MAX_PROCESS_VARS {
            self.report_bound(
                at,
                &format!("more than {MAX_PROCESS_VARS} process variables in one declaration"),
            );
            return self.next_var;
        }
        self.next_var += 1;
        self.next_var - 1
    }

    /// Frees the process variables from this one on.
    pub fn release(&mut self, first: u8) {
        self.next_var = first;
    }

    /// The declaration of a variable, or of a count.
    pub fn var(&self, id: VarId) -> &Var {
        &self.vars[usize::from(id.0)]
    }

    /// The result of `f`; its messages, the counts that it adds, its steps and notes are discarded.
    pub fn on_trial<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let said = self.diagnostics.len();
        let (steps, all_steps, origins) = (self.steps, self.all_steps, self.origins.len());
        let (vars, counts) = (self.vars.len(), self.counts.len());
        let result = f(self);
        self.vars.truncate(vars);
        self.counts.truncate(counts);
        self.diagnostics.truncate(said);
        (self.steps, self.all_steps, self.exhausted) = (steps, all_steps, false);
        self.origins.truncate(origins);
        result
    }

    /// Notes that a symbol occurs in a formula or a value.
    pub fn note_use(&mut self, var: VarId) {
        self.used.insert(var);
        if self.place != FormulaPlace::Init && self.assigned != Some(var) {
            self.read.insert(var);
        }
    }

    /// Counts a step of expansion; false when there have been too many.
    pub fn step(&mut self) -> bool {
        self.steps += 1;
        self.all_steps += 1;
        if self.steps > MAX_STEPS || self.all_steps > MAX_ALL_STEPS {
            self.report_bound(
                self.declaration,
                &format!("more than {MAX_STEPS} nodes once predicates, `<=>` and quantifiers are expanded"),
            );
        }
        !self.exhausted && !self.diagnostics.is_full()
    }

    /// Reports that a declaration is too large, once.
    pub fn report_bound(&mut self, at: Span, message: &str) {
        if !self.exhausted {
            self.exhausted = true;
            Diagnostic::error("C0504", at, format!("declaration too large: {message}"))
                .help("split it into several declarations")
                .report(&mut self.diagnostics);
        }
    }

    /// Whether `.._other` leaves out a process in scope: a parameter, or one bound by a quantifier around it.
    pub fn is_left_out(&self, p: ProcRef) -> bool {
        let own = |v| v < self.params && self.left_out.as_ref().is_none_or(|it| it.contains(&v));
        self.chosen.contains(&p) || matches!(p, ProcRef::Var(v) if own(v))
    }

    /// Whether two process references are the same process, where that is known.
    pub fn same_process(&self, a: ProcRef, b: ProcRef) -> Option<bool> {
        if a == b {
            return Some(true);
        }
        match (a, b) {
            (ProcRef::Const(_), ProcRef::Const(_)) => Some(false),
            (ProcRef::Var(a), ProcRef::Var(b)) => {
                match (self.universal.contains(&a), self.universal.contains(&b)) {
                    (true, true) => return Some(false),
                    (false, false) => {}
                    _ => return (a.min(b) < self.params).then_some(false),
                }
                (!self.loose.contains(&a) && !self.loose.contains(&b)).then_some(false)
            }
            _ => None,
        }
    }
}
