//! The fates of the mutants of a model, as text.

use std::fmt::Write as _;

use super::grouped::grouped;
use super::trace::{TraceStates, history, states};
use cubicle_lang::diagnostic::Source;
use cubicle_run::style::Style;
use cubicle_run::words::{count, reason};
use cubicle_tools::mutation::{
    Change, Fate, KillsUpTo, MutantResult, Mutation, Rate, Survival, curve, rate_by, rate_by_claim,
    smallest_set,
};
use cubicle_transform::mutate::MutantCandidate;

/// No more lines of a mutant are shown than this, before and after.
const MOST_LINES: usize = 6;

/// `#17 drop-literal in ask_shared, model.cub:42:12`.
fn title(candidate: &MutantCandidate, source: &Source<'_>, style: Style) -> String {
    let place = source.place(candidate.edit.place());
    let within = candidate.transition.as_ref().map_or_else(String::new, |name| format!(" in {name}"));
    format!("{} {}{within}, {place}", style.name(format!("#{}", candidate.number)), candidate.operator)
}

/// The lines that a mutant changes, as a difference.
fn difference(candidate: &MutantCandidate, source: &Source<'_>) -> String {
    let lines = candidate.edit.lines(source.text);
    let mut text = String::new();
    let mut side = |sign: char, lines: &[String]| {
        for line in lines.iter().take(MOST_LINES) {
            let _ = writeln!(text, "    {sign} {}", line.trim_end());
        }
        if lines.len() > MOST_LINES {
            let _ = writeln!(text, "    {sign} .. ({})", count(lines.len() - MOST_LINES, "more line"));
        }
    };
    side('-', &lines.old);
    side('+', &lines.new);
    text
}

/// A list of mutants that were not examined: what they change.
pub fn listed<'c>(
    candidates: impl IntoIterator<Item = &'c MutantCandidate>,
    source: &Source<'_>,
    style: Style,
) -> String {
    let one = |it: &MutantCandidate| format!("{}\n{}", title(it, source, style), difference(it, source));
    candidates.into_iter().map(one).collect()
}

/// How a mutant was killed, step by step; `None` when it was not.
pub fn kill(mutant: &MutantResult, found: &Mutation, source: &Source<'_>, style: Style) -> Option<String> {
    let Fate::Killed(kill) = &mutant.fate else { return None };
    let system = mutant.candidate.system(source.text)?;
    let mut text = format!("{}\n", title(&mutant.candidate, source, style));
    text += &difference(&mutant.candidate, source);
    let _ = writeln!(text, "killed by {}\n", found.claims[kill.claims[0]].name);
    text += &states(&system, &kill.trace, TraceStates::Diff, style);
    Some(text)
}

/// Which mutants have lines of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MutantsShown {
    /// Those that were killed, with their runs.
    pub killed: bool,
    /// The survivors and the undecided ones, with what they change; otherwise what they have in common.
    pub survivors: bool,
}

/// All about the mutants.
pub fn mutation(found: &Mutation, source: &Source<'_>, shown: MutantsShown, style: Style) -> String {
    let mut text = head(found, source, style);
    text += &rates(found, style);
    text += &sizes(found, style);
    if shown.killed {
        text += &killed(found, source, style);
    }
    text += &if shown.survivors {
        survivors(found, source, style) + &open(found, source, style)
    } else {
        grouped(found, source, style)
    };
    text + &answer(found, style)
}

fn head(found: &Mutation, source: &Source<'_>, style: Style) -> String {
    let mut text = format!("{}: {}", style.title(format!("Mutants of {}", source.name)), found.mutants.len());
    let mut left = Vec::new();
    if found.same > 0 {
        left.push(format!("{} say the same as the model or as another one", found.same));
    }
    if found.ill_typed > 0 {
        left.push(format!("{} are not models", found.ill_typed));
    }
    if !left.is_empty() {
        let _ = write!(text, " (left out: {})", left.join(", "));
    }
    text + "\n"
}

/// `12 of 15 killed (80.0 %)`.
fn rate(killed: usize, counted: usize) -> String {
    let share = match counted {
        0 => String::new(),
        _ => format!(" ({}.{} %)", killed * 100 / counted, killed * 1000 / counted % 10),
    };
    format!("{killed} of {counted} killed{share}")
}

fn table<T: std::fmt::Display>(title: &str, rates: &[Rate<T>], style: Style) -> String {
    let width = rates.iter().map(|it| it.of.to_string().chars().count()).max().unwrap_or(0);
    let mut text = format!("\n{}\n", style.title(title));
    for Rate { of, killed, counted } in rates {
        let _ = writeln!(text, "  {:width$}  {}", of.to_string(), rate(*killed, *counted));
    }
    text
}

fn rates(found: &Mutation, style: Style) -> String {
    if found.counted() == 0 {
        return String::new();
    }
    let mut operators = rate_by(found, |it| it.candidate.operator);
    operators.sort_by_key(|it| it.of);
    let transitions = rate_by(found, |it| it.candidate.transition.clone().unwrap_or_else(|| "(init)".into()));
    let mut text = table("By operator", &operators, style);
    text += &table("By transition", &transitions, style);
    let _ = writeln!(text, "\n{}", style.title("By claim"));
    let width = found.claims.iter().map(|it| it.name.len()).max().unwrap_or(0);
    for (claim, (kills, alone)) in found.claims.iter().zip(rate_by_claim(found)) {
        let what = match (kills, alone) {
            (0, _) if claim.assumed => "is assumed, and kills none".to_owned(),
            (0, _) => "kills none".to_owned(),
            _ if found.claims.len() == 1 => format!("kills {kills}"),
            (_, 0) => format!("kills {kills}, none of its own"),
            _ => format!("kills {kills}, {alone} of its own"),
        };
        let _ = writeln!(text, "  {:width$}  {what}", claim.name);
    }
    let set = smallest_set(found);
    if found.claims.len() > 1 && !set.is_empty() {
        let names: Vec<&str> = set.iter().map(|claim| found.claims[*claim].name.as_str()).collect();
        let _ = writeln!(text, "  as many as all of them: {}", names.join(", "));
    }
    text
}

fn sizes(found: &Mutation, style: Style) -> String {
    let curve = curve(found);
    let Some(stable) = curve.stable() else { return String::new() };
    let mut text = format!("\n{}\n", style.title("By number of processes"));
    let most = curve.killed.last().map_or(1, |it| it.killed).max(1);
    for KillsUpTo { procs, killed } in &curve.killed {
        let bar = "#".repeat(killed * 40 / most);
        let line = format!("  up to {procs:<3} {killed:5} killed  {bar}");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text + &format!("  mutant-stable k: {stable} ({})\n", certainty(curve.settled))
}

/// Whether larger instances kill more.
pub(super) const fn certainty(settled: bool) -> &'static str {
    if settled {
        "no larger instance kills more, since all others are proved safe"
    } else {
        "as far as is known: some mutants are not decided"
    }
}

fn killed(found: &Mutation, source: &Source<'_>, style: Style) -> String {
    let mut text = String::new();
    for (mutant, kill) in found.killed() {
        if text.is_empty() {
            let _ = writeln!(text, "\n{}", style.title("Killed"));
        }
        let system = mutant.candidate.system(source.text);
        let history = system.map_or_else(String::new, |system| history(&system, &kill.trace, style));
        let procs = count(kill.trace.initial.procs, "process");
        let steps = count(kill.trace.steps.len(), "step");
        let _ = writeln!(text, "{}: {procs}, {steps}", title(&mutant.candidate, source, style));
        let _ = writeln!(text, "    {history}");
    }
    text
}

/// How many states a mutant changes, and of how many.
pub(super) fn changes(change: Option<Change>) -> String {
    match change {
        None => "what it changes is not known".to_owned(),
        Some(Change { procs, of, appear: 0, vanish: 0 }) => {
            format!("the {} of {} stay the same", count(of, "state"), count(procs, "process"))
        }
        Some(Change { procs, of, appear, vanish }) => format!(
            "of {} of {}, {vanish} vanish and {appear} appear",
            count(of, "state"),
            count(procs, "process")
        ),
    }
}

/// The millionths of the compared states that a mutant changes.
pub(super) fn share(change: Option<Change>) -> u64 {
    change.map_or(0, |it| (it.appear + it.vanish) as u64 * 1_000_000 / (it.of as u64).max(1))
}

fn survivors(found: &Mutation, source: &Source<'_>, style: Style) -> String {
    let (same, others): (Vec<_>, Vec<_>) = found.survivors().partition(|(_, it)| it.same);
    let still = |it: &MutantResult| it.change.is_some_and(|it| it.appear + it.vanish == 0);
    let (still, different): (Vec<_>, Vec<_>) = others.into_iter().partition(|(it, _)| still(it));
    let less = |it: &MutantResult| it.change.is_some_and(|it| it.appear == 0);
    let (mut less, mut different): (Vec<_>, Vec<_>) = different.into_iter().partition(|(it, _)| less(it));
    for group in [&mut less, &mut different] {
        // Those that change most come first, by the share of the compared states, so that sizes do not count.
        group.sort_by_key(|(mutant, _)| std::cmp::Reverse(share(mutant.change)));
    }
    let upto = count(found.sizes.last().copied().unwrap_or(0), "process");
    let mut text = String::new();
    let mut group = |title_of: &str, says: &str, mutants: Vec<(&MutantResult, &Survival)>| {
        if mutants.is_empty() {
            return;
        }
        let _ = writeln!(text, "\n{}: {says}", style.title(title_of));
        for (mutant, _) in mutants {
            let what = match mutant.change {
                Some(Change { appear: 0, vanish: 0, .. }) => String::new(),
                change => format!(": {}", changes(change)),
            };
            let _ = writeln!(text, "{}{what}", title(&mutant.candidate, source, style));
            text += &difference(&mutant.candidate, source);
        }
    };
    group(
        "Survivors",
        "new states, and safe for any number of processes. Either the change does no harm, or an `unsafe` is missing",
        different,
    );
    group(
        "Survivors that only lose states",
        "they do less than the model, which no `unsafe` can notice; `cubicle witness` shows what the model does",
        less,
    );
    group(
        "Survivors with the same states",
        &format!(
            "instances of up to {upto} take other steps to the same states, which no `unsafe` tells apart"
        ),
        still,
    );
    group(
        "Survivors that change nothing",
        &format!("instances of up to {upto} have the same states and steps (not counted)"),
        same,
    );
    text
}

fn open(found: &Mutation, source: &Source<'_>, style: Style) -> String {
    let mut text = String::new();
    let mut title_due = true;
    for mutant in &found.mutants {
        let what = match &mutant.fate {
            Fate::Undecided(why) => format!("{}; {}", reason(why), changes(mutant.change)),
            Fate::Failed(panic) => format!("an engine failed, which is a bug of cubicle: {panic}"),
            _ => continue,
        };
        if std::mem::take(&mut title_due) {
            let _ = writeln!(text, "\n{}", style.title("Undecided"));
        }
        let _ = writeln!(text, "{}: {what}", title(&mutant.candidate, source, style));
        text += &difference(&mutant.candidate, source);
    }
    text
}

fn answer(found: &Mutation, style: Style) -> String {
    let of = |test: &dyn Fn(&MutantResult) -> bool| found.mutants.iter().filter(|it| test(it)).count();
    let kills = found.killed().count();
    let survivors = of(&|it| matches!(&it.fate, Fate::Survived(survival) if !survival.same));
    let mut parts = vec![format!("{survivors} survived")];
    let undecided = of(&|it| matches!(it.fate, Fate::Undecided(_)));
    let failed = of(&|it| matches!(it.fate, Fate::Failed(_)));
    let untried = of(&|it| matches!(it.fate, Fate::Untried));
    let same = of(&|it| matches!(it.fate, Fate::Same)) + found.survivors().filter(|it| it.1.same).count();
    for (number, what) in [
        (undecided, "undecided"),
        (failed, "failed by a bug of cubicle"),
        (same, "not counted since they change nothing"),
        (untried, "not examined"),
    ] {
        if number > 0 {
            parts.push(format!("{number} {what}"));
        }
    }
    let mut text = format!("\n{}, {}\n", style.title(rate(kills, found.counted())), parts.join(", "));
    if let Some(why) = &found.stopped {
        let _ = writeln!(text, "{}: {}", style.doubtful("Ended early"), reason(why));
    }
    text
}
