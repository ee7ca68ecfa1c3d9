//! The largest set of guesses that hold together: none meets init, and each step into one of them begins in one of
//! them. A guess that does not hold is replaced by more specific ones.

use std::collections::VecDeque;

use hashbrown::HashSet;

use super::templates::{Guess, Templates};
use super::vocabulary::{self, NumberClass};
use crate::counting::Counting;
use crate::cube::{Cube, Halt, cubes_of, oracle_question};
use crate::fixpoint::{Tester, Visited};
use crate::preimage::PreCounts;
use crate::safety::InitialOf;
use crate::search::Setting;
use crate::theory::Sat;
use crate::tuning::{
    CLAUSES_PER_EFFORT, COMPARISONS_PER_EFFORT, LEMMA_QUESTIONS, QUESTIONS_PER_EFFORT, TESTS_PER_EFFORT,
};
use cubicle_lang::model::Literal;
use cubicle_run::{Oracle, OracleAnswer};

/// The state between two calls.
#[derive(Clone, Default, Debug)]
pub struct Progress {
    /// Whether the most general guesses were made.
    begun: bool,
    /// Guesses still to be examined.
    fresh: VecDeque<Guess>,
    /// Contained in the guesses that are held.
    shadowed: Vec<Guess>,
    /// Cubes examined.
    asked: HashSet<Cube>,
    /// In the order of their numbers.
    held: Vec<Held>,
    /// The number of the next one.
    next: usize,
}

impl Progress {
    /// How many cubes were examined.
    pub fn asked(&self) -> usize {
        self.asked.len()
    }
}

/// A guess that is not refuted yet.
#[derive(Clone, Debug)]
struct Held {
    number: usize,
    guess: Guess,
    /// Where steps into it begin.
    pres: Vec<Before>,
}

/// Where a step into a guess begins.
#[derive(Clone, Debug)]
struct Before {
    cube: Cube,
    /// The numbers of guesses that contain it, together with the axioms, once this is known: as long as these are held, it need not be
    /// tested again.
    by: Option<Vec<usize>>,
}

impl Progress {
    fn is_held(&self, number: usize) -> bool {
        self.held.binary_search_by_key(&number, |held| held.number).is_ok()
    }
}

/// The search for a set of guesses that hold together.
pub struct Houdini<'a, 's, 't> {
    setting: &'s Setting<'a>,
    tester: &'t mut Tester<'a>,
    oracle: &'t dyn Oracle,
    templates: Templates<'s>,
    /// Whether the model compares counts.
    thresholds: bool,
    /// By number of processes.
    initial: InitialOf,
    progress: Progress,
    /// Questions asked before.
    questions: usize,
    /// Pre-images tested.
    tests: u64,
    /// What taking them cost.
    pre: PreCounts,
    /// The effort that may be spent.
    effort: u64,
}

impl<'a, 's, 't> Houdini<'a, 's, 't> {
    /// Continues from earlier progress; another oracle is fine, another setting is not.
    ///
    /// # Errors
    /// The run must end, or a number left the 64-bit range; the same for the other methods.
    pub fn new(
        setting: &'s Setting<'a>,
        proposed: &[Literal],
        tester: &'t mut Tester<'a>,
        classes: &[NumberClass],
        oracle: &'t dyn Oracle,
        mut progress: Progress,
    ) -> Result<Self, Halt> {
        let thresholds: Vec<&Literal> =
            vocabulary::thresholds(setting.system).into_iter().chain(proposed).collect();
        let compares_counts = !thresholds.is_empty();
        let counts = vocabulary::counts(setting.system);
        let modes = setting.pre.counting.map_or_else(Vec::new, Counting::modes);
        let templates = Templates::new(setting.context, classes, counts, &thresholds, modes)?;
        if !progress.begun {
            progress.begun = true;
            progress.fresh.extend(templates.roots()?);
        }
        let questions = progress.asked.len();
        Ok(Self {
            setting,
            tester,
            oracle,
            templates,
            thresholds: compares_counts,
            initial: InitialOf::default(),
            progress,
            questions,
            tests: 0,
            pre: PreCounts::default(),
            effort: 0,
        })
    }

    /// Spends this effort. Returns cubes about numbers that no run of the system reaches, for any number of processes, or
    /// `None` so far.
    pub fn run(mut self, effort: u64) -> Result<(Option<Vec<Cube>>, Progress), Halt> {
        self.effort = effort;
        loop {
            let (mut together, axioms) = self.together()?;
            if !self.examine_waiting(&mut together)? {
                return Ok((None, self.progress));
            }
            let (failed, all) = self.failed(&together, axioms)?;
            // A guess not tested against the last set is not a lemma.
            if all && failed.is_empty() {
                let largest = self.largest()?;
                return Ok((Some(largest), self.progress));
            }
            for at in failed.into_iter().rev() {
                let Held { guess, .. } = self.progress.held.remove(at);
                self.progress.fresh.extend(self.templates.specialised(&guess)?);
            }
            let shadowed = std::mem::take(&mut self.progress.shadowed);
            self.progress.fresh.extend(shadowed);
            if !all {
                return Ok((None, self.progress));
            }
        }
    }

    /// The effort so far, in the unit of searches.
    fn spent(&self) -> u64 {
        let counts = self.tester.counts;
        (self.progress.asked.len() - self.questions) as u64 / QUESTIONS_PER_EFFORT
            + self.tests / TESTS_PER_EFFORT
            + self.pre.effort()
            + counts.clauses / CLAUSES_PER_EFFORT
            + counts.comparisons / COMPARISONS_PER_EFFORT
    }

    /// The held guesses, short cubes first, without those that earlier ones together contain: each lemma costs every later test.
    fn largest(&mut self) -> Result<Vec<Cube>, Halt> {
        let mut cubes: Vec<Cube> = self.progress.held.drain(..).map(|held| held.guess.cube).collect();
        cubes.sort_by_key(|cube| (cube.procs, cube.len()));
        let mut largest = Visited::default();
        for cube in cubes {
            if largest.plain_cover(self.tester, &cube)?.is_none() {
                largest.insert(self.tester, cube, true)?;
            }
        }
        Ok(largest.cubes().cloned().collect())
    }

    /// The axioms and then the held guesses, and the number of the cubes of axioms.
    fn together(&mut self) -> Result<(Visited, usize), Halt> {
        let mut together = Visited::default();
        for axiom in &self.setting.system.axioms {
            for cube in cubes_of(self.setting.context, &axiom.into())? {
                together.insert(self.tester, cube, false)?;
            }
        }
        let axioms = together.cubes().count();
        for held in &self.progress.held {
            together.insert(self.tester, held.guess.cube.clone(), false)?;
        }
        Ok((together, axioms))
    }

    /// Examines all waiting guesses, and holds those that no state refutes; false when the effort is spent before.
    fn examine_waiting(&mut self, together: &mut Visited) -> Result<bool, Halt> {
        while !self.progress.fresh.is_empty() {
            self.setting.interrupt.check()?;
            if self.spent() > self.effort {
                return Ok(false);
            }
            let Some(guess) = self.progress.fresh.pop_front() else { break };
            if together.subsumer(self.tester, &guess.cube)?.is_some() {
                self.progress.shadowed.push(guess);
                continue;
            }
            let asked = &mut self.progress.asked;
            if asked.len() >= LEMMA_QUESTIONS || !asked.insert(guess.cube.clone()) {
                continue;
            }
            if self.is_refuted(&guess)? {
                self.progress.fresh.extend(self.templates.specialised(&guess)?);
                continue;
            }
            together.insert(self.tester, guess.cube.clone(), false)?;
            let pres = self.pres(&guess.cube)?;
            let number = self.progress.next;
            self.progress.next += 1;
            self.progress.held.push(Held { number, guess, pres });
        }
        Ok(true)
    }

    /// Whether a state seen or an initial one is in the cube, as far as that is known.
    fn is_refuted(&mut self, guess: &Guess) -> Result<bool, Halt> {
        let (context, cube) = (self.setting.context, &guess.cube);
        let Some(candidate) = oracle_question(context, cube) else { return Ok(true) };
        match self.oracle.ask(&candidate) {
            OracleAnswer::Unseen => {}
            // The constants of thresholds often have too many values to be explored, and three processes too many states.
            OracleAnswer::Untested if self.thresholds && (guess.compares() || cube.procs > 2) => {}
            OracleAnswer::Untested | OracleAnswer::Reached => return Ok(true),
        }
        let initial = self.initial.cube(context, self.setting.system, cube)?;
        Ok(initial.meets(context, cube)? != Sat::No)
    }

    fn pres(&mut self, cube: &Cube) -> Result<Vec<Before>, Halt> {
        let pres = self.setting.pres(cube, &mut self.pre)?;
        Ok(pres.into_iter().map(|pre| Before { cube: pre.cube, by: None }).collect())
    }

    /// The indices of held guesses into which a step leads from outside, and whether the list is complete.
    fn failed(&mut self, together: &Visited, axioms: usize) -> Result<(Vec<usize>, bool), Halt> {
        let mut failed = Vec::new();
        // What the guesses say of processes that are only counted.
        let all: Vec<usize> = self.progress.held.iter().map(|held| held.number).collect();
        let cubes: Vec<Cube> = self.progress.held.iter().map(|held| held.guess.cube.clone()).collect();
        let context = self.setting.context;
        let counting = self.setting.pre.counting.map(|it| it.taught(context, &cubes));
        for at in 0..self.progress.held.len() {
            if self.spent() > self.effort {
                return Ok((failed, false));
            }
            for k in 0..self.progress.held[at].pres.len() {
                let progress = &self.progress;
                let Before { cube, by } = &progress.held[at].pres[k];
                if by.as_ref().is_some_and(|by| by.iter().all(|number| progress.is_held(*number))) {
                    continue;
                }
                self.tests += 1;
                let by = if let Some(places) = together.plain_cover(self.tester, cube)? {
                    let guesses = places.iter().filter_map(|place| place.checked_sub(axioms));
                    guesses.map(|place| progress.held[place].number).collect()
                } else if let Some(counting) = &counting
                    && counting.excludes(context, cube, &[])?
                {
                    all.clone()
                } else {
                    failed.push(at);
                    break;
                };
                self.progress.held[at].pres[k].by = Some(by);
            }
        }
        Ok((failed, true))
    }
}
