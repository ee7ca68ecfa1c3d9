//! The text of claims that say what all other processes do.

use cubicle::certificate::{declaration, read_lemmas};
use cubicle::load::ModelSource;
use cubicle::model::{Forbidden, System};

const MODEL: &str = "type place = Idle | Asleep | Holds | Waker
    var Locked : bool var Last : proc var Turn : int
    array At[proc] : place array Seen[proc, proc] : bool array Number[proc] : int
    init (p) { Locked = False && At[p] = Idle && Turn = 0 }
    unsafe (p q) { At[p] = Holds && At[q] = Holds }
    transition t (p) requires { At[p] = Idle } { At[p] := Holds; Number[p] := Turn; Seen[p, p] := True }
    transition u (p) { Last := p; Turn := Turn + 1; Locked := True }";

fn read(system: &System, text: &str) -> Result<Vec<Forbidden>, String> {
    match read_lemmas(ModelSource::new(system, MODEL), text) {
        Ok(read) if read.wrong.is_empty() => Ok(read.cubes),
        Ok(read) => Err(read.wrong[0].to_string()),
        Err(why) => Err(why.to_string()),
    }
}

#[test]
fn a_claim_is_printed_and_read_back() {
    let system = cubicle::load(MODEL).expect("a model").system;
    for (text, number) in [
        ("invariant (p1) { At[p1] = Asleep && forall_other q. At[q] <> Waker }", 1),
        ("invariant () { Locked = False && forall_other q. (At[q] = Idle || At[q] = Asleep) }", 1),
        ("invariant (p1) { true && forall_other q. (At[q] = Idle && (Seen[q, p1] = True || Last = q)) }", 2),
        ("invariant (p1 p2) { Last = p1 && forall_other q. (Last <> q && Number[q] < Number[p1]) }", 2),
        ("invariant (p1) { At[p1] = Holds && forall_other q. false }", 1),
        ("invariant (p1) { Locked = True && forall_other q. (q <> Last || p1 < q || Turn >= 2) }", 1),
    ] {
        let cubes = read(&system, text).unwrap_or_else(|why| panic!("{text}: {why}"));
        let [cube] = &cubes[..] else { panic!("{text}: {cubes:?}") };
        assert_eq!(cube.others.len(), number, "{text}: {cube:?}");
        let printed = declaration(&system, cube).expect("words");
        assert_eq!(read(&system, &printed).expect("it is read"), cubes, "{text}\n{printed}");
    }
}

#[test]
fn a_universal_of_all_processes_is_also_about_those_that_are_named() {
    let system = cubicle::load(MODEL).expect("a model").system;
    let one = |text| read(&system, text).expect("a claim");
    let all = one("invariant (p) { Locked = True && forall q. At[q] = Idle }");
    assert_eq!(all, one("invariant (p) { Locked = True && At[p] = Idle && forall_other q. At[q] = Idle }"));
    let not_any = one("invariant (p) { Locked = True && not (exists_other q. At[q] <> Idle) }");
    assert_eq!(not_any, one("invariant (p) { Locked = True && forall_other q. At[q] = Idle }"));
    // A process that an `exists` finds is one of the others for the universal beside it.
    let further = one("invariant () { (exists r. Last = r) && forall_other q. At[q] = Idle }");
    assert_eq!(further, one("invariant (r) { Last = r && At[r] = Idle && forall_other q. At[q] = Idle }"));
    assert!(one("invariant () { (exists r. Last = r) && forall_other q. false }").is_empty());
}

#[test]
fn a_universal_is_about_one_process() {
    let system = cubicle::load(MODEL).expect("a model").system;
    for text in [
        "invariant () { forall_other q r. Seen[q, r] = True }",
        "invariant () { forall_other q. forall_other r. Seen[q, r] = True }",
        "invariant () { forall_other q. exists_other r. Seen[q, r] = True }",
        "invariant () { exists r. (Last = r && forall_other q. Seen[q, r] = True) }",
    ] {
        let why = read(&system, text).expect_err(text);
        assert!(why.contains("quantifier not allowed in"), "{text}: {why}");
    }
}
