//! The dataflow: one loop on which commands, states and summaries go round.
//!
//! Round r has three times. A command arrives at all workers at 3r + 1; the states that they send arrive at their owners
//! at 3r + 2; when no more can, each worker sends its summary, which arrives at the coordinator at 3r + 3; when no more can, the
//! coordinator sends the next command. Timely tracks when no more can arrive.

use std::io;
use std::net::Shutdown;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError};
use std::sync::{Arc, Mutex};

use timely::WorkerConfig;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::zero_copy::stream::Stream;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};
use timely::communication::{Hooks, WorkerGuards};
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::generic::operator::Operator;
use timely::dataflow::operators::{Capability, ConnectLoop, Feedback};
use timely::execute::execute_from;
use timely::worker::Worker as TimelyWorker;

use super::channel::Channel;
use super::events::{Event, Fault, Kept};
use cubicle_forward::{Command, Coordinator, Instance, Parcel, Summary, Worker};
use cubicle_lang::model::Forbidden;
use cubicle_run::workers::locked;
use cubicle_run::{Interrupt, OracleAnswer};

/// A question about the states, once all are known.
pub enum Question {
    /// Whether some state satisfies a cube over this number of processes.
    Ask(Forbidden, Sender<OracleAnswer>),
    /// There are no more questions.
    End,
}

/// A parcel and the number of the worker it is for.
type Addressed = (u64, Parcel);

/// What the workers of this process share.
pub struct Part {
    pub instance: Instance,
    /// Workers of each process.
    pub workers: usize,
    /// Bytes that the states of each worker may take.
    pub memory: usize,
    pub interrupt: Interrupt,
    /// Receives the events of the run, in the process that leads.
    pub course: Mutex<Sender<Event>>,
    /// Source of questions, in the process that leads, when the states serve as an oracle.
    pub questions: Mutex<Option<Receiver<Question>>>,
    pub rounds: AtomicU64,
    /// What is known of the checkpoint.
    pub kept: Arc<Kept>,
}

impl Stream for Channel {
    fn try_clone(&self) -> io::Result<Self> {
        self.try_clone()
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.stream().set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.stream().shutdown(how)
    }
}

/// Starts the workers of process number `me`, which is connected to the others.
///
/// # Errors
/// The system cannot start a thread.
pub fn start(part: Arc<Part>, me: usize, links: Vec<Option<Channel>>) -> Result<WorkerGuards<()>, Fault> {
    let (hooks, threads) = (Hooks::default(), part.workers);
    let local = ProcessBuilder::new_typed_vector(threads, hooks.refill.clone(), None);
    let (builders, guard): (Vec<AllocatorBuilder>, Box<dyn std::any::Any + Send>) = if links.len() == 1 {
        (local.into_iter().map(AllocatorBuilder::Process).collect(), Box::new(()))
    } else {
        let (builders, guard) = initialize_networking_from_sockets(local, links, me, threads, hooks)
            .map_err(Fault::of("cannot use the connections"))?;
        (builders.into_iter().map(AllocatorBuilder::Tcp).collect(), Box::new(guard))
    };
    execute_from(builders, guard, WorkerConfig::default(), move |worker| build(worker, &part))
        .map_err(Fault::of("cannot start a thread"))
}

/// Builds the dataflow of one worker.
fn build(worker: &mut TimelyWorker, part: &Arc<Part>) {
    let (me, total) = (worker.index(), worker.peers());
    let owner = part.instance.worker(me, total, part.workers, part.memory, &part.interrupt);
    let questions = if me == 0 { locked(&part.questions).take() } else { None };
    let coordinator =
        (me == 0).then(|| part.instance.coordinator(questions.is_some(), total / part.workers, part.workers));
    let part = Arc::clone(part);
    worker.dataflow::<u64, _, _>(move |scope| {
        let (handle, cycle) = scope.feedback::<Vec<Addressed>>(1);
        let pact = Exchange::new(|parcel: &Addressed| parcel.0);
        let turn = cycle.unary_frontier(pact, "worker", move |first, info| {
            let waking = scope.worker().sync_activator_for(info.address.to_vec());
            let again = scope.activator_for(info.address);
            // The coordinator begins; the other workers send nothing without a command.
            let begins = me == 0;
            let mut state = Turn {
                owner,
                total,
                part,
                working: None,
                summing: None,
                coordinator,
                command_at: begins.then_some(first),
                summaries: Vec::new(),
                begun: false,
                serves: false,
                questions,
                asked: None,
            };
            if begins {
                // A worker that has ended cannot be woken, and need not be.
                state.tell(Event::Begins(Box::new(move || waking.activate().unwrap_or_default())));
            }
            move |(input, frontier), output| {
                input.for_each_stamp(|cap, data| {
                    let cap = cap.retain_least(output.output_index());
                    for (_, parcel) in data.flat_map(std::mem::take) {
                        state.arrives(parcel, cap.as_ref());
                    }
                });
                let passed = |time: u64| !frontier.frontier().less_equal(&time);
                let mut worked = state.works();
                while let Some((cap, parcels)) = worked.take().or_else(|| state.speaks(&passed)) {
                    let mut session = output.session(&cap);
                    for parcel in parcels {
                        session.give(parcel);
                    }
                }
                if state.working.is_some() {
                    again.activate();
                }
            }
        });
        turn.connect_loop(handle);
    });
}

/// A worker, and the coordinator in its process: what each sends, and when.
struct Turn {
    owner: Worker,
    total: usize,
    part: Arc<Part>,
    /// May send states, while there is work to do.
    working: Option<Capability<u64>>,
    /// May send a summary, once all states have arrived.
    summing: Option<Capability<u64>>,
    coordinator: Option<Coordinator>,
    /// May send a command, once all summaries have arrived.
    command_at: Option<Capability<u64>>,
    /// Summaries of this round.
    summaries: Vec<Summary>,
    /// Whether the first command was sent.
    begun: bool,
    /// Whether all states are known, and only questions are left.
    serves: bool,
    questions: Option<Receiver<Question>>,
    /// Receives the answer to the last question.
    asked: Option<Sender<OracleAnswer>>,
}

/// What is sent, and when.
type Sent = (Capability<u64>, Vec<Addressed>);

impl Turn {
    fn arrives(&mut self, parcel: Parcel, cap: Option<&Capability<u64>>) {
        match parcel {
            Parcel::States(states) => self.owner.receive(states),
            Parcel::Summary(summary) => {
                self.summaries.push(*summary);
                self.command_at = self.command_at.take().or_else(|| cap.cloned());
            }
            Parcel::Command(Command::End) => {}
            Parcel::Command(Command::Fail(why)) => self.part.kept.fail(why),
            Parcel::Command(command) => {
                self.owner.command(command);
                self.owner.kept().iter().for_each(|level| self.part.kept.counts(*level));
                self.working = cap.cloned();
            }
        }
    }

    /// Does a piece of work, and returns what to send.
    fn works(&mut self) -> Option<Sent> {
        let cap = self.working.take()?;
        let mut parcels = Vec::new();
        if self.owner.work(&mut |to, parcel| parcels.push((to as u64, parcel))) {
            self.summing = Some(cap.delayed(&(cap.time() + 1)));
        } else {
            self.working = Some(cap.clone());
        }
        Some((cap, parcels))
    }

    /// The summary or command that is due, once nothing more can arrive before it.
    fn speaks(&mut self, passed: &impl Fn(u64) -> bool) -> Option<Sent> {
        if let Some(cap) = self.summing.take_if(|cap| passed(*cap.time())) {
            return Some((cap, vec![(0, Parcel::Summary(Box::new(self.owner.summary())))]));
        }
        let ready = |cap: &Capability<u64>| !self.begun || passed(*cap.time());
        if !self.command_at.as_ref().is_some_and(ready) {
            return None;
        }
        let command = if self.serves { self.next_question()? } else { self.next_round() };
        let cap = self.command_at.take()?;
        Some((cap, (0..self.total as u64).map(|to| (to, Parcel::Command(command.clone()))).collect()))
    }

    /// The coordinator decides what comes next.
    fn next_round(&mut self) -> Command {
        self.begun = true;
        let mut summaries = std::mem::take(&mut self.summaries);
        summaries.sort_unstable_by_key(|summary| summary.worker);
        self.part.rounds.fetch_add(1, Ordering::Relaxed);
        let coordinator = self.coordinator.as_mut().expect("summaries go to the coordinator");
        let (states, waiting, depth) = coordinator.progress(&summaries);
        let command = coordinator.next(summaries);
        let outcome = matches!(command, Command::Serve | Command::End | Command::Fail(_))
            .then(|| coordinator.outcome.clone());
        self.serves = command == Command::Serve;
        self.tell(match outcome {
            Some(outcome) => Event::Over(Box::new(outcome)),
            None => Event::Progress(states, waiting, depth),
        });
        command
    }

    /// Answers the last question from the workers' summaries, and asks the next one, if there is one.
    fn next_question(&mut self) -> Option<Command> {
        let summaries = std::mem::take(&mut self.summaries);
        if let Some(asked) = self.asked.take() {
            // The receiver may be gone.
            let _ = asked.send(OracleAnswer::of_all(summaries.iter().filter_map(|summary| summary.answer)));
        }
        match self.questions.as_ref().map(Receiver::try_recv) {
            Some(Ok(Question::Ask(candidate, reply))) => {
                self.asked = Some(reply);
                Some(Command::Ask(candidate))
            }
            Some(Err(TryRecvError::Empty)) => None,
            Some(Ok(Question::End) | Err(TryRecvError::Disconnected)) | None => Some(Command::End),
        }
    }

    fn tell(&self, event: Event) {
        // There is no receiver any more when the run has ended otherwise.
        let _ = locked(&self.part.course).send(event);
    }
}
