//! The tools of the server, as a table: from it follow what clients are told about them and the command line of a call.

use std::ffi::OsString;

use serde_json::{Map, Value, json};

pub struct Tool {
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    pub work: Work,
    pub arguments: &'static [Argument],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// Checks the model, with options of the command line.
    Check,
    /// Runs a command that has a document and a time limit.
    Command(&'static str),
    /// Executes commands of a session.
    Step,
    /// Lays the model out.
    Format,
    /// Shows the page of a code.
    Explain,
}

impl Work {
    /// Whether it may take as long as the limit on time allows.
    pub const fn is_long(self) -> bool {
        matches!(self, Self::Check | Self::Command(_))
    }
}

pub struct Argument {
    pub name: &'static str,
    pub about: &'static str,
    /// Its values.
    pub kind: Kind,
}

/// Values of an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The path of a file in the folder, such as the model; it is always needed.
    File,
    /// The path of a file in the folder.
    FileIfAny,
    /// Paths of files in the folder; at least one is needed.
    Files,
    /// A string.
    Text,
    /// A list of strings.
    Texts,
    /// A number within these bounds.
    Number(u64, u64),
    /// True or false.
    Switch,
}

const FILE: Argument = Argument {
    name: "file",
    about: "The model (.cub), by its path in the folder of the server",
    kind: Kind::File,
};

const fn text(name: &'static str, about: &'static str) -> Argument {
    Argument { name, about, kind: Kind::Text }
}

const fn texts(name: &'static str, about: &'static str) -> Argument {
    Argument { name, about, kind: Kind::Texts }
}

const fn number(name: &'static str, bounds: (u64, u64), about: &'static str) -> Argument {
    Argument { name, about, kind: Kind::Number(bounds.0, bounds.1) }
}

const fn switch(name: &'static str, about: &'static str) -> Argument {
    Argument { name, about, kind: Kind::Switch }
}

/// The argument with the options of the command line.
pub const OPTIONS: &str = "options";

/// The argument with the commands of a session.
pub const COMMANDS: &str = "commands";

/// The argument with the logs to validate.
pub const LOGS: &str = "logs";

/// The argument with the code to explain.
pub const CODE: &str = "code";

/// All tools, in the order in which clients list them. Apart from the names above, the name of an argument is that of an option of
/// the command.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "check",
        about: "Checks a model: proves it safe for any number of processes, or shows a run to a bad state, a broken property of runs \
                or a deadlock. The result is the document of the run; `verdict` has the answer, `traces` the runs, `messages` errors \
                and advice.",
        work: Work::Check,
        arguments: &[
            FILE,
            texts(
                OPTIONS,
                "Options of `cubicle FILE`, a word each: [\"brab\", \"2\"], [\"--only-forward\", \"--procs\", \"3\", \"--deadlock\"]; none \
                 that reads or writes files",
            ),
        ],
    },
    Tool {
        name: "explain",
        about: "Explains the code of an error or a warning, such as C0102, with a model that gets it and the model fixed. Without a code, \
                lists all codes.",
        work: Work::Explain,
        arguments: &[text(CODE, "The code")],
    },
    Tool {
        name: "step",
        about: "Steps through an instance of a model: executes the commands of a session, from its beginning, and shows the state and the \
                enabled transitions after each.",
        work: Work::Step,
        arguments: &[
            FILE,
            texts(
                COMMANDS,
                "Commands, one each: `enter(#1)` or `step 2` takes a transition, `enabled`, `state`, `why enter(#2)`, `random 5`, \
                 `find At[#1] = Critical`, `holds CUBE`, `init`, `fix CELL = VALUE`, `undo`, `trace`, `help`",
            ),
            number("procs", (0, 64), "Processes of the instance"),
            number("seed", (0, u64::MAX), "Seed of random steps"),
        ],
    },
    Tool {
        name: "witness",
        about: "Looks for a run without bad states that takes a transition or reaches a state, or proves that no number of processes has \
                one. Exactly one of `transition`, `cube`, `mutant` and `survivor` is needed.",
        work: Work::Command("witness"),
        arguments: &[
            FILE,
            text("transition", "The transition to take"),
            text("cube", "The state to reach: `At[#1] = Critical && Turn <> #2`"),
            number("mutant", (1, u32::MAX as u64), "The mutant whose difference to the model is to be shown"),
            number(
                "survivor",
                (1, u32::MAX as u64),
                "The mutant that survives, of which a new state is to be shown",
            ),
            number("procs", (1, 8), "Processes of the instance"),
            switch("shortest", "The shortest run, instead of one that shows much"),
        ],
    },
    Tool {
        name: "mutate",
        about: "Makes small mistakes in a model, one at a time, and says which of them its claims notice. A survivor may point to an \
                `unsafe` that is missing.",
        work: Work::Command("mutate"),
        arguments: &[
            FILE,
            texts("only", "Only mistakes of these kinds"),
            texts("transition", "Only mistakes in these transitions"),
            number("sample", (1, u32::MAX as u64), "Only so many of them, chosen at random"),
            number("seed", (0, u64::MAX), "Seed of random choices"),
            switch("suggest", "Propose claims that the proof rests on, instead"),
            switch(
                "properties",
                "Propose claims that are stronger than those of the model and true, instead",
            ),
        ],
    },
    Tool {
        name: "validate",
        about: "Says for each log of a program whether a run of the model explains it: the events that it names, in their order, and the \
                values that it shows. A log has a JSON object on each line, such as {\"action\": \"enter\", \"procs\": {\"p\": \"node-7\"}, \
                \"after\": {\"At\": {\"node-7\": \"Inside\"}}}; all keys are optional.",
        work: Work::Command("validate"),
        arguments: &[
            FILE,
            Argument {
                name: LOGS,
                about: "The logs, by their paths in the folder of the server; traces in ITF end in .itf.json",
                kind: Kind::Files,
            },
            Argument {
                name: "map",
                about: "What the words of the logs mean (TOML), by its path in the folder: names of events, hidden steps, logs without a \
                        common order",
                kind: Kind::FileIfAny,
            },
            number("procs", (0, 64), "Processes of the instance; without it, as many as the log names"),
            number("hidden", (0, 1000), "Most hidden steps between two events"),
            switch("lenient", "Skip lines that cannot be understood, and count them"),
            switch("coverage", "Say which transitions and values the logs show, and which they do not"),
        ],
    },
    Tool {
        name: "format",
        about: "Lays a model out: the text as `cubicle fmt` would write it. The file stays as it is.",
        work: Work::Format,
        arguments: &[FILE],
    },
];

impl Tool {
    /// What clients are told about it.
    pub fn description(&self) -> Value {
        let properties = self.arguments.iter().map(|it| (it.name.to_owned(), it.schema()));
        let needed = self.arguments.iter().filter(|it| it.kind.is_needed()).map(|it| it.name);
        json!({
            "name": self.name,
            "description": self.about,
            "inputSchema": {
                "type": "object",
                "properties": properties.collect::<Map<String, Value>>(),
                "required": needed.collect::<Vec<_>>(),
                "additionalProperties": false,
            },
            "annotations": { "readOnlyHint": true, "openWorldHint": false },
        })
    }

    /// The first thing that is wrong with the arguments of a call.
    pub fn refusal(&self, given: &Map<String, Value>) -> Option<String> {
        for (name, value) in given {
            let Some(argument) = self.arguments.iter().find(|it| it.name == name) else {
                let known: Vec<&str> = self.arguments.iter().map(|it| it.name).collect();
                return Some(format!("{} has no argument `{name}`, only {}", self.name, known.join(", ")));
            };
            if !argument.kind.admits(value) {
                return Some(format!("`{name}` must be {}", argument.kind.in_words()));
            }
        }
        let missing = self.arguments.iter().find(|it| it.kind.is_needed() && !given.contains_key(it.name));
        missing.map(|it| format!("`{}` is missing: {}", it.name, it.about))
    }

    /// The files that a call names, each with the name of its argument, in order.
    pub fn files<'g>(&self, given: &'g Map<String, Value>) -> Vec<(&'static str, &'g str)> {
        let all = self.arguments.iter().filter(|it| it.kind.is_path()).flat_map(|argument| {
            let value = given.get(argument.name);
            let list = value.and_then(Value::as_array).into_iter().flatten();
            list.chain(value).filter_map(Value::as_str).map(|path| (argument.name, path))
        });
        all.collect()
    }

    /// The options of a command for the arguments of a call that was not refused, but for those that are files.
    pub fn options(&self, given: &Map<String, Value>) -> Vec<OsString> {
        let mut words = Vec::new();
        let is_option = |it: &&Argument| ![OPTIONS, COMMANDS].contains(&it.name) && !it.kind.is_path();
        for Argument { name, .. } in self.arguments.iter().filter(is_option) {
            let mut option = |value: &str| words.push(format!("--{name}={value}").into());
            match given.get(*name) {
                Some(Value::Array(values)) => values.iter().filter_map(Value::as_str).for_each(option),
                Some(Value::Number(value)) => option(&value.to_string()),
                Some(Value::String(value)) => option(value),
                Some(Value::Bool(true)) => words.push(format!("--{name}").into()),
                _ => {}
            }
        }
        words
    }
}

impl Argument {
    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::File | Kind::FileIfAny | Kind::Text => json!({ "type": "string" }),
            Kind::Files => json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 }),
            Kind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
            Kind::Number(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
            Kind::Switch => json!({ "type": "boolean" }),
        };
        schema["description"] = self.about.into();
        schema
    }
}

impl Kind {
    fn is_path(self) -> bool {
        matches!(self, Self::File | Self::FileIfAny | Self::Files)
    }

    fn is_needed(self) -> bool {
        matches!(self, Self::File | Self::Files)
    }

    fn admits(self, value: &Value) -> bool {
        let strings = || value.as_array().filter(|all| all.iter().all(Value::is_string));
        match self {
            Self::File | Self::FileIfAny | Self::Text => value.is_string(),
            Self::Texts => strings().is_some(),
            Self::Files => strings().is_some_and(|all| !all.is_empty()),
            Self::Number(least, most) => value.as_u64().is_some_and(|it| (least..=most).contains(&it)),
            Self::Switch => value.is_boolean(),
        }
    }

    fn in_words(self) -> String {
        match self {
            Self::File | Self::FileIfAny | Self::Text => "a string".to_owned(),
            Self::Files => "a list of strings, at least one".to_owned(),
            Self::Texts => "a list of strings".to_owned(),
            Self::Number(least, most) => format!("a number from {least} to {most}"),
            Self::Switch => "true or false".to_owned(),
        }
    }
}

pub fn strings(given: &Map<String, Value>, name: &str) -> Vec<String> {
    let all = given.get(name).and_then(Value::as_array);
    all.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
