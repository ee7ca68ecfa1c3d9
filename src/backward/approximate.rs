//! Approximation: a node is replaced by a candidate, a small cube that contains it and no forward state
//! (Conchon et al., BRAB, FMCAD 2013).
//!
//! Which of several equally small candidates is taken decides how much is left to prove. Each is judged by
//! its pre-images: one that has none which nothing covers is inductive already.

use super::Brab;
use super::candidates::{Limits, candidates};
use super::cube::Cube;
use super::export::{oracle_literals, text};
use super::ground::Halt;
use super::meter::Phase;
use super::node::{Node, NodeId, Origin};
use super::preimage::{Pre, pre_image};
use super::run::Run;
use super::theory::Sat;
use crate::observer::{Event, Observer};
use crate::oracle::Answer as Known;

/// Most candidates of one size that are compared by what they leave to do.
const MAX_RIVALS: usize = 16;
/// What a pre-image that no candidate replaces counts, against one that a candidate replaces.
const EXACT: usize = 8;

impl Run<'_, '_> {
    /// Replaces a node by a candidate that no forward state satisfies, if there is one: among those of the
    /// smallest size, by the first of those that leave least to do.
    pub(super) fn approximate(&mut self, id: NodeId, observer: &mut dyn Observer) -> Result<NodeId, Halt> {
        let Some(brab) = self.setting.brab else { return Ok(id) };
        if matches!(self.nodes.get(id).origin, Origin::Candidate(_)) {
            return Ok(id);
        }
        let _phase = self.context.meter.enter(Phase::Candidates);
        let (shape, options) = (self.setting.shape, self.setting.options);
        let limits = Limits {
            procs: brab.procs,
            size: if options.candidate_size == 0 { brab.procs } else { options.candidate_size },
            count: options.max_candidates,
            numeric: options.numeric_candidates,
        };
        let mut best: Option<(usize, Cube)> = None;
        let mut class = (0, 0);
        let mut rivals = 0;
        for c in candidates(shape, &self.nodes.get(id).cube, limits) {
            if best.is_some() && (rivals >= MAX_RIVALS || class != (c.procs, c.len())) {
                break;
            }
            if !self.is_unseen(brab, &c)? {
                continue;
            }
            if self.meets_init(&c)? != Sat::No {
                self.pool.bad.push(c);
                self.asked.clear();
                continue;
            }
            class = (c.procs, c.len());
            rivals += 1;
            let cost = self.prospect(&c, limits, brab)?;
            if best.as_ref().is_none_or(|b| cost < b.0) {
                best = Some((cost, c));
            }
        }
        let Some((_, c)) = best else { return Ok(id) };
        self.pool.made -= 1;
        let number = self.pool.made;
        observer.event(
            self.setting.system,
            Event::Approximated { number, cube: &text(self.setting.system, shape, &c) },
        );
        self.pool.kept.push((number, c.clone()));
        Ok(self.nodes.push(Node { cube: c, origin: Origin::Candidate(number), depth: 0 }))
    }

    /// Whether a candidate is neither known to be reachable nor in a forward state.
    fn is_unseen(&mut self, brab: Brab<'_>, c: &Cube) -> Result<bool, Halt> {
        if let Some(&unseen) = self.asked.get(c) {
            return Ok(unseen);
        }
        self.setting.interrupt.check()?;
        let unseen = !self.is_known_bad(c)?
            && oracle_literals(self.setting.shape, c).is_some_and(|(procs, literals)| {
                let _phase = self.context.meter.enter(Phase::Filter);
                let unseen = brab.oracle.ask(procs, &literals) == Known::Unseen;
                self.pool.asked += 1;
                self.pool.refuted += u64::from(!unseen);
                unseen
            });
        self.asked.insert(c.clone(), unseen);
        Ok(unseen)
    }

    /// What a candidate leaves to do: its pre-images that nothing covers yet; those that no candidate
    /// replaces count more.
    fn prospect(&mut self, c: &Cube, limits: Limits, brab: Brab<'_>) -> Result<usize, Halt> {
        let setting = self.setting;
        let mut cost = 0;
        let mut pres: Vec<Pre> = Vec::new();
        let phase = self.context.meter.enter(Phase::PreImages);
        for t in setting.transitions {
            pre_image(setting.shape, t, c, setting.pre, &mut self.counts.pre, &mut pres)?;
        }
        drop(phase);
        for pre in pres {
            if self.context.contains(c, &pre.cube)? || self.visited.subsumes(self.context, &pre.cube)? {
                continue;
            }
            let mut replaced = false;
            for sub in candidates(setting.shape, &pre.cube, limits) {
                if self.is_unseen(brab, &sub)? {
                    replaced = true;
                    break;
                }
            }
            cost += if replaced { 1 } else { EXACT };
        }
        Ok(cost)
    }

    /// Whether a reachable cube is contained in `c` (then `c` is reachable), or contains it (then it
    /// probably is).
    fn is_known_bad(&mut self, c: &Cube) -> Result<bool, Halt> {
        for bad in &self.pool.bad {
            if self.context.contains(c, bad)? || self.context.contains(bad, c)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
