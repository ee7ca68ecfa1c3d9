//! `cubicle mutate FILE`: small mistakes in a model, and which of them its claims notice.

mod args;

use std::ffi::OsString;
use std::iter;
use std::sync::Arc;

use clap::Parser;
use cubicle_cluster::Fault;
use cubicle_lang::diagnostic::Source;
use cubicle_lang::load::ModelSource;
use cubicle_lang::model::System;
use cubicle_lang::syntax::ast::File;
use cubicle_report::document::{DocumentKind, Level, Message, MutationDocument, Written};
use cubicle_report::{self as report, MutantsShown, Style};
use cubicle_run::{Conclusion, Interrupt, Reason, Report};
use cubicle_tools::mutation::{
    Mutation, Others, Plan, PropertySelection, mutant, properties, run as look_at,
};
use cubicle_tools::witness::declares;

pub use self::args::MutateArgs;
use crate::cli::choices::ResultFormat;
use crate::cli::command::{Command, Run};
use crate::cli::document::NoInvocation;
use crate::cli::ending::Ending;
use crate::cli::failure::{Failure, after_output};
use crate::cli::load::{LoadedModel, load_for, passes_over_runs};
use crate::cli::{document, exit, files, outputs, settings};

/// Other processes that examine mutants, too.
pub trait Team: Others + Send {
    /// Waits until all have joined, which must agree on the model and on these facts. `log` gets warnings about strangers.
    ///
    /// # Errors
    /// A process did not join.
    fn gather(
        &self,
        model: &str,
        facts: Vec<(String, String)>,
        interrupt: &Interrupt,
        log: &dyn Fn(&str),
    ) -> Result<(), Fault>;

    /// Ends them: there is nothing more to do.
    fn end(&self);
}

pub fn run(args: MutateArgs) -> u8 {
    checked(args).map_or_else(|refused| refused.end(&document::typed()), |args| run_with(args, None))
}

/// Parses the words after `mutate`, for a cluster.
pub fn parse(words: &[OsString]) -> Result<MutateArgs, NoInvocation> {
    checked(MutateArgs::try_parse_from(iter::once(&"cubicle mutate".into()).chain(words))?)
}

/// The arguments, when the files that they name may be written.
fn checked(args: MutateArgs) -> Result<MutateArgs, NoInvocation> {
    outputs::check_one(("the model", &args.model), "--report", args.report.as_ref(), args.force)?;
    Ok(args)
}

/// Runs the command, together with others where there are some; the exit code.
pub fn run_with(args: MutateArgs, team: Option<Box<dyn Team>>) -> u8 {
    let (page, seed) = (args.report.clone(), args.seed);
    let command = Command::new(&args.model, args.format, DocumentKind::Mutation).until(args.time_limit);
    command.supervised(
        args,
        |ending| ending.seeded(seed).picturing(page.as_ref()),
        move |run| {
            let Run { args, ending, interrupt } = *run;
            let team = team.as_deref();
            let mut run = MutateRun { args, ending, interrupt, team, afterwards: Vec::new() };
            let ended = run.mutate();
            if let Some(team) = team {
                team.end();
            }
            ending.begin();
            let code = match ended {
                Ok(code) => after_output(code, ending.output.finish()),
                Err(failure) => {
                    let error = failure.error.clone();
                    let (mut code, document) = ending.failed(failure);
                    let found = MutationDocument::without_mutants(&ending.draft(code, document.clone()));
                    if let Err(failure) = run.page(&found, "", &error) {
                        ending.messages.error(&failure.error);
                        code = exit::INTERNAL;
                    }
                    ending.finish(code, document)
                }
            };
            run.afterwards.iter().for_each(|note| ending.messages.note(note));
            code
        },
    )
}

struct MutateRun<'a> {
    args: &'a MutateArgs,
    ending: &'a Arc<Ending>,
    interrupt: &'a Interrupt,
    team: Option<&'a dyn Team>,
    /// Notes to write after the results.
    afterwards: Vec<String>,
}

impl MutateRun<'_> {
    fn mutate(&mut self) -> Result<u8, Failure> {
        let Self { args, ending, .. } = *self;
        let loaded = load_for(ending, &args.model, &[], false)?;
        passes_over_runs(&loaded.system, &ending.messages);
        let (LoadedModel { system, file, text, .. }, source) = (&loaded, loaded.source());
        if let Some(number) = args.print {
            return self.print(file, text, number);
        }
        args.transition.iter().try_for_each(|name| declares(system, name)).map_err(Failure::usage)?;
        self.gather(text)?;
        ending.progress().begin("making mutants");
        let model = loaded.model();
        let plan = Plan::new(file, model, &args.selection(), self.interrupt);
        if args.list {
            let style = settings::result_style();
            ending.begin();
            ending.output.write(&report::listed(plan.mutants.iter(), &source, style));
            return Ok(exit::OK);
        }
        args.report.iter().try_for_each(|path| files::probe(path))?;
        let proof = self.safe(system)?;
        if args.properties || args.suggest {
            return self.properties(model, &plan, proof.as_ref());
        }
        let tell = |done: &str| ending.progress().begin(done);
        let (options, others) = (args.options(proof.as_ref()), self.team.map(|team| team as &dyn Others));
        let found = look_at(model, &plan, &options, others, self.interrupt, &tell);
        ending.begin();
        Ok(self.show(&found, &source))
    }

    /// Waits for the others, if there are any.
    fn gather(&self, text: &str) -> Result<(), Failure> {
        let Self { args, ending, interrupt, .. } = self;
        let Some(team) = self.team else { return Ok(()) };
        ending.progress().begin("waiting for the other processes");
        let log = |what: &str| ending.messages.warning(what);
        team.gather(text, args.agreement(), interrupt, &log).map_err(|why| match interrupt.reason() {
            Some(reason) => {
                let why = "not all processes of the cluster joined";
                Failure::new(exit::of_reason(&reason), why)
            }
            None => Failure::internal(format!("{why}; start all processes again")),
        })
    }

    fn print(&self, file: &File, text: &str, number: usize) -> Result<u8, Failure> {
        let (candidate, _) = mutant(file, text, number).map_err(Failure::usage)?;
        self.ending.begin();
        self.ending.output.write(&candidate.text(text));
        Ok(exit::OK)
    }

    /// Checks that the model itself is safe, unless the user wants its mutants anyway.
    fn safe(&self, system: &System) -> Result<Option<Report>, Failure> {
        self.ending.progress().begin("checking the model itself");
        let Some(report) = self.args.checked(system, self.interrupt) else { return Ok(None) };
        let what = match report.conclusion() {
            Conclusion::Safe => return Ok(Some(report)),
            Conclusion::Unknown => "not decided",
            _ => "not safe",
        };
        self.ending.begin();
        let error = format!("the model itself is {what}, so results about its mutants say little");
        if let Some(Reason::Cluster(why)) = report.open() {
            return Err(Failure::internal(why));
        }
        let messages = &self.ending.messages;
        messages.error(&error);
        messages.help("`cubicle FILE` says more about the model; --anyway mutates it all the same");
        let failure = Failure::new(exit::of_report(&report), error).reported();
        Err(Failure { open: report.open().cloned().map(Box::new), ..failure })
    }

    /// Looks for properties that the model does not claim, and writes them; the exit code.
    fn properties(&self, model: ModelSource<'_>, plan: &Plan, proof: Option<&Report>) -> Result<u8, Failure> {
        let Self { args, ending, .. } = *self;
        if args.format == ResultFormat::Sarif {
            let error = "properties have no place in the model: use --format json for programs";
            return Err(Failure::usage(error));
        }
        let selection =
            PropertySelection { stronger: args.properties, proof: proof.filter(|_| args.suggest) };
        let tell = |what: String| ending.progress().begin(&what);
        let found = properties(model, plan, selection, &args.options(proof), self.interrupt, &tell);
        ending.begin();
        let code = found.stopped.as_ref().map_or(exit::OK, exit::of_reason);
        let text = if args.format == ResultFormat::Json {
            let run = ending.draft(code, ending.document());
            MutationDocument::of_properties(&found, &run).text()
        } else {
            let style = settings::result_style();
            let text = report::properties(&found, args.properties, args.suggest, style);
            if args.quiet { last_block(&text).to_owned() } else { text }
        };
        ending.output.write(&text);
        Ok(code)
    }

    /// Writes what was found; the exit code.
    fn show(&mut self, found: &Mutation, source: &Source<'_>) -> u8 {
        let mut code = self.code(found);
        let Self { args, ending, .. } = *self;
        let document = |code| {
            let mut run = ending.draft(code, ending.document());
            let notes = self.afterwards.iter().map(|note| Message::new(Level::Note, note.as_str()));
            run.messages.extend(notes);
            MutationDocument::new(found, source, &run)
        };
        if args.report.is_some() {
            let shown = MutantsShown { killed: false, survivors: false };
            let text = report::mutation(found, source, shown, Style::PLAIN);
            let answer = last_block(&text).lines().next().unwrap_or_default();
            if let Err(failure) = self.page(&document(code), source.text, answer) {
                self.ending.messages.error(&failure.error);
                code = exit::INTERNAL;
            }
        }
        match args.format {
            ResultFormat::Human => self.tell(found, source),
            ResultFormat::Sarif => ending.output.write(&report::survivors_sarif(&document(code))),
            _ => ending.output.write(&document(code).text()),
        }
        code
    }

    /// Writes the page, where one is asked for.
    fn page(&self, document: &MutationDocument, text: &str, answer: &str) -> Result<(), Failure> {
        let Some(path) = &self.args.report else { return Ok(()) };
        let name = self.args.model.display().to_string();
        let source = Source { name: &name, text };
        files::write(path, &report::mutation_page(source, document, answer))
    }

    /// Writes it as text.
    fn tell(&mut self, found: &Mutation, source: &Source<'_>) {
        let style = settings::result_style();
        let Self { args, ending, .. } = *self;
        if found.mutants.is_empty() && found.stopped.is_none() {
            return ending.output.write("There are no mutants: no mistake of these kinds fits anywhere\n");
        }
        for number in &args.trace {
            let mutant = found.mutants.iter().find(|it| it.candidate.number == *number);
            match mutant.map(|it| report::kill(it, found, source, style)) {
                Some(Some(text)) => ending.output.write(&format!("{text}\n")),
                Some(None) => self.afterwards.push(format!("mutant #{number} was not killed")),
                None => self.afterwards.push(format!("mutant #{number} was not examined")),
            }
        }
        // The rate comes last.
        let shown = MutantsShown { killed: args.verbose, survivors: args.all };
        let text = report::mutation(found, source, shown, style);
        ending.output.write(if args.quiet { last_block(&text) } else { &text });
    }

    fn code(&mut self, found: &Mutation) -> u8 {
        if let Some(reason) = &found.stopped {
            return exit::of_reason(reason);
        }
        let (killed, counted) = (found.killed().count(), found.counted());
        let Some(least) = self.args.min_kill_rate else { return exit::OK };
        // Exact for less than 2^32 mutants.
        let [killed, counted] = [killed, counted].map(|n| f64::from(u32::try_from(n).unwrap_or(u32::MAX)));
        if 100.0 * killed < least * counted {
            self.afterwards.push(format!("less than {least} % of the mutants are killed"));
            return exit::UNKNOWN;
        }
        exit::OK
    }
}

/// The text after the last empty line.
fn last_block(text: &str) -> &str {
    text.trim_end().rfind("\n\n").map_or(text, |at| &text[at + 2..])
}
