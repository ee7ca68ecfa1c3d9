//! Rankings of properties of runs that are found: why a promise is kept, for any number of processes.
//!
//! Small instances show in which states a property waits, and the steps from there (`sample`). Of many small formulas (`candidates`), those are
//! measures that never rise in such a step unless one of a lower level falls; a fair step that lowers one each time, and stays possible until then, helps (`choose`).
//! What a ranking has to satisfy is a question about bad states of a derived system, for the usual searches. That system is made by the checker
//! itself (`cubicle_certificate::ranked`), which has the theorem; nothing that is seen or chosen here is believed.

mod candidates;
mod choose;
mod sample;

use super::auto;
use super::session::Session;
use super::tuning::RUN_PROCS;
use candidates::{cell, difference};
use choose::Chooser;
use cubicle_certificate::{ranked, ranking_words};
use cubicle_lang::diagnostic::Span;
use cubicle_lang::model::semantics::admits;
use cubicle_lang::model::{
    Conj, Least, Literal, ProcRef, Ranking, Relation, System, Temporal, TemporalKind, Transition, Type,
    Universal, Update, VarId, VarKind, negated, rename,
};
use cubicle_run::{Event, RunsPlan, RunsProof, Trace, Unproved, Verdict};
use cubicle_transform::has_name;
use sample::Sample;
use tracing::info;

/// How often rankings are chosen again, after runs in which those before fail.
const ATTEMPTS: usize = 16;

/// How many steps with strong fairness may each depend on the next one to be possible again and again.
const STRONG: u8 = 2;

/// Proves a property by a ranking. `failed` gets the numbers of processes with which one that was tried fails.
///
/// # Errors
/// None was found that can be proved, for this reason.
pub fn proof(
    session: &mut Session<'_>,
    property: &Temporal,
    failed: &mut Vec<usize>,
) -> Result<RunsProof, Unproved> {
    let system = session.system;
    if !matches!(property.kind, TemporalKind::Response | TemporalKind::Recurrence) {
        return Err(Unproved::Unranked(format!("it is a `{}`", property.kind.word())));
    }
    if system.failures.is_some() {
        return Err(Unproved::Unranked("processes may fail".to_owned()));
    }
    session.tell(Event::Work { what: "looking for a ranking" });
    let least = property.params.len().max(usize::from(system.proc_constants));
    let sizes = (least..=RUN_PROCS.max(least)).filter(|procs| admits(system, *procs));
    let mut sample = Sample::new(session, property, sizes);
    for _ in 0..ATTEMPTS {
        let progress = Chooser::new(&sample).progress(STRONG);
        let progress = progress.map_err(|stuck| Unproved::NoRanking(Some(sample.words(stuck))))?;
        let mut runs = Vec::new();
        for progress in progress {
            if session.interrupt.reason().is_some() {
                break;
            }
            let ranking = Ranking { property: property.name.clone(), failed: fresh(system), progress };
            info!(?ranking, "tried");
            session.tell(Event::Work { what: "proving that a ranking falls" });
            match proved(session, &sample, ranking) {
                Ok(proof) => return Ok(proof),
                Err(run) => runs.extend(run),
            }
        }
        if runs.is_empty() {
            break;
        }
        for run in &runs {
            failed.push(run.initial.procs);
            sample.learn(run);
        }
    }
    Err(Unproved::NoRanking(None))
}

/// A name for the flag that the model does not use.
fn fresh(system: &System) -> String {
    let mut names =
        std::iter::once("Failed".to_owned()).chain((1..).map(|number| format!("Failed_{number}")));
    names.find(|name| !has_name(system, name)).expect("there are endlessly many names")
}

/// The proof that a ranking is one; else a run to a state where it fails, if there is one.
fn proved(session: &Session<'_>, sample: &Sample<'_>, ranking: Ranking) -> Result<RunsProof, Option<Trace>> {
    let system = ranked(session.system, &ranking).map_err(|why| {
        info!(?why, "the ranking has no system");
        None
    })?;
    let hints = ranking.progress.least.as_ref().map_or_else(Vec::new, |least| hints(sample, least));
    let failed = VarId::new(session.system.vars.len()).ok_or(None)?;
    let system = system.edited(|parts| {
        let origin = parts.next_origin();
        for (number, (guard, body)) in (0..).zip(hints) {
            parts.transitions.push(claimed(parts.bad[0].span, failed, origin + number, guard, body));
        }
    });
    // What the proof of safety found helps here, too.
    let proof = session.report.backward.as_ref().filter(|it| it.verdict == Verdict::Safe);
    let known = |literal: &Literal| {
        literal.cells().iter().all(|it| usize::from(it.var.0) < session.system.vars.len())
    };
    let cubes = proof.map_or(&[][..], |it| &it.invariant);
    let proposed = cubes.iter().filter(|it| it.literals().all(known)).cloned().collect();
    let because = ranking_words(session.system, &ranking);
    let proof = auto::prove_derived(session, system, proposed, RunsPlan::Ranking(ranking), because);
    proof.map_err(|verdict| {
        if let Verdict::Unsafe(trace) = verdict {
            info!(procs = trace.initial.procs, "the ranking fails");
            return Some(*trace);
        }
        info!(?verdict, "the ranking is not proved");
        None
    })
}

/// That a state is bad in which a process satisfies the guard and all others the body.
fn claimed(span: Span, failed: VarId, origin: u16, guard: Conj, body: Vec<Conj>) -> Transition {
    Transition {
        origin,
        universals: vec![Universal::derived(1, body, span)],
        updates: vec![Update::setting(failed)],
        ..Transition::derived(format!("gap_{origin}"), vec!["p1".to_owned()], guard, span)
    }
}

/// Where elements are ordered by numbers, that these follow each other: an element has its number in common with a global, or another element has the
/// number before it. A search does not find that by itself.
fn hints(sample: &Sample<'_>, least: &Least) -> Vec<(Conj, Vec<Conj>)> {
    let system = sample.system;
    let [among] = &least.among[..] else { return Vec::new() };
    let [before] = &least.before[..] else { return Vec::new() };
    let [Literal::Linear { expr, .. }] = &before[..] else { return Vec::new() };
    let params = sample.params;
    let Some(array) = expr.terms.first().map(|it| it.0.var) else { return Vec::new() };
    if expr.terms.iter().any(|it| it.0.var != array) {
        return Vec::new();
    }
    let globals = system.declared().filter(|(_, it)| it.kind == VarKind::Global && it.ty == Type::Int);
    let of = |p: u8| move |it: ProcRef| if it == ProcRef::Var(params) { ProcRef::Var(p) } else { it };
    let mut found = Vec::new();
    for (global, _) in globals {
        let number = |relation, left: &_, right: &_, more| Literal::Linear {
            expr: difference(left, right, more),
            relation,
            integer: true,
        };
        let own = |p: u8| rename::conj(among, &of(p)).flatten();
        let (Some(mut guard), Some(other)) = (own(0), own(1)) else { continue };
        guard.push(number(Relation::Ne, &cell(array, &[0]), &cell(global, &[]), 0));
        let mut body: Vec<Conj> =
            other.iter().filter_map(|it| negated(system, it)).map(|it| vec![it]).collect();
        body.push(vec![number(Relation::Ne, &cell(array, &[1]), &cell(array, &[0]), 1)]);
        let holds = sample.instances.iter().all(|instance| {
            let layout = instance.semantics.layout();
            instance.states.iter().all(|state| {
                (0..layout.procs).all(|p| {
                    let is = |conj: &Conj, procs: &[usize]| {
                        let env = cubicle_lang::model::semantics::Env { layout, state, procs };
                        env.conj(conj) == Some(true)
                    };
                    let mut others = (0..layout.procs).filter(|q| *q != p);
                    !is(&guard, &[p]) || others.any(|q| !body.iter().any(|it| is(it, &[p, q])))
                })
            })
        });
        if holds {
            found.push((guard, body));
        }
    }
    found
}
