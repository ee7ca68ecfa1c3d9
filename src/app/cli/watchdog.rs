//! Signals, the limits on time and memory, and the thread that ends a run whose engine does not react to them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use cubicle_run::{Interrupt, Reason};
use signal_hook::consts::{
    SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
};
use signal_hook::iterator::Signals;
use signal_hook::{flag, low_level};

use super::ending::Ending;
use super::failure::after_output;
use super::output::{CLOSED, complain};
use super::{costs, exit, memory};

/// How long an engine may take to stop in good order at the time limit, which is a promise to others.
const GRACE_AT_LIMIT: Duration = Duration::from_millis(150);

/// How long it may take otherwise: there is more to report than that it stopped.
const GRACE: Duration = Duration::from_secs(1);

/// How often the watchdog checks.
const CHECK_PERIOD: Duration = Duration::from_millis(20);

/// Passes signals on to `interrupt` and starts the watchdog. `memory` is in bytes.
pub fn start(interrupt: &Interrupt, memory: Option<usize>, ending: &Arc<Ending>) -> std::io::Result<()> {
    // What is written beyond `ulimit -f` is then an error like any other.
    flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    // In this order: once SIGTERM is handled, none of the others ends the process.
    let mut signals = Signals::new([SIGUSR1, SIGXCPU].into_iter().chain(self::ending()))?;
    let watch = Watch {
        interrupt: interrupt.clone(),
        cpu: costs::CpuBudget::of_process(),
        memory: memory.map(|limit| memory::MemoryBudget::new(limit, memory::used().resident)),
        ending: Arc::clone(ending),
    };
    costs::ask_for_warning();
    // A limit that is too small for anything applies from the first step on, whatever the timing.
    watch.look();
    let (listener, told) = (interrupt.clone(), Arc::clone(ending));
    thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            match signal {
                SIGUSR1 => complain(&format!("progress: {}", told.progress().line())),
                SIGXCPU => listener.expire(),
                _ => listener.raise(signal),
            }
        }
    })?;
    thread::Builder::new().name("watchdog".into()).spawn(move || watch.run())?;
    Ok(())
}

/// From now on, signals that end a process are handled here instead.
pub fn ending_signals() -> std::io::Result<Signals> {
    Signals::new(ending())
}

/// The signals that end a process.
pub fn ending() -> impl Iterator<Item = i32> {
    // `nohup` asks for a run that goes on.
    let hangup = (!ignored(SIGHUP)).then_some(SIGHUP);
    [SIGINT, SIGTERM, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF].into_iter().chain(hangup)
}

/// Whether the process was started with `signal` ignored, where the system reports that.
fn ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

struct Watch {
    interrupt: Interrupt,
    cpu: Option<costs::CpuBudget>,
    memory: Option<memory::MemoryBudget>,
    ending: Arc<Ending>,
}

impl Watch {
    /// Stops the engines when a budget is used up; returns whether the process must end at once.
    fn look(&self) -> bool {
        let mut at_once = false;
        if let Some(budget) = self.cpu {
            let spent = costs::spent();
            if spent >= budget.ask {
                self.interrupt.expire();
            }
            at_once |= spent >= budget.force;
        }
        if let Some(budget) = self.memory {
            let (stop, end) = budget.exceeded(memory::used());
            if stop {
                self.interrupt.exhaust();
            }
            at_once |= end;
        }
        at_once
    }

    /// Ends the process when it should have ended by itself a while ago.
    fn run(&self) {
        let mut overdue: Option<Instant> = None;
        loop {
            thread::sleep(CHECK_PERIOD);
            let at_once = self.look();
            let Some(reason) = self.interrupt.reason() else {
                overdue = None;
                continue;
            };
            if self.ending.has_begun() {
                self.hurry(&mut overdue);
                continue;
            }
            let grace = if reason == Reason::Time { GRACE_AT_LIMIT } else { GRACE };
            if (at_once || overdue.get_or_insert_with(Instant::now).elapsed() >= grace)
                && let Some(code) = self.ending.last_words(&reason)
            {
                leave(code);
            }
        }
    }

    /// The answer is being written. That takes as long as it takes, unless another signal comes.
    fn hurry(&self, overdue: &mut Option<Instant>) {
        let Some(signal) = self.interrupt.pending().filter(|&signal| signal != CLOSED) else { return };
        if !self.ending.is_unwanted() {
            *overdue = None;
        } else if overdue.get_or_insert_with(Instant::now).elapsed() >= GRACE_AT_LIMIT {
            complain("note: ended while the answer was being written");
            leave(after_output(exit::of_signal(signal), self.ending.output.try_finish()));
        }
    }
}

/// Ends the process. Other threads are in the middle of something, so nothing is taken apart: the destructors of
/// a solver that runs would crash.
fn leave(code: u8) -> ! {
    cubicle_cluster::leave("the run that process 0 leads has ended");
    low_level::exit(i32::from(code))
}
