//! `--final CUBE`: what every process satisfies where a run may end.

use cubicle::diagnostic::Severity;
use cubicle::model::{Conj, System};

/// The literals of `cube`, over process 0; `text` is the model that `system` comes from. The cube is read
/// as the body of a declaration `unsafe (p) { .. }` of the model, so that it has the same names and types.
/// The error is a line for the user.
pub fn expected_end(system: &System, text: &str, cube: &str) -> Result<Conj, String> {
    let at = system.init.span.end as usize;
    let declaration = format!(" unsafe (p) {{ {cube} }} ");
    let loaded = cubicle::load(&format!("{}{declaration}{}", &text[..at], &text[at..])).map_err(|found| {
        let error = found.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
        let why = error.map_or("it does not fit the model", |error| error.message.as_str());
        format!("--final {cube:?}: {why}")
    })?;
    let inserted = at..at + declaration.len();
    let mut cubes = loaded.system.bad.iter().filter(|bad| inserted.contains(&(bad.span.start as usize)));
    match (cubes.next(), cubes.next()) {
        (Some(bad), None) if !bad.cube.is_empty() && bad.params == 1 => Ok(bad.cube.clone()),
        _ => Err(format!("--final {cube:?} is not a conjunction of literals about the process p")),
    }
}
