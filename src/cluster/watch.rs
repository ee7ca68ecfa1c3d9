//! Detects lost processes: signs of life on separate connections, and the first fault, which is sent to all.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::{Duration, Instant};

use cubicle_run::workers::locked;
use tracing::warn;

use super::channel::{Channel, Datagram};
use super::events::{Event, Fault, spawn};

/// How often a sign of life is sent.
const PULSE: Duration = Duration::from_millis(250);
/// A process that is silent for this time is lost: all end within ten seconds, and a link may be down for six.
const SILENCE: Duration = Duration::from_secs(8);
/// A process that is silent for this time is reported to the others as silent: they may not hear it either.
const QUIET: Duration = Duration::from_secs(3);
/// The longest message of a fault, in bytes.
const MOST: usize = 4000;

/// Messages on these connections: one byte, and for a fault its length in two more and its text.
const ALIVE: u8 = 1;
const FAULT: u8 = 2;
const DONE: u8 = 3;
/// The processes that are silent: the number of bytes that follow in two more, and two for each process.
const SILENT: u8 = 4;

/// All watches of this process.
static WATCHES: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());

/// Tells the other processes of its clusters why this process is about to end.
pub fn leave(why: &str) {
    let watches = std::mem::take(&mut *locked(&WATCHES));
    for shared in watches.iter().filter_map(Weak::upgrade) {
        Watch { shared }.fault(why);
    }
}

pub struct Watch {
    shared: Arc<Shared>,
}

struct Shared {
    /// Number of this process.
    me: usize,
    /// Connections to the other processes.
    links: Vec<Option<Mutex<Channel>>>,
    addresses: Vec<String>,
    /// A lost process is no longer a fault.
    over: AtomicBool,
    /// Whether each process has ended regularly.
    done: Vec<AtomicBool>,
    seen: Mutex<Vec<Seen>>,
    /// For signs of life besides the connections, which take long to recover from a link that was down.
    datagrams: Option<UdpSocket>,
    /// Where datagrams for each process go.
    peers: Vec<Option<SocketAddr>>,
}

/// What is known of a process.
struct Seen {
    /// When it was heard last.
    heard: Instant,
    /// The processes that it does not hear.
    silent: Vec<u16>,
}

impl Watch {
    /// Starts to watch; the first fault is sent to `faults`, as a message.
    ///
    /// # Errors
    /// The system cannot start a thread, or the connections cannot be used.
    pub fn start(
        links: Vec<Option<Channel>>,
        me: usize,
        addresses: &[String],
        faults: &Sender<Event>,
    ) -> Result<Self, Fault> {
        let failed = Fault::of::<io::Error>("cannot watch over the cluster");
        let mut readers = Vec::new();
        for (other, link) in links.iter().enumerate() {
            let Some(link) = link else { continue };
            link.stream().set_write_timeout(Some(PULSE)).map_err(&failed)?;
            link.stream().set_read_timeout(Some(PULSE)).map_err(&failed)?;
            readers.push((other, link.try_clone().map_err(&failed)?));
        }
        let peers =
            links.iter().zip(addresses).map(|(link, address)| peer(link.as_ref()?, address)).collect();
        let seen = links.iter().map(|_| Seen { heard: Instant::now(), silent: Vec::new() }).collect();
        let shared = Arc::new(Shared {
            done: links.iter().map(|_| AtomicBool::new(false)).collect(),
            links: links.into_iter().map(|link| link.map(Mutex::new)).collect(),
            addresses: addresses.to_vec(),
            over: AtomicBool::new(false),
            seen: Mutex::new(seen),
            datagrams: datagrams(&addresses[me]),
            peers,
            me,
        });
        locked(&WATCHES).push(Arc::downgrade(&shared));
        for (other, link) in readers {
            let (shared, faults) = (Arc::clone(&shared), faults.clone());
            let listen = move || {
                if let Some(why) = shared.listen(other, link) {
                    // There is no receiver any more when the run is over.
                    let _ = faults.send(Event::Fault(why));
                }
            };
            spawn("listening", listen).map_err(&failed)?;
        }
        let pulse = Arc::clone(&shared);
        let beat = move || {
            while !pulse.over.load(Ordering::Relaxed) {
                pulse.beat();
                thread::sleep(PULSE);
            }
        };
        spawn("pulse", beat).map_err(&failed)?;
        let beside = Arc::clone(&shared);
        spawn("datagrams", move || beside.hear_datagrams()).map_err(&failed)?;
        Ok(Self { shared })
    }

    /// Tells all others why this process ends.
    pub fn fault(&self, why: &str) {
        warn!(why, "leaving the cluster");
        let mut end = why.len().min(MOST);
        while !why.is_char_boundary(end) {
            end -= 1;
        }
        self.leave(&message(FAULT, &why.as_bytes()[..end]));
    }

    /// Tells all others that this process has done its part.
    pub fn done(&self) {
        self.leave(&[DONE]);
    }

    /// Whether a process has ended regularly.
    pub fn has_left(&self, process: usize) -> bool {
        self.shared.done[process].load(Ordering::Relaxed)
    }

    fn leave(&self, message: &[u8]) {
        self.shared.over.store(true, Ordering::Relaxed);
        self.shared.tell(message);
        for link in self.shared.links.iter().flatten() {
            let _ = locked(link).stream().shutdown(Shutdown::Write);
        }
    }
}

impl Shared {
    /// Sends a message to all others. A process that does not receive it will soon be found lost.
    fn tell(&self, message: &[u8]) {
        for (link, done) in self.links.iter().zip(&self.done) {
            let Some(link) = link.as_ref().filter(|_| !done.load(Ordering::Relaxed)) else { continue };
            let _ = locked(link).write_all(message);
        }
    }

    /// Sends a sign of life to all others, with the processes that this one does not hear.
    fn beat(&self) {
        let silent = self.silent(QUIET).into_iter().flat_map(|other| (other as u16).to_le_bytes());
        self.tell(&[&[ALIVE][..], &message(SILENT, &silent.collect::<Vec<_>>())].concat());
        let Some(socket) = &self.datagrams else { return };
        for (link, peer) in self.links.iter().zip(&self.peers) {
            if let (Some(link), Some(peer)) = (link, peer) {
                let sign = locked(link).datagram();
                // Where datagrams do not pass, the connections remain.
                let _ = socket.send_to(&[&(self.me as u16).to_le_bytes()[..], &sign].concat(), peer);
            }
        }
    }

    /// Reads datagrams, the number of their sender and what proves it, until the run is over.
    fn hear_datagrams(&self) {
        let Some(socket) = &self.datagrams else { return };
        let mut bytes = [0; 2 + size_of::<Datagram>()];
        while !self.over.load(Ordering::Relaxed) {
            let Ok(length) = socket.recv(&mut bytes) else { continue };
            let Some((from, sign)) = bytes[..length].split_first_chunk() else { continue };
            let from = usize::from(u16::from_le_bytes(*from));
            let (Some(Some(link)), Ok(sign)) = (self.links.get(from), sign.try_into()) else { continue };
            if locked(link).accepts(sign) {
                locked(&self.seen)[from].heard = Instant::now();
            }
        }
    }

    /// The processes that have been silent for `time`.
    fn silent(&self, time: Duration) -> Vec<usize> {
        let seen = locked(&self.seen);
        let there =
            |other: &usize| self.links[*other].is_some() && !self.done[*other].load(Ordering::Relaxed);
        (0..seen.len()).filter(there).filter(|other| seen[*other].heard.elapsed() >= time).collect()
    }

    /// Why the run ends when `other` has been silent for too long: which process is lost, as far as the others report.
    fn lost(&self, other: usize) -> String {
        let name = |process: usize| format!("process {process} ({})", self.addresses[process]);
        let (me, seconds) = (self.me, SILENCE.as_secs());
        let quiet = self.silent(QUIET);
        let seen = locked(&self.seen);
        let asked = |it: &usize| self.links[*it].is_some() && !quiet.contains(it);
        let mut witnesses = (0..seen.len()).filter(asked).peekable();
        if self.links.len() == 2 {
            return format!("{} and {} have not heard each other for {seconds} s", name(0), name(1));
        }
        if witnesses.peek().is_none() {
            return format!("{} has not heard any other process for {seconds} s: it is cut off", name(me));
        }
        if witnesses.any(|it| seen[it].silent.contains(&(other as u16))) {
            return format!("{} has not answered for {seconds} s", name(other));
        }
        let (first, second) = (name(me.min(other)), name(me.max(other)));
        format!("{first} and {second} have not heard each other for {seconds} s, and others hear both")
    }

    /// Listens to a process until it is lost; why, if that is a fault.
    fn listen(&self, other: usize, mut link: Channel) -> Option<String> {
        let who = format!("process {other} ({})", self.addresses[other]);
        let hears = |heard: &dyn Fn(&mut Seen)| {
            heard(&mut locked(&self.seen)[other]);
        };
        let ended = || format!("{who} ended unexpectedly");
        let invalid = || format!("{who} sent an invalid message");
        let mut said: Vec<u8> = Vec::new();
        let mut buffer = [0; 1024];
        let why = loop {
            match link.read(&mut buffer).map_err(|error| error.kind()) {
                Ok(0) => break ended(),
                Ok(n) => {
                    hears(&|it| it.heard = Instant::now());
                    said.extend(&buffer[..n]);
                    match hear(&mut said, &mut |silent| hears(&|it| it.silent.clone_from(&silent))) {
                        LastWord::Alive => {}
                        LastWord::Done => self.done[other].store(true, Ordering::Relaxed),
                        LastWord::Fault(why) => break why,
                        LastWord::Nonsense => break invalid(),
                    }
                }
                Err(ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    if self.silent(SILENCE).contains(&other) {
                        break self.lost(other);
                    }
                }
                Err(ErrorKind::Interrupted) => {}
                Err(ErrorKind::InvalidData) => break invalid(),
                Err(_) => break ended(),
            }
        };
        let expected = self.over.load(Ordering::Relaxed) || self.done[other].load(Ordering::Relaxed);
        (!expected).then_some(why)
    }
}

/// Where to send datagrams for the process at the other end of a connection, which listens on `address`.
fn peer(link: &Channel, address: &str) -> Option<SocketAddr> {
    let port = address.rsplit_once(':')?.1.parse().ok()?;
    Some(SocketAddr::new(link.stream().peer_addr().ok()?.ip(), port))
}

/// A socket for signs of life besides the connections, if it can be opened.
fn datagrams(address: &str) -> Option<UdpSocket> {
    let socket = UdpSocket::bind(address).ok()?;
    socket.set_read_timeout(Some(PULSE)).ok()?;
    socket.set_write_timeout(Some(PULSE)).ok()?;
    Some(socket)
}

fn message(kind: u8, content: &[u8]) -> Vec<u8> {
    [&[kind][..], &(content.len() as u16).to_le_bytes(), content].concat()
}

#[derive(Debug, PartialEq, Eq)]
enum LastWord {
    Alive,
    Done,
    Fault(String),
    Nonsense,
}

/// Takes whole messages off the beginning of `said`, until one is a fault, the end or invalid; `tell` receives which
/// processes the other side does not hear.
fn hear(said: &mut Vec<u8>, tell: &mut dyn FnMut(Vec<u16>)) -> LastWord {
    loop {
        match said.as_slice() {
            [ALIVE, ..] => drop(said.remove(0)),
            [DONE, ..] => {
                said.clear();
                return LastWord::Done;
            }
            [kind @ (FAULT | SILENT), low, high, rest @ ..] => {
                let length = usize::from(u16::from_le_bytes([*low, *high]));
                if length > MOST {
                    return LastWord::Nonsense;
                }
                let Some(content) = rest.get(..length) else { return LastWord::Alive };
                if *kind == FAULT {
                    let text = String::from_utf8_lossy(content);
                    return LastWord::Fault(text.chars().filter(|c| !c.is_control()).collect());
                }
                tell(content.as_chunks().0.iter().map(|it| u16::from_le_bytes(*it)).collect());
                said.drain(..3 + length);
            }
            [] | [FAULT | SILENT] | [FAULT | SILENT, _] => return LastWord::Alive,
            _ => return LastWord::Nonsense,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;

    use super::super::channel::tests::keys;
    use super::*;

    #[test]
    fn messages_may_come_in_parts() {
        let mut words = Vec::new();
        let mut hear = |said: &mut Vec<u8>| super::hear(said, &mut |word| words.push(word));
        let mut said = vec![ALIVE, ALIVE, FAULT, 2, 0, b'a'];
        assert_eq!((hear(&mut said), said.len()), (LastWord::Alive, 4));
        said.extend(b"b\x01");
        assert_eq!(hear(&mut said), LastWord::Fault("ab".to_owned()));
        assert_eq!(hear(&mut vec![ALIVE, DONE]), LastWord::Done);
        assert_eq!(hear(&mut vec![9]), LastWord::Nonsense);
        assert_eq!(hear(&mut vec![FAULT, 255, 255]), LastWord::Nonsense);
        let mut said = vec![ALIVE, SILENT, 4, 0, 1, 0, 2];
        assert_eq!((hear(&mut said), said.len()), (LastWord::Alive, 6));
        said.push(1);
        assert_eq!((hear(&mut said), said.len()), (LastWord::Alive, 0));
        assert_eq!(words, [[1, 258]]);
    }

    /// What process `me` reports of the first process that it does not hear. `silent` has an entry for each process: `None` for
    /// one that `me` does not hear, else the processes that this one does not hear.
    fn accused(me: usize, silent: &[Option<&[u16]>]) -> String {
        let link = || {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            Channel::new(TcpStream::connect(listener.local_addr().unwrap()).unwrap(), keys().0)
        };
        let long = Instant::now().checked_sub(SILENCE).expect("the machine runs for some seconds");
        let seen = silent.iter().map(|silent| Seen {
            heard: if silent.is_none() { long } else { Instant::now() },
            silent: silent.unwrap_or_default().to_vec(),
        });
        let shared = Shared {
            me,
            links: (0..silent.len()).map(|it| (it != me).then(|| Mutex::new(link()))).collect(),
            addresses: (0..silent.len()).map(|it| format!("host{it}")).collect(),
            over: AtomicBool::new(false),
            done: silent.iter().map(|_| AtomicBool::new(false)).collect(),
            seen: Mutex::new(seen.collect()),
            datagrams: None,
            peers: Vec::new(),
        };
        shared.lost((0..silent.len()).find(|it| *it != me && silent[*it].is_none()).unwrap())
    }

    #[test]
    fn the_lost_process_is_the_one_that_two_others_do_not_hear() {
        let here: Option<&[u16]> = Some(&[]);
        assert_eq!(accused(0, &[here, Some(&[2]), None]), "process 2 (host2) has not answered for 8 s");
        assert_eq!(
            accused(0, &[here, here, None]),
            "process 0 (host0) and process 2 (host2) have not heard each other for 8 s, and others hear both"
        );
        assert_eq!(
            accused(2, &[None, None, here]),
            "process 2 (host2) has not heard any other process for 8 s: it is cut off"
        );
        assert_eq!(
            accused(1, &[None, here]),
            "process 0 (host0) and process 1 (host1) have not heard each other for 8 s"
        );
    }
}
