//! The manifest of a checkpoint: its model and options, its progress, and which files belong to it.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::agreement::agreement;
use crate::checkpoint::files::{MOST_TEXT, Part, checksum, read_text, write};
use crate::error::StorageError;
use crate::program::Program;
use cubicle_run::{Checkpoint, ForwardOptions};

const FORMAT: u32 = 6;

const FILE: &str = "manifest";

/// The first words of a manifest.
const TITLE: &str = "cubicle checkpoint";

/// The manifest of an exploration's checkpoint.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of the program that wrote it.
    pub tool: String,
    /// The arguments of the command line, to resume with.
    pub command: Vec<String>,
    /// The working directory of the run.
    pub started_in: String,
    /// The model, in canonical spelling.
    pub model: Part,
    /// What else the result depends on: options by name, and how states are packed.
    pub options: Vec<(String, String)>,
    /// The level that is to be expanded next.
    pub level: usize,
    /// States of all levels up to that one.
    pub states: usize,
    /// The file with everything else (see `course`).
    pub course: Part,
    /// How many explored together, if it was a cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<ClusterSizes>,
    /// What each owner of states wrote. In a cluster these are the workers, process by process; the files of process I are in the folder
    /// `process-I`, on its machine.
    pub members: Vec<OwnerParts>,
}

/// How many explored together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClusterSizes {
    /// Number of processes.
    pub processes: usize,
    /// Workers of each.
    pub workers: usize,
}

/// The files of one owner of states.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnerParts {
    /// Its states, level by level.
    pub states: Vec<Part>,
    /// How the states of the last level were found.
    pub waiting: Part,
}

impl OwnerParts {
    pub fn all(&self) -> impl Iterator<Item = &Part> {
        self.states.iter().chain([&self.waiting])
    }
}

impl Manifest {
    /// Whether a folder has a manifest.
    pub fn is_in(folder: &Path) -> bool {
        folder.join(FILE).exists()
    }

    /// Reads the manifest of the checkpoint in a folder, and no other file.
    ///
    /// # Errors
    /// There is no manifest, it has another format, or it is damaged.
    pub fn read(folder: &Path) -> Result<Self, StorageError> {
        let path = folder.join(FILE);
        if !path.exists() {
            let why = "it has no manifest (no level was finished, or this is the wrong folder)";
            return Err(StorageError(format!("there is no checkpoint in {}: {why}", folder.display())));
        }
        let text = read_text(&path)?;
        let wrong = |why: &str| StorageError(format!("cannot use {}: {why}", path.display()));
        let (title, body) = text.split_once('\n').ok_or_else(|| wrong("it ends too early"))?;
        let rest = title.strip_prefix(TITLE).ok_or_else(|| wrong("it is not a checkpoint manifest"))?;
        let mut words = rest.split_whitespace();
        let format = words.next().and_then(|word| word.parse::<u32>().ok());
        if format != Some(FORMAT) {
            return Err(wrong(&format!(
                "its format is {}, and this program knows {FORMAT}",
                format.map_or_else(|| "unknown".to_owned(), |format| format.to_string())
            )));
        }
        let sum = words.next().and_then(|word| u32::from_str_radix(word, 16).ok());
        if sum != Some(checksum(body.as_bytes())) {
            return Err(wrong("its checksum is wrong"));
        }
        serde_json::from_str(body).map_err(|why| wrong(&why.to_string()))
    }

    /// Writes it to the folder: from then on, the checkpoint is this one.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), StorageError> {
        write(folder, FILE, self.text().as_bytes()).map(drop)
    }

    /// How to resume from the checkpoint in a folder, for the user; `None` when there is no checkpoint.
    pub fn advice(folder: &Path) -> Option<String> {
        let Self { level, states, .. } = Self::read(folder).ok()?;
        Some(format!("`cubicle resume {}` goes on at depth {level}, with {states} states", folder.display()))
    }

    /// The contents of the file, with its checksum.
    pub(crate) fn text(&self) -> String {
        let body = serde_json::to_string_pretty(self).expect("it is made of texts and numbers");
        format!("{TITLE} {FORMAT} {:08x}\n{body}", checksum(body.as_bytes()))
    }

    /// The model of the checkpoint, in canonical spelling.
    ///
    /// # Errors
    /// It cannot be read, or it is damaged.
    pub fn model(&self, folder: &Path) -> Result<String, StorageError> {
        let bytes = self.model.open(folder, MOST_TEXT)?.rest()?;
        String::from_utf8(bytes)
            .map_err(|why| StorageError(format!("the model of the checkpoint is damaged: {why}")))
    }

    /// Checks that the checkpoint was made of the model with this text and by this version of the program; the error has the
    /// first difference.
    ///
    /// # Errors
    /// It was not, or it cannot be read.
    pub fn fits(&self, folder: &Path, of: &Checkpoint) -> Result<(), StorageError> {
        if self.tool != of.tool {
            return Err(StorageError(format!(
                "the checkpoint was written by version {} of the program, and this is {}",
                self.tool, of.tool
            )));
        }
        let known = self.model(folder)?;
        if known == of.model {
            return Ok(());
        }
        let (mut old, mut new) = (known.lines(), of.model.lines());
        let (old, new) = loop {
            match (old.next(), new.next()) {
                (Some(a), Some(b)) if a == b => {}
                (a, b) => break (a.unwrap_or("nothing"), b.unwrap_or("nothing")),
            }
        };
        Err(StorageError(format!(
            "the checkpoint is of another model: it has `{old}` where the model now has `{new}`"
        )))
    }

    /// Checks that it was made by an exploration with these options.
    pub(crate) fn has_options(&self, options: &[(String, String)]) -> Result<(), StorageError> {
        if self.options.len() != options.len() {
            return Err(StorageError("the checkpoint is of an exploration with other options".to_owned()));
        }
        for ((name, old), (wanted, new)) in self.options.iter().zip(options) {
            if name != wanted || old != new {
                return Err(StorageError(format!(
                    "the checkpoint is of another exploration: {name} is {old} there, and {wanted} is {new} here"
                )));
            }
        }
        Ok(())
    }
}

/// All that the result of an exploration depends on besides the model, by name.
pub fn options(program: &Program, options: &ForwardOptions) -> Vec<(String, String)> {
    let Program { cells, packing, instances, .. } = program;
    let layout = format!("{:?} {:?} {} {}", packing.fields, cells.classes, instances.len(), packing.words);
    let mut all = agreement(cells.procs, options);
    all.push(("the packing of states".to_owned(), format!("{:08x}", checksum(layout.as_bytes()))));
    all
}
