//! The program: its command line and its language server.

mod cli;
mod lsp;

pub use cli::{Build, last_commit, run};
