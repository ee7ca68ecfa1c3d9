//! What the literals of a case imply by themselves, and the instances of the invariant that they contradict
//! at once. Only finds instances: the solver decides whether these refute the case.

use std::collections::{BTreeMap, BTreeSet};

use super::cubes::CubeInstance;
use super::ground::{Atom, GroundCell, GroundFormula, GroundPoint, Reading};
use super::index::{CubeIndex, Demand};
use cubicle_lang::model::VarId;

/// Bit of a mask over processes that stands for everything else.
const OTHER: u64 = 1 << 63;

/// What the literals of a conjunction imply.
#[derive(Debug, Default)]
pub struct CaseLiterals {
    /// The processes of the case.
    procs: Vec<u8>,
    masks: BTreeMap<GroundCell, u64>,
    facts: BTreeSet<(Atom, bool)>,
    vars: BTreeSet<VarId>,
    /// The masks of each variable's enum cells.
    by_var: BTreeMap<VarId, Vec<u64>>,
    /// Instances that narrowed masks, and where.
    used: Vec<(CubeInstance, GroundCell)>,
    /// A cell that has no value left.
    contradiction: Option<GroundCell>,
}

/// Instances that conjuncts of a case contradict.
#[derive(Debug)]
pub struct Refutation {
    /// These conjuncts.
    pub support: GroundFormula,
    /// The instances.
    pub instances: Vec<CubeInstance>,
}

/// The literals of an instance.
fn literals_of(index: &CubeIndex<'_>, instance: &CubeInstance) -> Vec<GroundFormula> {
    let cube = index.levels[instance.cube].iter().flatten();
    cube.filter_map(|literal| index.reader.literal(literal, &instance.procs, Reading::Now).ok()).collect()
}

/// The cell that a literal restricts to a set of constructors or processes.
fn masked_place(formula: &GroundFormula) -> Option<&GroundCell> {
    match formula {
        GroundFormula::Literal(
            Atom::In(place, _) | Atom::Equal(GroundPoint::Process(_), GroundPoint::Place(place)),
            _,
        ) => Some(place),
        _ => None,
    }
}

impl CaseLiterals {
    /// Reads the literals among the conjuncts of `formula`, in a case of `procs` processes where instances of
    /// `usable` cubes may be assumed.
    pub fn new(
        index: &CubeIndex<'_>,
        formula: &GroundFormula,
        procs: u8,
        usable: &dyn Fn(usize) -> bool,
    ) -> Self {
        let mut said = Self { procs: (0..procs).collect(), ..Self::default() };
        for part in formula.conjuncts() {
            said.add(part);
        }
        let places: Vec<GroundCell> = said.masks.keys().cloned().collect();
        for place in places {
            let single = index.single.get(&place.var).into_iter().flatten();
            for &number in single.filter(|&&number| usable(number)) {
                said.narrow(index, &place, number);
            }
        }
        for (place, mask) in &said.masks {
            said.by_var.entry(place.var).or_default().push(*mask);
        }
        said
    }

    fn add(&mut self, part: &GroundFormula) {
        let procs = self.procs.len();
        let GroundFormula::Literal(atom, holds) = part else { return };
        let (place, mask) = match atom {
            Atom::In(place, values) => (place, if *holds { *values } else { !values }),
            Atom::Equal(GroundPoint::Process(p), GroundPoint::Place(place)) if procs < 63 => {
                (place, if *holds { 1 << p } else { !(1 << p) & (OTHER | ((1 << procs) - 1)) })
            }
            _ => {
                self.vars.extend(atom.cells().into_iter().map(|place| place.var));
                self.facts.insert((atom.clone(), *holds));
                return;
            }
        };
        self.restrict(place, mask);
    }

    fn restrict(&mut self, place: &GroundCell, mask: u64) {
        self.vars.insert(place.var);
        let held = self.masks.entry(place.clone()).or_insert(u64::MAX);
        *held &= mask;
        if *held == 0 && self.contradiction.is_none() {
            self.contradiction = Some(place.clone());
        }
    }

    /// Assumes an instance of the invariant: where the literals imply all of its own but one, about one cell, this one does not hold. False where it
    /// says nothing new.
    pub fn assume(&mut self, index: &CubeIndex<'_>, instance: CubeInstance) -> bool {
        let mut open = literals_of(index, &instance);
        open.retain(|formula| !self.implies(formula));
        let [last] = &open[..] else { return false };
        let GroundFormula::Literal(Atom::In(place, values), holds) = last else { return false };
        let mask = if *holds { !values } else { *values };
        self.restrict(place, mask);
        self.by_var.entry(place.var).or_default().push(self.masks[place]);
        self.used.push((instance, place.clone()));
        true
    }

    /// Removes the values that cube `number`, a single literal, forbids for `place`.
    fn narrow(&mut self, index: &CubeIndex<'_>, place: &GroundCell, number: usize) {
        let values_for = |formula: &GroundFormula| match formula {
            GroundFormula::Literal(Atom::In(p, values), true) if p == place => Some(*values),
            GroundFormula::Literal(Atom::Equal(GroundPoint::Process(q), GroundPoint::Place(p)), true)
                if p == place =>
            {
                Some(1 << q)
            }
            _ => None,
        };
        let mut matching: Vec<CubeInstance> = Vec::new();
        index.instances(number, &self.procs, &mut |formula| values_for(formula).is_some(), &mut |instance| {
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

    /// Instances that these facts rest on, besides the literals.
    pub fn used(&self) -> impl Iterator<Item = &CubeInstance> {
        self.used.iter().map(|(instance, _)| instance)
    }

    /// Whether the literals alone imply `formula`, a literal or a truth value.
    fn implies(&self, formula: &GroundFormula) -> bool {
        match formula {
            GroundFormula::Literal(Atom::In(place, values), holds) => {
                let values = if *holds { *values } else { !values };
                self.masks.get(place).is_some_and(|mask| mask & !values == 0)
            }
            GroundFormula::Literal(atom, holds) => {
                if let Atom::Equal(GroundPoint::Process(p), GroundPoint::Place(place)) = atom
                    && self.procs.contains(p)
                    && let Some(mask) = self.masks.get(place)
                {
                    return if *holds { mask & !(1 << p) == 0 } else { mask >> p & 1 == 0 };
                }
                self.facts.contains(&(atom.clone(), *holds))
            }
            other => *other == GroundFormula::TRUE,
        }
    }

    /// Instances that these literals contradict, each by itself or by contradicting each other, and the
    /// literals that do so. Cubes are tried in the given order. `None` when there are none.
    pub fn refuting(
        &self,
        index: &CubeIndex<'_>,
        formula: &GroundFormula,
        order: &mut dyn Iterator<Item = usize>,
    ) -> Option<Refutation> {
        if let Some(place) = &self.contradiction {
            return Some(self.refutation(index, formula, None, BTreeSet::from([place.clone()])));
        }
        for number in order {
            if !index.demands[number].iter().all(|demand| self.meets(demand)) {
                continue;
            }
            let mut instance = None;
            index.instances(number, &self.procs, &mut |formula| self.implies(formula), &mut |found| {
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

    /// `instance`, with the literals and the instances that narrowed masks which it needs.
    fn refutation(
        &self,
        index: &CubeIndex<'_>,
        formula: &GroundFormula,
        instance: Option<CubeInstance>,
        mut places: BTreeSet<GroundCell>,
    ) -> Refutation {
        let mut literals = instance.as_ref().map_or_else(Vec::new, |it| literals_of(index, it));
        places.extend(literals.iter().filter_map(masked_place).cloned());
        // What was assumed rests on literals itself, and on what was assumed before.
        for (used, place) in self.used.iter().rev() {
            if places.contains(place) {
                literals.extend(literals_of(index, used));
                places.extend(literals.iter().filter_map(masked_place).cloned());
            }
        }
        let instances: Vec<CubeInstance> = (self.used.iter())
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
        Refutation { support: GroundFormula::All(support.collect()), instances }
    }

    /// Whether the literals alone contradict `formula`, so that an instance with it is useless.
    pub fn contradicts(&self, formula: &GroundFormula) -> bool {
        match formula {
            GroundFormula::Literal(Atom::In(place, values), holds) => {
                let values = if *holds { *values } else { !values };
                self.masks.get(place).is_some_and(|mask| mask & values == 0)
            }
            GroundFormula::Literal(atom, holds) => {
                if let Atom::Equal(GroundPoint::Process(p), GroundPoint::Place(place)) = atom
                    && self.procs.contains(p)
                    && let Some(mask) = self.masks.get(place)
                {
                    return if *holds { mask >> p & 1 == 0 } else { mask & !(1 << p) == 0 };
                }
                self.facts.contains(&(atom.clone(), !holds))
            }
            other => *other == GroundFormula::FALSE,
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::cubes::Cubes;
    use crate::ground::CellRole;
    use cubicle_run::interrupt::Interrupt;
    use cubicle_run::verdict::Forbidden;

    const PROCS: u8 = 2;

    /// The last cubes are those that no state may be in.
    const MODEL: &str = "
        type t = A | B | C
        var G : t
        var P : proc
        array S[proc] : t
        init (p) { G = A && S[p] = A }
        unsafe () { G = C }
        unsafe (p) { S[p] = B }
        unsafe (p) { S[p] = C && P = p }
        unsafe (p) { S[p] = A && G = B }
    ";

    fn cell(var: u16, index: &[u8]) -> GroundCell {
        GroundCell { var: VarId(var), index: index.into(), role: CellRole::Held }
    }

    /// Constructors of `G`, `S[0]`, `S[1]`, and what `P` names: a process, or another one.
    type Values = [usize; 4];

    fn all_values() -> impl Iterator<Item = Values> {
        (0..81).map(|n| [n % 3, n / 3 % 3, n / 9 % 3, n / 27])
    }

    fn holds(formula: &GroundFormula, values: &Values) -> bool {
        match formula {
            GroundFormula::All(parts) => parts.iter().all(|part| holds(part, values)),
            GroundFormula::Any(parts) => parts.iter().any(|part| holds(part, values)),
            GroundFormula::Literal(Atom::In(cell, set), so) => {
                let at = if cell.var == VarId(0) { 0 } else { 1 + usize::from(cell.index[0]) };
                (set >> values[at] & 1 == 1) == *so
            }
            GroundFormula::Literal(Atom::Equal(GroundPoint::Process(p), _), so) => {
                (usize::from(*p) == values[3]) == *so
            }
            GroundFormula::Literal(other, _) => panic!("not used here: {other:?}"),
        }
    }

    /// A negated set leaves room for constructors that do not exist, so that no exact result is known.
    fn random(rng: &mut ChaCha8Rng, negated_sets: bool) -> GroundFormula {
        let (some, so) = (rng.random_range(1..7), rng.random_ratio(2, 3));
        let set = |cell| GroundFormula::Literal(Atom::In(cell, some), so || !negated_sets);
        match rng.random_range(0..4u8) {
            0 => set(cell(0, &[])),
            1 => {
                let process = GroundPoint::Process(rng.random_range(0..PROCS));
                GroundFormula::Literal(Atom::Equal(process, GroundPoint::Place(cell(1, &[]))), so)
            }
            p => set(cell(2, &[p - 2])),
        }
    }

    /// Finds exactly what literals imply for single cells, and instances that they contradict.
    #[test]
    fn literals_imply_what_holds_in_all_their_states() {
        let system = cubicle_lang::load(MODEL).expect("a correct model").system;
        let forbidden = system.bad.iter().map(Forbidden::from).collect();
        let cubes = Cubes::new(
            &system,
            (crate::Subject::default(), None),
            (Vec::new(), Vec::new()),
            forbidden,
            false,
        );
        let interrupt = Interrupt::default();
        let index = CubeIndex::new(&system, &cubes, &interrupt);
        let in_cube = |number: usize, procs: &[u8], values: &Values| {
            let literals = cubes.all[number].cube.iter();
            let mut ground =
                literals.map(|l| index.reader.literal(l, procs, Reading::Now).expect("no numbers"));
            ground.all(|formula| holds(&formula, values))
        };
        let mut rng = ChaCha8Rng::seed_from_u64(14);
        let mut met = [0; 6];
        for _ in 0..3000 {
            let parts: Vec<GroundFormula> =
                (0..rng.random_range(1..5)).map(|_| random(&mut rng, false)).collect();
            let whole = GroundFormula::All(parts.clone());
            let places: Vec<GroundCell> = parts.iter().filter_map(masked_place).cloned().collect();
            let said = CaseLiterals::new(&index, &whole, PROCS, &|_| true);
            // The first two cubes narrow what the literals are about.
            let possible = |values: &Values| {
                holds(&whole, values)
                    && !(places.contains(&cell(0, &[])) && in_cube(0, &[], values))
                    && !(0..PROCS).any(|p| places.contains(&cell(2, &[p])) && in_cube(1, &[p], values))
            };
            let states: Vec<Values> = all_values().filter(possible).collect();
            assert_eq!(said.contradiction.is_some(), states.is_empty(), "{parts:?}");
            met[0] += usize::from(states.is_empty());
            met[1] += usize::from(!said.used.is_empty());
            if all_values().any(|values| holds(&whole, &values)) {
                // None of them is useless.
                let useful = |i: &CubeInstance| {
                    all_values().any(|v| holds(&whole, &v) && in_cube(i.cube, &i.procs, &v))
                };
                assert!(said.used().all(useful), "{parts:?}: {:?}", said.used);
            }
            for (truth, formula) in [(true, GroundFormula::TRUE), (false, GroundFormula::FALSE)] {
                assert_eq!((said.implies(&formula), said.contradicts(&formula)), (truth, !truth));
            }
            let order = &mut [2, 3].into_iter();
            if let Some(found) = said.refuting(&index, &whole, order) {
                met[2] += 1;
                let left = all_values().find(|values| {
                    let excluded = |i: &CubeInstance| in_cube(i.cube, &i.procs, values);
                    holds(&found.support, values) && !found.instances.iter().any(excluded)
                });
                assert_eq!(left, None, "{parts:?}: {found:?}");
                assert!(found.support.conjuncts().iter().all(|part| parts.contains(part)), "{found:?}");
            } else {
                let inside = |number: usize, p: u8| {
                    let is_about = |var: u16, index: &[u8]| places.contains(&cell(var, index));
                    let other = if number == 2 { is_about(1, &[]) } else { is_about(0, &[]) };
                    let implied = states.iter().all(|values| in_cube(number, &[p], values));
                    other && is_about(2, &[p]) && implied
                };
                assert!(!(0..PROCS).any(|p| inside(2, p) || inside(3, p)), "{parts:?}");
            }
            if states.is_empty() {
                continue;
            }
            for _ in 0..5 {
                let asked = random(&mut rng, true);
                let about = masked_place(&asked).is_some_and(|place| places.contains(place));
                let always = states.iter().all(|values| holds(&asked, values));
                let never = !states.iter().any(|values| holds(&asked, values));
                let (implies, contradicts) = (said.implies(&asked), said.contradicts(&asked));
                assert!((!implies || always) && (!contradicts || never), "{parts:?}, {asked:?}");
                if about {
                    assert_eq!((implies, contradicts), (always, never), "{parts:?}, {asked:?}");
                    met[3] += usize::from(always);
                    met[4] += usize::from(never);
                    met[5] += usize::from(!always && !never);
                }
            }
        }
        assert!(met.iter().all(|met| *met > 50), "{met:?}");
    }
}
