//! This process of a cluster, and the exploration or the campaign of walks that it leads.

use std::cell::{Cell, RefCell};
use std::sync::{Arc, Mutex};

use cubicle_check::RemoteExplorer;
use cubicle_cluster::{Callbacks, Cluster, Facts, Fault, Found, Leaves, Meeting, RemoteWalks, SpreadStates};
use cubicle_forward::{
    Explored, Instance, Manifest, Outcome, Remote, agreement, explore, explore_together, follow_campaign,
    walks,
};
use cubicle_lang::model::System;
use cubicle_run::workers::locked;
use cubicle_run::{Checkpoint, Event, ForwardOptions, Interrupt, Observer, Stop};
use cubicle_tools::export;

use super::following::Following;
use super::launch::Children;
use crate::cli::document::sha256;
use crate::cli::version;

/// What all processes must agree on first: the program, and the hash of the model.
pub fn facts(model: &[u8]) -> Facts {
    vec![("the version".to_owned(), version::exact()), ("the model".to_owned(), sha256(model))]
}

/// Explores together with the others.
pub fn explore_on(
    cluster: Cluster,
    system: &System,
    instance: &Instance,
    options: &ForwardOptions,
    interrupt: &Interrupt,
    callbacks: Callbacks<'_>,
    serves: bool,
) -> Result<Option<Found>, Fault> {
    let memory = options.memory.map_or(usize::MAX, |bytes| bytes / cluster.sharing());
    let mut facts = facts(export::model(system).as_bytes());
    let keeps = if options.checkpoint.is_some() { "kept" } else { "not kept" };
    facts.push(("a checkpoint".to_owned(), keeps.to_owned()));
    cluster.explore(facts, instance, memory, serves, interrupt, callbacks)
}

/// Explores on the cluster that this process leads.
pub struct Leading {
    /// The cluster, until it is connected.
    cluster: Mutex<Option<Cluster>>,
    /// Whether to report how much was sent.
    profile: bool,
    /// The states of the others, while they can be asked.
    states: Mutex<Option<Arc<SpreadStates>>>,
    /// Processes that this one started.
    pub(super) children: Mutex<Children>,
}

impl Leading {
    /// Leads this cluster.
    pub fn new(cluster: Cluster, children: Children, profile: bool) -> Self {
        let (cluster, states, children) = (Mutex::new(Some(cluster)), Mutex::new(None), Mutex::new(children));
        Self { cluster, profile, states, children }
    }
}

impl RemoteExplorer for Leading {
    fn explore(
        &self,
        system: &System,
        procs: usize,
        options: &ForwardOptions,
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
        serves: bool,
    ) -> Explored {
        let Some(cluster) = locked(&self.cluster).take() else {
            // Instances other than the requested one are small.
            return explore(system, procs, options, interrupt, observer);
        };
        if walks(options) {
            return self.walk(cluster, system, procs, options, interrupt, observer);
        }
        observer.event(system, Event::ForwardStart { strategy: "bfs", procs });
        let instance = match Instance::new(system, procs, options, interrupt) {
            Ok(instance) => instance,
            Err(explored) => return *explored,
        };
        let (total, workers) = (cluster.addresses.len() * cluster.workers, cluster.workers);
        let observed = RefCell::new(&mut *observer);
        let ended = || locked(&self.children).ended();
        // Once it explores, the workers see by themselves that the run must end, and all end in good order.
        let explores = Cell::new(false);
        let interrupted = || interrupt.reason().filter(|_| !explores.get());
        let stop = || interrupted().map(|_| "the run has ended".to_owned()).or_else(ended);
        let mut progress = |states, queued, depth| {
            explores.set(true);
            let depth = Some(depth);
            observed.borrow_mut().event(system, Event::ForwardProgress { states, queued, depth });
        };
        let log = |what: &str| observed.borrow_mut().event(system, Event::Note { text: what.to_owned() });
        let callbacks = Callbacks { log: &log, stop: &stop, progress: &mut progress };
        let explored = explore_on(cluster, system, &instance, options, interrupt, callbacks, serves);
        match explored {
            Ok(Some(Found { outcome, rounds, states })) => {
                if self.profile {
                    observer.event(system, Event::Note { text: said(&outcome, rounds, total, workers) });
                }
                let explored = instance.conclude(outcome, interrupt, observer);
                let Some(states) = states else { return explored };
                let states = Arc::new(states);
                *locked(&self.states) = Some(Arc::clone(&states));
                explored.with_remote(Remote {
                    oracle: states,
                    system: Arc::new(system.clone()),
                    options: options.clone(),
                    interrupt: interrupt.clone(),
                })
            }
            Ok(None) => Explored::lost(procs, "the cluster ended without an outcome".to_owned()),
            Err(Fault(why)) => match interrupt.reason() {
                Some(reason) => Explored::ended(procs, reason.into()),
                None => {
                    Explored::lost(procs, why + "; " + &advice(options.checkpoint.as_ref(), explores.get()))
                }
            },
        }
    }

    fn end(&self) {
        let states = locked(&self.states).take();
        if let Some(states) = states {
            states.end();
        }
    }
}

/// What to do when the cluster is lost; `explored`: the exploration had begun.
fn advice(checkpoint: Option<&Checkpoint>, explored: bool) -> String {
    let lost = || {
        let what = match checkpoint {
            _ if !explored => "",
            Some(_) => "no level was kept: ",
            None => "what they knew is lost, without --checkpoint: ",
        };
        format!("{what}start all processes again")
    };
    checkpoint.and_then(|it| Manifest::advice(&it.folder)).unwrap_or_else(lost)
}

/// How much was sent, and how even the shares are.
#[expect(clippy::cast_precision_loss, reason = "they are shown with three digits")]
fn said(outcome: &Outcome, rounds: u64, total: usize, workers: usize) -> String {
    let traffic = outcome.found.traffic;
    let states = outcome.states.max(1) as f64;
    let largest = outcome.shares.iter().max().copied().unwrap_or(0) as f64;
    format!(
        "cluster of {} processes, workers of each: {workers}; {} rounds; {:.2} states sent for each that is kept, of which {:.0} % \
         were known; the largest share is {:.3} of the mean",
        total / workers,
        rounds,
        traffic.sent as f64 / states,
        traffic.known as f64 * 100.0 / (traffic.sent.max(1)) as f64,
        largest * total as f64 / states,
    )
}

/// Meets the others that are to walk in this instance; how this process does it.
fn meet_walkers(
    cluster: Cluster,
    system: &System,
    procs: usize,
    options: &ForwardOptions,
    interrupt: &Interrupt,
    callbacks: (&dyn Fn(&str), &dyn Fn() -> Option<String>),
    leaves: Leaves,
) -> Result<(Arc<Meeting>, ForwardOptions), Fault> {
    let (first, further) = (facts(export::model(system).as_bytes()), agreement(procs, options));
    let mut options = options.clone().jobs(cluster.workers);
    options.memory = options.memory.map(|bytes| bytes / cluster.sharing());
    let meeting = cluster.meet(first, further, interrupt, callbacks.0, callbacks.1, leaves)?;
    Ok((Arc::new(meeting), options))
}

/// Walks in the campaign that process 0 leads.
pub fn follow(
    cluster: Cluster,
    system: &System,
    procs: usize,
    options: &ForwardOptions,
    interrupt: &Interrupt,
    following: &Following,
) -> Result<(), Fault> {
    let (stop, log) = (|| following.leaves(), |what: &str| following.log(what));
    let own = following.clone();
    let leaves = Box::new(move || own.leaves());
    let (meeting, options) = meet_walkers(cluster, system, procs, options, interrupt, (&log, &stop), leaves)?;
    let others = Box::new(RemoteWalks::new(Arc::clone(&meeting)));
    follow_campaign(system, procs, &options, others, interrupt);
    meeting.end()
}

impl Leading {
    /// Walks together with the others.
    pub fn walk(
        &self,
        cluster: Cluster,
        system: &System,
        procs: usize,
        options: &ForwardOptions,
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
    ) -> Explored {
        let lost = |why: String| Explored::lost(procs, format!("{why}; start all processes again"));
        let stop = || locked(&self.children).stop(interrupt);
        let observed = RefCell::new(&mut *observer);
        let log = |what: &str| observed.borrow_mut().event(system, Event::Note { text: what.to_owned() });
        // A signal ends the run in good order.
        let leaves = Box::new(|| None);
        let met = meet_walkers(cluster, system, procs, options, interrupt, (&log, &stop), leaves);
        let (meeting, options) = match (met, interrupt.reason()) {
            (Ok(met), _) => met,
            (Err(_), Some(reason)) => return Explored::ended(procs, reason.into()),
            (Err(Fault(why)), None) => return lost(why),
        };
        let others = Box::new(RemoteWalks::new(Arc::clone(&meeting)));
        let explored = explore_together(system, procs, &options, Some(others), interrupt, observer);
        match meeting.end() {
            Err(Fault(why)) if explored.exploration.stop == Stop::Cluster => lost(why),
            // Findings so far are kept.
            _ => explored,
        }
    }
}
