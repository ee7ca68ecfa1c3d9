//! What models claim, and the states in which they begin.

use std::collections::BTreeSet;

use super::meaning::{Instance, of_sort, tuples};
use super::model::{Claim, Formula, INIT, Index, Model, Place, State, Term, Word};
use crate::doors::Failures;

/// A field of a variable; `None`: all of them, and what a queue is besides.
type Part = (usize, Option<usize>);

/// What a formula mentions: processes that are bound outside of it, variables, and cells of arrays by their first index.
#[derive(Default)]
struct Mentioned {
    processes: BTreeSet<usize>,
    vars: BTreeSet<Part>,
    cells: Vec<(Part, Index)>,
}

impl Mentioned {
    fn cell(&mut self, part: Part, index: &[Index]) {
        self.vars.insert(part);
        self.cells.extend(index.first().map(|it| (part, it.clone())));
        self.index(index);
    }

    fn index(&mut self, index: &[Index]) {
        for it in index {
            match it {
                Index::Process(process) => drop(self.processes.insert(*process)),
                Index::Value(term) => self.term(term),
                Index::Pointer(var, _) => drop(self.vars.insert((*var, None))),
                Index::Constant(_) => {}
            }
        }
    }

    fn term(&mut self, term: &Term) {
        match term {
            Term::Process(process) => drop(self.processes.insert(*process)),
            Term::Read { var, index, place, field } => {
                self.cell((*var, matches!(place, Place::Cell).then_some(*field)), index);
            }
            Term::Plus(term, _)
            | Term::Remainder(term, _)
            | Term::Multiple(_, term)
            | Term::Abbreviated(term) => self.term(term),
            Term::Sum(_, a, b) => {
                self.term(a);
                self.term(b);
            }
            Term::Count(known, _, body) => self.within(*known, &[body]),
            Term::Total(known, _, term, body) => {
                let own = Formula::Compare("=", (**term).clone(), (**term).clone());
                self.within(*known, &[body, &own]);
            }
            Term::Value(..) | Term::Constant(_) | Term::Bound(..) | Term::Param => {}
        }
    }

    /// Of a formula under a quantifier: the processes after the first ones are bound by it.
    fn within(&mut self, known: usize, bodies: &[&Formula]) {
        let mut inner = Self::default();
        for it in bodies {
            inner.formula(it, known);
        }
        self.processes.extend(inner.processes.range(..known));
        self.vars.append(&mut inner.vars);
    }

    fn formula(&mut self, formula: &Formula, params: usize) {
        match formula {
            Formula::Compare(_, a, b) => {
                self.term(a);
                self.term(b);
            }
            Formula::Same(var, a, b, _) => {
                self.cell((*var, None), a);
                self.cell((*var, None), b);
            }
            Formula::Empty(var, index) | Formula::Full(var, index) => {
                self.cell((*var, None), index);
            }
            Formula::Not(a) | Formula::Called(a) => self.formula(a, params),
            Formula::Both(a, b) | Formula::Either(a, b) | Formula::Implies(a, b) | Formula::Iff(a, b) => {
                self.formula(a, params);
                self.formula(b, params);
            }
            Formula::If(parts) => parts.iter().for_each(|it| self.formula(it, params)),
            Formula::Others(.., a) | Formula::Two(.., a) | Formula::All(.., a) => self.within(params, &[a]),
            Formula::Nested(.., [a, b]) => self.within(params, &[a, b]),
        }
    }
}

impl Formula {
    /// Whether it says something of all processes.
    fn is_universal(&self) -> bool {
        match self {
            Self::Others(all, ..) | Self::Two(all, ..) | Self::All(all, ..) => *all,
            Self::Nested(..) => true,
            Self::Not(a) | Self::Called(a) => a.is_universal(),
            Self::Both(a, b) | Self::Either(a, b) => a.is_universal() || b.is_universal(),
            _ => false,
        }
    }

    /// Whether it holds, or its contrary, where this is said of its comparisons; there, both may be said of one.
    fn is_satisfied(&self, positive: bool, said: &dyn Fn(&Self, bool) -> bool) -> bool {
        let inner = |it: &Self, as_written: bool| it.is_satisfied(as_written == positive, said);
        match self {
            Self::Called(a) => inner(a, true),
            Self::Not(a) => inner(a, false),
            Self::Both(a, b) if positive => inner(a, true) && inner(b, true),
            Self::Both(a, b) => inner(a, true) || inner(b, true),
            Self::Either(a, b) if positive => inner(a, true) || inner(b, true),
            Self::Either(a, b) => inner(a, true) && inner(b, true),
            Self::Implies(a, b) if positive => inner(a, false) || inner(b, true),
            Self::Implies(a, b) => inner(a, false) && inner(b, true),
            Self::Iff(a, b) => {
                let says = |it: &Self, sign| it.is_satisfied(sign, said);
                says(a, true) && says(b, positive) || says(a, false) && says(b, !positive)
            }
            Self::If(parts) => {
                let when = |sign| parts[0].is_satisfied(sign, said);
                when(true) && inner(&parts[1], true) || when(false) && inner(&parts[2], true)
            }
            atom => said(atom, positive),
        }
    }

    pub fn is_quantified(&self) -> bool {
        match self {
            Self::Others(..) | Self::Two(..) | Self::All(..) | Self::Nested(..) => true,
            Self::Not(a) | Self::Called(a) => a.is_quantified(),
            Self::Both(a, b) | Self::Either(a, b) => a.is_quantified() || b.is_quantified(),
            _ => false,
        }
    }

    fn counts(&self) -> bool {
        match self {
            Self::Compare(_, a, b) => a.counts() || b.counts(),
            Self::Not(a) | Self::Called(a) => a.counts(),
            Self::Both(a, b) | Self::Either(a, b) | Self::Implies(a, b) | Self::Iff(a, b) => {
                a.counts() || b.counts()
            }
            Self::If(parts) => parts.iter().any(Self::counts),
            _ => false,
        }
    }

    /// Without the processes in scope, for which `exists` does not stand where nothing is said of all.
    fn of_others(&self) -> Self {
        let inner = |it: &Self| Box::new(it.of_others());
        match self {
            Self::All(all, sort, a) => Self::Others(*all, *sort, a.clone()),
            Self::Not(a) => Self::Not(inner(a)),
            Self::Called(a) => Self::Called(inner(a)),
            Self::Both(a, b) => Self::Both(inner(a), inner(b)),
            Self::Either(a, b) => Self::Either(inner(a), inner(b)),
            other => other.clone(),
        }
    }
}

impl Claim {
    fn mentioned(&self) -> Mentioned {
        let mut found = Mentioned::default();
        self.body.iter().for_each(|it| found.formula(it, self.params.len()));
        found
    }

    /// Whether it is about what no transition changes: an assumption about the first states. `None` where it is about some cells of an array over
    /// values, of which others are assigned.
    fn is_assumed(&self, model: &Model) -> Option<bool> {
        let vars = self.mentioned().vars;
        let assigned: Vec<&Part> = vars.iter().filter(|it| model.assigns(**it)).collect();
        if self.word != Word::Invariant || vars.is_empty() || assigned.is_empty() {
            return Some(self.word == Word::Invariant && !vars.is_empty());
        }
        let over_values = |it: &&Part| model.vars[it.0].is_over_values();
        (!assigned.iter().all(over_values)).then_some(false)
    }

    pub fn is_axiom(&self, model: &Model) -> bool {
        self.is_assumed(model) == Some(true)
    }

    /// Whether it is noted by a variable of its own: what it says of all processes, where it is bad.
    pub fn is_noted(&self) -> bool {
        self.body.iter().any(Formula::is_quantified)
    }
}

impl Model {
    /// Whether some transition assigns it.
    pub fn assigns(&self, (var, field): Part) -> bool {
        let mut fields = field.map_or(0..self.vars[var].fields.len(), |it| it..it + 1);
        let updates = || self.transitions.iter().flat_map(|it| &it.updates);
        fields.any(|field| updates().any(|it| it.assigns(var, field)))
    }

    /// Whether it is known which of its claims are assumed.
    pub fn is_clear(&self) -> bool {
        self.claims.iter().all(|it| it.is_assumed(self).is_some())
    }

    /// Whether it is known which cells a process has that starts again: of an array over values, some may be assigned and others not.
    pub fn is_clear_for(&self, failures: Failures) -> bool {
        let is_clear =
            |it: &(usize, usize)| !self.vars[it.0].is_over_values() || !self.assigns((it.0, Some(it.1)));
        failures != Failures::Restart || self.open.iter().all(is_clear)
    }
}

impl Instance<'_> {
    /// The states in which a run may begin; `None` where there are more.
    pub fn beginnings(&self, most: usize) -> Option<BTreeSet<State>> {
        let mut all = vec![self.initial()];
        for (var, field) in &self.model.open {
            let values = self.model.vars[*var].fields[*field].1.values();
            for at in 0..all[0][*var].len() {
                let with = |state: &State, value| {
                    let mut state = state.clone();
                    state[*var][at][0][*field] = value;
                    state
                };
                all = all.iter().flat_map(|it| values.clone().map(|value| with(it, value))).collect();
                if all.len() > most {
                    return None;
                }
            }
        }
        let none = self.sizes == [0, 0] && !self.model.sorted;
        // A count that is the same for all processes is about none.
        if none && self.model.init.iter().any(Formula::counts) {
            return None;
        }
        let begins = |state: &State| {
            let holds = |it: &Formula| {
                if none {
                    return it.is_satisfied(true, &|atom, positive| {
                        let mut mentioned = Mentioned::default();
                        mentioned.formula(atom, INIT.len());
                        !mentioned.processes.is_empty() || self.holds(state, atom, &[], 0) == positive
                    });
                }
                self.holds_of_all(it, &|part, args| self.holds(state, part, args, args.len()))
            };
            self.model.init.iter().all(holds)
                && !self.model.claims.iter().any(|it| it.is_axiom(self.model) && self.is_excluded(state, it))
        };
        Some(all.into_iter().filter(begins).collect())
    }

    /// Whether `init` says of a process that starts again what the state says: comparisons with its own cells count, and those of what no
    /// transition assigns.
    pub fn begins_again(&self, state: &State, process: usize) -> bool {
        let counts = |atom: &Formula, args: &[usize]| {
            let mut mentioned = Mentioned::default();
            mentioned.formula(atom, INIT.len());
            let is_own = |(part, index): &(Part, Index)| {
                let its = match index {
                    Index::Process(at) => args.get(*at) == Some(&process),
                    Index::Constant(number) => *number == process,
                    Index::Value(_) | Index::Pointer(..) => false,
                };
                its && self.model.assigns(*part)
            };
            mentioned.cells.iter().any(is_own) || !mentioned.vars.iter().any(|it| self.model.assigns(*it))
        };
        let said = |part: &Formula, args: &[usize]| {
            part.is_satisfied(true, &|atom, positive| {
                !counts(atom, args) || self.holds(state, atom, args, args.len()) == positive
            })
        };
        self.model.init.iter().all(|it| self.holds_of_all(it, &said))
    }

    /// Whether a part of `init` holds for all processes that it mentions.
    fn holds_of_all(&self, part: &Formula, said: &dyn Fn(&Formula, &[usize]) -> bool) -> bool {
        match part {
            Formula::Both(a, b) => self.holds_of_all(a, said) && self.holds_of_all(b, said),
            Formula::Called(a) => self.holds_of_all(a, said),
            part => {
                let mut mentioned = Mentioned::default();
                mentioned.formula(part, INIT.len());
                let mut tuples = vec![vec![usize::MAX; INIT.len()]];
                for process in mentioned.processes {
                    let of: Vec<usize> = of_sort(self.sizes, INIT[process].1).collect();
                    let with = |known: &Vec<usize>, it: usize| {
                        let mut tuple = known.clone();
                        tuple[process] = it;
                        tuple
                    };
                    tuples =
                        tuples.iter().flat_map(|known| of.iter().map(move |it| with(known, *it))).collect();
                }
                tuples.iter().all(|args| said(part, args))
            }
        }
    }

    /// Whether a claim says that the state is none.
    pub fn is_excluded(&self, state: &State, claim: &Claim) -> bool {
        let Claim { word, params, body } = claim;
        // What is said of a state includes processes that have crashed.
        let alive = [&state[..self.model.vars.len()], &self.initial()[self.model.vars.len()..]].concat();
        let as_others = !word.is_positive() && !body.iter().any(Formula::is_universal);
        let body: Vec<Formula> =
            body.iter().map(|it| if as_others { it.of_others() } else { it.clone() }).collect();
        let said = |args: &Vec<usize>| body.iter().all(|it| self.holds(&alive, it, args, params.len()));
        tuples(self.sizes, params).iter().any(|args| said(args) != word.is_positive())
    }
}
