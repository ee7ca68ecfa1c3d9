//! Shows the progress of a run: a line that changes on a terminal, elsewhere a line now and then.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use cubicle_report::{Progress, duration};

use super::ending::Ending;
use super::output::complain;
use super::{line, memory};

/// How often the line on a terminal is updated.
const TERMINAL_PERIOD: Duration = Duration::from_millis(100);

/// How often a line is written where there is no terminal.
const LOG_PERIOD: Duration = Duration::from_secs(10);

/// Over how long a rate is taken.
const RATE_PERIOD: Duration = Duration::from_secs(1);

/// Starts to show the progress of the run of `ending`. `elsewhere`: also where there is no terminal.
pub fn start(ending: &Arc<Ending>, elsewhere: bool) {
    let on_terminal = line::open();
    if !on_terminal && !elsewhere {
        return;
    }
    let ending = Arc::clone(ending);
    // Without this thread the run continues unwatched.
    let _ = thread::Builder::new().name("live".into()).spawn(move || {
        let start = Instant::now();
        let mut watched = Watched::new(start);
        let mut next = start + LOG_PERIOD;
        loop {
            thread::sleep(if on_terminal { TERMINAL_PERIOD } else { RATE_PERIOD });
            if ending.has_ended() {
                return;
            }
            let progress = ending.progress().clone();
            let now = Instant::now();
            watched.look(&progress, now);
            let still = now - watched.changed;
            let parts = progress.parts(watched.rate, still);
            let mut spent = duration(now - start);
            if let mebibytes @ 1.. = memory::used().resident >> 20 {
                spent += &format!(", {mebibytes} MiB");
            }
            if on_terminal {
                line::show(&fitting(&spent, &parts, line::width()));
            } else if now >= next {
                next += LOG_PERIOD;
                complain(&format!("{spent}: {}", parts.join(", ")));
            }
        }
    });
}

struct Watched {
    version: u64,
    /// When the last event was seen.
    changed: Instant,
    /// A count, and when it was taken.
    counted: Option<(usize, Instant)>,
    rate: Option<u64>,
}

impl Watched {
    const fn new(now: Instant) -> Self {
        Self { version: 0, changed: now, counted: None, rate: None }
    }

    fn look(&mut self, progress: &Progress, now: Instant) {
        if progress.version() != self.version {
            (self.version, self.changed) = (progress.version(), now);
        }
        match (progress.counted(), self.counted) {
            (Some(count), Some((before, since))) if count >= before => {
                let window = now - since;
                if window >= RATE_PERIOD {
                    self.rate = Some((count - before) as u64 * 1000 / window.as_millis().max(1) as u64);
                    self.counted = Some((count, now));
                }
            }
            (count, _) => {
                self.rate = None;
                self.counted = count.map(|count| (count, now));
            }
        }
    }
}

/// As many of the parts as fit into a line after `spent`; the first one is cut to fit.
fn fitting(spent: &str, parts: &[String], width: usize) -> String {
    let mut text = spent.to_owned();
    for (at, part) in parts.iter().enumerate() {
        let between = if at == 0 { ": " } else { ", " };
        if at > 0 && text.len() + between.len() + part.len() > width {
            break;
        }
        text = text + between + part;
    }
    text.chars().take(width).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_do_not_fit_are_left_out() {
        let parts = ["exploring 3 processes: 900 states".to_owned(), "40/s".into(), "7 waiting".into()];
        let line = |width| fitting("7 s, 30 MiB", &parts, width);
        assert_eq!(line(80), "7 s, 30 MiB: exploring 3 processes: 900 states, 40/s, 7 waiting");
        assert_eq!(line(60), "7 s, 30 MiB: exploring 3 processes: 900 states, 40/s");
        assert_eq!(line(52), line(60));
        assert_eq!(line(51), "7 s, 30 MiB: exploring 3 processes: 900 states");
        assert_eq!(line(10), "7 s, 30 Mi");
    }

    #[test]
    fn rates_are_taken_over_a_second() {
        let start = Instant::now();
        let mut watched = Watched::new(start);
        let mut progress = Progress::new(cubicle_run::BackwardMode::Classic);
        let at = |millis| start + Duration::from_millis(millis);
        for (millis, nodes, rate, changed) in
            [(100, 10, None, 100), (600, 10, None, 100), (1100, 60, Some(50), 1100), (1200, 5, None, 1200)]
        {
            if progress.counted() != Some(nodes) {
                progress.note(&cubicle_run::Event::NodeCount(nodes));
            }
            watched.look(&progress, at(millis));
            assert_eq!((watched.rate, watched.changed), (rate, at(changed)), "{millis}");
        }
    }
}
