//! Which programs of others are here: tests that ask them count as ignored where one is missing, not as passed.

use std::process::{Command, Stdio};

/// The programs, each with the flag that is set when it is missing.
const JUDGES: [(&str, &str); 4] =
    [("spin", "without_spin"), ("rumur", "without_rumur"), ("gcc", "without_gcc"), ("z3", "without_z3")];

/// Tells cargo. After one was installed: `touch build/judges.rs`.
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
