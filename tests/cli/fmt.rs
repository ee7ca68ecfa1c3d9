//! `cubicle fmt`: what it changes, keeps and reports.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use tempfile::TempDir;

use crate::harness::{run, run_stdin, run_words};

const UGLY: &str = "var X:int (* c *)\ninit{X=0}\n\n\nunsafe{X=1}";
const NEAT: &str = "var X : int (* c *)\ninit { X = 0 }\n\nunsafe { X = 1 }\n";

#[test]
fn standard_input_goes_to_standard_output() {
    for line in ["fmt", "fmt -"] {
        let outcome = run_stdin(line, UGLY.as_bytes());
        assert_eq!((outcome.code, outcome.stdout.as_str(), outcome.stderr.as_str()), (Some(0), NEAT, ""));
    }
    let outcome = run_stdin("fmt --check -", UGLY.as_bytes());
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), "<stdin>\n"));
    assert_eq!(run_stdin("fmt --check", NEAT.as_bytes()).code, Some(0));
    let outcome = run_stdin("fmt", b"var X int");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""));
    assert!(outcome.stderr.contains("<stdin>:1:"), "{}", outcome.stderr);
    assert_eq!(run("fmt --chekc").code, Some(2));
}

#[test]
fn a_file_is_replaced_and_keeps_its_permissions_and_links() {
    let folder = TempDir::new().expect("a folder");
    let (file, link) = (folder.path().join("a.cub"), folder.path().join("link.cub"));
    fs::write(&file, UGLY).expect("a writable folder");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("permissions");
    symlink(&file, &link).expect("a link");
    let name = link.to_str().expect("a plain name");

    let outcome = run_words(&["fmt", "--check", name]);
    assert_eq!((outcome.code, outcome.stdout), (Some(1), format!("{name}\n")));
    assert_eq!(fs::read_to_string(&file).expect("the file"), UGLY);

    let outcome = run_words(&["fmt", name]);
    assert_eq!((outcome.code, outcome.stdout.as_str(), outcome.stderr.as_str()), (Some(0), "", ""));
    assert_eq!(fs::read_to_string(&file).expect("the file"), NEAT);
    assert_eq!(file.metadata().expect("a file").permissions().mode() & 0o777, 0o640);
    assert!(link.symlink_metadata().expect("a link").is_symlink());

    // A formatted file is not written again.
    let before = file.metadata().expect("a file").modified().expect("a time");
    assert_eq!(run_words(&["fmt", name]).code, Some(0));
    assert_eq!(file.metadata().expect("a file").modified().expect("a time"), before);
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
}

#[test]
fn a_file_with_errors_stays_and_the_others_do_not_suffer() {
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a plain name").to_owned();
    let (wrong, ugly, gone) = (path("wrong.cub"), path("ugly.cub"), path("gone.cub"));
    fs::write(&wrong, "var X:int var Y").expect("a writable folder");
    fs::write(&ugly, UGLY).expect("a writable folder");
    let outcome = run_words(&["fmt", &wrong, &gone, &ugly]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""));
    for what in ["error[C0", "wrong.cub:1:", "wrong.cub stays as it is", "cannot read"] {
        assert!(outcome.stderr.contains(what), "{what}: {}", outcome.stderr);
    }
    assert_eq!(fs::read_to_string(&wrong).expect("the file"), "var X:int var Y");
    assert_eq!(fs::read_to_string(&ugly).expect("the file"), NEAT);
    // The most severe result counts: errors before differences.
    fs::write(&ugly, UGLY).expect("a writable folder");
    let outcome = run_words(&["fmt", "--check", &ugly, &wrong]);
    assert_eq!((outcome.code, outcome.stdout), (Some(2), format!("{ugly}\n")));
}
