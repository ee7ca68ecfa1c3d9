//! A secret that all processes of a cluster share.

use std::path::Path;
use std::{fs, io};

use sha2::{Digest, Sha256};

/// The shortest secret, in bytes: an attacker who reads packets may try words until one fits.
const LEAST: usize = 16;
/// The longest secret, in bytes.
const MOST: usize = 4096;

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

    /// The key that is made of it.
    pub fn key(&self) -> [u8; 32] {
        Sha256::digest(&self.0).into()
    }
}
