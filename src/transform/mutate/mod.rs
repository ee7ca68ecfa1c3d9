//! Mutants: models that differ from a given one by one small mistake, as an author might make it.
//!
//! In: a model. Out: [`MutantCandidate`]s, each a change of its text at places of its syntax tree, so that a mutant is a
//! model like any other: it prints, parses and has spans. Some candidates are not models, since the types do not fit;
//! some mean the same as the model or as others ([`key()`]). `operator` lists the kinds of mistakes; `formulas` and
//! `updates` make them. The claims of a model (`unsafe`, `invariant`) stay as they are, and so do predicates that claims
//! use.

mod candidate;
mod formulas;
mod key;
mod names;
mod operator;
mod updates;

pub use candidate::MutantCandidate;
pub use key::{MeaningKey, key};
pub use operator::{OPERATORS, Operator};

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
    for item in &file.items {
        if let Item::Property(property) = item
            && property.kind != PropertyKind::Init
        {
            used.extend(words(property.body.span.start, property.body.span.end));
        }
        if let Item::Temporal(property) = item {
            used.extend(words(property.loc.0.start, property.loc.0.end));
        }
    }
    let mut claims: Vec<&str> = Vec::new();
    // A predicate only uses those declared before it.
    for item in file.items.iter().rev() {
        if let Item::Predicate(predicate) = item
            && used.contains(&predicate.name.text.as_str())
        {
            claims.push(&predicate.name.text);
            used.extend(words(predicate.body.span.start, predicate.body.span.end));
        }
    }
    claims
}
