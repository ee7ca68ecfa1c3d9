//! The files that a command line about a model is about.

use cubicle_certificate::INVARIANTS;

use super::args::Args;
use super::outputs::{self, NamedFile};
use super::{certificate, settings};

pub fn read_files(args: &Args) -> Vec<NamedFile> {
    let lemmas = args.lemmas_in.iter().map(|path| ("the file of --lemmas-in", path.clone()));
    std::iter::once(("the model", args.file.clone())).chain(lemmas).collect()
}

/// The files that the run may write.
pub fn written_files(args: &Args) -> Vec<NamedFile> {
    let more = args.trace_out.iter().filter(|_| args.all_errors).flat_map(|path| outputs::further(path));
    [
        ("--stats-json", settings::stats_file(args).cloned()),
        ("--trace-out", args.trace_out.clone()),
        ("--dot", args.dot.clone()),
        ("--report", args.report.clone()),
        ("--log-file", args.log_file.clone()),
        ("--lemmas-out", args.lemmas_out.clone()),
        ("--certificate", certificate::folder(args).map(|folder| folder.join(INVARIANTS))),
    ]
    .into_iter()
    .filter_map(|(option, path)| path.map(|path| (option, path)))
    .chain(more.map(|path| ("--trace-out", path)))
    .collect()
}
