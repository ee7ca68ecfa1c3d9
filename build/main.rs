//! Reports missing libraries before anything else is tried, links the program with the code that examines standard output before
//! `main`, and records what it is built from.

#![allow(clippy::print_stdout, reason = "cargo reads it")]

mod judges;
mod link;
mod source;
mod z3;

use std::env;
use std::path::PathBuf;

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
    // By absolute paths: when the repository is moved or its build output is copied to another machine, these are missing and
    // this runs again. What it prints contains such paths.
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    for path in ["build", "src/app/cli/stdout.c"] {
        println!("cargo::rerun-if-changed={}", root.join(path).display());
    }
    if env::var_os("CARGO_CFG_UNIX").is_some() {
        for object in cc::Build::new().file("src/app/cli/stdout.c").compile_intermediates() {
            println!("cargo::rustc-link-arg-bins={}", object.display());
        }
    }
    // Addresses that are known when it is linked save the relocations of each start, a tenth of the time of small models.
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux")
        && env::var("CARGO_CFG_TARGET_ENV").as_deref() == Ok("gnu")
    {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
    judges::tell();
    source::tell();
}
