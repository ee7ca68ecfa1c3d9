//! The normal form of counts: what the cells of counts are in a case, by the processes that it names and by *classes* of
//! the others.
//!
//! Let a case name some processes of an instance, and let the other, *unnamed* ones be divided into classes ([`Class`]). The
//! unknown `rest` of a class is how many processes it has, and the unknown `rest` of all of them how many are unnamed. Then
//!
//! > `#{p | phi(p)}` = the sum of `[phi(p)]` over the named processes + the sum of `rest` over the classes where phi holds,
//!
//! and so after a step: no unnamed process is an argument, so that what the step makes of its cells is read in the
//! state before it, and the class of that state determines it. For `sum{p | B[p]}` a further unknown of a class is what `B` adds up to in
//! it: a step that leaves `B` alone leaves it alone, one with `B[p] := B[p] + 1` adds `rest`.
//!
//! *Sound.* In each state such numbers exist, and the formulas made here are true of them: each process counts once. Where
//! the answers of a class leave open whether phi holds, anything between 0 and `rest` is possible; for a sum, any number. Where the model has
//! few processes at most, each unnamed one is a class, and contributes what the representative does if `rest` is 1.
//!
//! *Representatives.* For each class the formulas use a process of it, and if there may be two, a second one: these have numbers
//! from [`Unnamed::first`] on, in turn. All that is known of an unnamed process holds for a representative,
//! or else the class is too small to have it: the literals of its class, universal guards, init, and instances of the
//! invariant that the search for refutations picks. Where counts are too different for one partition into classes, there are several,
//! and nothing is said about a process of one and a process of another, but that as many processes answer the questions that both
//! ask in the same way.
//!
//! *Counts at a representative*, as `#{q | M[p, q]}` at `p`: where the search picks an instance with such a cell, it is what named processes, the
//! representative itself and the classes contribute, its own class without it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use hashbrown::{HashMap, HashSet};

use super::classes::{Class, Group, Questions, Unnamed, unknown};
use super::cubes::{Cubes, Defined, orders};
use super::failure::ProofFailure;
use super::ground::{
    Atom, CellRole, GroundCell, GroundFormula, GroundPoint, GroundReader, GroundSum, Overflow, Reading,
    UNKNOWN, compare, plus,
};
use super::tuning::EACH;
use cubicle_lang::model::semantics::{distinct_tuples, tuples};
use cubicle_lang::model::{Forbidden, Literal, ProcRef, Rational, Relation, System, Transition, Type, VarId};
use cubicle_run::Interrupt;

/// A value by cases: each under its condition. The conditions exclude each other, and one holds.
type Ways = Vec<(GroundFormula, GroundSum)>;

/// What a case is about, for the definitions of its counts.
#[derive(Clone, Copy)]
pub struct Situation<'a> {
    /// How many processes it names.
    pub procs: u8,
    pub step: Option<(&'a Transition, &'a [u8])>,
    /// What is known of an unnamed process.
    pub known: &'a dyn Fn(u8) -> Result<Vec<GroundFormula>, Overflow>,
}

/// The cells of counts that a case needs.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct NeededCells {
    /// In the state before the step.
    before: BTreeSet<GroundCell>,
    /// After the step.
    after: BTreeSet<GroundCell>,
}

/// The definitions of the cells of counts in a case.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Definitions {
    /// They hold in each state.
    pub facts: Vec<GroundFormula>,
    /// The unnamed processes that they mention, by the partition that these come from. Those of different partitions may be the
    /// same.
    pub unnamed: Vec<Vec<u8>>,
}

/// Defines the cells of counts.
#[derive(Clone, Debug)]
pub struct CountDefinitions<'a> {
    system: &'a System,
    reader: GroundReader<'a>,
    unnamed: Unnamed,
    /// Whether formulas are about two unnamed processes at once.
    pairs: bool,
    /// Whether formulas compare processes.
    compares: bool,
    /// Cubes about a single process, then those about two or three, the ones with numbers last.
    about_few: Vec<(usize, &'a [Literal])>,
    /// By how many processes a case names, once there was one.
    few_at: Box<[OnceLock<Vec<(usize, GroundFormula)>>]>,
    /// The counts that cubes mention, with the sorts of their indices where the cube says these: all, and those that are taken for granted.
    mentioned: [BTreeSet<(VarId, Vec<Option<u8>>)>; 2],
    interrupt: Interrupt,
}

impl<'a> CountDefinitions<'a> {
    /// The counts of a system; `None` when it has none.
    pub fn new(
        system: &'a System,
        cubes: &'a Cubes,
        unnamed: Unnamed,
        interrupt: &Interrupt,
    ) -> Option<Self> {
        if system.counts.is_empty() {
            return None;
        }
        let mentioned = |from: usize| {
            let of_cube = |claim: &Forbidden| {
                let sorts = system.sorts_said(&claim.cube, usize::from(claim.params));
                let sort = |p: &ProcRef| match p {
                    ProcRef::Var(v) => sorts.get(usize::from(*v)).copied().flatten(),
                    ProcRef::Const(_) => None,
                };
                let cells = claim.literals().flat_map(Literal::cells);
                let counts = cells.filter(|cell| system.count_of(cell.var).is_some());
                counts.map(|cell| (cell.var, cell.index.iter().map(sort).collect())).collect::<Vec<_>>()
            };
            cubes.all[from..].iter().flat_map(of_cube).collect()
        };
        let numeric = |literal: &Literal| matches!(literal, Literal::Linear { .. });
        let about = |params: &dyn Fn(usize) -> bool| {
            let of_these = cubes.all.iter().map(|it| (usize::from(it.params), &it.cube[..]));
            of_these.filter(|it| params(it.0)).collect::<Vec<_>>()
        };
        let mut about_few = about(&|params| params == 1);
        let several = about(&|params| params == 2 || params == 3).into_iter();
        let (numeric, plain): (Vec<_>, Vec<_>) = several.partition(|(_, cube)| cube.iter().any(numeric));
        about_few.extend(plain);
        about_few.extend(numeric);
        let compares = orders(system, cubes) || system.vars.iter().any(|it| it.ty == Type::Proc);
        Some(Self {
            system,
            reader: GroundReader::new(system),
            unnamed,
            pairs: compares || cubes.all.iter().any(|it| it.params > 1),
            compares,
            about_few,
            few_at: vec![OnceLock::new(); usize::from(unnamed.first) + 1].into(),
            mentioned: [mentioned(0), mentioned(cubes.proved)],
            interrupt: interrupt.clone(),
        })
    }

    /// What the cubes about few processes say of an unnamed one, in each role, beside those that a case may name: the same for all cases
    /// that name as many.
    fn few_at(&self, procs: u8) -> Result<&[(usize, GroundFormula)], ProofFailure> {
        let (known, generic) = (&self.few_at[usize::from(procs)], self.unnamed.first);
        if let Some(few) = known.get() {
            return Ok(few);
        }
        let concerns = |part: &&GroundFormula| part.some_atom(&|atom| atom.mentions(generic));
        let (mut few, mut seen) = (Vec::new(), HashSet::new());
        for (params, cube) in &self.about_few {
            self.interrupt.poll()?;
            for named in distinct_tuples(procs.into(), params - 1) {
                for role in 0..*params {
                    let mut names: Vec<u8> = named.iter().map(|p| *p as u8).collect();
                    names.insert(role, generic);
                    let cube = self.reader.conj(cube, &names, Reading::Now)?;
                    let said = GroundFormula::all(cube.conjuncts().iter().filter(concerns).cloned());
                    few.extend(seen.insert((*params, said.clone())).then_some((*params, said)));
                }
            }
        }
        Ok(known.get_or_init(|| few))
    }

    /// The cells that are defined in a case with this formula; instances of the invariant may be assumed, or only what is taken for granted.
    pub fn needed(
        &self,
        formula: &GroundFormula,
        procs: u8,
        assuming: bool,
        defined: Defined,
    ) -> NeededCells {
        let mut cells = NeededCells::default();
        formula.atoms(&mut |atom| {
            for cell in atom.cells() {
                let of_count = cell.var != UNKNOWN && self.system.count_of(cell.var).is_some();
                match cell.role {
                    CellRole::Held if of_count => drop(cells.before.insert(cell.clone())),
                    CellRole::After if of_count => {
                        // What the step makes of it rests on what it was.
                        cells.before.insert(GroundCell { role: CellRole::Held, ..cell.clone() });
                        cells.after.insert(cell.clone());
                    }
                    _ => {}
                }
            }
        });
        if defined == Defined::Mentioned {
            return cells;
        }
        let sorts = self.sorts(formula, procs);
        for (var, wanted) in &self.mentioned[usize::from(!assuming)] {
            for index in tuples(procs.into(), wanted.len()) {
                // No instance of the cube is about a process of another sort.
                let fits =
                    |(p, wanted): (&usize, &Option<u8>)| wanted.zip(sorts[*p]).is_none_or(|it| it.0 == it.1);
                if index.iter().zip(wanted).all(fits) {
                    let index = index.into_iter().map(|p| p as u8).collect();
                    cells.before.insert(GroundCell { var: *var, index, role: CellRole::Held });
                }
            }
        }
        cells
    }

    /// The sorts of the named processes that a case says.
    fn sorts(&self, formula: &GroundFormula, procs: u8) -> Vec<Option<u8>> {
        let mut sorts = vec![None; procs.into()];
        for part in formula.conjuncts() {
            if let GroundFormula::Literal(Atom::In(cell, values), true) = part
                && Some(cell.var) == self.system.sort_array()
                && cell.role == CellRole::Held
                && values.is_power_of_two()
                && let Some(sort) = cell.index.first().and_then(|p| sorts.get_mut(usize::from(*p)))
            {
                *sort = Some(values.trailing_zeros() as u8);
            }
        }
        sorts
    }

    /// The definitions of cells in an instance without processes.
    pub fn empty(&self, cells: &NeededCells) -> Result<Definitions, Overflow> {
        let zero = |cell: &GroundCell| {
            let integer = cell.ty(self.system) != Type::Real;
            compare(GroundSum::of(cell.clone()), Relation::Eq, integer)
        };
        let facts = cells.before.iter().map(zero).collect::<Result<_, _>>()?;
        Ok(Definitions { facts, unnamed: Vec::new() })
    }

    /// The definitions of cells, then those of cells at processes without a name: one after the other, so that more of these leave the first ones as
    /// they are.
    pub fn of(
        &self,
        cells: &NeededCells,
        at_unnamed: &[GroundCell],
        situation: Situation<'_>,
    ) -> Result<Definitions, ProofFailure> {
        if cells.before.is_empty() && cells.after.is_empty() {
            return Ok(Definitions::default());
        }
        let generic = self.unnamed.first;
        let known = (situation.known)(generic)?;
        let possible = values_of(&known);
        let mut counted = Vec::new();
        let after = situation.step.map(|(t, args)| Reading::After(t, args));
        let all = cells.before.iter().map(|cell| (cell, Reading::Now));
        for (cell, reading) in
            all.chain(after.iter().flat_map(|&it| cells.after.iter().map(move |c| (c, it))))
        {
            self.interrupt.poll()?;
            let mut count = Counted::new(self, cell, reading, situation.procs, generic)?;
            // What is known of each unnamed process is not asked.
            count.rest = count.rest.given(&|cell| possible.get(cell).copied().unwrap_or(u64::MAX));
            counted.push(count);
        }
        let mut questions = Questions::new(generic);
        for count in &counted {
            count.rest.formulas().for_each(|formula| questions.ask(self.reader, formula));
        }
        let places = |count: &Counted| questions.places(count.rest.formulas());
        let together: Vec<BTreeSet<usize>> = counted.iter().map(places).collect();
        let mut related: Vec<BTreeSet<usize>> =
            known.iter().map(|it| questions.places(std::iter::once(it))).collect();
        let few = self.few_at(situation.procs)?;
        for (params, cube) in few {
            let places = questions.places(std::iter::once(cube));
            if *params == 1 || places.len() > 1 && !related.contains(&places) {
                related.push(places);
            }
        }
        // What compares a number of the process with one number relates all comparisons of it.
        for (_, cube) in few {
            let places = questions.about(cube);
            if places.len() > 1 && !related.contains(&places) {
                related.push(places);
            }
        }
        let room = self.system.max_procs.map(|most| most.saturating_sub(situation.procs.into()) as usize);
        let groups = match room {
            Some(room) if room <= EACH => vec![Group::each(room)],
            _ => questions.groups(&together, &related, self.unnamed.classes),
        };
        let mut making = Making {
            definitions: self,
            situation,
            generic,
            facts: Vec::new(),
            processes: Vec::new(),
            parts: 0,
            known: HashMap::new(),
            open: HashMap::new(),
            totals: BTreeSet::new(),
        };
        let rest = making.all_unnamed()?;
        let mut classes: Vec<Vec<(u8, Class<'_>)>> = Vec::new();
        for group in &groups {
            self.interrupt.poll()?;
            let start = classes.iter().map(Vec::len).sum::<usize>();
            let number = |n: usize| self.unnamed.representative(start + n);
            let of_group: Vec<(u8, Class<'_>)> = (group.classes(&questions).into_iter().enumerate())
                .map(|(n, class)| (number(n), class))
                .collect();
            making.group(&of_group, &rest)?;
            classes.push(of_group);
        }
        for (count, places) in counted.iter().zip(&together) {
            self.interrupt.poll()?;
            let best = |group: &usize| Group::answered(&groups[*group], places);
            // The first of the best ones, so that the same formula is counted in the same classes before and after a step.
            let best = (0..groups.len()).rev().max_by_key(best).unwrap_or(0);
            making.define(count, &classes[best])?;
        }
        let representatives =
            |group: &Vec<(u8, Class<'_>)>| group.iter().map(|(process, _)| *process).collect();
        making.totals(&classes.iter().map(representatives).collect::<Vec<Vec<u8>>>())?;
        for number in 1..groups.len() {
            making.agree(&groups, &classes, number)?;
        }
        for cell in at_unnamed {
            self.interrupt.poll()?;
            making.define_at_unnamed(cell, &classes)?;
        }
        Ok(Definitions { facts: making.facts, unnamed: making.processes })
    }
}

/// What a process contributes to a count: nothing, unless the condition holds.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Contribution {
    when: GroundFormula,
    /// The summand.
    ways: Ways,
    /// Whether that is 1.
    one: bool,
}

impl Contribution {
    fn given(self, possible: &dyn Fn(&GroundCell) -> u64) -> Self {
        let of_way = |(when, sum): (GroundFormula, GroundSum)| (when.given(possible), sum);
        let ways = self.ways.into_iter().map(of_way).collect();
        Self { when: self.when.given(possible), ways, ..self }
    }

    fn formulas(&self) -> impl Iterator<Item = &GroundFormula> {
        std::iter::once(&self.when).chain(self.ways.iter().map(|(when, _)| when))
    }
}

/// A cell of a count.
#[derive(Debug)]
struct Counted {
    cell: GroundCell,
    integer: bool,
    /// What each named process contributes.
    named: Vec<Contribution>,
    /// What an unnamed process contributes.
    rest: Contribution,
}

impl Counted {
    fn new(
        definitions: &CountDefinitions<'_>,
        cell: &GroundCell,
        reading: Reading<'_>,
        procs: u8,
        generic: u8,
    ) -> Result<Self, Overflow> {
        let Some(count) = definitions.system.count_of(cell.var) else { unreachable!("a cell of a count") };
        let reader = definitions.reader;
        let contribution = |process: u8| {
            let names: Vec<u8> = cell.index.iter().copied().chain([process]).collect();
            let ways = reader.linear(&count.added(), &names, reading)?;
            let when = reader.dnf(&count.body, &names, reading)?;
            Ok(Contribution { when, ways, one: count.summand.is_none() })
        };
        Ok(Self {
            cell: cell.clone(),
            integer: definitions.system.var(cell.var).ty != Type::Real,
            named: (0..procs).map(contribution).collect::<Result<_, _>>()?,
            rest: contribution(generic)?,
        })
    }
}

struct Making<'a, 's> {
    definitions: &'s CountDefinitions<'a>,
    situation: Situation<'s>,
    generic: u8,
    facts: Vec<GroundFormula>,
    processes: Vec<Vec<u8>>,
    /// How many unknowns there are, beside those of classes.
    parts: u16,
    /// The unknowns that have values by cases.
    known: HashMap<(Ways, bool), GroundSum>,
    /// The unknowns for contributions of a class that it does not determine.
    open: HashMap<(Contribution, u8), GroundSum>,
    totals: BTreeSet<(GroundCell, u8)>,
}

impl Making<'_, '_> {
    /// How many processes are unnamed.
    fn all_unnamed(&mut self) -> Result<GroundSum, Overflow> {
        let rest = GroundSum::of(unknown(&[], true));
        self.at_least(&rest, 0)?;
        if let Some(most) = self.definitions.system.max_procs {
            let room = i64::from(most) - i64::from(self.situation.procs);
            let bound = plus(&rest, Rational::ONE, &GroundSum::number(Rational::integer(-room)))?;
            self.facts.push(compare(bound, Relation::Le, true)?);
        }
        Ok(rest)
    }

    fn at_least(&mut self, sum: &GroundSum, least: i64) -> Result<(), Overflow> {
        let negated = plus(&GroundSum::number(Rational::integer(least)), Rational::ONE.neg(), sum)?;
        self.facts.push(compare(negated, Relation::Le, true)?);
        Ok(())
    }

    /// What is known of the classes of a group, of `all` unnamed processes.
    fn group(&mut self, classes: &[(u8, Class<'_>)], all: &GroundSum) -> Result<(), Overflow> {
        let unnamed = self.definitions.unnamed;
        let mut left = all.clone();
        let mut processes = Vec::new();
        for (representative, class) in classes {
            let rest = unnamed.rest(*representative);
            self.at_least(&rest, 0)?;
            if class.is_single() {
                let bound = plus(&rest, Rational::ONE, &GroundSum::number(Rational::ONE.neg()))?;
                self.facts.push(compare(bound, Relation::Le, true)?);
            }
            left = plus(&left, Rational::ONE.neg(), &rest)?;
            for process in [*representative, *representative + 1] {
                if process != *representative && (class.is_single() || !self.definitions.pairs) {
                    continue;
                }
                processes.push(process);
                let known = (self.situation.known)(process)?;
                let literals = class.literals().into_iter();
                let literals = literals.map(|literal| moved(&literal, self.generic, process));
                let both = GroundFormula::all(literals.chain(known));
                let lacks = unnamed.lacks(process).unwrap_or(GroundFormula::FALSE);
                self.facts.push(GroundFormula::any([lacks, both]));
            }
            // What each process of the class satisfies, added up.
            let known = (self.situation.known)(self.generic)?;
            let read = known.iter().map(|it| class.read(it, None)).collect::<Vec<_>>();
            let every = class.literals().into_iter().chain(read.iter().flat_map(common));
            for literal in every {
                let literal = moved(&literal, self.generic, *representative);
                if let Some(fact) = unnamed.added_up(&literal, *representative)? {
                    fact.atoms(&mut |atom| self.note_totals(atom.cells(), *representative));
                    self.facts.push(GroundFormula::any([compare(rest.clone(), Relation::Le, true)?, fact]));
                }
            }
        }
        self.facts.push(compare(left, Relation::Eq, true)?);
        if self.definitions.compares {
            for (n, &process) in processes.iter().enumerate() {
                for &other in (0..self.situation.procs).collect::<Vec<_>>().iter().chain(&processes[..n]) {
                    let equal = Atom::Equal(GroundPoint::Process(other), GroundPoint::Process(process));
                    self.facts.push(GroundFormula::Literal(equal, false));
                }
            }
        }
        self.processes.push(processes);
        Ok(())
    }

    /// A count is what named processes and classes contribute.
    fn define(&mut self, count: &Counted, classes: &[(u8, Class<'_>)]) -> Result<(), Overflow> {
        let mut sum = GroundSum::of(count.cell.clone()).negated().ok_or(Overflow)?;
        for named in &count.named {
            let value = self.value(&named.when, named.ways.clone(), count.integer)?;
            sum = plus(&sum, Rational::ONE, &value)?;
        }
        for (representative, class) in classes {
            let value = self.of_class(&count.rest, *representative, class, count.integer)?;
            sum = plus(&sum, Rational::ONE, &value)?;
        }
        self.facts.push(compare(sum, Relation::Eq, count.integer)?);
        Ok(())
    }

    /// A partition, and the one before it that asks most of its questions: as many processes answer these in the same way.
    fn agree(
        &mut self,
        groups: &[Group],
        classes: &[Vec<(u8, Class<'_>)>],
        number: usize,
    ) -> Result<(), Overflow> {
        let shared = groups[..number].iter().map(|it| it.shared(&groups[number]));
        let Some((before, shared)) = shared.enumerate().rev().max_by_key(|it| it.1.len()) else {
            return Ok(());
        };
        if shared.is_empty() {
            return Ok(());
        }
        let mut differences: BTreeMap<Vec<usize>, GroundSum> = BTreeMap::new();
        for (partition, sign) in [(before, Rational::ONE), (number, Rational::ONE.neg())] {
            for (representative, class) in &classes[partition] {
                let rest = self.definitions.unnamed.rest(*representative);
                let zero = || GroundSum::number(Rational::ZERO);
                let difference = differences.entry(class.answers_to(&shared)).or_insert_with(zero);
                *difference = plus(difference, sign, &rest)?;
            }
        }
        for difference in differences.into_values() {
            self.facts.push(compare(difference, Relation::Eq, true)?);
        }
        Ok(())
    }

    /// A count at one process of a class, if it has that process: what named processes and that one contribute, and the other ones of all classes of
    /// its partition. Those of which the answers do not say what they contribute, do so together with any number of them.
    fn define_at_unnamed(
        &mut self,
        cell: &GroundCell,
        classes: &[Vec<(u8, Class<'_>)>],
    ) -> Result<(), Overflow> {
        let CountDefinitions { system, reader, unnamed, .. } = *self.definitions;
        let (Some(process), Some(count)) = (unnamed.alone_in(cell), system.count_of(cell.var)) else {
            return Ok(());
        };
        let is_own = |representative: u8| unnamed.is_of_class(process, representative);
        let own = classes.iter().find(|group| group.iter().any(|it| is_own(it.0)));
        let (Some(classes), Some(lacks), None) = (own, unnamed.lacks(process), &count.summand) else {
            return Ok(());
        };
        if classes.iter().any(|it| it.1.is_each()) {
            return Ok(());
        }
        // What the answers say is read of another process than this one, so that it is not the generic one here.
        let itself = unnamed.end();
        let index = cell.index.iter().map(|p| if *p == process { itself } else { *p });
        let index: Vec<u8> = index.collect();
        let contributes = |other: u8| reader.dnf(&count.body, &[&index[..], &[other]].concat(), Reading::Now);
        let one = GroundSum::number(Rational::ONE);
        let mut sum = GroundSum::of(cell.clone()).negated().ok_or(Overflow)?;
        for other in (0..self.situation.procs).chain([itself]) {
            let when = moved(&contributes(other)?, itself, process);
            let value = self.value(&when, always(one.clone()), true)?;
            sum = plus(&sum, Rational::ONE, &value)?;
        }
        let rest = contributes(self.generic)?;
        let mut open = GroundSum::number(Rational::ZERO);
        for (representative, class) in classes {
            let mut others = unnamed.rest(*representative);
            if is_own(*representative) {
                others = plus(&others, Rational::ONE.neg(), &one)?;
            }
            match class.uniform(&rest) {
                Some(when) => {
                    let when = moved(&when, itself, process);
                    let value = self.value(&when, always(others), true)?;
                    sum = plus(&sum, Rational::ONE, &value)?;
                }
                None => open = plus(&open, Rational::ONE, &others)?,
            }
        }
        let part = self.part(true);
        sum = plus(&sum, Rational::ONE, &part)?;
        let few = compare(plus(&part, Rational::ONE.neg(), &open)?, Relation::Le, true)?;
        let negative = compare(part, Relation::Lt, true)?;
        let is_sum = compare(sum, Relation::Eq, true)?;
        for fact in [negative.not(), few, is_sum] {
            self.facts.push(GroundFormula::any([lacks.clone(), fact]));
        }
        Ok(())
    }

    /// What the processes of a class contribute.
    fn of_class(
        &mut self,
        rest: &Contribution,
        representative: u8,
        class: &Class<'_>,
        integer: bool,
    ) -> Result<GroundSum, Overflow> {
        let unnamed = self.definitions.unnamed;
        let all = || unnamed.rest(representative);
        if class.is_each() {
            // What its one process contributes, if there is one.
            let exists = compare(all(), Relation::Le, true)?.not();
            let when = GroundFormula::all([moved(&rest.when, self.generic, representative), exists]);
            let at = |(when, sum): &(GroundFormula, GroundSum)| {
                (moved(when, self.generic, representative), moved_sum(sum, self.generic, representative))
            };
            return self.value(&when, rest.ways.iter().map(at).collect(), integer);
        }
        let uniform = class.uniform(&rest.when);
        if uniform == Some(GroundFormula::FALSE) {
            return Ok(GroundSum::number(Rational::ZERO));
        }
        let mut totals = Some(Vec::new());
        for (when, sum) in &rest.ways {
            let sum = moved_sum(sum, self.generic, representative);
            match (class.uniform(when), &mut totals) {
                (Some(when), _) if when == GroundFormula::FALSE => {}
                (Some(when), Some(known)) => match unnamed.total(&sum, representative)? {
                    Some(total) => known.push((when, total)),
                    None => totals = None,
                },
                _ => totals = None,
            }
        }
        if let (Some(when), Some(ways)) = (uniform, totals) {
            let terms = ways.iter().flat_map(|(_, sum)| &sum.terms);
            self.note_totals(terms.map(|(cell, _)| cell), representative);
            return self.value(&when, ways, integer);
        }
        if let Some(open) = self.open.get(&(rest.clone(), representative)) {
            return Ok(open.clone());
        }
        let part = self.part(integer);
        self.open.insert((rest.clone(), representative), part.clone());
        let zero = compare(part.clone(), Relation::Eq, integer)?;
        let inhabited = compare(all(), Relation::Le, true)?.not();
        self.facts.push(GroundFormula::any([inhabited, zero.clone()]));
        let (must, may) = (class.read(&rest.when, Some(false)), class.read(&rest.when, Some(true)));
        self.facts.push(GroundFormula::any([may, zero]));
        if rest.one {
            let difference = plus(&part, Rational::ONE.neg(), &all())?;
            self.at_least(&part, 0)?;
            self.facts.push(compare(difference.clone(), Relation::Le, true)?);
            self.facts.push(GroundFormula::any([must.not(), compare(difference, Relation::Eq, true)?]));
        }
        Ok(part)
    }

    /// A value by cases, 0 unless the condition holds: the sum itself where there is one case.
    fn value(&mut self, when: &GroundFormula, ways: Ways, integer: bool) -> Result<GroundSum, Overflow> {
        let mut cases: Ways = Vec::new();
        for (also, sum) in ways {
            let both = GroundFormula::all([when.clone(), also]);
            if both != GroundFormula::FALSE {
                cases.push((both, sum));
            }
        }
        let otherwise = when.clone().not();
        if otherwise != GroundFormula::FALSE {
            cases.push((otherwise, GroundSum::number(Rational::ZERO)));
        }
        if let [(GroundFormula::All(conjuncts), sum)] = &cases[..]
            && conjuncts.is_empty()
        {
            return Ok(sum.clone());
        }
        let key = (cases, integer);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let part = self.part(integer);
        let mut any = Vec::new();
        for (when, sum) in &key.0 {
            let equal = compare(plus(&part, Rational::ONE.neg(), sum)?, Relation::Eq, integer)?;
            any.push(GroundFormula::all([when.clone(), equal]));
        }
        self.facts.push(GroundFormula::any(any));
        self.known.insert(key, part.clone());
        Ok(part)
    }

    fn part(&mut self, integer: bool) -> GroundSum {
        let [high, low] = self.parts.to_be_bytes();
        self.parts += 1;
        GroundSum::of(unknown(&[high, low], integer))
    }

    fn note_totals<'c>(&mut self, cells: impl IntoIterator<Item = &'c GroundCell>, representative: u8) {
        let totals = cells.into_iter().filter(|cell| cell.role == CellRole::Total);
        self.totals.extend(totals.map(|cell| (cell.clone(), representative)));
    }

    /// Over no processes anything adds up to 0, and over the classes of each partition it adds up to the same.
    fn totals(&mut self, partitions: &[Vec<u8>]) -> Result<(), Overflow> {
        let at = |cell: &GroundCell, process: u8| moved_cell(cell, self.generic, process);
        let mut of_cells: BTreeMap<GroundCell, BTreeSet<usize>> = BTreeMap::new();
        for (cell, representative) in &self.totals {
            let generic = moved_cell(cell, *representative, self.generic);
            let partition = partitions.iter().position(|it| it.contains(representative));
            of_cells.entry(generic).or_default().extend(partition);
        }
        for (cell, used) in of_cells {
            let integer = cell.ty(self.definitions.system) != Type::Real;
            let mut first: Option<GroundSum> = None;
            for partition in used {
                let mut all = GroundSum::number(Rational::ZERO);
                for &representative in &partitions[partition] {
                    let total = GroundSum::of(at(&cell, representative));
                    let zero = compare(total.clone(), Relation::Eq, integer)?;
                    let rest = self.definitions.unnamed.rest(representative);
                    self.facts.push(GroundFormula::any([compare(rest, Relation::Le, true)?.not(), zero]));
                    all = plus(&all, Rational::ONE, &total)?;
                }
                match &first {
                    None => first = Some(all),
                    Some(first) => {
                        let difference = plus(&all, Rational::ONE.neg(), first)?;
                        self.facts.push(compare(difference, Relation::Eq, integer)?);
                    }
                }
            }
        }
        Ok(())
    }
}

/// A value in one case.
fn always(sum: GroundSum) -> Ways {
    vec![(GroundFormula::TRUE, sum)]
}

/// The constructors that cells have where formulas hold, as far as these say it of a cell alone.
fn values_of(formulas: &[GroundFormula]) -> HashMap<GroundCell, u64> {
    let mut possible = HashMap::new();
    for part in formulas.iter().flat_map(GroundFormula::conjuncts) {
        if let GroundFormula::Literal(Atom::In(cell, values), holds) = part {
            *possible.entry(cell.clone()).or_insert(u64::MAX) &= if *holds { *values } else { !values };
        }
    }
    possible
}

/// What a formula requires whichever alternatives hold: its conjuncts, and of a disjunction what all its parts require.
fn common(formula: &GroundFormula) -> Vec<GroundFormula> {
    let of_each = |it: &GroundFormula| match it {
        GroundFormula::Any(ways) => match &ways[..] {
            [first, others @ ..] => {
                let everywhere = |it: &&GroundFormula| others.iter().all(|way| way.conjuncts().contains(it));
                first.conjuncts().iter().filter(everywhere).cloned().collect()
            }
            [] => Vec::new(),
        },
        other => vec![other.clone()],
    };
    formula.conjuncts().iter().flat_map(of_each).collect()
}

/// A formula about one unnamed process, about another one. Both have greater numbers than the named ones, so that what is ordered
/// by numbers stays in order.
fn moved(formula: &GroundFormula, from: u8, to: u8) -> GroundFormula {
    let cell = |cell: &GroundCell| moved_cell(cell, from, to);
    let point = |point: &GroundPoint| match point {
        GroundPoint::Process(p) => GroundPoint::Process(if *p == from { to } else { *p }),
        GroundPoint::Place(place) => GroundPoint::Place(cell(place)),
    };
    formula.clone().map(&|atom, holds| {
        let atom = match &atom {
            Atom::In(place, values) => Atom::In(cell(place), *values),
            Atom::Equal(a, b) => Atom::Equal(point(a), point(b)),
            Atom::Less(a, b) => Atom::Less(point(a), point(b)),
            Atom::Linear { sum, relation, integer } => {
                Atom::Linear { sum: moved_sum(sum, from, to), relation: *relation, integer: *integer }
            }
        };
        GroundFormula::Literal(atom, holds)
    })
}

fn moved_cell(cell: &GroundCell, from: u8, to: u8) -> GroundCell {
    let index = cell.index.iter().map(|&p| if p == from { to } else { p }).collect();
    GroundCell { index, ..cell.clone() }
}

fn moved_sum(sum: &GroundSum, from: u8, to: u8) -> GroundSum {
    let terms = sum.terms.iter().map(|(cell, n)| (moved_cell(cell, from, to), *n)).collect();
    GroundSum { terms, constant: sum.constant }
}
