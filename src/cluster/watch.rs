//! Who is still there: signs of life on connections of their own, and the first fault, which all are told.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// How often a sign of life is sent.
const PULSE: Duration = Duration::from_millis(500);
/// Who is silent for so long is lost: all end within ten seconds of that, and a machine may hang for five.
const SILENCE: Duration = Duration::from_secs(7);
/// A fault is told in no more bytes.
const MOST: usize = 4000;

/// What is said there: a byte, and for a fault its length in two more and its words.
const ALIVE: u8 = 1;
const FAULT: u8 = 2;
const DONE: u8 = 3;

/// Those that watch.
static WATCHES: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());

/// This process is about to end, whatever it does: those that take part in a cluster with it are told why.
pub fn leave(why: &str) {
    let watches = std::mem::take(&mut *WATCHES.lock().unwrap_or_else(PoisonError::into_inner));
    for shared in watches.iter().filter_map(Weak::upgrade) {
        Watch { shared }.fault(why);
    }
}

/// Watches over the other processes.
pub struct Watch {
    shared: Arc<Shared>,
}

struct Shared {
    /// To each other process.
    links: Vec<Option<Mutex<TcpStream>>>,
    addresses: Vec<String>,
    /// Nobody is missed any more.
    over: AtomicBool,
    /// Those that have ended in good order.
    done: Vec<AtomicBool>,
}

impl Watch {
    /// Begins; the first fault is told to `faults`, in words.
    ///
    /// # Errors
    /// The system gives no thread, or the connections cannot be used; for the user.
    pub fn start<T: Send + 'static>(
        links: Vec<Option<TcpStream>>,
        addresses: &[String],
        faults: &Sender<T>,
        told: fn(String) -> T,
    ) -> Result<Self, String> {
        let failed = |error: io::Error| format!("cannot watch over the cluster: {error}");
        let mut readers = Vec::new();
        for (other, link) in links.iter().enumerate() {
            let Some(link) = link else { continue };
            link.set_write_timeout(Some(PULSE)).map_err(failed)?;
            link.set_read_timeout(Some(PULSE)).map_err(failed)?;
            readers.push((other, link.try_clone().map_err(failed)?));
        }
        let shared = Arc::new(Shared {
            done: links.iter().map(|_| AtomicBool::new(false)).collect(),
            links: links.into_iter().map(|link| link.map(Mutex::new)).collect(),
            addresses: addresses.to_vec(),
            over: AtomicBool::new(false),
        });
        WATCHES.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&shared));
        for (other, link) in readers {
            let (shared, faults) = (Arc::clone(&shared), faults.clone());
            let listening = thread::Builder::new().name("listening".into());
            let listen = move || {
                if let Some(why) = shared.listen(other, link) {
                    // Nobody listens when the run is over.
                    let _ = faults.send(told(why));
                }
            };
            listening.spawn(listen).map_err(failed)?;
        }
        let pulse = Arc::clone(&shared);
        let beat = move || {
            while !pulse.over.load(Ordering::Relaxed) {
                pulse.tell(&[ALIVE]);
                thread::sleep(PULSE);
            }
        };
        thread::Builder::new().name("pulse".into()).spawn(beat).map_err(failed)?;
        Ok(Self { shared })
    }

    /// Tells all others why this process ends.
    pub fn fault(&self, why: &str) {
        let mut end = why.len().min(MOST);
        while !why.is_char_boundary(end) {
            end -= 1;
        }
        let words = &why.as_bytes()[..end];
        let mut message = vec![FAULT];
        message.extend((words.len() as u16).to_le_bytes());
        message.extend(words);
        self.leave(&message);
    }

    /// Tells all others that this process has done its part.
    pub fn done(&self) {
        self.leave(&[DONE]);
    }

    /// Whether a process has ended in good order.
    pub fn has_left(&self, process: usize) -> bool {
        self.shared.done[process].load(Ordering::Relaxed)
    }

    fn leave(&self, message: &[u8]) {
        self.shared.over.store(true, Ordering::Relaxed);
        self.shared.tell(message);
        for link in self.shared.links.iter().flatten() {
            let _ = link.lock().unwrap_or_else(PoisonError::into_inner).shutdown(Shutdown::Write);
        }
    }
}

impl Shared {
    /// Says something to all others. Who does not take it will be missed soon.
    fn tell(&self, message: &[u8]) {
        for (link, done) in self.links.iter().zip(&self.done) {
            let Some(link) = link.as_ref().filter(|_| !done.load(Ordering::Relaxed)) else { continue };
            let _ = link.lock().unwrap_or_else(PoisonError::into_inner).write_all(message);
        }
    }

    /// Listens to a process until it is lost; why, if that is a fault.
    fn listen(&self, other: usize, mut link: TcpStream) -> Option<String> {
        let who = format!("process {other} ({})", self.addresses[other]);
        let mut heard = Instant::now();
        let mut said: Vec<u8> = Vec::new();
        let mut buffer = [0; 1024];
        loop {
            match link.read(&mut buffer) {
                Ok(0) => return self.missed(other, format!("{who} ended without a word")),
                Ok(n) => {
                    heard = Instant::now();
                    said.extend(&buffer[..n]);
                    match hear(&mut said) {
                        Heard::Alive => {}
                        Heard::Done => self.done[other].store(true, Ordering::Relaxed),
                        Heard::Fault(why) => return self.missed(other, why),
                        Heard::Nonsense => {
                            return self.missed(other, format!("{who} said what makes no sense"));
                        }
                    }
                }
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    if heard.elapsed() >= SILENCE {
                        let seconds = SILENCE.as_secs();
                        return self.missed(other, format!("{who} has not answered for {seconds} s"));
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return self.missed(other, format!("{who} ended without a word")),
            }
        }
    }

    fn missed(&self, other: usize, why: String) -> Option<String> {
        let expected = self.over.load(Ordering::Relaxed) || self.done[other].load(Ordering::Relaxed);
        (!expected).then_some(why)
    }
}

/// What was said last.
#[derive(Debug, PartialEq, Eq)]
enum Heard {
    Alive,
    Done,
    Fault(String),
    Nonsense,
}

/// Takes whole messages off the beginning of what was said, until there is one that matters.
fn hear(said: &mut Vec<u8>) -> Heard {
    loop {
        match said.as_slice() {
            [ALIVE, ..] => drop(said.remove(0)),
            [DONE, ..] => {
                said.clear();
                return Heard::Done;
            }
            [FAULT, low, high, words @ ..] => {
                let length = usize::from(u16::from_le_bytes([*low, *high]));
                if length > MOST {
                    return Heard::Nonsense;
                }
                let Some(words) = words.get(..length) else { return Heard::Alive };
                let text = String::from_utf8_lossy(words);
                return Heard::Fault(text.chars().filter(|c| !c.is_control()).collect());
            }
            [] | [FAULT] | [FAULT, _] => return Heard::Alive,
            _ => return Heard::Nonsense,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_may_come_in_parts() {
        let mut said = vec![ALIVE, ALIVE, FAULT, 2, 0, b'a'];
        assert_eq!((hear(&mut said), said.len()), (Heard::Alive, 4));
        said.extend(b"b\x01");
        assert_eq!(hear(&mut said), Heard::Fault("ab".to_owned()));
        assert_eq!(hear(&mut vec![ALIVE, DONE]), Heard::Done);
        assert_eq!(hear(&mut vec![9]), Heard::Nonsense);
        assert_eq!(hear(&mut vec![FAULT, 255, 255]), Heard::Nonsense);
    }
}
