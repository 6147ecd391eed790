//! Booleans and numbers of a configuration, by the rules of git's `config.c` and `parse.c`.

use gix::bstr::{BStr, BString, ByteSlice};
use gix::config::File;

use super::space::trim_start;

/// A value of the configuration; `None` for a key without `=`, which is true.
pub type Value = Option<BString>;

/// Returns the last value of `section.key`; `None` if there is none.
pub fn value(config: &File, section: &str, key: &str) -> Option<Value> {
    value_of(config, (section, None), key)
}

/// Returns the last value of `section.subsection.key`.
pub fn value_of(
    config: &File,
    (section, subsection): (&str, Option<&BStr>),
    key: &str,
) -> Option<Value> {
    let sections = config.sections_by_name(section)?;
    let own = sections.filter(|section| section.header().subsection_name() == subsection);
    own.filter_map(|section| section.value_implicit(key)).last()
}

/// Returns the boolean `section.key`; `None` if there is none, or a value that git refuses.
pub fn boolean(config: &File, section: &str, key: &str) -> Option<bool> {
    boolean_of(&value(config, section, key)?)
}

/// Returns the number `section.key`; `None` if there is none, or a value that git refuses.
pub fn integer(config: &File, section: &str, key: &str) -> Option<i64> {
    integer_of(value(config, section, key)??.as_bytes())
}

/// Reads a boolean as `git_config_bool`: a word, nothing at all, or a number.
pub fn boolean_of(value: &Value) -> Option<bool> {
    let Some(value) = value else { return Some(true) };
    boolean_word(value).or_else(|| integer_of(value).map(|number| number != 0))
}

/// Reads a boolean that is a word, or empty, which is false.
pub fn boolean_word(value: &[u8]) -> Option<bool> {
    let is_one_of =
        |words: &[&str]| words.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()));
    match value {
        b"" => Some(false),
        _ if is_one_of(&["true", "yes", "on"]) => Some(true),
        _ if is_one_of(&["false", "no", "off"]) => Some(false),
        _ => None,
    }
}

/// Reads a number as `git_parse_signed`: decimal, octal after `0` or hexadecimal after `0x`, after
/// blanks and a sign, with a unit of 1024, 1024² or 1024³.
pub fn integer_of(value: &[u8]) -> Option<i64> {
    let (is_negative, value) = match trim_start(value) {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        value => (false, value),
    };
    let (base, digits) = match value {
        [b'0', b'x' | b'X', digit, ..] if digit.is_ascii_hexdigit() => (16, &value[2..]),
        [b'0', ..] => (8, value),
        _ => (10, value),
    };
    let is_digit = |byte: &u8| char::from(*byte).is_digit(base);
    let (digits, unit) = digits.split_at(digits.iter().take_while(|byte| is_digit(byte)).count());
    let factor = match unit {
        b"" => 1,
        [b'k' | b'K'] => 1 << 10,
        [b'm' | b'M'] => 1 << 20,
        [b'g' | b'G'] => 1 << 30,
        _ => return None,
    };
    let number = i64::from_str_radix(digits.to_str().ok()?, base).ok()?;
    number.checked_mul(if is_negative { -factor } else { factor })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_booleans_are_those_of_git() {
        for (text, number, boolean) in [
            ("", None, Some(false)),
            ("0", Some(0), Some(false)),
            ("1", Some(1), Some(true)),
            ("-1", Some(-1), Some(true)),
            (" 9", Some(9), Some(true)),
            ("9 ", None, None),
            ("0x9", Some(9), Some(true)),
            ("0X1f", Some(31), Some(true)),
            ("0x", None, None),
            ("010", Some(8), Some(true)),
            ("08", None, None),
            ("1k", Some(1024), Some(true)),
            ("+2M", Some(2 << 20), Some(true)),
            ("1G", Some(1 << 30), Some(true)),
            ("1kb", None, None),
            ("9223372036854775808", None, None),
            ("yes", None, Some(true)),
            ("ON", None, Some(true)),
            ("No", None, Some(false)),
            ("auto", None, None),
            ("1.5", None, None),
        ] {
            assert_eq!(integer_of(text.as_bytes()), number, "{text}");
            assert_eq!(boolean_of(&Some(text.into())), boolean, "{text}");
        }
        assert_eq!(boolean_of(&None), Some(true));
    }

    #[test]
    fn the_last_value_of_a_key_counts() {
        let text = b"[core]\n\tabbrev = 1\n[core \"x\"]\n\tabbrev = 2\n[CORE]\n\tAbbrev = 0x9\n\tfileMode\n[other]\n\tabbrev = 3\n";
        let config = File::from_bytes_no_includes(
            text,
            gix::config::file::Metadata::api(),
            Default::default(),
        );
        let config = config.unwrap();
        assert_eq!(integer(&config, "core", "abbrev"), Some(9));
        assert_eq!(boolean(&config, "core", "filemode"), Some(true));
        assert_eq!(value(&config, "core", "none"), None);
    }
}
