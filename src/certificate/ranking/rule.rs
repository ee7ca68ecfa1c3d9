//! What the conditions of a ranking say of states and steps.

use super::fails::{Fails, Reader, named};
use cubicle_lang::model::semantics::different_namings;
use cubicle_lang::model::ways::read;
use cubicle_lang::model::{
    Case, Conj, Linear, Literal, Measured, Progress, Rational, Relation, System, Term, Transition, rename,
};

/// What is awaited, and why it comes.
pub struct Rule<'a> {
    pub model: &'a System,
    /// Why it comes.
    pub progress: &'a Progress,
    /// After what something is awaited.
    pub asked: Vec<Case>,
    /// What is awaited.
    pub answer: Vec<Case>,
    /// For how many processes.
    pub params: u8,
}

impl<'a> Rule<'a> {
    pub const fn now(&self) -> Reader<'a> {
        Reader { model: self.model, step: None }
    }

    /// Reads formulas after a step.
    pub const fn after(&self, t: &'a Transition) -> Reader<'a> {
        Reader { model: self.model, step: Some(t) }
    }

    /// The observed processes among the names.
    pub fn observed<'n>(&self, names: &'n [u8]) -> &'n [u8] {
        &names[..usize::from(self.params)]
    }

    /// States in which what is awaited is not there, for these among the first processes.
    pub fn open(&self, procs: u8, observed: &[u8]) -> Vec<Fails> {
        let mut found = vec![Fails::of(procs)];
        // What is asked of all others fails for some of them.
        for case in self.answer.iter().filter(|it| it.hidden == 0) {
            let [universal] = &case.universals[..] else { continue };
            let mut next = Vec::new();
            for fails in found {
                let mut other = fails.clone();
                other.and(&self.now().fails(std::slice::from_ref(&case.cube), observed));
                next.push(other);
                for (procs, chosen) in different_namings(fails.procs, universal.bound) {
                    if chosen.iter().all(|it| !observed.contains(it)) {
                        let mut fails = Fails { procs, ..fails.clone() };
                        fails.and(&self.now().fails(&universal.body.0, &[observed, &chosen].concat()));
                        next.push(fails);
                    }
                }
            }
            next.retain(|it| !it.ways.is_empty());
            found = next;
        }
        for fails in &mut found {
            self.unanswered(fails, observed, self.now());
        }
        found
    }

    /// States that wait, for these among the first processes.
    pub fn waiting(&self, procs: u8, observed: &[u8]) -> Vec<Fails> {
        let mut found = self.open(procs, observed);
        for fails in &mut found {
            fails.and(&self.now().holds(&self.progress.waits, observed));
        }
        found.retain(|it| !it.ways.is_empty());
        found
    }

    /// What is awaited is not there, but for what it asks of all others.
    fn unanswered(&self, fails: &mut Fails, observed: &[u8], reader: Reader<'_>) {
        for case in self.answer.iter().filter(|it| it.universals.is_empty()) {
            let body = std::slice::from_ref(&case.cube);
            match case.hidden {
                0 => fails.and(&reader.fails(body, observed)),
                hidden => fails.and_others(observed, hidden, &|further| {
                    reader.fails(body, &[observed, further].concat())
                }),
            }
        }
    }

    /// A step to a state in which what is awaited is not there.
    pub fn step(&self, fails: &mut Fails, t: &Transition, observed: &[u8]) {
        let args: Vec<u8> = (0..t.arity() as u8).collect();
        fails.and(std::slice::from_ref(&t.guard));
        self.possible(fails, t, &args);
        self.unanswered(fails, observed, Reader { model: self.model, step: Some(t) });
    }

    /// The universal guards hold for these arguments.
    pub fn possible(&self, fails: &mut Fails, t: &Transition, args: &[u8]) {
        for it in &t.universals {
            fails.and_others(args, it.bound, &|further| {
                self.now().holds(&it.body.0, &[args, further].concat())
            });
        }
    }

    /// No measure below this level falls.
    pub fn nothing_falls(&self, fails: &mut Fails, t: &'a Transition, observed: &[u8], below: Option<u8>) {
        for measure in self.progress.measures.iter().filter(|it| below.is_none_or(|level| it.level < level)) {
            match &measure.of {
                Measured::Number(number) => fails.and(&self.moved(number, t, observed, false)),
                Measured::Tuples { further, body } => {
                    let kept = |tuple: &[u8]| {
                        let names = [observed, tuple].concat();
                        let (before, after) =
                            (self.now().holds(body, &names), self.after(t).holds(body, &names));
                        if before == after {
                            return vec![Conj::new()];
                        }
                        [self.now().fails(body, &names), after].concat()
                    };
                    if *further == 0 {
                        fails.and(&kept(&[]));
                    } else {
                        fails.and_others(observed, *further, &kept);
                    }
                }
            }
        }
    }

    /// The cases in which a step makes a number greater, or does not make it smaller.
    pub fn moved(&self, number: &Linear, t: &Transition, observed: &[u8], greater: bool) -> Vec<Conj> {
        let unknown = || vec![Conj::new()];
        let Some(Term::Linear(before)) = rename::term(&Term::Linear(number.clone()), &|p| named(p, observed))
        else {
            return unknown();
        };
        let reader = self.now();
        let Some(reading) = reader.reading(t, before.terms.iter().map(|it| &it.0)) else { return unknown() };
        let values = vec![(Conj::new(), Term::Linear(before.clone()))];
        let Ok(values) = read(self.model, &values, &reading) else { return unknown() };
        let mut found = Vec::new();
        for (when, value) in values {
            let Term::Linear(after) = value else { return unknown() };
            // before - after < 0, or <= 0.
            let Some(expr) = before.add_scaled(Rational::ONE.neg(), &after) else { return unknown() };
            let more = if greater { Rational::ONE } else { Rational::ZERO };
            let Some(expr) = expr.add_scaled(Rational::ONE, &Linear::number(more)) else { return unknown() };
            let literal = Literal::Linear { expr, relation: Relation::Le, integer: true };
            match rename::literal(&literal, &|p| p) {
                None => return unknown(),
                Some(rename::Truth::Constant(false)) => {}
                Some(rename::Truth::Constant(true)) => found.push(when),
                Some(rename::Truth::Literal(it)) => found.push([&when[..], &[it]].concat()),
            }
        }
        found
    }
}
