//! Which files a run may overwrite: none that it also reads or writes, and none that another program or a person wrote.
//!
//! A regular file that has content and no mark of this program is replaced only with `--force`.

use std::fs::{File, Metadata};
use std::io::{stderr, stdin, stdout};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::failure::Failure;
use super::files;
use super::files::is_ours;

/// A file of a run: the option that names it, or its role in the run; and its path.
pub type NamedFile = (&'static str, PathBuf);

/// Whether a run that reads `inputs` may write `outputs`, where `force` says that files that others wrote may be replaced. An
/// input `-` is standard input.
pub fn check(inputs: &[NamedFile], outputs: &[NamedFile], force: bool) -> Result<(), Failure> {
    let mut taken: Vec<(Identity, String)> = Vec::new();
    for (what, path) in inputs {
        let of_stdin = || metadata_of(&stdin());
        let metadata = if path.as_os_str() == "-" { of_stdin() } else { path.metadata().ok() };
        taken.extend(metadata.and_then(|it| Identity::of_existing(&it)).map(|id| (id, format!("is {what}"))));
    }
    for (name, metadata) in [("output", metadata_of(&stdout())), ("error", metadata_of(&stderr()))] {
        let id = metadata.and_then(|it| Identity::of_existing(&it));
        taken.extend(id.map(|id| (id, format!("gets standard {name}"))));
    }
    for (option, path) in outputs {
        let Some(id) = Identity::of_output(path) else { continue };
        let path = path.display();
        if let Some((_, why)) = taken.iter().find(|(other, _)| *other == id) {
            return Err(Failure::usage(format!("{option} {path}: the same file {why}; choose another one")));
        }
        taken.push((id, format!("is that of {option}")));
    }
    match outputs.iter().find(|(_, path)| !force && is_foreign(path)) {
        None => Ok(()),
        Some((option, path)) => Err(Failure::usage(format!(
            "{option} {}: {FOREIGN}; choose another one, or replace it with --force",
            path.display()
        ))),
    }
}

/// As [`check`], of a run that reads this file and writes one, if any, for an option.
pub fn check_one(
    (what, input): (&'static str, &PathBuf),
    option: &'static str,
    output: Option<&PathBuf>,
    force: bool,
) -> Result<(), Failure> {
    check(&[(what, input.clone())], output.map(|path| (option, path.clone())).as_slice(), force)
}

/// What is said about a file that stays.
const FOREIGN: &str = "this file was not written by cubicle";

/// Whether something stands at `path` that may not be replaced: not an empty file, a device or a pipe, or what this program
/// wrote.
fn is_foreign(path: &Path) -> bool {
    path.metadata().is_ok_and(|it| it.is_file() && it.len() > 0) && !is_ours(path)
}

/// Like [`files::write`], but keeps a file that this program did not write.
pub fn write_own(path: &Path, text: &str) -> Result<(), Failure> {
    if is_foreign(path) {
        return Err(Failure::internal(format!("{}: {FOREIGN}, and is not replaced", path.display())));
    }
    files::write(path, text)
}

/// Those of the numbered files beside `path` that exist, from the second on.
pub fn further(path: &Path) -> impl Iterator<Item = PathBuf> {
    (2..).map(|number| files::numbered(path, number)).take_while(|path| path.exists())
}

/// Which file a path leads to.
#[derive(PartialEq, Eq, Debug)]
enum Identity {
    /// Device and inode.
    File(u64, u64),
    /// One that does not exist yet: device and inode of its folder, and its name.
    New(u64, u64, std::ffi::OsString),
}

impl Identity {
    /// Of a regular file.
    fn of_existing(metadata: &Metadata) -> Option<Self> {
        metadata.is_file().then(|| Self::File(metadata.dev(), metadata.ino()))
    }

    /// Of what will stand at `path`; `None` for devices, pipes, and where nothing can stand.
    fn of_output(path: &Path) -> Option<Self> {
        if let Ok(metadata) = path.metadata() {
            return Self::of_existing(&metadata);
        }
        let folder = files::folder_of(path).metadata().ok()?;
        Some(Self::New(folder.dev(), folder.ino(), path.file_name()?.to_owned()))
    }
}

fn metadata_of(stream: &impl AsFd) -> Option<Metadata> {
    File::from(stream.as_fd().try_clone_to_owned().ok()?).metadata().ok()
}
