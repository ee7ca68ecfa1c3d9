//! The program from the user's side: exit codes, flags in both spellings, bad input and failing output,
//! signals, repeatability. Its output is pinned in `tests/cli/*.trycmd` and `*.stdout`.

mod advised;
mod answered;
mod assumptions;
mod bad_input;
mod book;
mod browser;
mod certificate;
mod certified;
mod checkpoint;
mod cluster;
mod cluster_kept;
mod done;
mod engines;
mod export;
mod files;
mod flags;
mod fmt;
mod formulas;
mod handout;
mod harness;
mod import;
mod interrupts;
mod kill_rates;
mod last_line;
mod lemmas;
mod limits;
mod lint;
mod load;
mod logging;
mod lsp;
mod machine;
mod manual;
mod mcp;
mod models;
mod mutate;
mod options;
mod output;
mod overwrite;
mod pictures;
mod promises;
mod refines;
mod refines_certified;
mod restart;
mod run_dir;
mod shrink;
mod signals;
mod simulate;
mod spill;
mod swarm;
mod terminal;
mod tested;
mod vacuous;
mod validate;
mod whole;
mod witness;

#[test]
fn transcripts() {
    trycmd::TestCases::new().case("tests/cli/*.trycmd").case("tests/cli/*.toml");
}
