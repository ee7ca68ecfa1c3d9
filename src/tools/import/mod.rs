//! Models of mypyvy: `.pyv` in, `.cub` out.
//!
//! A file declares sorts, relations, constants and functions, and says in first-order formulas which states are initial, which steps there are
//! (formulas about the states before and after), and what holds in all states. The result is a model with the same steps between states
//! whose cells hold elements, and the same bad states.
//!
//! **Why SAFE carries over.** Each structure of the file with finite sorts is an instance of the result, its runs are runs of it, and what
//! violates a `safety` of the file is a bad state: this is shown step by step in `steps`, `equations`, `ways` and `claims`. (A run
//! that violates a universal property of an infinite structure does so in one with finitely many elements if its guards are
//! universal and what exists is named; the proof of the result is about all finite sizes.) The result has more runs in two respects:
//! a cell of a sort may begin with a value that is not a process, where `init` does not say which it has, and a sort may be
//! empty. A comparison with such a value is false, as is what is said of a relation at it, so that guards and bad states that read it do not hold;
//! nothing assigns one. UNSAFE may rest on it: the run shows it.
//!
//! In reading order: `lexer`, `tree`, `parser`; `symbols`, `formula`, `resolve`, `enumerations`, `read`; `decide` (plain contradictions), `alternatives`,
//! `equations`, `sizes` (of sorts), `ways`, `step`, `universals`, `steps`, `claims`, `notes`, `loose`; `names`, `print`; `fires`.

mod alternatives;
mod claims;
mod decide;
mod enumerations;
mod equations;
mod fires;
mod formula;
mod lexer;
mod loose;
mod names;
mod notes;
mod parser;
mod print;
mod read;
mod resolve;
mod sizes;
mod step;
mod steps;
mod symbols;
#[cfg(test)]
mod tests;
mod tree;
mod universals;
mod ways;

use std::collections::BTreeSet;

use cubicle_lang::diagnostic::{Checked, Diagnostic, Diagnostics};

use self::alternatives::{MAX_ALTERNATIVES, flat};
use self::claims::{Never, initially, is_about, named_witnesses, never, witness};
use self::fires::{Became, never_fire};
use self::formula::{App, Formula, SymbolId, Term, VarId};
use self::notes::Note;
use self::print::Printer;
use self::read::{Found, Read, one_convention, read, sizes, unfold};
use self::resolve::Part;
use self::sizes::Sizes;
use self::step::{Step, Witness};
use self::steps::{Steps, element};
use self::symbols::{Symbols, Vars};
use self::tree::{Claim, ClaimKind, Definition, Made, refuse};
use self::ways::Facts;

/// A model that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Imported {
    /// The model in the language.
    pub model: String,
    /// What of the file it does not say: warnings.
    pub left_out: Vec<Diagnostic>,
    transitions: Vec<Became>,
}

impl Imported {
    /// A warning for each transition of the file that fires in no small instance of the model. Takes as long as to load it, and at most some
    /// tenths of a second more.
    pub fn never_fires(&self) -> Vec<Diagnostic> {
        never_fire(&self.model, &self.transitions)
    }
}

/// The model that the text of a `.pyv` file describes. `file`: its name, for a comment. `invariants`: whether those of the file become
/// `invariant`s, which the engines prove along with `safety`.
///
/// # Errors
/// Everything in it that the language cannot say, and what is wrong with it, with places.
pub fn import(text: &str, file: &str, invariants: bool) -> Checked<Imported> {
    let (tree, errors) = parser::parse(text);
    let mut found = Found { errors: Diagnostics::default(), left_out: Vec::new() };
    for error in errors {
        found.errors.push(error);
    }
    found.keep(one_convention(&tree));
    let mut symbols = Symbols::new(&tree, &mut found.errors);
    found.checked()?;
    let mut read = read(&symbols, &mut found);
    found.checked()?;
    unfold(&mut read, &mut symbols, &mut found);
    let sizes = sizes(&mut read, &symbols, &mut found);
    found.checked()?;
    let Read { mut vars, claims, transitions } = read;

    let of = |kind: ClaimKind| claims.iter().filter(move |it| it.0.kind == kind);
    let (axioms, mut witnesses) = axioms(of(ClaimKind::Axiom), &mut symbols, &mut vars);
    let facts = Facts::among(axioms.iter().flat_map(|it| &it.1).map(|it| &it.formula), sizes);
    let starts = of(ClaimKind::Init).flat_map(|it| it.1.clone()).collect();
    let starts = initially(starts, &mut symbols, &mut vars, &mut witnesses);
    let mut init = found.keep(starts).unwrap_or_default();
    let mut steps = Vec::new();
    for (definition, case) in transitions {
        let made = Steps { symbols: &symbols, vars: &mut vars, facts: &facts, witnesses: &witnesses }
            .of(definition, case);
        steps.extend(found.keep(made).unwrap_or_default());
    }
    let notes =
        found.keep(noted(&mut steps, &mut symbols, &mut vars, &facts, &witnesses)).unwrap_or_default();
    let mut maker = Steps { symbols: &symbols, vars: &mut vars, facts: &facts, witnesses: &witnesses };
    steps.retain_mut(|step| found.keep(maker.complete(step)).is_some());
    init.extend(loose::loosen(&mut steps, &mut symbols, &mut vars));
    init.extend(notes.iter().map(|it| it.initially(&mut vars)));
    for step in &mut steps {
        let clears: Vec<_> = notes.iter().filter_map(|it| it.cleared_by(step, &mut vars)).collect();
        step.updates.extend(clears);
    }
    let maker = Steps { symbols: &symbols, vars: &mut vars, facts: &facts, witnesses: &witnesses };
    let copies: Vec<_> = steps.iter().filter_map(|step| found.keep(maker.copies(step))).collect();
    let steps: Vec<Step> = copies.into_iter().flatten().collect();
    let assigned: BTreeSet<SymbolId> =
        steps.iter().flat_map(|step| &step.updates).map(|it| it.symbol).collect();
    let too_many = too_many(&facts.sizes, &mut symbols, &mut vars);
    let assigned = invariants.then_some(&assigned);
    let written = never_of(&claims, &axioms, &symbols, &mut vars, &facts, assigned, &mut found);
    found.checked()?;
    let mut printer = Printer::new(&symbols, &vars, text, file);
    printer.declarations();
    printer.witnesses(&witnesses);
    printer.init(&init);
    printer.never("invariant", None, &too_many);
    for (claim, all) in &written {
        let word = match claim.kind {
            ClaimKind::Safety => "unsafe",
            _ => "invariant",
        };
        let name = claim.name.as_ref().map(|it| it.text.as_str());
        printer.never(word, name, all);
    }
    let became = |it: &Definition| {
        let (name, span) = (it.name.text.clone(), it.name.span);
        Became { name, span, names: Vec::new() }
    };
    let mut transitions: Vec<Became> = tree.transitions.iter().map(became).collect();
    for step in &steps {
        let name = printer.step(step);
        if let Some(its) = transitions.iter_mut().find(|it| it.name == step.name) {
            its.names.push(name);
        }
    }
    Ok(Imported { model: printer.finish(), left_out: found.left_out, transitions })
}

/// What never is by each axiom and each property, and, where there are `assigned` symbols, by each invariant about one of them.
fn never_of<'t>(
    claims: &[(&'t Claim, Vec<Part>)],
    axioms: &[AxiomParts<'t>],
    symbols: &Symbols<'_>,
    vars: &mut Vars,
    facts: &Facts,
    assigned: Option<&BTreeSet<SymbolId>>,
    found: &mut Found,
) -> Vec<(&'t Claim, Vec<Never>)> {
    let of = |kind: ClaimKind| claims.iter().filter(move |it| it.0.kind == kind);
    let mut written = Vec::new();
    for (claim, parts) in axioms {
        let missing = "an axiom by which for all elements there is another one";
        let made = never(parts.clone(), symbols, vars, &Facts::default(), missing, false);
        let all = found.keep(made).unwrap_or_default();
        if all.iter().any(|it| it.params.is_empty() && it.formula == Formula::TRUE) {
            let what = "nothing satisfies this axiom: nothing is left to check";
            found.errors.push(Diagnostic::error("C0712", claim.span, what));
        }
        written.push((*claim, all));
    }
    for (claim, parts) in of(ClaimKind::Safety) {
        let missing = "a property by which for all elements there is another one";
        let made = never(flat(parts.clone()), symbols, vars, facts, missing, true);
        let mut all = found.keep(made).unwrap_or_default();
        pad(&facts.sizes, &mut all, symbols, vars);
        written.push((*claim, all));
    }
    let Some(assigned) = assigned else { return written };
    for (claim, parts) in of(ClaimKind::Invariant) {
        if !parts.iter().any(|it| is_about(&it.formula, &|id| assigned.contains(&id))) {
            // It would be an axiom.
            let what = "an invariant about things that no step changes is left out";
            found.left_out.push(Diagnostic::warning("C0716", claim.span, what));
            continue;
        }
        let missing = "this invariant is left out: it says that there is an element";
        match never(flat(parts.clone()), symbols, vars, facts, missing, false) {
            Ok(mut all) => {
                pad(&facts.sizes, &mut all, symbols, vars);
                written.push((*claim, all));
            }
            Err(error) => {
                found.left_out.push(Diagnostic::warning("C0716", error.primary.span, error.message));
            }
        }
    }
    written
}

/// An axiom without its parts that are witnesses.
type AxiomParts<'t> = (&'t Claim, Vec<Part>);

/// The axioms, and the witnesses among their parts.
fn axioms<'c, 't: 'c>(
    claims: impl Iterator<Item = &'c (&'t Claim, Vec<Part>)>,
    symbols: &mut Symbols<'_>,
    vars: &mut Vars,
) -> (Vec<AxiomParts<'t>>, Vec<Witness>) {
    let (mut axioms, mut witnesses) = (Vec::new(), Vec::new());
    for (claim, parts) in claims {
        let mut rest = Vec::new();
        for part in named_witnesses(parts.clone(), symbols, vars) {
            let has_exists = part.formula.normal().has(false);
            match has_exists.then(|| witness(&part, symbols, vars, &witnesses)).flatten() {
                Some(made) => witnesses.push(made),
                None => rest.push(part),
            }
        }
        axioms.push((*claim, rest));
    }
    (axioms, witnesses)
}

/// Adds the steps that note what guards ask, and returns what is noted.
fn noted(
    steps: &mut Vec<Step>,
    symbols: &mut Symbols<'_>,
    vars: &mut Vars,
    facts: &Facts,
    witnesses: &[Witness],
) -> Made<Vec<Note>> {
    let mut notes = Vec::new();
    let mut at = 0;
    while at < steps.len() {
        for part in std::mem::take(&mut steps[at].deferred) {
            let known = notes.len();
            let formula = notes::asked(&part, &steps[at], &mut notes, symbols, vars)?;
            steps[at].guard.push(Part { formula, span: part.span });
            Steps { symbols, vars, facts, witnesses }.guards(&mut steps[at])?;
            let name = steps[at].name.clone();
            for note in &notes[known..] {
                let Some(more) = note.steps(&name, symbols, vars) else {
                    let what = format!("`{name}` stands for more than {MAX_ALTERNATIVES} transitions");
                    return refuse("C0715", part.span, what);
                };
                for mut step in more {
                    Steps { symbols, vars, facts, witnesses }.guards(&mut step)?;
                    steps.push(step);
                }
            }
        }
        at += 1;
    }
    Ok(notes)
}

/// What never is: more elements than there may be.
fn too_many(sizes: &Sizes, symbols: &mut Symbols<'_>, vars: &mut Vars) -> Vec<Never> {
    let mut all = Vec::new();
    for (sort, most, span) in sizes.bounded() {
        // An axiom has to be about something that never changes: a relation that holds of all elements.
        let name = format!("is_{}", symbols.sorts[sort.0].0);
        let symbol = symbols.add(name, false, vec![sort], None, span);
        let is = |var: VarId| Formula::Is(App::old(symbol, vec![Term::Var(var)]));
        let params: Vec<VarId> = (0..=most).map(|_| element(symbols, vars, sort, span)).collect();
        let never =
            |params: Vec<VarId>, formula: Formula| Never { params, formula, span, remark: String::new() };
        all.push(never(vec![params[0]], is(params[0]).not()));
        all.push(never(params.clone(), is(params[0])));
    }
    all
}

/// Gives bad states the elements that there are in any case: there is none where a sort has fewer.
fn pad(sizes: &Sizes, all: &mut [Never], symbols: &Symbols<'_>, vars: &mut Vars) {
    for one in all {
        for (sort, least) in sizes.several() {
            let of_sort = one.params.iter().filter(|it| vars.known(**it) == sort).count();
            for _ in of_sort..least {
                one.params.push(element(symbols, vars, sort, one.span));
            }
        }
        one.params.sort_by_key(|it| vars.known(*it));
    }
}
