//! A secret that all processes of a cluster share.

use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

/// The shortest secret, in bytes: an attacker who reads packets may try words until one fits.
const LEAST: usize = 16;
/// The longest secret, in bytes.
const MOST: usize = 4096;

/// A secret.
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
    /// They are too few or too many; for the user.
    pub fn new(bytes: &[u8]) -> Result<Self, String> {
        let bytes = bytes.trim_ascii();
        if bytes.len() < LEAST || bytes.len() > MOST {
            return Err(format!("a secret has {LEAST} to {MOST} bytes, and this one {}", bytes.len()));
        }
        Ok(Self(bytes.to_vec()))
    }

    /// Reads the secret from a file.
    ///
    /// # Errors
    /// The file cannot be read, or is not a secret; for the user.
    pub fn read(path: &Path) -> Result<Self, String> {
        let name = path.display();
        let bytes = fs::read(path).map_err(|error| format!("cannot read {name}: {error}"))?;
        Self::new(&bytes).map_err(|why| format!("cannot use {name}: {why}"))
    }

    /// The bytes of the secret, for another process of the same user.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The key that is made of it.
    pub fn key(&self) -> [u8; 32] {
        Sha256::digest(&self.0).into()
    }
}
