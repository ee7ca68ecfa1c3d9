//! Quorums: random models with witnesses and guards over all members of a quorum, against an interpreter that is written from the book
//! alone, for each number of processes of each sort; and forged tails in certificates.
//!
//! `CUBICLE_DOORS_SEED` and `CUBICLE_DOORS_COUNT` choose models; the ignored test takes many.

use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::time::Duration;

use cubicle::certificate::{self, CheckOptions, Claim, Extent, NoCertificate, ProofFailure, Subject};
use cubicle::model::System;
use cubicle::{BackwardMode, Event, Interrupt, Observer, Options, Silent, Verdict, check};

use super::doors::small_search;
use super::support::dice::{Dice, environment};

const PHASES: [&str; 3] = ["Aa", "Bb", "Cc"];

/// A cell: of a node, of a node and a quorum, of a quorum, whether something was announced of a node; places are positions among the names in scope.
#[derive(Clone, Copy, PartialEq)]
enum Cell {
    Node(usize, usize),
    Both(usize, usize),
    Quorum(usize),
    Announcement(usize),
}

/// That the cell holds the phase, or does not.
type Literal = (Cell, u8, bool);

struct Transition {
    /// Numbers of nodes and of quorums, whose places come first and after these.
    params: (usize, usize),
    guard: Vec<Literal>,
    /// A quorum, and what holds of its members that are not parameters: one of these.
    members: Vec<(usize, Vec<Literal>)>,
    updates: Vec<(Cell, u8)>,
    /// All nodes in one phase of an array go to another.
    all: Option<(usize, u8, u8)>,
}

struct Model {
    /// What the witness is for: two quorums, or one; whether its value is special.
    pairs: bool,
    special: bool,
    transitions: Vec<Transition>,
    bad: ((usize, usize), Vec<Literal>, Option<(usize, usize)>),
}

fn name(params: (usize, usize), place: usize) -> String {
    if place < params.0 { format!("n{place}") } else { format!("q{place}") }
}

fn declared(params: (usize, usize)) -> String {
    let all = (0..params.0 + params.1).map(|at| {
        let sort = if at < params.0 { "node" } else { "quorum" };
        format!("{} : {sort}", name(params, at))
    });
    all.collect::<Vec<_>>().join(" ")
}

fn cell(cell: Cell, name: &dyn Fn(usize) -> String) -> String {
    match cell {
        Cell::Node(0, n) => format!("S[{}]", name(n)),
        Cell::Node(_, n) => format!("T[{}]", name(n)),
        Cell::Both(n, q) => format!("V[{}, {}]", name(n), name(q)),
        Cell::Quorum(q) => format!("D[{}]", name(q)),
        Cell::Announcement(n) => format!("R[{}]", name(n)),
    }
}

/// The name of the value of a cell.
fn value(of: Cell, phase: u8) -> &'static str {
    let names = if matches!(of, Cell::Announcement(_)) { ["False", "True", ""] } else { PHASES };
    names[usize::from(phase)]
}

fn literal((of, phase, holds): Literal, name: &dyn Fn(usize) -> String) -> String {
    format!("{} {} {}", cell(of, name), if holds { "=" } else { "<>" }, value(of, phase))
}

fn text(model: &Model) -> String {
    let mut out = String::from("type quorum < proc\ntype node < proc\ntype t = Aa | Bb | Cc\n");
    out.push_str("relation member (n : node q : quorum)\nrelation special (n : node)\n");
    let (params, call) = if model.pairs { ("q r : quorum", "w(q, r)") } else { ("q : quorum", "w(q)") };
    let second = if model.pairs { format!(" && member({call}, r)") } else { String::new() };
    let special = if model.special { format!(" && special({call})") } else { String::new() };
    let _ = writeln!(out, "witness w ({params}) : node {{ member({call}, q){second}{special} }}");
    out.push_str("array S[node] : t\narray T[node] : t\narray V[node, quorum] : t\narray D[quorum] : t\narray R[node] : bool\n");
    out.push_str(
        "init (n : node q : quorum) { S[n] = Aa && T[n] = Aa && V[n, q] = Aa && D[q] = Aa && R[n] = False }\n",
    );
    let (params, literals, member) = &model.bad;
    let mut said: Vec<String> = literals.iter().map(|it| literal(*it, &|at| name(*params, at))).collect();
    said.extend(member.map(|(n, q)| format!("member({}, {})", name(*params, n), name(*params, q))));
    let _ = writeln!(out, "unsafe ({}) {{ {} }}", declared(*params), said.join(" && "));
    for (number, t) in model.transitions.iter().enumerate() {
        let of = |at: usize| name(t.params, at);
        let mut said: Vec<String> = t.guard.iter().map(|it| literal(*it, &of)).collect();
        for (quorum, literals) in &t.members {
            let bound = |at: usize| if at == usize::MAX { "m".to_owned() } else { of(at) };
            let any: Vec<String> = literals.iter().map(|it| literal(*it, &bound)).collect();
            said.push(format!(
                "(forall_other m : node. not member(m, {}) || {})",
                of(*quorum),
                any.join(" || ")
            ));
        }
        let _ = writeln!(out, "transition t{number} ({})", declared(t.params));
        if !said.is_empty() {
            let _ = writeln!(out, "requires {{ {} }}", said.join(" && "));
        }
        let mut updates: Vec<String> = (t.updates.iter())
            .map(|(it, phase)| format!("{} := {}", cell(*it, &of), value(*it, *phase)))
            .collect();
        updates.extend(t.all.map(|(array, from, to)| {
            let (array, from, to) = (["S", "T"][array], PHASES[usize::from(from)], PHASES[usize::from(to)]);
            format!("{array}[k] := case | {array}[k] = {from} : {to} | _ : {array}[k]")
        }));
        let _ = writeln!(out, "{{ {} }}", updates.join("; "));
    }
    out
}

// Brute force

/// `nodes` of S, `nodes` of T, `nodes * quorums` of V, `quorums` of D, `nodes` of R.
type State = Vec<u8>;

struct Instance<'m> {
    model: &'m Model,
    nodes: usize,
    quorums: usize,
    member: Vec<bool>,
}

impl Instance<'_> {
    fn at(&self, cell: Cell, args: &[usize], bound: usize) -> usize {
        let of = |place: usize| if place == usize::MAX { bound } else { args[place] };
        let (n, q) = (self.nodes, self.quorums);
        match cell {
            Cell::Node(array, node) => array * n + of(node),
            Cell::Both(node, quorum) => 2 * n + of(node) * q + of(quorum),
            Cell::Quorum(quorum) => 2 * n + n * q + of(quorum),
            Cell::Announcement(node) => 2 * n + n * q + q + of(node),
        }
    }

    fn holds(&self, state: &State, (cell, phase, holds): Literal, args: &[usize], bound: usize) -> bool {
        (state[self.at(cell, args, bound)] == phase) == holds
    }

    fn is_member(&self, node: usize, quorum: usize) -> bool {
        self.member[node * self.quorums + quorum]
    }

    /// All choices of different processes.
    fn choices(&self, params: (usize, usize)) -> Vec<Vec<usize>> {
        let mut all: Vec<Vec<usize>> = vec![Vec::new()];
        for at in 0..params.0 + params.1 {
            let (from, size) = if at < params.0 { (0, self.nodes) } else { (params.0, self.quorums) };
            let longer = |it: &Vec<usize>| {
                let free: Vec<usize> = (0..size).filter(|p| !it[from..].contains(p)).collect();
                free.into_iter().map(|p| [&it[..], &[p]].concat()).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(longer).collect();
        }
        all
    }

    fn after(&self, state: &State, t: &Transition, args: &[usize]) -> Option<State> {
        if !t.guard.iter().all(|it| self.holds(state, *it, args, 0)) {
            return None;
        }
        for (quorum, literals) in &t.members {
            let others = (0..self.nodes).filter(|node| !args[..t.params.0].contains(node));
            for node in others.filter(|node| self.is_member(*node, args[*quorum])) {
                if !literals.iter().any(|it| self.holds(state, *it, args, node)) {
                    return None;
                }
            }
        }
        let mut next = state.clone();
        if let Some((array, from, to)) = t.all {
            let cells = &mut next[array * self.nodes..(array + 1) * self.nodes];
            cells.iter_mut().filter(|it| **it == from).for_each(|it| *it = to);
        }
        for (cell, phase) in &t.updates {
            next[self.at(*cell, args, 0)] = *phase;
        }
        Some(next)
    }

    fn is_bad(&self, state: &State) -> bool {
        let (params, literals, member) = &self.model.bad;
        self.choices(*params).iter().any(|args| {
            literals.iter().all(|it| self.holds(state, *it, args, 0))
                && member.is_none_or(|(n, q)| self.is_member(args[n], args[q]))
        })
    }

    fn reaches_bad(&self) -> Option<bool> {
        let first = vec![0; 3 * self.nodes + self.nodes * self.quorums + self.quorums];
        let mut known = BTreeSet::from([first.clone()]);
        let mut waiting = VecDeque::from([first]);
        while let Some(state) = waiting.pop_front() {
            if self.is_bad(&state) {
                return Some(true);
            }
            for t in &self.model.transitions {
                for args in self.choices(t.params) {
                    if let Some(next) = self.after(&state, t, &args)
                        && known.insert(next.clone())
                    {
                        waiting.push_back(next);
                    }
                }
            }
            if known.len() > 3000 {
                return None;
            }
        }
        Some(false)
    }
}

/// Whether a bad state is reached with so many processes, for some relations that the axiom allows; `None` when there is too much.
fn brute_force(model: &Model, nodes: usize, quorums: usize) -> Option<bool> {
    for bits in 0..1_u32 << (nodes * quorums) {
        let member: Vec<bool> = (0..nodes * quorums).map(|at| bits >> at & 1 == 1).collect();
        let instance = Instance { model, nodes, quorums, member };
        // No step depends on which nodes are special: all may be.
        let both = |a, b| (0..nodes).any(|node| instance.is_member(node, a) && instance.is_member(node, b));
        let fits = (0..quorums).all(|a| (0..quorums).all(|b| both(a, if model.pairs { b } else { a })));
        if fits && instance.reaches_bad()? {
            return Some(true);
        }
    }
    Some(false)
}

// Random models

fn random_literal(dice: &mut Dice, params: (usize, usize), bound: bool) -> Option<Literal> {
    let (nodes, quorums) = params;
    let node = if bound { usize::MAX } else { dice.below(nodes.max(1)) };
    let quorum = nodes + dice.below(quorums.max(1));
    let of = match dice.below(if bound { 3 } else { 4 }) {
        0 | 1 if bound || nodes > 0 => Cell::Node(dice.below(2), node),
        2 if (bound || nodes > 0) && quorums > 0 => Cell::Both(node, quorum),
        3 if quorums > 0 => Cell::Quorum(quorum),
        _ => return None,
    };
    Some((of, dice.below(3) as u8, dice.chance(70)))
}

fn literals(dice: &mut Dice, params: (usize, usize), bound: bool, most: usize) -> Vec<Literal> {
    let mut out: Vec<Literal> = Vec::new();
    for _ in 0..=dice.below(most) {
        let next = random_literal(dice, params, bound);
        out.extend(next.filter(|it| !out.iter().any(|known| known.0 == it.0)));
    }
    out
}

fn model(seed: u64) -> Model {
    let dice = &mut Dice::new(seed);
    let mut transitions = Vec::new();
    for number in 0..3 + dice.below(2) {
        let asks = number % 2 == 1;
        let params = if asks { (dice.below(4) / 3, 1 + dice.below(2)) } else { (1, dice.below(2)) };
        let guard = if dice.chance(80) { literals(dice, params, false, 2) } else { Vec::new() };
        let mut members = Vec::new();
        if asks {
            let any = literals(dice, params, true, 2);
            if !any.is_empty() {
                members.push((params.0, any));
            }
        }
        let mut updates: Vec<(Cell, u8)> = Vec::new();
        for (of, phase, _) in literals(dice, params, false, 2) {
            updates.push((of, phase));
        }
        if asks && dice.chance(70) {
            updates.retain(|it| it.0 != Cell::Quorum(params.0));
            updates.push((Cell::Quorum(params.0), 1 + dice.below(2) as u8));
        }
        let all = dice.chance(12).then(|| (dice.below(2), dice.below(3) as u8, dice.below(3) as u8));
        if let Some((array, ..)) = all {
            updates.retain(|it| !matches!(it.0, Cell::Node(of, _) if of == array));
        }
        if !updates.is_empty() || all.is_some() {
            transitions.push(Transition { params, guard, members, updates, all });
        }
    }
    let params = (dice.below(2), 1 + dice.below(2));
    let mut bad: Vec<Literal> =
        (0..params.1).map(|at| (Cell::Quorum(params.0 + at), 1 + dice.below(2) as u8, true)).collect();
    if params.0 > 0 {
        bad.extend(
            literals(dice, params, false, 2).into_iter().filter(|it| !matches!(it.0, Cell::Quorum(_))),
        );
    }
    let member = (params.0 > 0).then_some((0, 1));
    if dice.chance(50) {
        return with_announcements(dice, transitions);
    }
    Model { pairs: dice.chance(70), special: dice.chance(20), transitions, bad: (params, bad, member) }
}

/// A model whose bad states are about announcements. Mostly, cells that are set stay as they are.
fn with_announcements(dice: &mut Dice, mut transitions: Vec<Transition>) -> Model {
    let keeps = dice.chance(80);
    for t in &mut transitions {
        if keeps {
            t.all = None;
            t.updates.iter_mut().for_each(|it| it.1 = 1);
            let asked = t.members.iter_mut().flat_map(|it| &mut it.1);
            asked.for_each(|it| (it.1, it.2) = (1, true));
        }
    }
    let mut announcing = 0;
    for t in transitions.iter_mut().filter(|it| !it.members.is_empty()) {
        if t.params.0 == 0 {
            // Quorums come after nodes: their places move by one.
            let moved = |of: &mut Cell| match of {
                Cell::Node(_, n) | Cell::Announcement(n) if *n == usize::MAX => {}
                Cell::Both(n, q) if *n == usize::MAX => *q += 1,
                Cell::Node(_, n) | Cell::Quorum(n) | Cell::Announcement(n) => *n += 1,
                Cell::Both(n, q) => (*n, *q) = (*n + 1, *q + 1),
            };
            t.params.0 = 1;
            t.guard.iter_mut().for_each(|it| moved(&mut it.0));
            t.updates.iter_mut().for_each(|it| moved(&mut it.0));
            for (quorum, literals) in &mut t.members {
                *quorum += 1;
                for it in literals {
                    moved(&mut it.0);
                }
            }
        }
        t.updates.push((Cell::Announcement(0), 1));
        if dice.chance(50) {
            t.updates.retain(|it| matches!(it.0, Cell::Announcement(_)));
        }
        announcing += 1;
    }
    if announcing == 0 {
        let (params, updates) = ((1, 1), vec![(Cell::Announcement(0), 1)]);
        let members = vec![(1, vec![(Cell::Node(0, usize::MAX), 1, true)])];
        transitions.push(Transition { params, guard: Vec::new(), members, updates, all: None });
    }
    let params = (1 + dice.below(2), dice.below(2));
    let mut bad: Vec<Literal> = (0..params.0).map(|at| (Cell::Announcement(at), 1, true)).collect();
    if dice.chance(50) {
        bad.extend(literals(dice, params, false, 2));
    }
    Model { pairs: dice.chance(70), special: false, transitions, bad: (params, bad, None) }
}

/// Whether it was proved with a tail, and whether without its announcements; what is wrong.
fn examine(seed: u64) -> Result<[bool; 2], String> {
    let model = model(seed);
    let text = text(&model);
    let loaded = cubicle::load(&text).map_err(|why| format!("seed {seed}: refused\n{text}\n{why}"))?;
    let proof = match seed % 8 {
        0 | 1 | 4 => BackwardMode::Classic,
        5 => BackwardMode::Auto,
        2 | 6 => BackwardMode::Brab(2),
        _ => BackwardMode::Pdr(2),
    };
    let (options, interrupt) = (small_search(proof), Interrupt::default());
    let report = check(&loaded.system, &options, &interrupt, &mut Silent);
    let report = report.map_err(|why| format!("seed {seed}: internal error {why}\n{text}"))?;
    match &report.verdict {
        Some(Verdict::Safe) => {
            for (nodes, quorums) in [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)] {
                if brute_force(&model, nodes, quorums) == Some(true) {
                    return Err(format!(
                        "seed {seed}, {proof:?}: safe, but not with {nodes}, {quorums}\n{text}"
                    ));
                }
            }
            let how = CheckOptions::new(Duration::from_secs(10), &interrupt);
            let (system, plain) = (&loaded.system, &Subject::default());
            let certified = certificate::certify(system, &text, Claim::of(&report), how);
            let accepted = || certificate::confirm(plain, system, system, Claim::of(&report), how);
            match certified.and_then(|_| accepted()) {
                Ok(_) | Err(NoCertificate::Failed(ProofFailure::Stopped(_), _)) => {}
                Err(why) => {
                    let why = certificate::explain(&why);
                    return Err(format!("seed {seed}, {proof:?}: not certified: {why}\n{text}"));
                }
            }
            Ok([!report.tails.is_empty(), !report.announcements.is_empty()])
        }
        Some(Verdict::Unsafe(run)) => {
            let total = run.initial.procs;
            let found = (0..=total).map(|nodes| brute_force(&model, nodes, total - nodes));
            if found.into_iter().all(|it| it == Some(false)) {
                return Err(format!("seed {seed}, {proof:?}: unsafe with {total}, but it is not\n{text}"));
            }
            Ok([false; 2])
        }
        _ => Ok([false; 2]),
    }
}

#[allow(clippy::print_stdout, reason = "shows how many there are of each kind")]
fn campaign(first: u64, count: u64) {
    let (mut proved, mut wrong) = ([0, 0], Vec::new());
    for seed in first..first + count {
        match examine(seed) {
            Ok(it) => (0..2).for_each(|at| proved[at] += u64::from(it[at])),
            Err(why) => wrong.push(why),
        }
        assert!(wrong.len() < 4, "{}", wrong.join("\n"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{count} models: {} proved with tails, {} without announcements", proved[0], proved[1]);
    assert!(proved[0] > 0, "none of {count} models was proved with tails");
}

#[test]
fn models_with_quorums_mean_what_the_book_says() {
    campaign(environment("CUBICLE_DOORS_SEED", 8), environment("CUBICLE_DOORS_COUNT", 8));
}

#[test]
#[ignore = "takes long"]
fn campaign_of_models_with_quorums() {
    campaign(environment("CUBICLE_DOORS_SEED", 1_000), environment("CUBICLE_DOORS_COUNT", 5_000));
}

const TOY: &str = "
type value < proc
type quorum < proc
type node < proc
relation member (n : node q : quorum)
witness common (q r : quorum) : node { member(common(q, r), q) && member(common(q, r), r) }
array Voted[node] : bool
array Vote[node, value] : bool
array Decided[value] : bool
init (n : node v : value) { Voted[n] = False && Vote[n, v] = False && Decided[v] = False }
unsafe (v w : value) { Decided[v] = True && Decided[w] = True }
transition cast_vote (n : node v : value)
requires { Voted[n] = False }
{ Vote[n, v] := True; Voted[n] := True }
transition decide (v : value q : quorum)
requires { forall_other n : node. not member(n, q) || Vote[n, v] = True }
{ Decided[v] := True }
";

const FIREWALL: &str = "
type node < proc
relation inside (n : node)
array Sent[node, node] : bool
array Open[node] : bool
init (a b : node) { Sent[a, b] = False && Open[a] = False }
unsafe (a b : node) { Sent[a, b] = True && inside(b) && (forall n : node. not inside(n) || Sent[n, a] = False) }
transition leave (a b : node)
requires { inside(a) && not inside(b) }
{ Sent[a, b] := True; Open[b] := True }
transition enter (a b : node)
requires { not inside(a) && inside(b) && Open[a] = True }
{ Sent[a, b] := True }
";

/// With one sort, guards do not say sorts; cubes say of all others what a bad state says of them, without an array of the proof.
#[test]
fn a_bad_state_about_all_of_one_sort_is_proved() {
    for proof in [BackwardMode::Classic, BackwardMode::Brab(2), BackwardMode::Pdr(2)] {
        let examined = |text: &str| {
            let system = cubicle::load(text).expect("a correct model").system;
            let (options, interrupt) = (small_search(proof), Interrupt::default());
            let report = check(&system, &options, &interrupt, &mut Silent).expect("no engine fails");
            let how = CheckOptions::new(Duration::from_secs(10), &interrupt);
            let is_shown = certificate::certify(&system, text, Claim::of(&report), how).is_ok();
            (report.verdict == Some(Verdict::Safe), report.tails.len(), is_shown)
        };
        assert_eq!(examined(FIREWALL), (true, 0, true), "{proof:?}");
        let wrong = FIREWALL.replace(" && Open[a] = True", "");
        let (is_safe, _, is_shown) = examined(&wrong);
        assert!(!is_safe && !is_shown, "{proof:?}");
    }
}

/// In the oracle, cells of an array of the proof at processes of other sorts have a value as well.
#[test]
fn an_oracle_of_a_search_with_tails_has_states() {
    let system = cubicle::load(TOY).expect("a correct model").system;
    let (options, interrupt) = (small_search(BackwardMode::Brab(3)), Interrupt::default());
    let report = check(&system, &options, &interrupt, &mut Silent).expect("no engine fails");
    assert_eq!(report.verdict, Some(Verdict::Safe));
    let proposals = report.backward.expect("a backward search").statistics.proposals;
    assert!(proposals.refuted < proposals.asked, "{proposals:?}");
}

/// A certificate whose tail says something else is refused, and so is the same one for a model where quorums need not meet.
#[test]
fn a_forged_tail_is_refused() {
    let system = cubicle::load(TOY).expect("a correct model").system;
    let interrupt = Interrupt::default();
    let report = check(&system, &small_search(BackwardMode::Classic), &interrupt, &mut Silent);
    let report = report.expect("no engine fails");
    assert_eq!(report.verdict, Some(Verdict::Safe));
    let how = CheckOptions::new(Duration::from_secs(10), &interrupt);
    let certificate = certificate::certify(&system, TOY, Claim::of(&report), how).expect("it is certified");
    let text = certificate.invariants(&system);
    let check = |model: &str, text: &str| {
        let system = cubicle::load(model).expect("a correct model").system;
        certificate::check(&system, model, text, Extent::All, how).is_ok()
    };
    assert!(check(TOY, &text));
    let line = text.lines().find(|it| it.starts_with("tail ")).expect("it has a tail");
    let parts = ["Sort[p3] = Node", "Member[p3, p1] = True", "Vote[p3, p2] = False", "Voted[p3] = True"];
    for part in parts {
        assert!(line.contains(part), "{line}");
        // Less is asked of a gap: the array is false more often, where the guard does not say that it is true.
        let without = line.replace(&format!("{part} && "), "").replace(&format!(" && {part}"), "");
        let forged = text.replace(line, &without);
        assert!(part == "Sort[p3] = Node" || !check(TOY, &forged), "{without}");
        let turned =
            if part.contains("True") { part.replace("True", "False") } else { part.replace("False", "True") };
        let forged = text.replace(line, &line.replace(part, &turned));
        assert!(turned == part || !check(TOY, &forged), "{forged}");
    }
    for (from, to) in [
        ("over 2", "over 1"),
        ("over 2", "over 9"),
        ("p3, p1", "p3, p2"),
        ("p3, p1", "p3, p7"),
        ("tail Tail1", "tail Vote"),
    ] {
        assert!(!check(TOY, &text.replace(line, &line.replace(from, to))), "{from} {to}");
    }
    assert!(!check(TOY, &text.replace(line, "")));
    let apart = TOY.replace(
        "(q r : quorum) : node { member(common(q, r), q) && member(common(q, r), r) }",
        "(q : quorum) : node { member(common(q), q) }",
    );
    assert!(!check(&apart, &text), "quorums need not meet");
    let twice = TOY.replace("requires { Voted[n] = False }", "");
    assert!(!check(&twice, &text), "nodes vote twice");
}

/// A certificate that calls something else an announcement is refused, and so is one for a model in which it is none.
#[test]
fn a_forged_announcement_is_refused() {
    let interrupt = Interrupt::default();
    let how = CheckOptions::new(Duration::from_secs(10), &interrupt);
    let system = cubicle::load(TOY).expect("a correct model").system;
    let report = check(&system, &small_search(BackwardMode::Classic), &interrupt, &mut Silent);
    let report = report.expect("no engine fails");
    assert_eq!((report.verdict.clone(), report.announcements.len()), (Some(Verdict::Safe), 1));
    let certificate = certificate::certify(&system, TOY, Claim::of(&report), how).expect("it is certified");
    let text = certificate.invariants(&system);
    let check = |model: &str, text: &str| {
        let system = cubicle::load(model).expect("a correct model").system;
        certificate::check(&system, model, text, Extent::All, how).is_ok()
    };
    assert!(check(TOY, &text));
    let line = text.lines().find(|it| it.starts_with("announce ")).expect("it has an announcement");
    assert_eq!(line, "announce Decided with Noted1");
    for forged in [
        "",
        "announce Vote with Noted1",
        "announce Voted with Noted1",
        "announce Decided, Voted with Noted1",
        "announce Decided with Vote",
        "announce Decided with Noted1, Noted2",
        "announce Decided with",
        "announce Undecided with Noted1",
        "announce Decided with Noted1\nannounce Decided with Noted2",
    ] {
        assert!(!check(TOY, &text.replace(line, forged)), "{forged}");
    }
    for (from, to) in [
        // Votes are taken back.
        (
            "transition decide",
            "transition undo (n : node v : value) { Vote[n, v] := False }\ntransition decide",
        ),
        ("transition decide", "transition again (n : node) { Voted[n] := False }\ntransition decide"),
        // Deciding asks for less, or is read, or is undone, or has been from the start.
        ("requires { forall_other n : node. not member(n, q) || Vote[n, v] = True }\n", ""),
        ("requires { Voted[n] = False }", "requires { Voted[n] = False || Decided[v] = True }"),
        (
            "{ Decided[v] := True }",
            "{ Decided[v] := True }\ntransition undo (v : value) { Decided[v] := False }",
        ),
        (" && Decided[v] = False", ""),
        ("{ Decided[v] = True && Decided[w] = True }", "{ Decided[v] = True && Decided[w] = False }"),
    ] {
        let model = TOY.replace(from, to);
        assert_ne!(model, TOY);
        assert!(!check(&model, &text), "{model}");
    }
}

/// `p` is asked for nothing and comes before `q`, which has to be the quorum of the bad state: no other one is chosen.
const ONCE: &str = "
type quorum < proc
type node < proc
relation member (n : node q : quorum)
witness w (q : quorum) : node { member(w(q), q) }
array S[node] : bool
array D[quorum] : bool
array R[node] : bool
var Once : bool
init (n : node q : quorum) { S[n] = False && D[q] = False && R[n] = False && Once = False }
unsafe (n : node q : quorum) { R[n] = True && D[q] = True }
transition choose (q : quorum)
requires { Once = False }
{ D[q] := True; Once := True }
transition set (n : node)
{ S[n] := True }
transition tell (n : node p q : quorum)
requires { D[q] = True && (forall_other m : node. not member(m, q) || S[m] = True) }
{ R[n] := True }
";

#[test]
fn a_parameter_of_which_nothing_is_asked_leaves_the_others_free() {
    let system = cubicle::load(ONCE).expect("a correct model").system;
    for proof in [BackwardMode::Auto, BackwardMode::Classic, BackwardMode::Brab(2), BackwardMode::Pdr(2)] {
        let report = check(&system, &small_search(proof), &Interrupt::default(), &mut Silent);
        let verdict = report.expect("no engine fails").verdict;
        assert!(matches!(verdict, Some(Verdict::Unsafe(_))), "{proof:?}: {verdict:?}");
    }
}

/// An order is not an array of `bool`: one of two quorums need not be before the other.
#[test]
fn quorums_that_are_ranked_high_decide_twice() {
    let ranked = TOY
        .replace(
            "witness common (q r : quorum) : node { member(common(q, r), q) && member(common(q, r), r) }",
            "witness one (q : quorum) : node { member(one(q), q) }\narray Rank[quorum, quorum] : level",
        )
        .replace(
            "unsafe",
            "invariant (q r : quorum) { Rank[q, r] = Low && Rank[r, q] = Low }
invariant (q r : quorum) { Rank[q, r] <> High }
unsafe",
        )
        .replace("type value < proc", "type level = Low | Middle | High\ntype value < proc");
    let system = cubicle::load(&ranked).expect("a correct model").system;
    for proof in [BackwardMode::Classic, BackwardMode::Brab(2), BackwardMode::Pdr(2)] {
        let report = check(&system, &small_search(proof), &Interrupt::default(), &mut Silent);
        let verdict = report.expect("no engine fails").verdict;
        assert!(matches!(verdict, Some(Verdict::Unsafe(_))), "{proof:?}: {verdict:?}");
    }
}

/// The process that the last transition asks for is `#1`, which a parameter may be.
const CONSTANT: &str = "
number_procs 4
array S[proc] : bool
array T[proc] : bool
array R[proc] : bool
init (p) { S[p] = False && T[p] = False && R[p] = False }
unsafe (p) { R[p] = True }
unsafe never (p) { T[p] = True && forall_other q. T[q] = False }
transition set (p)
{ S[p] := True }
transition tell (p q)
requires { q = #1 && (forall_other m. S[m] = True) }
{ R[p] := True }
";

/// A parameter and a constant may be one process: what is announced in a model with constants stays as it is, for the checker as well.
#[test]
fn nothing_is_an_announcement_beside_constants() {
    let system = cubicle::load(CONSTANT).expect("a correct model").system;
    for proof in [BackwardMode::Auto, BackwardMode::Classic, BackwardMode::Brab(2), BackwardMode::Pdr(2)] {
        let report = check(&system, &small_search(proof), &Interrupt::default(), &mut Silent);
        let verdict = report.expect("no engine fails").verdict;
        assert!(matches!(verdict, Some(Verdict::Unsafe(_))), "{proof:?}: {verdict:?}");
    }
    let interrupt = Interrupt::default();
    let how = CheckOptions::new(Duration::from_secs(10), &interrupt);
    let forged = "announce R with Noted1\ninvariant () { Noted1 = True }\n";
    assert!(certificate::check(&system, CONSTANT, forged, Extent::All, how).is_err());
}

/// The model in which a vote asks for a second value that was seen, and uses it for nothing.
fn with_values_seen() -> String {
    let seen = "transition see (v : value)\n{ Seen[v] := True }\n";
    TOY.replace("array Decided", "array Seen[value] : bool\narray Decided")
        .replace("&& Decided[v] = False }", "&& Seen[v] = False && Decided[v] = False }")
        .replace(
            "transition cast_vote (n : node v : value)",
            &format!("{seen}transition cast_vote (n : node v w : value)"),
        )
        .replace("requires { Voted[n] = False }", "requires { Voted[n] = False && Seen[w] = True }")
}

/// Notes that name the array of values that were seen, and explorations that met a bad state.
#[derive(Default)]
struct Seen {
    notes: usize,
    bad: usize,
}

impl Observer for Seen {
    fn event(&mut self, _: &System, event: Event) {
        let note = "searching without what guards ask of Seen";
        self.notes += usize::from(matches!(&event, Event::Note { text: it } if it == note));
        self.bad += usize::from(matches!(event, Event::ForwardEnd(it) if it.unsafe_trace.is_some()));
    }
}

/// What guards ask of values that are used for nothing else is left out; where a proof needs it, it is asked for again.
#[test]
fn what_guards_ask_for_is_left_out_where_that_suffices() {
    // No value is seen, so that nothing is voted for: a node may vote twice.
    let text = with_values_seen();
    let needed = text.replace("Seen[v] := True }", "Seen[v] := False }").replace("; Voted[n] := True", "");
    // A value is seen, so that it may do so.
    let twice = text.replace("; Voted[n] := True", "");
    for (text, safe) in [(&text, true), (&needed, true), (&twice, false)] {
        let system = cubicle::load(text).expect("a correct model").system;
        for proof in [BackwardMode::Classic, BackwardMode::Brab(2), BackwardMode::Pdr(2)] {
            let (mut seen, interrupt) = (Seen::default(), Interrupt::default());
            let report = check(&system, &Options::default().proof(proof), &interrupt, &mut seen);
            let report = report.expect("no engine fails");
            let explored = report.explorations.iter();
            assert!(
                explored.clone().all(|it| it.fired.len() >= system.transitions.len()),
                "{proof:?}\n{text}"
            );
            let verdict = report.verdict;
            let right = if safe {
                verdict == Some(Verdict::Safe)
            } else {
                matches!(verdict, Some(Verdict::Unsafe(_)))
            };
            assert!(right && seen.notes == 1, "{proof:?}: {verdict:?}, {} notes\n{text}", seen.notes);
            assert!(!safe || seen.bad == 0, "{proof:?}: a run of another system is told\n{text}");
        }
    }
}
