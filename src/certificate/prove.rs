//! Shows that cubes are unreachable: finds, for each case of each obligation, instances of the invariant
//! that refute it, and has Z3 decide that they do.
//!
//! Starting from the properties, only cubes that some refutation uses are proved themselves, so that the
//! result is inductive and every cube in it is used.

use std::collections::{BTreeSet, VecDeque};
use std::panic::resume_unwind;
use std::thread;
use std::time::Duration;

use hashbrown::{HashMap, HashSet};
use tracing::{debug, debug_span, info, info_span};
use z3::ast::Bool;
use z3::{Config, with_z3_config};

use super::cubes::{CubeInstance, Cubes, orders};
use super::failure::ProofFailure;
use super::ground::{GroundCell, GroundFormula, Reading};
use super::ground_instances::{CaseLiterals, Refutation};
use super::index::{CubeIndex, Refutations};
use super::obligation::Obligation;
use super::obligations::{ObligationCase, Obligations, most_named};
use super::solver::{CaseAnswer, ProverSession};
use super::tuning::{
    CALLS_PER_TRIAL_CALL, CASES_PER_TRIAL, CLAIMS_PER_CALL, FIRST_INSTANCES, FREE_CALLS, FREE_TRIALS,
    INSTANCES_PER_COUNTEREXAMPLE, MAX_PROCS,
};
use cubicle_lang::model::{Literal, System};
use cubicle_run::interrupt::Interrupt;
use cubicle_run::logging::inherited;

/// Which cubes have to be shown unreachable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// All of them.
    All,
    /// Those that the properties need, directly or not, as far as some can be left out.
    Needed,
    /// Those that the properties need, directly or not. Whether others of them could be left out is not tried.
    Used,
}

/// A finished proof.
#[derive(Clone, Debug, Default)]
pub struct FinishedProof {
    /// Cubes that were shown unreachable, ascending.
    pub shown: Vec<usize>,
    /// For each obligation and each of its cases, instances that refute it.
    pub refutations: Vec<Refutations>,
    /// Calls of Z3.
    pub solver_calls: u64,
}

/// Stack of the thread that asks Z3.
const STACK_BYTES: usize = 64 << 20;

/// Proves that the cubes of `cubes` are unreachable and exclude the bad cubes of `system`, in a Z3 context
/// of its own: that of a thread which ends with the proof, so that two proofs at once do not wait for each other. A call of
/// Z3 takes at most `timeout`.
pub fn prove(
    system: &System,
    cubes: &Cubes,
    extent: Extent,
    timeout: Duration,
    interrupt: &Interrupt,
) -> Result<FinishedProof, ProofFailure> {
    let trusted = cubes.all.len() - cubes.proved;
    let _span = info_span!("prove", cubes = cubes.proved, trusted, ?extent).entered();
    if most_named(system, cubes) > MAX_PROCS {
        return Err(ProofFailure::Processes);
    }
    let prover = &|| {
        let index = CubeIndex::new(system, cubes, interrupt);
        let obligations = Obligations::new(system, cubes, interrupt);
        let procs = 0..obligations.unnamed.first;
        Prover {
            cubes,
            session: ProverSession::new(
                system,
                procs,
                obligations.processes(),
                orders(system, cubes),
                timeout,
            ),
            obligations,
            index: &index,
            interrupt,
            needed: BTreeSet::new(),
            queue: VecDeque::new(),
            active: Vec::new(),
            recent: Vec::new(),
            known: HashMap::new(),
            claims: Vec::new(),
            claimed: HashSet::new(),
            proof: FinishedProof::default(),
            dropping: None,
        }
        .run(extent)
    };
    let proof = thread::scope(|scope| {
        let checker = thread::Builder::new().name("certificate".into()).stack_size(STACK_BYTES);
        match checker.spawn_scoped(scope, inherited(prover)) {
            Ok(running) => running.join().unwrap_or_else(|panic| resume_unwind(panic)),
            // The operating system gives no thread.
            Err(_) => with_z3_config(&Config::new(), prover),
        }
    });
    match &proof {
        Ok(FinishedProof { shown, refutations, solver_calls }) => {
            info!(invariants = shown.len(), obligations = refutations.len(), solver_calls, "proved");
        }
        Err(failure) => info!(?failure, "not proved"),
    }
    proof
}

/// An instance that the session knows.
#[derive(Debug)]
struct Active {
    instance: CubeInstance,
    literals: Vec<GroundFormula>,
    /// A name for it, and its formula.
    fact: (Bool, Bool),
}

/// A refutation that Z3 has not confirmed yet.
#[derive(Debug)]
struct Claim {
    obligation: Obligation,
    refuted: Bool,
}

struct Prover<'a, 'i> {
    obligations: Obligations<'a>,
    cubes: &'a Cubes,
    session: ProverSession<'a>,
    index: &'i CubeIndex<'a>,
    interrupt: &'i Interrupt,
    needed: BTreeSet<usize>,
    queue: VecDeque<usize>,
    active: Vec<Active>,
    /// Places in `active`, those that a refutation needed last at the end.
    recent: Vec<usize>,
    known: HashMap<CubeInstance, usize>,
    claims: Vec<Claim>,
    /// All claims so far: many cases have the same refutation.
    claimed: HashSet<(GroundFormula, Vec<GroundFormula>)>,
    proof: FinishedProof,
    /// The cube on trial: it is dropped if the needed ones can be proved without it.
    dropping: Option<usize>,
}

impl Prover<'_, '_> {
    fn run(mut self, extent: Extent) -> Result<FinishedProof, ProofFailure> {
        if extent == Extent::All {
            (0..self.cubes.proved).for_each(|cube| self.need(cube));
        }
        for owner in 0..self.cubes.owners.len() {
            self.show(Obligation::Owner(owner))?;
        }
        for goal in self.obligations.goals() {
            self.show(goal)?;
        }
        while let Some(cube) = self.queue.pop_front() {
            self.show(Obligation::Initiation(cube))?;
            for transition in 0..self.obligations.system.transitions.len() {
                self.show(Obligation::Consecution { transition, cube })?;
            }
        }
        self.confirm()?;
        if extent == Extent::Needed {
            self.minimise()?;
            self.confirm()?;
        }
        self.proof.shown = self.needed.into_iter().collect();
        self.proof.solver_calls = self.session.calls;
        Ok(self.proof)
    }

    /// Puts a cube on the list of those to show.
    fn need(&mut self, cube: usize) {
        if cube < self.cubes.proved && self.needed.insert(cube) {
            self.queue.push_back(cube);
        }
    }

    fn show(&mut self, obligation: Obligation) -> Result<(), ProofFailure> {
        let mut refutations = Vec::new();
        let cases = self.obligations.cases(obligation)?;
        let _span = debug_span!("obligation", ?obligation, cases = cases.len()).entered();
        for case in cases {
            self.interrupt.check()?;
            let instances = self.refute(obligation, &case)?;
            for instance in &instances {
                self.need(instance.cube);
            }
            refutations.push(instances);
        }
        self.proof.refutations.push((obligation, refutations));
        Ok(())
    }

    /// Instances that refute a case.
    fn refute(
        &mut self,
        obligation: Obligation,
        case: &ObligationCase,
    ) -> Result<Vec<CubeInstance>, ProofFailure> {
        let usable = |cube| self.is_usable(obligation, cube);
        let mut said = CaseLiterals::new(self.index, &case.formula, case.procs, &usable);
        let mut at_once = said.refuting(self.index, &case.formula, &mut self.order(obligation));
        // A step into the cube mostly begins in states that are like it, but for a cell that the step changes.
        let is_named = |cube: usize| usize::from(self.cubes.all[cube].params) == case.named.len();
        if let (None, Some(cube)) = (&at_once, obligation.cube().filter(|it| usable(*it) && is_named(*it))) {
            let itself = CubeInstance { cube, procs: case.named.clone() };
            if said.assume(self.index, itself) {
                at_once = said.refuting(self.index, &case.formula, &mut self.order(obligation));
            }
        }
        match at_once {
            Some(refutation) => self.claim(obligation, refutation),
            None => self.search(obligation, case, &said),
        }
    }

    /// Whether instances of a cube may be assumed: of an initial state only those of trusted cubes.
    fn is_usable(&self, obligation: Obligation, cube: usize) -> bool {
        if cube >= self.cubes.proved {
            return true;
        }
        let kept = self.dropping.is_none_or(|out| cube != out && self.needed.contains(&cube));
        kept && !matches!(obligation, Obligation::Initiation(_) | Obligation::Owner(_))
    }

    /// Cubes whose instances may be assumed, the most promising first: the cube itself, those needed anyway,
    /// the others.
    fn order(&self, obligation: Obligation) -> impl Iterator<Item = usize> {
        let needed = self.needed.iter().copied();
        let others = (0..self.cubes.proved).filter(|cube| !self.needed.contains(cube));
        let trusted = self.cubes.proved..self.cubes.all.len();
        let order = obligation.cube().into_iter().chain(needed).chain(trusted).chain(others);
        order.filter(move |&cube| self.is_usable(obligation, cube))
    }

    /// Drops cubes that the others make redundant, the last first, within a bounded number of cases.
    fn minimise(&mut self) -> Result<(), ProofFailure> {
        let mut users: Vec<BTreeSet<(usize, usize)>> = vec![BTreeSet::new(); self.cubes.all.len()];
        let mut cases = 0;
        for (o, (_, refutations)) in self.proof.refutations.iter().enumerate() {
            cases += refutations.len();
            for (c, instances) in refutations.iter().enumerate() {
                for instance in instances {
                    users[instance.cube].insert((o, c));
                }
            }
        }
        let mut left = FREE_TRIALS + cases / CASES_PER_TRIAL;
        let calls = self.session.calls + FREE_CALLS + self.session.calls / CALLS_PER_TRIAL_CALL;
        'cubes: for cube in self.needed.clone().into_iter().rev() {
            self.dropping = Some(cube);
            let mut replaced = Vec::new();
            for &(o, c) in &users[cube] {
                let (obligation, refutations) = &self.proof.refutations[o];
                let obligation = *obligation;
                if obligation.cube().is_some_and(|of| of == cube || !self.needed.contains(&of))
                    || refutations[c].iter().all(|instance| instance.cube != cube)
                {
                    continue;
                }
                if left == 0 || self.session.calls > calls {
                    break 'cubes;
                }
                left -= 1;
                let case = self.obligations.cases(obligation)?.swap_remove(c);
                match self.refute(obligation, &case) {
                    Ok(instances) => replaced.push((o, c, instances)),
                    Err(ProofFailure::Refuted(_) | ProofFailure::Undecided(..)) => {
                        replaced.clear();
                        self.dropping = None;
                        break;
                    }
                    Err(other) => return Err(other),
                }
            }
            if self.dropping.is_some() {
                self.needed.remove(&cube);
                for (o, c, instances) in replaced {
                    for instance in &instances {
                        users[instance.cube].insert((o, c));
                    }
                    self.proof.refutations[o].1[c] = instances;
                }
            }
        }
        self.dropping = None;
        let needed = &self.needed;
        self.proof.refutations.retain(|(o, _)| o.cube().is_none_or(|cube| needed.contains(&cube)));
        Ok(())
    }

    /// The literals of an instance.
    fn literals(&self, instance: &CubeInstance) -> Result<Vec<GroundFormula>, ProofFailure> {
        let reader = self.index.reader;
        let literals = self.cubes.all[instance.cube].cube.iter();
        Ok(literals.map(|l| reader.literal(l, &instance.procs, Reading::Now)).collect::<Result<_, _>>()?)
    }

    fn formula_of(&mut self, case: &ObligationCase, defined: bool) -> Bool {
        let mut parts = self.session.order_of(case.procs);
        parts.push(self.session.formula(&case.formula));
        if defined {
            parts.extend(case.counts.facts.iter().map(|fact| self.session.formula(fact)));
        }
        Bool::and(&parts)
    }

    /// Records a refutation; Z3 confirms many such claims in one call. The rest of the case does not matter.
    fn claim(
        &mut self,
        obligation: Obligation,
        refutation: Refutation,
    ) -> Result<Vec<CubeInstance>, ProofFailure> {
        let Refutation { support, instances } = refutation;
        let mut excluded = Vec::with_capacity(instances.len());
        for instance in &instances {
            excluded.push(GroundFormula::All(self.literals(instance)?));
        }
        let refuted = (support, excluded);
        if self.claimed.contains(&refuted) {
            return Ok(instances);
        }
        let mut parts = vec![self.session.formula(&refuted.0)];
        parts.extend(refuted.1.iter().map(|cube| self.session.formula(cube).not()));
        self.claimed.insert(refuted);
        self.claims.push(Claim { obligation, refuted: Bool::and(&parts) });
        // During a trial, a failed claim must not be mistaken for a failed trial.
        if self.claims.len() >= CLAIMS_PER_CALL && self.dropping.is_none() {
            self.confirm()?;
        }
        Ok(instances)
    }

    /// Has Z3 decide the claims made since the last time.
    fn confirm(&mut self) -> Result<(), ProofFailure> {
        let claims = std::mem::take(&mut self.claims);
        if claims.is_empty() {
            return Ok(());
        }
        debug!(refutations = claims.len(), "confirming");
        let any: Vec<Bool> = claims.iter().map(|claim| claim.refuted.clone()).collect();
        if let CaseAnswer::Unsat(_) = self.session.check(&Bool::or(&any), &[], self.interrupt)? {
            return Ok(());
        }
        for claim in claims {
            match self.session.check(&claim.refuted, &[], self.interrupt)? {
                CaseAnswer::Unsat(_) => {}
                CaseAnswer::Sat(_) => return Err(ProofFailure::Refuted(claim.obligation)),
                CaseAnswer::Unknown(why) => return Err(ProofFailure::Undecided(claim.obligation, why)),
            }
        }
        Ok(())
    }

    /// Refutes a case, without the definitions of its counts where it does not mention one and that is enough.
    fn search(
        &mut self,
        obligation: Obligation,
        case: &ObligationCase,
        said: &CaseLiterals,
    ) -> Result<Vec<CubeInstance>, ProofFailure> {
        let is_count = |cell: &&GroundCell| self.obligations.system.count_of(cell.var).is_some();
        let mut counts = false;
        case.formula.atoms(&mut |atom| counts |= atom.cells().iter().any(is_count));
        if !counts {
            match self.search_in(obligation, case, said, false) {
                Err(ProofFailure::Refuted(_)) if !case.counts.facts.is_empty() => {}
                other => return other,
            }
        }
        self.search_in(obligation, case, said, true)
    }

    /// Refutes a case by instances that states of the case violate, one counterexample after the other; with the
    /// definitions of its counts if `defined`.
    fn search_in(
        &mut self,
        obligation: Obligation,
        case: &ObligationCase,
        said: &CaseLiterals,
        defined: bool,
    ) -> Result<Vec<CubeInstance>, ProofFailure> {
        let formula = self.formula_of(case, defined);
        let order: Vec<usize> = self.order(obligation).collect();
        let named: Vec<u8> = (0..case.procs).collect();
        let groups: &[Vec<u8>] = if defined { &case.counts.unnamed } else { &[] };
        let mut chosen = self.at_hand(obligation, case, said, groups);
        for instance in self.about_sums(&order, groups) {
            let i = self.activate(instance)?;
            if !chosen.contains(&i) {
                chosen.push(i);
            }
        }
        // The facts from the literals rest on these.
        for instance in said.used() {
            let i = self.activate(instance.clone())?;
            if !chosen.contains(&i) {
                chosen.push(i);
            }
        }
        loop {
            let facts: Vec<(Bool, Bool)> = chosen.iter().map(|&i| self.active[i].fact.clone()).collect();
            let mut state = match self.session.check(&formula, &facts, self.interrupt)? {
                CaseAnswer::Unsat(core) => {
                    let needed: Vec<usize> = core.into_iter().map(|i| chosen[i]).collect();
                    self.recent.retain(|i| !needed.contains(i));
                    self.recent.extend(&needed);
                    return Ok(needed.into_iter().map(|i| self.active[i].instance.clone()).collect());
                }
                CaseAnswer::Unknown(why) => return Err(ProofFailure::Undecided(obligation, why)),
                CaseAnswer::Sat(state) => state,
            };
            let mut violated = Vec::new();
            let unnamed = self.obligations.unnamed;
            let session = &mut self.session;
            let mut exists =
                |p: &u8| unnamed.lacks(*p).is_none_or(|lacks| !session.holds(&mut state, &lacks));
            // Instances about named processes first, then those with unnamed ones of one partition.
            let existing = groups.iter().map(|group| group.iter().copied().filter(&mut exists).collect());
            let rounds: Vec<Vec<u8>> =
                std::iter::once(Vec::new()).chain(existing.collect::<Vec<_>>()).collect();
            'rounds: for unnamed in &rounds {
                let procs = [&named[..], unnamed].concat();
                for known_cells_only in [true, false] {
                    for &cube in &order {
                        let session = &mut self.session;
                        let index = self.index;
                        index.instances(
                            cube,
                            &procs,
                            &mut |literal| {
                                (!known_cells_only || session.knows(literal))
                                    && session.holds(&mut state, literal)
                            },
                            &mut |instance| {
                                violated.push(instance);
                                violated.len() >= INSTANCES_PER_COUNTEREXAMPLE
                            },
                        );
                        if violated.len() >= INSTANCES_PER_COUNTEREXAMPLE {
                            break;
                        }
                    }
                    if !violated.is_empty() {
                        break 'rounds;
                    }
                }
            }
            // The search for instances ends early when the run must end.
            self.interrupt.check()?;
            if violated.is_empty() {
                return Err(ProofFailure::Refuted(obligation));
            }
            let known = chosen.len();
            for instance in violated {
                let i = self.activate(instance)?;
                if !chosen.contains(&i) {
                    chosen.push(i);
                }
            }
            if chosen.len() == known {
                return Err(ProofFailure::Undecided(
                    obligation,
                    "the solver's states are not definite".into(),
                ));
            }
        }
    }

    /// Instances at unnamed processes that say something about sums, which no violated cube shows.
    fn about_sums(&self, order: &[usize], groups: &[Vec<u8>]) -> Vec<CubeInstance> {
        if self.obligations.system.counts.iter().all(|count| count.summand.is_none()) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for &cube in order {
            let forbidden = &self.cubes.all[cube];
            let linear = forbidden.cube.iter().any(|literal| matches!(literal, Literal::Linear { .. }));
            if forbidden.params == 1 && linear {
                let instance = |&process: &u8| CubeInstance { cube, procs: vec![process] };
                found.extend(groups.iter().flatten().map(instance));
            }
        }
        found
    }

    /// Instances that the session knows and that this case does not contradict, most recently needed first.
    fn at_hand(
        &self,
        obligation: Obligation,
        case: &ObligationCase,
        said: &CaseLiterals,
        groups: &[Vec<u8>],
    ) -> Vec<usize> {
        let usable = |i: &usize| {
            let Active { instance, literals, .. } = &self.active[*i];
            let known = |group: &[u8]| instance.procs.iter().all(|p| *p < case.procs || group.contains(p));
            (known(&[]) || groups.iter().any(|group| known(group)))
                && self.is_usable(obligation, instance.cube)
                && !literals.iter().any(|literal| said.contradicts(literal))
        };
        self.recent.iter().rev().copied().filter(usable).take(FIRST_INSTANCES).collect()
    }

    /// Makes an instance known to the session; its place in `active`.
    fn activate(&mut self, instance: CubeInstance) -> Result<usize, ProofFailure> {
        if let Some(&i) = self.known.get(&instance) {
            return Ok(i);
        }
        let literals = self.literals(&instance)?;
        let clause = self.session.formula(&self.obligations.excluded(&instance)?);
        let selector = Bool::new_const(format!("instance {}", self.active.len()));
        let i = self.active.len();
        self.known.insert(instance.clone(), i);
        self.active.push(Active { instance, literals, fact: (selector, clause) });
        self.recent.push(i);
        Ok(i)
    }
}
