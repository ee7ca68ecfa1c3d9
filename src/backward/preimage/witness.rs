//! Names processes that witnesses hold in the cubes of a pre-image: a universal guard is true of them, too.
//!
//! A witness holds a process for all processes at its indices. For an argument of the step and other processes that a cube names, it is one that the
//! cube names, or a further one: the cube is split into these cases, in each of which the axioms say what they say of it, and universal guards
//! hold of a further process as they do of named ones. The union of the cases has all states of the cube that a system may be in. Which cell
//! holds the process is not kept: a process that satisfies the axioms serves as well, so that nothing is split where a cube has one already. It is kept
//! where the universal guard is about the cell itself.

use super::axioms::Witness;
use super::choices::multiply;
use super::pre::{Pre, PreOptions, merge};
use super::transition::Prepared;
use crate::cube::{CubeBuilder, CubeCell, CubeContext, Halt, Instantiation, Widened, widened};
use cubicle_lang::list::are_different;
use cubicle_lang::model::Literal;
use cubicle_lang::model::semantics::arrangements;

/// Most witnesses of each other: a witness of a witness of a process is named in the second step.
const MOST_STEPS: usize = 3;

/// Most cells of witnesses for which one cube is split.
const MOST_CELLS: usize = 4;

/// The cubes `from..` of a pre-image of a transition with universal guards, split by the values of witnesses.
///
/// `known`: the processes of the child.
pub fn name_witnesses(
    context: &CubeContext,
    t: &Prepared<'_>,
    known: u8,
    options: PreOptions<'_>,
    out: &mut Vec<Pre>,
    from: usize,
) -> Result<(), Halt> {
    let mut widened = false;
    for pre in &mut out[from..] {
        widened |= !t.witnesses.is_empty() && name_arguments(context, t, pre)?;
    }
    // Where what guards say of others is remembered, witnesses of witnesses are named, too.
    let steps = if t.remembers { MOST_STEPS } else { 1 };
    let before = out[from..].iter().map(|pre| pre.procs).max().unwrap_or(0);
    for (step, witness) in (0..steps).flat_map(|step| t.witnesses.iter().map(move |it| (step, it))) {
        merge(context, options, out, from)?;
        let pres = out.split_off(from);
        for pre in pres {
            let asked = match pre.named_args() {
                None => Vec::new(),
                Some(_) if step > 0 => {
                    (0..pre.cube.procs).filter(|p| pre.kept[usize::from(*p)] >= before).collect()
                }
                Some(args) if t.remembers => args,
                // Arguments that the guard is about, with a process that it binds.
                Some(args) => t.asked.iter().map(|at| args[*at]).collect(),
            };
            let tuples = tuples(context, witness, &asked, known, &pre);
            let mut cases = vec![pre];
            for tuple in tuples.iter().take(MOST_CELLS) {
                let mut next = Vec::new();
                for pre in cases {
                    split(context, t, witness, tuple, pre, &mut next)?;
                }
                merge(context, options, &mut next, 0)?;
                cases = next;
            }
            out.append(&mut cases);
        }
    }
    if widened && !options.keep_unused {
        for pre in &mut out[from..] {
            pre.compact(context)?;
        }
    }
    Ok(())
}

/// Names the arguments of which a cube says nothing but the sort, where a witness has an index of it; true where there are any.
fn name_arguments(context: &CubeContext, t: &Prepared<'_>, pre: &mut Pre) -> Result<bool, Halt> {
    let mut changed = false;
    for (at, arg) in pre.args.clone().into_iter().enumerate() {
        let sort = t.sorts[at];
        let is_index = |it: &Option<u8>| it.is_some_and(|it| sort == 1 << it);
        let is_needed = t.witnesses.iter().flat_map(|it| &it.sorts).any(is_index);
        if !is_needed || pre.kept.contains(&arg) || usize::from(pre.cube.procs) >= context.max_procs {
            continue;
        }
        // An argument is not one of the others.
        let mut wider = widened(context, &pre.cube)?.cube;
        let of_sort = context.sort_of(pre.cube.procs);
        if of_sort.is_some_and(|cell| wider.restrict(cell, sort))
            && let Some(cube) = wider.finish()?
        {
            pre.cube = cube;
            pre.kept.push(arg);
            changed = true;
        }
    }
    Ok(changed)
}

/// The indices for which a witness is named, among those asked about and processes of the child: one of those asked about
/// occurs in them, and arguments of sorts of which there are no others. Those where one process is at several indices only when the child names it, or when there are no others; of those
/// that differ in the order of processes of one sort only the first.
fn tuples(context: &CubeContext, witness: &Witness, asked: &[u8], known: u8, pre: &Pre) -> Vec<Vec<u8>> {
    let Some(args) = pre.named_args() else { return Vec::new() };
    let of_sort = |process: u8, sort: u8| {
        let cell = context.sort_of(process);
        cell.and_then(|cell| pre.cube.mask(cell)).is_some_and(|mask| mask == 1 << sort)
    };
    let is_known = |p: u8| pre.kept[usize::from(p)] < known;
    let mut all: Vec<Vec<u8>> = vec![Vec::new()];
    for (at, sort) in witness.sorts.iter().enumerate() {
        let Some(sort) = *sort else { return Vec::new() };
        let named = (0..pre.cube.procs).filter(|p| of_sort(*p, sort) && (is_known(*p) || asked.contains(p)));
        let mut named: Vec<u8> = named.collect();
        if named.is_empty() {
            named = args.iter().copied().filter(|p| of_sort(*p, sort)).collect();
        }
        let mut longer = Vec::new();
        for chosen in &all {
            for p in &named {
                let before = (0..at).rev().find(|it| witness.sorts[*it] == Some(sort));
                if before.is_none_or(|before| chosen[before] <= *p) {
                    longer.push([&chosen[..], &[*p]].concat());
                }
            }
        }
        all = longer;
    }
    all.retain(|tuple| tuple.iter().any(|p| asked.contains(p)));
    if all.iter().any(|tuple| are_different(tuple)) {
        all.retain(|tuple| are_different(tuple) || tuple.iter().all(|p| is_known(*p)));
    }
    all
}

/// The cases of a cube for the process that a witness holds.
fn split(
    context: &CubeContext,
    t: &Prepared<'_>,
    witness: &Witness,
    tuple: &[u8],
    pre: Pre,
    out: &mut Vec<Pre>,
) -> Result<(), Halt> {
    let mut cases: Vec<Pre> = Vec::new();
    let read = t.transition.universals.iter().flat_map(|it| it.body.0.iter().flatten());
    let is_read = read.flat_map(Literal::cells).any(|cell| cell.var == witness.var);
    let holds = |b: &mut CubeBuilder<'_>, value: u8| {
        !is_read || b.restrict(CubeCell::of(witness.var, tuple.iter().copied()), 1 << value)
    };
    for value in 0..pre.cube.procs {
        context.interrupt.poll()?;
        let mut b = CubeBuilder::from_cube(context, &pre.cube);
        if !holds(&mut b, value) || !witness.require(&mut b, tuple, value)? {
            continue;
        }
        let Some(cube) = b.finish()? else { continue };
        if cube == pre.cube {
            out.push(pre);
            return Ok(());
        }
        cases.push(pre.with_cube(cube));
    }
    if usize::from(pre.cube.procs) >= context.max_procs {
        // There is no further process, or too little room to name it.
        out.push(pre);
        return Ok(());
    }
    let value = pre.cube.procs;
    let mut wider = widened(context, &pre.cube)?;
    if holds(&mut wider.cube, value) && witness.require(&mut wider.cube, tuple, value)? {
        for b in with_universals(context, t, &pre, wider, value)? {
            cases.extend(b.finish()?.map(|cube| pre.with_cube(cube)));
        }
    }
    out.append(&mut cases);
    Ok(())
}

/// The cube where the universal guards hold of `value`, its last process, and others.
pub fn with_universals<'a>(
    context: &'a CubeContext,
    t: &Prepared<'_>,
    pre: &Pre,
    Widened { cube: mut b, mut choices }: Widened<'a>,
    value: u8,
) -> Result<Vec<CubeBuilder<'a>>, Halt> {
    let Some(args) = pre.named_args() else { return Ok(vec![b]) };
    for universal in &t.transition.universals {
        for bound in bound_with(value, &args, universal.bound) {
            context.interrupt.poll()?;
            let vars = [&args[..], &bound].concat();
            let env = Instantiation { context, procs: value + 1, vars: &vars };
            let any = env.dnf(&universal.body)?;
            match &any[..] {
                [one] if !b.require_all(one) => return Ok(Vec::new()),
                [_] => {}
                _ => choices.push(any),
            }
        }
    }
    let mut cases = Vec::new();
    let choices = choices.iter().map(|any| any.iter().collect()).collect();
    multiply(b, choices, &mut |case| {
        cases.push(case);
        Ok(())
    })?;
    Ok(cases)
}

/// The ways in which `bound` variables are different processes up to `value`, among them `value` and none of these arguments.
fn bound_with(value: u8, args: &[u8], bound: u8) -> Vec<Vec<u8>> {
    let free: Vec<u8> = (0..=value).filter(|p| !args.contains(p)).collect();
    let mut all = arrangements(&free, bound.into());
    all.retain(|tuple| tuple.contains(&value));
    all
}
