//! Suggestions for words of a command line that mean nothing: `help` as a command,
//! misspelt commands and flags, files that look like flags.

use std::ffi::OsString;
use std::path::Path;

use clap::{Command, CommandFactory};
use cubicle_lang::spelling::nearest;

use super::args::Args;
use super::failure::Failure;
use super::{commands, compat, help};

/// Commands of other tools, and what to write here instead.
const OTHER_TOOLS: [(&str, &str); 15] = [
    ("bmc", "cubicle --only-forward --procs 3 FILE"),
    ("check", "cubicle FILE"),
    ("explore", "cubicle --only-forward --procs 3 FILE"),
    ("format", "cubicle fmt FILE"),
    ("fuzz", "cubicle --only-forward --procs 3 --forward cfl FILE"),
    ("model-check", "cubicle FILE"),
    ("parse", "cubicle --type-only FILE"),
    ("prove", "cubicle FILE"),
    ("interactive", "cubicle simulate FILE"),
    ("repl", "cubicle simulate FILE"),
    ("run", "cubicle FILE"),
    ("step", "cubicle simulate FILE"),
    ("solve", "cubicle FILE"),
    ("typecheck", "cubicle --type-only FILE"),
    ("verify", "cubicle FILE"),
];

/// The words to continue with (the program's name first).
pub fn look(words: Vec<OsString>) -> Result<Vec<OsString>, Failure> {
    let Some(first) = words.get(1).and_then(|word| word.to_str()) else { return Ok(words) };
    if first == "help" && !Path::new("help").exists() {
        let of = words.get(2).filter(|word| *word != "help").cloned();
        if let Some(of) = of.as_ref().filter(|of| !commands::names().iter().any(|name| **of == **name)) {
            let error = format!("there is no command or subject `{}`", of.to_string_lossy());
            let help = "`cubicle --help` lists the commands; the subjects are search and explore";
            return Err(Failure::usage(error).help(help));
        }
        return Ok([words.first().cloned(), of, Some("--help".into())].into_iter().flatten().collect());
    }
    if let Some(error) = command(first, words.get(2)) {
        return Err(error);
    }
    let parser = Args::command();
    for word in words.iter().skip(1).filter_map(|word| word.to_str()) {
        if word == "--" {
            break;
        }
        if let Some(error) = flag(&parser, word) {
            return Err(error);
        }
    }
    Ok(words)
}

/// What `cubicle help SUBJECT` prints, when the words are that and SUBJECT is not a command.
pub fn subject(words: &[OsString]) -> Option<String> {
    let [_, first, subject] = words else { return None };
    if first != "help" || Path::new("help").exists() { None } else { help::subject(subject.to_str()?) }
}

/// The error about a first word that looks like a command and is not one.
fn command(word: &str, next: Option<&OsString>) -> Option<Failure> {
    let is_word = word.starts_with(|c: char| c.is_ascii_alphabetic()) && !word.contains(['.', '/', '\\']);
    if !is_word || commands::names().iter().any(|name| name == word) || Path::new(word).exists() {
        return None;
    }
    let error = Failure::usage(format!("there is no command `{word}`"));
    let file = next.map_or("FILE".into(), |file| file.to_string_lossy());
    if let Some((_, line)) = OTHER_TOOLS.iter().find(|(known, _)| *known == word) {
        return Some(error.help(format!("write `{}`", line.replace("FILE", &file))));
    }
    if let Some(similar) = nearest(word, commands::names().iter().map(String::as_str)) {
        return Some(error.help(format!("did you mean `{similar}`?")));
    }
    // A single word is a missing file.
    next.map(|_| {
        error.help(format!("`cubicle --help` lists the commands; a model is checked by `cubicle {file}`"))
    })
}

/// The error about a word that begins like a flag and is not one.
fn flag(parser: &Command, word: &str) -> Option<Failure> {
    let is_model = std::path::Path::new(word).extension().is_some_and(|end| end == "cub");
    if word.starts_with('-') && is_model && !word.contains('=') {
        let error = Failure::usage(format!("`{word}` looks like a flag"));
        return Some(error.help(format!("write `./{word}` for the file")));
    }
    let name = word.strip_prefix('-').filter(|name| !name.starts_with('-'))?;
    let name = name.split('=').next().unwrap_or(name);
    // One letter, a cluster of them, a number: the parser's business.
    let letters = |c: char| parser.get_arguments().any(|arg| arg.get_short() == Some(c));
    let short = name.len() < 3 || name.starts_with(|c: char| c.is_ascii_digit()) || name.starts_with('j');
    if short || name.chars().all(letters) || compat::is_known(parser, word) {
        return None;
    }
    let flags = parser.get_arguments().filter_map(|arg| arg.get_long());
    let help = match nearest(name, flags) {
        Some(similar) => format!("did you mean `--{similar}`?"),
        None => "`cubicle --help` lists the flags".to_owned(),
    };
    Some(Failure::usage(format!("there is no flag `{word}`")).help(help))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looked(line: &str) -> Result<String, String> {
        let words = std::iter::once("cubicle").chain(line.split_whitespace()).map(OsString::from);
        let words = look(words.collect()).map_err(|refused| refused.help.unwrap_or_default())?;
        Ok(words.iter().skip(1).filter_map(|word| word.to_str()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn valid_words_are_left_alone() {
        for line in [
            "",
            "m.cub",
            "brab 2 m.cub",
            "-brab 2 m.cub",
            "-qv m.cub",
            "-j4 m.cub",
            "-fuzz -enum bfs m.cub",
            "-abstr-num -5 10 m.cub",
            "--serach m.cub",
            "replay m.cub t",
            "-- -serach",
            "-nocolor m.cub",
            "-",
            "model",
        ] {
            assert_eq!(looked(line).as_deref(), Ok(line));
        }
    }

    #[test]
    fn help_is_a_command() {
        for (line, means) in [("help", "--help"), ("help replay", "replay --help"), ("help help", "--help")] {
            assert_eq!(looked(line).as_deref(), Ok(means));
        }
    }

    #[test]
    fn invalid_words_are_refused_with_a_suggestion() {
        for (line, help) in [
            ("replya m.cub t", "did you mean `replay`?"),
            ("exlain C0102", "did you mean `explain`?"),
            ("verify m.cub", "write `cubicle m.cub`"),
            ("-serach dfs m.cub", "did you mean `--search`?"),
            ("m.cub -qiuet", "did you mean `--quiet`?"),
            ("-model.cub", "write `./-model.cub` for the file"),
        ] {
            assert_eq!(looked(line), Err(help.to_owned()), "{line}");
        }
    }
}
