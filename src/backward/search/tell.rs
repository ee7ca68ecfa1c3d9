//! Reports a run to the observer: its nodes as text, and its graph, where the observer wants them.

use super::node::{NodeId, Origin, action};
use super::run::Run;
use crate::cube::{Cube, text};
use crate::preimage::Pre;
use cubicle_run::{Event, GraphDetail, GraphFate, GraphNode, GraphOrigin, GraphStep, Observer};
use tracing::{debug, trace};

fn wants_graph(observer: &dyn Observer) -> bool {
    observer.graph_detail() > GraphDetail::Nothing
}

/// Whether the observer wants the text of a cube with this fate.
fn wants_words(observer: &dyn Observer, fate: GraphFate) -> bool {
    let least = match fate {
        GraphFate::Visited(_) | GraphFate::Open => GraphDetail::Visited,
        GraphFate::Subsumed(_) | GraphFate::Covered | GraphFate::Empty => GraphDetail::All,
    };
    observer.graph_detail() >= least
}

impl Run<'_, '_> {
    /// Reports a node that is about to be replaced or expanded.
    pub fn report(&self, id: NodeId, observer: &mut dyn Observer) {
        let (system, node) = (self.setting.system, self.state.nodes.get(id));
        let (queued, postponed) = (self.state.frontier.waiting(), self.state.frontier.postponed());
        let literals = node.cube.len();
        debug!(id, depth = node.depth, procs = node.cube.procs, literals, queued, postponed, "node taken");
        trace!(id, cube = text(system, self.setting.context, &node.cube).join(" && "), "cube of the node");
        let number = self.state.counts.nodes;
        self.tell_fate(id, GraphFate::Visited(number), observer);
        if observer.wants_nodes() {
            let history = self.state.nodes.history_text(system, id);
            let cube = text(system, self.setting.context, &node.cube);
            observer.event(system, Event::Node { number, history, cube, queued, postponed });
        } else {
            observer.event(system, Event::NodeCount(number));
        }
        observer.event(system, Event::Frontier { waiting: queued + postponed, depth: node.depth });
    }

    pub(super) fn tell_fate(&self, id: NodeId, fate: GraphFate, observer: &mut dyn Observer) {
        if !wants_graph(observer) {
            return;
        }
        let (system, node) = (self.setting.system, self.state.nodes.get(id));
        let origin = match &node.origin {
            Origin::Bad(bad) => GraphOrigin::Bad(system.bad[*bad].name.clone()),
            Origin::Candidate(number) => GraphOrigin::Candidate(*number, None),
            Origin::Step { child, transition, args, procs, kept } => {
                let words = wants_words(observer, fate);
                let action = words.then(|| action(system, *transition, args, *procs, kept));
                GraphOrigin::Step { action: action.unwrap_or_default(), of: *child }
            }
        };
        self.tell_cube(Some(id), origin, &node.cube, fate, observer);
    }

    /// Reports a candidate that replaces a node.
    pub fn tell_candidate(&self, candidate: NodeId, of: NodeId, observer: &mut dyn Observer) {
        let node = self.state.nodes.get(candidate);
        if let (true, Origin::Candidate(number)) = (wants_graph(observer), &node.origin) {
            self.tell_fate(of, GraphFate::Open, observer);
            let origin = GraphOrigin::Candidate(*number, Some(of));
            let fate = GraphFate::Visited(self.state.counts.nodes);
            self.tell_cube(Some(candidate), origin, &node.cube, fate, observer);
        }
    }

    /// Reports a pre-image of a node that the visited cube number `by` contains.
    pub(super) fn tell_subsumed(&self, of: NodeId, pre: &Pre, by: usize, observer: &mut dyn Observer) {
        if wants_graph(observer) {
            let fate = GraphFate::Subsumed(self.state.visited_ids[by]);
            let words = wants_words(observer, fate);
            let action =
                words.then(|| action(self.setting.system, pre.transition, &pre.args, pre.procs, &pre.kept));
            let origin = GraphOrigin::Step { action: action.unwrap_or_default(), of };
            self.tell_cube(None, origin, &pre.cube, fate, observer);
        }
    }

    fn tell_cube(
        &self,
        id: Option<NodeId>,
        origin: GraphOrigin,
        cube: &Cube,
        fate: GraphFate,
        observer: &mut dyn Observer,
    ) {
        let system = self.setting.system;
        let words = wants_words(observer, fate).then(|| text(system, self.setting.context, cube));
        let step = GraphStep::Node(GraphNode { id, origin, cube: words.unwrap_or_default(), fate });
        observer.event(system, Event::Graph(step));
    }

    /// Reports what became of a node that was reported before.
    pub(super) fn tell(&self, step: GraphStep, observer: &mut dyn Observer) {
        if wants_graph(observer) {
            observer.event(self.setting.system, Event::Graph(step));
        }
    }
}
