//! `--lemmas-in` and `--lemmas-out`: what one proof leaves to the next, which trusts none of it.

use std::path::Path;

use cubicle_certificate::Lemmas;
use cubicle_check::Numbers;
use cubicle_lang::load::ModelSource;
use cubicle_lang::model::{Equation, Forbidden, Literal, System, forbids_all_of};
use cubicle_run::Report;
use cubicle_run::words::count;
use cubicle_transform::searched_system;

use super::args::Args;
use super::failure::Failure;
use super::files;
use super::messages::Messages;

/// The cubes that a proof begins with. Lines that do not fit the model are reported, and what is said about counts that it does not
/// have: the analysis of its numbers finds that again, or the line is left out.
pub fn read(path: &Path, model: ModelSource<'_>, messages: &Messages) -> Result<Vec<Forbidden>, Failure> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("cannot read {shown}: {error}")))?;
    let read = |system: &System| {
        let read = cubicle_certificate::read_lemmas(ModelSource { system, ..model }, &text);
        read.map_err(|why| Failure::usage(format!("{shown}, {why}")))
    };
    let Lemmas { system, cubes, wrong } = read(model.system)?;
    for why in &wrong {
        messages.note(&format!("{shown}, {why}; the line is left out"));
    }
    if system.vars.len() == model.system.vars.len() {
        return Ok(cubes);
    }
    let Numbers { system: known, equations, .. } = Numbers::of(model.system);
    let excluded = excluded(&known, &equations);
    let Lemmas { system, cubes, .. } = read(&known)?;
    let (own, of_counts): (Vec<Forbidden>, Vec<Forbidden>) =
        cubes.into_iter().partition(|cube| cube.literals().all(|it| is_over(model.system, it)));
    let mut again = 0;
    for cube in of_counts {
        if excluded.iter().any(|it| forbids_all_of(it, &cube)) {
            again += 1;
        } else if let Some(line) = cubicle_certificate::declaration(&system, &cube) {
            messages.note(&format!(
                "{shown}, `{line}`: the model does not have this count, and no equation that holds in all its reachable states says \
                 this; the line is left out"
            ));
        }
    }
    if again > 0 {
        let lines = count(again, "line");
        messages.note(&format!("{shown}: {lines} about numbers of processes found again in the model"));
    }
    Ok(own)
}

/// Writes what a later proof may begin with, and reports what it cannot write.
pub fn write(args: &Args, system: &System, found: &Report, messages: &Messages) -> Result<(), Failure> {
    let Some(path) = &args.lemmas_out else { return Ok(()) };
    let (text, left_out) = match &found.backward {
        None => cubicle_certificate::lemmas(system, system, &[], &[]),
        Some(outcome) => {
            match searched_system(system, (&found.announcements, &found.tails), &outcome.counts) {
                None => cubicle_certificate::lemmas(system, system, &[], &outcome.standing),
                Some(all) => {
                    let excluded = excluded(&all, &outcome.equations);
                    cubicle_certificate::lemmas(system, &all, &excluded, &outcome.standing)
                }
            }
        }
    };
    for (count, why) in [
        (left_out.of_counts, "they mention a tail or a count that the model does not have"),
        (left_out.too_large, "their numbers leave the 64-bit range where they are written"),
    ] {
        if count > 0 {
            let all = found.backward.as_ref().map_or(0, |it| it.standing.len());
            messages.note(&format!("{}: of {all} cubes, {count} are left out: {why}", path.display()));
        }
    }
    files::write(path, &text)
}

fn excluded(system: &System, equations: &[Equation]) -> Vec<Forbidden> {
    equations.iter().flat_map(|it| it.violations(system, usize::MAX).unwrap_or_default()).collect()
}

/// Whether all variables of a literal are among those of the system.
fn is_over(system: &System, literal: &Literal) -> bool {
    literal.cells().iter().all(|cell| usize::from(cell.var.0) < system.vars.len())
}
