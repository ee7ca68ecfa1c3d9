//! Other model checkers on an exported instance: rumur, SPIN and Z3.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The result of one tool for an instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    pub states: u64,
    pub safe: bool,
}

fn tool(folder: &Path, line: &str) -> Output {
    let words: Vec<&str> = line.split(' ').collect();
    let program = if words[0].starts_with("./") { folder.join(words[0]) } else { words[0].into() };
    let output = Command::new(program).args(&words[1..]).current_dir(folder).stdin(Stdio::null()).output();
    output.unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// Runs `line`, which must succeed.
fn build(folder: &Path, line: &str) {
    let output = tool(folder, line);
    let said = || format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{line}: {}", said());
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// With this reduction of states that differ in the names of processes: `off` or `exhaustive`.
pub fn rumur(text_of_model: &str, reduction: &str) -> Answer {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str, model: &str| {
        fs::write(folder.path().join(format!("{name}.m")), model).unwrap();
        let flags = "--deadlock-detection off --threads 1 --max-errors 1 --symmetry-reduction";
        build(folder.path(), &format!("rumur {flags} {reduction} {name}.m -o {name}.c"));
        build(folder.path(), &format!("gcc -O0 -w -mcx16 {name}.c -o {name} -lpthread"));
        let output = tool(folder.path(), &format!("./{name}"));
        (output.status.success(), text(&output.stdout))
    };
    let (safe, _) = run("properties", text_of_model);
    // rumur does not expand states in which an invariant fails: states are counted without invariants.
    let end = text_of_model.find("\ninvariant ").unwrap_or(text_of_model.len());
    let (complete, said) = run("states", &text_of_model[..end]);
    assert!(complete, "{said}");
    let states = said.lines().find_map(|line| line.trim().split_once(" states, "));
    Answer { states: states.unwrap_or_else(|| panic!("{said}")).0.parse().unwrap(), safe }
}

pub fn spin(text_of_model: &str) -> Answer {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("model.pml"), text_of_model).unwrap();
    // Without -o2, variables that are never read are not part of a state; with -c0, a failing assertion does not end the search.
    build(folder.path(), "spin -o2 -a model.pml");
    build(folder.path(), "gcc -O0 -w -DSAFETY pan.c -o pan");
    let said = text(&tool(folder.path(), "./pan -m1000000 -n -c0").stdout);
    assert!(!said.contains("max search depth too small") && !said.contains("out of memory"), "{said}");
    let states = said.lines().find_map(|line| line.trim().strip_suffix(" states, stored"));
    let states: u64 = states.unwrap_or_else(|| panic!("{said}")).trim().parse().unwrap();
    let first = u64::from(text_of_model.contains("one state more"));
    Answer { states: states - first, safe: said.contains("errors: 0\n") }
}

pub fn z3(clauses: &str) -> Option<bool> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("clauses.smt2"), clauses).unwrap();
    let said = text(&tool(folder.path(), "z3 -T:20 clauses.smt2").stdout);
    match said.trim() {
        "sat" => Some(true),
        "unsat" => Some(false),
        "timeout" | "unknown" => None,
        other => panic!("{other}"),
    }
}
