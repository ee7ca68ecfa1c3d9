//! Mistakes in the updates of a transition, their values, and their processes.

use super::candidate::{CandidateCollector, Operator};
use crate::edit::{Edit, with_semicolon};
use cubicle_lang::syntax::ast::{
    Counted, Expr, Name, ProcessDecl, Rhs, Step, StepKind, Term, TermKind, Transition, Update,
};

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
        let mut processes = Vec::new();
        of_update(update, &mut processes);
        for name in processes {
            self.wrong_process(name);
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
        let mut processes = Vec::new();
        for abbreviation in &transition.lets {
            of_term(&abbreviation.value, &mut processes);
        }
        for update in &transition.updates {
            of_update(update, &mut processes);
        }
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

/// The names in an update that may stand for a process.
fn of_update<'f>(update: &'f Update, out: &mut Vec<&'f Name>) {
    let bound = matches!(update.value, Rhs::Cases(_));
    // A process that a `case` binds is not one of the transition.
    let index = update.target.names();
    out.extend(index.iter().flatten().filter(|_| !bound));
    update.value.formulas().for_each(|when| of_formula(when, out));
    update.value.terms().into_iter().for_each(|value| of_term(value, out));
    if bound {
        let hidden = index.iter().flatten().map(|name| name.text.as_str()).collect::<Vec<_>>();
        out.retain(|name| {
            let inside = update.loc.0.start <= name.span().start && name.span().end <= update.loc.0.end;
            !inside || !hidden.contains(&name.text.as_str())
        });
    }
}

fn of_term<'f>(term: &'f Term, out: &mut Vec<&'f Name>) {
    match &term.kind {
        TermKind::Path(path) => {
            out.extend(path.alone());
            out.extend(path.index.iter().flatten().filter_map(Term::alone));
        }
        TermKind::Count(count) => count.of.iter().for_each(|it| of_counted(it, out)),
        TermKind::Remainder(of, _) => of_term(of, out),
        TermKind::Sum(summands) => {
            for it in summands {
                of_term(&it.operand, out);
            }
        }
        TermKind::Record(fields) => fields.iter().for_each(|(_, value)| of_term(value, out)),
        TermKind::Number(_) => {}
    }
}

/// The process that is counted is not one of the transition.
fn of_counted<'f>(counted: &'f Counted, out: &mut Vec<&'f Name>) {
    let mut inside = Vec::new();
    counted.terms().for_each(|it| of_term(it, &mut inside));
    counted.formulas().for_each(|it| of_formula(it, &mut inside));
    out.extend(inside.into_iter().filter(|name| name.text != counted.var.text));
}

fn of_formula<'f>(expr: &'f Expr, out: &mut Vec<&'f Name>) {
    expr.kind.terms().into_iter().for_each(|it| of_term(it, out));
    expr.kind.formulas().into_iter().for_each(|it| of_formula(it, out));
}
