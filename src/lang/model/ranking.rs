//! Rankings: why a promise is kept.

use super::{Conj, Linear, System};

/// A ranking for a `response` or a `recurrence`. Its formulas are over pairwise different processes: the parameters of the property,
/// `ProcRef::Var(0)` and so on, then further ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranking {
    /// The property.
    pub property: String,
    /// The variable that says that a condition of the ranking failed.
    pub failed: String,
    /// Why it is kept.
    pub progress: Progress,
}

/// Why something comes that is awaited for some processes.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Progress {
    /// What holds while it is awaited, one of these.
    pub waits: Vec<Conj>,
    /// What never rises then; compared level by level.
    pub measures: Vec<Measure>,
    /// The steps that lower a measure.
    pub helpers: Vec<Helper>,
    /// Why there is always such a step.
    pub least: Option<Least>,
}

/// A part of what is compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Measure {
    /// A lower level counts more: a measure may rise where one of a lower level falls.
    pub level: u8,
    /// What it is.
    pub of: Measured,
}

/// What a measure is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Measured {
    /// The set of the tuples of this many further processes for which one of these holds, compared by inclusion; without further processes, whether
    /// one holds.
    Tuples {
        /// How many processes.
        further: u8,
        /// The formula.
        body: Vec<Conj>,
    },
    /// An integer that is not negative.
    Number(Linear),
}

/// A fair step that lowers a measure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Helper {
    /// The number of its declaration of fairness among those of the model, from 0.
    pub fairness: usize,
    /// How many further processes it names.
    pub further: u8,
    /// Its arguments: parameters of the property, or further processes.
    pub args: Vec<u8>,
    /// When it helps, where it is possible: one of these holds.
    pub when: Vec<Conj>,
    /// With strong fairness: why its step is possible again and again while that holds, whether it is possible at the moment or not. What
    /// is awaited is that, for the parameters of the property and the further processes.
    pub again: Option<Progress>,
}

/// That a finite set that is not empty has an element with none before it: in such an element some helping step is possible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Least {
    /// Which further processes are elements: those of which one of these holds. The first parameter of the property is one, too.
    pub among: Vec<Conj>,
    /// A strict order: for which two processes, `ProcRef::Var(0)` and `ProcRef::Var(1)`, the first is before the second.
    pub before: Vec<Conj>,
}

impl Ranking {
    /// How many parameters the property has.
    pub fn params(&self, model: &System) -> u8 {
        let property = model.temporal.iter().find(|it| it.name == self.property);
        property.map_or(0, |it| it.params.len() as u8)
    }
}
