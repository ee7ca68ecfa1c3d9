//! The program: its command line, its language server and its server of tools.

mod cli;
mod lsp;
mod parent;
mod rpc;

pub use cli::{Build, last_commit, run};
