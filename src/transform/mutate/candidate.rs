//! A mutant that may or may not be a model, and the list of them that a walk makes.

use super::names::Names;
use super::operator::Operator;
use crate::edit::Edit;
use cubicle_lang::diagnostic::Span;
use cubicle_lang::load::meaning;
use cubicle_lang::model::System;
use cubicle_lang::syntax::ast::File;

/// A small mistake in a model: the result may not be a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MutantCandidate {
    /// Its number among all candidates of the model, from 1, in the order of the text.
    pub number: usize,
    /// The kind of mistake.
    pub operator: Operator,
    /// The transition that it is in; `None` for init.
    pub transition: Option<String>,
    /// The change of the text.
    pub edit: Edit,
}

impl MutantCandidate {
    /// The text of the mutant.
    ///
    /// # Panics
    /// When `text` is not the one that it was made from.
    pub fn text(&self, text: &str) -> String {
        self.edit.apply(text)
    }

    /// The system of the mutant; `None` when it is not a model.
    ///
    /// # Panics
    /// When `text` is not the one that it was made from.
    pub fn system(&self, text: &str) -> Option<System> {
        meaning(&self.text(text)).ok().map(|it| it.system)
    }
}

/// Notes candidates while a tree is walked.
pub(super) struct CandidateCollector<'f> {
    pub text: &'f str,
    pub names: Names<'f>,
    /// The transition that is walked.
    pub transition: Option<&'f str>,
    pub params: Vec<&'f str>,
    found: Vec<MutantCandidate>,
}

impl<'f> CandidateCollector<'f> {
    pub fn new(file: &'f File, text: &'f str) -> Self {
        Self { text, names: Names::new(file), transition: None, params: Vec::new(), found: Vec::new() }
    }

    /// Notes a candidate.
    pub fn emit(&mut self, operator: Operator, edit: Edit) {
        let transition = self.transition.map(str::to_owned);
        self.found.push(MutantCandidate { number: 0, operator, transition, edit });
    }

    /// Notes a candidate with other words at one place.
    pub fn replace(&mut self, operator: Operator, span: Span, with: impl Into<String>) {
        self.emit(operator, Edit::replace(span, with));
    }

    pub fn at(&self, span: Span) -> &'f str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// The candidates in the order of the text, each once.
    pub fn finish(self) -> Vec<MutantCandidate> {
        let mut found = self.found;
        // Stable: at one place, the order in which they were noted.
        found.sort_by_key(|it| (it.edit.place().start, it.operator));
        found.dedup_by(|b, a| a.edit == b.edit);
        for (candidate, number) in found.iter_mut().zip(1..) {
            candidate.number = number;
        }
        found
    }
}
