//! The cube before one step: guards, and the child's literals rewritten by the updates.

use super::choices::{are_many, multiply};
use super::pre::{Pre, PreOptions};
use super::project::{eliminate_constants, eliminate_ghosts};
use super::transition::{Alternative, Effect, Prepared};
use crate::cube::{
    CellKind, CellValue, Cube, CubeBuilder, CubeCell, CubeContext, CubeLiteral, Disjunction, Halt,
    Instantiation, OTHER, Overflow, Reduced, Relational, Separated, both, compact, disjunction, low,
    rename_literals,
};
use crate::tuning::{MOST_CASES_OF_OTHERS, MOST_NAMED_BESIDE_OTHERS};
use cubicle_lang::model::{Rational, Universal};

/// A cell of the child's relational literals, and the value chosen for it.
struct Rewrite {
    cell: CubeCell,
    alternatives: Vec<Alternative>,
    chosen: Option<CellValue>,
}

/// The cube that a step leads to, and how its pre-images are made.
struct Child<'b> {
    child: &'b Cube,
    options: PreOptions<'b>,
}

/// A transition fired with given arguments.
pub struct FiredTransition<'a, 'b> {
    context: &'a CubeContext,
    t: &'b Prepared<'b>,
    args: &'b [u8],
    procs: u8,
    /// Disjunctions still to be multiplied out.
    choices: Vec<Disjunction>,
}

impl<'a, 'b> FiredTransition<'a, 'b> {
    /// `t` fired with `args`, among `procs` processes.
    pub fn new(context: &'a CubeContext, t: &'b Prepared<'b>, args: &'b [u8], procs: u8) -> Self {
        Self { context, t, args, procs, choices: Vec::new() }
    }

    /// Appends the cubes from which the step leads into `child` to `out`.
    pub fn before(mut self, child: &Cube, options: PreOptions<'_>, out: &mut Vec<Pre>) -> Result<(), Halt> {
        let mut base = CubeBuilder::new(self.context, self.procs);
        if !self.guard(&mut base)? {
            return Ok(());
        }
        let mut rewrites = Vec::new();
        if !self.rewrite(child, &mut rewrites)?
            || !self.child(child, &mut base, &rewrites)?
            || !self.others(child, &mut base)?
        {
            return Ok(());
        }
        self.choices.sort_by_key(Vec::len);
        let child_of = Child { child, options };
        if are_many(&self.choices) {
            let choices = self.choices.iter().map(|it| it.iter().collect()).collect();
            return multiply(base, choices, &mut |base| {
                self.expand(self.choices.len(), base, &mut rewrites, &child_of, out)
            });
        }
        self.expand(0, base, &mut rewrites, &child_of, out)
    }

    fn guard(&mut self, base: &mut CubeBuilder<'a>) -> Result<bool, Halt> {
        let env = Instantiation { context: self.context, procs: self.procs, vars: self.args };
        for l in &self.t.transition.guard {
            if !base.require_reduced(&env.literal(l)?) {
                return Ok(false);
            }
        }
        for u in &self.t.transition.universals {
            let mut vars = self.args.to_vec();
            if !self.universal(base, u, &mut vars)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Requires a universal guard of all processes of the cube, the first ones of which are chosen. False when it cannot hold.
    fn universal(
        &mut self,
        base: &mut CubeBuilder<'a>,
        u: &Universal,
        vars: &mut Vec<u8>,
    ) -> Result<bool, Halt> {
        if vars.len() == self.args.len() + usize::from(u.bound) {
            let env = Instantiation { context: self.context, procs: self.procs, vars };
            return Ok(self.any(base, env.dnf(&u.body)?));
        }
        for z in 0..self.procs {
            if vars.contains(&z) {
                continue;
            }
            self.context.interrupt.poll()?;
            vars.push(z);
            if !self.universal(base, u, vars)? {
                return Ok(false);
            }
            vars.pop();
        }
        Ok(true)
    }

    /// Conjoins a disjunction: at once when it has one member, later otherwise.
    fn any(&mut self, base: &mut CubeBuilder<'a>, any: Disjunction) -> bool {
        match &any[..] {
            [] => false,
            [one] => base.require_all(one),
            _ => {
                self.choices.push(any);
                true
            }
        }
    }

    /// Collects the effect of the update on the cells of the child's relational literals; false when one gets no value.
    fn rewrite(&self, child: &Cube, rewrites: &mut Vec<Rewrite>) -> Result<bool, Halt> {
        for cell in child.relational.iter().flat_map(Relational::cells) {
            if cell.is_process() || rewrites.iter().any(|r| r.cell == cell) {
                continue;
            }
            let wanted = |value: &CellValue| self.may_become(child, cell, value);
            let alternatives = match self.t.effect(self.context, cell, self.args, self.procs, &wanted)? {
                Effect::None => continue,
                Effect::Nondet => vec![(Vec::new(), identity(self.context, CubeCell::ghost(cell.var())))],
                Effect::Cases { cases, .. } if cases.is_empty() => return Ok(false),
                Effect::Cases { cases, .. } => cases,
            };
            rewrites.push(Rewrite { cell, alternatives, chosen: None });
        }
        Ok(true)
    }

    /// Whether the child's literals about `cell` alone leave it this value.
    fn may_become(&self, child: &Cube, cell: CubeCell, value: &CellValue) -> bool {
        let env = Instantiation { context: self.context, procs: self.procs, vars: self.args };
        let mask = child.mask(cell).map(|mask| self.widen(cell, mask, child.procs));
        let value_of = |it| if it == cell { value.clone() } else { identity(self.context, it) };
        let alone = |it: &&Relational| it.cells().iter().all(|&it| it == cell || it.is_process());
        mask.is_none_or(|mask| self.value_in(value, mask, self.procs) != Reduced::False)
            && child
                .relational
                .iter()
                .filter(alone)
                // The caller that needs a number checks its range.
                .all(|it| !matches!(env.substituted(it, &value_of), Ok(Reduced::False)))
    }

    /// Rewrites the child's masks by the update; false when the cube is plainly empty.
    fn child(
        &mut self,
        child: &Cube,
        base: &mut CubeBuilder<'a>,
        rewrites: &[Rewrite],
    ) -> Result<bool, Halt> {
        for &(cell, mask) in &child.masks {
            let mask = self.widen(cell, mask, child.procs);
            if rewrites.iter().any(|r| r.cell == cell) {
                continue; // its mask goes to the chosen value
            }
            let wanted = |value: &CellValue| self.value_in(value, mask, self.procs) != Reduced::False;
            match self.t.effect(self.context, cell, self.args, self.procs, &wanted)? {
                Effect::None => {
                    if !base.restrict(cell, mask) {
                        return Ok(false);
                    }
                }
                Effect::Nondet => {}
                Effect::Cases { cases, all } => {
                    let formula = self.some_value_in(cases, all, mask, self.procs);
                    if !self.any(base, formula) {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    /// The condition for the value that an update chooses to be in the mask; `always`: one of these cases always applies.
    fn some_value_in(&self, cases: Vec<Alternative>, mut always: bool, mask: u64, procs: u8) -> Disjunction {
        let mut any = Vec::new();
        for (mut when, value) in cases {
            let is_in = self.value_in(&value, mask, procs);
            always &= is_in == Reduced::True;
            if is_in.join(&mut when) {
                any.push(when);
            }
        }
        if always { vec![Vec::new()] } else { disjunction(any) }
    }

    /// What the step leaves of what the child and the transition's universal guards say of other processes. Requires it of arguments that the child
    /// does not name; false when it cannot hold.
    ///
    /// An exact pre-image, but for what is left out: conjunctions about values that `?` chooses, and with too many cases.
    fn others(&mut self, child: &Cube, base: &mut CubeBuilder<'a>) -> Result<bool, Halt> {
        if child.others.is_empty() && !self.t.remembers {
            return Ok(true);
        }
        let own: Vec<u8> = (0..child.procs).collect();
        for excluded in &child.others {
            for arg in child.procs..self.procs {
                let map = [&own[..], &[arg]].concat();
                let literals = rename_literals(self.context, excluded, &map, self.procs)?;
                let denied = self.denied_before(&literals)?;
                if !self.any(base, denied) {
                    return Ok(false);
                }
            }
            let map = [&own[..], &[self.procs]].concat();
            let literals = rename_literals(self.context, excluded, &map, self.procs + 1)?;
            for conj in self.all_before(&literals)?.into_iter().flatten() {
                base.exclude(conj.into());
            }
        }
        if self.t.remembers {
            for u in &self.t.transition.universals {
                self.exclude(base, u, &mut self.args.to_vec(), false)?;
            }
        }
        Ok(true)
    }

    /// Requires a universal guard of all processes that are not named, together with named ones. What it says of several that are not named is left out.
    fn exclude(
        &self,
        base: &mut CubeBuilder<'a>,
        u: &Universal,
        vars: &mut Vec<u8>,
        has_other: bool,
    ) -> Result<(), Halt> {
        let other = self.procs;
        if vars.len() < self.args.len() + usize::from(u.bound) {
            self.context.interrupt.poll()?;
            for process in (0..=other).filter(|it| *it < other || !has_other) {
                if !vars.contains(&process) {
                    vars.push(process);
                    self.exclude(base, u, vars, has_other || process == other)?;
                    vars.pop();
                }
            }
            return Ok(());
        }
        let env = Instantiation { context: self.context, procs: other + 1, vars };
        if !has_other {
            return Ok(());
        }
        let clauses: Vec<Disjunction> =
            env.dnf(&u.body)?.iter().map(|conj| negated(&env, conj)).collect::<Result<_, Overflow>>()?;
        for conj in product(&clauses).into_iter().flatten() {
            base.exclude(conj.into());
        }
        Ok(())
    }

    /// The states before the step in which some of these literals do not hold after it.
    fn denied_before(&self, literals: &[CubeLiteral]) -> Result<Disjunction, Halt> {
        let env = Instantiation { context: self.context, procs: self.procs, vars: self.args };
        let Some(clause) = env.denial(literals)? else { return Ok(vec![Vec::new()]) };
        let mut all = Vec::new();
        for negated in &clause {
            all.extend(self.before_of(negated, self.procs)?.unwrap_or_else(|| vec![Vec::new()]));
        }
        Ok(disjunction(all))
    }

    /// The states before the step in which all of these literals, one process of which is not named, hold after it; `None` where they do not say it.
    fn all_before(&self, literals: &[CubeLiteral]) -> Result<Option<Disjunction>, Halt> {
        let formulas = literals.iter().map(|literal| self.before_of(literal, self.procs + 1));
        Ok(formulas.collect::<Result<Option<Vec<_>>, Halt>>()?.and_then(|it| product(&it)))
    }

    /// The states before the step, among `procs` processes, in which a literal holds after it; `None` where `?` chooses.
    fn before_of(&self, literal: &CubeLiteral, procs: u8) -> Result<Option<Disjunction>, Halt> {
        let relational = match literal {
            CubeLiteral::Mask(cell, mask) => {
                let wanted = |value: &CellValue| self.value_in(value, *mask, procs) != Reduced::False;
                return Ok(match self.t.effect(self.context, *cell, self.args, procs, &wanted)? {
                    Effect::None => Some(vec![vec![literal.clone()]]),
                    Effect::Nondet => None,
                    Effect::Cases { cases, all } => Some(self.some_value_in(cases, all, *mask, procs)),
                });
            }
            CubeLiteral::Relational(relational) => relational,
        };
        let mut ways: Vec<(Vec<CubeLiteral>, Vec<(CubeCell, CellValue)>)> = vec![Default::default()];
        for cell in relational.cells() {
            if cell.is_process() || ways[0].1.iter().any(|(known, _)| *known == cell) {
                continue;
            }
            let cases = match self.t.effect(self.context, cell, self.args, procs, &|_| true)? {
                Effect::None => vec![(Vec::new(), identity(self.context, cell))],
                Effect::Nondet => return Ok(None),
                Effect::Cases { cases, .. } => cases,
            };
            let mut next = Vec::new();
            for (when, values) in &ways {
                for (also, value) in &cases {
                    if let Some(when) = both(when, also) {
                        let values = values.iter().cloned().chain([(cell, value.clone())]).collect();
                        next.push((when, values));
                    }
                }
            }
            ways = next;
            if ways.is_empty() {
                break;
            }
        }
        let env = Instantiation { context: self.context, procs, vars: self.args };
        let mut any = Vec::new();
        for (mut when, values) in ways {
            let value_of = |cell: CubeCell| {
                let known = values.iter().find(|it| it.0 == cell);
                known.map_or_else(|| identity(self.context, cell), |it| it.1.clone())
            };
            if env.substituted(relational, &value_of)?.join(&mut when) {
                any.push(when);
            }
        }
        Ok(Some(disjunction(any)))
    }

    /// A child's mask over the step's processes: "other" may be a fresh one.
    fn widen(&self, cell: CubeCell, mask: u64, procs: u8) -> u64 {
        if self.context.kind(cell) == CellKind::Proc && mask & OTHER != 0 {
            mask | (low(self.procs) & !low(procs))
        } else {
            mask
        }
    }

    fn value_in(&self, value: &CellValue, mask: u64, procs: u8) -> Reduced {
        match value {
            CellValue::Constructor(c) => Reduced::from_bool(mask >> c & 1 == 1),
            CellValue::Cell(s) => match s.as_process() {
                Some(p) => Reduced::from_bool(mask >> p & 1 == 1),
                None => Reduced::mask(*s, mask, self.context.full(*s, procs)),
            },
            CellValue::Linear(..) => unreachable!("numeric cells have no masks"),
        }
    }

    /// Multiplies out the disjunctions, then the alternatives for cells of relational literals.
    fn expand(
        &self,
        at: usize,
        base: CubeBuilder<'a>,
        rewrites: &mut [Rewrite],
        child_of: &Child<'_>,
        out: &mut Vec<Pre>,
    ) -> Result<(), Halt> {
        self.context.interrupt.poll()?;
        if let Some(any) = self.choices.get(at) {
            for conj in any {
                let mut next = base.clone();
                if next.require_all(conj) {
                    self.expand(at + 1, next, rewrites, child_of, out)?;
                }
            }
            return Ok(());
        }
        let rewrite = at - self.choices.len();
        if rewrite < rewrites.len() {
            for (when, value) in rewrites[rewrite].alternatives.clone() {
                let mut next = base.clone();
                if next.require_all(&when) {
                    rewrites[rewrite].chosen = Some(value);
                    self.expand(at + 1, next, rewrites, child_of, out)?;
                }
            }
            rewrites[rewrite].chosen = None;
            return Ok(());
        }
        self.leaf(base, rewrites, child_of, out)
    }

    fn leaf(
        &self,
        mut b: CubeBuilder<'a>,
        rewrites: &[Rewrite],
        child_of: &Child<'_>,
        out: &mut Vec<Pre>,
    ) -> Result<(), Halt> {
        let Child { child, options } = *child_of;
        let env = Instantiation { context: self.context, procs: self.procs, vars: self.args };
        let value = |cell: CubeCell| {
            rewrites
                .iter()
                .find(|r| r.cell == cell)
                .and_then(|r| r.chosen.clone())
                .unwrap_or_else(|| identity(self.context, cell))
        };
        for r in rewrites {
            if let (Some(mask), Some(v)) = (child.mask(r.cell), &r.chosen)
                && !b.require_reduced(&self.value_in(v, self.widen(r.cell, mask, child.procs), self.procs))
            {
                return Ok(());
            }
        }
        for relational in &child.relational {
            if !b.require_reduced(&env.substituted(relational, &value)?) {
                return Ok(());
            }
        }
        let mut done = Vec::new();
        eliminate_ghosts(self.context, b, &mut done)?;
        for mut b in done {
            if options.eliminate_constants && !eliminate_constants(self.context, &mut b)? {
                continue;
            }
            let Some(mut cube) = b.finish()? else { continue };
            if !cube.others.is_empty() && cube.most_of_a_sort(self.context) > MOST_NAMED_BESIDE_OTHERS {
                let mut b = CubeBuilder::from_cube(self.context, &cube);
                b.forget_others();
                let Some(larger) = b.finish()? else { continue };
                cube = larger;
            }
            let (mut cube, mut kept) = if options.keep_unused {
                (cube, (0..self.procs).collect())
            } else {
                compact(self.context, &cube)?
            };
            if !options.keep_unused && !cube.others.is_empty() {
                for process in (self.context.rigid..cube.procs).rev() {
                    let Some(separated) = Separated::new(self.context, &cube, process)? else { continue };
                    if separated.is_ordinary()?
                        && let Some(without) = separated.without()?
                    {
                        cube = without;
                        kept.remove(usize::from(process));
                    }
                }
            }
            let (transition, args) = (self.t.id, self.args.to_vec());
            out.push(Pre { transition, cube, args, procs: self.procs, kept });
        }
        Ok(())
    }
}

/// The negation of a conjunction, one conjunction for each of its literals.
fn negated(env: &Instantiation<'_>, conj: &[CubeLiteral]) -> Result<Disjunction, Overflow> {
    let clause = env.denial(conj)?;
    Ok(clause.map_or_else(|| vec![Vec::new()], |it| it.into_iter().map(|literal| vec![literal]).collect()))
}

/// Disjunctions of conjunctions multiplied out; `None` where there are too many cases.
fn product(formulas: &[Disjunction]) -> Option<Disjunction> {
    formulas.iter().try_fold(vec![Vec::new()], |all: Disjunction, any| {
        let next: Disjunction =
            all.iter().flat_map(|conj| any.iter().filter_map(|more| both(conj, more))).collect();
        (next.len() <= MOST_CASES_OF_OTHERS).then_some(next)
    })
}

fn identity(context: &CubeContext, cell: CubeCell) -> CellValue {
    match context.kind(cell) {
        CellKind::Int | CellKind::Real => {
            CellValue::Linear(std::iter::once((cell, Rational::ONE)).collect(), Rational::ZERO)
        }
        CellKind::Enum(_) | CellKind::Proc | CellKind::Abstract => CellValue::Cell(cell),
    }
}
