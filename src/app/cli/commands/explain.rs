//! `cubicle explain C0102`: what a code means, with an example; without a code, all of them.

use cubicle_lang::explain;

use crate::cli::failure::after_text;
use crate::cli::output::complain;
use crate::cli::{exit, settings};

/// Explains a code such as C0102: what it means, a model that gets it, and the model fixed. Without a
/// code, lists all.
///
/// Exit codes: 0 explained; 2 there is no such code.
#[derive(Debug, clap::Args)]
pub struct ExplainArgs {
    /// The code
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

pub fn run(args: ExplainArgs) -> u8 {
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
            plain(page, settings::result_style().colored)
        }
    };
    after_text(&text)
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
