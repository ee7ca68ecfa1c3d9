//! Authenticates the ends of a connection: both sides prove that they know the secret before anything else is read. Then it
//! is encrypted.
//!
//! ```text
//! caller                        called
//! title, e(claim)         ──▶
//!                         ◀──   title, 1, e    (0: another secret)
//! length, agreement       ──▶                  (encrypted from here on)
//!                         ◀──   length, agreement
//! ```
//!
//! `e` are the messages of the Noise handshake [`PATTERN`]: fresh keys, mixed with the secret. A claim names both processes and
//! the purpose of the connection. The first message may be a copy of an old one, but only its author can go on. All lengths are
//! fixed or bounded before memory is taken, and the caller's connection has a deadline for the whole handshake.

use std::io::{self, Read, Write};

use snow::Builder;

use super::agreement::{Agreement, MOST};
use super::channel::{Channel, TAG};
use super::secret::Secret;

/// The first bytes of a conversation, with the version of the protocol.
const TITLE: [u8; 8] = *b"cubicle2";
/// No long-term keys, but a secret that both sides know from the start.
const PATTERN: &str = "Noise_NNpsk0_25519_AESGCM_SHA256";
/// Bytes of a fresh key.
const KEY: usize = 32;
/// Bytes of a claim.
const CLAIM: usize = 9;

/// What a connection is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// States.
    States,
    /// Signs of life.
    Life,
}

/// Both processes of a connection, and its purpose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claim {
    /// Number of the process that calls.
    pub from: u32,
    /// Number of the process that is called.
    pub to: u32,
    /// What the connection is for.
    pub kind: Kind,
}

/// Why a connection was refused.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// It ended, or took too long.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The other side does not speak this protocol.
    #[error("it sent an invalid message")]
    Garbage,
    /// The other side does not know the secret.
    #[error("it does not know the secret")]
    Stranger,
    /// The other side says that this one does not know the secret.
    #[error("it has another secret")]
    Refused,
}

impl Claim {
    fn bytes(self) -> [u8; CLAIM] {
        let mut bytes = [0; CLAIM];
        bytes[..4].copy_from_slice(&self.from.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.to.to_le_bytes());
        bytes[8] = u8::from(self.kind == Kind::Life);
        bytes
    }

    fn of_bytes(bytes: [u8; CLAIM]) -> Option<Self> {
        let [a, b, c, d, e, f, g, h, kind] = bytes;
        let kind = match kind {
            0 => Kind::States,
            1 => Kind::Life,
            _ => return None,
        };
        Some(Self { from: u32::from_le_bytes([a, b, c, d]), to: u32::from_le_bytes([e, f, g, h]), kind })
    }
}

impl From<snow::Error> for Refusal {
    fn from(error: snow::Error) -> Self {
        Self::Io(io::Error::other(error))
    }
}

/// The caller's side; returns the keys of the connection, and the other side's agreement.
///
/// # Errors
/// The connection failed or was refused.
pub fn initiate<S: Read + Write>(
    stream: &mut S,
    secret: &Secret,
    claim: Claim,
    mine: &Agreement,
) -> Result<(Channel<()>, Agreement), Refusal> {
    let key = secret.key();
    let mut noise = builder(&key)?.build_initiator()?;
    let mut call = [0; KEY + CLAIM + TAG];
    noise.write_message(&claim.bytes(), &mut call)?;
    send(stream, &[&TITLE, &call])?;
    title(stream)?;
    if receive::<1>(stream)? == [0] {
        return Err(Refusal::Refused);
    }
    let answer = receive::<{ KEY + TAG }>(stream)?;
    noise.read_message(&answer, &mut []).map_err(|_| Refusal::Stranger)?;
    let mut channel = Channel::new(&mut *stream, noise.into_stateless_transport_mode()?);
    say(&mut channel, mine)?;
    let theirs = hear(&mut channel)?;
    Ok((channel.over(()), theirs))
}

/// The called side, process number `me`; returns the keys of the connection, and the caller's claim and agreement.
///
/// # Errors
/// The connection failed or was refused.
pub fn respond<S: Read + Write>(
    stream: &mut S,
    secret: &Secret,
    me: u32,
    mine: &Agreement,
) -> Result<(Channel<()>, Claim, Agreement), Refusal> {
    title(stream)?;
    let key = secret.key();
    let mut noise = builder(&key)?.build_responder()?;
    let call = receive::<{ KEY + CLAIM + TAG }>(stream)?;
    let mut claim = [0; CLAIM];
    if noise.read_message(&call, &mut claim).is_err() {
        // A stranger learns nothing but that; it does not matter when this cannot be sent.
        let _ = send(stream, &[&TITLE, &[0]]);
        return Err(Refusal::Stranger);
    }
    let claim = Claim::of_bytes(claim).filter(|claim| claim.to == me && claim.from != me);
    let claim = claim.ok_or(Refusal::Garbage)?;
    let mut answer = [0; KEY + TAG];
    noise.write_message(&[], &mut answer)?;
    send(stream, &[&TITLE, &[1], &answer])?;
    let mut channel = Channel::new(&mut *stream, noise.into_stateless_transport_mode()?);
    let theirs = hear(&mut channel)?;
    say(&mut channel, mine)?;
    Ok((channel.over(()), claim, theirs))
}

fn builder(key: &[u8; KEY]) -> Result<Builder<'_>, Refusal> {
    Ok(Builder::new(PATTERN.parse()?).prologue(&TITLE)?.psk(0, key)?)
}

fn say(channel: &mut impl Write, mine: &Agreement) -> Result<(), Refusal> {
    let bytes = mine.bytes();
    send(channel, &[&(bytes.len() as u32).to_le_bytes(), &bytes])
}

fn hear(channel: &mut impl Read) -> Result<Agreement, Refusal> {
    let length = u32::from_le_bytes(receive(channel)?) as usize;
    if length > MOST {
        return Err(Refusal::Garbage);
    }
    let mut bytes = vec![0; length];
    channel.read_exact(&mut bytes)?;
    Ok(Agreement::of_bytes(&bytes))
}

/// The other side's title.
fn title(stream: &mut impl Read) -> Result<(), Refusal> {
    if receive(stream)? == TITLE { Ok(()) } else { Err(Refusal::Garbage) }
}

fn receive<const N: usize>(stream: &mut impl Read) -> Result<[u8; N], Refusal> {
    let mut bytes = [0; N];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn send(stream: &mut impl Write, parts: &[&[u8]]) -> Result<(), Refusal> {
    stream.write_all(&parts.concat())?;
    Ok(stream.flush()?)
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;
    use std::thread;

    use proptest::prelude::*;

    use super::*;

    /// A connection that received these bytes, and discards what is written.
    struct Said(Vec<u8>);

    impl Read for Said {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            let n = bytes.len().min(self.0.len());
            bytes[..n].copy_from_slice(&self.0[..n]);
            self.0.drain(..n);
            Ok(n)
        }
    }

    impl Write for Said {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    const CALL: Claim = Claim { from: 2, to: 1, kind: Kind::Life };

    fn agreement(text: &str) -> Agreement {
        Agreement::new([("the model".to_owned(), text.to_owned())])
    }

    /// Both sides, with these secrets; the one that is called is process `me`.
    fn talk(
        ours: &Secret,
        theirs: &Secret,
        me: u32,
    ) -> (Result<Agreement, Refusal>, Result<(Claim, Agreement), Refusal>) {
        let (mut caller, mut called) = UnixStream::pair().unwrap();
        thread::scope(|scope| {
            let caller =
                scope.spawn(move || initiate(&mut caller, ours, CALL, &agreement("a")).map(|it| it.1));
            let called = scope.spawn(move || {
                respond(&mut called, theirs, me, &agreement("b")).map(|(_, claim, theirs)| (claim, theirs))
            });
            (caller.join().unwrap(), called.join().unwrap())
        })
    }

    #[test]
    fn processes_with_the_same_secret_connect() {
        for secret in [Secret::none(), Secret::new(b"sixteen bytes and more").unwrap()] {
            let (caller, called) = talk(&secret, &secret, 1);
            assert_eq!(caller.unwrap(), agreement("b"));
            assert_eq!(called.unwrap(), (CALL, agreement("a")));
        }
    }

    #[test]
    fn another_secret_is_refused() {
        let secret = Secret::new(b"sixteen bytes and more").unwrap();
        let other = Secret::new(b"sixteen bytes and others").unwrap();
        for (ours, theirs) in [(&secret, &other), (&Secret::none(), &secret), (&secret, &Secret::none())] {
            let (caller, called) = talk(ours, theirs, 1);
            assert!(matches!(caller, Err(Refusal::Refused)), "{caller:?}");
            assert!(matches!(called, Err(Refusal::Stranger)), "{called:?}");
        }
    }

    #[test]
    fn a_call_for_another_process_is_refused() {
        let (caller, called) = talk(&Secret::none(), &Secret::none(), 0);
        assert!(matches!(caller, Err(Refusal::Io(_))), "{caller:?}");
        assert!(matches!(called, Err(Refusal::Garbage)), "{called:?}");
    }

    proptest! {
        /// All bytes from a stranger are refused, also after a correct title.
        #[test]
        fn any_bytes_are_refused(begins in any::<bool>(), mut said in proptest::collection::vec(any::<u8>(), 0..300)) {
            if begins {
                said.splice(0..0, TITLE);
            }
            let secret = Secret::new(b"sixteen bytes and more").unwrap();
            for secret in [&secret, &Secret::none()] {
                prop_assert!(respond(&mut Said(said.clone()), secret, 1, &agreement("a")).is_err());
                prop_assert!(initiate(&mut Said(said.clone()), secret, CALL, &agreement("a")).is_err());
            }
        }
    }
}
