//! Lines and columns as editors count them, against offsets in bytes.

use cubicle_lang::diagnostic::Span;
use serde_json::{Value, json};

/// The unit of columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// Units of UTF-16: the default of the protocol.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// The one to use with a client that knows `offered`: the cheapest.
    pub fn negotiate(offered: &Value) -> Self {
        let offers = |name: &str| offered.as_array().is_some_and(|all| all.iter().any(|it| it == name));
        match () {
            () if offers("utf-8") => Self::Utf8,
            () if offers("utf-32") && !offers("utf-16") => Self::Utf32,
            () => Self::Utf16,
        }
    }

    /// Its name in the protocol.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
            Self::Utf32 => "utf-32",
        }
    }

    const fn width(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

/// Where the lines of a text begin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineStarts {
    starts: Vec<usize>,
    encoding: Encoding,
}

impl LineStarts {
    /// The lines of `text`. They end with a line feed, a carriage return, or both.
    pub fn new(text: &str, encoding: Encoding) -> Self {
        let bytes = text.as_bytes();
        let ends = bytes
            .iter()
            .enumerate()
            .filter(|&(at, &byte)| byte == b'\n' || byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
        Self { starts: std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect(), encoding }
    }

    /// The offset of a place. A column beyond the end of its line means the end; `None` for a line that does
    /// not exist.
    pub fn offset(&self, text: &str, position: &Value) -> Option<usize> {
        let number = |name: &str| position.get(name)?.as_u64().and_then(|n| usize::try_from(n).ok());
        let (line, column) = (number("line")?, number("character")?);
        let start = *self.starts.get(line)?;
        let end = self.starts.get(line + 1).copied().unwrap_or(text.len());
        let mut counted = 0;
        for (at, c) in text[start..end].char_indices() {
            // The middle of a character counts as its beginning.
            counted += self.encoding.width(c);
            if counted > column || c == '\n' || c == '\r' {
                return Some(start + at);
            }
        }
        Some(end)
    }

    /// The span of a range of the protocol.
    pub fn span(&self, text: &str, range: &Value) -> Option<Span> {
        let start = self.offset(text, range.get("start")?)?;
        let end = self.offset(text, range.get("end")?)?;
        (start <= end).then(|| Span::new(start as u32, end as u32))
    }

    /// The place of an offset; one in the middle of a character means its beginning, one beyond the end the end.
    pub fn position(&self, text: &str, offset: u32) -> Value {
        let mut offset = (offset as usize).min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|&start| start <= offset) - 1;
        let before = &text[self.starts[line]..offset];
        let column: usize = before.chars().map(|c| self.encoding.width(c)).sum();
        json!({ "line": line, "character": column })
    }

    pub fn range(&self, text: &str, span: Span) -> Value {
        json!({ "start": self.position(text, span.start), "end": self.position(text, span.end.max(span.start)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_units_of_the_agreed_encoding() {
        let text = "a\u{e9}\u{1f600}b\r\nc\rd\n";
        for (encoding, columns) in
            [(Encoding::Utf8, [0, 1, 3, 7]), (Encoding::Utf16, [0, 1, 2, 4]), (Encoding::Utf32, [0, 1, 2, 3])]
        {
            let lines = LineStarts::new(text, encoding);
            for (offset, column) in [0, 1, 3, 7].into_iter().zip(columns) {
                let position = json!({ "line": 0, "character": column });
                assert_eq!(lines.position(text, offset), position);
                assert_eq!(lines.offset(text, &position), Some(offset as usize));
            }
            let at = |line: usize, column: usize| {
                lines.offset(text, &json!({ "line": line, "character": column }))
            };
            assert_eq!(
                (at(0, 99), at(1, 0), at(1, 99), at(2, 0), at(3, 0)),
                (Some(8), Some(10), Some(11), Some(12), Some(14))
            );
            assert_eq!(at(4, 0), None);
            assert_eq!(lines.position(text, 99), json!({ "line": 3, "character": 0 }));
        }
        // In the middle of a pair of units.
        let lines = LineStarts::new(text, Encoding::Utf16);
        assert_eq!(lines.offset(text, &json!({ "line": 0, "character": 3 })), Some(3));
        assert_eq!(lines.offset(text, &json!({ "line": -1, "character": 3 })), None);
    }

    #[test]
    fn the_encoding_is_one_that_the_client_knows() {
        for (offered, is) in [
            (json!(null), Encoding::Utf16),
            (json!(["utf-16"]), Encoding::Utf16),
            (json!(["utf-16", "utf-8"]), Encoding::Utf8),
            (json!(["utf-32"]), Encoding::Utf32),
            (json!(["ebcdic"]), Encoding::Utf16),
        ] {
            assert_eq!(Encoding::negotiate(&offered), is, "{offered}");
        }
    }
}
