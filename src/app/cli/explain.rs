//! `cubicle explain C0102`: what a code means, with an example; without a code, all of them.

use std::ffi::OsString;
use std::io::stdout;

use clap::Parser;
use cubicle_lang::explain;
use cubicle_run::interrupt::Interrupt;

use super::output::{Output, complain};
use super::{exit, settings};

/// Explains a code such as C0102: what it means, a model that gets it, and the model fixed. Without a
/// code, lists all.
///
/// Exit codes: 0 explained; 2 there is no such code.
#[derive(Debug, Parser)]
#[command(name = "cubicle explain")]
pub struct ExplainArgs {
    /// The code
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

/// Runs the command on the words after `explain`.
pub fn run(words: impl Iterator<Item = OsString>) -> u8 {
    let args = match ExplainArgs::try_parse_from(std::iter::once("cubicle explain".into()).chain(words)) {
        Ok(args) => args,
        Err(error) => return exit::refuse(&error),
    };
    let text = match &args.code {
        None => explain::codes().map(|(code, title)| format!("{code}  {title}\n")).collect(),
        Some(code) => {
            let Some(page) = explain::page(code) else {
                complain(&format!("error: there is no code `{code}`"));
                complain(&match explain::similar(code) {
                    Some(similar) => format!("help: did you mean `{similar}`?"),
                    None => "help: `cubicle explain` lists all codes".to_owned(),
                });
                return exit::USAGE;
            };
            plain(page, settings::automatic_style(&stdout()).colored)
        }
    };
    let output = Output::new(Interrupt::default());
    output.write(&text);
    exit::after_output(exit::OK, output.finish())
}

/// A page for a terminal: models are indented, the title may be bold.
fn plain(page: &str, colored: bool) -> String {
    let mut out = String::new();
    let mut model = false;
    for line in page.lines() {
        if line.starts_with("```") {
            model = !model;
        } else if let Some(title) = line.strip_prefix("# ").filter(|_| !model) {
            out += &if colored { format!("\x1b[1m{title}\x1b[0m\n") } else { format!("{title}\n") };
        } else if model {
            out += &format!("    {line}\n");
        } else {
            out += &format!("{}\n", line.replace("\\|", "|"));
        }
    }
    out
}
