//! Properties that a model has and does not claim, for a person.

use std::fmt::Write as _;

use cubicle_run::named::Named;
use cubicle_run::style::Style;
use cubicle_run::words::{count, reason};
use cubicle_tools::mutation::{Properties, TrueProperty};

/// All about them; `stronger` and `suggested` properties are left out where they were not asked for.
pub fn properties(found: &Properties, stronger: bool, suggested: bool, style: Style) -> String {
    let mut text = String::new();
    if stronger {
        let says = "each forbids more than a claim of the model and holds for any number of processes, strongest first";
        text += &group("Stronger properties", says, &found.stronger, style);
    }
    if suggested {
        let says = "the proof rests on these, the model does not claim them; those that notice most mistakes come first";
        text += &group("Suggestions", says, &found.suggested, style);
    }
    if !found.open.is_empty() {
        let _ = writeln!(text, "{}", style.title("Undecided"));
        for it in &found.open {
            let _ = writeln!(text, "  {}\n      {}", it.line, reason(&it.reason));
        }
        text += "\n";
    }
    text + &answer(found, stronger, suggested, style)
}

fn group(title: &str, says: &str, all: &[TrueProperty], style: Style) -> String {
    let title = style.title(title);
    if all.is_empty() {
        return format!("{title}: none\n\n");
    }
    let mut text = format!("{title}: {says}\n");
    for it in all {
        let _ = writeln!(text, "  {}", it.line);
        let worth = match it.notices {
            0 => "notices no further mutant".to_owned(),
            n => format!("notices {} that no claim notices", count(n, "mutant")),
        };
        let origin = match (&it.of, it.operator) {
            (Some(of), Some(operator)) => format!("{} in {of}", operator.name()),
            _ => "of the proof".to_owned(),
        };
        let _ = writeln!(text, "      {origin}; {worth}");
    }
    text + "\n"
}

fn answer(found: &Properties, stronger: bool, suggested: bool, style: Style) -> String {
    let mut parts = Vec::new();
    if stronger {
        parts.push(count(found.stronger.len(), "stronger property"));
    }
    if suggested {
        parts.push(count(found.suggested.len(), "suggestion"));
    }
    parts.push(format!("{} not true", found.refuted));
    for (number, what) in [(found.open.len(), "undecided"), (found.left_out, "not tried")] {
        if number > 0 {
            parts.push(format!("{number} {what}"));
        }
    }
    let mut text = format!("{}\n", style.title(parts.join(", ")));
    if let Some(why) = &found.stopped {
        let _ = writeln!(text, "{}: {}", style.doubtful("Ended early"), reason(why));
    }
    text
}
