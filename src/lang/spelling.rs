//! "Did you mean ..?": the known word that is nearest to an unknown one.

use strsim::damerau_levenshtein;

/// Words longer than this are not worth comparing.
const MAX_LENGTH: usize = 64;

/// At most this many words are compared.
const MAX_WORDS: usize = 1000;

/// The first of the nearest candidates, when one is near enough to be a typing error: one letter wrong,
/// missing, too many or swapped with its neighbour for every three letters, letters of the wrong case for
/// free. A word of one letter is near to no other.
pub fn nearest<'a>(word: &str, mut candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    nearest_of(word, &mut candidates)
}

/// Compiled once for all kinds of iterators.
fn nearest_of<'a>(word: &str, candidates: &mut dyn Iterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_ascii_lowercase();
    let allowed = if word.len() < 2 { 0 } else { (word.len() / 3).max(1) };
    candidates
        .take(MAX_WORDS)
        .filter(|candidate| candidate.len().abs_diff(word.len()) <= allowed && candidate.len() <= MAX_LENGTH)
        .map(|candidate| (damerau_levenshtein(&lower, &candidate.to_ascii_lowercase()), candidate))
        .filter(|&(distance, candidate)| distance <= allowed && distance < candidate.len())
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_typing_errors_and_nothing_else() {
        let names = ["Idle", "Want", "Crit", "A", "Ab"];
        for (typed, meant) in [
            ("Wnat", Some("Want")),
            ("Wan", Some("Want")),
            ("crit", Some("Crit")),
            ("Crti", Some("Crit")),
            ("a", Some("A")),
            ("X", None),
            ("Aa", Some("Ab")),
            ("Wish", None),
        ] {
            assert_eq!(nearest(typed, names.into_iter()), meant, "{typed}");
        }
    }
}
