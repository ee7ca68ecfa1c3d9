//! The messages and findings of a run in SARIF 2.1.0, a format of static analysis that editors and forges read.

use serde_json::{Value, json};

use super::document::{
    Answer, Document, FateWord, Level, Message, MutantRecord, MutationDocument, TextRange, Tool, TraceRecord,
    Unchecked,
};
use super::github::{DEADLOCK, INVARIANT, RUNS, UNSAFE, findings};
use super::mutation::changes;
use cubicle_lang::explain;
use cubicle_lang::list::sorted;
use cubicle_lang::named::Named;
use cubicle_transform::mutate::Operator;

/// The document, ending in a line feed. Advice and notes without a place are left out.
pub fn sarif(document: &Document) -> String {
    let uri = document.head.model.path.as_deref().map(uri);
    let found = findings(document);
    let about_model = |it: &&Message| it.code.is_some() && matches!(it.level, Level::Error | Level::Warning);
    let messages: Vec<&Message> = document.messages.iter().filter(about_model).chain(&found).collect();
    let codes: Vec<&str> = sorted(messages.iter().filter_map(|message| message.code.as_deref()));
    let results = messages.iter().map(|message| result(document, message, &codes, uri.as_deref()));
    let notes = document.messages.iter().filter(|it| it.code.is_none());
    let notes = notes.map(|it| json!({ "level": level(it.level), "message": { "text": it.text } }));
    let ended_well = document.verdict != Answer::Unchecked(Unchecked::Error);
    let mut invocation = invocation(&document.head.origin.command, document.exit_code, ended_well);
    invocation["toolExecutionNotifications"] = notes.collect();
    let rules = codes.iter().map(|code| rule(code)).collect();
    let properties = json!({ "verdict": document.verdict });
    file(&document.head.origin.tool, rules, invocation, results.collect(), properties)
}

/// The file of a command, ending in a line feed: its rules, how it was called, what it found and what else there is to say.
pub(super) fn file(
    tool: &Tool,
    rules: Vec<Value>,
    invocation: Value,
    results: Vec<Value>,
    properties: Value,
) -> String {
    let file = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": tool.name, "version": tool.version, "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "invocations": [invocation],
            "results": results,
            "properties": properties,
        }],
    });
    format!("{file:#}\n")
}

/// How the program was called, and how it ended.
pub(super) fn invocation(command: &[String], exit_code: u8, ended_well: bool) -> Value {
    json!({
        "commandLine": command.join(" "),
        "arguments": command.get(1..).unwrap_or_default(),
        "exitCode": exit_code,
        "executionSuccessful": ended_well,
    })
}

fn rule(code: &str) -> Value {
    let title = match code {
        UNSAFE => "A state that `unsafe` describes is reachable",
        RUNS => "A property of runs is broken",
        INVARIANT => "A state that an `invariant` excludes is reachable",
        DEADLOCK => "A state without an enabled transition is reachable",
        code => explain::codes().find(|(known, _)| *known == code).map_or("", |(_, title)| title),
    };
    let mut rule = json!({ "id": code, "shortDescription": { "text": title } });
    if let Some(page) = explain::page(code) {
        rule["help"] = json!({ "text": page, "markdown": page });
    }
    rule
}

fn result(document: &Document, message: &Message, codes: &[&str], uri: Option<&str>) -> Value {
    let code = message.code.as_deref().expect("only messages with a code are results");
    let mut text = message.text.clone();
    for more in [&message.label, message.help.as_deref().unwrap_or("")] {
        if !more.is_empty() {
            text += &format!("\n{more}");
        }
    }
    let mut result = json!({
        "ruleId": code,
        "ruleIndex": codes.binary_search(&code).expect("each code has a rule"),
        "level": level(message.level),
        "message": { "text": text },
    });
    let location = |place| physical(uri, place);
    // A finding about the run as a whole is one about the file.
    result["locations"] = json!([{ "physicalLocation": location(message.place) }]);
    if !message.related.is_empty() {
        let related = message.related.iter().map(|other| {
            let text = if other.label.is_empty() { "see here" } else { &other.label };
            json!({ "physicalLocation": location(Some(other.place)), "message": { "text": text } })
        });
        result["relatedLocations"] = related.collect();
    }
    let trace = match code {
        UNSAFE | INVARIANT | RUNS => document.traces.iter().find(|trace| trace.place == message.place),
        DEADLOCK => document.traces.iter().find(|trace| trace.place.is_none()),
        _ => None,
    };
    if let Some(trace) = trace {
        result["codeFlows"] = json!([{ "threadFlows": [{ "locations": flow(trace, uri) }] }]);
    }
    result
}

/// The steps of a trace, each at its transition, with what it changes.
fn flow(trace: &TraceRecord, uri: Option<&str>) -> Vec<Value> {
    let mut locations: Vec<Value> = trace
        .steps
        .iter()
        .map(|step| {
            let changes: Vec<String> =
                step.changes.iter().map(|it| format!("{} := {}", it.cell, it.value)).collect();
            let action = format!("{}({})", step.transition, step.arguments.join(", "));
            let text = if changes.is_empty() { action } else { format!("{action}: {}", changes.join(", ")) };
            let place = physical(uri, Some(step.place));
            json!({ "location": { "physicalLocation": place, "message": { "text": text } } })
        })
        .collect();
    let end = json!({ "physicalLocation": physical(uri, trace.place), "message": { "text": trace.ends_in } });
    locations.push(json!({ "location": end }));
    locations
}

pub(super) fn physical(uri: Option<&str>, place: Option<TextRange>) -> Value {
    let mut location = json!({ "artifactLocation": { "uri": uri.unwrap_or("-") } });
    if let Some(place) = place {
        location["region"] = json!({
            "startLine": place.line,
            "startColumn": place.column,
            "endLine": place.end_line,
            "endColumn": place.end_column,
        });
    }
    location
}

const fn level(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note | Level::Help => "note",
    }
}

/// A path as a relative reference, or as a `file` URI when it is absolute.
pub(super) fn uri(path: &str) -> String {
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

/// The survivors of a document: those that change what is reachable as warnings, the others that change something as
/// notes. Ends in a line feed.
pub fn survivors_sarif(document: &MutationDocument) -> String {
    let uri = document.model.path.as_deref().map(uri);
    let survived = |it: &&MutantRecord| it.fate == FateWord::Survived && it.changes_nothing != Some(true);
    let results = document.mutants.iter().filter(survived).map(|it| survivor(it, uri.as_deref()));
    let rule = |name: &str, what: &str| json!({ "id": name, "shortDescription": { "text": what } });
    let rules = Operator::ALL.iter().map(|it| rule(it.name(), it.about())).collect();
    let invocation = invocation(&document.origin.command, document.exit_code, true);
    let properties = json!({ "killed": document.killed, "counted": document.counted });
    file(&document.origin.tool, rules, invocation, results.collect(), properties)
}

fn survivor(mutant: &MutantRecord, uri: Option<&str>) -> Value {
    let moved = mutant.change.is_none_or(|it| it.appear + it.vanish > 0);
    let what = match mutant.change {
        Some(_) if !moved => "the states stay the same".to_owned(),
        change => changes(change),
    };
    let new = mutant.new.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    let new = if new.is_empty() { "nothing".to_owned() } else { format!("`{new}`") };
    let text = format!("no `unsafe` notices {new} here, which is safe for any number of processes: {what}");
    let index = Operator::ALL.iter().position(|it| it.name() == mutant.operator);
    json!({
        "ruleId": mutant.operator,
        "ruleIndex": index.expect("each operator has a rule"),
        "level": if moved { "warning" } else { "note" },
        "message": { "text": text },
        "locations": [{ "physicalLocation": physical(uri, Some(mutant.place)) }],
        "properties": { "mutant": mutant.number },
    })
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_become_references() {
        for (path, is) in [
            ("a/b.cub", "a/b.cub"),
            ("/tmp/a b.cub", "file:///tmp/a%20b.cub"),
            ("50%:é.cub", "50%25%3A%C3%A9.cub"),
            ("-", "-"),
        ] {
            assert_eq!(uri(path), is);
        }
    }
}
