//! Initial states, symbolically: the instantiated init in disjunctive form.

use hashbrown::DefaultHashBuilder;
use indexmap::IndexSet;

use crate::clock::Clock;
use crate::error::Unbuildable;
use crate::ground::arguments::Arguments;
use crate::ground::choices::Choice;
use crate::ground::formula::{GroundConj, GroundDnf, Grounder, Lit, Sum, push};
use crate::tuning::{EQUAL_CLAUSE_WINDOW, MAX_DISJUNCTS};
use cubicle_lang::model::semantics::tuples;
use cubicle_lang::model::{Conj, FormulaOfSorts, Literal, Relation, Said, Transition, Type, VarId};
use cubicle_run::Stop;

/// One way to satisfy the instantiated init: a set of values for each cell, and constraints among cells.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct InitDisjunct {
    /// For each cell of finite type, its values as in [`Lit::In`]; 0 for other types.
    pub sets: Vec<u128>,
    /// All other literals.
    pub rest: GroundConj,
}

/// A conjunct of the instantiated init: a disjunction.
struct Clause {
    ways: GroundDnf,
    /// From an axiom. Each way then excludes the earlier ones, so that disjuncts do not overlap: axioms about
    /// matrices have far more ways than states.
    exclusive: bool,
}

/// The disjuncts of the instance; every initial state satisfies one of them, and conversely. Axioms are part of
/// init here. Cells of the witnesses `last` are as `choices` says, whatever axioms say of them.
pub fn disjuncts(
    grounder: &Grounder<'_>,
    full: &[u128],
    last: &[VarId],
    choices: &[Choice],
    clock: &Clock,
    memory: usize,
) -> Result<Vec<InitDisjunct>, Unbuildable> {
    let init = &grounder.system.init;
    let procs = grounder.places.procs;
    let mut axioms: Vec<GroundDnf> = Vec::new();
    let is_about_choices =
        |cube: &Conj| cube.iter().flat_map(Literal::cells).any(|cell| last.contains(&cell.var));
    for axiom in grounder.system.axioms.iter().filter(|it| !is_about_choices(&it.cube)) {
        let params = usize::from(axiom.params);
        for tuple in Arguments::new(&axiom.cube, params, procs, grounder.sorts).tuples() {
            let clause = grounder.dnf(&axiom.denial, &tuple)?;
            if clause.iter().any(Vec::is_empty) {
                continue;
            }
            // Renamed processes often give the same clause in another order.
            let same = |c: &GroundDnf| c.len() == clause.len() && clause.iter().all(|conj| c.contains(conj));
            if !axioms.iter().rev().take(EQUAL_CLAUSE_WINDOW).any(same) {
                axioms.push(clause);
            }
        }
    }
    let clauses = if procs == 0 {
        vec![grounder.dnf(&init.without_processes, &[])?]
    } else {
        init_clauses(grounder, clock)?
    };
    let mut first = InitDisjunct { sets: full.to_vec(), rest: Vec::new() };
    for choice in choices {
        first.sets[choice.cell] = 1 << choice.own;
    }
    // Deterministic clauses first: they prune the choices of the others.
    let clauses = clauses.into_iter().map(|ways| Clause { ways, exclusive: false });
    let axioms = axioms.into_iter().map(|ways| Clause { ways, exclusive: true });
    let mut clauses: Vec<Clause> = clauses.chain(axioms).collect();
    clauses.sort_by_key(|c| c.ways.len().min(2));
    let mut choices = Vec::new();
    for clause in clauses {
        match clause.ways.as_slice() {
            [] => return Ok(Vec::new()),
            [conj] => {
                if !first.assume(conj) {
                    return Ok(Vec::new());
                }
            }
            _ => choices.push(clause),
        }
    }
    let mut out = Vec::new();
    for (divided, unused) in divided(grounder, last, first) {
        let from = out.len();
        branch(&choices, full, divided, &mut out, clock, memory)?;
        // What init says of these cells comes first.
        for disjunct in &mut out[from..] {
            for cell in &unused {
                disjunct.settle(cell);
            }
        }
    }
    let new: IndexSet<InitDisjunct, DefaultHashBuilder> = out.into_iter().collect();
    Ok(new.into_iter().collect())
}

/// A cell that no step reads or changes, since its indices are of other sorts than the declaration says: any value is as good.
struct Unused {
    cell: usize,
    ty: Type,
    /// The process of its first index.
    process: usize,
}

/// The disjunct with each way to divide the processes among the sorts of the model, and the cells that are not used then.
fn divided(
    grounder: &Grounder<'_>,
    last: &[VarId],
    disjunct: InitDisjunct,
) -> Vec<(InitDisjunct, Vec<Unused>)> {
    let Grounder { system, places, .. } = grounder;
    let (Some(sorts), Some(array)) = (&system.sorts, system.sort_array()) else {
        return vec![(disjunct, Vec::new())];
    };
    let mut all = Vec::new();
    'divisions: for division in sorts.divisions(places.procs) {
        let (mut next, mut unused_cells) = (disjunct.clone(), Vec::new());
        for (process, sort) in division.iter().enumerate() {
            let set = &mut next.sets[places.of(array).first + process];
            *set &= 1 << sort;
            if *set == 0 {
                continue 'divisions;
            }
        }
        for (id, var) in system.declared().filter(|it| !last.contains(&it.0)) {
            let pointed = system.pointed_sort(id).map(|sort| pointers_to(sort, &division));
            let table = places.of(id);
            for (cell, index) in (table.first..).zip(table.tuples()) {
                let unused = index.iter().enumerate().any(|(at, process)| {
                    system.index_sort(id, at).is_some_and(|sort| sort != division[*process])
                });
                match (unused, pointed) {
                    (true, _) => unused_cells.push(Unused { cell, ty: var.ty, process: index[0] }),
                    (false, Some(pointed)) => {
                        next.sets[cell] &= pointed;
                        if next.sets[cell] == 0 {
                            continue 'divisions;
                        }
                    }
                    (false, None) => {}
                }
            }
        }
        all.push((next, unused_cells));
    }
    all
}

/// Adds the ways to satisfy these clauses. What follows from axioms is said before a way is chosen: they have few solutions among many ways.
fn branch(
    choices: &[Clause],
    full: &[u128],
    disjunct: InitDisjunct,
    out: &mut Vec<InitDisjunct>,
    clock: &Clock,
    memory: usize,
) -> Result<(), Unbuildable> {
    let mut stack = vec![(choices.iter().collect::<Vec<_>>(), disjunct)];
    let mut bytes = 0;
    while let Some((mut choices, mut disjunct)) = stack.pop() {
        clock.poll()?;
        if !disjunct.settle_axioms(&mut choices) {
            continue;
        }
        let Some((clause, others)) = choices.split_first() else {
            if out.len() >= MAX_DISJUNCTS {
                return Err(Unbuildable::TooLarge);
            }
            bytes += disjunct.bytes();
            if bytes > memory {
                return Err(Unbuildable::Interrupted(Stop::Memory));
            }
            out.push(disjunct);
            continue;
        };
        let first = stack.len();
        let mut rest = Some(disjunct);
        for conj in &clause.ways {
            let Some(disjunct) = rest.as_mut() else { break };
            let mut next = disjunct.clone();
            if next.assume(conj) {
                stack.push((others.to_vec(), next));
            }
            if let (true, [Lit::In { cell, values }]) = (clause.exclusive, conj.as_slice()) {
                let denied = Lit::In { cell: *cell, values: full[*cell] & !values };
                if !disjunct.assume(&vec![denied]) {
                    rest = None;
                }
            }
        }
        // Disjuncts come out in the order of the ways.
        stack[first..].reverse();
    }
    Ok(())
}

impl InitDisjunct {
    const fn bytes(&self) -> usize {
        size_of::<Self>() + size_of::<u128>() * self.sets.len() + size_of::<Lit>() * self.rest.len()
    }

    /// Adds a conjunction; false when the result is empty.
    fn assume(&mut self, conj: &GroundConj) -> bool {
        conj.iter().all(|lit| match lit {
            Lit::In { cell, values } => {
                self.sets[*cell] &= values;
                self.sets[*cell] != 0
            }
            other => push(&mut self.rest, other.clone()),
        })
    }

    /// Adds what follows from axioms of which one way is left, and leaves out the clauses that hold; false when an axiom has no way.
    fn settle_axioms(&mut self, clauses: &mut Vec<&Clause>) -> bool {
        loop {
            clauses.retain(|clause| !clause.ways.iter().any(|conj| self.implies(conj)));
            let mut changed = false;
            for clause in clauses.iter().filter(|it| it.exclusive) {
                let mut possible = clause.ways.iter().filter(|conj| self.permits(conj));
                let Some(only) = possible.next() else { return false };
                if possible.next().is_none() {
                    if !self.assume(only) {
                        return false;
                    }
                    changed = true;
                }
            }
            if !changed {
                return true;
            }
        }
    }

    /// Whether what this says of each cell leaves a value for `conj`.
    fn permits(&self, conj: &GroundConj) -> bool {
        conj.iter().all(|lit| match lit {
            Lit::In { cell, values } => self.sets[*cell] & values != 0,
            _ => true,
        })
    }

    /// Gives a cell the first value that it may have; a pointer is to the process of its index where it may be.
    fn settle(&mut self, &Unused { cell, ty, process }: &Unused) {
        let set = self.sets[cell];
        match ty {
            Type::Proc if set >> process & 1 == 1 => self.sets[cell] = 1 << process,
            Type::Enum(_) | Type::Proc => self.sets[cell] = set & set.wrapping_neg(),
            Type::Int | Type::Real => {
                push(&mut self.rest, Lit::Linear { sum: Sum::of(cell), relation: Relation::Eq });
            }
            Type::Abstract(_) => {}
        }
    }

    /// Whether each literal of `conj` is already part of this disjunct.
    fn implies(&self, conj: &GroundConj) -> bool {
        conj.iter().all(|lit| match lit {
            Lit::In { cell, values } => self.sets[*cell] & !values == 0,
            other => self.rest.contains(other),
        })
    }
}

/// All values of each cell, as in [`Lit::In`]; 0 for cells of infinite type. Where the sorts of processes are known, a cell that no step gives any
/// value points to processes of its sort.
pub fn full_sets(grounder: &Grounder<'_>) -> Vec<u128> {
    let Grounder { system, places, .. } = grounder;
    let procs = places.procs;
    let mut sets = Vec::with_capacity(places.len());
    for (id, var) in (0..).map(VarId).zip(&system.vars) {
        let set = match var.ty {
            Type::Enum(e) => u128::from(system.enumeration(e).all()),
            Type::Proc if system.witnesses.contains(&id) => (1u128 << procs) - 1,
            Type::Proc => (1u128 << (procs + 1)) - 1,
            Type::Int | Type::Real | Type::Abstract(_) => 0,
        };
        let of_sort = of_pointed_sort(grounder, id);
        for index in places.of(id).tuples() {
            let fits = |of: &[u8], (at, p): (usize, &usize)| {
                system.index_sort(id, at).is_none_or(|sort| sort == of[*p])
            };
            let is_used =
                grounder.sorts.is_some_and(|it| index.iter().enumerate().all(|at| fits(&it.of, at)));
            sets.push(of_sort.filter(|_| is_used).map_or(set, |of_sort| set & of_sort));
        }
    }
    sets
}

/// The values that a variable may have initially, by its sort, where it keeps to them: `:= ?` may choose a process of another sort, too.
fn of_pointed_sort(grounder: &Grounder<'_>, id: VarId) -> Option<u128> {
    let Grounder { system, sorts, .. } = grounder;
    let (sorts, sort) = ((*sorts)?, system.pointed_sort(id)?);
    let chosen = |t: &Transition| t.open().any(|it| it == id);
    let keeps = !system.witnesses.contains(&id) && !system.transitions.iter().any(chosen);
    keeps.then(|| pointers_to(sort, &sorts.of))
}

/// The values of a pointer to processes of a sort, outside values among them, where the processes are of these sorts.
fn pointers_to(sort: u8, of: &[u8]) -> u128 {
    (0..of.len())
        .filter(|process| of[*process] == sort)
        .fold(1 << of.len(), |set, process| set | 1 << process)
}

/// What `init` says of all tuples of processes, once each.
pub fn init_clauses(grounder: &Grounder<'_>, clock: &Clock) -> Result<Vec<GroundDnf>, Unbuildable> {
    let init = &grounder.system.init;
    let (procs, params) = (grounder.places.procs, usize::from(init.params));
    let mut clauses: IndexSet<GroundDnf, DefaultHashBuilder> = IndexSet::default();
    let Some(sorts) = grounder.sorts else {
        for tuple in tuples(procs, params) {
            clock.poll()?;
            clauses.insert(grounder.dnf(&init.body, &tuple)?);
        }
        return Ok(clauses.into_iter().collect());
    };
    let present = sorts.present().into_iter().map(Some).collect();
    for Said { part, params: mentioned } in
        FormulaOfSorts::new(grounder.system, &init.body).said(init.params, present).iter()
    {
        // Parameters that it does not mention may be any process.
        let mut env: Vec<Vec<usize>> = vec![vec![0; params]];
        for (param, sort) in mentioned {
            let may_be = (0..procs).filter(|process| Some(sorts.of[*process]) == *sort);
            let with = |it: &Vec<usize>, process| [&it[..*param], &[process], &it[*param + 1..]].concat();
            env = env.iter().flat_map(|it| may_be.clone().map(|process| with(it, process))).collect();
        }
        for tuple in &env {
            clock.poll()?;
            let (common, rest) = divided_ways(grounder.dnf(part, tuple)?);
            clauses.extend([vec![common], rest]);
        }
    }
    Ok(clauses.into_iter().collect())
}

/// What all ways of a clause say, and the ways without it. Parts of `init` about different parameters are one formula, which otherwise
/// would have as many combinations of ways as there are tuples for the parameters that its ways do not differ in.
fn divided_ways(ways: GroundDnf) -> (GroundConj, GroundDnf) {
    let Some((first, others)) = ways.split_first() else { return (Vec::new(), ways) };
    let is_common = |lit: &Lit| others.iter().all(|way| way.contains(lit));
    let common: GroundConj = first.iter().filter(|lit| is_common(lit)).cloned().collect();
    let rest = |way: &GroundConj| way.iter().filter(|lit| !common.contains(lit)).cloned().collect();
    let rest: GroundDnf = ways.iter().map(rest).collect();
    let is_said = rest.iter().any(Vec::is_empty);
    (common, if is_said { vec![Vec::new()] } else { rest })
}
