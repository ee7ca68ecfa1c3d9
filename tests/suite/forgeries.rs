//! Certificates of derived systems: processes that fail, rankings of properties of runs. Those of proofs are accepted,
//! damaged ones are refused, unless they still hold: brute force over the result of the transform decides.

use std::time::Duration;

use cubicle::certificate::{
    self, Certificate, CheckOptions, Claim, Extent, NoCertificate, RunsClaim, Subject,
};
use cubicle::load::ModelSource;
use cubicle::model::semantics::{Layout, Semantics, is_forbidden};
use cubicle::model::{Bad, BadKind, System};
use cubicle::transform::{Crash, with_crashes};
use cubicle::{BackwardMode, Forbidden, Interrupt, Options, RunsPlan, Silent, Vacuity, Verdict};

use crate::support::explore::explore;

const TIMEOUT: Duration = Duration::from_secs(20);

/// States of an instance that brute force explores.
const STATES: usize = 1_500;

/// A proof and its certificate.
struct Certified {
    model: String,
    plain: System,
    /// The result of the transform.
    made: System,
    text: String,
}

fn example(name: &str) -> String {
    let path = format!("{}/examples/{name}.cub", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn proved(model: &str, made: System, subject: &Subject) -> Certified {
    let plain = cubicle::load(model).expect("the model is well-formed").system;
    let options = Options::default().proof(BackwardMode::Auto).vacuity(Vacuity::Ignore).only_states(true);
    let options = options.unchecked(true);
    let interrupt = Interrupt::default();
    let report = cubicle::check(&made, &options, &interrupt, &mut Silent).expect("no engine fails");
    assert_eq!(report.verdict, Some(Verdict::Safe), "{subject:?}");
    let how = CheckOptions::new(TIMEOUT, &interrupt);
    let source = ModelSource::new(&plain, model);
    let certified = certificate::certify_as(subject, source, &made, Claim::of(&report), how);
    let certificate = certified.unwrap_or_else(|it| panic!("{subject:?}: {}", certificate::explain(&it)));
    assert!(certificate::confirm(subject, &plain, &made, Claim::of(&report), how).is_ok(), "{subject:?}");
    let text = certificate.invariants(&plain);
    assert!(!certificate.scripts(&plain).is_empty());
    assert!(check(&plain, model, &text).is_ok(), "{text}");
    Certified { model: model.to_owned(), plain, made, text }
}

fn failing(model: &str, how: &str) -> Certified {
    let plain = cubicle::load(model).expect("the model is well-formed").system;
    let made = made(&plain, how).expect("processes may fail so");
    proved(model, made, &Subject { failures: Crash::read(how), ..Subject::default() })
}

fn made(plain: &System, how: &str) -> Option<System> {
    with_crashes(plain, Crash::read(how)?).ok()
}

fn ranked(model: &str) -> Certified {
    let plain = cubicle::load(model).expect("the model is well-formed").system;
    let options = Options::default().vacuity(Vacuity::Ignore);
    let report = cubicle::check(&plain, &options, &Interrupt::default(), &mut Silent).expect("an answer");
    let proof = report.temporal[0].proof.as_ref().expect("it is proved");
    let RunsPlan::Ranking(ranking) = &proof.plan else { panic!("not by a ranking: {:?}", proof.plan) };
    let subject = Subject { runs: Some(RunsClaim::Ranked(ranking.clone())), ..Subject::default() };
    proved(model, proof.system.clone(), &subject)
}

fn check(plain: &System, model: &str, text: &str) -> Result<Certificate, NoCertificate> {
    let interrupt = Interrupt::default();
    certificate::check(plain, model, text, Extent::All, CheckOptions::new(TIMEOUT, &interrupt))
}

/// Whether brute force finds a state that one of the cubes forbids, or a bad one.
fn is_false(made: &System, cubes: &[Forbidden]) -> bool {
    let as_bad = |cube: &Forbidden| Bad {
        name: String::new(),
        number: 0,
        kind: BadKind::Unsafe,
        params: cube.params,
        cube: cube.cube.clone(),
        span: made.init.span,
        spans: Vec::new(),
    };
    let bad = made.bad.iter().cloned().chain(cubes.iter().map(as_bad)).collect();
    let claims = made.edited(|parts| parts.bad = bad);
    [1, 2, 3].into_iter().filter_map(|procs| explore(&claims, procs, STATES)).any(|reached| {
        let semantics = Semantics::new(&claims, reached.procs);
        let layout = Layout::new(&claims, reached.procs);
        let is_bad = |state| (0..made.bad.len()).any(|bad| semantics.satisfies(state, bad).is_some());
        let violated = |state| is_bad(state) || cubes.iter().any(|it| is_forbidden(&layout, state, it));
        reached.states.keys().any(violated)
    })
}

/// The outcomes of forgeries.
#[derive(Default, Debug)]
struct Count {
    refused: usize,
    /// Forgeries that still hold.
    accepted: usize,
}

impl Certified {
    /// The places of the lines with cubes.
    fn cubes(&self) -> Vec<usize> {
        let lines = self.text.lines().enumerate();
        lines.filter(|(_, line)| line.starts_with("invariant")).map(|(at, _)| at).collect()
    }

    /// The text with a line changed, or without it.
    fn with(&self, at: usize, line: Option<&str>) -> String {
        let lines = self.text.lines().enumerate();
        let lines = lines.filter_map(|(number, known)| if number == at { line } else { Some(known) });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Damages cubes, about this many times: one is left out, a literal is left out or negated.
    fn damaged(&self, most: usize) -> Vec<String> {
        let mut found = Vec::new();
        for at in self.cubes() {
            found.push(self.with(at, None));
            let line = self.text.lines().nth(at).expect("it is there");
            let (head, body) = line.split_once(" { ").expect("a cube");
            let literals: Vec<&str> = body.trim_end_matches(" }").split(" && ").collect();
            for gone in 0..literals.len() {
                let mut fewer: Vec<String> = literals.iter().map(|it| (*it).to_owned()).collect();
                let literal = fewer.remove(gone);
                let shown = if fewer.is_empty() { "true".to_owned() } else { fewer.join(" && ") };
                found.push(self.with(at, Some(&format!("{head} {{ {shown} }}"))));
                let turned = match literal.split_once(" <> ") {
                    Some((left, right)) => format!("{left} = {right}"),
                    None => literal.replacen(" = ", " <> ", 1),
                };
                fewer.insert(gone, turned);
                found.push(self.with(at, Some(&format!("{head} {{ {} }}", fewer.join(" && ")))));
            }
        }
        // For large invariants, only some of each kind.
        let every = found.len() / most + 1;
        found.into_iter().step_by(every).collect()
    }

    /// Whether a forgery is refused; one that is accepted must hold in `made`.
    fn judge(&self, forged: &str, made: Option<&System>, count: &mut Count) {
        match check(&self.plain, &self.model, forged) {
            Err(_) => count.refused += 1,
            Ok(certificate) => {
                count.accepted += 1;
                let made = made.unwrap_or_else(|| panic!("accepted:\n{forged}"));
                let cubes = &certificate.cubes.all[..certificate.cubes.proved];
                // A forged line may have left out a variable that the transform adds.
                let derived = certificate.cubes.system();
                let names =
                    |system: &System| system.vars.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
                let is_ranked = certificate.cubes.subject.runs.is_some();
                let made = if names(&derived) == names(made) && !is_ranked { made } else { &derived };
                assert!(!is_false(made, cubes), "accepted, and wrong:\n{forged}");
            }
        }
    }
}

/// A lock that names its holder: a process that stops inside keeps it.
const LOCK: &str = "type t = Idle | Want | Crit
var Owner : proc
var Free : bool
array At[proc] : t
array Seen[proc] : bool
init (p) { At[p] = Idle && Free = True && Seen[p] = False }
unsafe (p q) { At[p] = Crit && At[q] = Crit }
unsafe (p) { At[p] = Crit && Free = True }
transition ask (p) requires { At[p] = Idle } { At[p] := Want; Seen[p] := True }
transition enter (p) requires { At[p] = Want && Free = True } { At[p] := Crit; Free := False; Owner := p }
transition leave (p) requires { At[p] = Crit && Owner = p } { At[p] := Idle; Free := True }
";

/// A process that restarts must be let in once more by hand.
const BADGE: &str = "type t = Out | In
array At[proc] : t
array Has[proc] : bool
init (p) { At[p] = Out && Has[p] = False }
unsafe (p) { At[p] = In && Has[p] = False }
unsafe (p q) { Has[p] = True && Has[q] = True }
transition give (p) requires { Has[p] = False && At[p] = Out && forall_other q. Has[q] = False } { Has[p] := True }
transition go_in (p) requires { Has[p] = True } { At[p] := In }
transition go_out (p) requires { At[p] = In } { At[p] := Out; Has[p] := False }
";

#[test]
fn forged_certificates_of_failing_processes_are_refused() {
    let mut count = Count::default();
    let peterson = example("peterson");
    for (model, how) in [
        (LOCK, "stop"),
        (LOCK, "stop:1"),
        (BADGE, "stop:2"),
        (BADGE, "restart"),
        (peterson.as_str(), "stop:1"),
    ] {
        let certified = failing(model, how);
        for forged in certified.damaged(60) {
            certified.judge(&forged, Some(&certified.made), &mut count);
        }
        let at = certified.text.lines().position(|line| line.starts_with("crash ")).expect("it says how");
        for other in ["stop", "stop:1", "stop:2", "stop:3", "restart"].into_iter().filter(|it| *it != how) {
            let names = match other {
                "stop" => " with Alive",
                "restart" => "",
                _ => " with Alive, Crashes",
            };
            let forged = certified.with(at, Some(&format!("crash {other}{names}")));
            let made = made(&certified.plain, other);
            certified.judge(&forged, made.as_ref(), &mut count);
        }
        for line in [
            "crash stop with Dead",
            "crash stop",
            "crash stop:1 with Alive",
            "crash stop:1 with Crashes, Alive",
            "crash stop:1 with At, Crashes",
            "crash stop:64 with Alive, Crashes",
            "crash stop:many with Alive, Crashes",
            "crash restart\ncrash restart",
            "crash never",
        ] {
            // If no cube names an added variable, its name is irrelevant.
            let forged = certified.with(at, Some(line));
            let how = line.split(' ').nth(1).filter(|it| line.contains(" with ") && !it.contains("64"));
            let other = how.and_then(|how| made(&certified.plain, how));
            certified.judge(&forged, other.as_ref(), &mut count);
        }
    }
    assert!(count.refused >= 130, "{count:?}");
}

/// After a restart, the process inside has no badge: an invariant that holds where processes stop is false.
#[test]
fn a_certificate_for_another_way_to_fail_is_refused() {
    let model = LOCK;
    let plain = cubicle::load(model).expect("a model").system;
    let certified = failing(model, "stop");
    let cubes: Vec<&str> = certified.text.lines().filter(|line| line.starts_with("invariant")).collect();
    assert!(!cubes.iter().any(|line| line.contains("Alive")), "{}", certified.text);
    assert!(check(&plain, model, &cubes.join("\n")).is_ok(), "{}", certified.text);
    // A restart changes Crit to Idle, while the lock stays taken: that is safe as well.
    let restart = format!("crash restart\n{}", cubes.join("\n"));
    assert!(check(&plain, model, &restart).is_ok());
    // With a way back to Crit, it is not.
    let model = model.replace("init (p) { At[p] = Idle", "init (p) { (At[p] = Idle || At[p] = Want)");
    let plain = cubicle::load(&model).expect("a model").system;
    assert!(check(&plain, &model, &restart).is_ok());
    let model = "type t = A | B  array S[proc] : t  var G : t  init (p) { S[p] = A && G = A }
        unsafe (p) { S[p] = A && G = B }
        transition go (p) requires { forall_other q. S[q] = B } { S[p] := B; G := B }
        transition up (p) requires { S[p] = A } { S[p] := B }";
    let plain = cubicle::load(model).expect("a model").system;
    let cubes = "invariant (p) { S[p] = A && G = B }";
    assert!(check(&plain, model, cubes).is_ok());
    assert!(check(&plain, model, &format!("crash stop with Alive\n{cubes}")).is_ok());
    assert!(check(&plain, model, &format!("crash restart\n{cubes}")).is_err());
}

/// A lock with fairness: strong for processes that want in, weak for the one inside.
const STRONG: &str = "type state = Idle | Want | Crit
var Lock : bool
array At[proc] : state
init (p) { At[p] = Idle && Lock = False }
unsafe (p q) { At[p] = Crit && At[q] = Crit }
transition ask (p) requires { At[p] = Idle } { At[p] := Want }
transition enter (p) requires { At[p] = Want && Lock = False } { At[p] := Crit; Lock := True }
transition leave (p) requires { At[p] = Crit } { At[p] := Idle; Lock := False }
strong_fair enter
fair leave
response served (p) { At[p] = Want } ~> { At[p] = Crit }
response out (p) { At[p] = Crit } ~> { At[p] = Idle }
";

/// A process that works waits until all others rest.
const TURNS: &str = "type state = Rest | Work | Done
array At[proc] : state
init (p) { At[p] = Rest }
unsafe (p) { At[p] = Done && At[p] = Rest }
transition begin (p) requires { At[p] = Rest } { At[p] := Work }
transition finish (p) requires { At[p] = Work } { At[p] := Done }
transition all (p) requires { At[p] = Done && forall_other q. At[q] = Done } { At[p] := Done }
fair begin
fair finish
response done (p) { At[p] = Rest } ~> { At[p] = Done }
";

#[test]
fn forged_certificates_of_rankings_are_refused() {
    let mut count = Count::default();
    let out = STRONG.replace("response served (p) { At[p] = Want } ~> { At[p] = Crit }\n", "");
    for (model, most) in [(STRONG, 12), (out.as_str(), 40), (TURNS, 40)] {
        let certified = ranked(model);
        for forged in certified.damaged(most) {
            certified.judge(&forged, Some(&certified.made), &mut count);
        }
        for (at, line) in certified.text.lines().enumerate() {
            let Some((first, rest)) = line.split_once(' ') else { continue };
            if !["ranking", "waits", "level", "helps", "again", "least"].contains(&first) {
                continue;
            }
            // Another ranking that is accepted proves the property, too, which holds.
            let mut forged =
                vec![certified.with(at, None), certified.with(at, Some(&format!("{line}\n{line}")))];
            forged.push(certified.with(at, Some(&format!("{first} x{rest}"))));
            if first == "ranking" {
                forged.push(certified.with(at, Some("ranking of nothing with Failed")));
                forged.push(certified.with(at, Some("ranking of served with At")));
                forged.push(certified.with(at, Some("ranking of served with Fails")));
            }
            for (from, to) in
                [("p1]", "p2]"), (" = ", " <> "), ("true", "false"), ("again ", ""), ("(p1)", "(p2)")]
            {
                if line.contains(from) {
                    forged.push(certified.with(at, Some(&line.replace(from, to))));
                }
            }
            for forged in forged {
                certified.judge(&forged, Some(&certified.made), &mut count);
            }
        }
        // Weaker fairness, or none: the certificate mentions declarations that do not exist, or another model.
        for (declared, weaker) in [
            ("strong_fair enter", ""),
            ("strong_fair enter", "fair enter"),
            ("fair leave", ""),
            ("fair finish", ""),
            ("fair begin", ""),
        ] {
            if !certified.text.contains(&format!("({declared})")) {
                continue;
            }
            let weaker = model.replace(declared, weaker);
            let plain = cubicle::load(&weaker).expect("a model").system;
            // Also where the certificate speaks of the weaker declaration: what is possible again and again is not taken then.
            for text in [certified.text.clone(), certified.text.replace("strong_fair", "fair")] {
                match check(&plain, &weaker, &text) {
                    Err(_) => count.refused += 1,
                    Ok(_) => panic!("accepted for\n{weaker}\n{text}"),
                }
            }
        }
    }
    assert!(count.refused >= 70, "{count:?}");
}

/// Two concurrent checks do not wait for each other, and each polls its own interrupt.
#[test]
fn concurrent_checks_of_certificates_do_not_block_each_other() {
    // One pigeon more than holes: Z3 would take very long.
    let holes = 12;
    let constructors: Vec<String> = (0..holes).map(|n| format!("H{n}")).collect();
    let vars: Vec<String> = (0..=holes).map(|n| format!("var P{n} : hole\n")).collect();
    let apart: Vec<String> = (0..=holes).flat_map(|a| (0..a).map(move |b| format!("P{a} <> P{b}"))).collect();
    let hard = format!(
        "type hole = {}\n{}init () {{ P0 = H0 }}\nunsafe () {{ {} }}\n",
        constructors.join(" | "),
        vars.concat(),
        apart.join(" && ")
    );
    let system = cubicle::load(&hard).expect("a model").system;
    let interrupt = Interrupt::default();
    std::thread::scope(|scope| {
        let long = scope.spawn(|| {
            let how = CheckOptions::new(Duration::from_secs(300), &interrupt);
            certificate::check(&system, &hard, "", Extent::All, how).map(|_| ())
        });
        // It should have started by then; otherwise the test is weaker.
        std::thread::sleep(Duration::from_millis(300));
        let plain = cubicle::load(LOCK).expect("a model").system;
        assert!(check(&plain, LOCK, "").is_err());
        assert!(!long.is_finished(), "it ended before the other one");
        interrupt.raise(15);
        let ended = long.join().expect("no panic");
        assert!(
            matches!(ended, Err(NoCertificate::Failed(certificate::ProofFailure::Stopped(_), _))),
            "{ended:?}"
        );
    });
}
