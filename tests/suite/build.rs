//! Detection of the machine and the source by `build/`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

#[path = "../../build/link.rs"]
mod link;
#[allow(dead_code, clippy::print_stdout, reason = "the build script has the rest")]
#[path = "../../build/source.rs"]
mod source;
use link::Linked;

fn links(compiler: &str, library: &str) -> Linked {
    let folder = tempfile::tempdir().expect("a folder");
    link::links(Command::new(compiler), folder.path(), &[], library)
}

#[test]
fn a_missing_library_or_compiler_is_found() {
    assert_eq!(links("cc", ""), Linked::Yes);
    assert_eq!(links("cc", "z3"), Linked::Yes);
    assert_eq!(links("cc", "no-such-library"), Linked::No);
    assert_eq!(links("no-such-compiler", "z3"), Linked::NoCompiler);
}

#[test]
fn a_missing_dependency_is_reported_with_its_install_command() {
    let text = link::text(&["a C++ compiler", "Z3"], "linux", true);
    assert!(
        text.starts_with("Cubicle cannot be linked here: a C++ compiler and Z3 are missing.\n"),
        "{text}"
    );
    assert!(
        text.contains("`./setup`") && text.contains("apt-get install -y g++ libz3-dev pkg-config"),
        "{text}"
    );
    let text = link::text(&["Z3"], "macos", false);
    assert!(text.contains("Z3 is missing") && text.contains("brew install z3 pkgconf"), "{text}");
    assert!(!text.contains("./setup"), "a package has no such script: {text}");
}

#[test]
fn the_commit_comes_from_a_package_or_from_git() {
    let hash = "0123456789abcdef0123456789abcdef01234567";
    let package = format!("{{\n  \"git\": {{\n    \"sha1\": \"{hash}\"\n  }},\n  \"path_in_vcs\": \"\"\n}}");
    assert_eq!(source::of_package(&package).as_deref(), Some("0123456789ab"));
    let changed = package.replace("\n  },", ",\n    \"dirty\": true\n  },");
    assert_eq!(source::of_package(&changed).as_deref(), Some("0123456789ab, with changes"));
    assert_eq!(source::of_package("{}"), None);

    let folder = tempfile::tempdir().expect("a folder");
    let (root, tree) = (folder.path().join("root"), folder.path().join("tree"));
    assert_eq!(source::head_log(&root), None);
    fs::create_dir_all(root.join(".git/logs")).expect("a folder");
    fs::create_dir_all(root.join(".git/worktrees/tree/logs")).expect("a folder");
    assert_eq!(source::head_log(&root), None, "git keeps no log there");
    fs::write(root.join(".git/logs/HEAD"), "").expect("a file");
    fs::write(root.join(".git/worktrees/tree/logs/HEAD"), "").expect("a file");
    assert_eq!(source::head_log(&root), Some(root.join(".git/logs/HEAD")));
    fs::create_dir_all(&tree).expect("a folder");
    fs::write(tree.join(".git"), "gitdir: ../root/.git/worktrees/tree\n").expect("a file");
    let log: Option<PathBuf> = source::head_log(&tree);
    assert_eq!(log, Some(tree.join("../root/.git/worktrees/tree/logs/HEAD")));
}

/// `cargo binstall` finds the archive of `.ci/release`, and the program in it.
#[test]
fn the_archive_of_a_release_is_found_by_its_name() {
    let read = |path: &str| fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path));
    // A package has no such script.
    let Ok(release) = read(".ci/release") else { return };
    let line = |start: &str| {
        let found = release.lines().map(str::trim).find(|line| line.starts_with(start));
        found.unwrap_or_else(|| panic!("no line begins with {start}"))
    };
    let name = line("name=").trim_start_matches("name=");
    let template =
        name.replace("cubicle", "{ name }").replace("$host", "{ target }").replace("$version", "{ version }");
    assert!(line("install ").ends_with("\"$target/dist/$name/cubicle\""), "{release}");
    assert!(line("gzip ").ends_with("\"$target/dist/$name.tar.gz\""), "{release}");
    let manifest = read("Cargo.toml").expect("a manifest");
    for expected in
        [format!("/{template}.tar.gz\"\n"), format!("bin-dir = \"{template}/{{ bin }}{{ binary-ext }}\"\n")]
    {
        assert!(manifest.contains(&expected), "{expected}");
    }
}
