//! The affine hulls of the reachable states, for each location.

use std::borrow::Cow;

use cubicle_lang::list::extend_new;
use cubicle_lang::model::{Cell, Conj, Dnf, Linear, Literal, ProcRef, Rational, Relation, System, VarId};

use super::case::{Case, cases};
use super::columns::{Column, Columns, PROCESSES, full};
use super::span::{Row, Span, dense, equal, restrict, value};

/// Most vectors mapped before the analysis is given up.
const MOST_STEPS: usize = 40_000;

/// Most locations: each has a hull of its own.
const MOST_LOCATIONS: usize = 12;

/// Where states are told apart.
#[derive(Clone, Default)]
pub struct Location {
    /// What some globals of enum type hold.
    pub held: Vec<(VarId, u8)>,
    /// The column of a class, and whether it has processes.
    pub occupied: Option<(usize, bool)>,
}

impl Location {
    /// What is zero since globals hold these values.
    pub fn rows(&self, columns: &Columns<'_>) -> Vec<Row> {
        let of_global = |(global, value): &(VarId, u8)| {
            let holds = Column::Holds(*global, *value);
            let row =
                |at: usize| equal(at, if columns.all[at] == holds { Rational::ONE } else { Rational::ZERO });
            columns.values_of(*global).map(row).collect::<Vec<_>>()
        };
        self.held.iter().flat_map(of_global).collect()
    }

    /// The column of a class that has processes here.
    fn marked(&self) -> Option<usize> {
        self.occupied.filter(|it| it.1).map(|it| it.0)
    }

    /// Whether a step from here may lead to a location.
    fn leads_to(&self, columns: &Columns<'_>, case: &Case, to: &Self) -> bool {
        self.held.iter().zip(&to.held).all(|((global, before), (_, value))| {
            let at = columns.place(&Column::Holds(*global, *value)).expect("a value of the global");
            let changed = case.changes.iter().find(|it| it.0 == at);
            case.lost.contains(&at) || changed.map_or(before == value, |(_, row)| !row.constant.is_zero())
        })
    }

    /// The vectors that are here, where these rows are zero, of what a step makes of them and, from column `width` on, what it takes not to be negative;
    /// none where no state is.
    fn within(
        &self,
        columns: &Columns<'_>,
        rows: &[Row],
        mut vectors: Vec<Vec<Rational>>,
    ) -> Option<Vec<Vec<Rational>>> {
        for row in rows {
            restrict(&mut vectors, row)?;
        }
        if let Some((at, some)) = self.occupied {
            let class = Row::of(at);
            if !some {
                restrict(&mut vectors, &class)?;
                for (sum, _) in columns.sums_of(at) {
                    restrict(&mut vectors, &Row::of(sum))?;
                }
            } else if constant(&class, vectors.iter())?.is_some_and(|known| known < Rational::ONE) {
                vectors.clear();
            }
        }
        let width = columns.all.len();
        let most = vectors.first().map_or(width, Vec::len);
        for at in width..most {
            if constant(&Row::of(at), vectors.iter())?.is_some_and(|known| known < Rational::ZERO) {
                vectors.clear();
            }
        }
        if vectors.iter().all(|it| it[0].is_zero()) {
            vectors.clear();
        }
        for vector in &mut vectors {
            vector.truncate(width);
        }
        Some(vectors)
    }
}

/// The hulls of the reachable states, by location; empty where there are none.
pub struct Hulls(pub Vec<(Location, Span)>);

impl Hulls {
    /// The hull of those at a place, which may be several locations.
    pub fn at(&self, place: &Location, order: &[usize]) -> Option<Cow<'_, Span>> {
        let is_there = |(location, _): &&(Location, Span)| {
            place.held.iter().all(|it| location.held.contains(it))
                && (place.occupied.is_none() || place.occupied == location.occupied)
        };
        let mut there = self.0.iter().filter(is_there).map(|it| &it.1).filter(|span| !span.is_empty());
        let mut all = Cow::Owned(Span::default());
        if let Some(first) = there.next() {
            all = Cow::Borrowed(first);
        }
        for vector in there.flat_map(Span::vectors) {
            all.to_mut().add(vector.clone(), order)?;
        }
        Some(all)
    }
}

/// The steps of all transitions.
pub fn steps(columns: &Columns<'_>) -> Option<Vec<Case>> {
    let mut steps: Vec<Case> = Vec::new();
    for t in &columns.system.transitions {
        extend_new(&mut steps, cases(columns, t)?);
    }
    Some(steps)
}

/// The hulls; `None` when the system cannot begin, the analysis takes too long or must end, or a number leaves the 64-bit range. Pivots are chosen in this order of columns. States where a
/// class has processes may be told apart from the others.
pub fn hulls(
    columns: &Columns<'_>,
    steps: &[Case],
    order: &[usize],
    occupied: Option<usize>,
) -> Option<Hulls> {
    let mut at = locations(columns, occupied);
    let rows: Vec<Vec<Row>> = at.iter().map(|(location, _)| location.rows(columns)).collect();
    for ((location, span), rows) in at.iter_mut().zip(&rows) {
        for vector in location.within(columns, rows, initial(columns, &location.held)?)? {
            span.add(vector, order)?;
        }
    }
    if at.iter().all(|(_, span)| span.is_empty()) {
        return None;
    }
    let mut work = 0;
    // How often each hull grew, and, by case, when it was applied last: what did not grow since leads to nothing new.
    let mut grown = vec![1_u32; at.len()];
    let mut applied = vec![vec![0; steps.len()]; at.len()];
    loop {
        let mut grew = false;
        for from in 0..at.len() {
            for (case, applied) in steps.iter().zip(&mut applied[from]) {
                if std::mem::replace(applied, grown[from]) == grown[from] {
                    continue;
                }
                columns.go_on()?;
                let (location, hull) = &at[from];
                let after = apply(columns, hull, location.marked(), case)?;
                if after.is_empty() {
                    continue;
                }
                let location = location.clone();
                let targets =
                    at.iter_mut().enumerate().filter(|(_, to)| location.leads_to(columns, case, &to.0));
                for (to, (location, span)) in targets {
                    for vector in location.within(columns, &rows[to], after.clone())? {
                        work += 1;
                        if span.add(vector, order)? {
                            grown[to] += 1;
                            grew = true;
                        }
                    }
                }
            }
            if work > MOST_STEPS {
                return None;
            }
        }
        if !grew {
            return Some(Hulls(at));
        }
    }
}

/// The locations: what globals of enum type hold on which it depends what init says, or that steps write, as long as there are few choices, and whether
/// a class has processes.
fn locations(columns: &Columns<'_>, occupied: Option<usize>) -> Vec<(Location, Span)> {
    let system = columns.system;
    let written = |var: VarId| {
        init_depends_on(system, var) || system.transitions.iter().any(|t| t.assignment(var).is_some())
    };
    let mut all = vec![Location::default()];
    let holds = columns.all.iter().filter_map(|column| match column {
        Column::Holds(global, _) => Some(*global),
        _ => None,
    });
    let mut globals: Vec<VarId> = holds.filter(|it| written(*it)).collect();
    globals.dedup();
    // What never changes, as the sort of a process, keeps runs apart.
    globals.sort_by_key(|it| system.changes(*it));
    for global in globals {
        let values = columns.values_of(global);
        if all.len() * values.clone().count() > MOST_LOCATIONS {
            continue;
        }
        let held: Vec<(VarId, u8)> = values.filter_map(|at| columns.held(at)).collect();
        let longer = |location: &Location| {
            let with = |it: &(VarId, u8)| Location {
                held: [&location.held[..], &[*it]].concat(),
                ..location.clone()
            };
            held.iter().map(with).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    if let Some(class) = occupied {
        let told = |location: &Location| {
            [false, true].map(|some| Location { occupied: Some((class, some)), ..location.clone() })
        };
        all = all.iter().flat_map(told).collect();
    }
    all.into_iter().map(|location| (location, Span::default())).collect()
}

/// Vectors that span the states after a case, where some state admits it; each with what the case takes not to be negative.
fn apply(
    columns: &Columns<'_>,
    hull: &Span,
    occupied: Option<usize>,
    case: &Case,
) -> Option<Vec<Vec<Rational>>> {
    let width = columns.all.len();
    // Most cases are excluded by what a global holds, or by a class without processes: nothing is mapped for these.
    for (class, params) in &case.before {
        let known = constant(&Row::of(*class), hull.vectors())?;
        if known.is_some_and(|known| known < Rational::integer(*params)) {
            return Some(Vec::new());
        }
    }
    for row in case.zero.iter().filter(|row| row.terms.iter().all(|it| it.0 < width)) {
        if constant(row, hull.vectors())?.is_some_and(|known| !known.is_zero()) {
            return Some(Vec::new());
        }
    }
    let mut vectors: Vec<Vec<Rational>> = hull.vectors().cloned().collect();
    for vector in &mut vectors {
        vector.resize(width + case.unknown, Rational::ZERO);
    }
    vectors.extend((0..case.unknown).map(|n| unit(width + case.unknown, width + n)));
    for row in &case.zero {
        restrict(&mut vectors, row)?;
    }
    if vectors.iter().all(|it| it[0].is_zero()) {
        return Some(Vec::new());
    }
    if !within_bounds(columns, case, occupied, &mut vectors)? {
        return Some(Vec::new());
    }
    // What is not negative before the step: also in the states that lead to a certain location.
    let mut least = case.least_zero.clone();
    let marked = occupied.map(|class| (class, 1));
    least.extend(
        case.before.iter().copied().chain(marked).map(|(class, n)| equal(class, Rational::integer(n))),
    );
    let mut after = Vec::with_capacity(vectors.len());
    for vector in &vectors {
        let mut next = vector[..width].to_vec();
        for (at, row) in &case.changes {
            next[*at] = value(row, vector)?;
        }
        for at in &case.lost {
            next[*at] = Rational::ZERO;
        }
        for row in &least {
            next.push(value(row, vector)?);
        }
        after.push(next);
    }
    after.extend(case.lost.iter().map(|at| unit(width + least.len(), *at)));
    Some(after)
}

/// Whether some vector has as many processes in each class as there are parameters in it; keeps the vectors where that may be so: a sum
/// of classes that is its least value makes each of them the least, and nothing is summed over a class without processes.
fn within_bounds(
    columns: &Columns<'_>,
    case: &Case,
    occupied: Option<usize>,
    vectors: &mut Vec<Vec<Rational>>,
) -> Option<bool> {
    let sums_parts = columns.all.iter().any(|it| matches!(it, Column::Sum(_, Some(_))));
    if case.before.is_empty() && occupied.is_none() && !sums_parts {
        return Some(true);
    }
    let least = |at: usize| {
        let params = case.before.iter().find(|it| it.0 == at).map_or(0, |it| it.1);
        params.max(i64::from(occupied == Some(at)))
    };
    for group in &columns.groups {
        let classes = group.first..group.first + group.classes.len();
        let width = group.classes.len() + 1;
        let order: Vec<usize> = (0..width).collect();
        loop {
            let mut of_group = Span::default();
            for vector in &*vectors {
                let own = [&vector[..1], &vector[classes.clone()]].concat();
                of_group.add(own, &order)?;
            }
            let before = vectors.len();
            for row in of_group.equations(width) {
                let (positive, negative) = (
                    row[1..].iter().any(|it| *it > Rational::ZERO),
                    row[1..].iter().any(|it| *it < Rational::ZERO),
                );
                if positive && negative || !positive && !negative {
                    continue;
                }
                // What is left above the least number, up to the sign of all.
                let mut rest = row[0];
                for (at, factor) in classes.clone().zip(&row[1..]) {
                    let part = factor.mul(Rational::integer(least(at)))?;
                    rest = rest.add(part)?;
                }
                if if positive { rest > Rational::ZERO } else { rest < Rational::ZERO } {
                    return Some(false);
                }
                if rest.is_zero() {
                    for (at, _) in classes.clone().zip(&row[1..]).filter(|it| !it.1.is_zero()) {
                        restrict(vectors, &equal(at, Rational::integer(least(at))))?;
                    }
                }
            }
            if vectors.len() == before {
                break;
            }
        }
        for class in classes.clone().filter(|_| sums_parts) {
            if constant(&Row::of(class), vectors.iter())? == Some(Rational::ZERO) {
                for (sum, _) in columns.sums_of(class) {
                    restrict(vectors, &Row::of(sum))?;
                }
            }
        }
    }
    Some(vectors.iter().any(|it| !it[0].is_zero()))
}

/// The value of a row, `Some` inside where it is the same at all states that the vectors span.
fn constant<'v>(
    row: &Row,
    vectors: impl Iterator<Item = &'v Vec<Rational>> + Clone,
) -> Option<Option<Rational>> {
    let Some(some) = vectors.clone().find(|it| !it[0].is_zero()) else { return Some(None) };
    let known = value(row, some)?.div(some[0])?;
    for vector in vectors {
        if value(row, vector)? != known.mul(vector[0])? {
            return Some(None);
        }
    }
    Some(Some(known))
}

fn unit(width: usize, at: usize) -> Vec<Rational> {
    dense(&Row::of(at), width)
}

/// Vectors that span the initial states in which globals hold these values.
pub fn initial(columns: &Columns<'_>, held: &[(VarId, u8)]) -> Option<Vec<Vec<Rational>>> {
    let system = columns.system;
    let mut vectors: Vec<Vec<Rational>> =
        (0..columns.all.len()).map(|at| unit(columns.all.len(), at)).collect();
    let mut rows = columns.structural()?;
    rows.extend((0..columns.all.len()).filter(|at| !is_initial(columns, *at, held)).map(Row::of));
    let literals = |conj: &Conj| -> Vec<Linear> {
        let equation = |literal: &Literal| match literal {
            Literal::Linear { expr, relation: Relation::Eq, integer: true } => Some(expr.clone()),
            _ => None,
        };
        conj.iter().filter_map(equation).collect()
    };
    // Equations that every disjunct says.
    let common = |body: &Dnf| -> Vec<Linear> {
        let body: Vec<&Conj> = admitted(body, held).collect();
        let Some((first, rest)) = body.split_first() else { return Vec::new() };
        literals(first).into_iter().filter(|it| rest.iter().all(|conj| literals(conj).contains(it))).collect()
    };
    let of_none = common(&system.init.without_processes);
    for expr in common(&system.init.body) {
        let global = expr.terms.iter().all(|(cell, _)| cell.index.is_empty());
        if global && of_none.contains(&expr) {
            rows.extend(row(columns, &expr)?);
        }
        // `Balance[z] = 5`, of each process.
        if let [(cell, factor)] = expr.terms.as_slice()
            && cell.index.len() == 1
        {
            for (at, column) in columns.all.iter().enumerate() {
                let Column::Sum(array, part) = column else { continue };
                let processes = part.map_or(PROCESSES, |(group, class)| columns.groups[group].first + class);
                if *array == cell.var {
                    let of_each = vec![(at, *factor), (processes, expr.constant)];
                    rows.push(Row::gathered(of_each, Rational::ZERO)?);
                }
            }
        }
    }
    // Axioms hold in every state.
    for axiom in &system.axioms {
        if let [conj] = axiom.denial.0.as_slice()
            && axiom.params == 0
        {
            for expr in literals(conj) {
                rows.extend(row(columns, &expr)?);
            }
        }
    }
    for row in rows {
        restrict(&mut vectors, &row)?;
    }
    Some(vectors)
}

/// Whether what init says may depend on what a variable holds.
pub fn init_depends_on(system: &System, var: VarId) -> bool {
    let init = &system.init.body.0;
    init.len() > 1 && init.iter().flatten().flat_map(Literal::cells).any(|cell| cell.var == var)
}

/// The disjuncts in which globals may hold these values.
fn admitted<'a>(body: &'a Dnf, held: &'a [(VarId, u8)]) -> impl Iterator<Item = &'a Conj> {
    let may_hold =
        |conj: &Conj, (var, value): &(VarId, u8)| allowed(conj, *var, &[], u64::MAX) >> value & 1 == 1;
    body.0.iter().filter(move |conj| held.iter().all(|it| may_hold(conj, it)))
}

/// Whether a class may have processes, and its sums values, or a global hold a value, in an initial state in which globals hold these values.
pub fn is_initial(columns: &Columns<'_>, at: usize, held: &[(VarId, u8)]) -> bool {
    let (system, init) = (columns.system, &columns.system.init);
    match &columns.all[at] {
        Column::Class(group, class) | Column::Sum(_, Some((group, class))) => {
            let group = &columns.groups[*group];
            // What init says of each parameter it says of each process.
            (0..init.params).all(|p| {
                let may_hold = |conj: &Conj, (array, value): (&VarId, &u8)| {
                    allowed(conj, *array, &[ProcRef::Var(p)], full(system, *array)) >> value & 1 == 1
                };
                let classes = || group.arrays.iter().zip(&group.classes[*class]);
                admitted(&init.body, held).any(|conj| classes().all(|it| may_hold(conj, it)))
            })
        }
        Column::Holds(var, value) => {
            let all = full(system, *var);
            let mut initial = admitted(&init.body, held).chain(admitted(&init.without_processes, held));
            initial.any(|conj| allowed(conj, *var, &[], all) >> value & 1 == 1)
        }
        Column::One | Column::Processes | Column::Sum(_, None) | Column::Number(_) => true,
    }
}

/// An expression over globals as a row, `Some` inside where all of it are columns.
fn row(columns: &Columns<'_>, expr: &Linear) -> Option<Option<Row>> {
    let mut row = Row::number(expr.constant);
    for (cell, factor) in &expr.terms {
        let Some(known) = columns.number(cell.var).filter(|_| cell.index.is_empty()) else {
            return Some(None);
        };
        row = row.add_scaled(*factor, &known)?;
    }
    Some(Some(row))
}

/// The values of these that a conjunction allows for a cell of enum type, literal by literal.
fn allowed(conj: &Conj, var: VarId, index: &[ProcRef], all: u64) -> u64 {
    let about = |cell: &Cell| cell.var == var && cell.index.as_slice() == index;
    conj.iter().fold(all, |left, literal| match literal {
        Literal::In { cell, values } if about(cell) => left & values,
        _ => left,
    })
}
