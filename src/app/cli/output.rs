//! Standard output, shared by the run and the watchdog; an error on it ends the run.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::os::fd::AsFd;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use cubicle_run::Interrupt;
use cubicle_run::workers::locked;

use super::line;

/// The signal that [`Interrupt`] gets when the output cannot be read any more (the number of SIGPIPE).
pub const CLOSED: i32 = 13;

/// A reader at the other end of a pipe sees lines at most this much later.
const FLUSH_EVERY: Duration = Duration::from_millis(200);

/// Buffered standard output. The first error sticks, stops the run, and is reported at the end.
pub struct Output {
    interrupt: Interrupt,
    sink: Mutex<Sink>,
}

struct Sink {
    writer: BufWriter<Box<dyn Write + Send>>,
    live: bool,
    flushed: Instant,
    error: Option<io::Error>,
    /// Receives a copy of all output.
    copy: Option<File>,
}

impl Output {
    /// Standard output of the process; errors are passed on to `interrupt`.
    pub fn new(interrupt: Interrupt) -> Self {
        let stdout = io::stdout();
        let live = stdout.is_terminal();
        // The library treats writing to what is not open for writing as success; our own file does not.
        let file = stdout.as_fd().try_clone_to_owned();
        let file: Box<dyn Write + Send> = match file {
            _ if is_closed() => Box::new(Closed),
            Ok(file) => Box::new(File::from(file)),
            Err(_) => Box::new(stdout),
        };
        let sink =
            Sink { writer: BufWriter::new(file), live, flushed: Instant::now(), error: None, copy: None };
        Self { interrupt, sink: Mutex::new(sink) }
    }

    /// From now on, writes everything to `copy` as well.
    pub fn copy_to(&self, copy: File) {
        locked(&self.sink).copy = Some(copy);
    }

    /// Writes `text`, or does nothing after an error.
    pub fn write(&self, text: &str) {
        let mut sink = locked(&self.sink);
        let written = match (&sink.error, sink.live) {
            (Some(_), _) => return,
            (None, true) => line::beside(|| sink.write(text)),
            (None, false) => sink.write(text),
        };
        if let Err(error) = written {
            sink.error = Some(error);
            self.interrupt.raise(CLOSED);
        }
    }

    /// Writes what is still buffered; the first error of all.
    pub fn finish(&self) -> Result<(), io::Error> {
        locked(&self.sink).finish()
    }

    /// Like [`Output::finish`], unless another thread is in the middle of writing.
    pub fn try_finish(&self) -> Result<(), io::Error> {
        self.sink.try_lock().map_or(Ok(()), |mut sink| sink.finish())
    }
}

/// Whether the caller closed standard output. The runtime has put `/dev/null` in its place by now, but
/// `stdout.c` looked before.
fn is_closed() -> bool {
    std::env::var_os("CUBICLE_STDOUT_CLOSED").is_some()
}

/// Standard output that the caller closed.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
        Err(io::Error::new(io::ErrorKind::NotConnected, "it is closed"))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink {
    fn finish(&mut self) -> io::Result<()> {
        self.error.take().map_or_else(|| self.writer.flush(), Err)
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        if let Some(copy) = &mut self.copy {
            copy.write_all(text.as_bytes())?;
        }
        self.writer.write_all(text.as_bytes())?;
        if self.live || self.flushed.elapsed() >= FLUSH_EVERY {
            self.writer.flush()?;
            self.flushed = Instant::now();
        }
        Ok(())
    }
}

/// Receives a copy of all that is written to standard error.
static ERRORS: OnceLock<Mutex<File>> = OnceLock::new();

/// From now on, writes everything that goes to standard error to `copy` as well.
pub fn copy_errors(copy: File) {
    let _ = ERRORS.set(Mutex::new(copy));
}

/// Writes a line to standard error. When even that fails, the error is dropped.
pub fn complain(text: &str) {
    if let Some(copy) = ERRORS.get() {
        let _ = writeln!(locked(copy), "{text}");
    }
    line::beside(|| {
        let _ = writeln!(io::stderr().lock(), "{text}");
    });
}
