//! Equations between numbers of processes, sums and numeric variables that hold in every reachable state:
//! `Readers = #{p | S[p] = Reading}`.
//!
//! The affine hull of the reachable states over *columns* (how many processes are in a class, sums of arrays, numeric
//! globals, which value a global holds) is the least one that contains the initial states and is closed under all steps (M. Karr,
//! "Affine relationships among variables of a program", Acta Informatica 1976; for counts alone these are place invariants,
//! K. Lautenbach 1987). What a step does to the columns is found by cases of the finite values that its guard and its updates
//! read; what is not affine loses its column.
//!
//! In reading order: `span` (exact linear algebra), `columns`, `case` (what a transition does), `hull` (the fixpoint), `traps` (classes that stay marked), `drains` (sums that never
//! grow), `floors` (numbers that are never negative), `named` (equations that people can read, and the counts that they need),
//! `observed` (what holds of each process), `outside` (pointers that name no process), `pointed` (for both, what terms say), `seen` (what may hold while a number is not zero, and of what steps move), `lasting` (what
//! may hold after a guard about counts).

mod case;
mod columns;
mod drains;
mod floors;
mod hull;
mod lasting;
mod limits;
mod named;
mod observed;
mod outside;
mod pointed;
mod seen;
mod span;
mod traps;

use cubicle_lang::list::{add_new, extend_new};
use cubicle_lang::model::{
    Equation, Literal, ProcRef, Rational, System, Term, Transition, Type, Update, Var, VarId, VarKind,
};
use tracing::{debug, debug_span};

use columns::{Column, Columns, number_of_classes};
use hull::Location;
pub use lasting::with_lasting_counts;
use limits::{MOST_CLASSES, MOST_OCCUPIED, MOST_PAIRS};
pub use named::WithEquations;
use outside::Noted;
pub use seen::{bounds_moved, open_numbers, with_counts_excluded, with_counts_seen};

/// Whether steps change numbers that equations may be about.
pub fn moves_numbers(system: &System) -> bool {
    let may_have = |var: &Var| matches!(var.kind, VarKind::Global | VarKind::Array(1)) && var.ty == Type::Int;
    system.proc_constants == 0 && system.declared().any(|(id, var)| may_have(var) && system.changes(id))
}

/// The equations of a system; `None` when there is none about a number. Where the analysis must end, which is asked every few milliseconds, not all of them.
pub fn with_equations(system: &System, must_end: &dyn Fn() -> bool) -> Option<WithEquations> {
    let _span = debug_span!("equations").entered();
    let of = |system: &System| {
        observed::with_equations_of_each(system, |it, facts| of_globals(it, facts, must_end))
    };
    match Noted::of(system) {
        Some(noted) => noted.said(&of(&noted.system)?),
        None => of(system),
    }
}

/// The equations that are not about a certain process, where these hold of each.
fn of_globals(system: &System, facts: &[Equation], must_end: &dyn Fn() -> bool) -> Option<WithEquations> {
    let is_number = |id: &VarId| {
        let var = system.var(*id);
        var.kind == VarKind::Global && var.ty == Type::Int && system.changes(*id)
    };
    let numbers: Vec<VarId> = system.var_ids().filter(is_number).collect();
    let counts = !system.counts.is_empty();
    if (numbers.is_empty() && !counts) || system.proc_constants > 0 {
        return None;
    }
    let arrays = columns::arrays(system);
    // Init says nothing of cells of other sorts: each array with that of sorts, or what else no step assigns and init depends on.
    let (fixed, others): (Vec<VarId>, Vec<VarId>) =
        arrays.iter().partition(|array| !system.changes(**array) && hull::init_depends_on(system, **array));
    let with_fixed = |array: &VarId| [&fixed[..], &[*array]].concat();
    let fits = |group: &Vec<VarId>| number_of_classes(system, group) <= MOST_CLASSES;
    let single =
        others.iter().map(|array| Some(with_fixed(array)).filter(fits).unwrap_or_else(|| vec![*array]));
    let single: Vec<Vec<VarId>> = single.collect();
    let equations = |groups: &[Vec<VarId>], kinds: [bool; 2]| {
        let columns = Columns::new(system, facts, groups, kinds, must_end)?;
        equations(&columns, &numbers)
    };
    let found = equations(&single, [true, false]);
    // How many numbers equations say something of, and not more than there are equations: whatever the location, in some location, and as bounds only.
    let says = |it: &Equation, var: &VarId| it.number.terms.iter().any(|(cell, _)| cell.var == *var);
    let settles = |found: &WithEquations| {
        let said = |of: &dyn Fn(&Equation) -> bool| {
            let of: Vec<&Equation> = found.equations.iter().filter(|it| of(it)).collect();
            let of_them = of.iter().filter(|it| numbers.iter().any(|var| says(it, var))).count();
            numbers.iter().filter(|var| of.iter().any(|it| says(it, var))).count().min(of_them)
        };
        [said(&|it| !it.at_least && it.when.is_empty()), said(&|it| !it.at_least), said(&|_| true)]
    };
    let alone = found.as_ref().map_or([0; 3], settles);
    let together = number_of_classes(system, &arrays);
    // A count may be about several arrays, and which classes have no process matters to it.
    let found = if (alone[0] < numbers.len() || counts) && arrays.len() > 1 {
        let joint = if together <= MOST_CLASSES {
            equations(&[arrays], [true, false])
        } else {
            // What is always so needs no globals, and nothing that does not change along with a number.
            let tied = |widely: bool| tied(system, &arrays, &numbers, widely);
            let always = equations(&tied(false), [false, false]);
            let known = always.as_ref().map_or(0, |it| settles(it)[0]).max(alone[0]);
            let of_modes = (known < numbers.len()).then(|| equations(&tied(true), [true, false])).flatten();
            let of_modes = of_modes.filter(|it| settles(it)[0] > known);
            of_modes.or(always)
        };
        joint.filter(|joint| counts || settles(joint) > alone).or(found)
    } else {
        found
    };
    // Two arrays at a time, where all of them together take too long.
    let mut found = found;
    let open = |found: &Option<WithEquations>| {
        let said = found.iter().flat_map(|it| &it.equations).filter(|it| !it.at_least);
        numbers.iter().copied().filter(|var| !said.clone().any(|it| says(it, var))).collect::<Vec<_>>()
    };
    let pairs = asked_together(system, &others, &open(&found));
    for pair in pairs.into_iter().filter(|_| others.len() > 2).take(MOST_PAIRS) {
        let known = found.as_ref().map_or([0; 3], settles);
        let system = found.as_ref().map_or(system, |it| &it.system);
        let group = [[&fixed[..], &pair].concat()];
        if open(&found).is_empty() || !fits(&group[0]) {
            continue;
        }
        let columns = Columns::new(system, facts, &group, [true, false], must_end);
        let Some(mut more) = columns.and_then(|it| self::equations(&it, &[])) else { continue };
        if let Some(found) = &found {
            extend_new(&mut more.equations, found.equations.clone());
        }
        if settles(&more) > known {
            found = Some(more);
        }
    }
    let known = found.as_ref().map_or([0; 3], settles);
    let is_summed = |(_, var): (VarId, &Var)| var.kind == VarKind::Array(1) && var.ty == Type::Int;
    let of_class = system.counts.iter().any(|it| it.summand.is_some() && !it.body.is_true());
    let found = if (known[0] < numbers.len() || of_class) && system.declared().any(is_summed) {
        let by_class = equations(&single, [true, true]);
        by_class.filter(|it| of_class || settles(it) > known).or(found)
    } else {
        found
    };
    found.filter(|found| counts || settles(found) > [0; 3])
}

/// Each two of these arrays that a step which changes a number asks for or assigns, of one process.
fn asked_together(system: &System, arrays: &[VarId], numbers: &[VarId]) -> Vec<[VarId; 2]> {
    let changes = |t: &&Transition| numbers.iter().any(|number| t.assignment(*number).is_some());
    let mut pairs = Vec::new();
    for t in system.transitions.iter().filter(changes) {
        for p in (0..t.arity()).map(|p| ProcRef::Var(p as u8)) {
            let cells = t.guard.iter().flat_map(Literal::cells);
            let asked = cells.filter(|cell| cell.index.as_slice() == [p]).map(|cell| cell.var);
            let is_of = |update: &&Update| {
                let when = update.assignment.branches().iter().flat_map(|it| it.when.0.iter().flatten());
                when.filter_map(Literal::same_processes).any(|pair| pair.contains(&p))
            };
            let of_it: Vec<VarId> = asked.chain(t.updates.iter().filter(is_of).map(|it| it.var)).collect();
            let of_it: Vec<&VarId> = arrays.iter().filter(|it| of_it.contains(it)).collect();
            for (at, one) in of_it.iter().enumerate() {
                of_it[at + 1..].iter().for_each(|other| add_new(&mut pairs, [**one, **other]));
            }
        }
    }
    pairs
}

/// The arrays that steps assign along with these numbers, in groups: together where a step assigns to one, of any process, what depends on another one of
/// that process, or (`widely`) assigns to both, unless there are too many classes.
fn tied(system: &System, arrays: &[VarId], numbers: &[VarId], widely: bool) -> Vec<Vec<VarId>> {
    let assigns = |t: &Transition, var: VarId| t.assignment(var).is_some();
    let declared = numbers.iter().filter(|number| system.count_of(**number).is_none());
    let with_number = |t: &&Transition| declared.clone().any(|number| assigns(t, *number));
    let is_along =
        |array: &&VarId| system.transitions.iter().filter(with_number).any(|t| assigns(t, **array));
    let mut groups: Vec<Vec<VarId>> = arrays.iter().filter(is_along).map(|array| vec![*array]).collect();
    let mut tie = |one: VarId, other: VarId| {
        let place = |var: VarId| groups.iter().position(|group| group.contains(&var));
        let (Some(of), Some(with)) = (place(one), place(other)) else { return };
        let both = [&groups[of][..], &groups[with][..]].concat();
        if of != with && number_of_classes(system, &both) <= MOST_CLASSES {
            groups[of.min(with)] = both;
            groups.remove(of.max(with));
        }
    };
    for t in &system.transitions {
        let own = [ProcRef::Var(t.arity() as u8)];
        for update in &t.updates {
            let branches = update.assignment.branches();
            let asked = branches.iter().flat_map(|it| it.when.0.iter().flatten()).flat_map(Literal::cells);
            let copied = branches.iter().filter_map(|it| match &it.value {
                Term::Cell(cell) => Some(cell),
                _ => None,
            });
            for cell in asked.chain(copied).filter(|cell| cell.index.as_slice() == own) {
                tie(update.var, cell.var);
            }
            for other in t.updates.iter().filter(|_| widely) {
                tie(update.var, other.var);
            }
        }
    }
    groups
}

/// The equations over these columns, and inequalities about those of these numbers that no equation is about.
fn equations(columns: &Columns<'_>, numbers: &[VarId]) -> Option<WithEquations> {
    let order = named::independent_first(columns);
    let steps = hull::steps(columns)?;
    let hulls = hull::hulls(columns, &steps, &order, None)?;
    let marked = traps::traps(columns, &steps)?;
    let mut rows = hulls.at(&Location::default(), &order)?.equations(columns.all.len());
    let is_open = |var: &VarId, rows: &[Vec<Rational>]| {
        let place = columns.place(&Column::Number(*var));
        place.is_some_and(|at| rows.iter().all(|row| row[at].is_zero()))
    };
    let mut open: Vec<VarId> = numbers.iter().copied().filter(|var| is_open(var, &rows)).collect();
    let first_empty =
        |at: &usize| matches!(columns.all[*at], Column::Class(..)) && !hull::is_initial(columns, *at, &[]);
    let mut apart = Vec::new();
    for class in (0..columns.all.len()).filter(first_empty).take(MOST_OCCUPIED) {
        if open.is_empty() {
            break;
        }
        let Some(more) = hull::hulls(columns, &steps, &order, Some(class)) else { break };
        let locations = more.0.iter().filter(|(_, hull)| !hull.is_empty());
        let of_each: Vec<_> = locations.map(|(_, hull)| hull.equations(columns.all.len())).collect();
        let is_settled = |var: &VarId| of_each.iter().all(|rows| !is_open(var, rows));
        if open.iter().any(is_settled) {
            open.retain(|var| !is_settled(var));
            rows.extend(more.at(&Location::default(), &order)?.equations(columns.all.len()));
            apart.push(more);
        }
    }
    let drained = drains::drains(columns, &steps, &open)?;
    let found = named::named(columns, &hulls, &apart, rows, marked, drained)?;
    debug!(columns = columns.all.len(), equations = found.equations.len(), "equations found");
    (!found.equations.is_empty()).then_some(found)
}
