//! What is written on standard output, a file for each format: `plain` for people, `classic` as the original
//! program writes, `answer` for `--quiet`, `machine` for programs. `printer` has what they share.

mod answer;
mod classic;
mod machine;
mod plain;
mod printer;

use std::io::stdout;
use std::sync::Arc;

use self::answer::AnswerPrinter;
use self::classic::Classic;
use self::machine::Machine;
use self::plain::Plain;
pub use self::printer::{Finished, Printer};
use super::args::Args;
use super::ending::Ending;
use super::settings::{self, Results};

/// The printer that `args` ask for. `ending` owns standard output.
pub fn choose(args: &Args, ending: &Arc<Ending>) -> Box<dyn Printer> {
    let (style, ending) = (settings::style(args, &stdout()), Arc::clone(ending));
    let states = args.trace_states;
    if ending.results != Results::Human {
        return Box::new(Machine { events: ending.results == Results::Ndjson, ending });
    }
    match args {
        Args { quiet: true, .. } => Box::new(AnswerPrinter { style, states, ending }),
        Args { classic_output: true, .. } => Box::new(Classic { cubes: args.verbose, style, states, ending }),
        _ => Box::new(Plain { nodes: args.verbose, style, states, ending }),
    }
}
