//! Dependencies of the files of `src/`: no cycle of files, no import that runs up, and forbidden imports between
//! modules. `cargo test --release --test suite house -- --nocapture` prints the graph.

mod graph;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use self::graph::Graph;

/// `FROM` imports nothing from `TO`, though Cargo would allow it for the crate of `FROM`.
const NEVER: &[(&str, &str)] = &[
    ("src/lang/format/", "src/lang/load/"),
    ("src/lang/format/", "src/lang/model/"),
    ("src/lang/index/", "src/lang/model/"),
    ("src/tools/export/", "src/check/"),
    ("src/tools/export/", "src/forward/"),
    ("src/tools/itf/", "src/check/"),
    ("src/tools/itf/", "src/forward/"),
    ("src/tools/simulate/", "src/check/"),
    ("src/tools/simulate/", "src/forward/"),
    // The schedule uses engines only through `engines` and `session`.
    ("src/check/auto.rs", "src/forward/"),
    ("src/check/explore.rs", "src/forward/"),
    ("src/check/search.rs", "src/forward/"),
    ("src/check/vacuity.rs", "src/forward/"),
    // So that a change of the engine compiles it and the program only.
    ("src/app/", "src/backward/"),
    ("src/check/", "src/backward/"),
    ("src/report/", "src/backward/"),
    ("src/tools/", "src/backward/"),
    ("src/app/lsp/", "src/certificate/"),
    ("src/app/lsp/", "src/check/"),
    ("src/app/lsp/", "src/forward/"),
];

type Arrows<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

#[test]
fn cycles_and_upward_imports_are_found() {
    let arrows = Arrows::from([
        ("src/a.rs", BTreeSet::from(["src/b.rs"])),
        ("src/b.rs", BTreeSet::from(["src/a.rs", "src/room/low.rs"])),
        ("src/room/high.rs", BTreeSet::from(["src/c.rs"])),
        ("src/c.rs", BTreeSet::from(["src/room/low.rs"])),
        ("src/room/low.rs", BTreeSet::new()),
        ("src/tools/itf/read.rs", BTreeSet::from(["src/forward/lib.rs"])),
    ]);
    assert_eq!(circles(&arrows), [["src/a.rs", "src/b.rs"]]);
    let faults = upward(&arrows);
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(faults[0].starts_with("a circle in src/: c.rs, room/"), "{faults:?}");
    assert_eq!(broken(&arrows).len(), 1);
}

#[test]
#[allow(clippy::print_stdout, reason = "the graph is there to be looked at")]
fn dependencies_only_run_down() {
    let base = Path::new(env!("CARGO_MANIFEST_DIR"));
    let graph = Graph::read(base, &base.join("src"));
    let arrows = graph.arrows();
    for (from, to) in &arrows {
        for to in to {
            println!("{from} -> {to}");
        }
    }
    let circles = circles(&arrows);
    let upward = upward(&arrows);
    let count: usize = arrows.values().map(BTreeSet::len).sum();
    println!(
        "{} files, {count} imports, {} circles of files, {} circles of folders (imports that run up)",
        arrows.len(),
        circles.len(),
        upward.len()
    );
    let mut faults: Vec<String> =
        circles.iter().map(|c| format!("a circle of files: {}", c.join(", "))).collect();
    faults.extend(upward);
    faults.extend(broken(&arrows));
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

/// What says where to change what names files that exist.
#[test]
fn documents_name_files_that_exist() {
    let base = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files: Vec<_> = graph::rust_files(&base.join("src"))
        .into_iter()
        .chain(graph::rust_files(&base.join("tests")))
        .collect();
    for document in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = std::fs::read_to_string(base.join(document)).expect("it is there");
        for name in text
            .split('`')
            .skip(1)
            .step_by(2)
            .filter(|name| Path::new(name).extension().is_some_and(|it| it == "rs"))
        {
            assert!(
                files.iter().any(|file| file.ends_with(name)),
                "{document} names `{name}`, which does not exist"
            );
        }
    }
}

/// The files that import each other in a cycle, one list for each cycle.
fn circles<'a>(arrows: &Arrows<'a>) -> Vec<Vec<&'a str>> {
    let mut graph = petgraph::graphmap::DiGraphMap::<&str, ()>::new();
    for (from, to) in arrows {
        graph.add_node(from);
        for to in to {
            graph.add_edge(from, to, ());
        }
    }
    let mut circles: Vec<Vec<&str>> =
        petgraph::algo::tarjan_scc(&graph).into_iter().filter(|part| part.len() > 1).collect();
    for circle in &mut circles {
        circle.sort_unstable();
    }
    circles.sort();
    circles
}

/// Cycles between the files and folders of a folder: with them, some import runs up in every order of the layers.
/// The root file of a folder is above the contents of the folder.
fn upward(arrows: &Arrows<'_>) -> Vec<String> {
    let folders: BTreeSet<&str> =
        arrows.keys().flat_map(|file| file.match_indices('/').map(|(at, _)| &file[..=at])).collect();
    let mut faults = Vec::new();
    for folder in folders {
        let child = |file: &'_ str| -> Option<String> {
            let rest = file.strip_prefix(folder)?;
            Some(rest.split_once('/').map_or_else(|| rest.to_owned(), |(inner, _)| format!("{inner}/")))
        };
        let mut inner: BTreeMap<String, BTreeMap<String, Vec<String>>> = BTreeMap::new();
        for (from, to) in arrows {
            for to in to {
                if let (Some(a), Some(b)) = (child(from), child(to))
                    && a != b
                {
                    inner.entry(a).or_default().entry(b).or_default().push(format!("{from} -> {to}"));
                }
            }
        }
        let borrowed: Arrows<'_> =
            inner.iter().map(|(from, to)| (from.as_str(), to.keys().map(String::as_str).collect())).collect();
        for circle in circles(&borrowed) {
            // Cycles of files alone are reported as such.
            if circle.iter().all(|name| !name.ends_with('/')) {
                continue;
            }
            let ties: Vec<String> = circle
                .iter()
                .flat_map(|a| circle.iter().filter_map(|b| inner.get(*a)?.get(*b)))
                .flatten()
                .map(|tie| format!("    {tie}"))
                .collect();
            faults.push(format!("a circle in {folder}: {}\n{}", circle.join(", "), ties.join("\n")));
        }
    }
    faults
}

/// Forbidden imports between modules.
fn broken(arrows: &Arrows<'_>) -> Vec<String> {
    let mut faults = Vec::new();
    for (from, to) in arrows {
        for to in to {
            for (room, other) in NEVER {
                let inside = from.starts_with(room) && !from.starts_with(other);
                if inside && to.starts_with(other) {
                    faults.push(format!("{room} must not know {other}: {from} -> {to}"));
                }
            }
        }
    }
    faults
}
