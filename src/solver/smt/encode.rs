//! Model terms and literals as Z3 expressions over the cells of one state.

use std::convert::Infallible;

use z3::ast::{Ast, Bool, Int, Real};

use super::InstanceFormula;
use crate::real;
use cubicle_lang::model::semantics::{Layout, Point, distinct_tuples, other_tuples, tuples};
use cubicle_lang::model::{
    Assignment, Cell, Conj, Count, Dnf, Forbidden, FormulaOfSorts, Linear, Literal, ProcRef, Rational,
    Relation, System, Term, Transition, Type, VarId,
};

/// The value of a cell as an expression.
#[derive(Clone, Debug)]
pub enum Symbolic {
    /// One boolean for each constructor; exactly one holds.
    Enum(Vec<Bool>),
    /// A point of the process order, an abstract value, or an integer.
    Int(Int),
    Real(Real),
}

/// A symbolic state: an expression for each cell, in the order of [`Layout`].
#[derive(Clone, Debug)]
pub struct Frame {
    /// Expressions of the cells.
    pub cells: Vec<Symbolic>,
}

/// Encoder for an instance with a fixed number of processes.
#[derive(Debug)]
pub struct Encoder<'a> {
    system: &'a System,
    /// Cells of the instance.
    pub layout: Layout,
    /// Point of each process.
    pub points: Vec<Int>,
    /// Facts about the processes: distinct, rigid ones in order.
    pub facts: Vec<Bool>,
}

/// Processes for the variables of a formula.
pub type Processes<'n> = &'n [usize];

impl<'a> Encoder<'a> {
    /// An encoder for `procs` processes. Without a process order their points are fixed numbers;
    /// with one they are arbitrary, distinct numbers, those of rigid processes increasing.
    pub fn new(system: &'a System, procs: usize) -> Self {
        let ordered = system.orders_processes;
        let point = |p: usize| {
            if ordered { Int::new_const(format!("#{}", p + 1)) } else { Int::from_i64(Point::process(p).0) }
        };
        let points: Vec<Int> = (0..procs).map(point).collect();
        let mut facts = Vec::new();
        if ordered {
            for p in 0..procs {
                for q in 0..p {
                    if p < usize::from(system.proc_constants) {
                        facts.push(points[q].lt(&points[p]));
                    } else {
                        facts.push(z3::ast::Ast::ne(&points[q], &points[p]));
                    }
                }
            }
        }
        Self { system, layout: Layout::new(system, procs), points, facts }
    }

    pub fn procs(&self) -> usize {
        self.layout.procs
    }

    /// A fresh value for a cell of `var`, and what must hold of it.
    pub fn fresh(&self, var: VarId, name: &str, facts: &mut Vec<Bool>) -> Symbolic {
        let v = self.system.var(var);
        match v.ty {
            Type::Enum(e) => {
                let decl = self.system.enumeration(e);
                let bit = |c: usize| match v.range >> c & 1 {
                    1 => Bool::new_const(format!("{name}={c}")),
                    _ => Bool::from_bool(false),
                };
                let bits: Vec<Bool> = (0..decl.constructors.len()).map(bit).collect();
                let possible: Vec<&Bool> =
                    (0..bits.len()).filter(|c| v.range >> c & 1 == 1).map(|c| &bits[c]).collect();
                facts.push(any(possible.iter().copied().cloned()));
                for (i, a) in possible.iter().enumerate() {
                    for b in &possible[..i] {
                        facts.push(any([a.not(), b.not()]));
                    }
                }
                Symbolic::Enum(bits)
            }
            Type::Real => Symbolic::Real(Real::new_const(name)),
            Type::Int | Type::Proc | Type::Abstract(_) => Symbolic::Int(Int::new_const(name)),
        }
    }

    /// An arbitrary state; `prefix` makes its names unique. Counts are numbers that the other cells do not determine yet:
    /// see [`Self::count`] and [`Self::at_least`].
    pub fn frame(&self, prefix: &str, facts: &mut Vec<Bool>) -> Frame {
        let mut cells = Vec::with_capacity(self.layout.len());
        for (v, var) in self.system.vars.iter().enumerate() {
            let count = self.procs().pow(var.arity() as u32);
            for k in 0..count {
                cells.push(self.fresh(VarId(v as u16), &format!("{prefix}{}.{k}", var.name), facts));
            }
        }
        Frame { cells }
    }

    /// Gives the counts of a frame their values, where these are all processes that there are.
    pub fn count(&self, frame: &mut Frame) {
        for count in &self.system.counts {
            for index in tuples(self.procs(), self.system.var(count.var).arity()) {
                let value = self.named(frame, count, &index);
                frame.cells[self.layout.position(count.var, index)] = value;
            }
        }
    }

    /// Facts about the counts of a frame, where there may be more processes than these: no count is less than the number
    /// of these that it counts.
    pub fn at_least(&self, frame: &Frame) -> Vec<Bool> {
        let mut facts = Vec::new();
        for count in self.system.counts.iter().filter(|count| count.summand.is_none()) {
            for index in tuples(self.procs(), self.system.var(count.var).arity()) {
                let Symbolic::Int(named) = self.named(frame, count, &index) else { continue };
                let Symbolic::Int(all) = &frame.cells[self.layout.position(count.var, index)] else {
                    continue;
                };
                facts.push(named.le(all));
            }
        }
        facts
    }

    /// What the processes of this instance add to a cell of a count.
    fn named(&self, frame: &Frame, count: &Count, index: &[usize]) -> Symbolic {
        let summand = &count.added();
        let scopes = (0..self.procs()).map(|process| [index, &[process]].concat());
        if self.system.var(count.var).ty == Type::Real {
            let zero = real(Rational::ZERO);
            let part = |names: Vec<usize>| {
                self.dnf(frame, &names, &count.body).ite(&self.real(frame, &names, summand), &zero)
            };
            let parts: Vec<Real> = scopes.map(part).collect();
            return Symbolic::Real(if parts.is_empty() { zero } else { Real::add(&parts) });
        }
        let zero = Int::from_i64(0);
        let part = |names: Vec<usize>| {
            self.dnf(frame, &names, &count.body).ite(&self.int(frame, &names, summand), &zero)
        };
        let parts: Vec<Int> = scopes.map(part).collect();
        Symbolic::Int(if parts.is_empty() { zero } else { Int::add(&parts) })
    }

    fn cell<'f>(&self, frame: &'f Frame, names: Processes<'_>, cell: &Cell) -> &'f Symbolic {
        &frame.cells[self.layout.position(cell.var, cell.index.iter().map(|&p| p.of(names)))]
    }

    /// The expression of a cell or a process, or of a value of this type.
    fn term(&self, frame: &Frame, names: Processes<'_>, term: &Term, ty: Type) -> Symbolic {
        match (term, ty) {
            (Term::Constructor(c), Type::Enum(id)) => {
                let all = 0..self.system.enumeration(id).constructors.len();
                Symbolic::Enum(all.map(|k| Bool::from_bool(k == usize::from(*c))).collect())
            }
            (Term::Constructor(_), _) => unreachable!("a value of an enumeration"),
            (Term::Proc(p), _) => Symbolic::Int(self.points[p.of(names)].clone()),
            (Term::Cell(c), _) => self.cell(frame, names, c).clone(),
            (Term::Linear(l), Type::Real) => Symbolic::Real(self.real(frame, names, l)),
            (Term::Linear(l), _) => Symbolic::Int(self.int(frame, names, l)),
        }
    }

    fn int(&self, frame: &Frame, names: Processes<'_>, l: &Linear) -> Int {
        let mut sum = vec![Int::from_i64(l.constant.floor())];
        for (c, k) in &l.terms {
            let Symbolic::Int(v) = self.cell(frame, names, c) else { unreachable!("an int cell") };
            sum.push(if *k == Rational::ONE {
                v.clone()
            } else {
                Int::mul(&[Int::from_i64(k.num()), v.clone()])
            });
        }
        if sum.len() == 1 { sum.remove(0) } else { Int::add(&sum) }
    }

    fn real(&self, frame: &Frame, names: Processes<'_>, l: &Linear) -> Real {
        let mut sum = vec![real(l.constant)];
        for (c, k) in &l.terms {
            let Symbolic::Real(v) = self.cell(frame, names, c) else { unreachable!("a real cell") };
            sum.push(if *k == Rational::ONE { v.clone() } else { Real::mul(&[real(*k), v.clone()]) });
        }
        if sum.len() == 1 { sum.remove(0) } else { Real::add(&sum) }
    }

    pub fn literal(&self, frame: &Frame, names: Processes<'_>, literal: &Literal) -> Bool {
        match literal {
            Literal::In { cell, values } => {
                let Symbolic::Enum(bits) = self.cell(frame, names, cell) else {
                    unreachable!("an enum cell")
                };
                any((0..bits.len()).filter(|c| values >> c & 1 == 1).map(|c| bits[c].clone()))
            }
            Literal::Eq { left, right, negated } => {
                let [left, right] = [left, right].map(|it| self.term(frame, names, it, Type::Proc));
                let eq = equal(&left, &right);
                if *negated { eq.not() } else { eq }
            }
            Literal::Less { left, right, strict } => {
                let [Symbolic::Int(a), Symbolic::Int(b)] =
                    [left, right].map(|it| self.term(frame, names, it, Type::Proc))
                else {
                    unreachable!("processes are ordered")
                };
                if *strict { a.lt(&b) } else { a.le(&b) }
            }
            Literal::Linear { expr, relation, integer } => {
                if *integer {
                    let (e, zero) = (self.int(frame, names, expr), Int::from_i64(0));
                    match relation {
                        Relation::Eq => z3::ast::Ast::eq(&e, &zero),
                        Relation::Ne => z3::ast::Ast::ne(&e, &zero),
                        Relation::Le => e.le(&zero),
                        Relation::Lt => e.lt(&zero),
                    }
                } else {
                    let (e, zero) = (self.real(frame, names, expr), real(Rational::ZERO));
                    match relation {
                        Relation::Eq => z3::ast::Ast::eq(&e, &zero),
                        Relation::Ne => z3::ast::Ast::ne(&e, &zero),
                        Relation::Le => e.le(&zero),
                        Relation::Lt => e.lt(&zero),
                    }
                }
            }
        }
    }

    pub fn conj(&self, frame: &Frame, names: Processes<'_>, conj: &Conj) -> Bool {
        all(conj.iter().map(|l| self.literal(frame, names, l)))
    }

    pub fn dnf(&self, frame: &Frame, names: Processes<'_>, dnf: &Dnf) -> Bool {
        any(dnf.0.iter().map(|c| self.conj(frame, names, c)))
    }

    /// A formula whose variables are the processes themselves.
    pub fn formula(&self, frame: &Frame, names: Processes<'_>, f: &InstanceFormula) -> Bool {
        match f {
            InstanceFormula::Literal(l) => self.literal(frame, names, l),
            InstanceFormula::All(fs) => all(fs.iter().map(|f| self.formula(frame, names, f))),
            InstanceFormula::Any(fs) => any(fs.iter().map(|f| self.formula(frame, names, f))),
            InstanceFormula::Not(f) => self.formula(frame, names, f).not(),
        }
    }

    /// Formula: the frame is an initial state of this instance, whose processes are of these sorts; `None`: of any.
    pub fn initial(&self, frame: &Frame, sorts: &[Option<u8>]) -> Bool {
        let init = &self.system.init;
        let mut conjuncts = self.axioms(frame, sorts);
        if self.procs() == 0 {
            conjuncts.push(self.dnf(frame, &[], &init.without_processes));
            return all(conjuncts);
        }
        let mut body = FormulaOfSorts::new(self.system, &init.body);
        let told: Result<(), Infallible> = body.instances(init.params, sorts, |names, said| {
            let names: Vec<usize> = names.iter().map(|name| usize::from(*name)).collect();
            conjuncts.push(self.dnf(frame, &names, said));
            Ok(())
        });
        let Ok(()) = told;
        all(conjuncts)
    }

    /// Formula: the claim forbids the frame at these processes.
    pub fn forbidden(&self, frame: &Frame, names: Processes<'_>, claim: &Forbidden) -> Bool {
        let none_of =
            |other: Vec<usize>| all(claim.others.iter().map(|conj| self.conj(frame, &other, conj).not()));
        let others = if claim.others.is_empty() { 0 } else { self.procs() };
        let others = other_tuples(others, names, 1).map(none_of);
        all(std::iter::once(self.conj(frame, names, &claim.cube)).chain(others))
    }

    /// Formula: the frame is a state of this instance in none of these cubes, for processes of these sorts.
    pub fn outside(&self, frame: &Frame, cubes: &[Forbidden], sorts: &[Option<u8>]) -> Bool {
        let mut conjuncts = self.axioms(frame, sorts);
        for it in cubes {
            let all = self.of_sorts(&it.cube, usize::from(it.params), sorts);
            conjuncts.extend(all.map(|names| self.forbidden(frame, &names, it).not()));
        }
        all(conjuncts)
    }

    /// The distinct processes for which a conjunction over `params` of them may hold, where processes are of these sorts.
    pub fn of_sorts<'s>(
        &self,
        conj: &Conj,
        params: usize,
        sorts: &'s [Option<u8>],
    ) -> impl Iterator<Item = Vec<usize>> + use<'s> {
        let said = self.system.sorts_said(conj, params);
        distinct_tuples(self.procs(), params).filter(move |names| {
            let mut both = names.iter().map(|name| sorts[*name]).zip(&said);
            both.all(|(sort, said)| sort.is_none() || said.is_none() || sort == *said)
        })
    }

    /// The axioms for the frame, for processes of these sorts, and that witnesses are processes.
    fn axioms(&self, frame: &Frame, sorts: &[Option<u8>]) -> Vec<Bool> {
        let mut conjuncts = Vec::new();
        for axiom in &self.system.axioms {
            for names in self.of_sorts(&axiom.cube, usize::from(axiom.params), sorts) {
                conjuncts.push(self.conj(frame, &names, &axiom.cube).not());
            }
        }
        for &witness in &self.system.witnesses {
            for index in tuples(self.procs(), self.system.var(witness).arity()) {
                conjuncts.push(self.holds_a_process(frame, witness, &index));
            }
        }
        conjuncts
    }

    /// Formula: a cell of a witness holds a process.
    fn holds_a_process(&self, frame: &Frame, witness: VarId, index: &[usize]) -> Bool {
        let arity = index.len() as u8;
        let cell = Cell::at(witness, (0..arity).map(ProcRef::Var));
        let is = Literal::points(cell, ProcRef::Var(arity), true);
        any((0..self.procs()).map(|p| self.literal(frame, &[index, &[p]].concat(), &is)))
    }

    /// Formula: a transition is enabled for these arguments.
    pub fn enabled(&self, frame: &Frame, t: &Transition, args: Processes<'_>) -> Bool {
        let mut conjuncts = vec![self.conj(frame, args, &t.guard)];
        for u in &t.universals {
            let scopes = other_tuples(self.procs(), args, u.bound.into());
            conjuncts.extend(scopes.map(|names| self.dnf(frame, &names, &u.body)));
        }
        all(conjuncts)
    }

    /// The state after firing, with its counts; `prefix` names the values that `?` chooses, returned with their variables.
    pub fn fire(
        &self,
        frame: &Frame,
        t: &Transition,
        args: Processes<'_>,
        prefix: &str,
        facts: &mut Vec<Bool>,
    ) -> (Frame, Vec<Symbolic>) {
        let mut after = frame.clone();
        let mut chosen = Vec::new();
        // What a count is follows from what else is assigned, also where no formula says how.
        for u in t.updates.iter().filter(|it| self.system.count_of(it.var).is_none()) {
            let var = self.system.var(u.var);
            match &u.assignment {
                Assignment::Nondet => {
                    let value = self.fresh(u.var, &format!("{prefix}?{}", var.name), facts);
                    after.cells[self.layout.position(u.var, [])] = value.clone();
                    chosen.push(value);
                }
                Assignment::Cases(branches) => {
                    for index in tuples(self.procs(), var.arity()) {
                        let names = [args, &index].concat();
                        let mut value: Option<Symbolic> = None;
                        for b in branches.iter().rev() {
                            let v = self.term(frame, &names, &b.value, var.ty);
                            value = Some(match value {
                                None => v,
                                Some(other) => choose(&self.dnf(frame, &names, &b.when), &v, &other),
                            });
                        }
                        let at = self.layout.position(u.var, index);
                        after.cells[at] = value.expect("an update has branches");
                    }
                }
            }
        }
        self.count(&mut after);
        (after, chosen)
    }
}

fn equal(a: &Symbolic, b: &Symbolic) -> Bool {
    match (a, b) {
        (Symbolic::Enum(x), Symbolic::Enum(y)) => all(x.iter().zip(y).map(|(x, y)| x.iff(y))),
        (Symbolic::Int(x), Symbolic::Int(y)) => z3::ast::Ast::eq(x, y),
        (Symbolic::Real(x), Symbolic::Real(y)) => z3::ast::Ast::eq(x, y),
        _ => unreachable!("both sides have one type"),
    }
}

/// `then` where `when` holds, else `otherwise`.
pub fn choose(when: &Bool, then: &Symbolic, otherwise: &Symbolic) -> Symbolic {
    match when.simplify().as_bool() {
        Some(true) => return then.clone(),
        Some(false) => return otherwise.clone(),
        None => {}
    }
    match (then, otherwise) {
        (Symbolic::Enum(x), Symbolic::Enum(y)) => {
            Symbolic::Enum(x.iter().zip(y).map(|(x, y)| when.ite(x, y)).collect())
        }
        (Symbolic::Int(x), Symbolic::Int(y)) => Symbolic::Int(when.ite(x, y)),
        (Symbolic::Real(x), Symbolic::Real(y)) => Symbolic::Real(when.ite(x, y)),
        _ => unreachable!("all branches have one type"),
    }
}

pub fn all(of: impl IntoIterator<Item = Bool>) -> Bool {
    let of: Vec<Bool> = of.into_iter().collect();
    if of.len() == 1 { of[0].clone() } else { Bool::and(&of) }
}

pub fn any(of: impl IntoIterator<Item = Bool>) -> Bool {
    let of: Vec<Bool> = of.into_iter().collect();
    if of.len() == 1 { of[0].clone() } else { Bool::or(&of) }
}
