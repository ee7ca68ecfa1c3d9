//! Mutants for idle processes: process 0 hands out their numbers, and gets an answer for each.

use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::Duration;

use super::meeting::{Incoming, Meeting};
use cubicle_run::Interrupt;
use cubicle_run::workers::locked;

/// How often to check whether the run must end while others work.
const PATIENCE: Duration = Duration::from_millis(50);
/// Bytes of the number of a mutant.
const NUMBER: usize = 8;

/// Hands out the mutants that `next` gives to `workers` of each other process, and passes their answers to `put`, which
/// returns whether they are valid. Ends when `next` has no more and all are answered, or the run must end.
pub fn deal(
    meeting: &Meeting,
    workers: usize,
    next: &dyn Fn() -> Option<usize>,
    put: &dyn Fn(usize, &[u8]) -> bool,
) {
    let (_, processes) = meeting.place();
    // What each process works on.
    let mut out: Vec<Vec<u64>> = vec![Vec::new(); processes];
    let give = |out: &mut Vec<Vec<u64>>, to: usize| {
        let Some(mutant) = next() else { return };
        out[to].push(mutant as u64);
        meeting.say(to, &(mutant as u64).to_le_bytes());
    };
    for _ in 0..workers {
        for to in meeting.others() {
            give(&mut out, to);
        }
    }
    while out.iter().any(|mutants| !mutants.is_empty()) && !meeting.is_over() {
        let (from, answer) = match meeting.hear(PATIENCE) {
            Some(Incoming::Message(from, answer)) => (from, answer),
            // No process ends before process 0 does.
            Some(Incoming::Ended(from)) => return meeting.protocol_error(from),
            None => continue,
        };
        let (number, answer) = answer.split_at(NUMBER.min(answer.len()));
        let number = number.try_into().map(u64::from_le_bytes).ok();
        let place = number.and_then(|number| out[from].iter().position(|mutant| *mutant == number));
        let Some(place) = place else { return meeting.protocol_error(from) };
        let mutant = out[from].swap_remove(place);
        if !put(mutant as usize, answer) {
            return meeting.protocol_error(from);
        }
        give(&mut out, from);
    }
}

/// Answers with `work` for each mutant that process 0 hands out, on `workers` threads built by `worker`. When there are no
/// more, calls `over`, and the interrupt ends the mutants under way.
pub fn help(
    meeting: &Meeting,
    workers: usize,
    worker: &dyn Fn() -> thread::Builder,
    interrupt: &Interrupt,
    work: &(dyn Fn(usize) -> Vec<u8> + Sync),
    over: &dyn Fn(),
) {
    let (give, take) = mpsc::channel::<u64>();
    let take = Mutex::new(take);
    let next = || locked(&take).recv().ok();
    let works = || {
        while let Some(mutant) = next() {
            let answer = work(mutant as usize);
            if interrupt.reason().is_none() {
                meeting.say(0, &[&mutant.to_le_bytes()[..], &answer].concat());
            }
        }
    };
    thread::scope(|scope| {
        // Fewer threads only take longer.
        let begun = (0..workers).filter_map(|_| worker().spawn_scoped(scope, works).ok()).count();
        if begun == 0 {
            meeting.fail(format!("process {} cannot start a thread", meeting.place().0));
        }
        while let Some(mutant) = receive(meeting) {
            match mutant.try_into().map(u64::from_le_bytes) {
                Ok(mutant) => drop(give.send(mutant)),
                Err(_) => meeting.protocol_error(0),
            }
        }
        over();
        interrupt.expire();
        drop(give);
    });
}

/// The next message of process 0; `None` when there are no more, or the run must end.
pub fn receive(meeting: &Meeting) -> Option<Vec<u8>> {
    while !meeting.is_over() {
        match meeting.hear(PATIENCE) {
            Some(Incoming::Message(0, message)) => return Some(message),
            Some(Incoming::Ended(0)) => return None,
            _ => {}
        }
    }
    None
}
