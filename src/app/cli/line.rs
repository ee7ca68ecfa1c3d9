//! The line at the bottom of the terminal that changes during a run, and all other output to the terminal.
//!
//! There is one terminal, so all threads share one such line.

use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};
use std::{io, thread};

use console::{Term, is_dumb};

/// The line, from [`open`] to [`close`].
static LINE: Mutex<Option<Line>> = Mutex::new(None);

struct Line {
    terminal: Term,
    /// How often it was drawn.
    drawn: usize,
    shown: bool,
}

/// How long to wait for another thread that writes. A terminal that was told to stop takes nothing, and a thread
/// that panics may be in the middle of writing: neither must keep the process from ending.
const WRITER_WAIT: Duration = Duration::from_millis(500);

/// Locks the line; waits a while for a thread that writes.
fn lock() -> Option<MutexGuard<'static, Option<Line>>> {
    let start = Instant::now();
    loop {
        match LINE.try_lock() {
            Ok(line) => return Some(line),
            Err(TryLockError::Poisoned(line)) => return Some(line.into_inner()),
            Err(TryLockError::WouldBlock) if start.elapsed() >= WRITER_WAIT => return None,
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// Makes the line, when standard error is a terminal that can show one; whether it is.
pub fn open() -> bool {
    let terminal = Term::buffered_stderr();
    if !terminal.is_term() || is_dumb() {
        return false;
    }
    if let Some(mut line) = lock() {
        *line = Some(Line { terminal, drawn: 0, shown: false });
    }
    true
}

/// Shows `text` in the line, if it is open.
pub fn show(text: &str) {
    if let Some(Some(line)) = lock().as_deref_mut() {
        // What cannot be drawn is not shown.
        let _ = line.draw(text);
    }
}

/// Columns that are left free: the `^C` that the terminal adds to the line must not begin a new one, for then only that could be
/// cleared.
const FREE_COLUMNS: u16 = 4;

/// How many characters fit after the spinner.
pub fn width() -> usize {
    usize::from(Term::stderr().size().1.saturating_sub(FREE_COLUMNS).max(1)).saturating_sub(2)
}

/// Writes while the line is hidden.
pub fn beside<T>(write: impl FnOnce() -> T) -> T {
    let mut line = lock();
    if let Some(Some(line)) = line.as_deref_mut() {
        line.clear();
    }
    write()
}

/// Removes the line for good.
pub fn close() {
    if let Some(Some(mut line)) = lock().map(|mut line| line.take()) {
        line.clear();
    }
}

impl Line {
    /// With the next picture of a spinner.
    fn draw(&mut self, text: &str) -> io::Result<()> {
        const SPINNER: [char; 4] = ['-', '\\', '|', '/'];
        let spinner = SPINNER[self.drawn % SPINNER.len()];
        (self.drawn, self.shown) = (self.drawn + 1, true);
        self.terminal.clear_line()?;
        self.terminal.write_str(&format!("{spinner} {text}"))?;
        self.terminal.flush()
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let _ = self.terminal.clear_line().and_then(|()| self.terminal.flush());
        }
    }
}
