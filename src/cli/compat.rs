//! Command lines written for the original Cubicle: single-dash long flags, `brab K`, flags without effect.
//!
//! Works on the words before the parser sees them, and asks the parser's own definition which flags
//! exist and how many values they take, so that nothing has to be kept in step by hand.

use std::ffi::OsString;

use clap::{Arg, Command};

/// Flags that do nothing in the original program either, or that ask for something this one does by
/// itself; with how to treat the word after it.
const WITHOUT_EFFECT: &[(&str, Next)] = &[
    ("bench", Next::Other),
    ("bitsolver", Next::Other),
    ("debug", Next::Other),
    ("dot", Next::Number),
    ("dot-colors", Next::Number),
    ("enumerative", Next::Number),
    ("enumsolver", Next::Other),
    ("geninv", Next::Other),
    ("int-brab-debug", Next::Other),
    ("int-deadlock", Next::Other),
    ("local", Next::Other),
    ("max-procs", Next::Number),
    ("murphi", Next::Other),
    ("refine-universal", Next::Other),
    ("sfdp", Next::Other),
    ("simpl", Next::Other),
    ("stateless", Next::Other),
    ("symbolic", Next::Number),
    ("undepth", Next::Number),
];

/// Flags of the branch of the original program that introduced coverage-guided exploration: how many
/// words follow, and what they mean here; `$1` is the first of those words.
const TRANSLATED: &[(&str, usize, &[&str])] = &[
    ("bench-random", 0, &["--forward", "random"]),
    ("enum", 1, &["--forward", "$1"]),
    ("fuzz", 0, &["--only-forward", "--forward", "cfl"]),
    ("fuzz-bench", 1, &["--forward-time", "$1"]),
    // The other two words bound the first phase of the branch's algorithm, which ours does not have.
    ("fuzz-limit", 3, &["--max-forward", "$1"]),
    ("fuzz-states", 1, &["--max-forward", "$1"]),
    ("int-brab", 1, &["--brab", "$1", "--candheur", "$1", "--forward", "cfl"]),
    ("interpret-proc", 1, &["--procs", "$1"]),
];

/// What may follow a flag without effect.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Nothing of the flag's.
    Other,
    /// A number, dropped with the flag when it is one.
    Number,
}

/// The words to parse, and what to tell the user.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Rewritten {
    /// For the parser; the program's name first.
    pub words: Vec<OsString>,
    /// One line each.
    pub notes: Vec<String>,
    /// Flags of the original program in its spelling, by the name that the parser knows them by.
    pub originals: Vec<String>,
    /// Whether some flag is in the spelling of the original program.
    pub is_original: bool,
    /// What `brab` lacks.
    pub missing: Option<String>,
    /// Two values of K that cannot both be meant, if so.
    pub two_sizes: Option<(String, String)>,
}

/// Rewrites `words` (the program's name first) for the parser of `command`.
pub fn rewrite(command: &Command, words: impl IntoIterator<Item = OsString>) -> Rewritten {
    let mut out = Rewritten::default();
    let mut words = words.into_iter().peekable();
    out.words.extend(words.next());
    let mut positionals = 0;
    let mut size: Option<(String, bool)> = None;
    while let Some(word) = words.next() {
        let Some(text) = word.to_str() else {
            out.words.push(word);
            positionals += 1;
            continue;
        };
        if text == "--" {
            out.words.push(word);
            out.words.extend(words);
            break;
        }
        if text == "brab" && positionals == 0 {
            let number = |word: &OsString| word.to_str().is_some_and(|word| word.parse::<i64>().is_ok());
            if !words.peek().is_some_and(number) {
                let file = words.find(|word| !word.to_string_lossy().starts_with('-'));
                let file = file.as_ref().map_or("model.cub".into(), |file| file.to_string_lossy());
                out.missing = Some(format!("K is missing: `cubicle brab 2 {file}`"));
                break;
            }
            out.words.push("--brab".into());
            note_size(&mut out, &mut size, words.peek(), true);
            out.words.extend(words.next());
            continue;
        }
        let dashed = text.strip_prefix("--").or_else(|| text.strip_prefix('-'));
        let Some(name) = dashed.filter(|name| !name.is_empty()) else {
            out.words.push(word);
            positionals += 1;
            continue;
        };
        let (name, attached) = name.split_once('=').map_or((name, false), |(name, _)| (name, true));
        let spelt_as_original = name.len() > 1 && !text.starts_with("--");
        // A level, there; a file, here.
        let is_number = |word: &OsString| word.to_str().is_some_and(|word| word.parse::<i64>().is_ok());
        let is_ours = name == "dot" && !(spelt_as_original && words.peek().is_some_and(is_number));
        let without_effect = WITHOUT_EFFECT.iter().find(|(flag, _)| *flag == name && !is_ours);
        if let Some(&(flag, next)) = without_effect {
            out.notes.push(format!("-{flag} has no effect"));
            out.is_original |= spelt_as_original;
            let is_value = |word: &OsString| match next {
                Next::Other => false,
                Next::Number => is_number(word),
            };
            if !attached {
                words.next_if(is_value);
            }
            continue;
        }
        if let Some((_, words_after, means)) = TRANSLATED.iter().find(|(flag, ..)| *flag == name) {
            let values: Vec<OsString> = words.by_ref().take(*words_after).collect();
            let substitute = |&word: &&str| match (word, values.first()) {
                ("$1", Some(value)) => value.clone(),
                _ => word.into(),
            };
            out.words.extend(means.iter().map(substitute));
            out.is_original |= spelt_as_original;
            out.originals.extend(
                means.iter().filter_map(|word| word.strip_prefix("--")).map(|word| word.replace('-', "_")),
            );
            continue;
        }
        let Some(arg) = find(command, text, name) else {
            out.words.push(word);
            continue;
        };
        // A flag whose value may be left out takes it after `=`, lest it swallow the model.
        let named = |next: &OsString| {
            arg.is_require_equals_set()
                && !attached
                && next.to_str().is_some_and(|next| {
                    arg.get_possible_values().iter().any(|value| value.matches(next, false))
                })
        };
        if let Some(value) = words.next_if(named) {
            let mut joined = OsString::from(format!("--{name}="));
            joined.push(value);
            out.words.push(joined);
            continue;
        }
        let values = if attached { 0 } else { values(arg) };
        if arg.get_id() == "brab" {
            let attached = text.split_once('=').map(|(_, size)| OsString::from(size));
            note_size(&mut out, &mut size, attached.as_ref().or(words.peek()), !spelt_as_original);
        }
        if spelt_as_original {
            out.originals.push(arg.get_id().to_string());
            out.is_original = true;
        }
        out.words.push(if spelt_as_original { format!("-{text}").into() } else { word });
        out.words.extend(words.by_ref().take(values));
    }
    out
}

/// Remembers the K of `brab`. Scripts for the original program may give it twice in its spelling, and mean the
/// last one; others mean one only.
fn note_size(
    out: &mut Rewritten,
    known: &mut Option<(String, bool)>,
    value: Option<&OsString>,
    is_ours: bool,
) {
    let Some(value) = value.and_then(|value| value.to_str()) else { return };
    if let Some((before, ours)) = known
        && (*ours || is_ours)
        && before != value
    {
        out.two_sizes = Some((before.clone(), value.to_owned()));
    }
    *known = Some((value.to_owned(), is_ours));
}

/// Whether `text` is a flag, in either spelling.
pub fn is_known(command: &Command, text: &str) -> bool {
    let name = text.trim_start_matches('-');
    let name = name.split('=').next().unwrap_or(name);
    WITHOUT_EFFECT.iter().any(|(flag, _)| *flag == name)
        || TRANSLATED.iter().any(|(flag, ..)| *flag == name)
        || find(command, text, name).is_some()
        || ["help", "version"].contains(&name)
}

/// The argument that `text` (with its dashes, `name` without) stands for.
fn find<'a>(command: &'a Command, text: &str, name: &str) -> Option<&'a Arg> {
    let short = (!text.starts_with("--")).then(|| name.chars().next()).flatten();
    command.get_arguments().find(|arg| {
        arg.get_long() == Some(name)
            || arg.get_all_aliases().is_some_and(|aliases| aliases.contains(&name))
            || (name.len() == 1 && arg.get_short() == short)
    })
}

/// Number of words that must follow the flag.
fn values(arg: &Arg) -> usize {
    if !arg.get_action().takes_values() || arg.is_require_equals_set() {
        return 0;
    }
    arg.get_num_args().map_or(1, |range| range.min_values())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::args::Args;

    fn rewritten(line: &str) -> (String, Vec<String>) {
        let mut command = Args::command();
        command.build();
        let words = std::iter::once("cubicle").chain(line.split_whitespace()).map(OsString::from);
        let out = rewrite(&command, words);
        let words: Vec<_> = out.words.iter().skip(1).map(|word| word.to_str().unwrap()).collect();
        (words.join(" "), out.notes)
    }

    #[test]
    fn single_dash_becomes_double() {
        for (typed, parsed) in [
            ("-brab 2 -search bfsh m.cub", "--brab 2 --search bfsh m.cub"),
            ("-forward-depth=5 m.cub", "--forward-depth=5 m.cub"),
            ("-nocolor -quiet -profiling m.cub", "--nocolor --quiet --profiling m.cub"),
            ("-int-brab 3 -bench-random m.cub", "--brab 3 --candheur 3 --forward cfl --forward random m.cub"),
            ("-brab 3 -enum dfs -fuzz-bench 10 m.cub", "--brab 3 --forward dfs --forward-time 10 m.cub"),
            (
                "-fuzz -interpret-proc 3 -fuzz-limit 99 2 2 m.cub",
                "--only-forward --forward cfl --procs 3 --max-forward 99 m.cub",
            ),
            ("-abstr-num -5 10 m.cub", "--abstr-num -5 10 m.cub"),
            ("-trace why m.cub", "--trace why m.cub"),
            ("-version", "--version"),
            ("-v -q -j 4 m.cub", "-v -q -j 4 m.cub"),
            ("--quiet brab 3 m.cub", "--quiet --brab 3 m.cub"),
            ("m.cub brab 3", "m.cub brab 3"),
            ("-search brab m.cub", "--search brab m.cub"),
            ("-- -quiet", "-- -quiet"),
            ("--trace-states full m.cub", "--trace-states=full m.cub"),
            ("-trace-states diff m.cub", "--trace-states=diff m.cub"),
            ("--trace-states m.cub", "--trace-states m.cub"),
            ("-unknown -", "-unknown -"),
            ("-", "-"),
        ] {
            assert_eq!(rewritten(typed), (parsed.to_owned(), Vec::new()), "{typed}");
        }
    }

    #[test]
    fn flags_without_effect_are_dropped_with_their_values() {
        for (typed, parsed, notes) in [
            ("-enumsolver m.cub", "m.cub", 1),
            ("-dot 2 -sfdp m.cub", "m.cub", 2),
            ("-geninv m.cub", "m.cub", 1),
            ("-symbolic m.cub", "m.cub", 1),
            ("--max-procs=20 m.cub", "m.cub", 1),
        ] {
            let (words, told) = rewritten(typed);
            assert_eq!((words.as_str(), told.len()), (parsed, notes), "{typed}");
        }
    }
}
