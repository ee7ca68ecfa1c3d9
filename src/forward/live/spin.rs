//! Compares formulas with `spin -f`, where it is installed: its never claims accept exactly where the formula holds.

use std::process::Command;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use cubicle_lang::model::Ltl;

/// A formula without `X`, which this version of spin does not support.
fn formula(rng: &mut ChaCha8Rng, depth: usize) -> Ltl {
    let kind = if depth == 0 { 0 } else { rng.random_range(1..7) };
    let mut sub = || Box::new(formula(rng, depth - 1));
    match kind {
        0 => Ltl::Atom(rng.random_range(0..2)),
        1 => Ltl::Not(sub()),
        2 => Ltl::And(sub(), sub()),
        3 => Ltl::Or(sub(), sub()),
        4 => Ltl::Until(sub(), sub()),
        5 => Ltl::Release(sub(), sub()),
        _ => Ltl::Until(Box::new(Ltl::Truth(true)), sub()),
    }
}

fn written(formula: &Ltl) -> String {
    match formula {
        Ltl::Truth(truth) => truth.to_string(),
        Ltl::Atom(number) => format!("p{number}"),
        Ltl::Not(a) => format!("! ({})", written(a)),
        Ltl::And(a, b) => format!("({}) && ({})", written(a), written(b)),
        Ltl::Or(a, b) => format!("({}) || ({})", written(a), written(b)),
        Ltl::Until(a, b) => format!("({}) U ({})", written(a), written(b)),
        Ltl::Release(a, b) => format!("({}) V ({})", written(a), written(b)),
        Ltl::Next(_) => unreachable!("it has none"),
    }
}

/// A state of a never claim.
#[derive(Default)]
struct ClaimState {
    labels: Vec<String>,
    /// Guards, with the label that each leads to.
    steps: Vec<(String, String)>,
}

impl ClaimState {
    fn accepts(&self) -> bool {
        self.labels.iter().any(|label| label.starts_with("accept"))
    }
}

/// The states of a never claim, the first one first.
fn claim(text: &str) -> Vec<ClaimState> {
    let mut states: Vec<ClaimState> = Vec::new();
    let mut fresh = false;
    for line in text.lines().map(str::trim) {
        if let Some(label) = line.strip_suffix(':') {
            if !fresh {
                states.push(ClaimState::default());
            }
            fresh = true;
            states.last_mut().expect("it has a state").labels.push(label.to_owned());
            continue;
        }
        let step = if line == "skip" {
            let own = states.last().expect("it has a state").labels[0].clone();
            Some(("(1)".to_owned(), own))
        } else if let Some((guard, _)) =
            line.strip_prefix(":: atomic {").and_then(|it| it.split_once("-> assert"))
        {
            Some((guard.to_owned(), "accept_all".to_owned()))
        } else {
            let step = line.strip_prefix("::").and_then(|it| it.split_once("-> goto"));
            step.map(|(guard, to)| (guard.to_owned(), to.trim().to_owned()))
        };
        if let Some(step) = step {
            states.last_mut().expect("it has a state").steps.push(step);
            fresh = false;
        }
    }
    states
}

/// The truth of a guard, and the text after it.
fn disjunction(text: &str, atoms: [bool; 2]) -> (bool, &str) {
    let (mut truth, mut rest) = conjunction(text, atoms);
    while let Some(more) = rest.strip_prefix("||") {
        let (other, after) = conjunction(more, atoms);
        truth |= other;
        rest = after;
    }
    (truth, rest)
}

fn conjunction(text: &str, atoms: [bool; 2]) -> (bool, &str) {
    let (mut truth, mut rest) = literal(text, atoms);
    while let Some(more) = rest.strip_prefix("&&") {
        let (other, after) = literal(more, atoms);
        truth &= other;
        rest = after;
    }
    (truth, rest)
}

fn literal(text: &str, atoms: [bool; 2]) -> (bool, &str) {
    let text = text.trim_start();
    if let Some(rest) = text.strip_prefix('!') {
        let (truth, rest) = literal(rest, atoms);
        return (!truth, rest);
    }
    if let Some(inner) = text.strip_prefix('(') {
        let (truth, rest) = disjunction(inner, atoms);
        return (truth, rest.strip_prefix(')').expect("it is closed").trim_start());
    }
    let known =
        [("p0", atoms[0]), ("p1", atoms[1]), ("true", true), ("false", false), ("1", true), ("0", false)];
    let (word, truth) =
        known.into_iter().find(|(word, _)| text.starts_with(word)).expect("a word of a guard");
    (truth, text[word.len()..].trim_start())
}

/// Whether a claim accepts a run that repeats from `back` on.
fn accepts(states: &[ClaimState], word: &[[bool; 2]], back: usize) -> bool {
    let node = |at: usize, state: usize| at * states.len() + state;
    let count = word.len() * states.len();
    let mut next = vec![Vec::new(); count];
    for at in 0..word.len() {
        let after = if at + 1 < word.len() { at + 1 } else { back };
        for (number, state) in states.iter().enumerate() {
            for (guard, to) in state.steps.iter().filter(|(guard, _)| disjunction(guard, word[at]).0) {
                let to = states.iter().position(|it| it.labels.contains(to));
                let to = to.unwrap_or_else(|| panic!("no state for {guard}"));
                next[node(at, number)].push(node(after, to));
            }
        }
    }
    let reach = |from: &[usize]| {
        let mut seen = vec![false; count];
        let mut open = from.to_vec();
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                open.extend(&next[at]);
            }
        }
        seen
    };
    let reached = reach(&[node(0, 0)]);
    let accepting = |at: &usize| reached[*at] && states[at % states.len()].accepts();
    (0..count).filter(accepting).any(|at| reach(&next[at])[at])
}

/// Compares this many formulas; returns the number compared, 0 without spin.
fn compare(count: u64) -> u64 {
    for seed in 0..count {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let formula = formula(&mut rng, 1 + seed as usize % 3);
        // Spin takes minutes for some: these are skipped.
        let Ok(output) = Command::new("timeout").args(["2", "spin", "-f", &written(&formula)]).output()
        else {
            return 0;
        };
        match output.status.code() {
            Some(0) => {}
            Some(124) => continue,
            // The program is not installed.
            Some(127) => return 0,
            code => panic!("spin ends with {code:?}: {}", String::from_utf8_lossy(&output.stderr)),
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let states = claim(&text);
        assert!(!states.is_empty(), "{}: {text}", written(&formula));
        for _ in 0..6 {
            let length = rng.random_range(1..6);
            let back = rng.random_range(0..length);
            let word: Vec<[bool; 2]> =
                (0..length).map(|_| [rng.random_ratio(1, 2), rng.random_ratio(1, 2)]).collect();
            let holds = formula.holds(length, back, &|atom, at| word[at][atom])[0];
            let context = format!("{} on {word:?}, back to {back}\n{text}", written(&formula));
            assert_eq!(accepts(&states, &word, back), holds, "{context}");
        }
    }
    count
}

#[test]
fn formulas_agree_with_spin() {
    let compared = compare(100);
    assert!(compared == 100 || Command::new("spin").arg("-V").output().is_err(), "{compared} formulas");
}

#[test]
#[ignore = "runs spin ten thousand times"]
fn ten_thousand_formulas_agree_with_spin() {
    assert_eq!(compare(10_000), 10_000, "spin is not installed");
}
