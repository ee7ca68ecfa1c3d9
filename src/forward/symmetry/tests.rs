//! Each orbit has exactly one representative.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::canonical::Symmetry;
use crate::clock::Clock;
use crate::program::{Program, Scratch};
use crate::state::{Cells, CodeKind, UNDEF};
use cubicle_lang::model::semantics::distinct_tuples;
use cubicle_run::{ForwardOptions, Interrupt};

const LANES: &str =
    "type t = A | B | C var P : proc var G : t var F : bool array S[proc] : t array L[proc] : bool
    init (z) { G = A && S[z] <> C } unsafe (z) { S[z] = C && L[z] = True && P = z }
    transition t (x) requires { P = x } { S[x] := G; L[x] := F; G := ?; F := ?; P := ? }";

const WIDE: &str = "var P : proc var V : int array X[proc] : int array Y[proc] : int array B[proc] : bool
    init (z) { X[z] = 0 && Y[z] = 0 && B[z] = True } unsafe (z) { X[z] = 2 && P = z && B[z] = False }
    transition t (x) requires { X[x] = Y[x] && P = x } { X[x] := X[x] + 1; Y[x] := V; V := ?; P := ? }";

const POINTERS: &str = "type t = A | B | C var P : proc var G : t array S[proc] : t array R[proc] : proc
    init (z) { S[z] = A && P <> z } unsafe (x y) { S[x] = C && R[x] = y }
    transition t (x y) requires { R[x] = y && R[y] <> P } { S[x] := G; R[x] := P; G := ?; P := ? }";

const DATA: &str = "type t = A | B type data var V : data array S[proc] : t array D[proc] : data
    init (z) { S[z] = A && D[z] = V } unsafe (x y) { S[x] = B && D[x] <> D[y] }
    transition t (x) requires { D[x] = V } { S[x] := B; D[x] := V; V := ? }";

const MATRIX: &str = "type t = A | B var P : proc array S[proc] : t array M[proc,proc] : bool
    init (z) { S[z] = A && M[z,z] = True && P <> z } unsafe (x y) { S[x] = B && M[x,y] = True && P = x }
    transition t (x y) requires { M[x,y] = False } { S[x] := B; M[y,x] := False; P := ? }";

const NAMING: &str = "type t = A | B type data var P : proc array S[proc] : t array R[proc] : proc array D[proc] : data
    array M[proc,proc] : bool array N[proc,proc] : proc
    init (x y) { S[x] = A && M[x,y] = False && N[x,y] = x && R[x] = x } unsafe (x y) { R[x] = y && N[x,y] = P && D[x] = D[y] }
    transition t (x y) requires { M[x,y] = False && D[x] <> D[y] }
    { S[x] := B; M[y,x] := True; N[x,y] := P; R[x] := P; D[x] := D[y]; P := ? }";

/// Arrays of three and four indices.
const MANY: &str = "type t = A | B array S[proc] : t array T[proc,proc,proc] : t array U[proc,proc,proc,proc] : bool
    init (x y z w) { S[x] = A && T[x,y,z] = A && U[x,y,z,w] = False } unsafe (x y) { T[x,x,y] = B && U[x,y,y,x] = True }
    transition t (x y) requires { T[x,y,x] = A } { T[x,y,x] := S[y]; U[x,x,y,y] := True; S[x] := B }";

/// Cells of three processes that name one, and values without names.
const MANY_NAMES: &str = "type t = A | B type data var P : proc array S[proc] : t array D[proc] : data array N[proc,proc,proc] : proc
    init (x y z) { S[x] = A && N[x,y,z] = x } unsafe (x y) { N[x,x,y] = P && D[x] = D[y] }
    transition t (x y) requires { N[x,y,x] = P && D[x] <> D[y] } { N[x,y,x] := y; D[x] := D[y]; S[x] := B; P := ? }";

/// Rows of numbers take several words each.
const NUMBERS: &str = "array S[proc] : int array V[proc,proc] : int array M[proc,proc] : bool
    init (x y) { S[x] = 0 && V[x,y] = 0 && M[x,y] = False } unsafe (x y) { V[x,y] = 3 && M[x,y] = True }
    transition t (x y) requires { M[x,y] = False } { V[x,y] := S[x]; S[x] := V[y,x]; M[y,x] := True }";

const CONSTANT: &str = "number_procs 4 type t = A | B var P : proc array S[proc] : t
    init (z) { S[z] = A && P = #1 } unsafe (z) { S[z] = B && S[#1] = B }
    transition t (x) requires { P = x } { S[x] := B; P := ? }";

const CONSTANT_MATRIX: &str =
    "number_procs 4 type t = A | B var P : proc array S[proc] : t array M[proc,proc] : bool
    init (z) { S[z] = A && M[z,z] = True && P = #1 } unsafe (z) { S[z] = B && M[#1,z] = True }
    transition t (x y) requires { M[x,y] = False && P = x } { S[x] := B; M[y,x] := False; P := ? }";

fn program(text: &str, procs: usize, undefined: bool) -> (Program, usize) {
    let system = cubicle_lang::load(text).expect("a correct model").system;
    // Of the divisions among sorts, the even one.
    let system = system.edited(|parts| {
        if let Some(sorts) = &mut parts.sorts {
            sorts.sizes = Some(vec![procs / sorts.names.len(); sorts.names.len()]);
        }
    });
    let options = ForwardOptions::default().undefined_cells(undefined).merge_dead(undefined);
    let clock = Clock::new(&options, &Interrupt::default());
    let program = Program::new(&system, procs, &options, &clock).expect("a small instance");
    (program, usize::from(system.proc_constants))
}

/// Random codes of the cells; few of the many values, so that some agree.
fn random_codes(cells: &Cells, rng: &mut ChaCha8Rng) -> Vec<i64> {
    let few = rng.random_range(1..4);
    let mut codes: Vec<i64> = cells
        .cells
        .iter()
        .map(|cell| match cell.kind {
            _ if cell.undef && rng.random_ratio(1, 4) => UNDEF,
            CodeKind::Int | CodeKind::Real => rng.random_range(0..few),
            // Processes and nameless values are the ones that should coincide.
            CodeKind::Enum => rng.random_range(0..few.min(cell.codes as i64)),
            CodeKind::Proc | CodeKind::Abstract => rng.random_range(0..cell.codes as i64),
        })
        .collect();
    cells.normalize(&mut codes);
    codes
}

/// The state with process `p` renamed to `names[p]`.
fn renamed(cells: &Cells, codes: &[i64], names: &[usize]) -> Vec<i64> {
    let mut out = vec![UNDEF; codes.len()];
    for (from, cell) in cells.cells.iter().enumerate() {
        let index: Vec<usize> = cell.index.iter().map(|&p| names[usize::from(p)]).collect();
        let to = cells
            .cells
            .iter()
            .position(|c| {
                c.var == cell.var && c.index.iter().map(|&p| usize::from(p)).eq(index.iter().copied())
            })
            .expect("every process has its cells");
        out[to] = match (cell.kind, usize::try_from(codes[from])) {
            (CodeKind::Proc, Ok(p)) if codes[from] != UNDEF && p < names.len() => names[p] as i64,
            _ => codes[from],
        };
    }
    cells.normalize(&mut out);
    out
}

fn packed(program: &Program, codes: &[i64]) -> Vec<u64> {
    let mut state = vec![0; program.packing.words];
    program.packing.pack(codes, &mut state).expect("the codes fit");
    state
}

/// Checks random states; returns how many were settled by sorting lanes that are not plain, and how many were not.
fn look(text: &str, procs: usize, undefined: bool, states: usize) -> (usize, usize) {
    let (program, fixed) = program(text, procs, undefined);
    let Program { cells, packing, symmetry, .. } = &program;
    let mut rng = ChaCha8Rng::seed_from_u64(14);
    let (mut settled, mut open) = (0, 0);
    for _ in 0..states {
        let codes = random_codes(cells, &mut rng);
        let state = packed(&program, &codes);
        let mut canonical = state.clone();
        symmetry.canonicalize(cells, packing, &mut canonical);
        let context = || format!("{text}\n{codes:?}, {procs} processes");
        let mut again = canonical.clone();
        symmetry.canonicalize(cells, packing, &mut again);
        assert_eq!(again, canonical, "not its own representative: {}", context());
        let mut known = state.clone();
        let names: Vec<usize> =
            symmetry.renaming(cells, packing, &mut known).0.into_iter().map(usize::from).collect();
        assert_eq!(known, canonical, "{}", context());
        let claimed = renamed(cells, &codes, &names);
        assert_eq!(packed(&program, &claimed), canonical, "{names:?} does not lead there: {}", context());
        let equal = match symmetry {
            Symmetry::Off => None,
            Symmetry::Lanes(lanes) | Symmetry::Mixed(lanes, _) => Some(lanes.equal_neighbours(&canonical)),
            Symmetry::General(general) => Some(general.equal_neighbours(packing, &canonical)),
        };
        if let Some(equal) = equal {
            let codes: Vec<i64> = packing.fields.iter().map(|field| field.get(&canonical)).collect();
            for p in 0..procs - 1 {
                let mut names: Vec<usize> = (0..procs).collect();
                names.swap(p, p + 1);
                let same = p >= fixed && renamed(cells, &codes, &names) == codes;
                let claimed = equal >> p & 1 == 1;
                // Two processes that name each other, for example, can be exchanged as well, or that hold values without names.
                let exact = match symmetry {
                    Symmetry::Off | Symmetry::Mixed(..) => false,
                    Symmetry::Lanes(_) => true,
                    Symmetry::General(_) => cells.renumbered().next().is_none(),
                };
                assert!(claimed == same || same && !exact, "{p} and the next: {}", context());
            }
            assert_eq!(equal >> (procs - 1), 0, "{}", context());
        }
        for names in distinct_tuples(procs, procs) {
            if !names.iter().take(fixed).enumerate().all(|(p, &q)| p == q) {
                continue;
            }
            let mut other = packed(&program, &renamed(cells, &codes, &names));
            symmetry.canonicalize(cells, packing, &mut other);
            assert_eq!(other, canonical, "not that of its orbit, {names:?}: {}", context());
        }
        if let Symmetry::Mixed(lanes, _) = symmetry {
            if lanes.are_settled(&state) { settled += 1 } else { open += 1 }
        }
    }
    (settled, open)
}

#[test]
fn sorted_lanes_are_canonical() {
    for (text, procs) in [(LANES, 3), (LANES, 4), (WIDE, 3), (CONSTANT, 3)] {
        let (program, _) = program(text, procs, true);
        assert!(matches!(program.symmetry, Symmetry::Lanes(_)), "{text}");
        look(text, procs, true, 200);
        look(text, procs, false, 200);
    }
}

/// Lanes that also hold processes or nameless values: mostly sorting suffices, and sometimes it does not.
#[test]
fn mixed_lanes_are_canonical_by_both_ways() {
    for text in [POINTERS, DATA] {
        let (program, _) = program(text, 3, true);
        assert!(matches!(program.symmetry, Symmetry::Mixed(..)), "{text}");
        for undefined in [true, false] {
            let (settled, open) = look(text, 3, undefined, 300);
            assert!(settled > 20 && open > 20, "{settled} settled, {open} open: {text}");
        }
    }
}

#[test]
fn refined_colours_are_canonical() {
    let (program, _) = program(MATRIX, 3, true);
    assert!(matches!(program.symmetry, Symmetry::General(ref it) if it.fixed == 0));
    look(MATRIX, 3, true, 300);
    look(MATRIX, 4, false, 100);
    for text in [NAMING, NUMBERS, MANY, MANY_NAMES] {
        let (program, _) = self::program(text, 3, true);
        assert!(matches!(program.symmetry, Symmetry::General(_)), "{text}");
        look(text, 3, true, 300);
        look(text, 4, false, 60);
    }
    // With one process that keeps its place.
    let (program, fixed) = self::program(CONSTANT_MATRIX, 3, true);
    assert!(matches!(program.symmetry, Symmetry::General(ref it) if it.fixed == 1) && fixed == 1);
    look(CONSTANT_MATRIX, 3, true, 300);
    look(CONSTANT_MATRIX, 4, false, 100);
}

/// How many permutations are tried: none for processes that colours distinguish or that can be exchanged.
#[test]
fn only_ties_are_permuted() {
    let (program, _) = program(MATRIX, 4, false);
    let Program { cells, packing, symmetry, .. } = &program;
    let tried = |related: &dyn Fn(u8, u8) -> bool, marked: &[u8], named: i64| {
        let codes: Vec<i64> = cells
            .cells
            .iter()
            .map(|cell| match cell.index.as_slice() {
                [p] => i64::from(marked.contains(p)),
                [p, q] => i64::from(related(*p, *q)),
                _ => named,
            })
            .collect();
        symmetry.canonicalize(cells, packing, &mut packed(&program, &codes))
    };
    let next = |p: u8, q: u8| (p + 1) % 4 == q;
    assert_eq!(tried(&|_, _| false, &[], 4), 0, "all can be exchanged, and none is named");
    assert_eq!(tried(&|_, _| false, &[1], 2), 0, "two stand out, the others can be exchanged");
    assert_eq!(tried(&|p, q| p < q, &[], 4), 0, "a chain tells all apart");
    assert_eq!(tried(&next, &[2], 4), 0, "a ring with a mark does, too");
    assert_eq!(tried(&next, &[], 4), 24, "a ring without does not");
    assert_eq!(
        tried(&|p, q| p / 2 == q / 2, &[], 4),
        6,
        "pairs: which one is first in each makes no difference"
    );
    let (program, _) = self::program(LANES, 3, false);
    let mut state = packed(&program, &vec![0; program.cells.len()]);
    assert_eq!(program.symmetry.canonicalize(&program.cells, &program.packing, &mut state), 0);
}

/// Of instances that equal processes map to one another one is fired: the successors are the same orbits. With nine
/// processes there are more instances than a word has bits.
#[test]
fn equal_processes_have_equal_successors() {
    let pairs = "type t = A | B | C var P : proc array S[proc] : t array L[proc] : bool
        init (z) { S[z] = A && L[z] = False && P <> z } unsafe (z) { S[z] = C && L[z] = True }
        transition t (x y) requires { S[x] = A && S[y] <> C } { S[x] := B; L[y] := True }
        transition u (x) requires { P = x && L[x] = False } { S[x] := C; P := ? }";
    let matrices = [(MATRIX, 4), (NUMBERS, 4), (MANY, 4)];
    for (text, procs) in [(pairs, 4), (pairs, 9), (POINTERS, 4), (POINTERS, 9)].into_iter().chain(matrices) {
        let (program, _) = program(text, procs, false);
        let all = Program { exchangeable: None, ..program.clone() };
        assert!(program.exchangeable.is_some() && (procs < 9 || program.instances.len() > 64));
        let mut rng = ChaCha8Rng::seed_from_u64(14);
        let (mut fired, mut fired_of_all) = (0, 0);
        for _ in 0..60 {
            let mut state = packed(&program, &random_codes(&program.cells, &mut rng));
            program.symmetry.canonicalize(&program.cells, &program.packing, &mut state);
            let successors = |program: &Program, fired: &mut usize| {
                let mut found = std::collections::BTreeSet::new();
                program.successors(&state, &mut Scratch::new(program), |_, next| {
                    *fired += 1;
                    program.symmetry.canonicalize(&program.cells, &program.packing, next);
                    found.insert(next.to_vec());
                    false
                });
                found
            };
            let some = successors(&program, &mut fired);
            assert_eq!(some, successors(&all, &mut fired_of_all), "{text}, {procs} processes: {state:x?}");
        }
        assert!(fired < fired_of_all, "{fired} of {fired_of_all}: {text}, {procs} processes");
    }
}

/// Initial states that only rename others are left out, and no orbit is lost.
#[test]
fn initial_states_are_those_of_all_orbits() {
    let graph = "type t = A | B array S[proc] : t array E[proc,proc] : bool
        init (x) { E[x,x] = False } invariant (x y) { E[x,y] <> E[y,x] } unsafe (x y) { E[x,y] = True && S[x] = B }
        transition t (x) requires { S[x] = A } { S[x] := B }";
    let ordered_sums = "array X[proc] : int array E[proc,proc] : bool init (x y) { X[x] <= X[y] } unsafe (x y) { E[x,y] = True && X[x] = 1 }
        transition t (x) requires { X[x] = 0 } { X[x] := 1 }";
    // One division among sorts stands for all that only rename: most renamings do not keep it.
    let sorts = "type node < proc type key < proc type t = A | B array E[node,key] : bool array F[node,node] : bool
        array S[node] : t array T[key] : t var P : node
        init (n : node k : key) { F[n,n] = True && T[k] = A } unsafe (n : node k : key) { E[n,k] = True && S[n] = B && P = n }
        transition t (n : node) requires { S[n] = A && F[n,n] = True } { S[n] := B }";
    let many = "type node < proc type key < proc type t = A | B array E[node,key,node] : bool array S[node] : t var P : node
        init (n : node) { S[n] = A } unsafe (n : node k : key) { E[n,k,n] = True && S[n] = B && P = n }
        transition t (n m : node k : key) requires { E[n,k,m] = False && S[n] = A } { S[n] := B; E[m,k,n] := True }";
    let cases =
        [(graph, 4, true), (MATRIX, 3, false), (ordered_sums, 3, false), (sorts, 4, true), (many, 4, true)];
    for (text, procs, left_out) in cases {
        let (program, _) = program(text, procs, false);
        let met = |orbits: bool| {
            let mut all = program.clone();
            if !orbits {
                all.symmetry = Symmetry::Off;
            }
            let (mut states, mut met) = (std::collections::BTreeSet::new(), 0);
            let clock = Clock::new(&ForwardOptions::default(), &Interrupt::default());
            let found = all.initial_states(&clock, &mut |state| {
                met += 1;
                program.symmetry.canonicalize(&program.cells, &program.packing, state);
                states.insert(state.to_vec());
                false
            });
            found.expect("nothing ends it");
            (states, met)
        };
        let ((some, few), (all, many)) = (met(true), met(false));
        assert_eq!(some, all, "{text}");
        assert!(few < many || !left_out, "{few} of {many}: {text}");
    }
}

/// Where the order of processes is visible, or only one process may move, nothing is renamed.
#[test]
fn without_symmetry_nothing_is_renamed() {
    let (one, _) = program(CONSTANT, 2, true);
    assert!(!one.symmetry.is_on());
    let (two, _) = program(CONSTANT, 3, true);
    assert!(two.symmetry.is_on());
    let ordered = LANES.replace("P = x }", "P < x }");
    let (ordered, _) = program(&ordered, 3, true);
    assert!(!ordered.symmetry.is_on());
}
