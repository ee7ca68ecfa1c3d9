//! Authenticates the ends of a connection: both sides prove that they know the secret before anything else is read.
//!
//! ```text
//! caller                                   called
//! title, nonce a                    ──▶
//!                                   ◀──    title, nonce b
//! claim, proof("caller", a, b, claim) ──▶
//!                                   ◀──    1, proof("called", a, b, claim)    (0: the proof is wrong)
//! length, agreement, proof          ──▶
//!                                   ◀──    length, agreement, proof
//! ```
//!
//! A claim names both processes and the purpose of the connection, so that no proof can be used a second time, in the other
//! direction or elsewhere. All lengths are fixed or bounded before memory is taken, and the caller's connection has a
//! deadline for the whole handshake.

use std::io::{self, Read, Write};

use rand::TryRng;
use rand::rngs::SysRng;

use super::agreement::{Agreement, MOST};
use super::secret::{PROOF, Secret};

/// The first bytes of a conversation, with the version of the protocol.
const TITLE: [u8; 8] = *b"cubicle1";
/// Bytes of a nonce.
const NONCE: usize = 32;
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

/// The caller's side; returns the other side's agreement.
///
/// # Errors
/// The connection failed or was refused.
pub fn initiate(
    stream: &mut (impl Read + Write),
    secret: &Secret,
    claim: Claim,
    mine: &Agreement,
) -> Result<Agreement, Refusal> {
    let a = nonce()?;
    send(stream, &[&TITLE, &a])?;
    let b = greeting(stream)?;
    let claim = claim.bytes();
    send(stream, &[&claim, &secret.prove(&[b"caller", &a, &b, &claim])])?;
    let [answer] = receive::<1>(stream)?;
    if answer == 0 {
        return Err(Refusal::Refused);
    }
    let proof = receive::<PROOF>(stream)?;
    if !secret.verify(&[b"called", &a, &b, &claim], &proof) {
        return Err(Refusal::Stranger);
    }
    let talk = Talk { secret, a: &a, b: &b, claim: &claim };
    talk.say(stream, *b"caller", mine)?;
    talk.hear(stream, *b"called")
}

/// The called side, process number `me`; returns the caller's claim and agreement.
///
/// # Errors
/// The connection failed or was refused.
pub fn respond(
    stream: &mut (impl Read + Write),
    secret: &Secret,
    me: u32,
    mine: &Agreement,
) -> Result<(Claim, Agreement), Refusal> {
    let a = greeting(stream)?;
    let b = nonce()?;
    send(stream, &[&TITLE, &b])?;
    let bytes = receive::<CLAIM>(stream)?;
    let proof = receive::<PROOF>(stream)?;
    if !secret.verify(&[b"caller", &a, &b, &bytes], &proof) {
        // A stranger learns nothing but that; it does not matter when this cannot be sent.
        let _ = send(stream, &[&[0]]);
        return Err(Refusal::Stranger);
    }
    let claim = Claim::of_bytes(bytes).filter(|claim| claim.to == me && claim.from != me);
    let claim = claim.ok_or(Refusal::Garbage)?;
    send(stream, &[&[1], &secret.prove(&[b"called", &a, &b, &bytes])])?;
    let talk = Talk { secret, a: &a, b: &b, claim: &bytes };
    let theirs = talk.hear(stream, *b"caller")?;
    talk.say(stream, *b"called", mine)?;
    Ok((claim, theirs))
}

/// A connection whose sides are authenticated.
struct Talk<'a> {
    secret: &'a Secret,
    a: &'a [u8; NONCE],
    b: &'a [u8; NONCE],
    claim: &'a [u8; CLAIM],
}

impl Talk<'_> {
    fn say(&self, stream: &mut impl Write, role: [u8; 6], mine: &Agreement) -> Result<(), Refusal> {
        let bytes = mine.bytes();
        let length = (bytes.len() as u32).to_le_bytes();
        let proof = self.secret.prove(&[b"agreed", &role, self.a, self.b, self.claim, &bytes]);
        send(stream, &[&length, &bytes, &proof])
    }

    fn hear(&self, stream: &mut impl Read, role: [u8; 6]) -> Result<Agreement, Refusal> {
        let length = u32::from_le_bytes(receive::<4>(stream)?) as usize;
        if length > MOST {
            return Err(Refusal::Garbage);
        }
        let mut bytes = vec![0; length];
        stream.read_exact(&mut bytes)?;
        let proof = receive::<PROOF>(stream)?;
        if !self.secret.verify(&[b"agreed", &role, self.a, self.b, self.claim, &bytes], &proof) {
            return Err(Refusal::Stranger);
        }
        Ok(Agreement::of_bytes(&bytes))
    }
}

fn nonce() -> Result<[u8; NONCE], Refusal> {
    let mut nonce = [0; NONCE];
    SysRng.try_fill_bytes(&mut nonce).map_err(io::Error::other)?;
    Ok(nonce)
}

/// The other side's title and nonce.
fn greeting(stream: &mut impl Read) -> Result<[u8; NONCE], Refusal> {
    if receive::<8>(stream)? != TITLE {
        return Err(Refusal::Garbage);
    }
    receive(stream)
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
            let caller = scope.spawn(move || initiate(&mut caller, ours, CALL, &agreement("a")));
            let called = scope.spawn(move || respond(&mut called, theirs, me, &agreement("b")));
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
