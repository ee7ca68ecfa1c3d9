//! The steps of a set of states.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::alike::Alike;
use super::front::{Entry, Front};
use super::history::{History, Kept, NONE, Record, SAME};
use super::known::{Known, Seen};
use crate::clock::Clock;
use crate::program::{Gaps, Guard, Program, Scratch};
use crate::state::{CodeKind, UNDEF};
use cubicle_lang::bits::bits;
use cubicle_lang::model::{System, TransitionId, Var, VarId};
use cubicle_run::{ForwardOptions, Interrupt, Stop};

/// The clocks are read once in this many states.
const POLL_EVERY: u32 = 1024;

/// Follows runs of an instance.
pub struct Follower {
    pub(super) program: Program,
    pub(super) history: History,
    /// The instances of each transition.
    of: Vec<Range<usize>>,
    /// No cell can be undefined.
    plain: bool,
    clock: Arc<Clock>,
    /// The most states in a front.
    most: usize,
    label: u64,
    /// The instances that no event shows, and the most steps of them between two events.
    hidden: (Arc<BTreeSet<usize>>, usize),
    /// The instances that were steps of events.
    fired: Vec<bool>,
    alike: Alike,
    /// Its numbers are set when one had to be guessed, or left its range.
    scratch: Scratch,
    polls: u32,
    stop: Option<Stop>,
    /// In a model with sorts, the array of these.
    sorts: Option<(VarId, Vec<SortsOf>)>,
}

/// The sorts of the indices of a variable, and of the processes that it points to; `None`: any.
type SortsOf = (Vec<Option<u8>>, Option<u8>);

/// Whether a guard holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Truth {
    No,
    Yes,
    /// That depends on cells that are not defined.
    Open,
}

impl Follower {
    /// For the instance of `system` with `procs` processes; fronts have at most `most` states.
    ///
    /// # Errors
    /// Why the instance cannot be explored.
    pub fn new(
        system: &System,
        procs: usize,
        most: usize,
        kept: Kept,
        interrupt: &Interrupt,
    ) -> Result<Self, Stop> {
        let options = ForwardOptions::default().symmetry(false);
        let clock = Arc::new(Clock::new(&options, interrupt));
        let program = Program::new(system, procs, &options, &clock)?;
        let of = program.instances_of(system.transitions.len());
        let scratch = Scratch::new(&program);
        let history = History::new(program.packing.words, kept);
        let sorts = system.sort_array().map(|array| {
            let of = |(id, var): (VarId, &Var)| {
                let index = (0..var.arity()).map(|at| system.index_sort(id, at));
                (index.collect(), system.pointed_sort(id))
            };
            (array, (0..).map(VarId).zip(&system.vars).map(of).collect())
        });
        Ok(Self {
            plain: program.is_plain(),
            fired: vec![false; program.instances.len()],
            alike: Alike::new(&program),
            hidden: (Arc::default(), 0),
            label: 0,
            polls: 0,
            stop: None,
            program,
            history,
            of,
            clock,
            most,
            scratch,
            sorts,
        })
    }

    /// Why a front may lack states: the limit on their number, the time limit, a signal.
    pub const fn stop(&self) -> Option<Stop> {
        self.stop
    }

    /// Whether runs may have been left out since the beginning: a number had to be guessed, or left its range.
    pub const fn is_partial(&self) -> bool {
        self.scratch.numbers || self.stop.is_some()
    }

    /// Notes that a number of the log is out of range, so that runs may be missing.
    pub const fn overflow(&mut self) {
        self.scratch.numbers = true;
    }

    /// Looks at the clock.
    pub fn poll(&mut self) {
        let nothing = self.nothing();
        self.is_late(&nothing);
    }

    /// Gives up when several fronts together have more states than one may have.
    pub fn hold(&mut self, states: usize) {
        if states > self.most {
            self.stop = self.stop.or(Some(Stop::States));
        }
    }

    /// Steps from now on are of the event with this number.
    pub const fn label(&mut self, label: u64) {
        self.label = label;
    }

    /// From now on, steps that differ in the choice among these processes are taken once, in states where they are alike. Nothing that
    /// is known of states may mention them, and the model must not distinguish them.
    pub fn may_be_alike(&mut self, processes: impl Iterator<Item = usize>) {
        self.alike.allow(processes.fold(0, |set, p| set | 1 << p));
    }

    /// The states of a front in which a process is the first of those alike: with those for the other ones, all states with one
    /// choice among them.
    #[must_use]
    pub fn where_first(&mut self, front: &Front, process: usize) -> Front {
        let Self { program, alike, .. } = self;
        if !alike.may_be() {
            return front.clone();
        }
        front.filtered(|state| {
            alike.look(program, state);
            alike.is_first(process)
        })
    }

    /// The transitions by which an event led to a state that was possible then.
    pub fn fired(&self, transition: TransitionId) -> bool {
        self.fired[self.of[usize::from(transition.0)].clone()].contains(&true)
    }

    /// Forgets what no state of these fronts needs, as far as it need not be kept.
    pub fn forget<'f>(&mut self, fronts: impl Iterator<Item = &'f Front>) {
        if self.history.is_long() {
            let records = fronts.flat_map(|front| (0..front.len()).map(|at| front.record(at)));
            self.history.trim(records.min().unwrap_or(u64::MAX));
        }
    }

    /// Adds the values that the cells of each enum variable have in a front, to a set for each variable.
    pub fn values_in(&self, front: &Front, sets: &mut [u64]) {
        let cells = &self.program.cells;
        for at in 0..front.len() {
            let shapes = cells.cells.iter().zip(&self.program.packing.fields);
            for (cell, field) in shapes.filter(|(cell, _)| cell.kind == CodeKind::Enum) {
                let code = field.get(front.state(at));
                if code != UNDEF {
                    sets[usize::from(cell.var.0)] |=
                        1 << cells.classes[cell.class].constructors[code as usize];
                }
            }
        }
    }

    /// Adds to `known` that a cell holds this. In a model with sorts, that also says that the processes are of the sorts of the variable: there
    /// is no such cell at others, nor do they stand for a value of it.
    ///
    /// # Errors
    /// A number is out of range.
    pub fn know(&self, known: &mut Known, var: VarId, index: &[usize], seen: Seen) -> Result<(), Stop> {
        let places = &self.program.cells.places;
        if let Some((array, sorts)) = &self.sorts {
            let (of_index, pointed) = &sorts[usize::from(var.0)];
            let value = if let Seen::Process(process) = seen { Some((process, pointed)) } else { None };
            for (process, sort) in index.iter().copied().zip(of_index).chain(value) {
                if let (Some(sort), Some(cell)) = (sort, places.of(*array).position([process])) {
                    known.add(&self.program, cell, Seen::Constructors(1 << sort))?;
                }
            }
        }
        match places.of(var).position(index.iter().copied()) {
            Some(cell) => known.add(&self.program, cell, seen)?,
            None => known.add_value(places.left_out(var, index), seen, places.procs),
        }
        Ok(())
    }

    /// Adds the instances of a transition with these arguments to a list; an argument may be unknown.
    pub fn instances(&self, transition: TransitionId, args: &[Option<usize>], to: &mut Vec<u32>) {
        let range = self.of[usize::from(transition.0)].clone();
        let instances = &self.program.instances[range.clone()];
        // Instances stand in the order of their arguments.
        let first = args.iter().take_while(|arg| arg.is_some()).count();
        let begin = |instance: &crate::program::code::Instance| {
            let (own, known) = (instance.args.iter(), args[..first].iter().flatten());
            own.map(|p| usize::from(*p)).take(first).cmp(known.copied())
        };
        let from = instances.partition_point(|it| begin(it).is_lt());
        for (at, instance) in instances.iter().enumerate().skip(from) {
            if begin(instance).is_gt() {
                break;
            }
            let agrees = |(own, arg): (&u8, &Option<usize>)| arg.is_none_or(|p| p == usize::from(*own));
            if instance.args.iter().zip(args).all(agrees) {
                to.push((range.start + at) as u32);
            }
        }
    }

    /// No event shows steps of these transitions, of which at most `most` come between two events.
    pub fn hide(&mut self, transitions: &[TransitionId], most: usize) {
        let instances = transitions.iter().flat_map(|t| self.of[usize::from(t.0)].clone());
        self.hidden = (Arc::new(instances.collect()), most);
    }

    /// All initial states.
    ///
    /// # Errors
    /// There are too many, or the run must end.
    pub fn begin(&mut self) -> Result<Front, Stop> {
        let mut found = Vec::new();
        let (words, most) = (self.program.packing.words, self.most);
        let mut cut = false;
        self.scratch.numbers |= self.program.initial_states(&self.clock, &mut |state| {
            found.extend_from_slice(state);
            cut = found.len() / words > most;
            cut
        })?;
        let mut front = Front::new(words);
        for state in found.chunks_exact(words) {
            self.enter(state, Entry { bad: false, record: NONE }, SAME, &mut front);
        }
        if cut {
            self.stop = Some(Stop::States);
        }
        Ok(front)
    }

    /// A set without states.
    pub const fn nothing(&self) -> Front {
        Front::new(self.program.packing.words)
    }

    /// Keeps the states of which `known` is true, in `to`.
    pub fn observe(&mut self, from: &Front, known: &Known, to: &mut Front) {
        to.forget();
        for at in 0..from.len() {
            if self.is_late(to) {
                return;
            }
            self.arrive(from.state(at), from.entry(at), SAME, known, to);
        }
    }

    /// Takes a step by one of `instances` from each state of `from` of which `before` is true, to states of which `after` is
    /// true. `to` has these states afterwards.
    pub fn step(&mut self, from: &Front, instances: &[u32], before: &Known, after: &Known, to: &mut Front) {
        to.forget();
        for at in 0..from.len() {
            if self.is_late(to) {
                return;
            }
            let (state, entry) = (from.state(at), from.entry(at));
            match self.truth(before, state) {
                Truth::No => {}
                Truth::Yes => self.fire_chosen(instances, state, entry, after, to),
                Truth::Open => {
                    for state in self.narrowed(before, state) {
                        let record = self.record(&state, entry.record, SAME);
                        self.fire_chosen(instances, &state, Entry { record, ..entry }, after, to);
                    }
                }
            }
        }
    }

    /// Fires those of some instances that stand for all that are alike.
    #[inline]
    fn fire_chosen(&mut self, instances: &[u32], state: &[u64], entry: Entry, after: &Known, to: &mut Front) {
        let choice = instances.len() > 1 && self.alike.may_be();
        if choice {
            self.alike.look(&self.program, state);
        }
        for i in instances {
            let i = *i as usize;
            if !choice || self.alike.is_chosen(&self.program.instances[i].args) {
                self.fire(i, state, entry, after, to);
            }
        }
    }

    /// Adds the states after at most `rounds` steps by instances of a set.
    pub fn unseen(&mut self, front: &mut Front) {
        let (hidden, rounds) = self.hidden.clone();
        if rounds == 0 {
            return;
        }
        self.label = 0;
        let nothing = Known::default();
        let mut work: Vec<usize> = (0..front.len()).collect();
        let mut added = self.nothing();
        for _ in 0..rounds {
            added.forget();
            for &at in &work {
                if self.is_late(front) || self.is_late(&added) {
                    return;
                }
                let Scratch { enabled, undefined, .. } = &mut self.scratch;
                self.program.enabled.look(front.state(at), enabled, undefined);
                let choice = self.alike.may_be();
                if choice {
                    self.alike.look(&self.program, front.state(at));
                }
                for &i in &*hidden {
                    let enabled = self.scratch.enabled[i / 64] >> (i % 64) & 1 == 1;
                    if enabled && (!choice || self.alike.is_chosen(&self.program.instances[i].args)) {
                        self.fire(i, front.state(at), front.entry(at), &nothing, &mut added);
                    }
                }
            }
            work.clear();
            for at in 0..added.len() {
                let Entry { bad, record } = added.entry(at);
                work.extend(front.insert(added.state(at), bad, || record));
            }
            if work.is_empty() {
                return;
            }
        }
    }

    /// Whether the front must be given up; the reason is kept.
    fn is_late(&mut self, front: &Front) -> bool {
        if front.len() > self.most {
            self.stop = self.stop.or(Some(Stop::States));
        }
        self.polls = self.polls.wrapping_add(1);
        if self.polls.is_multiple_of(POLL_EVERY) && self.stop.is_none() {
            self.stop = self.clock.reason();
        }
        self.stop.is_some()
    }

    fn record(&mut self, state: &[u64], from: u64, instance: u32) -> u64 {
        let label = if instance == SAME { 0 } else { self.label };
        self.history.add(state, Record { from, instance, label })
    }

    /// Fires an instance in a state, in all ways.
    #[inline]
    fn fire(&mut self, i: usize, state: &[u64], entry: Entry, after: &Known, to: &mut Front) {
        match self.enabled(i, state) {
            Truth::No => {}
            Truth::Yes => {
                let mut next = std::mem::take(&mut self.scratch.next);
                if self.program.fire_once(i, state, &mut next, &mut self.scratch.numbers) {
                    self.arrive(&next, entry, i as u32, after, to);
                }
                self.scratch.next = next;
            }
            Truth::Open => self.fire_open(i, state, entry, after, to),
        }
    }

    #[cold]
    fn fire_open(&mut self, i: usize, state: &[u64], entry: Entry, after: &Known, to: &mut Front) {
        let mut start = state.to_vec();
        // A number that is seen afterwards, and that the step does not change, need not be guessed.
        for (cell, code) in &after.numbers {
            if let Some(code) = code
                && self.program.get(state, *cell) == UNDEF
                && !self.program.step(i).changes(*cell)
            {
                self.program.packing.fields[*cell].set(&mut start, *code);
            }
        }
        let mut fired = Vec::new();
        let Self { program, scratch, clock, .. } = self;
        let gaps = Gaps::new(&mut scratch.numbers, Some(clock));
        program.firings(i, &start, gaps, |before, next| fired.push((before.to_vec(), next.to_vec())));
        for (before, next) in fired {
            let record = self.record(&before, entry.record, SAME);
            self.arrive(&next, Entry { record, ..entry }, i as u32, after, to);
        }
    }

    /// A state after a step (or the same state), of which `known` must be true.
    #[inline]
    fn arrive(&mut self, state: &[u64], entry: Entry, instance: u32, known: &Known, to: &mut Front) {
        match self.truth(known, state) {
            Truth::No => {}
            Truth::Yes => self.enter(state, entry, instance, to),
            Truth::Open => {
                for state in self.narrowed(known, state) {
                    self.enter(&state, entry, instance, to);
                }
            }
        }
    }

    /// Adds a state to a front, split by whether it is bad where that depends on undefined cells.
    #[inline]
    fn enter(&mut self, state: &[u64], entry: Entry, instance: u32, to: &mut Front) {
        let Entry { bad, record } = entry;
        if bad || !self.program.may_be_bad(state, &mut self.scratch) {
            self.put(state, entry, instance, to);
            return;
        }
        let mut stack = vec![state.to_vec()];
        while let Some(state) = stack.pop() {
            if self.is_late(to) {
                return;
            }
            if !self.program.may_be_bad(&state, &mut self.scratch) {
                self.put(&state, Entry { bad, record }, instance, to);
                continue;
            }
            let Scratch { bad: candidates, numbers, .. } = &mut self.scratch;
            let (mut is_bad, mut open) = (false, None);
            for i in bits(candidates) {
                let guard = &self.program.bads[i].guard;
                let cell = if self.plain { None } else { self.program.open_cell(guard, &state) };
                match cell {
                    Some(cell) => open = open.or(Some(cell)),
                    None => match self.program.all(&guard.tests, &state) {
                        Some(holds) => is_bad |= holds,
                        None => *numbers = true,
                    },
                }
            }
            match open.filter(|_| !is_bad) {
                None => self.put(&state, Entry { bad: is_bad, record }, instance, to),
                Some(cell) => {
                    let open = self.program.cells.open_codes(cell);
                    stack.extend(self.program.ways(&state, cell, open, &mut self.scratch.numbers));
                }
            }
        }
    }

    fn put(&mut self, state: &[u64], Entry { bad, record }: Entry, instance: u32, to: &mut Front) {
        if instance != SAME && self.label != 0 {
            self.fired[instance as usize] = true;
        }
        to.insert(state, bad, || self.record(state, record, instance));
    }

    /// A bad cube that a state surely satisfies.
    pub(super) fn bad_cube(&self, state: &[u64]) -> Option<usize> {
        let holds = |guard| guard_truth(&self.program, self.plain, guard, state, &mut false) == Truth::Yes;
        self.program.bads.iter().find(|bad| holds(&bad.guard)).map(|bad| bad.bad)
    }

    #[inline]
    fn enabled(&mut self, i: usize, state: &[u64]) -> Truth {
        let guard = &self.program.instances[i].guard;
        guard_truth(&self.program, self.plain, guard, state, &mut self.scratch.numbers)
    }

    #[inline]
    fn truth(&mut self, known: &Known, state: &[u64]) -> Truth {
        let mut open = false;
        for (cell, code) in &known.numbers {
            match self.program.get(state, *cell) {
                UNDEF => open = true,
                other if Some(other) == *code => {}
                _ => return Truth::No,
            }
        }
        let guard = guard_truth(&self.program, self.plain, &known.guard, state, &mut self.scratch.numbers);
        if open && guard == Truth::Yes { Truth::Open } else { guard }
    }

    /// The ways to define cells of a state such that `known` is true of it.
    #[cold]
    fn narrowed(&mut self, known: &Known, state: &[u64]) -> Vec<Vec<u64>> {
        let mut start = state.to_vec();
        let Self { program, scratch, clock, .. } = self;
        for (cell, code) in &known.numbers {
            match (program.get(&start, *cell), code) {
                (UNDEF, Some(code)) => program.packing.fields[*cell].set(&mut start, *code),
                (UNDEF, None) => {
                    // There may be a run, with a number that cannot be stored.
                    scratch.numbers = true;
                    return Vec::new();
                }
                // Two different numbers for one cell.
                (other, code) if Some(other) != *code => return Vec::new(),
                _ => {}
            }
        }
        let mut ways = Vec::new();
        program.refine(&known.guard, &start, Gaps::new(&mut scratch.numbers, Some(clock)), &mut |s| {
            let mut way = s.to_vec();
            program.normalize(&mut way);
            ways.push(way);
        });
        ways
    }
}

#[inline]
fn guard_truth(program: &Program, plain: bool, guard: &Guard, state: &[u64], numbers: &mut bool) -> Truth {
    let mut open = false;
    for (cell, set) in &guard.sets {
        let field = program.packing.fields[*cell];
        let raw = field.raw(state);
        if !plain && raw == field.undef {
            open = true;
        } else if set >> raw & 1 == 0 {
            return Truth::No;
        }
    }
    if !plain && (open || guard.reads.iter().any(|cell| program.get(state, *cell) == UNDEF)) {
        return Truth::Open;
    }
    match program.all(&guard.tests, state) {
        Some(true) => Truth::Yes,
        Some(false) => Truth::No,
        None => {
            *numbers = true;
            Truth::No
        }
    }
}
