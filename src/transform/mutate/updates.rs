//! Mistakes in the updates of a transition, their values, and their processes.

use super::candidate::{CandidateCollector, Operator};
use crate::edit::{Edit, with_semicolon};
use cubicle_lang::syntax::Reads;
use cubicle_lang::syntax::ast::{Name, ProcessDecl, Rhs, Step, StepKind, Term, TermKind, Transition, Update};

impl<'f> CandidateCollector<'f> {
    pub(super) fn transition(&mut self, transition: &'f Transition) {
        self.transition = Some(&transition.name.text);
        self.params = transition.params.iter().map(|name| name.text.as_str()).collect();
        self.emit(Operator::DropTransition, Edit::remove(transition.loc.0));
        if let Some(guard) = &transition.requires {
            self.condition(guard);
        }
        for abbreviation in &transition.lets {
            self.term(&abbreviation.value);
        }
        for (at, update) in transition.updates.iter().enumerate() {
            self.update(&transition.updates[..at], update);
        }
        self.exchanged(transition);
        self.transition = None;
        self.params.clear();
    }

    /// Mistakes in a process that is code; each is one of the transition of its label.
    pub(super) fn process(&mut self, process: &'f ProcessDecl) {
        self.params = process.params.iter().map(|name| name.text.as_str()).collect();
        if self.params.is_empty() {
            self.params.push("self");
        }
        self.code(&process.body);
        self.transition = None;
        self.params.clear();
    }

    fn code(&mut self, code: &'f [Step]) {
        for step in code {
            let params = self.params.len();
            match &step.kind {
                StepKind::Label(label) => self.transition = Some(&label.text),
                StepKind::Await(when) | StepKind::If(when, ..) | StepKind::While(when, _) => {
                    self.condition(when);
                }
                StepKind::Assign(update) => self.update(&[], update),
                StepKind::Goto(_) => {
                    self.emit(Operator::DropUpdate, Edit::remove(with_semicolon(self.text, step.loc.0)));
                }
                StepKind::With(name, _) => self.params.push(&name.text),
                StepKind::Local(_) | StepKind::Skip | StepKind::Either(_) => {}
            }
            step.kind.blocks().into_iter().for_each(|block| self.code(block));
            self.params.truncate(params);
        }
    }

    fn update(&mut self, before: &[Update], update: &'f Update) {
        self.emit(Operator::DropUpdate, Edit::remove(with_semicolon(self.text, update.loc.0)));
        for other in self.names.alike(&update.target.name.text) {
            self.replace(Operator::WrongVariable, update.target.name.span(), other);
        }
        match &update.value {
            Rhs::Term(term) => {
                self.term(term);
                self.sequential(before, term);
            }
            Rhs::Cases(cases) => {
                for (number, case) in cases.iter().enumerate() {
                    if cases.len() > 1 {
                        self.emit(Operator::DropCase, Edit::remove(case.loc.0));
                    }
                    if let Some(when) = &case.when {
                        self.condition(when);
                    }
                    self.term(&case.value);
                    self.sequential(before, &case.value);
                    if let Some(next) = cases.get(number + 1) {
                        let (a, b) = (case.value.span(), next.value.span());
                        let parts = vec![(a, self.at(b).to_owned()), (b, self.at(a).to_owned())];
                        if let Some(edit) = Edit::several(parts) {
                            self.emit(Operator::SwapCases, edit);
                        }
                    }
                }
            }
            Rhs::Send(value) => self.term(value),
            Rhs::Nondet | Rhs::Drop | Rhs::Receive(_) => {}
        }
        for name in of_update(update) {
            self.wrong_process(&name);
        }
    }

    /// Another process instead of a parameter, or of a global that holds one.
    fn wrong_process(&mut self, name: &Name) {
        let pointers = self.names.pointers();
        let this = name.text.as_str();
        if !self.params.contains(&this) && !pointers.contains(&this) {
            return;
        }
        for other in self.params.clone().into_iter().chain(pointers) {
            if other != this {
                self.replace(Operator::WrongProcess, name.span(), other);
            }
        }
    }

    /// The value reads what an earlier update has written.
    fn sequential(&mut self, before: &[Update], term: &Term) {
        let TermKind::Path(read) = &term.kind else { return };
        let written = before.iter().rev().find(|it| it.target == *read && read.names().is_some());
        if let Some(Rhs::Term(value)) = written.map(|it| &it.value) {
            let value = self.at(value.span()).to_owned();
            self.replace(Operator::SequentialUpdate, term.span(), value);
        }
    }

    /// Two parameters exchange their places in the updates.
    fn exchanged(&mut self, transition: &'f Transition) {
        let mut reads = Reads::default();
        transition.lets.iter().for_each(|it| reads.term(&it.value));
        let mut processes = of_reads(reads);
        processes.extend(transition.updates.iter().flat_map(of_update));
        for (at, first) in transition.params.iter().enumerate() {
            for second in &transition.params[at + 1..] {
                let other = |name: &Name| match name {
                    _ if name == first => Some(second.text.clone()),
                    _ if name == second => Some(first.text.clone()),
                    _ => None,
                };
                let parts = processes.iter().filter_map(|name| Some((name.span(), other(name)?)));
                if let Some(edit) = Edit::several(parts.collect()) {
                    self.emit(Operator::SwapParameters, edit);
                }
            }
        }
    }
}

/// The names in an update that may stand for a process, but for those that it binds.
fn of_update(update: &Update) -> Vec<Name> {
    let mut reads = Reads::default();
    update.value.formulas().for_each(|it| reads.formula(it));
    update.value.terms().into_iter().for_each(|it| reads.term(it));
    let index = update.target.names().unwrap_or_default();
    let mut found = of_reads(reads);
    if matches!(update.value, Rhs::Cases(_)) {
        // A process that a `case` binds is not one of the transition.
        found.retain(|name| !index.iter().any(|bound| bound.text == name.text));
    } else {
        found.extend(index.into_iter().cloned());
    }
    found
}

fn of_reads(reads: Reads) -> Vec<Name> {
    let own = reads.cells.iter().filter(|(cell, bound)| !bound.contains(&cell.name.text));
    own.filter_map(|(cell, _)| cell.alone()).cloned().collect()
}
