//! Cubes with one more named process: one of the others, of which what the cube says of all others holds.

use super::builder::CubeBuilder;
use super::context::CubeContext;
use super::cube::Cube;
use super::halt::Halt;
use super::instantiate::{Disjunction, Instantiation};
use super::literal::Reduced;
use super::rename::rename_literal;

/// A cube that names one more process.
#[derive(Debug)]
pub struct Widened<'a> {
    /// The cube; its last process is the further one.
    pub cube: CubeBuilder<'a>,
    /// What holds of the further process besides: one conjunction of each.
    pub choices: Vec<Disjunction>,
}

/// The states of a cube that have a further process, with a name for it.
pub fn widened<'a>(context: &'a CubeContext, cube: &Cube) -> Result<Widened<'a>, Halt> {
    let further = cube.procs;
    let procs = further + 1;
    let own: Vec<u8> = (0..further).collect();
    let mut wider = CubeBuilder::new(context, procs);
    for literal in cube.literals() {
        // A cell that holds none of the processes named so far may hold the further one.
        let fits = wider.require(&rename_literal(context, &literal, &own, procs)?);
        debug_assert!(fits, "a further process contradicts nothing");
    }
    let env = Instantiation { context, procs, vars: &[] };
    let mut choices = Vec::with_capacity(cube.others.len());
    let (named, other) = ([&own[..], &[further]].concat(), [&own[..], &[procs]].concat());
    for excluded in &cube.others {
        let mut denied = Vec::with_capacity(excluded.len());
        let mut holds = false;
        for literal in excluded {
            match env.negate(&rename_literal(context, literal, &named, procs)?)? {
                Reduced::True => holds = true,
                Reduced::False => {}
                Reduced::Literal(negated) => denied.push(vec![negated]),
            }
        }
        if !holds {
            choices.push(denied);
        }
        let renamed = excluded.iter().map(|it| rename_literal(context, it, &other, procs + 1));
        wider.exclude(renamed.collect::<Result<_, _>>()?);
    }
    Ok(Widened { cube: wider, choices })
}
