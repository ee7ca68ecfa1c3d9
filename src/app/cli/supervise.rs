//! Work under the supervision of the watchdog: on a thread with a stack for any model, and with an answer however it ends.

use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{io, thread};

use cubicle_check::STACK_BYTES;
use cubicle_run::{Interrupt, Reason};

use super::ending::Ending;
use super::{exit, failure, watchdog};

/// Does `work`, which says how it ended once it has called [`Ending::begin`]; its exit code, or that of the watchdog
/// where `time` or `memory` (in bytes) is used up and `work` does not see it.
pub fn supervise(
    time: Option<Duration>,
    memory: Option<usize>,
    ending: impl FnOnce(&Interrupt) -> Ending,
    work: impl FnOnce(&Interrupt, &Arc<Ending>) -> u8 + Send + 'static,
) -> u8 {
    let interrupt = Interrupt::default();
    // The limit holds for the whole run, reading the model included.
    if let Some(deadline) = time.and_then(|limit| Instant::now().checked_add(limit)) {
        interrupt.set_deadline(deadline);
    }
    let ending = Arc::new(ending(&interrupt));
    let run = Arc::clone(&ending);
    let code = watchdog::start(&interrupt, memory, &ending).and_then(|()| {
        on_large_stack(move || {
            let code = match run.start_log() {
                Ok(()) => work(&interrupt, &run),
                Err(failure) => {
                    run.messages.error(&failure.error);
                    run.begin();
                    run.fail(failure.reported())
                }
            };
            run.begin();
            code
        })
    });
    ended(&ending, code, failure::reported_panic())
}

/// The exit code of work that ended with `code`, or did not begin, and panicked or not.
fn ended(ending: &Arc<Ending>, code: io::Result<u8>, panicked: Option<String>) -> u8 {
    match (code, panicked) {
        (Ok(_), Some(error)) => {
            ending.begin();
            ending.broken(error)
        }
        (Ok(code), None) => code,
        (Err(error), _) => ending.last_words(&Reason::Threads(error.to_string())).unwrap_or(exit::UNKNOWN),
    }
}

/// Runs `command` on a thread with a stack for any model; the error when the system gives none.
pub fn on_large_stack(command: impl FnOnce() -> u8 + Send + 'static) -> io::Result<u8> {
    let worker = thread::Builder::new().name("cubicle".into()).stack_size(STACK_BYTES);
    Ok(worker.spawn(command)?.join().unwrap_or(exit::INTERNAL))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use cubicle_report::document::DocumentKind;

    use super::*;
    use crate::cli::choices::ResultFormat;

    /// What is on standard output after a panic, and after another one.
    fn after_panics(results: ResultFormat, before: Option<&str>) -> String {
        let copy = tempfile::NamedTempFile::new().unwrap();
        let (model, kind) = (Path::new("m.cub"), DocumentKind::Run);
        let ending = Ending::with_document(model, results, kind, &Interrupt::default());
        ending.output.copy_to(copy.reopen().unwrap());
        let ending = Arc::new(ending);
        if let Some(answer) = before {
            ending.answer(answer);
        }
        for _ in 0..2 {
            let panicked = Some("internal error: panicked at lib.rs:1".to_owned());
            assert_eq!(ended(&ending, Ok(exit::INTERNAL), panicked), exit::INTERNAL);
        }
        std::fs::read_to_string(copy.path()).unwrap()
    }

    #[test]
    fn a_run_that_panics_has_one_answer_and_one_document() {
        let text = after_panics(ResultFormat::Json, None);
        let document: serde_json::Value = serde_json::from_str(&text).expect("one document");
        assert_eq!(document["exit_code"], 4);
        assert_eq!(document["error"], "internal error: panicked at lib.rs:1");
        assert_eq!(after_panics(ResultFormat::Ndjson, None).lines().count(), 1);
        assert_eq!(after_panics(ResultFormat::Human, None), "UNKNOWN: internal error\n");
        assert_eq!(after_panics(ResultFormat::Human, Some("UNSAFE !\n")), "UNSAFE !\n");
    }
}
