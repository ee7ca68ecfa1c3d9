//! The step that closes the loop.

use super::literals::{SAVED, cell, equal, is, same};
use super::plan::{Monitor, Track};
use cubicle_lang::model::{Conj, Dnf, Literal, ProcRef, Term, Transition, Type, Universal, VarId, VarKind};

/// The most globals whose processes are distinguished.
const MOST_POINTERS: usize = 3;

/// Which processes globals name when the loop is closed.
#[derive(Clone, Default)]
struct PointerChoice {
    names: Vec<(VarId, ProcRef)>,
    nobody: Vec<VarId>,
    /// Flags that are set, and those that are not.
    flags: Vec<(VarId, bool)>,
    /// The number of named processes beside those observed.
    further: usize,
}

impl Monitor<'_> {
    /// Closes the loop: the state is the saved one, and fairness is satisfied. There is one such step for each way
    /// in which globals name processes: conditions on all processes are stated for these separately.
    pub fn closes(&self) -> Vec<Transition> {
        let globals: Vec<VarId> = (0..self.original.vars.len() as u16)
            .map(VarId)
            .filter(|var| {
                let var = self.original.var(*var);
                var.ty == Type::Proc && var.kind == VarKind::Global
            })
            .take(2)
            .collect();
        let hindered = self.tracks.iter().flat_map(|it| &it.hindered).map(|it| (it.by, Some(it.at_all)));
        let pointers = globals.into_iter().map(|var| (var, None)).chain(hindered).take(MOST_POINTERS);
        let consts = self.property.params.len();
        // Each pointer names an observed process, a further one, or neither.
        let mut choices: Vec<PointerChoice> = vec![PointerChoice::default()];
        for (var, is_set) in pointers {
            let mut next = Vec::new();
            for known in choices {
                let observed = (0..consts as u8).map(ProcRef::Const);
                let others = (0..=known.further as u8).map(ProcRef::Var);
                for p in observed.chain(others) {
                    let mut more = known.clone();
                    more.names.push((var, p));
                    more.flags.extend(is_set.map(|flag| (flag, true)));
                    if let ProcRef::Var(v) = p {
                        more.further = more.further.max(usize::from(v) + 1);
                    }
                    next.push(more);
                }
                let mut more = known;
                match is_set {
                    Some(flag) => more.flags.push((flag, false)),
                    None => more.nobody.push(var),
                }
                next.push(more);
            }
            choices = next;
        }
        let mut found = Vec::new();
        for silent in &self.silent {
            for PointerChoice { names, nobody, flags, further } in &choices {
                let mut guard = vec![is(self.phase, SAVED)];
                guard.extend(flags.iter().map(|(flag, set)| is(*flag, if *set { 2 } else { 1 })));
                guard.extend(silent.iter().cloned());
                let further = *further;
                let names_it = |var: VarId, p, not| same(Term::Cell(cell(var, [])), Term::Proc(p), not);
                guard.extend(names.iter().map(|(var, p)| names_it(*var, *p, false)));
                let named =
                    || (0..consts as u8).map(ProcRef::Const).chain((0..further as u8).map(ProcRef::Var));
                guard.extend(nobody.iter().flat_map(|var| named().map(|p| names_it(*var, p, true))));
                for (h, p) in (0..further).flat_map(|h| (0..consts).map(move |p| (h, p))) {
                    let (h, p) = (ProcRef::Var(h as u8), ProcRef::Const(p as u8));
                    guard.push(same(Term::Proc(h), Term::Proc(p), true));
                }
                for (var, copy) in self.copies.iter().filter(|(var, _)| self.original.var(*var).arity() == 0)
                {
                    guard.push(equal(*var, *copy, None));
                }
                let done = |it: &&Track<'_>| !it.each;
                for track in self.tracks.iter().filter(done) {
                    guard.push(Literal::In { cell: cell(track.done, []), values: 2 });
                }
                for p in named() {
                    for way in self.closed_at(p) {
                        guard.extend(way);
                    }
                }
                let mut close = self.moves("close", further, guard, 3);
                let other = ProcRef::Var(further as u8);
                let mut conj: Conj = self.closed_at(other).into_iter().flatten().collect();
                conj.extend(nobody.iter().map(|var| names_it(*var, other, true)));
                let spans = vec![vec![self.property.span; conj.len()]];
                if !conj.is_empty() {
                    close.universals.push(Universal { bound: 1, body: Dnf(vec![conj]), spans });
                }
                close.universals.extend(self.asked_of_others(further, true));
                let procs: Vec<ProcRef> = (0..further as u8).map(ProcRef::Var).collect();
                for guard in self.asked_here(&procs, close.guard.clone(), true) {
                    found.push(Transition { guard, ..close.clone() });
                }
            }
        }
        found
    }

    /// The conditions of closing on one process, as conjunctions of which all hold.
    fn closed_at(&self, p: ProcRef) -> Vec<Conj> {
        let arrays = self.copies.iter().filter(|(var, _)| self.original.var(*var).arity() == 1);
        let equal = arrays.map(|(var, copy)| vec![equal(*var, *copy, Some(p))]);
        let each = self.tracks.iter().filter(|it| it.each);
        let done = each.map(|it| vec![Literal::In { cell: cell(it.done, [p]), values: 2 }]);
        equal.chain(done).collect()
    }
}
