//! The system of `crash stop`: any process may stop for ever at any moment, or at most a given number of them.
//!
//! *What it means.* `ALIVE[p]` holds initially for all p. Only live processes take a step, including those whose existence its
//! guard requires; `crash (p)` makes `ALIVE[p]` false where it is true, and nothing makes it true again. The cells of a process that
//! stopped stay, and guards over all processes and bad states still apply to it. With a bound F, `COUNTER` counts the
//! crashes from 0, and no process crashes once it is F.

use super::added::{NotDerived, declare, declare_type, next_origin};
use cubicle_lang::model::{
    Assignment, BOOL, Branch, Cell, Conj, Dnf, Literal, MAX_CONSTRUCTORS, ProcRef, System, SystemParts, Term,
    Transition, Type, Update, VarId, VarKind,
};

const FALSE: u8 = 0;
const TRUE: u8 = 1;

fn cell(var: VarId, index: &[ProcRef]) -> Cell {
    Cell { var, index: index.iter().copied().collect() }
}

/// The system, with the name of the array of processes that are alive and, with a bound, of the counter.
pub fn stopping(model: &System, most: Option<u8>, names: &[String]) -> Result<System, NotDerived> {
    let mut system = model.to_parts();
    let (alive, counter) = match (names, most) {
        ([alive], None) => (alive, None),
        ([alive, counter], Some(most)) => (alive, Some((counter, most))),
        _ => {
            let why = "`crash stop` names one variable, and with a bound a second one";
            return Err(NotDerived::Unfit(why.to_owned()));
        }
    };
    let alive = declare(&mut system, alive, VarKind::Array(1), Type::Enum(BOOL))?;
    let counter = counter.map(|(name, most)| Counter::declare(&mut system, name, most)).transpose()?;
    let lives = |p: usize| Literal::In { cell: cell(alive, &[ProcRef::Var(p as u8)]), values: 1 << TRUE };
    // A literal about the first parameter, for all tuples, is about all processes.
    system.init.params = system.init.params.max(1);
    system.init.body.0.iter_mut().for_each(|conj| conj.push(lives(0)));
    if let Some(counter) = &counter {
        let forms = system.init.body.0.iter_mut().chain(&mut system.init.without_processes.0);
        forms.for_each(|conj| conj.push(counter.is(0)));
    }
    // What only notes a bad state is not a step of a process.
    for t in system.transitions.iter_mut().filter(|it| !model.is_watch(it)) {
        let all = 0..t.arity();
        t.spans.extend(all.clone().map(|_| t.span));
        t.guard.extend(all.map(lives));
    }
    let (parameter, index) = (ProcRef::Var(0), ProcRef::Var(1));
    let this = Literal::Eq { left: Term::Proc(parameter), right: Term::Proc(index), negated: false };
    let dies = vec![
        Branch { when: Dnf(vec![vec![this]]), value: Term::Constructor(FALSE) },
        Branch { when: Dnf::truth(), value: Term::Cell(cell(alive, &[index])) },
    ];
    let dies = Update { var: alive, assignment: Assignment::Cases(dies) };
    let crash = |guard: Conj, updates: Vec<Update>| Transition {
        name: "crash".to_owned(),
        origin: next_origin(model),
        params: vec!["p".to_owned()],
        hidden: 0,
        spans: vec![system.init.span; guard.len()],
        guard,
        universals: Vec::new(),
        updates,
        span: system.init.span,
    };
    let crashes: Vec<Transition> = match counter {
        None => vec![crash(vec![lives(0)], vec![dies])],
        // One for each number of earlier crashes.
        Some(counter) => (0..counter.most)
            .map(|n| crash(vec![lives(0), counter.is(n)], vec![dies.clone(), counter.becomes(n + 1)]))
            .collect(),
    };
    system.transitions.extend(crashes);
    Ok(System::new(system))
}

/// Counts crashes.
struct Counter {
    var: VarId,
    most: u8,
}

impl Counter {
    fn declare(system: &mut SystemParts, name: &str, most: u8) -> Result<Self, NotDerived> {
        if usize::from(most) >= MAX_CONSTRUCTORS {
            return Err(NotDerived::TooHard(format!("{most} crashes are too many to count")));
        }
        let numbers: Vec<String> = (0..=most.max(1)).map(|n| n.to_string()).collect();
        let ty = declare_type(system, name, &numbers)?;
        Ok(Self { var: declare(system, name, VarKind::Global, Type::Enum(ty))?, most })
    }

    fn is(&self, n: u8) -> Literal {
        Literal::In { cell: cell(self.var, &[]), values: 1 << n }
    }

    fn becomes(&self, n: u8) -> Update {
        let branch = Branch { when: Dnf::truth(), value: Term::Constructor(n) };
        Update { var: self.var, assignment: Assignment::Cases(vec![branch]) }
    }
}
