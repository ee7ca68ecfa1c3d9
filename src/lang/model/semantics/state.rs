//! Concrete states and runs of an instance: values, states, steps, and the position of each cell.

use serde::{Deserialize, Serialize};

use crate::model::{Cell, Rational, System, TransitionId, Type, VarId};

/// Distance between the points of two neighbouring processes; outside values lie in between.
pub const PROC_STRIDE: i64 = 1 << 20;

/// A value of proc type: a point of a total order. Process `#(i+1)` is the point `i * PROC_STRIDE`;
/// every other point is an outside value. Points are equal iff the values are, and compare as the
/// values do in the process order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Point(pub i64);

impl Point {
    /// The point of process number `i`, from 0.
    #[expect(clippy::cast_possible_wrap, reason = "an instance has few processes")]
    pub const fn process(i: usize) -> Self {
        Self(i as i64 * PROC_STRIDE)
    }

    /// The process (from 0) at this point in an instance of `procs` processes, if any.
    pub fn as_process(self, procs: usize) -> Option<usize> {
        let i = usize::try_from(self.0.div_euclid(PROC_STRIDE)).ok()?;
        (self.0.rem_euclid(PROC_STRIDE) == 0 && i < procs).then_some(i)
    }
}

/// The value of a cell in a concrete state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Value {
    /// Constructor of an enum.
    Constructor(u8),
    /// A process or an outside value.
    Proc(Point),
    /// An integer or a real.
    Number(Rational),
    /// A nameless value of an abstract type; equal numbers are equal values.
    Abstract(u32),
}

impl Value {
    /// Some value of a type; of type proc, the first process.
    pub const fn first(ty: Type) -> Self {
        match ty {
            Type::Enum(_) => Self::Constructor(0),
            Type::Proc => Self::Proc(Point::process(0)),
            Type::Abstract(_) => Self::Abstract(0),
            Type::Int | Type::Real => Self::Number(Rational::ZERO),
        }
    }

    /// Whether this is a value of type `ty` as declared. Value ranges found by analysis do not count: a
    /// state outside of them is still a state, and shows that the analysis was wrong.
    pub fn is_of(self, system: &System, ty: Type) -> bool {
        match (self, ty) {
            (Self::Constructor(c), Type::Enum(id)) => {
                usize::from(c) < system.enumeration(id).constructors.len()
            }
            (Self::Number(n), Type::Int) => n.is_integer(),
            (Self::Proc(_), Type::Proc)
            | (Self::Number(_), Type::Real)
            | (Self::Abstract(_), Type::Abstract(_)) => true,
            _ => false,
        }
    }
}

/// A concrete state of the instance with `procs` processes: one value for each cell. Cells stand in
/// order of [`System::vars`](crate::model::SystemParts::vars), those of an array row by row (last index fastest).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct State {
    /// Number of processes.
    pub procs: usize,
    /// See [`Layout`].
    pub values: Vec<Value>,
}

/// Where the cells of each variable start in [`State::values`].
#[derive(Clone, Debug)]
pub struct Layout {
    /// Number of processes.
    pub procs: usize,
    offsets: Vec<usize>,
    len: usize,
}

impl Layout {
    /// The layout of the instance of `system` with `procs` processes.
    pub fn new(system: &System, procs: usize) -> Self {
        let mut offsets = Vec::with_capacity(system.vars.len());
        let mut len = 0;
        for var in &system.vars {
            offsets.push(len);
            len += procs.pow(var.arity() as u32);
        }
        Self { procs, offsets, len }
    }

    /// Number of cells.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether the instance has no cells.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Position of a cell.
    pub fn position(&self, var: VarId, index: impl IntoIterator<Item = usize>) -> usize {
        self.offsets[var.0 as usize] + index.into_iter().fold(0, |at, i| at * self.procs + i)
    }

    /// Position of a cell whose process variables stand for these processes.
    pub fn cell(&self, cell: &Cell, procs: &[usize]) -> usize {
        self.position(cell.var, cell.index.iter().map(|p| p.of(procs)))
    }
}

/// One step of a concrete run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// Which transition fired.
    pub transition: TransitionId,
    /// Processes (from 0) for the parameters, hidden ones included; pairwise distinct.
    pub args: Vec<usize>,
    /// The state that it led to.
    pub after: State,
}

/// A concrete run of an instance that ends in a state satisfying a bad cube. Replayed by the reference
/// semantics before it is put in a verdict.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Trace {
    /// The initial state; its `procs` is the size of the instance.
    pub initial: State,
    /// The steps in order.
    pub steps: Vec<Step>,
    /// Index in `System::bad` of the cube that the last state satisfies; `None` for a deadlock.
    pub bad: Option<usize>,
}

impl Trace {
    /// A run without steps.
    pub const fn begin(initial: State) -> Self {
        Self { initial, steps: Vec::new(), bad: None }
    }

    /// All its states, the initial one first.
    pub fn states(&self) -> impl Iterator<Item = &State> + Clone {
        std::iter::once(&self.initial).chain(self.steps.iter().map(|step| &step.after))
    }

    /// The state after this number of steps.
    pub fn state(&self, steps: usize) -> &State {
        steps.checked_sub(1).map_or(&self.initial, |last| &self.steps[last].after)
    }

    /// The last state.
    pub fn last(&self) -> &State {
        self.state(self.steps.len())
    }

    /// The run in the variables of a system, which are the first of those of its states.
    #[must_use]
    pub fn within(mut self, system: &System) -> Self {
        let cells = Layout::new(system, self.initial.procs).len();
        let after = self.steps.iter_mut().map(|step| &mut step.after);
        std::iter::once(&mut self.initial).chain(after).for_each(|it| it.values.truncate(cells));
        self
    }
}
