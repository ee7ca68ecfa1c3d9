//! Repaired protocols that are safe because of what all other processes do, or how many they are, each with twins that lack one thing: the wake-up, the count, the
//! notice.

use std::time::{Duration, Instant};

use cubicle::model::System;
use cubicle::model::semantics::replay;
use cubicle::{BackwardMode, BackwardOptions, Interrupt, Options, Silent, Vacuity, Verdict, check};

/// A model, and edits of it, each of which makes it wrong.
pub struct Found {
    pub name: &'static str,
    pub text: &'static str,
    pub twins: &'static [(&'static str, &'static str)],
}

macro_rules! found {
    ($name:literal, $twins:expr) => {
        Found { name: $name, text: include_str!(concat!("../../found4/", $name, ".cub")), twins: $twins }
    };
}

const NO_WAKE_UP: [(&str, &str); 3] = [
    ("| At[j] = Asleep : Idle ", ""),
    ("Locked := False; At[p] := Waker", "Locked := False; At[p] := Idle"),
    (
        "requires { At[p] = Idle && Locked = True }\n{ At[p] := Asleep",
        "requires { At[p] = Idle }\n{ At[p] := Asleep",
    ),
];

pub const FOUND: &[Found] = &[
    found!(
        "min2_witness_chain",
        &[
            ("witness one (s : small) : node { in_small(one(s), s) }\n", ""),
            ("witness inner (l : large) : small { part(inner(l), l) }\n", ""),
            (
                "invariant (n : node s : small l : large) { part(s, l) && in_small(n, s) && not in_large(n, l) }\n",
                ""
            ),
        ]
    ),
    found!(
        "min3_witness_without_parameter",
        &[("witness rep (g : group) : node { good(rep(g)) }\n", ""), ("not good(n) }", "good(n) }")]
    ),
    found!(
        "count_min5",
        &[("case | q = p : False | S[q]", "case | S[q]"), ("Need := Need - 1", "Need := Need - 2")]
    ),
    found!("min8_votes_of_a_term", &[(" && Term[c] > 0", "")]),
    found!("unk_560000286", &[]),
    found!(
        "unk_500100404",
        &[
            ("#proc - 0", "#proc - 1"),
            ("K[c] if S[c] = LC", "K[c] + 1 if S[c] = LA"),
            ("(S[p] = LA && K[p] = 0)", "((S[p] = LA || S[p] = LB) && K[p] = 2)"),
        ]
    ),
    found!("sum_of_the_named", &[("forall_other q. S[q] <> LC", "forall_other q. S[q] <> LB")]),
    found!("sum_over_none_by_lemma", &[("S[p] := LA; K", "S[p] := LC; K")]),
    found!("sum_of_alternatives", &[("K[p] := K[p] - 1", "K[p] := K[p]")]),
    found!("sum_over_no_others", &[("forall_other j. S[j] = LA", "forall_other j. S[j] = LB")]),
    found!("sum_over_none_by_count", &[("#{c | S[c] = LC} = 0", "#{c | S[c] = LC} = 1")]),
    found!("min4_lost_wakeup", &NO_WAKE_UP),
    found!("min4_lost_wakeup_strong", &NO_WAKE_UP),
    found!(
        "min5_all_asleep_count",
        &[
            ("Count + 1 < #proc", "Count < #proc"),
            ("Count := 0; Asleep[j] := case | _ : False", "Count := 0")
        ]
    ),
    found!("min6_last_writer", &[(" && X <> p", ""), ("X := p; ", ""), ("X <> p", "X = p")]),
    found!(
        "min7_kind_is_no_sort",
        &[
            ("&& Waits[t] = False && Full = True }", "&& Waits[t] = False }"),
            ("Full := False; Waits[u] := False", "Full := False"),
            (" && forall_other u. (Waits[u] = False || Kind[u] = Consumer) }", " }"),
        ]
    ),
    found!(
        "min9_forall_in_invariant",
        &[
            ("At[p] = Saw && Locked = True && Waiters = True", "At[p] = Saw"),
            ("Waiters := False; At[p] := Waker", "Waiters := False; At[p] := Idle"),
            ("| At[j] = Asleep : Idle ", ""),
        ]
    ),
    found!(
        "futex",
        &[
            ("{ Val := 0; At[p] := Wake }", "{ Val := 0; At[p] := Idle }"),
            ("{ Val := 2; At[p] := Crit }", "{ Val := 1; At[p] := Crit }"),
            ("At[p] := Idle; At[q] := Retry", "At[p] := Idle"),
        ]
    ),
];

/// Models that are proved by lemmas, which other searches than the usual one look for in vain, or not at all.
const BY_LEMMAS: &[Found] = &[
    found!(
        "two_gates",
        &[
            ("Pc[p] = A6 && Gate1 > 0", "Pc[p] = A6"),
            ("Pc[p] = A3 && Rdv = #proc", "Pc[p] = A3 && Rdv + 1 = #proc"),
            ("Pc[p] = A9 && Rdv = 0", "Pc[p] = A9 && Rdv = 1"),
            ("Gate1 := Gate1 + #proc", "Gate1 := Gate1 + #proc + 1"),
        ]
    ),
    found!(
        "raft_min",
        &[("> #proc }", ">= #proc }"), (" && Voted[v] = False", ""), ("Voted[p] := True;", ""),]
    ),
    found!(
        "barrier",
        &[
            ("Count + 1 = #proc", "Count + 2 = #proc"),
            ("Count := 0; ", ""),
            (" && Sense = Local[p]", ""),
            ("Sense := Local[p]; ", ""),
        ]
    ),
];

/// The verdict with a proof that was checked or a run that the model executes; none where the search gives up.
fn is_safe(name: &str, system: &System, options: &Options) -> Option<bool> {
    let interrupt = Interrupt::default();
    interrupt.set_deadline(Instant::now() + Duration::from_secs(60));
    let report = check(system, options, &interrupt, &mut Silent);
    match report.unwrap_or_else(|why| panic!("{name}, {:?}: {why}", options.proof)).verdict {
        Some(Verdict::Safe) => Some(true),
        Some(Verdict::Unsafe(trace)) => {
            replay(system, &trace).unwrap_or_else(|why| panic!("{name}: {why}"));
            Some(false)
        }
        _ => None,
    }
}

/// All searches agree that a model is safe, or that it is not, as far as they decide.
fn decided(name: &str, text: &str, safe: bool) {
    let loaded = cubicle::load(text).unwrap_or_else(|why| panic!("{name}: {why}\n{text}"));
    let usual = Options::default().only_states(true).vacuity(Vacuity::Ignore);
    assert_eq!(is_safe(name, &loaded.system, &usual), Some(safe), "{name}\n{text}");
    let engines = [BackwardMode::Classic, BackwardMode::Brab(2), BackwardMode::Brab(3), BackwardMode::Pdr(2)];
    for proof in engines {
        let backward = BackwardOptions::default().max_nodes(2_000).max_effort(200_000);
        let options = usual.clone().proof(proof).backward(backward);
        let verdict = is_safe(name, &loaded.system, &options);
        assert!(verdict.is_none_or(|it| it == safe), "{name}, {proof:?}: {verdict:?}\n{text}");
    }
}

#[test]
fn repaired_protocols_are_safe() {
    for Found { name, text, .. } in FOUND {
        decided(name, text, true);
    }
}

#[test]
fn twins_that_lack_the_repair_are_not_safe() {
    for Found { name, text, twins } in FOUND {
        for (from, to) in *twins {
            let twin = text.replacen(from, to, 1);
            assert_ne!(&twin, text, "{name}: {from}");
            decided(name, &twin, false);
        }
    }
}

#[test]
fn lemmas_are_guessed_and_proved() {
    let usual = Options::default().only_states(true).vacuity(Vacuity::Ignore);
    let verdict = |name: &str, text: &str| {
        let loaded = cubicle::load(text).unwrap_or_else(|why| panic!("{name}: {why}\n{text}"));
        is_safe(name, &loaded.system, &usual)
    };
    for Found { name, text, twins } in BY_LEMMAS {
        assert_eq!(verdict(name, text), Some(true), "{name}");
        for (from, to) in *twins {
            let twin = text.replacen(from, to, 1);
            assert_ne!(&twin, text, "{name}: {from}");
            assert_eq!(verdict(name, &twin), Some(false), "{name}: {from}");
        }
    }
}

/// With little effort, `brab K` proves a model by a network of candidates, and not without; its twins are wrong.
fn networks_decide(name: &str, text: &str, procs: usize, twins: &[(&str, &str)]) {
    let usual = Options::default().only_states(true).vacuity(Vacuity::Ignore);
    let with = |text: &str, backward: BackwardOptions| {
        let system = cubicle::load(text).expect("the model is well-formed").system;
        is_safe(name, &system, &usual.clone().proof(BackwardMode::Brab(procs)).backward(backward))
    };
    let short = BackwardOptions::default().max_effort(1_500);
    assert_eq!(with(text, short.clone()), Some(true), "{name}");
    assert_eq!(with(text, short.clone().network_at(u64::MAX)), None, "{name}: networks are not needed");
    for (from, to) in twins {
        let twin = text.replacen(from, to, 1);
        assert_ne!(twin, text, "{from}");
        assert_eq!(with(&twin, short.clone()), Some(false), "{from}");
    }
}

/// A directory whose owners forward requests: what BRAB takes first follows only from a chain of pointers that has an end, and what closes is larger.
#[test]
fn candidates_are_taken_back_that_no_cube_closes() {
    let text = include_str!("../../found4/mi.cub");
    let twins = [
        (
            "Dir = DM && Req[p] = PUTX && HasOwner = True && Owner = p }",
            "Dir = DM && Req[p] = PUTX && HasOwner = True }",
        ),
        ("{ Wb[p] := Nack; Req[p] := NoReq }", "{ Wb[p] := Ack; Req[p] := NoReq }"),
        ("{ Cache[p] := I; Fwd[p] := False; Data[q] := True }", "{ Fwd[p] := False; Data[q] := True }"),
    ];
    networks_decide("mi", text, 4, &twins);
}

/// In a queue lock with a cell more than threads, what holds together takes a literal and a process more than what mostly does.
#[test]
fn larger_candidates_support_what_small_ones_do_not() {
    let text = include_str!("../../../examples/clh_lock.cub");
    let twins = [
        ("{ Mine[p] := Pred[p]; ", "{ Mine[p] := Tail; "),
        ("{ Marked[c] := True; At[p] := Swap }", "{ At[p] := Swap }"),
    ];
    networks_decide("clh_lock", text, 3, &twins);
}

/// Acknowledgements are counted by each cache: what it still needs is how many messages are under way, whatever the directory and the caches do.
#[test]
fn counted_acknowledgements_are_messages_under_way() {
    let text = include_str!("../../../examples/msi_directory.cub");
    let twins = [
        ("Need[p] := #{s | Sharer[s] = True && s <> p};", "Need[p] := 0;"),
        ("Data[p] = FromDir && Need[p] = 0 }", "Data[p] = FromDir }"),
        ("{ Msg[r, p] := Ack; Cache[p] := I }", "{ Msg[r, p] := Ack }"),
        (
            "(Cache[p] = IM_A || Cache[p] = SM_A) && Need[p] = 1 }",
            "(Cache[p] = IM_A || Cache[p] = SM_A) && Need[p] <= 2 }",
        ),
    ];
    all_are_wrong("msi_directory", text, &twins);
}

/// Each twin has a run to a bad state, which the default search finds.
fn all_are_wrong(name: &str, text: &str, twins: &[(&str, &str)]) {
    let usual = Options::default().only_states(true).vacuity(Vacuity::Ignore);
    for (from, to) in twins {
        let twin = text.replacen(from, to, 1);
        assert_ne!(twin, text, "{from}");
        let system = cubicle::load(&twin).expect("the model is well-formed").system;
        assert_eq!(is_safe(name, &system, &usual), Some(false), "{to}");
    }
}

/// Twins of protocols that are proved by large networks, or with lemmas by hand: an acknowledgement that is not waited for, `>=` for `>`, a vote that is forgotten.
#[test]
fn protocols_that_lack_a_step_are_wrong() {
    let late = "Need[p] > 0 }\n{ Cache[p] := IM_A; Data[p] := NoData }";
    let text = include_str!("../../../examples/mesi_directory.cub");
    let twins = [
        (late, "Need[p] > 0 }\n{ Cache[p] := M; Data[p] := NoData }"),
        ("Dir = DirE && Owner = p }", "Dir = DirE }"),
        ("{ Cache[p] := E; Data[p] := NoData }", "{ Cache[p] := E }"),
    ];
    all_are_wrong("mesi_directory", text, &twins);
    let text = include_str!("../../../examples/raft_prevote.cub");
    let forgets =
        "requires { Beat[l] > 0 && Beat[l] = Term[v] && Role[v] <> Leader }\n{ Role[v] := Follower;";
    let twins = [
        ("requires { Asked[c] > Term[v] }", "requires { Asked[c] >= Term[v] }"),
        ("2 * #{v | Vote[c, v] = True} > #proc }", "2 * #{v | Vote[c, v] = True} >= #proc }"),
        (forgets, &format!("{forgets} VotedFor[v] := nil;")),
    ];
    all_are_wrong("raft_prevote", text, &twins);
    let text = include_str!("../../../examples/dijkstra_scholten.cub");
    let twins = [
        ("Works[q] = False && Deficit[q] = 0 &&", "Works[q] = False &&"),
        ("{ Msg[p, q] := True; Deficit[p] := Deficit[p] + 1 }", "{ Msg[p, q] := True }"),
    ];
    all_are_wrong("dijkstra_scholten", text, &twins);
}
