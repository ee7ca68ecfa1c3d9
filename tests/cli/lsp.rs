//! The language server with a scripted client: requests of editors, and messages that no client should send.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::Signal;

mod client;

use client::Client;

const URI: &str = "file:///nowhere/model.cub";

const MODEL: &str = "(* TEST: --brab 2 => safe *)
type location = Idle | Want | Critical
var Lock : bool
array At[proc] : location
init (p) { Lock = False && At[p] = Idle }
unsafe (p q) { At[p] = Critical && At[q] = Critical }
transition enter (i) requires { At[i] = Idle && Lock = False } { At[i] := Critical; Lock := True }
transition leave (i) requires { At[i] = Critical } { At[j] := case | j = i : Idle | _ : At[j]; Lock := False }
";

fn at(line: u64, character: u64) -> Value {
    json!({ "position": { "line": line, "character": character } })
}

/// The text with the edits of a result applied, all relative to the model.
fn edited(text: &str, edits: &Value) -> String {
    let lines: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let offset = |place: &Value| {
        let number = |name: &str| place[name].as_u64().expect("a number") as usize;
        lines[number("line")] + number("character")
    };
    let mut places: Vec<(usize, usize, &str)> = edits
        .as_array()
        .expect("edits")
        .iter()
        .map(|it| {
            let range = &it["range"];
            (offset(&range["start"]), offset(&range["end"]), it["newText"].as_str().expect("a text"))
        })
        .collect();
    places.sort_unstable();
    let mut text = text.to_owned();
    for (start, end, new) in places.into_iter().rev() {
        text.replace_range(start..end, new);
    }
    text
}

#[test]
fn diagnostics_follow_the_text() {
    let (mut client, diagnostics_before) = Client::with(MODEL);
    let codes: Vec<&Value> = diagnostics_before.iter().map(|it| &it["code"]).collect();
    // `Want` is never tested.
    assert_eq!(codes, ["C0919"], "{diagnostics_before:?}");
    assert_eq!(diagnostics_before[0]["severity"], 2);
    // `Critical` of line 6 becomes `Critcal`.
    let range = json!({ "start": { "line": 5, "character": 26 }, "end": { "line": 5, "character": 27 } });
    client.change(2, json!([{ "range": range, "text": "" }]));
    let diagnostics = client.diagnostics();
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
    let this = &diagnostics[0];
    assert_eq!(
        (&this["code"], &this["severity"], &this["source"]),
        (&json!("C0104"), &json!(1), &json!("cubicle"))
    );
    assert_eq!(this["range"]["start"], json!({ "line": 5, "character": 23 }));
    assert_eq!(this["range"]["end"], json!({ "line": 5, "character": 30 }));
    assert!(this["message"].as_str().is_some_and(|text| text.contains("did you mean `Critical`?")), "{this}");
    // The fix that goes with it.
    let fixes =
        client.about("codeAction", json!({ "range": this["range"], "context": { "diagnostics": [] } }));
    assert_eq!(fixes.as_array().map(Vec::len), Some(1), "{fixes}");
    assert_eq!(fixes[0]["kind"], "quickfix");
    let broken = MODEL.replacen("At[p] = Critical", "At[p] = Critcal", 1);
    assert_eq!(edited(&broken, &fixes[0]["edit"]["changes"][URI]), MODEL);
    // Elsewhere there is nothing to fix.
    let nothing = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } });
    assert_eq!(client.about("codeAction", json!({ "range": nothing, "context": {} })), json!([]));
    client.change(3, json!([{ "text": MODEL }]));
    assert_eq!(client.diagnostics(), diagnostics_before);
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    assert!(client.diagnostics().is_empty());
    assert_eq!(client.end(), Some(0));
}

#[test]
fn names_lead_to_all_their_places() {
    let (mut client, _) = Client::with(MODEL);
    // `Lock` in the guard of `enter`.
    let place = at(6, 48);
    let hover = client.about("hover", place.clone());
    let text = hover["contents"]["value"].as_str().expect("text");
    for what in [
        "var Lock : bool",
        "Holds `False`, `True`.",
        "Read by `init at line 5`, `enter`.",
        "Written by `enter`, `leave`.",
    ] {
        assert!(text.contains(what), "{what}: {text}");
    }
    let never = client.about("hover", at(3, 6));
    let text = never["contents"]["value"].as_str().expect("text");
    assert!(text.contains("never `Want`") && text.contains("array At[proc] : location"), "{text}");
    let transition = client.about("hover", at(6, 12));
    let text = transition["contents"]["value"].as_str().expect("text");
    assert!(text.contains("Reads `At`, `Lock`.") && text.contains("Writes `At`, `Lock`."), "{text}");
    assert_eq!(client.about("hover", at(0, 3)), json!(null));

    let definition = client.about("definition", place.clone());
    assert_eq!(definition["range"]["start"], json!({ "line": 2, "character": 4 }));
    let lines = |result: &Value| -> Vec<u64> {
        result
            .as_array()
            .expect("places")
            .iter()
            .filter_map(|it| it["range"]["start"]["line"].as_u64())
            .collect()
    };
    let mut references = place.clone();
    references["context"] = json!({ "includeDeclaration": true });
    assert_eq!(lines(&client.about("references", references.clone())), [2, 4, 6, 6, 7]);
    references["context"] = json!({ "includeDeclaration": false });
    assert_eq!(lines(&client.about("references", references)), [4, 6, 6, 7]);
    assert_eq!(lines(&client.about("documentHighlight", place)), [2, 4, 6, 6, 7]);

    // The `i` of `leave` is not that of `enter`.
    assert_eq!(lines(&client.about("documentHighlight", at(7, 35))), [7, 7, 7]);

    let outline = client.about("documentSymbol", json!({}));
    let names: Vec<&str> =
        outline.as_array().expect("symbols").iter().filter_map(|it| it["name"].as_str()).collect();
    assert_eq!(names, ["location", "Lock", "At", "init", "unsafe at line 6", "enter", "leave"]);
    assert_eq!(outline[0]["children"][2]["name"], "Critical");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn renaming_changes_every_place_or_nothing() {
    let (mut client, _) = Client::with(MODEL);
    let rename = |client: &mut Client, line, character, new: &str| {
        let mut params = at(line, character);
        params["newName"] = json!(new);
        params["textDocument"] = json!({ "uri": URI });
        client.request("textDocument/rename", params)
    };
    assert_eq!(client.about("prepareRename", at(2, 5))["placeholder"], "Lock");
    assert_eq!(client.about("prepareRename", at(0, 5)), json!(null));
    let answer = rename(&mut client, 2, 5, "Mutex");
    assert_eq!(edited(MODEL, &answer["result"]["changes"][URI]), MODEL.replace("Lock", "Mutex"));
    for (new, why) in [
        ("At", "taken already"),
        ("lock", "capital letter"),
        ("Two Words", "is not a name"),
        ("True", "of the language"),
    ] {
        let answer = rename(&mut client, 2, 5, new);
        assert_eq!(answer["error"]["code"], -32803, "{answer}");
        assert!(answer["error"]["message"].as_str().is_some_and(|text| text.contains(why)), "{answer}");
    }
    assert_eq!(client.end(), Some(0));
}

#[test]
fn columns_count_units_of_utf_16_unless_agreed_otherwise() {
    let model = MODEL.replace("unsafe (p q)", "(* \u{1f512}\u{e9} *) unsafe (p q)");
    let (mut client, _) = Client::with(&model);
    // Ten characters before it: one is a pair of units.
    let found = client.about("documentHighlight", at(5, 26));
    assert_eq!(found[0]["range"]["start"], json!({ "line": 3, "character": 6 }), "{found}");
    assert_eq!(
        found[2]["range"],
        json!({ "start": { "line": 5, "character": 25 }, "end": { "line": 5, "character": 27 } })
    );
    // An edit in the middle of the pair is one before it: the text does not break.
    let range = json!({ "start": { "line": 5, "character": 4 }, "end": { "line": 5, "character": 5 } });
    client.change(2, json!([{ "range": range, "text": "lock" }]));
    assert!(client.diagnostics().iter().all(|it| it["severity"] == 2));
    assert_eq!(client.end(), Some(0));

    let mut client = Client::fresh();
    let encodings = json!({ "capabilities": { "general": { "positionEncodings": ["utf-16", "utf-8"] } } });
    let answer = client.request("initialize", encodings);
    assert_eq!(answer["result"]["capabilities"]["positionEncoding"], "utf-8");
    client.open(&model);
    let found = client.about("documentHighlight", at(5, 30));
    assert_eq!(found[2]["range"]["start"], json!({ "line": 5, "character": 28 }));
    assert_eq!(client.end(), Some(0));
}

#[test]
fn completion_knows_what_fits() {
    let (mut client, _) = Client::with(MODEL);
    let mut version = 1;
    let mut labels = |typed: &str| -> Vec<String> {
        version += 1;
        let text = format!("{MODEL}{typed}");
        client.change(version, json!([{ "text": text }]));
        let line = text.matches('\n').count() as u64;
        let column = text.rsplit('\n').next().map_or(0, str::len) as u64;
        let items = client.about("completion", at(line, column));
        items
            .as_array()
            .expect("items")
            .iter()
            .filter_map(|it| it["label"].as_str().map(str::to_owned))
            .collect()
    };
    for (typed, there, absent) in [
        ("", &["transition", "unsafe"][..], &["Idle", "forall"][..]),
        ("tran", &["transition"], &["Idle"]),
        ("var X : ", &["location", "bool", "proc"], &["Idle", "transition"]),
        ("unsafe (a b) { ", &["At", "Lock", "a", "b", "forall"], &["Idle", "p", "i"]),
        ("unsafe (a b) { At[", &["a", "b"], &["Idle", "Lock"]),
        ("unsafe (a b) { At[a] = ", &["Idle", "Want", "Critical"], &["True", "a"]),
        ("unsafe (a b) { Lock = Fa", &["False", "True"], &["Idle"]),
        ("transition t (a) requires { forall_other k. At[", &["a", "k"], &["Idle"]),
        ("transition t (a) requires { Lock = True } { ", &["At", "Lock"], &["Idle"]),
        ("transition t (a) requires { 2 > #{k | At[k] = Idle} && ", &["At", "a", "forall"], &["Idle"]),
        ("transition t (a) requires { 2 > sum{k | 2 if At[", &["a", "k"], &["Idle"]),
        ("transition t (a) requires { Lock = True } { X := #{k | ", &["At", "a", "k", "forall"], &["let"]),
        ("transition t (a) { At[c] := case | c = ", &["a", "c"], &["Idle"]),
        ("transition t (a) { At[c] := case | c = a : ", &["Idle"], &["True"]),
    ] {
        let found = labels(typed);
        for name in there {
            assert!(found.iter().any(|it| it == name), "{typed:?} lacks {name}: {found:?}");
        }
        for name in absent {
            assert!(!found.iter().any(|it| it == name), "{typed:?} offers {name}: {found:?}");
        }
    }
    assert_eq!(client.end(), Some(0));
}

#[test]
fn formatting_is_that_of_the_command() {
    let (mut client, _) = Client::with(MODEL);
    let edits = client.about("formatting", json!({ "options": { "tabSize": 4, "insertSpaces": true } }));
    let neat = crate::harness::run_stdin("fmt", MODEL.as_bytes()).stdout;
    assert_ne!(neat, MODEL);
    assert_eq!(edited(MODEL, &edits), neat);
    client.change(2, json!([{ "text": neat }]));
    assert_eq!(client.about("formatting", json!({ "options": {} })), json!([]));
    client.change(3, json!([{ "text": "var X" }]));
    assert_eq!(client.about("formatting", json!({ "options": {} })), json!(null));
    assert_eq!(client.end(), Some(0));
}

#[test]
fn a_promise_is_proved_when_it_is_clicked_and_not_before() {
    let folder = TempDir::new().expect("a folder");
    let target = folder.path().join("trace.json");
    let hostile = format!("{MODEL}(* TEST: --trace-out {} => safe *)\n", target.display());
    let (mut client, _) = Client::with(&hostile);
    let lenses = client.about("codeLens", json!({}));
    let command = |number: usize| lenses[number]["command"].clone();
    assert_eq!(command(0)["title"], "prove: cubicle --brab 2 (safe)", "{lenses}");
    assert_eq!(lenses[0]["range"]["start"]["line"], 0);
    assert_eq!(lenses.as_array().map(Vec::len), Some(2));

    let run = |client: &mut Client, arguments: Value| {
        client.request(
            "workspace/executeCommand",
            json!({ "command": "cubicle.prove", "arguments": arguments }),
        )
    };
    let answer = run(&mut client, command(0)["arguments"].clone());
    assert_eq!(answer["result"]["exitCode"], 0, "{answer}");
    assert_eq!(answer["result"]["summary"], "The system is SAFE", "{answer}");
    assert!(client.told("window/logMessage")["message"].as_str().is_some_and(|text| text.contains("SAFE")));
    assert_eq!(client.told("window/showMessage")["type"], 3);

    // A command line that writes files is not run.
    let answer = run(&mut client, command(1)["arguments"].clone());
    assert_eq!(answer["error"]["code"], -32803, "{answer}");
    assert!(!target.exists());
    for arguments in [json!([]), json!([URI, 7]), json!(["file:///other", 0])] {
        assert!(run(&mut client, arguments.clone()).get("error").is_some(), "{arguments}");
    }
    let other = json!({ "command": "rm", "arguments": [] });
    assert_eq!(client.request("workspace/executeCommand", other)["error"]["code"], -32602);

    // Without a promise, the model itself is checked.
    client.change(2, json!([{ "text": MODEL.lines().skip(1).collect::<Vec<_>>().join("\n") }]));
    let lenses = client.about("codeLens", json!({}));
    assert_eq!(lenses[0]["command"]["arguments"], json!([URI, null]), "{lenses}");
    assert_eq!(run(&mut client, json!([URI, null]))["result"]["exitCode"], 0);
    assert_eq!(client.end(), Some(0));
}

#[test]
fn a_claim_says_why_it_is_not_inductive() {
    let text = "var Locked : bool array In[proc] : bool\ninit (p) { Locked = False && In[p] = False }
unsafe (p q) { In[p] = True && In[q] = True }
transition enter (p) requires { Locked = False } { Locked := True; In[p] := True }
transition leave (p) requires { In[p] = True } { Locked := False; In[p] := False }\n";
    let place = |line: u64, character: u64| json!({ "line": line, "character": character });
    let (mut client, known) = Client::with(text);
    let actions = |client: &mut Client, line: u64, context: Value| {
        client.about(
            "codeAction",
            json!({ "range": { "start": place(line, 0), "end": place(line, 0) }, "context": context }),
        )
    };
    assert_eq!(actions(&mut client, 3, json!({})), json!([]));
    assert_eq!(actions(&mut client, 2, json!({ "only": ["quickfix"] })), json!([]));
    let action = actions(&mut client, 2, json!({}))[0].clone();
    assert_eq!(action["title"], "Why is this claim not inductive?", "{action}");
    let command =
        json!({ "command": action["command"]["command"], "arguments": action["command"]["arguments"] });
    let answer = client.request("workspace/executeCommand", command.clone());
    assert_eq!(answer["result"]["exitCode"], 1, "{answer}");
    let said = answer["result"]["output"].as_str().expect("a text");
    assert!(said.starts_with("unsafe at line 3: not inductive\n"), "{answer}");
    let notes = client.diagnostics();
    assert_eq!(notes.len(), known.len() + 1, "{notes:?}");
    let note = notes.last().expect("one");
    assert_eq!((&note["severity"], &note["range"]["start"]), (&json!(3), &place(2, 0)), "{note}");
    let message = note["message"].as_str().expect("a text");
    for part in
        ["enter(#1) leads into it from Locked = False", "No run has to", "invariant (p1", "which are proved"]
    {
        assert!(message.contains(part), "{part}: {message}");
    }
    let related = &note["relatedInformation"][0];
    assert_eq!(related["location"]["range"]["start"], place(3, 11), "{note}");
    assert_eq!(related["message"], "enter(#1): Locked = True, In[#1] = True", "{note}");
    // The text changes: what was found is gone, and a run about the earlier one says nothing any more.
    let id = client.ask("workspace/executeCommand", command.clone());
    client.change(
        2,
        json!([{ "text": text.replace("Locked = False }", "Locked = False && In[p] = False }") }]),
    );
    assert_eq!(client.diagnostics().len(), known.len());
    assert_eq!(client.answer(&json!(id))["result"]["exitCode"], 1);
    assert_eq!(client.about("documentSymbol", json!({}))[0]["name"], "Locked");
    assert!(
        client.told.iter().all(|it| it["method"] != "textDocument/publishDiagnostics"),
        "{:?}",
        client.told
    );
    // A model with errors is not asked about.
    client.change(3, json!([{ "text": format!("{text}unsafe (p) {{ X = p }}") }]));
    assert_eq!(actions(&mut client, 2, json!({})), json!([]));
    assert!(
        client
            .request("workspace/executeCommand", json!({ "command": "cubicle.inductive", "arguments": [] }))
            .get("error")
            .is_some()
    );
    assert_eq!(client.end(), Some(0));
}

#[test]
fn a_run_can_be_stopped() {
    let endless =
        format!("(* TEST: --nodes 100000000 --depth 100000000 => safe *){}", crate::models::ENDLESS);
    let (mut client, _) = Client::with(&endless);
    let params = json!({ "command": "cubicle.prove", "arguments": [URI, 0] });
    let id = client.ask("workspace/executeCommand", params);
    // The server answers meanwhile.
    assert_eq!(client.about("documentSymbol", json!({}))[0]["name"], "N");
    client.notify("$/cancelRequest", json!({ "id": id }));
    assert_eq!(client.answer(&json!(id))["error"]["code"], -32800);
    assert_eq!(client.end(), Some(0));
}

#[test]
fn nothing_that_a_client_sends_ends_the_server() {
    let mut client = Client::fresh();
    assert_eq!(client.request("textDocument/hover", json!({}))["error"]["code"], -32002);
    client.notify("textDocument/didOpen", json!({}));
    client.request("initialize", json!(null));
    assert_eq!(client.request("initialize", json!({}))["error"]["code"], -32600);
    for broken in ["{]", "", "\"\\ud800\"", "[1,"] {
        client.raw(format!("Content-Length: {}\r\n\r\n{broken}", broken.len()).as_bytes());
        assert_eq!(client.answer(&json!(null))["error"]["code"], -32700, "{broken}");
    }
    client.raw(b"Content-Length: nonsense\r\n\r\n");
    assert_eq!(client.answer(&json!(null))["error"]["code"], -32700);
    client.raw(b"Content-Length: 3\r\n\r\n\xff\xfe\xfd");
    assert_eq!(client.answer(&json!(null))["error"]["code"], -32700);
    for odd in [
        json!([]),
        json!(7),
        json!({}),
        json!({ "id": [], "method": "x" }),
        json!({ "id": null, "method": "x" }),
    ] {
        client.send(&odd);
        assert_eq!(client.answer(&json!(null))["error"]["code"], -32600, "{odd}");
    }
    client.send(&json!({ "id": "answer of nothing", "result": 1 }));
    for (method, params, code) in [
        ("textDocument/nonsense", json!({}), -32601),
        ("$/nonsense", json!({}), -32601),
        ("textDocument/hover", json!({}), -32602),
        ("textDocument/hover", json!([1, 2]), -32602),
        ("textDocument/hover", json!({ "textDocument": { "uri": URI } }), -32803),
    ] {
        assert_eq!(client.request(method, params)["error"]["code"], code, "{method}");
    }
    client.open(MODEL);
    for place in [
        json!({}),
        json!({ "position": 7 }),
        at(99, 0),
        json!({ "position": { "line": -1, "character": 0 } }),
    ] {
        let mut params = place.clone();
        params["textDocument"] = json!({ "uri": URI });
        assert_eq!(client.request("textDocument/hover", params)["error"]["code"], -32602, "{place}");
    }
    for (method, params) in [
        ("textDocument/didOpen", json!({})),
        (
            "textDocument/didChange",
            json!({ "textDocument": { "uri": "file:///other", "version": 3 }, "contentChanges": [] }),
        ),
        ("textDocument/didClose", json!({ "textDocument": { "uri": "file:///other" } })),
    ] {
        client.notify(method, params);
        assert_eq!(client.told("window/logMessage")["type"], 1, "{method}");
    }
    client.notify("workspace/didChangeConfiguration", json!({ "settings": null }));
    client.notify("nonsense", json!(null));
    assert_eq!(client.about("documentSymbol", json!({}))[0]["name"], "location");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn edits_out_of_step_are_reported_and_a_whole_text_repairs_them() {
    let (mut client, _) = Client::with(MODEL);
    let range = |line: u64| json!({ "start": { "line": line, "character": 0 }, "end": { "line": line, "character": 0 } });
    for (version, changes) in [
        (1, json!([{ "range": range(0), "text": " " }])),
        (5, json!([{ "range": range(99), "text": " " }])),
        (5, json!([{ "range": range(0) }])),
        (
            5,
            json!([{ "range": { "start": { "line": 3, "character": 0 }, "end": { "line": 1, "character": 0 } }, "text": "" }]),
        ),
    ] {
        client.change(version, changes.clone());
        assert_eq!(client.told("window/logMessage")["type"], 1, "{changes}");
        assert!(client.diagnostics().is_empty());
        // The editor's text is not known: no answer is better than a wrong one.
        let params = json!({ "textDocument": { "uri": URI }, "options": {} });
        assert_eq!(client.request("textDocument/formatting", params)["error"]["code"], -32801);
        client.change(6, json!([{ "range": range(0), "text": " " }]));
        assert_eq!(client.told("window/logMessage")["type"], 1);
        client.diagnostics();
        assert_eq!(client.open(MODEL).len(), 1);
    }
    // Several edits of one notification are made one after the other.
    client.change(8, json!([{ "text": "var X : int\n" }, { "range": range(1), "text": "init { X = 0 }\n" }, { "range": range(2), "text": "unsafe { X = 1 }" }]));
    assert!(client.diagnostics().iter().all(|it| it["severity"] == 2));
    assert_eq!(client.about("documentSymbol", json!({})).as_array().map(Vec::len), Some(3));
    assert_eq!(client.end(), Some(0));
}

#[test]
fn a_server_whose_client_goes_away_ends() {
    let (mut client, _) = Client::with(MODEL);
    drop(client.input.take());
    assert_eq!(client.server.wait().expect("it ends").code(), Some(1));
    let (mut client, _) = Client::with(MODEL);
    client.notify("exit", json!(null));
    assert_eq!(client.server.wait().expect("it ends").code(), Some(1));
}

/// A model of this many lines.
fn long_model(lines: usize) -> String {
    let mut text = "type location = Idle | Want | Critical\nvar Lock : bool\narray At[proc] : location\n\
                    init (p) { Lock = False && At[p] = Idle }\nunsafe (p q) { At[p] = Critical && At[q] = Critical }\n"
        .to_owned();
    for number in 0..lines.saturating_sub(5) / 4 {
        text += &format!(
            "transition t{number} (i)\nrequires {{ At[i] = Want && Lock = False && forall_other j. At[j] <> Critical }}\n\
             {{ At[j] := case | j = i : Critical | _ : At[j]; Lock := True }}\n\n"
        );
    }
    text
}

#[test]
fn a_text_of_ten_megabytes_is_accepted() {
    let (mut client, diagnostics) = Client::with(&"x ".repeat(5 << 20));
    assert!(!diagnostics.is_empty());
    client.change(2, json!([{ "text": "(* c *)\n".repeat(10 << 17) }]));
    assert!(!client.diagnostics().is_empty());
    client.change(3, json!([{ "text": "y".repeat(17 << 20) }]));
    assert!(client.diagnostics()[0]["message"].as_str().is_some_and(|text| text.contains("16 MiB")));
    client.change(4, json!([{ "text": MODEL }]));
    assert_eq!(client.diagnostics().len(), 1);
    assert_eq!(client.end(), Some(0));
}

/// How long an edit of a model of a thousand lines takes, until its diagnostics and its hover are there.
#[test]
#[ignore = "measures; run it alone, with --release and --nocapture"]
#[expect(clippy::print_stdout, reason = "the figures are what it is for")]
fn an_edit_of_a_long_model_is_answered_at_once() {
    let (mut client, _) = Client::with(&long_model(1000));
    let mut times: Vec<Duration> = Vec::new();
    for version in 2..42 {
        let range = json!({ "start": { "line": 9, "character": 0 }, "end": { "line": 9, "character": 0 } });
        let start = Instant::now();
        client.change(version, json!([{ "range": range, "text": " " }]));
        client.about("hover", at(2, 6));
        client.diagnostics();
        times.push(start.elapsed());
    }
    times.sort_unstable();
    println!("edit, hover and diagnostics: median {:?}, longest {:?}", times[20], times[39]);
    assert!(times[20] < Duration::from_millis(50), "{times:?}");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn consecutive_edits_are_checked_once() {
    let (mut client, _) = Client::with(&long_model(4000));
    let range = json!({ "start": { "line": 9, "character": 0 }, "end": { "line": 9, "character": 0 } });
    let all: String = (2..302)
        .map(|version| {
            let params = json!({
                "textDocument": { "uri": URI, "version": version },
                "contentChanges": [{ "range": range, "text": " " }],
            });
            let edit = json!({ "jsonrpc": "2.0", "method": "textDocument/didChange", "params": params });
            let text = edit.to_string();
            format!("Content-Length: {}\r\n\r\n{text}", text.len())
        })
        .collect();
    client.raw(all.as_bytes());
    let mut looked = 0;
    loop {
        looked += 1;
        if client.told("textDocument/publishDiagnostics")["version"] == 301 {
            break;
        }
    }
    assert!(looked < 250, "{looked} times");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn an_id_that_waits_for_its_answer_is_refused_a_second_time() {
    let endless =
        format!("(* TEST: --nodes 100000000 --depth 100000000 => safe *){}", crate::models::ENDLESS);
    let (mut client, _) = Client::with(&endless);
    let params = json!({ "command": "cubicle.prove", "arguments": [URI, 0] });
    let id = client.ask("workspace/executeCommand", params.clone());
    let again = json!({ "jsonrpc": "2.0", "id": id, "method": "workspace/executeCommand", "params": params });
    client.send(&again);
    let answer = client.answer(&json!(id));
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    assert!(
        answer["error"]["message"].as_str().is_some_and(|text| text.contains("is not answered yet")),
        "{answer}"
    );
    // The first one still runs, and ends when it is cancelled.
    client.notify("$/cancelRequest", json!({ "id": id }));
    assert_eq!(client.answer(&json!(id))["error"]["code"], -32800);
    assert_eq!(client.end(), Some(0));
}

#[test]
fn input_that_ends_after_shutdown_is_a_normal_end() {
    let mut client = Client::new();
    assert_eq!(client.request("shutdown", json!(null))["result"], json!(null));
    client.input = None;
    assert_eq!(client.server.wait().unwrap().code(), Some(0));
}

/// The process that `parent` has started, as soon as there is exactly one.
#[cfg(target_os = "linux")]
fn only_child(parent: u32) -> u32 {
    let start = Instant::now();
    loop {
        // A thread may end between these two lines, with its file.
        let threads = std::fs::read_dir(format!("/proc/{parent}/task")).unwrap().flatten();
        let children = threads.filter_map(|it| std::fs::read_to_string(it.path().join("children")).ok());
        if let Ok(child) = children.collect::<String>().trim().parse() {
            return child;
        }
        assert!(start.elapsed() < crate::harness::PATIENCE, "no child or several");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_signal_ends_the_server_and_its_proofs() {
    let endless =
        format!("(* TEST: --nodes 100000000 --depth 100000000 => safe *){}", crate::models::ENDLESS);
    let ends =
        [(Signal::TERM, Some(143)), (Signal::INT, Some(130)), (Signal::HUP, Some(129)), (Signal::KILL, None)];
    for (signal, code) in ends {
        if signal == Signal::HUP && crate::signals::hangups_are_ignored() {
            continue;
        }
        let (mut client, _) = Client::with(&endless);
        let params = json!({ "command": "cubicle.prove", "arguments": [URI, 0] });
        client.ask("workspace/executeCommand", params);
        client.about("documentSymbol", json!({}));
        let proof = only_child(client.server.id());
        rustix::process::kill_process(rustix::process::Pid::from_child(&client.server), signal).unwrap();
        assert_eq!(client.server.wait().unwrap().code(), code);
        // It may take the system a while to remove a killed process.
        let status = format!("/proc/{proof}/stat");
        let gone = || std::fs::read_to_string(&status).map_or(true, |text| text.contains(") Z "));
        let start = Instant::now();
        while !gone() {
            assert!(start.elapsed() < crate::harness::PATIENCE, "{proof} goes on");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Fields, channels and ranges have tokens, and fields are hovered and renamed as what they belong to.
#[test]
fn fields_and_channels_have_a_meaning() {
    let text = "type slot = 0 .. 3\ntype msg = { kind : bool; at : slot }\nchannel Net[proc] : msg[2] blocks\nvar Last : msg\n\
                init (p) { Last.at = 0 }\nunsafe () { Last.at = 3 }\n\
                transition put (p) { send(Net[p], { kind = True; at = Last.at }) }\n\
                transition get (p) { Last := receive(Net[p]) }\ntransition set () { Last.at := 1 }\n";
    let (mut client, _) = Client::with(text);
    let data = client.about("semanticTokens/full", json!({}));
    let data: Vec<u64> = data["data"].as_array().expect("a list").iter().filter_map(Value::as_u64).collect();
    let (mut line, mut column) = (0, 0);
    let mut told = Vec::new();
    for token in data.chunks(5) {
        column = if token[0] == 0 { column + token[1] } else { token[1] };
        line += token[0];
        let word = &text.lines().nth(line as usize).expect("a line")[column as usize..][..token[2] as usize];
        told.push((line, word, token[3], token[4]));
    }
    // Types, fields, channels; definitions, assignments.
    for wanted in [
        (0, "slot", 0, 1),
        (1, "msg", 2, 1),
        (1, "kind", 5, 1),
        (1, "slot", 0, 0),
        (2, "Net", 4, 0b1001),
        (6, "Net", 4, 0b1000),
        (6, "kind", 5, 0),
        (7, "Last", 4, 0b0100),
        (8, "at", 5, 0b0100),
        (8, "set", 7, 1),
    ] {
        let found = told.iter().any(|it| (it.0, it.1, it.2, it.3 & wanted.3) == wanted);
        assert!(found, "{wanted:?}: {told:?}");
    }
    // `at` in `Last.at = 3`.
    let hover = client.about("hover", at(5, 17));
    let said = hover["contents"]["value"].as_str().expect("text");
    assert!(said.contains("type msg = { kind : bool; at : slot }"), "{said}");
    let mut rename = at(5, 17);
    rename["newName"] = json!("place");
    let edits = client.about("rename", rename);
    let renamed = edited(text, &edits["changes"][URI]);
    let wanted =
        text.replace("; at :", "; place :").replace("Last.at", "Last.place").replace("; at =", "; place =");
    assert_eq!(renamed, wanted);
    assert_eq!(client.end(), Some(0));
}
