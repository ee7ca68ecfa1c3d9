//! Liveness as safety: a system with a bad state that is reachable when a `response` or a `recurrence` is broken.
//!
//! In an instance with finite data a broken property has a fair lasso. The monitor looks for it: at some moment it is *waited*
//! for what is promised, which may not come from then on; at some later moment the state is *saved*; and when the state
//! is the saved one again and all that fairness asks for was done or not possible in between, the loop is *closed*, which
//! is the bad state. The processes that the property is about are `#1`, `#2`, .., which is enough where all are alike.
//!
//! What a transition cannot say is left out of what closing asks for: copies of arrays of two indices, fairness of
//! transitions with several parameters, that something is not possible where that depends on further processes. More loops
//! close then, so that the bad state stays unreachable only if the property holds: "not reachable" is a proof, for any
//! number of processes, and "reachable" says nothing.
//!
//! Numbers and values of abstract types may be new for ever, so that no state comes again: such systems have no monitor.

use smallvec::SmallVec;

use super::taken::{fresh_name, truth_values};
use crate::diagnostic::Span;
use crate::model::{
    Assignment, Bad, BadKind, Branch, Cell, Condition, Conj, Dnf, EnumDecl, EnumId, Literal, ProcRef, System,
    Temporal, TemporalKind, Term, Transition, Type, Universal, Update, Var, VarId, VarKind, rename,
};

const RUN: u64 = 1;
const WAITS: u64 = 2;
const SAVED: u64 = 4;

/// The most ways to say that something does not hold; where there are more, it is not said.
const MOST_WAYS: usize = 12;

/// The most further processes of such a way.
const MOST_OTHERS: usize = 1;

/// The system whose bad state is unreachable only if the property holds.
///
/// # Errors
/// Why there is none, for the user.
pub fn with_monitor(original: &System, property: &Temporal) -> Result<System, String> {
    if !matches!(property.kind, TemporalKind::Response | TemporalKind::Recurrence) {
        return Err(format!("a `{}` has no monitor", property.kind.word()));
    }
    if original.orders_processes || original.proc_constants > 0 {
        return Err("processes are not alike".to_owned());
    }
    if let Some(var) =
        original.vars.iter().find(|it| it.ty.is_numeric() || matches!(it.ty, Type::Abstract(_)))
    {
        return Err(format!("`{}` may have new values for ever", var.name));
    }
    if original.failures.is_some() {
        return Err("processes may fail".to_owned());
    }
    Monitor::new(original, property).and_then(Monitor::system).ok_or_else(|| "it is too large".to_owned())
}

/// How fairness is kept track of.
struct Track {
    origin: u16,
    strong: bool,
    /// For each process, or for all together.
    each: bool,
    /// Whether its step was taken, or not possible.
    done: VarId,
    /// Of strong fairness: whether its step is never to be possible.
    never: Option<VarId>,
}

/// Which processes globals name when the loop is closed.
#[derive(Clone, Default)]
struct PointerChoice {
    names: Vec<(VarId, ProcRef)>,
    nobody: Vec<VarId>,
    /// Processes that are named beside those observed.
    further: usize,
}

struct Monitor<'a> {
    original: &'a System,
    property: &'a Temporal,
    system: System,
    phase: VarId,
    /// Variables that change, each with its copy.
    copies: Vec<(VarId, VarId)>,
    tracks: Vec<Track>,
    /// The ways for what is promised not to hold.
    silent: Vec<Conj>,
}

impl<'a> Monitor<'a> {
    fn new(original: &'a System, property: &'a Temporal) -> Option<Self> {
        let mut system = original.clone();
        let truth = truth_values(&mut system)?;
        let ty = EnumId(u16::try_from(system.enums.len()).ok()?);
        let prefix = fresh_name(&system, "Phase");
        let constructors = ["Run", "Waits", "Saved", "Looped"].map(|it| format!("{prefix}_{it}")).to_vec();
        system.enums.push(EnumDecl { name: prefix.to_lowercase(), constructors });
        let phase = declare(&mut system, &prefix, VarKind::Global, Type::Enum(ty))?;
        let changes =
            |var: VarId| original.transitions.iter().any(|it| it.updates.iter().any(|u| u.var == var));
        let mut copies = Vec::new();
        for var in (0..original.vars.len() as u16).map(VarId).filter(|var| changes(*var)) {
            if original.var(var).arity() > 1 {
                continue;
            }
            let Var { name, kind, ty, .. } = original.var(var).clone();
            let name = fresh_name(&system, &format!("{name}_0"));
            copies.push((var, declare(&mut system, &name, kind, ty)?));
        }
        let mut tracks = Vec::new();
        for fairness in &original.fairness {
            let of = original.transitions.iter().find(|it| it.origin == fairness.origin)?;
            let each = !fairness.any && !of.params.is_empty();
            if each && of.params.len() > 1 {
                continue;
            }
            let kind = if each { VarKind::Array(1) } else { VarKind::Global };
            let mut flag = |word: &str| {
                let name = fresh_name(&system, &format!("{word}_{}", of.name));
                declare(&mut system, &name, kind, Type::Enum(truth))
            };
            let done = flag("Done")?;
            let never = if fairness.strong { Some(flag("Never")?) } else { None };
            tracks.push(Track { origin: fairness.origin, strong: fairness.strong, each, done, never });
        }
        let promised = match property.kind {
            TemporalKind::Response => &property.then,
            _ => &property.first,
        };
        let silent = silent(original, property, promised);
        Some(Self { original, property, system, phase, copies, tracks, silent })
    }

    fn system(mut self) -> Option<System> {
        self.system.proc_constants = u8::try_from(self.property.params.len()).ok()?;
        let flags: Vec<VarId> =
            self.tracks.iter().flat_map(|it| std::iter::once(it.done).chain(it.never)).collect();
        let phase = self.phase;
        for conj in &mut self.system.init.body.0 {
            conj.push(is(phase, RUN));
        }
        for conj in &mut self.system.init.without_processes.0 {
            conj.push(is(phase, RUN));
        }
        // Flags count only once they were set: their first values make no difference, but fewer states are better.
        let arrays = flags.iter().any(|it| self.system.var(*it).arity() > 0);
        self.system.init.params = self.system.init.params.max(u8::from(arrays));
        for var in flags {
            let index: Vec<ProcRef> = (0..self.system.var(var).arity() as u8).map(ProcRef::Var).collect();
            for conj in &mut self.system.init.body.0 {
                conj.push(Literal::In { cell: cell(var, index.iter().copied()), values: 1 });
            }
        }
        let mut transitions = Vec::new();
        for transition in &self.original.transitions {
            transitions.extend(self.steps(transition));
        }
        transitions.extend(self.waits());
        transitions.extend(self.saves());
        for track in &self.tracks {
            transitions.extend(self.impossible(track));
            transitions.extend(self.never(track));
        }
        transitions.extend(self.closes());
        if transitions.len() > usize::from(u16::MAX) / 4 {
            return None;
        }
        for (origin, transition) in transitions.iter_mut().enumerate() {
            transition.origin = origin as u16;
            transition.spans.resize(transition.guard.len(), self.property.span);
        }
        let mut system = self.system;
        system.transitions = transitions;
        system.temporal = Vec::new();
        system.fairness = Vec::new();
        system.bad = vec![Bad {
            name: format!("{} is broken", self.property.name),
            number: 1,
            kind: BadKind::Unsafe,
            params: 0,
            cube: vec![is(phase, 8)],
            span: self.property.span,
            spans: vec![self.property.span],
        }];
        Some(system)
    }

    /// A step of the original in each phase.
    fn steps(&self, transition: &Transition) -> Vec<Transition> {
        let with = |phases: u64, more: &Conj| {
            let mut step = transition.clone();
            step.guard.push(is(self.phase, phases));
            step.guard.extend(more.iter().cloned());
            step
        };
        let served: Vec<&Track> = self.tracks.iter().filter(|it| it.origin == transition.origin).collect();
        let mut found = vec![with(RUN, &Vec::new())];
        for silent in &self.silent {
            found.push(with(WAITS, silent));
            let mut saved = with(SAVED, silent);
            for track in &served {
                let index = track.each.then_some(ProcRef::Var(0));
                let arity = transition.arity();
                if let Some(never) = track.never {
                    saved.guard.push(Literal::In { cell: cell(never, index), values: 1 });
                }
                saved.updates.push(flag(track.done, index, arity));
            }
            saved.universals.extend(self.kept_off(transition.arity()));
            found.push(saved);
        }
        found
    }

    fn moves(&self, name: &str, params: usize, guard: Conj, to: u8) -> Transition {
        let value = Term::Constructor(to);
        let branch = Branch { when: Dnf::truth(), value };
        let updates = vec![Update { var: self.phase, assignment: Assignment::Cases(vec![branch]) }];
        blank(name, params, guard, updates, self.property.span)
    }

    /// It is waited from now on.
    fn waits(&self) -> Vec<Transition> {
        let truth = Condition(vec![crate::model::Case { hidden: 0, cube: Vec::new() }]);
        let asked = match self.property.kind {
            TemporalKind::Response => &self.property.first,
            _ => &truth,
        };
        let params = self.property.params.len();
        let mut found = Vec::new();
        for case in &asked.0 {
            let hidden = usize::from(case.hidden);
            let cube = match rename::conj(&case.cube, &observed(params)) {
                Some(Some(cube)) => cube,
                Some(None) => continue,
                // What cannot be said is not asked for: no run may be missed.
                None => Vec::new(),
            };
            for silent in &self.silent {
                let mut guard = vec![is(self.phase, RUN)];
                guard.extend(cube.iter().cloned());
                guard.extend(silent.iter().cloned());
                for (h, p) in (0..hidden).flat_map(|h| (0..params).map(move |p| (h, p))) {
                    let (h, p) = (ProcRef::Var(h as u8), ProcRef::Const(p as u8));
                    guard.push(same(Term::Proc(h), Term::Proc(p), true));
                }
                found.push(self.moves("wait", hidden, guard, 1));
            }
        }
        found
    }

    /// The state is saved.
    fn saves(&self) -> Vec<Transition> {
        let save = |silent: &Conj| {
            let mut guard = vec![is(self.phase, WAITS)];
            guard.extend(silent.iter().cloned());
            let mut save = self.moves("save", 0, guard, 2);
            for (var, copy) in &self.copies {
                let index = (0..self.original.var(*var).arity() as u8).map(ProcRef::Var);
                let branch = Branch { when: Dnf::truth(), value: Term::Cell(cell(*var, index)) };
                save.updates.push(Update { var: *copy, assignment: Assignment::Cases(vec![branch]) });
            }
            save
        };
        self.silent.iter().map(save).collect()
    }

    /// What is not possible in the loop, at some moment.
    fn impossible(&self, track: &Track) -> Vec<Transition> {
        if track.strong {
            return Vec::new();
        }
        let unset = |index| Literal::In { cell: cell(track.done, index), values: 1 };
        let Some(ways) = self.disabled(track, if track.each { MOST_OTHERS } else { 0 }) else {
            // Not known when: at any moment.
            let (params, index) = (usize::from(track.each), track.each.then_some(ProcRef::Var(0)));
            let guard = vec![is(self.phase, SAVED), unset(index)];
            let updates = vec![flag(track.done, index, params)];
            return vec![blank("impossible", params, guard, updates, self.property.span)];
        };
        if !track.each && ways.iter().any(|(conj, _)| conj.iter().any(|it| mentions(it, 0))) {
            let universal = |ways: Vec<(Conj, usize)>| {
                let body = Dnf(ways.into_iter().map(|(conj, _)| conj).collect());
                Universal {
                    spans: body.0.iter().map(|it| vec![self.property.span; it.len()]).collect(),
                    body,
                }
            };
            let guard = vec![is(self.phase, SAVED), unset(None)];
            let updates = vec![flag(track.done, None, 0)];
            let mut found = blank("impossible", 0, guard, updates, self.property.span);
            found.universals.push(universal(ways));
            return vec![found];
        }
        let index = track.each.then_some(ProcRef::Var(0));
        let mut found = Vec::new();
        for (way, others) in ways {
            let params = usize::from(track.each) + others;
            let mut guard = vec![is(self.phase, SAVED), unset(index)];
            guard.extend(way);
            let updates = vec![flag(track.done, index, params)];
            found.push(blank("impossible", params, guard, updates, self.property.span));
        }
        found
    }

    /// What is never to be possible in the loop is chosen before it.
    fn never(&self, track: &Track) -> Option<Transition> {
        let never = track.never?;
        let (params, index) = (usize::from(track.each), track.each.then_some(ProcRef::Var(0)));
        let guard = vec![is(self.phase, WAITS), Literal::In { cell: cell(never, index), values: 1 }];
        // It is done with: nothing else is asked for.
        let updates = vec![flag(never, index, params), flag(track.done, index, params)];
        Some(blank("never", params, guard, updates, self.property.span))
    }

    /// For each process that is no parameter: what is never to be possible is not.
    fn kept_off(&self, arity: usize) -> Vec<Universal> {
        let of = |track: &Track| {
            let never = track.never.filter(|_| track.each)?;
            let ways = self.disabled(track, 0)?;
            let other = ProcRef::Var(arity as u8);
            let map = |p: ProcRef| if p == ProcRef::Var(0) { other } else { p };
            let mut body = vec![vec![Literal::In { cell: cell(never, [other]), values: 1 }]];
            for (way, _) in ways {
                body.extend(rename::conj(&way, &map)?);
            }
            let spans = body.iter().map(|it| vec![self.property.span; it.len()]).collect();
            Some(Universal { body: Dnf(body), spans })
        };
        self.tracks.iter().filter_map(of).collect()
    }

    /// The ways for no step of a track to be possible, of process `Var(0)` where it is about each, with how many further
    /// processes each names. `None` when there are too many, or it depends on too many further processes: then nothing
    /// is known of it.
    fn disabled(&self, track: &Track, most_others: usize) -> Option<Vec<(Conj, usize)>> {
        let mut ways: Vec<(Conj, usize)> = vec![(Vec::new(), 0)];
        for part in self.original.transitions.iter().filter(|it| it.origin == track.origin) {
            if part.arity() > 1 {
                return None;
            }
            let mut refuted: Vec<(Conj, usize)> = part
                .guard
                .iter()
                .map(|it| Some((vec![negation(self.original, it)?], 0)))
                .collect::<Option<_>>()?;
            for universal in &part.universals {
                // Some other process for which each disjunct has a literal that is false.
                if most_others == 0 || part.arity() == 0 {
                    return None;
                }
                let mut chosen: Vec<Conj> = vec![Vec::new()];
                for disjunct in &universal.body.0 {
                    let mut next = Vec::new();
                    for (known, literal) in chosen.iter().flat_map(|it| disjunct.iter().map(move |l| (it, l)))
                    {
                        next.push(known.iter().cloned().chain([negation(self.original, literal)?]).collect());
                    }
                    chosen = next;
                }
                refuted.extend(chosen.into_iter().map(|conj| (conj, 1)));
            }
            let mut next = Vec::new();
            for (way, others) in &ways {
                for (more, further) in &refuted {
                    if others + further > most_others {
                        return None;
                    }
                    let conj = way.iter().chain(more).cloned().collect();
                    next.push((conj, others + further));
                }
            }
            if next.len() > MOST_WAYS {
                return None;
            }
            ways = next;
        }
        Some(ways)
    }

    /// The loop is closed: all is as it was saved, and fairness has what it asks for. There is one such step for each way
    /// in which globals name processes: what holds of all processes is said of these by itself.
    fn closes(&self) -> Vec<Transition> {
        let pointers: Vec<VarId> = (0..self.original.vars.len() as u16)
            .map(VarId)
            .filter(|var| {
                let var = self.original.var(*var);
                var.ty == Type::Proc && var.kind == VarKind::Global
            })
            .take(2)
            .collect();
        let consts = self.property.params.len();
        // What each pointer names: an observed process, a further one, or nobody.
        let mut choices: Vec<PointerChoice> = vec![PointerChoice::default()];
        for var in pointers {
            let mut next = Vec::new();
            for known in choices {
                let observed = (0..consts as u8).map(ProcRef::Const);
                let others = (0..=known.further as u8).map(ProcRef::Var);
                for p in observed.chain(others) {
                    let mut more = known.clone();
                    more.names.push((var, p));
                    if let ProcRef::Var(v) = p {
                        more.further = more.further.max(usize::from(v) + 1);
                    }
                    next.push(more);
                }
                let mut more = known;
                more.nobody.push(var);
                next.push(more);
            }
            choices = next;
        }
        let mut found = Vec::new();
        for silent in &self.silent {
            for PointerChoice { names, nobody, further } in &choices {
                let mut guard = vec![is(self.phase, SAVED)];
                guard.extend(silent.iter().cloned());
                let further = *further;
                let names_it = |var: VarId, p, not| same(Term::Cell(cell(var, [])), Term::Proc(p), not);
                guard.extend(names.iter().map(|(var, p)| names_it(*var, *p, false)));
                let named =
                    || (0..consts as u8).map(ProcRef::Const).chain((0..further as u8).map(ProcRef::Var));
                guard.extend(nobody.iter().flat_map(|var| named().map(|p| names_it(*var, p, true))));
                for (h, p) in (0..further).flat_map(|h| (0..consts).map(move |p| (h, p))) {
                    let (h, p) = (ProcRef::Var(h as u8), ProcRef::Const(p as u8));
                    guard.push(same(Term::Proc(h), Term::Proc(p), true));
                }
                for (var, copy) in self.copies.iter().filter(|(var, _)| self.original.var(*var).arity() == 0)
                {
                    guard.push(equal(*var, *copy, None));
                }
                let done = |it: &&Track| !it.each;
                for track in self.tracks.iter().filter(done) {
                    guard.push(Literal::In { cell: cell(track.done, []), values: 2 });
                }
                for p in named() {
                    for way in self.closed_at(p) {
                        guard.extend(way);
                    }
                }
                let mut close = self.moves("close", further, guard, 3);
                let other = ProcRef::Var(further as u8);
                let mut conj: Conj = self.closed_at(other).into_iter().flatten().collect();
                conj.extend(nobody.iter().map(|var| names_it(*var, other, true)));
                let spans = vec![vec![self.property.span; conj.len()]];
                if !conj.is_empty() {
                    close.universals.push(Universal { body: Dnf(vec![conj]), spans });
                }
                close.universals.extend(self.kept_off(further));
                found.push(close);
            }
        }
        found
    }

    /// What closing asks of one process, as conjunctions of which all hold.
    fn closed_at(&self, p: ProcRef) -> Vec<Conj> {
        let arrays = self.copies.iter().filter(|(var, _)| self.original.var(*var).arity() == 1);
        let equal = arrays.map(|(var, copy)| vec![equal(*var, *copy, Some(p))]);
        let each = self.tracks.iter().filter(|it| it.each);
        let done = each.map(|it| vec![Literal::In { cell: cell(it.done, [p]), values: 2 }]);
        equal.chain(done).collect()
    }
}

/// A flag gets true; for one process where it is an array.
fn flag(var: VarId, index: Option<ProcRef>, arity: usize) -> Update {
    let set = |when| Branch { when, value: Term::Constructor(1) };
    let branches = match index {
        None => vec![set(Dnf::truth())],
        Some(p) => {
            let own = ProcRef::Var(arity as u8);
            let when = Dnf(vec![vec![same(Term::Proc(p), Term::Proc(own), false)]]);
            let rest = Branch { when: Dnf::truth(), value: Term::Cell(cell(var, [own])) };
            vec![set(when), rest]
        }
    };
    Update { var, assignment: Assignment::Cases(branches) }
}

fn equal(var: VarId, copy: VarId, p: Option<ProcRef>) -> Literal {
    same(Term::Cell(cell(var, p)), Term::Cell(cell(copy, p)), false)
}

/// The parameters of a property as observed processes, further processes from 0 on.
fn observed(params: usize) -> impl Fn(ProcRef) -> ProcRef {
    move |p| match p {
        ProcRef::Var(v) if usize::from(v) < params => ProcRef::Const(v),
        ProcRef::Var(v) => ProcRef::Var(v - params as u8),
        constant @ ProcRef::Const(_) => constant,
    }
}

/// The ways for a condition not to hold of the observed processes. Cases with further processes are passed over: the
/// condition may hold then.
fn silent(system: &System, property: &Temporal, condition: &Condition) -> Vec<Conj> {
    let mut ways: Vec<Conj> = vec![Vec::new()];
    for case in condition.0.iter().filter(|it| it.hidden == 0) {
        let cube = match rename::conj(&case.cube, &observed(property.params.len())) {
            Some(Some(cube)) => cube,
            Some(None) => continue,
            None => return vec![Vec::new()],
        };
        let mut next = Vec::new();
        for (way, literal) in ways.iter().flat_map(|way| cube.iter().map(move |it| (way, it))) {
            let Some(refuted) = negation(system, literal) else { return vec![Vec::new()] };
            next.push(way.iter().cloned().chain([refuted]).collect());
        }
        ways = next;
        if ways.len() > MOST_WAYS {
            return vec![Vec::new()];
        }
    }
    ways
}

/// The negation of a literal that is about no numbers.
fn negation(system: &System, literal: &Literal) -> Option<Literal> {
    Some(match literal {
        Literal::In { cell, values } => {
            let Type::Enum(ty) = system.var(cell.var).ty else { return None };
            Literal::In { cell: cell.clone(), values: system.enumeration(ty).all() & !values }
        }
        Literal::Eq { left, right, negated } => same(left.clone(), right.clone(), !negated),
        Literal::Less { .. } | Literal::Linear { .. } => return None,
    })
}

fn mentions(literal: &Literal, var: u8) -> bool {
    let term = |it: &Term| *it == Term::Proc(ProcRef::Var(var));
    let named = matches!(literal, Literal::Eq { left, right, .. } if term(left) || term(right));
    named || literal.cells().iter().any(|it| it.index.contains(&ProcRef::Var(var)))
}

fn same(left: Term, right: Term, negated: bool) -> Literal {
    Literal::Eq { left, right, negated }
}

fn is(var: VarId, values: u64) -> Literal {
    Literal::In { cell: cell(var, []), values }
}

fn cell(var: VarId, index: impl IntoIterator<Item = ProcRef>) -> Cell {
    Cell { var, index: index.into_iter().collect::<SmallVec<_>>() }
}

fn declare(system: &mut System, name: &str, kind: VarKind, ty: Type) -> Option<VarId> {
    let var = VarId(u16::try_from(system.vars.len()).ok()?);
    let range = match ty {
        Type::Enum(id) => system.enumeration(id).all(),
        _ => u64::MAX,
    };
    system.vars.push(Var { name: name.to_owned(), kind, ty, range, span: system.init.span });
    Some(var)
}

fn blank(name: &str, params: usize, guard: Conj, updates: Vec<Update>, span: Span) -> Transition {
    Transition {
        name: name.to_owned(),
        origin: 0,
        params: (1..=params).map(|number| format!("p{number}")).collect(),
        hidden: 0,
        spans: vec![span; guard.len()],
        guard,
        universals: Vec::new(),
        updates,
        span,
    }
}
