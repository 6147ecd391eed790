//! The heading of a hunk: the text that git prints after the second `@@`.
//!
//! Sources: gitattributes(5), "Defining a custom hunk-header"; git's observable behaviour (2.47.3,
//! in a UTF-8 locale: in the C locale, drivers also match lines that are not UTF-8).

mod drivers;

use redline_base::budget::{Copied, Gather};
use std::fmt;
use std::sync::OnceLock;

use redline_base::budget::Charge;
use regex::bytes::Regex;

use super::cancel_token::{CancelToken, PacedToken, Stopped};
use super::engine::without_trailing_space;
use super::hunk::Hunk;
use super::lines::{Lines, without_terminator};

/// The most bytes of a line that git keeps for a heading.
const MAX_BYTES: usize = 80;

/// The rules that choose the lines that are headings.
pub struct Sections {
    name: &'static str,
    ignore_case: bool,
    /// The first rule that matches decides; without any rules it is git's default.
    rules: &'static [Rule],
    compiled: OnceLock<Box<[Regex]>>,
}

/// A pattern of a line, and its heading: the pattern's first group, else the whole match.
///
/// git uses the leftmost, then longest match (POSIX); the patterns are written so that `regex`'s
/// preferred leftmost match is the longest.
enum Rule {
    /// The line is not a heading.
    Refuse(&'static str),
    /// A match at the line's start.
    Line(&'static str),
    /// A match after whitespace, which the heading omits.
    Indented(&'static str),
    /// The first match in the line.
    Anywhere(&'static str),
}

impl Sections {
    const fn new(name: &'static str, rules: &'static [Rule]) -> Self {
        Self { name, ignore_case: false, rules, compiled: OnceLock::new() }
    }

    const fn ignoring_case(name: &'static str, rules: &'static [Rule]) -> Self {
        Self { name, ignore_case: true, rules, compiled: OnceLock::new() }
    }

    /// Returns git's default rule: a line that begins with an ASCII letter, `_` or `$`.
    #[must_use]
    pub const fn default_rule() -> Self {
        Self::new("default", &[])
    }

    /// Returns the rules of git's driver `diff=<name>`, or `None` for a name without rules of its
    /// own.
    ///
    /// For a renamed file git uses the old path's driver, then the new path's, and the default rule
    /// if neither has rules.
    #[must_use]
    pub fn driver(name: &[u8]) -> Option<&'static Self> {
        let at = drivers::DRIVERS
            .binary_search_by(|sections| sections.name.as_bytes().cmp(name))
            .ok()?;
        Some(&drivers::DRIVERS[at])
    }

    /// Returns the rules of the language that a file name's extension usually means, or `None` for
    /// an extension without one.
    #[must_use]
    pub fn of_extension(extension: &[u8]) -> Option<&'static Self> {
        const NAMES: [(&str, &[&str]); 22] = [
            ("ada", &["adb", "ads"]),
            ("bash", &["bash", "sh"]),
            ("bibtex", &["bib"]),
            ("cpp", &["c", "cc", "cpp", "cxx", "h", "hh", "hpp", "hxx"]),
            ("csharp", &["cs"]),
            ("css", &["css"]),
            ("dts", &["dts", "dtsi"]),
            ("elixir", &["ex", "exs"]),
            ("fortran", &["f", "f03", "f08", "f90", "f95", "for"]),
            ("golang", &["go"]),
            ("html", &["htm", "html"]),
            ("java", &["java"]),
            ("kotlin", &["kt", "kts"]),
            ("markdown", &["markdown", "md"]),
            ("pascal", &["pas"]),
            ("perl", &["pl", "pm"]),
            ("php", &["php"]),
            ("python", &["py", "pyi"]),
            ("ruby", &["rb"]),
            ("rust", &["rs"]),
            ("scheme", &["scm", "ss"]),
            ("tex", &["cls", "sty", "tex"]),
        ];
        let extension = std::str::from_utf8(extension).ok()?.to_ascii_lowercase();
        let (name, _) = NAMES.iter().find(|(_, all)| all.contains(&extension.as_str()))?;
        Self::driver(name.as_bytes())
    }

    /// Returns the rules of `git range-diff` for its texts of patches: the file's line, or the
    /// heading of a hunk.
    #[must_use]
    pub fn of_patches() -> &'static Self {
        static PATCHES: Sections =
            Sections::new("patches", &[Rule::Line(" ## (.*) ##$"), Rule::Line(".?@@ (.*)$")]);
        &PATCHES
    }

    /// Returns the steps to test `line`: patterns read all of it, the default rule one byte.
    const fn steps(&self, line: &[u8]) -> usize {
        1 + self.rules.len() * (4 + line.len() / 32)
    }

    /// Tells whether a line is a heading.
    pub fn is_heading(&self, line: &[u8]) -> bool {
        self.heading(line).is_some()
    }

    /// Returns the heading of `line`, or `None` if it is not one.
    fn heading<'l>(&self, line: &'l [u8]) -> Option<&'l [u8]> {
        let found = if self.rules.is_empty() {
            is_default_heading(line).then_some(line)
        } else {
            self.ruled_heading(without_terminator(line))
        };
        Some(without_trailing_space(found.map(|found| &found[..found.len().min(MAX_BYTES)])?))
    }

    fn ruled_heading<'l>(&self, line: &'l [u8]) -> Option<&'l [u8]> {
        let (rule, regex) =
            self.rules.iter().zip(self.compiled()).find(|(_, regex)| regex.is_match(line))?;
        match rule {
            Rule::Refuse(_) => None,
            // Groups are searched only if there are any: on a long line they are slow.
            _ if regex.captures_len() > 1 => {
                let groups = regex.captures(line)?;
                groups.get(1).or(groups.get(0)).map(|group| group.as_bytes())
            }
            Rule::Indented(_) => {
                let indent = line.iter().take_while(|&&byte| byte == b' ' || byte == b'\t').count();
                regex.find(line).map(|all| &line[indent..all.end()])
            }
            Rule::Line(_) | Rule::Anywhere(_) => regex.find(line).map(|all| all.as_bytes()),
        }
    }

    /// Returns the rules' patterns, compiled at the first call.
    fn compiled(&self) -> &[Regex] {
        let flags = if self.ignore_case { "(?i-u)" } else { "" };
        self.compiled.get_or_init(|| {
            let pattern = |rule: &Rule| match rule {
                Rule::Refuse(pattern) | Rule::Anywhere(pattern) => format!("{flags}{pattern}"),
                Rule::Line(pattern) => format!("{flags}^(?:{pattern})"),
                Rule::Indented(pattern) => format!("{flags}^{{b}}*(?:{pattern})"),
            };
            let written_out = |short: String| {
                drivers::FRAGMENTS
                    .iter()
                    .fold(short, |pattern, (name, long)| pattern.replace(name, long))
            };
            self.rules
                .iter()
                .map(|rule| {
                    Regex::new(&written_out(pattern(rule)))
                        .expect("the patterns are constant and tested")
                })
                .gather::<Vec<_>>()
                .into_boxed_slice()
        })
    }
}

/// A heading of a text, and the lines below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlinedSection {
    /// The heading, as the hunks below it show it.
    pub heading: Vec<u8>,
    /// The number of its line, from 1.
    pub first_line: u32,
    /// The number of the last line before the next heading that is not blank.
    pub last_line: u32,
}

/// Returns the headings of a text; their memory is added to `charge`.
///
/// # Errors
/// [`Stopped`] if the query ended.
pub fn outline(
    sections: &Sections,
    text: &[u8],
    charge: &mut Charge,
    cancel: &CancelToken<'_>,
) -> Result<Vec<OutlinedSection>, Stopped> {
    let mut found: Vec<OutlinedSection> = Vec::new();
    let mut pace = cancel.pace();
    for (number, line) in (1..).zip(text.split_inclusive(|&byte| byte == b'\n')) {
        pace.spend(sections.steps(line))?;
        if let Some(heading) = sections.heading(line).map(up_to_invalid) {
            charge.join(cancel.charge(heading.len())?);
            cancel.room(charge, &mut found, 1)?;
            let heading = heading.copied_vec();
            found.push(OutlinedSection { heading, first_line: number, last_line: number });
        } else if let Some(last) = found.last_mut().filter(|_| !line.trim_ascii().is_empty()) {
            last.last_line = number;
        }
    }
    Ok(found)
}

/// Tells whether git's default rule takes a line as a heading.
pub(super) fn is_default_heading(line: &[u8]) -> bool {
    line.first().is_some_and(|&first| first.is_ascii_alphabetic() || matches!(first, b'_' | b'$'))
}

impl fmt::Debug for Sections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sections").field(&self.name).finish()
    }
}

/// Returns the text up to the first character that git rejects as UTF-8, U+FFFE and U+FFFF
/// included; a character split at [`MAX_BYTES`] is one.
fn up_to_invalid(text: &[u8]) -> &[u8] {
    let valid = text.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let end = valid.find(['\u{fffe}', '\u{ffff}']).unwrap_or(valid.len());
    &text[..end]
}

/// Finds the headings of a text's hunks, in order: a hunk without a heading of its own has the one
/// before.
#[derive(Debug)]
pub struct Finder<'a> {
    sections: &'a Sections,
    old: &'a Lines<'a>,
    /// The line above the last hunk's first line; -1 is above the text.
    limit: i64,
    heading: &'a [u8],
    pace: PacedToken<'a>,
}

impl<'a> Finder<'a> {
    /// Returns a finder for the hunks of a diff whose old side is `old`.
    #[must_use]
    pub const fn new(sections: &'a Sections, old: &'a Lines<'a>, cancel: &CancelToken<'a>) -> Self {
        Self { sections, old, limit: -1, heading: &[], pace: cancel.pace() }
    }

    /// Returns the text that git prints after the second `@@` and a space of `hunk`, or `None` if
    /// there is none.
    ///
    /// It can be empty: git then prints only the space, if the heading's first character is not
    /// UTF-8.
    ///
    /// # Errors
    /// [`Stopped`] if the query ended.
    pub fn heading(&mut self, hunk: &Hunk) -> Result<Option<&'a [u8]>, Stopped> {
        let start = i64::from(hunk.old.start) - 1;
        if let Some(found) = self.search(start, self.limit)? {
            self.heading = found;
        }
        self.limit = start;
        Ok((!self.heading.is_empty()).then(|| up_to_invalid(self.heading)))
    }

    /// Returns the heading nearest to line `start` in the direction of line `limit` (exclusive).
    fn search(&mut self, start: i64, limit: i64) -> Result<Option<&'a [u8]>, Stopped> {
        let heading = |line: i64| {
            let line = usize::try_from(line).map_or(&[][..], |line| self.old.get(line));
            self.pace.spend(self.sections.steps(line))?;
            Ok(self.sections.heading(line))
        };
        let found = if start > limit {
            (limit + 1..=start).rev().map(heading).find(|found| found != &Ok(None))
        } else {
            // Hunks can overlap with `--ignore-blank-lines`: git then searches downwards.
            (start..limit).map(heading).find(|found| found != &Ok(None))
        };
        found.unwrap_or(Ok(None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cancel_token::CancelToken;

    /// Returns the heading of a hunk at the end of `text`.
    fn heading(sections: &Sections, text: &[u8]) -> Option<Vec<u8>> {
        let lines = Lines::split(text, &CancelToken::never()).unwrap();
        let end = lines.len() as u32;
        let mut finder = Finder::new(sections, &lines, &CancelToken::never());
        let found = finder.heading(&Hunk { old: end..end, new: 0..0, changes: 0..0 }).unwrap();
        found.map(<[u8]>::to_vec)
    }

    fn by_default(text: &[u8]) -> Option<Vec<u8>> {
        heading(&Sections::default_rule(), text)
    }

    fn by(driver: &str, text: &[u8]) -> Option<Vec<u8>> {
        heading(Sections::driver(driver.as_bytes()).unwrap(), text)
    }

    #[test]
    fn an_outline_has_each_heading_with_the_lines_below_it() {
        let text = b"use a;\n\nfn one() {\n    x\n}\n\n\n/// Two.\npub fn two() {}\n";
        let rust = Sections::of_extension(b"RS").unwrap();
        let found = outline(rust, text, &mut Charge::free(), &CancelToken::never()).unwrap();
        let shown: Vec<_> = found
            .iter()
            .map(|one| (one.heading.as_slice(), one.first_line, one.last_line))
            .collect();
        assert_eq!(shown, [(&b"fn one() {"[..], 3, 8), (b"pub fn two() {}", 9, 9)]);
        assert!(Sections::of_extension(b"txt").is_none());
    }

    #[test]
    fn the_default_rule_takes_ascii_letters_underscore_and_dollar_only() {
        for head in [&b"a"[..], b"Z x", b"_", b"$x"] {
            assert_eq!(by_default(&[head, b"\n 1\n2\n"].concat()).as_deref(), Some(head));
        }
        for other in [&b"1a"[..], b" a", b"\xc3\xa9t\xc3\xa9", b"#a", b"@@ a", b"", b"\r"] {
            assert_eq!(by_default(&[other, b"\n"].concat()), None, "{other:?}");
        }
    }

    #[test]
    fn a_long_heading_is_cut_at_80_bytes_and_not_within_a_character() {
        assert_eq!(by_default(&b"x".repeat(100)).unwrap().len(), 80);
        let wide = |ascii: usize| [&b"x".repeat(ascii)[..], "é tail\n".as_bytes()].concat();
        assert_eq!(by_default(&wide(78)).unwrap().len(), 80);
        assert_eq!(by_default(&wide(79)).unwrap().len(), 79);
        let gap = [&b"x".repeat(70)[..], &b" ".repeat(20), b"tail\n"].concat();
        assert_eq!(by_default(&gap).unwrap().len(), 70);
    }

    #[test]
    fn invalid_utf8_ends_a_heading_and_leaves_the_blank_before_it() {
        for bad in [
            &b"\xff"[..],
            b"\xc3",
            b"\xed\xa0\x80",
            b"\xef\xbf\xbf",
            b"\xef\xbf\xbe",
            b"\xf4\x90\x80\x80",
        ] {
            assert_eq!(
                by_default(&[b"a ", bad, b" b\n"].concat()).as_deref(),
                Some(&b"a "[..]),
                "{bad:?}"
            );
        }
        assert_eq!(by("pascal", "\u{ffff} = class\n".as_bytes()).as_deref(), Some(&b""[..]));
        assert_eq!(
            by_default("a\u{1ffff}b\n".as_bytes()).as_deref(),
            Some("a\u{1ffff}b".as_bytes())
        );
    }

    #[test]
    fn vertical_tabs_and_form_feeds_are_not_trimmed() {
        assert_eq!(by_default(b"a\x0c \t\r\n").as_deref(), Some(&b"a\x0c"[..]));
        assert_eq!(by_default(b"a\x0b\n").as_deref(), Some(&b"a\x0b"[..]));
    }

    #[test]
    fn a_hunk_keeps_the_heading_before_it_and_never_looks_past_it() {
        let lines =
            Lines::split(b"first\n 1\n 2\nsecond\n 3\n 4\n", &CancelToken::never()).unwrap();
        let sections = Sections::default_rule();
        let mut finder = Finder::new(&sections, &lines, &CancelToken::never());
        let mut at = |line: u32| {
            finder.heading(&Hunk { old: line..line, new: 0..0, changes: 0..0 }).unwrap()
        };
        assert_eq!(at(0), None);
        assert_eq!(at(1), Some(&b"first"[..]));
        assert_eq!(at(3), Some(&b"first"[..]));
        assert_eq!(at(6), Some(&b"second"[..]));
        assert_eq!(at(6), Some(&b"second"[..]));
    }

    #[test]
    fn a_heading_of_blanks_alone_clears_the_one_before() {
        let far = [b"T = class\n", &b" ".repeat(81)[..], b"= class\n"].concat();
        assert_eq!(by("pascal", &far), None);
    }

    #[test]
    fn a_refused_line_is_passed_over_and_the_one_above_it_taken() {
        assert_eq!(
            by("cpp", b"int f()\n{\npublic:\nout: // x\n").as_deref(),
            Some(&b"int f()"[..])
        );
        assert_eq!(
            by("java", b"  int f(int a)\n  return g()\n").as_deref(),
            Some(&b"int f(int a)"[..])
        );
    }

    #[test]
    fn a_heading_is_the_longest_match_and_not_the_first_choice() {
        assert_eq!(by("bash", b"function f () ((x\n").as_deref(), Some(&b"function f () (("[..]));
        assert_eq!(by("bash", b"function f () x\n").as_deref(), Some(&b"function f ("[..]));
        assert_eq!(
            by("golang", b"type T = struct { x struct { y\n").as_deref(),
            Some(&b"type T = struct { x struct {"[..])
        );
        assert_eq!(by("bibtex", b"see @book { key, x\n").as_deref(), Some(&b"@book { key"[..]));
        assert_eq!(by("perl", b"sub f ($$) {\n").as_deref(), Some(&b"($$)"[..]));
    }

    #[test]
    fn a_line_that_is_not_utf8_or_has_a_nul_is_no_heading_of_a_driver_that_reads_to_its_end() {
        assert_eq!(by("python", b"def f(\xe9):\n"), None);
        assert_eq!(by("python", b"def f(\0):\n"), None);
        assert_eq!(by("python", b"def f(\xc3\xa9):\r\n").as_deref(), Some("def f(é):".as_bytes()));
    }
}
