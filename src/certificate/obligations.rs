//! The obligations of an invariant, as ground cases: each must be unsatisfiable together with
//! instances of the invariant over the processes of the case.

use std::cell::RefCell;
use std::ops::Range;

use hashbrown::HashSet;

use super::classes::Unnamed;
use super::counts::{CountDefinitions, Definitions, NeededCells, Situation};
use super::cubes::{CubeInstance, Cubes, Defined};
use super::failure::ProofFailure;
use super::ground::{CellRole, GroundCell, GroundFormula, GroundReader, Overflow, Reading};
use super::obligation::Obligation;
use super::steps::{Arguments, Steps};
use super::tuning::{MAX_PROCS, MOST_STEPS, MOST_WITNESSED};
use cubicle_lang::list::are_different;
use cubicle_lang::model::semantics::{arrangements, different_namings, namings, tuples};
use cubicle_lang::model::{BadKind, Cell, Conj, FormulaOfSorts, Literal, ProcRef, System, Transition, VarId};
use cubicle_run::{Forbidden, Interrupt};

/// A way in which the processes of an obligation can coincide: one formula to refute.
#[derive(Clone, Debug)]
pub struct ObligationCase<'a> {
    pub obligation: Obligation,
    /// How many of its processes are named because they may be what a cube says that no other process is.
    pub beyond: u8,
    /// Number of processes: the rigid ones, then the others in order of appearance.
    pub procs: u8,
    /// Processes for the parameters of the transition.
    pub args: Vec<u8>,
    /// Processes for the parameters of the cube.
    pub named: Vec<u8>,
    /// The formula that must be unsatisfiable.
    pub formula: GroundFormula,
    about: About<'a>,
    /// The cube that it is about, whose processes are `named`.
    denied: Option<&'a Forbidden>,
}

impl ObligationCase<'_> {
    /// Whether it says that a cube held before a step that leaves its literals as they are.
    pub const fn is_identity(&self) -> bool {
        matches!((self.obligation, self.about), (Obligation::Consecution { .. }, About::State))
    }

    /// The cells of counts that are defined in it.
    fn cells(&self, definitions: &CountDefinitions<'_>, defined: Defined) -> NeededCells {
        let assuming = !matches!(self.about, About::Initial | About::Empty);
        definitions.needed(&self.formula, self.procs, assuming, defined)
    }
}

/// The state that a case is about.
#[derive(Clone, Copy, Debug)]
enum About<'t> {
    State,
    /// An initial state of the instance without processes.
    Empty,
    /// An initial state of another instance.
    Initial,
    /// One in which the transition is possible.
    Step(&'t Transition),
}

/// How many processes a case names, at most.
pub fn most_named(system: &System, cubes: &Cubes) -> usize {
    let arity = system.transitions.iter().map(Transition::arity).max().unwrap_or(0);
    let bad = system.bad.iter().chain(cubes.not_initial()).map(|bad| bad.params);
    let named = usize::from(cubes.all.iter().map(|cube| cube.params).chain(bad).max().unwrap_or(0));
    usize::from(system.proc_constants)
        + arity
        + named
        + 1
        + usize::from(cubes.beyond())
        + most_witnessed(system)
}

/// Makes the obligations of a system and its cubes.
#[derive(Debug)]
pub struct Obligations<'a> {
    pub system: &'a System,
    pub cubes: &'a Cubes,
    /// The numbers of processes that a case does not name.
    pub unnamed: Unnamed,
    pub reader: GroundReader<'a>,
    counts: Option<CountDefinitions<'a>>,
    steps: Vec<Steps>,
    sort_array: Option<VarId>,
    /// The witnesses of which the invariant has cells with one process at several indices.
    at_one: Vec<VarId>,
    interrupt: Interrupt,
}

impl<'a> Obligations<'a> {
    /// The obligations of these cubes; making them ends when `interrupt` says so.
    pub fn new(system: &'a System, cubes: &'a Cubes, interrupt: &Interrupt) -> Self {
        let unnamed =
            Unnamed { first: most_named(system, cubes).min(MAX_PROCS) as u8, classes: cubes.classes };
        let counts = CountDefinitions::new(system, cubes, unnamed, interrupt);
        let reader = GroundReader::new(system);
        let steps = system.transitions.iter().map(|t| Steps::new(system, t)).collect();
        let sort_array = system.sort_array();
        let cells = || cubes.all.iter().flat_map(|it| &it.cube).flat_map(Literal::cells);
        let is_at_one = |var: &&VarId| cells().any(|cell| cell.var == **var && !are_different(&cell.index));
        let at_one = system.witnesses.iter().filter(is_at_one).copied().collect();
        let interrupt = interrupt.clone();
        Self { system, cubes, unnamed, reader, counts, steps, sort_array, at_one, interrupt }
    }

    /// How many processes the cases talk about, at most.
    pub fn processes(&self) -> u8 {
        if self.counts.is_some() { self.unnamed.end() } else { self.unnamed.first }
    }

    /// What these cells of counts are in a case, and those at processes that it does not name: this holds whenever its formula is read.
    pub fn definitions(
        &self,
        case: &ObligationCase<'_>,
        defined: Defined,
        at_unnamed: &[GroundCell],
    ) -> Result<Definitions, ProofFailure> {
        let ObligationCase { procs, about, .. } = case;
        let Some(definitions) = &self.counts else { return Ok(Definitions::default()) };
        let cells = case.cells(definitions, defined);
        let step = match about {
            About::Step(t) => Some((*t, &case.args[..])),
            About::Empty | About::Initial | About::State => None,
        };
        let known = &|process| {
            let mut known = self.known(case, process)?;
            // Of a class only what is in the state before the step.
            let is_later = |cell: &&GroundCell| cell.role != CellRole::Held;
            known.retain(|fact| !fact.some_atom(&|atom| atom.cells().iter().any(is_later)));
            Ok(known)
        };
        match about {
            About::Empty => Ok(definitions.empty(&cells)?),
            _ => definitions.of(&cells, at_unnamed, Situation { procs: *procs, step, known }),
        }
    }

    /// Whether there are more cells of counts than those that a case mentions.
    pub fn has_other_counts(&self, case: &ObligationCase<'_>) -> bool {
        let differ = |it| case.cells(it, Defined::All) != case.cells(it, Defined::Mentioned);
        self.counts.as_ref().is_some_and(differ)
    }

    /// The cells of counts of an instance that are at a process without a name.
    pub fn counts_at_unnamed(&self, instance: &CubeInstance) -> Result<Vec<GroundCell>, Overflow> {
        let mut cells = Vec::new();
        if !instance.procs.iter().any(|p| self.is_unnamed(*p)) {
            return Ok(cells);
        }
        for literal in &self.cubes.all[instance.cube].cube {
            let literal = self.reader.literal(literal, &instance.procs, Reading::Now)?;
            cells.append(&mut self.undefined(&literal));
        }
        Ok(cells)
    }

    /// The cells of counts in a formula that are at a process without a name.
    pub fn undefined(&self, formula: &GroundFormula) -> Vec<GroundCell> {
        let is_count =
            |cell: &GroundCell| self.system.count_of(cell.var).is_some_and(|it| it.summand.is_none());
        let mut cells = Vec::new();
        formula.atoms(&mut |atom| {
            let of_atom = atom.cells().into_iter();
            cells.extend(of_atom.filter(|it| self.unnamed.alone_in(it).is_some() && is_count(it)).cloned());
        });
        cells
    }

    /// What is known of a process beside the named ones.
    fn known(&self, case: &ObligationCase<'_>, process: u8) -> Result<Vec<GroundFormula>, Overflow> {
        let ObligationCase { procs, args, named, about, denied, .. } = case;
        let procs = *procs;
        let mut known = Vec::new();
        match *about {
            About::Empty | About::State => {}
            About::Initial => {
                let init = &self.system.init;
                for names in tuples(usize::from(procs) + 1, init.params.into()) {
                    let name = |p: usize| if p == usize::from(procs) { process } else { p as u8 };
                    let names: Vec<u8> = names.into_iter().map(name).collect();
                    if names.contains(&process) {
                        known.push(self.reader.dnf(&init.body, &names, Reading::Now)?);
                    }
                }
            }
            About::Step(t) => known = self.universals(t, args, 0..procs, process)?,
        }
        if let Some(claim) = denied.filter(|it| !it.others.is_empty()) {
            let reading = match about {
                About::Step(t) => Reading::After(t, args),
                About::Empty | About::Initial | About::State => Reading::Now,
            };
            known.push(self.reader.is_other(claim, named, process, reading)?.not());
        }
        Ok(known)
    }

    /// The case in which an instance excludes nothing because a process that `case` does not name is what its cube says that no other
    /// process is: that is named then. First what is said of it, then the case; `None` if there cannot be one.
    pub fn beyond(
        &self,
        case: &ObligationCase<'a>,
        instance: &CubeInstance,
    ) -> Result<Option<(GroundFormula, ObligationCase<'a>)>, Overflow> {
        let (claim, process) = (&self.cubes.all[instance.cube], case.procs);
        if !self.admits(process + 1) {
            return Ok(None);
        }
        let mut is_other = self.reader.is_other(claim, &instance.procs, process, Reading::Now)?;
        let known = self.known(case, process)?;
        let mut otherwise = self.excluded(case.procs, instance)?.not();
        // Processes without a name are divided into other classes there: nothing is said of those here.
        let unnamed: Vec<u8> = instance.procs.iter().copied().filter(|p| self.is_unnamed(*p)).collect();
        if !unnamed.is_empty() {
            otherwise = GroundFormula::TRUE;
            if is_other.some_atom(&|atom| unnamed.iter().any(|p| atom.mentions(*p))) {
                is_other = GroundFormula::TRUE;
            }
        }
        let own = GroundFormula::all(std::iter::once(is_other).chain(known));
        let formula = GroundFormula::all([own.clone(), otherwise, case.formula.clone()]);
        if formula == GroundFormula::FALSE {
            return Ok(None);
        }
        let beyond = case.beyond + 1;
        Ok(Some((own, ObligationCase { procs: process + 1, beyond, formula, ..case.clone() })))
    }

    /// The cases of an obligation, but for identities unless they are wanted; none when it holds because there are too few processes.
    pub fn cases(
        &self,
        obligation: Obligation,
        identities: bool,
    ) -> Result<Vec<ObligationCase<'a>>, ProofFailure> {
        let mut out = match obligation {
            Obligation::Initiation(cube) => {
                let cube = &self.cubes.all[cube];
                self.initiation(obligation, cube, Some(cube))?
            }
            Obligation::Consecution { transition, cube } => self.consecution(transition, cube, identities)?,
            Obligation::Property(bad) => self.property(bad)?,
            Obligation::Begins => {
                let all = self
                    .cubes
                    .not_initial()
                    .map(|it| self.initiation(obligation, &Forbidden::from(it), None));
                all.collect::<Result<Vec<_>, _>>()?.concat()
            }
        };
        out.retain(|case| case.formula != GroundFormula::FALSE && self.admits(case.procs));
        Ok(out)
    }

    /// What an instance of the invariant says, where its processes exist: its cube does not hold, or one of the first `procs` processes is
    /// what it says that no other process is. Where that may be a further one, see [`Obligations::beyond`].
    pub fn excluded(&self, procs: u8, instance: &CubeInstance) -> Result<GroundFormula, Overflow> {
        let claim = &self.cubes.all[instance.cube];
        let Some(&process) = instance.procs.iter().find(|p| self.is_unnamed(**p)) else {
            return self.reader.excluded(claim, &instance.procs, procs);
        };
        let mut said = self.reader.excluded(claim, &instance.procs, procs)?;
        if let ([_], true) = (&instance.procs[..], claim.others.is_empty())
            && let Some(excess) = self.for_all(&said.clone().not(), process)?
        {
            said = GroundFormula::all([said, excess]);
        }
        let lacking = instance.procs.iter().filter_map(|&process| self.unnamed.lacks(process));
        Ok(GroundFormula::any(lacking.chain([said])))
    }

    /// What it says about sums that a cube holds for no process of the class of `process`, where only one of its literals is
    /// about a process.
    fn for_all(&self, cube: &GroundFormula, process: u8) -> Result<Option<GroundFormula>, Overflow> {
        let concerns = |part: &&GroundFormula| part.some_atom(&|atom| atom.mentions(process));
        let (own, other): (Vec<&GroundFormula>, Vec<_>) = cube.conjuncts().iter().partition(concerns);
        let [own] = own[..] else { return Ok(None) };
        let Some(added_up) = self.unnamed.added_up(&own.clone().not(), process)? else { return Ok(None) };
        let other = GroundFormula::all(other.into_iter().cloned());
        Ok(Some(GroundFormula::any([other.not(), added_up])))
    }

    /// What the invariant has to show: that there are no bad cubes, and that the model refines another one.
    pub fn goals(&self) -> impl Iterator<Item = Obligation> + use<'a> {
        let trusting = self.cubes.trusting;
        (self.system.bad.iter().enumerate())
            .filter(move |(_, bad)| !(trusting && bad.kind == BadKind::Invariant))
            .map(|(number, _)| Obligation::Property(number))
            .chain(self.cubes.refinement.as_ref().map(|_| Obligation::Begins))
    }

    /// Whether a process is one of those that a case does not name.
    pub const fn is_unnamed(&self, process: u8) -> bool {
        process >= self.unnamed.first
    }

    fn admits(&self, procs: u8) -> bool {
        self.system.max_procs.is_none_or(|most| u32::from(procs) <= most)
    }

    /// That none of the first processes but those named is what a claim says that no other process is.
    fn none_other(
        &self,
        claim: &Forbidden,
        procs: u8,
        named: &[u8],
        reading: Reading<'_>,
    ) -> Result<impl Iterator<Item = GroundFormula> + use<>, Overflow> {
        let others = self.reader.others(claim, named, procs, reading)?;
        Ok(others.into_iter().map(GroundFormula::not))
    }

    fn initiation(
        &self,
        obligation: Obligation,
        cube: &Forbidden,
        denied: Option<&'a Forbidden>,
    ) -> Result<Vec<ObligationCase<'a>>, ProofFailure> {
        let init = &self.system.init;
        let mut out = Vec::new();
        for (procs, named) in different_namings(self.system.proc_constants, cube.params) {
            let formula = self.reader.conj(&cube.cube, &named, Reading::Now)?;
            self.interrupt.poll()?;
            if formula == GroundFormula::FALSE {
                continue;
            }
            if procs == 0 {
                let empty = self.reader.dnf(&init.without_processes, &[], Reading::Now)?;
                let both = GroundFormula::all([formula.clone(), empty]);
                out.push(case(obligation, About::Empty, None, procs, &[], &named, both));
            }
            // An instance with processes: at least one of them is named.
            let procs = procs.max(1);
            let (mut parts, mut said) = (vec![formula], HashSet::new());
            parts.extend(self.none_other(cube, procs, &named, Reading::Now)?);
            let sorts = self.sorts_of(procs, &[(&cube.cube, &named)]);
            let mut body = FormulaOfSorts::new(self.system, &init.body);
            body.instances(init.params, &sorts, |names, of_sorts| {
                self.interrupt.poll()?;
                let said_here = self.reader.dnf(of_sorts, names, Reading::Now)?;
                parts.extend(said_here.conjuncts().iter().filter(|it| said.insert((*it).clone())).cloned());
                Ok::<(), ProofFailure>(())
            })?;
            out.push(case(obligation, About::Initial, denied, procs, &[], &named, GroundFormula::all(parts)));
        }
        Ok(out)
    }

    /// The arguments of a transition whose guard is not plainly false.
    fn arguments(&self, transition: usize) -> Result<&[Arguments], ProofFailure> {
        let (steps, t) = (&self.steps[transition], &self.system.transitions[transition]);
        if let Some(known) = steps.arguments.get() {
            return Ok(known);
        }
        let mut out = Vec::new();
        for (procs, args) in different_namings(self.system.proc_constants, t.arity() as u8) {
            self.interrupt.poll()?;
            let guard = self.reader.conj(&t.guard, &args, Reading::Now)?;
            if guard != GroundFormula::FALSE {
                out.push(Arguments { procs, args, guard, others: RefCell::default() });
            }
        }
        Ok(steps.arguments.get_or_init(|| out))
    }

    /// What the guards of a step say of the first `procs` processes, and no cube.
    fn guards(
        &self,
        transition: usize,
        arguments: &Arguments,
        procs: u8,
    ) -> Result<Vec<GroundFormula>, Overflow> {
        let (t, mut others) = (&self.system.transitions[transition], arguments.others.borrow_mut());
        for other in others.len() as u8..procs {
            others.push(self.universals(t, &arguments.args, 0..other, other)?);
        }
        let said = others[..procs.into()].iter().flatten();
        Ok(std::iter::once(&arguments.guard).chain(said).cloned().collect())
    }

    fn consecution(
        &self,
        transition: usize,
        number: usize,
        identities: bool,
    ) -> Result<Vec<ObligationCase<'a>>, ProofFailure> {
        let (t, cube) = (&self.system.transitions[transition], &self.cubes.all[number]);
        let steps = &self.steps[transition];
        let (mut out, obligation) = (Vec::new(), Obligation::Consecution { transition, cube: number });
        let may_change = |literal: &&Literal| literal.cells().iter().any(|cell| steps.may_change(cell.var));
        let (written, kept): (Vec<&Literal>, Vec<&Literal>) = cube.cube.iter().partition(may_change);
        let denied = Some(cube);
        // Where a step may change what other processes are, the cube need not have held before it.
        let keeps_others = !cube.others.iter().flatten().any(|it| may_change(&it));
        let mut unchanged = written.is_empty() && keeps_others;
        let all = if unchanged { &[] } else { self.arguments(transition)? };
        // No process is of two sorts: what the guard says of one, and what the cube says of it, if the step leaves that as it is.
        let sort_array = self.sort_array.filter(|array| !steps.may_change(*array));
        let sorts = self.system.sorts_said(&cube.cube, cube.params.into());
        let of_args = self.system.sorts_said(&t.guard, t.arity());
        for arguments in all {
            self.interrupt.poll()?;
            let Arguments { procs: least, args, .. } = arguments;
            let may_be = |chosen: &[u8], process: u8| {
                let arg = args.iter().position(|arg| *arg == process).filter(|_| sort_array.is_some());
                let of_both = arg.and_then(|arg| of_args[arg]).zip(sorts[chosen.len()]);
                !chosen.contains(&process) && of_both.is_none_or(|(one, other)| one == other)
            };
            for (procs, named) in namings(*least, cube.params, &may_be) {
                self.interrupt.poll()?;
                let may_change = |it: &&Literal| steps.may_change_at(it, &named, args);
                if keeps_others && !written.iter().any(may_change) {
                    unchanged = true;
                    continue;
                }
                // The literals that say the sorts stay parts of the case: what they decide in other parts is decided here.
                let sorts =
                    sort_array.map(|_| self.sorts_of(procs, &[(&t.guard, args), (&cube.cube, &named)]));
                let possible = |cell: &GroundCell| match (sort_array, &sorts, &cell.index[..]) {
                    (Some(array), Some(sorts), &[process]) if cell.var == array => {
                        sorts.get(usize::from(process)).copied().flatten().map_or(u64::MAX, |sort| 1 << sort)
                    }
                    _ => u64::MAX,
                };
                let Some((mut parts, differs)) = self.after(&written, &named, t, args, &possible)? else {
                    continue;
                };
                if keeps_others && !differs {
                    unchanged = true;
                    continue;
                }
                for literal in &kept {
                    parts.push(self.reader.literal(literal, &named, Reading::Now)?);
                }
                for (procs, owned) in self.further(t, procs, args, cube, &named)? {
                    let mut guards = self.guards(transition, arguments, procs)?.into_iter();
                    // The literals of the guard say sorts, too.
                    let guard = guards.next();
                    let others = self.none_other(cube, procs, &named, Reading::After(t, args))?;
                    let said = owned.into_iter().chain(guards).chain(others);
                    let said = said.map(|it| if sorts.is_some() { it.given(&possible) } else { it });
                    let formula = GroundFormula::all(parts.iter().cloned().chain(guard).chain(said));
                    out.push(case(obligation, About::Step(t), denied, procs, args, &named, formula));
                }
            }
        }
        if unchanged && identities {
            // The cube held before the step, whatever arguments and guard: a more general case than needed.
            for (procs, named) in different_namings(self.system.proc_constants, cube.params) {
                self.interrupt.poll()?;
                let held = self.reader.conj(&cube.cube, &named, Reading::Now)?;
                let others = self.none_other(cube, procs, &named, Reading::Now)?;
                let formula = GroundFormula::all(std::iter::once(held).chain(others));
                out.push(case(obligation, About::State, denied, procs, &[], &named, formula));
            }
        }
        Ok(out)
    }

    /// The choices for witnesses where a transition is taken and a cube holds after it.
    fn further(
        &self,
        t: &Transition,
        procs: u8,
        args: &[u8],
        cube: &Forbidden,
        named: &[u8],
    ) -> Result<Vec<(u8, Vec<GroundFormula>)>, Overflow> {
        if t.universals.is_empty() || self.system.witnesses.is_empty() {
            return Ok(vec![(procs, Vec::new())]);
        }
        let sorts = self.sorts_of(procs, &[(&t.guard, args), (&cube.cube, named)]);
        let most = usize::from(procs) + most_witnessed(self.system);
        let mut ways = vec![NamedWitnesses { said: Vec::new(), sorts, asked: args.to_vec() }];
        // A witness of a witness of a process is named in the second step.
        for _ in 0..MOST_STEPS {
            let mut ended = Vec::new();
            for way in ways {
                let before = way.sorts.len();
                let mut of_way = vec![way];
                for &var in &self.system.witnesses {
                    let mut next = Vec::new();
                    for way in of_way {
                        let left = most.saturating_sub(way.sorts.len());
                        next.append(&mut self.named_by(var, way, before, left)?);
                    }
                    of_way = next;
                }
                for way in &mut of_way {
                    way.asked = (before as u8..way.sorts.len() as u8).collect();
                }
                ended.append(&mut of_way);
            }
            ways = ended;
            if ways.iter().all(|way| way.asked.is_empty()) {
                break;
            }
        }
        Ok(ways.into_iter().map(|way| (way.sorts.len() as u8, way.said)).collect())
    }

    /// The choices for a witness at the first `among` processes, some of which are asked about; names at most this many further ones.
    fn named_by(
        &self,
        var: VarId,
        way: NamedWitnesses,
        among: usize,
        most: usize,
    ) -> Result<Vec<NamedWitnesses>, Overflow> {
        let at_one = self.at_one.contains(&var);
        let mut cells = witness_cells(self.system, var, at_one, &way.asked, &way.sorts[..among]);
        cells.truncate(most);
        let mut ways = vec![way];
        for index in cells {
            let index = (0..index.len() as u8).map(ProcRef::Var).zip(index);
            let (vars, mut names): (Vec<ProcRef>, Vec<u8>) = index.unzip();
            let value = ProcRef::Var(names.len() as u8);
            let is = Literal::points(Cell::at(var, vars), value, true);
            names.push(0);
            let mut next = Vec::new();
            for way in ways {
                let mut known = Vec::new();
                for p in 0..=way.sorts.len() as u8 {
                    *names.last_mut().expect("there is the value") = p;
                    known.push(self.reader.literal(&is, &names, Reading::Now)?);
                }
                let further = known.pop().expect("there is the further process");
                let (mut named, mut wider) = (way.clone(), way);
                named.said.push(GroundFormula::any(known));
                wider.said.push(further);
                wider.sorts.push(self.system.pointed_sort(var));
                next.extend([named, wider]);
            }
            ways = next;
        }
        Ok(ways)
    }

    /// The sorts of named processes that these conjunctions say.
    fn sorts_of(&self, procs: u8, said: &[(&Conj, &[u8])]) -> Vec<Option<u8>> {
        let mut sorts = vec![None; usize::from(procs)];
        for (conj, names) in said {
            for (process, sort) in names.iter().zip(self.system.sorts_said(conj, names.len())) {
                let known = &mut sorts[usize::from(*process)];
                *known = sort.or(*known);
            }
        }
        sorts
    }

    /// The literals of a cube that a transition writes, as they are after it where enum cells hold before it what is `possible`, and whether they
    /// differ from those before; `None` when they cannot hold.
    fn after(
        &self,
        written: &[&Literal],
        named: &[u8],
        t: &Transition,
        args: &[u8],
        possible: &dyn Fn(&GroundCell) -> u64,
    ) -> Result<Option<(Vec<GroundFormula>, bool)>, Overflow> {
        let mut parts = Vec::with_capacity(written.len());
        let mut differs = false;
        for literal in written {
            let after = self.reader.literal(literal, named, Reading::After(t, args))?.given(possible);
            if after == GroundFormula::FALSE {
                return Ok(None);
            }
            differs = differs || after != self.reader.literal(literal, named, Reading::Now)?;
            parts.push(after);
        }
        Ok(Some((parts, differs)))
    }

    /// The universal guards at a process that is not an argument, together with those of `beside` it.
    fn universals(
        &self,
        t: &Transition,
        args: &[u8],
        beside: Range<u8>,
        other: u8,
    ) -> Result<Vec<GroundFormula>, Overflow> {
        let mut said = Vec::new();
        if args.contains(&other) {
            return Ok(said);
        }
        let known: Vec<u8> = beside.chain([other]).filter(|it| !args.contains(it)).collect();
        for u in &t.universals {
            for tuple in arrangements(&known, u.bound.into()).iter().filter(|it| it.contains(&other)) {
                said.push(self.reader.dnf(&u.body, &[args, tuple].concat(), Reading::Now)?);
            }
        }
        Ok(said)
    }

    fn property(&self, number: usize) -> Result<Vec<ObligationCase<'a>>, ProofFailure> {
        let bad = &self.system.bad[number];
        let (mut out, obligation) = (Vec::new(), Obligation::Property(number));
        for (procs, named) in different_namings(self.system.proc_constants, bad.params) {
            self.interrupt.poll()?;
            let formula = self.reader.conj(&bad.cube, &named, Reading::Now)?;
            out.push(case(obligation, About::State, None, procs, &[], &named, formula));
        }
        Ok(out)
    }
}

fn case<'a>(
    obligation: Obligation,
    about: About<'a>,
    denied: Option<&'a Forbidden>,
    procs: u8,
    args: &[u8],
    named: &[u8],
    formula: GroundFormula,
) -> ObligationCase<'a> {
    let (args, named) = (args.to_vec(), named.to_vec());
    ObligationCase { obligation, beyond: 0, procs, args, named, formula, about, denied }
}

/// One choice for the witnesses of a step.
#[derive(Clone, Debug)]
struct NamedWitnesses {
    /// What holds then.
    said: Vec<GroundFormula>,
    /// The sorts of the named processes, further ones last; `None`: not known.
    sorts: Vec<Option<u8>>,
    /// The processes whose witnesses are named next: arguments of the step, or witnesses of these.
    asked: Vec<u8>,
}

/// The cells of a witness that a case is split by, as processes of these sorts: those at a process that is asked about and other named processes,
/// each of the sort that the cell's index is of. Where one process is at several indices, if the invariant has such cells (`at_one`), or there are no
/// others; of those that differ in the order of processes of one sort only the first.
fn witness_cells(
    system: &System,
    var: VarId,
    at_one: bool,
    asked: &[u8],
    sorts: &[Option<u8>],
) -> Vec<Vec<u8>> {
    let wanted: Vec<Option<u8>> = (0..system.var(var).arity()).map(|at| system.index_sort(var, at)).collect();
    if wanted.contains(&None) {
        return Vec::new();
    }
    let fits = |tuple: &Vec<usize>| {
        let right = tuple.iter().zip(&wanted).all(|(p, sort)| sorts[*p] == *sort);
        let ordered =
            (0..tuple.len()).all(|a| (0..a).all(|b| wanted[a] != wanted[b] || tuple[b] <= tuple[a]));
        right && ordered && tuple.iter().any(|p| asked.contains(&(*p as u8)))
    };
    let mut cells: Vec<Vec<usize>> = tuples(sorts.len(), wanted.len()).filter(fits).collect();
    if !at_one && cells.iter().any(|it| are_different(it)) {
        cells.retain(|it| are_different(it));
    }
    cells.truncate(MOST_WITNESSED);
    cells.into_iter().map(|cell| cell.into_iter().map(|p| p as u8).collect()).collect()
}

/// How many further processes witnesses may name in a case, at most.
fn most_witnessed(system: &System) -> usize {
    let is_asked = system.transitions.iter().any(|t| !t.universals.is_empty());
    if is_asked { system.witnesses.len() * MOST_WITNESSED } else { 0 }
}
