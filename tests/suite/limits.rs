//! The numbers in `docs/limits.md` are those of the code.

use std::fs;
use std::path::Path;

/// For each row of the table "How large a model may be": how it begins, and for each number in it, the file below `src` and the text before the number there.
const ROWS: [(&str, &[(&str, &str, &str)]); 15] = [
    ("text of a model", &[("16 MiB", "lang/syntax/parser.rs", "const MAX_BYTES: usize = 16 << 20;")]),
    ("constructors of a type", &[("64,", "lang/model/ir.rs", "const MAX_CONSTRUCTORS: usize = 64;")]),
    (
        "values of a range",
        &[
            ("2^31;", "lang/expand/declare.rs", "if count > 1 << 31 "),
            ("64 of one", "lang/model/ir.rs", "const MAX_CONSTRUCTORS: usize = 64;"),
        ],
    ),
    ("messages in a queue", &[("16 ", "lang/expand/declare.rs", "const MOST_MESSAGES: i64 = 16;")]),
    (
        "variables that one declaration",
        &[
            ("1024,", "lang/expand/declare.rs", "const MOST_LEAVES: usize = 1024;"),
            ("512 ", "lang/expand/transitions.rs", "const MOST_PARTS: usize = 512;"),
        ],
    ),
    ("nesting of formulas", &[("400 levels", "grammar/builder.rs", "const MAX_DEPTH: u16 = 400;")]),
    ("indices of an array", &[("8:", "lang/model/limits.rs", "const MAX_ARITY: usize = 8;")]),
    ("processes in a count", &[("8,", "lang/model/limits.rs", "const MAX_ARITY: usize = 8;")]),
    ("processes of an oracle", &[("16 ", "app/cli/args.rs", "value_parser!(u8).range(1..=16)")]),
    ("processes of an instance", &[("16 ", "app/cli/quantities.rs", "const MOST_PROCS: usize = 16;")]),
    ("cells of an instance", &[("4096 ", "forward/tuning.rs", "const MAX_CELLS: usize = 1 << 12;")]),
    ("processes of a cube", &[("48 ", "backward/cube/cell.rs", "const MAX_PROCS: usize = 48;")]),
    (
        "clauses of a test of a backward search",
        &[("500 000", "backward/tuning.rs", "pub const MOST_CLAUSES: usize = 500_000;")],
    ),
    (
        "successors of a state",
        &[
            ("262 144;", "forward/exhaustive/search.rs", "saturating_mul(8).clamp(1 << 16, 1 << 18)"),
            (
                "8 N, but at least 65 536",
                "forward/exhaustive/search.rs",
                "saturating_mul(8).clamp(1 << 16, 1 << 18)",
            ),
        ],
    ),
    ("numbers", &[("64 bits", "lang/model/rational.rs", "num: i64,")]),
];

#[test]
fn the_numbers_of_the_page_are_those_of_the_code() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read =
        |path: &str| fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let page = read("docs/limits.md");
    let table = page.split("| what | at most | beyond |").nth(1).expect("the table is there");
    let rows: Vec<&str> = table.lines().skip(2).take_while(|line| line.starts_with('|')).collect();
    for row in &rows {
        let known = ROWS.iter().find(|it| row.starts_with(&format!("| {}", it.0)));
        let (_, numbers) = known.unwrap_or_else(|| panic!("no number of the code belongs to {row}"));
        for (written, file, code) in *numbers {
            assert!(row.contains(written), "{written} in {row}");
            assert!(read(&format!("src/{file}")).contains(code), "{code} in {file}, as {row} says");
        }
    }
    assert_eq!(rows.len(), ROWS.len(), "{rows:?}");
}
