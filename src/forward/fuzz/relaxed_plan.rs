//! How far a state is from a guard, when values once reached are never lost.
//!
//! The *delete relaxation* of planning: each ground transition is an action that adds values of cells and
//! takes none away. The cost of a guard is the sum of the costs of its conditions, the cost of a value
//! is one more than that of the cheapest action that adds it (`h_add`; Bonet and Geffner, Planning as
//! heuristic search, 2001). The actions that such a plan begins with are good first steps (*helpful
//! actions*; Hoffmann and Nebel, The FF planning system, 2001).
//!
//! What is no finite cell is relaxed once more: such a test costs one step when it fails.

use hashbrown::HashMap;

use crate::forward::fuzz::goal::Goal;
use crate::forward::program::code::{Guard, Source, Test};
use crate::forward::program::compiled::Program;
use crate::forward::tuning::{MAX_SIZE, MOST};

/// What an action does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ActionKind {
    /// Some of the writes of a ground transition.
    Step(u32),
    /// Nothing: a ground bad cube holds.
    Bad(u32),
}

#[derive(Clone, Debug)]
struct Action {
    kind: ActionKind,
    /// Conditions, as numbers.
    needs: Vec<u32>,
    /// Values that it adds, as numbers.
    adds: Vec<u32>,
}

/// The relaxed actions of an instance.
#[derive(Clone, Debug, Default)]
pub struct DeleteRelaxation {
    actions: Vec<Action>,
    /// Actions without conditions.
    free: Vec<u32>,
    /// A cell and the raw values that it may have.
    conditions: Vec<(usize, u128)>,
    /// For each condition, the actions that need it.
    needed_by: Vec<Vec<u32>>,
    /// For each value, the conditions that it satisfies.
    satisfies: Vec<Vec<u32>>,
}

/// Reused from state to state.
#[derive(Clone, Debug, Default)]
pub struct RelaxedPlan {
    /// For each condition, how it is satisfied, if it is.
    satisfied: Vec<Option<Satisfied>>,
    /// For each action, the conditions that it waits for and what the others cost.
    waiting: Vec<(u32, u32)>,
    /// For each value, its cost as far as it is known.
    costs: Vec<u32>,
    /// By cost: values, each with the action that adds it. Some were found to be cheaper since.
    queue: Vec<Vec<(u32, u32)>>,
    /// Transition instances that a relaxed plan begins with, in order.
    pub helpful: Vec<usize>,
    /// The actions of the plan, and those among them that are still to be looked at.
    seen: Vec<u32>,
    open: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Satisfied {
    /// By the state.
    Now,
    /// By what this action adds.
    By(u32),
}

/// Numbers things as they come.
#[derive(Default)]
struct Numbering {
    conditions: HashMap<(usize, u128), u32>,
    size: usize,
}

impl DeleteRelaxation {
    /// `None` when the instance is too large, or when nothing finite is to be reached.
    pub fn new(program: &Program) -> Option<Self> {
        let cells = &program.cells.cells;
        let fields = &program.packing.fields;
        let words = program.packing.words;
        let first: Vec<u32> = cells
            .iter()
            .scan(0u32, |next, cell| {
                let first = *next;
                *next += cell.codes as u32;
                Some(first)
            })
            .collect();
        let mut relaxed = Self::default();
        let mut numbering = Numbering::default();
        let value = |cell: usize, raw: u64| first[cell] + raw as u32;
        // A constant that the cell cannot hold is never written.
        let valid = |cell: usize, raw: u64| (raw as usize) < cells[cell].codes;
        for (i, instance) in program.instances.iter().enumerate() {
            let masks = &program.masks[2 * words * i..2 * words * (i + 1)];
            let (keep, set) = masks.split_at(words);
            let guard = relaxed.needs(&instance.guard, &mut numbering);
            let mut adds = Vec::new();
            for (cell, field) in fields.iter().enumerate().filter(|(c, _)| cells[*c].codes > 0) {
                let any = instance.nondet.contains(&cell);
                let written = field.mask() != 0 && field.raw(keep) == 0;
                if any || written && field.raw(set) == field.undef {
                    adds.extend((0..cells[cell].codes as u64).map(|raw| value(cell, raw)));
                } else if written && valid(cell, field.raw(set)) {
                    adds.push(value(cell, field.raw(set)));
                }
            }
            relaxed.add(ActionKind::Step(i as u32), guard.clone(), adds, &mut numbering);
            for write in instance.writes.iter().filter(|write| cells[write.cell].codes > 0) {
                for (condition, source) in &write.branches {
                    let always = [Vec::new()];
                    let ways = if condition.is_empty() { &always[..] } else { condition };
                    for way in ways {
                        let mut needs = guard.clone();
                        for test in way {
                            if let Test::In(cell, codes) = test {
                                needs.push(relaxed.condition(*cell, *codes, &mut numbering));
                            }
                        }
                        match source {
                            Source::Code(code) => {
                                let raw = fields[write.cell].encode(*code);
                                if valid(write.cell, raw) {
                                    let adds = vec![value(write.cell, raw)];
                                    relaxed.add(ActionKind::Step(i as u32), needs, adds, &mut numbering);
                                }
                            }
                            Source::Copy(from) => {
                                let codes = cells[*from].codes.min(cells[write.cell].codes);
                                // No more fit into a set of values.
                                for raw in 0..codes.min(128) as u64 {
                                    let mut needs = needs.clone();
                                    needs.push(relaxed.condition(*from, 1 << raw, &mut numbering));
                                    let adds = vec![value(write.cell, raw)];
                                    relaxed.add(ActionKind::Step(i as u32), needs, adds, &mut numbering);
                                }
                            }
                            Source::Expr(_) => {}
                        }
                    }
                }
            }
            if numbering.size > MAX_SIZE {
                return None;
            }
        }
        for (i, bad) in program.bads.iter().enumerate() {
            let needs = relaxed.needs(&bad.guard, &mut numbering);
            relaxed.add(ActionKind::Bad(i as u32), needs, Vec::new(), &mut numbering);
        }
        let values = first.last().map_or(0, |f| *f as usize + cells[cells.len() - 1].codes);
        relaxed.satisfies = vec![Vec::new(); values];
        for (n, (cell, codes)) in relaxed.conditions.iter().enumerate() {
            for raw in (0..cells[*cell].codes.min(128) as u64).filter(|raw| codes >> raw & 1 == 1) {
                relaxed.satisfies[value(*cell, raw) as usize].push(n as u32);
            }
        }
        (numbering.size <= MAX_SIZE && !relaxed.conditions.is_empty()).then_some(relaxed)
    }

    fn needs(&mut self, guard: &Guard, numbering: &mut Numbering) -> Vec<u32> {
        guard.sets.iter().map(|(cell, codes)| self.condition(*cell, *codes, numbering)).collect()
    }

    fn condition(&mut self, cell: usize, codes: u128, numbering: &mut Numbering) -> u32 {
        *numbering.conditions.entry((cell, codes)).or_insert_with(|| {
            self.conditions.push((cell, codes));
            self.needed_by.push(Vec::new());
            self.conditions.len() as u32 - 1
        })
    }

    fn add(&mut self, kind: ActionKind, mut needs: Vec<u32>, adds: Vec<u32>, numbering: &mut Numbering) {
        needs.sort_unstable();
        needs.dedup();
        numbering.size += needs.len() + adds.len() + 1;
        let number = self.actions.len() as u32;
        for condition in &needs {
            self.needed_by[*condition as usize].push(number);
        }
        if needs.is_empty() {
            self.free.push(number);
        }
        self.actions.push(Action { kind, needs, adds });
    }

    /// Steps of a relaxed plan from `state` to where the goal can fire, or holds; 0 when it does.
    /// `None` when there is no plan. [`RelaxedPlan::helpful`] is what such a plan can begin with.
    pub fn plan(&self, program: &Program, goal: Goal, state: &[u64], plan: &mut RelaxedPlan) -> Option<u32> {
        let fields = &program.packing.fields;
        plan.queue.resize(MOST as usize + 1, Vec::new());
        plan.queue.iter_mut().for_each(Vec::clear);
        plan.helpful.clear();
        plan.waiting.clear();
        plan.waiting.extend(self.actions.iter().map(|action| (action.needs.len() as u32, 0)));
        plan.satisfied.clear();
        plan.satisfied.resize(self.conditions.len(), None);
        plan.costs.clear();
        plan.costs.resize(self.satisfies.len(), u32::MAX);
        for action in &self.free {
            if let Some(cost) = self.begin(program, *action, goal, state, plan) {
                return Some(cost);
            }
        }
        for (n, (cell, codes)) in self.conditions.iter().enumerate() {
            let raw = fields[*cell].raw(state);
            let holds = raw == fields[*cell].undef || raw < 128 && codes >> raw & 1 == 1;
            if holds && let Some(cost) = self.satisfy(program, n as u32, Satisfied::Now, 0, goal, state, plan)
            {
                return Some(cost);
            }
        }
        for cost in 1..=MOST {
            let mut at = 0;
            while let Some(&(value, action)) = plan.queue[cost as usize].get(at) {
                at += 1;
                if plan.costs[value as usize] != cost {
                    continue;
                }
                for condition in &self.satisfies[value as usize] {
                    if plan.satisfied[*condition as usize].is_none()
                        && let Some(cost) =
                            self.satisfy(program, *condition, Satisfied::By(action), cost, goal, state, plan)
                    {
                        return Some(cost);
                    }
                }
            }
        }
        None
    }

    /// Notes that a condition is satisfied. The cost of the goal, when that was all it needed.
    #[expect(clippy::too_many_arguments, reason = "a step of `plan`")]
    fn satisfy(
        &self,
        program: &Program,
        condition: u32,
        how: Satisfied,
        cost: u32,
        goal: Goal,
        state: &[u64],
        plan: &mut RelaxedPlan,
    ) -> Option<u32> {
        plan.satisfied[condition as usize] = Some(how);
        for action in &self.needed_by[condition as usize] {
            let (left, sum) = &mut plan.waiting[*action as usize];
            *left -= 1;
            *sum = sum.saturating_add(cost);
            if *left == 0
                && let Some(cost) = self.begin(program, *action, goal, state, plan)
            {
                return Some(cost);
            }
        }
        None
    }

    /// Does an action all of whose conditions are satisfied. Its cost, when it is the goal.
    fn begin(
        &self,
        program: &Program,
        number: u32,
        goal: Goal,
        state: &[u64],
        plan: &mut RelaxedPlan,
    ) -> Option<u32> {
        let action = &self.actions[number as usize];
        let (guard, hit) = match action.kind {
            ActionKind::Step(i) => {
                let instance = &program.instances[i as usize];
                let reached = goal == Goal::Transition(usize::from(instance.transition.0));
                (&instance.guard, reached)
            }
            ActionKind::Bad(i) => {
                let bad = &program.bads[i as usize];
                (&bad.guard, goal == Goal::Bad(bad.bad))
            }
        };
        let cost = plan.waiting[number as usize].1.saturating_add(failing_tests(program, guard, state));
        if hit {
            self.find_helpful(number, plan);
            return Some(cost);
        }
        let cost = (cost + 1).min(MOST);
        for value in &action.adds {
            if cost < plan.costs[*value as usize] {
                plan.costs[*value as usize] = cost;
                plan.queue[cost as usize].push((*value, number));
            }
        }
        None
    }

    /// The actions of the plan for `goal` that need nothing which another one adds.
    fn find_helpful(&self, goal: u32, plan: &mut RelaxedPlan) {
        let RelaxedPlan { satisfied, helpful, seen, open, .. } = plan;
        seen.clear();
        seen.push(goal);
        open.clear();
        open.push(goal);
        while let Some(action) = open.pop() {
            let mut ready = true;
            for condition in &self.actions[action as usize].needs {
                if let Some(Satisfied::By(by)) = satisfied[*condition as usize] {
                    ready = false;
                    if !seen.contains(&by) {
                        seen.push(by);
                        open.push(by);
                    }
                }
            }
            if ready && let ActionKind::Step(i) = self.actions[action as usize].kind {
                helpful.push(i as usize);
            }
        }
        helpful.sort_unstable();
        helpful.dedup();
    }
}

/// How many tests of the guard fail that are no sets of values.
fn failing_tests(program: &Program, guard: &Guard, state: &[u64]) -> u32 {
    let fields = &program.packing.fields;
    let undefined = |c: &usize| fields[*c].raw(state) == fields[*c].undef;
    if guard.tests.is_empty() || guard.reads.iter().any(undefined) {
        return 0;
    }
    guard.tests.iter().map(|t| u32::from(program.test(t, state) != Some(true))).sum()
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::{DeleteRelaxation, RelaxedPlan};
    use crate::forward::fuzz::goal::Goal;
    use crate::forward::program::compile::BuildOptions;
    use crate::forward::program::compiled::Program;
    use crate::forward::program::step::Scratch;
    use crate::interrupt::Interrupt;

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

    fn program(text: &str, procs: usize) -> Program {
        let system = crate::load(text).expect("a correct model").system;
        let interrupt = Interrupt::default();
        let options = BuildOptions {
            symmetry: false,
            undefined: true,
            range: None,
            expected_end: &[],
            interrupt: &interrupt,
        };
        Program::new(&system, procs, options).expect("a small instance")
    }

    fn initial(program: &Program) -> Vec<u64> {
        let mut state = Vec::new();
        let first = |s: &[u64]| {
            state = s.to_vec();
            ControlFlow::Break(())
        };
        program.initial_states(&mut false, first).expect("it has initial states");
        state
    }

    #[test]
    fn a_plan_of_a_chain_is_exact_and_leads_to_its_end() {
        let program = program(CHAIN, 2);
        let relaxed = DeleteRelaxation::new(&program).expect("it is small");
        let meet = Goal::Transition(3);
        let (mut plan, mut scratch) = (RelaxedPlan::default(), Scratch::new(&program));
        let mut state = initial(&program);
        for left in (0..=5).rev() {
            assert_eq!(relaxed.plan(&program, meet, &state, &mut plan), Some(left));
            let step = plan.helpful[0];
            let transition = usize::from(program.instances[step].transition.0);
            assert_eq!(transition == 3, left == 0);
            let from = state.clone();
            program.exits(&from, &mut scratch);
            program.take(step, &from, &mut scratch, |next| {
                state = next.to_vec();
                true
            });
            assert_ne!(state, from);
        }
        // Nothing leads back to the first stage.
        assert_eq!(relaxed.plan(&program, Goal::Bad(0), &state, &mut plan), None);
    }

    #[test]
    fn what_cannot_be_has_no_plan() {
        let program = program(CHAIN, 1);
        let relaxed = DeleteRelaxation::new(&program).expect("it is small");
        let mut plan = RelaxedPlan::default();
        assert_eq!(relaxed.plan(&program, Goal::Transition(3), &initial(&program), &mut plan), None);
        assert!(plan.helpful.is_empty());
    }
}
