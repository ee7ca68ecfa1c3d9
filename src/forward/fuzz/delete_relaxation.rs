//! How far a state is from a guard, when values once reached are never lost.
//!
//! The *delete relaxation* of planning: each ground transition is an action that adds values of cells and
//! takes none away. The cost of a guard is the sum of the costs of its conditions, the cost of a value
//! is one more than that of the cheapest action that adds it (`h_add`; Bonet and Geffner, Planning as
//! heuristic search, 2001). The first actions of such a plan are good first steps (*helpful
//! actions*; Hoffmann and Nebel, The FF planning system, 2001).
//!
//! An alternative of several conjunctions over finite cells is a condition that each of these satisfies. All other tests are relaxed further: such
//! a test costs one step when it fails.

use hashbrown::HashMap;

use crate::program::{BadInstance, Guard, Instance, Program, Test, Write, WrittenValue};
use crate::state::UNDEF;
use crate::tuning::MAX_PLANNED_SIZE;
use cubicle_lang::list::sorted;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ActionKind {
    /// Some of the writes of a ground transition.
    Step(u32),
    /// Nothing: this ground bad cube holds.
    Bad(u32),
    /// Nothing, and no step: one of several alternatives holds.
    Way,
}

#[derive(Clone, Debug)]
pub struct Action {
    pub kind: ActionKind,
    /// Conditions, as numbers.
    pub needs: Vec<u32>,
    /// Values that it adds, as numbers.
    pub adds: Vec<u32>,
}

/// The relaxed actions of an instance.
#[derive(Clone, Debug, Default)]
pub struct DeleteRelaxation {
    pub actions: Vec<Action>,
    /// The ground bad cubes, by the numbers that actions have for them.
    pub bads: Vec<BadInstance>,
    /// For each cell, whether some step writes it.
    pub written: Vec<bool>,
    /// Actions without conditions.
    pub free: Vec<u32>,
    /// A cell and the raw values that it may have; `None`: one of several alternatives, which actions satisfy.
    pub conditions: Vec<Option<(usize, u128)>>,
    /// The conditions with alternatives, by their values, which are the last ones.
    alternatives: Vec<u32>,
    /// For each condition, the steps that need it.
    pub needed_by: Vec<Vec<u32>>,
    /// For each bad cube of the system, the actions that are its instances, for each condition that they need: a plan looks at those of its own goal
    /// only, since the others lead nowhere.
    pub bad_needed_by: Vec<HashMap<u32, Vec<u32>>>,
    /// For each value, the conditions that it satisfies.
    pub satisfies: Vec<Vec<u32>>,
}

impl DeleteRelaxation {
    /// `None` when the instance is too large, or when no condition concerns a finite cell.
    pub fn new(program: &Program) -> Option<Self> {
        Self::towards(program, program.bads.clone(), MAX_PLANNED_SIZE)
    }

    /// With these ground cubes as the bad ones; `None` when it has more than `most` conditions and effects.
    pub fn towards(program: &Program, bads: Vec<BadInstance>, most: usize) -> Option<Self> {
        let mut builder = RelaxationBuilder::new(program, most);
        for (i, instance) in program.instances.iter().enumerate() {
            builder.instance(i, instance);
            if builder.size > most {
                return None;
            }
        }
        for (i, bad) in bads.iter().enumerate() {
            let needs = builder.needs(&bad.guard);
            builder.bad(i, bad.bad, needs);
        }
        builder.relaxation.bads = bads;
        builder.finish()
    }
}

/// The alternatives of which a test asks for one, where all are about finite cells.
pub fn alternatives(test: &Test) -> Option<Vec<Vec<(usize, u128)>>> {
    let Test::Any(ways) = test else { return None };
    let set = |test: &Test| match test {
        Test::In(cell, codes) => Some((*cell, *codes)),
        _ => None,
    };
    ways.iter().map(|way| way.iter().map(set).collect()).collect()
}

struct RelaxationBuilder<'a> {
    program: &'a Program,
    /// For each cell, the number of its first value.
    first: Vec<u32>,
    /// The numbers of conditions.
    numbers: HashMap<(usize, u128), u32>,
    /// The numbers of conditions with alternatives, each of these the conditions that it consists of.
    ways: HashMap<Vec<Vec<u32>>, u32>,
    /// Values of cells, and one for each condition with alternatives.
    values: usize,
    size: usize,
    /// A larger relaxation is not made.
    most: usize,
    relaxation: DeleteRelaxation,
}

impl<'a> RelaxationBuilder<'a> {
    fn new(program: &'a Program, most: usize) -> Self {
        let mut values = 0;
        let mut first = Vec::with_capacity(program.cells.len());
        for cell in &program.cells.cells {
            first.push(values as u32);
            values += cell.codes;
        }
        let (numbers, ways) = (HashMap::new(), HashMap::new());
        let relaxation =
            DeleteRelaxation { written: vec![false; program.cells.len()], ..DeleteRelaxation::default() };
        Self { program, first, numbers, ways, values, size: 0, most, relaxation }
    }

    fn codes(&self, cell: usize) -> usize {
        self.program.cells.cells[cell].codes
    }

    fn value(&self, cell: usize, raw: u64) -> u32 {
        self.first[cell] + raw as u32
    }

    /// The number of the value; `None` for a constant that the cell cannot hold, which is never written.
    fn valid(&self, cell: usize, raw: u64) -> Option<u32> {
        ((raw as usize) < self.codes(cell)).then(|| self.value(cell, raw))
    }

    /// Adds the effects of a ground transition: its unconditional writes are one action, and each branch of
    /// another write is one.
    fn instance(&mut self, i: usize, instance: &Instance) {
        let program = self.program;
        let step = program.step(i);
        let guard = self.needs(&instance.guard);
        let mut adds = Vec::new();
        for (cell, field) in program.packing.fields.iter().enumerate() {
            self.relaxation.written[cell] |= step.changes(cell);
            match step.constant(cell).filter(|_| self.codes(cell) > 0) {
                Some(UNDEF) => adds.extend((0..self.codes(cell) as u64).map(|raw| self.value(cell, raw))),
                Some(code) => adds.extend(self.valid(cell, field.encode(code))),
                None => {}
            }
        }
        self.add(ActionKind::Step(i as u32), guard.clone(), adds);
        for write in instance.writes.iter().filter(|write| program.cells.cells[write.cell].codes > 0) {
            self.write(ActionKind::Step(i as u32), &guard, write);
        }
    }

    fn write(&mut self, kind: ActionKind, guard: &[u32], write: &Write) {
        for (condition, source) in &write.branches {
            let always = [Vec::new()];
            let ways = if condition.is_empty() { &always[..] } else { condition };
            for way in ways {
                let mut needs = guard.to_vec();
                for test in way {
                    if let Test::In(cell, codes) = test {
                        needs.push(self.condition((*cell, *codes)));
                    }
                }
                match source {
                    WrittenValue::Code(code) => {
                        let raw = self.program.packing.fields[write.cell].encode(*code);
                        if let Some(value) = self.valid(write.cell, raw) {
                            self.add(kind, needs, vec![value]);
                        }
                    }
                    WrittenValue::Copy(from) => {
                        let codes = self.codes(*from).min(self.codes(write.cell));
                        // A set of values holds no more.
                        for raw in 0..codes.min(128) as u64 {
                            let mut needs = needs.clone();
                            needs.push(self.condition((*from, 1 << raw)));
                            let adds = vec![self.value(write.cell, raw)];
                            self.add(kind, needs, adds);
                        }
                    }
                    WrittenValue::Expr(_) | WrittenValue::Counted(_) => {}
                }
            }
        }
    }

    fn needs(&mut self, guard: &Guard) -> Vec<u32> {
        let mut needs: Vec<u32> = guard.sets.iter().map(|set| self.condition(*set)).collect();
        needs.extend(guard.tests.iter().filter_map(alternatives).map(|ways| self.one_of(&ways)));
        needs
    }

    fn condition(&mut self, set: (usize, u128)) -> u32 {
        let relaxation = &mut self.relaxation;
        *self.numbers.entry(set).or_insert_with(|| {
            relaxation.conditions.push(Some(set));
            relaxation.needed_by.push(Vec::new());
            relaxation.conditions.len() as u32 - 1
        })
    }

    /// The condition that one of these conjunctions holds.
    fn one_of(&mut self, ways: &[Vec<(usize, u128)>]) -> u32 {
        let ways: Vec<Vec<u32>> =
            ways.iter().map(|way| way.iter().map(|set| self.condition(*set)).collect()).collect();
        if let Some(known) = self.ways.get(&ways) {
            return *known;
        }
        let number = self.relaxation.conditions.len() as u32;
        self.relaxation.conditions.push(None);
        self.relaxation.needed_by.push(Vec::new());
        self.ways.insert(ways.clone(), number);
        self.relaxation.alternatives.push(number);
        let value = self.values as u32;
        self.values += 1;
        for way in ways {
            self.add(ActionKind::Way, way, vec![value]);
        }
        number
    }

    /// Adds an effect of a ground transition.
    fn add(&mut self, kind: ActionKind, needs: Vec<u32>, adds: Vec<u32>) {
        let number = self.action(kind, needs, adds);
        let relaxation = &mut self.relaxation;
        for condition in &relaxation.actions[number as usize].needs {
            relaxation.needed_by[*condition as usize].push(number);
        }
    }

    /// Adds an instance of a bad cube.
    fn bad(&mut self, i: usize, bad: usize, needs: Vec<u32>) {
        let number = self.action(ActionKind::Bad(i as u32), needs, Vec::new());
        let relaxation = &mut self.relaxation;
        let bads = &mut relaxation.bad_needed_by;
        bads.resize_with(bads.len().max(bad + 1), HashMap::new);
        for condition in &relaxation.actions[number as usize].needs {
            bads[bad].entry(*condition).or_default().push(number);
        }
    }

    fn action(&mut self, kind: ActionKind, needs: Vec<u32>, adds: Vec<u32>) -> u32 {
        let needs = sorted(needs);
        self.size += needs.len() + adds.len() + 1;
        let number = self.relaxation.actions.len() as u32;
        if needs.is_empty() {
            self.relaxation.free.push(number);
        }
        self.relaxation.actions.push(Action { kind, needs, adds });
        number
    }

    /// The relaxation, with the conditions that each value satisfies.
    fn finish(mut self) -> Option<DeleteRelaxation> {
        let mut satisfies = vec![Vec::new(); self.values];
        let conditions = self.relaxation.conditions.iter().enumerate();
        for (n, (cell, codes)) in conditions.filter_map(|(n, set)| Some((n, (*set)?))) {
            for raw in (0..self.codes(cell).min(128) as u64).filter(|raw| codes >> raw & 1 == 1) {
                satisfies[self.value(cell, raw) as usize].push(n as u32);
            }
        }
        let first = self.values - self.relaxation.alternatives.len();
        for (value, number) in satisfies[first..].iter_mut().zip(&self.relaxation.alternatives) {
            value.push(*number);
        }
        self.relaxation.satisfies = satisfies;
        (self.size <= self.most && !self.relaxation.conditions.is_empty()).then_some(self.relaxation)
    }
}
