//! Frame by frame, until one is inductive, a bad state is reached, or a limit is.

use super::block::Blocking;
use crate::approximation::Approximation;
use crate::cube::Halt;
use crate::search::{DriveEnd, Run, RunEnd};
use crate::theory::Sat;
use cubicle_run::{Observer, Reason};
use tracing::debug;

/// Drives a run to its end, property-directed.
pub fn drive<'a>(
    run: &mut Run<'a, '_>,
    approximation: Approximation<'a, '_>,
    observer: &mut dyn Observer,
) -> Result<DriveEnd, Halt> {
    if let Some(end) = run.refuted_assumption()? {
        return Ok(end.into());
    }
    let roots = run.take_waiting();
    for &root in &roots {
        let cube = run.state.nodes.get(root).cube.clone();
        if run.meets_init(&cube)? != Sat::No {
            // Frames block only cubes that are known not to meet init.
            let end = run.path_to_init(root, observer);
            return Ok(end.unwrap_or_else(|| run.fixpoint()).into());
        }
    }
    let mut blocking = Blocking::new(run, approximation);
    let most = blocking.run.setting.options.max_depth;
    let ended = loop {
        match blocking.deepen() {
            Ok(None) => {}
            Ok(Some(inductive)) => {
                run.close(inductive);
                return Ok(run.fixpoint().into());
            }
            Err(Halt::Spent(effort)) => break Reason::Effort(effort),
            Err(halt) => return Err(halt),
        }
        if blocking.depth() > most {
            break Reason::Depth(most);
        }
        debug!(frames = blocking.depth(), nodes = blocking.run.state.counts.nodes, "frame opened");
        let mut ended = None;
        for &root in &roots {
            ended = match blocking.block(root, observer) {
                Err(Halt::Spent(effort)) => Some(RunEnd::Unknown(Reason::Effort(effort), None).into()),
                ended => ended?,
            };
            if ended.is_some() {
                break;
            }
        }
        match ended {
            None => blocking.run.state.proved_steps = Some(blocking.depth()),
            Some(DriveEnd::Run(RunEnd::Unknown(reason @ Reason::Effort(_), _))) => break reason,
            Some(ended) => return Ok(ended),
        }
    };
    Ok(blocking.without_answer(ended, observer))
}
