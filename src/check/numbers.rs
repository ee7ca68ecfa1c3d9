//! What a backward search knows of numbers: how steps change the counts of the model, and the equations between numbers of
//! processes and numeric variables that hold in every reachable state.

use cubicle_forward::sample_runs;
use cubicle_lang::model::semantics::State;
use cubicle_lang::model::{Count, Equation, Literal, System, Var};
use cubicle_run::{ForwardOptions, Interrupt, Interrupted, Outcome, Strategy, Verdict};
use cubicle_transform::{
    WithEquations, bounds_moved, open_numbers, with_counts_excluded, with_counts_seen, with_equations,
    with_lasting_counts, with_updates_of_counts,
};

/// States of an instance in which numbers are looked at. By estimate: more seldom refute a guess.
const STATES_SEEN: usize = 1500;

/// Processes of the largest one.
const PROCS_SEEN: usize = 3;

/// A system as the backward search reads it.
#[derive(Clone, Debug)]
pub struct Numbers {
    /// Its transitions assign the counts of the model and those that such assignments need; the counts of the equations
    /// come last and are assigned by none.
    pub system: System,
    /// What holds in every reachable state.
    pub equations: Vec<Equation>,
    /// That a number is not what it may be.
    pub guesses: Vec<Literal>,
    /// Variables of the system itself.
    own: usize,
}

impl Numbers {
    /// Those of a system.
    ///
    /// # Errors
    /// Why the run must end.
    pub fn of(system: &System, interrupt: &Interrupt) -> Result<Self, Interrupted> {
        let explicit = if system.counts.is_empty() { system.clone() } else { with_updates_of_counts(system) };
        let own = system.vars.len();
        let found = with_equations(&explicit, &|| interrupt.poll().is_err());
        interrupt.check()?;
        let (system, equations) = match found {
            Some(WithEquations { system, equations }) => (system, equations),
            None => (explicit, Vec::new()),
        };
        Ok(Self { system, equations, guesses: Vec::new(), own })
    }

    /// With guesses about the numbers that no equation gives, from small instances of the system.
    ///
    /// # Errors
    /// Why the run must end.
    pub fn with_guesses(
        self,
        system: &System,
        options: &ForwardOptions,
        interrupt: &Interrupt,
    ) -> Result<Self, Interrupted> {
        let open = open_numbers(system, &self.equations);
        let (mut with_counts, mut guesses) = with_lasting_counts(system);
        guesses.extend(bounds_moved(system));
        let (with_excluded, excluded) = with_counts_excluded(&with_counts);
        with_counts = with_excluded;
        guesses.extend(excluded);
        if !open.is_empty() {
            let limits =
                ForwardOptions { max_states: Some(STATES_SEEN), strategy: Strategy::Bfs, ..options.clone() };
            let states = |procs| sample_runs(system, procs, &limits, interrupt).states;
            let states: Vec<State> = (1..=PROCS_SEEN).flat_map(states).collect();
            interrupt.check()?;
            let (with_seen, seen) = with_counts_seen(&with_counts, &open, &states);
            with_counts = with_seen;
            guesses.extend(seen);
        }
        if with_counts.vars.len() == system.vars.len() {
            return Ok(Self { guesses, ..self });
        }
        Ok(Self { guesses, own: system.vars.len(), ..Self::of(&with_counts, interrupt)? })
    }

    /// Those of a system without counts, with nothing found.
    pub fn without_equations(system: &System) -> Self {
        Self { system: system.clone(), equations: Vec::new(), guesses: Vec::new(), own: system.vars.len() }
    }

    /// The counts that the system itself does not have.
    fn added(&self) -> Vec<(Var, Count)> {
        let is_added = |count: &&Count| usize::from(count.var.0) >= self.own;
        let declared = |count: &Count| (self.system.var(count.var).clone(), count.clone());
        self.system.counts.iter().filter(is_added).map(declared).collect()
    }

    /// The outcome of a search, with runs of the system itself.
    pub fn conclude(&self, original: &System, mut outcome: Outcome) -> Outcome {
        if let Verdict::Unsafe(trace) = &mut outcome.verdict {
            **trace = trace.clone().within(original);
        }
        outcome.counts = self.added();
        outcome.equations.clone_from(&self.equations);
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_must_end_looks_for_nothing() {
        let text = "type t = Idle | Busy array S[proc] : t var N : int init (p) { S[p] = Idle && N = 0 }
            transition t (p) requires { S[p] = Idle } { S[p] := Busy; N := N + 1 }";
        let system = cubicle_lang::load(text).expect("a model").system;
        let interrupt = Interrupt::default();
        let numbers = Numbers::of(&system, &interrupt).expect("a run that goes on");
        assert!(!numbers.equations.is_empty());
        interrupt.expire();
        assert!(Numbers::of(&system, &interrupt).is_err());
        let open = Numbers::without_equations(&system);
        assert!(open.with_guesses(&system, &ForwardOptions::default(), &interrupt).is_err());
    }
}
