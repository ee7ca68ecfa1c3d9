//! The state of a session between two commands, and how it is shown.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::command::CommandRefusal;
use super::initial::initial;
use super::moves::{Moves, action};
use super::table::Table;
use super::values::CellNames;
use cubicle_lang::diagnostic::Source;
use cubicle_lang::model::System;
use cubicle_lang::model::semantics::{State, Step, Value, choices_of_arguments};
use cubicle_lang::words::{ValueNames, for_processes};
use cubicle_run::style::Style;
use cubicle_run::{Interrupt, Trace};

/// The most enabled transitions that are shown without a request.
const MOST_MOVES: usize = 20;

/// An instance with more ground transitions than this is refused: each view of a state tries all of them, and
/// cannot be interrupted.
const MOST_TRIED: usize = 1_000_000;

/// One instance of a model, a run of it, and a place in the run.
pub struct Simulation<'a> {
    pub(super) source: Source<'a>,
    pub(super) instance: CellNames<'a>,
    /// The run; its `bad` says nothing.
    pub(super) run: Trace,
    /// The present state is the one after this number of steps; later steps of the run can be redone.
    pub(super) at: usize,
    pub(super) rng: ChaCha8Rng,
    /// Cells that are shown after a step, instead of all.
    pub(super) watched: Vec<usize>,
    /// The values that cells must have in the initial state.
    pub(super) fixed: Vec<(usize, Value)>,
    pub(super) interrupt: Interrupt,
    style: Style,
}

impl<'a> Simulation<'a> {
    /// Starts in the first initial state of the instance with `procs` processes. `source` is the model; `seed`
    /// seeds the random choices; long searches poll `interrupt`.
    ///
    /// # Errors
    /// There is no such instance, or no initial state was found.
    pub fn new(
        system: &'a System,
        source: Source<'a>,
        procs: usize,
        seed: u64,
        style: Style,
        interrupt: &Interrupt,
    ) -> Result<Self, CommandRefusal> {
        let instance = Self::instance(system, procs)?;
        let (initial, _) = initial(&instance, &[], 0)?;
        Ok(Self {
            source,
            instance,
            run: Trace::begin(initial),
            at: 0,
            rng: ChaCha8Rng::seed_from_u64(seed),
            watched: Vec::new(),
            fixed: Vec::new(),
            interrupt: interrupt.clone(),
            style,
        })
    }

    pub(super) fn instance(system: &'a System, procs: usize) -> Result<CellNames<'a>, CommandRefusal> {
        if cubicle_lang::model::semantics::admits(system, procs) {
            if choices_of_arguments(system, procs) > MOST_TRIED {
                let what =
                    format!("the instance with {procs} processes has more than a million ground transitions");
                return Err(CommandRefusal::new(what, "choose fewer processes with `--procs`"));
            }
            return Ok(CellNames::new(system, procs));
        }
        let least = system.proc_constants;
        let help = match system.max_procs {
            Some(most) => format!("it has from {least} to {most} processes"),
            None => format!("it has at least {least} processes"),
        };
        Err(CommandRefusal::new(format!("the model has no instance with {procs} processes"), help))
    }

    pub(super) fn state(&self) -> &State {
        self.run.state(self.at)
    }

    /// Names for the values of the whole run.
    pub(super) fn names(&self) -> ValueNames<'a> {
        ValueNames::new(self.instance.system, &self.run)
    }

    /// Appends these steps; steps that could be redone are forgotten.
    pub(super) fn extend(&mut self, steps: Vec<Step>) {
        self.run.steps.truncate(self.at);
        self.run.steps.extend(steps);
        self.at = self.run.steps.len();
    }

    /// The present state: its number and how it was reached, its cells, the properties that it violates, the possible moves.
    pub(super) fn scene(&self) -> String {
        let title = match self.at.checked_sub(1) {
            None => "0: initial state".to_owned(),
            Some(step) => {
                let step = &self.run.steps[step];
                let action = action(&self.instance, step.transition, &step.args);
                format!("{}: {action}", self.at)
            }
        };
        let cells = if self.watched.is_empty() { self.table() } else { self.watched_text() };
        format!("{}\n{cells}{}{}", self.style.title(title), self.faults(), self.moves_text(MOST_MOVES))
    }

    /// All cells of the present state.
    pub(super) fn table(&self) -> String {
        let before = self.at.checked_sub(1).map(|before| self.run.state(before));
        let names = self.names();
        let mut text = self.cells_of(&names, before).text();
        for line in names.legend() {
            text += &format!("  ({line})\n");
        }
        text
    }

    /// The present state as a table.
    pub(super) fn cells_of<'b>(&'b self, names: &'b ValueNames<'b>, before: Option<&'b State>) -> Table<'b> {
        Table { instance: &self.instance, names, state: self.state(), before, style: self.style }
    }

    /// The properties that the present state violates.
    fn faults(&self) -> String {
        let mut text = String::new();
        for (number, bad) in self.instance.system.bad.iter().enumerate() {
            let Some(witnesses) = self.instance.semantics.satisfies(self.state(), number) else { continue };
            let who = for_processes(&witnesses);
            let place = self.source.place(bad.span);
            text += &format!("{} ({place}) holds{who}\n", self.style.bad(&bad.name));
        }
        text
    }

    /// The enabled moves, at most `most` lines of them.
    pub(super) fn moves_text(&self, most: usize) -> String {
        let moves = Moves::of(&self.instance, self.state());
        let names = self.names();
        let actions: Vec<String> = moves.list.iter().map(|next| next.action(&self.instance)).collect();
        let width = actions.iter().take(most).map(|action| action.chars().count()).max().unwrap_or(0);
        let digits = actions.len().min(most).to_string().len();
        let mut text = String::new();
        for (number, (next, action)) in moves.list.iter().zip(&actions).enumerate().take(most) {
            let effect = next.effect(&self.instance, &names, self.state());
            let blanks = " ".repeat(width - action.chars().count());
            let action = self.style.name(action);
            text += &format!("  {:>digits$}  {action}{blanks}  {effect}\n", number + 1);
        }
        if moves.list.len() > most {
            text += &format!("  .. {} more: `enabled` lists all\n", moves.list.len() - most);
        }
        for action in &moves.doubtful {
            text += &format!("  {action} depends on a number beyond 64 bits\n");
        }
        if text.is_empty() { format!("{}\n", self.style.bad("no transition is enabled")) } else { text }
    }
}
