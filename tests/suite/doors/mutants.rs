//! `mutate --cache` after an edit prints the same as without a cache.

use std::fs;

use super::ast::{Assigned, Formula, Model, Op, Term};
use super::program::{cubicle, text};
use super::{Case, Checked, differ};
use crate::support::dice::Dice;

pub fn cache(case: &Case<'_>) -> Checked {
    let mut dice = Dice::new(case.seed ^ 0xcac4e);
    let mut edited = case.model.clone();
    edited.runs.clear();
    edited.fairness.clear();
    let folder = tempfile::tempdir().expect("a folder");
    let mutate = |cached: bool| {
        let words = ["mutate", "m.cub", "--anyway", "--max-states", "300", "--rounds", "1", "--sample", "6"];
        let words = [words.as_slice(), if cached { &["--cache", "kept"] } else { &[] }].concat();
        let output = cubicle(folder.path(), &words);
        (output.status.code(), text(&output.stdout))
    };
    let write = |model: &Model| fs::write(folder.path().join("m.cub"), model.to_string()).expect("a model");
    write(&edited);
    if !matches!(mutate(true).0, Some(0 | 3)) {
        return Ok(false);
    }
    if !edit(&mut edited, &mut dice) {
        return Ok(false);
    }
    write(&edited);
    let (with, without) = (mutate(true), mutate(false));
    if with != without {
        return differ("mutants with a cache", format!("{edited}with:\n{with:?}\nwithout:\n{without:?}"));
    }
    Ok(true)
}

/// Changes a constant of a transition.
fn edit(model: &mut Model, dice: &mut Dice) -> bool {
    let enums = model.enums.clone();
    let mut constants: Vec<&mut Term> = Vec::new();
    for transition in &mut model.transitions {
        collect(&mut transition.guard, &mut constants);
        for update in &mut transition.updates {
            match &mut update.value {
                Assigned::Term(term) => constants.push(term),
                Assigned::Any => {}
                Assigned::Case(branches, _) => constants.extend(branches.iter_mut().map(|(_, term)| term)),
            }
        }
    }
    constants.retain(|term| matches!(term, Term::Const(super::ast::Kind::Enum(_), _)));
    if constants.is_empty() {
        return false;
    }
    let chosen = dice.below(constants.len());
    let Term::Const(super::ast::Kind::Enum(number), value) = constants.swap_remove(chosen) else {
        return false;
    };
    *value = (*value + 1) % enums[*number] as i8;
    true
}

fn collect<'t>(formula: &'t mut Formula, terms: &mut Vec<&'t mut Term>) {
    match formula {
        Formula::Compare(Op::Le, ..) => {}
        Formula::Compare(_, left, right) => terms.extend([left, right]),
        Formula::And(parts) | Formula::Or(parts) => parts.iter_mut().for_each(|part| collect(part, terms)),
        Formula::Not(body) | Formula::Quantified(_, body) => collect(body, terms),
    }
}
