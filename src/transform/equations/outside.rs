//! Pointers that name no process: `Waiters = #{p | Next[p] <> nil}`.
//!
//! What is counted, and what cases depend on, are cells of enum type. So each variable of type proc of which steps ask this gets a *note*, a variable of
//! `bool` that says whether it holds what a constant holds that is not a process of any instance, as `nil`.
//!
//! *Sound.* In each state of a run of the original, let the notes say what is so. Initial states satisfy what init says of them here, and a step
//! assigns them what it assigns the pointers: the constant differs from every process. Formulas say the same, in other words. So the
//! equations of the system with notes hold in the original, where a note is the comparison that it stands for.

use std::collections::BTreeMap;

use cubicle_lang::diagnostic::Span;
use cubicle_lang::list::add_new;
use cubicle_lang::model::rename::{self, Truth};
use cubicle_lang::model::{
    Assignment, BOOL, Branch, Cell, Conj, Dnf, Equation, Init, Linear, Literal, Rational, System, Term,
    Transition, Type, Universal, Update, VarId,
};

use super::columns::{full, possible};
use super::named::WithEquations;
use super::pointed::Pointed;

/// Whether init says of a global that it differs from every process.
pub fn is_outside(init: &Init, global: VarId) -> bool {
    let says = |it: &Literal| it.pointed().is_some_and(|(cell, _, holds)| !holds && cell.var == global);
    init.body.0.iter().all(|conj| conj.iter().any(says))
}

/// A system with notes.
pub struct Noted<'a> {
    original: &'a System,
    pub system: System,
    notes: Notes,
}

/// The notes of a system.
struct Notes {
    /// The constant.
    nil: VarId,
    /// By the variable that it is about.
    of: BTreeMap<VarId, VarId>,
}

impl<'a> Noted<'a> {
    /// `None` where it would say nothing more: there is no such constant, or no step asks whether a pointer holds it. The same where a pointer always or never is.
    pub fn of(original: &'a System) -> Option<Self> {
        let pointers = || original.declared().filter(|(_, var)| var.ty == Type::Proc);
        let is_nil = |id: VarId| !original.changes(id) && is_outside(&original.init, id);
        let nil = pointers().find(|(id, var)| var.arity() == 0 && is_nil(*id))?.0;
        // Of a pointer that steps assign without asking, it is not known whether it was nil.
        let of_steps = original.transitions.iter().flat_map(Transition::conjunctions);
        let asked: Vec<&Literal> =
            of_steps.chain(original.counts.iter().flat_map(|it| &it.body.0)).flatten().collect();
        let is_asked = |id: VarId| id != nil && asked.iter().any(|it| it.reads(id) && it.reads(nil));
        if !pointers().any(|(id, _)| original.changes(id) && is_asked(id)) {
            return None;
        }
        let mut parts = original.to_parts();
        let mut notes = Notes { nil, of: BTreeMap::new() };
        for (id, var) in pointers().filter(|(id, _)| is_asked(*id)) {
            let note = parts.declare(format!("{}@nil", var.name), var.kind, Type::Enum(BOOL), var.span)?;
            notes.of.insert(id, note);
        }
        parts.ask(Vec::new());
        (parts.max_procs, parts.axioms, parts.failures) = (None, Vec::new(), None);
        for conj in parts.init.body.0.iter_mut().chain(&mut parts.init.without_processes.0) {
            *conj = notes.added(conj);
        }
        for count in &mut parts.counts {
            count.body = notes.formula(&count.body);
        }
        parts.transitions = original.transitions.iter().map(|t| notes.transition(t)).collect();
        let system = System::new(parts);
        // No range of the original has what a range of this system excludes: equations that rest on it would not hold by themselves.
        let is_open = |note: &VarId| possible(&system, *note) == full(&system, *note);
        let same =
            original.declared().map(|it| it.0).all(|id| possible(original, id) == possible(&system, id));
        (same && notes.of.values().all(is_open)).then_some(Self { original, system, notes })
    }

    /// The equations of the system with notes, said of the original.
    pub fn said(&self, found: &WithEquations) -> Option<WithEquations> {
        let mut parts = self.original.to_parts();
        let mut counts = BTreeMap::new();
        for count in found.system.counts.iter().filter(|it| usize::from(it.var.0) >= self.system.vars.len()) {
            let indices = found.system.var(count.var).arity() as u8;
            let body = count.body.0.iter().filter_map(|conj| self.notes.without(conj)).collect();
            let var = parts.counted(indices, Dnf(body), count.summand.clone(), Span::default())?;
            counts.insert(count.var, var);
        }
        let of = |var: VarId| counts.get(&var).copied().unwrap_or(var);
        let mut equations = Vec::new();
        for equation in found.equations.iter().flat_map(|it| self.notes.cases(it)) {
            let Some(when) = self.notes.without(&equation.when) else { continue };
            let number = equation.number.map_cells(|it| Cell { var: of(it.var), ..it.clone() })?;
            let occupied = equation.occupied.map(|(count, some)| (of(count), some));
            add_new(&mut equations, Equation { when, number, occupied, ..equation });
        }
        Some(WithEquations { system: System::new(parts), equations })
    }
}

impl Notes {
    /// What a term says of the constant.
    fn pointed(&self, term: &Term) -> Option<Pointed> {
        match term {
            Term::Proc(_) => Some(Pointed::Known(false)),
            Term::Cell(cell) if cell.var == self.nil => Some(Pointed::Known(true)),
            Term::Cell(cell) => Some(Pointed::Cell(Cell { var: *self.of.get(&cell.var)?, ..cell.clone() })),
            Term::Constructor(_) | Term::Linear(_) => None,
        }
    }

    /// What a literal says of notes, and whether this says all of it.
    fn literal(&self, literal: &Literal) -> Option<(Literal, bool)> {
        let Literal::Eq { left, right, negated } = literal else { return None };
        self.pointed(left)?.compared(self.pointed(right)?, *negated)
    }

    /// A conjunction with what it says of notes.
    fn added(&self, conj: &Conj) -> Conj {
        let mut said = conj.clone();
        conj.iter().filter_map(|it| self.literal(it)).for_each(|it| add_new(&mut said, it.0));
        said
    }

    /// A formula with notes in place of what they say.
    fn formula(&self, dnf: &Dnf) -> Dnf {
        let conj = |conj: &Conj| {
            let mut said = Conj::new();
            for literal in conj {
                let noted = self.literal(literal);
                if !matches!(noted, Some((_, true))) {
                    add_new(&mut said, literal.clone());
                }
                if let Some((note, _)) = noted {
                    add_new(&mut said, note);
                }
            }
            said
        };
        Dnf(dnf.0.iter().map(conj).collect())
    }

    fn transition(&self, t: &Transition) -> Transition {
        let guard = self.added(&t.guard);
        let of_others = |it: &Universal| Universal::derived(it.bound, self.formula(&it.body).0, t.span);
        let mut updates = Vec::new();
        for Update { var, assignment } in &t.updates {
            let branches = assignment.branches().iter();
            let said = |value: fn(&Self, &Term) -> Option<Term>| {
                let branch = |it: &Branch| {
                    Some(Branch { when: self.formula(&it.when), value: value(self, &it.value)? })
                };
                match assignment {
                    Assignment::Nondet => Some(Assignment::Nondet),
                    Assignment::Cases(_) => {
                        Some(Assignment::Cases(branches.clone().map(branch).collect::<Option<_>>()?))
                    }
                }
            };
            let own = said(|_, value| Some(value.clone()));
            updates.extend(own.map(|assignment| Update { var: *var, assignment }));
            let of_note = said(|notes, value| notes.pointed(value).map(Pointed::term));
            if let Some(note) = self.of.get(var) {
                // Nothing is known of a pointer without a note.
                updates.push(Update { var: *note, assignment: of_note.unwrap_or(Assignment::Nondet) });
            }
        }
        updates.sort_by_key(|it| it.var);
        let universals = t.universals.iter().map(of_others).collect();
        Transition { spans: vec![t.span; guard.len()], guard, universals, updates, ..t.clone() }
    }

    /// The variable that a note is about.
    fn pointer(&self, note: VarId) -> Option<VarId> {
        self.of.iter().find(|(_, it)| **it == note).map(|it| *it.0)
    }

    /// The same without notes; `None` where it never holds.
    fn without(&self, conj: &Conj) -> Option<Conj> {
        rename::all(conj.iter().map(|literal| {
            let Literal::In { cell, values } = literal else { return Some(Truth::Literal(literal.clone())) };
            let Some(var) = self.pointer(cell.var) else { return Some(Truth::Literal(literal.clone())) };
            let pointer = Term::Cell(Cell { var, ..cell.clone() });
            let says = |negated| {
                let nil = Term::Cell(Cell::global(self.nil));
                rename::literal(&Literal::Eq { left: nil, right: pointer.clone(), negated }, &|p| p)
            };
            match values & 0b11 {
                0b00 => Some(Truth::Constant(false)),
                0b01 => says(true),
                0b10 => says(false),
                _ => Some(Truth::Constant(true)),
            }
        }))?
    }

    /// The same equation, for each value of a note that adds something.
    fn cases(&self, equation: &Equation) -> Vec<Equation> {
        let is_note = |cell: &Cell| self.pointer(cell.var).is_some();
        let Some((cell, ..)) = equation.indicators.iter().find(|it| is_note(&it.0)).cloned() else {
            return vec![equation.clone()];
        };
        let (of_it, indicators): (Vec<_>, Vec<_>) =
            equation.indicators.iter().cloned().partition(|it| it.0 == cell);
        let case = |value: u8| {
            let added = of_it.iter().filter(|it| it.1 >> value & 1 == 1).map(|it| it.2);
            let constant = added.into_iter().try_fold(equation.number.constant, Rational::add)?;
            let number = Linear { constant, ..equation.number.clone() };
            let when = [&equation.when[..], &[Literal::is(cell.clone(), value == 1)]].concat();
            Some(Equation { when, number, indicators: indicators.clone(), ..equation.clone() })
        };
        (0..2).filter_map(case).flat_map(|it| self.cases(&it)).collect()
    }
}
