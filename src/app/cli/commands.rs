//! The commands of the program besides checking a model, which needs none: one table for calling them, for
//! the help about an unknown one, for completions and for manual pages.

use std::ffi::OsString;

use clap::{Command, CommandFactory};

use super::args::Args;
use super::{
    certificate, cluster, completions, explain, export, fmt, lint, lsp, manual, mutate, replay, resume,
    shrink, simulate, witness,
};

/// A command with a word of its own.
pub struct Subcommand {
    /// The word.
    pub name: &'static str,
    /// How its command line is read.
    pub parser: fn() -> Command,
    /// Runs it on the words after its name; the exit code.
    pub run: fn(Vec<OsString>) -> u8,
    /// Whether it reads models on the calling thread, which then needs a stack for any model.
    pub needs_stack: bool,
}

/// All of them, by name.
pub const ALL: &[Subcommand] = &[
    Subcommand {
        name: "check-certificate",
        parser: certificate::Words::command,
        run: |words| certificate::run(words.into_iter()),
        needs_stack: false,
    },
    Subcommand {
        name: "cluster",
        parser: cluster::ClusterArgs::command,
        run: cluster::run,
        needs_stack: false,
    },
    Subcommand {
        name: "completions",
        parser: completions::CompletionsArgs::command,
        run: |words| completions::run(words, tree()),
        needs_stack: false,
    },
    Subcommand {
        name: "explain",
        parser: explain::ExplainArgs::command,
        run: |words| explain::run(words.into_iter()),
        needs_stack: false,
    },
    Subcommand { name: "export", parser: export::ExportArgs::command, run: export::run, needs_stack: true },
    Subcommand { name: "fmt", parser: fmt::FmtArgs::command, run: fmt::run, needs_stack: true },
    Subcommand { name: "lint", parser: lint::LintArgs::command, run: lint::run, needs_stack: false },
    Subcommand { name: "lsp", parser: lsp::LspArgs::command, run: lsp::run, needs_stack: true },
    Subcommand {
        name: "man",
        parser: manual::ManualArgs::command,
        run: |words| manual::run(words, tree()),
        needs_stack: false,
    },
    Subcommand { name: "mutate", parser: mutate::MutateArgs::command, run: mutate::run, needs_stack: false },
    Subcommand {
        name: "replay",
        parser: replay::ReplayArgs::command,
        run: |words| replay::run(words.into_iter()),
        needs_stack: false,
    },
    Subcommand { name: "resume", parser: resume::ResumeArgs::command, run: resume::run, needs_stack: false },
    Subcommand { name: "shrink", parser: shrink::ShrinkArgs::command, run: shrink::run, needs_stack: false },
    Subcommand {
        name: "simulate",
        parser: simulate::SimulateArgs::command,
        run: |words| simulate::run(words.into_iter()),
        needs_stack: true,
    },
    Subcommand {
        name: "witness",
        parser: witness::WitnessArgs::command,
        run: witness::run,
        needs_stack: false,
    },
];

/// The command of this name.
pub fn find(name: &str) -> Option<&'static Subcommand> {
    ALL.iter().find(|command| command.name == name)
}

/// The words that mean a command, by name, including those without their own entry.
pub fn names() -> impl Iterator<Item = &'static str> + Clone {
    let mut names: Vec<_> = ALL.iter().map(|command| command.name).chain(["brab", "help"]).collect();
    names.sort_unstable();
    names.into_iter()
}

/// The program with all its commands, as completions and manual pages describe it.
pub fn tree() -> Command {
    let commands = ALL.iter().map(|command| (command.parser)().name(command.name));
    Args::command().subcommands(commands).disable_help_subcommand(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_sorted_and_in_the_usage() {
        assert!(ALL.is_sorted_by_key(|command| command.name));
        let usage = Args::command().render_usage().to_string();
        for command in ALL {
            assert!(usage.contains(&format!("cubicle {} ", command.name)), "{} in\n{usage}", command.name);
        }
    }

    #[test]
    fn the_command_tree_is_valid() {
        tree().debug_assert();
    }
}
