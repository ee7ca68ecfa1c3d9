//! Which instance is written, and what the first lines of its file say.

use super::names::comment;
use cubicle_run::words::count;

/// The size of an instance, and its names.
#[derive(Clone, Debug)]
pub struct InstanceName {
    /// Number of processes, at least 1.
    pub procs: usize,
    /// How many of them are of each sort, in a model with sorts.
    pub of_sorts: Vec<(String, usize)>,
    /// Bounds of numbers: a step that leaves them is not possible.
    pub range: Option<(i64, i64)>,
    /// Where the model comes from, for a comment.
    pub source: String,
    /// Name of the module, for targets whose files have one.
    pub module: String,
}

/// The first lines of every file.
pub fn title(instance: &InstanceName, language: &str) -> Vec<String> {
    let of_sorts = instance.of_sorts.iter().map(|(sort, count)| format!("{sort}={count}"));
    let processes = match instance.procs {
        _ if !instance.of_sorts.is_empty() => format!("processes {}", of_sorts.collect::<Vec<_>>().join(",")),
        procs => count(procs, "process"),
    };
    let mut lines =
        vec![format!("{} with {processes}, for {language}; written by cubicle.", comment(&instance.source))];
    if let Some((low, high)) = instance.range {
        lines.push(format!(
            "Numbers are between {low} and {high}: a step that leaves these bounds is not possible."
        ));
    }
    lines
}
