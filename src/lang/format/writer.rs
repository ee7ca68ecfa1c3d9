//! Writes tokens one by one, with the comments between them; keeps track of the column.

use super::lexemes::{Gap, Lexemes};

/// The greatest length of a line in characters, where lines can be broken.
pub const WIDTH: usize = 100;

/// The separator between a token and the one before it, where there are no comments between.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sep {
    None,
    Space,
    Line(Blank),
}

/// Where a blank line stays when the author left one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blank {
    Never,
    Kept,
    /// Not before the first comment or the token: at the beginning of a block.
    NotFirst,
    /// Not directly before the token: at the end of a block.
    NotLast,
    /// Everywhere, and there is one at the first line break in any case.
    Wanted,
}

/// The text so far.
pub struct Writer<'a, 't> {
    /// The tokens to be written.
    pub lexemes: &'a Lexemes<'t>,
    /// Index of the next token.
    pub at: usize,
    /// How deep new lines are indented, in steps of two.
    pub level: usize,
    /// Whether no line is broken, unless an author did.
    pub rigid: bool,
    out: &'a mut String,
    column: usize,
    eol: &'static str,
    start: usize,
}

impl<'a, 't> Writer<'a, 't> {
    /// A writer at the first token, which adds to `out`.
    pub fn new(lexemes: &'a Lexemes<'t>, eol: &'static str, out: &'a mut String) -> Self {
        let start = out.len();
        Self { lexemes, at: 0, level: 0, rigid: false, out, column: 0, eol, start }
    }

    /// The text of the next token; empty at the end.
    pub fn next(&self) -> &'t str {
        self.lexemes.list.get(self.at).map_or("", |lexeme| lexeme.text)
    }

    /// The comments and line breaks before the next token.
    pub fn gap(&self) -> &'a Gap<'t> {
        self.lexemes.gap(self.at)
    }

    /// Writes the next token.
    pub fn token(&mut self, sep: Sep) {
        self.token_after(sep, self.level);
    }

    /// Writes the next token, comments before it being indented as `comments` says.
    pub fn token_after(&mut self, sep: Sep, comments: usize) {
        self.separate(sep, comments);
        let text = self.next();
        self.put(text);
        self.at += 1;
    }

    /// Writes the comments after the last token.
    pub fn finish(&mut self) {
        let gap = self.gap();
        if !gap.comments.is_empty() {
            self.between(gap, Sep::Line(Blank::Kept), 0);
            while self.out.ends_with(' ') {
                self.out.pop();
            }
        }
        while self.out.ends_with(self.eol) {
            self.out.truncate(self.out.len() - self.eol.len());
        }
        if self.out.len() > self.start {
            self.out.push_str(self.eol);
        }
    }

    /// Whether the output of `write`, with `more` characters after it, fits into the line; as far as the author's
    /// first line break.
    pub fn fits(&mut self, more: usize, write: impl FnOnce(&mut Self)) -> bool {
        self.rigid
            || self.on_trial(write, |column, written| match written.split_once('\n') {
                None => column + written.chars().count() + more <= WIDTH,
                Some((first, _)) => column + first.chars().count() <= WIDTH,
            })
    }

    /// Whether the output of `write`, without a line break in it but perhaps after one, fits into its line.
    pub fn fits_in_one_line(&mut self, write: impl FnOnce(&mut Self)) -> bool {
        self.rigid
            || self.on_trial(write, |column, written| match written.rsplit_once('\n') {
                None => column + written.chars().count() <= WIDTH,
                Some((_, last)) => last.chars().count() <= WIDTH,
            })
    }

    /// The result of `judge` for the column and the output of `write` from there, which is discarded.
    fn on_trial(&mut self, write: impl FnOnce(&mut Self), judge: impl FnOnce(usize, &str) -> bool) -> bool {
        let (length, column, at, level) = (self.out.len(), self.column, self.at, self.level);
        self.rigid = true;
        write(self);
        self.rigid = false;
        let fits = judge(column, &self.out[length..]);
        self.out.truncate(length);
        (self.column, self.at, self.level) = (column, at, level);
        fits
    }

    /// Runs `write` so that no line is broken.
    pub fn flat(&mut self, write: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.rigid, true);
        write(self);
        self.rigid = before;
    }

    /// Runs `write` with new lines indented by `steps` more.
    pub fn deeper(&mut self, steps: usize, write: impl FnOnce(&mut Self)) {
        self.level += steps;
        write(self);
        self.level -= steps;
    }

    fn separate(&mut self, sep: Sep, comments: usize) {
        let gap = self.gap();
        if gap.comments.is_empty() {
            match sep {
                Sep::None => {}
                Sep::Space => self.put(" "),
                Sep::Line(blank) => {
                    let kept = gap.breaks[0] > 1 && blank == Blank::Kept || blank == Blank::Wanted;
                    self.line(self.level, kept);
                }
            }
        } else if self.out.len() == self.start || gap.is_broken() {
            self.between(gap, sep, comments);
        } else {
            // A comment on the line of the token belongs to it, except at the end of a block.
            match sep {
                Sep::Line(Blank::NotLast) => {}
                Sep::Line(blank) => self.line(self.level, blank == Blank::Wanted),
                Sep::None | Sep::Space => self.put(" "),
            }
            let closing = sep == Sep::Line(Blank::NotLast);
            for comment in &gap.comments {
                self.put(if closing { " " } else { "" });
                self.put(comment);
                self.put(if closing { "" } else { " " });
            }
            if closing {
                self.line(self.level, false);
            }
        }
    }

    /// Comments with the line breaks of the author.
    fn between(&mut self, gap: &Gap<'t>, sep: Sep, comments: usize) {
        let mut wanted = sep == Sep::Line(Blank::Wanted);
        let last = gap.comments.len();
        for (number, &breaks) in gap.breaks.iter().enumerate() {
            let allowed = match sep {
                Sep::Line(Blank::Kept | Blank::Wanted) => true,
                Sep::Line(Blank::NotFirst) => number > 0,
                Sep::Line(Blank::NotLast) => number < last,
                Sep::Line(Blank::Never) | Sep::None | Sep::Space => false,
            };
            if breaks > 0 {
                let level = if number == last { self.level } else { comments };
                self.line(level, wanted || allowed && breaks > 1);
                wanted = false;
            } else if self.out.len() > self.start {
                self.put(" ");
            }
            if let Some(comment) = gap.comments.get(number) {
                self.put(comment);
            }
        }
    }

    fn line(&mut self, level: usize, blank: bool) {
        if self.out.len() == self.start {
            return;
        }
        self.out.push_str(self.eol);
        if blank {
            self.out.push_str(self.eol);
        }
        self.column = 2 * level;
        self.out.extend(std::iter::repeat_n(' ', self.column));
    }

    fn put(&mut self, text: &str) {
        self.out.push_str(text);
        match text.rfind('\n') {
            Some(at) => self.column = text[at + 1..].chars().count(),
            None => self.column += text.chars().count(),
        }
    }
}
