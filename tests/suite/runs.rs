//! Properties of runs: the models of `tests/runs`, whose first lines give the right answers, and the answers of the
//! whole program.

use std::fs;
use std::path::{Path, PathBuf};

use cubicle::forward::{RunAnswer, check_runs};
use cubicle::model::semantics::{LassoError, replay_lasso};
use cubicle::transform::mutate::candidates;
use cubicle::{
    Conclusion, ForwardOptions, Interrupt, Options, Reason, Silent, Strategy, TemporalFinding, check, load,
};

use crate::support::ranked::is_ranked;

fn models() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runs");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read_to_string(&path).expect("it is text"))).collect()
}

/// The promise of the first line: for each number of processes, the properties and their answers.
fn promises(text: &str) -> Vec<(usize, Vec<(String, String)>)> {
    let line = text.lines().next().unwrap_or_default();
    let line = line.strip_prefix("(* EXPECT ").and_then(|rest| rest.strip_suffix(" *)")).expect("a promise");
    line.split("; ")
        .map(|size| {
            let (procs, answers) = size.split_once(": ").expect("a number of processes");
            let answers = answers.split(", ").map(|it| it.split_once(' ').expect("a name and an answer"));
            let answers = answers.map(|(name, answer)| (name.to_owned(), answer.to_owned())).collect();
            (procs.parse().expect("a number"), answers)
        })
        .collect()
}

fn word(answer: &RunAnswer) -> &'static str {
    match answer {
        RunAnswer::Holds => "holds",
        RunAnswer::Lasso(_, lasso) if lasso.back.is_none() => "stuck",
        RunAnswer::Lasso(..) => "lasso",
        RunAnswer::DeadEnd(..) => "dead_end",
        RunAnswer::Reached(..) => "reached",
        RunAnswer::Open(_) => "open",
    }
}

#[test]
fn models_keep_what_their_first_lines_promise() {
    let models = models();
    assert!(models.len() >= 10);
    for (path, text) in models {
        let system = load(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display())).system;
        for (procs, answers) in promises(&text) {
            for symmetry in [true, false] {
                let options = ForwardOptions::default().symmetry(symmetry).max_states(Some(20_000));
                let seen = check_runs(&system, procs, &options, &Interrupt::default());
                for (name, expected) in &answers {
                    let at = system.temporal.iter().position(|it| it.name == *name).expect("a property");
                    // Where a `cover` is not reached, all of the instance was seen.
                    let expected = if expected == "not_reached" { "holds" } else { expected };
                    let context = format!("{} with {procs}, {name}, {symmetry}", path.display());
                    assert_eq!(word(&seen.answers[at]), expected, "{context}");
                    if let RunAnswer::Lasso(tuple, lasso) = &seen.answers[at] {
                        replay_lasso(&system, at, tuple, lasso)
                            .unwrap_or_else(|why| panic!("{context}: {why}"));
                    }
                }
            }
        }
    }
}

/// A loop that is not fair, or does not close, is refused.
#[test]
fn an_invalid_lasso_is_refused() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runs/v01_weak_lock.cub"));
    let text = text.expect("it is there");
    let system = load(&text).expect("a model").system;
    let seen = check_runs(&system, 2, &ForwardOptions::default(), &Interrupt::default());
    let RunAnswer::Lasso(tuple, lasso) = &seen.answers[0] else { panic!("the lock is not fair") };
    assert!(replay_lasso(&system, 0, tuple, lasso).is_ok());
    let other: Vec<usize> = tuple.iter().map(|p| 1 - p).collect();
    assert!(replay_lasso(&system, 0, &other, lasso).is_err(), "the other one is served");
    let strong = load(&text.replace("fair enter", "strong_fair enter")).expect("a model").system;
    let error = replay_lasso(&strong, 0, tuple, lasso).expect_err("it is not fair");
    assert!(matches!(error, LassoError::Unfair(..)), "{error}");
    let mut open = lasso.clone();
    open.run.steps.pop();
    assert!(replay_lasso(&system, 0, tuple, &open).is_err(), "it does not close");
    let mut stuck = lasso.clone();
    stuck.back = None;
    assert!(replay_lasso(&system, 0, tuple, &stuck).is_err(), "something is enabled");
}

#[test]
fn a_property_of_runs_is_never_passed_over() {
    // With more processes than tickets it is violated, which instances with up to three processes do not show.
    let (_, text) = models().remove(2);
    let text: Vec<&str> = text.lines().filter(|line| !line.starts_with("unsafe")).collect();
    let text = text.join("\n");
    let system = load(&text).expect("a model").system;
    let run =
        |options: &Options| check(&system, options, &Interrupt::default(), &mut Silent).expect("an answer");
    for options in [Options::default(), Options::classic(), Options::brab(2)] {
        let report = run(&options.clone().rounds(Some(1)));
        assert_eq!(report.conclusion(), Conclusion::Unknown);
        let sizes = if options.proof == Options::brab(2).proof { vec![2] } else { vec![1, 2, 3] };
        let Some(Reason::Runs { property, procs, why: Some(_), .. }) = report.open() else {
            panic!("it is open: {:?}", report.open());
        };
        assert_eq!((&**property, procs), (system.temporal[0].name.as_str(), &sizes));
        assert_eq!(report.temporal[0].held, sizes);
    }
    let report = run(&Options::default().only_forward(true));
    assert_eq!(report.conclusion(), Conclusion::NothingFound);
    // All instances of the model.
    let bounded = load(&format!("number_procs 3 {text}")).expect("a model").system;
    let report = check(&bounded, &Options::classic(), &Interrupt::default(), &mut Silent).expect("an answer");
    assert_eq!(report.conclusion(), Conclusion::Safe);
    assert!(report.temporal[0].proved);
    // Few states, or no time.
    let few = Options::classic().forward(ForwardOptions::default().max_states(Some(5)));
    let report = run(&few);
    assert_eq!(report.conclusion(), Conclusion::Unknown);
    assert!(report.temporal[0].held.is_empty() && report.temporal[0].open.is_some());
    let report = run(&Options::classic().time_limit(std::time::Duration::ZERO));
    assert_eq!(report.conclusion(), Conclusion::Unknown);
    assert!(report.temporal[0].held.is_empty());
}

#[test]
fn a_violation_settles_a_property() {
    for (path, text) in models() {
        let system = load(&text).expect("a model").system;
        let broken =
            ["lasso", "stuck", "dead_end"].iter().any(|word| text.lines().next().unwrap().contains(word));
        let options =
            Options::default().only_forward(true).forward(ForwardOptions::default().max_states(Some(5_000)));
        let report = check(&system, &options, &Interrupt::default(), &mut Silent).expect("an answer");
        assert_eq!(report.conclusion() == Conclusion::Violated, broken, "{}", path.display());
        let lasso = |it: &cubicle::TemporalReport| matches!(it.found, Some(TemporalFinding::Lasso { .. }));
        assert!(!broken || report.temporal.iter().any(|it| lasso(it) || it.is_violated()));
    }
}

/// Compares proofs with instances, for models and each `every`-th of their mutants. Returns the number of
/// proofs.
fn proofs_agree_with_instances(every: usize) -> [usize; 2] {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let names = ["germanish", "two_phase_commit", "token_ring_wrong", "ticket_wrong"];
    let mut texts: Vec<String> = models().into_iter().map(|(_, text)| text).collect();
    texts.extend(names.iter().map(|name| {
        fs::read_to_string(examples.join(format!("live_{name}.cub"))).expect("the example is there")
    }));
    let mut found = [0; 2];
    for (number, text) in texts.iter().enumerate() {
        let file = load(text).expect("a model").file;
        let mutants = candidates(&file, text).into_iter().map(|it| it.text(text));
        let chosen = mutants.skip(number % every).step_by(every);
        for text in std::iter::once(text.clone()).chain(chosen) {
            let Ok(loaded) = load(&text) else { continue };
            for property in &loaded.system.temporal {
                let proved = is_ranked(&loaded.system, property);
                let alone = loaded.system.edited(|parts| parts.temporal = vec![property.clone()]);
                for procs in property.params.len()..=3 {
                    let options = ForwardOptions::default().max_states(Some(30_000));
                    let seen = check_runs(&alone, procs, &options, &Interrupt::default());
                    let broken = matches!(seen.answers[0], RunAnswer::Lasso(..));
                    assert!(
                        !(proved && broken),
                        "{} is proved, and broken with {procs}:\n{text}",
                        property.name
                    );
                    found[usize::from(broken)] += usize::from(broken || proved);
                }
            }
        }
    }
    found
}

/// Without processes, a step with a parameter cannot be taken, but a step without parameters can.
#[test]
fn proofs_cover_instances_without_processes() {
    let text = |params: &str, fair: &str| {
        let step = format!("transition go ({params}) requires {{ A = False }} {{ A := True }}");
        let property = "response live () { A = False } ~> { A = True }";
        format!("var A : bool\ninit () {{ A = False }}\n{step}\n{fair}\n{property}\n")
    };
    for (params, fair, proved) in [("p", "fair any go", false), ("", "fair go", true)] {
        let text = text(params, fair);
        let loaded = load(&text).expect("a model");
        assert_eq!(is_ranked(&loaded.system, &loaded.system.temporal[0]), proved, "{text}");
    }
}

#[test]
fn instances_confirm_proofs() {
    let [proved, broken] = proofs_agree_with_instances(40);
    assert!(proved > 10 && broken > 20, "{proved} {broken}");
}

#[test]
#[ignore = "takes minutes"]
fn instances_confirm_proofs_of_all_mutants() {
    proofs_agree_with_instances(1);
}

#[test]
fn some_properties_are_proved_for_any_number_of_processes() {
    let (_, text) = models().remove(1);
    let report = |text: &str, options: &Options| {
        let system = load(text).expect("a model").system;
        check(&system, options, &Interrupt::default(), &mut Silent).expect("an answer")
    };
    let proved = report(&text, &Options::default());
    assert_eq!((proved.conclusion(), proved.temporal[0].proved), (Conclusion::Safe, true));
    // An exploration proves nothing.
    let explored = report(&text, &Options::explore(2));
    assert!(!explored.temporal[0].proved);
    // A number that only is there makes no difference.
    let counting = text
        .replace("var Lock", "var N : int var Lock")
        .replace("Lock = False }\nunsafe", "Lock = False && N = 0 }\nunsafe");
    let counting = counting.replace("At[p] := Want", "At[p] := Want; N := N");
    assert_ne!(counting, text);
    assert!(report(&counting, &Options::default()).temporal[0].proved);
    // Weak fairness is not enough.
    let weak = report(&text.replace("strong_fair", "fair"), &Options::default());
    assert_eq!(weak.conclusion(), Conclusion::Violated);
}

#[test]
fn a_cover_that_no_run_reaches_is_violated() {
    let text = "type t = A | B | C array S[proc] : t init (p) { S[p] = A }
        transition go (p) requires { S[p] = A && forall_other q. S[q] = A } { S[p] := B }
        transition back (p) requires { S[p] = B } { S[p] := A }
        cover one (p) { S[p] = B } cover two (p q) { S[p] = B && S[q] = B }";
    let system = load(text).expect("a model").system;
    let report = check(&system, &Options::default(), &Interrupt::default(), &mut Silent).expect("an answer");
    assert_eq!(report.conclusion(), Conclusion::Violated);
    assert!(!report.temporal[0].is_violated() && report.temporal[1].never);
    // An exploration shows it for the explored instances only.
    let report = check(&system, &Options::explore(2), &Interrupt::default(), &mut Silent).expect("an answer");
    assert_eq!(report.conclusion(), Conclusion::Unknown);
    assert_eq!(report.open(), Some(&Reason::NotReached(vec!["two".into()])));
}

/// A loop far from the initial states, in an instance that is too wide to be explored level by level: walks find it.
#[test]
fn walks_find_loops_far_away() {
    let places: Vec<String> = (0..20).map(|number| format!("D{number}")).collect();
    let steps: String = (0..19)
        .map(|number| {
            format!(
                "transition go{number} () requires {{ Deep = D{number} }} {{ Deep := D{} }}\n",
                number + 1
            )
        })
        .collect();
    let text = format!(
        "type place = {}\nvar Deep : place var Over : bool array Up[proc] : bool\n\
         init (p) {{ Deep = D0 && Over = False && Up[p] = False }}\n\
         transition flip (p) {{ Up[q] := case | q = p && Up[q] = True : False | q = p : True | _ : Up[q] }}\n{steps}\
         transition over () requires {{ Deep = D3 && Over = True }} {{ Over := True }}\n\
         fair flip response ended () {{ Deep = D19 }} ~> {{ Over = True }}",
        places.join(" | ")
    );
    let system = load(&text).unwrap_or_else(|error| panic!("{error}")).system;
    let options = ForwardOptions::default().symmetry(false).max_states(Some(10_000));
    let seen = check_runs(&system, 12, &options, &Interrupt::default());
    assert_eq!(word(&seen.answers[0]), "open", "there are too many states on the way");
    for seed in 0..3 {
        let walks = options.clone().strategy(Strategy::Cfl).seed(seed);
        let seen = check_runs(&system, 12, &walks, &Interrupt::default());
        let RunAnswer::Lasso(tuple, lasso) = &seen.answers[0] else { panic!("{:?}", seen.answers) };
        replay_lasso(&system, 0, tuple, lasso).expect("a fair run");
        let again = check_runs(&system, 12, &walks.clone().jobs(2), &Interrupt::default());
        assert_eq!(format!("{seen:?}"), format!("{again:?}"), "the same seed, another run");
    }
}
