//! Whether the counts, sums and equations leave a cube any state.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::OnceLock;

use hashbrown::HashMap;

use super::facts::{self, Facts};
use super::signature::{Counted, Member, signatures};
use crate::cube::{
    Cube, CubeBuilder, CubeCell, CubeContext, CubeLiteral, Form, Halt, Instantiation, Overflow, Reduced,
    Relational, Widened, compared, denial_of, linear, widened,
};
use crate::theory::{Sat, linearly_satisfiable};
use crate::tuning::MAX_COUNTED;
use cubicle_lang::list::sorted;
use cubicle_lang::model::{
    Axiom, Cell, Count, Dnf, Equation, Forbidden, Literal, ProcRef, Rational, Relation, System, Term, Type,
    VarId, negated,
};

/// The counts of a system, and the equations that hold in its reachable states.
#[derive(Clone, Debug)]
pub struct Counting<'a> {
    system: &'a System,
    /// Equations that are not about a certain process, and what axioms say.
    equations: Vec<Equation>,
    /// Equations about each process.
    of_each: Vec<Equation>,
    /// Those that were found, with what is said of each process.
    found: Vec<Equation>,
    /// The globals on which it depends what the equations say, and sets of values that none of them tells apart.
    locations: Vec<(VarId, Vec<u64>)>,
    /// Arrays of numbers that are never negative.
    never_negative: Vec<VarId>,
    /// What lemmas say, once they are proved.
    facts: OnceLock<Facts>,
}

/// What an axiom about numbers without processes says, as far as that is one comparison.
fn of_axiom(axiom: &Axiom) -> Option<Equation> {
    let [conj] = axiom.denial.0.as_slice() else { return None };
    let [Literal::Linear { expr, relation, integer: true }] = conj.as_slice() else { return None };
    let number = match relation {
        Relation::Eq => expr.clone(),
        Relation::Le => expr.scaled(Rational::ONE.neg())?,
        Relation::Lt | Relation::Ne => return None,
    };
    let global = number.terms.iter().all(|(cell, _)| cell.index.is_empty());
    let at_least = *relation == Relation::Le;
    (global && axiom.params == 0).then(|| Equation { at_least, ..Equation::of(number) })
}

/// What holds of all processes of a state: a universal guard of a step, at processes of the cube before it, or init.
#[derive(Clone, Copy, Debug)]
pub struct Everywhere<'u> {
    /// Whether it also holds of the processes that the cube names; of others it always does.
    pub named: bool,
    /// What holds of each; its variable follows those of the arguments.
    pub body: &'u Dnf,
    /// The arguments, all of which the cube names.
    pub args: &'u [u8],
}

/// A sum of numbers and pseudo cells for the numbers of processes with a signature.
type Terms = Vec<(CubeCell, Rational)>;

/// What the named processes that are certainly part of a sum add to it.
struct Addends {
    /// What they add, without the constants, minus the sum.
    difference: Terms,
    constant: Rational,
    /// Minus the number of processes that are part of it.
    members: Terms,
    /// How many of the named ones certainly are.
    certain: i64,
}

impl<'a> Counting<'a> {
    /// For a system, and equations over its globals and counts; `None` when there is nothing to be said.
    pub fn new(system: &'a System, equations: &[Equation]) -> Option<Self> {
        // The last numbers of variables stand for numbers of processes.
        if system.counts.is_empty() && equations.is_empty() || system.vars.len() > LAST - 2 * MOST_NUMBERS {
            return None;
        }
        let axioms = system.axioms.iter().filter_map(of_axiom);
        let (of_each, of_all): (Vec<&Equation>, Vec<&Equation>) =
            equations.iter().filter(|it| it.occupied.is_none()).partition(|equation| equation.params > 0);
        let never_negative = of_each.iter().filter_map(|it| facts::never_negative(it)).collect();
        let mut locations: Vec<(VarId, Vec<u64>)> = Vec::new();
        let of_globals = of_all.iter().flat_map(|it| &it.when);
        for literal in of_globals {
            let Literal::In { cell: Cell { var: global, .. }, values } = literal else { continue };
            let at = locations.iter().position(|it| it.0 == *global).unwrap_or_else(|| {
                locations.push((*global, vec![u64::MAX]));
                locations.len() - 1
            });
            let split = |part: u64| [part & values, part & !values];
            let parts = locations[at].1.iter().copied().flat_map(split).filter(|part| *part != 0);
            locations[at].1 = parts.collect();
        }
        locations.retain(|(_, parts)| parts.len() <= MOST_PARTS);
        Some(Self {
            system,
            found: equations.to_vec(),
            equations: of_all.into_iter().cloned().chain(axioms).collect(),
            of_each: of_each.into_iter().filter(|it| facts::never_negative(it).is_none()).cloned().collect(),
            locations,
            never_negative,
            facts: OnceLock::new(),
        })
    }

    /// Uses these cubes from now on, which no reachable state is in and which are visited in each search that asks.
    pub fn learn(&self, context: &CubeContext, lemmas: &[Cube]) {
        self.facts.get_or_init(|| Facts::of(context, lemmas));
    }

    /// The globals on which it depends what equations say.
    pub fn modes(&self) -> Vec<VarId> {
        self.locations.iter().map(|it| it.0).collect()
    }

    /// The same where no reachable state is in these cubes.
    pub fn taught(&self, context: &CubeContext, lemmas: &[Cube]) -> Self {
        Self { facts: OnceLock::from(Facts::of(context, lemmas)), ..self.clone() }
    }

    /// The states that violate an equation.
    pub fn violations(&self) -> Vec<Forbidden> {
        let cubes = |it: &Equation| it.violations(self.system, usize::MAX).unwrap_or_default();
        self.found.iter().flat_map(cubes).collect()
    }

    /// Whether certainly no reachable state is in the cube, where each process satisfies `everywhere`.
    pub fn excludes(
        &self,
        context: &CubeContext,
        cube: &Cube,
        everywhere: &[Everywhere<'_>],
    ) -> Result<bool, Halt> {
        if cube.others.is_empty() {
            return self.excludes_where(context, cube, everywhere, &[]);
        }
        // What the cube says of all others is one more thing that holds everywhere.
        let named: Vec<u8> = (0..cube.procs).collect();
        let said = cube.others.iter().map(|it| denial_of(context, cube.procs, it));
        let said = said.collect::<Result<Vec<Dnf>, Overflow>>()?;
        let of_others = said.iter().map(|body| Everywhere { named: false, body, args: &named });
        let everywhere: Vec<Everywhere<'_>> = everywhere.iter().copied().chain(of_others).collect();
        self.excludes_where(context, cube, &everywhere, &[])
    }

    /// As [`Counting::excludes`], where `everywhere` is all that is known of other processes, and no process is part of those counts of `absent`
    /// of which this is said, and of no other one of them, if there are any.
    fn excludes_where(
        &self,
        context: &CubeContext,
        cube: &Cube,
        everywhere: &[Everywhere<'_>],
        absent: &[(CubeCell, bool)],
    ) -> Result<bool, Halt> {
        let Some(cube) = self.instructed(context, cube)? else { return Ok(true) };
        let cube = &*cube;
        if self.excludes_plainly(context, cube, everywhere, absent)? {
            return Ok(true);
        }
        // Equations that are only said of some values of a global, one value after the other.
        for (global, parts) in &self.locations {
            let cell = CubeCell::of(*global, []);
            let held = cube.held(context, cell);
            let parts: Vec<u64> = parts.iter().map(|part| part & held).filter(|part| *part != 0).collect();
            if parts.len() < 2 {
                continue;
            }
            let mut all = true;
            for part in parts {
                all = match restricted(context, cube, cell, part)? {
                    Some(narrowed) => self.excludes_plainly(context, &narrowed, everywhere, absent)?,
                    None => true,
                };
                if !all {
                    break;
                }
            }
            if all {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A cube with what lemmas say of its numbers; `None` where no reachable state is in it.
    fn instructed<'c>(&self, context: &CubeContext, cube: &'c Cube) -> Result<Option<Cow<'c, Cube>>, Halt> {
        self.facts.get().map_or(Ok(Some(Cow::Borrowed(cube))), |facts| facts.instructed(context, cube))
    }

    /// The same, without a distinction of cases.
    fn excludes_plainly(
        &self,
        context: &CubeContext,
        cube: &Cube,
        everywhere: &[Everywhere<'_>],
        absent: &[(CubeCell, bool)],
    ) -> Result<bool, Halt> {
        let equations = self.relevant(context, cube);
        let mut cells: Vec<CubeCell> = Vec::new();
        let mut read = |cell: CubeCell| {
            let counts = !cell.is_process() && (self.counts(cell.var()) || self.sums_up(cell.var()));
            if counts && !cells.contains(&cell) {
                cells.push(cell);
            }
        };
        for relational in &cube.relational {
            relational.cells().into_iter().for_each(&mut read);
        }
        for (equation, p) in &equations {
            equation.number.terms.iter().for_each(|(cell, _)| read(at(cell, *p)));
        }
        let silent = cells.is_empty() && equations.is_empty();
        if silent || cells.len() + everywhere.len() + 1 > MAX_COUNTED {
            return Ok(false);
        }
        context.interrupt.poll()?;
        let index: Vec<Vec<u8>> = cells.iter().map(|cell| context.indices(*cell).collect()).collect();
        let mut counted: Vec<Counted<'_>> = Vec::with_capacity(cells.len() + everywhere.len());
        for (cell, index) in cells.iter().zip(&index) {
            let count = self.system.count_of(cell.var()).expect("it is a count");
            counted.push(Counted { body: &count.body, index });
        }
        let room = MAX_COUNTED - (cells.len() + everywhere.len());
        let facts =
            self.facts.get().map_or_else(Vec::new, |facts| facts.of_members(context, cube, &counted, room));
        counted.extend(everywhere.iter().map(|it| Counted { body: it.body, index: it.args }));
        counted.extend(facts.iter().map(|(body, args, _)| Counted { body, index: args }));
        let of_everywhere = everywhere.iter().map(|it| if it.named { Scope::All } else { Scope::Unnamed });
        let of_facts = facts.iter().map(|it| it.2.map_or(Scope::Unnamed, Scope::Named));
        let scopes: Vec<Scope> = of_everywhere.chain(of_facts).collect();
        let Some(mut regions) = Regions::new(context, cube, &counted, &scopes)? else { return Ok(false) };
        let mut rows = std::mem::take(&mut regions.rows);
        if !absent.is_empty() {
            let place = |it: &(CubeCell, bool)| Some((cells.iter().position(|cell| *cell == it.0)?, it.1));
            let Some(places) = absent.iter().map(place).collect::<Option<Vec<_>>>() else { return Ok(false) };
            let together = regions.together(&places);
            if !require(&mut rows, &together, Rational::ZERO, Relation::Le)? {
                return Ok(true);
            }
        }
        // A count is the sum of the numbers of its signatures.
        let mut sums: HashMap<CubeCell, Terms> = HashMap::new();
        for (n, cell) in cells.iter().enumerate().filter(|(_, cell)| self.counts(cell.var())) {
            sums.insert(*cell, regions.members(n));
        }
        for relational in &cube.relational {
            let Relational::Linear { integer: true, form, bound } = relational else { continue };
            let (form, constant, relation) = compared(form, *bound);
            if !require(&mut rows, &expanded(&form, &sums)?, constant, relation)? {
                return Ok(true);
            }
        }
        let mut further = 0;
        for &(equation, p) in &equations {
            if further + equation.indicators.len() > MOST_NUMBERS {
                break;
            }
            let (terms, constant) =
                Self::equation(context, cube, equation, p, &mut further, &sums, &mut rows)?;
            let minus = |(cell, k): (CubeCell, Rational)| (cell, k.neg());
            let possible = if equation.at_least {
                let terms: Terms = terms.into_iter().map(minus).collect();
                require(&mut rows, &terms, constant.neg(), Relation::Le)?
            } else {
                require(&mut rows, &terms, constant, Relation::Eq)?
            };
            if !possible {
                return Ok(true);
            }
        }
        let mut addends = Vec::new();
        for n in (0..cells.len()).filter(|n| self.sums_up(cells[*n].var())) {
            addends.push(self.addends(context, cube, n, cells[n], &regions, &mut rows)?);
        }
        if linearly_satisfiable(&rows)? == Sat::No {
            return Ok(true);
        }
        // Where no further process can be part of a sum, it is what the named ones add to it.
        let mut complete = false;
        for Addends { difference, constant, members, certain } in &addends {
            let mut with_others = rows.clone();
            let possible = require(&mut with_others, members, Rational::integer(certain + 1), Relation::Le)?;
            if possible && linearly_satisfiable(&with_others)? != Sat::No {
                continue;
            }
            complete = true;
            if !require(&mut rows, difference, *constant, Relation::Eq)? {
                return Ok(true);
            }
        }
        Ok(complete && linearly_satisfiable(&rows)? == Sat::No)
    }

    /// The cube with what counts and equations say of the processes that it names: a process that must be counted, or cannot be.
    /// `None` when no reachable state is in it.
    pub fn tightened(&self, context: &CubeContext, cube: &Cube) -> Result<Option<Cube>, Halt> {
        let mut cube = cube.clone();
        for (count, index) in self.said(context, &cube) {
            // Only where single literals about the process say whether it is counted.
            let own = ProcRef::Var(index.len() as u8);
            let literals = count.body.0.iter().filter_map(|conj| match conj.as_slice() {
                [Literal::In { cell, values }] if cell.index.contains(&own) => Some((cell, values)),
                _ => None,
            });
            let processes = context.rigid..cube.procs;
            for ((cell, values), p) in literals.flat_map(|it| processes.clone().map(move |p| (it, p))) {
                let vars = [&index[..], &[p]].concat();
                let cell = Instantiation { context, procs: cube.procs, vars: &vars }.cell(cell);
                let held = cube.held(context, cell);
                if held & values == 0 || held & !values == 0 {
                    continue;
                }
                for part in [held & values, held & !values] {
                    let Some(narrowed) = restricted(context, &cube, cell, held & !part)? else { continue };
                    let Some(other) = restricted(context, &cube, cell, part)? else { continue };
                    if self.excludes(context, &narrowed, &[])? {
                        if self.excludes(context, &other, &[])? {
                            return Ok(None);
                        }
                        cube = other;
                        break;
                    }
                }
            }
        }
        Ok(Some(cube))
    }

    /// The cube with what it says of numbers, as something of all other processes: where all that are counted have names, no other one is counted.
    pub fn closed(&self, context: &CubeContext, cube: Cube) -> Result<Option<Cube>, Halt> {
        if usize::from(cube.procs) >= context.max_procs {
            return Ok(Some(cube));
        }
        let mut closed = CubeBuilder::from_cube(context, &cube);
        let env = Instantiation { context, procs: cube.procs + 1, vars: &[cube.procs] };
        let said = self.said(context, &cube).into_iter().filter(|(_, index)| index.is_empty());
        for conj in said.flat_map(|(count, _)| &count.body.0) {
            let of_other = |it: &Literal| match env.literal(it)? {
                Reduced::Literal(literal) => Ok(Some(literal)),
                Reduced::True | Reduced::False => Ok(None),
            };
            let literals: Result<Option<Vec<CubeLiteral>>, Overflow> = conj.iter().map(of_other).collect();
            let Some(literals) = literals? else { continue };
            let mut case = widened(context, &cube)?.cube;
            if case.require_all(&literals)
                && let Some(case) = case.finish()?
                && self.excludes(context, &case, &[])?
            {
                closed.exclude(literals.into());
            }
        }
        closed.finish()
    }

    /// The cases of a cube in which a process that it must have has a name: one that is part of a count that cannot be zero, of two
    /// counts at once (two majorities), or of one and not of the other (a majority and a minority), where no named process certainly is. The
    /// cube itself where there is none; none at all where counts and equations exclude each case. `further` says what else holds of another process.
    pub fn witnessed<'c>(
        &self,
        context: &'c CubeContext,
        cube: Cube,
        further: &dyn Fn(Widened<'c>) -> Result<Vec<CubeBuilder<'c>>, Halt>,
    ) -> Result<Vec<Cube>, Halt> {
        if usize::from(cube.procs) >= context.max_procs {
            return Ok(vec![cube]);
        }
        let Some(instructed) = self.instructed(context, &cube)? else { return Ok(Vec::new()) };
        let mut compared: Vec<CubeCell> = sorted(instructed.relational.iter().flat_map(Relational::cells));
        compared.retain(|cell| !cell.is_process() && self.counts(cell.var()));
        let mut pairs = Vec::new();
        for parts in [[true, true], [true, false], [false, true]] {
            for (at, a) in compared.iter().enumerate() {
                pairs.extend(compared[at + 1..].iter().map(|b| vec![(*a, parts[0]), (*b, parts[1])]));
            }
        }
        let indexed = compared.iter().filter(|it| context.arity(it.var()) > 0).map(|it| vec![(*it, true)]);
        let said = self.said(context, &cube).into_iter().filter(|(_, index)| index.is_empty());
        let said = said.map(|(count, _)| vec![(CubeCell::of(count.var, []), true)]);
        // Two majorities seldom meet in a named process, while one of many that are counted may well be named.
        let is_split = |together: &[(CubeCell, bool)]| together.len() > 1;
        let mut first: Option<Vec<Cube>> = None;
        for together in said.chain(indexed).chain(pairs).take(MOST_WITNESSES) {
            if first.is_some() && !is_split(&together) {
                continue;
            }
            let index: Vec<Vec<u8>> = together.iter().map(|it| context.indices(it.0).collect()).collect();
            let bodies = together.iter().map(|(cell, part)| self.told_of_member(*cell, *part));
            let Some(bodies) = bodies.collect::<Option<Vec<Cow<'_, Dnf>>>>() else { continue };
            let counted: Vec<Counted<'_>> =
                bodies.iter().zip(&index).map(|(body, index)| Counted { body, index }).collect();
            let full = (1_u64 << together.len()) - 1;
            let (mut possible, mut is_certain) = (Vec::new(), false);
            for p in 0..cube.procs {
                let Some(of_it) = signatures(context, &cube, &counted, Member::Named(p), 0) else {
                    is_certain = true;
                    break;
                };
                is_certain |= of_it.iter().all(|it| *it == full);
                if of_it.contains(&full) {
                    possible.push(p);
                }
            }
            is_certain |= !is_split(&together) && !possible.is_empty();
            if is_certain || !self.excludes_where(context, &cube, &[], &together)? {
                continue;
            }
            let mut cases = Vec::new();
            for p in possible.into_iter().map(Some).chain([None]) {
                let (member, procs) = (p.unwrap_or(cube.procs), cube.procs + u8::from(p.is_none()));
                let starts = match p {
                    Some(_) => vec![CubeBuilder::from_cube(context, &cube)],
                    None => further(widened(context, &cube)?)?,
                };
                for mut case in starts {
                    let mut fits = true;
                    for it in &counted {
                        let vars: Vec<u8> = it.index.iter().copied().chain([member]).collect();
                        let env = Instantiation { context, procs, vars: &vars };
                        for literal in &it.body.0[0] {
                            fits = fits && case.require_reduced(&env.literal(literal)?);
                        }
                    }
                    if let (true, Some(case)) = (fits, case.finish()?)
                        && !self.excludes(context, &case, &[])?
                    {
                        cases.push(case);
                    }
                }
            }
            // A further pair may leave nothing of the cube.
            if cases.is_empty() {
                return Ok(cases);
            }
            first.get_or_insert(cases);
        }
        Ok(first.unwrap_or_else(|| vec![cube]))
    }

    /// What holds of a process that is part of a count, or is not, if that is a conjunction.
    fn told_of_member(&self, cell: CubeCell, part: bool) -> Option<Cow<'_, Dnf>> {
        let body = &self.system.count_of(cell.var()).expect("it is a count").body;
        let [conj] = body.0.as_slice() else { return None };
        match conj.as_slice() {
            _ if part => Some(Cow::Borrowed(body)),
            [literal] => Some(Cow::Owned(Dnf(vec![vec![negated(self.system, literal)?]]))),
            _ => None,
        }
    }

    /// The counts that a cube compares, itself or by an equation about numbers each of which it bounds, with their indices.
    fn said(&self, context: &CubeContext, cube: &Cube) -> Vec<(&'a Count, Vec<u8>)> {
        let cells = cube.relational.iter().flat_map(Relational::cells);
        let mut cells: Vec<CubeCell> = cells.filter(|cell| !cell.is_process()).collect();
        let bounds = |here: &CubeCell| {
            let about = |it: &Relational| matches!(it, Relational::Linear { form, .. } if matches!(form[..], [(cell, _)] if cell == *here));
            self.counts(here.var()) || cube.relational.iter().any(about)
        };
        for (equation, p) in self.relevant(context, cube) {
            let of_it: Vec<CubeCell> = equation.number.terms.iter().map(|(cell, _)| at(cell, p)).collect();
            if of_it.iter().all(bounds) {
                cells.extend(of_it);
            }
        }
        cells.sort_unstable();
        cells.dedup();
        let count =
            |cell: CubeCell| Some((self.system.count_of(cell.var())?, context.indices(cell).collect()));
        cells.into_iter().filter_map(count).filter(|(count, _)| count.summand.is_none()).collect()
    }

    /// What the named processes that are certainly part of a sum add to it. Adds that a sum of numbers none of which is negative
    /// is at least that.
    fn addends(
        &self,
        context: &CubeContext,
        cube: &Cube,
        n: usize,
        sum: CubeCell,
        regions: &Regions,
        rows: &mut Vec<Relational>,
    ) -> Result<Addends, Halt> {
        let count = self.system.count_of(sum.var()).expect("it is a sum");
        let summand = count.summand.as_ref().expect("it is a sum");
        let index: Vec<u8> = context.indices(sum).collect();
        let minus = |(cell, k): (CubeCell, Rational)| (cell, k.neg());
        let mut all = Addends {
            difference: vec![(sum, Rational::ONE.neg())],
            constant: Rational::ZERO,
            members: regions.members(n).into_iter().map(minus).collect(),
            certain: 0,
        };
        for p in (0..cube.procs).filter(|p| regions.certain[usize::from(*p)] >> n & 1 == 1) {
            let vars = [&index[..], &[p]].concat();
            let env = Instantiation { context, procs: cube.procs, vars: &vars };
            all.difference.extend(summand.terms.iter().map(|(cell, k)| (env.cell(cell), *k)));
            all.constant = all.constant.add(summand.constant).ok_or(Overflow)?;
            all.certain += 1;
        }
        if let Some(array) = self.summed(count) {
            for p in 0..cube.procs {
                let cell = CubeCell::of(array, [p]);
                require(rows, &[(cell, Rational::ONE.neg())], Rational::ZERO, Relation::Le)?;
            }
            require(rows, &all.difference, all.constant, Relation::Le)?;
        }
        Ok(all)
    }

    /// Whether a variable is a number of processes.
    fn counts(&self, var: VarId) -> bool {
        self.system.count_of(var).is_some_and(|count| count.summand.is_none())
    }

    /// Whether a variable is a count, or an equation is about it.
    pub fn tells_of(&self, var: VarId) -> bool {
        let is_about = |it: &Equation| it.number.terms.iter().any(|(cell, _)| cell.var == var);
        self.system.count_of(var).is_some() || self.equations.iter().any(is_about)
    }

    /// Whether a variable is a sum of whole numbers.
    fn sums_up(&self, var: VarId) -> bool {
        self.system.count_of(var).is_some_and(|count| count.summand.is_some())
            && self.system.var(var).ty != Type::Real
    }

    /// The array that a sum adds up, where no number of it is negative.
    fn summed(&self, count: &Count) -> Option<VarId> {
        let summand = count.summand.as_ref().filter(|it| it.constant.is_zero())?;
        let [(cell, factor)] = summand.terms.as_slice() else { return None };
        let member = ProcRef::Var(self.system.var(count.var).arity() as u8);
        let own = cell.index.as_slice() == [member] && *factor > Rational::ZERO;
        (own && self.never_negative.contains(&cell.var)).then_some(cell.var)
    }

    /// The equations that may say something of a cube, those about each process with one that it names: those whose numbers all are counts
    /// or sums, or occur elsewhere.
    fn relevant(&self, context: &CubeContext, cube: &Cube) -> Vec<(&Equation, u8)> {
        let held = |cell: CubeCell| cube.held(context, cell);
        let certain = |literal: &Literal, p: u8| match literal {
            Literal::In { cell, values } => held(at(cell, p)) & !values == 0,
            Literal::Eq { left: Term::Cell(cell), right: Term::Proc(_), negated } => {
                let possible = held(at(cell, p));
                if *negated { possible >> p & 1 == 0 } else { possible == 1 << p }
            }
            _ => false,
        };
        let holds = |(equation, p): &(&Equation, u8)| equation.when.iter().all(|it| certain(it, *p));
        // What a cube does not mention of a process is nothing to it.
        let mentions = |(equation, p): &(&Equation, u8)| {
            let mut cells = equation.when.iter().flat_map(Literal::cells);
            cells.all(|cell| cell.index.is_empty() || cube.mask(at(cell, *p)).is_some())
        };
        let of_each = (0..cube.procs).flat_map(|p| self.of_each.iter().map(move |it| (it, p)));
        let all = self.equations.iter().map(|it| (it, 0)).chain(of_each.filter(mentions));
        let mut left: Vec<(&Equation, u8)> = all.filter(holds).collect();
        loop {
            let before = left.len();
            let all = left.clone();
            left.retain(|(equation, p)| {
                equation.number.terms.iter().all(|(cell, _)| {
                    let here = at(cell, *p);
                    let said = || cube.relational.iter().any(|it| it.mentions(here));
                    let elsewhere = |(other, q): &&(&Equation, u8)| {
                        !(std::ptr::eq(*other, *equation) && p == q)
                            && other.number.terms.iter().any(|it| at(&it.0, *q) == here)
                    };
                    // A sum is known where no further process can be part of it.
                    self.system.count_of(cell.var).is_some()
                        || said()
                        || all.iter().any(|other| elsewhere(&other))
                })
            });
            if left.len() == before {
                return left;
            }
        }
    }

    /// An equation over the numbers of signatures: the terms and the constant of a sum that is zero.
    fn equation(
        context: &CubeContext,
        cube: &Cube,
        equation: &Equation,
        p: u8,
        further: &mut usize,
        sums: &HashMap<CubeCell, Terms>,
        rows: &mut Vec<Relational>,
    ) -> Result<(Terms, Rational), Halt> {
        let form: Form = equation.number.terms.iter().map(|(cell, k)| (at(cell, p), *k)).collect();
        let mut terms = expanded(&form, sums)?;
        let mut constant = equation.number.constant;
        for (cell, values, added) in &equation.indicators {
            let cell = at(cell, p);
            let held = cube.held(context, cell);
            if held & !values == 0 {
                constant = constant.add(*added).ok_or(Overflow)?;
            } else if held & values != 0 {
                // One if it holds such a value, else zero.
                let one = pseudo(MOST_NUMBERS + *further);
                *further += 1;
                require(rows, &[(one, Rational::ONE.neg())], Rational::ZERO, Relation::Le)?;
                require(rows, &[(one, Rational::ONE)], Rational::ONE.neg(), Relation::Le)?;
                terms.push((one, *added));
            }
        }
        Ok((terms, constant))
    }
}

/// A cell of an equation, at a process for one that is about each.
fn at(cell: &Cell, p: u8) -> CubeCell {
    CubeCell::of(cell.var, cell.index.iter().map(|_| p))
}

/// The cube with a cell within a set; `None` when it plainly contradicts itself then.
fn restricted(context: &CubeContext, cube: &Cube, cell: CubeCell, values: u64) -> Result<Option<Cube>, Halt> {
    let mut b = CubeBuilder::from_cube(context, cube);
    if b.restrict(cell, values) { b.finish() } else { Ok(None) }
}

/// Most counts, and pairs of counts, of which it is asked whether a process must be part of them.
const MOST_WITNESSES: usize = 12;

/// Most sets of values of a global that are looked at one after the other.
const MOST_PARTS: usize = 6;

/// No cube has more signatures than this.
const MOST_NUMBERS: usize = 4_096;

/// The greatest number of a variable that a cell has room for.
const LAST: usize = 0x7FFF;

/// A cell that stands for a number that is not one of the system's: one of the last numbers of variables, which
/// [`Counting::new`] keeps free.
fn pseudo(n: usize) -> CubeCell {
    CubeCell::of(VarId((LAST - n) as u16), [])
}

/// A form with the sums of counts in their place.
fn expanded(form: &Form, sums: &HashMap<CubeCell, Terms>) -> Result<Terms, Overflow> {
    let mut terms = Terms::new();
    for (cell, k) in form {
        match sums.get(cell) {
            None => terms.push((*cell, *k)),
            Some(sum) => {
                for (number, one) in sum {
                    terms.push((*number, one.mul(*k).ok_or(Overflow)?));
                }
            }
        }
    }
    Ok(terms)
}

/// Adds `sum terms + constant relation 0`; false when it never holds.
fn require(
    rows: &mut Vec<Relational>,
    terms: &[(CubeCell, Rational)],
    constant: Rational,
    relation: Relation,
) -> Result<bool, Overflow> {
    match linear(terms, constant, relation, true)? {
        Reduced::True => {}
        Reduced::False => return Ok(false),
        Reduced::Literal(CubeLiteral::Relational(literal)) => rows.push(literal),
        Reduced::Literal(CubeLiteral::Mask(..)) => unreachable!("it is linear"),
    }
    Ok(true)
}

/// Rows without a solution.
fn contradiction() -> Result<Vec<Relational>, Overflow> {
    let mut rows = Vec::new();
    require(&mut rows, &[(pseudo(0), Rational::ONE)], Rational::ONE, Relation::Le)?;
    require(&mut rows, &[(pseudo(0), Rational::ONE.neg())], Rational::ZERO, Relation::Le)?;
    Ok(rows)
}

fn add_one<T: PartialEq>(counts: &mut Vec<(T, i64)>, kind: T) {
    match counts.iter_mut().find(|it| it.0 == kind) {
        Some((_, n)) => *n += 1,
        None => counts.push((kind, 1)),
    }
}

/// The processes of which a formula holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scope {
    All,
    /// Those that the cube does not name.
    Unnamed,
    /// One that it names.
    Named(u8),
}

/// The numbers of processes by signature, and what a cube says of them.
struct Regions {
    /// Each signature, and its number.
    numbers: Vec<(u64, CubeCell)>,
    rows: Vec<Relational>,
    /// The counts that each named process is certainly part of.
    certain: Vec<u64>,
}

impl Regions {
    /// The last formulas, one for each of these scopes, hold of the processes there. The others are counts.
    fn new(
        context: &CubeContext,
        cube: &Cube,
        counted: &[Counted<'_>],
        scopes: &[Scope],
    ) -> Result<Option<Self>, Halt> {
        let cells = counted.len() - scopes.len();
        let counts = (1_u64 << cells) - 1;
        let holds = |within: &dyn Fn(Scope) -> bool| {
            (cells..).zip(scopes).fold(0, |set, (n, scope)| set | u64::from(within(*scope)) << n)
        };
        let of_unnamed = holds(&|scope| matches!(scope, Scope::All | Scope::Unnamed));
        // The counts that a process may be part of, of which these formulas hold.
        let possible = |asked: &[Counted<'_>], member: Member, required: u64| {
            let all = signatures(context, cube, asked, member, required)?;
            let of_counts: BTreeSet<u64> = all.into_iter().map(|it| it & counts).collect();
            Some(of_counts.into_iter().collect::<Vec<_>>())
        };
        let Some(unnamed) = possible(counted, Member::Unnamed, of_unnamed) else { return Ok(None) };
        // The processes with one possible signature, and sets of signatures with the number of the processes that have one of them.
        let mut certain: Vec<(u64, i64)> = Vec::new();
        let mut groups: Vec<(Vec<u64>, i64)> = Vec::new();
        let mut certain_of: Vec<u64> = Vec::new();
        for p in 0..cube.procs {
            let of_named = holds(&|scope| scope == Scope::All || scope == Scope::Named(p));
            let asked = if of_named == 0 { &counted[..cells] } else { counted };
            let Some(possible) = possible(asked, Member::Named(p), of_named) else { return Ok(None) };
            if possible.is_empty() {
                // No state at all: a number that is neither positive nor zero.
                let certain = vec![0; cube.procs.into()];
                return Ok(Some(Self { numbers: Vec::new(), rows: contradiction()?, certain }));
            }
            certain_of.push(possible.iter().fold(counts, |all, it| all & it));
            match possible[..] {
                [one] => add_one(&mut certain, one),
                _ => add_one(&mut groups, possible),
            }
        }
        let mut all: Vec<u64> = unnamed.clone();
        all.extend(certain.iter().map(|it| it.0));
        all.extend(groups.iter().flat_map(|it| &it.0));
        all.sort_unstable();
        all.dedup();
        if all.len() >= MOST_NUMBERS {
            return Ok(None);
        }
        let numbers: Vec<(u64, CubeCell)> = all.iter().enumerate().map(|(n, it)| (*it, pseudo(n))).collect();
        let least = |signature: u64| certain.iter().find(|it| it.0 == signature).map_or(0, |it| it.1);
        let mut rows = Vec::new();
        for &(signature, number) in &numbers {
            let lower = Rational::integer(least(signature));
            require(&mut rows, &[(number, Rational::ONE.neg())], lower, Relation::Le)?;
            if !unnamed.contains(&signature) {
                let uncertain: i64 =
                    groups.iter().filter(|it| it.0.contains(&signature)).map(|it| it.1).sum();
                let upper = Rational::integer(least(signature) + uncertain);
                require(&mut rows, &[(number, Rational::ONE)], upper.neg(), Relation::Le)?;
            }
        }
        for (set, _) in &groups {
            let within = |signatures: &[u64]| signatures.iter().all(|it| set.contains(it));
            let processes: i64 = set.iter().map(|it| least(*it)).sum::<i64>()
                + groups.iter().filter(|it| within(&it.0)).map(|it| it.1).sum::<i64>();
            let members: Terms = numbers
                .iter()
                .filter(|(signature, _)| set.contains(signature))
                .map(|(_, number)| (*number, Rational::ONE.neg()))
                .collect();
            require(&mut rows, &members, Rational::integer(processes), Relation::Le)?;
        }
        Ok(Some(Self { numbers, rows, certain: certain_of }))
    }

    /// The processes that are part of those of these counts of which this is said, and of no other one of them, as a sum of numbers.
    fn together(&self, counts: &[(usize, bool)]) -> Terms {
        let is_so = |signature: u64| counts.iter().all(|(n, part)| (signature >> n & 1 == 1) == *part);
        let of_all = self.numbers.iter().filter(|(signature, _)| is_so(*signature));
        of_all.map(|(_, number)| (*number, Rational::ONE)).collect()
    }

    /// The processes that are part of count n, as a sum of numbers.
    fn members(&self, n: usize) -> Terms {
        self.together(&[(n, true)])
    }
}
