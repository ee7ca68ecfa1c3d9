//! A model as what it means and what it says.

use crate::model::System;

/// A system, and the text of the model that it comes from. The system may have further variables or properties.
#[derive(Clone, Copy, Debug)]
pub struct ModelSource<'a> {
    /// The system.
    pub system: &'a System,
    /// The text.
    pub text: &'a str,
}

impl<'a> ModelSource<'a> {
    /// This system, which comes from this text.
    pub const fn new(system: &'a System, text: &'a str) -> Self {
        Self { system, text }
    }
}
