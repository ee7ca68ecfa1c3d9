//! Values that the assignments of a variable allow, but that it never has.

use super::question::{Asker, Grounds, LintedModel};
use cubicle_lang::bits::bits;
use cubicle_lang::diagnostic::Diagnostic;
use cubicle_lang::model::{Bad, Cell, Literal, ProcRef, System, Type, Var, VarId, VarKind};

/// One warning for each variable.
pub fn look(model: &LintedModel<'_>, asker: &Asker<'_>) -> Vec<Diagnostic> {
    let system = model.system;
    let mut asked: Vec<(usize, usize)> = Vec::new();
    let mut bad = Vec::new();
    for (number, var) in system.vars.iter().enumerate() {
        for value in possible(system, var) {
            for (params, index) in indices(var.arity()) {
                let cell = Cell { var: VarId(number as u16), index: index.into_iter().collect() };
                let cube = vec![Literal::In { cell, values: 1 << value }];
                asked.push((number, value));
                bad.push(Bad::derived(
                    format!("{} is {value}", var.name),
                    bad.len() as u32 + 1,
                    params,
                    cube,
                    var.span,
                ));
            }
        }
    }
    let answers = asker.never(&system.edited(|parts| parts.bad = bad), 1);
    let mut found = Vec::new();
    for (number, var) in system.vars.iter().enumerate() {
        let Type::Enum(id) = var.ty else { continue };
        let mut never: Vec<(String, Grounds)> = Vec::new();
        for value in possible(system, var) {
            let of = asked.iter().zip(&answers).filter(|(it, _)| **it == (number, value));
            let grounds: Option<Vec<Grounds>> = of.map(|(_, answer)| answer.clone()).collect();
            if let Some(grounds) = grounds.and_then(|all| all.into_iter().reduce(Grounds::and)) {
                never.push((format!("`{}`", system.enumeration(id).constructors[value]), grounds));
            }
        }
        let Some(grounds) = never.iter().map(|(_, grounds)| grounds.clone()).reduce(Grounds::and) else {
            continue;
        };
        let values: Vec<String> = never.into_iter().map(|(value, _)| value).collect();
        let message = format!("`{}` is never {}", system.title(VarId(number as u16)), values.join(" nor "));
        found.push(
            Diagnostic::warning("C0928", var.span, message)
                .label(grounds.words())
                .help("no run gives it the value, though some assignment may; is a transition missing?"),
        );
    }
    found
}

/// The values that the assignments of a variable allow, if there are several.
fn possible(system: &System, var: &Var) -> Vec<usize> {
    let Type::Enum(id) = var.ty else { return Vec::new() };
    let all = var.range & system.enumeration(id).all();
    if var.kind == VarKind::Const || all.count_ones() < 2 { Vec::new() } else { bits(&[all]).collect() }
}

/// The ways to name the indices of a cell: which of them are the same process. Empty beyond two indices.
fn indices(arity: usize) -> Vec<(u8, Vec<ProcRef>)> {
    let var = ProcRef::Var;
    match arity {
        0 => vec![(0, Vec::new())],
        1 => vec![(1, vec![var(0)])],
        2 => vec![(2, vec![var(0), var(1)]), (1, vec![var(0), var(0)])],
        _ => Vec::new(),
    }
}
