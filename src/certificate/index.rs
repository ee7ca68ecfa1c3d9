//! The cubes of an invariant prepared for the search of instances.

use std::collections::BTreeMap;

use super::cubes::{CubeInstance, Cubes};
use super::ground::{GroundFormula, GroundReader, Reading};
use super::obligation::Obligation;
use super::obligations::literal_vars;
use cubicle_lang::model::{Literal, ProcRef, System, Term, VarId};
use cubicle_run::interrupt::Interrupt;

/// What a literal of a cube requires, whatever the processes.
#[derive(Debug)]
pub enum Demand {
    /// Some cell of the variable is within these constructors.
    Mask(VarId, u64),
    /// Some literal mentions these variables.
    Vars(Vec<VarId>),
}

/// Cubes prepared for the search of instances.
#[derive(Debug)]
pub struct CubeIndex<'a> {
    /// Reads ground formulas.
    pub reader: GroundReader<'a>,
    /// For each cube, its literals by the last parameter that they mention; those without one first.
    pub levels: Vec<Vec<Vec<&'a Literal>>>,
    /// For each cube, what a conjunction must contain for its literals to imply an instance.
    pub demands: Vec<Vec<Demand>>,
    /// Cubes of a single literal about one cell, by its variable.
    pub single: BTreeMap<VarId, Vec<usize>>,
    interrupt: Interrupt,
}

impl<'a> CubeIndex<'a> {
    /// Prepares the cubes; looking for instances ends when `interrupt` says so.
    pub fn new(system: &'a System, cubes: &'a Cubes, interrupt: &Interrupt) -> Self {
        let mut index = Self {
            reader: GroundReader::new(system),
            levels: Vec::new(),
            demands: Vec::new(),
            single: BTreeMap::new(),
            interrupt: interrupt.clone(),
        };
        for (number, forbidden) in cubes.all.iter().enumerate() {
            let mut levels = vec![Vec::new(); usize::from(forbidden.params) + 1];
            for literal in &forbidden.cube {
                levels[last_parameter(literal)].push(literal);
            }
            index.levels.push(levels);
            let mut vars: Vec<VarId> = forbidden.cube.iter().flat_map(literal_vars).collect();
            vars.sort_unstable();
            vars.dedup();
            if let ([_], [var]) = (&forbidden.cube[..], &vars[..]) {
                index.single.entry(*var).or_default().push(number);
            }
            index.demands.push(forbidden.cube.iter().map(Self::demand).collect());
        }
        index
    }

    fn demand(literal: &Literal) -> Demand {
        match literal {
            Literal::In { cell, values } => Demand::Mask(cell.var, *values),
            other => Demand::Vars(literal_vars(other)),
        }
    }

    /// Calls `found` with the instances of cube `number` over the processes `procs` all of whose literals pass
    /// `test`, until it returns true. Ends early when the run must end; a caller that draws a conclusion must check that.
    pub fn instances(
        &self,
        number: usize,
        procs: &[u8],
        test: &mut dyn FnMut(&GroundFormula) -> bool,
        found: &mut dyn FnMut(CubeInstance) -> bool,
    ) -> bool {
        let levels = &self.levels[number];
        if levels.len() > procs.len() + 1 {
            return false;
        }
        let mut chosen = Vec::with_capacity(levels.len() - 1);
        self.extend(number, procs, &mut chosen, test, found)
    }

    fn extend(
        &self,
        number: usize,
        procs: &[u8],
        chosen: &mut Vec<u8>,
        test: &mut dyn FnMut(&GroundFormula) -> bool,
        found: &mut dyn FnMut(CubeInstance) -> bool,
    ) -> bool {
        if self.interrupt.poll().is_err() {
            return true;
        }
        let levels = &self.levels[number];
        let passes = levels[chosen.len()].iter().all(|literal| {
            // Without a step there is no arithmetic that could overflow.
            self.reader.literal(literal, chosen, Reading::Now).is_ok_and(|formula| test(&formula))
        });
        if !passes {
            return false;
        }
        if chosen.len() + 1 == levels.len() {
            return found(CubeInstance { cube: number, procs: chosen.clone() });
        }
        for &p in procs {
            if !chosen.contains(&p) {
                chosen.push(p);
                let stop = self.extend(number, procs, chosen, test, found);
                chosen.pop();
                if stop {
                    return true;
                }
            }
        }
        false
    }
}

fn last_parameter(literal: &Literal) -> usize {
    let proc = |p: &ProcRef| match p {
        ProcRef::Var(i) => usize::from(*i) + 1,
        ProcRef::Const(_) => 0,
    };
    let cell = |cell: &cubicle_lang::model::Cell| cell.index.iter().map(proc).max().unwrap_or(0);
    let term = |term: &Term| match term {
        Term::Proc(p) => proc(p),
        Term::Cell(c) => cell(c),
        Term::Constructor(_) | Term::Linear(_) => 0,
    };
    match literal {
        Literal::In { cell: c, .. } => cell(c),
        Literal::Eq { left, right, .. } | Literal::Less { left, right, .. } => term(left).max(term(right)),
        Literal::Linear { expr, .. } => expr.terms.iter().map(|(c, _)| cell(c)).max().unwrap_or(0),
    }
}

/// For each case of an obligation, the instances of the invariant that refute it.
pub type Refutations = (Obligation, Vec<Vec<CubeInstance>>);
