//! What all processes of a cluster must have in common, and messages for differences.

/// Facts about a process, by name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Agreement(Vec<(String, String)>);

/// The longest agreement, in bytes: bounds the memory taken for one.
pub const MOST: usize = 1 << 16;

/// Separators between facts, and between the name and the value of a fact; neither occurs in a text.
const BETWEEN: char = '\u{1e}';
const OF: char = '\u{1f}';

impl Agreement {
    /// Creates an agreement on these facts.
    pub fn new(facts: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(facts.into_iter().collect())
    }

    /// As bytes, cut at the length that the other side accepts.
    pub fn bytes(&self) -> Vec<u8> {
        let lines: Vec<String> = self.0.iter().map(|(name, value)| format!("{name}{OF}{value}")).collect();
        let mut bytes = lines.join(&BETWEEN.to_string()).into_bytes();
        bytes.truncate(MOST);
        bytes
    }

    /// From bytes; all bytes are accepted.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let fact = |line: &str| match line.split_once(OF) {
            Some((name, value)) => (name.to_owned(), value.to_owned()),
            None => (line.to_owned(), String::new()),
        };
        Self(text.split(BETWEEN).map(fact).collect())
    }

    /// The first difference from another process's agreement, as a message; `None` when there is none.
    pub fn difference(&self, other: &Self) -> Option<String> {
        if self.bytes() == other.bytes() {
            return None;
        }
        let differs = |(mine, other): (&(String, String), &(String, String))| {
            (mine.0 == other.0 && mine.1 != other.1)
                .then(|| format!("{} is `{}` there, and `{}` here", mine.0, shown(&other.1), shown(&mine.1)))
        };
        let found = self.0.iter().zip(&other.0).find_map(differs);
        Some(found.unwrap_or_else(|| "its settings have other names".to_owned()))
    }
}

/// Shortens a text for a message, and removes control characters.
fn shown(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).take(80).collect();
    if text.is_empty() { "nothing".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(model: &str) -> Agreement {
        let facts = [("the version", "1"), ("the model", model), ("symmetry", "on")];
        Agreement::new(facts.map(|(name, value)| (name.to_owned(), value.to_owned())))
    }

    #[test]
    fn a_difference_is_reported() {
        assert_eq!(of("a").difference(&Agreement::of_bytes(&of("a").bytes())), None);
        assert_eq!(
            of("a").difference(&Agreement::of_bytes(&of("b\x1b[1m").bytes())).as_deref(),
            Some("the model is `b[1m` there, and `a` here")
        );
        assert_eq!(
            of("a").difference(&Agreement::default()).as_deref(),
            Some("its settings have other names")
        );
    }

    #[test]
    fn any_bytes_are_an_agreement() {
        for bytes in [&b""[..], b"\xff\x1f\x1e", b"\x1e\x1e\x1f\x1f"] {
            assert!(Agreement::of_bytes(bytes).difference(&of("a")).is_some());
        }
    }
}
