//! In which order states are visited: as the options say.

use crate::forward::error::Unbuildable;
use crate::forward::exhaustive::search::Search;
use crate::forward::run::searched::Course;
use crate::observer::Observer;
use crate::options::Strategy;

impl Search<'_> {
    /// Runs the strategy that the options name.
    pub fn run(&mut self, observer: &mut dyn Observer) -> Result<Course, Unbuildable> {
        let complete = match self.options.strategy {
            Strategy::Dfs => self.dfs(observer)?,
            _ => self.bfs(observer)?,
        };
        Ok(self.course(complete))
    }
}
