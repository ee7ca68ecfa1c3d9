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
            let mut effects: Vec<Effect> =
                steps.iter().filter_map(|case| Effect::of(case, at, group)).collect();
            effects.sort_unstable();
            effects.dedup();
            let mut least: Vec<Vec<usize>> = Vec::new();
            for a in 0..classes {
                for b in a..classes {
                    columns.go_on()?;
                    let kept = (0..classes).filter(|n| !initial.contains(n) && *n != a && *n != b);
                    let Some(trap) = trap(&effects, set(kept)) else { continue };
                    let trap = (0..classes).filter(|n| trap >> n & 1 == 1).collect();
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

/// What a step that may end with a value of a global does to the classes of a group, in sets of these.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Effect {
    /// Whether the global may hold another value before.
    may_be_new: bool,
    /// Where some parameter is afterwards.
    after: u128,
    /// Where some parameter is before, or of which nothing is known afterwards.
    taken: u128,
    /// The other classes that all processes leave, each with those that they may go to.
    left: Vec<(usize, u128)>,
}

impl Effect {
    /// `None` for a step that does not end with the value.
    fn of(case: &Case, held: usize, group: &Group) -> Option<Self> {
        let place = |at: usize| at.checked_sub(group.first).filter(|n| *n < group.classes.len());
        let changed = case.changes.iter().find(|it| it.0 == held);
        let written = changed.is_some() || case.lost.contains(&held);
        let surely_not = case.zero.contains(&Row::of(held));
        let surely = case.zero.contains(&equal(held, Rational::ONE));
        let holds =
            if written { changed.is_none_or(|(_, row)| !row.constant.is_zero()) } else { !surely_not };
        if !holds {
            return None;
        }
        let after = set(case.after.iter().filter_map(|it| place(it.0)));
        let taken = case.before.iter().map(|it| it.0).chain(case.lost.iter().copied());
        let taken = set(taken.filter_map(place));
        let left = (0..group.classes.len()).filter_map(|n| {
            let reads = |row: &Row| row.terms.iter().any(|it| it.0 == group.first + n);
            let gone = case.changes.iter().any(|(to, row)| *to == group.first + n && !reads(row));
            let to = case.changes.iter().filter(|(_, row)| reads(row)).filter_map(|it| place(it.0));
            (gone && taken >> n & 1 == 0).then(|| (n, set(to)))
        });
        Some(Self { may_be_new: written && !surely, after, taken, left: left.collect() })
    }
}

/// Some classes: there are fewer than columns.
fn set(classes: impl Iterator<Item = usize>) -> u128 {
    classes.fold(0, |set, n| set | 1 << n)
}

/// The largest part of some classes of a group that is marked whenever the global gets the value, and stays marked while it holds it.
fn trap(effects: &[Effect], mut classes: u128) -> Option<u128> {
    loop {
        let mut left = classes;
        for effect in effects.iter().filter(|it| it.after & classes == 0) {
            if effect.may_be_new {
                return None;
            }
            left &= !effect.taken;
            for (class, to) in &effect.left {
                if to & classes == 0 {
                    left &= !(1 << class);
                }
            }
        }
        if left == 0 {
            return None;
        }
        if left == classes {
            return Some(classes);
        }
        classes = left;
    }
}
