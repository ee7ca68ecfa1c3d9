//! The order in which states are visited, as the options say.

use crate::error::Unbuildable;
use crate::exhaustive::search::Search;
use crate::run::searched::SearchStats;
use cubicle_run::observer::Observer;
use cubicle_run::options::Strategy;

impl Search<'_> {
    /// Runs the strategy that the options name.
    pub fn run(&mut self, observer: &mut dyn Observer) -> Result<SearchStats, Unbuildable> {
        let complete = match self.options.strategy {
            Strategy::Dfs => self.dfs(observer)?,
            _ => self.bfs(observer)?,
        };
        Ok(self.course(complete))
    }
}
