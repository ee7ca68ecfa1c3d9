//! The system of `monitor of PROPERTY`: its bad state is reached if some instance has a fair run that breaks the property.
//!
//! # What a broken property looks like
//!
//! The model has finite data, and processes that are alike. Let a fair run of an instance break a `response` or a `recurrence` for some
//! processes: rename them to `#1`, `#2`, ... From some moment on the property waits for its promise, which holds in no state
//! from then on. The instance has finitely many states; so there is a fair run of this kind that is a lasso: some state
//! recurs, and in between, for each declaration of fairness and each tuple that it is about, the step is taken, or (weak fairness) not
//! possible in some state, or (strong fairness) not possible in any. A run that gets stuck is a lasso whose loop has no step.
//!
//! # What is derived
//!
//! `PHASE` goes from *Run* to *Waits*, *Saved* and *Looped*, the bad state. The first two moves, *wait* and *save*, happen where the lasso
//! begins to wait and where its loop begins; *save* copies what transitions assign. A step of the model is possible in each phase but the last,
//! with all of its updates; in *Waits* and *Saved* only where the promise does not hold. *close* leads to *Looped*. The lasso
//! satisfies each further condition of these moves:
//!
//! - *close*: the copied cells have their old values. They do, since the state is the same. Not all cells need to be copied.
//! - *close*: `DONE` is set, for each declaration that is followed and each process that it is about. A step that is taken in *Saved* sets it,
//!   *impossible* may set it in a state of *Saved* in which the step is not possible, and *never* in *Waits*, together with `NEVER`.
//! - *impossible*, *never*: the flag that they set is not set. The lasso needs to set each only once.
//! - *Saved*, *close*: a step whose `NEVER` is set is neither taken nor possible. The lasso sets it for steps possible in none of its states.
//! - *close*: `BY` holds a process if `HINDERED` is set. Both are set together, to a process.
//!
//! A condition that is not known, or takes too many cases, is left out: then more loops close. So there is a run of the derived
//! system to the bad state for every lasso of the model, and if there is none, the property holds for any number of processes.
//! The certificate chooses what to copy and follow: any choice only decides how many loops close.

use super::added::{NotDerived, declare, declare_type};
use cubicle_lang::model::{
    Assignment, BOOL, Bad, BadKind, Branch, Case, Cell, Conj, Dnf, Fairness, Literal, MonitorPlan, ProcRef,
    System, SystemParts, Temporal, TemporalKind, Term, Transition, Type, Universal, Update, VarId, VarKind,
    rename,
};

/// The phases, as constructors.
const RUN: u8 = 0;
const WAITS: u8 = 1;
const SAVED: u8 = 2;
const LOOPED: u8 = 3;

/// The most cases of a condition; where there are more, it is left out.
const MOST_WAYS: usize = 64;

/// The most hindering processes that a closing step names.
const MOST_NAMED: usize = 3;

/// The system whose bad state is reached if the property can be broken.
pub fn monitored(model: &System, plan: &MonitorPlan) -> Result<System, NotDerived> {
    let unfit = |why: String| Err(NotDerived::Unfit(why));
    let Some(property) = model.temporal.iter().find(|it| it.name == plan.property) else {
        return unfit(format!("the model has no property of runs `{}`", plan.property));
    };
    if !matches!(property.kind, TemporalKind::Response | TemporalKind::Recurrence) {
        return unfit(format!("`{}` is neither a `response` nor a `recurrence`", plan.property));
    }
    if model.orders_processes || model.proc_constants > 0 {
        return unfit("processes are not alike".to_owned());
    }
    let endless = |ty: Type| ty.is_numeric() || matches!(ty, Type::Abstract(_));
    // What is counted has finitely many values, and so has the count.
    let declared = (0..).map(VarId).zip(&model.vars).filter(|(id, _)| model.count_of(*id).is_none());
    if let Some((_, var)) = declared.into_iter().find(|(_, it)| endless(it.ty)) {
        return unfit(format!("`{}` may have new values for ever", var.name));
    }
    let observed = u8::try_from(property.params.len())
        .map_err(|_| NotDerived::TooHard("the property has too many parameters".to_owned()))?;
    let mut system = SystemParts { proc_constants: observed, ..model.to_parts() };
    let words = ["Run", "Waits", "Saved", "Looped"].map(str::to_owned);
    let ty = declare_type(&mut system, &plan.phase, &words)?;
    let phase = declare(&mut system, &plan.phase, VarKind::Global, Type::Enum(ty))?;
    let mut copies = Vec::new();
    for (name, of) in &plan.copies {
        let at = model.vars.iter().position(|it| it.name == *of && it.arity() <= 1);
        let Some(at) = at.filter(|at| !endless(model.vars[*at].ty)) else {
            return unfit(format!("the model has no variable `{of}` that could be copied"));
        };
        let kind = if model.vars[at].arity() == 0 { VarKind::Global } else { VarKind::Array(1) };
        copies.push((VarId(at as u16), declare(&mut system, name, kind, model.vars[at].ty)?));
    }
    let mut followed = Vec::new();
    for follow in &plan.followed {
        let Some(fairness) = model.fairness.get(follow.fairness) else {
            return unfit(format!("the model has no declaration of fairness {}", follow.fairness + 1));
        };
        if follow.never.is_some() != fairness.strong {
            return unfit("a variable for what is never possible belongs to strong fairness".to_owned());
        }
        let params = steps_of(model, fairness).map(|it| it.params.len()).collect::<Vec<_>>();
        let each = !fairness.any && params.iter().any(|count| *count > 0);
        if each && params.iter().any(|count| *count != 1) {
            return unfit("fairness of steps of several processes is not followed".to_owned());
        }
        let kind = if each { VarKind::Array(1) } else { VarKind::Global };
        let done = declare(&mut system, &follow.done, kind, Type::Enum(BOOL))?;
        let never = follow.never.as_ref();
        let never = never.map(|name| declare(&mut system, name, kind, Type::Enum(BOOL))).transpose()?;
        let mut hindered = Vec::new();
        for (at_all, by) in &follow.hindered {
            if fairness.strong || !each || hindered.len() >= property.params.len() {
                return unfit(
                    "only observed processes and weak fairness may name the process that stood in the way"
                        .to_owned(),
                );
            }
            let at_all = declare(&mut system, at_all, VarKind::Global, Type::Enum(BOOL))?;
            hindered.push((at_all, declare(&mut system, by, VarKind::Global, Type::Proc)?));
        }
        followed.push(Followed { fairness, each, done, never, hindered });
    }
    let promised = if property.kind == TemporalKind::Response { &property.then } else { &property.first };
    let cases = &promised.0[..];
    let silent = Vec::new();
    let mut monitor = Monitor { model, property, observed, phase, copies, followed, cases, silent };
    monitor.silent = monitor.broken(&promised.0);
    let transitions = monitor.transitions();
    monitor.begin(&mut system);
    system.transitions = transitions;
    system.temporal.clear();
    system.fairness.clear();
    system.bad = vec![Bad {
        name: format!("{} is broken", property.name),
        number: 1,
        kind: BadKind::Unsafe,
        params: 0,
        cube: vec![within(phase, &[], 1 << LOOPED)],
        span: property.span,
        spans: vec![property.span],
    }];
    Ok(System::new(system))
}

/// The transitions that a declaration of fairness is about.
fn steps_of<'a>(model: &'a System, fairness: &'a Fairness) -> impl Iterator<Item = &'a Transition> {
    model.asked_by(fairness)
}

/// A declaration of fairness that is followed.
struct Followed<'a> {
    fairness: &'a Fairness,
    /// Whether it is about each process.
    each: bool,
    done: VarId,
    never: Option<VarId>,
    /// For observed processes: whether another one hindered it, and which one.
    hindered: Vec<(VarId, VarId)>,
}

impl Followed<'_> {
    /// The index of its variables at a process.
    fn at(&self, p: ProcRef) -> Vec<ProcRef> {
        if self.each { vec![p] } else { Vec::new() }
    }
}

struct Monitor<'a> {
    model: &'a System,
    property: &'a Temporal,
    observed: u8,
    phase: VarId,
    copies: Vec<(VarId, VarId)>,
    followed: Vec<Followed<'a>>,
    /// The promise of the property.
    cases: &'a [Case],
    /// The ways for it not to hold of the observed processes.
    silent: Vec<Conj>,
}

impl Monitor<'_> {
    /// Initially, nothing is saved or done.
    fn begin(&self, system: &mut SystemParts) {
        let mut said = vec![within(self.phase, &[], 1 << RUN)];
        for it in &self.followed {
            let flags = std::iter::once(it.done).chain(it.never);
            said.extend(flags.map(|flag| within(flag, &it.at(ProcRef::Var(0)), 0b01)));
            said.extend(it.hindered.iter().map(|(at_all, _)| within(*at_all, &[], 0b01)));
        }
        let about_none = |it: &&Literal| it.cells().iter().all(|cell| cell.index.is_empty());
        for conj in &mut system.init.without_processes.0 {
            conj.extend(said.iter().filter(about_none).cloned());
        }
        if !said.iter().all(|it| about_none(&it)) {
            system.init.params = system.init.params.max(1);
        }
        system.init.body.0.iter_mut().for_each(|conj| conj.extend(said.iter().cloned()));
    }

    fn transitions(&self) -> Vec<Transition> {
        let mut all = Vec::new();
        for t in &self.model.transitions {
            all.extend(self.steps(t));
        }
        all.extend(self.waits());
        for silent in &self.silent {
            let mut guard = vec![self.is(WAITS)];
            guard.extend(silent.iter().cloned());
            let copied = self.copies.iter().map(|(var, copy)| {
                let index = [ProcRef::Var(0)][..self.model.var(*var).arity()].to_vec();
                always(*copy, Term::Cell(cell(*var, &index)))
            });
            let updates = std::iter::once(self.becomes(SAVED)).chain(copied).collect();
            let mut save = self.own("save", 0, guard, updates);
            save.universals = self.asked_of_others(0, false);
            all.push(save);
        }
        for it in &self.followed {
            match it.never {
                Some(never) => all.push(self.never(it, never)),
                None => all.extend(self.impossible(it)),
            }
        }
        all.extend(self.closes());
        for (origin, t) in all.iter_mut().enumerate() {
            t.origin = origin as u16;
            t.spans.resize(t.guard.len(), self.property.span);
        }
        all
    }

    /// A step of the model in each phase.
    fn steps(&self, t: &Transition) -> Vec<Transition> {
        let procs: Vec<ProcRef> = (0..t.arity() as u8).map(ProcRef::Var).collect();
        let guarded = |guard: Conj| Transition { guard, ..t.clone() };
        let base: Conj = t.guard.iter().cloned().chain([self.is(RUN)]).collect();
        let mut found = vec![guarded(base)];
        for silent in &self.silent {
            let in_phase = |phase| -> Conj {
                t.guard.iter().cloned().chain([self.is(phase)]).chain(silent.iter().cloned()).collect()
            };
            let others = self.asked_of_others(t.arity() as u8, false);
            for guard in self.asked_of(in_phase(WAITS), &procs, false) {
                let universals = t.universals.iter().chain(&others).cloned().collect();
                found.push(Transition { guard, universals, ..t.clone() });
            }
            let mut guard = in_phase(SAVED);
            let mut updates = t.updates.clone();
            let takes =
                |it: &&Followed<'_>| steps_of(self.model, it.fairness).any(|of| of.origin == t.origin);
            for it in self.followed.iter().filter(takes) {
                let index = it.at(ProcRef::Var(0));
                guard.extend(it.never.map(|never| within(never, &index, 0b01)));
                updates.push(sets(it.done, &index, t.arity() as u8));
            }
            let others = self.asked_of_others(t.arity() as u8, true);
            for guard in self.asked_of(guard, &procs, true) {
                let universals = t.universals.iter().chain(&others).cloned().collect();
                found.push(Transition { guard, updates: updates.clone(), universals, ..t.clone() });
            }
        }
        found
    }

    /// From now on, the property waits.
    fn waits(&self) -> Vec<Transition> {
        let always = [Case::of(Vec::new())];
        let asked =
            if self.property.kind == TemporalKind::Response { &self.property.first.0[..] } else { &always };
        let mut found = Vec::new();
        for case in asked {
            let cube = match self.named(&case.cube) {
                Some(Some(cube)) => cube,
                Some(None) => continue,
                // A condition that cannot be expressed is left out.
                None => Conj::new(),
            };
            for silent in &self.silent {
                let mut guard = vec![self.is(RUN)];
                guard.extend(cube.iter().chain(silent).cloned());
                // Further processes differ from those observed.
                for further in (0..case.hidden).map(ProcRef::Var) {
                    guard.extend((0..self.observed).map(|p| same(further, ProcRef::Const(p), true)));
                }
                let procs: Vec<ProcRef> = (0..case.hidden).map(ProcRef::Var).collect();
                for guard in self.asked_of(guard, &procs, false) {
                    let mut wait = self.own("wait", case.hidden, guard, vec![self.becomes(WAITS)]);
                    wait.universals = self.asked_of_others(case.hidden, false);
                    found.push(wait);
                }
            }
        }
        found
    }

    /// A cube of the property for the observed processes; further ones are parameters. `Some(None)` when it is false, `None` when it
    /// cannot be expressed.
    fn named(&self, cube: &Conj) -> Option<Option<Conj>> {
        let map = |p: ProcRef| match p {
            ProcRef::Var(v) if v < self.observed => ProcRef::Const(v),
            ProcRef::Var(v) => ProcRef::Var(v - self.observed),
            constant @ ProcRef::Const(_) => constant,
        };
        rename::conj(cube, &map)
    }

    /// The ways for none of these cases to hold of the observed processes, as far as they can be expressed: cases about further
    /// processes are negated for each process by itself, and those with a condition on all others may hold.
    fn broken(&self, cases: &[Case]) -> Vec<Conj> {
        let mut ways = vec![Conj::new()];
        for case in cases.iter().filter(|it| it.hidden == 0 && it.universals.is_empty()) {
            let Some(Some(cube)) = self.named(&case.cube) else { continue };
            let refuted: Option<Vec<Conj>> =
                cube.iter().map(|literal| Some(vec![self.negated(literal)?])).collect();
            let Some(next) = refuted.map(|refuted| tidy(product(&ways, &refuted))) else { continue };
            if next.len() <= MOST_WAYS {
                ways = next;
            }
        }
        ways
    }

    /// Guesses that a step is never possible in the loop.
    fn never(&self, it: &Followed<'_>, never: VarId) -> Transition {
        let index = it.at(ProcRef::Var(0));
        let params = index.len() as u8;
        let updates = vec![sets(never, &index, params), sets(it.done, &index, params)];
        self.own("never", params, vec![self.is(WAITS), within(never, &index, 0b01)], updates)
    }

    /// A step is not possible at this moment.
    fn impossible(&self, it: &Followed<'_>) -> Vec<Transition> {
        let (p, other) = (ProcRef::Var(0), ProcRef::Var(1));
        let index = &it.at(p);
        let made = |params: u8, ways: Vec<Conj>, more: Vec<Update>| {
            ways.into_iter().map(move |way| {
                let unset = within(it.done, index, 0b01);
                let guard = [self.is(SAVED), unset].into_iter().chain(way).collect();
                let updates = std::iter::once(sets(it.done, index, params)).chain(more.clone()).collect();
                self.own("impossible", params, guard, updates)
            })
        };
        let params = u8::from(it.each);
        let Some((alone, with)) = self.off(it, p, it.each.then_some(other)) else {
            // The condition is not known: at any moment.
            return made(params, vec![Vec::new()], Vec::new()).collect();
        };
        if !it.each && steps_of(self.model, it.fairness).any(|t| t.arity() == 1) {
            // No process can take it.
            let mut none = self.own(
                "impossible",
                0,
                vec![self.is(SAVED), within(it.done, &[], 0b01)],
                vec![sets(it.done, &[], 0)],
            );
            none.universals.push(self.of_others(alone));
            return vec![none];
        }
        let hindered = (0..).zip(&it.hindered).flat_map(|(number, (at_all, by))| {
            let observed = vec![vec![same(p, ProcRef::Const(number), false)]];
            let either = |var: VarId, value: Term| {
                let kept = Branch { when: Dnf::truth(), value: Term::Cell(cell(var, &[])) };
                let branches = vec![Branch { when: Dnf(observed.clone()), value }, kept];
                Update { var, assignment: Assignment::Cases(branches) }
            };
            [either(*at_all, Term::Constructor(1)), either(*by, Term::Proc(other))]
        });
        let hindered = hindered.collect();
        made(params, alone, Vec::new()).chain(made(2, with, hindered)).collect()
    }

    /// The ways for no step of a declaration of fairness to be possible, of process `p` where a process takes it: those that are
    /// about `p` alone, and those where `other` hinders it. `None` when they are not known.
    fn off(&self, it: &Followed<'_>, p: ProcRef, other: Option<ProcRef>) -> Option<(Vec<Conj>, Vec<Conj>)> {
        let (mut alone, mut with) = (vec![Conj::new()], Vec::new());
        for t in steps_of(self.model, it.fairness) {
            if t.arity() > 1 {
                return None;
            }
            let of_p = |it: ProcRef| if it == ProcRef::Var(0) { p } else { it };
            let here = self.refuted(&t.guard, &of_p)?;
            let mut there = Vec::new();
            for universal in &t.universals {
                let other = other.filter(|_| t.arity() == 1 && universal.bound == 1)?;
                let map = |it: ProcRef| if it == ProcRef::Var(1) { other } else { of_p(it) };
                let mut ways = vec![Conj::new()];
                for disjunct in &universal.body.0 {
                    ways = product(&ways, &self.refuted(disjunct, &map)?);
                }
                there.extend(ways);
            }
            if !with.is_empty() && !there.is_empty() {
                // Two processes might hinder the step.
                return None;
            }
            with = [product(&with, &here), product(&alone, &there)].concat();
            alone = product(&alone, &here);
            if alone.len() + with.len() > MOST_WAYS {
                return None;
            }
        }
        Some((tidy(alone), tidy(with)))
    }

    /// The ways for a conjunction to be false.
    fn refuted(&self, conj: &Conj, map: &impl Fn(ProcRef) -> ProcRef) -> Option<Vec<Conj>> {
        let Some(conj) = rename::conj(conj, map)? else { return Some(vec![Vec::new()]) };
        conj.iter().map(|literal| Some(vec![self.negated(literal)?])).collect()
    }

    fn negated(&self, literal: &Literal) -> Option<Literal> {
        match literal {
            Literal::In { cell, values } => {
                let Type::Enum(ty) = self.model.var(cell.var).ty else { return None };
                let all = self.model.enumeration(ty).all();
                Some(Literal::In { cell: cell.clone(), values: all & !values })
            }
            Literal::Eq { left, right, negated } => {
                Some(Literal::Eq { left: left.clone(), right: right.clone(), negated: !negated })
            }
            Literal::Less { .. } | Literal::Linear { .. } => None,
        }
    }

    /// The ways for a step to be impossible, or not guessed as never possible, for a process where one takes it.
    fn not_against(&self, it: &Followed<'_>, p: ProcRef) -> Option<Vec<Conj>> {
        let mut ways = vec![vec![within(it.never?, &it.at(p), 0b01)]];
        ways.extend(self.off(it, p, None)?.0);
        Some(tidy(ways))
    }

    /// Whether a process takes the step.
    fn of_a_process(&self, it: &Followed<'_>) -> bool {
        steps_of(self.model, it.fairness).any(|t| t.arity() > 0)
    }

    /// For each promise that some further process keeps, the ways for this one not to: it is observed, or does not satisfy it.
    fn not_kept_by(&self, p: ProcRef) -> Vec<Vec<Conj>> {
        let of = |case: &Case| {
            let map = |it: ProcRef| match it {
                ProcRef::Var(v) if v < self.observed => ProcRef::Const(v),
                ProcRef::Var(_) => p,
                constant @ ProcRef::Const(_) => constant,
            };
            let named = (0..self.observed).map(|other| vec![same(p, ProcRef::Const(other), false)]);
            Some(named.chain(self.refuted(&case.cube, &map)?).collect())
        };
        let plain = self.cases.iter().filter(|it| it.hidden == 1 && it.universals.is_empty());
        plain.filter_map(of).collect()
    }

    /// The ways for a guard to hold where the promise does not, and, `within` the loop, where steps guessed as never possible are
    /// not: for steps of these processes, and of none.
    fn asked_of(&self, guard: Conj, procs: &[ProcRef], within: bool) -> Vec<Conj> {
        let mut all: Vec<Vec<Conj>> = procs.iter().flat_map(|p| self.not_kept_by(*p)).collect();
        for it in self.followed.iter().filter(|_| within) {
            // For a step of no process, the process makes no difference.
            let named = if self.of_a_process(it) { procs } else { &[ProcRef::Var(0)] };
            all.extend(named.iter().filter_map(|p| self.not_against(it, *p)));
        }
        let mut ways = tidy(vec![guard]);
        for alternatives in all {
            let next = tidy(product(&ways, &alternatives));
            if next.len() <= MOST_WAYS {
                ways = next;
            }
        }
        ways
    }

    /// Like [`Self::asked_of`], for all processes other than the parameters of a step with `arity` parameters.
    fn asked_of_others(&self, arity: u8, within: bool) -> Vec<Universal> {
        let other = ProcRef::Var(arity);
        let followed = self.followed.iter().filter(|it| within && self.of_a_process(it));
        let never = followed.filter_map(|it| self.not_against(it, other));
        self.not_kept_by(other).into_iter().chain(never).map(|ways| self.of_others(ways)).collect()
    }

    /// Closes the loop.
    fn closes(&self) -> Vec<Transition> {
        let mut choices: Vec<(Conj, u8)> = vec![(Vec::new(), 0)];
        for (at_all, by) in self.followed.iter().flat_map(|it| &it.hindered).take(MOST_NAMED) {
            let mut next = Vec::new();
            for (guard, further) in choices {
                let with = |more: Vec<Literal>| guard.iter().cloned().chain(more).collect::<Conj>();
                next.push((with(vec![within(*at_all, &[], 0b01)]), further));
                let named = (0..self.observed).map(ProcRef::Const).chain((0..=further).map(ProcRef::Var));
                for p in named {
                    let names = equal(Term::Cell(cell(*by, &[])), Term::Proc(p), false);
                    let further = if p == ProcRef::Var(further) { further + 1 } else { further };
                    next.push((with(vec![within(*at_all, &[], 0b10), names]), further));
                }
            }
            choices = next;
        }
        let mut found = Vec::new();
        for (silent, (choice, further)) in
            self.silent.iter().flat_map(|silent| choices.iter().map(move |choice| (silent, choice)))
        {
            let procs: Vec<ProcRef> = (0..*further).map(ProcRef::Var).collect();
            let mut guard = vec![self.is(SAVED)];
            guard.extend(silent.iter().chain(choice).cloned());
            let again = |(var, copy): &(VarId, VarId), index: &[ProcRef]| {
                equal(Term::Cell(cell(*var, index)), Term::Cell(cell(*copy, index)), false)
            };
            let is_global = |it: &&(VarId, VarId)| self.model.var(it.0).arity() == 0;
            guard.extend(self.copies.iter().filter(is_global).map(|it| again(it, &[])));
            guard.extend(self.followed.iter().filter(|it| !it.each).map(|it| within(it.done, &[], 0b10)));
            let of_process = |p: ProcRef| -> Conj {
                let again = self.copies.iter().filter(|it| !is_global(it)).map(|it| again(it, &[p]));
                let done = self.followed.iter().filter(|it| it.each).map(|it| within(it.done, &[p], 0b10));
                again.chain(done).collect()
            };
            guard.extend(procs.iter().flat_map(|p| of_process(*p)));
            let others = of_process(ProcRef::Var(*further));
            for guard in self.asked_of(guard, &procs, true) {
                let mut close = self.own("close", *further, guard, vec![self.becomes(LOOPED)]);
                if !others.is_empty() {
                    close.universals.push(self.of_others(vec![others.clone()]));
                }
                close.universals.extend(self.asked_of_others(*further, true));
                found.push(close);
            }
        }
        found
    }

    /// Requires one of the ways of each process that is not a parameter.
    fn of_others(&self, ways: Vec<Conj>) -> Universal {
        let spans = ways.iter().map(|way| vec![self.property.span; way.len()]).collect();
        Universal { bound: 1, body: Dnf(ways), spans }
    }

    fn is(&self, phase: u8) -> Literal {
        within(self.phase, &[], 1 << phase)
    }

    fn becomes(&self, phase: u8) -> Update {
        always(self.phase, Term::Constructor(phase))
    }

    /// A move of the monitor.
    fn own(&self, name: &str, params: u8, guard: Conj, updates: Vec<Update>) -> Transition {
        Transition {
            name: name.to_owned(),
            origin: 0,
            params: (1..=params).map(|number| format!("p{number}")).collect(),
            hidden: 0,
            spans: Vec::new(),
            guard,
            universals: Vec::new(),
            updates,
            span: self.property.span,
        }
    }
}

fn cell(var: VarId, index: &[ProcRef]) -> Cell {
    Cell { var, index: index.iter().copied().collect() }
}

fn within(var: VarId, index: &[ProcRef], values: u64) -> Literal {
    Literal::In { cell: cell(var, index), values }
}

fn equal(left: Term, right: Term, negated: bool) -> Literal {
    Literal::Eq { left, right, negated }
}

fn same(left: ProcRef, right: ProcRef, negated: bool) -> Literal {
    equal(Term::Proc(left), Term::Proc(right), negated)
}

fn always(var: VarId, value: Term) -> Update {
    Update { var, assignment: Assignment::Cases(vec![Branch { when: Dnf::truth(), value }]) }
}

/// Sets a flag, at a process where it is an array; the index of an update follows the parameters.
fn sets(flag: VarId, index: &[ProcRef], params: u8) -> Update {
    let Some(p) = index.first() else { return always(flag, Term::Constructor(1)) };
    let own = ProcRef::Var(params);
    let kept = Branch { when: Dnf::truth(), value: Term::Cell(cell(flag, &[own])) };
    let set = Branch { when: Dnf(vec![vec![same(*p, own, false)]]), value: Term::Constructor(1) };
    Update { var: flag, assignment: Assignment::Cases(vec![set, kept]) }
}

/// The ways for one of each side to hold.
fn product(left: &[Conj], right: &[Conj]) -> Vec<Conj> {
    let pairs = left.iter().flat_map(|a| right.iter().map(move |b| (a, b)));
    pairs.map(|(a, b)| a.iter().chain(b).cloned().collect()).collect()
}

/// The same ways, without those that contradict themselves, and without those that say more than another one.
fn tidy(ways: Vec<Conj>) -> Vec<Conj> {
    let mut found: Vec<Conj> = Vec::new();
    for way in ways {
        let Some(way) = consistent(way) else { continue };
        let implies = |strong: &Conj, weak: &Conj| weak.iter().all(|literal| strong.contains(literal));
        if found.iter().any(|known| implies(&way, known)) {
            continue;
        }
        found.retain(|known| !implies(known, &way));
        found.push(way);
    }
    found
}

/// Merges the literals about a cell into one, and drops repeated ones; `None` when it plainly contradicts itself.
fn consistent(conj: Conj) -> Option<Conj> {
    let mut found = Conj::new();
    for literal in conj {
        if let Literal::In { cell, values } = &literal {
            let known = found.iter_mut().find_map(|it| match it {
                Literal::In { cell: known, values } if known == cell => Some(values),
                _ => None,
            });
            match known {
                Some(known) if *known & values == 0 => return None,
                Some(known) => *known &= values,
                None => found.push(literal),
            }
            continue;
        }
        if let Literal::Eq { left, right, negated } = &literal
            && found.contains(&equal(left.clone(), right.clone(), !negated))
        {
            return None;
        }
        if !found.contains(&literal) {
            found.push(literal);
        }
    }
    Some(found)
}
