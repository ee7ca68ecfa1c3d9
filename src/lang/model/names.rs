//! The names of properties in reports: by their place in the source.

use super::{Bad, BadKind, Temporal};
use crate::diagnostic::{Lines, Span};

/// Gives each bad cube its name. A declared name stays; cubes of one declaration are counted (`mutual, case 2`).
/// The others have `unsafe at line 12`, with the column where the line has several, and their
/// number in this order where several come from one place (`unsafe at line 12:30, case 2`). `text` is what the
/// spans index.
///
/// The place of a cube is its declaration's, or where the last of its comparisons in there begins when the
/// declaration has several disjuncts: a comparison that stands in several is known by its first place.
pub(super) fn properties(bad: &mut [Bad], text: &str) {
    let lines = Lines::new(text);
    let mut places: Vec<(BadKind, usize, u32)> = Vec::with_capacity(bad.len());
    for this in &*bad {
        let start = if is_alone(bad, this) { this.span.start } else { last_comparison(this) };
        places.push((this.kind, lines.line(start), start));
    }
    let mut sorted = places.clone();
    sorted.sort_unstable_by_key(|&(kind, line, start)| (line, kind == BadKind::Unsafe, start));
    let like = |same: &dyn Fn(&(BadKind, usize, u32)) -> bool, line: usize| {
        let from = sorted.partition_point(|(_, other, _)| *other < line);
        sorted[from..].iter().take_while(|(_, other, _)| *other == line).filter(|place| same(place)).count()
    };
    for at in 0..bad.len() {
        let (kind, line, start) = places[at];
        if !bad[at].name.is_empty() {
            if !is_alone(bad, &bad[at]) {
                let earlier = bad[..at].iter().filter(|other| other.span == bad[at].span).count();
                bad[at].name.push_str(&format!(", case {}", earlier + 1));
            }
            continue;
        }
        let said = text.get(bad[at].span.start as usize..).unwrap_or_default();
        let words = match kind {
            BadKind::Unsafe => ["unsafe", "never", "always"],
            BadKind::Invariant => ["invariant", "lemma", "lemma"],
        };
        let word = words.into_iter().find(|word| said.starts_with(word)).unwrap_or(words[0]);
        let mut name = format!("{word} at line {line}");
        if like(&|place| place.0 == kind, line) > 1 {
            name.push_str(&format!(":{}", lines.position(start).1));
            if like(&|place| *place == (kind, line, start), line) > 1 {
                let earlier = places[..at].iter().filter(|place| **place == (kind, line, start)).count();
                name.push_str(&format!(", case {}", earlier + 1));
            }
        }
        bad[at].name = name;
    }
}

/// Gives each property of runs that has no name one by its place, with the column where the line has several.
pub(super) fn temporal(properties: &mut [Temporal], text: &str) {
    let lines = Lines::new(text);
    let place = |it: &Temporal| (it.kind, lines.line(it.span.start));
    let places: Vec<_> = properties.iter().map(place).collect();
    for (at, property) in properties.iter_mut().enumerate().filter(|(_, it)| it.name.is_empty()) {
        let (kind, number) = places[at];
        property.name = format!("{} at line {number}", kind.word());
        if places.iter().filter(|other| **other == places[at]).count() > 1 {
            property.name.push_str(&format!(":{}", lines.position(property.span.start).1));
        }
    }
}

/// Whether no other cube comes from the same declaration. Those of one declaration are neighbours.
fn is_alone(all: &[Bad], this: &Bad) -> bool {
    let at = this.number as usize - 1;
    let same = |other: Option<&Bad>| other.is_some_and(|other| other.span == this.span);
    !same(at.checked_sub(1).and_then(|at| all.get(at))) && !same(all.get(at + 1))
}

fn last_comparison(bad: &Bad) -> u32 {
    let inside = |span: &&Span| bad.span.start <= span.start && span.end <= bad.span.end;
    bad.spans.iter().filter(inside).map(|span| span.start).max().unwrap_or(bad.span.start)
}

#[cfg(test)]
mod tests {
    fn names(properties: &str) -> Vec<String> {
        let text = format!(
            "type t = A | B | C\narray X[proc] : t\nvar G : proc\ninit (p) {{ X[p] = A }}\n{properties}\n"
        );
        let loaded = crate::load(&text).unwrap();
        loaded.system.bad.iter().map(|bad| bad.name.clone()).collect()
    }

    #[test]
    fn a_property_is_named_by_its_line() {
        assert_eq!(names("unsafe (p) { X[p] = B }"), ["unsafe at line 5"]);
        assert_eq!(
            names("\nunsafe (p)\n{\n  X[p] = B }\nunsafe (p) { X[p] = C }"),
            ["unsafe at line 6", "unsafe at line 9"]
        );
        let both =
            names("unsafe (p) { X[p] = B } invariant (p) { X[p] = C }\ntransition t (p) { X[p] := A }");
        assert_eq!(both, ["invariant at line 5", "unsafe at line 5"]);
    }

    #[test]
    fn properties_on_one_line_have_columns() {
        assert_eq!(
            names("(* é *) unsafe (p) { X[p] = B } unsafe (p) { X[p] = C }"),
            ["unsafe at line 5:9", "unsafe at line 5:33"]
        );
        assert_eq!(
            names("unsafe (p q) { X[p] = B && X[q] = C || X[p] = A && X[q] = C\n || X[p] = B && X[q] = B }"),
            ["unsafe at line 6", "unsafe at line 5:40", "unsafe at line 5:28"]
        );
    }

    #[test]
    fn names_are_distinct() {
        let mut names = names("unsafe (p) { X[G] = B }");
        let all = names.len();
        assert!(all > 1, "{names:?}");
        assert!(names[0].starts_with("unsafe at line 5:") && names[0].ends_with(", case 1"), "{names:?}");
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
