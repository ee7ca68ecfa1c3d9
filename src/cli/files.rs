//! Files that a flag asks for: they appear complete or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes `text` under a temporary name beside `path`, then renames it. The error is a line for the user.
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    persist(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Removes the file at `path`, which would be one of another run; devices and pipes stay. The error is a line for
/// the user.
pub fn remove(path: &Path) -> Result<(), String> {
    if !path.symlink_metadata().is_ok_and(|metadata| metadata.is_file()) {
        return Ok(());
    }
    std::fs::remove_file(path).map_err(|error| format!("cannot remove {}: {error}", path.display()))
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

fn persist(path: &Path, text: &str) -> io::Result<()> {
    // A device or a pipe cannot be replaced by a file.
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return std::fs::write(path, text);
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".cubicle-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The mask of the process applies, as to any file that it makes.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
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
