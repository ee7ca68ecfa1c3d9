//! Runs the program on an open model, when its user asks for that: what a `TEST:` line of the model says.
//!
//! The run is a process of its own, reads the text as the editor has it from its standard input, and writes no file.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::iter::once;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{io, thread};

use cubicle_run::workers::locked;
use cubicle_run::{Dropper, Interrupt};
use serde_json::{Value, json};

use crate::child::{Call, ChildEnd};
use crate::rpc::{Outgoing, RequestError};

/// The command by which clients ask for it: the document's name, then the number of the `TEST:` line or nothing.
pub const COMMAND: &str = "cubicle.prove";

/// Says why these arguments are not run: they are wrong, or make the program write files. The model follows them.
pub type Refuse = fn(&[String]) -> Option<String>;

/// The current runs, shared with the thread that ends them.
#[derive(Clone, Default)]
pub struct Running(Arc<Mutex<BTreeMap<String, ProofRun>>>);

impl Running {
    /// Ends all of them.
    pub fn stop_all(&self) {
        locked(&self.0).values().for_each(|run| run.dropper.drop_run());
        while !locked(&self.0).is_empty() {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

#[derive(Default)]
pub struct ProofRuns {
    /// Whether the client shows progress.
    pub shows_progress: bool,
    /// The current ones.
    pub running: Running,
    started: u64,
}

struct ProofRun {
    dropper: Dropper,
    /// The token of its progress.
    token: String,
}

impl ProofRuns {
    /// Starts a run with the words of a `TEST:` line on `text`; its end answers the request `id`.
    pub fn prove(
        &mut self,
        refuse: Refuse,
        output: &Outgoing,
        line: &str,
        text: String,
        id: &Value,
    ) -> Result<(), RequestError> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        if let Some(why) = refuse(&words) {
            return Err(RequestError::new(
                RequestError::FAILED,
                format!("`cubicle {line}` is not run: {why}"),
            ));
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        self.start(output, &words, text, id, |answer| answer)
    }

    /// Starts a run with these words on `text`; its end answers the request `id`, with what `read` makes of its output.
    pub fn start(
        &mut self,
        output: &Outgoing,
        words: &[&str],
        text: String,
        id: &Value,
        read: impl FnOnce(String) -> String + Send + 'static,
    ) -> Result<(), RequestError> {
        let key = id.to_string();
        if locked(&self.running.0).contains_key(&key) {
            let why = format!("request {key} is not answered yet: its run goes on");
            return Err(RequestError::new(RequestError::INVALID_REQUEST, why));
        }
        let failed = |error: io::Error| RequestError::new(RequestError::FAILED, format!("no run: {error}"));
        let (interrupt, dropper) = Interrupt::default().droppable();
        self.started += 1;
        let token = format!("cubicle/{}", self.started);
        let title = format!("cubicle {}", words.join(" ")).trim_end().to_owned();
        locked(&self.running.0).insert(key.clone(), ProofRun { dropper, token: token.clone() });
        let shown = self.shows_progress.then_some(token);
        if let Some(token) = &shown {
            let (method, params) = ("window/workDoneProgress/create", json!({ "token": token }));
            output.send(&json!({ "jsonrpc": "2.0", "id": token, "method": method, "params": params }));
            let value = json!({ "kind": "begin", "title": title, "cancellable": true });
            output.notify("$/progress", json!({ "token": token, "value": value }));
        }
        let words: Vec<OsString> = words.iter().copied().chain(once("-")).map(OsString::from).collect();
        let (running, output, id, run_key) = (self.running.clone(), output.clone(), id.clone(), key.clone());
        let wait = move || {
            let end = Call { words: &words, stdin: Some(&text), folder: None }.run(&interrupt);
            locked(&running.0).remove(&run_key);
            if let Some(token) = &shown {
                output.notify("$/progress", json!({ "token": token, "value": { "kind": "end" } }));
            }
            let answer = end.map_err(failed).and_then(|end| conclude(&output, &title, end, read));
            output.respond(&id, answer);
        };
        thread::Builder::new().name("run".into()).spawn(wait).map(drop).map_err(|error| {
            locked(&self.running.0).remove(&key);
            failed(error)
        })
    }

    /// Stops the run that answers request `id`, if it has not ended.
    pub fn stop(&self, id: &Value) {
        if let Some(run) = locked(&self.running.0).get(&id.to_string()) {
            run.dropper.drop_run();
        }
    }

    /// Stops the run whose progress is called `token`.
    pub fn stop_shown(&self, token: &Value) {
        let running = locked(&self.running.0);
        running.values().filter(|run| *token == run.token).for_each(|run| run.dropper.drop_run());
    }
}

impl Drop for ProofRuns {
    fn drop(&mut self) {
        self.running.stop_all();
    }
}

/// Reports the outcome of a run, and returns the answer to the request for it.
fn conclude(
    output: &Outgoing,
    title: &str,
    end: ChildEnd,
    read: impl FnOnce(String) -> String,
) -> Result<Value, RequestError> {
    let Some(code) = end.code else {
        return Err(RequestError::new(RequestError::CANCELLED, "stopped"));
    };
    let (answer, errors) = (read(end.stdout), end.stderr);
    output.notify("window/logMessage", json!({ "type": 3, "message": format!("{title}\n{answer}{errors}") }));
    let last = |text: &str| text.lines().rev().find(|line| !line.trim().is_empty()).map(str::to_owned);
    let summary = last(&answer).or_else(|| last(&errors)).unwrap_or_else(|| "no answer".to_owned());
    // An error for a bad state, a warning for no answer.
    let kind = match code {
        Ok(0) => 3,
        Ok(3) => 2,
        _ => 1,
    };
    output.notify("window/showMessage", json!({ "type": kind, "message": format!("{title}: {summary}") }));
    Ok(json!({ "exitCode": code.ok(), "summary": summary, "output": answer, "errors": errors }))
}
