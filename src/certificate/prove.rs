//! Shows that cubes are unreachable: finds, for each case of each obligation, instances of the invariant
//! that refute it, by propagation or with Z3.
//!
//! Starting from the properties, only cubes that some refutation uses are proved themselves, so that the
//! result is inductive and every cube in it is used.

use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::panic::resume_unwind;
use std::thread;
use std::time::Duration;

use hashbrown::HashMap;
use tracing::{debug_span, info, info_span};
use z3::ast::Bool;
use z3::{Config, with_z3_config};

use super::cubes::{CubeInstance, Cubes, orders};
use super::failure::ProofFailure;
use super::ground::{GroundFormula, Overflow};
use super::index::{CubeIndex, Refutations};
use super::obligation::Obligation;
use super::obligations::{ObligationCase, Obligations, most_named};
use super::refuter::{Attempt, Refutable, Refuter};
use super::solver::ProverSession;
use super::steps::Arguments;
use super::tuning::{
    CALLS_PER_TRIAL_CALL, CASES_BEFORE_STEP, CASES_PER_TRIAL, FREE_CALLS, FREE_TRIALS, MAX_PROCS,
    MORE_CLASSES,
};
use cubicle_lang::model::System;
use cubicle_run::Interrupt;
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
    /// For each obligation and each of its cases, instances that refute it.
    pub refutations: Vec<Refutations>,
    /// Calls of Z3.
    pub solver_calls: u64,
}

/// Stack of the thread that asks Z3.
const STACK_BYTES: usize = 64 << 20;

/// Proves that the cubes of `cubes` are unreachable and exclude the bad cubes of `system`, in a Z3 context
/// of its own: that of a thread which ends with the proof, so that two proofs at once do not wait for each other. A call of
/// Z3 takes at most `timeout`. Without an extent, those are shown that the properties need, and the refutations do not list
/// cases that need not be looked at: that is enough for an answer, but not for a certificate. Where there are counts and that fails, it is
/// tried with more classes, which the cubes say then.
pub fn prove(
    system: &System,
    cubes: &mut Cubes,
    extent: Option<Extent>,
    timeout: Duration,
    interrupt: &Interrupt,
) -> Result<FinishedProof, ProofFailure> {
    let first = prove_once(system, cubes, extent, timeout, interrupt);
    let Err(ProofFailure::Refuted(_)) = &first else { return first };
    if system.counts.is_empty() {
        return first;
    }
    let more = Cubes { classes: MORE_CLASSES, ..cubes.clone() };
    match prove_once(system, &more, extent, timeout, interrupt) {
        Ok(proof) => {
            cubes.classes = MORE_CLASSES;
            Ok(proof)
        }
        Err(stopped @ ProofFailure::Stopped(_)) => Err(stopped),
        Err(_) => first,
    }
}

fn prove_once(
    system: &System,
    cubes: &Cubes,
    extent: Option<Extent>,
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
        Prover {
            cubes,
            session: None,
            refuter: Refuter::new(system, &index),
            obligations: &obligations,
            index: &index,
            interrupt,
            timeout,
            extent,
            needed: BTreeSet::new(),
            queue: VecDeque::new(),
            active: Vec::new(),
            recent: Vec::new(),
            known: HashMap::new(),
            proof: FinishedProof::default(),
            impossible: HashMap::new(),
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
    pub interrupt: &'i Interrupt,
    pub timeout: Duration,
    pub extent: Option<Extent>,
    pub needed: BTreeSet<usize>,
    pub queue: VecDeque<usize>,
    pub active: Vec<Active>,
    /// Places in `active`, those that a refutation needed last at the end.
    pub recent: Vec<usize>,
    pub known: HashMap<(CubeInstance, u8), usize>,
    pub proof: FinishedProof,
    /// For a transition and arguments of it, by number, how often it was asked whether they are impossible, and the answer.
    pub impossible: HashMap<(usize, usize), (usize, Option<bool>)>,
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
        let ordered = orders(system, self.cubes);
        self.session.get_or_insert_with(|| ProverSession::new(system, procs, all, ordered, self.timeout))
    }

    /// Puts a cube on the list of those to show.
    fn need(&mut self, cube: usize) {
        if cube < self.cubes.proved && self.needed.insert(cube) {
            self.queue.push_back(cube);
        }
    }

    fn need_all(&mut self, instances: &[CubeInstance]) {
        for instance in instances {
            instance.rests_on(&mut |cube| {
                self.need(cube);
                false
            });
        }
    }

    fn show(&mut self, obligation: Obligation) -> Result<(), ProofFailure> {
        let mut refutations = Vec::new();
        let obligations = self.obligations;
        // What is not written down need not be listed.
        let cases = if self.extent.is_none() {
            obligations.cases_but(obligation, false, &mut |at, arguments| {
                self.is_impossible(obligation, at, arguments)
            })?
        } else {
            obligations.cases(obligation)?
        };
        let _span = debug_span!("obligation", ?obligation, cases = cases.len()).entered();
        for case in cases {
            self.interrupt.check()?;
            let instances = self.refute(obligation, &case, 0)?;
            self.need_all(&instances);
            refutations.push(instances);
        }
        self.proof.refutations.push((obligation, refutations));
        Ok(())
    }

    /// Instances that refute a case; `beyond` is how many of its processes are named for what cubes say of others.
    pub fn refute(
        &mut self,
        obligation: Obligation,
        case: &ObligationCase<'a>,
        beyond: u8,
    ) -> Result<Vec<CubeInstance>, ProofFailure> {
        // A step into the cube mostly begins in states that are like it, but for a cell that the step changes.
        let is_named = |cube: usize| usize::from(self.cubes.all[cube].params) == case.named.len();
        let itself = obligation.cube().filter(|it| self.is_usable(obligation, *it) && is_named(*it));
        let itself = itself.map(|cube| CubeInstance::new(cube, case.named.clone()));
        if let (true, Some(itself)) = (case.is_identity(obligation), &itself) {
            return Ok(vec![itself.clone()]);
        }
        match self.propagate(obligation, case, (itself.as_ref(), beyond))? {
            Attempt::Refuted(instances) => Ok(instances),
            Attempt::Open(possible, used) => self.search(obligation, case, (&possible, &used), beyond),
        }
    }

    /// Tries to refute a case by propagation.
    fn propagate<'f>(
        &self,
        obligation: Obligation,
        case: &'f ObligationCase<'a>,
        (first, beyond): (Option<&CubeInstance>, u8),
    ) -> Result<Attempt<'f>, Overflow> {
        let most = self.cubes.beyond();
        let rank = |cube| {
            let usable = self.is_usable(obligation, cube) && (beyond < most || !self.cubes.has_others(cube));
            usable.then(|| self.rank(obligation, cube))
        };
        let is_free = |cube| self.extent.is_none() && self.is_shown_anyway(cube);
        let known: RefCell<HashMap<CubeInstance, Option<Vec<CubeInstance>>>> = RefCell::default();
        let further = |instance: &CubeInstance| {
            if let Some(known) = known.borrow().get(instance) {
                return Ok(known.clone());
            }
            let found = self.beyond(obligation, case, (instance, beyond))?;
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

    /// What refutes by propagation that a process which the case does not name is what an instance says that no other process is.
    fn beyond(
        &self,
        obligation: Obligation,
        case: &ObligationCase<'a>,
        (instance, beyond): (&CubeInstance, u8),
    ) -> Result<Option<Vec<CubeInstance>>, Overflow> {
        let Some((own, case)) = self.obligations.beyond(case, instance)? else { return Ok(Some(Vec::new())) };
        if self.refuter.is_contradiction(&own, case.procs) {
            return Ok(Some(Vec::new()));
        }
        Ok(match self.propagate(obligation, &case, (None, beyond + 1))? {
            Attempt::Refuted(instances) => Some(instances),
            Attempt::Open(..) => None,
        })
    }

    /// Whether guards and invariant exclude the step of an obligation with these arguments, whatever the cube; that is looked at once
    /// several cases have asked.
    fn is_impossible(
        &mut self,
        obligation: Obligation,
        at: usize,
        arguments: &Arguments,
    ) -> Result<bool, ProofFailure> {
        let Obligation::Consecution { transition, .. } = obligation else { return Ok(false) };
        let (asked, known) = self.impossible.entry((transition, at)).or_default();
        *asked += 1;
        if let Some(known) = *known {
            return Ok(known);
        }
        if *asked < CASES_BEFORE_STEP {
            return Ok(false);
        }
        let guards = GroundFormula::all(self.obligations.guards(transition, arguments, arguments.procs)?);
        let rank = |cube| Some(self.rank(obligation, cube));
        let is_free = |cube| self.is_shown_anyway(cube);
        let attempt = self.refuter.attempt(Refutable {
            formula: &guards,
            procs: arguments.procs,
            first: None,
            rank: &rank,
            is_free: &is_free,
            beyond: &|_| Ok(None),
        })?;
        let found = match attempt {
            Attempt::Refuted(instances) => Some(instances),
            Attempt::Open(..) => None,
        };
        self.impossible.insert((transition, at), (0, Some(found.is_some())));
        self.need_all(found.as_deref().unwrap_or_default());
        Ok(found.is_some())
    }

    /// Whether instances of a cube may be assumed: of an initial state only those of trusted cubes.
    pub fn is_usable(&self, obligation: Obligation, cube: usize) -> bool {
        if cube >= self.cubes.proved {
            return true;
        }
        let kept = self.dropping.is_none_or(|out| cube != out && self.needed.contains(&cube));
        kept && !matches!(obligation, Obligation::Initiation(_))
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

    /// Cubes whose instances may be assumed, the most promising first.
    pub fn order(&self, obligation: Obligation) -> Vec<usize> {
        let mut usable: Vec<usize> =
            (0..self.cubes.all.len()).filter(|cube| self.is_usable(obligation, *cube)).collect();
        usable.sort_by_key(|cube| self.rank(obligation, *cube));
        usable
    }

    /// Drops cubes that the others make redundant, the last first, within a bounded number of cases.
    fn minimise(&mut self) -> Result<(), ProofFailure> {
        let mut users: Vec<BTreeSet<(usize, usize)>> = vec![BTreeSet::new(); self.cubes.all.len()];
        let mut cases = 0;
        for (o, (_, refutations)) in self.proof.refutations.iter().enumerate() {
            cases += refutations.len();
            for (c, instances) in refutations.iter().enumerate() {
                note_users(&mut users, instances, (o, c));
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
                    || !refutations[c].iter().any(|it| it.rests_on(&mut |used| used == cube))
                {
                    continue;
                }
                if left == 0 || self.calls() > calls {
                    break 'cubes;
                }
                left -= 1;
                let case = self.obligations.cases(obligation)?.swap_remove(c);
                match self.refute(obligation, &case, 0) {
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
                    note_users(&mut users, &instances, (o, c));
                    self.proof.refutations[o].1[c] = instances;
                }
            }
        }
        self.dropping = None;
        let needed = &self.needed;
        self.proof.refutations.retain(|(o, _)| o.cube().is_none_or(|cube| needed.contains(&cube)));
        Ok(())
    }

    /// Calls of Z3 so far.
    fn calls(&self) -> u64 {
        self.session.as_ref().map_or(0, |session| session.calls)
    }
}

/// Notes which cubes the instances of a case rest on.
fn note_users(users: &mut [BTreeSet<(usize, usize)>], instances: &[CubeInstance], case: (usize, usize)) {
    for instance in instances {
        instance.rests_on(&mut |cube| {
            users[cube].insert(case);
            false
        });
    }
}
