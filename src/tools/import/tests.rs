//! What single constructs become.

use super::import;

const HEAD: &str = "sort s\nsort t\nmutable relation r(s)\nmutable relation p(s, t)\nmutable constant c: s\n\
    mutable function f(s): t\nimmutable relation k(t)\nimmutable constant z: t\ninit !r(X)\n";

/// The model of some declarations, on one line, without comments.
fn model(rest: &str) -> String {
    let text = format!("{HEAD}{rest}");
    let imported = import(&text, "m.pyv", false);
    let model = imported.map_or_else(
        |errors| errors.iter().map(|it| it.render("m.pyv", &text, false)).collect(),
        |it| it.model,
    );
    let mut plain = String::new();
    for part in model.split("(*") {
        plain += part.split_once("*)").map_or(part, |it| it.1);
    }
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn assert_has(rest: &str, parts: &[&str]) {
    let model = model(rest);
    for part in parts {
        assert!(model.contains(part), "{part} in {model}");
    }
}

#[test]
fn statements_about_cells_are_updates() {
    let step = |modifies: &str, said: &str| format!("transition t1(x: s, y: t) modifies {modifies} {said}");
    assert_has(&step("r", "new(r(X)) <-> r(X) | X = x"), &["{ R[x] := True; }"]);
    assert_has(&step("p", "new(p(X, Y)) <-> p(X, Y) & !(X = x & Y = y)"), &["{ P[x, y] := False; }"]);
    assert_has(&step("r", "!new(r(X))"), &["R[s2] := case | _ : False;"]);
    assert_has(&step("p", "new(p(X, Y)) <-> Y = y"), &["P[s2, t2] := case | t2 = y : True | _ : False;"]);
    assert_has(&step("f", "forall X. new(f(X)) = (if X = x then y else f(X))"), &["{ F[x] := y; }"]);
    assert_has(&step("c", "r(x) & new(c) = x"), &["requires { R[x] = True } { C := x; }"]);
    assert_has(&step("r", "new(r(X)) <-> r(X)"), &["transition t1 (x : s y : t) { }"]);
}

#[test]
fn what_is_not_said_is_any_value() {
    let step = "transition t1() modifies c  r(new(c))";
    assert_has(step, &["transition t1 (c : s) requires { R[c] = True } { C := c; }"]);
    let one = "transition t1(x: s) modifies r  X != x -> (new(r(X)) <-> r(X))";
    assert_has(one, &["t1 (x : s) { R[x] := True; }", "t1_2 (x : s) { R[x] := False; }"]);
    let region = "transition t1() modifies f  k(z) & (k(f(X)) -> new(f(X)) = f(X))";
    assert_has(region, &["several cells of `f` are not said"]);
    let all = "transition t1() modifies r  new(r(X)) = new(r(X))  transition t2() modifies c  new(c) = c";
    assert_has(
        all,
        &[
            "t1 () { R_open := True; }",
            "t2 () { R_open := False; }",
            "change_r (s2 : s) requires { R_open = True } { R[s2] := True; }",
            "change_r2 (s2 : s) requires { R_open = True } { R[s2] := False; }",
        ],
    );
}

/// Domains of mypyvy are not empty.
#[test]
fn a_property_that_there_is_an_element_is_not_refuted_by_a_sort_without_any() {
    assert_has("safety exists X. r(X)", &["unsafe (s2 : s) { forall x : s. R[x] = False }"]);
    let names = "sort u\nimmutable constant d: s\nimmutable function g(s): u\nmutable relation q(s, u)\n";
    let named =
        "unsafe (s2 : s u2 : u) { s2 = D && u2 = G[s2] && (forall x : s. forall y : u. Q[x, y] = False) }";
    assert_has(&format!("{names}safety exists X, Y. q(X, Y)"), &[named]);
}

#[test]
fn parameters_that_coincide_are_copies() {
    let step = "transition t1(x: s, y: s) modifies r  r(y) & (new(r(X)) <-> r(X) & X != y | X = x)";
    assert_has(step, &["t1 (x y : s) requires { R[y] = True }", "t1_2 (x : s) requires { R[x] = True }"]);
    let different = "transition t1(x: s, y: s) modifies r  x != y & (new(r(X)) <-> r(X) | X = x)";
    assert_eq!(model(different).matches("transition").count(), 1);
    assert_has("safety r(X) & r(Y) -> X = Y", &["unsafe (x y : s) { R[x] = True && R[y] = True }"]);
}

#[test]
fn arguments_get_names() {
    let step = "transition t1(x: s) modifies c  k(f(x)) & k(z) & new(c) = x";
    let parts = [
        "t1 (x : s f z : t) requires { k(f) && k(z) && f = F[x] && z = Z }",
        "t1_2 (x : s f : t) requires { k(f) && f = F[x] && f = Z }",
    ];
    assert_has(step, &parts);
    assert_has("axiom k(z)", &["invariant (z : t) { z = Z && not k(z) }"]);
    assert_has("init k(f(X))", &["&& (f <> F[x] || k(f))"]);
    let bound = "transition t1(x: s) modifies c  (forall X. k(f(X))) & new(c) = x";
    assert_has(bound, &["(forall x2 : s. forall f : t. (f <> F[x2] || k(f)))"]);
}

#[test]
fn what_exists_is_a_parameter_or_a_constant() {
    let step = "transition t1(x: s) modifies c  (exists Y. forall X. p(X, Y)) & new(c) = x";
    assert_has(step, &["t1 (x : s y : t) requires { (forall x2 : s. P[x2, y] = True) }"]);
    assert_has("init exists Y. forall X. p(X, Y)", &["const Y : t", "(y <> Y || P[x, y] = True)"]);
    assert_has("axiom exists Y. k(Y)", &["const Y : t", "invariant (y : t) { y = Y && not k(y) }"]);
}

#[test]
fn sorts_are_inferred_through_equalities() {
    assert_has("safety X = Y & r(X) -> r(Y)", &["type s < proc"]);
    assert_has("safety X = Y", &["the sort of `X` is not known"]);
    let defined = "definition d(x, y) = r(x) & k(y)\nsafety d(X, Y)";
    assert_has(defined, &["unsafe (x : s) { R[x] = False }", "unsafe (y : t) { not k(y) }"]);
}
