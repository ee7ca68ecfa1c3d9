//! The mutants that survived, in SARIF 2.1.0: editors and forges show them at the lines that they change.

use serde_json::{Value, json};

use super::document::{FateWord, MutantRecord, MutationDocument};
use super::sarif::{SarifRun, file, invocation, physical, uri};
use cubicle_lang::named::Named;
use cubicle_transform::mutate::Operator;

/// The survivors of a document: those that change what is reachable as warnings, the others that change something as
/// notes. Ends in a line feed.
pub fn survivors_sarif(document: &MutationDocument) -> String {
    let uri = document.model.path.as_deref().map(uri);
    let survived = |it: &&MutantRecord| it.fate == FateWord::Survived && it.changes_nothing != Some(true);
    let results = document.mutants.iter().filter(survived).map(|it| result(it, uri.as_deref()));
    let rule = |name: &str, what: &str| json!({ "id": name, "shortDescription": { "text": what } });
    file(SarifRun {
        tool: &document.tool,
        rules: Operator::ALL.iter().map(|it| rule(it.name(), it.about())).collect(),
        invocation: invocation(&document.command, document.exit_code, true),
        results: results.collect(),
        properties: json!({ "killed": document.killed, "counted": document.counted }),
    })
}

fn result(mutant: &MutantRecord, uri: Option<&str>) -> Value {
    let moved = mutant.change.is_none_or(|it| it.appear + it.vanish > 0);
    let what = match mutant.change {
        Some(it) if moved => {
            format!(
                "of {} states of {} processes, {} vanish and {} appear",
                it.of, it.procs, it.vanish, it.appear
            )
        }
        Some(_) => "the states stay the same".to_owned(),
        None => "what it changes is not known".to_owned(),
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
