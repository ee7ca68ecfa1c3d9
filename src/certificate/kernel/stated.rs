//! A system and the cubes of a proof in the words of `coq/Model.v`: what it lacks is said by counts.
//!
//! - A *witness* holds a process in each cell: an axiom, that for any indices the number of processes that the cell is does not
//!   vanish. Since no transition assigns a witness, that is so in all states.
//! - A *tail* at some processes is whether no process is a gap there: a count of the gaps, in place of the array that the proof added. The Gallina
//!   checker then finds what guards say of it, and need not know how steps change it.
//! - That *no other process* is something is a count, too: of the processes that are none of the cube's, and that.

use crate::cubes::Cubes;
use crate::ground::Overflow;
use cubicle_lang::model::semantics::namings;
use cubicle_lang::model::{
    Axiom, Cell, Dnf, Linear, Literal, ProcRef, Rational, Relation, System, Term, VarId, rename,
};
use cubicle_run::Forbidden;

const TRUE: u8 = 1;

/// The system that a theorem is about, and what its proof is about.
pub struct Stated {
    pub system: System,
    /// It with the variables that the proof adds, which come after its own.
    pub extended: System,
    pub cubes: Cubes,
}

pub fn stated(model: &System, cubes: &Cubes) -> Result<Stated, Overflow> {
    let system = with_total_witnesses(model)?;
    let mut of_cubes = cubes.clone();
    of_cubes.all.extend(system.axioms[model.axioms.len()..].iter().map(Forbidden::from));
    // What each variable of the proof is here.
    let mut renamed: Vec<VarId> = (0..model.vars.len() as u16).map(VarId).collect();
    let mut parts = system.to_parts();
    let mut gaps = Vec::new();
    for tail in &cubes.subject.tails {
        let span = parts.init.span;
        let var =
            parts.counted(tail.constants, Dnf(vec![tail.denial.clone()]), None, span).ok_or(Overflow)?;
        renamed.push(var);
        gaps.push(var);
    }
    let literal = |it: &Literal, renamed: &[VarId]| restated(it, renamed, &gaps);
    for (var, count) in &cubes.counts {
        let body: Result<_, Overflow> =
            count.body.0.iter().map(|conj| conj.iter().map(|it| literal(it, &renamed)).collect()).collect();
        let summand = count.summand.as_ref().map(|it| sum(it, &renamed)).transpose()?;
        renamed.push(parts.counted(var.arity() as u8, Dnf(body?), summand, var.span).ok_or(Overflow)?);
    }
    for forbidden in &mut of_cubes.all[..cubes.proved] {
        for it in &mut forbidden.cube {
            *it = literal(it, &renamed)?;
        }
        let others = std::mem::take(&mut forbidden.others);
        if others.is_empty() {
            continue;
        }
        let differs = |named| {
            let [left, right] = [named, forbidden.params].map(|it| Term::Proc(ProcRef::Var(it)));
            Literal::Eq { left, right, negated: true }
        };
        let mut body = Vec::new();
        for other in &others {
            let said: Result<Vec<_>, _> = other.iter().map(|it| literal(it, &renamed)).collect();
            body.push((0..forbidden.params).map(differs).chain(said?).collect());
        }
        let var = parts.counted(forbidden.params, Dnf(body), None, parts.init.span).ok_or(Overflow)?;
        let cell = Cell::at(var, (0..forbidden.params).map(ProcRef::Var));
        forbidden.cube.push(compared(cell, 1, Relation::Le));
    }
    Ok(Stated { system, extended: System::new(parts), cubes: of_cubes })
}

/// The system with axioms that say of each witness that its cells hold processes.
pub fn with_total_witnesses(system: &System) -> Result<System, Overflow> {
    let mut parts = system.to_parts();
    for &var in &system.witnesses {
        let arity = system.var(var).arity() as u8;
        let is = Literal::points(Cell::at(var, (0..arity).map(ProcRef::Var)), ProcRef::Var(arity), true);
        let span = system.var(var).span;
        let count = parts.counted(arity, Dnf(vec![vec![is]]), None, span).ok_or(Overflow)?;
        // Indices may be the same process.
        for (params, index) in namings(0, arity, &|_, _| true) {
            let cell = Cell::at(count, index.into_iter().map(ProcRef::Var));
            let none = compared(cell.clone(), 1, Relation::Le);
            let some = compared(cell, -1, Relation::Lt);
            parts.axioms.push(Axiom {
                name: system.var(var).name.clone(),
                number: 0,
                params,
                cube: vec![none],
                denial: Dnf(vec![vec![some]]),
                reads: vec![var],
                span,
            });
        }
    }
    Ok(System::new(parts))
}

/// `factor * cell` compared with 0.
fn compared(cell: Cell, factor: i64, relation: Relation) -> Literal {
    let terms = vec![(cell, Rational::integer(factor))];
    Literal::Linear { expr: Linear { terms, constant: Rational::ZERO }, relation, integer: true }
}

/// A literal of the proof: `gaps` are the counts that stand for arrays of the proof, which are true where there is no gap.
fn restated(literal: &Literal, renamed: &[VarId], gaps: &[VarId]) -> Result<Literal, Overflow> {
    let renaming = |it: &Cell| cell(it, renamed);
    Ok(match literal {
        Literal::In { cell, values } if gaps.contains(&renaming(cell).var) => match values >> TRUE & 1 {
            0 => compared(renaming(cell), -1, Relation::Lt),
            _ => compared(renaming(cell), 1, Relation::Le),
        },
        Literal::Linear { expr, relation, integer } => {
            Literal::Linear { expr: sum(expr, renamed)?, relation: *relation, integer: *integer }
        }
        Literal::In { .. } | Literal::Eq { .. } | Literal::Less { .. } => {
            rename::replaced(literal, &renaming, &|p| p)
        }
    })
}

fn cell(cell: &Cell, renamed: &[VarId]) -> Cell {
    Cell { var: renamed[usize::from(cell.var.0)], index: cell.index.clone() }
}

fn sum(sum: &Linear, renamed: &[VarId]) -> Result<Linear, Overflow> {
    sum.map_cells(|it| cell(it, renamed)).ok_or(Overflow)
}
