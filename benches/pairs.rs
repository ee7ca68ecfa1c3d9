//! Models with records and ranges beside the same ones with hand-written arrays and enumerations: user CPU time of runs that alternate.
//!
//! `cargo bench --bench pairs`. The table in `docs/language.md` is its output. The models with arrays are those of `examples`; in
//! the others some arrays are fields of one array of records, and some enumerations are ranges. Both have to give the same
//! verdict, nodes and states.

#![allow(clippy::print_stdout, reason = "a benchmark reports on standard output")]

use std::path::Path;
use std::process::Command;

/// How often each model runs.
const RUNS: usize = 7;

/// An example and how it is written with records and ranges.
struct Pair {
    example: &'static str,
    /// Arrays that become fields.
    fields: &'static [&'static str],
    /// Enumerations that become ranges.
    ranges: &'static [&'static str],
    /// The command line.
    run: &'static str,
}

const PAIRS: [Pair; 5] = [
    Pair {
        example: "german",
        fields: &["Request", "Order", "Ack"],
        ranges: &[],
        run: "--only-forward --procs 7",
    },
    Pair {
        example: "directory",
        fields: &["Request", "Reply", "Forward", "Invalidation"],
        ranges: &["phase"],
        run: "brab 2",
    },
    Pair { example: "szymanski", fields: &[], ranges: &["location"], run: "--only-forward --procs 10" },
    Pair {
        example: "burns",
        fields: &["Flag", "At"],
        ranges: &["location"],
        run: "--only-forward --procs 10",
    },
    Pair {
        example: "german_data",
        fields: &["Cache", "Request", "Order", "Ack"],
        ranges: &["copy", "order"],
        run: "--only-forward --procs 3",
    },
];

fn main() {
    let folder = std::env::temp_dir().join(format!("cubicle-pairs-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    println!("| model | with | run | arrays | records and ranges | ratio |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for pair in &PAIRS {
        let name = pair.example;
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("examples/{name}.cub"));
        let text = std::fs::read_to_string(&own).unwrap_or_else(|error| panic!("{name}: {error}"));
        let other = folder.join(format!("{name}.cub"));
        std::fs::write(&other, rewritten(&text, pair)).expect("a file");
        let mut times = [Vec::new(), Vec::new()];
        let mut known = None;
        for _ in 0..RUNS {
            for (path, times) in [&own, &other].into_iter().zip(&mut times) {
                let (seconds, answer) = run(path, pair.run);
                times.push(seconds);
                let known = known.get_or_insert_with(|| answer.clone());
                assert_eq!(*known, answer, "{name}: {}", pair.run);
            }
        }
        let [arrays, records] = times.map(median);
        let with = [("a record", !pair.fields.is_empty()), ("ranges", !pair.ranges.is_empty())];
        let with: Vec<&str> = with.into_iter().filter(|it| it.1).map(|it| it.0).collect();
        println!(
            "| `{name}` | {} | `{}` | {arrays:.3} s | {records:.3} s | {:.2} |",
            with.join(", "),
            pair.run,
            records / arrays
        );
    }
    std::fs::remove_dir_all(&folder).expect("the folder is removed");
}

/// CPU time, and what has to be the same.
fn run(path: &Path, words: &str) -> (f64, Vec<String>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cubicle"));
    command.args(words.split(' ')).args(["--quiet", "--format", "json"]).arg(path);
    let output = command.output().expect("the program runs");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a document");
    let seconds = document["times"]["cpu"].as_f64().expect("the CPU time");
    let states = document["explorations"].as_array().into_iter().flatten().map(|it| &it["states"]);
    let same = [&document["verdict"], &document["backward"]["nodes"]].into_iter().chain(states);
    (seconds, same.map(ToString::to_string).collect())
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The model with a record for the arrays, and ranges for the enumerations.
fn rewritten(text: &str, pair: &Pair) -> String {
    let declaration = |keyword: &str, name: &str| {
        let start = text.find(&format!("{keyword} {name}")).unwrap_or_else(|| panic!("no {name}"));
        let rest = &text[start..];
        let next =
            ["\ntype ", "\nvar ", "\narray ", "\ninit ", "\n\n"].iter().filter_map(|it| rest.find(it)).min();
        &rest[..next.unwrap_or(rest.len())]
    };
    let mut found = text.to_owned();
    if let Some(first) = pair.fields.first() {
        let mut fields = Vec::new();
        for array in pair.fields {
            let line = declaration("array", &format!("{array}["));
            let ty = line.rsplit(": ").next().expect("a type").trim();
            fields.push(format!("{} : {ty}", array.to_lowercase()));
            found = found.replace(line, if array == first { "array Local[proc] : local" } else { "" });
        }
        // Types come before variables.
        let at = ["\nvar ", "\narray "].iter().filter_map(|it| found.find(it)).min().expect("a variable");
        found.insert_str(at, &format!("\ntype local = {{ {} }}", fields.join("; ")));
        for array in pair.fields {
            let parts: Vec<&str> = found.split(&format!("{array}[")).collect();
            let cell = |part: &str| {
                let (index, rest) = part.split_once(']').expect("an index");
                format!("Local[{index}].{}{rest}", array.to_lowercase())
            };
            found = parts[0].to_owned() + &parts[1..].iter().map(|it| cell(it)).collect::<String>();
        }
    }
    for ty in pair.ranges {
        let line = declaration("type", ty);
        let mut values: Vec<String> = Vec::new();
        // Comments between the constructors are left out.
        let mut rest = line.split_once('=').expect("constructors").1.to_owned();
        while let (Some(open), Some(close)) = (rest.find("(*"), rest.find("*)")) {
            rest.replace_range(open..close + 2, "");
        }
        values.extend(rest.split('|').map(|it| it.trim().to_owned()).filter(|it| !it.is_empty()));
        found = found.replace(line, &format!("type {ty} = 0 .. {}", values.len() - 1));
        for (number, value) in values.iter().enumerate() {
            found = whole_words(&found, value, &number.to_string());
        }
    }
    found
}

fn whole_words(text: &str, word: &str, by: &str) -> String {
    let mut found = String::new();
    let mut rest = text;
    let part = |it: Option<char>| it.is_some_and(|it| it.is_alphanumeric() || it == '_');
    while let Some(at) = rest.find(word) {
        let (before, behind) = (&rest[..at], &rest[at + word.len()..]);
        let is_whole = !part(before.chars().next_back()) && !part(behind.chars().next());
        found += before;
        found += if is_whole { by } else { word };
        rest = behind;
    }
    found + rest
}
