//! Times, sizes and the like, as they are typed.

use std::time::Duration;

use cubicle_run::options::Procs;
use cubicle_transform::{Crash, MOST_CRASHES};

use super::failure::Failure;

/// A year: a longer time is a typing mistake.
const LONGEST_SECONDS: f64 = 365.0 * 86_400.0;

/// `500ms`, `10s`, `2m`, `1h`; a bare number is seconds.
pub fn duration(text: &str) -> Result<Duration, Failure> {
    let wrong = || Failure::usage("a time is a number and one of ms, s, m, h");
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let scale = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let seconds = number * scale;
    if seconds > LONGEST_SECONDS {
        return Err(Failure::usage("that is more than a year"));
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// The code of a warning.
pub fn warning(typed: &str) -> Result<&'static str, Failure> {
    cubicle_lang::load::warning(typed).map_err(|(error, help)| Failure::usage(format!("{error}: {help}")))
}

/// No more processes than this are explored.
const MOST_PROCS: usize = 16;

/// A number of processes, or `auto`.
pub fn procs(text: &str) -> Result<Procs, Failure> {
    match text.parse() {
        Ok(procs) if procs <= MOST_PROCS => Ok(Procs::Exactly(procs)),
        _ if text == "auto" => Ok(Procs::Auto),
        _ => Err(Failure::usage(format!("a number of processes is between 0 and {MOST_PROCS}, or `auto`"))),
    }
}

/// How a crash is typed.
pub fn crash_words(crash: Crash) -> String {
    match crash {
        Crash::Stop(None) => "stop".to_owned(),
        Crash::Stop(Some(most)) => format!("stop:{most}"),
        Crash::Restart => "restart".to_owned(),
    }
}

/// `stop`, `stop:2` or `restart`.
pub fn crash(text: &str) -> Result<Crash, Failure> {
    let wrong = || Failure::usage(format!("`stop`, `stop:F` with F from 1 to {MOST_CRASHES}, or `restart`"));
    match text.split_once(':') {
        None if text == "stop" => Ok(Crash::Stop(None)),
        None if text == "restart" => Ok(Crash::Restart),
        Some(("stop", most)) => match most.parse() {
            Ok(most @ 1..=MOST_CRASHES) => Ok(Crash::Stop(Some(most))),
            _ => Err(wrong()),
        },
        _ => Err(wrong()),
    }
}

/// `100MB`, `4G`, `512KiB`; a bare number is bytes. Units are powers of 1024.
pub fn bytes(text: &str) -> Result<usize, Failure> {
    let wrong = || Failure::usage("a size is a number and one of K, M, G (or KB, KiB, ..)");
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let shift = match unit.to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        _ => return Err(wrong()),
    };
    let number: usize = number.parse().map_err(|_| wrong())?;
    number.checked_mul(1 << shift).ok_or_else(|| Failure::usage("that is too large"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(bytes("100MB"), Ok(100 << 20));
        assert_eq!(bytes("4g"), Ok(4 << 30));
        assert_eq!(bytes("12"), Ok(12));
        for wrong in ["", "MB", "-1", "1.5G", "1T", "99999999999999999999", "99999999999G"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_of_processes() {
        assert_eq!(procs("0"), Ok(Procs::Exactly(0)));
        assert_eq!(procs("16"), Ok(Procs::Exactly(16)));
        assert_eq!(procs("auto"), Ok(Procs::Auto));
        for wrong in ["", "17", "-1", "Auto", "3.0", "99999999999999999999"] {
            assert!(procs(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_have_units() {
        assert_eq!(duration("60s"), Ok(Duration::from_secs(60)));
        assert_eq!(duration("1.5"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("20ms"), Ok(Duration::from_millis(20)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        for wrong in ["", "s", "-1s", "1d", "1e9s", "99999999h", "1.2.3s"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}
