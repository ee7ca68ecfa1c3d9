//! Completions of the word that is being typed.

use super::command::words;
use super::look::transition_names;
use super::session::Simulation;
use cubicle_lang::words::processes;

impl Simulation<'_> {
    /// The start of the word that ends at byte `at` of `line`, and its completions.
    pub fn complete(&self, line: &str, at: usize) -> (usize, Vec<String>) {
        let line = line.get(..at).unwrap_or(line);
        let ends_word = |c: char| !c.is_ascii_alphanumeric() && !"_#[".contains(c);
        let start =
            line.char_indices().rev().find(|&(_, c)| ends_word(c)).map_or(0, |(i, c)| i + c.len_utf8());
        let (before, word) = line.split_at(start);
        let system = self.instance.system;
        let transitions = || transition_names(system).into_iter().map(|name| format!("{name}("));
        let cells = || {
            let shown = self.instance.shown.iter();
            let whole = shown.flat_map(|cell| [cell.name.clone(), cell.title.clone()]);
            let declared = self.instance.declared.iter();
            declared.map(|cell| self.instance.cells[*cell].1.clone()).chain(whole)
        };
        let mut all: Vec<String> = match before.split_whitespace().next() {
            None => words().map(str::to_owned).chain(transitions()).collect(),
            Some("step" | "why") => transitions().collect(),
            Some("watch" | "unwatch" | "fix" | "free" | "until" | "find" | "holds") => {
                let constructors = system.enums.iter().flat_map(|ty| ty.constructors.iter().cloned());
                cells().chain(constructors).collect()
            }
            Some("help") => words().map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        if word.starts_with('#') {
            all = (0..self.instance.procs).map(|process| processes(&[process])).collect();
        }
        all.retain(|candidate| candidate.starts_with(word));
        all.sort_unstable();
        all.dedup();
        (start, all)
    }
}
