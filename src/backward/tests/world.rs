//! Small systems, and all that a few named processes can observe of their states.
//!
//! The meaning of a literal is implemented here again, so that the tests do not rely on the algebra.

use std::sync::LazyLock;

use crate::cube::{
    Bound, CellKind, CellValue, Cube, CubeBuilder, CubeCell, CubeContext, CubeLiteral, Instantiation, OTHER,
    Reduced, Relational, linear,
};
use cubicle_lang::model::semantics::{Layout, Point, State, Value, distinct_tuples, tuples};
use cubicle_lang::model::{Assignment, Rational, Relation, System, Update, VarId};
use cubicle_run::Interrupt;

/// A system, and the number of its processes that have names.
pub struct World {
    pub name: &'static str,
    pub system: System,
    pub context: CubeContext,
    pub procs: u8,
    /// All cells at the named processes.
    pub cells: Vec<CubeCell>,
    /// The values that `?` gives to globals.
    pub ghosts: Vec<CubeCell>,
    /// Whether literals mention the order of processes.
    pub ordered: bool,
    /// Every way in which the cells can be filled and the processes be ordered, as far as literals tell them apart.
    pub models: Vec<Model>,
}

/// The part of a state that the named processes observe.
#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    /// The place of each process in the order.
    pub order: Vec<usize>,
    pub values: Vec<(CubeCell, Value)>,
}

/// Literals of named processes, and conjunctions that no other process has: what a cube says, not in normal form.
#[derive(Clone, Debug)]
pub struct Said {
    pub procs: u8,
    pub named: Vec<CubeLiteral>,
    pub others: Vec<Vec<CubeLiteral>>,
}

/// A literal as proptest draws it: its cells and its relation, each number taken modulo the number of
/// choices. All zeros is the simplest.
pub type Raw = (u8, u8, u8, u8, (i8, i8, i8));

/// Name, processes, whether ordered, text.
const TEXTS: &[(&str, u8, bool, &str)] = &[
    (
        "values",
        3,
        false,
        "type t = A | B | C var G : t var H : t array S[proc] : t
         init (z) { S[z] = A && H = A } unsafe (z) { S[z] = B }
         transition t (x) { G := ?; S[x] := G; H := B }",
    ),
    (
        "matrix",
        2,
        false,
        "type t = A | B | C var G : t array M[proc,proc] : bool
         init (z) { G = A && M[z,z] = True } unsafe (z) { G = B }
         transition t (x) { G := ?; M[x,x] := False }",
    ),
    (
        "pointers",
        2,
        false,
        "var P : proc var O : proc array R[proc] : proc
         init (z) { P = z && O <> z } unsafe (z) { P = z } transition t (x) { P := ?; R[x] := P }",
    ),
    (
        "order",
        2,
        true,
        "var P : proc var Q : proc var R : proc init (z) { P < z } unsafe (z) { P = z }
         transition t (x) { P := ?; Q := ?; R := ? }",
    ),
    (
        "three in order",
        3,
        true,
        "var P : proc var Q : proc init (z) { P < z } unsafe (z) { P = z } transition t (x) { P := ?; Q := ? }",
    ),
    (
        "constants",
        3,
        false,
        "number_procs 4 var P : proc var Q : proc array B[proc] : bool
         init (z) { P = z && B[#1] = True && B[#2] = False } unsafe (z) { P = z }
         transition t (x) { P := ?; Q := ?; B[x] := True }",
    ),
    (
        "integers",
        2,
        false,
        "var X : int var Y : int array N[proc] : int init (z) { X = 0 && Y = 0 && N[z] = 0 }
         unsafe (z) { X = 1 } transition t (x) { X := ?; Y := ?; N[x] := X + 1 }",
    ),
    (
        "reals",
        1,
        false,
        "var X : real var Y : real array N[proc] : real init (z) { X = 0.0 && Y = 0.0 && N[z] = 0.0 }
         unsafe (z) { X = 1.0 } transition t (x) { X := ?; Y := ?; N[x] := X + 1.0 }",
    ),
    (
        "steps",
        2,
        false,
        "type t = A | B | C var G : t var P : proc array S[proc] : t
         init (z) { S[z] = A && G = A } unsafe (z) { S[z] = C && P = z }
         transition take (x) requires { S[x] = A && G <> B } { S[x] := B; P := x }
         transition all (x) requires { S[x] = B && forall_other y. S[y] <> C }
         { G := C; S[y] := case | y = x : A | S[y] = B : C | _ : S[y] }
         transition pass (x y) requires { P = x && S[y] = A } { P := y; G := ? }
         transition copy (x) { S[x] := G; P := case | P = x && G = A : P | S[x] = B : x | _ : P }
         transition swap (x y) requires { S[x] <> S[y] } { S[j] := case | j = x : S[y] | j = y : S[x] | _ : S[j] }",
    ),
    (
        "sums",
        2,
        false,
        "var X : int array N[proc] : int init (z) { X = 0 && N[z] = 0 } unsafe (z) { X = 1 && N[z] = 1 }
         transition inc (x) requires { N[x] <= X } { N[x] := N[x] + 1; X := X - 1 }
         transition twice (x) requires { X <> N[x] } { X := N[x] + 2; N[j] := case | j = x : X | _ : N[j] }
         transition pay (x) requires { X - N[x] >= 0 } { X := X - N[x]; N[x] := 2 * N[x] - X + 1 }
         transition pool (x y) requires { N[x] + N[y] - X <> 1 }
         { X := N[x] + N[y] - 2; N[j] := case | N[j] + X > 1 : X - N[j] | j = x : N[y] - N[x] | _ : N[j] }",
    ),
    (
        "data",
        2,
        false,
        "type data var A : data var B : data array D[proc] : data init (z) { A = B } unsafe (z) { D[z] <> A }
         transition t (x) { A := ?; B := ?; D[x] := A }",
    ),
];

/// Worlds with steps that have universal guards, and room for processes that a cube does not name.
const CROWDS_TEXTS: &[(&str, u8, bool, &str)] = &[
    (
        "states",
        4,
        false,
        "type t = A | B | C var G : bool array S[proc] : t init (z) { S[z] = A && G = False } unsafe (z) { S[z] = C }
         transition leave (x) requires { S[x] = B && forall_other y. S[y] <> C } { S[x] := A; G := True }
         transition all (x) requires { forall_other y. (S[y] = A || G = True) }
         { S[j] := case | j = x : B | S[j] = A : C | _ : S[j] }
         transition alone () requires { forall y. S[y] <> B } { G := ? }
         transition pair (x) requires { forall_other y z. (S[y] = A || S[z] = A || S[x] = B) } { S[x] := C }
         transition pass (x y) requires { S[x] <> S[y] && forall_other z. S[z] = S[x] } { S[x] := S[y]; S[y] := C }
         transition clear () requires { G = True } { G := False; S[j] := case | S[j] = C : B | S[j] = B : A | _ : S[j] }",
    ),
    (
        "holders",
        3,
        false,
        "var P : proc var Q : proc array B[proc] : bool init (z) { B[z] = False } unsafe (z) { B[z] = True && P = z }
         transition take (x) requires { P <> x && forall_other y. P <> y } { P := x }
         transition give (x y) requires { P = x && forall_other z. B[z] = False } { P := y; Q := x; B[x] := True }
         transition drop (x) requires { Q = x && forall_other z. (P <> z || B[z] = True) }
         { Q := ?; B[j] := case | j = x : False | P = j : True | _ : B[j] }
         transition swap () requires { forall z. (B[z] = True || Q = z) } { P := Q; Q := P }",
    ),
    (
        "cells of pointers",
        3,
        false,
        "array R[proc] : proc array B[proc] : bool init (z) { B[z] = False } unsafe (z) { B[z] = True && R[z] = z }
         transition bow (x) requires { R[x] <> x && forall_other y. R[y] <> x } { R[x] := x; B[x] := True }
         transition follow (x y) requires { R[x] = y && forall_other z. (B[z] = True || R[z] = z) } { R[x] := R[y] }
         transition all (x) { R[j] := case | R[j] = j : x | B[j] = B[x] : R[x] | _ : R[j] }",
    ),
    (
        "pairs",
        3,
        false,
        "var G : bool array M[proc, proc] : bool init (y z) { M[y, z] = False && G = True } unsafe (z) { M[z, z] = True }
         transition star (x) requires { forall_other y. (M[x, y] = True && M[y, y] = False) } { M[x, x] := G }
         transition row (x) requires { forall y. M[y, x] = G }
         { M[i, j] := case | i = x : True | M[i, j] = True && j <> x : False | _ : M[i, j] }
         transition edge (x y) requires { M[x, y] = False && forall_other z. M[z, y] = M[x, z] } { M[y, x] := True; G := M[x, x] }",
    ),
    (
        "line",
        3,
        true,
        "var P : proc array B[proc] : bool init (z) { B[z] = False } unsafe (z) { B[z] = True && P = z }
         transition first (x) requires { forall_other y. (x < y || B[y] = True) } { B[x] := True }
         transition next (x) requires { P < x && forall_other y. (x < y || y <= P) } { P := x }
         transition all (x) { B[j] := case | x < j : False | P = j : True | _ : B[j] }",
    ),
    (
        "with constants",
        4,
        false,
        "number_procs 4 var P : proc array B[proc] : bool init (z) { B[#1] = True && B[z] = False } unsafe (z) { B[z] = True && P = z }
         transition lead (x) requires { B[#1] = False && forall_other y. B[y] = B[x] } { B[j] := case | j = x : True | j = #2 : False | _ : B[j] }
         transition alone (x) requires { forall_other y. (P <> y || B[y] = True) } { P := x; B[#1] := B[x] }",
    ),
    (
        "sorts",
        3,
        false,
        "type node < proc type item < proc var P : item array S[node] : bool array Free[item] : bool
         init (n : node i : item) { S[n] = False && Free[i] = True } unsafe (n : node i : item) { S[n] = True && Free[i] = True }
         transition take (n : node i : item) requires { P <> i && Free[i] = True && forall_other m : node. S[m] = False }
         { Free[i] := False; S[n] := True; P := i }
         transition all (n : node) requires { forall j : item. Free[j] = False || P = j }
         { S[m] := case | m = n : True | _ : False; Free[j] := case | P = j : False | _ : Free[j] }",
    ),
    (
        "amounts",
        3,
        false,
        "var X : int array N[proc] : int init (z) { N[z] = 0 && X = 0 } unsafe (z) { N[z] > X }
         transition most (x) requires { forall_other y. N[y] < N[x] } { X := N[x] }
         transition all (x) requires { forall_other y. N[y] + N[x] <= X } { N[j] := case | N[j] > X : X | j = x : N[j] + 1 | _ : N[j] }",
    ),
];

/// All worlds with such steps.
pub static CROWDS: LazyLock<Vec<World>> = LazyLock::new(|| CROWDS_TEXTS.iter().map(World::new).collect());

/// All other worlds.
pub static WORLDS: LazyLock<Vec<World>> = LazyLock::new(|| TEXTS.iter().map(World::new).collect());

pub fn world(name: &str) -> &'static World {
    WORLDS.iter().find(|w| w.name == name).expect("one of the worlds")
}

impl World {
    fn new(&(name, procs, ordered, text): &(&'static str, u8, bool, &str)) -> Self {
        let system = cubicle_lang::load(text).expect("a correct model").system;
        let context = CubeContext::new(&system, true, &Interrupt::default());
        let mut cells = Vec::new();
        let mut ghosts = Vec::new();
        for (v, var) in system.vars.iter().enumerate() {
            let id = VarId(v as u16);
            cells.extend(
                tuples(procs.into(), var.arity()).map(|i| CubeCell::of(id, i.into_iter().map(|p| p as u8))),
            );
            let chosen = |u: &Update| u.var == id && u.assignment == Assignment::Nondet;
            if system.transitions.iter().flat_map(|t| &t.updates).any(chosen) {
                ghosts.push(CubeCell::ghost(id));
            }
        }
        let mut world = Self { name, system, context, procs, cells, ghosts, ordered, models: Vec::new() };
        world.models =
            world.orders().into_iter().flat_map(|order| world.fillings(order, &world.cells)).collect();
        world
    }

    /// Whether a literal holds, in each model.
    pub fn truths(&self, relational: &Relational) -> Vec<bool> {
        self.models.iter().map(|m| m.holds(&CubeLiteral::Relational(relational.clone()))).collect()
    }

    /// The orders of the named processes; the constants come first.
    fn orders(&self) -> Vec<Vec<usize>> {
        let n = usize::from(self.procs);
        let rigid = usize::from(self.context.rigid);
        let all = distinct_tuples(n, if self.ordered { n } else { 0 });
        all.map(|order| if self.ordered { order } else { (0..n).collect() })
            .filter(|order: &Vec<usize>| order.iter().take(rigid).enumerate().all(|(i, &at)| i == at))
            .collect()
    }

    fn fillings(&self, order: Vec<usize>, cells: &[CubeCell]) -> Vec<Model> {
        let mut models = vec![Model { order, values: Vec::new() }];
        for &cell in cells {
            let domain = self.domain(cell);
            models = models
                .into_iter()
                .flat_map(|m| domain.iter().map(move |&v| m.with(cell, v)).collect::<Vec<_>>())
                .collect();
        }
        models
    }

    /// The values of a cell; of infinitely many, as many as the cells of the world can tell apart.
    pub fn domain(&self, cell: CubeCell) -> Vec<Value> {
        let n = usize::from(self.procs);
        let alike = self.alike(cell) as i64;
        match self.context.kind(cell) {
            CellKind::Enum(range) => {
                (0..64).filter(|c| range >> c & 1 == 1).map(Value::Constructor).collect()
            }
            CellKind::Proc => {
                let inside = (0..n).map(|p| Point::process(p).0);
                // One gap is enough where no literal mentions the order.
                let gaps = if self.ordered { n + 1 } else { 1 };
                // What `?` chooses may lie between any two others.
                let places = if cell.is_ghost() { 1..=2 * alike + 1 } else { 1..=alike };
                let step = if cell.is_ghost() { 1 } else { 2 };
                let outside =
                    (0..gaps).flat_map(|gap| places.clone().map(move |i| Point::process(gap).0 - step * i));
                let never = self.context.full(cell, self.procs) == OTHER;
                let all = inside.filter(|_| !never).chain(outside);
                all.map(|point| Value::Proc(Point(point))).collect()
            }
            CellKind::Int => (-2..=2).map(|n| Value::Number(Rational::integer(n))).collect(),
            CellKind::Real => {
                let halves = (-4..=4).map(|n| Rational::new(n, 2).expect("a small number"));
                halves.map(Value::Number).collect()
            }
            CellKind::Abstract => {
                let fresh = u32::from(cell.is_ghost());
                (0..self.alike(cell) as u32 + fresh).map(Value::Abstract).collect()
            }
        }
    }

    /// Number of cells of this one's type.
    fn alike(&self, cell: CubeCell) -> usize {
        self.cells.iter().filter(|&&c| self.context.kind(c) == self.context.kind(cell)).count()
    }

    /// The literal that these numbers stand for, with ghosts among its cells when `ghosts`.
    pub fn literal(&self, raw: Raw, ghosts: bool) -> Reduced {
        self.literal_among(self.procs, raw, ghosts)
    }

    /// The literal over the first `procs` processes that these numbers stand for; true where these have no cells.
    fn literal_among(&self, procs: u8, raw: Raw, ghosts: bool) -> Reduced {
        let (a, b, kind, mask, (k, l, c)) = raw;
        let named = |cell: &CubeCell| self.context.indices(*cell).all(|index| index < procs);
        let mut cells: Vec<CubeCell> = self.cells.iter().copied().filter(named).collect();
        if cells.is_empty() {
            return Reduced::True;
        }
        if ghosts {
            cells.extend(&self.ghosts);
        }
        let a = cells[usize::from(a) % cells.len()];
        let a_kind = self.context.kind(a);
        if a_kind == CellKind::Proc {
            cells.extend((0..procs).map(CubeCell::process));
        }
        let like = |c: &CubeCell| match (self.context.kind(*c), a_kind) {
            (CellKind::Enum(_), CellKind::Enum(_)) => {
                self.system.var(c.var()).ty == self.system.var(a.var()).ty
            }
            (x, y) => x == y,
        };
        let others: Vec<CubeCell> = cells.into_iter().filter(like).collect();
        let b = others[usize::from(b) % others.len()];
        let env = Instantiation { context: &self.context, procs, vars: &[] };
        let (left, right) = (CellValue::Cell(a), CellValue::Cell(b));
        let full = self.context.full(a, procs);
        match a_kind {
            CellKind::Enum(_) if kind % 4 < 2 => Reduced::mask(a, mask.into(), full),
            CellKind::Proc if kind % 6 < 2 => {
                let outside = if mask >> 4 & 1 == 1 { OTHER } else { 0 };
                Reduced::mask(a, u64::from(mask & 0xf) | outside, full)
            }
            CellKind::Proc if self.ordered && kind % 6 > 3 => env.less(&left, &right, kind % 2 == 0),
            CellKind::Enum(_) | CellKind::Proc | CellKind::Abstract => {
                env.equal(&left, &right, kind % 2 == 0)
            }
            CellKind::Int | CellKind::Real => {
                let [k, l, c] = [k % 3, l % 3, c % 4].map(|n| Rational::integer(n.into()));
                let relation =
                    [Relation::Le, Relation::Lt, Relation::Eq, Relation::Ne][usize::from(kind % 4)];
                linear(&[(a, k), (b, l)], c, relation, a_kind == CellKind::Int).expect("small numbers")
            }
        }
    }

    /// The literals of these numbers that are not always true; `None` when one never holds.
    pub fn literals(&self, raw: &[Raw], ghosts: bool) -> Option<Vec<CubeLiteral>> {
        self.literals_among(self.procs, raw, ghosts)
    }

    fn literals_among(&self, procs: u8, raw: &[Raw], ghosts: bool) -> Option<Vec<CubeLiteral>> {
        let mut out = Vec::new();
        for raw in raw {
            match self.literal_among(procs, *raw, ghosts) {
                Reduced::True => {}
                Reduced::False => return None,
                Reduced::Literal(literal) => out.push(literal),
            }
        }
        Some(out)
    }

    /// What these numbers say of the first `procs` processes, and what they say that no other process has; `None` where they contradict themselves.
    pub fn said_of_others(&self, procs: u8, named: &[Raw], others: &[Vec<Raw>]) -> Option<Said> {
        let others = others.iter().filter_map(|raw| self.literals_among(procs + 1, raw, false)).collect();
        Some(Said { procs, named: self.literals_among(procs, named, false)?, others })
    }

    /// The cube of what is said; `None` when it is found empty.
    pub fn cube_of(&self, said: &Said) -> Option<Cube> {
        let mut builder = CubeBuilder::new(&self.context, said.procs);
        said.others.iter().for_each(|it| builder.exclude(it.clone().into()));
        if builder.require_all(&said.named) { builder.finish().expect("small numbers") } else { None }
    }

    /// Whether what is said holds where its process `i` is `names[i]`, in an instance whose processes are those of the world.
    pub fn is_said(&self, said: &Said, model: &Model, names: &[u8]) -> bool {
        model.seen_as(&self.context, names).holds_all(&said.named)
            && self.no_other(model, names, said.others.iter().map(Vec::as_slice))
    }

    /// Whether no process of the world beside these has all literals of one of the conjunctions.
    fn no_other<'c>(
        &self,
        model: &Model,
        names: &[u8],
        mut others: impl Iterator<Item = &'c [CubeLiteral]> + Clone,
    ) -> bool {
        if others.clone().next().is_none() {
            return true;
        }
        let free = (0..self.procs).filter(|p| !names.contains(p));
        let seen: Vec<Model> = free.map(|p| model.seen_as(&self.context, &[names, &[p]].concat())).collect();
        others.all(|excluded| !seen.iter().any(|it| it.holds_all(excluded)))
    }

    /// The cube of a conjunction; `None` when it is found empty.
    pub fn cube(&self, literals: &[CubeLiteral]) -> Option<Cube> {
        let mut builder = CubeBuilder::new(&self.context, self.procs);
        if builder.require_all(literals) { builder.finish().expect("small numbers") } else { None }
    }

    /// The cube of these numbers.
    pub fn drawn(&self, raw: &[Raw]) -> Option<Cube> {
        self.cube(&self.literals(raw, false)?)
    }

    /// The ways of naming `procs` processes by processes of the world, the constants by themselves.
    pub fn maps(&self, procs: u8) -> impl Iterator<Item = Vec<u8>> {
        self.maps_among(self.procs, procs)
    }

    fn maps_among(&self, all: u8, procs: u8) -> impl Iterator<Item = Vec<u8>> {
        let rigid = usize::from(self.context.rigid);
        distinct_tuples(all.into(), procs.into())
            .map(|map| map.into_iter().map(|p| p as u8).collect::<Vec<_>>())
            .filter(move |map| map.iter().take(rigid).enumerate().all(|(i, &p)| i == usize::from(p)))
    }

    /// Whether a model is in a cube, whatever the processes are called.
    pub fn inside(&self, cube: &Cube, model: &Model) -> bool {
        self.inside_among(cube, model, self.procs)
    }

    /// Whether a model is in a cube, whatever the processes are called, but all of them among the first `all`.
    pub fn inside_among(&self, cube: &Cube, model: &Model, all: u8) -> bool {
        self.maps_among(all, cube.procs).any(|map| self.inside_as(cube, model, &map))
    }

    /// Whether a model is in a cube whose process `i` is `names[i]`.
    pub fn inside_as(&self, cube: &Cube, model: &Model, names: &[u8]) -> bool {
        model.seen_as(&self.context, names).in_cube(cube)
            && self.no_other(model, names, cube.others.iter().map(AsRef::as_ref))
    }

    /// Whether a model is in a cube whose processes are the first ones.
    pub fn inside_first(&self, cube: &Cube, model: &Model) -> bool {
        self.inside_as(cube, model, &(0..cube.procs).collect::<Vec<_>>())
    }

    /// The model as a concrete state, and the processes that its names stand for.
    pub fn state(&self, model: &Model) -> (State, Vec<usize>) {
        let n = usize::from(self.procs);
        let layout = Layout::new(&self.system, n);
        let mut values = vec![Value::Abstract(0); layout.len()];
        for &(cell, value) in &model.values {
            let index = self.context.indices(cell).map(|p| model.order[usize::from(p)]);
            values[layout.position(cell.var(), index)] = value;
        }
        (State { procs: n, values }, model.order.clone())
    }

    /// The part of another state that the processes of `model` observe.
    pub fn seen(&self, state: &State, model: &Model) -> Model {
        let layout = Layout::new(&self.system, self.procs.into());
        let value = |&cell: &CubeCell| {
            let index = self.context.indices(cell).map(|p| model.order[usize::from(p)]);
            (cell, state.values[layout.position(cell.var(), index)])
        };
        Model { order: model.order.clone(), values: self.cells.iter().map(value).collect() }
    }
}

impl Model {
    pub fn with(&self, cell: CubeCell, value: Value) -> Self {
        let mut new = self.clone();
        new.values.push((cell, value));
        new
    }

    fn value(&self, cell: CubeCell) -> Value {
        if let Some(p) = cell.as_process() {
            return Value::Proc(Point::process(self.order[usize::from(p)]));
        }
        self.values.iter().find(|v| v.0 == cell).expect("a cell of the model").1
    }

    /// The model with name `i` for the process that was `map[i]`, and no more names.
    fn seen_as(&self, context: &CubeContext, map: &[u8]) -> Self {
        let order = map.iter().map(|&p| self.order[usize::from(p)]).collect();
        let mut values = Vec::new();
        for &(cell, value) in &self.values {
            let index: Option<Vec<u8>> =
                context.indices(cell).map(|p| map.iter().position(|&q| q == p).map(|i| i as u8)).collect();
            if let Some(index) = index {
                values.push((CubeCell::of(cell.var(), index), value));
            }
        }
        Self { order, values }
    }

    pub fn holds(&self, literal: &CubeLiteral) -> bool {
        match literal {
            CubeLiteral::Mask(cell, mask) => match self.value(*cell) {
                Value::Constructor(c) => mask >> c & 1 == 1,
                Value::Proc(point) => {
                    let named = self.order.iter().position(|&at| Point::process(at) == point);
                    named.map_or(mask & OTHER != 0, |p| mask >> p & 1 == 1)
                }
                other => panic!("{other:?} has no mask"),
            },
            CubeLiteral::Relational(relational) => self.satisfies(relational),
        }
    }

    fn satisfies(&self, relational: &Relational) -> bool {
        let point = |c: &CubeCell| match self.value(*c) {
            Value::Proc(point) => point,
            other => panic!("{other:?} has no place"),
        };
        match relational {
            Relational::Eq(a, b) => self.value(*a) == self.value(*b),
            Relational::Ne(a, b) => self.value(*a) != self.value(*b),
            Relational::Lt(a, b) => point(a) < point(b),
            Relational::Le(a, b) => point(a) <= point(b),
            Relational::Linear { form, bound, .. } => {
                let sum = form.iter().fold(Rational::ZERO, |sum, (cell, k)| match self.value(*cell) {
                    Value::Number(n) => sum.add(k.mul(n).expect("small")).expect("small"),
                    other => panic!("{other:?} is not a number"),
                });
                let above = sum.sub(bound.number()).expect("small").signum();
                match bound {
                    Bound::Le(_) => above <= 0,
                    Bound::Lt(_) => above < 0,
                    Bound::Ge(_) => above >= 0,
                    Bound::Gt(_) => above > 0,
                    Bound::Eq(_) => above == 0,
                    Bound::Ne(_) => above != 0,
                }
            }
        }
    }

    pub fn holds_all(&self, literals: &[CubeLiteral]) -> bool {
        literals.iter().all(|literal| self.holds(literal))
    }

    /// Whether the model has the literals of a cube, under the same names.
    pub fn in_cube(&self, cube: &Cube) -> bool {
        cube.literals().all(|literal| self.holds(&literal))
    }
}
