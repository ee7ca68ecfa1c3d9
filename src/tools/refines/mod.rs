//! A refinement that fails, in the words of both models: the concrete run, the abstract run beside it, and why no abstract step
//! explains the last one. All of it is computed by the reference semantics of both models and the meaning of the map, so that no
//! run is reported that they do not have.

mod image;

pub use self::image::{AbstractRun, ImageReader};

use cubicle_lang::model::semantics::{Semantics, State, Step, Trace, Value, replay_steps, tuples};
use cubicle_lang::model::{System, TransitionId, VarId};
use cubicle_transform::refines::Refinement;

/// A run of the concrete model that the abstract one does not explain.
#[derive(Clone, Debug)]
pub struct BrokenRefinement {
    /// The run; its `bad` says nothing. Its last step is not a step of the abstract model; or it has no step, and its state is not initial.
    pub run: Trace,
    /// The abstract run beside it.
    pub beside: AbstractRun,
    /// Why the last step, or the initial state, is not one of the abstract model.
    pub why: Vec<String>,
}

/// What a run of a derived system shows. `Err` when the models do not confirm it: a bug of this program.
///
/// # Errors
/// What is not confirmed.
pub fn explain(
    refinement: &Refinement,
    concrete: &System,
    abstraction: &System,
    found: &Trace,
) -> Result<BrokenRefinement, String> {
    let semantics = Semantics::new(concrete, found.initial.procs);
    let own = found.clone().within(concrete);
    let mut run = Trace::begin(own.initial);
    let reader = ImageReader::new(&refinement.map, concrete, abstraction, found.initial.procs);
    for step in own.steps {
        let before = run.last().clone();
        if usize::from(step.transition.0) < concrete.transitions.len() {
            let explained = !reader.images(&before, &step).is_empty();
            run.steps.push(step);
            if explained {
                continue;
            }
            // A run may go on after the first step that fails.
            break;
        }
        let copy = refinement.steps.transition(step.transition);
        let first = concrete.next_origin();
        let chosen = |var: VarId| {
            let constant = refinement.chosen.iter().find(|(known, _)| *known == var)?;
            let layout = cubicle_lang::model::semantics::Layout::new(&refinement.steps, before.procs);
            Some(found.initial.values[layout.position(constant.1, [])])
        };
        let unexplained = successors(&semantics, copy.origin - first, &before, &chosen)
            .find(|step| reader.images(&before, step).is_empty());
        run.steps.push(unexplained.ok_or("every step of the concrete model is one of the abstract model")?);
        break;
    }
    replay_steps(concrete, &run).map_err(|why| why.to_string())?;
    let beside = reader.beside(&run)?;
    let why = match run.steps.last() {
        Some(last) => {
            let why = reader.why_not(run.state(run.steps.len() - 1), last, &beside.names(abstraction));
            if why.is_empty() { None } else { Some(why) }
        }
        None => reader.not_initial(&run.initial),
    };
    let why = why.ok_or("the abstract model explains the whole run")?;
    Ok(BrokenRefinement { run, beside, why })
}

/// The steps of a declaration from a state. Variables with `:= ?` get the chosen value, or keep theirs where it does not matter.
fn successors<'a>(
    semantics: &'a Semantics<'a>,
    origin: u16,
    before: &'a State,
    chosen: &'a dyn Fn(VarId) -> Option<Value>,
) -> impl Iterator<Item = Step> + 'a {
    let system = semantics.system();
    let parts = (0..).map(TransitionId).zip(&system.transitions).filter(move |(_, it)| it.origin == origin);
    parts.flat_map(move |(transition, it)| {
        let kept = semantics.chosen(transition, before);
        let values: Vec<Value> = it.open().zip(kept).map(|(var, kept)| chosen(var).unwrap_or(kept)).collect();
        tuples(before.procs, it.arity()).filter_map(move |args| {
            let enabled = semantics.enabled(before, transition, &args) == Some(true);
            let after = enabled.then(|| semantics.fire(before, transition, &args, &values)).flatten()?;
            Some(Step { transition, args, after })
        })
    })
}
