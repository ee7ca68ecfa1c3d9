//! What a transition does to the columns, by cases of the finite values that matter to it.

use cubicle_lang::list::{add_new, extend_new, place_of};
use cubicle_lang::model::semantics::tuples;
use cubicle_lang::model::{
    Assignment, Branch, Cell, Conj, Count, Dnf, Linear, Literal, ProcRef, Rational, Relation, System, Term,
    Transition, Type, VarId, VarKind, negated,
};

use super::columns::{Column, Columns, PROCESSES, possible, values};
use super::limits::{MOST_CASES, MOST_CHOICES, MOST_COMPARED};
use super::span::{Row, equal};

/// A way to take a transition: an affine map of the columns. Columns after those of the system stand for numbers of which nothing is
/// known, such as the numeric cells of the parameters.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Case {
    /// What is zero before the step.
    pub zero: Vec<Row>,
    /// What is not negative before the step.
    pub least_zero: Vec<Row>,
    /// The parameters by class before the step: how many are in the classes of these columns.
    pub before: Vec<(usize, i64)>,
    /// The same after the step.
    pub after: Vec<(usize, i64)>,
    /// The columns that change, and their new values in terms of the old ones.
    pub changes: Vec<(usize, Row)>,
    /// The columns whose new values are not known.
    pub lost: Vec<usize>,
    /// How many unknown numbers there are.
    pub unknown: usize,
}

/// A cell at processes of a case: the parameters by their number, then one that is not a parameter.
type Place = (VarId, Vec<usize>);

/// A comparison of numbers of the parameters, and whether it holds.
type Compared = (Literal, bool);

/// What is known of finite cells, and of comparisons of numbers.
#[derive(Clone)]
struct Known<'a> {
    system: &'a System,
    cells: Vec<(Place, u64)>,
    compared: Vec<Compared>,
}

impl Known<'_> {
    fn set(&mut self, place: &Place, set: u64) {
        match self.cells.iter_mut().find(|it| it.0 == *place) {
            Some(known) => known.1 = set,
            None => self.cells.push((place.clone(), set)),
        }
    }

    fn values(&self, place: &Place) -> u64 {
        let known = self.cells.iter().find(|it| it.0 == *place);
        known.map_or_else(|| possible(self.system, place.0), |it| it.1)
    }

    fn literal(&self, literal: &Literal, names: &[usize]) -> Option<bool> {
        match literal {
            Literal::In { cell, values } => {
                let possible = self.values(&place(cell, names));
                if possible & values == 0 { Some(false) } else { (possible & !values == 0).then_some(true) }
            }
            Literal::Eq { left: Term::Proc(a), right: Term::Proc(b), negated } => {
                Some((process(*a, names) == process(*b, names)) != *negated)
            }
            Literal::Eq { left: Term::Cell(a), right: Term::Cell(b), negated }
                if matches!(self.system.var(a.var).ty, Type::Enum(_)) =>
            {
                let (a, b) = (self.values(&place(a, names)), self.values(&place(b, names)));
                if a & b == 0 { Some(*negated) } else { (a == b && a.is_power_of_two()).then_some(!negated) }
            }
            Literal::Linear { .. } => {
                let own =
                    |p: &ProcRef| matches!(p, ProcRef::Var(v) if names[usize::from(*v)] == usize::from(*v));
                let known = self.compared.iter().find(|it| it.0 == *literal)?;
                literal.cells().iter().all(|it| it.index.iter().all(own)).then_some(known.1)
            }
            Literal::Eq { .. } | Literal::Less { .. } => None,
        }
    }

    fn conj(&self, conj: &Conj, names: &[usize]) -> Option<bool> {
        all_hold(conj.iter().map(|it| self.literal(it, names)))
    }

    fn dnf(&self, dnf: &Dnf, names: &[usize]) -> Option<bool> {
        all_hold(dnf.0.iter().map(|it| self.conj(it, names).map(|holds| !holds))).map(|none| !none)
    }

    /// The terms that an update may assign.
    fn outcomes<'b>(&self, branches: &'b [Branch], names: &[usize]) -> Vec<&'b Term> {
        let mut found = Vec::new();
        for branch in branches {
            let when = self.dnf(&branch.when, names);
            if when != Some(false) && !found.contains(&&branch.value) {
                found.push(&branch.value);
            }
            if when == Some(true) {
                break;
            }
        }
        found
    }

    /// The values of enum type among them.
    fn finite(&self, branches: &[Branch], names: &[usize]) -> u64 {
        let value = |term: &Term| match term {
            Term::Constructor(c) => 1 << c,
            Term::Cell(cell) => self.values(&place(cell, names)),
            Term::Proc(_) | Term::Linear(_) => 0,
        };
        self.outcomes(branches, names).into_iter().fold(0, |set, term| set | value(term))
    }
}

/// Whether all of these hold, where that is known.
fn all_hold(truths: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = Some(true);
    for truth in truths.filter(|it| *it != Some(true)) {
        all = truth;
        if truth.is_some() {
            break;
        }
    }
    all
}

fn process(proc: ProcRef, names: &[usize]) -> usize {
    match proc {
        ProcRef::Var(v) => names[usize::from(v)],
        ProcRef::Const(_) => unreachable!("systems with named processes have no columns"),
    }
}

fn place(cell: &Cell, names: &[usize]) -> Place {
    (cell.var, cell.index.iter().map(|p| process(*p, names)).collect())
}

pub fn cases(columns: &Columns<'_>, t: &Transition) -> Option<Vec<Case>> {
    let mut cases = Vec::new();
    let transition = TransitionCases { columns, t, arity: t.arity(), own: (0..t.arity()).collect() };
    let mut cells = transition.cells();
    let known = Known { system: columns.system, cells: Vec::new(), compared: Vec::new() };
    let choices = |cell: &Place| {
        let own = &transition.own;
        let guarded = t.guard.iter().filter_map(|literal| match literal {
            Literal::In { cell: said, values } if place(said, own) == *cell => Some(*values),
            _ => None,
        });
        guarded.fold(known.values(cell), |all, values| all & values).count_ones() as usize
    };
    let most = |cells: &[Place]| cells.iter().map(choices).fold(1_usize, usize::saturating_mul);
    for more in [transition.cells_of_facts(), transition.cells_of_guard()] {
        let mut all = cells.clone();
        extend_new(&mut all, more);
        if most(&all) <= MOST_CHOICES {
            cells = all;
        }
    }
    if most(&cells) > MOST_CHOICES {
        return Some(vec![transition.lost()]);
    }
    for compared in transition.comparisons() {
        if !transition.choose(&cells, Known { compared, ..known.clone() }, &mut cases)? {
            return Some(vec![transition.lost()]);
        }
    }
    Some(cases)
}

struct TransitionCases<'a> {
    columns: &'a Columns<'a>,
    t: &'a Transition,
    arity: usize,
    /// The parameters.
    own: Vec<usize>,
}

/// A way in which some columns change.
#[derive(Clone, Default)]
struct Change {
    /// New values.
    rows: Vec<(usize, Row)>,
    /// How many parameters are in classes of these columns then.
    after: Vec<(usize, i64)>,
}

impl Change {
    fn of(rows: Vec<(usize, Row)>) -> Self {
        Self { rows, after: Vec::new() }
    }

    fn and(&self, other: &Self) -> Self {
        let rows = self.rows.iter().chain(&other.rows).cloned().collect();
        Self { rows, after: self.after.iter().chain(&other.after).copied().collect() }
    }
}

impl TransitionCases<'_> {
    /// What is known of comparisons: those of the guard hold, and of those that decide what is assigned, whether numbers of the
    /// parameters are equal, each holds or does not.
    fn comparisons(&self) -> Vec<Vec<Compared>> {
        let both = |literal: &Literal, holds: bool| -> Vec<Compared> {
            let opposite = negated(self.columns.system, literal).map(|it| (it, !holds));
            [Some((literal.clone(), holds)), opposite].into_iter().flatten().collect()
        };
        let is_own = |p: &ProcRef| matches!(p, ProcRef::Var(v) if usize::from(*v) < self.arity);
        let guarded = self.t.guard.iter().filter(|it| matches!(it, Literal::Linear { .. }));
        let mut ways = vec![guarded.flat_map(|it| both(it, true)).collect::<Vec<Compared>>()];
        let branches = self.t.updates.iter().flat_map(|update| update.assignment.branches());
        for literal in branches.flat_map(|branch| branch.when.0.iter().flatten()) {
            let is_equality =
                matches!(literal, Literal::Linear { relation: Relation::Eq | Relation::Ne, .. });
            let is_open = ways[0].iter().all(|it| it.0 != *literal);
            let own = || literal.cells().iter().all(|it| it.index.iter().all(is_own));
            if is_equality && is_open && ways.len() < MOST_COMPARED && own() {
                let chosen =
                    |way: &Vec<Compared>| [true, false].map(|it| [&way[..], &both(literal, it)].concat());
                ways = ways.iter().flat_map(chosen).collect();
            }
        }
        ways
    }

    /// The finite cells that say what facts say of numbers that are assigned.
    fn cells_of_facts(&self) -> Vec<Place> {
        let mut cells = Vec::new();
        for fact in self.columns.facts {
            let is_written =
                |it: &(Cell, Rational)| !it.0.index.is_empty() && self.t.assignment(it.0.var).is_some();
            if fact.number.terms.iter().any(is_written) {
                let held = fact.when.iter().filter(|it| it.pointed().is_none()).flat_map(Literal::cells);
                let asked = held.chain(fact.indicators.iter().map(|it| &it.0));
                for cell in asked {
                    (0..self.arity).for_each(|p| add_new(&mut cells, place(cell, &[p])));
                }
            }
        }
        cells
    }

    /// The finite cells that say in which classes the parameters are of which a guard says something beside what it asks of numbers: how many
    /// processes such a class has at least may tell what else the numbers say.
    fn cells_of_guard(&self) -> Vec<Place> {
        let mut cells = Vec::new();
        let guard = || self.t.guard.iter();
        if guard().any(|it| matches!(it, Literal::Linear { .. })) {
            let read: Vec<Place> =
                guard().flat_map(Literal::cells).map(|cell| place(cell, &self.own)).collect();
            for arrays in self.columns.groups.iter().map(|it| &it.arrays) {
                for (_, index) in read.iter().filter(|it| it.1.len() == 1 && arrays.contains(&it.0)) {
                    extend_new(&mut cells, arrays.iter().map(|array| (*array, index.clone())));
                }
            }
        }
        cells
    }

    /// What facts say of the unknown numbers of a case.
    fn facts(&self, known: &Known<'_>, unknown: &mut Vec<Place>) -> Option<Vec<Row>> {
        let mut zero = Vec::new();
        for (fact, p) in self.columns.facts.iter().flat_map(|fact| (0..self.arity).map(move |p| (fact, p))) {
            let matters = fact.number.terms.iter().any(|(cell, _)| unknown.contains(&place(cell, &[p])));
            let is_said = |literal: &Literal| match literal.pointed() {
                Some((cell, _, holds)) => self.points(cell, p, holds),
                None => known.literal(literal, &[p]) == Some(true),
            };
            if !matters || !fact.when.iter().all(is_said) {
                continue;
            }
            let added = |sum: Rational, (cell, values, added): &(Cell, u64, Rational)| {
                let possible = known.values(&place(cell, &[p]));
                if possible & values == 0 {
                    Some(sum)
                } else {
                    sum.add(*added).filter(|_| possible & !values == 0)
                }
            };
            if let Some(constant) = fact.indicators.iter().try_fold(fact.number.constant, added) {
                let number = Linear { constant, ..fact.number.clone() };
                zero.push(self.row(&number, &[p], known, unknown)?);
            }
        }
        Some(zero)
    }

    /// Whether the guard says that a global holds, or does not hold, a parameter.
    fn points(&self, global: &Cell, p: usize, holds: bool) -> bool {
        let mut asked = self.t.guard.iter().filter_map(Literal::pointed).filter(|it| it.0 == global);
        asked.any(|(_, q, is)| if q == ProcRef::Var(p as u8) { is == holds } else { is && !holds })
    }

    /// The finite cells whose values make a difference.
    fn cells(&self) -> Vec<Place> {
        let (columns, t) = (self.columns, self.t);
        let mut cells: Vec<Place> = Vec::new();
        let mut add = |place: Place| {
            let finite = matches!(columns.system.var(place.0).ty, Type::Enum(_));
            // Of the process that is not a parameter, each class is looked at.
            if finite && !place.1.contains(&self.arity) && !cells.contains(&place) {
                cells.push(place);
            }
        };
        let mut touched: Vec<VarId> = t.updates.iter().map(|update| update.var).collect();
        for universal in t.universals.iter().filter(|it| it.bound == 1) {
            touched.extend(universal.body.0.iter().flatten().flat_map(Literal::cells).map(|cell| cell.var));
        }
        for (n, group) in columns.groups.iter().enumerate() {
            let is_summed = |column: &Column| matches!(column, Column::Sum(array, Some((of, _))) if *of == n && touched.contains(array));
            if group.arrays.iter().any(|array| touched.contains(array)) || columns.all.iter().any(is_summed) {
                for (array, p) in group.arrays.iter().flat_map(|a| (0..self.arity).map(move |p| (a, p))) {
                    add((*array, vec![p]));
                }
            }
        }
        // Cells that the guard compares with each other.
        for literal in t.guard.iter().filter(|it| matches!(it, Literal::Eq { .. })) {
            literal.cells().iter().for_each(|cell| add(place(cell, &self.own)));
        }
        for update in
            t.updates.iter().filter(|it| (0..columns.all.len()).any(|at| columns.is_about(at, it.var)))
        {
            if columns.system.var(update.var).arity() == 0 {
                add((update.var, Vec::new()));
            }
            let Assignment::Cases(branches) = &update.assignment else { continue };
            for names in self.names(columns.system.var(update.var).arity()) {
                for branch in branches {
                    if let Term::Linear(linear) = &branch.value {
                        let counts = linear.terms.iter().filter(|it| !it.0.index.is_empty());
                        let counts = counts.filter_map(|it| columns.system.count_of(it.0.var));
                        let read = counts.flat_map(Count::reads);
                        read.for_each(|array| (0..self.arity).for_each(|p| add((array, vec![p]))));
                    }
                    let read = branch.when.0.iter().flatten().flat_map(Literal::cells);
                    let value = if let Term::Cell(cell) = &branch.value { Some(cell) } else { None };
                    read.chain(value).for_each(|cell| add(place(cell, &names)));
                }
            }
        }
        cells
    }

    /// The processes of the variables of an update: the parameters, then an index among these and another process.
    fn names(&self, indices: usize) -> impl Iterator<Item = Vec<usize>> {
        tuples(self.arity + 1, indices).map(|index| [&self.own[..], &index].concat())
    }

    /// Chooses values of the cells in all ways that the guard does not exclude; false when there are too many.
    fn choose(&self, cells: &[Place], known: Known<'_>, out: &mut Vec<Case>) -> Option<bool> {
        if known.conj(&self.t.guard, &self.own) == Some(false) {
            return Some(true);
        }
        let Some((cell, rest)) = cells.split_first() else { return self.add(&known, out) };
        for value in values(known.values(cell)) {
            let mut next = known.clone();
            next.set(cell, 1 << value);
            if !self.choose(rest, next, out)? {
                return Some(false);
            }
        }
        Some(true)
    }

    fn add(&self, known: &Known<'_>, out: &mut Vec<Case>) -> Option<bool> {
        self.columns.go_on()?;
        let mut unknown = Vec::new();
        let mut zero = self.zero(known, &mut unknown)?;
        let least_zero = self.least_zero(known, &mut unknown)?;
        let (mut ways, mut lost): (Vec<Change>, Vec<usize>) = (vec![Change::default()], Vec::new());
        for alternatives in self.updates(known, &mut lost, &mut unknown)? {
            ways = ways.iter().flat_map(|way| alternatives.iter().map(|more| way.and(more))).collect();
            if ways.len() > MOST_CASES {
                return Some(false);
            }
        }
        zero.extend(self.facts(known, &mut unknown)?);
        let mut before = Vec::new();
        for (n, group) in self.columns.groups.iter().enumerate() {
            let of_class = self.before(n, known).into_iter().flatten().enumerate();
            before.extend(of_class.filter(|it| it.1 > 0).map(|(class, count)| (group.first + class, count)));
        }
        for Change { rows: changes, after } in ways {
            let (zero, least_zero) = (zero.clone(), least_zero.clone());
            let (before, lost) = (before.clone(), lost.clone());
            let case = Case { zero, least_zero, before, after, changes, lost, unknown: unknown.len() };
            add_new(out, case);
        }
        Some(out.len() <= MOST_CASES)
    }

    /// What is zero before the step.
    fn zero(&self, known: &Known<'_>, unknown: &mut Vec<Place>) -> Option<Vec<Row>> {
        let columns = self.columns;
        let mut guarded = known.clone();
        let mut zero = Vec::new();
        for literal in &self.t.guard {
            if let Literal::In { cell, values } = literal
                && cell.index.is_empty()
            {
                let place = place(cell, &self.own);
                let possible = guarded.values(&place) & values;
                guarded.set(&place, possible);
            }
        }
        for (literal, holds) in &known.compared {
            if let Literal::Linear { expr, relation: Relation::Eq, integer: true } = literal
                && *holds
            {
                zero.push(self.row(expr, &self.own, known, unknown)?);
            }
        }
        for (at, column) in columns.all.iter().enumerate() {
            let Column::Holds(var, value) = column else { continue };
            let possible = guarded.values(&(*var, Vec::new()));
            if possible >> value & 1 == 0 {
                zero.push(Row::of(at));
            } else if possible == 1 << value {
                zero.push(equal(at, Rational::ONE));
            }
        }
        for (n, group) in columns.groups.iter().enumerate() {
            let Some(before) = self.before(n, known) else { continue };
            for (class, of_params) in before.iter().enumerate() {
                if self.t.universals.iter().any(|it| it.bound == 1 && self.denies(&it.body, n, class, known))
                {
                    zero.push(equal(group.first + class, Rational::integer(*of_params)));
                    for (sum, array) in columns.sums_of(group.first + class) {
                        let mut row = Row::of(sum);
                        for p in 0..self.arity {
                            let values = |array| known.values(&(array, vec![p]));
                            if self.class(n, values) == Some(class) {
                                let own = Row::of(self.unknown(unknown, &(array, vec![p])));
                                row = row.minus(&own)?;
                            }
                        }
                        zero.push(row);
                    }
                }
            }
        }
        Some(zero)
    }

    /// What the guard says is not negative.
    fn least_zero(&self, known: &Known<'_>, unknown: &mut Vec<Place>) -> Option<Vec<Row>> {
        let mut rows = Vec::new();
        for (literal, holds) in &known.compared {
            if let Literal::Linear { expr, relation: Relation::Le | Relation::Lt, .. } = literal
                && *holds
            {
                rows.push(self.row(&expr.negated()?, &self.own, known, unknown)?);
            }
        }
        Some(rows)
    }

    /// Whether another process of this class violates the body of a universal guard.
    fn denies(&self, body: &Dnf, group: usize, class: usize, known: &Known<'_>) -> bool {
        let names: Vec<usize> = (0..=self.arity).collect();
        self.of_class(group, class, known).dnf(body, &names) == Some(false)
    }

    /// What is known, and that the process that is not a parameter is in a class.
    fn of_class<'k>(&self, group: usize, class: usize, known: &Known<'k>) -> Known<'k> {
        let group = &self.columns.groups[group];
        let mut known = known.clone();
        for (array, value) in group.arrays.iter().zip(&group.classes[class]) {
            known.set(&(*array, vec![self.arity]), 1 << value);
        }
        known
    }

    /// How many parameters are in each class of a group; `None` where that is not known.
    fn before(&self, group: usize, known: &Known<'_>) -> Option<Vec<i64>> {
        let mut count = vec![0; self.columns.groups[group].classes.len()];
        for p in 0..self.arity {
            count[self.class(group, |array| known.values(&(array, vec![p])))?] += 1;
        }
        Some(count)
    }

    /// The class of a group to which a process with these sets of values belongs; `None` where that is not known.
    fn class(&self, group: usize, values: impl Fn(VarId) -> u64) -> Option<usize> {
        let group = &self.columns.groups[group];
        let value = |array: &VarId| {
            let set = values(*array);
            set.is_power_of_two().then(|| set.trailing_zeros() as u8)
        };
        let class: Vec<u8> = group.arrays.iter().map(value).collect::<Option<_>>()?;
        group.classes.iter().position(|it| *it == class)
    }

    /// For each thing that the transition writes, the ways in which it may change.
    fn updates(
        &self,
        known: &Known<'_>,
        lost: &mut Vec<usize>,
        unknown: &mut Vec<Place>,
    ) -> Option<Vec<Vec<Change>>> {
        let columns = self.columns;
        let mut all = Vec::new();
        for update in &self.t.updates {
            let var = columns.system.var(update.var);
            match (var.kind, var.ty, &update.assignment) {
                (VarKind::Global, Type::Enum(_), assignment) => {
                    let possible = match assignment {
                        Assignment::Nondet => possible(columns.system, update.var),
                        Assignment::Cases(branches) => known.finite(branches, &self.own),
                    };
                    let holds = |value: u8| {
                        let column = |at: usize| {
                            let is = columns.all[at] == Column::Holds(update.var, value);
                            (at, Row::number(if is { Rational::ONE } else { Rational::ZERO }))
                        };
                        Change::of(columns.values_of(update.var).map(column).collect())
                    };
                    all.push(values(possible).map(holds).collect());
                }
                (VarKind::Global, Type::Int, assignment) => {
                    let Some(at) = columns.place(&Column::Number(update.var)) else { continue };
                    match assignment {
                        Assignment::Nondet => lost.push(at),
                        Assignment::Cases(branches) => {
                            let mut ways = Vec::new();
                            for term in known.outcomes(branches, &self.own) {
                                let Term::Linear(linear) = term else { continue };
                                let row = self.row(linear, &self.own, known, unknown)?;
                                ways.push(Change::of(vec![(at, row)]));
                            }
                            all.push(ways);
                        }
                    }
                }
                _ => {}
            }
        }
        for (at, column) in columns.all.iter().enumerate() {
            let (array, group) = match column {
                Column::Sum(array, None) => (*array, None),
                Column::Sum(array, Some((group, 0))) => (*array, Some(*group)),
                _ => continue,
            };
            if !self.t.updates.iter().any(|update| columns.is_about(at, update.var)) {
                continue;
            }
            match self.sums(at, array, group, known, unknown)? {
                Some(ways) => all.push(ways.into_iter().map(Change::of).collect()),
                None => lost.extend(at..at + group.map_or(1, |n| columns.groups[n].classes.len())),
            }
        }
        for (n, group) in columns.groups.iter().enumerate() {
            if !self.t.updates.iter().any(|update| group.arrays.contains(&update.var)) {
                continue;
            }
            match self.classes(n, known)? {
                Some(ways) => all.push(ways),
                None => lost.extend(group.first..group.first + group.classes.len()),
            }
        }
        Some(all)
    }

    /// The ways in which the classes of a group may change; `None` inside when they are not known.
    fn classes(&self, n: usize, known: &Known<'_>) -> Option<Option<Vec<Change>>> {
        let group = &self.columns.groups[n];
        let Some(before) = self.before(n, known) else { return Some(None) };
        // The class of each other process after the step, by that before it.
        let mut moved = Vec::new();
        for class in 0..group.classes.len() {
            let known = self.of_class(n, class, known);
            let to = self.class(n, |array| self.after(array, self.arity, &known));
            let Some(to) = to else { return Some(None) };
            moved.push(to);
        }
        // The classes of the parameters after the step.
        let mut ways = vec![vec![0_i64; group.classes.len()]];
        for p in 0..self.arity {
            let sets: Vec<u64> = group.arrays.iter().map(|array| self.after(*array, p, known)).collect();
            let mut next = Vec::new();
            for way in ways {
                for (class, values) in group.classes.iter().enumerate() {
                    if values.iter().zip(&sets).all(|(value, set)| set >> value & 1 == 1) {
                        let mut way = way.clone();
                        way[class] += 1;
                        add_new(&mut next, way);
                    }
                }
            }
            ways = next;
        }
        let mut all = Vec::new();
        for after in ways {
            let mut rows = Vec::new();
            for (class, own) in after.iter().enumerate() {
                let mut row = Row::number(Rational::integer(*own));
                for (from, _) in moved.iter().enumerate().filter(|(_, to)| **to == class) {
                    let others = equal(group.first + from, Rational::integer(before[from]));
                    row = row.add_scaled(Rational::ONE, &others)?;
                }
                if row != Row::of(group.first + class) {
                    rows.push((group.first + class, row));
                }
            }
            let counted = after.iter().enumerate().filter(|it| *it.1 > 0);
            all.push(Change { rows, after: counted.map(|(class, n)| (group.first + class, *n)).collect() });
        }
        Some(Some(all))
    }

    /// The values that a cell of an array may hold after the step.
    fn after(&self, array: VarId, p: usize, known: &Known<'_>) -> u64 {
        match self.t.assignment(array) {
            None => known.values(&(array, vec![p])),
            Some(Assignment::Nondet) => 0,
            Some(Assignment::Cases(branches)) => {
                let names: Vec<usize> = (0..self.arity).chain([p]).collect();
                known.finite(branches, &names)
            }
        }
    }

    /// The sums that a numeric array may have after the step, over all processes or in the classes of a group, in the columns from `first` on; `None`
    /// inside when they are not known.
    fn sums(
        &self,
        first: usize,
        array: VarId,
        group: Option<usize>,
        known: &Known<'_>,
        unknown: &mut Vec<Place>,
    ) -> Option<Option<Vec<Vec<(usize, Row)>>>> {
        let own = Linear::of(Cell::at(array, [ProcRef::Var(self.arity as u8)]));
        let keeps = [Branch { when: Dnf::truth(), value: Term::Linear(own.clone()) }];
        let branches = match self.t.assignment(array) {
            None => &keeps[..],
            Some(Assignment::Nondet) => return Some(None),
            Some(Assignment::Cases(branches)) => branches,
        };
        // The parts in which processes are added up: the column of their number, and what is known of one that is not a parameter.
        let of_class = |n: usize| {
            let of_group = &self.columns.groups[n];
            (0..of_group.classes.len()).map(move |it| (of_group.first + it, self.of_class(n, it, known)))
        };
        let parts = group.map_or_else(|| vec![(PROCESSES, known.clone())], |n| of_class(n).collect());
        let part = |values: &dyn Fn(VarId) -> u64| group.map_or(Some(0), |n| self.class(n, values));
        let before = |p: usize| part(&|array| known.values(&(array, vec![p])));
        let Some(before) = (0..self.arity).map(before).collect::<Option<Vec<usize>>>() else {
            return Some(None);
        };
        let names: Vec<usize> = (0..=self.arity).collect();
        let mut rows = vec![Row::number(Rational::ZERO); parts.len()];
        for (at, (processes, known)) in parts.iter().enumerate() {
            let others = known.outcomes(branches, &names);
            let [Term::Linear(of_other)] = others.as_slice() else { return Some(None) };
            let keeps = of_other.terms == own.terms;
            let Some(to) = part(&|array| self.after(array, self.arity, known)) else { return Some(None) };
            if !keeps && !of_other.terms.is_empty() {
                return Some(None);
            }
            let params: Vec<usize> = (0..self.arity).filter(|p| before[*p] == at).collect();
            let others = equal(*processes, Rational::integer(params.len() as i64));
            rows[to] = rows[to].add_scaled(of_other.constant, &others)?;
            if keeps {
                rows[to] = rows[to].add_scaled(Rational::ONE, &Row::of(first + at))?;
                for p in params {
                    rows[to] = rows[to].minus(&Row::of(self.unknown(unknown, &(array, vec![p]))))?;
                }
            }
        }
        let mut ways = vec![rows];
        for p in 0..self.arity {
            let Some(to) = part(&|array| self.after(array, p, known)) else { return Some(None) };
            let names: Vec<usize> = (0..self.arity).chain([p]).collect();
            let mut next = Vec::new();
            for term in known.outcomes(branches, &names) {
                let Term::Linear(linear) = term else { continue };
                let after = self.row(linear, &names, known, unknown)?;
                for way in &ways {
                    let mut way = way.clone();
                    way[to] = way[to].add_scaled(Rational::ONE, &after)?;
                    next.push(way);
                }
            }
            ways = next;
            if ways.len() > MOST_CASES {
                return Some(None);
            }
        }
        let changed = |way: Vec<Row>| {
            let rows = way.into_iter().enumerate().map(|(at, row)| (first + at, row));
            rows.filter(|(at, row)| *row != Row::of(*at)).collect()
        };
        Some(Some(ways.into_iter().map(changed).collect()))
    }

    /// A linear term as a row.
    fn row(
        &self,
        linear: &Linear,
        names: &[usize],
        known: &Known<'_>,
        unknown: &mut Vec<Place>,
    ) -> Option<Row> {
        let mut row = Row::number(linear.constant);
        for (cell, factor) in &linear.terms {
            let of_cell = if cell.index.is_empty() {
                self.columns.number(cell.var)
            } else {
                self.counted_beside(&place(cell, names), known)
            };
            let of_cell = of_cell.unwrap_or_else(|| Row::of(self.unknown(unknown, &place(cell, names))));
            row = row.add_scaled(*factor, &of_cell)?;
        }
        Some(row)
    }

    /// A count for parameters (`#{q | S[q] = Shared && q <> p}`) as a row: of the processes that are not parameters all of a class are counted, or none; of the
    /// parameters it is known.
    fn counted_beside(&self, place: &Place, known: &Known<'_>) -> Option<Row> {
        let count = self.columns.system.count_of(place.0).filter(|it| it.summand.is_none())?;
        if place.1.contains(&self.arity) {
            return None;
        }
        let read = count.reads();
        let group =
            self.columns.groups.iter().position(|it| read.iter().all(|var| it.arrays.contains(var)))?;
        let is_counted = |process: usize, known: &Known<'_>| {
            let names = [&place.1[..], &[process]].concat();
            known.dnf(&count.body, &names)
        };
        let mut row = Row::number(Rational::ZERO);
        let params = self.before(group, known)?;
        for (class, of_params) in params.into_iter().enumerate() {
            if is_counted(self.arity, &self.of_class(group, class, known))? {
                let others = equal(self.columns.groups[group].first + class, Rational::integer(of_params));
                row = row.add_scaled(Rational::ONE, &others)?;
            }
        }
        for p in 0..self.arity {
            row.constant = row.constant.add(Rational::integer(i64::from(is_counted(p, known)?)))?;
        }
        Some(row)
    }

    /// The column of a number of which nothing is known.
    fn unknown(&self, unknown: &mut Vec<Place>, place: &Place) -> usize {
        self.columns.all.len() + place_of(unknown, place.clone())
    }

    /// The case that says nothing of what is written.
    fn lost(&self) -> Case {
        let is_lost = |at: &usize| self.t.updates.iter().any(|update| self.columns.is_about(*at, update.var));
        let lost = (0..self.columns.all.len()).filter(is_lost).collect();
        Case { lost, ..Case::default() }
    }
}
