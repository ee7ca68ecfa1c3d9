//! Cubes that a user types, read by the language's own parser: `At[#1] = Critical && Turn <> #2`.

use crate::diagnostic::{BYTE_ORDER_MARK, Severity};
use crate::load::meaning;
use crate::model::System;
use crate::model::semantics::{Semantics, State};

/// The longest text that is read, in bytes.
const LONGEST: usize = 10_000;

/// A formula about single states, with processes by their names.
pub(crate) struct NamedCube {
    /// The model with the formula as a further `unsafe`.
    system: System,
    /// Its disjuncts among the bad cubes of that model.
    disjuncts: Vec<usize>,
}

impl NamedCube {
    /// Reads `cube`; `text` is the model that `system` comes from. The error is a line for the user.
    pub fn parse(system: &System, text: &str, cube: &str, procs: usize) -> Result<Self, String> {
        // Processes have names in a model that says how many there are.
        let bound = if system.max_procs.is_none() { "number_procs 64 " } else { "" };
        let cube = Self::declared(system, text, bound, &[], cube)?;
        let constants = cube.system.proc_constants;
        if usize::from(constants) > procs {
            return Err(format!("there is no #{constants}: the instance has {procs} processes"));
        }
        Ok(cube)
    }

    /// As [`NamedCube::parse`], but `#1`, `#2`, .. are any processes that differ, where the model itself has no names
    /// for processes.
    pub fn parse_for_any(system: &System, text: &str, cube: &str) -> Result<Self, String> {
        if system.max_procs.is_some() {
            return Self::declared(system, text, "", &[], cube);
        }
        let (cube, params) = with_parameters(cube);
        Self::declared(system, text, "", &params, &cube)
    }

    /// Reads the formula in an `unsafe` with these parameters; `bound` stands before the model.
    fn declared(
        system: &System,
        text: &str,
        bound: &str,
        params: &[String],
        cube: &str,
    ) -> Result<Self, String> {
        if cube.trim().is_empty() {
            return Err("a formula is missing, such as one in `unsafe` with processes #1, #2, ..".to_owned());
        }
        // A brace would end the declaration that the formula is read in.
        if let Some(odd) = cube.chars().find(|c| ['{', '}'].contains(c)) {
            return Err(format!("a formula has no `{odd}`"));
        }
        if cube.len() > LONGEST {
            return Err(format!("a formula has at most {LONGEST} bytes"));
        }
        let (before, behind) = text.split_at(system.init.span.end as usize);
        let before = format!("{bound}{}", before.trim_start_matches(BYTE_ORDER_MARK));
        let params = if params.is_empty() { String::new() } else { format!("({}) ", params.join(" ")) };
        let declaration = format!(" unsafe {params}{{ {cube} }} ");
        let loaded = meaning(&format!("{before}{declaration}{behind}")).map_err(|found| {
            let error = found.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
            let Some(error) = error else { return "it does not fit the model".to_owned() };
            let label = Some(error.primary.text.as_str()).filter(|label| !label.is_empty());
            [Some(error.message.as_str()), label, error.help.as_deref()]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(": ")
        })?;
        let system = loaded.system;
        let inserted = before.len()..before.len() + declaration.len();
        let is_new = |number: &usize| inserted.contains(&(system.bad[*number].span.start as usize));
        let disjuncts = (0..system.bad.len()).filter(is_new).collect();
        Ok(Self { system, disjuncts })
    }

    /// The model with the formula as its only `unsafe`, in order of the disjuncts.
    pub fn alone(&self) -> System {
        let mut system = self.system.clone();
        system.bad = self.disjuncts.iter().map(|&bad| self.system.bad[bad].clone()).collect();
        system
    }

    /// Whether it holds in a state.
    pub fn holds(&self, state: &State) -> bool {
        let semantics = Semantics::new(&self.system, state.procs);
        self.disjuncts.iter().any(|&bad| semantics.satisfies(state, bad).is_some())
    }
}

/// The formula with parameters for `#1`, `#2`, .., and the parameters.
fn with_parameters(cube: &str) -> (String, Vec<String>) {
    let (mut text, mut params) = (String::new(), Vec::new());
    let mut rest = cube;
    while let Some(at) = rest.find('#') {
        text += &rest[..at];
        let behind = &rest[at + 1..];
        let digits = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        // By number: `#01` is `#1`. What is no number stays, for the parser to complain about.
        match behind[..digits].parse::<u32>() {
            Ok(number) if number > 0 => {
                let name = format!("process{number}");
                text += &name;
                if !params.contains(&name) {
                    params.push(name);
                }
            }
            _ => text += &rest[at..=at + digits],
        }
        rest = &behind[digits..];
    }
    (text + rest, params)
}
