//! Is each claim of a model inductive, alone and together with the others? If not, a counterexample: a step from a state outside
//! of all claimed cubes into one, in which constants are what init says of them. No run has to reach that state; whether one does is asked of small instances.
//!
//! # Any number of processes
//!
//! A step into a cube stays one when all processes are taken away that are neither arguments of the step nor processes of the cube: as
//! the documentation of `certificate` shows. So the instances with as many processes as both together have a counterexample when any
//! has, where there are no counts and no claim says something of all processes; then further processes are tried. That there is none is not taken from this search: `certificate` proves it.

use std::time::Duration;

use cubicle_certificate::{
    CheckOptions, Claim, NoCertificate, Obligation, ProofFailure, Subject, certify, confirm, declaration,
    explain,
};
use cubicle_check::{Checker, claimed, states_of};
use cubicle_forward::explore;
use cubicle_lang::diagnostic::Span;
use cubicle_lang::load::ModelSource;
use cubicle_lang::model::semantics::{Trace, admits};
use cubicle_lang::model::{Dnf, Forbidden, Literal, System, TransitionId, forbids_all_of};
use cubicle_run::{ForwardOptions, Interrupt, Interrupted, Options, Reason, Silent, Vacuity, Verdict};
use cubicle_solver::smt::{Path, RunStart, RunTarget, Unrolled, unroll};

/// Processes that are neither arguments of a step nor those of a cube, where they may count.
const MORE_PROCESSES: usize = 3;

/// The most cubes, each for all processes that it may name, of all questions that look for one step.
const MOST_WORK: usize = 20_000;

/// Effort of the search for runs and for a proof.
#[derive(Clone, Copy, Debug)]
pub struct InductionOptions {
    /// Proves.
    pub checker: Checker,
    /// Runs are looked for in instances of up to this many processes.
    pub procs: usize,
    /// The most states of an instance that are stored.
    pub max_states: usize,
    /// Rounds of [`BackwardMode::Auto`](cubicle_run::BackwardMode::Auto) for a proof; none without one.
    pub rounds: u32,
    /// Time limit of one solver call.
    pub timeout: Duration,
}

/// A step into a cube from a state outside of all cubes.
#[derive(Clone, Debug)]
pub struct InductionStep {
    /// The state before, and the step. The state need not be initial.
    pub step: Trace,
    /// The cube of [`System::bad`](cubicle_lang::model::SystemParts::bad) that is claimed not to hold.
    pub bad: usize,
    /// The states that it leads into.
    pub claim: Forbidden,
}

/// Whether cubes are inductive.
#[derive(Clone, Debug)]
pub enum Induction {
    /// They are: no initial state is in them, and no step leads into them. It is proved for any number of processes.
    Inductive,
    /// An initial state is in one of them; whether a step leads into one, too, is not asked.
    Initially,
    /// A step leads into one of them.
    Step(Box<InductionStep>),
    /// Not known.
    Open(Reason),
}

/// What is known of a claim: of one declaration, or of all together.
#[derive(Clone, Debug)]
pub struct ClaimFinding {
    /// The names of the declarations.
    pub names: Vec<String>,
    /// Their places.
    pub spans: Vec<Span>,
    /// Whether the claim is inductive.
    pub induction: Induction,
    /// A run to a state that the claim excludes.
    pub run: Option<Trace>,
    /// The sizes of instances in which there is no such run.
    pub without: Vec<usize>,
    /// Whether it is proved that there is no such run, for any number of processes; of one of several declarations, when that is proved of
    /// all of them.
    pub holds: bool,
    /// What is to be claimed besides, so that all together is inductive: proved. Empty where none was found or is needed.
    pub strengthening: Vec<String>,
}

/// Looks at all declarations of bad states together, then at each alone when there are several; what is known of all is the last one.
/// `tell` says what is looked at.
pub fn claims(
    model: ModelSource<'_>,
    options: &InductionOptions,
    interrupt: &Interrupt,
    tell: &dyn Fn(&str),
) -> Vec<ClaimFinding> {
    let mut declared: Vec<(String, Span)> = Vec::new();
    for bad in &model.system.bad {
        if !declared.iter().any(|(_, span)| *span == bad.span) {
            declared.push((bad.name.clone(), bad.span));
        }
    }
    declared.sort_by_key(|(_, span)| *span);
    // What holds of all together is not looked for again.
    let mut all: Option<ClaimFinding> = None;
    if declared.len() > 1 {
        all = Some(claim(&declared, None, model, options, interrupt, tell));
    }
    let mut found: Vec<ClaimFinding> = declared
        .iter()
        .map(|it| claim(std::slice::from_ref(it), all.as_ref(), model, options, interrupt, tell))
        .collect();
    found.extend(all);
    found
}

/// What is known of the claim that these declarations make together, where `all` is what is known of all declarations.
fn claim(
    declared: &[(String, Span)],
    all: Option<&ClaimFinding>,
    model: ModelSource<'_>,
    options: &InductionOptions,
    interrupt: &Interrupt,
    tell: &dyn Fn(&str),
) -> ClaimFinding {
    let (names, spans): (Vec<String>, Vec<Span>) = declared.iter().cloned().unzip();
    let claim = names.join(", ");
    tell(&format!("is {claim} inductive?"));
    let asked = Asked { model, options, interrupt, tell: &|what| tell(&format!("{claim}: {what}")) };
    let cubes: Vec<usize> =
        (0..model.system.bad.len()).filter(|at| spans.contains(&model.system.bad[*at].span)).collect();
    let mut finding = ClaimFinding {
        names,
        spans,
        induction: asked.induction(&cubes).unwrap_or_else(|Interrupted(why)| Induction::Open(*why)),
        run: None,
        without: Vec::new(),
        holds: false,
        strengthening: Vec::new(),
    };
    if !matches!(finding.induction, Induction::Inductive) && interrupt.reason().is_none() {
        finding.holds = all.is_some_and(|all| all.holds || matches!(all.induction, Induction::Inductive));
        if !finding.holds {
            asked.real(&cubes, &mut finding);
        }
    }
    finding
}

struct Asked<'a> {
    model: ModelSource<'a>,
    options: &'a InductionOptions,
    interrupt: &'a Interrupt,
    /// Says what is looked for.
    tell: &'a dyn Fn(&str),
}

impl Asked<'_> {
    /// The system with these bad cubes only.
    fn only(&self, cubes: &[usize]) -> System {
        let system = self.model.system;
        let kept = cubes.iter().map(|at| system.bad[*at].clone()).collect();
        system.edited(|parts| parts.ask(kept))
    }

    /// What the checker of certificates says, which is quick; where it refuses, a step that shows why.
    fn induction(&self, cubes: &[usize]) -> Result<Induction, Interrupted> {
        let bad = |at: usize| &self.model.system.bad[at];
        let states = |at: usize| states_of(self.model.system, bad(at)).into_iter().map(move |it| (at, it));
        let claims: Vec<(usize, Forbidden)> = cubes.iter().copied().flat_map(states).collect();
        let system = self.only(cubes);
        let outside = claimed(&system);
        let claim = Claim { cubes: &outside, ..Claim::default() };
        let how = CheckOptions::new(self.options.timeout, self.interrupt);
        let (refused, first) = match confirm(&Subject::default(), &system, &system, claim, how) {
            Ok(_) => return Ok(Induction::Inductive),
            Err(NoCertificate::Failed(ProofFailure::Refuted(Obligation::Initiation(_)), _)) => {
                return Ok(Induction::Initially);
            }
            Err(NoCertificate::Failed(ProofFailure::Stopped(why), _)) => return Ok(Induction::Open(why)),
            Err(why) => {
                let step = match &why {
                    NoCertificate::Failed(
                        ProofFailure::Refuted(Obligation::Consecution { transition, cube })
                        | ProofFailure::Undecided(Obligation::Consecution { transition, cube }, _),
                        all,
                    ) => Some((all.all[*cube].clone(), *transition)),
                    _ => None,
                };
                (explain(&why), step)
            }
        };
        Ok(match self.step(&claims, &outside, first.as_ref())? {
            Ok(step) => Induction::Step(Box::new(step)),
            Err(Some(open)) => Induction::Open(open),
            Err(None) => Induction::Open(Reason::SolverUnknown(format!(
                "no step into the claim was found, and that there is none is not shown: {refused}"
            ))),
        })
    }

    /// A step into a claim from outside of all cubes: if it can be, by the transition and into the claim that the checker names. Inside: why none is known.
    fn step(
        &self,
        claims: &[(usize, Forbidden)],
        outside: &[Forbidden],
        first: Option<&(Forbidden, usize)>,
    ) -> Result<Result<InductionStep, Option<Reason>>, Interrupted> {
        // Values that no run reaches are values of a state all the same.
        let any_state = self.model.system.edited(|parts| {
            parts.init.body = Dnf::truth();
            parts.init.without_processes = Dnf::truth();
        });
        let others = outside.iter().any(|it| !it.others.is_empty());
        let widths = |claim: usize, t: usize| {
            let (params, arity) = (usize::from(claims[claim].1.params), any_state.transitions[t].arity());
            let constants = usize::from(any_state.proc_constants);
            let more = if any_state.counts.is_empty() && !others { 0 } else { MORE_PROCESSES };
            params.max(arity).max(constants)..=params + arity + constants + more
        };
        let mut questions: Vec<(usize, usize, usize)> = (0..claims.len())
            .flat_map(|claim| (0..any_state.transitions.len()).map(move |t| (claim, t)))
            .filter(|(claim, t)| may_enter(&any_state, &claims[*claim].1, *t))
            .flat_map(|(claim, t)| widths(claim, t).map(move |procs| (procs, claim, t)))
            .collect();
        // The fewest processes first.
        questions.sort_by_key(|&(procs, claim, t)| {
            let is_named = first.is_some_and(|(cube, by)| *by == t && *cube == claims[claim].1);
            (!is_named, procs, claim, t)
        });
        let mut open = None;
        let mut left = MOST_WORK;
        for (procs, claim, t) in questions {
            // What the encoding of a question has, more or less.
            let tuples = outside.iter().map(|it| procs.saturating_pow(u32::from(it.params)));
            let Some(rest) = left.checked_sub(tuples.sum()) else {
                return Ok(Err(Some(open.unwrap_or(Reason::Effort(MOST_WORK as u64)))));
            };
            left = rest;
            let (bad, claim) = &claims[claim];
            let path = Path {
                procs,
                begin: RunStart::Outside(outside.to_vec()),
                steps: vec![(TransitionId(t as u16), None)],
                target: RunTarget::Cube(claim.clone()),
            };
            match unroll(&any_state, &path, self.options.timeout, self.interrupt)? {
                Unrolled::Run(step) => {
                    return Ok(Ok(InductionStep { step: *step, bad: *bad, claim: claim.clone() }));
                }
                Unrolled::None => {}
                Unrolled::Unknown(why) => open = Some(Reason::SolverUnknown(why)),
            }
        }
        Ok(Err(open))
    }

    /// Looks for a run, then for a proof.
    fn real(&self, cubes: &[usize], finding: &mut ClaimFinding) {
        let system = self.only(cubes);
        let limits = ForwardOptions::default().max_states(self.options.max_states);
        let sizes = (1..=self.options.procs).filter(|size| admits(&system, *size));
        for size in sizes {
            (self.tell)(&format!("looking for a run with {size} processes"));
            let seen = explore(&system, size, &limits, self.interrupt, &mut Silent).exploration;
            if let Some(run) = seen.unsafe_trace {
                finding.run = Some(run);
                return;
            }
            if seen.stop == cubicle_run::Stop::Complete {
                finding.without.push(size);
            }
        }
        if self.options.rounds == 0 {
            return;
        }
        (self.tell)("looking for further claims");
        let options =
            Options::default().only_states(true).rounds(Some(self.options.rounds)).vacuity(Vacuity::Ignore);
        // What is proposed is read from the certificate, which is checked.
        let options = options.unchecked(true);
        let checker = self.options.checker;
        let report = checker.check_on_this_thread(&system, &options, self.interrupt, &mut Silent);
        match &report.verdict {
            Some(Verdict::Unsafe(run)) => finding.run = Some((**run).clone()),
            Some(Verdict::Safe) => {
                let how = CheckOptions::new(self.options.timeout, self.interrupt);
                let certificate = certify(&system, self.model.text, Claim::of(&report), how);
                let Ok(certificate) = certificate else { return };
                finding.holds = true;
                let claimed = claimed(&system);
                let all = certificate.cubes.system();
                let ghosts = certificate.cubes.subject.tails.len();
                let new = certificate.cubes.all[..certificate.cubes.proved]
                    .iter()
                    .filter(|it| !claimed.iter().any(|known| forbids_all_of(known, it)));
                // What the language cannot write, or what is about variables of the proof, is not proposed.
                let words: Option<Vec<String>> =
                    new.map(|it| declaration(&all, it).filter(|_| is_about(&system, ghosts, it))).collect();
                finding.strengthening = words.unwrap_or_default();
            }
            _ => {}
        }
    }
}

/// Whether a transition may lead into the states of a claim from outside of them: it may change a variable of it.
fn may_enter(system: &System, claim: &Forbidden, transition: usize) -> bool {
    let t = &system.transitions[transition];
    claim.literals().flat_map(Literal::cells).any(|cell| system.may_change(t, cell.var))
}

/// Whether a cube is about nothing but the variables of a model and counts of its processes: tails, which a proof may add, come
/// between these.
fn is_about(system: &System, ghosts: usize, claim: &Forbidden) -> bool {
    let own = system.vars.len();
    claim
        .literals()
        .flat_map(Literal::cells)
        .all(|cell| !(own..own + ghosts).contains(&usize::from(cell.var.0)))
}
