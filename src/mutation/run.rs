//! All mutants of a plan.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::baseline::Baseline;
use super::examine::{Mutant, examine};
use super::memory::{MutantMemory, Recall};
use super::plan::{MutationOptions, Plan};
use super::{claims, pool};
use crate::diagnostic::Source;
use crate::interrupt::Interrupt;
use crate::model::System;
use crate::result::{Fate, MutantResult, Mutation};

/// Rounds that a mutant gets less when as many as were asked for did not decide it the last time.
const HURRY: u32 = 3;

/// How far a run is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MutationProgress {
    /// Mutants that were looked at.
    pub done: usize,
    /// All of them.
    pub of: usize,
    /// Those that were killed so far.
    pub killed: usize,
}

/// Looks at the mutants of a plan. `memory` has what earlier runs found, to be confirmed; `tell` is told how far it is, from any thread.
///
/// ```
/// use cubicle::interrupt::Interrupt;
/// use cubicle::mutation::{MutantMemory, MutantSelection, MutationOptions, Plan, run};
///
/// let text = "
///     array Inside[proc] : bool
///     init (p) { Inside[p] = False }
///     unsafe (p q) { Inside[p] = True && Inside[q] = True }
///     transition enter (p)
///     requires { forall_other q. Inside[q] = False }
///     { Inside[p] := True }";
/// let loaded = cubicle::load(text)?;
/// let (options, interrupt) = (MutationOptions::default(), Interrupt::default());
/// let model = (&loaded.file, text, &loaded.system);
/// let plan = Plan::new(model, &MutantSelection::default(), &interrupt);
/// let found = run((&loaded.system, text), &plan, (&options, &MutantMemory::default()), &interrupt, &|_| {});
/// assert!(found.killed().count() >= 3);
/// # Ok::<(), cubicle::LoadError>(())
/// ```
///
/// # Panics
/// When the plan is about another model.
pub fn run(
    (system, text): (&System, &str),
    plan: &Plan,
    (options, memory): (&MutationOptions, &MutantMemory),
    interrupt: &Interrupt,
    tell: &(dyn Fn(MutationProgress) + Sync),
) -> Mutation {
    let baseline = Baseline::new(system, claims::of(system, text), options, interrupt, &memory.shown);
    let (done, killed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    // A search may take a signal for its own: whoever interrupts wants all of it to end.
    let stop = || interrupt.reason().is_some() || interrupt.signals() > 0;
    let results = pool::share(&plan.mutants, options.jobs, stop, |(candidate, key)| {
        let system = candidate.system(text).expect("the plan has models only");
        let text_of = &candidate.text(text);
        let source = &Source { name: "", text };
        let recall = memory.recall((candidate, *key, &system), source, options);
        let hard = matches!(recall, Some(Recall::Hard));
        let rounds = if hard { options.rounds.saturating_sub(HURRY).max(1) } else { options.rounds };
        let mutant = Mutant { baseline: &baseline, system: &system, text: text_of, rounds };
        let found = examine(&mutant, recall);
        let hurried = hard && matches!(found.0, Fate::Undecided(_) | Fate::Same);
        let dead = usize::from(matches!(found.0, Fate::Killed(_)));
        let killed = killed.fetch_add(dead, Ordering::Relaxed) + dead;
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        tell(MutationProgress { done, of: plan.mutants.len(), killed });
        (found, hurried)
    });
    let stopped = interrupt.reason();
    let mutants = plan.mutants.iter().zip(results).map(|((candidate, _), result)| {
        let ((fate, change), hurried) = match result {
            None => ((Fate::Untried, None), false),
            Some(Err(panic)) => ((Fate::Failed(panic), None), false),
            // What was under way when the run ended was not looked at.
            Some(Ok(((Fate::Undecided(reason), _), _))) if stopped.as_ref() == Some(&reason) => {
                ((Fate::Untried, None), false)
            }
            Some(Ok(found)) => found,
        };
        MutantResult { candidate: candidate.clone(), fate, hurried, change }
    });
    Mutation {
        mutants: mutants.collect(),
        claims: baseline.claims.clone(),
        ill_typed: plan.ill_typed,
        same: plan.same,
        sizes: baseline.sizes.clone(),
        stopped,
    }
}
