//! Obligations that were shown before, by their content.
//!
//! In the proof of a similar system most obligations are the same as before: the same transition, the same cube, and the
//! cubes that refuted its cases are present again. Those need not be shown again. Keys are made of all that an obligation
//! depends on: declarations, axioms, the formulas of the transition, the cube; not of names of transitions or of positions.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::cubes::{Cubes, orders};
use super::obligation::Obligation;
use cubicle_lang::digest::digest;
use cubicle_lang::model::{System, Transition};

/// For the key of each shown obligation, the keys of cubes that refute all of its cases.
pub type ShownTable = BTreeMap<u128, Vec<u128>>;

/// Obligations that were shown before, and those shown now.
#[derive(Debug, Default)]
pub struct ShownObligations {
    known: ShownTable,
    learned: Mutex<ShownTable>,
}

impl Clone for ShownObligations {
    fn clone(&self) -> Self {
        let learned = self.learned.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Self { known: self.known.clone(), learned: Mutex::new(learned) }
    }
}

impl ShownObligations {
    /// Starts with the obligations shown before.
    pub fn new(known: ShownTable) -> Self {
        Self { known, learned: Mutex::default() }
    }

    /// The obligations shown before and now; without the former when there are more than `most`.
    pub fn all(&self, most: usize) -> ShownTable {
        let mut all = self.learned.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if self.known.len() <= most {
            for (key, cubes) in &self.known {
                all.entry(*key).or_insert_with(|| cubes.clone());
            }
        }
        all
    }

    /// Removes and returns the obligations shown now.
    pub fn take_learned(&self) -> ShownTable {
        std::mem::take(&mut *self.learned.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The cubes that refuted an obligation before.
    pub(super) fn recall(&self, key: u128) -> Option<&[u128]> {
        self.known.get(&key).map(Vec::as_slice)
    }

    /// Records shown obligations; of several refutations the least, so that the order of threads does not matter.
    pub fn learn(&self, shown: impl IntoIterator<Item = (u128, Vec<u128>)>) {
        let mut learned = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        for (key, cubes) in shown {
            let known = learned.entry(key).or_insert_with(|| cubes.clone());
            if (cubes.len(), &cubes) < (known.len(), known) {
                *known = cubes;
            }
        }
    }
}

/// The keys of the obligations of a system and its cubes.
#[derive(Debug)]
pub(super) struct ObligationKeys {
    /// The key of declarations and axioms.
    declared: u128,
    init: u128,
    transitions: Vec<u128>,
    properties: Vec<u128>,
    cubes: Vec<u128>,
    /// The cube with each key; a cube taken for granted is preferred to one that is shown.
    by_key: BTreeMap<u128, usize>,
}

impl ObligationKeys {
    /// `None` where more is assumed than axioms, or shown than properties.
    pub fn new(system: &System, cubes: &Cubes) -> Option<Self> {
        if !cubes.owners.is_empty() || cubes.abstraction.is_some() || cubes.trusting {
            return None;
        }
        let enums: Vec<_> = system.enums.iter().map(|it| (&it.name, &it.constructors)).collect();
        let vars: Vec<_> = system.vars.iter().map(|it| (&it.name, it.kind, it.ty)).collect();
        let counts: Vec<_> = system.counts.iter().map(|it| (it.var, &it.body, &it.summand)).collect();
        let axioms: Vec<_> = system.axioms.iter().map(|it| (it.params, &it.cube)).collect();
        let sizes = (system.max_procs, system.proc_constants, orders(system, cubes), &system.witnesses);
        let init = &system.init;
        let keys: Vec<u128> = cubes.all.iter().map(|it| digest(&(it.params, &it.cube))).collect();
        Some(Self {
            declared: digest(&(sizes, enums, &system.abstracts, vars, counts, axioms)),
            init: digest(&(init.params, &init.body, &init.without_processes)),
            transitions: system.transitions.iter().map(transition).collect(),
            properties: system.bad.iter().map(|it| digest(&(it.params, &it.cube))).collect(),
            by_key: keys.iter().enumerate().map(|(number, key)| (*key, number)).collect(),
            cubes: keys,
        })
    }

    /// The key of an obligation.
    pub fn of(&self, obligation: Obligation) -> u128 {
        let (kind, parts) = match obligation {
            Obligation::Initiation(cube) => (0, [self.init, self.cubes[cube]]),
            Obligation::Consecution { transition, cube } => {
                (1, [self.transitions[transition], self.cubes[cube]])
            }
            Obligation::Property(bad) => (2, [self.properties[bad], 0]),
            Obligation::Owner(_) | Obligation::Begins | Obligation::Refines(_) => {
                unreachable!("there are no keys where there are owners or another model")
            }
        };
        digest(&(self.declared, kind, parts))
    }

    /// The keys of these cubes, each once, in order.
    pub fn of_cubes(&self, cubes: impl IntoIterator<Item = usize>) -> Vec<u128> {
        let mut keys: Vec<u128> = cubes.into_iter().map(|cube| self.cubes[cube]).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// The cubes with these keys, when all are present.
    pub fn cubes(&self, keys: &[u128]) -> Option<Vec<usize>> {
        keys.iter().map(|key| self.by_key.get(key).copied()).collect()
    }
}

/// The key of a transition's effect, whatever its name and position.
fn transition(t: &Transition) -> u128 {
    let universals: Vec<_> = t.universals.iter().map(|it| (it.bound, &it.body)).collect();
    digest(&(t.arity(), &t.guard, universals, &t.updates))
}
