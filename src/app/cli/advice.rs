//! What goes to standard error after the answer: how far an open question came, and what may help.

use cubicle_check::advice;
use cubicle_lang::load::ModelSource;
use cubicle_lang::model::System;
use cubicle_report as report;
use cubicle_run::options::Options;
use cubicle_run::result::Report;
use cubicle_run::words::{how_far, suggestion};
use std::io::stderr;

use super::args::Args;
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
    if found.open().is_some() && messages.wants_advice() {
        open(args, system, options, found, messages);
    }
    if args.profile {
        let text = report::profile(found, settings::style(args, &stderr()));
        complain(text.trim_end());
    }
}

/// The lines about an open question.
fn open(args: &Args, system: &System, options: &Options, found: &Report, messages: &Messages) {
    for line in how_far(system, found) {
        messages.note(&line);
    }
    let file = args.file.display().to_string();
    let tries = advice(system, options, found);
    match tries.as_slice() {
        [] => {}
        [one] => messages.help(&suggestion(system, &file, one)),
        more => {
            messages.help("what may help, most likely first");
            for (number, it) in (1..).zip(more) {
                messages.help(&format!("{number}. {}", suggestion(system, &file, it)));
            }
        }
    }
}
