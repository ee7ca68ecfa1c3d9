//! Processes that restart: `restart (p)` gives the own cells of `p` values as `init` does. `docs/liveness.md` has the definition.
//!
//! A variable is *assigned* when some transition of the model assigns it. The *own cells* of p are those of assigned arrays
//! whose first index is p: `A[p]`, and all of the row `M[p, q]`. A restart changes own cells of p only, so that every tuple of
//! processes satisfies some disjunct of `init` as far as it counts:
//!
//! 1. literals about an own cell count; what else they read is read as it is now, globals above all;
//! 2. literals about nothing that is assigned count: they say in which case something is initially so;
//! 3. all others are skipped. Their cells may have changed, and any alternative may be that of this process.
//!
//! Tuples without p hold as before: they have literals of the second kind only, which have held from the beginning. For the same
//! reason a literal of the second kind that all disjuncts have is left out.
//!
//! `shapes` instantiates `init` at the ways in which a tuple can contain p and other processes; `solve` finds values by
//! equations and by trying constructors. First come the cells that have no other index than p, where each solution is a *way*;
//! the requirements of the other tuples then have to give each cell of the row one value, and the rest becomes guards. An
//! `init` that does not fit is refused with the place: a relation between cells of two processes, a number between bounds,
//! a count of cells that are assigned, and the like.

mod shapes;
mod solve;

use self::shapes::{MOST_WAYS, P, Restarts, Said, Shape, refusal, shapes};
use self::solve::{Solution, solutions};
use cubicle_lang::diagnostic::{Diagnostic, Span};
use cubicle_lang::list::{add_least, add_new};
use cubicle_lang::model::semantics::namings;
use cubicle_lang::model::{
    Assignment, Branch, Cell, Conj, Dnf, Literal, ProcRef, System, Term, Transition, Type, Universal, Update,
    VarId, rename, simplify,
};

/// One way to restart: new values of cells, and when it is possible.
struct Way {
    /// The sort of the process, in a model with sorts.
    sort: Option<u8>,
    /// New values of cells of P, whose other processes are `Var(1)`, `Var(2)`, .. in this order.
    values: Vec<(Cell, Term)>,
    guard: Vec<Said>,
    /// The number of other processes, and what they satisfy.
    universals: Vec<(u8, Vec<Vec<Said>>)>,
}

/// The transitions by which processes restart, like `template`.
///
/// # Errors
/// The part of `init` that cannot be established again for one process.
pub fn restarts(system: &System, template: &Transition) -> Result<Vec<Transition>, Box<Diagnostic>> {
    let restarts = Restarts { system, sort: None };
    if system.init.body.0.is_empty() {
        // No instance has a process.
        return Ok(Vec::new());
    }
    if let Some(literal) = restarts.changing_count() {
        let text = "`--crash restart`: one process alone cannot go back to this";
        let error = refusal(system.init.place(literal), text);
        return Err(Box::new(error.label("it counts processes by cells that may have changed since")));
    }
    let mut found: Vec<Way> = Vec::new();
    for case in restarts.cases() {
        for way in (Restarts { sort: case.sort, ..restarts }).ways(&case)? {
            let as_wide = |a: &Way, b: &Way| {
                a.sort == b.sort
                    && a.values == b.values
                    && a.universals.len() == b.universals.len()
                    && a.universals.iter().zip(&b.universals).all(|(a, b)| a.0 == b.0 && same(&a.1, &b.1))
                    && a.guard.iter().all(|(it, _)| b.guard.iter().any(|(other, _)| it == other))
            };
            add_least(&mut found, way, as_wide);
            if found.len() > MOST_WAYS {
                return Err(restarts.too_many());
            }
        }
    }
    let transition = |way: &Way| Restarts { sort: way.sort, ..restarts }.transition(way, template);
    Ok(found.iter().map(transition).collect())
}

/// Which process constant restarts: one of those that `init` gives own cells to, or none of them. In a model with sorts, of which sort
/// the process is.
struct Which {
    constant: Option<u8>,
    sort: Option<u8>,
    guard: Vec<Said>,
}

impl Restarts<'_> {
    /// The cases by process constants.
    fn cases(&self) -> Vec<Which> {
        let mut constants: Vec<u8> = Vec::new();
        for cell in self.system.init.body.0.iter().flatten().flat_map(Literal::cells) {
            if let (true, Some(ProcRef::Const(c))) = (self.is_assigned(cell.var), cell.index.first()) {
                add_new(&mut constants, *c);
            }
        }
        let is = |c: &u8, negated| {
            let (left, right) = (Term::Proc(P), Term::Proc(ProcRef::Const(*c)));
            (Literal::Eq { left, right, negated }, self.system.init.span)
        };
        let guard = || constants.iter().map(|c| is(c, true)).collect();
        let Some((array, sorts)) = self.system.sort_array().zip(self.system.sorts.as_ref()) else {
            let mut cases = vec![Which { constant: None, sort: None, guard: guard() }];
            let of_constant = |c: &u8| Which { constant: Some(*c), sort: None, guard: vec![is(c, false)] };
            cases.extend(constants.iter().map(of_constant));
            return cases;
        };
        // In a model with sorts there are no constants.
        let of_sort = |sort: u8| {
            let is = (Literal::In { cell: Cell::at(array, [P]), values: 1 << sort }, self.system.init.span);
            Which { constant: None, sort: Some(sort), guard: [guard(), vec![is]].concat() }
        };
        (0..sorts.names.len() as u8).map(of_sort).collect()
    }

    fn ways(&self, case: &Which) -> Result<Vec<Way>, Box<Diagnostic>> {
        let mut outer = shapes(self, case.constant)?;
        let at = outer.iter().position(|it| it.others == 0);
        // No literal about p alone counts.
        let inner = at.map_or_else(|| vec![Vec::new()], |at| outer.remove(at).disjuncts);
        let mut ways = Vec::new();
        for disjunct in inner {
            let disjunct = [case.guard.clone(), disjunct].concat();
            for solution in solutions(self, disjunct)? {
                ways.extend(self.with_others(solution, &outer)?);
            }
            if ways.len() > MOST_WAYS * MOST_WAYS {
                return Err(self.too_many());
            }
        }
        Ok(ways)
    }

    /// The way that begins with these values and satisfies the conditions on p and others.
    fn with_others(&self, solution: Solution, outer: &[Shape]) -> Result<Option<Way>, Box<Diagnostic>> {
        let Solution { mut values, rest } = solution;
        let Some(guard) = self.settled(rest)? else { return Ok(None) };
        // The solutions of each shape with these values, and whether some process beside p may exist.
        let mut open: Vec<(u8, Vec<Solution>)> = Vec::new();
        let mut alone = false;
        for shape in outer {
            let mut solved = Vec::new();
            for disjunct in &shape.disjuncts {
                solved.extend(solve::solve(self, &values, disjunct.clone(), &|cell| self.is_own(cell))?);
            }
            alone |= solved.is_empty() && shape.others == 1;
            open.push((shape.others, solved));
        }
        if alone {
            let (sort, universals) = (self.sort, vec![(1, Vec::new())]);
            return Ok(Some(Way { sort, values, guard, universals }));
        }
        for cell in self.rows() {
            let value = open.iter().find_map(|(others, solved)| {
                // With one other process, it is the same for all; of another sort, it has no such cell.
                let strange = |it: &&Solution| *others == 1 && self.is_of_other_sorts(&cell, it);
                let solved: Vec<&Solution> = solved.iter().filter(|it| !strange(it)).collect();
                value_in_all(&cell, &solved)
            });
            let value = value.filter(|it| !it.cells().into_iter().any(|cell| self.is_own(cell)));
            let Some(value) = value else { return Err(self.row_is_open(&cell, outer)) };
            values.push((cell, value));
        }
        let mut universals: Vec<(u8, Vec<Vec<Said>>)> = Vec::new();
        for (shape, (others, _)) in outer.iter().zip(&open) {
            let mut body: Vec<Vec<Said>> = Vec::new();
            for disjunct in &shape.disjuncts {
                let value = |cell: &Cell| self.is_own(cell).then(|| value_of(cell, &values)).flatten();
                let Some(rest) = solve::with_values(self, disjunct.clone(), &value)? else { continue };
                let Some(mut rest) = self.settled(rest)? else { continue };
                rest.retain(|(it, _)| !guard.iter().any(|(known, _)| known == it));
                body.push(rest);
            }
            let body = self.joined(body);
            let says = !body.iter().any(Vec::is_empty);
            if says && !universals.iter().any(|known| known.0 == *others && same(&known.1, &body)) {
                universals.push((*others, body));
            }
        }
        Ok(Some(Way { sort: self.sort, values, guard, universals }))
    }

    /// The remaining guard of a restart, if it is possible; an error when it is about cells of other processes.
    fn settled(&self, rest: Vec<Said>) -> Result<Option<Vec<Said>>, Box<Diagnostic>> {
        for (literal, span) in &rest {
            let is_strange = |cell: &&Cell| self.is_assigned(cell.var) && !cell.index.is_empty();
            if let Some(cell) = literal.cells().into_iter().find(is_strange) {
                let name = self.system.title(cell.var);
                let text = "`--crash restart`: one process alone cannot go back to this";
                let error = refusal(*span, text);
                let label = if self.is_own(cell) {
                    format!("it leaves open which value `{name}` has")
                } else {
                    format!("it relates the process to `{name}` of another one, which may have changed since")
                };
                return Err(Box::new(error.label(label)));
            }
        }
        let literals: Conj = rest.iter().map(|(literal, _)| literal.clone()).collect();
        let Some(simple) = simplify(literals, &ProcRef::same) else { return Ok(None) };
        let place = |it: &Literal| {
            rest.iter().find(|(other, _)| other == it).map_or(self.system.init.span, |(_, span)| *span)
        };
        Ok(Some(simple.into_iter().map(|it| (place(&it), it)).map(|(span, it)| (it, span)).collect()))
    }

    /// The own cells that have other processes among their indices, up to the names of these.
    fn rows(&self) -> Vec<Cell> {
        let mut found = Vec::new();
        for var in self.system.var_ids().filter(|var| self.is_assigned(*var)) {
            let further = self.system.var(var).arity().saturating_sub(1) as u8;
            // One process is `P` alone.
            let others = namings(1, further, &|_, _| true).filter(|(procs, _)| *procs > 1);
            let cells = others.map(|(_, index)| {
                Cell::at(var, std::iter::once(P).chain(index.into_iter().map(ProcRef::Var)))
            });
            found.extend(cells.filter(|cell| self.is_own(cell)));
        }
        found
    }

    /// Whether a solution is about processes of other sorts than those that a cell of the row has.
    fn is_of_other_sorts(&self, cell: &Cell, solution: &Solution) -> bool {
        let said = || solution.rest.iter().filter_map(|(literal, _)| self.system.sorts_of(literal));
        self.sorts_of_others(cell)
            .into_iter()
            .any(|(process, sort)| said().any(|(p, sorts)| p == process && sorts >> sort & 1 == 0))
    }

    /// A disjunction, where parts that differ in the values of one cell are one.
    fn joined(&self, mut body: Vec<Vec<Said>>) -> Vec<Vec<Said>> {
        let set = |it: &Said| match &it.0 {
            Literal::In { cell, values } => Some((cell.clone(), *values)),
            _ => None,
        };
        let rest = |conj: &[Said], at: usize| -> Vec<Literal> {
            conj.iter().enumerate().filter(|(n, _)| *n != at).map(|(_, it)| it.0.clone()).collect()
        };
        let join = |a: &Vec<Said>, b: &Vec<Said>| {
            (0..a.len()).find_map(|at| {
                let (cell, values) = set(&a[at])?;
                let other = b.iter().position(|it| set(it).is_some_and(|it| it.0 == cell))?;
                let Type::Enum(id) = self.system.var(cell.var).ty else { return None };
                let values = values | set(&b[other])?.1;
                (rest(a, at) == rest(b, other)).then(|| {
                    let mut joined = a.clone();
                    joined.remove(at);
                    if values != self.system.enumeration(id).all() {
                        joined.push((Literal::In { cell, values }, a[at].1));
                    }
                    joined
                })
            })
        };
        let pairs = |body: &[Vec<Said>]| {
            (0..body.len()).flat_map(|a| (a + 1..body.len()).map(move |b| (a, b))).collect::<Vec<_>>()
        };
        while let Some((at, joined)) =
            pairs(&body).into_iter().find_map(|(a, b)| Some(((a, b), join(&body[a], &body[b])?)))
        {
            body.remove(at.1);
            body[at.0] = joined;
        }
        body
    }

    fn row_is_open(&self, cell: &Cell, outer: &[Shape]) -> Box<Diagnostic> {
        let speaks = |(literal, _): &&Said| {
            literal.cells().iter().any(|it| it.var == cell.var && self.is_own(it) && !self.is_inner(it))
        };
        let said = outer.iter().flat_map(|it| it.disjuncts.iter().flatten()).find(speaks);
        let span = said.map_or(self.system.init.span, |(_, span)| *span);
        let name = self.system.title(cell.var);
        let text = format!("`--crash restart`: `init` does not say which value a process has in `{name}`");
        let error = refusal(span, text).label("it leaves several values open");
        Box::new(error.help("where the other index is another process, give the cells one value"))
    }

    fn transition(&self, way: &Way, template: &Transition) -> Transition {
        let (guard, spans) = way.guard.iter().cloned().unzip();
        let universal = |(bound, body): &(u8, Vec<Vec<Said>>)| {
            let (body, spans) =
                body.iter().map(|it| it.iter().cloned().unzip::<Literal, Span, Conj, Vec<Span>>()).unzip();
            Universal { bound: *bound, body: Dnf(body), spans }
        };
        let arrays = self.system.var_ids().filter(|var| self.system.var(*var).arity() > 0);
        let updates = arrays.filter_map(|var| self.update(var, way)).collect();
        let universals = way.universals.iter().map(universal).collect();
        Transition { guard, spans, universals, updates, ..template.clone() }
    }

    /// The new values of an array; `None` when all stay.
    fn update(&self, var: VarId, way: &Way) -> Option<Update> {
        let values: Vec<&(Cell, Term)> = way.values.iter().filter(|(cell, _)| cell.var == var).collect();
        let arity = self.system.var(var).arity();
        let own = Cell::at(var, (1..=arity as u8).map(ProcRef::Var));
        let (_, first) = values.first()?;
        // One value for all own cells.
        let whole = (self.sort.is_none() || arity == 1)
            && values.len() == 1 + self.rows().iter().filter(|it| it.var == var).count();
        let names_others = first.procs().iter().any(|p| matches!(p, ProcRef::Var(1..)));
        let is_one = whole && values.iter().all(|(_, it)| it == first) && !names_others;
        let mut branches = Vec::new();
        for (cell, value) in &values {
            // The place of each process among the indices.
            let mut places: Vec<(ProcRef, ProcRef)> = vec![(P, P)];
            let mut when = Conj::new();
            for (&p, &j) in cell.index.iter().zip(&own.index) {
                match places.iter().find(|(known, _)| *known == p) {
                    Some((_, place)) => when.push(Literal::same(*place, j)),
                    None => places.push((p, j)),
                }
            }
            let named =
                |p: ProcRef| places.iter().find(|(known, _)| *known == p).map_or(p, |(_, place)| *place);
            if let Some(array) = self.system.sort_array() {
                for (p, sort) in self.sorts_of_others(cell) {
                    when.push(Literal::In { cell: Cell::at(array, [named(p)]), values: 1 << sort });
                }
            }
            if is_one {
                when.truncate(1);
            }
            let value = rename::term(value, &named).expect("other names leave numbers as they are");
            branches.push(Branch { when: Dnf(vec![when]), value });
            if is_one {
                break;
            }
        }
        // Cells with fewer different indices come first.
        branches.sort_by_key(|it| std::cmp::Reverse(it.when.0[0].len()));
        let same = Term::held(own, self.system.var(var).ty);
        branches.push(Branch { when: Dnf::truth(), value: same });
        Some(Update { var, assignment: Assignment::Cases(branches) })
    }
}

/// The value that all these solutions give a cell of the row, whatever the names of the other processes.
fn value_in_all(cell: &Cell, solved: &[&Solution]) -> Option<Term> {
    let value = |it: &Solution| {
        it.values.iter().filter(|(other, _)| other.var == cell.var).find_map(|(other, value)| {
            let names = matching(cell, other)?;
            let known = |p: ProcRef| names.iter().find(|(_, theirs)| *theirs == p).map(|(ours, _)| *ours);
            let strange =
                value.procs().into_iter().any(|p| matches!(p, ProcRef::Var(_)) && known(p).is_none());
            if strange { None } else { rename::term(value, &|p| known(p).unwrap_or(p)) }
        })
    };
    let first = value(solved.first()?)?;
    solved.iter().all(|it| value(it).as_ref() == Some(&first)).then_some(first)
}

/// The value of a cell, whatever the names of the other processes.
fn value_of(cell: &Cell, values: &[(Cell, Term)]) -> Option<Term> {
    values.iter().filter(|(known, _)| known.var == cell.var).find_map(|(known, value)| {
        let names = matching(known, cell)?;
        let named = |p: ProcRef| names.iter().find(|(ours, _)| *ours == p).map_or(p, |(_, theirs)| *theirs);
        rename::term(value, &named)
    })
}

/// For each process of a pattern the one that stands for it in another cell; `None` when the cell has another pattern.
fn matching(pattern: &Cell, cell: &Cell) -> Option<Vec<(ProcRef, ProcRef)>> {
    let mut names: Vec<(ProcRef, ProcRef)> = vec![(P, P)];
    for (&ours, &theirs) in pattern.index.iter().zip(&cell.index) {
        match names.iter().find(|(known, other)| *known == ours || *other == theirs) {
            Some(known) if *known == (ours, theirs) => {}
            Some(_) => return None,
            // A constant may be any process.
            None if matches!(theirs, ProcRef::Const(_)) => return None,
            None => names.push((ours, theirs)),
        }
    }
    Some(names)
}

/// Whether two formulas are the same, places apart.
fn same(a: &[Vec<Said>], b: &[Vec<Said>]) -> bool {
    let of = |it: &[Vec<Said>]| -> Vec<Vec<Literal>> {
        it.iter().map(|conj| conj.iter().map(|(literal, _)| literal.clone()).collect()).collect()
    };
    of(a) == of(b)
}
