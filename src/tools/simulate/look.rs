//! The commands of a session that only inspect: formulas, guards and cells.

use super::command::CommandRefusal;
use super::cube::NamedCube;
use super::session::Simulation;
use crate::itf::Explainer;
use cubicle_lang::list::are_different;
use cubicle_lang::load::ModelSource;
use cubicle_lang::model::semantics::{Step, distinct_tuples};
use cubicle_lang::model::{System, TransitionId};
use cubicle_run::Trace;

impl Simulation<'_> {
    pub(super) fn holds(&self, cube: &str) -> Result<String, CommandRefusal> {
        Ok(if self.cube(cube)?.holds(self.state()) { "yes\n" } else { "no\n" }.to_owned())
    }

    pub(super) fn cube(&self, text: &str) -> Result<NamedCube, CommandRefusal> {
        let model = ModelSource::new(self.instance.system, self.source.text);
        NamedCube::parse(model, text, self.instance.procs).map_err(|why| {
            CommandRefusal::new(
                format!("{text:?} is not a formula of the model: {why}"),
                "write it as in `unsafe`: A[#1] = B && C <> #2",
            )
        })
    }

    /// Why a transition is not enabled for some processes.
    pub(super) fn why(&self, what: &str) -> Result<String, CommandRefusal> {
        let (name, args, rest) = self.call(what)?;
        let found = self.transitions(name)?;
        let args = args.filter(|_| rest.is_empty());
        let Some(args) = args else {
            return Err(CommandRefusal::new(
                "`why` needs the processes of the transition",
                format!("write `why {name}(#1, ..)`"),
            ));
        };
        let lone = Trace::begin(self.state().clone());
        let explainer = Explainer::new(self.instance.system, &self.source, &lone);
        let mut text = String::new();
        let mut fitting = false;
        for id in found {
            let transition = self.instance.system.transition(id);
            let known = args.iter().all(|&arg| arg < self.instance.procs);
            if transition.params.len() != args.len() || !are_different(&args) || !known {
                continue;
            }
            fitting = true;
            let hidden = distinct_tuples(self.instance.procs, usize::from(transition.hidden));
            let steps = hidden.filter(|hidden| !hidden.iter().any(|p| args.contains(p))).map(|hidden| Step {
                transition: id,
                args: [args.clone(), hidden].concat(),
                after: self.state().clone(),
            });
            let nearest = steps.min_by_key(|step| explainer.distance(self.state(), step));
            text += &match nearest.map(|step| explainer.guard(self.state(), &step)) {
                Some(Some(why)) => format!("{why}\n"),
                Some(None) => return Ok("it is enabled\n".to_owned()),
                None => "there are too few processes\n".to_owned(),
            };
        }
        if fitting { Ok(text) } else { Err(self.wrong_arguments(name)) }
    }

    fn wrong_arguments(&self, name: &str) -> CommandRefusal {
        let params = self.instance.system.transitions.iter().find(|t| t.name == name).map(|t| t.params.len());
        let help = format!(
            "{name} takes {} different processes of #1 to #{}",
            params.unwrap_or(0),
            self.instance.procs
        );
        CommandRefusal::new("the arguments do not fit", help)
    }

    /// `enter(#1, #2) rest`: the name, the processes (from 0) if there are any, and the rest. Without parentheses,
    /// `enter 1 2 rest` names processes when there is a word for each parameter, or for each parameter and each open value.
    pub(super) fn call<'w>(
        &self,
        text: &'w str,
    ) -> Result<(&'w str, Option<Vec<usize>>, &'w str), CommandRefusal> {
        let (name, args, rest) = split_call(text)?;
        let transition = self.instance.system.transitions.iter().find(|transition| transition.name == name);
        let Some(transition) = transition.filter(|_| args.is_none() && !rest.is_empty()) else {
            return Ok((name, args, rest));
        };
        let params = transition.params.len();
        let open = transition.open().count();
        let words: Vec<&str> = rest.split_whitespace().collect();
        if params == 0 || (words.len() != params + open && words.len() != params) {
            return Ok((name, args, rest));
        }
        let Some(args) = words[..params].iter().map(|word| process(word)).collect() else {
            return Ok((name, None, rest));
        };
        let next =
            |rest: &'w str| rest.split_once(char::is_whitespace).map_or("", |(_, behind)| behind.trim());
        Ok((name, Some(args), (0..params).fold(rest, |rest, _| next(rest))))
    }

    pub(super) fn transitions(&self, name: &str) -> Result<Vec<TransitionId>, CommandRefusal> {
        let all = &self.instance.system.transitions;
        let named = |&(_, t): &(usize, &cubicle_lang::model::Transition)| t.name == name;
        let found: Vec<TransitionId> =
            all.iter().enumerate().filter(named).map(|(id, _)| TransitionId(id as u16)).collect();
        if self.instance.system.impossible.iter().any(|it| it == name) {
            let why = format!("transition {name} is possible in no state");
            return Err(CommandRefusal::new(why, "its guard contradicts itself".to_owned()));
        }
        if found.is_empty() {
            let known = transition_names(self.instance.system);
            let help = match cubicle_lang::spelling::nearest(name, known.iter().copied()) {
                Some(similar) => format!("did you mean `{similar}`?"),
                None => format!("there are {}", known.join(", ")),
            };
            return Err(CommandRefusal::new(format!("the model has no transition {name}"), help));
        }
        Ok(found)
    }

    /// The cells that words name; all cells of an array without an index.
    pub(super) fn cells(&self, words: &str) -> Result<Vec<usize>, CommandRefusal> {
        let mut found = Vec::new();
        // Blanks inside brackets are part of a cell.
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
            let of_array = |name: &str| name.split('[').next() == Some(&word);
            let is_meant = |name: &str| compact(name) == word || of_array(name);
            let of_word: Vec<usize> = (self.instance.shown.iter())
                .flat_map(|cell| cell.parts.iter().map(move |&(_, var, at)| (cell, var, at)))
                .filter(|(cell, var, at)| {
                    let part = &self.instance.cells[*at].1;
                    // The names of the core are known, too.
                    compact(&cell.name) == word || is_meant(part) || var.name == word || of_array(&cell.name)
                })
                .map(|(.., at)| at)
                .collect();
            if of_word.is_empty() {
                let mut names: Vec<&str> =
                    self.instance.shown.iter().map(|cell| cell.title.as_str()).collect();
                names.dedup();
                let help = match self.instance.declared.first().map(|cell| &self.instance.cells[*cell]) {
                    Some((_, first)) => {
                        format!("write a cell such as {first}, of {}", names.join(", "))
                    }
                    None => "the instance has no cells".to_owned(),
                };
                return Err(CommandRefusal::new(format!("the instance has no cell {word}"), help));
            }
            found.extend(of_word);
        }
        Ok(found)
    }

    /// Watches cells, or lists the watched ones.
    pub(super) fn watch(&mut self, cells: &str) -> Result<String, CommandRefusal> {
        let cells = self.cells(cells)?;
        self.watched.extend(cells);
        self.watched.sort_unstable();
        self.watched.dedup();
        Ok(if self.watched.is_empty() { "no cell is watched\n".to_owned() } else { self.watched_text() })
    }

    pub(super) fn unwatch(&mut self, cells: &str) -> Result<String, CommandRefusal> {
        let named = self.cells(cells)?;
        self.watched.retain(|cell| !cells.is_empty() && !named.contains(cell));
        Ok(String::new())
    }

    /// The watched cells, one on each line.
    pub(super) fn watched_text(&self) -> String {
        let names = self.names();
        let before = self.at.checked_sub(1).map(|before| self.run.state(before));
        let table = self.cells_of(&names, before);
        let mut text = String::new();
        for cell in &self.instance.shown {
            let watched: Vec<usize> =
                cell.parts.iter().map(|part| part.2).filter(|at| self.watched.contains(at)).collect();
            if watched.len() == cell.parts.len() {
                text += &format!("  {}\n", table.line(cell));
            } else {
                text.extend(watched.into_iter().map(|at| format!("  {}\n", table.part(at))));
            }
        }
        text
    }
}

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
fn split_call(text: &str) -> Result<(&str, Option<Vec<usize>>, &str), CommandRefusal> {
    let Some((name, behind)) = text.split_once('(') else {
        let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        return Ok((name, None, rest.trim()));
    };
    let wrong = || {
        CommandRefusal::new(
            format!("{text:?} is not a transition with its processes"),
            "write `enter(#1, #2)`",
        )
    };
    let (args, rest) = behind.split_once(')').ok_or_else(wrong)?;
    let words = args.split([',', ' ']).map(str::trim).filter(|word| !word.is_empty());
    let args: Option<Vec<usize>> = words.map(process).collect();
    Ok((name.trim(), Some(args.ok_or_else(wrong)?), rest.trim()))
}

/// `#2`, or `2` for short, as a process from 0.
fn process(word: &str) -> Option<usize> {
    word.strip_prefix('#').unwrap_or(word).parse::<usize>().ok()?.checked_sub(1)
}
