//! Plans in the delete relaxation: the distance to a goal in steps, and the first steps of a plan.

use std::ops::ControlFlow;

use crate::fuzz::delete_relaxation::{Action, ActionKind, DeleteRelaxation, alternatives};
use crate::fuzz::technique::Goal;
use crate::program::{Guard, Program};
use crate::tuning::MAX_PLAN_COST;

/// Buffers, reused from state to state.
#[derive(Clone, Debug, Default)]
pub struct RelaxedPlan {
    /// For each condition, how it is satisfied, if at all.
    satisfied: Vec<Option<Satisfied>>,
    /// For each action, the number of conditions that it waits for and the cost of the others.
    waiting: Vec<(u32, u32)>,
    /// For each value, its cost as far as it is known.
    costs: Vec<u32>,
    /// By cost: values, each with the action that adds it. Some have since been found to be cheaper.
    queue: Vec<Vec<(u32, u32)>>,
    /// Transition instances that a relaxed plan begins with, in order.
    pub helpful: Vec<usize>,
    /// The actions of the plan, and those among them that are not processed yet.
    seen: Vec<u32>,
    open: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Satisfied {
    /// By the state.
    Now,
    /// By an effect of this action.
    By(u32),
}

impl DeleteRelaxation {
    /// Steps of a relaxed plan from `state` to where the goal can fire, or holds; 0 when it does.
    /// `None` when there is no plan. Sets [`RelaxedPlan::helpful`] to the possible first steps of the plan.
    pub fn plan(&self, program: &Program, goal: Goal, state: &[u64], plan: &mut RelaxedPlan) -> Option<u32> {
        plan.queue.resize(MAX_PLAN_COST as usize + 1, Vec::new());
        plan.queue.iter_mut().for_each(Vec::clear);
        plan.helpful.clear();
        plan.waiting.clear();
        plan.waiting.extend(self.actions.iter().map(|action| (action.needs.len() as u32, 0)));
        plan.satisfied.clear();
        plan.satisfied.resize(self.conditions.len(), None);
        plan.costs.clear();
        plan.costs.resize(self.satisfies.len(), u32::MAX);
        Planning { relaxation: self, program, goal, state, plan }.run().break_value()
    }
}

/// A plan under construction, until the cost of the goal is known.
struct Planning<'a> {
    relaxation: &'a DeleteRelaxation,
    program: &'a Program,
    goal: Goal,
    state: &'a [u64],
    plan: &'a mut RelaxedPlan,
}

impl Planning<'_> {
    fn run(mut self) -> ControlFlow<u32> {
        let relaxation = self.relaxation;
        let fields = &self.program.packing.fields;
        for action in &relaxation.free {
            self.begin(*action)?;
        }
        for (n, condition) in relaxation.conditions.iter().enumerate() {
            let holds = condition.is_some_and(|(cell, codes)| {
                let raw = fields[cell].raw(self.state);
                raw == fields[cell].undef || raw < 128 && codes >> raw & 1 == 1
            });
            if holds {
                self.satisfy(n as u32, Satisfied::Now, 0)?;
            }
        }
        for cost in 0..=MAX_PLAN_COST {
            let mut at = 0;
            while let Some(&(value, action)) = self.plan.queue[cost as usize].get(at) {
                at += 1;
                if self.plan.costs[value as usize] != cost {
                    continue;
                }
                for condition in &relaxation.satisfies[value as usize] {
                    if self.plan.satisfied[*condition as usize].is_none() {
                        self.satisfy(*condition, Satisfied::By(action), cost)?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Records that a condition is satisfied. Ends when the goal needed nothing else.
    fn satisfy(&mut self, condition: u32, how: Satisfied, cost: u32) -> ControlFlow<u32> {
        self.plan.satisfied[condition as usize] = Some(how);
        let relaxation = self.relaxation;
        let own = match self.goal {
            Goal::Bad(bad) => relaxation.bad_needed_by.get(bad).and_then(|it| it.get(&condition)),
            Goal::Transition(_) => None,
        };
        for action in relaxation.needed_by[condition as usize].iter().chain(own.into_iter().flatten()) {
            let (left, sum) = &mut self.plan.waiting[*action as usize];
            *left -= 1;
            *sum = sum.saturating_add(cost);
            if *left == 0 {
                self.begin(*action)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Applies an action all of whose conditions are satisfied. Ends with its cost when it is the goal.
    fn begin(&mut self, number: u32) -> ControlFlow<u32> {
        let action = &self.relaxation.actions[number as usize];
        let (guard, hit) = match action.kind {
            ActionKind::Step(i) => {
                let instance = &self.program.instances[i as usize];
                let reached = self.goal == Goal::Transition(usize::from(instance.transition.0));
                (Some(&instance.guard), reached)
            }
            ActionKind::Bad(i) => {
                let bad = &self.relaxation.bads[i as usize];
                (Some(&bad.guard), self.goal == Goal::Bad(bad.bad))
            }
            ActionKind::Way => (None, false),
        };
        let Some(failing) = guard.map_or(Some(0), |guard| self.failing_tests(guard)) else {
            return ControlFlow::Continue(());
        };
        let cost = self.plan.waiting[number as usize].1.saturating_add(failing);
        if hit {
            self.find_helpful(number);
            return ControlFlow::Break(cost);
        }
        let cost = (cost + u32::from(action.kind != ActionKind::Way)).min(MAX_PLAN_COST);
        for value in &action.adds {
            if cost < self.plan.costs[*value as usize] {
                self.plan.costs[*value as usize] = cost;
                self.plan.queue[cost as usize].push((*value, number));
            }
        }
        ControlFlow::Continue(())
    }

    /// The number of failing tests of the guard that are not conditions; `None` where one fails that no step can change.
    fn failing_tests(&self, guard: &Guard) -> Option<u32> {
        let fields = &self.program.packing.fields;
        let mut failing = 0;
        for test in guard.tests.iter().filter(|test| alternatives(test).is_none()) {
            let defined = test.find(&mut |c| fields[c].raw(self.state) == fields[c].undef).is_none();
            if defined && self.program.test(test, self.state) != Some(true) {
                test.find(&mut |c| self.relaxation.written[c])?;
                failing += 1;
            }
        }
        Some(failing)
    }

    /// Collects the actions of the plan for `goal` that do not depend on another one.
    fn find_helpful(&mut self, goal: u32) {
        let RelaxedPlan { satisfied, helpful, seen, open, .. } = &mut *self.plan;
        seen.clear();
        seen.push(goal);
        open.clear();
        open.push(goal);
        while let Some(action) = open.pop() {
            let mut ready = true;
            for condition in &self.relaxation.actions[action as usize].needs {
                if let Some(Satisfied::By(by)) = satisfied[*condition as usize] {
                    let Action { kind, needs, .. } = &self.relaxation.actions[by as usize];
                    let holds = |need: &u32| satisfied[*need as usize] == Some(Satisfied::Now);
                    ready &= *kind == ActionKind::Way && needs.iter().all(holds);
                    if !seen.contains(&by) {
                        seen.push(by);
                        open.push(by);
                    }
                }
            }
            if ready && let ActionKind::Step(i) = self.relaxation.actions[action as usize].kind {
                helpful.push(i as usize);
            }
        }
        helpful.sort_unstable();
        helpful.dedup();
    }
}

#[cfg(test)]
mod tests {
    use super::RelaxedPlan;
    use crate::fuzz::delete_relaxation::DeleteRelaxation;
    use crate::fuzz::technique::Goal;
    use crate::program::{ALL_WAYS, Scratch};
    use crate::tests::compiled;

    const CHAIN: &str = "
        type stage = A | B | C | D
        array S[proc] : stage
        var Met : bool
        init (p) { S[p] = A && Met = False }
        unsafe (p q) { Met = True && S[p] = A && S[q] = B }
        transition second (p) requires { S[p] = A } { S[p] := B }
        transition third (p) requires { S[p] = B } { S[p] := C }
        transition fourth (p) requires { S[p] = C } { S[p] := D }
        transition meet (p q) requires { S[p] = D && S[q] = C } { Met := True }
    ";

    #[test]
    fn a_plan_of_a_chain_is_exact_and_leads_to_its_end() {
        let (program, initial, _) = compiled(CHAIN, 2);
        let relaxed = DeleteRelaxation::new(&program).expect("it is small");
        let meet = Goal::Transition(3);
        let (mut plan, mut scratch) = (RelaxedPlan::default(), Scratch::new(&program));
        let mut state = initial[0].clone();
        for left in (0..=5).rev() {
            assert_eq!(relaxed.plan(&program, meet, &state, &mut plan), Some(left));
            let step = plan.helpful[0];
            let transition = usize::from(program.instances[step].transition.0);
            assert_eq!(transition == 3, left == 0);
            let from = state.clone();
            program.exits(&from, &mut scratch);
            program.take(step, &from, &mut scratch, ALL_WAYS, |next| {
                state = next.to_vec();
                true
            });
            assert_ne!(state, from);
        }
        // No step leads back to the first stage.
        assert_eq!(relaxed.plan(&program, Goal::Bad(0), &state, &mut plan), None);
    }

    #[test]
    fn an_unreachable_goal_has_no_plan() {
        let (program, initial, _) = compiled(CHAIN, 1);
        let relaxed = DeleteRelaxation::new(&program).expect("it is small");
        let mut plan = RelaxedPlan::default();
        assert_eq!(relaxed.plan(&program, Goal::Transition(3), &initial[0], &mut plan), None);
        assert!(plan.helpful.is_empty());
    }
}
