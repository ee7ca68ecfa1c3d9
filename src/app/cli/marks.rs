//! Which files this program wrote: each carries a mark near its beginning, the words "written by cubicle" in a comment, or what
//! only our JSON has.

use std::fs::File;
use std::io::Read;
use std::path::Path;

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

/// Whether this program wrote the trace in a file.
pub fn is_our_trace(path: &Path) -> bool {
    is_trace(&compact(&start_of(path)))
}

/// Whether a text without blanks begins a document of a run.
fn is_document(compact: &str) -> bool {
    compact.starts_with('{') && compact.contains("\"tool\":{\"name\":\"cubicle\"")
}

/// Whether a text without blanks begins a trace in ITF that this program wrote: others do not say how many processes.
fn is_trace(compact: &str) -> bool {
    compact.starts_with("{\"#meta\":{\"format\":\"itf\"") && compact.contains(",\"processes\":")
}
