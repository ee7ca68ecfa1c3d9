//! The state of a server, and the dispatch of messages.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use cubicle_lang::diagnostic::Span;
use cubicle_lang::format::{Refused, format};
use cubicle_run::workers::locked;
use cubicle_tools::expect::test_lines;
use serde_json::{Value, json};

use super::claims::{self, Places};
use super::document::{OpenModel, diagnostic};
use super::positions::Encoding;
use super::prove::{self, ProofRuns, Refuse, Running};
use super::{actions, completion, hover, outline};
use crate::rpc::{Outgoing, RequestError, Server, ServerEnd};

/// The stage of the life of a server.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ServerStage {
    Fresh,
    Running,
    ShutDown,
}

pub struct LanguageServer {
    output: Outgoing,
    refuse: Refuse,
    stage: ServerStage,
    encoding: Encoding,
    documents: BTreeMap<String, OpenModel>,
    /// Documents whose diagnostics are not published yet.
    changed: BTreeSet<String>,
    runs: ProofRuns,
    /// The versions of open documents, for what a run finds out about them later.
    versions: Arc<Mutex<BTreeMap<String, i64>>>,
}

impl LanguageServer {
    /// A server that waits for `initialize`.
    pub fn new(output: Outgoing, refuse: Refuse) -> Self {
        let (documents, changed) = (BTreeMap::new(), BTreeSet::new());
        let (stage, encoding, runs) = (ServerStage::Fresh, Encoding::default(), ProofRuns::default());
        let versions = Arc::default();
        Self { output, refuse, stage, encoding, documents, changed, runs, versions }
    }

    /// The current proofs.
    pub fn running(&self) -> Running {
        self.runs.running.clone()
    }

    /// The document that a request is about.
    fn document<'a>(&'a self, params: &'a Value) -> Result<(&'a str, &'a OpenModel), RequestError> {
        let uri =
            params["textDocument"]["uri"].as_str().ok_or_else(|| RequestError::params("textDocument"))?;
        match self.documents.get(uri) {
            None => Err(RequestError::new(RequestError::FAILED, format!("{uri} is not open"))),
            Some(document) if document.lost => {
                let why = "an edit could not be made: close the model and open it again";
                Err(RequestError::new(RequestError::MODIFIED, why))
            }
            Some(document) => Ok((uri, document)),
        }
    }

    fn initialize(&mut self, params: &Value) -> Value {
        self.stage = ServerStage::Running;
        self.encoding = Encoding::negotiate(&params["capabilities"]["general"]["positionEncodings"]);
        self.runs.shows_progress = params["capabilities"]["window"]["workDoneProgress"] == true;
        json!({
            "capabilities": {
                "positionEncoding": self.encoding.name(),
                "textDocumentSync": { "openClose": true, "change": 2 },
                "hoverProvider": true,
                "definitionProvider": true,
                "referencesProvider": true,
                "documentHighlightProvider": true,
                "renameProvider": { "prepareProvider": true },
                "documentSymbolProvider": true,
                "semanticTokensProvider": outline::provider(),
                "completionProvider": { "triggerCharacters": ["[", ":", "=", ">"] },
                "documentFormattingProvider": true,
                "codeActionProvider": { "codeActionKinds": ["quickfix"] },
                "codeLensProvider": {},
                "executeCommandProvider": { "commands": [prove::COMMAND, claims::COMMAND] },
            },
            "serverInfo": { "name": "cubicle", "version": env!("CARGO_PKG_VERSION") },
        })
    }

    fn open(&mut self, document: &Value) -> Result<(), String> {
        let (uri, text) = (document["uri"].as_str(), document["text"].as_str());
        let (Some(uri), Some(text)) = (uri, text) else { return Err("no document".to_owned()) };
        let version = document["version"].as_i64().unwrap_or_default();
        self.documents.insert(uri.to_owned(), OpenModel::new(text.to_owned(), version, self.encoding));
        self.renew(uri);
        Ok(())
    }

    fn change(&mut self, params: &Value) -> Result<(), String> {
        let uri = params["textDocument"]["uri"].as_str().ok_or("no document")?;
        let document = self.documents.get_mut(uri).ok_or_else(|| format!("{uri} is not open"))?;
        let version = params["textDocument"]["version"].as_i64().unwrap_or(document.version + 1);
        let changes = params["contentChanges"].as_array().map_or(&[][..], Vec::as_slice);
        let made = document.edit(version, changes);
        document.lost = made.is_err();
        self.renew(uri);
        made.map_err(|why| format!("{uri}: {why}; close it and open it again"))
    }

    fn close(&mut self, document: &Value) -> Result<(), String> {
        let uri = document["uri"].as_str().ok_or("no document")?;
        self.documents.remove(uri).ok_or_else(|| format!("{uri} is not open"))?;
        self.renew(uri);
        Ok(())
    }

    fn execute(&mut self, params: &Value, id: &Value) -> Result<(), RequestError> {
        if params["command"] == claims::COMMAND {
            return self.ask_about_claims(params, id);
        }
        if params["command"] != prove::COMMAND {
            let what = format!("there is no command `{}`", params["command"].as_str().unwrap_or_default());
            return Err(RequestError::new(RequestError::INVALID_PARAMS, what));
        }
        let uri = params["arguments"][0].as_str().ok_or_else(|| RequestError::params("arguments"))?;
        let about = json!({ "textDocument": { "uri": uri } });
        let (_, document) = self.document(&about)?;
        let number = params["arguments"][1].as_u64().and_then(|number| usize::try_from(number).ok());
        let line = match number {
            None => String::new(),
            Some(number) => {
                let promise = test_lines(&document.text).flatten().nth(number);
                let promise = promise.ok_or_else(|| RequestError::params("the number of the TEST line"))?;
                promise.arguments.to_owned()
            }
        };
        let text = document.text.clone();
        self.runs.prove(self.refuse, &self.output, &line, text, id)
    }

    /// Runs `cubicle inductive`; what it finds is published with the diagnostics of the text, unless that has changed.
    fn ask_about_claims(&mut self, params: &Value, id: &Value) -> Result<(), RequestError> {
        let uri = params["arguments"][0].as_str().ok_or_else(|| RequestError::params("arguments"))?;
        let about = json!({ "textDocument": { "uri": uri } });
        let (_, document) = self.document(&about)?;
        let (places, version) = (Places::new(uri, document), document.version);
        let mut all = published(uri, document);
        let (uri, text) = (uri.to_owned(), document.text.clone());
        let (versions, output) = (Arc::clone(&self.versions), self.output.clone());
        let read = move |answer: String| {
            let Some((notes, text)) = places.answers(&answer) else { return answer };
            let versions = locked(&versions);
            if versions.get(&uri) == Some(&version) {
                all.extend(notes);
                let params = json!({ "uri": uri, "version": version, "diagnostics": all });
                output.notify("textDocument/publishDiagnostics", params);
            }
            text
        };
        self.runs.start(&self.output, &claims::WORDS, text, id, read)
    }

    /// Takes note of the version of a document: answers about earlier ones are not published any more.
    fn renew(&mut self, uri: &str) {
        let version = self.documents.get(uri).map(|it| it.version);
        let mut versions = locked(&self.versions);
        match version {
            Some(version) => versions.insert(uri.to_owned(), version),
            None => versions.remove(uri),
        };
        self.changed.insert(uri.to_owned());
    }
}

impl Server for LanguageServer {
    fn request(&mut self, method: &str, params: &Value, id: &Value) -> Option<Result<Value, RequestError>> {
        let invalid = |why| Some(Err(RequestError::new(RequestError::INVALID_REQUEST, why)));
        match (self.stage, method) {
            (_, "") => return invalid("a request has a method"),
            (ServerStage::ShutDown, _) => return invalid("the server is shut down"),
            (ServerStage::Fresh, "initialize") => return Some(Ok(self.initialize(params))),
            (ServerStage::Fresh, _) => {
                let why = "the first request is `initialize`";
                return Some(Err(RequestError::new(RequestError::NOT_INITIALIZED, why)));
            }
            (ServerStage::Running, "initialize") => return invalid("the server is initialized already"),
            (ServerStage::Running, "shutdown") => {
                self.runs.running.stop_all();
                self.stage = ServerStage::ShutDown;
                return Some(Ok(Value::Null));
            }
            (ServerStage::Running, "workspace/executeCommand") => {
                return self.execute(params, id).err().map(Err);
            }
            (ServerStage::Running, _) => {}
        }
        let answer = match method {
            "textDocument/hover" => hover::hover,
            "textDocument/definition" => hover::definition,
            "textDocument/references" => hover::references,
            "textDocument/documentHighlight" => hover::highlight,
            "textDocument/prepareRename" => hover::prepare_rename,
            "textDocument/rename" => hover::rename,
            "textDocument/documentSymbol" => outline::symbols,
            "textDocument/semanticTokens/full" => outline::tokens,
            "textDocument/completion" => completion::complete,
            "textDocument/formatting" => formatting,
            "textDocument/codeAction" => actions::at_range,
            "textDocument/codeLens" => actions::lenses,
            _ => return Some(Err(RequestError::no_method(method))),
        };
        Some(self.document(params).and_then(|(uri, document)| answer(uri, document, params)))
    }

    fn notification(&mut self, method: &str, params: &Value) {
        if self.stage != ServerStage::Running {
            return;
        }
        let told = match method {
            "textDocument/didOpen" => self.open(&params["textDocument"]),
            "textDocument/didChange" => self.change(params),
            "textDocument/didClose" => self.close(&params["textDocument"]),
            "$/cancelRequest" => {
                self.runs.stop(&params["id"]);
                Ok(())
            }
            "window/workDoneProgress/cancel" => {
                self.runs.stop_shown(&params["token"]);
                Ok(())
            }
            // Other notifications of a client need no answer.
            _ => Ok(()),
        };
        if let Err(why) = told {
            self.output
                .notify("window/logMessage", json!({ "type": 1, "message": format!("{method}: {why}") }));
        }
    }

    /// Publishes the diagnostics of documents that have changed.
    fn idle(&mut self) {
        while let Some(uri) = self.changed.pop_first() {
            let params = match self.documents.get(&uri).filter(|document| !document.lost) {
                None => json!({ "uri": uri, "diagnostics": [] }),
                Some(document) => {
                    let all = published(&uri, document);
                    json!({ "uri": uri, "version": document.version, "diagnostics": all })
                }
            };
            self.output.notify("textDocument/publishDiagnostics", params);
        }
    }

    fn is_last(&self, message: &Value) -> bool {
        message["method"] == "exit"
    }

    fn end(&mut self) -> ServerEnd {
        if self.stage == ServerStage::ShutDown { ServerEnd::Orderly } else { ServerEnd::Abrupt }
    }
}

/// The diagnostics of a text.
fn published(uri: &str, document: &OpenModel) -> Vec<Value> {
    document.analysis().diagnostics.iter().map(|it| diagnostic(uri, document, it)).collect()
}

/// The edit that lays a document out; none when it has errors, which its diagnostics report.
fn formatting(_: &str, document: &OpenModel, _: &Value) -> Result<Value, RequestError> {
    let new = match format(&document.text) {
        Ok(new) => new,
        Err(Refused::Wrong(_)) => return Ok(Value::Null),
        Err(refused @ Refused::Changed) => {
            return Err(RequestError::new(RequestError::INTERNAL, refused.to_string()));
        }
    };
    let old = &document.text;
    if new == *old {
        return Ok(json!([]));
    }
    // What is the same at both ends stays, and cursors there with it.
    let ahead: usize =
        old.chars().zip(new.chars()).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum();
    let (rest, rest_new) = (&old[ahead..], &new[ahead..]);
    let behind: usize = (rest.chars().rev().zip(rest_new.chars().rev()))
        .take_while(|(a, b)| a == b)
        .map(|(c, _)| c.len_utf8())
        .sum();
    let span = Span::new(ahead as u32, (old.len() - behind) as u32);
    Ok(json!([{ "range": document.range(span), "newText": new[ahead..new.len() - behind] }]))
}
