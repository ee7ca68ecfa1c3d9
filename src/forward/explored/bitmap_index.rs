//! Matches candidate cubes against all stored states: one bitmap over the states for each (cell, code), so that
//! a cube under one renaming is an intersection of a few bitmaps.

use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use hashbrown::HashMap;
use smallvec::SmallVec;

use crate::ground::{Arguments, Grounder, Lit, Side};
use crate::program::{Gaps, Guard, Program};
use crate::store::Store;
use crate::tuning::MAX_SOUGHT;
use cubicle_lang::model::classes::Distinctness;
use cubicle_lang::model::{Cell, Conj, Literal};
use cubicle_run::workers::locked;
use cubicle_run::{Forbidden, OracleAnswer};

/// The states with one raw value of a cell's field.
#[derive(Clone)]
struct Column {
    words: Vec<u64>,
    /// Which words have a state: states with the same value are mostly near each other.
    summary: Vec<u64>,
}

/// One column for each raw value of a cell's field, including the undefined one.
type CellBitmaps = Vec<Column>;

/// For a cell, the allowed columns or the excluded ones (true), whichever are fewer.
type Part<'a> = (Vec<&'a Column>, bool);

/// The words of a word of summaries, among these, that may have states that satisfy all parts.
fn of_summary(parts: &[Part<'_>], at: usize, mut words: u64) -> u64 {
    for (columns, _) in parts.iter().filter(|it| !it.1) {
        words &= columns.iter().fold(0, |union, column| union | column.summary[at]);
    }
    words
}

/// The states of a word, among these, that satisfy all parts.
fn of_word(parts: &[Part<'_>], at: usize, mut word: u64) -> u64 {
    for (columns, invert) in parts {
        let union = columns.iter().fold(0, |union, column| union | column.words[at]);
        word &= if *invert { !union } else { union };
        if word == 0 {
            break;
        }
    }
    word
}

/// Some states of one exploration, with bitmaps made on first use. The store is passed with each query: forks that
/// share the index may append states of their own after these.
pub struct BitmapIndex {
    program: Arc<Program>,
    /// The indexed states.
    range: Range<usize>,
    cells: Vec<OnceLock<CellBitmaps>>,
    /// Answers to earlier cubes. Only looked up, never iterated.
    known: Mutex<HashMap<Forbidden, OracleAnswer>>,
}

impl BitmapIndex {
    pub fn new(program: &Arc<Program>, range: Range<usize>) -> Self {
        let cells = (0..program.cells.len()).map(|_| OnceLock::new()).collect();
        Self { program: Arc::clone(program), range, cells, known: Mutex::new(HashMap::new()) }
    }

    /// Whether some state of the range in `store` satisfies the cube under some renaming.
    pub fn ask(&self, store: &Store, candidate: &Forbidden) -> OracleAnswer {
        if let Some(answer) = locked(&self.known).get(candidate) {
            return *answer;
        }
        let answer = self.test(store, candidate).unwrap_or(OracleAnswer::Untested);
        locked(&self.known).insert(candidate.clone(), answer);
        answer
    }

    /// `None` where the states do not say it.
    fn test(&self, store: &Store, candidate: &Forbidden) -> Option<OracleAnswer> {
        let Forbidden { params: procs, cube: literals, others } = candidate;
        let fixed = usize::from(self.program.system.proc_constants);
        let k = self.program.cells.procs;
        if usize::from(*procs) + fixed > k {
            return None;
        }
        // A count that was added to the system later.
        let known = |cell: &Cell| usize::from(cell.var.0) < self.program.system.vars.len();
        if !candidate.literals().flat_map(Literal::cells).all(known) {
            return None;
        }
        let mut clear = true;
        let mut renamings = self.renamings(usize::from(*procs), literals).peekable();
        // Where the instance has too few processes of a sort, its states say nothing.
        renamings.peek()?;
        for mut env in renamings {
            let Some(guard) = self.guard(literals, &env)? else { continue };
            let mut denied = Vec::new();
            if !others.is_empty() {
                for other in (0..k).filter(|p| !env.contains(p)).collect::<Vec<_>>() {
                    env.push(other);
                    for conj in others {
                        denied.extend(self.guard(conj, &env)?);
                    }
                    env.pop();
                }
            }
            match self.some_state(store, &guard, &denied) {
                Some(true) => return Some(OracleAnswer::Reached),
                Some(false) => {}
                None => clear = false,
            }
        }
        clear.then_some(OracleAnswer::Unseen)
    }

    /// The tests of a cube under its renamings, up to a limit on these; `None` where states do not determine one, or it says something of other
    /// processes.
    pub fn guards(&self, candidate: &Forbidden) -> Option<Vec<Guard>> {
        let Forbidden { params, cube, others } = candidate;
        if !others.is_empty() {
            return None;
        }
        let renamings = self.renamings(usize::from(*params), cube).take(MAX_SOUGHT);
        let guards: Option<Vec<Option<Guard>>> = renamings.map(|env| self.guard(cube, &env)).collect();
        Some(guards?.into_iter().flatten().collect())
    }

    /// The test of a conjunction at these processes; `None` where states do not determine it, `Some(None)` where it does not hold in any.
    fn guard(&self, conj: &Conj, env: &[usize]) -> Option<Option<Guard>> {
        let sorts = self.program.sorts.as_ref();
        let grounder = Grounder { system: &self.program.system, places: &self.program.cells.places, sorts };
        let Some(conj) = grounder.conj(conj, env).ok()? else { return Some(None) };
        let mut guard = Guard::default();
        for lit in &conj {
            if !self.represented(lit) {
                return None;
            }
            guard.add(self.program.counts.test(&self.program.cells, lit).ok()?);
        }
        if guard.sets.iter().any(|(_, codes)| *codes == 0) {
            return Some(None);
        }
        Some(Some(guard))
    }

    /// The ways in which parameters of a cube may be different processes of the instance that the model does not name, without those in which
    /// literals about their sorts plainly do not hold.
    fn renamings(&self, params: usize, literals: &[Literal]) -> impl Iterator<Item = Vec<usize>> {
        let fixed = usize::from(self.program.system.proc_constants);
        let Program { cells, sorts, .. } = &*self.program;
        Arguments::new(literals, params, cells.procs, sorts.as_ref()).not_below(fixed).tuples()
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
            let words = self.range.len().div_ceil(64);
            let empty = Column { words: vec![0; words], summary: vec![0; words.div_ceil(64)] };
            let mut columns = vec![empty; 1 << field.bits];
            for i in 0..self.range.len() {
                let raw = field.raw(store.state(self.range.start + i));
                let column = &mut columns[raw as usize];
                column.words[i / 64] |= 1 << (i % 64);
                column.summary[i / 4096] |= 1 << (i / 64 % 64);
            }
            columns
        })
    }

    /// Whether some state satisfies the ground cube and none of these; `None` where that depends on values that states leave undefined.
    fn some_state(&self, store: &Store, guard: &Guard, denied: &[Guard]) -> Option<bool> {
        let states = self.range.len();
        let parts = self.parts(store, guard, true);
        // A state is left out where one of these holds whatever undefined cells hold.
        let denied: Vec<(Vec<Part<'_>>, &Guard)> =
            denied.iter().map(|it| (self.parts(store, it, false), it)).collect();
        let guards = || std::iter::once(guard).chain(denied.iter().map(|it| it.1));
        let is_undefined = |cell: usize, state: &[u64]| {
            let field = self.program.packing.fields[cell];
            self.program.cells.cells[cell].undef && field.raw(state) == field.undef
        };
        let is_clear = |state: &[u64]| {
            let mut cells = guards().flat_map(|it| it.sets.iter().map(|set| set.0).chain(it.reads.clone()));
            denied.is_empty() || !cells.any(|cell| is_undefined(cell, state))
        };
        let mut clear = true;
        let mut known = HashMap::new();
        let words = states.div_ceil(64);
        let summaries = (0..words.div_ceil(64)).flat_map(|at| {
            let some = of_summary(&parts, at, u64::MAX >> (64 * (at + 1)).saturating_sub(words));
            (0..64).filter(move |bit| some >> bit & 1 == 1).map(move |bit| at * 64 + bit)
        });
        for w in summaries {
            let all = if w == states / 64 { (1u64 << (states % 64)) - 1 } else { u64::MAX };
            let mut word = of_word(&parts, w, all);
            for (parts, _) in denied.iter().filter(|it| it.1.tests.is_empty()) {
                word &= !of_word(parts, w, word);
            }
            if word != 0 && guard.tests.is_empty() && denied.is_empty() {
                return Some(true);
            }
            while word != 0 {
                let bit = word.trailing_zeros();
                word &= word - 1;
                let state = store.state(self.range.start + w * 64 + bit as usize);
                let denies = |(parts, it): &(Vec<Part<'_>>, &Guard)| {
                    !it.tests.is_empty()
                        && of_word(parts, w, 1 << bit) != 0
                        && !it.reads.iter().any(|cell| is_undefined(*cell, state))
                        && self.program.all(&it.tests, state) == Some(true)
                };
                if (guard.tests.is_empty() || self.satisfies(guard, state, &mut known))
                    && !denied.iter().any(denies)
                {
                    if is_clear(state) {
                        return Some(true);
                    }
                    clear = false;
                }
            }
        }
        clear.then_some(false)
    }

    /// The columns of each cell of a cube, fewest first; with those where it is undefined, if it `may` be.
    fn parts(&self, store: &Store, guard: &Guard, may: bool) -> Vec<Part<'_>> {
        let cells = &self.program.cells;
        let mut parts: Vec<Part<'_>> = Vec::with_capacity(guard.sets.len());
        for (cell, codes) in &guard.sets {
            let field = self.program.packing.fields[*cell];
            let mut allowed = *codes & cells.all_codes(*cell);
            if may && cells.cells[*cell].undef {
                allowed |= 1 << field.undef;
            }
            let columns = self.column(store, *cell);
            let n = columns.len();
            let invert = allowed.count_ones() as usize * 2 > n;
            let chosen = (0..n).filter(|c| (allowed >> c & 1 == 1) != invert);
            parts.push((chosen.map(|c| &columns[c]).collect(), invert));
        }
        parts.sort_by_key(|(columns, invert)| (*invert, columns.len()));
        parts
    }

    /// Whether a state that satisfies the sets also satisfies the tests, whatever they read that it leaves undefined. That depends on the cells of the
    /// guard alone: `known` has the answers by what these hold.
    fn satisfies(&self, guard: &Guard, state: &[u64], known: &mut HashMap<SmallVec<[u64; 8]>, bool>) -> bool {
        let field = |cell: usize| self.program.packing.fields[cell];
        if !guard.reads.iter().any(|cell| field(*cell).raw(state) == field(*cell).undef) {
            return self.program.all(&guard.tests, state) == Some(true);
        }
        let cells = guard.sets.iter().map(|it| it.0).chain(guard.reads.iter().copied());
        let may_hold = || self.program.may_hold(guard, state, Gaps::new(&mut false, None));
        *known.entry(cells.map(|cell| field(cell).raw(state)).collect()).or_insert_with(may_hold)
    }
}
