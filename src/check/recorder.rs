//! Keeps the events of a search until its turn comes.

use cubicle_lang::model::System;
use cubicle_run::{Event, GraphDetail, Observer};

/// Keeps the events that it receives, but for those that only show progress: they are outdated when they are replayed.
pub struct Recorder {
    wants_nodes: bool,
    graph_detail: GraphDetail,
    kept: Vec<Kept>,
}

/// Tells an event of which it has a copy.
type Kept = Box<dyn Fn(&mut dyn FnMut(Event<'_>)) + Send>;

impl Recorder {
    /// A recorder that asks for what `listener` wants.
    pub fn like(listener: &dyn Observer) -> Self {
        Self { wants_nodes: listener.wants_nodes(), graph_detail: listener.graph_detail(), kept: Vec::new() }
    }

    /// Replays all events, in order.
    pub fn tell(&self, system: &System, listener: &mut dyn Observer) {
        for kept in &self.kept {
            kept(&mut |event| listener.event(system, event));
        }
    }
}

fn kept(event: Event<'_>) -> Option<Kept> {
    Some(match event {
        Event::Node { number, history, cube, queued, postponed } => {
            let (history, cube) = (history.to_owned(), cube.to_vec());
            Box::new(move |tell| {
                tell(Event::Node { number, history: &history, cube: &cube, queued, postponed });
            })
        }
        Event::NodeCount(nodes) => Box::new(move |tell| tell(Event::NodeCount(nodes))),
        Event::Frontier { waiting, depth } => Box::new(move |tell| tell(Event::Frontier { waiting, depth })),
        Event::Approximated { number, cube } => {
            let cube = cube.to_vec();
            Box::new(move |tell| tell(Event::Approximated { number, cube: &cube }))
        }
        Event::BadCandidate { number, cube } => {
            let cube = cube.to_vec();
            Box::new(move |tell| tell(Event::BadCandidate { number, cube: &cube }))
        }
        Event::Restart(nth) => Box::new(move |tell| tell(Event::Restart(nth))),
        Event::Suspect(text) => text_of(text, |text| Event::Suspect(text)),
        Event::Spurious(text) => text_of(text, |text| Event::Spurious(text)),
        Event::Runs(seen) => Box::new(move |tell| tell(Event::Runs(seen))),
        Event::Stage { number, proof, order, effort } => {
            Box::new(move |tell| tell(Event::Stage { number, proof, order, effort }))
        }
        Event::StageEnd(stage) => {
            let stage = stage.clone();
            Box::new(move |tell| tell(Event::StageEnd(&stage)))
        }
        Event::ForwardStart { strategy, procs } => {
            let strategy = strategy.to_owned();
            Box::new(move |tell| tell(Event::ForwardStart { strategy: &strategy, procs }))
        }
        Event::ForwardEnd(exploration) => {
            let exploration = exploration.clone();
            Box::new(move |tell| tell(Event::ForwardEnd(&exploration)))
        }
        Event::Graph(step) => {
            let step = step.clone();
            Box::new(move |tell| tell(Event::Graph(&step)))
        }
        Event::Warning(text) => text_of(text, |text| Event::Warning(text)),
        Event::Note(text) => text_of(text, |text| Event::Note(text)),
        Event::ForwardProgress { .. } | Event::Work(_) | Event::Check { .. } => return None,
    })
}

fn text_of(text: &str, event: fn(&str) -> Event<'_>) -> Kept {
    let text = text.to_owned();
    Box::new(move |tell| tell(event(&text)))
}

impl Observer for Recorder {
    fn event(&mut self, _system: &System, event: Event<'_>) {
        self.kept.extend(kept(event));
    }

    fn wants_nodes(&self) -> bool {
        self.wants_nodes
    }

    fn graph_detail(&self) -> GraphDetail {
        self.graph_detail
    }
}
