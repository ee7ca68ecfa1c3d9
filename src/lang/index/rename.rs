//! Renames something at all its places, when that changes nothing else.

use super::build::Index;
use super::scopes::{NameKind, NamedSymbol};
use crate::diagnostic::Span;
use crate::named::Named;
use crate::syntax::ast::capital;
use crate::syntax::{self, Word};

/// Why something cannot be renamed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Denied {
    /// There is nothing to rename.
    #[error("there is no name here that the model declares")]
    Nothing,
    /// The new name is not one of the kind that is needed.
    #[error("`{0}` is not a name for a {1}: {2}")]
    Malformed(String, &'static str, &'static str),
    /// The new name is a word of the language.
    #[error("`{0}` is a word of the language")]
    Reserved(String),
    /// Something else has the new name.
    #[error("`{0}` is taken already ({1})")]
    Taken(String, &'static str),
    /// Some name would refer to something else.
    #[error("with the name `{0}` the model would mean something else")]
    Captured(String),
    /// The model has syntax errors, so that not every place is known.
    #[error("the model has syntax errors: not every place is known")]
    Broken,
}

const PREDECLARED: [&str; 7] = ["bool", "mbool", "int", "real", "proc", "True", "False"];

/// The places of the thing named at byte `offset` of `text`, each with the text that names it `new`. The names of a process that is code, its labels and
/// its own cells have a small letter there and a capital one elsewhere, and keep it.
///
/// # Errors
/// Why it cannot have that name.
pub fn rename(text: &str, offset: u32, new: &str) -> Result<Vec<(Span, String)>, Denied> {
    let file = syntax::parse_valid(text).map_err(|_| Denied::Broken)?;
    let index = Index::new(&file, text.len() as u32);
    let symbol = index.at(offset).ok_or(Denied::Nothing)?.symbol;
    let target = &index.symbols[symbol];
    let is_small = |at: Span| text[at.start as usize..].starts_with(|c: char| c.is_ascii_lowercase());
    let raised =
        is_small(target.definition) && matches!(target.kind, NameKind::Constructor | NameKind::Array);
    let new = if raised { capital(new) } else { new.to_owned() };
    let new = new.as_str();
    is_name(target.kind, new)?;
    let other = index.symbols.iter().enumerate().find(|&(number, other)| {
        number != symbol && other.name == new && other.name != target.name && clash(target, other)
    });
    if let Some((_, other)) = other {
        return Err(Denied::Taken(new.to_owned(), other.kind.name()));
    }
    let small =
        new.get(..1).map(str::to_ascii_lowercase).unwrap_or_default() + new.get(1..).unwrap_or_default();
    let named = |at: Span| if raised && is_small(at) { small.clone() } else { new.to_owned() };
    let places: Vec<(Span, String)> = index.uses_of(symbol).map(|it| (it.span, named(it.span))).collect();
    // In case the rules above overlook something: every name must keep its meaning.
    let changed = replaced(text, &places);
    let after = Index::new(&syntax::parse(&changed).0, changed.len() as u32);
    let meaning = |index: &Index| index.uses.iter().map(|it| (it.symbol, it.role)).collect::<Vec<_>>();
    if meaning(&index) != meaning(&after) {
        return Err(Denied::Captured(new.to_owned()));
    }
    Ok(places)
}

fn is_name(kind: NameKind, new: &str) -> Result<(), Denied> {
    let (small, capital) = ("it begins with a small letter", "it begins with a capital letter");
    let needs = match kind {
        NameKind::Transition => None,
        NameKind::Constructor | NameKind::Global | NameKind::Const | NameKind::Array => {
            Some((Word::Capital, capital))
        }
        _ => Some((Word::Small, small)),
    };
    let malformed = |why| Err(Denied::Malformed(new.to_owned(), kind.name(), why));
    match (syntax::word(new), needs) {
        (Some(Word::Keyword), _) => Err(Denied::Reserved(new.to_owned())),
        (None, _) => malformed("letters of English, digits and `_`, a letter first"),
        (Some(word), Some((needed, why))) if word != needed => malformed(why),
        (Some(_), _) if kind.is_global() && PREDECLARED.contains(&new) => {
            Err(Denied::Reserved(new.to_owned()))
        }
        (Some(_), _) => Ok(()),
    }
}

/// Whether two things cannot have the same name.
fn clash(a: &NamedSymbol, b: &NamedSymbol) -> bool {
    // Records may have fields of one name.
    a.kind.space() == b.kind.space()
        && (a.kind != NameKind::Field || a.item == b.item)
        && (a.kind.is_global() || a.scope.start < b.scope.end && b.scope.start < a.scope.end)
}

/// The text with other words at the places, which are in file order.
pub(crate) fn replaced(text: &str, places: &[(Span, String)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (place, new) in places {
        out += &text[from..place.start as usize];
        out += new;
        from = place.end as usize;
    }
    out + &text[from..]
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "type t = A | B
array S[proc] : t
array Q[proc] : bool
init (z) { S[z] = A && Q[z] = False }
unsafe (z y) { S[z] = B && S[y] = B }
transition go (i) requires { S[i] = A && forall_other k. S[k] = A } { Q[j] := case | j = i : True | _ : Q[j] }";

    fn renamed(word: &str, new: &str) -> Result<String, Denied> {
        let at = MODEL.find(word).unwrap() as u32;
        rename(MODEL, at, new).map(|places| replaced(MODEL, &places))
    }

    #[test]
    fn every_place_gets_the_name() {
        let changed = renamed("A |", "Idle").unwrap();
        assert!(!changed.contains(" A") && changed.matches("Idle").count() == 4, "{changed}");
        let changed = renamed("i)", "p").unwrap();
        assert!(
            changed.contains("go (p)") && changed.contains("S[p] = A") && changed.contains("j = p"),
            "{changed}"
        );
        assert!(changed.contains("init (z)"), "{changed}");
        assert!(renamed("go", "Go").unwrap().contains("transition Go"));
        // The same name in other scopes and spaces is free.
        assert!(renamed("i)", "z").is_ok() && renamed("go", "t").is_ok());
        assert_eq!(renamed("S[", "S").as_deref(), Ok(MODEL));
    }

    #[test]
    fn labels_and_own_cells_keep_the_case_of_their_letters() {
        let model = "var X : 0..2 init { X = 0 } unsafe (p q) { At[p] = Crit && At[q] = Crit && Old[p] = 2 } fair crit
                     process at { local old : 0..2 = 0 crit: old := X; X := old; if Old[self] = 1 { goto crit } }";
        let renamed_in = |model: &str, word: &str, new| {
            let at = model.find(word).unwrap() as u32;
            rename(model, at, new).map(|places| replaced(model, &places))
        };
        let renamed = |word: &str, new| renamed_in(model, word, new);
        let labels = renamed("crit:", "inside").unwrap();
        assert_eq!((labels.matches("inside").count(), labels.matches("Inside").count()), (3, 2), "{labels}");
        assert_eq!(renamed("Crit", "Inside").as_ref(), Ok(&labels));
        let cells = renamed("old :", "seen").unwrap();
        assert_eq!((cells.matches("seen").count(), cells.matches("Seen").count()), (3, 2), "{cells}");
        assert_eq!(renamed("at {", "place").unwrap().matches("Place").count(), 2);
        assert_eq!(renamed("crit:", "x"), Err(Denied::Taken("X".to_owned(), "variable")));
        let record = "type msg = { num : 0..2 } init { true } unsafe (p) { Mine[p].num = 2 }
                      process at { local mine : msg = { num = 0 } go: mine.num := 1; await mine.num = 1 }";
        let cells = renamed_in(record, "mine :", "seen").unwrap();
        assert_eq!((cells.matches("seen").count(), cells.matches("Seen").count()), (3, 1), "{cells}");
        assert_eq!(renamed_in(record, "num :", "size").unwrap().matches("size").count(), 5);
    }

    #[test]
    fn invalid_and_taken_names_are_refused() {
        for (word, new, why) in [
            ("S[", "Q", "is taken already (array)"),
            ("A |", "S", "is taken already (array)"),
            ("z y", "y", "is taken already (process)"),
            ("i)", "k", "is taken already (process)"),
            ("i)", "j", "is taken already (process)"),
            ("S[", "s", "begins with a capital letter"),
            ("t =", "T", "begins with a small letter"),
            ("t =", "bool", "a word of the language"),
            ("A |", "True", "a word of the language"),
            ("i)", "case", "a word of the language"),
            ("i)", "a b", "is not a name"),
            ("i)", "", "is not a name"),
            ("i)", "é", "is not a name"),
            ("proc", "p", "no name here"),
        ] {
            let said = renamed(word, new);
            assert!(
                said.as_ref().is_err_and(|said| said.to_string().contains(why)),
                "{word} as {new}: {said:?}"
            );
        }
        assert_eq!(rename("var X : int var", 4, "Y"), Err(Denied::Broken));
    }
}
