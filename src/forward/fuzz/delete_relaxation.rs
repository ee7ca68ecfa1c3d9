//! How far a state is from a guard, when values once reached are never lost.
//!
//! The *delete relaxation* of planning: each ground transition is an action that adds values of cells and
//! takes none away. The cost of a guard is the sum of the costs of its conditions, the cost of a value
//! is one more than that of the cheapest action that adds it (`h_add`; Bonet and Geffner, Planning as
//! heuristic search, 2001). The first actions of such a plan are good first steps (*helpful
//! actions*; Hoffmann and Nebel, The FF planning system, 2001).
//!
//! Tests that are not about finite cells are relaxed further: such a test costs one step when it fails.

use hashbrown::HashMap;

use crate::program::code::{Guard, Instance, Test, Write, WrittenValue};
use crate::program::compiled::Program;
use crate::tuning::MAX_PLANNED_SIZE;

/// The effect of an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ActionKind {
    /// Some of the writes of a ground transition.
    Step(u32),
    /// Nothing: a ground bad cube holds.
    Bad(u32),
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
    /// Actions without conditions.
    pub free: Vec<u32>,
    /// A cell and the raw values that it may have.
    pub conditions: Vec<(usize, u128)>,
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
        let mut builder = RelaxationBuilder::new(program);
        for (i, instance) in program.instances.iter().enumerate() {
            builder.instance(i, instance);
            if builder.size > MAX_PLANNED_SIZE {
                return None;
            }
        }
        for (i, bad) in program.bads.iter().enumerate() {
            let needs = builder.needs(&bad.guard);
            builder.bad(i, bad.bad, needs);
        }
        builder.finish()
    }
}

struct RelaxationBuilder<'a> {
    program: &'a Program,
    /// For each cell, the number of its first value.
    first: Vec<u32>,
    /// The numbers of conditions.
    numbers: HashMap<(usize, u128), u32>,
    size: usize,
    relaxation: DeleteRelaxation,
}

impl<'a> RelaxationBuilder<'a> {
    fn new(program: &'a Program) -> Self {
        let first = program
            .cells
            .cells
            .iter()
            .scan(0u32, |next, cell| {
                let first = *next;
                *next += cell.codes as u32;
                Some(first)
            })
            .collect();
        let relaxation = DeleteRelaxation::default();
        Self { program, first, numbers: HashMap::new(), size: 0, relaxation }
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
        let words = program.packing.words;
        let masks = &program.masks[2 * words * i..2 * words * (i + 1)];
        let (keep, set) = masks.split_at(words);
        let guard = self.needs(&instance.guard);
        let mut adds = Vec::new();
        for (cell, field) in program.packing.fields.iter().enumerate().filter(|(c, _)| self.codes(*c) > 0) {
            let any = instance.nondet.contains(&cell);
            let written = field.mask() != 0 && field.raw(keep) == 0;
            if any || written && field.raw(set) == field.undef {
                adds.extend((0..self.codes(cell) as u64).map(|raw| self.value(cell, raw)));
            } else if written {
                adds.extend(self.valid(cell, field.raw(set)));
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
                        needs.push(self.condition(*cell, *codes));
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
                            needs.push(self.condition(*from, 1 << raw));
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
        guard.sets.iter().map(|(cell, codes)| self.condition(*cell, *codes)).collect()
    }

    fn condition(&mut self, cell: usize, codes: u128) -> u32 {
        let relaxation = &mut self.relaxation;
        *self.numbers.entry((cell, codes)).or_insert_with(|| {
            relaxation.conditions.push((cell, codes));
            relaxation.needed_by.push(Vec::new());
            relaxation.conditions.len() as u32 - 1
        })
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

    fn action(&mut self, kind: ActionKind, mut needs: Vec<u32>, adds: Vec<u32>) -> u32 {
        needs.sort_unstable();
        needs.dedup();
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
        let cells = &self.program.cells.cells;
        let values = self.first.last().map_or(0, |f| *f as usize + cells[cells.len() - 1].codes);
        let mut satisfies = vec![Vec::new(); values];
        for (n, (cell, codes)) in self.relaxation.conditions.iter().enumerate() {
            for raw in (0..cells[*cell].codes.min(128) as u64).filter(|raw| codes >> raw & 1 == 1) {
                satisfies[self.value(*cell, raw) as usize].push(n as u32);
            }
        }
        self.relaxation.satisfies = satisfies;
        (self.size <= MAX_PLANNED_SIZE && !self.relaxation.conditions.is_empty()).then_some(self.relaxation)
    }
}
