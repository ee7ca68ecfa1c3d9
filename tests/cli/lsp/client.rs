//! A scripted client of the language server.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use super::URI;
use crate::harness::cubicle;

/// A client and its server.
pub struct Client {
    pub server: Child,
    pub input: Option<ChildStdin>,
    pub output: BufReader<ChildStdout>,
    pub asked: i64,
    /// Notifications and requests of the server received so far.
    pub told: Vec<Value>,
}

impl Client {
    /// A server that waits for its first request.
    pub fn fresh() -> Self {
        let mut server = cubicle()
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let (input, output) = (server.stdin.take(), server.stdout.take().expect("its output"));
        Self { server, input, output: BufReader::new(output), asked: 0, told: Vec::new() }
    }

    /// A server that is initialized.
    pub fn new() -> Self {
        let mut client = Self::fresh();
        let answer = client.request("initialize", json!({ "capabilities": {} }));
        assert_eq!(answer["result"]["capabilities"]["positionEncoding"], "utf-16", "{answer}");
        client.notify("initialized", json!({}));
        client
    }

    /// A server with an open model, and its diagnostics.
    pub fn with(text: &str) -> (Self, Vec<Value>) {
        let mut client = Self::new();
        let diagnostics = client.open(text);
        (client, diagnostics)
    }

    pub fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("not closed");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the server reads");
    }

    pub fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    pub fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer(&json!(id))
    }

    /// The result of a request about the open model.
    pub fn about(&mut self, method: &str, more: Value) -> Value {
        let mut params = json!({ "textDocument": { "uri": URI } });
        for (key, value) in more.as_object().expect("parameters") {
            params[key] = value.clone();
        }
        let answer = self.request(&format!("textDocument/{method}"), params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    pub fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("text") > 0, "the server is gone");
            match line.trim().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().expect("a length"),
                None => break,
            }
        }
        let mut bytes = vec![0; length];
        self.output.read_exact(&mut bytes).expect("a message");
        serde_json::from_slice(&bytes).expect("JSON")
    }

    /// The answer to request `id`; what comes before it is kept.
    pub fn answer(&mut self, id: &Value) -> Value {
        loop {
            let message = self.receive();
            if message.get("method").is_none() && message["id"] == *id {
                return message;
            }
            self.told.push(message);
        }
    }

    /// The next notification of a kind.
    pub fn told(&mut self, method: &str) -> Value {
        loop {
            if let Some(at) = self.told.iter().position(|message| message["method"] == method) {
                return self.told.remove(at)["params"].clone();
            }
            let message = self.receive();
            self.told.push(message);
        }
    }

    pub fn diagnostics(&mut self) -> Vec<Value> {
        self.told("textDocument/publishDiagnostics")["diagnostics"].as_array().expect("a list").clone()
    }

    pub fn open(&mut self, text: &str) -> Vec<Value> {
        let document = json!({ "uri": URI, "languageId": "cubicle", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
        self.diagnostics()
    }

    pub fn change(&mut self, version: i64, changes: Value) {
        let document = json!({ "uri": URI, "version": version });
        self.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    /// Ends the server as the protocol requires; its exit code.
    pub fn end(mut self) -> Option<i32> {
        assert_eq!(self.request("shutdown", json!(null))["result"], json!(null));
        assert_eq!(self.request("textDocument/hover", json!({}))["error"]["code"], -32600);
        self.notify("exit", json!(null));
        self.server.wait().expect("it ends").code()
    }
}
