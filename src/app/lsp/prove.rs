//! Runs the program on an open model, when its user asks for that: what a `TEST:` line of the model says.
//!
//! The run is a process of its own, reads the text as the editor has it from its standard input, and writes no file.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::parent;
use crate::rpc::{Outgoing, RequestError};
use serde_json::{Value, json};

/// The command by which clients ask for it: the document's name, then the number of the `TEST:` line or nothing.
pub const COMMAND: &str = "cubicle.prove";

#[derive(Clone)]
pub struct ProofRunner {
    pub program: PathBuf,
    /// The variable by which it would log, into what is shown to the user.
    pub log_variable: &'static str,
    /// Says why these arguments are not run: they are wrong, or make the program write files. The model follows them.
    pub refuse: fn(&[String]) -> Option<String>,
}

/// The current runs, shared with the thread that ends them.
#[derive(Clone, Default)]
pub struct Running(Arc<Mutex<BTreeMap<String, ProofRun>>>);

impl Running {
    pub fn stop_all(&self) {
        lock(self).values_mut().for_each(ProofRun::stop);
    }
}

/// The current runs.
#[derive(Default)]
pub struct ProofRuns {
    /// Whether the client shows progress.
    pub shows_progress: bool,
    /// The current ones.
    pub running: Running,
    started: u64,
}

struct ProofRun {
    child: Child,
    /// The token of its progress.
    token: String,
    stopped: bool,
}

impl ProofRuns {
    /// Starts a run with the words of a `TEST:` line on `text`; its end answers the request `id`.
    pub fn prove(
        &mut self,
        prover: &ProofRunner,
        output: &Outgoing,
        line: &str,
        text: String,
        id: &Value,
    ) -> Result<(), RequestError> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        if let Some(why) = (prover.refuse)(&words) {
            return Err(RequestError::new(
                RequestError::FAILED,
                format!("`cubicle {line}` is not run: {why}"),
            ));
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        self.start(prover, output, &words, text, id, |answer| answer)
    }

    /// Starts a run with these words on `text`; its end answers the request `id`, with what `read` makes of its output.
    pub fn start(
        &mut self,
        prover: &ProofRunner,
        output: &Outgoing,
        words: &[&str],
        text: String,
        id: &Value,
        read: impl FnOnce(String) -> String + Send + 'static,
    ) -> Result<(), RequestError> {
        let key = id.to_string();
        if lock(&self.running).contains_key(&key) {
            let why = format!("request {key} is not answered yet: its run goes on");
            return Err(RequestError::new(RequestError::INVALID_REQUEST, why));
        }
        let failed =
            |error: std::io::Error| RequestError::new(RequestError::FAILED, format!("no run: {error}"));
        let mut command = Command::new(&prover.program);
        command.args(words).arg("-").env_remove(prover.log_variable);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = parent::bind(&mut command).spawn().map_err(failed)?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        self.started += 1;
        let token = format!("cubicle/{}", self.started);
        let title = format!("cubicle {}", words.join(" ")).trim_end().to_owned();
        lock(&self.running).insert(key.clone(), ProofRun { child, token: token.clone(), stopped: false });
        let shown = self.shows_progress.then_some(token);
        if let Some(token) = &shown {
            let (method, params) = ("window/workDoneProgress/create", json!({ "token": token }));
            output.send(&json!({ "jsonrpc": "2.0", "id": token, "method": method, "params": params }));
            let value = json!({ "kind": "begin", "title": title, "cancellable": true });
            output.notify("$/progress", json!({ "token": token, "value": value }));
        }
        let (running, output, id) = (self.running.clone(), output.clone(), id.clone());
        let wait = move || {
            let writer = thread::spawn(move || {
                // A run that has read enough closes its end.
                let _ = stdin.map(|mut stdin| stdin.write_all(text.as_bytes()));
            });
            let errors = thread::spawn(move || all(stderr));
            let answer = all(stdout);
            let errors = errors.join().unwrap_or_default();
            let _ = writer.join();
            let run = lock(&running).remove(&key);
            let stopped = run.as_ref().is_none_or(|run| run.stopped);
            let code = run.and_then(|mut run| run.child.wait().ok()).and_then(|status| status.code());
            if let Some(token) = &shown {
                output.notify("$/progress", json!({ "token": token, "value": { "kind": "end" } }));
            }
            let answer = if stopped { answer } else { read(answer) };
            output.respond(&id, conclude(&output, &title, stopped, code, &answer, &errors));
        };
        thread::Builder::new().name("run".into()).spawn(wait).map(drop).map_err(|error| {
            self.running.stop_all();
            failed(error)
        })
    }

    /// Stops the run that answers request `id`, if it has not ended.
    pub fn stop(&self, id: &Value) {
        if let Some(run) = lock(&self.running).get_mut(&id.to_string()) {
            run.stop();
        }
    }

    /// Stops the run whose progress is called `token`.
    pub fn stop_shown(&self, token: &Value) {
        lock(&self.running).values_mut().filter(|run| *token == run.token).for_each(ProofRun::stop);
    }
}

impl Drop for ProofRuns {
    fn drop(&mut self) {
        self.running.stop_all();
    }
}

impl ProofRun {
    fn stop(&mut self) {
        self.stopped = true;
        // It may have ended by itself.
        let _ = self.child.kill();
    }
}

fn lock(running: &Running) -> MutexGuard<'_, BTreeMap<String, ProofRun>> {
    running.0.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Everything that a run writes to one of its outputs.
fn all(source: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    // What was read before an error is used.
    let _ = source.map(|mut source| source.read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reports the outcome of a run, and returns the answer to the request for it.
fn conclude(
    output: &Outgoing,
    title: &str,
    stopped: bool,
    code: Option<i32>,
    answer: &str,
    errors: &str,
) -> Result<Value, RequestError> {
    if stopped {
        return Err(RequestError::new(RequestError::CANCELLED, "stopped"));
    }
    output.notify("window/logMessage", json!({ "type": 3, "message": format!("{title}\n{answer}{errors}") }));
    let last = |text: &str| text.lines().rev().find(|line| !line.trim().is_empty()).map(str::to_owned);
    let summary = last(answer).or_else(|| last(errors)).unwrap_or_else(|| "no answer".to_owned());
    // An error for a bad state, a warning for no answer.
    let kind = match code {
        Some(0) => 3,
        Some(3) => 2,
        _ => 1,
    };
    output.notify("window/showMessage", json!({ "type": kind, "message": format!("{title}: {summary}") }));
    Ok(json!({ "exitCode": code, "summary": summary, "output": answer, "errors": errors }))
}
