//! `cubicle completions SHELL`: a script that completes flags, values and commands.

use clap::Command;
use clap_complete::Shell;

use crate::cli::failure::after_text;

/// Writes a script to standard output with which a shell completes the flags, values and commands of
/// cubicle.
///
/// bash: `cubicle completions bash > ~/.local/share/bash-completion/completions/cubicle`; zsh: into a folder
/// of `$fpath`, as `_cubicle`; fish: `~/.config/fish/completions/cubicle.fish`; elvish and powershell: into
/// a file that they read when they start.
///
/// Exit codes: 0 written; 2 there is no such shell; 4 standard output cannot be written.
#[derive(Debug, clap::Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Runs the command; `tree` is the program with all its commands.
pub fn run(args: CompletionsArgs, mut tree: Command) -> u8 {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut tree, "cubicle", &mut script);
    after_text(&String::from_utf8_lossy(&script))
}
