//! Announcements in a certificate: bad states that say what steps saw, in place of announcements that these steps were taken.
//!
//! `announce Decision with Noted1, Noted2` names variables of `bool`, and one more for each bad cube of the model that reads them. An announcement is false
//! initially; steps only set it, at some of their parameters, to True; and only bad cubes read it, to say that it is true at different processes. All of this is
//! checked here. The derived system has no steps that set it. Its bad cubes that read announcements say that a note is true; and for each way
//! in which announcements of such a cube may have been set, it has a transition that sets the note, with this guard: what the cube says beside the announcements, and of each
//! step that may have set one all that is *stable*: literals that no step of the model makes false, so that they are true still.
//!
//! So a run of the model to one of its bad cubes is, without the announcements, a run of the derived system after which such a transition is possible. What a guard says
//! may be left out here, where it is hard to say; the derived system can do more then.

use std::collections::BTreeSet;

use super::added::{NotDerived, declare, next_origin};
use cubicle_lang::model::{
    Assignment, BOOL, Branch, Cell, Conj, Dnf, Literal, ProcRef, System, Term, Transition, Type, Universal,
    Update, VarId, VarKind, mentioned, note_names, rename, simplify,
};

/// Most transitions for one bad cube.
const MOST: usize = 400;

/// The announcements of a system and the notes of its bad cubes, by name.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct NamedAnnouncements {
    /// The announcements.
    pub arrays: Vec<String>,
    /// The notes, in order of the bad cubes that read announcements.
    pub notes: Vec<String>,
}

/// Names for these announcements and their notes.
pub fn named(model: &System, announcements: &[VarId]) -> NamedAnnouncements {
    let reads =
        |conj: &Conj| conj.iter().any(|it| it.cells().iter().any(|cell| announcements.contains(&cell.var)));
    let notes = model.bad.iter().filter(|it| reads(&it.cube)).count();
    NamedAnnouncements {
        arrays: announcements.iter().map(|it| model.var(*it).name.clone()).collect(),
        notes: note_names(model, notes),
    }
}

/// The system in which bad cubes say what announcements stand for.
pub fn reduced(model: &System, named: &NamedAnnouncements) -> Result<System, NotDerived> {
    if named.arrays.is_empty() {
        return Ok(model.clone());
    }
    if model.proc_constants > 0 {
        return Err(NotDerived::TooHard("announcements in a model with constants `#1`".to_owned()));
    }
    let mut announcements = BTreeSet::new();
    for name in &named.arrays {
        let found = model.vars.iter().position(|it| it.name == *name);
        let unfit = |why: &str| NotDerived::Unfit(format!("announce {name}: {why}"));
        let var = VarId(found.ok_or_else(|| unfit("the model has no such variable"))? as u16);
        check(model, var).map_err(unfit)?;
        announcements.insert(var);
    }
    let mut system = model.to_parts();
    for t in &mut system.transitions {
        t.updates.retain(|it| !announcements.contains(&it.var));
    }
    let mut notes = named.notes.iter();
    let mut origin = next_origin(model);
    for (number, bad) in model.bad.iter().enumerate() {
        let (said, rest): (Vec<&Literal>, Vec<&Literal>) =
            bad.cube.iter().partition(|it| it.cells().iter().any(|cell| announcements.contains(&cell.var)));
        if said.is_empty() {
            continue;
        }
        let Some(name) = notes.next() else {
            return Err(NotDerived::Unfit(
                "expected a note for each bad cube that reads announcements".to_owned(),
            ));
        };
        let note = declare(&mut system, name, VarKind::Global, Type::Enum(BOOL))?;
        let noted = |value: u8| Literal::In {
            cell: Cell { var: note, index: std::iter::empty().collect() },
            values: 1 << value,
        };
        let init = &mut system.init;
        init.body.0.iter_mut().chain(&mut init.without_processes.0).for_each(|it| it.push(noted(0)));
        let mut ways = Ways { model, found: Vec::new() };
        let cube: Conj = rest.into_iter().cloned().collect();
        ways.follow(&said, Way { size: bad.params, guard: cube, sayings: Vec::new() })?;
        for (size, guard, universals) in ways.found {
            let seen = Branch { when: Dnf::truth(), value: Term::Constructor(1) };
            system.transitions.push(Transition {
                name: bad.name.clone(),
                origin,
                params: (1..=size).map(|p| format!("p{p}")).collect(),
                hidden: 0,
                spans: vec![bad.span; guard.len()],
                guard,
                universals,
                updates: vec![Update { var: note, assignment: Assignment::Cases(vec![seen]) }],
                span: bad.span,
            });
        }
        origin += 1;
        let changed = &mut system.bad[number];
        (changed.params, changed.cube, changed.spans) = (0, vec![noted(1)], vec![bad.span]);
    }
    match notes.next() {
        None => Ok(System::new(system)),
        Some(name) => Err(NotDerived::Unfit(format!("`{name}`: no further bad cube reads an announcement"))),
    }
}

/// Whether the variable is an announcement; else why not.
fn check(model: &System, var: VarId) -> Result<(), &'static str> {
    let reads = |it: &Literal| it.cells().into_iter().any(|cell| cell.var == var);
    let any = |it: &Dnf| it.0.iter().flatten().any(reads);
    let valued = |term: &Term| match term {
        Term::Cell(cell) => cell.var == var,
        Term::Linear(sum) => sum.terms.iter().any(|it| it.0.var == var),
        Term::Constructor(_) | Term::Proc(_) => false,
    };
    if model.var(var).ty != Type::Enum(BOOL) || model.count_of(var).is_some() {
        return Err("it is not a variable of `bool`");
    }
    let counted = model.counts.iter().any(|it| it.reads().contains(&var));
    if counted || model.axioms.iter().any(|it| it.cube.iter().any(reads)) {
        return Err("a count or an axiom reads it");
    }
    for t in &model.transitions {
        if t.guard.iter().any(reads) || t.universals.iter().any(|it| any(&it.body)) {
            return Err("a guard reads it");
        }
        for update in &t.updates {
            if update.var == var {
                set_by(t, update).ok_or("a step does something else than to set it at parameters")?;
            } else if update.assignment.branches().iter().any(|it| any(&it.when) || valued(&it.value)) {
                return Err("an update of another variable reads it");
            }
        }
    }
    let plain = |it: &Literal, value: u64| match it {
        Literal::In { cell, values } => cell.var == var && *values == value && different(&cell.index),
        _ => false,
    };
    if model.bad.iter().flat_map(|it| &it.cube).any(|it| reads(it) && !plain(it, 0b10)) {
        return Err("a bad cube says something else than that it is true at different processes");
    }
    let init = &model.init;
    let Some(denial) = init.body.0.iter().flatten().find(|it| plain(it, 0b01)) else {
        return Err("`init` does not say that it is false");
    };
    let Literal::In { cell: denied, .. } = denial else { unreachable!("it is plain") };
    // A disjunct of `init` need not deny it at a process that is not of the sort of this index, where nothing reads it.
    let of_other_sort = |it: &Literal| match it {
        Literal::In { cell, values } if Some(cell.var) == model.sort_array() => {
            let mut indices = (0..denied.index.len()).filter(|at| denied.index[*at] == cell.index[0]);
            indices.any(|at| model.index_sort(var, at).is_some_and(|sort| values & 1 << sort == 0))
        }
        _ => false,
    };
    let denies = |conj: &Conj| conj.iter().any(|it| it == denial || of_other_sort(it));
    let with_none = denied.index.is_empty().then_some(&init.without_processes);
    if !init.body.0.iter().all(denies)
        || !with_none.iter().all(|it| it.0.iter().all(|it| it.contains(denial)))
    {
        return Err("`init` does not say that it is false everywhere");
    }
    // That rests on what sorts the processes are of at which a bad cube reads it.
    let sorted = |conj: &Conj, p: ProcRef, sort: u8| {
        conj.iter().any(|it| {
            matches!(it, Literal::In { cell, values } if Some(cell.var) == model.sort_array() && cell.index[0] == p && *values == 1 << sort)
        })
    };
    let of_sorts = |(conj, cell): (&Conj, &Cell)| {
        let mut indices = cell.index.iter().enumerate();
        indices.all(|(at, p)| model.index_sort(var, at).is_none_or(|sort| sorted(conj, *p, sort)))
    };
    let read =
        |conj: &Conj| conj.iter().flat_map(|it| it.cells()).filter(|it| it.var == var).cloned().collect();
    for bad in &model.bad {
        let cells: Vec<Cell> = read(&bad.cube);
        if !cells.iter().all(|cell| of_sorts((&bad.cube, cell))) {
            return Err("a bad cube does not say of which sorts its processes are");
        }
    }
    Ok(())
}

fn different(index: &[ProcRef]) -> bool {
    index.iter().enumerate().all(|(at, p)| matches!(p, ProcRef::Var(_)) && !index[..at].contains(p))
}

/// The parameters at which an update sets its variable; `None` when it does something else.
fn set_by(t: &Transition, update: &Update) -> Option<Vec<ProcRef>> {
    let arity = t.arity() as u8;
    let (first, others) = update.assignment.branches().split_first()?;
    let indices = match others {
        [] => 0,
        [kept] => match &kept.value {
            Term::Cell(own) if own.var == update.var => {
                let is_own = own.index.iter().zip(arity..).all(|(p, at)| *p == ProcRef::Var(at));
                is_own.then_some(own.index.len() as u8)?
            }
            _ => return None,
        },
        _ => return None,
    };
    let [said] = &first.when.0[..] else { return None };
    let mut at: Vec<Option<ProcRef>> = vec![None; usize::from(indices)];
    for literal in said {
        let Literal::Eq {
            left: Term::Proc(ProcRef::Var(a)),
            right: Term::Proc(ProcRef::Var(b)),
            negated: false,
        } = literal
        else {
            return None;
        };
        let (p, index) = (*a.min(b), a.max(b).checked_sub(arity)?);
        let free = at.get_mut(usize::from(index)).filter(|it| it.is_none() && p < arity)?;
        *free = Some(ProcRef::Var(p));
    }
    let at: Vec<ProcRef> = at.into_iter().collect::<Option<_>>()?;
    (first.value == Term::Constructor(1) && different(&at)).then_some(at)
}

/// Whether no step of the model makes the literal false.
fn stays(model: &System, literal: &Literal) -> bool {
    let never_changes = |var: VarId| !model.transitions.iter().any(|t| model.may_change(t, var));
    match literal {
        Literal::In { cell, values } if !never_changes(cell.var) => {
            let updates = model.transitions.iter().flat_map(|t| t.updates.iter().map(move |it| (t, it)));
            let mut changes = updates.filter(|(_, it)| it.var == cell.var);
            model.count_of(cell.var).is_none()
                && changes.all(|(t, update)| match &update.assignment {
                    Assignment::Nondet => false,
                    Assignment::Cases(branches) => branches.iter().all(|it| match &it.value {
                        Term::Constructor(c) => values & 1 << c != 0,
                        Term::Cell(kept) => {
                            let index: Vec<ProcRef> = (0..kept.index.len() as u8)
                                .map(|at| ProcRef::Var(t.arity() as u8 + at))
                                .collect();
                            kept.var == cell.var && kept.index[..] == index[..]
                        }
                        Term::Proc(_) | Term::Linear(_) => false,
                    }),
                })
        }
        _ => literal.cells().iter().all(|cell| never_changes(cell.var)),
    }
}

/// One way to set some of the announcements of a bad cube.
#[derive(Clone)]
struct Way<'m> {
    /// Number of different processes that are named.
    size: u8,
    /// What is known of them.
    guard: Conj,
    /// What steps say of all processes that are not their parameters: which of the named ones are.
    sayings: Vec<(&'m Universal, Vec<ProcRef>)>,
}

/// All ways to set the announcements of a bad cube.
struct Ways<'m> {
    model: &'m System,
    found: Vec<(u8, Conj, Vec<Universal>)>,
}

impl<'m> Ways<'m> {
    /// Takes the ways to set the announcements that these literals read, and puts them among those found.
    fn follow(&mut self, said: &[&Literal], way: Way<'m>) -> Result<(), NotDerived> {
        let Some((Literal::In { cell, .. }, rest)) = said.split_first().map(|it| (*it.0, it.1)) else {
            return self.finish(way, 0);
        };
        for t in &self.model.transitions {
            let Some(update) = t.updates.iter().find(|it| it.var == cell.var) else { continue };
            let index =
                set_by(t, update).ok_or_else(|| NotDerived::Unfit("not an announcement".to_owned()))?;
            let mut names: Vec<Option<ProcRef>> = vec![None; t.arity()];
            for (p, name) in index.iter().zip(&cell.index) {
                let ProcRef::Var(p) = p else { unreachable!("an announcement is set at parameters") };
                names[usize::from(*p)] = Some(*name);
            }
            let mut open: Vec<usize> = (0..t.arity()).filter(|p| names[*p].is_none()).collect();
            // Any other process serves as a parameter of which the step asked nothing; which ones these are is known last.
            open.sort_by_key(|p| self.serves(t, *p));
            self.name(t, &open, &mut names, rest, &way)?;
        }
        Ok(())
    }

    /// Whether any process of its sort serves as a parameter: what stays true of the step says nothing of it, nor of other processes of its sort.
    fn serves(&self, t: &Transition, param: usize) -> bool {
        let sort_of = |it: &Literal, p: ProcRef| match it {
            Literal::In { cell, values } if Some(cell.var) == self.model.sort_array() => {
                (cell.index[0] == p).then_some(*values)
            }
            _ => None,
        };
        let own = ProcRef::Var(param as u8);
        let stable: Vec<&Literal> = t.guard.iter().filter(|it| stays(self.model, it)).collect();
        let Some(sort) = stable.iter().find_map(|it| sort_of(it, own)) else { return false };
        let is_asked = |it: &Literal| mentioned(it).contains(&own) && sort_of(it, own).is_none();
        let said = t.universals.iter().flat_map(|it| it.body.0.iter().flatten());
        if stable.into_iter().chain(said).any(is_asked) {
            return false;
        }
        t.universals.iter().all(|it| {
            (0..it.bound).all(|at| {
                let bound = ProcRef::Var(t.arity() as u8 + at);
                let holds = |conj: &Conj| match &conj[..] {
                    [one] => sort_of(one, bound).is_some_and(|values| sort & !values == 0),
                    _ => false,
                };
                it.body.0.iter().any(holds)
            })
        })
    }

    /// Gives names to the parameters of a step that have none: the first of `open`, and then the others.
    fn name(
        &mut self,
        t: &'m Transition,
        open: &[usize],
        names: &mut Vec<Option<ProcRef>>,
        rest: &[&Literal],
        way: &Way<'m>,
    ) -> Result<(), NotDerived> {
        let of = |p: ProcRef| match p {
            ProcRef::Var(v) => names[usize::from(v)],
            constant @ ProcRef::Const(_) => Some(constant),
        };
        // What the step is known to have seen of the processes that have names.
        let mut guard = way.guard.clone();
        for literal in t.guard.iter().filter(|it| stays(self.model, it)) {
            if mentioned(literal).into_iter().all(|p| of(p).is_some()) {
                let renamed = rename::literal(literal, &|p| of(p).unwrap_or(p));
                match renamed.ok_or_else(too_hard)? {
                    rename::Truth::Constant(true) => {}
                    rename::Truth::Constant(false) => return Ok(()),
                    rename::Truth::Literal(it) => guard.push(it),
                }
            }
        }
        let Some(guard) = possible(guard) else { return Ok(()) };
        let size = names.iter().flatten().map(|p| if let ProcRef::Var(v) = p { v + 1 } else { 0 });
        let size = size.max().unwrap_or(0).max(way.size);
        let Some((param, others)) = open.split_first() else {
            let own: Vec<ProcRef> = names.iter().copied().collect::<Option<_>>().expect("all have names");
            let stable = |it: &&Universal| it.body.0.iter().flatten().all(|it| stays(self.model, it));
            let mut way = Way { size, guard, ..way.clone() };
            way.sayings.extend(t.universals.iter().filter(stable).map(|it| (it, own.clone())));
            return self.follow(rest, way);
        };
        // One that is known to be of the sort is enough.
        let of_sort = |choice: ProcRef| {
            let is_sort = |it: &&Literal| matches!(it, Literal::In { cell, .. } if Some(cell.var) == self.model.sort_array());
            let wanted = t.guard.iter().filter(is_sort).find_map(|it| match it {
                Literal::In { cell, values } if cell.index[0] == ProcRef::Var(*param as u8) => Some(*values),
                _ => None,
            });
            guard.iter().filter(is_sort).any(|it| match it {
                Literal::In { cell, values } => {
                    cell.index[0] == choice && wanted.is_some_and(|it| values & !it == 0)
                }
                _ => false,
            })
        };
        let any = self.serves(t, *param);
        for choice in (0..=size).map(ProcRef::Var) {
            if names.contains(&Some(choice)) {
                continue;
            }
            names[*param] = Some(choice);
            self.name(t, others, names, rest, way)?;
            names[*param] = None;
            if any && of_sort(choice) {
                break;
            }
        }
        Ok(())
    }

    /// Says of each named process what steps say of it that are not its own, from this saying on.
    fn finish(&mut self, way: Way<'m>, from: usize) -> Result<(), NotDerived> {
        // What is said of several processes at once, some of them named, is left out.
        let Some((at, (universal, own))) =
            way.sayings.iter().enumerate().skip(from).find(|it| it.1.0.bound == 1)
        else {
            let about = |(universal, own): &(&Universal, Vec<ProcRef>)| {
                let body = said_of(universal, own, ProcRef::Var(way.size))?;
                let spans = body.iter().map(|it| vec![self.model.init.span; it.len()]).collect();
                Ok(Universal { bound: universal.bound, body: Dnf(body), spans })
            };
            let universals = way.sayings.iter().map(about).collect::<Result<_, NotDerived>>()?;
            self.found.push((way.size, way.guard, universals));
            return if self.found.len() > MOST { Err(too_hard()) } else { Ok(()) };
        };
        let others = (0..way.size).map(ProcRef::Var).filter(|p| !own.contains(p));
        let mut guards = vec![way.guard.clone()];
        for p in others {
            let body = said_of(universal, own, p)?;
            let mut next = Vec::new();
            for guard in &guards {
                // A disjunct that adds nothing is enough.
                let more = |conj: &Conj| possible([&guard[..], conj].concat());
                let all: Vec<Conj> = body.iter().filter_map(more).collect();
                match all.iter().find(|it| it.len() == guard.len() && it.iter().all(|it| guard.contains(it)))
                {
                    Some(_) => next.push(guard.clone()),
                    None => next.extend(all),
                }
            }
            if next.len() > MOST {
                return Err(too_hard());
            }
            guards = next;
        }
        for guard in guards {
            self.finish(Way { guard, ..way.clone() }, at + 1)?;
        }
        Ok(())
    }
}

/// What is said of bound processes, the first of which has this name.
fn said_of(universal: &Universal, own: &[ProcRef], first: ProcRef) -> Result<Vec<Conj>, NotDerived> {
    let name = |p: ProcRef| match (p, first) {
        (ProcRef::Var(v), ProcRef::Var(first)) => {
            let v = usize::from(v);
            own.get(v).copied().unwrap_or_else(|| ProcRef::Var(first + (v - own.len()) as u8))
        }
        (p, _) => p,
    };
    rename::disjunction(&universal.body.0, &name).ok_or_else(too_hard)
}

fn too_hard() -> NotDerived {
    NotDerived::TooHard("announcements that may be set in too many ways".to_owned())
}

/// The conjunction about different processes, unless it is plainly false.
fn possible(conj: Conj) -> Option<Conj> {
    let mut open = Conj::with_capacity(conj.len());
    for literal in conj {
        match &literal {
            Literal::Eq { left: Term::Proc(a), right: Term::Proc(b), negated } if (a == b) == *negated => {
                return None;
            }
            Literal::Eq { left: Term::Proc(_), right: Term::Proc(_), .. } => {}
            _ => open.push(literal),
        }
    }
    simplify(open, &|a, b| Some(a == b))
}
