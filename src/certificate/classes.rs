//! Classes of the processes that a case does not name: in a class, all processes agree on the atoms that its counts ask
//! about each of them. The formulas about a class use one or two processes of it, its representatives, and how many it has.

use std::collections::BTreeSet;

use super::ground::{
    Atom, CellRole, GroundCell, GroundFormula, GroundPoint, GroundReader, GroundSum, Overflow, UNKNOWN,
    compare, plus,
};
use cubicle_lang::model::semantics::choices;
use cubicle_lang::model::{Rational, Relation};

/// The numbers of the unnamed processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unnamed {
    /// The first one: no case has this many processes.
    pub first: u8,
    /// The most classes of them.
    pub classes: usize,
}

impl Unnamed {
    /// How many processes a proof talks about, at most.
    pub const fn end(self) -> u8 {
        self.first + 2 * self.classes as u8
    }

    pub const fn representative(self, class: usize) -> u8 {
        self.first + 2 * class as u8
    }

    /// The number of processes in the class of a representative.
    pub fn rest(self, process: u8) -> GroundSum {
        let representative = process - (process - self.first) % 2;
        GroundSum::of(unknown(&[representative], true))
    }

    /// That there is no such process as this representative, for its class is too small; `None` for a named process.
    pub fn lacks(self, process: u8) -> Option<GroundFormula> {
        let before = i64::from(process.checked_sub(self.first)?) % 2;
        let mut rest = self.rest(process);
        rest.constant = Rational::integer(-before);
        compare(rest, Relation::Le, true).ok()
    }

    pub const fn is_of_class(self, process: u8, representative: u8) -> bool {
        process - (process - self.first) % 2 == representative
    }

    /// The only process without a name that a cell is at, if there is one.
    pub fn alone_in(self, cell: &GroundCell) -> Option<u8> {
        let mut unnamed = cell.index.iter().copied().filter(|p| *p >= self.first);
        let process = unnamed.next()?;
        unnamed.all(|it| it == process).then_some(process)
    }

    /// What a literal that holds for each process of the class of a representative says about sums.
    pub fn added_up(self, literal: &GroundFormula, process: u8) -> Result<Option<GroundFormula>, Overflow> {
        let GroundFormula::Literal(Atom::Linear { sum, relation, integer }, holds) = literal else {
            return Ok(None);
        };
        if !sum.terms.iter().any(|(cell, _)| cell.index.contains(&process)) {
            return Ok(None);
        }
        let Some(mut total) = self.total(sum, process)? else { return Ok(None) };
        let relation = match (relation, holds) {
            (Relation::Eq, true) => Relation::Eq,
            (Relation::Eq, false) | (Relation::Ne, _) => return Ok(None),
            // Sums of negative numbers are not positive: there may be no process.
            (Relation::Le | Relation::Lt, true) => Relation::Le,
            (Relation::Le | Relation::Lt, false) => {
                if *integer && *relation == Relation::Le {
                    total = plus(&total, Rational::ONE.neg(), &self.rest(process))?;
                }
                total = total.negated().ok_or(Overflow)?;
                Relation::Le
            }
        };
        compare(total, relation, *integer).map(Some)
    }

    /// What a sum adds up to over the class of a representative, whose cells it reads; `None` where it reads more than the state
    /// before a step.
    pub fn total(self, sum: &GroundSum, process: u8) -> Result<Option<GroundSum>, Overflow> {
        let mut total = plus(&GroundSum::number(Rational::ZERO), sum.constant, &self.rest(process))?;
        for (cell, coefficient) in &sum.terms {
            if cell.role != CellRole::Held {
                return Ok(None);
            }
            let mut cell = GroundCell { role: CellRole::Total, ..cell.clone() };
            if !cell.index.contains(&process) {
                cell.index.push(process);
            }
            total = plus(&total, *coefficient, &GroundSum::of(cell))?;
        }
        Ok(Some(total))
    }
}

/// An unknown number: of processes, or what some of them contribute; `whole` if it is an integer.
pub fn unknown(index: &[u8], whole: bool) -> GroundCell {
    let role = if whole { CellRole::Whole } else { CellRole::Fraction };
    GroundCell { var: UNKNOWN, index: index.iter().copied().collect(), role }
}

/// A question about an unnamed process, with finitely many answers that exclude each other.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Question {
    /// Which of these sets of constructors contains the value of an enum cell?
    Enum(GroundCell, Vec<u64>),
    /// Which of these processes does a cell name, if any of them?
    Process(GroundCell, Vec<u8>),
    /// Does the atom hold?
    Opaque(Atom),
}

/// The questions about an unnamed process, which is `generic` in formulas.
#[derive(Clone, Debug)]
pub struct Questions {
    generic: u8,
    all: Vec<Question>,
}

/// Questions that are answered together, and so a partition of the unnamed processes into classes.
#[derive(Clone, Debug)]
pub struct Group {
    /// The places of its questions, ascending.
    questions: Vec<usize>,
    /// Without questions: a class for each unnamed process of an instance with at most that many.
    each: Option<usize>,
}

/// The answers to the questions of a group, by which its classes differ.
#[derive(Clone, Debug)]
pub struct Class<'a> {
    asked: &'a Questions,
    group: &'a Group,
    answers: Vec<usize>,
}

impl Questions {
    pub const fn new(generic: u8) -> Self {
        Self { generic, all: Vec::new() }
    }

    pub fn is_cell_of_process(&self, cell: &GroundCell) -> bool {
        cell.index.contains(&self.generic)
    }

    /// The cell and the process of an equation between them.
    fn names<'f>(&self, atom: &'f Atom) -> Option<(&'f GroundCell, u8)> {
        match atom {
            Atom::Equal(GroundPoint::Process(p), GroundPoint::Place(cell))
                if self.is_cell_of_process(cell) =>
            {
                Some((cell, *p))
            }
            _ => None,
        }
    }

    /// The place of the question that decides an atom, if it is asked.
    fn place(&self, atom: &Atom) -> Option<usize> {
        self.all.iter().position(|question| match (question, atom) {
            (Question::Enum(of, _), Atom::In(cell, _)) => of == cell,
            (Question::Process(of, _), atom) => self.names(atom).is_some_and(|(cell, _)| cell == of),
            (Question::Opaque(of), atom) => of == atom,
            (Question::Enum(..), _) => false,
        })
    }

    /// Asks what decides the atoms of a formula about the process.
    pub fn ask(&mut self, reader: GroundReader<'_>, formula: &GroundFormula) {
        formula.atoms(&mut |atom| {
            if !atom.mentions(self.generic) {
                return;
            }
            let at = self.place(atom).unwrap_or_else(|| {
                self.all.push(match (atom, self.names(atom)) {
                    (Atom::In(cell, _), _) => {
                        Question::Enum(cell.clone(), vec![reader.constructors(cell.var)])
                    }
                    (_, Some((cell, _))) => Question::Process(cell.clone(), Vec::new()),
                    _ => Question::Opaque(atom.clone()),
                });
                self.all.len() - 1
            });
            let process = self.names(atom).map(|(_, process)| process);
            match (&mut self.all[at], atom) {
                (Question::Enum(_, sets), Atom::In(_, values)) => {
                    let halves = sets.iter().flat_map(|set| [set & values, set & !values]);
                    *sets = halves.filter(|set| *set != 0).collect();
                }
                (Question::Process(_, known), _) => {
                    known.extend(process.filter(|process| !known.contains(process)));
                }
                _ => {}
            }
        });
    }

    /// The places of the questions that formulas depend on.
    pub fn places<'f>(&self, formulas: impl Iterator<Item = &'f GroundFormula>) -> BTreeSet<usize> {
        let mut places = BTreeSet::new();
        for formula in formulas {
            formula.atoms(&mut |atom| places.extend(self.place(atom)));
        }
        places
    }

    /// The places of the questions about cells of the process that a formula mentions.
    pub fn about(&self, formula: &GroundFormula) -> BTreeSet<usize> {
        let mut cells = BTreeSet::new();
        formula.atoms(&mut |atom| {
            cells.extend(atom.cells().into_iter().filter(|it| self.is_cell_of_process(it)));
        });
        let is_about = |question: &Question| match question {
            Question::Enum(cell, _) | Question::Process(cell, _) => cells.contains(cell),
            Question::Opaque(atom) => atom.cells().into_iter().any(|cell| cells.contains(cell)),
        };
        (0..self.all.len()).filter(|at| is_about(&self.all[*at])).collect()
    }

    fn size(&self, question: usize) -> usize {
        match &self.all[question] {
            Question::Enum(_, sets) => sets.len(),
            Question::Process(_, known) => known.len() + 1,
            Question::Opaque(_) => 2,
        }
    }

    /// How many classes a group of these questions has.
    fn classes(&self, questions: &BTreeSet<usize>) -> usize {
        questions.iter().fold(1, |all: usize, &question| all.saturating_mul(self.size(question)))
    }

    /// Groups of at most `most` classes in all, so that each of the sets `together` is within one group, and each of the sets
    /// `related` too, as far as that is possible. Of what the classes of different groups have in common, only numbers remain.
    pub fn groups(
        &self,
        together: &[BTreeSet<usize>],
        related: &[BTreeSet<usize>],
        most: usize,
    ) -> Vec<Group> {
        let mut groups: Vec<BTreeSet<usize>> = Vec::new();
        let total = |groups: &[BTreeSet<usize>]| -> usize {
            groups.iter().fold(0, |sum: usize, group| sum.saturating_add(self.classes(group)))
        };
        let merged = |groups: &[BTreeSet<usize>], set: &BTreeSet<usize>| {
            let (near, mut far): (Vec<_>, Vec<_>) =
                groups.iter().cloned().partition(|group| !group.is_disjoint(set));
            far.push(near.iter().flatten().chain(set).copied().collect());
            far
        };
        for set in together {
            if set.is_empty() || groups.iter().any(|group| set.is_subset(group)) {
                continue;
            }
            let mut part = set.clone();
            loop {
                let one = merged(&groups, &part);
                if total(&one) <= most {
                    groups = one;
                    break;
                }
                let mut beside = groups.clone();
                beside.push(part.clone());
                if total(&beside) <= most {
                    groups = beside;
                    break;
                }
                // Coarser classes: one question less. Without any question, all classes of any group do.
                if part.pop_last().is_none() {
                    break;
                }
            }
        }
        for set in related {
            let asked: BTreeSet<usize> = set
                .iter()
                .copied()
                .filter(|place| groups.iter().any(|group| group.contains(place)))
                .collect();
            let one = merged(&groups, &asked);
            if !asked.is_empty() && total(&one) <= most {
                groups = one;
            }
        }
        if groups.is_empty() && !together.is_empty() {
            groups.push(BTreeSet::new());
        }
        let group = |of: BTreeSet<usize>| Group { questions: of.into_iter().collect(), each: None };
        groups.into_iter().map(group).collect()
    }
}

impl Group {
    /// At most `most` processes, each in a class of its own.
    pub const fn each(most: usize) -> Self {
        Self { questions: Vec::new(), each: Some(most) }
    }

    /// The questions that both ask.
    pub fn shared(&self, other: &Self) -> Vec<usize> {
        self.questions.iter().copied().filter(|it| other.questions.binary_search(it).is_ok()).collect()
    }

    /// How many of these questions it answers.
    pub fn answered(&self, questions: &BTreeSet<usize>) -> usize {
        questions.iter().filter(|place| self.questions.binary_search(place).is_ok()).count()
    }

    /// Its classes. Some of them may be empty in all states.
    pub fn classes<'a>(&'a self, asked: &'a Questions) -> Vec<Class<'a>> {
        let of_question = |question: &usize| (0..asked.size(*question)).collect();
        let answers = match self.each {
            Some(most) => vec![Vec::new(); most],
            None => choices(&self.questions.iter().map(of_question).collect::<Vec<_>>()),
        };
        answers.into_iter().map(|answers| Class { asked, group: self, answers }).collect()
    }
}

impl Class<'_> {
    /// The literals that hold for each of its processes.
    pub fn literals(&self) -> Vec<GroundFormula> {
        let mut literals = Vec::new();
        for (&question, &answer) in self.group.questions.iter().zip(&self.answers) {
            match &self.asked.all[question] {
                // All constructors in one set: nothing is said.
                Question::Enum(_, sets) if sets.len() == 1 => {}
                Question::Enum(cell, sets) => {
                    literals.push(GroundFormula::Literal(Atom::In(cell.clone(), sets[answer]), true));
                }
                Question::Process(cell, known) => {
                    let is = |&process: &u8, holds: bool| {
                        let place = GroundPoint::Place(cell.clone());
                        GroundFormula::Literal(Atom::Equal(GroundPoint::Process(process), place), holds)
                    };
                    match known.get(answer) {
                        Some(process) => literals.push(is(process, true)),
                        None => literals.extend(known.iter().map(|process| is(process, false))),
                    }
                }
                Question::Opaque(atom) => literals.push(GroundFormula::Literal(atom.clone(), answer == 1)),
            }
        }
        literals
    }

    /// Its answers to some of the questions of its group.
    pub fn answers_to(&self, questions: &[usize]) -> Vec<usize> {
        let places = questions.iter().filter_map(|it| self.group.questions.binary_search(it).ok());
        places.map(|at| self.answers[at]).collect()
    }

    /// Whether the class is that of one process, or of none where the instance is smaller.
    pub const fn is_each(&self) -> bool {
        self.group.each.is_some()
    }

    /// Whether at most one process can be in the class: it is made so, or a cell that is not its own names it.
    pub fn is_single(&self) -> bool {
        if self.is_each() {
            return true;
        }
        let process = GroundPoint::Process(self.asked.generic);
        self.literals().iter().any(|literal| match literal {
            GroundFormula::Literal(Atom::Equal(p, GroundPoint::Place(cell)), true) => {
                *p == process && !self.asked.is_cell_of_process(cell)
            }
            _ => false,
        })
    }

    /// The truth of an atom about the process, where the answers determine it.
    fn truth(&self, atom: &Atom) -> Option<bool> {
        let place = self.asked.place(atom)?;
        let answer = self.answers[self.group.questions.binary_search(&place).ok()?];
        match (&self.asked.all[place], atom) {
            (Question::Enum(_, sets), Atom::In(_, values)) => match sets[answer] & values {
                0 => Some(false),
                some => (some == sets[answer]).then_some(true),
            },
            (Question::Process(_, known), atom) => {
                let (_, process) = self.asked.names(atom)?;
                match known.get(answer) {
                    Some(named) => Some(*named == process),
                    None => known.contains(&process).then_some(false),
                }
            }
            (Question::Opaque(_), _) => Some(answer == 1),
            (Question::Enum(..), _) => None,
        }
    }

    /// A formula about the process, for those of the class: literals about it that the answers do not determine are `open`, or stay.
    pub fn read(&self, formula: &GroundFormula, open: Option<bool>) -> GroundFormula {
        formula.clone().map(&|atom, holds| {
            let about = atom.mentions(self.asked.generic);
            let truth = if about { self.truth(&atom).map(|it| it == holds).or(open) } else { None };
            truth.map_or_else(|| GroundFormula::Literal(atom, holds), GroundFormula::truth)
        })
    }

    /// A formula that says the same of all processes of the class, if the answers determine that.
    pub fn uniform(&self, formula: &GroundFormula) -> Option<GroundFormula> {
        let must = self.read(formula, Some(false));
        (must == self.read(formula, Some(true))).then_some(must)
    }
}
