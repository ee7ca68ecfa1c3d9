//! A search for a state in which a cube holds: greedy, by the distance in the delete relaxation, and with the first steps of relaxed plans
//! before all others (*preferred operators*; Helmert, The Fast Downward planning system, 2006).
//!
//! Walks see what is likely; a candidate of a backward search is a question about one thing that may be unlikely, but is a few steps away.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use crate::clock::Clock;
use crate::fuzz::delete_relaxation::DeleteRelaxation;
use crate::fuzz::relaxed_plan::RelaxedPlan;
use crate::fuzz::technique::Goal;
use crate::program::{ALL_WAYS, BadInstance, Gaps, Guard, Program, Refinement, Scratch, Test};
use crate::store::{Inserted, ROOT, StateTree, hash, way};
use crate::tuning::{MAX_SOUGHT_SIZE, MAX_SPLITS, SOUGHT_ROOTS};
use cubicle_lang::bits::bits;

pub struct Seek<'a> {
    program: &'a Program,
    relaxation: DeleteRelaxation,
    plan: RelaxedPlan,
    /// States, each followed by the number of the cube that it is on the way to.
    tree: StateTree,
    /// For each state, the steps that a relaxed plan begins with.
    helpful: Vec<Vec<usize>>,
    /// States to go on from, nearest first: by their helpful steps, then by all others. Of several that are as near, the newest comes first, since
    /// many are the same up to symmetry.
    open: BinaryHeap<(Reverse<(u32, bool)>, usize)>,
    /// What the ground cubes say of cells that no step writes: it holds from the beginning.
    rigid: Vec<Guard>,
    /// The state in which the cube holds.
    found: Option<usize>,
    most: usize,
}

impl<'a> Seek<'a> {
    /// Towards a state in which one of these ground cubes holds, among at most `most` states. `None` where the instance is too large for plans.
    pub fn new(program: &'a Program, cubes: Vec<Guard>, most: usize) -> Option<Self> {
        let bads = cubes.into_iter().enumerate().map(|(bad, guard)| BadInstance { bad, guard }).collect();
        let relaxation = DeleteRelaxation::towards(program, bads, MAX_SOUGHT_SIZE)?;
        let rigid = relaxation.bads.iter().map(|bad| rigid(&bad.guard, &relaxation.written)).collect();
        Some(Self {
            program,
            relaxation,
            plan: RelaxedPlan::default(),
            tree: StateTree::new(program.packing.words + 1),
            helpful: Vec::new(),
            open: BinaryHeap::new(),
            rigid,
            found: None,
            most,
        })
    }

    /// Searches from these states; returns the states on the way to the one that was found, if any.
    pub fn run<'s>(
        &mut self,
        starts: impl Iterator<Item = &'s [u64]>,
        clock: &Arc<Clock>,
    ) -> Option<StateTree> {
        let mut scratch = Scratch::timed(self.program, clock);
        self.begin(starts, clock);
        while !self.is_over()
            && clock.reason().is_none()
            && let Some((Reverse((distance, others)), number)) = self.open.pop()
        {
            self.expand(number, others, &mut scratch);
            if !others {
                self.open.push((Reverse((distance, true)), number));
            }
        }
        let way = way(self.found?, usize::MAX, |number| self.tree.parents[number]);
        let program = self.program;
        let mut states = StateTree::new(program.packing.words);
        states.insert_way(
            way.into_iter().map(|number| &self.tree.store.state(number)[..program.packing.words]),
        );
        Some(states)
    }

    /// Looks at these initial states, for each cube with what it says of cells that no step writes: where a plan may still choose, it chooses
    /// whatever is nearest.
    fn begin<'s>(&mut self, starts: impl Iterator<Item = &'s [u64]>, clock: &Clock) {
        let program = self.program;
        let rigid = std::mem::take(&mut self.rigid);
        let roots = starts.flat_map(|start| rigid.iter().enumerate().map(move |(aim, it)| (start, aim, it)));
        for (start, aim, guard) in roots {
            // What is left out makes the search miss a state, no more.
            let (mut ways, mut left_out) = (0, false);
            let gaps = Gaps::new(&mut left_out, Some(clock));
            program.refine_until(guard, start, gaps, &mut <[Refinement]>::reverse, &mut |refined| {
                self.meet(refined, ROOT, aim);
                ways += 1;
                ways >= MAX_SPLITS || self.is_over()
            });
            if self.states() >= SOUGHT_ROOTS || clock.reason().is_some() {
                return;
            }
        }
    }

    /// How many states were looked at.
    pub fn states(&self) -> usize {
        self.tree.store.len()
    }

    fn is_over(&self) -> bool {
        self.found.is_some() || self.states() >= self.most
    }

    /// Takes the helpful exits of a state, or the `others`.
    fn expand(&mut self, number: usize, others: bool, scratch: &mut Scratch) {
        let program = self.program;
        let mut state = self.tree.store.state(number).to_vec();
        let Some(aim) = state.pop() else { return };
        program.exits(&state, scratch);
        let enabled: Vec<usize> = bits(&scratch.enabled).collect();
        for i in enabled {
            if self.helpful[number].contains(&i) == others {
                continue;
            }
            let mut ways = 0;
            program.take(i, &state, scratch, ALL_WAYS, |next| {
                self.meet(next, number as u32, aim as usize);
                ways += 1;
                ways >= MAX_SPLITS || self.is_over()
            });
            if self.is_over() {
                return;
            }
        }
    }

    /// Measures how far a state is from the cube that is aimed at, unless it is known.
    fn meet(&mut self, state: &[u64], parent: u32, aim: usize) {
        let aimed = [state, &[aim as u64]].concat();
        let Inserted::New(number) = self.tree.insert(&aimed, hash(&aimed), parent) else { return };
        let distance = self.relaxation.plan(self.program, Goal::Bad(aim), state, &mut self.plan);
        self.helpful.push(std::mem::take(&mut self.plan.helpful));
        match distance {
            Some(0) => self.found = self.found.or(Some(number)),
            Some(distance) => self.open.push((Reverse((distance, false)), number)),
            // It does not lead there.
            None => {}
        }
    }
}

/// What a ground cube says of cells that no step writes.
fn rigid(cube: &Guard, written: &[bool]) -> Guard {
    let is_rigid = |test: &&Test| test.find(&mut |cell| written[cell]).is_none();
    let sets = cube.sets.iter().filter(|set| !written[set.0]).copied().collect();
    Guard { sets, tests: cube.tests.iter().filter(is_rigid).cloned().collect(), reads: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::Seek;
    use crate::tests::compiled;

    /// States on the way to each bad cube in the instance with three processes.
    fn sought(text: &str) -> Vec<Option<usize>> {
        let (program, initial, clock) = compiled(text, 3);
        let of = |bad: usize| {
            let cubes = program.bads.iter().filter(|it| it.bad == bad).map(|it| it.guard.clone()).collect();
            let mut seek = Seek::new(&program, cubes, 400).expect("it is small");
            let way = seek.run(initial.iter().map(Vec::as_slice), &clock);
            assert!(seek.states() <= 401, "{}", seek.states());
            way.map(|way| way.store.len())
        };
        (0..program.system.bad.len()).map(of).collect()
    }

    #[test]
    fn a_cube_is_found_by_way_of_guards_about_all_processes() {
        let text = "
            type stage = A | B | C
            array S[proc] : stage
            array Kind[proc] : bool
            var Done : bool
            init (p) { S[p] = A && Done = False }
            unsafe () { Done = True }
            unsafe (p) { S[p] = C && Kind[p] = True }
            unsafe (p) { S[p] = C && Done = False && Kind[p] = False }
            transition second (p) requires { S[p] = A } { S[p] := B }
            transition third (p) requires { S[p] = B && Kind[p] = False } { S[p] := C }
            transition meet (p) requires { S[p] = C && forall_other q. (S[q] = B && Kind[q] = True || S[q] = C) } { Done := True }
        ";
        let [done, wrong, first] = sought(text)[..] else { panic!("three bad cubes") };
        assert!(done.is_some_and(|states| states >= 6), "{done:?}");
        assert_eq!((wrong, first), (None, Some(3)));
    }
}
