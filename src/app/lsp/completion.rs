//! What may be written at a place. Uses the tokens before it, since unfinished text does not parse.

use cubicle_lang::index::{NameKind, NamedSymbol};
use cubicle_lang::named::Named;
use cubicle_lang::syntax;
use serde_json::{Value, json};

use super::document::OpenModel;
use crate::rpc::RequestError;

const DECLARATIONS: [&str; 9] =
    ["array", "const", "init", "invariant", "predicate", "transition", "type", "unsafe", "var"];
const FORMULAS: [&str; 9] =
    ["case", "exists", "exists_other", "false", "forall", "forall_other", "if", "not", "true"];
const TYPES: [&str; 4] = ["bool", "int", "proc", "real"];

/// `textDocument/completion`.
pub fn complete(_: &str, document: &OpenModel, params: &Value) -> Result<Value, RequestError> {
    let offset = document.offset(&params["position"])? as usize;
    let mut before: Vec<&str> = Vec::new();
    for (span, _) in syntax::spans(&document.text) {
        if span.start as usize >= offset {
            break;
        }
        let end = (span.end as usize).min(offset);
        before.push(&document.text[span.start as usize..end]);
    }
    // The word that is being written.
    let unfinished = document.text[..offset].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    if unfinished {
        before.pop();
    }
    let place = Cursor { tokens: declaration(&before), symbols: &document.analysis().index.symbols };
    Ok(Value::Array(place.items()))
}

/// The tokens of the declaration that is being written.
fn declaration<'a, 't>(before: &'a [&'t str]) -> &'a [&'t str] {
    let keyword = |token: &&str| DECLARATIONS.contains(token) || *token == "number_procs";
    let start = before.iter().rposition(keyword).unwrap_or(before.len());
    &before[start..]
}

/// The braces before a place.
struct Braces {
    /// Those that are open, and whether each is that of a count.
    open: Vec<bool>,
    /// How many blocks are closed.
    blocks: usize,
}

/// Whether token `at`, before a brace, begins a sum: it is not the name of a property.
fn is_sum(tokens: &[&str], at: usize) -> bool {
    at > 1 && tokens[at] == "sum"
}

struct Cursor<'a, 't> {
    /// From the keyword of the declaration on.
    tokens: &'a [&'t str],
    symbols: &'a [NamedSymbol],
}

impl Cursor<'_, '_> {
    fn items(&self) -> Vec<Value> {
        let Some((&keyword, rest)) = self.tokens.split_first() else { return words(&DECLARATIONS) };
        let last = self.tokens[self.tokens.len() - 1];
        if matches!(keyword, "var" | "const" | "array") {
            return match last {
                ":" => self.types(),
                "[" | "," => words(&["proc"]),
                _ if rest.contains(&":") => words(&DECLARATIONS),
                _ => Vec::new(),
            };
        }
        let depth = |open: &str, close: &str| {
            let count = |token: &str| self.tokens.iter().filter(|it| **it == token).count();
            count(open).saturating_sub(count(close))
        };
        let Braces { open, blocks } = self.braces();
        if open.is_empty() {
            return match last {
                "}" if keyword == "transition" && rest.contains(&"requires") && blocks < 2 => Vec::new(),
                "}" => words(&DECLARATIONS),
                ")" if keyword == "transition" => words(&["requires"]),
                _ if keyword == "type" && rest.len() > 2 => words(&DECLARATIONS),
                _ => Vec::new(),
            };
        }
        if depth("[", "]") > 0 {
            return self.processes();
        }
        if let Some(ty) = self.wanted() {
            let mut items = self.of_type(&ty);
            if last == ":=" {
                items.extend(words(&["case"]));
            }
            return items;
        }
        let counts = open.last() == Some(&true);
        if keyword == "transition" && !counts && (blocks > 0 || !rest.contains(&"requires")) {
            // A statement begins with what it writes.
            let mut items = self.of_kinds(&[NameKind::Global, NameKind::Array]);
            items.extend(words(&["let"]));
            return items;
        }
        let mut items =
            self.of_kinds(&[NameKind::Global, NameKind::Array, NameKind::Const, NameKind::Predicate]);
        items.extend(self.processes());
        items.extend(words(&FORMULAS));
        items
    }

    fn braces(&self) -> Braces {
        let mut braces = Braces { open: Vec::new(), blocks: 0 };
        for (at, token) in self.tokens.iter().enumerate() {
            match *token {
                "#{" => braces.open.push(true),
                "{" => braces.open.push(at > 0 && is_sum(self.tokens, at - 1)),
                "}" => braces.blocks += usize::from(braces.open.pop() != Some(true)),
                _ => {}
            }
        }
        braces
    }

    /// The type that is expected here, when a comparison or an update determines it.
    fn wanted(&self) -> Option<String> {
        let (last, before) = self.tokens.split_last()?;
        let target = match *last {
            "=" | "<>" | "<" | "<=" | ">" | ">=" | ":=" => before,
            // The value of a branch has the type of the assigned variable.
            ":" => &before[..before.iter().rposition(|token| *token == ":=")?],
            _ => return None,
        };
        let mut at = target.len().checked_sub(1)?;
        if target[at] == "]" {
            at = target.iter().rposition(|token| *token == "[")?.checked_sub(1)?;
        }
        let name = target[at];
        let symbol = self.symbols.iter().find(|it| it.name == name && it.kind.space() == 1);
        match symbol {
            Some(symbol) => symbol.ty.clone(),
            None => self.locals().contains(&name).then(|| "proc".to_owned()),
        }
    }

    /// Names of processes that the declaration has bound so far.
    fn locals(&self) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        let is_name = |token: &&str| syntax::word(token) == Some(syntax::Word::Small);
        let open = self.tokens.iter().position(|token| *token == "(");
        let params = open.map_or(&[][..], |open| &self.tokens[open..]);
        let header = params.iter().take_while(|token| **token != ")" && **token != "{");
        found.extend(header.filter(|token| is_name(token)).copied());
        for (at, token) in self.tokens.iter().enumerate() {
            if matches!(*token, "forall" | "exists" | "forall_other" | "exists_other") {
                let bound = self.tokens[at + 1..].iter().take_while(|token| **token != ".");
                found.extend(bound.filter(|token| is_name(token)).copied());
            } else if *token == "#{" || at > 0 && *token == "{" && is_sum(self.tokens, at - 1) {
                found.extend(self.tokens.get(at + 1).filter(|token| is_name(token)));
            } else if *token == "case" {
                let update = self.tokens[..at].iter().rev().skip_while(|token| **token == ":=");
                let index = update.skip(1).take_while(|token| **token != "[");
                found.extend(index.filter(|token| is_name(token)).copied());
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn processes(&self) -> Vec<Value> {
        let mut items: Vec<Value> =
            self.locals().into_iter().map(|name| item(name, 6, "proc", "0")).collect();
        let globals = self.symbols.iter().filter(|it| it.kind == NameKind::Global);
        items.extend(globals.filter(|it| it.ty.as_deref() == Some("proc")).map(of_symbol));
        items
    }

    fn types(&self) -> Vec<Value> {
        let mut items = self.of_kinds(&[NameKind::Type]);
        items.extend(TYPES.iter().map(|name| item(name, 14, "", "1")));
        items
    }

    /// Names with values of a type, the values themselves first.
    fn of_type(&self, ty: &str) -> Vec<Value> {
        let here = self.symbols.iter().filter(|it| it.ty.as_deref() == Some(ty) && it.kind.space() == 1);
        let mut items: Vec<Value> = here.map(of_symbol).collect();
        match ty {
            "bool" => items.extend(["False", "True"].iter().map(|name| item(name, 20, "bool", "0"))),
            "proc" => items.extend(self.locals().into_iter().map(|name| item(name, 6, "proc", "0"))),
            _ => {}
        }
        items
    }

    fn of_kinds(&self, kinds: &[NameKind]) -> Vec<Value> {
        self.symbols.iter().filter(|it| kinds.contains(&it.kind)).map(of_symbol).collect()
    }
}

fn of_symbol(symbol: &NamedSymbol) -> Value {
    let (kind, order) = match symbol.kind {
        NameKind::Type => (13, "0"),
        NameKind::Constructor => (20, "0"),
        NameKind::Const => (21, "1"),
        NameKind::Predicate => (3, "1"),
        _ => (6, "1"),
    };
    item(&symbol.name, kind, symbol.ty.as_deref().unwrap_or(symbol.kind.name()), order)
}

fn words(words: &[&str]) -> Vec<Value> {
    words.iter().map(|word| item(word, 14, "", "2")).collect()
}

fn item(name: &str, kind: u8, detail: &str, order: &str) -> Value {
    json!({ "label": name, "kind": kind, "detail": detail, "sortText": format!("{order}{name}") })
}
