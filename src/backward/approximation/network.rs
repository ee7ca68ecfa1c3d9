//! A network of cubes: each pre-image of a held cube is supported by held cubes, which contain it together. Where several
//! candidates could support it, one is chosen; it is taken back, with all that it was chosen for, once one of its own
//! pre-images cannot be supported.
//!
//! BRAB takes the smallest candidate and keeps it unless it is reachable. The smallest one may be true and yet follow only from
//! what no small cube says (that a chain of pointers has an end, say), while a larger candidate would have closed the search. Here choices
//! are justified and retracted as in a truth maintenance system (J. Doyle: "A truth maintenance system", Artificial
//! Intelligence 12, 1979), and what is left in the end holds together as in Houdini (C. Flanagan, K. R. M. Leino, FME 2001).
//!
//! In: a run with the bad cubes as roots, and an oracle. Out: cubes that no run of the system reaches, the roots among them.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use hashbrown::{HashMap, HashSet};

use super::candidates::{CandidateLimits, candidates};
use crate::cube::{Cube, Halt};
use crate::fixpoint::Visited;
use crate::preimage::PreCounts;
use crate::search::{NodeId, Origin, Run};
use crate::theory::Sat;
use crate::tuning::{MAX_RIVALS, NETWORK_CUBES, NETWORK_EXACT, QUESTIONS_PER_EFFORT, TESTS_PER_EFFORT};
use tracing::debug;

/// Index of a cube in a network.
type CubeId = usize;
/// Index of a pre-image in a network.
type PreId = usize;

/// What has become of a cube.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    /// Not chosen.
    Idle,
    /// Chosen, or a root.
    Held,
    /// One of its pre-images cannot be supported.
    Dead,
}

/// A cube that may be held.
#[derive(Debug)]
struct Member {
    cube: Cube,
    fate: Fate,
    /// Its pre-images, once they are known.
    pres: Option<Vec<PreId>>,
    /// The pre-images that it supports, or did.
    supports: Vec<PreId>,
}

/// A pre-image of some cubes.
#[derive(Debug)]
struct Support {
    cube: Cube,
    /// Whose pre-image it is.
    of: Vec<CubeId>,
    /// The held cubes that contain it together; `None` where that is not known.
    by: Option<Vec<CubeId>>,
    /// The first candidates, none of which may be held.
    tried: usize,
    /// Whether nothing can support it.
    is_dead: bool,
}

/// What was done, in counts.
#[derive(Default, Debug)]
struct Work {
    pre: PreCounts,
    questions: u64,
    tests: u64,
}

impl Work {
    /// In the unit of searches.
    const fn effort(&self) -> u64 {
        self.pre.effort() + self.questions / QUESTIONS_PER_EFFORT + self.tests / TESTS_PER_EFFORT
    }
}

/// Whether no explored state is in a cube.
type Unseen<'n, 'a, 'r> = &'n mut dyn FnMut(&mut Run<'a, 'r>, &Cube) -> Result<bool, Halt>;

/// How the work on a network ends.
pub enum Closing {
    /// With the cubes that hold together, and those that were proved before.
    Closed(Visited),
    /// A root cannot be supported by cubes of the size that is allowed.
    Lost {
        /// What it took to find that out.
        effort: u64,
    },
    /// Roots rest on too many cubes.
    Large,
    /// It is not known whether such cubes support the roots.
    Open,
}

/// A network that is being built.
pub struct Network<'n, 'a, 'r> {
    run: &'n mut Run<'a, 'r>,
    limits: CandidateLimits,
    unseen: Unseen<'n, 'a, 'r>,
    members: Vec<Member>,
    supports: Vec<Support>,
    ids: HashMap<Cube, CubeId>,
    pre_ids: HashMap<Cube, PreId>,
    /// The bad cubes.
    roots: Range<CubeId>,
    /// Axioms and lemmas, then the held cubes.
    visited: Visited,
    /// The member at each place of `visited`.
    places: Vec<Option<CubeId>>,
    /// Held members whose pre-images are not supported yet.
    fresh: BTreeSet<CubeId>,
    waiting: VecDeque<PreId>,
    dead: Vec<CubeId>,
    /// The held members that some root rests on, and whether it has changed since.
    needed: HashSet<CubeId>,
    is_stale: bool,
    work: Work,
}

impl<'n, 'a, 'r> Network<'n, 'a, 'r> {
    /// For the bad cubes of a run, over cubes that no run of the system reaches.
    ///
    /// # Errors
    /// The run must end, or a number left the 64-bit range; the same for the other methods.
    pub fn new(
        run: &'n mut Run<'a, 'r>,
        limits: CandidateLimits,
        proved: Vec<Cube>,
        unseen: Unseen<'n, 'a, 'r>,
    ) -> Result<Self, Halt> {
        let nodes = &run.state.nodes;
        let is_bad = |id: &NodeId| matches!(nodes.get(*id).origin, Origin::Bad(_));
        let is_open = |id: &NodeId| !run.state.trusted.contains(id);
        let bad = (0..nodes.len()).filter(is_bad).filter(is_open);
        let bad: Vec<Cube> = bad.map(|id| nodes.get(id).cube.clone()).collect();
        let mut network = Self {
            run,
            limits,
            unseen,
            members: Vec::new(),
            supports: Vec::new(),
            ids: HashMap::new(),
            pre_ids: HashMap::new(),
            roots: 0..bad.len(),
            visited: Visited::default(),
            places: vec![None; proved.len()],
            fresh: BTreeSet::new(),
            waiting: VecDeque::new(),
            dead: Vec::new(),
            needed: HashSet::new(),
            is_stale: true,
            work: Work::default(),
        };
        for cube in proved {
            network.visited.insert(network.run.tester, cube, false)?;
        }
        for cube in bad {
            let root = network.member(cube);
            network.hold(root)?;
        }
        network.roots = 0..network.members.len();
        Ok(network)
    }

    /// Chooses cubes that hold together and contain the roots, within this effort.
    pub fn close(mut self, effort: u64) -> Result<Closing, Halt> {
        for root in self.roots.clone() {
            if self.run.meets_init(&self.members[root].cube.clone())? != Sat::No {
                return Ok(Closing::Open);
            }
        }
        loop {
            self.run.setting.interrupt.check()?;
            let is_lost = self.roots.clone().any(|root| self.members[root].fate == Fate::Dead);
            if is_lost {
                return Ok(Closing::Lost { effort: self.work.effort() });
            }
            if self.needed.len() > NETWORK_CUBES {
                return Ok(Closing::Large);
            }
            if self.work.effort() > effort {
                return Ok(Closing::Open);
            }
            if let Some(pre) = self.waiting.pop_front() {
                self.support(pre)?;
            } else if let Some(next) = self.next_fresh() {
                self.expand(next)?;
            } else if !self.wait_again() {
                return self.closed().map(Closing::Closed);
            }
        }
    }

    /// Queues the pre-images that were left while no root rested on them, and now does; false where there are none.
    fn wait_again(&mut self) -> bool {
        self.refresh();
        let pres = self.needed.iter().flat_map(|id| self.members[*id].pres.iter().flatten());
        let open: BTreeSet<PreId> = pres.filter(|pre| self.supports[**pre].by.is_none()).copied().collect();
        let waits = !open.is_empty();
        self.waiting.extend(open);
        waits
    }

    /// What was proved before, and the held cubes that roots rest on.
    fn closed(mut self) -> Result<Visited, Halt> {
        self.refresh();
        for place in (0..self.places.len()).rev() {
            if self.places[place].is_some_and(|id| !self.needed.contains(&id)) {
                self.visited.remove(place);
            }
        }
        debug!(
            effort = self.work.effort(),
            cubes = self.needed.len(),
            tried = self.members.len(),
            dead = self.dead.len(),
            "network closed"
        );
        Ok(self.visited)
    }

    fn member(&mut self, cube: Cube) -> CubeId {
        *self.ids.entry(cube.clone()).or_insert_with(|| {
            self.members.push(Member { cube, fate: Fate::Idle, pres: None, supports: Vec::new() });
            self.members.len() - 1
        })
    }

    fn hold(&mut self, id: CubeId) -> Result<(), Halt> {
        let member = &mut self.members[id];
        if member.fate != Fate::Idle {
            return Ok(());
        }
        member.fate = Fate::Held;
        self.visited.insert(self.run.tester, member.cube.clone(), false)?;
        self.places.push(Some(id));
        self.fresh.insert(id);
        self.needed.insert(id);
        Ok(())
    }

    /// The next held cube whose pre-images are to be supported, among those that a root rests on. The newest first: a choice that
    /// cannot be supported is mostly taken back within few steps, and all that rests on it would be in vain.
    fn next_fresh(&mut self) -> Option<CubeId> {
        self.refresh();
        let next = self.fresh.iter().rev().find(|it| self.needed.contains(*it)).copied()?;
        self.fresh.remove(&next);
        Some(next)
    }

    /// Finds the held cubes that the roots rest on, after a change.
    fn refresh(&mut self) {
        if !std::mem::replace(&mut self.is_stale, false) {
            return;
        }
        self.needed.clear();
        self.need(self.roots.clone());
    }

    /// Adds cubes that the roots rest on, and those that these rest on.
    fn need(&mut self, ids: impl IntoIterator<Item = CubeId>) {
        let mut stack: Vec<CubeId> = ids.into_iter().collect();
        while let Some(id) = stack.pop() {
            if !self.needed.insert(id) {
                continue;
            }
            for &pre in self.members[id].pres.iter().flatten() {
                if let Some(by) = &self.supports[pre].by {
                    stack.extend_from_slice(by);
                }
            }
        }
    }

    fn pres(&mut self, id: CubeId) -> Result<Vec<PreId>, Halt> {
        if let Some(pres) = &self.members[id].pres {
            return Ok(pres.clone());
        }
        let setting = self.run.setting;
        let pres = setting.pres(&self.members[id].cube, &mut self.work.pre)?;
        let mut ids: Vec<PreId> = Vec::new();
        for pre in pres {
            let next = self.supports.len();
            let at = *self.pre_ids.entry(pre.cube.clone()).or_insert(next);
            if at == next {
                let support = Support { cube: pre.cube, of: Vec::new(), by: None, tried: 0, is_dead: false };
                self.supports.push(support);
            }
            ids.push(at);
        }
        ids.sort_unstable();
        ids.dedup();
        self.members[id].pres = Some(ids.clone());
        Ok(ids)
    }

    /// Asks for support of all pre-images of a held cube.
    fn expand(&mut self, id: CubeId) -> Result<(), Halt> {
        let pres = self.pres(id)?;
        for &pre in &pres {
            let support = &mut self.supports[pre];
            support.of.push(id);
            if support.is_dead {
                return self.kill(id);
            }
            match support.by.clone() {
                None => self.waiting.push_back(pre),
                Some(by) => self.need(by),
            }
        }
        Ok(())
    }

    /// Finds held cubes that contain a pre-image, or chooses a candidate that does.
    fn support(&mut self, pre: PreId) -> Result<(), Halt> {
        self.refresh();
        let it = &self.supports[pre];
        let is_due = !it.is_dead
            && it.by.is_none()
            && it.of.iter().any(|id| self.members[*id].fate == Fate::Held && self.needed.contains(id));
        if !is_due {
            return Ok(());
        }
        let cube = it.cube.clone();
        self.work.tests += 1;
        let by = if let Some(places) = self.visited.plain_cover(self.run.tester, &cube)? {
            places.into_iter().filter_map(|place| self.places[place]).collect()
        } else if let Some(choice) = self.choose(pre)? {
            self.hold(choice)?;
            vec![choice]
        } else {
            self.supports[pre].is_dead = true;
            for id in self.supports[pre].of.clone() {
                self.kill(id)?;
            }
            return Ok(());
        };
        for &id in &by {
            self.members[id].supports.push(pre);
        }
        self.need(by.iter().copied());
        self.supports[pre].by = Some(by);
        Ok(())
    }

    /// A candidate that contains a pre-image: among the smallest that are not dead, one that leaves least to do.
    fn choose(&mut self, pre: PreId) -> Result<Option<CubeId>, Halt> {
        let Support { cube, tried, .. } = &self.supports[pre];
        let (cube, mut tried) = (cube.clone(), *tried);
        let context = self.run.setting.context;
        let own = self.limits.admit(context, &cube, NETWORK_EXACT).then(|| cube.clone());
        let choices = candidates(context, &cube, self.limits).chain(own);
        let (mut class, mut rivals) = ((0, 0), 0);
        let mut best: Option<(usize, CubeId)> = None;
        for c in choices.skip(tried) {
            if rivals > 0 && (rivals >= MAX_RIVALS || class != (c.procs, c.len())) {
                break;
            }
            if !self.may_hold(&c)? {
                tried += usize::from(rivals == 0);
                continue;
            }
            class = (c.procs, c.len());
            rivals += 1;
            let id = self.member(c);
            let cost = self.prospect(id)?;
            if best.is_none_or(|it| cost < it.0) {
                best = Some((cost, id));
            }
        }
        self.supports[pre].tried = tried;
        Ok(best.map(|it| it.1))
    }

    /// Whether a cube may be held: no explored state is in it, no initial one, and it contains no dead cube.
    fn may_hold(&mut self, cube: &Cube) -> Result<bool, Halt> {
        self.work.questions += 1;
        if !(self.unseen)(self.run, cube)? {
            return Ok(false);
        }
        if let Some(&id) = self.ids.get(cube)
            && self.members[id].fate != Fate::Idle
        {
            return Ok(self.members[id].fate == Fate::Held);
        }
        for at in (0..self.dead.len()).rev() {
            let dead = &self.members[self.dead[at]].cube;
            if self.run.tester.contains(cube, dead)? {
                return Ok(false);
            }
        }
        Ok(self.run.meets_init(cube)? == Sat::No)
    }

    /// How many pre-images of a cube are not supported by one that is held.
    fn prospect(&mut self, id: CubeId) -> Result<usize, Halt> {
        let mut cost = 0;
        let own = self.members[id].cube.clone();
        for pre in self.pres(id)? {
            let it = &self.supports[pre];
            if it.is_dead {
                return Ok(usize::MAX);
            }
            if it.by.is_some() {
                continue;
            }
            if !self.run.tester.contains(&own, &it.cube)?
                && self.visited.subsumer(self.run.tester, &it.cube)?.is_none()
            {
                cost += 1;
            }
        }
        Ok(cost)
    }

    /// Takes back a cube that cannot be supported, and each held cube that contains it.
    fn kill(&mut self, id: CubeId) -> Result<(), Halt> {
        let mut doomed = vec![id];
        let cube = self.members[id].cube.clone();
        for at in (0..self.places.len()).rev() {
            let Some(other) = self.places[at] else { break };
            if other != id && self.run.tester.contains(&self.members[other].cube, &cube)? {
                doomed.push(other);
            }
        }
        for id in doomed {
            let before = std::mem::replace(&mut self.members[id].fate, Fate::Dead);
            if before == Fate::Dead {
                continue;
            }
            self.dead.push(id);
            self.is_stale = true;
            self.fresh.remove(&id);
            if let Some(place) = self.places.iter().position(|it| *it == Some(id)) {
                self.places.remove(place);
                self.visited.remove(place);
            }
            for pre in std::mem::take(&mut self.members[id].supports) {
                let support = &mut self.supports[pre];
                if support.by.as_ref().is_some_and(|by| by.contains(&id)) {
                    support.by = None;
                    self.waiting.push_back(pre);
                }
            }
        }
        Ok(())
    }
}
