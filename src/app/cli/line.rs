//! The line at the bottom of the terminal that changes during a run, and all other output to the terminal.
//!
//! There is one terminal, so all threads share one such line.

use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};
use std::{io, thread};

use console::{Term, is_dumb};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};

/// At most this many redraws per second.
const HERTZ: u8 = 20;

/// The line, from [`open`] to [`close`].
static LINE: Mutex<Option<Line>> = Mutex::new(None);

struct Line {
    bar: ProgressBar,
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
    let terminal = Terminal(Term::buffered_stderr());
    if !terminal.0.is_term() || is_dumb() {
        return false;
    }
    let target = ProgressDrawTarget::term_like_with_hz(Box::new(terminal), HERTZ);
    let bar = ProgressBar::with_draw_target(None, target);
    let style = ProgressStyle::with_template("{spinner} {msg}").expect("the template is one");
    bar.set_style(style.tick_chars("-\\|/ "));
    if let Some(mut line) = lock() {
        *line = Some(Line { bar, shown: false });
    }
    true
}

/// Shows `text` in the line, if it is open.
pub fn show(text: String) {
    let Some(mut line) = lock() else { return };
    let Some(Line { bar, shown }) = &mut *line else { return };
    bar.set_message(text);
    if *shown {
        bar.tick();
    } else {
        bar.reset();
    }
    *shown = true;
}

/// How many characters fit after the spinner.
pub fn width() -> usize {
    usize::from(Terminal(Term::stderr()).width()).saturating_sub(2)
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

/// A terminal that reports a slightly smaller width than it has: the `^C` that it adds to the line must not begin
/// a new one, for then only that could be cleared.
#[derive(Debug)]
struct Terminal(Term);

/// Columns that are left free.
const FREE_COLUMNS: u16 = 4;

impl TermLike for Terminal {
    fn width(&self) -> u16 {
        self.0.size().1.saturating_sub(FREE_COLUMNS).max(1)
    }

    fn height(&self) -> u16 {
        self.0.size().0
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_up(n)
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_down(n)
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_right(n)
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_left(n)
    }

    fn write_line(&self, s: &str) -> io::Result<()> {
        self.0.write_line(s)
    }

    fn write_str(&self, s: &str) -> io::Result<()> {
        self.0.write_str(s)
    }

    fn clear_line(&self) -> io::Result<()> {
        self.0.clear_line()
    }

    fn flush(&self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Line {
    fn clear(&mut self) {
        if self.shown {
            self.bar.finish_and_clear();
            self.shown = false;
        }
    }
}
