//! JSON whose objects have unique keys, in memory that the system may refuse.
//!
//! Of two equal keys some parsers take the first and others the last, so that a person or a filter
//! could see another value than the one that is used.

use std::marker::PhantomData;
use std::{fmt, io};

use serde::de::{Error as _, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Error, Map, Result, Value};

use crate::budget::{CopiedText, Grow, GrowBy, Taken, text_of};

/// Levels of lists and objects, as in `serde_json`.
const LEVELS: usize = 128;

/// Reads one JSON text.
///
/// # Errors
/// Invalid JSON, or an object with a duplicate key, which the message names.
pub fn parse(text: &str) -> Result<Value> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(LEVELS)?;
    reader.blanks();
    if reader.at < text.len() { Err(reader.fault()) } else { Ok(value) }
}

/// Writes a value as one JSON text.
///
/// # Errors
/// A value that JSON does not have.
pub fn write(value: &impl Serialize) -> Result<String> {
    let mut written = Written(Vec::new());
    serde_json::to_writer(&mut written, value)?;
    Ok(String::from_utf8(written.0).unwrap_or_else(|odd| text_of(odd.as_bytes()).taken()))
}

/// Reads a list, for `deserialize_with`.
///
/// # Errors
/// Anything but a list of such items.
pub fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> std::result::Result<Vec<T>, D::Error> {
    deserializer.deserialize_seq(Items(PhantomData))
}

struct Items<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Items<T> {
    type Value = Vec<T>;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut given: A) -> std::result::Result<Vec<T>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = given.next_element()? {
            items.add(item);
        }
        Ok(items)
    }
}

/// Reads a text that may be large, for `deserialize_with`.
///
/// # Errors
/// Anything but a text.
pub fn text<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<String, D::Error> {
    Large::deserialize(deserializer).map(|large| large.0)
}

/// Does the same where there may be none.
///
/// # Errors
/// Anything but a text or null.
pub fn optional_text<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Option<String>, D::Error> {
    Ok(Option::<Large>::deserialize(deserializer)?.map(|large| large.0))
}

struct Large(String);

impl<'de> Deserialize<'de> for Large {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_str(Text).map(Self)
    }
}

struct Text;

impl Visitor<'_> for Text {
    type Value = String;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("a string")
    }

    fn visit_str<E>(self, text: &str) -> std::result::Result<String, E> {
        Ok(text.copied_text())
    }
}

/// Bytes that are written.
struct Written(Vec<u8>);

impl io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.add_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads a text from a place on. A number, a word and an escape are small: `serde_json` reads them.
struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    /// Returns the error of the text, in the words of `serde_json` where it finds one.
    fn fault(&self) -> Error {
        let found = serde_json::from_str::<IgnoredAny>(self.text).err();
        found.unwrap_or_else(|| Error::custom(format_args!("invalid value at byte {}", self.at)))
    }

    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.next(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Goes past the byte if it is the next one behind blanks.
    fn has(&mut self, byte: u8) -> bool {
        self.blanks();
        let has = self.next() == Some(byte);
        self.at += usize::from(has);
        has
    }

    fn value(&mut self, levels: usize) -> Result<Value> {
        if levels == 0 {
            return Err(Error::custom(format_args!("it has more than {LEVELS} levels")));
        }
        if self.has(b'"') {
            self.string().map(Value::String)
        } else if self.has(b'[') {
            let mut list = Vec::new();
            self.items(b']', |reader| {
                list.add(reader.value(levels - 1)?);
                Ok(())
            })?;
            Ok(Value::Array(list))
        } else if self.has(b'{') {
            let mut object = Map::new();
            self.items(b'}', |reader| reader.field(&mut object, levels - 1))?;
            Ok(Value::Object(object))
        } else {
            self.word()
        }
    }

    /// Reads items up to the end of a list or an object.
    fn items(&mut self, end: u8, mut item: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        if self.has(end) {
            return Ok(());
        }
        loop {
            item(self)?;
            if self.has(end) {
                return Ok(());
            }
            if !self.has(b',') {
                return Err(self.fault());
            }
        }
    }

    fn field(&mut self, object: &mut Map<String, Value>, levels: usize) -> Result<()> {
        if !self.has(b'"') {
            return Err(self.fault());
        }
        let key = self.string()?;
        if !self.has(b':') {
            return Err(self.fault());
        }
        let value = self.value(levels)?;
        if object.contains_key(&key) {
            return Err(Error::custom(format_args!("the key {key:?} occurs twice in an object")));
        }
        object.insert(key, value);
        Ok(())
    }

    /// Reads a number, `true`, `false` or `null`.
    fn word(&mut self) -> Result<Value> {
        let rest = &self.text[self.at..];
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let word = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
        let value = serde_json::from_str(word).map_err(|_| self.fault())?;
        self.at += word.len();
        Ok(value)
    }

    /// Reads a text behind its first quote.
    fn string(&mut self) -> Result<String> {
        let mut string = String::new();
        loop {
            let rest = &self.text[self.at..];
            let is_end = |c| matches!(c, '"' | '\\' | '\0'..='\x1f');
            let end = rest.find(is_end).ok_or_else(|| self.fault())?;
            string.add(&rest[..end]);
            self.at += end;
            match rest.as_bytes()[end] {
                b'"' => {
                    self.at += 1;
                    return Ok(string);
                }
                b'\\' => string.add(self.escape()?),
                _ => return Err(self.fault()),
            }
        }
    }

    /// Reads an escape: of a character beyond U+FFFF its two.
    fn escape(&mut self) -> Result<String> {
        let rest = &self.text[self.at..];
        let is_high = |hex| u16::from_str_radix(hex, 16).is_ok_and(|unit| unit >> 10 == 0x36);
        let bytes = match rest.as_bytes().get(1) {
            Some(b'u') if rest.get(2..6).is_some_and(is_high) => 12,
            Some(b'u') => 6,
            _ => 2,
        };
        let escape = rest.get(..bytes).ok_or_else(|| self.fault())?;
        let read = serde_json::from_str(&format!("\"{escape}\"")).map_err(|_| self.fault())?;
        self.at += bytes;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_a_repeated_key() {
        for text in [
            r#"{"a": 1, "a": 1}"#,
            r#"[{"b": {"a": 1, "c": 2, "a": null}}]"#,
            r#"{"a": 1, "\u0061": 2}"#,
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.starts_with("the key \"a\" occurs twice in an object"), "{error}");
        }
    }

    #[test]
    fn reads_what_serde_json_reads() {
        for text in [
            "null",
            "[1, -2, 3.5, true, \"é\\n\", {}, {\"a\": {\"b\": []}, \"c\": null}]",
            "\"x\"",
            "18446744073709551615",
            "184467440737095516150",
            "-0.5e-3",
            " [ ] ",
            " { \"a\" : [ 1 , 2 ] , \"\" : { } } ",
            r#""\\\/\"\b\f\n\r\t\u00e9\uD83D\ude00é😀""#,
            &format!("{}{}", "[".repeat(127), "]".repeat(127)),
        ] {
            assert_eq!(parse(text).unwrap(), serde_json::from_str::<Value>(text).unwrap());
        }
        for text in [
            "",
            "{",
            "[",
            "\"",
            "{} {}",
            "{'a': 1}",
            "nul",
            "[1,]",
            "[,1]",
            "[1 2]",
            "{,}",
            "{\"a\"}",
            "{\"a\":1,}",
            "{\"a\" 1}",
            "{1:1}",
            "+1",
            "01",
            "1.",
            "1e999",
            "NaN",
            "truex",
            "\"\n\"",
            r#""\""#,
            r#""\x""#,
            r#""\u12""#,
            r#""\uzzzz""#,
            r#""\ud83d""#,
            r#""\ud83dx""#,
            r#""\ud83d\u0041""#,
            r#""\ude00""#,
            "[1]]",
            "\u{a0}1",
            &"[".repeat(2_000_000),
            &format!("{}{}", "[".repeat(129), "]".repeat(129)),
        ] {
            assert!(serde_json::from_str::<Value>(text).is_err());
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn writes_what_serde_json_writes() {
        for text in ["null", "{\"b\":[1,\"é\\n\"],\"a\":{}}"] {
            assert_eq!(write(&parse(text).unwrap()).unwrap(), text);
        }
    }
}
