//! The steps of a transition from named processes, as far as they are the same for all cubes.

use std::cell::{OnceCell, RefCell};

use super::ground::GroundFormula;
use cubicle_lang::model::{Assignment, Branch, Literal, ProcRef, System, Term, Transition, VarId};

/// Named processes as arguments, whose guard is not plainly false.
#[derive(Debug)]
pub struct Arguments {
    /// How many processes are named.
    pub procs: u8,
    pub args: Vec<u8>,
    pub guard: GroundFormula,
    /// What universal guards say of each process, together with those before it, once it is needed.
    pub others: RefCell<Vec<Vec<GroundFormula>>>,
}

/// Which cells of a variable a step may change.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Changes {
    Nothing,
    /// Those for which, in one of these lists, each index is the parameter beside it.
    At(Vec<Vec<(usize, usize)>>),
    Any,
}

/// What is known of one transition.
#[derive(Debug)]
pub struct Steps {
    changes: Vec<Changes>,
    /// Its arguments, once they are needed.
    pub arguments: OnceCell<Vec<Arguments>>,
}

impl Steps {
    pub fn new(system: &System, t: &Transition) -> Self {
        let change = |var: VarId| {
            if !system.may_change(t, var) {
                return Changes::Nothing;
            }
            let update = t.updates.iter().find(|update| update.var == var).map(|it| &it.assignment);
            match update {
                Some(Assignment::Cases(branches)) => {
                    changed(t, var, branches).map_or(Changes::Any, Changes::At)
                }
                _ => Changes::Any,
            }
        };
        let vars = (0..system.vars.len()).map(|number| VarId(number as u16));
        Self { changes: vars.map(change).collect(), arguments: OnceCell::new() }
    }

    pub fn may_change(&self, var: VarId) -> bool {
        self.changes[usize::from(var.0)] != Changes::Nothing
    }

    /// Whether they may change a cell of a literal, where it is about processes `named` and the arguments are `args`.
    pub fn may_change_at(&self, literal: &Literal, named: &[u8], args: &[u8]) -> bool {
        literal.cells().into_iter().any(|cell| {
            let is = |&(index, param): &(usize, usize)| match cell.index[index] {
                ProcRef::Var(i) => args[param] == named[usize::from(i)],
                ProcRef::Const(k) => args[param] == k,
            };
            match &self.changes[usize::from(cell.var.0)] {
                Changes::Nothing => false,
                Changes::At(lists) => lists.iter().any(|list| list.iter().all(is)),
                Changes::Any => true,
            }
        })
    }
}

/// For each way to take a branch that does not keep the value of a cell, which indices it asks to be which parameters; `None` where the last
/// branch does not keep it.
fn changed(t: &Transition, var: VarId, branches: &[Branch]) -> Option<Vec<Vec<(usize, usize)>>> {
    let (arity, last) = (t.arity(), branches.last()?);
    let Term::Cell(own) = &last.value else { return None };
    let indices = own.index.len();
    let unchanged = t.written(var, indices);
    let keeps = |branch: &Branch| branch.value.is(&unchanged);
    let asked = |literal: &Literal| {
        let [ProcRef::Var(a), ProcRef::Var(b)] = literal.same_processes()? else { return None };
        let (param, index) = (usize::from(a.min(b)), usize::from(a.max(b)));
        let index = index.checked_sub(arity).filter(|it| *it < indices)?;
        (param < arity).then_some((index, param))
    };
    if !keeps(last) || !last.when.0.iter().any(Vec::is_empty) {
        return None;
    }
    let ways = branches.iter().filter(|branch| !keeps(branch)).flat_map(|branch| &branch.when.0);
    Some(ways.map(|conj| conj.iter().filter_map(asked).collect()).collect())
}
