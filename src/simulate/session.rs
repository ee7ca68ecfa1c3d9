//! What remains between two commands, and what each of them does.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::command::{self, Command};
use super::moves::Moves;
use super::table::Table;
use super::values::Instance;
use crate::diagnostic::Source;
use crate::interrupt::Interrupt;
use crate::itf;
use crate::model::System;
use crate::model::semantics::{State, Step, Value};
use crate::report::Style;
use crate::verdict::Trace;
use crate::words::{Names, processes};

/// More enabled transitions than this are only shown when asked for.
const MOST_MOVES: usize = 20;

/// Why a command is not followed. The session is as it was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// What is wrong, in one line.
    pub what: String,
    /// What is possible.
    pub help: String,
}

impl Refusal {
    pub(super) fn new(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { what: what.into(), help: help.into() }
    }
}

/// What a command leaves to the caller.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Then {
    /// Nothing: on to the next command.
    Next,
    /// Write `text` to `file`.
    Save {
        /// As the user typed it.
        file: String,
        /// In ITF.
        text: String,
    },
    /// Read `file` and give its text to [`Session::load`].
    Load {
        /// As the user typed it.
        file: String,
    },
    /// End.
    Quit,
}

/// What there is to show, each line ended, and what is to be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// For the user.
    pub text: String,
    /// For the caller.
    pub then: Then,
}

/// One instance of a model, a run of it, and a place in the run.
pub struct Session<'a> {
    pub(super) source: Source<'a>,
    pub(super) instance: Instance<'a>,
    /// The run; its `bad` says nothing.
    pub(super) run: Trace,
    /// The present state is that after so many steps; those behind it can be done again.
    pub(super) at: usize,
    pub(super) rng: ChaCha8Rng,
    /// Cells that are shown after a step in place of all.
    pub(super) watched: Vec<usize>,
    /// What cells are to hold in the initial state.
    pub(super) fixed: Vec<(usize, Value)>,
    pub(super) interrupt: Interrupt,
    style: Style,
}

impl<'a> Session<'a> {
    /// Begins in the first initial state of the instance with `procs` processes. `source` is the model; `seed`
    /// starts the lots; long searches look at `interrupt`.
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
    ) -> Result<Self, Refusal> {
        let instance = Self::instance(system, procs)?;
        let (initial, _) = super::start::initial(&instance, &[], 0)?;
        Ok(Self {
            source,
            instance,
            run: Trace { initial, steps: Vec::new(), bad: None },
            at: 0,
            rng: ChaCha8Rng::seed_from_u64(seed),
            watched: Vec::new(),
            fixed: Vec::new(),
            interrupt: interrupt.clone(),
            style,
        })
    }

    fn instance(system: &'a System, procs: usize) -> Result<Instance<'a>, Refusal> {
        if crate::model::semantics::admits(system, procs) {
            return Ok(Instance::new(system, procs));
        }
        let least = system.proc_constants;
        let help = match system.max_procs {
            Some(most) => format!("it has from {least} to {most} processes"),
            None => format!("it has at least {least} processes"),
        };
        Err(Refusal::new(format!("the model has no instance with {procs} processes"), help))
    }

    /// What to show before the first command.
    pub fn greeting(&self) -> String {
        let procs = self.instance.procs;
        let processes = if procs == 1 { "process" } else { "processes" };
        format!("{}, {procs} {processes}{}\n{}", self.source.name, self.start_note(), self.scene())
    }

    /// Follows a command.
    ///
    /// # Errors
    /// The command cannot be followed; the session is as it was.
    pub fn execute(&mut self, line: &str) -> Result<Answer, Refusal> {
        let text = match command::parse(line)? {
            Command::Nothing => String::new(),
            Command::Help(of) => command::help_text(&of)?,
            Command::Step(what) => self.step(&what)?,
            Command::Enabled => self.moves_text(usize::MAX),
            Command::Why(what) => self.why(&what)?,
            Command::State => self.table(),
            Command::Undo(steps) => self.go(self.at.checked_sub(steps), "undo")?,
            Command::Redo(steps) => self.go(self.at.checked_add(steps), "redo")?,
            Command::Goto(number) => self.go(Some(number), "goto")?,
            Command::Trace => self.history(),
            Command::Random(steps) => self.random(steps)?,
            Command::Seed(seed) => {
                self.rng = ChaCha8Rng::seed_from_u64(seed);
                String::new()
            }
            Command::Until(cube) => self.until(&cube)?,
            Command::Find(cube) => self.find(&cube)?,
            Command::Holds(cube) => self.holds(&cube)?,
            Command::Watch(cells) => self.watch(&cells)?,
            Command::Unwatch(cells) => self.unwatch(&cells)?,
            Command::Init(number) => self.init(number)?,
            Command::Fix(what) => self.fix(&what)?,
            Command::Free(cells) => self.free(&cells)?,
            Command::Save(file) => {
                let then = Then::Save { text: self.saved(), file };
                return Ok(Answer { text: String::new(), then });
            }
            Command::Load(file) => {
                return Ok(Answer { text: String::new(), then: Then::Load { file } });
            }
            Command::Quit => return Ok(Answer { text: String::new(), then: Then::Quit }),
        };
        Ok(Answer { text, then: Then::Next })
    }

    /// Takes over a run from the text of a file. What to show.
    ///
    /// # Errors
    /// The text is no run of the model; the session is as it was.
    pub fn load(&mut self, file: &str, text: &str) -> Result<String, Refusal> {
        let system = self.instance.system;
        let refusal = |why: String| {
            Refusal::new(format!("{file}: {why}"), "a file that `save` or --trace-out wrote can be loaded")
        };
        let (trace, claims) =
            itf::read(system, &self.source, text).map_err(|error| refusal(error.to_string()))?;
        let what = itf::replay(system, &self.source, &trace, &claims).map_err(refusal)?;
        if trace.initial.procs != self.instance.procs {
            self.instance = Self::instance(system, trace.initial.procs)?;
            self.watched.clear();
        }
        self.fixed.clear();
        self.run = Trace { bad: None, ..trace };
        self.at = 0;
        Ok(format!("{what}; `redo` follows it\n{}", self.scene()))
    }

    /// The run up to the present state, as a file. It claims the violation that the state shows, if any.
    fn saved(&self) -> String {
        let system = self.instance.system;
        let mut trace = Trace { steps: self.run.steps[..self.at].to_vec(), ..self.run.clone() };
        let state = self.state();
        trace.bad =
            (0..system.bad.len()).find(|&bad| self.instance.semantics.satisfies(state, bad).is_some());
        let moves = Moves::of(&self.instance, state);
        let deadlocked = moves.list.is_empty() && moves.doubtful.is_empty();
        if trace.bad.is_some() || deadlocked {
            itf::write(system, &trace, &self.source)
        } else {
            itf::write_open(system, &trace, &self.source)
        }
    }

    /// The present state.
    pub(super) fn state(&self) -> &State {
        self.state_at(self.at)
    }

    /// State number `at` of the run.
    pub(super) fn state_at(&self, at: usize) -> &State {
        at.checked_sub(1).map_or(&self.run.initial, |step| &self.run.steps[step].after)
    }

    /// Names for the values of the whole run.
    pub(super) fn names(&self) -> Names<'a> {
        Names::new(self.instance.system, &self.run)
    }

    /// Goes on with these steps; what could be done again is forgotten.
    pub(super) fn extend(&mut self, steps: Vec<Step>) {
        self.run.steps.truncate(self.at);
        self.run.steps.extend(steps);
        self.at = self.run.steps.len();
    }

    /// The present state: its number and how it was reached, its cells, what is wrong with it, what can follow.
    pub(super) fn scene(&self) -> String {
        let title = match self.at.checked_sub(1) {
            None => "0: initial state".to_owned(),
            Some(step) => {
                let step = &self.run.steps[step];
                let action = super::moves::action(&self.instance, step.transition, &step.args);
                format!("{}: {action}", self.at)
            }
        };
        let cells = if self.watched.is_empty() { self.table() } else { self.watched_text() };
        format!("{}\n{cells}{}{}", self.style.title(title), self.faults(), self.moves_text(MOST_MOVES))
    }

    /// All cells of the present state.
    pub(super) fn table(&self) -> String {
        let before = self.at.checked_sub(1).map(|before| self.state_at(before));
        let names = self.names();
        let table =
            Table { instance: &self.instance, names: &names, state: self.state(), before, style: self.style };
        let mut text = table.text();
        for line in names.legend() {
            text += &format!("  ({line})\n");
        }
        text
    }

    /// The properties that the present state violates.
    fn faults(&self) -> String {
        let mut text = String::new();
        for (number, bad) in self.instance.system.bad.iter().enumerate() {
            let Some(witnesses) = self.instance.semantics.satisfies(self.state(), number) else { continue };
            let who =
                if witnesses.is_empty() { String::new() } else { format!(" for {}", processes(&witnesses)) };
            let place = self.source.place(bad.span);
            text += &format!("{} ({place}) holds{who}\n", self.style.bad(&bad.name));
        }
        text
    }

    /// What is enabled, at most so many lines of it.
    fn moves_text(&self, most: usize) -> String {
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
