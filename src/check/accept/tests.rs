use super::*;
use cubicle_backward::engine;
use cubicle_certificate::{Cubes, Obligation};
use cubicle_lang::model::{Forbidden, System};
use cubicle_run::{
    BackwardMode, BackwardSearches, BackwardTurn, Observer, Options, Outcome, Report, RunsPlan, RunsProof,
    Silent, TemporalReport,
};
use std::time::{Duration, Instant};

use crate::Checker;

/// With two processes, both are inside.
const OPEN: &str = "
array In[proc] : bool
init (p) { In[p] = False }
unsafe (p q) { In[p] = True && In[q] = True }
cover somewhere (p) { In[p] = True }
transition enter (p) requires { In[p] = False } { In[p] := True }
";

/// One process at most is inside.
const LOCK: &str = "
var Lock : bool
array In[proc] : bool
init (p) { Lock = False && In[p] = False }
unsafe (p q) { In[p] = True && In[q] = True }
transition enter (p) requires { Lock = False } { Lock := True; In[p] := True }
transition leave (p) requires { In[p] = True } { Lock := False; In[p] := False }
";

const COUNT: &str = "
array In[proc] : bool
init (p) { In[p] = False }
unsafe () { #{p | In[p] = True} >= 2 }
transition enter (p) requires { In[p] = False } { In[p] := True }
";

fn system(text: &str) -> System {
    cubicle_lang::load(text).expect("a model").system
}

/// A report that claims that the system is safe, since these cubes are unreachable.
fn claimed(invariant: Vec<Forbidden>) -> Report {
    let outcome = Outcome { verdict: Verdict::Safe, invariant, ..Outcome::undecided(Reason::Time) };
    Report {
        verdict: Some(Verdict::Safe),
        decider: Some(Decider::Stage(BackwardMode::Classic)),
        backward: Some(outcome),
        ..Report::default()
    }
}

/// The bad cubes of a system, which are unreachable if it is safe.
fn bad(system: &System) -> Vec<Forbidden> {
    system.bad.iter().map(Forbidden::from).collect()
}

fn checked(system: &System, options: &Options) -> Report {
    Checker::new(engine).check_on_this_thread(system, options, &Interrupt::default(), &mut Silent)
}

fn accepted(system: &System, report: Report, options: &Options, interrupt: &Interrupt) -> Report {
    let mut observer = Silent;
    let mut session = Session::new(system, options, interrupt, &mut observer, engine, report);
    accept(&mut session);
    session.report
}

fn by_default(system: &System, report: Report) -> Report {
    accepted(system, report, &Options::default(), &Interrupt::default())
}

#[test]
fn the_proof_of_an_engine_is_accepted() {
    for proof in [BackwardMode::Auto, BackwardMode::Classic, BackwardMode::Brab(2)] {
        let options = Options::default().proof(proof);
        let report = checked(&system(LOCK), &options);
        assert_eq!(report.verdict, Some(Verdict::Safe));
        let Some(Acceptance { invariants: Some(invariants), obligations: Some(obligations), .. }) =
            report.acceptance.filter(|it| it.checked)
        else {
            panic!("it was not checked: {:?}", report.acceptance)
        };
        // Each cube has an obligation for init and each transition.
        assert!(invariants > 1 && obligations > invariants, "{invariants} {obligations}");
    }
}

#[test]
fn a_forged_proof_is_refused() {
    let [open, lock, count] = [OPEN, LOCK, COUNT].map(system);
    // The bad cubes of LOCK are unreachable, but that is not inductive without the lock.
    for (system, cubes) in
        [(&open, bad(&open)), (&open, Vec::new()), (&lock, bad(&lock)), (&count, bad(&count))]
    {
        let report = by_default(system, claimed(cubes));
        let Some(Verdict::Unknown(Reason::Uncertified(why))) = &report.verdict else {
            panic!("{:?}", report.verdict)
        };
        assert!(why.contains("fails"), "{why}");
        assert_eq!(report.refused.len(), 1);
        assert_eq!((report.acceptance, report.decider), (None, None));
        // Its cubes are not called unreachable either.
        assert_ne!(report.backward.expect("a search").verdict, Verdict::Safe);
    }
    // No search says why it is safe.
    let silent = Report { backward: None, ..claimed(Vec::new()) };
    assert!(matches!(by_default(&lock, silent).verdict, Some(Verdict::Unknown(Reason::Uncertified(_)))));
}

/// What was accepted before is a proof of these cubes only.
#[test]
fn other_cubes_than_those_accepted_are_checked() {
    let (system, options, interrupt) = (system(LOCK), Options::default(), Interrupt::default());
    let accepted =
        Acceptance { checked: true, invariants: Some(7), obligations: Some(8), solver_calls: Some(9) };
    let verdict = |known: Vec<Forbidden>| {
        let mut observer = Silent;
        let report = claimed(bad(&system));
        let mut session = Session::new(&system, &options, &interrupt, &mut observer, engine, report);
        session.accepted = Some(Accepted { counts: Vec::new(), cubes: known, took: accepted });
        accept(&mut session);
        (session.report.verdict, session.report.acceptance)
    };
    assert!(matches!(verdict(Vec::new()), (Some(Verdict::Unknown(Reason::Uncertified(_))), None)));
    assert_eq!(verdict(bad(&system)), (Some(Verdict::Safe), Some(accepted)));
}

#[test]
fn a_check_that_is_cut_says_that_a_proof_was_found() {
    let lock = system(LOCK);
    let report = || claimed(bad(&lock));
    let late = Interrupt::default();
    late.set_deadline(Instant::now());
    let cut = accepted(&lock, report(), &Options::default(), &late);
    assert_eq!(cut.verdict, Some(Verdict::Unknown(Reason::Unconfirmed(Box::new(Reason::Time)))));
    assert_eq!(cut.refused, Vec::<String>::new());
    let signalled = Interrupt::default();
    signalled.raise(2);
    let cut = accepted(&lock, report(), &Options::default(), &signalled);
    assert_eq!(cut.verdict, Some(Verdict::Unknown(Reason::Interrupted(2))));
}

#[test]
fn without_a_check_the_answer_says_so() {
    let open = system(OPEN);
    let unchecked = Options::default().unchecked(true);
    let report = accepted(&open, claimed(bad(&open)), &unchecked, &Interrupt::default());
    assert_eq!((report.verdict, report.acceptance), (Some(Verdict::Safe), Some(Acceptance::UNCHECKED)));
}

#[test]
fn a_forged_proof_about_runs_is_refused() {
    let open = system(OPEN);
    let proof = RunsProof {
        system: open.edited(|parts| parts.bad.clear()),
        plan: RunsPlan::Cover,
        because: Vec::new(),
        invariant: Vec::new(),
        counts: Vec::new(),
    };
    let never = TemporalReport { never: true, proof: Some(Box::new(proof)), ..TemporalReport::none(0) };
    let report = by_default(&open, Report { temporal: vec![never], ..Report::default() });
    assert!(!report.temporal[0].never && report.temporal[0].unproved.is_some());
    assert!(matches!(report.unproved, Some(Reason::Uncertified(_))), "{:?}", report.unproved);
}

/// Where there are counts, the checker refuses some right proofs: without an instance that breaks it, a proof is not called wrong.
#[test]
fn with_counts_a_refusal_needs_an_instance() {
    for (text, certain) in [(COUNT, false), (OPEN, true)] {
        let system = system(text);
        let interrupt = Interrupt::default();
        let options = CheckOptions::new(Duration::MAX, &interrupt);
        let cubes = Cubes::new(system.clone(), Subject::default(), Vec::new(), bad(&system), options);
        let refused = NoCertificate::Failed(ProofFailure::Refuted(Obligation::Begins), Box::new(cubes));
        let why = not_accepted(&refused, &interrupt);
        assert_eq!(matches!(why, Reason::Uncertified(_)), certain, "{why:?}");
        assert_eq!(matches!(why, Reason::Unconfirmed(_)), !certain, "{why:?}");
    }
}

/// Its exact search claims that the bad states are all that is to be shown; its other searches search.
struct Hasty(Box<dyn BackwardSearches>);

impl BackwardSearches for Hasty {
    fn search(&mut self, turn: &BackwardTurn<'_>, observer: &mut dyn Observer) -> Outcome {
        if turn.proof != BackwardMode::Classic {
            return self.0.search(turn, observer);
        }
        claimed(bad(turn.system)).backward.expect("an outcome")
    }

    fn has_lemmas(&self) -> bool {
        self.0.has_lemmas()
    }

    fn fork(&self) -> Box<dyn BackwardSearches> {
        Box::new(Self(self.0.fork()))
    }

    fn take_up(&mut self, _: Box<dyn BackwardSearches>) {}
}

/// Nine processes are more than the instances have in which a broken proof is looked for.
#[test]
fn after_an_inconclusive_check_other_searches_go_on() {
    let system = system(&COUNT.replace(">= 2", ">= 9"));
    let with = |options: &Options| {
        let checker = Checker::new(|| Box::new(Hasty(engine())));
        checker.check_on_this_thread(&system, options, &Interrupt::default(), &mut Silent).verdict
    };
    assert!(matches!(with(&Options::classic()), Some(Verdict::Unknown(Reason::Unconfirmed(_)))));
    assert!(matches!(with(&Options::default()), Some(Verdict::Unsafe(_))));
}

/// All instances of a model may have been explored: an exploration of only some of them is not a proof.
#[test]
fn all_instances_are_a_proof_and_some_are_not() {
    let system = system(&format!("number_procs 2 {LOCK}"));
    let explored = |procs: usize| checked(&system, &Options::explore(procs)).explorations;
    let report = |sizes: &[usize]| Report {
        verdict: Some(Verdict::Safe),
        decider: Some(Decider::AllInstances(2)),
        explorations: sizes.iter().flat_map(|procs| explored(*procs)).collect(),
        ..Report::default()
    };
    let all = by_default(&system, report(&[0, 1, 2]));
    assert_eq!((all.verdict, all.acceptance), (Some(Verdict::Safe), None));
    let some = by_default(&system, report(&[0, 2]));
    assert!(matches!(some.verdict, Some(Verdict::Unknown(Reason::Uncertified(_)))), "{:?}", some.verdict);
}
