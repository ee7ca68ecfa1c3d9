//! Warnings that the author of a model has seen and accepts: comments such as `(* cubicle: allow C0914 *)`.
//!
//! Before any declaration, such a comment is about the whole file, elsewhere about the declaration that follows it.

use crate::diagnostic::{Diagnostic, Severity, Span};
use crate::explain;
use crate::model::System;
use crate::syntax;
use crate::syntax::ast::{File, Item};

/// The prefix of comments that are addressed to this program.
const ADDRESS: &str = "cubicle:";

/// Warnings that only a run gives, or `lint --deep`: reading the model does not show whether an allow of them is needed.
const BY_A_RUN: [&str; 9] =
    [NOTHING_TO_PROVE, NO_INITIAL_STATE, NEVER_FIRES, "C0927", "C0928", "C0929", "C0930", "C0931", "C0932"];
const NOTHING_TO_PROVE: &str = "C0921";
const NO_INITIAL_STATE: &str = "C0922";
const NEVER_FIRES: &str = "C0923";

/// An allow that silences nothing.
const USELESS: &str = "C0925";
/// A comment for this program that it does not understand.
const UNKNOWN: &str = "C0926";

/// Reasons why a verdict may be vacuous that the user knows and accepts: they are not reported.
#[derive(Clone, Debug, Default)]
pub struct KnownVacuity {
    /// There is nothing to prove.
    pub nothing_to_prove: bool,
    /// There is no initial state, for any declaration.
    pub no_initial_state: bool,
    /// There is no initial state for these declarations.
    pub never_applies: Vec<Span>,
    /// These transitions never fire, by [`Transition::origin`](crate::model::Transition::origin).
    pub never_fires: Vec<u16>,
}

/// The warnings that are accepted.
#[derive(Clone, Debug, Default)]
pub struct Allowed {
    allows: Vec<Allow>,
}

#[derive(Clone, Debug)]
struct Allow {
    code: &'static str,
    /// The place of the comment; `None` when the user gave it outside of the model.
    span: Option<Span>,
    /// The part of the file that it covers; `None` for the whole file.
    about: Option<Span>,
    used: bool,
}

impl Allowed {
    /// The warnings that the comments of a model allow, and warnings about comments that are not understood.
    pub(super) fn read(text: &str, file: &File) -> (Self, Vec<Diagnostic>) {
        let (mut allowed, mut wrong) = (Self::default(), Vec::new());
        if !text.contains(ADDRESS) {
            return (allowed, wrong);
        }
        let first = syntax::spans(text).next().map_or(u32::MAX, |(span, _)| span.start);
        for span in syntax::comments(text) {
            let inside = &text[span.start as usize + 2..span.end as usize - 2];
            let Some(words) = inside.trim().strip_prefix(ADDRESS) else { continue };
            let next = file.items.iter().map(Item::span).find(|item| item.start >= span.end);
            let about = if span.end <= first { None } else { Some(next.unwrap_or(span)) };
            match codes(words) {
                Ok(codes) => {
                    let allow = |code| Allow { code, span: Some(span), about, used: false };
                    allowed.allows.extend(codes.into_iter().map(allow));
                }
                Err((message, help)) => {
                    wrong.push(Diagnostic::warning(UNKNOWN, span, message).help(help));
                }
            }
        }
        (allowed, wrong)
    }

    /// Allows a warning everywhere, beside what the model says. The code is one of [`warning`].
    pub fn everywhere(&mut self, code: &'static str) {
        self.allows.push(Allow { code, span: None, about: None, used: true });
    }

    /// Whether a warning with this code at this place is allowed.
    pub fn covers(&self, code: &str, place: Span) -> bool {
        self.allows.iter().any(|allow| allow.is_for(code, place))
    }

    /// Removes the warnings that are allowed; returns the others, with warnings about allows without use.
    pub(super) fn filter(&mut self, mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
        found.retain(|diagnostic| !self.silences(diagnostic));
        let useless =
            |allow: &&Allow| !allow.used && !BY_A_RUN.contains(&allow.code) && allow.code != USELESS;
        let unused: Vec<Diagnostic> = (self.allows.iter().filter(useless))
            .filter_map(|allow| Some((allow.span?, allow.code)))
            .map(|(span, code)| {
                Diagnostic::warning(USELESS, span, format!("there is no {code} here"))
                    .label("this allow silences nothing")
                    .help("leave it out, or put it before the declaration that it is about")
            })
            .collect();
        found.extend(unused.into_iter().filter(|diagnostic| !self.silences(diagnostic)));
        found
    }

    fn silences(&mut self, diagnostic: &Diagnostic) -> bool {
        let mut silenced = false;
        for allow in &mut self.allows {
            let covers = allow.is_for(diagnostic.code, diagnostic.primary.span);
            allow.used |= covers;
            silenced |= covers;
        }
        silenced && diagnostic.severity == Severity::Warning
    }

    /// The warnings that a run may omit.
    pub fn known_vacuity(&self, system: &System) -> KnownVacuity {
        let never = system.transitions.iter().filter(|it| self.covers(NEVER_FIRES, it.span));
        let claims = system.bad.iter().map(|it| it.span).chain(system.temporal.iter().map(|it| it.span));
        KnownVacuity {
            nothing_to_prove: self.covers(NOTHING_TO_PROVE, system.init.span),
            no_initial_state: self.covers(NO_INITIAL_STATE, system.init.span),
            never_applies: claims.filter(|span| self.covers(NO_INITIAL_STATE, *span)).collect(),
            never_fires: never.map(|transition| transition.origin).collect(),
        }
    }
}

impl Allow {
    fn is_for(&self, code: &str, place: Span) -> bool {
        let inside = |about: Span| about.start <= place.start && place.start < about.end;
        self.code == code && self.about.is_none_or(inside)
    }
}

/// The code of a warning, however it is typed.
///
/// # Errors
/// What is wrong with it, and how to fix it.
pub fn warning(typed: &str) -> Result<&'static str, (String, String)> {
    let Some(code) = explain::code(typed) else {
        let help = match explain::similar(typed) {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => "`cubicle explain` lists all codes".to_owned(),
        };
        return Err((format!("there is no code `{typed}`"), help));
    };
    if code.starts_with("C09") {
        return Ok(code);
    }
    let help = format!("warnings have codes from C0901 on; `cubicle explain {code}` says how to fix it");
    Err((format!("{code} is an error: only warnings can be allowed"), help))
}

/// The codes listed in `allow C0906, C0914`.
fn codes(words: &str) -> Result<Vec<&'static str>, (String, String)> {
    let list = words.trim().strip_prefix("allow").filter(|rest| rest.starts_with([' ', '\t', '\r', '\n']));
    let separators = |c: char| c == ',' || c.is_whitespace();
    let typed: Vec<&str> = list.unwrap_or("").split(separators).filter(|word| !word.is_empty()).collect();
    if typed.is_empty() {
        let error = "this `cubicle:` comment says nothing to cubicle".to_owned();
        return Err((error, "write `(* cubicle: allow C0914 *)`".to_owned()));
    }
    typed.into_iter().map(warning).collect()
}

#[cfg(test)]
mod tests {
    use crate::load;

    /// Two unused variables, and a transition.
    const MODEL: &str = "type t = A | B\nvar One : bool\nvar Two : bool\narray S[proc] : t\n\
        init (p) { S[p] = A }\nunsafe (p q) { S[p] = B && S[q] = B }\n\
        transition step (p) requires { S[p] = A } { S[p] := B }\n";

    fn codes(text: &str) -> Vec<(&'static str, u32)> {
        let warnings = load::load(text).expect("a model").warnings;
        let line = |at: u32| text[..at as usize].matches('\n').count() as u32 + 1;
        warnings.iter().map(|it| (it.code, line(it.primary.span.start))).collect()
    }

    #[test]
    fn an_allow_covers_the_file_or_the_next_declaration() {
        assert_eq!(codes(MODEL), [("C0914", 2), ("C0914", 3)]);
        assert_eq!(codes(&format!("(* cubicle: allow C0914 *) {MODEL}")), []);
        assert_eq!(codes(&format!("(* a model *)\n(*cubicle:allow 914*)\n{MODEL}")), []);
        assert_eq!(codes(&format!("\u{feff}(* cubicle: allow C0914 *) {MODEL}")), []);
        let one = MODEL.replace("var One", "(* cubicle: allow C0914 *) (* spare *) var One");
        assert_eq!(codes(&one), [("C0914", 3)]);
        let both = one.replace("var Two", "(* cubicle: allow C0920, C0914 *) var Two");
        assert_eq!(codes(&both), [("C0925", 3)]);
    }

    #[test]
    fn an_unneeded_allow_gets_a_warning() {
        let late = format!("{MODEL}(* cubicle: allow C0914 *)");
        assert_eq!(codes(&late), [("C0914", 2), ("C0914", 3), ("C0925", 8)]);
        // A useless allow can itself be allowed.
        assert_eq!(
            codes(&format!("(* cubicle: allow C0925 C0914 *)\n{MODEL}(* cubicle: allow C0920 *)")),
            []
        );
        // Only a run shows whether this one is needed.
        assert_eq!(codes(&format!("(* cubicle: allow C0914 C0923 *)\n{MODEL}")), []);
        // Inside of another comment it has no effect.
        assert_eq!(codes(&format!("(* (* cubicle: allow C0914 *) *) {MODEL}")).len(), 2);
    }

    #[test]
    fn an_allow_of_anything_but_a_warning_gets_a_warning() {
        for (words, says, help) in [
            ("allow C0102", "C0102 is an error", "explain C0102"),
            ("allow C9914", "there is no code", "C0914"),
            ("allow", "says nothing", "write"),
            ("permit C0914", "says nothing", "write"),
            ("allowC0914", "says nothing", "write"),
        ] {
            let text = format!("{MODEL}(* cubicle: {words} *)");
            let warnings = load::load(&text).expect("a model").warnings;
            let last = warnings.last().expect("a warning");
            assert_eq!(last.code, "C0926", "{words}");
            assert!(last.message.contains(says), "{words}: {}", last.message);
            assert!(last.help.as_ref().is_some_and(|it| it.contains(help)), "{words}: {:?}", last.help);
        }
    }
}
