//! Random programs.

use super::super::support::dice::Dice;
use super::program::{Cell, Formula, Number, Pointer, Program, Statement, Target, Who};

/// Most labels.
const MOST_LABELS: usize = 4;

struct Generator {
    dice: Dice,
    labels: usize,
    /// Labels that stand in the code so far.
    placed: usize,
    /// How many `with`s are around the place.
    chosen: usize,
    /// Whether the step has a `with` already.
    has_with: bool,
}

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut dice = Dice::new(seed);
    let labels = 2 + dice.below(MOST_LABELS - 1);
    let start = [0; 5].map(|_| dice.below(2) as i64);
    let mut this = Generator { dice, labels, placed: 0, chosen: 0, has_with: false };
    let mut code = Vec::new();
    while this.placed < labels {
        this.labelled(&mut code, 0);
    }
    if this.dice.chance(70) && !matches!(code.last(), Some(Statement::Goto(_))) {
        let to = this.dice.below(labels);
        code.push(Statement::Goto(to));
    }
    let (mut never, mut always) = (None, None);
    if this.dice.chance(60) {
        never = Some(this.bad());
    } else {
        always = Some(this.invariant());
    }
    Program { code, labels, never, always, start }
}

impl Generator {
    /// A label and what follows.
    fn labelled(&mut self, code: &mut Vec<Statement>, depth: usize) {
        if matches!(code.last(), Some(Statement::Goto(_))) && self.placed >= self.labels {
            return;
        }
        let label = self.placed;
        self.placed += 1;
        self.has_with = false;
        code.push(Statement::Label(label));
        if self.dice.chance(15) {
            let when = self.formula(1, true);
            let mut body = self.block(depth + 1);
            if self.placed < self.labels
                && self.dice.chance(40)
                && !matches!(body.last(), Some(Statement::Goto(_)))
            {
                self.labelled(&mut body, depth + 1);
            }
            code.push(Statement::While(when, body));
            self.has_with = false;
            return;
        }
        for _ in 0..=self.dice.below(3) {
            if matches!(code.last(), Some(Statement::Goto(_))) {
                return;
            }
            let statement = self.statement(depth);
            code.push(statement);
        }
    }

    fn block(&mut self, depth: usize) -> Vec<Statement> {
        let mut code = Vec::new();
        for _ in 0..=self.dice.below(2) {
            code.push(self.statement(depth));
        }
        if self.dice.chance(35) {
            code.push(Statement::Goto(self.dice.below(self.labels)));
        } else if self.dice.chance(8) && self.chosen == 0 && self.placed < self.labels {
            self.labelled(&mut code, depth);
        }
        code
    }

    fn statement(&mut self, depth: usize) -> Statement {
        let nested = depth < 2;
        match self.dice.below(14) {
            0 => Statement::Skip,
            1 | 2 => Statement::Await(self.formula(1, true)),
            3 | 4 if nested => {
                let when = self.formula(1, true);
                let yes = self.block(depth + 1);
                let no = if self.dice.chance(50) { self.block(depth + 1) } else { Vec::new() };
                Statement::If(when, yes, no)
            }
            5 if nested => Statement::Either((0..2).map(|_| self.block(depth + 1)).collect()),
            6 | 7 if nested && (!self.has_with || self.dice.chance(3)) => {
                self.has_with = true;
                let name = self.chosen;
                self.chosen += 1;
                let body = self.block(depth + 1);
                self.chosen -= 1;
                self.has_with = true;
                Statement::With(name, body)
            }
            8 => Statement::Point(self.pointer(), self.target()),
            9 => {
                let cell = self.cell(false);
                Statement::Case(cell, self.formula(0, false), self.number(), self.number())
            }
            _ => Statement::Set(self.cell(false), self.number()),
        }
    }

    fn who(&mut self) -> Who {
        let at = self.dice.below(1 + self.chosen);
        if at == 0 { Who::Me } else { Who::Chosen(at - 1) }
    }

    fn cell(&mut self, bound: bool) -> Cell {
        match self.dice.below(5) {
            0 | 1 => Cell::Global(self.dice.below(2)),
            2 => Cell::Own,
            _ => {
                let who = if bound { Who::Bound } else { self.who() };
                Cell::Of(self.dice.below(2), who)
            }
        }
    }

    fn number(&mut self) -> Number {
        match self.dice.below(8) {
            0..=3 => Number::Is(self.dice.below(3) as i64),
            4..=6 => Number::Read(self.cell(false)),
            _ => Number::Plus(self.cell(false), if self.dice.chance(50) { 1 } else { -1 }),
        }
    }

    fn pointer(&mut self) -> Pointer {
        if self.dice.chance(50) { Pointer::Last } else { Pointer::Link }
    }

    fn target(&mut self) -> Target {
        match self.dice.below(4) {
            0 => Target::Nil,
            1 => Target::Read(self.pointer()),
            _ => Target::Process(self.who()),
        }
    }

    fn comparison(&mut self, bound: bool) -> Formula {
        let op = ["=", "<>", "<", ">="][self.dice.below(4)];
        let (cell, value) = (self.cell(bound), self.dice.below(3) as i64);
        let equal = matches!(op, "=" | "<>");
        let right =
            if equal && self.dice.chance(20) { Number::Read(self.cell(bound)) } else { Number::Is(value) };
        Formula::Compare(op, Number::Read(cell), right)
    }

    fn formula(&mut self, depth: usize, quantifiers: bool) -> Formula {
        match self.dice.below(9) {
            0 if quantifiers => {
                let inner = if self.dice.chance(50) {
                    Formula::At(Who::Bound, self.dice.below(self.labels), self.dice.chance(50))
                } else {
                    self.comparison(true)
                };
                Formula::Quantified(self.dice.chance(60), self.dice.chance(60), Box::new(inner))
            }
            1 if quantifiers => {
                let inner = Formula::At(Who::Bound, self.dice.below(self.labels), true);
                Formula::Count(if self.dice.chance(50) { "<" } else { ">=" }, 1, Box::new(inner))
            }
            2 | 3 => Formula::Points(self.pointer(), self.target(), self.dice.chance(60)),
            4 if depth > 0 => Formula::Not(Box::new(self.formula(depth - 1, quantifiers))),
            5 if depth > 0 => Formula::And(
                Box::new(self.formula(depth - 1, false)),
                Box::new(self.formula(depth - 1, quantifiers)),
            ),
            6 if depth > 0 => Formula::Or(
                Box::new(self.formula(depth - 1, false)),
                Box::new(self.formula(depth - 1, false)),
            ),
            _ => self.comparison(false),
        }
    }

    fn of_param(&mut self, at: usize) -> Formula {
        if self.dice.chance(60) {
            Formula::At(Who::Param(at), self.dice.below(self.labels), true)
        } else {
            let cell = Cell::Of(self.dice.below(2), Who::Param(at));
            Formula::Compare("=", Number::Read(cell), Number::Is(self.dice.below(3) as i64))
        }
    }

    fn bad(&mut self) -> Formula {
        Formula::And(Box::new(self.of_param(0)), Box::new(self.of_param(1)))
    }

    /// What should hold: an implication, with a quantifier that includes the parameters or leaves them out.
    fn invariant(&mut self) -> Formula {
        let left = Formula::And(Box::new(self.of_param(0)), Box::new(self.of_param(1)));
        let cell = Cell::Of(self.dice.below(2), Who::Bound);
        let inner = Formula::Compare("<>", Number::Read(cell), Number::Is(self.dice.below(3) as i64));
        let right = match self.dice.below(3) {
            0 => Formula::Quantified(true, self.dice.chance(40), Box::new(inner)),
            1 => Formula::Quantified(false, self.dice.chance(40), Box::new(inner)),
            _ => Formula::Compare("<>", Number::Read(Cell::Global(0)), Number::Is(self.dice.below(3) as i64)),
        };
        Formula::Or(Box::new(Formula::Not(Box::new(left))), Box::new(right))
    }
}
