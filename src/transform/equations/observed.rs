//! What holds of each process: `Count[p] = #{q | Ptr[q] = p}`.
//!
//! A process o is *observed*: a system of the other processes is made, in which the cells of o are globals, and a cell of type
//! proc says whether it holds o. A variable of the original has a new one for each set of its indices that are o: of `M[p, q]`,
//! the global `M[o, o]` and the arrays `M[o, q]` and `M[p, o]`; `M[p, q]` for two others has none.
//!
//! *Sound.* Take any state of an instance with n > 0 processes and any o of them that none of the constants of type proc
//! ([`Observed::elsewhere`]) holds. The state without o, in these variables, is one of the new system with n - 1 processes; a cell that holds a
//! value outside of the instance does not hold o.
//! 1. *Initially*: init holds for all choices of its parameters, so for those of which a set is o and the others are not. For
//!    each set the new init says a formula that follows; without others, only the choice of o alone is left.
//! 2. *Steps*: in a step with arguments `a`, one of them is o or none is, and there is a transition for either. Its guard
//!    follows from that of the original: a literal that cannot be said is left out. A universal guard holds of o, too, unless o is an argument.
//!    An update has a case for a new variable as the original has it, or, where it cannot be said exactly, the new value may be anything.
//! 3. *Counts*: that of the original at o, if o certainly is not counted there, is how many others are. Other counts cannot be said.
//!
//! So reachable states become reachable ones, whatever instances with 0, 1, .. others do, and the equations of the new system hold: of numbers of
//! processes other than o. Where o certainly does not satisfy what is counted, it need not be left out. Axioms and properties are forgotten.
//! Ways to fail are steps like others.

use std::collections::BTreeMap;

use cubicle_lang::diagnostic::Span;
use cubicle_lang::list::{add_new, extend_new};
use cubicle_lang::model::rename::{self, Truth};
use cubicle_lang::model::{
    Assignment, BOOL, Branch, Cell, Conj, Count, Dnf, Equation, Init, Linear, Literal, ProcRef, Rational,
    System, SystemParts, Term, Transition, Type, Universal, Update, Var, VarId, VarKind,
};

use super::columns::{full, possible};
use super::named::WithEquations;
use super::outside::is_outside;
use super::pointed::Pointed;

/// Most transitions that become of one, and most disjuncts of the initial states.
const MOST_PARTS: usize = 16;

/// The equations that an analysis of numbers without processes finds, with those about each process that follow from none of them.
pub fn with_equations_of_each(
    system: &System,
    of_globals: impl Fn(&System, &[Equation]) -> Option<WithEquations>,
) -> Option<WithEquations> {
    let is_asked = |id: VarId| {
        let var = system.var(id);
        var.kind == VarKind::Array(1) && var.ty == Type::Int && system.changes(id)
    };
    if !system.var_ids().any(is_asked) || system.proc_constants > 0 {
        return of_globals(system, &[]);
    }
    let observed = Observed::new(system);
    let of_it = observed.system().and_then(|it| of_globals(&it, &[]));
    let found = of_globals(system, &of_it.as_ref().map_or_else(Vec::new, |it| observed.facts(it)));
    let Some(of_it) = of_it else { return found };
    let (mut parts, mut equations) = match found {
        Some(found) => (found.system.to_parts(), found.equations),
        None => (system.to_parts(), Vec::new()),
    };
    let said = observed.said(&of_it, &mut parts);
    // What is said of globals alone is mostly known without a process.
    let is_known = |it: &Equation| equations.contains(&Equation { params: 0, ..it.clone() });
    let new: Vec<Equation> = said.into_iter().filter(|it| !is_known(it)).collect();
    extend_new(&mut equations, new);
    (!equations.is_empty()).then(|| WithEquations { system: System::new(parts), equations })
}

/// Which process a variable is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Observed,
    /// A variable of the new system.
    Other(u8),
}

/// The system of the other processes.
struct Observed<'a> {
    original: &'a System,
    vars: Vec<Var>,
    /// The new variables: for one of the original, by the set of its indices that are the observed process.
    of: BTreeMap<(VarId, usize), VarId>,
    /// Those of the new variables that count others.
    counts: Vec<Count>,
    /// Globals that hold another process than the observed one in all states.
    elsewhere: Vec<VarId>,
}

impl<'a> Observed<'a> {
    fn new(original: &'a System) -> Self {
        let (vars, of, counts, elsewhere) = (Vec::new(), BTreeMap::new(), Vec::new(), Vec::new());
        let mut observed = Self { original, vars, of, counts, elsewhere };
        for (id, var) in original.declared() {
            if var.arity() == 0 && var.ty == Type::Proc && !original.changes(id) {
                observed.elsewhere.push(id);
                continue;
            }
            let ty = match var.ty {
                Type::Proc => Type::Enum(BOOL),
                Type::Int | Type::Enum(_) => var.ty,
                Type::Real | Type::Abstract(_) => continue,
            };
            for set in 0..1_usize << var.arity() {
                // One index is left at most.
                let left = var.arity() - set.count_ones() as usize;
                // Numbers of others cannot be columns of their own.
                let known = left == 0 || left == 1 && ty != Type::Int;
                let Some(new) = VarId::new(observed.vars.len()).filter(|_| known) else { continue };
                let kind = match (var.kind, left) {
                    (VarKind::Array(_), 1) => VarKind::Array(1),
                    (VarKind::Array(_), _) => VarKind::Global,
                    (kind, _) => kind,
                };
                let range = if ty == var.ty { var.range } else { u64::MAX };
                let name = format!("{}@{set}", var.name);
                observed.vars.push(Var { name, kind, ty, range, span: var.span });
                observed.of.insert((id, set), new);
            }
        }
        for count in &original.counts {
            observed.count(count);
        }
        observed
    }

    /// Adds what a count says of the observed process, where that certainly is not counted itself: `#{q | S[q] = Shared && q <> p}`.
    fn count(&mut self, count: &Count) {
        let counted = self.original.var(count.var);
        let indices = counted.arity();
        let all = (1 << indices) - 1;
        let of_itself = self.formula(&count.body, &roles(indices + 1, all << 1 | 1), true);
        let of_others = self.formula(&count.body, &roles(indices + 1, all), true);
        let (Some(of_itself), Some(body), Some(var)) = (of_itself, of_others, VarId::new(self.vars.len()))
        else {
            return;
        };
        if of_itself.0.is_empty() && count.summand.is_none() {
            let name = format!("{}@{all}", counted.name);
            self.vars.push(Var { name, kind: VarKind::Global, ..counted.clone() });
            self.counts.push(Count { var, body, summand: None });
            self.of.insert((count.var, all), var);
        }
    }

    /// The system; `None` where no step or initial state can be said.
    fn system(&self) -> Option<System> {
        let mut transitions = Vec::new();
        for t in &self.original.transitions {
            for observed in (0..t.arity()).map(Some).chain([None]) {
                transitions.extend(self.transition(t, observed)?);
            }
        }
        let (vars, counts, init) = (self.vars.clone(), self.counts.clone(), self.init()?);
        let mut parts = SystemParts { vars, counts, init, transitions, ..self.original.to_parts() };
        parts.ask(Vec::new());
        (parts.max_procs, parts.axioms, parts.failures) = (None, Vec::new(), None);
        Some(System::new(parts))
    }

    fn init(&self) -> Option<Init> {
        let init = &self.original.init;
        let (mut body, mut of_none) = (vec![Conj::new()], vec![Conj::new()]);
        let params = usize::from(init.params);
        let all = (1_usize << params) - 1;
        for observed in 0..=all {
            let said = self.formula(&init.body, &roles(params, observed), false)?;
            let both = |all: &[Conj]| -> Vec<Conj> {
                all.iter().flat_map(|a| said.0.iter().filter_map(move |b| joined(a, b))).collect()
            };
            let of_both = both(&body);
            if of_both.len() <= MOST_PARTS {
                body = of_both;
                if observed == all {
                    of_none = both(&of_none);
                }
            }
        }
        let places = Vec::new();
        Some(Init { body: Dnf(body), without_processes: Dnf(of_none), places, ..init.clone() })
    }

    /// The parts of a transition in which a parameter, or none, is the observed process.
    fn transition(&self, t: &Transition, observed: Option<usize>) -> Option<Vec<Transition>> {
        let mut own = roles(t.arity(), observed.map_or(0, |at| 1 << at));
        let arity = t.arity() - usize::from(observed.is_some());
        let Some(guard) = self.conj(&t.guard, &own, false)? else { return Some(Vec::new()) };
        let mut guards = vec![guard];
        let mut universals = Vec::new();
        let last = own.len();
        for universal in t.universals.iter().filter(|it| it.bound == 1) {
            own.push(Role::Other(arity as u8));
            let body = self.formula(&universal.body, &own, false)?;
            if !body.is_true() {
                universals.push(Universal::derived(1, body.0, t.span));
            }
            if observed.is_none() {
                own[last] = Role::Observed;
                let of_it = self.formula(&universal.body, &own, false)?.0;
                if guards.len() * of_it.len() <= MOST_PARTS {
                    let with =
                        |guard: &Conj| of_it.iter().map(|it| [&guard[..], it].concat()).collect::<Vec<_>>();
                    guards = guards.iter().flat_map(with).collect();
                }
            }
            own.truncate(last);
        }
        let mut updates = Vec::new();
        // What counts of others become follows from what they count.
        for update in t.updates.iter().filter(|it| self.original.count_of(it.var).is_none()) {
            for set in 0..1_usize << self.original.var(update.var).arity() {
                let Some(var) = self.of.get(&(update.var, set)) else { continue };
                let indices = self.original.var(update.var).arity();
                own.extend(
                    (0..indices)
                        .map(|at| if set >> at & 1 == 1 { Role::Observed } else { Role::Other(arity as u8) }),
                );
                let assignment = self.assignment(update, &own).unwrap_or(Assignment::Nondet);
                if !self.keeps(*var, &assignment, arity) {
                    updates.push(Update { var: *var, assignment });
                }
                own.truncate(last);
            }
        }
        updates.sort_by_key(|it| it.var);
        let part = |guard: Conj| Transition {
            params: vec!["p".to_owned(); arity],
            hidden: 0,
            spans: vec![t.span; guard.len()],
            guard,
            universals: universals.clone(),
            updates: updates.clone(),
            ..t.clone()
        };
        Some(guards.into_iter().map(part).collect())
    }

    /// The same assignment; `None` where it cannot be said.
    fn assignment(&self, update: &Update, roles: &[Role]) -> Option<Assignment> {
        let Assignment::Cases(branches) = &update.assignment else { return None };
        let mut cases = Vec::new();
        for branch in branches {
            let when = self.formula(&branch.when, roles, true)?;
            if when.0.is_empty() {
                continue;
            }
            let is_last = when.is_true();
            let value = match &branch.value {
                Term::Constructor(c) => Term::Constructor(*c),
                Term::Linear(linear) => Term::Linear(self.linear(linear, roles)?),
                Term::Cell(cell) if self.original.var(cell.var).ty != Type::Proc => {
                    Term::Cell(self.cell(cell, roles)?)
                }
                term @ (Term::Cell(_) | Term::Proc(_)) => self.pointed(term, roles)?.term(),
            };
            cases.push(Branch { when, value });
            if is_last {
                break;
            }
        }
        Some(Assignment::Cases(cases))
    }

    /// Whether a variable keeps its value; the index of an array follows these many parameters.
    fn keeps(&self, var: VarId, assignment: &Assignment, arity: usize) -> bool {
        let Assignment::Cases(branches) = assignment else { return false };
        let indices = self.vars[usize::from(var.0)].arity();
        let own = Cell::at(var, std::iter::repeat_n(ProcRef::Var(arity as u8), indices));
        branches.iter().all(|branch| branch.value.is(&own))
    }

    fn cell(&self, cell: &Cell, roles: &[Role]) -> Option<Cell> {
        let (mut set, mut index) = (0, Vec::new());
        for (at, p) in cell.index.iter().enumerate() {
            match role(*p, roles)? {
                Role::Observed => set |= 1 << at,
                Role::Other(v) => index.push(ProcRef::Var(v)),
            }
        }
        let var = *self.of.get(&(cell.var, set))?;
        Some(Cell::at(var, index))
    }

    fn linear(&self, linear: &Linear, roles: &[Role]) -> Option<Linear> {
        if !linear.terms.iter().all(|(cell, _)| self.cell(cell, roles).is_some()) {
            return None;
        }
        linear.map_cells(|cell| self.cell(cell, roles).unwrap_or_else(|| cell.clone()))
    }

    /// What a term of type proc says of the observed process.
    fn pointed(&self, term: &Term, roles: &[Role]) -> Option<Pointed> {
        Some(match term {
            Term::Proc(p) => Pointed::Known(role(*p, roles)? == Role::Observed),
            Term::Cell(cell) if self.elsewhere.contains(&cell.var) => Pointed::Known(false),
            Term::Cell(cell) => Pointed::Cell(self.cell(cell, roles)?),
            Term::Constructor(_) | Term::Linear(_) => return None,
        })
    }

    /// A literal that says the same, and whether it does: else it says less.
    fn literal(&self, literal: &Literal, roles: &[Role]) -> Option<(Truth, bool)> {
        let is_proc = |term: &Term| match term {
            Term::Proc(_) => true,
            Term::Cell(cell) => self.original.var(cell.var).ty == Type::Proc,
            Term::Constructor(_) | Term::Linear(_) => false,
        };
        let truth = match literal {
            Literal::In { cell, values } => Literal::In { cell: self.cell(cell, roles)?, values: *values },
            Literal::Eq { left: Term::Proc(a), right: Term::Proc(b), negated } => {
                match (role(*a, roles)?, role(*b, roles)?) {
                    (Role::Other(a), Role::Other(b)) if a != b => {
                        let [left, right] = [a, b].map(|it| Term::Proc(ProcRef::Var(it)));
                        Literal::Eq { left, right, negated: *negated }
                    }
                    (a, b) => return Some((Truth::Constant((a == b) != *negated), true)),
                }
            }
            Literal::Eq { left, right, negated } if is_proc(left) => {
                let terms = (self.pointed(left, roles)?, self.pointed(right, roles)?);
                if let (Pointed::Known(a), Pointed::Known(b)) = terms
                    && a != b
                {
                    return Some((Truth::Constant(*negated), true));
                }
                let (said, is_all) = terms.0.compared(terms.1, *negated)?;
                return Some((Truth::Literal(said), is_all));
            }
            Literal::Eq { left, right, negated } => {
                let term = |term: &Term| match term {
                    Term::Cell(cell) => Some(Term::Cell(self.cell(cell, roles)?)),
                    Term::Constructor(_) => Some(term.clone()),
                    Term::Proc(_) | Term::Linear(_) => None,
                };
                Literal::Eq { left: term(left)?, right: term(right)?, negated: *negated }
            }
            Literal::Less { .. } => return None,
            Literal::Linear { expr, relation, integer } => {
                Literal::Linear { expr: self.linear(expr, roles)?, relation: *relation, integer: *integer }
            }
        };
        Some((rename::literal(&truth, &|p| p)?, true))
    }

    /// A formula that says the same (`exact`; `None` where there is none), or one that the disjunction implies.
    fn formula(&self, body: &Dnf, roles: &[Role], exact: bool) -> Option<Dnf> {
        let mut all = Vec::new();
        for conj in &body.0 {
            all.extend(self.conj(conj, roles, exact)?);
        }
        Some(Dnf(all))
    }

    /// The same for a conjunction: `Some(None)` when it never holds.
    fn conj(&self, conj: &Conj, roles: &[Role], exact: bool) -> Option<Option<Conj>> {
        let mut said = Conj::new();
        for literal in conj {
            match self.literal(literal, roles) {
                Some((Truth::Constant(false), _)) => return Some(None),
                Some((Truth::Constant(true), _)) => {}
                Some((Truth::Literal(literal), is_same)) if is_same || !exact => {
                    add_new(&mut said, literal);
                }
                _ if exact => return None,
                _ => {}
            }
        }
        Some(Some(said))
    }
}

/// Both of them, with one literal for each cell of enum type; `None` when they never hold together.
fn joined(a: &Conj, b: &Conj) -> Option<Conj> {
    let mut both = a.clone();
    for literal in b {
        let Literal::In { cell, values } = literal else {
            add_new(&mut both, literal.clone());
            continue;
        };
        let held = both.iter_mut().find_map(|it| match it {
            Literal::In { cell: of, values } if of == cell => Some(values),
            _ => None,
        });
        match held {
            Some(held) if *held & values == 0 => return None,
            Some(held) => *held &= values,
            None => both.push(literal.clone()),
        }
    }
    Some(both)
}

/// The variables of a formula: of these many, those in the set are the observed process.
fn roles(count: usize, observed: usize) -> Vec<Role> {
    let role = |v: usize| {
        let before = (observed & ((1 << v) - 1)).count_ones() as u8;
        if observed >> v & 1 == 1 { Role::Observed } else { Role::Other(v as u8 - before) }
    };
    (0..count).map(role).collect()
}

fn role(p: ProcRef, roles: &[Role]) -> Option<Role> {
    match p {
        ProcRef::Var(v) => roles.get(usize::from(v)).copied(),
        ProcRef::Const(_) => None,
    }
}

/// The way back to the original.
impl Observed<'_> {
    /// What the equations say of each process of the original, whose further counts are added.
    fn said(&self, of_it: &WithEquations, parts: &mut SystemParts) -> Vec<Equation> {
        let is_count = |cell: &Cell| of_it.system.count_of(cell.var).is_some();
        let is_number = |cell: &Cell| self.is_of_observed(cell.var) && !is_count(cell);
        let about_it: Vec<&Equation> = of_it
            .equations
            .iter()
            .filter(|it| it.params == 0 && it.occupied.is_none())
            .filter(|it| it.number.terms.iter().any(|(cell, _)| is_number(cell)))
            .collect();
        if about_it.is_empty() {
            return Vec::new();
        }
        // Also what holds of the others, of where it is itself and of globals: proofs of the equations rest on it.
        let follows = |it: &&Equation| {
            it.params == 0 && it.occupied.is_none() && it.number.terms.iter().all(|(cell, _)| is_count(cell))
        };
        let mut said: Vec<Equation> =
            self.of.values().filter_map(|var| self.never(of_it, *var, parts)).collect();
        for equation in &of_it.equations {
            if about_it.contains(&equation) || follows(&equation) {
                said.extend(self.equation(&of_it.system, equation, parts));
            }
        }
        said
    }

    /// The equations between cells of one process that hold of every process: other equations rest on them.
    fn facts(&self, of_it: &WithEquations) -> Vec<Equation> {
        if !self.elsewhere.iter().all(|it| is_outside(&self.original.init, *it)) {
            return Vec::new();
        }
        let is_own = |it: &&Equation| {
            let is_cell = |(cell, _): &(Cell, Rational)| of_it.system.count_of(cell.var).is_none();
            it.params == 0 && it.occupied.is_none() && !it.at_least && it.number.terms.iter().all(is_cell)
        };
        let (apart, mut parts) = (self.holds_elsewhere(), self.original.to_parts());
        let said = of_it.equations.iter().filter(is_own);
        let mut said: Vec<Equation> =
            said.filter_map(|it| self.equation(&of_it.system, it, &mut parts)).collect();
        for it in &mut said {
            it.when.retain(|literal| !apart.contains(literal));
        }
        // Steps decide what cells of enum type hold, and guards which process a global does.
        said.retain(|it| {
            it.when.iter().all(|literal| match literal.pointed() {
                Some((cell, ..)) => cell.index.is_empty(),
                None => matches!(literal, Literal::In { .. }),
            })
        });
        said
    }

    /// What a variable never says of the observed process, though of others it may.
    fn never(&self, of_it: &WithEquations, var: VarId, parts: &mut SystemParts) -> Option<Equation> {
        let original = self.original.var(self.original_cell(var)?.var);
        let known = if original.ty == Type::Proc { 0 } else { !original.range };
        let values = full(&of_it.system, var) & !of_it.system.var(var).range & !known;
        if values == 0 {
            return None;
        }
        if of_it.system.var(var).arity() == 0 {
            // No state has it.
            let when = vec![Literal::In { cell: Cell::global(var), values }];
            let never = Equation { when, ..Equation::of(Linear::number(Rational::ONE)) };
            return self.equation(&of_it.system, &never, parts);
        }
        let body = Dnf(vec![vec![Literal::In { cell: Cell::at(var, [ProcRef::Var(0)]), values }]]);
        let body = self.counted(&of_it.system, &body, false)?;
        let count = parts.counted(1, body, None, Span::default())?;
        let number = Linear::of(Cell::at(count, [ProcRef::Var(0)]));
        Some(Equation { params: 1, when: self.holds_elsewhere(), ..Equation::of(number) })
    }

    /// That the constants hold other processes.
    fn holds_elsewhere(&self) -> Conj {
        let is_other = |global: &VarId| Literal::points(Cell::global(*global), ProcRef::Var(0), false);
        self.elsewhere.iter().map(is_other).collect()
    }

    /// Whether a new variable is about the observed process.
    fn is_of_observed(&self, var: VarId) -> bool {
        self.of.iter().any(|((_, set), new)| *new == var && *set > 0)
    }

    /// The cell of the original: its first variable is the observed process, the second one the counted process.
    fn original_cell(&self, var: VarId) -> Option<Cell> {
        let ((original, set), _) = self.of.iter().find(|(_, new)| **new == var)?;
        let process = |at: usize| ProcRef::Var(u8::from(set >> at & 1 == 0));
        Some(Cell::at(*original, (0..self.original.var(*original).arity()).map(process)))
    }

    /// That the cell of the original holds what the new one says.
    fn original_literal(&self, var: VarId, values: u64) -> Option<Literal> {
        let cell = self.original_cell(var)?;
        Some(match self.original.var(cell.var).ty {
            Type::Proc => Literal::points(cell, ProcRef::Var(0), values & 0b10 != 0),
            _ => Literal::In { cell, values },
        })
    }

    fn equation(&self, system: &System, equation: &Equation, parts: &mut SystemParts) -> Option<Equation> {
        let finite = |var: VarId| {
            self.original_cell(var).filter(|cell| matches!(self.original.var(cell.var).ty, Type::Enum(_)))
        };
        let (mut equation, mut counted) = (equation.clone(), Vec::new());
        for (cell, factor) in equation.number.terms.clone() {
            let Some(count) = system.count_of(cell.var) else { continue };
            if count.summand.is_some() {
                return None;
            }
            let itself = self.adds_itself(system, &count.body, factor, &mut equation).is_some();
            counted.push((self.counted(system, &count.body, itself)?, factor));
        }
        let mut when = Conj::new();
        for literal in &equation.when {
            let Literal::In { cell, values } = literal else { return None };
            when.push(self.original_literal(cell.var, *values)?);
        }
        when.extend(self.holds_elsewhere());
        let mut indicators = Vec::new();
        for (cell, values, added) in &equation.indicators {
            indicators.push((finite(cell.var)?, *values, *added));
        }
        let mut terms = Vec::new();
        for (cell, factor) in equation.number.terms.iter().filter(|it| system.count_of(it.0.var).is_none()) {
            terms.push((self.original_cell(cell.var)?, *factor));
        }
        for (body, factor) in counted {
            let var = parts.counted(1, body, None, Span::default())?;
            terms.push((Cell::at(var, [ProcRef::Var(0)]), factor));
        }
        let number = Linear::gathered(terms, equation.number.constant)?;
        Some(Equation { params: 1, when, at_least: equation.at_least, indicators, ..Equation::of(number) })
    }

    /// Takes out of an equation what the value of a cell of the observed process adds, if that is what it adds when it is one of
    /// those that a term counts.
    fn adds_itself(
        &self,
        system: &System,
        body: &Dnf,
        factor: Rational,
        equation: &mut Equation,
    ) -> Option<()> {
        let [conj] = body.0.as_slice() else { return None };
        let [Literal::In { cell, values }] = conj.as_slice() else { return None };
        let of_itself = self.itself(cell.var)?;
        let added = |value: u8| {
            let of_value =
                equation.indicators.iter().filter(|it| it.0.var == of_itself && it.1 >> value & 1 == 1);
            let counted = if values >> value & 1 == 1 { factor.neg() } else { Rational::ZERO };
            of_value.map(|it| it.2).try_fold(counted, Rational::add)
        };
        let mut rest = super::columns::values(possible(system, of_itself)).map(added);
        let constant = rest.next()??;
        if !rest.all(|it| it == Some(constant)) {
            return None;
        }
        equation.number.constant = equation.number.constant.add(constant)?;
        equation.indicators.retain(|it| it.0.var != of_itself);
        Some(())
    }

    /// The cell of the observed process itself, for one of another process.
    fn itself(&self, var: VarId) -> Option<VarId> {
        let ((original, _), _) = self.of.iter().find(|(_, new)| **new == var)?;
        self.of.get(&(*original, (1 << self.original.var(*original).arity()) - 1)).copied()
    }

    /// Which processes are counted: with `itself` also the observed one, else others.
    fn counted(&self, system: &System, body: &Dnf, itself: bool) -> Option<Dnf> {
        let mut all = Vec::new();
        for conj in &body.0 {
            let mut said = Conj::new();
            // Whether it makes no difference that the observed process is another one.
            let mut any = itself;
            for literal in conj {
                let Literal::In { cell, values } = literal else { return None };
                let of_itself = self.itself(cell.var)?;
                any |= possible(system, of_itself) & values == 0;
                said.push(self.original_literal(cell.var, *values)?);
            }
            if !any {
                let (left, right) = (Term::Proc(ProcRef::Var(0)), Term::Proc(ProcRef::Var(1)));
                said.insert(0, Literal::Eq { left, right, negated: true });
            }
            all.push(said);
        }
        Some(Dnf(all))
    }
}

#[cfg(test)]
mod tests;
