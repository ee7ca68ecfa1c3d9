//! Says what is missing before anything else is tried, generates the parser from `grammar/cubicle.lalrpop`, adds to
//! the program what looks at standard output before `main`, and tells it what it is built from.

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
    println!("cargo::rerun-if-changed=grammar");
    lalrpop::Configuration::new()
        .set_in_dir("grammar")
        .emit_rerun_directives(true)
        .process()
        .expect("the grammar is conflict-free");
    println!("cargo::rerun-if-changed=src/cli/stdout.c");
    if env::var_os("CARGO_CFG_UNIX").is_some() {
        for object in cc::Build::new().file("src/cli/stdout.c").compile_intermediates() {
            println!("cargo::rustc-link-arg-bins={}", object.display());
        }
    }
    judges::tell();
    source::tell();
}
