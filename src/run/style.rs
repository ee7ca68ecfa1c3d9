//! Colours of a report, or none.

use std::fmt::Display;

use anstyle::{AnsiColor, Style as Ansi};

/// How results are set: in plain text or with ANSI colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Style {
    /// Whether to use ANSI escape sequences.
    pub colored: bool,
}

impl Style {
    /// Text without any escape sequence.
    pub const PLAIN: Self = Self { colored: false };

    fn paint(self, text: impl Display, ansi: Ansi) -> String {
        if self.colored { format!("{ansi}{text}{ansi:#}") } else { text.to_string() }
    }

    /// For good news.
    pub fn good(self, text: impl Display) -> String {
        self.paint(text, AnsiColor::Green.on_default().bold())
    }

    /// For bad news.
    pub fn bad(self, text: impl Display) -> String {
        self.paint(text, AnsiColor::Red.on_default().bold())
    }

    /// For no news.
    pub fn doubtful(self, text: impl Display) -> String {
        self.paint(text, AnsiColor::Yellow.on_default().bold())
    }

    /// For names of transitions and numbers of cubes.
    pub fn name(self, text: impl Display) -> String {
        self.paint(text, AnsiColor::Cyan.on_default())
    }

    /// For titles.
    pub fn title(self, text: impl Display) -> String {
        self.paint(text, Ansi::new().bold())
    }
}
