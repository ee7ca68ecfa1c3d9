//! Formulas of linear temporal logic, and their truth on runs that repeat.

/// A formula. Atoms are numbered.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Ltl {
    /// Always true, or always false.
    Truth(bool),
    /// The atom with this number.
    Atom(usize),
    /// Negation.
    Not(Box<Ltl>),
    /// Both.
    And(Box<Ltl>, Box<Ltl>),
    /// One of them.
    Or(Box<Ltl>, Box<Ltl>),
    /// In the next state.
    Next(Box<Ltl>),
    /// The first holds until the second does, which it does at some time.
    Until(Box<Ltl>, Box<Ltl>),
    /// The second holds up to and including the first moment where the first does, or for ever.
    Release(Box<Ltl>, Box<Ltl>),
}

impl Ltl {
    /// The negation, with negations at atoms only.
    #[must_use]
    pub fn negated(&self) -> Self {
        self.pushed(true)
    }

    /// The same formula with negations at atoms only, or its negation.
    fn pushed(&self, negate: bool) -> Self {
        let push = |it: &Self| Box::new(it.pushed(negate));
        match (self, negate) {
            (Self::Truth(truth), _) => Self::Truth(*truth != negate),
            (Self::Atom(_), false) => self.clone(),
            (Self::Atom(_), true) => Self::Not(Box::new(self.clone())),
            (Self::Not(a), _) => a.pushed(!negate),
            (Self::And(a, b), false) | (Self::Or(a, b), true) => Self::And(push(a), push(b)),
            (Self::And(a, b), true) | (Self::Or(a, b), false) => Self::Or(push(a), push(b)),
            (Self::Next(a), _) => Self::Next(push(a)),
            (Self::Until(a, b), false) | (Self::Release(a, b), true) => Self::Until(push(a), push(b)),
            (Self::Until(a, b), true) | (Self::Release(a, b), false) => Self::Release(push(a), push(b)),
        }
    }

    /// Where the formula holds on a run of `positions` positions, the last of which is followed by the one at `back`.
    /// `atom` says whether an atom holds at a position.
    pub fn holds(&self, positions: usize, back: usize, atom: &dyn Fn(usize, usize) -> bool) -> Vec<bool> {
        let sub = |it: &Self| it.holds(positions, back, atom);
        let next = |at: usize| if at + 1 < positions { at + 1 } else { back };
        let all = 0..positions;
        match self {
            Self::Truth(truth) => vec![*truth; positions],
            Self::Atom(number) => all.map(|at| atom(*number, at)).collect(),
            Self::Not(a) => sub(a).iter().map(|it| !it).collect(),
            Self::And(a, b) => sub(a).iter().zip(sub(b)).map(|(a, b)| *a && b).collect(),
            Self::Or(a, b) => sub(a).iter().zip(sub(b)).map(|(a, b)| *a || b).collect(),
            Self::Next(a) => {
                let a = sub(a);
                all.map(|at| a[next(at)]).collect()
            }
            Self::Until(a, b) | Self::Release(a, b) => {
                let (a, b) = (sub(a), sub(b));
                // The least solution, or the greatest.
                let until = matches!(self, Self::Until(..));
                let mut truth = vec![!until; positions];
                loop {
                    let before = truth.clone();
                    for at in all.clone().rev() {
                        let later = truth[next(at)];
                        truth[at] = if until { b[at] || a[at] && later } else { b[at] && (a[at] || later) };
                    }
                    if truth == before {
                        return truth;
                    }
                }
            }
        }
    }

    /// How deeply it is nested.
    pub fn depth(&self) -> usize {
        match self {
            Self::Truth(_) | Self::Atom(_) => 1,
            Self::Not(a) | Self::Next(a) => 1 + a.depth(),
            Self::And(a, b) | Self::Or(a, b) | Self::Until(a, b) | Self::Release(a, b) => {
                1 + a.depth().max(b.depth())
            }
        }
    }
}
