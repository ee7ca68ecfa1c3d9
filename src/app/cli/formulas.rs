//! Formulas that options give: `--final CUBE`, what every process satisfies where a run may end, and `--ltl FORMULA`.

use cubicle_lang::diagnostic::{Diagnostic, Span};
use cubicle_lang::load::{FormulaScope, ModelSource, ltl, parse_formula};
use cubicle_lang::model::{Case, Conj, System, Temporal, VarId};

/// The formula of `--final`: the literals of `cube`, over process 0. It is read as in a declaration with the parameter `p`.
///
/// # Errors
/// What is wrong with it, with places in it.
pub fn expected_end(model: ModelSource<'_>, cube: &str) -> Result<Conj, Vec<Diagnostic>> {
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

/// The system of a model with the formulas of the command line among its properties; the first one that is wrong, and why.
pub fn with_formulas<'f>(
    model: ModelSource<'_>,
    formulas: &'f [String],
    alive: Option<VarId>,
) -> Result<System, (&'f str, Vec<Diagnostic>)> {
    let taken = model.system.temporal.iter().any(|it| it.name == "ltl");
    let mut system = model.system.clone();
    let mut added = Vec::new();
    for (number, formula) in (1..).zip(formulas) {
        let read = ltl(ModelSource::new(&system, model.text), formula, alive);
        let (with_counts, property) = read.map_err(|errors| (formula.as_str(), errors))?;
        system = with_counts;
        // No declaration has a name with a blank.
        let name = if formulas.len() > 1 || taken { format!("ltl {number}") } else { property.name };
        added.push(Temporal { name, ..property });
    }
    Ok(system.edited(|parts| parts.temporal.extend(added)))
}
