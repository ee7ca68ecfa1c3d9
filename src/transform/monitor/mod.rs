//! Liveness as safety: a system with a bad state that is reachable when a `response` or a `recurrence` is broken.
//!
//! In an instance with finite data a broken property has a fair lasso. The monitor looks for it: at some moment it starts to
//! *wait* for the promise, which may not come from then on; at some later moment the state is *saved*; and when the state
//! is the saved one again and all steps that fairness requires were taken or not possible in between, the loop is *closed*,
//! which is the bad state. The processes that the property is about are `#1`, `#2`, .., which is enough where all are alike.
//!
//! Conditions that a transition cannot express are left out of closing: copies of arrays of two indices, fairness of
//! transitions with several parameters, that something is not possible where that depends on further processes. More loops
//! close then, so that the bad state stays unreachable only if the property holds: "not reachable" is a proof, for any
//! number of processes, and "reachable" says nothing.
//!
//! Numbers and values of abstract types may be new for ever, so that no state comes again: such systems have no monitor.
//!
//! `literals`: its literals and updates; `plan`: its variables; `phases`, `fairness`, `close`: its
//! transitions; `kept`: the conditions of each on all processes.

mod close;
mod fairness;
mod kept;
mod literals;
mod phases;
mod plan;

use self::literals::{LOOPED, RUN, cell, is};
use self::plan::{Monitor, Track};
use cubicle_lang::model::{
    Bad, BadKind, Literal, MonitorPlan, ProcRef, System, Temporal, TemporalKind, Type, VarId,
};
use tracing::debug_span;

/// Why a property has no monitor.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoMonitor {
    /// It is of another kind, which this word declares.
    #[error("it is a `{0}`")]
    Kind(&'static str),
    /// The processes are not alike.
    #[error("processes are ordered or named")]
    Ordered,
    /// A variable of this name may have new values for ever.
    #[error("`{0}` may have new values for ever")]
    Unbounded(String),
    /// Processes may fail.
    #[error("processes may fail")]
    Failures,
    /// The monitor would have too many variables, values or transitions.
    #[error("it is too large")]
    TooLarge,
}

/// The system whose bad state is unreachable only if the property holds.
///
/// # Errors
/// There is no such system.
pub fn with_monitor(original: &System, property: &Temporal) -> Result<System, NoMonitor> {
    with_monitor_and_plan(original, property).map(|(system, _)| system)
}

/// Like [`with_monitor`], with the names of what it adds.
///
/// # Errors
/// As [`with_monitor`].
pub fn with_monitor_and_plan(
    original: &System,
    property: &Temporal,
) -> Result<(System, MonitorPlan), NoMonitor> {
    let _span = debug_span!("with_monitor", property = property.name).entered();
    if !matches!(property.kind, TemporalKind::Response | TemporalKind::Recurrence) {
        return Err(NoMonitor::Kind(property.kind.word()));
    }
    if original.orders_processes || original.proc_constants > 0 {
        return Err(NoMonitor::Ordered);
    }
    let unbounded = |ty: Type| ty.is_numeric() || matches!(ty, Type::Abstract(_));
    if let Some((id, _)) = original.declared().find(|(_, it)| unbounded(it.ty)) {
        return Err(NoMonitor::Unbounded(original.title(id)));
    }
    if original.failures.is_some() {
        return Err(NoMonitor::Failures);
    }
    let monitor = Monitor::new(original, property);
    let made = monitor.and_then(|it| {
        let plan = it.plan();
        Some((system(it)?, plan))
    });
    made.ok_or(NoMonitor::TooLarge)
}

/// The monitor as a system.
fn system(mut monitor: Monitor<'_>) -> Option<System> {
    monitor.system.proc_constants = u8::try_from(monitor.property.params.len()).ok()?;
    let of = |it: &Track<'_>| {
        let hindered = it.hindered.iter().map(|it| it.at_all);
        std::iter::once(it.done).chain(it.never).chain(hindered).collect::<Vec<VarId>>()
    };
    let flags: Vec<VarId> = monitor.tracks.iter().flat_map(of).collect();
    let phase = monitor.phase;
    for conj in &mut monitor.system.init.body.0 {
        conj.push(is(phase, RUN));
    }
    for conj in &mut monitor.system.init.without_processes.0 {
        conj.push(is(phase, RUN));
    }
    // Flags count only once they were set: their initial values make no difference, but fixing them gives fewer states.
    let arrays = flags.iter().any(|it| monitor.system.var(*it).arity() > 0);
    monitor.system.init.params = monitor.system.init.params.max(u8::from(arrays));
    for var in flags {
        let index: Vec<ProcRef> = (0..monitor.system.var(var).arity() as u8).map(ProcRef::Var).collect();
        let unset = || Literal::In { cell: cell(var, index.iter().copied()), values: 1 };
        monitor.system.init.body.0.iter_mut().for_each(|conj| conj.push(unset()));
        if index.is_empty() {
            monitor.system.init.without_processes.0.iter_mut().for_each(|conj| conj.push(unset()));
        }
    }
    let mut transitions = Vec::new();
    for transition in &monitor.original.transitions {
        transitions.extend(monitor.steps(transition));
    }
    transitions.extend(monitor.waits());
    transitions.extend(monitor.saves());
    for track in &monitor.tracks {
        transitions.extend(monitor.impossible(track));
        transitions.extend(monitor.never(track));
    }
    transitions.extend(monitor.closes());
    if transitions.len() > usize::from(u16::MAX) / 4 {
        return None;
    }
    for (origin, transition) in transitions.iter_mut().enumerate() {
        transition.origin = origin as u16;
        transition.spans.resize(transition.guard.len(), monitor.property.span);
    }
    let mut system = monitor.system;
    system.transitions = transitions;
    system.temporal = Vec::new();
    system.fairness = Vec::new();
    system.bad = vec![Bad {
        name: format!("{} is broken", monitor.property.name),
        number: 1,
        kind: BadKind::Unsafe,
        params: 0,
        cube: vec![is(phase, LOOPED)],
        span: monitor.property.span,
        spans: vec![monitor.property.span],
    }];
    Some(System::new(system))
}
