//! A state as text: globals in lines, arrays as columns with a row for each process, matrices below.

use super::values::CellNames;
use cubicle_lang::model::VarId;
use cubicle_lang::model::semantics::{State, tuples};
use cubicle_lang::words::ValueNames;
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
        let vars = || self.instance.system.declared();
        let of_arity = |arity: usize| vars().filter(move |(_, var)| var.arity() == arity).map(|(id, _)| id);
        let mut text = self.globals(of_arity(0));
        let arrays: Vec<VarId> = of_arity(1).collect();
        if !arrays.is_empty() && self.instance.procs > 0 {
            text += &self.arrays(&arrays);
        }
        for matrix in of_arity(2).filter(|_| self.instance.procs > 0) {
            text += &self.matrix(matrix);
        }
        for (id, var) in vars().filter(|(_, var)| var.arity() > 2) {
            for index in tuples(self.instance.procs, var.arity()) {
                text += &format!("  {}\n", self.shown(&self.assignment(id, &index), 0));
            }
        }
        text
    }

    /// `At[#1] = Critical*`: one cell, by its position.
    pub fn line(&self, cell: usize) -> String {
        self.shown(&self.named(cell), 0)
    }

    fn globals(&self, vars: impl Iterator<Item = VarId>) -> String {
        let (mut text, mut column) = (String::new(), 0);
        for word in vars.map(|var| self.assignment(var, &[])) {
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
    fn arrays(&self, arrays: &[VarId]) -> String {
        let columns: Vec<Vec<StyledText>> = arrays
            .iter()
            .map(|&var| {
                let title = self.instance.system.var(var).name.clone();
                let cells = (0..self.instance.procs).map(|process| self.value(var, &[process]));
                std::iter::once(StyledText { text: title, changed: false }).chain(cells).collect()
            })
            .collect();
        self.columns(&columns)
    }

    fn matrix(&self, var: VarId) -> String {
        let procs = self.instance.procs;
        let columns: Vec<Vec<StyledText>> = (0..procs)
            .map(|column| {
                let title = StyledText { text: process(column), changed: false };
                std::iter::once(title).chain((0..procs).map(|row| self.value(var, &[row, column]))).collect()
            })
            .collect();
        format!("  {}\n{}", self.instance.system.var(var).name, self.columns(&columns))
    }

    /// Columns with their titles first; each block of lines begins with the names of the processes.
    fn columns(&self, columns: &[Vec<StyledText>]) -> String {
        let width =
            |column: &Vec<StyledText>| column.iter().map(|word| word.text.chars().count()).max().unwrap_or(0);
        let label = process(self.instance.procs.saturating_sub(1)).len();
        let (mut text, mut columns) = (String::new(), columns);
        while !columns.is_empty() {
            let mut total = label + 4;
            let fits = |column: &&Vec<StyledText>| {
                total += width(column) + 2;
                total <= WIDTH
            };
            let (now, later) = columns.split_at(columns.iter().take_while(fits).count().max(1));
            for row in 0..=self.instance.procs {
                let name = row.checked_sub(1).map(process).unwrap_or_default();
                let cells = now.iter().map(|column| format!("  {}", self.shown(&column[row], width(column))));
                let line = format!("  {name:label$}{}", cells.collect::<String>());
                text += &format!("{}\n", line.trim_end());
            }
            columns = later;
        }
        text
    }

    /// `Turn = #1`.
    fn assignment(&self, var: VarId, index: &[usize]) -> StyledText {
        self.named(self.instance.semantics.layout().position(var, index.iter().copied()))
    }

    fn named(&self, cell: usize) -> StyledText {
        let StyledText { text, changed } = self.cell(cell);
        StyledText { text: format!("{} = {text}", self.instance.cells[cell].1), changed }
    }

    /// The value of a cell, with its mark.
    fn value(&self, var: VarId, index: &[usize]) -> StyledText {
        self.cell(self.instance.semantics.layout().position(var, index.iter().copied()))
    }

    fn cell(&self, at: usize) -> StyledText {
        let changed = self.before.is_some_and(|before| before.values[at] != self.state.values[at]);
        let value = self.names.value(self.instance.var(at), self.state.values[at]);
        StyledText { text: if changed { value + CHANGED } else { value }, changed }
    }

    /// Blanks up to `width`, and colour.
    fn shown(&self, word: &StyledText, width: usize) -> String {
        let blanks = " ".repeat(width.saturating_sub(word.text.chars().count()));
        let text = if word.changed { self.style.doubtful(&word.text) } else { word.text.clone() };
        format!("{text}{blanks}")
    }
}

/// `#1` for process 0.
fn process(process: usize) -> String {
    format!("#{}", process + 1)
}
