//! The functions that rules of the table name.

use super::rule::Special;
use super::{counts, declarations, formulas, updates, values, words};

/// The function with this name.
pub fn named(name: &str) -> Option<Special> {
    Some(match name {
        "count" => counts::count,
        "bars" => counts::bars,
        "counting_word" => counts::word,
        "misspelt" => words::misspelt,
        "reserved" => words::reserved,
        "index_range" => declarations::index_range,
        "real_range" => declarations::real_range,
        "negative_bound" => declarations::negative_bound,
        "enumeration" => declarations::enumeration,
        "array_of" => declarations::array_of,
        "several_names" => declarations::several_names,
        "capital_type" => declarations::capital_type,
        "with_value" => declarations::with_value,
        "comma_between_parameters" => declarations::comma_between_parameters,
        "capital_parameter" => declarations::capital_parameter,
        "no_parameters" => declarations::no_parameters,
        "no_parentheses" => declarations::no_parentheses,
        "guard_without_requires" => declarations::guard_without_requires,
        "no_braces" => declarations::no_braces,
        "unclosed" => declarations::unclosed,
        "prime" => updates::prime,
        "several_targets" => updates::several_targets,
        "each" => updates::each,
        "conditional_update" => updates::conditional_update,
        "small_target" => updates::small_target,
        "value" => values::value,
        "membership" => formulas::membership,
        "comprehension" => formulas::comprehension,
        "underscore" => formulas::underscore,
        "chained" => formulas::chained,
        "function" => formulas::function,
        "updates_in_formula" => formulas::updates_in_formula,
        "bound_in_parentheses" => formulas::bound_in_parentheses,
        "cell_in_parentheses" => formulas::cell_in_parentheses,
        "small_array" => formulas::small_array,
        "arrow_of_a_branch" => formulas::arrow_of_a_branch,
        "alone" => formulas::alone,
        "product" => formulas::product,
        _ => return None,
    })
}
