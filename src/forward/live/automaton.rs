//! From a formula to an automaton that accepts the runs on which it holds: the tableau of Gerth, Peled, Vardi and Wolper
//! ("Simple on-the-fly automatic verification of linear temporal logic", PSTV 1995).
//!
//! A node says what holds now and what must hold from the next position on. A run is accepted when it can be followed
//! through nodes, each of which fits its state, such that no `until` is put off for ever.

use cubicle_lang::list::place_of;
use cubicle_lang::model::Ltl;

/// A set of subformulas, by their numbers.
type Set = u128;

/// A generalised Büchi automaton with formulas at its nodes.
#[derive(Clone, Debug, Default)]
pub struct Automaton {
    pub nodes: Vec<Node>,
    /// Sets of nodes, each of which must be visited infinitely often.
    pub visits: Vec<Vec<bool>>,
}

#[derive(Clone, Debug)]
pub struct Node {
    pub initial: bool,
    /// Atoms, and whether each holds in the states that fit.
    pub literals: Vec<(usize, bool)>,
    /// The nodes that may come next.
    pub next: Vec<usize>,
}

/// A subformula; others by their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    Truth(bool),
    Literal(usize, bool),
    And(u8, u8),
    Or(u8, u8),
    Next(u8),
    Until(u8, u8),
    Release(u8, u8),
}

/// A node under construction.
#[derive(Clone, Debug)]
struct Draft {
    /// Its predecessor; `None` for the beginning.
    from: Option<usize>,
    new: Set,
    old: Set,
    next: Set,
}

impl Automaton {
    /// The automaton of a formula whose negations are at atoms; `None` when that is too large: more than 128 subformulas,
    /// or more than `most` nodes.
    pub fn new(formula: &Ltl, most: usize) -> Option<Self> {
        let mut parts = Vec::new();
        let root = number(formula, &mut parts)?;
        let mut made: Vec<(Set, Set)> = Vec::new();
        let mut this = Self::default();
        let mut drafts = vec![Draft { from: None, new: 1 << root, old: 0, next: 0 }];
        while let Some(mut draft) = drafts.pop() {
            if draft.new == 0 {
                let known = made.iter().position(|it| *it == (draft.old, draft.next));
                let node = known.unwrap_or_else(|| {
                    made.push((draft.old, draft.next));
                    let literals = literals(&parts, draft.old);
                    this.nodes.push(Node { initial: false, literals, next: Vec::new() });
                    made.len() - 1
                });
                match draft.from {
                    None => this.nodes[node].initial = true,
                    Some(from) if !this.nodes[from].next.contains(&node) => this.nodes[from].next.push(node),
                    Some(_) => {}
                }
                if known.is_none() {
                    drafts.push(Draft { from: Some(node), new: draft.next, old: 0, next: 0 });
                }
                if made.len() > most {
                    return None;
                }
                continue;
            }
            let this_one = draft.new.trailing_zeros() as u8;
            draft.new &= !(1 << this_one);
            if draft.old >> this_one & 1 == 1 {
                drafts.push(draft);
                continue;
            }
            draft.old |= 1 << this_one;
            drafts.extend(unfold(&parts, parts[usize::from(this_one)], draft));
        }
        this.visits = visits(&parts, &made);
        Some(this)
    }
}

/// The ways to satisfy a part, which is among those that the draft already satisfies.
fn unfold(parts: &[Part], part: Part, draft: Draft) -> Vec<Draft> {
    let with = |now: Set, then: Set| Draft { new: draft.new | now, next: draft.next | then, ..draft.clone() };
    let own = parts.iter().position(|it| *it == part).map_or(0, |at| 1 << at);
    match part {
        Part::Truth(true) => vec![draft],
        Part::Truth(false) => Vec::new(),
        Part::Literal(atom, truth) => {
            let opposite =
                |(at, it): (usize, &Part)| *it == Part::Literal(atom, !truth) && draft.old >> at & 1 == 1;
            if parts.iter().enumerate().any(opposite) { Vec::new() } else { vec![draft] }
        }
        Part::And(a, b) => vec![with(1 << a | 1 << b, 0)],
        Part::Or(a, b) => vec![with(1 << a, 0), with(1 << b, 0)],
        Part::Next(a) => vec![with(0, 1 << a)],
        Part::Until(a, b) => vec![with(1 << a, own), with(1 << b, 0)],
        Part::Release(a, b) => vec![with(1 << b, own), with(1 << a | 1 << b, 0)],
    }
}

/// For each `until`, the nodes that do not put it off.
fn visits(parts: &[Part], made: &[(Set, Set)]) -> Vec<Vec<bool>> {
    let untils = parts.iter().enumerate().filter_map(|(at, part)| match part {
        Part::Until(_, b) => Some((at, *b)),
        _ => None,
    });
    let kept =
        |(at, b): (usize, u8)| made.iter().map(|(old, _)| old >> at & 1 == 0 || old >> b & 1 == 1).collect();
    untils.map(kept).collect()
}

fn literals(parts: &[Part], old: Set) -> Vec<(usize, bool)> {
    let literal = |(at, part): (usize, &Part)| match part {
        Part::Literal(atom, truth) if old >> at & 1 == 1 => Some((*atom, *truth)),
        _ => None,
    };
    parts.iter().enumerate().filter_map(literal).collect()
}

/// The number of a formula among `parts`, which gets it and its subformulas.
fn number(formula: &Ltl, parts: &mut Vec<Part>) -> Option<u8> {
    let part = match formula {
        Ltl::Truth(truth) => Part::Truth(*truth),
        Ltl::Atom(atom) => Part::Literal(*atom, true),
        Ltl::Not(a) => match **a {
            Ltl::Atom(atom) => Part::Literal(atom, false),
            _ => unreachable!("negations are at atoms"),
        },
        Ltl::And(a, b) => Part::And(number(a, parts)?, number(b, parts)?),
        Ltl::Or(a, b) => Part::Or(number(a, parts)?, number(b, parts)?),
        Ltl::Next(a) => Part::Next(number(a, parts)?),
        Ltl::Until(a, b) => Part::Until(number(a, parts)?, number(b, parts)?),
        Ltl::Release(a, b) => Part::Release(number(a, parts)?, number(b, parts)?),
    };
    u8::try_from(place_of(parts, part)).ok().filter(|at| *at < 128)
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::live::arrows::{Arrow, Arrows, STUTTER, Ways};
    use crate::live::components::FairCycles;
    use crate::live::constraints::Constraints;
    use cubicle_run::Interrupt;

    fn formula(rng: &mut ChaCha8Rng, depth: usize) -> Ltl {
        let kind = if depth == 0 { rng.random_range(0..3) } else { rng.random_range(0..9) };
        let mut sub = || Box::new(formula(rng, depth - 1));
        match kind {
            0 | 1 => Ltl::Atom(rng.random_range(0..2)),
            2 => Ltl::Truth(rng.random_ratio(1, 2)),
            3 => Ltl::Not(sub()),
            4 => Ltl::And(sub(), sub()),
            5 => Ltl::Or(sub(), sub()),
            6 => Ltl::Next(sub()),
            7 => Ltl::Until(sub(), sub()),
            _ => Ltl::Release(sub(), sub()),
        }
    }

    /// Whether the automaton accepts the run whose positions have these atoms and which continues from its end at position
    /// `back`.
    fn accepts(automaton: &Automaton, word: &[[bool; 2]], back: usize) -> bool {
        let count = automaton.nodes.len();
        let fits = |at: usize, node: usize| {
            automaton.nodes[node].literals.iter().all(|(it, truth)| word[at][*it] == *truth)
        };
        let mut arrows = Arrows::default();
        for at in 0..word.len() {
            let after = if at + 1 < word.len() { at + 1 } else { back };
            for node in 0..count {
                for &next in automaton.nodes[node].next.iter().filter(|next| fits(after, **next)) {
                    arrows.push(Arrow { label: STUTTER, to: (after * count + next) as u32 });
                }
                arrows.end_node();
            }
        }
        arrows.finish(word.len() * count);
        let initial = (0..count).filter(|node| automaton.nodes[*node].initial && fits(0, *node));
        let ways = Ways::new(&arrows, initial.map(|node| node as u32), &|_| true, |_| true);
        let visits: Vec<Vec<bool>> =
            automaton.visits.iter().map(|set| (0..word.len()).flat_map(|_| set.clone()).collect()).collect();
        let cycles = FairCycles {
            arrows: &arrows,
            steps: &arrows,
            state: &|node| node,
            constraints: &Constraints::default(),
            visits: &visits,
            interrupt: &Interrupt::default(),
        };
        cycles.first(&ways.reached).expect("it is not interrupted").is_some()
    }

    /// Checks that each automaton accepts exactly the runs on which its formula holds, and that of the negation all others.
    /// Counts both outcomes.
    fn compare(seeds: std::ops::Range<u64>) -> [usize; 2] {
        let mut seen = [0; 2];
        for seed in seeds {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let formula = formula(&mut rng, 1 + seed as usize % 4);
            let negated = formula.negated();
            let twice = negated.negated();
            let one = Automaton::new(&twice, 5_000).expect("it is small");
            let other = Automaton::new(&negated, 5_000).expect("it is small");
            for _ in 0..6 {
                let length = rng.random_range(1..6);
                let back = rng.random_range(0..length);
                let word: Vec<[bool; 2]> =
                    (0..length).map(|_| [rng.random_ratio(1, 2), rng.random_ratio(1, 2)]).collect();
                let holds = formula.holds(length, back, &|atom, at| word[at][atom])[0];
                let context = format!("seed {seed}: {formula:?} on {word:?}, back to {back}");
                assert_eq!(accepts(&one, &word, back), holds, "{context}");
                assert_eq!(accepts(&other, &word, back), !holds, "the negation; {context}");
                seen[usize::from(holds)] += 1;
            }
        }
        seen
    }

    #[test]
    fn automata_accept_the_runs_of_their_formulas() {
        let [broken, held] = compare(0..1_000);
        assert!(broken > 1_000 && held > 1_000, "{broken} {held}");
    }

    #[test]
    #[ignore = "takes a minute"]
    fn automata_of_many_formulas_accept_their_runs() {
        compare(1_000..20_000);
    }
}
