//! One cube of a pre-image, and how pre-images are taken.

use crate::counting::Counting;
use crate::cube::Cube;
use crate::tuning::{INSTANCES_PER_EFFORT, ROWS_PER_EFFORT};

/// One cube of a pre-image.
#[derive(Clone, Debug)]
pub struct Pre {
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

    /// The same with a cube that may name one process more, the last one.
    pub fn with_cube(&self, cube: Cube) -> Self {
        let further = cube.procs - self.cube.procs;
        let kept = self.kept.iter().copied().chain((further > 0).then_some(self.procs)).collect();
        Self { cube, kept, procs: self.procs + further, args: self.args.clone() }
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
#[derive(Clone, Copy, Debug)]
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
}
