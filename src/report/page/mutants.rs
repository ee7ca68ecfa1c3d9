//! The fates of the mutants of a model, as a page: kill rates, the curve, which claim kills which mutant, and those that
//! survived as differences.

use super::html::{self, Section, heads, highlighted, row, section, table, to_line};
use super::shell;
use crate::document::{FateWord, MutantRecord, MutationDocument, Written};
use crate::mutation::{certainty, changes, share};
use cubicle_lang::diagnostic::Source;
use cubicle_tools::mutation::Rate;
use maud::{Markup, html};

/// More columns than this are not shown: they would be unreadable.
const MOST_COLUMNS: usize = 400;

/// Height of a bar of the curve, and of the room for one.
const BAR: (usize, usize) = (18, 26);

/// The page about what was found in a model, with the result in one line.
pub fn mutation_page(source: Source<'_>, found: &MutationDocument, answer: &str) -> String {
    let ended = found.error.is_none() && found.stopped.is_none();
    let verdict = html! {
        (html::answer(answer, ended.then_some(true)))
        @if let Some(why) = &found.stopped { p { "Ended early: " (why) } }
        @if found.duplicates + found.ill_typed > 0 {
            p class="note" {
                "Left out: " (found.duplicates) " say the same as the model or as another one, "
                (found.ill_typed) " are not models."
            }
        }
    };
    let mut sections = vec![section("verdict", "Mutants", verdict)];
    if !found.mutants.is_empty() {
        sections.push(section("rates", "Kill rates", rates(found)));
        sections.extend(curve(found));
        sections.extend(matrix(found));
        sections.extend(groups(found));
    }
    sections.push(section("model", "Model", highlighted(source.text)));
    shell(source.name, &sections, &found.text())
}

/// The rates by operator, transition and claim.
fn rates(found: &MutationDocument) -> Markup {
    let of = |killed: usize, of: usize| html! { (killed) " of " (of) };
    let share = |killed: usize, of: usize| {
        let percent = (killed * 100).checked_div(of).unwrap_or(0);
        html! { meter min="0" max="100" value=(percent) { (percent) " %" } " " (percent) " %" }
    };
    let rates = |label: &str, title: &str, rates: &[Rate<Option<String>>]| {
        let rows = html! { @for it in rates {
            (row(it.of.as_deref().unwrap_or("(init)"), &[&of(it.killed, it.counted), &share(it.killed, it.counted)]))
        } };
        table(label, None, heads([title, "Killed", "Rate"]), rows)
    };
    let claims = html! { @for it in &found.claims {
        (row(&it.name, &[
            &of(it.kills, found.killed),
            &share(it.kills, found.killed),
            &it.alone,
            &to_line(it.place.line, format_args!("line {}", it.place.line)),
        ]))
    } };
    html! {
        (rates("By operator", "Operator", &found.operators))
        (rates("By transition", "Transition", &found.transitions))
        (table("By claim, of all that are killed", None, heads(["Claim", "Kills", "Share", "Of its own", "Place"]), claims))
        @if found.claims.len() > 1 && !found.smallest_set.is_empty() {
            p { "As many as all of them: " (found.smallest_set.join(", ")) }
        }
    }
}

/// How many mutants instances of a size kill.
fn curve(found: &MutationDocument) -> Option<Section> {
    let stable = found.mutant_stable_k?;
    let most = found.curve.last().map_or(1, |it| it.killed).max(1);
    let title = "Mutants killed, by number of processes";
    let content = html! {
        figure {
            svg viewBox={ "0 0 640 " (8 + found.curve.len() * BAR.1) } role="img" aria-label=(title) {
                @for (at, it) in found.curve.iter().enumerate() {
                    @let (y, width) = (4 + at * BAR.1, 420 * it.killed / most);
                    @let middle = y + BAR.0 / 2;
                    text x="0" y=(y + BAR.0 - 5) { "up to " (it.procs) }
                    line class="curve c2" x1="80" x2=(80 + width) y1=(middle) y2=(middle) stroke-width="14" {}
                    text x=(88 + width) y=(y + BAR.0 - 5) { (it.killed) }
                }
            }
            figcaption { (title) }
        }
        p { "Mutant-stable k: " (stable) " (" (certainty(found.settled)) ")." }
    };
    Some(section("curve", "Processes", content))
}

/// Which claim kills which mutant.
fn matrix(found: &MutationDocument) -> Option<Section> {
    let killed: Vec<&MutantRecord> = found.mutants.iter().filter(|it| it.fate == FateWord::Killed).collect();
    if killed.is_empty() || found.claims.is_empty() {
        return None;
    }
    let shown = &killed[..killed.len().min(MOST_COLUMNS)];
    let head = html! {
        (heads(["Claim"]))
        @for it in shown {
            th scope="col" {
                a href={ "#L" (it.line) } title={ (it.operator) ": " (it.run.as_deref().unwrap_or_default()) } {
                    "#" (it.number)
                }
            }
        }
    };
    let rows = html! {
        @for claim in &found.claims {
            tr {
                th scope="row" { (claim.name) }
                @for it in shown {
                    @if !it.claims.contains(&claim.name) { td {} }
                    @else if it.claims.len() > 1 { td class="changed" { "too" } }
                    @else { td class="changed" { span class="mark" { "only" } } }
                }
            }
            "\n"
        }
    };
    let content = html! {
        (table("Which claim kills which mutant", None, head, rows))
        @if killed.len() > shown.len() { p { ".. and " (killed.len() - shown.len()) " more" } }
    };
    Some(section("matrix", "Claims and mutants", content))
}

/// Those that were not killed, by what they change.
fn groups(found: &MutationDocument) -> Vec<Section> {
    let survived = |it: &&MutantRecord| it.fate == FateWord::Survived;
    let group = |id: &str, title: &str, says: &str, which: &dyn Fn(&&MutantRecord) -> bool| {
        let mut all: Vec<&MutantRecord> = found.mutants.iter().filter(which).collect();
        all.sort_by_key(|it| std::cmp::Reverse(share(it.change)));
        let content = html! { p class="note" { (says) } @for it in &all { (difference(it)) } };
        (!all.is_empty()).then(|| section(id, format!("{title}: {}", all.len()), content))
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
        group("open", "Undecided", "Not killed, and not proved safe with the effort allowed.", &|mutant| {
            matches!(mutant.fate, FateWord::Undecided | FateWord::Failed)
        }),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn difference(mutant: &MutantRecord) -> Markup {
    let within = mutant.transition.as_ref().map_or_else(String::new, |name| format!(" in {name}"));
    let mut what = format!("#{} {}{within}", mutant.number, mutant.operator);
    if let Some(it) = mutant.change.filter(|it| it.appear + it.vanish > 0) {
        what += &format!(": {}", changes(Some(it)));
    }
    if let Some(reason) = &mutant.reason {
        what += &format!("; {reason}");
    }
    let side = |sign: &str, class: &str, lines: &[String]| {
        html! { @for it in lines { span class=(class) { (sign) " " (it.trim_end()) } "\n" } }
    };
    html! {
        p { (what) " " (to_line(mutant.line, format_args!("line {}", mutant.line))) }
        pre class="scroll" { code { (side("-", "never", &mutant.old)) (side("+", "good", &mutant.new)) } }
    }
}
