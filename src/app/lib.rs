//! The program: its command line, its language server and its server of tools.

mod child;
mod cli;
mod lsp;
mod rpc;

pub use cli::{Build, last_commit, run};
