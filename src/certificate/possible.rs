//! What remains possible where ground formulas hold: values of cells, intervals of sums, and what is said of pairs.
//!
//! This only excludes what no state allows in which all that it was told holds, each time for one reason of its own: a literal, the only part
//! of a disjunction that is left, an equation. When nothing is left, the formulas contradict each other. It is not complete: where it excludes
//! nothing, there may be no such state all the same.

use std::borrow::Cow;
use std::rc::Rc;

use hashbrown::HashMap;

use super::ground::{Atom, CellRole, GroundCell, GroundFormula, GroundPoint, GroundReader, Reading};
use super::intervals::Intervals;
use cubicle_lang::model::{Cell, Literal, ProcRef, System, Type, VarId};

/// Bit of a mask over processes that stands for everything else.
const OTHER: u64 = 1 << 63;

/// Most cells of one variable of which values are known: of an array with more of them nothing is.
const MOST_CELLS: usize = 1 << 12;

/// Values of a cell that are distinguished where it is compared with another one, at most.
const FEW_VALUES: u32 = 4;

/// Most rounds of propagation: bounds of numbers may move for ever.
const MOST_ROUNDS: usize = 64;

/// The cells at a number of named processes: where each one's values are.
#[derive(Debug)]
pub struct Layout {
    procs: u8,
    /// For each variable the place of its first cell, unless it is numeric or has too many of them.
    starts: Vec<Option<usize>>,
    /// For each cell all its values: constructors, or named processes and the others.
    all: Vec<u64>,
    vars: Vec<VarId>,
}

impl Layout {
    /// The cells of a system at this number of processes, of which there are less than 63.
    pub fn new(system: &System, procs: u8) -> Self {
        let (mut starts, mut all, mut vars) = (Vec::new(), Vec::new(), Vec::new());
        for (number, var) in system.vars.iter().enumerate() {
            let cells = usize::from(procs).checked_pow(var.arity() as u32).filter(|it| *it <= MOST_CELLS);
            let values = match var.ty {
                Type::Enum(id) => Some(system.enumeration(id).all()),
                Type::Proc => Some(OTHER | ((1 << procs) - 1)),
                Type::Abstract(_) => Some(u64::MAX),
                Type::Int | Type::Real => None,
            };
            starts.push(cells.zip(values).map(|(cells, values)| {
                all.extend(std::iter::repeat_n(values, cells));
                vars.extend(std::iter::repeat_n(VarId(number as u16), cells));
                all.len() - cells
            }));
        }
        Self { procs, starts, all, vars }
    }

    fn at(&self, var: VarId, index: impl Iterator<Item = u8>) -> Option<usize> {
        let start = (*self.starts.get(usize::from(var.0))?)?;
        let mut place = 0;
        for p in index {
            if p >= self.procs {
                return None;
            }
            place = place * usize::from(self.procs) + usize::from(p);
        }
        Some(start + place)
    }

    fn place(&self, cell: &GroundCell) -> Option<usize> {
        if cell.role == CellRole::Held { self.at(cell.var, cell.index.iter().copied()) } else { None }
    }

    fn point(&self, point: &GroundPoint) -> Option<usize> {
        match point {
            GroundPoint::Process(_) => None,
            GroundPoint::Place(cell) => self.place(cell),
        }
    }

    /// The place that a literal restricts to a set of values, and that set.
    fn masked(&self, atom: &Atom, holds: bool) -> Option<(usize, u64)> {
        let (place, values) = match atom {
            Atom::In(cell, values) => (self.place(cell)?, *values),
            Atom::Equal(GroundPoint::Process(p), GroundPoint::Place(cell)) if *p < self.procs => {
                (self.place(cell)?, 1 << p)
            }
            _ => return None,
        };
        Some((place, if holds { values } else { !values }))
    }
}

/// Tells more that holds in the state; with a literal, if there is one, of which it matters whether it holds.
pub type Narrow<'n, 'f> = dyn FnMut(&mut Possible<'f>) -> Option<GroundFormula> + 'n;

/// What remains possible.
#[derive(Clone, Debug)]
pub struct Possible<'f> {
    layout: Rc<Layout>,
    /// For each place the values that are left.
    masks: Vec<u64>,
    /// Places where these are not all.
    narrowed: Vec<usize>,
    sums: Intervals,
    /// Equations, and their negations, between cells.
    pairs: Vec<(usize, usize, bool)>,
    /// Of which points the first comes before the second one, or (false) may be the same.
    order: Vec<(GroundPoint, GroundPoint, bool)>,
    /// Other atoms, and whether they hold.
    opaque: HashMap<Atom, bool>,
    /// Disjunctions that hold, and of which several parts are possible.
    open: Vec<Cow<'f, GroundFormula>>,
    /// Variables that something is said of.
    vars: Vec<bool>,
    impossible: bool,
    grown: bool,
}

impl<'f> Possible<'f> {
    /// Everything.
    pub fn new(layout: Rc<Layout>) -> Self {
        Self {
            masks: layout.all.clone(),
            narrowed: Vec::new(),
            sums: Intervals::default(),
            pairs: Vec::new(),
            order: Vec::new(),
            opaque: HashMap::new(),
            open: Vec::new(),
            vars: vec![false; layout.starts.len()],
            layout,
            impossible: false,
            grown: false,
        }
    }

    /// Whether nothing is: what was told contradicts itself.
    pub const fn is_impossible(&self) -> bool {
        self.impossible || self.sums.impossible
    }

    /// The places of a variable's cells of which something is known, with the values that are left.
    pub fn narrowed(&self) -> impl Iterator<Item = (VarId, u64)> {
        self.narrowed.iter().map(|&place| (self.layout.vars[place], self.masks[place]))
    }

    pub fn mentions(&self, var: VarId) -> bool {
        self.vars[usize::from(var.0)]
    }

    fn restrict(&mut self, place: usize, values: u64) {
        let left = self.masks[place] & values;
        if left != self.masks[place] {
            if self.masks[place] == self.layout.all[place] {
                self.narrowed.push(place);
            }
            self.masks[place] = left;
            (self.impossible, self.grown) = (self.impossible || left == 0, true);
        }
    }

    /// Makes a formula known.
    pub fn tell(&mut self, formula: Cow<'f, GroundFormula>) {
        match &*formula {
            GroundFormula::Literal(atom, holds) => self.learn(atom, *holds),
            GroundFormula::All(parts) => (0..parts.len()).for_each(|at| self.tell(part(&formula, at))),
            GroundFormula::Any(_) => {
                self.open.push(formula);
                self.grown = true;
            }
        }
    }

    fn learn(&mut self, atom: &Atom, holds: bool) {
        for cell in atom.cells() {
            if let Some(said) = self.vars.get_mut(usize::from(cell.var.0)) {
                *said = true;
            }
        }
        if let Some((place, values)) = self.layout.masked(atom, holds) {
            return self.restrict(place, values);
        }
        if let Atom::Linear { sum, relation, integer } = atom {
            return self.sums.tell(sum, *relation, *integer, holds);
        }
        if let Some(truth) = self.truth_of(atom) {
            self.impossible |= truth != holds;
            return;
        }
        self.grown = true;
        if let Atom::Less(a, b) = atom {
            // Named processes differ.
            let processes = matches!((a, b), (GroundPoint::Process(_), GroundPoint::Process(_)));
            let (a, b) = (a.clone(), b.clone());
            self.order.push(if holds { (a, b, true) } else { (b, a, processes) });
            return;
        }
        if let Atom::Equal(a, b) = atom
            && let (Some(a), Some(b)) = (self.layout.point(a), self.layout.point(b))
        {
            self.pairs.push((a, b, holds));
            return;
        }
        self.opaque.insert(atom.clone(), holds);
    }

    /// Whether a formula holds in all states that are possible, or in none.
    pub fn truth(&self, formula: &GroundFormula) -> Option<bool> {
        let several = |parts: &[GroundFormula], decisive: bool| {
            let mut known = Some(!decisive);
            for part in parts {
                match self.truth(part) {
                    Some(truth) if truth == decisive => return Some(decisive),
                    Some(_) => {}
                    None => known = None,
                }
            }
            known
        };
        match formula {
            GroundFormula::Literal(atom, holds) => self.truth_of(atom).map(|it| it == *holds),
            GroundFormula::All(parts) => several(parts, false),
            GroundFormula::Any(parts) => several(parts, true),
        }
    }

    fn truth_of(&self, atom: &Atom) -> Option<bool> {
        if let Some((place, values)) = self.layout.masked(atom, true) {
            return self.is_in(place, values);
        }
        match atom {
            Atom::Linear { sum, relation, .. } => self.sums.truth(sum, *relation),
            Atom::Equal(a, b) => {
                let (Some(a), Some(b)) = (self.layout.point(a), self.layout.point(b)) else {
                    return self.opaque.get(atom).copied();
                };
                self.are_equal(a, b)
            }
            Atom::Less(a, b) => match (self.is_before(a, b), self.is_before(b, a)) {
                (Some(true), _) => Some(true),
                (_, Some(_)) => Some(false),
                _ => None,
            },
            Atom::In(..) => self.opaque.get(atom).copied(),
        }
    }

    fn is_in(&self, place: usize, values: u64) -> Option<bool> {
        let left = self.masks[place];
        if left & values == 0 {
            return Some(false);
        }
        (left & !values == 0).then_some(true)
    }

    /// The only value of a place, if it is a constructor or a named process.
    fn value(&self, place: usize) -> Option<u64> {
        Some(self.masks[place]).filter(|left| left.is_power_of_two() && *left != OTHER)
    }

    fn are_equal(&self, a: usize, b: usize) -> Option<bool> {
        if self.masks[a] & self.masks[b] == 0 {
            return Some(false);
        }
        if a == b || self.value(a).is_some() && self.value(a) == self.value(b) {
            return Some(true);
        }
        if self.pairs.is_empty() {
            return None;
        }
        let (like_a, like_b) = (self.like(a), self.like(b));
        if like_a.contains(&b) {
            return Some(true);
        }
        let apart = |x: &usize, y: &usize| like_a.contains(x) && like_b.contains(y);
        let differ = self.pairs.iter().any(|(x, y, equal)| !equal && (apart(x, y) || apart(y, x)));
        differ.then_some(false)
    }

    /// Whether one point comes before another one by what is said of the order, or (`Some(false)`) one of these is so: it does or they are the same.
    fn is_before(&self, a: &GroundPoint, b: &GroundPoint) -> Option<bool> {
        // The points reached from the first one, and whether these come after it.
        let mut reached = vec![(a, false)];
        let mut at = 0;
        while let Some(&(from, after)) = reached.get(at) {
            for (x, y, strict) in &self.order {
                let next = (y, after || *strict);
                if x == from && !reached.contains(&next) && !reached.contains(&(y, true)) {
                    reached.push(next);
                }
            }
            at += 1;
        }
        let of = |strict: bool| reached[1..].contains(&(b, strict));
        if of(true) { Some(true) } else { of(false).then_some(false) }
    }

    /// The places that equations say to hold the same as one.
    fn like(&self, place: usize) -> Vec<usize> {
        let mut like = vec![place];
        let mut at = 0;
        while let Some(&one) = like.get(at) {
            for &(x, y, equal) in &self.pairs {
                let other = if x == one { y } else { x };
                if equal && (x == one || y == one) && !like.contains(&other) {
                    like.push(other);
                }
            }
            at += 1;
        }
        like
    }

    /// Excludes what follows from what was told.
    pub fn propagate(&mut self) {
        for _ in 0..MOST_ROUNDS {
            if self.is_impossible() || !(self.grown | self.sums.take_grown()) {
                return;
            }
            self.grown = false;
            for at in 0..self.pairs.len() {
                let (a, b, equal) = self.pairs[at];
                self.compare(a, b, equal);
            }
            self.sums.add_up();
            for formula in std::mem::take(&mut self.open) {
                self.reconsider(formula);
                if self.is_impossible() {
                    return;
                }
            }
        }
    }

    /// Excludes what an equation or its negation does.
    fn compare(&mut self, a: usize, b: usize, equal: bool) {
        if equal {
            let both = self.masks[a] & self.masks[b];
            self.restrict(a, both);
            self.restrict(b, both);
        } else {
            self.impossible |= self.are_equal(a, b) == Some(true);
            for (one, other) in [(a, b), (b, a)] {
                if let Some(value) = self.value(one) {
                    self.restrict(other, !value);
                }
            }
        }
    }

    /// Makes known what is left of a disjunction.
    fn reconsider(&mut self, formula: Cow<'f, GroundFormula>) {
        let GroundFormula::Any(parts) = &*formula else { unreachable!("a disjunction") };
        let mut left = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            match self.truth(part) {
                Some(true) => return,
                Some(false) => {}
                None => left.push(at),
            }
        }
        match left[..] {
            [] => self.impossible = true,
            [only] => self.tell(part(&formula, only)),
            _ => {
                // All that is left is about the same cell.
                let of = |at: &usize| match &parts[*at] {
                    GroundFormula::Literal(atom, holds) => self.layout.masked(atom, *holds),
                    _ => None,
                };
                let masks: Option<Vec<(usize, u64)>> = left.iter().map(of).collect();
                if let Some(masks) = masks
                    && masks.iter().all(|it| it.0 == masks[0].0)
                {
                    return self.restrict(masks[0].0, masks.iter().fold(0, |all, it| all | it.1));
                }
                self.open.push(formula);
            }
        }
    }

    /// Whether nothing is possible, by distinguishing cases where that is not plain: one step of `steps` for each. `narrow` may tell more
    /// that holds in the state.
    pub fn refutes(mut self, steps: &mut usize, narrow: &mut Narrow<'_, 'f>) -> bool {
        self.propagate();
        if self.is_impossible() {
            return true;
        }
        let matters = narrow(&mut self);
        if self.is_impossible() {
            return true;
        }
        let open_parts = |formula: &GroundFormula| match formula {
            GroundFormula::Any(parts) => parts.iter().filter(|it| self.truth(it).is_none()).count(),
            _ => unreachable!("a disjunction"),
        };
        let least = (0..self.open.len()).min_by_key(|at| open_parts(&self.open[*at]));
        let Some(left) = steps.checked_sub(1) else { return false };
        *steps = left;
        let Some(at) = least else {
            return match (self.cell_to_distinguish(), matters) {
                (Some(place), _) => {
                    let values = (0..64).map(|value| 1 << value).filter(|it| self.masks[place] & it != 0);
                    values.into_iter().all(|value| {
                        let mut case = self.clone();
                        case.restrict(place, value);
                        case.refutes(steps, narrow)
                    })
                }
                (None, Some(literal)) => [literal.clone(), literal.not()].into_iter().all(|literal| {
                    let mut case = self.clone();
                    case.tell(Cow::Owned(literal));
                    case.refutes(steps, narrow)
                }),
                (None, None) => false,
            };
        };
        let formula = self.open.swap_remove(at);
        let GroundFormula::Any(parts) = &*formula else { unreachable!("a disjunction") };
        for (at, one) in parts.iter().enumerate() {
            if self.truth(one) == Some(false) {
                continue;
            }
            let mut case = self.clone();
            case.tell(part(&formula, at));
            if !case.refutes(steps, narrow) {
                return false;
            }
            // From here on this part does not hold.
            self.tell(Cow::Owned(one.clone().not()));
            self.propagate();
            if self.is_impossible() {
                return true;
            }
        }
        true
    }

    /// A cell of few values that is compared with another one.
    fn cell_to_distinguish(&self) -> Option<usize> {
        let few = |place: &usize| (2..=FEW_VALUES).contains(&self.masks[*place].count_ones());
        let cells = self.pairs.iter().flat_map(|(a, b, _)| [*a, *b]).filter(few);
        cells.min_by_key(|place| self.masks[*place].count_ones())
    }

    /// Whether a literal at these processes holds in all states that are possible, or in none.
    pub fn holds(&self, reader: GroundReader<'_>, literal: &Literal, names: &[u8]) -> Option<bool> {
        let process = |p: ProcRef| p.of(names);
        let place = |cell: &Cell| self.layout.at(cell.var, cell.index.iter().map(|&p| process(p)));
        match literal {
            Literal::In { cell, values } => self.is_in(place(cell)?, *values),
            _ if let Some((cell, p, holds)) = literal.pointed() => {
                let p = process(p);
                if p >= self.layout.procs {
                    return None;
                }
                self.is_in(place(cell)?, 1 << p).map(|it| it == holds)
            }
            // Without a step there is no arithmetic that could overflow.
            _ => self.truth(&reader.literal(literal, names, Reading::Now).ok()?),
        }
    }
}

/// A part of a conjunction or disjunction.
fn part<'f>(formula: &Cow<'f, GroundFormula>, at: usize) -> Cow<'f, GroundFormula> {
    match formula {
        Cow::Borrowed(GroundFormula::All(parts) | GroundFormula::Any(parts)) => Cow::Borrowed(&parts[at]),
        Cow::Owned(GroundFormula::All(parts) | GroundFormula::Any(parts)) => Cow::Owned(parts[at].clone()),
        _ => unreachable!("it has parts"),
    }
}
