//! Why is a claim not inductive? `cubicle inductive` says so, when its user asks for that at a claim; what it found stands at the claims,
//! as information, until the text changes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use cubicle_lang::diagnostic::{Diagnostic, Span};
use cubicle_lang::syntax::ast::{Item, PropertyKind};
use serde_json::{Value, json};

use super::document::OpenModel;

/// The command by which clients ask for it: the document's name.
pub const COMMAND: &str = "cubicle.inductive";

/// The words of the run; the model comes from its standard input.
pub const WORDS: [&str; 4] = ["inductive", "--format", "json", "--time-limit=60s"];

/// The question at a claim in this range of a model without errors.
pub fn question(uri: &str, document: &OpenModel, wanted: Span) -> Option<Value> {
    let analysis = document.analysis();
    let wrong = analysis.diagnostics.iter().any(Diagnostic::is_error);
    let here = |span: Span| span.start <= wanted.end && wanted.start <= span.end;
    if wrong || !claims(document).any(here) {
        return None;
    }
    let title = "Why is this claim not inductive?";
    Some(json!({ "title": title, "command": { "title": title, "command": COMMAND, "arguments": [uri] } }))
}

fn claims(document: &OpenModel) -> impl Iterator<Item = Span> {
    let properties = document.analysis().file.properties();
    let of_states = properties.filter(|it| matches!(it.kind, PropertyKind::Unsafe | PropertyKind::Invariant));
    of_states.map(|it| it.loc.0)
}

/// Where answers about a model stand: a run reports them when the document may have changed.
pub struct Places {
    uri: String,
    /// The ranges of claims, by the line that they begin in, from 1.
    claims: BTreeMap<u64, Value>,
    /// The ranges of transitions, by their names.
    transitions: BTreeMap<String, Value>,
}

impl Places {
    pub fn new(uri: &str, document: &OpenModel) -> Self {
        let at = |span: Span| (document.line(span.start), document.range(span));
        let names = |item: &Item| match item {
            Item::Transition(it) => vec![it.name.clone()],
            Item::Process(it) => it.labels().cloned().collect(),
            _ => Vec::new(),
        };
        let names = document.analysis().file.items.iter().flat_map(names);
        let transitions = names.map(|it| (it.text.clone(), document.range(it.span())));
        Self {
            uri: uri.to_owned(),
            claims: claims(document).map(at).collect(),
            transitions: transitions.collect(),
        }
    }

    /// What a run says, as diagnostics at the claims and as a text. `None` where it has no answer.
    pub fn answers(&self, document: &str) -> Option<(Vec<Value>, String)> {
        let document: Value = serde_json::from_str(document).ok()?;
        let records = document["induction"].as_array().filter(|all| !all.is_empty())?;
        let (mut notes, mut text) = (Vec::new(), String::new());
        for record in records {
            let names: Vec<&str> = strings(&record["claims"]);
            let (title, lines) = match names[..] {
                [name] => (name, record["lines"].as_array()),
                _ => ("all together", None),
            };
            let said = in_words(record);
            let _ = writeln!(text, "{title}: {said}");
            for range in lines.into_iter().flatten().filter_map(|line| self.claims.get(&line.as_u64()?)) {
                notes.push(json!({
                    "range": range,
                    "severity": 3,
                    "source": "cubicle inductive",
                    "message": said,
                    "relatedInformation": self.step(record).into_iter().collect::<Vec<_>>(),
                }));
            }
        }
        Some((notes, text))
    }

    /// The step into a claim, at its transition.
    fn step(&self, record: &Value) -> Option<Value> {
        let step = record["step"]["step"].as_str()?;
        let range = self.transitions.get(step.split(['(', ' ']).next()?)?;
        let changes = strings(&record["step"]["changes"]).join(", ");
        let location = json!({ "uri": self.uri, "range": range });
        Some(json!({ "location": location, "message": format!("{step}: {changes}") }))
    }
}

fn in_words(record: &Value) -> String {
    let mut text = match record["answer"].as_str() {
        Some("inductive") => return "inductive, for any number of processes".to_owned(),
        Some("violated") => "violated: a run reaches it".to_owned(),
        Some("not_inductive") => "not inductive".to_owned(),
        _ => return format!("not known: {}", record["reason"].as_str().unwrap_or("no answer")),
    };
    let step = &record["step"];
    if let Some(name) = step["step"].as_str() {
        let before = strings(&step["before"]).join(", ");
        let changes = strings(&step["changes"]).join(", ");
        let _ = write!(text, "\n{name} leads into it from {before}: {changes}");
        if record["answer"] == "not_inductive" {
            text += "\nNo run has to reach that state.";
        }
    }
    let further = strings(&record["strengthening"]);
    if !further.is_empty() {
        let _ = write!(
            text,
            "\nWith these further claims, which are proved, it is inductive:\n{}",
            further.join("\n")
        );
    }
    text
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}
