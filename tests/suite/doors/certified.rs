//! `--certify`: the checker accepts proofs about systems with failures.

use std::fs;

use super::instance::Failures;
use super::program::{cubicle, text};
use super::{Case, Checked, differ};

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
    let words =
        ["-q", "--vacuity", "ignore", "--nodes", "300", "--engine", "classic", "--crash", how, "m.cub"];
    let plain = cubicle(folder.path(), &words);
    let certified = cubicle(folder.path(), &[words.as_slice(), &["--certify"]].concat());
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
