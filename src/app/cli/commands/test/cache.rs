//! Results that are kept from one run of the command to the next.
//!
//! A folder for each result, named by the hash of all that it depends on: the program, the options, the text of the model. It has the
//! document of the run, the certificate of a proof, and the trace of another verdict, which `--recheck` verifies. A verdict without
//! an answer is not kept, nor is one that the clock may have decided.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use cubicle_run::interrupt::Interrupt;
use cubicle_run::named::Named;
use cubicle_run::result::Conclusion;
use serde_json::Value;
use tempfile::TempDir;

use super::plan::{PlannedModel, PlannedRun};
use super::verdict::shown_by;
use crate::cli::child::{self, ChildEnd};
use crate::cli::document::sha256;
use crate::cli::failure::Failure;
use crate::cli::files;
use crate::cli::quantities::crash_words;
use crate::cli::run_dir::RUNS;
use crate::cli::{exit, version};

/// The first word of the document's file, and the version of its form; the hash of the rest follows.
const MAGIC: &str = "cubicle-test 1";

/// The files of an entry.
const DOCUMENT: &str = "run.json";
const TRACE: &str = "trace.json";
const CERTIFICATE: &str = "certificate";

/// What the evidence for a kept result says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verified {
    /// It shows the result.
    Shown,
    /// It does not.
    NotShown,
    /// There is none that shows all of it.
    Unproved,
}

/// Kept results.
pub struct Cache {
    folder: PathBuf,
    /// Results that were used.
    pub used: AtomicUsize,
    /// Of these, verified.
    pub verified: AtomicUsize,
}

impl Cache {
    /// The results in a folder, which is made.
    pub fn open(folder: &Path) -> Result<Self, Failure> {
        files::probe_folder(folder)?;
        files::make_folder(folder)?;
        Ok(Self { folder: folder.to_owned(), used: AtomicUsize::new(0), verified: AtomicUsize::new(0) })
    }

    /// The folder of a result.
    fn entry(&self, model: &PlannedModel, run: &PlannedRun) -> PathBuf {
        let mut all = Vec::new();
        let words = run.words.iter().map(String::as_bytes);
        for part in std::iter::once(version::long().as_bytes()).chain(words).chain([model.text.as_bytes()]) {
            all.extend_from_slice(&(part.len() as u64).to_le_bytes());
            all.extend_from_slice(part);
        }
        self.folder.join(sha256(&all))
    }

    /// The document of an earlier run, if it is intact.
    pub fn recall(&self, model: &PlannedModel, run: &PlannedRun) -> Option<Value> {
        let text = fs::read_to_string(self.entry(model, run).join(DOCUMENT)).ok()?;
        let (head, body) = text.split_once('\n')?;
        if head != format!("{MAGIC} {}", sha256(body.as_bytes())) {
            return None;
        }
        serde_json::from_str(body).ok()
    }

    /// A folder for the files of a run that may be kept.
    pub fn scratch(&self) -> Result<TempDir, Failure> {
        let made = tempfile::Builder::new().prefix(".cubicle-").tempdir_in(&self.folder);
        made.map_err(files::unmade(&self.folder))
    }

    /// Keeps a result, if it may be kept. Its files are in `scratch`.
    pub fn keep(
        &self,
        model: &PlannedModel,
        run: &PlannedRun,
        scratch: TempDir,
        document: &Value,
    ) -> Result<(), Failure> {
        if !may_be_kept(document) {
            return Ok(());
        }
        let body = document.to_string();
        let text = format!("{MAGIC} {}\n{body}", sha256(body.as_bytes()));
        files::write(&scratch.path().join(DOCUMENT), &text)?;
        let entry = self.entry(model, run);
        self.remove(model, run)?;
        let made = scratch.keep();
        match fs::rename(&made, &entry) {
            Ok(()) => Ok(()),
            Err(error) => {
                let _ = fs::remove_dir_all(&made);
                // Another process was first, whose result is as good.
                if entry.exists() { Ok(()) } else { Err(files::unwritten(&entry)(error)) }
            }
        }
    }

    /// Removes a kept result, if there is one.
    fn remove(&self, model: &PlannedModel, run: &PlannedRun) -> Result<(), Failure> {
        let entry = self.entry(model, run);
        if !entry.exists() {
            return Ok(());
        }
        fs::remove_dir_all(&entry).map_err(files::unwritten(&entry))
    }

    /// Verifies a kept result by its certificate or its run, and removes it unless that shows it. `None` when `interrupt` ended
    /// the check.
    pub fn verify(
        &self,
        model: &PlannedModel,
        run: &PlannedRun,
        document: &Value,
        interrupt: &Interrupt,
    ) -> Result<Option<Verified>, Failure> {
        let entry = self.entry(model, run);
        let conclusion = document["verdict"].as_str().and_then(Conclusion::by_name);
        let file = files::argument(&model.path).into_os_string();
        let mut words: Vec<OsString> = match conclusion {
            Some(Conclusion::Safe) if proves_all(document, &entry.join(CERTIFICATE)) => {
                vec!["check-certificate".into(), file, entry.join(CERTIFICATE).into()]
            }
            Some(
                Conclusion::Unsafe
                | Conclusion::InvariantRefuted
                | Conclusion::Violated
                | Conclusion::Deadlock,
            ) => vec!["replay".into(), file, entry.join(TRACE).into()],
            _ => {
                self.remove(model, run)?;
                return Ok(Some(Verified::Unproved));
            }
        };
        if conclusion != Some(Conclusion::Safe) {
            words.extend(run.args.ltl.iter().flat_map(|formula| ["--ltl".into(), formula.into()]));
        }
        words.extend(run.args.crash.iter().flat_map(|it| ["--crash".into(), crash_words(*it).into()]));
        let Some(ChildEnd { code, stdout, .. }) = child::call(&words, interrupt)? else { return Ok(None) };
        let what = conclusion.and_then(|it| shown_by(document, it)["ends_in"].as_str());
        if code == Ok(exit::OK) && what.is_none_or(|what| stdout.contains(what)) {
            self.verified.fetch_add(1, Ordering::Relaxed);
            return Ok(Some(Verified::Shown));
        }
        self.remove(model, run)?;
        Ok(Some(Verified::NotShown))
    }
}

/// The options by which a run leaves what shows its verdict in `folder`; none when it only reads the model.
pub fn evidence(run: &PlannedRun, folder: &Path) -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    if !run.args.type_only && run.args.show_transformed.is_none() {
        words.extend(["--trace-out".into(), folder.join(TRACE).into()]);
        if !run.args.only_forward && !run.args.trust_invariants && !run.args.unchecked {
            words.extend(["--certificate".into(), folder.join(CERTIFICATE).into()]);
        }
    }
    words
}

/// Whether the wish for a certificate may be why a run has no answer: it is to be made again without.
pub fn may_lack_proof(end: &ChildEnd) -> bool {
    let document: Value = serde_json::from_str(&end.stdout).unwrap_or_default();
    matches!(document["reason"]["kind"].as_str(), Some("uncertified" | "time" | "memory" | "solver"))
}

/// Whether a result is the same in each run, and an answer.
fn may_be_kept(document: &Value) -> bool {
    let conclusion = document["verdict"].as_str().and_then(Conclusion::by_name);
    let by_clock = matches!(document["cause"].as_str(), Some("time" | "memory"));
    !by_clock
        && conclusion.is_some_and(|it| !matches!(it, Conclusion::Unknown | Conclusion::AssumptionRefuted))
}

/// Whether a certificate covers all that `safe` says: bad states, and each property of runs; deadlocks have none.
fn proves_all(document: &Value, certificate: &Path) -> bool {
    let properties = document["properties"].as_array().into_iter().flatten();
    let of_runs =
        properties.filter(|it| !matches!(it["kind"].as_str(), Some("unsafe" | "invariant"))).count();
    let shown = fs::read_dir(certificate.join(RUNS)).map_or(0, Iterator::count);
    certificate.is_dir() && document["deadlock"].is_null() && shown == of_runs
}
