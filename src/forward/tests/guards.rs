//! The guard index against the guards themselves, for index rows of every width.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::clock::Clock;
use crate::program::Program;
use crate::state::{CodeKind, UNDEF};
use cubicle_run::{ForwardOptions, Interrupt};

/// With k processes 1 + k + k (k - 1) transitions, which read cells of every kind.
const MODEL: &str = "type t = A | B | C var P : proc var N : int array S[proc] : t array L[proc] : bool
    init (z) { S[z] = A && L[z] = True } unsafe (z) { S[z] = C && P = z }
    transition any () { N := ?; P := ? }
    transition one (x) requires { P = x && S[x] <> B && N > 2 } { S[x] := B }
    transition two (x y) requires { S[x] = B && S[y] <> C && L[y] = True } { L[x] := False; S[y] := C }";

#[test]
fn the_index_agrees_with_each_guard() {
    let system = cubicle_lang::load(MODEL).expect("a correct model").system;
    let options = ForwardOptions::default().symmetry(false);
    let clock = Clock::new(&options, &Interrupt::default());
    let mut widths = Vec::new();
    // Rows of one to five words, and of seven.
    for procs in [3, 9, 12, 14, 16, 20] {
        let program = Program::new(&system, procs, &options, &clock).expect("a small instance");
        let Program { cells, packing, instances, enabled: index, .. } = &program;
        widths.push(index.words);
        let mut rng = ChaCha8Rng::seed_from_u64(procs as u64);
        let (mut fit, mut open) = (vec![0; index.words], vec![0; index.words]);
        let (mut met_fit, mut met_open) = (0, 0);
        for _ in 0..40 {
            let codes: Vec<i64> = cells
                .cells
                .iter()
                .map(|cell| match cell.kind {
                    _ if cell.undef && rng.random_ratio(1, 3) => UNDEF,
                    CodeKind::Int | CodeKind::Real => 3,
                    _ => rng.random_range(0..cell.codes as i64),
                })
                .collect();
            let mut state = vec![0; packing.words];
            packing.pack(&codes, &mut state).expect("the codes fit");
            let any_open = index.look(&state, &mut fit, &mut open);
            let mut expected = false;
            for (i, instance) in instances.iter().enumerate() {
                let guard = &instance.guard;
                let holds = |(c, set): &(usize, u128)| {
                    codes[*c] == UNDEF || set >> packing.fields[*c].raw(&state) & 1 == 1
                };
                let bit = |bits: &[u64]| bits[i / 64] >> (i % 64) & 1 == 1;
                assert_eq!(bit(&fit), guard.sets.iter().all(holds), "{codes:?}, instance {i}");
                let reads = guard.sets.iter().map(|(c, _)| c).chain(&guard.reads);
                let undefined = reads.into_iter().any(|c| codes[*c] == UNDEF);
                if bit(&fit) {
                    assert_eq!(bit(&open), undefined, "{codes:?}, instance {i}");
                    expected |= undefined;
                    met_fit += 1;
                    met_open += usize::from(undefined);
                }
            }
            assert_eq!(any_open, expected, "{codes:?}");
        }
        assert!(met_fit > met_open && met_open > 40, "{met_open} of {met_fit}, {procs} processes");
    }
    assert_eq!(widths, [1, 2, 3, 4, 5, 7]);
}
