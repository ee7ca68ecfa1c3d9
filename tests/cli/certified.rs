//! Proofs that once had no certificate.

use std::fs;

use tempfile::TempDir;

use crate::harness::run;

/// Models whose invariants speak of thirds: a real number without decimal notation.
const FRACTIONS: &[(&str, &str)] = &[
    ("thirds", ""),
    ("405000471", ""),
    ("405000580", ""),
    ("407000042", "--engine pdr"),
    ("407000059", "--engine pdr"),
    ("407000059", "--engine classic"),
    ("407000086", ""),
    ("407000235", ""),
];

#[test]
fn fractions_have_words() {
    let folder = TempDir::new().unwrap();
    let (lemmas, proof) = (folder.path().join("lemmas.cub"), folder.path().join("proof"));
    for (name, engine) in FRACTIONS {
        let model = format!("tests/found3/certify_{name}.cub");
        let line = format!(
            "--quiet {engine} --certificate {} --lemmas-out {} {model}",
            proof.display(),
            lemmas.display()
        );
        let outcome = run(&line);
        assert_eq!(outcome.code, Some(0), "{name} {engine}: {outcome:?}");
        assert!(!outcome.stderr.contains("left out"), "{name}: {}", outcome.stderr);
        let checked = run(&format!("check-certificate {model} {}", proof.display()));
        assert_eq!(checked.code, Some(0), "{name} {engine}: {checked:?}");
        // All cubes are there, and are read as they were meant.
        let again = run(&format!("--quiet {engine} --certify --lemmas-in {} {model}", lemmas.display()));
        assert_eq!(again.code, Some(0), "{name} {engine}: {again:?}");
        assert!(!again.stderr.contains("left out"), "{name}: {}", again.stderr);
        fs::remove_dir_all(&proof).unwrap();
    }
}
