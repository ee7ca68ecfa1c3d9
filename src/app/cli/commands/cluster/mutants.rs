//! `cubicle cluster -- mutate FILE`: mutants go to the next free process.

use std::cell::Cell;
use std::ffi::OsString;
use std::sync::{Mutex, OnceLock};
use std::thread::{self, Builder};
use std::time::Duration;

use cubicle_check::STACK_BYTES;
use cubicle_cluster::{Cluster, Fault, Meeting, deal, help};
use cubicle_lang::load::ModelSource;
use cubicle_run::Interrupt;
use cubicle_run::workers::locked;
use cubicle_tools::mutation::{MutantExaminer, Others, Plan, THREAD};

use signal_hook::low_level;

use super::following::Following;
use super::here::facts;
use super::launch::Children;
use crate::cli::commands::mutate::{MutateArgs, Team};
use crate::cli::failure::Failure;
use crate::cli::load::load;
use crate::cli::{exit, logging};

/// How long a step may take to end in good order when its result is not needed any more.
const GRACE: Duration = Duration::from_secs(1);

/// Whether a cluster can do what is asked for.
pub fn fits(args: &MutateArgs) -> Result<(), Failure> {
    let why = if args.list || args.print.is_some() {
        "--list and --print examine no mutants: leave the cluster out"
    } else if args.properties || args.suggest {
        "a cluster examines mutants: leave --properties and --suggest out"
    } else if args.jobs > 1 {
        "the workers of a cluster are those of `cubicle cluster --workers W`: leave --jobs out"
    } else if args.model.as_os_str() == "-" {
        "each process of a cluster reads the model: it must be a file"
    } else {
        return Ok(());
    };
    Err(Failure::usage(why))
}

/// The processes of a cluster, for the one that leads.
pub struct MutantTeam {
    /// The cluster, until this process meets the others.
    cluster: Mutex<Option<Cluster>>,
    children: Mutex<Children>,
    workers: usize,
    meeting: OnceLock<Meeting>,
}

impl MutantTeam {
    /// Those of this cluster.
    pub fn new(cluster: Cluster, children: Children) -> Self {
        let (workers, meeting) = (cluster.workers, OnceLock::new());
        Self { cluster: Mutex::new(Some(cluster)), children: Mutex::new(children), workers, meeting }
    }
}

impl Others for MutantTeam {
    fn deal(&self, next: &dyn Fn() -> Option<usize>, put: &dyn Fn(usize, &[u8]) -> bool) {
        if let Some(meeting) = self.meeting.get() {
            deal(meeting, self.workers, next, put);
        }
    }
}

impl Team for MutantTeam {
    fn gather(
        &self,
        model: &str,
        agreed: Vec<(String, String)>,
        interrupt: &Interrupt,
        log: &dyn Fn(&str),
    ) -> Result<(), Fault> {
        let cluster = locked(&self.cluster).take();
        let cluster = cluster.expect("they meet once");
        let stop = || locked(&self.children).stop(interrupt);
        // A signal ends the run in good order.
        let first = facts(model.as_bytes());
        let meeting = cluster.meet(first, agreed, interrupt, log, &stop, Box::new(|| None))?;
        self.meeting.set(meeting).ok().expect("they meet once");
        Ok(())
    }

    fn end(&self) {
        if let Some(meeting) = self.meeting.get() {
            // Why a process was lost is known by then.
            let _ = meeting.end();
        }
    }
}

/// Examines the mutants that process 0 hands out, silently unless something is wrong; the exit code.
pub fn follow(args: &MutateArgs, cluster: Cluster, started: bool, typed: &[OsString]) -> u8 {
    logging::to_stderr();
    let following = Following::new(&cluster, started, typed);
    let interrupt = Interrupt::default();
    let Ok(loaded) = load(&args.model, None, &Following::messages()) else { return exit::USAGE };
    let (system, text) = (&loaded.system, loaded.text.as_str());
    let (stop, log) = (|| following.leaves(), |what: &str| following.log(what));
    let (own, workers) = (following.clone(), cluster.workers);
    let leaves = Box::new(move || own.leaves());
    let meeting =
        match cluster.meet(facts(text.as_bytes()), args.agreement(), &interrupt, &log, &stop, leaves) {
            Ok(meeting) => meeting,
            Err(fault) => return following.ended(Err(fault)),
        };
    let model = ModelSource::new(system, text);
    let plan = Plan::new(&loaded.file, model, &args.selection(), &interrupt);
    let (options, helper) = (OnceLock::new(), OnceLock::new());
    // Once a mutant is handed out, the check of the model itself is known to end.
    let measured = || args.options(args.checked(system, &interrupt).as_ref());
    let helper = || {
        helper.get_or_init(|| MutantExaminer::new(model, &plan, options.get_or_init(measured), &interrupt))
    };
    let worker = || Builder::new().name(THREAD.into()).stack_size(STACK_BYTES);
    let (work, code) = (|place| helper().answer(place), Cell::new(None));
    let over = || {
        let ended = following.ended(meeting.end());
        code.set(Some(ended));
        // A step that ignores the request to end is not waited for.
        thread::spawn(move || {
            thread::sleep(GRACE);
            low_level::exit(ended.into());
        });
    };
    // Nothing is handed out when the model itself is not safe.
    help(&meeting, workers, &worker, &interrupt, &work, &over);
    code.get().unwrap_or_else(|| following.ended(meeting.end()))
}
