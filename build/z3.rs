//! Checks whether a program can be linked with Z3 here; if not, says what to do about it.

use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::link::{Linked, links, text};

/// Environment variables that change the answer.
const ASKED: [&str; 5] =
    ["Z3_LIBRARY_PATH_OVERRIDE", "CXXSTDLIB", "PKG_CONFIG_PATH", "LIBRARY_PATH", "Z3_STATIC"];

/// Tells cargo when to check again.
pub fn rerun() {
    for name in ASKED {
        println!("cargo::rerun-if-env-changed={name}");
    }
}

/// What is missing on this machine, and the command that installs it; `None` when a program can be linked, or when that
/// cannot be tried (a program for another machine, or a compiler with flags of its own).
pub fn missing() -> Option<String> {
    let system = env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    let other_machine = env::var_os("HOST") != env::var_os("TARGET");
    if other_machine || env::var("CARGO_CFG_TARGET_ENV").as_deref() == Ok("msvc") {
        return None;
    }
    let compiler = cc::Build::new().try_get_compiler().ok()?;
    let folder = PathBuf::from(env::var_os("OUT_DIR")?).join("link");
    fs::create_dir_all(&folder).ok()?;
    let runtime = match env::var("CXXSTDLIB") {
        Ok(name) => name.rsplit('=').next().unwrap_or_default().to_owned(),
        Err(_) if system == "macos" || system == "freebsd" || system == "openbsd" => "c++".into(),
        Err(_) => "stdc++".into(),
    };
    let links = |library: &str| links(compiler.to_command(), &folder, &places(), library);
    let lacking: Vec<&str> = match (links(""), links(&runtime), links("z3")) {
        (Linked::NoCompiler, ..) => vec!["a C++ compiler", "Z3"],
        // Not even an empty program can be linked: the libraries are not the problem.
        (Linked::No, ..) => return None,
        (Linked::Yes, runtime, z3) => [(runtime, "a C++ compiler"), (z3, "Z3")]
            .into_iter()
            .filter_map(|(linked, what)| (linked != Linked::Yes).then_some(what))
            .collect(),
    };
    let clone = env::var_os("CARGO_MANIFEST_DIR").is_some_and(|root| Path::new(&root).join("setup").exists());
    (!lacking.is_empty()).then(|| text(&lacking, &system, clone))
}

/// Folders to search for libraries, besides the compiler's own: those of `z3-sys`, and those in the flags of rustc.
fn places() -> Vec<PathBuf> {
    let by_name = env::var_os("Z3_LIBRARY_PATH_OVERRIDE").map(PathBuf::from);
    let known = pkg_config::Config::new().cargo_metadata(false).env_metadata(false).probe("z3");
    let known = known.map(|library| library.link_paths).unwrap_or_default();
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let flags: Vec<&str> = flags.split('\u{1f}').collect();
    let beside = flags.iter().filter_map(|flag| flag.strip_prefix("-L").filter(|place| !place.is_empty()));
    let apart = flags.windows(2).filter(|pair| pair[0] == "-L").map(|pair| pair[1]);
    let said = beside.chain(apart).map(|place| PathBuf::from(place.rsplit('=').next().unwrap_or(place)));
    by_name.into_iter().chain(known).chain(said).collect()
}
