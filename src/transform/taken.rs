//! A system whose bad states are those after a certain transition was taken: a further variable remembers it.

use smallvec::SmallVec;

use cubicle_lang::model::semantics::{State, Step, Trace};
use cubicle_lang::model::{
    Bad, Case, Cell, EnumDecl, EnumId, Literal, System, SystemParts, Transition, Type, Update, Var, VarId,
    VarKind,
};

/// A system with a variable, after those of the original, that says whether a transition was taken.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The system. Its only bad cube: the transition was taken.
    pub system: System,
    /// How many transitions the original has; the added ones can be taken where a condition holds.
    own: usize,
}

impl Taken {
    /// For the transitions with this name; `None` when there are none, or too many variables.
    pub fn new(original: &System, name: &str) -> Option<Self> {
        Self::by(original, |it| it.name == name)
    }

    /// For these transitions; `None` when there are none, or too many variables.
    pub fn by(original: &System, which: impl Fn(&Transition) -> bool) -> Option<Self> {
        let mut system = original.to_parts();
        let first = system.transitions.iter().find(|it| which(it))?;
        let (name, span) = (first.name.clone(), first.span);
        let var = VarId::new(system.vars.len())?;
        let ty = Type::Enum(truth_values(&mut system)?);
        let ghost = fresh_name(&system, "Taken");
        system.vars.push(Var { name: ghost, kind: VarKind::Global, ty, range: 0b11, span });
        let holds =
            |value: u64| Literal::In { cell: Cell { var, index: SmallVec::new() }, values: 1 << value };
        for conj in system.init.body.0.iter_mut().chain(&mut system.init.without_processes.0) {
            conj.push(holds(0));
        }
        for transition in system.transitions.iter_mut().filter(|it| which(it)) {
            transition.updates.push(Update::setting(var));
        }
        system.bad = vec![Bad::derived(format!("{name} taken"), 1, 0, vec![holds(1)], span)];
        Some(Self { system: System::new(system), own: original.transitions.len() })
    }

    /// For a further transition that changes nothing and can be taken where one of these cases holds, for parameters with
    /// these names; `None` when there are too many variables or transitions.
    pub fn where_one_holds(original: &System, params: &[String], cases: &[Case]) -> Option<Self> {
        let mut system = original.to_parts();
        let span = original.init.span;
        let next =
            original.transitions.iter().map(|it| it.origin).max().map_or(Some(0), |it| it.checked_add(1));
        let origin = next.filter(|_| original.transitions.len() + cases.len() < usize::from(u16::MAX))?;
        for Case { hidden, cube, universals } in cases {
            system.transitions.push(Transition {
                origin,
                hidden: *hidden,
                universals: universals.clone(),
                ..Transition::derived("here", params.to_vec(), cube.clone(), span)
            });
        }
        let taken = Self::by(&System::new(system), |it| it.origin == origin)?;
        Some(Self { own: original.transitions.len(), ..taken })
    }

    /// The number of processes that a state needs for the condition of the added transitions.
    pub fn processes(&self) -> usize {
        self.system.transitions[self.own..].iter().map(Transition::arity).max().unwrap_or(0)
    }

    /// A run of this system as one of the original. Its `bad` is `None`.
    #[must_use]
    pub fn run(&self, run: &Trace) -> Trace {
        // A global, and the last variable: one cell, the last one.
        let state = |state: &State| {
            let cells = state.values.len() - 1;
            State { procs: state.procs, values: state.values[..cells].to_vec() }
        };
        let step = |it: &Step| Step { after: state(&it.after), ..it.clone() };
        let steps = run.steps.iter().filter(|it| usize::from(it.transition.0) < self.own).map(step);
        Trace { initial: state(&run.initial), steps: steps.collect(), bad: None }
    }
}

/// The type of truth values; it is added when the model has none.
pub(super) fn truth_values(system: &mut SystemParts) -> Option<EnumId> {
    let at = system.enums.iter().position(|it| it.name == "bool" && it.constructors.len() == 2);
    let at = at.unwrap_or_else(|| {
        let constructors = vec!["False".to_owned(), "True".to_owned()];
        system.enums.push(EnumDecl { name: "bool".to_owned(), constructors, words: Vec::new() });
        system.enums.len() - 1
    });
    Some(EnumId(u16::try_from(at).ok()?))
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
pub(super) fn has_name(system: &SystemParts, name: &str) -> bool {
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
            let taken = Taken::new(&system, name).expect("such a transition");
            let found =
                explore(&taken.system, 2, &ForwardOptions::default(), &Interrupt::default(), &mut Silent);
            found.exploration.unsafe_trace.map(|trace| taken.run(&trace))
        };
        let run = explored("leave").expect("a run");
        assert_eq!(replay_steps(&system, &run), Ok(()));
        let names: Vec<_> =
            run.steps.iter().map(|step| system.transition(step.transition).name.as_str()).collect();
        assert_eq!(names, ["enter", "leave"]);
        assert_eq!(explored("both").map(|run| run.steps.len()), Some(3));
        assert!(explored("never").is_none());
        assert!(Taken::new(&system, "nowhere").is_none());
    }
}
