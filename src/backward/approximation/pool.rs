//! Candidates and their fate.

use super::candidates::opposites_of_init;
use crate::cube::{Cube, CubeContext, Halt, cubes_of, oracle_question, text};
use crate::fixpoint::Tester;
use crate::search::Setting;
use crate::tuning::{LEAST_GROWTH, RESTARTS_PER_GROWTH, STATES_PER_EFFORT, WIDEN_AT};
use cubicle_lang::model::{Init, System, semantics};
use cubicle_run::{Event, Forbidden, Observer, Oracle, OracleAnswer, OracleGrowth, Trace};
use tracing::debug;

/// Approximation by candidates that the oracle has not seen.
#[derive(Clone, Copy)]
pub struct Brab<'a> {
    /// Candidates have at most this many processes.
    pub procs: usize,
    /// Forward states.
    pub oracle: &'a dyn Oracle,
}

impl Brab<'_> {
    /// What the oracle knows about a cube.
    pub fn ask(self, context: &CubeContext, cube: &Cube) -> OracleAnswer {
        match oracle_question(context, cube) {
            Some(candidate) => self.oracle.ask(&candidate),
            None => OracleAnswer::Untested,
        }
    }
}

/// Candidates and what is known about them; lives as long as the whole search.
#[derive(Debug, Default)]
pub struct Pool {
    /// Kept candidates, with their numbers.
    pub kept: Vec<(i32, Cube)>,
    /// Cubes that turned out reachable, or could not be proved.
    pub bad: Vec<Cube>,
    /// Candidates made so far, lemmas among them.
    pub made: u32,
    /// Lemmas about numbers, each with a candidate number of its own.
    pub lemmas: Vec<(i32, Cube)>,
    /// Effort at which lemmas were searched for last.
    pub lemmas_at: u64,
    /// Effort at which a network of candidates was built last.
    pub network_at: u64,
    /// Candidates that the oracle was asked about.
    pub asked: u64,
    /// Of these, reached by a forward state.
    pub refuted: u64,
    /// States among which candidates were searched for.
    pub sought: u64,
    /// How often the oracle was asked to explore a larger instance.
    pub widened: usize,
    /// States that it found when it was asked to explore further and that are not counted as effort yet.
    pub grown: u64,
}

impl Pool {
    /// The effort of the oracle's explorations since the last call.
    pub fn effort_of_growth(&mut self) -> u64 {
        std::mem::take(&mut self.grown) / STATES_PER_EFFORT
    }

    /// Keeps a candidate; returns its number, which is negative.
    pub fn keep(&mut self, cube: Cube) -> i32 {
        let number = self.number();
        self.kept.push((number, cube));
        number
    }

    /// Keeps cubes that are proved already.
    pub fn keep_lemmas(&mut self, lemmas: &[Cube]) {
        for cube in lemmas {
            let number = self.number();
            self.lemmas.push((number, cube.clone()));
        }
    }

    const fn number(&mut self) -> i32 {
        self.made += 1;
        -(self.made as i32)
    }

    /// Drops the kept candidates that a forward state satisfies.
    pub fn drop_reached(&mut self, context: &CubeContext, brab: Brab<'_>) {
        for (number, cube) in std::mem::take(&mut self.kept) {
            if brab.ask(context, &cube) == OracleAnswer::Reached {
                self.bad.push(cube);
            } else {
                self.kept.push((number, cube));
            }
        }
    }

    /// Keeps the opposites of init's inequalities, and cubes proposed as unreachable, as far as no forward state refutes them and they
    /// can be represented. Returns a run to a bad state if the oracle finds one.
    pub fn propose(
        &mut self,
        context: &CubeContext,
        init: &Init,
        proposed: &[Forbidden],
        brab: Option<Brab<'_>>,
        observer: &mut dyn Observer,
    ) -> Option<Box<Trace>> {
        let bounds = brab.and_then(|brab| opposites_of_init(context, init, brab.procs).ok());
        let cubes = proposed.iter().flat_map(|it| cubes_of(context, it).unwrap_or_default());
        for cube in bounds.unwrap_or_default().into_iter().chain(cubes) {
            if let Some(brab) = brab {
                if let OracleGrowth::Unsafe(trace) = brab.oracle.prepare(0, observer) {
                    return Some(trace);
                }
                self.asked += 1;
                if brab.ask(context, &cube) == OracleAnswer::Reached {
                    self.refuted += 1;
                    continue;
                }
            }
            self.keep(cube);
        }
        None
    }

    /// Whether a bad cube is contained in `cube` (then `cube` is reachable), or contains it (then it probably
    /// is).
    pub fn is_known_bad(&self, tester: &mut Tester<'_>, cube: &Cube) -> Result<bool, Halt> {
        for bad in &self.bad {
            // Without what it says of others, the larger one may be reachable where the smaller is not.
            let probably = cube.others.is_empty();
            if tester.contains(cube, bad)? || probably && tester.contains(bad, cube)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[derive(Debug)]
pub struct Reached {
    /// A run to it, if one is known.
    pub trace: Option<Box<Trace>>,
    /// How many candidates were rejected in the search so far, this one included.
    pub nth: usize,
    /// The effort of the search so far.
    pub spent: u64,
}

impl Pool {
    /// Takes a candidate out of the pool that is reachable, or was not proved.
    pub fn abandon(&mut self, setting: &Setting<'_>, number: i32, observer: &mut dyn Observer) {
        let Some(at) = self.kept.iter().position(|c| c.0 == number) else { return };
        let (system, (_, cube)) = (setting.system, self.kept.remove(at));
        let shown = text(system, setting.context, &cube);
        debug!(number, cube = shown.join(" && "), "candidate given up");
        observer.event(system, Event::BadCandidate { number, cube: shown });
        self.bad.push(cube);
    }

    /// Learns from the run of a reachable candidate, if one is known, and drops the other candidates that it
    /// reaches. Returns a run to a bad state if one is found.
    pub fn learn(
        &mut self,
        setting: &Setting<'_>,
        brab: Brab<'_>,
        reached: Reached,
        observer: &mut dyn Observer,
    ) -> Option<Box<Trace>> {
        if let Some(trace) = reached.trace {
            if let Some(found) = prefix_to_bad(setting.system, &trace) {
                return Some(found);
            }
            brab.oracle.learn(&trace);
        }
        if reached.nth.is_multiple_of(RESTARTS_PER_GROWTH) {
            observer.event(setting.system, Event::Work { what: "showing the oracle more states" });
            // In proportion to what the search has spent.
            let max_states = reached.spent.saturating_mul(STATES_PER_EFFORT).max(LEAST_GROWTH);
            let due = WIDEN_AT.get(self.widened).is_some_and(|&at| reached.spent >= at as u64);
            let growth = match brab.oracle.grow(max_states, observer) {
                // It knows all states of its instances, and candidates are reached in larger ones.
                OracleGrowth::Nothing if due => {
                    self.widened += 1;
                    brab.oracle.widen()
                }
                growth => growth,
            };
            match growth {
                OracleGrowth::Unsafe(trace) => return Some(trace),
                OracleGrowth::More(states) => self.grown += states,
                OracleGrowth::Nothing => {}
            }
        }
        self.drop_reached(setting.context, brab);
        None
    }
}

/// A run to a candidate may pass a bad state: the shortest such prefix.
fn prefix_to_bad(system: &System, trace: &Trace) -> Option<Box<Trace>> {
    let states = trace.states();
    for (i, state) in states.enumerate() {
        // Trusted invariants, too: a run into one refutes an assumption.
        for k in 0..system.bad.len() {
            if semantics::satisfies(system, state, k).is_some() {
                let mut prefix = trace.clone();
                prefix.steps.truncate(i);
                prefix.bad = Some(k);
                if semantics::replay(system, &prefix).is_ok() {
                    return Some(Box::new(prefix));
                }
            }
        }
    }
    None
}
