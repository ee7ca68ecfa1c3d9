//! What goes to standard error after the answer: how far an open question came, and what may help.

use cubicle_lang::load::ModelSource;
use cubicle_report as report;
use cubicle_run::words::{how_far, suggestion};
use cubicle_run::{Options, Report};
use std::io::stderr;

use super::args::Args;
use super::engines::checker;
use super::messages::Messages;
use super::output::complain;
use super::settings;

/// Writes all of it.
pub fn tell(
    args: &Args,
    ModelSource { system, text }: ModelSource<'_>,
    options: &Options,
    found: &Report,
    messages: &Messages,
) {
    if let Some(trace) = found.bad()
        && let Some(help) = cubicle_lang::load::on_violated_property(system, text, trace)
    {
        messages.advice(&help);
    }
    if found.open().is_some() {
        open(args, ModelSource { system, text }, options, found, messages);
    }
    if args.profile {
        let text = report::profile(found, settings::style(args, &stderr()));
        complain(text.trim_end());
    }
}

/// The lines about an open question; the most likely advice also with `--quiet`.
fn open(args: &Args, model: ModelSource<'_>, options: &Options, found: &Report, messages: &Messages) {
    let ModelSource { system, text } = model;
    for line in how_far(system, text, found) {
        messages.note(&line);
    }
    let file = args.file.display().to_string();
    let tries: Vec<String> =
        checker().advice(system, options, found).iter().map(|it| suggestion(system, &file, it)).collect();
    match tries.as_slice() {
        [] => {}
        [first, ..] if args.quiet => messages.advice(first),
        [one] => messages.help(one),
        more => {
            messages.help("what may help, most likely first");
            for (number, it) in (1..).zip(more) {
                messages.help(&format!("{number}. {it}"));
            }
        }
    }
}
