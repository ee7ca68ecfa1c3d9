//! Systems whose processes may fail: stop for ever, or go back to their initial values.
//!
//! Stopping: an array says which processes are alive. Every transition needs all of its processes alive, hidden ones too, and
//! those in whose cells alone it writes by the name of a variable;
//! `crash (p)` stops one, at most a given number of times. The cells of a stopped process keep their values, and universal
//! guards, `unsafe`s and properties of runs still apply to it. Its steps are not possible any more, so that fairness does
//! not require them. The promises of `response`, `recurrence` and `possible` to a stopped process count as kept: it requests
//! nothing any more.
//!
//! Going back to initial values: see [`super::restart`].

use std::fmt;

use super::restart::restarts;
use super::taken::{flag, fresh_name, has_name};
use cubicle_lang::diagnostic::Diagnostic;
use cubicle_lang::list::add_new;
use cubicle_lang::model::{
    Assignment, Branch, Case, Cell, Conj, Dnf, EnumDecl, EnumId, Literal, ProcRef, System, SystemParts,
    TemporalKind, Term, Transition, TransitionId, Type, Universal, Update, VarId, VarKind,
};
use tracing::debug_span;

/// How processes fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Crash {
    /// They stop, at most this many of them.
    Stop(Option<u8>),
    /// They go back to their initial values.
    Restart,
}

/// The most crashes that are counted: they are values of a type.
pub const MOST_CRASHES: u8 = 32;

impl Crash {
    /// How processes fail in the words `stop`, `stop:2` or `restart`; `None` for other words, and for more than [`MOST_CRASHES`].
    pub fn read(words: &str) -> Option<Self> {
        match words.split_once(':') {
            None if words == "stop" => Some(Self::Stop(None)),
            None if words == "restart" => Some(Self::Restart),
            Some(("stop", most)) => {
                most.parse().ok().filter(|it| (1..=MOST_CRASHES).contains(it)).map(|it| Self::Stop(Some(it)))
            }
            _ => None,
        }
    }

    /// How many variables are added for it.
    pub const fn added(self) -> usize {
        match self {
            Self::Restart => 0,
            Self::Stop(None) => 1,
            Self::Stop(Some(_)) => 2,
        }
    }
}

/// In the words that [`Crash::read`] reads.
impl fmt::Display for Crash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stop(None) => f.write_str("stop"),
            Self::Stop(Some(most)) => write!(f, "stop:{most}"),
            Self::Restart => f.write_str("restart"),
        }
    }
}

/// The system with failing processes.
///
/// # Errors
/// Why the system cannot be made, with the place in the model.
pub fn with_crashes(original: &System, crash: Crash) -> Result<System, Box<Diagnostic>> {
    let _span = debug_span!("with_crashes", ?crash).entered();
    let mut system = original.to_parts();
    let name = if crash == Crash::Restart { "restart" } else { "crash" };
    if let Some(it) = original.transitions.iter().find(|it| it.name == name) {
        let text = format!("the model has a transition `{name}`, as `--crash` would add one");
        let error = Diagnostic::error("C0602", it.span, text).help("give it another name");
        return Err(Box::new(error));
    }
    if matches!(crash, Crash::Stop(Some(most)) if most > MOST_CRASHES) {
        let text = format!("at most {MOST_CRASHES} crashes are counted");
        return Err(Box::new(Diagnostic::error("C0501", system.init.span, text)));
    }
    match crash {
        Crash::Stop(most) => stop(&mut system, most).ok_or_else(|| {
            let text = "the model has too many variables with those that `--crash` adds";
            Box::new(Diagnostic::error("C0501", system.init.span, text))
        })?,
        Crash::Restart => {
            system.transitions.extend(restarts(original, &transition(original, name, Vec::new()))?);
        }
    }
    if system.transitions.len() > TransitionId::MOST {
        let text = "the model has too many transitions with those that `--crash` adds";
        return Err(Box::new(Diagnostic::error("C0501", system.init.span, text)));
    }
    let failures = system.transitions.iter().find(|it| it.name == name);
    system.failures = failures.map(|it| it.origin);
    Ok(System::new(system))
}

/// The array of [`with_crashes`] that says whether each process is alive, if processes of `original` stop.
pub fn alive_array(original: &SystemParts, crash: Crash) -> Option<VarId> {
    let next = VarId::new(original.vars.len());
    next.filter(|_| matches!(crash, Crash::Stop(_)))
}

fn stop(system: &mut SystemParts, most: Option<u8>) -> Option<()> {
    let span = system.init.span;
    let alive = flag(system, "Alive", VarKind::Array(1), span)?;
    let lives = |p: u8| Literal::is(Cell::at(alive, [ProcRef::Var(p)]), true);
    system.init.demand(&lives(0));
    // What only notes a bad state is not a step of a process.
    let watches: Vec<bool> = system.transitions.iter().map(|it| system.is_watch(it)).collect();
    let written: Vec<Vec<Universal>> =
        system.transitions.iter().map(|it| written(system, it, alive)).collect();
    for ((transition, written), _) in
        system.transitions.iter_mut().zip(written).zip(watches).filter(|it| !it.1)
    {
        transition.universals.extend(written);
        for p in 0..transition.arity() as u8 {
            transition.guard.push(lives(p));
            transition.spans.push(span);
        }
    }
    for property in
        system.temporal.iter_mut().filter(|it| !matches!(it.kind, TemporalKind::Cover | TemporalKind::Ltl))
    {
        let met = match property.kind {
            TemporalKind::Response => &mut property.then,
            _ => &mut property.first,
        };
        for p in 0..property.params.len() as u8 {
            met.0.push(Case::of(vec![Literal::is(Cell::at(alive, [ProcRef::Var(p)]), false)]));
        }
    }
    let mut crash = transition(system, "crash", vec![lives(0)]);
    crash.updates.push(cell_of(alive, Term::Constructor(0)));
    if let Some(most) = most {
        let (counter, last) = counter(system, most)?;
        let cell = || Cell::global(counter);
        crash.guard.push(Literal::In { cell: cell(), values: (1 << last) - 1 });
        crash.spans.push(span);
        let next = |n: u8| {
            let when = Dnf(vec![vec![Literal::In { cell: cell(), values: 1 << n }]]);
            Branch { when, value: Term::Constructor(n + 1) }
        };
        let mut branches: Vec<Branch> = (0..last).map(next).collect();
        branches.push(Branch { when: Dnf::truth(), value: Term::Cell(cell()) });
        crash.updates.push(Update { var: counter, assignment: Assignment::Cases(branches) });
    }
    if most != Some(0) {
        system.transitions.push(crash);
    }
    Some(())
}

/// That a process lives which a variable names, where an update changes nothing but its cells: for all processes that are not parameters.
fn written(system: &SystemParts, transition: &Transition, alive: VarId) -> Vec<Universal> {
    let arity = transition.arity() as u8;
    let mut all = Vec::new();
    for Update { var, assignment } in &transition.updates {
        let Assignment::Cases(branches) = assignment else { continue };
        let declared = &system.vars[usize::from(var.0)];
        let indices = arity..arity + declared.arity() as u8;
        let held = Term::held(Cell::at(*var, indices.clone().map(ProcRef::Var)), declared.ty);
        let changes = |it: &&Branch| it.value != held;
        let Some(first) = branches.iter().find(changes).and_then(|it| it.when.0.first()) else { continue };
        for index in indices {
            let names = |literal: &Literal| match literal {
                Literal::Eq { left: Term::Cell(cell), right: Term::Proc(of), negated: false }
                    if cell.index.is_empty() && *of == ProcRef::Var(index) =>
                {
                    Some(cell.clone())
                }
                _ => None,
            };
            let is_named =
                |pointer: &Cell, conj: &Conj| conj.iter().any(|it| names(it).as_ref() == Some(pointer));
            let alone = |pointer: &Cell| {
                branches.iter().filter(changes).all(|it| it.when.0.iter().all(|conj| is_named(pointer, conj)))
            };
            let other = ProcRef::Var(arity);
            // A process of another sort has no such cell.
            let kept = |it: &Branch| match it.when.0.as_slice() {
                [conj] => match conj.as_slice() {
                    [Literal::In { cell, values }]
                        if system.sort_array() == Some(cell.var) && cell.index[0] == ProcRef::Var(index) =>
                    {
                        Some(vec![Literal::In { cell: Cell::at(cell.var, [other]), values: *values }])
                    }
                    _ => None,
                },
                _ => None,
            };
            for pointer in first.iter().filter_map(names).filter(alone) {
                let lives =
                    [Literal::points(pointer, other, false), Literal::is(Cell::at(alive, [other]), true)];
                let kept = branches.iter().take_while(|it| !changes(it)).filter_map(kept);
                let body = lives.into_iter().map(|it| vec![it]).chain(kept).collect();
                add_new(&mut all, Universal::derived(1, body, transition.span));
            }
        }
    }
    all
}

/// A variable that counts crashes up to `most`, and its last value.
fn counter(system: &mut SystemParts, most: u8) -> Option<(VarId, u8)> {
    let last = most.max(1);
    let ty = EnumId(u16::try_from(system.enums.len()).ok()?);
    let mut prefix = fresh_name(system, "Crashes");
    let values = |prefix: &str| (0..=last).map(|n| format!("{prefix}_{n}")).collect::<Vec<String>>();
    let is_type = |name: &str| system.enums.iter().any(|it| it.name == name);
    while is_type(&prefix.to_lowercase()) || values(&prefix).iter().any(|it| has_name(system, it)) {
        prefix = fresh_name(system, &format!("{prefix}_"));
    }
    let constructors = values(&prefix);
    system.enums.push(EnumDecl { name: prefix.to_lowercase(), constructors, words: Vec::new() });
    let var = system.declare(prefix, VarKind::Global, Type::Enum(ty), system.init.span)?;
    system.init.demand(&Literal::In { cell: Cell::global(var), values: 1 });
    Some((var, last))
}

/// A further transition of one process.
fn transition(system: &SystemParts, name: &str, guard: Conj) -> Transition {
    Transition {
        origin: system.next_origin(),
        ..Transition::derived(name, vec!["p".to_owned()], guard, system.init.span)
    }
}

/// An update that gives the parameter's cell in an array of one index a value.
fn cell_of(var: VarId, value: Term) -> Update {
    let index = ProcRef::Var(1);
    let when = Dnf(vec![vec![Literal::same(ProcRef::Var(0), index)]]);
    let same = Term::Cell(Cell::at(var, [index]));
    let branches = vec![Branch { when, value }, Branch { when: Dnf::truth(), value: same }];
    Update { var, assignment: Assignment::Cases(branches) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubicle_forward::explore;
    use cubicle_lang::model::Bad;
    use cubicle_run::{Exploration, ForwardOptions, Interrupt, Silent, Stop};

    const MODEL: &str = "type t = A | B | C  var G : t  array S[proc] : t  array R[proc] : t  array P[proc, proc] : bool
        array K[proc] : t  init (p q) { G = A && S[p] = A && (R[p] = A || R[p] = B) && P[p, q] = True && K[p] = A }
        unsafe (p) { S[p] = C && G = C }
        transition go (p) requires { S[p] = A && exists q. R[q] = K[q] } { S[p] := B; R[p] := C }
        transition look (p q) requires { S[p] = B } { S[p] := C; P[p, q] := False; G := B }";

    fn seen(system: &System, procs: usize) -> Exploration {
        let options = ForwardOptions::default().symmetry(false);
        explore(system, procs, &options, &Interrupt::default(), &mut Silent).exploration
    }

    /// Whether both of two processes can be dead at once.
    fn two_die(most: Option<u8>) -> bool {
        let system = with_crashes(&cubicle_lang::load(MODEL).unwrap().system, Crash::Stop(most))
            .expect("they may crash");
        let at =
            system.vars.iter().position(|var| var.name == "Alive").expect("the array of living processes");
        let dead = |p| Literal::is(Cell::at(VarId(at as u16), [ProcRef::Var(p)]), false);
        let bad = Bad::derived("", 1, 2, vec![dead(0), dead(1)], system.init.span);
        let system = system.edited(|parts| parts.bad = vec![bad]);
        let seen = seen(&system, 2);
        assert!(seen.unsafe_trace.is_some() || seen.stop == Stop::Complete);
        seen.unsafe_trace.is_some()
    }

    #[test]
    fn at_most_f_processes_crash() {
        assert!(two_die(None) && two_die(Some(2)) && two_die(Some(3)));
        assert!(!two_die(Some(1)));
    }

    #[test]
    fn a_crashed_process_takes_no_step() {
        let original = cubicle_lang::load(MODEL).unwrap().system;
        let system = with_crashes(&original, Crash::Stop(None)).unwrap();
        let alive = VarId(original.vars.len() as u16);
        for transition in &system.transitions {
            for p in 0..transition.arity() as u8 {
                let lives = Literal::is(Cell::at(alive, [ProcRef::Var(p)]), true);
                assert!(transition.guard.contains(&lives), "{} needs {p}", transition.name);
            }
        }
        // Without crashes, the states are those of the original.
        let quiet = system.edited(|parts| parts.transitions.truncate(original.transitions.len()));
        assert_eq!(seen(&quiet, 2).states, seen(&original, 2).states);
    }

    /// With the only process dead, whose cell `set` writes, nothing is possible.
    #[test]
    fn a_step_that_writes_a_cell_needs_its_process() {
        let model = "var G : proc or nil  array S[proc] : bool  init (p) { G = nil && S[p] = False }
            transition point (p) { G := p }  transition set () { S[G] := True }  unsafe { false }";
        let system = with_crashes(&cubicle_lang::load(model).unwrap().system, Crash::Stop(None)).unwrap();
        let options = ForwardOptions::default().deadlock(true);
        let seen = explore(&system, 1, &options, &Interrupt::default(), &mut Silent).exploration;
        assert_eq!((seen.states, seen.deadlock_states), (6, 2));
    }

    #[test]
    fn a_restart_gives_assigned_cells_initial_values() {
        let original = cubicle_lang::load(MODEL).unwrap().system;
        let system = with_crashes(&original, Crash::Restart).unwrap();
        let restarts: Vec<_> = system.transitions.iter().filter(|it| it.name == "restart").collect();
        // R[p] is A or B; K is never assigned, so that it keeps its value.
        assert_eq!(restarts.len(), 2);
        assert!(restarts.iter().all(|it| it.updates.len() == 3 && it.origin == restarts[0].origin));
        // S[p] = A and G = B needs a restart.
        let back = |system: &System| {
            let (s, g) = (VarId(1), VarId(0));
            let both = vec![
                Literal::In { cell: Cell::at(s, [ProcRef::Var(0)]), values: 0b001 },
                Literal::In { cell: Cell::at(s, [ProcRef::Var(1)]), values: 0b001 },
                Literal::In { cell: Cell::global(g), values: 0b010 },
            ];
            let system = system.edited(|parts| {
                parts.bad[0].params = 2;
                parts.bad[0].cube = both;
            });
            seen(&system, 2).unsafe_trace.is_some()
        };
        assert!(back(&system) && !back(&original));
        // After all have restarted, with G unchanged, the state is like an initial one.
        assert_eq!(seen(&system, 2).stop, Stop::Complete);
    }

    #[test]
    fn a_refusal_names_the_obstacle() {
        let error = |text: &str, crash| {
            let error = with_crashes(&cubicle_lang::load(text).unwrap().system, crash).unwrap_err();
            let span = error.primary.span;
            (error.message, text[span.start as usize..span.end as usize].to_owned())
        };
        let open = MODEL.replace("P[p, q] = True && ", "");
        assert!(error(&open, Crash::Restart).0.contains("`P`"));
        let many = error(MODEL, Crash::Stop(Some(MOST_CRASHES + 1))).0;
        assert!(many.contains("at most 32 crashes"), "{many}");
        let own = MODEL.replace("transition go", "transition crash");
        assert!(error(&own, Crash::Stop(None)).0.contains("`crash`"));
    }

    #[test]
    fn a_printed_system_reads_back() {
        let taken = format!("type crashes = Crashes_0 | Crashes_2  {MODEL}");
        for (model, crash) in [
            (MODEL, Crash::Stop(None)),
            (MODEL, Crash::Stop(Some(2))),
            (&taken, Crash::Stop(Some(2))),
            (MODEL, Crash::Restart),
        ] {
            let system = with_crashes(&cubicle_lang::load(model).unwrap().system, crash).unwrap();
            let text = cubicle_lang::words::model(&system);
            let again = cubicle_lang::load(&text).unwrap_or_else(|error| panic!("{error}\n{text}")).system;
            for procs in 1..=3 {
                assert_eq!(seen(&again, procs).states, seen(&system, procs).states, "{procs}: {text}");
            }
        }
    }
}
