//! Walks of all processes of a cluster, in one campaign.

use std::cell::RefCell;
use std::sync::{Arc, PoisonError};

use cubicle_cluster::{Fault, Leaves, Meeting, Swarm};
use cubicle_forward::{Explored, explore_together, follow_campaign, walking_agreement};
use cubicle_lang::model::System;
use cubicle_run::interrupt::Interrupt;
use cubicle_run::observer::{Event, Observer};
use cubicle_run::options::ForwardOptions;
use cubicle_run::result::Stop;
use cubicle_tools::export;

use super::following::Following;
use super::here::{ClusterProcess, Leading};
use crate::cli::document::sha256;

/// An instance, and how it is explored.
type Walked<'a> = (usize, &'a ForwardOptions);

impl ClusterProcess {
    /// Meets the others that are to walk in this instance; how this process does it.
    fn meet_walkers(
        self,
        system: &System,
        (procs, options): Walked<'_>,
        interrupt: &Interrupt,
        (log, stop): (&dyn Fn(&str), &dyn Fn() -> Option<String>),
        leaves: Leaves,
    ) -> Result<(Arc<Meeting>, ForwardOptions), Fault> {
        let facts = walking_agreement(procs, options);
        let mut options = options.clone().jobs(self.workers);
        options.memory = options.memory.map(|bytes| bytes / self.sharing());
        let cluster = self.cluster(sha256(export::model(system).as_bytes()), None);
        let meeting = cluster.meet(facts, interrupt, (log, stop), leaves)?;
        Ok((Arc::new(meeting), options))
    }

    /// Walks in the campaign that process 0 leads.
    pub fn follow_campaign(
        self,
        system: &System,
        walked: Walked<'_>,
        interrupt: &Interrupt,
        following: &Following,
    ) -> Result<(), Fault> {
        let (stop, log) = (|| following.leaves(), |what: &str| following.log(what));
        let own = following.clone();
        let leaves = Box::new(move || own.leaves());
        let (meeting, options) = self.meet_walkers(system, walked, interrupt, (&log, &stop), leaves)?;
        let swarm = Box::new(Swarm::new(Arc::clone(&meeting)));
        follow_campaign(system, (walked.0, &options), swarm, interrupt);
        meeting.end()
    }
}

impl Leading {
    /// Walks together with the others.
    pub fn walk(
        &self,
        place: ClusterProcess,
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
        let met = place.meet_walkers(system, walked, interrupt, (&log, &stop), leaves);
        let (meeting, options) = match (met, interrupt.reason()) {
            (Ok(met), _) => met,
            (Err(_), Some(reason)) => return Explored::ended(procs, reason.into()),
            (Err(Fault(why)), None) => return lost(why),
        };
        let swarm = Box::new(Swarm::new(Arc::clone(&meeting)));
        let explored = explore_together(system, (procs, &options), swarm, interrupt, observer);
        match meeting.end() {
            Err(Fault(why)) if explored.exploration.stop == Stop::Cluster => lost(why),
            // Findings so far are kept.
            _ => explored,
        }
    }
}
