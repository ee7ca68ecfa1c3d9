//! The program itself as a child process: a run that a crash, a limit or a lack of memory ends without its caller; and other
//! programs.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use cubicle_run::Interrupt;

use super::failure::Failure;
use super::logging;
use crate::parent;

/// At most this many bytes of each output are read: many times the longest document.
const MOST_BYTES: u64 = 256 << 20;

/// How often a caller that waits looks at its interrupt; short at first, for runs that end at once.
const PERIODS: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(20)];

/// The number of short periods after which the long one is used.
const SHORT_PERIODS: u32 = 50;

#[derive(Clone, Debug)]
pub struct ChildEnd<C = Result<u8, i32>> {
    /// Its exit code; the error is the number of the signal that ended it.
    pub code: C,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
}

/// A child that is killed when its caller ends before it.
struct Guarded(Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A call of this program.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The words of its command line, without its name.
    pub words: &'a [OsString],
    /// What it reads from standard input.
    pub stdin: Option<&'a str>,
    /// Where it runs, if not here.
    pub folder: Option<&'a Path>,
}

impl Call<'_> {
    /// Runs the program until it ends; `None` when `interrupt` ends it before.
    pub fn make(self, interrupt: &Interrupt) -> Result<Option<ChildEnd>, Failure> {
        let error = |error| Failure::internal(format!("cannot run the program itself: {error}"));
        let ChildEnd { code, stdout, stderr } = self.run(interrupt).map_err(error)?;
        Ok(code.map(|code| ChildEnd { code, stdout, stderr }))
    }

    /// Runs the program until it ends, or until `interrupt` ends it, when it has no exit code.
    ///
    /// # Errors
    /// It cannot be run.
    pub fn run(self, interrupt: &Interrupt) -> io::Result<ChildEnd<Option<Result<u8, i32>>>> {
        let (mut stdout, mut stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
        let mut command = Command::new(std::env::current_exe()?);
        // A signal of the terminal ends the caller, which ends its children.
        command.args(self.words).env_remove(logging::VARIABLE).process_group(0);
        command.current_dir(self.folder.unwrap_or(Path::new(".")));
        command.stdin(match self.stdin {
            None => Stdio::null(),
            Some(text) => {
                let mut file = tempfile::tempfile()?;
                file.write_all(text.as_bytes())?;
                file.rewind()?;
                file.into()
            }
        });
        command.stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
        let code = ended(parent::bind(&mut command), interrupt)?.map(|status| match status.code() {
            Some(code) => Ok(u8::try_from(code).unwrap_or(u8::MAX)),
            None => Err(status.signal().unwrap_or_default()),
        });
        Ok(ChildEnd { code, stdout: content(&mut stdout)?, stderr: content(&mut stderr)? })
    }
}

/// Runs a command until it ends, or until `interrupt` ends it, when it has no status.
fn ended(command: &mut Command, interrupt: &Interrupt) -> io::Result<Option<ExitStatus>> {
    // It is killed unless it has ended.
    let mut child = Guarded(command.spawn()?);
    let mut looked = 0;
    loop {
        let ended = child.0.try_wait()?;
        if ended.is_some() || interrupt.reason().is_some() {
            return Ok(ended);
        }
        thread::sleep(PERIODS[usize::from(looked >= SHORT_PERIODS)]);
        looked += 1;
    }
}

/// What another program writes to standard output, and whether it succeeds; ends it when the run must end.
pub fn output(command: &mut Command, interrupt: &Interrupt) -> io::Result<(String, bool)> {
    let mut stdout = tempfile::tempfile()?;
    command.stdin(Stdio::null()).stderr(Stdio::inherit()).stdout(stdout.try_clone()?);
    let status = ended(command, interrupt)?;
    Ok((content(&mut stdout)?, status.is_some_and(|it| it.success())))
}

/// Runs the program here with these words, and nothing on standard input.
pub fn call(words: &[OsString], interrupt: &Interrupt) -> Result<Option<ChildEnd>, Failure> {
    Call { words, stdin: None, folder: None }.make(interrupt)
}

fn content(file: &mut File) -> io::Result<String> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
