//! Nodes of the backward search: a cube, its origin, and its steps to the root.

use crate::cube::Cube;
use crate::safety::{NamedPath, RunGoal};
use cubicle_lang::model::{System, TransitionId};
use cubicle_lang::words::processes;

pub type NodeId = usize;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A disjunct of an `unsafe` or `invariant`: index in `System::bad`.
    Bad(usize),
    /// A candidate, with its negative number.
    Candidate(i32),
    /// One step before another node.
    Step {
        /// The node after the step.
        child: NodeId,
        transition: TransitionId,
        /// Its arguments, in the step's naming.
        args: Vec<u8>,
        /// Processes of the step: those of the child first.
        procs: u8,
        /// For each process of this node, its name in the step.
        kept: Vec<u8>,
    },
}

#[derive(Clone, Debug)]
pub struct Node {
    /// Its states.
    pub cube: Cube,
    pub origin: Origin,
    /// Number of steps to its root.
    pub depth: usize,
}

#[derive(Clone, Debug, Default)]
pub struct Nodes(Vec<Node>);

impl Nodes {
    pub fn push(&mut self, node: Node) -> NodeId {
        self.0.push(node);
        self.0.len() - 1
    }

    pub fn get(&self, id: NodeId) -> &Node {
        &self.0[id]
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn root(&self, mut id: NodeId) -> NodeId {
        while let Origin::Step { child, .. } = self.0[id].origin {
            id = child;
        }
        id
    }

    pub fn is_candidate(&self, id: NodeId) -> bool {
        matches!(self.0[id].origin, Origin::Candidate(_))
    }

    pub fn goal(&self, id: NodeId) -> RunGoal<'_> {
        let root = &self.0[self.root(id)];
        let bad = match root.origin {
            Origin::Bad(k) => Some(k),
            Origin::Candidate(_) | Origin::Step { .. } => None,
        };
        RunGoal { cube: &root.cube, bad }
    }

    /// The steps from `id` to its root.
    pub fn steps(&self, id: NodeId) -> NamedPath {
        let mut names: Vec<usize> = (0..usize::from(self.0[id].cube.procs)).collect();
        let mut procs = names.len();
        let mut steps = Vec::new();
        let mut at = id;
        while let Origin::Step { child, transition, args, procs: width, kept } = &self.0[at].origin {
            let mut global = names_of_step(*width, kept, &names, &mut procs);
            steps.push((*transition, args.iter().map(|&a| global[usize::from(a)]).collect()));
            global.truncate(usize::from(self.0[*child].cube.procs));
            names = global;
            at = *child;
        }
        NamedPath { steps, procs, goal_names: names }
    }

    /// `t(#1) -> u(#1, #3) -> unsafe at line 12`.
    pub fn history_text(&self, system: &System, id: NodeId) -> String {
        let mut text = String::new();
        for (t, args) in &self.steps(id).steps {
            text.push_str(&call(system, *t, args));
            text.push_str(" -> ");
        }
        text.push_str(&self.root_text(system, self.root(id)));
        text
    }

    /// `unsafe at line 12`, `invariant at line 3` or `approx[-5]`.
    fn root_text(&self, system: &System, root: NodeId) -> String {
        match self.0[root].origin {
            Origin::Bad(k) => system.bad[k].name.clone(),
            Origin::Candidate(n) => format!("approx[{n}]"),
            Origin::Step { .. } => unreachable!("a root has no step"),
        }
    }
}

/// The names of the processes of a step: those that are kept have these, further ones the next numbers.
fn names_of_step(procs: u8, kept: &[u8], names: &[usize], next: &mut usize) -> Vec<usize> {
    let mut all = vec![usize::MAX; usize::from(procs)];
    for (&process, &name) in kept.iter().zip(names) {
        all[usize::from(process)] = name;
    }
    for name in all.iter_mut().filter(|name| **name == usize::MAX) {
        (*name, *next) = (*next, *next + 1);
    }
    all
}

/// `t(#1)`: a step, with the names of the processes of its pre-image; further processes get the next numbers. `args`, `procs` and
/// `kept` are those of [`Origin::Step`].
pub(super) fn action(
    system: &System,
    transition: TransitionId,
    args: &[u8],
    procs: u8,
    kept: &[u8],
) -> String {
    let own: Vec<usize> = (0..kept.len()).collect();
    let names = names_of_step(procs, kept, &own, &mut kept.len());
    let args: Vec<usize> = args.iter().map(|&arg| names[usize::from(arg)]).collect();
    call(system, transition, &args)
}

/// `t(#1, #3)`, with the declared parameters only.
pub(super) fn call(system: &System, transition: TransitionId, args: &[usize]) -> String {
    let transition = system.transition(transition);
    format!("{}({})", transition.name, processes(&args[..transition.params.len()]))
}
