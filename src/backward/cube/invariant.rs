//! Cubes as claims over the model's variables: the invariant that a finished search has shown, and questions to an oracle.

use super::cell::CubeCell;
use super::context::{CellKind, CubeContext};
use super::cube::{Cube, Excluded};
use super::export::{Naming, mask_literals, model_cell, relational_literal};
use super::halt::Overflow;
use super::instantiate::Instantiation;
use super::literal::CubeLiteral;
use cubicle_lang::model::semantics::namings;
use cubicle_lang::model::{Cell, Conj, Dnf, Literal, ProcRef, System, Term, VarId};
use cubicle_run::Forbidden;

/// The cubes that a finished run has shown unreachable: first what follows from the declarations alone (values that
/// a cell never holds, globals that never hold a process), then the visited cubes.
pub fn invariant<'c>(
    system: &System,
    context: &CubeContext,
    visited: impl Iterator<Item = &'c Cube>,
) -> Vec<Forbidden> {
    let mut out = Vec::new();
    for (v, var) in system.vars.iter().enumerate() {
        let CellKind::Enum(range) = context.kind(CubeCell::of(VarId(v as u16), [])) else { continue };
        let cubicle_lang::model::Type::Enum(id) = var.ty else { continue };
        let never = system.enumeration(id).all() & !range;
        if never == 0 {
            continue;
        }
        // The ways in which indices can coincide: `[0, 0]` and `[0, 1]` for two.
        for (params, index) in namings(0, var.arity() as u8, &|_, _| true) {
            let index = index.into_iter().map(ProcRef::Var).collect();
            let cell = Cell { var: VarId(v as u16), index };
            out.push(Forbidden::new(params, vec![Literal::In { cell, values: never }]));
        }
    }
    for global in context.outside_globals() {
        let cell = model_cell(context, global, &ProcRef::Var);
        out.push(Forbidden::new(1, vec![Literal::points(cell, ProcRef::Var(0), true)]));
    }
    out.extend(visited.flat_map(|cube| states(context, cube)));
    out
}

/// The states of a cube: those of several, where a proc cell holds one of several processes.
pub fn states(context: &CubeContext, cube: &Cube) -> Vec<Forbidden> {
    let params = cube.procs - context.rigid;
    let others: Vec<Conj> = cube.others.iter().flat_map(|it| excluded(context, cube.procs, it)).collect();
    let of_cube = |cube| Forbidden { params, cube, others: others.clone() };
    forbidden(context, cube).into_iter().map(of_cube).collect()
}

/// The cube as conjunctions of literals over its processes that are not rigid, which differ from the rigid
/// ones: several where a proc cell holds one of several processes.
fn forbidden(context: &CubeContext, cube: &Cube) -> Vec<Conj> {
    let (rigid, name) = (context.rigid, named(context));
    let mut differ: Conj = Vec::with_capacity(cube.len());
    for p in rigid..cube.procs {
        differ.extend((0..rigid).map(|q| equal(Term::Proc(name(p)), name(q), true)));
    }
    conjunctions(context, cube.procs, differ, cube.literals(), &name)
}

/// The names of processes in claims: rigid ones are constants.
fn named(context: &CubeContext) -> impl Fn(u8) -> ProcRef + use<> {
    let rigid = context.rigid;
    move |p| if p < rigid { ProcRef::Const(p) } else { ProcRef::Var(p - rigid) }
}

fn equal(left: Term, right: ProcRef, negated: bool) -> Literal {
    Literal::Eq { left, right: Term::Proc(right), negated }
}

/// Literals, with further ones, among `procs` processes as conjunctions of the model.
fn conjunctions(
    context: &CubeContext,
    procs: u8,
    first: Conj,
    literals: impl Iterator<Item = CubeLiteral>,
    name: Naming<'_>,
) -> Vec<Conj> {
    let mut out: Vec<Conj> = vec![first];
    let add = |out: &mut Vec<Conj>, literal: Literal| {
        for conj in out.iter_mut() {
            conj.push(literal.clone());
        }
    };
    for g in literals {
        match g {
            CubeLiteral::Relational(s) => add(&mut out, relational_literal(context, &s, name)),
            CubeLiteral::Mask(cell, mask) => match mask_literals(context, procs, cell, mask, name) {
                (literals, true) => literals.into_iter().for_each(|it| add(&mut out, it)),
                (literals, false) => {
                    let each = |conj: Conj| {
                        literals
                            .iter()
                            .map(|it| [&conj[..], std::slice::from_ref(it)].concat())
                            .collect::<Vec<_>>()
                    };
                    out = out.into_iter().flat_map(each).collect();
                }
            },
        }
    }
    out
}

/// What no process has that a cube of `procs` processes does not name, as conjunctions: their variables are those of the cube's processes that are not
/// rigid, then that of the other process.
pub fn excluded(context: &CubeContext, procs: u8, literals: &Excluded) -> Vec<Conj> {
    let (rigid, name) = (context.rigid, named(context));
    let differs = (0..rigid).map(|p| equal(Term::Proc(name(procs)), name(p), true)).collect();
    conjunctions(context, procs + 1, differs, literals.iter().cloned(), &name)
}

/// "Some of these literals do not hold", over variables for all processes of a cube, then one for the other process.
pub fn denial_of(context: &CubeContext, procs: u8, literals: &Excluded) -> Result<Dnf, Overflow> {
    let env = Instantiation { context, procs: procs + 1, vars: &[] };
    let Some(clause) = env.denial(literals)? else { return Ok(Dnf(vec![Vec::new()])) };
    let of_one = |it| conjunctions(context, procs + 1, Vec::new(), std::iter::once(it), &ProcRef::Var);
    Ok(Dnf(clause.into_iter().flat_map(of_one).collect()))
}

/// The cube for an oracle; `None` when a mask is not a conjunction of literals.
pub fn oracle_question(context: &CubeContext, cube: &Cube) -> Option<Forbidden> {
    let mut all = conjunctions(context, cube.procs, Vec::new(), cube.literals(), &named(context));
    let literals = all.pop().filter(|_| all.is_empty())?;
    let others = cube.others.iter().flat_map(|it| excluded(context, cube.procs, it)).collect();
    Some(Forbidden { params: cube.procs - context.rigid, cube: literals, others })
}
