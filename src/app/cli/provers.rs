//! Other programs that check certificates: Coq, for which they are theorems, and a solver of the user's choice on SMT-LIB scripts.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use cubicle_certificate::kernel::{self, NoTheorem};
use cubicle_certificate::{Certificate, Obligation, Script};
use cubicle_lang::model::System;
use cubicle_run::{Interrupt, Reason, words};
use tempfile::TempDir;

use super::document::sha256;
use super::failure::{Failure, cannot};
use super::{exit, files, outputs};
use crate::child::output;

/// The folder with the files for Coq, in that of a certificate.
const FOLDER: &str = "coq";

/// The code of the page about what cannot be stated.
const NO_THEOREM: &str = "C0801";

const THEOREM: &str = "Theorem.v";

/// What Coq prints below a theorem that rests on no axiom.
const CLOSED: &str = "Closed under the global context";

/// Writes the theorem of a certificate to its folder, with a script that has Coq check it.
pub fn write(
    folder: &Path,
    system: &System,
    certificate: &Certificate,
    interrupt: &Interrupt,
    force: bool,
) -> Result<(), Failure> {
    let theorem = theorem(system, certificate, interrupt)?;
    let inner = folder.join(FOLDER);
    files::make_folder(&inner)?;
    let write = if force { files::write } else { outputs::write_own };
    for (name, text) in kernel::ONCE {
        write(&inner.join(name), &marked(text))?;
    }
    write(&inner.join(THEOREM), &theorem)?;
    write(&folder.join("check.sh"), &script())
}

/// A file of the proof that is the same for all certificates, as it is written.
fn marked(text: &str) -> String {
    format!("(* Written by cubicle. *)\n{text}")
}

fn theorem(system: &System, certificate: &Certificate, interrupt: &Interrupt) -> Result<String, Failure> {
    kernel::theorem(system, certificate, interrupt).map_err(|why| {
        let lacks = |what: &str| {
            Failure::new(exit::UNKNOWN, format!("{NO_THEOREM}: there is no theorem for Coq: {what}"))
        };
        match why {
            NoTheorem::Unsupported(what) => lacks(&format!("its semantics there lacks {what}")),
            NoTheorem::Overflow => lacks("a number leaves the 64-bit range"),
            NoTheorem::Processes => lacks("a case has too many processes"),
            NoTheorem::NotFound(obligation) => {
                let which = certificate.obligation(obligation);
                lacks(&format!("no hint was found for {which}"))
            }
            NoTheorem::Stopped(reason) => Failure::new(exit::of_reason(&reason), words::reason(&reason)),
        }
    })
}

/// A script that compiles what is the same for all certificates once, and then the theorem.
fn script() -> String {
    let once: Vec<&str> = kernel::ONCE.iter().map(|(name, _)| name.trim_end_matches(".v")).collect();
    format!(
        "#!/bin/sh\n\
         # Written by cubicle. Has Coq (8.16) check the theorem; the last line that it prints must be `{CLOSED}`.\n\
         set -e\n\
         cd \"$(dirname \"$0\")/{FOLDER}\"\n\
         for file in {}; do\n  \
         [ -e $file.vo ] || coqc -q -Q . Cubicle $file.v\n\
         done\n\
         coqc -q -Q . Cubicle {THEOREM}\n",
        once.join(" ")
    )
}

/// What another program says of a proof.
pub enum Opinion<W> {
    /// It accepts the proof. Coq: the theorem rests on no axiom; a solver answers `unsat` throughout.
    Accepted,
    /// It does not, for this reason.
    Refused(W),
    /// It was ended, since the run must end.
    Stopped(Reason),
}

/// Has Coq check the theorem of a certificate; the first line of why it does not accept it.
pub fn check(
    system: &System,
    certificate: &Certificate,
    interrupt: &Interrupt,
) -> Result<Opinion<String>, Failure> {
    let text = theorem(system, certificate, interrupt)?;
    let once = match compiled(interrupt)? {
        Ok(once) => once,
        Err(other) => return Ok(other),
    };
    let folder = temporary()?;
    files::write(&folder.path().join(THEOREM), &text)?;
    coqc(folder.path(), &once, THEOREM, interrupt)
}

/// The folder with the compiled files that are the same for all certificates. They are kept in the user's cache.
fn compiled(interrupt: &Interrupt) -> Result<Result<PathBuf, Opinion<String>>, Failure> {
    let (version, _) = output(Command::new("coqc").arg("--version"), interrupt).map_err(|error| {
        Failure::internal(format!("cannot run coqc: {error}; `apt-get install coq` installs it"))
    })?;
    let texts: Vec<&str> = kernel::ONCE.iter().map(|it| it.1).collect();
    let name = format!("coq-{}", &sha256(format!("{version}{}", texts.concat()).as_bytes())[..16]);
    let set = |name: &str| std::env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
    let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    let cache = cache.unwrap_or_else(std::env::temp_dir).join("cubicle");
    let ready = cache.join(name);
    if ready.is_dir() {
        return Ok(Ok(ready));
    }
    files::make_folder(&cache)?;
    let unmade = cannot(format!("cannot make a folder in {}", cache.display()));
    let folder = tempfile::tempdir_in(&cache).map_err(&unmade)?;
    for (name, text) in kernel::ONCE {
        files::write(&folder.path().join(name), text)?;
    }
    for (name, _) in kernel::ONCE {
        match coqc(folder.path(), folder.path(), name, interrupt)? {
            Opinion::Refused(why) if !folder.path().join(name).with_extension("vo").exists() => {
                return Err(Failure::internal(format!("coqc does not compile {name}: {why}")));
            }
            Opinion::Stopped(reason) => return Ok(Err(Opinion::Stopped(reason))),
            Opinion::Accepted | Opinion::Refused(_) => {}
        }
    }
    // Another run may have been faster.
    let done = folder.keep();
    if std::fs::rename(&done, &ready).is_err() {
        std::fs::remove_dir_all(&done).map_err(unmade)?;
    }
    Ok(Ok(ready))
}

/// Compiles a file of `folder`, with the library in `once`.
fn coqc(folder: &Path, once: &Path, name: &str, interrupt: &Interrupt) -> Result<Opinion<String>, Failure> {
    let words: [&OsStr; 5] = ["-q".as_ref(), "-Q".as_ref(), once.as_ref(), "Cubicle".as_ref(), name.as_ref()];
    let ran = output(Command::new("coqc").args(words).current_dir(folder), interrupt);
    let (said, done) = ran.map_err(cannot("cannot run coqc"))?;
    if let Some(reason) = interrupt.reason() {
        return Ok(Opinion::Stopped(reason));
    }
    if done && said.lines().any(|line| line == CLOSED) {
        return Ok(Opinion::Accepted);
    }
    Ok(Opinion::Refused(said.lines().next().unwrap_or("it says nothing").to_owned()))
}

fn temporary() -> Result<TempDir, Failure> {
    tempfile::tempdir().map_err(cannot("cannot make a temporary folder"))
}

/// Runs the words of `command`, with the name of the script's file behind them; the obligation of which it says something else than
/// `unsat`, and what it says. It fails where the program cannot be run, or does not answer as a solver does.
pub fn solve(
    command: &str,
    script: &Script,
    interrupt: &Interrupt,
) -> Result<Opinion<(Obligation, String)>, Failure> {
    let mut words = command.split_whitespace();
    let program = words.next().ok_or_else(|| Failure::internal("the command of the solver is empty"))?;
    let folder = temporary()?;
    let file = folder.path().join(&script.name);
    files::write(&file, &script.text)?;
    let ran = output(Command::new(program).args(words).arg(&file), interrupt);
    let (output, _) = ran.map_err(cannot(format!("cannot run {program}")))?;
    if let Some(reason) = interrupt.reason() {
        return Ok(Opinion::Stopped(reason));
    }
    let (answers, said) = (answers(&output), output.lines().next().unwrap_or("nothing"));
    for (obligation, answer) in script.obligations.iter().zip(&answers) {
        if *answer != "unsat" {
            return Ok(Opinion::Refused((*obligation, (*answer).to_owned())));
        }
    }
    match script.obligations.len() {
        expected if expected == answers.len() => Ok(Opinion::Accepted),
        expected => Err(Failure::internal(format!(
            "{program} gives {} answers to the {expected} questions in {}, and says: {said}",
            answers.len(),
            script.name
        ))),
    }
}

/// The answers among the lines of a solver's output.
fn answers(output: &str) -> Vec<&str> {
    output
        .lines()
        .map(str::trim)
        .filter(|line| matches!(*line, "sat" | "unsat" | "unknown" | "timeout") || line.starts_with("(error"))
        .collect()
}
