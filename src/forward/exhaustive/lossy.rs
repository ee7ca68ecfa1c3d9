//! Breadth-first search with a table of bits: storing states, and recovering the states of a run, which were not kept.

use crate::exhaustive::expand::Chunk;
use crate::exhaustive::search::Search;
use crate::store::origin::ROOT;
use cubicle_run::observer::Silent;
use cubicle_run::options::{ForwardOptions, Strategy};
use cubicle_run::result::Stop;

impl Search<'_> {
    /// Stores a state, unless it is known or mistaken for a known one; whether it was stored.
    pub fn meet_lossy(&mut self, state: &[u64], parent: u32, suspect: bool) -> bool {
        let lossy = self.visited.lossy.as_mut().expect("the caller checked it");
        let number = lossy.len();
        if number.is_multiple_of(1 << 10) && self.limits.is_over(lossy.bytes()) {
            self.limits.stop = Some(Stop::Memory);
        } else if number >= self.limits.max_states {
            // Whether the state is known makes no difference here.
            self.limits.stop = Some(self.limits.full);
        }
        if self.limits.stop.is_some() || !lossy.insert(state, parent) {
            return false;
        }
        if suspect {
            self.look_at(number, state);
        }
        true
    }

    /// Stores the successors of a chunk, in order, until a limit or a finding ends the search; true when nothing ended it.
    pub fn merge_chunk_lossy(&mut self, chunk: &Chunk) -> bool {
        let words = self.program.packing.words;
        let successors = &chunk.successors;
        let mut parent = chunk.parents();
        let mut suspects = successors.suspects.iter().map(|at| *at as usize).peekable();
        for at in 0..successors.len() {
            let from = parent(at);
            let suspect = suspects.next_if_eq(&at).is_some();
            if self.meet_lossy(successors.state(at, words), from, suspect) {
                self.sleeps.push(successors.sleep[at]);
            }
            if self.limits.stop.is_some() {
                self.cut(chunk, at, from);
                return false;
            }
        }
        true
    }

    /// Recovers the states on the ways to the findings by repeating the search and keeping them. The error is what ended
    /// it before all were found.
    pub fn find_again(&mut self) -> Result<(), Stop> {
        let Some(lossy) = &mut self.visited.lossy else { return Ok(()) };
        lossy.end();
        let ways: Vec<Vec<usize>> = self
            .findings
            .states()
            .map(|state| {
                let mut way = vec![state];
                let parent = |state: usize| Some(lossy.parent(state)).filter(|parent| *parent != ROOT);
                while let Some(parent) = parent(way[way.len() - 1]) {
                    way.push(parent as usize);
                }
                way.reverse();
                way
            })
            .collect();
        let mut wanted: Vec<usize> = ways.iter().flatten().copied().collect();
        wanted.sort_unstable();
        wanted.dedup();
        let Some(last) = wanted.last() else { return Ok(()) };
        let options = ForwardOptions {
            strategy: Strategy::Bfs,
            deadlock: false,
            stop_at_unsafe: false,
            until_fired: None,
            steep: None,
            depth: None,
            ..self.options.clone()
        };
        let limits = self.limits.rest(last + 1, self.visited.bytes());
        let mut again = Search::within(self.system, self.program, &options, limits);
        again.limits.lift();
        let table = again.visited.lossy.as_mut().expect("it is the same kind of search");
        table.want(wanted.clone());
        let ended = again.bfs(&mut Silent);
        let words = self.program.packing.words;
        let table = again.visited.lossy.as_ref().expect("it is the same kind of search");
        let kept: Vec<&[u64]> = table.kept().chunks_exact(words).collect();
        if ended.is_err() || kept.len() < wanted.len() {
            return Err(again.limits.stop.unwrap_or(Stop::Memory));
        }
        let state = |number: &usize| kept[wanted.binary_search(number).expect("all of them are wanted")];
        for (finding, way) in self.findings.states_mut().zip(&ways) {
            *finding = self.visited.put_way(way.iter().map(state));
        }
        Ok(())
    }
}
