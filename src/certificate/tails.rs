//! Tails in a certificate: ghost arrays that its cubes may mention, as text, and their meaning for the model.
//!
//! `tail NAME over 2: Member[p3, p1] = True && Vote[p3, p2] = False` adds an array NAME of `bool` with two indices. It is false at p1, p2 only where
//! these literals hold of some process p3, which we call a *gap* there; p3 may be p1 or p2. Where literals are about p4, too, a gap is a pair of different
//! processes, and so on. After `over 0` the array is a global. The array, its updates
//! and what guards say of it are made here from that line and the model alone:
//!
//! - Initially it is true everywhere.
//! - A step makes it false where a parameter becomes a gap, or is one after it if the step may make it true; else true where a parameter was a gap and is none after it, and where
//!   another process may have been one and may be none after it: what such a process has to satisfy for that is left out; else it keeps its
//!   value. (Of a pair, one may be a parameter, the other not.) If that is false, there was a gap before the step, and the same process is one after it.
//! - A guard says that it is true at parameters where no process is a gap: no parameter is, because that contradicts the rest of the guard,
//!   and no other, because each alternative of a universal guard of such processes contradicts a literal that a gap has.
//!
//! So the added literals follow from the guards that they are added to, in every reachable state, and the derived system has the runs
//! of the model.

use super::added::{NotDerived, declare};
use cubicle_lang::model::{
    Assignment, BOOL, Branch, Cell, Conj, Dnf, Literal, ProcRef, System, Tail, Term, Transition, Type,
    Universal, Update, VarId, VarKind, mentioned, negated, rename, simplify, tail_names,
};

/// Most alternatives of a condition.
const MOST: usize = 400;

/// Most processes of a gap: universal guards have at most as many.
const MOST_BOUND: u8 = 4;

/// The name of a tail's array, and the words of its line after the name.
pub type NamedTail = (String, String);

/// Names for the tails of a system, and their words.
pub fn named(system: &System, tails: &[Tail]) -> Vec<NamedTail> {
    let words = |tail: &Tail| {
        let literals: Vec<String> = tail.denial.iter().map(|it| literal_text(system, it)).collect();
        format!("over {}: {}", tail.constants, literals.join(" && "))
    };
    tail_names(system, tails).into_iter().zip(tails.iter().map(words)).collect()
}

fn literal_text(system: &System, literal: &Literal) -> String {
    let Literal::In { cell, values } = literal else { return String::new() };
    let var = system.var(cell.var);
    let Type::Enum(id) = var.ty else { return String::new() };
    let names = (0..).zip(&system.enumeration(id).constructors);
    let held: Vec<&str> = names.filter(|(c, _)| values >> c & 1 == 1).map(|(_, it)| it.as_str()).collect();
    let index: Vec<String> = (cell.index.iter())
        .map(|p| match p {
            ProcRef::Var(v) => format!("p{}", v + 1),
            ProcRef::Const(k) => format!("#{}", k + 1),
        })
        .collect();
    let index = if index.is_empty() { String::new() } else { format!("[{}]", index.join(", ")) };
    format!("{}{index} = {}", var.name, held.join(" | "))
}

/// The tail that such words say; `None` when they are not in the words of the system.
pub fn read(system: &System, words: &str) -> Option<Tail> {
    let (constants, literals) = words.trim().strip_prefix("over ")?.split_once(':')?;
    let constants: u8 = constants.trim().parse().ok().filter(|it| *it <= 8)?;
    let process = |text: &str| {
        let number: u8 = text.trim().strip_prefix('p')?.parse().ok()?;
        (1..=16).contains(&number).then(|| ProcRef::Var(number - 1))
    };
    let literal = |text: &str| {
        let (left, right) = text.split_once('=')?;
        let (name, index) = match left.trim().strip_suffix(']') {
            Some(left) => left.split_once('[').map(|(name, index)| (name, Some(index)))?,
            None => (left.trim(), None),
        };
        let index: Vec<ProcRef> =
            index.into_iter().flat_map(|it| it.split(',')).map(process).collect::<Option<_>>()?;
        let var = system.vars.iter().position(|it| it.name == name.trim())?;
        let Type::Enum(id) = system.vars[var].ty else { return None };
        let (names, all) = (&system.enumeration(id).constructors, system.enumeration(id).all());
        let mut values = 0;
        for value in right.split('|') {
            values |= 1_u64 << names.iter().position(|it| it == value.trim())?;
        }
        let fits = index.len() == system.vars[var].arity() && values != all;
        let cell = Cell { var: VarId(var as u16), index: index.into_iter().collect() };
        fits.then_some(Literal::In { cell, values })
    };
    let denial: Conj = literals.split("&&").map(literal).collect::<Option<_>>()?;
    let named = |p: &ProcRef| denial.iter().any(|it| mentioned(it).contains(p));
    let bound = (constants..16).map(ProcRef::Var).take_while(named).count() as u8;
    let all_named =
        denial.iter().flat_map(mentioned).all(|p| matches!(p, ProcRef::Var(v) if v < constants + bound));
    ((1..=MOST_BOUND).contains(&bound) && all_named).then_some(Tail { constants, bound, denial })
}

/// The system with an array for each tail, and what guards say of it.
pub fn extended(system: &System, tails: &[NamedTail]) -> Result<System, NotDerived> {
    let mut extended = system.clone();
    for (name, words) in tails {
        let unfit = || {
            NotDerived::Unfit(format!(
                "tail {name}: expected `over NUMBER: CELL = VALUE && ..` in the names of the model"
            ))
        };
        let tail = read(system, words).ok_or_else(unfit)?;
        if system.proc_constants > 0 {
            return Err(NotDerived::TooHard("tails in a model with constants `#1`".to_owned()));
        }
        extended = with(system, &extended, name, &tail)?;
    }
    Ok(extended)
}

fn with(model: &System, so_far: &System, name: &str, tail: &Tail) -> Result<System, NotDerived> {
    let mut system = so_far.to_parts();
    let sorts = tail.sorts(model);
    let kind = if tail.constants == 0 { VarKind::Global } else { VarKind::Array(tail.constants) };
    let array = declare(&mut system, name, kind, Type::Enum(BOOL))?;
    if tail.constants > 0
        && let Some(declared) = &mut system.sorts
    {
        declared.indices.insert(array, sorts.clone());
    }
    let all: Vec<ProcRef> = (0..tail.constants).map(ProcRef::Var).collect();
    system.init.params = system.init.params.max(tail.constants);
    for conj in &mut system.init.body.0 {
        conj.push(holds(array, &all));
    }
    if tail.constants == 0 {
        system.init.without_processes.0.iter_mut().for_each(|conj| conj.push(holds(array, &all)));
    }
    for (t, own) in system.transitions.iter_mut().zip(&model.transitions) {
        let step = TailStep { model, t: own, tail, sorts: &sorts };
        let too_hard =
            || NotDerived::TooHard(format!("tail {name}: the steps of {} have too many cases", own.name));
        let branches = step.branches(array).ok_or_else(too_hard)?;
        if branches.len() > 1 {
            t.updates.push(Update { var: array, assignment: Assignment::Cases(branches) });
        }
        for index in step.without_gaps() {
            t.guard.push(holds(array, &index));
            t.spans.push(own.span);
        }
    }
    Ok(System::new(system))
}

fn holds(array: VarId, index: &[ProcRef]) -> Literal {
    Literal::In { cell: Cell { var: array, index: index.iter().copied().collect() }, values: 1 << 1 }
}

/// Whether one of these literals says that a cell has one of the values of `literal`.
fn says(known: &[Literal], literal: &Literal) -> bool {
    let Literal::In { cell, values } = literal else { return false };
    known
        .iter()
        .any(|it| matches!(it, Literal::In { cell: of, values: held } if of == cell && held & !values == 0))
}

/// A tail and a transition of the model.
struct TailStep<'a> {
    model: &'a System,
    t: &'a Transition,
    tail: &'a Tail,
    sorts: &'a [Option<u8>],
}

impl TailStep<'_> {
    fn parameters(&self) -> Vec<ProcRef> {
        (0..self.t.arity() as u8).map(ProcRef::Var).collect()
    }

    /// The index variables of an update.
    fn index(&self) -> Vec<ProcRef> {
        (0..self.tail.constants).map(|it| ProcRef::Var(self.t.arity() as u8 + it)).collect()
    }

    /// What gaps may consist of: different parameters, or other processes, which have numbers from `others` on.
    fn gaps(&self, others: u8) -> Vec<Vec<ProcRef>> {
        let mut all: Vec<Vec<ProcRef>> = vec![Vec::new()];
        for further in 0..self.tail.bound {
            let mut longer = Vec::new();
            for gap in all {
                let known = gap.clone();
                let free = self.parameters().into_iter().filter(|p| !known.contains(p));
                longer
                    .extend(free.chain([ProcRef::Var(others + further)]).map(|p| [&gap[..], &[p]].concat()));
            }
            all = longer;
        }
        all
    }

    /// The literals of the tail where `gap` is a gap at `index`.
    fn gap(&self, index: &[ProcRef], gap: &[ProcRef]) -> Conj {
        let name = |p: ProcRef| match p {
            ProcRef::Var(v) if v >= self.tail.constants => gap[usize::from(v - self.tail.constants)],
            ProcRef::Var(v) => index[usize::from(v)],
            constant @ ProcRef::Const(_) => constant,
        };
        let at = |literal: &Literal| {
            let Literal::In { cell, values } = literal else { unreachable!("a tail was read so") };
            Literal::In { cell: rename::cell(cell, &name), values: *values }
        };
        self.tail.denial.iter().map(at).collect()
    }

    /// That processes at an index are of their sorts; nothing where there is only one sort, since all are.
    fn of_sorts(&self, index: &[ProcRef]) -> Conj {
        let Some(var) = self.model.sort_array() else { return Conj::new() };
        if matches!(self.model.var(var).ty, Type::Enum(id) if self.model.enumeration(id).constructors.len() == 1)
        {
            return Conj::new();
        }
        let said = index.iter().zip(self.sorts).filter_map(|(p, sort)| {
            let cell = Cell { var, index: std::iter::once(*p).collect() };
            sort.map(|sort| Literal::In { cell, values: 1 << sort })
        });
        said.collect()
    }

    /// The conjunction, unless it is plainly false where the parameters and the processes from number `others` on are different.
    fn possible(&self, conj: Conj, others: u8) -> Option<Conj> {
        let arity = self.t.arity();
        let apart = |p: ProcRef| matches!(p, ProcRef::Var(v) if v >= others || usize::from(v) < arity);
        let same = |a: ProcRef, b: ProcRef| {
            if a == b { Some(true) } else { Some(false).filter(|_| apart(a) && apart(b)) }
        };
        let known = |literal: &Literal| match literal {
            Literal::Eq { left: Term::Proc(a), right: Term::Proc(b), negated } => {
                same(*a, *b).map(|same| same != *negated)
            }
            _ => None,
        };
        if conj.iter().any(|it| known(it) == Some(false)) {
            return None;
        }
        let open: Conj = conj.into_iter().filter(|it| known(it).is_none()).collect();
        // Another name for each process that is said to be the same as one.
        let mut one = open.clone();
        let mut at = 0;
        while at < one.len() {
            let Literal::Eq { left: Term::Proc(a), right: Term::Proc(b), negated: false } = one[at] else {
                at += 1;
                continue;
            };
            one = rename::conj(&one, &|p| if p == a.max(b) { a.min(b) } else { p })??;
            if one.iter().any(|it| known(it) == Some(false)) {
                return None;
            }
            one.retain(|it| known(it).is_none());
            at = 0;
        }
        simplify(one, &same)?;
        simplify(open, &same)
    }

    /// The states before the step after which the literal holds.
    fn after(&self, literal: &Literal, others: u8) -> Option<Vec<Conj>> {
        let Literal::In { cell, values } = literal else { return None };
        let Some(update) = self.t.updates.iter().find(|it| it.var == cell.var) else {
            return Some(vec![vec![literal.clone()]]);
        };
        let Assignment::Cases(branches) = &update.assignment else { return None };
        let mut out = Vec::new();
        self.follow(branches, (cell, *values), Conj::new(), others, &mut out)?;
        Some(out)
    }

    /// Adds the states in which the first of the branches that applies gives the cell one of the values, where `known` holds.
    fn follow(
        &self,
        branches: &[Branch],
        (cell, values): (&Cell, u64),
        known: Conj,
        others: u8,
        out: &mut Vec<Conj>,
    ) -> Option<()> {
        let Some((branch, rest)) = branches.split_first() else { return Some(()) };
        let arity = self.t.arity();
        let at = |p: ProcRef| match p {
            ProcRef::Var(v) if usize::from(v) >= arity => cell.index[usize::from(v) - arity],
            p => p,
        };
        let when = rename::disjunction(&branch.when.0, &at)?;
        let value = match rename::term(&branch.value, &at)? {
            Term::Constructor(c) => Some(Conj::new()).filter(|_| values >> c & 1 == 1),
            Term::Cell(cell) => Some(vec![Literal::In { cell, values }]),
            Term::Proc(_) | Term::Linear(_) => return None,
        };
        for conj in &when {
            if let Some(value) = &value {
                out.extend(self.possible([&known[..], conj, value].concat(), others));
            }
        }
        let mut unmatched = vec![known];
        for conj in &when {
            let mut next = Vec::new();
            for known in &unmatched {
                for literal in conj {
                    let denied = negated(self.model, literal)?;
                    next.extend(self.possible([&known[..], &[denied]].concat(), others));
                }
            }
            unmatched = next;
        }
        if unmatched.len() + out.len() > MOST {
            return None;
        }
        unmatched.into_iter().try_for_each(|known| self.follow(rest, (cell, values), known, others, out))
    }

    /// The states in which `known` holds and after which all of these literals do.
    fn all_after(&self, known: Conj, literals: &[Literal], others: u8) -> Option<Vec<Conj>> {
        let mut ways = vec![known];
        for literal in literals {
            let after = self.after(literal, others)?;
            let both = ways.iter().flat_map(|way| after.iter().map(move |it| [&way[..], it].concat()));
            ways = both.filter_map(|it| self.possible(it, others)).collect();
            if ways.len() > MOST {
                return None;
            }
        }
        Some(ways)
    }

    /// The branches of the update; only the last one where the array keeps all its values.
    fn branches(&self, array: VarId) -> Option<Vec<Branch>> {
        let index = self.index();
        let others = (self.t.arity() + index.len()) as u8;
        let is_other = |p: &ProcRef| matches!(p, ProcRef::Var(v) if *v >= others);
        let gaps = self.gaps(others);
        let of_sorts = self.of_sorts(&index);
        // Where the guard excludes it, the step is not possible.
        let fits = |way: &Conj| self.possible([&self.t.guard[..], &of_sorts, way].concat(), others).is_some();
        let (mut opens, mut closes) = (Vec::new(), Vec::new());
        for gap in &gaps {
            let gap = self.gap(&index, gap);
            for literal in &gap {
                let closed = [negated(self.model, literal)?];
                for mut way in self.all_after(gap.clone(), &closed, others)?.into_iter().filter(fits) {
                    way.retain(|it| !mentioned(it).iter().any(is_other));
                    closes.push(way);
                }
            }
        }
        for gap in gaps.iter().filter(|gap| !gap.iter().any(is_other)) {
            let gap = self.gap(&index, gap);
            let after = self.all_after(Conj::new(), &gap, others)?.into_iter();
            let is_needed = |way: &Conj| !closes.is_empty() || !gap.iter().all(|it| says(way, it));
            opens.extend(after.filter(|way| fits(way) && is_needed(way)));
        }
        let mut branches = Vec::new();
        for (ways, value) in [(opens, 0), (closes, 1)] {
            let mut when: Vec<Conj> = Vec::new();
            for way in ways {
                let way = [&of_sorts[..], &way].concat();
                if !when.contains(&way) {
                    when.push(way);
                }
            }
            if !when.is_empty() {
                branches.push(Branch { when: Dnf(when), value: Term::Constructor(value) });
            }
        }
        let own = Term::Cell(Cell { var: array, index: index.into_iter().collect() });
        branches.push(Branch { when: Dnf::truth(), value: own });
        Some(branches)
    }

    /// The parameters at which the guard says that there is no gap.
    fn without_gaps(&self) -> Vec<Vec<ProcRef>> {
        let all = self.parameters();
        let mut indices: Vec<Vec<ProcRef>> = vec![Vec::new()];
        for _ in 0..self.tail.constants {
            let longer = |it: &Vec<ProcRef>| {
                let free: Vec<ProcRef> = all.iter().copied().filter(|p| !it.contains(p)).collect();
                free.into_iter().map(|p| [&it[..], &[p]].concat()).collect::<Vec<_>>()
            };
            indices = indices.iter().flat_map(longer).collect();
        }
        indices.retain(|index| self.has_no_gap(index));
        indices
    }

    fn has_no_gap(&self, index: &[ProcRef]) -> bool {
        let others = self.t.arity() as u8;
        let excluded = |conj: Conj| self.possible([&self.t.guard[..], &conj].concat(), others).is_none();
        let is_none = |gap: &Vec<ProcRef>| {
            let of: Vec<ProcRef> =
                gap.iter().copied().filter(|p| matches!(p, ProcRef::Var(v) if *v >= others)).collect();
            let gap = self.gap(index, gap);
            self.t.universals.iter().any(|it| self.excludes(it, &of, &gap)) || excluded(gap)
        };
        self.of_sorts(index).iter().all(|it| says(&self.t.guard, it)) && self.gaps(others).iter().all(is_none)
    }

    /// Whether each alternative of a universal guard contradicts a literal of a gap, where its processes are some of these.
    fn excludes(&self, universal: &Universal, of: &[ProcRef], gap: &Conj) -> bool {
        let arity = self.t.arity();
        let mut chosen: Vec<Vec<ProcRef>> = vec![Vec::new()];
        for _ in 0..universal.bound {
            let free = |it: &Vec<ProcRef>| {
                let more = of.iter().filter(|p| !it.contains(p));
                more.map(|p| [&it[..], &[*p]].concat()).collect::<Vec<_>>()
            };
            chosen = chosen.iter().flat_map(free).collect();
        }
        chosen.iter().any(|processes| {
            let name = |p: ProcRef| match p {
                ProcRef::Var(v) if usize::from(v) >= arity => processes[usize::from(v) - arity],
                p => p,
            };
            let denies = |literal: &Literal| {
                let Literal::In { cell, values } = literal else { return false };
                let named = rename::cell(cell, &name);
                gap.iter().any(|it| matches!(it, Literal::In { cell: of, values: held } if *of == named && held & values == 0))
            };
            universal.body.0.iter().all(|conj| conj.iter().any(denies))
        })
    }
}
