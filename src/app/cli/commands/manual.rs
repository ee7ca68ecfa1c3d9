//! What is made from what reads the command line: `cubicle man [DIR]`, manual pages, and `cubicle completions SHELL`, a script that
//! completes flags, values and commands.

use std::path::PathBuf;

use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::cli::failure::{Failure, after_text};
use crate::cli::{exit, files, outputs};

/// Writes the manual page of cubicle to standard output; with DIR, that of each command into a folder:
/// `cubicle.1`, `cubicle-replay.1`, ..
///
/// `cubicle man | man -l -` shows it; `cubicle man ~/.local/share/man/man1` lets `man cubicle` find all.
///
/// Exit codes: 0 written; 2 wrong usage; 4 it cannot be written.
#[derive(Debug, clap::Args)]
pub struct ManualArgs {
    /// The folder; made when it is missing
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

/// Runs the command; `tree` is the program with all its commands.
pub fn run(args: ManualArgs, tree: Command) -> Result<u8, Failure> {
    let Some(folder) = args.folder else {
        return Ok(after_text(&page(tree)));
    };
    files::make_folder(&folder)?;
    pages(tree).iter().try_for_each(|(name, text)| outputs::write_own(&folder.join(name), text))?;
    Ok(exit::OK)
}

/// All pages with the names of their files.
fn pages(mut tree: Command) -> Vec<(String, String)> {
    // Gives the commands the names by which they are called.
    tree.build();
    let named = |command: &Command| {
        let name = command.get_display_name().unwrap_or_else(|| command.get_name());
        (format!("{name}.1"), page(command.clone()))
    };
    std::iter::once(&tree).chain(tree.get_subcommands()).map(named).collect()
}

fn page(command: Command) -> String {
    let mut text = Vec::new();
    // Writing to memory cannot fail. No date: the same program, the same page.
    let _ = Man::new(command).render(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

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
pub fn complete(args: CompletionsArgs, mut tree: Command) -> u8 {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut tree, "cubicle", &mut script);
    after_text(&String::from_utf8_lossy(&script))
}
