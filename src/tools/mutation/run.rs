//! Examines all mutants of a plan.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::examiner::{MutantExaminer, MutantOutcome, Others};
use super::plan::{MutationOptions, Plan};
use super::pool::{self, Deal, Panicked};
use crate::mutation::{Fate, MutantResult, Mutation};
use cubicle_lang::load::ModelSource;
use cubicle_run::Interrupt;

/// Examines the mutants of a plan, with `others` that also do; see [`MutantExaminer::answer`]. Their results take the place of those of this
/// process. `tell` receives the progress in words, from any thread.
///
/// ```
/// use cubicle_check::Checker;
/// use cubicle_lang::load::ModelSource;
/// use cubicle_run::Interrupt;
/// use cubicle_tools::mutation::{MutantSelection, MutationOptions, Plan, run};
///
/// let text = "
///     array Inside[proc] : bool
///     init (p) { Inside[p] = False }
///     unsafe (p q) { Inside[p] = True && Inside[q] = True }
///     transition enter (p)
///     requires { forall_other q. Inside[q] = False }
///     { Inside[p] := True }";
/// let loaded = cubicle_lang::load(text)?;
/// let options = MutationOptions::new(Checker::new(cubicle_backward::engine));
/// let interrupt = Interrupt::default();
/// let model = ModelSource::new(&loaded.system, text);
/// let plan = Plan::new(&loaded.file, model, &MutantSelection::default(), &interrupt);
/// let found = run(model, &plan, &options, None, &interrupt, &|_| {});
/// assert!(found.killed().count() >= 3);
/// # Ok::<(), cubicle_lang::LoadError>(())
/// ```
///
/// # Panics
/// When the plan is about another model.
pub fn run(
    model: ModelSource<'_>,
    plan: &Plan,
    options: &MutationOptions,
    others: Option<&dyn Others>,
    interrupt: &Interrupt,
    tell: &(dyn Fn(&str) + Sync),
) -> Mutation {
    let looking = &MutantExaminer::new(model, plan, options, interrupt);
    let (done, killed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    // A search may handle a signal itself, but the user who interrupts wants the whole run to end.
    let stop = || interrupt.reason().is_some() || interrupt.signals() > 0;
    let report = &|looked: &MutantOutcome| {
        let dead = usize::from(matches!(looked.fate, Fate::Killed(_)));
        let killed = killed.fetch_add(dead, Ordering::Relaxed) + dead;
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        tell(&format!("{done} of {} mutants, {killed} killed", plan.mutants.len()));
    };
    let deal = others.map(|others| {
        move |next: &dyn Fn() -> Option<usize>, store: &dyn Fn(usize, Result<MutantOutcome, Panicked>)| {
            others.deal(next, &|at: usize, answer: &[u8]| {
                let Some(result) = looking.accepted(at, answer) else { return false };
                result.iter().for_each(report);
                store(at, result);
                true
            });
        }
    });
    let deal = deal.as_ref().map(|deal| deal as Deal<'_, MutantOutcome>);
    let results = pool::share(&plan.mutants, options.jobs, deal, stop, |at, _| {
        let looked = looking.at(at);
        report(&looked);
        looked
    });
    let stopped = interrupt.reason();
    let mutants = plan.mutants.iter().zip(results).map(|(candidate, result)| {
        let looked = match result {
            None => MutantOutcome::only(Fate::Untried),
            Some(Err(Panicked(text))) => MutantOutcome::only(Fate::Failed(text)),
            // Mutants under way when the run ended count as not examined.
            Some(Ok(MutantOutcome { fate: Fate::Undecided(reason), .. }))
                if stopped.as_ref() == Some(&reason) =>
            {
                MutantOutcome::only(Fate::Untried)
            }
            Some(Ok(looked)) => looked,
        };
        let MutantOutcome { fate, change } = looked;
        MutantResult { candidate: candidate.clone(), fate, change }
    });
    Mutation {
        mutants: mutants.collect(),
        claims: looking.baseline.claims.clone(),
        ill_typed: plan.ill_typed,
        same: plan.same,
        sizes: looking.baseline.sizes.clone(),
        stopped,
    }
}
