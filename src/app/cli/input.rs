//! Reads a model: a file or standard input, of bounded size, in UTF-8.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::failure::Failure;

/// The longest model accepted, in bytes: a hundred times the longest known.
pub const MAX_BYTES: u64 = 16 << 20;

#[derive(Debug)]
pub struct Input {
    /// Its name in diagnostics.
    pub name: String,
    pub text: String,
}

pub fn name(path: &Path) -> String {
    if path.as_os_str() == "-" { "<stdin>".to_owned() } else { path.display().to_string() }
}

/// Reads `path`, or standard input for `-`.
pub fn read(path: &Path) -> Result<Input, Failure> {
    let name = name(path);
    let bytes = if path.as_os_str() == "-" { slurp(io::stdin().lock()) } else { open(path).and_then(slurp) };
    decoded(name, bytes)
}

/// Reads an open file with this name.
pub fn read_from(name: &str, file: File) -> Result<Input, Failure> {
    decoded(name.to_owned(), slurp(file))
}

fn decoded(name: String, bytes: io::Result<Vec<u8>>) -> Result<Input, Failure> {
    let bytes = bytes.map_err(|error| Failure::usage(format!("cannot read {name}: {error}")))?;
    if bytes.len() as u64 > MAX_BYTES {
        let most = MAX_BYTES >> 20;
        return Err(Failure::usage(format!("{name} is too long: a model has at most {most} MiB")));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Input { name, text }),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..at].split(|&byte| byte == b'\n').count();
            let place = format!("line {line}, byte {at} of the file");
            Err(Failure::usage(format!("{name} is not text in UTF-8: {place}")))
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    // Reading a directory fails too, but with words that differ between systems.
    if file.metadata()?.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory, not a model"));
    }
    Ok(file)
}

/// Reads at most one byte more than a model may have.
fn slurp(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
