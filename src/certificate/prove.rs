//! Shows that cubes are unreachable: finds, for each case of each obligation, instances of the invariant
//! that refute it, by propagation or with Z3.
//!
//! Starting from the properties, only cubes that some refutation uses are proved themselves, so that the
//! result is inductive and every cube in it is used.

use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::panic::resume_unwind;
use std::thread;

use hashbrown::HashMap;
use tracing::{debug_span, info, info_span};
use z3::ast::Bool;
use z3::{Config, with_z3_config};

use super::cubes::{CubeInstance, Cubes, Refutation, orders};
use super::failure::{NoCertificate, ProofFailure};
use super::ground::{GroundFormula, Overflow};
use super::index::{CubeIndex, Refutations};
use super::obligation::Obligation;
use super::obligations::{ObligationCase, Obligations, most_named};
use super::options::CheckOptions;
use super::refuter::{Attempt, Refutable, Refuter};
use super::solver::ProverSession;
use super::tuning::{
    CALLS_PER_TRIAL_CALL, CASES_PER_TRIAL, FREE_CALLS, FREE_TRIALS, MAX_PROCS, MORE_CLASSES,
};
use cubicle_lang::model::System;
use cubicle_run::logging::inherited;

/// Which cubes have to be shown unreachable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// All of them.
    All,
    /// Those that the properties need, directly or not, as far as some can be left out.
    Needed,
}

#[derive(Clone, Debug, Default)]
pub struct FinishedProof {
    /// Cubes that were shown unreachable, ascending.
    pub shown: Vec<usize>,
    /// What refutes each case of each obligation.
    pub refutations: Vec<Refutations>,
    pub solver_calls: u64,
}

/// Stack of the thread that asks Z3.
const STACK_BYTES: usize = 64 << 20;

/// Proves that cubes are unreachable and exclude the bad cubes of their system, in a Z3 context
/// of its own: that of a thread which ends with the proof, so that two proofs at once do not wait for each other. Without an extent, those are
/// shown that the properties need, with any instances that give nothing more to show: that is enough for an answer. Where there are counts and that
/// fails, it is tried with more classes, which the cubes say then.
pub fn prove(
    mut cubes: Cubes,
    extent: Option<Extent>,
    options: CheckOptions<'_>,
) -> Result<(Cubes, FinishedProof), NoCertificate> {
    let system = &cubes.system();
    let mut proof = prove_once(system, &cubes, extent, options);
    if matches!(proof, Err(ProofFailure::Refuted(_))) && !system.counts.is_empty() {
        let more = Cubes { classes: MORE_CLASSES, ..cubes.clone() };
        let again = prove_once(system, &more, extent, options);
        if again.is_ok() {
            cubes = more;
        }
        if let Ok(_) | Err(ProofFailure::Stopped(_)) = again {
            proof = again;
        }
    }
    match proof {
        Ok(proof) => Ok((cubes, proof)),
        Err(failure) => Err(NoCertificate::Failed(failure, Box::new(cubes))),
    }
}

fn prove_once(
    system: &System,
    cubes: &Cubes,
    extent: Option<Extent>,
    options: CheckOptions<'_>,
) -> Result<FinishedProof, ProofFailure> {
    let trusted = cubes.all.len() - cubes.proved;
    let _span = info_span!("prove", cubes = cubes.proved, trusted, ?extent).entered();
    if most_named(system, cubes) > MAX_PROCS {
        return Err(ProofFailure::Processes);
    }
    let prover = &|| {
        let index = CubeIndex::new(system, cubes, options.interrupt);
        let obligations = Obligations::new(system, cubes, options.interrupt);
        Prover {
            cubes,
            session: None,
            refuter: Refuter::new(system, &index),
            obligations: &obligations,
            index: &index,
            options,
            extent,
            needed: BTreeSet::new(),
            queue: VecDeque::new(),
            active: Vec::new(),
            recent: Vec::new(),
            known: HashMap::new(),
            proof: FinishedProof::default(),
            dropping: None,
        }
        .run()
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
pub struct Active {
    pub instance: CubeInstance,
    pub literals: Vec<GroundFormula>,
    /// A name for it, and its formula.
    pub fact: (Bool, Bool),
}

/// A proof that is being found.
pub struct Prover<'a, 'i> {
    pub obligations: &'i Obligations<'a>,
    pub cubes: &'a Cubes,
    pub refuter: Refuter<'i>,
    /// Z3, once it is needed: its context alone takes milliseconds.
    pub session: Option<ProverSession<'a>>,
    pub index: &'i CubeIndex<'a>,
    pub options: CheckOptions<'i>,
    pub extent: Option<Extent>,
    pub needed: BTreeSet<usize>,
    pub queue: VecDeque<usize>,
    pub active: Vec<Active>,
    /// Places in `active`, those that a refutation needed last at the end.
    pub recent: Vec<usize>,
    pub known: HashMap<(CubeInstance, u8), usize>,
    pub proof: FinishedProof,
    /// The cube on trial: it is dropped if the needed ones can be proved without it.
    pub dropping: Option<usize>,
}

impl<'a> Prover<'a, '_> {
    fn run(mut self) -> Result<FinishedProof, ProofFailure> {
        if self.extent == Some(Extent::All) {
            (0..self.cubes.proved).for_each(|cube| self.need(cube));
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
        if self.extent == Some(Extent::Needed) {
            self.minimise()?;
        }
        self.proof.shown = self.needed.into_iter().collect();
        self.proof.solver_calls = self.session.map_or(0, |session| session.calls);
        Ok(self.proof)
    }

    /// Z3, which begins to work now if it has not yet.
    pub fn session(&mut self) -> &mut ProverSession<'a> {
        let Obligations { system, unnamed, .. } = *self.obligations;
        let (procs, all) = (0..unnamed.first, self.obligations.processes());
        let (ordered, timeout) = (orders(system, self.cubes), self.options.timeout);
        self.session.get_or_insert_with(|| ProverSession::new(system, procs, all, ordered, timeout))
    }

    /// Puts a cube on the list of those to show.
    fn need(&mut self, cube: usize) {
        if cube < self.cubes.proved && self.needed.insert(cube) {
            self.queue.push_back(cube);
        }
    }

    fn show(&mut self, obligation: Obligation) -> Result<(), ProofFailure> {
        let mut refutations = Vec::new();
        // What is not written down need not be listed.
        let cases = self.obligations.cases(obligation, self.extent.is_some())?;
        let _span = debug_span!("obligation", ?obligation, cases = cases.len()).entered();
        for case in cases {
            self.options.interrupt.check()?;
            let refutation = self.refute(&case)?;
            let instances = refutation.instances.iter();
            instances.flat_map(CubeInstance::rests_on).for_each(|cube| self.need(cube));
            refutations.push(refutation);
        }
        self.proof.refutations.push((obligation, refutations));
        Ok(())
    }

    pub fn refute(&mut self, case: &ObligationCase<'a>) -> Result<Refutation, ProofFailure> {
        // A step into the cube mostly begins in states that are like it, but for a cell that the step changes.
        let is_named = |cube: usize| usize::from(self.cubes.all[cube].params) == case.named.len();
        let itself = case.obligation.cube();
        let itself = itself.filter(|it| self.is_usable(case.obligation, *it) && is_named(*it));
        let itself = itself.map(|cube| CubeInstance::new(cube, case.named.clone()));
        if let (true, Some(itself)) = (case.is_identity(), &itself) {
            return Ok(Refutation { instances: vec![itself.clone()], ..Refutation::default() });
        }
        match self.propagate(case, itself.as_ref())? {
            Attempt::Refuted(refutation) => Ok(refutation),
            Attempt::Open(possible, used) => self.search(case, &possible, &used),
        }
    }

    /// Tries to refute a case by propagation.
    fn propagate<'f>(
        &self,
        case: &'f ObligationCase<'a>,
        first: Option<&CubeInstance>,
    ) -> Result<Attempt<'f>, Overflow> {
        let obligation = case.obligation;
        let rank = |cube| self.may_use(case, cube).then(|| self.rank(obligation, cube));
        let is_free = |cube| self.extent.is_none() && self.is_shown_anyway(cube);
        let known: RefCell<HashMap<CubeInstance, Option<Refutation>>> = RefCell::default();
        let further = |instance: &CubeInstance| {
            if let Some(known) = known.borrow().get(instance) {
                return Ok(known.clone());
            }
            let found = match self.further(case, instance)? {
                None => Some(Refutation::default()),
                Some(case) => match self.propagate(&case, None)? {
                    Attempt::Refuted(refutation) => Some(refutation),
                    Attempt::Open(..) => None,
                },
            };
            known.borrow_mut().insert(instance.clone(), found.clone());
            Ok(found)
        };
        self.refuter.attempt(Refutable {
            formula: &case.formula,
            procs: case.procs,
            first: first.filter(|it| rank(it.cube).is_some()),
            rank: &rank,
            is_free: &is_free,
            beyond: &further,
        })
    }

    /// The case in which a process that this one does not name is what an instance says that no other process is; `None` if what is said of that
    /// process alone contradicts itself.
    pub fn further(
        &self,
        case: &ObligationCase<'a>,
        instance: &CubeInstance,
    ) -> Result<Option<ObligationCase<'a>>, Overflow> {
        let further = self.obligations.beyond(case, instance)?;
        let possible = further.filter(|(own, case)| !self.refuter.is_contradiction(own, case.procs));
        Ok(possible.map(|it| it.1))
    }

    /// Whether instances of a cube may be assumed: of an initial state only those of trusted cubes.
    pub fn is_usable(&self, obligation: Obligation, cube: usize) -> bool {
        if cube >= self.cubes.proved {
            return true;
        }
        let kept = self.dropping.is_none_or(|out| cube != out && self.needed.contains(&cube));
        kept && !matches!(obligation, Obligation::Initiation(_))
    }

    pub fn may_use(&self, case: &ObligationCase<'_>, cube: usize) -> bool {
        let has_room = !self.cubes.has_others(cube) || case.beyond < self.cubes.beyond();
        has_room && self.is_usable(case.obligation, cube)
    }

    /// Whether using a cube gives nothing more to show.
    fn is_shown_anyway(&self, cube: usize) -> bool {
        cube >= self.cubes.proved || self.needed.contains(&cube)
    }

    /// The place of a cube in the order in which cubes are tried: the cube itself, those needed anyway, those taken for granted, the
    /// others.
    fn rank(&self, obligation: Obligation, cube: usize) -> usize {
        if obligation.cube() == Some(cube) {
            return 0;
        }
        match (cube < self.cubes.proved, self.is_shown_anyway(cube)) {
            (true, true) => 1,
            (false, _) => 2,
            (true, false) => 3,
        }
    }

    /// Cubes whose instances a case may use, the most promising first.
    pub fn order(&self, case: &ObligationCase<'_>) -> Vec<usize> {
        let mut usable: Vec<usize> =
            (0..self.cubes.all.len()).filter(|cube| self.may_use(case, *cube)).collect();
        usable.sort_by_key(|cube| self.rank(case.obligation, *cube));
        usable
    }

    /// Drops cubes that the others make redundant, the last first, within a bounded number of cases.
    fn minimise(&mut self) -> Result<(), ProofFailure> {
        let mut users: Vec<BTreeSet<(usize, usize)>> = vec![BTreeSet::new(); self.cubes.all.len()];
        let mut cases = 0;
        for (o, (_, refutations)) in self.proof.refutations.iter().enumerate() {
            cases += refutations.len();
            for (c, refutation) in refutations.iter().enumerate() {
                note_users(&mut users, refutation, (o, c));
            }
        }
        let mut left = FREE_TRIALS + cases / CASES_PER_TRIAL;
        let calls = self.calls() + FREE_CALLS + self.calls() / CALLS_PER_TRIAL_CALL;
        'cubes: for cube in self.needed.clone().into_iter().rev() {
            self.dropping = Some(cube);
            let mut replaced = Vec::new();
            for &(o, c) in &users[cube] {
                let (obligation, refutations) = &self.proof.refutations[o];
                let obligation = *obligation;
                if obligation.cube().is_some_and(|of| of == cube || !self.needed.contains(&of))
                    || !refutations[c].instances.iter().any(|it| it.rests_on().contains(&cube))
                {
                    continue;
                }
                if left == 0 || self.calls() > calls {
                    break 'cubes;
                }
                left -= 1;
                let case = self.obligations.cases(obligation, true)?.swap_remove(c);
                match self.refute(&case) {
                    Ok(refutation) => replaced.push((o, c, refutation)),
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
                for (o, c, refutation) in replaced {
                    note_users(&mut users, &refutation, (o, c));
                    self.proof.refutations[o].1[c] = refutation;
                }
            }
        }
        self.dropping = None;
        let needed = &self.needed;
        self.proof.refutations.retain(|(o, _)| o.cube().is_none_or(|cube| needed.contains(&cube)));
        Ok(())
    }

    fn calls(&self) -> u64 {
        self.session.as_ref().map_or(0, |session| session.calls)
    }
}

/// Notes which cubes a refutation rests on.
fn note_users(users: &mut [BTreeSet<(usize, usize)>], refutation: &Refutation, case: (usize, usize)) {
    for cube in refutation.instances.iter().flat_map(CubeInstance::rests_on) {
        users[cube].insert(case);
    }
}
