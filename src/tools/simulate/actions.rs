//! The commands of a session that change its state: chosen or random steps, backward and forward.

use super::command::CommandRefusal;
use super::moves::{MOST_STATES, Move, Moves, SearchEnd, action, nearest, open_choices, random_step};
use super::session::Simulation;
use super::values::{listed, parse};
use cubicle_lang::model::semantics::{State, Step, Value};
use cubicle_lang::words::ValueNames;

/// After many steps at once, only this number of steps are shown: the last ones.
const STEPS_SHOWN: usize = 20;

/// The most random steps towards a cube.
const MOST_STEPS: usize = 1000;

/// The most random steps at once.
const MOST_RANDOM: usize = 100_000;

impl Simulation<'_> {
    /// Takes the step that `what` names: a number in the list, or a transition with or without arguments; then
    /// the values that it leaves open.
    pub(super) fn step(&mut self, what: &str) -> Result<String, CommandRefusal> {
        let moves = Moves::of(&self.instance, self.state()).list;
        let (chosen, values) = self.named(&moves, what)?;
        let values = self.open_values(&chosen, values)?;
        let step = chosen.step(&self.instance, &values).ok_or_else(|| {
            CommandRefusal::new("a count leaves the 64-bit range".to_owned(), "choose a smaller number")
        })?;
        self.extend(vec![step]);
        Ok(self.scene())
    }

    /// The move that `what` names, and the words after it.
    fn named<'w>(&self, moves: &[Move], what: &'w str) -> Result<(Move, &'w str), CommandRefusal> {
        if what.starts_with(|c: char| c.is_ascii_digit()) {
            let (number, rest) = what.split_once(char::is_whitespace).unwrap_or((what, ""));
            let found = number.parse::<usize>().ok().and_then(|number| moves.get(number.checked_sub(1)?));
            let possible = match moves.len() {
                0 => "no transition is enabled: `undo` goes back".to_owned(),
                1 => "only number 1 is enabled".to_owned(),
                most => format!("numbers 1 to {most} are enabled"),
            };
            return found.map(|found| (found.clone(), rest)).ok_or_else(|| {
                CommandRefusal::new(format!("no transition has the number {number}"), possible)
            });
        }
        let (name, args, rest) = self.call(what)?;
        self.transitions(name)?;
        let fits = |next: &&Move| {
            let transition = self.instance.system.transition(next.transition);
            transition.name == name
                && args.as_ref().is_none_or(|args| next.args[..transition.params.len()] == args[..])
        };
        let fitting: Vec<(usize, &Move)> = moves.iter().enumerate().filter(|(_, next)| fits(next)).collect();
        match fitting.as_slice() {
            [(_, only)] => Ok(((*only).clone(), rest)),
            [] => {
                let name = &what[..what.len() - rest.len()].trim_end();
                let help = match args {
                    Some(_) => format!("`why {name}` tells why"),
                    None => "`enabled` lists what is possible".to_owned(),
                };
                Err(CommandRefusal::new(format!("{name} is not enabled"), help))
            }
            several => {
                let numbers: Vec<String> =
                    several.iter().map(|(number, _)| (number + 1).to_string()).collect();
                let help = format!("choose among the numbers {}", numbers.join(", "));
                Err(CommandRefusal::new(format!("there are {} ways to do {name}", several.len()), help))
            }
        }
    }

    /// The values that `words` give to the open variables of a move.
    fn open_values(&self, chosen: &Move, words: &str) -> Result<Vec<Value>, CommandRefusal> {
        let (names, mut scratch) = (self.names(), self.state().clone());
        let (mut words, mut values) = (words.split_whitespace(), Vec::new());
        for &var in &chosen.open {
            let choices = open_choices(&self.instance, &names, &scratch, var);
            let name = self.instance.system.title(var);
            let Some(word) = words.next() else {
                let action = chosen.action(&self.instance);
                let what = format!("{action} gives {name} a value of your choice (`:= ?`)");
                return Err(CommandRefusal::new(
                    what,
                    format!("write it after the transition: {}", listed(&choices)),
                ));
            };
            let value = parse(self.instance.system, var, word, &choices)
                .map_err(|help| CommandRefusal::new(format!("{word:?} is not a value of {name}"), help))?;
            scratch.values[self.instance.semantics.layout().position(var, [])] = value;
            values.push(value);
        }
        match words.next() {
            None => Ok(values),
            Some(word) => {
                let help = match chosen.open.len() {
                    0 => "it leaves no value open".to_owned(),
                    1 => "it leaves one value open (`:= ?`)".to_owned(),
                    open => format!("it leaves {open} values open (`:= ?`)"),
                };
                Err(CommandRefusal::new(
                    format!("{} does not take {word:?}", chosen.action(&self.instance)),
                    help,
                ))
            }
        }
    }

    /// Goes to state number `at`.
    pub(super) fn go(&mut self, at: Option<usize>) -> Result<String, CommandRefusal> {
        let last = self.run.steps.len();
        let Some(at) = at.filter(|&at| at <= last) else {
            let what = "the run has no such state";
            return Err(CommandRefusal::new(what, format!("this is state {} of 0 to {last}", self.at)));
        };
        self.at = at;
        Ok(self.scene())
    }

    /// The run, with the present state marked.
    pub(super) fn history(&self) -> String {
        let mark = |at: usize| if at == self.at { '>' } else { ' ' };
        let names = self.names();
        let mut text = format!("{} 0: initial state\n", mark(0));
        for at in 1..=self.run.steps.len() {
            text += &format!("{} {}", mark(at), self.step_line(&names, at));
        }
        text
    }

    /// Step number `at` and what it changed, only in the watched cells when there are some.
    fn step_line(&self, names: &ValueNames<'_>, at: usize) -> String {
        let step = &self.run.steps[at - 1];
        let (before, after) = (self.run.state(at - 1), &step.after);
        let is_watched = |cell: usize| self.watched.is_empty() || self.watched.contains(&cell);
        let changed = self.instance.shown.iter().filter(|cell| cell.differs(before, after));
        let changes: Vec<String> = changed
            .filter(|cell| cell.parts.iter().any(|&(.., at)| is_watched(at)))
            .map(|cell| {
                let [old, new] = [before, after].map(|state| names.shown(cell, state));
                format!("{}: {old} -> {new}", cell.name)
            })
            .collect();
        let action = action(&self.instance, step.transition, &step.args);
        format!("{at}: {action}  {}", changes.join(", ")).trim_end().to_owned() + "\n"
    }

    pub(super) fn random(&mut self, steps: usize) -> Result<String, CommandRefusal> {
        if steps > MOST_RANDOM {
            return Err(CommandRefusal::new(
                format!("too many steps: at most {MOST_RANDOM} at once"),
                "choose fewer",
            ));
        }
        let taken = self.walk(steps, &|_| false);
        let note = if taken.len() < steps {
            format!("stopped after {} steps\n", taken.len())
        } else {
            String::new()
        };
        Ok(self.follow(taken) + &note)
    }

    /// Takes random steps until a cube holds.
    pub(super) fn until(&mut self, cube: &str) -> Result<String, CommandRefusal> {
        let cube = self.cube(cube)?;
        if cube.holds(self.state()) {
            return Ok("it holds here\n".to_owned());
        }
        let taken = self.walk(MOST_STEPS, &|state| cube.holds(state));
        if taken.last().is_none_or(|step| !cube.holds(&step.after)) {
            let steps = taken.len();
            return Ok(format!("it did not hold in {steps} random steps: still in state {}\n", self.at));
        }
        Ok(self.follow(taken))
    }

    /// At most `steps` random steps, up to the first state for which `enough` holds.
    fn walk(&mut self, steps: usize, enough: &dyn Fn(&State) -> bool) -> Vec<Step> {
        let mut taken: Vec<Step> = Vec::new();
        while taken.len() < steps && self.interrupt.poll().is_ok() {
            let state = taken.last().map_or_else(|| self.state().clone(), |step| step.after.clone());
            let Some(step) = random_step(&self.instance, &state, &mut self.rng) else { break };
            let is_enough = enough(&step.after);
            taken.push(step);
            if is_enough {
                break;
            }
        }
        taken
    }

    /// Takes the steps, and shows each of them and the last state.
    fn follow(&mut self, steps: Vec<Step>) -> String {
        let first = self.at + 1;
        self.extend(steps);
        let names = self.names();
        // The last one is shown with its state.
        let shown = first.max(self.at.saturating_sub(STEPS_SHOWN));
        let lines: String = (shown..self.at).map(|at| self.step_line(&names, at)).collect();
        let note = match shown - first {
            0 => String::new(),
            hidden => format!(".. {hidden} earlier steps: `trace` shows them\n"),
        };
        note + &lines + &self.scene()
    }

    /// The nearest state where a cube holds.
    pub(super) fn find(&mut self, cube: &str) -> Result<String, CommandRefusal> {
        let cube = self.cube(cube)?;
        match nearest(&self.instance, self.state(), &|state| cube.holds(state), &self.interrupt) {
            SearchEnd::Run(steps) => Ok(self.follow(steps)),
            SearchEnd::None { complete: true, states } => {
                Ok(format!("it holds in no other state reachable from here ({states} states)\n"))
            }
            SearchEnd::None { .. } => {
                Ok(format!("it holds in none of the states tried, at most the {MOST_STATES} nearest\n"))
            }
            SearchEnd::Stopped => Ok("stopped\n".to_owned()),
        }
    }
}
