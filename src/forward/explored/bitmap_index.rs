//! Matches candidate cubes against all stored states: one bitmap over the states for each (cell, code), so that
//! a cube under one renaming is an intersection of a few bitmaps.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::ground::formula::{Grounder, Lit, Side};
use crate::program::code::{Guard, Test};
use crate::program::compiled::Program;
use crate::program::lazy::Gaps;
use crate::store::table::Store;
use cubicle_lang::model::classes::Distinctness;
use cubicle_lang::model::semantics::distinct_tuples;
use cubicle_lang::model::{Cell, Literal, ProcRef, System};
use cubicle_run::oracle::OracleAnswer;

/// One bitmap for each raw value of a cell's field, including the undefined one.
type CellBitmaps = Vec<Vec<u64>>;

/// Some states of one exploration, with bitmaps made on first use. The store is passed with each query: forks that
/// share the index may append states of their own after these.
pub struct BitmapIndex {
    program: Arc<Program>,
    /// The indexed states.
    range: Range<usize>,
    system: Arc<System>,
    cells: Vec<OnceLock<CellBitmaps>>,
    /// Answers to earlier cubes. Only looked up, never iterated.
    known: Mutex<HashMap<(u8, Vec<Literal>), OracleAnswer>>,
}

impl BitmapIndex {
    pub fn new(system: Arc<System>, program: Arc<Program>, range: Range<usize>) -> Self {
        let cells = (0..program.cells.len()).map(|_| OnceLock::new()).collect();
        Self { program, range, system, cells, known: Mutex::new(HashMap::new()) }
    }

    /// Whether some state of the range in `store` satisfies the cube under some renaming.
    pub fn ask(&self, store: &Store, procs: u8, literals: &[Literal]) -> OracleAnswer {
        let key = (procs, literals.to_vec());
        if let Some(answer) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return *answer;
        }
        let answer = self.test(store, procs, literals);
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, answer);
        answer
    }

    fn test(&self, store: &Store, procs: u8, literals: &[Literal]) -> OracleAnswer {
        let fixed = usize::from(self.system.proc_constants);
        let k = self.program.cells.procs;
        if usize::from(procs) + fixed > k {
            return OracleAnswer::Untested;
        }
        // A count that was added to the system later.
        let known = |cell: &&Cell| usize::from(cell.var.0) < self.system.vars.len();
        if !literals.iter().flat_map(Literal::cells).all(|cell| known(&cell)) {
            return OracleAnswer::Untested;
        }
        let sorts = self.program.sorts.as_ref();
        let grounder = Grounder { system: &self.system, places: &self.program.cells.places, sorts };
        for env in self.renamings(usize::from(procs), literals) {
            let conj = match grounder.conj(literals, &env) {
                Ok(Some(conj)) => conj,
                Ok(None) => continue,
                Err(_) => return OracleAnswer::Untested,
            };
            let mut guard = Guard::default();
            for lit in &conj {
                if !self.represented(lit) {
                    return OracleAnswer::Untested;
                }
                match self.program.counts.test(&self.program.cells, lit) {
                    Ok(Test::In(cell, codes)) => match guard.sets.iter_mut().find(|(c, _)| *c == cell) {
                        Some((_, old)) => *old &= codes,
                        None => guard.sets.push((cell, codes)),
                    },
                    Ok(test) => guard.tests.push(test),
                    Err(_) => return OracleAnswer::Untested,
                }
            }
            if guard.sets.iter().any(|(_, codes)| *codes == 0) {
                continue;
            }
            for test in &guard.tests {
                test.cells(&mut |c| {
                    if !guard.reads.contains(&c) {
                        guard.reads.push(c);
                    }
                });
            }
            if self.some_state(store, &guard) {
                return OracleAnswer::Reached;
            }
        }
        OracleAnswer::Unseen
    }

    /// The ways in which parameters of a cube may be different processes of the instance, without those in which literals about their sorts
    /// plainly do not hold.
    fn renamings(&self, params: usize, literals: &[Literal]) -> Box<dyn Iterator<Item = Vec<usize>>> {
        let fixed = usize::from(self.system.proc_constants);
        let others = self.program.cells.procs - fixed;
        let Some(sorts) = &self.program.sorts else {
            let shifted = move |env: Vec<usize>| env.into_iter().map(|p| p + fixed).collect();
            return Box::new(distinct_tuples(others, params).map(shifted));
        };
        let mut allowed = vec![u64::MAX; params];
        for literal in literals {
            if let Literal::In { cell, values } = literal
                && cell.var == sorts.array
                && let ProcRef::Var(param) = cell.index[0]
            {
                allowed[usize::from(param)] &= values;
            }
        }
        let mut tuples: Vec<Vec<usize>> = vec![Vec::new()];
        for sort in allowed {
            let of_sort = |p: &usize| sorts.of.get(*p).is_some_and(|it| sort >> it & 1 == 1);
            let longer = |tuple: Vec<usize>| {
                let free: Vec<usize> =
                    (fixed..fixed + others).filter(|p| of_sort(p) && !tuple.contains(p)).collect();
                free.into_iter().map(move |p| [&tuple[..], &[p]].concat())
            };
            tuples = tuples.into_iter().flat_map(longer).collect();
        }
        Box::new(tuples.into_iter())
    }

    /// Whether states determine the literal: values that the system never compares are
    /// not distinguished.
    fn represented(&self, lit: &Lit) -> bool {
        let cells = &self.program.cells;
        let class = |c: usize| &cells.classes[cells.cells[c].class];
        match lit {
            Lit::In { .. } | Lit::Linear { .. } => true,
            Lit::Same { a, b, .. } => {
                cells.cells[*a].class == cells.cells[*b].class
                    && (class(*a).nameless == 0
                        || matches!(class(*a).names, Distinctness::Partition | Distinctness::Ordered))
            }
            Lit::Less { a, b, .. } => {
                let (Side::Cell(x), Side::Cell(y)) = (a, b) else {
                    let mut gaps = true;
                    lit.cells(|c| {
                        gaps &= matches!(class(c).names, Distinctness::Ordered | Distinctness::Gaps);
                    });
                    return gaps;
                };
                cells.cells[*x].class == cells.cells[*y].class && class(*x).names == Distinctness::Ordered
            }
        }
    }

    fn column(&self, store: &Store, cell: usize) -> &CellBitmaps {
        self.cells[cell].get_or_init(|| {
            let field = self.program.packing.fields[cell];
            let mut columns = vec![vec![0u64; self.range.len().div_ceil(64)]; 1 << field.bits];
            for i in 0..self.range.len() {
                let raw = field.raw(store.state(self.range.start + i));
                columns[raw as usize][i / 64] |= 1 << (i % 64);
            }
            columns
        })
    }

    /// Whether some state satisfies the ground cube.
    fn some_state(&self, store: &Store, guard: &Guard) -> bool {
        let states = self.range.len();
        let cells = &self.program.cells;
        // For each cell: the allowed columns or the excluded ones, whichever are fewer.
        let mut parts: Vec<(Vec<&[u64]>, bool)> = Vec::with_capacity(guard.sets.len());
        for (cell, codes) in &guard.sets {
            let field = self.program.packing.fields[*cell];
            let mut allowed = *codes & cells.all_codes(*cell);
            if cells.cells[*cell].undef {
                allowed |= 1 << field.undef;
            }
            let columns = self.column(store, *cell);
            let n = columns.len();
            let invert = allowed.count_ones() as usize * 2 > n;
            let chosen = (0..n).filter(|c| (allowed >> c & 1 == 1) != invert);
            parts.push((chosen.map(|c| columns[c].as_slice()).collect(), invert));
        }
        parts.sort_by_key(|(columns, invert)| (*invert, columns.len()));
        for w in 0..states.div_ceil(64) {
            let mut word = if w == states / 64 { (1u64 << (states % 64)) - 1 } else { u64::MAX };
            for (columns, invert) in &parts {
                let union = columns.iter().fold(0, |u, column| u | column[w]);
                word &= if *invert { !union } else { union };
                if word == 0 {
                    break;
                }
            }
            if word == 0 {
                continue;
            }
            if guard.tests.is_empty() {
                return true;
            }
            while word != 0 {
                let i = w * 64 + word.trailing_zeros() as usize;
                word &= word - 1;
                if self.satisfies(guard, store.state(self.range.start + i)) {
                    return true;
                }
            }
        }
        false
    }

    /// Whether a state that satisfies the sets also satisfies the tests.
    fn satisfies(&self, guard: &Guard, state: &[u64]) -> bool {
        let undefined = |c: &usize| {
            let field = self.program.packing.fields[*c];
            field.raw(state) == field.undef
        };
        if !guard.reads.iter().any(undefined) {
            return self.program.all(&guard.tests, state) == Some(true);
        }
        self.program.may_hold(guard, state, Gaps::new(&mut false, None))
    }
}
