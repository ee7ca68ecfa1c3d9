//! One cube of a pre-image, and how pre-images are taken. Merges cubes of one pre-image: joins cubes whose union is a cube, and drops contained ones.

use crate::counting::Counting;
use crate::cube::{Cube, CubeBuilder, CubeContext, Halt, Overflow, compact};
use crate::tuning::{INSTANCES_PER_EFFORT, ROWS_PER_EFFORT};
use cubicle_lang::model::TransitionId;

/// One cube of a pre-image.
#[derive(Clone, Debug)]
pub struct Pre {
    pub transition: TransitionId,
    pub cube: Cube,
    /// Arguments in the naming of the step.
    pub args: Vec<u8>,
    /// Processes of the step: those of the child first, then fresh ones.
    pub procs: u8,
    /// For each process of `cube`, its name in the step.
    pub kept: Vec<u8>,
}

impl Pre {
    /// The names of the arguments in the cube; `None` where one is not named any more.
    pub fn named_args(&self) -> Option<Vec<u8>> {
        let place = |arg: &u8| self.kept.iter().position(|kept| kept == arg).map(|at| at as u8);
        self.args.iter().map(place).collect()
    }

    /// Drops the processes that no literal mentions.
    pub fn compact(&mut self, context: &CubeContext) -> Result<(), Overflow> {
        let (cube, again) = compact(context, &self.cube)?;
        self.kept = again.iter().map(|&p| self.kept[usize::from(p)]).collect();
        self.cube = cube;
        Ok(())
    }

    /// The same with a cube that may name one process more, the last one.
    pub fn with_cube(&self, cube: Cube) -> Self {
        let further = cube.procs - self.cube.procs;
        let kept = self.kept.iter().copied().chain((further > 0).then_some(self.procs)).collect();
        Self { cube, kept, procs: self.procs + further, ..self.clone() }
    }
}

/// Counters of pre-image computation.
#[derive(Clone, Copy, Default, Debug)]
pub struct PreCounts {
    /// Instances of transitions examined.
    pub instances: u64,
    /// Instances skipped because they change nothing that the cube constrains.
    pub untouched: u64,
    /// Rows of linear constraints that the theory of counts went through.
    pub rows: u64,
}

impl PreCounts {
    /// In the unit of searches.
    pub const fn effort(&self) -> u64 {
        self.instances / INSTANCES_PER_EFFORT + self.rows / ROWS_PER_EFFORT
    }
}

impl std::ops::AddAssign for PreCounts {
    fn add_assign(&mut self, other: Self) {
        self.instances += other.instances;
        self.untouched += other.untouched;
        self.rows += other.rows;
    }
}

/// How pre-images are taken.
#[derive(Clone, Copy, Debug, Default)]
pub struct PreOptions<'a> {
    /// Keep processes that no literal mentions: they still must exist.
    pub keep_unused: bool,
    /// Project away numeric constants that a literal bounds from one side; they are rigid, so this
    /// over-approximates.
    pub eliminate_constants: bool,
    /// Join cubes that differ in one mask. Fewer nodes without approximation; with it, the parts have
    /// smaller unreachable generalisations than the whole.
    pub join: bool,
    /// Leaves out the cubes that it excludes.
    pub counting: Option<&'a Counting<'a>>,
    /// Says of all processes that are not named what counts say.
    pub of_others: Option<&'a Counting<'a>>,
}

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
                    out[i].cube = joined;
                    if !options.keep_unused {
                        out[i].compact(context)?;
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
    let mut differ = (0..a.masks.len()).filter(|at| a.masks[*at] != b.masks[*at]);
    let Some(at) = differ.next() else { return Ok(None) };
    if a.masks[at].0 != b.masks[at].0 || differ.next().is_some() {
        return Ok(None);
    }
    let mut both = a.clone();
    both.masks[at].1 |= b.masks[at].1;
    CubeBuilder::from_cube(context, &both).finish()
}
