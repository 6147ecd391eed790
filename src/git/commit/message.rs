//! The texts of a commit: message, people, times, and its line in the logs.
//!
//! Source: git-commit(1), "--cleanup=whitespace", and git's `ident.c`.

use gix::bstr::ByteSlice;
use jiff::Timestamp;

use crate::model::settings::value;
use crate::model::trailers::with_trailer;
use crate::repository::Repository;
use crate::revision::local_time_zone;
use redline_base::budget::{Gather, Grow, Taken};
use redline_base::error::{Error, Result, quoted};
use redline_base::form::trailer;
use redline_base::limits;

/// A name with its address, as a commit has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ident {
    name: String,
    email: String,
}

/// A time with the offset of its zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommitTime {
    /// Seconds since 1970.
    pub seconds: i64,
    /// Minutes east of UTC.
    pub offset: i32,
}

impl Ident {
    /// Parses `Name <address>`.
    ///
    /// # Errors
    /// `invalid_args` for another form, or an empty name.
    pub fn parse(text: &str) -> Result<Self> {
        let parts =
            text.split_once('<').and_then(|(name, rest)| Some((name, rest.strip_suffix('>')?)));
        let ident = parts.map(|(name, email)| Self::cleaned(name, email));
        ident.filter(|ident| !ident.name.is_empty()).ok_or_else(|| {
            Error::invalid_args(format!("the author is {}", quoted(text)))
                .with_hint("Give 'Name <address>'")
        })
    }

    /// Reads the person of a role (`author`, `committer`) from a repository's configuration.
    ///
    /// # Errors
    /// `invalid_args` if none is configured there.
    pub fn configured(repository: &Repository, role: &str) -> Result<Self> {
        let text = |key: &str| {
            let of = |section: &str| value(&repository.config, section, key).flatten();
            of(role).or_else(|| of("user")).map(|text| text.to_str_lossy().taken())
        };
        let found = text("name").zip(text("email"));
        let ident = found.map(|(name, email)| Self::cleaned(&name, &email));
        ident.filter(|ident| !ident.name.is_empty()).ok_or_else(|| {
            Error::invalid_args(format!(
                "the repository at {} names no {role}: its own configuration has no user.name and user.email",
                quoted(&repository.given)
            ))
            .with_hint("A person runs 'git config user.name …' there; or give the option author, 'Name <address>'")
        })
    }

    /// As git does: without what would end a field, and without crumbs at both ends.
    fn cleaned(name: &str, email: &str) -> Self {
        let is_crumb = |c: char| c <= ' ' || ".,:;<>\"\\'".contains(c);
        let clean = |text: &str| {
            text.trim_matches(is_crumb).chars().filter(|c| !"\n<>\0".contains(*c)).gather()
        };
        Self { name: clean(name), email: clean(email) }
    }

    /// Returns name and address.
    pub fn parts(&self) -> (&str, &str) {
        (&self.name, &self.email)
    }

    /// Returns the field of a commit: person and time.
    pub fn at(&self, time: CommitTime) -> String {
        format!("{self} {time}")
    }
}

impl std::fmt::Display for Ident {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} <{}>", self.name, self.email)
    }
}

impl std::fmt::Display for CommitTime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.offset < 0 { '-' } else { '+' };
        let minutes = self.offset.unsigned_abs();
        write!(f, "{} {sign}{:02}{:02}", self.seconds, minutes / 60, minutes % 60)
    }
}

impl CommitTime {
    /// Returns the present, in the time zone of the process.
    pub fn now() -> Self {
        let now = Timestamp::now();
        let offset = local_time_zone().to_offset(now).seconds() / 60;
        Self { seconds: now.as_second(), offset }
    }

    /// Parses git's own form, `<seconds> <±hhmm>`.
    ///
    /// # Errors
    /// `invalid_args` for another form.
    pub fn parse(text: &str) -> Result<Self> {
        let parsed = text.trim_start_matches('@').split_once(' ').and_then(|(seconds, zone)| {
            let (sign, digits) = zone.split_at_checked(1)?;
            let is_zone = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
            let number = |part: &str| part.parse::<i32>().ok();
            let minutes = 60 * number(digits.get(..2)?)? + number(digits.get(2..)?)?;
            let offset = match sign {
                "+" => minutes,
                "-" => -minutes,
                _ => return None,
            };
            let seconds = seconds.parse::<i64>().ok().filter(|seconds| *seconds >= 0)?;
            is_zone.then_some(Self { seconds, offset })
        });
        parsed.ok_or_else(|| {
            Error::invalid_args(format!("the date is {}", quoted(text)))
                .with_hint("Give the seconds since 1970 and the zone: '1700000000 +0100'")
        })
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Returns a message as `git commit -m` stores it: without spaces at the ends of lines, without
/// empty lines at both ends and more than one between others, and with a newline at its end.
///
/// # Errors
/// `invalid_args` for an empty one or one with a NUL, `too_large` beyond
/// [`limits::COMMIT_MESSAGE_BYTES`].
pub fn cleaned(message: &str) -> Result<String> {
    if message.len() > limits::COMMIT_MESSAGE_BYTES {
        return Err(Error::too_large(format!("the message has {} bytes", message.len()))
            .with_hint(format!("Give {} bytes at most", limits::COMMIT_MESSAGE_BYTES)));
    }
    if message.contains('\0') {
        return Err(Error::invalid_args("the message has a NUL").with_hint("Give it as plain text"));
    }
    let mut clean = String::new();
    let mut is_gap = false;
    for line in message.split('\n') {
        let line = line.trim_end_matches(|c: char| c.is_ascii() && is_space(c as u8));
        if line.is_empty() {
            is_gap = !clean.is_empty();
            continue;
        }
        if std::mem::take(&mut is_gap) {
            clean.add('\n');
        }
        clean.add(line);
        clean.add('\n');
    }
    if clean.is_empty() {
        return Err(Error::invalid_args("the message is empty")
            .with_hint("Say what the commit changes, and why"));
    }
    Ok(clean)
}

/// Returns a message as [`cleaned`], with trailers at its end.
///
/// # Errors
/// Those of [`cleaned`]; `invalid_args` for a text that is no trailer.
pub fn with_trailers(message: &str, trailers: &[String]) -> Result<String> {
    let mut message = cleaned(message)?;
    for text in trailers {
        let (key, value) = trailer(text).ok_or_else(|| {
            Error::invalid_args(format!("the trailer is {}", quoted(text)))
                .with_hint("Give 'Key: value' on one line; a key has letters, digits and '-'")
        })?;
        message = with_trailer(&message, key, value)?;
    }
    cleaned(&message)
}

/// Returns the text of a log for a commit of this kind: one line, each run of spaces one space.
pub fn log_text(kind: &str, message: &str) -> String {
    let subject = message.split('\n').next().unwrap_or_default();
    let mut text = String::new();
    for word in format!("{kind}: {subject}").split(|c: char| c.is_ascii() && is_space(c as u8)) {
        if !word.is_empty() {
            if !text.is_empty() {
                text.add(' ');
            }
            text.add(word);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_cleaned_as_git_does() {
        for (given, stored) in [
            ("one", "one\n"),
            ("\n\n one \t\n\n\n\ntwo\r\n\n", " one\n\ntwo\n"),
            ("a\nb\n\n\nc", "a\nb\n\nc\n"),
            ("ä\u{a0}\n", "ä\u{a0}\n"),
        ] {
            assert_eq!(cleaned(given).unwrap(), stored, "{given:?}");
        }
        for refused in ["", " \n\t\n", "a\0b", &"x".repeat(limits::COMMIT_MESSAGE_BYTES + 1)] {
            assert!(cleaned(refused).is_err());
        }
    }

    #[test]
    fn people_and_times_are_those_of_a_commit() {
        let ident = Ident::parse("  A. U. Thor, <a@b.c> ").map_err(|_| ()).err();
        assert_eq!(ident, Some(()));
        let ident = Ident::parse("\"A. U. Thor, <\u{1}a@b.c\n>").unwrap();
        assert_eq!(ident.to_string(), "A. U. Thor <a@b.c>");
        for refused in ["", "A", "A <a", "<a@b>", " . <a@b>"] {
            assert!(Ident::parse(refused).is_err(), "{refused}");
        }
        for text in ["1700000000 +0530", "0 -0030", "1 +0000"] {
            assert_eq!(CommitTime::parse(text).unwrap().to_string(), text);
        }
        for refused in ["", "now", "1", "1 0100", "1 +1", "-1 +0000", "1 +01a0", "1 +é10"] {
            assert!(CommitTime::parse(refused).is_err(), "{refused}");
        }
        assert_eq!(log_text("commit", " a \t b\nc"), "commit: a b");
    }
}
