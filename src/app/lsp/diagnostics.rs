//! The diagnostics of a model, in the protocol's form.

use cubicle_lang::diagnostic::{Diagnostic, Severity};
use serde_json::{Value, json};

use super::document::OpenModel;

/// A diagnostic in the protocol's form.
pub fn diagnostic(uri: &str, document: &OpenModel, this: &Diagnostic) -> Value {
    let mut message = this.message.clone();
    for more in
        [Some(&this.primary.text), this.help.as_ref()].into_iter().flatten().filter(|it| !it.is_empty())
    {
        message.push('\n');
        message.push_str(more);
    }
    let related = this.secondary.iter().map(|label| {
        json!({ "location": { "uri": uri, "range": document.range(label.span) }, "message": label.text })
    });
    json!({
        "range": document.range(this.primary.span),
        "severity": if this.severity == Severity::Error { 1 } else { 2 },
        "code": this.code,
        "source": "cubicle",
        "message": message,
        "relatedInformation": related.collect::<Vec<_>>(),
    })
}
