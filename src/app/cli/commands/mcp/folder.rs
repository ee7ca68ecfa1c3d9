//! The folder that a server may read: a file is opened from there name by name, so that neither `..` nor a symbolic link leads out of
//! it, whatever another process changes meanwhile.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags, open, openat};
use rustix::io::Errno;

use crate::cli::failure::Failure;
use crate::cli::input;

/// How folders on the way are opened.
const ON_THE_WAY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// How a file is opened: a pipe is not waited for.
const AT_THE_END: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

pub struct Folder {
    root: OwnedFd,
    /// Its path without links.
    path: PathBuf,
}

pub struct FolderFile {
    pub path: PathBuf,
    pub text: String,
}

impl Folder {
    /// The folder at `path`, which may be a link to it.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let unread = |error: io::Error| {
            Failure::usage(format!("--folder {}: it cannot be read: {error}", path.display()))
        };
        let path = path.canonicalize().map_err(unread)?;
        let root = open(&path, ON_THE_WAY, Mode::empty()).map_err(|error| unread(error.into()))?;
        Ok(Self { root, path })
    }

    /// Reads a file; the error says in a line why that is refused or impossible.
    pub fn read(&self, name: &str) -> Result<FolderFile, String> {
        let path = self.within(name).ok_or_else(|| {
            format!("{name} is outside of the folder that this server may read; name a file in it by its path there")
        })?;
        let refused = |part: &Path, error: Errno| match error {
            Errno::LOOP | Errno::MLINK => {
                format!("{}: it is a symbolic link, which is not followed", part.display())
            }
            error => format!("cannot read {}: {}", part.display(), io::Error::from(error)),
        };
        let (mut folder, mut part) = (None, PathBuf::new());
        let mut names = path.iter().peekable();
        while let Some(name) = names.next() {
            part.push(name);
            let flags = if names.peek().is_some() { ON_THE_WAY } else { AT_THE_END };
            let opened = openat(folder.as_ref().unwrap_or(&self.root), name, flags, Mode::empty());
            folder = Some(opened.map_err(|error| refused(&part, error))?);
        }
        let file = folder.map(File::from).ok_or_else(|| format!("{name} is not a file"))?;
        if !file.metadata().is_ok_and(|it| it.is_file()) {
            return Err(format!("{name} is not a file"));
        }
        let input = input::read_from(&path.display().to_string(), file).map_err(|failure| failure.error)?;
        Ok(FolderFile { path, text: input.text })
    }

    /// The path of a file within the folder; `None` when it is outside.
    fn within(&self, name: &str) -> Option<PathBuf> {
        let path = Path::new(name);
        let path = if path.is_absolute() { path.strip_prefix(&self.path).ok()? } else { path };
        let mut plain = PathBuf::new();
        for component in path.components() {
            match component {
                Component::Normal(name) => plain.push(name),
                Component::CurDir => {}
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        Some(plain)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn nothing_outside_is_read() {
        let outer = tempfile::tempdir().unwrap();
        let path = outer.path().join("models");
        std::fs::create_dir_all(path.join("in")).unwrap();
        for file in ["secret.cub", "models/a.cub", "models/in/b.cub"] {
            std::fs::write(outer.path().join(file), file).unwrap();
        }
        symlink("../secret.cub", path.join("link.cub")).unwrap();
        symlink("a.cub", path.join("inner.cub")).unwrap();
        symlink("..", path.join("up")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, path.join("pipe.cub"), Mode::RUSR | Mode::WUSR).unwrap();
        symlink(&path, outer.path().join("models link")).unwrap();
        let folder = Folder::open(&outer.path().join("models link")).unwrap();
        let text = |name: &str| folder.read(name).map(|it| it.text);
        assert_eq!(text("a.cub").as_deref(), Ok("models/a.cub"));
        assert_eq!(text("./in//b.cub").as_deref(), Ok("models/in/b.cub"));
        let absolute = path.canonicalize().unwrap().join("in/b.cub");
        assert_eq!(text(absolute.to_str().unwrap()).as_deref(), Ok("models/in/b.cub"));
        let secret = outer.path().join("secret.cub");
        for name in [
            "../secret.cub",
            "in/../../secret.cub",
            "in/../a.cub",
            "link.cub",
            "inner.cub",
            "up/secret.cub",
            secret.to_str().unwrap(),
            "/etc/passwd",
            "",
            ".",
            "in",
            "no.cub",
            "pipe.cub",
            "a.cub/x",
            "a\0b",
        ] {
            assert!(text(name).is_err(), "{name:?}");
        }
    }
}
