//! The cubes of declarations of the model: bad states and axioms.

use super::builder::CubeBuilder;
use super::context::CubeContext;
use super::cube::Cube;
use super::halt::{Halt, Overflow};
use super::instantiate::Instantiation;
use cubicle_lang::model::{Bad, Dnf, Forbidden};

/// The cubes of a bad declaration: its parameters are distinct, and each is a rigid process or another.
/// A parameter that no literal mentions still names a process.
pub fn bad_cubes(context: &CubeContext, bad: &Bad) -> Result<Vec<Cube>, Halt> {
    cubes_of(context, &bad.into())
}

/// The cubes of forbidden states over distinct processes, each a rigid one or another. Of rigid processes nothing is said where they are
/// others, so that a cube may be larger.
pub fn cubes_of(context: &CubeContext, states: &Forbidden) -> Result<Vec<Cube>, Halt> {
    let mut out = Vec::new();
    let mut names = Vec::new();
    bind(context, states, &mut names, context.rigid, &mut out)?;
    Ok(out)
}

fn bind(
    context: &CubeContext,
    states: &Forbidden,
    names: &mut Vec<u8>,
    procs: u8,
    out: &mut Vec<Cube>,
) -> Result<(), Halt> {
    context.interrupt.poll()?;
    if names.len() == usize::from(states.params) {
        if usize::from(procs) > context.max_procs {
            return if context.bounded { Ok(()) } else { Err(Overflow.into()) };
        }
        let mut b = CubeBuilder::new(context, procs);
        let env = Instantiation { context, procs, vars: names };
        for l in &states.cube {
            if !b.require_reduced(&env.literal(l)?) {
                return Ok(());
            }
        }
        let vars = [&names[..], &[procs]].concat();
        let env = Instantiation { context, procs: procs + 1, vars: &vars };
        for conj in &states.others {
            env.dnf(&Dnf(vec![conj.clone()]))?.into_iter().for_each(|literals| b.exclude(literals.into()));
        }
        out.extend(b.finish()?);
        return Ok(());
    }
    for p in 0..context.rigid {
        if !names.contains(&p) {
            names.push(p);
            bind(context, states, names, procs, out)?;
            names.pop();
        }
    }
    names.push(procs);
    bind(context, states, names, procs + 1, out)?;
    names.pop();
    Ok(())
}
