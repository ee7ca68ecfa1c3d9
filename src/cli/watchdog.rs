//! Signals, the limits on CPU time and memory, and the thread that ends a run whose engine does not react to them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use cubicle::interrupt::Interrupt;
use cubicle::verdict::Reason;
use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1, SIGXCPU};
use signal_hook::iterator::Signals;

use super::output::{Output, complain};
use super::{cpu, exit, memory};

/// How long an engine may take to stop in good order.
const GRACE: Duration = Duration::from_secs(1);

/// How often the watchdog looks.
const TICK: Duration = Duration::from_millis(20);

/// How far a run has come, for those who ask from outside.
#[derive(Debug, Default)]
pub struct Progress {
    /// States of the forward exploration that is running or has last run.
    pub states: AtomicU64,
    /// Nodes of the backward search.
    pub nodes: AtomicU64,
    /// Restarts of the backward search.
    pub restarts: AtomicU64,
    /// The engines have returned.
    pub done: AtomicBool,
}

impl Progress {
    fn line(&self) -> String {
        format!(
            "{} forward states, {} nodes, {} restarts",
            self.states.load(Ordering::Relaxed),
            self.nodes.load(Ordering::Relaxed),
            self.restarts.load(Ordering::Relaxed)
        )
    }
}

/// Passes signals on to `interrupt` and starts the watchdog. `memory` is in bytes.
pub fn start(
    interrupt: &Interrupt,
    memory: Option<usize>,
    progress: &Arc<Progress>,
    output: &Arc<Output>,
) -> std::io::Result<()> {
    let budget = cpu::Budget::of_process();
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGUSR1, SIGXCPU])?;
    cpu::ask_for_warning();
    let (listener, told) = (interrupt.clone(), Arc::clone(progress));
    thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            match signal {
                SIGUSR1 => complain(&format!("progress: {}", told.line())),
                SIGXCPU => listener.expire(),
                _ => listener.raise(signal),
            }
        }
    })?;
    let (interrupt, progress, output) = (interrupt.clone(), Arc::clone(progress), Arc::clone(output));
    thread::Builder::new()
        .name("watchdog".into())
        .spawn(move || watch(&interrupt, budget, memory, &progress, &output))?;
    Ok(())
}

/// Ends the process when it should have ended by itself a while ago.
fn watch(
    interrupt: &Interrupt,
    cpu: Option<cpu::Budget>,
    memory: Option<usize>,
    progress: &Progress,
    output: &Output,
) {
    let memory = memory.map(memory::Budget::new);
    let mut overdue: Option<Instant> = None;
    loop {
        thread::sleep(TICK);
        let mut at_once = false;
        if let Some(budget) = cpu {
            let spent = cpu::spent();
            if spent >= budget.ask {
                interrupt.expire();
            }
            at_once |= spent >= budget.force;
        }
        if let Some(budget) = memory {
            let (stop, end) = budget.exceeded(memory::used());
            if stop {
                interrupt.exhaust();
            }
            at_once |= end;
        }
        let Some(reason) = interrupt.reason() else {
            overdue = None;
            continue;
        };
        let signal = interrupt.pending();
        if signal.is_none() && progress.done.load(Ordering::Relaxed) {
            continue;
        }
        if at_once || overdue.get_or_insert_with(Instant::now).elapsed() >= GRACE {
            let why = match reason {
                Reason::Memory => "stopped at the memory limit",
                Reason::Interrupted(_) => "stopped on request",
                _ => "stopped at the time limit",
            };
            complain(&format!("{why}, in the middle of a step: {}", progress.line()));
            let code = exit::after_output(signal.map_or(exit::UNKNOWN, exit::of_signal), output.try_finish());
            #[expect(clippy::exit, reason = "the main thread is stuck: nobody else can end the process")]
            std::process::exit(i32::from(code));
        }
    }
}
