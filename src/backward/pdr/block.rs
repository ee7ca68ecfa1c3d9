//! Blocking a bad cube in the last frame.

use hashbrown::HashMap;

use super::frames::{Frames, Predecessors};
use crate::approximation::{Approximation, Reached};
use crate::cube::{Cube, CubeBuilder, CubeContext, CubeLiteral, Halt, compact};
use crate::fixpoint::Visited;
use crate::profile::Phase;
use crate::search::{DriveEnd, NodeId, Origin, Run, RunEnd};
use crate::theory::Sat;
use crate::tuning::{FRAME_TESTS_PER_EFFORT, QUESTIONS_PER_EFFORT};
use cubicle_run::{Observer, Reason};

/// A node that is to be blocked in a frame.
#[derive(Debug)]
struct Obligation {
    id: NodeId,
    /// The frame.
    level: usize,
    /// Its predecessors, once it is settled that no candidate replaces it.
    predecessors: Option<Predecessors>,
    /// Predecessors before this one are blocked in the frame before.
    done: usize,
}

impl Obligation {
    /// The obligation to block a node in a frame.
    const fn new(id: NodeId, level: usize) -> Self {
        Self { id, level, predecessors: None, done: 0 }
    }
}

/// The frames, and the obligations for the last.
pub struct Blocking<'b, 'a, 'r, 'p> {
    /// The run that the nodes belong to.
    pub run: &'b mut Run<'a, 'r>,
    approximation: Approximation<'a, 'p>,
    frames: Frames,
    /// From the bad cube to the obligation to show next.
    path: Vec<Obligation>,
    /// The predecessors of a cube, and the first of them that meets init.
    predecessors: HashMap<Cube, (Predecessors, Option<usize>)>,
    /// The candidate in place of a cube.
    candidates: HashMap<Cube, NodeId>,
    given_up: usize,
    /// Questions and tests that are in the effort already.
    counted: u64,
}

impl<'b, 'a, 'r, 'p> Blocking<'b, 'a, 'r, 'p> {
    /// Starts without frames; the cubes that the run takes as visited are known to be unreachable.
    pub fn new(run: &'b mut Run<'a, 'r>, approximation: Approximation<'a, 'p>) -> Self {
        let frames = Frames::new(run.state.visited.cubes().cloned().collect(), run.setting.options.delete);
        Self {
            run,
            approximation,
            frames,
            path: Vec::new(),
            predecessors: HashMap::new(),
            candidates: HashMap::new(),
            given_up: 0,
            counted: 0,
        }
    }

    /// The number of frames.
    pub fn depth(&self) -> usize {
        self.frames.depth()
    }

    /// Adds a frame and pushes cubes into it; returns the inductive frame, if there is one now.
    pub fn deepen(&mut self) -> Result<Option<Visited>, Halt> {
        self.frames.open(self.run.tester)?;
        self.run.allow_tests();
        self.frames.push(self.run.tester)
    }

    /// Blocks a bad cube in the last frame; returns how the run ends, if it does.
    pub fn block(&mut self, root: NodeId, observer: &mut dyn Observer) -> Result<Option<DriveEnd>, Halt> {
        self.path.clear();
        self.path.push(Obligation::new(root, self.depth()));
        while let Some(top) = self.path.last() {
            let (id, level, opened) = (top.id, top.level, top.predecessors.is_some());
            self.count_effort();
            if let Some(reason) = self.run.exhausted() {
                return Ok(Some(RunEnd::Unknown(reason, None).into()));
            }
            self.run.allow_tests();
            if let Origin::Candidate(number) = self.run.state.nodes.get(id).origin
                && !self.approximation.stands(number)
            {
                self.path.pop();
                continue;
            }
            let cube = self.run.state.nodes.get(id).cube.clone();
            if self.frames.blocks(self.run.tester, level, &cube)? {
                self.run.state.counts.fixpoints += usize::from(!opened);
                self.path.pop();
                continue;
            }
            if !opened {
                if let Some(end) = self.approximation.look_around(self.run, id, false, observer) {
                    return Ok(Some(end));
                }
                if let Some(reason) = self.run.admit(id) {
                    return Ok(Some(RunEnd::Unknown(reason, None).into()));
                }
                self.run.count_size(&cube);
                self.run.report(id, observer);
                if let Some(candidate) = self.candidate(id, &cube, observer)? {
                    self.path.push(Obligation::new(candidate, level));
                    continue;
                }
            }
            if let Some(end) = self.advance(&cube, observer)? {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    /// Ends the run without a verdict, unless new lemmas may help.
    pub fn without_answer(mut self, reason: Reason, observer: &mut dyn Observer) -> DriveEnd {
        let spent = matches!(reason, Reason::Effort(_));
        let end = self.approximation.look_at_last(self.run, spent, observer);
        end.unwrap_or_else(|| RunEnd::Unknown(reason, None).into())
    }

    /// The candidate that takes the place of a node.
    fn candidate(
        &mut self,
        id: NodeId,
        cube: &Cube,
        observer: &mut dyn Observer,
    ) -> Result<Option<NodeId>, Halt> {
        if self.run.state.nodes.is_candidate(id) {
            return Ok(None);
        }
        if let Some(&candidate) = self.candidates.get(cube)
            && let Origin::Candidate(number) = self.run.state.nodes.get(candidate).origin
            && self.approximation.stands(number)
        {
            return Ok(Some(candidate));
        }
        let candidate = self.approximation.replace(self.run, id, observer)?;
        if candidate == id {
            return Ok(None);
        }
        self.run.tell_candidate(candidate, id, observer);
        self.candidates.insert(cube.clone(), candidate);
        Ok(Some(candidate))
    }

    /// Handles the obligation on top of the path: goes to its next predecessor that is not blocked yet, or blocks it.
    fn advance(&mut self, cube: &Cube, observer: &mut dyn Observer) -> Result<Option<DriveEnd>, Halt> {
        let (predecessors, initial) = self.predecessors_of(cube)?;
        let top = self.path.last_mut().expect("the path is not empty");
        top.predecessors.get_or_insert_with(|| predecessors.clone());
        let (id, level, done) = (top.id, top.level, top.done);
        if let Some(at) = initial {
            let first = self.run.step(id, predecessors[at].clone());
            return self.begins(first, observer);
        }
        let escaping = if level == 1 {
            None
        } else {
            self.frames.escaping(self.run.tester, level - 1, cube, &predecessors, done)?
        };
        if let Some(at) = escaping {
            self.path.last_mut().expect("the path is not empty").done = at;
            let before = self.run.step(id, predecessors[at].clone());
            self.path.push(Obligation::new(before, level - 1));
            return Ok(None);
        }
        let (cube, predecessors) = self.generalise(cube.clone(), predecessors, level)?;
        self.frames.block(self.run.tester, level, cube, predecessors)?;
        self.path.pop();
        Ok(None)
    }

    /// A node meets init: the end of the run, or of the candidate that it stems from.
    fn begins(&mut self, first: NodeId, observer: &mut dyn Observer) -> Result<Option<DriveEnd>, Halt> {
        let Some(end) = self.run.path_to_init(first, observer) else {
            return Ok(Some(self.run.fixpoint().into()));
        };
        let RunEnd::Candidate(number, trace) = end else { return Ok(Some(end.into())) };
        self.given_up += 1;
        let setting = self.run.setting;
        let reached = Reached { trace, nth: self.given_up, spent: self.run.totals.effort };
        if let Some(trace) = self.approximation.give_up(setting, number, reached, observer) {
            return Ok(Some(RunEnd::Unsafe(trace, None).into()));
        }
        let root = self.run.state.nodes.root(first);
        let at = self.path.iter().position(|obligation| obligation.id == root);
        self.path.truncate(at.expect("a candidate is on the path to where it begins"));
        Ok(None)
    }

    /// Returns a cube with fewer literals that is blocked for the same reason, and its predecessors.
    fn generalise(
        &mut self,
        mut cube: Cube,
        mut predecessors: Predecessors,
        level: usize,
    ) -> Result<(Cube, Predecessors), Halt> {
        let mut at = 0;
        while at < cube.len() {
            let Some(wider) = without(self.run.setting.context, &cube, at)? else {
                at += 1;
                continue;
            };
            if !self.approximation.is_unseen(self.run, &wider)? || self.run.meets_init(&wider)? != Sat::No {
                at += 1;
                continue;
            }
            let (before, initial) = self.predecessors_of(&wider)?;
            let holds = initial.is_none()
                && (level == 1
                    || self.frames.escaping(self.run.tester, level - 1, &wider, &before, 0)?.is_none());
            if holds {
                (cube, predecessors) = (wider, before);
            } else {
                at += 1;
            }
        }
        Ok((cube, predecessors))
    }

    fn predecessors_of(&mut self, cube: &Cube) -> Result<(Predecessors, Option<usize>), Halt> {
        if let Some(known) = self.predecessors.get(cube) {
            return Ok(known.clone());
        }
        let setting = self.run.setting;
        let before = self.run.effort();
        let phase = self.run.tester.profiler.enter(Phase::PreImages);
        let all = setting.pres(cube, &mut self.run.state.counts.pre)?;
        drop(phase);
        self.run.totals.effort += 1 + self.run.effort() - before;
        let mut initial = None;
        for (at, pre) in all.iter().enumerate() {
            if self.run.meets_init(&pre.cube)? != Sat::No {
                initial = Some(at);
                break;
            }
        }
        let found = (Predecessors::from(all), initial);
        self.predecessors.insert(cube.clone(), found.clone());
        Ok(found)
    }

    /// Adds the questions and tests since the last call to the effort.
    fn count_effort(&mut self) {
        let all =
            self.approximation.pool.asked / QUESTIONS_PER_EFFORT + self.frames.tests / FRAME_TESTS_PER_EFFORT;
        self.run.totals.effort +=
            all.saturating_sub(self.counted) + self.approximation.pool.effort_of_growth();
        self.counted = all;
    }
}

/// A cube without one of its literals; `None` when the cube stays the same.
fn without(context: &CubeContext, cube: &Cube, at: usize) -> Result<Option<Cube>, Halt> {
    let is_sort = |it: CubeLiteral| matches!(it, CubeLiteral::Mask(cell, _) if context.is_sort(cell));
    if cube.literals().nth(at).is_some_and(is_sort) {
        return Ok(None);
    }
    let mut wider = CubeBuilder::new(context, cube.procs);
    for (_, literal) in cube.literals().enumerate().filter(|(i, _)| *i != at) {
        wider.require(&literal);
    }
    let Some(wider) = wider.finish()? else { return Ok(None) };
    let (wider, _) = compact(context, &wider)?;
    Ok((wider.len() < cube.len()).then_some(wider))
}
