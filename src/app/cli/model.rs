//! Checking a model, from the words of the command line to the exit code.

use std::ffi::OsString;
use std::sync::Arc;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches};
use cubicle_certificate::Subject;
use cubicle_check::{Origin, Problem, RemoteExplorer, assumptions};
use cubicle_lang::diagnostic::Source;
use cubicle_lang::load::ModelSource;
use cubicle_lang::model::System;
use cubicle_lang::words;
use cubicle_report as report;
use cubicle_report::document::{Answer, Document, Head, Lines, Unchecked, Written};
use cubicle_run::{Conclusion, Interrupt, Options, Reason, Report, Verdict};

use super::args::Args;
use super::choices::ResultFormat;
use super::document::NoInvocation;
use super::ending::Ending;
use super::failure::{Failure, after_output};
use super::lemmas::{derived, expected_end};
use super::load::{LoadedModel, load_as, load_for};
use super::messages::Messages;
use super::printer::Printer;
use super::quantities::are_sorts;
use super::run_dir::{Certificates, RunDir, traces};
use super::supervise::supervise;
use super::touched::{read_files, written_files};
use super::{
    advice, applies, certificate, compat, document, engines, exit, files, help, kept, lemmas, live, memory,
    outputs, run_dir, settings,
};

/// A valid command line.
pub struct Invocation {
    pub args: Args,
    /// The beginning of the run's document.
    head: Head,
    /// Notes for the user about it.
    notes: Vec<String>,
    /// The explorer, when that is not this process alone.
    pub remote: Option<Arc<dyn RemoteExplorer + Send + Sync>>,
}

/// Decides the model under the supervision of the watchdog.
pub fn supervised(asked: Invocation) -> u8 {
    let Invocation { args, head, notes, remote } = asked;
    let run_dir = match args.run_dir.as_ref().map(|path| RunDir::create(path, &head)).transpose() {
        Ok(run_dir) => run_dir,
        Err(failure) => return Ending::new(&args, head, None, &Interrupt::default()).fail(failure),
    };
    let known = args.clone();
    supervise(
        args.time_limit,
        settings::memory(&args),
        move |interrupt| {
            let ending = Ending::new(&known, head, run_dir, interrupt);
            for note in &notes {
                ending.messages.note(note);
            }
            ending
        },
        move |interrupt, ending| {
            if !args.quiet {
                let lines = !args.classic_output && !ending.messages.tells_findings();
                live::start(ending, lines);
            }
            let decided = decide(&args, remote.as_deref(), interrupt, ending);
            let (code, document) = decided.unwrap_or_else(|failure| ending.failed(failure));
            ending.begin();
            ending.finish(code, document)
        },
    )
}

pub fn parse(words: Vec<OsString>, typed: &[OsString]) -> Result<Invocation, NoInvocation> {
    parse_for(words, typed, |_| ())
}

/// Like [`parse`]; `settle` sets what is not typed.
pub fn parse_for(
    words: Vec<OsString>,
    typed: &[OsString],
    settle: impl FnOnce(&mut Args),
) -> Result<Invocation, NoInvocation> {
    let mut command = Args::command();
    command.build();
    let rewritten = compat::rewrite(&command, words);
    if let Some(missing) = rewritten.missing {
        return Err(Failure::usage(missing).into());
    }
    let mut notes = rewritten.notes;
    let fully = rewritten.words.iter().take_while(|word| *word != "--").any(|word| word == "--help");
    let matches = command.try_get_matches_from_mut(rewritten.words).map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp if fully => NoInvocation::Help(help::long()),
        ErrorKind::DisplayHelp => NoInvocation::Help(help::SHORT.to_owned()),
        _ => NoInvocation::from(error),
    })?;
    let mut args = Args::from_arg_matches(&matches)?;
    args.classic_output |= rewritten.is_original;
    settle(&mut args);
    let mut conflict = |what: Failure| command.error(ErrorKind::ArgumentConflict, what);
    args.settle_engine().map_err(&mut conflict)?;
    if let Some((one, other)) = rewritten.two_sizes {
        let what = format!("brab {one} and brab {other}: only one of them can be meant");
        return Err(conflict(Failure::usage(what)).into());
    }
    notes.extend(applies::check(&args, &matches, &rewritten.originals).map_err(conflict)?);
    outputs::check(&read_files(&args), &written_files(&args), args.force)?;
    let head = document::of_args(typed, &command, &matches, &args);
    Ok(Invocation { args, head, notes, remote: None })
}

/// Loads the model and decides it: the exit code so far, and the document of the run.
fn decide(
    args: &Args,
    remote: Option<&(dyn RemoteExplorer + Send + Sync)>,
    interrupt: &Interrupt,
    ending: &Arc<Ending>,
) -> Result<(u8, Document), Failure> {
    let messages = &ending.messages;
    let LoadedModel { system, text, allowed, warnings, .. } =
        load_for(ending, &args.file, &args.allow, args.strict_upstream)?;
    if args.deny.is_some() && warnings > 0 {
        return Err(Failure::usage("the model has warnings, and --deny warnings refuses them"));
    }
    are_sorts(&system, args.of_sorts())?;
    if args.show_core {
        return Ok(shown(ending, &words::model(&system)));
    }
    // A certificate is checked against this, however it is transformed.
    let plain = system;
    let system = derived(ModelSource::new(&plain, &text), &args.file, args.crash, &args.ltl, messages)?;
    if args.show_transformed {
        if args.crash.is_none() {
            return Err(Failure::usage("--show-transformed needs --crash"));
        }
        return Ok(shown(ending, &cubicle_tools::export::model(&system)));
    }
    if args.type_only {
        return Ok((exit::OK, well_formed(ending)));
    }
    probe_files(args)?;
    let model = ModelSource::new(&system, &text);
    let options = options(args, model, &allowed, interrupt, ending)?;
    let name = args.file.display().to_string();
    let source = Source { name: &name, text: &text };
    let assumed = assumptions(&system, options.backward.trust_invariants);
    ending.progress().assume(&Lines::new(&text), &assumed);
    ending.progress().loaded();
    ending.costs().end("load".to_owned());
    let mut printer = Printer::new(args, ending);
    let subject = &Subject { failures: args.crash, ..Subject::default() };
    let remote = remote.map(|it| -> &dyn RemoteExplorer { it });
    let problem = Problem { system: &system, origin: Some(Origin { model: &plain, subject }), remote };
    let mut found = engines::checker().check_derived(&problem, &options, interrupt, &mut printer);
    let answered = matches!(found.conclusion(), Conclusion::Safe | Conclusion::NothingFound);
    if args.deny.is_some() && printer.warnings > 0 && answered {
        found.verdict = Some(Verdict::Unknown(Reason::Denied(printer.warnings)));
    }
    printer.end();
    let plain = ModelSource::new(&plain, &text);
    let mut certified = Certificates::default();
    if certificate::is_wanted(args) {
        ending.progress().begin("checking the certificate");
        certified = certificate::certify(subject, plain, &system, &options, interrupt, &mut found, messages);
        ending.costs().end("certificate".to_owned());
    }
    ending.begin();

    let mut code = exit::of_report(&found);
    if ending.results == ResultFormat::Human {
        printer.conclude(&system, &source, &options, &found);
        code = after_output(code, ending.output.finish());
    }
    messages.diagnostics(&report::vacuity(&system, &found), &source);
    if let Some(note) = report::unpopulated(&system, &source, &found) {
        messages.note(&note);
    }
    advice::tell(args, model, &options, &found, messages);
    let written = write_traces(args, &system, &source, &found, messages)
        .and_then(|()| certificate::write(args, plain.system, &certified, messages, interrupt))
        .and_then(|()| lemmas::write(args, &system, &found, messages))
        .and_then(|()| match &ending.run_dir {
            Some(folder) => folder.keep(plain.system, &system, &source, &found, &certified),
            None => Ok(()),
        });
    let mut document = ending.document();
    code = ending.after_files(code, written, &mut document);
    code = ending.after_files(
        code,
        run_dir::keep(&text, &found.refused, ending.run_dir.as_ref()),
        &mut document,
    );
    if settings::wants_document(args) {
        document.fill(&system, &text, &found);
        document.certificate = certified
            .states
            .as_ref()
            .map(|it| certificate::summary(certificate::folder(args).as_deref(), it));
        name_traces(args, &mut document);
    }
    let answer = report::answer(report::EndedRun::plain(&system, &source, &found));
    let answer = answer.trim_end().lines().last().unwrap_or_default();
    let run = Some((&system, &found));
    let drawn = ending.pictures.write(answer, run, || ending.draft(code, document.clone()).text());
    Ok((ending.after_files(code, drawn, &mut document), document))
}

/// The options of the engines, with the files and formulas of the command line.
fn options(
    args: &Args,
    model: ModelSource<'_>,
    allowed: &cubicle_lang::load::Allowed,
    interrupt: &Interrupt,
    ending: &Ending,
) -> Result<Options, Failure> {
    let messages = &ending.messages;
    if let (Some(limit), Some(least)) =
        (args.memory_limit, args.spill.as_ref().map(|_| memory::least_to_spill()))
        && limit < least
    {
        let least = least >> 20;
        return Err(Failure::usage(format!("--memory-limit: with --spill, this takes {least}M at least")));
    }
    let mut options = settings::options(args, model.system, allowed);
    if let Some(cube) = &args.expected_end {
        options.forward.expected_end =
            expected_end(model, cube).map_err(|errors| messages.misread("--final", cube, &errors))?;
    }
    if let Some(path) = &args.lemmas_in {
        options.backward.proposed = lemmas::read(path, model, messages, interrupt)?;
    }
    options.checkpoint = kept::checkpoint(args, model.system, ending.command());
    kept::fits(args, options.checkpoint.as_ref())?;
    Ok(options)
}

/// The end of a run that only shows a model.
fn shown(ending: &Ending, model: &str) -> (u8, Document) {
    if ending.results == ResultFormat::Human {
        ending.output.write(model);
    }
    (after_output(exit::OK, ending.output.finish()), well_formed(ending))
}

/// The document of a run that only reads the model.
fn well_formed(ending: &Ending) -> Document {
    let mut document = ending.document();
    document.verdict = Answer::Unchecked(Unchecked::WellFormed);
    document
}

/// The model that a process of a cluster without a report explores, and its text.
pub fn prepared(args: &Args, messages: &Messages) -> Result<(System, String), Failure> {
    let loaded = load_as(&args.file, None, args.strict_upstream, messages, |_| Ok(()))?;
    let model = ModelSource::new(&loaded.system, &loaded.text);
    let system = derived(model, &args.file, args.crash, &[], messages)?;
    Ok((system, loaded.text))
}

/// Whether the files that flags ask for can be written, before the work.
fn probe_files(args: &Args) -> Result<(), Failure> {
    // The log is open, and the folder of a certificate need not exist.
    let later = ["--log-file", "--certificate"];
    let mut files = written_files(args).into_iter().filter(|(option, _)| !later.contains(option));
    files.try_for_each(|(_, path)| files::probe(&path))?;
    certificate::probe(args)
}

/// How many traces are written to files.
const fn most_traces(args: &Args) -> usize {
    if args.all_errors { usize::MAX } else { 1 }
}

/// Writes the traces where they are asked for.
fn write_traces(
    args: &Args,
    system: &System,
    source: &Source<'_>,
    found: &Report,
    messages: &Messages,
) -> Result<(), Failure> {
    let Some(path) = &args.trace_out else { return Ok(()) };
    let mut written = 0;
    for text in traces(system, source, found).take(most_traces(args)) {
        written += 1;
        files::write(&files::numbered(path, written), &text)?;
    }
    let removed = files::remove_traces(path, written + 1)?;
    match written {
        0 if removed => {
            messages.note(&format!("there is no trace to write; {} was removed", path.display()));
        }
        0 => messages.note("there is no trace to write"),
        1 => {}
        _ => {
            let last = files::numbered(path, written);
            messages.note(&format!("{written} traces are in {} to {}", path.display(), last.display()));
        }
    }
    Ok(())
}

/// Records in the document which file has which trace.
fn name_traces(args: &Args, document: &mut Document) {
    let Some(path) = &args.trace_out else { return };
    for (number, trace) in (1..).zip(document.traces.iter_mut().take(most_traces(args))) {
        trace.file = Some(files::numbered(path, number).display().to_string());
    }
}
