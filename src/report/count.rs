//! Numbers with what they count.

use std::fmt::Display;

/// `1 node`, `2 nodes`, `0 processes`, `2 properties`.
pub(super) fn count(number: impl Display, noun: &str) -> String {
    let number = number.to_string();
    match noun {
        _ if number == "1" => format!("{number} {noun}"),
        _ if noun.ends_with('s') => format!("{number} {noun}es"),
        _ if noun.ends_with('y') => format!("{number} {}ies", &noun[..noun.len() - 1]),
        _ => format!("{number} {noun}s"),
    }
}
