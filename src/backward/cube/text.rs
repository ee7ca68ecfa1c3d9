//! Cubes as text.

use super::cell::{CubeCell, OTHER};
use super::context::{CellKind, CubeContext};
use super::cube::Cube;
use super::export::model_cell;
use super::literal::{Bound, CubeLiteral, Relational};
use cubicle_lang::model::{ProcRef, Rational, System};
use cubicle_lang::words;

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
