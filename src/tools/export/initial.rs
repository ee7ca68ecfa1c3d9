//! The initial states of an instance, as a product: groups of cells that init relates to each other, and for each
//! group the ways to fill it. For targets that assign initial values instead of describing them.

use super::instance::{Range, Refusal};
use super::sized::sort_of;
use super::values::Values;
use cubicle_lang::model::semantics::{Env, Layout, Semantics, State, Value, distinct_tuples, tuples};
use cubicle_lang::model::union_find::UnionFind;
use cubicle_lang::model::{Conj, Dnf, FormulaOfSorts, Literal, Rational, System, Type, Var, VarId};

/// The initial states of an instance.
pub struct Initial {
    layout: Layout,
    /// The value of each cell that has one only; none of counts.
    pub fixed: Vec<Option<Value>>,
    /// The groups of the other cells, in order of their first cells.
    pub choices: Vec<CellGroup>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CellGroup {
    /// Positions in the layout of the instance, ascending.
    pub cells: Vec<usize>,
    /// Their values, one list for each way.
    pub ways: Vec<Vec<Value>>,
}

impl Initial {
    /// The initial states of the instance with this number of processes.
    pub fn new(system: &System, procs: usize, range: Range, values: &Values) -> Result<Self, Refusal> {
        let layout = Layout::new(system, procs);
        let (mut fixed, mut choices) = (vec![None; layout.len()], Vec::new());
        for group in groups(system, &layout, range, values)? {
            match group.ways.as_slice() {
                [way] => group.cells.iter().zip(way).for_each(|(&at, value)| fixed[at] = Some(*value)),
                _ => choices.push(group),
            }
        }
        Ok(Self { layout, fixed, choices })
    }

    /// The positions of the cells of a variable.
    pub fn cells(&self, id: VarId, var: &Var) -> std::ops::Range<usize> {
        let first = self.layout.position(id, vec![0; var.arity()]);
        first..first + self.layout.procs.pow(var.arity() as u32)
    }

    /// The value that all cells of a variable have.
    pub fn value(&self, id: VarId, var: &Var) -> Option<Value> {
        let all = &self.fixed[self.cells(id, var)];
        all[0].filter(|_| all.iter().all(|it| *it == all[0]))
    }
}

/// The most ways to fill a group.
const MOST_WAYS: usize = 4096;

/// The most values that are tried for a group before it is given up.
const MOST_TRIES: usize = 2_000_000;

/// The most instances of the formula of init and of all axioms.
const MOST_INSTANCES: usize = 200_000;

/// One instance of init or of an axiom.
struct Constraint {
    body: Dnf,
    procs: Vec<usize>,
    /// Positions of the cells that it reads, ascending.
    cells: Vec<usize>,
}

/// The groups, in order of their first cells.
fn groups(
    system: &System,
    layout: &Layout,
    range: Range,
    values: &Values,
) -> Result<Vec<CellGroup>, Refusal> {
    let procs = layout.procs;
    let pieces = pieces(system);
    let semantics = Semantics::new(system, procs);
    let constraints = constraints(system, &pieces, layout)?;
    let mut domains = domains(system, layout, range, values, &constraints)?;
    let any = |var: &Var| std::iter::repeat_n(Value::first(var.ty), procs.pow(var.arity() as u32));
    let values = system.vars.iter().flat_map(any).collect();
    let state = State { procs, values };
    let mut search = InitialSearch { semantics, state, tries: 0 };
    for constraint in constraints.iter().filter(|c| c.cells.len() == 1) {
        let at = constraint.cells[0];
        domains[at].retain(|value| {
            search.state.values[at] = *value;
            search.holds(constraint)
        });
    }
    let nothing = constraints.iter().filter(|c| c.cells.is_empty()).any(|c| !search.holds(c));
    let mut groups = Vec::new();
    let sizes = (0..).map(VarId).zip(&system.vars).map(|(id, var)| (id, procs.pow(var.arity() as u32)));
    let follows = sizes.flat_map(|(id, cells)| std::iter::repeat_n(system.count_of(id).is_some(), cells));
    let follows: Vec<bool> = follows.collect();
    for cells in connected(layout.len(), &constraints).into_iter().filter(|it| !follows[it[0]]) {
        let about: Vec<&Constraint> =
            constraints.iter().filter(|c| c.cells.len() > 1 && cells.contains(&c.cells[0])).collect();
        let mut ways = Vec::new();
        search.fill(&cells, 0, &about, &domains, &mut ways).ok_or_else(|| {
            Refusal::at(
                system.init.span,
                format!("init allows more than {MOST_WAYS} states of related cells"),
            )
        })?;
        groups.push(CellGroup { cells, ways });
    }
    if nothing || groups.iter().any(|group| group.ways.is_empty()) {
        return Err(Refusal::at(system.init.span, format!("no state is initial with {procs} processes")));
    }
    Ok(groups)
}

struct InitialSearch<'a> {
    semantics: Semantics<'a>,
    state: State,
    tries: usize,
}

impl InitialSearch<'_> {
    fn holds(&self, constraint: &Constraint) -> bool {
        let holds = |state: &State| {
            let env = Env { layout: self.semantics.layout(), state, procs: &constraint.procs };
            env.dnf(&constraint.body) == Some(true)
        };
        if self.semantics.system().counts.is_empty() {
            return holds(&self.state);
        }
        self.semantics.with_counts(self.state.clone()).as_ref().is_some_and(holds)
    }

    /// All ways to fill the cells from number `at` on; `None` when there are too many.
    fn fill(
        &mut self,
        cells: &[usize],
        at: usize,
        constraints: &[&Constraint],
        domains: &[Vec<Value>],
        ways: &mut Vec<Vec<Value>>,
    ) -> Option<()> {
        let Some(&cell) = cells.get(at) else {
            ways.push(cells.iter().map(|&c| self.state.values[c]).collect());
            return (ways.len() <= MOST_WAYS).then_some(());
        };
        for value in &domains[cell] {
            self.tries += 1;
            if self.tries > MOST_TRIES {
                return None;
            }
            self.state.values[cell] = *value;
            // Constraints whose last cell this is can be evaluated now.
            let settled = |c: &&&Constraint| c.cells.last() == Some(&cell);
            if constraints.iter().filter(settled).all(|c| self.holds(c)) {
                self.fill(cells, at + 1, constraints, domains, ways)?;
            }
        }
        Some(())
    }
}

/// A formula for all tuples of processes.
struct InitialPiece {
    params: u8,
    /// Only for pairwise distinct processes.
    distinct: bool,
    body: Dnf,
}

/// Init and the axioms, in parts that must all hold: what all disjuncts of a formula have in common, literal by
/// literal, and the rest.
fn pieces(system: &System) -> Vec<InitialPiece> {
    let init = InitialPiece { params: system.init.params, distinct: false, body: system.init.body.clone() };
    let axioms = system.axioms.iter();
    let axioms =
        axioms.map(|axiom| InitialPiece { params: axiom.params, distinct: true, body: axiom.denial.clone() });
    let mut pieces = Vec::new();
    for InitialPiece { params, distinct, body } in [init].into_iter().chain(axioms) {
        let first = body.0.first().cloned().unwrap_or_default();
        let common: Conj =
            first.into_iter().filter(|literal| body.0.iter().all(|conj| conj.contains(literal))).collect();
        let rest = |conj: &Conj| conj.iter().filter(|literal| !common.contains(literal)).cloned().collect();
        let rest = Dnf(body.0.iter().map(rest).collect());
        let common = common.iter().map(|literal| Dnf(vec![vec![literal.clone()]]));
        pieces.extend(common.chain([rest]).map(|body| InitialPiece { params, distinct, body }));
    }
    pieces.retain(|piece| !piece.body.is_true());
    pieces
}

/// Every instance of every piece; literal by literal where the sorts of the processes leave one conjunction.
fn constraints(
    system: &System,
    pieces: &[InitialPiece],
    layout: &Layout,
) -> Result<Vec<Constraint>, Refusal> {
    let procs = layout.procs;
    let count = |piece: &InitialPiece| procs.checked_pow(u32::from(piece.params));
    if pieces.iter().map(count).any(|n| n.is_none_or(|n| n > MOST_INSTANCES)) {
        let what = format!("init has more than {MOST_INSTANCES} instances with {procs} processes");
        return Err(Refusal::at(system.init.span, what));
    }
    let mut constraints = Vec::new();
    for InitialPiece { params, distinct, body } in pieces {
        let mut of_sorts = FormulaOfSorts::new(system, body);
        let mut add = |body: Dnf, procs: Vec<usize>| {
            let mut cells: Vec<usize> = Vec::new();
            for literal in body.0.iter().flatten() {
                for cell in literal.cells() {
                    match system.count_of(cell.var) {
                        None => cells.push(layout.cell(cell, &procs)),
                        Some(count) => cells.extend(count.reads().into_iter().flat_map(|var| {
                            tuples(layout.procs, system.var(var).arity())
                                .map(move |at| layout.position(var, at))
                        })),
                    }
                }
            }
            cells.sort_unstable();
            cells.dedup();
            constraints.push(Constraint { body, procs, cells });
        };
        let add = |procs: Vec<usize>| {
            let body = of_sorts.of(procs.iter().map(|process| sort_of(system, *process)).collect());
            match body.0.as_slice() {
                [conj] => conj.iter().for_each(|it| add(Dnf(vec![vec![it.clone()]]), procs.clone())),
                _ => add(body.clone(), procs),
            }
        };
        let params = usize::from(*params);
        if *distinct {
            distinct_tuples(procs, params).for_each(add);
        } else {
            tuples(procs, params).for_each(add);
        }
    }
    Ok(constraints)
}

/// The values that each cell can hold, by its type and by the numbers that a conjunction gives; none for those of counts.
fn domains(
    system: &System,
    layout: &Layout,
    range: Range,
    values: &Values,
    constraints: &[Constraint],
) -> Result<Vec<Vec<Value>>, Refusal> {
    let mut equal: Vec<Option<Rational>> = vec![None; layout.len()];
    for constraint in constraints {
        let [conj] = constraint.body.0.as_slice() else { continue };
        let numbers = conj.iter().filter_map(Literal::number);
        for (cell, number) in numbers.filter(|(cell, _)| system.count_of(cell.var).is_none()) {
            equal[layout.cell(cell, &constraint.procs)] = Some(number);
        }
    }
    let mut domains = Vec::with_capacity(layout.len());
    for (number, var) in system.vars.iter().enumerate() {
        let id = VarId(number as u16);
        for index in tuples(layout.procs, var.arity()) {
            domains.push(match var.ty {
                // It follows from other cells.
                _ if system.count_of(id).is_some() => Vec::new(),
                Type::Enum(ty) => {
                    let constructors = 0..system.enumeration(ty).constructors.len() as u8;
                    constructors.map(Value::Constructor).collect()
                }
                Type::Proc | Type::Abstract(_) => values.domain(system, id),
                Type::Int | Type::Real => {
                    let bounds = range.map(|(low, high)| (Rational::integer(low), Rational::integer(high)));
                    match (equal[layout.position(id, index)], range) {
                        (Some(n), _) if bounds.is_none_or(|(low, high)| low <= n && n <= high) => {
                            vec![Value::Number(n)]
                        }
                        (None, Some((low, high))) if low.abs_diff(high) < MOST_WAYS as u64 => {
                            (low..=high).map(|n| Value::Number(Rational::integer(n))).collect()
                        }
                        (Some(n), _) => {
                            let what =
                                format!("`{}` is {n} in the beginning, which is out of range", var.name);
                            return Err(Refusal::at(system.init.span, what).help("widen --abstr-num"));
                        }
                        (None, _) => {
                            let what = format!("`{}` may be any number in the beginning", var.name);
                            let help = "say `= NUMBER` in init, or give --abstr-num a small range";
                            return Err(Refusal::at(var.span, what).help(help));
                        }
                    }
                }
            });
        }
    }
    Ok(domains)
}

/// The cells, in groups such that no constraint reads cells of two groups.
fn connected(cells: usize, constraints: &[Constraint]) -> Vec<Vec<usize>> {
    let mut sets = UnionFind::new(cells);
    for constraint in constraints {
        for pair in constraint.cells.windows(2) {
            sets.join(pair[0], pair[1]);
        }
    }
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); cells];
    for cell in 0..cells {
        groups[sets.root(cell)].push(cell);
    }
    groups.retain(|cells| !cells.is_empty());
    groups.sort_unstable();
    groups
}
