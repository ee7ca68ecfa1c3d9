//! JSON in which no object has a key twice, since parsers disagree about which of the two values counts; text is borrowed where it
//! has no escapes.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use cubicle_lang::diagnostic::BYTE_ORDER_MARK;
use cubicle_lang::model::Rational;

/// `3`, `0.5`, `1/3`.
pub(crate) fn fraction(text: &str) -> Option<Rational> {
    match text.split_once('/') {
        Some((num, den)) => Rational::parse(num)?.div(Rational::parse(den)?),
        None => Rational::parse(text),
    }
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Json<'t> {
    Null,
    Bool(bool),
    Whole(i128),
    /// As it is written.
    Decimal(String),
    Text(Cow<'t, str>),
    List(Vec<Self>),
    Object(Vec<(Cow<'t, str>, Self)>),
}

impl Json<'_> {
    pub fn kind(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(truth) => truth.to_string(),
            Self::Whole(n) => n.to_string(),
            Self::Decimal(n) => n.clone(),
            Self::Text(text) => format!("{:?}", shortened(text)),
            Self::List(_) => "a list".to_owned(),
            Self::Object(_) => "an object".to_owned(),
        }
    }

    pub fn get(&self, name: &str) -> Option<&Self> {
        let Self::Object(entries) = self else { return None };
        entries.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// A text, a number (also `{"#bigint": "5"}`) or a truth value as a word.
    pub fn word(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Text(text) => Some(Cow::Borrowed(text)),
            Self::Whole(n) => Some(Cow::Owned(n.to_string())),
            Self::Bool(truth) => Some(Cow::Borrowed(if *truth { "true" } else { "false" })),
            _ => self.digits()?.word(),
        }
    }

    /// A number: `5`, `0.5`, `"1/2"` or `{"#bigint": "5"}`.
    pub fn number(&self) -> Option<Rational> {
        match self {
            Self::Whole(n) => i64::try_from(*n).ok().map(Rational::integer),
            Self::Decimal(text) => Rational::parse(text),
            Self::Text(text) => fraction(text),
            _ => self.digits()?.number(),
        }
    }

    /// The digits of `{"#bigint": "5"}`.
    fn digits(&self) -> Option<&Self> {
        match self {
            Self::Object(entries) => match entries.as_slice() {
                [(key, value @ (Self::Text(_) | Self::Whole(_)))] if key == "#bigint" => Some(value),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The beginning of a text, for messages.
pub(crate) fn shortened(text: &str) -> Cow<'_, str> {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => Cow::Owned(format!("{}..", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

pub(crate) fn parse(text: &str) -> serde_json::Result<Json<'_>> {
    serde_json::from_str(text)
}

/// Reads a text that may begin with a byte order mark, as values of `serde_json`.
pub(crate) fn parse_strictly(text: &str) -> serde_json::Result<serde_json::Value> {
    let text = text.trim_start_matches(BYTE_ORDER_MARK);
    parse(text)?;
    serde_json::from_str(text)
}

impl<'de> Deserialize<'de> for Json<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Json<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json<'de>, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json<'de>, E> {
        Ok(Json::Whole(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json<'de>, E> {
        Ok(Json::Whole(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json<'de>, E> {
        Ok(Json::Decimal(value.to_string()))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Borrowed(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<Json<'de>, E> {
        Ok(Json::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Json<'de>, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = elements.next_element()? {
            list.push(element);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json<'de>, A::Error> {
        /// Objects with more keys than this have a table of them.
        const FEW: usize = 16;
        let mut map: Vec<(Cow<'de, str>, Json<'de>)> = Vec::new();
        let mut keys: HashSet<Cow<'de, str>> = HashSet::new();
        while let Some(Key(key)) = entries.next_key()? {
            if map.len() == FEW {
                keys.extend(map.iter().map(|(key, _)| key.clone()));
            }
            let twice =
                if map.len() < FEW { map.iter().any(|(k, _)| *k == key) } else { !keys.insert(key.clone()) };
            if twice {
                return Err(A::Error::custom(format!("an object has the key {key:?} twice")));
            }
            map.push((key, entries.next_value()?));
        }
        Ok(Json::Object(map))
    }
}

/// A key of an object.
#[derive(serde::Deserialize)]
struct Key<'t>(#[serde(borrow)] Cow<'t, str>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_order_and_their_digits() {
        let text = r#"{"b": [1, -2, 0.1, "x\n", "y", null, true], "a": {"c": 18446744073709551615}}"#;
        let Json::Object(map) = parse(text).unwrap() else { panic!("not an object") };
        assert_eq!((map[0].0.as_ref(), map[1].0.as_ref()), ("b", "a"));
        let Json::List(list) = &map[0].1 else { panic!("not a list") };
        assert_eq!(list[2].number(), Rational::new(1, 10));
        assert!(matches!((&list[3], &list[4]), (Json::Text(Cow::Owned(_)), Json::Text(Cow::Borrowed("y")))));
        assert_eq!(parse(r#""-3/6""#).unwrap().number(), Rational::new(-1, 2));
        assert!(parse("{").is_err());
    }

    #[test]
    fn a_repeated_key_is_refused_in_small_and_large_objects() {
        for n in [1, 15, 16, 17, 40] {
            let keys: Vec<String> = (0..n).map(|k| format!("\"k{k}\": 0")).collect();
            assert!(parse(&format!("{{{}}}", keys.join(","))).is_ok(), "{n}");
            let text = format!("{{{}, \"k{}\": 1}}", keys.join(","), n / 2);
            assert!(parse(&text).unwrap_err().to_string().contains("twice"), "{n}");
        }
    }
    #[test]
    fn values_are_those_of_the_usual_reader() {
        let text = r#" {"a": [1, -2, 3.5, "x\n", null, true, {}], "b": {"c": 18446744073709551615}} "#;
        let usual: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(parse_strictly(text).unwrap(), usual);
        assert_eq!(parse_strictly("\u{feff}[]").unwrap(), serde_json::json!([]));
    }

    #[test]
    fn a_repeated_key_is_refused_at_any_depth() {
        for text in [r#"{"a": 1, "a": 1}"#, r#"[{"b": {"a": 1, "c": 2, "a": 3}}]"#] {
            let error = parse_strictly(text).unwrap_err().to_string();
            assert!(error.contains("\"a\" twice at line 1 column"), "{text}");
        }
        assert!(parse_strictly("[").is_err());
        assert!(parse_strictly("[] []").is_err());
    }
}
