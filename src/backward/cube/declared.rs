//! The cubes of declarations of the model: bad states and axioms.

use super::builder::CubeBuilder;
use super::context::CubeContext;
use super::cube::Cube;
use super::halt::{Halt, Overflow};
use super::instantiate::Instantiation;
use cubicle_lang::model::{Bad, Conj};

/// The cubes of a bad declaration: its parameters are distinct, and each is a rigid process or another.
/// A parameter that no literal mentions still names a process.
pub fn bad_cubes(context: &CubeContext, bad: &Bad) -> Result<Vec<Cube>, Halt> {
    cubes_of(context, bad.params, &bad.cube)
}

/// The cubes of a conjunction over distinct processes, each a rigid one or another.
pub fn cubes_of(context: &CubeContext, params: u8, cube: &Conj) -> Result<Vec<Cube>, Halt> {
    let mut out = Vec::new();
    let mut names = Vec::new();
    bind(context, params, cube, &mut names, context.rigid, &mut out)?;
    Ok(out)
}

fn bind(
    context: &CubeContext,
    params: u8,
    cube: &Conj,
    names: &mut Vec<u8>,
    procs: u8,
    out: &mut Vec<Cube>,
) -> Result<(), Halt> {
    context.interrupt.poll()?;
    if names.len() == usize::from(params) {
        if usize::from(procs) > context.max_procs {
            return if context.bounded { Ok(()) } else { Err(Overflow.into()) };
        }
        let mut b = CubeBuilder::new(context, procs);
        let env = Instantiation { context, procs, vars: names };
        for l in cube {
            if !b.require_reduced(&env.literal(l)?) {
                return Ok(());
            }
        }
        out.extend(b.finish()?);
        return Ok(());
    }
    for p in 0..context.rigid {
        if !names.contains(&p) {
            names.push(p);
            bind(context, params, cube, names, procs, out)?;
            names.pop();
        }
    }
    names.push(procs);
    bind(context, params, cube, names, procs + 1, out)?;
    names.pop();
    Ok(())
}
