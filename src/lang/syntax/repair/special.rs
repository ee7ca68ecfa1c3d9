//! The functions that rules of the table name.

use super::site::Special;
use super::{counts, declarations, elsewhere, formulas, updates, words};

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
        declarations: capital_parameter enumeration no_braces no_parameters several_names unclosed;
        elsewhere: rule_of_murphi;
        formulas: alone underscore updates_in_formula;
        updates: each prime several_targets;
        words: declaring_word misspelt;
    }
}
