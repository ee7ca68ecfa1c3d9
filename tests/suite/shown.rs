//! Obligations that were proved for a certificate are skipped later, and only those.

use std::time::Duration;

use cubicle::certificate::{self, CheckOptions, Extent, ShownObligations};
use cubicle::interrupt::Interrupt;

const LOCK: &str = "\
type place = Out | Door | In
var Locked : bool
array At[proc] : place
init (p) { Locked = False && At[p] = Out }
unsafe (p q) { At[p] = In && At[q] = In }
transition ask (p) requires { At[p] = Out } { At[p] := Door }
transition enter (p) requires { At[p] = Door && Locked = False } { At[p] := In; Locked := True }
transition leave (p) requires { At[p] = In } { At[p] := Out; Locked := False }
";

const INVARIANT: &str = "\
invariant (p q) { At[p] = In && At[q] = In }
invariant (p q) { At[p] = In && At[q] <> In && Locked = False }
";

fn check(text: &str, shown: &ShownObligations) -> Result<u64, String> {
    let system = cubicle::load(text).unwrap_or_else(|error| panic!("{error}")).system;
    let interrupt = Interrupt::default();
    let how = CheckOptions::new(Duration::from_secs(60), &interrupt).shown(shown);
    match certificate::check(&system, text, INVARIANT, Extent::Used, how) {
        Ok(certificate) => Ok(certificate.solver_calls),
        Err(why) => Err(certificate::explain(&system, &why)),
    }
}

#[test]
fn proved_obligations_are_not_proved_again() {
    let shown = ShownObligations::default();
    assert!(check(LOCK, &shown).is_ok_and(|calls| calls > 0));
    let again = ShownObligations::new(shown.all(1_000));
    assert_eq!(check(LOCK, &again), Ok(0));
    // Other names, other places.
    let renamed = LOCK.replace("transition ask", "\n\ntransition knock");
    assert_eq!(check(&renamed, &again), Ok(0));
    assert_eq!(again.all(1_000), shown.all(1_000));
}

#[test]
fn changed_obligations_are_proved_or_refuted() {
    let shown = ShownObligations::default();
    assert!(check(LOCK, &shown).is_ok());
    let known = || ShownObligations::new(shown.all(1_000));
    for (from, to) in [
        ("At[p] = Door && Locked = False", "At[p] = Door"),
        ("At[p] := In; Locked := True", "At[p] := In"),
        ("{ At[p] = In } { At[p] := Out", "{ At[p] = Door } { At[p] := Out"),
        ("init (p) { Locked = False && At[p] = Out }", "init (p) { Locked = False }"),
        ("{ At[p] = Out } { At[p] := Door }", "{ At[p] = Out } { At[p] := In }"),
    ] {
        let wrong = LOCK.replace(from, to);
        assert_ne!(wrong, LOCK);
        let fresh = check(&wrong, &ShownObligations::default());
        assert!(fresh.is_err(), "{wrong}");
        assert_eq!(check(&wrong, &known()), fresh, "{wrong}");
    }
    let other = LOCK.replace("At[p] = Door && Locked = False", "At[p] <> In && Locked = False");
    assert!(check(&other, &known()).is_ok_and(|calls| calls > 0), "a transition that changed is shown");
}
