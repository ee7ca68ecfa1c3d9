//! From addresses to connections: each process calls those before it, and is called by those after it.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use tracing::debug;

use super::agreement::Agreement;
use super::channel::Channel;
use super::events::{Event, Fault, Kept, spawn};
use super::handshake::{Claim, Kind, Refusal, initiate, respond};
use super::secret::Secret;
use super::watch::Watch;

/// A connection must complete the handshake within this time.
const PATIENCE: Duration = Duration::from_secs(3);
/// At most this many connections may be in the handshake at a time.
const MOST_STRANGERS: usize = 32;
/// How long to wait before a process that does not answer is called again.
const AGAIN: Duration = Duration::from_millis(100);
/// How long others may still connect to learn of a difference.
const GRACE: Duration = Duration::from_secs(3);
/// Most strangers that are logged, one line each.
const MAX_REPORTED: usize = 20;

/// A process of a cluster that has not connected to the others.
pub struct Cluster {
    /// Number of this process; process 0 coordinates.
    pub me: usize,
    /// Where each process listens.
    pub addresses: Vec<String>,
    /// Workers in each process.
    pub workers: usize,
    /// Where this one listens.
    pub listener: TcpListener,
    /// The secret that all processes share.
    pub secret: Secret,
    /// How long the others may take to connect.
    pub wait: Duration,
    /// All processes were started before this one, on this machine: give up at once when a connection is refused.
    pub at_once: bool,
    /// Records what becomes of the checkpoint.
    pub kept: Arc<Kept>,
}

/// Facts on which all processes must agree, by name.
pub type Facts = Vec<(String, String)>;

impl Cluster {
    /// How many processes share the memory of this machine.
    pub const fn sharing(&self) -> usize {
        if self.at_once { self.addresses.len() } else { 1 }
    }

    /// Connects all processes, which must agree on these facts and on their numbers (a difference in the first facts is
    /// reported first), and begins to watch over them. `log` receives a line about each stranger; `stop` says when to give up,
    /// and why.
    ///
    /// # Errors
    /// Why there is no cluster, for the user.
    pub(super) fn connect(
        self,
        first: Facts,
        further: Facts,
        log: &dyn Fn(&str),
        stop: &dyn Fn() -> Option<String>,
        faults: &Sender<Event>,
    ) -> Result<(Vec<Option<Channel>>, Watch), Fault> {
        let (me, addresses, begun) = (self.me, self.addresses.clone(), Instant::now());
        let processes = addresses.len();
        let sizes =
            [("the number of processes of the cluster", processes), ("the number of workers", self.workers)];
        let sizes = sizes.map(|(name, n)| (name.to_owned(), n.to_string()));
        let agreement = Agreement::new(first.into_iter().chain(sizes).chain(further));
        let (over, strangers) = (AtomicBool::new(false), AtomicUsize::new(0));
        let shared = Arc::new(Shared { cluster: self, agreement, over, strangers });
        let (tell, news) = mpsc::channel();
        let failed = Fault::of("cannot start a thread");
        if me + 1 < processes {
            let (shared, tell) = (Arc::clone(&shared), tell.clone());
            spawn("answering", move || answer(&shared, &tell)).map_err(&failed)?;
        }
        for to in 0..me {
            for kind in [Kind::States, Kind::Life] {
                let (shared, tell) = (Arc::clone(&shared), tell.clone());
                let claim = Claim { from: me as u32, to: to as u32, kind };
                spawn("calling", move || call(&shared, claim, &tell)).map_err(&failed)?;
            }
        }
        let none = || (0..processes).map(|_| None).collect();
        let mut links = Links { states: none(), life: none() };
        let joined = gather(&shared, &mut links, &news, begun, log, stop);
        shared.over.store(true, Ordering::Relaxed);
        joined?;
        let watch = Watch::start(links.life, me, &addresses, faults)?;
        Ok((links.states, watch))
    }
}

/// Connections to the other processes, none to this one.
struct Links {
    states: Vec<Option<Channel>>,
    /// For signs of life.
    life: Vec<Option<Channel>>,
}

/// What the threads report.
enum News {
    Linked(Claim, Channel, Agreement),
    /// A stranger connected, and was dropped.
    Dropped(String),
    /// The cluster cannot be formed.
    Fatal(String),
}

/// What the threads share.
struct Shared {
    cluster: Cluster,
    agreement: Agreement,
    over: AtomicBool,
    strangers: AtomicUsize,
}

/// Listens on an address, which must be one of this machine.
///
/// # Errors
/// It cannot be used.
pub fn listen(address: &str) -> Result<TcpListener, Fault> {
    TcpListener::bind(address).map_err(|error| Fault(format!("cannot listen at {address}: {error}")))
}

/// Handles what the threads report until all processes are connected.
fn gather(
    shared: &Shared,
    links: &mut Links,
    news: &Receiver<News>,
    begun: Instant,
    log: &dyn Fn(&str),
    stop: &dyn Fn() -> Option<String>,
) -> Result<(), Fault> {
    let Cluster { me, addresses, wait, .. } = &shared.cluster;
    let mut reported = 0;
    // The first difference, and when it was seen.
    let mut difference: Option<(String, Instant)> = None;
    loop {
        let missing = (0..addresses.len())
            .find(|other| other != me && (links.states[*other].is_none() || links.life[*other].is_none()));
        match (missing, &difference) {
            (None, None) => return Ok(()),
            (missing, Some((why, since))) if missing.is_none() || since.elapsed() >= GRACE => {
                return Err(Fault(why.clone()));
            }
            (Some(other), None) if begun.elapsed() >= *wait => {
                let (address, seconds) = (&addresses[other], wait.as_secs_f32());
                let why = format!("process {other} ({address}) has not connected within {seconds} s");
                return Err(Fault(why));
            }
            _ => {}
        }
        if let Some(why) = stop() {
            return Err(Fault(why));
        }
        match news.recv_timeout(Duration::from_millis(50)) {
            Ok(News::Linked(claim, channel, theirs)) => {
                let stream = channel.stream();
                // The deadline was for the handshake only.
                let calm = stream.set_read_timeout(None).and_then(|()| stream.set_write_timeout(None));
                calm.map_err(Fault::of("cannot use a connection"))?;
                let other = if claim.from as usize == *me { claim.to } else { claim.from } as usize;
                if let Some(what) = shared.agreement.difference(&theirs) {
                    let address = addresses.get(other).map_or("?", String::as_str);
                    let text = format!("process {other} ({address}) is not part of this run: {what}");
                    difference.get_or_insert((text, Instant::now()));
                }
                let all = if claim.kind == Kind::States { &mut links.states } else { &mut links.life };
                match all.get_mut(other) {
                    Some(place @ None) => {
                        debug!(other, kind = ?claim.kind, "connected");
                        *place = Some(channel);
                    }
                    _ => log(&format!("a second process {other} connected, and was dropped")),
                }
            }
            Ok(News::Dropped(what)) => {
                reported += 1;
                if reported <= MAX_REPORTED {
                    log(&what);
                }
            }
            Ok(News::Fatal(why)) => return Err(Fault(why)),
            Err(RecvTimeoutError::Timeout) => {}
            // The threads are gone only when there are no others to wait for, and then the loop has ended.
            Err(RecvTimeoutError::Disconnected) => thread::sleep(AGAIN),
        }
    }
}

/// A connection with a deadline for its handshake.
struct Timed<'a> {
    stream: &'a TcpStream,
    until: Instant,
}

impl Timed<'_> {
    fn rest(&self) -> io::Result<Option<Duration>> {
        let rest = self.until.saturating_duration_since(Instant::now());
        if rest.is_zero() {
            return Err(Self::explained(ErrorKind::TimedOut.into()));
        }
        Ok(Some(rest))
    }

    /// The error with a message for the user.
    fn explained(error: io::Error) -> io::Error {
        match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => {
                io::Error::new(ErrorKind::TimedOut, "it did not complete the handshake in time")
            }
            kind @ ErrorKind::UnexpectedEof => io::Error::new(kind, "it closed the connection too early"),
            _ => error,
        }
    }
}

impl Read for Timed<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.rest()?)?;
        self.stream.read(bytes).map_err(Self::explained)
    }
}

impl Write for Timed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.rest()?)?;
        self.stream.write(bytes).map_err(Self::explained)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

fn timed(stream: &TcpStream) -> Timed<'_> {
    Timed { stream, until: Instant::now() + PATIENCE }
}

/// Answers connections until all processes are connected.
fn answer(shared: &Arc<Shared>, tell: &Sender<News>) {
    let listener = &shared.cluster.listener;
    if let Err(error) = listener.set_nonblocking(true) {
        let _ = tell.send(News::Fatal(format!("cannot listen: {error}")));
        return;
    }
    while !shared.over.load(Ordering::Relaxed) {
        let Ok((stream, from)) = listener.accept() else {
            thread::sleep(Duration::from_millis(10));
            continue;
        };
        if shared.strangers.load(Ordering::Relaxed) >= MOST_STRANGERS {
            let _ = tell.send(News::Dropped(format!("{from} was dropped: too many connections at once")));
            continue;
        }
        shared.strangers.fetch_add(1, Ordering::Relaxed);
        let (owned, tell) = (Arc::clone(shared), tell.clone());
        let introduce = move || {
            let Shared { cluster: Cluster { me, secret, .. }, agreement, .. } = &*owned;
            let prepared = stream.set_nonblocking(false).and_then(|()| stream.set_nodelay(true));
            let met = prepared
                .map_err(Refusal::from)
                .and_then(|()| respond(&mut timed(&stream), secret, *me as u32, agreement));
            let _ = tell.send(match met {
                Ok((keys, claim, theirs)) => News::Linked(claim, keys.over(stream), theirs),
                Err(why) => News::Dropped(format!("{from} was dropped: {why}")),
            });
            owned.strangers.fetch_sub(1, Ordering::Relaxed);
        };
        if spawn("introducing", introduce).is_err() {
            shared.strangers.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Calls a process until it answers.
fn call(shared: &Shared, claim: Claim, tell: &Sender<News>) {
    let Shared { cluster: Cluster { addresses, secret, at_once, .. }, agreement, .. } = shared;
    let (to, address) = (claim.to, &addresses[claim.to as usize]);
    while !shared.over.load(Ordering::Relaxed) {
        let stream = match connect(address) {
            Ok(stream) => stream,
            Err(error) if *at_once && error.kind() == ErrorKind::ConnectionRefused => {
                let _ = tell.send(News::Fatal(format!("process {to} ({address}) is gone")));
                return;
            }
            Err(_) => {
                thread::sleep(AGAIN);
                continue;
            }
        };
        let news = match initiate(&mut timed(&stream), secret, claim, agreement) {
            Ok((keys, theirs)) => News::Linked(claim, keys.over(stream), theirs),
            Err(why @ (Refusal::Stranger | Refusal::Refused)) => {
                News::Fatal(format!("process {to} ({address}) is not part of this run: {why}"))
            }
            // Another program may have listened there, or the process has too many connections at the moment.
            Err(Refusal::Io(_) | Refusal::Garbage) => {
                thread::sleep(AGAIN);
                continue;
            }
        };
        let _ = tell.send(news);
        return;
    }
}

fn connect(address: &str) -> io::Result<TcpStream> {
    let mut last = io::Error::new(ErrorKind::NotFound, "it has no address");
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}
