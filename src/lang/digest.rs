//! A hash that stays the same from build to build: our files refer to things by it.
//!
//! `std`'s default hasher promises nothing beyond one process. This one is SHA-256 over the parts of a value, each number as
//! 64 or 128 bits in little-endian order whatever the machine; collisions are practically impossible.

use std::hash::{Hash, Hasher};

use sha2::{Digest, Sha256};

#[derive(Default)]
struct StableHasher(Sha256);

impl Hasher for StableHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn write_u8(&mut self, n: u8) {
        self.write_u64(n.into());
    }

    fn write_u16(&mut self, n: u16) {
        self.write_u64(n.into());
    }

    fn write_u32(&mut self, n: u32) {
        self.write_u64(n.into());
    }

    fn write_u64(&mut self, n: u64) {
        self.write(&n.to_le_bytes());
    }

    fn write_u128(&mut self, n: u128) {
        self.write(&n.to_le_bytes());
    }

    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }

    // The signed ones go through the unsigned ones, except this one, whose width depends on the machine.
    fn write_isize(&mut self, n: isize) {
        self.write_u64((n as i64).cast_unsigned());
    }

    fn finish(&self) -> u64 {
        first_half(&self.0.clone()) as u64
    }
}

/// The first 128 bits.
fn first_half(state: &Sha256) -> u128 {
    let all = state.clone().finalize();
    all[..16].iter().fold(0, |number, byte| number << 8 | u128::from(*byte))
}

/// The digest of a value, over everything that its [`Hash`] feeds.
pub fn digest(what: &impl Hash) -> u128 {
    let mut hasher = StableHasher::default();
    what.hash(&mut hasher);
    first_half(&hasher.0)
}

#[cfg(test)]
mod tests {
    use super::digest;

    /// Files written by earlier builds contain these digests.
    #[test]
    fn a_digest_never_changes() {
        assert_eq!(digest(&0_u64), 0xaf55_70f5_a181_0b7a_f78c_af4b_c70a_660f);
        assert_eq!(
            digest(&(1_u8, "ab", vec![-1_i32])),
            digest(&(1_u8, String::from("ab"), [-1_i32].to_vec()))
        );
        assert_ne!(digest(&(1_u8, "ab")), digest(&(1_u8, "ac")));
    }
}
