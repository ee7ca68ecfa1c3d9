//! From addresses to connections: each process calls those before it, and is called by those after it.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::agreement::Agreement;
use super::channel::Channel;
use super::handshake::{Claim, Kind, Refusal, initiate, respond};
use super::secret::Secret;

/// A connection must complete the handshake within this time.
const PATIENCE: Duration = Duration::from_secs(3);
/// At most this many connections may be in the handshake at a time.
const MOST_STRANGERS: usize = 32;
/// How long to wait before a process that does not answer is called again.
const AGAIN: Duration = Duration::from_millis(100);
/// How long others may still connect to learn of a difference.
const GRACE: Duration = Duration::from_secs(3);
/// Most strangers that are logged, one line each.
const MOST_TOLD: usize = 20;

/// How a process joins a cluster.
pub struct Joining {
    /// Number of this process.
    pub me: usize,
    /// Where each process listens.
    pub addresses: Vec<String>,
    /// The secret that all processes share.
    pub secret: Secret,
    /// What all must agree on.
    pub agreement: Agreement,
    /// How long the others may take to connect.
    pub wait: Duration,
    /// Give up at once when a connection is refused: on one machine all processes were started before.
    pub at_once: bool,
}

/// Connections to the other processes, none to this one.
pub struct Links {
    /// For states.
    pub states: Vec<Option<Channel>>,
    /// For signs of life.
    pub life: Vec<Option<Channel>>,
}

/// What the threads report.
enum News {
    /// A connection.
    Linked(Claim, Channel, Agreement),
    /// A stranger connected, and was dropped.
    Dropped(String),
    /// The cluster cannot be formed.
    Fatal(String),
}

/// What the threads share.
struct Shared {
    joining: Joining,
    over: AtomicBool,
    strangers: AtomicUsize,
}

/// Listens on an address, which must be one of this machine.
///
/// # Errors
/// For the user.
pub fn listen(address: &str) -> Result<TcpListener, String> {
    TcpListener::bind(address).map_err(|error| format!("cannot listen at {address}: {error}"))
}

/// Connects all. `log` receives a line about each stranger; `stop` says when to give up, and why.
///
/// # Errors
/// Why there is no cluster, for the user.
pub fn join(
    joining: Joining,
    listener: TcpListener,
    log: &dyn Fn(&str),
    stop: &dyn Fn() -> Option<String>,
) -> Result<Links, String> {
    let (me, processes) = (joining.me, joining.addresses.len());
    let begun = Instant::now();
    let shared = Arc::new(Shared { joining, over: AtomicBool::new(false), strangers: AtomicUsize::new(0) });
    let (tell, news) = mpsc::channel();
    let mut links = Links {
        states: (0..processes).map(|_| None).collect(),
        life: (0..processes).map(|_| None).collect(),
    };
    if me + 1 < processes {
        let (shared, tell) = (Arc::clone(&shared), tell.clone());
        let answering = thread::Builder::new().name("answering".into());
        let answers = answering.spawn(move || answer(&shared, &listener, &tell));
        answers.map_err(|error| format!("cannot start a thread: {error}"))?;
    }
    for to in 0..me {
        for kind in [Kind::States, Kind::Life] {
            let (shared, tell) = (Arc::clone(&shared), tell.clone());
            let claim = Claim { from: me as u32, to: to as u32, kind };
            let calling = thread::Builder::new().name("calling".into());
            let calls = calling.spawn(move || call(&shared, claim, &tell));
            calls.map_err(|error| format!("cannot start a thread: {error}"))?;
        }
    }
    let joined = gather(&shared, &mut links, &news, begun, log, stop);
    shared.over.store(true, Ordering::Relaxed);
    joined.map(|()| links)
}

/// Handles what the threads report until all processes are connected.
fn gather(
    shared: &Shared,
    links: &mut Links,
    news: &Receiver<News>,
    begun: Instant,
    log: &dyn Fn(&str),
    stop: &dyn Fn() -> Option<String>,
) -> Result<(), String> {
    let Joining { me, addresses, agreement, wait, .. } = &shared.joining;
    let mut told = 0;
    // The first difference, and when it was seen.
    let mut difference: Option<(String, Instant)> = None;
    loop {
        let missing = (0..addresses.len())
            .find(|other| other != me && (links.states[*other].is_none() || links.life[*other].is_none()));
        match (missing, &difference) {
            (None, None) => return Ok(()),
            (None, Some((why, _))) => return Err(why.clone()),
            (Some(_), Some((why, since))) if since.elapsed() >= GRACE => return Err(why.clone()),
            (Some(other), None) if begun.elapsed() >= *wait => {
                let (address, seconds) = (&addresses[other], wait.as_secs_f32());
                return Err(format!("process {other} ({address}) has not connected within {seconds} s"));
            }
            _ => {}
        }
        if let Some(why) = stop() {
            return Err(why);
        }
        match news.recv_timeout(Duration::from_millis(50)) {
            Ok(News::Linked(claim, channel, theirs)) => {
                let stream = channel.stream();
                // The deadline was for the handshake only.
                let calm = stream.set_read_timeout(None).and_then(|()| stream.set_write_timeout(None));
                calm.map_err(|error| format!("cannot use a connection: {error}"))?;
                let other = if claim.from as usize == *me { claim.to } else { claim.from } as usize;
                if let Some(what) = agreement.difference(&theirs) {
                    let address = addresses.get(other).map_or("?", String::as_str);
                    let text = format!("process {other} ({address}) is not part of this run: {what}");
                    difference.get_or_insert((text, Instant::now()));
                }
                let all = if claim.kind == Kind::States { &mut links.states } else { &mut links.life };
                match all.get_mut(other) {
                    Some(place @ None) => *place = Some(channel),
                    _ => log(&format!("a second process {other} connected, and was dropped")),
                }
            }
            Ok(News::Dropped(what)) => {
                told += 1;
                if told <= MOST_TOLD {
                    log(&what);
                }
            }
            Ok(News::Fatal(why)) => return Err(why),
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
            return Err(io::Error::new(io::ErrorKind::TimedOut, "it did not complete the handshake in time"));
        }
        Ok(Some(rest))
    }

    fn too_late(error: io::Error) -> io::Error {
        match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                io::Error::new(io::ErrorKind::TimedOut, "it did not complete the handshake in time")
            }
            io::ErrorKind::UnexpectedEof => {
                io::Error::new(io::ErrorKind::UnexpectedEof, "it closed the connection too early")
            }
            _ => error,
        }
    }
}

impl Read for Timed<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.rest()?)?;
        self.stream.read(bytes).map_err(Self::too_late)
    }
}

impl Write for Timed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.rest()?)?;
        self.stream.write(bytes).map_err(Self::too_late)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

fn timed(stream: &TcpStream) -> Timed<'_> {
    Timed { stream, until: Instant::now() + PATIENCE }
}

/// Answers connections until all processes are connected.
fn answer(shared: &Arc<Shared>, listener: &TcpListener, tell: &Sender<News>) {
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
            let Joining { me, secret, agreement, .. } = &owned.joining;
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
        if thread::Builder::new().name("introducing".into()).spawn(introduce).is_err() {
            shared.strangers.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Calls a process until it answers.
fn call(shared: &Shared, claim: Claim, tell: &Sender<News>) {
    let Joining { addresses, secret, agreement, at_once, .. } = &shared.joining;
    let (to, address) = (claim.to, &addresses[claim.to as usize]);
    while !shared.over.load(Ordering::Relaxed) {
        let stream = match connect(address) {
            Ok(stream) => stream,
            Err(error) if *at_once && error.kind() == io::ErrorKind::ConnectionRefused => {
                let _ = tell.send(News::Fatal(format!("process {to} ({address}) is gone")));
                return;
            }
            Err(_) => {
                thread::sleep(AGAIN);
                continue;
            }
        };
        let told = match initiate(&mut timed(&stream), secret, claim, agreement) {
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
        let _ = tell.send(told);
        return;
    }
}

fn connect(address: &str) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "it has no address");
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
