//! The command line: from words to an exit code.

mod advice;
mod applies;
mod args;
mod certificate;
mod commands;
mod compat;
mod completions;
mod cpu;
mod ending;
mod ends;
mod exit;
mod explain;
mod external;
mod files;
mod fmt;
mod hints;
mod input;
mod line;
mod listener;
mod live;
mod load;
mod lsp;
mod manual;
mod memory;
mod output;
mod printers;
mod replay;
mod settings;
mod simulate;
mod supervise;
mod version;
mod watchdog;

use std::ffi::OsString;
use std::io::{self, stderr};
use std::process::ExitCode;
use std::sync::Arc;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches};
use cubicle::check::{assumptions, check_here};
use cubicle::diagnostic::Source;
use cubicle::interrupt::Interrupt;
use cubicle::model::System;
use cubicle::verdict::{Reason, Verdict};
use cubicle::{Conclusion, Report, itf, report};

use self::args::Args;
use self::ending::Ending;
use self::listener::Listener;
use self::load::{load, show};
use self::output::complain;
use self::printers::Finished;
use self::supervise::{on_large_stack, supervise};

/// Runs the program on `words`, its own name first.
pub fn run(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        complain(&format!("internal error: {panic}"));
        complain(
            "This is a bug of cubicle, not of your model. Please report it with the model and the command.",
        );
    }));
    let words = match hints::look(words.into_iter().collect()) {
        Ok(words) => words,
        Err((error, help)) => {
            complain(&format!("error: {error}"));
            complain(&format!("help: {help}"));
            return ExitCode::from(exit::USAGE);
        }
    };
    let command = words.get(1).and_then(|word| word.to_str()).and_then(commands::find);
    ExitCode::from(match command {
        Some(command) => {
            let words = words.into_iter().skip(2).collect();
            if command.needs_stack {
                on_large_stack(move || (command.run)(words)).unwrap_or_else(no_thread)
            } else {
                (command.run)(words)
            }
        }
        None => match parse(words) {
            Ok(args) => supervised(args),
            Err(code) => code,
        },
    })
}

/// Tells that there is no thread, where no answer is due.
fn no_thread(error: io::Error) -> u8 {
    complain(&format!("error: cannot start a thread: {error}"));
    exit::UNKNOWN
}

/// Decides the model under the eyes of the watchdog.
fn supervised(args: Args) -> u8 {
    let limits = (args.time_limit, settings::memory(&args));
    let told = args.clone();
    supervise(
        limits,
        move |interrupt| Ending::new(&told, interrupt),
        move |interrupt, ending| {
            if !args.quiet {
                live::start(ending, !args.classic_output);
            }
            decide(&args, interrupt, ending)
        },
    )
}

/// The typed command line, or the exit code after help or an error was printed.
fn parse(words: Vec<OsString>) -> Result<Args, u8> {
    let mut command = Args::command();
    command.build();
    let rewritten = compat::rewrite(&command, words);
    if let Some(missing) = rewritten.missing {
        complain(&format!("error: {missing}"));
        return Err(exit::USAGE);
    }
    let mut notes = rewritten.notes;
    let parsed = command.try_get_matches_from_mut(rewritten.words).and_then(|matches| {
        let mut args = Args::from_arg_matches(&matches)?;
        args.classic_output |= rewritten.is_original;
        let checked = match rewritten.two_sizes {
            Some((one, other)) => Err(format!("brab {one} and brab {other}: only one of them can be meant")),
            None => applies::check(&args, &matches, &rewritten.originals),
        };
        notes.extend(checked.map_err(|what| command.error(ErrorKind::ArgumentConflict, what))?);
        Ok(args)
    });
    let args = parsed.map_err(|error| exit::refuse(&error))?;
    if !args.quiet {
        for note in &notes {
            complain(&format!("note: {note}"));
        }
    }
    Ok(args)
}

/// Loads the model and decides it.
fn decide(args: &Args, interrupt: &Interrupt, ending: &Arc<Ending>) -> u8 {
    let told = settings::style(args, &stderr());
    let Some((system, text, warnings)) = load(&args.file, true, told) else { return exit::USAGE };
    if args.deny.is_some() && warnings > 0 {
        complain("error: the model has warnings, and --deny warnings refuses them");
        return exit::USAGE;
    }
    if args.type_only {
        return exit::OK;
    }
    if let Err(error) = probe_files(args) {
        complain(&format!("error: {error}"));
        return exit::INTERNAL;
    }
    let mut options = settings::options(args);
    if let Some(cube) = &args.expected_end {
        match ends::expected_end(&system, &text, cube) {
            Ok(end) => options.forward.expected_end = end,
            Err(error) => {
                complain(&format!("error: {error}"));
                return exit::USAGE;
            }
        }
    }
    let name = args.file.display().to_string();
    let source = Source { name: &name, text: &text };
    let assumed = assumptions(&system, options.backward.trust_invariants);
    ending.snapshot().assume(&source, &assumed);
    let printer = printers::choose(args, ending);
    ending.progress().loaded();
    let mut listener = Listener { warnings: 0, printer, ending: Arc::clone(ending) };
    let mut found = check_here(&system, &options, interrupt, &mut listener);
    let answered = matches!(found.conclusion(), Conclusion::Safe | Conclusion::NothingFound);
    if args.deny.is_some() && listener.warnings > 0 && answered {
        found.verdict = Some(Verdict::Unknown(Reason::Denied(listener.warnings)));
    }
    ending.progress().begin("checking the certificate");
    let certified = certificate::certify(args, &system, &text, &options, interrupt, &mut found);
    ending.begin();

    let run = Finished { system: &system, source: &source, options: &options, report: &found };
    listener.printer.conclude(&run);
    let code = exit::after_output(exit::of_report(&found), ending.output.finish());
    show(&report::vacuity(&system, &found), &source, told);
    advice::tell(args, &system, &text, &options, &found);
    let written = write_files(args, &system, &source, &found)
        .and_then(|()| certificate::write(args, &system, certified.as_ref()));
    // The process ends here: taking millions of states apart would only make it end later.
    std::mem::forget(found);
    match written {
        Ok(()) => code,
        Err(error) => {
            complain(&format!("error: {error}"));
            exit::INTERNAL
        }
    }
}

/// Whether the files that flags ask for can be written, before the work.
fn probe_files(args: &Args) -> Result<(), String> {
    let files = [&args.stats_json, &args.trace_out];
    files.into_iter().flatten().try_for_each(|path| files::probe(path))?;
    certificate::probe(args)
}

/// The files that flags ask for.
fn write_files(args: &Args, system: &System, source: &Source<'_>, found: &Report) -> Result<(), String> {
    if let Some(path) = &args.stats_json {
        files::write(path, &report::statistics_json(system, source, found))?;
    }
    if let Some(path) = &args.trace_out {
        let most = if args.all_errors { usize::MAX } else { 1 };
        let mut written = 0;
        for trace in found.traces().take(most) {
            written += 1;
            files::write(&files::numbered(path, written), &itf::write(system, trace, source))?;
        }
        let removed = files::remove_traces(path, written + 1)?;
        match written {
            _ if args.quiet => {}
            0 if removed => {
                complain(&format!("note: there is no trace to write; {} was removed", path.display()));
            }
            0 => complain("note: there is no trace to write"),
            1 => {}
            _ => {
                let last = files::numbered(path, written);
                complain(&format!("note: {written} traces are in {} to {}", path.display(), last.display()));
            }
        }
    }
    Ok(())
}
