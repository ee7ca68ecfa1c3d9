//! Pre-image of a cube under one transition.
//!
//! Exact but for universal guards, which constrain the processes that the cube or the arguments name
//! and nobody else: processes that nobody names may vanish (monotonic abstraction), so a pre-image
//! over-approximates. All processes of the child cube and all arguments keep one naming until the cube is
//! complete; then those that no literal mentions are dropped.

use super::cube::{Builder, Cube, compact};
use super::eliminate::{eliminate_constants, eliminate_ghosts};
use super::ground::{Env, Formula, Ground, Halt, Overflow, Reduced, Side, Value, linear, relation_of};
use super::instance::{Alternative, Effect, Prepared};
use super::slot::{Kind, MAX_PROCS, Shape, Slot};
use crate::model::Rational;

/// One cube of a pre-image.
#[derive(Clone, Debug)]
pub struct Pre {
    /// The cube.
    pub cube: Cube,
    /// Arguments in the naming of the step.
    pub args: Vec<u8>,
    /// Processes of the step: those of the child first, then fresh ones.
    pub procs: u8,
    /// For each process of `cube`, its name in the step.
    pub kept: Vec<u8>,
}

/// Counters of pre-image computation.
#[derive(Clone, Copy, Default, Debug)]
pub struct PreCounts {
    /// Instances of transitions looked at.
    pub instances: u64,
    /// Instances skipped because they change nothing that the cube constrains.
    pub untouched: u64,
}

impl std::ops::AddAssign for PreCounts {
    fn add_assign(&mut self, other: Self) {
        self.instances += other.instances;
        self.untouched += other.untouched;
    }
}

/// How pre-images are taken.
#[derive(Clone, Copy, Debug)]
pub struct PreOptions {
    /// Keep processes that no literal mentions: they still must exist.
    pub keep_unused: bool,
    /// Project away numeric constants that a literal bounds from one side; they are rigid, so this
    /// over-approximates.
    pub eliminate_constants: bool,
    /// Join cubes that differ in one mask. Fewer nodes without approximation; with it, the parts have
    /// smaller unreachable generalisations than the whole.
    pub join: bool,
}

/// All cubes of the pre-image of `child` under `t`, appended to `out`.
pub fn pre_image(
    shape: &Shape,
    t: &Prepared<'_>,
    child: &Cube,
    options: PreOptions,
    counts: &mut PreCounts,
    out: &mut Vec<Pre>,
) -> Result<(), Halt> {
    if t.written & child.signature == 0 {
        return Ok(());
    }
    let mut args = Vec::with_capacity(t.transition.arity());
    choose(shape, t, child, options, counts, out, &mut args, child.procs)
}

#[allow(clippy::too_many_arguments)] // a recursion over its own state
fn choose(
    shape: &Shape,
    t: &Prepared<'_>,
    child: &Cube,
    options: PreOptions,
    counts: &mut PreCounts,
    out: &mut Vec<Pre>,
    args: &mut Vec<u8>,
    procs: u8,
) -> Result<(), Halt> {
    if args.len() == t.transition.arity() {
        return instance(shape, t, child, options, counts, out, args, procs);
    }
    for p in 0..child.procs {
        if !args.contains(&p) {
            args.push(p);
            choose(shape, t, child, options, counts, out, args, procs)?;
            args.pop();
        }
    }
    if usize::from(procs) < shape.max_procs {
        args.push(procs);
        choose(shape, t, child, options, counts, out, args, procs + 1)?;
        args.pop();
    } else if !shape.bounded {
        // Leaving these pre-images out would be unsound.
        return Err(Overflow.into());
    }
    Ok(())
}

#[allow(clippy::too_many_arguments)] // as above
fn instance(
    shape: &Shape,
    t: &Prepared<'_>,
    child: &Cube,
    options: PreOptions,
    counts: &mut PreCounts,
    out: &mut Vec<Pre>,
    args: &[u8],
    procs: u8,
) -> Result<(), Halt> {
    debug_assert!(usize::from(procs) <= MAX_PROCS);
    shape.interrupt.poll()?;
    counts.instances += 1;
    let mut touched = false;
    for &(slot, _) in &child.masks {
        if t.written >> (slot.var().0 & 63) & 1 == 1 && t.touches(shape, slot, args, procs)? {
            touched = true;
            break;
        }
    }
    if !touched {
        'sides: for side in &child.sides {
            for slot in side.slots() {
                if t.touches(shape, slot, args, procs)? {
                    touched = true;
                    break 'sides;
                }
            }
        }
    }
    if !touched {
        counts.untouched += 1;
        return Ok(());
    }
    let mut step = StepBuilder { shape, t, args, procs, choices: Vec::new() };
    let mut base = Builder::new(shape, procs);
    if !step.guard(&mut base)? {
        return Ok(());
    }
    let mut rewrites = Vec::new();
    if !step.child(child, &mut base, &mut rewrites)? {
        return Ok(());
    }
    let from = out.len();
    step.choices.sort_by_key(Vec::len);
    step.expand(0, base, &mut rewrites, child, options, out)?;
    merge(shape, options, out, from)
}

/// A side slot of the child and the value chosen for it.
struct Rewrite {
    slot: Slot,
    alternatives: Vec<Alternative>,
    chosen: Option<Value>,
}

struct StepBuilder<'a, 'b> {
    shape: &'a Shape,
    t: &'b Prepared<'b>,
    args: &'b [u8],
    procs: u8,
    /// Disjunctions still to be multiplied out.
    choices: Vec<Vec<Vec<Ground>>>,
}

impl<'a> StepBuilder<'a, '_> {
    fn guard(&mut self, base: &mut Builder<'a>) -> Result<bool, Halt> {
        let env = Env { shape: self.shape, procs: self.procs, vars: self.args };
        for l in &self.t.transition.guard {
            if !base.require_reduced(&env.literal(l)?) {
                return Ok(false);
            }
        }
        for z in (0..self.procs).filter(|z| !self.args.contains(z)) {
            self.shape.interrupt.poll()?;
            let mut vars = self.args.to_vec();
            vars.push(z);
            let env = Env { shape: self.shape, procs: self.procs, vars: &vars };
            for u in &self.t.transition.universals {
                if !self.any(base, env.dnf(&u.body)?) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Conjoins a disjunction: at once when it has one member, later otherwise.
    fn any(&mut self, base: &mut Builder<'a>, formula: Formula) -> bool {
        match formula {
            Formula::True => true,
            Formula::Any(mut any) => match any.len() {
                0 => false,
                1 => base.require_all(&any.pop().unwrap_or_default()),
                _ => {
                    self.choices.push(any);
                    true
                }
            },
        }
    }

    /// Takes the child's literals through the update.
    fn child(
        &mut self,
        child: &Cube,
        base: &mut Builder<'a>,
        rewrites: &mut Vec<Rewrite>,
    ) -> Result<bool, Halt> {
        for side in &child.sides {
            for slot in side.slots() {
                if slot.is_process() || rewrites.iter().any(|r| r.slot == slot) {
                    continue;
                }
                match self.t.effect(self.shape, slot, self.args, self.procs)? {
                    Effect::None => {}
                    Effect::Nondet => rewrites.push(Rewrite {
                        slot,
                        alternatives: vec![(Vec::new(), ghost_value(self.shape, slot))],
                        chosen: None,
                    }),
                    Effect::Cases(alternatives) => {
                        if alternatives.is_empty() {
                            return Ok(false);
                        }
                        rewrites.push(Rewrite { slot, alternatives, chosen: None });
                    }
                }
            }
        }
        for &(slot, mask) in &child.masks {
            let mask = self.widen(slot, mask, child.procs);
            if rewrites.iter().any(|r| r.slot == slot) {
                continue; // its mask goes to the chosen value
            }
            match self.t.effect(self.shape, slot, self.args, self.procs)? {
                Effect::None => {
                    if !base.restrict(slot, mask) {
                        return Ok(false);
                    }
                }
                Effect::Nondet => {}
                Effect::Cases(alternatives) => {
                    let mut any = Vec::new();
                    let mut always = true;
                    for (mut when, value) in alternatives {
                        match self.value_in(&value, mask) {
                            Reduced::True => any.push(when),
                            Reduced::False => always = false,
                            Reduced::Literal(g) => {
                                always = false;
                                if super::ground::conjoin(&mut when, &g) {
                                    any.push(when);
                                }
                            }
                        }
                    }
                    if always {
                        continue;
                    }
                    let formula =
                        if any.iter().any(Vec::is_empty) { Formula::True } else { Formula::Any(any) };
                    if !self.any(base, formula) {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    /// A child's mask seen with the step's processes: "other" may be a fresh one.
    fn widen(&self, slot: Slot, mask: u64, procs: u8) -> u64 {
        if self.shape.kind(slot) == Kind::Proc && mask & super::slot::OTHER != 0 {
            mask | (super::slot::low(self.procs) & !super::slot::low(procs))
        } else {
            mask
        }
    }

    fn value_in(&self, value: &Value, mask: u64) -> Reduced {
        match value {
            Value::Constructor(c) => Reduced::from_bool(mask >> c & 1 == 1),
            Value::Slot(s) => match s.as_process() {
                Some(p) => Reduced::from_bool(mask >> p & 1 == 1),
                None => Reduced::mask(*s, mask, self.shape.full(*s, self.procs)),
            },
            Value::Linear(..) => unreachable!("numeric cells have no masks"),
        }
    }

    /// Multiplies out the disjunctions, then the side slots' alternatives.
    fn expand(
        &self,
        at: usize,
        base: Builder<'a>,
        rewrites: &mut Vec<Rewrite>,
        child: &Cube,
        options: PreOptions,
        out: &mut Vec<Pre>,
    ) -> Result<(), Halt> {
        self.shape.interrupt.poll()?;
        if let Some(any) = self.choices.get(at) {
            for conj in any {
                let mut next = base.clone();
                if next.require_all(conj) {
                    self.expand(at + 1, next, rewrites, child, options, out)?;
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
                    self.expand(at + 1, next, rewrites, child, options, out)?;
                }
            }
            rewrites[rewrite].chosen = None;
            return Ok(());
        }
        self.leaf(base, rewrites, child, options, out)
    }

    fn leaf(
        &self,
        mut b: Builder<'a>,
        rewrites: &[Rewrite],
        child: &Cube,
        options: PreOptions,
        out: &mut Vec<Pre>,
    ) -> Result<(), Halt> {
        let env = Env { shape: self.shape, procs: self.procs, vars: self.args };
        let value = |slot: Slot| {
            rewrites
                .iter()
                .find(|r| r.slot == slot)
                .and_then(|r| r.chosen.clone())
                .unwrap_or_else(|| identity(self.shape, slot))
        };
        for r in rewrites {
            if let (Some(mask), Some(v)) = (child.mask(r.slot), &r.chosen)
                && !b.require_reduced(&self.value_in(v, self.widen(r.slot, mask, child.procs)))
            {
                return Ok(());
            }
        }
        for side in &child.sides {
            let reduced = match side {
                Side::Eq(x, y) => env.equal(&value(*x), &value(*y), false),
                Side::Ne(x, y) => env.equal(&value(*x), &value(*y), true),
                Side::Lt(x, y) => env.less(&value(*x), &value(*y), true),
                Side::Le(x, y) => env.less(&value(*x), &value(*y), false),
                Side::Linear { integer, form, bound } => {
                    let (relation, negate) = relation_of(*bound);
                    let mut terms: Vec<(Slot, Rational)> = Vec::new();
                    let mut constant = bound.number().neg();
                    for (slot, k) in form {
                        let Value::Linear(ts, c) = value(*slot) else {
                            unreachable!("numeric slots have linear values")
                        };
                        for (s, m) in ts {
                            terms.push((s, m.mul(*k).ok_or(Overflow)?));
                        }
                        constant = constant.add(c.mul(*k).ok_or(Overflow)?).ok_or(Overflow)?;
                    }
                    if negate {
                        for t in &mut terms {
                            t.1 = t.1.neg();
                        }
                        constant = constant.neg();
                    }
                    linear(&terms, constant, relation, *integer)?
                }
            };
            if !b.require_reduced(&reduced) {
                return Ok(());
            }
        }
        let mut done = Vec::new();
        eliminate_ghosts(self.shape, b, &mut done)?;
        for mut b in done {
            if options.eliminate_constants && !eliminate_constants(self.shape, &mut b)? {
                continue;
            }
            let Some(cube) = b.finish()? else { continue };
            let (cube, kept) = if options.keep_unused {
                (cube, (0..self.procs).collect())
            } else {
                compact(self.shape, &cube)?
            };
            out.push(Pre { cube, args: self.args.to_vec(), procs: self.procs, kept });
        }
        Ok(())
    }
}

fn identity(shape: &Shape, slot: Slot) -> Value {
    match shape.kind(slot) {
        Kind::Int | Kind::Real => {
            Value::Linear(std::iter::once((slot, Rational::ONE)).collect(), Rational::ZERO)
        }
        Kind::Enum(_) | Kind::Proc | Kind::Abstract => Value::Slot(slot),
    }
}

fn ghost_value(shape: &Shape, slot: Slot) -> Value {
    match shape.kind(slot) {
        Kind::Int | Kind::Real => {
            Value::Linear(std::iter::once((Slot::ghost(slot.var()), Rational::ONE)).collect(), Rational::ZERO)
        }
        Kind::Enum(_) | Kind::Proc | Kind::Abstract => Value::Slot(Slot::ghost(slot.var())),
    }
}

/// Joins cubes of one instance that differ in one mask only, and drops those that another contains, as
/// far as that is seen with equal names.
fn merge(shape: &Shape, options: PreOptions, out: &mut Vec<Pre>, from: usize) -> Result<(), Halt> {
    let mut changed = out.len() - from > 1;
    while changed {
        changed = false;
        'pairs: for i in from..out.len() {
            for j in from..out.len() {
                shape.interrupt.poll()?;
                if i == j || out[i].kept != out[j].kept {
                    continue;
                }
                if implies(&out[j].cube, &out[i].cube) {
                    out.remove(j);
                    changed = true;
                    break 'pairs;
                }
                if i < j
                    && options.join
                    && let Some(joined) = join(shape, &out[i].cube, &out[j].cube)?
                {
                    if options.keep_unused {
                        out[i].cube = joined;
                    } else {
                        let kept = std::mem::take(&mut out[i].kept);
                        let (cube, again) = compact(shape, &joined)?;
                        out[i].kept = again.iter().map(|&p| kept[p as usize]).collect();
                        out[i].cube = cube;
                    }
                    out.remove(j);
                    changed = true;
                    break 'pairs;
                }
            }
        }
    }
    Ok(())
}

/// Whether every literal of `weak` is implied by one of `strong`, names unchanged.
fn implies(strong: &Cube, weak: &Cube) -> bool {
    weak.procs <= strong.procs
        && weak.signature & !strong.signature == 0
        && weak.masks.iter().all(|&(s, m)| strong.mask(s).is_some_and(|n| n & !m == 0))
        && weak.sides.iter().all(|w| strong.sides.iter().any(|s| s.implies(w)))
}

/// The union of two cubes when they differ in exactly one mask.
fn join(shape: &Shape, a: &Cube, b: &Cube) -> Result<Option<Cube>, Halt> {
    if a.procs != b.procs || a.sides != b.sides || a.masks.len() != b.masks.len() {
        return Ok(None);
    }
    let mut differ = a.masks.iter().zip(b.masks.iter()).filter(|(x, y)| x != y);
    let Some((x, y)) = differ.next() else { return Ok(None) };
    if x.0 != y.0 || differ.next().is_some() {
        return Ok(None);
    }
    let mut builder = Builder::new(shape, a.procs);
    for &(s, m) in &a.masks {
        let m = if s == x.0 { x.1 | y.1 } else { m };
        builder.restrict(s, m);
    }
    for s in &a.sides {
        builder.require_side(s);
    }
    builder.finish()
}
