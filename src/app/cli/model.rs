//! Checking a model, from the words of the command line to the exit code.

use std::ffi::OsString;
use std::sync::Arc;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches};
use cubicle_check::{RemoteExplorer, assumptions, check_on_this_thread, check_with_remote};
use cubicle_lang::diagnostic::{Diagnostic, Source};
use cubicle_lang::model::System;
use cubicle_report as report;
use cubicle_report::Style;
use cubicle_report::document::{Answer, Document, Head, Lines, Unchecked};
use cubicle_run::interrupt::Interrupt;
use cubicle_run::options::Options;
use cubicle_run::result::{Conclusion, Report};
use cubicle_run::verdict::{Reason, Verdict};
use cubicle_tools::itf;
use cubicle_transform::{Crash, alive_array, with_crashes, with_monitor};

use super::args::Args;
use super::certificate::Certificates;
use super::ending::{Ending, Failed};
use super::formulas::{expected_end, with_formulas};
use super::listener::Listener;
use super::load::{self, load_as};
use super::messages::Messages;
use super::output::complain;
use super::printers::Finished;
use super::run_dir::RunDir;
use super::settings::{self, Results};
use super::supervise::supervise;
use super::touched::{read_files, written_files};
use super::{
    advice, applies, certificate, compat, document, exit, files, kept, lemmas, live, memory, outputs,
    printers,
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

/// An invalid command line.
pub struct UsageError {
    pub code: u8,
    /// In one line; `None` when help or the version was asked for.
    pub error: Option<String>,
}

/// Decides the model under the supervision of the watchdog.
pub fn supervised(asked: Invocation) -> u8 {
    let Invocation { args, head, notes, remote } = asked;
    let run_dir = match args.run_dir.as_ref().map(|path| RunDir::create(path, &head)).transpose() {
        Ok(run_dir) => run_dir,
        Err(error) => {
            let ending = Ending::new(&args, head, None, &Interrupt::default());
            ending.messages.error(&error);
            return ending.fail(Failed { code: exit::INTERNAL, error });
        }
    };
    let limits = (args.time_limit, settings::memory(&args));
    let told = args.clone();
    supervise(
        limits,
        move |interrupt| {
            let ending = Ending::new(&told, head, run_dir, interrupt);
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
            let (code, document) = decide(&args, remote.as_deref(), interrupt, ending);
            ending.begin();
            ending.finish(code, document)
        },
    )
}

/// The typed command line. What is wrong with it, help and the version are printed.
pub fn parse(words: Vec<OsString>, typed: &[OsString]) -> Result<Invocation, UsageError> {
    parse_for(words, typed, |_| ())
}

/// Like [`parse`]; `settle` sets what is not typed.
pub fn parse_for(
    words: Vec<OsString>,
    typed: &[OsString],
    settle: impl FnOnce(&mut Args),
) -> Result<Invocation, UsageError> {
    let mut command = Args::command();
    command.build();
    let rewritten = compat::rewrite(&command, words);
    if let Some(missing) = rewritten.missing {
        complain(&format!("error: {missing}"));
        return Err(UsageError { code: exit::USAGE, error: Some(missing) });
    }
    let mut notes = rewritten.notes;
    let parsed = command.try_get_matches_from_mut(rewritten.words).and_then(|matches| {
        let mut args = Args::from_arg_matches(&matches)?;
        args.classic_output |= rewritten.is_original;
        settle(&mut args);
        args.settle_engine().map_err(|what| command.error(ErrorKind::ArgumentConflict, what))?;
        let checked = match rewritten.two_sizes {
            Some((one, other)) => Err(format!("brab {one} and brab {other}: only one of them can be meant")),
            None => applies::check(&args, &matches, &rewritten.originals),
        };
        notes.extend(checked.map_err(|what| command.error(ErrorKind::ArgumentConflict, what))?);
        let head = document::of_args(typed, &command, &matches, &args);
        Ok((args, head))
    });
    match parsed {
        Ok((args, head)) => match outputs::check(&read_files(&args), &written_files(&args), args.force) {
            Ok(()) => Ok(Invocation { args, head, notes, remote: None }),
            Err(error) => {
                complain(&format!("error: {error}"));
                Err(UsageError { code: exit::USAGE, error: Some(error) })
            }
        },
        Err(error) => Err(UsageError { code: exit::refuse(&error), error: exit::why(&error) }),
    }
}

/// Decides the model: the exit code so far, and the document of the run.
fn decide(
    args: &Args,
    remote: Option<&(dyn RemoteExplorer + Send + Sync)>,
    interrupt: &Interrupt,
    ending: &Arc<Ending>,
) -> (u8, Document) {
    match attempt(args, remote, interrupt, ending) {
        Ok(done) => done,
        Err(Failed { code, error }) => {
            let mut document = ending.document();
            document.error = Some(error);
            (code, document)
        }
    }
}

/// Loads the model and decides it. The error was reported when that fails.
fn attempt(
    args: &Args,
    remote: Option<&(dyn RemoteExplorer + Send + Sync)>,
    interrupt: &Interrupt,
    ending: &Arc<Ending>,
) -> Result<(u8, Document), Failed> {
    let messages = &ending.messages;
    let failed = |code, error: String| {
        messages.error(&error);
        Failed { code, error }
    };
    let loaded = load_as(&args.file, Some(&args.allow), args.strict_upstream, messages);
    if let Some(text) =
        loaded.as_ref().map_or_else(|refused| refused.text.as_ref(), |model| Some(&model.text))
    {
        ending.know_model(text).map_err(|error| failed(exit::INTERNAL, error))?;
    }
    let load::LoadedModel { mut system, text, allowed, warnings } =
        loaded.map_err(|refused| Failed { code: exit::USAGE, error: refused.error })?;
    if args.deny.is_some() && warnings > 0 {
        let error = "the model has warnings, and --deny warnings refuses them";
        return Err(failed(exit::USAGE, error.to_owned()));
    }
    // A certificate is checked against this, however it is transformed.
    let plain = system.clone();
    let mut alive = None;
    if let Some(crash) = args.crash {
        alive = alive_array(&system, crash);
        system = crashing(&system, crash, args, &text, messages)?;
    }
    let system = with_formulas(&system, &text, &args.ltl, alive).map_err(|(formula, errors)| Failed {
        code: exit::USAGE,
        error: messages.misread("--ltl", formula, &errors),
    })?;
    if let Some(name) = &args.show_transformed {
        let shown = transformed(args, &system, name).map_err(|why| failed(exit::USAGE, why))?;
        if ending.results == Results::Human {
            ending.output.write(&shown);
        }
        return Ok((exit::after_output(exit::OK, ending.output.finish()), well_formed(ending)));
    }
    if args.type_only {
        return Ok((exit::OK, well_formed(ending)));
    }
    probe_files(args).map_err(|error| failed(exit::INTERNAL, error))?;
    let options = options(args, (&system, &text), &allowed, ending)?;
    let name = args.file.display().to_string();
    let source = Source { name: &name, text: &text };
    let assumed = assumptions(&system, options.backward.trust_invariants);
    ending.snapshot().assume(&Lines::new(&text), &assumed);
    let printer = printers::choose(args, ending);
    ending.progress().loaded();
    let mut listener = Listener { warnings: 0, printer, ending: Arc::clone(ending) };
    let mut found = match remote {
        Some(remote) => on_cluster(&system, &options, (interrupt, messages), &mut listener, remote),
        None => check_on_this_thread(&system, &options, interrupt, &mut listener),
    };
    let answered = matches!(found.conclusion(), Conclusion::Safe | Conclusion::NothingFound);
    if args.deny.is_some() && listener.warnings > 0 && answered {
        found.verdict = Some(Verdict::Unknown(Reason::Denied(listener.warnings)));
    }
    ending.progress().begin("checking the certificate");
    let certified =
        certificate::certify(args, (&plain, &system), &text, (&options, interrupt), &mut found, messages);
    ending.begin();

    let mut code = exit::of_report(&found);
    if ending.results == Results::Human {
        let run = Finished { system: &system, source: &source, options: &options, report: &found };
        listener.printer.conclude(&run);
        code = exit::after_output(code, ending.output.finish());
    }
    messages.diagnostics(&report::vacuity(&system, &found), &source);
    if let Some(note) = report::unpopulated(&system, &source, &found) {
        messages.note(&note);
    }
    advice::tell(args, (&system, &text), &options, &found, messages);
    let written = write_traces(args, &system, &source, &found, messages)
        .and_then(|()| certificate::write(args, &plain, &certified, messages))
        .and_then(|()| lemmas::write(args, &system, &found, messages))
        .and_then(|()| keep(ending, (&plain, &system), &source, &found, &certified));
    let mut document = ending.document();
    if let Err(error) = written {
        messages.error(&error);
        document.error = Some(error);
        code = exit::INTERNAL;
    }
    if settings::wants_document(args) {
        document.fill(&system, &text, &found);
        document.certificate = certified.states.as_ref().map(|it| certificate::summary(args, it));
        name_traces(args, &mut document);
    }
    let answer = report::answer(&system, &source, &found, None, Style::PLAIN);
    let answer = answer.trim_end().lines().last().unwrap_or_default();
    let run = Some((&system, &found));
    if let Err(error) = ending.pictures.write(answer, run, || ending.draft(code, &document).text()) {
        messages.error(&error);
        document.error = Some(error);
        code = exit::INTERNAL;
    }
    Ok((code, document))
}

/// The options of the engines, with the files and formulas of the command line. Errors were reported.
fn options(
    args: &Args,
    (system, text): (&System, &str),
    allowed: &cubicle_lang::load::Allowed,
    ending: &Ending,
) -> Result<Options, Failed> {
    let messages = &ending.messages;
    let failed = |error: String| {
        messages.error(&error);
        Failed { code: exit::USAGE, error }
    };
    if let (Some(limit), Some(least)) =
        (args.memory_limit, args.spill.as_ref().map(|_| memory::least_to_spill()))
        && limit < least
    {
        return Err(failed(format!("--memory-limit: with --spill, this takes {}M at least", least >> 20)));
    }
    let mut options = settings::options(args, system, allowed);
    if let Some(cube) = &args.expected_end {
        let misread = |errors: Vec<Diagnostic>| messages.misread("--final", cube, &errors);
        options.forward.expected_end = expected_end(system, text, cube)
            .map_err(|errors| Failed { code: exit::USAGE, error: misread(errors) })?;
    }
    if let Some(path) = &args.lemmas_in {
        options.backward.proposed = lemmas::read(path, system, text, messages).map_err(failed)?;
    }
    options.checkpoint = kept::checkpoint(args, system, ending.command());
    kept::fits(args, options.checkpoint.as_ref()).map_err(failed)?;
    Ok(options)
}

/// Decides what a cluster can decide, which is about states.
fn on_cluster(
    system: &System,
    options: &Options,
    (interrupt, messages): (&Interrupt, &Messages),
    listener: &mut Listener,
    remote: &dyn RemoteExplorer,
) -> Report {
    if let Some(property) = system.temporal.first() {
        let name = &property.name;
        let text = format!("a cluster explores states, not runs: {name} and the like are not checked");
        messages.warning(&text);
    }
    let options = options.clone().only_states(true);
    check_with_remote(system, &options, interrupt, listener, remote)
}

/// The document of a run that only reads the model.
fn well_formed(ending: &Ending) -> Document {
    let mut document = ending.document();
    document.verdict = Answer::Unchecked(Unchecked::WellFormed);
    document
}

/// The system with failing processes; reports what makes that impossible.
fn crashing(
    system: &System,
    crash: Crash,
    args: &Args,
    text: &str,
    messages: &Messages,
) -> Result<System, Failed> {
    with_crashes(system, crash).map_err(|why| {
        let name = args.file.display().to_string();
        let error = format!("--crash: {}", why.message);
        messages.diagnostics(&[*why], &Source { name: &name, text });
        Failed { code: exit::USAGE, error }
    })
}

/// The model that a process of a cluster without a report explores, and its text.
pub fn prepared(args: &Args, messages: &Messages) -> Result<(System, String), Failed> {
    let loaded = load_as(&args.file, None, args.strict_upstream, messages);
    let loaded = loaded.map_err(|refused| Failed { code: exit::USAGE, error: refused.error })?;
    let system = match args.crash {
        None => loaded.system,
        Some(crash) => crashing(&loaded.system, crash, args, &loaded.text, messages)?,
    };
    Ok((system, loaded.text))
}

/// The model that `--show-transformed` asks for.
fn transformed(args: &Args, system: &System, name: &str) -> Result<String, String> {
    if name.is_empty() {
        return match args.crash {
            Some(_) => Ok(cubicle_tools::export::model(system)),
            None => Err("--show-transformed needs --crash, or the name of a property: =NAME".to_owned()),
        };
    }
    let property = system.temporal.iter().find(|it| it.name == name);
    let property = property.ok_or_else(|| format!("the model has no property of runs `{name}`"))?;
    let monitored = with_monitor(system, property).map_err(|why| format!("{name} has no monitor: {why}"))?;
    Ok(cubicle_tools::export::model(&monitored))
}

/// Writes to the folder of the run what is known before its document.
fn keep(
    ending: &Ending,
    (plain, system): (&System, &System),
    source: &Source<'_>,
    found: &Report,
    certified: &Certificates,
) -> Result<(), String> {
    let Some(folder) = &ending.run_dir else { return Ok(()) };
    folder.keep_traces(system, source, found)?;
    folder.keep_certificates(plain, certified.states.as_ref(), &certified.runs)
}

/// Whether the files that flags ask for can be written, before the work.
fn probe_files(args: &Args) -> Result<(), String> {
    let files = [
        settings::stats_file(args),
        args.trace_out.as_ref(),
        args.dot.as_ref(),
        args.report.as_ref(),
        args.lemmas_out.as_ref(),
    ];
    files.into_iter().flatten().try_for_each(|path| files::probe(path))?;
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
) -> Result<(), String> {
    let Some(path) = &args.trace_out else { return Ok(()) };
    let mut written = 0;
    for trace in found.traces().take(most_traces(args)) {
        written += 1;
        files::write(&files::numbered(path, written), &itf::write(system, trace, source))?;
    }
    for known in &found.temporal {
        let Some(run) = known.found.as_ref().filter(|_| written < most_traces(args)) else { continue };
        written += 1;
        files::write(&files::numbered(path, written), &itf::write_run(system, known.property, run, source))?;
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
