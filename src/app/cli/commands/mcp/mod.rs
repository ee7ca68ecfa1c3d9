//! `cubicle mcp --folder DIR`: tools for agents, by the Model Context Protocol on standard input and output.
//!
//! The server keeps nothing between calls, and runs no engine: each call is a process of its own, on copies of the files that it
//! names.

mod call;
mod folder;
mod modern;
mod tools;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use cubicle_run::workers::locked;
use cubicle_run::{Dropper, Interrupt};
use serde_json::{Map, Value, json};

use self::call::MOST_CALLS;
use self::folder::Folder;
use self::modern::{Peer, Tasks};
use self::tools::{TOOLS, Tool};
use crate::cli::commands::lsp::served;
use crate::cli::exit;
use crate::cli::failure::Failure;
use crate::cli::quantities::duration;
use crate::rpc::{Framing, Outgoing, RequestError, Server, ServerEnd, guarded};

/// The versions of the protocol that begin with `initialize`, the newest first.
const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// What clients are told to do with the tools.
const INSTRUCTIONS: &str = "A model checker for parameterized systems, in the language of Cubicle. Check a model after each change, \
                            step through it to see what it does, explain the codes of errors.";

/// How long runs may take to end after a signal.
const GRACE: Duration = Duration::from_millis(400);

/// Offers checks of models as tools to agents, by the Model Context Protocol on standard input and output: check, explain, step, witness,
/// mutate, validate and format.
///
/// A call names a model, and logs, by their paths in DIR. Nothing outside of DIR is read: `..` and symbolic links are refused, and so are options
/// that have to do with files. Nothing is written there. Each call is a process of its own with a limit on its time; a client may
/// cancel it.
///
/// Exit codes: 0 the client closed standard input, and all calls are answered; 2 wrong usage; 4 internal error; 128 plus the number of a
/// signal.
#[derive(Debug, clap::Args)]
#[command(max_term_width = 110)]
pub struct McpArgs {
    /// The folder with the models
    #[arg(long, value_name = "DIR")]
    folder: PathBuf,

    /// End each call after this time (500ms, 10s, 2m)
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "60s")]
    time_limit: Duration,
}

pub fn run(args: McpArgs) -> Result<u8, Failure> {
    let folder = Folder::open(&args.folder)?;
    let output = Outgoing::new(Box::new(std::io::stdout()), Framing::Lines);
    let calls = Arc::<Calls>::default();
    let mut server = ToolServer {
        output: output.clone(),
        folder: Arc::new(folder),
        time_limit: args.time_limit,
        is_initialized: false,
        calls: Arc::clone(&calls),
        tasks: Arc::default(),
    };
    let stop = move |signal| calls.stop(signal);
    served(&output, &mut server, stop, exit::INTERNAL)
}

/// The calls that are not answered yet, shared by the threads that make them.
#[derive(Default)]
struct Calls {
    /// By the identifier of the request.
    running: Mutex<BTreeMap<String, RunningCall>>,
    /// Told when one ends.
    ended: Condvar,
    /// The signal that ends the server, or 0.
    signal: AtomicI32,
}

impl Calls {
    /// Ends all calls for a signal, and waits until they have ended.
    fn stop(&self, signal: i32) {
        self.signal.store(signal, Ordering::Relaxed);
        locked(&self.running).values().for_each(|call| call.dropper.drop_run());
        self.wait(Some(GRACE));
    }

    /// Waits until no call is left, or for so long.
    fn wait(&self, most: Option<Duration>) {
        let until = most.map(|most| Instant::now() + most);
        let mut running = locked(&self.running);
        while !running.is_empty() {
            let left = until.map_or(GRACE, |at| at.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return;
            }
            running = self.ended.wait_timeout(running, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Ends a call whose answer no client waits for.
    fn drop_call(&self, key: &str) {
        if let Some(call) = locked(&self.running).get_mut(key) {
            call.is_wanted = false;
            call.dropper.drop_run();
        }
    }

    /// A call has ended, and is answered where that is wanted: the server may end when none is left.
    fn end(&self, key: &str, answer: impl FnOnce()) {
        if locked(&self.running).get(key).is_some_and(|call| call.is_wanted) {
            answer();
        }
        locked(&self.running).remove(key);
        self.ended.notify_all();
    }
}

/// A call that is not answered yet.
struct RunningCall {
    dropper: Dropper,
    /// Whether the client still wants its answer.
    is_wanted: bool,
}

struct ToolServer {
    output: Outgoing,
    folder: Arc<Folder>,
    time_limit: Duration,
    is_initialized: bool,
    calls: Arc<Calls>,
    tasks: Arc<Tasks>,
}

fn server_info() -> Value {
    json!({ "name": "cubicle", "title": "Cubicle", "version": env!("CARGO_PKG_VERSION") })
}

/// The tools as clients are told of them.
fn listed() -> Value {
    let tools: Vec<Value> = TOOLS.iter().map(Tool::description).collect();
    json!({ "tools": tools })
}

impl Server for ToolServer {
    fn request(&mut self, method: &str, params: &Value, id: &Value) -> Option<Result<Value, RequestError>> {
        match modern::peer(params) {
            None => {}
            Some(Ok(peer)) => return self.modern(method, params, id, peer),
            Some(Err(error)) => return Some(Err(error)),
        }
        match method {
            "ping" => Some(Ok(json!({}))),
            "initialize" => Some(Ok(self.initialize(params))),
            _ if !self.is_initialized => {
                let why = "the first request is `initialize`";
                Some(Err(RequestError::new(RequestError::NOT_INITIALIZED, why)))
            }
            "tools/list" => Some(Ok(listed())),
            "tools/call" => self.call(params, id, None),
            _ => Some(Err(RequestError::no_method(method))),
        }
    }

    fn notification(&mut self, method: &str, params: &Value) {
        // Others of a client need nothing to be done.
        if method == "notifications/cancelled" {
            self.calls.drop_call(&params["requestId"].to_string());
        }
    }

    fn is_last(&self, _message: &Value) -> bool {
        false
    }

    fn end(&mut self) -> ServerEnd {
        self.calls.wait(None);
        match self.calls.signal.load(Ordering::Relaxed) {
            0 => ServerEnd::Orderly,
            signal => ServerEnd::Signal(signal),
        }
    }
}

impl ToolServer {
    fn initialize(&mut self, params: &Value) -> Value {
        self.is_initialized = true;
        let asked = VERSIONS.iter().find(|version| params["protocolVersion"] == **version);
        json!({
            "protocolVersion": asked.unwrap_or(&VERSIONS[0]),
            "capabilities": { "tools": {} },
            "serverInfo": server_info(),
            "instructions": INSTRUCTIONS,
        })
    }

    /// Answers a request that says which version it is in.
    fn modern(
        &self,
        method: &str,
        params: &Value,
        id: &Value,
        peer: Peer,
    ) -> Option<Result<Value, RequestError>> {
        match method {
            "server/discover" => Some(Ok(modern::discovered(&server_info(), INSTRUCTIONS))),
            "tools/list" => Some(Ok(modern::fresh(listed()))),
            "tools/call" => self.call(params, id, Some(peer)),
            "tasks/get" | "tasks/update" | "tasks/cancel" => {
                Some(self.tasks.request(method, params, peer, |task| self.calls.drop_call(task)))
            }
            _ => Some(Err(RequestError::no_method(method))),
        }
    }

    /// Begins a call, which is answered by a thread of its own; a long one of a client that can have tasks at once, with a task. `peer`: the client, from
    /// 2026-07-28 on.
    fn call(&self, params: &Value, id: &Value, peer: Option<Peer>) -> Option<Result<Value, RequestError>> {
        let name = params["name"].as_str().unwrap_or_default();
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == name) else {
            let why = format!("there is no tool `{name}`");
            return Some(Err(RequestError::new(RequestError::INVALID_PARAMS, why)));
        };
        let given = match &params["arguments"] {
            Value::Object(given) => given.clone(),
            Value::Null => Map::new(),
            _ => return Some(Ok(call::failure("`arguments` must be an object"))),
        };
        let task = peer.filter(|peer| peer.has_tasks && tool.work.is_long()).map(|_| self.tasks.begin());
        let key = task.as_ref().map_or_else(|| id.to_string(), |(task, _)| task.clone());
        let (interrupt, dropper) = Interrupt::default().droppable();
        let mut running = locked(&self.calls.running);
        if running.contains_key(&key) {
            let why = format!("request {key} is not answered yet");
            return Some(Err(RequestError::new(RequestError::INVALID_REQUEST, why)));
        }
        // Those that were cancelled end soon.
        let wanted = running.values().filter(|call| call.is_wanted).count();
        if wanted >= MOST_CALLS || running.len() >= 2 * MOST_CALLS {
            let why = format!("{MOST_CALLS} calls are not answered yet: wait for one of them, or cancel it");
            return Some(Ok(call::failure(&why)));
        }
        running.insert(key.clone(), RunningCall { dropper, is_wanted: true });
        drop(running);
        let (calls, output, folder) =
            (Arc::clone(&self.calls), self.output.clone(), Arc::clone(&self.folder));
        let (tasks, is_task) = (Arc::clone(&self.tasks), task.is_some());
        let (id, limit, of_call) = (id.clone(), self.time_limit, key.clone());
        let begun = thread::Builder::new().name("call".into()).spawn(move || {
            let made = guarded(|| call::call(tool, &given, &folder, limit, &interrupt));
            let result = made.map_or_else(|| Some(Err(RequestError::bug())), |made| made.map(Ok));
            let complete = |made| if peer.is_some() { modern::complete(made) } else { made };
            let result = result.map(|made| made.map(complete));
            calls.end(&of_call, || match result {
                Some(result) if is_task => tasks.end(&of_call, result),
                Some(result) => output.respond(&id, result),
                None => {}
            });
        });
        if let Err(error) = begun {
            self.calls.end(&key, || ());
            return Some(Ok(call::failure(&format!("cannot start a thread: {error}"))));
        }
        task.map(|(_, told)| Ok(told))
    }
}
