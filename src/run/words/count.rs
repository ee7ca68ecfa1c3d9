//! Numbers with what they count.

use std::fmt::Display;

/// `1 node`, `2 nodes`, `0 processes`, `2 properties`.
pub fn count(number: impl Display, noun: &str) -> String {
    let number = number.to_string();
    match noun {
        _ if number == "1" => format!("{number} {noun}"),
        _ if noun.ends_with('s') => format!("{number} {noun}es"),
        _ if noun.ends_with('y') => format!("{number} {}ies", &noun[..noun.len() - 1]),
        _ => format!("{number} {noun}s"),
    }
}

/// `1 process`, `2, 3 processes`: the sizes of instances, with this between two of them.
pub fn sizes(sizes: &[usize], between: &str) -> String {
    count(numbers(sizes, between), "process")
}

/// `2, 3`: numbers with this between two of them.
pub fn numbers(all: &[usize], between: &str) -> String {
    all.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
}

/// `1 process`, `2 and 3 processes`, `2, 3 and 4 processes`.
pub fn listed_sizes(sizes: &[usize]) -> String {
    match sizes {
        [before @ .., last] if !before.is_empty() => {
            format!("{} and {last} processes", numbers(before, ", "))
        }
        _ => self::sizes(sizes, ""),
    }
}
