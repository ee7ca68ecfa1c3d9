//! Formulas beside the model: of `--lemmas-in` and `--lemmas-out`, what one proof leaves to the next, which trusts none of it; of
//! `--final CUBE`, what every process satisfies where a run may end; and of `--ltl FORMULA`.

use std::path::Path;

use cubicle_certificate::Lemmas;
use cubicle_check::Numbers;
use cubicle_lang::diagnostic::{Checked, Diagnostic, Span};
use cubicle_lang::load::{FormulaScope, ModelSource, ltl, parse_formula};
use cubicle_lang::model::{Case, Conj, Equation, Forbidden, Literal, System, Temporal, forbids_all_of};
use cubicle_run::words::count;
use cubicle_run::{Interrupt, Report};
use cubicle_transform::{Crash, alive_array, searched_system};

use super::args::Args;
use super::failure::Failure;
use super::files;
use super::load::crashing;
use super::messages::Messages;

/// The formula of `--final`: the literals of `cube`, over process 0. It is read as in a declaration with the parameter `p`.
///
/// # Errors
/// What is wrong with it, with places in it.
pub fn expected_end(model: ModelSource<'_>, cube: &str) -> Checked<Conj> {
    let read = parse_formula(model, FormulaScope::Parameters(&["p"]), cube)?;
    match read.0.as_slice() {
        [Case { hidden: 0, cube, universals }] if !cube.is_empty() && universals.is_empty() => {
            Ok(cube.clone())
        }
        _ => {
            let all = Span::new(0, cube.len() as u32);
            let error = Diagnostic::error("C0301", all, "not a conjunction of literals about the process p");
            Err(vec![error.help("where a run may end, each process `p` by itself satisfies it")])
        }
    }
}

/// The system of a model whose processes fail, where that is asked for, with the formulas of the command line among its properties. Reports what
/// makes that impossible.
pub fn derived(
    model: ModelSource<'_>,
    file: &Path,
    crash: Option<Crash>,
    formulas: &[String],
    messages: &Messages,
) -> Result<System, Failure> {
    let mut system = model.system.clone();
    let mut alive = None;
    if let Some(crash) = crash {
        alive = alive_array(&system, crash);
        system = crashing(&system, crash, file, model.text, messages)?;
    }
    let taken = system.temporal.iter().any(|it| it.name == "ltl");
    let mut added = Vec::new();
    for (number, formula) in (1..).zip(formulas) {
        let read = ltl(ModelSource::new(&system, model.text), formula, alive);
        let (with_counts, property) = read.map_err(|errors| messages.misread("--ltl", formula, &errors))?;
        system = with_counts;
        // No declaration has a name with a blank.
        let name = if formulas.len() > 1 || taken { format!("ltl {number}") } else { property.name };
        added.push(Temporal { name, ..property });
    }
    Ok(system.edited(|parts| parts.temporal.extend(added)))
}

/// The cubes that a proof begins with. Lines that do not fit the model are reported, and what is said about counts that it does not
/// have: the analysis of its numbers finds that again, or the line is left out.
pub fn read(
    path: &Path,
    model: ModelSource<'_>,
    messages: &Messages,
    interrupt: &Interrupt,
) -> Result<Vec<Forbidden>, Failure> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).map_err(files::unread(path))?;
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
    // Where the run must end, no proof begins.
    let Ok(Numbers { system: known, equations, .. }) = Numbers::of(model.system, interrupt) else {
        return Ok(Vec::new());
    };
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
        Some(outcome) => match searched_system(system, &found.announcements, &found.tails, &outcome.counts) {
            None => cubicle_certificate::lemmas(system, system, &[], &outcome.standing),
            Some(all) => {
                let excluded = excluded(&all, &outcome.equations);
                cubicle_certificate::lemmas(system, &all, &excluded, &outcome.standing)
            }
        },
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
