//! The names of what a monitor adds to a model.

/// The variables of the monitor of a property of runs, by name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MonitorPlan {
    /// The property.
    pub property: String,
    /// The phase that it is in.
    pub phase: String,
    /// Copies, each with the variable that it is a copy of.
    pub copies: Vec<(String, String)>,
    /// Declarations of fairness that are kept track of.
    pub followed: Vec<FollowedFairness>,
}

/// The variables for one declaration of fairness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FollowedFairness {
    /// Its number among those of the model, from 0.
    pub fairness: usize,
    /// Whether its step was taken, or not possible.
    pub done: String,
    /// Of strong fairness: whether its step is never to be possible.
    pub never: Option<String>,
    /// For observed processes: whether another process blocked its step, and which one.
    pub hindered: Vec<(String, String)>,
}
