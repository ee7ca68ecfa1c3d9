//! A condition on a state that fails somewhere: over some processes, and all others.

use cubicle_lang::list::{add_least, is_part};
use cubicle_lang::model::semantics::arrangements;
use cubicle_lang::model::ways::{Values, Ways, both, conj, denied, updated};
use cubicle_lang::model::{Assignment, Cell, Conj, Dnf, Literal, ProcRef, System, Transition, rename};

/// States in which something fails: one of the ways holds for some different processes, and what is said of all others holds.
#[derive(Clone, Debug)]
pub struct Fails {
    /// How many processes it is about.
    pub procs: u8,
    /// Over these; none means that it fails nowhere.
    pub ways: Vec<Conj>,
    /// What tuples of this many other processes satisfy.
    pub others: Vec<(u8, Vec<Conj>)>,
    /// That no process satisfies the first one, over `ProcRef::Var(0)`, or one of the others holds: this follows from the rest.
    pub none: Vec<(Conj, Vec<Conj>)>,
}

impl Fails {
    /// Nothing is known yet of this number of processes.
    pub fn of(procs: u8) -> Self {
        Self { procs, ways: vec![Conj::new()], others: Vec::new(), none: Vec::new() }
    }

    /// One of these holds, too. Left out where there are too many cases.
    pub fn and(&mut self, ways: &[Conj]) {
        self.ways = and(&self.ways, ways);
    }

    /// For each tuple of `bound` different processes that are not `but` these, what `said` says of it holds. Left out for tuples of which only
    /// some processes are named.
    pub fn and_others(&mut self, but: &[u8], bound: u8, said: &dyn Fn(&[u8]) -> Vec<Conj>) {
        let named: Vec<u8> = (0..self.procs).filter(|it| !but.contains(it)).collect();
        for tuple in arrangements(&named, bound.into()) {
            let said = said(&tuple);
            if !said.iter().any(Vec::is_empty) {
                self.and(&said);
            }
        }
        let further: Vec<u8> = (self.procs..self.procs + bound).collect();
        if let Ok(said) = both(&[Conj::new()], &said(&further))
            && !said.iter().any(Vec::is_empty)
            && !self.others.contains(&(bound, said.clone()))
        {
            self.others.push((bound, said));
        }
    }
}

/// One of both holds; only of the first ones where there are too many cases.
pub fn and(first: &[Conj], second: &[Conj]) -> Vec<Conj> {
    both(first, second).map_or_else(|_| first.to_vec(), tidy)
}

/// The ways without those that say more than another one.
fn tidy(ways: Vec<Conj>) -> Vec<Conj> {
    let mut found: Vec<Conj> = Vec::new();
    for way in ways {
        add_least(&mut found, way, |a, b| is_part(a, b));
    }
    found
}

/// Truth, where a formula is not known.
fn unknown() -> Vec<Conj> {
    vec![Conj::new()]
}

/// Reads formulas over named processes.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    pub model: &'a System,
    /// The step after which they are read, its arguments being the first processes; `None`: now.
    pub step: Option<&'a Transition>,
}

impl Reader<'_> {
    /// The cases in which one of these holds.
    pub fn holds(self, body: &[Conj], names: &[u8]) -> Vec<Conj> {
        let Some(body) = rename::disjunction(body, &|p| named(p, names)) else { return unknown() };
        let Some(t) = self.step else { return body };
        let mut found = Vec::new();
        for it in &body {
            let mut ways = unknown();
            for literal in it {
                if let Ok(both) = both(&ways, &self.after(t, literal)) {
                    ways = both;
                }
            }
            found.extend(ways);
        }
        tidy(found)
    }

    /// The cases in which none of these holds.
    pub fn fails(self, body: &[Conj], names: &[u8]) -> Vec<Conj> {
        let Some(body) = rename::disjunction(body, &|p| named(p, names)) else { return unknown() };
        let Ok(found) = denied(self.model, &Dnf(body)) else { return unknown() };
        let same: Vec<u8> = (0..u8::MAX).collect();
        self.holds(&found, &same)
    }

    /// The cases in which a literal holds after a step, in terms of the state before; truth where they are not known.
    fn after(self, t: &Transition, literal: &Literal) -> Vec<Conj> {
        let Some(reading) = self.reading(t, literal.cells()) else { return unknown() };
        conj(self.model, std::slice::from_ref(literal), &reading).unwrap_or_else(|_| unknown())
    }

    /// How cells are read after a step, in terms of the state before; `None` where one of these may hold anything then.
    pub fn reading<'c>(
        self,
        t: &Transition,
        cells: impl IntoIterator<Item = &'c Cell>,
    ) -> Option<impl Fn(&Cell) -> Ways<Option<Values>>> {
        let model = self.model;
        let update = move |cell: &Cell| t.updates.iter().find(|it| it.var == cell.var);
        let is_any = |cell: &Cell| {
            let counts = model.count_of(cell.var).is_some() && model.may_change(t, cell.var);
            counts || update(cell).is_some_and(|it| it.assignment == Assignment::Nondet)
        };
        if cells.into_iter().any(is_any) {
            return None;
        }
        Some(move |cell: &Cell| {
            update(cell).map(|update| updated(model, update, cell, t.arity() as u8)).transpose()
        })
    }
}

/// The process that a variable of a formula stands for.
pub fn named(p: ProcRef, names: &[u8]) -> ProcRef {
    p.renamed(|v| ProcRef::Var(names[usize::from(v)]))
}
