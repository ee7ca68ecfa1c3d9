//! The states of a cluster as the oracle of a proof: each question goes to all workers, which answer from their own states.

use std::collections::HashMap;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::events::{Event, Fault, Wake, spawn, unexplained};
use super::flow::Question;
use super::watch::Watch;
use cubicle_lang::model::Forbidden;
use cubicle_run::workers::locked;
use cubicle_run::{Interrupt, Oracle, OracleAnswer};

/// How often to check whether the run must end while waiting for an answer.
const PATIENCE: Duration = Duration::from_millis(20);
/// How long the others may take to end after the last question.
const LAST: Duration = Duration::from_secs(5);

/// The states that the workers of a cluster own.
pub struct SpreadStates {
    asking: Mutex<Asking>,
    interrupt: Interrupt,
    watch: Arc<Watch>,
    /// Receives a message when the workers of this process have ended.
    left: Mutex<Receiver<()>>,
}

/// The sending side of questions, one at a time.
struct Asking {
    questions: Sender<Question>,
    wake: Wake,
    /// Cubes already answered. Only looked up, never iterated.
    known: HashMap<Forbidden, OracleAnswer>,
}

impl SpreadStates {
    /// The states of an exploration that has ended. When a process is lost from now on, the run ends.
    ///
    /// # Errors
    /// The system cannot start a thread.
    pub(super) fn new(
        questions: Sender<Question>,
        wake: Wake,
        watch: Watch,
        interrupt: &Interrupt,
        events: Receiver<Event>,
    ) -> Result<Self, Fault> {
        let watch = Arc::new(watch);
        let (tell, left) = mpsc::channel();
        let (watching, run) = (Arc::clone(&watch), interrupt.clone());
        let attend = move || {
            loop {
                let lost = match events.recv_timeout(Duration::from_millis(100)) {
                    Ok(Event::Fault(why)) => Some(why),
                    Ok(Event::Left(true)) => break,
                    _ => unexplained(),
                };
                if let Some(why) = lost {
                    watching.fault(&why);
                    run.lose(format!("{why}; start all processes again"));
                    break;
                }
            }
            // There is no receiver any more when the run has ended otherwise.
            let _ = tell.send(());
        };
        spawn("attending", attend).map_err(Fault::of("cannot start a thread"))?;
        let asking = Mutex::new(Asking { questions, wake, known: HashMap::new() });
        Ok(Self { asking, interrupt: interrupt.clone(), watch, left: Mutex::new(left) })
    }

    /// There are no more questions: all processes end.
    pub fn end(&self) {
        let asking = locked(&self.asking);
        if asking.questions.send(Question::End).is_ok() {
            (asking.wake)();
        }
        let left = locked(&self.left);
        // A process that has not ended by then is not waited for.
        let _ = left.recv_timeout(LAST);
        self.watch.done();
    }
}

impl Oracle for SpreadStates {
    fn ask(&self, candidate: &Forbidden) -> OracleAnswer {
        let mut asking = locked(&self.asking);
        if let Some(answer) = asking.known.get(candidate) {
            return *answer;
        }
        let (reply, answer) = mpsc::channel();
        if asking.questions.send(Question::Ask(candidate.clone(), reply)).is_err() {
            return OracleAnswer::Untested;
        }
        (asking.wake)();
        let answer = loop {
            match answer.recv_timeout(PATIENCE) {
                Ok(answer) => break answer,
                Err(RecvTimeoutError::Timeout) if self.interrupt.reason().is_none() => {}
                // The run ends; no answer of an oracle makes a verdict wrong.
                Err(_) => return OracleAnswer::Untested,
            }
        };
        asking.known.insert(candidate.clone(), answer);
        answer
    }
}
