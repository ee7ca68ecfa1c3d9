//! The keywords of editor extensions agree with the lexer.

use cubicle::syntax::{self, Word};
use serde_json::Value;

use crate::models::files;

/// The words of a text that the lexer reads as keywords.
fn keywords(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let mut found: Vec<String> =
        words.filter(|word| syntax::word(word) == Some(Word::Keyword)).map(str::to_owned).collect();
    found.sort();
    found.dedup();
    found
}

/// The keywords of the lexer, read from its source: there is no list at run time.
fn of_the_lexer() -> Vec<String> {
    let source = files::text(&files::folder("src/grammar/token.rs"));
    let tokens = source.split("#[token(\"").skip(1).filter_map(|rest| rest.split('"').next());
    let mut words: Vec<String> =
        tokens.filter(|token| syntax::word(token) == Some(Word::Keyword)).map(str::to_owned).collect();
    words.sort();
    words
}

/// All texts of a grammar under a key.
fn patterns(value: &Value, key: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                match value.as_str() {
                    Some(text) if name == key => found.push(text.to_owned()),
                    _ => patterns(value, key, found),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|value| patterns(value, key, found)),
        _ => {}
    }
}

#[test]
fn keywords_of_editors_are_those_of_the_lexer() {
    let words = of_the_lexer();
    assert_eq!(words.len(), 24, "{words:?}");
    let grammar = files::text(&files::folder("editors/vscode/syntaxes/cubicle.tmLanguage.json"));
    let grammar: Value = serde_json::from_str(&grammar).expect("JSON");
    let mut matches = Vec::new();
    patterns(&grammar, "match", &mut matches);
    // Escapes such as `\b` would run into the words.
    assert_eq!(keywords(&matches.join("\n").replace("\\b", " ").replace("\\s", " ")), words);
    for path in ["editors/vim/syntax/cubicle.vim", "editors/emacs/cubicle-mode.el"] {
        let text = files::text(&files::folder(path));
        let missing: Vec<&String> = words.iter().filter(|word| !keywords(&text).contains(word)).collect();
        assert!(missing.is_empty(), "{path} lacks {missing:?}");
    }
}

#[test]
fn descriptions_for_editors_are_json() {
    for path in ["package.json", "language-configuration.json", "syntaxes/cubicle.tmLanguage.json"] {
        let text = files::text(&files::folder("editors/vscode").join(path));
        let value: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(value.is_object(), "{path}");
    }
    let package = files::text(&files::folder("editors/vscode/package.json"));
    let package: Value = serde_json::from_str(&package).expect("JSON");
    assert_eq!(package["version"], env!("CARGO_PKG_VERSION"));
    for file in [
        &package["contributes"]["languages"][0]["configuration"],
        &package["contributes"]["grammars"][0]["path"],
    ] {
        assert!(files::folder("editors/vscode").join(file.as_str().expect("a path")).is_file(), "{file}");
    }
}
