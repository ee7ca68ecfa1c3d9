//! BRAB: a run that replaces each node by a cube that no forward state satisfies, where there is one
//! (Conchon et al., FMCAD 2013). Without approximation it is classical backward reachability.

use crate::approximation::Approximation;
use crate::cube::Halt;
use crate::search::{DriveEnd, Next, Run, RunEnd};
use crate::tuning::{QUESTIONS_PER_EFFORT, WIDE_PROCS};
use cubicle_run::{Observer, Reason};

/// Drives a run to its end, replacing nodes by candidates where the method asks for it.
pub fn drive(
    run: &mut Run<'_, '_>,
    mut approximation: Option<Approximation<'_, '_>>,
    observer: &mut dyn Observer,
) -> Result<DriveEnd, Halt> {
    loop {
        let next = match run.next(observer) {
            Err(Halt::Spent(effort)) => Next::End(RunEnd::Unknown(Reason::Effort(effort), None)),
            next => next?,
        };
        let mut id = match next {
            Next::Node(id) => id,
            Next::End(end) => {
                if let (Some(approximation), RunEnd::Unknown(reason, _)) = (&mut approximation, &end) {
                    let spent = matches!(reason, Reason::Effort(_));
                    if spent && let Some(end) = approximation.close(run, observer) {
                        return Ok(end);
                    }
                    let may_help = spent || matches!(reason, Reason::Depth(_));
                    if may_help && let Some(end) = approximation.look_at_last(run, spent, observer) {
                        return Ok(end);
                    }
                }
                return Ok(match end {
                    // Candidates are better chosen anew, with the states seen by then.
                    RunEnd::Unknown(Reason::Effort(effort), _) if approximation.is_none() => {
                        DriveEnd::Paused(effort)
                    }
                    end => DriveEnd::Run(end),
                });
            }
        };
        if let Some(approximation) = &mut approximation
            && let Some(end) = approximation.look_around(run, id, true, observer)
        {
            return Ok(end);
        }
        run.report(id, observer);
        let before = run.effort();
        if let Some(approximation) = &mut approximation {
            let asked = approximation.pool.asked / QUESTIONS_PER_EFFORT;
            let exact = id;
            id = approximation.replace(run, exact, observer)?;
            let cases = if id == exact { approximation.cases(run, exact)? } else { Vec::new() };
            if id != exact {
                run.tell_candidate(id, exact, observer);
            }
            run.totals.effort += approximation.pool.asked / QUESTIONS_PER_EFFORT - asked;
            if !cases.is_empty() {
                run.split(exact, cases, observer);
                run.totals.effort += 1;
                continue;
            }
            if id == exact
                && let Some(number) = approximation.diverging(run, id)
            {
                return Ok(RunEnd::Candidate(number, None).into());
            }
        }
        if let Some(reason) = run.expand(id, observer)? {
            return Ok(DriveEnd::Run(RunEnd::Unknown(reason, None)));
        }
        let beyond = u64::from(run.state.nodes.get(id).cube.procs.saturating_sub(WIDE_PROCS));
        run.totals.effort += 1 + run.effort() - before + beyond.pow(3);
    }
}
