//! How far an undecided run got, and what may help, as lines without a final stop.

use super::reason::{cause, count, of_sorts};
use crate::result::{Exploration, Growing, Growth, Limit, Looked, Open, OpenRoot, Report, Stop, Try};
use cubicle_lang::load::{any_numbers, any_numbers_are};
use cubicle_lang::model::{Rational, System, VarId};

/// At most this many properties are named that the proof does not get past.
const MOST_ROOTS: usize = 3;

/// At most this many transitions of a cycle are printed.
const MOST_LISTED: usize = 8;

/// How far an undecided run got, beyond what it reported while it ran: where a real run was searched for, what the
/// last search left, and what grew.
pub fn how_far(system: &System, text: &str, report: &Report) -> Vec<String> {
    let growth = |it: &Growth, place: &str| growth(system, text, it, place);
    let mut lines: Vec<String> = seen_completely(&report.explorations).into_iter().collect();
    lines.extend(looked_forward(&report.looked_forward));
    let grown =
        report.explorations.iter().flat_map(|it| it.growth.iter().map(move |grown| (it.procs, grown)));
    // Of several instances, the largest one.
    let last = |(procs, it): &(usize, &Growth)| {
        !report
            .explorations
            .iter()
            .any(|more| more.procs > *procs && more.growth.iter().any(|grew| grew.what == it.what))
    };
    let grown = grown.filter(last);
    let mut grown: Vec<String> = grown.map(|(procs, it)| growth(it, &with(procs))).collect();
    if let Some(open) = report.backward.as_ref().and_then(|outcome| outcome.open.as_ref()) {
        lines.extend(left(open));
        grown.extend(open.growth.iter().map(|it| growth(it, "in cubes")));
    }
    grown.dedup();
    lines.extend(grown);
    if report.explorations.iter().any(|it| it.stop == Stop::Numbers) {
        lines.extend(any_numbers_are(system, &any_numbers(system)).map(|names| {
            format!("{names}, since `init` does not say which: comparisons with that cannot be followed")
        }));
    }
    lines
}

fn with(procs: usize) -> String {
    format!("with {}", count(procs, "process"))
}

/// The instances of which all states were seen.
fn seen_completely(explorations: &[Exploration]) -> Option<String> {
    let complete = explorations.iter().filter(|it| it.stop == Stop::Complete && it.unsafe_trace.is_none());
    // Of several sorts, one division of the processes says nothing of the others.
    let (whole, divided): (Vec<_>, Vec<_>) = complete.partition(|it| it.sorts.is_empty());
    let sizes: Vec<usize> = whole.iter().map(|it| it.procs).collect();
    let whole = match &sizes[..] {
        [] => None,
        [first, .., last] if last - first + 1 == sizes.len() => Some(format!("{first} to {last} processes")),
        _ => Some(super::sizes(&sizes, ", ")),
    };
    let divided = divided.iter().map(|it| count(it.procs, "process") + &of_sorts(&it.sorts));
    let instances: Vec<String> = whole.into_iter().chain(divided).collect();
    (!instances.is_empty())
        .then(|| format!("all states with {} were seen: none is bad", instances.join(", ")))
}

/// The instances in which a real run was searched for.
fn looked_forward(looked: &[Looked]) -> Option<String> {
    let most = with(looked.last()?.procs);
    Some(match looked.iter().find(|it| it.stop != Stop::Complete) {
        None => format!("all states of all instances up to the one {most} were explored: none is bad"),
        Some(cut) => {
            format!("the search for a real run {} found none: {}", with(cut.procs), cause(cut.stop))
        }
    })
}

/// What a search left.
fn left(open: &Open) -> Vec<String> {
    let seen: usize = open.roots.iter().map(|root| root.seen).sum();
    let looked = count(seen, "node");
    let mut lines = vec![match (open.proved_steps, open.waiting) {
        (Some(steps), _) => {
            let steps = count(steps, "step");
            format!(
                "the last search: {looked} examined; no bad state within {steps}, for any number of processes"
            )
        }
        (None, 0) => format!("the last search: {looked} examined, none waiting"),
        (None, n) => {
            let near = count(open.steps, "step");
            format!(
                "the last search: {looked} examined, {n} waiting, the nearest {near} from a bad state or a candidate"
            )
        }
    }];
    let roots = &open.roots;
    let line = |root: &OpenRoot| {
        let seen = count(root.seen, "node");
        let waiting = if root.waiting == 0 { "none".to_owned() } else { root.waiting.to_string() };
        format!("{}: {seen} examined, {waiting} waiting", root.name)
    };
    if roots.len() > 1 && open.proved_steps.is_none() {
        // What the proof does not get past comes first.
        let mut waiting: Vec<&OpenRoot> = roots.iter().filter(|root| root.waiting > 0).collect();
        waiting.sort_by_key(|root| std::cmp::Reverse(root.waiting));
        lines.extend(waiting.iter().take(MOST_ROOTS).map(|root| line(root)));
        let others = roots.len() - waiting.len().min(MOST_ROOTS);
        if waiting.len() > MOST_ROOTS {
            lines.push(format!("and {}", count(others, "other property")));
        } else if others > 0 && !waiting.is_empty() {
            lines.push(format!("{}: none waiting", count(others, "other property")));
        }
    }
    lines
}

fn growth(system: &System, text: &str, growth: &Growth, place: &str) -> String {
    let what = match &growth.what {
        Growing::Processes => "the number of processes".to_owned(),
        Growing::Number(vars) => names(system, vars),
    };
    let placed = |name: &String| {
        let transition = system.transitions.iter().find(|it| it.name == *name);
        let before = transition.and_then(|it| text.get(..it.span.start as usize));
        before.map_or_else(
            || name.clone(),
            |before| format!("{name} (line {})", before.matches('\n').count() + 1),
        )
    };
    let mut cycle: Vec<String> = growth.cycle.iter().take(MOST_LISTED).map(placed).collect();
    if growth.cycle.len() > MOST_LISTED {
        cycle.push("..".to_owned());
    }
    let (first, last) = &growth.values;
    format!("{what} went from {first} to {last} {place}, again and again along {}", cycle.join(" -> "))
}

/// `X and Y`.
fn names(system: &System, vars: &[VarId]) -> String {
    let mut names: Vec<String> = vars.iter().map(|var| system.title(*var)).collect();
    names.dedup();
    names.join(" and ")
}

/// What to try, as text for the user; `file` is the name of the model.
pub fn suggestion(system: &System, file: &str, it: &Try) -> String {
    match it {
        Try::Bound { vars, values } => bound(system, vars, values),
        Try::Unchecked => {
            format!("`cubicle --unchecked {file}`: the answer of the search alone, without the check of its proof")
        }
        Try::Forbid => "forbid a state on that path by an `invariant`, if it never occurs; with `forall_other q. ..` \
                        it also says what all other processes do"
            .to_owned(),
        Try::Hold => {
            "say in init which process a proc variable holds, instead of leaving it open, or in place of `:= ?`"
                .to_owned()
        }
        Try::Auto => format!("`cubicle {file}`: all kinds of searches in turn"),
        Try::Brab(procs) => format!("`cubicle brab {procs} {file}`: another oracle"),
        Try::Classic => format!("`cubicle --engine classic {file}`: exact search alone; a short trial of it has closed the proof"),
        Try::Pdr(2) => format!("`cubicle --engine pdr {file}`: property-directed search alone"),
        Try::Pdr(procs) => {
            format!("`cubicle brab {procs} --engine pdr {file}`: property-directed search alone, with another oracle")
        }
        Try::Lemmas(lines) => {
            let (these, them) = if lines.len() == 1 { ("it holds", "it") } else { ("they hold", "them") };
            format!(
                "add `{}` to the model if {these}: no explored state violates {them}, and the proof closes with {them}; \
                 `cubicle inductive {file}` then says whether a step does",
                lines.join(" ")
            )
        }
        Try::Lemma { line, nodes: (closed, of) } => {
            let nodes = if *of == 1 { "the node".to_owned() } else { format!("{closed} of the {of} smallest nodes") };
            format!(
                "add `{line}` to the model if it holds: no explored state violates it, and it closes {nodes} that wait; \
                 `cubicle inductive {file}` then says whether a step violates it"
            )
        }
        Try::Explore { procs, walks: false } => {
            format!("`cubicle --only-forward --procs {procs} {file}`: the smaller instance")
        }
        Try::Explore { procs, walks: true } => format!(
            "`cubicle --only-forward --procs {procs} --forward cfl --time-limit 60s {file}`: it looks for a real run \
             in the instance that was not seen completely"
        ),
        Try::Exhaustive => "`--forward bfs`, which ends when all states are seen".to_owned(),
        Try::NumberRange => {
            "`--abstr-num LO UP`: explored numbers stay within these bounds, and candidates may bound them".to_owned()
        }
        Try::FewerStates => "`--max-forward N`: an oracle of fewer states, which leaves time and memory to the proof"
            .to_owned(),
        Try::NumberProcs(procs) => format!(
            "`number_procs {procs}` as the first line of the model: an answer about all instances with at most \
             {procs} processes, and no others"
        ),
        Try::More(limit) => more(*limit),
    }
}

/// A lemma for what grew.
fn bound(system: &System, vars: &[VarId], (first, last): &(Rational, Rational)) -> String {
    let names = names(system, vars);
    let example = match vars {
        [var] => {
            let var = system.var(*var);
            let params: Vec<String> =
                ["p", "q", "r", "s"].into_iter().take(var.arity()).map(str::to_owned).collect();
            let cell = system.families.cell(&var.name, &params);
            let beyond = if last > first { '>' } else { '<' };
            format!(", such as `invariant ({}) {{ {cell} {beyond} {last} }}`", params.join(" "))
        }
        _ => String::new(),
    };
    format!("bound {names} by an `invariant`, if the protocol does: it lists what never occurs{example}")
}

fn more(limit: Limit) -> String {
    match limit {
        Limit::Time(Some(time)) => format!("a longer --time-limit than {time:?}"),
        Limit::Time(None) => "a longer limit on CPU time than `ulimit -t` sets".to_owned(),
        Limit::Memory => "more memory (--memory-limit, `ulimit -v`, the container)".to_owned(),
        Limit::Nodes(n) => format!("a larger --nodes than {n}"),
        Limit::Depth(n) => format!("a larger --depth than {n}"),
        Limit::SolverTime(time) => format!("a longer --solver-timeout than {time:?}"),
        Limit::States(n) => format!("a larger --max-forward than {n}"),
        Limit::ForwardTime(time) => format!("a longer --forward-time than {time:?}"),
        Limit::ForwardDepth(n) => format!("a larger --forward-depth than {n}"),
        Limit::Epochs(n) => format!("more --epochs than {n}"),
    }
}
