//! A call of a tool: a run of this program on copies of the files that it names, and its result.

use std::ffi::OsString;
use std::iter::once;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use cubicle_run::Interrupt;
use cubicle_tools::simulate::names_a_file;
use serde_json::{Map, Value, json};

use super::folder::{Folder, FolderFile};
use super::tools::{self, Tool, Work};
use crate::child::{Call, ChildEnd};
use crate::cli::commands::explain::explained;
use crate::cli::document::NoInvocation;
use crate::cli::failure::Failure;
use crate::cli::foreign::refusal;
use crate::cli::{exit, files, memory, model};

/// How much longer than its own time limit a run may take to report what it knows.
const OVERTIME: Duration = Duration::from_secs(2);

/// At most this many calls are made at once, and share the memory.
pub const MOST_CALLS: usize = 4;

/// Makes a call; its result for the client, or `None` when `interrupt` ended it before its time was up.
pub fn call(
    tool: &Tool,
    given: &Map<String, Value>,
    folder: &Folder,
    limit: Duration,
    interrupt: &Interrupt,
) -> Option<Value> {
    let told = tool.refusal(given).map_or_else(|| work(tool, given, folder, limit, interrupt), Err);
    told.unwrap_or_else(|why| Some(failure(&why)))
}

/// A result that says what went wrong.
pub fn failure(why: &str) -> Value {
    text(why, true)
}

fn text(text: &str, is_error: bool) -> Value {
    json!({ "content": [{ "type": "text", "text": text }], "isError": is_error })
}

fn work(
    tool: &Tool,
    given: &Map<String, Value>,
    folder: &Folder,
    limit: Duration,
    interrupt: &Interrupt,
) -> Result<Option<Value>, String> {
    if tool.work == Work::Explain {
        let code = given.get(tools::CODE).and_then(Value::as_str);
        let page = explained(code, "without a code, all are listed").map_err(Failure::in_a_line)?;
        return Ok(Some(text(&page, false)));
    }
    // The run sees nothing of the folder but copies of the files that the call names.
    let scratch =
        tempfile::tempdir().map_err(|error| format!("cannot make a folder for the run: {error}"))?;
    let mut paths = Vec::new();
    for (argument, name) in tool.files(given) {
        let FolderFile { path, text } = folder.read(name)?;
        let copy = scratch.path().join(&path);
        let written = files::make_folder(files::folder_of(&copy)).and_then(|()| files::write(&copy, &text));
        written.map_err(|failure| failure.error)?;
        paths.push((argument, path));
    }
    let (words, stdin) = command_line(tool, given, &paths, limit)?;
    // Those that may take long end by themselves.
    let at = Instant::now() + limit + if tool.work.is_long() { OVERTIME } else { Duration::ZERO };
    let run = Call { words: &words, stdin: stdin.as_deref(), folder: Some(scratch.path()) };
    let cannot = |error| format!("cannot run the program itself: {error}");
    let end = run.run(&interrupt.until(at)).map_err(cannot)?;
    if end.code.is_none() {
        let late = Instant::now() >= at;
        return if late {
            Err(format!("the call was ended after {} s", limit.as_secs_f64()))
        } else {
            Ok(None)
        };
    }
    Ok(Some(match tool.work {
        Work::Format if end.code == Some(Ok(exit::OK)) => {
            let laid_out = std::fs::read_to_string(scratch.path().join(&paths[0].1));
            text(&laid_out.map_err(|error| format!("cannot read the result: {error}"))?, false)
        }
        _ => result(&end),
    }))
}

/// The words of a run, and what it reads from standard input.
fn command_line(
    tool: &Tool,
    given: &Map<String, Value>,
    paths: &[(&str, PathBuf)],
    limit: Duration,
) -> Result<(Vec<OsString>, Option<String>), String> {
    // The model comes first.
    let mut named = paths.iter().map(|(argument, path)| (*argument, files::argument(path).into_os_string()));
    let file = named.next().map(|(_, file)| file).unwrap_or_default();
    let time = |limit: Duration| OsString::from(format!("--time-limit={}ms", limit.as_millis().max(1)));
    let json = || OsString::from("--format=json");
    Ok(match tool.work {
        Work::Check => {
            let options = tools::strings(given, tools::OPTIONS);
            if let Some(why) = refusal(&options) {
                return Err(format!("these options are refused: {why}"));
            }
            let own = options.iter().map(OsString::from);
            let typed: Vec<OsString> =
                once("cubicle".into()).chain(own.clone()).chain([json(), "-".into()]).collect();
            let args = model::parse(typed.clone(), &typed).map_err(NoInvocation::in_a_line)?.args;
            let mut words: Vec<OsString> = own.collect();
            words.extend([json(), time(args.time_limit.map_or(limit, |it| it.min(limit)))]);
            let share = memory::most_of_it().map(|bytes| bytes / MOST_CALLS);
            let memory = args.memory_limit.into_iter().chain(share).min();
            words.extend(memory.map(|bytes| format!("--memory-limit={bytes}").into()));
            (words.into_iter().chain([file]).collect(), None)
        }
        Work::Command(name) => {
            let mut words = vec![name.into(), file, json(), time(limit)];
            words.extend(tool.options(given));
            for (argument, path) in named {
                if argument != tools::LOGS {
                    words.push(format!("--{argument}").into());
                }
                words.push(path);
            }
            (words, None)
        }
        Work::Step => {
            let commands = tools::strings(given, tools::COMMANDS);
            for command in &commands {
                if names_a_file(command) {
                    return Err(format!("`{command}` is refused: it has to do with files"));
                }
                if command.contains(['\n', '\r']) {
                    return Err("a command is a line: give several as several strings".to_owned());
                }
            }
            let words = ["simulate".into(), file].into_iter().chain(tool.options(given)).collect();
            (words, Some(commands.join("\n") + "\n"))
        }
        Work::Format => (vec!["fmt".into(), file], None),
        Work::Explain => (Vec::new(), None),
    })
}

/// The result of a run that has ended: its document, or what it wrote. An answer that the user of the model does not like is not an
/// error; wrong input is one.
fn result(end: &ChildEnd) -> Value {
    let is_error = !matches!(end.code, Some(Ok(exit::OK | exit::UNSAFE | exit::UNKNOWN | exit::DEADLOCK)));
    if let Ok(document @ Value::Object(_)) = serde_json::from_str::<Value>(&end.stdout) {
        return json!({
            "content": [{ "type": "text", "text": document.to_string() }],
            "structuredContent": document,
            "isError": is_error,
        });
    }
    let mut all = end.stdout.clone();
    if is_error {
        all += &end.stderr;
        if let Some(Err(signal)) = end.code {
            all += &format!("signal {signal} ended the run\n");
        }
    }
    text(&all, is_error)
}
