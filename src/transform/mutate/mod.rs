//! Mutants: models that differ from a given one by one small mistake, as an author might make it.
//!
//! In: a model. Out: [`MutantCandidate`]s, each a change of its text at places of its syntax tree, so that a mutant is a
//! model like any other: it prints, parses and has spans. Some candidates are not models, since the types do not fit;
//! some mean the same as the model or as others ([`key()`]). `candidate` lists the kinds of mistakes; `formulas` and
//! `updates` make them. The claims of a model (`unsafe`, `invariant`) stay as they are, and so do predicates that claims
//! use.

mod candidate;
mod formulas;
mod key;
mod updates;

pub use candidate::{MutantCandidate, Operator};
pub use key::{MeaningKey, key};

use self::candidate::CandidateCollector;
use cubicle_lang::syntax::ast::{File, Item, PropertyKind};

/// All candidates of a model, in the order of its text. `text` is what `file` was read from.
///
/// ```
/// use cubicle_transform::mutate::{Operator, candidates};
///
/// let text = "
///     array Inside[proc] : bool
///     init (p) { Inside[p] = False }
///     unsafe (p q) { Inside[p] = True && Inside[q] = True }
///     transition enter (p)
///     requires { forall_other q. Inside[q] = False }
///     { Inside[p] := True }";
/// let loaded = cubicle_lang::load(text)?;
/// let all = candidates(&loaded.file, text);
/// let careless = all.iter().find(|it| it.operator == Operator::DropUniversal).expect("a universal guard");
/// assert_eq!(careless.transition.as_deref(), Some("enter"));
/// assert!(careless.text(text).contains("requires { true }"));
/// assert!(careless.system(text).is_some());
/// # Ok::<(), cubicle_lang::LoadError>(())
/// ```
pub fn candidates(file: &File, text: &str) -> Vec<MutantCandidate> {
    let mut collector = CandidateCollector::new(file, text);
    let claims = claims(file, text);
    for item in &file.items {
        match item {
            Item::Transition(transition) => collector.transition(transition),
            Item::Process(process) => collector.process(process),
            Item::Property(property) if property.kind == PropertyKind::Init => {
                collector.initially(&property.body);
            }
            Item::Predicate(predicate) if !claims.contains(&predicate.name.text.as_str()) => {
                collector.condition(&predicate.body);
            }
            _ => {}
        }
    }
    collector.finish()
}

/// The predicates that `unsafe`s and `invariant`s use, directly or through others.
fn claims<'f>(file: &'f File, text: &str) -> Vec<&'f str> {
    let words = |start: u32, end: u32| -> Vec<&str> {
        let text = &text[start as usize..end as usize];
        text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect()
    };
    let mut used: Vec<&str> = Vec::new();
    for property in file.properties().filter(|it| it.kind != PropertyKind::Init) {
        let of_runs = matches!(property.kind, PropertyKind::Run(_));
        let place = if of_runs { property.loc.0 } else { property.body.span };
        used.extend(words(place.start, place.end));
    }
    let mut claims: Vec<&str> = Vec::new();
    // A predicate only uses those declared before it.
    for predicate in file.predicates().rev() {
        if used.contains(&predicate.name.text.as_str()) {
            claims.push(&predicate.name.text);
            used.extend(words(predicate.body.span.start, predicate.body.span.end));
        }
    }
    claims
}

#[cfg(test)]
mod tests {
    use super::{candidates, key};

    #[test]
    fn mistakes_in_counts_are_made_and_told_apart() {
        let text = "type t = A | B\nvar X : int\narray S[proc] : t\narray M[proc, proc] : t\n\
            init (p) { S[p] = A && X = 0 }\nunsafe () { X > #proc }\n\
            transition go (p) requires { 2 * #{q | M[p, q] = B && S[q] = A} > X } \
            { S[p] := B; X := sum{p | X if S[p] = B} }";
        let model = cubicle_lang::load(text).expect("a model");
        let mutants: Vec<String> =
            candidates(&model.file, text).iter().map(|it| it.edit.apply(text)).collect();
        let meanings: Vec<_> = mutants
            .iter()
            .filter_map(|mutant| Some((mutant, key(&cubicle_lang::load(mutant).ok()?.system))))
            .collect();
        for formula in [
            "3 * #{q | M[p, q] = B && S[q] = A} > X",
            "#{q | M[q, p] = B && S[q] = A}",
            "#{q | M[p, q] = A && S[q] = A}",
            "#{q | M[p, q] = B && S[q] <> A}",
            "#{q | M[p, q] = B} > X",
            "* #{q | M[p, q] = B && S[q] = A} >= X",
            "sum{p | X if S[p] = A}",
        ] {
            let of = meanings.iter().find(|(mutant, _)| mutant.contains(formula));
            let (mutant, meaning) = of.unwrap_or_else(|| panic!("no mutant with {formula}: {mutants:#?}"));
            assert_ne!(*meaning, key(&model.system), "{mutant}");
        }
        // The process that is counted is not that of the transition.
        assert!(!mutants.iter().any(|it| it.contains("M[q, q]")), "{mutants:#?}");
    }
}
