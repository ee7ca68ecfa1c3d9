//! Finds what the Gallina checker needs for each case: instances of the invariant, and facts of arithmetic.
//!
//! The cases are made as `coq/Check.v` makes them. A way to satisfy a case is sought; arithmetic excludes it by a fact, or an
//! instance of the invariant does; until there is none. Then instances and facts that are not needed are left out.

use std::collections::BTreeMap;

use super::finder::{Case, Finder, Hint, NoTheorem};
use super::formula::{Formula, Known};
use super::read::Reader;
use crate::cubes::Cubes;
use crate::ground::{Overflow, Reading};
use crate::index::{CubeIndex, Refutations};
use crate::obligation::Obligation;
use cubicle_lang::list::sorted;
use cubicle_lang::model::semantics::{arrangements, different_namings, tuples};
use cubicle_lang::model::{Literal, System, Transition};
use cubicle_run::{Forbidden, Interrupt};

/// The hints for all cases, by cube, transition or bad cube; those that need nothing are left out at the end of each list.
#[derive(Clone, Default, Debug)]
pub struct Hints {
    /// For initial states.
    pub initial: BTreeMap<usize, Vec<Hint>>,
    /// For steps, by cube and transition.
    pub step: BTreeMap<usize, BTreeMap<usize, Vec<Hint>>>,
    /// For bad cubes.
    pub bad: BTreeMap<usize, Vec<Hint>>,
    /// Sums name at most this number of further processes.
    pub further: u8,
}

/// Where there are counts, hints name this number of further processes, one after the other.
const FURTHER: u8 = 2;

/// More named processes than this are refused: each has a bit of a mask.
const MOST_PROCESSES: usize = 40;

/// The hints for these cubes, which are about the first `own` variables of the system and those added to it. `refutations` are
/// instances that are likely to help.
pub fn find(
    system: &System,
    own: usize,
    cubes: &Cubes,
    refutations: &[Refutations],
    interrupt: &Interrupt,
) -> Result<Hints, NoTheorem> {
    let arity = system.transitions.iter().map(Transition::arity).max().unwrap_or(0);
    let params =
        cubes.all.iter().map(|it| it.params).chain(system.bad.iter().map(|it| it.params)).max().unwrap_or(0);
    let further = if system.counts.is_empty() { 0 } else { FURTHER };
    let most = usize::from(system.proc_constants) + arity + usize::from(params) + 1 + usize::from(further);
    if most > MOST_PROCESSES {
        return Err(NoTheorem::Processes);
    }
    let mut likely: BTreeMap<Obligation, Vec<usize>> = BTreeMap::new();
    for (obligation, cases) in refutations {
        let used: Vec<usize> = sorted(cases.iter().flat_map(|it| &it.instances).map(|it| it.cube));
        likely.insert(*obligation, used);
    }
    let index = CubeIndex::new(system, cubes, interrupt);
    let reader = Reader { system, most: most as u8, own };
    Finder { reader, system, cubes, likely, index, further, interrupt }.all()
}

/// The arguments of a transition that its guard does not exclude, with the number of named processes.
type Arguments = (u8, Vec<u8>, Known);

impl Finder<'_> {
    fn all(&self) -> Result<Hints, NoTheorem> {
        let mut hints = Hints { further: self.further, ..Hints::default() };
        for cube in 0..self.cubes.proved {
            put(&mut hints.initial, cube, self.initial(cube)?);
        }
        let mut prepared = Vec::new();
        for t in &self.system.transitions {
            prepared.push(self.prepare(t)?);
        }
        for cube in 0..self.cubes.all.len() {
            let mut of_cube = BTreeMap::new();
            for (number, arguments) in prepared.iter().enumerate() {
                put(&mut of_cube, number, self.steps(cube, number, arguments)?);
            }
            if !of_cube.is_empty() {
                hints.step.insert(cube, of_cube);
            }
        }
        for bad in 0..self.system.bad.len() {
            put(&mut hints.bad, bad, self.property(bad)?);
        }
        Ok(hints)
    }

    fn initial(&self, cube: usize) -> Result<Vec<Hint>, NoTheorem> {
        let (obligation, forbidden) = (Obligation::Initiation(cube), &self.cubes.all[cube]);
        let axioms = self.cubes.proved..self.cubes.all.len();
        let mut out = Vec::new();
        for (procs, named) in different_namings(self.system.proc_constants, forbidden.params) {
            let sizes: &[u8] = if procs == 0 { &[0, 1] } else { &[procs] };
            for &size in sizes {
                let base = |count: u8| self.initially(forbidden, &named, size == 0, count);
                let case = Case { obligation, usable: axioms.clone(), later: Reading::Now, base: &base };
                out.push(self.hint(&case, size)?);
            }
        }
        Ok(out)
    }

    /// What is known of a cube in an initial state, that of no process or one with this number of named processes.
    fn initially(
        &self,
        forbidden: &Forbidden,
        named: &[u8],
        empty: bool,
        count: u8,
    ) -> Result<Option<Known>, NoTheorem> {
        let init = &self.system.init;
        let mut known = Known::default();
        let mut open =
            known.tell_all(&self.reader, &self.reader.literals(&forbidden.cube, named, Reading::Now)?);
        if open && empty {
            // There is no further process.
            open = count == 0
                && known.tell(&self.reader, &self.reader.dnf(&init.without_processes, &[], Reading::Now)?);
        } else if open {
            for names in tuples(count.into(), init.params.into()) {
                let names: Vec<u8> = names.into_iter().map(|p| p as u8).collect();
                open = open && known.tell(&self.reader, &self.reader.dnf(&init.body, &names, Reading::Now)?);
            }
        }
        Ok(open.then_some(known))
    }

    fn property(&self, number: usize) -> Result<Vec<Hint>, NoTheorem> {
        let bad = &self.system.bad[number];
        let mut out = Vec::new();
        for (procs, named) in different_namings(self.system.proc_constants, bad.params) {
            let mut known = Known::default();
            let open = known.tell_all(&self.reader, &self.reader.literals(&bad.cube, &named, Reading::Now)?);
            let known = open.then_some(known);
            let base = |_: u8| Ok(known.clone());
            let usable = 0..self.cubes.all.len();
            let obligation = Obligation::Property(number);
            out.push(self.hint(&Case { obligation, usable, later: Reading::Now, base: &base }, procs)?);
        }
        Ok(out)
    }

    fn prepare(&self, t: &Transition) -> Result<Vec<Arguments>, NoTheorem> {
        let mut out = Vec::new();
        for (procs, args) in different_namings(self.system.proc_constants, t.arity() as u8) {
            self.interrupt.poll()?;
            let mut known = Known::default();
            if known.tell_all(&self.reader, &self.reader.literals(&t.guard, &args, Reading::Now)?) {
                out.push((procs, args, known));
            }
        }
        Ok(out)
    }

    fn steps(&self, cube: usize, transition: usize, arguments: &[Arguments]) -> Result<Vec<Hint>, NoTheorem> {
        let (t, forbidden) = (&self.system.transitions[transition], &self.cubes.all[cube]);
        let writes = |literal: &Literal| {
            literal.vars().any(|var| {
                self.system.count_of(var).is_some() || t.updates.iter().any(|update| update.var == var)
            })
        };
        let mut out = Vec::new();
        if !forbidden.cube.iter().any(writes) {
            return Ok(out);
        }
        let obligation = Obligation::Consecution { transition, cube };
        for (least, args, guard) in arguments {
            for (procs, named) in different_namings(*least, forbidden.params) {
                let mut known = guard.clone();
                let later = Reading::After(t, args);
                let after = self.reader.literals(&forbidden.cube, &named, later)?;
                let mut open = known.tell_all(&self.reader, &after);
                open = open
                    && known
                        .tell(&self.reader, &self.reader.not_conj(&forbidden.cube, &named, Reading::Now)?);
                let known = open.then_some(known);
                let base = |procs: u8| {
                    let Some(mut known) = known.clone() else { return Ok(None) };
                    let open = known.tell_all(&self.reader, &self.universals(t, args, procs)?);
                    Ok(open.then_some(known))
                };
                let usable = 0..self.cubes.all.len();
                out.push(self.hint(&Case { obligation, usable, later, base: &base }, procs)?);
            }
        }
        Ok(out)
    }

    /// What universal guards say of the named processes that are not arguments.
    fn universals(&self, t: &Transition, args: &[u8], procs: u8) -> Result<Vec<Formula>, Overflow> {
        let others: Vec<u8> = (0..procs).filter(|it| !args.contains(it)).collect();
        let mut out = Vec::new();
        for universal in &t.universals {
            for tuple in arrangements(&others, universal.bound.into()) {
                out.push(self.reader.dnf(&universal.body, &[args, &tuple].concat(), Reading::Now)?);
            }
        }
        Ok(out)
    }
}

/// Keeps the hints up to the last one that is not empty.
fn put(map: &mut BTreeMap<usize, Vec<Hint>>, number: usize, mut hints: Vec<Hint>) {
    let len = hints.iter().rposition(|it| !it.is_empty()).map_or(0, |at| at + 1);
    hints.truncate(len);
    if !hints.is_empty() {
        map.insert(number, hints);
    }
}
