//! Command lines written for the original Cubicle: single-dash long flags, `brab K`, flags without effect.
//!
//! Works on the words before the parser sees them, and asks the parser's own definition which flags
//! exist and how many values they take, so that no list has to be maintained by hand.

use std::ffi::OsString;
use std::iter::Peekable;
use std::vec;

use clap::{Arg, Command};

/// Flags that have no effect in the original program either, or that ask for what this one does anyway.
const WITHOUT_EFFECT: [&str; 13] = [
    "bench",
    "bitsolver",
    "debug",
    "enumsolver",
    "geninv",
    "int-brab-debug",
    "int-deadlock",
    "local",
    "murphi",
    "refine-universal",
    "sfdp",
    "simpl",
    "stateless",
];

/// Likewise; a number that follows is dropped with the flag.
const NUMBERED: [&str; 6] = ["dot", "dot-colors", "enumerative", "max-procs", "symbolic", "undepth"];

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

/// The words to parse, and notes for the user.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Rewritten {
    /// For the parser; the program's name first.
    pub words: Vec<OsString>,
    pub notes: Vec<String>,
    /// Flags of the original program in its spelling, by the name that the parser knows them by.
    pub originals: Vec<String>,
    /// Whether some flag is in the spelling of the original program.
    pub is_original: bool,
    /// What is missing after `brab` or `--brab`.
    pub missing: Option<String>,
    /// Two values of K that cannot both be meant, if so.
    pub two_sizes: Option<(String, String)>,
}

/// Rewrites `words` (the program's name first) for the parser of `command`.
pub fn rewrite(command: &Command, words: impl IntoIterator<Item = OsString>) -> Rewritten {
    let words: Vec<OsString> = words.into_iter().collect();
    let mut rewriting = Rewriting {
        command,
        rest: words.into_iter().peekable(),
        positionals: 0,
        size: None,
        out: Rewritten::default(),
    };
    rewriting.out.words.extend(rewriting.rest.next());
    while let Some(word) = rewriting.rest.next() {
        rewriting.word(word);
    }
    rewriting.out
}

/// A command line, rewritten up to some word.
struct Rewriting<'a> {
    command: &'a Command,
    /// The words to come.
    rest: Peekable<vec::IntoIter<OsString>>,
    /// How many words so far do not belong to a flag.
    positionals: usize,
    /// The last K of `brab`, and whether it was said in our spelling.
    size: Option<(String, bool)>,
    out: Rewritten,
}

/// A flag as it was typed.
#[derive(Clone, Copy)]
struct Typed<'a> {
    /// The whole word.
    text: &'a str,
    /// Without dashes and value.
    name: &'a str,
    /// Whether a value is attached with `=`.
    attached: bool,
    /// Whether it is in the spelling of the original program.
    is_original: bool,
}

fn is_number(word: &OsString) -> bool {
    word.to_str().is_some_and(|word| word.parse::<i64>().is_ok())
}

impl Rewriting<'_> {
    fn word(&mut self, word: OsString) {
        let Some(text) = word.to_str() else { return self.positional(word) };
        if text == "--" {
            self.out.words.push(word);
            self.out.words.extend(self.rest.by_ref());
            return;
        }
        if text == "brab" && self.positionals == 0 {
            return self.brab();
        }
        let dashed = text.strip_prefix("--").or_else(|| text.strip_prefix('-'));
        let Some(name) = dashed.filter(|name| !name.is_empty()) else { return self.positional(word) };
        let (name, attached) = name.split_once('=').map_or((name, false), |(name, _)| (name, true));
        let is_original = name.len() > 1 && !text.starts_with("--");
        let typed = Typed { text, name, attached, is_original };
        if !self.without_effect(typed) && !self.translated(typed) && !self.known(typed) {
            self.out.words.push(word);
        }
    }

    fn positional(&mut self, word: OsString) {
        self.out.words.push(word);
        self.positionals += 1;
    }

    /// `brab`, whose K is to come.
    fn brab(&mut self) {
        if let Some(size) = self.rest.next_if(is_number) {
            self.note_size(Some(&size), true);
            self.out.words.extend(["--brab".into(), size]);
        } else {
            self.out.missing = Some(size_missing(&self.rest.by_ref().collect::<Vec<_>>()));
        }
    }

    /// Drops a flag without effect, if it is one.
    fn without_effect(&mut self, typed: Typed<'_>) -> bool {
        // A level, there; a file, here.
        let is_ours = typed.name == "dot" && !(typed.is_original && self.rest.peek().is_some_and(is_number));
        let numbered = NUMBERED.contains(&typed.name);
        if is_ours || !numbered && !WITHOUT_EFFECT.contains(&typed.name) {
            return false;
        }
        self.out.notes.push(format!("-{} has no effect", typed.name));
        self.out.is_original |= typed.is_original;
        if !typed.attached && numbered {
            self.rest.next_if(is_number);
        }
        true
    }

    /// Writes the meaning here of a flag of the other program, if it is one.
    fn translated(&mut self, typed: Typed<'_>) -> bool {
        let Some((_, words_after, means)) = TRANSLATED.iter().find(|(flag, ..)| *flag == typed.name) else {
            return false;
        };
        let values: Vec<OsString> = self.rest.by_ref().take(*words_after).collect();
        let substitute = |&word: &&str| match (word, values.first()) {
            ("$1", Some(value)) => value.clone(),
            _ => word.into(),
        };
        self.out.words.extend(means.iter().map(substitute));
        self.out.is_original |= typed.is_original;
        let flags = means.iter().filter_map(|word| word.strip_prefix("--"));
        self.out.originals.extend(flags.map(|word| word.replace('-', "_")));
        true
    }

    /// Writes a flag of ours with its values, if it is one.
    fn known(&mut self, typed: Typed<'_>) -> bool {
        let Typed { text, name, attached, is_original } = typed;
        let Some(arg) = find(self.command, text, name) else { return false };
        // A flag with an optional value takes it after `=`, so that it does not swallow the model.
        let named = |next: &OsString| {
            arg.is_require_equals_set()
                && !attached
                && next.to_str().is_some_and(|next| {
                    arg.get_possible_values().iter().any(|value| value.matches(next, false))
                })
        };
        if let Some(value) = self.rest.next_if(named) {
            let mut joined = OsString::from(format!("--{name}="));
            joined.push(value);
            self.out.words.push(joined);
            return true;
        }
        if arg.get_id() == "brab" {
            let attached = text.split_once('=').map(|(_, size)| OsString::from(size));
            let size = attached.or_else(|| self.rest.peek().filter(|word| is_number(word)).cloned());
            if size.is_none() {
                self.out.missing = Some(size_missing(&self.rest.by_ref().collect::<Vec<_>>()));
            }
            self.note_size(size.as_ref(), !is_original);
        }
        if is_original {
            self.out.originals.push(arg.get_id().to_string());
            self.out.is_original = true;
        }
        self.out.words.push(if is_original { format!("-{text}").into() } else { text.into() });
        let values = if attached { 0 } else { values(arg) };
        self.out.words.extend(self.rest.by_ref().take(values));
        true
    }

    /// Remembers the K of `brab`. Scripts for the original program may give it twice in its spelling, and mean
    /// the last one; others mean one only.
    fn note_size(&mut self, value: Option<&OsString>, is_ours: bool) {
        let Some(value) = value.and_then(|value| value.to_str()) else { return };
        if let Some((before, ours)) = &self.size
            && (*ours || is_ours)
            && before != value
        {
            self.out.two_sizes = Some((before.clone(), value.to_owned()));
        }
        self.size = Some((value.to_owned(), is_ours));
    }
}

/// Whether `text` is a flag, in either spelling.
pub fn is_known(command: &Command, text: &str) -> bool {
    let name = text.trim_start_matches('-');
    let name = name.split('=').next().unwrap_or(name);
    WITHOUT_EFFECT.contains(&name)
        || NUMBERED.contains(&name)
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

/// The error about the words after `brab` when the first is not a number.
fn size_missing(words: &[OsString]) -> String {
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let is_name = |word: &str| !word.starts_with('-');
    match &words[..] {
        [size, file, ..] if is_name(size) && is_name(file) && !size.ends_with(".cub") => {
            format!("`{size}` is not a number of processes: `cubicle brab 2 {file}`")
        }
        _ => {
            let file = words.iter().find(|word| is_name(word)).map_or("model.cub", |file| file);
            format!("K is missing: `cubicle brab 2 {file}`")
        }
    }
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
