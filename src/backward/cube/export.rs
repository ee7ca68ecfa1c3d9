//! Cubes as model literals, as solver formulas and as text.

use super::cell::{CubeCell, OTHER};
use super::context::{CellKind, CubeContext};
use super::cube::Cube;
use super::linear::compared;
use super::literal::{Bound, CubeLiteral, Relational};
use cubicle_lang::model::{Cell, Linear, Literal, ProcRef, Rational, Relation, System, Term};
use cubicle_lang::words;
use cubicle_solver::smt::InstanceFormula;

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
            let (form, constant, relation) = compared(form, *bound);
            let mut terms: Vec<(Cell, Rational)> =
                form.iter().map(|&(s, k)| (model_cell(context, s, name), k)).collect();
            terms.sort_by(|a, b| a.0.cmp(&b.0));
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
            let (literals, all) = mask_literals(context, procs, *cell, *mask, name);
            let formulas = literals.into_iter().map(InstanceFormula::Literal).collect();
            if all { InstanceFormula::All(formulas) } else { InstanceFormula::Any(formulas) }
        }
    }
}

/// A mask in the model's terms: literals that all hold, or (false) one of which holds.
pub fn mask_literals(
    context: &CubeContext,
    procs: u8,
    cell: CubeCell,
    mask: u64,
    name: Naming<'_>,
) -> (Vec<Literal>, bool) {
    let of_model = model_cell(context, cell, name);
    if context.kind(cell) != CellKind::Proc {
        return (vec![Literal::In { cell: of_model, values: mask }], true);
    }
    // Where it may hold none of the processes, those that it does not hold are said.
    let negated = mask & OTHER != 0;
    let said = (0..procs).filter(|p| (mask >> p & 1 == 0) == negated);
    let is = |p: u8| Literal::points(of_model.clone(), name(p), !negated);
    (said.map(is).collect(), negated)
}

pub fn formulas(context: &CubeContext, cube: &Cube) -> Vec<InstanceFormula> {
    cube.literals().map(|g| formula(context, cube.procs, &g)).collect()
}

/// One line for each literal, such as `S[#1] = Crit` or `Turn <> #2`, then one for each thing that no other process does.
pub fn text(system: &System, context: &CubeContext, cube: &Cube) -> Vec<String> {
    let named = |p: u8| format!("#{}", p + 1);
    let other = |p: u8| if p == cube.procs { "q".to_owned() } else { named(p) };
    let literals = cube.literals().map(|g| literal_text(system, context, cube.procs, &named, &g));
    let others = cube.others.iter().map(|excluded| {
        let literals = excluded.iter().map(|g| literal_text(system, context, cube.procs + 1, &other, g));
        format!("no other process q has {}", literals.collect::<Vec<_>>().join(" && "))
    });
    literals.chain(others).collect()
}

fn cell_text(system: &System, context: &CubeContext, name: &dyn Fn(u8) -> String, cell: CubeCell) -> String {
    if let Some(p) = cell.as_process() {
        return name(p);
    }
    let cell = model_cell(context, cell, &ProcRef::Var);
    words::cell(system, &cell, &|p| match p {
        ProcRef::Var(p) | ProcRef::Const(p) => name(p),
    })
}

fn literal_text(
    system: &System,
    context: &CubeContext,
    procs: u8,
    name: &dyn Fn(u8) -> String,
    g: &CubeLiteral,
) -> String {
    let s = |cell: CubeCell| cell_text(system, context, name, cell);
    match g {
        CubeLiteral::Mask(cell, mask) => {
            let full = context.full(*cell, procs);
            let values = |mask: u64| -> Vec<String> {
                (0..64).filter(|b| mask >> b & 1 == 1).map(|b| value_text(system, name, *cell, b)).collect()
            };
            let (allowed, excluded) = (values(*mask), values(full & !mask));
            if allowed.len() == 1 && mask & OTHER == 0 {
                format!("{} = {}", s(*cell), allowed[0])
            } else if excluded.len() == 1 && full & !mask & OTHER == 0 {
                format!("{} <> {}", s(*cell), excluded[0])
            } else if mask & OTHER != 0 && context.kind(*cell) == CellKind::Proc {
                let all: Vec<String> = excluded.iter().map(|v| format!("{} <> {v}", s(*cell))).collect();
                all.join(" && ")
            } else {
                format!("{} in {{{}}}", s(*cell), allowed.join(", "))
            }
        }
        CubeLiteral::Relational(relational) => match relational {
            Relational::Eq(a, b) => format!("{} = {}", s(*a), s(*b)),
            Relational::Ne(a, b) => format!("{} <> {}", s(*a), s(*b)),
            Relational::Lt(a, b) => format!("{} < {}", s(*a), s(*b)),
            Relational::Le(a, b) => format!("{} <= {}", s(*a), s(*b)),
            Relational::Linear { form, bound, .. } => linear_text(form, *bound, &s),
        },
    }
}

fn value_text(system: &System, name: &dyn Fn(u8) -> String, cell: CubeCell, bit: u8) -> String {
    match system.var(cell.var()).ty {
        cubicle_lang::model::Type::Enum(e) => system.enumeration(e).constructors[usize::from(bit)].clone(),
        _ => name(bit),
    }
}

/// Positive terms on the left, negative ones on the right: `N[#1] + 2 <= M`.
fn linear_text(form: &[(CubeCell, Rational)], bound: Bound, s: &dyn Fn(CubeCell) -> String) -> String {
    let terms = |positive: bool| -> Vec<String> {
        form.iter()
            .filter(|t| (t.1.signum() > 0) == positive)
            .map(|&(cell, k)| {
                let k = if positive { k } else { k.neg() };
                if k == Rational::ONE { s(cell) } else { format!("{k} * {}", s(cell)) }
            })
            .collect()
    };
    let (mut left, mut right) = (terms(true), terms(false));
    let c = bound.number();
    if right.is_empty() || c.signum() > 0 {
        if !c.is_zero() || right.is_empty() {
            right.push(c.to_string());
        }
    } else if !c.is_zero() {
        left.push(c.neg().to_string());
    }
    let op = match bound {
        Bound::Le(_) => "<=",
        Bound::Lt(_) => "<",
        Bound::Ge(_) => ">=",
        Bound::Gt(_) => ">",
        Bound::Eq(_) => "=",
        Bound::Ne(_) => "<>",
    };
    format!("{} {op} {}", left.join(" + "), right.join(" + "))
}
