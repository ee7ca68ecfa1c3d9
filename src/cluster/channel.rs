//! An encrypted connection: what is read is what the other side wrote, in order, or an error.
//!
//! A frame is the number of the bytes that follow, in two bytes, and up to 64 KiB of encrypted text. Frames are numbered, so
//! that none can be left out, repeated or moved; each direction has a key of its own.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use cubicle_run::workers::locked;
use snow::StatelessTransportState;

/// The longest encrypted text of a frame, in bytes.
const LONGEST: usize = u16::MAX as usize;
/// Bytes that encryption adds.
pub const TAG: usize = 16;
/// Bytes of the length of a frame.
const HEAD: usize = 2;
/// Datagrams are numbered from here; frames never come so far.
const DATAGRAMS: u64 = 1 << 63;
/// Bytes of the number of a datagram.
const NUMBER: usize = 8;

/// A datagram that proves that its sender has the keys.
pub type Datagram = [u8; NUMBER + TAG];

/// The keys of a connection, and how far each direction is.
struct Session {
    keys: StatelessTransportState,
    sending: Mutex<Sending>,
    receiving: Mutex<Receiving>,
    /// Numbers of the last datagram that was made, and of the last one that arrived.
    datagrams: (AtomicU64, AtomicU64),
}

#[derive(Default)]
struct Sending {
    frames: u64,
    frame: Vec<u8>,
}

#[derive(Default)]
struct Receiving {
    frames: u64,
    /// The beginning of the next frame, and how much of it has arrived.
    frame: Vec<u8>,
    arrived: usize,
    /// The text of the last frame, and how much of it was read.
    text: Vec<u8>,
    read: usize,
}

/// An encrypted connection.
pub struct Channel<S = TcpStream> {
    stream: S,
    session: Arc<Session>,
}

impl<S> Channel<S> {
    /// Encrypts with these keys.
    pub fn new(stream: S, keys: StatelessTransportState) -> Self {
        let datagrams = (AtomicU64::new(DATAGRAMS), AtomicU64::new(DATAGRAMS));
        let (sending, receiving) = (Mutex::default(), Mutex::default());
        Self { stream, session: Arc::new(Session { keys, sending, receiving, datagrams }) }
    }

    /// The same connection by another path to it.
    pub fn over<T>(&self, stream: T) -> Channel<T> {
        Channel { stream, session: Arc::clone(&self.session) }
    }

    /// The connection itself.
    pub const fn stream(&self) -> &S {
        &self.stream
    }

    /// A datagram that no other one equals.
    pub fn datagram(&self) -> Datagram {
        let number = self.session.datagrams.0.fetch_add(1, Ordering::Relaxed) + 1;
        let mut datagram = Datagram::default();
        datagram[..NUMBER].copy_from_slice(&number.to_le_bytes());
        let made = self.session.keys.write_message(number, &[], &mut datagram[NUMBER..]);
        debug_assert!(made.is_ok(), "its length is right");
        datagram
    }

    /// Whether the other side has made this datagram, after all that arrived before.
    pub fn accepts(&self, datagram: Datagram) -> bool {
        let Some((number, tag)) = datagram.split_first_chunk() else { return false };
        let number = u64::from_le_bytes(*number);
        number > self.session.datagrams.1.load(Ordering::Relaxed)
            && self.session.keys.read_message(number, tag, &mut []).is_ok()
            && self.session.datagrams.1.fetch_max(number, Ordering::Relaxed) < number
    }
}

impl<S: Read> Read for Channel<S> {
    /// After an error because of a time-out, it goes on where it was.
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let mut receiving = locked(&self.session.receiving);
        let Receiving { frames, frame, arrived, text, read } = &mut *receiving;
        while *read == text.len() {
            let length = frame.first_chunk().filter(|_| *arrived >= HEAD);
            let whole = HEAD + length.map_or(0, |length| usize::from(u16::from_le_bytes(*length)));
            frame.resize(whole, 0);
            if *arrived < whole {
                match self.stream.read(&mut frame[*arrived..]) {
                    Ok(0) if *arrived == 0 => return Ok(0),
                    Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                    Ok(n) => *arrived += n,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
                if *arrived < whole || whole == HEAD {
                    continue;
                }
            }
            text.resize(whole - HEAD, 0);
            let length = self.session.keys.read_message(*frames, &frame[HEAD..], text);
            *read = 0;
            let Ok(length) = length else {
                // What it contains must not be read later, either: the frame stays, and is refused again.
                text.clear();
                return Err(io::Error::new(io::ErrorKind::InvalidData, "it sent an invalid message"));
            };
            text.truncate(length);
            (*frames, *arrived) = (*frames + 1, 0);
        }
        let n = bytes.len().min(text.len() - *read);
        bytes[..n].copy_from_slice(&text[*read..*read + n]);
        *read += n;
        Ok(n)
    }
}

impl<S: Write> Write for Channel<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let bytes = &bytes[..bytes.len().min(LONGEST - TAG)];
        if bytes.is_empty() {
            return Ok(0);
        }
        let mut sending = locked(&self.session.sending);
        let Sending { frames, frame } = &mut *sending;
        frame.resize(HEAD + bytes.len() + TAG, 0);
        let length = self.session.keys.write_message(*frames, bytes, &mut frame[HEAD..]);
        let length = length.map_err(io::Error::other)?;
        frame[..HEAD].copy_from_slice(&(length as u16).to_le_bytes());
        *frames += 1;
        self.stream.write_all(frame)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl Channel {
    /// The same connection, for another thread.
    ///
    /// # Errors
    /// The process has too many open files.
    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(self.over(self.stream.try_clone()?))
    }
}

#[cfg(test)]
pub mod tests {
    use std::io::Cursor;

    use super::*;

    /// The keys of both sides of a connection.
    pub fn keys() -> (StatelessTransportState, StatelessTransportState) {
        let pattern = || snow::Builder::new("Noise_NN_25519_AESGCM_SHA256".parse().unwrap());
        let (mut caller, mut called) =
            (pattern().build_initiator().unwrap(), pattern().build_responder().unwrap());
        let mut message = [0; 80];
        let n = caller.write_message(&[], &mut message).unwrap();
        called.read_message(&message[..n], &mut []).unwrap();
        let n = called.write_message(&[], &mut message).unwrap();
        caller.read_message(&message[..n], &mut []).unwrap();
        (caller.into_stateless_transport_mode().unwrap(), called.into_stateless_transport_mode().unwrap())
    }

    /// What arrives, one byte at a time, with a time-out after each.
    struct Slow(Cursor<Vec<u8>>, bool);

    impl Read for Slow {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 { Err(io::ErrorKind::WouldBlock.into()) } else { self.0.read(&mut bytes[..1]) }
        }
    }

    /// The second one needs two frames.
    fn messages() -> [Vec<u8>; 3] {
        [vec![1; 9], vec![2; 70_000], vec![3; 9]]
    }

    /// What is read on the other side where `change` happens to the frames of three messages on their way.
    fn arrives(change: impl Fn(&mut Vec<Vec<u8>>)) -> (Vec<u8>, io::Result<usize>) {
        let (caller, called) = keys();
        let mut sender = Channel::new(Vec::new(), caller);
        let mut frames: Vec<Vec<u8>> = Vec::new();
        for message in messages() {
            sender.write_all(&message).unwrap();
            frames.push(std::mem::take(&mut sender.stream));
        }
        change(&mut frames);
        let mut reader = Channel::new(Slow(Cursor::new(frames.concat()), false), called);
        let (mut text, mut bytes) = (Vec::new(), [0; 5000]);
        let end = loop {
            match reader.read(&mut bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Ok(n) if n > 0 => text.extend(&bytes[..n]),
                end => break end,
            }
        };
        assert!(end.is_ok() || reader.read(&mut bytes).is_err(), "an error is not the end of it");
        (text, end)
    }

    #[test]
    fn what_is_read_is_what_was_written() {
        let (text, end) = arrives(|_| {});
        assert_eq!(text, messages().concat());
        assert!(matches!(end, Ok(0)), "{end:?}");
    }

    #[test]
    fn a_change_on_the_way_is_an_error() {
        let changes: [fn(&mut Vec<Vec<u8>>); 5] = [
            |frames| frames[0][4] ^= 1,
            |frames| drop(frames.remove(0)),
            |frames| frames.swap(0, 2),
            |frames| frames.insert(0, vec![3, 0, 1, 2, 3]),
            |frames| frames.insert(0, vec![0, 0]),
        ];
        for (number, change) in changes.iter().enumerate() {
            let (text, end) = arrives(change);
            assert_eq!(end.unwrap_err().kind(), io::ErrorKind::InvalidData, "{number}");
            assert!(text.is_empty(), "{number}");
        }
        let (text, end) = arrives(|frames| frames[2].truncate(9));
        assert_eq!((text.len(), end.unwrap_err().kind()), (70_009, io::ErrorKind::UnexpectedEof));
    }

    #[test]
    fn a_datagram_counts_once() {
        let (caller, called) = keys();
        let (caller, called) = (Channel::new((), caller), Channel::new((), called));
        let (first, second) = (caller.datagram(), caller.datagram());
        assert!(called.accepts(first) && !called.accepts(first), "the same one may be a copy");
        assert!(!caller.accepts(second), "each direction has a key of its own");
        let mut changed = second;
        changed[0] ^= 4;
        assert!(!called.accepts(changed) && called.accepts(second));
    }
}
