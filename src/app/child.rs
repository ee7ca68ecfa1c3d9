//! The program itself as a child process: a run that a crash, a limit or a lack of memory ends without its caller, and that ends
//! with the process that started it, also where that is killed and can tell it nothing; and other programs.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use cubicle_run::Interrupt;

/// The variable that says what the engines log. A child has none: what it writes is read.
pub const LOG: &str = "CUBICLE_LOG";

/// The variable by which a process knows that it is to end with the process of this number.
const PARENT: &str = "CUBICLE_PARENT";

/// At most this many bytes of each output are read: many times the longest document.
const MOST_BYTES: u64 = 256 << 20;

/// How often a caller that waits looks at its interrupt; short at first, for runs that end at once.
const PERIODS: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(20)];

/// The number of short periods after which the long one is used.
const SHORT_PERIODS: u32 = 50;

#[derive(Clone, Debug)]
pub struct ChildEnd {
    /// Its exit code, or the number of the signal that ended it; none when its caller ended it.
    pub code: Option<Result<u8, i32>>,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
}

/// A child that is killed when its caller ends before it.
pub struct Guarded(pub Child);

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
    /// Runs the program until it ends, or until `interrupt` ends it.
    ///
    /// # Errors
    /// It cannot be run.
    pub fn run(self, interrupt: &Interrupt) -> io::Result<ChildEnd> {
        let (mut stdout, mut stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
        let mut command = Command::new(std::env::current_exe()?);
        // The thread that starts it must not end before it: Linux takes that for the end of the process.
        command.env_remove(LOG).env(PARENT, std::process::id().to_string());
        // A signal of the terminal ends the caller, which ends its children.
        command.args(self.words).process_group(0);
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
        let code = ended(&mut command, interrupt)?.map(|status| match status.code() {
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

fn content(file: &mut File) -> io::Result<String> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Sees to it that this process ends with the one that started it, where that asks for it; false when it has ended already.
#[cfg(target_os = "linux")]
pub fn follow() -> bool {
    use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal, test_kill_process};

    let wanted = std::env::var(PARENT).ok().and_then(|it| Pid::from_raw(it.parse().ok()?));
    let Some(parent) = wanted else { return true };
    if getppid() == Some(parent) {
        // Where the system does not have it, this process goes on to its end.
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
        return getppid() == Some(parent);
    }
    // It ended before it could be followed; or another program in between passed the variable on.
    test_kill_process(parent).is_ok()
}

/// Nothing: other systems do not tell.
#[cfg(not(target_os = "linux"))]
pub fn follow() -> bool {
    true
}
