//! A run step by step: a lane for each process, and a table of all cells. In a run without an end, the part that repeats is
//! marked in both.

use std::ops::RangeInclusive;

use super::html::{Section, heads, section, table, to_line};
use crate::runs;
use crate::trace::{history, path, said};
use cubicle_lang::diagnostic::Source;
use cubicle_lang::model::System;
use cubicle_lang::model::semantics::{State, Step};
use cubicle_lang::words::{ShownCell, ValueNames, Violation, cells_of, ending, processes};
use cubicle_run::style::Style;
use cubicle_run::{TemporalFinding, Trace};
use maud::{Markup, html};

/// More runs than this are not shown.
pub const MOST_TRACES: usize = 8;

/// More steps than this are not shown: the file of --trace-out has all.
const MOST_STEPS: usize = 400;

/// The lanes of a long run come in chapters of this number of steps, so that a page shows them below each other.
const CHAPTER: usize = 12;

/// More cells than this have no table: the lanes show what changes.
const MOST_CELLS: usize = 400;

struct RunText<'a> {
    system: &'a System,
    source: &'a Source<'a>,
    trace: &'a Trace,
    /// The property of runs that it settles, and how.
    settles: Option<(usize, &'a TemporalFinding)>,
    /// Its last state is nothing special.
    open: bool,
    names: ValueNames<'a>,
    cells: Vec<ShownCell<'a>>,
}

/// A run to a bad state or a deadlock, the first one with number 0.
pub fn trace(system: &System, source: &Source<'_>, trace: &Trace, number: usize) -> Section {
    let (id, title) = match number {
        0 => ("trace".to_owned(), "Trace".to_owned()),
        more => (format!("trace-{}", more + 1), format!("Trace {}", more + 1)),
    };
    RunText::new(system, source, trace).section(&id, &title)
}

/// The run that settles the property of runs with number `property`, as the run number `number` of the page, from 0.
pub fn of_property(
    system: &System,
    source: &Source<'_>,
    property: usize,
    found: &TemporalFinding,
    number: usize,
) -> Section {
    let text = RunText { settles: Some((property, found)), ..RunText::new(system, source, found.run()) };
    text.section(&format!("run-{}", number + 1), &format!("Run: {}", system.temporal[property].name))
}

/// The run that explains log number `number`, from 0.
pub fn of_log(system: &System, source: &Source<'_>, trace: &Trace, number: usize) -> Section {
    let text = RunText { open: trace.bad.is_none(), ..RunText::new(system, source, trace) };
    text.section(&format!("run-of-{}", number + 1), "Run")
}

impl<'a> RunText<'a> {
    fn new(system: &'a System, source: &'a Source<'a>, trace: &'a Trace) -> Self {
        Self {
            system,
            source,
            trace,
            settles: None,
            open: false,
            names: ValueNames::new(system, trace),
            cells: cells_of(system, &trace.initial),
        }
    }

    fn section(&self, id: &str, title: &str) -> Section {
        section(id, title, html! { div class="run" data-run=(id) { (self.content(id)) } })
    }

    fn history(&self) -> String {
        match self.settles {
            Some((property, found)) => runs::history(self.system, property, found, Style::PLAIN),
            None if self.open => path(self.system, self.trace, Style::PLAIN),
            None => history(self.system, self.trace, Style::PLAIN),
        }
    }

    /// The marks before and after a step where a loop begins or ends.
    fn brackets(&self, number: usize) -> [Option<String>; 2] {
        let Some((_, TemporalFinding::Lasso { lasso, .. })) = self.settles else { return [None, None] };
        let begins = lasso.back.is_some_and(|back| number == back + 1);
        let ends = number == self.trace.steps.len();
        [
            begins.then(|| "[".to_owned()),
            ends.then(|| match lasso.back {
                Some(back) => format!("] for ever: the state after step {back} again"),
                None => "for ever: no step has to follow".to_owned(),
            }),
        ]
    }

    fn content(&self, id: &str) -> Markup {
        let steps = self.trace.steps.len();
        let shown = steps.min(MOST_STEPS);
        html! {
            p class="history" { (self.history()) }
            @if shown < steps { p { "The first " (shown) " of " (steps) " steps; --trace-out writes all." } }
            p class="controls" role="group" aria-label="Steps" {
                button type="button" data-go="-1" { "\u{2190} Step back" } " "
                button type="button" data-go="1" { "Next step \u{2192}" } " "
                output class="now" aria-live="polite" { "Init" }
            }
            @for from in (0..=shown).step_by(CHAPTER) { (self.lanes(from..=shown.min(from + CHAPTER - 1), shown)) }
            @if self.cells.len() <= MOST_CELLS {
                p class="controls" role="group" aria-label="Table of states" {
                    button type="button" class="full" aria-pressed="false" { "All values" } " "
                    label {
                        "Cells with "
                        input type="search" class="filter" id={ (id) "-filter" } placeholder="At[#1]" autocomplete="off";
                    }
                    " " output class="count" aria-live="polite" {}
                }
                (self.states(shown))
            }
            @for line in self.names.legend() { p class="note" { (line) } }
            (self.ending())
        }
    }

    fn step(&self, number: usize) -> Option<&Step> {
        self.trace.steps.get(number.checked_sub(1)?)
    }

    fn state(&self, number: usize) -> &State {
        self.trace.state(number)
    }

    /// `enter(#1)`, with a link to where it is declared, and where a loop begins or ends.
    fn action(&self, number: usize) -> Markup {
        let step = self.step(number).map(|step| {
            let transition = self.system.transition(step.transition);
            let args = processes(&step.args[..transition.params.len()]);
            let line = self.source.position(transition.span).0;
            to_line(line, format!("{}({args})", transition.name))
        });
        let [open, close] = self.brackets(number);
        let mark = |text| html! { " " span class="mark" { (text) } " " };
        html! {
            @if let Some(text) = open { (mark(text)) }
            @if let Some(step) = step { (step) } @else { "Init" }
            @if let Some(text) = close { (mark(text)) }
        }
    }

    fn value(&self, cell: usize, number: usize) -> String {
        self.names.shown(&self.cells[cell], self.state(number))
    }

    fn changed(&self, cell: usize, number: usize) -> bool {
        number == 0 || self.cells[cell].differs(self.state(number), self.state(number - 1))
    }

    /// A row for the globals and one for each process; a column for each of these steps, with what it changes; then how many steps there are.
    fn lanes(&self, steps: RangeInclusive<usize>, shown: usize) -> Markup {
        let head = html! {
            th scope="col" { "Lane" }
            @for number in steps.clone() {
                th scope="col" data-step=(number) {
                    button type="button" class="step" data-step=(number) aria-label={ "Step " (number) } { (number) }
                    " " (self.action(number))
                }
            }
        };
        let globals = self.cells.iter().any(|cell| cell.index.is_empty()).then_some(None);
        let lanes = globals.into_iter().chain((0..self.trace.initial.procs).map(Some));
        let rows = html! { @for lane in lanes { (self.lane(lane, steps.clone())) } };
        let caption = if shown < CHAPTER {
            "Process lanes: what each step changes".to_owned()
        } else {
            format!("Process lanes: what steps {} to {} of {shown} change", steps.start(), steps.end())
        };
        table(&caption, Some("lanes"), head, rows)
    }

    fn lane(&self, lane: Option<usize>, steps: RangeInclusive<usize>) -> Markup {
        let cells = || (0..self.cells.len()).filter(|&cell| self.cells[cell].index.first().copied() == lane);
        let acts = |number: usize| {
            self.step(number).is_some_and(|step| lane.is_some_and(|process| step.args.contains(&process)))
        };
        html! {
            tr {
                th scope="row" { (lane.map_or("globals".to_owned(), |process| processes(&[process]))) }
                @for number in steps {
                    td data-step=(number) class=[acts(number).then_some("acts")] {
                        @for cell in cells().filter(|&cell| self.changed(cell, number)) {
                            span class="change" {
                                span class="cell" { (self.in_lane(cell)) } " " (self.value(cell, number))
                            }
                        }
                    }
                }
            }
            "\n"
        }
    }

    /// The name of a cell in its lane, which already shows the only index of an array.
    fn in_lane(&self, cell: usize) -> &str {
        let ShownCell { name, title, index, .. } = &self.cells[cell];
        if index.len() == 1 { title } else { name }
    }

    /// A row for each state, a column for each cell.
    fn states(&self, shown: usize) -> Markup {
        let names = self.cells.iter().map(|cell| cell.name.as_str());
        let rows = html! {
            @for number in 0..=shown {
                tr data-step=(number) {
                    th scope="row" { (number) " " (self.action(number)) }
                    @for cell in 0..self.cells.len() {
                        @let changed = self.changed(cell, number);
                        td class=(if changed { "changed" } else { "same" }) {
                            span { (self.value(cell, number)) }
                            @if changed && number > 0 { span class="mark" aria-label="changed" { "*" } }
                        }
                    }
                }
                "\n"
            }
        };
        let head = heads(std::iter::once("Step").chain(names));
        table("States: what changed, or all values", Some("states"), head, rows)
    }

    /// Explains the property that the run settles, or what the last state violates, literal by literal.
    fn ending(&self) -> Markup {
        if self.open {
            return html! {};
        }
        if let Some((property, found)) = self.settles {
            let mut lines = runs::explained(self.system, self.source, property, found).into_iter();
            let what = lines.next().unwrap_or_default();
            return html! {
                p { (what) }
                @if lines.len() > 0 { ul class="literals" { @for line in lines { li { (line) } } } }
            };
        }
        let Some(Violation { witnesses, literals }) = said(self.system, self.source, self.trace) else {
            return html! { p { "In the last state no transition is enabled." } };
        };
        html! {
            p {
                (ending(self.system, self.trace)) " holds in the last state"
                @if !witnesses.is_empty() { " for " (processes(&witnesses)) }
                ":"
            }
            ul class="literals" { @for (literal, span) in &literals {
                li { (to_line(self.source.position(*span).0, literal)) }
            } }
        }
    }
}
