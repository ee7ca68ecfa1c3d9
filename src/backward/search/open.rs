//! The work that a run left when it ended without a verdict.

use std::cmp::Reverse;

use super::node::{NodeId, Nodes, Origin};
use super::run::Run;
use crate::cube::{Cube, Relational, states};
use cubicle_lang::model::{Rational, System, TransitionId, VarId};
use cubicle_run::{Growing, Growth, Open, OpenRoot, last_rise};

/// How many of the deepest nodes are examined for growth on their paths.
const MOST_PATHS: usize = 16;

/// At most this many of the nodes that wait are shown, the smallest ones.
const MOST_CUBES: usize = 16;

/// The work that `run` left.
pub fn open(run: &Run<'_, '_>) -> Open {
    let nodes = &run.state.nodes;
    let waiting: Vec<NodeId> = run.waiting().collect();
    let steps = waiting.iter().map(|&id| nodes.get(id).depth).min().unwrap_or(0);
    // Bad cubes, then candidates.
    let system = run.setting.system;
    let bads = system.bad.len();
    let mut counts = vec![(0, 0); bads + 1];
    let mut slots: Vec<usize> = Vec::with_capacity(nodes.len());
    for id in 0..nodes.len() {
        // A node's origin was made before it.
        let slot = match nodes.get(id).origin {
            Origin::Bad(bad) => bad,
            Origin::Candidate(_) => bads,
            Origin::Step { child, .. } => slots[child],
        };
        slots.push(slot);
        counts[slot].0 += 1;
    }
    for &id in &waiting {
        counts[slots[id]].1 += 1;
    }
    let mut roots: Vec<OpenRoot> = Vec::new();
    for (slot, (all, waiting)) in counts.into_iter().enumerate().filter(|(_, (all, _))| *all > 0) {
        let name = system.bad.get(slot).map_or("candidates", |bad| bad.name.as_str());
        // All disjuncts of a declaration count as one property.
        match roots.iter_mut().find(|root| root.name == name) {
            Some(root) => {
                root.seen += all - waiting;
                root.waiting += waiting;
            }
            None => roots.push(OpenRoot { name: name.to_owned(), seen: all - waiting, waiting }),
        }
    }
    let size = |cube: &&Cube| (cube.len(), cube.procs);
    let mut smallest: Vec<&Cube> = waiting.iter().map(|&id| &nodes.get(id).cube).collect();
    smallest.sort_by_key(size);
    smallest.truncate(MOST_CUBES);
    Open {
        waiting: waiting.len(),
        steps,
        roots,
        growth: growth(system, nodes),
        proved_steps: run.state.proved_steps,
        cubes: smallest.into_iter().flat_map(|cube| states(run.setting.context, cube)).collect(),
    }
}

/// The growth on the path from a root to one of the deepest nodes.
fn growth(system: &System, nodes: &Nodes) -> Vec<Growth> {
    let mut deepest: Vec<NodeId> = (0..nodes.len()).collect();
    let key = |&id: &NodeId| (Reverse(nodes.get(id).depth), id);
    // There may be millions, and the run is to end at once.
    if deepest.len() > MOST_PATHS {
        deepest.select_nth_unstable_by_key(MOST_PATHS, key);
        deepest.truncate(MOST_PATHS);
    }
    deepest.sort_by_key(key);
    let found = deepest.into_iter().map(|id| on_path(system, nodes, id)).find(|grown| !grown.is_empty());
    found.unwrap_or_default()
}

/// The growth on the path to a node: numbers first.
fn on_path(system: &System, nodes: &Nodes, id: NodeId) -> Vec<Growth> {
    let mut path = vec![id];
    let mut taken: Vec<TransitionId> = Vec::new();
    while let Origin::Step { child, transition, .. } = nodes.get(path[path.len() - 1]).origin {
        path.push(child);
        taken.push(transition);
    }
    path.reverse();
    taken.reverse();
    let cubes: Vec<&Cube> = path.iter().map(|&id| &nodes.get(id).cube).collect();
    let grown = |what: Growing, values: &[Option<Rational>], sign: i64| {
        let (before, last) = last_rise(values)?;
        let signed = |n: Option<Rational>| n?.mul(Rational::integer(sign));
        let first = signed(values.iter().find_map(|value| *value))?;
        // The path goes back in time.
        let cycle = taken[before..last].iter().rev().map(|t| system.transition(*t).name.clone()).collect();
        Some(Growth { what, values: (first, signed(values[last])?), cycle })
    };
    let mut forms: Vec<Vec<VarId>> = cubes.iter().flat_map(|cube| bounds(cube).map(|it| it.0)).collect();
    // How large a count may become, the number of processes says.
    forms.retain(|form| form.iter().all(|var| system.count_of(*var).is_none()));
    forms.sort_unstable();
    forms.dedup();
    let numbers = forms.into_iter().flat_map(|form| {
        let line = |sign: i64| {
            let most = |cube: &&Cube| {
                let of_form = bounds(cube).filter(|it| it.0 == form).map(|it| it.1);
                of_form.filter_map(|n| n.mul(Rational::integer(sign))).max()
            };
            let values: Vec<_> = cubes.iter().map(most).collect();
            grown(Growing::Number(form.clone()), &values, sign)
        };
        [line(1), line(-1)]
    });
    let processes: Vec<_> = cubes.iter().map(|cube| Some(Rational::integer(i64::from(cube.procs)))).collect();
    numbers.flatten().chain(grown(Growing::Processes, &processes, 1)).collect()
}

/// The variables of the linear forms that a cube bounds, and the bounds.
fn bounds(cube: &Cube) -> impl Iterator<Item = (Vec<VarId>, Rational)> + '_ {
    cube.relational.iter().filter_map(|literal| match literal {
        Relational::Linear { form, bound, .. } => {
            let mut vars: Vec<VarId> = form.iter().map(|(cell, _)| cell.var()).collect();
            vars.sort_unstable();
            Some((vars, bound.number()))
        }
        _ => None,
    })
}
