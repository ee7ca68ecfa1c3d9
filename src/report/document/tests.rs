//! The schemas in `docs/schema` are those of the types. `CUBICLE_BLESS=1` writes them anew.

use std::path::Path;

use cubicle_run::Event;
use schemars::{JsonSchema, schema_for};
use serde_json::Value;

use super::{Document, Message, MutationDocument, TestDocument, ValidationDocument, WitnessDocument};

fn check<T: JsonSchema>(name: &str, title: &str) {
    let mut schema = schema_for!(T);
    schema.insert("title".to_owned(), Value::from(title));
    let text = format!("{:#}\n", schema.to_value());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema").join(name);
    if std::env::var_os("CUBICLE_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
        return;
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        known == text,
        "docs/schema/{name} is not the schema of the types any more: CUBICLE_BLESS=1 writes it anew. Is it only \
         more than before? If not, SCHEMA_VERSION is one more."
    );
}

#[test]
fn the_schemas_are_those_of_the_types() {
    check::<Document>("run.json", "A run of cubicle");
    check::<Event>("event.json", "An event of a run of cubicle");
    check::<MutationDocument>("mutation.json", "The mutants of a model");
    check::<WitnessDocument>("witness.json", "A run of a model that shows something");
    check::<TestDocument>("test.json", "Models, and whether they are as expected");
    check::<ValidationDocument>("validation.json", "Logs that were compared with a model");
    check::<Message>("message.json", "A message of cubicle");
}
