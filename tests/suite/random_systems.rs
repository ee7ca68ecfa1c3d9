//! Random systems: all engines against brute force.
//!
//! `CUBICLE_RANDOM_COUNT` and `CUBICLE_RANDOM_SEED` choose how many systems and which; the campaign
//! (`cargo test --release --test suite -- --ignored random_systems::campaign`) takes more of them and continues
//! after a disagreement. Certificates take most of the time: they are checked for every n-th system, with
//! `CUBICLE_RANDOM_CERTIFY=n` (0: for none).

use std::num::NonZeroU64;
use std::panic::{AssertUnwindSafe, catch_unwind};

use cubicle::transform::shrink::shrink;

use crate::support::dice::environment;
use crate::support::examine::{Failure, Summary, examine};
use crate::support::generate::{Weights, generate};

/// Loads and examines a model; a panic of an engine is a failure, too.
fn verdict(model: &str, seed: u64) -> Result<Summary, Failure> {
    let certify = NonZeroU64::new(environment("CUBICLE_RANDOM_CERTIFY", 1)).map(NonZeroU64::get);
    let run = AssertUnwindSafe(|| examine(model, seed, certify.is_some_and(|n| seed.is_multiple_of(n))));
    catch_unwind(run).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
        Err(Failure { kind: "panic", detail: text.unwrap_or_default() })
    })
}

/// Reduces a failing model, and describes how to reproduce the failure.
fn report(model: &str, seed: u64, failure: &Failure) -> String {
    let same = |m: &str| verdict(m, seed).is_err_and(|f| f.kind == failure.kind);
    let small = shrink(model, 400, &mut |m| Some(same(m))).text;
    let detail = verdict(&small, seed).err().unwrap_or_else(|| failure.clone()).detail;
    format!("seed {seed}: {}\n{small}{detail}\n", failure.kind)
}

#[test]
fn engines_agree_with_brute_force() {
    let first = environment("CUBICLE_RANDOM_SEED", 0);
    let count = environment("CUBICLE_RANDOM_COUNT", 100);
    let mut tally = [0; 3];
    for seed in first..first + count {
        let model = generate(seed, &Weights::default()).to_string();
        match verdict(&model, seed) {
            Ok(summary) => tally[summary as usize] += 1,
            Err(failure) => panic!("{}", report(&model, seed, &failure)),
        }
    }
    // The systems are of use only when both verdicts occur.
    let [safe, wrong, _] = tally;
    assert!(safe * 5 >= count && wrong * 5 >= count, "safe, unsafe, unknown: {tally:?}");
}

/// Reduced models that the campaign found.
#[test]
fn mended_disagreements_stay_mended() {
    let models = [
        // A cell with two pointers: both must be examined.
        "type t = B | C array S[proc] : t var P : proc var Q : proc array M[proc, proc] : t
         init () { true } transition t1 (i) requires { M[Q, P] <> S[i] } { }",
        // A process bound by `exists` may be the one that a pointer names.
        "type t = A | B var G : t var P : proc array M[proc, proc] : t
         init () { true } unsafe (z) { G = M[z, P] && (exists e. true) }",
        // A visited cube that a later one subsumes is removed, but its pre-images must not be.
        "type t = A | B | C | D array S[proc] : t init (a) { S[a] = A } unsafe (y z) { S[y] = B && S[z] = A }
         transition t0 (i) requires { S[i] = D } { S[i] := A }
         transition t2 () { S[c] := case | S[c] = C : B | S[c] <> D : C | _ : S[c] }
         transition t3 () { S[c] := case | S[c] = B : D | _ : B }",
        // The old value of a variable assigned `?` may have been the first with its name.
        "type t = A | B | C type d array S[proc] : t var Y : d array R[proc] : d
         init (a) { S[a] = A } unsafe (z) { S[z] = B } transition t0 () { Y := . }
         transition t1 () { S[c] := case | R[c] = Y : C | _ : S[c] }
         transition t3 () { S[c] := case | true : B | _ : S[c] }",
        // No initial state has a process: proofs must not rest on that silently.
        "type t = A | C array S[proc] : t var F : bool array M[proc, proc] : bool
         init (a b) { S[a] = A && M[a, b] = True && S[b] = C } unsafe (z) { M[z, z] = F }
         transition t2 (i) requires { S[i] = C } { M[i, i] := False }",
        // A cell that would be dead in states that no run reaches has the value that a deadlock asks for.
        "type t = A | B array S[proc] : t var P : proc array L[proc] : proc init (a) { S[a] = A }
         transition t0 (i j) { S[j] := B } transition t3 (i) requires { S[i] = A && forall j. L[j] <= i } { L[i] := i }
         transition t4 (i) requires { P > i } { P := i }",
        // A cell is dead for all processes alike, or the value that it has initially is lost under another name.
        "array X[proc] : bool var N : real array F[proc] : bool init (a) { X[a] <> False }
         invariant (x y) { F[x] <> False && F[y] = F[x] } transition t () requires { forall_other j. F[j] <> False }
         { X[c] := case | N = 2.0 : False | _ : X[c] }",
        // Two cells that are read together are not both dead.
        "type t = A | B type u = U | V array S[proc] : t array E[proc] : u init (a) { S[a] = A && E[a] = U }
         unsafe (z) { S[z] = B && E[z] = V } transition t0 (i) { S[i] := B; E[i] := V }",
    ];
    for text in models {
        for seed in 0..8 {
            if let Err(Failure { kind, detail }) = examine(text, seed, true) {
                panic!("{kind}\n{text}\n{detail}");
            }
        }
    }
}

#[test]
#[ignore = "long: a campaign over many systems"]
#[allow(clippy::print_stdout, reason = "shows disagreements as they come")]
fn campaign() {
    let first = environment("CUBICLE_RANDOM_SEED", 1_000_000);
    let count = environment("CUBICLE_RANDOM_COUNT", 2_000);
    let (mut tally, mut failures) = ([0; 3], Vec::new());
    std::panic::set_hook(Box::new(|_| {}));
    for seed in first..first + count {
        let model = generate(seed, &Weights::varied(seed)).to_string();
        match verdict(&model, seed) {
            Ok(summary) => tally[summary as usize] += 1,
            Err(failure) => {
                failures.push(report(&model, seed, &failure));
                println!("{}", failures[failures.len() - 1]);
            }
        }
        if failures.len() >= 20 {
            break;
        }
    }
    drop(std::panic::take_hook());
    println!("safe, unsafe, unknown: {tally:?}");
    assert!(failures.is_empty(), "{} disagreements", failures.len());
}
