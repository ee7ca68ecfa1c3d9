//! The graph of a backward search: cubes, what they are pre-images of, and what became of each.
//!
//! A search reports it step by step to its observer and keeps none of it. [`SearchGraph`] collects the
//! steps.

use crate::options::BackwardMode;

/// More cubes than this are not kept: that many cannot be viewed.
const MOST_NODES: usize = 50_000;

/// Where a cube comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GraphOrigin {
    /// A disjunct of an `unsafe` or `invariant`, by its name.
    Bad(String),
    /// A candidate, with its negative number, and the cube that it replaced, if it does not begin the run.
    Candidate(i32, Option<usize>),
    /// The pre-image of cube `of` by `action`: `enter(#1)`.
    Step {
        /// Transition and arguments, with the names of the processes of the pre-image.
        action: String,
        /// The cube after the step.
        of: usize,
    },
}

/// What became of a cube.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GraphFate {
    /// Its pre-images were taken; the number is that of the node, in order.
    Visited(usize),
    /// Another one contains it: this one, or one that stands for what is assumed.
    Subsumed(Option<usize>),
    /// Several others together contain it.
    Covered,
    /// It has no state.
    Empty,
    /// The search ended with it, or went on with a candidate in its place.
    Open,
}

/// A cube of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GraphNode {
    /// Its number in this run of the search; `None` for pre-images that are contained in a visited cube at once.
    pub id: Option<usize>,
    /// Where it comes from.
    pub origin: GraphOrigin,
    /// Its literals.
    pub cube: Vec<String>,
    /// What became of it.
    pub fate: GraphFate,
}

/// A step of a search, as far as its graph goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GraphStep {
    /// A run of this search begins: the first, or one after a restart.
    Run(BackwardMode),
    /// The latest run of this search goes on, after others.
    Resumed(BackwardMode),
    /// A cube, or what became of one that was reported before.
    Node(GraphNode),
    /// A visited cube was dropped, since a later one contains it.
    Dropped {
        /// The one that was dropped.
        node: usize,
        /// The later one.
        by: usize,
    },
    /// A cube meets the initial states.
    Init {
        /// The cube.
        node: usize,
        /// Whether an instance executes the path.
        executed: bool,
    },
}

/// One run of a search, from its bad cubes to a fixpoint or a restart.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GraphRun {
    /// Which search; `None` where no step says so.
    pub of: Option<BackwardMode>,
    /// In the order in which they were reported.
    pub nodes: Vec<GraphNode>,
    /// Visited cubes that were dropped: which, and by which.
    pub dropped: Vec<(usize, usize)>,
    /// Cubes that meet the initial states; whether an instance executes the path.
    pub init: Vec<(usize, bool)>,
}

impl GraphRun {
    /// The node with a number.
    pub fn node(&self, id: usize) -> Option<&GraphNode> {
        self.nodes.iter().find(|node| node.id == Some(id))
    }
}

/// The graphs of all runs of all searches.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SearchGraph {
    /// In order; the last one decided, if any did.
    pub runs: Vec<GraphRun>,
    /// Cubes that were not kept, since there were too many: those of old runs, and the latest of a long one.
    pub left_out: usize,
    kept: usize,
    /// Where in the last run the node with a number stands.
    places: Vec<Option<usize>>,
}

impl SearchGraph {
    /// Adds a step.
    pub fn note(&mut self, step: &GraphStep) {
        match step {
            GraphStep::Run(search) => self.begin(Some(*search)),
            GraphStep::Resumed(search) => self.resume(*search),
            _ if self.runs.is_empty() => self.begin(None),
            _ => {}
        }
        let full = self.is_full();
        let Some(run) = self.runs.last_mut() else { return };
        match step {
            GraphStep::Run(_) | GraphStep::Resumed(_) => {}
            GraphStep::Node(node) => {
                let known = node.id.and_then(|id| self.places.get(id).copied().flatten());
                if let Some(at) = known {
                    run.nodes[at].fate = node.fate;
                } else if !full {
                    self.kept += 1;
                    if let Some(id) = node.id {
                        self.places.resize(self.places.len().max(id + 1), None);
                        self.places[id] = Some(run.nodes.len());
                    }
                    run.nodes.push(node.clone());
                } else {
                    self.left_out += 1;
                }
            }
            GraphStep::Dropped { node, by } => run.dropped.push((*node, *by)),
            GraphStep::Init { node, executed } => run.init.push((*node, *executed)),
        }
    }

    fn begin(&mut self, of: Option<BackwardMode>) {
        self.make_room();
        self.runs.push(GraphRun { of, ..GraphRun::default() });
        self.places.clear();
    }

    /// Makes the latest run of a search the last one.
    fn resume(&mut self, search: BackwardMode) {
        let Some(at) = self.runs.iter().rposition(|run| run.of == Some(search)) else {
            return self.begin(Some(search));
        };
        let run = self.runs.remove(at);
        self.places.clear();
        for (place, id) in run.nodes.iter().enumerate().filter_map(|(place, node)| Some((place, node.id?))) {
            self.places.resize(self.places.len().max(id + 1), None);
            self.places[id] = Some(place);
        }
        self.runs.push(run);
    }

    /// Whether further cubes of this run are not kept.
    pub const fn is_full(&self) -> bool {
        self.kept >= MOST_NODES
    }

    /// Forgets the oldest cubes until half of the room is free: the latest run matters more than earlier ones.
    fn make_room(&mut self) {
        for run in &mut self.runs {
            if self.kept <= MOST_NODES / 2 {
                return;
            }
            self.kept -= run.nodes.len();
            self.left_out += run.nodes.len();
            *run = GraphRun { of: run.of, ..GraphRun::default() };
        }
    }

    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.runs.iter().all(|run| run.nodes.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(id: Option<usize>, fate: GraphFate) -> GraphStep {
        GraphStep::Node(GraphNode { id, origin: GraphOrigin::Bad("unsafe".into()), cube: Vec::new(), fate })
    }

    #[test]
    fn a_node_is_kept_once_with_its_last_fate() {
        let mut graph = SearchGraph::default();
        let steps = [
            node(Some(3), GraphFate::Open),
            node(None, GraphFate::Subsumed(Some(3))),
            node(Some(3), GraphFate::Visited(1)),
            GraphStep::Run(BackwardMode::Classic),
            node(Some(3), GraphFate::Empty),
        ];
        for step in &steps {
            graph.note(step);
        }
        let fates = |run: &GraphRun| run.nodes.iter().map(|node| node.fate).collect::<Vec<_>>();
        assert_eq!(fates(&graph.runs[0]), [GraphFate::Visited(1), GraphFate::Subsumed(Some(3))]);
        assert_eq!(fates(&graph.runs[1]), [GraphFate::Empty]);
        assert_eq!(graph.left_out, 0);
    }

    #[test]
    fn a_run_that_goes_on_is_the_last_one() {
        let mut graph = SearchGraph::default();
        let steps = [
            GraphStep::Run(BackwardMode::Classic),
            node(Some(0), GraphFate::Visited(1)),
            node(Some(2), GraphFate::Open),
            GraphStep::Run(BackwardMode::Brab(2)),
            node(Some(2), GraphFate::Covered),
            GraphStep::Resumed(BackwardMode::Classic),
            node(Some(2), GraphFate::Visited(2)),
        ];
        for step in &steps {
            graph.note(step);
        }
        let fates = |run: &GraphRun| run.nodes.iter().map(|node| node.fate).collect::<Vec<_>>();
        assert_eq!(fates(&graph.runs[0]), [GraphFate::Covered]);
        assert_eq!(fates(&graph.runs[1]), [GraphFate::Visited(1), GraphFate::Visited(2)]);
    }

    #[test]
    fn at_most_the_limit_of_nodes_is_kept() {
        let mut graph = SearchGraph::default();
        for id in 0..MOST_NODES + 2 {
            graph.note(&node(Some(id), GraphFate::Empty));
        }
        assert_eq!((graph.runs[0].nodes.len(), graph.left_out), (MOST_NODES, 2));
        assert!(graph.is_full());
        // The run that decides is kept, whatever came before it.
        graph.note(&GraphStep::Run(BackwardMode::Classic));
        graph.note(&node(Some(7), GraphFate::Empty));
        let kept: Vec<usize> = graph.runs.iter().map(|run| run.nodes.len()).collect();
        assert_eq!((kept, graph.left_out, graph.is_full()), (vec![0, 1], MOST_NODES + 2, false));
    }
}
