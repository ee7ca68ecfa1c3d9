//! A run step by step: a lane for each process, and a table of all cells. In a run without an end, the part that repeats is
//! marked in both.

use super::html::{Section, escaped, heads, section, table};
use crate::runs;
use crate::trace::history;
use cubicle_lang::diagnostic::Source;
use cubicle_lang::model::semantics::{State, Step};
use cubicle_lang::model::{System, Var};
use cubicle_lang::words::{ValueNames, Violation, cells, ending, processes, violated};
use cubicle_run::result::TemporalFinding;
use cubicle_run::style::Style;
use cubicle_run::verdict::Trace;

/// More runs than this are not shown.
pub const MOST_TRACES: usize = 8;

/// More steps than this are not shown: the file of --trace-out has all.
const MOST_STEPS: usize = 400;

/// More cells than this have no table: the lanes show what changes.
const MOST_CELLS: usize = 400;

/// A run as text.
struct RunText<'a> {
    system: &'a System,
    source: &'a Source<'a>,
    trace: &'a Trace,
    /// The property of runs that it settles, and how.
    settles: Option<(usize, &'a TemporalFinding)>,
    names: ValueNames<'a>,
    /// For each cell: its declaration, its name and the first process of its index.
    cells: Vec<(&'a Var, String, Option<usize>)>,
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

impl<'a> RunText<'a> {
    fn new(system: &'a System, source: &'a Source<'a>, trace: &'a Trace) -> Self {
        let owner = |name: &str| {
            name.split_once("[#")?.1.split([',', ']']).next()?.parse::<usize>().ok()?.checked_sub(1)
        };
        let cells = cells(system, trace.initial.procs).map(|(_, var, name, _)| (var, owner(&name), name));
        Self {
            system,
            source,
            trace,
            settles: None,
            names: ValueNames::new(system, trace),
            cells: cells.map(|(var, owner, name)| (var, name, owner)).collect(),
        }
    }

    fn section(&self, id: &str, title: &str) -> Section {
        section(id, title, &format!("<div class=\"run\" data-run=\"{id}\">\n{}</div>\n", self.text(id)))
    }

    fn history(&self) -> String {
        match self.settles {
            Some((property, found)) => runs::history(self.system, property, found, Style::PLAIN),
            None => history(self.system, self.trace, Style::PLAIN),
        }
    }

    /// The marks before and after a step where a loop begins or ends.
    fn brackets(&self, number: usize) -> (String, String) {
        let Some((_, TemporalFinding::Lasso { lasso, .. })) = self.settles else {
            return (String::new(), String::new());
        };
        let mark = |text: &str| format!(" <span class=\"mark\">{text}</span> ");
        let begins = lasso.back.is_some_and(|back| number == back + 1);
        let open = if begins { mark("[") } else { String::new() };
        let close = match lasso.back {
            _ if number < self.trace.steps.len() => String::new(),
            Some(back) => mark(&format!("] for ever: the state after step {back} again")),
            None => mark("for ever: no step has to follow"),
        };
        (open, close)
    }

    fn text(&self, id: &str) -> String {
        let shown = self.trace.steps.len().min(MOST_STEPS);
        let mut text = format!("<p class=\"history\">{}</p>\n", escaped(&self.history()));
        if shown < self.trace.steps.len() {
            text += &format!(
                "<p>The first {shown} of {} steps; --trace-out writes all.</p>\n",
                self.trace.steps.len()
            );
        }
        text += &format!(
            "<p class=\"controls\" role=\"group\" aria-label=\"Steps\"><button type=\"button\" data-go=\"-1\">&#8592; Step back</button> \
             <button type=\"button\" data-go=\"1\">Next step &#8594;</button> \
             <output class=\"now\" aria-live=\"polite\">Init</output></p>\n{}",
            self.lanes(shown)
        );
        if self.cells.len() <= MOST_CELLS {
            text += &format!(
                "<p class=\"controls\" role=\"group\" aria-label=\"Table of states\"><button type=\"button\" class=\"full\" \
                 aria-pressed=\"false\">All values</button> <label>Cells with <input type=\"search\" class=\"filter\" id=\"{id}-filter\" \
                 placeholder=\"At[#1]\" autocomplete=\"off\"></label> <output class=\"count\" aria-live=\"polite\"></output></p>\n{}",
                self.states(shown)
            );
        }
        for line in self.names.legend() {
            text += &format!("<p class=\"note\">{}</p>\n", escaped(&line));
        }
        text + &self.ending()
    }

    fn step(&self, number: usize) -> Option<&Step> {
        self.trace.steps.get(number.checked_sub(1)?)
    }

    fn state(&self, number: usize) -> &State {
        self.step(number).map_or(&self.trace.initial, |step| &step.after)
    }

    /// `enter(#1)`, with a link to where it is declared, and where a loop begins or ends.
    fn action(&self, number: usize) -> String {
        let (open, close) = self.brackets(number);
        let Some(step) = self.step(number) else { return format!("Init{close}") };
        let transition = self.system.transition(step.transition);
        let name = format!("{}({})", transition.name, processes(&step.args[..transition.params.len()]));
        let (line, _) = self.source.position(transition.span);
        format!("{open}<a href=\"#L{line}\">{}</a>{close}", escaped(&name))
    }

    fn value(&self, cell: usize, number: usize) -> String {
        escaped(&self.names.value(self.cells[cell].0, self.state(number).values[cell]))
    }

    fn changed(&self, cell: usize, number: usize) -> bool {
        number == 0 || self.state(number).values[cell] != self.state(number - 1).values[cell]
    }

    /// A row for the globals and one for each process; a column for each step, with what it changes.
    fn lanes(&self, shown: usize) -> String {
        let mut head = "<th scope=\"col\">Lane</th>".to_owned();
        for number in 0..=shown {
            head += &format!(
                "<th scope=\"col\" data-step=\"{number}\"><button type=\"button\" class=\"step\" data-step=\"{number}\" \
                 aria-label=\"Step {number}\">{number}</button> {}</th>",
                self.action(number)
            );
        }
        let globals = self.cells.iter().any(|(.., owner)| owner.is_none()).then_some(None);
        let lanes = globals.into_iter().chain((0..self.trace.initial.procs).map(Some));
        let rows: String = lanes.map(|lane| self.lane(lane, shown)).collect();
        table("Process lanes: what each step changes", &head, &rows)
            .replace("<table>", "<table class=\"lanes\">")
    }

    fn lane(&self, lane: Option<usize>, shown: usize) -> String {
        let name = lane.map_or("globals".to_owned(), |process| processes(&[process]));
        let mut row = format!("<tr><th scope=\"row\">{name}</th>");
        for number in 0..=shown {
            let of_lane = (0..self.cells.len()).filter(|&cell| self.cells[cell].2 == lane);
            let changes: String = of_lane
                .filter(|&cell| self.changed(cell, number))
                .map(|cell| {
                    let (name, value) = (escaped(self.in_lane(cell)), self.value(cell, number));
                    format!("<span class=\"change\"><span class=\"cell\">{name}</span> {value}</span>")
                })
                .collect();
            let acts = self
                .step(number)
                .is_some_and(|step| lane.is_some_and(|process| step.args.contains(&process)));
            let acts = if acts { " class=\"acts\"" } else { "" };
            row += &format!("<td data-step=\"{number}\"{acts}>{changes}</td>");
        }
        row + "</tr>\n"
    }

    /// The name of a cell in its lane, which already shows the only index of an array.
    fn in_lane(&self, cell: usize) -> &str {
        let (var, name, _) = &self.cells[cell];
        if var.arity() == 1 { &var.name } else { name }
    }

    /// A row for each state, a column for each cell.
    fn states(&self, shown: usize) -> String {
        let names: Vec<&str> = self.cells.iter().map(|(_, name, _)| name.as_str()).collect();
        let head = heads(&["Step"]) + &heads(&names);
        let mut rows = String::new();
        for number in 0..=shown {
            rows += &format!(
                "<tr data-step=\"{number}\"><th scope=\"row\">{number} {}</th>",
                self.action(number)
            );
            for cell in 0..self.cells.len() {
                let class = if self.changed(cell, number) { "changed" } else { "same" };
                let mark = if number > 0 && class == "changed" {
                    "<span class=\"mark\" aria-label=\"changed\">*</span>"
                } else {
                    ""
                };
                rows +=
                    &format!("<td class=\"{class}\"><span>{}</span>{mark}</td>", self.value(cell, number));
            }
            rows += "</tr>\n";
        }
        table("States: what changed, or all values", &head, &rows)
            .replace("<table>", "<table class=\"states\">")
    }

    /// Explains the property that the run settles, or what the last state violates, literal by literal.
    fn ending(&self) -> String {
        if let Some((property, found)) = self.settles {
            let mut lines = runs::explained(self.system, self.source, property, found).into_iter();
            let what = lines.next().unwrap_or_default();
            let items: String = lines.map(|line| format!("<li>{}</li>", escaped(&line))).collect();
            let items =
                if items.is_empty() { items } else { format!("<ul class=\"literals\">{items}</ul>\n") };
            return format!("<p>{}</p>\n{items}", escaped(&what));
        }
        let Some(Violation { witnesses, literals }) = violated(self.system, self.trace) else {
            return "<p>In the last state no transition is enabled.</p>\n".to_owned();
        };
        let who =
            if witnesses.is_empty() { String::new() } else { format!(" for {}", processes(&witnesses)) };
        let literals: String = literals
            .iter()
            .map(|(literal, span)| {
                let (line, _) = self.source.position(*span);
                format!("<li><a href=\"#L{line}\">{}</a></li>", escaped(literal))
            })
            .collect();
        let name = escaped(ending(self.system, self.trace));
        format!("<p>{name} holds in the last state{who}:</p>\n<ul class=\"literals\">{literals}</ul>\n")
    }
}
