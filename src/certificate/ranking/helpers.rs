//! How the steps that help fail: they are lost, or none is ready.

use super::fails::{Fails, Reader, and};
use super::rule::Rule;
use cubicle_lang::model::semantics::different_namings;
use cubicle_lang::model::ways::both;
use cubicle_lang::model::{Cell, Conj, Helper, Literal, ProcRef, Term, Transition, Type};

/// The most values of a global that cells are compared with.
const MOST_COMPARED: u32 = 4;

impl<'a> Rule<'a> {
    pub fn steps_of(&self, helper: &Helper) -> impl Iterator<Item = &'a Transition> + use<'a> {
        let model = self.model;
        model.asked_by(&model.fairness[helper.fairness])
    }

    /// What a helper asks of its step but for what that asks of all others: one of these, over its arguments.
    fn guards(&self, helper: &Helper) -> Vec<Conj> {
        match helper.again {
            Some(_) => vec![Conj::new()],
            None => self.steps_of(helper).map(|it| it.guard.clone()).collect(),
        }
    }

    /// A step in which no measure falls, and that takes a helper that is ready, or makes it not ready.
    pub fn lose(&self, t: &'a Transition, helper: &Helper) -> Vec<Fails> {
        let mut found = Vec::new();
        for (procs, names) in different_namings(t.arity() as u8, self.params + helper.further) {
            let args: Vec<u8> = helper.args.iter().map(|it| names[usize::from(*it)]).collect();
            // Where fairness is about any processes, a step of others is one.
            let any = self.model.fairness[helper.fairness].any;
            let is_taken = self.steps_of(helper).any(|it| it.origin == t.origin)
                && (any || args.iter().copied().eq(0..t.params.len() as u8));
            let lost = if is_taken {
                vec![(procs, vec![Conj::new()])]
            } else {
                self.not_ready(helper, procs, &names, self.after(t))
            };
            let steps: Vec<Option<&Transition>> = match helper.again {
                Some(_) => vec![None],
                None => self.steps_of(helper).map(Some).collect(),
            };
            for ready in steps {
                for (procs, ways) in &lost {
                    let mut loses = Fails::of(*procs);
                    loses.and(&self.now().holds(&helper.when, &names));
                    if let Some(ready) = ready {
                        loses.and(&self.now().holds(std::slice::from_ref(&ready.guard), &args));
                    }
                    loses.and(ways);
                    if loses.ways.is_empty() {
                        continue;
                    }
                    let observed = self.observed(&names);
                    for mut fails in self.waiting(*procs, observed) {
                        fails.and(&loses.ways);
                        if let Some(ready) = ready {
                            self.possible(&mut fails, ready, &args);
                        }
                        self.step(&mut fails, t, observed);
                        self.nothing_falls(&mut fails, t, observed, None);
                        found.push(fails);
                    }
                }
            }
        }
        found
    }

    /// The ways for a helper not to be ready, each with the number of processes that are named then: what blocks its step.
    fn not_ready(
        &self,
        helper: &Helper,
        procs: u8,
        names: &[u8],
        reader: Reader<'_>,
    ) -> Vec<(u8, Vec<Conj>)> {
        let args: Vec<u8> = helper.args.iter().map(|it| names[usize::from(*it)]).collect();
        // What is possible again and again need not be possible now.
        let mut blocked = vec![(procs, vec![Conj::new()])];
        blocked.retain(|_| helper.again.is_none());
        for t in self.steps_of(helper) {
            let mut next = Vec::new();
            for (procs, ways) in blocked {
                next.push((procs, and(&ways, &reader.fails(std::slice::from_ref(&t.guard), &args))));
                for universal in &t.universals {
                    // The arguments come first, as the named processes that no other one is.
                    for (all, chosen) in different_namings(procs, universal.bound) {
                        if chosen.iter().all(|it| !args.contains(it)) {
                            let names = [&args[..], &chosen].concat();
                            next.push((all, and(&ways, &reader.fails(&universal.body.0, &names))));
                        }
                    }
                }
            }
            next.retain(|(_, ways)| !ways.is_empty());
            blocked = next;
        }
        blocked.push((procs, reader.fails(&helper.when, names)));
        blocked.retain(|(_, ways)| !ways.is_empty());
        blocked
    }

    /// A state that waits, and no helper is ready.
    pub fn none(&self) -> Vec<Fails> {
        let observed: Vec<u8> = (0..self.params).collect();
        let Some(least) = &self.progress.least else {
            return self.no_helper(self.params, &observed, None);
        };
        let mut found = Vec::new();
        for (procs, element) in [(self.params, 0), (self.params + 1, self.params)] {
            for mut fails in self.no_helper(procs, &observed, Some(element)) {
                let mut names = observed.clone();
                names.push(element);
                if element > 0 {
                    fails.and(&self.now().holds(&least.among, &names));
                    fails.and(&self.now().fails(&least.before, &[0, element]));
                }
                let but = [&observed[..], &[element]].concat();
                fails.and_others(&but, 1, &|other| {
                    let is_one = [&observed[..], other].concat();
                    let mut said = self.now().fails(&least.among, &is_one);
                    said.extend(self.now().fails(&least.before, &[other[0], element]));
                    said
                });
                found.push(fails);
            }
        }
        found
    }

    /// A state that waits in which no helper is ready: for the observed processes, for this `element`, and for any others as far as that can be said.
    fn no_helper(&self, procs: u8, observed: &[u8], element: Option<u8>) -> Vec<Fails> {
        let mut ways = vec![(procs, vec![Conj::new()])];
        for helper in &self.progress.helpers {
            let names = match (helper.further, element) {
                (0, _) => observed.to_vec(),
                (1, Some(element)) if !observed.contains(&element) => [observed, &[element]].concat(),
                _ => continue,
            };
            let mut next = Vec::new();
            for (procs, ways) in ways {
                let not_ready = self.not_ready(helper, procs, &names, self.now()).into_iter();
                next.extend(not_ready.map(|(procs, more)| (procs, and(&ways, &more))));
            }
            next.retain(|(_, ways)| !ways.is_empty());
            ways = next;
        }
        let mut found = Vec::new();
        for (procs, ways) in ways {
            let mut all = self.waiting(procs, observed);
            let plain = |helper: &&Helper| {
                helper.again.is_some() || self.steps_of(helper).all(|t| t.universals.is_empty())
            };
            for fails in &mut all {
                fails.and(&ways);
                for helper in self.progress.helpers.iter().filter(|it| it.further > 0).filter(plain) {
                    fails.and_others(observed, helper.further, &|further| {
                        let names = [observed, further].concat();
                        let args: Vec<u8> = helper.args.iter().map(|it| names[usize::from(*it)]).collect();
                        let mut said = self.now().fails(&helper.when, &names);
                        said.extend(self.now().fails(&self.guards(helper), &args));
                        said
                    });
                    if helper.further == 1 {
                        self.count_none(fails, helper, observed);
                    }
                }
            }
            found.extend(all);
        }
        found
    }

    /// That no process is ready, by counts: where what makes one ready is about its own cells of finite types, alone and compared with globals, and about globals.
    fn count_none(&self, fails: &mut Fails, helper: &Helper, observed: &[u8]) {
        let other = self.params;
        let names: Vec<u8> = (0..=other).collect();
        let args: Vec<u8> = helper.args.iter().map(|it| names[usize::from(*it)]).collect();
        let guards = self.now().holds(&self.guards(helper), &args);
        for way in both(&guards, &helper.when).unwrap_or_default() {
            for (own, of_globals) in self.by_values(way, other).unwrap_or_default() {
                let mut or: Vec<Conj> = self.now().fails(&[of_globals], &names);
                let of_observed = |p: &u8| self.now().holds(std::slice::from_ref(&own), &[*p]);
                or.extend(observed.iter().flat_map(of_observed));
                fails.none.push((own, or));
            }
        }
    }

    /// What a conjunction says of a process, as `ProcRef::Var(0)`, and of globals, for each value of the globals that it compares cells with; `None` where it
    /// says something else.
    fn by_values(&self, way: Conj, other: u8) -> Option<Vec<(Conj, Conj)>> {
        let mut found = vec![(Conj::new(), Conj::new())];
        for literal in way {
            let cells = literal.cells();
            let is_own = |it: &Cell| it.index[..] == [ProcRef::Var(other)];
            let is_global = |it: &Cell| it.index.is_empty();
            let cell = |var| Cell::at(var, [ProcRef::Var(0)]);
            match &literal {
                Literal::Eq { left: Term::Proc(_), .. }
                | Literal::Eq { right: Term::Proc(_), .. }
                | Literal::Less { .. } => return None,
                _ if cells.iter().all(|it| is_global(it)) => {
                    for it in &mut found {
                        it.1.push(literal.clone());
                    }
                }
                Literal::In { cell: of, values } if is_own(of) => {
                    let literal = Literal::In { cell: cell(of.var), values: *values };
                    for it in &mut found {
                        it.0.push(literal.clone());
                    }
                }
                Literal::Eq { left: Term::Cell(a), right: Term::Cell(b), negated } => {
                    let (own, global) = if is_own(a) { (a, b) } else { (b, a) };
                    let Type::Enum(ty) = self.model.var(own.var).ty else { return None };
                    let all = self.model.enumeration(ty).all();
                    if !is_own(own) || !is_global(global) || all.count_ones() > MOST_COMPARED {
                        return None;
                    }
                    let mut next = Vec::new();
                    for value in (0..64).map(|bit| 1_u64 << bit).filter(|bit| all & bit != 0) {
                        let values = if *negated { all & !value } else { value };
                        next.extend(found.iter().cloned().map(|(mut of_own, mut of_globals)| {
                            of_own.push(Literal::In { cell: cell(own.var), values });
                            of_globals.push(Literal::In { cell: global.clone(), values: value });
                            (of_own, of_globals)
                        }));
                    }
                    found = next;
                }
                _ => return None,
            }
        }
        Some(found)
    }
}
