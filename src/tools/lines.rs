//! Lines of bounded length, of a log or of what another program says.

use std::io::{self, BufRead};

/// What was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Line {
    /// It is in the buffer, without its line feed.
    Whole,
    /// The same, but the input ends where it should have a line feed.
    Unfinished,
    /// It has more bytes than are read.
    TooLong,
    /// There are no more lines.
    End,
}

/// Reads the next line into `buffer`, at most `most` bytes of it; of a longer line, the rest is skipped.
///
/// # Errors
/// The input cannot be read.
pub fn next(source: &mut dyn BufRead, buffer: &mut Vec<u8>, most: usize) -> io::Result<Line> {
    buffer.clear();
    let (mut long, mut any) = (false, false);
    loop {
        let chunk = match source.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if chunk.is_empty() {
            return Ok(match (any, long) {
                (false, _) => Line::End,
                (true, true) => Line::TooLong,
                (true, false) => Line::Unfinished,
            });
        }
        any = true;
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let part = &chunk[..end.unwrap_or(chunk.len())];
        long |= buffer.len() + part.len() > most;
        if !long {
            buffer.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        source.consume(used);
        if end.is_some() {
            if buffer.last() == Some(&b'\r') {
                buffer.pop();
            }
            return Ok(if long { Line::TooLong } else { Line::Whole });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_skipped_and_the_next_one_is_read() {
        let text = b"ab\r\n\nabcdefghij\nxyz";
        for size in [1, 3, 64] {
            let mut source = io::BufReader::with_capacity(size, &text[..]);
            let mut buffer = Vec::new();
            let mut seen = Vec::new();
            loop {
                let line = next(&mut source, &mut buffer, 5).unwrap();
                if line == Line::End {
                    break;
                }
                seen.push((line, String::from_utf8(buffer.clone()).unwrap()));
            }
            assert_eq!(seen.len(), 4);
            assert_eq!(seen[0], (Line::Whole, "ab".to_owned()));
            assert_eq!(seen[1], (Line::Whole, String::new()));
            assert_eq!(seen[2].0, Line::TooLong);
            assert_eq!(seen[3], (Line::Unfinished, "xyz".to_owned()));
        }
    }
}
