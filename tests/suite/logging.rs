//! What a subscriber of `tracing` sees of an exploration, a proof and a certificate.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::subscriber::{NoSubscriber, with_default};
use tracing::{Dispatch, Event};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::{LookupSpan, SpanRef};
use tracing_subscriber::{Registry, registry};

use cubicle::certificate::{CheckOptions, Claim, NoCertificate, ProofFailure, certify};
use cubicle::{Interrupt, Options, Silent, check};

/// Records each span and event as a line: the names of the spans around it, and its fields.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Vec<String>>>);

/// Fields as `name=value`.
#[derive(Default)]
struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.push_str(&format!(" {}={value:?}", field.name()));
    }
}

impl Recorder {
    fn put<S: for<'a> LookupSpan<'a>>(&self, span: Option<SpanRef<'_, S>>, fields: &Fields) {
        let names: Vec<&str> =
            span.iter().flat_map(|it| it.scope().from_root()).map(|it| it.name()).collect();
        self.0.lock().unwrap().push(format!("{}:{}", names.join(">"), fields.0));
    }

    /// Runs `work` with this subscriber; all lines.
    fn of(work: impl FnOnce()) -> Vec<String> {
        let recorder = Self::default();
        // Where there is one subscriber only, `tracing` turns off for all threads what another test, which has none, meets first.
        let _another = Dispatch::new(NoSubscriber::default());
        with_default(registry().with(recorder.clone()), work);
        let lines = recorder.0.lock().unwrap();
        lines.clone()
    }
}

impl Layer<Registry> for Recorder {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, Registry>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        self.put(context.span(id), &fields);
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, Registry>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        self.put(context.event_span(event), &fields);
    }
}

/// Each of `beginnings` begins some line, in this order.
fn assert_in_order(lines: &[String], beginnings: &[&str]) {
    let mut rest = lines.iter();
    for beginning in beginnings {
        assert!(rest.any(|line| line.starts_with(beginning)), "{beginning}, in {lines:#?}");
    }
}

const TEXT: &str = include_str!("../../examples/mutex.cub");

#[test]
fn an_exploration_tells_its_levels_and_its_end() {
    let explore = |options: &Options| {
        let system = cubicle::load(TEXT).unwrap().system;
        check(&system, options, &Interrupt::default(), &mut Silent).unwrap();
    };
    let lines = Recorder::of(|| explore(&Options::explore(2)));
    let expected = [
        ": message=system derived",
        ": message=model loaded",
        "check: proof=",
        "check>explore: procs=2 strategy=\"bfs\" store=",
        "check>explore: message=instance compiled",
        "check>explore: message=level level=1",
        "check>explore: message=explored states=",
        "check: message=checked conclusion=NothingFound",
    ];
    assert_in_order(&lines, &expected);
    assert!(lines.iter().any(|line| line.contains("message=explored") && line.ends_with("stop=Complete")));
}

#[test]
fn a_proof_tells_its_nodes_and_candidates() {
    let prove = || {
        let system = cubicle::load(TEXT).unwrap().system;
        check(&system, &Options::brab(2), &Interrupt::default(), &mut Silent).unwrap();
    };
    let expected = [
        "check>search: method=\"brab\" procs=2 order=Bfs",
        "check>search: message=node taken id=0 depth=0",
        "check>search: message=candidate in place of the node id=1 number=-1 cube=",
        "check>search: message=node dropped",
        "check>search: message=searched verdict=\"safe\"",
    ];
    assert_in_order(&Recorder::of(prove), &expected);
    // Two turns side by side, the second on a thread of its own.
    let auto = || {
        let text = include_str!("../../examples/german_wrong.cub");
        let system = cubicle::load(text).unwrap().system;
        let options = Options::default().jobs(2);
        check(&system, &options, &Interrupt::default(), &mut Silent).unwrap();
    };
    let expected = ["check: message=turn begins turn=1", "check: message=turn ends turn=1"];
    let lines = Recorder::of(auto);
    assert_in_order(&lines, &expected);
    assert!(lines.iter().any(|line| line.starts_with("check: message=turn begins turn=2")), "{lines:#?}");
}

#[test]
fn a_certificate_tells_its_obligations() {
    let system = cubicle::load(TEXT).unwrap().system;
    let interrupt = Interrupt::default();
    let options = CheckOptions::new(Duration::from_secs(60), &interrupt);
    let report = check(&system, &Options::brab(2), &interrupt, &mut Silent).unwrap();
    let lines = Recorder::of(|| drop(certify(&system, TEXT, Claim::of(&report), options).unwrap()));
    let expected = [
        "prove: cubes=",
        "prove>obligation: obligation=Property(0)",
        "prove>obligation: obligation=Initiation(0)",
        "prove>obligation: obligation=Consecution { transition: 0, cube: 0 }",
        "prove: message=proved invariants=",
    ];
    assert_in_order(&lines, &expected);
    // Most obligations are shown without Z3, but not those about numbers.
    let text = std::fs::read_to_string("examples/bakery.cub").expect("an example");
    let numbers = cubicle::load(&text).expect("a model").system;
    let report = check(&numbers, &Options::brab(2), &interrupt, &mut Silent).unwrap();
    let lines = Recorder::of(|| drop(certify(&numbers, &text, Claim::of(&report), options).unwrap()));
    assert!(lines.iter().any(|line| line.contains("message=query kind=\"obligation\" answer=\"unsat\"")));
    let fail = || {
        let failed =
            certify(&system, TEXT, Claim::default(), options).expect_err("nothing excludes the bad states");
        assert!(matches!(failed, NoCertificate::Failed(ProofFailure::Refuted(_), _)), "{failed:?}");
    };
    assert_in_order(&Recorder::of(fail), &["prove: cubes=0", "prove: message=not proved failure=Refuted("]);
}
