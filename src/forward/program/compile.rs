//! From the system and the number of processes to the compiled instance.

use std::borrow::Cow;
use std::sync::Arc;

use crate::clock::Clock;
use crate::error::Unbuildable;
use crate::ground::choices::choices;
use crate::ground::formula::counts;
use crate::ground::{
    Arguments, FixedSorts, GroundConj, GroundDnf, Grounder, Lit, Places, disjuncts, full_sets, push,
};
use crate::program::choosing::Choosing;
use crate::program::code::{
    BadInstance, Guard, GuardedSource, Instance, Step, Test, Write, WrittenValue, steps,
};
use crate::program::compiled::Program;
use crate::program::counted::Counts;
use crate::program::dead::DeadCells;
use crate::program::guard_index::GuardIndex;
use crate::program::sleep::SleepSets;
use crate::state::{Bounds, Cells, LinearExpr, Packing, largest_constant};
use crate::symmetry::canonical::{Exchangeable, Symmetry};
use crate::tuning::{MAX_CELLS, MAX_INSTANCES, MAX_POSITIONS, MAX_PROCS};
use cubicle_lang::diagnostic::Span;
use cubicle_lang::model::semantics::{admits, interchangeable};
use cubicle_lang::model::{
    Assignment, Bad, Branch, Cell, Literal, ProcRef, System, Term, TransitionId, Type,
};
use cubicle_run::ForwardOptions;

impl Program {
    /// Compiles the instance of `system` with `procs` processes, for explorations with these options; `clock` is polled meanwhile.
    pub fn new(
        system: &System,
        procs: usize,
        options: &ForwardOptions,
        clock: &Clock,
    ) -> Result<Self, Unbuildable> {
        let whole = system;
        let system = &*of_sorts(system, procs, &options.of_sorts);
        if !admits(system, procs) {
            return Err(Unbuildable::NoInstance);
        }
        let sorts = FixedSorts::new(system, procs);
        let read = read_by_ends(system, &options.expected_end);
        let places = Places::new(&read, procs, sorts.as_ref());
        check_size(system, &places, sorts.as_ref())?;
        let grounder = Grounder { system, places: &places, sorts: sorts.as_ref() };
        let full = full_sets(&grounder);
        let last = read.chosen_last();
        let choices = choices(&grounder, &last)?;
        let memory = options.memory.unwrap_or(usize::MAX);
        let disjuncts = disjuncts(&grounder, &full, &last, &choices, clock, memory)?;
        let counted = counts(&grounder, clock)?;
        let mut cells =
            Cells::new(&read, places.clone(), &disjuncts, &full, &counted, options.undefined_cells)?;
        let constants = largest_constant(&read).saturating_mul(cells.scale.unsigned_abs());
        let mut bounds: Bounds = None;
        if let Some((low, high)) = options.number_range {
            cells.sample_range(low, high);
            let largest = i64::try_from(constants).unwrap_or(i64::MAX / 2).min(i64::MAX / 4);
            let (low, high) = (low.min(-largest), high.max(largest));
            bounds = Some((low, high)).filter(|_| low.abs_diff(high) < 1 << 40);
        }
        let choosing = Choosing::new(&cells, &choices);
        let mut packing = Packing::new(&cells, bounds, constants >= 1 << 30);
        let counts = Counts::new(&cells, &counted)?;
        let compiler =
            Compiler { cells: &cells, counts: &counts, grounder: &grounder, packing: &packing, clock };
        let (mut instances, mut masks) = compiler.instances()?;
        let (bads, ends) = (compiler.bads()?, compiler.ends(&options.expected_end)?);
        let mut dead = DeadCells::default();
        if options.merge_dead && options.undefined_cells {
            let steps: Vec<Step<'_>> = steps(&instances, &packing, &masks).collect();
            dead = DeadCells::new(system, &cells, &choosing, &steps, &bads, ends.as_deref(), &disjuncts);
        }
        if !dead.is_empty() {
            cells.let_undefined(dead.all());
            packing = Packing::new(&cells, bounds, constants >= 1 << 30);
            let compiler =
                Compiler { cells: &cells, counts: &counts, grounder: &grounder, packing: &packing, clock };
            (instances, masks) = compiler.instances()?;
            for (instance, masks) in instances.iter_mut().zip(masks.chunks_mut(2 * packing.words)) {
                dead.leave(instance, &cells, &packing, masks);
            }
        }
        let index = |guards: Vec<&Guard>| GuardIndex::new(&cells, &packing, &guards);
        let enabled = index(instances.iter().map(|it| &it.guard).collect());
        let bad_table = index(bads.iter().map(|it| &it.guard).collect());
        let (fixed, of_sorts) = (usize::from(read.proc_constants), FixedSorts::of(sorts.as_ref()));
        let symmetry = if options.symmetry {
            Symmetry::beside(fixed, &read, &cells, of_sorts, &packing)
        } else {
            Symmetry::Off
        };
        let arguments = instances.iter().map(|i| i.args.as_slice());
        let exchangeable = Exchangeable::new(&symmetry, procs, arguments);
        let sleep_sets = SleepSets::new(&cells, &packing, &symmetry, &instances, &masks);
        let (undefined, range) = (options.undefined_cells, options.number_range);
        Ok(Self {
            system: Arc::new(whole.clone()),
            cells,
            counts,
            packing,
            instances,
            masks,
            enabled,
            bads,
            bad_table,
            symmetry,
            exchangeable,
            sleep_sets,
            disjuncts,
            choices,
            choosing,
            sorts,
            full,
            undefined,
            dead,
            range,
            ends,
            interrupt: clock.interrupt.clone(),
        })
    }
}

/// The system with these numbers of processes of each sort, where it has sorts and they are as many.
fn of_sorts<'s>(system: &'s System, procs: usize, asked: &[(String, usize)]) -> Cow<'s, System> {
    if asked.is_empty() || system.sorts.is_none() || asked.iter().map(|it| it.1).sum::<usize>() != procs {
        return Cow::Borrowed(system);
    }
    let of = |sort: &String| asked.iter().find(|it| it.0 == *sort).map_or(0, |it| it.1);
    Cow::Owned(system.edited(|parts| {
        if let Some(sorts) = &mut parts.sorts {
            sorts.sizes = Some(sorts.names.iter().map(of).collect());
        }
    }))
}

/// The system with what an expected end compares: values that are compared need one encoding, and its
/// numbers and its order of processes count like those of any bad cube.
fn read_by_ends<'a>(system: &'a System, expected: &[Literal]) -> Cow<'a, System> {
    if expected.is_empty() {
        return Cow::Borrowed(system);
    }
    let end = Bad::derived("", 0, 1, expected.to_vec(), Span::default());
    Cow::Owned(system.edited(|parts| parts.bad.push(end)))
}

/// That a process is of another sort than the one that an expected end mentions cells of.
fn of_another_sort(system: &System, expected: &[Literal]) -> Option<Literal> {
    let process = ProcRef::Var(0);
    let sort = |cell: &Cell| {
        let places = cell.index.iter().enumerate().filter(|(_, p)| **p == process);
        places.map(|it| it.0).find_map(|at| system.index_sort(cell.var, at))
    };
    let sort = expected.iter().flat_map(Literal::cells).find_map(sort)?;
    let array = system.sort_array()?;
    let Type::Enum(sorts) = system.var(array).ty else { return None };
    let values = system.enumeration(sorts).all() & !(1 << sort);
    (values != 0).then(|| Literal::In { cell: Cell::at(array, [process]), values })
}

/// Refuses instances that would use up the memory before the first state.
fn check_size(system: &System, places: &Places, sorts: Option<&FixedSorts>) -> Result<(), Unbuildable> {
    let procs = places.procs;
    let power = |n: usize| procs.checked_pow(n as u32).unwrap_or(usize::MAX);
    let total =
        |sizes: &mut dyn Iterator<Item = usize>, max: usize| sizes.fold(0usize, usize::saturating_add) <= max;
    // Each parameter is first of some sort, and then some process of it.
    let largest = |sorts: &FixedSorts| sorts.sizes.iter().map(|it| it.1).max().unwrap_or(0);
    let kinds = sorts.map_or(procs, |sorts| largest(sorts).max(sorts.present().len()));
    let fits = procs <= MAX_PROCS
        && places.len() <= MAX_CELLS
        && total(&mut system.vars.iter().map(|v| power(v.arity())), MAX_POSITIONS)
        && total(&mut system.counts.iter().map(|c| power(system.var(c.var).arity() + 1)), MAX_INSTANCES)
        && total(
            &mut system.transitions.iter().map(|t| Arguments::new(&t.guard, t.arity(), procs, sorts).most()),
            MAX_INSTANCES,
        )
        && total(
            &mut system.axioms.iter().map(|a| Arguments::new(&a.cube, a.params.into(), procs, sorts).most()),
            MAX_INSTANCES,
        )
        && kinds.checked_pow(system.init.params.into()).is_some_and(|choices| choices <= MAX_INSTANCES);
    if fits { Ok(()) } else { Err(Unbuildable::TooLarge) }
}

struct Compiler<'a> {
    cells: &'a Cells,
    counts: &'a Counts,
    grounder: &'a Grounder<'a>,
    packing: &'a Packing,
    clock: &'a Clock,
}

impl Compiler<'_> {
    fn instances(&self) -> Result<(Vec<Instance>, Vec<u64>), Unbuildable> {
        let procs = self.cells.procs;
        let mut instances = Vec::new();
        let mut masks = Vec::new();
        for (t, transition) in self.grounder.system.transitions.iter().enumerate() {
            let (system, sorts) = (self.grounder.system, self.grounder.sorts);
            let others =
                |universal| Arguments::of_universal(universal, transition.arity(), system, sorts, procs);
            let others: Vec<Arguments> = transition.universals.iter().map(others).collect();
            'args: for args in Arguments::new(&transition.guard, transition.arity(), procs, sorts).tuples() {
                self.clock.poll()?;
                let Some(mut conj) = self.grounder.conj(&transition.guard, &args)? else { continue };
                let mut clauses: Vec<GroundDnf> = Vec::new();
                for (universal, others) in transition.universals.iter().zip(&others) {
                    for env in others.after(&args).tuples() {
                        self.clock.poll()?;
                        let clause = self.grounder.dnf(&universal.body, &env)?;
                        match clause.as_slice() {
                            [] => continue 'args,
                            [one] => {
                                if !one.iter().all(|lit| push(&mut conj, lit.clone())) {
                                    continue 'args;
                                }
                            }
                            _ => clauses.push(clause),
                        }
                    }
                }
                let Some(guard) = self.guard(&conj, &clauses)? else { continue };
                let mut instance = Instance {
                    transition: TransitionId(t as u16),
                    args: args.iter().map(|a| *a as u8).collect(),
                    guard,
                    writes: Vec::new(),
                    nondet: Vec::new(),
                    dead: Vec::new(),
                    renames: false,
                };
                self.updates(&mut instance, &args, &mut masks)?;
                if instances.len() >= MAX_INSTANCES {
                    return Err(Unbuildable::TooLarge);
                }
                instances.push(instance);
            }
        }
        Ok((instances, masks))
    }

    fn bads(&self) -> Result<Vec<BadInstance>, Unbuildable> {
        let mut bads = Vec::new();
        let mut tried = 0;
        for (bad, cube) in self.grounder.system.bad.iter().enumerate() {
            // Exchanging interchangeable parameters gives the same ground cube again.
            let params = usize::from(cube.params);
            let above = interchangeable(&cube.cube, params);
            let args = Arguments::new(&cube.cube, params, self.cells.procs, self.grounder.sorts);
            for args in args.rising(above) {
                tried += 1;
                if tried > MAX_INSTANCES {
                    return Err(Unbuildable::TooLarge);
                }
                self.clock.poll()?;
                let Some(conj) = self.grounder.conj(&cube.cube, &args)? else { continue };
                if let Some(guard) = self.guard(&conj, &[])?
                    && !bads.iter().rev().take(64).any(|b: &BadInstance| b.bad == bad && b.guard == guard)
                {
                    bads.push(BadInstance { bad, guard });
                }
            }
        }
        Ok(bads)
    }

    fn ends(&self, expected: &[Literal]) -> Result<Option<Vec<Vec<Guard>>>, Unbuildable> {
        if expected.is_empty() {
            return Ok(None);
        }
        // Nothing is asked of processes of other sorts than those whose cells it mentions.
        let other = of_another_sort(self.grounder.system, expected);
        let mut ends = Vec::new();
        for process in 0..self.cells.procs {
            let mut guards = Vec::new();
            for way in other.as_ref().map(std::slice::from_ref).into_iter().chain([expected]) {
                let Some(conj) = self.grounder.conj(way, &[process])? else { continue };
                guards.extend(self.guard(&conj, &[])?);
            }
            if guards.is_empty() {
                return Ok(None);
            }
            ends.push(guards);
        }
        Ok(Some(ends))
    }

    /// `None` when the guard is false in every state.
    fn guard(&self, conj: &GroundConj, clauses: &[GroundDnf]) -> Result<Option<Guard>, Unbuildable> {
        let mut guard = Guard::default();
        for lit in conj {
            guard.add(self.test(lit)?);
        }
        for (cell, codes) in &guard.sets {
            if *codes == 0 {
                return Ok(None);
            }
            debug_assert!(*codes & !self.cells.all_codes(*cell) == 0, "codes that the cell cannot have");
        }
        guard.sets.retain(|(cell, codes)| *codes != self.cells.all_codes(*cell));
        for clause in clauses {
            let Some(any) = self.any(clause)? else { continue };
            match any.as_slice() {
                [] => return Ok(None),
                _ => guard.add(Test::Any(any)),
            }
        }
        Ok(Some(guard))
    }

    /// A disjunction without its constantly false members; `None` when it is constantly true.
    fn any(&self, dnf: &GroundDnf) -> Result<Option<Vec<Vec<Test>>>, Unbuildable> {
        let mut any = Vec::with_capacity(dnf.len());
        'next: for conj in dnf {
            let mut tests = Vec::with_capacity(conj.len());
            for lit in conj {
                let test = self.test(lit)?;
                if let Test::In(cell, codes) = test {
                    if codes == 0 {
                        continue 'next;
                    }
                    if codes == self.cells.all_codes(cell) {
                        continue;
                    }
                }
                tests.push(test);
            }
            if tests.is_empty() {
                return Ok(None);
            }
            any.push(tests);
        }
        Ok(Some(any))
    }

    fn test(&self, lit: &Lit) -> Result<Test, Unbuildable> {
        self.counts.test(self.cells, lit)
    }

    fn updates(
        &self,
        instance: &mut Instance,
        args: &[usize],
        masks: &mut Vec<u64>,
    ) -> Result<(), Unbuildable> {
        let words = self.packing.words;
        let at = masks.len();
        masks.resize(at + words, u64::MAX);
        masks.resize(at + 2 * words, 0);
        let (keep, put) = masks[at..].split_at_mut(words);
        let system = self.grounder.system;
        for update in &system.transitions[usize::from(instance.transition.0)].updates {
            if system.count_of(update.var).is_some() {
                // Its value follows from what else is assigned.
                continue;
            }
            let table = self.grounder.places.of(update.var);
            for (cell, index) in (table.first..).zip(table.tuples()) {
                instance.renames |= self.cells.may_rename(cell);
                let field = self.packing.fields[cell];
                let mut constant = |raw: u64| {
                    keep[usize::from(field.word)] &= !(field.mask() << field.shift);
                    put[usize::from(field.word)] |= raw << field.shift;
                };
                let Assignment::Cases(branches) = &update.assignment else {
                    if self.cells.cells[cell].undef {
                        constant(field.undef);
                    } else {
                        constant(field.encode(0));
                    }
                    instance.nondet.push(cell);
                    continue;
                };
                let env: Vec<usize> = args.iter().chain(&index).copied().collect();
                let branches = self.branches(cell, branches, &env)?;
                match branches.as_slice() {
                    [(_, WrittenValue::Copy(same))] if *same == cell => {}
                    [(_, WrittenValue::Code(code))] if field.fits(*code) => constant(field.encode(*code)),
                    _ => instance.writes.push(Write { cell, branches }),
                }
            }
        }
        let Instance { writes, guard, .. } = instance;
        for (when, source) in writes.iter().flat_map(|write| &write.branches) {
            when.iter().flatten().for_each(|test| test.cells(&mut |c| guard.read(c)));
            source.cells(&mut |c| guard.read(c));
        }
        Ok(())
    }

    fn branches(
        &self,
        cell: usize,
        branches: &[Branch],
        env: &[usize],
    ) -> Result<Vec<GuardedSource>, Unbuildable> {
        let mut out = Vec::new();
        for branch in branches {
            let when = self.grounder.dnf(&branch.when, env)?;
            let when = match when.as_slice() {
                [] => continue,
                [all] if all.is_empty() => None,
                _ => self.any(&when)?,
            };
            if when.as_ref().is_some_and(Vec::is_empty) {
                continue;
            }
            let source = match &branch.value {
                Term::Constructor(c) => WrittenValue::Code(self.cells.constructor_code(cell, *c)),
                Term::Proc(p) => WrittenValue::Code(p.of(env) as i64),
                Term::Cell(c) => match self.grounder.cell(c, env) {
                    Ok(cell) => WrittenValue::Copy(cell),
                    Err(_) => unreachable!("a cell that is read is a cell of the state"),
                },
                Term::Linear(linear) => {
                    let sum = self.grounder.sum(linear, env)?;
                    let kind = self.cells.cells[cell].kind;
                    let one = sum.constant.is_zero().then_some(()).and(sum.terms.as_slice().first());
                    match one {
                        _ if self.counts.occur(&sum) => {
                            WrittenValue::Counted(Box::new(self.counts.expr(self.cells, &sum, kind)?))
                        }
                        Some((c, n)) if sum.terms.len() == 1 && *n == cubicle_lang::model::Rational::ONE => {
                            WrittenValue::Copy(*c)
                        }
                        _ => WrittenValue::Expr(LinearExpr::new(self.cells, &sum, kind)?),
                    }
                }
            };
            let source = match source {
                WrittenValue::Expr(e) if e.terms.is_empty() => {
                    WrittenValue::Code(e.value(|_| 0).ok_or(Unbuildable::Numbers)?)
                }
                other => other,
            };
            let last = when.is_none();
            out.push((when.unwrap_or_default(), source));
            if last {
                break;
            }
        }
        // Final branches that act like the last one need no test.
        while out.len() > 1 && out[out.len() - 2].1 == out[out.len() - 1].1 {
            let at = out.len() - 2;
            out.remove(at);
        }
        Ok(out)
    }
}
