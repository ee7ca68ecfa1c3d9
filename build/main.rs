//! Says what is missing before anything else is tried, adds to the program what looks at standard output before `main`, and tells it what it is built from.

#![allow(clippy::print_stdout, reason = "cargo reads it")]

mod judges;
mod link;
mod source;
mod z3;

use std::env;

fn main() {
    // Whoever builds only the library links Z3 himself, and a vendored one is not there yet.
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
