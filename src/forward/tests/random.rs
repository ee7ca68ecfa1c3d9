//! Random small systems.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use cubicle_lang::diagnostic::Span;
use cubicle_lang::model::*;

pub const T: EnumId = EnumId(1);

/// Whether a process is the first one.
pub fn is_first(process: u8) -> Dnf {
    Dnf(vec![vec![Literal::same(ProcRef::Var(process), ProcRef::Var(0))]])
}

/// Which variables a random system may have.
pub struct Shape {
    pub rng: ChaCha8Rng,
    pub vars: Vec<(&'static str, VarKind, Type)>,
    /// What the last variables count, with the number of their indices.
    counts: Vec<(u8, Dnf)>,
}

impl Shape {
    pub fn new(seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let all = [
            ("S", VarKind::Array(1), Type::Enum(T)),
            ("G", VarKind::Global, Type::Enum(T)),
            ("B", VarKind::Global, Type::Enum(BOOL)),
            ("P", VarKind::Global, Type::Proc),
            ("Q", VarKind::Global, Type::Proc),
            ("M", VarKind::Array(2), Type::Enum(BOOL)),
            ("R", VarKind::Array(1), Type::Proc),
            ("D", VarKind::Array(1), Type::Abstract(AbstractId(0))),
            ("A", VarKind::Global, Type::Abstract(AbstractId(0))),
        ];
        let vars = all.into_iter().enumerate().filter(|(i, _)| *i == 0 || rng.random_ratio(1, 3));
        let vars = vars.map(|(_, v)| v).collect();
        Self { rng, vars, counts: Vec::new() }
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.rng.random_range(0..n)
    }

    pub fn cell(&mut self, scope: u8) -> Option<(Cell, Type)> {
        let v = self.below(self.vars.len());
        let (_, kind, ty) = self.vars[v];
        let n = if let VarKind::Array(n) = kind { n } else { 0 };
        if n > 0 && scope == 0 {
            return None;
        }
        let index = (0..n).map(|_| ProcRef::Var(self.below(usize::from(scope)) as u8)).collect();
        Some((Cell { var: VarId(v as u16), index }, ty))
    }

    fn same_type(&mut self, ty: Type, scope: u8) -> Option<Cell> {
        (0..20).find_map(|_| self.cell(scope).filter(|(_, t)| *t == ty).map(|(c, _)| c))
    }

    /// Adds variables that count what random formulas say about a process, and perhaps about others.
    pub fn with_counts(mut self, most: usize, order: bool) -> Self {
        for _ in 0..=self.below(most) {
            let indices = self.below(3) as u8;
            let body = Dnf((0..=self.below(2)).map(|_| self.conj(indices + 1, 2, order)).collect());
            self.counts.push((indices, body));
        }
        let kind = |n: u8| if n == 0 { VarKind::Global } else { VarKind::Array(n) };
        self.vars.extend(self.counts.iter().map(|(n, _)| ("#", kind(*n), Type::Int)));
        self
    }

    /// Compares a count with a number, or with another one.
    fn comparison(&mut self, cell: Cell, scope: u8) -> Literal {
        let mut terms = vec![(cell, Rational::integer([1, 1, 2, -1][self.below(4)]))];
        if let Some(other) = self.same_type(Type::Int, scope).filter(|other| *other != terms[0].0)
            && self.rng.random_ratio(1, 3)
        {
            terms.push((other, Rational::integer([1, -1, -2][self.below(3)])));
            terms.sort_by(|a, b| a.0.cmp(&b.0));
        }
        let constant = Rational::integer(2 - self.below(5) as i64);
        let relation = [Relation::Eq, Relation::Ne, Relation::Le, Relation::Le][self.below(4)];
        Literal::Linear { expr: Linear { terms, constant }, relation, integer: true }
    }

    pub fn literal(&mut self, scope: u8, order: bool) -> Option<Literal> {
        let (cell, ty) = self.cell(scope)?;
        if ty == Type::Int {
            return Some(self.comparison(cell, scope));
        }
        let negated = self.rng.random_ratio(1, 3);
        let other = self.rng.random_ratio(1, 4);
        Some(match ty {
            Type::Enum(e) if !other => {
                let all = if e == BOOL { 3 } else { 7 };
                let one = 1 << self.below(if e == BOOL { 2 } else { 3 });
                Literal::In { cell, values: if negated { all & !one } else { one } }
            }
            Type::Proc if !other && scope > 0 => {
                let p = Term::Proc(ProcRef::Var(self.below(usize::from(scope)) as u8));
                if order && self.rng.random_bool(0.5) {
                    Literal::Less { left: Term::Cell(cell), right: p, strict: negated }
                } else {
                    Literal::Eq { left: Term::Cell(cell), right: p, negated }
                }
            }
            ty => {
                let right = Term::Cell(self.same_type(ty, scope)?);
                let left = Term::Cell(cell);
                if order && ty == Type::Proc && self.rng.random_bool(0.5) {
                    Literal::Less { left, right, strict: negated }
                } else {
                    Literal::Eq { left, right, negated }
                }
            }
        })
    }

    pub fn conj(&mut self, scope: u8, max: usize, order: bool) -> Conj {
        (0..self.below(max + 1)).filter_map(|_| self.literal(scope, order)).collect()
    }

    /// A disjunct of init; a tight one constrains most variables.
    fn initial(&mut self, params: u8, tight: bool, order: bool) -> Conj {
        let mut conj = self.conj(params, if tight { 1 } else { 4 }, order);
        for v in 0..self.vars.len() {
            let (_, kind, ty) = self.vars[v];
            if !tight || self.rng.random_ratio(1, 6) {
                continue;
            }
            let arity = if let VarKind::Array(n) = kind { n } else { 0 };
            let index = (0..arity).map(|i| ProcRef::Var(i.min(params - 1))).collect();
            let cell = Cell { var: VarId(v as u16), index };
            match ty {
                Type::Enum(_) => conj.push(Literal::In { cell, values: 1 }),
                Type::Proc => {
                    let (left, right) = (Term::Cell(cell), Term::Proc(ProcRef::Var(0)));
                    conj.push(Literal::Eq { left, right, negated: self.rng.random_ratio(2, 3) });
                }
                _ => {}
            }
        }
        conj
    }

    fn value(&mut self, ty: Type, scope: u8) -> Option<Term> {
        Some(match ty {
            Type::Enum(BOOL) if self.rng.random_bool(0.7) => Term::Constructor(self.below(2) as u8),
            Type::Enum(_) if self.rng.random_bool(0.7) => Term::Constructor(self.below(3) as u8),
            Type::Proc if scope > 0 && self.rng.random_bool(0.6) => {
                Term::Proc(ProcRef::Var(self.below(usize::from(scope)) as u8))
            }
            ty => Term::Cell(self.same_type(ty, scope)?),
        })
    }

    pub fn transition(&mut self, order: bool) -> Transition {
        let params = self.below(3) as u8;
        let guard = self.conj(params, 2, order);
        let universals = if self.rng.random_ratio(1, 4) {
            let bound = 1 + u8::from(self.rng.random_ratio(1, 4));
            let body = Dnf((0..=self.below(2)).map(|_| self.conj(params + bound, 2, order)).collect());
            vec![Universal { bound, body, spans: Vec::new() }]
        } else {
            Vec::new()
        };
        let mut updates = Vec::new();
        for v in 0..self.vars.len() {
            let (_, kind, ty) = self.vars[v];
            if ty == Type::Int || self.below(3) > 0 {
                continue;
            }
            let arity = if let VarKind::Array(n) = kind { n } else { 0 };
            if arity == 0 && self.rng.random_ratio(1, 4) {
                updates.push(Update { var: VarId(v as u16), assignment: Assignment::Nondet });
                continue;
            }
            let scope = params + arity;
            let mut branches = Vec::new();
            if let Some(value) = self.value(ty, scope) {
                let when = if arity == 1 && params > 0 && self.rng.random_bool(0.7) {
                    is_first(params)
                } else {
                    Dnf(vec![self.conj(scope, 2, order)])
                };
                branches.push(Branch { when, value });
            }
            let own =
                Cell { var: VarId(v as u16), index: (0..arity).map(|i| ProcRef::Var(params + i)).collect() };
            branches.push(Branch { when: Dnf::truth(), value: Term::Cell(own) });
            updates.push(Update { var: VarId(v as u16), assignment: Assignment::Cases(branches) });
        }
        Transition {
            universals,
            updates,
            ..Transition::derived("t", vec!["p".into(); usize::from(params)], guard, Span::default())
        }
    }

    fn counted(&self) -> Vec<Count> {
        let first = self.vars.len() - self.counts.len();
        let of = |(at, (_, body)): (usize, &(u8, Dnf))| Count {
            var: VarId((first + at) as u16),
            body: body.clone(),
            summand: None,
        };
        self.counts.iter().enumerate().map(of).collect()
    }

    pub fn system(&mut self, order: bool) -> System {
        let params = 1 + self.below(2) as u8;
        let disjuncts = 1 + self.below(2);
        let tight = self.rng.random_ratio(3, 4);
        let body = Dnf((0..disjuncts).map(|_| self.initial(params, tight, order)).collect());
        let transitions = (0..=self.below(3)).map(|_| self.transition(order)).collect();
        let bad = (0..2)
            .map(|i| {
                let params = self.below(3) as u8;
                let mut cube = self.conj(params, 3, order);
                if cube.is_empty() {
                    cube.extend(self.literal(params, order));
                }
                let span = Span::default();
                Bad::derived("", i + 1, params, cube, span)
            })
            .collect();
        let span = Span::default();
        let types = "type t = A | B | C  type data  init () { true }  unsafe { false }";
        let types = cubicle_lang::load(types).expect("a correct model").system.to_parts();
        System::new(SystemParts {
            counts: self.counted(),
            vars: self
                .vars
                .iter()
                .map(|(n, kind, ty)| Var { name: (*n).into(), kind: *kind, ty: *ty, range: u64::MAX, span })
                .collect(),
            init: Init { params, body, ..types.init.clone() },
            bad,
            transitions,
            asks_for_order: order,
            orders_processes: order,
            ..types
        })
    }
}

/// A system whose orbits at k = 6 are too many for one level to fit in a chunk.
pub fn wide_system() -> System {
    let text = "type t = A | B | C  array S[proc] : t  array R[proc] : t  var P : proc
        init (p) { S[p] = A && R[p] = A }
        unsafe (p q r s) { S[p] = C && R[q] = C && S[r] = B && S[s] = B }
        transition s_b (p) requires { S[p] = A } { S[p] := B }
        transition s_c (p) requires { S[p] = B } { S[p] := C }
        transition s_a (p) requires { S[p] = C } { S[p] := A }
        transition r_b (p) requires { R[p] = A } { R[p] := B }
        transition r_c (p) requires { R[p] = B } { R[p] := C }
        transition r_a (p) requires { R[p] = C } { R[p] := A }";
    cubicle_lang::load(text).expect("a correct model").system
}
