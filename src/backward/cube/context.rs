//! Cells of the processes that a cube names, as one machine word each, and their possible values.

use smallvec::SmallVec;

use super::cell::{CubeCell, MAX_PROCS, OTHER, low};
use cubicle_lang::model::{Assignment, Literal, ProcRef, System, Term, Type, Var, VarId, VarKind};
use cubicle_run::Interrupt;

/// The type of a cell's values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CellKind {
    /// A constructor out of this set (the value range).
    Enum(u64),
    /// A process or an outside value.
    Proc,
    Int,
    Real,
    /// A value of an abstract type.
    Abstract,
}

/// The facts about a system that cube algebra needs, and the interrupt.
#[derive(Clone, Debug)]
pub struct CubeContext {
    arity: Vec<u8>,
    kinds: Vec<CellKind>,
    constant: Vec<bool>,
    /// Proc globals that never hold a process.
    outside: Vec<bool>,
    /// Number of the first value of each enum variable, all counted through.
    first_value: Vec<u32>,
    /// The array that says of which sort a process is.
    sort_array: Option<VarId>,
    /// The sorts of the indices of each variable's cells; `None`: any.
    sorts: Vec<SmallVec<[Option<u8>; 2]>>,
    /// The sort of the processes that each variable points to; `None`: any.
    pointed: Vec<Option<u8>>,
    /// Which arrays no step assigns, in a system with sorts.
    relations: Vec<bool>,
    /// Which arrays say for good of which kind a process is.
    kind_arrays: Vec<bool>,
    /// Number of rigid processes: `#1..#rigid` stand first in every cube and are never renamed.
    pub rigid: u8,
    /// Most processes that an instance may have.
    pub max_procs: usize,
    /// Whether that bound is the model's own, rather than the capacity of a mask: beyond the model's bound there is
    /// nothing, while beyond the capacity a search must give up.
    pub bounded: bool,
    /// Polled by all code that may take long.
    pub interrupt: Interrupt,
}

impl CubeContext {
    /// Reads the context off a system; with `ranges`, also which proc globals never hold a process.
    pub fn new(system: &System, ranges: bool, interrupt: &Interrupt) -> Self {
        let mut values = 0;
        let first_value = system.vars.iter().map(|v| {
            let first = values;
            if let Type::Enum(e) = v.ty {
                values += system.enumeration(e).constructors.len() as u32;
            }
            first
        });
        let kind = |v: &Var| match v.ty {
            Type::Proc => CellKind::Proc,
            Type::Int => CellKind::Int,
            Type::Real => CellKind::Real,
            Type::Abstract(_) => CellKind::Abstract,
            Type::Enum(e) => CellKind::Enum(v.range & system.enumeration(e).all()),
        };
        let stays = |id: VarId| !system.transitions.iter().any(|t| system.may_change(t, id));
        let all = || (0..).map(VarId).zip(&system.vars);
        let sorts = |(id, var): (VarId, &Var)| (0..var.arity()).map(|at| system.index_sort(id, at)).collect();
        Self {
            interrupt: interrupt.clone(),
            first_value: first_value.collect(),
            outside: if ranges { never_a_process(system) } else { vec![false; system.vars.len()] },
            arity: system.vars.iter().map(|v| v.arity() as u8).collect(),
            kinds: system.vars.iter().map(kind).collect(),
            sort_array: system.sort_array(),
            sorts: all().map(sorts).collect(),
            pointed: all().map(|(id, _)| system.pointed_sort(id)).collect(),
            constant: system.vars.iter().map(|v| v.kind == VarKind::Const && v.ty.is_numeric()).collect(),
            relations: all().map(|(id, _)| system.sorts.is_some() && stays(id)).collect(),
            kind_arrays: all().map(|(id, _)| says_kind(system, id)).collect(),
            rigid: system.proc_constants,
            bounded: system.max_procs.is_some_and(|n| n as usize <= MAX_PROCS),
            max_procs: system.max_procs.map_or(MAX_PROCS, |n| (n as usize).min(MAX_PROCS)),
        }
    }

    /// Whether a cell says of which sort a process is. What says no more of a process than this does not name it, and what names
    /// a process says of which sort it is, as far as that is known.
    pub fn is_sort(&self, cell: CubeCell) -> bool {
        self.sort_array.is_some_and(|array| !cell.is_process() && !cell.is_ghost() && cell.var() == array)
    }

    /// Whether a cell says for good of which kind a process is: its sort, or in a system without sorts any array of an enum type that no step
    /// assigns.
    pub fn is_kind(&self, cell: CubeCell) -> bool {
        !cell.is_process() && !cell.is_ghost() && self.kind_arrays[usize::from(cell.var().0)]
    }

    /// Whether a cell, in a system with sorts, is of an array that no step assigns.
    pub fn is_relation(&self, cell: CubeCell) -> bool {
        !cell.is_process() && !cell.is_ghost() && self.relations[usize::from(cell.var().0)]
    }

    /// The cell that says of which sort a process is, in a system with sorts.
    pub fn sort_of(&self, process: u8) -> Option<CubeCell> {
        self.sort_array.map(|array| CubeCell::of(array, [process]))
    }

    /// The sorts that the indices of a cell are of, where these are not any.
    pub fn sorted_indices(&self, cell: CubeCell) -> impl Iterator<Item = (u8, u8)> + '_ {
        let sorts: &[Option<u8>] =
            if cell.is_process() { &[] } else { &self.sorts[usize::from(cell.var().0)] };
        sorts.iter().enumerate().filter_map(move |(at, sort)| sort.map(|sort| (cell.index(at), sort)))
    }

    /// The sort of the processes that a pointer holds; `None`: any.
    pub fn pointed_sort(&self, cell: CubeCell) -> Option<u8> {
        if cell.is_process() || cell.is_ghost() { None } else { self.pointed[usize::from(cell.var().0)] }
    }

    /// Number of variables.
    pub fn vars(&self) -> usize {
        self.kinds.len()
    }

    /// Number of indices of a variable's cells.
    pub fn arity(&self, var: VarId) -> usize {
        usize::from(self.arity[var.0 as usize])
    }

    /// The type of a cell's values; a process counts as [`CellKind::Proc`].
    pub fn kind(&self, cell: CubeCell) -> CellKind {
        if cell.is_process() { CellKind::Proc } else { self.kinds[cell.var().0 as usize] }
    }

    /// The type of the values of a variable's cells.
    pub fn kind_of(&self, var: VarId) -> CellKind {
        self.kinds[usize::from(var.0)]
    }

    /// Whether a cell is a declared numeric constant.
    pub fn is_constant(&self, cell: CubeCell) -> bool {
        !cell.is_process() && self.constant[cell.var().0 as usize]
    }

    /// A bit for each of these values of an enum variable: all different in small systems, shared by several
    /// in large ones. Filters comparisons of cubes.
    pub fn features(&self, var: VarId, values: u64) -> u128 {
        // Bit v of `values` goes to bit (first + v) mod 128.
        u128::from(values).rotate_left(self.first_value[usize::from(var.0)] % 128)
    }

    /// Every value of a masked cell in a cube with `procs` processes; 0 for kinds without masks.
    pub fn full(&self, cell: CubeCell, procs: u8) -> u64 {
        if let Some(p) = cell.as_process() {
            return 1 << p;
        }
        match self.kind(cell) {
            CellKind::Enum(range) => range,
            CellKind::Proc if self.outside[cell.var().0 as usize] => OTHER,
            CellKind::Proc => OTHER | low(procs),
            CellKind::Int | CellKind::Real | CellKind::Abstract => 0,
        }
    }

    /// Proc globals that hold no process in any reachable state.
    pub fn outside_globals(&self) -> impl Iterator<Item = CubeCell> + '_ {
        let all = self.outside.iter().enumerate().filter(|v| *v.1);
        all.map(|(v, _)| CubeCell::of(VarId(v as u16), []))
    }

    /// Globals that may hold a process.
    pub fn pointers(&self) -> impl Iterator<Item = CubeCell> + '_ {
        let may_hold =
            |v: &usize| self.arity[*v] == 0 && self.kinds[*v] == CellKind::Proc && !self.outside[*v];
        (0..self.kinds.len()).filter(may_hold).map(|v| CubeCell::of(VarId(v as u16), []))
    }

    /// The processes that a cell is indexed by.
    pub fn indices(&self, cell: CubeCell) -> impl Iterator<Item = u8> + use<> {
        let n = if cell.is_process() { 0 } else { self.arity(cell.var()) };
        (0..n).map(move |k| cell.index(k))
    }

    /// The cell under a renaming of processes.
    pub fn rename(&self, cell: CubeCell, map: &[u8]) -> CubeCell {
        if let Some(p) = cell.as_process() {
            return CubeCell::process(map[p as usize]);
        }
        if cell.is_ghost() {
            return cell;
        }
        CubeCell::of(cell.var(), self.indices(cell).map(|p| map[p as usize]))
    }

    /// A process mask under a renaming into a cube with `target` processes. [`OTHER`] becomes "other,
    /// or a process of the target that is not in the image of the map".
    pub fn rename_procs(mask: u64, map: &[u8], target: u8) -> u64 {
        let (mut image, mut out) = (0u64, 0u64);
        for (p, &q) in map.iter().enumerate() {
            image |= 1 << q;
            if mask >> p & 1 == 1 {
                out |= 1 << q;
            }
        }
        if mask & OTHER != 0 {
            out |= OTHER | (low(target) & !image);
        }
        out
    }
}

/// Whether an array says for good of which kind a process is. In a system with sorts, other arrays that stay as they are can be relations of the
/// model's subject, which candidates choose among.
fn says_kind(system: &System, id: VarId) -> bool {
    let var = system.var(id);
    let stays = || !system.transitions.iter().any(|t| system.may_change(t, id));
    let of_enum = var.arity() == 1 && matches!(var.ty, Type::Enum(_));
    if system.sorts.is_some() { system.sort_array() == Some(id) } else { of_enum && stays() }
}

/// Proc globals that hold no process in any reachable state: every disjunct of init says `G <> p` of its
/// parameter p, and only such globals are ever copied into G. (FLASH's `Home` is one.)
///
/// Sound by induction over runs: with no processes there is nothing to hold; otherwise every process is
/// an instance of the parameter in some conjunct that holds initially, and an assignment copies an
/// outside value. The greatest set is computed by removing the globals that break the rule.
fn never_a_process(system: &System) -> Vec<bool> {
    let excluded = |v: usize| {
        let is_cell = |t: &Term| matches!(t, Term::Cell(c) if usize::from(c.var.0) == v);
        let conj_excludes = |conj: &Vec<Literal>| {
            conj.iter().any(|l| match l {
                Literal::Eq { left, right, negated: true } => {
                    let (a, b) = if is_cell(left) { (left, right) } else { (right, left) };
                    is_cell(a) && matches!(b, Term::Proc(ProcRef::Var(_)))
                }
                _ => false,
            })
        };
        system.init.params > 0 && system.init.body.0.iter().all(conj_excludes)
    };
    let mut outside: Vec<bool> = system
        .vars
        .iter()
        .enumerate()
        .map(|(v, var)| var.ty == Type::Proc && var.arity() == 0 && excluded(v))
        .collect();
    loop {
        let before = outside.clone();
        for update in system.transitions.iter().flat_map(|t| &t.updates) {
            let kept = match &update.assignment {
                Assignment::Nondet => false,
                Assignment::Cases(branches) => {
                    branches.iter().all(|b| matches!(&b.value, Term::Cell(c) if before[usize::from(c.var.0)]))
                }
            };
            if !kept {
                outside[usize::from(update.var.0)] = false;
            }
        }
        if outside == before {
            return outside;
        }
    }
}
