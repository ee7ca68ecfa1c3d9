//! Checks whether a compiler links a program with a library; the message when it does not.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

/// The message when `lacking` is missing on this operating system; `clone`: whether this is a clone of the repository,
/// which has a script for it.
pub fn text(lacking: &[&str], system: &str, clone: bool) -> String {
    let by_hand = match system {
        "macos" => "brew install z3 pkgconf",
        _ => {
            "$(command -v sudo) apt-get update && $(command -v sudo) apt-get install -y g++ libz3-dev pkg-config"
        }
    };
    let on = if system == "macos" { "with Homebrew" } else { "on Debian and Ubuntu" };
    let install = if clone {
        format!("Install it with `./setup`, or {on} with:\n    {by_hand}")
    } else {
        format!("Install it, {on} with:\n    {by_hand}")
    };
    format!(
        "Cubicle cannot be linked here: {} {} missing.\n{install}\n\
         A libz3 in a folder of its own is found with Z3_LIBRARY_PATH_OVERRIDE=FOLDER.",
        lacking.join(" and "),
        if lacking.len() > 1 { "are" } else { "is" },
    )
}

/// Whether a program could be linked with a library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Linked {
    Yes,
    No,
    NoCompiler,
}

/// Tries it, with files in `folder`. No library when the name is empty.
pub fn links(mut compiler: Command, folder: &Path, places: &[PathBuf], library: &str) -> Linked {
    let program = folder.join("program.c");
    if fs::write(&program, "int main(void) { return 0; }\n").is_err() {
        return Linked::Yes;
    }
    compiler.arg(&program).arg("-o").arg(folder.join("program"));
    for place in places {
        compiler.arg("-L").arg(place);
    }
    if !library.is_empty() {
        compiler.arg(format!("-l{library}"));
    }
    match compiler.output() {
        Ok(output) if output.status.success() => Linked::Yes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Linked::NoCompiler,
        _ => Linked::No,
    }
}
