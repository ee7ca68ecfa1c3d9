//! Command lines that come from a model: the text of another author must not make the program read or write other files.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::CommandFactory;
use clap::builder::ValueParser;
use clap::parser::ValueSource;

use super::{args, compat, usage};

/// Why a model may not have the program called with these words, to be followed by the model.
pub fn refusal(words: &[String]) -> Option<String> {
    let mut command = args::Args::command();
    command.build();
    let all = ["cubicle"].into_iter().chain(words.iter().map(String::as_str)).chain(["-"]);
    let rewritten = compat::rewrite(&command, all.map(OsString::from));
    if let Some(missing) = rewritten.missing {
        return Some(missing);
    }
    let matches = match command.clone().try_get_matches_from(rewritten.words) {
        Ok(matches) => matches,
        Err(error) => return Some(usage::why(&error).unwrap_or_else(|| "it asks for help".to_owned())),
    };
    let takes_path = |parser: &ValueParser| parser.type_id() == clap::value_parser!(PathBuf).type_id();
    let given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let writes = command.get_arguments().find(|arg| {
        let id = arg.get_id().as_str();
        // `trace` writes a certificate beside the model.
        given(id) && (id == "trace" || id != "file" && takes_path(arg.get_value_parser()))
    });
    match writes {
        Some(arg) => Some(format!("--{} has to do with files", arg.get_long().unwrap_or_default())),
        None if matches.get_one::<PathBuf>("file").is_none_or(|file| file.as_os_str() != "-") => {
            Some("it names another model".to_owned())
        }
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::refusal;

    #[test]
    fn words_that_write_files_are_refused() {
        let said = |line: &str| refusal(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        for line in ["", "--brab 2", "brab 3", "-brab 2", "--only-forward --procs 3 --deadlock --quiet"] {
            assert_eq!(said(line), None, "{line}");
        }
        for line in [
            "--trace-out /tmp/x",
            "--trace-out=x",
            "-trace-out x",
            "--stats-json x",
            "--certificate x",
            "-trace why",
            "other.cub",
            "--no-such-flag",
            "brab",
            "--help",
            "-- other.cub",
            "explain",
            "fmt",
        ] {
            assert!(said(line).is_some(), "{line}");
        }
    }
}
