//! The library inside another program: runs one after the other, and several at once.

use std::error::Error;
use std::thread;
use std::time::Duration;

use cubicle::model::System;
use cubicle::{
    BackwardMode, Event, Interrupt, Observer, Options, Reason, Report, Silent, Stop, Vacuity, Verdict, check,
};

fn system(example: &str) -> System {
    let path = format!("{}/examples/{example}.cub", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    cubicle::load(&text).unwrap_or_else(|error| panic!("{path}: {error}")).system
}

/// The parts of a report that do not depend on the clock.
fn told(report: &Report) -> String {
    let backward =
        report.backward.as_ref().map(|it| (it.statistics.nodes, it.statistics.solver_calls, &it.invariant));
    let explored: Vec<_> = report.explorations.iter().map(|it| (it.procs, it.states, it.stop)).collect();
    format!("{:?} {explored:?} {backward:?}", report.verdict)
}

#[test]
fn the_second_run_has_a_deadline_of_its_own() {
    let system = system("mutex");
    let interrupt = Interrupt::default();
    let run = |limit| {
        let options = Options::brab(2).time_limit(limit);
        check(&system, &options, &interrupt, &mut Silent).expect("no engine fails").verdict
    };
    let hour = Duration::from_secs(3600);
    assert_eq!(run(Duration::ZERO), Some(Verdict::Unknown(Reason::Time)));
    assert_eq!(run(hour), Some(Verdict::Safe), "longer than the first one's");
    assert_eq!(run(Duration::ZERO), Some(Verdict::Unknown(Reason::Time)), "shorter than the one before");
    assert_eq!(interrupt.reason(), None, "the interrupt itself has none");
}

#[test]
fn concurrent_runs_do_not_affect_each_other() {
    let runs = [
        (system("mesi"), Options::brab(2)),
        (system("synapse"), Options::default()),
        (system("berkeley"), Options::classic()),
        (system("german"), Options::explore(3).jobs(2)),
    ];
    let run = |(system, options): &(System, Options)| {
        let interrupt = Interrupt::default();
        told(&check(system, options, &interrupt, &mut Silent).expect("no engine fails"))
    };
    let alone: Vec<String> = runs.iter().map(run).collect();
    let together: Vec<String> = thread::scope(|scope| {
        let running: Vec<_> = runs.iter().map(|it| scope.spawn(move || run(it))).collect();
        running.into_iter().map(|it| it.join().expect("no panic")).collect()
    });
    assert_eq!(together, alone);
    assert!(alone[0].contains("Safe"), "{}", alone[0]);
}

#[test]
fn errors_of_all_steps_convert_to_a_boxed_error() {
    fn decide(text: &str) -> Result<Option<Verdict>, Box<dyn Error>> {
        let system = cubicle::load(text)?.system;
        Ok(check(&system, &Options::classic(), &Interrupt::default(), &mut Silent)?.verdict)
    }
    let error = decide("var X : bool\ninit () { X = Fals && Y = True }").expect_err("two wrong names");
    assert_eq!(error.to_string(), "line 2: unknown name `Fals` (C0104), and 1 more error");
    let model = "var X : bool init () { X = False } unsafe () { X = True }";
    assert_eq!(decide(model).expect("a model"), Some(Verdict::Safe));
}

/// All events of an observer, except pure progress events.
#[derive(Default)]
struct Heard(Vec<String>);

impl Observer for Heard {
    fn event(&mut self, _system: &System, event: Event) {
        match event {
            Event::ForwardProgress { .. } | Event::Work { .. } => {}
            Event::ForwardEnd(it) => self.0.push(format!("{} {} {:?}", it.procs, it.states, it.stop)),
            event => self.0.push(format!("{event:?}")),
        }
    }

    fn wants_nodes(&self) -> bool {
        true
    }
}

/// The states of an oracle are explored when a search asks for them, all of them only when it needs them or an option asks.
#[test]
fn an_oracle_is_explored_as_far_as_the_search_asks() {
    let explored = |system: &System, options: Options| {
        let report = check(system, &options, &Interrupt::default(), &mut Silent).expect("no engine fails");
        let seen = report.explorations.iter().map(|it| (it.procs, it.states, it.stop));
        (report.verdict.clone(), seen.collect::<Vec<_>>(), report.coverage.is_some())
    };
    let brab = |procs| Options::default().proof(BackwardMode::Brab(procs)).vacuity(Vacuity::Ignore);
    let german = system("german");
    assert_eq!(explored(&german, brab(4)), (Some(Verdict::Safe), vec![(4, 20_000, Stop::States)], true));
    let all = (Some(Verdict::Safe), vec![(4, 28_499, Stop::Complete)], true);
    assert_eq!(explored(&german, brab(4).require_complete(true)), all);
    let mut deadlocks = brab(4);
    deadlocks.forward = deadlocks.forward.deadlock(true);
    assert_eq!(explored(&german, deadlocks), all);
    // Without an answer, all that may show a bad state is explored.
    let mut cut = brab(4);
    cut.backward = cut.backward.max_nodes(2);
    let open = (Some(Verdict::Unknown(Reason::Nodes(2))), all.1.clone(), true);
    assert_eq!(explored(&german, cut), open);
    // Nothing leads to the bad state, and no candidate is smaller.
    let text = "type t = A | B | C array S[proc] : t init (p) { S[p] = A } unsafe (p) { S[p] = C }
        transition go (p) requires { S[p] = A } { S[p] := B } transition on (p) requires { S[p] = C } { S[p] := C }";
    let alone = cubicle::load(text).expect("a model").system;
    assert_eq!(explored(&alone, brab(2)), (Some(Verdict::Safe), Vec::new(), false));
}

/// Parallel searches give the same events, results and answers as sequential ones.
#[test]
fn the_number_of_threads_changes_neither_report_nor_events() {
    // No search finds that N is even.
    let text = "
        var N : int
        init () { N = 0 }
        unsafe () { N = 1 }
        transition up () { N := N + 2; }
        transition down () { N := N - 2; }";
    let even = cubicle::load(text).expect("a model").system;
    let examples = ["german", "directory", "mesi_wrong"];
    let mut most = 0;
    for system in examples.map(system).iter().chain([&even]) {
        let run = |jobs| {
            let mut heard = Heard::default();
            let options = Options::default().rounds(2).jobs(jobs);
            let report = check(system, &options, &Interrupt::default(), &mut heard).expect("no engine fails");
            (told(&report), report.stages, heard.0)
        };
        let one = run(1);
        let name = &system.vars[0].name;
        most = most.max(one.1.len());
        assert_eq!(run(2), one, "the model of {name}");
    }
    assert!(most > 3, "some take more than a round");
}
