//! The program `cubicle`.

use std::process::ExitCode;

use cubicle_app::{Build, last_commit};

/// For `--version`. It is here so that a new commit recompiles only this file.
const BUILD: Build = Build {
    head: last_commit(include_bytes!(env!("CUBICLE_HEAD_LOG"))),
    commit: env!("CUBICLE_COMMIT"),
    features: env!("CUBICLE_FEATURES"),
    target: env!("CUBICLE_TARGET"),
    vendored: cfg!(feature = "vendored"),
};

fn main() -> ExitCode {
    cubicle_app::run(std::env::args_os(), BUILD, cubicle::CHECKER)
}
