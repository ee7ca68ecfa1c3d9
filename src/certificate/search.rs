//! Refutes a case with Z3: finds the instances of the invariant that do, one counterexample after the other.

use z3::ast::Bool;

use hashbrown::{HashMap, HashSet};

use super::counts::Definitions;
use super::cubes::{CubeInstance, Defined, Refutation};
use super::failure::ProofFailure;
use super::ground::{GroundCell, GroundFormula, Reading};
use super::obligations::ObligationCase;
use super::possible::Possible;
use super::prove::{Active, Prover};
use super::solver::{CaseAnswer, SatisfyingState};
use super::tuning::{FIRST_INSTANCES, INSTANCES_PER_COUNTEREXAMPLE};
use cubicle_lang::list::extend_new;
use cubicle_lang::model::Literal;

/// The instances that are assumed in a case.
#[derive(Default)]
struct Chosen {
    /// Their places in `active`.
    places: Vec<usize>,
    /// For places, see [`CubeInstance::beyond`].
    beyond: HashMap<usize, Refutation>,
    /// Their cells of counts at processes without a name.
    at_unnamed: Vec<GroundCell>,
    /// Those that may not be: a process that the case does not name may be what they say that no other process is.
    refused: HashSet<CubeInstance>,
}

impl<'a> Prover<'a, '_> {
    fn literals(&self, instance: &CubeInstance) -> Result<Vec<GroundFormula>, ProofFailure> {
        let reader = self.index.reader;
        let literals = self.cubes.all[instance.cube].cube.iter();
        Ok(literals.map(|l| reader.literal(l, &instance.procs, Reading::Now)).collect::<Result<_, _>>()?)
    }

    /// Refutes a case, with the definitions of the counts that it mentions where that is enough: each makes calls of Z3 slower. In a case
    /// within another one that is seldom enough.
    pub fn search(
        &mut self,
        case: &ObligationCase<'a>,
        possible: &Possible<'_>,
        used: &[CubeInstance],
    ) -> Result<Refutation, ProofFailure> {
        if case.beyond == 0 && self.obligations.has_other_counts(case) {
            match self.search_in(case, Defined::Mentioned, possible, used) {
                Err(ProofFailure::Refuted(_) | ProofFailure::Undecided(..)) => {}
                found => return found,
            }
        }
        self.search_in(case, Defined::All, possible, used)
    }

    /// Refutes a case by instances that states of the case violate, one counterexample after the other; with the
    /// definitions of these counts.
    fn search_in(
        &mut self,
        case: &ObligationCase<'a>,
        defined: Defined,
        possible: &Possible<'_>,
        used: &[CubeInstance],
    ) -> Result<Refutation, ProofFailure> {
        let definitions = self.obligations.definitions(case, defined, &[])?;
        let order = self.order(case);
        let groups: &[Vec<u8>] = &definitions.unnamed;
        let mut chosen = Chosen { places: self.at_hand(case, possible, groups), ..Chosen::default() };
        // What remains possible rests on those that were used.
        for instance in self.about_sums(&order, groups).into_iter().chain(used.iter().cloned()) {
            self.choose(case.procs, instance, &mut chosen)?;
        }
        let session = self.session();
        let mut parts = session.order_of(case.procs);
        parts.push(session.formula(&case.formula));
        parts.extend(definitions.facts.iter().map(|fact| session.formula(fact)));
        session.open(&Bool::and(&parts));
        let refuted = self.refute_opened(case, &order, defined, &definitions, &mut chosen);
        self.session().close();
        let needed = refuted?;
        self.recent.retain(|i| !needed.contains(i));
        self.recent.extend(&needed);
        let with = |i: usize| {
            let beyond = chosen.beyond.get(&i).cloned().unwrap_or_default();
            CubeInstance { beyond, ..self.active[i].instance.clone() }
        };
        Ok(Refutation { instances: needed.into_iter().map(with).collect(), defined })
    }

    /// The places in `active` of instances that refute the case that is open in the session; `chosen` are those assumed first.
    fn refute_opened(
        &mut self,
        case: &ObligationCase<'a>,
        order: &[usize],
        cells: Defined,
        definitions: &Definitions,
        chosen: &mut Chosen,
    ) -> Result<Vec<usize>, ProofFailure> {
        let (groups, mut facts) = (&definitions.unnamed[..], definitions.facts.len());
        let (mut assumed, mut defined) = (0, 0);
        loop {
            if chosen.at_unnamed.len() > defined {
                defined = chosen.at_unnamed.len();
                let definitions = self.obligations.definitions(case, cells, &chosen.at_unnamed)?;
                for fact in &definitions.facts[facts..] {
                    let fact = self.session().formula(fact);
                    self.session().add(fact);
                }
                facts = definitions.facts.len();
            }
            for &i in &chosen.places[assumed..] {
                let (name, fact) = self.active[i].fact.clone();
                self.session().assume(&name, &fact);
            }
            assumed = chosen.places.len();
            let names: Vec<Bool> = chosen.places.iter().map(|&i| self.active[i].fact.0.clone()).collect();
            let interrupt = self.options.interrupt;
            let mut state = match self.session().check(&names, interrupt)? {
                CaseAnswer::Unsat(core) => return Ok(core.into_iter().map(|i| chosen.places[i]).collect()),
                CaseAnswer::Unknown(why) => return Err(ProofFailure::Undecided(case.obligation, why)),
                CaseAnswer::Sat(state) => state,
            };
            let mut violated = self.violated(case.procs, order, groups, &chosen.at_unnamed, &mut state);
            if violated.is_empty() {
                violated.extend(self.violated_others(case, order, groups, &mut state, chosen)?);
            }
            // The search for instances ends early when the run must end.
            self.options.interrupt.check()?;
            if violated.is_empty() {
                return Err(ProofFailure::Refuted(case.obligation));
            }
            for instance in violated {
                self.choose(case.procs, instance, chosen)?;
            }
            if (chosen.places.len(), chosen.at_unnamed.len()) == (assumed, defined) {
                return Err(ProofFailure::Undecided(
                    case.obligation,
                    "the solver's states are not definite".into(),
                ));
            }
        }
    }

    /// The processes that instances may be about where a case names this many processes: these, and then these with those of one partition of the others that exist
    /// in a state.
    fn rounds(&mut self, named: u8, groups: &[Vec<u8>], state: &mut SatisfyingState) -> Vec<Vec<u8>> {
        let named: Vec<u8> = (0..named).collect();
        let unnamed = self.obligations.unnamed;
        let session = self.session();
        let mut exists = |p: &u8| unnamed.lacks(*p).is_none_or(|lacks| !session.holds(state, &lacks));
        let mut with = |group: &Vec<u8>| {
            [&named[..], &group.iter().copied().filter(&mut exists).collect::<Vec<_>>()].concat()
        };
        let existing: Vec<Vec<u8>> = groups.iter().map(&mut with).collect();
        std::iter::once(named.clone()).chain(existing).collect()
    }

    /// Instances that a state of a case which names this many processes violates, of cubes that say nothing of other processes; then those
    /// that it may violate, since cells of counts at processes without a name are not yet defined.
    fn violated(
        &mut self,
        named: u8,
        order: &[usize],
        groups: &[Vec<u8>],
        defined: &[GroundCell],
        state: &mut SatisfyingState,
    ) -> Vec<CubeInstance> {
        let mut violated = Vec::new();
        let (cubes, obligations, index) = (self.cubes, self.obligations, self.index);
        let rounds = self.rounds(named, groups, state);
        let session = self.session();
        for open in [false, true] {
            for procs in rounds.iter().skip(usize::from(open)) {
                for known_cells_only in [true, false].into_iter().skip(usize::from(open)) {
                    for &cube in order.iter().filter(|cube| !cubes.has_others(**cube)) {
                        let test = &mut |literal: &Literal, names: &[u8]| {
                            // Without a step, no number can overflow.
                            let literal = index.reader.literal(literal, names, Reading::Now).ok()?;
                            let is_open =
                                || obligations.undefined(&literal).iter().any(|it| !defined.contains(it));
                            let fits = !known_cells_only || session.knows(&literal);
                            Some(open && is_open() || fits && session.holds(state, &literal))
                        };
                        index.instances(cube, procs, 0, test, &mut |instance, _| {
                            violated.push(instance);
                            violated.len() >= INSTANCES_PER_COUNTEREXAMPLE
                        });
                        if violated.len() >= INSTANCES_PER_COUNTEREXAMPLE {
                            break;
                        }
                    }
                    if !violated.is_empty() {
                        return violated;
                    }
                }
            }
        }
        violated
    }

    /// An instance that it violates of a cube that says what no other process is, if no process that the case does not name can be that. Only one:
    /// what refutes that takes longer to find than another state.
    fn violated_others(
        &mut self,
        case: &ObligationCase<'a>,
        order: &[usize],
        groups: &[Vec<u8>],
        state: &mut SatisfyingState,
        chosen: &mut Chosen,
    ) -> Result<Option<CubeInstance>, ProofFailure> {
        let (cubes, index) = (self.cubes, self.index);
        let rounds = self.rounds(case.procs, groups, state);
        let of_others = order.iter().filter(|cube| cubes.has_others(**cube));
        for (procs, &cube) in rounds.iter().flat_map(|procs| of_others.clone().map(move |cube| (procs, cube)))
        {
            let mut found = Vec::new();
            let session = self.session();
            let test = &mut |literal: &Literal, names: &[u8]| {
                let literal = index.reader.literal(literal, names, Reading::Now).ok()?;
                Some(session.holds(state, &literal))
            };
            index.instances(cube, procs, 0, test, &mut |instance, _| {
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
                match self.search_beyond(case, &instance)? {
                    Some(beyond) => {
                        instance.beyond = beyond;
                        return Ok(Some(instance));
                    }
                    None => drop(chosen.refused.insert(instance)),
                }
            }
        }
        Ok(None)
    }

    /// What refutes that a process which the case does not name is what an instance says that no other process is.
    fn search_beyond(
        &mut self,
        case: &ObligationCase<'a>,
        instance: &CubeInstance,
    ) -> Result<Option<Refutation>, ProofFailure> {
        let Some(case) = self.further(case, instance)? else { return Ok(Some(Refutation::default())) };
        match self.refute(&case) {
            Ok(refutation) => Ok(Some(refutation)),
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
    fn at_hand(&self, case: &ObligationCase<'_>, possible: &Possible<'_>, groups: &[Vec<u8>]) -> Vec<usize> {
        let usable = |i: &usize| {
            let Active { instance, literals, .. } = &self.active[*i];
            let known = |group: &[u8]| instance.procs.iter().all(|p| *p < case.procs || group.contains(p));
            (known(&[]) || groups.iter().any(|group| known(group)))
                && self.is_usable(case.obligation, instance.cube)
                && !self.cubes.has_others(instance.cube)
                && !literals.iter().any(|literal| possible.truth(literal) == Some(false))
        };
        self.recent.iter().rev().copied().filter(usable).take(FIRST_INSTANCES).collect()
    }

    /// Adds an instance to those that are assumed in a case which names this many processes.
    fn choose(&mut self, procs: u8, instance: CubeInstance, chosen: &mut Chosen) -> Result<(), ProofFailure> {
        let beyond = if self.cubes.has_others(instance.cube) { Some(instance.beyond.clone()) } else { None };
        extend_new(&mut chosen.at_unnamed, self.obligations.counts_at_unnamed(&instance)?);
        let i = self.activate(procs, CubeInstance { beyond: Refutation::default(), ..instance })?;
        if !chosen.places.contains(&i) {
            chosen.places.push(i);
            chosen.beyond.extend(beyond.map(|it| (i, it)));
        }
        Ok(())
    }

    /// Makes an instance known to the session, as what it says in a case which names this many processes; its place in `active`.
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
