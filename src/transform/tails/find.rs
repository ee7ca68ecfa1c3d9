//! Tails that may help a proof: clauses of universal guards, weakened until no step makes them true.
//!
//! A clause that is false and becomes true again is of little use: its array then says nothing of what was. Where a step makes it true,
//! a literal of the guard of that step about the process for which it does so holds before the step; with that literal in the clause, the step finds
//! the clause true. So `Member[n, q] = False || Vote[n, v] = True`, which a vote makes true, becomes
//! `Member[n, q] = False || Vote[n, v] = True || Voted[n] = False`, where a node votes once. Nothing depends on what is found here but speed.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::effect::Effect;
use super::explicit::{at, bound_processes, constants, is_said, others, sorts_said, with_tails};
use cubicle_lang::list::{extend_new, is_part};
use cubicle_lang::model::semantics::choices;
use cubicle_lang::model::{Conj, Literal, ProcRef, System, Tail, Transition, Universal, negated, rename};
use tracing::debug;

const MOST_TAILS: usize = 4;

const MOST_TAILS_OF_BAD: usize = 6;

const MOST_CONSTANTS: usize = 4;

/// Most literals that weaken a clause.
const MOST_ADDED: usize = 3;

/// Most clauses of one universal guard.
const MOST_CLAUSES: usize = 8;

/// Most clauses that are examined for one universal guard.
const MOST_EXAMINED: usize = 40;

/// What a clause is about: those first that matter most.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// Bad states.
    Bad,
    /// Processes of a sort that has witnesses.
    Witness,
    Other,
}

/// The tails of a system.
pub fn tails_of(system: &System) -> Vec<Tail> {
    let mut found: Vec<Tail> = Vec::new();
    if system.proc_constants > 0 {
        return found;
    }
    let guards = system.transitions.iter().flat_map(|t| t.universals.iter().map(move |it| (t, it)));
    for (rank, tail) in ordered(guards.flat_map(|(t, universal)| clauses(system, t, universal)).collect()) {
        if found.len() >= if rank == Rank::Bad { MOST_TAILS_OF_BAD } else { MOST_TAILS } {
            break;
        }
        // Of bad states it is also of use what becomes true again: they say it all at once.
        match weakened(system, &tail).or((rank == Rank::Bad).then_some(tail)) {
            Some(tail) if !found.contains(&tail) && is_of_use(system, &tail) => {
                debug!(?tail, "tail");
                found.push(tail);
            }
            _ => {}
        }
    }
    found
}

/// Whether a guard says it, and steps have updates for it that are not too large.
fn is_of_use(system: &System, tail: &Tail) -> bool {
    is_said(system, tail) && with_tails(system, std::slice::from_ref(tail)).is_ok()
}

/// Those that matter most first, each kind in the order of transitions; of bad states, those that say most come first, and one about each array
/// before another one about the same.
fn ordered(mut clauses: Vec<(Rank, Tail)>) -> Vec<(Rank, Tail)> {
    clauses.sort_by_key(|(rank, tail)| {
        let of_bad = *rank == Rank::Bad;
        (*rank, of_bad.then_some((tail.constants, Reverse(tail.bound))))
    });
    let about = |it: &(Rank, Tail)| {
        let arrays = it.1.denial.iter().flat_map(Literal::cells).map(|it| it.var);
        arrays.collect::<BTreeSet<_>>()
    };
    let earlier = |at: usize| {
        let of_bad = clauses[at].0 == Rank::Bad;
        clauses[..at].iter().filter(|it| of_bad && about(it) == about(&clauses[at])).count()
    };
    let mut turns: Vec<(Rank, usize, usize)> =
        (0..clauses.len()).map(|at| (clauses[at].0, earlier(at), at)).collect();
    turns.sort_unstable();
    turns.into_iter().map(|(_, _, at)| clauses[at].clone()).collect()
}

/// The clauses of a universal guard, all of which hold where it does, and what each is about.
fn clauses(system: &System, t: &Transition, universal: &Universal) -> Vec<(Rank, Tail)> {
    let body = &universal.body.0;
    if body.iter().map(Vec::len).fold(1, usize::saturating_mul) > MOST_CLAUSES {
        return Vec::new();
    }
    // One literal of each disjunct.
    let literals: Vec<Vec<&Literal>> = body.iter().map(|conj| conj.iter().collect()).collect();
    choices(&literals).iter().filter_map(|literals| clause(system, t, universal, literals)).collect()
}

fn clause(
    system: &System,
    t: &Transition,
    universal: &Universal,
    literals: &[&Literal],
) -> Option<(Rank, Tail)> {
    let arity = t.arity() as u8;
    let mut of: Vec<ProcRef> = Vec::new();
    let is_named = |p: &ProcRef| !matches!(p, ProcRef::Var(v) if *v >= arity);
    extend_new(&mut of, literals.iter().flat_map(|it| it.procs()).filter(is_named));
    let constants = of.len();
    of.extend((arity..arity + universal.bound).map(ProcRef::Var));
    if !of.iter().all(|p| literals.iter().any(|it| it.procs().contains(p))) {
        return None;
    }
    let map = |p: ProcRef| of.iter().position(|it| *it == p).map_or(p, |at| ProcRef::Var(at as u8));
    let denial: Option<Conj> = literals
        .iter()
        .map(|literal| match negated(system, literal)? {
            Literal::In { cell, values } => Some(Literal::In { cell: rename::cell(&cell, &map), values }),
            _ => None,
        })
        .collect();
    let tail = Tail { constants: constants as u8, bound: universal.bound, denial: denial? };
    let of_bound = tail.denial.iter().flat_map(Literal::cells).find_map(|cell| {
        let at = cell.index.iter().position(|p| tail.bound_processes().any(|bound| bound == *p))?;
        system.index_sort(cell.var, at)
    });
    let is_witness = system.witnesses.iter().any(|it| system.pointed_sort(*it) == of_bound);
    let rank = match system.is_watch(t) {
        true => Rank::Bad,
        false if is_witness => Rank::Witness,
        false => Rank::Other,
    };
    let of_bad = rank == Rank::Bad;
    let fits = (usize::from(!of_bad)..=MOST_CONSTANTS).contains(&constants) && (of_bad || tail.bound == 1);
    fits.then_some((rank, tail))
}

/// The clause with the fewest further literals that no step makes true.
fn weakened(system: &System, tail: &Tail) -> Option<Tail> {
    let mut waiting = vec![(0, tail.clone())];
    let mut at = 0;
    while let Some((added, tail)) = waiting.get(at).cloned() {
        at += 1;
        let Some(repairs) = first_way_to_hold(system, &tail)? else { return Some(tail) };
        if added == MOST_ADDED {
            continue;
        }
        for literal in repairs {
            let mut next = tail.clone();
            next.denial.push(literal);
            let known = waiting
                .iter()
                .any(|(_, it)| it.denial.len() == next.denial.len() && is_part(&it.denial, &next.denial));
            if !known && waiting.len() < MOST_EXAMINED {
                waiting.push((added + 1, next));
            }
        }
    }
    None
}

/// The first way in which a step makes the clause true for a process, as literals of a denial that would exclude it; `None`
/// inside when there is no such way, and at all when it is not known.
fn first_way_to_hold(system: &System, tail: &Tail) -> Option<Option<Vec<Literal>>> {
    for t in &system.transitions {
        let constants = constants(t, tail);
        let of_sorts = sorts_said(system, tail, &constants);
        let others = others(t, tail);
        let effect = Effect::new(system, t, others);
        for n in bound_processes(t, tail.bound, others) {
            for way in effect.becomes(&at(tail, &constants, &n))? {
                if let Some(before) = effect.consistent([&t.guard[..], &of_sorts, &way].concat()) {
                    return Some(Some(repairs(system, tail, &before, &constants, &n)));
                }
            }
        }
    }
    Some(None)
}

/// Negations of what holds of the bound processes before such a step, over the constants of the tail.
fn repairs(
    system: &System,
    tail: &Tail,
    before: &Conj,
    constants: &[ProcRef],
    n: &[ProcRef],
) -> Vec<Literal> {
    let same = |a: ProcRef, b: ProcRef| {
        a == b || before.contains(&Literal::same(a, b)) || before.contains(&Literal::same(b, a))
    };
    let name = |p: ProcRef| {
        let bound = n.iter().position(|it| *it == p).map(|at| constants.len() + at);
        bound.or_else(|| constants.iter().position(|it| same(*it, p))).map(|at| ProcRef::Var(at as u8))
    };
    let denied = at(tail, constants, n);
    let mut out = Vec::new();
    for literal in before {
        let Literal::In { cell, .. } = literal else { continue };
        if !system.changes(cell.var)
            || denied.contains(literal)
            || !cell.index.iter().any(|p| n.contains(p))
            || cell.index.iter().any(|p| name(*p).is_none())
        {
            continue;
        }
        let map = |p: ProcRef| name(p).unwrap_or(p);
        if let Some(Literal::In { cell, values }) = negated(system, literal) {
            let opposite = Literal::In { cell: rename::cell(&cell, &map), values };
            // A clause that no process can violate says nothing.
            if !tail.denial.iter().any(|it| it.excludes(&opposite)) {
                out.push(opposite);
            }
        }
    }
    out
}
