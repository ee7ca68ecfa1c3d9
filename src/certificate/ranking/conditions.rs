//! How the conditions of a ranking fail.

use super::super::added::NotDerived;
use super::fails::{Fails, Reader, named};
use cubicle_lang::model::ways::{both, read};
use cubicle_lang::model::{
    Case, Cell, Conj, Dnf, Helper, Least, Linear, Literal, Measure, Measured, ProcRef, Progress, Ranking,
    Rational, Relation, System, Temporal, TemporalKind, Term, Transition, Type, Universal, rename,
};

/// The most values of a global that cells are compared with.
const MOST_COMPARED: u32 = 4;

/// All ways for a condition of the ranking to fail.
pub fn all(model: &System, ranking: &Ranking, property: &Temporal) -> Result<Vec<Fails>, NotDerived> {
    let (asked, answer) = match property.kind {
        TemporalKind::Response => (property.first.0.clone(), &property.then),
        _ => (vec![Case::of(Conj::new())], &property.first),
    };
    let (progress, params) = (&ranking.progress, property.params.len() as u8);
    let rule = Rule { model, progress, asked, answer: answer.0.clone(), params };
    let mut found = rule.all()?;
    found.retain(|it| !it.ways.is_empty());
    Ok(found)
}

/// When a step is possible for these arguments among this number of processes; `None` where that is not said.
pub fn possible(t: &Transition, args: &[u8], params: u8) -> Option<Case> {
    let cube = rename::conj(&t.guard, &|p| named(p, args))??;
    let universal = |it: &Universal| {
        // The condition of a case is on processes other than all of these.
        if args.len() < usize::from(params) {
            return None;
        }
        let names = [args, &(params..params + it.bound).collect::<Vec<u8>>()].concat();
        let body = rename::disjunction(&it.body.0, &|p| named(p, &names))?;
        Some(Universal { body: Dnf(body), ..it.clone() })
    };
    let universals = t.universals.iter().map(universal).collect::<Option<_>>()?;
    Some(Case { hidden: 0, cube, universals })
}

struct Rule<'a> {
    model: &'a System,
    progress: &'a Progress,
    /// After what something is awaited.
    asked: Vec<Case>,
    /// What is awaited.
    answer: Vec<Case>,
    /// For how many processes.
    params: u8,
}

/// All ways to choose different processes: each one of those named already, or the next one; with how many are named then.
fn choices(procs: u8, count: u8) -> Vec<(u8, Vec<u8>)> {
    let mut found = vec![(procs, Vec::new())];
    for _ in 0..count {
        let further = |(all, chosen): (u8, Vec<u8>)| {
            let free = (0..=all).filter(|p| !chosen.contains(p)).collect::<Vec<u8>>();
            free.into_iter().map(move |p| (all.max(p + 1), [&chosen[..], &[p]].concat()))
        };
        found = found.into_iter().flat_map(further).collect();
    }
    found
}

impl<'a> Rule<'a> {
    /// All ways for a condition to fail.
    fn all(&self) -> Result<Vec<Fails>, NotDerived> {
        let mut found = self.start();
        for t in &self.model.transitions {
            found.extend(self.keep(t)?);
            for measure in &self.progress.measures {
                found.extend(self.rise(t, measure)?);
            }
            for helper in &self.progress.helpers {
                found.extend(self.lose(t, helper)?);
            }
        }
        found.extend(self.none()?);
        found.extend(self.below());
        if let Some(least) = &self.progress.least {
            found.extend(self.no_order(least)?);
        }
        for helper in &self.progress.helpers {
            if let Some(progress) = &helper.again {
                found.extend(self.again(helper, progress).all()?);
            }
        }
        Ok(found)
    }

    /// That the step of a helper becomes possible where it helps, or what is awaited comes.
    fn again(&self, helper: &Helper, progress: &'a Progress) -> Rule<'a> {
        let params = self.params + helper.further;
        let asked = both(&self.progress.waits, &helper.when).unwrap_or_else(|_| vec![Conj::new()]);
        let possible = self.steps_of(helper).filter_map(|t| possible(t, &helper.args, params));
        let answer = self.answer.iter().cloned().chain(possible).collect();
        Rule { model: self.model, progress, asked: asked.into_iter().map(Case::of).collect(), answer, params }
    }

    const fn now(&self) -> Reader<'a> {
        Reader { model: self.model, step: None }
    }

    const fn after(&self, t: &'a Transition) -> Reader<'a> {
        Reader { model: self.model, step: Some(t) }
    }

    /// The observed processes among the names.
    fn observed<'n>(&self, names: &'n [u8]) -> &'n [u8] {
        &names[..usize::from(self.params)]
    }

    /// States in which what is awaited is not there, for these among the first processes.
    fn open(&self, procs: u8, observed: &[u8]) -> Vec<Fails> {
        let mut found = vec![Fails::of(procs)];
        // What is asked of all others fails for some of them.
        for case in self.answer.iter().filter(|it| it.hidden == 0) {
            let [universal] = &case.universals[..] else { continue };
            let mut next = Vec::new();
            for fails in found {
                let mut other = fails.clone();
                other.and(&self.now().fails(std::slice::from_ref(&case.cube), observed));
                next.push(other);
                for (procs, chosen) in choices(fails.procs, universal.bound) {
                    if chosen.iter().all(|it| !observed.contains(it)) {
                        let mut fails = Fails { procs, ..fails.clone() };
                        fails.and(&self.now().fails(&universal.body.0, &[observed, &chosen].concat()));
                        next.push(fails);
                    }
                }
            }
            next.retain(|it| !it.ways.is_empty());
            found = next;
        }
        for fails in &mut found {
            self.unanswered(fails, observed, self.now());
        }
        found
    }

    /// States that wait, for these among the first processes.
    fn waiting(&self, procs: u8, observed: &[u8]) -> Vec<Fails> {
        let mut found = self.open(procs, observed);
        for fails in &mut found {
            fails.and(&self.now().holds(&self.progress.waits, observed));
        }
        found.retain(|it| !it.ways.is_empty());
        found
    }

    /// What is awaited is not there, but for what it asks of all others.
    fn unanswered(&self, fails: &mut Fails, observed: &[u8], reader: Reader<'_>) {
        for case in self.answer.iter().filter(|it| it.universals.is_empty()) {
            let body = std::slice::from_ref(&case.cube);
            match case.hidden {
                0 => fails.and(&reader.fails(body, observed)),
                hidden => fails.and_others(observed, hidden, &|further| {
                    reader.fails(body, &[observed, further].concat())
                }),
            }
        }
    }

    /// A step to a state in which what is awaited is not there.
    fn step(&self, fails: &mut Fails, t: &Transition, observed: &[u8]) {
        let args: Vec<u8> = (0..t.arity() as u8).collect();
        fails.and(std::slice::from_ref(&t.guard));
        self.possible(fails, t, &args);
        self.unanswered(fails, observed, Reader { model: self.model, step: Some(t) });
    }

    /// The universal guards hold for these arguments.
    fn possible(&self, fails: &mut Fails, t: &Transition, args: &[u8]) {
        for it in &t.universals {
            fails.and_others(args, it.bound, &|further| {
                self.now().holds(&it.body.0, &[args, further].concat())
            });
        }
    }

    /// No measure below this level falls.
    fn nothing_falls(&self, fails: &mut Fails, t: &'a Transition, observed: &[u8], below: Option<u8>) {
        for measure in self.progress.measures.iter().filter(|it| below.is_none_or(|level| it.level < level)) {
            match &measure.of {
                Measured::Number(number) => fails.and(&self.moved(number, t, observed, false)),
                Measured::Tuples { further, body } => {
                    let kept = |tuple: &[u8]| {
                        let names = [observed, tuple].concat();
                        let (before, after) =
                            (self.now().holds(body, &names), self.after(t).holds(body, &names));
                        if before == after {
                            return vec![Conj::new()];
                        }
                        [self.now().fails(body, &names), after].concat()
                    };
                    if *further == 0 {
                        fails.and(&kept(&[]));
                    } else {
                        fails.and_others(observed, *further, &kept);
                    }
                }
            }
        }
    }

    /// The cases in which a step makes a number greater, or does not make it smaller.
    fn moved(&self, number: &Linear, t: &Transition, observed: &[u8], greater: bool) -> Vec<Conj> {
        let unknown = || vec![Conj::new()];
        let Some(Term::Linear(before)) = rename::term(&Term::Linear(number.clone()), &|p| named(p, observed))
        else {
            return unknown();
        };
        let is_any = |cell: &Cell| {
            let assigned = t.updates.iter().find(|it| it.var == cell.var);
            let counts = self.model.count_of(cell.var).is_some() && self.model.may_change(t, cell.var);
            counts || assigned.is_some_and(|it| it.assignment.branches().is_empty())
        };
        if before.terms.iter().any(|(cell, _)| is_any(cell)) {
            return unknown();
        }
        let reading = |cell: &Cell| match t.updates.iter().find(|it| it.var == cell.var) {
            Some(update) => {
                cubicle_lang::model::ways::updated(self.model, update, cell, t.arity() as u8).map(Some)
            }
            None => Ok(None),
        };
        let values = vec![(Conj::new(), Term::Linear(before.clone()))];
        let Ok(values) = read(self.model, &values, &reading) else { return unknown() };
        let mut found = Vec::new();
        for (when, value) in values {
            let Term::Linear(after) = value else { return unknown() };
            // before - after < 0, or <= 0.
            let Some(expr) = before.add_scaled(Rational::ONE.neg(), &after) else { return unknown() };
            let expr = if greater {
                expr.add_scaled(Rational::ONE, &Linear { terms: Vec::new(), constant: Rational::ONE })
            } else {
                Some(expr)
            };
            let Some(expr) = expr else { return unknown() };
            let literal = Literal::Linear { expr, relation: Relation::Le, integer: true };
            match rename::literal(&literal, &|p| p) {
                None => return unknown(),
                Some(rename::Truth::Constant(false)) => {}
                Some(rename::Truth::Constant(true)) => found.push(when),
                Some(rename::Truth::Literal(it)) => found.push([&when[..], &[it]].concat()),
            }
        }
        found
    }

    /// A state that should wait, and does not.
    fn start(&self) -> Vec<Fails> {
        let mut found = Vec::new();
        for case in &self.asked {
            let names: Vec<u8> = (0..self.params + case.hidden).collect();
            for mut fails in self.open(names.len() as u8, self.observed(&names)) {
                fails.and(std::slice::from_ref(&case.cube));
                for it in &case.universals {
                    fails.and_others(&names, it.bound, &|further| {
                        self.now().holds(&it.body.0, &[&names[..], further].concat())
                    });
                }
                fails.and(&self.now().fails(&self.progress.waits, self.observed(&names)));
                found.push(fails);
            }
        }
        found
    }

    /// A step after which a state no longer waits, though the promise is not kept.
    fn keep(&self, t: &'a Transition) -> Result<Vec<Fails>, NotDerived> {
        let mut found = Vec::new();
        for (procs, names) in choices(t.arity() as u8, self.params) {
            for mut fails in self.waiting(procs, &names) {
                fails.and(&self.after(t).fails(&self.progress.waits, &names));
                if !fails.ways.is_empty() {
                    self.step(&mut fails, t, &names);
                    found.push(fails);
                }
            }
        }
        Ok(found)
    }

    /// A step in which a measure rises, and none of a lower level falls.
    fn rise(&self, t: &'a Transition, measure: &Measure) -> Result<Vec<Fails>, NotDerived> {
        let further = match &measure.of {
            Measured::Tuples { further, .. } => *further,
            Measured::Number(_) => 0,
        };
        let mut found = Vec::new();
        for (procs, names) in choices(t.arity() as u8, self.params + further) {
            let observed = self.observed(&names);
            let mut rises = Fails::of(procs);
            match &measure.of {
                Measured::Number(number) => rises.and(&self.moved(number, t, observed, true)),
                Measured::Tuples { body, .. } => {
                    rises.and(&self.now().fails(body, &names));
                    rises.and(&self.after(t).holds(body, &names));
                }
            }
            if rises.ways.is_empty() {
                continue;
            }
            for mut fails in self.waiting(procs, observed) {
                fails.and(&rises.ways);
                self.step(&mut fails, t, observed);
                self.nothing_falls(&mut fails, t, observed, Some(measure.level));
                found.push(fails);
            }
        }
        Ok(found)
    }

    /// The transitions that a helper is about.
    fn steps_of(&self, helper: &Helper) -> impl Iterator<Item = &'a Transition> + use<'a> {
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
    fn lose(&self, t: &'a Transition, helper: &Helper) -> Result<Vec<Fails>, NotDerived> {
        let mut found = Vec::new();
        for (procs, names) in choices(t.arity() as u8, self.params + helper.further) {
            let args: Vec<u8> = helper.args.iter().map(|it| names[usize::from(*it)]).collect();
            // Where fairness is about any processes, a step of others is one.
            let any = self.model.fairness[helper.fairness].any;
            let is_taken = self.steps_of(helper).any(|it| it.origin == t.origin)
                && (any || args.iter().copied().eq(0..t.params.len() as u8));
            let lost = if is_taken {
                vec![(procs, vec![Conj::new()])]
            } else {
                self.not_ready(helper, (procs, &names), self.after(t))?
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
        Ok(found)
    }

    /// The ways for a helper not to be ready, each with the number of processes that are named then: what blocks its step.
    fn not_ready(
        &self,
        helper: &Helper,
        (procs, names): (u8, &[u8]),
        reader: Reader<'_>,
    ) -> Result<Vec<(u8, Vec<Conj>)>, NotDerived> {
        let args: Vec<u8> = helper.args.iter().map(|it| names[usize::from(*it)]).collect();
        // What is possible again and again need not be possible now.
        let mut blocked = vec![(procs, vec![Conj::new()])];
        blocked.retain(|_| helper.again.is_none());
        for t in self.steps_of(helper) {
            let mut next = Vec::new();
            for (procs, ways) in blocked {
                let with = |procs: u8, more: Vec<Conj>| {
                    let mut fails = Fails { ways: ways.clone(), ..Fails::of(procs) };
                    fails.and(&more);
                    (procs, fails.ways)
                };
                next.push(with(procs, reader.fails(std::slice::from_ref(&t.guard), &args)));
                for universal in &t.universals {
                    // The arguments come first, as the named processes that no other one is.
                    for (all, chosen) in choices(procs, universal.bound) {
                        if chosen.iter().all(|it| !args.contains(it)) {
                            let names = [&args[..], &chosen].concat();
                            next.push(with(all, reader.fails(&universal.body.0, &names)));
                        }
                    }
                }
            }
            next.retain(|(_, ways)| !ways.is_empty());
            blocked = next;
        }
        blocked.push((procs, reader.fails(&helper.when, names)));
        blocked.retain(|(_, ways)| !ways.is_empty());
        Ok(blocked)
    }

    /// A state that waits, and no helper is ready.
    fn none(&self) -> Result<Vec<Fails>, NotDerived> {
        let observed: Vec<u8> = (0..self.params).collect();
        let Some(least) = &self.progress.least else {
            return self.no_helper((self.params, &observed), None);
        };
        let mut found = Vec::new();
        for (procs, element) in [(self.params, 0), (self.params + 1, self.params)] {
            for mut fails in self.no_helper((procs, &observed), Some(element))? {
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
        Ok(found)
    }

    /// A state that waits in which no helper is ready: for the observed processes, for this `element`, and for any others as far as that can be said.
    fn no_helper(
        &self,
        (procs, observed): (u8, &[u8]),
        element: Option<u8>,
    ) -> Result<Vec<Fails>, NotDerived> {
        let mut ways = vec![(procs, vec![Conj::new()])];
        for helper in &self.progress.helpers {
            let names = match (helper.further, element) {
                (0, _) => observed.to_vec(),
                (1, Some(element)) if !observed.contains(&element) => [observed, &[element]].concat(),
                _ => continue,
            };
            let mut next = Vec::new();
            for (procs, ways) in ways {
                for (procs, more) in self.not_ready(helper, (procs, &names), self.now())? {
                    let mut fails = Fails { ways: ways.clone(), ..Fails::of(procs) };
                    fails.and(&more);
                    if !fails.ways.is_empty() {
                        next.push((procs, fails.ways));
                    }
                }
            }
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
        Ok(found)
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
            let cell = |var| Cell { var, index: [ProcRef::Var(0)].into_iter().collect() };
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

    /// A state that waits in which a number of the measures is negative.
    fn below(&self) -> Vec<Fails> {
        let observed: Vec<u8> = (0..self.params).collect();
        let numbers = self.progress.measures.iter().filter_map(|it| match &it.of {
            Measured::Number(number) => Some(number),
            Measured::Tuples { .. } => None,
        });
        let of = |number: &Linear| {
            // number + 1 <= 0
            let one = Linear { terms: Vec::new(), constant: Rational::ONE };
            let expr = number.add_scaled(Rational::ONE, &one);
            let negative = expr.map_or_else(Conj::new, |expr| {
                vec![Literal::Linear { expr, relation: Relation::Le, integer: true }]
            });
            let mut found = self.waiting(self.params, &observed);
            found.iter_mut().for_each(|it| it.and(std::slice::from_ref(&negative)));
            found
        };
        numbers.flat_map(of).collect()
    }

    /// Elements on which `before` is no strict order, in a state that waits.
    fn no_order(&self, least: &Least) -> Result<Vec<Fails>, NotDerived> {
        let observed: Vec<u8> = (0..self.params).collect();
        let mut found = Vec::new();
        for count in [2, 3] {
            for (procs, names) in choices(self.params, count) {
                let others = names.iter().filter(|it| **it > 0);
                if others.clone().any(|it| *it < self.params) {
                    continue;
                }
                let is_before = |a: usize, b: usize| self.now().holds(&least.before, &[names[a], names[b]]);
                for mut fails in self.waiting(procs, &observed) {
                    fails.and(&is_before(0, 1));
                    if count == 2 {
                        fails.and(&is_before(1, 0));
                    } else {
                        fails.and(&is_before(1, 2));
                        fails.and(&self.now().fails(&least.before, &[names[0], names[2]]));
                    }
                    for other in others.clone() {
                        fails.and(&self.now().holds(&least.among, &[&observed[..], &[*other]].concat()));
                    }
                    found.push(fails);
                }
            }
        }
        Ok(found)
    }
}
