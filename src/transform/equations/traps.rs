//! Traps: classes that are never all empty again once a process is in one of them. What a step that gives a global a value also
//! marks stays marked while the global holds the value: `Y = True => #{p | PC[p] = Stop || ..} >= 1`.
//!
//! Equations do not see this; with traps, they decide most of what place invariants alone leave open (J. Esparza, S. Melzer,
//! "Verification of safety properties using integer programming", Formal Methods in System Design 2000).

use cubicle_lang::list::{add_least, is_part};
use cubicle_lang::model::{Rational, VarId};

use super::case::Case;
use super::columns::{Column, Columns, Group};
use super::hull::is_initial;
use super::span::{Row, equal};

/// While a global holds one of these values, some process is in one of these classes of a group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Marked {
    /// The global, and the set of the value.
    pub when: (VarId, u64),
    pub group: usize,
    /// The classes, ascending.
    pub classes: Vec<usize>,
}

/// Most traps for one value: the smallest ones say most.
const MOST_TRAPS: usize = 6;

/// The least traps that a search from the classes outside of a few finds, for each value that a global does not hold
/// initially.
pub fn traps(columns: &Columns<'_>, steps: &[Case]) -> Option<Vec<Marked>> {
    let mut found = Vec::new();
    for (at, column) in columns.all.iter().enumerate() {
        let Column::Holds(global, value) = column else { continue };
        if is_initial(columns, at, &[]) {
            continue;
        }
        for (number, group) in columns.groups.iter().enumerate() {
            let classes = group.classes.len();
            let initial: Vec<usize> =
                (0..classes).filter(|n| is_initial(columns, group.first + n, &[])).collect();
            let mut least: Vec<Vec<usize>> = Vec::new();
            for a in 0..classes {
                for b in a..classes {
                    columns.go_on()?;
                    let kept = (0..classes).filter(|n| !initial.contains(n) && *n != a && *n != b).collect();
                    let Some(trap) = trap(steps, at, group, kept) else { continue };
                    add_least(&mut least, trap, |a, b| is_part(a, b));
                }
            }
            least.sort_by_key(|it| (it.len(), it.clone()));
            let when = (*global, 1_u64 << value);
            let marked = |classes| Marked { when, group: number, classes };
            found.extend(least.into_iter().take(MOST_TRAPS).map(marked));
        }
    }
    Some(found)
}

/// The largest part of some classes of a group that is marked whenever the column of a value becomes 1, and stays marked while it is.
fn trap(steps: &[Case], held: usize, group: &Group, mut classes: Vec<usize>) -> Option<Vec<usize>> {
    let place = |at: usize| at.checked_sub(group.first).filter(|n| *n < group.classes.len());
    loop {
        let mut left = classes.clone();
        for case in steps {
            let changed = case.changes.iter().find(|it| it.0 == held);
            let written = changed.is_some() || case.lost.contains(&held);
            let surely_not = case.zero.contains(&Row::of(held));
            let surely = case.zero.contains(&equal(held, Rational::ONE));
            // Whether the global may hold the value after the step, and whether it may have another one before.
            let holds =
                if written { changed.is_none_or(|(_, row)| !row.constant.is_zero()) } else { !surely_not };
            if !holds {
                continue;
            }
            let may_be_new = written && !surely;
            let is_in = |at: usize| place(at).is_some_and(|n| classes.contains(&n));
            if case.after.iter().any(|(at, _)| is_in(*at)) {
                continue;
            }
            if may_be_new {
                return None;
            }
            let touched = |at: usize| {
                let taken = case.before.iter().any(|it| it.0 == at) || case.lost.contains(&at);
                taken || !stays(case, at, &is_in)
            };
            left.retain(|n| !touched(group.first + n));
        }
        if left.is_empty() {
            return None;
        }
        if left.len() == classes.len() {
            return Some(classes);
        }
        classes = left;
    }
}

/// Whether the processes of a class that are not parameters go to a class of the set.
fn stays(case: &Case, at: usize, is_in: &impl Fn(usize) -> bool) -> bool {
    let reads = |row: &Row| row.terms.iter().any(|it| it.0 == at);
    let gone = case.changes.iter().any(|(to, row)| *to == at && !reads(row));
    !gone || case.changes.iter().any(|(to, row)| is_in(*to) && reads(row))
}
