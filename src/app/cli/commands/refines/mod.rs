//! `cubicle refines CONCRETE ABSTRACT --map MAP`: is each run of one model one of another?

mod args;

use std::path::Path;
use std::sync::Arc;

use cubicle_certificate::Certificate;
use cubicle_check::Refusal;
use cubicle_lang::diagnostic::Source;
use cubicle_lang::model::System;
use cubicle_lang::refinement::{InText, RefinedModel};
use cubicle_report as report;
use cubicle_report::document::{
    Answer, Document, DocumentKind, Lines, Model, RefinementRecord, TraceRecord, TransferRecord, WhyOpen,
    Written,
};
use cubicle_run::style::Style;
use cubicle_run::{Conclusion, Options, Reason, Report, Verdict, words};
use cubicle_tools::refines::{BrokenRefinement, explain};
use cubicle_tools::{export, itf};
use cubicle_transform::refines::Refinement;

pub use self::args::RefinesArgs;
use self::args::{decided, engine_options, proved};
use crate::cli::certificate::summary;
use crate::cli::command::{Command, Run};
use crate::cli::document::sha256;
use crate::cli::failure::{Failure, after_output};
use crate::cli::input::{self, Input};
use crate::cli::load::{LoadedModel, load, passes_over_runs};
use crate::cli::messages::Messages;
use crate::cli::run_dir::{keep, write_certificate};
use crate::cli::{exit, files, outputs, settings};

/// The files of a certificate with the concrete model, the abstract model and the map.
pub const CONCRETE: &str = "concrete.cub";
/// See [`CONCRETE`].
pub const ABSTRACT: &str = "abstract.cub";
/// See [`CONCRETE`].
pub const MAP: &str = "refinement.map";

/// The first line of these files; a copy of the text follows.
const COPY: &str = "(* Written by cubicle, for the certificate beside it: a copy of *)\n";

pub fn run(args: RefinesArgs) -> u8 {
    Command::new(&args.concrete, args.format, DocumentKind::Run)
        .reading("the model", [&args.abstraction])
        .reading("the map", &args.map)
        .writing("--trace-out", &args.trace_out)
        .writing("--model-out", &args.model_out)
        .writing("--report", &args.report)
        .forced(args.force)
        .until(args.time_limit)
        .run(args, |run| run.refines().map(|(code, document)| (code, Some(document))))
}

/// Both models, and the map.
struct Inputs {
    concrete: LoadedModel,
    abstraction: LoadedModel,
    map: Input,
}

/// The refinement of the second model by the first one. Reports why nothing can be said of it, in the text that it is about.
pub fn refinement(
    [concrete, abstraction]: [&LoadedModel; 2],
    map: &Input,
    messages: &Messages,
) -> Result<Arc<Refinement>, Failure> {
    let [low, high] = [concrete, abstraction].map(|it| RefinedModel { system: &it.system, file: &it.file });
    Refinement::new(low, high, &map.text).map(Arc::new).map_err(|refused| {
        let source = match refused.of {
            InText::Concrete => concrete.source(),
            InText::Abstract => abstraction.source(),
            InText::Map => Source { name: &map.name, text: &map.text },
        };
        messages.diagnostics(&refused.errors, &source);
        let first = refused.errors.first().map_or("", |it| it.message.as_str());
        Failure::usage(format!("{}: {first}", source.name)).reported()
    })
}

/// The map in a file; without one, a map that leaves all to names.
pub fn read_map(path: Option<&Path>) -> Result<Input, Failure> {
    let none = || Ok(Input { name: "the map".to_owned(), text: String::new() });
    path.map_or_else(none, input::read)
}

enum Finding {
    /// A run that breaks it.
    Broken(Box<BrokenRefinement>),
    /// It holds, for any number of processes.
    Holds,
    /// It holds in instances that were explored.
    Explored,
    /// Not decided.
    Open(Reason),
}

impl Run<'_, RefinesArgs> {
    /// The exit code, and the document but for the messages.
    fn refines(&self) -> Result<(u8, Document), Failure> {
        let Self { args, ending, .. } = *self;
        let inputs = self.inputs()?;
        let (concrete, abstraction) = (&inputs.concrete.system, &inputs.abstraction.system);
        let options = engine_options(args, concrete, &inputs.concrete.allowed)?;
        for path in args.trace_out.iter().chain(&args.model_out).chain(&args.report) {
            files::probe(path)?;
        }
        args.certificate.as_deref().map_or(Ok(()), files::probe_folder)?;
        let refinement = refinement([&inputs.concrete, &inputs.abstraction], &inputs.map, &ending.messages)?;
        if let Some(path) = &args.model_out {
            files::write(path, &export::model(&refinement.steps))?;
        }
        let (mut finding, mut found) = self.finding(&refinement, (concrete, abstraction), &options)?;
        let mut certificate = None;
        let mut refused = None;
        // Where all instances were explored, there is no proof.
        if matches!(finding, Finding::Holds) && found.acceptance.is_some() && !args.unchecked {
            ending.progress().begin("checking the proof");
            match proved(
                inputs.concrete.model(),
                &refinement,
                &found,
                args.certificate.is_some(),
                self.interrupt,
            ) {
                Ok((acceptance, written)) => (found.acceptance, certificate) = (Some(acceptance), written),
                Err(Refusal { reason, text }) => (finding, refused) = (Finding::Open(reason), text),
            }
        }
        let transferred = match (&finding, args.transfer) {
            (Finding::Holds, true) => self.transferred(abstraction, &options),
            (_, true) => {
                ending
                    .messages
                    .note("nothing carries over to the concrete model: that needs a proof of the refinement");
                Vec::new()
            }
            (_, false) => Vec::new(),
        };
        ending.begin();
        if !refinement.map.guessed.is_empty() {
            let guessed = refinement.map.guessed.join(" ");
            ending.messages.note(&format!("the map is completed by names: {guessed}"));
        }
        for assumption in cubicle_check::assumptions(concrete, false) {
            let place = inputs.concrete.source().place(assumption.span);
            ending.messages.note(&format!("the answer rests on the axiom at {place}"));
        }
        let answered =
            Answered { run: self, inputs: &inputs, refinement: &refinement, finding, found, transferred };
        let mut document = answered.document();
        let mut code = match &answered.finding {
            Finding::Broken(_) => exit::UNSAFE,
            Finding::Holds | Finding::Explored => exit::OK,
            Finding::Open(reason) => exit::of_reason(reason),
        };
        if self.for_people() {
            answered.tell();
            code = after_output(code, ending.output.finish());
        }
        document.certificate = certificate.as_ref().map(|it| summary(args.certificate.as_deref(), it));
        let written = answered.trace().and_then(|()| match (&args.certificate, &certificate) {
            (Some(folder), Some(certificate)) => self.write(folder, &inputs, certificate),
            _ => Ok(()),
        });
        let written = written.and_then(|()| {
            let draft = ending.draft(code, document.clone());
            answered.page(&draft.text())
        });
        code = ending.after_files(code, written, &mut document);
        let refused: Vec<String> = refused.into_iter().collect();
        code = ending.after_files(code, keep(&inputs.concrete.text, &refused, None), &mut document);
        Ok((code, document))
    }

    fn inputs(&self) -> Result<Inputs, Failure> {
        let Self { args, ending, .. } = *self;
        // Warnings are about each model by itself: other commands give them.
        let concrete = load(&args.concrete, None, &ending.messages)?;
        ending.know_model(&concrete.text)?;
        let abstraction = load(&args.abstraction, None, &ending.messages)?;
        passes_over_runs(&concrete.system, &ending.messages);
        let map = read_map(args.map.as_deref())?;
        Ok(Inputs { concrete, abstraction, map })
    }

    /// What the engines find of the initial states, then of the steps.
    fn finding(
        &self,
        refinement: &Refinement,
        models: (&System, &System),
        options: &Options,
    ) -> Result<(Finding, Report), Failure> {
        let mut explored = false;
        let mut last = Report::default();
        for (what, system) in
            [("comparing initial states", &refinement.initially), ("comparing steps", &refinement.steps)]
        {
            self.ending.progress().begin(what);
            // The proof about steps is checked as one about both models.
            let is_last = std::ptr::eq(system, &raw const refinement.steps);
            let options = options.clone().unchecked(is_last || self.args.unchecked);
            let found = decided(system, &options, self.interrupt);
            let finding = match &found.verdict {
                Some(Verdict::Unsafe(run)) => {
                    let broken = explain(refinement, models.0, models.1, run).map_err(|why| {
                        Failure::internal(format!(
                            "an engine reports a run that the models do not confirm: {why}"
                        ))
                    })?;
                    Some(Finding::Broken(Box::new(broken)))
                }
                Some(Verdict::Unknown(reason)) => Some(Finding::Open(reason.clone())),
                Some(Verdict::Safe) => None,
                None => {
                    explored = true;
                    None
                }
            };
            last = found;
            if let Some(finding) = finding {
                return Ok((finding, last));
            }
        }
        Ok((if explored { Finding::Explored } else { Finding::Holds }, last))
    }

    /// Writes a certificate, with all that it is about.
    fn write(&self, folder: &Path, inputs: &Inputs, certificate: &Certificate) -> Result<(), Failure> {
        write_certificate(folder, &inputs.concrete.system, certificate, self.args.force)?;
        let texts = [
            (CONCRETE, &inputs.concrete.text),
            (ABSTRACT, &inputs.abstraction.text),
            (MAP, &inputs.map.text),
        ];
        for (name, text) in texts {
            let write = if self.args.force { files::write } else { outputs::write_own };
            write(&folder.join(name), &format!("{COPY}{text}"))?;
        }
        Ok(())
    }

    /// Which bad states of the abstract model are not reached.
    fn transferred(&self, abstraction: &System, options: &Options) -> Vec<TransferRecord> {
        let mut found: Vec<TransferRecord> = Vec::new();
        let mut spans = Vec::new();
        for bad in &abstraction.bad {
            if spans.contains(&bad.span) {
                continue;
            }
            spans.push(bad.span);
            self.ending.progress().begin("proving what carries over");
            let only = abstraction.edited(|parts| parts.bad.retain(|it| it.span == bad.span));
            let holds = match decided(&only, options, self.interrupt).verdict {
                Some(Verdict::Safe) => Some(true),
                Some(Verdict::Unsafe(_)) => Some(false),
                Some(Verdict::Unknown(_)) | None => None,
            };
            found.push(TransferRecord { name: bad.name.clone(), holds });
        }
        found
    }
}

/// A refinement, and what was found of it.
struct Answered<'a> {
    run: &'a Run<'a, RefinesArgs>,
    inputs: &'a Inputs,
    refinement: &'a Refinement,
    finding: Finding,
    found: Report,
    transferred: Vec<TransferRecord>,
}

impl Answered<'_> {
    /// The names of the concrete and of the abstract model.
    fn names(&self) -> [&str; 2] {
        [&self.inputs.concrete, &self.inputs.abstraction].map(|it| it.name.as_str())
    }

    fn page(&self, data: &str) -> Result<(), Failure> {
        let Some(path) = &self.run.args.report else { return Ok(()) };
        let Inputs { concrete, abstraction, map } = self.inputs;
        let answer = self.answer(Style::PLAIN);
        let (holds, broken) = match &self.finding {
            Finding::Broken(broken) => (Some(false), Some(&**broken)),
            Finding::Holds => (Some(true), None),
            Finding::Explored | Finding::Open(_) => (None, None),
        };
        let page = report::refinement_page(
            (concrete.source(), &concrete.system),
            (abstraction.source(), &abstraction.system),
            (&map.text, &self.refinement.map.guessed),
            (&answer, holds),
            broken,
            data,
        );
        files::write(path, &page)
    }

    fn answer(&self, style: Style) -> String {
        let [concrete, abstraction] = self.names();
        let title = format!("{concrete} refines {abstraction}");
        match &self.finding {
            Finding::Broken(broken) => {
                let what = if broken.run.steps.is_empty() { "initial state" } else { "last step" };
                let not = style.bad("does not refine");
                format!("{concrete} {not} {abstraction}: it does not have the {what} of this run")
            }
            Finding::Holds => {
                let any = match self.inputs.concrete.system.max_procs {
                    None => "for any number of processes",
                    Some(_) => "for any number of processes that the model allows",
                };
                let unchecked = if self.found.is_unchecked() { " (unchecked)" } else { "" };
                format!("{title}, {}{unchecked}", style.good(any))
            }
            Finding::Explored => {
                let coverage = self.found.coverage.as_ref();
                let sizes = words::sizes(coverage.map_or(&[][..], |it| &it.procs), ", ")
                    + &words::of_sorts(&self.found.of_sorts);
                let cut = coverage.is_none_or(|it| it.cut.is_some());
                let seen = if cut { "not all states were seen" } else { "all states were seen" };
                format!("{title} with {sizes}: {seen}")
            }
            Finding::Open(reason) => report::unknown(reason, style),
        }
    }

    fn tell(&self) {
        let style = settings::result_style();
        let output = &self.run.ending.output;
        let [concrete, abstraction] = self.names();
        if let Finding::Broken(broken) = &self.finding {
            let [low, high] = [&self.inputs.concrete, &self.inputs.abstraction].map(|it| &it.system);
            output.write(&format!("{}\n", report::refinement(low, high, broken, style)));
        }
        output.write(&format!("{}\n", self.answer(style)));
        for TransferRecord { name, holds } in &self.transferred {
            let says = match holds {
                Some(true) => format!(
                    "{}: no run of {concrete} reaches such a state, read through the map",
                    style.good("holds")
                ),
                Some(false) => "does not hold of the abstract model itself".to_owned(),
                None => "not known of the abstract model".to_owned(),
            };
            output.write(&format!("{name} of {abstraction}: {says}\n"));
        }
    }

    fn document(&self) -> Document {
        let Self { inputs, finding, found, .. } = self;
        let mut document = self.run.ending.document();
        let model = |path: Option<&Path>, text: &str| Model {
            path: path.map(|path| path.display().to_string()),
            sha256: path.map(|_| sha256(text.as_bytes())),
        };
        let record = RefinementRecord {
            abstract_model: model(Some(&self.run.args.abstraction), &inputs.abstraction.text),
            map: model(self.run.args.map.as_deref(), &inputs.map.text),
            guessed: self.refinement.map.guessed.clone(),
            transferred: self.transferred.clone(),
            ..RefinementRecord::default()
        };
        let system = &inputs.concrete.system;
        document.verdict = Answer::Checked(match finding {
            Finding::Broken(_) => Conclusion::Unsafe,
            Finding::Holds => Conclusion::Safe,
            Finding::Explored => Conclusion::NothingFound,
            Finding::Open(_) => Conclusion::Unknown,
        });
        document.refinement = Some(match finding {
            Finding::Broken(broken) => {
                let lines = Lines::new(&inputs.concrete.text);
                document.traces = vec![TraceRecord::of_refinement(system, &lines, &broken.run)];
                record.broken(&inputs.abstraction.system, broken)
            }
            Finding::Open(reason) => {
                document.reason = Some(WhyOpen::from(reason));
                record
            }
            Finding::Holds | Finding::Explored => record,
        });
        document.proof_check = found.acceptance;
        document.complete = found.coverage.as_ref().map(|it| it.cut.is_none());
        document.cause = found.coverage.as_ref().and_then(|it| it.cut.as_ref()).map(|it| it.stop);
        document.explorations = found.explorations.iter().map(Into::into).collect();
        document.stages = found.stages.iter().map(Into::into).collect();
        document
    }

    /// Writes the run, or removes that of an earlier one.
    fn trace(&self) -> Result<(), Failure> {
        let model = &self.inputs.concrete;
        let run = match &self.finding {
            Finding::Broken(broken) => Some(itf::write_open(&model.system, &broken.run, &model.source())),
            _ => None,
        };
        files::write_trace(self.run.args.trace_out.as_ref(), run.as_deref())
    }
}
