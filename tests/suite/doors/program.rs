//! Runs the program itself, for doors that the library does not have.

use std::path::Path;
use std::process::{Command, Output};

/// Runs it in a folder.
pub fn cubicle(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cubicle"));
    command.args(words).current_dir(folder).output().expect("the program can be started")
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
