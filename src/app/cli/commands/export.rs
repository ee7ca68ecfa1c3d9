//! `cubicle export MODEL --to murphi`: an instance in the language of another tool.

use std::path::PathBuf;

use cubicle_lang::model::System;
use cubicle_run::Procs;
use cubicle_tools::export::{InstanceName, Target, export};

use crate::cli::choices::named;
use crate::cli::failure::Failure;
use crate::cli::files::text_to;
use crate::cli::load::{load, passes_over_runs};
use crate::cli::messages::Messages;
use crate::cli::outputs;
use crate::cli::quantities::{self, Size};

/// Writes the instance with K processes in the language of another model checker: the same states, the same
/// steps, the same bad states.
///
/// Exit codes: 0 written; 2 the model has an error, or says something that the other language cannot, with its
/// place; 4 the output could not be written.
#[derive(Debug, clap::Args)]
pub struct ExportArgs {
    /// The model; `-` reads it from standard input
    #[arg(value_name = "FILE")]
    model: PathBuf,

    /// The language
    #[arg(long, value_name = "LANGUAGE", value_parser = named::<Target>())]
    to: Target,

    /// Processes of the instance; `node=3,value=2`: of each sort [default: 2, of each sort]
    #[arg(long, value_name = "K", value_parser = quantities::procs)]
    procs: Option<Size>,

    /// Keep numbers between LO and UP: a step that leaves them is not possible. Murphi and Promela have no
    /// other numbers
    #[arg(long, num_args = 2, value_names = ["LO", "UP"], allow_negative_numbers = true)]
    abstr_num: Option<Vec<i64>>,

    /// Write to FILE instead of standard output; a module of TLA+ is named after it
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Replace a file of --output that this program did not write
    #[arg(long)]
    force: bool,
}

/// Processes of an instance, or of each sort, where nothing is said.
const DEFAULT_PROCS: usize = 2;

/// How many processes the instance has, and in a model with sorts how many of each.
fn size(system: &System, asked: Option<Size>) -> Result<(usize, Vec<(String, usize)>), Failure> {
    let sorts = system.sorts.as_ref().map(|sorts| sorts.names.as_slice()).unwrap_or_default();
    let Size { procs, of_sorts } = asked.unwrap_or_else(|| Size {
        procs: Procs::Exactly(DEFAULT_PROCS * sorts.len().max(1)),
        of_sorts: sorts.iter().map(|sort| (sort.clone(), DEFAULT_PROCS)).collect(),
    });
    quantities::are_sorts(system, &of_sorts)?;
    match procs {
        Procs::Exactly(procs) if procs > 0 && (sorts.is_empty() || !of_sorts.is_empty()) => {
            Ok((procs, of_sorts))
        }
        Procs::Exactly(procs) if procs > 0 => {
            let sized: Vec<String> = sorts.iter().map(|sort| format!("{sort}=2")).collect();
            Err(Failure::usage(format!(
                "the model has sorts: --procs says how many processes of each, as in `--procs {}`",
                sized.join(",")
            )))
        }
        _ => Err(Failure::usage("an instance that is written out has a number of processes, at least 1")),
    }
}

pub fn run(args: ExportArgs) -> Result<u8, Failure> {
    let range = match args.abstr_num.as_deref() {
        Some([low, up]) if low > up => {
            let why = "--abstr-num needs a lower bound that is not above the upper one";
            return Err(Failure::usage(why));
        }
        Some([low, up]) => Some((*low, *up)),
        _ => None,
    };
    outputs::check_one(("the model", &args.model), "--output", args.output.as_ref(), args.force)?;
    let messages = Messages::human();
    let loaded = load(&args.model, Some(&[]), &messages)?;
    passes_over_runs(&loaded.system, &messages);
    let stem = args.output.as_ref().unwrap_or(&args.model).file_stem().filter(|stem| *stem != "-");
    let (procs, of_sorts) = size(&loaded.system, args.procs)?;
    let instance = InstanceName {
        procs,
        of_sorts,
        range,
        source: loaded.name.clone(),
        module: stem.map_or_else(|| "model".into(), |stem| stem.to_string_lossy().into_owned()),
    };
    let written = match export(&loaded.system, &instance, args.to) {
        Ok(written) => written,
        Err(refusal) => {
            let place = refusal.span.map(|span| loaded.source().place(span));
            let place = place.map_or_else(String::new, |place| format!("{place}: "));
            return Err(Failure { help: refusal.help, ..Failure::usage(place + &refusal.what) });
        }
    };
    text_to(args.output.as_deref(), &written)
}
