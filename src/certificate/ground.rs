//! Ground formulas: model formulas read in one state of an instance with few, named processes, and in the
//! state after a step, as a formula over the state before it.
//!
//! Process number p of a case is the constant `#(p+1)` when p is rigid, and an arbitrary other process
//! otherwise; different numbers are different processes.

use smallvec::SmallVec;

use cubicle_lang::model::{
    Assignment, Branch, Cell, Dnf, Forbidden, Linear, Literal, Rational, Relation, System, Term, Transition,
    Type, VarId,
};

/// A number left the 64-bit range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overflow;

/// What a ground cell stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CellRole {
    /// The cell itself, in the state before a step.
    Held,
    /// Its value after the step, where no formula over the state before gives it: the one that `:= ?` chose, or that of a count.
    After,
    /// What the cell adds up to over the unnamed processes of a class, of which the index names one. Where the cell is
    /// not a cell of these, the last index is that process.
    Total,
    /// No cell but an integer unknown of a case.
    Whole,
    /// No cell but a real unknown of a case.
    Fraction,
}

/// A cell at named processes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GroundCell {
    /// Which variable; [`UNKNOWN`] for an unknown.
    pub var: VarId,
    /// One process per index.
    pub index: SmallVec<[u8; 4]>,
    pub role: CellRole,
}

/// The variable of all unknowns, which no system has.
pub const UNKNOWN: VarId = VarId(u16::MAX);

impl GroundCell {
    pub fn ty(&self, system: &System) -> Type {
        match self.role {
            CellRole::Whole => Type::Int,
            CellRole::Fraction => Type::Real,
            CellRole::Held | CellRole::After | CellRole::Total => system.var(self.var).ty,
        }
    }

    /// A name for it, with this text for its index.
    pub fn name(&self, system: &System, index: &str) -> String {
        let name = if self.var == UNKNOWN { "#unknown" } else { &system.var(self.var).name };
        let role = match self.role {
            CellRole::Held | CellRole::Whole => "",
            CellRole::After => "'",
            CellRole::Total => " total",
            CellRole::Fraction => " real",
        };
        format!("{name}{index}{role}")
    }
}

/// A process, or the value of a cell that is not a number.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum GroundPoint {
    Process(u8),
    /// The value of an enum, proc or abstract cell.
    Place(GroundCell),
}

pub type GroundSum = Linear<GroundCell>;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Atom {
    /// The enum cell holds one of these constructors; not none and not all of them.
    In(GroundCell, u64),
    /// Equality; the smaller side on the left.
    Equal(GroundPoint, GroundPoint),
    /// Strict process order.
    Less(GroundPoint, GroundPoint),
    /// Arithmetic; the first coefficient is positive.
    Linear {
        /// Compared with zero.
        sum: GroundSum,
        /// Not `<>`.
        relation: Relation,
        /// Whether the cells are integers.
        integer: bool,
    },
}

/// A formula in negation normal form.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum GroundFormula {
    /// An atom, or (false) its negation.
    Literal(Atom, bool),
    /// Conjunction; empty is true.
    All(Vec<GroundFormula>),
    /// Disjunction; empty is false.
    Any(Vec<GroundFormula>),
}

impl Atom {
    /// Whether it is about this process or its cells.
    pub fn mentions(&self, process: u8) -> bool {
        let is = |point: &GroundPoint| *point == GroundPoint::Process(process);
        let named = match self {
            Self::Equal(a, b) | Self::Less(a, b) => is(a) || is(b),
            Self::In(..) | Self::Linear { .. } => false,
        };
        named || self.cells().into_iter().any(|cell| cell.index.contains(&process))
    }

    pub fn cells(&self) -> Vec<&GroundCell> {
        let point = |point| match point {
            &GroundPoint::Process(_) => None,
            GroundPoint::Place(place) => Some(place),
        };
        match self {
            Self::In(place, _) => vec![place],
            Self::Equal(a, b) | Self::Less(a, b) => point(a).into_iter().chain(point(b)).collect(),
            Self::Linear { sum, .. } => sum.terms.iter().map(|(place, _)| place).collect(),
        }
    }
}

impl GroundFormula {
    pub const TRUE: Self = Self::All(Vec::new());
    pub const FALSE: Self = Self::Any(Vec::new());

    pub fn truth(holds: bool) -> Self {
        if holds { Self::TRUE } else { Self::FALSE }
    }

    /// Conjunction, flattened.
    pub fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::joined(parts, true)
    }

    /// Disjunction, flattened.
    pub fn any(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::joined(parts, false)
    }

    fn joined(parts: impl IntoIterator<Item = Self>, all: bool) -> Self {
        let parts = parts.into_iter();
        let mut flat = Vec::with_capacity(parts.size_hint().0);
        for part in parts {
            match (part, all) {
                (Self::All(inner), true) | (Self::Any(inner), false) => flat.extend(inner),
                (Self::Any(inner), true) if inner.is_empty() => return Self::FALSE,
                (Self::All(inner), false) if inner.is_empty() => return Self::TRUE,
                (other, _) => flat.push(other),
            }
        }
        match flat.len() {
            1 => flat.remove(0),
            _ if all => Self::All(flat),
            _ => Self::Any(flat),
        }
    }

    #[must_use]
    pub fn not(self) -> Self {
        match self {
            Self::Literal(atom, holds) => Self::Literal(atom, !holds),
            Self::All(parts) => Self::any(parts.into_iter().map(Self::not)),
            Self::Any(parts) => Self::all(parts.into_iter().map(Self::not)),
        }
    }

    /// An equivalent formula where each enum cell holds one of the constructors that `possible` says.
    #[must_use]
    pub fn given(self, possible: &dyn Fn(&GroundCell) -> u64) -> Self {
        self.map(&|atom, holds| match &atom {
            Atom::In(cell, values) => match possible(cell) {
                some if some & !values == 0 => Self::truth(holds),
                some if some & values == 0 => Self::truth(!holds),
                _ => Self::Literal(atom, holds),
            },
            _ => Self::Literal(atom, holds),
        })
    }

    /// The formula with others in place of its literals.
    #[must_use]
    pub fn map(self, literal: &dyn Fn(Atom, bool) -> Self) -> Self {
        match self {
            Self::Literal(atom, holds) => literal(atom, holds),
            Self::All(parts) => Self::all(parts.into_iter().map(|part| part.map(literal))),
            Self::Any(parts) => Self::any(parts.into_iter().map(|part| part.map(literal))),
        }
    }

    /// Calls `visit` with each atom, repetitions included.
    pub fn atoms<'f>(&'f self, visit: &mut dyn FnMut(&'f Atom)) {
        match self {
            Self::Literal(atom, _) => visit(atom),
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.atoms(visit)),
        }
    }

    /// Whether an atom is so.
    pub fn some_atom(&self, test: &dyn Fn(&Atom) -> bool) -> bool {
        match self {
            Self::Literal(atom, _) => test(atom),
            Self::All(parts) | Self::Any(parts) => parts.iter().any(|part| part.some_atom(test)),
        }
    }

    pub fn conjuncts(&self) -> &[Self] {
        match self {
            Self::All(parts) => parts,
            other => std::slice::from_ref(other),
        }
    }
}

#[derive(Clone, Debug)]
pub enum GroundValue {
    /// Of an enum.
    Constructor(u8),
    /// A process, or what a cell holds.
    Point(GroundPoint),
    Sum(GroundSum),
}

/// The state in which formulas are read.
#[derive(Clone, Copy, Debug)]
pub enum Reading<'a> {
    /// The state itself.
    Now,
    /// The state after a transition with these arguments.
    After(&'a Transition, &'a [u8]),
}

impl Reading<'_> {
    /// Whether cells of this variable are read in the state itself.
    fn keeps(&self, var: VarId) -> bool {
        match self {
            Self::Now => true,
            Self::After(transition, _) => transition.updates.iter().all(|update| update.var != var),
        }
    }
}

/// The values that something may have, each under its condition. The conditions exclude each other, and one holds.
pub type GroundValues = Vec<(GroundFormula, GroundValue)>;

/// Reads formulas of a system.
#[derive(Clone, Copy, Debug)]
pub struct GroundReader<'a> {
    system: &'a System,
}

impl<'a> GroundReader<'a> {
    pub const fn new(system: &'a System) -> Self {
        Self { system }
    }

    /// All constructors of an enum variable, as a set.
    pub fn constructors(self, var: VarId) -> u64 {
        self.system.all_values(self.system.var(var).ty)
    }

    /// A conjunction; `names` are the processes of its variables.
    pub fn conj(
        self,
        conj: &[Literal],
        names: &[u8],
        reading: Reading<'_>,
    ) -> Result<GroundFormula, Overflow> {
        let mut parts = Vec::with_capacity(conj.len());
        for literal in conj {
            let part = self.literal(literal, names, reading)?;
            if part == GroundFormula::FALSE {
                return Ok(part);
            }
            parts.push(part);
        }
        Ok(GroundFormula::all(parts))
    }

    /// Whether a process is what no process is beside those `named` where a claim forbids a state.
    pub fn is_other(
        self,
        claim: &Forbidden,
        named: &[u8],
        process: u8,
        reading: Reading<'_>,
    ) -> Result<GroundFormula, Overflow> {
        let names = [named, &[process]].concat();
        let each: Result<Vec<_>, _> = claim.others.iter().map(|it| self.conj(it, &names, reading)).collect();
        Ok(GroundFormula::any(each?))
    }

    /// For each of the first `procs` processes but those `named`, that it is what no process is beside these where a claim forbids a state.
    pub fn others(
        self,
        claim: &Forbidden,
        named: &[u8],
        procs: u8,
        reading: Reading<'_>,
    ) -> Result<Vec<GroundFormula>, Overflow> {
        let others = if claim.others.is_empty() { 0 } else { procs };
        let others = (0..others).filter(|it| !named.contains(it));
        others.map(|it| self.is_other(claim, named, it, reading)).collect()
    }

    /// What an instance of a claim says of the first `procs` processes: its cube does not hold, or one of them is what it says that no other
    /// process is.
    pub fn excluded(self, claim: &Forbidden, named: &[u8], procs: u8) -> Result<GroundFormula, Overflow> {
        let others = self.others(claim, named, procs, Reading::Now)?;
        let denied = self.conj(&claim.cube, named, Reading::Now)?.not();
        Ok(GroundFormula::any(std::iter::once(denied).chain(others)))
    }

    pub fn dnf(self, dnf: &Dnf, names: &[u8], reading: Reading<'_>) -> Result<GroundFormula, Overflow> {
        let parts: Result<Vec<_>, _> = dnf.0.iter().map(|conj| self.conj(conj, names, reading)).collect();
        Ok(GroundFormula::any(parts?))
    }

    pub fn literal(
        self,
        literal: &Literal,
        names: &[u8],
        reading: Reading<'_>,
    ) -> Result<GroundFormula, Overflow> {
        match literal {
            Literal::In { cell, values } if reading.keeps(cell.var) => {
                Ok(self.member(&GroundValue::Point(GroundPoint::Place(place(cell, names))), *values))
            }
            Literal::In { cell, values } => {
                let ways = self.cell(cell, names, reading)?;
                Ok(choose(ways, &|value| self.member(value, *values)))
            }
            Literal::Eq { left, right, negated } => {
                let equal = self.pairs(left, right, names, reading, &|a, b| self.equal(a, b))?;
                Ok(if *negated { equal.not() } else { equal })
            }
            Literal::Less { left, right, strict } => {
                let (first, second) = if *strict { (left, right) } else { (right, left) };
                let less = self.pairs(first, second, names, reading, &|a, b| self.less(a, b))?;
                Ok(if *strict { less } else { less.not() })
            }
            Literal::Linear { expr, relation, integer } => {
                let mut parts = Vec::new();
                for (when, sum) in self.linear(expr, names, reading)? {
                    parts.push(GroundFormula::all([when, compare(sum, *relation, *integer)?]));
                }
                Ok(GroundFormula::any(parts))
            }
        }
    }

    /// The values that a linear expression may have. The conditions exclude each other, and one holds.
    pub fn linear(
        self,
        expr: &Linear,
        names: &[u8],
        reading: Reading<'_>,
    ) -> Result<Vec<(GroundFormula, GroundSum)>, Overflow> {
        let mut ways = vec![(GroundFormula::TRUE, GroundSum::number(expr.constant))];
        for (cell, coefficient) in &expr.terms {
            let mut next = Vec::new();
            for (when, value) in self.cell(cell, names, reading)? {
                let GroundValue::Sum(value) = value else { unreachable!("a numeric cell") };
                for (before, sum) in &ways {
                    let both = GroundFormula::all([before.clone(), when.clone()]);
                    if both != GroundFormula::FALSE {
                        next.push((both, plus(sum, *coefficient, &value)?));
                    }
                }
            }
            ways = next;
        }
        Ok(ways)
    }

    fn pairs(
        self,
        left: &Term,
        right: &Term,
        names: &[u8],
        reading: Reading<'_>,
        test: &dyn Fn(GroundValue, GroundValue) -> GroundFormula,
    ) -> Result<GroundFormula, Overflow> {
        let rights = self.term(right, names, reading)?;
        let mut parts = Vec::new();
        for (when, a) in self.term(left, names, reading)? {
            for (also, b) in &rights {
                if when == GroundFormula::TRUE && *also == GroundFormula::TRUE {
                    parts.push(test(a.clone(), b.clone()));
                    continue;
                }
                let condition = GroundFormula::all([when.clone(), also.clone()]);
                parts.push(GroundFormula::all([condition, test(a.clone(), b.clone())]));
            }
        }
        Ok(GroundFormula::any(parts))
    }

    /// The values that a term may have, each under its condition.
    fn term(self, term: &Term, names: &[u8], reading: Reading<'_>) -> Result<GroundValues, Overflow> {
        Ok(match term {
            Term::Constructor(c) => vec![(GroundFormula::TRUE, GroundValue::Constructor(*c))],
            Term::Proc(p) => {
                vec![(GroundFormula::TRUE, GroundValue::Point(GroundPoint::Process(p.of(names))))]
            }
            Term::Cell(cell) => return self.cell(cell, names, reading),
            Term::Linear(linear) => {
                let ways = self.linear(linear, names, reading)?;
                ways.into_iter().map(|(when, sum)| (when, GroundValue::Sum(sum))).collect()
            }
        })
    }

    /// The values that a cell may have: one now, those of the branches of its update after a step.
    fn cell(self, cell: &Cell, names: &[u8], reading: Reading<'_>) -> Result<GroundValues, Overflow> {
        let place = place(cell, names);
        let held = |role| Ok(vec![(GroundFormula::TRUE, self.value(GroundCell { role, ..place.clone() }))]);
        let Reading::After(transition, args) = reading else { return held(CellRole::Held) };
        if self.system.count_of(cell.var).is_some() && self.system.may_change(transition, cell.var) {
            return held(CellRole::After);
        }
        match transition.updates.iter().find(|update| update.var == cell.var).map(|u| &u.assignment) {
            None => held(CellRole::Held),
            Some(Assignment::Nondet) => held(CellRole::After),
            Some(Assignment::Cases(branches)) => {
                let names: Vec<u8> = args.iter().chain(&place.index).copied().collect();
                self.branches(branches, &names)
            }
        }
    }

    /// The values of branches: the first one whose condition holds counts.
    fn branches(self, branches: &[Branch], names: &[u8]) -> Result<GroundValues, Overflow> {
        let mut ways = Vec::new();
        let mut unmatched = GroundFormula::TRUE;
        for branch in branches {
            let when = self.dnf(&branch.when, names, Reading::Now)?;
            if when == GroundFormula::FALSE {
                continue;
            }
            let here = GroundFormula::all([unmatched.clone(), when.clone()]);
            if here != GroundFormula::FALSE {
                for (also, value) in self.term(&branch.value, names, Reading::Now)? {
                    let both = GroundFormula::all([here.clone(), also]);
                    if both != GroundFormula::FALSE {
                        ways.push((both, value));
                    }
                }
            }
            unmatched = GroundFormula::all([unmatched, when.not()]);
            if unmatched == GroundFormula::FALSE {
                break;
            }
        }
        Ok(ways)
    }

    /// The value of a cell in the state itself.
    fn value(self, place: GroundCell) -> GroundValue {
        if self.system.var(place.var).ty.is_numeric() {
            GroundValue::Sum(GroundSum::of(place))
        } else {
            GroundValue::Point(GroundPoint::Place(place))
        }
    }

    fn member(self, value: &GroundValue, values: u64) -> GroundFormula {
        match value {
            GroundValue::Constructor(c) => GroundFormula::truth(values >> c & 1 == 1),
            GroundValue::Point(GroundPoint::Place(place)) => {
                let all = self.constructors(place.var);
                match values & all {
                    0 => GroundFormula::FALSE,
                    some if some == all => GroundFormula::TRUE,
                    some => GroundFormula::Literal(Atom::In(place.clone(), some), true),
                }
            }
            GroundValue::Point(GroundPoint::Process(_)) | GroundValue::Sum(_) => unreachable!("an enum cell"),
        }
    }

    fn equal(self, left: GroundValue, right: GroundValue) -> GroundFormula {
        match (left, right) {
            (GroundValue::Constructor(a), GroundValue::Constructor(b)) => GroundFormula::truth(a == b),
            (GroundValue::Constructor(c), value @ GroundValue::Point(_))
            | (value @ GroundValue::Point(_), GroundValue::Constructor(c)) => self.member(&value, 1 << c),
            (GroundValue::Point(a), GroundValue::Point(b)) => match (&a, &b) {
                (GroundPoint::Process(p), GroundPoint::Process(q)) => GroundFormula::truth(p == q),
                _ if a == b => GroundFormula::TRUE,
                _ if a < b => GroundFormula::Literal(Atom::Equal(a, b), true),
                _ => GroundFormula::Literal(Atom::Equal(b, a), true),
            },
            (GroundValue::Sum(_), _) | (_, GroundValue::Sum(_)) => {
                unreachable!("numbers are compared as sums")
            }
        }
    }

    fn less(self, left: GroundValue, right: GroundValue) -> GroundFormula {
        let (GroundValue::Point(a), GroundValue::Point(b)) = (left, right) else {
            unreachable!("processes are ordered")
        };
        let rigid = self.system.proc_constants;
        match (&a, &b) {
            _ if a == b => GroundFormula::FALSE,
            // The constants come first, in order.
            (GroundPoint::Process(p), GroundPoint::Process(q)) if *p < rigid || *q < rigid => {
                GroundFormula::truth(p < q)
            }
            // The order is total and they differ: one atom is enough for the pair.
            (GroundPoint::Process(p), GroundPoint::Process(q)) if p > q => {
                GroundFormula::Literal(Atom::Less(b, a), false)
            }
            _ => GroundFormula::Literal(Atom::Less(a, b), true),
        }
    }
}

fn place(cell: &Cell, names: &[u8]) -> GroundCell {
    let index = cell.index.iter().map(|&p| p.of(names)).collect();
    GroundCell { var: cell.var, index, role: CellRole::Held }
}

fn choose(ways: GroundValues, test: &dyn Fn(&GroundValue) -> GroundFormula) -> GroundFormula {
    GroundFormula::any(ways.into_iter().map(|(when, value)| GroundFormula::all([when, test(&value)])))
}

/// `sum + coefficient * other`.
pub fn plus<C: Clone + Ord>(
    sum: &Linear<C>,
    coefficient: Rational,
    other: &Linear<C>,
) -> Result<Linear<C>, Overflow> {
    sum.add_scaled(coefficient, other).ok_or(Overflow)
}

/// `sum relation 0` with a positive first coefficient and a relation that is not `<>`, or (false) the negation of that; for a number, whether it
/// holds.
pub fn oriented<C>(mut sum: Linear<C>, relation: Relation) -> Result<(Linear<C>, Relation, bool), bool> {
    let first = sum.terms.first().ok_or(relation.holds(sum.constant))?;
    let flip = first.1.signum() < 0;
    if flip {
        sum.terms.iter_mut().for_each(|term| term.1 = term.1.neg());
        sum.constant = sum.constant.neg();
    }
    // -e <= 0 is not (e < 0), and -e < 0 is not (e <= 0).
    let (relation, holds) = match (relation, flip) {
        (Relation::Ne, _) => (Relation::Eq, false),
        (Relation::Le, true) => (Relation::Lt, false),
        (Relation::Lt, true) => (Relation::Le, false),
        (same, _) => (same, true),
    };
    Ok((sum, relation, holds))
}

/// `sum relation 0` with a positive first coefficient, or its truth.
pub fn compare(sum: GroundSum, relation: Relation, integer: bool) -> Result<GroundFormula, Overflow> {
    let (mut sum, mut relation, holds) = match oriented(sum, relation) {
        Ok(found) => found,
        Err(truth) => return Ok(GroundFormula::truth(truth)),
    };
    if integer && relation == Relation::Lt {
        sum.constant = sum.constant.add(Rational::ONE).ok_or(Overflow)?;
        relation = Relation::Le;
    }
    Ok(GroundFormula::Literal(Atom::Linear { sum, relation, integer }, holds))
}
