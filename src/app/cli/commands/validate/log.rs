//! Logs as files, and standard input, which may be silent for long.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::os::fd::AsFd;
use std::path::PathBuf;

use cubicle_run::Interrupt;
use cubicle_tools::validate::Log;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// How much is read at once, in bytes.
const CHUNK_BYTES: usize = 1 << 16;

/// How often signals and time limits are looked for while standard input is silent.
const POLL_EVERY: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

pub struct LogFile {
    pub path: PathBuf,
    pub interrupt: Interrupt,
}

impl LogFile {
    fn is_stdin(&self) -> bool {
        self.path.as_os_str() == "-"
    }
}

impl Log for LogFile {
    fn open(&self) -> io::Result<Box<dyn BufRead + '_>> {
        if self.is_stdin() {
            let file = File::from(io::stdin().as_fd().try_clone_to_owned()?);
            let stdin = Stdin { file, interrupt: &self.interrupt };
            return Ok(Box::new(BufReader::with_capacity(CHUNK_BYTES, stdin)));
        }
        let file = File::open(&self.path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory, not a log"));
        }
        // What is added to a file while it is read belongs to a later run.
        let most = if metadata.is_file() { metadata.len() } else { u64::MAX };
        Ok(Box::new(BufReader::with_capacity(CHUNK_BYTES, file).take(most)))
    }

    fn is_repeatable(&self) -> bool {
        !self.is_stdin() && self.path.metadata().map_or(true, |it| it.is_file() || it.is_dir())
    }

    fn is_itf(&self) -> bool {
        self.path.to_string_lossy().ends_with(".itf.json")
    }
}

/// Standard input, which a signal or a limit ends while nothing comes.
struct Stdin<'a> {
    file: File,
    interrupt: &'a Interrupt,
}

impl Read for Stdin<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while poll(&mut [PollFd::new(&self.file, PollFlags::IN)], Some(&POLL_EVERY))? == 0 {
            if self.interrupt.reason().is_some() {
                return Err(io::Error::other("interrupted"));
            }
        }
        self.file.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn what_is_added_to_a_file_while_it_is_read_belongs_to_a_later_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("grows.log");
        let mut file = File::create(&path).unwrap();
        let lines = "a line\n".repeat(CHUNK_BYTES);
        file.write_all(lines.as_bytes()).unwrap();
        let log = LogFile { path, interrupt: Interrupt::default() };
        let mut reader = log.open().unwrap();
        let mut first = String::new();
        reader.read_line(&mut first).unwrap();
        file.write_all(b"another one").unwrap();
        let mut rest = String::new();
        reader.read_to_string(&mut rest).unwrap();
        assert!(first + &rest == lines);
        let mut again = String::new();
        log.open().unwrap().read_to_string(&mut again).unwrap();
        assert!(again == lines + "another one");
    }
}
