//! Steps that leave the new values of several cells open.
//!
//! Such a step says nothing about the cells of a region: those that satisfy a condition on things that never change. It leaves them as they
//! were, and sets a flag; while the flag is set, a step of its own gives one cell of the region any value; every other step
//! clears it. So the states that are reached are the same: each cell of the region may change or stay before anything else happens, and
//! what is reached in between is what the step could have led to.

use super::claims::Initially;
use super::formula::{App, Formula, SymbolId, Term};
use super::resolve::Part;
use super::step::{Region, Step, Update};
use super::symbols::{Symbols, Vars};

/// Adds the flags, and the steps that change the cells of regions. Returns that no flag is set, which holds initially.
pub(super) fn loosen(steps: &mut Vec<Step>, symbols: &mut Symbols<'_>, vars: &mut Vars) -> Vec<Initially> {
    let mut regions: Vec<(Region, SymbolId)> = Vec::new();
    let mut flags: Vec<Vec<SymbolId>> = Vec::new();
    for step in steps.iter() {
        let mut own = Vec::new();
        for region in &step.open {
            let same = |it: &&(Region, SymbolId)| {
                it.0.symbol == region.symbol && region.condition_at(&it.0.cell) == it.0.condition
            };
            let known = regions.iter().find(same).map(|it| it.1);
            own.push(known.unwrap_or_else(|| {
                let symbol = symbols.get(region.symbol);
                let (name, span) = (format!("{}_open", symbol.name), symbol.span);
                let flag = symbols.add(name, true, Vec::new(), None, span);
                regions.push((region.clone(), flag));
                flag
            }));
        }
        flags.push(own);
    }
    let unset = |(region, flag): &(Region, SymbolId)| Initially {
        params: Vec::new(),
        formula: Formula::Is(App::old(*flag, Vec::new())).not(),
        span: symbols.get(region.symbol).span,
    };
    let initially = regions.iter().map(unset).collect();
    for (step, own) in steps.iter_mut().zip(&flags) {
        let set = |flag: &SymbolId| Formula::Bool(own.contains(flag));
        let flags = regions.iter().map(|it| Update::of_all(it.1, Vec::new(), set(&it.1), step.span));
        step.updates.extend(flags);
    }
    for (region, flag) in &regions {
        let symbol = symbols.get(region.symbol);
        let (name, span, result) = (format!("change_{}", symbol.name), symbol.span, symbol.result);
        let name_of_symbol = symbol.name.clone();
        let values = match result {
            None => vec![Formula::TRUE, Formula::FALSE],
            Some(sort) => match symbols.values(sort) {
                Some(values) => values.iter().map(|it| Term::Value(*it)).collect(),
                None => vec![Term::Var(vars.new_var(&name_of_symbol, span, Some(sort)))],
            },
        };
        let guard = [Formula::Is(App::old(*flag, Vec::new())), region.condition.clone()];
        for value in values {
            let mut params = region.cell.clone();
            if let Term::Var(var) = &value {
                params.push(*var);
            }
            steps.push(Step {
                guard: guard.iter().cloned().map(|formula| Part { formula, span }).collect(),
                updates: vec![Update::of_one(region.symbol, &region.cell, value, span, vars)],
                ..Step::new(&name, span, "a step leaves its value open", params)
            });
        }
    }
    initially
}
