//! The fates of the mutants of a model, as a page: kill rates, the curve, which claim kills which mutant, and those that
//! survived as differences.

use super::html::{Section, escaped, heads, section, table};
use super::{shell, source};
use crate::document::{FateWord, MutantRecord, MutationDocument, RateFigures};
use cubicle_lang::diagnostic::Source;

/// More columns than this are not shown: they would be unreadable.
const MOST_COLUMNS: usize = 400;

/// Height of a bar of the curve, and of the room for one.
const BAR: (usize, usize) = (18, 26);

/// The contents of the page.
#[derive(Clone, Copy, Debug)]
pub struct MutationPage<'a> {
    /// The model.
    pub source: Source<'a>,
    /// What was found.
    pub document: &'a MutationDocument,
    /// The result in one line.
    pub answer: &'a str,
}

impl MutationPage<'_> {
    /// The text of the file.
    pub fn text(&self) -> String {
        let found = self.document;
        let mut sections = vec![section("verdict", "Mutants", &self.verdict())];
        if !found.mutants.is_empty() {
            sections.push(section("rates", "Kill rates", &rates(found)));
            sections.extend(curve(found));
            sections.extend(matrix(found));
            sections.extend(groups(found));
        }
        sections.push(section("model", "Model", &source::highlighted(self.source.text)));
        shell(self.source.name, &sections, &found.text())
    }

    fn verdict(&self) -> String {
        let found = self.document;
        let kind = if found.error.is_some() || found.stopped.is_some() { "open" } else { "good" };
        let mut text = format!("<p class=\"answer {kind}\">{}</p>\n", escaped(self.answer));
        if let Some(why) = &found.stopped {
            text += &format!("<p>Ended early: {}</p>\n", escaped(why));
        }
        if found.duplicates + found.ill_typed > 0 {
            text += &format!(
                "<p class=\"note\">Left out: {} say the same as the model or as another one, {} are not models.</p>\n",
                found.duplicates, found.ill_typed
            );
        }
        text
    }
}

/// The rates by operator, transition and claim.
fn rates(found: &MutationDocument) -> String {
    let row = |name: &str, killed: usize, of: usize, more: &str| {
        let percent = (killed * 100).checked_div(of).unwrap_or(0);
        format!(
            "<tr><th scope=\"row\">{}</th><td>{killed} of {of}</td><td><meter min=\"0\" max=\"100\" value=\"{percent}\">\
             {percent} %</meter> {percent} %</td>{more}</tr>\n",
            escaped(name)
        )
    };
    let of = |label: &str, title: &str, rates: &[RateFigures]| {
        let row = |it: &RateFigures| row(it.name.as_deref().unwrap_or("(init)"), it.killed, it.counted, "");
        let rows: String = rates.iter().map(row).collect();
        table(label, &heads(&[title, "Killed", "Rate"]), &rows)
    };
    let claims = found.claims.iter().map(|it| {
        let line = it.place.line;
        let mut more = format!("<td>{}</td>", it.alone);
        more += &format!("<td><a href=\"#L{line}\">line {line}</a></td>");
        row(&it.name, it.kills, found.killed, &more)
    });
    let mut text = of("By operator", "Operator", &found.operators);
    text += &of("By transition", "Transition", &found.transitions);
    text += &table(
        "By claim, of all that are killed",
        &heads(&["Claim", "Kills", "Share", "Of its own", "Place"]),
        &claims.collect::<String>(),
    );
    if found.claims.len() > 1 && !found.smallest_set.is_empty() {
        text += &format!("<p>As many as all of them: {}</p>\n", escaped(&found.smallest_set.join(", ")));
    }
    text
}

/// How many mutants instances of a size kill.
fn curve(found: &MutationDocument) -> Option<Section> {
    let stable = found.mutant_stable_k?;
    let most = found.curve.last().map_or(1, |it| it.killed).max(1);
    let mut bars = String::new();
    for (at, it) in found.curve.iter().enumerate() {
        let (y, width) = (4 + at * BAR.1, 420 * it.killed / most);
        let middle = y + BAR.0 - 5;
        bars += &format!(
            "<text x=\"0\" y=\"{middle}\">up to {}</text><line class=\"curve c2\" x1=\"80\" x2=\"{}\" y1=\"{m}\" y2=\"{m}\" \
             stroke-width=\"14\"/><text x=\"{}\" y=\"{middle}\">{}</text>",
            it.procs,
            80 + width,
            88 + width,
            it.killed,
            m = y + BAR.0 / 2,
        );
    }
    let height = 8 + found.curve.len() * BAR.1;
    let why = if found.settled {
        "no larger instance kills more, since all others are proved safe"
    } else {
        "as far as is known: some mutants are not decided"
    };
    let title = "Mutants killed, by number of processes";
    let text = format!(
        "<figure><svg viewBox=\"0 0 640 {height}\" role=\"img\" aria-label=\"{title}\">{bars}</svg>\n\
         <figcaption>{title}</figcaption></figure>\n<p>Mutant-stable k: {stable} ({why}).</p>\n"
    );
    Some(section("curve", "Processes", &text))
}

/// Which claim kills which mutant.
fn matrix(found: &MutationDocument) -> Option<Section> {
    let killed: Vec<&MutantRecord> = found.mutants.iter().filter(|it| it.fate == FateWord::Killed).collect();
    if killed.is_empty() || found.claims.is_empty() {
        return None;
    }
    let shown = &killed[..killed.len().min(MOST_COLUMNS)];
    let head = |it: &&MutantRecord| {
        let what = escaped(&format!("{}: {}", it.operator, it.run.as_deref().unwrap_or("")));
        format!("<th scope=\"col\"><a href=\"#L{}\" title=\"{what}\">#{}</a></th>", it.line, it.number)
    };
    let rows = found.claims.iter().map(|claim| {
        let cell = |it: &&MutantRecord| match it.claims.iter().position(|name| *name == claim.name) {
            None => "<td></td>".to_owned(),
            Some(_) if it.claims.len() == 1 => {
                "<td class=\"changed\"><span class=\"mark\">only</span></td>".to_owned()
            }
            Some(_) => "<td class=\"changed\">too</td>".to_owned(),
        };
        let cells: String = shown.iter().map(cell).collect();
        format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", escaped(&claim.name))
    });
    let heads = format!("{}{}", heads(&["Claim"]), shown.iter().map(head).collect::<String>());
    let mut text = table("Which claim kills which mutant", &heads, &rows.collect::<String>());
    if killed.len() > shown.len() {
        text += &format!("<p>.. and {} more</p>\n", killed.len() - shown.len());
    }
    Some(section("matrix", "Claims and mutants", &text))
}

/// Those that were not killed, by what they change.
fn groups(found: &MutationDocument) -> Vec<Section> {
    let survived = |it: &&MutantRecord| it.fate == FateWord::Survived;
    let group = |id: &str, title: &str, says: &str, which: &dyn Fn(&&MutantRecord) -> bool| {
        let mut all: Vec<&MutantRecord> = found.mutants.iter().filter(which).collect();
        let share = |it: &MutantRecord| {
            it.change.map_or(0, |it| (it.appear + it.vanish) as u64 * 1_000_000 / (it.states as u64).max(1))
        };
        all.sort_by_key(|it| std::cmp::Reverse(share(it)));
        let list: String = all.iter().map(|it| difference(it)).collect();
        let text = format!("<p class=\"note\">{}</p>\n{list}", escaped(says));
        (!all.is_empty()).then(|| section(id, &format!("{title}: {}", all.len()), &text))
    };
    let same = |it: &&MutantRecord| it.changes_nothing == Some(true);
    let appear = |it: &&MutantRecord| it.change.is_none_or(|it| it.appear > 0);
    let vanish = |it: &&MutantRecord| it.change.is_some_and(|it| it.appear == 0 && it.vanish > 0);
    [
        group(
            "survivors",
            "Survivors with new states",
            "Safe for any number of processes. Either the change does no harm, or an `unsafe` is missing.",
            &|it| survived(it) && !same(it) && appear(it),
        ),
        group(
            "vanish",
            "Survivors that only lose states",
            "They do less than the model, which no `unsafe` can notice.",
            &|it| survived(it) && !same(it) && vanish(it),
        ),
        group(
            "steps",
            "Survivors with the same states",
            "Other steps lead to the same states, which no `unsafe` tells apart.",
            &|it| survived(it) && !same(it) && !appear(it) && !vanish(it),
        ),
        group("same", "Nothing changes", "The same states and steps: they do not count.", &|it| same(it)),
        group("open", "Undecided", "Not killed, and not proved safe with the effort allowed.", &|it| {
            matches!(it.fate, FateWord::Undecided | FateWord::Failed)
        }),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A mutant as a difference of lines.
fn difference(mutant: &MutantRecord) -> String {
    let within = mutant.transition.as_ref().map_or_else(String::new, |name| format!(" in {name}"));
    let mut what = format!("#{} {}{within}", mutant.number, mutant.operator);
    if let Some(it) = mutant.change.filter(|it| it.appear + it.vanish > 0) {
        what += &format!(
            ": of {} states of {} processes, {} vanish and {} appear",
            it.states, it.procs, it.vanish, it.appear
        );
    }
    if let Some(reason) = &mutant.reason {
        what += &format!("; {reason}");
    }
    let side = |sign: char, class: &str, lines: &[String]| -> String {
        let line =
            |it: &String| format!("<span class=\"{class}\">{sign} {}</span>\n", escaped(it.trim_end()));
        lines.iter().map(line).collect()
    };
    format!(
        "<p>{} <a href=\"#L{line}\">line {line}</a></p>\n<pre class=\"scroll\"><code>{}{}</code></pre>\n",
        escaped(&what),
        side('-', "never", &mutant.old),
        side('+', "good", &mutant.new),
        line = mutant.line,
    )
}
