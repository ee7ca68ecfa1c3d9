//! The safety test: does a cube contain an initial state of the instance with its own processes?
//!
//! Init is universal, so an initial state of a larger instance restricted to the cube's processes is one
//! of the smaller; the instance with exactly the cube's processes decides. All tuples of processes for the
//! parameters, repetitions included, are conjoined. Axioms are universal as well, over distinct processes, and
//! are part of init here. Where a cube says of which sorts its processes are, only what init says of these sorts counts.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use crate::cube::{
    Cube, CubeBuilder, CubeCell, CubeContext, CubeLiteral, Disjunction, Halt, Instantiation, Relational,
};
use crate::preimage::{Choice, narrow};
use crate::theory::{Sat, satisfiable};
use crate::tuning::MAX_BRANCHES;
use cubicle_lang::model::semantics::distinct_tuples;
use cubicle_lang::model::{FormulaOfSorts, System};

/// Init instantiated for the cubes of a search in one system.
#[derive(Default, Debug)]
pub struct InitialOf {
    made: HashMap<Vec<Option<u8>>, Initial>,
    /// What init says of processes.
    body: Option<FormulaOfSorts<'static>>,
}

impl InitialOf {
    /// That for cubes with as many processes, of the same sorts, as this one.
    pub fn cube(&mut self, context: &CubeContext, system: &System, cube: &Cube) -> Result<&Initial, Halt> {
        Ok(match self.made.entry(cube.sorts(context)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let body = || FormulaOfSorts::of_system(system, Cow::Owned(system.init.body.clone()));
                let made = Initial::new(context, system, self.body.get_or_insert_with(body), place.key())?;
                place.insert(made)
            }
        })
    }
}

/// What was instantiated so far: tuples say the same again and again.
#[derive(Default)]
struct Known {
    relational: HashSet<Relational>,
    /// The conjunctions of each are sorted.
    choices: HashSet<Vec<Vec<CubeLiteral>>>,
}

/// Init instantiated for cubes with a given number of processes, of given sorts.
#[derive(Debug)]
pub struct Initial {
    /// The values of cells in initial states.
    masks: BTreeMap<CubeCell, u64>,
    /// What else holds in every one.
    relational: Vec<Relational>,
    /// One disjunction for each remaining tuple.
    choices: Vec<Vec<Vec<CubeLiteral>>>,
    /// No initial state at all.
    empty: bool,
}

impl Initial {
    /// Instantiates init and axioms over processes of these sorts; `None`: of any sort.
    fn new(
        context: &CubeContext,
        system: &System,
        body: &mut FormulaOfSorts<'_>,
        sorts: &[Option<u8>],
    ) -> Result<Self, Halt> {
        let (init, procs) = (&system.init, sorts.len() as u8);
        let of = |names: &[u8]| names.iter().map(|name| sorts[usize::from(*name)]).collect::<Vec<_>>();
        let mut out =
            Self { masks: BTreeMap::new(), relational: Vec::new(), choices: Vec::new(), empty: false };
        let mut known = Known::default();
        for axiom in &system.axioms {
            let mut denial = FormulaOfSorts::new(system, &axiom.denial);
            for names in distinct_tuples(usize::from(procs), usize::from(axiom.params)) {
                context.interrupt.poll()?;
                let names: Vec<u8> = names.into_iter().map(|p| p as u8).collect();
                let said = Instantiation { context, procs, vars: &names }.dnf(denial.of(of(&names)))?;
                out.add(context, procs, said, &mut known);
            }
        }
        if procs == 0 {
            let said = Instantiation { context, procs, vars: &[] }.dnf(&init.without_processes)?;
            out.add(context, procs, said, &mut known);
            return Ok(out);
        }
        body.instances(init.params, sorts, |vars, said| {
            context.interrupt.poll()?;
            out.add(context, procs, Instantiation { context, procs, vars }.dnf(said)?, &mut known);
            Ok::<(), Halt>(())
        })?;
        Ok(out)
    }

    fn add(&mut self, context: &CubeContext, procs: u8, mut any: Disjunction, known: &mut Known) {
        match any.len() {
            0 => self.empty = true,
            1 => {
                for g in any.pop().unwrap_or_default() {
                    match g {
                        CubeLiteral::Relational(it) if known.relational.insert(it.clone()) => {
                            self.relational.push(it);
                        }
                        CubeLiteral::Relational(_) => {}
                        CubeLiteral::Mask(cell, mask) => {
                            let full = context.full(cell, procs);
                            let left = full & mask & self.masks.get(&cell).unwrap_or(&full);
                            self.empty |= left == 0;
                            if left != full {
                                self.masks.insert(cell, left);
                            }
                        }
                    }
                }
            }
            _ => {
                let mut sorted = any.clone();
                sorted.sort_unstable();
                if known.choices.insert(sorted) {
                    self.choices.push(any);
                }
            }
        }
    }

    /// The part of a cube in which what holds in every initial state holds; `None` where that is plainly nothing.
    fn begin<'c>(&self, context: &'c CubeContext, cube: &Cube) -> Option<CubeBuilder<'c>> {
        let excludes =
            |&(cell, mask): &(CubeCell, u64)| self.masks.get(&cell).is_some_and(|it| it & mask == 0);
        if self.empty || cube.masks.iter().any(excludes) {
            return None;
        }
        let mut b = CubeBuilder::from_cube(context, cube);
        b.restrict_all(&self.masks);
        self.relational.iter().all(|it| b.require_relational(it)).then_some(b)
    }

    /// Whether `cube` contains an initial state.
    pub fn meets(&self, context: &CubeContext, cube: &Cube) -> Result<Sat, Halt> {
        let Some(mut b) = self.begin(context, cube) else { return Ok(Sat::No) };
        // What the cube leaves of the disjunctions: mostly one of two, of which the choices below would learn last.
        let Some(open) = narrow(&mut b, self.choices.iter().map(|any| any.iter().collect()).collect()) else {
            return Ok(Sat::No);
        };
        let mut branches = MAX_BRANCHES;
        choose(context, &b, &open, &mut branches)
    }

    /// A part of a cube in which init holds, as far as the first choice among disjunctions that contradicts none of those before leads to one.
    pub fn chosen(&self, context: &CubeContext, cube: &Cube) -> Result<Option<Cube>, Halt> {
        let Some(mut b) = self.begin(context, cube) else { return Ok(None) };
        let mut open = self.choices.iter().map(|any| any.iter().collect()).collect();
        loop {
            context.interrupt.poll()?;
            let Some(left) = narrow(&mut b, open) else { return Ok(None) };
            let Some(any) = left.first() else { return b.finish() };
            if !b.require_all(any[0]) {
                return Ok(None);
            }
            open = left;
        }
    }

    /// The part of a cube that satisfies what holds in every initial state; `None` when there is none.
    pub fn within(&self, context: &CubeContext, cube: &Cube) -> Result<Option<Cube>, Halt> {
        self.begin(context, cube).map_or(Ok(None), CubeBuilder::finish)
    }
}

/// Whether a cube has a state in which one conjunction of each choice holds, as far as these `branches` show it.
fn choose(
    context: &CubeContext,
    b: &CubeBuilder<'_>,
    choices: &[Choice<'_>],
    branches: &mut usize,
) -> Result<Sat, Halt> {
    let Some((any, rest)) = choices.split_first() else {
        return satisfiable(context, b);
    };
    if any.iter().any(|conj| b.says_all(conj)) {
        return choose(context, b, rest, branches);
    }
    let mut answer = Sat::No;
    for conj in any {
        context.interrupt.poll()?;
        if *branches == 0 {
            return Ok(Sat::Unknown);
        }
        *branches -= 1;
        let mut next = b.clone();
        if next.require_all(conj) {
            match choose(context, &next, rest, branches)? {
                Sat::Yes => return Ok(Sat::Yes),
                Sat::Unknown => answer = Sat::Unknown,
                Sat::No => {}
            }
        }
    }
    Ok(answer)
}
