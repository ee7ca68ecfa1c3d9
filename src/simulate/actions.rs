//! Steps, and looking at them: what the commands of a session do beyond its start.

use super::cube::Cube;
use super::moves::{Move, Moves, action};
use super::search::{Found, MOST_STATES, nearest, random_step};
use super::session::{Refusal, Session};
use super::values::{listed, parse};
use crate::itf::Explainer;
use crate::model::semantics::{State, Step, Value, distinct_tuples};
use crate::model::{System, TransitionId};
use crate::words::Names;

/// Steps by lot towards a cube.
const MOST_STEPS: usize = 1000;

/// Steps by lot at once, and the longest run.
const MOST_RANDOM: usize = 100_000;

impl Session<'_> {
    /// Takes the step that `what` names: a number in the list, or a transition with or without arguments; then
    /// the values for what it leaves open.
    pub(super) fn step(&mut self, what: &str) -> Result<String, Refusal> {
        let moves = Moves::of(&self.instance, self.state()).list;
        let (chosen, values) = self.named(&moves, what)?;
        let values = self.open_values(&chosen, values)?;
        let step = chosen.step(&self.instance, &values);
        self.extend(vec![step]);
        Ok(self.scene())
    }

    /// The move that is meant, and the words behind it.
    fn named<'w>(&self, moves: &[Move], what: &'w str) -> Result<(Move, &'w str), Refusal> {
        if what.starts_with(|c: char| c.is_ascii_digit()) {
            let (number, rest) = what.split_once(char::is_whitespace).unwrap_or((what, ""));
            let found = number.parse::<usize>().ok().and_then(|number| moves.get(number.checked_sub(1)?));
            let possible = match moves.len() {
                0 => "no transition is enabled: `undo` goes back".to_owned(),
                1 => "only number 1 is enabled".to_owned(),
                most => format!("numbers 1 to {most} are enabled"),
            };
            return found
                .map(|found| (found.clone(), rest))
                .ok_or_else(|| Refusal::new(format!("no transition has the number {number}"), possible));
        }
        let (name, args, rest) = split_call(what)?;
        self.transitions(name)?;
        let fits = |next: &&Move| {
            let transition = self.instance.system.transition(next.transition);
            transition.name == name
                && args.as_ref().is_none_or(|args| next.args[..transition.params.len()] == args[..])
        };
        let fitting: Vec<(usize, &Move)> = moves.iter().enumerate().filter(|(_, next)| fits(&next)).collect();
        match fitting.as_slice() {
            [(_, only)] => Ok(((*only).clone(), rest)),
            [] => {
                let name = &what[..what.len() - rest.len()].trim_end();
                let help = match args {
                    Some(_) => format!("`why {name}` tells why"),
                    None => "`enabled` lists what is possible".to_owned(),
                };
                Err(Refusal::new(format!("{name} is not enabled"), help))
            }
            several => {
                let numbers: Vec<String> =
                    several.iter().map(|(number, _)| (number + 1).to_string()).collect();
                let help = format!("choose among the numbers {}", numbers.join(", "));
                Err(Refusal::new(format!("there are {} ways to do {name}", several.len()), help))
            }
        }
    }

    /// The transitions with a name.
    fn transitions(&self, name: &str) -> Result<Vec<TransitionId>, Refusal> {
        let all = &self.instance.system.transitions;
        let named = |&(_, t): &(usize, &crate::model::Transition)| t.name == name;
        let found: Vec<TransitionId> =
            all.iter().enumerate().filter(named).map(|(id, _)| TransitionId(id as u16)).collect();
        if found.is_empty() {
            let known = transition_names(self.instance.system);
            let help = match crate::spelling::nearest(name, known.iter().copied()) {
                Some(similar) => format!("did you mean `{similar}`?"),
                None => format!("there are {}", known.join(", ")),
            };
            return Err(Refusal::new(format!("the model has no transition {name}"), help));
        }
        Ok(found)
    }

    /// The values that `words` give to the open variables of a move.
    fn open_values(&self, chosen: &Move, words: &str) -> Result<Vec<Value>, Refusal> {
        let (names, mut scratch) = (self.names(), self.state().clone());
        let (mut words, mut values) = (words.split_whitespace(), Vec::new());
        for &var in &chosen.open {
            let choices = chosen.choices(&self.instance, &names, &scratch, var);
            let name = &self.instance.system.var(var).name;
            let Some(word) = words.next() else {
                let action = chosen.action(&self.instance);
                let what = format!("{action} gives {name} a value of your choice (`:= ?`)");
                return Err(Refusal::new(what, format!("write it behind: {}", listed(&choices))));
            };
            let value = parse(self.instance.system, var, word, &choices)
                .map_err(|help| Refusal::new(format!("{word:?} is no value of {name}"), help))?;
            scratch.values[self.instance.semantics.layout().position(var, [])] = value;
            values.push(value);
        }
        match words.next() {
            None => Ok(values),
            Some(word) => {
                let help = format!("it leaves {} values open", chosen.open.len());
                Err(Refusal::new(format!("{} has no use for {word:?}", chosen.action(&self.instance)), help))
            }
        }
    }

    /// To state number `at`.
    pub(super) fn go(&mut self, at: Option<usize>, _command: &str) -> Result<String, Refusal> {
        let last = self.run.steps.len();
        let Some(at) = at.filter(|&at| at <= last) else {
            let what = "the run has no such state";
            return Err(Refusal::new(what, format!("here is state {} of 0 to {last}", self.at)));
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

    /// Step number `at` and what it changed, of the watched cells when there are some.
    fn step_line(&self, names: &Names<'_>, at: usize) -> String {
        let step = &self.run.steps[at - 1];
        let (before, after) = (self.state_at(at - 1), &step.after);
        let shown = |cell: &usize| self.watched.is_empty() || self.watched.contains(cell);
        let changed = (0..self.instance.cells.len())
            .filter(|&cell| before.values[cell] != after.values[cell])
            .filter(shown);
        let changes: Vec<String> = changed.map(|cell| self.change(names, cell, before, after)).collect();
        let action = action(&self.instance, step.transition, &step.args);
        format!("{at}: {action}  {}", changes.join(", ")).trim_end().to_owned() + "\n"
    }

    fn change(&self, names: &Names<'_>, cell: usize, before: &State, after: &State) -> String {
        let value = |state: &State| names.value(self.instance.var(cell), state.values[cell]);
        format!("{}: {} -> {}", self.instance.cells[cell].1, value(before), value(after))
    }

    /// Steps by lot.
    pub(super) fn random(&mut self, steps: usize) -> Result<String, Refusal> {
        if steps > MOST_RANDOM {
            return Err(Refusal::new(
                format!("that is too far: at most {MOST_RANDOM} steps at once"),
                "fewer",
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

    /// Steps by lot until a cube holds.
    pub(super) fn until(&mut self, cube: &str) -> Result<String, Refusal> {
        let cube = self.cube(cube)?;
        if cube.holds(self.state()) {
            return Ok("it holds here\n".to_owned());
        }
        let taken = self.walk(MOST_STEPS, &|state| cube.holds(state));
        if taken.last().is_none_or(|step| !cube.holds(&step.after)) {
            let steps = taken.len();
            return Ok(format!("it did not hold in {steps} steps by lot: still in state {}\n", self.at));
        }
        Ok(self.follow(taken))
    }

    /// At most so many steps by lot, to the first state for which `enough` holds.
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

    /// Goes the steps, and shows each and the last state.
    fn follow(&mut self, steps: Vec<Step>) -> String {
        let first = self.at + 1;
        self.extend(steps);
        let names = self.names();
        // The last one is shown with its state.
        let lines: String = (first..self.at).map(|at| self.step_line(&names, at)).collect();
        lines + &self.scene()
    }

    /// The nearest state where a cube holds.
    pub(super) fn find(&mut self, cube: &str) -> Result<String, Refusal> {
        let cube = self.cube(cube)?;
        match nearest(&self.instance, self.state(), &|state| cube.holds(state), &self.interrupt) {
            Found::Run(steps) => Ok(self.follow(steps)),
            Found::None { complete: true, states } => {
                Ok(format!("it holds in no state that can follow ({states} states)\n"))
            }
            Found::None { .. } => {
                Ok(format!("it holds in none of the {MOST_STATES} nearest states or those tried\n"))
            }
            Found::Stopped => Ok("stopped\n".to_owned()),
        }
    }

    /// Whether a cube holds here.
    pub(super) fn holds(&self, cube: &str) -> Result<String, Refusal> {
        Ok(if self.cube(cube)?.holds(self.state()) { "yes\n" } else { "no\n" }.to_owned())
    }

    fn cube(&self, text: &str) -> Result<Cube, Refusal> {
        Cube::parse(self.instance.system, self.source.text, text, self.instance.procs).map_err(|why| {
            Refusal::new(
                format!("{text:?} is no formula of the model: {why}"),
                "write it as in `unsafe`: A[#1] = B && C <> #2",
            )
        })
    }

    /// Why a transition is not enabled for some processes.
    pub(super) fn why(&self, what: &str) -> Result<String, Refusal> {
        let (name, args, rest) = split_call(what)?;
        let found = self.transitions(name)?;
        let args = args.filter(|_| rest.is_empty());
        let Some(args) = args else {
            return Err(Refusal::new("why for which processes?", format!("write `why {name}(#1, ..)`")));
        };
        let lone = crate::verdict::Trace { initial: self.state().clone(), steps: Vec::new(), bad: None };
        let explainer = Explainer::new(self.instance.system, &self.source, &lone);
        let mut text = String::new();
        let mut fitting = false;
        for id in found {
            let transition = self.instance.system.transition(id);
            let distinct = args.iter().enumerate().all(|(i, arg)| !args[..i].contains(arg));
            let known = args.iter().all(|&arg| arg < self.instance.procs);
            if transition.params.len() != args.len() || !distinct || !known {
                continue;
            }
            fitting = true;
            let mut nearest: Option<(usize, Step)> = None;
            for hidden in distinct_tuples(self.instance.procs, usize::from(transition.hidden)) {
                if hidden.iter().any(|p| args.contains(p)) {
                    continue;
                }
                let step = Step {
                    transition: id,
                    args: [args.clone(), hidden].concat(),
                    after: self.state().clone(),
                };
                let distance = explainer.distance(self.state(), &step);
                if nearest.as_ref().is_none_or(|(least, _)| distance < *least) {
                    nearest = Some((distance, step));
                }
            }
            text += &match nearest.map(|(_, step)| explainer.guard(self.state(), &step)) {
                Some(Some(why)) => format!("{why}\n"),
                Some(None) => return Ok("it is enabled\n".to_owned()),
                None => "there are too few processes\n".to_owned(),
            };
        }
        if fitting { Ok(text) } else { Err(self.wrong_arguments(name)) }
    }

    fn wrong_arguments(&self, name: &str) -> Refusal {
        let params = self.instance.system.transitions.iter().find(|t| t.name == name).map(|t| t.params.len());
        let help = format!(
            "{name} is for {} different processes of #1 to #{}",
            params.unwrap_or(0),
            self.instance.procs
        );
        Refusal::new("the arguments do not fit", help)
    }

    /// The cells that words name; of an array without index all.
    pub(super) fn cells(&self, words: &str) -> Result<Vec<usize>, Refusal> {
        let mut found = Vec::new();
        // Blanks inside of brackets belong to a cell.
        let mut depth = 0_usize;
        let split = |c: char| {
            depth = match c {
                '[' => depth + 1,
                ']' => depth.saturating_sub(1),
                _ => depth,
            };
            depth == 0 && (c.is_whitespace() || c == ',')
        };
        for word in words.split(split).filter(|word| !word.is_empty()) {
            let compact = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            let word = compact(word);
            let is_meant = |name: &str| compact(name) == word || name.split('[').next() == Some(&word);
            let of_word: Vec<usize> = (0..self.instance.cells.len())
                .filter(|&cell| is_meant(&self.instance.cells[cell].1))
                .collect();
            if of_word.is_empty() {
                let names = self.instance.system.vars.iter().map(|var| var.name.as_str());
                let help = match self.instance.cells.first() {
                    Some((_, first)) => {
                        format!("cells are such as {first}, of {}", names.collect::<Vec<_>>().join(", "))
                    }
                    None => "the instance has no cells".to_owned(),
                };
                return Err(Refusal::new(format!("the instance has no cell {word}"), help));
            }
            found.extend(of_word);
        }
        Ok(found)
    }

    /// Watches cells, or says which are watched.
    pub(super) fn watch(&mut self, cells: &str) -> Result<String, Refusal> {
        let cells = self.cells(cells)?;
        self.watched.extend(cells);
        self.watched.sort_unstable();
        self.watched.dedup();
        Ok(if self.watched.is_empty() { "no cell is watched\n".to_owned() } else { self.watched_text() })
    }

    /// Watches cells no more.
    pub(super) fn unwatch(&mut self, cells: &str) -> Result<String, Refusal> {
        let named = self.cells(cells)?;
        self.watched.retain(|cell| !cells.is_empty() && !named.contains(cell));
        Ok(String::new())
    }

    /// The watched cells, one a line.
    pub(super) fn watched_text(&self) -> String {
        let names = self.names();
        let before = self.at.checked_sub(1).map(|before| self.state_at(before));
        let line = |&cell: &usize| {
            let value = names.value(self.instance.var(cell), self.state().values[cell]);
            let changed = before.is_some_and(|before| before.values[cell] != self.state().values[cell]);
            format!("  {} = {value}{}\n", self.instance.cells[cell].1, if changed { "*" } else { "" })
        };
        self.watched.iter().map(line).collect()
    }
}

/// Names of transitions, each once.
pub(super) fn transition_names(system: &System) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for transition in &system.transitions {
        if !names.contains(&transition.name.as_str()) {
            names.push(&transition.name);
        }
    }
    names
}

/// `enter(#1, #2) rest`: the name, the processes (from 0) if there are parentheses, and the rest.
fn split_call(text: &str) -> Result<(&str, Option<Vec<usize>>, &str), Refusal> {
    let Some((name, behind)) = text.split_once('(') else {
        let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        return Ok((name, None, rest.trim()));
    };
    let wrong =
        || Refusal::new(format!("{text:?} is no transition with its processes"), "write `enter(#1, #2)`");
    let (args, rest) = behind.split_once(')').ok_or_else(wrong)?;
    let words = args.split([',', ' ']).map(str::trim).filter(|word| !word.is_empty());
    let process = |word: &str| word.strip_prefix('#')?.parse::<usize>().ok()?.checked_sub(1);
    let args: Option<Vec<usize>> = words.map(process).collect();
    Ok((name.trim(), Some(args.ok_or_else(wrong)?), rest.trim()))
}
