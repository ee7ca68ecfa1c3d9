//! `unsafe` and `invariant` in the words that say what they mean: `never` and `lemma never`.

use super::model::{LoadError, meaning};
use crate::diagnostic::Span;
use crate::index::replaced;
use crate::syntax::ast::{PropertyKind, Wording};

/// The text with these words. An `invariant` that is an axiom keeps its own, since it is assumed.
///
/// # Errors
/// What is wrong with the model: without its meaning, it is not known which invariants are axioms.
pub fn modern(text: &str) -> Result<String, LoadError> {
    let model = meaning(text).map_err(|diagnostics| LoadError::new(diagnostics, text))?;
    let mut places = Vec::new();
    for property in model.file.properties() {
        let at = property.loc.0;
        let is_axiom = model.system.axioms.iter().any(|it| it.span == at);
        let word = match property.kind {
            PropertyKind::Unsafe => "never",
            PropertyKind::Invariant if !is_axiom => "lemma never",
            _ => continue,
        };
        if property.wording == Wording::Kind {
            let end = at.start + property.kind.word().len() as u32;
            places.push((Span::new(at.start, end), word.to_owned()));
        }
    }
    Ok(replaced(text, &places))
}

#[cfg(test)]
mod tests {
    use super::modern;

    #[test]
    fn words_say_what_is_claimed_and_what_is_assumed() {
        let text =
            "const N : int var X : int init { X = 0 } invariant a (p) { N < 0 } (* unsafe *) unsafe { X < 0 }
                    invariant { X = -1 } always (p) { X <> -2 } transition t () { X := X + 1 }";
        let said = modern(text).expect("a model");
        assert!(said.contains("invariant a (p) { N < 0 } (* unsafe *) never { X < 0 }"), "{said}");
        assert!(said.contains("lemma never { X = -1 } always (p)"), "{said}");
        assert_eq!(modern(&said).as_deref().ok(), Some(said.as_str()));
    }
}
