//! Files that a flag asks for: they appear complete or not at all. Each that this program wrote carries a mark near its beginning, the
//! words "written by cubicle" in a comment, or what only our JSON has.

use std::fmt::Display;
use std::fs::{File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::exit;
use super::failure::{Failure, after_text, cannot};

/// Writes `text` under a temporary name beside `path`, then renames it.
pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    persist(path, text).map_err(unwritten(path))
}

/// Gives the file at `path`, or the one that a link there leads to, another content; its permissions stay.
pub fn replace(path: &Path, text: &str) -> Result<(), Failure> {
    replace_file(path, text).map_err(unwritten(path))
}

fn replace_file(path: &Path, text: &str) -> io::Result<()> {
    let path = path.canonicalize()?;
    let metadata = path.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file that can be replaced"));
    }
    // Replacing needs permission for the folder only; a read-only file stays.
    File::options().write(true).open(&path)?;
    put(&path, text, Some(metadata.permissions()))
}

/// Removes the traces from number `from` on at the paths of [`numbered`] ones: they are of another run. Returns
/// whether there was one at `path` itself. Devices, pipes and other files stay, also traces that other programs wrote.
pub fn remove_traces(path: &Path, from: usize) -> Result<bool, Failure> {
    let mut of_path = false;
    for number in from.. {
        let removed = remove_trace(&numbered(path, number))?;
        of_path |= removed && number == 1;
        if !removed && number > 1 {
            break;
        }
    }
    Ok(of_path)
}

/// Writes a run where it is asked for; without one, removes that of an earlier run, so that it is not mistaken for one of this.
pub fn write_trace(path: Option<&PathBuf>, text: Option<&str>) -> Result<(), Failure> {
    match (path, text) {
        (None, _) => Ok(()),
        (Some(path), Some(text)) => write(path, text),
        (Some(path), None) => remove_traces(path, 1).map(drop),
    }
}

fn remove_trace(path: &Path) -> Result<bool, Failure> {
    let is_file = path.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    if !is_file || !is_trace(&compact(&start_of(path))) {
        return Ok(false);
    }
    let removed = std::fs::remove_file(path);
    removed.map(|()| true).map_err(cannot(format!("cannot remove {}", path.display())))
}

/// Whether [`write()`] can be expected to succeed at `path`, before the work that its text takes. Leaves nothing
/// behind.
pub fn probe(path: &Path) -> Result<(), Failure> {
    probe_file(path).map_err(unwritten(path))
}

fn probe_file(path: &Path) -> io::Result<()> {
    match path.metadata() {
        Ok(metadata) if metadata.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        // Opening a pipe waits for its reader, and what a device takes only writing shows.
        Ok(metadata) if !metadata.is_file() => Ok(()),
        // On most systems this file never has a name.
        _ => tempfile::tempfile_in(folder_of(path)).map(drop),
    }
}

/// As [`probe`], for files in `folder`, which need not exist.
pub fn probe_folder(folder: &Path) -> Result<(), Failure> {
    let nearest = folder.ancestors().find(|ancestor| ancestor.as_os_str().is_empty() || ancestor.exists());
    let nearest = nearest.filter(|at| !at.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !nearest.is_dir() {
        return Err(unmade(folder)(io::ErrorKind::NotADirectory.into()));
    }
    tempfile::tempfile_in(nearest).map(drop).map_err(unmade(folder))
}

/// Makes a folder with those above it, unless it is there.
pub fn make_folder(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(unmade(folder))
}

/// The failure that a folder cannot be made.
pub fn unmade(folder: &Path) -> impl Fn(io::Error) -> Failure {
    cannot(format!("cannot make the folder {}", folder.display()))
}

/// The failure that a file cannot be written.
pub fn unwritten<E: Display>(path: &Path) -> impl Fn(E) -> Failure {
    cannot(format!("cannot write {}", path.display()))
}

/// The failure that a file or a folder cannot be read.
pub fn unread(path: &Path) -> impl Fn(io::Error) -> Failure {
    move |error| Failure::usage(format!("cannot read {}: {error}", path.display()))
}

/// The folder that holds the file at `path`.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The path of file number `number` of several, counted from 1: `trace.json`, `trace.2.json`, `trace.3.json`, ..
pub fn numbered(path: &Path, number: usize) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!(".{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// A path as a word of a command line, which no option looks like.
pub fn argument(path: &Path) -> PathBuf {
    let is_like_option = path.as_os_str().as_encoded_bytes().starts_with(b"-");
    if is_like_option { Path::new(".").join(path) } else { path.to_owned() }
}

fn persist(path: &Path, text: &str) -> io::Result<()> {
    // A device or a pipe cannot be replaced by a file.
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return std::fs::write(path, text);
    }
    put(path, text, None)
}

/// Puts a file there, with these permissions, or those that any new file gets.
fn put(path: &Path, text: &str, permissions: Option<Permissions>) -> io::Result<()> {
    // The mask of the process applies to these.
    let new = permissions.clone().unwrap_or_else(|| Permissions::from_mode(0o666));
    let mut builder = tempfile::Builder::new();
    let mut file = builder.prefix(".cubicle-").permissions(new).tempfile_in(folder_of(path))?;
    file.write_all(text.as_bytes())?;
    permissions.map_or(Ok(()), |it| file.as_file().set_permissions(it))?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// Writes `text` to a file or standard output; the exit code.
pub fn text_to(path: Option<&Path>, text: &str) -> Result<u8, Failure> {
    path.map_or_else(|| Ok(after_text(text)), |path| write(path, text).map(|()| exit::OK))
}

/// How much of a file is read to know what it is, in bytes.
const HEAD_BYTES: u64 = 4096;

/// In lower case, what our texts contain near their beginning: comments; manual pages; lemmas and
/// certificates, also those of earlier versions.
const MARKS: [&str; 4] =
    ["written by cubicle", ".th cubicle", "cubicle --lemmas-in`", "`cubicle check-certificate"];

/// The beginning of a file in lower case; empty for one that cannot be read.
fn start_of(path: &Path) -> String {
    let mut start = Vec::new();
    match File::open(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut start)) {
        Ok(_) => String::from_utf8_lossy(&start).to_ascii_lowercase(),
        Err(_) => String::new(),
    }
}

/// The same without blanks.
fn compact(text: &str) -> String {
    text.split_ascii_whitespace().collect()
}

/// Whether this program wrote a file.
pub fn is_ours(path: &Path) -> bool {
    let text = start_of(path);
    let compact = compact(&text);
    MARKS.iter().any(|mark| text.contains(mark)) || is_document(&compact) || is_trace(&compact)
}

/// Whether a text without blanks begins a document of a run.
fn is_document(compact: &str) -> bool {
    compact.starts_with('{') && compact.contains("\"tool\":{\"name\":\"cubicle\"")
}

/// Whether a text without blanks begins a trace in ITF that this program wrote: others do not say how many processes.
fn is_trace(compact: &str) -> bool {
    compact.starts_with("{\"#meta\":{\"format\":\"itf\"") && compact.contains(",\"processes\":")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_comes_before_the_extension() {
        for (path, number, is) in [
            ("a/trace.json", 1, "a/trace.json"),
            ("a/trace.json", 2, "a/trace.2.json"),
            ("trace.itf.json", 3, "trace.itf.3.json"),
            ("a.b/trace", 12, "a.b/trace.12"),
            (".trace", 2, ".trace.2"),
        ] {
            assert_eq!(numbered(Path::new(path), number), Path::new(is));
        }
    }
}
