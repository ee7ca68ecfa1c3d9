//! The language server: the protocol of editors on standard input and output.
//!
//! Everything that it says about a model comes from `load`, `index` and `format`. It runs no engine: to prove, it starts
//! the program again, and only when its user asks for that. It writes no file.

mod actions;
mod claims;
mod completion;
mod document;
mod hover;
mod outline;
mod positions;
mod prove;
mod server;

pub use self::server::LanguageServer;
