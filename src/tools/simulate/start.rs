//! The initial state of a run: lists initial states, and lets the user fix cells.

use super::command::CommandRefusal;
use super::initial::{Initials, initial};
use super::session::Simulation;
use super::values::parse;
use cubicle_lang::model::semantics::{State, Value};
use cubicle_lang::words::ValueNames;
use cubicle_run::Trace;
use cubicle_run::words::count;

/// The most initial states that are listed.
const MOST_LISTED: usize = 10;

/// The largest number of an initial state; the user finds others by fixing cells.
const MOST_INITIAL: usize = 10_000;

/// A cell and its value; of a record `{ kind = Req; from = #1 }`, those of its fields.
fn fields<'v>(cell: &str, value: &'v str) -> Vec<(String, &'v str)> {
    let Some(inner) = value.strip_prefix('{').and_then(|it| it.strip_suffix('}')) else {
        return vec![(cell.to_owned(), value)];
    };
    let mut depth = 0_usize;
    let parts = inner.split(|c: char| {
        depth = match c {
            '{' => depth + 1,
            '}' => depth.saturating_sub(1),
            _ => depth,
        };
        depth == 0 && c == ';'
    });
    let named = parts.filter_map(|part| part.split_once('='));
    named.flat_map(|(name, value)| fields(&format!("{cell}.{}", name.trim()), value.trim())).collect()
}

impl Simulation<'_> {
    /// The text to show before the first command.
    pub fn greeting(&self) -> String {
        let processes = count(self.instance.procs, "process");
        format!("{}, {processes}{}\n{}", self.source.name, self.start_note(), self.scene())
    }

    /// For the greeting: whether there are other initial states.
    fn start_note(&self) -> &'static str {
        match initial(&self.instance, &self.fixed, 1) {
            Ok(_) => "; one of several initial states, which `init` lists and `fix` restricts",
            Err(_) => "",
        }
    }

    /// Without a number, lists initial states; otherwise restarts in that one.
    pub(super) fn init(&mut self, number: Option<usize>) -> Result<String, CommandRefusal> {
        let Some(number) = number else { return Ok(self.initial_states()) };
        let Some(number) = number.checked_sub(1).filter(|&number| number < MOST_INITIAL) else {
            return Err(CommandRefusal::new(
                format!("initial states have numbers from 1 to {MOST_INITIAL}"),
                "`fix CELL = VALUE` finds others",
            ));
        };
        let (state, _) = initial(&self.instance, &self.fixed, number)?;
        Ok(self.begin(state))
    }

    fn begin(&mut self, initial: State) -> String {
        self.run = Trace::begin(initial);
        self.at = 0;
        self.scene()
    }

    /// The first initial states, each by the cells in which they differ.
    fn initial_states(&self) -> String {
        let mut all = Initials::new(&self.instance, &self.fixed);
        let states: Vec<State> = all.by_ref().take(MOST_LISTED).collect();
        let more = all.next().is_some();
        let differs =
            |cell: &usize| states.iter().any(|state| state.values[*cell] != states[0].values[*cell]);
        let cells: Vec<usize> = self.instance.declared.iter().copied().filter(differs).collect();
        let mut text = String::new();
        for (number, state) in states.iter().enumerate() {
            let lone = Trace::begin(state.clone());
            let names = ValueNames::new(self.instance.system, &lone);
            let words: Vec<String> = cells
                .iter()
                .map(|&cell| {
                    let value = names.value(self.instance.var(cell), state.values[cell]);
                    format!("{} = {value}", self.instance.cells[cell].1)
                })
                .collect();
            text += &format!("  {:>2}  {}\n", number + 1, words.join(", "));
        }
        match (states.len(), more) {
            (_, true) => text + "  .. and more: `fix CELL = VALUE` restricts them\n",
            (1, false) => "there is one initial state\n".to_owned(),
            _ => text,
        }
    }

    /// `CELL = VALUE`: restarts in an initial state in which the cell holds the value; all cells of an array
    /// when no index is given.
    pub(super) fn fix(&mut self, what: &str) -> Result<String, CommandRefusal> {
        let Some((cell, value)) = what.split_once('=') else {
            return Err(CommandRefusal::new(format!("{what:?} has no `=`"), "write `fix CELL = VALUE`"));
        };
        let mut wanted = Vec::new();
        for (cell, value) in fields(cell.trim(), value.trim()) {
            wanted.extend(self.cells(&cell)?.into_iter().map(|cell| (cell, value)));
        }
        let names = self.names();
        let mut fixed = self.fixed.clone();
        for (cell, value) in wanted {
            let (var, declared) = (self.instance.cells[cell].0, self.instance.var(cell));
            let held = &self.run.initial.values;
            let choices = self.instance.choices(var, held, &|value| names.value(declared, value));
            let value = parse(self.instance.system, var, value, &choices).map_err(|help| {
                let name = self.instance.system.title(var);
                CommandRefusal::new(format!("{value:?} is not a value of {name}"), help)
            })?;
            fixed.retain(|(other, _)| *other != cell);
            fixed.push((cell, value));
        }
        let (state, _) = initial(&self.instance, &fixed, 0)?;
        self.fixed = fixed;
        Ok(self.begin(state))
    }

    /// Undoes `fix` for some cells or for all, and restarts.
    pub(super) fn free(&mut self, cells: &str) -> Result<String, CommandRefusal> {
        let freed = self.cells(cells)?;
        let is_kept = |(cell, _): &(usize, Value)| !cells.is_empty() && !freed.contains(cell);
        let kept: Vec<(usize, Value)> = self.fixed.iter().copied().filter(is_kept).collect();
        let (state, _) = initial(&self.instance, &kept, 0)?;
        self.fixed = kept;
        Ok(self.begin(state))
    }
}
