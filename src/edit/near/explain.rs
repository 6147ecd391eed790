//! Near misses: passages that a string which does not occur in a file may have been meant to match.
//!
//! Time is bounded by the sizes of the file and the string: both are folded and searched in one
//! pass each, and only a few passages, of bounded length, are compared in detail.

use std::cmp::Reverse;
use std::ops::Range;

use similar::{Algorithm, capture_diff_slices, diff_ratio};

use crate::near::candidates::candidates;
use crate::near::fold::Folded;
use crate::near::reason::{Reason, reasons};
use crate::plan::line_ends::line_end;
use crate::plan::matching::{Haystack, occurrences};
use crate::plan::request::FileName;
use redline_base::budget::{CopiedText, Gather, Grow, Joined, Ordered, Taken, TryGather, text_of};
use redline_base::error::{Error, quoted};
use redline_text::CancelToken;
use redline_text::cancel_token::Stopped;
use redline_text::lines::Lines;

/// The most near misses that an error lists.
const NAMED: usize = 3;

/// The most near misses that are searched for.
const MAX_NEAR_MISSES: usize = 10;

/// The length in bytes of a string above which no near miss is searched for.
pub const WANTED_BYTES: usize = 64 << 10;

/// The bytes of a file, from its start, in which near misses are searched for.
const SEARCHED_BYTES: usize = 16 << 20;

/// The least similarity of a passage that differs in more than its form: 1 is equal, 0 has nothing
/// in common.
const CUTOFF: f64 = 0.6;

/// The length in bytes of two texts together up to which they are compared by characters; longer
/// ones are compared by words.
const BY_CHARACTERS: usize = 400;

/// The most characters or words that are compared, from the start of a text.
const PIECES: usize = 1000;

/// The lines at which a passage may start that are compared in detail.
const STARTS: usize = 3;

/// The most lines, from the start of a string, by which those are chosen.
const COMPARED_LINES: usize = 64;

/// A passage of a file that resembles a string or equals it.
#[derive(Debug, Clone, PartialEq)]
pub struct NearMiss {
    /// The line, from 1, in which the passage starts.
    pub line: u64,
    /// The similarity to the string, 0 to 1; for long texts, of their first words.
    pub similarity: f64,
    /// How it differs; empty if the string matches.
    pub reasons: Vec<Reason>,
    /// The passage; bytes that are not UTF-8 are shown as U+FFFD.
    pub text: String,
    /// The string that matches the passage, if there is one.
    pub old_string: Option<String>,
}

impl NearMiss {
    /// Returns the reasons as a text, such as `tabs, case`; `exact` if there are none.
    pub fn reason(&self) -> String {
        if self.reasons.is_empty() {
            return "exact".to_owned();
        }
        self.reasons.iter().map(|reason| reason.name()).gather::<Vec<_>>().joined(", ")
    }
}

/// Returns up to `MAX_NEAR_MISSES` passages: first those that `wanted` matches, in the order of
/// the file, then those that resemble it, the most similar first.
///
/// # Errors
/// Those of the token.
pub fn explain(
    lines: &Lines<'_>,
    wanted: &str,
    cancel: &CancelToken<'_>,
) -> Result<Vec<NearMiss>, Stopped> {
    let haystack = Haystack::new(lines.bytes(), cancel)?;
    let exact: Vec<Range<usize>> =
        haystack.places(wanted, cancel)?.take(MAX_NEAR_MISSES).try_gather()?;
    let of_exact = |place: &Range<usize>| NearMiss {
        line: lines.line_at(place.start) as u64 + 1,
        similarity: 1.0,
        reasons: Vec::new(),
        text: wanted.to_owned(),
        old_string: Some(wanted.to_owned()),
    };
    let mut found: Vec<NearMiss> = exact.iter().map(of_exact).gather();
    let more = MAX_NEAR_MISSES - found.len();
    if more > 0 {
        found.add_all(near_misses(lines, wanted, exact, more, cancel)?);
    }
    Ok(found)
}

/// Returns up to `most` passages that resemble `wanted`, the most similar first; those that differ
/// only in form come before others. Passages that match it, which are `exact`, are left out.
///
/// # Errors
/// Those of the token.
pub fn near_misses(
    lines: &Lines<'_>,
    wanted: &str,
    exact: Vec<Range<usize>>,
    most: usize,
    cancel: &CancelToken<'_>,
) -> Result<Vec<NearMiss>, Stopped> {
    if wanted.len() > WANTED_BYTES {
        return Ok(Vec::new());
    }
    let folded = Folded::new(wanted.as_bytes(), cancel)?;
    if folded.chars.is_empty() {
        return Ok(Vec::new());
    }
    let search = Search { lines, wanted, exact };
    let searched = &lines.bytes()[..lines.bytes().len().min(SEARCHED_BYTES)];
    let file = Folded::new(searched, cancel)?;
    let length = folded.chars.len();
    let mut places: Vec<Range<usize>> = Vec::new();
    for at in occurrences(&file.chars, &folded.chars, cancel)? {
        let at = at?;
        let place = search.with_blanks(file.source(lines.bytes(), at..at + length));
        if !search.is_exact(&place) && !places.last().is_some_and(|last| overlap(last, &place)) {
            places.add(place);
        }
        if places.len() == MAX_NEAR_MISSES {
            break;
        }
    }
    let mut found: Vec<NearMiss> =
        places.iter().map(|place| search.near_miss(place.clone())).gather();
    found.order_by(nearest_first);
    if found.len() < most {
        let mut others: Vec<NearMiss> = Vec::new();
        for candidate in candidates(&file.chars, &folded.chars, cancel)? {
            cancel.check()?;
            let window = search.passage(file.source(lines.bytes(), candidate));
            if !search.is_exact(&window) && !places.iter().any(|place| overlap(place, &window)) {
                let near = search.near_miss(window.clone());
                if near.similarity >= CUTOFF {
                    places.add(window);
                    others.add(near);
                }
            }
        }
        others.order_by(nearest_first);
        found.add_all(others);
    }
    found.truncate(most);
    Ok(found)
}

/// Returns the error for a string that does not occur in a file; `which` names the edit, if there
/// are several.
///
/// # Errors
/// Those of the token, before it is found.
pub(crate) fn not_found(
    which: &str,
    file: FileName<'_>,
    lines: &Lines<'_>,
    wanted: &str,
    cancel: &CancelToken<'_>,
) -> Result<Error, Stopped> {
    let error = Error::not_found(format!(
        "{which}old_string not found in {file}. File contains {} lines",
        lines.len()
    ));
    if wanted.len() > WANTED_BYTES {
        return Ok(error
            .with_hint(format!("old_string has {} bytes: give a shorter passage", wanted.len())));
    }
    let near: Vec<String> = near_misses(lines, wanted, Vec::new(), NAMED, cancel)?
        .iter()
        .map(|near| format!("line {} {} ({})", near.line, quoted(&near.text), near.reason()))
        .gather();
    Ok(error.with_hint(if near.is_empty() {
        "Nothing in the file resembles it: read the file again".to_owned()
    } else {
        format!("Did you mean: {}?", near.joined(", "))
    }))
}

fn nearest_first(one: &NearMiss, other: &NearMiss) -> std::cmp::Ordering {
    other.similarity.total_cmp(&one.similarity).then(one.line.cmp(&other.line))
}

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// A file, and the string to search for.
struct Search<'a> {
    lines: &'a Lines<'a>,
    wanted: &'a str,
    /// Where it matches.
    exact: Vec<Range<usize>>,
}

impl Search<'_> {
    fn is_exact(&self, place: &Range<usize>) -> bool {
        let next = self.exact.partition_point(|exact| exact.end <= place.start);
        self.exact.get(next).is_some_and(|exact| overlap(exact, place))
    }

    fn near_miss(&self, place: Range<usize>) -> NearMiss {
        let bytes = &self.lines.bytes()[place.start..place.end];
        let text = text_of(bytes).taken();
        // Line ends are compared only if a match would compare them.
        let plain = text.replaced("\r\n", "\n");
        let compared = if self.wanted.contains('\r') { &text } else { &plain };
        let is_utf8 = std::str::from_utf8(bytes).is_ok();
        let reasons = if is_utf8 { reasons(self.wanted, compared) } else { vec![Reason::NotUtf8] };
        NearMiss {
            line: self.lines.line_at(place.start) as u64 + 1,
            similarity: similarity(self.wanted, compared),
            reasons,
            old_string: is_utf8
                .then(|| if plain.contains('\r') { text.copied_text() } else { plain }),
            text,
        }
    }

    /// Widens a place by the surrounding whitespace if the string starts or ends with whitespace:
    /// by as many line ends as the string has there, and by the indentation of the first line or
    /// the trailing whitespace of the last.
    fn with_blanks(&self, place: Range<usize>) -> Range<usize> {
        let bytes = self.lines.bytes();
        let before = &self.wanted[..self.wanted.len() - self.wanted.trim_start().len()];
        let after = &self.wanted[self.wanted.trim_end().len()..];
        let is_newline = |at: &usize| bytes[*at] == b'\n';
        let without_cr = |at: usize| at - usize::from(bytes[..at].ends_with(b"\r"));
        let Range { mut start, mut end } = place;
        if !before.is_empty() {
            let blank = bytes[..start].trim_ascii_end().len();
            let mut ends = (blank..start).rev().filter(is_newline);
            let count = before.matches('\n').count();
            start = if before.starts_with(['\n', '\r']) {
                ends.nth(count.saturating_sub(1)).map_or(blank, without_cr)
            } else {
                ends.nth(count).map_or(blank, |at| at + 1)
            };
        }
        if !after.is_empty() {
            let blank = bytes.len() - bytes[end..].trim_ascii_start().len();
            let mut ends = (end..blank).filter(is_newline);
            let count = after.matches('\n').count();
            end = if after.ends_with('\n') {
                ends.nth(count - 1).map_or(blank, |at| at + 1)
            } else {
                ends.nth(count).map_or(blank, without_cr)
            };
        }
        start..end
    }

    /// Returns the passage in a window that is most similar to the string: its words, or as many
    /// lines as the string has. Those start in the window or a little before it, which begins and
    /// ends where it shares most with the string: at one of the lines from where most are equal.
    fn passage(&self, window: Range<usize>) -> Range<usize> {
        let bytes = self.lines.bytes();
        let text = self.wanted.strip_suffix('\n').unwrap_or(self.wanted);
        let count = text.split('\n').count();
        let first = self.lines.line_at(window.start);
        // Blank lines count for nothing in a window, which may hold any number of them.
        let end = self.lines.line_at(window.end.saturating_sub(1));
        let last = end.clamp(first + 1, first + 3 + count);
        let ranked =
            |start: usize| (Reverse(self.equal_lines(text, start)), start.abs_diff(first), start);
        let mut starts: Vec<_> = (first.saturating_sub(3 + count / 4)..=last).map(ranked).gather();
        starts.order_by(Ord::cmp);
        let whole_lines = |first: usize| {
            let (start, end) = (self.lines.start(first), self.lines.start(first + count));
            let cut = line_end(&bytes[start..end]).filter(|_| !self.wanted.ends_with('\n'));
            start..end - cut.map_or(0, <[u8]>::len)
        };
        let candidates = starts.into_iter().take(STARTS).map(|(_, _, start)| whole_lines(start));
        // A file of one long line is not a passage.
        let is_short =
            |place: &Range<usize>| !place.is_empty() && place.len() <= 4 * self.wanted.len() + 200;
        let words = whole_words(bytes, window.clone());
        let mut best = (self.similarity_at(&words), words);
        let mut is_lines = false;
        for place in candidates.filter(|place| is_short(place) && overlap(place, &window)) {
            let similarity = self.similarity_at(&place);
            // Whole lines are rather meant than words that are as similar.
            if similarity > best.0 || (similarity == best.0 && !is_lines) {
                (best, is_lines) = ((similarity, place), true);
            }
        }
        best.1
    }

    /// Returns how many of the first lines of a text are those of the file from a line on, but for
    /// the space around them.
    fn equal_lines(&self, text: &str, start: usize) -> usize {
        text.split('\n')
            .take(COMPARED_LINES)
            .zip(start..self.lines.len())
            .filter(|(line, at)| line.as_bytes().trim_ascii() == self.lines.get(*at).trim_ascii())
            .count()
    }

    fn similarity_at(&self, place: &Range<usize>) -> f64 {
        let text = text_of(&self.lines.bytes()[place.start..place.end]);
        similarity(self.wanted, &text.replaced("\r\n", "\n"))
    }
}

/// Widens a place to the boundaries of words.
fn whole_words(bytes: &[u8], place: Range<usize>) -> Range<usize> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let cuts =
        |at: usize| at > 0 && at < bytes.len() && is_word(bytes[at - 1]) && is_word(bytes[at]);
    // Words are followed over this many bytes at most.
    let most = 200;
    let start = (0..=place.start.min(most)).map(|back| place.start - back).find(|&at| !cuts(at));
    let end = (place.end..=bytes.len().min(place.end + most)).find(|&at| !cuts(at));
    start.unwrap_or(place.start)..end.unwrap_or(place.end)
}

/// Returns the similarity of two texts, 0 to 1.
fn similarity(one: &str, other: &str) -> f64 {
    let by_characters = one.len() + other.len() <= BY_CHARACTERS;
    let [one, other] = [one, other].map(|text| pieces(text, by_characters));
    let changes = capture_diff_slices(Algorithm::Myers, &one, &other);
    f64::from(diff_ratio(&changes, one.len(), other.len()))
}

/// Returns the first pieces of a text: its characters, or its words and the characters between
/// them.
fn pieces(text: &str, by_characters: bool) -> Vec<&str> {
    let is_word = |c: char| !by_characters && (c.is_alphanumeric() || c == '_');
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next().filter(|_| pieces.len() < PIECES) {
        let end = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (piece, after) = rest.split_at(end);
        pieces.add(piece);
        rest = after;
    }
    pieces
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use redline_base::growth::assert_linear;

    const NEVER: CancelToken<'static> = CancelToken::never();

    /// Returns where a string matches.
    pub(crate) fn matches(file: &[u8], wanted: &str) -> Vec<Range<usize>> {
        let haystack = Haystack::new(file, &NEVER).unwrap();
        haystack.places(wanted, &NEVER).unwrap().map(Result::unwrap).collect()
    }

    pub(crate) fn near(file: &[u8], wanted: &str) -> Vec<NearMiss> {
        let lines = Lines::split(file, &NEVER).unwrap();
        near_misses(&lines, wanted, matches(file, wanted), MAX_NEAR_MISSES, &NEVER).unwrap()
    }

    /// Checks that each suggestion occurs in the file at the place that is named.
    fn holds(file: &[u8], near: &[NearMiss]) {
        let lines = Lines::split(file, &CancelToken::never()).unwrap();
        for near in near {
            assert!((0.0..=1.0).contains(&near.similarity) && !near.reasons.is_empty(), "{near:?}");
            let Some(old_string) = &near.old_string else { continue };
            let line = usize::try_from(near.line).unwrap() - 1;
            let places = matches(file, old_string);
            assert!(places.iter().any(|place| lines.line_at(place.start) == line), "{near:?}");
        }
    }

    #[test]
    fn a_near_miss_has_its_line_reason_and_passage() {
        for (file, wanted, line, reason, old_string) in [
            ("a\n\tx = 1\n", "    x = 1", 2, "tabs", "\tx = 1"),
            (
                "if a:\n\tb()\n\tc()\n",
                "if a:\n    b()\n    c()\n",
                1,
                "tabs",
                "if a:\n\tb()\n\tc()\n",
            ),
            ("    a\n    b\n", "  a\n  b", 1, "indentation", "    a\n    b"),
            ("x\n    a\n", "\n  a\n", 1, "indentation", "\n    a\n"),
            ("x\r\n    a\r\ny", "\n  a\n", 1, "indentation", "\n    a\n"),
            ("x\n\n  a\n\ny", "    a\n\n", 3, "indentation", "  a\n\n"),
            ("x\n\n    a  ", "a\n", 3, "line breaks", "a  "),
            ("one  \ntwo\n", "one\ntwo", 1, "trailing space", "one  \ntwo"),
            ("one\ntwo\n", "one\r\ntwo\r\n", 1, "line ends", "one\ntwo\n"),
            ("one\rtwo\r", "one\ntwo", 1, "line ends", "one\rtwo"),
            ("a\nit’s\n", "it's", 2, "Unicode confusable", "it’s"),
            ("a\u{a0}b", "a b", 1, "Unicode confusable", "a\u{a0}b"),
            ("print(\"a\")\n", "print(\\\"a\\\")", 1, "escaped quote", "print(\"a\")"),
            ("one\ntwo\n", "one\\ntwo", 1, "escaped newline", "one\ntwo"),
            ("say \"a\\nb\"", "say \"a\nb\"", 1, "escaped newline", "say \"a\\nb\""),
            ("x\nlet Total = 1;", "let total = 1;", 2, "case", "let Total = 1;"),
            ("f(a, b);\n", "f(a,b)", 1, "spacing", "f(a, b)"),
            ("f(a, b);\n", "f(\n    a,\n    b\n)", 1, "line breaks", "f(a, b)"),
            (
                "def f():\n    return total\n",
                "def f():\n    return totl\n",
                1,
                "text",
                "def f():\n    return total\n",
            ),
            (
                "x\r\ndef f():\r\n    return total\r\n",
                "def f():\n    return totl",
                2,
                "text",
                "def f():\n    return total",
            ),
            (
                "total = calculate_total(items) + 1",
                "calculate_totl(items)",
                1,
                "text",
                "calculate_total(items)",
            ),
        ] {
            let found = near(file.as_bytes(), wanted);
            holds(file.as_bytes(), &found);
            let best = found.first().unwrap_or_else(|| panic!("{file:?} {wanted:?}"));
            let got = (best.line, best.reason(), best.old_string.as_deref());
            assert_eq!(got, (line, reason.to_owned(), Some(old_string)), "{file:?} {wanted:?}");
        }
    }

    #[test]
    fn matches_and_unlike_passages_are_not_near_misses() {
        for (file, wanted) in [
            ("", "x"),
            ("abc\n", "xyz"),
            ("abc\n", ""),
            ("abc\n", " \n"),
            ("abc", "abc"),
            ("a\r\nb", "a\nb"),
            ("the quick brown fox\n", "calculate_total(items)"),
        ] {
            assert_eq!(near(file.as_bytes(), wanted), [], "{file:?} {wanted:?}");
        }
    }

    #[test]
    fn bytes_that_no_string_can_match_have_no_old_string() {
        let found = near(b"x\ncaf\xe9 au lait\n", "caf\u{fffd} au lait");
        assert_eq!((found[0].line, found[0].reason().as_str()), (2, "not UTF-8"));
        assert_eq!(
            (found[0].old_string.as_deref(), found[0].text.as_str()),
            (None, "caf\u{fffd} au lait")
        );
    }

    #[test]
    fn matches_are_explained_before_near_misses() {
        let explained = |file: &str, wanted: &str| -> Vec<(u64, String)> {
            let lines = Lines::split(file.as_bytes(), &NEVER).unwrap();
            let found = explain(&lines, wanted, &NEVER).unwrap();
            found.iter().map(|near| (near.line, near.reason())).collect()
        };
        let row = |line, reason: &str| (line, reason.to_owned());
        assert_eq!(
            explained("call(A)\r\nx\r\ncall(a)\r\n  call(a)\r\n", "call(a)\n"),
            [row(3, "exact"), row(4, "exact"), row(1, "case")]
        );
        assert_eq!(explained("a\nb\n", "a\nb"), [row(1, "exact")]);
        assert_eq!(explained(&"x\n".repeat(50), "x").len(), MAX_NEAR_MISSES);
    }

    #[test]
    fn a_passage_with_changed_lines_is_found_at_its_line_and_whole() {
        const WORDS: &str = "the first or the second half of a large number";
        let alike =
            |n: usize| format!("    let value_{n} = compute(item_{}, {});\n", n * 7 % 1000, n % 13);
        let uneven = |n: usize| match n % 7 {
            0 => "\n".to_owned(),
            1 => format!("    /// Returns what {} of {n} computes.\n", &WORDS[..n % 41]),
            2 => format!("    fn compute_{n}(&self) -> usize {{\n"),
            6 => "    }\n".to_owned(),
            _ => format!("        self.compute({n}, {});\n", &WORDS[n % 29..]),
        };
        let files = [(0..1_000).map(alike).collect::<Vec<_>>(), (0..1_000).map(uneven).collect()];
        for (lines, count) in
            files.iter().flat_map(|lines| [2, 3, 8, 13, 50, 100, 300].map(|count| (lines, count)))
        {
            for (start, step) in [(0, 2), (1, 7), (303, 3), (500, 9), (666, 4), (1_000 - count, 5)]
            {
                let passage = lines[start..start + count].concat();
                let changed = |(at, line): (usize, &String)| {
                    if at % step == step / 2 {
                        line.replace("compute", "conpute")
                    } else {
                        line.clone()
                    }
                };
                let wanted: String =
                    lines[start..start + count].iter().enumerate().map(changed).collect();
                if wanted == passage {
                    continue;
                }
                let found = near(lines.concat().as_bytes(), &wanted);
                let best = (found[0].line as usize, found[0].old_string.as_deref());
                assert_eq!(best, (start + 1, Some(&*passage)), "{count} lines, {step}");
            }
        }
    }

    #[test]
    fn the_nearest_of_many_is_the_first() {
        let file = "    call(one, two, three)\n    call(one, two, four)\n    other()\n    call(One, two, Three)\n";
        let found = near(file.as_bytes(), "call(one, two, threee)");
        holds(file.as_bytes(), &found);
        assert_eq!(found.iter().map(|near| near.line).collect::<Vec<_>>(), [1, 4, 2]);
        let found = near(file.as_bytes(), "CALL(One, two, Three)");
        assert_eq!((found[0].line, found[0].reason().as_str()), (4, "case"));
    }

    #[test]
    fn an_error_names_at_most_three_near_misses() {
        let file = FileName { sandbox: "workspace", relative: "a.py" };
        let shown = |text: &str, wanted: &str| {
            not_found("", file, &Lines::split(text.as_bytes(), &NEVER).unwrap(), wanted, &NEVER)
                .unwrap()
                .to_string()
        };
        assert_eq!(
            shown("\tx\n\ty\n\tx\n\tx\n\tx\n", "  x"),
            "not_found: old_string not found in workspace/a.py. File contains 5 lines. Did you mean: line 1 '\\tx' (tabs), \
             line 3 '\\tx' (tabs), line 4 '\\tx' (tabs)?"
        );
        assert_eq!(
            shown("", "x"),
            "not_found: old_string not found in workspace/a.py. File contains 0 lines. Nothing in the file resembles it: \
             read the file again."
        );
        assert!(
            shown("x", &"y".repeat(WANTED_BYTES + 1))
                .ends_with("old_string has 65537 bytes: give a shorter passage.")
        );
    }

    /// `matching` counts how often characters are compared.
    #[test]
    fn a_large_file_is_searched_in_linear_time() {
        let line =
            |n: u32| format!("    let value_{n} = compute(item_{}, {});\n", n * 7 % 1000, n % 13);
        let code: String = (0..36_000).map(line).collect();
        let passage: String = (1_000..1_012).map(line).collect();
        let typo = passage.replace("compute(item_3", "conpute(itme_3");
        let tabs = passage.replace("    ", "\t");
        let dull = "a b\n".repeat(1 << 18);
        let blank = format!("a\nb\n{}", "\n".repeat(99)).repeat(10_000);
        for (file, wanted, line) in [
            (code.as_str(), typo.as_str(), Some(1_001)),
            (&code, &tabs, Some(1_001)),
            (&dull, &"a  b\n".repeat(50), Some(1)),
            (&dull, &"a c\n".repeat(50), None),
            (&dull, &"z".repeat(WANTED_BYTES), None),
            (&blank, &"a\nc\n".repeat(WANTED_BYTES / 4), None),
            (&"x".repeat(2 << 20), &"X".repeat(WANTED_BYTES), Some(1)),
        ] {
            let begin = |bytes: usize| &file[..bytes];
            assert_linear(&wanted[..20], file.len() / 32, begin, |file| {
                let lines = Lines::split(file.as_bytes(), &CancelToken::never()).unwrap();
                let found = near_misses(&lines, wanted, Vec::new(), NAMED, &NEVER).unwrap();
                if line.is_some() {
                    assert_eq!(found.first().map(|near| near.line), line, "{:?}", &wanted[..20]);
                }
            });
        }
    }
}
