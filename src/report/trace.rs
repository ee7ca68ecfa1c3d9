//! Error traces: one line of transitions, and the states in between.

use std::fmt::Write as _;

use cubicle_lang::diagnostic::{Source, Span};
use cubicle_lang::model::System;
use cubicle_lang::model::semantics::{State, Step};
use cubicle_lang::words::{ValueNames, Violation, cells_of, ending, for_processes, processes, violated};
use cubicle_run::style::Style;
use cubicle_run::words::count;
use cubicle_run::{Report, Trace, named};
use cubicle_tools::validate::CellValue;

named! {
    /// Which cells to show after each step of a trace.
    pub enum TraceStates {
        /// Those that the step changed.
        Diff = "diff",
        /// All.
        Full = "full",
    }
}

/// A run that has ended, and how it is shown.
#[derive(Clone, Copy, Debug)]
pub struct EndedRun<'a> {
    /// The model.
    pub system: &'a System,
    /// Its text.
    pub source: &'a Source<'a>,
    /// The result.
    pub report: &'a Report,
    /// Which cells of the states of traces are shown; `None` for no states.
    pub trace_states: Option<TraceStates>,
    /// Colours.
    pub style: Style,
}

impl<'a> EndedRun<'a> {
    /// Without states of traces, and without colours.
    pub const fn plain(system: &'a System, source: &'a Source<'a>, report: &'a Report) -> Self {
        Self { system, source, report, trace_states: None, style: Style::PLAIN }
    }
}

/// `Init -> t(#1) -> u(#1, #3) -> unsafe at line 12`; a trace without a bad cube ends in `deadlock`.
pub fn history(system: &System, trace: &Trace, style: Style) -> String {
    format!("{} -> {}", path(system, trace, style), style.bad(ending(system, trace)))
}

/// `Init -> t(#1) -> u(#1, #3)`.
pub(super) fn path(system: &System, trace: &Trace, style: Style) -> String {
    let steps = trace.steps.iter().map(|step| format!(" -> {}", action(system, step, style)));
    format!("Init{}", steps.collect::<String>())
}

/// What names of values that are not the model's mean, a line each.
pub(super) fn legend(names: &ValueNames<'_>) -> String {
    names.legend().iter().map(|line| format!("({line})\n")).collect()
}

/// `t(#1, #3)`: only the declared parameters are shown.
pub(super) fn action(system: &System, step: &Step, style: Style) -> String {
    let transition = system.transition(step.transition);
    let shown = &step.args[..transition.params.len()];
    format!("{}({})", style.name(&transition.name), processes(shown))
}

/// The run state by state: the initial one in full, the others as `which` says, then which processes
/// make the last one bad.
pub fn states(system: &System, trace: &Trace, which: TraceStates, style: Style) -> String {
    let names = ValueNames::new(system, trace);
    let mut text = walked(system, trace, which, &names, style);
    let who = violated(system, trace).map(|it| for_processes(&it.witnesses)).unwrap_or_default();
    let _ = writeln!(text, "-> {}{who}", style.bad(ending(system, trace)));
    text + &legend(&names)
}

/// A run without a special end: its steps in one line, and what each changes.
pub fn open_run(system: &System, trace: &Trace, style: Style) -> String {
    let names = ValueNames::new(system, trace);
    let walked = walked(system, trace, TraceStates::Diff, &names, style);
    format!("{}\n\n{walked}{}", path(system, trace, style), legend(&names))
}

/// The states of a run, each below its step.
pub(super) fn walked(
    system: &System,
    trace: &Trace,
    which: TraceStates,
    names: &ValueNames<'_>,
    style: Style,
) -> String {
    let states = (0..=trace.steps.len()).map(|at| entered(system, trace, at, which, names, style));
    format!("Init ({})\n{}", count(trace.initial.procs, "process"), states.collect::<String>())
}

/// The state after this number of steps, below the last one.
pub(super) fn entered(
    system: &System,
    trace: &Trace,
    at: usize,
    which: TraceStates,
    names: &ValueNames<'_>,
    style: Style,
) -> String {
    let before = at.checked_sub(1);
    let mut text =
        before.map_or_else(String::new, |it| format!("-> {}\n", action(system, &trace.steps[it], style)));
    let before = before.filter(|_| which == TraceStates::Diff).map(|it| trace.state(it));
    let cells = changes(system, trace.state(at), before, names);
    if cells.is_empty() && at > 0 {
        text.push_str("     (nothing changes)\n");
    }
    for line in &cells {
        text += &format!("     {line}\n");
    }
    text
}

/// The cells that differ from those of an earlier state, or all.
pub(super) fn changed(
    system: &System,
    state: &State,
    before: Option<&State>,
    names: &ValueNames<'_>,
) -> Vec<CellValue> {
    let all = cells_of(system, state).into_iter();
    let changed = all.filter(|cell| before.is_none_or(|it| cell.differs(it, state)));
    changed.map(|cell| CellValue { value: names.shown(&cell, state), cell: cell.name }).collect()
}

/// As [`changed`], each in words.
pub(super) fn changes(
    system: &System,
    state: &State,
    before: Option<&State>,
    names: &ValueNames<'_>,
) -> Vec<String> {
    let changed = changed(system, state, before, names);
    changed.iter().map(|it| format!("{} = {}", it.cell, it.value)).collect()
}

/// `unsafe at line 17 (model.cub:17:1) holds in the last state for #1, #2:`, then the literals, each with the
/// place of its comparison in the source; `None` for a deadlock. Without the last line end.
pub(super) fn violation(system: &System, source: &Source<'_>, trace: &Trace) -> Option<String> {
    let Violation { witnesses, literals } = said(system, source, trace)?;
    let who = for_processes(&witnesses);
    let place = source.place(system.bad[trace.bad?].span);
    let mut text = format!("{} ({place}) holds in the last state{who}:", ending(system, trace));
    for (literal, span) in &literals {
        let (line, column) = source.position(*span);
        let _ = write!(text, "\n     {literal} ({line}:{column})");
    }
    if literals.is_empty() {
        text.push_str(" true");
    }
    Some(text)
}

/// What the last state violates. Where a transition notes that a formula holds, the formula of the declaration, not the note.
pub(super) fn said(system: &System, source: &Source<'_>, trace: &Trace) -> Option<Violation> {
    let found = violated(system, trace)?;
    let declared = system.bad[trace.bad?].span;
    let is_noted = system.transitions.iter().any(|it| it.span == declared);
    let (from, to) = (declared.start as usize, declared.end as usize);
    let body = source.text.get(from..to).filter(|_| is_noted).and_then(|text| {
        let (open, close) = (text.find('{')? + 1, text.rfind('}')?);
        let inside = text.get(open..close)?;
        let skipped = inside.len() - inside.trim_start().len();
        let start = from + open + skipped;
        Some((
            inside.split_whitespace().collect::<Vec<_>>().join(" "),
            Span::new(start as u32, (from + close) as u32),
        ))
    });
    Some(match body {
        Some(formula) => Violation { literals: vec![formula], ..found },
        None => found,
    })
}
