//! A command line that the parser refuses: what is wrong in one line, and the one line that helps.

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::failure::Failure;

/// Why a command line is refused; `None` when help or the version was asked for.
pub fn failure(error: &Error) -> Option<Failure> {
    why(error).map(|why| Failure { help: help(error), ..Failure::usage(why) })
}

/// What is wrong with a command line, in one line; `None` when help or the version was asked for.
pub fn why(error: &Error) -> Option<String> {
    if !error.use_stderr() {
        return None;
    }
    let names = strings(error, ContextKind::InvalidArg);
    Some(match (error.kind(), names.as_slice()) {
        (ErrorKind::MissingRequiredArgument, [one]) => format!("{} is missing", plain(one)),
        (ErrorKind::MissingRequiredArgument, [_, _, ..]) => {
            let names: Vec<String> = names.iter().map(|name| plain(name)).collect();
            format!("{} are missing", names.join(" and "))
        }
        (ErrorKind::UnknownArgument, [word]) if word.len() > 1 && word.starts_with('-') => {
            format!("there is no option `{word}`")
        }
        (ErrorKind::UnknownArgument, [word]) => format!("`{word}` is one word too many"),
        _ => {
            let text = error.to_string();
            let line = text.lines().next().unwrap_or("");
            let line = line.strip_prefix("error: ").unwrap_or(line);
            line.replace("'--brab <K>'", "K of `brab K`")
        }
    })
}

/// What to write instead.
fn help(error: &Error) -> Option<String> {
    let command = command(error);
    let similar = [ContextKind::SuggestedArg, ContextKind::SuggestedValue, ContextKind::SuggestedSubcommand];
    if let Some(similar) = similar.iter().find_map(|kind| strings(error, *kind).into_iter().next()) {
        return Some(format!("did you mean `{similar}`?"));
    }
    match error.kind() {
        ErrorKind::MissingRequiredArgument if error.to_string().contains("\n  --") => None,
        ErrorKind::MissingRequiredArgument if command.is_empty() => {
            Some("`cubicle FILE` checks a model; `cubicle -h` shows what else there is".to_owned())
        }
        ErrorKind::MissingRequiredArgument => Some(format!("write `{}`", usage(error)?)),
        ErrorKind::UnknownArgument => Some(format!("`cubicle{command} --help` lists the options")),
        ErrorKind::InvalidValue => {
            let values = strings(error, ContextKind::ValidValue);
            (!values.is_empty()).then(|| format!("it is one of {}", values.join(", ")))
        }
        _ => None,
    }
}

/// A name of an argument without its brackets: `FILE` for `<FILE>`, `--cube <CUBE> or --mutant <N>` for one of a group.
fn plain(name: &str) -> String {
    let inside = name.strip_prefix('<').unwrap_or(name);
    if inside.starts_with("--") {
        return inside
            .strip_suffix('>')
            .filter(|_| name.len() > inside.len())
            .unwrap_or(inside)
            .replace('|', " or ");
    }
    inside.split('>').next().unwrap_or(inside).to_owned()
}

fn usage(error: &Error) -> Option<String> {
    let ContextValue::StyledStr(usage) = error.get(ContextKind::Usage)? else { return None };
    let usage = usage.to_string();
    let line = usage.lines().next()?;
    Some(line.strip_prefix("Usage: ").unwrap_or(line).replace(['<', '>'], "").replace("...", ".."))
}

/// ` NAME`, when it is the parser of a command that refuses.
fn command(error: &Error) -> String {
    let usage = usage(error).unwrap_or_default();
    let name = usage.split_whitespace().nth(1).unwrap_or_default();
    if name.starts_with(|c: char| c.is_ascii_lowercase()) { format!(" {name}") } else { String::new() }
}

/// What the parser says of the error.
fn strings(error: &Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(one)) => vec![one.clone()],
        Some(ContextValue::Strings(more)) => more.clone(),
        _ => Vec::new(),
    }
}
