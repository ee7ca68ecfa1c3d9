//! `--lemmas-in` and `--lemmas-out`: what one proof leaves to the next, which believes none of it.

use std::path::Path;

use cubicle::Report;
use cubicle::model::System;
use cubicle::verdict::Forbidden;

use super::args::Args;
use super::files;
use super::messages::Messages;

/// The cubes that a proof is to begin with. Lines that do not fit the model are told.
pub fn read(
    path: &Path,
    system: &System,
    model: &str,
    messages: &Messages,
) -> Result<Vec<Forbidden>, String> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read {shown}: {error}"))?;
    let read = cubicle::certificate::read_lemmas(system, model, &text);
    let (cubes, wrong) = read.map_err(|why| format!("{shown}, {why}"))?;
    for why in &wrong {
        messages.note(&format!("{shown}, {why}; the line is left out"));
    }
    Ok(cubes)
}

/// Writes what a later proof may begin with.
pub fn write(args: &Args, system: &System, found: &Report) -> Result<(), String> {
    let Some(path) = &args.lemmas_out else { return Ok(()) };
    let cubes = found.backward.as_ref().map(|it| it.standing.as_slice()).unwrap_or_default();
    files::write(path, &cubicle::certificate::lemmas(system, cubes))
}
