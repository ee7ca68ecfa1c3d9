//! `cubicle witness FILE --transition NAME`: a run that shows something harmless, or that there is none.

mod args;

use std::ffi::OsString;
use std::io::stdout;
use std::sync::Arc;
use std::time::Instant;

use clap::Parser;
use cubicle::diagnostic::Source;
use cubicle::interrupt::Interrupt;
use cubicle::itf;
use cubicle::model::System;
use cubicle::report;
use cubicle::result::Witness;
use cubicle::syntax::ast::Item;
use cubicle::transform::mutate::candidates;
use cubicle::verdict::Reason;
use cubicle::witness::{NoWitness, WitnessAnswer, WitnessGoal, WitnessOptions, find};

pub use self::args::WitnessArgs;
use super::ending::Ending;
use super::load::{LoadedModel, load, passes_over_runs};
use super::supervise::supervise;
use super::{exit, files, live, memory, settings};

/// Runs the command on the words after `witness`.
pub fn run(words: Vec<OsString>) -> u8 {
    let args = match WitnessArgs::try_parse_from(std::iter::once("cubicle witness".into()).chain(words)) {
        Ok(args) => args,
        Err(error) => return exit::refuse(&error),
    };
    let model = args.model.clone();
    supervise(
        (args.time_limit.map(|limit| limit + args::LATE), memory::most_of_it()),
        |interrupt| Ending::of_command(&model, interrupt),
        move |interrupt, ending| {
            live::start(ending, false);
            let at = args.time_limit.and_then(|limit| Instant::now().checked_add(limit));
            let interrupt = at.map_or_else(|| interrupt.clone(), |at| interrupt.until(at));
            let code = WitnessRun { args: &args, ending, interrupt: &interrupt }.witness();
            let code = code.unwrap_or_else(|(code, error)| {
                ending.begin();
                ending.messages.error(&error);
                code
            });
            exit::after_output(code, ending.output.finish())
        },
    )
}

/// What went wrong: the exit code, and a line for the user.
type Wrong = (u8, String);

struct WitnessRun<'a> {
    args: &'a WitnessArgs,
    ending: &'a Arc<Ending>,
    interrupt: &'a Interrupt,
}

/// A model, what its runs are to show, and that in words.
struct Wanted {
    system: System,
    text: String,
    goal: WitnessGoal,
    what: String,
}

impl WitnessRun<'_> {
    fn witness(&self) -> Result<u8, Wrong> {
        let Self { args, ending, .. } = *self;
        let Ok(LoadedModel { system, text, .. }) = load(&args.model, Some(&[]), &ending.messages) else {
            ending.begin();
            return Ok(exit::USAGE);
        };
        passes_over_runs(&system, &ending.messages);
        let wanted = self.wanted(system, text).map_err(|error| (exit::USAGE, error))?;
        if let Some(path) = &args.trace_out {
            files::probe(path).map_err(|error| (exit::INTERNAL, error))?;
        }
        ending.progress().begin("looking for a run");
        let options = WitnessOptions {
            procs: args.procs.map(usize::from),
            max_states: args.max_states as usize,
            rounds: args.rounds.into(),
            shortest: args.shortest,
            jobs: args.jobs.into(),
        };
        let answer = find((&wanted.system, &wanted.text), &wanted.goal, &options, self.interrupt);
        let answer = answer.map_err(|error| (exit::USAGE, error))?;
        ending.begin();
        match answer {
            WitnessAnswer::Run(witness) => self.show(&wanted, &witness),
            WitnessAnswer::Never => {
                let style = settings::automatic_style(&stdout());
                let never = style.good(match wanted.system.max_procs {
                    None => "never, for any number of processes",
                    Some(_) => "never, for any number of processes that the model allows",
                });
                ending.output.write(&format!("{}: {never}\n", wanted.what));
                self.no_file()?;
                Ok(exit::OK)
            }
            WitnessAnswer::NotFound { sizes, complete, why } => {
                self.not_found(&wanted.what, &sizes, complete, &why);
                self.no_file()?;
                Ok(match why {
                    NoWitness::Undecided(Reason::Interrupted(signal)) => exit::of_signal(signal),
                    _ => exit::UNKNOWN,
                })
            }
        }
    }

    /// What is asked for.
    fn wanted(&self, system: System, text: String) -> Result<Wanted, String> {
        let Ok(loaded) = cubicle::load(&text) else { unreachable!("it was loaded before") };
        if let Some(cube) = &self.args.cube {
            let goal = WitnessGoal::Cube(cube.clone());
            return Ok(Wanted { system, text, goal, what: format!("a state with {cube}") });
        }
        if let Some(number) = self.args.mutant {
            let all = candidates(&loaded.file, &text);
            let Some(candidate) = all.iter().find(|it| it.number == number) else {
                return Err(format!("there is no mutant #{number}: the model has {} of them", all.len()));
            };
            let Some(mutant) = candidate.system(&text) else {
                return Err(format!("mutant #{number} is no model: its types do not fit"));
            };
            let goal = WitnessGoal::Unlike(Box::new(system), candidate.transition.clone());
            let what = match &candidate.transition {
                Some(name) => format!("{name} in mutant #{number}, as the model does not take it"),
                None => format!("an initial state of mutant #{number} that the model does not have"),
            };
            return Ok(Wanted { system: mutant, text: candidate.text(&text), goal, what });
        }
        let name = self.args.transition.as_deref().expect("one of them is required");
        let names = || {
            loaded.file.items.iter().filter_map(|item| match item {
                Item::Transition(it) => Some(it.name.text.as_str()),
                _ => None,
            })
        };
        if !names().any(|it| it == name) {
            let similar = cubicle::spelling::nearest(name, names());
            let help = similar.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
            return Err(format!("the model has no transition `{name}`{help}"));
        }
        let goal = WitnessGoal::Transition(name.to_owned());
        Ok(Wanted { system, text, goal, what: format!("transition {name}") })
    }

    /// Writes a run.
    fn show(&self, wanted: &Wanted, witness: &Witness) -> Result<u8, Wrong> {
        let Self { args, ending, .. } = *self;
        let style = settings::automatic_style(&stdout());
        ending.output.write(&report::witness(&wanted.what, &wanted.system, witness, style));
        if let Some(path) = &args.trace_out {
            let stdin = args.model.as_os_str() == "-";
            let name = if stdin { "<stdin>".to_owned() } else { args.model.display().to_string() };
            let source = Source { name: &name, text: &wanted.text };
            let text = itf::write_open(&wanted.system, &witness.run, &source);
            files::write(path, &text).map_err(|error| (exit::INTERNAL, error))?;
        }
        Ok(exit::OK)
    }

    /// A run of an earlier time must not be taken for one of this time.
    fn no_file(&self) -> Result<(), Wrong> {
        let Some(path) = &self.args.trace_out else { return Ok(()) };
        files::remove_traces(path, 1).map(drop).map_err(|error| (exit::INTERNAL, error))
    }

    fn not_found(&self, what: &str, sizes: &[usize], complete: bool, why: &NoWitness) {
        let style = settings::automatic_style(&stdout());
        let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
        let seen = if complete { "all runs of which were seen" } else { "not all runs of which were seen" };
        let title = style.doubtful("not found");
        let plural = if sizes == ["1"] { "process" } else { "processes" };
        let text = format!("{what}: {title} with {} {plural}, {seen}\n", sizes.join(" and "));
        self.ending.output.write(&text);
        match why {
            NoWitness::Undecided(reason) => {
                self.ending.output.write(&format!("{}\n", report::unknown(reason, style)));
            }
            NoWitness::NotAsked => {
                self.ending
                    .messages
                    .note("nothing is said of other numbers of processes; a mutant may also only lose steps");
            }
            NoWitness::Bad => self.ending.messages.note("there is a run, but it has a bad state"),
        }
    }
}
