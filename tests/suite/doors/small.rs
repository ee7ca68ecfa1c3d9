//! `shrink`: the reduced model still shows the symptom.

use std::fs;

use super::graph::explore;
use super::instance::Failures;
use super::program::{cubicle, text};
use super::reader::read;
use super::{Case, Checked, differ};

pub fn shrunk(case: &Case<'_>) -> Checked {
    let mut model = case.model.clone();
    model.runs.clear();
    model.fairness.clear();
    let back = read(&model.to_string());
    if back.is_none_or(|back| back.to_string() != model.to_string()) {
        return differ("a model does not read back", model.to_string());
    }
    let graph = case.graph(2, Failures::None);
    if !graph.is_some_and(|graph| graph.complete && graph.bad()) {
        return Ok(false);
    }
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("m.cub"), model.to_string()).expect("a model");
    let words = ["shrink", "--tries", "10", "--keep", "exit=1", "m.cub", "--", "--only-forward"];
    let output = cubicle(folder.path(), &[words.as_slice(), &["--procs", "2"]].concat());
    let small = text(&output.stdout);
    if !matches!(output.status.code(), Some(0 | 3)) {
        let detail = format!("{:?}\n{small}{}", output.status, text(&output.stderr));
        return differ("a bad state cannot be shrunk", detail);
    }
    let Some(small_model) = read(&small) else { return differ("a shrunk model is not read", small) };
    // A number without an initial value has more values than are tried.
    if !small_model.numbers_are_given() {
        return Ok(false);
    }
    match explore(&small_model, 2, Failures::None, 5_000) {
        Some(graph) if graph.complete && !graph.bad() => differ("a shrunk model shows nothing", small),
        graph => Ok(graph.is_some()),
    }
}
