//! The functions that rules of the table name.

use super::site::Special;
use super::{counts, declarations, updates};

macro_rules! named {
    ($name:expr; $($room:ident: $($function:ident)*;)*) => {
        match $name {
            $($(stringify!($function) => Some($room::$function),)*)*
            _ => None,
        }
    };
}

pub fn named(name: &str) -> Option<Special> {
    named! { name;
        counts: counting_word count_not_closed count_without_bar;
        declarations: capital_parameter declaring_word enumeration misspelt no_braces no_parameters rule_of_murphi
            several_names unclosed;
        updates: alone each prime several_targets underscore updates_in_formula;
    }
}
