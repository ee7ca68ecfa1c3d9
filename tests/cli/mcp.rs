//! `cubicle mcp`: tools for agents, called by a client of the crate `rmcp`, and by one that sends what no client should.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rmcp::ServiceExt;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, CreateTaskResult, DiscoverResult, ErrorCode, GetTaskResult,
    ListToolsResult, ProtocolVersion, TaskAckResult, TaskPayload,
};
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::TokioChildProcess;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{PATIENCE, PROGRAM, Running, Signal, cubicle, run};
use crate::models;
use crate::tested::children;

/// A folder with models, and a secret beside it.
fn folder() -> TempDir {
    let outer = TempDir::new().unwrap();
    fs::create_dir_all(outer.path().join("models/deep")).unwrap();
    let endless = format!("(* {} *){}", crate::signals::ENDLESS, models::ENDLESS);
    for (name, text) in [
        ("models/safe.cub", models::SAFE),
        ("models/deep/unsafe.cub", models::UNSAFE),
        ("models/wrong.cub", "var X : t\n"),
        ("models/endless.cub", &endless),
        ("secret.cub", models::SAFE),
        ("secret.jsonl", "{\"action\": \"enter\"}\n"),
        ("models/good.jsonl", "{\"event\": \"in\", \"procs\": {\"p\": \"a\"}}\n"),
        ("models/deep/bad.jsonl", "{\"action\": \"leave\", \"procs\": {\"p\": \"a\"}}\n"),
        ("models/deep/words.toml", "action = \"event\"\n[events]\nin = \"enter\"\n"),
    ] {
        fs::write(outer.path().join(name), text).unwrap();
    }
    std::os::unix::fs::symlink("../secret.cub", outer.path().join("models/link.cub")).unwrap();
    std::os::unix::fs::symlink("../../secret.jsonl", outer.path().join("models/deep/link.jsonl")).unwrap();
    std::os::unix::fs::symlink("/proc", outer.path().join("models/system")).unwrap();
    outer
}

type Client = RunningService<RoleClient, ()>;

async fn client(folder: &Path) -> Client {
    let mut command = tokio::process::Command::new(PROGRAM);
    command.args(["mcp", "--time-limit", "5m", "--folder"]).arg(folder.join("models"));
    ().serve(TokioChildProcess::new(command).unwrap()).await.unwrap()
}

/// Calls a tool: whether that is an error, its text, and its document.
async fn call(client: &Client, tool: &'static str, arguments: Value) -> (bool, String, Value) {
    let arguments = arguments.as_object().unwrap().clone();
    let params = CallToolRequestParams::new(tool).with_arguments(arguments);
    let CallToolResult { content, structured_content, is_error, .. } =
        client.call_tool(params).await.unwrap();
    let text = content[0].as_text().expect("text").text.clone();
    (is_error == Some(true), text, structured_content.unwrap_or_default())
}

#[test]
fn an_agent_uses_all_tools() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let folder = folder();
        let client = client(folder.path()).await;
        assert_eq!(client.peer_info().unwrap().server_info.as_ref().unwrap().name, "cubicle");
        let tools = client.list_all_tools().await.unwrap();
        let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["check", "explain", "step", "witness", "mutate", "validate", "format"]);

        let (error, text, safe) =
            call(&client, "check", json!({ "file": "safe.cub", "options": ["brab", "2"] })).await;
        assert!(!error && safe["verdict"] == "safe", "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), safe);
        let (error, _, found) = call(&client, "check", json!({ "file": "deep/unsafe.cub" })).await;
        assert_eq!(
            (error, &found["verdict"], &found["model"]["path"]),
            (false, &"unsafe".into(), &"deep/unsafe.cub".into())
        );
        let (error, _, wrong) = call(&client, "check", json!({ "file": "wrong.cub" })).await;
        let code = wrong["messages"][0]["code"].as_str().unwrap().to_owned();
        assert!(error && code == "C0102", "{wrong:#}");
        let (error, page, _) = call(&client, "explain", json!({ "code": code })).await;
        assert!(!error && page.starts_with("# C0102: unknown type"), "{page}");

        let commands = json!({ "file": "safe.cub", "procs": 2, "commands": ["enter(#1)", "why enter(#2)"] });
        let (error, text, _) = call(&client, "step", commands).await;
        assert!(!error && text.contains("1: enter(#1)") && text.contains("Lock = False"), "{text}");
        let (error, text, _) =
            call(&client, "step", json!({ "file": "safe.cub", "commands": ["enter(#9)"] })).await;
        assert!(error && text.contains("error: line 1"), "{text}");

        let (error, _, run) =
            call(&client, "witness", json!({ "file": "safe.cub", "transition": "leave" })).await;
        assert_eq!((error, &run["answer"]), (false, &"run".into()), "{run:#}");
        let (error, _, mutants) =
            call(&client, "mutate", json!({ "file": "safe.cub", "sample": 3, "only": ["drop-literal"] }))
                .await;
        assert!(!error && mutants["kind"] == "mutation" && mutants["counted"].is_u64(), "{mutants:#}");
        let before = fs::read_to_string(folder.path().join("models/safe.cub")).unwrap();
        let (error, laid_out, _) = call(&client, "format", json!({ "file": "safe.cub" })).await;
        assert!(!error && laid_out.contains("type location = Idle | Critical\n"), "{laid_out}");
        assert_eq!(fs::read_to_string(folder.path().join("models/safe.cub")).unwrap(), before);
        let (error, text, _) = call(&client, "format", json!({ "file": "wrong.cub" })).await;
        assert_eq!(error, text.contains("error["), "{text}");

        for (tool, arguments, why) in [
            ("check", json!({ "file": "../secret.cub" }), "outside"),
            ("check", json!({ "file": "/etc/passwd" }), "outside"),
            ("check", json!({ "file": "link.cub" }), "symbolic link"),
            ("check", json!({ "file": "nothing.cub" }), "cannot read"),
            ("check", json!({}), "`file` is missing"),
            ("check", json!({ "file": 3 }), "must be a string"),
            ("check", json!({ "file": "safe.cub", "depth": 3 }), "no argument `depth`"),
            ("check", json!({ "file": "safe.cub", "options": ["--trace-out", "x"] }), "has to do with files"),
            (
                "check",
                json!({ "file": "safe.cub", "options": ["--lemmas-in=../secret.cub"] }),
                "has to do with files",
            ),
            ("check", json!({ "file": "safe.cub", "options": ["--", "../secret.cub"] }), "refused"),
            ("check", json!({ "file": "safe.cub", "options": ["--brab=x"] }), "invalid value"),
            ("step", json!({ "file": "safe.cub", "commands": [" save ../x"] }), "has to do with files"),
            (
                "step",
                json!({ "file": "safe.cub", "commands": ["load ../secret.cub"] }),
                "has to do with files",
            ),
            ("step", json!({ "file": "safe.cub", "commands": ["1\nsave ../x"] }), "a command is a line"),
            ("step", json!({ "file": "safe.cub", "procs": 65 }), "from 0 to 64"),
            ("witness", json!({ "file": "safe.cub" }), "is missing"),
            ("check", json!({ "file": "system/self/root/etc/passwd" }), "cannot read"),
            ("explain", json!({ "code": "C9999" }), "there is no code"),
        ] {
            let (error, text, _) = call(&client, tool, arguments.clone()).await;
            assert!(error && text.contains(why), "{tool} {arguments}: {text}");
        }
        let unknown = client.call_tool(CallToolRequestParams::new("delete")).await;
        assert!(unknown.unwrap_err().to_string().contains("there is no tool `delete`"));
        client.cancel().await.unwrap();
    });
}

#[test]
fn logs_of_the_folder_are_validated_and_no_others() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let folder = folder();
        let client = client(folder.path()).await;
        let (error, text, valid) = call(
            &client,
            "validate",
            json!({ "file": "safe.cub", "logs": ["good.jsonl"], "map": "deep/words.toml", "procs": 2, "coverage": true }),
        )
        .await;
        assert!(!error && valid["logs"][0]["answer"] == "explained", "{text}");
        let logs = json!({ "file": "safe.cub", "logs": ["deep/bad.jsonl", "deep/bad.jsonl"] });
        let (error, _, broken) = call(&client, "validate", logs).await;
        assert!(!error, "{broken:#}");
        for log in broken["logs"].as_array().unwrap() {
            assert_eq!((&log["answer"], &log["log"]), (&"not_explained".into(), &"deep/bad.jsonl".into()));
        }
        let (error, text, _) =
            call(&client, "validate", json!({ "file": "safe.cub", "logs": ["good.jsonl", "deep/words.toml"] }))
                .await;
        assert!(error, "{text}");
        for (tool, arguments, why) in [
            ("validate", json!({ "file": "safe.cub" }), "`logs` is missing"),
            ("validate", json!({ "file": "safe.cub", "logs": [] }), "at least one"),
            ("validate", json!({ "file": "safe.cub", "logs": "good.jsonl" }), "a list of strings"),
            ("validate", json!({ "file": "safe.cub", "logs": ["../secret.jsonl"] }), "outside"),
            ("validate", json!({ "file": "safe.cub", "logs": ["good.jsonl", "deep/../../secret.jsonl"] }), "outside"),
            ("validate", json!({ "file": "safe.cub", "logs": ["deep/link.jsonl"] }), "symbolic link"),
            ("validate", json!({ "file": "safe.cub", "logs": ["/proc/self/environ"] }), "outside"),
            ("validate", json!({ "file": "safe.cub", "logs": ["system/self/environ"] }), "cannot read"),
            ("validate", json!({ "file": "safe.cub", "logs": ["-"] }), "cannot read"),
            ("validate", json!({ "file": "safe.cub", "logs": ["--report=x"] }), "cannot read"),
            ("validate", json!({ "file": "safe.cub", "logs": ["good.jsonl"], "map": "../secret.cub" }), "outside"),
            ("validate", json!({ "file": "/proc/self/cwd/safe.cub", "logs": ["good.jsonl"] }), "outside"),
            ("validate", json!({ "file": "safe.cub", "logs": ["good.jsonl"], "report": "x.html" }), "no argument `report`"),
        ] {
            let (error, text, _) = call(&client, tool, arguments.clone()).await;
            assert!(error && text.contains(why), "{tool} {arguments}: {text}");
        }
        client.cancel().await.unwrap();
    });
}

/// A client that sends lines, and its server.
struct Lines {
    server: Running,
    output: BufReader<std::process::ChildStdout>,
    _folder: TempDir,
}

impl Lines {
    fn new(options: &str) -> Self {
        let folder = folder();
        let mut command = cubicle();
        command.arg("mcp").args(options.split_whitespace()).arg("--folder").arg(folder.path().join("models"));
        let mut server =
            Running::of(command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()));
        let output = BufReader::new(server.stdout.take().unwrap());
        Self { server, output, _folder: folder }
    }

    fn initialized(options: &str) -> Self {
        let mut this = Self::new(options);
        let version = json!({ "protocolVersion": "2024-11-05" });
        let answer = this.ask(1, "initialize", &version);
        assert_eq!(answer["result"]["protocolVersion"], "2024-11-05", "{answer}");
        this
    }

    fn line(&mut self, line: &str) {
        writeln!(self.server.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    fn send(&mut self, id: i64, method: &str, params: &Value) {
        self.line(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
    }

    fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    fn ask(&mut self, id: i64, method: &str, params: &Value) -> Value {
        self.send(id, method, params);
        let answer = self.answer();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Calls `check` on a model that no engine settles.
    fn check_endless(&mut self, id: i64) {
        let options: Vec<&str> = crate::signals::ENDLESS.split(' ').collect();
        let arguments = json!({ "file": "endless.cub", "options": options });
        self.send(id, "tools/call", &json!({ "name": "check", "arguments": arguments }));
    }

    /// Waits until this number of runs exists.
    fn wait_for_runs(&self, number: usize) {
        let start = Instant::now();
        while children(self.server.id()).len() != number {
            assert!(start.elapsed() < PATIENCE, "not {number} runs");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn broken_messages_do_not_end_the_server() {
    let mut client = Lines::new("");
    for (line, code) in [
        ("{", -32700),
        ("nonsense", -32700),
        ("[]", -32600),
        ("3", -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
    ] {
        client.line(line);
        assert_eq!(client.answer()["error"]["code"], code, "{line}");
    }
    client.line("");
    assert_eq!(client.ask(1, "tools/list", &json!({}))["error"]["code"], -32002);
    assert_eq!(client.ask(2, "ping", &json!({}))["result"], json!({}));
    let newest = client.ask(3, "initialize", &json!({ "protocolVersion": "2099-01-01" }));
    assert_eq!(newest["result"]["protocolVersion"], "2025-11-25");
    client.line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert_eq!(client.ask(4, "resources/list", &json!({}))["error"]["code"], -32601);
    assert_eq!(
        client.ask(5, "tools/call", &json!({ "name": "check", "arguments": [] }))["result"]["isError"],
        true
    );
    // What was asked for before the input ends is answered.
    client.send(6, "tools/call", &json!({ "name": "check", "arguments": { "file": "safe.cub" } }));
    drop(client.server.stdin.take());
    assert_eq!(client.answer()["result"]["structuredContent"]["verdict"], "safe");
    assert_eq!(client.server.wait().unwrap().code(), Some(0));
}

#[test]
fn calls_have_limits_and_can_be_cancelled() {
    let mut client = Lines::initialized("--time-limit 1s");
    client.check_endless(2);
    let answer = client.answer();
    let document = &answer["result"]["structuredContent"];
    assert_eq!(
        (&answer["result"]["isError"], &document["reason"]["kind"]),
        (&false.into(), &"time".into()),
        "{answer:#}"
    );
    let mut client = Lines::initialized("--time-limit 5m");
    for id in 2..6 {
        client.check_endless(id);
    }
    client.wait_for_runs(4);
    let busy = client.ask(6, "tools/call", &json!({ "name": "explain", "arguments": {} }));
    assert!(
        busy["result"]["content"][0]["text"].as_str().unwrap().contains("4 calls are not answered"),
        "{busy}"
    );
    client.line(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#);
    client.wait_for_runs(3);
    let page = client.ask(7, "tools/call", &json!({ "name": "explain", "arguments": { "code": "C0102" } }));
    assert_eq!(page["result"]["isError"], false);
    let runs = children(client.server.id());
    client.server.signal(Signal::TERM);
    assert_eq!(client.server.wait().unwrap().code(), Some(143));
    let is_there =
        |id: &String| fs::read(format!("/proc/{id}/cmdline")).is_ok_and(|it| it.ends_with(b"endless.cub\0"));
    assert!(!runs.iter().any(is_there), "runs go on");
}

#[test]
fn a_folder_is_needed() {
    for line in ["mcp", "mcp --folder no-such-folder", "mcp --folder Cargo.toml"] {
        assert_eq!(run(line).code, Some(2), "{line}");
    }
}

/// The parameters of a request of 2026-07-28, from a client with tasks or without.
fn modern(mut params: Value, tasks: bool) -> Value {
    let extensions = if tasks { json!({ "io.modelcontextprotocol/tasks": {} }) } else { json!({}) };
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": { "extensions": extensions },
    });
    params
}

/// A result as the crate `rmcp` reads it.
fn typed<T: serde_core::de::DeserializeOwned>(answer: &Value) -> T {
    serde_json::from_value(answer["result"].clone()).unwrap_or_else(|error| panic!("{error}: {answer}"))
}

#[test]
fn requests_say_their_version_and_long_calls_are_tasks() {
    let mut client = Lines::new("");
    let discovered: DiscoverResult = typed(&client.ask(1, "server/discover", &modern(json!({}), true)));
    assert_eq!(discovered.supported_versions, [ProtocolVersion::V_2026_07_28]);
    let tools = client.ask(2, "tools/list", &modern(json!({}), true));
    assert!(!typed::<ListToolsResult>(&tools).tools.is_empty());
    assert_eq!(
        (&tools["result"]["resultType"], tools["result"]["ttlMs"].is_u64()),
        (&json!("complete"), true)
    );
    // Without tasks, and where it does not take long, the answer is the result.
    let check = json!({ "name": "check", "arguments": { "file": "safe.cub" } });
    let direct = client.ask(3, "tools/call", &modern(check.clone(), false));
    assert_eq!(direct["result"]["resultType"], "complete", "{direct}");
    let explain = json!({ "name": "explain", "arguments": { "code": "C0104" } });
    assert_eq!(client.ask(4, "tools/call", &modern(explain, true))["result"]["resultType"], "complete");
    // A task is asked about until it is done.
    let begun: CreateTaskResult = typed(&client.ask(5, "tools/call", &modern(check, true)));
    let asked = json!({ "taskId": begun.task.task_id });
    let start = Instant::now();
    let result = loop {
        let answer = client.ask(6, "tasks/get", &modern(asked.clone(), true));
        match typed::<GetTaskResult>(&answer).task.payload {
            TaskPayload::Completed { result } => break result,
            TaskPayload::Working => assert!(start.elapsed() < PATIENCE, "{answer}"),
            other => panic!("{other:?}"),
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let result: CallToolResult = serde_json::from_value(Value::Object(result)).unwrap();
    assert_ne!(result.is_error, Some(true));
    assert!(result.content[0].as_text().expect("text").text.contains("\"verdict\":\"safe\""));
    let refused = client.ask(7, "tasks/get", &modern(asked, false));
    assert_eq!(refused["error"]["code"], ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY.0);
    let unknown = client.ask(8, "tasks/get", &modern(json!({ "taskId": "task-0" }), true));
    assert_eq!(unknown["error"]["code"], ErrorCode::INVALID_PARAMS.0);
    // A task that is cancelled ends its run.
    let options: Vec<&str> = crate::signals::ENDLESS.split(' ').collect();
    let endless = json!({ "name": "check", "arguments": { "file": "endless.cub", "options": options } });
    let begun: CreateTaskResult = typed(&client.ask(9, "tools/call", &modern(endless, true)));
    client.wait_for_runs(1);
    let asked = modern(json!({ "taskId": begun.task.task_id }), true);
    typed::<TaskAckResult>(&client.ask(10, "tasks/cancel", &asked));
    client.wait_for_runs(0);
    let answer = client.ask(11, "tasks/get", &asked);
    assert_eq!(typed::<GetTaskResult>(&answer).task.payload, TaskPayload::Cancelled);
    // A version that does not exist, and a client that says nothing of itself.
    let meta = json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": "2099-01-01" } });
    let refused = client.ask(12, "tools/list", &meta);
    assert_eq!(refused["error"]["code"], ErrorCode::UNSUPPORTED_PROTOCOL_VERSION.0);
    assert_eq!(refused["error"]["data"]["supported"], json!(["2026-07-28"]));
    let meta = json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } });
    assert_eq!(client.ask(13, "tools/list", &meta)["error"]["code"], ErrorCode::INVALID_PARAMS.0);
}
