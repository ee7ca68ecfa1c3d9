//! Reports missing libraries before anything else is tried, links the program with the code that examines standard output before
//! `main`, and records what it is built from.

#![allow(clippy::print_stdout, reason = "cargo reads it")]

mod judges;
mod link;
mod source;
mod z3;

use std::env;

fn main() {
    // A user of the library alone links Z3 on their own, and a vendored one is not there yet.
    let linked =
        env::var_os("CARGO_FEATURE_CLI").is_some() && env::var_os("CARGO_FEATURE_VENDORED").is_none();
    if linked && env::var_os("DOCS_RS").is_none() {
        z3::rerun();
        if let Some(text) = z3::missing() {
            for line in text.lines() {
                println!("cargo::error={line}");
            }
            return;
        }
    }
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=src/app/cli/stdout.c");
    if env::var_os("CARGO_CFG_UNIX").is_some() {
        for object in cc::Build::new().file("src/app/cli/stdout.c").compile_intermediates() {
            println!("cargo::rustc-link-arg-bins={}", object.display());
        }
    }
    judges::tell();
    source::tell();
}
