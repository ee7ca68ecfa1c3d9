//! Cubes as text, and the cubes of declarations.

use super::world::{Raw, world};
use crate::cube::{bad_cubes, invariant, text};
use cubicle_lang::model::Bad;

/// The text of the cube that these numbers stand for.
fn drawn(name: &str, raw: &[Raw]) -> String {
    let world = world(name);
    let cube = world.drawn(raw).expect("no contradiction");
    text(&world.system, &world.context, &cube).join(" && ")
}

#[test]
fn cubes_read_as_the_model_writes_them() {
    let zero = (0, 0, 0);
    assert_eq!(
        drawn("values", &[(0, 0, 0, 1, zero), (2, 0, 0, 5, zero), (3, 0, 0, 2, zero)]),
        "G = A && S[#1] <> B && S[#2] = B"
    );
    assert_eq!(drawn("values", &[(0, 2, 3, 0, zero), (2, 3, 2, 0, zero)]), "G = S[#1] && S[#1] <> S[#2]");
    assert_eq!(drawn("matrix", &[(2, 0, 0, 2, zero)]), "M[#1, #2] = True");
    // P is #2, or is not, or one of both; R[#1] is neither.
    assert_eq!(drawn("pointers", &[(0, 0, 0, 2, zero)]), "P = #2");
    assert_eq!(drawn("pointers", &[(0, 0, 0, 0b10001, zero)]), "P <> #2");
    assert_eq!(
        drawn("pointers", &[(0, 0, 0, 3, zero), (2, 0, 0, 16, zero)]),
        "P in {#1, #2} && R[#1] <> #1 && R[#1] <> #2"
    );
    assert_eq!(drawn("order", &[(0, 1, 4, 0, zero), (1, 4, 5, 0, zero)]), "P < Q && Q <= #2");
    // 2 X - N[#1] <= 1, X > -2, X <> 1 and so on.
    assert_eq!(drawn("integers", &[(0, 2, 0, 0, (2, -1, -1))]), "2 * X <= N[#1] + 1");
    assert_eq!(drawn("integers", &[(0, 0, 1, 0, (-1, 0, -2))]), "X >= -1");
    assert_eq!(drawn("integers", &[(0, 1, 3, 0, (1, 1, -1))]), "X + Y <> 1");
    assert_eq!(drawn("integers", &[(0, 1, 2, 0, (1, -1, 1))]), "X + 1 = Y");
    assert_eq!(drawn("reals", &[(0, 1, 1, 0, (2, -1, 1))]), "X + 1/2 < 1/2 * Y");
    assert_eq!(drawn("reals", &[(0, 0, 1, 0, (-1, 0, 0))]), "X > 0");
}

/// Each parameter is a constant or another process.
#[test]
fn a_bad_declaration_is_a_cube_for_each_choice_of_constants() {
    let world = world("constants");
    assert_eq!(world.context.rigid, 2);
    let texts = |bad: &Bad| -> Vec<String> {
        let cubes = bad_cubes(&world.context, bad).expect("few processes");
        cubes
            .iter()
            .map(|c| format!("{}: {}", c.procs, text(&world.system, &world.context, c).join(" && ")))
            .collect()
    };
    assert_eq!(texts(&world.system.bad[0]), ["2: P = #1", "2: P = #2", "3: P = #3"]);
    // Of four processes two are constants: a declaration about three others has no cube.
    let three = Bad { params: 3, ..world.system.bad[0].clone() };
    assert_eq!(texts(&three).len(), 3 * 2 + 3 * 2);
    let five = Bad { params: 5, ..world.system.bad[0].clone() };
    assert!(texts(&five).is_empty());
}

/// Value ranges, and globals that hold no process, are part of the invariant.
#[test]
fn values_that_never_occur_are_part_of_an_invariant() {
    let lengths = |name: &str| {
        let world = world(name);
        let never = invariant(&world.system, &world.context, std::iter::empty());
        never.iter().map(|f| (f.params, f.cube.len())).collect::<Vec<_>>()
    };
    assert_eq!(lengths("values"), [(0, 1)], "H = C");
    assert_eq!(lengths("pointers"), [(1, 1)], "O = #1");
    assert_eq!(lengths("order"), []);
    let matrix = "array M[proc,proc] : bool init (z) { M[z,z] = True } unsafe (x y) { M[x,y] = False }
        transition t (x) { M[x,x] := True }";
    let system =
        cubicle_lang::load(&matrix.replace("M[z,z] = True", "M[z,y] = True").replace("(z)", "(z y)"));
    let system = system.expect("a correct model").system;
    let context = crate::cube::CubeContext::new(&system, true, &cubicle_run::Interrupt::default());
    let never = invariant(&system, &context, std::iter::empty());
    assert_eq!(never.iter().map(|f| f.params).collect::<Vec<_>>(), [1, 2], "M[p,p] and M[p,q]");
}
