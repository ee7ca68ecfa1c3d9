//! Ruled blocks: a title between lines of `=` and `-`, then rows `label : value`.

use std::fmt::Write as _;

use cubicle_run::style::Style;

/// Width of the rules, and the column to which trailing notes are aligned.
pub(super) const WIDTH: usize = 80;

/// Column of the colon in a row.
const LABEL: usize = 33;

pub(super) struct Block(String);

impl Block {
    /// Opens a block.
    pub(super) fn new(title: &str, style: Style) -> Self {
        Self(format!("{}\n* {}\n{}\n", "=".repeat(WIDTH), style.title(title), "-".repeat(WIDTH)))
    }

    /// Adds `label : value`.
    pub(super) fn row(&mut self, label: &str, value: impl std::fmt::Display) {
        let _ = writeln!(self.0, "{label:LABEL$}: {value}");
    }

    /// Adds a line as it is.
    pub(super) fn line(&mut self, text: &str) {
        self.0.push_str(text);
        self.0.push('\n');
    }

    /// Closes the block.
    pub(super) fn finish(mut self) -> String {
        self.line(&"=".repeat(WIDTH));
        self.0
    }
}
