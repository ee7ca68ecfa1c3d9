//! Numbers as bytes and back. Bytes that are read are never trusted.

use std::io::Read;

use crc32fast::Hasher;

/// Why the bytes read are not what was written, for the user.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Damage(pub &'static str);

/// Appends a number, seven bits a byte, the lowest first.
pub fn put(bytes: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        bytes.push(n as u8 | 0x80);
        n >>= 7;
    }
    bytes.push(n as u8);
}

/// The next byte.
pub fn byte(from: &mut impl Read) -> Result<u8, Damage> {
    let mut byte = [0];
    from.read_exact(&mut byte).map_err(|_| Damage("it ends too early"))?;
    Ok(byte[0])
}

/// Reads what [`put`] appended.
pub fn number(from: &mut impl Read) -> Result<u64, Damage> {
    let mut n = 0;
    for shift in (0..64).step_by(7) {
        let byte = byte(from)?;
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
    use super::{number, put};

    #[test]
    fn numbers_are_read_back() {
        let numbers = [0, 1, 127, 128, 300, 1 << 35, u64::MAX - 1, u64::MAX];
        let mut bytes = Vec::new();
        for n in numbers {
            put(&mut bytes, n);
        }
        let mut source = bytes.as_slice();
        for n in numbers {
            assert_eq!(number(&mut source), Ok(n));
        }
        assert!(number(&mut source).is_err());
        assert!(number(&mut [0xff; 20].as_slice()).is_err(), "more than 64 bits");
        assert!(number(&mut [0x80; 20].as_slice()).is_err());
    }
}
