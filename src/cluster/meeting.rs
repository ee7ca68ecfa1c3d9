//! Messages of any kind between the processes of a cluster: whole, and in order.

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use super::channel::Channel;
use super::events::{Event, Fault, spawn};
use super::join::{Cluster, Facts};
use super::watch::Watch;
use cubicle_run::Interrupt;
use cubicle_run::workers::locked;

/// A failed connection means a lost process, which the watch reports within this time.
const LATER: Duration = Duration::from_secs(10);
/// A message may take longer than a link may be down: a connection takes as long again to recover.
const SENDING: Duration = Duration::from_secs(30);
/// How often to check whether a process was lost.
const PATIENCE: Duration = Duration::from_millis(100);
/// The length that stands for the end of a process's messages.
const END: u32 = u32::MAX;

/// Polled: why this process leaves the cluster, if it does.
pub type Leaves = Box<dyn Fn() -> Option<String> + Send>;

/// What comes from another process.
#[derive(Debug)]
pub enum Incoming {
    /// A message of the process with this number.
    Message(usize, Vec<u8>),
    /// That process sends no more messages.
    Ended(usize),
}

/// Connected processes that exchange messages of any kind.
pub struct Meeting {
    me: usize,
    links: Vec<Option<Mutex<Channel>>>,
    heard: Mutex<Receiver<Incoming>>,
    lost: Sender<Event>,
    run: Arc<Run>,
}

struct Run {
    watch: Watch,
    over: AtomicBool,
    fault: OnceLock<String>,
    interrupt: Interrupt,
}

impl Cluster {
    /// Connects all processes, which must agree on these facts, the first ones before all others. When one is lost later, all end, by the interrupt.
    /// `log` receives a line about each stranger; `stop` says when to give up before all are connected.
    ///
    /// # Errors
    /// A process did not connect.
    pub fn meet(
        self,
        first: Facts,
        further: Facts,
        interrupt: &Interrupt,
        log: &dyn Fn(&str),
        stop: &dyn Fn() -> Option<String>,
        leaves: Leaves,
    ) -> Result<Meeting, Fault> {
        let (me, addresses) = (self.me, self.addresses.clone());
        let (lost, news) = mpsc::channel();
        let (states, watch) = self.connect(first, further, log, stop, &lost)?;
        let (tell, heard) = mpsc::channel();
        let failed = Fault::of("cannot use the connections");
        for (other, link) in states.iter().enumerate() {
            let Some(link) = link else { continue };
            link.stream().set_write_timeout(Some(SENDING)).map_err(&failed)?;
            let (mut link, tell, lost) = (link.try_clone().map_err(&failed)?, tell.clone(), lost.clone());
            let who = format!("the connection to process {other} ({}) was lost", addresses[other]);
            let listen = move || {
                if let Err(error) = listen(other, &mut link, &tell) {
                    // There is no receiver any more when the run has ended.
                    let _ = lost.send(Event::Broken(other, format!("{who}: {error}")));
                }
            };
            spawn("hearing", listen).map_err(&failed)?;
        }
        let (over, fault, interrupt) = (AtomicBool::new(false), OnceLock::new(), interrupt.clone());
        let run = Arc::new(Run { watch, over, fault, interrupt });
        let attended = Arc::clone(&run);
        spawn("attending", move || attended.attend(&news, &leaves)).map_err(&failed)?;
        Ok(Meeting {
            me,
            links: states.into_iter().map(|link| link.map(Mutex::new)).collect(),
            heard: Mutex::new(heard),
            lost,
            run,
        })
    }
}

impl Meeting {
    /// The number of this process, and the number of processes.
    pub fn place(&self) -> (usize, usize) {
        (self.me, self.links.len())
    }

    /// Numbers of the other processes.
    pub fn others(&self) -> impl Iterator<Item = usize> {
        (0..self.links.len()).filter(|other| *other != self.me)
    }

    /// Sends a message to another process. If that fails, the process is lost, and the interrupt ends the run.
    pub fn say(&self, to: usize, message: &[u8]) {
        let length = u32::try_from(message.len()).ok().filter(|length| *length < END);
        let sent = match length {
            Some(length) => self.send(to, length, message),
            None => Err(io::Error::other("the message is too long")),
        };
        if let Err(error) = sent {
            let text = format!("the connection to process {to} was lost: {error}");
            // There is no receiver any more when the run has ended.
            let _ = self.lost.send(Event::Broken(to, text));
        }
    }

    fn send(&self, to: usize, length: u32, message: &[u8]) -> io::Result<()> {
        let Some(link) = &self.links[to] else { return Ok(()) };
        let mut link = locked(link);
        link.write_all(&length.to_le_bytes())?;
        link.write_all(message)
    }

    /// The next message from any other process, if it arrives within this time.
    pub fn hear(&self, patience: Duration) -> Option<Incoming> {
        locked(&self.heard).recv_timeout(patience).ok()
    }

    /// Whether the run must end.
    pub fn is_over(&self) -> bool {
        self.run.interrupt.reason().is_some() || self.run.interrupt.signals() > 0
    }

    /// A process sent an invalid message: all end, and the interrupt is set when this returns.
    pub fn protocol_error(&self, process: usize) {
        self.fail(format!("process {process} sent an invalid message"));
    }

    /// This process cannot go on: all end, and the interrupt is set when this returns.
    pub fn fail(&self, why: String) {
        let _ = self.lost.send(Event::Fault(why));
        while !self.is_over() && !self.run.over.load(Ordering::Relaxed) {
            thread::sleep(PATIENCE);
        }
    }

    /// Ends this process's part: it sends no more messages, and a lost process is no longer a fault.
    ///
    /// # Errors
    /// A process was lost before that.
    pub fn end(&self) -> Result<(), Fault> {
        self.run.over.store(true, Ordering::Relaxed);
        if let Some(why) = self.run.fault.get() {
            // The others are told of the fault, so no regular end is sent.
            return Err(Fault(why.clone()));
        }
        for other in self.others() {
            // A process that has ended before does not receive it.
            let _ = self.send(other, END, &[]);
        }
        self.run.watch.done();
        Ok(())
    }
}

/// Passes on the messages of a process, until it sends no more.
fn listen(from: usize, link: &mut Channel, tell: &Sender<Incoming>) -> io::Result<()> {
    loop {
        let mut length = [0; 4];
        link.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length);
        if length == END {
            let _ = tell.send(Incoming::Ended(from));
            return Ok(());
        }
        // Memory grows only with the bytes that arrive, not with the length that is claimed.
        let mut message = Vec::new();
        if Read::by_ref(link).take(length.into()).read_to_end(&mut message)? < length as usize {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if tell.send(Incoming::Message(from, message)).is_err() {
            return Ok(());
        }
    }
}

impl Run {
    /// Ends the run when a process is lost, or this one leaves.
    fn attend(&self, news: &Receiver<Event>, leaves: &Leaves) {
        let mut broken: Option<(usize, String, Instant)> = None;
        while !self.over.load(Ordering::Relaxed) {
            let mut why = match news.recv_timeout(PATIENCE) {
                Ok(Event::Fault(why)) => Some(why),
                Ok(Event::Broken(of, why)) => {
                    broken.get_or_insert_with(|| (of, why, Instant::now()));
                    None
                }
                Ok(_) | Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            why = why.or_else(leaves);
            let late = broken.take_if(|(.., since)| since.elapsed() >= LATER);
            let late = late.filter(|(of, ..)| !self.watch.has_left(*of));
            if let Some(why) = why.or_else(|| late.map(|(_, why, _)| why)) {
                self.watch.fault(&why);
                let _ = self.fault.set(why.clone());
                self.interrupt.lose(format!("{why}; start all processes again"));
                return;
            }
        }
    }
}
