//! The steps that fairness is about, and which step of the instance serves which constraint.

use crate::live::arrows::{Arrow, Moves, STAY, STUTTER, Turn};
use crate::program::Program;

/// The fairness constraints of a run: for each, some of its steps are taken infinitely often, or infinitely
/// often none of them is possible (weak), or none is possible from some moment on (strong).
///
/// A constraint names processes, as a state does: an arrow that renames processes changes its name.
#[derive(Default)]
pub struct Constraints {
    /// For each constraint, whether it is strong.
    pub strong: Vec<bool>,
    /// The declaration of each constraint, and the arguments.
    about: Vec<(u32, Vec<u8>)>,
    /// For each declaration, the constraint of each tuple of arguments, which are digits of its index.
    places: Vec<Vec<u32>>,
    procs: usize,
    /// The constraints that each move serves, under the names of the state before it.
    served: Vec<Vec<u32>>,
    moves: Moves,
}

const NONE: u32 = u32::MAX;

impl Constraints {
    /// The constraints of an instance, with the moves of its graph.
    pub fn new(program: &Program, moves: &Moves) -> Self {
        let system = &program.system;
        let mut this = Self {
            procs: program.cells.procs,
            served: vec![Vec::new(); program.instances.len()],
            moves: moves.clone(),
            ..Self::default()
        };
        for (declaration, asked) in (0..).zip(&system.fairness) {
            this.places.push(Vec::new());
            for (number, instance) in program.instances.iter().enumerate() {
                let transition = system.transition(instance.transition);
                if !asked.is_about(transition) {
                    continue;
                }
                let shown = if asked.any { 0 } else { transition.params.len() };
                let args = &instance.args[..shown];
                let place = this.place(args.iter().copied());
                let places = &mut this.places[declaration as usize];
                if places.len() <= place {
                    places.resize(place + 1, NONE);
                }
                if places[place] == NONE {
                    places[place] = this.strong.len() as u32;
                    this.strong.push(asked.strong);
                    this.about.push((declaration, args.to_vec()));
                }
                this.served[number].push(places[place]);
            }
        }
        for at in program.instances.len()..moves.list.len() {
            this.served.push(this.served[moves.list[at].instance as usize].clone());
        }
        this
    }

    fn place(&self, args: impl Iterator<Item = u8>) -> usize {
        args.fold(0, |place, p| place * self.procs + usize::from(p))
    }

    /// The name of a constraint after a renaming of processes.
    #[inline]
    pub fn called(&self, constraint: u32, turn: &Turn) -> u32 {
        if *turn == STAY {
            return constraint;
        }
        let (declaration, args) = &self.about[constraint as usize];
        let place = self.place(args.iter().map(|p| turn[usize::from(*p)]));
        let known = self.places[*declaration as usize].get(place);
        // A constraint whose steps can never be taken is not listed, under any name.
        known.copied().filter(|it| *it != NONE).unwrap_or(constraint)
    }

    /// The constraints that a step serves, by their names in the state before it.
    pub fn of(&self, arrow: Arrow) -> &[u32] {
        if arrow.label == STUTTER { &[] } else { &self.served[arrow.label as usize] }
    }

    /// How an arrow renames processes.
    pub fn turn(&self, arrow: Arrow) -> &Turn {
        if arrow.label == STUTTER { &STAY } else { self.moves.turn(arrow.label) }
    }

    /// Whether an arrow renames any process.
    pub fn rename(&self) -> bool {
        self.moves.rename()
    }
}
