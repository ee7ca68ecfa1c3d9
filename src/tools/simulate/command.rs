//! Parses a line of a session as a command.

use cubicle_lang::spelling::nearest;

/// Why a command is refused. The session is unchanged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandRefusal {
    /// What is wrong, in one line.
    pub what: String,
    /// What is possible instead.
    pub help: String,
}

impl CommandRefusal {
    pub(super) fn new(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { what: what.into(), help: help.into() }
    }
}

pub(super) struct Help {
    pub name: &'static str,
    /// Other names, shorter ones or those of other tools, separated by commas.
    pub aliases: &'static str,
    pub arguments: &'static str,
    pub text: &'static str,
}

const fn help(
    name: &'static str,
    aliases: &'static str,
    arguments: &'static str,
    text: &'static str,
) -> Help {
    Help { name, aliases, arguments, text }
}

impl Help {
    fn is_called(&self, word: &str) -> bool {
        self.name == word || self.aliases.split(", ").any(|alias| !alias.is_empty() && alias == word)
    }
}

/// All commands, in the order in which they are explained.
pub(super) const COMMANDS: [Help; 20] = [
    help(
        "step",
        "",
        "N|TRANSITION [VALUE ..]",
        "take transition number N, or one by name: step 2, step enter(#1), enter 1; `step` may be left out. A VALUE for each `:= ?`: step 3 #2",
    ),
    help("enabled", "e, list", "", "all transitions that are enabled, with their effect"),
    help("why", "", "TRANSITION(#1, ..)", "why a transition is not enabled"),
    help("state", "s, show", "", "the whole state; `*` marks what the last step changed"),
    help("undo", "u, back", "[N]", "back by one step, or by N; what was undone can be done again"),
    help("redo", "", "[N]", "forward again by one step, or by N"),
    help("goto", "g", "N", "to state N of the run; 0 is the initial one"),
    help("trace", "t", "", "the run, step by step"),
    help("random", "r", "[N]", "N random steps (one without N)"),
    help("seed", "", "N", "restart the random choices with seed N"),
    help(
        "until",
        "",
        "CUBE",
        "random steps until CUBE holds, at most 1000: until At[#1] = Critical && Turn <> #2",
    ),
    help("find", "", "CUBE", "the shortest way to another state where CUBE holds"),
    help("holds", "", "CUBE", "whether CUBE holds here"),
    help(
        "watch",
        "",
        "[CELL ..]",
        "show only these cells after a step: watch Turn At[#1] At; without cells, list them",
    ),
    help("unwatch", "", "[CELL ..]", "stop watching these; without cells, all"),
    help("init", "", "[N]", "the first initial states and their differences; init N restarts in number N"),
    help("fix", "", "CELL = VALUE", "restart in an initial state where CELL holds VALUE"),
    help("free", "", "[CELL ..]", "undo `fix` for these cells; without cells, for all"),
    help("save", "", "FILE", "write the run up to here as ITF, for `load` and `cubicle replay`"),
    help("load", "", "FILE", "load a run from ITF: from `save` or --trace-out"),
];

/// The commands that are not about the model.
const OTHERS: [&str; 3] = ["help", "quit", "exit"];

/// A line, parsed as far as that is possible without the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Command<'l> {
    /// As in [`COMMANDS`], `help` or `quit`.
    pub name: &'static str,
    /// What stands behind it.
    pub text: &'l str,
    /// The same as a number, of a command that takes one.
    pub number: Option<usize>,
}

/// All words that may begin a line, for completion and suggestions.
pub(super) fn words<'a>() -> impl Iterator<Item = &'a str> {
    COMMANDS.iter().map(|command| command.name).chain(OTHERS)
}

/// Parses a line; `None`: it is blank or a comment. A line that begins with a number, a word and a parenthesis, or the name of a
/// transition is a step.
pub(super) fn parse<'l>(line: &'l str, transitions: &[&str]) -> Result<Option<Command<'l>>, CommandRefusal> {
    let line = line.trim();
    // `#` followed by a digit is a process, not a comment.
    if line.is_empty() || line == "#" || line.starts_with("# ") || line.starts_with("#!") {
        return Ok(None);
    }
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let call = |name, text, number| Ok(Some(Command { name, text, number }));
    if word.starts_with(|c: char| c.is_ascii_digit()) || word.contains('(') || rest.starts_with('(') {
        return call("step", line, None);
    }
    let refuse = |what: String| Err(CommandRefusal::new(what, usage(word)));
    let command = COMMANDS.iter().find(|command| command.is_called(word));
    let (name, arguments) = match (command, word) {
        (Some(command), _) => (command.name, command.arguments),
        (None, "help" | "?") => ("help", "[COMMAND]"),
        (None, "quit" | "exit" | "q") => ("quit", ""),
        _ if transitions.contains(&word) => return call("step", line, None),
        _ => return Err(unknown(word, transitions)),
    };
    match arguments {
        "" if !rest.is_empty() => refuse(format!("`{word}` takes no arguments, but got {rest:?}")),
        _ if !arguments.is_empty() && !arguments.starts_with('[') && rest.is_empty() => {
            refuse(format!("`{name}` needs an argument"))
        }
        "N" | "[N]" if !rest.is_empty() => match rest.parse() {
            Ok(number) => call(name, rest, Some(number)),
            Err(_) => refuse(format!("`{word}` takes a number, not {rest:?}")),
        },
        _ => call(name, rest, None),
    }
}

/// Whether a line is a command that reads or writes a file, in any model.
pub fn names_a_file(line: &str) -> bool {
    matches!(parse(line, &[]), Ok(Some(Command { name: "save" | "load", .. })))
}

/// The refusal when there is neither such a command nor such a transition.
fn unknown(word: &str, transitions: &[&str]) -> CommandRefusal {
    let what = format!("there is no command `{word}`");
    CommandRefusal::new(
        what,
        match nearest(word, words().chain(transitions.iter().copied())) {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => format!("there are {}; `help` explains them", words().collect::<Vec<_>>().join(", ")),
        },
    )
}

fn usage(name: &str) -> String {
    match COMMANDS.iter().find(|command| command.is_called(name)) {
        Some(command) => format!("write `{}`", format!("{} {}", command.name, command.arguments).trim_end()),
        None => format!("write `{name}`"),
    }
}

/// The text of `help`, or of `help COMMAND`.
pub(super) fn help_text(of: &str) -> Result<String, CommandRefusal> {
    let line = |command: &Help| {
        let aliases = if command.aliases.is_empty() { "" } else { ", " };
        format!("{}{aliases}{} {}", command.name, command.aliases, command.arguments).trim_end().to_owned()
    };
    if of.is_empty() {
        let mut text = String::new();
        for command in &COMMANDS {
            let short = command.text.split([':', ';']).next().unwrap_or_default();
            text += &format!("  {:32}  {short}\n", line(command));
        }
        text += "  help [COMMAND]                    list the commands, or explain one\n";
        text += "  quit, exit                        end the session\n";
        return Ok(text);
    }
    let found = COMMANDS.iter().find(|command| command.is_called(of));
    found
        .map(|command| format!("  {}\n    {}\n", line(command), command.text))
        .ok_or_else(|| unknown(of, &[]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        for (line, command) in [
            ("", None),
            ("# a comment", None),
            (" 3 #2 ", Some(("step", "3 #2", None))),
            ("enter(#1, #2)", Some(("step", "enter(#1, #2)", None))),
            ("enter (#1)", Some(("step", "enter (#1)", None))),
            ("step enter", Some(("step", "enter", None))),
            ("enter 1 2", Some(("step", "enter 1 2", None))),
            ("list", Some(("enabled", "", None))),
            ("u", Some(("undo", "", None))),
            ("undo 4", Some(("undo", "4", Some(4)))),
            ("until A[#1] = B && (C = D)", Some(("until", "A[#1] = B && (C = D)", None))),
            ("init", Some(("init", "", None))),
            ("q", Some(("quit", "", None))),
        ] {
            let command = command.map(|(name, text, number)| Command { name, text, number });
            assert_eq!(parse(line, &["enter"]), Ok(command), "{line}");
        }
    }

    #[test]
    fn invalid_commands_are_refused_with_a_suggestion() {
        for (line, help) in [
            ("undu", "did you mean `undo`?"),
            ("entre 1", "did you mean `enter`?"),
            ("goto", "write `goto N`"),
            ("goto x", "write `goto N`"),
            ("undo -1", "write `undo [N]`"),
            ("state of things", "write `state`"),
            ("find", "write `find CUBE`"),
        ] {
            assert_eq!(parse(line, &["enter"]).unwrap_err().help, help, "{line}");
        }
        assert!(parse("frobnicate", &[]).unwrap_err().help.starts_with("there are step, enabled, "));
    }

    #[test]
    fn every_command_is_read_and_explained() {
        for command in &COMMANDS {
            let is_read = |name: &str| parse(&format!("{name} 1"), &[]).is_ok();
            assert_eq!(is_read(command.name), !command.arguments.is_empty(), "{}", command.name);
            assert!(help_text(command.name).unwrap().contains(command.text));
            for alias in command.aliases.split(", ").filter(|alias| !alias.is_empty()) {
                assert_eq!(is_read(alias), is_read(command.name), "{alias}");
            }
        }
        assert!(help_text("frobnicate").is_err());
    }
}
