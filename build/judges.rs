//! Finds the external programs that tests use: where one is missing, its tests count as ignored, not as passed.

use std::process::{Command, Stdio};

/// The programs, each with the flag that is set when it is missing.
const JUDGES: [(&str, &str); 4] =
    [("spin", "without_spin"), ("rumur", "without_rumur"), ("gcc", "without_gcc"), ("z3", "without_z3")];

/// Sets the flags for cargo. After installing one: `touch build/judges.rs`.
pub fn tell() {
    for (program, flag) in JUDGES {
        println!("cargo::rustc-check-cfg=cfg({flag})");
        let asked =
            Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        if asked.is_err() {
            println!("cargo::rustc-cfg={flag}");
        }
    }
}
