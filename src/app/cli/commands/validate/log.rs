//! Logs as files, and standard input, which may be silent for long.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use cubicle_run::Interrupt;
use cubicle_tools::validate::Log;

/// How much is read at once, in bytes.
const CHUNK_BYTES: usize = 1 << 16;

/// How many chunks of standard input may wait to be followed.
const MOST_CHUNKS: usize = 16;

/// How often signals and time limits are looked for while standard input is silent.
const POLL_EVERY: Duration = Duration::from_millis(50);

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
            return Ok(Box::new(Stdin::new(&self.interrupt)?));
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

/// Standard input, read by a thread of its own, so that a signal or a limit ends the run while nothing comes.
struct Stdin<'a> {
    interrupt: &'a Interrupt,
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Vec<u8>,
    used: usize,
    ended: bool,
}

impl<'a> Stdin<'a> {
    fn new(interrupt: &'a Interrupt) -> io::Result<Self> {
        let (to, chunks) = mpsc::sync_channel(MOST_CHUNKS);
        let reader = move || {
            loop {
                let mut chunk = vec![0; CHUNK_BYTES];
                let read = match io::stdin().lock().read(&mut chunk) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => Err(error),
                    Ok(length) => {
                        chunk.truncate(length);
                        Ok(chunk)
                    }
                };
                let last = !matches!(&read, Ok(chunk) if !chunk.is_empty());
                if to.send(read).is_err() || last {
                    return;
                }
            }
        };
        thread::Builder::new().name("log".into()).spawn(reader)?;
        Ok(Self { interrupt, chunks, chunk: Vec::new(), used: 0, ended: false })
    }
}

impl Read for Stdin<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let chunk = self.fill_buf()?;
        let length = chunk.len().min(buffer.len());
        buffer[..length].copy_from_slice(&chunk[..length]);
        self.consume(length);
        Ok(length)
    }
}

impl BufRead for Stdin<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.used == self.chunk.len() && !self.ended {
            match self.chunks.recv_timeout(POLL_EVERY) {
                Ok(chunk) => {
                    self.chunk = chunk?;
                    self.used = 0;
                    self.ended = self.chunk.is_empty();
                }
                Err(RecvTimeoutError::Timeout) if self.interrupt.reason().is_some() => {
                    return Err(io::Error::other("interrupted"));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => self.ended = true,
            }
        }
        Ok(&self.chunk[self.used..])
    }

    fn consume(&mut self, length: usize) {
        self.used += length;
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
