//! Refinement: random pairs of a model and a refined or broken copy, with a random map, against brute force on instances of up to
//! three processes. What refines what is written here from the book alone.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cubicle::certificate::{
    CheckOptions, Claim, Extent, NoCertificate, ProofFailure, Subject, certify_as, check as recheck, confirm,
    explain as words,
};
use cubicle::load::ModelSource;
use cubicle::refinement::RefinedModel;
use cubicle::refines::explain;
use cubicle::transform::refines::Refinement;
use cubicle::{
    BackwardMode, ForwardOptions, Interrupt, Report, Silent, Stop, Trace, Verdict, check, forward,
};

use super::ast::{
    Assigned, Formula, Index, Kind, Model, Op, TRUE, Target, Term, Transition, Update, Value, Var,
};
use super::generate::{comparison, generate, is_possible};
use super::graph::explore;
use super::instance::{Failures, Instance, Label};
use super::states::small;
use crate::support::dice::{Dice, environment};

/// How many certificates were refused for a claim that is wrong.
static REFUSED: AtomicUsize = AtomicUsize::new(0);

/// A step that a concrete one may be: none, or a transition and its arguments.
type Image = Option<(usize, Vec<Arg>)>;

#[derive(Clone, Debug)]
enum Arg {
    Param(usize),
    /// What this global holds.
    Global(usize),
}

/// Time of a call of Z3.
const TIMEOUT: Duration = Duration::from_secs(60);

/// How often a pair is changed, to see whether a certificate of it is accepted for one that does not refine.
const FORGERIES: usize = 6;

/// A concrete model, an abstract one whose variables are the first ones of it, and a map.
#[derive(Clone)]
struct Pair {
    concrete: Model,
    abstraction: Model,
    /// For each abstract variable the branches of its value, if it is not that of the same name.
    meanings: Vec<Option<Vec<(Formula, Term)>>>,
    /// For each concrete transition, what it may be.
    images: Vec<Vec<Image>>,
    /// Whether the map says so, or leaves it to the names.
    said: Vec<bool>,
}

fn pair(seed: u64) -> Pair {
    let mut dice = Dice::new(seed ^ 0x4ef1);
    let dice = &mut dice;
    let mut abstraction = generate(seed);
    (abstraction.runs, abstraction.fairness, abstraction.invariants) = (Vec::new(), Vec::new(), Vec::new());
    abstraction.number_procs = None;
    for (number, it) in abstraction.transitions.iter_mut().enumerate() {
        it.name = format!("s{number}");
    }
    let mut concrete = abstraction.clone();
    let count = concrete.transitions.len();
    let identity = |number: usize| {
        let params = abstraction.transitions[number].params;
        Some((number, (0..params).map(Arg::Param).collect::<Vec<_>>()))
    };
    let mut images: Vec<Vec<Image>> = (0..count).map(|number| vec![identity(number)]).collect();
    for _ in 0..dice.below(4) {
        if count > 0 {
            change(&mut concrete, &mut images, dice);
        }
    }
    if dice.chance(25) {
        hidden_variable(&mut concrete, &mut images, seed, dice);
    }
    let meanings = (0..abstraction.vars.len()).map(|var| meaning(&concrete, var, dice)).collect();
    let mut said = Vec::new();
    for (number, it) in concrete.transitions.iter().enumerate() {
        let by_name = abstraction
            .transitions
            .iter()
            .position(|known| known.name == it.name && known.params == it.params);
        let guessed = match by_name {
            Some(number) => identity(number),
            None => None,
        };
        let leaves_out = dice.chance(30);
        if leaves_out {
            images[number] = vec![guessed];
        }
        said.push(!leaves_out);
    }
    Pair { concrete, abstraction, meanings, images, said }
}

/// One change of the concrete model, or of what a step is.
fn change(model: &mut Model, images: &mut Vec<Vec<Image>>, dice: &mut Dice) {
    let number = dice.below(model.transitions.len());
    let depth = model.transitions[number].params;
    let globals: Vec<usize> = (0..model.vars.len())
        .filter(|&it| model.vars[it].kind == Kind::Proc && model.vars[it].arity == 0)
        .collect();
    match dice.below(9) {
        0 => {
            if let Formula::And(parts) = &mut model.transitions[number].guard
                && !parts.is_empty()
            {
                parts.remove(dice.below(parts.len()));
            }
        }
        1 => {
            let further = comparison(model, depth, false, dice);
            if let Formula::And(parts) = &mut model.transitions[number].guard {
                parts.push(further);
            }
        }
        2 => {
            let updates = &mut model.transitions[number].updates;
            if !updates.is_empty() {
                updates.remove(dice.below(updates.len()));
            }
        }
        3 => {
            let kinds = model.enums.clone();
            for update in &mut model.transitions[number].updates {
                if let Assigned::Term(Term::Const(kind, value)) = &mut update.value
                    && *kind != Kind::Int
                {
                    let values = if let Kind::Enum(it) = kind { kinds[*it] } else { 2 };
                    *value = dice.below(values) as Value;
                }
            }
        }
        4 => images[number].push(None),
        5 => {
            // Any step with as many parameters, in any order.
            let other = dice.below(images.len().min(model.transitions.len()));
            if let Some((target, args)) = images[other].first().cloned().flatten()
                && args.iter().all(|arg| matches!(arg, Arg::Param(p) if *p < depth))
            {
                let mut args = args;
                args.reverse();
                images[number].push(Some((target, args)));
            }
        }
        6 if !globals.is_empty() => {
            for (_, args) in images[number].iter_mut().flatten() {
                if !args.is_empty() {
                    let at = dice.below(args.len());
                    args[at] = Arg::Global(*dice.pick(&globals));
                }
            }
        }
        7 => split(model, images, number),
        _ => {
            let way = dice.below(model.init.ways.len());
            let way = &mut model.init.ways[way];
            if !way.is_empty() {
                let at = dice.below(way.len());
                if !matches!(&way[at], Formula::Compare(Op::Eq, Term::Cell(var, _), _) if model.vars[*var].kind == Kind::Int)
                {
                    way.remove(at);
                }
            }
        }
    }
}

/// Makes a transition of one process two: the first half sets a mark that the second half takes away.
fn split(model: &mut Model, images: &mut Vec<Vec<Image>>, number: usize) {
    let second = model.transitions[number].clone();
    if second.params == 0 || model.init.params == 0 {
        return;
    }
    let mark = model.vars.len();
    model.vars.push(Var { kind: Kind::Bool, arity: 1, constant: false });
    let marked = |value| {
        Formula::Compare(Op::Eq, Term::Cell(mark, vec![Index::Bound(0)]), Term::Const(Kind::Bool, value))
    };
    let set = |value| Update {
        var: mark,
        target: Target::One(vec![0]),
        value: Assigned::Term(Term::Const(Kind::Bool, value)),
    };
    for way in &mut model.init.ways {
        way.push(marked(0));
    }
    let both = |guard: &Formula, mark| Formula::And(vec![guard.clone(), mark]);
    let first = Transition {
        name: format!("{}_begins{mark}", second.name),
        params: second.params,
        guard: both(&second.guard, marked(0)),
        updates: vec![set(1)],
    };
    let it = &mut model.transitions[number];
    it.guard = both(&it.guard, marked(1));
    it.updates.push(set(0));
    model.transitions.push(first);
    images.push(vec![None]);
}

/// A variable that the abstract model does not have, and a transition that assigns it.
fn hidden_variable(model: &mut Model, images: &mut Vec<Vec<Image>>, seed: u64, dice: &mut Dice) {
    let var = model.vars.len();
    model.vars.push(Var { kind: Kind::Bool, arity: 0, constant: false });
    let guard = comparison(model, 1, false, dice);
    let value = if dice.chance(30) {
        Assigned::Any
    } else {
        Assigned::Term(Term::Const(Kind::Bool, dice.below(2) as Value))
    };
    let it = Transition {
        name: "hidden".to_owned(),
        params: 1,
        guard,
        updates: vec![Update { var, target: Target::Global, value }],
    };
    if is_possible(model, &it, seed) {
        model.transitions.push(it);
        images.push(vec![None]);
    }
}

/// A meaning of a variable other than the one of the same name, now and then.
fn meaning(model: &Model, var: usize, dice: &mut Dice) -> Option<Vec<(Formula, Term)>> {
    let Var { kind, arity, .. } = model.vars[var];
    let same = Term::Cell(var, (0..arity).map(Index::Bound).collect());
    let values = match kind {
        Kind::Enum(number) => model.enums[number],
        Kind::Bool => 2,
        Kind::Int | Kind::Proc | Kind::Pointer => return None,
    };
    if dice.chance(75) {
        return None;
    }
    let constant = |value: usize| Term::Const(kind, value as Value);
    if dice.chance(30) {
        let turned = (0..values).map(|value| {
            let other = constant((value + 1) % values);
            (Formula::Compare(Op::Eq, same.clone(), constant(value)), other)
        });
        let mut turned: Vec<_> = turned.collect();
        turned.push((TRUE, same));
        return Some(turned);
    }
    let when = comparison(model, arity, false, dice);
    if when == TRUE {
        return None;
    }
    Some(vec![(when, constant(dice.below(values))), (TRUE, same)])
}

impl Pair {
    /// What the checker says; `None` where the map does not fit.
    fn asked<T>(&self, answer: impl FnOnce(ModelSource<'_>, &Arc<Refinement>) -> T) -> Option<T> {
        let (concrete, abstraction) = (self.concrete.to_string(), self.abstraction.to_string());
        let (low, high) = (cubicle::load(&concrete).ok()?, cubicle::load(&abstraction).ok()?);
        let [of_low, of_high] = [&low, &high].map(|it| RefinedModel { system: &it.system, file: &it.file });
        let refinement = Arc::new(Refinement::new(of_low, of_high, &self.map()).ok()?);
        Some(answer(ModelSource::new(&low.system, &concrete), &refinement))
    }

    fn map(&self) -> String {
        let names = ["p", "q", "r"];
        let mut text = String::new();
        for (var, meaning) in self.meanings.iter().enumerate() {
            let arity = self.abstraction.vars[var].arity;
            let Some(branches) = meaning else { continue };
            let index = if arity == 0 { String::new() } else { format!("[{}]", names[..arity].join(", ")) };
            let _ = write!(text, "{}{index} := case", self.abstraction.var_name(var));
            for (when, value) in branches {
                let when = if *when == TRUE { "_".to_owned() } else { self.concrete.formula(when, arity) };
                let _ = write!(text, " | {when} : {}", self.concrete.term(value, arity));
            }
            text += ";\n";
        }
        for (number, it) in
            self.concrete.transitions.iter().enumerate().filter(|(number, _)| self.said[*number])
        {
            let images = self.images[number].iter().map(|image| match image {
                None => "stutter".to_owned(),
                Some((target, args)) => {
                    let args = args.iter().map(|arg| match arg {
                        Arg::Param(p) => names[*p].to_owned(),
                        Arg::Global(var) => self.concrete.var_name(*var),
                    });
                    let args: Vec<String> = args.collect();
                    format!("{}({})", self.abstraction.transitions[*target].name, args.join(", "))
                }
            });
            let images: Vec<String> = images.collect();
            let _ =
                writeln!(text, "{}({}) => {};", it.name, names[..it.params].join(" "), images.join(" | "));
        }
        text
    }

    /// Whether the instance refines the abstract one; `None` when not all states were seen and nothing is wrong.
    fn right(&self, procs: usize) -> Option<bool> {
        let graph = explore(&self.concrete, procs, Failures::None, 400)?;
        let abstraction = Instance::new(&self.abstraction, procs, Failures::None);
        let image = |state: &[Value]| -> Vec<Value> {
            let mut values = Vec::new();
            for (var, meaning) in self.meanings.iter().enumerate() {
                let arity = self.abstraction.vars[var].arity;
                let same = Term::Cell(var, (0..arity).map(Index::Bound).collect());
                for index in graph.instance.tuples(arity) {
                    let branches = meaning.iter().flatten();
                    let found =
                        branches.into_iter().find(|(when, _)| graph.instance.holds(when, state, &index));
                    let term = found.map_or(&same, |(_, value)| value);
                    values.push(graph.instance.value(term, state, &index));
                }
            }
            values.resize(values.len() + procs, 1);
            values
        };
        let explained = |before: &[Value], number: usize, tuple: &[usize], after: &[Value]| {
            let (old, new) = (image(before), image(after));
            self.images[number].iter().any(|it| match it {
                None => old == new,
                Some((target, args)) => {
                    let args: Vec<usize> = (args.iter())
                        .map(|arg| match arg {
                            Arg::Param(p) => tuple[*p],
                            Arg::Global(var) => {
                                let value = graph.instance.value(&Term::Cell(*var, Vec::new()), before, &[]);
                                usize::try_from(value).unwrap_or(usize::MAX)
                            }
                        })
                        .collect();
                    let real = args.iter().all(|it| *it < procs);
                    let different = (1..args.len()).all(|at| !args[..at].contains(&args[at]));
                    real && different && abstraction.is_step(*target, &args, &old, &new)
                }
            })
        };
        let begins = graph.states[..graph.initial].iter().all(|state| abstraction.is_initial(&image(state)));
        let goes_on = graph.states.iter().all(|state| {
            graph.instance.steps(state).iter().all(|(label, after)| match label {
                Label::Step(number, tuple) => explained(state, *number, tuple, after),
                Label::Failure | Label::Stutter => true,
            })
        });
        if !begins || !goes_on {
            return Some(false);
        }
        graph.complete.then_some(true)
    }
}

/// What became of a pair.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Outcome {
    /// It cannot be stated.
    Refused,
    Refines,
    /// With a certificate.
    Certified,
    Broken,
    /// Nothing could be compared.
    Open,
}

fn compare(seed: u64) -> Result<Outcome, String> {
    let pair = pair(seed);
    let any_number = |it: &Update| it.value == Assigned::Any && pair.concrete.vars[it.var].kind == Kind::Int;
    if pair.concrete.transitions.iter().flat_map(|it| &it.updates).any(any_number) {
        return Ok(Outcome::Open);
    }
    let (concrete, abstraction, map) = (pair.concrete.to_string(), pair.abstraction.to_string(), pair.map());
    let shown = |what: &str| {
        format!("seed {seed}: {what}\n--- concrete\n{concrete}--- abstract\n{abstraction}--- map\n{map}")
    };
    let [mut low, high] =
        [&concrete, &abstraction].map(|text| cubicle::load(text).map_err(|why| shown(&why.to_string())));
    let (low, high) = (std::mem::replace(&mut low, Err(String::new()))?, high?);
    let refined = |it| -> RefinedModel<'_> {
        let it: &cubicle::Loaded = it;
        RefinedModel { system: &it.system, file: &it.file }
    };
    let refinement = match Refinement::new(refined(&low), refined(&high), &map) {
        Ok(refinement) => refinement,
        Err(refused) => {
            let stated = refused.errors.iter().all(|it| it.code == "C0702");
            return if stated {
                Ok(Outcome::Refused)
            } else {
                Err(shown(&format!("refused: {:?}", refused.errors)))
            };
        }
    };
    let confirmed = |run: &Trace| {
        explain(&refinement, &low.system, &high.system, run)
            .map_err(|why| shown(&format!("no such run: {why}")))
    };
    let (mut broken, mut seen) = (None, true);
    for procs in 0..=3 {
        let right = pair.right(procs);
        if right == Some(false) {
            broken = broken.or(Some(procs));
        }
        seen &= right.is_some();
        let options = ForwardOptions::default().max_states(4000);
        let mut found = Some(true);
        for system in [&refinement.initially, &refinement.steps] {
            let explored =
                forward::explore(system, procs, &options, &Interrupt::default(), &mut Silent).exploration;
            match explored.unsafe_trace {
                Some(run) => {
                    confirmed(&run)?;
                    found = Some(false);
                    break;
                }
                None if explored.stop != Stop::Complete => found = None,
                None => {}
            }
        }
        if let (Some(right), Some(found)) = (right, found)
            && right != found
        {
            return Err(shown(&format!("{procs} processes: refines: {found}, right is {right}")));
        }
    }
    let proofs = [BackwardMode::Classic, BackwardMode::Brab(2), BackwardMode::Pdr(2), BackwardMode::Auto];
    let options = small(proofs[(seed % 4) as usize]);
    let mut safe = true;
    let mut proof = None;
    for system in [&refinement.initially, &refinement.steps] {
        let report = check(system, &options, &Interrupt::default(), &mut Silent);
        let report = report.map_err(|why| shown(&why.to_string()))?;
        match &report.verdict {
            Some(Verdict::Safe) => proof = Some(report),
            Some(Verdict::Unsafe(run)) => {
                let procs = run.initial.procs;
                confirmed(run)?;
                if procs <= 3 && pair.right(procs) == Some(true) {
                    return Err(shown(&format!("refuted with {procs} processes, where it refines")));
                }
                safe = false;
            }
            _ => safe = false,
        }
    }
    match broken {
        Some(procs) if safe => Err(shown(&format!("proved, but broken with {procs} processes"))),
        Some(_) => Ok(Outcome::Broken),
        None if safe => {
            let proof = proof.expect("the steps were proved last");
            let written = certified(&pair, &refinement, &proof).map_err(|why| shown(&why))?;
            let Some(written) = written else { return Ok(Outcome::Refines) };
            only_true_claims_are_accepted(&pair, &written, seed).map_err(|why| shown(&why))?;
            Ok(Outcome::Certified)
        }
        None if seen || safe => Ok(Outcome::Refines),
        None => Ok(Outcome::Open),
    }
}

/// The certificate of a proof, checked again as it is written; `None` where numbers are too large for it.
fn certified(pair: &Pair, refinement: &Refinement, proof: &Report) -> Result<Option<String>, String> {
    let subject = Subject { refines: Some(refinement.chosen.clone()), ..Subject::default() };
    let claim = Claim::of(proof);
    pair.asked(|concrete, refinement| {
        let interrupt = Interrupt::default();
        let how = CheckOptions { refinement: Some(refinement), ..CheckOptions::new(TIMEOUT, &interrupt) };
        let certificate = match certify_as(&subject, concrete, &refinement.steps, claim, how) {
            Ok(certificate) => certificate,
            Err(NoCertificate::Words(..) | NoCertificate::Failed(ProofFailure::Overflow, _)) => {
                return Ok(None);
            }
            Err(why) => return Err(format!("no certificate: {}", words(&why))),
        };
        if let Err(why) = confirm(&subject, concrete.system, &refinement.steps, claim, how) {
            return Err(format!("not accepted: {}", words(&why)));
        }
        let written = certificate.invariants(concrete.system);
        match recheck(concrete.system, concrete.text, &written, Extent::All, how) {
            Ok(_) => Ok(Some(written)),
            Err(why) => Err(format!("refused: {}\n{written}", words(&why))),
        }
    })
    .expect("it was read before")
}

/// Changes the models and the map at random: where brute force knows that the claim is wrong, the certificate is refused.
fn only_true_claims_are_accepted(pair: &Pair, written: &str, seed: u64) -> Result<(), String> {
    let mut dice = Dice::new(seed ^ 0x0f09);
    for _ in 0..FORGERIES {
        let mut other = pair.clone();
        match dice.below(4) {
            0 => {
                let var = dice.below(other.meanings.len().max(1));
                if let Some(it) = other.meanings.get_mut(var) {
                    *it = meaning(&pair.concrete, var, &mut dice);
                }
            }
            1 => {
                let number = dice.below(other.images.len().max(1));
                if let Some(it) = other.images.get_mut(number) {
                    *it = vec![None];
                    other.said[number] = true;
                }
            }
            // A change of the abstract model that leaves the map as it is.
            2 if !other.abstraction.transitions.is_empty() => {
                let mut images = vec![vec![None]; other.abstraction.transitions.len()];
                change(&mut other.abstraction, &mut images, &mut dice);
                if images.len() != other.abstraction.transitions.len()
                    || other.abstraction.transitions.len() != pair.abstraction.transitions.len()
                {
                    continue;
                }
            }
            _ if !other.concrete.transitions.is_empty() => {
                change(&mut other.concrete, &mut other.images, &mut dice);
                // The map says what was changed.
                other.said = vec![true; other.images.len()];
            }
            _ => continue,
        }
        if !(0..=2).any(|procs| other.right(procs) == Some(false)) {
            continue;
        }
        let accepted = other.asked(|concrete, refinement| {
            let interrupt = Interrupt::default();
            let how = CheckOptions { refinement: Some(refinement), ..CheckOptions::new(TIMEOUT, &interrupt) };
            recheck(concrete.system, concrete.text, written, Extent::All, how).is_ok()
        });
        REFUSED.fetch_add(usize::from(accepted == Some(false)), Ordering::Relaxed);
        if accepted == Some(true) {
            let (concrete, abstraction, map) = (&other.concrete, &other.abstraction, other.map());
            return Err(format!(
                "accepted for\n{concrete}--- abstract\n{abstraction}--- map\n{map}--- certificate\n{written}"
            ));
        }
    }
    Ok(())
}

/// The number of pairs with each outcome.
fn examine(first: u64, count: u64) -> Result<Vec<(Outcome, usize)>, String> {
    let mut all: Vec<Outcome> = (first..first + count).map(compare).collect::<Result<_, _>>()?;
    all.sort_unstable();
    Ok(all.chunk_by(|a, b| a == b).map(|same| (same[0], same.len())).collect())
}

#[test]
fn refinement_agrees_with_brute_force() {
    let first = environment("CUBICLE_REFINES_SEED", 0);
    let found =
        examine(first, environment("CUBICLE_REFINES_COUNT", 60)).unwrap_or_else(|wrong| panic!("{wrong}"));
    for outcome in [Outcome::Certified, Outcome::Broken] {
        assert!(found.iter().any(|(it, count)| *it == outcome && *count >= 10), "{found:?}");
    }
}

#[test]
#[ignore = "long: 2 000 pairs"]
#[allow(clippy::print_stdout, reason = "shows the figures")]
fn refinement_agrees_with_brute_force_on_many_pairs() {
    let found =
        examine(environment("CUBICLE_REFINES_SEED", 10_000), environment("CUBICLE_REFINES_COUNT", 2_000));
    let refused = REFUSED.load(Ordering::Relaxed);
    println!("{:?}, {refused} forgeries refused", found.unwrap_or_else(|wrong| panic!("{wrong}")));
}
