//! Views of a few processes: they make states of different instances comparable.
//!
//! The view that some processes have of a state consists of the globals and the cells of these processes, under
//! any names; all other processes are nameless. Two instances with the same views satisfy the same cubes
//! over as many processes as the views have. (P. Abdulla, F. Haziza and L. Holík use views of reachable states
//! in "All for the Price of Few", VMCAI 2013.)

use std::collections::HashSet;

use crate::program::Program;
use crate::state::{CodeKind, UNDEF};
use crate::store::StateTree;
use cubicle_lang::list::place_of;
use cubicle_lang::model::semantics::{arrangements, rising_tuples_of, tuples};

/// Kinds of entries of a view.
const OPEN: i64 = 0;
const CONSTRUCTOR: i64 = 1;
const NUMBER: i64 = 2;
const MEMBER: i64 = 3;
const NAMELESS: i64 = 4;
/// Bits for a kind; nameless values have two.
const KIND_BITS: u32 = 3;

/// All views of a set of states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Views {
    procs: usize,
    views: HashSet<Box<[i64]>>,
}

impl Views {
    /// Number of processes of a view.
    pub const fn procs(&self) -> usize {
        self.procs
    }

    /// Number of different views.
    pub fn len(&self) -> usize {
        self.views.len()
    }

    /// Whether there are no views: the instance has fewer processes.
    pub fn is_empty(&self) -> bool {
        self.views.is_empty()
    }

    /// The views of `procs` processes of all states. Processes that the model names are in every view.
    pub fn new(program: &Program, visited: &StateTree, procs: usize) -> Self {
        let (fixed, ordered) = (usize::from(program.system.proc_constants), program.system.orders_processes);
        let mut viewer = Viewer::new(program, ordered);
        // Choices of processes, each with the orders in which it is viewed.
        let others: Vec<usize> = (fixed..program.cells.procs).collect();
        let rising = (0..procs).map(|at| at.checked_sub(1)).collect();
        let choices: Vec<Vec<ViewOrder>> = rising_tuples_of(vec![others; procs], rising)
            .map(|chosen| {
                let orders = if ordered { vec![chosen] } else { arrangements(&chosen, procs) };
                let order = |order: Vec<usize>| ViewOrder::new(program, (0..fixed).chain(order).collect());
                orders.into_iter().map(order).collect()
            })
            .collect();
        let mut views = HashSet::new();
        for number in 0..visited.store.len() {
            program.packing.unpack(visited.store.state(number), &mut viewer.codes);
            for orders in &choices {
                viewer.least_view(orders);
                if !views.contains(viewer.least.as_slice()) {
                    views.insert(viewer.least.clone().into_boxed_slice());
                }
            }
        }
        Self { procs, views }
    }
}

/// An order in which processes are viewed.
pub(super) struct ViewOrder {
    members: Vec<usize>,
    /// The cells that they see, in this order; `None`: one that states do not have.
    cells: Vec<Option<usize>>,
}

impl ViewOrder {
    pub fn new(program: &Program, members: Vec<usize>) -> Self {
        let all = &program.cells;
        let mut cells = Vec::with_capacity(all.len());
        for table in &all.places.tables {
            // Counts follow from the other cells.
            let counts = table.len() > 0 && all.cells[table.first].counts.is_some();
            for tuple in tuples(members.len(), table.ranges.len()).take_while(|_| !counts) {
                cells.push(table.position(tuple.into_iter().map(|i| members[i])));
            }
        }
        Self { members, cells }
    }
}

pub(super) struct Viewer<'a> {
    program: &'a Program,
    ordered: bool,
    /// The state that is viewed.
    pub codes: Vec<i64>,
    pub view: Vec<i64>,
    least: Vec<i64>,
    /// Values without a name of their own, in order of occurrence.
    names: Vec<(usize, i64)>,
}

impl<'a> Viewer<'a> {
    pub const fn new(program: &'a Program, ordered: bool) -> Self {
        Self { program, ordered, codes: Vec::new(), view: Vec::new(), least: Vec::new(), names: Vec::new() }
    }

    /// Puts the least of the views in these orders into `least`.
    fn least_view(&mut self, orders: &[ViewOrder]) {
        for (n, order) in orders.iter().enumerate() {
            self.look(order);
            if n == 0 || self.view < self.least {
                std::mem::swap(&mut self.view, &mut self.least);
            }
        }
    }

    /// Puts the view in this order into `view`.
    pub fn look(&mut self, order: &ViewOrder) {
        self.view.clear();
        // Nameless values get numbers in order of occurrence: only equality counts.
        self.names.clear();
        for cell in &order.cells {
            match cell {
                Some(cell) => self.entry(*cell, &order.members),
                None => self.view.push(OPEN),
            }
        }
    }

    fn entry(&mut self, cell: usize, members: &[usize]) {
        let names = &mut self.names;
        let cells = &self.program.cells;
        let info = &cells.cells[cell];
        let code = self.codes[cell];
        let (kind, what) = match info.kind {
            _ if code == UNDEF => (OPEN, 0),
            CodeKind::Enum => (CONSTRUCTOR, i64::from(cells.classes[info.class].constructors[code as usize])),
            CodeKind::Int | CodeKind::Real => (NUMBER, code),
            CodeKind::Proc | CodeKind::Abstract => {
                let member = members.iter().position(|m| info.kind == CodeKind::Proc && *m as i64 == code);
                if let Some(member) = member {
                    (MEMBER, member as i64)
                } else {
                    // All classes share the processes, but not outside values.
                    let process = info.kind == CodeKind::Proc && code < cells.procs as i64;
                    let name = (if process { usize::MAX } else { info.class }, code);
                    let known = place_of(names, name);
                    // A process is not an outside value.
                    (NAMELESS + i64::from(process), known as i64)
                }
            }
        };
        if kind == NUMBER {
            self.view.extend([kind, what]);
        } else {
            // Numbers of constructors, members and names are small.
            self.view.push(what << KIND_BITS | kind);
        }
        if self.ordered && info.kind == CodeKind::Proc && code != UNDEF {
            let place = cells.place(cell, code);
            let below = members.iter().filter(|m| (2 * **m as i64 + 1, 0) < place).count();
            self.view.push(below as i64);
        }
    }
}
