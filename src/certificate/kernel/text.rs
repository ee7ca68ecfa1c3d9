//! The system of a theorem as the text that `coq/Print.v` prints it as.

use cubicle_lang::diagnostic::Span;
use cubicle_lang::list::place_of;
use cubicle_lang::model::{BOOL, BadKind, System, Type};
use cubicle_lang::words;

/// The text of a system that is as [`plain`] gives it: parts between which there are empty lines.
pub fn written(plain: &System) -> Vec<String> {
    // Names of properties are not printed there, and witnesses are arrays.
    let plain = &plain.edited(|parts| {
        parts.bad.iter_mut().for_each(|bad| bad.name.clear());
        parts.witnesses.clear();
    });
    // The comment says what instances there are, and what holds in the one without processes.
    let model = plain.edited(|parts| {
        parts.init.without_processes = words::literally_without_processes(&parts.init.body);
        parts.proc_constants = 0;
    });
    let text = format!(
        "{}\n(* At least {} processes; where there is none, init is: {} *)\n",
        words::model(&model),
        plain.proc_constants,
        words::formula(plain, &plain.init.without_processes, &[]),
    );
    let parts = text.split("\n\n").map(|it| it.trim_matches('\n').to_owned());
    parts.filter(|it| !it.is_empty()).collect()
}

/// The system with what neither changes its states and steps nor what is bad in the same form for all systems: processes are named by their
/// numbers, types come in the order in which variables have them, there are no properties of runs, and each cube is a declaration.
pub fn plain(system: &System) -> System {
    system.edited(|parts| {
        parts.temporal.clear();
        parts.fairness.clear();
        let (mut enums, mut abstracts) = (vec![BOOL], Vec::new());
        for var in &mut parts.vars {
            match &mut var.ty {
                Type::Enum(id) => id.0 = place_of(&mut enums, *id) as u16,
                Type::Abstract(id) => id.0 = place_of(&mut abstracts, *id) as u16,
                Type::Proc | Type::Int | Type::Real => {}
            }
        }
        parts.enums = enums.iter().map(|id| parts.enums[usize::from(id.0)].clone()).collect();
        parts.abstracts = abstracts.iter().map(|id| parts.abstracts[usize::from(id.0)].clone()).collect();
        // Those with one place would be written as one declaration.
        for (n, axiom) in (0..).zip(&mut parts.axioms) {
            axiom.span = Span { start: n, end: n };
        }
        for bad in &mut parts.bad {
            bad.kind = BadKind::Unsafe;
        }
        for transition in &mut parts.transitions {
            transition.params = (1..=transition.arity()).map(|p| format!("p{p}")).collect();
            transition.hidden = 0;
        }
    })
}
