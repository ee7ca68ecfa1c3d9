//! The protocol from 2026-07-28 on: a request says which version it is in and what its client can do, nothing is initialized, and a call that may
//! take long is a task, which the client asks about (the extension `io.modelcontextprotocol/tasks`).

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use cubicle_run::workers::locked;
use serde_json::{Map, Value, json};

use crate::rpc::RequestError;

pub const VERSION: &str = "2026-07-28";

/// The name of the extension.
const TASKS: &str = "io.modelcontextprotocol/tasks";

/// The request is in a version that the server does not speak.
const UNSUPPORTED_VERSION: i32 = -32022;

/// The client does not say that it can do what the request needs.
const MISSING_CAPABILITY: i32 = -32021;

/// How long the result of a task is kept.
const KEPT: Duration = Duration::from_secs(3600);

/// At most this many tasks are kept; the oldest ended ones are forgotten.
const MOST_TASKS: usize = 64;

/// How long a client may keep what it is told about the server and its tools: they do not change.
const FRESH: Duration = Duration::from_secs(3600);

/// After this time it is worth asking about a task again.
const POLL: Duration = Duration::from_millis(500);

/// What a request says about its client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Peer {
    /// Whether a call may be answered with a task.
    pub has_tasks: bool,
}

/// The client of a request of this protocol; `None` for one of an earlier version.
///
/// # Errors
/// The server does not speak the version, or the request does not say what the client can do.
pub fn peer(params: &Value) -> Option<Result<Peer, RequestError>> {
    let meta = &params["_meta"];
    let version = meta.get("io.modelcontextprotocol/protocolVersion")?;
    if version != VERSION {
        let why = format!("the server speaks {VERSION} without `initialize`, not {version}");
        return Some(Err(RequestError::new(UNSUPPORTED_VERSION, why)
            .with(json!({ "supported": [VERSION], "requested": version }))));
    }
    let able = &meta["io.modelcontextprotocol/clientCapabilities"];
    if !able.is_object() {
        let why = "`_meta` has no `io.modelcontextprotocol/clientCapabilities`";
        return Some(Err(RequestError::new(RequestError::INVALID_PARAMS, why)));
    }
    Some(Ok(Peer { has_tasks: able["extensions"].get(TASKS).is_some() }))
}

/// The answer to `server/discover`.
pub fn discovered(server: &Value, instructions: &str) -> Value {
    json!({
        "resultType": "complete",
        "supportedVersions": [VERSION],
        "capabilities": { "tools": {}, "extensions": { TASKS: {} } },
        "instructions": instructions,
        "ttlMs": milliseconds(FRESH),
        "cacheScope": "public",
        "_meta": { "io.modelcontextprotocol/serverInfo": server },
    })
}

/// A list that may be kept.
pub fn fresh(result: Value) -> Value {
    let mut result = complete(result);
    result["ttlMs"] = json!(milliseconds(FRESH));
    result["cacheScope"] = json!("public");
    result
}

/// A result in full.
pub fn complete(mut result: Value) -> Value {
    result["resultType"] = json!("complete");
    result
}

/// How a task stands.
enum Fate {
    Working,
    Completed(Value),
    Failed(RequestError),
    Cancelled,
}

struct Task {
    id: String,
    created: SystemTime,
    changed: SystemTime,
    begun: Instant,
    fate: Fate,
}

/// The tasks of a server, oldest first.
#[derive(Default)]
pub struct Tasks {
    known: Mutex<(u64, VecDeque<Task>)>,
}

impl Tasks {
    fn known(&self) -> MutexGuard<'_, (u64, VecDeque<Task>)> {
        let mut known = locked(&self.known);
        known.1.retain(|task| matches!(task.fate, Fate::Working) || task.begun.elapsed() < KEPT);
        while known.1.len() > MOST_TASKS
            && let Some(ended) = known.1.iter().position(|task| !matches!(task.fate, Fate::Working))
        {
            known.1.remove(ended);
        }
        known
    }

    /// Begins a task: its name, and the result that tells of it.
    pub fn begin(&self) -> (String, Value) {
        let mut known = self.known();
        known.0 += 1;
        let (id, now) = (format!("task-{}-{}", std::process::id(), known.0), SystemTime::now());
        let task =
            Task { id: id.clone(), created: now, changed: now, begun: Instant::now(), fate: Fate::Working };
        let mut told = task.told();
        told.insert("resultType".to_owned(), json!("task"));
        known.1.push_back(task);
        (id, Value::Object(told))
    }

    /// What became of a task, unless it was cancelled.
    pub fn end(&self, id: &str, result: Result<Value, RequestError>) {
        self.change(id, |_| match result {
            Ok(result) => Fate::Completed(result),
            Err(error) => Fate::Failed(error),
        });
    }

    fn change(&self, id: &str, fate: impl FnOnce(&Task) -> Fate) {
        let mut known = self.known();
        let working = |task: &&mut Task| task.id == id && matches!(task.fate, Fate::Working);
        if let Some(task) = known.1.iter_mut().find(working) {
            (task.fate, task.changed) = (fate(task), SystemTime::now());
        }
    }

    /// Answers `tasks/get`, `tasks/update` or `tasks/cancel`, for which `drop_run` ends the call of a task.
    ///
    /// # Errors
    /// The client cannot have tasks, or there is no such task.
    pub fn request(
        &self,
        method: &str,
        params: &Value,
        peer: Peer,
        drop_run: impl FnOnce(&str),
    ) -> Result<Value, RequestError> {
        if !peer.has_tasks {
            let why = format!("the client does not declare the extension `{TASKS}`");
            let needed = json!({ "requiredCapabilities": { "extensions": { TASKS: {} } } });
            return Err(RequestError::new(MISSING_CAPABILITY, why).with(needed));
        }
        let id = params["taskId"].as_str().unwrap_or_default();
        let told = self.known().1.iter().find(|task| task.id == id).map(Task::told);
        let Some(told) = told else {
            let why = format!("there is no task `{id}`, or its result is not kept any more");
            return Err(RequestError::new(RequestError::INVALID_PARAMS, why));
        };
        match method {
            "tasks/get" => return Ok(complete(Value::Object(told))),
            "tasks/cancel" => {
                drop_run(id);
                self.change(id, |_| Fate::Cancelled);
            }
            // No task asks for anything.
            _ => {}
        }
        Ok(complete(json!({})))
    }
}

impl Task {
    fn told(&self) -> Map<String, Value> {
        let (status, more) = match &self.fate {
            Fate::Working => ("working", None),
            Fate::Completed(result) => ("completed", Some(("result", result.clone()))),
            Fate::Failed(error) => {
                ("failed", Some(("error", json!({ "code": error.code, "message": error.message }))))
            }
            Fate::Cancelled => ("cancelled", None),
        };
        let told = json!({
            "taskId": self.id,
            "status": status,
            "createdAt": iso(self.created),
            "lastUpdatedAt": iso(self.changed),
            "ttlMs": milliseconds(KEPT),
            "pollIntervalMs": milliseconds(POLL),
        });
        let Value::Object(mut told) = told else { return Map::new() };
        told.extend(more.map(|(name, value)| (name.to_owned(), value)));
        told
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// `2026-07-28T09:30:00Z`, in the calendar of Gregory (Howard Hinnant, `civil_from_days`).
fn iso(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |it| it.as_secs());
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, year) =
        if month < 10 { (month + 3, era * 400 + year) } else { (month - 9, era * 400 + year + 1) };
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_785_231_000, "2026-07-28T09:30:00Z"),
        ] {
            assert_eq!(iso(UNIX_EPOCH + Duration::from_secs(seconds)), text);
        }
    }
}
