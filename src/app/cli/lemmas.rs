//! `--lemmas-in` and `--lemmas-out`: what one proof leaves to the next, which trusts none of it.

use std::path::Path;

use cubicle_lang::load::ModelSource;
use cubicle_lang::model::System;
use cubicle_run::result::Report;
use cubicle_run::verdict::Forbidden;

use super::args::Args;
use super::failure::Failure;
use super::files;
use super::messages::Messages;

/// The cubes that a proof begins with. Lines that do not fit the model are reported.
pub fn read(path: &Path, model: ModelSource<'_>, messages: &Messages) -> Result<Vec<Forbidden>, Failure> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("cannot read {shown}: {error}")))?;
    let read = cubicle_certificate::read_lemmas(model, &text);
    let (cubes, wrong) = read.map_err(|why| Failure::usage(format!("{shown}, {why}")))?;
    for why in &wrong {
        messages.note(&format!("{shown}, {why}; the line is left out"));
    }
    Ok(cubes)
}

/// Writes what a later proof may begin with, and reports what it cannot write.
pub fn write(args: &Args, system: &System, found: &Report, messages: &Messages) -> Result<(), Failure> {
    let Some(path) = &args.lemmas_out else { return Ok(()) };
    let cubes = found.backward.as_ref().map(|it| it.standing.as_slice()).unwrap_or_default();
    let (text, left_out) = cubicle_certificate::lemmas(system, cubes);
    for (count, why) in [
        (left_out.of_owners, "they mention an owner or a count that the model does not have"),
        (left_out.too_large, "their numbers leave the 64-bit range where they are written"),
    ] {
        if count > 0 {
            messages.note(&format!(
                "{}: of {} cubes, {count} are left out: {why}",
                path.display(),
                cubes.len()
            ));
        }
    }
    files::write(path, &text)
}
