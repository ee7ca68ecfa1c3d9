//! "Did you mean ..?": the declared name that is nearest to an unknown one.

/// Names longer than this are not worth comparing.
const MAX_LENGTH: usize = 64;

/// The first of the nearest candidates, when one is near enough to be a slip of the pen.
pub(super) fn suggestion<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let near_enough = (name.len() / 3).max(1);
    candidates
        .take(1000)
        .filter(|candidate| {
            candidate.len().abs_diff(name.len()) <= near_enough && candidate.len() <= MAX_LENGTH
        })
        .map(|candidate| (distance(name.as_bytes(), candidate.as_bytes()), candidate))
        .filter(|&(distance, _)| distance <= near_enough)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Levenshtein distance, ignoring case.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(!x.eq_ignore_ascii_case(y));
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::suggestion;

    #[test]
    fn finds_slips_and_nothing_else() {
        let names = ["Idle", "Want", "Crit"];
        assert_eq!(suggestion("Wnat", names.into_iter()), None);
        assert_eq!(suggestion("Wan", names.into_iter()), Some("Want"));
        assert_eq!(suggestion("crit", names.into_iter()), Some("Crit"));
        assert_eq!(suggestion("X", names.into_iter()), None);
    }
}
