//! The commands of the program besides checking a model, which needs none; a file or folder for each.

mod check_certificate;
mod cluster;
mod explain;
mod export;
mod fmt;
mod import;
mod inductive;
mod lint;
mod lsp;
mod manual;
mod mcp;
mod mutate;
mod refines;
mod replay;
mod resume;
mod shrink;
mod simulate;
mod test;
mod validate;
mod witness;

use clap::{Command, CommandFactory, Parser, Subcommand};

use crate::cli::args::Args;
use crate::cli::failure::Failure;
use crate::cli::kept::ResumeArgs;

/// A command line that begins with a command.
#[derive(Debug, Parser)]
#[command(name = "cubicle", bin_name = "cubicle", disable_help_subcommand = true)]
pub struct CommandLine {
    /// What it asks for.
    #[command(subcommand)]
    pub task: Task,
}

/// All commands, by name.
#[derive(Debug, Subcommand)]
pub enum Task {
    CheckCertificate(check_certificate::CheckCertificateArgs),
    Cluster(cluster::ClusterArgs),
    Completions(manual::CompletionsArgs),
    Explain(explain::ExplainArgs),
    Export(export::ExportArgs),
    Fmt(fmt::FmtArgs),
    Import(import::ImportArgs),
    Inductive(inductive::InductiveArgs),
    Lint(lint::LintArgs),
    Lsp(lsp::LspArgs),
    Man(manual::ManualArgs),
    Mcp(mcp::McpArgs),
    Mutate(mutate::MutateArgs),
    Refines(refines::RefinesArgs),
    Replay(replay::ReplayArgs),
    Resume(ResumeArgs),
    Shrink(shrink::ShrinkArgs),
    Simulate(simulate::SimulateArgs),
    Test(test::TestArgs),
    Validate(validate::ValidateArgs),
    Witness(witness::WitnessArgs),
}

impl Task {
    /// Does it; the exit code.
    pub fn run(self) -> u8 {
        let ended = match self {
            Self::CheckCertificate(words) => Ok(check_certificate::run(words)),
            Self::Cluster(args) => Ok(cluster::run(args)),
            Self::Completions(args) => Ok(manual::complete(args, tree())),
            Self::Explain(args) => explain::run(args),
            Self::Export(args) => export::run(args),
            Self::Fmt(args) => Ok(fmt::run(args)),
            Self::Import(args) => import::run(args),
            Self::Inductive(args) => Ok(inductive::run(args)),
            Self::Lint(args) => Ok(lint::run(args)),
            Self::Lsp(_) => lsp::run(),
            Self::Man(args) => manual::run(args, tree()),
            Self::Mcp(args) => mcp::run(args),
            Self::Mutate(args) => Ok(mutate::run(args)),
            Self::Refines(args) => Ok(refines::run(args)),
            Self::Replay(args) => Ok(replay::run(args)),
            Self::Resume(args) => resume::run(args),
            Self::Shrink(args) => Ok(shrink::run(args)),
            Self::Simulate(args) => simulate::run(args),
            Self::Test(args) => Ok(test::run(args)),
            Self::Validate(args) => Ok(validate::run(args)),
            Self::Witness(args) => Ok(witness::run(args)),
        };
        ended.unwrap_or_else(|failure: Failure| failure.complain())
    }

    /// Whether it reads models on the calling thread, which then needs a stack for any model.
    pub const fn needs_stack(&self) -> bool {
        matches!(self, Self::Export(_) | Self::Fmt(_) | Self::Import(_) | Self::Lsp(_) | Self::Simulate(_))
    }
}

/// Whether a command writes a document where it is asked for.
pub fn has_document(name: &str) -> bool {
    let tree = CommandLine::command();
    tree.find_subcommand(name).is_some_and(|it| it.get_arguments().any(|arg| arg.get_id() == "format"))
}

/// The words that mean a command, by name, including those without their own entry.
pub fn names() -> Vec<String> {
    let tree = CommandLine::command();
    let mut names: Vec<_> = tree.get_subcommands().map(|it| it.get_name().to_owned()).collect();
    names.extend(["brab", "help"].map(str::to_owned));
    names.sort_unstable();
    names
}

/// The program with all its commands, as completions and manual pages describe it.
fn tree() -> Command {
    let commands = CommandLine::command();
    Args::command().subcommands(commands.get_subcommands().cloned()).disable_help_subcommand(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::help::COMMANDS;

    #[test]
    fn commands_are_sorted_and_in_the_help() {
        let names: Vec<String> = tree().get_subcommands().map(|it| it.get_name().to_owned()).collect();
        let listed = COMMANDS.iter().filter_map(|(usage, _)| usage.split(' ').next());
        assert!(names.is_sorted());
        assert_eq!(names, listed.collect::<Vec<_>>());
    }

    #[test]
    fn usage_does_not_depend_on_the_name_of_the_file() {
        let error = CommandLine::try_parse_from(["cubicle-1.0", "lint"]).expect_err("a model is missing");
        assert!(error.to_string().contains("Usage: cubicle lint <FILE>"), "{error}");
    }

    #[test]
    fn the_command_trees_are_valid() {
        tree().debug_assert();
        CommandLine::command().debug_assert();
    }
}
