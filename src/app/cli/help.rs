//! `cubicle -h`, `cubicle --help`, and `cubicle help SUBJECT`: what is asked for first comes first.

use clap::builder::StyledStr;
use clap::{Arg, ColorChoice, CommandFactory};

use super::args::{ANSWER, Args, EXIT_CODES, EXPLORE, INSTANCE, LIMITS, MODEL, PROGRAMS, PROOF, SEARCH};

/// What `cubicle -h` prints, in one screen.
pub const SHORT: &str = "\
Proves a parameterized system safe for any number of processes, or shows a run that goes wrong.

Usage: cubicle [OPTIONS] FILE       FILE is a model; `-` reads it from standard input
       cubicle COMMAND ..           `cubicle COMMAND --help` explains a command

The answer is SAFE, proved for any number of processes and checked; UNSAFE, with a run that shows it; or
UNKNOWN, with how far the proof came and what to try.

What people do next:
  cubicle --report run.html FILE            see the run that goes wrong, or the proof, as a page
  cubicle --only-forward --procs 3 FILE     explore one instance; --deadlock finds where it is stuck
  cubicle test FOLDER                       check a folder in CI, against the `TEST:` line of each model
  cubicle --certificate DIR FILE            write the proof, for `cubicle check-certificate FILE DIR`
  cubicle validate FILE LOG                 ask whether the log of a program is a run of the model

When the answer is UNKNOWN, or takes long:
  cubicle inductive FILE                    a step that the claims do not exclude, and what would
  cubicle brab 3 FILE                       a proof guided by the instance with three processes
  cubicle --time-limit 60s -j 2 FILE        limits; several threads

While you write:
  cubicle simulate FILE                     step through an instance
  cubicle fmt FILE; cubicle lint FILE       layout; parts that make no difference
  cubicle explain C0104                     what a message means

More:
  cubicle --help                            all commands and options, by subject
  cubicle help search                       orders, candidates, limits, output of the search for a proof
  cubicle help explore                      walks, restarts, stores of states, checkpoints
  cubicle man | man -l -                    the manual

Exit codes: 0 safe, 1 unsafe, 2 usage or model, 3 unknown, 4 internal error, 5 deadlock
";

/// Every command as it is written, and what it does in a few words.
pub const COMMANDS: &[(&str, &str)] = &[
    ("check-certificate FILE DIR", "check a proof that --certificate wrote"),
    ("cluster --local N -- [OPTIONS] FILE", "explore on several processes or machines"),
    ("completions SHELL", "what a shell completes"),
    ("explain [CODE]", "what a message means; without a code, all of them"),
    ("export FILE --to LANGUAGE", "an instance for Murphi, SPIN, TLC or Z3"),
    ("fmt [--check] FILE..", "lay models out"),
    ("import FILE.pyv", "a first-order model of mypyvy as a model"),
    ("inductive FILE", "is each claim inductive? a step that shows why not"),
    ("lint FILE [--deep]", "parts of a model that make no difference"),
    ("lsp", "the language server for editors"),
    ("man [DIR]", "manual pages"),
    ("mcp --folder DIR", "tools for agents, by the Model Context Protocol"),
    ("mutate FILE", "small mistakes that the `unsafe`s do not detect"),
    ("refines CONCRETE ABSTRACT --map MAP", "is each run of a model one of another?"),
    ("replay FILE TRACE", "check a trace that --trace-out wrote"),
    ("resume DIR", "go on with an exploration that --checkpoint keeps"),
    ("shrink FILE --keep WHAT -- [OPTIONS]", "a smaller model with the same symptom"),
    ("simulate FILE [TRACE]", "step through an instance"),
    ("test PATH..", "compare verdicts with the `TEST:` lines of models"),
    ("validate FILE LOG..", "is the log of a program a run of the model?"),
    ("witness FILE --transition NAME", "a run on which a transition fires"),
];

/// What `cubicle --help` prints: commands, and the options that are not for experts.
pub fn long() -> String {
    let mut text = "\
Proves a parameterized system safe for any number of processes, or shows a run that goes wrong. `cubicle -h` is
shorter; orders, candidates, walks and the like are in `cubicle help search` and `cubicle help explore`.

Usage: cubicle [OPTIONS] FILE             `-` reads the model from standard input
       cubicle brab K [OPTIONS] FILE      a proof guided by the states of K processes (algorithm BRAB)
       cubicle COMMAND ..

Commands (cubicle COMMAND --help):
"
    .to_owned();
    for (usage, about) in COMMANDS {
        text += &format!("  {usage:<37}  {about}\n");
    }
    text += &format!("\n{}\n", options(&[INSTANCE, PROOF, MODEL, ANSWER, PROGRAMS, LIMITS], false));
    text + EXIT_CODES + "\n"
}

/// What `cubicle help NAME` prints where that is a subject, and not a command.
pub fn subject(name: &str) -> Option<String> {
    let (about, heading) = match name {
        "search" | "brab" => (
            "How a proof is looked for. Without these options, searches of several kinds take turns with more and more\n\
             effort (`auto`), and the output says which one decided; `brab K` is the one that uses the states of K\n\
             processes to guess what no state satisfies. `cubicle man` and the book say more.",
            SEARCH,
        ),
        "explore" => (
            "How an instance is explored: the one of --only-forward, or the one that guides `brab K`. Without these options,\n\
             breadth first and completely, in memory.",
            EXPLORE,
        ),
        _ => return None,
    };
    Some(format!("{about}\n\n{}", options(&[heading], true)))
}

/// The options below these headings: in a line each, or with all that there is to say.
fn options(headings: &[&str], fully: bool) -> String {
    let command = Args::command().mut_args(|arg: Arg| {
        let is_shown = arg.get_help_heading().is_some_and(|it| headings.contains(&it));
        let whole = arg.get_long_help().filter(|_| fully && is_shown).cloned();
        let arg = if is_shown { arg } else { arg.hide(true) };
        match whole {
            Some(whole) => arg.help(whole),
            None => arg,
        }
    });
    let command = command.disable_help_flag(true).disable_version_flag(true).color(ColorChoice::Never);
    let text: StyledStr = command.help_template("{all-args}").render_help();
    text.to_string().trim_start().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_is_short() {
        let lines = |text: &str| (text.lines().count(), text.lines().map(|it| it.chars().count()).max());
        for (text, most) in [(SHORT, 40), (&long(), 120), (&subject("search").unwrap(), 120)] {
            let (count, widest) = lines(text);
            assert!(count <= most && widest <= Some(112), "{count} lines, {widest:?} columns:\n{text}");
        }
    }
}
