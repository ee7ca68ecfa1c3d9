//! The log of the engines: the environment says what is logged; it goes to standard error, or to the file of `--log-file`.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock};

use cubicle_lang::list::sorted;
use cubicle_report::document::Head;
use cubicle_run::workers::locked;
use serde_json::json;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::fmt::layer;
use tracing_subscriber::fmt::time::uptime;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::{Registry, registry};

use super::failure::Failure;
use super::files::unwritten;
use super::output::complain;
use crate::child::LOG;

/// The manifest of the workspace, whose members can be named.
const MANIFEST: &str = include_str!("../../../Cargo.toml");

/// The levels, each with all before it.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// The target of all events of the program.
const ALL: &str = "cubicle";

/// What the environment asks for, as `debug` or `forward=debug,backward=trace`; `None` when the variable is not set, or empty.
pub fn wanted() -> Result<Option<Targets>, Failure> {
    let text = std::env::var_os(LOG).filter(|text| !text.is_empty());
    let wanted = text.map(|text| targets(&text.to_string_lossy())).transpose();
    wanted.map_err(|why| Failure::usage(format!("{LOG}: {why}")))
}

/// The names of all crates but the program itself, without `cubicle_`.
fn crates() -> Vec<&'static str> {
    let members = MANIFEST.lines().find_map(|line| line.strip_prefix("members = ")).unwrap_or_default();
    sorted(members.split('"').filter_map(|member| member.strip_prefix("src/")))
}

fn targets(text: &str) -> Result<Targets, String> {
    let mut targets = Targets::new();
    let crates = crates();
    for part in text.split(',').map(str::trim) {
        let (name, word) = part.split_once('=').map_or((None, part), |(name, word)| (Some(name), word));
        if let Some(name) = name.filter(|name| !crates.contains(name)) {
            return Err(format!("there is no crate `{name}`; there are {}", crates.join(", ")));
        }
        // The type would also read numbers.
        let is_level = LEVELS.iter().any(|level| level.eq_ignore_ascii_case(word));
        let Some(level) = word.parse::<LevelFilter>().ok().filter(|_| is_level) else {
            return Err(match name {
                None if crates.contains(&word) => format!("`{word}` needs a level: `{word}=debug`"),
                _ => format!("`{word}` is not a level; levels are {}", LEVELS.join(", ")),
            });
        };
        targets = targets.with_target(name.map_or(ALL.to_owned(), |name| format!("{ALL}_{name}")), level);
    }
    Ok(targets)
}

/// From now on, logs to standard error what the environment asks for.
pub fn to_stderr() {
    if let Ok(Some(wanted)) = wanted() {
        let lines = layer().with_timer(uptime()).with_span_events(FmtSpan::NEW | FmtSpan::CLOSE);
        install(
            lines.with_writer(|| Lines(|line| complain(String::from_utf8_lossy(line).trim_end()))),
            wanted,
        );
    }
}

/// From now on, logs to a new file at `path`, which begins with what `head` says of the run: what the environment asks for,
/// or else all steps.
pub fn to_file(path: &Path, head: &Head) -> Result<(), Failure> {
    let wanted = wanted()?.unwrap_or_else(|| Targets::new().with_target(ALL, LevelFilter::DEBUG));
    let begin = || {
        let mut file = File::create(path)?;
        // This marks the file as one of this program.
        writeln!(file, "{}", json!({ "tool": head.origin.tool, "command": head.origin.command }))?;
        Ok(file)
    };
    let file = begin().map_err(unwritten::<io::Error>(path))?;
    let _ = FILE.set(Mutex::new(LogFile { path: path.to_owned(), file, error: None }));
    let lines = layer().json().with_span_events(FmtSpan::NEW | FmtSpan::CLOSE);
    install(lines.with_writer(|| Lines(keep)), wanted);
    Ok(())
}

/// Whether all events are in the file, if there is one.
pub fn written() -> Result<(), Failure> {
    let Some(log) = log() else { return Ok(()) };
    log.error.as_ref().map_or(Ok(()), |error| Err(unwritten(&log.path)(error)))
}

fn install(lines: impl Layer<Registry> + Send + Sync, wanted: Targets) {
    // A process has one run, and so one log.
    let _ = tracing::subscriber::set_global_default(registry().with(lines).with(wanted));
}

/// The file of the log. Each event is written at once, so that the log is complete however the process ends.
static FILE: OnceLock<Mutex<LogFile>> = OnceLock::new();

struct LogFile {
    path: PathBuf,
    file: File,
    /// The first error; after it, nothing is written.
    error: Option<io::Error>,
}

fn log() -> Option<MutexGuard<'static, LogFile>> {
    FILE.get().map(|log| locked(log))
}

/// Passes each line of a log on.
struct Lines(fn(&[u8]));

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        (self.0)(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a line to the file of the log, unless that has failed before.
fn keep(line: &[u8]) {
    if let Some(mut log) = log().filter(|log| log.error.is_none()) {
        log.error = log.file.write_all(line).err();
    }
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    #[test]
    fn short_names_are_targets() {
        let wanted = targets("warn, forward=debug,backward=TRACE,solver=off").unwrap();
        for (target, level, enabled) in [
            ("cubicle_forward::explore", Level::DEBUG, true),
            ("cubicle_forward::explore", Level::TRACE, false),
            ("cubicle_backward", Level::TRACE, true),
            ("cubicle_solver", Level::ERROR, false),
            ("cubicle_check::turn", Level::WARN, true),
            ("cubicle_check::turn", Level::INFO, false),
            ("another_crate", Level::ERROR, false),
        ] {
            assert_eq!(wanted.would_enable(target, &level), enabled, "{target} {level}");
        }
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for (text, says) in [
            ("loud", "`loud` is not a level; levels are off, error"),
            ("debug,", "`` is not a level"),
            ("3", "`3` is not a level"),
            ("forward", "`forward` needs a level: `forward=debug`"),
            ("forward=", "`` is not a level"),
            ("fwd=debug", "there is no crate `fwd`; there are app, backward"),
        ] {
            let why = targets(text).map_err(|why| why.contains(says).then_some(()).ok_or(why));
            assert_eq!(why.map(|_| ()), Err(Ok(())), "{text}");
        }
    }
}
