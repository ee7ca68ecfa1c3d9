//! `cubicle explain C0102`: what a code means, with an example; without a code, all of them.

use cubicle_lang::explain;

use crate::cli::failure::{Failure, after_text};
use crate::cli::settings;

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

pub fn run(args: ExplainArgs) -> Result<u8, Failure> {
    let text = explained(args.code.as_deref(), "`cubicle explain` lists all codes")?;
    Ok(after_text(&args.code.map_or(text.clone(), |_| plain(&text, settings::result_style().colored))))
}

/// The page of a code, or the titles of all; `otherwise` says how to get those.
pub fn explained(code: Option<&str>, otherwise: &str) -> Result<String, Failure> {
    let Some(code) = code else {
        return Ok(explain::codes().map(|(code, title)| format!("{code}  {title}\n")).collect());
    };
    explain::page(code).map(str::to_owned).ok_or_else(|| {
        let similar = explain::similar(code).map(|similar| format!("did you mean `{similar}`?"));
        Failure::usage(format!("there is no code `{code}`"))
            .help(similar.unwrap_or_else(|| otherwise.to_owned()))
    })
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
