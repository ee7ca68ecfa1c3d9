//! Walks of all processes of a cluster, in one campaign.

use std::cell::RefCell;
use std::sync::{Arc, PoisonError};

use cubicle_cluster::{Cluster, Fault, Leaves, Meeting, RemoteWalks};
use cubicle_forward::{Explored, agreement, explore_together, follow_campaign};
use cubicle_lang::model::System;
use cubicle_run::{Event, ForwardOptions, Interrupt, Observer, Stop};
use cubicle_tools::export;

use super::following::Following;
use super::here::{Leading, facts};

/// An instance, and how it is explored.
type Walked<'a> = (usize, &'a ForwardOptions);

/// Meets the others that are to walk in this instance; how this process does it.
fn meet_walkers(
    cluster: Cluster,
    system: &System,
    (procs, options): Walked<'_>,
    interrupt: &Interrupt,
    callbacks: (&dyn Fn(&str), &dyn Fn() -> Option<String>),
    leaves: Leaves,
) -> Result<(Arc<Meeting>, ForwardOptions), Fault> {
    let facts = (facts(export::model(system).as_bytes()), agreement(procs, options));
    let mut options = options.clone().jobs(cluster.workers);
    options.memory = options.memory.map(|bytes| bytes / cluster.sharing());
    let meeting = cluster.meet(facts, interrupt, callbacks.0, callbacks.1, leaves)?;
    Ok((Arc::new(meeting), options))
}

/// Walks in the campaign that process 0 leads.
pub fn follow(
    cluster: Cluster,
    system: &System,
    walked: Walked<'_>,
    interrupt: &Interrupt,
    following: &Following,
) -> Result<(), Fault> {
    let (stop, log) = (|| following.leaves(), |what: &str| following.log(what));
    let own = following.clone();
    let leaves = Box::new(move || own.leaves());
    let (meeting, options) = meet_walkers(cluster, system, walked, interrupt, (&log, &stop), leaves)?;
    let others = Box::new(RemoteWalks::new(Arc::clone(&meeting)));
    follow_campaign(system, (walked.0, &options), others, interrupt);
    meeting.end()
}

impl Leading {
    /// Walks together with the others.
    pub fn walk(
        &self,
        cluster: Cluster,
        system: &System,
        walked: Walked<'_>,
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
    ) -> Explored {
        let procs = walked.0;
        let lost = |why: String| Explored::lost(procs, format!("{why}; start all processes again"));
        let ended = || self.children.lock().unwrap_or_else(PoisonError::into_inner).ended();
        let stop = || interrupt.reason().map(|_| "the run has ended".to_owned()).or_else(ended);
        let observed = RefCell::new(&mut *observer);
        let log = |what: &str| observed.borrow_mut().event(system, Event::Note(what));
        // A signal ends the run in good order.
        let leaves = Box::new(|| None);
        let met = meet_walkers(cluster, system, walked, interrupt, (&log, &stop), leaves);
        let (meeting, options) = match (met, interrupt.reason()) {
            (Ok(met), _) => met,
            (Err(_), Some(reason)) => return Explored::ended(procs, reason.into()),
            (Err(Fault(why)), None) => return lost(why),
        };
        let others = Box::new(RemoteWalks::new(Arc::clone(&meeting)));
        let explored = explore_together(system, (procs, &options), Some(others), interrupt, observer);
        match meeting.end() {
            Err(Fault(why)) if explored.exploration.stop == Stop::Cluster => lost(why),
            // Findings so far are kept.
            _ => explored,
        }
    }
}
