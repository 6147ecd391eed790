//! File names in patches: git's C-style quotes, prefixes, and two names on one line.

use redline_base::budget::{Copied, Grow, Joined, Taken};
use std::borrow::Cow;

use crate::quoted_path;

/// The name of the missing side of a created or deleted file.
pub(super) const DEV_NULL: &[u8] = b"/dev/null";

/// Returns the end of the name of a missing side, which any text may follow after a blank.
pub(super) fn dev_null_end(text: &[u8]) -> Option<usize> {
    let rest = text.strip_prefix(DEV_NULL)?;
    rest.first().is_none_or(u8::is_ascii_whitespace).then_some(DEV_NULL.len())
}

/// The places where a line with two bare names is tried to be split, which keeps the search linear.
const MAX_CUTS: usize = 64;

/// Bytes of a line with two names up to which it is split: far more than two quoted paths have.
pub(super) const MAX_BYTES: usize = 1 << 20;

/// The prefixes git puts before the two names: its default, then `diff.mnemonicPrefix`
/// (i = index, w = work tree, c = commit, o = object; 1 and 2 outside a repository).
const PREFIX_PAIRS: [(u8, u8); 6] =
    [(b'a', b'b'), (b'i', b'w'), (b'c', b'i'), (b'c', b'w'), (b'o', b'w'), (b'1', b'2')];

/// A file name of a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name<'a> {
    /// As written, with its quotes.
    pub raw: &'a [u8],
    /// The unquoted name, prefix included.
    pub path: Cow<'a, [u8]>,
}

impl<'a> Name<'a> {
    pub fn bare(raw: &'a [u8]) -> Self {
        Self { raw, path: Cow::Borrowed(raw) }
    }

    pub fn is_dev_null(&self) -> bool {
        self.raw == DEV_NULL
    }

    /// Returns the path after its first `prefix` bytes.
    pub fn without_prefix(&self, prefix: usize) -> Cow<'a, [u8]> {
        match &self.path {
            Cow::Borrowed(path) => Cow::Borrowed(path.get(prefix..).unwrap_or_default()),
            Cow::Owned(path) => Cow::Owned(path.get(prefix..).unwrap_or_default().copied_vec()),
        }
    }

    /// Returns the name as written, with its first `own` bytes replaced by `prefix`.
    ///
    /// Quotes are kept where possible: whether bytes above 0x7f are quoted depends on the
    /// `core.quotePath` with which the patch was printed.
    pub fn with_prefix(&self, own: usize, prefix: &[u8]) -> Vec<u8> {
        let own = self.path.get(..own).unwrap_or_default();
        let inner = self.raw.strip_prefix(b"\"").unwrap_or(self.raw);
        match inner.strip_prefix(own) {
            Some(rest) if !needs_quotes(prefix) => {
                let quote: &[u8] = if self.raw.starts_with(b"\"") { b"\"" } else { b"" };
                [quote, prefix, rest].chained()
            }
            _ => quote(&[prefix, self.path.get(own.len()..).unwrap_or_default()].chained()),
        }
    }
}

/// Reads a whole name: quoted, or bare to the end; `None` if the quotes are malformed, or occur
/// within a bare name, which git would have quoted.
pub(super) fn name(raw: &[u8]) -> Option<Name<'_>> {
    if !raw.starts_with(b"\"") {
        return (!raw.contains(&b'"')).then(|| Name::bare(raw));
    }
    let (path, length) = unquote(raw)?;
    (length == raw.len()).then_some(Name { raw, path: Cow::Owned(path) })
}

/// Reads the name after `--- ` or `+++ `, and returns it with the rest of the line: the TAB and the
/// text after it, which is a time for `diff -u` and empty for git.
pub(super) fn name_and_rest(line: &[u8]) -> Option<(Name<'_>, &[u8])> {
    let end = if line.starts_with(b"\"") {
        unquote(line)?.1
    } else {
        let tab = line.iter().position(|&byte| byte == b'\t');
        tab.unwrap_or(line.len())
    };
    let (raw, rest) = line.split_at_checked(end)?;
    (rest.is_empty() || rest.starts_with(b"\t")).then_some((name(raw)?, rest))
}

/// Reads a C-style quoted name at the start of `text`; returns its bytes and its length in `text`.
pub fn unquote(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    let mut path = Vec::new();
    let mut at = 1;
    loop {
        let byte = *text.get(at)?;
        at += 1;
        if byte == b'"' {
            return Some((path, at));
        }
        if byte != b'\\' {
            path.add(byte);
            continue;
        }
        let escape = *text.get(at)?;
        at += 1;
        path.add(match escape {
            b'a' => 0x07,
            b'b' => 0x08,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 0x0b,
            b'f' => 0x0c,
            b'r' => b'\r',
            b'"' | b'\\' => escape,
            b'0'..=b'3' => {
                let low = text.get(at..at + 2)?;
                at += 2;
                low.iter().try_fold(escape - b'0', |value, digit| {
                    matches!(digit, b'0'..=b'7').then(|| value << 3 | (digit - b'0'))
                })?
            }
            _ => return None,
        });
    }
}

/// Tells whether git, with its default `core.quotePath`, quotes a name with these bytes.
fn needs_quotes(path: &[u8]) -> bool {
    matches!(quoted_path(path, true), Cow::Owned(_))
}

/// Returns the name as git prints it with its default `core.quotePath`.
pub(super) fn quote(path: &[u8]) -> Vec<u8> {
    quoted_path(path, true).taken()
}

/// Tells whether the names start with a pair of git's prefixes, in either order.
pub(super) fn known_prefixes(old: &[u8], new: &[u8]) -> bool {
    let ([old, b'/', _, ..], [new, b'/', _, ..]) = (old, new) else {
        return false;
    };
    let pair = |&(a, b): &(u8, u8)| (a, b) == (*old, *new) || (b, a) == (*old, *new);
    PREFIX_PAIRS.iter().any(pair)
}

/// Returns the bytes of each name's prefix, for two names of one file.
///
/// Equal names have none (`--no-prefix`). Besides git's own prefixes, the part before the longest
/// common suffix that starts at a directory is a prefix (`--src-prefix`); without such a suffix
/// there is none.
pub(super) fn prefix_lengths(old: &[u8], new: &[u8]) -> (usize, usize) {
    if old == new {
        return (0, 0);
    }
    if known_prefixes(old, new) {
        return (2, 2);
    }
    match common_end(old, new) {
        0 => (0, 0),
        common => (old.len() - common, new.len() - common),
    }
}

/// Returns the length of the longest common suffix that is a whole path in both names.
fn common_end(old: &[u8], new: &[u8]) -> usize {
    let pairs = old.iter().rev().zip(new.iter().rev());
    let common = pairs.take_while(|(a, b)| a == b).count();
    let is_path = |name: &[u8], length: usize| {
        let before = name.len() - length;
        before == 0 || name.get(before - 1) == Some(&b'/')
    };
    let tail = &old[old.len() - common..];
    let starts = std::iter::once(0)
        .chain(tail.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at + 1));
    starts
        .map(|start| common - start)
        .find(|&length| is_path(old, length) && is_path(new, length))
        .unwrap_or(0)
}

/// Splits a line into the two names around `between`.
///
/// Bare names may contain the separator too. Then the split is where both names end alike: in the
/// middle for git's own prefixes, else where the common suffix is longest, else at the only
/// separator.
pub(super) fn two_names<'a>(line: &'a [u8], between: &[u8]) -> Option<(Name<'a>, Name<'a>)> {
    if line.len() > MAX_BYTES {
        return None;
    }
    if line.starts_with(b"\"") {
        let (first, rest) = line.split_at_checked(unquote(line)?.1)?;
        return Some((name(first)?, name(rest.strip_prefix(between)?)?));
    }
    if let Some(quote) = line.iter().position(|&byte| byte == b'"') {
        let (first, second) = line.split_at(quote);
        return Some((Name::bare(first.strip_suffix(between)?), name(second)?));
    }
    let cut = |at: usize| {
        let second = line.get(at..)?.strip_prefix(between)?;
        Some((line.get(..at)?, second)).filter(|(a, b)| !a.is_empty() && !b.is_empty())
    };
    let alike = |(old, new): (&[u8], &[u8])| {
        if !known_prefixes(old, new) {
            common_end(old, new)
        } else if old[2..] == new[2..] {
            old.len()
        } else {
            0
        }
    };
    let middle = cut(line.len().saturating_sub(between.len()) / 2);
    if let Some((old, new)) = middle.filter(|&names| alike(names) > 0) {
        return Some((Name::bare(old), Name::bare(new)));
    }
    let separators = (0..line.len()).filter(|&at| line[at..].starts_with(between));
    // A separator next to an empty name counts: it may also be part of the other name.
    let only = separators.clone().nth(1).is_none();
    let names = separators.filter_map(cut).take(MAX_CUTS);
    let names = names.map(|pair| (alike(pair), pair));
    let (common, (old, new)) =
        names.reduce(|best, pair| if pair.0 > best.0 { pair } else { best })?;
    (only || common > 0).then(|| (Name::bare(old), Name::bare(new)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use redline_base::growth::assert_linear;

    fn cut(line: &str) -> Option<(String, String)> {
        let text = |n: Name<'_>| String::from_utf8_lossy(&n.path).into_owned();
        two_names(line.as_bytes(), b" ").map(|(a, b)| (text(a), text(b)))
    }

    #[test]
    fn quotes_survive_a_round_trip_for_every_byte() {
        let every: Vec<u8> = (0..=255).collect();
        let quoted = quote(&every);
        assert!(quoted.is_ascii());
        assert_eq!(unquote(&quoted), Some((every, quoted.len())));
        assert_eq!(quote(b"plain name"), b"plain name");
        assert_eq!(quote("é\t\u{7f}".as_bytes()), br#""\303\251\t\177""#.as_slice());
    }

    #[test]
    fn broken_quotes_are_not_a_name() {
        for raw in [
            r#"""#,
            r#""a"#,
            r#""a\"#,
            r#""a\""#,
            r#""\400""#,
            r#""\08a""#,
            r#""\1"#,
            r#""\q""#,
            r#""a"b"#,
        ] {
            assert_eq!(name(raw.as_bytes()), None, "{raw}");
        }
    }

    #[test]
    fn a_time_is_not_part_of_the_name() {
        let (name, rest) = name_and_rest(b"a/x y\t2026-01-01 00:00:00 +0000").expect("a name");
        assert_eq!((name.raw, &rest[..5]), (&b"a/x y"[..], &b"\t2026"[..]));
        let (name, rest) = name_and_rest(br#""a/\351"	"#).expect("a name");
        assert_eq!((&*name.path, rest), (&b"a/\xe9"[..], &b"\t"[..]));
        assert_eq!(name_and_rest(br#""a"b"#), None);
    }

    #[test]
    fn two_bare_names_with_blanks_are_cut_where_they_end_alike() {
        let pair = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
        for (line, names) in [
            ("a/x b/x", pair("a/x", "b/x")),
            ("a/x b/x b/x b/x", pair("a/x b/x", "b/x b/x")),
            ("x y x y", pair("x y", "x y")),
            ("i/x y w/x y", pair("i/x y", "w/x y")),
            ("old/x y newer/x y", pair("old/x y", "newer/x y")),
            ("left.c right.c", pair("left.c", "right.c")),
            (r#""a/\tx" b/y z"#, pair("a/\tx", "b/y z")),
            (r#"a/y z "b/\tx""#, pair("a/y z", "b/\tx")),
            (r#""a/\tx" "b/\tx""#, pair("a/\tx", "b/\tx")),
            ("a/x", None),
            ("", None),
            (" ", None),
            ("a/p b/pit a/p b/p", None),
            ("a/left b/right", pair("a/left", "b/right")),
            ("x\"y x\"y", None),
            ("x  ", None),
            (" and /B", None),
            ("x y z w", None),
        ] {
            assert_eq!(cut(line), names, "{line:?}");
        }
    }

    #[test]
    fn a_line_of_blanks_is_cut_in_linear_time() {
        assert_linear(
            "a line of blanks",
            1 << 15,
            |size| " ".repeat(size),
            |line| {
                assert!(two_names(line.as_bytes(), b" ").is_none());
            },
        );
    }

    #[test]
    fn prefixes_are_told_from_directories() {
        for (old, new, lengths) in [
            ("a/x", "b/x", (2, 2)),
            ("a/x", "b/y", (2, 2)),
            ("w/x", "i/x", (2, 2)),
            ("a/x", "a/x", (0, 0)),
            ("src/x", "src/x", (0, 0)),
            ("old/src/x", "v2/new/src/x", (4, 7)),
            ("old-x", "new-x", (0, 0)),
            ("x", "new/x", (0, 4)),
            ("bx", "x", (0, 0)),
            ("a/", "b/", (0, 0)),
            ("", "", (0, 0)),
        ] {
            let found = prefix_lengths(old.as_bytes(), new.as_bytes());
            assert_eq!(found, lengths, "{old} {new}");
        }
    }
}
