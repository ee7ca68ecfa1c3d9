//! Finds the values of cells that satisfy a conjunction.

use super::shapes::{MOST_WAYS, P, Restarts, Said, refusal};
use cubicle_lang::diagnostic::Diagnostic;
use cubicle_lang::model::rename::Truth;
use cubicle_lang::model::{Cell, Linear, Literal, Rational, Relation, Term, Type, VarId, substitute};

/// Values of cells, and the part of the conjunction that remains as a guard.
pub struct Solution {
    pub values: Vec<(Cell, Term)>,
    pub rest: Vec<Said>,
}

/// All values of the cells that have no other index than the process which restarts.
pub fn solutions(restarts: &Restarts<'_>, said: Vec<Said>) -> Result<Vec<Solution>, Box<Diagnostic>> {
    let whole = said.clone();
    let Some(solved) = solve(restarts, &[], said, &|cell| restarts.is_inner(cell))? else {
        return Ok(Vec::new());
    };
    let mut found = vec![solved];
    for (var, decl) in (0..).map(VarId).zip(&restarts.system.vars) {
        if !restarts.is_assigned(var) || decl.arity() == 0 {
            continue;
        }
        let cell = Cell::at(var, std::iter::repeat_n(P, decl.arity()));
        if !restarts.is_own(&cell) {
            continue;
        }
        if found.iter().all(|it| it.values.iter().any(|(known, _)| *known == cell)) {
            continue;
        }
        let Type::Enum(id) = decl.ty else { return Err(open(restarts, &cell, &whole)) };
        let all = restarts.system.enumeration(id).all();
        let mut next = Vec::new();
        for solution in found {
            for constructor in (0..64).filter(|c| all >> c & 1 == 1) {
                next.extend(extended(restarts, &solution, &cell, Term::Constructor(constructor))?);
            }
        }
        if next.len() > MOST_WAYS {
            return Err(restarts.too_many());
        }
        found = next;
    }
    Ok(found)
}

/// The solution with one more value, if there is one.
fn extended(
    restarts: &Restarts<'_>,
    solution: &Solution,
    cell: &Cell,
    new: Term,
) -> Result<Option<Solution>, Box<Diagnostic>> {
    let value = |it: &Cell| (it == cell).then(|| new.clone());
    let Some(rest) = with_values(restarts, solution.rest.clone(), &value)? else { return Ok(None) };
    let mut values = Vec::with_capacity(solution.values.len() + 1);
    for (known, term) in &solution.values {
        let term = substitute::term(term, &value).ok_or_else(|| restarts.out_of_range())?;
        values.push((known.clone(), term));
    }
    values.push((cell.clone(), new));
    Ok(Some(Solution { values, rest }))
}

/// Solves equations for those cells that are `unknown`, `known` values given; `None` when there is no solution. A value may be
/// that of another unknown cell.
pub fn solve(
    restarts: &Restarts<'_>,
    known: &[(Cell, Term)],
    said: Vec<Said>,
    unknown: &impl Fn(&Cell) -> bool,
) -> Result<Option<Solution>, Box<Diagnostic>> {
    let given = |cell: &Cell| known.iter().find(|(it, _)| it == cell).map(|(_, value)| value.clone());
    let Some(rest) = with_values(restarts, said, &given)? else { return Ok(None) };
    let mut solution = Solution { values: Vec::new(), rest };
    loop {
        let next = solution.rest.iter().find_map(|(literal, _)| equation(restarts, literal, unknown));
        let Some((cell, value)) = next else { return Ok(Some(solution)) };
        match extended(restarts, &solution, &cell, value)? {
            Some(more) => solution = more,
            None => return Ok(None),
        }
    }
}

/// The conjunction with values for cells, less what is true; `None` when it is false.
pub fn with_values(
    restarts: &Restarts<'_>,
    said: Vec<Said>,
    value: &impl Fn(&Cell) -> Option<Term>,
) -> Result<Option<Vec<Said>>, Box<Diagnostic>> {
    let mut rest = Vec::with_capacity(said.len());
    for (literal, span) in said {
        let literal = substitute::literal(restarts.system, &literal, value);
        match literal.ok_or_else(|| restarts.out_of_range())? {
            Truth::Constant(true) => {}
            Truth::Constant(false) => return Ok(None),
            Truth::Literal(literal) => rest.push((literal, span)),
        }
    }
    Ok(Some(rest))
}

/// The value that a literal gives an unknown cell.
fn equation(
    restarts: &Restarts<'_>,
    literal: &Literal,
    unknown: &impl Fn(&Cell) -> bool,
) -> Option<(Cell, Term)> {
    // The present values of other processes are not initial values.
    let usable = |cell: &Cell| unknown(cell) || cell.index.is_empty() || !restarts.is_assigned(cell.var);
    match literal {
        Literal::In { cell, values } if values.is_power_of_two() && unknown(cell) => {
            Some((cell.clone(), Term::Constructor(values.trailing_zeros() as u8)))
        }
        Literal::Eq { left, right, negated: false } => {
            [(left, right), (right, left)].into_iter().find_map(|(side, value)| match (side, value) {
                (Term::Cell(cell), Term::Cell(other)) if unknown(cell) && usable(other) => {
                    Some((cell.clone(), value.clone()))
                }
                (Term::Cell(cell), Term::Proc(_)) if unknown(cell) => Some((cell.clone(), value.clone())),
                _ => None,
            })
        }
        Literal::Linear { expr, relation: Relation::Eq, integer } => {
            if !expr.terms.iter().all(|(cell, _)| usable(cell)) {
                return None;
            }
            expr.terms.iter().filter(|(cell, _)| unknown(cell)).find_map(|(cell, factor)| {
                let unit = *factor == Rational::ONE || *factor == Rational::ONE.neg();
                if *integer && !unit {
                    return None;
                }
                // factor * cell + others = 0
                let others: Vec<_> = expr.terms.iter().filter(|(it, _)| it != cell).cloned().collect();
                let others = Linear { terms: others, constant: expr.constant };
                let value = others.scaled(Rational::ONE.neg().div(*factor)?)?;
                Some((cell.clone(), Term::Linear(value)))
            })
        }
        _ => None,
    }
}

/// The error for a cell of the process that gets no single value.
fn open(restarts: &Restarts<'_>, cell: &Cell, said: &[Said]) -> Box<Diagnostic> {
    let name = restarts.system.title(cell.var);
    let place = said.iter().find(|(literal, _)| literal.cells().contains(&cell));
    let text = format!("`--crash restart`: `init` does not say which value a process has in `{name}`");
    let (span, label) = match place {
        Some((_, span)) => (*span, "it leaves several values open"),
        None => (restarts.system.init.span, "it gives no value"),
    };
    let help = format!("give `{name}` one value for each process, such as a constant or that of a global");
    Box::new(refusal(span, text).label(label).help(help))
}
