//! `cubicle test PATH..`: runs models, and says which of them do not give the verdict that they announce.

mod plan;
mod verdict;

use std::ffi::OsString;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use cubicle_report as report;
use cubicle_report::document::{
    DocumentKind, TestCounts, TestDocument, TestOutcome, TestedModel, TestedRun, WhyOpen, Written,
};
use cubicle_run::Interrupt;
use cubicle_tools::expect::Expectation;

pub use self::plan::TestArgs;
use self::plan::{PlannedModel, PlannedRun};
use crate::child::Call;
use crate::cli::choices::ResultFormat;
use crate::cli::command::{Command, Run};
use crate::cli::failure::{Failure, cannot};
use crate::cli::{exit, files, input, memory, settings};

pub fn run(args: TestArgs) -> u8 {
    let command = Command::new(&args.paths[0], args.format, DocumentKind::Test);
    command.run(args, |run| run.test().map(|code| (code, None)))
}

impl Run<'_, TestArgs> {
    fn test(&self) -> Result<u8, Failure> {
        let Self { args, ending, interrupt } = *self;
        let planned = plan::read(args, &ending.messages, interrupt)?;
        let mut tested = self.run_all(&planned)?;
        ending.begin();
        let stopped = interrupt.reason();
        let mut written = Ok(());
        if args.update && stopped.is_none() {
            for (plan, model) in planned.iter().zip(&mut tested) {
                match update(plan, model) {
                    Ok(changes) => changes.iter().for_each(|change| self.show_change(change)),
                    Err(failure) => written = Err(failure),
                }
            }
        }
        let counts = TestCounts::of(&tested);
        let mut code = match &stopped {
            Some(reason) => exit::of_reason(reason),
            None if counts.failed > 0 => exit::INTERNAL,
            None if counts.unexpected > 0 => exit::UNSAFE,
            None if counts.inconclusive > 0 => exit::UNKNOWN,
            None => exit::OK,
        };
        let mut document = ending.document();
        document.reason = stopped.as_ref().map(WhyOpen::from);
        code = ending.after_files(code, written, &mut document);
        if self.for_people() {
            let style = settings::result_style();
            if let Some(reason) = &stopped {
                ending.output.write(&format!("{}\n", report::unknown(reason, style)));
            }
            ending.output.write(&report::test_summary(counts, style));
            return Ok(code);
        }
        let tests = TestDocument::new(tested, &ending.draft(code, document));
        ending.output.write(&match args.format {
            ResultFormat::Junit => report::tests_junit(&tests),
            ResultFormat::Sarif => report::tests_sarif(&tests),
            _ => tests.text(),
        });
        Ok(code)
    }

    fn show_change(&self, change: &Change) {
        let ending = self.ending;
        if self.for_people() {
            ending.output.write(&format!("updated {}\n", change.text));
        } else {
            ending.messages.note(&format!("updated {}", change.text));
        }
        if change.is_weaker {
            ending.messages.warning(&format!("{}: this model promises less than before", change.text));
        }
    }

    /// Makes all runs, and shows models in order as soon as they and those before them are done. The first ones when
    /// the interrupt ends it.
    fn run_all(&self, planned: &[PlannedModel]) -> Result<Vec<TestedModel>, Failure> {
        let Self { args, ending, .. } = *self;
        let all: Vec<(usize, usize)> = (planned.iter().enumerate())
            .flat_map(|(model, plan)| (0..plan.runs.len()).map(move |run| (model, run)))
            .collect();
        let mut ended: Vec<Vec<Option<TestedRun>>> =
            planned.iter().map(|plan| vec![None; plan.runs.len()]).collect();
        let mut tested: Vec<TestedModel> = Vec::new();
        let mut show = |ended: &mut Vec<Vec<Option<TestedRun>>>| {
            while let Some(runs) = ended.get(tested.len()).filter(|runs| runs.iter().all(Option::is_some)) {
                let path = planned[tested.len()].path.display().to_string();
                let model = TestedModel { path, runs: runs.iter().flatten().cloned().collect() };
                let fine = matches!(model.outcome(), None | Some(TestOutcome::AsExpected));
                if self.for_people() && !(args.quiet && fine) {
                    ending.output.write(&report::tested(&model, settings::result_style()));
                }
                tested.push(model);
            }
        };
        let (next, (sender, results)) = (AtomicUsize::new(0), mpsc::channel());
        let (interrupt, dropper) = self.interrupt.droppable();
        thread::scope(|scope| {
            let mut threads = 0;
            for _ in 0..usize::from(args.jobs).min(all.len()) {
                let (sender, next, all, interrupt) = (sender.clone(), &next, &all, &interrupt);
                let worker = thread::Builder::new().name("runs".into());
                let begun = worker.spawn_scoped(scope, move || {
                    while let Some(&(model, run)) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let (plan, run_of) = (&planned[model], &planned[model].runs[run]);
                        let result = self.run_one(plan, run_of, interrupt).transpose();
                        // After a failure, results are not read any more.
                        if result.is_none_or(|result| sender.send(((model, run), result)).is_err()) {
                            return;
                        }
                    }
                });
                // Fewer do, too.
                match begun {
                    Ok(_) => threads += 1,
                    Err(error) if threads == 0 => {
                        return Err(Failure::new(exit::UNKNOWN, format!("cannot start a thread: {error}")));
                    }
                    Err(_) => break,
                }
            }
            drop(sender);
            show(&mut ended);
            for (done, ((model, run), result)) in (1..).zip(results) {
                // The other runs are not needed after a failure.
                ended[model][run] = Some(result.inspect_err(|_| dropper.drop_run())?);
                ending.progress().begin(&format!("{done} of {} runs", all.len()));
                show(&mut ended);
            }
            Ok(())
        })?;
        Ok(tested)
    }

    /// Makes one run; `None` when the interrupt ended it.
    fn run_one(
        &self,
        model: &PlannedModel,
        run: &PlannedRun,
        interrupt: &Interrupt,
    ) -> Result<Option<TestedRun>, Failure> {
        if interrupt.reason().is_some() {
            return Ok(None);
        }
        let call = Call { words: &self.words(model, run), stdin: None, folder: None };
        let end = call.run(interrupt).map_err(cannot("cannot run the program itself"))?;
        Ok(end.code.is_some().then(|| verdict::of_child(run, &end)))
    }

    /// The command line of a run; the model is its last word.
    fn words(&self, model: &PlannedModel, run: &PlannedRun) -> Vec<OsString> {
        let mut words = plan::command(&run.words, &model.path);
        let file = words.pop();
        if let Some(limit) = self.args.time_limit.filter(|_| run.args.time_limit.is_none()) {
            words.extend(["--time-limit".into(), format!("{}ms", limit.as_millis()).into()]);
        }
        let share =
            || memory::most_of_it().filter(|_| self.args.jobs > 1).map(|it| it / usize::from(self.args.jobs));
        if let Some(limit) = self.args.memory_limit.or_else(share).filter(|_| run.args.memory_limit.is_none())
        {
            words.extend(["--memory-limit".into(), limit.to_string().into()]);
        }
        words.extend(file);
        words
    }
}

pub struct Change {
    /// What changed, for a person.
    pub text: String,
    /// Whether the model promised that nothing is wrong, and does so no longer.
    pub is_weaker: bool,
}

/// Rewrites the lines of a model whose verdicts are others, and marks its runs.
pub fn update(planned: &PlannedModel, tested: &mut TestedModel) -> Result<Vec<Change>, Failure> {
    let mut changes = Vec::new();
    let mut text = planned.text.clone();
    // From the last one on, so that places stay valid.
    for (plan, run) in planned.runs.iter().zip(&mut tested.runs).rev() {
        let Some((verdict, change)) = changed(plan, run, &tested.path) else { continue };
        let Some((_, span)) = plan.place else { continue };
        text.replace_range(span.start as usize..span.end as usize, &verdict);
        run.outcome = TestOutcome::Updated;
        changes.push(change);
    }
    if changes.is_empty() {
        return Ok(changes);
    }
    if input::read(&planned.path)?.text != planned.text {
        return Err(Failure::internal(format!("{} was changed meanwhile, and stays as it is", tested.path)));
    }
    files::replace(&planned.path, &text)?;
    changes.reverse();
    Ok(changes)
}

/// The new verdict of a line, if it is to be changed.
fn changed(plan: &PlannedRun, run: &TestedRun, path: &str) -> Option<(String, Change)> {
    if run.outcome != TestOutcome::Unexpected {
        return None;
    }
    // An error in the model is not a verdict on it, and neither is a refusal of the program.
    let Ok(mut new) = run.verdict.as_ref()?.parse::<Expectation>() else { return None };
    if let Expectation::Verdict(_, steps) = &mut new
        && !matches!(plan.expected, Expectation::Verdict(_, Some(_)))
    {
        *steps = None;
    }
    if matches!(new, Expectation::Error(_)) {
        return None;
    }
    let line = run.place?.line;
    let is_weaker = is_good(&plan.expected) && !is_good(&new);
    let text = format!("{path}:{line}: {} -> {new}", plan.expected);
    Some((new.to_string(), Change { text, is_weaker }))
}

/// Whether nothing is wrong with a model of which this is expected.
fn is_good(expected: &Expectation) -> bool {
    use cubicle_run::Conclusion::{NothingFound, Safe};
    matches!(expected, Expectation::Verdict(Safe | NothingFound, _) | Expectation::WellFormed)
}
