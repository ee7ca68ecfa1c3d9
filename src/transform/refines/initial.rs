//! The obligation about initial states.

use super::scene::Scene;
use cubicle_lang::model::semantics::namings;
use cubicle_lang::model::ways::{NoWays, Ways, conj, denied};
use cubicle_lang::model::{Bad, Conj, Dnf, ProcRef, System, rename};
use cubicle_lang::refinement::{InText, NoRefinement, RefinementMap, refused};

/// The most ways in which the processes of a literal may be equal.
const MAX_PARAMS: usize = 6;

/// A system whose bad states are those that are not initial in the abstract model, or that its axioms exclude.
pub fn obligation(
    scene: &Scene,
    map: &RefinementMap,
    concrete: &System,
    abstraction: &System,
) -> Result<System, NoRefinement> {
    let excluded = excluded(scene, map, abstraction).map_err(|why| {
        let why = format!("the initial states cannot be compared: {}", why.words());
        refused(InText::Abstract, abstraction.init.span, why)
    })?;
    let span = concrete.init.span;
    let bad = (1..).zip(excluded).map(|(number, (params, cube))| {
        Bad::derived(format!("not initial in the abstract model ({number})"), number, params, cube, span)
    });
    let bad = bad.collect();
    Ok(concrete.edited(|parts| {
        parts.transitions.clear();
        parts.ask(bad);
    }))
}

/// The cubes, each with its number of different processes, of the states that are not initial in the abstract model.
fn excluded(scene: &Scene, map: &RefinementMap, abstraction: &System) -> Ways<Vec<(u8, Conj)>> {
    let init = &abstraction.init;
    let reading = |cell: &_| scene.before(&map.variables, cell);
    let mut found: Vec<(u8, Conj)> = Vec::new();
    let mut add = |params: u8, cube: &Conj| -> Ways<()> {
        for cube in conj(scene.system(), cube, &reading)? {
            if !found.contains(&(params, cube.clone())) {
                found.push((params, cube));
            }
        }
        Ok(())
    };
    let lifted = |dnf: &Dnf| Dnf(dnf.0.iter().map(|it| scene.lifted(it)).collect());
    for way in denied(scene.system(), &lifted(&init.without_processes))? {
        add(0, &way)?;
    }
    for way in denied(scene.system(), &lifted(&init.body))? {
        for (params, way) in arrangements(&way)? {
            // The body is said of processes, so that there is one.
            add(params.max(1), &way)?;
        }
    }
    for axiom in &abstraction.axioms {
        add(axiom.params, &scene.lifted(&axiom.cube))?;
    }
    Ok(found)
}

/// The ways in which the processes that a cube mentions may be equal, each with the number of different ones.
fn arrangements(cube: &Conj) -> Ways<Vec<(u8, Conj)>> {
    let mut mentioned: Vec<u8> = Vec::new();
    let mut note = |p: ProcRef| {
        if let ProcRef::Var(v) = p
            && !mentioned.contains(&v)
        {
            mentioned.push(v);
        }
    };
    for literal in cube {
        let in_cells = literal.cells().into_iter().flat_map(|cell| &cell.index).copied();
        in_cells.chain(literal.procs()).for_each(&mut note);
    }
    if mentioned.len() > MAX_PARAMS {
        return Err(NoWays::TooMany);
    }
    // For each mentioned process, in order, the number of the different one that it is.
    let mut found = Vec::new();
    for (params, numbers) in namings(0, mentioned.len() as u8, &|_, _| true) {
        let at = |v: u8| mentioned.iter().position(|it| *it == v);
        let map = |p: ProcRef| p.renamed(|v| ProcRef::Var(at(v).map_or(v, |at| numbers[at])));
        let cube = rename::conj(cube, &map).ok_or(NoWays::OutOfRange)?;
        found.extend(cube.map(|cube| (params, cube)));
    }
    Ok(found)
}
