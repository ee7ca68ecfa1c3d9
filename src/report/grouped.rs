//! What the mutants that survived have in common: the part of the model that they change.

use std::cmp::Reverse;
use std::fmt::Write as _;

use cubicle_lang::diagnostic::{Source, Span};
use cubicle_run::style::Style;
use cubicle_run::words::count;
use cubicle_tools::mutation::{Fate, MutantResult, Mutation};

/// At most this many groups have a line.
const MOST_GROUPS: usize = 10;

/// The mutants that change one part of the model, and live on.
struct Group<'m> {
    part: Span,
    mutants: Vec<&'m MutantResult>,
}

impl Group<'_> {
    /// How many of them reach states that the model does not reach.
    fn with_new_states(&self) -> usize {
        let is_new = |it: &&&MutantResult| it.change.is_some_and(|change| change.appear > 0);
        self.mutants.iter().filter(is_new).count()
    }

    /// How many were not decided.
    fn open(&self) -> usize {
        self.mutants.iter().filter(|it| matches!(it.fate, Fate::Undecided(_) | Fate::Failed(_))).count()
    }
}

/// The parts of the model that survivors and undecided mutants change, those with most survivors that do something new first.
pub fn grouped(found: &Mutation, source: &Source<'_>, style: Style) -> String {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for mutant in &found.mutants {
        let lives = match &mutant.fate {
            Fate::Survived(survival) => !survival.same,
            Fate::Undecided(_) | Fate::Failed(_) => true,
            _ => false,
        };
        if !lives {
            continue;
        }
        let part = part_of(source.text, mutant.candidate.edit.place());
        match groups.iter_mut().find(|it| it.part == part) {
            Some(group) => group.mutants.push(mutant),
            None => groups.push(Group { part, mutants: vec![mutant] }),
        }
    }
    if groups.is_empty() {
        return String::new();
    }
    groups.sort_by_key(|it| (Reverse(it.with_new_states()), Reverse(it.mutants.len()), it.part));
    let all: usize = groups.iter().map(|it| it.mutants.len()).sum();
    let mut text = format!(
        "\n{}: {all}, which change {}; --all shows each with its lines\n",
        style.title("Survivors"),
        count(groups.len(), "part")
    );
    for group in groups.iter().take(MOST_GROUPS) {
        let _ = writeln!(text, "  {}", line(group, source));
    }
    let more = groups.iter().skip(MOST_GROUPS);
    let (parts, mutants) = more.fold((0, 0), |(parts, mutants), it| (parts + 1, mutants + it.mutants.len()));
    if parts > 0 {
        let _ = writeln!(text, "  and {} of {}", count(mutants, "mutant"), count(parts, "other part"));
    }
    text
}

/// ``12 mutants of the guard `Voted[p] = False` in vote, model.cub:12:3: no claim needs it``.
fn line(group: &Group<'_>, source: &Source<'_>) -> String {
    let words = source.text.get(group.part.start as usize..group.part.end as usize).unwrap_or_default();
    // Of a transition, its head.
    let words =
        if words.starts_with("transition") { words.lines().next().unwrap_or_default() } else { words };
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let within = &group.mutants[0].candidate.transition;
    let kind = match within {
        _ if words.starts_with("transition") => "transition",
        _ if words.contains(":=") => "update",
        Some(_) => "guard",
        None => "init",
    };
    let within = within.as_ref().filter(|_| kind != "transition").map(|name| format!(" in {name}"));
    let (all, new, open) = (group.mutants.len(), group.with_new_states(), group.open());
    let mut why = match (kind, new) {
        _ if open == all => "not decided".to_owned(),
        (_, 0) => "they reach no new states".to_owned(),
        ("update", _) => "no claim notices what it writes".to_owned(),
        _ => "no claim needs it".to_owned(),
    };
    if new > 0 && new < all - open {
        let _ = write!(why, " ({new} with new states)");
    }
    if open > 0 && open < all {
        let _ = write!(why, "; {open} not decided");
    }
    format!(
        "{} of the {kind} `{}`{}, {}: {why}",
        count(all, "mutant"),
        shortened(&words),
        within.unwrap_or_default(),
        source.place(group.part)
    )
}

/// The formula between connectives, the update or the head of a declaration around a place.
fn part_of(text: &str, place: Span) -> Span {
    let (start, end) = (place.start as usize, place.end as usize);
    // What separates it from the next part belongs to neither.
    let separates = |c: char| c.is_whitespace() || ";&|".contains(c);
    let inside = text.get(start..end).unwrap_or_default();
    let end = start + inside.trim_end_matches(separates).len();
    let start = (start + (inside.len() - inside.trim_start_matches(separates).len())).min(end);
    let ends = ["&&", "||", "{", "}", ";", " | ", "\n\n"];
    let before = text.get(..start).unwrap_or_default();
    let from = ends.iter().filter_map(|it| before.rfind(it).map(|at| at + it.len())).max().unwrap_or(0);
    let after = text.get(end..).unwrap_or_default();
    let to = ends.iter().filter_map(|it| after.find(it)).min().map_or(text.len(), |at| end + at);
    let part = text.get(from..to).unwrap_or_default();
    let from = from + (part.len() - part.trim_start().len());
    let to = to - (part.len() - part.trim_end().len());
    // A place that has nothing but blanks is shown as it is.
    if from < to { Span::new(from as u32, to as u32) } else { place }
}

/// The first words of a text, where it is long.
fn shortened(words: &str) -> String {
    const MOST: usize = 60;
    if words.chars().count() <= MOST {
        return words.to_owned();
    }
    words.chars().take(MOST).collect::<String>() + " .."
}
