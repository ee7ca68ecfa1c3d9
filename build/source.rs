//! Records in the program what it is built from: commit, features and machine.
//!
//! The commit comes from `.cargo_vcs_info.json` in a package, else from git's log of HEAD, of which only the path is
//! passed on: the program reads the last line of that file when it is compiled. So a new commit recompiles the program,
//! but not the library; and git itself is not needed.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Sets `CUBICLE_COMMIT` (or `unknown`), `CUBICLE_HEAD_LOG` (an empty file when there is none),
/// `CUBICLE_FEATURES` and `CUBICLE_TARGET`.
pub fn tell() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let nothing = out.join("no-log");
    fs::write(&nothing, "").expect("OUT_DIR can be written");
    let package = root.join(".cargo_vcs_info.json");
    let (commit, log) = match fs::read_to_string(&package) {
        Ok(info) => {
            println!("cargo::rerun-if-changed={}", package.display());
            (of_package(&info), None)
        }
        Err(_) => (None, head_log(&root)),
    };
    println!("cargo::rustc-env=CUBICLE_COMMIT={}", commit.as_deref().unwrap_or("unknown"));
    println!("cargo::rustc-env=CUBICLE_HEAD_LOG={}", log.unwrap_or(nothing).display());
    println!("cargo::rustc-env=CUBICLE_FEATURES={}", features());
    println!("cargo::rustc-env=CUBICLE_TARGET={}", env::var("TARGET").expect("cargo sets it"));
}

/// The commit in the file that `cargo package` writes.
pub fn of_package(info: &str) -> Option<String> {
    let (_, rest) = info.split_once("\"sha1\"")?;
    let hash = rest.split('"').nth(1).filter(|hash| hash.len() >= 12)?;
    let changed = if info.contains("\"dirty\": true") { ", with changes" } else { "" };
    Some(format!("{}{changed}", hash.get(..12)?))
}

/// Git's log of HEAD in a clone or a work tree, when `root` is the top of one.
pub fn head_log(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    let folder = match fs::read_to_string(&git) {
        Ok(link) => root.join(link.strip_prefix("gitdir:")?.trim()),
        Err(_) => git,
    };
    let log = folder.join("logs/HEAD");
    log.is_file().then_some(log)
}

/// The features of this build, as in `Cargo.toml`.
fn features() -> String {
    let named = env::vars().filter_map(|(name, _)| name.strip_prefix("CARGO_FEATURE_").map(str::to_owned));
    let mut names: Vec<String> = named.map(|name| name.to_lowercase().replace('_', "-")).collect();
    names.retain(|name| name != "default");
    names.sort();
    names.join(", ")
}
