//! How the conditions of a ranking fail.

use super::fails::{Fails, named};
use super::rule::Rule;
use cubicle_lang::model::semantics::different_namings;
use cubicle_lang::model::ways::both;
use cubicle_lang::model::{
    Case, Conj, Dnf, Helper, Least, Linear, Literal, Measure, Measured, ProcRef, Progress, Ranking, Rational,
    Relation, System, Temporal, Transition, Universal, rename,
};

/// All ways for a condition of the ranking to fail.
pub fn all(model: &System, ranking: &Ranking, property: &Temporal) -> Vec<Fails> {
    let (asked, answer) = property.awaited();
    let (progress, params) = (&ranking.progress, property.params.len() as u8);
    let rule = Rule { model, progress, asked, answer: answer.0.clone(), params };
    let mut found = rule.all();
    found.retain(|it| !it.ways.is_empty());
    found
}

/// What is awaited where a helper may be ready though its step is not possible: what is awaited for `params` processes, or that the step is possible. It is for the
/// further processes of the helper, too, so that what is asked of all others of the first ones cannot be said; less is awaited then, and more has to be shown.
pub fn awaited_again(model: &System, answer: &[Case], helper: &Helper, params: u8) -> Vec<Case> {
    let further = helper.further;
    let of_more = |case: &Case| {
        let map = |p: ProcRef| match p {
            ProcRef::Var(v) if v >= params => ProcRef::Var(v + further),
            p => p,
        };
        let is_said = further == 0 || case.universals.is_empty();
        is_said.then(|| Some(Case { cube: rename::conj(&case.cube, &map)??, ..case.clone() })).flatten()
    };
    let steps = model.asked_by(&model.fairness[helper.fairness]);
    let possible = steps.filter_map(|t| possible(t, &helper.args, params + further));
    answer.iter().filter_map(of_more).chain(possible).collect()
}

/// When a step is possible for these arguments among this number of processes; `None` where that is not said.
fn possible(t: &Transition, args: &[u8], params: u8) -> Option<Case> {
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

impl<'a> Rule<'a> {
    /// All ways for a condition to fail.
    fn all(&self) -> Vec<Fails> {
        let mut found = self.start();
        for t in &self.model.transitions {
            found.extend(self.keep(t));
            for measure in &self.progress.measures {
                found.extend(self.rise(t, measure));
            }
            for helper in &self.progress.helpers {
                found.extend(self.lose(t, helper));
            }
        }
        found.extend(self.none());
        found.extend(self.below());
        if let Some(least) = &self.progress.least {
            found.extend(self.no_order(least));
        }
        for helper in &self.progress.helpers {
            if let Some(progress) = &helper.again {
                found.extend(self.again(helper, progress).all());
            }
        }
        found
    }

    /// That the step of a helper becomes possible where it helps, or what is awaited comes.
    fn again(&self, helper: &Helper, progress: &'a Progress) -> Rule<'a> {
        let params = self.params + helper.further;
        let asked = both(&self.progress.waits, &helper.when).unwrap_or_else(|_| vec![Conj::new()]);
        let answer = awaited_again(self.model, &self.answer, helper, self.params);
        Rule { model: self.model, progress, asked: asked.into_iter().map(Case::of).collect(), answer, params }
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
    fn keep(&self, t: &'a Transition) -> Vec<Fails> {
        let mut found = Vec::new();
        for (procs, names) in different_namings(t.arity() as u8, self.params) {
            for mut fails in self.waiting(procs, &names) {
                fails.and(&self.after(t).fails(&self.progress.waits, &names));
                if !fails.ways.is_empty() {
                    self.step(&mut fails, t, &names);
                    found.push(fails);
                }
            }
        }
        found
    }

    /// A step in which a measure rises, and none of a lower level falls.
    fn rise(&self, t: &'a Transition, measure: &Measure) -> Vec<Fails> {
        let further = match &measure.of {
            Measured::Tuples { further, .. } => *further,
            Measured::Number(_) => 0,
        };
        let mut found = Vec::new();
        for (procs, names) in different_namings(t.arity() as u8, self.params + further) {
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
        found
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
            let expr = number.add_scaled(Rational::ONE, &Linear::number(Rational::ONE));
            let negative = expr.map_or_else(Conj::new, |expr| {
                vec![Literal::Linear { expr, relation: Relation::Le, integer: true }]
            });
            let mut found = self.waiting(self.params, &observed);
            for fails in &mut found {
                fails.and(std::slice::from_ref(&negative));
            }
            found
        };
        numbers.flat_map(of).collect()
    }

    /// Elements on which `before` is not a strict order, in a state that waits.
    fn no_order(&self, least: &Least) -> Vec<Fails> {
        let observed: Vec<u8> = (0..self.params).collect();
        let mut found = Vec::new();
        for count in [2, 3] {
            for (procs, names) in different_namings(self.params, count) {
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
        found
    }
}
