//! Times, sizes and the like, as they are typed.

use std::time::Duration;

use cubicle_lang::model::System;
use cubicle_run::Procs;
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

pub fn warning(typed: &str) -> Result<&'static str, Failure> {
    cubicle_lang::load::warning(typed).map_err(|(error, help)| Failure::usage(format!("{error}: {help}")))
}

/// No more processes than this are explored.
const MOST_PROCS: usize = 16;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Size {
    /// How many processes they have.
    pub procs: Procs,
    /// How many of each sort; empty when any will do.
    pub of_sorts: Vec<(String, usize)>,
}

/// A number of processes, `auto`, or numbers of processes of sorts: `node=3,value=2`.
pub fn procs(text: &str) -> Result<Size, Failure> {
    let any = |procs| Ok(Size { procs, of_sorts: Vec::new() });
    match text.parse() {
        Ok(procs) if procs <= MOST_PROCS => any(Procs::Exactly(procs)),
        _ if text == "auto" => any(Procs::Auto),
        _ if text.contains('=') => {
            let of_sorts: Option<Vec<(String, usize)>> = text
                .split(',')
                .map(|part| {
                    let (sort, count) = part.split_once('=')?;
                    let sort = Some(sort.trim().to_owned()).filter(|it| !it.is_empty())?;
                    Some((sort, count.trim().parse().ok()?))
                })
                .collect();
            let of_sorts = of_sorts.ok_or_else(|| {
                Failure::usage("numbers of processes of sorts are written like `node=3,value=2`")
            })?;
            let total = of_sorts.iter().fold(0_usize, |sum, (_, count)| sum.saturating_add(*count));
            if total > MOST_PROCS {
                return Err(Failure::usage(format!(
                    "{total} processes: an instance has at most {MOST_PROCS}"
                )));
            }
            Ok(Size { procs: Procs::Exactly(total), of_sorts })
        }
        _ => Err(Failure::usage(format!(
            "a number of processes is between 0 and {MOST_PROCS}, or `auto`, or like `node=3,value=2`"
        ))),
    }
}

/// Whether these are sorts of the system, each of them once.
pub fn are_sorts(system: &System, of_sorts: &[(String, usize)]) -> Result<(), Failure> {
    let known: &[String] = system.sorts.as_ref().map_or(&[], |sorts| &sorts.names);
    for (at, (sort, _)) in of_sorts.iter().enumerate() {
        if known.is_empty() {
            return Err(Failure::usage("--procs names sorts, and the model declares none"));
        }
        if !known.contains(sort) {
            let sorts = known.join("`, `");
            return Err(Failure::usage(format!(
                "--procs: `{sort}` is not a sort of the model, these are: `{sorts}`"
            )));
        }
        if of_sorts[..at].iter().any(|(other, _)| other == sort) {
            return Err(Failure::usage(format!("--procs: two numbers of processes of sort `{sort}`")));
        }
    }
    Ok(())
}

/// `stop`, `stop:2` or `restart`.
pub fn crash(text: &str) -> Result<Crash, Failure> {
    let forms = || format!("`stop`, `stop:F` with F from 1 to {MOST_CRASHES}, or `restart`");
    Crash::read(text).ok_or_else(|| Failure::usage(forms()))
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
        let size = |text| procs(text).map(|it| it.procs);
        assert_eq!(size("0"), Ok(Procs::Exactly(0)));
        assert_eq!(size("16"), Ok(Procs::Exactly(16)));
        let of_sorts = vec![("node".to_owned(), 3), ("value".to_owned(), 2)];
        assert_eq!(procs("node=3, value=2"), Ok(Size { procs: Procs::Exactly(5), of_sorts }));
        for wrong in ["node=", "=3", "node=3,", "node=9,value=9", "node=-1"] {
            assert!(procs(wrong).is_err(), "{wrong}");
        }
        assert_eq!(size("auto"), Ok(Procs::Auto));
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
