//! The affine hull of the reachable states.

use cubicle_lang::model::{Cell, Conj, Dnf, Linear, Literal, ProcRef, Rational, Relation, VarId};

use super::case::{Case, cases};
use super::columns::{Column, Columns, PROCESSES, full};
use super::span::{Overflow, Span, Sparse, gathered, restrict, value};

/// Most vectors mapped before the analysis is given up.
const MOST_STEPS: usize = 40_000;

/// The hull; `None` when there is no initial state, or it takes too long. Pivots are chosen in this order of columns.
pub fn hull(columns: &Columns<'_>, order: &[usize]) -> Result<Option<Span>, Overflow> {
    let mut hull = Span::default();
    for vector in initial(columns)? {
        hull.add(vector, order)?;
    }
    if hull.vectors().all(|it| it[0].is_zero()) {
        return Ok(None);
    }
    let mut steps: Vec<Case> = Vec::new();
    for t in &columns.system.transitions {
        for case in cases(columns, t)? {
            if !steps.contains(&case) {
                steps.push(case);
            }
        }
    }
    let mut work = 0;
    loop {
        let mut grew = false;
        for case in &steps {
            for vector in apply(columns, &hull, case)? {
                work += 1;
                grew |= hull.add(vector, order)?;
            }
        }
        if !grew {
            return Ok(Some(hull));
        }
        if work > MOST_STEPS {
            return Ok(None);
        }
    }
}

/// Vectors that span the states after a case, where some state admits it.
fn apply(columns: &Columns<'_>, hull: &Span, case: &Case) -> Result<Vec<Vec<Rational>>, Overflow> {
    let width = columns.all.len();
    let mut vectors: Vec<Vec<Rational>> = hull.vectors().cloned().collect();
    for vector in &mut vectors {
        vector.resize(width + case.unknown, Rational::ZERO);
    }
    vectors.extend((0..case.unknown).map(|n| unit(width + case.unknown, width + n)));
    for row in &case.zero {
        restrict(&mut vectors, row)?;
    }
    if vectors.iter().all(|it| it[0].is_zero()) {
        return Ok(Vec::new());
    }
    let mut after = Vec::with_capacity(vectors.len());
    for vector in &vectors {
        let mut next = vector[..width].to_vec();
        for (at, row) in &case.changes {
            next[*at] = value(row, vector)?;
        }
        for at in &case.lost {
            next[*at] = Rational::ZERO;
        }
        after.push(next);
    }
    after.extend(case.lost.iter().map(|at| unit(width, *at)));
    Ok(after)
}

fn unit(width: usize, at: usize) -> Vec<Rational> {
    let mut vector = vec![Rational::ZERO; width];
    vector[at] = Rational::ONE;
    vector
}

/// Vectors that span the initial states.
fn initial(columns: &Columns<'_>) -> Result<Vec<Vec<Rational>>, Overflow> {
    let system = columns.system;
    let mut vectors: Vec<Vec<Rational>> = (0..columns.all.len()).map(|at| unit(columns.all.len(), at)).collect();
    let mut rows = columns.structural()?;
    for (at, column) in columns.all.iter().enumerate() {
        match column {
            Column::Class(..) | Column::Holds(..) if !is_initial(columns, at) => {
                rows.push(vec![(at, Rational::ONE)]);
            }
            _ => {}
        }
    }
    let literals = |conj: &Conj| -> Vec<Linear> {
        let equation = |literal: &Literal| match literal {
            Literal::Linear { expr, relation: Relation::Eq, integer: true } => Some(expr.clone()),
            _ => None,
        };
        conj.iter().filter_map(equation).collect()
    };
    // Equations that every disjunct says.
    let common = |body: &Dnf| -> Vec<Linear> {
        let Some((first, rest)) = body.0.split_first() else { return Vec::new() };
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
            && let Some(at) = columns.place(&Column::Sum(cell.var))
        {
            rows.push(gathered(vec![(at, *factor), (PROCESSES, expr.constant)])?);
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
    Ok(vectors)
}

/// Whether a class may have processes, or a global hold a value, in an initial state.
pub fn is_initial(columns: &Columns<'_>, at: usize) -> bool {
    let (system, init) = (columns.system, &columns.system.init);
    match &columns.all[at] {
        Column::Class(group, class) => {
            let group = &columns.groups[*group];
            // What init says of each parameter it says of each process.
            let allowed = |(array, value): (&VarId, &u8)| {
                (0..init.params).all(|p| {
                    let index = [ProcRef::Var(p)];
                    possible(&init.body, *array, &index, full(system, *array)) >> value & 1 == 1
                })
            };
            group.arrays.iter().zip(&group.classes[*class]).all(allowed)
        }
        Column::Holds(var, value) => {
            let all = full(system, *var);
            let some = possible(&init.body, *var, &[], all) | possible(&init.without_processes, *var, &[], all);
            some >> value & 1 == 1
        }
        Column::One | Column::Processes | Column::Sum(_) | Column::Number(_) => true,
    }
}

/// An expression over globals as a row, where all of it are columns.
fn row(columns: &Columns<'_>, expr: &Linear) -> Result<Option<Sparse>, Overflow> {
    let mut row = vec![(0, expr.constant)];
    for (cell, factor) in &expr.terms {
        let Some(known) = columns.number(cell.var).filter(|_| cell.index.is_empty()) else { return Ok(None) };
        for (at, value) in known {
            row.push((at, value.mul(*factor).ok_or(Overflow)?));
        }
    }
    gathered(row).map(Some)
}

/// The values that a formula allows for a cell of enum type, literal by literal.
fn possible(body: &Dnf, var: VarId, index: &[ProcRef], all: u64) -> u64 {
    let about = |cell: &Cell| cell.var == var && cell.index.as_slice() == index;
    body.0.iter().fold(0, |set, conj| {
        set | conj.iter().fold(all, |left, literal| match literal {
            Literal::In { cell, values } if about(cell) => left & values,
            _ => left,
        })
    })
}
