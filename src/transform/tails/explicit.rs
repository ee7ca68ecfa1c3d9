//! The system with arrays for tails, their updates, and what guards say of them.

use super::effect::Effect;
use crate::announcements::without_announcements;
use crate::not_derived::NotDerived;
use cubicle_lang::list::{add_new, sequences};
use cubicle_lang::model::semantics::arrangements;
use cubicle_lang::model::{
    Assignment, BOOL, Branch, Cell, Conj, Count, Dnf, Forbidden, Literal, ProcRef, System, Tail, Term,
    Transition, Type, Universal, Update, Var, VarId, negated, rename, tail_names,
};

const MOST_CONDITIONS: usize = 200;

/// Most processes of a gap: universal guards have at most as many.
const MOST_BOUND: u8 = 4;

/// Most indices of a tail's array.
const MOST_INDICES: u8 = 8;

/// The system with arrays for these tails, in this order after its own variables, with the names of [`tail_names`]. The tails may come from anywhere: any clause
/// of `is_clause` gives a system with the runs of the original: its transitions are those of the original, in the same order.
///
/// # Errors
/// One does not fit the system, or its updates are too large.
pub fn with_tails(original: &System, tails: &[Tail]) -> Result<System, NotDerived> {
    // What is said of parameters and others takes them to be different.
    if original.proc_constants > 0 && !tails.is_empty() {
        return Err(NotDerived::TooHard("tails in a model with constants `#1`".to_owned()));
    }
    let mut system = original.to_parts();
    for (tail, name) in tails.iter().zip(tail_names(original, tails)) {
        if !is_clause(original, tail) {
            let why =
                format!("tail {name} is not a clause about some processes and others, in cells of the model");
            return Err(NotDerived::Unfit(why));
        }
        let ghost = system
            .declare(name.clone(), tail.kind(), Type::Enum(BOOL), original.init.span)
            .ok_or_else(NotDerived::too_many_variables)?;
        if let Some(declared) = system.sorts.as_mut().filter(|_| tail.constants > 0) {
            declared.indices.insert(ghost, tail.sorts(original));
        }
        system.init.demand(&Tail::literal(ghost, (0..tail.constants).map(ProcRef::Var), true));
        for t in &mut system.transitions {
            let update = update(original, t, tail, ghost).ok_or_else(|| {
                NotDerived::TooHard(format!("tail {name}: the steps of {} have too many cases", t.name))
            })?;
            for index in implied_at(original, t, tail) {
                t.guard.push(Tail::literal(ghost, index, true));
                t.spans.push(t.span);
            }
            t.updates.extend(update);
        }
    }
    Ok(System::new(system))
}

/// Whether the denial says of cells of enums of the system which values they hold, at processes that the tail has, all bound ones among them.
fn is_clause(system: &System, tail: &Tail) -> bool {
    let has = |p: &ProcRef| matches!(p, ProcRef::Var(v) if *v < tail.params());
    let is_said = |literal: &Literal| {
        let Literal::In { cell, values } = literal else { return false };
        let Some(var) = system.vars.get(usize::from(cell.var.0)) else { return false };
        let Type::Enum(id) = var.ty else { return false };
        let all = system.enumeration(id).all();
        values & !all == 0 && *values != all && cell.index.len() == var.arity() && cell.index.iter().all(has)
    };
    tail.constants <= MOST_INDICES
        && (1..=MOST_BOUND).contains(&tail.bound)
        && tail.denial.iter().all(is_said)
        && tail.bound_processes().all(|p| tail.denial.iter().any(|it| it.procs().contains(&p)))
}

/// The system whose variables a backward search mentions, in which these announcements were replaced, which had these tails and these counts; `None`
/// when they do not fit it.
pub fn searched_system(
    original: &System,
    announcements: &[VarId],
    tails: &[Tail],
    counts: &[(Var, Count)],
) -> Option<System> {
    let reduced = if announcements.is_empty() { None } else { Some(without_announcements(original).ok()?) };
    let original = reduced.as_ref().map_or(original, |it| &it.system);
    Some(with_tails(original, tails).ok()?.with_counts(counts))
}

/// The update of a tail's array by a transition; `None` inside when it keeps all values, and at all when it is too large.
fn update(system: &System, t: &Transition, tail: &Tail, ghost: VarId) -> Option<Option<Update>> {
    let constants = constants(t, tail);
    let others = others(t, tail);
    let effect = Effect::new(system, t, others);
    let bound = bound_processes(t, tail.bound, others);
    let of_sorts = sorts_said(system, tail, &constants);
    let conditions = |conjs: Vec<Conj>| -> Vec<Conj> {
        let mut out: Vec<Conj> = Vec::new();
        for conj in conjs {
            // Where the guard contradicts it, it never applies; what the guard says need not be said.
            if effect.consistent([&t.guard[..], &of_sorts, &conj].concat()).is_none() {
                continue;
            }
            let mut conj = [&of_sorts[..], &without(conj, others)].concat();
            conj.retain(|literal| !t.guard.iter().any(|known| known.implies(literal)));
            add_new(&mut out, conj);
        }
        out
    };
    let becomes: Option<Vec<_>> = bound.iter().map(|n| effect.becomes(&at(tail, &constants, n))).collect();
    let holds = conditions(becomes?.concat());
    let mut fails: Vec<Conj> = Vec::new();
    for n in bound.iter().filter(|it| !it.iter().any(|p| is_other(*p, others))) {
        let denial = at(tail, &constants, n);
        let was_denied = |way: &Conj| denial.iter().all(|it| way.iter().any(|known| known.implies(it)));
        let fails_after = effect.denied_after(&denial)?.into_iter();
        fails.extend(fails_after.filter(|way| !holds.is_empty() || !was_denied(way)));
    }
    let fails = conditions(fails);
    if fails.len() + holds.len() > MOST_CONDITIONS {
        return None;
    }
    let own = Term::Cell(Cell::at(ghost, constants.iter().copied()));
    let cases = [(fails, Term::Constructor(0)), (holds, Term::Constructor(1))];
    let mut branches: Vec<Branch> = (cases.into_iter().filter(|it| !it.0.is_empty()))
        .map(|(when, value)| Branch { when: Dnf(when), value })
        .collect();
    if branches.is_empty() {
        return Some(None);
    }
    branches.push(Branch { when: Dnf::truth(), value: own });
    Some(Some(Update { var: ghost, assignment: Assignment::Cases(branches) }))
}

/// The index variables of an update of the tail's array.
pub fn constants(t: &Transition, tail: &Tail) -> Vec<ProcRef> {
    let arity = t.arity() as u8;
    (arity..arity + tail.constants).map(ProcRef::Var).collect()
}

/// States that no run should reach, though nothing rests on that: the arrays, the first of which is `first`, say that a clause holds of all
/// processes, and it does not hold of one.
pub fn gaps(original: &System, tails: &[Tail], first: VarId) -> Vec<Forbidden> {
    let gap = |(tail, ghost): (&Tail, u16)| {
        let constants: Vec<ProcRef> = (0..tail.constants).map(ProcRef::Var).collect();
        let mut cube = sorts_said(original, tail, &constants);
        cube.push(Tail::literal(VarId(ghost), constants, true));
        cube.extend(tail.denial.iter().cloned());
        Forbidden::new(tail.params(), cube)
    };
    tails.iter().zip(first.0..).map(gap).collect()
}

/// The number of the first process that is not a parameter of the transition, but may be one of the constants.
pub fn others(t: &Transition, tail: &Tail) -> usize {
    t.arity() + usize::from(tail.constants)
}

/// What the bound processes of a tail may be, which are different: each a parameter of the transition, or another process, which has a number from `others`
/// on; those of parameters alone come first.
pub fn bound_processes(t: &Transition, bound: u8, others: usize) -> Vec<Vec<ProcRef>> {
    let next = |known: &[ProcRef]| {
        let processes = (0..t.arity()).chain([others + known.len()]).map(|v| ProcRef::Var(v as u8));
        processes.filter(|p| !known.contains(p)).collect()
    };
    let mut all: Vec<Vec<ProcRef>> = sequences(bound.into(), next).collect();
    all.sort_by_key(|it| it.iter().any(|p| is_other(*p, others)));
    all
}

fn is_other(process: ProcRef, others: usize) -> bool {
    matches!(process, ProcRef::Var(v) if usize::from(v) >= others)
}

/// The denial of a tail at these processes.
pub fn at(tail: &Tail, constants: &[ProcRef], bound: &[ProcRef]) -> Conj {
    let all = [constants, bound].concat();
    let map = |p: ProcRef| p.renamed(|v| all[usize::from(v)]);
    let cell = |it: &Cell| rename::cell(it, &map);
    tail.denial.iter().map(|it| rename::replaced(it, &cell, &map)).collect()
}

/// That the constants of a tail are of their sorts.
pub fn sorts_said(system: &System, tail: &Tail, constants: &[ProcRef]) -> Conj {
    // Where there is only one sort, guards do not say it.
    let several = |var: &VarId| matches!(system.var(*var).ty, Type::Enum(id) if system.enumeration(id).all().count_ones() > 1);
    let Some(var) = system.sort_array().filter(several) else { return Conj::new() };
    let said = |(p, sort): (&ProcRef, Option<u8>)| {
        sort.map(|sort| Literal::In { cell: Cell::at(var, [*p]), values: 1 << sort })
    };
    constants.iter().zip(tail.sorts(system)).filter_map(said).collect()
}

/// The conjunction without what it says of processes that are not parameters, in place of bound ones.
fn without(conj: Conj, others: usize) -> Conj {
    conj.into_iter().filter(|it| !it.procs().into_iter().any(|p| is_other(p, others))).collect()
}

/// Whether a guard says that the array of a tail is true anywhere.
pub fn is_said(system: &System, tail: &Tail) -> bool {
    system.transitions.iter().any(|t| !implied_at(system, t, tail).is_empty())
}

/// The parameters at which the guard of a transition implies the clause of a tail.
fn implied_at(system: &System, t: &Transition, tail: &Tail) -> Vec<Vec<ProcRef>> {
    // The constants are parameters here: other processes have the numbers of the bound ones of universal guards.
    let arity = t.arity();
    let bound = bound_processes(t, tail.bound, arity);
    let effect = Effect::new(system, t, arity);
    let contradicts = |conj: &[Literal]| effect.consistent([&t.guard[..], conj].concat()).is_none();
    let holds = |index: &Vec<ProcRef>| {
        let of_sorts = sorts_said(system, tail, index);
        let holds_of = |n: &Vec<ProcRef>| {
            let denied = at(tail, index, n);
            let others: Vec<ProcRef> = n.iter().copied().filter(|p| is_other(*p, arity)).collect();
            t.universals.iter().any(|it| is_denied(system, it, arity, &others, &denied))
                || contradicts(&denied)
        };
        of_sorts.iter().all(|it| t.guard.iter().any(|known| known.implies(it))) && bound.iter().all(holds_of)
    };
    let parameters: Vec<ProcRef> = (0..arity as u8).map(ProcRef::Var).collect();
    arrangements(&parameters, tail.constants.into()).into_iter().filter(holds).collect()
}

/// Whether a universal guard of some of these other processes contradicts a denial.
fn is_denied(system: &System, guard: &Universal, arity: usize, others: &[ProcRef], denied: &Conj) -> bool {
    // Which of them its bound processes are.
    arrangements(others, guard.bound.into()).iter().any(|chosen| {
        let map = |p: ProcRef| p.indexed(arity, chosen);
        let is_denied = |literal: &Literal| match negated(system, literal) {
            Some(Literal::In { cell, values }) => {
                let needed = Literal::In { cell: rename::cell(&cell, &map), values };
                denied.iter().any(|known| known.implies(&needed))
            }
            _ => false,
        };
        guard.body.0.iter().all(|conj| conj.iter().any(is_denied))
    })
}
