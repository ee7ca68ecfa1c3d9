//! Formulas that may be parts of a ranking.

use cubicle_lang::model::{
    Cell, Conj, Linear, Literal, Measured, ProcRef, Rational, Relation, System, Term, Type, VarId, VarKind,
};

/// The most values of a type that formulas are made for.
const MOST_VALUES: u32 = 12;

/// The most literals about the parameters of which two are combined.
const MOST_COMBINED: usize = 40;

pub fn cell(var: VarId, index: &[u8]) -> Cell {
    Cell { var, index: index.iter().map(|p| ProcRef::Var(*p)).collect() }
}

/// Makes formulas about the variables of a system.
pub struct Candidates<'a> {
    system: &'a System,
    /// How many parameters the property has.
    params: u8,
}

impl<'a> Candidates<'a> {
    /// For a property with this number of parameters.
    pub const fn new(system: &'a System, params: u8) -> Self {
        Self { system, params }
    }

    /// The cells of a type over given processes, each at most once in an index.
    fn cells(&self, processes: &[u8], is: impl Fn(Type) -> bool) -> Vec<(Cell, Type)> {
        let mut found = Vec::new();
        for (id, var) in self.system.declared().filter(|(_, var)| is(var.ty)) {
            match var.kind {
                VarKind::Global | VarKind::Const => found.push((cell(id, &[]), var.ty)),
                VarKind::Array(1) => found.extend(processes.iter().map(|p| (cell(id, &[*p]), var.ty))),
                VarKind::Array(2) => {
                    let pairs = processes.iter().flat_map(|p| processes.iter().map(move |q| [*p, *q]));
                    found.extend(pairs.filter(|it| it[0] != it[1]).map(|it| (cell(id, &it), var.ty)));
                }
                VarKind::Array(_) => {}
            }
        }
        found
    }

    /// That a cell of a finite type has a value, or not.
    fn values(&self, cell: &Cell, ty: Type, found: &mut Vec<Literal>) {
        let Type::Enum(id) = ty else { return };
        let all = self.system.enumeration(id).all();
        if all.count_ones() > MOST_VALUES {
            return;
        }
        for value in (0..64).filter(|value| all >> value & 1 == 1) {
            found.push(Literal::In { cell: cell.clone(), values: 1 << value });
            if all.count_ones() > 2 {
                found.push(Literal::In { cell: cell.clone(), values: all & !(1 << value) });
            }
        }
    }

    /// Literals about the processes that mention each process of `must`.
    fn literals(&self, processes: &[u8], must: &[u8]) -> Vec<Literal> {
        let mut found = Vec::new();
        for (cell, ty) in self.cells(processes, |ty| matches!(ty, Type::Enum(_))) {
            self.values(&cell, ty, &mut found);
        }
        let same = |left: Term, right: Term| {
            [false, true].map(|negated| Literal::Eq { left: left.clone(), right: right.clone(), negated })
        };
        let finite = self.cells(processes, |ty| matches!(ty, Type::Enum(_) | Type::Proc | Type::Abstract(_)));
        for (at, (left, ty)) in finite.iter().enumerate() {
            for (right, other) in &finite[at + 1..] {
                if ty == other {
                    found.extend(same(Term::Cell(left.clone()), Term::Cell(right.clone())));
                }
            }
            if *ty == Type::Proc {
                let others = processes.iter().map(|p| Term::Proc(ProcRef::Var(*p)));
                found.extend(others.flat_map(|p| same(Term::Cell(left.clone()), p)));
            }
        }
        let numbers = self.cells(processes, |ty| ty == Type::Int);
        for (at, (left, _)) in numbers.iter().enumerate() {
            for (right, _) in &numbers[at + 1..] {
                for (a, b) in [(left, right), (right, left)] {
                    found.extend([0, 1].map(|more| less(a, b, more)));
                }
                found.extend([Relation::Eq, Relation::Ne].map(|relation| {
                    let expr = difference(left, right, 0);
                    Literal::Linear { expr, relation, integer: true }
                }));
            }
        }
        if self.system.orders_processes {
            let mut points: Vec<Term> = processes.iter().map(|p| Term::Proc(ProcRef::Var(*p))).collect();
            let pointers = self.cells(processes, |ty| ty == Type::Proc);
            points.extend(pointers.into_iter().map(|(cell, _)| Term::Cell(cell)));
            for left in &points {
                for right in points.iter().filter(|it| *it != left) {
                    found.extend([true, false].map(|strict| Literal::Less {
                        left: left.clone(),
                        right: right.clone(),
                        strict,
                    }));
                }
            }
        }
        found.retain(|it| must.iter().all(|p| it.procs().contains(&ProcRef::Var(*p))));
        found
    }

    /// Literals about a process beyond the parameters: alone, with what is global, and with a parameter.
    fn of_further(&self) -> (Vec<Literal>, Vec<Literal>) {
        let all: Vec<u8> = (0..=self.params).collect();
        let literals = self.literals(&all, &[self.params]).into_iter();
        literals.partition(|it| (0..self.params).all(|p| !it.procs().contains(&ProcRef::Var(p))))
    }

    /// Literals about the parameters alone, and what is global.
    pub fn of_parameters(&self) -> Vec<Literal> {
        let all: Vec<u8> = (0..self.params).collect();
        self.literals(&all, &[])
    }

    /// Conditions on a further process, the simplest first.
    pub fn of_another(&self) -> Vec<Conj> {
        let (own, related) = self.of_further();
        let mut found: Vec<Conj> = own.iter().chain(&related).map(|it| vec![it.clone()]).collect();
        for (at, a) in own.iter().enumerate() {
            found.extend(related.iter().map(|b| vec![a.clone(), b.clone()]));
            let other =
                |b: &&Literal| b.cells().first().map(|it| it.var) != a.cells().first().map(|it| it.var);
            found.extend(own[at + 1..].iter().filter(other).map(|b| vec![a.clone(), b.clone()]));
        }
        let globals = self.literals(&[], &[]);
        for global in &globals {
            found.extend(own.iter().map(|b| vec![global.clone(), b.clone()]));
            found.extend(related.iter().map(|b| vec![global.clone(), b.clone()]));
        }
        found
    }

    /// What may be measured, the simplest first.
    pub fn measures(&self) -> Vec<Measured> {
        let parameters = self.of_parameters();
        let alone = parameters.iter().map(|it| vec![it.clone()]);
        let tuples = |further: u8| move |it: Conj| Measured::Tuples { further, body: vec![it] };
        let mut found: Vec<Measured> = alone.map(tuples(0)).collect();
        let all: Vec<u8> = (0..self.params).collect();
        let numbers = self.cells(&all, |ty| ty == Type::Int);
        for (left, _) in &numbers {
            found.push(Measured::Number(Linear::of(left.clone())));
            let others = numbers.iter().filter(|(right, _)| right != left);
            found.extend(others.map(|(right, _)| Measured::Number(difference(left, right, 0))));
        }
        found.extend(self.of_another().into_iter().map(tuples(1)));
        if parameters.len() <= MOST_COMBINED {
            for (at, a) in parameters.iter().enumerate() {
                for b in &parameters[at + 1..] {
                    let either = vec![vec![a.clone()], vec![b.clone()]];
                    found.extend(
                        [either, vec![vec![a.clone(), b.clone()]]]
                            .map(|body| Measured::Tuples { further: 0, body }),
                    );
                }
            }
        }
        found
    }

    /// Strict orders of two processes.
    pub fn orders(&self) -> Vec<Conj> {
        let pair = Self { system: self.system, params: 2 };
        let mut found = Vec::new();
        for literal in pair.literals(&[0, 1], &[0, 1]) {
            let is_strict = match &literal {
                Literal::Less { strict, .. } => *strict,
                Literal::In { cell, values } => cell.index.len() == 2 && values.is_power_of_two(),
                Literal::Linear { relation, .. } => matches!(relation, Relation::Le | Relation::Lt),
                Literal::Eq { .. } => false,
            };
            if is_strict {
                found.push(vec![literal]);
            }
        }
        found
    }
}

/// `left - right + constant`.
pub fn difference(left: &Cell, right: &Cell, constant: i64) -> Linear {
    let mut terms = vec![(left.clone(), Rational::ONE), (right.clone(), Rational::ONE.neg())];
    terms.sort();
    Linear { terms, constant: Rational::integer(constant) }
}

/// `left + more <= right`.
fn less(left: &Cell, right: &Cell, more: i64) -> Literal {
    Literal::Linear { expr: difference(left, right, more), relation: Relation::Le, integer: true }
}
