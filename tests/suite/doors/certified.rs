//! The checker accepts proofs about systems with failures.

use std::fs;

use super::instance::Failures;
use super::program::{cubicle, text};
use super::{Case, Checked, differ};

/// The exit code of a search that ended before it knew.
const INCONCLUSIVE: i32 = 3;

pub fn certified(case: &Case<'_>) -> Checked {
    let mut model = case.model.clone();
    model.runs.clear();
    model.fairness.clear();
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("m.cub"), model.to_string()).expect("a model");
    let (how, failures) = match case.seed / 2 % 3 {
        0 => ("stop", Failures::Stop(usize::MAX)),
        1 => ("stop:1", Failures::Stop(1)),
        _ => ("restart", Failures::Restart),
    };
    let words = "-q --vacuity ignore --nodes 300 --engine classic --time-limit 10s m.cub --crash";
    let words: Vec<&str> = words.split(' ').chain([how]).collect();
    let plain = cubicle(folder.path(), &[words.as_slice(), &["--unchecked"]].concat());
    if plain.status.code() == Some(INCONCLUSIVE) {
        return Ok(false);
    }
    let certified = cubicle(folder.path(), &words);
    // What was decided within the limit may need longer with its check.
    if certified.status.code() == Some(INCONCLUSIVE) {
        return Ok(false);
    }
    if plain.status.code() != certified.status.code() {
        let detail = format!("--crash {how}: {}{}", text(&certified.stdout), text(&certified.stderr));
        return differ("no certificate", format!("{:?}, {:?}\n{detail}", plain.status, certified.status));
    }
    let safe = certified.status.success();
    if safe && case.graphs(failures).any(|graph| graph.bad()) {
        return differ("certified, and not safe", format!("--crash {how}"));
    }
    Ok(safe)
}
