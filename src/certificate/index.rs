//! The cubes of an invariant prepared for the search of instances.

use super::cubes::{CubeInstance, Cubes, Refutation};
use super::ground::GroundReader;
use super::obligation::Obligation;
use cubicle_lang::model::{Forbidden, Literal, ProcRef, System, VarId};
use cubicle_run::Interrupt;

/// What a literal of a cube requires, whatever the processes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Demand {
    /// Some cell of the variable is within these constructors.
    Mask(VarId, u64),
    /// Something is said of these variables.
    Vars(Vec<VarId>),
}

/// Cubes prepared for the search of instances.
#[derive(Debug)]
pub struct CubeIndex<'a> {
    pub reader: GroundReader<'a>,
    pub claims: Vec<&'a Forbidden>,
    /// For each cube, its literals by the last parameter that they mention; those without one first.
    pub levels: Vec<Vec<Vec<&'a Literal>>>,
    /// What must be known for the literals of a cube to follow, with a bit for each cube that has such a literal.
    demands: Vec<(Demand, Vec<u64>)>,
    interrupt: Interrupt,
}

impl<'a> CubeIndex<'a> {
    /// Prepares the cubes; looking for instances ends when `interrupt` says so.
    pub fn new(system: &'a System, cubes: &'a Cubes, interrupt: &Interrupt) -> Self {
        let mut index = Self {
            reader: GroundReader::new(system),
            claims: cubes.all.iter().collect(),
            levels: Vec::new(),
            demands: Vec::new(),
            interrupt: interrupt.clone(),
        };
        let words = cubes.all.len().div_ceil(64);
        for (number, forbidden) in cubes.all.iter().enumerate() {
            let mut levels = vec![Vec::new(); usize::from(forbidden.params) + 1];
            for literal in &forbidden.cube {
                levels[last_parameter(literal)].push(literal);
                let demand = match literal {
                    Literal::In { cell, values } => Demand::Mask(cell.var, *values),
                    other => Demand::Vars(other.vars().collect()),
                };
                let at = index.demands.iter().position(|it| it.0 == demand).unwrap_or_else(|| {
                    index.demands.push((demand, vec![0; words]));
                    index.demands.len() - 1
                });
                index.demands[at].1[number / 64] |= 1 << (number % 64);
            }
            index.levels.push(levels);
        }
        index
    }

    /// The cubes of which all demands are met but for `open` of them at most.
    pub fn candidates(&self, met: &mut dyn FnMut(&Demand) -> bool, open: usize) -> Vec<usize> {
        let cubes = self.levels.len();
        // Those of which more than that number of demands is not met.
        let mut unmet = vec![vec![0_u64; cubes.div_ceil(64)]; open + 1];
        for (demand, of) in &self.demands {
            if !met(demand) {
                for (word, of) in of.iter().enumerate() {
                    for number in (0..open).rev() {
                        unmet[number + 1][word] |= unmet[number][word] & of;
                    }
                    unmet[0][word] |= of;
                }
            }
        }
        (0..cubes).filter(|cube| unmet[open][cube / 64] >> (cube % 64) & 1 == 0).collect()
    }

    /// Calls `found` with the instances of cube `number` over the processes `procs` none of whose literals fails `test`, and at most `open` of which
    /// are open; with these. Until `found` returns true. Ends early when the run must end; a caller that draws a conclusion
    /// must check that.
    pub fn instances(
        &self,
        number: usize,
        procs: &[u8],
        open: usize,
        test: &mut dyn FnMut(&Literal, &[u8]) -> Option<bool>,
        found: &mut dyn FnMut(CubeInstance, &[&'a Literal]) -> bool,
    ) -> bool {
        let levels = &self.levels[number];
        if levels.len() > procs.len() + 1 {
            return false;
        }
        let (chosen, left) = (Vec::with_capacity(levels.len() - 1), Vec::new());
        InstanceSearch { interrupt: &self.interrupt, number, levels, procs, open, test, found, chosen, left }
            .extend()
    }
}

/// The search for the instances of one cube: see [`CubeIndex::instances`].
struct InstanceSearch<'s, 'a> {
    interrupt: &'s Interrupt,
    number: usize,
    levels: &'s [Vec<&'a Literal>],
    procs: &'s [u8],
    open: usize,
    test: &'s mut dyn FnMut(&Literal, &[u8]) -> Option<bool>,
    found: &'s mut dyn FnMut(CubeInstance, &[&'a Literal]) -> bool,
    /// The processes for the first parameters.
    chosen: Vec<u8>,
    /// The open literals about these.
    left: Vec<&'a Literal>,
}

impl InstanceSearch<'_, '_> {
    /// Chooses the other processes in all ways, until `found` returns true.
    fn extend(&mut self) -> bool {
        if self.interrupt.poll().is_err() {
            return true;
        }
        let known = self.left.len();
        for &literal in &self.levels[self.chosen.len()] {
            match (self.test)(literal, &self.chosen) {
                Some(true) => {}
                None if self.left.len() < self.open => self.left.push(literal),
                _ => {
                    self.left.truncate(known);
                    return false;
                }
            }
        }
        if self.chosen.len() + 1 == self.levels.len() {
            let stop = (self.found)(CubeInstance::new(self.number, self.chosen.clone()), &self.left);
            self.left.truncate(known);
            return stop;
        }
        for &p in self.procs {
            if !self.chosen.contains(&p) {
                self.chosen.push(p);
                let stop = self.extend();
                self.chosen.pop();
                if stop {
                    return true;
                }
            }
        }
        self.left.truncate(known);
        false
    }
}

fn last_parameter(literal: &Literal) -> usize {
    literal.procs().into_iter().map(ProcRef::variables).max().unwrap_or(0)
}

/// What refutes each case of an obligation.
pub type Refutations = (Obligation, Vec<Refutation>);
