//! Cubes as model literals and as solver formulas.

use super::cell::{CubeCell, OTHER};
use super::context::{CellKind, CubeContext};
use super::cube::Cube;
use super::linear::relation_of;
use super::literal::{CubeLiteral, Relational};
use crate::smt::InstanceFormula;
use cubicle_lang::model::{Cell, Linear, Literal, ProcRef, Rational, Relation, Term};

/// How processes of a cube appear in the model's terms.
pub type Naming<'n> = &'n dyn Fn(u8) -> ProcRef;

pub fn model_cell(context: &CubeContext, cell: CubeCell, name: Naming<'_>) -> Cell {
    Cell { var: cell.var(), index: context.indices(cell).map(name).collect() }
}

fn term(context: &CubeContext, cell: CubeCell, name: Naming<'_>) -> Term {
    match cell.as_process() {
        Some(p) => Term::Proc(name(p)),
        None => Term::Cell(model_cell(context, cell, name)),
    }
}

/// A relational literal in the model's terms.
pub fn relational_literal(context: &CubeContext, relational: &Relational, name: Naming<'_>) -> Literal {
    let t = |s: CubeCell| term(context, s, name);
    match relational {
        Relational::Eq(a, b) => Literal::Eq { left: t(*a), right: t(*b), negated: false },
        Relational::Ne(a, b) => Literal::Eq { left: t(*a), right: t(*b), negated: true },
        Relational::Lt(a, b) => Literal::Less { left: t(*a), right: t(*b), strict: true },
        Relational::Le(a, b) => Literal::Less { left: t(*a), right: t(*b), strict: false },
        Relational::Linear { integer, form, bound } => {
            let (relation, negate) = relation_of(*bound);
            let sign = |k: Rational| if negate { k.neg() } else { k };
            let mut terms: Vec<(Cell, Rational)> =
                form.iter().map(|&(s, k)| (model_cell(context, s, name), sign(k))).collect();
            terms.sort_by(|a, b| a.0.cmp(&b.0));
            let constant = sign(bound.number().neg());
            assert!(
                relation != Relation::Lt || !integer,
                "`linear` and `negate` make strict bounds of reals only"
            );
            Literal::Linear { expr: Linear { terms, constant }, relation, integer: *integer }
        }
    }
}

/// A ground literal as a formula over the cube's processes (`ProcRef::Var(p)` is process p).
pub fn formula(context: &CubeContext, procs: u8, g: &CubeLiteral) -> InstanceFormula {
    let name: Naming<'_> = &ProcRef::Var;
    match g {
        CubeLiteral::Relational(s) => InstanceFormula::Literal(relational_literal(context, s, name)),
        CubeLiteral::Mask(cell, mask) => {
            let (literals, all) = mask_literals(context, procs, (*cell, *mask), name);
            let formulas = literals.into_iter().map(InstanceFormula::Literal).collect();
            if all { InstanceFormula::All(formulas) } else { InstanceFormula::Any(formulas) }
        }
    }
}

/// A mask in the model's terms: literals that all hold, or (false) one of which holds.
pub fn mask_literals(
    context: &CubeContext,
    procs: u8,
    (cell, mask): (CubeCell, u64),
    name: Naming<'_>,
) -> (Vec<Literal>, bool) {
    let of_model = model_cell(context, cell, name);
    if context.kind(cell) != CellKind::Proc {
        return (vec![Literal::In { cell: of_model, values: mask }], true);
    }
    // Where it may hold none of the processes, those that it does not hold are said.
    let negated = mask & OTHER != 0;
    let said = (0..procs).filter(|p| (mask >> p & 1 == 0) == negated);
    let is = |p: u8| Literal::Eq { left: Term::Cell(of_model.clone()), right: Term::Proc(name(p)), negated };
    (said.map(is).collect(), negated)
}

/// All literals of a cube as formulas.
pub fn formulas(context: &CubeContext, cube: &Cube) -> Vec<InstanceFormula> {
    cube.literals().map(|g| formula(context, cube.procs, &g)).collect()
}
