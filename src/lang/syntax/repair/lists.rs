//! The lists of words of the table.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The rules and the lists.
pub const TABLE: &str = include_str!("slips.txt");

static LISTS: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let lists = TABLE.lines().filter_map(|line| line.strip_prefix("list ")?.split_once(' '));
    lists.map(|(name, words)| (name, words.split(' ').collect())).collect()
});

pub fn list(name: &str) -> Option<&'static [&'static str]> {
    LISTS.get(name).map(Vec::as_slice)
}

pub fn is_listed(name: &str, word: &str) -> bool {
    list(name).is_some_and(|words| words.contains(&word))
}
