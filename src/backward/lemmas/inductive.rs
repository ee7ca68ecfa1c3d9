//! The largest set of guesses that hold together: none meets init, and each step into one of them begins in one of
//! them. What does not hold makes room for more special guesses.

use std::collections::VecDeque;

use hashbrown::HashSet;

use super::templates::{Guess, Templates};
use super::vocabulary::NumberClass;
use crate::backward::cube::{Cube, Halt, cubes_of, oracle_literals};
use crate::backward::fixpoint::{Tester, Visited};
use crate::backward::preimage::{Pre, PreCounts, pre_image};
use crate::backward::safety::Initial;
use crate::backward::search::Setting;
use crate::backward::theory::Sat;
use crate::backward::tuning::{
    CLAUSES_PER_EFFORT, COMPARISONS_PER_EFFORT, LEMMA_QUESTIONS, QUESTIONS_PER_EFFORT, TESTS_PER_EFFORT,
};
use crate::oracle::{Oracle, OracleAnswer};

/// Cubes about numbers that no run of the system reaches, for any number of processes.
///
/// # Errors
/// The run is to end, or a number left the 64-bit range.
pub fn inductive<'a>(
    setting: &Setting<'a>,
    tester: &mut Tester<'a>,
    classes: &[NumberClass],
    (oracle, effort): (&dyn Oracle, u64),
) -> Result<Option<Vec<Cube>>, Halt> {
    let templates = Templates::new(setting.context, classes)?;
    let mut houdini = Houdini {
        setting,
        tester,
        oracle,
        templates,
        initial: Vec::new(),
        fresh: VecDeque::new(),
        shadowed: Vec::new(),
        asked: HashSet::new(),
        held: Vec::new(),
        tests: 0,
        effort,
    };
    houdini.fresh.extend(houdini.templates.roots()?);
    houdini.run()
}

/// A guess that nothing speaks against yet.
struct Held {
    guess: Guess,
    /// Where steps into it begin.
    pres: Vec<Cube>,
}

struct Houdini<'a, 's, 't> {
    setting: &'s Setting<'a>,
    tester: &'t mut Tester<'a>,
    oracle: &'t dyn Oracle,
    templates: Templates<'s>,
    /// By number of processes.
    initial: Vec<Option<Initial>>,
    /// To be looked at.
    fresh: VecDeque<Guess>,
    /// Contained in what is held.
    shadowed: Vec<Guess>,
    /// Cubes looked at.
    asked: HashSet<Cube>,
    held: Vec<Held>,
    /// Pre-images tested.
    tests: u64,
    /// What may be spent.
    effort: u64,
}

impl Houdini<'_, '_, '_> {
    fn run(&mut self) -> Result<Option<Vec<Cube>>, Halt> {
        loop {
            let mut together = self.together()?;
            self.take_in(&mut together)?;
            let failed = self.failed(&together)?;
            if failed.is_empty() {
                return self.largest().map(Some);
            }
            // What was not tested against the last set is no lemma.
            if self.spent() > self.effort {
                return Ok(None);
            }
            for at in failed.into_iter().rev() {
                let Held { guess, .. } = self.held.remove(at);
                self.fresh.extend(self.templates.specialised(&guess)?);
            }
            self.fresh.extend(self.shadowed.drain(..));
        }
    }

    /// The effort so far, in the unit of searches.
    fn spent(&self) -> u64 {
        let counts = self.tester.counts;
        self.asked.len() as u64 / QUESTIONS_PER_EFFORT
            + self.tests / TESTS_PER_EFFORT
            + counts.clauses / CLAUSES_PER_EFFORT
            + counts.comparisons / COMPARISONS_PER_EFFORT
    }

    /// What is held, without what is contained in another.
    fn largest(&mut self) -> Result<Vec<Cube>, Halt> {
        let mut largest = Visited::default();
        for held in self.held.drain(..) {
            if largest.subsumer(self.tester, &held.guess.cube)?.is_none() {
                largest.insert(self.tester, held.guess.cube, true)?;
            }
        }
        Ok(largest.cubes().cloned().collect())
    }

    /// What is held, and the axioms.
    fn together(&mut self) -> Result<Visited, Halt> {
        let mut together = Visited::default();
        for axiom in &self.setting.system.axioms {
            for cube in cubes_of(self.setting.context, axiom.params, &axiom.cube)? {
                together.insert(self.tester, cube, false)?;
            }
        }
        for held in &self.held {
            together.insert(self.tester, held.guess.cube.clone(), false)?;
        }
        Ok(together)
    }

    /// Looks at all guesses that wait, and holds those that no state refutes.
    fn take_in(&mut self, together: &mut Visited) -> Result<(), Halt> {
        while let Some(guess) = self.fresh.pop_front() {
            self.setting.interrupt.check()?;
            if self.spent() > self.effort {
                return Ok(());
            }
            if together.subsumer(self.tester, &guess.cube)?.is_some() {
                self.shadowed.push(guess);
                continue;
            }
            if self.asked.len() >= LEMMA_QUESTIONS || !self.asked.insert(guess.cube.clone()) {
                continue;
            }
            if self.is_refuted(&guess.cube)? {
                self.fresh.extend(self.templates.specialised(&guess)?);
                continue;
            }
            together.insert(self.tester, guess.cube.clone(), false)?;
            let pres = self.pres(&guess.cube)?;
            self.held.push(Held { guess, pres });
        }
        Ok(())
    }

    /// Whether a state seen or an initial one is in the cube, as far as that is known.
    fn is_refuted(&mut self, cube: &Cube) -> Result<bool, Halt> {
        let context = self.setting.context;
        let Some((procs, literals)) = oracle_literals(context, cube) else { return Ok(true) };
        if self.oracle.ask(procs, &literals) != OracleAnswer::Unseen {
            return Ok(true);
        }
        let at = usize::from(cube.procs);
        if self.initial.len() <= at {
            self.initial.resize_with(at + 1, || None);
        }
        if self.initial[at].is_none() {
            self.initial[at] = Some(Initial::new(context, self.setting.system, cube.procs)?);
        }
        let initial = self.initial[at].as_ref().expect("just made");
        Ok(initial.meets(context, cube)? != Sat::No)
    }

    fn pres(&self, cube: &Cube) -> Result<Vec<Cube>, Halt> {
        let setting = self.setting;
        let mut pres: Vec<Pre> = Vec::new();
        for t in setting.transitions {
            pre_image(setting.context, t, cube, setting.pre, &mut PreCounts::default(), &mut pres)?;
        }
        Ok(pres.into_iter().map(|pre| pre.cube).collect())
    }

    /// The places of what is held into which a step leads from elsewhere.
    fn failed(&mut self, together: &Visited) -> Result<Vec<usize>, Halt> {
        let mut failed = Vec::new();
        for (at, held) in self.held.iter().enumerate() {
            if self.spent() > self.effort {
                failed.push(at);
                return Ok(failed);
            }
            for pre in &held.pres {
                self.tests += 1;
                if !together.plainly_covers(self.tester, pre)? {
                    failed.push(at);
                    break;
                }
            }
        }
        Ok(failed)
    }
}
