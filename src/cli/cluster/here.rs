//! What this process of a cluster is, and the exploration that it leads.

use std::cell::RefCell;
use std::net::TcpListener;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use cubicle::check::Elsewhere;
use cubicle::cluster::{Cluster, Fault, Figures, Secret, Told};
use cubicle::export;
use cubicle::forward::{Explored, Instance, Outcome};
use cubicle::interrupt::Interrupt;
use cubicle::model::System;
use cubicle::observer::{Event, Observer};
use cubicle::options::ForwardOptions;

use super::launch::Children;
use crate::cli::document::sha256;
use crate::cli::version;

/// A process of a cluster that has not begun.
pub struct Place {
    pub me: usize,
    pub addresses: Vec<String>,
    pub workers: usize,
    pub listener: TcpListener,
    pub secret: Secret,
    pub wait: Duration,
    /// Whether all processes were started on this machine before it joins.
    pub at_once: bool,
    pub children: Children,
}

impl Place {
    /// Explores together with the others.
    pub fn explore(
        self,
        (system, instance): (&System, &Instance),
        options: &ForwardOptions,
        interrupt: &Interrupt,
        log: &dyn Fn(&str),
        (stop, progress): (&dyn Fn() -> Option<String>, &mut dyn FnMut(usize, usize, usize)),
    ) -> Result<Option<(Outcome, Figures)>, Fault> {
        let Self { me, addresses, workers, listener, secret, wait, at_once, children } = self;
        let agreement = vec![
            ("the version".to_owned(), version::exact()),
            ("the model".to_owned(), sha256(export::model(system).as_bytes())),
        ];
        // Those of one machine share its memory.
        let share = if at_once { addresses.len() } else { 1 };
        let memory = options.memory.map_or(usize::MAX, |bytes| bytes / share);
        let cluster = Cluster { me, addresses, workers, listener, secret, agreement, wait, at_once, memory };
        let children = Mutex::new(children);
        let gone = || stop().or_else(|| children.lock().unwrap_or_else(PoisonError::into_inner).ended());
        let ended = cluster.explore(instance, interrupt, Told { log, stop: &gone, progress });
        drop(children);
        ended
    }
}

/// Explores on the cluster that this process leads.
pub struct Leading {
    /// What it is, until it begins.
    place: Mutex<Option<Place>>,
    /// Whether to tell how much was sent.
    profile: bool,
}

impl Leading {
    /// On this cluster.
    pub const fn new(place: Place, profile: bool) -> Self {
        Self { place: Mutex::new(Some(place)), profile }
    }
}

impl Elsewhere for Leading {
    fn explore(
        &self,
        system: &System,
        (procs, options): (usize, &ForwardOptions),
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
    ) -> Explored {
        observer.event(system, Event::ForwardStart { strategy: "bfs", procs });
        let Some(place) = self.place.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return Explored::lost(procs, "a cluster explores one instance".to_owned());
        };
        let instance = match Instance::new(system, procs, options, interrupt) {
            Ok(instance) => instance,
            Err(explored) => return *explored,
        };
        let (members, workers) = (place.addresses.len() * place.workers, place.workers);
        let observed = RefCell::new(&mut *observer);
        let stop = || interrupt.reason().map(|_| "the run has ended".to_owned());
        let mut progress = |states, queued, depth| {
            let depth = Some(depth);
            observed.borrow_mut().event(system, Event::ForwardProgress { states, queued, depth });
        };
        let log = |what: &str| observed.borrow_mut().event(system, Event::Note(what));
        let explored = place.explore((system, &instance), options, interrupt, &log, (&stop, &mut progress));
        match explored {
            Ok(Some((outcome, figures))) => {
                if self.profile {
                    observer.event(system, Event::Note(&said(&outcome, figures, members, workers)));
                }
                instance.conclude(outcome, interrupt, observer)
            }
            Ok(None) => Explored::lost(procs, "the cluster ended without an outcome".to_owned()),
            Err(Fault(why)) => match interrupt.reason() {
                Some(reason) => Explored::ended(procs, reason.into()),
                None => Explored::lost(procs, format!("{why}; start all processes again")),
            },
        }
    }
}

/// How much was sent, and how even the shares are.
#[expect(clippy::cast_precision_loss, reason = "they are shown with three digits")]
fn said(outcome: &Outcome, figures: Figures, members: usize, workers: usize) -> String {
    let traffic = outcome.traffic;
    let states = outcome.states.max(1) as f64;
    let largest = outcome.shares.iter().max().copied().unwrap_or(0) as f64;
    format!(
        "{} processes with {workers} workers each: {} rounds; {:.2} states sent for each that is kept, of which {:.0} % \
         were known; the largest share is {:.3} of the mean",
        members / workers,
        figures.rounds,
        traffic.sent as f64 / states,
        traffic.known as f64 * 100.0 / (traffic.sent.max(1)) as f64,
        largest * members as f64 / states,
    )
}
