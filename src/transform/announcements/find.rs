//! Announcements, and which literals of guards are stable.

use std::collections::BTreeMap;

use cubicle_lang::list::are_different;
use cubicle_lang::model::{
    Assignment, BOOL, Branch, Cell, Conj, Dnf, Literal, ProcRef, System, Term, Transition, TransitionId,
    Type, Universal, VarId,
};

/// Where a setter sets an announcement: a transition, and which parameters stand for the indices.
pub struct Setter {
    pub transition: TransitionId,
    /// Its parameters, one for each index of the announcement; all different.
    pub index: Vec<u8>,
    /// The stable literals of its guard.
    pub guard: Conj,
    /// The stable universals of its guard.
    pub universals: Vec<Universal>,
}

/// The announcements of a system, with their setters.
pub struct Announcements(BTreeMap<VarId, Vec<Setter>>);

impl Announcements {
    /// Those of which it is worth while to know what their setters saw: a setter says something of all processes, and has a parameter that the announcement
    /// does not have.
    pub fn of(system: &System) -> Self {
        let is_read = |var: VarId| {
            let is_asked = |t: &Transition| t.asked().any(|it| it.reads(var));
            system.transitions.iter().any(is_asked) || system.is_read_beside_guards(var)
        };
        let found = system.var_ids().filter_map(|var| {
            let is_free = system.var(var).ty == Type::Enum(BOOL)
                && system.count_of(var).is_none()
                && !system.witnesses.contains(&var)
                && is_false_initially(system, var)
                && system.bad.iter().all(|it| is_asked_of(system, &it.cube, var))
                && system.bad.iter().any(|it| it.cube.iter().any(|it| it.reads(var)))
                && !is_read(var);
            let setters = is_free.then(|| setters(system, var)).flatten()?;
            let is_worth = |it: &Setter| {
                !it.universals.is_empty() && it.index.len() < system.transition(it.transition).arity()
            };
            setters.iter().any(is_worth).then_some((var, setters))
        });
        Self(found.collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn contains(&self, var: VarId) -> bool {
        self.0.contains_key(&var)
    }

    pub fn names(&self) -> impl Iterator<Item = VarId> {
        self.0.keys().copied()
    }

    pub fn are_in(&self, cube: &Conj) -> bool {
        cube.iter().any(|it| self.said(it).is_some())
    }

    /// The indices and the setters of the announcement that a literal of a bad cube says to be true.
    pub fn said<'l>(&self, literal: &'l Literal) -> Option<(&'l Cell, &[Setter])> {
        let Literal::In { cell, .. } = literal else { return None };
        self.0.get(&cell.var).map(|setters| (cell, &setters[..]))
    }
}

/// Whether different variables stand at the indices of a cell.
fn is_apart(cell: &Cell) -> bool {
    cell.index.iter().all(|p| matches!(p, ProcRef::Var(_))) && are_different(&cell.index)
}

/// Whether a cube only says of the variable that cells are true, at different processes of the sorts of its indices.
fn is_asked_of(system: &System, cube: &Conj, var: VarId) -> bool {
    let is_of_sort = |(at, p): (usize, &ProcRef)| {
        let wanted = system.index_sort(var, at);
        let is = |sorts: u64| cube.iter().any(|it| system.sorts_of(it) == Some((*p, sorts)));
        wanted.is_none_or(|wanted| is(1 << wanted))
    };
    cube.iter().filter(|it| it.reads(var)).all(|literal| {
        matches!(literal, Literal::In { cell, values } if cell.var == var && *values == 1 << 1
            && is_apart(cell) && cell.index.iter().enumerate().all(is_of_sort))
    })
}

/// Whether `init` says that the variable is false at all processes of the sorts of its indices.
fn is_false_initially(system: &System, var: VarId) -> bool {
    let denial = |it: &Literal| match it {
        Literal::In { cell, values: 1 } if cell.var == var && is_apart(cell) => Some(cell.clone()),
        _ => None,
    };
    // The same cell in all disjuncts, so that no tuple of processes is left out.
    let everywhere = |dnf: &Dnf| {
        let Some(at) = dnf.0.iter().flatten().find_map(denial) else { return dnf.0.is_empty() };
        let excludes = |it: &Literal| {
            system.sorts_of(it).is_some_and(|(process, sorts)| {
                let index = at.index.iter().position(|p| *p == process);
                let sort = index.and_then(|index| system.index_sort(var, index));
                sort.is_some_and(|sort| sorts >> sort & 1 == 0)
            })
        };
        dnf.0.iter().all(|conj| conj.iter().any(|it| denial(it).as_ref() == Some(&at) || excludes(it)))
    };
    everywhere(&system.init.body)
        && (system.var(var).arity() > 0 || everywhere(&system.init.without_processes))
}

/// The setters of a variable; `None` where a step changes it in another way.
fn setters(system: &System, var: VarId) -> Option<Vec<Setter>> {
    let mut found = Vec::new();
    for (transition, t) in (0..).map(TransitionId).zip(&system.transitions) {
        let Some(assignment) = t.assignment(var) else { continue };
        let index = set_at(t, var, assignment.branches())?;
        let guard = t.guard.iter().filter(|it| is_stable(system, it)).cloned().collect();
        let of_stable = |it: &&Universal| it.body.0.iter().flatten().all(|it| is_stable(system, it));
        let universals = t.universals.iter().filter(of_stable).cloned().collect();
        found.push(Setter { transition, index, guard, universals });
    }
    Some(found)
}

/// The parameters at which an update sets an array to True; `None` where it does something else.
fn set_at(t: &Transition, var: VarId, branches: &[Branch]) -> Option<Vec<u8>> {
    let arity = t.arity() as u8;
    let (set, arity_of) = match branches {
        [set, Branch { value: Term::Cell(own), .. }] if own.var == var => {
            (set, (*own == t.written(var, own.index.len())).then_some(own.index.len())?)
        }
        [set] if set.when.is_true() => (set, 0),
        _ => return None,
    };
    let [when] = &set.when.0[..] else { return None };
    if set.value != Term::Constructor(1) || when.len() != arity_of {
        return None;
    }
    let at = |index: u8| {
        when.iter().filter_map(Literal::same_processes).find_map(|it| match it {
            [ProcRef::Var(p), ProcRef::Var(x)] | [ProcRef::Var(x), ProcRef::Var(p)]
                if x == arity + index && p < arity =>
            {
                Some(p)
            }
            _ => None,
        })
    };
    let found: Vec<u8> = (0..arity_of as u8).map(at).collect::<Option<_>>()?;
    are_different(&found).then_some(found)
}

/// Whether no step makes a literal false.
fn is_stable(system: &System, literal: &Literal) -> bool {
    if !literal.vars().any(|var| system.changes(var)) {
        return true;
    }
    let Literal::In { cell, values } = literal else { return false };
    let keeps = |t: &Transition| {
        let Some(assignment) = t.assignment(cell.var) else { return true };
        *assignment != Assignment::Nondet
            && assignment.branches().iter().all(|it| match &it.value {
                Term::Constructor(c) => values >> c & 1 == 1,
                Term::Cell(it) => *it == t.written(cell.var, cell.index.len()),
                Term::Proc(_) | Term::Linear(_) => false,
            })
    };
    system.count_of(cell.var).is_none() && system.transitions.iter().all(keeps)
}
