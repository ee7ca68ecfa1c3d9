//! A system whose bad states are those after a certain transition was taken: a further variable remembers it.

use cubicle_lang::diagnostic::Span;
use cubicle_lang::model::semantics::{Step, Trace};
use cubicle_lang::model::{
    BOOL, Bad, Case, Cell, Literal, System, SystemParts, Transition, Type, Update, VarId, VarKind,
};

/// A system with a variable, after those of the original, that says whether one of these transitions was taken: its only bad cube. `None`
/// when there are none, or too many variables.
pub fn with_taken(original: &System, which: impl Fn(&Transition) -> bool) -> Option<System> {
    let mut system = original.to_parts();
    let first = system.transitions.iter().find(|it| which(it))?;
    let (name, span) = (first.name.clone(), first.span);
    let var = flag(&mut system, "Taken", VarKind::Global, span)?;
    let is_taken = |taken: bool| Literal::is(Cell::global(var), taken);
    system.init.demand(&is_taken(false));
    for transition in system.transitions.iter_mut().filter(|it| which(it)) {
        transition.updates.push(Update::setting(var));
    }
    system.bad = vec![Bad::derived(format!("{name} taken"), 1, 0, vec![is_taken(true)], span)];
    Some(System::new(system))
}

/// The same for further transitions, after those of the original, that change nothing and can be taken where one of these cases holds;
/// `None` when there are too many variables or transitions.
pub fn with_one_taken(original: &System, cases: &[Case]) -> Option<System> {
    let origin = original.next_origin();
    if original.transitions.len() + cases.len() >= usize::from(u16::MAX) {
        return None;
    }
    let span = original.init.span;
    let possible = |Case { hidden, cube, universals }: &Case| Transition {
        origin,
        hidden: *hidden,
        universals: universals.clone(),
        ..Transition::derived("here", Vec::new(), cube.clone(), span)
    };
    let system = original.edited(|parts| parts.transitions.extend(cases.iter().map(possible)));
    with_taken(&system, |it| it.origin == origin)
}

/// A run of such a system as one of the original. Its `bad` is `None`.
pub fn own_run(original: &System, run: &Trace) -> Trace {
    let is_own = |it: &&Step| usize::from(it.transition.0) < original.transitions.len();
    let steps = run.steps.iter().filter(is_own).cloned().collect();
    Trace { initial: run.initial.clone(), steps, bad: None }.within(original)
}

/// Adds a variable of `bool` with this name, or a longer one that the system does not have; `None` when there are too many.
pub(super) fn flag(system: &mut SystemParts, name: &str, kind: VarKind, span: Span) -> Option<VarId> {
    system.declare(fresh_name(system, name), kind, Type::Enum(BOOL), span)
}

/// The name, or a longer one that the system does not have.
pub(super) fn fresh_name(system: &SystemParts, name: &str) -> String {
    let mut name = name.to_owned();
    while has_name(system, &name) {
        name.push('_');
    }
    name
}

/// Whether a variable or a value of the system has this name.
pub fn has_name(system: &SystemParts, name: &str) -> bool {
    system.vars.iter().any(|it| it.name == name)
        || system.enums.iter().any(|it| it.constructors.iter().any(|c| c == name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubicle_forward::explore;
    use cubicle_lang::model::semantics::replay_steps;
    use cubicle_run::{ForwardOptions, Interrupt, Silent};

    #[test]
    fn the_run_to_the_bad_state_ends_with_the_transition() {
        let text = "array In[proc] : bool var Taken : proc
            init (p) { In[p] = False } unsafe (p) { In[p] = True }
            transition enter (p) requires { In[p] = False } { In[p] := True; Taken := p; }
            transition leave (p) requires { In[p] = True && Taken = p } { In[p] := False; }
            transition both (p q) requires { In[p] = True && In[q] = True && Taken = q } { In[p] := False; }
            transition never (p q r) requires { In[p] = True } { In[q] := True; }";
        let system = cubicle_lang::load(text).expect("a model").system;
        let explored = |name: &str| {
            let taken = with_taken(&system, |it| it.name == name).expect("such a transition");
            let found = explore(&taken, 2, &ForwardOptions::default(), &Interrupt::default(), &mut Silent);
            found.exploration.unsafe_trace.map(|trace| own_run(&system, &trace))
        };
        let run = explored("leave").expect("a run");
        assert_eq!(replay_steps(&system, &run), Ok(()));
        let names: Vec<_> =
            run.steps.iter().map(|step| system.transition(step.transition).name.as_str()).collect();
        assert_eq!(names, ["enter", "leave"]);
        assert_eq!(explored("both").map(|run| run.steps.len()), Some(3));
        assert!(explored("never").is_none());
        assert!(with_taken(&system, |it| it.name == "nowhere").is_none());
    }
}
