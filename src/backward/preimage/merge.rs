//! Merges cubes of one pre-image: joins cubes whose union is a cube, and drops contained ones.

use super::pre::{Pre, PreOptions};
use crate::cube::{Cube, CubeBuilder, CubeContext, Halt, compact};

/// Joins cubes of one instance that differ in one mask only, and drops those that another contains
/// under the same names.
pub fn merge(
    context: &CubeContext,
    options: PreOptions<'_>,
    out: &mut Vec<Pre>,
    from: usize,
) -> Result<(), Halt> {
    let mut changed = out.len() - from > 1;
    while changed {
        changed = false;
        let mut i = from;
        'pairs: while i < out.len() {
            let mut j = from;
            while j < out.len() {
                context.interrupt.poll()?;
                if i == j || out[i].kept != out[j].kept {
                    j += 1;
                    continue;
                }
                if implies(&out[j].cube, &out[i].cube) {
                    out.remove(j);
                    i -= usize::from(j < i);
                    continue;
                }
                if i < j
                    && options.join
                    && let Some(joined) = join(context, &out[i].cube, &out[j].cube)?
                {
                    if options.keep_unused {
                        out[i].cube = joined;
                    } else {
                        let kept = std::mem::take(&mut out[i].kept);
                        let (cube, again) = compact(context, &joined)?;
                        out[i].kept = again.iter().map(|&p| kept[p as usize]).collect();
                        out[i].cube = cube;
                    }
                    out.remove(j);
                    changed = true;
                    break 'pairs;
                }
                j += 1;
            }
            i += 1;
        }
    }
    Ok(())
}

/// Whether every literal of `weak` is implied by one of `strong`, names unchanged.
fn implies(strong: &Cube, weak: &Cube) -> bool {
    weak.procs <= strong.procs
        && weak.signature & !strong.signature == 0
        && weak.masks.iter().all(|&(s, m)| strong.mask(s).is_some_and(|n| n & !m == 0))
        && weak.relational.iter().all(|w| strong.relational.iter().any(|s| s.implies(w)))
        && (weak.others.is_empty() || weak.procs == strong.procs)
        && weak.others.iter().all(|it| strong.others.contains(it))
}

/// The union of two cubes when they differ in exactly one mask.
fn join(context: &CubeContext, a: &Cube, b: &Cube) -> Result<Option<Cube>, Halt> {
    let differ = a.procs != b.procs || a.relational != b.relational || a.others != b.others;
    if differ || a.masks.len() != b.masks.len() {
        return Ok(None);
    }
    let mut differ = a.masks.iter().zip(b.masks.iter()).filter(|(x, y)| x != y);
    let Some((x, y)) = differ.next() else { return Ok(None) };
    if x.0 != y.0 || differ.next().is_some() {
        return Ok(None);
    }
    let mut builder = CubeBuilder::new(context, a.procs);
    for &(s, m) in &a.masks {
        let m = if s == x.0 { x.1 | y.1 } else { m };
        builder.restrict(s, m);
    }
    for s in &a.relational {
        builder.require_relational(s);
    }
    a.others.iter().for_each(|it| builder.exclude(it.clone()));
    builder.finish()
}
