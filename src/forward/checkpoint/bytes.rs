//! Numbers as bytes and back. Bytes that are read are never trusted.

use crc32fast::Hasher;

/// Why the bytes read are not what was written, for the user.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Damage(pub &'static str);

/// The input ends too early.
const SHORT: Damage = Damage("it ends too early");

/// Appends a number, seven bits a byte, the lowest first.
pub fn put(bytes: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        bytes.push(n as u8 | 0x80);
        n >>= 7;
    }
    bytes.push(n as u8);
}

/// Appends packed words as they are.
pub fn put_words(bytes: &mut Vec<u8>, words: &[u64]) {
    for word in words {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
}

/// A source of bytes.
pub trait Source {
    /// The next byte.
    fn byte(&mut self) -> Result<u8, Damage>;

    /// Reads what [`put`] appended.
    fn number(&mut self) -> Result<u64, Damage> {
        let mut n = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            if part << shift >> shift != part {
                break;
            }
            n |= part << shift;
            if byte < 0x80 {
                return Ok(n);
            }
        }
        Err(Damage("it has a number that is too large"))
    }

    /// Reads a number that must be below `bound`.
    fn below(&mut self, bound: usize) -> Result<usize, Damage> {
        let n = self.number()?;
        usize::try_from(n).ok().filter(|n| *n < bound).ok_or(Damage("it has a number that is too large"))
    }

    /// Reads what [`put_words`] appended.
    fn words(&mut self, n: usize) -> Result<Vec<u64>, Damage> {
        (0..n)
            .map(|_| {
                let mut word = [0; 8];
                for byte in &mut word {
                    *byte = self.byte()?;
                }
                Ok(u64::from_le_bytes(word))
            })
            .collect()
    }
}

/// Bytes in memory.
pub struct Bytes<'a>(pub &'a [u8]);

impl Source for Bytes<'_> {
    fn byte(&mut self) -> Result<u8, Damage> {
        let (first, rest) = self.0.split_first().ok_or(SHORT)?;
        self.0 = rest;
        Ok(*first)
    }
}

impl Bytes<'_> {
    /// The number of items that follow, each of at least one byte; an error when there are fewer bytes left than that.
    pub fn count(&mut self) -> Result<usize, Damage> {
        let most = self.0.len();
        self.below(most + 1)
    }
}

/// The checksum of these bytes, which detects damage by a disk or an interrupted write, and does not protect against forgery.
pub fn checksum(bytes: &[u8]) -> u32 {
    let mut sum = Hasher::new();
    sum.update(bytes);
    value(sum)
}

/// The checksum of all bytes so far; always 0 in fuzzing builds, so that changed bytes are accepted.
pub fn value(sum: Hasher) -> u32 {
    if cfg!(fuzzing) { 0 } else { sum.finalize() }
}

#[cfg(test)]
mod tests {
    use super::{Bytes, Source, put};

    #[test]
    fn numbers_are_read_back() {
        let numbers = [0, 1, 127, 128, 300, 1 << 35, u64::MAX - 1, u64::MAX];
        let mut bytes = Vec::new();
        for n in numbers {
            put(&mut bytes, n);
        }
        let mut source = Bytes(&bytes);
        for n in numbers {
            assert_eq!(source.number(), Ok(n));
        }
        assert!(source.number().is_err());
        assert!(Bytes(&[0xff; 20]).number().is_err(), "more than 64 bits");
        assert!(Bytes(&[0x80; 20]).number().is_err());
        assert!(Bytes(&[5]).count().is_err(), "five things need five bytes");
    }
}
