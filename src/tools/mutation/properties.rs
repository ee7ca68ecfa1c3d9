//! Properties that hold but are not claimed: stronger ones than the claims of the model, and those that its proof uses.

use super::baseline::Baseline;
use super::examine::{Decided, Mutant, TIMEOUT};
use super::plan::{MutationOptions, Plan};
use super::pool;
use crate::mutation::{OpenProperty, Properties, TrueProperty};
use cubicle_certificate::{self as certificate, CheckOptions, Claim, literal_words};
use cubicle_forward::explore;
use cubicle_lang::bits::bits;
use cubicle_lang::load::ModelSource;
use cubicle_lang::model::{Bad, BadKind, Literal, System, Type, forbids_all_of};
use cubicle_run::{Forbidden, Interrupt, Report, Silent};
use cubicle_transform::strengthen::{PropertyOperator, demand, equivalent, stronger};

/// How often properties that were found true are strengthened again.
const GENERATIONS: usize = 4;

const MOST_PROPERTIES: usize = 400;

/// Which properties to search for.
#[derive(Clone, Copy, Debug)]
pub struct PropertySelection<'a> {
    /// Properties that are stronger than the claims of the model.
    pub stronger: bool,
    /// Properties that this proof of the model uses.
    pub proof: Option<&'a Report>,
}

/// Searches for properties of a model that it does not claim. They are ranked by the mutants of `plan` that they kill. `tell`
/// receives short progress messages.
///
/// # Panics
/// When an engine panics on a property: a bug of this crate.
pub fn properties(
    ModelSource { system, text }: ModelSource<'_>,
    plan: &Plan,
    selection: PropertySelection<'_>,
    options: &MutationOptions,
    interrupt: &Interrupt,
    tell: &(dyn Fn(String) + Sync),
) -> Properties {
    let baseline = Baseline::new(ModelSource { system, text }, options, interrupt);
    let mut search = PropertySearch {
        baseline: &baseline,
        text,
        tell,
        found: Properties::default(),
        known: claimed(system),
        tried: 0,
    };
    let mut stronger = if selection.stronger { search.stronger() } else { Vec::new() };
    let mut suggested = selection.proof.map_or_else(Vec::new, |proof| search.suggested(proof, &stronger));
    let mut found = search.found;
    let all: Vec<&mut TrueProperty> = stronger.iter_mut().chain(&mut suggested).collect();
    found.mutants = notices(&baseline, text, plan, all, tell);
    let demand = |it: &TrueProperty| demand(system, &it.claim);
    // Both sorts are stable: of equals, the one found first comes first.
    stronger.sort_by(|a, b| demand(a).total_cmp(&demand(b)));
    suggested.sort_by(|a, b| b.notices.cmp(&a.notices).then(demand(a).total_cmp(&demand(b))));
    (found.stronger, found.suggested, found.stopped) = (stronger, suggested, interrupt.reason());
    found
}

/// The states that the model already forbids.
fn claimed(system: &System) -> Vec<Forbidden> {
    let bad = system.bad.iter().map(Forbidden::from);
    let axioms = system.axioms.iter().map(Forbidden::from);
    bad.chain(axioms).collect()
}

struct PropertySearch<'a> {
    baseline: &'a Baseline<'a>,
    text: &'a str,
    tell: &'a (dyn Fn(String) + Sync),
    found: Properties,
    /// The properties that the model claims, and those that were tried.
    known: Vec<Forbidden>,
    tried: usize,
}

impl PropertySearch<'_> {
    /// True properties that are stronger than the `unsafe`s; none of these follows from another.
    fn stronger(&mut self) -> Vec<TrueProperty> {
        let system = self.baseline.system;
        let unsafes = system.bad.iter().filter(|bad| bad.kind == BadKind::Unsafe);
        let mut open: Vec<(String, Forbidden)> =
            unsafes.map(|bad| (bad.name.clone(), Forbidden::from(bad))).collect();
        let mut all: Vec<TrueProperty> = Vec::new();
        let model = claimed(system);
        for generation in 0..GENERATIONS {
            let mut next = Vec::new();
            for (of, claim) in std::mem::take(&mut open) {
                for it in stronger(system, &claim) {
                    // The negation of a literal that was left out already gives nothing new.
                    let again = generation > 0 && it.operator == PropertyOperator::NegateLiteral;
                    // The additional states may be forbidden by another claim.
                    let new = it.new.as_ref();
                    let known = new.is_some_and(|new| model.iter().any(|known| forbids_all_of(known, new)));
                    if !again && !known {
                        next.extend(self.candidate(it.claim, Some((of.clone(), it.operator))));
                    }
                }
            }
            for it in self.tried(next) {
                if it.operator != Some(PropertyOperator::NegateLiteral) {
                    open.extend(it.of.clone().map(|of| (of, it.claim.clone())));
                }
                all.push(it);
            }
        }
        strongest(all)
    }

    /// Properties that the proof uses and that follow neither from the claims of the model nor from `stronger`.
    fn suggested(&mut self, proof: &Report, stronger: &[TrueProperty]) -> Vec<TrueProperty> {
        let (system, options) = (self.baseline.system, CheckOptions::new(TIMEOUT, self.baseline.interrupt));
        let Ok(certificate) = certificate::certify(system, self.text, Claim::of(proof), options) else {
            return Vec::new();
        };
        let (declared, model) = (system.vars.len(), claimed(system));
        // Owners are not variables of the model.
        let visible = |claim: &Forbidden| {
            let cells = claim.literals().flat_map(Literal::cells);
            cells.into_iter().all(|cell| usize::from(cell.var.0) < declared)
        };
        let shown = &certificate.cubes.all[..certificate.cubes.proved];
        let mut next = Vec::new();
        for claim in shown.iter().filter(|claim| visible(claim)) {
            // Properties that follow from a claim of the model are redundant.
            let mut said = model.iter().chain(stronger.iter().map(|it| &it.claim));
            if !said.any(|known| forbids_all_of(known, claim)) {
                next.extend(self.candidate(claim.clone(), None));
            }
        }
        strongest(self.tried(next))
    }

    /// A property to try, with the claim that it is a change of; `None` when it is known, or cannot be written as a declaration.
    fn candidate(
        &mut self,
        claim: Forbidden,
        origin: Option<(String, PropertyOperator)>,
    ) -> Option<TrueProperty> {
        let line = unsafe_line(self.baseline.system, &claim)?;
        if self.known.iter().any(|known| equivalent(known, &claim)) {
            return None;
        }
        if self.tried >= MOST_PROPERTIES {
            self.found.left_out += 1;
            return None;
        }
        self.tried += 1;
        self.known.push(claim.clone());
        let (of, operator) = origin.unzip();
        Some(TrueProperty { claim, line, of, operator, notices: 0 })
    }

    /// The properties that hold; the others are counted or recorded.
    fn tried(&mut self, all: Vec<TrueProperty>) -> Vec<TrueProperty> {
        let baseline = self.baseline;
        let stop = || baseline.interrupt.reason().is_some() || baseline.interrupt.signals() > 0;
        (self.tell)(format!("trying {} properties", all.len()));
        let results = pool::share(&all, baseline.options.jobs, None, stop, |_, property| {
            let system = &with_claims(baseline.system, std::iter::once(&property.claim));
            Mutant { baseline, system, text: self.text }.decided()
        });
        let mut holding = Vec::new();
        for (it, result) in all.into_iter().zip(results) {
            match result {
                Some(Ok(Decided::Safe(_))) => holding.push(it),
                Some(Ok(Decided::Bad(..))) => self.found.refuted += 1,
                Some(Ok(Decided::Open(reason))) => {
                    self.found.open.push(OpenProperty { line: it.line, reason });
                }
                Some(Err(panic)) => panic!("{}: {panic}", it.line),
                // The run ends.
                None => {}
            }
        }
        holding
    }
}

/// The declaration that claims it. A small set of values is listed instead of excluding all others.
fn unsafe_line(system: &System, claim: &Forbidden) -> Option<String> {
    let words = |literal: &Literal| {
        let words = |literal: &Literal| literal_words(system, literal);
        let Literal::In { cell, values } = literal else { return words(literal) };
        let Type::Enum(id) = system.var(cell.var).ty else { return None };
        let (few, all) = (values.count_ones(), system.enumeration(id).all().count_ones());
        if few == 1 || few > all - few {
            return words(literal);
        }
        let one = |value| words(&Literal::In { cell: cell.clone(), values: value });
        let each = bits(&[*values]).map(|c| one(1 << c)).collect::<Option<Vec<_>>>()?;
        Some(format!("({})", each.join(" || ")))
    };
    if !claim.others.is_empty() {
        return None;
    }
    let literals = claim.cube.iter().map(words).collect::<Option<Vec<_>>>()?;
    let params: Vec<String> = (1..=claim.params).map(|p| format!("p{p}")).collect();
    Some(format!("unsafe ({}) {{ {} }}", params.join(" "), literals.join(" && ")))
}

/// Without those that follow from others.
fn strongest(all: Vec<TrueProperty>) -> Vec<TrueProperty> {
    let follows = |at: usize| {
        all.iter().enumerate().any(|(other, it)| {
            let back = forbids_all_of(&all[at].claim, &it.claim);
            other != at && forbids_all_of(&it.claim, &all[at].claim) && (!back || other < at)
        })
    };
    let kept: Vec<bool> = (0..all.len()).map(|at| !follows(at)).collect();
    all.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(it, _)| it).collect()
}

/// The system with these bad states instead of its own.
fn with_claims<'c>(system: &System, claims: impl Iterator<Item = &'c Forbidden>) -> System {
    let bad = (1..).zip(claims).map(|(number, claim)| {
        Bad::derived(format!("property {number}"), number, claim.params, claim.cube.clone(), system.init.span)
    });
    system.edited(|parts| parts.bad = bad.collect())
}

/// Counts, for each property, the mutants that violate it and no claim of the model in the instances that are explored;
/// also returns the number of mutants that were examined.
fn notices(
    baseline: &Baseline<'_>,
    text: &str,
    plan: &Plan,
    mut properties: Vec<&mut TrueProperty>,
    tell: &(dyn Fn(String) + Sync),
) -> usize {
    if properties.is_empty() {
        return 0;
    }
    let claims: Vec<Forbidden> = properties.iter().map(|it| it.claim.clone()).collect();
    let stop = || baseline.interrupt.reason().is_some() || baseline.interrupt.signals() > 0;
    tell(format!("examining what {} mutants violate", plan.mutants.len()));
    let results = pool::share(&plan.mutants, baseline.options.jobs, None, stop, |_, candidate| {
        let mutant = candidate.system(text).expect("the plan has models only");
        violated(baseline, &mutant, &claims)
    });
    for it in results.iter().flatten().flatten().flatten() {
        properties[*it].notices += 1;
    }
    results.iter().flatten().count()
}

/// The properties that a mutant violates; none when it violates a claim of its own.
fn violated(baseline: &Baseline<'_>, mutant: &System, properties: &[Forbidden]) -> Vec<usize> {
    let own = claimed(mutant);
    let all = with_claims(mutant, own.iter().chain(properties));
    let options = baseline.forward().stop_at_unsafe(false);
    let mut violated = Vec::new();
    for &size in &baseline.sizes {
        let found = explore(&all, size, &options, baseline.interrupt, &mut Silent).exploration;
        for trace in found.unsafe_trace.iter().chain(&found.more_unsafe_traces) {
            let bad = trace.bad.expect("deadlocks are not looked for");
            match bad.checked_sub(own.len()) {
                None => return Vec::new(),
                Some(property) if !violated.contains(&property) => violated.push(property),
                Some(_) => {}
            }
        }
    }
    violated
}
