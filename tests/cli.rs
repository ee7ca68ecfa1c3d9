//! The program as its users meet it: exit codes, flags in both spellings, input and output gone wrong,
//! signals, repeatability. What it prints is pinned in `tests/cli/*.trycmd`.

#[path = "cli/bad_input.rs"]
mod bad_input;
#[path = "cli/certificate.rs"]
mod certificate;
#[path = "cli/files.rs"]
mod files;
#[path = "cli/flags.rs"]
mod flags;
#[path = "cli/harness.rs"]
mod harness;
#[path = "cli/models.rs"]
mod models;
#[path = "cli/output.rs"]
mod output;
#[path = "cli/signals.rs"]
mod signals;

#[test]
fn transcripts() {
    trycmd::TestCases::new().case("tests/cli/*.trycmd");
}
