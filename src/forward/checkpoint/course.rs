//! What a search knows besides its states, as bytes: how often each transition fired, what was found, and how each
//! waiting state was found.

use crate::checkpoint::bytes::{Bytes, Damage, Source, put, put_words};
use crate::checkpoint::states::Valid;
use crate::program::sleep::SleepId;
use crate::run::curve::{Curve, MOST_POINTS};
use crate::run::finding::Finding;
use crate::run::findings::Findings;
use crate::run::levels::Level;
use crate::tuning::MAX_DEADLOCK_TRACES;
use cubicle_lang::model::System;
use cubicle_run::CurvePoint;

/// A breadth-first search between two levels.
#[derive(Clone, Copy, Debug)]
pub struct LevelState<'a> {
    /// Number of the first state of the level that is to be expanded.
    pub first: usize,
    /// How the states of the level were found.
    pub sleeps: &'a [SleepId],
    /// For each transition, how often it fired.
    pub fired: &'a [u64],
    pub findings: &'a Findings,
    pub curve: &'a Curve,
    /// A number left its range.
    pub numbers: bool,
}

/// Like [`LevelState`], read back from a file.
#[derive(Clone, Debug)]
pub struct Restored {
    pub fired: Vec<u64>,
    pub findings: Findings,
    pub curve: Curve,
    pub numbers: bool,
}

/// Writes it as bytes.
pub fn write(level: &LevelState<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    put(&mut bytes, level.first as u64);
    bytes.push(u8::from(level.numbers));
    put(&mut bytes, level.fired.len() as u64);
    level.fired.iter().for_each(|n| put(&mut bytes, *n));
    let (points, thinned, seen) = level.curve.parts();
    put(&mut bytes, points.len() as u64);
    for point in points {
        put(&mut bytes, point.work);
        put(&mut bytes, point.states as u64);
    }
    put(&mut bytes, thinned.into());
    put(&mut bytes, seen);
    let found = level.findings;
    for kind in [&found.bad_states, &found.deadlocks, &found.outside_deadlocks] {
        put(&mut bytes, kind.len() as u64);
        for finding in kind {
            put(&mut bytes, finding.state as u64);
            put(&mut bytes, finding.bad.map_or(0, |bad| bad as u64 + 1));
            put_words(&mut bytes, &finding.refined);
        }
    }
    put(&mut bytes, found.deadlock_states as u64);
    put(&mut bytes, found.outside_states as u64);
    put(&mut bytes, found.clean_states.len() as u64);
    let mut last = 0;
    for number in &found.clean_states {
        put(&mut bytes, (number - last) as u64);
        last = *number;
    }
    put(&mut bytes, level.sleeps.len() as u64);
    bytes.extend_from_slice(level.sleeps);
    bytes
}

/// An upper bound on the file size for a search with `states` states.
pub fn most_bytes(system: &System, valid: &Valid<'_>, states: usize) -> u64 {
    const NUMBER: u64 = 10;
    let kept = (system.bad.len() + 2 * MAX_DEADLOCK_TRACES) as u64;
    let findings = kept * (2 * NUMBER + 8 * valid.words() as u64);
    let few = NUMBER * (100 + system.transitions.len() as u64 + 2 * MOST_POINTS as u64);
    // One byte says how a state was found, and its number may be that of a deadlock.
    few + findings + (states as u64).saturating_mul(1 + NUMBER)
}

/// Number of the first waiting state, and how it and those after it were found, as far as [`read`] agrees later.
pub fn waiting(bytes: &[u8], states: usize) -> (usize, Vec<SleepId>) {
    let first = Bytes(bytes).below(states).unwrap_or(states);
    (first, bytes[bytes.len().saturating_sub(states - first)..].to_vec())
}

/// Reads the bytes back, for a search of `system` that expands this level next.
pub fn read(bytes: &[u8], system: &System, valid: &Valid<'_>, level: &Level) -> Result<Restored, Damage> {
    let mut from = Bytes(bytes);
    let states = level.states.end;
    let first = from.below(states)?;
    if first != level.states.start {
        return Err(Damage("it belongs to another level"));
    }
    let numbers = from.byte()? != 0;
    let fired = (0..from.count()?).map(|_| from.number()).collect::<Result<Vec<u64>, _>>()?;
    if fired.len() != system.transitions.len() {
        return Err(Damage("it belongs to a model with other transitions"));
    }
    let curve = curve(&mut from, level.depth, states)?;
    let findings = findings(&mut from, system, valid, states)?;
    let waiting = from.count()?;
    if waiting != states - first || waiting != from.0.len() {
        return Err(Damage("it does not say how every waiting state was found"));
    }
    Ok(Restored { fired, findings, curve, numbers })
}

fn findings(
    from: &mut Bytes<'_>,
    system: &System,
    valid: &Valid<'_>,
    states: usize,
) -> Result<Findings, Damage> {
    let mut found = Findings::new(system, valid.program);
    found.bad_states = kind(from, system, valid, states)?;
    for finding in &found.bad_states {
        let bad = finding.bad.filter(|bad| !found.bads.contains(bad));
        found.bads.push(bad.ok_or(Damage("it has a bad state twice"))?);
    }
    found.deadlocks = kind(from, system, valid, states)?;
    found.outside_deadlocks = kind(from, system, valid, states)?;
    for kind in [&found.deadlocks, &found.outside_deadlocks] {
        let in_order = kind.windows(2).all(|pair| pair[0].state < pair[1].state);
        if !in_order || kind.len() > MAX_DEADLOCK_TRACES || kind.iter().any(|finding| finding.bad.is_some()) {
            return Err(Damage("its deadlocks are not in order"));
        }
    }
    found.deadlock_states = from.below(states + 1)?;
    found.outside_states = from.below(found.deadlock_states + 1)?;
    let clean = if valid.program.cells.outside { 0 } else { found.deadlock_states };
    if from.count()? != clean {
        return Err(Damage("it does not say which states are deadlocked"));
    }
    let mut last = 0;
    for n in 0..clean {
        let distance = from.below(states - last)?;
        if n > 0 && distance == 0 {
            return Err(Damage("it has a deadlocked state twice"));
        }
        last += distance;
        found.clean_states.push(last);
    }
    Ok(found)
}

fn curve(from: &mut Bytes<'_>, level: usize, states: usize) -> Result<Curve, Damage> {
    let points = (0..from.count()?)
        .map(|_| {
            Ok(CurvePoint { work: from.number()?, states: from.below(states + 1)?, techniques: Vec::new() })
        })
        .collect::<Result<Vec<_>, Damage>>()?;
    let thinned = from.below(64)? as u32;
    let seen = from.number()?;
    whole_curve(points, thinned, seen, level)
}

/// The curve of a search that has finished this level, built from its parts.
pub fn whole_curve(points: Vec<CurvePoint>, thinned: u32, seen: u64, level: usize) -> Result<Curve, Damage> {
    let grows = points.windows(2).all(|pair| pair[0].work < pair[1].work && pair[0].states <= pair[1].states);
    // One point for each level so far.
    let ends = points.last().is_none_or(|last| last.work <= level as u64) && seen == level as u64 + 1;
    if !grows || !ends || points.len() > MOST_POINTS || thinned >= u64::BITS {
        return Err(Damage("the number of states did not grow like this"));
    }
    Ok(Curve::from_parts(points, thinned, seen))
}

fn kind(
    from: &mut Bytes<'_>,
    system: &System,
    valid: &Valid<'_>,
    states: usize,
) -> Result<Vec<Finding>, Damage> {
    (0..from.count()?)
        .map(|_| {
            let state = from.below(states)?;
            let bad = from.below(system.bad.len() + 1)?.checked_sub(1);
            let refined = from.words(valid.words())?;
            if !valid.cells(&refined) {
                return Err(Damage("it has a state that the model does not have"));
            }
            Ok(Finding { state, refined, bad })
        })
        .collect()
}
