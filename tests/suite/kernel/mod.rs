//! Theorems for Coq: examples that its kernel accepts, forged certificates that the checker refuses, and its semantics compared with
//! the reference semantics. Without `coqc` these tests say so and pass.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "shows figures, and why nothing is tested")]

mod printed;
mod steps;

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use cubicle::certificate::kernel;
use tempfile::TempDir;

/// The proof that [`cubicle::certificate::kernel::ONCE`] does not need: the semantics as programs.
const EXEC: &str = include_str!("../../../src/certificate/coq/Exec.v");

/// What Coq prints below a theorem without axioms.
const CLOSED: &str = "Closed under the global context";

/// A folder of caches in which the program keeps what is the same for all theorems, compiled; `None` where Coq is missing. Its name
/// depends on the texts.
fn cache() -> Option<&'static Path> {
    static CACHE: OnceLock<Option<PathBuf>> = OnceLock::new();
    let made = CACHE.get_or_init(|| {
        if Command::new("coqc").arg("--version").output().is_err() {
            eprintln!("coqc is missing: what Coq says of theorems is not tested (`apt-get install coq`)");
            return None;
        }
        let mut hasher = DefaultHasher::new();
        (kernel::ONCE, EXEC).hash(&mut hasher);
        let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let folder = target.join(format!("coq-tested-{:016x}", hasher.finish()));
        if !folder.is_dir() {
            let temporary = TempDir::new_in(target).expect("a folder");
            let certificate = temporary.path().join("certificate");
            prove("mutex.cub", &certificate);
            let (code, said) = check("mutex.cub", &certificate, temporary.path());
            assert_eq!(code, Some(0), "{said}");
            let once = compiled(temporary.path());
            fs::write(once.join("Exec.v"), EXEC).expect("a file");
            coqc(&once, &once, "Exec.v");
            // Another test program may have been faster.
            let made = temporary.keep();
            if fs::rename(&made, &folder).is_err() {
                fs::remove_dir_all(made).expect("our folder");
            }
        }
        Some(folder)
    });
    made.as_deref()
}

/// The only folder of compiled files in a cache.
fn compiled(cache: &Path) -> PathBuf {
    let mut inside = fs::read_dir(cache.join("cubicle")).expect("what the program keeps");
    inside.next().expect("one folder").expect("a folder").path()
}

/// The compiled files that are the same for all theorems.
fn library() -> Option<PathBuf> {
    cache().map(compiled)
}

/// Compiles a file of a folder; what Coq prints.
fn coqc(library: &Path, folder: &Path, name: &str) -> String {
    let mut command = Command::new("coqc");
    command.args(["-q".as_ref(), "-Q".as_ref(), library.as_os_str(), "Cubicle".as_ref()]);
    if folder != library {
        command.args(["-Q".as_ref(), folder.as_os_str(), "Tried".as_ref()]);
    }
    let output = command.arg(name).current_dir(folder).output().expect("coqc");
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{name}: {said}{errors}");
    said.into_owned()
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name)
}

/// Proves an example, with its theorem.
fn prove(example_name: &str, certificate: &Path) {
    let output = Command::new(env!("CARGO_BIN_EXE_cubicle"))
        .args(["--quiet".as_ref(), "--coq".as_ref(), "--certificate".as_ref(), certificate.as_os_str()])
        .arg(example(example_name))
        .output()
        .expect("the program");
    assert!(output.status.success(), "{example_name}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The theorem of an example as a module, up to the first of these words: one run of Coq can check several.
fn module(example_name: &str, name: &str, end: &str) -> String {
    let folder = TempDir::new().expect("a folder");
    let certificate = folder.path().join("certificate");
    prove(example_name, &certificate);
    let text = fs::read_to_string(certificate.join("coq/Theorem.v")).expect("a theorem");
    let text = text.split_once("From Cubicle Require Import Notation.").expect("what it needs").1;
    let text = text.split_once(end).expect("where it ends").0;
    format!("Module {name}.\n{text}\nEnd {name}.\n")
}

/// What the program says of a certificate when Coq checks it, and its exit code.
fn check(model: &str, certificate: &Path, cache: &Path) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_cubicle"))
        .args(["check-certificate".as_ref(), "--with".as_ref(), "coq".as_ref(), example(model).as_os_str()])
        .arg(certificate)
        .env("XDG_CACHE_HOME", cache)
        .output()
        .expect("the program");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What Coq prints for a file with this text; `None` where Coq is missing.
pub fn said(text: &str) -> Option<String> {
    let library = library()?;
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("Said.v"), text).expect("a file");
    Some(coqc(&library, folder.path(), "Said.v"))
}

/// A cache, tickets, readers that are counted, quorums: enumerations, processes, order, integers, counts, witnesses and tails.
#[test]
fn the_kernel_accepts_examples() {
    let Some(library) = library() else { return };
    let folder = TempDir::new().expect("a folder");
    let mut text = "From Cubicle Require Import Notation.\n".to_owned();
    let models = [
        ("german_data.cub", "German"),
        ("live_ticket.cub", "Ticket"),
        ("rw_spin.cub", "Spin"),
        ("../tests/suite/kernel/quorums.cub", "Quorums"),
    ];
    for (name, title) in models {
        text += &module(name, title, "Print Assumptions");
    }
    let all = models.map(|it| format!("{}.model_is_safe", it.1)).join(", ");
    text += &format!("Definition all := ({all}).\nPrint Assumptions all.\n");
    fs::write(folder.path().join("Examples.v"), text).expect("a file");
    let said = coqc(&library, folder.path(), "Examples.v");
    assert_eq!(said.trim(), CLOSED);
}

/// From the model and the text of the invariant alone, with the compiled files in the user's cache.
#[test]
fn the_program_has_coq_check_a_certificate() {
    let Some(cache) = cache() else { return };
    let folder = TempDir::new().expect("a folder");
    let certificate = folder.path().join("certificate");
    prove("mutex.cub", &certificate);
    fs::remove_dir_all(certificate.join("coq")).expect("a folder");
    let (code, said) = check("mutex.cub", &certificate, cache);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.starts_with("The certificate holds: ") && said.ends_with(", accepted by Coq\n"), "{said}");
    // Z3 refuses it first.
    assert_eq!(check("mutex_wrong.cub", &certificate, cache).0, Some(1));
}

/// Every example whose theorem can be stated, and how many that are.
#[test]
#[ignore = "takes minutes"]
fn the_kernel_accepts_every_example() {
    let Some(library) = library() else { return };
    let folder = TempDir::new().expect("a folder");
    let mut files: Vec<PathBuf> =
        fs::read_dir(example("")).expect("examples").map(|it| it.expect("a file").path()).collect();
    files.retain(|file| file.extension().is_some_and(|it| it == "cub"));
    files.sort();
    let (mut accepted, mut others) = (0, Vec::new());
    for (number, file) in files.iter().enumerate() {
        let certificate = folder.path().join(format!("certificate{number}"));
        let output = Command::new(env!("CARGO_BIN_EXE_cubicle"))
            .args(["--quiet", "--time-limit", "60s", "--coq", "--certificate"])
            .args([certificate.as_os_str(), file.as_os_str()])
            .output()
            .expect("the program");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let Ok(theorem) = fs::read_to_string(certificate.join("coq/Theorem.v")) else {
            others.push(format!("{}: {}", file.display(), text.lines().last().unwrap_or("not safe")));
            continue;
        };
        let title = format!("Example{number}.v");
        fs::write(folder.path().join(&title), &theorem).expect("a file");
        let begin = std::time::Instant::now();
        let said = coqc(&library, folder.path(), &title);
        assert!(said.contains(CLOSED), "{}: {said}", file.display());
        println!("{}: {} bytes, {:.1} s", file.display(), theorem.len(), begin.elapsed().as_secs_f64());
        accepted += 1;
    }
    println!("{accepted} accepted; no theorem:\n{}", others.join("\n"));
    assert!(accepted >= 50, "{accepted}");
}

/// What has no theorem in Coq is refused by name.
#[test]
fn what_has_no_theorem_is_named() {
    let folder = TempDir::new().expect("a folder");
    let output = Command::new(env!("CARGO_BIN_EXE_cubicle"))
        .args(["--quiet", "--crash", "stop", "--coq", "--certificate"])
        .args([folder.path().join("certificate").as_os_str(), example("mutex.cub").as_os_str()])
        .output()
        .expect("the program");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{errors}");
    assert!(errors.contains("C0801") && errors.contains("processes that fail"), "{errors}");
}

/// 17 kinds of changes to certificates and models. A few of the changed ones are still proofs: of cubes that nothing needs, of models
/// that are still safe. Without a hint, or with a wrong sum, none is.
fn forged(of_each: usize) {
    let Some(library) = library() else { return };
    let folder = TempDir::new().expect("a folder");
    let models = [
        ("mutex.cub", "Mutex"),
        ("german.cub", "German"),
        ("bakery.cub", "Bakery"),
        ("live_ticket.cub", "Ticket"),
        ("two_phase_count.cub", "Count"),
        ("lease.cub", "Lease"),
    ];
    let modules: String =
        models.iter().map(|(name, title)| module(name, title, "Theorem model_is_safe")).collect();
    let text = include_str!("Forged.v")
        .replace("(* The models. *)", &modules)
        .replace("firstn 8", &format!("firstn {of_each}"));
    fs::write(folder.path().join("Forged.v"), text).expect("a file");
    let said = coqc(&library, folder.path(), "Forged.v");
    let numbers: Vec<usize> = said
        .split(|it: char| !it.is_ascii_digit())
        .filter(|it| !it.is_empty())
        .map(|it| it.parse().expect("digits"))
        .collect();
    assert!(said.trim_start().starts_with("= true"), "{said}");
    // In the last pair, two of the certificates are those of the model itself.
    let (kinds, others) = numbers.split_last_chunk::<2>().expect("a pair");
    assert_eq!(*others, [12, 10], "{said}");
    let kinds: Vec<(usize, usize)> = kinds.chunks(2).map(|it| (it[0], it[1])).collect();
    assert_eq!(kinds.len(), 17, "{said}");
    let refused: usize = kinds.iter().map(|it| it.1).sum();
    println!("{refused} refused: {kinds:?}");
    assert!(refused >= 25 * of_each && kinds.iter().all(|it| it.1 > 0), "{said}");
    for certain in [3, 6, 7, 9] {
        assert_eq!(kinds[certain].0, kinds[certain].1, "{said}");
    }
}

#[test]
fn forged_certificates_are_refused() {
    forged(1);
}

#[test]
#[ignore = "takes a minute"]
fn forged_certificates_are_refused_of_all_kinds() {
    forged(8);
}
