//! The text of a refinement map: what the variables of the abstract model mean, and which of its steps a concrete step is.
//!
//! ```text
//! (* variables: an update of the abstract variable, whose right-hand side is about the concrete ones *)
//! Lock := case | Owner = None : False | _ : True;
//! At[p] := case | S[p] = Critical : Inside | _ : Outside;
//! (* steps: the arguments are parameters, or concrete variables of type proc *)
//! enter(p q) => take(p) | stutter;
//! ```

use crate::diagnostic::{Checked, Diagnostic, Span};
use crate::syntax::ast::{self, Item, Name, loc};
use crate::syntax::{self, MAX_BYTES, Word};

/// What a statement about a concrete step begins with once it is read as a declaration.
const BEFORE: &str = "transition map () {";

/// The word for a step that changes no abstract variable.
pub const STUTTER: &str = "stutter";

#[derive(Debug)]
pub struct MapText {
    /// The updates of abstract variables, as one transition; [`MapText::placed`] gives their places in the text.
    pub variables: ast::Transition,
    /// The statements about steps.
    pub steps: Vec<StepText>,
}

/// A statement about a concrete step.
#[derive(Debug)]
pub struct StepText {
    /// The concrete transition.
    pub name: Name,
    pub params: Vec<Name>,
    /// The steps that it may be.
    pub images: Vec<ImageText>,
}

/// An abstract step, or `stutter`.
#[derive(Debug)]
pub struct ImageText {
    pub name: Name,
    /// Its arguments; `None` where there are no parentheses.
    pub args: Option<Vec<ArgText>>,
}

/// An argument of an abstract step: a parameter of the concrete one, or a variable of type proc.
#[derive(Debug)]
pub struct ArgText {
    /// The parameter, the variable or the array.
    pub name: Name,
    pub index: Vec<Name>,
    /// `.from`, for a field of it.
    pub fields: String,
}

impl MapText {
    /// Reads a map.
    ///
    /// # Errors
    /// What is wrong with it, with places in the text.
    pub fn read(text: &str) -> Checked<Self> {
        if text.len() > MAX_BYTES {
            let message = format!("a map has at most {MAX_BYTES} bytes");
            return Err(vec![Diagnostic::error("C0005", Span::default(), message)]);
        }
        let mut errors = Vec::new();
        let mut steps = Vec::new();
        // All that is not about variables is blank, so that the rest keeps its places.
        let mut variables = vec![b' '; text.len()];
        for (at, byte) in text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n') {
            variables[at] = byte;
        }
        let said = |span: &Span| &text[span.start as usize..span.end as usize];
        if let Some((span, _)) = syntax::spans(text).find(|(_, valid)| !valid) {
            let open = said(&span).starts_with("(*");
            let (code, what) =
                if open { ("C0002", "comment without an end") } else { ("C0001", "illegal character") };
            return Err(vec![Diagnostic::error(code, span, what)]);
        }
        let tokens: Vec<Span> = syntax::spans(text).map(|(span, _)| span).collect();
        for statement in tokens.split_inclusive(|it| said(it) == ";") {
            if statement.iter().any(|it| said(it) == ":=") {
                let (first, last) =
                    (statement[0].start as usize, statement[statement.len() - 1].end as usize);
                variables[first..last].copy_from_slice(&text.as_bytes()[first..last]);
            } else {
                match (StatementReader { text, tokens: statement, at: 0 }).step() {
                    Ok(step) => steps.extend(step),
                    Err(error) => errors.push(*error),
                }
            }
        }
        let variables = String::from_utf8(variables).unwrap_or_default();
        let (file, mut wrong) = syntax::parse(&format!("{BEFORE}{variables}}}"));
        wrong.retain(Diagnostic::is_error);
        errors.extend(wrong.into_iter().map(Self::placed));
        match file.items.into_iter().next() {
            Some(Item::Transition(variables)) if errors.is_empty() => Ok(Self { variables, steps }),
            _ if errors.is_empty() => {
                let message = "the map is not a list of statements, each ended by `;`";
                Err(vec![Diagnostic::error("C0701", Span::default(), message)])
            }
            _ => Err(errors),
        }
    }

    /// A diagnostic about the variables, with its places in the text of the map.
    pub fn placed(mut it: Diagnostic) -> Diagnostic {
        let moved = |span: Span| {
            let back = |at: u32| at.saturating_sub(BEFORE.len() as u32);
            Span::new(back(span.start), back(span.end))
        };
        it.primary.span = moved(it.primary.span);
        for label in &mut it.secondary {
            label.span = moved(label.span);
        }
        if let Some(mend) = &mut it.mend {
            mend.span = moved(mend.span);
        }
        it
    }
}

/// Reads a statement about a step.
struct StatementReader<'t> {
    text: &'t str,
    tokens: &'t [Span],
    at: usize,
}

type Read<T> = Result<T, Box<Diagnostic>>;

impl<'t> StatementReader<'t> {
    fn word(&self) -> &'t str {
        self.tokens.get(self.at).map_or("", |span| &self.text[span.start as usize..span.end as usize])
    }

    fn span(&self) -> Span {
        let end = self.tokens.last().map_or(Span::default(), |it| Span::new(it.end, it.end));
        self.tokens.get(self.at).copied().unwrap_or(end)
    }

    fn wrong<T>(&self, expected: &str) -> Read<T> {
        let error = Diagnostic::error("C0701", self.span(), format!("expected {expected}"));
        Err(Box::new(
            error.help("a statement is `Variable := value;` or `step(p) => other_step(p) | stutter;`"),
        ))
    }

    fn is(&mut self, word: &str) -> bool {
        let found = self.word() == word;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, word: &str) -> Read<()> {
        if self.is(word) { Ok(()) } else { self.wrong(&format!("`{word}`")) }
    }

    fn name(&mut self, what: &str) -> Read<Name> {
        if !matches!(syntax::word(self.word()), Some(Word::Small | Word::Capital)) {
            return self.wrong(what);
        }
        let span = self.span();
        let name = Name::at(self.word(), loc(span.start, span.end));
        self.at += 1;
        Ok(name)
    }

    /// Names up to a closing word, with or without commas.
    fn list<T>(&mut self, end: &str, mut one: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let mut found = Vec::new();
        while !self.is(end) {
            found.push(one(self)?);
            self.is(",");
        }
        Ok(found)
    }

    fn step(mut self) -> Read<Option<StepText>> {
        if self.is(";") {
            return Ok(None);
        }
        let name = self.name("the name of a concrete transition or of an abstract variable")?;
        let params = if self.is("(") { self.list(")", |this| this.name("a parameter"))? } else { Vec::new() };
        self.expect("=>")?;
        let mut images = vec![self.image()?];
        while self.is("|") {
            images.push(self.image()?);
        }
        if self.at < self.tokens.len() {
            self.expect(";")?;
        }
        Ok(Some(StepText { name, params, images }))
    }

    fn image(&mut self) -> Read<ImageText> {
        let name = self.name("an abstract transition or `stutter`")?;
        let args = if self.is("(") { Some(self.list(")", Self::arg)?) } else { None };
        Ok(ImageText { name, args })
    }

    fn arg(&mut self) -> Read<ArgText> {
        let name = self.name("a parameter or a variable of type `proc`")?;
        let index = if self.is("[") { self.list("]", |this| this.name("a parameter"))? } else { Vec::new() };
        let mut fields = String::new();
        while self.is(".") {
            fields = format!("{fields}.{}", self.name("a field")?.text);
        }
        Ok(ArgText { name, index, fields })
    }
}
