//! Lines written while a backward search runs.

use super::block::WIDTH;
use cubicle_run::style::Style;

/// `node 7: t(#2) -> unsafe at line 12`, with its cube when `cube` is given, then how many nodes wait.
pub fn node(
    number: usize,
    history: &str,
    cube: Option<&[String]>,
    queued: usize,
    postponed: usize,
    style: Style,
) -> String {
    let mut text = format!("node {}: {history}", style.title(number));
    if let Some(cube) = cube {
        text.push_str(" =\n");
        text.push_str(&conjunction(cube, "        "));
    }
    let waiting = format!("{} ({queued}+{postponed}) remaining", queued + postponed);
    format!("{text}\n{waiting:>WIDTH$}\n\n")
}

/// The lines for a candidate that takes the place of a node.
pub fn approximation(number: i32, cube: &[String], style: Style) -> String {
    let number = style.name(format!("[{number}]"));
    format!("└───>> Approximating by {number}\n{}\n", conjunction(cube, &" ".repeat(24)))
}

/// `The candidate -54 = A && B is BAD`.
pub fn bad_candidate(number: i32, cube: &[String]) -> String {
    format!("The candidate {number} = {} is BAD", literals(cube))
}

/// The lines for a restart of BRAB.
pub fn restart(number: usize, style: Style) -> String {
    let rule = "=".repeat(WIDTH);
    let title = style.doubtful(format!("BACKTRACKING : {number} restarts ..."));
    format!("{rule}\n* {title}\n{rule}\n")
}

pub(super) fn literals(cube: &[String]) -> String {
    if cube.is_empty() { "true".to_owned() } else { cube.join(" && ") }
}

/// Literals, one per line, each but the last followed by ` &&`, without a final line end.
fn conjunction(cube: &[String], indent: &str) -> String {
    if cube.is_empty() {
        return format!("{indent}true");
    }
    let lines: Vec<_> = cube.iter().map(|literal| format!("{indent}{literal}")).collect();
    lines.join(" &&\n")
}
