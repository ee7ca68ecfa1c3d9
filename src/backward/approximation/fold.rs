//! Candidates that say of all other processes what a cube says of some that it names.
//!
//! Where the others satisfy O, and a named process has the literals l, the cube is part of the larger one that does not name the process, and in which each other
//! process satisfies O or has the literals l. It stands for any number of such processes: without it, a search names one after the other.

use crate::cube::{Cube, CubeContext, Halt, Separated};

/// Most processes of a cube of which all sets are folded; of more, only one each.
const MOST_FOLDED: u8 = 4;

/// The cubes that a cube is part of, those that name fewest processes first.
pub fn folded(context: &CubeContext, cube: &Cube) -> Result<Vec<Cube>, Halt> {
    let free = cube.procs - context.rigid;
    if cube.others.is_empty() || free == 0 {
        return Ok(Vec::new());
    }
    let mut sets: Vec<u64> =
        if free <= MOST_FOLDED { (1..1 << free).collect() } else { (0..free).map(|p| 1 << p).collect() };
    sets.sort_by_key(|set: &u64| (u32::MAX - set.count_ones(), *set));
    let mut out = Vec::new();
    for set in sets {
        let mut larger = Some(cube.clone());
        // From the last one, so that the numbers of the rest stay.
        for process in (0..free).rev().filter(|p| set >> p & 1 == 1) {
            larger = match larger {
                Some(larger) => match Separated::new(context, &larger, context.rigid + process)? {
                    Some(separated) => separated.folded()?,
                    None => None,
                },
                None => None,
            };
        }
        out.extend(larger.filter(|it| !it.others.is_empty()));
    }
    Ok(out)
}
