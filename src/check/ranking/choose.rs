//! Rankings that nothing seen refutes: measures that never rise unless one of a lower level falls, chosen greedily, and the helpers that they allow.

use std::collections::{BTreeMap, BTreeSet};

use super::candidates::Candidates;
use super::sample::{Move, Sample, Wait};
use cubicle_lang::model::semantics::{Env, Value, different_namings};
use cubicle_lang::model::{Conj, Helper, Least, Literal, Measure, Measured, ProcRef, Progress, Term};

const MOST_LEVELS: usize = 10;

/// The most steps with strong fairness of which it is looked for why they are possible again and again.
const MOST_AGAIN: usize = 4;

/// What a measure or a condition is in each state that waits: a bit for each tuple of further processes, or a number.
type Column = Vec<i64>;

struct Valued {
    measured: Measured,
    column: Column,
    is_number: bool,
}

impl Valued {
    const fn rises(&self, before: i64, after: i64) -> bool {
        if self.is_number { after > before } else { after & !before != 0 }
    }

    const fn falls(&self, before: i64, after: i64) -> bool {
        if self.is_number { after < before } else { before & !after != 0 }
    }
}

/// A helper with the tuples for which it is ready.
#[derive(Clone)]
struct Ready {
    helper: Helper,
    column: Column,
    /// Whether its step need not be possible for it to be ready.
    is_pledged: bool,
    /// Reasons why its step is possible again and again.
    again: Vec<Progress>,
}

/// Chooses rankings for a sample.
pub struct Chooser<'s, 'a> {
    sample: &'s Sample<'a>,
    candidates: Candidates<'a>,
    params: u8,
    /// The columns of literals about one further process, once they were asked for.
    known: BTreeMap<String, Column>,
}

impl<'s, 'a> Chooser<'s, 'a> {
    pub fn new(sample: &'s Sample<'a>) -> Self {
        let params = sample.params;
        let candidates = Candidates::new(sample.system, params);
        Self { sample, candidates, params, known: BTreeMap::new() }
    }

    /// Reasons for progress that nothing seen refutes, the most promising first; at most `strong` steps with strong fairness depend on each other.
    ///
    /// # Errors
    /// There is none: a state that waits in which nothing is known to help.
    pub fn progress(&mut self, strong: u8) -> Result<Vec<Progress>, usize> {
        if self.sample.waits.is_empty() {
            // It never waits.
            return Ok(vec![Progress::default()]);
        }
        let mut measures = self.measures();
        let fallen = self.fallen(&measures);
        let helpers = self.helpers(&fallen, false);
        let helpers: Vec<Ready> = match self.covering(&helpers) {
            Ok(chosen) => chosen.into_iter().map(|at| helpers[at].clone()).collect(),
            Err(stuck) => self.with_strong(helpers, &fallen, strong).ok_or(stuck)?,
        };
        self.prune(&mut measures, &helpers);
        let levels = (1..).zip(&measures);
        let progress = Progress {
            waits: self.sample.waiting(),
            measures: levels.map(|(level, it)| Measure { level, of: it.measured.clone() }).collect(),
            helpers: Vec::new(),
            least: None,
        };
        let orders = helpers.iter().any(|it| it.helper.further > 0) && self.params > 0;
        let least = orders.then(|| self.least(&helpers)).flatten();
        let ways = helpers.iter().map(|it| it.again.len()).max().unwrap_or(0).max(1);
        let mut found = Vec::new();
        for way in 0..ways {
            let with = |it: &Ready| Helper {
                again: it.again.get(way).or(it.again.last()).cloned(),
                ..it.helper.clone()
            };
            let progress = Progress { helpers: helpers.iter().map(with).collect(), ..progress.clone() };
            found.extend(least.clone().map(|least| Progress { least: Some(least), ..progress.clone() }));
            found.push(progress);
        }
        Ok(found)
    }

    /// Helpers that cover, some of which are possible again and again; at most `strong` of these depend on each other.
    fn with_strong(&mut self, mut helpers: Vec<Ready>, fallen: &[bool], strong: u8) -> Option<Vec<Ready>> {
        let next = strong.checked_sub(1)?;
        helpers.extend(self.helpers(fallen, true));
        for _ in 0..MOST_AGAIN {
            let chosen = self.covering(&helpers).ok()?;
            let open =
                chosen.iter().copied().find(|at| helpers[*at].is_pledged && helpers[*at].again.is_empty());
            let Some(at) = open else {
                return Some(chosen.into_iter().map(|at| helpers[at].clone()).collect());
            };
            let sample = self.sample.again(&helpers[at].helper);
            helpers[at].again = Chooser::new(&sample).progress(next).unwrap_or_default();
            if helpers[at].again.is_empty() {
                helpers.remove(at);
            }
        }
        None
    }

    /// For each state that waits, the further processes of which a literal holds.
    fn literal(&mut self, literal: &Literal) -> Column {
        let key = format!("{literal:?}");
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let column = self.column(1, &[vec![literal.clone()]]);
        self.known.insert(key, column.clone());
        column
    }

    fn conj(&mut self, conj: &Conj) -> Column {
        let all: Column =
            (0..self.sample.waits.len()).map(|wait| (1 << self.sample.others(wait).min(62)) - 1).collect();
        conj.iter().fold(all, |column, literal| {
            let other = self.literal(literal);
            column.iter().zip(&other).map(|(a, b)| a & b).collect()
        })
    }

    fn column(&self, further: usize, body: &[Conj]) -> Column {
        self.tuples(further, &|wait, tuple| self.sample.is(wait, body, tuple))
    }

    /// For each state that waits, the tuples of further processes of which something is true.
    fn tuples(&self, further: usize, is_true: &dyn Fn(usize, &[usize]) -> bool) -> Column {
        let mut column = Column::new();
        for alike in self.sample.waits.chunk_by(Wait::is_alike) {
            let tuples = self.sample.further(column.len(), further);
            for wait in column.len()..column.len() + alike.len() {
                let bits = tuples.iter().take(62).enumerate();
                column.push(bits.filter(|(_, it)| is_true(wait, it)).map(|(at, _)| 1 << at).sum());
            }
        }
        column
    }

    /// The values of a measure; `None` where it is a number that is negative somewhere.
    fn valued(&mut self, measured: Measured) -> Option<Valued> {
        let (column, is_number) = match &measured {
            Measured::Tuples { further: 1, body } if body.len() == 1 => (self.conj(&body[0]), false),
            Measured::Tuples { further, body } => (self.column(usize::from(*further), body), false),
            Measured::Number(number) => {
                let term = Term::Linear(number.clone());
                let of = |wait: usize| {
                    let (semantics, state, tuple) = self.sample.at(wait);
                    match (Env { layout: semantics.layout(), state, procs: tuple }).term(&term)? {
                        Value::Number(n) if n.is_integer() && n.signum() >= 0 => Some(n.num()),
                        _ => None,
                    }
                };
                ((0..self.sample.waits.len()).map(of).collect::<Option<_>>()?, true)
            }
        };
        Some(Valued { measured, column, is_number })
    }

    /// Measures, one for each level.
    fn measures(&mut self) -> Vec<Valued> {
        let mut seen: BTreeSet<Column> = BTreeSet::new();
        let mut all = Vec::new();
        for measured in self.candidates.measures() {
            let Some(valued) = self.valued(measured) else { continue };
            let falls = |it: &Move| valued.falls(valued.column[it.from], valued.column[it.to]);
            if self.sample.moves.iter().any(falls) && seen.insert(valued.column.clone()) {
                all.push(valued);
            }
        }
        let mut left: Vec<&Move> = self.sample.moves.iter().collect();
        let mut chosen = Vec::new();
        while chosen.len() < MOST_LEVELS {
            let mut best: Option<(usize, usize)> = None;
            for (at, it) in all.iter().enumerate() {
                let change = |step: &&&Move| (it.column[step.from], it.column[step.to]);
                if left.iter().any(|step| it.rises(change(&step).0, change(&step).1)) {
                    continue;
                }
                let falls = left.iter().filter(|step| it.falls(change(step).0, change(step).1)).count();
                if falls > best.map_or(0, |it| it.0) {
                    best = Some((falls, at));
                }
            }
            let Some((_, at)) = best else { break };
            let it = all.remove(at);
            left.retain(|step| !it.falls(it.column[step.from], it.column[step.to]));
            chosen.push(it);
        }
        chosen
    }

    /// For each step, whether some measure falls in it.
    fn fallen(&self, measures: &[Valued]) -> Vec<bool> {
        let falls =
            |step: &Move| measures.iter().any(|it| it.falls(it.column[step.from], it.column[step.to]));
        self.sample.moves.iter().map(falls).collect()
    }

    /// Whether no measure rises where none of a lower level falls.
    fn is_lexicographic(&self, measures: &[Valued]) -> bool {
        self.sample.moves.iter().all(|step| {
            let mut changes = measures.iter().map(|measure| {
                let (before, after) = (measure.column[step.from], measure.column[step.to]);
                (measure.rises(before, after), measure.falls(before, after))
            });
            changes.find(|(rises, falls)| *rises || *falls).is_none_or(|(rises, _)| !rises)
        })
    }

    /// The helpers that nothing seen refutes: of each step, those that are always ready when it is possible, else those that a condition allows. `pledged`:
    /// those with strong fairness that are ready where their condition holds.
    fn helpers(&mut self, fallen: &[bool], pledged: bool) -> Vec<Ready> {
        let sample = self.sample;
        let mut found = Vec::new();
        for (number, fairness) in sample.system.fairness.iter().enumerate() {
            let Some(t) = sample.system.asked_by(fairness).next() else { continue };
            let arity = t.params.len() as u8;
            let plain =
                |it: &cubicle_lang::model::Transition| it.hidden == 0 && it.params.len() == t.params.len();
            if !sample.system.asked_by(fairness).all(plain) || pledged && !fairness.strong || arity > 2 {
                continue;
            }
            // The arguments are parameters of the property, or further processes.
            for (named, args) in different_namings(self.params, arity) {
                let further = named - self.params;
                let enabled = if pledged {
                    self.column(usize::from(further), &[Conj::new()])
                } else {
                    self.enabled(number, further, &args)
                };
                let mut conditions = vec![Conj::new()];
                match further {
                    0 => conditions.extend(self.candidates.of_parameters().into_iter().map(|it| vec![it])),
                    1 => conditions.extend(self.candidates.of_another()),
                    _ => {}
                }
                let mut seen: BTreeSet<Column> = BTreeSet::new();
                for when in conditions {
                    let column: Column = match (further, when.is_empty()) {
                        (_, true) => enabled.clone(),
                        (1, _) => and(&self.conj(&when), &enabled),
                        _ => and(&self.column(usize::from(further), std::slice::from_ref(&when)), &enabled),
                    };
                    let is_always = when.is_empty();
                    let (args, when) = (args.clone(), vec![when]);
                    let helper = Helper { fairness: number, further, args, when, again: None };
                    let ready = Ready { helper, column, is_pledged: pledged, again: Vec::new() };
                    if ready.column.iter().all(|it| *it == 0) || !seen.insert(ready.column.clone()) {
                        continue;
                    }
                    if self.stays(&ready, fallen) {
                        found.push(ready);
                        if is_always && !pledged {
                            break;
                        }
                    }
                }
            }
        }
        found
    }

    /// For each state that waits, the tuples for which a step is possible.
    fn enabled(&self, fairness: usize, further: u8, args: &[u8]) -> Column {
        let fairness = &self.sample.system.fairness[fairness];
        self.tuples(further.into(), &|wait, tuple| {
            self.sample.is_possible(wait, fairness, &self.arguments(wait, tuple, args))
        })
    }

    fn arguments(&self, wait: usize, tuple: &[usize], args: &[u8]) -> Vec<usize> {
        let (_, _, observed) = self.sample.at(wait);
        let all: Vec<usize> = observed.iter().chain(tuple).copied().collect();
        args.iter().map(|it| all[usize::from(*it)]).collect()
    }

    /// Whether a helper that is ready stays ready until a measure falls, as one does when its step is taken.
    fn stays(&self, ready: &Ready, fallen: &[bool]) -> bool {
        let fairness = &self.sample.system.fairness[ready.helper.fairness];
        self.sample.moves.iter().zip(fallen).all(|(it, fallen)| {
            let before = ready.column[it.from];
            if *fallen || before == 0 {
                return true;
            }
            if before & !ready.column[it.to] != 0 {
                return false;
            }
            let step = self.sample.step(it);
            if !fairness.is_about(self.sample.system.transition(step.transition)) {
                return true;
            }
            let tuples = self.sample.further(it.from, ready.helper.further.into());
            !tuples.iter().take(62).enumerate().any(|(at, tuple)| {
                let is_one = || self.arguments(it.from, tuple, &ready.helper.args) == step.args;
                before >> at & 1 == 1 && (fairness.any || is_one())
            })
        })
    }

    /// Some of the helpers, by their places, one of which is ready in each state that waits.
    ///
    /// # Errors
    /// A state in which none is.
    fn covering(&self, helpers: &[Ready]) -> Result<Vec<usize>, usize> {
        let mut open: Vec<usize> = (0..self.sample.waits.len()).collect();
        let mut chosen = Vec::new();
        while !open.is_empty() {
            let ready = |it: &Ready| open.iter().filter(|wait| it.column[**wait] != 0).count();
            let (mut best, mut most) = (None, 0);
            for (at, it) in helpers.iter().enumerate() {
                let count = ready(it);
                if count > most {
                    (best, most) = (Some(at), count);
                }
            }
            let best = best.ok_or(open[0])?;
            open.retain(|wait| helpers[best].column[*wait] == 0);
            chosen.push(best);
        }
        Ok(chosen)
    }

    /// Leaves out measures that the helpers do not need.
    fn prune(&self, measures: &mut Vec<Valued>, helpers: &[Ready]) {
        let mut at = measures.len();
        while at > 0 {
            at -= 1;
            let left_out = measures.remove(at);
            let fallen = self.fallen(measures);
            let fits = self.is_lexicographic(measures) && helpers.iter().all(|it| self.stays(it, &fallen));
            if !fits {
                measures.insert(at, left_out);
            }
        }
    }

    /// A set and an order of processes such that a helper is ready for each element with none before it.
    fn least(&mut self, helpers: &[Ready]) -> Option<Least> {
        let sample = self.sample;
        let own = |it: &Conj| {
            it.iter().all(|literal| (0..self.params).all(|p| !literal.procs().contains(&ProcRef::Var(p))))
        };
        let mut sets: Vec<Conj> =
            self.candidates.of_another().into_iter().filter(|it| it.len() == 1 && own(it)).collect();
        sets.push(Conj::new());
        let orders = self.candidates.orders();
        for among in sets {
            let includes = |wait: usize| {
                let (_, _, tuple) = sample.at(wait);
                sample.is(wait, std::slice::from_ref(&among), &[tuple[0]])
            };
            if !(0..sample.waits.len()).all(includes) {
                continue;
            }
            for before in &orders {
                if (0..sample.waits.len()).all(|wait| self.is_least(wait, helpers, &among, before)) {
                    return Some(Least { among: vec![among], before: vec![before.clone()] });
                }
            }
        }
        None
    }

    fn is_least(&self, wait: usize, helpers: &[Ready], among: &Conj, before: &Conj) -> bool {
        let sample = self.sample;
        let (semantics, state, tuple) = sample.at(wait);
        let is_before = |a: usize, b: usize| {
            let env = Env { layout: semantics.layout(), state, procs: &[a, b] };
            a != b && env.conj(before) == Some(true)
        };
        let others = sample.further(wait, 1);
        let mut set = vec![tuple[0]];
        let is_in = |it: &&Vec<usize>| sample.is(wait, std::slice::from_ref(among), it);
        set.extend(others.iter().filter(is_in).map(|it| it[0]));
        let is_ready = |element: usize| {
            helpers.iter().any(|it| match it.helper.further {
                0 => it.column[wait] != 0,
                1 => others
                    .iter()
                    .position(|it| it[0] == element)
                    .is_some_and(|at| it.column[wait] >> at & 1 == 1),
                _ => false,
            })
        };
        set.iter().all(|&a| {
            let strict = set.iter().all(|&b| {
                !(is_before(a, b) && is_before(b, a))
                    && set.iter().all(|&c| a == c || !is_before(a, b) || !is_before(b, c) || is_before(a, c))
            });
            strict && (is_ready(a) || set.iter().any(|&b| is_before(b, a)))
        })
    }
}

fn and(a: &Column, b: &Column) -> Column {
    a.iter().zip(b).map(|(a, b)| a & b).collect()
}
