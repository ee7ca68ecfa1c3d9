//! The cubes of declarations of the model: bad states and axioms.

use super::builder::Builder;
use super::context::Shape;
use super::cube::Cube;
use super::halt::{Halt, Overflow};
use super::instantiate::Env;
use crate::model::{Bad, Conj};

/// The cubes of a bad declaration: its parameters are distinct, and each is a rigid process or another.
/// A parameter that no literal mentions still counts as a process.
pub fn bad_cubes(shape: &Shape, bad: &Bad) -> Result<Vec<Cube>, Halt> {
    cubes_of(shape, bad.params, &bad.cube)
}

/// The cubes of a conjunction over distinct processes, each a rigid one or another.
pub fn cubes_of(shape: &Shape, params: u8, cube: &Conj) -> Result<Vec<Cube>, Halt> {
    let mut out = Vec::new();
    let mut names = Vec::new();
    bind(shape, params, cube, &mut names, shape.rigid, &mut out)?;
    Ok(out)
}

fn bind(
    shape: &Shape,
    params: u8,
    cube: &Conj,
    names: &mut Vec<u8>,
    procs: u8,
    out: &mut Vec<Cube>,
) -> Result<(), Halt> {
    shape.interrupt.poll()?;
    if names.len() == usize::from(params) {
        if usize::from(procs) > shape.max_procs {
            return if shape.bounded { Ok(()) } else { Err(Overflow.into()) };
        }
        let mut b = Builder::new(shape, procs);
        let env = Env { shape, procs, vars: names };
        for l in cube {
            if !b.require_reduced(&env.literal(l)?) {
                return Ok(());
            }
        }
        out.extend(b.finish()?);
        return Ok(());
    }
    for p in 0..shape.rigid {
        if !names.contains(&p) {
            names.push(p);
            bind(shape, params, cube, names, procs, out)?;
            names.pop();
        }
    }
    names.push(procs);
    bind(shape, params, cube, names, procs + 1, out)?;
    names.pop();
    Ok(())
}
