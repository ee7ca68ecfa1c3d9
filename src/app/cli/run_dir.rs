//! `--run-dir DIR`: everything about a run in a folder of its own, to be attached to a report; also without it, what belongs to the
//! report of a bug: a model, and the proof about it that the checker refuses.

use std::fs::File;
use std::path::{Path, PathBuf};

use cubicle_certificate::{Certificate, INVARIANTS};
use cubicle_lang::diagnostic::Source;
use cubicle_lang::model::System;
use cubicle_report::document::{Document, Head, Written};
use cubicle_run::Report;
use cubicle_solver::smt;
use cubicle_tools::itf;

use super::document::sha256;
use super::failure::{Failure, cannot};
use super::output::copy_errors;
use super::{files, outputs};

/// At most this many questions to Z3 are kept.
const MOST_QUERIES: usize = 10;

/// At most this many traces are written.
const MOST_TRACES: usize = 20;

pub struct RunDir {
    path: PathBuf,
}

impl RunDir {
    /// Makes the folder, which is empty if there is one, and begins to fill it: from now on, messages are copied to it.
    /// Results are to be copied to the file that is returned.
    pub fn create(path: &Path, head: &Head) -> Result<(Self, File), Failure> {
        files::make_folder(path)?;
        if path.read_dir().map_err(files::unmade(path))?.next().is_some() {
            let why = format!("{} is not empty: --run-dir needs a folder of its own", path.display());
            return Err(Failure::internal(why));
        }
        let this = Self { path: path.to_owned() };
        this.write("command.txt", &command(head))?;
        copy_errors(this.file("stderr.txt")?);
        smt::record_queries(MOST_QUERIES);
        let output = this.file("stdout.txt")?;
        Ok((this, output))
    }

    /// The folder for what the checker refused.
    pub fn refused(&self) -> PathBuf {
        self.path.join("refused")
    }

    /// Keeps the certificates of a run, which are about `model`, and its first traces, which are about `system`.
    pub fn keep(
        &self,
        model: &System,
        system: &System,
        source: &Source<'_>,
        found: &Report,
        certificates: &Certificates,
    ) -> Result<(), Failure> {
        for (number, text) in (1..=MOST_TRACES).zip(traces(system, source, found)) {
            let name = files::numbered(Path::new("trace.json"), number);
            files::write(&self.path.join(name), &text)?;
        }
        certificates.write(&self.path.join("certificate"), model, false)
    }

    /// Completes the folder with the document of the run and the hardest questions to Z3.
    pub fn finish(&self, document: &Document) -> Result<(), Failure> {
        let queries = smt::hardest_queries();
        if !queries.is_empty() {
            files::make_folder(&self.path.join("smt"))?;
        }
        for query in queries {
            let seconds = query.time.as_secs_f64();
            let name = format!("smt/{}.smt2", &sha256(query.text.as_bytes())[..16]);
            self.write(&name, &format!("; {}, after {seconds:.3} s\n{}", query.answer, query.text))?;
        }
        self.write("run.json", &document.text())
    }

    pub fn write(&self, name: &str, text: &str) -> Result<(), Failure> {
        files::write(&self.path.join(name), text)
    }

    fn file(&self, name: &str) -> Result<File, Failure> {
        let path = self.path.join(name);
        File::create(&path).map_err(files::unwritten(&path))
    }
}

/// The text of each trace of a run, those of properties of runs last.
pub fn traces(system: &System, source: &Source<'_>, found: &Report) -> impl Iterator<Item = String> {
    let traces = found.traces().map(|trace| itf::write(system, trace, source));
    let runs = found.temporal.iter().filter_map(|it| Some((it.property, it.found.as_ref()?)));
    traces.chain(runs.map(|(property, run)| itf::write_run(system, property, run, source)))
}

pub fn page_in(folder: &Path) -> PathBuf {
    folder.join("report.html")
}

/// The folder of the certificates of properties of runs, in that of a certificate.
pub const RUNS: &str = "runs";

#[derive(Default)]
pub struct Certificates {
    /// That no bad state is reached.
    pub states: Option<Certificate>,
    /// Of properties of runs, each with its number in the model, from 1.
    pub runs: Vec<(usize, Certificate)>,
}

impl Certificates {
    /// Writes them to a folder, those of properties of runs in folders of their own; `force`: also over files that this
    /// program did not write.
    pub fn write(&self, folder: &Path, system: &System, force: bool) -> Result<(), Failure> {
        if let Some(certificate) = &self.states {
            write_certificate(folder, system, certificate, force)?;
        }
        for (number, certificate) in &self.runs {
            let property = certificate.subject().property().unwrap_or_default();
            let name = property.replace(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_', "_");
            let folder = folder.join(RUNS).join(format!("{number:03}-{name}"));
            write_certificate(&folder, system, certificate, force)?;
        }
        Ok(())
    }
}

/// Writes the invariant and the obligations of a certificate to a folder; `force`: also over files that this program did not
/// write.
pub fn write_certificate(
    folder: &Path,
    system: &System,
    certificate: &Certificate,
    force: bool,
) -> Result<(), Failure> {
    files::make_folder(folder)?;
    let write = if force { files::write } else { outputs::write_own };
    write(&folder.join(INVARIANTS), &certificate.invariants(system))?;
    for script in certificate.scripts(system) {
        write(&folder.join(script.name), &script.text)?;
    }
    Ok(())
}

/// The command line for a shell, and what ran it.
fn command(head: &Head) -> String {
    let words: Vec<String> = head.origin.command.iter().map(|word| quoted(word)).collect();
    let tool = &head.origin.tool;
    format!(
        "{}\n\n{} {}\nZ3 {}\n{} {}\n",
        words.join(" "),
        tool.name,
        tool.version,
        tool.z3,
        std::env::consts::OS,
        std::env::consts::ARCH
    )
}

/// A word as a POSIX shell reads it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Writes the text of the model, and what the checker refused, to the folder of the run or a new one among the temporary files of the system. The
/// error says where they are; there is none when nothing was refused.
pub fn keep(model: &str, refused: &[String], run_dir: Option<&RunDir>) -> Result<(), Failure> {
    if refused.is_empty() {
        return Ok(());
    }
    let folder = match run_dir {
        Some(run_dir) => run_dir.refused(),
        None => temporary()?,
    };
    files::make_folder(&folder)?;
    files::write(&folder.join("model.cub"), model)?;
    for (number, invariants) in (1..).zip(refused) {
        files::write(&files::numbered(&folder.join(INVARIANTS), number), invariants)?;
    }
    Err(Failure::internal(format!(
        "internal error: the checker refuses a proof that the engines found. This is a bug of cubicle, not of your model. Please report it \
         with the files in {}",
        folder.display()
    )))
}

/// A new folder, which stays.
fn temporary() -> Result<PathBuf, Failure> {
    let made = tempfile::Builder::new().prefix("cubicle-refused-").tempdir();
    let cannot = cannot("the checker refuses a proof, and no folder can be made for a report");
    made.map(tempfile::TempDir::keep).map_err(cannot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_a_shell() {
        for (word, shown) in
            [("--seed=3", "--seed=3"), ("", "''"), ("At[p] = A", "'At[p] = A'"), ("it's", "'it'\\''s'")]
        {
            assert_eq!(quoted(word), shown);
        }
    }

    #[test]
    fn what_was_refused_is_written_and_the_error_says_where() {
        assert_eq!(keep("var X : bool", &[], None), Ok(()));
        let refused = ["invariant () { X = True }".to_owned(), "owner".to_owned()];
        let failure = keep("var X : bool", &refused, None).unwrap_err();
        assert_eq!(failure.code, 4);
        assert!(failure.error.contains("bug of cubicle"), "{failure}");
        let folder = PathBuf::from(failure.error.split(" with the files in ").nth(1).expect("a path"));
        let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(text("model.cub"), "var X : bool");
        assert_eq!(text("invariants.cub"), refused[0]);
        assert_eq!(text("invariants.2.cub"), refused[1]);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
