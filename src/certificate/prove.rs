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

use hashbrown::{HashMap, HashSet};
use tracing::{debug_span, info, info_span};
use z3::ast::Bool;
use z3::{Config, with_z3_config};

use super::counts::Definitions;
use super::cubes::{CubeInstance, Cubes, orders};
use super::failure::ProofFailure;
use super::ground::{GroundCell, GroundFormula, Overflow, Reading};
use super::index::{CubeIndex, Refutations};
use super::obligation::Obligation;
use super::obligations::{ObligationCase, Obligations, most_named};
use super::possible::Possible;
use super::refuter::{Attempt, Refutable, Refuter};
use super::solver::{CaseAnswer, ProverSession, SatisfyingState};
use super::steps::Arguments;
use super::tuning::{
    CALLS_PER_TRIAL_CALL, CASES_BEFORE_STEP, CASES_PER_TRIAL, FIRST_INSTANCES, FREE_CALLS, FREE_TRIALS,
    INSTANCES_PER_COUNTEREXAMPLE, MAX_PROCS, MORE_CLASSES,
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
struct Active {
    instance: CubeInstance,
    literals: Vec<GroundFormula>,
    /// A name for it, and its formula.
    fact: (Bool, Bool),
}

/// The instances that are assumed in a case.
#[derive(Default)]
struct Chosen {
    /// Their places in `active`.
    places: Vec<usize>,
    /// For places, see [`CubeInstance::beyond`].
    beyond: HashMap<usize, Vec<CubeInstance>>,
    /// Those that may not be: a process that the case does not name may be what they say that no other process is.
    refused: HashSet<CubeInstance>,
}

struct Prover<'a, 'i> {
    obligations: &'i Obligations<'a>,
    cubes: &'a Cubes,
    refuter: Refuter<'i>,
    /// Z3, once it is needed: its context alone takes milliseconds.
    session: Option<ProverSession<'a>>,
    index: &'i CubeIndex<'a>,
    interrupt: &'i Interrupt,
    timeout: Duration,
    extent: Option<Extent>,
    needed: BTreeSet<usize>,
    queue: VecDeque<usize>,
    active: Vec<Active>,
    /// Places in `active`, those that a refutation needed last at the end.
    recent: Vec<usize>,
    known: HashMap<(CubeInstance, u8), usize>,
    proof: FinishedProof,
    /// For a transition and arguments of it, by number, how often it was asked whether they are impossible, and the answer.
    impossible: HashMap<(usize, usize), (usize, Option<bool>)>,
    /// The cube on trial: it is dropped if the needed ones can be proved without it.
    dropping: Option<usize>,
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
    fn session(&mut self) -> &mut ProverSession<'a> {
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

    /// Instances that refute a case; so many of its processes are named for what cubes say of others.
    fn refute(
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
    fn is_usable(&self, obligation: Obligation, cube: usize) -> bool {
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
    fn order(&self, obligation: Obligation) -> Vec<usize> {
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

    /// The literals of an instance.
    fn literals(&self, instance: &CubeInstance) -> Result<Vec<GroundFormula>, ProofFailure> {
        let reader = self.index.reader;
        let literals = self.cubes.all[instance.cube].cube.iter();
        Ok(literals.map(|l| reader.literal(l, &instance.procs, Reading::Now)).collect::<Result<_, _>>()?)
    }

    /// Refutes a case, without the definitions of its counts where it does not mention one and that is enough.
    fn search(
        &mut self,
        obligation: Obligation,
        case: &ObligationCase<'a>,
        known: (&Possible<'_>, &[CubeInstance]),
        beyond: u8,
    ) -> Result<Vec<CubeInstance>, ProofFailure> {
        let is_count = |cell: &&GroundCell| self.obligations.system.count_of(cell.var).is_some();
        let mut counts = false;
        case.formula.atoms(&mut |atom| counts |= atom.cells().iter().any(is_count));
        if !counts {
            match self.search_in(obligation, (case, beyond), &Definitions::default(), known) {
                Err(failure @ ProofFailure::Refuted(_)) => {
                    let definitions = self.obligations.definitions(case)?;
                    if definitions.facts.is_empty() {
                        return Err(failure);
                    }
                    return self.search_in(obligation, (case, beyond), &definitions, known);
                }
                other => return other,
            }
        }
        let definitions = self.obligations.definitions(case)?;
        self.search_in(obligation, (case, beyond), &definitions, known)
    }

    /// Refutes a case by instances that states of the case violate, one counterexample after the other; with these
    /// definitions of its counts.
    fn search_in(
        &mut self,
        obligation: Obligation,
        (case, beyond): (&ObligationCase<'a>, u8),
        definitions: &Definitions,
        (possible, used): (&Possible<'_>, &[CubeInstance]),
    ) -> Result<Vec<CubeInstance>, ProofFailure> {
        let most = self.cubes.beyond();
        let mut order = self.order(obligation);
        order.retain(|cube| beyond < most || !self.cubes.has_others(*cube));
        let groups: &[Vec<u8>] = &definitions.unnamed;
        let mut chosen =
            Chosen { places: self.at_hand(obligation, case, possible, groups), ..Chosen::default() };
        // What remains possible rests on those that were used.
        for instance in self.about_sums(&order, groups).into_iter().chain(used.iter().cloned()) {
            self.choose(case.procs, instance, &mut chosen)?;
        }
        let session = self.session();
        let mut parts = session.order_of(case.procs);
        parts.push(session.formula(&case.formula));
        parts.extend(definitions.facts.iter().map(|fact| session.formula(fact)));
        session.open(&Bool::and(&parts));
        let refuted = self.refute_opened(obligation, (case, beyond), (&order, groups), &mut chosen);
        self.session().close();
        let needed = refuted?;
        self.recent.retain(|i| !needed.contains(i));
        self.recent.extend(&needed);
        let with = |i: usize| {
            let beyond = chosen.beyond.get(&i).cloned().unwrap_or_default();
            CubeInstance { beyond, ..self.active[i].instance.clone() }
        };
        Ok(needed.into_iter().map(with).collect())
    }

    /// The places in `active` of instances that refute the case that is open in the session; `chosen` are those assumed first.
    fn refute_opened(
        &mut self,
        obligation: Obligation,
        (case, beyond): (&ObligationCase<'a>, u8),
        (order, groups): (&[usize], &[Vec<u8>]),
        chosen: &mut Chosen,
    ) -> Result<Vec<usize>, ProofFailure> {
        let mut assumed = 0;
        loop {
            for &i in &chosen.places[assumed..] {
                let (name, fact) = self.active[i].fact.clone();
                self.session().assume(&name, &fact);
            }
            assumed = chosen.places.len();
            let names: Vec<Bool> = chosen.places.iter().map(|&i| self.active[i].fact.0.clone()).collect();
            let interrupt = self.interrupt;
            let mut state = match self.session().check(&names, interrupt)? {
                CaseAnswer::Unsat(core) => return Ok(core.into_iter().map(|i| chosen.places[i]).collect()),
                CaseAnswer::Unknown(why) => return Err(ProofFailure::Undecided(obligation, why)),
                CaseAnswer::Sat(state) => state,
            };
            let mut violated = self.violated(case.procs, (order, groups), &mut state);
            if violated.is_empty() {
                violated = self.violated_others(obligation, (case, beyond), (order, &mut state), chosen)?;
            }
            // The search for instances ends early when the run must end.
            self.interrupt.check()?;
            if violated.is_empty() {
                return Err(ProofFailure::Refuted(obligation));
            }
            for instance in violated {
                self.choose(case.procs, instance, chosen)?;
            }
            if chosen.places.len() == assumed {
                return Err(ProofFailure::Undecided(
                    obligation,
                    "the solver's states are not definite".into(),
                ));
            }
        }
    }

    /// Instances that a state of a case of so many processes violates, of cubes that say nothing of other processes.
    fn violated(
        &mut self,
        named: u8,
        (order, groups): (&[usize], &[Vec<u8>]),
        state: &mut SatisfyingState,
    ) -> Vec<CubeInstance> {
        let named: Vec<u8> = (0..named).collect();
        let mut violated = Vec::new();
        let (cubes, unnamed, index) = (self.cubes, self.obligations.unnamed, self.index);
        let session = self.session();
        let mut exists = |p: &u8| unnamed.lacks(*p).is_none_or(|lacks| !session.holds(state, &lacks));
        // Instances about named processes first, then those with unnamed ones of one partition.
        let existing = groups.iter().map(|group| group.iter().copied().filter(&mut exists).collect());
        let rounds: Vec<Vec<u8>> = std::iter::once(Vec::new()).chain(existing.collect::<Vec<_>>()).collect();
        for unnamed in &rounds {
            let procs = [&named[..], unnamed].concat();
            for known_cells_only in [true, false] {
                for &cube in order.iter().filter(|cube| !cubes.has_others(**cube)) {
                    index.instances(
                        cube,
                        (&procs, 0),
                        &mut |literal, names| {
                            // Without a step there is no arithmetic that could overflow.
                            let literal = index.reader.literal(literal, names, Reading::Now).ok()?;
                            let fits = !known_cells_only || session.knows(&literal);
                            Some(fits && session.holds(state, &literal))
                        },
                        &mut |instance, _| {
                            violated.push(instance);
                            violated.len() >= INSTANCES_PER_COUNTEREXAMPLE
                        },
                    );
                    if violated.len() >= INSTANCES_PER_COUNTEREXAMPLE {
                        break;
                    }
                }
                if !violated.is_empty() {
                    return violated;
                }
            }
        }
        violated
    }

    /// Instances that it violates of cubes that say what no other process is, if no process that the case does not name can be that.
    fn violated_others(
        &mut self,
        obligation: Obligation,
        (case, beyond): (&ObligationCase<'a>, u8),
        (order, state): (&[usize], &mut SatisfyingState),
        chosen: &mut Chosen,
    ) -> Result<Vec<CubeInstance>, ProofFailure> {
        let procs: Vec<u8> = (0..case.procs).collect();
        let mut violated = Vec::new();
        let (cubes, index) = (self.cubes, self.index);
        for &cube in order.iter().filter(|cube| cubes.has_others(**cube)) {
            let mut found = Vec::new();
            let session = self.session();
            let test = &mut |literal: &Literal, names: &[u8]| {
                let literal = index.reader.literal(literal, names, Reading::Now).ok()?;
                Some(session.holds(state, &literal))
            };
            index.instances(cube, (&procs, 0), test, &mut |instance, _| {
                found.push(instance);
                false
            });
            for mut instance in found {
                if chosen.refused.contains(&instance) {
                    continue;
                }
                let excluded = self.obligations.excluded(case.procs, &instance)?;
                if self.session().holds(state, &excluded) {
                    continue;
                }
                match self.search_beyond(obligation, case, (&instance, beyond))? {
                    Some(beyond) => {
                        instance.beyond = beyond;
                        violated.push(instance);
                    }
                    None => drop(chosen.refused.insert(instance)),
                }
                if violated.len() >= INSTANCES_PER_COUNTEREXAMPLE {
                    return Ok(violated);
                }
            }
        }
        Ok(violated)
    }

    /// What refutes that a process which the case does not name is what an instance says that no other process is.
    fn search_beyond(
        &mut self,
        obligation: Obligation,
        case: &ObligationCase<'a>,
        (instance, beyond): (&CubeInstance, u8),
    ) -> Result<Option<Vec<CubeInstance>>, ProofFailure> {
        let Some((own, case)) = self.obligations.beyond(case, instance)? else { return Ok(Some(Vec::new())) };
        if self.refuter.is_contradiction(&own, case.procs) {
            return Ok(Some(Vec::new()));
        }
        match self.refute(obligation, &case, beyond + 1) {
            Ok(instances) => Ok(Some(instances)),
            Err(ProofFailure::Refuted(_) | ProofFailure::Undecided(..)) => Ok(None),
            Err(other) => Err(other),
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
            if forbidden.params == 1 && linear && forbidden.others.is_empty() {
                let instance = |&process: &u8| CubeInstance::new(cube, vec![process]);
                found.extend(groups.iter().flatten().map(instance));
            }
        }
        found
    }

    /// Instances that the session knows and that this case does not contradict, most recently needed first.
    fn at_hand(
        &self,
        obligation: Obligation,
        case: &ObligationCase<'_>,
        possible: &Possible<'_>,
        groups: &[Vec<u8>],
    ) -> Vec<usize> {
        let usable = |i: &usize| {
            let Active { instance, literals, .. } = &self.active[*i];
            let known = |group: &[u8]| instance.procs.iter().all(|p| *p < case.procs || group.contains(p));
            (known(&[]) || groups.iter().any(|group| known(group)))
                && self.is_usable(obligation, instance.cube)
                && !self.cubes.has_others(instance.cube)
                && !literals.iter().any(|literal| possible.truth(literal) == Some(false))
        };
        self.recent.iter().rev().copied().filter(usable).take(FIRST_INSTANCES).collect()
    }

    /// Adds an instance to those that are assumed in a case of so many processes.
    fn choose(&mut self, procs: u8, instance: CubeInstance, chosen: &mut Chosen) -> Result<(), ProofFailure> {
        let beyond = if self.cubes.has_others(instance.cube) { Some(instance.beyond.clone()) } else { None };
        let i = self.activate(procs, CubeInstance { beyond: Vec::new(), ..instance })?;
        if !chosen.places.contains(&i) {
            chosen.places.push(i);
            chosen.beyond.extend(beyond.map(|it| (i, it)));
        }
        Ok(())
    }

    /// Makes an instance known to the session, as what it says in a case of so many processes; its place in `active`.
    fn activate(&mut self, procs: u8, instance: CubeInstance) -> Result<usize, ProofFailure> {
        let procs_matter = self.cubes.has_others(instance.cube);
        let key = (instance, if procs_matter { procs } else { 0 });
        if let Some(&i) = self.known.get(&key) {
            return Ok(i);
        }
        let literals = self.literals(&key.0)?;
        let excluded = self.obligations.excluded(procs, &key.0)?;
        let clause = self.session().formula(&excluded);
        let selector = Bool::new_const(format!("instance {}", self.active.len()));
        let i = self.active.len();
        let instance = key.0.clone();
        self.known.insert(key, i);
        self.active.push(Active { instance, literals, fact: (selector, clause) });
        self.recent.push(i);
        Ok(i)
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
