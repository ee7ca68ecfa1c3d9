//! A state as text: globals in lines, arrays as columns with a row for each process, matrices below.

use super::values::CellNames;
use cubicle_lang::model::semantics::State;
use cubicle_lang::words::{ShownCell, ValueNames, processes};
use cubicle_run::style::Style;

/// Lines are broken before this column where that is possible.
const WIDTH: usize = 100;

/// Follows a value that the last step changed, so that the mark does not need colours.
const CHANGED: &str = "*";

/// The words for the cells of one state.
pub(super) struct Table<'a> {
    pub instance: &'a CellNames<'a>,
    pub names: &'a ValueNames<'a>,
    pub state: &'a State,
    /// The state before the last step.
    pub before: Option<&'a State>,
    pub style: Style,
}

/// A text and its style, which does not change its width.
struct StyledText {
    text: String,
    changed: bool,
}

impl Table<'_> {
    /// All cells, with a line end after each line.
    pub fn text(&self) -> String {
        // The cells of an array stand together, one for each process or each pair of them, in order.
        let of_arity = |arity: usize| {
            let arrays = self.instance.shown.chunk_by(|a, b| !a.index.is_empty() && a.title == b.title);
            arrays.filter(move |cells| cells[0].index.len() == arity)
        };
        let mut text = self.globals(of_arity(0).flatten());
        let arrays: Vec<&[ShownCell<'_>]> = of_arity(1).collect();
        if !arrays.is_empty() {
            text += &self.arrays(&arrays);
        }
        for matrix in of_arity(2) {
            text += &self.matrix(matrix);
        }
        for cell in self.instance.shown.iter().filter(|cell| cell.index.len() > 2) {
            text += &format!("  {}\n", self.line(cell));
        }
        text
    }

    /// `At[#1] = Critical*`.
    pub fn line(&self, cell: &ShownCell<'_>) -> String {
        self.shown(&self.assignment(cell), 0)
    }

    /// The same for a part of a cell, by its position.
    pub fn part(&self, at: usize) -> String {
        let changed = self.before.is_some_and(|before| before.values[at] != self.state.values[at]);
        let value = self.names.value(self.instance.var(at), self.state.values[at]);
        let text = format!("{} = {}", self.instance.cells[at].1, marked(value, changed));
        self.shown(&StyledText { text, changed }, 0)
    }

    fn globals<'c>(&self, cells: impl Iterator<Item = &'c ShownCell<'c>>) -> String {
        let (mut text, mut column) = (String::new(), 0);
        for word in cells.map(|cell| self.assignment(cell)) {
            let width = word.text.chars().count() + 3;
            if column > 0 && column + width > WIDTH {
                text.truncate(text.trim_end().len());
                text.push('\n');
                column = 0;
            }
            if column == 0 {
                text += "  ";
            }
            text += &format!("{}   ", self.shown(&word, 0));
            column += width;
        }
        text.truncate(text.trim_end().len());
        if !text.is_empty() {
            text.push('\n');
        }
        text
    }

    /// As many columns side by side as fit, then the next ones below.
    fn arrays(&self, arrays: &[&[ShownCell<'_>]]) -> String {
        let columns = arrays.iter().map(|cells| self.column(cells[0].title.clone(), cells.iter()));
        self.columns(&columns.collect::<Vec<_>>())
    }

    fn matrix(&self, cells: &[ShownCell<'_>]) -> String {
        let procs = self.instance.procs;
        let columns = (0..procs)
            .map(|column| self.column(processes(&[column]), cells.iter().skip(column).step_by(procs)));
        format!("  {}\n{}", cells[0].title, self.columns(&columns.collect::<Vec<_>>()))
    }

    fn column<'c>(&self, text: String, cells: impl Iterator<Item = &'c ShownCell<'c>>) -> Vec<StyledText> {
        let title = StyledText { text, changed: false };
        std::iter::once(title).chain(cells.map(|cell| self.cell(cell))).collect()
    }

    /// Columns with their titles first; each block of lines begins with the names of the processes.
    fn columns(&self, columns: &[Vec<StyledText>]) -> String {
        let width =
            |column: &Vec<StyledText>| column.iter().map(|word| word.text.chars().count()).max().unwrap_or(0);
        let label = processes(&[self.instance.procs.saturating_sub(1)]).len();
        let (mut text, mut columns) = (String::new(), columns);
        while !columns.is_empty() {
            let mut total = label + 4;
            let fits = |column: &&Vec<StyledText>| {
                total += width(column) + 2;
                total <= WIDTH
            };
            let (now, later) = columns.split_at(columns.iter().take_while(fits).count().max(1));
            for row in 0..=self.instance.procs {
                let name = row.checked_sub(1).map(|it| processes(&[it])).unwrap_or_default();
                let cells = now.iter().map(|column| format!("  {}", self.shown(&column[row], width(column))));
                let line = format!("  {name:label$}{}", cells.collect::<String>());
                text += &format!("{}\n", line.trim_end());
            }
            columns = later;
        }
        text
    }

    /// `Turn = #1`.
    fn assignment(&self, cell: &ShownCell<'_>) -> StyledText {
        let StyledText { text, changed } = self.cell(cell);
        StyledText { text: format!("{} = {text}", cell.name), changed }
    }

    /// The value of a cell, with its mark.
    fn cell(&self, cell: &ShownCell<'_>) -> StyledText {
        let changed = self.before.is_some_and(|before| cell.differs(before, self.state));
        StyledText { text: marked(self.names.shown(cell, self.state), changed), changed }
    }

    /// Blanks up to `width`, and colour.
    fn shown(&self, word: &StyledText, width: usize) -> String {
        let blanks = " ".repeat(width.saturating_sub(word.text.chars().count()));
        let text = if word.changed { self.style.doubtful(&word.text) } else { word.text.clone() };
        format!("{text}{blanks}")
    }
}

fn marked(value: String, changed: bool) -> String {
    if changed { value + CHANGED } else { value }
}
