//! Runs jobs, each in a process of its own.

use std::io::{self, Read};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::job::Job;
use crate::measure::Row;

/// Does `job` in a fresh copy of this program. The copy ends itself at the time limit, or
/// is killed some time later.
pub fn run(job: &Job) -> io::Result<Row> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(job.arguments())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let patience = Instant::now() + Duration::from_secs(10 + job.time + job.time / 2);
    let ended = loop {
        if child.try_wait()?.is_some() {
            break true;
        }
        if Instant::now() > patience {
            child.kill()?;
            child.wait()?;
            break false;
        }
        thread::sleep(Duration::from_millis(5));
    };
    let mut text = String::new();
    if let Some(mut stdout) = child.stdout.take() {
        stdout.read_to_string(&mut text)?;
    }
    let verdict = if ended { "died" } else { "time" };
    Ok(Row::parse(&text).unwrap_or_else(|| Row { verdict: verdict.into(), ..Row::default() }))
}
