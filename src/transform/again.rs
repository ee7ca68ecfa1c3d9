//! A system whose bad states are those where a process acts again after a certain first transition: further variables
//! remember the first transition of each process, and that one acted again.

use super::taken::{flag, fresh_name};
use cubicle_lang::model::{
    Assignment, Bad, Branch, Cell, Conj, Dnf, EnumDecl, EnumId, Literal, ProcRef, System, Term, Transition,
    TransitionId, Type, Update, VarId, VarKind,
};

/// What a process did: nothing, the transition in question first, or another one first.
const DONE: [&str; 3] = ["Nothing", "First", "Other"];
const NOTHING: u8 = 0;
const FIRST: u8 = 1;
const OTHER: u8 = 2;

/// A system with these variables after its own, for the transitions of this declaration; `None` when there are too many variables, types or
/// transitions. A process acts when it is an argument of a transition that is taken. Its first bad state: a process whose first step was
/// the transition acts again. Its second: some process took it first.
pub fn with_acts_again(original: &System, origin: u16) -> Option<System> {
    let mut system = original.to_parts();
    let span = system.transitions.iter().find(|it| it.origin == origin)?.span;
    let done = EnumId(u16::try_from(system.enums.len()).ok()?);
    let constructors = DONE.iter().map(|name| fresh_name(&system, name)).collect();
    let name = fresh_name(&system, "done");
    system.enums.push(EnumDecl { name, constructors, words: Vec::new() });
    let name = fresh_name(&system, "Done");
    let ghosts = Ghosts {
        done: system.declare(name, VarKind::Array(1), Type::Enum(done), span)?,
        again: flag(&mut system, "Again", VarKind::Global, span)?,
    };
    // Initially no process has done anything.
    system.init.demand(&ghosts.did(ProcRef::Var(0), NOTHING));
    system.init.demand(&ghosts.acted_again(false));
    let mut copies = Vec::new();
    for t in &mut system.transitions {
        for param in 0..t.params.len() as u8 {
            copies.push(ghosts.acting_again(t, param));
        }
        ghosts.remember(t, if t.origin == origin { FIRST } else { OTHER });
    }
    if system.transitions.len() + copies.len() > TransitionId::MOST {
        return None;
    }
    system.transitions.extend(copies);
    let bad = |name: &str, number, params, literal| Bad::derived(name, number, params, vec![literal], span);
    system.bad = vec![
        bad("acts again", 1, 0, ghosts.acted_again(true)),
        bad("acts first", 2, 1, ghosts.did(ProcRef::Var(0), FIRST)),
    ];
    Some(System::new(system))
}

/// The further variables.
struct Ghosts {
    done: VarId,
    again: VarId,
}

impl Ghosts {
    fn did(&self, proc: ProcRef, what: u8) -> Literal {
        Literal::In { cell: Cell::at(self.done, [proc]), values: 1 << what }
    }

    fn acted_again(&self, again: bool) -> Literal {
        Literal::is(Cell::global(self.again), again)
    }

    /// The transition, taken by a process whose first step was the one in question.
    fn acting_again(&self, t: &Transition, param: u8) -> Transition {
        let mut guard: Conj = t.guard.clone();
        guard.push(self.did(ProcRef::Var(param), FIRST));
        let updates = vec![Update::setting(self.again)];
        Transition { spans: vec![t.span; guard.len()], guard, updates, ..t.clone() }
    }

    /// Records this as the first step of each argument that has done nothing.
    fn remember(&self, t: &mut Transition, what: u8) {
        let index = ProcRef::Var(t.arity() as u8);
        let mut branches: Vec<Branch> = (0..t.params.len() as u8)
            .map(|param| {
                let param = ProcRef::Var(param);
                let when = Dnf(vec![vec![Literal::same(param, index), self.did(param, NOTHING)]]);
                Branch { when, value: Term::Constructor(what) }
            })
            .collect();
        if branches.is_empty() {
            return;
        }
        branches.push(Branch { when: Dnf::truth(), value: Term::Cell(Cell::at(self.done, [index])) });
        t.updates.push(Update { var: self.done, assignment: Assignment::Cases(branches) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubicle_forward::explore;
    use cubicle_run::{ForwardOptions, Interrupt, Silent};

    #[test]
    fn acting_again_after_the_transition_is_bad() {
        let text = "type t = Nothing | B | C array S[proc] : t var Done : t
            init () { Done = Nothing } unsafe (p) { S[p] = C }
            transition end (p) requires { S[p] = B } { S[p] := Nothing }
            transition step (p) requires { S[p] = Nothing && Done = Nothing } { S[p] := B; Done := B; }
            transition pass (p q) requires { S[p] = B && S[q] <> B && Done = C } { S[p] := C; }";
        let system = cubicle_lang::load(text).expect("a model").system;
        let met = |origin: u16| {
            let again = with_acts_again(&system, origin).expect("such a transition");
            let options = ForwardOptions::default().stop_at_unsafe(false);
            let seen = explore(&again, 2, &options, &Interrupt::default(), &mut Silent).exploration;
            let traces = seen.unsafe_trace.into_iter().chain(seen.more_unsafe_traces);
            let mut met: Vec<usize> = traces.filter_map(|trace| trace.bad).collect();
            met.sort_unstable();
            met
        };
        // A process may begin with `end` or `step` and act again; `pass` is never taken.
        assert_eq!(met(0), [0, 1]);
        assert_eq!(met(1), [0, 1]);
        assert_eq!(met(2), Vec::<usize>::new());
    }
}
