//! `cubicle completions SHELL`: a script that completes flags, values and commands.

use std::ffi::OsString;

use clap::{Command, Parser};
use clap_complete::Shell;
use cubicle_run::interrupt::Interrupt;

use super::exit;
use super::output::Output;

/// Writes a script to standard output with which a shell completes the flags, values and commands of
/// cubicle.
///
/// bash: `cubicle completions bash > ~/.local/share/bash-completion/completions/cubicle`; zsh: into a folder
/// of `$fpath`, as `_cubicle`; fish: `~/.config/fish/completions/cubicle.fish`; elvish and powershell: into
/// a file that they read when they start.
///
/// Exit codes: 0 written; 2 there is no such shell; 4 standard output cannot be written.
#[derive(Debug, Parser)]
#[command(name = "cubicle completions")]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Runs the command on the words after `completions`; `tree` is the program with all its commands.
pub fn run(words: Vec<OsString>, mut tree: Command) -> u8 {
    let args =
        match CompletionsArgs::try_parse_from(std::iter::once("cubicle completions".into()).chain(words)) {
            Ok(args) => args,
            Err(error) => return exit::refuse(&error),
        };
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut tree, "cubicle", &mut script);
    let output = Output::new(Interrupt::default());
    output.write(&String::from_utf8_lossy(&script));
    exit::after_output(exit::OK, output.finish())
}
