//! The system of `ranking of PROPERTY`: its bad states are reached if a condition of the ranking fails somewhere.
//!
//! # The rule
//!
//! A `response (p) { A } ~> { B }` (a `recurrence (p) { B }` has A = true) of an instance with finitely many processes *waits* for p in the states in
//! which the formula `waits` holds and B does not. A ranking names *measures*, each of a level, and fair steps that *help*, each with some
//! processes r: in a state that waits, a helper is *ready* for r when its formula holds and its step can be taken with these arguments.
//! A measure is a finite set (of tuples of processes), or an integer that is not negative while p waits. It *rises* in a step when the set gets an
//! element, or the number grows; it *falls* when the set loses one, or the number shrinks. In every reachable state and step:
//!
//! 1. *start*: where A holds and B does not, `waits` holds;
//! 2. *keep*: a step from a state that waits leads to one in which B or `waits` holds;
//! 3. *rise*: in a step from a state that waits to one in which B does not hold, where a measure of some level rises, one of a
//!    lower level falls;
//! 4. *lose*: in such a step in which no measure falls, each helper that is ready for some r before it is not what is taken (for any processes, if its fairness
//!    is about any), and is ready for r after it;
//! 5. *none*: in a state that waits, some helper is ready for some r;
//! 6. *below*: in a state that waits, no number of the measures is negative;
//! 7. *again*: a helper with strong fairness may be *ready* where its formula alone holds. Then the same conditions hold, with waits, measures
//!    and helpers of its own, of the response for p and r from the states that wait for p and satisfy its formula to those in which B holds or its
//!    step is possible.
//!
//! # Why the property holds
//!
//! Let a run break it: from some moment on, A having held, B never holds. By 1 and 2 all states from then on wait. Take a step in which
//! some measure rises or falls, and the lowest level at which one does. By 3 no measure of that level rises: so the measures of this level become
//! less (sets by inclusion, numbers by size), those of lower levels stay as they are, and the tuple of levels falls in its lexicographic order. The sets are finite, since
//! the instance is, and the numbers not negative: so there are finitely many such steps. From some moment on no measure changes. At that moment some
//! helper is ready for some r (5), and so it is for ever after, and its step is never taken (4). So it can be taken at every moment and is not: the run is not
//! fair, for weak fairness, and so for strong fairness. A run that stays where nothing is possible is such a run, too: a helper that is
//! ready is possible. By 7, a step whose helper's formula holds for ever is possible again and again, and never taken: not fair, for strong fairness, either. So no fair run breaks the property, for any number of processes. Nothing is assumed of the data, of the order or of names of processes.
//!
//! # What is derived
//!
//! Each condition fails in states that can be described by a conjunction over some processes, and what all others satisfy: guard of the step, the
//! state before it, and the state after it in terms of the state before (`ways`). Those that say nothing of all other processes are bad cubes, the others guards
//! of transitions that set `FAILED`. What cannot be said, or takes too many cases, is left out of such a conjunction: then more states are
//! bad, and a proof is still a proof. No step of the model is changed.
//!
//! That no other process is ready is said by a count, too, where what makes one ready is about its own cells and globals alone: `#{q | ..} = 0`, unless an
//! observed process is counted. That follows from the rest, and searches can use it.
//!
//! *least*: instead of 5 as it is, it is shown that a helper is ready for the least element of a set to which the first parameter belongs: `before` is
//! asymmetric and transitive on the set, so that the set, being finite and not empty, has an element with none before it.
//!
//! `fails`: a condition over some processes and all others; `rule`: what the conditions are made of; `helpers`: those about helpers; `conditions`: all of
//! them; `text`: the lines.

mod conditions;
mod fails;
mod helpers;
mod rule;
mod text;

use cubicle_lang::list::{add_new, are_different};
use cubicle_lang::model::{
    BOOL, Bad, Cell, Conj, Dnf, Linear, Literal, Measured, ProcRef, Progress, Ranking, Rational, Relation,
    System, SystemParts, TemporalKind, Transition, Type, Universal, Update, VarId, VarKind,
};
use cubicle_transform::{NotDerived, has_name};
use fails::Fails;

pub use conditions::awaited_again;
pub use text::{lines, read, words};

/// The most bad cubes and failing transitions.
const MOST: usize = 4096;

/// The system whose bad states are reached if a condition of the ranking fails.
///
/// # Errors
/// The ranking does not fit the model, or cannot be followed.
pub fn ranked(model: &System, ranking: &Ranking) -> Result<System, NotDerived> {
    let unfit = |why: &str| Err(NotDerived::Unfit(why.to_owned()));
    let Some(property) = model.temporal.iter().find(|it| it.name == ranking.property) else {
        return unfit("the model has no such property of runs");
    };
    if !matches!(property.kind, TemporalKind::Response | TemporalKind::Recurrence) {
        return unfit("a ranking is of a `response` or a `recurrence`");
    }
    if model.failures.is_some() {
        return unfit("a ranking needs processes that do not fail");
    }
    fits(model, ranking, property.params.len())?;
    let mut system = SystemParts { temporal: Vec::new(), fairness: Vec::new(), ..model.to_parts() };
    let failed = flag(&mut system, &ranking.failed)?;
    let has_failed = |truth| Literal::is(Cell::global(failed), truth);
    system.init.demand(&has_failed(false));
    let span = property.span;
    let mut bad: Vec<(u8, Conj)> = vec![(0, vec![has_failed(true)])];
    let mut steps: Vec<(u8, Conj, Vec<Universal>)> = Vec::new();
    for mut fails in conditions::all(model, ranking, property) {
        for (counted, or) in std::mem::take(&mut fails.none) {
            let body = Dnf(vec![counted]);
            let Some(count) = system.counted(0, body, None, span) else { continue };
            let expr = Linear::of(Cell::global(count));
            let none = vec![Literal::Linear { expr, relation: Relation::Eq, integer: true }];
            fails.and(&[&[none], &or[..]].concat());
        }
        let Fails { procs, ways, others, .. } = fails;
        for way in ways {
            if others.is_empty() {
                let found = (procs, way);
                add_new(&mut bad, found);
                continue;
            }
            let universal = |(bound, body): &(u8, Vec<Conj>)| Universal::derived(*bound, body.clone(), span);
            let found = (procs, way, others.iter().map(universal).collect());
            add_new(&mut steps, found);
        }
        if bad.len() + steps.len() > MOST {
            return Err(NotDerived::TooHard("a condition of the ranking fails in too many ways".to_owned()));
        }
    }
    let first = model.next_origin();
    let fails = (0..).zip(steps).map(|(number, (params, guard, universals))| {
        let params = (1..=params).map(|number| format!("p{number}")).collect();
        Transition {
            origin: first.saturating_add(number),
            universals,
            updates: vec![Update::setting(failed)],
            ..Transition::derived(format!("fails_{}", number + 1), params, guard, span)
        }
    });
    system.transitions.extend(fails);
    let bad = (1..).zip(bad).map(|(number, (params, cube))| {
        Bad::derived(format!("a condition of the ranking {number}"), number, params, cube, span)
    });
    system.bad = bad.collect();
    Ok(System::new(system))
}

/// Adds a variable of `bool` with this name, which the model must not have.
fn flag(system: &mut SystemParts, name: &str) -> Result<VarId, NotDerived> {
    let is_word = name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if !is_word || has_name(system, name) {
        return Err(NotDerived::Unfit(format!("`{name}` cannot be the name of a further variable")));
    }
    let var = system.declare(name.to_owned(), VarKind::Global, Type::Enum(BOOL), system.init.span);
    var.ok_or_else(NotDerived::too_many_variables)
}

/// Whether the formulas of a ranking are over the processes that they may name, and about variables of the model.
fn fits(model: &System, ranking: &Ranking, params: usize) -> Result<(), NotDerived> {
    let params = u8::try_from(params).ok().filter(|it| *it < 8);
    let Some(params) = params else {
        return Err(NotDerived::TooHard("the property has too many parameters".to_owned()));
    };
    let (mut formulas, mut numbers) = (Vec::new(), Vec::new());
    let fits = parts(model, &ranking.progress, params, &mut (&mut formulas, &mut numbers))?;
    let known = |cell: &Cell, most: u8| {
        let var = model.vars.get(usize::from(cell.var.0));
        let index = |p: &ProcRef| is_named(*p, most, model);
        var.is_some_and(|it| it.arity() == cell.index.len()) && cell.index.iter().all(index)
    };
    let formula = |(most, body): &(u8, &[Conj])| {
        body.iter().flatten().all(|literal| {
            literal.procs().into_iter().all(|p| is_named(p, *most, model))
                && literal.cells().into_iter().all(|cell| known(cell, *most))
        })
    };
    let whole = |(params, number): &(u8, &Linear)| {
        let cell = |(cell, factor): &(Cell, Rational)| {
            known(cell, *params) && factor.is_integer() && model.var(cell.var).ty == Type::Int
        };
        number.constant.is_integer() && number.terms.iter().all(cell)
    };
    if fits && formulas.iter().all(formula) && numbers.iter().all(whole) {
        return Ok(());
    }
    Err(NotDerived::Unfit("the ranking is not about the processes and variables that it may name".to_owned()))
}

/// Gathers the formulas and numbers of what is awaited for some processes, each with the number of processes that it may name. Returns whether the rest
/// fits.
fn parts<'r>(
    model: &System,
    progress: &'r Progress,
    params: u8,
    found: &mut (&mut Vec<(u8, &'r [Conj])>, &mut Vec<(u8, &'r Linear)>),
) -> Result<bool, NotDerived> {
    found.0.push((params, &progress.waits));
    let mut fits = params < 8;
    for measure in &progress.measures {
        match &measure.of {
            Measured::Tuples { further, body } => {
                fits &= *further <= 2;
                found.0.push((params + (*further).min(2), body));
            }
            Measured::Number(number) => found.1.push((params, number)),
        }
    }
    for helper in &progress.helpers {
        let Some(fairness) = model.fairness.get(helper.fairness) else {
            return Err(NotDerived::Unfit("the model has no such declaration of fairness".to_owned()));
        };
        let all = params + helper.further.min(2);
        fits &= helper.further <= 2 && are_different(&helper.args) && helper.args.iter().all(|it| *it < all);
        let plain = |t: &Transition| t.hidden == 0 && t.params.len() == helper.args.len();
        if !model.asked_by(fairness).all(plain) {
            return Err(NotDerived::TooHard("such a declaration of fairness is not followed".to_owned()));
        }
        found.0.push((all, &helper.when));
        if let Some(progress) = &helper.again {
            fits &= fairness.strong && all < 8 && parts(model, progress, all, found)?;
        }
    }
    if let Some(least) = &progress.least {
        fits &= params > 0;
        found.0.extend([(params + 1, &least.among[..]), (2, &least.before)]);
    }
    Ok(fits)
}

/// Whether a process is one of the first ones, or a constant of the model.
fn is_named(p: ProcRef, most: u8, model: &System) -> bool {
    match p {
        ProcRef::Var(v) => v < most,
        ProcRef::Const(k) => k < model.proc_constants,
    }
}
