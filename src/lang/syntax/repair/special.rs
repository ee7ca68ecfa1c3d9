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
        declarations: capital_parameter capital_type enumeration guard_without_requires negative_bound no_braces
            no_parameters no_parentheses real_range several_names unclosed with_value;
        formulas: alone arrow_of_a_branch bound_in_parentheses capital_predicate chained function membership small_array
            underscore updates_in_formula;
        updates: conditional_update each prime several_targets small_target;
        words: misspelt reserved;
    }
}
