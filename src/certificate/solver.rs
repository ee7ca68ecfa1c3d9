//! A thin layer over Z3 for ground formulas. Enum cells are one boolean per constructor, exactly one of
//! which holds; processes and abstract values are of uninterpreted sorts, or integers where the model
//! orders processes.

use std::ops::Range;
use std::time::Duration;

use hashbrown::HashMap;
use z3::ast::{Ast, Bool, Dynamic, Int, Real};
use z3::{FuncDecl, Model, Sort, Symbol};

use super::ground::{Atom, GroundCell, GroundFormula, GroundPoint, GroundSum};
use cubicle_lang::model::{Rational, Relation, System, Type};
use cubicle_run::{Interrupt, Interrupted};
use cubicle_solver::{self as solver, Answer, Solver, real};

#[derive(Debug)]
pub enum CaseAnswer {
    Sat(SatisfyingState),
    /// Unsatisfiable; the facts with these numbers suffice.
    Unsat(Vec<usize>),
    /// Not decided, and why.
    Unknown(String),
}

/// A satisfying state, as far as formulas mentioned it.
#[derive(Debug)]
pub struct SatisfyingState {
    model: Model,
    known: HashMap<Atom, bool>,
    constructors: HashMap<GroundCell, usize>,
}

#[derive(Clone, Debug)]
enum CellExpr {
    Enum(Vec<Bool>),
    Value(Dynamic),
}

/// Z3 with the cells that formulas have mentioned so far.
#[derive(Debug)]
pub struct ProverSession<'a> {
    system: &'a System,
    ordered: bool,
    solver: Solver,
    proc_sort: Sort,
    processes: Vec<Dynamic>,
    cells: HashMap<GroundCell, CellExpr>,
    atoms: HashMap<Atom, Bool>,
    timeout: Duration,
    /// What was said of cells in the case that Z3 knows, which holds afterwards, too.
    declared: Vec<Bool>,
    /// What holds in each case that is open; Z3 knows only the last one.
    opened: Vec<Vec<Bool>>,
    pub calls: u64,
}

impl<'a> ProverSession<'a> {
    /// A session over at most these processes, which differ, and others below `all`; each call is limited to `timeout`.
    /// `ordered` says whether any formula orders processes.
    pub fn new(system: &'a System, procs: Range<u8>, all: u8, ordered: bool, timeout: Duration) -> Self {
        let solver = Solver::default();
        let proc_sort =
            if ordered { Sort::int() } else { Sort::uninterpreted(Symbol::String("Proc".into())) };
        let processes: Vec<Dynamic> =
            (0..all).map(|p| constant(&format!("#{}", p + 1), &proc_sort)).collect();
        let differ = &processes[usize::from(procs.start)..usize::from(procs.end)];
        if differ.len() > 1 {
            solver.assert(&Dynamic::distinct(&differ.iter().collect::<Vec<_>>()));
        }
        let session = Self {
            system,
            ordered,
            solver,
            proc_sort,
            processes,
            cells: HashMap::new(),
            atoms: HashMap::new(),
            timeout,
            declared: Vec::new(),
            opened: Vec::new(),
            calls: 0,
        };
        // Processes beyond those of a case are values outside of it: nothing else is known about them.
        if ordered {
            for p in 1..usize::from(system.proc_constants).min(session.processes.len()) {
                let fact = session.int(p - 1).lt(session.int(p));
                session.solver.assert(&fact);
            }
        }
        session
    }

    fn int(&self, p: usize) -> Int {
        self.processes[p].as_int().expect("processes are integers where they are ordered")
    }

    /// Facts about the processes of a case, beside their being distinct: constants come first.
    pub fn order_of(&self, procs: u8) -> Vec<Bool> {
        let rigid = usize::from(self.system.proc_constants);
        if !self.ordered || rigid == 0 {
            return Vec::new();
        }
        (rigid..procs.into()).map(|p| self.int(rigid - 1).lt(self.int(p))).collect()
    }

    /// Whether the cells of an atom have been mentioned before.
    pub fn knows(&self, formula: &GroundFormula) -> bool {
        let is_new = |place: &&GroundCell| !self.cells.contains_key(*place);
        !formula.some_atom(&|atom| !self.atoms.contains_key(atom) && atom.cells().iter().any(is_new))
    }

    /// The formula for Z3. Facts about cells that are mentioned for the first time become part of the session.
    pub fn formula(&mut self, formula: &GroundFormula) -> Bool {
        match formula {
            GroundFormula::Literal(atom, holds) => {
                let atom = self.atom(atom);
                if *holds { atom } else { atom.not() }
            }
            GroundFormula::All(parts) => {
                let parts: Vec<Bool> = parts.iter().map(|part| self.formula(part)).collect();
                Bool::and(&parts)
            }
            GroundFormula::Any(parts) => {
                let parts: Vec<Bool> = parts.iter().map(|part| self.formula(part)).collect();
                Bool::or(&parts)
            }
        }
    }

    /// Opens a case: until it is closed, `formula` holds. One that is open is set aside until then. Of a process that it does not name, and of the
    /// numbers of such processes, it says other things: the case within it names one more.
    pub fn open(&mut self, formula: &Bool) {
        if !self.opened.is_empty() {
            self.leave();
        }
        self.opened.push(vec![formula.clone()]);
        self.enter();
    }

    /// Closes the case that was opened last.
    pub fn close(&mut self) {
        self.leave();
        self.opened.pop();
        if !self.opened.is_empty() {
            self.enter();
        }
    }

    fn enter(&self) {
        self.solver.push();
        self.opened.last().into_iter().flatten().for_each(|fact| self.solver.assert(fact));
    }

    fn leave(&mut self) {
        self.solver.pop();
        self.declared.drain(..).for_each(|fact| self.solver.assert(&fact));
    }

    /// A fact that holds in the open case.
    pub fn add(&mut self, fact: Bool) {
        self.solver.assert(&fact);
        self.opened.last_mut().expect("a case is open").push(fact);
    }

    /// A fact that holds in the open case where `name` does.
    pub fn assume(&mut self, name: &Bool, fact: &Bool) {
        self.add(Bool::or(&[name.not(), fact.clone()]));
    }

    /// Whether some state is possible in the open case where the facts with these names hold.
    pub fn check(&mut self, names: &[Bool], interrupt: &Interrupt) -> Result<CaseAnswer, Interrupted> {
        self.calls += 1;
        let result = solver::check(&self.solver, "obligation", names, self.timeout, interrupt)?;
        Ok(match result {
            Answer::Sat => match self.solver.get_model() {
                Some(model) => CaseAnswer::Sat(SatisfyingState {
                    model,
                    known: HashMap::new(),
                    constructors: HashMap::new(),
                }),
                None => CaseAnswer::Unknown("no model".to_owned()),
            },
            Answer::Unsat => {
                let core = self.solver.get_unsat_core();
                CaseAnswer::Unsat((0..names.len()).filter(|&i| core.contains(&names[i])).collect())
            }
            Answer::Unknown(why) => CaseAnswer::Unknown(why),
        })
    }

    /// Makes a fact about cells part of the session.
    fn declare(&mut self, fact: Bool) {
        self.solver.assert(&fact);
        if !self.opened.is_empty() {
            self.declared.push(fact);
        }
    }

    /// Truth of a literal in a state; cells that were not mentioned have some value, always the same.
    pub fn holds(&mut self, state: &mut SatisfyingState, formula: &GroundFormula) -> bool {
        match formula {
            GroundFormula::Literal(Atom::In(place, values), holds) if self.is_enum(place) => {
                (values >> self.constructor(state, place) & 1 == 1) == *holds
            }
            GroundFormula::Literal(Atom::Equal(GroundPoint::Place(a), GroundPoint::Place(b)), holds)
                if self.is_enum(a) =>
            {
                (self.constructor(state, a) == self.constructor(state, b)) == *holds
            }
            GroundFormula::Literal(atom, holds) => {
                if let Some(known) = state.known.get(atom) {
                    return known == holds;
                }
                let made = self.atom(atom);
                let value = solver::truth(&state.model, &made) == Some(true);
                state.known.insert(atom.clone(), value);
                value == *holds
            }
            GroundFormula::All(parts) => parts.iter().all(|part| self.holds(state, part)),
            GroundFormula::Any(parts) => parts.iter().any(|part| self.holds(state, part)),
        }
    }

    fn is_enum(&self, place: &GroundCell) -> bool {
        matches!(place.ty(self.system), Type::Enum(_))
    }

    /// The constructor in an enum cell: the first one where the cell was not mentioned.
    fn constructor(&self, state: &mut SatisfyingState, place: &GroundCell) -> usize {
        if let Some(&known) = state.constructors.get(place) {
            return known;
        }
        let holds = |bit: &Bool| solver::truth(&state.model, bit) == Some(true);
        let found = match self.cells.get(place) {
            Some(CellExpr::Enum(bits)) => bits.iter().position(holds).unwrap_or(0),
            _ => 0,
        };
        state.constructors.insert(place.clone(), found);
        found
    }

    fn atom(&mut self, atom: &Atom) -> Bool {
        if let Some(made) = self.atoms.get(atom) {
            return made.clone();
        }
        let made = match atom {
            Atom::In(place, values) => {
                let CellExpr::Enum(bits) = self.cell(place) else { unreachable!("an enum cell") };
                let bits: Vec<Bool> =
                    bits.into_iter().enumerate().filter(|(c, _)| values >> c & 1 == 1).map(|b| b.1).collect();
                Bool::or(&bits)
            }
            Atom::Equal(a, b) => match (self.point(a), self.point(b)) {
                (CellExpr::Value(a), CellExpr::Value(b)) => a.eq(&b),
                (CellExpr::Enum(a), CellExpr::Enum(b)) => {
                    let same: Vec<Bool> =
                        a.iter().zip(&b).map(|(a, b)| Bool::and(&[a.clone(), b.clone()])).collect();
                    Bool::or(&same)
                }
                _ => unreachable!("values of one type are compared"),
            },
            Atom::Less(a, b) => match (self.point(a), self.point(b)) {
                (CellExpr::Value(a), CellExpr::Value(b)) => {
                    let int = |value: &Dynamic| value.as_int().expect("an ordered process");
                    int(&a).lt(int(&b))
                }
                _ => unreachable!("processes are ordered"),
            },
            Atom::Linear { sum, relation, integer } => self.linear(sum, *relation, *integer),
        };
        self.atoms.insert(atom.clone(), made.clone());
        made
    }

    fn linear(&mut self, sum: &GroundSum, relation: Relation, integer: bool) -> Bool {
        let values: Vec<Dynamic> = (sum.terms.iter())
            .map(|(place, _)| match self.cell(place) {
                CellExpr::Value(value) => value,
                CellExpr::Enum(_) => unreachable!("a numeric cell"),
            })
            .collect();
        let cells = values.into_iter().zip(&sum.terms);
        if integer {
            let mut parts = vec![int(sum.constant)];
            for (value, (_, coefficient)) in cells {
                let value = value.as_int().expect("an int cell");
                parts.push(Int::mul(&[int(*coefficient), value]));
            }
            let (total, zero) = (Int::add(&parts), Int::from_i64(0));
            match relation {
                Relation::Eq => total.eq(&zero),
                Relation::Ne => total.ne(&zero),
                Relation::Le => total.le(&zero),
                Relation::Lt => total.lt(&zero),
            }
        } else {
            let mut parts = vec![real(sum.constant)];
            for (value, (_, coefficient)) in cells {
                // A number of processes may be part of a sum of reals.
                let value = value.as_real().or_else(|| Some(value.as_int()?.to_real()));
                let value = value.expect("a numeric cell");
                parts.push(Real::mul(&[real(*coefficient), value]));
            }
            let (total, zero) = (Real::add(&parts), real(Rational::ZERO));
            match relation {
                Relation::Eq => total.eq(&zero),
                Relation::Ne => total.ne(&zero),
                Relation::Le => total.le(&zero),
                Relation::Lt => total.lt(&zero),
            }
        }
    }

    fn point(&mut self, point: &GroundPoint) -> CellExpr {
        match point {
            GroundPoint::Process(p) => CellExpr::Value(self.processes[usize::from(*p)].clone()),
            GroundPoint::Place(place) => self.cell(place),
        }
    }

    fn cell(&mut self, place: &GroundCell) -> CellExpr {
        if let Some(cell) = self.cells.get(place) {
            return cell.clone();
        }
        let name = place.name(self.system, &format!("{:?}", place.index));
        let cell = match place.ty(self.system) {
            Type::Enum(id) => {
                let count = self.system.enumeration(id).constructors.len();
                let bits: Vec<Bool> = (0..count).map(|c| Bool::new_const(format!("{name}={c}"))).collect();
                self.declare(Bool::or(&bits));
                for (c, bit) in bits.iter().enumerate() {
                    for other in &bits[..c] {
                        self.declare(Bool::or(&[bit.not(), other.not()]));
                    }
                }
                CellExpr::Enum(bits)
            }
            Type::Proc => CellExpr::Value(constant(&name, &self.proc_sort)),
            Type::Int => CellExpr::Value(constant(&name, &Sort::int())),
            Type::Real => CellExpr::Value(constant(&name, &Sort::real())),
            Type::Abstract(id) => {
                let sort = &self.system.abstracts[usize::from(id.0)];
                let sort = Sort::uninterpreted(Symbol::String(format!("abstract {sort}")));
                CellExpr::Value(constant(&name, &sort))
            }
        };
        self.cells.insert(place.clone(), cell.clone());
        cell
    }
}

fn constant(name: &str, sort: &Sort) -> Dynamic {
    FuncDecl::new(name, &[], sort).apply(&[])
}

fn int(n: Rational) -> Int {
    Int::from_i64(n.floor())
}
