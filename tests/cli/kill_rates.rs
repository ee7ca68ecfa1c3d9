//! The table of kill rates in the book: computed from the examples, on request only.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::harness::run;
use crate::machine::{assert_valid, schema};

/// The examples whose mutants are all decided or given up soon, the largest first.
const MODELS: &[&str] = &[
    "directory",
    "szymanski",
    "mesi",
    "german",
    "bakery",
    "dijkstra",
    "illinois",
    "moesi",
    "rwlock",
    "readers_count",
    "two_phase_commit",
    "peterson",
    "dekker",
    "germanish",
    "burns",
    "lease",
    "berkeley",
    "sense_barrier",
    "token_ring",
    "leader_election",
    "mutex",
    "synapse",
];

/// No example may take longer on two otherwise idle cores.
const MOST: Duration = Duration::from_secs(180);

const BEGIN: &str = "<!-- table: begin -->\n";
const END: &str = "<!-- table: end -->";

#[test]
#[ignore = "minutes, in a release build"]
#[allow(clippy::print_stdout, reason = "shows how long each takes")]
fn table() {
    let schema = schema("docs/schema/mutation.json");
    let mut table = String::from(
        "| model | killed | kill rate | new states | fewer states | same states | undecided | not counted | stable k |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for model in MODELS {
        let line = format!("mutate examples/{model}.cub --jobs 2 --format json");
        let start = Instant::now();
        let outcome = run(&line);
        println!("{model}: {:.1} s", start.elapsed().as_secs_f64());
        assert!(start.elapsed() < MOST, "{model}");
        assert_eq!(outcome.code, Some(0), "{line}: {outcome:?}");
        let found = assert_valid(&schema, &outcome.stdout, &line);
        let mutants = found["mutants"].as_array().expect("a list");
        let number = |what: &dyn Fn(&serde_json::Value) -> bool| mutants.iter().filter(|it| what(it)).count();
        let same = |it: &serde_json::Value| it["changes_nothing"] == true;
        let survived = |it: &serde_json::Value| it["fate"] == "survived" && !same(it);
        let change = |it: &serde_json::Value, key: &str| it["change"][key].as_u64().unwrap_or(1) > 0;
        let (killed, counted) = (found["killed"].as_u64(), found["counted"].as_u64());
        let (killed, counted) = (killed.expect("a number"), counted.expect("a number"));
        let stable = found["mutant_stable_k"].as_u64().map_or("–".to_owned(), |k| k.to_string());
        let settled = if found["settled"] == true { "" } else { "\\*" };
        let _ = writeln!(
            table,
            "| {model} | {killed} of {counted} | {} % | {} | {} | {} | {} | {} | {stable}{settled} |",
            killed * 100 / counted.max(1),
            number(&|it| survived(it) && change(it, "appear")),
            number(&|it| survived(it) && !change(it, "appear") && change(it, "vanish")),
            number(&|it| survived(it) && !change(it, "appear") && !change(it, "vanish")),
            number(&|it| it["fate"] == "undecided"),
            number(&same),
        );
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/mutation.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the place of the table");
    let (_, after) = rest.split_once(END).expect("the end of the table");
    let new = format!("{before}{BEGIN}{table}{END}{after}");
    if std::env::var_os("CUBICLE_BLESS").is_some() {
        fs::write(&path, new).unwrap();
    } else {
        assert_eq!(page, new, "docs/mutation.md is stale");
    }
}
