//! Approximation: a node is replaced by a candidate, a small cube that contains it and no forward state
//! (Conchon et al., BRAB, FMCAD 2013).
//!
//! The choice among equally small candidates decides how much is left to prove. Each is judged by
//! its pre-images: one whose pre-images are all covered is inductive already.

use std::num::NonZero;

use hashbrown::HashMap;

use super::candidates::{CandidateLimits, Numeric, candidates, folded};
use super::network::{Closing, Network};
use super::pool::{Brab, Pool, Reached};
use crate::cube::{
    CellKind, Cube, CubeBuilder, CubeCell, CubeContext, CubeLiteral, Halt, Relational, compact, cubes_of,
    low, oracle_question, text,
};
use crate::fixpoint::{EffortLeft, Visited};
use crate::lemmas::{self, Lemmas};
use crate::profile::Phase;
use crate::search::{DriveEnd, NodeId, Origin, Run, RunEnd, Setting};
use crate::theory::Sat;
use crate::tuning::{
    CLAUSES_PER_EFFORT, COMPARISONS_PER_EFFORT, DIVERGING_CHAIN, EXACT_PREIMAGE, FEW_CANDIDATES,
    LEMMA_EFFORT, LEMMAS_AGAIN, LEMMAS_AT, MAX_RIVALS, MORE_FOR_SORTS, NETWORK_AGAIN, NETWORK_EFFORT,
    NETWORK_EFFORT_LATER, NETWORK_LATER, NETWORK_LITERALS, NETWORK_MORE, NETWORK_PROCS, NETWORK_WHOLE_AT,
    SOUGHT_PER_EFFORT, SOUGHT_STATES, SPLITS_FROM, WIDEN_AT,
};
use cubicle_lang::model::VarId;
use cubicle_run::{Event, Observer, OracleAnswer, OracleGrowth, Trace};
use tracing::debug;

/// The candidates of one run.
pub struct Approximation<'a, 'p> {
    brab: Brab<'a>,
    lemmas: &'a Lemmas,
    limits: CandidateLimits,
    pub pool: &'p mut Pool,
    /// Whether the model counts, or equations about it do.
    counts: bool,
    /// Whether there are several sorts.
    several: bool,
    /// How long a chain of pointers is at least in nodes that are split. In searches that have much effort, of a model with arrays of pointers, 0: all may be, and
    /// also by what pointers hold.
    least_chain: usize,
    /// Whether a question was due in this run.
    prepared: bool,
    /// Candidates asked about, and whether they are unseen.
    unseen: HashMap<Cube, bool>,
}

impl<'a, 'p> Approximation<'a, 'p> {
    /// For a run that begins with the pool's candidates.
    pub fn new(
        &Setting { system, options, context, .. }: &Setting<'_>,
        brab: Brab<'a>,
        lemmas: &'a Lemmas,
        pool: &'p mut Pool,
    ) -> Self {
        let several = system.sorts.as_ref().is_some_and(|it| it.names.len() > 1);
        let more = if several { MORE_FOR_SORTS } else { 0 };
        let size = options.candidate_size.map_or(brab.procs + more, NonZero::get);
        let limits = CandidateLimits {
            count: options.max_candidates,
            numeric: if options.numeric_candidates { Numeric::All } else { Numeric::No },
            ..CandidateLimits::of_size(brab.procs, size)
        };
        let counts = lemmas::counts(system);
        let mut vars = (0..context.vars()).map(|var| VarId(var as u16));
        let points = vars.any(|it| context.arity(it) == 1 && context.kind_of(it) == CellKind::Proc);
        let lasts = options.max_effort.is_some_and(|effort| effort >= SPLITS_FROM);
        let least_chain = if points && lasts { 0 } else { brab.procs.max(2) };
        let unseen = HashMap::new();
        Self { brab, lemmas, limits, pool, counts, several, least_chain, prepared: false, unseen }
    }

    /// Gives up a candidate that is reachable, and learns from its run, if one is known. Returns a run to a bad state
    /// if one is found.
    pub fn give_up(
        &mut self,
        setting: &Setting<'_>,
        number: i32,
        reached: Reached,
        observer: &mut dyn Observer,
    ) -> Option<Box<Trace>> {
        self.pool.abandon(setting, number, observer);
        self.unseen.clear();
        self.pool.learn(setting, self.brab, reached, observer)
    }

    /// Whether a candidate is still kept.
    pub fn stands(&self, number: i32) -> bool {
        self.pool.kept.iter().any(|kept| kept.0 == number)
    }

    /// Before the questions about a node: what else may help the search, when that is due; returns how the run ends then.
    pub fn look_around(
        &mut self,
        run: &mut Run<'_, '_>,
        id: NodeId,
        may_close: bool,
        observer: &mut dyn Observer,
    ) -> Option<DriveEnd> {
        let mut end = self.prepare(run, id, observer);
        if end.is_none() && self.needs_lemmas(run) {
            end = self.look_for_lemmas(run, observer);
        }
        if end.is_none() && may_close && self.needs_network(run) {
            end = self.close(run, observer);
        }
        end.or_else(|| self.look_wider(run, observer))
    }

    /// Lets the oracle explore what waits for the questions about a node, and drops the candidates that it has reached then.
    fn prepare(&mut self, run: &Run<'_, '_>, id: NodeId, observer: &mut dyn Observer) -> Option<DriveEnd> {
        let setting = run.setting;
        if !self.prepared {
            let mut few = candidates(setting.context, &run.state.nodes.get(id).cube, self.limits);
            if run.state.nodes.is_candidate(id) || few.next().is_none() {
                return None;
            }
            self.prepared = true;
        }
        match self.brab.oracle.prepare(run.totals.effort, observer) {
            OracleGrowth::Nothing => None,
            OracleGrowth::Unsafe(trace) => Some(RunEnd::Unsafe(trace, None).into()),
            OracleGrowth::More(states) => {
                debug!(states, spent = run.totals.effort, "oracle explored");
                self.unseen.clear();
                let before = self.pool.kept.len();
                self.pool.drop_reached(setting.context, self.brab);
                (self.pool.kept.len() < before).then_some(DriveEnd::CandidatesReached)
            }
        }
    }

    /// Asks the oracle for a larger instance when the search has become long and hardly any candidate was
    /// kept: the explored instances may be too small to show what matters.
    fn look_wider(&mut self, run: &Run<'_, '_>, observer: &mut dyn Observer) -> Option<DriveEnd> {
        let nodes = run.totals.nodes;
        let due = WIDEN_AT.get(self.pool.widened) == Some(&nodes);
        if !due || self.pool.kept.len() * FEW_CANDIDATES > nodes {
            return None;
        }
        self.pool.widened += 1;
        observer.event(run.setting.system, Event::Work { what: "showing the oracle a larger instance" });
        let growth = self.brab.oracle.widen();
        debug!(nodes, kept = self.pool.kept.len(), "oracle widened");
        match growth {
            OracleGrowth::Nothing => None,
            OracleGrowth::Unsafe(trace) => Some(RunEnd::Unsafe(trace, None).into()),
            OracleGrowth::More(states) => {
                self.pool.grown += states;
                Some(DriveEnd::OracleGrew)
            }
        }
    }

    /// Whether the search has become so long that lemmas about numbers may be worth their cost.
    fn needs_lemmas(&self, run: &Run<'_, '_>) -> bool {
        // Where the model counts, a proof mostly needs what its steps asked for, and a search without it only grows.
        let at = if self.counts { 0 } else { LEMMAS_AT };
        self.lemmas.get().is_none() && run.spent() >= (self.pool.lemmas_at * LEMMAS_AGAIN).max(at)
    }

    /// Searches for lemmas about numbers, with effort in proportion to that of the search; returns how the run ends where it found some, or
    /// the oracle met a bad state.
    fn look_for_lemmas(&mut self, run: &Run<'_, '_>, observer: &mut dyn Observer) -> Option<DriveEnd> {
        let setting = run.setting;
        if self.lemmas.get().is_some() {
            return None;
        }
        if let OracleGrowth::Unsafe(trace) = self.brab.oracle.prepare(run.totals.effort, observer) {
            return Some(RunEnd::Unsafe(trace, None).into());
        }
        observer.event(setting.system, Event::Work { what: "looking for lemmas about numbers" });
        // In proportion to what the search has spent since the last time.
        let spent = run.spent().max(LEMMAS_AT);
        let effort = spent.saturating_sub(self.pool.lemmas_at).saturating_mul(LEMMA_EFFORT);
        self.pool.lemmas_at = spent;
        let (system, options, interrupt) = (setting.system, setting.options, setting.interrupt);
        self.lemmas.look(system, options, setting.pre.counting, self.brab.oracle, effort, interrupt);
        let lemmas = self.lemmas.get()?;
        debug!(lemmas = lemmas.len(), effort, "lemmas found");
        if let Some(counting) = setting.pre.counting {
            counting.learn(setting.context, lemmas);
        }
        self.pool.keep_lemmas(lemmas);
        (!lemmas.is_empty()).then_some(DriveEnd::Lemmas)
    }

    /// As [`Approximation::look_for_lemmas`], where the run would end without a verdict. Where the effort is spent, the lemmas are for the searches
    /// after this one.
    pub fn look_at_last(
        &mut self,
        run: &Run<'_, '_>,
        spent: bool,
        observer: &mut dyn Observer,
    ) -> Option<DriveEnd> {
        self.look_for_lemmas(run, observer).filter(|end| !(spent && matches!(end, DriveEnd::Lemmas)))
    }

    /// Whether a search without a limit on its effort has become so long that candidates are better chosen with others in mind.
    fn needs_network(&self, run: &Run<'_, '_>) -> bool {
        let at = self.pool.network_at.saturating_mul(NETWORK_AGAIN).max(self.network_from(run));
        run.setting.options.max_effort.is_none() && run.spent() >= at
    }

    /// The effort of a search from which it builds a network: later where candidates have few processes, which seldom close one.
    fn network_from(&self, run: &Run<'_, '_>) -> u64 {
        let again = if self.limits.procs < NETWORK_PROCS { NETWORK_LATER } else { 1 };
        run.setting.options.network_at.saturating_mul(again)
    }

    /// Builds a network of candidates, with effort in proportion to that of the search; returns how the run ends where it closes, or
    /// the oracle met a bad state.
    pub fn close(&mut self, run: &mut Run<'_, '_>, observer: &mut dyn Observer) -> Option<DriveEnd> {
        let (setting, spent) = (run.setting, run.spent());
        // Much of what was spent may have been the oracle's.
        let max_effort = setting.options.max_effort.unwrap_or(u64::MAX);
        if spent.min(max_effort) < self.network_from(run) {
            return None;
        }
        if let OracleGrowth::Unsafe(trace) = self.brab.oracle.prepare(run.totals.effort, observer) {
            return Some(RunEnd::Unsafe(trace, None).into());
        }
        observer.event(setting.system, Event::Work { what: "choosing candidates that hold together" });
        let times = spent.saturating_mul(NETWORK_EFFORT) / NETWORK_WHOLE_AT;
        let most = spent.saturating_mul(NETWORK_EFFORT_LATER).max(NETWORK_EFFORT * NETWORK_WHOLE_AT);
        let effort = spent.saturating_mul(times.clamp(1, NETWORK_EFFORT)).min(most);
        let clauses = usize::try_from(effort.saturating_mul(CLAUSES_PER_EFFORT)).unwrap_or(usize::MAX);
        let comparisons = effort.saturating_mul(COMPARISONS_PER_EFFORT);
        run.tester.effort_left = Some(EffortLeft { comparisons, clauses, max_effort });
        let closed = self.closed(run, effort);
        // Its tests count as those of the search: the next one comes once this has gone on.
        self.pool.network_at = run.spent().max(1);
        debug!(spent, effort, closed = matches!(closed, Ok(Some(_))), "network built");

        run.close(closed.ok()??);
        Some(run.fixpoint().into())
    }

    /// A network of small candidates that closes, or one of larger candidates where it is certain that small ones do not.
    fn closed(&mut self, run: &mut Run<'_, '_>, mut effort: u64) -> Result<Option<Visited>, Halt> {
        let setting = run.setting;
        let mut proved: Vec<Cube> = self.pool.lemmas.iter().map(|it| it.1.clone()).collect();
        proved.extend(run.state.trusted.iter().map(|id| run.state.nodes.get(*id).cube.clone()));
        for axiom in &setting.system.axioms {
            proved.extend(cubes_of(setting.context, &axiom.into())?);
        }
        for more in 0..=NETWORK_MORE {
            let size = (self.brab.procs, more);
            if self.lemmas.is_given_up(size, effort) {
                break;
            }
            let limits = CandidateLimits {
                procs: self.limits.procs.min(NETWORK_PROCS) + more,
                literals: NETWORK_LITERALS + more,
                cells: NETWORK_LITERALS + more,
                ..self.limits
            };
            let mut unseen = |run: &mut Run<'_, '_>, cube: &Cube| self.is_unseen(run, cube);
            let network = Network::new(run, limits, proved.clone(), &mut unseen)?;
            match network.close(effort) {
                Ok(Closing::Closed(visited)) => return Ok(Some(visited)),
                Ok(Closing::Lost { effort: spent }) => effort = effort.saturating_sub(spent),
                Ok(Closing::Large) => {
                    self.lemmas.give_up(size, u64::MAX);
                    break;
                }
                end => {
                    self.lemmas.give_up(size, effort.saturating_mul(NETWORK_AGAIN));
                    return end.map(|_| None);
                }
            }
        }
        Ok(None)
    }

    /// Replaces a node by a candidate that no forward state satisfies, if there is one: among those of the
    /// smallest size, by the first of those that leave least to do.
    pub fn replace(
        &mut self,
        run: &mut Run<'_, '_>,
        id: NodeId,
        observer: &mut dyn Observer,
    ) -> Result<NodeId, Halt> {
        if run.state.nodes.is_candidate(id) {
            return Ok(id);
        }
        let _phase = run.tester.profiler.enter(Phase::Candidates);
        let candidate = loop {
            let Some(candidate) = self.best(run, id)? else { return Ok(id) };
            if !self.is_found(run, &candidate) {
                break candidate;
            }
        };
        let number = self.pool.keep(candidate.clone());
        let system = run.setting.system;
        let cube = text(system, run.setting.context, &candidate);
        debug!(id, number, cube = cube.join(" && "), "candidate in place of the node");
        observer.event(system, Event::Approximated { number, cube });
        Ok(run.candidate(number, candidate))
    }

    fn best(&mut self, run: &mut Run<'_, '_>, id: NodeId) -> Result<Option<Cube>, Halt> {
        let context = run.setting.context;
        let mut best = self.best_within(run, id, self.limits)?;
        let is_numeric = self.limits.numeric == Numeric::No && compares(&run.state.nodes.get(id).cube);
        for numeric in [Numeric::Alike, Numeric::Compared].into_iter().filter(|_| is_numeric) {
            if best.is_none() {
                // Comparisons are about two cells each.
                let (literals, cells) = (NETWORK_LITERALS, NETWORK_LITERALS + 2);
                best =
                    self.best_within(run, id, CandidateLimits { literals, cells, numeric, ..self.limits })?;
            }
        }
        if best.is_none()
            && let Some(limits) = self.of_chain(context, &run.state.nodes.get(id).cube)
        {
            best = self.best_within(run, id, limits)?;
        }
        if best.is_none() && !run.state.nodes.get(id).cube.others.is_empty() {
            let cube = run.state.nodes.get(id).cube.clone();
            for larger in folded(context, &cube)?.into_iter().chain([cube]) {
                if self.may_replace(run, &larger)? {
                    return Ok(Some(self.shortened(run, larger)?));
                }
            }
        }
        if best.is_none() {
            return self.without_counts(run, id);
        }
        Ok(best)
    }

    /// Of the candidates within these limits, among those of the smallest size the first of those that leave least to do.
    fn best_within(
        &mut self,
        run: &mut Run<'_, '_>,
        id: NodeId,
        limits: CandidateLimits,
    ) -> Result<Option<Cube>, Halt> {
        let context = run.setting.context;
        let mut best: Option<(usize, Cube)> = None;
        let mut class = (0, 0);
        let mut rivals = 0;
        // Those without comparisons were tried before.
        let is_new = |c: &Cube| !matches!(limits.numeric, Numeric::Alike | Numeric::Compared) || compares(c);
        for c in candidates(context, &run.state.nodes.get(id).cube, limits).filter(is_new) {
            if best.is_some() && (rivals >= MAX_RIVALS || class != (c.procs, c.len())) {
                break;
            }
            if !self.is_unseen(run, &c)? {
                continue;
            }
            if run.meets_init(&c)? != Sat::No {
                self.pool.bad.push(c);
                self.unseen.clear();
                continue;
            }
            class = (c.procs, c.len());
            rivals += 1;
            let cost = self.prospect(run, &c)?;
            if best.as_ref().is_none_or(|b| cost < b.0) {
                best = Some((cost, c));
            }
        }
        Ok(best.map(|(_, candidate)| candidate))
    }

    /// A node without what it says of counts, and of numbers that equations give by counts: once it says of the processes that it names whether they are
    /// counted, other ones are mostly nothing to it.
    fn without_counts(&mut self, run: &mut Run<'_, '_>, id: NodeId) -> Result<Option<Cube>, Halt> {
        let (context, counting) = (run.setting.context, run.setting.pre.counting);
        let Some(counting) = counting else { return Ok(None) };
        let cube = run.state.nodes.get(id).cube.clone();
        let counts = |literal: &CubeLiteral| {
            literal.cells().iter().any(|cell| !cell.is_process() && counting.tells_of(cell.var()))
        };
        let literals: Vec<CubeLiteral> = cube.literals().filter(|it| !counts(it)).collect();
        if literals.len() == cube.len() || !cube.others.is_empty() {
            return Ok(None);
        }
        let mut b = CubeBuilder::new(context, cube.procs);
        if !b.require_all(&literals) {
            return Ok(None);
        }
        let Some(larger) = b.finish()? else { return Ok(None) };
        let larger = compact(context, &larger)?.0;
        Ok(self.may_replace(run, &larger)?.then_some(larger))
    }

    /// The candidate that a node comes from, whose steps back only make a chain of pointers longer: it was a wrong guess, reachable or not.
    pub fn diverging(&self, run: &Run<'_, '_>, id: NodeId) -> Option<i32> {
        let nodes = &run.state.nodes;
        let Origin::Candidate(number) = nodes.get(nodes.root(id)).origin else { return None };
        has_chain(run.setting.context, &nodes.get(id).cube, self.limits.procs + DIVERGING_CHAIN)
            .then_some(number)
    }

    /// The limits of candidates for a node that may be split, which names more processes than these: a link of a chain of pointers, and what excludes it at both ends.
    fn of_chain(&self, context: &CubeContext, cube: &Cube) -> Option<CandidateLimits> {
        let is_long = usize::from(cube.procs - context.rigid) > self.limits.procs;
        let (literals, cells) =
            (NETWORK_LITERALS.max(self.limits.literals), NETWORK_LITERALS.max(self.limits.cells));
        (is_long && cube.others.is_empty() && has_chain(context, cube, self.least_chain))
            .then_some(CandidateLimits { literals, cells, ..self.limits })
    }

    /// The cases of a node with a chain of pointers that is longer than candidates are, or of another one that names more processes, by the values of the first
    /// cell for which candidates may replace some of them; none where there is no such cell. Each step makes such a chain longer, and what excludes a part of it
    /// depends on what it does not say: in which phase the system is, or the colour of an object.
    pub fn cases(&mut self, run: &mut Run<'_, '_>, id: NodeId) -> Result<Vec<Cube>, Halt> {
        let context = run.setting.context;
        let cube = run.state.nodes.get(id).cube.clone();
        let Some(limits) = self.of_chain(context, &cube) else { return Ok(Vec::new()) };
        let _phase = run.tester.profiler.enter(Phase::Candidates);
        for cell in open_cells(context, &cube, self.least_chain == 0) {
            let full = context.full(cell, cube.procs);
            let with = |mask: u64| {
                let mut b = CubeBuilder::from_cube(context, &cube);
                if b.restrict(cell, mask) { b.finish() } else { Ok(None) }
            };
            let limits = CandidateLimits { with: Some(cell), ..limits };
            let (mut cases, mut rest) = (Vec::new(), 0);
            for value in (0..64).map(|value| 1_u64 << value).filter(|value| full & value != 0) {
                let Some(case) = with(value)? else { continue };
                let mut may = false;
                for c in candidates(context, &case, limits) {
                    may = self.may_replace(run, &c)?;
                    if may {
                        break;
                    }
                }
                if may {
                    cases.push(case);
                } else {
                    rest |= value;
                }
            }
            if !cases.is_empty() {
                cases.extend(if rest == 0 { None } else { with(rest)? });
                return Ok(cases);
            }
        }
        Ok(Vec::new())
    }

    /// Whether a cube may be a candidate: no forward state satisfies it, and no initial one.
    fn may_replace(&mut self, run: &mut Run<'_, '_>, c: &Cube) -> Result<bool, Halt> {
        Ok(self.is_unseen(run, c)? && run.meets_init(c)? == Sat::No)
    }

    /// A candidate without what it need not say of the other processes, of which something is still said.
    fn shortened(&mut self, run: &mut Run<'_, '_>, mut cube: Cube) -> Result<Cube, Halt> {
        let context = run.setting.context;
        let mut at = cube.others.len();
        while at > 0 && cube.others.len() > 1 {
            at -= 1;
            let mut others = cube.others.to_vec();
            others.remove(at);
            let larger = Cube { others: others.into(), ..cube.clone() };
            if let Some(shorter) = CubeBuilder::from_cube(context, &larger).finish()?
                && !shorter.others.is_empty()
                && self.may_replace(run, &shorter)?
            {
                cube = shorter;
                at = at.min(cube.others.len());
            }
        }
        Ok(cube)
    }

    /// Whether a candidate is neither known to be reachable nor in a forward state.
    pub fn is_unseen(&mut self, run: &mut Run<'_, '_>, c: &Cube) -> Result<bool, Halt> {
        if let Some(&unseen) = self.unseen.get(c) {
            return Ok(unseen);
        }
        run.setting.interrupt.check()?;
        let unseen = !self.pool.is_known_bad(run.tester, c)? && self.ask(run, c);
        self.unseen.insert(c.clone(), unseen);
        Ok(unseen)
    }

    /// Asks the oracle whether a candidate is unseen; a candidate that it cannot test counts as seen.
    fn ask(&mut self, run: &Run<'_, '_>, c: &Cube) -> bool {
        let Some(candidate) = oracle_question(run.setting.context, c) else { return false };
        let _phase = run.tester.profiler.enter(Phase::Filter);
        let unseen = self.brab.oracle.ask(&candidate) == OracleAnswer::Unseen;
        self.pool.asked += 1;
        self.pool.refuted += u64::from(!unseen);
        unseen
    }

    /// Whether a search finds a state of a candidate that the explored states do not have: where there are several sorts, or candidates were
    /// reachable before, these are too few to tell.
    fn is_found(&mut self, run: &Run<'_, '_>, c: &Cube) -> bool {
        let due = self.several || !self.pool.bad.is_empty();
        let most =
            run.spent().saturating_mul(SOUGHT_PER_EFFORT).saturating_sub(self.pool.sought).min(SOUGHT_STATES);
        if !due || most < SOUGHT_STATES / 4 {
            return false;
        }
        let Some(candidate) = oracle_question(run.setting.context, c) else { return false };
        let sought = self.brab.oracle.seek(&candidate, most);
        debug!(spent = run.spent(), found = sought.found, states = sought.states, "candidate sought");
        self.pool.grown += sought.states;
        self.pool.sought += sought.states;
        if sought.found {
            self.pool.refuted += 1;
            // The states on the way may have others. It is not chosen again, also where these states leave open whether they are in it.
            self.unseen.retain(|_, unseen| !*unseen);
            self.unseen.insert(c.clone(), false);
        }
        sought.found
    }

    /// The work that a candidate leaves: its pre-images that are not covered yet; those that no candidate
    /// replaces count more.
    fn prospect(&mut self, run: &mut Run<'_, '_>, c: &Cube) -> Result<usize, Halt> {
        let setting = run.setting;
        let mut cost = 0;
        let phase = run.tester.profiler.enter(Phase::PreImages);
        let pres = setting.pres(c, &mut run.state.counts.pre)?;
        drop(phase);
        for pre in pres {
            if run.tester.contains(c, &pre.cube)?
                || run.state.visited.subsumer(run.tester, &pre.cube)?.is_some()
            {
                continue;
            }
            let mut replaced = false;
            for sub in candidates(setting.context, &pre.cube, self.limits) {
                if self.is_unseen(run, &sub)? {
                    replaced = true;
                    break;
                }
            }
            cost += if replaced { 1 } else { EXACT_PREIMAGE };
        }
        Ok(cost)
    }
}

/// Whether a cube has a chain of as many pointers: cells of one array, each of which holds the process of the next one.
fn has_chain(context: &CubeContext, cube: &Cube, length: usize) -> bool {
    let next = |(cell, mask): &(CubeCell, u64)| {
        let is_link = context.kind(*cell) == CellKind::Proc
            && !cell.is_process()
            && context.arity(cell.var()) == 1
            && mask.is_power_of_two()
            && mask & low(cube.procs) != 0;
        is_link.then(|| (cell.var(), cell.index(0), mask.trailing_zeros() as u8))
    };
    let links: Vec<_> = cube.masks.iter().filter_map(next).collect();
    length == 0
        || links.iter().any(|&(array, first, _)| {
            let (mut at, mut met) = (first, 0_u64);
            while met >> at & 1 == 0 {
                met |= 1 << at;
                let Some(link) = links.iter().find(|it| it.0 == array && it.1 == at) else { break };
                at = link.2;
            }
            met.count_ones() as usize > length
        })
}

/// The cells of enum types of which a cube says nothing: globals, and those of arrays at its processes.
fn open_cells(context: &CubeContext, cube: &Cube, pointers: bool) -> Vec<CubeCell> {
    let vars = (0..context.vars()).map(|var| VarId(var as u16));
    let procs = 0..cube.procs;
    let at = |var: VarId| match context.arity(var) {
        0 => vec![CubeCell::of(var, [])],
        1 => procs.clone().map(|p| CubeCell::of(var, [p])).collect(),
        2 => procs.clone().flat_map(|p| procs.clone().map(move |q| CubeCell::of(var, [p, q]))).collect(),
        _ => Vec::new(),
    };
    let is_open = |cell: &CubeCell| {
        let is_of =
            |(p, sort): (u8, u8)| context.sort_of(p).is_none_or(|it| cube.mask(it) == Some(1 << sort));
        (matches!(context.kind(*cell), CellKind::Enum(_))
            || pointers && context.kind(*cell) == CellKind::Proc)
            && !context.is_kind(*cell)
            && cube.mask(*cell).is_none()
            && context.sorted_indices(*cell).all(is_of)
    };
    let mut cells: Vec<CubeCell> = vars.flat_map(at).filter(is_open).collect();
    cells.sort_by_key(|cell| context.arity(cell.var()));
    cells
}

/// Whether a cube compares numbers.
fn compares(cube: &Cube) -> bool {
    cube.relational.iter().any(|it| matches!(it, Relational::Linear { .. }))
}
