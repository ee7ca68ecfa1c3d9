//! Forged certificates of models with witnesses: a tail that says something else, a line or a literal less, other processes in
//! a line; for the model, and for models in which the witness says less or a guard is missing, whose bad states brute force finds.

use std::time::Duration;

use cubicle::certificate::{self, CheckOptions, Claim, Extent};
use cubicle::forward::explore;
use cubicle::{BackwardMode, ForwardOptions, Interrupt, Silent, Verdict, check};

use super::doors::small_search;

/// A model, and changes each of which makes it unsafe.
type Case = (&'static str, &'static [(&'static str, &'static str)]);

const CONSENSUS: Case = (
    "
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
",
    &[
        (" && member(common(q, r), r)", ""),
        ("member(common(q, r), q) && ", ""),
        ("requires { Voted[n] = False }", ""),
        ("; Voted[n] := True", ""),
        ("not member(n, q) || Vote", "member(n, q) || Vote"),
        ("Vote[n, v] = True }", "Voted[n] = True }"),
    ],
);

/// Locks are granted by all members of a quorum, each of which grants one.
const LOCKS: Case = (
    "
type client < proc
type quorum < proc
type server < proc
relation serves (s : server q : quorum)
witness both (q r : quorum) : server { serves(both(q, r), q) && serves(both(q, r), r) }
array Free[server] : bool
array Granted[server, client] : bool
array Holds[client] : bool
init (s : server c : client) { Free[s] = True && Granted[s, c] = False && Holds[c] = False }
unsafe (c d : client) { Holds[c] = True && Holds[d] = True }
transition grant (s : server c : client)
requires { Free[s] = True }
{ Free[s] := False; Granted[s, c] := True }
transition lock (c : client q : quorum)
requires { Holds[c] = False && (forall_other s : server. not serves(s, q) || Granted[s, c] = True) }
{ Holds[c] := True }
",
    &[
        (" && serves(both(q, r), r)", ""),
        ("requires { Free[s] = True }", ""),
        ("Free[s] := False; ", ""),
        ("|| Granted[s, c] = True", "|| Free[s] = False"),
    ],
);

/// Items are held or on their way: a tail over a server and a label at once, which messages that arrive make true again.
const ITEMS: Case = (
    "
type server < proc
type item < proc
type label < proc
array Home[item] : server
array Holds[server, item] : bool
array Sent[server, item, label] : bool
init (s : server i : item l : label) { Sent[s, i, l] = False && (s <> Home[i] || Holds[s, i] = True) }
unsafe lost (i : item s : server l : label)
{
  s = Home[i] && (forall t : server. Holds[t, i] = False)
  && (forall t : server. forall j : item. forall m : label. Sent[t, j, m] = False)
}
transition send (s t : server i : item l : label)
requires { Holds[s, i] = True }
{ Holds[s, i] := False; Sent[t, i, l] := True }
transition arrive (s : server i : item l : label)
requires { Sent[s, i, l] = True }
{ Holds[s, i] := True; Sent[s, i, l] := False }
",
    &[
        ("; Sent[t, i, l] := True", ""),
        ("Holds[s, i] := True; ", ""),
        ("  && (forall t : server. forall j : item. forall m : label. Sent[t, j, m] = False)\n", ""),
        ("(s <> Home[i] || Holds[s, i] = True)", "Holds[s, i] = False"),
        ("Sent[t, j, m] = False", "Sent[t, j, m] = True"),
    ],
);

/// Everywhere that a text occurs: the line with another one in its place.
fn replaced(line: &str, from: &str, to: &str) -> Vec<String> {
    line.match_indices(from).map(|(at, _)| [&line[..at], to, &line[at + from.len()..]].concat()).collect()
}

/// A line of a certificate with one thing changed.
fn forged(line: &str) -> Vec<String> {
    let mut all = Vec::new();
    for (from, to) in
        [("= True", "= False"), ("= False", "= True"), ("over 2", "over 1"), ("over 2", "over 3")]
    {
        all.extend(replaced(line, from, to));
    }
    for (from, to) in [("p1", "p2"), ("p2", "p1"), ("p3", "p1"), ("p3", "p2"), ("p1", "p3"), ("p2", "p3")] {
        for end in [",", "]"] {
            all.extend(replaced(line, &format!("{from}{end}"), &format!("{to}{end}")));
        }
    }
    for (from, to) in [("p4", "p2"), ("p4", "p3"), ("p3", "p4"), ("p4", "p5")] {
        all.extend(replaced(line, from, to));
    }
    let sorts = [
        ("3] = Node", "3] = Value"),
        ("3] = Server", "3] = Quorum"),
        ("3] = Label", "3] = Server"),
        ("2] = Server", "2] = Label"),
    ];
    for (from, to) in sorts {
        all.extend(replaced(line, from, to));
    }
    if let Some(rest) = line.strip_prefix("tail ") {
        all.push(format!("tail Other{rest}"));
    }
    // A literal less.
    let start = line.find(['{', ':']).map_or(0, |it| it + 1);
    let (head, body) = line.split_at(start);
    let (body, end) = body.strip_suffix('}').map_or((body, ""), |it| (it, "}"));
    let literals: Vec<&str> = body.split("&&").map(str::trim).collect();
    for at in 0..literals.len() {
        let mut kept = literals.clone();
        kept.remove(at);
        all.push(format!("{head} {} {end}", kept.join(" && ")));
    }
    all
}

/// The certificate with each line forged in each way, and without each line.
fn forgeries(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut all = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if !line.starts_with("tail ") && !line.starts_with("invariant") {
            continue;
        }
        let with = |line: &str| {
            let kept = lines.iter().enumerate().map(|(n, known)| if n == at { line } else { *known });
            kept.collect::<Vec<_>>().join("\n")
        };
        all.push(with(""));
        all.extend(forged(line).iter().filter(|it| *it != line).map(|it| with(it)));
    }
    all
}

/// Checks every `step`th forgery; returns how many were refused and how many there were, and how many checks of unsafe models.
fn campaign((model, changes): Case, step: usize) -> [usize; 3] {
    let system = cubicle::load(model).expect("a correct model").system;
    let interrupt = Interrupt::default();
    let report = check(&system, &small_search(BackwardMode::Classic), &interrupt, &mut Silent);
    let report = report.expect("no engine fails");
    assert_eq!(report.verdict, Some(Verdict::Safe));
    let how = CheckOptions::new(Duration::from_secs(10), &interrupt);
    let text = certificate::certify(&system, model, Claim::of(&report), how)
        .expect("it is certified")
        .invariants(&system);
    assert!(text.contains("\ntail "), "{text}");
    let unsafe_models: Vec<(String, cubicle::model::System)> = (changes.iter())
        .map(|(from, to)| {
            assert!(model.contains(from), "{from}");
            let other = model.replacen(from, to, 1);
            let system = cubicle::load(&other).unwrap_or_else(|why| panic!("{other}\n{why}")).system;
            let found = (3..=6).any(|procs| {
                let options = ForwardOptions::default();
                let found = explore(&system, procs, &options, &interrupt, &mut Silent).exploration;
                found.unsafe_trace.is_some()
            });
            assert!(found, "still safe: {other}");
            (other, system)
        })
        .collect();
    let (mut refused, mut all, mut of_unsafe) = (0, 0, 0);
    let accepts =
        |system, model: &str, text: &str| certificate::check(system, model, text, Extent::All, how).is_ok();
    assert!(accepts(&system, model, &text));
    for (number, forged) in std::iter::once(text.clone()).chain(forgeries(&text)).enumerate().step_by(step) {
        if number > 0 {
            all += 1;
            refused += usize::from(!accepts(&system, model, &forged));
        }
        // All of them, or one that is another one each time.
        let (skip, by) = if step > 1 { (number % changes.len(), changes.len()) } else { (0, 1) };
        for (other, system) in unsafe_models.iter().skip(skip).step_by(by) {
            assert!(!accepts(system, other, &forged), "a false certificate is accepted\n{other}\n{forged}");
            of_unsafe += 1;
        }
    }
    [refused, all, of_unsafe]
}

#[test]
fn forged_tails_and_witnesses_are_refused() {
    for case in [CONSENSUS, ITEMS] {
        let [refused, all, of_unsafe] = campaign(case, 23);
        assert!(refused * 10 > all * 5 && of_unsafe > 0, "{refused} of {all}");
    }
}

#[test]
#[ignore = "takes long"]
#[allow(clippy::print_stdout, reason = "shows the numbers")]
fn hundreds_of_forged_tails_and_witnesses_are_refused() {
    let mut sums = [0; 3];
    for case in [CONSENSUS, LOCKS, ITEMS] {
        campaign(case, 1).iter().zip(&mut sums).for_each(|(more, sum)| *sum += more);
    }
    let [refused, all, of_unsafe] = sums;
    println!("{refused} of {all} forgeries refused; {of_unsafe} for unsafe models, all of them refused");
    // The others are further proofs of the model: it is safe.
    assert!(refused >= 400 && of_unsafe >= 500, "{refused} of {all}, {of_unsafe}");
}
