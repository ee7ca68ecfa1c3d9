//! `cubicle witness FILE --transition NAME`: a run that shows something harmless, or that there is none.

use std::path::PathBuf;
use std::time::Duration;

use clap::ArgGroup;
use cubicle_forward::explore;
use cubicle_lang::model::System;
use cubicle_lang::model::semantics::admits;
use cubicle_report as report;
use cubicle_report::document::{DocumentKind, WitnessDocument, Written};
use cubicle_run::{ForwardOptions, Reason, Silent};
use cubicle_tools::itf;
use cubicle_tools::mutation::mutant;
use cubicle_tools::witness::{NoWitness, WitnessAnswer, WitnessGoal, WitnessOptions, find};

use crate::cli::choices::{Choice, ResultFormat, choice};
use crate::cli::command::{Command, Run};
use crate::cli::engines::checker;
use crate::cli::failure::Failure;
use crate::cli::load::LoadedModel;
use crate::cli::quantities::duration;
use crate::cli::{exit, files, settings};

const FORMATS: [Choice<ResultFormat>; 2] = [
    ("human", ResultFormat::Human, "Text for a person"),
    ("json", ResultFormat::Json, "A document, whose schema is in docs/schema/witness.json"),
];

/// Shows a run without bad states that takes a transition, reaches a state, or does what only a mutant does; on the way
/// it takes as many other transitions and shows as many values as it finds. Or says that there is none.
///
/// Instances of two and three processes are explored. Where they have no such run, it is proved that no number of
/// processes has one, or shown that a larger one has.
///
/// Exit codes: 0 there is a run, or it is proved that there is none; 2 wrong usage, or errors in the model; 3 not found;
/// 4 output that cannot be written; 130, 143 a signal.
#[derive(Clone, Debug, clap::Args)]
#[command(max_term_width = 110)]
#[command(group(ArgGroup::new("goal").required(true).args(["transition", "cube", "mutant", "survivor"])))]
pub struct WitnessArgs {
    /// The model
    #[arg(value_name = "FILE")]
    pub model: PathBuf,

    /// A run that takes this transition at its end
    #[arg(long, value_name = "NAME")]
    pub transition: Option<String>,

    /// A run to a state in which this formula holds, as in `unsafe`; #1, #2, .. are any distinct processes
    #[arg(long, value_name = "CUBE")]
    pub cube: Option<String>,

    /// A run of mutant number N of `cubicle mutate --list` to a step that the model does not have
    #[arg(long, value_name = "N")]
    pub mutant: Option<usize>,

    /// A run of mutant number N, which no claim kills, to a state that the model does not reach
    #[arg(long, value_name = "N")]
    pub survivor: Option<usize>,

    /// A shortest run, whatever else it takes and shows
    #[arg(long)]
    pub shortest: bool,

    /// Explore the instance with K processes only, before a proof is tried [default: two, then three]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u8).range(1..=8))]
    pub procs: Option<u8>,

    /// Examine at most N states of an instance for what a run can cover
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_states: u32,

    /// Give the proof up after N rounds, each with three times the effort of the one before
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u8).range(1..=16))]
    pub rounds: u8,

    /// Number of threads of the proof; the result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: u16,

    /// Give up after this time (500ms, 10s, 2m)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,

    /// What to write to standard output
    #[arg(long, value_name = "FORMAT", value_parser = choice(&FORMATS), default_value = "human")]
    pub format: ResultFormat,

    /// Write the run to FILE, in ITF: `cubicle replay` executes it
    #[arg(long, value_name = "FILE")]
    pub trace_out: Option<PathBuf>,

    /// Replace a file of --trace-out that this program did not write
    #[arg(long)]
    pub force: bool,
}

pub fn run(args: WitnessArgs) -> u8 {
    Command::new(&args.model, args.format, DocumentKind::Witness)
        .writing("--trace-out", &args.trace_out)
        .forced(args.force)
        .until(args.time_limit)
        .run(args, |run| run.witness().map(|code| (code, None)))
}

/// A model, and the goal of its runs, also in words.
struct Wanted {
    model: LoadedModel,
    goal: WitnessGoal,
    what: String,
}

impl Run<'_, WitnessArgs> {
    fn witness(&self) -> Result<u8, Failure> {
        let Self { args, ending, .. } = *self;
        let wanted = self.wanted(self.load(&args.model)?)?;
        args.trace_out.iter().try_for_each(|path| files::probe(path))?;
        ending.progress().begin("looking for a run");
        let options = WitnessOptions {
            checker: checker(),
            procs: args.procs.map(usize::from),
            max_states: args.max_states as usize,
            rounds: args.rounds.into(),
            shortest: args.shortest,
            jobs: args.jobs.into(),
        };
        let answer = find(wanted.model.model(), &wanted.goal, &options, self.interrupt);
        let answer = answer.map_err(Failure::usage)?;
        ending.begin();
        let code = match &answer {
            WitnessAnswer::NotFound { why: NoWitness::Undecided(Reason::Interrupted(signal)), .. } => {
                exit::of_signal(*signal)
            }
            WitnessAnswer::NotFound { .. } => exit::UNKNOWN,
            WitnessAnswer::Run(_) | WitnessAnswer::Never => exit::OK,
        };
        let system = &wanted.model.system;
        let run = match &answer {
            WitnessAnswer::Run(witness) => {
                Some(itf::write_open(system, &witness.run, &wanted.model.source()))
            }
            _ => None,
        };
        files::write_trace(args.trace_out.as_ref(), run.as_deref())?;
        if self.for_people() {
            let style = settings::result_style();
            ending.output.write(&report::witness(&wanted.what, system, &answer, style));
        }
        let note = match &answer {
            WitnessAnswer::NotFound { why: NoWitness::NotAsked, .. } => {
                "this does not cover other numbers of processes; a mutant may also only lose steps"
            }
            WitnessAnswer::NotFound { why: NoWitness::Bad, .. } => "there is a run, but it has a bad state",
            _ => "",
        };
        if !note.is_empty() {
            ending.messages.note(note);
        }
        if !self.for_people() {
            let document = WitnessDocument::without_run(&ending.draft(code, ending.document()));
            ending.output.write(&document.with_answer(wanted.model.model(), &wanted.what, &answer).text());
        }
        Ok(code)
    }

    /// The goal of the command line.
    fn wanted(&self, model: LoadedModel) -> Result<Wanted, Failure> {
        if let Some(cube) = &self.args.cube {
            let goal = WitnessGoal::Cube(cube.clone());
            return Ok(Wanted { model, goal, what: format!("a state with {cube}") });
        }
        if let Some(number) = self.args.mutant.or(self.args.survivor) {
            let (candidate, mutant) = mutant(&model.file, &model.text, number).map_err(Failure::usage)?;
            let is_survivor = self.args.survivor.is_some();
            if is_survivor && self.is_killed(&mutant) {
                let help = format!("`cubicle mutate FILE --trace {number}` shows the run");
                return Err(Failure::usage(format!("mutant #{number} does not survive: {help}")));
            }
            let what = match &candidate.transition {
                _ if is_survivor => format!("a state of mutant #{number} that the model does not reach"),
                Some(name) => format!("{name} in mutant #{number}, as the model does not take it"),
                None => format!("an initial state of mutant #{number} that the model does not have"),
            };
            let text = candidate.text(&model.text);
            let (system, model) = (Box::new(model.system), LoadedModel { system: mutant, text, ..model });
            let goal = if is_survivor {
                WitnessGoal::New(system)
            } else {
                WitnessGoal::Unlike(system, candidate.transition)
            };
            return Ok(Wanted { model, goal, what });
        }
        let name = self.args.transition.as_deref().expect("one of them is required");
        let goal = WitnessGoal::Transition(name.to_owned());
        Ok(Wanted { model, goal, what: format!("transition {name}") })
    }

    /// Whether small instances have a bad state.
    fn is_killed(&self, mutant: &System) -> bool {
        let options = ForwardOptions::default().max_states(self.args.max_states as usize);
        let bad = |procs: &usize| {
            let seen = explore(mutant, *procs, &options, self.interrupt, &mut Silent);
            seen.exploration.unsafe_trace.is_some()
        };
        (1..=3).filter(|procs| admits(mutant, *procs)).any(|procs| bad(&procs))
    }
}
