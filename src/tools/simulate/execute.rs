//! Executes commands: dispatches each line to a part of the session. Completes the word that is being typed.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::command::{self, Command, CommandRefusal, words};
use super::look::transition_names;
use super::moves::Moves;
use super::session::Simulation;
use crate::itf;
use cubicle_lang::words::processes;
use cubicle_run::Trace;

/// What the caller must do after a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Then {
    /// Nothing: go on with the next command.
    Next,
    /// Write `text` to `file`.
    Save {
        /// As the user typed it.
        file: String,
        /// In ITF.
        text: String,
    },
    /// Read `file` and give its text to [`Simulation::load`].
    Load {
        /// As the user typed it.
        file: String,
    },
    /// End.
    Quit,
}

/// Text to show, with a line end after each line, and what to do next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    /// For the user.
    pub text: String,
    /// For the caller.
    pub then: Then,
}

impl Simulation<'_> {
    /// Executes a command.
    ///
    /// # Errors
    /// The command cannot be executed; the session is unchanged.
    pub fn execute(&mut self, line: &str) -> Result<Reply, CommandRefusal> {
        let mut then = Then::Next;
        let Some(Command { name, text, number }) =
            command::parse(line, &transition_names(self.instance.system))?
        else {
            return Ok(Reply { text: String::new(), then });
        };
        let text = match name {
            "help" => command::help_text(text)?,
            "step" => self.step(text)?,
            "enabled" => self.moves_text(usize::MAX),
            "why" => self.why(text)?,
            "state" => self.table(),
            "undo" => self.go(self.at.checked_sub(number.unwrap_or(1)))?,
            "redo" => self.go(self.at.checked_add(number.unwrap_or(1)))?,
            "goto" => self.go(number)?,
            "trace" => self.history(),
            "random" => self.random(number.unwrap_or(1))?,
            "until" => self.until(text)?,
            "find" => self.find(text)?,
            "holds" => self.holds(text)?,
            "watch" => self.watch(text)?,
            "unwatch" => self.unwatch(text)?,
            "init" => self.init(number)?,
            "fix" => self.fix(text)?,
            "free" => self.free(text)?,
            // The others have no text.
            other => {
                match other {
                    "seed" => self.rng = ChaCha8Rng::seed_from_u64(number.unwrap_or(0) as u64),
                    "save" => then = Then::Save { text: self.saved(), file: text.to_owned() },
                    "load" => then = Then::Load { file: text.to_owned() },
                    "quit" => then = Then::Quit,
                    _ => unreachable!("`{other}` is not in the table of commands"),
                }
                String::new()
            }
        };
        Ok(Reply { text, then })
    }

    /// Loads a run from the text of a file, and returns what to show.
    ///
    /// # Errors
    /// The text is not a run of the model; the session is unchanged.
    pub fn load(&mut self, file: &str, text: &str) -> Result<String, CommandRefusal> {
        let system = self.instance.system;
        let refusal = |why: &dyn std::fmt::Display| {
            CommandRefusal::new(
                format!("{file}: {why}"),
                "a file that `save` or --trace-out wrote can be loaded",
            )
        };
        let read = itf::read(system, &self.source, text, &self.interrupt);
        let (trace, claims) = read.map_err(|why| refusal(&why))?;
        let what = itf::replay(system, &self.source, &trace, &claims).map_err(|why| refusal(&why))?;
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
        trace.bad = self.instance.semantics.first_bad(state);
        let moves = Moves::of(&self.instance, state);
        let deadlocked = moves.list.is_empty() && moves.doubtful.is_empty();
        if trace.bad.is_some() || deadlocked {
            itf::write(system, &trace, &self.source)
        } else {
            itf::write_open(system, &trace, &self.source)
        }
    }
}

impl Simulation<'_> {
    /// The start of the word that ends at byte `at` of `line`, and its completions.
    pub fn complete(&self, line: &str, at: usize) -> (usize, Vec<String>) {
        let line = line.get(..at).unwrap_or(line);
        let ends_word = |c: char| !c.is_ascii_alphanumeric() && !"_#[".contains(c);
        let start =
            line.char_indices().rev().find(|&(_, c)| ends_word(c)).map_or(0, |(i, c)| i + c.len_utf8());
        let (before, word) = line.split_at(start);
        let system = self.instance.system;
        let transitions = || transition_names(system).into_iter().map(|name| format!("{name}("));
        let cells = || {
            let shown = self.instance.shown.iter();
            let whole = shown.flat_map(|cell| [cell.name.clone(), cell.title.clone()]);
            let declared = self.instance.declared.iter();
            declared.map(|cell| self.instance.cells[*cell].1.clone()).chain(whole)
        };
        let mut all: Vec<String> = match before.split_whitespace().next() {
            None => words().map(str::to_owned).chain(transitions()).collect(),
            Some("step" | "why") => transitions().collect(),
            Some("watch" | "unwatch" | "fix" | "free" | "until" | "find" | "holds") => {
                let constructors = system.enums.iter().flat_map(|ty| ty.constructors.iter().cloned());
                cells().chain(constructors).collect()
            }
            Some("help") => words().map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        if word.starts_with('#') {
            all = (0..self.instance.procs).map(|process| processes(&[process])).collect();
        }
        all.retain(|candidate| candidate.starts_with(word));
        all.sort_unstable();
        all.dedup();
        (start, all)
    }
}
