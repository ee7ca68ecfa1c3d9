//! The model itself: the states and steps with which those of its mutants are compared, and its claims, which they may violate.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use super::plan::MutationOptions;
use crate::mutation::MutantClaim;
use cubicle_forward::{Explored, Fingerprint, explore};
use cubicle_lang::diagnostic::{Source, Span};
use cubicle_lang::list::add_new;
use cubicle_lang::load::ModelSource;
use cubicle_lang::model::semantics::admits;
use cubicle_lang::model::{BadKind, System};
use cubicle_run::{ForwardOptions, Interrupt, Silent, Trace};

/// States and steps of one instance, as far as they are known.
#[derive(Debug, Default)]
struct ComparedInstance {
    states: OnceLock<Option<Fingerprint>>,
    steps: OnceLock<Option<Fingerprint>>,
}

/// The model, with its instances, computed on demand.
#[derive(Debug)]
pub struct Baseline<'a> {
    pub system: &'a System,
    pub claims: Vec<MutantClaim>,
    /// The sizes of the instances that are explored.
    pub sizes: Vec<usize>,
    pub options: &'a MutationOptions,
    /// For each size, without and with the order of processes.
    instances: Vec<[ComparedInstance; 2]>,
    pub interrupt: &'a Interrupt,
}

/// Whether states or steps are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    States,
    Steps,
}

impl<'a> Baseline<'a> {
    pub fn new(
        ModelSource { system, text }: ModelSource<'a>,
        options: &'a MutationOptions,
        interrupt: &'a Interrupt,
    ) -> Self {
        let first = usize::from(system.proc_constants).max(1);
        // Smaller instances show no interaction of processes.
        let last = options.procs.max(first).max(2);
        let sizes: Vec<usize> = (first..=last).filter(|procs| admits(system, *procs)).collect();
        let instances = sizes.iter().map(|_| Default::default()).collect();
        Self { system, claims: claims(system, text), sizes, options, instances, interrupt }
    }

    /// How an instance is explored, up to its first bad state.
    pub fn forward(&self) -> ForwardOptions {
        ForwardOptions::default().max_states(self.options.max_states).seed(self.options.seed)
    }

    /// The states or the steps of the model's instance of a size, in the form to be compared with those of `with`.
    pub fn fingerprint(&self, size: usize, what: What, with: &System) -> Option<&Fingerprint> {
        let ordered = self.ordered(with);
        let at = self.sizes.iter().position(|procs| *procs == size)?;
        let instance = &self.instances[at][usize::from(ordered)];
        let known = match what {
            What::States => &instance.states,
            What::Steps => &instance.steps,
        };
        let make = || self.compared(self.system, size, ordered).fingerprint(what == What::Steps, ordered);
        known.get_or_init(make).as_ref()
    }

    /// Explores an instance of a mutant, to be compared.
    pub fn explored(&self, mutant: &System, size: usize) -> Explored {
        self.compared(mutant, size, self.ordered(mutant))
    }

    /// The states or the steps of such an instance.
    pub fn of_mutant(&self, mutant: &System, explored: &Explored, what: What) -> Option<Fingerprint> {
        explored.fingerprint(what == What::Steps, self.ordered(mutant))
    }

    /// Whether the order of processes matters in either system.
    fn ordered(&self, with: &System) -> bool {
        self.system.orders_processes || with.orders_processes
    }

    /// Explores all states of an instance, concrete states only.
    fn compared(&self, system: &System, size: usize, ordered: bool) -> Explored {
        let options = self.forward().undefined_cells(false).symmetry(!ordered).stop_at_unsafe(false);
        explore(system, size, &options, self.interrupt, &mut Silent)
    }
}

/// The claims of a model, in file order.
fn claims(system: &System, text: &str) -> Vec<MutantClaim> {
    let kinds = system.bad.iter().map(|bad| (bad.span, bad.kind, false));
    let axioms = system.axioms.iter().map(|axiom| (axiom.span, BadKind::Invariant, true));
    let mut all: Vec<(Span, BadKind, bool)> = kinds.chain(axioms).collect();
    all.sort_by_key(|(span, ..)| *span);
    all.dedup_by_key(|(span, ..)| *span);
    let source = Source { name: "", text };
    let line = |span: Span| source.position(span).0;
    let claim = |&(span, kind, assumed): &(Span, BadKind, bool)| {
        let word = if kind == BadKind::Unsafe { "unsafe" } else { "invariant" };
        let alone = all.iter().filter(|it| line(it.0) == line(span)).count() == 1;
        let column = if alone { String::new() } else { format!(":{}", source.position(span).1) };
        MutantClaim { name: format!("{word} at line {}{column}", line(span)), kind, span, assumed }
    };
    all.iter().map(claim).collect()
}

/// The claim that a run violates: a mutant has the same claims as the model, in the same order.
fn violated(system: &System, trace: &Trace) -> usize {
    let bad = &system.bad[trace.bad.expect("a mutant is not killed by a deadlock")];
    let bads = system.bad.iter().map(|bad| bad.span.start);
    let before = bads.chain(system.axioms.iter().map(|axiom| axiom.span.start));
    before.filter(|start| *start < bad.span.start).collect::<BTreeSet<_>>().len()
}

/// All claims that a mutant violates, as far as its instances are explored; that of `trace` first.
pub fn all_violated(baseline: &Baseline<'_>, system: &System, trace: &Trace) -> Vec<usize> {
    let mut claims = vec![violated(system, trace)];
    if baseline.claims.len() > 1 {
        let options = baseline.forward().stop_at_unsafe(false);
        for &size in &baseline.sizes {
            let found = explore(system, size, &options, baseline.interrupt, &mut Silent).exploration;
            for trace in found.unsafe_trace.iter().chain(&found.more_unsafe_traces) {
                let claim = violated(system, trace);
                add_new(&mut claims, claim);
            }
        }
        claims[1..].sort_unstable();
    }
    claims
}
