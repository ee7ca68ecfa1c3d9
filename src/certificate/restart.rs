//! The system of `crash restart`: any process may go back to initial values at any moment.
//!
//! *What it means.* `restart (p)` changes own cells of p only: those whose first index is p, of arrays that some transition assigns.
//! Let `init` be a disjunction of forms. Afterwards some form holds at each tuple of processes, restricted to the literals that
//! count: those about own cells of p, read after the restart, and those about cells that no transition assigns.
//!
//! *The derived system* has all of these steps, and maybe more. A certificate that holds for more steps holds for these.
//!
//! - Only the tuple that is p everywhere is used, and for the cells `M[p, q]` one more tuple with p and q. Each requires one form,
//!   and the requirements of other tuples are left out.
//! - In the form at p, the values of own enum cells are enumerated; the other own cells get the value of an equation. With these
//!   values substituted, the literals that count are the guard: the step does not change what they read. Literals that read an own
//!   array at a constant process `#k` are left out, for p may be that one.
//! - Literals that read a count of what some transition assigns are left out: they are about the state after the step.
//! - `M[p, q]` gets the value that all forms agree on at the tuple with p and q.
//! - In a model with sorts, cells at processes of other sorts than those of the array's indices stay: nothing reads them.
//!
//! Where a cell is neither an enum cell nor in an equation, or there are too many ways, nothing is derived.

use std::collections::{BTreeMap, BTreeSet};

use super::added::{NotDerived, next_origin};
use cubicle_lang::model::{
    Assignment, Branch, Cell, Conj, Dnf, Linear, Literal, ProcRef, Rational, Relation, System, Term,
    Transition, Type, Update, VarId, VarKind, rename,
};

/// The most ways to go back.
const MOST_WAYS: usize = 1000;

/// The process, where it is the only parameter.
const OWN: ProcRef = ProcRef::Var(0);

/// The first and the second index of an update.
const FIRST: ProcRef = ProcRef::Var(1);
const SECOND: ProcRef = ProcRef::Var(2);

/// The values of own cells.
type Values = BTreeMap<Cell, Term>;

/// The system with a transition for each way to go back.
pub fn restarting(model: &System) -> Result<System, NotDerived> {
    let own = OwnCells::new(model)?;
    let mut rows = Vec::new();
    for &var in own.arrays.iter().filter(|var| model.var(**var).arity() == 2) {
        rows.push((var, own.row(var)?));
    }
    let mut ways: Vec<(Conj, Values)> = Vec::new();
    for form in &model.init.body.0 {
        let Some(form) = rename::conj(form, &|p| at(p, |_| OWN)).ok_or_else(too_large)? else { continue };
        let form: Conj = form.into_iter().filter(|literal| own.counts(literal)).collect();
        for way in own.ways(&form)? {
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
        if ways.len() > MOST_WAYS {
            return Err(too_many());
        }
    }
    let mut system = model.to_parts();
    let (origin, span) = (next_origin(model), model.init.span);
    system.transitions.extend(ways.into_iter().map(|(guard, values)| Transition {
        name: "restart".to_owned(),
        origin,
        params: vec!["p".to_owned()],
        hidden: 0,
        spans: vec![span; guard.len()],
        guard,
        universals: Vec::new(),
        updates: own.updates(&values, &rows),
        span,
    }));
    Ok(System::new(system))
}

fn too_large() -> NotDerived {
    NotDerived::TooHard("a number leaves the 64-bit range".to_owned())
}

fn too_many() -> NotDerived {
    NotDerived::TooHard(format!("`init` leaves more than {MOST_WAYS} ways for a process to go back"))
}

/// A process of a formula whose variables are these processes.
fn at(p: ProcRef, names: impl Fn(u8) -> ProcRef) -> ProcRef {
    match p {
        ProcRef::Var(v) => names(v),
        constant @ ProcRef::Const(_) => constant,
    }
}

/// The cells that a restart changes.
struct OwnCells<'a> {
    model: &'a System,
    /// Variables that some transition assigns.
    assigned: BTreeSet<VarId>,
    /// The arrays among them.
    arrays: Vec<VarId>,
    /// Counts of the assigned variables.
    counts: BTreeSet<VarId>,
}

impl<'a> OwnCells<'a> {
    fn new(model: &'a System) -> Result<Self, NotDerived> {
        let updates = model.transitions.iter().flat_map(|it| &it.updates);
        let assigned: BTreeSet<VarId> = updates.map(|it| it.var).collect();
        let is_array = |var: &VarId| matches!(model.var(*var).kind, VarKind::Array(_));
        let arrays: Vec<VarId> = assigned.iter().copied().filter(is_array).collect();
        if let Some(wide) = arrays.iter().map(|it| model.var(*it)).find(|it| it.arity() > 2) {
            let why = format!("`{}` has {} indices", wide.name, wide.arity());
            return Err(NotDerived::TooHard(why));
        }
        let changes = |var: &VarId| model.transitions.iter().any(|t| model.may_change(t, *var));
        let counts = model.counts.iter().map(|it| it.var).filter(changes).collect();
        Ok(Self { model, assigned, arrays, counts })
    }

    /// The own cell of an array at p alone.
    fn diagonal(&self, var: VarId) -> Cell {
        Cell { var, index: std::iter::repeat_n(OWN, self.model.var(var).arity()).collect() }
    }

    fn is_diagonal(&self, cell: &Cell) -> bool {
        self.arrays.contains(&cell.var) && cell.index.iter().all(|p| *p == OWN)
    }

    /// Whether a literal over p alone counts, and the step keeps all that it reads beside diagonal cells.
    fn counts(&self, literal: &Literal) -> bool {
        let cells = literal.cells();
        let other_own = |cell: &&Cell| self.arrays.contains(&cell.var) && !self.is_diagonal(cell);
        if cells.iter().any(|cell| other_own(cell) || self.counts.contains(&cell.var)) {
            return false;
        }
        cells.iter().any(|it| self.is_diagonal(it)) || !cells.iter().any(|it| self.assigned.contains(&it.var))
    }

    /// The guards and values of the ways that a form leaves, of which all literals count.
    fn ways(&self, form: &Conj) -> Result<Vec<(Conj, Values)>, NotDerived> {
        let mut ways: Vec<Values> = vec![Values::new()];
        for &var in &self.arrays {
            if self.is_strange(form, &self.diagonal(var)) {
                continue;
            }
            let Type::Enum(ty) = self.model.var(var).ty else { continue };
            let cell = self.diagonal(var);
            let mut allowed = self.model.enumeration(ty).all();
            for literal in form {
                match literal {
                    Literal::In { cell: said, values } if *said == cell => allowed &= values,
                    _ => {}
                }
            }
            let constructors: Vec<u8> = (0..64).filter(|c| allowed >> c & 1 == 1).collect();
            let mut next = Vec::new();
            for (way, c) in ways.iter().flat_map(|way| constructors.iter().map(move |c| (way, *c))) {
                let mut more = way.clone();
                more.insert(cell.clone(), Term::Constructor(c));
                if form.iter().all(|literal| !is_denied(literal, &more)) {
                    next.push(more);
                }
                if next.len() > MOST_WAYS {
                    return Err(too_many());
                }
            }
            ways = next;
        }
        let mut found = Vec::new();
        for mut values in ways {
            self.solve(form, &mut values)?;
            let mut guard = Conj::new();
            for literal in
                form.iter().filter(|it| !matches!(it, Literal::In { cell, .. } if self.is_diagonal(cell)))
            {
                guard.push(put(literal, &values).ok_or_else(too_large)?);
            }
            guard.retain(|literal| !is_trivial(literal));
            found.push((guard, values));
        }
        Ok(found)
    }

    /// Finds values for the own cells of other types, by the equations of the form.
    fn solve(&self, form: &Conj, values: &mut Values) -> Result<(), NotDerived> {
        let mut open: Vec<Cell> = (self.arrays.iter().map(|var| self.diagonal(*var)))
            .filter(|cell| !values.contains_key(cell) && !self.is_strange(form, cell))
            .collect();
        while !open.is_empty() {
            let known = open.len();
            let mut left = Vec::new();
            for cell in open {
                let value = form.iter().find_map(|literal| {
                    let literal = put(literal, values)?;
                    equation(&literal, &cell)
                        .filter(|value| !term_cells(value).iter().any(|it| self.is_diagonal(it)))
                });
                match value {
                    Some(value) => drop(values.insert(cell, value)),
                    None => left.push(cell),
                }
            }
            if left.len() == known {
                let name = &self.model.var(left[0].var).name;
                return Err(NotDerived::TooHard(format!("no equation of `init` determines `{name}`")));
            }
            open = left;
        }
        Ok(())
    }

    /// The value of the cells of a row where the second index is another process, in the names of an update.
    fn row(&self, var: VarId) -> Result<Term, NotDerived> {
        let cell = Cell { var, index: [OWN, SECOND].into_iter().collect() };
        'other: for other in 0..self.model.init.params {
            let mut value = None;
            for form in &self.model.init.body.0 {
                let names = |v: u8| if v == other { SECOND } else { OWN };
                let Some(form) = rename::conj(form, &|p| at(p, names)).ok_or_else(too_large)? else {
                    continue;
                };
                if self.is_strange(&form, &cell) {
                    continue;
                }
                let Some(said) = form.iter().find_map(|literal| self.said(literal, &cell)) else {
                    continue 'other;
                };
                if value.get_or_insert_with(|| said.clone()) != &said {
                    continue 'other;
                }
            }
            if let Some(value) = value {
                return Ok(value);
            }
        }
        let name = &self.model.var(var).name;
        Err(NotDerived::TooHard(format!("`init` does not give the cells of a row of `{name}` one value")))
    }

    /// Whether a form is about processes of other sorts than those of the indices of a cell.
    fn is_strange(&self, form: &Conj, cell: &Cell) -> bool {
        let array = self.model.sort_array();
        cell.index.iter().enumerate().any(|(at, p)| {
            let sort = self.model.index_sort(cell.var, at);
            sort.is_some_and(|sort| {
                form.iter().any(|literal| match literal {
                    Literal::In { cell, values } => {
                        Some(cell.var) == array && cell.index[..] == [*p] && values >> sort & 1 == 0
                    }
                    _ => false,
                })
            })
        })
    }

    /// The value that the literal gives to the cell, when it uses only cells that the step does not change.
    fn said(&self, literal: &Literal, cell: &Cell) -> Option<Term> {
        let value = match literal {
            Literal::In { cell: said, values } if said == cell && values.is_power_of_two() => {
                Term::Constructor(values.trailing_zeros() as u8)
            }
            other => equation(other, cell)?,
        };
        let changed = |cell: &&Cell| self.arrays.contains(&cell.var) || self.counts.contains(&cell.var);
        (!term_cells(&value).iter().any(changed)).then_some(value)
    }

    /// Each own cell gets its value; all others stay.
    fn updates(&self, values: &Values, rows: &[(VarId, Term)]) -> Vec<Update> {
        let is = |p: ProcRef| Literal::Eq { left: Term::Proc(OWN), right: Term::Proc(p), negated: false };
        let update = |&var: &VarId| {
            let arity = self.model.var(var).arity();
            let index: Vec<ProcRef> = [FIRST, SECOND][..arity].to_vec();
            // The cells at processes of the sorts of the array.
            let of_sorts = |at: usize| {
                let array = self.model.sort_array().zip(self.model.index_sort(var, at));
                array.map(|(array, sort)| Literal::In {
                    cell: Cell { var: array, index: [index[at]].into_iter().collect() },
                    values: 1 << sort,
                })
            };
            let mut branches = Vec::new();
            if let Some(value) = values.get(&self.diagonal(var)) {
                let when = index.iter().map(|p| is(*p)).chain((0..arity).filter_map(of_sorts)).collect();
                branches.push(Branch { when: Dnf(vec![when]), value: value.clone() });
            }
            if let Some((_, value)) = rows.iter().find(|(row, _)| *row == var) {
                let when = std::iter::once(is(FIRST)).chain((0..arity).filter_map(of_sorts)).collect();
                branches.push(Branch { when: Dnf(vec![when]), value: value.clone() });
            }
            let kept = Cell { var, index: index.into_iter().collect() };
            let kept = if self.model.var(var).ty.is_numeric() {
                Term::Linear(Linear { terms: vec![(kept, Rational::ONE)], constant: Rational::ZERO })
            } else {
                Term::Cell(kept)
            };
            branches.push(Branch { when: Dnf::truth(), value: kept });
            Update { var, assignment: Assignment::Cases(branches) }
        };
        self.arrays.iter().map(update).collect()
    }
}

/// Whether values of enum cells make an equation between two of them false.
fn is_denied(literal: &Literal, values: &Values) -> bool {
    match literal {
        Literal::Eq { left: Term::Cell(left), right: Term::Cell(right), negated } => {
            match (values.get(left), values.get(right)) {
                (Some(left), Some(right)) => (left == right) == *negated,
                _ => false,
            }
        }
        _ => false,
    }
}

/// Whether a literal always holds.
fn is_trivial(literal: &Literal) -> bool {
    matches!(literal, Literal::Eq { left, right, negated: false } if left == right)
        || matches!(literal, Literal::Eq { left: Term::Constructor(a), right: Term::Constructor(b), negated: true } if a != b)
}

/// The literal with the values substituted; `None` when a number leaves the 64-bit range.
fn put(literal: &Literal, values: &Values) -> Option<Literal> {
    let term = |term: &Term| match term {
        Term::Cell(cell) => values.get(cell).unwrap_or(term).clone(),
        other => other.clone(),
    };
    Some(match literal {
        Literal::In { .. } => literal.clone(),
        Literal::Eq { left, right, negated } => {
            Literal::Eq { left: term(left), right: term(right), negated: *negated }
        }
        Literal::Less { left, right, strict } => {
            Literal::Less { left: term(left), right: term(right), strict: *strict }
        }
        Literal::Linear { expr, relation, integer } => {
            let mut sum = Linear { terms: Vec::new(), constant: expr.constant };
            for (cell, factor) in &expr.terms {
                let one = match values.get(cell) {
                    Some(Term::Linear(value)) => value.clone(),
                    _ => Linear { terms: vec![(cell.clone(), Rational::ONE)], constant: Rational::ZERO },
                };
                sum = sum.add_scaled(*factor, &one)?;
            }
            Literal::Linear { expr: sum, relation: *relation, integer: *integer }
        }
    })
}

/// The value that an equation gives to a cell.
fn equation(literal: &Literal, cell: &Cell) -> Option<Term> {
    let is = |term: &Term| matches!(term, Term::Cell(it) if it == cell);
    match literal {
        Literal::Eq { left, right, negated: false } if is(left) && !is(right) => Some(right.clone()),
        Literal::Eq { left, right, negated: false } if is(right) && !is(left) => Some(left.clone()),
        Literal::Linear { expr, relation: Relation::Eq, integer } => {
            let (_, factor) = expr.terms.iter().find(|(it, _)| it == cell)?;
            let is_unit = *factor == Rational::ONE || *factor == Rational::ONE.neg();
            if *integer && !is_unit {
                return None;
            }
            let rest = Linear {
                terms: expr.terms.iter().filter(|(it, _)| it != cell).cloned().collect(),
                constant: expr.constant,
            };
            let inverse = Rational::new(-i128::from(factor.den()), i128::from(factor.num()))?;
            Some(Term::Linear(rest.scaled(inverse)?))
        }
        _ => None,
    }
}

/// The cells that a term reads.
fn term_cells(term: &Term) -> Vec<&Cell> {
    match term {
        Term::Cell(cell) => vec![cell],
        Term::Linear(linear) => linear.terms.iter().map(|(cell, _)| cell).collect(),
        Term::Constructor(_) | Term::Proc(_) => Vec::new(),
    }
}
