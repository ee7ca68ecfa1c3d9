//! How steps change counts: what the system with explicit updates of counts assigns is what the counts are after the step, in
//! random states, for formulas that compare the counted process with parameters and other indices.
//!
//! Seed 5 finds that a step is believed to leave, or to remove, what `c <> p` and `c = p` say of its parameter p.

use cubicle::model::semantics::{Env, Layout, Semantics, State, Value, distinct_tuples, tuples, with_counts};
use cubicle::model::{Assignment, Rational, System, Transition, TransitionId};
use cubicle::transform::with_updates_of_counts;

use crate::support::dice::{Dice, environment};
use crate::support::direct::random_state;

const HEAD: &str = "type t = A | B | C
var X : int
var G : t
array S[proc] : t
array F[proc] : bool
array N[proc] : int
array P[proc] : proc
array M[proc, proc] : bool
init () { X = 0 }
";

/// Something said of the counted process `c`, with these names in scope.
fn literal(scope: &[&str], dice: &mut Dice) -> String {
    let (p, q) = (*dice.pick(scope), *dice.pick(scope));
    let (value, op) = (*dice.pick(&["A", "B", "C"]), *dice.pick(&["=", "<>"]));
    match dice.below(11) {
        0..3 => format!("{p} {op} c"),
        3 => format!("c {} {p}", dice.pick(&["<", "<=", ">", ">="])),
        4 | 5 => format!("S[c] {op} {value}"),
        6 => format!("F[{p}] = True"),
        7 => format!("N[c] {} 1", dice.pick(&["=", "<", ">="])),
        8 => format!("P[{p}] {op} {q}"),
        9 => format!("M[{p}, {q}] = True"),
        _ => format!("S[{p}] {op} S[{q}]"),
    }
}

fn body(scope: &[&str], dice: &mut Dice) -> String {
    let literals: Vec<String> = (0..=dice.below(3)).map(|_| literal(scope, dice)).collect();
    literals.join(*dice.pick(&[" && ", " && ", " || "]))
}

fn count(params: &[&str], dice: &mut Dice) -> String {
    let scope = [params, &["c"]].concat();
    let body = body(&scope, dice);
    match dice.below(5) {
        0 => format!("sum{{c | {} if {body}}}", dice.pick(&["N[c]", "2 * N[c] + 1", "1 - N[c]"])),
        _ => format!("#{{c | {body}}}"),
    }
}

/// An update, of one cell or of all.
fn update(array: &str, params: &[&str], dice: &mut Dice) -> String {
    let value = *match array {
        "S" => dice.pick(&["A", "B", "C"]),
        "N" => dice.pick(&["0", "1", "X"]),
        "P" => dice.pick(params),
        _ => dice.pick(&["True", "False"]),
    };
    if array == "M" {
        let (p, q) = (dice.pick(params), dice.pick(params));
        return format!("M[{p}, {q}] := {value}");
    }
    if dice.chance(60) {
        return format!("{array}[{}] := {value}", dice.pick(params));
    }
    let scope = [params, &["c"]].concat();
    format!("{array}[c] := case | {} : {value} | _ : {array}[c]", body(&scope, dice))
}

fn model(dice: &mut Dice) -> String {
    let mut text = HEAD.to_owned();
    for _ in 0..=dice.below(2) {
        let params: &[&str] = [&[][..], &["p"], &["p", "q"]][dice.below(3)];
        text += &format!("unsafe ({}) {{ {} = 1 }}\n", params.join(" "), count(params, dice));
    }
    for t in 0..2 {
        let params: &[&str] = [&["p"][..], &["p", "q"]][dice.below(2)];
        let guard = match dice.below(4) {
            0 => "true".to_owned(),
            1 => format!("S[{}] = {}", dice.pick(params), dice.pick(&["A", "B"])),
            2 => format!("P[p] <> {}", dice.pick(params)),
            _ => format!("F[{}] = True && G <> C", dice.pick(params)),
        };
        let mut arrays = vec!["S", "F", "N", "P", "M"];
        let updates = (0..=dice.below(2)).map(|_| arrays.remove(dice.below(arrays.len())));
        let updates: Vec<&str> = updates.collect();
        let updates: Vec<String> = updates.into_iter().map(|array| update(array, params, dice)).collect();
        let params = params.join(" ");
        text +=
            &format!("transition t{t} ({params})\nrequires {{ {guard} }}\n{{ {} }}\n", updates.join("; "));
    }
    text
}

/// The value that a transition assigns to each cell of a count, and the value that it has after the step.
fn compare(
    explicit: &System,
    t: &Transition,
    (before, after): (&State, &State),
    args: &[usize],
) -> Result<usize, String> {
    let layout = Layout::new(explicit, before.procs);
    let mut compared = 0;
    for update in t.updates.iter().filter(|it| explicit.count_of(it.var).is_some()) {
        let Assignment::Cases(branches) = &update.assignment else { continue };
        for index in tuples(before.procs, explicit.var(update.var).arity()) {
            let scope = [args, &index].concat();
            let env = Env { layout: &layout, state: before, procs: &scope };
            let branch = branches.iter().find(|it| env.dnf(&it.when) == Some(true)).expect("a branch");
            let assigned = env.term(&branch.value).expect("small numbers");
            let right = after.values[layout.position(update.var, index.iter().copied())];
            if assigned != right {
                let count = explicit.count_of(update.var);
                return Err(format!(
                    "{} {args:?}, a count of {index:?}: {assigned:?}, not {right:?}\n{count:?}\n{branches:?}\n{before:?}",
                    t.name
                ));
            }
            compared += 1;
        }
    }
    Ok(compared)
}

#[test]
fn what_steps_assign_to_counts_is_what_these_are_after_the_step() {
    let seeds = environment("CUBICLE_RANDOM_COUNT", 100);
    let (mut compared, mut explicit_systems) = (0, 0);
    for seed in 0..seeds {
        let dice = &mut Dice::new(seed);
        let text = model(dice);
        let system = match cubicle::load(&text) {
            Ok(loaded) => loaded.system,
            // A formula that is never satisfied, or a transition that never fires.
            Err(error) => panic!("seed {seed}: {text}{error}"),
        };
        let explicit = with_updates_of_counts(&system);
        explicit_systems += 1;
        for procs in 0..4 {
            let semantics = Semantics::new(&system, procs);
            let extended = |state: &State| {
                let mut state = state.clone();
                let added = explicit.vars[system.vars.len()..].iter();
                let added: usize = added.map(|it| procs.pow(it.arity() as u32)).sum();
                state.values.extend((0..added).map(|_| Value::Number(Rational::ZERO)));
                with_counts(&explicit, state).expect("small numbers")
            };
            for _ in 0..8 {
                let before = random_state(&system, procs, dice);
                for (number, t) in explicit.transitions.iter().enumerate() {
                    let id = TransitionId(number as u16);
                    for args in distinct_tuples(procs, t.arity()) {
                        if semantics.enabled(&before, id, &args) != Some(true) {
                            continue;
                        }
                        let after = semantics.fire(&before, id, &args, &[]).expect("small numbers");
                        let states = (&extended(&before), &extended(&after));
                        match compare(&explicit, t, states, &args) {
                            Ok(cells) => compared += cells,
                            Err(why) => panic!("seed {seed}: {text}{why}"),
                        }
                    }
                }
            }
        }
    }
    assert!(explicit_systems * 3 > seeds, "{explicit_systems} of {seeds} have explicit counts");
    assert!(compared as u64 > 20 * seeds, "{compared} values were compared");
}

/// What a step does to a count of a count's cells reads ever more of them: where each may be written or not, there are more ways than memory, and the step is not followed.
#[test]
fn a_step_of_too_many_ways_is_not_followed() {
    let text = "array M[proc, proc] : bool var G : int
        init (p q) { M[p, q] = False && G = 1 }
        unsafe (p q) { M[p, q] = True }
        transition copy (p) requires { M[p, p] = False && 0 <= G }
        { M[q, r] := case | M[p, q] = False : False | _ : M[q, r]; G := #{q | M[q, q] = True} + 1 }
        transition all () requires { (forall_other p. M[p, p] = True) && 0 <= G }
        { M[p, q] := case | M[p, q] = False : False | _ : M[p, q]; G := G - 1 }
        cover few (p) { 1 <> 2 * #{q | M[q, q] = True && q <> p} }";
    let system = cubicle::load(text).expect("a correct model").system;
    let found = with_updates_of_counts(&system);
    assert!(found.counts.len() > system.counts.len(), "{} counts", found.counts.len());
}
