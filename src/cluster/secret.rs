//! A key that all processes of a cluster share, and proofs of knowing it.

use std::fs;
use std::io;
use std::path::Path;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The shortest secret, in bytes: an attacker who reads packets may try words until one fits.
const LEAST: usize = 16;
/// The longest secret, in bytes.
const MOST: usize = 4096;

/// Length of a proof.
pub const PROOF: usize = 32;

/// Why bytes are not a secret.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// There are too few or too many.
    #[error("a secret has {least} to {most} bytes, and this one {0}", least = LEAST, most = MOST)]
    Length(usize),
    /// The file of this name cannot be read.
    #[error("cannot read {0}: {1}")]
    Unreadable(String, io::Error),
    /// The file of this name does not hold one.
    #[error("cannot use {0}: {1}")]
    File(String, Box<Self>),
}

/// A key.
#[derive(Clone)]
pub struct Secret(Vec<u8>);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

impl Secret {
    /// No secret: for processes of one machine.
    pub const fn none() -> Self {
        Self(Vec::new())
    }

    /// A secret of these bytes, without white space at their ends.
    ///
    /// # Errors
    /// They are too few or too many.
    pub fn new(bytes: &[u8]) -> Result<Self, SecretError> {
        let bytes = bytes.trim_ascii();
        if bytes.len() < LEAST || bytes.len() > MOST {
            return Err(SecretError::Length(bytes.len()));
        }
        Ok(Self(bytes.to_vec()))
    }

    /// Reads the secret from a file.
    ///
    /// # Errors
    /// The file cannot be read, or is not a secret.
    pub fn read(path: &Path) -> Result<Self, SecretError> {
        let name = || path.display().to_string();
        let bytes = fs::read(path).map_err(|error| SecretError::Unreadable(name(), error))?;
        Self::new(&bytes).map_err(|why| SecretError::File(name(), Box::new(why)))
    }

    /// The bytes of the secret, for another process of the same user.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Proves that the sender of `parts` knows the key. Each part has a fixed length, or is the last one.
    pub fn prove(&self, parts: &[&[u8]]) -> [u8; PROOF] {
        self.mac(parts).finalize().into_bytes().into()
    }

    /// Whether `proof` is the proof of `parts`, in constant time.
    pub fn verify(&self, parts: &[&[u8]], proof: &[u8]) -> bool {
        self.mac(parts).verify_slice(proof).is_ok()
    }

    fn mac(&self, parts: &[&[u8]]) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("keys may have any length");
        for part in parts {
            mac.update(part);
        }
        mac
    }
}
