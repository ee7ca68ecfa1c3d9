//! The functions that rules of the table name.

use super::site::Special;
use super::{counts, declarations, formulas, updates, words};

macro_rules! named {
    ($name:expr; $($room:ident: $($function:ident)*;)*) => {
        match $name {
            $($(stringify!($function) => Some($room::$function),)*)*
            _ => None,
        }
    };
}

/// The function with this name.
pub fn named(name: &str) -> Option<Special> {
    named! { name;
        counts: counting_word count_not_closed count_without_bar;
        declarations: capital_parameter enumeration guard_without_requires no_braces no_parameters several_names unclosed;
        formulas: alone underscore updates_in_formula;
        updates: each prime several_targets;
        words: misspelt;
    }
}
