//! The relational literals of a union test, each once: what a choice of literals says of each is computed when one is chosen, not
//! whenever a clause is read.

use hashbrown::HashMap;

use crate::cube::Relational;

/// Literals by number.
#[derive(Default, Debug)]
pub struct Relations {
    literals: Vec<Relational>,
    numbers: HashMap<Relational, usize>,
}

impl Relations {
    pub fn number(&mut self, literal: Relational) -> usize {
        let Self { literals, numbers } = self;
        *numbers.entry(literal).or_insert_with_key(|literal| {
            literals.push(literal.clone());
            literals.len() - 1
        })
    }

    pub fn get(&self, number: usize) -> &Relational {
        &self.literals[number]
    }

    /// The choice of none, for as many literals as there are now.
    pub fn none_chosen(&self) -> Chosen {
        Chosen { literals: Vec::new(), settled: vec![Settled::default(); self.literals.len()] }
    }
}

/// What the chosen literals say of another one, each alone.
#[derive(Clone, Copy, Default, Debug)]
struct Settled {
    implied: bool,
    excluded: bool,
}

/// Chosen literals, none of which excludes another.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The literals, in the order in which they were chosen.
    pub literals: Vec<Relational>,
    /// By number.
    settled: Vec<Settled>,
}

impl Chosen {
    /// Whether a chosen literal implies the literal with this number.
    pub fn implies(&self, number: usize) -> bool {
        self.settled[number].implied
    }

    /// Whether a chosen literal excludes the literal with this number.
    pub fn excludes(&self, number: usize) -> bool {
        self.settled[number].excluded
    }

    /// Chooses a literal, unless a chosen one implies it; false when one excludes it.
    pub fn choose(&mut self, relations: &Relations, literal: &Relational) -> bool {
        for old in &self.literals {
            if old.implies(literal) {
                return true;
            }
            if old.excludes(literal) {
                return false;
            }
        }
        self.literals.push(literal.clone());
        for (settled, other) in self.settled.iter_mut().zip(&relations.literals) {
            settled.implied |= literal.implies(other);
            settled.excluded |= literal.excludes(other);
        }
        true
    }
}
