//! From the text of a model to its meaning.

use crate::diagnostic::{Diagnostic, MAX_ERRORS, Severity, Span};
use crate::expand::{self, Expander, Expansion};
use crate::model::{self, Families, System};
use crate::syntax;
use crate::syntax::ast::{File, Item, Part, SymbolDecl, SymbolKind, Update};
use tracing::debug;

/// The meaning of a text.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// The system.
    pub system: System,
    /// All warnings, including those that its author allows.
    pub warnings: Vec<Diagnostic>,
    /// The syntax tree.
    pub file: File,
}

/// Like [`load`](super::load()), without the warnings that take longer than reading does.
///
/// # Errors
/// What is wrong with the text.
pub fn meaning(text: &str) -> Result<Meaning, Vec<Diagnostic>> {
    let (file, mut diagnostics) = syntax::parse(text);
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
    if errors >= MAX_ERRORS {
        diagnostics.retain(|d| d.severity == Severity::Error);
        return Err(diagnostics);
    }
    let expansion = expand::expand(&file);
    // What follows from an error in a construct is not worth a line of its own.
    let (system, more) = if expansion.diagnostics.is_empty() {
        let (system, more) = model::elaborate(&expansion.file, text, &expansion.mentioned);
        let mut more = sensible(more, &expansion, &file, text);
        let with_words = |it: System| {
            let sorts = expansion.sorts.as_ref().map(expand::Sorts::of_processes);
            it.with_families(Families::new(expansion.families)).edited(|parts| parts.sorts = sorts)
        };
        let system = system.map(with_words);
        let without = system.iter().find_map(|it| it.without_values());
        more.extend(without.map(|at| {
            Diagnostic::error("C0222", at, "no instance satisfies this axiom")
                .label("it is false whatever the value of the witness is")
                .help("there is no system to check: demand less of its values")
        }));
        (system, more)
    } else {
        (None, expansion.diagnostics)
    };
    // An error on the line of a syntax error probably follows from how that one was repaired.
    let line = |d: &Diagnostic| {
        let start = (d.primary.span.start as usize).min(text.len());
        text.as_bytes()[..start].iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1)
    };
    let slips: Vec<usize> = diagnostics.iter().filter(|d| d.severity == Severity::Error).map(line).collect();
    diagnostics.extend(more.into_iter().filter(|d| slips.is_empty() || !slips.contains(&line(d))));
    let failed = diagnostics.iter().any(|d| d.severity == Severity::Error);
    match system {
        Some(system) if !failed => {
            debug!(bytes = text.len(), warnings = diagnostics.len(), "model loaded");
            Ok(Meaning { system, warnings: diagnostics, file })
        }
        _ => {
            diagnostics.retain(|d| d.severity == Severity::Error);
            diagnostics.truncate(MAX_ERRORS);
            debug!(bytes = text.len(), errors = diagnostics.len(), "model refused");
            Err(diagnostics)
        }
    }
}

/// A model in the core language. `file` has no errors.
pub fn core(file: &File) -> File {
    expand::expand(file).file
}

/// Updates whose right-hand sides are in the names of a model, in the core language.
///
/// # Errors
/// What is wrong with them.
pub fn core_values(model: &File, updates: &mut [Update]) -> Result<(), Vec<Diagnostic>> {
    let mut expander = Expander::of(model);
    for update in updates {
        update.value = expander.value_of(&update.value)?;
    }
    Ok(())
}

/// The text of a model in the core language: with an enumeration or bounded integers for a range, a variable for each field of a
/// record and each place of a queue, and so on. `file` has no errors.
pub fn in_core(file: &File) -> String {
    syntax::print(&core(file))
}

/// Messages about the core as ones about the text: a declaration that stands for several variables is unused, or never set,
/// where all of them are; messages about parts of transitions and values of ranges are left out.
fn sensible(messages: Vec<Diagnostic>, expansion: &Expansion, file: &File, text: &str) -> Vec<Diagnostic> {
    // An array has a variable for each value of a type that is an index: all values are in use.
    let indices: Vec<&str> = file
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Symbol(SymbolDecl { kind: SymbolKind::Array(index), .. }) => Some(index.as_slice()),
            Item::Symbol(SymbolDecl { kind: SymbolKind::Channel(channel), .. }) => {
                Some(channel.index.as_slice())
            }
            _ => None,
        })
        .flatten()
        .map(|it| it.text.as_str())
        .collect();
    let in_use = file.items.iter().filter_map(|item| match item {
        Item::Type(it) if indices.contains(&it.name.text.as_str()) => Some(it.loc.0),
        _ => None,
    });
    let parts: Vec<_> = expansion
        .file
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Transition(it) if it.part != Part::Whole => Some(it.loc.0),
            Item::Type(it) if !it.shown.is_empty() => Some(it.loc.0),
            _ => None,
        })
        .chain(in_use)
        .collect();
    let within = |it: &Diagnostic| {
        let at = it.primary.span;
        parts.iter().any(|span| span.start <= at.start && at.end <= span.end)
    };
    // A parameter of which only some parts make use is used.
    let mentioned = |it: &Diagnostic| {
        let word = |span: Span| text.get(span.start as usize..span.end as usize).unwrap_or_default();
        let around =
            parts.iter().find(|span| span.start <= it.primary.span.start && it.primary.span.end <= span.end);
        around.is_some_and(|around| {
            let (text, name) = (word(*around), word(it.primary.span));
            syntax::words(text).filter(|it| *it == name).count() > 1
        })
    };
    let all = messages.clone();
    let mut kept: Vec<Diagnostic> = Vec::new();
    for mut message in messages {
        let (warning, at) = (message.severity == Severity::Warning, message.primary.span);
        if warning
            && (at == Span::default()
                || matches!(message.code, "C0909" | "C0910" | "C0911" | "C0919" | "C0920")
                    && within(&message))
        {
            continue;
        }
        if warning && message.code == "C0907" && mentioned(&message) {
            continue;
        }
        let family =
            expansion.families.iter().find(|it| warning && it.span == at && message.code.starts_with("C091"));
        if let Some(family) = family {
            let alike = all.iter().filter(|it| it.code == message.code && it.primary.span == at).count();
            if alike < family.leaves.len()
                || kept.iter().any(|it| it.code == message.code && it.primary.span == at)
            {
                continue;
            }
            let leaf = family.leaves.iter().find(|leaf| message.message.contains(&format!("`{leaf}`")));
            if let Some(leaf) = leaf {
                message.message =
                    message.message.replace(&format!("`{leaf}`"), &format!("`{}`", family.name));
            }
        }
        kept.push(message);
    }
    kept
}
