//! What the literals of a case say by themselves, and the instances of the invariant that they contradict
//! at once. Only finds instances: whether these refute the case is for the solver to say.

use std::collections::{BTreeMap, BTreeSet};

use super::Cubes;
use super::ground::{Atom, Formula, Place, Point, Reader, Reading};
use super::obligations::literal_vars;
use crate::interrupt::Interrupt;
use crate::model::{Literal, ProcRef, System, Term, VarId};

/// A cube of the invariant at given processes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Instance {
    /// Number of the cube.
    pub cube: usize,
    /// Distinct processes for its parameters.
    pub procs: Vec<u8>,
}

/// What a literal of a cube takes, whatever the processes.
#[derive(Debug)]
enum Demand {
    /// Some cell of the variable is within these constructors.
    Mask(VarId, u64),
    /// Something is said of these variables.
    Vars(Vec<VarId>),
}

/// Cubes prepared for the search of instances.
#[derive(Debug)]
pub struct Index<'a> {
    reader: Reader<'a>,
    /// For each cube, its literals by the last parameter that they mention; those without one first.
    levels: Vec<Vec<Vec<&'a Literal>>>,
    /// For each cube, what a conjunction must say for its literals to imply an instance.
    demands: Vec<Vec<Demand>>,
    /// Cubes of a single literal about one cell, by its variable.
    single: BTreeMap<VarId, Vec<usize>>,
    interrupt: Interrupt,
}

impl<'a> Index<'a> {
    /// Prepares the cubes; looking for instances ends when `interrupt` says so.
    pub fn new(system: &'a System, cubes: &'a Cubes, interrupt: &Interrupt) -> Self {
        let mut index = Self {
            reader: Reader::new(system),
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

    /// The reader of ground formulas.
    pub const fn reader(&self) -> Reader<'a> {
        self.reader
    }

    /// Calls `found` with the instances of cube `number` over `procs` processes all of whose literals pass
    /// `test`, until it returns true. Ends early when the run must end, which whoever draws a conclusion has to ask.
    pub fn instances(
        &self,
        number: usize,
        procs: u8,
        test: &mut dyn FnMut(&Formula) -> bool,
        found: &mut dyn FnMut(Instance) -> bool,
    ) -> bool {
        let levels = &self.levels[number];
        if levels.len() > usize::from(procs) + 1 {
            return false;
        }
        let mut chosen = Vec::with_capacity(levels.len() - 1);
        self.extend(number, procs, &mut chosen, test, found)
    }

    fn extend(
        &self,
        number: usize,
        procs: u8,
        chosen: &mut Vec<u8>,
        test: &mut dyn FnMut(&Formula) -> bool,
        found: &mut dyn FnMut(Instance) -> bool,
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
            return found(Instance { cube: number, procs: chosen.clone() });
        }
        for p in 0..procs {
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
    let cell = |cell: &crate::model::Cell| cell.index.iter().map(proc).max().unwrap_or(0);
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

/// Bit of a mask over processes that stands for everything else.
const OTHER: u64 = 1 << 63;

/// What the literals of a conjunction say.
#[derive(Debug, Default)]
pub struct Units {
    masks: BTreeMap<Place, u64>,
    facts: BTreeSet<(Atom, bool)>,
    vars: BTreeSet<VarId>,
    /// The masks of each variable's enum cells.
    by_var: BTreeMap<VarId, Vec<u64>>,
    /// Instances that narrowed masks, and where.
    used: Vec<(Instance, Place)>,
    /// A cell that has no value left.
    contradiction: Option<Place>,
}

/// Instances that conjuncts of a case contradict.
#[derive(Debug)]
pub struct Refutation {
    /// These conjuncts.
    pub support: Formula,
    /// The instances.
    pub instances: Vec<Instance>,
}

/// The cell that a literal restricts to a set of constructors or processes.
fn masked_place(formula: &Formula) -> Option<&Place> {
    match formula {
        Formula::Literal(Atom::In(place, _) | Atom::Equal(Point::Process(_), Point::Place(place)), _) => {
            Some(place)
        }
        _ => None,
    }
}

impl Units {
    /// Of the literals among the conjuncts of `formula`, in a case of `procs` processes where instances of
    /// `usable` cubes may be assumed.
    pub fn new(index: &Index<'_>, formula: &Formula, procs: u8, usable: &dyn Fn(usize) -> bool) -> Self {
        let mut units = Self::default();
        for part in formula.conjuncts() {
            units.add(part, procs);
        }
        let places: Vec<Place> = units.masks.keys().cloned().collect();
        for place in places {
            let single = index.single.get(&place.var).into_iter().flatten();
            for &number in single.filter(|&&number| usable(number)) {
                units.narrow(index, &place, number, procs);
            }
        }
        for (place, mask) in &units.masks {
            units.by_var.entry(place.var).or_default().push(*mask);
        }
        units
    }

    fn add(&mut self, part: &Formula, procs: u8) {
        let Formula::Literal(atom, holds) = part else { return };
        let (place, mask) = match atom {
            Atom::In(place, values) => (place, if *holds { *values } else { !values }),
            Atom::Equal(Point::Process(p), Point::Place(place)) if procs < 63 => {
                (place, if *holds { 1 << p } else { !(1 << p) & (OTHER | ((1 << procs) - 1)) })
            }
            _ => {
                self.vars.extend(atom_vars(atom));
                self.facts.insert((atom.clone(), *holds));
                return;
            }
        };
        self.restrict(place, mask);
    }

    fn restrict(&mut self, place: &Place, mask: u64) {
        self.vars.insert(place.var);
        let slot = self.masks.entry(place.clone()).or_insert(u64::MAX);
        *slot &= mask;
        if *slot == 0 && self.contradiction.is_none() {
            self.contradiction = Some(place.clone());
        }
    }

    /// Takes away the values that cube `number`, a single literal, forbids for `place`.
    fn narrow(&mut self, index: &Index<'_>, place: &Place, number: usize, procs: u8) {
        let values_for = |formula: &Formula| match formula {
            Formula::Literal(Atom::In(p, values), true) if p == place => Some(*values),
            Formula::Literal(Atom::Equal(Point::Process(q), Point::Place(p)), true) if p == place => {
                Some(1 << q)
            }
            _ => None,
        };
        let mut matching: Vec<Instance> = Vec::new();
        index.instances(number, procs, &mut |formula| values_for(formula).is_some(), &mut |instance| {
            matching.push(instance);
            false
        });
        for instance in matching {
            let literal = index.levels[number].iter().flatten().next().expect("a single literal");
            let formula = index.reader.literal(literal, &instance.procs, Reading::Now);
            let Some(values) = formula.ok().as_ref().and_then(values_for) else { continue };
            if self.masks[place] & values != 0 {
                self.restrict(place, !values);
                self.used.push((instance, place.clone()));
            }
        }
    }

    /// Instances without which the literals do not say all of this.
    pub fn used(&self) -> impl Iterator<Item = &Instance> {
        self.used.iter().map(|(instance, _)| instance)
    }

    /// Whether the literals alone imply `formula`, a literal or a truth value.
    fn implies(&self, formula: &Formula) -> bool {
        match formula {
            Formula::Literal(Atom::In(place, values), holds) => {
                let values = if *holds { *values } else { !values };
                self.masks.get(place).is_some_and(|mask| mask & !values == 0)
            }
            Formula::Literal(atom, holds) => {
                if let Atom::Equal(Point::Process(p), Point::Place(place)) = atom
                    && let Some(mask) = self.masks.get(place)
                {
                    return if *holds { mask & !(1 << p) == 0 } else { mask >> p & 1 == 0 };
                }
                self.facts.contains(&(atom.clone(), *holds))
            }
            other => *other == Formula::TRUE,
        }
    }

    /// Instances that these literals contradict, each by itself or by contradicting each other, and the
    /// literals that do so. Cubes are tried in the given order. `None` when there are none.
    pub fn refuting(
        &self,
        index: &Index<'_>,
        formula: &Formula,
        order: &mut dyn Iterator<Item = usize>,
        procs: u8,
    ) -> Option<Refutation> {
        if let Some(place) = &self.contradiction {
            return Some(self.refutation(index, formula, None, BTreeSet::from([place.clone()])));
        }
        for number in order {
            if !index.demands[number].iter().all(|demand| self.meets(demand)) {
                continue;
            }
            let mut instance = None;
            index.instances(number, procs, &mut |formula| self.implies(formula), &mut |found| {
                instance = Some(found);
                true
            });
            if let Some(instance) = instance {
                return Some(self.refutation(index, formula, Some(instance), BTreeSet::new()));
            }
        }
        None
    }

    fn meets(&self, demand: &Demand) -> bool {
        match demand {
            Demand::Mask(var, values) => {
                self.by_var.get(var).is_some_and(|masks| masks.iter().any(|mask| mask & !values == 0))
            }
            Demand::Vars(vars) => vars.iter().all(|var| self.vars.contains(var)),
        }
    }

    /// `instance`, and what it takes of the literals and of the instances that narrowed masks.
    fn refutation(
        &self,
        index: &Index<'_>,
        formula: &Formula,
        instance: Option<Instance>,
        mut places: BTreeSet<Place>,
    ) -> Refutation {
        let mut literals = Vec::new();
        if let Some(instance) = &instance {
            let cube = index.levels[instance.cube].iter().flatten();
            literals.extend(cube.filter_map(|l| index.reader.literal(l, &instance.procs, Reading::Now).ok()));
        }
        places.extend(literals.iter().filter_map(masked_place).cloned());
        let instances: Vec<Instance> = (self.used.iter())
            .filter(|(_, place)| places.contains(place))
            .map(|(used, _)| used.clone())
            .chain(instance.iter().cloned())
            .collect();
        let support = (formula.conjuncts().iter())
            .filter(|part| match masked_place(part) {
                Some(place) => places.contains(place),
                None => literals.contains(part),
            })
            .cloned();
        Refutation { support: Formula::All(support.collect()), instances }
    }

    /// Whether the literals alone contradict `formula`, so that an instance with it is of no use.
    pub fn contradicts(&self, formula: &Formula) -> bool {
        match formula {
            Formula::Literal(Atom::In(place, values), holds) => {
                let values = if *holds { *values } else { !values };
                self.masks.get(place).is_some_and(|mask| mask & values == 0)
            }
            Formula::Literal(atom, holds) => {
                if let Atom::Equal(Point::Process(p), Point::Place(place)) = atom
                    && let Some(mask) = self.masks.get(place)
                {
                    return if *holds { mask >> p & 1 == 0 } else { mask & !(1 << p) == 0 };
                }
                self.facts.contains(&(atom.clone(), !holds))
            }
            other => *other == Formula::FALSE,
        }
    }
}

/// The variables that an atom reads.
fn atom_vars(atom: &Atom) -> Vec<VarId> {
    let point = |point: &Point| match point {
        Point::Place(place) => Some(place.var),
        Point::Process(_) => None,
    };
    match atom {
        Atom::In(place, _) => vec![place.var],
        Atom::Equal(a, b) | Atom::Less(a, b) => point(a).into_iter().chain(point(b)).collect(),
        Atom::Linear { sum, .. } => sum.terms.iter().map(|(place, _)| place.var).collect(),
    }
}
