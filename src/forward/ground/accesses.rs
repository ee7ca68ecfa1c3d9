//! Which arrays have cells that may count at processes of other sorts than those of their indices.

use super::arguments::{FixedSorts, is_true};
use cubicle_lang::model::{
    Assignment, Cell, Conj, Dnf, FormulaOfSorts, Literal, ProcRef, System, Term, Transition, Type, VarId,
};

/// Finds variables of which other cells than those at processes of their sorts may count.
pub struct Accesses<'a> {
    system: &'a System,
    sorts: &'a FixedSorts,
    found: Vec<bool>,
}

impl<'a> Accesses<'a> {
    /// For an instance with processes of these sorts.
    pub fn new(system: &'a System, sorts: &'a FixedSorts) -> Self {
        // Values of an abstract type have no names, and counts follow from other cells.
        let is_wide =
            |id: VarId| matches!(system.var(id).ty, Type::Abstract(_)) || system.count_of(id).is_some();
        let mut found: Vec<bool> = (0..).map(VarId).take(system.vars.len()).map(is_wide).collect();
        for (var, values) in said_everywhere(system) {
            found[usize::from(var.0)] |= values == 0;
        }
        Self { system, sorts, found }
    }

    /// Of each variable, whether it is one.
    pub fn of_other_sorts(mut self) -> Vec<bool> {
        let system = self.system;
        // What it says of all cells of an array tells none of them from the others.
        let everywhere = common(system);
        let others = |conj: &Conj| conj.iter().filter(|it| !everywhere.contains(it)).cloned().collect();
        let init = Dnf(system.init.body.0.iter().map(others).collect());
        self.formula(&init, vec![None; usize::from(system.init.params)]);
        for axiom in &system.axioms {
            self.formula(&axiom.denial, vec![None; usize::from(axiom.params)]);
        }
        for bad in &system.bad {
            self.conj(&bad.cube, usize::from(bad.params));
        }
        for count in &system.counts {
            let arity = system.var(count.var).arity();
            let mut known: Vec<Option<u8>> = (0..arity).map(|at| system.index_sort(count.var, at)).collect();
            known.push(None);
            let summand = count.summand.iter().flat_map(|it| &it.terms).map(|(cell, _)| cell).collect();
            self.read(&count.body, &known, summand);
        }
        for property in &system.temporal {
            for case in property.conditions().flat_map(|it| &it.0) {
                let params = property.params.len() + usize::from(case.hidden);
                self.conj(&case.cube, params);
                let said = system.sorts_said(&case.cube, params);
                for universal in &case.universals {
                    self.formula(&universal.body, with_unknown(&said, universal.bound));
                }
            }
        }
        system.transitions.iter().for_each(|it| self.transition(it));
        self.found
    }

    fn transition(&mut self, t: &Transition) {
        let system = self.system;
        self.conj(&t.guard, t.arity());
        let said = system.sorts_said(&t.guard, t.arity());
        for universal in &t.universals {
            self.formula(&universal.body, with_unknown(&said, universal.bound));
        }
        for update in &t.updates {
            let Assignment::Cases(branches) = &update.assignment else { continue };
            let arity = system.var(update.var).arity();
            let index = (0..arity).map(|at| system.index_sort(update.var, at));
            let known: Vec<Option<u8>> = said.iter().copied().chain(index).collect();
            for branch in branches {
                self.read(&branch.when, &known, branch.value.cells());
            }
            // A cell at a process of another sort stays as it is.
            for at in 0..arity {
                let Some(own) = known[said.len() + at] else { continue };
                for other in self.others(own) {
                    let mut sorts = with_unknown(&said, arity as u8);
                    sorts[said.len() + at] = Some(other);
                    let is_open = |when: &Dnf| {
                        let mut of_sorts = FormulaOfSorts::new(system, when);
                        let when = of_sorts.of(sorts.clone());
                        (!when.0.is_empty()).then(|| is_true(when))
                    };
                    let stays = |value: &Term| {
                        let own = |(at, it): (usize, &ProcRef)| *it == ProcRef::Var((said.len() + at) as u8);
                        matches!(value, Term::Cell(cell)
                            if cell.var == update.var && cell.index.iter().enumerate().all(own))
                    };
                    // The first branch that may be taken is taken, and changes nothing; or none of those before it does.
                    let mut taken = branches.iter().filter_map(|it| Some((is_open(&it.when)?, &it.value)));
                    let kept = taken.find_map(|(surely, value)| match (stays(value), surely) {
                        (false, _) => Some(false),
                        (true, true) => Some(true),
                        (true, false) => None,
                    });
                    self.found[usize::from(update.var.0)] |= kept != Some(true);
                }
            }
        }
    }

    /// The sorts of processes of the instance, but for this one.
    fn others(&self, own: u8) -> Vec<u8> {
        let mut all = self.sorts.present();
        all.retain(|sort| *sort != own);
        all
    }

    /// A conjunction over parameters.
    fn conj(&mut self, conj: &Conj, params: usize) {
        self.formula(&Dnf(vec![conj.clone()]), vec![None; params]);
    }

    fn formula(&mut self, formula: &Dnf, known: Vec<Option<u8>>) {
        self.read(formula, &known, Vec::new());
    }

    /// A formula over processes, of the sorts that are known of them, and cells that are read where it holds. A cell at a process of
    /// another sort does not count where the formula is false, or true whatever the cell holds.
    fn read(&mut self, formula: &Dnf, known: &[Option<u8>], beside: Vec<&Cell>) {
        let mut of_sorts = FormulaOfSorts::new(self.system, formula);
        for (process, of) in known.iter().enumerate() {
            let candidates = of.map_or_else(|| self.others(u8::MAX), |of| vec![of]);
            for sort in candidates {
                let mut sorts = known.to_vec();
                sorts[process] = Some(sort);
                let formula = of_sorts.of(sorts);
                let of_formula =
                    formula.0.iter().filter(|_| !is_true(formula)).flatten().flat_map(Literal::cells);
                let beside = beside.iter().filter(|_| !formula.0.is_empty()).copied();
                for cell in of_formula.chain(beside) {
                    let differs = |(at, it): (usize, &ProcRef)| match *it {
                        ProcRef::Var(var) if usize::from(var) != process => false,
                        _ => self.system.index_sort(cell.var, at).is_some_and(|it| it != sort),
                    };
                    self.found[usize::from(cell.var.0)] |= cell.index.iter().enumerate().any(differs);
                }
            }
        }
    }
}

/// The literals of `init` that say the same of all cells of an array of an enum.
fn common(system: &System) -> Vec<&Literal> {
    let Some((first, others)) = system.init.body.0.split_first() else { return Vec::new() };
    let is_everywhere = |literal: &&Literal| {
        let Literal::In { cell, .. } = literal else { return false };
        let is_parameter =
            |(at, it): (usize, &ProcRef)| matches!(it, ProcRef::Var(_)) && !cell.index[..at].contains(it);
        Some(cell.var) != system.sort_array()
            && cell.index.iter().enumerate().all(is_parameter)
            && others.iter().all(|conj| conj.contains(literal))
    };
    first.iter().filter(is_everywhere).collect()
}

/// The values that they leave to the cells of each of these arrays.
pub fn said_everywhere(system: &System) -> Vec<(VarId, u64)> {
    let mut said: Vec<(VarId, u64)> = Vec::new();
    for literal in common(system) {
        let (Literal::In { cell, values }, Type::Enum(ty)) = (literal, system.var(literal.cells()[0].var).ty)
        else {
            continue;
        };
        let values = values & system.enumeration(ty).all();
        match said.iter_mut().find(|(var, _)| *var == cell.var) {
            Some((_, known)) => *known &= values,
            None => said.push((cell.var, values)),
        }
    }
    said
}

/// What is known of parameters, and nothing of further processes.
fn with_unknown(said: &[Option<u8>], more: u8) -> Vec<Option<u8>> {
    said.iter().copied().chain((0..more).map(|_| None)).collect()
}
